// @ts-check
/**
 * How a page of the guest door comes in and comes back: by the link in its address, by a typed code, or as the device that it
 * became the first time. What it needs for that is kept over reloads; the page itself says what is shown meanwhile.
 *
 * The secret of a link stands in the fragment of the address. It is taken out of the address bar at once and kept until the
 * page has a key of its own, so that a lost connection in between loses nothing.
 */
import { CODE, DEVICE, LINK, fromText } from "./channel.js";
import { SealedWay } from "./sealed_way.js";

const LINK_SIZE = 16;
const DEVICE_SIZE = 32;
/** Where it is kept: a computer can be a guest and, in another window, the big screen. */
const MEMORY = location.pathname === "/screen" ? "kontor-guest-screen" : "kontor-guest";

/** @typedef {{device?: string, name?: string, words?: number[], link?: string}} Memory what the page keeps */

export class Pairing {
  /** @param {{show: () => void, online: (online: boolean) => void, over: (why: string, said: string) => void}} page */
  constructor(page) {
    this.page = page;
    this.memory = remembered();
    /** What the node says about this guest. @type {any} */
    this.you = null;
    /** The words that the host compares, of those who typed a code. @type {string[]} */
    this.words = [];
    this.way = new SealedWay(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, {
      you: (you) => {
        this.you = you;
        page.show();
      },
      online: page.online,
      paired: (device, words) => {
        this.keep({ device, name: this.memory.name, words });
        this.compare(words);
      },
      over: page.over,
    });
    window.addEventListener("hashchange", () => secret(location.hash.slice(1), LINK_SIZE) && location.reload()); // another code was scanned into the same page
  }

  /** Come back as the device that this page was, if it was one; else it has to come in. @returns {Promise<boolean>} */
  async resume() {
    const fragment = location.hash.slice(1);
    const isLink = secret(fragment, LINK_SIZE) !== null;
    if (isLink) this.keep({ name: this.memory.name, link: fragment });
    if (isLink || !location.hash.startsWith("#/match/")) history.replaceState(null, "", location.pathname);
    const device = secret(this.memory.device ?? "", DEVICE_SIZE);
    if (!device) return false;
    if (this.memory.words) await this.compare(this.memory.words);
    this.way.use({ kind: DEVICE, secret: device, first: {} });
    return true;
  }

  /** Whether a link was scanned that has not been used. */
  get hasLink() {
    return secret(this.memory.link ?? "", LINK_SIZE) !== null;
  }

  /** Come in by the link. @param {{name: string}} first */
  byLink(first) {
    const link = secret(this.memory.link ?? "", LINK_SIZE);
    if (link) this.way.use({ kind: LINK, secret: link, first });
  }

  /** Come in by what somebody typed. @param {{name: string, code: string}} first */
  byCode(first) {
    this.way.use({ kind: CODE, secret: new Uint8Array(0), first });
  }

  /** It is over, and does not come back by itself. */
  forget() {
    this.keep({ name: this.memory.name });
  }

  /** @param {Memory} memory */
  keep(memory) {
    this.memory = memory;
    try {
      localStorage.setItem(MEMORY, JSON.stringify(memory));
    } catch {
      // a private window: the phone has to be let in again after a reload
    }
  }

  /** The words of a typed code, to be read to the host. @param {number[]} numbers */
  async compare(numbers) {
    const list = await fetch("/guest/words.json").then((answer) => answer.json());
    this.words = numbers.map((number) => list[number]);
    this.page.show();
  }
}

/** @returns {Memory} */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(MEMORY) ?? "{}");
  } catch {
    return {};
  }
}

/** A secret of this size; null if these letters are not one. @param {string} letters @param {number} size */
function secret(letters, size) {
  const found = fromText(letters);
  return found.length === size ? found : null;
}
