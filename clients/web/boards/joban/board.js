// @ts-check
/** Wandering Fair of Joban: the growing field of shops and dragons with its piles, and everybody's cards and tasks. */
import { picture, s, text } from "../../draw.js";
import { plain, t } from "../../words.js";
import { initial } from "../../ui/match/shapes.js";
import { figureLayer } from "../figures.js";
import { headed } from "../head.js";
import { broken } from "../lines.js";
import { bonusIcon, patternIcon, shopSign } from "./cards.js";
import { desk, rival, scoreWords } from "./desk.js";
import { cellSpots, dragon, field, gridOf } from "./field.js";

export { desk, rival };

/** @typedef {{names: string[], menu: any[], seat: number | null, narrow?: boolean, figures?: Record<string, any[]>}} At */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** The field, and beside it (in a high frame: below it) the piles and the card in play. @param {any} view @param {At} at */
export function board(view, at) {
  const plan = at.narrow ? { width: 760, height: 960, field: { x: 0, y: 0, width: 760, height: 760 }, piles: { x: 0, y: 768, width: 760, height: 192 } } : { width: 1100, height: 600, field: { x: 0, y: 0, width: 856, height: 600 }, piles: { x: 864, y: 0, width: 236, height: 600 } };
  const grid = gridOf(view, at.menu, plan.field);
  const spots = cellSpots(view, at.menu, grid);
  pilePlaces(plan.piles).forEach(({ x, y }, index) => spots.set(index < 3 ? `pile:${index}` : "task-pile", [x + PILE.width / 2, y + 4]));
  return s(
    "svg",
    { viewBox: `0 0 ${plan.width} ${plan.height}`, class: "board-art joban-art", role: "group", "aria-label": t("joban.field", { n: view.field.length }) },
    field(view, at, grid, plan.field),
    piles(view, plan.piles),
    figureLayer(at, (seat) => view.players[seat].colour, spots, Math.min(1, grid.scale * 0.950), true),
  );
}

/** One plays from the hand: a narrow screen shows it together with the board. */
export const fromHand = true;

const PILE = { width: 104, height: 134 };

/** Three piles of shops and one of tasks: two by two, or in a row. @param {Box} box */
function pilePlaces({ x, y, width, height }) {
  if (width > height) return [0, 1, 2, 3].map((index) => ({ x: x + 12 + index * 118, y: y + 30 }));
  return [0, 1, 2, 3].map((index) => ({ x: x + 10 + (index % 2) * 112, y: y + 34 + Math.floor(index / 2) * 160 }));
}

function piles(view, box) {
  const places = pilePlaces(box);
  return s(
    "g",
    {},
    s("rect", { ...box, rx: 10, class: "panel-paper" }),
    text(box.x + 12, box.y + 21, t("joban.piles"), { class: "row-title" }),
    view.board.colours.map((name, index) => pile(view, name, index, places[index])),
    taskPile(view, places[3]),
    inPlay(view, box.width > box.height ? { x: box.x + 488, y: box.y + 6, width: 266, height: 180 } : { x: box.x + 6, y: box.y + 358, width: 224, height: 236 }),
  );
}

function pile(view, name, index, { x, y }) {
  const count = view.piles[name];
  return s(
    "g",
    { transform: `translate(${x} ${y})`, class: `pile${count ? "" : " empty"}`, "data-target": `pile:${index}`, "data-try": `design ${name}`, "data-tip": t("joban.pileTip", { n: count, colour: t(`colours.${name}`) }), "data-key": `pile ${name}`, "data-sig": count },
    [6, 3, 0].map((shift) => s("rect", { x: 1.500 + shift / 2, y: 1.500 + shift, width: PILE.width - 6, height: PILE.height - 8, rx: 8, class: `c-${name} card-edge` })),
    s("g", { transform: "translate(50 50) scale(1.35)" }, shopSign(name)),
    s("circle", { cx: 50, cy: 104, r: 17, class: "many" }),
    text(50, 110, count, { class: "pile-number" }),
  );
}

function taskPile(view, { x, y }) {
  return s(
    "g",
    { transform: `translate(${x} ${y})`, class: "pile", "data-target": "task-pile", "data-tip": t("joban.taskPileTip", { n: view.task_pile, discarded: view.task_discard.length }) },
    [6, 3, 0].map((shift) => s("rect", { x: 1.500 + shift / 2, y: 1.500 + shift, width: PILE.width - 6, height: PILE.height - 8, rx: 8, class: "card-back" })),
    s("path", { d: "M22 48h56M50 20v56M30 28l40 40", class: "task-back" }),
    s("circle", { cx: 50, cy: 104, r: 17, class: "many" }),
    text(50, 110, view.task_pile, { class: "pile-number" }),
    text(50, 82, t("joban.taskPile"), { class: "task-word" }),
    s("circle", { cx: 96, cy: 118, r: 4, class: "touch", "data-at": "task-discard" }),
  );
}

