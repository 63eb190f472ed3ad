// @ts-check
/**
 * Other people's moves, one after the other: each ply has its caption, its pieces travel, then the board shows what came of it.
 * Staging never blocks: `skip` ends it at once, and whoever plays off sees the result only. Where motion is not wanted, what
 * changed is only lit.
 */
import { play as sound } from "../../page/sounds.js";

/** How long one ply takes, in milliseconds. */
export const PACES = { off: 0, fast: 300, normal: 550, slow: 800 };
const SCENE = 1.8; // times that long a scene within a ply is shown
const FLIGHT = 0.7; // of that time a piece is on its way
const FRAME = 20; // milliseconds in which the browser lays out a drawing by itself, before anybody asks where something is

/** @typedef {{ply: number, view: any, line: any, points: number[]}} Staged */

export class Stage {
  /**
   * @param {import("./travel.js").Travels} travels
   * @param {{draw: (ply: Staged) => void, tell: (ply: Staged) => void, light: (goals: (Element | null)[]) => void}} shows
   */
  constructor(travels, shows) {
    this.travels = travels;
    this.shows = shows;
    this.isPlaying = false;
    this.run = 0;
    /** @type {(() => void) | null} */
    this.wake = null;
    this.calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    /** What a ply looked like on its way. @type {(ply: Staged) => {view: any, sound: string}[]} */
    this.scenes = () => [];
  }

  /** Show these plies. @param {Staged[]} plies @param {number} pace milliseconds for each @param {string[]} names @returns {Promise<boolean>} whether it was shown to its end */
  async play(plies, pace, names) {
    const mine = ++this.run;
    this.isPlaying = true;
    for (const [index, ply] of plies.entries()) {
      if (!isSeen(ply)) {
        // Of several that nobody sees only the last is drawn: all at once they would hold up the page.
        if (!plies[index + 1] || isSeen(plies[index + 1])) this.shows.draw(ply);
        continue;
      }
      this.shows.tell(ply);
      await this.one(ply, pace, names);
      if (mine !== this.run) return false;
    }
    this.isPlaying = false;
    return true;
  }

  /** @param {Staged} ply @param {number} pace @param {string[]} names */
  async one(ply, pace, names) {
    const mine = this.run;
    const travels = ply.line.travels ?? [];
    for (const { view, sound: heard } of this.scenes(ply)) {
      this.shows.draw({ ...ply, view });
      sound(heard);
      await this.rest(pace * SCENE);
      if (mine !== this.run) return;
    }
    const inOld = !this.calm.matches && travels.length > 0 && travels.every((travel) => !travel.goal || this.travels.find(travel.goal));
    if (inOld) await this.travels.go(travels, ply.view, names, pace * FLIGHT);
    if (mine !== this.run) return;
    this.shows.draw(ply);
    sound(soundOf(travels));
    await this.rest(FRAME);
    if (mine !== this.run) return;
    if (!inOld && !this.calm.matches && travels.length) await this.travels.go(travels, ply.view, names, pace * FLIGHT);
    if (mine !== this.run) return;
    this.shows.light(travels.map((travel) => this.travels.find(travel.goal)));
    await this.rest(inOld || travels.length ? pace * (1 - FLIGHT) : pace);
  }

  /** @param {number} lasts milliseconds @returns {Promise<void>} */
  rest(lasts) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, lasts);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Jump to now. */
  skip() {
    if (!this.isPlaying) return;
    this.run++;
    this.isPlaying = false;
    this.travels.cancel();
    this.wake?.();
  }
}

/** Whether there is something to see or to say. @param {Staged} ply */
export function isSeen(ply) {
  if (ply.line?.seat === null && !ply.line.events?.length) return false; // a deal: later plies show what came of it
  return Boolean(ply.line?.say || ply.line?.travels?.length);
}

/** @param {{what: string}[]} travels */
function soundOf(travels) {
  if (travels.some((travel) => travel.what === "storm")) return "storm";
  return travels.some((travel) => travel.what === "points") ? "score" : travels.length ? "place" : "";
}
