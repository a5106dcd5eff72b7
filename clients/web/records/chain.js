// @ts-check
/** Records as they arrive: each must follow the one before (number, hash, time), and each opening must match its seal. */

import { FORMAT, KINDS, closesLog, isArbiter, openedBy } from "./acts.js";
import { Seal, pack, unpack } from "./canon.js";
import { holdsSeal } from "../audit/seals.js";
import { same, sha256 } from "./sha256.js";

const PICKS = 2;
const PACK = 7;
const DRAWS = 5;
const HASH_BYTES = 32;
/** In a record of standing answers. */
const ORDERS = 1;
export const EFFECTS = 7;
const SEAL_TAG = new TextEncoder().encode("warledger/seal/1");

/**
 * What an audience knows of a record: its effects with what was opened to it filled in, the indexes of those, and other opened values.
 * @typedef {{effects: any[][], ours: Set<number>, secrets: any[]}} Known
 * `all` is what everybody knows once the game has ended and every seal is open; `inside` the picks of a command or the standing answers of a
 * record of theirs, each with its blind, once their seal is open to this audience.
 * @typedef {Known & {seq: number, at: number, actor: import("../protocol.d.ts").Actor, kind: string, body: any[], hash: Uint8Array, all?: Known, inside?: any}} LogRecord
 * A record that is seen before the whole of it is here has an empty hash, and nil where something is missing.
 */

/** What is sealed by an opening. @param {string} game @param {any[]} opening */
export const sealOf = (game, [seq, path, salt, value]) => sha256(SEAL_TAG, pack([game, seq, path, salt, value]));

/** Whether an opening matches the seal that stands at its place, if one does. @param {string} game @param {any[]} opening @param {any} sealed */
export const opens = (game, opening, sealed) => sealed instanceof Seal && same(sealed.digest, sealOf(game, opening));

export class Tampered extends Error {
  /** @param {number} seq @param {string} what @param {string} [field] the part of the record that is wrong */
  constructor(seq, what, field = "bytes") {
    super(`record ${seq}: ${what}`);
    this.seq = seq;
    this.what = what;
    this.field = field;
  }
}

/** A log of another format, which this page does not read. That says nothing against it. */
export class OtherFormat extends Error {
  /** @param {number} format */
  constructor(format) {
    super(`format ${format}`);
    this.format = format;
  }
}

/** What the bytes of a record say, and the hash that they name, both without being compared with anything. @param {Uint8Array} data @param {number} expected its number @param {Set<string>} [kinds] that the log may have @returns {{record: LogRecord, previous: any}} */
export function readRecord(data, expected, kinds = KINDS) {
  /** @type {any} */
  let array;
  try {
    array = unpack(data);
  } catch (error) {
    throw new Tampered(expected, error instanceof Error ? error.message : String(error));
  }
  return recordOf(array, expected, kinds);
}

/** What the values of a record say. @param {any} array @param {number} expected its number @param {Set<string>} kinds @returns {{record: LogRecord, previous: any}} */
function recordOf(array, expected, kinds) {
  if (!Array.isArray(array) || array.length !== 6) throw new Tampered(expected, "is not a record");
  const [seq, at, actor, kind, body, previous] = array;
  const isWhole = (/** @type {any} */ value) => Number.isSafeInteger(value) && value >= 0;
  if (!isWhole(seq)) throw new Tampered(expected, "its number is none", "seq");
  if (!isWhole(at)) throw new Tampered(expected, "its time is none", "at_ms");
  if (typeof actor !== "string" && !isArbiter(actor)) throw new Tampered(expected, "its actor is nobody", "actor");
  if (!kinds.has(kind)) throw new Tampered(expected, "is of no kind", "kind");
  if (!Array.isArray(body)) throw new Tampered(expected, "has no body", "body");
  return {
    record: { seq, at, actor, kind, body, hash: new Uint8Array(0), effects: [], ours: new Set(), secrets: [] },
    previous,
  };
}

/** A record that follows the one before it. @param {Uint8Array} data @param {LogRecord | undefined} before @param {Set<string>} [kinds] @returns {LogRecord} */
export function follow(data, before, kinds = KINDS) {
  const expected = before ? before.seq + 1 : 0;
  const { record, previous } = readRecord(data, expected, kinds);
  if (!(previous instanceof Uint8Array) || previous.length !== HASH_BYTES)
    throw new Tampered(expected, "names no hash", "previous");
  if (record.seq !== expected) throw new Tampered(expected, `expected record ${expected}, found ${record.seq}`, "seq");
  if (!same(previous, before ? before.hash : new Uint8Array(HASH_BYTES)))
    throw new Tampered(expected, "the hash of the record before does not match", "previous");
  if (before && record.at < before.at) throw new Tampered(expected, "time runs backwards", "at_ms");
  record.hash = sha256(data);
  return record;
}

