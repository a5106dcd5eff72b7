// @ts-check
/**
 * A game is judged as it comes, beside what draws it: all of level 1, elsewhere (`judge.js`), so that nothing here waits for it. How far that is, what is
 * wrong and where the game stands comes back behind the records. The first thing that is wrong stops it for good.
 */

import { actsOf } from "../records/acts.js";
import { pack } from "../records/canon.js";
import { KIND } from "../records/frames.js";
import { Judge } from "./judge.js";
import { say } from "../words/say.js";
import { received } from "./stand.js";

/** @typedef {import("./seats.js").Wrong} Wrong */
/** @typedef {import("../records/chain.js").LogRecord} LogRecord */
/** @typedef {{seq: number, where: string, what: import("../protocol.d.ts").SayArray}} Fault */
/**
 * Whoever holds a seat, and compares its records with what was sent.
 * @typedef {{seat: string, begins: (genesis: LogRecord) => Promise<void>, record: (record: LogRecord, acts: import("../records/acts.js").Act[]) => Promise<Wrong[]>}} Own
 */

/** Bytes by themselves: sent as they are, all goes along of which they are a part. @param {Uint8Array} bytes */
const alone = (bytes) => (bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice());

export class Checker {
  /** @param {{records: LogRecord[], fault: Error | null, link?: any}} watch @param {Own | null} own */
  constructor(watch, own) {
    this.watch = watch;
    this.own = own;
    /** the newest record that has been checked */
    this.checked = -1;
    /** whether signatures can be verified in this browser; null while it is not known @type {boolean | null} */
    this.able = null;
    /** @type {Fault | null} */
    this.fault = null;
    /** where the game stands; null in a branch, and before the first record is checked @type {import("./stand.js").Stand | null} */
    this.stand = null;
    /** what has been told and not been taken in @type {import("./judging.js").Told | null} */
    this.told = null;
    /** the newest record that whoever holds the seat has compared */
    this.owned = -1;
    this.following = false;
    /** whether all is compared that can be, as in a file to its end */
    this.finished = false;
    this.stopped = false;
    /** whether it is a branch, in which nobody signs and whose dice nobody promised */
    this.branch = Boolean(watch.link?.branch);
    /** @type {Judge | null} */
    this.judge = null;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    // A game that came as a file is judged as one.
    if (watch.link?.alone) this.#judge.file(alone(watch.link.file));
  }

  get #judge() {
    this.judge ??= new Judge((told) => {
      this.told = told;
      this.#follow();
    });
    return this.judge;
  }

  /** @param {() => void} listener @returns {() => void} */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Records have come, with what was opened of them to whoever looks on. @param {[Uint8Array, Uint8Array][]} items */
  news(items) {
    if (this.branch) this.checked = this.watch.records.length - 1;
    else
      this.frames(
        items.flatMap(
          ([data, openings]) =>
            /** @type {[number, Uint8Array][]} */ (
              openings.length
                ? [
                    [KIND.record, data],
                    [KIND.openings, openings],
                  ]
                : [[KIND.record, data]]
            ),
        ),
      );
  }

  /** Frames of the game's file have come, in their order. @param {[number, Uint8Array][]} items each with its kind and its payload */
  frames(items) {
    if (this.watch.link?.alone || this.branch || this.stopped || this.fault) return;
    this.#judge.frames(items.map(([kind, payload]) => [kind, alone(payload)]));
  }

  /** What a server gives beside the records of a game that is over, as its file has it. @param {any[][]} witnesses @param {any[]} head */
  beside(witnesses, head) {
    this.frames([
      ...witnesses.map((one) => /** @type {[number, Uint8Array]} */ ([KIND.witness, pack(one)])),
      [KIND.head, pack(head)],
    ]);
  }

  stop() {
    this.stopped = true;
    this.judge?.stop();
    this.#tell();
  }

  /** Resolves once this record has been checked; false if it never will be. @param {number} seq @param {number} [patience_ms] @returns {Promise<boolean>} */
  reaches(seq, patience_ms = 0) {
    return new Promise((resolve) => {
      /** @type {number | undefined} */
      let timer;
      const look = () => {
        const there = this.checked >= seq;
        if (!there && !this.fault && !this.stopped && !this.watch.fault) return;
        clearTimeout(timer);
        unlisten();
        resolve(there && !this.fault);
      };
      const unlisten = this.listen(look);
      if (patience_ms) {
        timer = window.setTimeout(() => {
          unlisten();
          resolve(false);
        }, patience_ms);
      }
      look();
    });
  }

  /** Resolves once all records that have arrived are checked; false if something is wrong. */
  settled() {
    return this.reaches(this.watch.records.length - 1);
  }

  /** Something is wrong that this browser alone knows. @param {number} seq @param {string} where @param {import("../protocol.d.ts").SayArray} what */
  fail(seq, where, what) {
    this.fault ??= { seq, where, what };
    this.#tell();
  }

  #tell() {
    for (const listener of [...this.listeners]) listener();
  }

  /** Take in what has been told, behind what whoever holds the seat has compared. */
  async #follow() {
    if (this.following) return;
    this.following = true;
    for (let { told } = this; told && !this.fault && !this.stopped; { told } = this) {
      this.told = null;
      const { count, able, findings, stand } = told;
      const [first] = findings
        .map(([seq, where, what]) => ({ seq: seq ?? 0, where, what }))
        .sort((a, b) => a.seq - b.seq);
      const to = Math.min(count, first?.seq ?? count) - 1;
      const wrong = (await this.#compared(to, stand)) ?? first;
      this.able = able;
      this.stand = received(stand);
      this.finished = told.finished;
      this.checked = wrong ? Math.min(wrong.seq, count) - 1 : to;
      if (wrong) this.fault ??= wrong;
      this.#tell();
    }
    this.following = false;
  }

  /** Records up to this one, compared by whoever holds the seat: what is wrong, if anything is. @param {number} to @param {import("./stand.js").Stand | null} stand @returns {Promise<Fault | null>} */
  async #compared(to, stand) {
    const { own } = this;
    if (!own || !stand) return null;
    while (this.owned < to && !this.stopped) {
      const record = this.watch.records[this.owned + 1];
      try {
        if (!record.seq) await own.begins(record);
        const [wrong] = await own.record(record, actsOf(stand.genesis, record));
        if (wrong) return { seq: record.seq, where: wrong[0], what: wrong[1] };
      } catch (error) {
        return {
          seq: record.seq,
          where: "body",
          what: say("web.check.form", { what: error instanceof Error ? error.message : String(error) }),
        };
      }
      this.owned += 1;
    }
    return null;
  }
}
