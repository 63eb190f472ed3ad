// @ts-check
/** Wandering Fair of Joban: the growing field of shops and dragons, piles, tasks and hands. */
import { h, picture, s, text } from "../draw.js";
import { plain, t } from "../words.js";
import { initial, seatPicture, seatSign } from "../ui/match/shapes.js";
import { bonusIcon, patternIcon, shopSign, taskPicture } from "./joban_cards.js";

const CELL = 58;
const ARROWS = { up: [0, 1], down: [0, -1], left: [-1, 0], right: [1, 0], up_left: [-1, 1], up_right: [1, 1], down_left: [-1, -1], down_right: [1, -1] };
const LINE_OF = { horizontal: 0, vertical: 1, diagonal_up: 2, diagonal_down: 3 };

/** @typedef {{names: string[], menu: any[], seat: number | null, narrow?: boolean, figures?: Record<string, any[]>}} At */

/** The field and the piles. @param {any} view @param {At} at */
export function board(view, at) {
  return h("div", {}, inPlay(view), field(view, at), piles(view));
}

/** A player's own cards and tasks. @param {any} view @param {number} seat @param {At} at */
export function desk(view, seat, at) {
  return view.seat === seat ? own(view) : mat(view, view.players[seat], at);
}

/** Another player's cards in little. @param {any} view @param {number} seat @param {At} at */
export function rival(view, seat, at) {
  return mat(view, view.players[seat], at);
}

/** @param {any} view @param {At} at */
export function draw(view, at) {
  return [inPlay(view), field(view, at), piles(view), own(view), h("div", { class: "mats" }, view.players.filter((player) => player.seat !== view.seat).map((player) => mat(view, player, at))), played(view)];
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

function inPlay(view) {
  if (!view.card && !view.double) return "";
  const words = [];
  if (view.card) words.push(t("joban.inPlay", { card: cardWords(view.card), half: view.mode === "points" ? scoreWords(view.card) : t(`joban.bonus_${view.card.bonus}`) }));
  if (view.double) words.push(t("joban.double"));
  return h("p", { class: "in-play" }, words.join(" "));
}

function field(view, at) {
  const menuCells = at.menu.map((entry) => place(entry.targets[0])).filter((id) => id.startsWith("cell:")).map((id) => id.split(":").slice(1).map(Number));
  const lines = at.menu.filter((entry) => entry.targets[0].startsWith("line:"));
  const xs = [...view.field.map((shop) => shop.x), ...menuCells.map(([x]) => x)];
  const ys = [...view.field.map((shop) => shop.y), ...menuCells.map(([, y]) => y)];
  const margin = lines.length || view.phase === "aim" ? 1 : 0;
  const [left, right] = [Math.min(...xs) - margin, Math.max(...xs) + margin];
  const [bottom, top] = [Math.min(...ys) - margin, Math.max(...ys) + margin];
  const [width, height] = [(right - left + 1) * CELL + 26, (top - bottom + 1) * CELL + 22];
  const X = (x) => 24 + (x - left + 0.5) * CELL;
  const Y = (y) => (top - y + 0.5) * CELL + 4;
  const axes = [];
  for (let x = left; x <= right; x++) axes.push(text(X(x), height - 5, x, { class: "axis" }));
  for (let y = bottom; y <= top; y++) axes.push(text(11, Y(y) + 4, y, { class: "axis" }));
  const shops = new Map(view.field.map((shop) => [`${shop.x}:${shop.y}`, shop]));
  const offered = new Set(menuCells.map((cell) => cell.join(":")));
  const open = menuCells.filter(([x, y]) => !shops.has(`${x}:${y}`));
  const free = view.building_cells.filter(([x, y]) => x >= left && x <= right && y >= bottom && y <= top && !shops.has(`${x}:${y}`) && !offered.has(`${x}:${y}`));
  const svg = s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "fair", role: "group", "aria-label": t("joban.field", { n: view.field.length }) },
    s("rect", { x: 0, y: 0, width, height, rx: 10, class: "meadow" }),
    axes,
    free.map(([x, y]) => freeCell(view, x, y, X, Y)),
    uniqueCells(open).map(([x, y]) => cellBox(x, y, X, Y)),
    view.field.map((shop) => shopAt(view, at, shop, X, Y)),
    view.phase === "aim" && view.new ? arrows(view, at, X, Y) : null,
    lineSigns(view, lines, { left, right, bottom, top }, X, Y),
  );
  svg.set("style", `max-width: ${Math.round(width * 1.25)}px`);
  return h("div", { class: "scroll-x fair-box" }, svg);
}

