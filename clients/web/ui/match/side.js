// @ts-check
/** The tabs of a match and what they hold: the log, the chat, and facts about decks and connections. */
import { h, paint } from "../../draw.js";
import { t } from "../../words.js";
import { chatBox, chatList } from "../people/chat.js";
import { gridList } from "../people/grid.js";
import { logList, markSeen, seenLines } from "./log.js";
import { seatPicture } from "./shapes.js";
import { tabbed } from "./tabs.js";

export class Side {
  /** @param {string} id of the match @param {HTMLElement} box @param {() => void} said is called when something was said in the chat */
  constructor(id, box, said) {
    this.id = id;
    this.box = box;
    this.said = said;
    this.tab = "log";
    /** What was seen of log and chat. */
    this.seen = seenLines(id);
    this.chatSeen = 0;
    /** The log as it was drawn last, and what it was drawn from. @type {{from: string, list: import("../../draw.js").Drawn | null}} */
    this.kept = { from: "", list: null };
  }

  /** The log; while a turn is drafted nothing is added to it, and it is not drawn again. @param {any} state @param {(seat: number) => import("../../draw.js").Drawn} sign */
  log(state, sign) {
    const from = JSON.stringify([state.log, state.log_from, this.seen, state.seat, state.seats.map((seat) => seat.name)]);
    if (this.kept.from !== from || !this.kept.list) this.kept = { from, list: logList(state.log, state.log_from, this.seen, sign, state.seat) };
    return this.kept.list;
  }

  /** @param {any} state @param {any} board */
  draw(state, board) {
    if (this.seen < 0) this.seen = linesIn(state);
    if (this.tab === "chat") this.chatSeen = state.chat?.length ?? 0;
    const choose = (tab) => {
      this.tab = tab;
      this.draw(state, board);
    };
    paint(this.box, tabbed(sideTabs({ ...state, id: this.id }, board, this), this.tab, choose));
  }

  /** All lines until now were seen. @param {any} state */
  turnEnded(state) {
    this.seen = linesIn(state);
    markSeen(this.id, this.seen);
  }
}

/** How many lines the log of a match has in all. @param {any} state */
function linesIn(state) {
  return state.log_from + state.log.length;
}

/** @param {any} state @param {any} board @param {Side} side */
function sideTabs(state, board, side) {
  const sign = (seat) => seatPicture(seat, state.view ? board.colour(state.view, seat) : "grey", state.seats[seat]?.name ?? "?", 16);
  const chat = state.chat ?? [];
  const talk = state.kind === "net" && !state.watching && !state.as_guest ? chatBox(chat, `matches/${state.id}/chat`, side.said) : (state.watching || state.as_guest) && chat.length ? chatList(chat) : null;
  return [
    { id: "log", label: t("log.title"), content: side.log(state, sign) },
    ...(talk ? [{ id: "chat", label: t("chat.title"), fresh: chat.length - side.chatSeen, content: talk }] : []),
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
