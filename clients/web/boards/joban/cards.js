// @ts-check
/** Small drawings of the fair: shops, patterns, bonuses, tasks. */
import { picture, s, text } from "../../draw.js";
import { t } from "../../words.js";

/** A stall with a striped awning, about 44 wide around its middle. @param {string} colour */
export function shopSign(colour) {
  const letter = t(`colours.${colour}`)[0].toUpperCase();
  return s(
    "g",
    {},
    s("rect", { x: -17, y: -4, width: 34, height: 23, class: "stall" }),
    s("path", { d: "M-22 -2L-16 -20H16L22 -2C18 4 14 4 11 -2 7 4 3 4 0 -2 -3 4 -7 4 -11 -2 -14 4 -18 4 -22 -2Z", class: `awning c-${colour}` }),
    text(0, -6, letter, { class: `awning-letter on-${colour}` }),
    s("rect", { x: -5, y: 6, width: 10, height: 13, class: "door" }),
  );
}

const AROUND = { adjacent: [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]], orthogonal: [[0, -1], [-1, 0], [1, 0], [0, 1]], diagonal: [[-1, -1], [1, -1], [-1, 1], [1, 1]] };

/** Where a card looks for shops. @param {string} pattern @param {string} colour */
export function patternIcon(pattern, colour) {
  const hit = new Set(AROUND[pattern].map(String));
  const cells = [];
  for (let y = -1; y <= 1; y++) {
    for (let x = -1; x <= 1; x++) {
      const kind = !x && !y ? "pattern-me" : hit.has(String([x, y])) ? `c-${colour} pattern-hit` : "pattern-off";
      cells.push(s("rect", { x: x * 12 - 5, y: y * 12 - 5, width: 10, height: 10, rx: 1.5, class: kind }));
    }
  }
  return s("g", {}, cells);
}

const BONUS = {
  swap_shops: "M-16 -6H10V-12L19 -3 10 6V0H-16ZM16 8H-10V2L-19 11 -10 20V14H16Z",
  move_shop: "M-17 -14H-3V0H-17ZM4 4H18V18H4ZM-2 4L8 -10 11 -7",
  draw_two: "M-16 -15H2V11H-16ZM-4 -9H14V17H-4Z",
  change_task: "M-12 -14A16 16 0 0 1 14 -6L18 -8 16 4 5 -2 9 -4A11 11 0 0 0 -9 -9ZM12 14A16 16 0 0 1 -14 6L-18 8 -16 -4 -5 2 -9 4A11 11 0 0 0 9 9Z",
  double_points: "",
};

/** @param {string} bonus */
export function bonusIcon(bonus) {
  if (bonus === "double_points") return text(0, 9, "×2", { class: "bonus-word" });
  return s("path", { d: BONUS[bonus], class: "bonus-icon" });
}

/** A personal task: its direction, the colour that pays and the colour that costs. @param {any} task */
export function taskPicture(task) {
  const lines = { horizontal: "M12 44H80", vertical: "M46 14V74", diagonal_up: "M18 72L74 16", diagonal_down: "M18 16L74 72" };
  const badge = (x, y, colour, sign) => s("g", { transform: `translate(${x} ${y})` }, s("circle", { r: 13, class: `c-${colour} token` }), text(0, 5, sign + t(`colours.${colour}`)[0].toUpperCase(), { class: `task-sign on-${colour}` }));
  return picture(
    92,
    88,
    { class: "card" },
    s("rect", { x: 1.5, y: 1.5, width: 89, height: 85, rx: 7, class: "card-paper card-edge" }),
    s("path", { d: lines[task.direction], class: "task-line" }),
    badge(30, task.direction === "horizontal" ? 26 : 44, task.plus, "+"),
    badge(62, task.direction === "horizontal" ? 62 : 44, task.minus, "−"),
  );
}