/** The effects of a record, as they stand in it. @param {{kind: string, body: any[]}} record @returns {any[][]} */
export function effectsOf({ kind, body }) {
  if (kind === "command") return unpack(body[EFFECTS]);
  if (kind === "takeback") return unpack(body[2]);
  return kind === "ruling" && body[0] === "corrected" && body[4] instanceof Uint8Array ? unpack(body[4]) : [];
}

export class Chain {
  /** @param {Set<string>} [kinds] of the records that it may have: those of a game, or of a tournament's ledger */
  constructor(kinds = KINDS) {
    this.kinds = kinds;
    /** @type {LogRecord[]} */
    this.records = [];
    /** how many of them have been verified; of the rest only what is seen is here */
    this.proved = 0;
    this.game = "";
  }

  get last() {
    return this.records[this.records.length - 1];
  }

  /**
   * @param {Uint8Array} data the record's public bytes
   * @param {Uint8Array} openings packed private openings, or empty
   * @returns {LogRecord}
   */
  add(data, openings) {
    return this.#trying(() => this.#add(data, openings));
  }

  /**
   * A record without what only its proof needs, which is shown meanwhile. Nothing of it is verified before `prove` has the whole of it.
   * @param {any} array the record, with nil for what is missing @returns {LogRecord}
   */
  sketch(array) {
    return this.#trying(() => {
      const seq = this.records.length;
      if (this.last && closesLog(this.last)) throw new Tampered(seq, "stands behind the last record");
      const { record } = recordOf(array, seq, this.kinds);
      if (record.seq !== seq) throw new Tampered(seq, `expected record ${seq}, found ${record.seq}`, "seq");
      this.#shown(record);
      if (record.seq === 0) this.game = record.body[1];
      this.records.push(record);
      if (closesLog(record)) this.#openAll();
      return record;
    });
  }

  /** The first record that is only seen, whole: it must follow the one before. @param {Uint8Array} data the record's bytes, of which `sketch` had the values */
  prove(data) {
    return this.#trying(() => {
      const seq = this.proved;
      const { body, hash } = this.#follows(data, seq);
      const record = Object.assign(this.records[seq], { body, hash });
      for (const opening of openedBy(record)) this.#check(opening, this.#found(opening, record));
      this.proved += 1;
    });
  }

  /** @template T @param {() => T} act @returns {T} */
  #trying(act) {
    try {
      return act();
    } catch (error) {
      if (error instanceof Tampered || error instanceof OtherFormat) throw error;
      // What cannot be read as a record is not a record.
      throw new Tampered(this.proved, String(error instanceof Error ? error.message : error));
    }
  }

  /** What is shown of a record. @param {LogRecord} record */
  #shown(record) {
    const { seq, body } = record;
    if (!seq && Number.isSafeInteger(body[0]) && body[0] !== FORMAT) throw new OtherFormat(body[0]);
    record.effects = effectsOf(record);
    return record;
  }

  /** A record that follows the one before it. @param {Uint8Array} data @param {number} seq @returns {LogRecord} */
  #follows(data, seq) {
    const record = this.#shown(follow(data, this.records[seq - 1], this.kinds));
    if (record.kind === "genesis") unpack(record.body[PACK]); // canonical, like a record
    return record;
  }

  /** @param {Uint8Array} data @param {Uint8Array} openings @returns {LogRecord} */
  #add(data, openings) {
    const record = this.#follows(data, this.records.length);
    if (record.seq === 0) this.game = record.body[1];
    if (openings.length) {
      const known = unpack(openings);
      for (const opening of known) this.#check(opening, this.#found(opening, record));
      if (record.kind !== "orders") fill(record, known);
      look(record, known);
    }
    for (const opening of openedBy(record)) this.#check(opening, this.#found(opening, record));
    this.records.push(record);
    this.proved += 1;
    if (closesLog(record)) this.#openAll();
    return record;
  }

  /** Everything is open: for each record, what was opened on the way or at the end. */
  #openAll() {
    /** @type {Map<number, any[][]>} */
    const openings = new Map();
    for (const opening of this.records.flatMap(openedBy)) {
      const list = openings.get(opening[0]);
      if (list) list.push(opening);
      else openings.set(opening[0], [opening]);
    }
    for (const [seq, list] of openings) {
      const record = this.records[seq];
      look(record, list);
      record.all = {
        effects: record.kind === "command" ? unpack(record.body[EFFECTS]) : record.effects,
        ours: new Set(),
        secrets: [],
      };
      fill(record.all, record.kind === "orders" ? [] : list);
    }
  }

  /** Check an opening's seal. @param {any[]} opening @param {any} sealed */
  #check(opening, sealed) {
    const [seq, path] = opening;
    if (!opens(this.game, opening, sealed) || holdsSeal(opening[3]))
      throw new Tampered(seq, `an opening does not match its seal at ${path}`);
  }

  /** The seal that an opening belongs to. @param {any[]} opening @param {LogRecord} current */
  #found([seq, path], current) {
    // Of a record that comes later not the whole may be here.
    const record = seq === current.seq ? current : seq < current.seq ? this.records[seq] : undefined;
    if (!record) return undefined;
    let value = path[0] === EFFECTS ? unpack(record.body[EFFECTS]) : record.body[path[0]];
    for (const step of path.slice(1)) value = isPlace(value, step) ? value[step] : undefined;
    return value;
  }
}

