// @ts-check
/**
 * The node's local API: requests, and the stream of events that survives a lost connection.
 *
 * A guest's phone has no way to that API: there `useWay` puts the sealed channel of the guest door in its place, and nothing else
 * in the client knows the difference.
 */

/**
 * @typedef {{call: (method: string, path: string, body?: any) => Promise<{status: number, data: any}>,
 *   listen: (since: number, onEvent: (event: any) => void, onOnline: (online: boolean) => void) => void}} Way
 */

/** @type {Way | null} */
let way = null;

/** Let requests and events go another way. @param {Way} other */
export function useWay(other) {
  way = other;
}

/** An answer that is an error; `message` is for people. */
export class ApiError extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** @param {string} method @param {string} path @param {any} [body] @returns {Promise<any>} */
async function call(method, path, body) {
  if (way) {
    const { status, data } = await way.call(method, path, body);
    if (status !== 200) throw new ApiError(status, data.error ?? "error", sentence(data.message ?? ""));
    return data;
  }
  /** @type {RequestInit} */
  const request = { method, headers: { "X-Kontor": "1" }, credentials: "same-origin" };
  if (body instanceof Blob) request.body = body;
  else if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers = { "X-Kontor": "1", "Content-Type": "application/json" };
  }
  let answer;
  try {
    answer = await fetch(`/api/1/${path}`, request);
  } catch {
    throw new ApiError(0, "offline", "The node does not answer.");
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new ApiError(answer.status, data.error ?? "error", sentence(data.message ?? answer.statusText));
  return data;
}

/** What the node says in the middle of a line, as a sentence. @param {string} words */
function sentence(words) {
  return words.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase()).replace(/[^.!?…]$/, "$&.");
}

/** @param {string} path */
export const get = (path) => call("GET", path);
/** @param {string} path @param {any} [body] */
export const post = (path, body = {}) => call("POST", path, body);
/** @param {string} path @param {any} body */
export const put = (path, body) => call("PUT", path, body);
/** @param {string} path */
export const remove = (path) => call("DELETE", path);

/** Hear the node's events. @param {number} since @param {(event: any) => void} onEvent @param {(online: boolean) => void} onOnline */
export function listen(since, onEvent, onOnline) {
  if (way) way.listen(since, onEvent, onOnline);
  else new Events(since, onEvent, onOnline);
}

/** The node's events; reconnects by itself and asks for what it missed. */
class Events {
  /** @param {number} since @param {(event: any) => void} onEvent @param {(online: boolean) => void} onOnline */
  constructor(since, onEvent, onOnline) {
    this.since = since;
    this.onEvent = onEvent;
    this.onOnline = onOnline;
    this.delay = 500;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/1/events?since=${this.since}`);
    this.socket = socket;
    socket.addEventListener("open", () => {
      this.delay = 500;
      this.onOnline(true);
    });
    socket.addEventListener("message", (message) => {
      const event = JSON.parse(message.data);
      if (typeof event.n === "number") this.since = event.n;
      this.onEvent(event);
    });
    socket.addEventListener("close", () => {
      this.onOnline(false);
      setTimeout(() => this.connect(), this.delay);
      this.delay = Math.min(this.delay * 2, 8000);
    });
  }
}
