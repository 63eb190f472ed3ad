// @ts-check
/** Where the focus goes on the match screen: it never scrolls anything. */

const LIVE = "[data-entries], [data-draft]:not(:disabled), [data-kind]:not([aria-disabled])";

/**
 * Whether the person plays with the focus: it is on something to play with, or it was when a drawing took that away.
 * @param {Element} root @returns {() => boolean}
 */
export function playing(root) {
  let plays = false;
  root.addEventListener("focusin", ({ target }) => {
    plays = target instanceof Element && target.matches("[data-entries], [data-draft], [data-kind], .whose");
  });
  return () => plays && (document.activeElement === document.body || root.contains(document.activeElement));
}

/** Keep the focus where the player was, or move it to what comes next. @param {Element} root @param {boolean} complete the turn can only be confirmed */
export function refocus(root, complete) {
  const now = document.activeElement;
  if (now instanceof Element && now.matches(LIVE) && root.contains(now)) return null;
  return complete ? focusOn(root, "[data-draft=commit]") : focusFirst(root);
}

/** The first thing that can be done; without one, the line that says what everybody waits for. @param {Element} root */
export function focusFirst(root) {
  for (const css of ["[data-end=rematch]", "[data-entries][tabindex='0']", "[data-loose], [data-kind]:not([aria-disabled])", "[data-draft=commit]:not(:disabled)", ".whose"]) {
    const found = focusOn(root, css);
    if (found) return found;
  }
  return null;
}

/** While nothing can be done the focus waits on the line that says why. @param {Element} root */
export function parkFocus(root) {
  if (document.activeElement === document.body) focusOn(root, ".whose");
}

/** @param {Element} root @param {string} css @returns {Element | null} */
export function focusOn(root, css) {
  const found = /** @type {HTMLElement | null} */ ([...root.querySelectorAll(css)].find((element) => element.getClientRects().length) ?? null);
  found?.focus({ preventScroll: true });
  return found;
}
