// @ts-check
/** What the tabs of a match hold: the log, the chat, and facts about decks and connections. */
import { h } from "../../draw.js";
import { t } from "../../words.js";
import { chatBox, chatList } from "../people/chat.js";
import { gridList } from "../people/grid.js";
import { logList } from "./log.js";
import { seatPicture } from "./shapes.js";

/**
 * @param {any} state @param {any} board @param {{seen: number, chatSeen: number}} until what was seen of log and chat
 * @param {() => void} said
 */
export function sideTabs(state, board, until, said) {
  const sign = (seat) => seatPicture(seat, state.view ? board.colour(state.view, seat) : "grey", state.seats[seat]?.name ?? "?", 16);
  const chat = state.chat ?? [];
  const talk = state.kind === "net" && !state.watching ? chatBox(chat, `matches/${state.id}/chat`, said) : state.watching && chat.length ? chatList(chat) : null;
  return [
    { id: "log", label: t("log.title"), content: logList(state.log, state.log_from, until.seen, sign, state.seat) },
    ...(talk ? [{ id: "chat", label: t("chat.title"), fresh: chat.length - until.chatSeen, content: talk }] : []),
    { id: "table", label: t("tools.table"), content: h("div", {}, decks(state, board), state.kind === "net" ? connection(state) : null) },
  ];
}

function decks(state, board) {
  const rows = state.view ? (board.decks?.(state.view) ?? []) : [];
  return rows.length ? h("dl", { class: "decks" }, rows.flatMap(([name, count]) => [h("dt", {}, name), h("dd", {}, count)])) : null;
}

function connection(state) {
  return h(
    "div",
    {},
    h("h3", {}, t("grid.title")),
    state.words ? h("p", { class: "six-words", "data-tip": t("grid.wordsNote") }, state.words.join(" ")) : null,
    state.watching ? null : gridList(state.grid ?? [], state.pairs ?? [], (peer) => namesOf(state, peer)),
    (state.says ?? []).length ? [h("h3", {}, t("grid.agreed")), state.says.map((said) => h("p", { class: "said" }, said.text))] : null,
  );
}

/** Who plays at a peer. */
function namesOf(state, peer) {
  return state.seats.filter((seat) => seat.peer === peer).map((seat) => seat.name).join(", ") || t("grid.peer", { n: peer + 1 });
}
