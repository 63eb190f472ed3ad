// @ts-check
/**
 * The one renderer of this client. A screen describes what it shows with `h` and `s`; `paint` compares the description with the
 * one that it painted there before and changes only what differs. So a move costs what it changes, and these stay as the
 * person left them while events arrive: the focus, a selection, words being typed, a choice being made, what was unfolded, and
 * how far a list was scrolled.
 *
 * The rules:
 * - An attribute whose value is a function is a listener. An element always has the listeners of its newest description.
 * - Children are compared by their place. Where rows appear, disappear or change places, give them a `key` that is unique among
 *   its siblings: the element then moves with its row. An element whose key differs is not reused.
 * - `value`, `checked` and `selected` say what a field shows at first. What a person enters afterwards stays; `settle` takes it back.
 * - Below a painted element only `paint` adds, removes or replaces elements. Other code may set properties of an element
 *   (`disabled`, `scrollTop`) and read fields: `node` of a description is the element that shows it.
 * - Texts become text nodes, never markup.
 * - What is drawn from the same facts again and again, such as the face of a card, is described once (`still`). Such a description may stand in
 *   many places; it is shown whole or not at all, so nothing in it may be a target, have a note, a key or a listener.
 * - A target with a note that shows only still things, such as a city, is described once for its facts, too (`again`): each drawing has a copy of its outermost
 *   element to mark, and all of them share what is within.
 */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Drawn | string | number | null | undefined | false} Part */

export class Drawn {
  /** @param {string} tag @param {boolean} svg @param {Record<string, any>} attributes @param {(Part | Part[] | Part[][])[]} parts */
  constructor(tag, svg, attributes, parts) {
    this.tag = tag;
    this.svg = svg;
    /** @type {string | number | undefined} */
    this.key = undefined;
    /** @type {Record<string, string>} */
    this.attributes = {};
    /** @type {Record<string, (event: any) => unknown> | null} */
    this.listeners = null;
    for (const name in attributes) this.set(name, attributes[name]);
    /** @type {(Drawn | string)[]} */
    this.children = [];
    gather(parts, this.children);
    /** The element that shows it, once it is painted. @type {any} */
    this.node = null;
    /** Whether it never changes and holds nothing that can be chosen or read. */
    this.isStill = false;
  }

