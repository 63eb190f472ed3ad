// @ts-check
/** Goods, coins, pieces and flags of Yokohama as small drawings with their number. */
import { h, picture, s, still, text } from "../../draw.js";
import { t } from "../../words.js";

const SIGNS = {
  points: () => [s("circle", { r: 11.500, class: "i-points" }), s("circle", { r: 9.500, class: "i-points-ring" })],
  yen: () => [s("circle", { r: 8.500, class: "i-yen" }), s("path", { d: "M-4 -5L0 0 4 -5M0 0V6M-3.500 1H3.500M-3.500 3.500H3.500", class: "i-yen-line" })],
  copper: () => [s("path", { d: "M-10 6L-6.500 -2H6.500L10 6Z", class: "i-copper" }), s("path", { d: "M-5 -3L-3 -8H3L5 -3Z", class: "i-copper" })],
  silk: () => [s("path", { d: "M-8 -8H8V-4.500H5V4.500H8V8H-8V4.500H-5V-4.500H-8Z", class: "i-silk" }), s("path", { d: "M-5 -2H5M-5 2H5", class: "i-line" })],
  tea: () => [s("path", { d: "M-8 7C-8 -4 0 -9 8 -8 9 2 3 8 -8 7Z", class: "i-tea" }), s("path", { d: "M-8 7L4 -4", class: "i-line" })],
  fish: () => [s("path", { d: "M-9 0C-5 -7 3 -7 6 0L10 -5V5L6 0C3 7 -5 7 -9 0Z", class: "i-fish" }), s("circle", { cx: -4, cy: -1, r: 1.200, class: "i-eye" })],
  import: () => [s("path", { d: "M-9 -7H9V7H-9Z", class: "i-import" }), s("path", { d: "M-9 -7L9 7M9 -7L-9 7", class: "i-line" })],
  any_good: () => [s("path", { d: "M-8 -8H8V8H-8Z", class: "i-any" }), text(0, 5, "?", { class: "i-word" })],
  warehouse: () => [s("path", { d: "M-9 8V-2L0 -9 9 -2V8H4V1H-4V8Z", class: "i-house" })],
  move: () => [s("path", { d: "M-9 -3H1V-8L9 0 1 8V3H-9Z", class: "i-move" })],
  free_agent: () => [s("circle", { cy: -4, r: 4.500, class: "i-agent" }), s("path", { d: "M-8 9C-8 0 8 0 8 9Z", class: "i-agent" })],
  assistant: () => [s("rect", { x: -7, y: -7, width: 14, height: 14, rx: 2, class: "i-agent" })],
  shop: () => [s("path", { d: "M-7 8V-1H7V8Z", class: "i-shop" }), s("path", { d: "M-9 -1L-6 -8H6L9 -1Z", class: "i-roof" })],
  trading_house: () => [s("path", { d: "M-9 9V-2H9V9Z", class: "i-shop" }), s("path", { d: "M-10 -2L0 -10 10 -2Z", class: "i-roof" }), s("path", { d: "M-3 9V3H3V9Z", class: "i-door" })],
  production: () => [s("path", { d: GEAR, class: "i-gear", "fill-rule": "evenodd" })],
  faith: () => [s("path", { d: "M-2 -9H2V-4H7V0H2V9H-2V0H-7V-4H-2Z", class: "i-faith" })],
  level: () => [s("path", { d: "M-8 8V3H-3V-2H2V-7H8V8Z", class: "i-level" })],
};
const GEAR = "M-2 -9H2L2.600 -6.400 5 -7.400 7.400 -5 6.400 -2.600 9 -2V2L6.400 2.600 7.400 5 5 7.400 2.600 6.400 2 9H-2L-2.600 6.400 -5 7.400 -7.400 5 -6.400 2.600 -9 2V-2L-6.400 -2.600 -7.400 -5 -5 -7.400 -2.600 -6.400ZM0 -3A3 3 0 1 0 .01 -3Z";

/** Whether a thing has a drawing. @param {string} name */
export function isDrawn(name) {
  return name !== "points" && name in SIGNS;
}

/** The drawing of a thing around its middle, about 20 wide. @param {string} name */
export function sign(name) {
  return still(`yokohama ${name}`, () => s("g", {}, (SIGNS[name] ?? SIGNS.any_good)()));
}

/** A thing with its number below one another in a board. @param {string} name @param {any} count @param {number} x @param {number} y @param {number} [scale] */
export function counted(name, count, x, y, scale = 1) {
  const inside = name === "points";
  return still(`yokohama ${name} ${count} ${x} ${y} ${scale}`, () => s("g", { transform: `translate(${x} ${y}) scale(${scale})` }, sign(name), inside ? text(0, 4.500, count, { class: "i-number" }) : count === null ? null : text(17, 5, count, { class: "i-count" })));
}

