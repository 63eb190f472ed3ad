// @ts-check
/** Small helpers that build HTML elements; text always becomes text nodes, never markup. */
import { Drawn, render } from "./draw.js";

/**
 * @typedef {Node | Drawn | string | number | null | undefined | false} Child
 * @typedef {Record<string, any>} Attributes
 */

/** What was given to `h` as listeners, by element. @type {WeakMap<Element, Record<string, EventListener>>} */
const heeded = new WeakMap();

/** Let `old` listen as `fresh` does, and no more as it did. @param {Element} old @param {Element} fresh */
export function takeListeners(old, fresh) {
  for (const [name, listener] of Object.entries(heeded.get(old) ?? {})) old.removeEventListener(name, listener);
  const now = heeded.get(fresh) ?? {};
  for (const [name, listener] of Object.entries(now)) old.addEventListener(name, listener);
  heeded.set(old, now);
}

/** @param {Element} element @param {string} name @param {EventListener} listener */
function listen(element, name, listener) {
  element.addEventListener(name, listener);
  heeded.set(element, { ...heeded.get(element), [name]: listener });
}

/** @param {Element} element @param {Attributes} attributes */
function dress(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") listen(element, name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Element} element @param {(Child | Child[])[]} children */
function fill(element, children) {
  for (const child of children.flat(2)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Drawn ? render(child) : typeof child === "object" ? child : String(child));
  }
}

/**
 * An HTML element; an attribute whose value is a function is a listener.
 * @param {string} tag @param {Attributes} [attributes] @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  dress(element, attributes);
  fill(element, children);
  return element;
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}
