// @ts-check
/**
 * A finished game as the server sends it to this page (`engine/serve/lean.py` says how it is written): first an outline of all records, from which the game can
 * be seen, then the blinds, ids and signatures without which none of them can be verified.
 */

import { blindAndId, picksDigest } from "./acts.js";
import { pack, unpack } from "./canon.js";
import { Damaged } from "./filelink.js";
import { same, sha256 } from "./sha256.js";

const SIGN = [0x57, 0x4c, 0x45, 0x41, 0x4e, 2];
const HEADER = 42;
const ESCAPE = 0xc1;
const BIN = 0xc4;
const TIME = 0xcf;
const BACK_MOST = 8;
const DIGEST = 9;
const AT = 10;
/** The record's number less 0, 1 and 2. */
const NUMBERS = [11, 12, 13];
const KEY = 14;
const KEY_AGAIN = 15;
const BLIND = 17;
const ID = 18;
const HASH = 32;
const SEED = 16;
/** So many bytes are missing where a mark stands: 16, 32 and 64 are marks of noise of that length. @type {Record<number, number>} */
const MISSING = { [DIGEST]: HASH, 16: 16, 32: 32, 64: 64, [BLIND]: 32, [ID]: 16 };
for (let back = 1; back <= BACK_MOST; back++) MISSING[back] = HASH;

/** So many keys are told by their places. */
const KEYS_MOST = 256;

/** How long records are made at a time before keys and the like are answered, in ms. */
const SLICE_MS = 12;

/** Every record with its hash. @typedef {{data: Uint8Array, hash: Uint8Array}} Whole */
/** @typedef {{data: Uint8Array, holes: [number, number][]}} Outline a record with zeros where something is missing, and where each of those begins and its mark */

/** Bytes of which more and more are written. */
class Written {
  constructor() {
    this.bytes = new Uint8Array(1 << 16);
    this.length = 0;
  }

  /** Room for so many bytes more. @param {number} more */
  #room(more) {
    if (this.length + more <= this.bytes.length) return;
    const wider = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more));
    wider.set(this.bytes.subarray(0, this.length));
    this.bytes = wider;
  }

  /** @param {ArrayLike<number>} bytes */
  add(bytes) {
    this.#room(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** The head of so many bytes, and zeros in their place. @param {number} length @returns {number} where the zeros begin */
  hole(length) {
    this.#room(2 + length);
    this.bytes[this.length++] = BIN;
    this.bytes[this.length++] = length;
    this.bytes.fill(0, this.length, this.length + length);
    this.length += length;
    return this.length - length;
  }

  taken() {
    const bytes = this.bytes.slice(0, this.length);
    this.length = 0;
    return bytes;
  }
}

/** Reads an outline, record after record. */
class Reading {
  /** @param {Uint8Array} part */
  constructor(part) {
    this.part = part;
    this.at = 0;
    this.written = new Written();
    this.time = 0n;
    /** the keys that were named, each with the number of its newest act @type {[Uint8Array, number][]} */
    this.keys = [];
  }

  /** The outlines of all records. @returns {Outline[]} */
  all() {
    /** @type {Outline[]} */
    const found = [];
    while (this.at < this.part.length) {
      const length = this.#number();
      found.push(this.#record(found.length, this.at + length));
    }
    return found;
  }

  #byte() {
    if (this.at >= this.part.length) throw new Damaged(`byte ${this.at}`);
    return this.part[this.at++];
  }

  #number() {
    let number = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = this.#byte();
      number += (byte & 0x7f) * shift;
      if (byte < 0x80) return number;
    }
  }

  /** A key and the number of its act, which are kept under that index. @param {number} index @param {Uint8Array} key @param {number} n */
  #key(index, key, n) {
    if (index < KEYS_MOST) this.keys[index] = [key, n];
    this.written.add([BIN, HASH]);
    this.written.add(key);
    this.written.add(pack(n));
  }

  /** @param {number} seq @param {number} end @returns {Outline} */
  #record(seq, end) {
    const { part, written } = this;
    if (end > part.length) throw new Damaged(`byte ${this.at}`);
    /** @type {[number, number][]} */
    const holes = [];
    while (this.at < end) {
      const next = part.indexOf(ESCAPE, this.at);
      const to = next < 0 || next > end ? end : next;
      written.add(part.subarray(this.at, to));
      this.at = to;
      if (to === end) break;
      this.at++;
      const mark = this.#byte();
      const missing = MISSING[mark];
      if (mark === 0) written.add([ESCAPE]);
      else if (missing) holes.push([written.hole(missing), mark]);
      else if (mark === AT) {
        this.time += BigInt(this.#number());
        const bytes = new Uint8Array(8);
        new DataView(bytes.buffer).setBigUint64(0, this.time);
        written.add([TIME]);
        written.add(bytes);
      } else if (NUMBERS.includes(mark)) written.add(pack(seq - NUMBERS.indexOf(mark)));
      else if (mark === KEY) {
        const key = part.subarray(this.at, this.at + HASH);
        this.at += HASH;
        const known = this.keys.findIndex(([one]) => same(one, key));
        this.#key(known < 0 ? this.keys.length : known, key, this.#number());
      } else if (mark === KEY_AGAIN) {
        const index = this.#byte();
        const known = this.keys[index];
        if (!known) throw new Damaged(`record ${seq}`);
        this.#key(index, known[0], known[1] + this.#byte());
      } else throw new Damaged(`mark ${mark}`);
    }
    if (this.at !== end) throw new Damaged(`byte ${this.at}`);
    return { data: written.taken(), holes };
  }
}

