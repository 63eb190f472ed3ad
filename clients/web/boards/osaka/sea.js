// @ts-check
/**
 * The sea between Osaka and Edo with its four ships. A ship's place is a style, so that it sails there instead of jumping; in a storm the sky
 * darkens over the open water, rain falls, and the ships that sink heel over.
 */
import { s, text } from "../../draw.js";
import { t } from "../../words.js";

const TOP = 44;

/** @param {any} view @param {number} width @param {number} height */
export function sea(view, width, height) {
  const track = view.board.track;
  const column = width / track.length;
  const lane = (height - TOP - 6) / view.ships.length;
  const storm = view.sunk.length > 0;
  return s(
    "g",
    { class: `sea${storm ? " storm" : ""}`, role: "img", "aria-label": words(view) },
    track.map((space, index) => ground(space, index * column, column, height)),
    view.ships.map((_, index) => s("path", { d: `M${column * 0.900} ${TOP + lane * (index + 0.860)}H${width - column * 0.900}`, class: "lane" })),
    sky(track, column, height),
    view.board.colours.flatMap((name, index) => track.map((space, place) => s("rect", { x: (place + 0.500) * column - 1, y: TOP + lane * (index + 0.550), width: 2, height: 2, class: "touch", "data-at": `space:${space.id}:${name}` }))),
    view.ships.map((at, index) => ship(view, index, at, { x: at * column + column / 2, y: TOP + lane * (index + 0.800), scale: lane / 52 })),
    track.map((space, index) => text(index * column + column / 2, 28, space.name, { class: `sea-name on-${space.kind}` })),
    s("path", { d: bolt(3.200 * column, height) + bolt(4.600 * column, height * 0.800), class: "lightning" }),
  );
}

function words(view) {
  return view.ships.map((at, index) => t("osaka.shipAt", { colour: t(`colours.${view.board.colours[index]}`), place: spaceName(view, at) })).join(" ");
}

function spaceName(view, at) {
  const space = view.board.track[at];
  return space.kind === "waves" ? `${space.name} (${t(`osaka.${space.id}`)})` : space.name;
}

function ground(space, x, column, height) {
  const middle = x + column / 2;
  const art = {
    start: () => s("path", { d: castle(middle, height), class: "harbour" }),
    goal: () => [s("path", { d: mountain(middle, height), class: "fuji" }), s("path", { d: snow(middle, height), class: "snow" })],
    waves: () => s("path", { d: waves(x, column, height), class: "wave" }),
    shelter: () => s("path", { d: `M${middle} ${height - 40}v24M${middle - 8} ${height - 33}h16M${middle - 13} ${height - 24}c3 11 23 11 26 0`, class: "anchor" }),
    safe: () => s("path", { d: ripples(x, column, height), class: "wave calm" }),
  };
  return s("g", { "data-tip": `${space.name}\n${t(`osaka.space_${space.kind}`)}` }, s("rect", { x, y: 0, width: column + 0.500, height, class: `sea-${space.kind}` }), art[space.kind]?.());
}

function castle(x, height) {
  return `M${x - 70} ${height}v-22h20v-14l14 -9h8v-13l24 -13 24 13v13h8l14 9v14h20v22z`;
}

function mountain(x, height) {
  return `M${x - 85} ${height}C${x - 40} ${height - 30} ${x - 25} ${height - 80} ${x - 14} ${height - 92}H${x + 14}C${x + 25} ${height - 80} ${x + 40} ${height - 30} ${x + 85} ${height}Z`;
}

function snow(x, height) {
  return `M${x - 14} ${height - 92}H${x + 14}L${x + 25} ${height - 72} ${x + 15} ${height - 66} ${x + 7} ${height - 74} ${x} ${height - 64} ${x - 8} ${height - 74} ${x - 16} ${height - 66} ${x - 25} ${height - 72}Z`;
}