function uniqueCells(cells) {
  return [...new Map(cells.map((cell) => [cell.join(":"), cell])).values()];
}

/** Free cells; while a shop is being placed, a click on one says why it cannot stand there. */
function freeCell(view, x, y, X, Y) {
  const dot = s("circle", { cx: X(x), cy: Y(y), r: 2.5, class: "free-cell" });
  if (view.phase !== "place") return dot;
  return s("g", { "data-try": `build ${x}/${y}`, "data-tip": t("joban.cell", { x, y }) }, s("rect", { x: X(x) - CELL / 2, y: Y(y) - CELL / 2, width: CELL, height: CELL, class: "touch" }), dot);
}

function cellBox(x, y, X, Y) {
  return s(
    "g",
    { "data-target": `cell:${x}:${y}`, class: "cell" },
    s("rect", { x: X(x) - CELL / 2 + 5, y: Y(y) - CELL / 2 + 5, width: CELL - 10, height: CELL - 10, rx: 6, class: "cell-box" }),
    s("path", { d: `M${X(x) - 7} ${Y(y)}h14M${X(x)} ${Y(y) - 7}v14`, class: "cell-plus" }),
  );
}

function shopAt(view, at, shop, X, Y) {
  const key = [shop.x, shop.y];
  const same = (cell) => cell && cell[0] === shop.x && cell[1] === shop.y;
  const moving = view.dragon_queue[0]?.cells.some(same);
  const marks = `${same(view.new) ? " new" : ""}${same(view.picked) ? " picked" : ""}${moving ? " moving" : ""}`;
  const whose = shop.dragon === null ? "" : `\n${t("joban.dragonOf", { name: at.names[shop.dragon] })}`;
  const attempt = { target: `swap ${key.join("/")}`, bonus: `pick ${key.join("/")}` }[view.phase];
  return s(
    "g",
    {
      transform: `translate(${X(shop.x)} ${Y(shop.y)})`,
      class: `shop${marks}`,
      "data-target": `cell:${shop.x}:${shop.y}`,
      "data-try": attempt ?? null,
      "data-tip": t("joban.shop", { colour: t(`colours.${shop.colour}`), x: shop.x, y: shop.y }) + whose,
      "data-sig": `${shop.colour} ${shop.dragon}`,
    },
    s("rect", { x: -26, y: -26, width: 52, height: 52, rx: 5, class: "shop-ground" }),
    shopSign(shop.colour),
    shop.dragon === null ? null : dragon(view, at, shop.dragon),
  );
}

function dragon(view, at, seat) {
  const colour = view.players[seat].colour;
  const head = seatSign(seat, colour, initial(at.names[seat]), 9);
  head.set("transform", "translate(13 11)");
  const body = "M-23 20C-20 9 -13 9 -10 15S-2 22 2 14";
  return s(
    "g",
    { class: "dragon" },
    s("path", { d: body, class: "dragon-edge" }),
    s("path", { d: body, class: `dragon-body d-${colour}` }),
    s("path", { d: "M-23 20l-4 -4 1 7zM8 4l-3 -7 6 4zM18 4l3 -7 -6 4z", class: `dragon-horn p-${colour}` }),
    head,
  );
}

function arrows(view, at, X, Y) {
  const [x, y] = view.new;
  const asked = at.menu.filter((entry) => entry.targets[0].startsWith("direction:")).map((entry) => entry.targets[0].split(":")[1]);
  return asked.map((name) => {
    const [dx, dy] = ARROWS[name];
    const turn = (Math.atan2(-dy, dx) * 180) / Math.PI;
    const away = dx && dy ? 34 : 38;
    return s(
      "g",
      { class: "arrow", "data-target": `direction:${name}`, transform: `translate(${X(x) + dx * away} ${Y(y) - dy * away}) rotate(${turn})` },
      s("circle", { r: 15, class: "arrow-disc" }),
      s("path", { d: "M-8 -3.5H2V-9L11 0 2 9V3.5H-8Z", class: "arrow-head" }),
    );
  });
}

