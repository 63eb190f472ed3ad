// @ts-check
/** A match: board, what can be done, the drafted turn, players, log, chat. */
import { get, post } from "../api.js";
import { Drawn, h, paint, render } from "../draw.js";
import { t } from "../words.js";
import { boardOf } from "../boards/index.js";
import { actsIn, enliven, entriesOf, linesOf } from "../ui/match/actions.js";
import { chatBox, chatList, showNewest } from "../ui/people/chat.js";
import { changesIn, signatures } from "../ui/match/changes.js";
import { Curtain, curtainNote, peopleHere } from "../ui/match/curtain.js";
import { dialog } from "../ui/page/dialog.js";
import { draftBar } from "../ui/match/draftbar.js";
import { gridList } from "../ui/people/grid.js";
import { Feed } from "../ui/match/feed.js";
import { guide } from "../ui/match/guide.js";
import { matchKeys } from "../ui/match/keys.js";
import { say, toast } from "../ui/page/live.js";
import { logList, markSeen, seenLines } from "../ui/match/log.js";
import { ring, setTitle } from "../ui/page/notify.js";
import { resultSheet, scoreList } from "../ui/match/scores.js";
import { seatPicture } from "../ui/match/shapes.js";
import { hideTip, showTip, tipIsFor, tipsIn } from "../ui/page/tip.js";
import { waitingNote } from "../ui/match/waiting.js";
import { helpOf } from "./help.js";

/** @param {import("../app.js").App} app @param {string} id @returns {Promise<import("../app.js").Screen>} */
export async function open(app, id) {
  const page = new MatchPage(app, id);
  await page.refresh();
  return {
    element: page.element,
    onEvent: (event) => page.handle(event),
    onOnline: (online) => online && page.soon(),
    onLeave: () => page.close(),
  };
}

class MatchPage {
  /** @param {import("../app.js").App} app @param {string} id */
  constructor(app, id) {
    this.app = app;
    this.id = id;
    /** @type {any} */
    this.state = null;
    /** @type {any} */
    this.board = null;
    this.shown = "";
    this.asked = 0;
    this.timer = 0;
    this.busy = false;
    this.feed = new Feed();
    this.curtain = new Curtain();
    /** The seat whose player has to lift the curtain. @type {number | null} */
    this.next = null;
    /** Since when somebody is missing, in milliseconds. */
    this.missing = 0;
    this.clock = window.setInterval(() => this.state?.waiting && this.drawNotes(), 1000);
    this.narrow = window.matchMedia("(max-width: 560px)");
    this.resized = () => this.state && this.drawBoard();
    this.narrow.addEventListener("change", this.resized);
    this.seen = seenLines(id);
    this.spoken = -1;
    this.lastTurn = false;
    this.drawings = 0;
    this.signs = new Map();
    this.reasons = new Map();
    /** @type {Map<string, Promise<void>>} */
    this.asking = new Map();
    const head = h("div", { class: "match-head" });
    const note = h("div", { class: "match-note", click: (event) => this.answered(event) });
    const board = h("div", { class: "board", role: "group", click: (event) => this.clicked(event) });
    const acts = h("div", { class: "act-buttons", role: "group", "aria-label": t("match.acts") });
    const draft = h("div", {});
    const side = h("div", { class: "side" });
    this.element = render(h("div", { class: "match" }, h("div", { class: "match-main" }, head, note, board, h("div", { class: "dock" }, acts, draft)), side));
    /** Where the page is painted. @type {Record<"head" | "note" | "board" | "acts" | "draft" | "side", HTMLElement>} */
    this.parts = { head: head.node, note: note.node, board: board.node, acts: acts.node, draft: draft.node, side: side.node };
    tipsIn(this.parts.board, (element) => this.linesFor(element));
    tipsIn(this.parts.acts, (element) => this.linesFor(element));
    actsIn(this.element, () => this.state?.menu ?? [], (entry) => this.draft(entry));
    this.unkey = matchKeys({
      undo: () => this.change("undo"),
      redo: () => this.change("redo"),
      commit: () => this.change("commit"),
      help: () => this.help(),
      focus: () => this.focusFirst(),
    });
  }

  close() {
    clearTimeout(this.timer);
    clearInterval(this.clock);
    this.narrow.removeEventListener("change", this.resized);
    this.unkey();
    hideTip();
    if (this.state) markSeen(this.id, this.state.log_from + this.state.log.length);
  }

  handle(event) {
    if (event.kind === "reset" || (event.id === this.id && ["match", "chat", "notice"].includes(event.kind))) this.soon(event.kind === "reset" ? undefined : event.n);
  }

