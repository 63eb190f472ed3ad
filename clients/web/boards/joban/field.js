// @ts-check
/** The field of the fair: shops with their dragons, free cells, and signs for directions and lines. It fills its place however far it grows. */
import { s, text } from "../../draw.js";
import { t } from "../../words.js";
import { initial, seatSign } from "../../ui/match/shapes.js";
import { shopSign } from "./cards.js";

const UNIT = 58; // a cell as it is drawn
const LARGEST = 104;
const EDGE = 24; // room for the numbers of rows and columns, and for the figures of lines above them
const ARROWS = { up: [0, 1], down: [0, -1], left: [-1, 0], right: [1, 0], up_left: [-1, 1], up_right: [1, 1], down_left: [-1, -1], down_right: [1, -1] };
const LINE_OF = { horizontal: 0, vertical: 1, diagonal_up: 2, diagonal_down: 3 };

/** @typedef {{left: number, right: number, bottom: number, top: number}} Extent @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{X: (x: number) => number, Y: (y: number) => number, scale: number, extent: Extent}} Grid */

/** Every element an entry of the menu may be clicked at. @param {any[]} menu @returns {string[]} */
export function targetsIn(menu) {
  return menu.flatMap((entry) => entry.targets);
}

/** Where the cells are: in the middle of the box, as large as fits. Cells that can be built on belong to it, so that it grows only with the field. @param {any} view @param {any[]} menu @param {Box} box @returns {Grid} */
export function gridOf(view, menu, box) {
  const offered = targetsIn(menu).filter((id) => id.startsWith("cell:")).map((id) => id.split(":").slice(1).map(Number));
  const cells = [...view.field.map((shop) => [shop.x, shop.y]), ...view.building_cells, ...offered];
  const [xs, ys] = [cells.map(([x]) => x), cells.map(([, y]) => y)];
  const extent = { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) };
  const [columns, rows] = [extent.right - extent.left + 1, extent.top - extent.bottom + 1];
  const edges = targetsIn(menu).some((id) => id.startsWith("line:")) ? 2 * EDGE : EDGE;
  const cell = Math.min(LARGEST, (box.width - EDGE) / columns, (box.height - edges) / rows);
  const left = box.x + EDGE + (box.width - EDGE - columns * cell) / 2;
  const top = box.y + edges - EDGE + (box.height - edges - rows * cell) / 2;
  return { X: (x) => left + (x - extent.left + 0.500) * cell, Y: (y) => top + (extent.top - y + 0.500) * cell, scale: cell / UNIT, extent };
}

/** @param {any} view @param {any} at @param {Grid} grid @param {Box} box */
export function field(view, at, grid, box) {
  const shops = new Set(view.field.map((shop) => `${shop.x}:${shop.y}`));
  const offered = new Set(targetsIn(at.menu).filter((id) => id.startsWith("cell:")).map((id) => id.slice(5)));
  const open = [...offered].filter((id) => !shops.has(id)).map((id) => id.split(":").map(Number));
  const free = view.building_cells.filter(([x, y]) => !shops.has(`${x}:${y}`) && !offered.has(`${x}:${y}`));
  return s(
    "g",
    { role: "group", "aria-label": t("joban.field", { n: view.field.length }) },
    s("rect", { ...box, rx: 10, class: "meadow" }),
    s("path", { d: tufts(box), class: "tufts" }),
    axes(grid, box),
    free.map(([x, y]) => freeCell(view, grid, x, y)),
    open.map(([x, y]) => cellBox(grid, x, y)),
    view.field.map((shop) => shopAt(view, at, grid, shop)),
    view.phase === "aim" && view.new ? arrows(view, at, grid) : null,
    lineSigns(at, grid),
  );
}

/** Grass, the same on every meadow of a size. @param {Box} box */
function tufts({ x, y, width, height }) {
  const out = [];
  for (let row = 0; row * 62 < height - 30; row++) {
    for (let place = 0; place * 96 < width - 60; place++) {
      const [right, down] = [22 + place * 96 + ((row * 37) % 70), 26 + row * 62 + ((place * 23) % 30)];
      if (right < width - 8 && down < height - 6) out.push(`M${x + right} ${y + down}l-4 -9m4 9l0 -12m0 12l5 -8`);
    }
  }
  return out.join("");
}

function axes({ X, Y, scale, extent }, box) {
  const out = [];
  const half = (scale * UNIT) / 2;
  for (let x = extent.left; x <= extent.right; x++) out.push(text(X(x), Math.min(Y(extent.bottom) + half + 15, box.y + box.height - 4), x, { class: "axis" }));
  for (let y = extent.bottom; y <= extent.top; y++) out.push(text(Math.max(X(extent.left) - half - 11, box.x + 11), Y(y) + 4, y, { class: "axis" }));
  return out;
}

/** Something in a cell, drawn in units of its own. */
function inCell({ X, Y, scale }, x, y) {
  return `translate(${X(x).toFixed(1)} ${Y(y).toFixed(1)}) scale(${scale.toFixed(3)})`;
}

/** Free cells; while a shop is being placed, a click on one says why it cannot stand there. */
function freeCell(view, grid, x, y) {
  const dot = s("circle", { r: 3, class: "free-cell" });
  if (view.phase !== "place") return s("g", { transform: inCell(grid, x, y) }, dot);
  return s("g", { transform: inCell(grid, x, y), "data-about": "build", "data-try": `build ${x}/${y}`, "data-tip": t("joban.cell", { x, y }) }, s("rect", { x: -UNIT / 2, y: -UNIT / 2, width: UNIT, height: UNIT, class: "touch" }), dot);
}

