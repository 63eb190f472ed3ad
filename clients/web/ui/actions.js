// @ts-check
/**
 * What can be done now becomes clickable: menu entries meet the drawn elements that carry their target.
 * Entries without a drawn element become buttons, so that every legal action can always be reached.
 */
import { h } from "../dom.js";
import { t } from "../words.js";
import { choose } from "./dialog.js";

/**
 * @typedef {{text: string, target: string, label: string, effect: any[] | null, reveals: boolean}} Entry
 * @typedef {{place?: (target: string, view: any) => string}} Mapping
 */

/** What an entry does, in words. @param {Entry} entry */
export function effectOf(entry) {
  return (entry.effect ?? []).map((line) => line.say).filter(Boolean);
}

/** @param {Entry} entry */
export function linesOf(entry) {
  const lines = [entry.label, ...effectOf(entry).filter((line) => line !== entry.label)];
  if (entry.reveals) lines.push(t("match.reveals"));
  return lines;
}

/** Entries by the id of the drawn element. @param {Entry[]} menu @param {any} view @param {Mapping} board */
function byElement(menu, view, board) {
  /** @type {Map<string, Entry[]>} */
  const found = new Map();
  for (const entry of menu) {
    const id = board.place ? board.place(entry.target, view) : entry.target;
    found.set(id, [...(found.get(id) ?? []), entry]);
  }
  return found;
}

/**
 * @param {Element} root the drawn board @param {Element} buttons where entries without an element go
 * @param {{menu: Entry[], view: any}} state @param {Mapping} board @param {(entry: Entry) => void} act
 * @returns {Map<Element, Entry[]>} what each element does, for notes
 */
export function enliven(root, buttons, state, board, act) {
  /** @type {Map<Element, Entry[]>} */
  const live = new Map();
  const rest = [];
  for (const [id, entries] of byElement(state.menu, state.view, board)) {
    const elements = root.querySelectorAll(`[data-target="${CSS.escape(id)}"]`);
    if (!elements.length) rest.push(...entries);
    for (const element of elements) {
      wake(element, entries, act);
      live.set(element, entries);
    }
  }
  const made = rest.map((entry) => button(entry, act));
  made.forEach((element, index) => live.set(element, [rest[index]]));
  buttons.replaceChildren(...made);
  rove([...live.keys()]);
  return live;
}

/** @param {Element} element @param {Entry[]} entries @param {(entry: Entry) => void} act */
function wake(element, entries, act) {
  element.classList.add("can");
  if (entries.some((entry) => entry.reveals)) element.classList.add("reveals");
  element.setAttribute("role", "button");
  element.removeAttribute("aria-hidden");
  element.setAttribute("aria-label", entries.length === 1 ? linesOf(entries[0]).join(" ") : entries.map((e) => e.label).join("; "));
  const go = async (event) => {
    event.stopPropagation();
    event.preventDefault();
    if (entries.length === 1) return act(entries[0]);
    const choices = entries.map((entry) => ({ label: entry.label, note: effectOf(entry).join(" ") }));
    const index = await choose(t("match.which"), choices);
    if (index >= 0) act(entries[index]);
  };
  element.addEventListener("click", go);
  element.addEventListener("keydown", (event) => {
    const key = /** @type {KeyboardEvent} */ (event).key;
    if (key === "Enter" || key === " ") go(event);
  });
}

/** @param {Entry} entry @param {(entry: Entry) => void} act */
function button(entry, act) {
  return h(
    "button",
    { type: "button", class: `act can${entry.reveals ? " reveals" : ""}`, "data-target": entry.target, click: () => act(entry) },
    entry.label,
  );
}

/** One stop for Tab; the arrow keys walk over all that can be done. @param {Element[]} elements */
function rove(elements) {
  const ordered = elements.sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  ordered.forEach((element, index) => {
    element.setAttribute("tabindex", index ? "-1" : "0");
    element.addEventListener("keydown", (event) => {
      const key = /** @type {KeyboardEvent} */ (event).key;
      const next = neighbour(ordered, element, key);
      if (!next) return;
      event.preventDefault();
      element.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      /** @type {HTMLElement} */ (next).focus();
    });
  });
}

/** Where an arrow key leads: left and right in order, up and down to the nearest in that direction. */
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
