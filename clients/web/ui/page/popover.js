// @ts-check
/**
 * A small list or sheet at the pointer or beside a button: it never moves the page, Escape or a click elsewhere closes it, the
 * arrow keys walk through it, and the focus goes back to where it was.
 */
import { h, paint, render } from "../../draw.js";
import { hideTip } from "./tip.js";

const GAP = 6;

/** @typedef {{x: number, y: number} | Element} Spot a point of the window, or the element beside which it opens */
/** @typedef {import("../../draw.js").Part} Part */

/** The one that is open. @type {((answer: any) => void) | null} */
let shut = null;

/** Close whatever is open. */
export function closePopover() {
  shut?.(undefined);
}

/** Whether one is open. */
export function popoverIsOpen() {
  return shut !== null;
}

/**
 * Choose one of several things.
 * @param {Spot} spot @param {string} title @param {{label: string, note?: string, waited?: boolean}[]} items @param {string} [about] what is true of all
 * @returns {Promise<number>} -1 for none
 */
export async function chooseAt(spot, title, items, about = "") {
  const answer = await openAt(spot, { label: title, kind: "choices", role: "menu" }, (close) => [
    h("p", { class: "popover-title" }, title, about ? h("small", {}, about) : null),
    items.map((item, index) =>
      h("button", { type: "button", role: "menuitem", "data-choice": index, class: item.waited ? "waited" : null, click: () => close(index) }, h("span", {}, item.label, item.note ? h("small", {}, item.note) : null)),
    ),
  ]);
  return answer ?? -1;
}

/**
 * Show something beside a spot; resolves with what `close` was given, undefined if it was only closed.
 * @param {Spot} spot @param {{label: string, kind?: string, role?: string}} about
 * @param {(close: (answer?: any) => void, redraw: () => void) => (Part | Part[])[]} describe
 * @returns {Promise<any>}
 */
export function openAt(spot, about, describe) {
  closePopover();
  hideTip();
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  /** @type {HTMLElement} */
  const box = render(h("div", { class: `popover ${about.kind ?? ""}`, role: about.role ?? "dialog", "aria-label": about.label, tabindex: -1 }));
  return new Promise((resolve) => {
    /** @param {any} [answer] */
    function close(answer) {
      if (shut !== close) return;
      shut = null;
      document.removeEventListener("pointerdown", outside, true);
      const inside = box.contains(document.activeElement);
      box.remove();
      if (inside && before?.isConnected) before.focus({ preventScroll: true });
      resolve(answer);
    }
    /** @param {Event} event */
    function outside(event) {
      if (event.target instanceof Node && !box.contains(event.target)) close();
    }
    function redraw() {
      paint(box, describe(close, redraw));
    }
    shut = close;
    redraw();
    box.addEventListener("keydown", (event) => walk(box, event, close));
    document.addEventListener("pointerdown", outside, true);
    document.body.append(box);
    settle(box, spot);
    /** @type {HTMLElement} */ (box.querySelector("button, input, a") ?? box).focus({ preventScroll: true });
  });
}

/** @param {HTMLElement} box @param {KeyboardEvent} event @param {(answer?: any) => void} close */
function walk(box, event, close) {
  event.stopPropagation(); // the shortcuts of the page are not meant
  if (event.key === "Escape" || event.key === "Tab") {
    event.preventDefault();
    if (event.key === "Escape") return close();
  }
  const stops = /** @type {HTMLElement[]} */ ([...box.querySelectorAll("button:not(:disabled), a, input, summary")]);
  const at = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const by = { ArrowDown: 1, ArrowUp: -1, Tab: event.shiftKey ? -1 : 1 }[event.key];
  const to = event.key === "Home" ? 0 : event.key === "End" ? stops.length - 1 : by ? (at + by + stops.length) % stops.length : -1;
  if (to < 0 || !stops.length) return;
  event.preventDefault();
  stops[to].focus({ preventScroll: true });
}

/** Beside its spot, inside the window, and clear of the line that says what to do if there is room. @param {HTMLElement} box @param {Spot} spot */
function settle(box, spot) {
  const own = box.getBoundingClientRect();
  const there = spot instanceof Element ? spot.getBoundingClientRect() : new DOMRect(spot.x, spot.y, 0, 0);
  const line = document.querySelector("[data-keep-clear]")?.getBoundingClientRect();
  const [above, below] = line && there.top > line.bottom ? [line.bottom + GAP, innerHeight - GAP] : line && there.bottom < line.top ? [GAP, line.top - GAP] : [GAP, innerHeight - GAP];
  const fits = own.height <= below - above;
  const [first, last] = fits ? [above, below] : [GAP, innerHeight - GAP];
  const left = spot instanceof Element ? there.left : there.left + GAP;
  const under = there.bottom + GAP;
  const top = under + own.height <= last ? under : Math.max(first, Math.min(there.top - own.height - GAP, last - own.height));
  box.style.left = `${Math.max(GAP, Math.min(left, innerWidth - own.width - GAP))}px`;
  box.style.top = `${top}px`;
}
