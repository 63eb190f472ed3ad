// @ts-check
/** What lies over the table: who is missing, what is wrong, the guide, a hint; and before the board the curtain or the end of the match. */
import { h, paint } from "../../draw.js";
import { t } from "../../words.js";
import { Ending } from "../after/ending.js";
import { curtainNote } from "./curtain.js";
import { sentence } from "./doing/naming.js";
import { guide } from "./guide.js";
import { Hint } from "./hint.js";
import { resultOf } from "./scores.js";
import { putOutNote, waitingNote } from "./waiting.js";

const ON_THE_BOARD = window.matchMedia("(max-width: 760px)"); // style/play.css lays notes there

export class Notes {
  /**
   * @param {any} app @param {string} id of the match @param {{veil: HTMLElement, notes: HTMLElement}} parts
   * @param {{state: () => any, board: () => any, next: () => number | null, lift: () => void, send: (what: string, body: any) => void}} page
   *   what is on the screen, the seat whose player has to lift the curtain, what lifts it, and the way to the node
   */
  constructor(app, id, parts, page) {
    this.parts = parts;
    this.page = page;
    /** Since when somebody is missing, in milliseconds. */
    this.missing = 0;
    /** Whether the result was put away to look at the board. */
    this.lifted = false;
    this.isClosed = false;
    this.ending = new Ending(app, id, () => this.isClosed || this.draw());
    this.hint = new Hint(id, () => this.isClosed || this.draw());
    this.clock = window.setInterval(() => page.state()?.waiting && this.draw(), 1000);
    for (const box of [parts.veil, parts.notes]) box.addEventListener("click", (event) => this.answered(event));
  }

  close() {
    this.isClosed = true;
    clearInterval(this.clock);
  }

  /** @param {any} state */
  arrived(state) {
    this.missing = Date.now() - (state.waiting?.seconds ?? 0) * 1000;
    this.draw();
    this.giveWay(state);
  }

  /** A guide that lies on the board lies at its end if it covers less there of what it waits for. @param {any} state */
  giveWay(state) {
    const { notes } = this.parts;
    const frame = (state.guide && ON_THE_BOARD.matches && notes.closest(".play")?.querySelector(".frame")) || null;
    if (!frame) return; // nothing is measured where nothing can be covered
    const middles = [...frame.querySelectorAll(".waited[data-entries]")].map(middle);
    const { top, bottom } = frame.getBoundingClientRect();
    const high = notes.offsetHeight;
    const covered = { above: middles.filter((y) => y < top + high).length, below: middles.filter((y) => y > bottom - high).length };
    notes.classList.toggle("below", covered.below < covered.above);
  }

  /** Each note has a key, so that the buttons of the others stay when one appears or disappears. */
  draw() {
    const [state, board, next] = [this.page.state(), this.page.board(), this.page.next()];
    const troubles = [...(state.faults ?? []), ...(state.status === "stopped" ? [t("status.stoppedLong")] : [])];
    paint(this.parts.notes, [
      state.put_out ? putOutNote(state) : null,
      state.waiting ? waitingNote(state, board, this.missing) : null,
      troubles.length ? h("section", { key: "trouble", class: "panel trouble", role: "alert" }, troubles.map((text) => h("p", {}, sentence(text)))) : null,
      guide(state),
      this.hint.note(state),
    ]);
    const look = () => {
      this.lifted = true;
      this.draw();
    };
    paint(this.parts.veil, [
      resultOf(state) !== null && !this.lifted ? this.ending.card(state, board, look) : null,
      next !== null ? curtainNote(state.seats[next].name) : null,
    ]);
  }

  /** A button in a note: the curtain, or what to do about somebody who is missing. @param {Event} event */
  answered(event) {
    const button = event.target instanceof Element ? event.target.closest("[data-curtain], [data-wait]") : null;
    const choice = button?.getAttribute("data-wait");
    const { waiting } = this.page.state();
    if (button?.hasAttribute("data-curtain")) this.page.lift();
    else if (choice === "wait") this.page.send("wait", {});
    else if (choice === "vote" && waiting) this.page.send("vote", { peers: waiting.for });
  }
}

/** @param {Element} element */
function middle(element) {
  const box = element.getBoundingClientRect();
  return box.top + box.height / 2;
}
