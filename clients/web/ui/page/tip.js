// @ts-check
/** One small note beside whatever is hovered or focused: what it is, what it would do, or why it cannot be done. */
import { byId, h, paint } from "../../draw.js";

let shownFor = null;

/** @param {Element} element @param {string[]} lines */
export function showTip(element, lines) {
  const tip = byId("tip");
  if (!lines.length || document.querySelector(".popover")) return hideTip(); // a list that is open says it itself
  shownFor = element;
  paint(tip, lines.map((line, index) => h("p", { class: index ? "" : "first" }, line)));
  tip.hidden = false;
  const box = element.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const left = Math.max(6, Math.min(box.left + box.width / 2 - own.width / 2, innerWidth - own.width - 6));
  const above = box.top - own.height - 8;
  const kept = document.querySelector("[data-keep-clear]"); // what to do now stays readable
  const line = (kept?.contains(element) ? kept.querySelector(".now-line") : kept)?.getBoundingClientRect();
  const top = above > (line && line.bottom < box.top ? line.bottom : 4) ? above : Math.min(box.bottom + 8, innerHeight - own.height - 4);
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

/** @param {Element} [element] only if the note is about this one */
export function hideTip(element) {
  if (element && element !== shownFor) return;
  shownFor = null;
  const tip = byId("tip");
  if (!tip.hidden) tip.hidden = true; // each drawing asks for it
}

/** Whether the note still belongs to this element. @param {Element} element */
export function tipIsFor(element) {
  return element === shownFor;
}

const PRESSED = 450; // milliseconds: a finger that stays asks what this is

/**
 * Show a note for each element of `root` that is hovered, focused or pressed for long and has `data-tip`, `data-target` or `data-try`.
 * @param {Element} root @param {(element: HTMLElement) => string[]} lines
 */
export function tipsIn(root, lines) {
  let timer = 0;
  let told = false;
  const over = (event) => {
    const element = event.target instanceof Element ? event.target.closest("[data-tip],[data-target],[data-try]") : null;
    if (element && root.contains(element)) showTip(element, lines(/** @type {HTMLElement} */ (element)));
    else hideTip();
    return shownFor !== null;
  };
  const on = (name, does, options) => root.addEventListener(name, does, options);
  on("pointerover", (event) => event.pointerType !== "touch" && over(event));
  on("focusin", (event) => event.target.matches(":focus-visible") && over(event));
  on("pointerleave", () => hideTip());
  on("focusout", () => hideTip());
  on("pointerdown", (event) => {
    clearTimeout(timer);
    told = false;
    if (event.pointerType !== "touch") return;
    hideTip();
    timer = window.setTimeout(() => {
      told = over(event); // a press that is told nothing is a tap
    }, PRESSED);
  });
  for (const name of ["pointerup", "pointercancel", "pointermove"]) on(name, (event) => (name !== "pointermove" || Math.hypot(event.movementX, event.movementY) > 3) && clearTimeout(timer));
  on("click", (event) => {
    if (!told) return;
    told = false;
    event.stopPropagation(); // the press was a question
    event.preventDefault();
  }, true);
}
