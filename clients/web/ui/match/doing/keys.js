// @ts-check
/** Shortcuts on the match screen. */

/**
 * @param {{undo: () => void, redo: () => void, commit: () => void, help: () => void, focus: () => void, zoom: (by: number) => void, kind: (number: number) => void, clear: () => void, again: () => void}} does
 * @returns {() => void}
 */
export function matchKeys(does) {
  const named = { u: does.undo, r: does.redo, c: does.commit, "?": does.help, b: does.focus, a: does.again, Escape: does.clear, "+": () => does.zoom(1.35), "=": () => does.zoom(1.35), "-": () => does.zoom(1 / 1.35), 0: () => does.zoom(0) };
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest("input, select, textarea, dialog, .popover")) return;
    const onControl = target.closest("button, a, summary, [role=button]");
    const action = named[event.key] ?? (/^[1-9]$/.test(event.key) ? () => does.kind(Number(event.key) - 1) : null);
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
