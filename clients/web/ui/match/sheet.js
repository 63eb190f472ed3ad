// @ts-check
/**
 * On a narrow screen what now, choices and hand lie in a sheet below the board, and the board ends where it begins. It has three heights:
 * what now; choices; hand. Its handle and the line that says what to do are tapped for the next height, or drawn up and down.
 */

const HEIGHTS = 3;
const DRAWN = 24; // pixels that a finger moves before it draws the sheet

export class Sheet {
  /** @param {HTMLElement} root @param {HTMLElement} head what is tapped and drawn */
  constructor(root, head) {
    this.root = root;
    this.height = 2;
    /** What was needed when the person chose a height; null if they did not. @type {number | null} */
    this.chosenAt = null;
    this.needed = 2;
    /** Where a finger took hold of it. @type {number | null} */
    this.held = null;
    this.listen(head);
    this.show();
  }

  /** @param {HTMLElement} head */
  listen(head) {
    const grip = (event) => event.target instanceof Element && event.target.closest(".sheet-handle, .whose") !== null;
    head.addEventListener("pointerdown", (event) => (this.held = grip(event) ? event.clientY : null));
    head.addEventListener("pointermove", (event) => event.buttons && this.draw(event.clientY));
    head.addEventListener("click", (event) => {
      if (grip(event) && (this.held !== null || event.detail === 0)) this.step(); // a key has no finger
      this.held = null;
    });
    head.addEventListener("pointercancel", () => (this.held = null));
  }

  /** A finger moves up or down. @param {number} y */
  draw(y) {
    if (this.held === null || Math.abs(y - this.held) < DRAWN) return;
    this.choose(Math.min(Math.max(this.height + (y < this.held ? 1 : -1), 1), HEIGHTS));
    this.held = null; // once for each move; and its end is not a tap
  }

  /** The next height, and after the last the first. */
  step() {
    this.choose((this.height % HEIGHTS) + 1);
  }

  /** @param {number} height */
  choose(height) {
    this.chosenAt = this.needed;
    this.set(height);
  }

  /** @param {number} height */
  set(height) {
    this.height = height;
    this.show();
  }

  /**
   * The height that suits what comes: low while others play; the hand if that is where one chooses. What the person chose stays until something
   * else is needed, or until it would hide all that can be chosen.
   * @param {boolean} due @param {boolean} onBoard the board offers something @param {boolean} onDesk the hand is where one chooses
   */
  suits(due, onBoard, onDesk) {
    this.needed = due ? (onDesk ? 3 : 2) : 1;
    if (this.chosenAt !== this.needed || (due && !onBoard && this.height < this.needed)) this.chosenAt = null;
    if (this.chosenAt === null) this.set(this.needed);
  }

  show() {
    this.root.dataset.sheet = String(this.height);
  }
}
