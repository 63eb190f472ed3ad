// @ts-check
/**
 * The way of a guest's phone to the node: requests and events over the sealed channel, over as many connections as it takes.
 *
 * A phone is locked, walks out of the Wi-Fi and comes back. Every request that has no answer yet is sent again over the next
 * connection, with its id, so that the node does nothing twice; events go on from the number that was heard last. Whether a
 * connection still lives is asked every few seconds, and at once when the page wakes up: a socket that the phone's system has
 * silently dropped says nothing by itself.
 */
import { ChannelError, DEVICE, PhoneEnd, toText } from "./channel.js";

const PING_MS = 5000;
const SILENCE_MS = 6000; // after a ping
const FIRST_DELAY = 300;
const LONGEST_DELAY = 4000;
const CLOSED = { 4404: "unknown", 4410: "ended", 4403: "refused" };

/**
 * @typedef {{kind: number, secret: Uint8Array, first: any}} Credential what the phone shows, and the first thing it says
 */

export class SealedWay {
  /** @param {string} url of the WebSocket @param {{you: (you: any) => void, online: (online: boolean) => void, over: (why: string, words: string) => void, paired: (device: string, words: number[]) => void}} page */
  constructor(url, page) {
    this.url = url;
    this.page = page;
    /** @type {Credential | null} */
    this.credential = null;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {PhoneEnd | null} */
    this.end = null;
    /** What to show if the node does not know the key that the last, broken exchange would have given us. @type {{credential: Credential, words: number[]} | null} */
    this.fallback = null;
    this.isOpen = false;
    this.isOver = false;
    this.delay = FIRST_DELAY;
    this.timer = 0;
    this.watch = 0;
    this.since = 0;
    this.boot = toText(crypto.getRandomValues(new Uint8Array(6)));
    this.count = 0;
    /** Requests without an answer, in order. @type {Map<string, {ask: any, settle: (answer: any) => void}>} */
    this.pending = new Map();
    /** @type {((event: any) => void) | null} */
    this.onEvent = null;
    /** @type {((online: boolean) => void) | null} */
    this.onOnline = null;
    window.setInterval(() => document.visibilityState === "visible" && this.probe(), PING_MS);
    for (const sign of ["pageshow", "resume", "online", "focus"]) window.addEventListener(sign, () => this.wake());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.wake());
  }

  /** Show this from now on. @param {Credential} credential */
  use(credential) {
    this.credential = credential;
    this.isOver = false;
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.credential || this.isOver) return;
    const credential = this.credential;
    const socket = new WebSocket(this.url);
    const end = new PhoneEnd(credential.kind, credential.secret);
    let met = false;
    let refusal = "";
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.end = end;
    socket.addEventListener("open", () => socket.send(end.hello));
    socket.addEventListener("message", (message) => {
      if (socket !== this.socket) return;
      clearTimeout(this.watch);
      this.watch = 0;
      try {
        if (!met) {
          met = true;
          socket.send(end.meet(new Uint8Array(message.data)));
          socket.send(end.seal({ hello: credential.kind === DEVICE ? { since: this.since } : credential.first }));
          return;
        }
        const told = end.open(new Uint8Array(message.data));
        if (told.refused) refusal = told.refused;
        this.hear(told, credential, end);
      } catch (error) {
        if (!(error instanceof ChannelError)) console.error(error);
        socket.close();
      }
    });
    socket.addEventListener("close", (event) => socket === this.socket && this.lost(CLOSED[event.code] ?? "", refusal));
    clearTimeout(this.watch);
    this.watch = window.setTimeout(() => this.drop(), 2 * SILENCE_MS); // a network that swallows everything
  }

  /** @param {any} told @param {Credential} credential @param {PhoneEnd} end */
  hear(told, credential, end) {
    if (told.end) return this.finish(told.end, "");
    if (!this.isOpen && told.you) this.opened(credential, end);
    if (told.you) this.page.you(told.you);
    if (told.event) {
      if (typeof told.event.n === "number") this.since = told.event.n;
      this.onEvent?.(told.event);
    }
    const asked = this.pending.get(told.answer);
    if (asked) {
      this.pending.delete(told.answer);
      asked.settle({ status: told.status, data: told.data });
    }
  }

  /** The first sealed answer: from now on this phone has a key of its own. @param {Credential} credential @param {PhoneEnd} end */
  opened(credential, end) {
    this.isOpen = true;
    this.delay = FIRST_DELAY;
    if (credential.kind !== DEVICE) {
      this.credential = { kind: DEVICE, secret: end.device, first: {} };
      this.page.paired(toText(end.device), end.words);
    } else if (this.fallback) this.page.paired(toText(credential.secret), this.fallback.words);
    this.fallback = null;
    for (const { ask } of this.pending.values()) this.say({ ask });
    this.page.online(true);
    this.onOnline?.(true);
  }

  /** The connection is gone. @param {string} why @param {string} words */
  lost(why, words) {
    clearTimeout(this.watch);
    this.watch = 0;
    const end = this.end;
    this.socket = null;
    this.end = null;
    const was = this.isOpen;
    this.isOpen = false;
    if (why === "unknown" && this.fallback) {
      this.credential = this.fallback.credential;
      this.fallback = null;
      return this.connect();
    }
    // The first box may have arrived and the answer not: then the link is used up, and the node knows the key it gave us.
    if (!why && !was && this.credential && this.credential.kind !== DEVICE && end?.out) {
      this.fallback = { credential: this.credential, words: end.words };
      this.credential = { kind: DEVICE, secret: end.device, first: {} };
    }
    if (why && why !== "ended") return this.finish(why, words);
    if (this.isOver) return;
    if (was) {
      this.page.online(false);
      this.onOnline?.(false);
    }
    this.timer = window.setTimeout(() => this.connect(), this.delay);
    this.delay = Math.min(this.delay * 2, LONGEST_DELAY);
  }

  /** It is over for this phone. @param {string} why @param {string} words */
  finish(why, words) {
    this.isOver = true;
    this.isOpen = false;
    this.socket?.close();
    this.socket = null;
    this.page.over(why, words);
  }

  /** Ask whether the other end is there; if it does not say so soon, it is not. */
  probe() {
    if (!this.isOpen || this.watch) return;
    this.say({ ping: 1 });
    this.watch = window.setTimeout(() => this.drop(), SILENCE_MS);
  }

  /** Give a dead connection up without waiting for the system to notice. */
  drop() {
    const socket = this.socket;
    this.watch = 0;
    if (!socket) return;
    this.lost("", "");
    socket.close();
  }

  /** The page has come back from wherever it was. */
  wake() {
    this.delay = FIRST_DELAY;
    if (this.isOpen) this.probe();
    else if (this.timer) this.connect();
  }

  /** @param {any} message */
  say(message) {
    if (this.socket?.readyState === WebSocket.OPEN && this.end) this.socket.send(this.end.seal(message));
  }

  /** @param {string} method @param {string} path @param {any} [body] @returns {Promise<{status: number, data: any}>} */
  call(method, path, body) {
    if (path === "settings") return Promise.resolve({ status: 200, data: keep(body) });
    const ask = { id: `${this.boot}-${++this.count}`, method, path, ...(body === undefined ? {} : { body }) };
    return new Promise((settle) => {
      this.pending.set(ask.id, { ask, settle });
      if (this.isOpen) this.say({ ask });
    });
  }

  /** @param {number} since @param {(event: any) => void} onEvent @param {(online: boolean) => void} onOnline */
  listen(since, onEvent, onOnline) {
    this.since = Math.max(this.since, since);
    this.onEvent = onEvent;
    this.onOnline = onOnline;
  }
}

/** A guest's settings stay on the phone. @param {any} [changed] */
function keep(changed) {
  const usual = { name: "", lobby: "", theme: "", language: "", client: { sound: true } };
  try {
    if (changed) localStorage.setItem("kontor-guest-settings", JSON.stringify(changed));
    return { ...usual, ...JSON.parse(localStorage.getItem("kontor-guest-settings") ?? "{}") };
  } catch {
    return { ...usual, ...changed };
  }
}
