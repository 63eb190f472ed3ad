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

/** Names of those who play at these peers, with the colour of their pieces where they have one. @param {any} state @param {any} board @param {number[]} peers */
function people(state, board, peers) {
  const words = (seat, number) => {
    const colour = state.view ? board.colour(state.view, number) : "grey";
    return colour === "grey" ? seat.name : t("waiting.who", { name: seat.name, colour: t(`colours.${colour}`) });
  };
  return state.seats.flatMap((seat, number) => (peers.includes(seat.peer) ? [words(seat, number)] : [])).join(", ");
}

/** A word to whoever was put out: by whom, and what is left to do. @param {any} state */
export function putOutNote(state) {
  const { by, can_watch: watch } = state.put_out;
  return h(
    "section",
    { key: "put out", class: "panel calm put-out", role: "status" },
    h("p", {}, t("waiting.putOut", { names: listed(by) })),
    h("p", { class: "hint" }, t(state.result ? "waiting.outEnded" : watch ? "waiting.outWatch" : "waiting.outBlind")),
  );
}

/** "Ann, Bo and Cleo". @param {string[]} names */
function listed(names) {
  return names.length < 2 ? (names[0] ?? "") : t("waiting.and", { names: names.slice(0, -1).join(", "), last: names[names.length - 1] });
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
  const may = state.waiting.can_vote && mine !== undefined && !state.as_guest; // votes are the owner’s
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
