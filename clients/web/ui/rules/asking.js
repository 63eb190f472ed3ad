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
  if (over) return;
  const all = () => (end(), showRules(game, title));
  /** @type {HTMLElement} */
  const bar = render(
    h(
      "div",
      { class: "asking", role: "dialog", "aria-label": t("help.asking") },
      h("p", {}, t("help.ask")),
      h("button", { type: "button", "data-ask": "all", click: all }, t("help.all")),
      h("button", { type: "button", class: "primary", "data-ask": "end", click: () => end() }, t("help.enough")),
    ),
  );

  /** @param {Element} element @param {import("../page/popover.js").Spot} spot */
  function tell(element, spot) {
    const { chapter, part } = found(rules, paragraphOf(element, rules.about) ?? "");
    const words = part ?? { id: "", text: t("help.nothing") };
    say([words.text]);
    openAt(spot, { label: chapter?.title ?? t("help.asking"), kind: "rule" }, (close) => [
      chapter ? h("h3", {}, chapter.title) : null,
      h("div", { class: "help", "data-told": part?.id ?? "" }, paragraph(rules, words)),
      chapter ? h("button", { type: "button", class: "quiet", "data-ask": "chapter", click: () => (close(), end(), showRules(game, title, chapter.id)) }, t("help.chapter")) : null,
    ]);
  }

  /** Whether it is about the page, not about this bar or what it shows. @param {EventTarget | null} target @returns {Element | null} */
  const asked = (target) => (target instanceof Element && !target.closest(".asking, .popover, dialog") ? target : null);

  /** @param {MouseEvent} event */
  function clicked(event) {
    const element = asked(event.target);
    if (!element) return;
    event.preventDefault();
    event.stopPropagation();
    tell(element, { x: event.clientX, y: event.clientY });
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const element = asked(event.target);
    if (event.ctrlKey || event.altKey || event.metaKey || (!element && event.key !== "?")) return;
    if (event.key === "Escape") popoverIsOpen() ? closePopover() : end();
    else if (event.key === "?") all();
    else if (event.key === "Enter" && element && element !== document.body) tell(element, element);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function end() {
    stop = null;
    closePopover();
    bar.remove();
    document.documentElement.classList.remove("asks");
    document.removeEventListener("click", clicked, true);
    document.removeEventListener("keydown", pressed, true);
    window.removeEventListener("hashchange", end);
  }

  stop = end;
  document.body.append(bar);
  document.documentElement.classList.add("asks");
  document.addEventListener("click", clicked, true);
  document.addEventListener("keydown", pressed, true);
  window.addEventListener("hashchange", end);
  say([t("help.ask")]);
}
