// @ts-check
/** What the rules show of the Wandering Fair of Joban, and where they speak about each element of its board. */
import { h, picture, s } from "../../draw.js";
import { t } from "../../words.js";
import { figureLayer } from "../figures.js";
import { eyes, figure, sheet, still } from "../still.js";
import { bonusIcon, patternIcon, taskPicture } from "./cards.js";
import { desk } from "./desk.js";
import { cellSpots, field, gridOf } from "./field.js";

/** Element → paragraph: the kind of an element, or its whole name with a star for each number. */
export const ABOUT = {
  pile: "take",
  card: "halves",
  cell: "build",
  free: "build",
  aim: "rays",
  direction: "rays",
  task: "tasks",
  line: "lines",
  "task-pile": "change",
  "task-discard": "change",
  "in-play": "halves",
  points: "counting",
  "desk:*:hand": "take",
  "desk:*:tasks": "tasks",
  "desk:*:scored": "lines",
  "desk:*:dragons": "dragons",
};

const COLOURS = ["black", "orange", "light_blue"];
const SIZE = { x: 0, y: 0, width: 420, height: 270 };

/** A small field: «g r y» row by row, «.» for a gap, a number behind a letter for that seat's dragon. @param {string[]} rows @param {any} [more] */
function fair(rows, more = {}) {
  const shops = rows.flatMap((row, y) => row.split(" ").map((cell, x) => ({ x, y: rows.length - 1 - y, cell })));
  return {
    phase: "turn", new: null, picked: null, dragon_queue: [], building_cells: shops.filter(({ cell }) => cell === "." || cell === "+").map(({ x, y }) => [x, y]),
    field: shops.filter(({ cell }) => /[gry]/.test(cell)).map(({ x, y, cell }) => ({ x, y, colour: { g: "green", r: "red", y: "yellow" }[cell[0]], dragon: cell[1] ? Number(cell[1]) : null })),
    players: COLOURS.map((colour, seat) => ({ seat, colour })),
    ...more,
  };
}

/** @param {any} view @param {string[]} [lit] @param {Record<string, any[]>} [figures] */
function shown(view, lit = [], figures = {}) {
  const menu = [{ targets: lit }];
  const grid = gridOf(view, menu, SIZE);
  const at = eyes(figures, menu);
  return still(sheet(SIZE.width, SIZE.height, field(view, at, grid, SIZE), figureLayer(at, (seat) => COLOURS[seat], cellSpots(view, menu, grid), Math.min(1, grid.scale), true)), lit);
}

function cards() {
  const card = (slot, colour, pattern, scores, bonus) => ({ slot, name: "", colour, card: { colour, pattern, scores, bonus, code: "" } });
  const player = { seat: 0, colour: "black", dragons: 4, tasks: [], scored_tasks: [], hand: [card(1, "green", "adjacent", "red", "swap_shops"), card(2, "red", "orthogonal", "yellow", "draw_two"), card(3, "yellow", "diagonal", "green", "double_points")] };
  return still(desk({ seat: 0, field: [], players: [player] }, 0, eyes()));
}

/** @param {[any, string][]} things */
function row(things) {
  return h("div", { class: "rule-row" }, things.map(([drawn, words]) => h("span", {}, picture(52, 48, {}, s("rect", { x: 1, y: 1, width: 50, height: 46, rx: 5, class: "half-paper" }), s("g", { transform: "translate(26 24)" }, drawn)), words)));
}

export const PICTURES = {
  fair: () => shown(fair(["+ + + + +", "+ g r1 + +", "+ y g r +", "+ + r0 y +", "+ + + + +"])),
  cards,
  build: () => shown(fair([". . . .", ". g r .", ". y . .", ". . . ."]), ["cell:0:0", "cell:0:1", "cell:0:2", "cell:0:3", "cell:1:3", "cell:2:3", "cell:3:3", "cell:3:2", "cell:3:1", "cell:2:1", "cell:2:0", "cell:1:0"]),
  patterns: () => row([["adjacent", "red"], ["orthogonal", "yellow"], ["diagonal", "green"]].map(([pattern, colour]) => [patternIcon(pattern, colour), t(`joban.pattern_${pattern}`)])),
  around: () => shown(fair([". . . .", ". r g .", ". g r1 .", ". . . ."], { new: [1, 1] }), ["cell:1:2", "cell:2:1"], { "cell:1:1": [figure("points", 3), figure("points", 1, 1)] }),
  ray: () => shown(fair([". . . . . .", ". g y y r .", ". . . . . ."], { phase: "aim", new: [1, 1] }), ["direction:right"], { "cell:1:1": [figure("points", 2)] }),
  bonuses: () => row(["swap_shops", "move_shop", "draw_two", "change_task", "double_points"].map((bonus) => [bonusIcon(bonus), t(`joban.bonus_${bonus}`)])),
  dragons: () => shown(fair([". . . .", ". g1 r .", ". y r .", ". . . ."], { dragon_queue: [{ cells: [[1, 2]] }] }), ["cell:2:2", "cell:1:1", "cell:2:1"]),
  task: () => h("div", { class: "rule-row" }, h("span", {}, still(taskPicture({ direction: "horizontal", plus: "green", minus: "red" })), t("joban.line_horizontal")), h("span", {}, still(taskPicture({ direction: "diagonal_up", plus: "yellow", minus: "green" })), t("joban.line_diagonal_up"))),
  line: () => shown(fair([". . . . . .", ". g g1 r g .", ". . y . . ."]), ["cell:1:1", "cell:2:1", "cell:3:1", "cell:4:1"], { "cell:1:1": [figure("points", 2)], "cell:2:1": [figure("points", 4)], "cell:3:1": [figure("points", -2)], "cell:4:1": [figure("points", 2)] }),
};
