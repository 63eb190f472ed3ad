// @ts-check
/** What screen readers hear, and short notices on the screen. */
import { byId, h } from "../../dom.js";

let timer = 0;

/** Say lines to screen readers. @param {string[]} lines */
export function say(lines) {
  const live = byId("live");
  live.append(...lines.slice(-12).map((line) => h("p", {}, line)));
  while (live.childElementCount > 30) live.firstElementChild?.remove();
}

/** A notice that goes away by itself. @param {string} words @param {string} [kind] */
export function toast(words, kind = "") {
  const box = byId("toast");
  box.className = `shown ${kind}`;
  box.textContent = words;
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    box.className = "";
    box.textContent = "";
  }, Math.max(4000, words.length * 70));
}