function cellBox(grid, x, y) {
  return s(
    "g",
    { key: `${x}:${y}`, transform: inCell(grid, x, y), "data-target": `cell:${x}:${y}`, class: "cell" },
    s("rect", { x: -UNIT / 2, y: -UNIT / 2, width: UNIT, height: UNIT, class: "touch" }),
    s("rect", { x: -24, y: -24, width: 48, height: 48, rx: 6, class: "cell-box" }),
    s("path", { d: "M-7 0h14M0 -7v14", class: "cell-plus" }),
  );
}

function shopAt(view, at, grid, shop) {
  const same = (cell) => cell && cell[0] === shop.x && cell[1] === shop.y;
  const moving = view.dragon_queue[0]?.cells.some(same);
  const marks = `${same(view.new) ? " new" : ""}${same(view.picked) ? " picked" : ""}${moving ? " moving" : ""}`;
  const whose = shop.dragon === null ? "" : `\n${t("joban.dragonOf", { name: at.names[shop.dragon] })}`;
  const attempt = { target: `swap ${shop.x}/${shop.y}`, bonus: `pick ${shop.x}/${shop.y}` }[view.phase];
  return s(
    "g",
    { key: `${shop.x}:${shop.y}`, transform: inCell(grid, shop.x, shop.y), class: `shop${marks}`, "data-target": `cell:${shop.x}:${shop.y}`, "data-try": attempt ?? null, "data-tip": t("joban.shop", { colour: t(`colours.${shop.colour}`), x: shop.x, y: shop.y }) + whose, "data-sig": `${shop.colour} ${shop.dragon}` },
    s("rect", { x: -27, y: -27, width: 54, height: 54, rx: 5, class: "shop-ground" }),
    shopSign(shop.colour),
    shop.dragon === null ? null : dragon(view.players[shop.dragon].colour, shop.dragon, initial(at.names[shop.dragon])),
  );
}

/** A dragon with the sign of its owner as its head. @param {string} colour @param {number} seat @param {string} letter */
export function dragon(colour, seat, letter) {
  const head = seatSign(seat, colour, letter, 9);
  head.set("transform", "translate(13 11)");
  const body = "M-23 20C-20 9 -13 9 -10 15S-2 22 2 14";
  return s(
    "g",
    { class: "dragon", "data-about": "dragons" },
    s("path", { d: body, class: `dragon-edge e-${colour}` }),
    s("path", { d: body, class: `dragon-body d-${colour}` }),
    s("path", { d: "M-23 20l-4 -4 1 7zM8 4l-3 -7 6 4zM18 4l3 -7 -6 4z", class: `dragon-horn p-${colour}` }),
    head,
  );
}

function arrow(attributes, turn, scale) {
  return s("g", attributes, s("circle", { r: Math.max(15, 20 * scale), class: "arrow-disc" }), s("path", { d: "M-8 -3.500H2V-9L11 0 2 9V3.500H-8Z", class: "arrow-head", transform: `rotate(${turn}) scale(${Math.max(1, scale)})` }));
}

function arrows(view, at, { X, Y, scale }) {
  const [x, y] = view.new;
  const asked = new Set(targetsIn(at.menu).filter((id) => id.startsWith("direction:")).map((id) => id.split(":")[1]));
  return [...asked].filter((name) => ARROWS[name]).map((name) => {
    const [dx, dy] = ARROWS[name];
    const away = (dx && dy ? 37 : 42) * scale;
    return arrow({ key: name, class: "arrow", "data-target": `direction:${name}`, transform: `translate(${X(x) + dx * away} ${Y(y) - dy * away})` }, (Math.atan2(-dy, dx) * 180) / Math.PI, scale);
  });
}

/** Where a line of a task begins: a sign at the edge of the field. */
function lineSigns(at, { X, Y, scale, extent }) {
  const used = new Map();
  const lines = [...new Set(targetsIn(at.menu).filter((id) => id.startsWith("line:")))];
  return lines.map((id) => {
    const [direction, line] = id.split(":").slice(2).map(Number);
    const [x, y] = startOf(direction, line, extent);
    const shift = used.get(`${x}:${y}`) ?? 0;
    used.set(`${x}:${y}`, shift + 1);
    return arrow({ key: id, class: "arrow", "data-target": id, transform: `translate(${X(x) + shift * 18} ${Y(y) + shift * 10})` }, [0, 90, -45, 45][direction], Math.min(scale, 1));
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

/** Where badges stand. @param {any} view @param {any[]} menu @param {Grid} grid */
export function cellSpots(view, menu, { X, Y, scale, extent }) {
  /** @type {Map<string, [number, number]>} */
  const found = new Map();
  const cells = new Set([...view.field.map((shop) => `${shop.x}:${shop.y}`), ...targetsIn(menu).filter((id) => id.startsWith("cell:")).map((id) => id.slice(5))]);
  for (const id of cells) {
    const [x, y] = id.split(":").map(Number);
    found.set(`cell:${id}`, [X(x), Y(y) - 20 * scale]);
  }
  for (const id of targetsIn(menu).filter((each) => each.startsWith("line:"))) {
    const [x, y] = startOf(Number(id.split(":")[2]), Number(id.split(":")[3]), extent);
    found.set(id, [X(x), Y(y) - 22]);
  }
  return found;
}
