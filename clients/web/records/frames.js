// @ts-check
/**
 * A game's file (the layout is that of protocol/log/wlog.py): its frames, and what is wrong with its bytes. Behind a bad frame the next sound one is looked
 * for, so that the record is told to which the damage belongs.
 */

import { FORMAT } from "./acts.js";
import { unpack } from "./canon.js";
import { Tampered, readRecord } from "./chain.js";
import { readHead } from "../audit/heads.js";
import { PAYLOAD_BYTES_MAX } from "./limits.js";
import { say } from "../words/say.js";
import { same, sha256 } from "./sha256.js";

export const KIND = { record: 1, openings: 2, head: 3, secrets: 4, meta: 5, witness: 6, end: 9 };

const SIGN = [0x89, 0x57, 0x4c, 0x4f, 0x47, 0x0d, 0x0a];
/** How every file begins. */
export const MAGIC = Uint8Array.of(...SIGN, FORMAT);
const HEADER_BYTES = MAGIC.length;
const FRAME_BYTES = 9;
const END_BYTES = 36;
const HASH_BYTES = 32;
const NAMES = new Map(Object.entries(KIND).map(([name, kind]) => [kind, name]));
/** How much a search for a sound frame may read, so that a hostile file cannot cost hours; a place that is only looked at counts as so many bytes. */
const SEARCH_BYTES_MAX = 64 * 1024 * 1024;
const LOOK_BYTES = 256;
/** At most so many places of damage are told, and so many frames behind one are searched for the next record. */
const DAMAGES_MAX = 100;
const BEHIND_MAX = 1000;

/** @typedef {{kind: number, payload: Uint8Array, at: number}} Frame */
/** @typedef {[number | null, string, import("../protocol.d.ts").SayArray]} Finding the record, the part of it, and what is wrong */
/**
 * What a file holds: the frames with which an audit goes on, what is wrong with its bytes, what only the end mark tells, whether no record is lost, and whether it has
 * an end mark, behind which nothing is missing.
 * @typedef {{frames: Frame[], damage: Finding[], last: Finding[], whole: boolean, sealed: boolean}} Contents
 */

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

/** What stands before a payload. @param {number} kind @param {number} length @param {Uint8Array} crc */
export function frameHead(kind, length, crc) {
  const head = new Uint8Array(FRAME_BYTES);
  viewOf(head).setUint32(0, length);
  head[4] = kind;
  head.set(crc, 5);
  return head;
}

/** @param {Uint8Array} data */
const viewOf = (data) => new DataView(data.buffer, data.byteOffset, data.byteLength);

/** Where the frame at a place ends; -1 where none that is sound begins there. @param {Uint8Array} data @param {DataView} view @param {number} at */
function endOf(data, view, at) {
  if (at + FRAME_BYTES > data.length) return -1;
  const length = view.getUint32(at);
  const end = at + FRAME_BYTES + length;
  if (length > PAYLOAD_BYTES_MAX || end > data.length || !NAMES.has(data[at + 4])) return -1;
  return crc32(data.subarray(at, at + 5), data.subarray(at + FRAME_BYTES, end)) === view.getUint32(at + 5) ? end : -1;
}

/** Where the first sound frame from a place on begins, or -1. @param {Uint8Array} data @param {DataView} view @param {number} start @param {{left: number}} budget */
function nextSound(data, view, start, budget) {
  for (let at = start; at + 5 <= data.length && budget.left >= 0; at++) {
    if (!NAMES.has(data[at + 4]) || view.getUint32(at) > PAYLOAD_BYTES_MAX) continue;
    budget.left -= LOOK_BYTES;
    const length = view.getUint32(at);
    if (at + FRAME_BYTES + length > data.length) continue;
    if (endOf(data, view, at) >= 0) return at;
    budget.left -= length;
  }
  return -1;
}

/** The format that the first record of a file names, or null. @param {Frame | undefined} first */
function formatIn(first) {
  try {
    const named = first?.kind === KIND.record ? unpack(first.payload)[4][0] : null;
    return Number.isSafeInteger(named) ? named : null;
  } catch {
    return null;
  }
}

