// @ts-check
/**
 * The course of a game as its records tell it: each is of the form of its kind and may stand where it does. Who may sign what is decided in `acting.js`,
 * dice in `drawing.js`, seals and openings in `hidden.js` and `unsealing.js`, what seats bound themselves to in `promises.js`; here who is asked, and where
 * the sequence of play stands.
 */

import { AT, called, readEnd } from "../records/acts.js";
import { Acting, NOT_BY_RULES } from "./acting.js";
import { pack } from "../records/canon.js";
import { effectsOf } from "../records/chain.js";
import { Drawing } from "./drawing.js";
import { Hidden } from "./hidden.js";
import { Promises } from "./promises.js";
import { say } from "../words/say.js";
import { hasMark, sealsOf } from "./seals.js";
import { same } from "../records/sha256.js";
import { BadShape, checkShape } from "./shapes.js";
import { Unsealing } from "./unsealing.js";

const FLOW = 9;

/** @typedef {import("../records/chain.js").LogRecord} LogRecord */
/** @typedef {import("../protocol.d.ts").SayArray} Say */
/** @typedef {[number, string, Say]} Found the record, the part of it, and what is wrong */

export class Course {
  /** @param {LogRecord} genesis of which `wrongGenesis` finds nothing */
  constructor(genesis) {
    this.acting = new Acting(genesis);
    this.drawing = new Drawing(genesis.body);
    this.unsealing = new Unsealing();
    this.hidden = new Hidden(genesis.body);
    this.promises = new Promises(genesis.hash, this.hidden.openings);
    this.ended = false;
    /** whether the last record is here @type {boolean} */
    this.revealed = false;
    /** records at which a seat went to somebody else without its own signature @type {number[]} */
    this.replaced = [];
    this.began = false;
    /** the record that asked each seat that is asked @type {Map<string, number>} */
    this.open = new Map();
    /** how deep the sequence of play is */
    this.depth = 0;
    /** whether anybody was asked after each record, and how deep that was @type {Map<number, [boolean, number]>} */
    this.past = new Map();
    /** @type {Found[]} */
    this.wrong = [];
    /** @type {import("./seats.js").Signature[]} */
    this.signatures = [];
  }

  /**
   * Look at the next record, the genesis first: what is wrong with it, and the signatures that it carries.
   * @param {LogRecord} record @param {Uint8Array} data its bytes @returns {{wrong: Found[], signatures: import("./seats.js").Signature[]}}
   */
  take(record, data) {
    [this.wrong, this.signatures] = [[], []];
    this.#record(record, hasMark(data));
    this.past.set(record.seq, [this.open.size > 0, this.depth]);
    return this;
  }

  /** @param {number} seq @param {string} where @param {string} key @param {Record<string, any>} [args] */
  #note(seq, where, key, args = {}) {
    this.wrong.push([seq, where, say(key, args)]);
  }

  /** @param {number} seq @param {[string, Say][]} found */
  #found(seq, found) {
    for (const [where, what] of found) this.wrong.push([seq, where, what]);
  }

  /** @param {LogRecord} record @param {boolean} mark whether its bytes may hold a seal */
  #record(record, mark) {
    const { seq, kind } = record;
    if (this.revealed || (this.ended && kind !== "reveal")) this.#note(seq, "kind", "audit.after_end");
    try {
      checkShape(record);
    } catch (error) {
      if (!(error instanceof BadShape)) throw error;
      return this.#note(seq, error.place, "audit.shape", { what: error.message });
    }
    if (seq && kind === "genesis") return this.#note(seq, "kind", "audit.second_genesis");
    record.effects = effectsOf(record);
    const seals = mark ? sealsOf(record) : { places: [], misplaced: null };
    this.wrong.push(...this.drawing.take(record));
    const { wrong, signatures } = this.acting.take(record);
    this.#found(seq, wrong);
    this.signatures = signatures;
    this.#kind(record, seals);
    this.#found(seq, this.unsealing.take(record, seals));
  }

  /** @param {LogRecord} record @param {import("./seals.js").Sealed} seals */
  #kind(record, seals) {
    const { seq, kind, body, actor } = record;
    if (kind === "command") this.#command(record, seals);
    else if (kind === "takeback") this.#takeback(record);
    else if (kind === "ask") {
      if (body[2] && !["takeback", "pause", "adjourn"].includes(body[1]))
        this.#note(seq, "to", "audit.takeback_to", { to: body[2] });
    } else if (kind === "open") {
      if (actor !== "server") this.#note(seq, "actor", "audit.actor", { actor: called(actor), expected: "server" });
    } else if (kind === "orders") {
      this.hidden.sealed(record, seals);
      this.promises.orders(seq, body);
    } else if (kind === "seat") {
      if (body[0] === "replaced" && !body[6][0]?.length) this.replaced.push(seq);
    } else if (kind === "end") this.#end(record);
    else if (kind === "reveal" && this.ended) {
      this.wrong.push(...this.hidden.opened(record));
      if (body[1]) this.revealed = true;
    }
  }

  /** @param {LogRecord} record @param {import("./seals.js").Sealed} seals */
  #command(record, seals) {
    const { seq, body } = record;
    const [seat, decision, awaits] = [body[AT.seat], body[AT.decision], body[AT.awaits]];
    if (this.began && this.open.get(seat) !== decision)
      this.#note(seq, "decision", "audit.not_asked", { seat, decision });
    this.began = true;
    this.hidden.sealed(record, seals);
    this.wrong.push(...this.hidden.opened(record));
    const [kept, above] = body[FLOW];
    if (kept > this.depth) this.#note(seq, "flow[0]", "audit.flow", { kept, depth: this.depth });
    this.depth = kept + above.length;
    this.#asked(awaits);
    const asked = awaits.map((/** @type {any[]} */ [one]) => one);
    const inOrder = [...this.acting.seats.keys()].filter((one) => this.open.has(one));
    if (
      asked.length !== inOrder.length ||
      asked.some((/** @type {string} */ one, /** @type {number} */ index) => one !== inOrder[index])
    )
      this.#note(seq, "awaits", "audit.awaits");
    this.promises.command(seq, body, this.acting.answered.get(seq));
  }

  /** @param {import("../protocol.d.ts").Question[]} awaits */
  #asked(awaits) {
    this.open = new Map(awaits.map(([seat, opened]) => [seat, opened]));
  }

  /** @param {LogRecord} record */
  #takeback({ seq, body: [seat, to, effects, awaits] }) {
    const then = this.past.get(to);
    if (!then || to <= 0 || to >= seq) return; // `Acting` objects
    const [anybody, depth] = then;
    if (!seat && !anybody) this.#note(seq, "to", "audit.takeback_to", { to });
    const right = pack([
      ["rewind", to],
      ["await", awaits.map((/** @type {any[]} */ [name]) => name)],
    ]);
    if (!same(effects, right)) this.#note(seq, "effects", "audit.takeback_effects", { to });
    this.#asked(awaits);
    this.depth = depth;
  }

  /** @param {LogRecord} record */
  #end({ seq, body }) {
    const {
      winner,
      reason: [key],
      hidden,
      salts,
    } = readEnd(body);
    if (this.open.size && !NOT_BY_RULES.has(key)) this.#note(seq, "reason", "acts.no_cause");
    this.ended = true;
    this.open = new Map();
    if (winner !== null && !this.acting.seats.has(winner)) this.#note(seq, "winner", "audit.no_seat", { seat: winner });
    this.wrong.push(...this.hidden.ended(seq, hidden, salts));
  }
}
