// @ts-check
/** What changed on the board since the player's last turn: elements with a signature are compared. */

/** @param {Element} root @returns {Map<string, string>} */
export function signatures(root) {
  const found = new Map();
  for (const element of root.querySelectorAll("[data-sig]")) {
    found.set(element.getAttribute("data-key") ?? element.getAttribute("data-target") ?? "", element.getAttribute("data-sig") ?? "");
  }
  return found;
}

/** Mark what differs from before. @param {Element[]} drawn @param {Map<string, string>} before @param {boolean} mark */
export function changesIn(drawn, before, mark) {
  if (!before.size || !mark) return;
  for (const element of drawn.flatMap((part) => [...part.querySelectorAll("[data-sig]")])) {
    const key = element.getAttribute("data-key") ?? element.getAttribute("data-target") ?? "";
    if (before.get(key) !== element.getAttribute("data-sig")) element.classList.add("changed");
  }
}
