// @ts-check
/** Who sits in which seat of a game, with which keys: what its records say, from `taken` to `rotate`. It mirrors `protocol/seats/seating.py`; `acting.js` continues from here. */

import {
  NO_KEY,
  boundNonceHash,
  called,
  deviceBytes,
  rosterHash,
  rotateBytes,
  signedBytes,
  tableCode,
} from "../records/acts.js";
import { KEYS_OF_A_SEAT_MAX } from "../records/limits.js";
import { say } from "../words/say.js";
import { hex, same } from "../records/sha256.js";

export const SERVER = "server";

/** @typedef {import("../protocol.d.ts").SayArray} Say */
/** @typedef {[string, Say]} Wrong a part of the record, and what is wrong with it */
/** @typedef {{key: Uint8Array, message: Uint8Array, signature: Uint8Array, wrong: Wrong}} Signature what is wrong unless it holds */
/** @typedef {{n: number, seen: number, since: number}} Signer */
/** @typedef {import("../records/acts.js").Act} Act */

/** What the log says about a seat. */
export class Sitting {
  /** @param {string} seat */
  constructor(seat) {
    this.seat = seat;
    /** the id of the account of whoever sits here, "" for none, and the name */
    this.account = "";
    this.name = "";
    this.client = "";
    /** account, name, key and nonce hash of the record that took it @type {[string, string, Uint8Array, Uint8Array] | null} */
    this.taken = null;
    this.takenAt = -1;
    /** @type {Uint8Array | null} */
    this.nonce = null;
    /** the keys in force, by their hexadecimals; only "" for a seat that signs nothing @type {Map<string, Signer>} */
    this.keys = new Map();
    /** @type {Set<string>} */
    this.revoked = new Set();
    /** the newest record of its standing answers, and whether a turn has ended since */
    this.orders = 0;
    this.turnOver = false;
    /** records with which somebody else took the seat @type {number[]} */
    this.replaced = [];
    /** those of them to which no key of the seat had consented @type {number[]} */
    this.handedOver = [];
    /** the newest record that a key of this seat has signed as seen */
    this.signedUpTo = -1;
  }

  /** Whether the seat signs its acts now. */
  get signs() {
    return this.taken !== null && !this.keys.has("");
  }
}

/** The seats of a game, each record checked as it comes. A browser verifies signatures in its own time, so those are handed back to be verified. */
export class Seats {
  /** @param {{hash: Uint8Array, body: any[]}} genesis the first record */
  constructor({ hash, body }) {
    this.genesis = hash;
    this.unsignedSeats = body[13]?.unsigned_seats === true;
    /** @type {Uint8Array} */
    this.serverKey = body[12];
    this.firstKey = this.serverKey;
    /** @type {Map<string, Sitting>} */
    this.seats = new Map(body[6].map((/** @type {string} */ seat) => [seat, new Sitting(seat)]));
    /** the owner of every key that was ever shown @type {Map<string, string>} */
    this.owners = new Map([[hex(this.serverKey), SERVER]]);
    /** records at which the server's key changed, and the key from then on @type {[number, Uint8Array][]} */
    this.rotations = [];
    /** @type {"gathering" | "playing" | "ended"} */
    this.stage = "gathering";
    /** record by hash @type {Map<string, number>} */
    this.where = new Map([[hex(hash), 0]]);
    /** @type {Wrong[]} */
    this.wrong = [];
    /** @type {Signature[]} */
    this.signatures = [];
    /** @type {import("../records/chain.js").LogRecord | null} */
    this.record = null;
  }

  // --- looking --------------------------------------------------------------------------------------------------------------------

  get allTaken() {
    return [...this.seats.values()].every(({ taken }) => taken);
  }

  /** @returns {[string, string, string, Uint8Array, Uint8Array][]} */
  get roster() {
    return [...this.seats.values()].flatMap(({ seat, taken }) => (taken ? [[seat, ...taken]] : []));
  }

  get rosterHash() {
    return rosterHash(this.genesis, this.roster);
  }

