// @ts-check
/** One match and the node: when its state is asked for, what is sent, and that an old answer never replaces a newer one. */
import { get, post } from "../../api.js";
import { toast } from "../page/live.js";
import { Feed } from "./feed.js";

export class MatchLink {
  /**
   * @param {string} id
   * @param {{query: () => string, fits: (state: any) => Promise<boolean>, arrived: (state: any) => Promise<void>, busy: (busy: boolean) => void}} page what is asked for,
   *   whether an answer may be shown to whoever sits there, what to do with it, and whether something was sent and is not answered
   */
  constructor(id, page) {
    this.id = id;
    this.page = page;
    this.feed = new Feed();
    this.asked = 0;
    this.timer = 0;
    this.busy = false;
  }

  close() {
    clearTimeout(this.timer);
  }

  /** @param {any} event */
  heard(event) {
    if (event.kind === "reset" || (event.id === this.id && ["match", "chat", "notice"].includes(event.kind))) this.soon(event.kind === "reset" ? undefined : event.n);
  }

  /** Ask for the state in a moment, unless the page contains the event by then. @param {number} [number] of the event; without it the state is asked for in any case */
  soon(number) {
    this.feed.wants(number);
    this.timer ||= window.setTimeout(() => {
      this.timer = 0; // further events do not postpone it
      if (this.busy || !this.feed.isBehind) return; // an answer that is on its way may contain it
      this.refresh().catch((error) => toast(error.message, "bad"));
    }, 40);
  }

  async refresh() {
    const asked = ++this.asked;
    this.feed.asked();
    let state = await get(`matches/${this.id}${this.page.query()}`);
    // If it is now the turn of another person at this screen, the state shows the wrong hand.
    if (!(await this.page.fits(state))) state = await get(`matches/${this.id}?seat=none`);
    if (asked === this.asked && !this.busy) await this.take(state);
  }

  /** @param {any} state */
  async take(state) {
    this.feed.shows(state);
    await this.page.arrived(state);
  }

  /** @param {string} what @param {any} body */
  async send(what, body) {
    if (this.busy) return;
    this.setBusy(true);
    this.asked++;
    try {
      const state = await post(`matches/${this.id}/${what}`, body);
      this.setBusy(false);
      if (state.view !== undefined && (state.seat !== null || what === "bye")) await this.take(state);
      else this.soon();
      if (!(await this.page.fits(state))) this.soon(); // the answer shows the hand of the player who sent it
      if (this.feed.isBehind) this.soon(this.feed.heard); // an event arrived while the answer was on its way
    } catch (error) {
      this.setBusy(false);
      toast(error.message, "bad");
      this.soon();
    }
  }

  /** @param {boolean} busy */
  setBusy(busy) {
    this.busy = busy;
    this.page.busy(busy);
  }

  /** The position before this ply, and those after each from there on. @param {number} from @param {number | null} seat @returns {Promise<{before: any, plies: any[]}>} */
  staged(from, seat) {
    return get(`matches/${this.id}/staged?from=${from}&seat=${seat ?? "none"}`).catch(() => ({ before: null, plies: [] }));
  }
}
