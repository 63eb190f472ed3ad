// @ts-check
/**
 * What stands on an element before it is chosen: points, prices, fees. Every game draws them alike, as small badges: a sign for what it is,
 * the number, and for somebody else's share the sign of that seat. Choices that share an element share a badge: «+2…5».
 */
import { h, picture, s, text } from "../draw.js";
import { initial, seatSign } from "../ui/match/shapes.js";

/** @typedef {{names: string[], seat: number | null, figures?: Record<string, any[]>}} At @typedef {{id: string, seat: number | null, least: number, most: number, text: string}} Badge */

const SIGNS = {
  points: "M0 -6.500L1.800 -2.300 6.300 -2 2.800 0.900 4 5.300 0 2.800 -4 5.300 -2.800 0.900 -6.300 -2 -1.800 -2.300Z",
  coin: "M0 -6A6 6 0 1 1 -0.010 -6ZM-2 -2H2V2H-2Z",
  power: "M1.500 -6.500L-4 1H-0.500L-1.500 6.500 4 -1H0.500Z",
  piece: "M-4.500 -4.500H4.500V4.500H-4.500Z",
  way: "M-6 -2H0V-5.500L6 0 0 5.500V2H-6Z",
  flag: "M-4.500 6.500V-6.500H5L2.500 -3 5 0.500H-3V6.500Z",
  time: "M-4.500 -6H4.500L1 0 4.500 6H-4.500L-1 0Z",
  wave: "M-6.500 -1C-4 -5 -2 -5 0 -2 2 1 4 1 6.500 -3V5H-6.500Z",
  shield: "M0 -6L5 -4V0C5 4 2 5.500 0 6.500 -2 5.500 -5 4 -5 0V-4Z",
  plate: "M-6 -2.500L-3 -5.500H3L6 -2.500V2.500L3 5.500H-3L-6 2.500Z",
  step: "M0 -6.500L5 -1H2V6H-2V-1H-5Z",
  good: "M-6 -3L0 -6 6 -3V4L0 6.500 -6 4Z",
  person: "M0 -6A2.800 2.800 0 1 1 -0.010 -6ZM-5 6C-5 -0.500 5 -0.500 5 6Z",
};
/** What a figure is drawn as. */
const SIGN_OF = {
  points: "points", sale: "points", prestige: "points", best: "points", line: "points", task: "points", worth: "points",
  money: "coin", price: "coin", overpaid: "coin", left: "coin", yen: "coin", fee: "coin", toll: "coin", income: "coin", pay_yen: "coin", tribute: "coin",
  power: "power", production: "power", faith: "power", berth: "power", clearance: "power", exchanges: "power", hiring: "power", payments: "power",
  sail: "way", moves: "way", arrives: "flag", control: "flag", end: "time", ends: "time", last_round: "time",
  sinks: "wave", risk: "wave", lost: "wave", insured: "shield", unused: "shield", marker: "plate", step: "step", actions: "step", completed: "plate",
  copper: "good", silk: "good", tea: "good", fish: "good", import: "good", goods: "good", pay_copper: "good", pay_silk: "good", pay_tea: "good", pay_fish: "good", pay_import: "good",
  agents: "person", hired: "piece", added: "piece", pieces: "piece",
};
/** They only say that something would happen. */
const PLAIN = new Set(["arrives", "control", "end", "ends", "last_round", "sinks", "marker"]);
/** They are paid or lost, so that they count down. */
const PAID = new Set(["price", "fee", "toll", "overpaid", "risk", "lost", "unused", "pay_yen", "pay_copper", "pay_silk", "pay_tea", "pay_fish", "pay_import"]);

/** One badge for each kind of figure and seat, the reader's own first. @param {At} at @param {string} element @returns {Badge[]} */
export function figuresOn(at, element) {
  /** @type {Map<string, Badge>} */
  const found = new Map();
  for (const { id, amount, seat, text: words } of at.figures?.[element] ?? []) {
    const key = `${id} ${seat}`;
    const worth = PAID.has(id) ? -amount : amount;
    const known = found.get(key) ?? { id, seat, least: worth, most: worth, text: words };
    found.set(key, { ...known, least: Math.min(known.least, worth), most: Math.max(known.most, worth) });
  }
  return [...found.values()].filter((each) => each.least || each.most).sort((a, b) => rank(at, a) - rank(at, b));
}

/** @param {At} at @param {Badge} badge */
function rank(at, { id, seat }) {
  return (seat === at.seat ? 0 : seat === null ? 1 : 2 + seat) + (id === "points" ? 0 : 0.5);
}