  /** Ask for the state in a moment, unless the page contains the event by then. @param {number} [number] of the event; without it the state is asked for in any case */
  soon(number) {
    this.feed.wants(number);
    this.timer ||= window.setTimeout(() => {
      this.timer = 0; // further events do not postpone it
      if (this.busy || !this.feed.isBehind) return; // an answer that is on its way may contain it
      this.refresh().catch((error) => toast(error.message, "bad"));
    }, 40);
  }

  async refresh() {
    const asked = ++this.asked;
    this.feed.asked();
    let state = await get(`matches/${this.id}${this.curtain.asks(this.state, this.board)}`);
    this.board ??= await boardOf(state.game);
    // If it is now the turn of another person at this screen, the state shows the wrong hand.
    const next = this.curtain.next(state, this.board);
    if (next !== null && state.seat !== null) state = await get(`matches/${this.id}?seat=none`);
    if (asked === this.asked && !this.busy) await this.show(state);
  }

  /** @param {any} state */
  async show(state) {
    this.board ??= await boardOf(state.game);
    this.feed.shows(state);
    const text = JSON.stringify({ ...state, feed: null });
    if (text === this.shown) return; // a redraw between press and release would swallow a click
    this.shown = text;
    const focus = document.activeElement;
    const inBoard = focus instanceof Element && this.element.contains(focus) && (focus.hasAttribute("data-target") || focus.hasAttribute("data-draft"));
    this.state = state;
    this.next = this.curtain.next(state, this.board);
    this.reasons = new Map();
    this.asking = new Map();
    this.missing = Date.now() - (state.waiting?.seconds ?? 0) * 1000;
    if (this.seen < 0) this.seen = state.log_from + state.log.length;
    this.drawBoard();
    this.drawHead();
    this.drawSide();
    this.drawNotes();
    paint(this.parts.draft, state.your_turn ? [draftBar(state, this.does())] : []);
    this.speak();
    if (this.next !== null) this.element.querySelector("[data-curtain]")?.focus();
    else if (inBoard) this.refocus();
    const due = state.your_turn || this.next !== null;
    if (due && !this.lastTurn) {
      ring(this.title());
      requestAnimationFrame(() => this.bringIntoView()); // it has no place before it is in the page
    }
    this.lastTurn = due;
    setTitle(this.title(), due);
    if (state.draft.must_commit && this.app.settings.client?.autoconfirm) await this.change("commit");
  }

  title() {
    return this.app.game(this.state.game).title;
  }

  does() {
    return {
      undo: () => this.change("undo"),
      redo: () => this.change("redo"),
      commit: () => this.change("commit"),
    };
  }

  drawBoard() {
    const { state, board, parts } = this;
    hideTip();
    if (!state.view) {
      paint(parts.board, [h("p", { class: "hint" }, t("match.setup"))]);
      parts.acts.hidden = true;
      paint(parts.acts, []);
      return;
    }
    const names = state.seats.map((seat) => seat.name);
    const started = performance.now();
    parts.board.setAttribute("aria-label", t("match.board", { game: this.title() }));
    parts.board.className = `board board-${state.game}`;
    const drawn = board.draw(this.curtain.covered(state, board), { names, menu: state.menu, seat: state.seat, narrow: this.narrow.matches }).filter((part) => part instanceof Drawn);
    const focused = document.activeElement?.closest(".can")?.getAttribute("data-target") ?? null;
    const buttons = enliven(drawn, state, board, focused);
    changesIn(drawn, this.signs, !state.draft.texts.length);
    paint(parts.board, drawn);
    paint(parts.acts, buttons);
    parts.acts.hidden = !buttons.length;
    if (!this.signs.size) this.signs = signatures(drawn);
    this.drawTook = performance.now() - started;
    parts.board.dataset.drawMs = this.drawTook.toFixed(1);
    parts.board.dataset.drawn = String(++this.drawings);
  }

  drawHead() {
    const { state } = this;
    const over = state.status === "over";
    const actor = state.to_act === null || state.to_act < 0 ? null : state.seats[state.to_act];
    const words = over
      ? t("match.over")
      : state.your_turn
        ? peopleHere(state).length > 1
          ? t("match.turnOfYours", { name: actor.name })
          : t("match.yourTurn")
        : actor
          ? t("match.turnOf", { name: actor.name })
          : t("match.chance");
    const doing = state.view && !over ? this.board.doing?.(state.view, state) : "";
    paint(this.parts.head, [
      h("h1", {}, this.title()),
      h("p", { class: `whose${state.your_turn ? " yours" : ""}`, "data-turn": state.your_turn ? "you" : "other" }, words, doing ? h("span", {}, ` – ${doing}`) : null),
      h(
        "div",
        { class: "row head-tools" },
        this.board.wide ? h("button", { class: "quiet zoom", "data-zoom": "", click: () => this.zoom() }, t(this.element.classList.contains("whole") ? "match.large" : "match.whole")) : null,
        h("button", { class: "quiet", click: () => this.help() }, t("match.help")),
        state.watching ? h("span", { class: "badge watch" }, t("home.watching")) : h("a", { class: "quiet button", href: `/api/1/matches/${this.id}/file`, download: "" }, t("match.file")),
        state.watching ? h("button", { class: "quiet", "data-watch": "stop", click: () => this.lookAway() }, t("watch.stop")) : over ? null : h("button", { class: "quiet", click: () => this.leave() }, t("match.leave")),
      ),
    ]);
  }

