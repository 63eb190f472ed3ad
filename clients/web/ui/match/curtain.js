// @ts-check
/** Several people at one screen: the next one's hand stays behind a curtain until they say that they are there. */
import { h } from "../../draw.js";
import { t } from "../../words.js";

/** Whose eyes this screen shows to whoever sits before it. */
export class Curtain {
  constructor() {
    /** @type {number | null} */
    this.open = null;
  }

  /** Who has to say that they are there, null if nobody. @param {any} state @param {any} board */
  next(state, board) {
    const here = peopleHere(state);
    if (here.length < 2 || state.status === "over" || !state.view || board.hides?.(state.view) === false) return null;
    return here.includes(state.to_act) && state.to_act !== this.open ? state.to_act : null;
  }

  /** What may be drawn before anybody has said that they are there. @param {any} state @param {any} board */
  covered(state, board) {
    const shut = state.seat === null && state.status !== "over" && peopleHere(state).length > 1;
    return shut || this.next(state, board) !== null ? (board.cover?.(state.view) ?? state.view) : state.view;
  }

  /** The seat to ask the node for: "" leaves it to the node. @param {any} state the last one, if any @param {any} board */
  asks(state, board) {
    if (!state || !board) return "";
    const here = peopleHere(state);
    if (here.length === 1) return `?seat=${here[0]}`;
    if (here.length === 0 || state.status === "over" || (state.view && board.hides?.(state.view) === false)) return "";
    if (here.includes(state.to_act)) return `?seat=${state.to_act === this.open ? state.to_act : "none"}`;
    return `?seat=${this.open ?? "none"}`;
  }
}

/** Seats of people at this node. @param {any} state @returns {number[]} */
export function peopleHere(state) {
  return state.seats.flatMap((seat, number) => (seat.you && seat.kind === "person" ? [number] : []));
}

/** @param {string} name */
export function curtainNote(name) {
  return h(
    "section",
    { key: "curtain", class: "panel curtain" },
    h("h2", {}, t("curtain.title", { name })),
    h("p", {}, t("curtain.text", { name })),
    h("button", { class: "primary", "data-curtain": "lift" }, t("curtain.lift", { name })),
  );
}
