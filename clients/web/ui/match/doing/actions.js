// @ts-check
/**
 * Make clickable what can be done now. Each entry of the menu names every element whose click may mean it; the first that is
 * drawn is where it is shown (`can`), the others only take clicks (`may`). A click that can mean one thing does it; where it can
 * mean several, a list at the pointer names them. A finger is broad: a tap means everything within its reach.
 */
import { each } from "../../../draw.js";
import { t } from "../../../words.js";
import { chooseAt } from "../../page/popover.js";

/**
 * @typedef {{id: string, amount: number, seat: number | null, element: string, text: string}} Figure
 * @typedef {{text: string, phrase: string, kind: string, targets: string[], figures: Figure[], effect: any[] | null, reveals: boolean}} Entry
 * @typedef {{place?: (target: string, view: any) => string}} Mapping
 * @typedef {import("../../../draw.js").Drawn} Drawn
 */

const REACH = { fine: 12, coarse: 22 }; // pixels around a click or tap that still mean an element
const LARGE = 40; // a target of this size is met on purpose

/** What an entry brings, in words. @param {Entry} entry */
export function notesOf(entry) {
  const figures = entry.figures.map((figure) => figure.text).filter(Boolean);
  const effect = (entry.effect ?? []).map((line) => line.say).filter(Boolean);
  return [...new Set([...figures, ...(figures.length ? [] : effect)])].filter((line) => line !== entry.phrase);
}

/** @param {Entry} entry */
export function linesOf(entry) {
  return [entry.phrase, ...notesOf(entry), ...(entry.reveals ? [t("match.reveals")] : [])];
}

/** What stands on elements before they are chosen; of several like amounts the largest. @param {Entry[]} menu @returns {Record<string, Figure[]>} */
export function figuresOf(menu) {
  /** @type {Record<string, Figure[]>} */
  const found = {};
  for (const figure of menu.flatMap((entry) => entry.figures)) {
    const list = (found[figure.element] ??= []);
    const like = list.findIndex((other) => other.id === figure.id && other.seat === figure.seat);
    if (like < 0) list.push(figure);
    else if (list[like].amount < figure.amount) list[like] = figure;
  }
  return found;
}

/**
 * Mark what can be done in a fresh drawing.
 * @param {Drawn[]} drawn @param {Entry[]} menu @param {number[]} shown numbers of the entries that are offered now
 * @param {Mapping} board @param {any} view @param {string | null} focused the target that has the focus now
 * @returns {Set<number>} the entries that have an element, offered now or not
 */
export function enliven(drawn, menu, shown, board, view, focused = null) {
  const parts = targetsIn(drawn, menu.length > 0);
  const offered = new Set(shown);
  const reached = new Set();
  /** @type {Map<Drawn, {numbers: number[], first: boolean}>} */
  const live = new Map();
  menu.forEach((entry, number) => {
    let first = true;
    for (const target of entry.targets) {
      for (const part of parts.get(board.place ? board.place(target, view) : target) ?? []) {
        reached.add(number);
        if (!offered.has(number)) continue;
        const here = live.get(part) ?? { numbers: [], first: false };
        if (!here.numbers.includes(number)) here.numbers.push(number);
        here.first ||= first;
        live.set(part, here);
      }
      if (reached.has(number)) first = false;
    }
  });
  for (const [part, { numbers, first }] of live) wake(part, numbers, menu, first);
  // One stop for Tab; the arrow keys walk over all that can be done.
  const all = [...live.keys()];
  const stop = all.find((part) => focused !== null && part.get("data-target") === focused) ?? all.find((part) => live.get(part)?.first) ?? all[0];
  for (const part of all) part.set("tabindex", part === stop ? "0" : "-1");
  return reached;
}

/** Drawn elements by their target. @param {Drawn[]} drawn @param {boolean} wanted @returns {Map<string, Drawn[]>} */
function targetsIn(drawn, wanted) {
  const found = new Map();
  if (wanted) {
    each(drawn, (part) => {
      const target = part.get("data-target");
      if (target !== null) found.set(target, [...(found.get(target) ?? []), part]);
    });
  }
  return found;
}

/** @param {Drawn} part @param {number[]} numbers @param {Entry[]} menu @param {boolean} first */
function wake(part, numbers, menu, first) {
  const entries = numbers.map((number) => menu[number]);
  part.mark(first ? "can" : "may");
  if (entries.some((entry) => entry.reveals)) part.mark("reveals");
  part.set("data-entries", numbers.join());
  part.set("role", "button");
  if (entries.length > 1) part.set("aria-haspopup", "menu");
  delete part.attributes["aria-hidden"];
  part.set("aria-label", entries.length === 1 ? linesOf(entries[0]).join(" ") : entries.map((entry) => entry.phrase).join("; "));
}

