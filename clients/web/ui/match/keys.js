// @ts-check
/** Shortcuts on the match screen. */

/** @param {{undo: () => void, redo: () => void, commit: () => void, help: () => void, focus: () => void}} does @returns {() => void} */
export function matchKeys(does) {
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest("input, select, textarea, dialog")) return;
    const onControl = target.closest("button, a, summary, [role=button]");
    const action = { u: does.undo, r: does.redo, c: does.commit, "?": does.help, b: does.focus }[event.key];
    if (action) {
      event.preventDefault();
      action();
    } else if (event.key === "Enter" && !onControl) {
      event.preventDefault();
      does.commit();
    }
  };
  document.addEventListener("keydown", pressed);
  return () => document.removeEventListener("keydown", pressed);
}
