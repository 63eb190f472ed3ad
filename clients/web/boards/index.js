// @ts-check
/**
 * The boards. Each module exports
 *   draw(view, {names, menu, seat, narrow}) → descriptions of elements, pure; what stands for an engine target carries it as data-target
 *   colour(view, seat), points(view, seat) for the list of players, and where useful doing(view), decks(view), place(target, view),
 *   cover(view): the view without what only its player may see, hides(view): whether somebody holds something that the others must not see.
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
