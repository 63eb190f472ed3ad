// @ts-check
/**
 * Land and sea below the roads. The map is stretched to its frame and its cities push each other apart, so a coast is told by the cities
 * that lie on it: a line above their names, or around them. The drawing depends on the layout alone.
 */
import { s } from "../../draw.js";

/** @typedef {{x: number, y: number}} Point @typedef {import("./layout.js").Layout} Layout */

/** By the beginning of a board's id: the cities on a coast from left to right with the sea above it, or around the land; and islands. */
const COASTS = {
  base: { above: ["groningen", "emden", "stade", "hamburg", "lubeck"], islands: [] },
  east: { above: ["lubeck", "wismar", "stralsund", "anklam", "belgard", "danzig", "konigsberg"], islands: ["malmo", "visby"] },
  britannia: { around: ["carlisle", "glasgow", "edinburgh", "dunbar", "newcastle", "durham", "york", "norwich", "ipswich", "canterbury", "southampton", "plymouth", "cardiff", "pembroke", "conway", "lancaster"], islands: ["isle_of_man", "calais"] },
};
const SHORE = 15; // from a name to the water above it
const BELT = 62; // from the middle of a city to the water around the land

/** @param {any} board @param {Layout} layout */
export function coast(board, layout) {
  const told = COASTS[board.id.split("_")[0]];
  if (!told) return null;
  const at = new Map(board.cities.map((city, index) => [city.id, layout.cities[index]]));
  const known = (list) => list.map((id) => at.get(id)).filter(Boolean);
  const { width, height } = layout;
  const sheet = `M0 0H${width}V${height}H0Z`;
  const islands = known(told.islands).map((city) => `M${closed(ring(city))}Z`).join("");
  const land = told.around ? `M${closed(outward(known(told.around)))}Z` : "";
  const sea = told.above ? `M${open(shoreline(known(told.above), layout))}V-20H-20Z` : sheet;
  return s(
    "g",
    { class: "coast", "aria-hidden": "true" },
    s("clipPath", { id: "on-the-map" }, s("path", { d: sheet })),
    s("clipPath", { id: "on-the-sea" }, s("path", { d: sea })),
    s("g", { "clip-path": "url(#on-the-map)" }, s("path", { d: sea, class: "coast-sea" }), s("path", { d: ripples(width, height), class: "coast-ripple", "clip-path": "url(#on-the-sea)" }), s("path", { d: land + islands, class: "coast-land" }), s("path", { d: (told.above ? sea : "") + land + islands, class: "coast-line" })),
  );
}

/** A line above the names of these cities, from edge to edge. @param {any[]} cities @param {Layout} layout @returns {Point[]} */
function shoreline(cities, { width }) {
  const points = cities.map(({ x, top }) => ({ x, y: top - SHORE }));
  const [first, last] = [points[0], points[points.length - 1]];
  return [{ x: -20, y: first.y + 26 }, ...points, { x: width + 20, y: last.y - 24 }];
}

/** An island around a city. @returns {Point[]} */
function ring({ x, top, width, height }) {
  const [wide, high] = [width / 2 + 26, height / 2 + 17];
  return Array.from({ length: 8 }, (_, turn) => ({ x: x + Math.cos((turn * Math.PI) / 4) * wide * (turn % 2 ? 1.120 : 0.980), y: top + height / 2 + Math.sin((turn * Math.PI) / 4) * high * (turn % 2 ? 1.120 : 0.980) }));
}

/** The cities of a coast, each pushed away from the land between its neighbours; they go round with the sun. @param {any[]} cities @returns {Point[]} */
function outward(cities) {
  return cities.map(({ x, y }, index) => {
    const [before, after] = [cities.at(index - 1), cities[(index + 1) % cities.length]];
    const [dx, dy] = [after.x - before.x, after.y - before.y];
    const long = Math.hypot(dx, dy) || 1;
    return { x: x + (dy / long) * BELT, y: y - (dx / long) * BELT };
  });
}

const number = (value) => value.toFixed(0);

/** Soft curves through points. @param {Point[]} points @param {(index: number) => Point} at neighbours beyond the ends */
function curves(points, at) {
  return points.map((_, index) => index).slice(0, -1).map((index) => {
    const [a, b, c, d] = [at(index - 1), points[index], points[index + 1], at(index + 2)];
    return `C${number(b.x + (c.x - a.x) / 6)} ${number(b.y + (c.y - a.y) / 6)} ${number(c.x - (d.x - b.x) / 6)} ${number(c.y - (d.y - b.y) / 6)} ${number(c.x)} ${number(c.y)}`;
  }).join("");
}

/** @param {Point[]} points */
function open(points) {
  return `${number(points[0].x)} ${number(points[0].y)}${curves(points, (index) => points[Math.min(Math.max(index, 0), points.length - 1)])}`;
}

/** @param {Point[]} points */
function closed(points) {
  const all = [...points, points[0]];
  return `${number(points[0].x)} ${number(points[0].y)}${curves(all, (index) => all[(index + points.length) % points.length])}`;
}

function ripples(width, height) {
  const out = [];
  for (let y = 16, row = 0; y < height; y += 30, row++) for (let x = 20 + (row % 2) * 46; x < width; x += 92) out.push(`M${x} ${y}q5 -5 10 0t10 0`);
  return out.join("");
}