/**
 * The records, byte for byte. Their links are computed, so that none can be wrong: only the hash of the last says whether these are the records that were sent.
 * @param {Outline[]} outlines which are left as they are @param {Uint8Array} noise @param {Uint8Array} last @returns {Promise<Whole[]>}
 */
async function filled(outlines, noise, last) {
  /** @type {Uint8Array[]} */
  const hashes = [];
  /** @type {Whole[]} */
  const records = [];
  let taken = 0;
  let until = performance.now() + SLICE_MS;
  for (const [seq, { data: outline, holes }] of outlines.entries()) {
    if (performance.now() > until) {
      await new Promise((done) => setTimeout(done, 0));
      until = performance.now() + SLICE_MS;
    }
    const data = outline.slice();
    let digest = -1;
    /** @type {Uint8Array | null} */
    let drawn = null;
    const next = (/** @type {number} */ bytes) => {
      if (taken + bytes > noise.length) throw new Damaged(`record ${seq}`);
      taken += bytes;
      return noise.subarray(taken - bytes, taken);
    };
    for (const [at, mark] of holes) {
      if (mark <= BACK_MOST) {
        if (mark > seq) throw new Damaged(`record ${seq}`);
        data.set(hashes[seq - mark], at);
      } else if (mark === DIGEST) digest = at;
      else if (mark === BLIND) {
        const [blind, id] = blindAndId(next(SEED));
        data.set(blind, at);
        drawn = id;
      } else if (mark === ID) {
        if (!drawn) throw new Damaged(`record ${seq}`);
        data.set(drawn, at);
      } else data.set(next(mark), at);
    }
    if (digest >= 0) {
      const [decision, seat, [picks, blind], id] = unpack(data)[4];
      data.set(picksDigest(hashes[0], seat, decision, id, blind, picks), digest);
    }
    const hash = sha256(data);
    hashes.push(hash);
    records.push({ data, hash });
  }
  if (taken !== noise.length || !same(hashes[hashes.length - 1] ?? new Uint8Array(HASH), last)) throw new Damaged("end");
  return records;
}

/**
 * What a server's answer holds: the outlines as soon as they are here, and the records, which are made when they are asked for: that is most of the work,
 * and nothing that is seen waits for it. Both throw Damaged, or what the network throws.
 * @param {ReadableStream<Uint8Array>} body @returns {Promise<{outlines: Uint8Array[], records: () => Promise<Whole[]>}>}
 */
export async function readLean(body) {
  const reader = body.getReader();
  /** @type {Uint8Array[]} */
  const chunks = [];
  let here = 0;
  const until = async (/** @type {number} */ bytes) => {
    while (here < bytes) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      here += value.length;
    }
    const whole = new Uint8Array(here);
    chunks.splice(0).reduce((at, chunk) => (whole.set(chunk, at), at + chunk.length), 0);
    chunks.push(whole);
    return whole;
  };
  const head = await until(HEADER);
  if (head.length < HEADER || SIGN.some((byte, i) => head[i] !== byte)) throw new Damaged("header");
  const end = HEADER + new DataView(head.buffer).getUint32(HEADER - 4);
  const first = await until(end);
  if (first.length < end) throw new Damaged("end");
  const outlines = new Reading(first.subarray(HEADER, end)).all();
  const rest = until(Infinity);
  rest.catch(() => undefined);
  const records = async () => {
    const whole = await rest;
    return filled(outlines, whole.subarray(end), whole.subarray(SIGN.length, SIGN.length + HASH));
  };
  return { outlines: outlines.map(({ data }) => data), records };
}
