// @ts-check
/** Cards and tokens of Osaka. */
import { s, text } from "../../draw.js";
import { t } from "../../words.js";
import { goodShape } from "../../ui/match/shapes.js";

const BACK = "M14 60h36l-7 11H21zM31 20v38H15c8-10 13-22 16-38z"; // a sail on a hull
/** A card is drawn 64 × 88; boards scale it. */
export const CARD = { wide: 64, high: 88 };

/** A card face: colour, value, shields. @param {any} view @param {any} item @param {...any} extra */
export function face(view, item, ...extra) {
  const name = view.board.colours[item.colour];
  const good = goodShape(name, 13);
  good.set("transform", "translate(32 44)");
  const icons = Array.from({ length: item.icons }, (_, index) => s("path", { d: `M${32 - (item.icons - 1) * 7 + index * 14 - 5} 66h10v4c0 4-3 6-5 7c-2-1-5-3-5-7z`, class: "shield" }));
  return s(
    "g",
    { class: "card" },
    s("rect", { x: 1.500, y: 1.500, width: 61, height: 85, rx: 7, class: "card-paper" }),
    s("path", { d: "M1.500 24V8.500a7 7 0 0 1 7-7h47a7 7 0 0 1 7 7V24z", class: `c-${name}` }),
    text(10, 18, t(`colours.${name}`)[0].toUpperCase(), { class: `card-letter on-${name}` }),
    text(54, 19, item.value, { class: `card-value on-${name}` }),
    good,
    text(32, 49, item.value, { class: `good-value on-${name}` }),
    icons,
    s("rect", { x: 1.500, y: 1.500, width: 61, height: 85, rx: 7, class: "card-rim" }),
    item.insured ? s("path", { d: "M32 60l9 3v8c0 7-6 10-9 12c-3-2-9-5-9-12v-8z", class: "insured" }) : null,
    ...extra,
  );
}

/** The back of a card. @param {string} [kind] */
export function back(kind = "") {
  return s("g", { class: "card" }, s("rect", { x: 1.500, y: 1.500, width: 61, height: 85, rx: 7, class: `card-back ${kind}` }), s("path", { d: BACK, class: "card-back-sign" }));
}

/** A card in words. @param {any} view @param {any} item */
export function about(view, item) {
  const name = t(`colours.${view.board.colours[item.colour]}`);
  return `${t("osaka.card", { colour: name, value: item.value })}\n${t("osaka.icons", { n: item.icons })}`;
}

/** An achievement token: an octagon in its colour with its letter. @param {string} name @param {number} r @param {any} [words] */
export function token(name, r, words = t(`colours.${name}`)[0].toUpperCase()) {
  const points = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => `${(r * Math.cos((k * Math.PI) / 4 + Math.PI / 8)).toFixed(1)},${(r * Math.sin((k * Math.PI) / 4 + Math.PI / 8)).toFixed(1)}`).join(" ");
  return s("g", {}, s("polygon", { points, class: `token c-${name}` }), text(0, r * 0.380, words, { class: `token-letter on-${name}`, "font-size": r * 0.950 }));
}

/** Equal cards lie on one another: one of each with its number. @param {any[]} cards */
export function piled(cards) {
  /** @type {Map<string, {item: any, count: number}>} */
  const found = new Map();
  for (const item of cards) {
    const key = `${item.card} ${item.insured ?? 0}`;
    found.set(key, { item, count: (found.get(key)?.count ?? 0) + 1 });
  }
  return [...found.values()].sort((a, b) => a.item.colour - b.item.colour || b.item.value - a.item.value);
}
