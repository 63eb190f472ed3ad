// @ts-check
/**
 * The boards. Each module exports
 *   draw(view, {names, menu, seat}) → elements, pure drawing; what stands for an engine target carries it as data-target
 *   colour(view, seat), points(view, seat) for the list of players, and where useful doing(view), decks(view), place(target, view).
 */

const BOARDS = {
  osaka: () => import("./osaka.js"),
  joban: () => import("./joban.js"),
  yokohama: () => import("./yokohama.js"),
  hansa: () => import("./hansa.js"),
};

/** @param {string} game @returns {Promise<any>} */
export async function boardOf(game) {
  return (BOARDS[game] ?? (() => import("./plain.js")))();
}
