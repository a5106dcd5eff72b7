// @ts-check
/** Records as they arrive: each must follow the one before (number, hash, time), and each opening must match its seal. */

import { Seal, pack, unpack } from "./canon.js";
import { same, sha256 } from "./sha256.js";

export const EFFECTS = 7;
export const OPENED = 8;
const SEAL_TAG = new TextEncoder().encode("warledger/seal/1");

/** `ours` are the indexes of effects in which a private opening was filled in. */
/** @typedef {{seq: number, at: number, actor: string, kind: string, body: any[], hash: Uint8Array, effects: any[][], ours: Set<number>}} LogRecord */

export class Tampered extends Error {
  /** @param {number} seq @param {string} what */
  constructor(seq, what) {
    super(`record ${seq}: ${what}`);
    this.seq = seq;
  }
}

export class Chain {
  constructor() {
    /** @type {LogRecord[]} */
    this.records = [];
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
    try {
      return this.#add(data, openings);
    } catch (error) {
      if (error instanceof Tampered) throw error;
      // Whatever cannot be read as a record is none.
      throw new Tampered(this.records.length, String(error instanceof Error ? error.message : error));
    }
  }

  /** @param {Uint8Array} data @param {Uint8Array} openings @returns {LogRecord} */
  #add(data, openings) {
    const expected = this.records.length;
    const array = unpack(data);
    if (!Array.isArray(array) || array.length !== 6) throw new Tampered(expected, "is no record");
    const [seq, at, actor, kind, body, previous] = array;
    const last = this.last;
    if (seq !== expected) throw new Tampered(expected, `expected record ${expected}, found ${seq}`);
    if (!same(previous, last ? last.hash : new Uint8Array(32))) throw new Tampered(seq, "the hash of the record before does not match");
    if (last && at < last.at) throw new Tampered(seq, "time runs backwards");
    if (seq === 0) this.game = body[1];
    /** @type {LogRecord} */
    const record = { seq, at, actor, kind, body, hash: sha256(data), effects: [], ours: new Set() };
    if (kind === "command") record.effects = unpack(body[EFFECTS]);
    else if (kind === "takeback") record.effects = unpack(body[2]);
    if (openings.length) this.#fill(record, unpack(openings));
    if (kind === "command") for (const opening of body[OPENED]) this.#check(opening, this.#found(opening, record));
    this.records.push(record);
    return record;
  }

  /** Check an opening's seal. @param {any[]} opening @param {any} sealed */
  #check(opening, sealed) {
    const [seq, path, salt, value] = opening;
    const digest = sha256(SEAL_TAG, pack([this.game, seq, path, salt, value]));
    if (!(sealed instanceof Seal) || !same(sealed.digest, digest)) throw new Tampered(seq, `an opening does not match its seal at ${path}`);
  }

  /** The seal an opening speaks of. @param {any[]} opening @param {LogRecord} current */
  #found([seq, path], current) {
    const record = seq === current.seq ? current : this.records[seq];
    if (!record) return undefined;
    let value = path[0] === EFFECTS ? unpack(record.body[EFFECTS]) : record.body[path[0]];
    for (const step of path.slice(1)) value = Array.isArray(value) ? value[step] : undefined;
    return value;
  }

  /** Put the private openings' values in place of their seals in the effects. @param {LogRecord} record @param {any[][]} openings */
  #fill(record, openings) {
    for (const opening of openings) {
      this.#check(opening, this.#found(opening, record));
      const path = opening[1];
      if (path[0] !== EFFECTS || opening[0] !== record.seq) continue;
      /** @type {any} */
      let holder = record.effects;
      for (const step of path.slice(1, -1)) holder = holder[step];
      holder[path[path.length - 1]] = opening[3];
      record.ours.add(path[1]);
    }
  }
}
