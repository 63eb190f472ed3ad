// @ts-check
/** The boards around the city of Yokohama: church, customs house, laboratories, ports, achievements, agents. */
import { again, s, stamp, still, text } from "../../draw.js";
import { knows, t } from "../../words.js";
import { initial, seatSign } from "../../ui/match/shapes.js";
import { broken } from "../lines.js";
import { owner } from "./city.js";
import { flag, rewardWords, row, sign, stack } from "./icons.js";

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** A sheet with a title. @param {Box} box @param {string} title @param {any} label @param {...any} parts */
function sheet({ x, y, width, height }, title, label, ...parts) {
  return s(
    "g",
    { transform: `translate(${x} ${y})`, class: "panel-art" },
    s("rect", { x: 0, y: 0, width, height, rx: 8, class: "panel-paper" }),
    text(9, 17, title, { class: "panel-title" }),
    label ? text(width - 9, 17, label, { class: "panel-note" }) : null,
    ...parts,
  );
}

/** Church or customs: spaces with what they need and bring. @param {any} view @param {{names: string[]}} at @param {"church" | "customs"} name @param {Box} box */
export function track(view, at, name, box) {
  const board = view[name];
  const columns = Math.ceil(board.spaces.length / 2);
  const table = stamp([at.names, view.players.map((player) => player.colour), name, columns, box]);
  return sheet(
    box,
    t(`yokohama.${name}`),
    t("yokohama.takenShort", { taken: board.taken, end: board.end }),
    board.spaces.map((space, index) => again(`space ${table} ${index} ${JSON.stringify(space)}`, () => spaceAt(view, at, name, box, columns, index))),
  );
}

function spaceAt(view, at, name, box, columns, index) {
  const space = view[name].spaces[index];
  const [wide, high] = [(box.width - 10) / columns, (box.height - 26) / 2];
  const slim = wide < 70; // what a space needs above what it brings
  const need = slim ? { x: wide / 2 - 10, y: 18, words: [wide / 2 + 10, 23] } : { x: 15, y: high / 2 - 10, words: [15, high / 2 + 17] };
  return s(
    "g",
    { transform: `translate(${5 + (index % columns) * wide} ${23 + Math.floor(index / columns) * high})`, class: `space${space.owner === null ? "" : " held"}`, "data-target": `${name}:${index}`, "data-try": `${name === "church" ? "worship" : "clear"} ${index + 1} area`, "data-tip": t(`yokohama.${name}Space`, { need: space.need, reward: rewardWords(space.reward) }) + (space.owner === null ? "" : `\n${owner(at, space.owner)}`), "data-sig": space.owner },
    s("rect", { x: 1, y: 1, width: wide - 3, height: high - 3, rx: 5, class: "space-box" }),
    s("g", { transform: `translate(${need.x} ${need.y}) scale(.8)` }, sign(name === "church" ? "faith" : "import")),
    text(need.words[0], need.words[1], space.need, { class: "space-need" }),
    held(view, at, space, slim ? wide / 2 : (wide + 28) / 2, slim ? high / 2 + 14 : high / 2),
  );
}

function held(view, at, space, x, y) {
  if (space.owner === null) return stack(space.reward, x, y, 0.900);
  if (space.owner === "neutral") return text(x, y + 5, "–", { class: "space-need" });
  return s("g", { transform: `translate(${x} ${y})` }, seatSign(space.owner, view.players[space.owner].colour, initial(at.names[space.owner]), 13));
}

/** A laboratory: technologies. @param {any} lab @param {Box} box @param {boolean} [isFar] seen from across the room */
export function laboratory(lab, box, isFar = false) {
  return cards(box, t(`yokohama.${lab.id}`), lab.slots, "technologies", (slot, index, wide, high) => technology(slot.card, wide, high, { "data-target": `lab:${lab.index}:${index}`, "data-try": `research ${index + 1}`, "data-sig": slot.card.face }, slot.surcharge, isFar));
}

