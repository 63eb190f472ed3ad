// @ts-check
/** Goods, coins and countries of Yokohama as small drawings with their number. */
import { h, picture, s, text } from "../draw.js";
import { t } from "../words.js";

const SIGNS = {
  points: () => [s("path", { d: "M0 -11l3 2 3.600-.4 1.400 3.300 2.900 2.200-1.100 3.400.6 3.600-3.300 1.500L4.500 9 1 8.500-2.500 9.500-4.900 6.900-8.400 6l-.2-3.600L-10.500 -.7-8.100 -3.400-7.400 -7l3.600-.6z", class: "i-points" })],
  yen: () => [s("circle", { r: 8, class: "i-yen" }), text(0, 4, "¥", { class: "i-word" })],
  copper: () => [s("path", { d: "M-9 6L-6 -6H6L9 6Z", class: "i-copper" })],
  silk: () => [s("path", { d: "M-7 -8H7V-5H4V5H7V8H-7V5H-4V-5H-7Z", class: "i-silk" })],
  tea: () => [s("path", { d: "M-8 7C-8 -4 0 -9 8 -8 9 2 3 8 -8 7ZM-8 7L4 -4", class: "i-tea" })],
  fish: () => [s("path", { d: "M-9 0C-5 -7 3 -7 6 0L10 -5V5L6 0C3 7 -5 7 -9 0Z", class: "i-fish" })],
  import: () => [s("path", { d: "M-8 -7H8V7H-8ZM-8 -7L8 7M8 -7L-8 7", class: "i-import" })],
  any_good: () => [s("path", { d: "M-8 -7H8V7H-8Z", class: "i-any" }), text(0, 4, "?", { class: "i-word" })],
  warehouse: () => [s("path", { d: "M-9 8V-2L0 -9 9 -2V8H3V1H-3V8Z", class: "i-house" })],
  move: () => [s("path", { d: "M-9 -3H1V-8L9 0 1 8V3H-9Z", class: "i-move" })],
  free_agent: () => [s("circle", { cy: -4, r: 4, class: "i-agent" }), s("path", { d: "M-7 9C-7 0 7 0 7 9Z", class: "i-agent" })],
  assistant: () => [s("rect", { x: -6, y: -6, width: 12, height: 12, rx: 2, class: "i-agent" })],
  shop: () => [s("path", { d: "M-8 8V-2H8V8ZM-9 -2L-6 -8H6L9 -2Z", class: "i-shop" })],
  trading_house: () => [s("path", { d: "M-9 8V-3L0 -9 9 -3V8ZM-3 8V2H3V8", class: "i-shop" })],
};

/** The drawing of a thing around its middle. @param {string} name */
export function sign(name) {
  return s("g", {}, (SIGNS[name] ?? SIGNS.any_good)());
}

/** A thing with its number, for running text. @param {string} name @param {any} count @param {string} [extra] */
export function chip(name, count, extra = "") {
  return h(
    "span",
    { class: `chip ${extra}`, "data-tip": t("yokohama.has", { n: count, what: t(`yokohama.${name}`) }) },
    picture(22, 22, {}, s("g", { transform: "translate(11 11)" }, sign(name))),
    h("span", { class: "unseen" }, `${t(`yokohama.${name}`)} `),
    h("b", {}, count),
  );
}

/** @param {Record<string, number>} reward */
export function chips(reward) {
  return Object.entries(reward).map(([name, count]) => chip(name, count));
}

/** A reward in words. @param {Record<string, number>} reward */
export function rewardWords(reward) {
  return Object.entries(reward).map(([name, count]) => `${count} ${t(`yokohama.${name}`)}`).join(", ");
}

/**
 * A reward drawn inside a board, centred.
 * @param {Record<string, number>} reward @param {number} x @param {number} y @param {number} [scale]
 */
export function rewardMark(reward, x, y, scale = 0.75) {
  const parts = Object.entries(reward);
  const step = 22;
  return parts.map(([name, count], index) =>
    s(
      "g",
      { transform: `translate(${x + (index - (parts.length - 1) / 2) * step * scale} ${y}) scale(${scale})` },
      sign(name),
      count > 1 || name === "points" ? text(name === "points" ? 0 : 8, name === "points" ? 4.500 : 11, count, { class: name === "points" ? "i-number" : "i-count" }) : null,
    ),
  );
}

/** A country's badge. @param {string} country */
export function country(country) {
  return h("span", { class: `country k-${country}`, "data-tip": t(`yokohama.${country}`) }, t(`yokohama.code_${country}`));
}
