// @ts-check
/** Merchants of Osaka: the sea with four ships, Market and Farm, everybody's hands, goods and tokens. */
import { picture as frame, s, text } from "../../draw.js";
import { t } from "../../words.js";
import { initial, seatSign } from "../../ui/match/shapes.js";
import { figureLayer } from "../figures.js";
import { headed } from "../head.js";
import { about, back, CARD, face, token } from "./cards.js";
import { desk, rival } from "./desk.js";
import { sea, shipSpots } from "./sea.js";

export { desk, rival };

/** @typedef {{names: string[], menu: any[], seat: number | null, narrow?: boolean, figures?: Record<string, any[]>}} At */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */

const HEAD = 36;
const TAB = 40;

/** The sea above, Market, Farm and the piles below. @param {any} view @param {At} at */
export function board(view, at) {
  const plan = at.narrow ? planTall() : planWide();
  return s(
    "svg",
    { viewBox: `0 0 ${plan.width} ${plan.height}`, class: "board-art osaka-art", role: "group", "aria-label": t("osaka.market") },
    sea(view, plan.width, plan.sea),
    market(view, at, plan.market),
    farm(view, at, plan.farm),
    aside(view, plan.aside),
    figureLayer(at, (seat) => view.players[seat].piece, figureSpots(view, plan)),
  );
}

function planWide() {
  return { width: 1240, height: 684, sea: 396, market: { x: 0, y: 404, width: 640, height: 280 }, farm: { x: 648, y: 404, width: 350, height: 280 }, aside: { x: 1006, y: 404, width: 234, height: 280 } };
}

function planTall() {
  return { width: 780, height: 1022, sea: 420, market: { x: 0, y: 426, width: 780, height: 295 }, farm: { x: 0, y: 727, width: 480, height: 295 }, aside: { x: 488, y: 727, width: 292, height: 295 } };
}

/** Where the cards of a row stand, and how large they are. @param {Box} box @param {number} count @param {number} least places to keep free @param {number} below room for a tab */
function places(box, count, least, below) {
  const high = box.height - HEAD - below - 10;
  const scale = Math.min(high / CARD.high, (box.width - 16) / (Math.max(count, least) * (CARD.wide + 6)));
  const step = Math.min((box.width - 16) / Math.max(count, 1), CARD.wide * scale + 14);
  const y = box.y + HEAD + 2 + (high - CARD.high * scale) / 2;
  return Array.from({ length: count }, (_, index) => ({ x: box.x + 10 + index * step, y, scale }));
}

function figureSpots(view, plan) {
  /** @type {Map<string, [number, number]>} */
  const found = new Map([["market", [plan.market.x + plan.market.width - 330, plan.market.y + 20]], ...shipSpots(view, plan.width, plan.sea)]);
  const above = (place) => /** @type {[number, number]} */ ([place.x + (CARD.wide * place.scale) / 2, place.y + 4]);
  places(plan.market, view.market.length, 5, TAB).forEach((place, index) => found.set(`market:${index}`, above(place)));
  places(plan.farm, view.farm.length, 3, TAB).forEach((place, index) => found.set(`farm:${index}`, above(place)));
  return found;
}

/** @param {Box} box @param {string} title @param {string} note */
function sheet(box, title, note) {
  return [s("rect", { ...box, rx: 9, class: "panel-paper" }), text(box.x + 12, box.y + 24, title, { class: "row-title" }), note ? text(box.x + 24 + title.length * 12, box.y + 24, note, { class: "row-note" }) : null];
}

function market(view, at, box) {
  const reserve = view.seat !== null && view.players[view.seat].can_reserve;
  const right = box.x + box.width;
  return s(
    "g",
    { class: "market-art" },
    sheet(box, t("osaka.market"), ""),
    s("g", { class: "buy", "data-target": "market", "data-try": "buy", "data-tip": t("osaka.buyTip") }, s("rect", { x: right - 252, y: box.y + 3, width: 246, height: 34, rx: 8, class: "buy-paper" }), text(right - 129, box.y + 26, t("osaka.buy", { price: view.price }), { class: "buy-word" })),
    view.market.length ? null : text(box.x + box.width / 2, box.y + 130, t("osaka.empty"), { class: "row-note" }),
    places(box, view.market.length, 5, TAB).map((place, index) => cardAt(view, at, view.market[index], place, `market:${index}`, `take ${view.market[index].card}@${index + 1}`, reserve)),
  );
}

