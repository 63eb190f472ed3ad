// @ts-check
/** Hansa Teutonica: the map with cities, routes and posts, and everybody's desk. */
import { picture, s } from "../../draw.js";
import { knows, plain, t } from "../../words.js";
import { headed } from "../head.js";
import { desk, rival } from "./desk.js";
import { map } from "./map.js";
import { plate, tradesman } from "./marks.js";

export { desk, rival };

/** @typedef {{names: string[], menu: any[], seat: number | null, narrow?: boolean, figures?: Record<string, any[]>}} At */

/** The map. @param {any} view @param {At} at */
export function board(view, at) {
  return map(view, at);
}

/** @param {any} view @param {At} at */
export function draw(view, at) {
  return headed(view, at, { board, desk, rival, points, colour });
}

/** What flies when something travels. @param {any} view @param {{what: string, seat: number | null}} travel @param {string[]} names */
export function traveller(view, travel, names) {
  const [what, name] = travel.what.split(":");
  if (what === "trader" || what === "merchant") {
    const drawn = tradesman(view, names, { owner: travel.seat ?? "neutral", piece: what }, 13);
    drawn.set("transform", "translate(15 15)");
    return picture(30, 30, {}, drawn);
  }
  if (what === "marker" || knows(`hansa.markerName_${name ?? what}`)) return picture(36, 32, {}, s("g", { transform: "translate(18 16)" }, plate(name ?? what)));
  return null;
}

/** Which drawn element stands for a target: an office of a city is the city, a share of the stock the stock. @param {string} target */
export function place(target) {
  const [kind, first] = target.split(":");
  if (kind === "office" || (kind === "city" && target.split(":").length > 2)) return `city:${first}`;
  return target;
}

/** Posts of one route: which of them is taken makes no difference. @param {string} target */
export function alike(target) {
  return target.startsWith("post:") ? target.slice(0, target.lastIndexOf(":")) : target;
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

/** Only missions are secret. @param {any} view */
export function hides(view) {
  return view.players.some((player) => player.has_mission);
}
