// @ts-check
/** Says what an element is, what a click on it would do, and why it cannot be done. */
import { say, toast } from "../../page/live.js";
import { showTip, tipIsFor } from "../../page/tip.js";
import { entriesOf, linesOf } from "./actions.js";
import { Reasons } from "./reasons.js";

export class Explainer {
  /** @param {string} id of the match @param {() => any} state on the screen */
  constructor(id, state) {
    this.reasons = new Reasons(id);
    this.state = state;
  }

  /** Another position has other reasons. */
  arrived() {
    this.reasons.forget();
  }

  /** What a note says about an element. @param {HTMLElement} element @returns {string[]} */
  linesFor(element) {
    const { menu, seat, your_turn: yours } = this.state();
    const entries = entriesOf(element, menu);
    const about = element.dataset.tip ? element.dataset.tip.split("\n") : [];
    if (entries.length) return [...new Set([...(entries.length === 1 ? linesOf(entries[0]) : entries.map((entry) => entry.phrase)), ...about])];
    const tried = element.dataset.try;
    if (!tried || !yours) return about;
    this.reasons.ask(seat, tried).then((lines) => {
      if (lines.length && tipIsFor(element)) showTip(element, [...about, ...lines]);
    });
    return [...about, ...this.reasons.of(tried)];
  }

  /** A click on something that cannot be done now says why. @param {Event} event */
  async clicked(event) {
    const element = event.target instanceof Element ? event.target.closest("[data-try]") : null;
    const { seat, your_turn: yours } = this.state() ?? {};
    if (!element || element.hasAttribute("data-entries") || !yours) return;
    const reason = (await this.reasons.ask(seat, element.getAttribute("data-try") ?? "")).join(" ");
    if (reason) this.refuse(reason);
  }

  /** @param {string} why */
  refuse(why) {
    toast(why);
    say([why]);
  }
}