/** A port: orders. @param {any} port @param {Box} box */
export function port(port, box) {
  return cards(box, t(`yokohama.${port.id}`), port.slots, "orders", (slot, index, wide, high) => order(slot.card, wide, high, { "data-target": `port:${port.index}:${index}`, "data-try": `take ${index + 1}`, "data-sig": slot.card.face }, slot.level));
}

function cards(box, title, slots, deck, draw) {
  const wide = (box.width - 6) / slots.length;
  const high = box.height - 26;
  return sheet(
    box,
    title,
    null,
    s("rect", { x: box.width - 40, y: 4, width: 30, height: 16, class: "touch", "data-at": `deck:${deck}` }),
    slots.map((slot, index) => s("g", { transform: `translate(${4 + index * wide} 23)` }, slot.card ? draw(slot, index, wide - 4, high) : s("rect", { x: 1, y: 1, width: wide - 6, height: high - 3, rx: 6, class: "card-empty" }))),
  );
}

/** A technology: its name, its country, what it needs and, where there is room, what it does. @param {any} card @param {number} wide @param {number} high @param {Record<string, any>} attributes @param {number} [surcharge] @param {boolean} [isFar] */
export function technology(card, wide, high, attributes, surcharge = 0, isFar = false) {
  return s(
    "g",
    { class: "card-art tech", "data-tip": `${card.name} (${t(`yokohama.${card.country}`)})\n${card.effect}\n${t("yokohama.techCost", { n: card.production, more: surcharge })}`, ...attributes },
    still(`technology ${card.name} ${wide} ${high} ${surcharge} ${isFar}`, () => (isFar ? farFace(card, wide, high, surcharge) : technologyFace(card, wide, high, surcharge))),
  );
}

function technologyFace(card, wide, high, surcharge) {
  const room = Math.floor((wide - 8) / 7.300);
  const small = Math.floor((wide - 10) / 6.200);
  const name = broken(card.name, room, 2);
  const effect = high > 110 || wide > 130 ? broken(card.effect, small, Math.max(1, Math.floor((high - 36 - name.length * 15) / 13))) : [];
  return s(
    "g",
    {},
    s("rect", { x: 0, y: 0, width: wide, height: high, rx: 6, class: "card-sheet" }),
    name.map((line, index) => text(wide / 2, 16 + index * 15, line, { class: "card-title" })),
    effect.map((line, index) => text(wide / 2, 18 + name.length * 15 + index * 13, line, { class: "card-small" })),
    technologyFoot(card, wide, high, surcharge),
  );
}

/** A technology on a television: nobody can read there what it does, but everybody its name. */
function farFace(card, wide, high, surcharge) {
  const name = broken(card.name, Math.floor(wide / 10), 3);
  const middle = (high - 24) / 2 + 6;
  return s(
    "g",
    {},
    s("rect", { x: 0, y: 0, width: wide, height: high, rx: 6, class: "card-sheet" }),
    name.map((line, index) => text(wide / 2, middle + (index - (name.length - 1) / 2) * 20, line, { class: "card-title far" })),
    technologyFoot(card, wide, high, surcharge),
  );
}

/** Its country, and what it needs. */
function technologyFoot(card, wide, high, surcharge) {
  return [
    s("g", { transform: `translate(18 ${high - 15})` }, flag(card.country)),
    s("g", { transform: `translate(${wide - (surcharge ? 50 : 30)} ${high - 15})` }, sign("production")),
    text(wide - 6, high - 9.500, surcharge ? `${card.production}+${surcharge}` : card.production, { class: "card-number ends" }),
  ];
}

