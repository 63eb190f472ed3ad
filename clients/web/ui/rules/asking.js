// @ts-check
/**
 * «?», then a click: the next things that are clicked tell their rule instead of being done, until Escape or the button ends it. With the keyboard,
 * Enter tells the rule about what has the focus. A second «?» shows all rules.
 */
import { h, render } from "../../draw.js";
import { t } from "../../words.js";
import { say } from "../page/live.js";
import { closePopover, openAt, popoverIsOpen } from "../page/popover.js";
import { found, paragraph, paragraphOf, rulesOf, showRules } from "./rules.js";

/** Ends what goes on. @type {(() => void) | null} */
let stop = null;

/** @param {string} game @param {string} title of the game */
export async function askRules(game, title) {
  if (stop) return stop(), showRules(game, title); // asked twice
  let over = false;
  stop = () => {
    over = true;
    stop = null;
  };
  const rules = await rulesOf(game);
  if (!over) new Asking(game, title, rules).begin();
}

/** Whether it is about the page, not about the bar or what it shows. @param {EventTarget | null} target @returns {Element | null} */
const asked = (target) => (target instanceof Element && !target.closest(".asking, .popover, dialog") ? target : null);

/** While clicks and Enter ask; `end` gives the page back. */
class Asking {
  /** @param {string} game @param {string} title of the game @param {Awaited<ReturnType<typeof rulesOf>>} rules */
  constructor(game, title, rules) {
    this.game = game;
    this.title = title;
    this.rules = rules;
    /** @type {HTMLElement} */
    this.bar = render(
      h(
        "div",
        { class: "asking", role: "dialog", "aria-label": t("help.asking") },
        h("p", {}, t("help.ask")),
        h("button", { type: "button", "data-ask": "all", click: () => this.show() }, t("help.all")),
        h("button", { type: "button", class: "primary", "data-ask": "end", click: () => this.end() }, t("help.enough")),
      ),
    );
  }

  begin() {
    stop = this.end;
    document.body.append(this.bar);
    document.documentElement.classList.add("asks");
    document.addEventListener("click", this.clicked, true);
    document.addEventListener("keydown", this.pressed, true);
    window.addEventListener("hashchange", this.end);
    say([t("help.ask")]);
  }

  end = () => {
    stop = null;
    closePopover();
    this.bar.remove();
    document.documentElement.classList.remove("asks");
    document.removeEventListener("click", this.clicked, true);
    document.removeEventListener("keydown", this.pressed, true);
    window.removeEventListener("hashchange", this.end);
  };

  /** All rules, or one chapter. @param {string} [chapter] */
  show(chapter) {
    this.end();
    showRules(this.game, this.title, chapter);
  }

  /** @param {Element} element @param {import("../page/popover.js").Spot} spot */
  tell(element, spot) {
    const { chapter, part } = found(this.rules, paragraphOf(element, this.rules.about) ?? "");
    const words = part ?? { id: "", text: t("help.nothing") };
    say([words.text]);
    openAt(spot, { label: chapter?.title ?? t("help.asking"), kind: "rule" }, (close) => [
      chapter ? h("h3", {}, chapter.title) : null,
      h("div", { class: "help", "data-told": part?.id ?? "" }, paragraph(this.rules, words)),
      chapter ? h("button", { type: "button", class: "quiet", "data-ask": "chapter", click: () => (close(), this.show(chapter.id)) }, t("help.chapter")) : null,
    ]);
  }

  /** @param {MouseEvent} event */
  clicked = (event) => {
    const element = asked(event.target);
    if (!element) return;
    event.preventDefault();
    event.stopPropagation();
    this.tell(element, { x: event.clientX, y: event.clientY });
  };

  /** @param {KeyboardEvent} event */
  pressed = (event) => {
    const element = asked(event.target);
    if (event.ctrlKey || event.altKey || event.metaKey || (!element && event.key !== "?")) return;
    if (event.key === "Escape") popoverIsOpen() ? closePopover() : this.end();
    else if (event.key === "?") this.show();
    else if (event.key === "Enter" && element && element !== document.body) this.tell(element, element);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}
