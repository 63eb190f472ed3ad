// @ts-check
/** Pieces on their way: a picture flies from one element to another over the page and is gone again. */
import { h, paint, picture, render } from "../../../draw.js";
import { initial, seatSign } from "../shapes.js";

/** @typedef {{what: string, source: string, goal: string, seat: number | null, count: number}} Travel */

const APART = 70; // milliseconds between pieces that travel together
const MOST = 8; // pieces of one travel that are drawn

export class Travels {
  /** @param {Element} root where elements are looked for @param {any} board */
  constructor(root, board) {
    this.root = root;
    this.board = board;
    /** @type {HTMLElement} */
    this.overlay = render(h("div", { class: "overlay", "aria-hidden": "true" }));
    /** Pictures and lights so far: none is used twice. */
    this.made = 0;
    /** @type {Set<Animation>} */
    this.running = new Set();
  }

  /** The element with this name, or the nearest thing that stands for it. @param {string} name @returns {Element | null} */
  find(name) {
    if (!name) return null;
    for (let parts = name.split(":"); parts.length; parts = parts.slice(0, -1)) {
      const part = CSS.escape(parts.join(":"));
      const found = [...this.root.querySelectorAll(`[data-at="${part}"], [data-target="${part}"]`)].find((each) => each.getClientRects().length);
      if (found) return found;
      if (parts[0] === "desk" && parts.length === 2) return this.root.querySelector(`[data-own="${CSS.escape(parts[1])}"]`) ?? this.root.querySelector(`[data-seat="${CSS.escape(parts[1])}"] .player-head`);
    }
    return null;
  }

  /** @param {string} name @returns {{x: number, y: number} | null} */
  spot(name) {
    const box = this.find(name)?.getBoundingClientRect();
    return box ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : null;
  }

  /**
   * Let everything travel at once; resolves when the last has arrived.
   * @param {Travel[]} travels @param {any} view @param {string[]} names @param {number} lasts milliseconds
   */
  async go(travels, view, names, lasts) {
    const flights = travels.flatMap((travel) => {
      const [from, to] = [this.spot(travel.source), this.spot(travel.goal)];
      if (!from && !to) return [];
      const edge = { x: innerWidth / 2, y: -30 };
      return Array.from({ length: Math.min(travel.what === "points" ? 1 : travel.count, MOST) }, (_, index) => ({ travel, index, from: from ?? edge, to: to ?? edge }));
    });
    if (!flights.length) return;
    const ghosts = flights.map(({ travel }) => h("div", { key: ++this.made, class: "ghost" }, this.picture(travel, view, names)));
    paint(this.overlay, ghosts);
    await Promise.all(flights.map(({ from, to, index }, number) => this.fly(ghosts[number].node, from, to, index * APART, lasts)));
    paint(this.overlay, []);
  }

  /** @param {HTMLElement} node @param {{x: number, y: number}} from @param {{x: number, y: number}} to @param {number} delay @param {number} lasts */
  async fly(node, from, to, delay, lasts) {
    const at = (spot, size) => `translate(${spot.x}px, ${spot.y}px) translate(-50%, -50%) scale(${size})`;
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 - 18 };
    const flight = node.animate([{ transform: at(from, 0.8), opacity: 0.6 }, { transform: at(middle, 1.25), opacity: 1, offset: 0.5 }, { transform: at(to, 1), opacity: 1 }], { duration: lasts, delay, easing: "ease-in-out", fill: "both" });
    this.running.add(flight);
    await flight.finished.catch(() => {}); // a click cancels it
    this.running.delete(flight);
  }

  /** @param {Travel} travel @param {any} view @param {string[]} names */
  picture(travel, view, names) {
    const own = this.board.traveller?.(view, travel, names);
    if (own) return own;
    if (travel.what === "points") return h("b", { class: "ghost-points" }, travel.count > 0 ? `+${travel.count}` : `−${-travel.count}`);
    const sign = travel.seat === null ? null : this.sign(view, travel.seat, names);
    return travel.what.includes("card") || !sign ? h("span", { class: "ghost-card" }, sign) : sign;
  }

  /** @param {any} view @param {number} seat @param {string[]} names */
  sign(view, seat, names) {
    const sign = seatSign(seat, this.board.colour(view, seat), initial(names[seat] ?? "?"), 11);
    sign.set("transform", "translate(15 15)");
    return picture(30, 30, {}, sign);
  }

  /** A calm light around where something arrived: beside the board, so that the board is not painted for it. @param {(Element | null)[]} goals */
  async light(goals) {
    const boxes = [...new Set(goals)].flatMap((goal) => (goal ? [goal.getBoundingClientRect()] : [])).filter((box) => box.width < innerWidth / 2);
    const rings = boxes.map(() => h("div", { key: ++this.made, class: "ring" }));
    paint(this.overlay, rings);
    await Promise.all(
      boxes.map(async (box, index) => {
        const ring = /** @type {HTMLElement} */ (rings[index].node);
        Object.assign(ring.style, { left: `${box.left - 4}px`, top: `${box.top - 4}px`, width: `${box.width + 8}px`, height: `${box.height + 8}px` });
        const glow = ring.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 600, fill: "forwards" });
        this.running.add(glow);
        await glow.finished.catch(() => {});
        this.running.delete(glow);
      }),
    );
  }

  /** Stop everything where it is. */
  cancel() {
    for (const flight of this.running) flight.cancel();
    this.running.clear();
    paint(this.overlay, []);
  }
}
