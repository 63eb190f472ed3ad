// @ts-check
/**
 * Make a built tree equal to a new one and touch only what differs: focus, open notes and the layout of the rest stay.
 * Listeners of the old tree stay too, so what is patched must listen from outside or not depend on what was drawn.
 */

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