  /** The code for the players to compare; "" while a nonce is missing. */
  get tableCode() {
    const nonces = [...this.seats.values()].map(({ nonce }) => nonce);
    if (!this.allTaken || nonces.includes(null)) return "";
    return tableCode(
      this.genesis,
      this.roster.map(([seat, account, name, key]) => [seat, account, name, key]),
      /** @type {Uint8Array[]} */ (nonces),
    );
  }

  /** The seats that sign nothing now. */
  get unsigned() {
    return [...this.seats.values()].filter((sitting) => sitting.taken && !sitting.signs).map(({ seat }) => seat);
  }

  /** The server's keys in their order, each with the record from which it is in force. @returns {[number, Uint8Array][]} */
  get serverKeys() {
    return [[0, this.firstKey], ...this.rotations];
  }

  // --- one record -----------------------------------------------------------------------------------------------------------------

  /** @param {string} where @param {string} key @param {Record<string, any>} [args] */
  note(where, key, args = {}) {
    this.wrong.push([where, say(key, args)]);
  }

  /** @param {string} expected */
  expectActor(expected) {
    const actor = this.record?.actor;
    if (actor !== expected) this.note("actor", "acts.actor", { actor: called(actor ?? ""), expected });
  }

  /** A seat that is taken. @param {string} seat @returns {Sitting | null} */
  sitting(seat) {
    const sitting = this.seats.get(seat);
    if (!sitting) this.note("seat", "acts.no_seat", { seat });
    else if (!sitting.taken) this.note("seat", "acts.seat_empty", { seat });
    else return sitting;
    return null;
  }

  /** @param {Act} act */
  signed(act) {
    if (!act.key.length) return;
    this.signatures.push({
      key: act.key,
      message: signedBytes(act),
      signature: act.signature,
      wrong: ["by", say("acts.signature", { seat: act.seat, act: `acts.kind.${act.kind}` })],
    });
  }

  /** A key in force acts. Returns the record it had seen, or -1. @param {Act[]} found @param {string} seat @param {number} [since] the oldest that it may be */
  acted([act], seat, since = 0) {
    if (!act) {
      this.note("by", "acts.nobody", { seat });
      return -1;
    }
    const sitting = this.sitting(seat);
    if (!sitting) return -1;
    const key = hex(act.key);
    const signer = sitting.keys.get(key);
    if (!signer) {
      this.note("by", !key ? "acts.unsigned" : sitting.revoked.has(key) ? "acts.revoked" : "acts.unknown_key", {
        seat,
      });
      return -1;
    }
    this.signed(act);
    const seen = this.recordSeen(act, since);
    if (act.n <= signer.n) this.note("by", "acts.number", { seat, n: act.n, last: signer.n });
    if (seen >= 0 && seen < signer.seen) this.note("by", "acts.seen_back", { seat, seen, last: signer.seen });
    signer.n = Math.max(signer.n, act.n);
    signer.seen = Math.max(signer.seen, seen);
    if (key) sitting.signedUpTo = Math.max(sitting.signedUpTo, seen);
    return seen;
  }

  /** @param {Act} act @param {number} since */
  recordSeen(act, since) {
    const seen = this.where.get(hex(act.seen)) ?? -1;
    if (seen < 0) this.note("by", "acts.seen", { seat: act.seat });
    else if (seen < since) this.note("by", "acts.seen_early", { seat: act.seat, seen, since });
    return seen;
  }

  /** A key is shown for the first time: nobody may have it already. @param {Sitting} sitting @param {Uint8Array} key */
  newKey(sitting, key) {
    if (!key.length) return;
    const owner = this.owners.get(hex(key));
    if (owner !== undefined) this.note("key", "acts.key_of_other", { seat: sitting.seat, owner });
    else this.owners.set(hex(key), sitting.seat);
  }

  // --- kinds ----------------------------------------------------------------------------------------------------------------------

