// @ts-check
/**
 * The frame of the board: the board is drawn as large as fits; wheel, pinch, keys, buttons and a double tap enlarge it, dragging
 * moves it. Nothing here scrolls: the ground below the board is shifted and scaled, and the frame cuts off what lies outside.
 * Where something that can be chosen lies outside, an arrow at that edge says so and leads there. A finger that may mean many things gets
 * a closer look, which ends with what is done there.
 */
import { h, paint, render } from "../../draw.js";
import { t } from "../../words.js";

const MOST = 5; // times the size that fits
const STEP = 1.35;
const DRAG = 7; // pixels before a press becomes a drag
const TWICE = 320; // milliseconds between two taps
const NEAR = 56; // pixels: how large something is from close by
const GLIDE = 180; // milliseconds of a jump to another place
const SMALL = 760; // pixels: a frame for a finger, which needs a little room around what lies at an edge
const EDGE = 10;
const MARGIN = 56; // pixels that a board may be drawn away from the lower edge, where the tools lie

export class Frame {
  /** @param {() => void} reshaped is called when the frame becomes high instead of wide, or the reverse */
  constructor(reshaped) {
    const ground = h("div", { class: "ground board", role: "group" });
    const tools = h("div", { class: "frame-tools" });
    const edges = h("div", { class: "edges" });
    this.element = render(h("div", { class: "frame", tabindex: 0, role: "group", "aria-label": t("frame.title") }, ground, edges, tools));
    /** @type {HTMLElement} */
    this.ground = ground.node;
    /** @type {HTMLElement} */
    this.edges = edges.node;
    this.reshaped = reshaped;
    this.width = 1;
    this.height = 1;
    /** The natural size of the board. */
    this.natural = { width: 1, height: 1 };
    /** How large the board is shown, and where its upper left corner lies in the frame. */
    this.at = { scale: 1, x: 0, y: 0 };
    this.fitted = true;
    /** What the ground was given last. @type {Map<string, string>} */
    this.sizes = new Map();
    /** Where the board was before the closer look. @type {{scale: number, x: number, y: number, fitted: boolean} | null} */
    this.before = null;
    /** Whether the board is one drawing, which has no size of its own. */
    this.isDrawing = false;
    this.isNarrow = false;
    /** Pressed pointers: where they are. @type {Map<number, {x: number, y: number}>} */
    this.pressed = new Map();
    this.dragged = false;
    this.tapped = { time: 0, x: 0, y: 0 };
    this.looking = 0;
    this.drawTools(tools.node);
    this.listen();
    this.watch = new ResizeObserver(() => this.resized());
    this.watch.observe(this.element);
  }

  close() {
    this.watch.disconnect();
    cancelAnimationFrame(this.looking);
  }

  /** @param {HTMLElement} node */
  drawTools(node) {
    const tool = (key, sign, does) => h("button", { type: "button", "data-frame": key, "aria-label": t(`frame.${key}`), title: t(`frame.${key}Title`), click: does }, sign);
    paint(node, [tool("out", "−", () => this.zoom(1 / STEP)), tool("fit", t("frame.fitShort"), () => this.fit()), tool("in", "+", () => this.zoom(STEP))]);
  }

