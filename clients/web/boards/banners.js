// @ts-check
/** A scene for each game, drawn for the cards of the home page and the heads of tables and rules: 360 × 130, cut at its sides where there is less room. */
import { picture, s } from "../draw.js";
import { initial, seatSign } from "../ui/match/shapes.js";

const path = (name, d, more = {}) => s("path", { d, class: `b-${name}`, ...more });
const disc = (name, cx, cy, r) => s("circle", { cx, cy, r, class: `b-${name}` });
const ground = (name, y, height) => s("rect", { x: 0, y, width: 360, height, class: `b-${name}` });

/** Rows of waves across the picture. @param {number[]} heights */
const swell = (heights) => path("wave", heights.map((y, row) => `M${row % 2 ? -14 : 0} ${y}${"q7 -6 14 0t14 0".repeat(14)}`).join(""));

/** A gabled house of a merchant: its left edge, its foot, its width and height. */
function house(x, y, wide, high, wall, roof) {
  const steps = wide / 6;
  const gable = `M${x} ${y - high}v${-steps}h${steps}v${-steps}h${steps}v${-steps}h${2 * steps}v${steps}h${steps}v${steps}h${steps}v${steps}z`;
  const panes = [0, 1].flatMap((row) => [0.2, 0.6].map((part) => `M${x + wide * part} ${y - high + 5 + row * 11}h${wide * 0.2}v6h${-wide * 0.2}z`)).join("");
  return [path(wall, `M${x} ${y}v${-high}h${wide}v${high}z`), path(roof, gable), path("pane", panes)];
}

/** A ship under sail; the middle of its hull is where it is put. */
function ship(x, y, size, sail) {
  return s("g", { transform: `translate(${x} ${y}) scale(${size})` }, path("hull", "M-29 -8H29L20 9H-20Z"), path(sail, "M-2 -10V-42C-12 -36 -21 -25 -23 -10Z"), path(sail, "M2 -10V-42C15 -37 21 -25 23 -10Z"), path("line", "M0 -46V-6"));
}

/** A stall of the fair with its awning. */
function stall(x, y, size, colour) {
  return s("g", { transform: `translate(${x} ${y}) scale(${size})` }, path("wall", "M-22 0V-30H22V0Z"), path("wood", "M-6 0V-17H6V0Z"), path(colour, "M-28 -26L-22 -44H22L28 -26C24 -20 18 -20 14 -26 10 -20 4 -20 0 -26 -4 -20 -10 -20 -14 -26 -18 -20 -24 -20 -28 -26Z"));
}

