// @ts-check
/** The note about missing players: who is missing, for how long, and what the others can do. */
import { h } from "../../draw.js";
import { t } from "../../words.js";

/** @param {number} seconds */
function lasting(seconds) {
  if (seconds < 120) return t("waiting.seconds", { n: seconds });
  return t("waiting.minutes", { n: Math.floor(seconds / 60) });
}

/** Minutes and seconds. @param {number} seconds */
function clock(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Names of those who play at these peers, with the colour of their pieces. @param {any} state @param {any} board @param {number[]} peers */
function people(state, board, peers) {
  return state.seats
    .map((seat, number) => (peers.includes(seat.peer) ? t("waiting.who", { name: seat.name, colour: state.view ? t(`colours.${board.colour(state.view, number)}`) : "" }) : ""))
    .filter(Boolean)
    .join(", ");
}

/** @param {any} state @param {any} board @param {number} since when it began, in milliseconds */
export function waitingNote(state, board, since) {
  const missing = state.waiting.for;
  const votes = state.votes ?? {};
  const mine = state.seats.find((seat) => seat.you)?.peer;
  const agreed = Object.keys(votes).map(Number).filter((peer) => missing.every((each) => votes[peer].includes(each)));
  const voted = agreed.includes(mine);
  const others = agreed.filter((peer) => peer !== mine);
  const waited = Math.max(0, Math.floor((Date.now() - since) / 1000));
  const left = state.waiting.grace ? state.waiting.grace - (waited - state.waiting.seconds) : 0;
  const may = state.waiting.can_vote && mine !== undefined;
  return h(
    "section",
    { key: "waiting", class: "panel calm waiting", "aria-label": t("waiting.title") },
    h("p", {}, t("waiting.text", { names: people(state, board, missing) }), " ", h("span", { class: "elapsed", role: "timer" }, lasting(waited))),
    h("p", { class: "hint" }, left > 0 ? t("waiting.grace", { time: clock(left) }) : t(may ? "waiting.choice" : state.watching ? "waiting.watched" : "waiting.noVote")),
    others.length ? h("p", { "data-votes": others.length }, t("waiting.agreed", { names: people(state, board, others) })) : null,
    voted ? h("p", { "data-voted": "yes" }, t("waiting.voted")) : null,
    may
      ? h(
          "div",
          { class: "row" },
          h("button", { "data-wait": "wait", "aria-pressed": String(!voted) }, t(voted ? "waiting.back" : "waiting.wait")),
          voted ? null : h("button", { "data-wait": "vote" }, t("waiting.goOn")),
        )
      : null,
  );
}