/** The entries an element stands for. @param {Element} element @param {Entry[]} menu @returns {Entry[]} */
export function entriesOf(element, menu) {
  const numbers = element.getAttribute("data-entries");
  return numbers === null ? [] : numbers.split(",").map((number) => menu[Number(number)]).filter(Boolean);
}

/**
 * Clicks and keys on everything that can be done inside `root`, now and after every redraw.
 * @param {Element} root @param {() => Entry[]} menu @param {(entry: Entry) => void} act
 * @param {(element: Element) => void} walked is called when the arrow keys lead to an element
 */
export function actsIn(root, menu, act, walked) {
  root.addEventListener("click", (event) => {
    const elements = meant(root, /** @type {MouseEvent} */ (event));
    if (!elements.length) return;
    event.preventDefault();
    event.stopPropagation();
    const { clientX, clientY } = /** @type {MouseEvent} */ (event);
    offer(elements, menu(), clientX || clientY ? { x: clientX, y: clientY } : elements[0], act);
  });
  root.addEventListener("keydown", (event) => {
    const { key, target } = /** @type {KeyboardEvent} */ (event);
    if (!(target instanceof Element) || !target.matches("[data-entries]")) return;
    if ((key === "Enter" || key === " ") && target.tagName !== "BUTTON") {
      event.preventDefault();
      return offer([target], menu(), target, act);
    }
    const next = neighbour([...root.querySelectorAll("[data-entries]")].filter(isShown), target, key);
    if (!next) return;
    event.preventDefault();
    target.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus({ preventScroll: true });
    walked(next);
  });
}

/** @param {Element} element */
function isShown(element) {
  return element.getClientRects().length > 0;
}

/** Do it, or ask which. @param {Element[]} elements @param {Entry[]} menu @param {import("../../page/popover.js").Spot} spot @param {(entry: Entry) => void} act */
async function offer(elements, menu, spot, act) {
  const entries = [...new Set(elements.flatMap((element) => entriesOf(element, menu)))];
  const entry = entries.length > 1 ? await pick(spot, entries) : entries[0];
  if (entry) act(entry);
}

/** Ask which of several: what they have in common is said once. @param {import("../../page/popover.js").Spot} spot @param {Entry[]} entries @returns {Promise<Entry | undefined>} */
export async function pick(spot, entries) {
  const notes = entries.map((entry) => [...notesOf(entry), ...(entry.reveals ? [`◉ ${t("match.revealsShort")}`] : [])]);
  const common = notes[0].filter((note) => notes.every((list) => list.includes(note)));
  const items = entries.map((entry, index) => ({ label: entry.phrase, note: notes[index].filter((note) => !common.includes(note)).join(" · ") }));
  return entries[await chooseAt(spot, t("match.which"), items, common.join(" · "))];
}

/** The elements that a click means: what was hit, or what lies within reach. @param {Element} root @param {MouseEvent} event @returns {Element[]} */
function meant(root, event) {
  const target = event.target instanceof Element ? event.target : root;
  const hit = target.closest("[data-entries]");
  const coarse = /** @type {any} */ (event).pointerType === "touch";
  if (hit && root.contains(hit) && (!coarse || isLarge(hit))) return [hit];
  if (target.closest("button, a, input, summary") || !target.closest(".frame, .desk")) return hit && root.contains(hit) ? [hit] : [];
  const reach = coarse ? REACH.coarse : REACH.fine;
  const near = [...root.querySelectorAll(".frame [data-entries], .desk [data-entries]")]
    .map((element) => ({ element, away: distance(element.getBoundingClientRect(), event.clientX, event.clientY) }))
    .filter((each) => each.away <= reach)
    .sort((a, b) => a.away - b.away);
  if (!coarse) return near.length ? [near[0].element] : [];
  return hit ? [hit, ...near.map((each) => each.element).filter((element) => element !== hit && !isLarge(element))] : near.map((each) => each.element);
}

/** @param {Element} element */
function isLarge(element) {
  const box = element.getBoundingClientRect();
  return box.width >= LARGE && box.height >= LARGE;
}

/** @param {DOMRect} box @param {number} x @param {number} y */
function distance(box, x, y) {
  return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
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
