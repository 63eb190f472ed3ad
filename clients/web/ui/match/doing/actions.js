// @ts-check
/**
 * Make clickable what can be done now. Each entry of the menu names every element whose click may mean it; the first that is
 * drawn is where it is shown (`can`), the others only take clicks (`may`). A click that can mean one thing does it; where it can
 * mean several, a list at the pointer names them; where a finger could mean many, the board is shown from closer by.
 */
import { each } from "../../../draw.js";
import { t } from "../../../words.js";
import { chooseAt } from "../../page/popover.js";
import { sentence } from "./naming.js";
import { newsIn } from "./news.js";
import { meant, sizeOf } from "./pointing.js";

/**
 * @typedef {{id: string, amount: number, seat: number | null, element: string, text: string}} Figure
 * @typedef {{text: string, phrase: string, kind: string, targets: string[], figures: Figure[], effect: any[] | null, reveals: boolean, waited?: boolean}} Entry
 * @typedef {{place?: (target: string, view: any) => string, alike?: (target: string) => string}} Mapping
 * @typedef {import("../../../draw.js").Drawn} Drawn
 */

const MANY = 4; // choices under one finger: more are not listed but looked at from closer by

/** What an entry brings beyond its phrase, in words. @param {Entry} entry */
export function notesOf(entry) {
  const figures = entry.figures.map((figure) => figure.text).filter(Boolean);
  const effect = (entry.effect ?? []).map((line) => line.say).filter(Boolean);
  return newsIn(figures.length ? figures : effect, entry.phrase);
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
  const shells = new Set([...live.keys()].filter((part) => isShell(part, live)));
  for (const [part, { numbers, first }] of live) {
    if (shells.has(part)) take(part, numbers, "may");
    else wake(part, numbers, menu, first);
  }
  // One stop for Tab; the arrow keys walk over all that can be done.
  const all = [...live.keys()].filter((part) => !shells.has(part));
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

/**
 * Whether parts of this part stand for all that it stands for, as the halves of a card do: then it only takes clicks that miss
 * them, and for keys and screen readers there are only its parts.
 * @param {Drawn} part @param {Map<Drawn, {numbers: number[], first: boolean}>} live
 */
function isShell(part, live) {
  const here = live.get(part);
  if (!here || here.first || !part.children.length) return false;
  const within = new Set();
  each(part.children, (child) => live.get(child)?.numbers.forEach((number) => within.add(number)));
  return here.numbers.every((number) => within.has(number));
}

/** @param {Drawn} part @param {number[]} numbers @param {string} mark */
function take(part, numbers, mark) {
  part.mark(mark);
  part.set("data-entries", numbers.join());
}

/** @param {Drawn} part @param {number[]} numbers @param {Entry[]} menu @param {boolean} first */
function wake(part, numbers, menu, first) {
  const entries = numbers.map((number) => menu[number]);
  take(part, numbers, first ? "can" : "may");
  if (entries.some((entry) => entry.reveals)) part.mark("reveals");
  part.set("role", "button");
  if (entries.length > 1) part.set("aria-haspopup", "menu");
  delete part.attributes["aria-hidden"];
  part.set("aria-label", entries.length === 1 ? linesOf(entries[0]).map(sentence).join(" ") : entries.map((entry) => entry.phrase).join("; "));
}

/** The entries an element stands for. @param {Element} element @param {Entry[]} menu @returns {Entry[]} */
export function entriesOf(element, menu) {
  const numbers = element.getAttribute("data-entries");
  return numbers === null ? [] : numbers.split(",").map((number) => menu[Number(number)]).filter(Boolean);
}

/**
 * Clicks and keys on everything that can be done inside `root`, now and after every redraw.
 * @param {Element} root
 * @param {{menu: () => Entry[], act: (entry: Entry) => void, alike: (target: string) => string, walked: (element: Element) => void, closer: (at: {x: number, y: number}, size: number) => boolean, missed: () => void}} does
 *   `alike` names things of which it makes no difference which one is chosen; `walked` is called when the arrow keys lead to an element;
 *   `closer` shows the board from closer by, if it can, so that what has this size can be met; `missed` is called for a tap on nothing
 */
export function actsIn(root, does) {
  let touched = false;
  root.addEventListener("pointerdown", (event) => (touched = /** @type {PointerEvent} */ (event).pointerType === "touch"), true);
  root.addEventListener("click", (event) => {
    const { clientX: x, clientY: y } = /** @type {MouseEvent} */ (event);
    const coarse = touched && Boolean(x || y);
    const elements = meant(root, /** @type {MouseEvent} */ (event), coarse);
    if (!elements.length) return event.target instanceof Element && event.target.closest(".frame") ? does.missed() : undefined;
    event.preventDefault();
    event.stopPropagation();
    const entries = entriesUnder(elements, does.menu(), does.alike);
    if (coarse && elements.length > 1 && entries.length > MANY && does.closer({ x, y }, Math.min(...elements.map(sizeOf)))) return;
    offer(entries, x || y ? { x, y } : elements[0], does.act);
  });
  root.addEventListener("keydown", (event) => {
    const { key, target } = /** @type {KeyboardEvent} */ (event);
    if (!(target instanceof Element) || !target.matches("[data-entries]")) return;
    if ((key === "Enter" || key === " ") && target.tagName !== "BUTTON") {
      event.preventDefault();
      return offer(entriesOf(target, does.menu()), target, does.act);
    }
    const next = neighbour([...root.querySelectorAll("[data-entries][role]")].filter(isShown), target, key);
    if (!next) return;
    event.preventDefault();
    target.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus({ preventScroll: true });
    does.walked(next);
  });
}

/** What several elements stand for; of things that are alike only the nearest. @param {Element[]} elements the nearest first @param {Entry[]} menu @param {(target: string) => string} alike */
export function entriesUnder(elements, menu, alike) {
  /** @type {Set<Entry>} */
  const found = new Set();
  const kinds = new Set();
  for (const element of elements) {
    const fresh = entriesOf(element, menu).filter((entry) => !kinds.has(likeness(entry, alike)));
    fresh.forEach((entry) => found.add(entry));
    fresh.forEach((entry) => kinds.add(likeness(entry, alike)));
  }
  return [...found];
}

/** Equal for choices that bring the same and differ only in which of several like things they take. @param {Entry} entry @param {(target: string) => string} alike */
function likeness(entry, alike) {
  const group = alike(entry.targets[0] ?? "");
  if (group === entry.targets[0]) return entry.text;
  return JSON.stringify([group, entry.kind, entry.phrase.replace(/\d+/g, ""), entry.figures.map(({ id, amount, seat }) => [id, amount, seat])]);
}

/** @param {Element} element */
function isShown(element) {
  return element.getClientRects().length > 0;
}

/** Do it, or ask which. @param {Entry[]} entries @param {import("../../page/popover.js").Spot} spot @param {(entry: Entry) => void} act */
async function offer(entries, spot, act) {
  const entry = entries.length > 1 ? await pick(spot, entries) : entries[0];
  if (entry) act(entry);
}

/** Ask which of several: what they have in common is said once. @param {import("../../page/popover.js").Spot} spot @param {Entry[]} entries @returns {Promise<Entry | undefined>} */
export async function pick(spot, entries) {
  const notes = entries.map((entry) => [...notesOf(entry), ...(entry.reveals ? [`◉ ${t("match.revealsShort")}`] : [])]);
  const common = notes[0].filter((note) => notes.every((list) => list.includes(note)));
  const items = entries.map((entry, index) => ({ label: entry.phrase, note: notes[index].filter((note) => !common.includes(note)).join(" · "), waited: entry.waited }));
  return entries[await chooseAt(spot, t("match.which"), items, common.join(" · "))];
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