/** Where a line of a task begins: a sign at the edge of the field. */
function lineSigns(view, lines, edge, X, Y) {
  const used = new Map();
  return lines.map((entry) => {
    const [, slot, direction, line] = entry.targets[0].split(":").map(Number);
    const [x, y] = startOf(direction, line, edge);
    const spot = `${x}:${y}`;
    const shift = used.get(spot) ?? 0;
    used.set(spot, shift + 1);
    const turn = [0, 90, -45, 45][direction];
    return s(
      "g",
      { class: "arrow", "data-target": entry.targets[0], transform: `translate(${X(x) + shift * 16} ${Y(y) + shift * 8})`, "data-slot": slot },
      s("circle", { r: 15, class: "arrow-disc" }),
      s("path", { d: "M-8 -3.5H2V-9L11 0 2 9V3.5H-8Z", class: "arrow-head", transform: `rotate(${turn})` }),
    );
  });
}

/** Rows have one y, columns one x, rising diagonals one x−y, falling ones one x+y. */
function startOf(direction, line, { left, right, bottom, top }) {
  if (direction === LINE_OF.horizontal) return [left, line];
  if (direction === LINE_OF.vertical) return [line, top];
  if (direction === LINE_OF.diagonal_up) {
    const x = Math.max(left, bottom + line);
    return [x, x - line];
  }
  const x = Math.max(left, line - top);
  return [Math.min(x, right), line - Math.min(x, right)];
}

function piles(view) {
  const pile = (name, index) =>
    h(
      "div",
      { class: "slot pile", "data-target": `pile:${index}`, "data-try": `design ${name}`, "data-tip": t("joban.pileTip", { n: view.piles[name], colour: t(`colours.${name}`) }), "data-key": `pile ${name}`, "data-sig": view.piles[name] },
      picture(
        64,
        88,
        { class: "card" },
        s("rect", { x: 1.5, y: 1.5, width: 61, height: 85, rx: 7, class: `c-${name} card-edge` }),
        s("g", { transform: "translate(32 36) scale(.85)" }, shopSign(name)),
        text(32, 79, view.piles[name], { class: `pile-count on-${name}` }),
      ),
      h("small", {}, t(`colours.${name}`)),
    );
  return h(
    "div",
    { class: "market-box" },
    h(
      "section",
      { class: "tray" },
      h("h3", {}, t("joban.piles")),
      h(
        "div",
        { class: "cards" },
        view.board.colours.map(pile),
        h(
          "div",
          { class: "slot pile", "data-target": "task-pile", "data-tip": t("joban.taskPileTip", { n: view.task_pile, discarded: view.task_discard.length }) },
          picture(64, 88, { class: "card" }, s("rect", { x: 1.5, y: 1.5, width: 61, height: 85, rx: 7, class: "card-back" }), s("path", { d: "M18 52h28M32 30v44M20 40l24 24", class: "task-back" }), text(46, 26, view.task_pile, { class: "pile-count" })),
          h("small", {}, t("joban.taskPile")),
        ),
      ),
    ),
    view.seat === null ? null : ownTasks(view),
  );
}

function ownTasks(view) {
  const player = view.players[view.seat];
  return h(
    "section",
    { class: "tray" },
    h("h3", {}, t("joban.yourTasks")),
    h("div", { class: "cards" }, player.tasks.map((task) => taskCard(task)), player.scored_tasks.map((done) => scoredTask(done))),
  );
}

function taskCard(task) {
  if (!task.task) return picture(92, 88, { class: "card" }, s("rect", { x: 1.5, y: 1.5, width: 89, height: 85, rx: 7, class: "card-back" }));
  const best = [...task.lines].sort((a, b) => b.points - a.points);
  const sign = lineSign(task.task.direction);
  const tip = [taskWords(task.task), ...best.slice(0, 8).map((line) => t("joban.line", { sign, line: line.line, points: signed(line.points) }))].join("\n");
  return h("div", { class: "slot", "data-tip": tip, tabindex: 0, role: "img", "aria-label": tip }, taskPicture(task.task), best.length ? h("small", {}, t("joban.bestNow", { points: signed(best[0].points) })) : null);
}

function scoredTask(done) {
  return h("div", { class: "slot done", "data-tip": taskWords(done.task) }, taskPicture(done.task), h("small", {}, signed(done.points)));
}

function lineSign(direction) {
  return { horizontal: "y", vertical: "x", diagonal_up: "x−y", diagonal_down: "x+y" }[direction] ?? "";
}

function signed(value) {
  return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0";
}

function taskWords(task) {
  return t("joban.task", { line: t(`joban.line_${task.direction}`), plus: t(`colours.${task.plus}`), minus: t(`colours.${task.minus}`) });
}

function cardWords(card) {
  return t("joban.cardWords", { colour: t(`colours.${card.colour}`) });
}