function farm(view, at, box) {
  return s(
    "g",
    { class: "farm-art", "data-at": "farm", "data-tip": t("osaka.farmNote") },
    sheet(box, t("osaka.farm"), t("osaka.farmShort")),
    view.farm.length ? null : text(box.x + box.width / 2, box.y + 130, t("osaka.empty"), { class: "row-note" }),
    places(box, view.farm.length, 3, TAB).map((place, index) => cardAt(view, at, view.farm[index], place, `farm:${index}`, `reserve ${view.farm[index].card}@f${index + 1}`, false)),
  );
}

/** A card of a row; below a card of the Market a tab reserves it. */
function cardAt(view, at, item, { x, y, scale }, target, attempt, reserve) {
  const by = item.reserved_by;
  const wide = CARD.wide * scale;
  const tab = y + CARD.high * scale + 4;
  const sign = by === null ? null : seatSign(by, view.players[by].piece, initial(at.names[by]), 10);
  sign?.set("transform", "translate(48 72)").set("data-about", "reserve");
  return s(
    "g",
    { key: target },
    s("g", { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale.toFixed(3)})`, class: "row-card", "data-target": target, "data-try": attempt, "data-tip": about(view, item) + (by === null ? "" : `\n${t("osaka.reservedBy", { name: at.names[by] })}`), "data-key": target, "data-sig": `${item.card} ${by}` }, face(view, item, sign)),
    reserve && by === null && target.startsWith("market") ? s("g", { class: "reserve", "data-target": `${target}:piece` }, s("rect", { x, y: tab, width: wide, height: TAB - 6, rx: 7, class: "reserve-paper" }), text(x + wide / 2, tab + 23, t("osaka.reserve"), { class: "reserve-word" })) : null,
  );
}

/** The piles; while somebody pays, insures or chooses a token, what is chosen from or laid. */
function aside(view, box) {
  if (view.phase === "token") return tokenChoice(view, box);
  if (view.laid.length || view.chosen.length || view.phase === "pay") return table(view, box);
  const count = view.discard.reduce((sum, n) => sum + n, 0);
  const faces = view.board.colours.flatMap((name) => [2, 3, 5].map((value) => t("osaka.card", { colour: t(`colours.${name}`), value })));
  const listed = view.discard.map((n, index) => (n ? `${n} × ${faces[index]}` : "")).filter(Boolean);
  const scale = Math.min((box.width - 30) / 2 / CARD.wide, 1.700);
  const pile = (index, name, number, tip, kind) =>
    s(
      "g",
      { transform: `translate(${box.x + 10 + index * (CARD.wide * scale + 8)} ${box.y + HEAD + 4})`, "data-at": `deck:${name}`, "data-tip": tip, tabindex: 0, role: "img", "aria-label": `${t(`osaka.${name}`)}: ${number}` },
      s("g", { transform: `scale(${scale.toFixed(3)})` }, back(kind)),
      s("circle", { cx: (CARD.wide * scale) / 2, cy: CARD.high * scale * 0.300, r: 20, class: "many" }),
      text((CARD.wide * scale) / 2, CARD.high * scale * 0.300 + 7, number, { class: "pile-number" }),
      text((CARD.wide * scale) / 2, CARD.high * scale + 20, t(`osaka.${name}`), { class: "row-note middle" }),
    );
  return s("g", { "data-at": "laid" }, s("rect", { ...box, rx: 9, class: "panel-paper" }), s("circle", { cx: box.x + box.width / 2, cy: box.y + 18, r: 12, class: "touch", "data-at": "deck:tokens" }), pile(0, "pile", view.pile, t("osaka.pileTip", { n: view.pile }), ""), pile(1, "discard", count, [t("osaka.discard"), ...listed].join("\n"), "open"));
}

/** Cards being laid for a payment or an insurance. */
function table(view, box) {
  const cards = [...view.chosen, ...view.laid];
  const step = Math.min(70, (box.width - 30 - CARD.wide * 1.500) / Math.max(cards.length - 1, 1));
  return s(
    "g",
    { class: "laid", "data-at": "laid" },
    sheet(box, t(view.chosen.length ? "osaka.chosen" : "osaka.laid"), ""),
    cards.map((item, index) => s("g", { transform: `translate(${box.x + 12 + index * step} ${box.y + HEAD + 10}) scale(1.5)`, "data-tip": about(view, item) }, face(view, item))),
    view.phase === "pay" ? text(box.x + box.width / 2, box.y + box.height - 16, t("osaka.due", { due: view.due }), { class: "row-title middle" }) : null,
  );
}

/** The four tokens, while one may be chosen. */
function tokenChoice(view, box) {
  return s(
    "g",
    {},
    sheet(box, t("osaka.chooseToken"), ""),
    view.board.colours.map((name, index) => s("g", { transform: `translate(${box.x + box.width * (index % 2 ? 0.740 : 0.270)} ${box.y + HEAD + 50 + Math.floor(index / 2) * 100})`, class: "token-big", "data-target": `token:${name}`, "data-tip": t(`colours.${name}`) }, token(name, 46))),
  );
}

/** @param {any} view @param {At} at */
export function draw(view, at) {
  return headed(view, at, { board, desk, rival, points, colour });
}

/**
 * What a ply looked like on its way: where ships sailed, and the storm, which is over when the ply is. Each is shown for a moment.
 * @param {any} view before the ply @param {any[]} events its facts @returns {{view: any, sound: string}[]}
 */
export function scenes(view, events) {
  const ships = [...view.ships];
  const out = [];
  const show = (sunk, sound) => out.push({ view: { ...view, ships: [...ships], sunk }, sound });
  for (const event of events) {
    if (event.event === "ShipSailed") ships[event.colour] = event.to;
    if (event.event === "ShipsSunk") {
      show([], "place");
      show(event.colours, "storm");
    }
    if (event.event === "ShipReturned" && !out.length) show([], "place");
    if (event.event === "ShipReturned") ships[event.colour] = event.to;
  }
  return out;
}

/** What flies when something travels. @param {any} view @param {{what: string}} travel */
export function traveller(view, travel) {
  const [what, name] = travel.what.split(":");
  const colour = view.board.colours.includes(name) ? name : null;
  const known = cardOf(view, name);
  if (what === "card") return frame(CARD.wide, CARD.high, {}, known ? face(view, known) : back());
  if (what === "ship") return frame(1, 1, {}); // the ship itself sails
  if (what === "token" && colour) return frame(34, 34, {}, s("g", { transform: "translate(17 17)" }, token(colour, 15)));
  return null;
}

/** A card by its face, if somebody can see one. */
function cardOf(view, name) {
  const all = [...view.market, ...view.farm, ...view.laid, ...view.players.flatMap((player) => [...player.goods, ...(player.hand ?? [])])];
  return name ? all.find((item) => item.card === name) : null;
}

/** The view without faces of cards in hands: people at one screen should not look at them, although those taken from the Market are known. @param {any} view */
export function cover(view) {
  return { ...view, players: view.players.map((player) => ({ ...player, hand: null })) };
}

/** @param {any} view @param {number} seat */
export function colour(view, seat) {
  return view.players[seat].piece;
}

/** @param {any} view @param {number} seat @returns {any} */
export function points(view, seat) {
  const player = view.players[seat];
  const tokens = player.tokens.reduce((sum, count) => sum + count, 0);
  return {
    total: player.vp,
    parts: [[t("osaka.vpLong"), player.vp], [t("osaka.tokens"), `${tokens} / ${view.options.tokens_to_end}`]],
    facts: [
      [t("osaka.hand"), player.hand_count],
      [t("osaka.goods"), player.goods.length],
      [t("osaka.piece"), player.can_reserve ? t("osaka.pieceFree") : t("osaka.piecePlaced")],
    ],
  };
}

/** @param {any} view @returns {[string, any][]} */
export function decks(view) {
  return [[t("osaka.pile"), view.pile], [t("osaka.discard"), view.discard.reduce((sum, count) => sum + count, 0)]];
}

/** @param {any} view */
export function doing(view) {
  return t(`osaka.doing_${view.phase}`, { due: view.due });
}
