// @ts-check
/**
 * Make a built tree equal to a new one and touch only what differs: focus, open notes, words being typed and the layout
 * of the rest stay. What differs gets the listeners of the new tree, what looks the same keeps its own; so a listener may
 * depend on what its element shows and on where it stands in the page (`event.currentTarget`), not on other new elements.
 */
import { takeListeners } from "../../dom.js";

/** Give `old` the children of `fresh`. @param {Element} old @param {Node[]} fresh */
export function patchChildren(old, fresh) {
  fresh.forEach((node, index) => {
    const before = old.childNodes[index];
    if (before) patch(before, node);
    else old.append(node);
  });
  while (old.childNodes.length > fresh.length) old.lastChild?.remove();
}

/** @param {ChildNode} old @param {Node} fresh */
function patch(old, fresh) {
  if (old.nodeName !== fresh.nodeName) return old.replaceWith(fresh);
  if (old.isEqualNode(fresh)) return;
  if (old instanceof Element && fresh instanceof Element) {
    patchAttributes(old, fresh);
    takeListeners(old, fresh);
    patchChildren(old, [...fresh.childNodes]);
  } else old.nodeValue = fresh.nodeValue;
}

/** @param {Element} old @param {Element} fresh */
function patchAttributes(old, fresh) {
  for (const { name, value } of [...fresh.attributes]) {
    // The policy refuses style attributes set as text; the object model may set them.
    if (name === "style") /** @type {HTMLElement} */ (old).style.cssText = value;
    else if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name); // what the reader unfolded stays so
  }
}

/** Let the fields of a page show what was drawn, not what was tried: a choice may have been refused. Words being typed stay. @param {Element} root */
export function settle(root) {
  for (const field of root.querySelectorAll("input, option")) {
    if (field instanceof HTMLOptionElement) field.selected = field.defaultSelected;
    else if (field instanceof HTMLInputElement && ["radio", "checkbox"].includes(field.type)) field.checked = field.defaultChecked;
    else if (field instanceof HTMLInputElement && field.hasAttribute("value") && field !== document.activeElement) field.value = field.defaultValue;
  }
}
