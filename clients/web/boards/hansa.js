// @ts-check
/** Hansa Teutonica: the map with cities, routes and posts, and everybody's desk. Coordinates come with the view. */
import { h } from "../draw.js";
import { knows, plain, t } from "../words.js";
import { desk as deskOf } from "./hansa_desk.js";
import { map } from "./hansa_map.js";

/** @typedef {{names: string[], menu: any[], seat: number | null, narrow?: boolean, figures?: Record<string, any[]>}} At */

/** The map. @param {any} view @param {At} at */
export function board(view, at) {
  return map(view, at);
}

/** A player's own desk. @param {any} view @param {number} seat @param {At} at */
export function desk(view, seat, at) {
  return deskOf(view, at, seat);
}

/** Another player's desk in little. @param {any} view @param {number} seat @param {At} at */
export function rival(view, seat, at) {
  return deskOf(view, at, seat);
}

/** @param {any} view @param {At} at */
export function draw(view, at) {
  const order = view.players.map((_, index) => ((view.seat ?? 0) + index) % view.players.length);
  return [facts(view), map(view, at), favours(view), h("div", { class: "mats wide" }, order.map((seat) => deskOf(view, at, seat)))];
}

/** Which drawn element stands for a target: an office of a city is the city, a share of the stock the stock. @param {string} target */
export function place(target) {
  const [kind, first] = target.split(":");
  if (kind === "office" || (kind === "city" && target.split(":").length > 2)) return `city:${first}`;
  return target;
}

/** @param {any} view @param {number} seat */
export function colour(view, seat) {
  return view.players[seat].colour;
}

/** @param {any} view @param {number} seat @returns {any} */
export function points(view, seat) {
  const player = view.players[seat];
  return {
    total: player.score,
    parts: [[t("hansa.onTrack"), player.score], [t("hansa.wouldScore"), player.would_score]],
    facts: [
      [t("hansa.personal"), `${player.personal.traders} + ${player.personal.merchants}`],
      [t("hansa.general"), `${player.general.traders} + ${player.general.merchants}`],
      [t("hansa.markers"), player.markers],
    ],
  };
}

/** @param {any} view @returns {[string, any][]} */
export function decks(view) {
  return [[t("hansa.supply"), view.supply], [t("hansa.completed"), `${view.completed} / ${view.board.limit}`], [t("hansa.round"), view.round]];
}

/** @param {any} view */
export function doing(view) {
  const task = view.task;
  if (!task) return t("hansa.doing", { n: view.actions_left });
  const key = `hansa.task_${task.kind}`;
  return knows(key) ? t(key, { due: task.due ?? 0, route: task.route ?? "", marker: task.marker ? t(`hansa.marker_${task.marker}`) : "" }) : plain(task.kind);
}

/** On a narrow screen it is wider than the page. */
export const wide = true;

/** Only missions are secret. @param {any} view */
export function hides(view) {
  return view.players.some((player) => player.has_mission);
}

function facts(view) {
  const silver = Object.entries(view.silver).map(([name, n]) => `${n} × ${t(`hansa.marker_${name}`)}`).join("\n");
  return h(
    "p",
    { class: "hansa-facts" },
    h("span", { "data-tip": t("hansa.limitTip", { limit: view.board.limit }) }, t("hansa.completedN", { n: view.completed, limit: view.board.limit })),
    h("span", { "data-tip": `${t("hansa.supplyTip")}\n${silver}` }, t("hansa.supplyN", { n: view.supply })),
    h("span", { "data-tip": t("hansa.eastWestTip", { points: view.board.east_west_points.join(", ") }) }, t(view.east_west_awarded ? "hansa.eastWest" : "hansa.eastWestNobody", { cities: view.board.east_west.map((code) => view.board.cities.find((city) => city.code === code)?.name ?? code).join(" – "), n: view.east_west_awarded })),
  );
}

function favours(view) {
  if (!view.display.length) return "";
  return h("section", { class: "tray" }, h("h3", {}, t("hansa.favours")), h("div", { class: "row" }, view.display.map((tile) => h("span", { class: "free-piece", "data-target": `favour:${tile}`, "data-try": `favour ${tile}`, "data-tip": t(`hansa.tileTip_${tile}`) }, t(`hansa.tile_${tile}`)))));
}

