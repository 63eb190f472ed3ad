// @ts-check
/** The node's local API: requests, and the stream of events that survives a lost connection. */

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
  if (!answer.ok) throw new ApiError(answer.status, data.error ?? "error", data.message ?? answer.statusText);
  return data;
}

/** @param {string} path */
export const get = (path) => call("GET", path);
/** @param {string} path @param {any} [body] */
export const post = (path, body = {}) => call("POST", path, body);
/** @param {string} path @param {any} body */
export const put = (path, body) => call("PUT", path, body);
/** @param {string} path */
export const remove = (path) => call("DELETE", path);

/** The node's events; reconnects by itself and asks for what it missed. */
export class Events {
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
