// @ts-check
/** On a narrow screen what now, choices and hand lie in a sheet below the board; it has three heights, and the board ends where it begins. */

export class Sheet {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.height = 2;
    /** Whether the person chose the height in this turn. */
    this.isChosen = false;
    this.wasDue = false;
    this.show();
  }

  /** The next height: what now; choices; hand; and what now again. */
  step() {
    this.isChosen = true;
    this.set((this.height % 3) + 1);
  }

  /** @param {number} height */
  set(height) {
    this.height = height;
    this.show();
  }

  /** The height that suits what comes: low while others play; the hand if that is where one chooses. @param {boolean} due @param {boolean} onBoard */
  suits(due, onBoard) {
    if (due !== this.wasDue) this.isChosen = false;
    this.wasDue = due;
    if (!this.isChosen) this.set(due ? (onBoard ? 2 : 3) : 1);
  }

  show() {
    this.root.dataset.sheet = String(this.height);
  }
}
