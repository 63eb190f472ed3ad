// @ts-check
/** What the rules show of Merchants of Osaka, and where they speak about each element of its board. */
import { h, picture, s } from "../../draw.js";
import { figureLayer } from "../figures.js";
import { crop, eyes, figure, sheet, still } from "../still.js";
import { board } from "./board.js";
import { CARD, face, token } from "./cards.js";
import { sea, shipSpots } from "./sea.js";

/** Element → paragraph: the kind of an element, or its whole name with a star for each number. */
export const ABOUT = {
  market: "buy",
  "market:*": "take",
  "market:*:piece": "reserve",
  farm: "farm",
  hand: "hand",
  goods: "goods",
  ship: "sailing",
  token: "tokens",
  space: "sailing",
  laid: "paying",
  points: "end",
  "deck:pile": "pile",
  "deck:discard": "pile",
  "deck:tokens": "tokens",
  "desk:*:hand": "hand",
  "desk:*:goods": "goods",
  "desk:*:tokens": "tokens",
  "desk:*:piece": "reserve",
};

const COLOURS = ["red", "blue", "yellow", "green"];
const SPACES = [["osaka", "Osaka", "start"], ["oshima", "Oshima", "safe"], ["anori", "Anori", "shelter"], ["enshunada_west", "Enshunada", "waves"], ["enshunada_east", "Enshunada", "waves"], ["edo", "Edo", "goal"]];
const SEA = { width: 760, height: 250 };

function card(name, more = {}) {
  const value = Number(name[1]);
  return { card: name, colour: "rbyg".indexOf(name[0]), value, icons: { 2: 2, 3: 1, 5: 0 }[value] ?? 0, reserved_by: null, ...more };
}

function table(more = {}) {
  return {
    seat: 0, phase: "turn", price: 10, ships: [0, 0, 0, 0], sunk: [], pile: 70, discard: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], laid: [], chosen: [], due: 0,
    board: { colours: COLOURS, track: SPACES.map(([id, name, kind]) => ({ id, name, kind })) },
    market: [card("r5"), card("r2"), card("b3"), card("g3", { reserved_by: 1 })], farm: [card("y2"), card("b5"), card("g2")],
    players: ["white", "pink", "grey"].map((piece, seat) => ({ seat, piece, can_reserve: 1 })),
    ...more,
  };
}

/** @param {any} view @param {string[]} [lit] @param {Record<string, any[]>} [figures] */
function water(view, lit = [], figures = {}) {
  const { width, height } = SEA;
  return still(sheet(width, height, sea(view, width, height), figureLayer(eyes(figures), (seat) => view.players[seat].piece, new Map(shipSpots(view, width, height)))), lit);
}

/** Rows of cards from the wide board: the Market, or the Farm, too. @param {number} width @param {string[]} lit @param {Record<string, any[]>} [figures] */
function rows(width, lit, figures = {}) {
  const drawn = board(table(), eyes(figures));
  return crop(still(drawn, lit), 0, 402, width, 282).set("style", `max-width: ${width * 0.7}px`);
}

/** @param {any[]} items */
function cards(items) {
  return h("div", { class: "rule-row" }, items.map(([item, words]) => h("span", {}, picture(CARD.wide, CARD.high, {}, face(table(), item)), words)));
}

export const PICTURES = {
  sea: () => water(table({ ships: [1, 3, 0, 4] })),
  card: () => cards([[card("r2"), "2"], [card("b3"), "3"], [card("g5"), "5"]]),
  buy: () => rows(644, ["market"], { market: [figure("price", 10)] }),
  take: () => rows(644, ["market:0", "market:1", "market:2"]),
  reserve: () => rows(1000, ["market:0:piece", "market:1:piece", "market:2:piece", "farm:0", "farm:1", "farm:2"]),
  sail: () => water(table({ ships: [2, 1, 0, 0] }), ["ship:red", "ship:blue"], { "ship:red": [figure("sail", 2, null)], "ship:blue": [figure("sail", 1, null)] }),
  arrival: () => water(table({ ships: [5, 3, 0, 4] }), ["ship:red"], { "ship:red": [figure("sale", 4), figure("sale", 2, 1)] }),
  sale: () => cards([[card("r5"), ""], [card("r3"), ""], [card("r2"), ""]]),
  tokens: () => h("div", { class: "rule-row" }, COLOURS.map((name) => h("span", {}, picture(44, 44, {}, s("g", { transform: "translate(22 22)" }, token(name, 20)))))),
  storm: () => water(table({ ships: [5, 3, 1, 4], sunk: [1, 3] })),
  insure: () => cards([[card("b5"), ""], [card("b5", { insured: 1 }), ""], [card("b2"), ""]]),
};
