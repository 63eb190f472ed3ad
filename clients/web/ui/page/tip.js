// @ts-check
/** One small note beside whatever is hovered or focused: what it is, what it would do, or why it cannot be done. */
import { byId, h, paint } from "../../draw.js";

let shownFor = null;

/** @param {Element} element @param {string[]} lines */
export function showTip(element, lines) {
  const tip = byId("tip");
  if (!lines.length) return hideTip();
  shownFor = element;
  paint(tip, lines.map((line, index) => h("p", { class: index ? "" : "first" }, line)));
  tip.hidden = false;
  const box = element.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const left = Math.max(6, Math.min(box.left + box.width / 2 - own.width / 2, innerWidth - own.width - 6));
  const above = box.top - own.height - 8;
  const top = above > 4 ? above : Math.min(box.bottom + 8, innerHeight - own.height - 4);
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

/** @param {Element} [element] only if the note is about this one */
export function hideTip(element) {
  if (element && element !== shownFor) return;
  shownFor = null;
  byId("tip").hidden = true;
}

/** Whether the note still belongs to this element. @param {Element} element */
export function tipIsFor(element) {
  return element === shownFor;
}

/**
 * Show a note for each element of `root` that is hovered or focused and has `data-tip`, `data-target` or `data-try`.
 * @param {Element} root @param {(element: HTMLElement) => string[]} lines
 */
export function tipsIn(root, lines) {
  const over = (event) => {
    const element = event.target instanceof Element ? event.target.closest("[data-tip],[data-target],[data-try]") : null;
    if (element && root.contains(element)) showTip(element, lines(/** @type {HTMLElement} */ (element)));
    else hideTip();
  };
  root.addEventListener("pointerover", over);
  root.addEventListener("focusin", over);
  root.addEventListener("pointerleave", () => hideTip());
  root.addEventListener("focusout", () => hideTip());
}
