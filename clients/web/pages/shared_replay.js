// @ts-check
/**
 * A published replay for the screen that shows replays: what that screen asks a node is answered from chunks of views that the lobby
 * prepared. A chunk holds neighbouring positions; of each seat only what it sees otherwise than a spectator.
 */
import { ask } from "./asking.js";

const KEPT = 12; // chunks in memory: one is up to a megabyte

/** What the client asks instead of a node's API; see Way of api.js. */
export class SharedReplay {
  /** @param {any} match as the API tells it */
  constructor(match) {
    this.match = match;
    /** @type {any} */
    this.info = null;
    /** By number, the one used longest ago first. @type {Map<number, Promise<any>>} */
    this.chunks = new Map();
  }

  /** @param {string} method @param {string} path */
  async call(method, path) {
    const [, , what, ply] = path.split(/[/?]/);
    if (method === "GET" && !what) return { status: 200, data: await this.load() };
    if (method === "GET" && what === "at") return { status: 200, data: await this.at(Number(ply), path.split("seat=")[1] ?? "none") };
    if (method === "POST" && what === "verify") return { status: 200, data: this.match.verdict };
    return { status: 404, data: { message: "" } };
  }

  listen() {}

  async load() {
    this.info ??= await ask(`matches/${this.match.id}/replay`);
    return this.info;
  }

  /** @param {number} ply @param {string} seat */
  async at(ply, seat) {
    const { chunk, plies } = await this.load();
    const number = Math.floor(ply / chunk);
    const { positions } = await this.chunk(number);
    if ((number + 1) * chunk <= plies) this.chunk(number + 1).catch(() => {}); // whoever looks goes on
    const position = positions[ply % chunk];
    return { ply, view: { ...position.view, ...(seat === "none" ? {} : position.seats[Number(seat)]) }, log: position.log };
  }

  /** @param {number} number */
  chunk(number) {
    const known = this.chunks.get(number) ?? ask(`matches/${this.match.id}/views/${number}`);
    this.chunks.delete(number);
    this.chunks.set(number, known);
    known.catch(() => this.chunks.delete(number));
    for (const [other] of this.chunks) {
      if (this.chunks.size <= KEPT) break;
      this.chunks.delete(other);
    }
    return known;
  }
}
