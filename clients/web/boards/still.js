// @ts-check
/** Pictures for the rules: a board's own drawing of a small prepared position, which nobody can click. */
import { each, s } from "../draw.js";

/** @typedef {import("../draw.js").Drawn} Drawn */

export const NAMES = ["Ann", "Bert", "Cleo"];
const LIVE = ["data-target", "data-try", "data-tip", "data-at", "data-about", "data-key", "data-sig", "tabindex", "role", "aria-label"];

/** The eyes of a prepared position: Ann looks, and nothing can be chosen. @param {Record<string, any[]>} [figures] @param {any[]} [menu] */
export function eyes(figures = {}, menu = []) {
  return { names: NAMES, menu, seat: 0, figures };
}

/** What stands on an element in a picture. @param {string} id @param {number} amount @param {number | null} [seat] */
export function figure(id, amount, seat = 0) {
  return { id, amount, seat, text: "" };
}

/** A drawing as a picture: some of its elements are lit, none can be reached. @param {Drawn} drawn @param {string[]} [lit] targets @returns {Drawn} */
export function still(drawn, lit = []) {
  each([drawn], (part) => {
    if (lit.includes(part.get("data-target") ?? "")) part.mark("can");
    for (const name of LIVE) delete part.attributes[name];
  });
  return drawn;
}

/** The part of a drawing that a picture shows. @param {Drawn} drawn @param {number} x @param {number} y @param {number} width @param {number} height */
export function crop(drawn, x, y, width, height) {
  return drawn.set("viewBox", `${x} ${y} ${width} ${height}`).set("style", `max-width: ${width}px`);
}

/** Parts of a board as a picture of their own. @param {number} width @param {number} height @param {...any} parts */
export function sheet(width, height, ...parts) {
  return crop(s("svg", { class: "board-art" }, ...parts), 0, 0, width, height);
}
