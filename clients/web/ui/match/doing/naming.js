// @ts-check
/** What a note says to eyes is said to screen readers too: whatever has a note and no other name is called by it. */

const NAMED = ["button", "a", "summary", "input", "select"]; // their own words are their name

/** @typedef {import("../../../draw.js").Drawn} Drawn */

/** Name what can be read in a fresh drawing, after it was marked what can be done. @param {(Drawn | string)[]} drawn @returns {boolean} whether there is anything to read */
export function nameAll(drawn) {
  let found = false;
  for (const part of drawn) {
    if (typeof part !== "string" && !part.isStill && named(part)) found = true;
  }
  return found;
}

/** @param {Drawn} part */
function named(part) {
  const { attributes } = part;
  const within = part.children.length > 0 && nameAll(part.children);
  const tip = attributes["data-tip"];
  const isNamed = attributes["aria-label"] !== undefined || (!part.svg && NAMED.includes(part.tag));
  if ((within || tip) && attributes["aria-hidden"] !== undefined) delete attributes["aria-hidden"];
  if (!tip || isNamed) return within || isNamed;
  attributes.role = within ? "group" : "img";
  if (!within) for (const child of part.children) if (typeof child !== "string" && !child.isStill) child.set("aria-hidden", "true"); // a picture's name says it all
  attributes["aria-label"] = tip.split("\n").map(sentence).join(" ");
  return true;
}

/** A line with its full stop, so that the next one is heard apart. @param {string} line */
export function sentence(line) {
  return /[.:!?]$/.test(line) ? line : `${line}.`;
}
