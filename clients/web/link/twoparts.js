// @ts-check
/** A finished game's file in two parts (protocol/twoparts.md): what is seen of it, then what only proves it. The file that is verified is put together from the very values that were shown. */

import { pack, unpack, unpacking } from "../records/canon.js";
import { Damaged, framesIn, recordsOf } from "./filelink.js";
import { KIND, MAGIC, frameHead } from "../records/frames.js";
import { FRAME_BYTES_MAX, PARTS_BYTES_MAX, PARTS_FRAMES_MAX } from "../records/limits.js";
import { same, sha256 } from "../records/sha256.js";

const LENGTH_BYTES = 4;
const CRC_BYTES = 4;
const WHOLE = 0;
const BY_FIELDS = 1;
const BY = 4;
/** How many values a body has, the places of those that stand in part two, and that of openings, whose salts do, or -1. @type {Record<string, {values: number, later: number[], openings: number}>} */
const SHAPES = {
  command: { values: 12, later: [0, 2, 3, BY, 6, 9, 11], openings: 8 },
  open: { values: 2, later: [1], openings: -1 },
  reveal: { values: 2, later: [], openings: 0 },
};
/** How long the file is put together at a time before keys and the like are answered, in ms. */
const SLICE_MS = 12;

/** The records, with nil for what is not here yet, and the promise of the file's frames. @typedef {{records: any[], file: () => Promise<import("../records/frames.js").Frame[]>}} Parts */

const isArray = (/** @type {any} */ value, /** @type {number} */ length) =>
  Array.isArray(value) && value.length === length;

/** A record with something else in place of each value that stands in part two, in their order. @param {any} record @param {(value: any) => any} change */
function changed(record, change) {
  if (!isArray(record, 6) || !Object.hasOwn(SHAPES, record[3])) throw new Damaged("the kind of a record");
  const [seq, at, actor, kind, body, previous] = record;
  const { values, later, openings } = SHAPES[kind];
  if (!isArray(body, values) || !Array.isArray(body[openings] ?? [])) throw new Damaged(`the form of record ${seq}`);
  const salted = (/** @type {any} */ one) => {
    if (!isArray(one, 4)) throw new Damaged(`an opening in record ${seq}`);
    return [one[0], one[1], change(one[2]), one[3]];
  };
  const told = body.map((/** @type {any} */ value, /** @type {number} */ place) =>
    place === openings ? value.map(salted) : later.includes(place) ? change(value) : value,
  );
  return [seq, at, actor, kind, told, change(previous)];
}

/** What part one says. @param {Uint8Array} one @param {string} asked the game @param {number} most bytes of part two */
function read(one, asked, most) {
  const next = unpacking(one, FRAME_BYTES_MAX);
  const [game, last, hash, digest] = next() ?? [];
  if (game !== asked) throw new Damaged("another game");
  /** @type {[number, any][]} */
  const frames = [];
  /** @type {any[]} */
  const records = [];
  let bytes = 0;
  const later = (/** @type {any} */ length) => {
    if (!Number.isSafeInteger(length) || length < 0 || (bytes += length) > most) throw new Damaged("a length");
    return null;
  };
  for (let mark = next(); mark !== undefined; mark = next()) {
    const value = next();
    if (value === undefined || frames.length >= PARTS_FRAMES_MAX || !Number.isInteger(mark) || mark < 0 || mark > 0xff)
      throw new Damaged("frames");
    later(CRC_BYTES);
    if (mark === WHOLE) records.push(unpack(value));
    else if (mark === BY_FIELDS) records.push(changed(value, later));
    else later(value);
    frames.push([mark, value]);
  }
  if (!records.length || records.length !== last + 1) throw new Damaged("records");
  return { frames, records, hash, digest, bytes };
}

/** The file. @param {ReturnType<typeof read>} told @param {Uint8Array} two @returns {Promise<import("../records/frames.js").Frame[]>} */
async function together({ frames, records, hash, digest, bytes }, two) {
  if (two.length !== bytes || !same(sha256(two), digest)) throw new Damaged("part two");
  let at = 0;
  const take = (/** @type {number} */ length) => two.subarray(at, (at += length));
  const pieces = [MAGIC];
  let until = performance.now() + SLICE_MS;
  for (const [mark, value] of frames) {
    if (performance.now() > until) {
      await new Promise((done) => setTimeout(done, 0));
      until = performance.now() + SLICE_MS;
    }
    const crc = take(CRC_BYTES);
    let payload = value;
    if (mark === BY_FIELDS) {
      const record = changed(value, (length) => unpack(take(length)));
      if (record[3] === "command" && !isArray(record[4][BY], 4)) throw new Damaged(`who acted in record ${record[0]}`);
      payload = pack(record);
    } else if (mark !== WHOLE) payload = take(value);
    pieces.push(frameHead(mark === WHOLE ? KIND.record : mark, payload.length, crc), payload);
  }
  const file = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  pieces.reduce((place, piece) => (file.set(piece, place), place + piece.length), 0);
  const read = framesIn(file);
  const proved = recordsOf(read);
  if (proved.length !== records.length || !same(sha256(proved[records.length - 1]), hash))
    throw new Damaged("the last record");
  return read;
}

/** What cannot be read as values is damaged, too. @param {unknown} error @returns {never} */
const damaged = (error) => {
  throw error instanceof Damaged ? error : new Damaged(String(error));
};

/**
 * A game from a server's answer: its records as they are seen as soon as part one is here, and the file, which is put together when it is asked for: nothing that is
 * seen waits for that. Both throw Damaged, or what the network throws.
 * @param {ReadableStream<Uint8Array>} body @param {string} game @returns {Promise<Parts>}
 */
export async function readParts(body, game) {
  const reader = body.getReader();
  /** @type {Uint8Array[]} */
  let chunks = [];
  let here = 0;
  // What comes behind is not asked for.
  const stop = () => void reader.cancel().catch(() => undefined);
  const until = async (/** @type {number} */ bytes) => {
    while (here < bytes) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      here += value.length;
    }
    const whole = new Uint8Array(here);
    chunks.reduce((at, chunk) => (whole.set(chunk, at), at + chunk.length), 0);
    chunks = [whole];
    return whole;
  };
  try {
    const head = await until(LENGTH_BYTES);
    const end = LENGTH_BYTES + (head.length < LENGTH_BYTES ? Infinity : new DataView(head.buffer).getUint32(0));
    if (end > PARTS_BYTES_MAX) throw new Damaged("too long");
    const first = await until(end);
    if (first.length < end) throw new Damaged("part one");
    const told = await Promise.resolve(first.subarray(LENGTH_BYTES, end))
      .then((one) => read(one, game, PARTS_BYTES_MAX - end))
      .catch(damaged);
    // One byte more is enough to see that there are too many.
    const rest = until(end + told.bytes + 1).finally(stop);
    rest.catch(() => undefined);
    const file = async () => together(told, (await rest).subarray(end)).catch(damaged);
    return { records: told.records, file };
  } catch (error) {
    stop();
    throw error;
  }
}
