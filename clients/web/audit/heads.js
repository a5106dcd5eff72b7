// @ts-check
/** What the server signed: heads, its key from one record to the next, and what seats witnessed at the end. */

import { headBytes, witnessBytes } from "../records/acts.js";
import { unpack } from "../records/canon.js";
import { verify } from "../records/ed25519.js";
import { say } from "../words/say.js";
import { hex, same } from "../records/sha256.js";

/** @typedef {[number, string, import("../protocol.d.ts").SayArray]} Found the record, the part of it, and what is wrong */
/** @typedef {import("../protocol.d.ts").Head} Head */
/** The server's keys in their order, each with the record from which it is in force. @typedef {[number, Uint8Array][]} Keys */
/**
 * What a file has made of its records: their hashes, the keys of the server, who sits in each seat, whether the last record is there.
 * @typedef {{hashes: Uint8Array[], serverKeys: Keys, seats: Map<string, import("./seats.js").Sitting>, whole: boolean}} Log
 */

/** A head from the bytes that files hold. Throws for anything else. @param {Uint8Array} payload @returns {Head} */
export function readHead(payload) {
  const array = unpack(payload);
  const [game, seq, hash, signature] = Array.isArray(array) && array.length === 4 ? array : [];
  const isBytes = (/** @type {any} */ value, /** @type {number} */ count) =>
    value instanceof Uint8Array && value.length === count;
  if (
    typeof game !== "string" ||
    !Number.isSafeInteger(seq) ||
    seq < 0 ||
    !isBytes(hash, 32) ||
    !isBytes(signature, 64)
  )
    throw new Error("a head is [game, seq, hash, signature]");
  return { game, seq, hash, signature };
}

/** The keys that may sign something about a record: the one in force at it, and those that followed. @param {Keys} keys @param {number} seq */
export const keysFrom = (keys, seq) =>
  keys.filter((_, index) => index === keys.length - 1 || keys[index + 1][0] > seq).map(([, key]) => key);

/** The first of these keys that has signed a message, or null. @param {Uint8Array[]} keys @param {Uint8Array} message @param {Uint8Array} signature */
export async function signedBy(keys, message, signature) {
  for (const key of keys) if (await verify(key, message, signature)) return key;
  return null;
}

export class Heads {
  /** @param {string} game @param {Uint8Array} genesis its hash @param {Uint8Array[]} given the server's keys from elsewhere, one of which is the file's */
  constructor(game, genesis, given) {
    this.game = game;
    this.genesis = genesis;
    this.given = given;
    /** frames that have not been looked at, each with the record that it stands behind @type {[Uint8Array, number][]} */
    this.heads = [];
    /** @type {[Uint8Array, number][]} */
    this.witnesses = [];
    /** the newest record under a head of a key that counts */
    this.vouched = -1;
    /** the hashes that the server signed for a record @type {Map<number, Set<string>>} */
    this.said = new Map();
    /** records for which it was told already that there are several @type {Set<number>} */
    this.forked = new Set();
    /** the seats that have signed the last record @type {Set<string>} */
    this.witnessed = new Set();
  }

