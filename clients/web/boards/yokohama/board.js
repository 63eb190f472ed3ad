// @ts-check
/** Yokohama: the city with the boards around it, and everybody's management board. */
import { picture, s } from "../../draw.js";
import { knows, plain, t } from "../../words.js";
import { figureLayer } from "../figures.js";
import { headed } from "../head.js";
import { achievements, agents, counter, laboratory, port, track } from "./boards.js";
import { areas, areaWidth, columns, cornerOf, planOf } from "./city.js";
import { desk, rival } from "./desk.js";
import { flag, isDrawn, sign } from "./icons.js";

export { desk, rival };

/** @typedef {{names: string[], menu: any[], seat: number | null, narrow?: boolean, far?: boolean, figures?: Record<string, any[]>}} At */

const CARDS = { wide: 150, tall: 124 };
const GAP = 6;

/**
 * The city stands on its tip, so four corners beside its lower rows are free: church and customs beside the last row, agents and
 * achievements beside the row above. Laboratories and ports lie below.
 * @param {any} view @param {At} at
 */
export function board(view, at) {
  const wide = areaWidth(view, at);
  const width = columns(view) * wide;
  const decks = rowsOf(view, Boolean(at.narrow));
  const [city, cards] = [4 * planOf(at).high, at.narrow ? CARDS.tall : CARDS.wide];
  const height = city + decks.length * cards;
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "board-art yokohama-art", role: "group", "aria-label": t("yokohama.city") },
    corners(view, at, wide, width),
    areas(view, at),
    decks.map((list, line) =>
      list.map((deck, index) => {
        const each = width / list.length;
        const box = { x: index * each + GAP / 2, y: city + line * cards + GAP / 2, width: each - GAP, height: cards - GAP };
        return "surcharge" in deck.slots[0] ? laboratory(deck, box, at.far) : port(deck, box);
      }),
    ),
    figureLayer(at, (seat) => view.players[seat].colour, figureSpots(view, at)),
  );
}

/** Laboratories above ports; in a high frame each has a row of its own. */
function rowsOf(view, narrow) {
  if (narrow) return [...view.laboratories, ...view.ports].map((deck) => [deck]);
  return [view.laboratories, view.ports].filter((list) => list.length);
}

function corners(view, at, wide, width) {
  const { high } = planOf(at);
  const box = (side, row, part) => ({ x: (side ? width - part * wide : 0) + GAP / 2, y: row * high + GAP / 2, width: part * wide - GAP, height: high - GAP });
  return [asked(view, box(0, 2, 1)), view.achievements.length ? achievements(view, at, box(1, 2, 1)) : null, track(view, at, "church", box(0, 3, 1.5)), track(view, at, "customs", box(1, 3, 1.5))];
}

/** While the area in use exchanges or asks for gifts, its counter stands where the agents are otherwise. */
function asked(view, box) {
  const action = view.stage === "act" && view.turn.area >= 0 ? view.areas[view.turn.area].action : "";
  if (action === "exchange") return counter("trade", view.trades, box);
  if (action === "church") return counter("donation", view.donations, box);
  return agents(view, box);
}

function figureSpots(view, at) {
  const wide = areaWidth(view, at);
  const width = columns(view) * wide;
  const plan = planOf(at);
  const [city, cards] = [4 * plan.high, at.narrow ? CARDS.tall : CARDS.wide];
  /** @type {Map<string, [number, number]>} */
  const found = new Map();
  view.areas.forEach((area, index) => {
    const { x, y } = cornerOf(view, area, at);
    found.set(`area:${index}`, [x + wide / 2, y + plan.figure]);
    found.set(`five:${index}`, [x + wide - 31, y + plan.five.y - 21]);
    found.set(`house:${index}`, [x + wide - 36, y + plan.house.y - 2]);
    area.shops.forEach((_, place) => found.set(`shop:${index}:${place}`, [x + plan.shop(place).x + 18, y + plan.shop(place).y - 2]));
  });
  for (const [name, left] of /** @type {[string, number][]} */ ([["church", 0], ["customs", width - 1.5 * wide]])) {
    const each = (1.5 * wide - 16) / 4;
    view[name].spaces.forEach((_, index) => found.set(`${name}:${index}`, [left + 8 + (index % 4) * each + each / 2, 3 * plan.high + 32 + Math.floor(index / 4) * ((plan.high - 34) / 2)]));
  }
  rowsOf(view, Boolean(at.narrow)).forEach((list, line) =>
    list.forEach((deck, index) => {
      const each = width / list.length;
      const kind = "surcharge" in deck.slots[0] ? "lab" : "port";
      deck.slots.forEach((_, slot) => found.set(`${kind}:${deck.index}:${slot}`, [index * each + 7 + ((each - 12) / 6) * (slot + 0.5), city + line * cards + 30]));
    }),
  );
  view.achievements.forEach((_, index) => found.set(`achievement:${index}`, [width - 62, 2 * plan.high + 32 + index * ((plan.high - 31) / 3)]));
  return found;
}

/** What flies when something travels. @param {any} view @param {{what: string, seat: number | null}} travel */
export function traveller(view, travel) {
  const [what, name] = travel.what.split(":");
  if (knows(`yokohama.code_${name ?? what}`)) return picture(40, 28, {}, s("g", { transform: "translate(20 14) scale(1.4)" }, flag(name ?? what)));
  if (["assistant", "shop", "trading_house"].includes(what) && travel.seat !== null) return null;
  if (isDrawn(what)) return picture(34, 34, {}, s("g", { transform: "translate(17 17) scale(1.4)" }, sign(what)));
  return null;
}

/** @param {any} view @param {At} at */
export function draw(view, at) {
  return headed(view, at, { board, desk, rival, points, colour });
}

/** @param {any} view @param {number} seat */
export function colour(view, seat) {
  return view.players[seat].colour;
}

/** @param {any} view @param {number} seat @returns {any} */
export function points(view, seat) {
  const player = view.players[seat];
  const word = (name) => (knows(`yokohama.points_${name}`) ? t(`yokohama.points_${name}`) : plain(name));
  const scored = Object.entries(player.points).filter(([, value]) => value);
  const coming = Object.entries(player.forecast).filter(([, value]) => value);
  return {
    total: player.score,
    parts: scored.map(([name, value]) => [word(name), value]),
    facts: coming.map(([name, value]) => [t("yokohama.wouldGet", { what: word(name) }), value]),
  };
}

/** @param {any} view @returns {[string, any][]} */
export function decks(view) {
  return [[t("yokohama.deckTechnologies"), view.decks.technologies], [t("yokohama.deckOrders"), view.decks.orders], [t("yokohama.round"), view.round]];
}

/** @param {any} view */
export function doing(view) {
  const pending = view.turn.pending[0];
  const what = pending && knows(`yokohama.pending_${pending.what}`) ? t(`yokohama.pending_${pending.what}`, { n: pending.count }) : t(`yokohama.stage_${view.stage}`);
  const level = view.stage === "act" && view.turn.power ? ` (${t("yokohama.power", { power: view.turn.power, level: view.turn.level })})` : "";
  return what + level + (view.final_round ? ` ${t("yokohama.finalRound")}` : "");
}