/** The width of a thing with its number. @param {string} name @param {any} count @param {number} scale */
function wide(name, count, scale) {
  return (name === "points" || count === null ? 23 : 24 + String(count).length * 9) * scale;
}

/** Things side by side around x; one that comes alone needs no number; they shrink to their room. @param {Record<string, number>} reward @param {number} x @param {number} y @param {number} [most] scale @param {boolean} [always] @param {number} [room] */
export function row(reward, x, y, most = 1, always = false, room = Infinity) {
  const parts = Object.entries(reward).map(([name, count]) => ({ name, count: always || count > 1 || name === "points" ? count : null }));
  const scale = Math.min(most, (room - 7 * (parts.length - 1)) / parts.reduce((sum, part) => sum + wide(part.name, part.count, 1), 0));
  const widths = parts.map((part) => wide(part.name, part.count, scale) + 7);
  let left = x - widths.reduce((sum, width) => sum + width, -7) / 2;
  return parts.map((part, index) => {
    const at = left + 11.500 * scale;
    left += widths[index];
    return counted(part.name, part.count, at, y, scale);
  });
}

/** A reward below one another, for a narrow place. @param {Record<string, number>} reward @param {number} x @param {number} y @param {number} [scale] */
export function stack(reward, x, y, scale = 1) {
  const parts = Object.entries(reward);
  return parts.map(([name, count], index) => {
    const alone = count === 1 && name !== "points";
    return counted(name, alone ? null : count, x - (name === "points" || alone ? 0 : 7 * scale), y + (index - (parts.length - 1) / 2) * 19 * scale, scale);
  });
}

/** A thing with its number, for running text. @param {string} name @param {any} count @param {string} [extra] @param {Record<string, any>} [attributes] */
export function chip(name, count, extra = "", attributes = {}) {
  return h(
    "span",
    { class: `chip ${extra}`, "data-tip": t("yokohama.has", { n: count, what: t(`yokohama.${name}`) }), ...attributes },
    picture(24, 24, {}, s("g", { transform: "translate(12 12)" }, sign(name))),
    h("span", { class: "unseen" }, `${t(`yokohama.${name}`)} `),
    h("b", {}, count),
  );
}

/** A reward in words. @param {Record<string, number>} reward */
export function rewardWords(reward) {
  return Object.entries(reward).map(([name, count]) => `${count} ${t(`yokohama.${name}`)}`).join(", ");
}

const FLAGS = {
  usa: () => [stripes(["#b22234", "#fff", "#b22234", "#fff", "#b22234"], 18), s("rect", { x: -13, y: -9, width: 12, height: 10.800, fill: "#3c3b6e" }), s("path", { d: "M-10 -6.500H-9M-6 -6.500H-5M-8 -4H-7M-4 -4H-3M-10 -1.500H-9M-6 -1.500H-5", stroke: "#fff", "stroke-width": 1.600 })],
  netherlands: () => [stripes(["#ae1c28", "#fff", "#21468b"], 18)],
  uk: () => [s("rect", { x: -13, y: -9, width: 26, height: 18, fill: "#012169" }), s("path", { d: "M-13 -9L13 9M13 -9L-13 9", stroke: "#fff", "stroke-width": 3.600 }), s("path", { d: "M-13 0H13M0 -9V9", stroke: "#fff", "stroke-width": 6 }), s("path", { d: "M-13 0H13M0 -9V9", stroke: "#c8102e", "stroke-width": 3.200 })],
  france: () => ["#0055a4", "#fff", "#ef4135"].map((fill, index) => s("rect", { x: -13 + (index * 26) / 3, y: -9, width: 26 / 3 + 0.200, height: 18, fill })),
  germany: () => [stripes(["#000", "#fff", "#d00"], 18)],
};

function stripes(colours, height) {
  const step = height / colours.length;
  return s("g", {}, colours.map((fill, index) => s("rect", { x: -13, y: -height / 2 + index * step, width: 26, height: step + 0.200, fill })));
}

/** A country's flag as it flew then, 26 × 18 around its middle. @param {string} name */
export function flag(name) {
  if (!FLAGS[name]) return sign("free_agent");
  return s("g", { class: "flag-of" }, FLAGS[name](), s("rect", { x: -13, y: -9, width: 26, height: 18, class: "flag-edge" }));
}

/** A flag in a flow of text. @param {string} name @param {any} [count] @param {Record<string, any>} [attributes] */
export function flagChip(name, count = null, attributes = {}) {
  const what = name === "free" ? t("yokohama.free_agent") : t(`yokohama.${name}`);
  return h("span", { class: "chip", "data-tip": what, ...attributes }, picture(30, 22, {}, s("g", { transform: "translate(15 11)" }, flag(name))), h("span", { class: "unseen" }, `${what} `), count === null ? null : h("b", {}, count));
}
