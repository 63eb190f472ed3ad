// @ts-check
/** A small sign for each game. */
import { picture, s } from "../draw.js";

const DRAWINGS = {
  osaka: () => [
    s("path", { d: "M6 44c6-5 10-5 16 0s10 5 16 0 10-5 16 0v12H6z", class: "e-sea" }),
    s("path", { d: "M14 38h34l-6 9H20z", class: "e-wood" }),
    s("path", { d: "M30 8v28H14C21 28 27 19 30 8z", class: "e-paper" }),
    s("path", { d: "M33 12c7 7 11 15 12 24H33z", class: "e-gold" }),
  ],
  joban: () => [
    s("path", { d: "M10 26h40v26H10z", class: "e-paper" }),
    s("path", { d: "M6 28L12 12h36l6 16c-4 5-8 5-12 0-4 5-8 5-12 0-4 5-8 5-12 0-4 5-8 5-12 0z", class: "e-red" }),
    s("path", { d: "M22 52V38h16v14z", class: "e-wood" }),
    s("circle", { cx: 30, cy: 20, r: 4, class: "e-gold" }),
  ],
  yokohama: () => [
    s("path", { d: "M30 6l10 8H20zM10 26h16v10H10zM34 26h16v10H34zM22 14h16v10H22zM4 40h16v12H4zM22 40h16v12H22zM40 40h16v12H40z", class: "e-wood" }),
    s("path", { d: "M24 18h12M12 30h12M36 30h12M6 45h12M24 45h12M42 45h12", class: "e-line" }),
  ],
  hansa: () => [
    s("path", { d: "M10 46L26 18 48 30 38 50z", class: "e-route" }),
    s("rect", { x: 3, y: 39, width: 14, height: 14, rx: 2, class: "e-red" }),
    s("rect", { x: 19, y: 10, width: 14, height: 14, rx: 2, class: "e-wood" }),
    s("rect", { x: 42, y: 22, width: 14, height: 14, rx: 2, class: "e-gold" }),
    s("rect", { x: 32, y: 43, width: 14, height: 14, rx: 2, class: "e-sea" }),
  ],
};

/** @param {string} game @param {number} [size] */
export function emblem(game, size = 60) {
  const out = picture(60, 60, { class: "emblem" }, ...(DRAWINGS[game] ?? DRAWINGS.hansa)());
  out.set("width", String(size));
  out.set("height", String(size));
  return out;
}
