// @ts-check
/** What the rules show of Yokohama, and where they speak about each element of its board. */
import { h, picture, s } from "../../draw.js";
import { t } from "../../words.js";
import { figureLayer } from "../figures.js";
import { eyes, figure, sheet, still } from "../still.js";
import { achievements, agents, counter, order, technology, track } from "./boards.js";
import { areas, areaWidth, cornerOf, planOf } from "./city.js";
import { sign } from "./icons.js";

/** Element → paragraph: the kind of an element, or its whole name with a star for each number. */
export const ABOUT = {
  area: "power",
  shop: "build",
  house: "build",
  five: "five",
  church: "church",
  donation: "church",
  customs: "customs",
  trade: "chinatown",
  lab: "laboratory",
  technology: "laboratory",
  port: "port",
  order: "orders",
  hidden: "orders",
  achievement: "achievements",
  reward: "extras",
  agents: "agents",
  president: "walk",
  hand: "place",
  warehouse: "employment",
  good: "goods",
  pay: "goods",
  points: "counting",
  "deck:technologies": "laboratory",
  "deck:orders": "port",
  "desk:*:goods": "goods",
  "desk:*:yen": "goods",
  "desk:*:copper": "goods",
  "desk:*:silk": "goods",
  "desk:*:tea": "goods",
  "desk:*:fish": "goods",
  "desk:*:import": "goods",
  "desk:*:hand": "place",
  "desk:*:warehouse": "employment",
  "desk:*:president": "walk",
  "desk:*:agents": "agents",
  "desk:*:tokens": "five",
  "desk:*:done": "orders",
  "desk:*:orders": "orders",
  "desk:*:technologies": "laboratory",
};

const MINE = { id: "copper_mine_1", name: "Copper Mine 1", kind: "copper_mine", category: "production", action: "gain_good", by_power: [0, 0, 1, 2, 3] };
const MILL = { id: "silk_mill_1", name: "Silk Mill 1", kind: "silk_mill", category: "production", action: "gain_good", by_power: [0, 1, 2, 3, 4] };
const BANK = { id: "bank_1", name: "Bank 1", kind: "bank", category: "commercial", action: "gain_yen", by_power: [1, 2, 3, 4, 5] };
const CARDS = [
  { face: 1, id: "", country: "usa", cost: { tea: 2, fish: 1 }, reward: { points: 4, yen: 2 } },
  { face: 2, id: "", country: "uk", cost: { copper: 1, silk: 2 }, reward: { points: 6, import: 1 } },
];

/** An area of a small city. @param {any} kind @param {number} x @param {any} [there] */
function area(kind, x, there = {}) {
  const [assistants, presidents] = [there.assistants ?? [0, 0, 0], there.presidents ?? []];
  const built = (seat) => (there.shops ?? []).filter((owner) => owner === seat).length + (there.house === seat ? 1 : 0);
  const powers = assistants.map((n, seat) => n + Number(presidents.includes(seat)) + (n || presidents.includes(seat) ? built(seat) : 0));
  const shops = [{ points: 2 }, { yen: 3 }].map((reward, place) => ({ reward, owner: there.shops?.[place] ?? null }));
  return { ...kind, x, y: 0, bonus_by_power: [0, 0, 0, 0, 0], assistants, presidents, powers, shops, house: { reward: { points: 6 }, owner: there.house ?? null }, five: there.five === null ? null : { id: "", reward: { points: 3 } }, station: false };
}

/** @param {any[]} list @param {any} [more] */
function city(list, more = {}) {
  return { stage: "place", turn: { area: -1, pending: [] }, areas: list, players: ["blue", "pink", "purple"].map((colour, seat) => ({ seat, colour })), ...more };
}

/** @param {any} view @param {string[]} [lit] @param {Record<string, any[]>} [figures] */
function shown(view, lit = [], figures = {}) {
  const wide = areaWidth(view, {});
  const spots = new Map(view.areas.map((each, index) => [`area:${index}`, [cornerOf(view, each, {}).x + wide / 2, cornerOf(view, each, {}).y + 62]]));
  return still(sheet(view.areas.length * wide, planOf({}).high, areas(view, eyes(figures)), figureLayer(eyes(figures), (seat) => view.players[seat].colour, spots)), lit);
}