/** An order: what it costs, what it brings, its country. @param {any} card @param {number} wide @param {number} high @param {Record<string, any>} attributes @param {number} [level] */
export function order(card, wide, high, attributes, level = 0) {
  const words = t("yokohama.orderWords", { country: t(`yokohama.${card.country}`), cost: rewardWords(card.cost), reward: rewardWords(card.reward) });
  return s(
    "g",
    { class: "card-art order", "data-tip": words + (level ? `\n${t("yokohama.level", { n: level })}` : ""), ...attributes },
    still(`order ${JSON.stringify(card)} ${wide} ${high} ${level}`, () => orderFace(card, wide, high, level)),
  );
}

function orderFace(card, wide, high, level) {
  return s(
    "g",
    {},
    s("rect", { x: 0, y: 0, width: wide, height: high, rx: 6, class: "card-sheet" }),
    s("g", { transform: "translate(18 14)" }, flag(card.country)),
    level ? [s("g", { transform: `translate(${wide - 30} 14) scale(.8)` }, sign("level")), text(wide - 14, 19, level, { class: "card-number" })] : null,
    cost(card.cost, wide, high),
    s("path", { d: `M6 ${high - 32}H${wide / 2 - 7}L${wide / 2} ${high - 26} ${wide / 2 + 7} ${high - 32}H${wide - 6}`, class: "card-line" }),
    row(card.reward, wide / 2, high - 13, 0.900, false, wide - 8),
  );
}

/** What an order costs, in two rows where one would be too small to read. @param {Record<string, number>} goods @param {number} wide @param {number} high */
function cost(goods, wide, high) {
  const all = Object.entries(goods);
  const middle = 26 + (high - 58) / 2;
  if (all.length < 3 || wide > 38 * all.length || high < 96) return row(goods, wide / 2, middle, 0.950, true, wide - 8);
  return [all.slice(0, 2), all.slice(2)].map((part, index) => row(Object.fromEntries(part), wide / 2, middle - 10 + index * 20, 0.850, true, wide - 8));
}

/** A height, shared among tiles by what each of them needs. @param {number} height @param {number[]} needs */
export function shares(height, needs) {
  const whole = needs.reduce((sum, need) => sum + need, 0);
  let from = 0;
  return needs.map((need) => {
    const place = { from, high: (height * need) / whole };
    from += place.high;
    return place;
  });
}

/** @param {any} view @param {{names: string[], seat: number | null}} at @param {Box} box */
export function achievements(view, at, box) {
  const slim = box.width < 200; // the words above the numbers
  const notes = view.achievements.map((tile) => broken(tile.note, Math.floor((box.width - (slim ? 18 : 108)) / 6.300), 3));
  const places = shares(box.height - 24, notes.map((lines) => (slim ? lines.length * 11 + 40 : 1)));
  return sheet(
    box,
    t("yokohama.achievements"),
    null,
    view.achievements.map((tile, index) => {
      const lines = notes[index];
      const { from, high } = places[index];
      const step = slim ? 11 : 12;
      const [top, low] = slim ? [(high - 14) / 2 + 2.500, high - 12] : [high / 2 + 4, high / 2];
      const mine = at.seat === null ? "" : `${tile.progress[at.seat]}/${tile.need}`;
      return s(
        "g",
        { transform: `translate(4 ${22 + from})`, class: "achievement", "data-target": `achievement:${index}`, "data-try": `claim ${tile.id.replace(/^ach_/, "")}`, "data-tip": `${tile.note}\n${t("yokohama.achievementTip", { first: tile.first, later: tile.later })}\n${tile.progress.map((n, seat) => `${at.names[seat]}: ${n}/${tile.need}`).join("\n")}`, "data-sig": tile.claims.join() },
        s("rect", { x: 0, y: 1, width: box.width - 8, height: high - 3, rx: 5, class: "card-sheet" }),
        lines.map((line, place) => text(7, top + (place - (lines.length - 1) / 2) * step, line, { class: "tile-note" })),
        tile.claims.map((seat, place) => s("g", { transform: slim ? `translate(${14 + place * 15} ${low})` : `translate(${box.width - 94 + (place % 2) * 15} ${high / 2 + (place < 2 ? -7 : 8)})` }, seatSign(seat, view.players[seat].colour, initial(at.names[seat]), 6.500))),
        s("g", { transform: `translate(${box.width - 60} ${low - 1})${slim ? " scale(.85)" : ""}` }, sign("points"), text(0, 4.500, tile.claims.length ? tile.later : tile.first, { class: "i-number" })),
        text(box.width - 13, low + 4, mine, { class: "tile-number" }),
      );
    }),
  );
}

