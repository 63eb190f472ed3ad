// @ts-check
/** Signs for seats and goods. Shape and letter distinguish them; colour only repeats that. */
import { picture, s, text } from "../../draw.js";

const SEAT_SHAPES = [
  (r) => s("circle", { r }),
  (r) => s("rect", { x: -r * 0.9, y: -r * 0.9, width: r * 1.8, height: r * 1.8, rx: r * 0.15 }),
  (r) => s("path", { d: `M0 ${-r * 1.15}L${r * 1.1} ${r * 0.85}H${-r * 1.1}Z` }),
  (r) => s("path", { d: `M0 ${-r * 1.2}L${r * 1.2} 0 0 ${r * 1.2} ${-r * 1.2} 0Z` }),
  (r) => s("path", { d: `M${-r} ${-r * 0.55}L0 ${-r * 1.1} ${r} ${-r * 0.55}V${r * 0.55}L0 ${r * 1.1} ${-r} ${r * 0.55}Z` }),
];

/**
 * The sign of a seat: its shape in its colour with a letter.
 * @param {number} seat @param {string} colour @param {string} letter @param {number} [r]
 */
export function seatSign(seat, colour, letter, r = 9) {
  const shape = SEAT_SHAPES[seat % SEAT_SHAPES.length](r);
  shape.set("class", `piece p-${colour}`);
  const drop = seat % 5 === 2 ? r * 0.28 : 0;
  return s(
    "g",
    {},
    shape,
    letter && text(0, r * 0.42 + drop, letter, { class: `piece-letter on-${colour}`, "font-size": r * (seat === 2 ? 1 : 1.2) }),
  );
}

/** @param {number} seat @param {string} colour @param {string} name @param {number} [size] */
export function seatPicture(seat, colour, name, size = 22) {
  const sign = seatSign(seat, colour, initial(name), 8.4);
  sign.set("transform", "translate(11 11)");
  const out = picture(22, 22, { class: "seat-sign" }, sign);
  out.set("width", String(size));
  out.set("height", String(size));
  return out;
}

/** The first letter of a name. @param {string} name */
export function initial(name) {
  return [...name.trim()][0]?.toLocaleUpperCase() ?? "?";
}

const GOOD_SHAPES = {
  red: (r) => s("circle", { r }),
  blue: (r) => s("rect", { x: -r * 0.88, y: -r * 0.88, width: r * 1.76, height: r * 1.76, rx: r * 0.2 }),
  yellow: (r) => s("path", { d: `M0 ${-r * 1.1}L${r * 1.1} ${r * 0.9}H${-r * 1.1}Z` }),
  green: (r) => s("path", { d: `M0 ${-r * 1.15}L${r * 1.05} 0 0 ${r * 1.15} ${-r * 1.05} 0Z` }),
};

/** A coloured shape for red, blue, yellow and green things. @param {string} colour @param {number} r */
export function goodShape(colour, r) {
  const shape = (GOOD_SHAPES[colour] ?? GOOD_SHAPES.red)(r);
  shape.set("class", `good c-${colour}`);
  return shape;
}