/** The format of a file that is of another one: its header and its first record name another, or one of them does and the other none. @param {Uint8Array} data @returns {number | null} */
export function otherFormat(data) {
  const signed = data.length >= HEADER_BYTES && SIGN.every((byte, i) => data[i] === byte);
  if (signed && data[SIGN.length] === FORMAT) return null;
  const named = formatIn(survey(data).frames[0]);
  const other = signed ? data[SIGN.length] : named;
  return other !== null && named !== FORMAT ? other : null;
}

/** The sound frames of a file, and the damaged parts between them. @param {Uint8Array} data */
function survey(data) {
  const view = viewOf(data);
  const budget = { left: SEARCH_BYTES_MAX };
  const header = data.length >= HEADER_BYTES && [...SIGN, FORMAT].every((byte, i) => data[i] === byte);
  /** @type {Frame[]} */
  const frames = [];
  /** @type {[number, number][]} */
  const bad = [];
  /** @type {Frame | null} */
  let end = null;
  let at = header ? HEADER_BYTES : nextSound(data, view, 0, budget);
  while (at >= 0 && at < data.length && !end) {
    const next = endOf(data, view, at);
    if (next < 0) {
      const begin = at;
      at = nextSound(data, view, begin + 1, budget);
      bad.push([begin, at < 0 ? data.length : at]);
      continue;
    }
    const frame = { kind: data[at + 4], payload: data.subarray(at + FRAME_BYTES, next), at };
    if (frame.kind === KIND.end) end = frame;
    else frames.push(frame);
    at = next;
  }
  return { frames, bad, header, end, behindEnd: end && at < data.length ? at : -1 };
}

/** What a file holds, damaged or not. @param {Uint8Array} data @returns {Contents} */
export function readFrames(data) {
  const { frames, bad, header, end, behindEnd } = survey(data);
  /** @type {Contents} */
  const found = { frames, damage: [], last: [], whole: true, sealed: end !== null };
  found.damage.push(...(header ? wrongStart(frames) : [headerOf(data, frames)]));
  if (bad.length) {
    found.frames = [];
    let taken = 0;
    for (const [offset, to] of bad.slice(0, DAMAGES_MAX)) {
      const before = frames.findIndex(({ at }) => at > offset);
      const count = before < 0 ? frames.length : before;
      if (found.whole) found.frames.push(...frames.slice(taken, count));
      taken = count;
      const piece = new Piece(data, offset, to, frames.slice(0, count), frames.slice(count, count + BEHIND_MAX));
      found.damage.push(piece.told());
      if (piece.losesRecord) found.whole = false;
    }
    if (found.whole) found.frames.push(...frames.slice(taken));
  }
  if (behindEnd >= 0) found.damage.push([null, "end", say("audit.damage.behind_end", { offset: behindEnd })]);
  else if (header && !bad.length && !found.damage.length) found.last.push(...wrongEnd(data, frames, end));
  return found;
}

/** What is wrong with the first bytes. @param {Uint8Array} data @param {Frame[]} frames @returns {Finding} */
function headerOf(data, frames) {
  const named = data.length >= HEADER_BYTES && SIGN.every((byte, i) => data[i] === byte);
  if (frames.length && !named) return [null, "header", say("audit.damage.header", { n: frames[0].at })];
  return [
    null,
    "header",
    say("audit.file", { offset: named ? SIGN.length : 0, what: named ? `format ${data[SIGN.length]}` : "no header" }),
  ];
}

/** Whether another frame than a record stands right behind the header. @param {Frame[]} frames @returns {Finding[]} */
function wrongStart([first]) {
  if (!first || first.at !== HEADER_BYTES || first.kind === KIND.record) return [];
  return [[null, "frames", say("audit.file", { offset: first.at, what: "a frame before the first record" })]];
}

/** What is wrong with the end mark. @param {Uint8Array} data @param {Frame[]} frames @param {Frame | null} end @returns {Finding[]} */
function wrongEnd(data, frames, end) {
  if (!end) return [];
  const { payload, at } = end;
  const good =
    payload.length === END_BYTES &&
    viewOf(payload).getUint32(0) === frames.length &&
    same(payload.subarray(4), sha256(data.subarray(0, at)));
  return good ? [] : [[null, "end", say("audit.file", { offset: at, what: "the end mark" })]];
}

/** The record in a frame, or null. @param {Frame} frame */
function recordIn({ kind, payload }) {
  if (kind !== KIND.record) return null;
  try {
    return readRecord(payload, 0).record;
  } catch (error) {
    if (error instanceof Tampered) return null;
    throw error;
  }
}

