// @ts-check
/**
 * What seats bound themselves to in secret: sealed picks and standing answers against the digests that were signed for them, and commands by standing
 * answers against those. What is not open yet waits (protocol/seats/promised.py).
 */

import { AT, BLIND_BYTES, ordersDigest, picksDigest } from "../records/acts.js";
import { Seal, pack } from "../records/canon.js";
import { ORDERS_BYTES_MAX, PICKS_MAX } from "../records/limits.js";
import { say } from "../words/say.js";
import { same } from "../records/sha256.js";
import { holds, isOrders } from "./standing.js";

/** The place of what is sealed in a record of standing answers. */
const ORDERS = 1;

/** @typedef {[string, import("../protocol.d.ts").SayArray]} Wrong a part of the record, and what is wrong with it */
/** @typedef {[number, string, import("../protocol.d.ts").SayArray]} Found the record, the part of it, and what is wrong */

const isPick = (/** @type {any} */ pick) => typeof pick === "string" || Number.isSafeInteger(pick);
const isPair = (/** @type {any} */ opened) =>
  Array.isArray(opened) && opened.length === 2 && Array.isArray(opened[0]) && opened[1] instanceof Uint8Array;

/** Whether a command's digest is that of its picks: `opened` is [picks, blind]. A command by standing answers has neither digest nor blind. @param {Uint8Array} genesis @param {any[]} body @param {any} opened @returns {Wrong[]} */
export function digestOfPicks(genesis, body, opened) {
  const digest = body[AT.digest];
  if (!isPair(opened)) return [["picks", say("acts.picks_form")]];
  const [picks, blind] = opened;
  if (picks.length > PICKS_MAX || !picks.every(isPick) || blind.length !== (digest.length ? BLIND_BYTES : 0))
    return [["picks", say("acts.picks_form")]];
  if (!digest.length) return [];
  const expected = picksDigest(genesis, body[AT.seat], body[AT.decision], body[AT.id], blind, picks);
  return same(expected, digest) ? [] : [["picks", say("acts.other_picks", { seat: body[AT.seat] })]];
}

/** The same for standing answers: `opened` is [orders, blind]. @param {Uint8Array} genesis @param {any[]} body @param {any} opened @returns {Wrong[]} */
function digestOfOrders(genesis, [seat, , digest], opened) {
  if (!isPair(opened) || opened[1].length !== BLIND_BYTES) return [["orders", say("acts.picks_form")]];
  if (pack(opened[0]).length > ORDERS_BYTES_MAX)
    return [["orders", say("acts.orders_long", { most: ORDERS_BYTES_MAX })]];
  if (!isOrders(opened[0])) return [["orders", say("acts.orders_form")]];
  return same(ordersDigest(genesis, seat, opened[1], opened[0]), digest)
    ? []
    : [["orders", say("acts.other_picks", { seat })]];
}

export class Promises {
  /** @param {Uint8Array} genesis its hash @param {Map<string, {value: any}>} opened what is open, by "record/path" */
  constructor(genesis, opened) {
    this.genesis = genesis;
    this.opened = opened;
    /** what is not compared yet, by record: sealed picks, standing answers, commands that follow from such @type {Map<number, any[]>[]} */
    this.waits = [new Map(), new Map(), new Map()];
    /** @type {Map<number, import("./standing.js").Answered>} */
    this.answered = new Map();
  }

  /** Acts that can be compared only once more is open. */
  get waiting() {
    return this.waits.reduce((sum, { size }) => sum + size, 0);
  }

  /** A command; what is open in it has been compared. @param {number} seq @param {any[]} body @param {import("./standing.js").Answered | undefined} answered */
  command(seq, body, answered) {
    const [sealed, , followed] = this.waits;
    if (body[AT.by].length === 4) {
      if (body[AT.picks] instanceof Seal) sealed.set(seq, body);
    } else if (answered) {
      followed.set(seq, body);
      this.answered.set(seq, answered);
    }
  }

  /** A seat's standing answers. @param {number} seq @param {any[]} body */
  orders(seq, body) {
    this.waits[1].set(seq, body);
  }

  /** Compare what is open by now. @returns {Found[]} */
  look() {
    const { genesis } = this;
    const checks = [
      (/** @type {number} */ seq, /** @type {any[]} */ body) =>
        this.#of(seq, AT.picks, ({ value }) => digestOfPicks(genesis, body, value)),
      (/** @type {number} */ seq, /** @type {any[]} */ body) =>
        this.#of(seq, ORDERS, ({ value }) => digestOfOrders(genesis, body, value)),
      (/** @type {number} */ seq, /** @type {any[]} */ body) => this.#followed(seq, body),
    ];
    /** @type {Found[]} */
    const found = [];
    this.waits.forEach((waits, kind) => {
      for (const [seq, body] of waits) {
        const wrong = checks[kind](seq, body);
        if (!wrong) continue;
        waits.delete(seq);
        found.push(...wrong.map(([where, what]) => /** @type {Found} */ ([seq, where, what])));
      }
    });
    return found;
  }

  /** @param {number} seq @param {number} place @param {(opened: {value: any}) => Wrong[]} check @returns {Wrong[] | null} null while it is sealed */
  #of(seq, place, check) {
    const opened = this.opened.get(`${seq}/${place}`);
    return opened ? check(opened) : null;
  }

  /** @param {number} seq @param {any[]} body @returns {Wrong[] | null} */
  #followed(seq, body) {
    const answered = /** @type {import("./standing.js").Answered} */ (this.answered.get(seq));
    const picks = body[AT.picks] instanceof Seal ? this.opened.get(`${seq}/${AT.picks}`) : { value: body[AT.picks] };
    const orders = this.opened.get(`${answered.by.orders}/${ORDERS}`);
    if (!picks || !orders) return null;
    const wrong = digestOfPicks(this.genesis, body, picks.value);
    const given = Array.isArray(orders.value) ? orders.value[0] : null;
    return wrong.length || holds(given, answered, picks.value[0])
      ? wrong
      : [["by", say("acts.not_ordered", { seat: answered.seat })]];
  }
}