  /** @param {import("../records/chain.js").LogRecord} record @param {Act[]} acts */
  seat({ body, seq }, acts) {
    const [what, seat] = body;
    if (what === "taken") return this.#taken(body, acts, seq);
    if (what === "replaced") return this.#replaced(body, acts, seq);
    const sitting = this.sitting(seat);
    if (!sitting?.taken) return;
    this.expectActor(seat);
    if (what === "nonce") {
      const [, , nonce, roster] = body;
      if (!this.allTaken) this.note("kind", "acts.nonce_early", { seat });
      if (sitting.nonce) this.note("nonce", "acts.nonce_twice", { seat });
      else if (!same(boundNonceHash(this.genesis, seat, nonce), sitting.taken[3]))
        this.note("nonce", "acts.nonce", { seat });
      if (!same(roster, this.rosterHash)) this.note("roster", "acts.roster", { seat });
      this.acted(acts, seat);
      sitting.nonce = nonce;
    } else if (what === "device") {
      const [, , key, proof] = body;
      this.acted(acts, seat);
      if (!sitting.signs) return this.note("key", "acts.key_for_unsigned", { seat });
      const message = deviceBytes(this.genesis, seat, key, acts[0]?.key ?? NO_KEY);
      this.signatures.push({ key, message, signature: proof, wrong: ["proof", say("acts.proof", { seat })] });
      this.newKey(sitting, key);
      if (sitting.keys.size >= KEYS_OF_A_SEAT_MAX)
        this.note("key", "acts.too_many_keys", { seat, most: KEYS_OF_A_SEAT_MAX });
      sitting.keys.set(hex(key), { n: 0, seen: -1, since: seq });
    } else {
      const key = hex(body[2]);
      this.acted(acts, seat);
      if (!sitting.keys.has(key) || sitting.keys.size < 2) return this.note("key", "acts.not_revocable", { seat });
      sitting.keys.delete(key);
      sitting.revoked.add(key);
    }
  }

  /** @param {any[]} body @param {Act[]} acts @param {number} seq */
  #taken([, seat, account, name, nonceHash, client], [act], seq) {
    this.expectActor(seat);
    const sitting = this.seats.get(seat);
    if (!sitting) return this.note("seat", "acts.no_seat", { seat });
    if (sitting.taken) return this.note("seat", "acts.seat_twice", { seat });
    if (!act) return this.note("by", "acts.nobody", { seat });
    if (!act.key.length && !this.unsignedSeats) this.note("by", "acts.unsigned", { seat });
    this.newKey(sitting, act.key);
    this.signed(act);
    const seen = this.recordSeen(act, 0);
    Object.assign(sitting, { account, name, client });
    sitting.taken = [account, name, act.key, nonceHash];
    sitting.takenAt = seq;
    sitting.keys = new Map([[hex(act.key), { n: act.n, seen, since: seq }]]);
    if (act.key.length) sitting.signedUpTo = Math.max(sitting.signedUpTo, seen);
  }

  /** @param {any[]} body @param {Act[]} acts @param {number} seq */
  #replaced([, seat, account, name, client], [act, handed], seq) {
    this.expectActor(seat);
    const sitting = this.sitting(seat);
    if (!sitting) return;
    if (this.stage !== "playing") this.note("kind", "acts.replaced_early", { seat });
    if (!act || act.kind !== "replaced") return this.note("by", "acts.nobody", { seat });
    if (!act.key.length && sitting.signs) this.note("by", "acts.unsigned", { seat });
    this.newKey(sitting, act.key);
    this.signed(act);
    const seen = this.recordSeen(act, 0);
    if (handed) this.acted([handed], seat);
    else if (sitting.signs) sitting.handedOver.push(seq);
    for (const key of sitting.keys.keys()) if (key) sitting.revoked.add(key);
    sitting.keys = new Map([[hex(act.key), { n: act.n, seen, since: seq }]]);
    Object.assign(sitting, { account, name, client, orders: 0 });
    sitting.replaced.push(seq);
  }

  /** @param {import("../records/chain.js").LogRecord} record */
  rotate({ body: [key, signature], seq }) {
    this.expectActor(SERVER);
    const owner = this.owners.get(hex(key));
    if (owner !== undefined) this.note("key", "acts.key_of_other", { seat: SERVER, owner });
    this.signatures.push({
      key: this.serverKey,
      message: rotateBytes(this.genesis, this.serverKey, key),
      signature,
      wrong: ["signature", say("acts.rotation")],
    });
    this.owners.set(hex(key), SERVER);
    this.serverKey = key;
    this.rotations.push([seq, key]);
  }
}
