// @ts-check
/** Small helpers that build HTML and SVG elements; text always becomes text nodes, never markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, any>} Attributes
 */

/** @param {Element} element @param {Attributes} attributes */
function dress(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Element} element @param {(Child | Child[])[]} children */
function fill(element, children) {
  for (const child of children.flat(2)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "object" ? child : String(child));
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

/**
 * An SVG element.
 * @param {string} tag @param {Attributes} [attributes] @param {...(Child | Child[])} children
 * @returns {any}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  dress(element, attributes);
  fill(element, children);
  return element;
}

/**
 * A drawing of its own size in a flow of text; hidden from readers unless it has a label.
 * @param {number} width @param {number} height @param {Attributes} attributes @param {...(Child | Child[])} children
 */
export function picture(width, height, attributes, ...children) {
  const hidden = attributes["aria-label"] || attributes["data-target"] ? {} : { "aria-hidden": "true" };
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, ...hidden, ...attributes }, ...children);
}

/** @param {number} x @param {number} y @param {string | number} words @param {Attributes} [attributes] */
export function text(x, y, words, attributes = {}) {
  return s("text", { x, y, ...attributes }, words);
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}
