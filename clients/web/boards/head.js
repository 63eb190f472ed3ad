// @ts-check
/** A whole table below one another: the board, one's own desk, the others' desks, each desk with its name and points. */
import { h } from "../draw.js";
import { seatPicture } from "../ui/match/shapes.js";

/** @param {any} view @param {any} at @param {any} game the functions of the game's board */
export function headed(view, at, { board, desk, rival, points, colour }) {
  const order = view.players.map((_, index) => ((view.seat ?? 0) + index) % view.players.length);
  const withHead = (seat, content) =>
    h("div", { class: `headed${view.to_act === seat ? " acts" : ""}${seat === view.seat ? " own" : ""}` }, h("div", { class: "mat-head" }, seatPicture(seat, colour(view, seat), at.names[seat], 24), h("b", {}, at.names[seat]), h("span", { class: "vp", "data-at": `points:${seat}`, "data-key": `score:${seat}`, "data-sig": points(view, seat).total }, points(view, seat).total)), content);
  return [board(view, at), h("div", { class: "mats" }, order.map((seat) => withHead(seat, seat === view.seat ? desk(view, seat, at) : rival(view, seat, at))))];
}
