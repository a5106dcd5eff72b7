// @ts-check
/**
 * Level 1 of an audit (protocol/file.md): whether the evidence of a game is sound by itself, frame by frame, as it stands in a file or as it comes from a
 * server. What is found is kept in the order in which `warledger audit` tells it; whatever is wrong is a finding, and nothing is thrown because of it.
 */

import { Tampered, follow } from "../records/chain.js";
import { Course } from "./course.js";
import { verify } from "../records/ed25519.js";
import { KIND } from "../records/frames.js";
import { Heads } from "./heads.js";
import { say } from "../words/say.js";
import { wrongGenesis } from "./shapes.js";

/** What is said of a field of a record that does not follow the one before. @type {Record<string, string>} */
const UNFOLLOWED = { previous: "audit.previous", at_ms: "audit.time" };
/** Terms that are looked at where they count; of the others, these two can only be true. */
const ONLY_TRUE = ["unsigned_seats", "self_play"];

/** The record (null for the file as a whole), the part of it, and what is wrong. @typedef {[number | null, string, import("../protocol.d.ts").SayArray]} Finding */
/** @typedef {import("../records/chain.js").LogRecord} LogRecord */
/** Let others go on where much has been done at once. @typedef {() => void | Promise<void>} Pause */

export class Level1 {
  /** @param {boolean} able whether signatures can be verified here @param {Uint8Array[]} [given] the server's keys from elsewhere, one of which is the file's */
  constructor(able, given = []) {
    this.able = able;
    this.given = given;
    /** what is wrong with the file and, behind all records, with what is compared once all is here, in the order in which it is told */
    this.found = {
      file: /** @type {Finding[]} */ ([]),
      chain: /** @type {Finding[]} */ ([]),
      salts: /** @type {Finding[]} */ ([]),
      draws: /** @type {Finding[]} */ ([]),
      picks: /** @type {Finding[]} */ ([]),
      key: /** @type {Finding[]} */ ([]),
      heads: /** @type {Finding[]} */ ([]),
      witnesses: /** @type {Finding[]} */ ([]),
      forks: /** @type {Finding[]} */ ([]),
      last: /** @type {Finding[]} */ ([]),
    };
    /** what is wrong with records and what stands beside them, each with its place in the order of a reader @type {[number, Finding][]} */
    this.inRecords = [];
    /** whether no record was lost to damage */
    this.whole = true;
    /** the newest record that follows the one before @type {LogRecord | undefined} */
    this.last = undefined;
    /** of the records that follow one another @type {Uint8Array[]} */
    this.hashes = [];
    /** null before record 0, and behind one with which nothing can begin @type {Course | null} */
    this.course = null;
    /** @type {Heads | null} */
    this.heads = null;
    /** frames before record 0 @type {[number, Uint8Array][]} */
    this.early = [];
    /** the chain is broken, and nothing behind that is looked at */
    this.broken = false;
    /** signatures that are being verified, with what is wrong unless they hold @type {[Promise<boolean>, Finding][]} */
    this.verifying = [];
    /** openings whose salts are still to be compared; null before the last record @type {import("./hidden.js").Opening[] | null} */
    this.unsalted = null;
    this.keyed = false;
  }

  /** Everything that is wrong. @returns {Finding[]} */
  get findings() {
    const { file, ...behind } = this.found;
    const inRecords = [...this.inRecords].sort(([one], [other]) => one - other).map(([, finding]) => finding);
    return [file, inRecords, ...Object.values(behind)].flat();
  }

  /** How many records follow one another. */
  get count() {
    return this.hashes.length;
  }