/** The head in a frame, or null. @param {{kind: number, payload: Uint8Array}} frame */
function headIn({ kind, payload }) {
  try {
    return kind === KIND.head ? readHead(payload) : null;
  } catch {
    return null;
  }
}

/** One damaged part of a file: its bytes, the record before it, and what stands behind it. */
class Piece {
  /** @param {Uint8Array} data @param {number} offset @param {number} end @param {Frame[]} before @param {Frame[]} behind */
  constructor(data, offset, end, before, behind) {
    this.data = data.subarray(offset, end);
    this.offset = offset;
    this.end = end;
    this.ends = end === data.length;
    const last = before.findLast((frame) => recordIn(frame));
    /** the record that should have come next */
    this.expected = last ? /** @type {any} */ (recordIn(last)).seq + 1 : 0;
    const next = behind.findIndex((frame) => recordIn(frame));
    const heads = behind
      .slice(0, next < 0 ? undefined : next)
      .map(headIn)
      .filter((one) => one !== null);
    /** how many records are missing here; null if nothing behind tells @type {number | null} */
    this.lost =
      next >= 0
        ? Math.max(0, /** @type {any} */ (recordIn(behind[next])).seq - this.expected)
        : heads.length && heads[0].seq >= this.expected
          ? heads[0].seq - this.expected + 1
          : null;
    /** the kind of frame that it says it is, or 0 */
    this.kind = this.data.length > 4 && NAMES.has(this.data[4]) ? this.data[4] : 0;
    /** how long it says that it is, and how long it is */
    this.length = this.data.length < 4 ? 0 : viewOf(this.data).getUint32(0) + FRAME_BYTES;
  }

  get losesRecord() {
    if (this.lost !== null) return this.lost > 0;
    return this.kind === KIND.record || !this.expected || (!this.kind && this.data.length >= HASH_BYTES);
  }

  /** Whether it is about as long as the frame that it says it is. */
  get #isAboutAFrame() {
    return Math.floor(this.length / 2) <= this.data.length && this.data.length <= this.length * 2;
  }

  /** What to say if the file ends inside the frame. @returns {import("../protocol.d.ts").SayArray | null} */
  get #cut() {
    if (!this.ends) return null;
    if (this.data.length < FRAME_BYTES) return say("audit.damage.cut_head");
    const n = this.length - this.data.length;
    return n > 0 && n <= PAYLOAD_BYTES_MAX ? say("audit.damage.cut", { n }) : null;
  }

  /** @returns {import("../protocol.d.ts").SayArray} */
  get #amount() {
    const more = this.data.length - this.length;
    if (!more) return say("audit.damage.unfit");
    if (this.length - FRAME_BYTES > PAYLOAD_BYTES_MAX || !this.#isAboutAFrame) return say("audit.damage.unlike");
    return more > 0 ? say("audit.damage.long", { n: more }) : say("audit.damage.short", { n: -more });
  }

  /** What is wrong. @returns {Finding} */
  told() {
    const { offset, end, expected, lost, kind } = this;
    const last = expected ? expected - 1 : null;
    if (lost !== null && lost > 1)
      return [expected, "frames", say("audit.damage.several", { offset, end, last: expected + lost - 1 })];
    const cut = this.#cut;
    const n = this.data.length;
    if (!this.losesRecord) {
      if (!kind || (!cut && !this.#isAboutAFrame))
        return [last, "frames", say(cut ? "audit.damage.cut_behind" : "audit.damage.stray", { offset, n })];
      const head = kind === KIND.head ? headIn({ kind, payload: this.data.subarray(FRAME_BYTES) }) : null;
      return this.#damaged(kind, head?.seq ?? (kind === KIND.end ? null : last), cut);
    }
    if (!kind && cut && expected) return [last, "frames", say("audit.damage.cut_behind", { offset, n })];
    return this.#damaged(KIND.record, expected, cut);
  }

  /** @param {number} kind @param {number | null} seq @param {import("../protocol.d.ts").SayArray | null} cut @returns {Finding} */
  #damaged(kind, seq, cut) {
    const name = /** @type {string} */ (NAMES.get(kind));
    return [
      seq,
      name,
      say("audit.damage", { frame: [`audit.frame.${name}`, [], ""], offset: this.offset, what: cut ?? this.#amount }),
    ];
  }
}