  /** @param {string} name @param {any} value nothing or false leaves it out */
  set(name, value) {
    if (value === null || value === undefined || value === false) return this;
    if (typeof value === "function") this.listeners = { ...this.listeners, [name]: value };
    else if (name === "key") this.key = value;
    else this.attributes[name] = value === true ? "" : String(value);
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

/** Descriptions that were made once, by their facts. @type {Map<string, Drawn>} */
const made = new Map();
const MOST_MADE = 4000;

/** @param {string} facts @param {() => Drawn} make @returns {Drawn} */
function once(facts, make) {
  let found = made.get(facts);
  if (!found) {
    if (made.size >= MOST_MADE) made.clear();
    made.set(facts, (found = make()));
  }
  return found;
}

/** @param {Drawn} part */
function calm(part) {
  part.isStill = true;
  return part.set("aria-hidden", "true");
}

/** The description that these facts stand for, made once. @param {string} facts all that it is made of, and of which kind it is @param {() => Drawn} make */
export function still(facts, make) {
  return once(facts, () => calm(make()));
}

/** A copy of the description that these facts stand for; its note says all that it shows. @param {string} facts all that it is made of, and of which kind it is @param {() => Drawn} make */
export function again(facts, make) {
  const model = once(facts, () => {
    const first = make();
    for (const child of first.children) if (typeof child !== "string") calm(child);
    return first;
  });
  const copy = new Drawn(model.tag, model.svg, {}, []);
  copy.key = model.key;
  copy.attributes = { ...model.attributes };
  copy.children = model.children;
  return copy;
}

/** Numbers for long facts that many parts are made of. @type {Map<string, number>} */
const stamps = new Map();

/** A short word for facts that many parts have in common. @param {any} facts */
export function stamp(facts) {
  const words = JSON.stringify(facts);
  let number = stamps.get(words);
  if (number === undefined) stamps.set(words, (number = stamps.size));
  return String(number);
}

/**
 * A drawing of a fixed size in a flow of text; hidden from screen readers unless it has a label.
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

/** Every description in these trees, except those that never change. @param {(Drawn | string)[]} drawn @param {(part: Drawn) => void} visit */
export function each(drawn, visit) {
  for (const part of drawn) {
    if (typeof part === "string" || part.isStill) continue;
    visit(part);
    each(part.children, visit);
  }
}

/** A new element, or a text node. @param {Drawn | string} part @returns {any} */
export function render(part) {
  if (typeof part === "string") return document.createTextNode(part);
  const node = part.svg ? document.createElementNS(SVG, part.tag) : document.createElement(part.tag);
  for (const name in part.attributes) dress(node, name, part.attributes[name]);
  if (part.listeners) listen(node, part.listeners);
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

/** What an element does now, by the name of the event. @type {WeakMap<EventTarget, Record<string, (event: any) => unknown>>} */
const heeded = new WeakMap();

/** @param {Event} event */
function heed(event) {
  if (event.currentTarget) heeded.get(event.currentTarget)?.[event.type]?.(event);
}

/** @param {Element} node @param {Record<string, (event: any) => unknown>} listeners */
function listen(node, listeners) {
  heeded.set(node, listeners);
  for (const name in listeners) node.addEventListener(name, heed); // the same function again changes nothing
}

/** What was painted into an element last. @type {WeakMap<Element, (Drawn | string)[]>} */
const painted = new WeakMap();

/** Make the children of `root` look like this. @param {Element} root @param {(Part | Part[])[]} parts */
export function paint(root, parts) {
  /** @type {(Drawn | string)[]} */
  const fresh = [];
  gather(parts, fresh);
  const before = painted.get(root);
  if (!before) root.replaceChildren();
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  paintChildren(root, before ?? [], fresh);
  // A row that changed its place has lost the focus on the way.
  if (focused !== document.activeElement && root.contains(focused)) focused?.focus({ preventScroll: true });
  painted.set(root, fresh);
}

/** @param {Element} node @param {(Drawn | string)[]} old @param {(Drawn | string)[]} fresh */
function paintChildren(node, old, fresh) {
  if (old === fresh) return;
  const before = fresh.some((part) => keyOf(part) !== undefined) ? arrange(node, old, fresh) : old;
  const shared = Math.min(before.length, fresh.length);
  for (let place = 0; place < shared; place++) paintOne(node, place, before[place], fresh[place]);
  for (let place = shared; place < fresh.length; place++) node.append(render(fresh[place]));
  for (let place = shared; place < before.length; place++) node.lastChild?.remove();
}

/** @param {Drawn | string | undefined} part */
function keyOf(part) {
  return part instanceof Drawn ? part.key : undefined;
}

/**
 * Put rows with a key where they are wanted: old ones are removed, new ones are added, and the others keep their elements.
 * @param {Element} node @param {(Drawn | string)[]} old @param {(Drawn | string)[]} fresh
 * @returns {(Drawn | string)[]} what stands there now
 */
function arrange(node, old, fresh) {
  const wanted = new Set(fresh.map(keyOf));
  const now = old.filter((part) => {
    const stays = keyOf(part) === undefined || wanted.has(keyOf(part));
    if (!stays) /** @type {Drawn} */ (part).node.remove();
    return stays;
  });
  fresh.forEach((part, place) => {
    const key = keyOf(part);
    if (key === undefined || key === keyOf(now[place])) return;
    // Other people's data may contain a key twice: the second row is then built anew each time.
    const from = now.findIndex((other, index) => index > place && keyOf(other) === key);
    const row = from < 0 ? part : now.splice(from, 1)[0];
    node.insertBefore(from < 0 ? render(part) : /** @type {Drawn} */ (row).node, node.childNodes[place] ?? null);
    now.splice(place, 0, row);
  });
  return now;
}

/** @param {Element} parent @param {number} place @param {Drawn | string} old @param {Drawn | string} fresh */
function paintOne(parent, place, old, fresh) {
  if (old === fresh) return;
  if (typeof old === "string" || typeof fresh === "string") {
    const there = parent.childNodes[place];
    // A browser that translates the page replaces text nodes with elements.
    if (typeof old === typeof fresh && there.nodeType === Node.TEXT_NODE) there.nodeValue = /** @type {string} */ (fresh);
    else there.replaceWith(render(fresh));
  } else if (old.isStill || fresh.isStill) parent.childNodes[place].replaceWith(render(fresh));
  else if (old.tag !== fresh.tag || old.svg !== fresh.svg || old.key !== fresh.key) old.node.replaceWith(render(fresh));
  else {
    fresh.node = old.node;
    paintAttributes(old.node, old.attributes, fresh.attributes);
    if (old.listeners || fresh.listeners) listen(old.node, fresh.listeners ?? {});
    paintChildren(old.node, old.children, fresh.children);
  }
}

/** @param {Element} node @param {Record<string, string>} old @param {Record<string, string>} fresh */
function paintAttributes(node, old, fresh) {
  for (const name in fresh) {
    // Arrow keys move the stop of Tab without a new drawing.
    if (name === "tabindex" ? node.getAttribute(name) !== fresh[name] : old[name] !== fresh[name]) dress(node, name, fresh[name]);
  }
  for (const name in old) if (!(name in fresh)) node.removeAttribute(name);
}

/** Let the fields of a page show what was painted, not what was tried: a choice may have been refused. Words being typed stay. @param {Element} root */
export function settle(root) {
  for (const field of root.querySelectorAll("input, option")) {
    if (field instanceof HTMLOptionElement) field.selected = field.defaultSelected;
    else if (field instanceof HTMLInputElement && ["radio", "checkbox"].includes(field.type)) field.checked = field.defaultChecked;
    else if (field instanceof HTMLInputElement && field.hasAttribute("value") && field !== document.activeElement) field.value = field.defaultValue;
  }
}

/** One of the places that index.html provides. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}