/** Agents of foreign countries, and reward tokens where they are in play. @param {any} view @param {Box} box */
export function agents(view, box) {
  const countries = Object.entries(view.agents);
  const wide = (box.width - 8) / countries.length;
  const tokens = view.rewards;
  const each = Math.max(1, Math.floor((box.width - 8) / 44));
  return sheet(
    box,
    t("yokohama.agents"),
    null,
    countries.map(([name, count], index) =>
      s("g", { transform: `translate(${4 + (index + 0.5) * wide} 40) scale(${Math.min(1, wide / 36).toFixed(2)})`, "data-tip": `${t(`yokohama.${name}`)}: ${count}`, "data-at": `agents:${name}` }, s("rect", { x: -wide / 2, y: -16, width: wide, height: 54, class: "touch" }), flag(name), s("g", { transform: "translate(-8 24) scale(.8)" }, sign("free_agent")), text(8, 29, count, { class: "card-number" })),
    ),
    tokens.length ? text(9, 92, t("yokohama.rewards"), { class: "panel-title" }) : null,
    tokens.map((token, index) =>
      s(
        "g",
        { transform: `translate(${6 + (index % each) * 44} ${98 + Math.floor(index / each) * 42})`, class: "reward-token", "data-target": `reward:${token.token}`, "data-tip": [token.country && t(`yokohama.${token.country}`), token.free_agent && t("yokohama.free_agent")].filter(Boolean).join(", ") },
        s("rect", { x: 0, y: 0, width: 40, height: 38, rx: 6, class: "card-sheet" }),
        s("g", { transform: "translate(20 19)" }, token.country ? flag(token.country) : sign("free_agent")),
      ),
    ),
  );
}

/** What can be exchanged or given while the area in use asks for it: one tile each. @param {string} kind @param {{id: string}[]} things @param {Box} box */
export function counter(kind, things, box) {
  const columns = 3;
  const [wide, high] = [(box.width - 8) / columns, (box.height - 24) / Math.ceil(things.length / columns)];
  return sheet(
    box,
    t(`yokohama.${kind}s`),
    null,
    things.map((thing, index) => {
      const [verb, good] = thing.id.includes("_") ? thing.id.split("_") : ["", thing.id];
      const words = knows(`yokohama.${kind}_${verb}`) ? t(`yokohama.${kind}_${verb}`, { what: t(`yokohama.${good}`) }) : t(`yokohama.${good}`);
      return s(
        "g",
        { transform: `translate(${4 + (index % columns) * wide} ${22 + Math.floor(index / columns) * high})`, class: "tile", "data-target": `${kind}:${index}`, "data-tip": words },
        s("rect", { x: 1, y: 1, width: wide - 3, height: high - 3, rx: 5, class: "card-sheet" }),
        verb ? [s("g", { transform: `translate(${wide / 2 - 20} ${high / 2}) scale(.9)` }, sign(verb === "buy" ? "yen" : good)), s("path", { d: `M${wide / 2 - 6} ${high / 2}h9l-3 -3m3 3l-3 3`, class: "i-arrow" }), s("g", { transform: `translate(${wide / 2 + 18} ${high / 2}) scale(.9)` }, sign(verb === "buy" ? good : "yen"))] : s("g", { transform: `translate(${wide / 2} ${high / 2})` }, sign(good)),
      );
    }),
  );
}
