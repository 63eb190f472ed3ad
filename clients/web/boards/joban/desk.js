// @ts-check
/** A player's cards, tasks and dragons in Joban; in full, or in little. */
import { h, picture, s, text } from "../../draw.js";
import { t } from "../../words.js";
import { initial } from "../../ui/match/shapes.js";
import { tags } from "../figures.js";
import { bonusIcon, patternIcon, taskPicture } from "./cards.js";
import { dragon } from "./field.js";

/** @typedef {import("./board.js").At} At */

/** @param {any} view @param {number} seat @param {At} at */
export function desk(view, seat, at) {
  const player = view.players[seat];
  const own = view.seat === seat;
  return h(
    "section",
    { class: "mat joban-desk", "aria-label": at.names[seat] },
    h(
      "div",
      { class: "mat-body" },
      h("div", { class: "mat-part", "data-at": `desk:${seat}:hand` }, h("h4", {}, t("joban.yourCards")), player.hand.length ? h("div", { class: "cards" }, player.hand.map((item) => handCard(item, at, own))) : h("p", { class: "hint" }, t("joban.noCards"))),
      h("div", { class: "mat-part", "data-at": `desk:${seat}:tasks` }, h("h4", {}, t("joban.yourTasks")), h("div", { class: "cards" }, player.tasks.map((task) => taskCard(task, at, own)), scored(player))),
      dragons(view, player, at),
    ),
  );
}

/** @param {any} view @param {number} seat @param {At} at */
export function rival(view, seat, at) {
  const player = view.players[seat];
  return h(
    "section",
    { class: "mat little joban-little", "aria-label": at.names[seat] },
    h("div", { class: "row tight" }, dragons(view, player, at), h("span", { class: "row tight", "data-at": `desk:${seat}:hand` }, player.hand.map((item) => (item.card ? handCard(item, at, false) : cardBack(item.colour))))),
    h("div", { class: "cards small", "data-at": `desk:${seat}:tasks` }, player.tasks.map((task) => taskCard(task, at, false)), scored(player)),
  );
}

function dragons(view, player, at) {
  const out = view.field.filter((shop) => shop.dragon === player.seat).length;
  return h("span", { class: "chip dragons-of", "data-at": `desk:${player.seat}:dragons`, "data-tip": t("joban.dragons", { left: player.dragons, out }) }, picture(60, 40, {}, s("g", { transform: "translate(32 12) scale(.95)" }, dragon(player.colour, player.seat, initial(at.names[player.seat])))), h("b", {}, `× ${player.dragons}`));
}

function cardBack(colour) {
  return picture(30, 42, { class: "mini-back", "data-tip": t("joban.hiddenCard", { colour: t(`colours.${colour}`) }) }, s("rect", { x: 1, y: 1, width: 28, height: 40, rx: 4, class: `c-${colour} card-edge` }), text(15, 27, t(`colours.${colour}`)[0].toUpperCase(), { class: `card-letter on-${colour}` }));
}

/** What scored tasks brought. */
function scored(player) {
  return h("span", { class: "row tight", "data-at": `desk:${player.seat}:scored` }, player.scored_tasks.map((done) => h("div", { class: "slot done", "data-about": "lines", "data-tip": taskWords(done.task) }, taskPicture(done.task), h("small", {}, signed(done.points)))));
}

function taskCard(task, at, own) {
  if (!task.task) return picture(92, 88, { class: "card", "data-tip": t("joban.hiddenTask") }, s("rect", { x: 1.500, y: 1.500, width: 89, height: 85, rx: 7, class: "card-back" }), s("path", { d: "M30 44h32M46 28v32M34 32l24 24", class: "task-back" }));
  const best = [...task.lines].sort((a, b) => b.points - a.points);
  const sign = { horizontal: "y", vertical: "x", diagonal_up: "x−y", diagonal_down: "x+y" }[task.task.direction] ?? "";
  const tip = [taskWords(task.task), ...best.slice(0, 8).map((line) => t("joban.line", { sign, line: line.line, points: signed(line.points) }))].join("\n");
  return h("div", { class: "slot task-slot", "data-tip": tip, ...(own ? { "data-target": `task:${task.slot}` } : {}), role: "img", "aria-label": tip }, taskPicture(task.task), best.length ? h("small", {}, t("joban.bestNow", { points: signed(best[0].points) })) : null, own ? tags(at, () => "grey", `task:${task.slot}`) : null);
}

/** @param {number} value */
export function signed(value) {
  return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0";
}

function taskWords(task) {
  return t("joban.task", { line: t(`joban.line_${task.direction}`), plus: t(`colours.${task.plus}`), minus: t(`colours.${task.minus}`) });
}

/** A card in words: the half that scores. @param {any} card */
export function scoreWords(card) {
  return t("joban.scores", { colour: t(`colours.${card.scores}`), where: t(`joban.pattern_${card.pattern}`) });
}

/** A card of two halves: its points and its bonus. */
function handCard(item, at, own) {
  const card = item.card;
  if (!card) return cardBack(item.colour);
  const words = t("joban.cardWords", { colour: t(`colours.${card.colour}`) });
  const half = (mode, y, tip, ...content) =>
    s("g", { ...(own ? { "data-target": `card:${item.slot}:${mode}`, "data-try": `play ${item.name} ${card.code} ${mode ? "bonus" : "points"}` } : {}), "data-tip": `${words}\n${tip}`, class: "half" }, s("rect", { x: 4, y, width: 112, height: 50, rx: 5, class: "half-paper" }), ...content);
  const name = t(`colours.${card.colour}`);
  return h(
    "span",
    { class: "card-slot", ...(own ? { "data-target": `card:${item.slot}` } : {}) },
    picture(
      120,
      130,
      { class: "card tall", "aria-label": words },
      s("rect", { x: 1.500, y: 1.500, width: 117, height: 127, rx: 7, class: `c-${card.colour} card-edge` }),
      text(60, 17, name, { class: `card-word on-${card.colour}` }),
      half(0, 23, `${t("joban.forPoints")}: ${scoreWords(card)}`, s("g", { transform: "translate(29 48)" }, patternIcon(card.pattern, card.scores)), text(82, 45, t("joban.pointsShort"), { class: "half-word" }), text(82, 60, t(`colours.${card.scores}`), { class: "half-word dim" })),
      half(1, 76, `${t("joban.forBonus")}: ${t(`joban.bonus_${card.bonus}`)}`, s("g", { transform: "translate(29 101)" }, bonusIcon(card.bonus)), text(82, 98, t("joban.bonusShort"), { class: "half-word" }), text(82, 113, t(`joban.bonusWord_${card.bonus}`), { class: "half-word dim" })),
    ),
    own ? tags(at, () => "grey", `card:${item.slot}:0`) : null,
    own ? h("span", { class: "lower" }, tags(at, () => "grey", `card:${item.slot}:1`)) : null,
  );
}