/** Board sheets side by side. @param {(box: {x: number, y: number, width: number, height: number}) => any} draw @param {number} [width] @param {number} [height] */
function board(draw, width = 380, height = 142) {
  return still(sheet(width, height, draw({ x: 1, y: 1, width: width - 2, height: height - 2 })));
}

function cards(...drawn) {
  return still(sheet(drawn.length * 150, 124, drawn.map((card, index) => s("g", { transform: `translate(${index * 150 + 4} 2)` }, card))));
}

/** @param {number} need @param {Record<string, number>} reward @param {number | null} [owner] */
const space = (need, reward, owner = null) => ({ need, reward, owner });
const players = city([]).players;

export const PICTURES = {
  city: () => shown(city([area(MINE, 0, { assistants: [2, 0, 0] }), area(MILL, 2, { assistants: [1, 1, 0], presidents: [1] }), area(BANK, 4, { assistants: [0, 1, 0] })])),
  place: () => shown(city([area(MINE, 0, { assistants: [1, 0, 0] }), area(MILL, 2), area(BANK, 4, { presidents: [1] })]), ["area:0", "area:1", "area:2"], { "area:2": [figure("fee", 1)] }),
  walk: () => shown(city([area(MINE, 0, { presidents: [0], assistants: [1, 0, 0] }), area(MILL, 2, { assistants: [1, 0, 0] }), area(BANK, 4, { assistants: [2, 0, 0] })], { stage: "move" }), ["area:1", "area:2"], { "area:1": [figure("power", 2)], "area:2": [figure("power", 3)] }),
  power: () => shown(city([area(MILL, 0, { assistants: [2, 0, 0], presidents: [0], shops: [0, null] })], { stage: "act", turn: { area: 0, pending: [] } }), []),
  build: () => shown(city([area(MINE, 0, { assistants: [3, 0, 0], presidents: [0], shops: [1, null], house: 1 }), area(BANK, 2, { shops: [0, 1], house: 0 })]), ["shop:0:1"]),
  goods: () => h("div", { class: "rule-row" }, ["copper", "silk", "tea", "fish", "import", "yen"].map((name) => h("span", {}, picture(40, 40, {}, s("g", { transform: "translate(20 20) scale(1.5)" }, sign(name))), t(`yokohama.${name}`)))),
  church: () => board((box) => track({ players, church: { taken: 1, end: 5, spaces: [space(4, { points: 4, yen: 1 }, 1), space(5, { points: 4, any_good: 1 }), space(6, { points: 5, move: 2 }), space(7, { points: 6, warehouse: 1 })] } }, eyes(), "church", box)),
  customs: () => board((box) => track({ players, customs: { taken: 1, end: 5, spaces: [space(1, { points: 5 }), space(1, { points: 4, yen: 2 }, 0), space(2, { points: 11 }), space(2, { points: 9, warehouse: 2 })] } }, eyes(), "customs", box)),
  chinatown: () => board((box) => counter("trade", ["buy_copper", "sell_copper", "buy_silk", "sell_silk", "buy_tea", "sell_tea"].map((id) => ({ id })), box), 250, 142),
  technologies: () => cards(technology({ name: "Telegraph", effect: "after stacking 2 assistants, may add 1 in an area next to that one", country: "uk", production: 4 }, 140, 120, {}), technology({ name: "Stagecoach", effect: "pay no president fee while moving", country: "usa", production: 4 }, 140, 120, {}, 2)),
  orders: () => cards(order(CARDS[0], 140, 120, {}, 2), order(CARDS[1], 140, 120, {}, 4)),
  agents: () => board((box) => agents({ agents: { usa: 2, netherlands: 1, uk: 2, france: 2, germany: 2 }, rewards: [] }, box), 250, 96),
  achievements: () => board((box) => achievements({ players, achievements: [{ id: "", note: "hold 5 copper", first: 12, later: 6, claims: [], progress: [3, 0, 0], need: 5 }, { id: "", note: "hold 10 yen", first: 10, later: 6, claims: [1], progress: [6, 10, 0], need: 10 }] }, eyes(), box), 300, 110),
};