  /** Switch between the whole board and one that is large enough to touch. */
  zoom() {
    this.element.classList.toggle("whole");
    this.drawHead();
    this.bringIntoView();
  }

  /** Scroll a wide board to the first thing that can be done. */
  bringIntoView() {
    const first = this.parts.board.querySelector(".can");
    const box = first?.closest(".scroll-x");
    if (!first || !box) return;
    const [inner, outer] = [first.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.left < outer.left || inner.right > outer.right) box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  }

  /** Each note has a key, so that the buttons of the others stay when one appears or disappears. */
  drawNotes() {
    const { state } = this;
    const troubles = [...(state.faults ?? []), ...(state.status === "stopped" ? [t("status.stoppedLong")] : [])];
    paint(this.parts.note, [
      (state.result ?? state.view?.result) ? resultSheet(state, this.app.game(state.game).terms) : null,
      this.next !== null ? curtainNote(state.seats[this.next].name) : null,
      state.waiting ? waitingNote(state, this.board, this.missing) : null,
      troubles.length ? h("section", { key: "trouble", class: "panel trouble", role: "alert" }, troubles.map((text) => h("p", {}, stopped(text)))) : null,
      guide(state),
    ]);
  }

  drawSide() {
    const { state, board } = this;
    const sign = (seat) => seatPicture(seat, state.view ? board.colour(state.view, seat) : "grey", state.seats[seat]?.name ?? "?", 16);
    const log = logList(state.log, state.log_from, this.seen, sign);
    const chat = state.chat ?? [];
    paint(this.parts.side, [
      h("section", { class: "panel" }, h("h2", {}, t("scores.title")), scoreList(state, board), this.decks()),
      h("section", { class: "panel log-panel" }, h("h2", {}, t("log.title")), log),
      state.kind === "net" && !state.watching ? chatBox(chat, `matches/${this.id}/chat`, () => this.soon()) : null,
      state.watching && chat.length ? h("section", { class: "panel" }, h("h2", {}, t("chat.title")), chatList(chat)) : null,
      state.kind === "net" ? this.connection() : null,
    ]);
    requestAnimationFrame(() => showNewest(this.parts.side)); // lists have no height before they are in the page
  }

  decks() {
    const rows = this.state.view ? (this.board.decks?.(this.state.view) ?? []) : [];
    return rows.length ? h("dl", { class: "decks" }, rows.flatMap(([name, count]) => [h("dt", {}, name), h("dd", {}, count)])) : null;
  }

  connection() {
    const { state } = this;
    return h(
      "section",
      { class: "panel" },
      h("h2", {}, t("grid.title")),
      state.words ? h("p", { class: "six-words", "data-tip": t("grid.wordsNote") }, state.words.join(" ")) : null,
      state.watching ? null : gridList(state.grid ?? [], state.pairs ?? [], (peer) => namesOf(state, peer)),
      (state.says ?? []).length ? [h("h3", {}, t("grid.agreed")), state.says.map((said) => h("p", { class: "said" }, said.text))] : null,
    );
  }

  speak() {
    const { state } = this;
    const end = state.log_from + state.log.length;
    if (this.spoken >= 0 && end > this.spoken) {
      say(state.log.slice(Math.max(0, this.spoken - state.log_from)).map((line) => line.say).filter(Boolean));
    }
    if (state.your_turn && !this.lastTurn) say([t("match.yourTurn")]);
    this.spoken = end;
  }

  /** Keep the focus where the player was, or move it to what comes next. */
  refocus() {
    const now = document.activeElement;
    if (now instanceof Element && now.matches(".can, [data-draft]:not(:disabled)") && this.element.contains(now)) return;
    if (this.state.draft.must_commit) this.focusCommit();
    else this.focusFirst();
  }

  focusCommit() {
    /** @type {HTMLElement | null} */ (this.element.querySelector("[data-draft=commit]"))?.focus();
  }

  focusFirst() {
    const first = this.element.querySelector(".can[tabindex='0']");
    if (first) /** @type {HTMLElement} */ (first).focus();
    else this.focusCommit();
  }