  /** The key by which the file is checked: of those given the first that is the file's, or the first of all. @param {Keys} keys */
  #givenKey(keys) {
    const own = new Set(keys.map(([, key]) => hex(key)));
    const key = this.given.find((one) => own.has(hex(one)));
    return { key: key ?? this.given[0] ?? null, isOwn: Boolean(key) };
  }

  /** Whether a key was given that is not the file's. @param {Keys} keys @returns {Found[]} */
  key(keys) {
    const { key, isOwn } = this.#givenKey(keys);
    return key && !isOwn
      ? [[0, "server_key", say("audit.other_key", { named: hex(keys[0][1]), given: hex(key) })]]
      : [];
  }

  /** Look at a head frame. @param {Log} log @param {Uint8Array} payload @param {number} at @param {boolean} able whether signatures can be verified @returns {Promise<Found[]>} */
  async head(log, payload, at, able) {
    /** @type {Head} */
    let head;
    try {
      head = readHead(payload);
    } catch (error) {
      return [[at, "head", say("audit.record", { what: error instanceof Error ? error.message : String(error) })]];
    }
    const { game, seq, hash, signature } = head;
    const { key, isOwn } = this.#givenKey(log.serverKeys);
    const keys = [...keysFrom(log.serverKeys, seq), ...(key && !isOwn ? [key] : [])];
    const signer = able ? await signedBy(keys, headBytes(game, seq, hash), signature) : null;
    /** @type {Found[]} */
    const wrong = [];
    const note = (/** @type {string} */ what, args = {}) => wrong.push([seq, "head", say(what, args)]);
    if (!signer && able) note("audit.signature");
    if (game !== this.game) {
      note("audit.head_game", { game });
      return wrong;
    }
    if (signer) this.said.set(seq, (this.said.get(seq) ?? new Set()).add(hex(hash)));
    if (seq >= log.hashes.length) note("audit.head_beyond", { seq });
    else if (!same(log.hashes[seq], hash)) note("audit.head");
    else if (signer && this.#counts(signer, log.serverKeys)) this.vouched = Math.max(this.vouched, seq);
    return wrong;
  }

  /** Whether a key's word is that of the key given: the same, or one that it switched to. @param {Uint8Array} signer @param {Keys} keys */
  #counts(signer, keys) {
    const { key, isOwn } = this.#givenKey(keys);
    if (key && !isOwn) return false;
    const own = keys.map(([, one]) => hex(one));
    return own.slice(key ? own.indexOf(hex(key)) : 0).includes(hex(signer));
  }

  /** Two hashes that the server signed for one record: it showed two histories. @returns {Found[]} */
  forks() {
    /** @type {Found[]} */
    const wrong = [];
    for (const seq of [...this.said.keys()].sort((a, b) => a - b)) {
      const [one, other] = [.../** @type {Set<string>} */ (this.said.get(seq))].sort();
      if (other === undefined || this.forked.has(seq)) continue;
      this.forked.add(seq);
      wrong.push([seq, "head", say("audit.fork", { seq, one, other })]);
    }
    return wrong;
  }

  /** Look at a witness frame that stands behind a record. @param {Log} log @param {Uint8Array} payload @param {number} at @param {boolean} able @returns {Promise<Found[]>} */
  async witness(log, payload, at, able) {
    /** @type {any} */
    let array;
    try {
      array = unpack(payload);
    } catch (error) {
      return [
        [
          Math.max(at, 0),
          "witness",
          say("audit.record", { what: error instanceof Error ? error.message : String(error) }),
        ],
      ];
    }
    const [seat, key, named, hash, signature] = Array.isArray(array) && array.length === 5 ? array : [];
    if (
      typeof seat !== "string" ||
      !Number.isSafeInteger(named) ||
      ![key, hash, signature].every((one) => one instanceof Uint8Array)
    ) {
      return [[Math.max(at, 0), "witness", say("audit.shape", { what: "[seat, key, seq, hash, signature]" })]];
    }
    const last = log.hashes.length - 1;
    const sitting = log.seats.get(seat);
    if (!log.whole || at !== last) return [[at, "witness", say("audit.witness_early")]];
    if (!sitting?.taken || !key.length || !sitting.keys.has(hex(key)))
      return [[at, "witness.key", say("acts.unknown_key", { seat })]];
    if (named !== last || !same(hash, log.hashes[last])) return [[at, "witness.hash", say("audit.head")]];
    if (able && !(await verify(key, witnessBytes(this.genesis, named, hash), signature)))
      return [[at, "witness.signature", say("audit.witness_signature", { seat })]];
    if (able) this.witnessed.add(seat);
    return [];
  }
}
