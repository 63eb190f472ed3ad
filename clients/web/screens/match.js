// @ts-check
/**
 * A match on one screen: what to do now on top, the board in its frame, one's own desk, the others in little, log and chat in
 * tabs. Nothing here scrolls by itself: focus moves without scrolling, and what needs attention is brought to the person.
 *
 * `latest` is the newest state that the node sent; `state` is the one on the screen. They differ while other people's moves are
 * staged: then the board shows one ply after the other, and a click or key of one's own jumps to the newest state.
 */
import { post } from "../api.js";
import { Drawn, h, paint } from "../draw.js";
import { t } from "../words.js";
import { boardOf } from "../boards/index.js";
import { Ending } from "../ui/after/ending.js";
import { actsIn, enliven, entriesOf, figuresOf, linesOf } from "../ui/match/doing/actions.js";
import { changesIn, signatures } from "../ui/match/changes.js";
import { Curtain, curtainNote, peopleHere } from "../ui/match/curtain.js";
import { dialog } from "../ui/page/dialog.js";
import { Director } from "../ui/match/staging/director.js";
import { focusFirst, focusOn, plays, refocus } from "../ui/match/doing/focus.js";
import { guide } from "../ui/match/guide.js";
import { kindRow, shownOf } from "../ui/match/doing/kinds.js";
import { matchKeys } from "../ui/match/doing/keys.js";
import { MatchLink } from "../ui/match/link.js";
import { say, toast } from "../ui/page/live.js";
import { markSeen, seenLines } from "../ui/match/log.js";
import { ring, setTitle } from "../ui/page/notify.js";
import { draftRow, nowLine } from "../ui/match/doing/nowline.js";
import { playerList } from "../ui/match/players.js";
import { chooseAt, closePopover } from "../ui/page/popover.js";
import { Reasons } from "../ui/match/doing/reasons.js";
import { furnish } from "../ui/match/room.js";
import { sideTabs } from "../ui/match/side.js";
import { play as sound } from "../ui/page/sounds.js";
import { PACES } from "../ui/match/staging/stage.js";
import { tabbed } from "../ui/match/tabs.js";
import { hideTip, showTip, tipIsFor, tipsIn } from "../ui/page/tip.js";
import { openTools, paceOf } from "../ui/match/tools.js";
import { waitingNote } from "../ui/match/waiting.js";
import { helpOf } from "./help.js";