  /** Keep what is wrong with the record in hand. @param {Finding[]} wrong */
  #wrong(...wrong) {
    for (const one of wrong) this.inRecords.push([this.count - 1, one]);
  }

  // --- taking in ------------------------------------------------------------------------------------------------------------------

  /** Take the next frame. @param {number} kind @param {Uint8Array} payload */
  frame(kind, payload) {
    if (this.broken) return;
    if (kind === KIND.record) this.#record(payload);
    else if (!this.count) this.early.push([kind, payload]);
    else this.#beside(kind, payload, this.count - 1);
  }

  /** A frame that stands behind a record. @param {number} kind @param {Uint8Array} payload @param {number} at -1 before the first */
  #beside(kind, payload, at) {
    const { course, heads } = this;
    if (!course || !heads) return;
    if (kind === KIND.openings) this.#wrong(...course.hidden.private(payload, at));
    else if (kind === KIND.head) heads.heads.push([payload, Math.max(at, 0)]);
    else if (kind === KIND.secrets) this.#wrong(...course.hidden.kept(payload));
    else if (kind === KIND.witness) heads.witnesses.push([payload, at]);
  }

  /** @param {Uint8Array} data */
  #record(data) {
    /** @type {LogRecord} */
    let record;
    try {
      record = follow(data, this.last);
    } catch (error) {
      if (!(error instanceof Tampered)) throw error;
      const { seq, field, what } = error;
      this.found.chain.push([seq, field, say(UNFOLLOWED[field] ?? "audit.record", { what })]);
      this.broken = true;
      return;
    }
    this.last = record;
    this.hashes.push(record.hash);
    if (!record.seq) this.#begins(record);
    const { course } = this;
    if (!course) return;
    const { wrong, signatures } = course.take(record, data);
    this.#wrong(...wrong);
    if (this.able)
      for (const {
        key,
        message,
        signature,
        wrong: [where, what],
      } of signatures)
        this.verifying.push([verify(key, message, signature), [record.seq, where, what]]);
    if (course.revealed) this.unsalted ??= [...course.hidden.openings.values()];
  }

  /** @param {LogRecord} record */
  #begins(record) {
    const wrong = wrongGenesis(record);
    if (wrong) {
      this.#wrong([0, ...wrong]);
      return;
    }
    const [terms, game] = [record.body[13], record.body[1]];
    for (const term of ONLY_TRUE)
      if (Object.hasOwn(terms, term) && terms[term] !== true) this.#wrong([0, "terms", say("audit.term", { term })]);
    this.course = new Course(record);
    this.heads = new Heads(game, record.hash, this.given);
    for (const [kind, payload] of this.early.splice(0)) this.#beside(kind, payload, -1);
  }

  // --- comparing ------------------------------------------------------------------------------------------------------------------

  /** Compare what seats bound themselves to in secret, where that is open by now. */
  look() {
    if (this.course) this.found.picks.push(...this.course.promises.look());
  }

  /** Wait for the signatures so far: one that does not hold is told behind all else about its record. */
  async settle() {
    for (const [holds, wrong] of this.verifying.splice(0))
      if (!(await holds)) this.inRecords.push([Number(wrong[0]) + 0.5, wrong]);
  }

  /** Compare all that can be once no record will follow, or none for now. @param {Pause} pause */
  async finish(pause) {
    const { course, heads, found } = this;
    if (!this.count && !this.findings.length) found.last.push([null, "records", say("audit.no_records")]);
    if (!course || !heads) return;
    const { hidden, drawing } = course;
    for (const opening of this.unsalted?.splice(0) ?? []) {
      found.salts.push(...hidden.salted(opening, this.count - 1));
      await pause();
    }
    if (hidden.secrets) found.draws.push(...drawing.know(hidden.secrets.links));
    const value = hidden.hidden ?? hidden.secrets?.hidden;
    if (value) found.draws.push(...drawing.hidden(value, hidden.openings));
    this.look();
    await this.settle();
    const { serverKeys, seats } = course.acting;
    if (!this.keyed) found.key.push(...heads.key(serverKeys));
    this.keyed = true;
    const log = { hashes: this.hashes, serverKeys, seats, whole: course.revealed };
    for (const [payload, at] of heads.heads.splice(0)) {
      found.heads.push(...(await heads.head(log, payload, at, this.able)));
      await pause();
    }
    for (const [payload, at] of heads.witnesses.splice(0))
      found.witnesses.push(...(await heads.witness(log, payload, at, this.able)));
    found.forks.push(...heads.forks());
  }

  // --- the verdict ----------------------------------------------------------------------------------------------------------------

  /** What is not wrong and yet keeps the game from being plainly sound. @returns {import("../protocol.d.ts").SayArray[]} */
  get reservations() {
    const { course, heads } = this;
    if (!course || !heads) return [];
    const { acting, drawing, promises } = course;
    const [last, { vouched }] = [this.count - 1, heads];
    const said = (/** @type {string} */ name, args = {}) => say(`audit.reservation.${name}`, args);
    /** @type {import("../protocol.d.ts").SayArray[]} */
    const out = [];
    if (!acting.selfPlay) {
      if (!this.given.length) out.push(said("no_key"));
      if (vouched < 0) out.push(said("no_head"));
      else if (vouched < last) out.push(said("head_early", { seq: vouched, last }));
    }
    if (!course.ended) out.push(said("running", { last }));
    else if (!course.revealed) out.push(said("unopened", { last }));
    if (promises.waiting) out.push(said("waiting", { count: promises.waiting }));
    const unsigned = [...acting.seats.values()]
      .filter(({ taken, keys }) => taken && (!taken[2].length || keys.has("")))
      .map(({ seat }) => seat);
    if (unsigned.length) out.push(said("unsigned", { seats: unsigned }));
    const owed = drawing.owed ?? acting.owed;
    if (owed) out.push(said("half_done", { last, owed }));
    for (const seq of course.replaced) out.push(said("replaced", { seq }));
    return out;
  }

  /** The level that was examined whole: without signatures, or where records were lost or none can begin, there is none. */
  get level() {
    return this.able && this.whole && this.course ? 1 : 0;
  }
}
