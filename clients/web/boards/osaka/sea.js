// @ts-check
/**
 * The sea between Osaka and Edo with its four ships. A ship's place is a style, so that it sails there instead of jumping; in a storm the sky
 * darkens over the open water, rain falls, and the ships that sink heel over.
 */
import { s, text } from "../../draw.js";
import { t } from "../../words.js";

const TOP = 44;
/** Rays of light behind a ship that has come home. */
const RAYS = Array.from({ length: 12 }, (_, ray) => {
  const at = (angle, far) => `${(Math.cos(angle) * far).toFixed(1)} ${(Math.sin(angle) * far - 14).toFixed(1)}`;
  const turn = (ray * Math.PI) / 6;
  return `M${at(turn - 0.09, 20)}L${at(turn - 0.13, 46)} ${at(turn + 0.13, 46)} ${at(turn + 0.09, 20)}Z`;
}).join("");

/** @param {any} view @param {number} width @param {number} height */
export function sea(view, width, height) {
  const track = view.board.track;
  const column = width / track.length;
  const lane = (height - TOP - 6) / view.ships.length;
  const storm = view.sunk.length > 0;
  return s(
    "g",
    { class: `sea${storm ? " storm" : ""}`, role: "group", "aria-label": words(view) },
    track.map((space, index) => ground(space, index * column, column, height)),
    view.ships.map((_, index) => s("path", { d: `M${column * 0.900} ${TOP + lane * (index + 0.860)}H${width - column * 0.900}`, class: "lane" })),
    sky(track, column, height),
    view.board.colours.flatMap((name, index) => track.map((space, place) => s("rect", { x: (place + 0.500) * column - 1, y: TOP + lane * (index + 0.550), width: 2, height: 2, class: "touch", "data-at": `space:${space.id}:${name}` }))),
    view.ships.map((at, index) => ship(view, index, at, { x: at * column + column / 2, y: TOP + lane * (index + 0.800), scale: lane / 55 })),
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
  const shore = (edge, way) => s("path", { d: `M${edge} 0${"q6 12 0 24t0 24".repeat(Math.ceil(height / 48))}V${height}H${edge - way * column}V0Z`, class: `sea-${space.kind}` });
  const art = {
    start: () => [shore(x + column - 12, 1), castle(x + 5, height)],
    goal: () => [shore(x + 12, -1), s("path", { d: mountain(middle + 18, height), class: "fuji" }), s("path", { d: snow(middle + 18, height), class: "snow" })],
    waves: () => s("path", { d: waves(x, column, height), class: "wave" }),
    shelter: () => [s("path", { d: ripples(x, column, height), class: "wave calm" }), s("path", { d: `M${middle} ${height - 40}v24M${middle - 8} ${height - 33}h16M${middle - 13} ${height - 24}c3 11 23 11 26 0`, class: "anchor" })],
    safe: () => s("path", { d: ripples(x, column, height), class: "wave calm" }),
  };
  const isLand = space.kind === "start" || space.kind === "goal";
  return s("g", { "data-about": space.kind === "waves" ? "storm" : space.kind === "goal" ? "sale" : "sailing", "data-tip": `${space.name}\n${t(`osaka.space_${space.kind}`)}` }, s("rect", { x, y: 0, width: column + 0.500, height, class: isLand ? (space.kind === "start" ? "sea-safe" : "sea-waves") : `sea-${space.kind}` }), art[space.kind]?.());
}

/** The castle of Osaka beside the quay: stone, white walls, three roofs. */
function castle(x, height) {
  const at = (name, d) => s("path", { d, class: `castle-${name}`, transform: `translate(${x} ${height})` });
  return [at("stone", "M0 0L6 -26H46L52 0Z"), at("wall", "M10 -26V-42H42V-26ZM15 -52V-62H37V-52ZM20 -72V-80H32V-72Z"), at("roof", "M2 -42C10 -44 14 -48 16 -53H36C38 -48 42 -44 50 -42ZM8 -62C14 -64 18 -67 20 -72H32C34 -67 38 -64 44 -62ZM14 -80C20 -82 24 -86 26 -92 28 -86 32 -82 38 -80Z")];
}

function mountain(x, height) {
  return `M${x - 96} ${height}C${x - 46} ${height - 34} ${x - 28} ${height - 96} ${x - 14} ${height - 112}H${x + 14}C${x + 28} ${height - 96} ${x + 46} ${height - 34} ${x + 96} ${height}Z`;
}

function snow(x, height) {
  return `M${x - 14} ${height - 112}H${x + 14}L${x + 28} ${height - 86} ${x + 17} ${height - 80} ${x + 8} ${height - 90} ${x} ${height - 76} ${x - 9} ${height - 90} ${x - 18} ${height - 80} ${x - 28} ${height - 86}Z`;
}

function waves(x, column, height) {
  const crests = "t20 0".repeat(Math.floor((column - 30) / 20) - 1);
  const lines = [];
  for (let y = 56, shift = 0; y < height - 4; y += 19, shift = 10 - shift) lines.push(`M${x + 5 + shift} ${y}q10 -10 20 0${crests}`);
  return lines.join("");
}

function ripples(x, column, height) {
  return [0.260, 0.420, 0.580, 0.740, 0.900].map((part, index) => `M${x + 24 + (index % 2) * 60} ${height * part}q10 -7 20 0t20 0t20 0`).join("");
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
    text(x + width / 2, height * 0.520, t("osaka.storm"), { class: "storm-word" }),
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
    view.board.track[at].kind === "goal" ? s("path", { d: RAYS, class: "ship-rays" }) : null,
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
