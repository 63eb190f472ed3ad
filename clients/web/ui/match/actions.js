// @ts-check
/**
 * Make clickable what can be done now: each menu entry is attached to the drawn element that carries its target.
 * Entries without a drawn element become buttons, so that every legal action can always be reached.
 */
import { each, h } from "../../draw.js";
import { t } from "../../words.js";
import { choose } from "../page/dialog.js";

/**
 * @typedef {{text: string, phrase: string, kind: string, targets: string[], effect: any[] | null, reveals: boolean}} Entry
 * @typedef {{place?: (target: string, view: any) => string}} Mapping
 * @typedef {import("../../draw.js").Drawn} Drawn
 */

/** What an entry does, in words. @param {Entry} entry */
export function effectOf(entry) {
  return (entry.effect ?? []).map((line) => line.say).filter(Boolean);
}

/** @param {Entry} entry */
export function linesOf(entry) {
  const lines = [entry.phrase, ...effectOf(entry).filter((line) => line !== entry.phrase)];
  if (entry.reveals) lines.push(t("match.reveals"));
  return lines;
}

/**
 * Mark what can be done in a fresh drawing, and make buttons for the rest.
 * @param {Drawn[]} drawn the parts of the board @param {{menu: Entry[], view: any}} state @param {Mapping} board
 * @param {string | null} focused the target that has the focus now
 * @returns {Drawn[]} the buttons
 */
export function enliven(drawn, state, board, focused = null) {
  const wanted = byElement(state.menu, state.view, board);
  const found = new Set();
  /** @type {Drawn[]} */
  const live = [];
  if (wanted.size) {
    each(drawn, (part) => {
      const target = part.get("data-target");
      const numbers = target === null ? undefined : wanted.get(target);
      if (!numbers) return;
      found.add(target);
      wake(part, numbers, state.menu);
      live.push(part);
    });
  }
  const rest = [...wanted].flatMap(([id, numbers]) => (found.has(id) ? [] : numbers));
  const buttons = rest.map((number) => button(number, state.menu[number]));
  const all = [...live, ...buttons];
  // One stop for Tab; the arrow keys walk over all that can be done.
  const stop = all.find((part) => focused !== null && part.get("data-target") === focused) ?? all[0];
  for (const part of all) part.set("tabindex", part === stop ? "0" : "-1");
  return buttons;
}

/** Numbers of entries by the id of the drawn element. @param {Entry[]} menu @param {any} view @param {Mapping} board */
function byElement(menu, view, board) {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  menu.forEach((entry, number) => {
    const id = board.place ? board.place(entry.targets[0], view) : entry.targets[0];
    found.set(id, [...(found.get(id) ?? []), number]);
  });
  return found;
}

/** @param {Drawn} part @param {number[]} numbers @param {Entry[]} menu */
function wake(part, numbers, menu) {
  const entries = numbers.map((number) => menu[number]);
  part.mark("can");
  if (entries.some((entry) => entry.reveals)) part.mark("reveals");
  part.set("data-entries", numbers.join());
  part.set("role", "button");
  delete part.attributes["aria-hidden"];
  part.set("aria-label", entries.length === 1 ? linesOf(entries[0]).join(" ") : entries.map((entry) => entry.phrase).join("; "));
}

/** @param {number} number @param {Entry} entry */
function button(number, entry) {
  return h("button", { type: "button", class: `act can${entry.reveals ? " reveals" : ""}`, "data-target": entry.targets[0], "data-entries": number }, entry.phrase);
}

/** The entries an element stands for. @param {Element} element @param {Entry[]} menu @returns {Entry[]} */
export function entriesOf(element, menu) {
  const numbers = element.getAttribute("data-entries");
  return numbers === null ? [] : numbers.split(",").map((number) => menu[Number(number)]).filter(Boolean);
}

/**
 * Clicks and keys on everything that can be done inside `root`, now and after every redraw.
 * @param {Element} root @param {() => Entry[]} menu @param {(entry: Entry) => void} act
 */
export function actsIn(root, menu, act) {
  const go = async (event) => {
    const element = event.target instanceof Element ? event.target.closest(".can[data-entries]") : null;
    if (!element || !root.contains(element)) return;
    event.preventDefault();
    event.stopPropagation();
    const entries = entriesOf(element, menu());
    if (entries.length === 1) return act(entries[0]);
    const choices = entries.map((entry) => ({ label: entry.phrase, note: effectOf(entry).join(" ") }));
    const index = await choose(t("match.which"), choices);
    if (index >= 0) act(entries[index]);
  };
  root.addEventListener("click", go);
  root.addEventListener("keydown", (event) => {
    const { key, target } = /** @type {KeyboardEvent} */ (event);
    if (!(target instanceof Element) || !target.matches(".can[data-entries]")) return;
    if ((key === "Enter" || key === " ") && target.tagName !== "BUTTON") return go(event);
    const next = neighbour([...root.querySelectorAll(".can[data-entries]")], target, key);
    if (!next) return;
    event.preventDefault();
    target.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

/** Where an arrow key leads: to the nearest element in its direction, otherwise to the next one in the order of the page. */
function neighbour(ordered, element, key) {
  const at = ordered.indexOf(element);
  if (key === "Home") return ordered[0];
  if (key === "End") return ordered[ordered.length - 1];
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [0, 0];
  if (!dx && !dy) return null;
  const from = middle(element);
  let best = null;
  let least = Infinity;
  for (const other of ordered) {
    const to = middle(other);
    const along = (to.x - from.x) * dx + (to.y - from.y) * dy;
    const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
    if (other === element || along <= 1) continue;
    const distance = along + 2 * aside;
    if (distance < least) [best, least] = [other, distance];
  }
  return best ?? ordered[(at + (dx + dy) + ordered.length) % ordered.length];
}

function middle(element) {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}
