// @ts-check
/**
 * The phone's end of the sealed channel: pure code without a socket. What it does and why is told in the essay of
 * net/api/guests/sealed_channel.py, whose other end this is; tests/clients/test_web_channel.py lets the two talk.
 *
 * A page that comes over plain HTTP has no WebCrypto, so the vendored TweetNaCl does the work.
 */
import "../vendor/tweetnacl.js";

/** @type {any} */
const nacl = globalThis["nacl"];

export const LINK = 1;
export const DEVICE = 2;
export const CODE = 3;

const PAD = 256;
const OVERHEAD = 16;
const KEY = 32;
const text = new TextEncoder();
const MAGIC = text.encode("KG1");
const INFO = text.encode("kontor guest channel 1");

/** The other end broke the rules of the channel. */
export class ChannelError extends Error {}

/** @param {...Uint8Array} parts */
export function join(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** HMAC-SHA512. @param {Uint8Array} key @param {Uint8Array} data @returns {Uint8Array} */
function hmac(key, data) {
  const block = new Uint8Array(128);
  block.set(key.length > 128 ? nacl.hash(key) : key);
  const inner = nacl.hash(join(block.map((byte) => byte ^ 0x36), data));
  return nacl.hash(join(block.map((byte) => byte ^ 0x5c), inner));
}

/** HKDF-SHA512. @param {Uint8Array} material @param {Uint8Array} salt @param {number} size */
function hkdf(material, salt, size) {
  const key = hmac(salt, material);
  let found = new Uint8Array(0);
  let block = new Uint8Array(0);
  for (let number = 1; found.length < size; number++) {
    block = hmac(key, join(block, INFO, Uint8Array.of(number)));
    found = join(found, block);
  }
  return found.slice(0, size);
}

/** The name of a secret. @param {Uint8Array} secret @returns {Uint8Array} */
function idOf(secret) {
  return nacl.hash(join(text.encode("kontor guest id"), secret)).slice(0, 8);
}

/** One direction: a key and a count that is never sent. */
class Boxes {
  /** @param {Uint8Array} key */
  constructor(key) {
    this.key = key;
    this.count = 0;
  }

  nonce() {
    const nonce = new Uint8Array(24);
    new DataView(nonce.buffer).setBigUint64(0, BigInt(this.count++));
    return nonce;
  }

  /** @param {Uint8Array} content @returns {Uint8Array} */
  seal(content) {
    const padded = new Uint8Array(Math.ceil((content.length + 4) / PAD) * PAD);
    new DataView(padded.buffer).setUint32(0, content.length);
    padded.set(content, 4);
    return nacl.secretbox(padded, this.nonce(), this.key);
  }

  /** @param {Uint8Array} box @returns {Uint8Array} */
  open(box) {
    const padded = box.length >= OVERHEAD + PAD && (box.length - OVERHEAD) % PAD === 0 ? nacl.secretbox.open(box, this.nonce(), this.key) : null;
    if (!padded) throw new ChannelError("a box that does not open");
    const size = new DataView(padded.buffer, padded.byteOffset).getUint32(0);
    const rest = padded.length - 4 - size;
    if (rest < 0 || rest >= PAD || padded.subarray(4 + size).some((byte) => byte !== 0)) throw new ChannelError("a box with wrong padding");
    return padded.subarray(4, 4 + size);
  }
}

export class PhoneEnd {
  /** @param {number} kind @param {Uint8Array} secret of the link or of this device; empty if a code will be typed */
  constructor(kind, secret) {
    this.secret = secret;
    this.pair = nacl.box.keyPair();
    const id = kind === CODE ? new Uint8Array(8) : idOf(secret);
    const promise = nacl.hash(join(text.encode("kontor guest key"), this.pair.publicKey)).slice(0, KEY);
    this.hello = join(MAGIC, Uint8Array.of(kind), id, promise);
    /** @type {Boxes | null} */
    this.out = null;
    /** @type {Boxes | null} */
    this.into = null;
    /** What this phone shows the next time. @type {Uint8Array} */
    this.device = new Uint8Array(0);
    /** Numbers of the words that people compare. @type {number[]} */
    this.words = [];
  }

  /** The node's key has come; the answer. @param {Uint8Array} door @returns {Uint8Array} */
  meet(door) {
    if (door.length !== KEY) throw new ChannelError("this is not a key");
    const shared = nacl.scalarMult(this.pair.secretKey, door);
    if (shared.every((byte) => byte === 0)) throw new ChannelError("this is not a key");
    const salt = nacl.hash(join(this.hello, door, this.pair.publicKey));
    const found = hkdf(join(shared, this.secret), salt, 3 * KEY + 8);
    this.out = new Boxes(found.slice(0, KEY));
    this.into = new Boxes(found.slice(KEY, 2 * KEY));
    this.device = found.slice(2 * KEY, 3 * KEY);
    const bits = new DataView(found.buffer, 3 * KEY).getBigUint64(0) >> 34n;
    this.words = [20n, 10n, 0n].map((shift) => Number((bits >> shift) & 1023n));
    return this.pair.publicKey;
  }

  /** @param {any} message @returns {Uint8Array} */
  seal(message) {
    if (!this.out) throw new ChannelError("boxes come after the exchange");
    return this.out.seal(text.encode(JSON.stringify(message)));
  }

  /** @param {Uint8Array} box @returns {any} */
  open(box) {
    if (!this.into) throw new ChannelError("boxes come after the exchange");
    return JSON.parse(new TextDecoder().decode(this.into.open(box)));
  }
}

/** @param {Uint8Array} bytes */
export function toText(bytes) {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

/** The bytes of a secret in an address or in the phone's memory; none if it cannot be one. @param {string} words @returns {Uint8Array} */
export function fromText(words) {
  if (!/^[A-Za-z0-9_-]*$/.test(words)) return new Uint8Array(0);
  try {
    return Uint8Array.from(atob(words.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}
