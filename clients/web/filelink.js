// @ts-check
/**
 * A game's file in place of a connection: it gives the records that it holds to whoever follows the game, and has no answer to anything else.
 * The file's own checks (the layout is that of protocol/wlog.py) say whether bytes were changed on the way; who signed what is checked behind the records, as
 * of any game.
 */

import { FORMAT } from "./acts.js";
import { unpack } from "./canon.js";
import { OtherFormat } from "./chain.js";
import { ServerError } from "./link.js";
import { same, sha256 } from "./sha256.js";

const SIGN = [0x89, 0x57, 0x4c, 0x4f, 0x47, 0x0d, 0x0a];
/** How every file begins. */
export const MAGIC = Uint8Array.of(...SIGN, FORMAT);
const HEADER = 8;
const FRAME = 9;
export const RECORD = 1;
const HEAD = 3;
const WITNESS = 6;
const END = 9;
/** Records given at a time, so that the page is drawn in between. */
const AT_ONCE = 256;

export class Damaged extends Error {}

/** The format that the first record of a file names, if it can be read. @param {Uint8Array} data */
function named(data) {
  try {
    const length = new DataView(data.buffer, data.byteOffset).getUint32(HEADER);
    return unpack(data.subarray(HEADER + FRAME, HEADER + FRAME + length))[4][0];
  } catch {
    return null;
  }
}

/** @typedef {{records: Uint8Array[], head: [string, number, Uint8Array, Uint8Array] | null, witnesses: any[][]}} Contents */

/** What stands before a payload. @param {number} kind @param {number} length @param {Uint8Array} crc */
export function frameHead(kind, length, crc) {
  const head = new Uint8Array(FRAME);
  new DataView(head.buffer).setUint32(0, length);
  head[4] = kind;
  head.set(crc, 5);
  return head;
}

/** What a sealed file holds. Throws Damaged, and OtherFormat for a file of another format. @param {Uint8Array} data @returns {Contents} */
export function readFile(data) {
  if (data.length < HEADER || SIGN.some((byte, i) => data[i] !== byte)) throw new Damaged("header");
  if (data[7] !== FORMAT && named(data) !== FORMAT) throw new OtherFormat(data[7]);
  if (data[7] !== FORMAT) throw new Damaged("header");
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  /** @type {Contents} */
  const found = { records: [], head: null, witnesses: [] };
  let count = 0;
  for (let at = HEADER; at < data.length; count++) {
    const length = at + FRAME <= data.length ? view.getUint32(at) : Infinity;
    const kind = data[at + 4];
    const end = at + FRAME + length;
    if (end > data.length) throw new Damaged(`byte ${at}`);
    const payload = data.subarray(at + FRAME, end);
    if (crc32(data.subarray(at, at + 5), payload) !== view.getUint32(at + 5)) throw new Damaged(`byte ${at}`);
    if (kind === END) {
      if (end !== data.length || payload.length !== 36 || view.getUint32(at + FRAME) !== count || !same(payload.subarray(4), sha256(data.subarray(0, at)))) throw new Damaged("end");
      return found;
    }
    if (kind > WITNESS || kind < RECORD || (kind !== RECORD && !found.records.length)) throw new Damaged(`byte ${at}`);
    if (kind === RECORD) found.records.push(payload);
    else if (kind === HEAD) found.head = unpack(payload);
    else if (kind === WITNESS) found.witnesses.push(unpack(payload));
    at = end;
  }
  throw new Damaged("end");
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let one = n;
  for (let bit = 0; bit < 8; bit++) one = one & 1 ? 0xedb88320 ^ (one >>> 1) : one >>> 1;
  return one;
});

/** CRC-32 as zlib has it. @param {Uint8Array[]} parts */
function crc32(...parts) {
  let crc = 0xffffffff;
  for (const part of parts) for (let i = 0; i < part.length; i++) crc = TABLE[(crc ^ part[i]) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** What `Link` is to a page that has a server. */
export class FileLink {
  /** @param {Contents} contents @param {Uint8Array} file the bytes that they were read from */
  constructor(contents, file) {
    this.contents = contents;
    this.file = file;
    /** nobody is connected @type {boolean} */
    this.open = false;
    /** the file itself, to be saved from the page */
    this.alone = true;
    this.tokens = new Map();
    /** @type {[string, string, string][]} */
    this.roles = [];
    this.principal = "";
    this.isHost = false;
    this.opens = false;
    this.serverKey = null;
  }

  /** @param {import("./link.js").Subscription} subscription @returns {() => void} */
  subscribe(subscription) {
    let stopped = false;
    const give = () => {
      const first = subscription.after() + 1;
      const items = this.contents.records.slice(first, first + AT_ONCE);
      if (stopped || !items.length) return;
      subscription.take(first, items.map((data) => [data, new Uint8Array(0)]));
      setTimeout(give, 0);
    };
    setTimeout(give, 0);
    return () => {
      stopped = true;
    };
  }

  /** @param {string} tag @returns {Promise<any[]>} */
  async request(tag) {
    if (tag === "witnesses") return ["", this.contents.witnesses];
    throw new ServerError("unsupported", ["web.file.alone", [], ""]);
  }

  // From here to the end the same as in branch.js, and declared twice: this module is in every game in one file, branch.js with its tools is not.

  /** @param {string} tag */
  once(tag) {
    return this.request(tag);
  }

  login() {
    return this.request("login");
  }

  forget() {}

  given() {}

  arbitrates() {
    return false;
  }

  hosts() {
    return false;
  }

  casts() {
    return false;
  }

  castsAny() {
    return false;
  }

  close() {}
}
