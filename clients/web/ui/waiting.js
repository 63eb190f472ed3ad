// @ts-check
/** Absence, told calmly: who is missing for how long, and what the others may do. */
import { h } from "../dom.js";
import { t } from "../words.js";

/** @param {any} state @param {any} board @param {(what: string, body: any) => void} send */
export function waitingNote(state, board, send) {
  const missing = state.waiting.for;
  const names = state.seats.filter((seat) => missing.includes(seat.peer)).map((seat) => seat.name).join(", ");
  return h(
    "section",
    { class: "panel calm", role: "status" },
    h("p", {}, t("waiting.text", { names, seconds: state.waiting.seconds })),
    h(
      "div",
      { class: "row" },
      h("button", { click: () => send("wait", {}) }, t("waiting.wait")),
      state.waiting.can_vote ? h("button", { click: () => send("vote", { peers: missing }) }, t("waiting.goOn")) : null,
    ),
  );
}
