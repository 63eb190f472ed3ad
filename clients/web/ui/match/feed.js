// @ts-check
/**
 * When the state of a match has to be asked for again: only for events that the state on the screen does not contain.
 *
 * A request that changes something is answered with the whole state, and the same change comes back as an event. `feed` in a
 * state is the number of the newest event that it contains, so events up to that number are nothing new. The event may arrive
 * before the answer: whether it is new is decided when one is about to ask, not when it is heard. A node that sends no `feed`
 * is asked again after every event.
 */
export class Feed {
  constructor() {
    /** The newest event that the shown state contains. */
    this.shown = -Infinity;
    /** The newest event that was heard since the last request for the state. */
    this.heard = -Infinity;
  }

  /** @param {number} [number] of an event; without one the state is wanted in any case */
  wants(number = Infinity) {
    this.heard = Math.max(this.heard, number);
  }

  /** The state is being asked for. */
  asked() {
    this.heard = -Infinity;
  }

  /** @param {{feed?: number}} state */
  shows(state) {
    this.shown = state.feed ?? -Infinity;
  }

  /** Whether something was heard that the shown state does not contain. */
  get isBehind() {
    return this.heard > this.shown;
  }
}
