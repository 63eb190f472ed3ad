// @ts-check
/** Paints the table: the board in its frame, one's own desk and the players; and remembers what was there, to mark what changed. */
import { Drawn, h, paint } from "../../draw.js";
import { t } from "../../words.js";
import { hideTip } from "../page/tip.js";
import { changesIn, signatures } from "./changes.js";
import { enliven, figuresOf } from "./doing/actions.js";
import { pointOut } from "./guide.js";
import { shownOf } from "./doing/kinds.js";
import { nameAll } from "./doing/naming.js";
import { playerList } from "./players.js";

/**
 * @typedef {{state: any, board: any, view: any, staged: any, kind: string | null, due: boolean, title: string}} Scene what is shown: the state, the
 *   view that may be seen, what is staged instead of it, the chosen kind of action, whether somebody at this screen is to act
 */

export class Painter {
  /** @param {ReturnType<typeof import("./room.js").furnish>} room */
  constructor({ frame, sheet, parts }) {
    this.frame = frame;
    this.sheet = sheet;
    this.parts = parts;
    /** @type {Scene | null} */
    this.scene = null;
    /** The seat whose desk is enlarged. @type {number | null} */
    this.large = null;
    /** Entries of the menu that have an element. @type {Set<number>} */
    this.reached = new Set();
    /** What stood where at the end of one's last turn. @type {Map<string, string>} */
    this.signs = new Map();
    this.drawings = 0;
    this.measuring = 0;
  }

  /** One's turn is over: what changes from now on is marked. */
  turnEnded() {
    this.signs = new Map();
  }

  /** @param {number} seat */
  enlarge(seat) {
    this.large = this.large === seat ? null : seat;
    this.again();
  }

  again() {
    if (this.scene) this.draw(this.scene);
  }

  /** @param {Scene} scene */
  draw(scene) {
    const isNew = scene !== this.scene; // or only its place has another size
    this.scene = scene;
    const { state, view, staged, kind } = scene;
    hideTip();
    if (!view) return paint(this.frame.ground, [h("p", { class: "hint" }, t("match.setup"))]);
    const started = performance.now();
    const { field, desk, rivals, drawn } = this.describe(scene);
    changesIn(drawn, this.signs, !staged && !state.draft.steps.length);
    paint(this.frame.ground, [field]);
    paint(this.parts.desk, desk ? [desk] : []);
    label(this.parts.desk, "data-own", String(state.seat));
    const points = staged?.points ?? state.points ?? [];
    paint(this.parts.players, [playerList(state, view, scene.board, points, (seat) => rivals.get(seat), this.large, (seat) => this.enlarge(seat))]);
    if (!this.signs.size) this.signs = signatures(drawn);
    label(this.frame.ground, "aria-label", t("match.board", { game: scene.title }));
    this.frame.element.classList.toggle("picking", kind !== null);
    const [onBoard, onDesk] = [this.frame.ground, this.parts.desk].map((part) => part.querySelector(".can") !== null);
    if (isNew) this.sheet.suits(!staged && scene.due, onBoard, onDesk && (!onBoard || Boolean(scene.board.fromHand)));
    this.frame.drawn();
    this.measuring ||= requestAnimationFrame(() => this.measured());
    this.frame.element.dataset.drawMs = (performance.now() - started).toFixed(1);
    this.frame.element.dataset.drawn = String(++this.drawings);
  }

  /** A desk that is larger than its place scrolls, so keys must be able to reach it even where nothing on it can be chosen. */
  measured() {
    this.measuring = 0;
    const { desk } = this.parts;
    if (desk.scrollHeight > desk.clientHeight + 1) desk.tabIndex = 0;
    else desk.removeAttribute("tabindex");
  }

  /** The parts of the table, with what can be done alive. @param {Scene} scene */
  describe({ state, board, view, staged, kind }) {
    const menu = staged ? [] : state.menu;
    const shown = shownOf(menu, kind);
    const offered = shown.map((number) => menu[number]);
    const at = { names: state.seats.map((seat) => seat.name), menu: offered, seat: state.seat, narrow: this.frame.isNarrow, figures: figuresOf(offered) };
    const field = board.board(view, at);
    const desk = state.seat === null ? null : board.desk(view, state.seat, at);
    const rivals = new Map(state.seats.map((_, seat) => [seat, seat === state.seat ? null : board.rival(view, seat, at)]));
    const drawn = [field, desk, ...rivals.values()].filter((part) => part instanceof Drawn);
    const focused = document.activeElement?.closest("[data-entries]")?.getAttribute("data-target") ?? null;
    this.reached = enliven(drawn, menu, shown, board, view, focused);
    pointOut(drawn, state);
    nameAll(drawn);
    return { field, desk, rivals, drawn };
  }
}

/** @param {Element} element @param {string} name @param {string} value */
function label(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value); // the same value again would be a change, too
}
