// @ts-check
/** Several people at one screen: a curtain hides the next player's hand until that player lifts it. */
import { h } from "../../draw.js";
import { t } from "../../words.js";

/** Decides whose hand the screen may show. */
export class Curtain {
  constructor() {
    /** The seat whose player lifted the curtain last. @type {number | null} */
    this.open = null;
  }

  /** The seat whose player has to lift the curtain, null if there is none. @param {any} state @param {any} board */
  next(state, board) {
    const here = peopleHere(state);
    if (here.length < 2 || state.status === "over" || !state.view || board.hides?.(state.view) === false) return null;
    return here.includes(state.to_act) && state.to_act !== this.open ? state.to_act : null;
  }

  /** The view that may be drawn now: without hands while the curtain is closed. @param {any} state @param {any} board */
  covered(state, board) {
    const shut = state.seat === null && state.status !== "over" && peopleHere(state).length > 1;
    return shut || this.next(state, board) !== null ? (board.cover?.(state.view) ?? state.view) : state.view;
  }

  /** The query that asks the node for the right seat; "" leaves the choice to the node. @param {any} state the last one, if any @param {any} board */
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