const SCENES = {
  hansa: () => [
    ground("sky", 0, 130), disc("sun", 292, 34, 17),
    path("far", "M0 78C50 60 96 66 150 74S270 58 360 72V130H0Z"),
    ground("sea", 88, 42), swell([96, 107, 118]),
    path("land", "M0 92C40 84 96 84 132 92L150 104C120 112 60 118 0 118Z"),
    house(14, 92, 24, 30, "brick", "wood"), house(40, 92, 22, 38, "wall", "red"), house(64, 92, 24, 26, "gold", "brick"), house(90, 92, 20, 33, "brick", "wood"),
    path("wood", "M122 100h42v3h-42zM128 103v12h3v-12zM154 103v12h3v-12z"),
    ship(226, 100, 0.95, "paper"), path("cross", "M214 70h10M219 65v10"), ship(312, 92, 0.55, "red"),
  ],
  joban: () => [
    ground("sky", 0, 130), disc("sun", 60, 36, 18),
    path("far", "M0 84L70 46 128 82 196 40 270 82 330 56 360 74V130H0Z"),
    ground("land", 92, 38),
    stall(62, 112, 0.95, "red"), stall(140, 106, 0.85, "green"), stall(236, 110, 0.95, "gold"), stall(320, 106, 0.85, "red"),
    path("line", "M0 20C60 44 120 44 180 26S300 14 360 36"),
    disc("red", 48, 40, 6), disc("gold", 108, 43, 6), disc("red", 168, 33, 6), disc("gold", 228, 22, 6), disc("red", 290, 22, 6), disc("gold", 342, 34, 6),
    path("dragon-edge", "M20 122C44 104 62 136 88 120S132 104 156 120 200 134 222 118"), path("dragon", "M20 122C44 104 62 136 88 120S132 104 156 120 200 134 222 118"),
    path("dragon-head", "M214 118L220 104 226 110 234 104 238 116 232 126 220 126Z"), disc("ink", 231, 115, 1.8),
  ],
  osaka: () => [
    ground("sky", 0, 130), disc("red", 66, 38, 17),
    path("fuji", "M214 92C250 80 266 50 280 32H300C314 50 330 80 366 92Z"), path("snow", "M280 32H300L311 50 303 56 296 48 290 60 283 48 276 56 269 50Z"),
    ground("sea", 84, 46), swell([92, 103, 114, 125]),
    ship(60, 100, 0.72, "red"), ship(126, 92, 0.62, "blue"), ship(190, 106, 0.8, "gold"), ship(258, 96, 0.64, "green"),
    path("crest", "M-10 130C-4 100 22 86 44 98C30 98 26 106 30 112C44 104 58 112 66 130Z"), path("foam", "M44 98l5 1-3 4 5 2-5 3 3 5-7-3-3 4-2-6-6 2 3-6z"),
  ],
  yokohama: () => [
    ground("sky", 0, 130), disc("sun", 300, 40, 16),
    path("far", "M0 80C60 62 120 74 180 66S300 66 360 58V130H0Z"),
    ground("sea", 94, 36), swell([102, 112, 122]),
    path("land", "M0 96H196L214 106H0Z"),
    path("wall", "M12 96V62H72V96ZM120 96V70H188V96Z"), path("brick", "M8 62L42 44 76 62ZM116 70L154 54 192 70Z"), path("pane", "M20 70h10v10H20zM38 70h10v10H38zM56 70h10v10H56zM130 78h9v9h-9zM150 78h9v9h-9zM170 78h9v9h-9z"),
    path("red", "M80 96V86H112V96ZM84 84V74H108V84ZM88 72V63H104V72Z"), path("ink", "M76 86C84 84 90 80 92 76H100C102 80 108 84 116 86ZM80 74C86 72 90 69 92 66H100C102 69 106 72 112 74ZM84 63C90 61 94 57 96 48 98 57 102 61 108 63Z"),
    s("g", { transform: "translate(276 104)" }, path("ink", "M-52 -8H54L44 10H-42Z"), path("wall", "M-30 -8V-18H30V-8Z"), path("red", "M-8 -18V-40H8V-18Z"), path("line", "M-36 -8V-46M34 -8V-46M-36 -44L-52 -12M34 -44L50 -12"), path("smoke", "M0 -44C-4 -54 10 -54 6 -64 16 -62 30 -70 26 -78 44 -72 40 -58 24 -56 22 -48 8 -44 0 -44Z")),
  ],
};

/** @param {string} game @param {boolean} [isWide] the scene with its mirrored like on both sides, for the head of a page */
export function banner(game, isWide = false) {
  const scene = SCENES[game] ?? SCENES.hansa;
  const mirrored = (x) => s("g", { transform: `translate(${x} 0) scale(-1 1)` }, scene());
  return s("svg", { viewBox: isWide ? "-300 0 960 130" : "0 0 360 130", preserveAspectRatio: "xMidYMax slice", class: "banner", "aria-hidden": "true" }, isWide ? [mirrored(0), mirrored(720)] : null, scene());
}

/** The sign of a winner in a wreath of laurel. @param {number} seat @param {string} colour @param {string} name */
export function laurel(seat, colour, name) {
  const leaf = "M0 0C-5 -3 -6 -9 -2 -14C3 -10 4 -4 0 0Z";
  const leaves = [-1, 1].flatMap((side) => [20, 46, 72, 98, 124, 150].map((angle) => s("path", { d: leaf, class: "leaf", transform: `rotate(${side * angle}) translate(0 36) rotate(${side * -62})` })));
  return picture(100, 100, { class: "laurel" }, s("circle", { cx: 50, cy: 50, r: 44, class: "laurel-paper" }), s("circle", { cx: 50, cy: 50, r: 44, class: "laurel-rim" }), s("g", { transform: "translate(50 50)" }, leaves), s("g", { transform: "translate(50 50)" }, seatSign(seat, colour, initial(name), 20)));
}