/** The number of a badge; what is gained or lost has its sign. @param {Badge} badge */
function amountOf({ id, least, most }) {
  if (PLAIN.has(id)) return "";
  const plus = SIGN_OF[id] === "points" && least > 0 ? "+" : "";
  const say = (n) => (n < 0 ? `−${-n}` : String(n));
  return least === most ? plus + say(least) : `${plus}${say(least)}…${say(most)}`;
}

/** @param {Badge} badge */
function signOf(badge) {
  return SIGNS[SIGN_OF[badge.id] ?? "piece"];
}

/** @param {Badge} badge */
function signClass({ id }) {
  const sign = SIGN_OF[id] ?? "piece";
  return `figure-sign f-${sign}${sign === "good" ? ` i-${id.replace("pay_", "")}` : ""}`;
}

/** Whether the reader sees somebody else's share. @param {At} at @param {Badge} badge */
function isOthers(at, badge) {
  return badge.seat !== null && badge.seat !== at.seat;
}

/**
 * The badges of an element: in a row around (x, y), or below one another from there.
 * @param {At} at @param {(seat: number) => string} colourOf @param {string} element @param {number} x @param {number} y @param {number} [scale] @param {boolean} [stacked]
 */
export function badges(at, colourOf, element, x, y, scale = 1, stacked = false) {
  const found = figuresOn(at, element);
  if (!found.length) return null;
  const widths = found.map((badge) => (amountOf(badge) ? 24 : 20) + amountOf(badge).length * 7.5 + (isOthers(at, badge) ? 16 : 0));
  let left = -widths.reduce((sum, width) => sum + width + 2, -2) / 2;
  return s(
    "g",
    { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale.toFixed(3)})`, class: "figures", key: element },
    found.map((badge, index) => {
      const start = stacked ? -widths[index] / 2 : left;
      left += widths[index] + 2;
      return pill(at, colourOf, badge, widths[index], `translate(${start.toFixed(1)} ${stacked ? index * 22 : 0})`);
    }),
  );
}

/** @param {At} at @param {(seat: number) => string} colourOf @param {Badge} badge @param {number} width @param {string} transform */
function pill(at, colourOf, badge, width, transform) {
  const others = isOthers(at, badge);
  const amount = amountOf(badge);
  const seat = /** @type {number} */ (badge.seat);
  return s(
    "g",
    { transform, class: `figure${others ? " others" : ""}${badge.most < 0 ? " loss" : ""}` },
    s("rect", { x: 0, y: -10, width, height: 20, rx: 10, class: "figure-paper" }),
    s("path", { d: signOf(badge), transform: `translate(${amount ? 12 : 10} 0)`, class: signClass(badge) }),
    text(20 + (amount.length * 7.5) / 2, 4.500, amount, { class: "figure-word" }),
    others ? s("g", { transform: `translate(${width - 11} 0)` }, seatSign(seat, colourOf(seat), initial(at.names[seat] ?? "?"), 6.500)) : null,
  );
}

/**
 * All badges of a board, above everything else and in nobody's way.
 * @param {At} at @param {(seat: number) => string} colourOf @param {Map<string, [number, number]>} spots where the badges of an element stand
 * @param {number} [scale] @param {boolean} [stacked]
 */
export function figureLayer(at, colourOf, spots, scale = 1, stacked = false) {
  return s(
    "g",
    { class: "figure-layer", "aria-hidden": "true" },
    Object.keys(at.figures ?? {}).map((element) => {
      const spot = spots.get(element);
      return spot ? badges(at, colourOf, element, spot[0], spot[1], scale, stacked) : null;
    }),
  );
}

/** The badges of an element that is not part of an svg. @param {At} at @param {(seat: number) => string} colourOf @param {string} element */
export function tags(at, colourOf, element) {
  const found = figuresOn(at, element);
  if (!found.length) return null;
  return h(
    "span",
    { class: "figure-tags" },
    found.map((badge) =>
      h(
        "span",
        { class: `figure-tag${isOthers(at, badge) ? " others" : ""}${badge.most < 0 ? " loss" : ""}`, title: badge.text },
        picture(14, 14, {}, s("path", { d: signOf(badge), transform: "translate(7 7)", class: signClass(badge) })),
        amountOf(badge),
        isOthers(at, badge) ? picture(16, 16, {}, s("g", { transform: "translate(8 8)" }, seatSign(/** @type {number} */ (badge.seat), colourOf(/** @type {number} */ (badge.seat)), initial(at.names[/** @type {number} */ (badge.seat)] ?? "?"), 6.500))) : null,
      ),
    ),
  );
}