function waves(x, column, height) {
  const crests = "t20 0".repeat(Math.floor((column - 30) / 20) - 1);
  const lines = [];
  for (let y = 56, shift = 0; y < height - 4; y += 19, shift = 10 - shift) lines.push(`M${x + 5 + shift} ${y}q10 -10 20 0${crests}`);
  return lines.join("");
}

function ripples(x, column, height) {
  return [0.300, 0.520, 0.740, 0.930].map((part, index) => `M${x + 20 + (index % 2) * 24} ${height * part}h${column - 90}`).join("");
}

/** Clouds and rain over the open water; they are always there and seen in a storm only, so that they can come and go softly. */
function sky(track, column, height) {
  const open = track.flatMap((space, index) => (space.kind === "waves" ? [index] : []));
  const [x, width] = [Math.min(...open) * column, open.length * column];
  const rain = [];
  for (let at = x - 20; at < x + width; at += 22) for (let y = 50 + ((at * 7) % 40); y < height - 20; y += 58) rain.push(`M${at} ${y}l-7 22`);
  const cloud = (at, y, r) => `M${at - 2 * r} ${y}a${r} ${r} 0 0 1 ${r} -${r}a${1.2 * r} ${1.2 * r} 0 0 1 ${2.2 * r} 0a${r} ${r} 0 0 1 ${r} ${r}z`;
  return s(
    "g",
    { class: "storm-sky", "aria-hidden": "true" },
    s("rect", { x: 0, y: 0, width: track.length * column, height, class: "storm-dark" }),
    s("rect", { x, y: 0, width, height, class: "storm-deep" }),
    s("path", { d: rain.join(""), class: "rain" }),
    s("path", { d: cloud(x + width * 0.200, 72, 22) + cloud(x + width * 0.550, 84, 30) + cloud(x + width * 0.880, 70, 20), class: "cloud" }),
  );
}

function bolt(x, height) {
  return `M${x} 30l-14 ${height * 0.280}h13l-16 ${height * 0.280} 34 -${height * 0.340}h-14l14 -${height * 0.220}z`;
}

function ship(view, index, at, { x, y, scale }) {
  const name = view.board.colours[index];
  const sunk = view.sunk.includes(index);
  const tip = `${t("osaka.shipAt", { colour: t(`colours.${name}`), place: spaceName(view, at) })}${sunk ? `\n${t("osaka.sinks")}` : ""}\n${t(`osaka.space_${view.board.track[at].kind}`)}`;
  const drawn = s(
    "g",
    { key: `ship ${index}`, class: `ship${sunk ? " sunk" : ""}`, "data-target": `ship:${name}`, "data-tip": tip, "data-key": `ship:${index}`, "data-sig": at },
    s("rect", { x: -34, y: -42, width: 68, height: 54, class: "touch" }),
    s("g", { class: "ship-body" }, picture(name)),
  );
  return drawn.set("style", `transform: translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) scale(${scale.toFixed(3)})`);
}

/** Where the badges of a ship stand. @param {any} view @param {number} width @param {number} height @returns {[string, [number, number]][]} */
export function shipSpots(view, width, height) {
  const [column, lane] = [width / view.board.track.length, (height - TOP - 6) / view.ships.length];
  return view.ships.map((at, index) => [`ship:${view.board.colours[index]}`, [(at + 0.500) * column, TOP + lane * (index + 0.300)]]);
}

/** A ship, 56 wide; the hull's middle is 0, 0. @param {string} name its colour */
function picture(name) {
  return s(
    "g",
    {},
    s("path", { d: "M-2 -8V-38C-12 -32 -21 -22 -23 -8Z", class: `sail c-${name}` }),
    s("path", { d: "M2 -8V-38C15 -33 21 -22 23 -8Z", class: `sail c-${name}` }),
    s("path", { d: "M0 -41V-6", class: "mast" }),
    s("path", { d: "M-29 -8H29L20 9H-20Z", class: "hull" }),
    text(0, 5.500, t(`colours.${name}`)[0].toUpperCase(), { class: "ship-letter" }),
  );
}
