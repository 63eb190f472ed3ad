// @ts-check
/**
 * A match on one screen: what to do now on top, the board in its frame, one's own desk, the others in little, log and chat in
 * tabs. Nothing here scrolls by itself: focus moves without scrolling, and what needs attention is brought to the person.
 *
 * `latest` is the newest state that the node sent; `state` is the one on the screen. They differ while other people's moves are
 * staged: then the board shows one ply after the other, and a click or key of one's own jumps to the newest state.
 *
 * The page only passes things on. `Painter` paints the table, `Turn` drafts and confirms, `Explainer` says what things are and why
 * they cannot be done, `Notes` lie over the board, `Side` has the tabs, `Herald` speaks, `Director` stages what others did.
 */
import { h, paint } from "../draw.js";
import { t } from "../words.js";
import { boardOf } from "../boards/index.js";
import { actsIn } from "../ui/match/doing/actions.js";
import { Curtain, peopleHere } from "../ui/match/curtain.js";
import { Director } from "../ui/match/staging/director.js";
import { Explainer } from "../ui/match/doing/explainer.js";
import { focusFirst, focusOn, parkFocus, playing, refocus } from "../ui/match/doing/focus.js";
import { noteWaited } from "../ui/match/guide.js";
import { Herald } from "../ui/match/herald.js";
import { kindRow } from "../ui/match/doing/kinds.js";
import { matchKeys } from "../ui/match/doing/keys.js";
import { MatchLink } from "../ui/match/link.js";
import { toast } from "../ui/page/live.js";
import { Notes } from "../ui/match/notes.js";
import { draftRow, nowLine } from "../ui/match/doing/nowline.js";
import { Painter } from "../ui/match/painter.js";
import { closePopover } from "../ui/page/popover.js";
import { furnish } from "../ui/match/room.js";
import { Side } from "../ui/match/side.js";
import { PACES } from "../ui/match/staging/stage.js";
import { hideTip, tipsIn } from "../ui/page/tip.js";
import { leave, lookAway, openTools, paceOf } from "../ui/match/tools.js";
import { Turn } from "../ui/match/doing/turn.js";
import { askRules } from "../ui/rules/asking.js";
import { showRules } from "../ui/rules/rules.js";

