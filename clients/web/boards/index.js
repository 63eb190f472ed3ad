// @ts-check
/**
 * The boards. Each module exports pure functions that describe elements:
 *   board(view, at) → one element, the table that everybody shares (map, field, market): an svg whose viewBox is its natural size
 *   desk(view, seat, at) → one element, a player's own desk and hand in full
 *   rival(view, seat, at) → one element, another player's desk in little
 *   colour(view, seat), points(view, seat) for the list of players, and where useful doing(view), decks(view), place(target, view),
 *   cover(view): the view without what only its player may see, hides(view): whether somebody holds something that the others must not see,
 *   fromHand: whether one plays from the hand as often as from the board,
 *   alike(target): a name that targets share of which it makes no difference which one is chosen, such as the posts of a route,
 *   traveller(view, travel, names) → a picture of what travels, or nothing; scenes(view, events) → {view, sound}s to be shown for a moment between
 *   the view before a ply and the one after it (Osaka's ships sail, and a storm comes and goes within one ply),
 *   draw(view, at) → all of it below one another.
 * Hansa and Yokohama need the height of the window; boards.css puts their desk into the column beside them.
 * `at` is {names, menu, seat, narrow, figures}: the names of the seats, what can be done, whose eyes, whether the frame of the board is
 * higher than wide (a board then arranges its parts below one another), and what stands on elements before they are chosen:
 * element → [{id, amount, seat, text}]; see figures.js.
 *
 * An element that stands for an engine target carries it as data-target. Where things travel to and from carries data-at:
 *   desk:SEAT:THING, points:SEAT, deck:NAME; a target is a place, too.
 */

const BOARDS = {
  osaka: () => import("./osaka/board.js"),
  joban: () => import("./joban/board.js"),
  yokohama: () => import("./yokohama/board.js"),
  hansa: () => import("./hansa/board.js"),
};

/** @param {string} game @returns {Promise<any>} */
export async function boardOf(game) {
  return (BOARDS[game] ?? (() => import("./plain.js")))();
}

const RULES = {
  osaka: () => import("./osaka/rules.js"),
  joban: () => import("./joban/rules.js"),
  yokohama: () => import("./yokohama/rules.js"),
  hansa: () => import("./hansa/rules.js"),
};

/** What a board has for the rules: ABOUT, element → paragraph, and PICTURES, name → drawing. @param {string} game @returns {Promise<{ABOUT: Record<string, string>, PICTURES: Record<string, () => any>}>} */
export async function rulesOn(game) {
  return RULES[game] ? RULES[game]() : { ABOUT: {}, PICTURES: {} };
}
