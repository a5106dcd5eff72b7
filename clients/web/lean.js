// @ts-check
/**
 * A finished game as the server sends it to this page (`engine/serve/lean.py` says how it is written): first an outline of all records, from which the game can
 * be seen, then the blinds, ids and signatures without which none of them can be verified.
 */

import { picksDigest } from "./acts.js";
import { unpack } from "./canon.js";
import { Damaged } from "./filelink.js";
import { same, sha256 } from "./sha256.js";

const SIGN = [0x57, 0x4c, 0x45, 0x41, 0x4e, 1];
const HEADER = 42;
const ESCAPE = 0xc1;
const BIN = 0xc4;
const BACK_MOST = 8;
const DIGEST = 9;
const NOISE = [16, 32, 64];
const HASH = 32;

/** How long records are made at a time before keys and the like are answered, in ms. */
const SLICE_MS = 12;

/** Every record with its hash. @typedef {{data: Uint8Array, hash: Uint8Array}} Whole */
/** @typedef {{data: Uint8Array, holes: [number, number][]}} Outline a record with zeros where something is missing, and where each of those begins and its mark */

/** The outlines of a game's records. @param {Uint8Array} part @returns {Outline[]} */
function outlinesOf(part) {
  /** @type {Outline[]} */
  const found = [];
  for (let at = 0; at < part.length;) {
    let length = 0;
    for (let shift = 1; ; shift *= 128) {
      if (at >= part.length) throw new Damaged(`byte ${at}`);
      length += (part[at] & 0x7f) * shift;
      if (part[at++] < 0x80) break;
    }
    const end = at + length;
    if (end > part.length) throw new Damaged(`byte ${at}`);
    found.push(outlineOf(part.subarray(at, end)));
    at = end;
  }
  return found;
}

/** @param {Uint8Array} part @returns {Outline} */
function outlineOf(part) {
  /** where each escape stands, and how many bytes stand for it @type {[number, number][]} */
  const marks = [];
  let size = part.length;
  for (let at = part.indexOf(ESCAPE); at >= 0; at = part.indexOf(ESCAPE, at + 2)) {
    const mark = part[at + 1];
    if (!(mark <= DIGEST || NOISE.includes(mark))) throw new Damaged(`mark ${mark}`);
    marks.push([at, mark]);
    size += mark ? (mark <= DIGEST ? HASH : mark) : -1;
  }
  const data = new Uint8Array(size);
  /** @type {[number, number][]} */
  const holes = [];
  let [from, to] = [0, 0];
  for (const [at, mark] of marks) {
    data.set(part.subarray(from, at), to);
    to += at - from;
    from = at + 2;
    if (!mark) data[to++] = ESCAPE;
    else {
      const length = mark <= DIGEST ? HASH : mark;
      data[to] = BIN;
      data[to + 1] = length;
      holes.push([to + 2, mark]);
      to += 2 + length;
    }
  }
  data.set(part.subarray(from), to);
  return { data, holes };
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
    for (const [at, mark] of holes) {
      if (mark <= BACK_MOST) {
        if (mark > seq) throw new Damaged(`record ${seq}`);
        data.set(hashes[seq - mark], at);
      } else if (mark === DIGEST) digest = at;
      else {
        if (taken + mark > noise.length) throw new Damaged(`record ${seq}`);
        data.set(noise.subarray(taken, taken + mark), at);
        taken += mark;
      }
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
  const outlines = outlinesOf(first.subarray(HEADER, end));
  const rest = until(Infinity);
  rest.catch(() => undefined);
  const records = async () => {
    const whole = await rest;
    return filled(outlines, whole.subarray(end), whole.subarray(SIGN.length, SIGN.length + HASH));
  };
  return { outlines: outlines.map(({ data }) => data), records };
}
