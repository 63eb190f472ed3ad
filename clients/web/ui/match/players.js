// @ts-check
/** The players: sign, name, points and whose turn it is; the desks of the others in little, enlarged by a click. */
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { seatPicture } from "./shapes.js";

/**
 * @param {any} state @param {any} view @param {any} board @param {number[]} points so far
 * @param {(seat: number) => import("../../draw.js").Part} rival the desk of another player, nothing for one's own
 * @param {number | null} large the seat whose desk is enlarged @param {(seat: number) => void} enlarge
 */
export function playerList(state, view, board, points, rival, large, enlarge) {
  const first = state.seat ?? 0;
  const order = state.seats.map((_, index) => (first + index) % state.seats.length);
  return h("ul", { class: `players${order.length > 3 ? " four" : ""}`, "aria-label": t("scores.title") }, order.map((seat) => player(state, view, board, points, seat, rival(seat), large === seat, enlarge)));
}

function player(state, view, board, points, seat, desk, isLarge, enlarge) {
  const who = state.seats[seat];
  const acts = (view?.to_act ?? state.to_act) === seat;
  const own = seat === state.seat;
  const shown = view ? board.points(view, seat) : { total: "", parts: [] };
  const facts = [...(shown.parts ?? []), ...(shown.facts ?? [])];
  const head = [
    seatPicture(seat, view ? board.colour(view, seat) : "grey", who.name),
    h("span", { class: "name" }, who.name, who.mark ? h("small", { class: "mark", title: t("lobby.markTip") }, ` (${who.mark})`) : null, own ? h("small", {}, ` ${t("you")}`) : null, kind(who)),
    acts ? h("span", { class: "turn-mark", title: t("scores.acts") }, "●") : null,
    h("b", { class: "points", "data-at": `points:${seat}`, "data-key": `points ${seat}`, "data-sig": points[seat] ?? "" }, points[seat] ?? shown.total),
  ];
  return h(
    "li",
    { key: `seat ${seat}`, class: `player${acts ? " acts" : ""}${who.gone ? " gone" : ""}${own ? " me" : ""}${isLarge ? " large" : ""}`, "data-seat": seat },
    h("button", { type: "button", class: "player-head", "aria-expanded": String(isLarge), "data-tip": facts.map(([name, value]) => `${name}: ${value}`).join("\n"), "data-enlarge": seat, click: () => enlarge(seat) }, head),
    desk ? h("div", { class: "desk-of", "data-at": `desk:${seat}` }, desk) : null,
    isLarge ? h("dl", { class: "facts" }, facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])) : null,
  );
}

function kind(seat) {
  if (seat.gone) return h("small", {}, ` ${t("scores.gone")}`);
  return seat.kind === "person" || seat.kind === "me" ? null : h("small", {}, ` ${t("scores.bot")}`);
}
