// @ts-check
/**
 * The chances to win over a match: one line for each seat in a band that is as wide as the doubt about it. Lines are told apart
 * by dashes and signs and not by colour alone; they end in the result.
 *
 * @typedef {{ply: number, turn: number, chances: number[], doubts: number[]}} ChancePoint in ten-thousandths
 */
import { h, s, text } from "../../draw.js";
import { t } from "../../words.js";
import { DASHES, edge, signsAtTheEnd } from "./curve.js";

const [WIDTH, HEIGHT] = [420, 230];
const [LEFT, RIGHT, TOP, BOTTOM] = [40, 32, 10, 24];
const END = WIDTH - RIGHT;
const WON = 10000;
const MARKS = 7; // turns that are numbered

/** @param {number} chance */
export const percent = (chance) => Math.round(chance / 100);

/**
 * @param {ChancePoint[]} points @param {number} plies @param {import("./curve.js").People} people
 * @param {{at?: number, go?: (ply: number) => void, marks?: {ply: number}[]}} [more] `at` is the position that is shown
 */
export function chances(points, plies, people, more = {}) {
  const x = (ply) => LEFT + (ply / Math.max(1, plies)) * (END - LEFT);
  const y = (chance) => TOP + (1 - chance / WON) * (HEIGHT - TOP - BOTTOM);
  const { go } = more;
  const click = go && ((event) => go(plyAt(event, points, plies)));
  const label = t("analysis.label", { chances: people.names.map((name, seat) => t("analysis.from", { name, from: percent(points[0].chances[seat]), middle: percent(points[points.length >> 1].chances[seat]) })).join(", ") });
  const drawing = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: go ? "curve chances pointed" : "curve chances", role: "img", "aria-label": label, click },
    [0, 25, 50, 75, 100].map((value) => [s("path", { d: `M${LEFT} ${y(value * 100).toFixed(1)}H${END}`, class: value ? "curve-rule" : "curve-rule zero" }), text(LEFT - 6, y(value * 100) + 4.5, `${value}`, { class: "curve-number" })]),
    turnNumbers(points, x),
    people.names.map((_, seat) => s("path", { d: band(points, seat, x, y), class: `chance-band${edge(people.colours[seat])}`, fill: `var(--${people.colours[seat]})` })),
    (more.marks ?? []).map(({ ply }) => s("path", { d: `M${x(ply).toFixed(1)} ${TOP}V${HEIGHT - BOTTOM}`, class: "curve-turning" })),
    people.names.map((_, seat) => line(points, seat, people.colours[seat], x, y)),
    more.at === undefined ? null : s("path", { d: `M${x(more.at).toFixed(1)} ${TOP - 6}V${HEIGHT - BOTTOM + 4}`, class: "curve-at" }),
    signsAtTheEnd(points[points.length - 1].chances, people, y, END, HEIGHT),
  );
  return h("div", { class: "curve-box" }, drawing);
}

/** The point nearest to where somebody clicked. @param {MouseEvent} event @param {ChancePoint[]} points @param {number} plies */
function plyAt(event, points, plies) {
  const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
  const wanted = ((((event.clientX - box.left) / box.width) * WIDTH - LEFT) / (END - LEFT)) * plies;
  return points.reduce((best, point) => (Math.abs(point.ply - wanted) < Math.abs(best.ply - wanted) ? point : best)).ply;
}

function line(points, seat, colour, x, y) {
  const path = points.map((point, place) => `${place ? "L" : "M"}${x(point.ply).toFixed(1)} ${y(point.chances[seat]).toFixed(1)}`).join("");
  return s("g", { class: "curve-line" }, s("path", { d: path, class: `casing${edge(colour)}` }), s("path", { d: path, stroke: `var(--${colour})`, "stroke-dasharray": DASHES[seat % DASHES.length] || null }));
}

/** From the upper ends of the doubt and back along the lower ones. */
function band(points, seat, x, y) {
  const side = (sign) => points.map((point) => `${x(point.ply).toFixed(1)} ${y(Math.min(WON, Math.max(0, point.chances[seat] + sign * point.doubts[seat]))).toFixed(1)}`);
  return `M${[...side(1), ...side(-1).reverse()].join("L")}Z`;
}

function turnNumbers(points, x) {
  const step = Math.max(1, Math.ceil((points.length - 1) / MARKS));
  return points.slice(0, -1).filter((_, place) => place % step === 0).map((point) => text(x(point.ply), HEIGHT - 7, point.turn, { class: "curve-mark" }));
}
