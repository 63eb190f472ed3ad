// @ts-check
/**
 * What boards are drawn with: light descriptions of elements. Painting compares a description with the one that was painted
 * before and touches only what differs, so a move costs what it changes, and focus, notes and what was unfolded stay.
 */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Drawn | string | number | null | undefined | false} Part */

export class Drawn {
  /** @param {string} tag @param {boolean} svg @param {Record<string, any>} attributes @param {(Part | Part[] | Part[][])[]} parts */
  constructor(tag, svg, attributes, parts) {
    this.tag = tag;
    this.svg = svg;
    /** @type {Record<string, string>} */
    this.attributes = {};
    for (const name in attributes) this.set(name, attributes[name]);
    /** @type {(Drawn | string)[]} */
    this.children = [];
    gather(parts, this.children);
    /** @type {any} */
    this.node = null;
  }

  /** @param {string} name @param {any} value nothing or false leaves it out */
  set(name, value) {
    if (value !== null && value !== undefined && value !== false) this.attributes[name] = value === true ? "" : String(value);
    return this;
  }

  /** @param {string} name */
  get(name) {
    return this.attributes[name] ?? null;
  }

  /** @param {string} name */
  mark(name) {
    this.attributes.class = this.attributes.class ? `${this.attributes.class} ${name}` : name;
  }
}

/** @param {any[]} parts @param {(Drawn | string)[]} into */
function gather(parts, into) {
  for (const part of parts) {
    if (Array.isArray(part)) gather(part, into);
    else if (part instanceof Drawn) into.push(part);
    else if (part !== null && part !== undefined && part !== false) into.push(String(part));
  }
}

/** An HTML element. @param {string} tag @param {Record<string, any>} [attributes] @param {...(Part | Part[] | Part[][])} parts */
export function h(tag, attributes = {}, ...parts) {
  return new Drawn(tag, false, attributes, parts);
}

/** An SVG element. @param {string} tag @param {Record<string, any>} [attributes] @param {...(Part | Part[] | Part[][])} parts */
export function s(tag, attributes = {}, ...parts) {
  return new Drawn(tag, true, attributes, parts);
}

/**
 * A drawing of its own size in a flow of text; hidden from readers unless it has a label.
 * @param {number} width @param {number} height @param {Record<string, any>} attributes @param {...(Part | Part[])} parts
 */
export function picture(width, height, attributes, ...parts) {
  const hidden = attributes["aria-label"] || attributes["data-target"] ? {} : { "aria-hidden": "true" };
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, ...hidden, ...attributes }, ...parts);
}

/** @param {number} x @param {number} y @param {string | number} words @param {Record<string, any>} [attributes] */
export function text(x, y, words, attributes = {}) {
  return s("text", { x, y, ...attributes }, words);
}

/** Every description in these trees. @param {(Drawn | string)[]} drawn @param {(part: Drawn) => void} visit */
export function each(drawn, visit) {
  for (const part of drawn) {
    if (typeof part === "string") continue;
    visit(part);
    each(part.children, visit);
  }
}

/** A real node. @param {Drawn | string} part @returns {any} */
export function render(part) {
  if (typeof part === "string") return document.createTextNode(part);
  const node = part.svg ? document.createElementNS(SVG, part.tag) : document.createElement(part.tag);
  for (const name in part.attributes) dress(node, name, part.attributes[name]);
  for (const child of part.children) node.append(render(child));
  part.node = node;
  return node;
}

/** @param {any} node @param {string} name @param {string} value */
function dress(node, name, value) {
  // The policy refuses style attributes set as text; the object model may set them.
  if (name === "style") node.style.cssText = value;
  else node.setAttribute(name, value);
}

/** @type {WeakMap<Element, (Drawn | string)[]>} */
const painted = new WeakMap();

/** Make the children of `root` look like this; only `paint` may change what is below. @param {Element} root @param {(Part | Part[])[]} parts */
export function paint(root, parts) {
  /** @type {(Drawn | string)[]} */
  const fresh = [];
  gather(parts, fresh);
  const before = painted.get(root);
  if (!before) root.replaceChildren();
  paintChildren(root, before ?? [], fresh);
  painted.set(root, fresh);
}

/** @param {Element} node @param {(Drawn | string)[]} old @param {(Drawn | string)[]} fresh */
function paintChildren(node, old, fresh) {
  const shared = Math.min(old.length, fresh.length);
  for (let place = 0; place < shared; place++) paintOne(node, place, old[place], fresh[place]);
  for (let place = shared; place < fresh.length; place++) node.append(render(fresh[place]));
  for (let place = shared; place < old.length; place++) node.lastChild?.remove();
}

/** @param {Element} parent @param {number} place @param {Drawn | string} old @param {Drawn | string} fresh */
function paintOne(parent, place, old, fresh) {
  if (old === fresh) return;
  if (typeof old === "string" || typeof fresh === "string") {
    if (typeof old === typeof fresh) parent.childNodes[place].nodeValue = /** @type {string} */ (fresh);
    else parent.childNodes[place].replaceWith(render(fresh));
  } else if (old.tag !== fresh.tag || old.svg !== fresh.svg) old.node.replaceWith(render(fresh));
  else {
    fresh.node = old.node;
    paintAttributes(old.node, old.attributes, fresh.attributes);
    paintChildren(old.node, old.children, fresh.children);
  }
}

/** @param {Element} node @param {Record<string, string>} old @param {Record<string, string>} fresh */
function paintAttributes(node, old, fresh) {
  for (const name in fresh) {
    // Arrow keys move the stop of Tab without a new drawing.
    if (old[name] !== fresh[name] || name === "tabindex") dress(node, name, fresh[name]);
  }
  for (const name in old) if (!(name in fresh)) node.removeAttribute(name);
}