  /** What a note says about an element. @param {HTMLElement} element @returns {string[]} */
  linesFor(element) {
    const entries = entriesOf(element, this.state.menu);
    const about = element.dataset.tip ? element.dataset.tip.split("\n") : [];
    if (entries.length) {
      const lines = entries.length === 1 ? linesOf(entries[0]) : entries.map((entry) => entry.phrase);
      if (entries.length === 1 && !entries[0].effect && !this.reasons.has(entries[0].text)) this.askWhy(element, entries[0].text);
      const more = this.reasons.get(entries[0].text) ?? [];
      return [...new Set([...lines, ...(entries.length === 1 ? more : []), ...about])];
    }
    const tried = element.dataset.try;
    if (tried && this.state.your_turn) {
      if (!this.reasons.has(tried)) this.askWhy(element, tried);
      return [...about, ...(this.reasons.get(tried) ?? [])];
    }
    return about;
  }

  /** Ask the node what an action would do or why it cannot be done; show it if the note is still there. */
  askWhy(element, text) {
    if (this.state.seat === null || !text) return Promise.resolve();
    const asked = this.asking.get(text) ?? this.explain(text);
    this.asking.set(text, asked);
    return asked.then(() => {
      if (tipIsFor(element)) showTip(element, this.linesFor(element));
    });
  }

  async explain(text) {
    const reasons = this.reasons;
    try {
      const answer = await post(`matches/${this.id}/explain`, { seat: this.state.seat, text });
      const lines = answer.legal ? answer.events.map((line) => line.say).filter(Boolean) : [t("match.whyNot", { reason: answer.reason })];
      reasons.set(text, lines);
    } catch {
      reasons.set(text, []); // the page says elsewhere that the node is away
    }
  }

  /** A click on something that cannot be done now says why. */
  async clicked(event) {
    const element = event.target instanceof Element ? event.target.closest("[data-try]") : null;
    if (!element || element.classList.contains("can") || !this.state.your_turn) return;
    await this.askWhy(element, element.getAttribute("data-try"));
    const reason = (this.reasons.get(element.getAttribute("data-try")) ?? []).join(" ");
    if (reason) {
      toast(reason);
      say([reason]);
    }
  }

  async draft(entry) {
    await this.send("draft", { seat: this.state.seat, text: entry.text });
  }

  async change(what) {
    const draft = this.state?.draft;
    if (!this.state?.your_turn || (what === "undo" && !draft.can_undo) || (what === "redo" && !draft.can_redo)) return;
    if (what === "commit" && !draft.texts.length) return;
    if (what === "commit") {
      this.seen = this.state.log_from + this.state.log.length;
      markSeen(this.id, this.seen);
      this.signs = new Map();
    }
    await this.send(what, { seat: this.state.seat });
  }

  /** @param {string} what @param {any} body */
  async send(what, body) {
    if (this.busy) return;
    this.busy = true;
    this.asked++;
    try {
      const state = await post(`matches/${this.id}/${what}`, body);
      this.busy = false;
      if (state.view !== undefined && (state.seat !== null || what === "bye")) await this.show(state);
      else this.soon();
      if (this.next !== null) this.soon(); // the answer shows the hand of the player who sent it
      if (this.feed.isBehind) this.soon(this.feed.heard); // an event arrived while the answer was on its way
    } catch (error) {
      this.busy = false;
      toast(error.message, "bad");
      this.soon();
    }
  }

  /** A button in a note: the curtain, or what to do about somebody who is missing. */
  answered(event) {
    const button = event.target instanceof Element ? event.target.closest("[data-curtain], [data-wait]") : null;
    const choice = button?.getAttribute("data-wait");
    if (button?.hasAttribute("data-curtain")) this.lift();
    else if (choice === "wait") this.send("wait", {});
    else if (choice === "vote" && this.state.waiting) this.send("vote", { peers: this.state.waiting.for });
  }

  /** The next player has lifted the curtain: show that player's hand. */
  async lift() {
    this.curtain.open = this.next;
    await this.refresh().catch((error) => toast(error.message, "bad"));
    this.focusFirst();
  }

  async lookAway() {
    try {
      await post(`matches/${this.id}/unwatch`);
      this.app.go("/");
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  async help() {
    await dialog(t("help.title", { game: this.title() }), [h("div", { class: "help" }, await helpOf(this.state.game))]);
  }

  async leave() {
    const answer = await dialog(t("match.leave"), [h("p", {}, t(this.state.kind === "net" ? "match.leaveNet" : "match.leaveLocal"))], [
      { value: "", label: t("cancel"), kind: "quiet" },
      { value: "bye", label: t("match.leave"), kind: "danger" },
    ]);
    if (answer === "bye") await this.send("bye", {});
  }
}

/** A sentence with its full stop. @param {string} text */
function stopped(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Who plays at a peer. */
function namesOf(state, peer) {
  return state.seats.filter((seat) => seat.peer === peer).map((seat) => seat.name).join(", ") || t("grid.peer", { n: peer + 1 });
}
