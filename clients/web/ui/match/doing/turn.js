// @ts-check
/**
 * One's own turn while it is drafted: the kind of action whose targets are shown, the steps, undo and confirmation. What leaves no choice
 * is done without a click: a lone choice is drafted, and a draft of nothing else is confirmed. Whoever takes it back wants to look.
 */
import { t } from "../../../words.js";
import { chooseAt } from "../../page/popover.js";

/** @typedef {import("./actions.js").Entry} Entry */

export class Turn {
  /**
   * @param {import("../link.js").MatchLink} link
   * @param {{state: () => any, cut: () => boolean, changed: () => void, drafts: () => void, commits: () => void, spot: () => import("../../page/popover.js").Spot, confirmsAlone: () => boolean}} page
   *   the state on the screen; `cut` ends what is staged, if anything is; `changed` is called when other targets are to be shown, `drafts`
   *   and `commits` before a step or a turn is sent; where to ask; and whether a complete turn is confirmed without being asked
   */
  constructor(link, page) {
    this.link = link;
    this.page = page;
    /** The kind of action whose targets alone are shown. @type {string | null} */
    this.kind = null;
    /** Choices that were the only ones and were made without a click. @type {Set<string>} */
    this.alone = new Set();
  }

  /** The buttons and keys of the draft. */
  get does() {
    return {
      undo: () => this.change("undo"),
      redo: () => this.change("redo"),
      commit: () => this.change("commit"),
      back: (to) => this.link.send("undo", { seat: this.page.state().seat, to }),
    };
  }

  /** Another state: a kind without choices is no longer chosen. @param {any} state */
  arrived(state) {
    if (!state.menu.some((entry) => entry.kind === this.kind)) this.kind = null;
  }

  /** Show the targets of one kind only; null shows all. @param {string | null} kind */
  choose(kind) {
    this.kind = kind;
    this.page.changed();
  }

  /** @param {Entry} entry */
  async draft(entry) {
    const { menu, seat } = this.page.state();
    this.page.drafts();
    if (menu.includes(entry)) await this.link.send("draft", { seat, text: entry.text });
  }

  /** @param {"undo" | "redo" | "commit"} what */
  async change(what) {
    if (this.page.cut()) return;
    const { draft, seat, your_turn: yours } = this.page.state() ?? {};
    if (!yours || (what === "undo" && !draft.can_undo) || (what === "redo" && !draft.can_redo)) return;
    const last = draft.steps.findLastIndex((step) => !this.isAlone(step)); // what nobody chose is taken back with what was chosen before it
    if (what !== "commit") return this.link.send(what, { seat, ...(what === "undo" && last >= 0 ? { to: last } : {}) });
    if (!draft.steps.length || !draft.may_commit) return;
    if (draft.ask && (await chooseAt(this.page.spot(), draft.ask, [{ label: t("draft.anyway") }, { label: t("draft.goOn") }])) !== 0) return;
    await this.commit();
  }

  async commit() {
    this.page.commits();
    this.kind = null;
    this.alone.clear();
    await this.link.send("commit", { seat: this.page.state().seat });
  }

  /** Do what leaves no choice. */
  async goOn() {
    const { draft, menu, your_turn: yours } = this.page.state();
    if (!yours) return;
    const { steps } = draft;
    const lone = menu.length === 1 && !draft.can_redo && !(steps.length && draft.may_commit) ? menu[0] : null;
    if (lone) {
      this.alone.add(lone.text);
      await this.draft(lone);
    } else if (draft.must_commit && steps.length && (steps.every((step) => this.isAlone(step)) || this.page.confirmsAlone())) await this.commit();
  }

  /** Whether a step was nobody's choice. @param {any} step */
  isAlone(step) {
    return step.forced || this.alone.has(step.text);
  }
}
