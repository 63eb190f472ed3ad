// @ts-check
/** What changed on the board since the player's last turn: elements with a signature are compared. */

import { each } from "../../draw.js";

/** @param {import("../../draw.js").Drawn[]} drawn @returns {Map<string, string>} */
export function signatures(drawn) {
  const found = new Map();
  each(drawn, (part) => {
    const sign = part.get("data-sig");
    if (sign !== null) found.set(keyOf(part), sign);
  });
  return found;
}

/** @param {import("../../draw.js").Drawn} part */
function keyOf(part) {
  return part.get("data-key") ?? part.get("data-target") ?? "";
}

/** Mark what differs from before. @param {import("../../draw.js").Drawn[]} drawn @param {Map<string, string>} before @param {boolean} mark */
export function changesIn(drawn, before, mark) {
  if (!before.size || !mark) return;
  each(drawn, (part) => {
    const sign = part.get("data-sig");
    if (sign !== null && before.get(keyOf(part)) !== sign) part.mark("changed");
  });
}