/** The card in play with the half that counts, and a point bonus that waits. @param {any} view @param {Box} box */
function inPlay(view, { x, y, width, height }) {
  const card = view.card;
  const lines = card ? [t("joban.cardWords", { colour: t(`colours.${card.colour}`) }), ...(view.mode === "points" ? scoreWords(card) : t(`joban.bonus_${card.bonus}`)).split(/ (?=in one|around)/)] : [];
  if (view.double) lines.push(t("joban.doubleShort"));
  return s(
    "g",
    { transform: `translate(${x} ${y})`, "data-at": "in-play", class: "in-play-art" },
    s("rect", { x: 0, y: 0, width, height, rx: 8, class: `play-paper${card || view.double ? " busy" : ""}` }),
    card ? [s("rect", { x: width / 2 - 42, y: 10, width: 84, height: 96, rx: 8, class: `c-${card.colour} card-edge` }), s("rect", { x: width / 2 - 36, y: 28, width: 72, height: 72, rx: 6, class: "half-paper" }), s("g", { transform: `translate(${width / 2} 64) scale(1.25)` }, view.mode === "points" ? patternIcon(card.pattern, card.scores) : bonusIcon(card.bonus))] : null,
    card || view.double ? null : broken(t("joban.inPlayNone"), 22, 3).map((line, index) => text(width / 2, height / 2 - 14 + index * 19, line, { class: "play-empty" })),
    lines.map((line, index) => text(width / 2, (card ? 128 : 30) + index * 17, line, { class: "play-word" })),
  );
}

/** @param {any} view @param {At} at */
export function draw(view, at) {
  return headed(view, at, { board, desk, rival, points, colour });
}

/** What flies when something travels. @param {any} view @param {{what: string, seat: number | null}} travel @param {string[]} names */
export function traveller(view, travel, names) {
  const [what, colour] = travel.what.split(":");
  if (what === "shop") return picture(60, 60, {}, s("g", { transform: "translate(30 30)" }, shopSign(colour)));
  if (what === "card") return picture(36, 50, {}, s("rect", { x: 1, y: 1, width: 34, height: 48, rx: 5, class: `c-${colour} card-edge` }), text(18, 32, t(`colours.${colour}`)[0].toUpperCase(), { class: `card-letter on-${colour}` }));
  if (what === "dragon" && travel.seat !== null) return picture(60, 40, {}, s("g", { transform: "translate(32 12)" }, dragon(view.players[travel.seat].colour, travel.seat, initial(names[travel.seat]))));
  if (what === "task") return picture(36, 50, {}, s("rect", { x: 1, y: 1, width: 34, height: 48, rx: 5, class: "card-back" }));
  return null;
}

/** A move of a dragon is a click on the cell it goes to. @param {string} target */
export function place(target) {
  const parts = target.split(":");
  return parts[0] === "dragon" ? `cell:${parts[3]}:${parts[4]}` : target;
}

/** @param {any} view @param {number} seat */
export function colour(view, seat) {
  return view.players[seat].colour;
}

/** @param {any} view @param {number} seat @returns {any} */
export function points(view, seat) {
  const player = view.players[seat];
  const out = view.field.filter((shop) => shop.dragon === seat).length;
  return {
    total: player.score,
    parts: Object.entries(player.points).map(([name, value]) => [t(`joban.points_${plain(name).replaceAll(" ", "_")}`), value]),
    facts: [
      [t("joban.dragonsLeft"), player.dragons],
      [t("joban.dragonsOut"), out],
      [t("joban.cards"), player.hand.length],
      [t("joban.tasks"), player.tasks.length],
    ],
  };
}

/** @param {any} view @returns {[string, any][]} */
export function decks(view) {
  return [...Object.entries(view.piles).map(([name, count]) => /** @type {[string, any]} */ ([t("joban.pile", { colour: t(`colours.${name}`) }), count])), [t("joban.taskPile"), view.task_pile]];
}

/** @param {any} view */
export function doing(view) {
  const action = view.phase === "final" || view.phase === "over" ? "" : ` ${t("joban.actionNo", { n: view.action_no })}`;
  return t(`joban.doing_${view.phase}`) + action + (view.last_round && view.phase !== "final" ? ` ${t("joban.lastRound")}` : "");
}
