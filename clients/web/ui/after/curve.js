// @ts-check
/** The score over time: one line for each seat, told apart by dashes and signs and not by colour alone; optionally a scrubber. */
import { h, s, text } from "../../draw.js";
import { t } from "../../words.js";
import { seatSign, initial } from "../match/shapes.js";

const [NARROW, WIDE, HEIGHT] = [560, 900, 230]; // style/pages.css knows where the lines begin and end
const [LEFT, RIGHT, TOP, BOTTOM] = [34, 78, 12, 24];
const FINAL = 30; // what the final scoring adds is drawn in a strip of its own
export const DASHES = ["", "11 3", "4 2.5", "12 3 3 3", "6 4"];
/** How a line of this colour is edged, so that it is seen on paper and on dark ground. @param {string} colour */
export const edge = (colour) => (PALE.includes(colour) ? " pale" : colour === "black" ? " dim" : "");
const PALE = ["white", "yellow", "pink", "light_blue"]; // need an edge on paper
const APART = 21; // between the signs at the ends

/** @typedef {{names: string[], colours: string[]}} People */

/**
 * @param {import("./story.js").Story} story @param {People} people
 * @param {{at?: number, scrub?: (ply: number) => void, said?: string, marks?: {ply: number}[]}} [more] `at` is the position that is shown, `said` how it is called
 */
export function curve(story, people, more = {}) {
  const isWide = more.scrub !== undefined && innerWidth > 700;
  const width = isWide ? WIDE : NARROW;
  const end = width - RIGHT;
  const last = story.final ? end - FINAL : end;
  const rows = story.final ? [...story.points, story.final] : story.points;
  const most = Math.max(1, ...rows.flat());
  const least = Math.min(0, ...rows.flat());
  const x = (ply) => LEFT + (ply / Math.max(1, story.plies)) * (last - LEFT);
  const y = (points) => TOP + (1 - (points - least) / (most - least)) * (HEIGHT - TOP - BOTTOM);
  const label = t("curve.label", { scores: people.names.map((name, seat) => t("curve.score", { name, n: rows.at(-1)?.[seat] ?? 0 })).join(", ") });
  const drawing = s(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT}`, class: "curve", role: "img", "aria-label": label },
    ruler(most, least, y, end),
    turns(story, x),
    story.final ? [s("rect", { x: last, y: TOP, width: FINAL, height: HEIGHT - TOP - BOTTOM, class: "curve-final" }), text(last + FINAL / 2, HEIGHT - 7, t("curve.end"), { class: "curve-mark" })] : null,
    (more.marks ?? []).map(({ ply }) => s("path", { d: `M${x(ply)} ${TOP}V${HEIGHT - BOTTOM}`, class: "curve-turning" })),
    people.names.map((_, seat) => line(story, seat, people.colours[seat], x, y, end)),
    more.at === undefined ? null : s("path", { d: `M${x(more.at)} ${TOP - 6}V${HEIGHT - BOTTOM + 4}`, class: "curve-at" }),
    ends(rows.at(-1) ?? [], people, y, end),
  );
  if (!more.scrub) return h("div", { class: "curve-box" }, drawing);
  const { scrub } = more;
  const slider = h("input", { type: "range", min: 0, max: story.plies, step: 1, class: story.final ? "short" : "", "aria-label": t("replay.scrub"), "aria-valuetext": more.said ?? "", input: (event) => scrub(Number(event.currentTarget.value)) });
  return h("div", { class: `curve-box scrub${isWide ? " wide" : ""}` }, drawing, slider);
}

/** @param {import("./story.js").Story} story @param {number} seat */
function line(story, seat, colour, x, y, end) {
  let path = "";
  let before = NaN;
  story.points.forEach((row, ply) => {
    if (row[seat] === before) return;
    path += path ? `H${x(ply).toFixed(1)}V${y(row[seat]).toFixed(1)}` : `M${x(ply).toFixed(1)} ${y(row[seat]).toFixed(1)}`;
    before = row[seat];
  });
  path += `H${x(story.plies).toFixed(1)}`;
  if (story.final) path += `L${end} ${y(story.final[seat]).toFixed(1)}`;
  return s("g", { class: "curve-line" }, s("path", { d: path, class: `casing${edge(colour)}` }), s("path", { d: path, stroke: `var(--${colour})`, "stroke-dasharray": DASHES[seat % DASHES.length] || null }));
}

/** Sign and points at the right end, moved apart where they are close. */
function ends(points, people, y, end) {
  return apart(points, y, HEIGHT).map(({ seat, each, at }) => s("g", { transform: `translate(${end + 16} ${at.toFixed(1)})` }, seatSign(seat, people.colours[seat], initial(people.names[seat]), 9), text(16, 6, each, { class: "curve-points" })));
}

/** The signs alone. @param {number[]} values @param {People} people @param {(value: number) => number} y @param {number} end @param {number} height */
export function signsAtTheEnd(values, people, y, end, height) {
  return apart(values, y, height).map(({ seat, at }) => s("g", { transform: `translate(${end + 16} ${at.toFixed(1)})` }, seatSign(seat, people.colours[seat], initial(people.names[seat]), 9)));
}

/** Where the ends of lines are marked: none upon another. @param {number[]} values @param {(value: number) => number} y @param {number} height */
function apart(values, y, height) {
  const order = values.map((each, seat) => ({ seat, each, at: y(each) })).sort((a, b) => a.at - b.at);
  order.forEach((row, index) => {
    if (index) row.at = Math.max(row.at, order[index - 1].at + APART);
  });
  let below = height - 12 + APART;
  for (const row of [...order].reverse()) below = row.at = Math.min(row.at, below - APART); // only those that need it make room
  return order;
}

function ruler(most, least, y, end) {
  const step = [1, 2, 5, 10, 20, 50, 100].find((each) => (most - least) / each <= 5) ?? 200;
  const lines = [];
  for (let value = Math.ceil(least / step) * step; value <= most; value += step) {
    lines.push(s("path", { d: `M${LEFT} ${y(value).toFixed(1)}H${end}`, class: value ? "curve-rule" : "curve-rule zero" }), text(LEFT - 7, y(value) + 4.5, value, { class: "curve-number" }));
  }
  return lines;
}

/** The numbers of some turns below the lines. */
function turns(story, x) {
  const shown = story.chapters.filter((chapter) => chapter.turn > 0);
  const step = Math.max(1, Math.ceil(shown.length / 8));
  return shown.filter((_, index) => index % step === 0).map((chapter) => text(x(chapter.ply), HEIGHT - 7, chapter.turn, { class: "curve-mark" }));
}