/** Whether a place in an array is named: a path may come from anybody, and other names lead elsewhere. @param {any} value @param {any} step */
const isPlace = (value, step) => Array.isArray(value) && Number.isInteger(step) && step >= 0 && step < value.length;

/** What is inside the seal of a command's picks, or of standing answers. @param {LogRecord} record @param {any[][]} openings */
function look(record, openings) {
  const place = record.kind === "command" ? PICKS : record.kind === "orders" ? ORDERS : -1;
  for (const [seq, path, , value] of openings)
    if (seq === record.seq && path.length === 1 && path[0] === place) record.inside = value;
}

/** Put opened values in place of their seals in the effects; what else they open is kept beside. @param {Known} known @param {any[][]} openings */
function fill(known, openings) {
  /** @type {Set<number>} */
  const veils = new Set();
  for (const [, path, , value] of openings) {
    if (path[0] !== EFFECTS) {
      // Picks are in the events, too, and draws have a line of their own.
      if (path[0] !== PICKS && path[0] !== DRAWS) known.secrets.push(value);
      continue;
    }
    /** @type {any} */
    let holder = known.effects;
    const last = path[path.length - 1];
    for (const step of path.slice(1, -1)) holder = isPlace(holder, step) ? holder[step] : undefined;
    if (path.length < 2 || !isPlace(holder, last)) throw new Error(`nothing is sealed at ${path}`);
    if (path.length === 3 && holder[0] === "veil") veils.add(path[1]);
    holder[last] = value;
    known.ours.add(path[1]);
  }
  if (veils.size) lift(known, veils);
}

const isText = (/** @type {any} */ value) => typeof value === "string";
/** @param {any} value @returns {boolean} */
const isShown = (value) =>
  value === null ||
  isText(value) ||
  typeof value === "boolean" ||
  Number.isSafeInteger(value) ||
  (Array.isArray(value) && value.every(isShown));
const isPath = (/** @type {any} */ value) => Array.isArray(value) && value.every(isText);
const isArguments = (/** @type {any} */ value) =>
  Array.isArray(value) && value.every((item) => Array.isArray(item) && item.length === 2 && isText(item[0]));
/** What a veil may hold, with the forms of the arguments: nothing that everybody's play, dice and timeline depend on. @type {Record<string, ((value: any) => boolean)[]>} */
const VEILED = {
  put: [isText, isText, isShown, isText],
  move: [isText, isPath],
  flip: [isText, isShown],
  take: [isText, isText],
  mark: [isText, isText, isShown],
  track: [isText, isShown],
  count: [isText, isShown],
  roll: [isText, Number.isSafeInteger, isShown],
  say: [isText, isArguments, isText],
};
const isVeiled = (/** @type {any} */ effect) =>
  Array.isArray(effect) &&
  isText(effect[0]) &&
  Object.hasOwn(VEILED, effect[0]) &&
  VEILED[effect[0]].every((fits, at) => fits(effect[at + 1]));

/** Whether a value may be in a veil. @param {any} held */
export const isVeil = (held) => Array.isArray(held) && held.every(isVeiled) && !holdsSeal(held);

/** Opened veils are replaced by the effects that they contain. @param {Known} known @param {Set<number>} veils their indexes */
function lift(known, veils) {
  /** @type {any[][]} */
  const effects = [];
  /** @type {Set<number>} */
  const ours = new Set();
  known.effects.forEach((effect, index) => {
    if (!veils.has(index)) {
      if (known.ours.has(index)) ours.add(effects.length);
      effects.push(effect);
      return;
    }
    const [, held] = effect;
    if (!isVeil(held)) throw new Error("a veil holds what it may not");
    for (const inner of held) {
      ours.add(effects.length);
      effects.push(inner);
    }
  });
  [known.effects, known.ours] = [effects, ours];
}
