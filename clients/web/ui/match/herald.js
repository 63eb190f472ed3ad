// @ts-check
/** What is told beside the picture: lines for a screen reader, the sound of one's turn and of the end, the title of the window. */
import { say } from "../page/live.js";
import { ring, setTitle } from "../page/notify.js";
import { play } from "../page/sounds.js";
import { resultOf } from "./scores.js";

export class Herald {
  constructor() {
    /** Lines of the log that were spoken; -1 before the first state, whose lines are old. */
    this.spoken = -1;
    /** Whether what was told before is shown once more. */
    this.retells = false;
    this.wasDue = false;
    /** Whether the match was over already; null before the first state. @type {boolean | null} */
    this.wasOver = null;
  }

  /** The caption of what is staged. @param {any} ply */
  stages(ply) {
    if (ply.line.say && (this.retells || ply.ply >= this.spoken)) say([ply.line.say]);
    this.spoken = Math.max(this.spoken, ply.ply + 1);
  }

  /** @param {any} state @param {boolean} due whether somebody at this screen is to act @param {string} title */
  tell(state, due, title) {
    const end = state.log_from + state.log.length;
    if (this.spoken >= 0 && end > this.spoken) say(state.log.slice(Math.max(0, this.spoken - state.log_from)).map((line) => line.say).filter(Boolean));
    if (state.your_turn && !this.wasDue) say([state.now.text]);
    this.spoken = end;
    if (due && !this.wasDue) ring(title);
    this.wasDue = due;
    const over = resultOf(state) !== null;
    if (over && this.wasOver === false) play("end");
    this.wasOver = over;
    setTitle(title, due);
  }
}