  listen() {
    const on = (name, does, options) => this.element.addEventListener(name, does, options);
    on("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      this.zoom(Math.exp(-event.deltaY * lines * 0.0016), this.inside(event));
    }, { passive: false });
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) on(name, (event) => this.release(event));
    on("click", (event) => {
      if (!this.dragged) return;
      event.stopPropagation(); // the end of a drag is not a click
      event.preventDefault();
      this.dragged = false;
    }, true);
    on("keydown", (event) => this.key(event));
    on("scroll", () => this.element.scrollTo(0, 0));
  }

  /** Where an event happened, in the frame. @param {{clientX: number, clientY: number}} event */
  inside(event) {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.target instanceof Element && event.target.closest("button, input, a")) return;
    this.dragged = false;
    this.pressed.set(event.pointerId, this.inside(event));
  }

  /** @param {PointerEvent} event */
  move(event) {
    const before = this.pressed.get(event.pointerId);
    if (!before) return;
    const now = this.inside(event);
    const others = [...this.pressed].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    if (others.length) {
      const [other] = others;
      const far = (at) => Math.hypot(at.x - other.x, at.y - other.y);
      this.dragged = true;
      this.at = { ...this.at, x: this.at.x + (now.x - before.x) / 2, y: this.at.y + (now.y - before.y) / 2 };
      this.zoom(far(now) / Math.max(far(before), 1), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    } else {
      const [dx, dy] = [now.x - before.x, now.y - before.y];
      if (!this.dragged && Math.hypot(dx, dy) < DRAG) return;
      if (!this.dragged) this.element.setPointerCapture(event.pointerId);
      this.dragged = true;
      this.place({ ...this.at, x: this.at.x + dx, y: this.at.y + dy });
    }
    this.pressed.set(event.pointerId, now);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const at = this.pressed.get(event.pointerId);
    this.pressed.delete(event.pointerId);
    if (!at || this.dragged || event.type === "pointercancel") return;
    const live = event.target instanceof Element && event.target.closest("[data-entries]");
    const twice = event.timeStamp - this.tapped.time < TWICE && Math.hypot(at.x - this.tapped.x, at.y - this.tapped.y) < 24;
    this.tapped = { time: twice || live ? 0 : event.timeStamp, ...at };
    if (twice && !live) this.glide(() => (this.fitted ? this.zoom(2.2, at) : this.fit()));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const by = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.target !== this.element || !by || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.place({ ...this.at, x: this.at.x + by[0] * 60, y: this.at.y + by[1] * 60 });
  }

  resized() {
    this.width = Math.max(this.element.clientWidth, 1);
    this.height = Math.max(this.element.clientHeight, 1);
    const narrow = this.width < this.height;
    if (narrow !== this.isNarrow) {
      this.isNarrow = narrow;
      this.reshaped();
    }
    this.drawn();
  }

  /** After a drawing: the board may have another size. */
  drawn() {
    const board = this.ground.firstElementChild;
    const box = board instanceof SVGSVGElement ? board.viewBox.baseVal : null;
    this.isDrawing = Boolean(box?.width);
    if (box?.width) this.natural = { width: box.width, height: box.height };
    else this.natural = { width: Math.max(this.ground.offsetWidth, 1), height: Math.max(this.ground.offsetHeight, 1) };
    this.settle();
  }

  get whole() {
    const edge = this.width < SMALL ? 2 * EDGE : 0;
    return Math.min((this.width - edge) / this.natural.width, (this.height - edge) / this.natural.height);
  }

  settle() {
    if (!this.element.isConnected) return; // it has no size yet
    if (this.fitted) this.fit();
    else this.place(this.at);
  }

  /** Show all of it. */
  fit() {
    this.fitted = true;
    this.before = null;
    this.place({ scale: this.whole, x: 0, y: 0 });
  }

  /** Enlarge around a point of the frame. @param {number} by @param {{x: number, y: number}} [around] */
  zoom(by, around = { x: this.width / 2, y: this.height / 2 }) {
    const scale = Math.min(Math.max(this.at.scale * by, this.whole), this.whole * MOST);
    this.fitted = scale <= this.whole * 1.001;
    const grown = scale / this.at.scale;
    this.place({ scale, x: around.x - (around.x - this.at.x) * grown, y: around.y - (around.y - this.at.y) * grown });
  }

  /** A closer look at a point of the window, so that what is as small as this can be met; false if it cannot be closer. @param {{x: number, y: number}} point @param {number} size */
  closer({ x, y }, size) {
    const by = Math.min(NEAR / Math.max(size, 1), (this.whole * MOST) / this.at.scale);
    if (by < 1.15) return false;
    this.before ??= { ...this.at, fitted: this.fitted };
    const { x: left, y: top } = this.inside({ clientX: x, clientY: y });
    this.fitted = false;
    this.glide(() => this.place({ scale: this.at.scale * by, x: this.width / 2 - (left - this.at.x) * by, y: this.height / 2 - (top - this.at.y) * by }));
    return true;
  }

  /** The closer look is over. */
  away() {
    const { before } = this;
    if (!before) return;
    this.before = null;
    this.fitted = before.fitted;
    this.glide(() => (this.fitted ? this.fit() : this.place(before)));
  }

  /** Move there in a moment rather than at once, so that the eye can follow. @param {() => void} go */
  glide(go) {
    const from = this.at;
    go();
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const { x, y, scale } = this.at;
    const now = this.isDrawing ? 1 : scale;
    this.ground.animate([{ transform: `translate(${from.x}px, ${from.y}px) scale(${(now * from.scale) / scale})` }, { transform: `translate(${x}px, ${y}px) scale(${now})` }], { duration: GLIDE, easing: "ease-out" });
  }

  /** @param {string} name of a property of the ground @param {string} value */
  size(name, value) {
    if (this.sizes.get(name) === value) return;
    this.sizes.set(name, value);
    this.ground.style.setProperty(name, value);
  }

  /** Put the ground there, but leave no gap that could be filled. @param {{scale: number, x: number, y: number}} at */
  place(at) {
    const within = (place, size, room, margin) => (size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - margin - size, place)));
    const x = within(at.x, this.natural.width * at.scale, this.width, 0);
    const y = within(at.y, this.natural.height * at.scale, this.height, this.fitted ? 0 : MARGIN);
    this.at = { scale: at.scale, x, y };
    // A drawing gets its true size: text that is only scaled keeps the shape of the size at which it was laid out. Everything on the
    // board inherits these two, so they are set only where they change.
    this.size("--width", `${this.natural.width * at.scale}px`);
    this.size("--height", `${this.natural.height * at.scale}px`);
    this.size("transform", `translate(${x}px, ${y}px)${this.isDrawing ? "" : ` scale(${at.scale})`}`);
    this.element.classList.toggle("zoomed", !this.fitted);
    this.looking ||= requestAnimationFrame(() => {
      this.looking = 0;
      this.drawEdges();
    });
  }

  /** Bring an element of the board into the frame. @param {Element} element */
  reveal(element) {
    if (this.fitted || !this.ground.contains(element)) return;
    const [inner, outer] = [element.getBoundingClientRect(), this.element.getBoundingClientRect()];
    if (inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom) return;
    const middle = (box) => [box.left + box.width / 2, box.top + box.height / 2];
    const [[x, y], [toX, toY]] = [middle(inner), middle(outer)];
    this.place({ ...this.at, x: this.at.x + toX - x, y: this.at.y + toY - y });
  }

  /** Arrows for what can be chosen and is not in the frame. */
  drawEdges() {
    /** @type {Record<string, Element[]>} */
    const beyond = { left: [], right: [], up: [], down: [] };
    if (!this.fitted && !this.before) {
      const outer = this.element.getBoundingClientRect();
      for (const element of this.ground.querySelectorAll(".can")) {
        const box = element.getBoundingClientRect();
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const side = x < outer.left ? "left" : x > outer.right ? "right" : y < outer.top ? "up" : y > outer.bottom ? "down" : "";
        if (side) beyond[side].push(element);
      }
    }
    const signs = { left: "◀", right: "▶", up: "▲", down: "▼" };
    paint(this.edges, Object.entries(beyond).map(([side, list]) => (list.length ? h("button", { key: side, type: "button", class: `edge ${side}`, "data-edge": side, "aria-label": t("frame.beyond", { n: list.length }), click: () => this.reveal(list[0]) }, `${signs[side]} ${list.length}`) : null)));
  }
}