/** @param {import("../app.js").App} app @param {string} id @returns {Promise<import("../app.js").Screen>} */
export async function open(app, id) {
  const page = new MatchPage(app, id);
  await page.link.refresh();
  return {
    element: page.element,
    onEvent: (event) => {
      page.link.heard(event);
      page.notes.ending.onEvent(event);
    },
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
    /** What is staged instead of the state: its view, points and caption. @type {any} */
    this.staged = null;
    this.shown = "";
    this.isClosed = false;
    this.curtain = new Curtain();
    /** The seat whose player has to lift the curtain. @type {number | null} */
    this.next = null;
    this.link = this.connect();
    const room = furnish(() => this.painter.again());
    this.element = room.element;
    this.frame = room.frame;
    this.parts = room.parts;
    this.heading = room.title;
    this.painter = new Painter(room);
    this.herald = new Herald();
    this.turn = this.begin();
    this.explainer = new Explainer(id, () => this.state);
    this.side = new Side(id, room.parts.tabs, () => this.link.soon());
    this.notes = new Notes(app, id, room.parts, { state: () => this.state, board: () => this.board, next: () => this.next, lift: () => this.lift(), send: (what, body) => this.link.send(what, body) });
    this.inPlay = playing(this.element);
    this.unkey = this.listen();
  }

  connect() {
    return new MatchLink(this.id, {
      query: () => this.curtain.asks(this.latest, this.board),
      fits: async (state) => {
        if (!this.board) await this.setUp(state.game);
        return state.seat === null || this.curtain.next(state, this.board) === null;
      },
      arrived: (state) => this.arrive(state),
      busy: (busy) => this.element.setAttribute("aria-busy", String(busy)),
    });
  }

  begin() {
    return new Turn(this.link, {
      state: () => this.state,
      cut: () => this.cut(),
      changed: () => {
        this.drawTable();
        this.drawTop();
      },
      drafts: () => this.frame.away(),
      commits: () => {
        this.side.turnEnded(this.state);
        this.painter.turnEnded();
      },
      spot: () => this.parts.now.querySelector("[data-draft=commit]") ?? { x: innerWidth / 2, y: 80 },
      confirmsAlone: () => Boolean(this.app.settings.client?.autoconfirm),
    });
  }

  /** @returns {() => void} */
  listen() {
    const { element, parts, frame, turn } = this;
    for (const box of [frame.element, parts.desk, parts.acts, parts.players]) tipsIn(box, (part) => this.explainer.linesFor(part));
    element.addEventListener("click", (event) => this.clicked(event), true);
    actsIn(element, {
      menu: () => this.state?.menu ?? [],
      act: (entry) => turn.draft(entry),
      alike: (target) => this.board?.alike?.(target) ?? target,
      walked: (part) => frame.reveal(part),
      closer: (at, size) => frame.closer(at, size),
      missed: () => frame.away(),
    });
    element.addEventListener("click", (event) => this.explainer.clicked(event));
    return matchKeys({
      ...turn.does,
      help: () => this.ask(),
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
    this.notes.close();
    this.director?.close();
    this.frame.close();
    this.unkey();
    closePopover();
    hideTip();
    if (this.latest) this.side.turnEnded(this.latest);
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

  get title() {
    return this.app.game(this.state.game).title;
  }

  /** Whether somebody at this screen is to act. */
  get isDue() {
    return this.state.your_turn || this.next !== null;
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
    this.staged = null;
    this.state = state;
    noteWaited(state);
    this.next = this.curtain.next(state, this.board);
    this.explainer.arrived();
    this.turn.arrived(state);
    this.drawTable();
    this.drawTop();
    this.side.draw(state, this.board);
    this.notes.arrived(state);
    this.herald.tell(state, this.isDue, this.title);
    if (this.next !== null) focusOn(this.element, "[data-curtain]");
    else if (this.inPlay()) this.focus(refocus(this.element, state.draft.must_commit));
    await this.turn.goOn();
  }

  /** The board, the desks and the players, from the state or from what is staged. */
  drawTable() {
    const { state, board, staged } = this;
    const view = staged ? staged.view : state.view ? this.curtain.covered(state, board) : null;
    this.painter.draw({ state, board, view, staged, kind: this.turn.kind, due: this.isDue, title: this.title });
  }

  /** The caption of what is staged. @param {any} ply */
  tell(ply) {
    this.staged = { view: this.state.view, points: this.state.points, ...this.staged, caption: ply.line.say };
    this.herald.stages(ply);
    this.drawTop();
    if (this.inPlay()) parkFocus(this.element);
  }

  /** What now, the kinds of action and the draft; or the caption of what is staged. */
  drawTop() {
    const { parts, isStaging, turn } = this;
    const state = isStaging ? { ...this.latest, your_turn: false } : this.state;
    const button = (name, label, click, more = {}) => h("button", { type: "button", class: "quiet", [`data-${name}`]: "", click, ...more }, label);
    paint(parts.now, nowLine(state, turn.does, [
      isStaging ? button("skip", t("stage.skip"), null) : null,
      state.watching ? button("watch", t("watch.stop"), () => lookAway(this.app, this.id), { "data-watch": "stop" }) : null,
      button("read", t("log.title"), () => this.read(), { "aria-pressed": String(this.element.classList.contains("reading")) }),
      button("more", t("tools.title"), (event) => this.tools(event.currentTarget), { "aria-haspopup": "dialog" }),
    ]));
    const does = { choose: (kind) => turn.choose(kind), act: (entry) => turn.draft(entry), refuse: (why) => this.explainer.refuse(why) };
    const caption = isStaging ? (this.staged?.caption ?? "") : (state.log.findLast((line) => line.say)?.say ?? "");
    paint(parts.acts, state.your_turn ? kindRow(state, turn.kind, this.painter.reached, does) : [h("p", { class: `caption${isStaging ? " staged" : ""}` }, caption)]);
    paint(parts.draft, isStaging ? [] : [draftRow(state, turn.does)]);
  }

  /** On a narrow screen: log and chat over the board, or the board again. */
  read() {
    this.element.classList.toggle("reading");
    this.drawTop();
  }

  /** What has the focus now must be in the frame. @param {Element | null} element */
  focus(element) {
    if (element) this.frame.reveal(element);
  }

  /** End the staging, if there is any. */
  cut() {
    if (!this.isStaging) return false;
    this.director?.skip();
    return true;
  }

  /** A click of one's own ends the staging. @param {Event} event */
  clicked(event) {
    if (!this.isStaging || (event.target instanceof Element && event.target.closest("[data-more], .side, [data-frame]"))) return;
    event.stopPropagation();
    event.preventDefault();
    this.cut();
  }

  /** Escape: what was opened or chosen last is closed. */
  clear() {
    const { painter, turn } = this;
    if (this.cut()) return;
    if (painter.large !== null) painter.enlarge(painter.large);
    else if (turn.kind !== null) turn.choose(null);
  }

  /** Stage the last turn once more, or everything since one's own last one. @param {boolean} all */
  async again(all) {
    if (this.isStaging) return;
    this.herald.retells = true;
    const shown = await this.director?.again(all);
    this.herald.retells = false;
    if (!shown) this.explainer.refuse(t("stage.nothing"));
    await this.settle();
  }

  /** The next player has lifted the curtain: show that player's hand. */
  async lift() {
    this.curtain.open = this.next;
    await this.link.refresh().catch((error) => toast(error.message, "bad"));
    this.focus(focusFirst(this.element));
  }

  /** What is this? The rules answer. */
  ask() {
    askRules(this.state.game, this.title);
  }

  /** @param {Element} beside */
  tools(beside) {
    openTools(beside, this.app, { ...this.state, id: this.id }, { ask: () => this.ask(), hint: () => this.notes.hint.ask(this.state), help: () => showRules(this.state.game, this.title), leave: () => leave(this.state, this.link), again: (all) => this.again(all) });
  }
}