/** @param {import("../app.js").App} app @param {string} id @returns {Promise<import("../app.js").Screen>} */
export async function open(app, id) {
  const page = new MatchPage(app, id);
  await page.link.refresh();
  return {
    element: page.element,
    onEvent: (event) => page.link.heard(event),
    onOnline: (online) => online && page.link.soon(),
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
    this.latest = null;
    /** @type {any} */
    this.board = null;
    /** @type {Director | null} */
    this.director = null;
    /** The kind of action whose targets alone are shown. @type {string | null} */
    this.kind = null;
    /** What is staged instead of the state: its view, points and caption. @type {any} */
    this.staged = null;
    /** The seat whose desk is enlarged. @type {number | null} */
    this.large = null;
    /** Choices that were the only ones and were made without a click. @type {Set<string>} */
    this.alone = new Set();
    /** Whether the result was put away to look at the board. */
    this.lifted = false;
    this.tab = "log";
    this.chatSeen = 0;
    this.shown = "";
    this.isClosed = false;
    this.curtain = new Curtain();
    /** The seat whose player has to lift the curtain. @type {number | null} */
    this.next = null;
    /** Since when somebody is missing, in milliseconds. */
    this.missing = 0;
    this.clock = window.setInterval(() => this.state?.waiting && this.drawNotes(), 1000);
    this.seen = seenLines(id);
    this.spoken = -1;
    this.lastTurn = false;
    this.wasOver = false;
    this.drawings = 0;
    /** Entries of the menu that have an element. @type {Set<number>} */
    this.reached = new Set();
    this.signs = new Map();
    this.reasons = new Reasons(id);
    this.ending = new Ending(app, id, () => this.isClosed || this.drawNotes());
    this.link = new MatchLink(id, {
      query: () => this.curtain.asks(this.latest, this.board),
      fits: async (state) => {
        if (!this.board) await this.setUp(state.game);
        return state.seat === null || this.curtain.next(state, this.board) === null;
      },
      arrived: (state) => this.arrive(state),
      busy: (busy) => this.element.setAttribute("aria-busy", String(busy)),
    });
    const { element, frame, sheet, parts, title } = furnish(() => this.state && this.drawTable());
    this.heading = title;
    this.element = element;
    this.frame = frame;
    this.sheet = sheet;
    this.parts = parts;
    this.unkey = this.listen();
  }

  /** @returns {() => void} */
  listen() {
    const { element, parts, frame } = this;
    for (const box of [frame.element, parts.desk, parts.acts, parts.players]) tipsIn(box, (part) => this.linesFor(part));
    for (const box of [parts.veil, parts.notes]) box.addEventListener("click", (event) => this.answered(event));
    element.addEventListener("click", (event) => this.cut(event), true);
    actsIn(element, () => this.state?.menu ?? [], (entry) => this.draft(entry), (part) => frame.reveal(part));
    element.addEventListener("click", (event) => this.clicked(event));
    return matchKeys({
      ...this.does(),
      help: () => this.help(),
      focus: () => this.focus(focusFirst(element)),
      zoom: (by) => (by ? frame.zoom(by) : frame.fit()),
      kind: (number) => /** @type {HTMLElement | undefined} */ ([...parts.acts.querySelectorAll("button")][number])?.click(),
      clear: () => this.clear(),
      again: () => this.again(false),
    });
  }

  close() {
    this.isClosed = true;
    this.link.close();
    clearInterval(this.clock);
    this.director?.close();
    this.frame.close();
    this.unkey();
    closePopover();
    hideTip();
    if (this.latest) markSeen(this.id, this.latest.log_from + this.latest.log.length);
  }

  /** @param {string} game */
  async setUp(game) {
    this.board = await boardOf(game);
    this.heading.textContent = this.app.game(game).title;
    this.element.classList.add(`of-${game}`);
    this.frame.ground.classList.add(`board-${game}`);
    this.director = new Director(this.element, this.board, this.link, {
      latest: () => this.latest,
      shown: () => this.staged?.view ?? this.state?.view,
      pace: () => PACES[paceOf(this.app)],
      draw: (ply) => {
        this.staged = { ...ply, caption: this.staged?.caption ?? "" };
        this.drawTable();
      },
      tell: (ply) => this.tell(ply),
    });
  }

  get isStaging() {
    return this.director?.isPlaying ?? false;
  }

  /** The node sent a state: stage what others did, then show it. @param {any} state */
  async arrive(state) {
    const text = JSON.stringify({ ...state, feed: null });
    if (text === this.shown) return; // a redraw between press and release would swallow a click
    this.shown = text;
    const from = this.state?.ply ?? state.ply;
    this.latest = state;
    if (this.isStaging) return; // it goes on to the newest state by itself
    const hidden = peopleHere(state).length > 1; // hands change between people
    if (!hidden && this.director?.wants(state, from)) await this.director.catchUp(from);
    await this.settle();
  }

  /** Show the newest state. */
  async settle() {
    if (this.isClosed) return;
    const state = this.latest;
    if (this.state && this.state.menu !== state.menu) closePopover(); // what it asks may no longer be possible
    const inPlay = plays(this.element);
    this.staged = null;
    this.state = state;
    this.next = this.curtain.next(state, this.board);
    this.reasons.forget();
    this.missing = Date.now() - (state.waiting?.seconds ?? 0) * 1000;
    if (this.seen < 0) this.seen = state.log_from + state.log.length;
    if (!state.menu.some((entry) => entry.kind === this.kind)) this.kind = null;
    this.drawTable();
    this.drawTop();
    this.drawSide();
    this.drawNotes();
    this.speak();
    if (this.next !== null) focusOn(this.element, "[data-curtain]");
    else if (inPlay) this.focus(refocus(this.element, state.draft.must_commit));
    this.announce();
    await this.actAlone();
  }

  announce() {
    const { state } = this;
    const due = state.your_turn || this.next !== null;
    if (due && !this.lastTurn) ring(this.title());
    this.sheet.suits(due, this.frame.ground.querySelector(".can") !== null || !this.parts.desk.querySelector(".can"));
    this.lastTurn = due;
    const over = Boolean(state.result ?? state.view?.result);
    if (over && !this.wasOver && this.drawings > 1) sound("end");
    this.wasOver = over;
    setTitle(this.title(), due);
  }

  /** What leaves no choice is done without a click: a lone choice is drafted, and a draft of nothing else is confirmed. Whoever takes it back wants to look. */
  async actAlone() {
    const { draft, menu, your_turn: yours } = this.state;
    if (!yours) return;
    const { steps } = draft;
    const lone = menu.length === 1 && !draft.can_redo && !(steps.length && draft.may_commit) ? menu[0] : null;
    if (lone) {
      this.alone.add(lone.text);
      await this.draft(lone);
    } else if (draft.must_commit && steps.length && (steps.every((step) => this.isAlone(step)) || this.app.settings.client?.autoconfirm)) await this.commit();
  }

  /** Whether a step was nobody's choice. @param {any} step */
  isAlone(step) {
    return step.forced || this.alone.has(step.text);
  }

  title() {
    return this.app.game(this.state.game).title;
  }

  does() {
    return {
      undo: () => this.change("undo"),
      redo: () => this.change("redo"),
      commit: () => this.change("commit"),
      back: (to) => this.link.send("undo", { seat: this.state.seat, to }),
    };
  }

  /** The board, the desks and the players, from the state or from what is staged. */
  drawTable() {
    const { state, board, parts, staged } = this;
    hideTip();
    const view = staged ? staged.view : state.view ? this.curtain.covered(state, board) : null;
    if (!view) return paint(this.frame.ground, [h("p", { class: "hint" }, t("match.setup"))]);
    const started = performance.now();
    const menu = staged ? [] : state.menu;
    const shown = shownOf(menu, this.kind);
    const offered = shown.map((number) => menu[number]);
    const at = { names: state.seats.map((seat) => seat.name), menu: offered, seat: state.seat, narrow: this.frame.isNarrow, figures: figuresOf(offered) };
    const field = board.board(view, at);
    const desk = state.seat === null ? null : board.desk(view, state.seat, at);
    const rivals = new Map(state.seats.map((_, seat) => [seat, seat === state.seat ? null : board.rival(view, seat, at)]));
    const drawn = [field, desk, ...rivals.values()].filter((part) => part instanceof Drawn);
    const focused = document.activeElement?.closest("[data-entries]")?.getAttribute("data-target") ?? null;
    this.reached = enliven(drawn, menu, shown, board, view, focused);
    changesIn(drawn, this.signs, !staged && !state.draft.steps.length);
    paint(this.frame.ground, [field]);
    paint(parts.desk, desk ? [desk] : []);
    parts.desk.dataset.own = String(state.seat);
    const points = staged?.points ?? state.points ?? [];
    paint(parts.players, [playerList(state, view, board, points, (seat) => rivals.get(seat), this.large, (seat) => this.enlarge(seat))]);
    if (!this.signs.size) this.signs = signatures(drawn);
    this.frame.ground.setAttribute("aria-label", t("match.board", { game: this.title() }));
    this.frame.element.classList.toggle("picking", this.kind !== null);
    this.frame.drawn();
    this.frame.element.dataset.drawMs = (performance.now() - started).toFixed(1);
    this.frame.element.dataset.drawn = String(++this.drawings);
  }

  /** The caption of what is staged. @param {any} ply */
  tell(ply) {
    this.staged = { view: this.state.view, points: this.state.points, ...this.staged, caption: ply.line.say };
    if (ply.line.say) say([ply.line.say]);
    this.spoken = Math.max(this.spoken, ply.ply + 1);
    this.drawTop();
  }

  /** What now, the kinds of action and the draft; or the caption of what is staged. */
  drawTop() {
    const { parts, isStaging } = this;
    const state = isStaging ? { ...this.latest, your_turn: false } : this.state;
    const skip = isStaging ? h("button", { type: "button", class: "quiet", "data-skip": "" }, t("stage.skip")) : null;
    const more = h("button", { type: "button", class: "quiet", "data-more": "", "aria-haspopup": "dialog", click: (event) => this.tools(event.currentTarget) }, t("tools.title"));
    const stop = state.watching ? h("button", { type: "button", class: "quiet", "data-watch": "stop", click: () => this.lookAway() }, t("watch.stop")) : null;
    const read = h("button", { type: "button", class: "quiet", "data-read": "", "aria-pressed": String(this.element.classList.contains("reading")), click: () => this.read() }, t("log.title"));
    paint(parts.now, nowLine(state, this.does(), [skip, stop, read, more]));
    const does = { choose: (kind) => this.choose(kind), act: (entry) => this.draft(entry), refuse: (why) => this.refuse(why) };
    const caption = isStaging ? (this.staged?.caption ?? "") : (state.log.findLast((line) => line.say)?.say ?? "");
    paint(parts.acts, state.your_turn ? kindRow(state, this.kind, this.reached, does) : [h("p", { class: `caption${isStaging ? " staged" : ""}` }, caption)]);
    paint(parts.draft, isStaging ? [] : [draftRow(state, this.does())]);
  }

  /** Each note has a key, so that the buttons of the others stay when one appears or disappears. */
  drawNotes() {
    const { state } = this;
    const troubles = [...(state.faults ?? []), ...(state.status === "stopped" ? [t("status.stoppedLong")] : [])];
    paint(this.parts.notes, [
      state.waiting ? waitingNote(state, this.board, this.missing) : null,
      troubles.length ? h("section", { key: "trouble", class: "panel trouble", role: "alert" }, troubles.map((text) => h("p", {}, stopped(text)))) : null,
      guide(state),
    ]);
    const result = (state.result ?? state.view?.result) && !this.lifted;
    const look = () => {
      this.lifted = true;
      this.drawNotes();
    };
    paint(this.parts.veil, [
      result ? this.ending.card(state, this.board, look) : null,
      this.next !== null ? curtainNote(state.seats[this.next].name) : null,
    ]);
  }

  drawSide() {
    if (this.tab === "chat") this.chatSeen = this.state.chat?.length ?? 0;
    const tabs = sideTabs({ ...this.state, id: this.id }, this.board, this, () => this.link.soon());
    const choose = (id) => {
      this.tab = id;
      this.drawSide();
    };
    paint(this.parts.tabs, tabbed(tabs, this.tab, choose));
  }

  /** On a narrow screen: log and chat over the board, or the board again. */
  read() {
    this.element.classList.toggle("reading");
    this.drawTop();
  }

  speak() {
    const { state } = this;
    const end = state.log_from + state.log.length;
    if (this.spoken >= 0 && end > this.spoken) {
      say(state.log.slice(Math.max(0, this.spoken - state.log_from)).map((line) => line.say).filter(Boolean));
    }
    if (state.your_turn && !this.lastTurn) say([state.now.text]);
    this.spoken = end;
  }

  /** What has the focus now must be in the frame. @param {Element | null} element */
  focus(element) {
    if (element) this.frame.reveal(element);
  }

  /** What a note says about an element. @param {HTMLElement} element @returns {string[]} */
  linesFor(element) {
    const entries = entriesOf(element, this.state.menu);
    const about = element.dataset.tip ? element.dataset.tip.split("\n") : [];
    if (entries.length) return [...new Set([...(entries.length === 1 ? linesOf(entries[0]) : entries.map((entry) => entry.phrase)), ...about])];
    const tried = element.dataset.try;
    if (!tried || !this.state.your_turn) return about;
    this.reasons.ask(this.state.seat, tried, nameOf(element)).then((lines) => {
      if (lines.length && tipIsFor(element)) showTip(element, [...about, ...lines]);
    });
    return [...about, ...this.reasons.of(tried)];
  }

  /** A click on something that cannot be done now says why. */
  async clicked(event) {
    const element = event.target instanceof Element ? event.target.closest("[data-try]") : null;
    if (!element || element.hasAttribute("data-entries") || !this.state.your_turn) return;
    const reason = (await this.reasons.ask(this.state.seat, element.getAttribute("data-try") ?? "", nameOf(element))).join(" ");
    if (reason) this.refuse(reason);
  }

  /** @param {string} why */
  refuse(why) {
    toast(why);
    say([why]);
  }

  /** A click of one's own ends the staging. */
  cut(event) {
    if (!this.isStaging || (event.target instanceof Element && event.target.closest("[data-more], .side, [data-frame]"))) return;
    event.stopPropagation();
    event.preventDefault();
    this.director?.skip();
  }

  /** Show the targets of one kind only; null shows all. @param {string | null} kind */
  choose(kind) {
    this.kind = kind;
    this.drawTable();
    this.drawTop();
  }

  /** Escape: what was opened or chosen last is closed. */
  clear() {
    if (this.isStaging) this.director?.skip();
    else if (this.large !== null) this.enlarge(this.large);
    else if (this.kind !== null) this.choose(null);
  }

  /** @param {number} seat */
  enlarge(seat) {
    this.large = this.large === seat ? null : seat;
    this.drawTable();
  }

  /** @param {any} entry */
  async draft(entry) {
    if (this.state.menu.includes(entry)) await this.link.send("draft", { seat: this.state.seat, text: entry.text });
  }

  /** @param {"undo" | "redo" | "commit"} what */
  async change(what) {
    if (this.isStaging) return this.director?.skip();
    const { draft, your_turn: yours } = this.state ?? {};
    if (!yours || (what === "undo" && !draft.can_undo) || (what === "redo" && !draft.can_redo)) return;
    const last = draft.steps.findLastIndex((step) => !this.isAlone(step)); // what nobody chose is taken back with what was chosen before it
    if (what !== "commit") return this.link.send(what, { seat: this.state.seat, ...(what === "undo" && last >= 0 ? { to: last } : {}) });
    if (!draft.steps.length || !draft.may_commit) return;
    if (draft.ask) {
      const button = this.parts.now.querySelector("[data-draft=commit]");
      if ((await chooseAt(button ?? { x: innerWidth / 2, y: 80 }, draft.ask, [{ label: t("draft.anyway") }, { label: t("draft.goOn") }])) !== 0) return;
    }
    await this.commit();
  }

  async commit() {
    this.seen = this.state.log_from + this.state.log.length;
    markSeen(this.id, this.seen);
    this.signs = new Map();
    this.kind = null;
    this.alone.clear();
    await this.link.send("commit", { seat: this.state.seat });
  }

  /** Stage the last turn once more, or everything since one's own last one. @param {boolean} all */
  async again(all) {
    if (this.isStaging) return;
    await this.director?.again(all);
    await this.settle();
  }

  /** A button in a note: the curtain, or what to do about somebody who is missing. */
  answered(event) {
    const button = event.target instanceof Element ? event.target.closest("[data-curtain], [data-wait]") : null;
    const choice = button?.getAttribute("data-wait");
    if (button?.hasAttribute("data-curtain")) this.lift();
    else if (choice === "wait") this.link.send("wait", {});
    else if (choice === "vote" && this.state.waiting) this.link.send("vote", { peers: this.state.waiting.for });
  }

  /** The next player has lifted the curtain: show that player's hand. */
  async lift() {
    this.curtain.open = this.next;
    await this.link.refresh().catch((error) => toast(error.message, "bad"));
    this.focus(focusFirst(this.element));
  }

  /** @param {Element} beside */
  tools(beside) {
    openTools(beside, this.app, { ...this.state, id: this.id }, { help: () => this.help(), leave: () => this.leave(), again: (all) => this.again(all) });
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
    if (answer === "bye") await this.link.send("bye", {});
  }
}

/** A sentence with its full stop. @param {string} text */
function stopped(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** What people call an element: how its note begins. @param {Element} element */
function nameOf(element) {
  return (element.getAttribute("data-tip") ?? "").split(/[\n,:(]/)[0].trim();
}
