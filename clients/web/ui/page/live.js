// @ts-check
/** What screen readers hear, and short notices on the screen. */
import { byId, h, paint } from "../../draw.js";

let timer = 0;
/** What was said last, with a number for each line: only new lines are read out. @type {{number: number, line: string}[]} */
let said = [];
let count = 0;

const KEPT = 30; // lines that stay for whoever goes back to them
const LONG = 100; // letters that fit into a line above a match

/** Say lines to screen readers: every one, however many come at once. @param {string[]} lines */
export function say(lines) {
  said = [...said, ...lines.map((line) => ({ number: ++count, line }))].slice(-Math.max(KEPT, lines.length));
  paint(byId("live"), said.map(({ number, line }) => h("p", { key: number }, line)));
}

/** A notice that goes away by itself. @param {string} words @param {string} [kind] */
export function toast(words, kind = "") {
  const box = byId("toast");
  const guided = document.querySelector(".play .guide") ? " guided" : "";
  box.className = `shown ${kind}${words.length > LONG ? " long" : ""}${guided}`;
  box.textContent = words;
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    box.className = "";
    box.textContent = "";
  }, Math.max(4000, words.length * 70));
}