function scoreWords(card) {
  return t("joban.scores", { colour: t(`colours.${card.scores}`), where: t(`joban.pattern_${card.pattern}`) });
}

function own(view) {
  if (view.seat === null) return "";
  const player = view.players[view.seat];
  return h(
    "section",
    { class: "tray", "aria-label": t("joban.yourCards") },
    h("h3", {}, t("joban.yourCards")),
    player.hand.length ? h("div", { class: "cards" }, player.hand.map((item) => handCard(item))) : h("p", { class: "hint" }, t("joban.noCards")),
  );
}

/** A card of two halves: its points and its bonus. */
function handCard(item) {
  const card = item.card;
  if (!card) return picture(104, 128, { class: "card" }, s("rect", { x: 1.5, y: 1.5, width: 101, height: 125, rx: 7, class: `c-${item.colour} card-edge` }));
  const words = `${t("joban.cardWords", { colour: t(`colours.${card.colour}`) })} (${item.name})`;
  const half = (mode, y, height, tip, ...content) =>
    s("g", { "data-target": `card:${item.slot}:${mode}`, "data-try": `play ${item.name} ${card.code} ${mode ? "bonus" : "points"}`, "data-tip": `${words}\n${tip}`, class: "half" }, s("rect", { x: 4, y, width: 96, height, rx: 5, class: "half-paper" }), ...content);
  return picture(
    104,
    136,
    { class: "card tall", "aria-label": words },
    s("rect", { x: 1.5, y: 1.5, width: 101, height: 133, rx: 7, class: `c-${card.colour} card-edge` }),
    text(12, 19, t(`colours.${card.colour}`)[0].toUpperCase(), { class: `card-letter on-${card.colour}` }),
    text(94, 19, item.name, { class: `card-name on-${card.colour}` }),
    half(0, 25, 52, `${t("joban.forPoints")}: ${scoreWords(card)}`, s("g", { transform: "translate(30 51)" }, patternIcon(card.pattern, card.scores)), text(76, 48, t("joban.pointsShort"), { class: "half-word" }), text(76, 62, t(`colours.${card.scores}`), { class: "half-word dim" })),
    half(1, 80, 52, `${t("joban.forBonus")}: ${t(`joban.bonus_${card.bonus}`)}`, s("g", { transform: "translate(30 106)" }, bonusIcon(card.bonus)), text(76, 103, t("joban.bonusShort"), { class: "half-word" }), text(76, 117, t(`joban.bonusWord_${card.bonus}`), { class: "half-word dim" })),
  );
}

function mat(view, player, at) {
  const seat = player.seat;
  const out = view.field.filter((shop) => shop.dragon === seat).length;
  return h(
    "section",
    { class: `mat${view.to_act === seat ? " acts" : ""}`, "aria-label": at.names[seat] },
    h(
      "div",
      { class: "mat-head" },
      seatPicture(seat, player.colour, at.names[seat], 24),
      h("b", {}, at.names[seat]),
      h("span", { class: "vp", "data-key": `score:${seat}`, "data-sig": player.score }, t("joban.pointsN", { n: player.score })),
      h("small", {}, t("joban.dragons", { left: player.dragons, out })),
    ),
    h(
      "div",
      { class: "cards small" },
      player.hand.map((item) =>
        item.card
          ? handCard(item)
          : picture(64, 88, { class: "card", "data-tip": t("joban.hiddenCard", { colour: t(`colours.${item.colour}`) }) }, s("rect", { x: 1.5, y: 1.5, width: 61, height: 85, rx: 7, class: `c-${item.colour} card-edge` }), text(32, 54, t(`colours.${item.colour}`)[0].toUpperCase(), { class: `card-big on-${item.colour}` })),
      ),
      player.tasks.map((task) => (task.task ? taskCard(task) : picture(64, 88, { class: "card", "data-tip": t("joban.hiddenTask") }, s("rect", { x: 1.5, y: 1.5, width: 61, height: 85, rx: 7, class: "card-back" }), s("path", { d: "M18 44h28M32 22v44M20 32l24 24", class: "task-back" })))),
      player.scored_tasks.map((done) => scoredTask(done)),
    ),
  );
}

function played(view) {
  if (!view.discard.length) return "";
  const rows = view.discard.map((card) => h("li", {}, `${cardWords(card)}: ${scoreWords(card)}; ${t(`joban.bonus_${card.bonus}`)}`));
  return h("details", { class: "played" }, h("summary", {}, t("joban.played", { n: view.discard.length })), h("ul", {}, rows));
}
