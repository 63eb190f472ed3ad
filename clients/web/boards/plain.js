// @ts-check
/** A game without a board of its own: its public facts as a list; everything is played with the buttons. */
import { h } from "../draw.js";
import { plain } from "../words.js";

/** @param {any} view */
export function draw(view) {
  return [board(view)];
}

/** A player's desk: a plain game has none. */
export function desk() {
  return h("div", {});
}

/** Another player's desk: a plain game has none. */
export function rival() {
  return h("div", {});
}

/** @param {any} view */
export function board(view) {
  const simple = Object.entries(view).filter(([, value]) => ["string", "number"].includes(typeof value));
  return h("dl", { class: "facts-list" }, simple.flatMap(([name, value]) => [h("dt", {}, plain(name)), h("dd", {}, value)]));
}

const COLOURS = ["blue", "orange", "green", "violet", "black"];

/** @param {any} view @param {number} seat */
export function colour(view, seat) {
  return view.players?.[seat]?.colour ?? COLOURS[seat % COLOURS.length];
}

/** @param {any} view @param {number} seat @returns {{total: any, parts: [string, any][]}} */
export function points(view, seat) {
  const player = view.players?.[seat] ?? {};
  return { total: player.score ?? player.vp ?? "", parts: [] };
}
