// @ts-check
/**
 * The big screen: what everybody may see, for a television. Nothing can be clicked, and every request asks for a spectator's
 * view, so that no hidden card ever reaches this page, on the owner's own node either.
 *
 * What there is to show comes from a source: the owner's node (start.js), or the guest door (../guest/screen.js).
 */
import { byId, h, paint, render } from "../draw.js";
import { BigMatch } from "./match.js";
import { nothing, tableParts } from "./table.js";

/**
 * @typedef {{kind: string, seat: number | null, url: string, qr: string}} Link
 * @typedef {{url: string, code: string, bundle: string, links: Link[], names: (string | null)[]}} Ways how phones and computers come in
 * @typedef {{match: () => Promise<string | null>, table: () => Promise<any>, ways: () => Promise<Ways | null>}} Source
 */

const SOON = 80; // milliseconds in which several events are one

export class BigScreen {
  /** @param {any[]} games @param {Source} source */
  constructor(games, source) {
    this.games = games;
    this.source = source;
    /** @type {BigMatch | null} */
    this.match = null;
    /** Where the table is drawn, while there is no match. @type {Element | null} */
    this.room = null;
    this.timer = 0;
    this.isBusy = false;
    this.isStale = false;
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.look(), SOON);
  }

  async look() {
    this.isStale = this.isBusy;
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      await this.draw();
    } catch (error) {
      console.error(error); // the node is away; the next event, or the stream that comes back, asks again
    }
    this.isBusy = false;
    if (this.isStale) this.soon();
  }

  async draw() {
    const [id, ways] = await Promise.all([this.source.match(), this.source.ways()]);
    if (id !== (this.match?.id ?? null)) {
      this.match?.close();
      this.match = id ? await BigMatch.open(id, this.games) : null;
      this.room = null;
      if (this.match) byId("screen").replaceChildren(this.match.element);
    }
    if (this.match) return this.match.look(ways);
    const table = await this.source.table();
    const room = this.room ?? /** @type {Element} */ (render(h("div", {})));
    if (room !== this.room) byId("screen").replaceChildren(room);
    this.room = room;
    paint(room, table ? tableParts(table, this.games, ways) : nothing());
  }
}
