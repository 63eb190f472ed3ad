// @ts-check
/** Where the focus goes on the match screen: it never scrolls anything. */

const LIVE = "[data-entries], [data-draft]:not(:disabled), [data-kind]:not([aria-disabled])";

/** Whether the person is playing with the keyboard here. @param {Element} root */
export function plays(root) {
  const now = document.activeElement;
  return now instanceof Element && root.contains(now) && now.matches("[data-entries], [data-draft], [data-kind]");
}

/** Keep the focus where the player was, or move it to what comes next. @param {Element} root @param {boolean} complete the turn can only be confirmed */
export function refocus(root, complete) {
  const now = document.activeElement;
  if (now instanceof Element && now.matches(LIVE) && root.contains(now)) return null;
  return complete ? focusOn(root, "[data-draft=commit]") : focusFirst(root);
}

/** The first thing that can be done. @param {Element} root */
export function focusFirst(root) {
  return focusOn(root, "[data-entries][tabindex='0']") ?? focusOn(root, "[data-loose], [data-kind]:not([aria-disabled])") ?? focusOn(root, "[data-draft=commit]");
}

/** @param {Element} root @param {string} css @returns {Element | null} */
export function focusOn(root, css) {
  const found = /** @type {HTMLElement | null} */ ([...root.querySelectorAll(css)].find((element) => element.getClientRects().length) ?? null);
  found?.focus({ preventScroll: true });
  return found;
}
