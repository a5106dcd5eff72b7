// @ts-check
/**
 * A log is checked as it arrives, beside what draws it: signatures, numbers, keys, nonces, the order of play, and every die whose seed is open. It
 * runs behind the records and says how far it is; the first thing that is wrong stops it for good.
 */

import { AT, closesLog, readEnd } from "./acts.js";
import { Acting, digestOfOrders, digestOfPicks, say } from "./acting.js";
import { Seal } from "./canon.js";
import { Drawing, openedIn } from "./drawing.js";
import { able, verify } from "./ed25519.js";
import { holds } from "./standing.js";
import { Unsealing } from "./unsealing.js";

const AT_ONCE = 64;

/** @typedef {import("./acting.js").Wrong} Wrong */
/** @typedef {import("./chain.js").LogRecord} LogRecord */
/** @typedef {{seq: number, where: string, what: import("./phrases.js").SayArray}} Fault */
/**
 * Whoever holds a seat, and compares its records with what was sent.
 * @typedef {{seat: string, begins: (genesis: LogRecord) => Promise<void>, record: (record: LogRecord, acts: import("./acts.js").Act[]) => Promise<Wrong[]>}} Own
 */

/** Let the browser draw and handle events in between. */
const breath = () => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    resolve(undefined);
  };
  port2.postMessage(0);
});

export class Checker {
  /** @param {{records: LogRecord[], fault: Error | null, proved?: number, link?: any}} watch @param {Own | null} own */
  constructor(watch, own) {
    this.watch = watch;
    this.own = own;
    /** the newest record that has been checked */
    this.checked = -1;
    /** whether this browser can verify signatures; null while it is not known @type {boolean | null} */
    this.able = null;
    /** @type {Fault | null} */
    this.fault = null;
    /** null in a branch, and before the first record is here @type {Acting | null} */
    this.acting = null;
    /** @type {Drawing | null} */
    this.drawing = null;
    this.unsealing = new Unsealing();
    this.running = false;
    this.stopped = false;
    /** whether it is a branch, in which nobody signs and whose dice nobody promised */
    this.branch = Boolean(watch.link?.branch);
    /** @type {Set<() => void>} */
    this.listeners = new Set();
  }

  /** @param {() => void} listener @returns {() => void} */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Records have come. */
  news() {
    if (this.branch) this.checked = this.watch.records.length - 1;
    else if (!this.running && !this.fault && !this.stopped) this.#run();
  }

  stop() {
    this.stopped = true;
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

  /** Something is wrong that no single record shows. @param {number} seq @param {string} where @param {import("./phrases.js").SayArray} what */
  fail(seq, where, what) {
    this.fault ??= { seq, where, what };
    this.#tell();
  }

  #tell() {
    for (const listener of [...this.listeners]) listener();
  }

  async #run() {
    this.running = true;
    try {
      this.able ??= await able();
      const { records } = this.watch;
      // Of outlines there is nothing to check.
      const here = () => this.watch.proved ?? records.length;
      while (this.checked < here() - 1 && !this.fault && !this.stopped) {
        const first = this.checked + 1;
        const to = Math.min(here(), first + AT_ONCE) - 1;
        let wrong = null;
        /** @type {Promise<Wrong | null>[][]} */
        const promised = [];
        for (let seq = first; seq <= to && !wrong; seq++) {
          const found = await this.#take(records[seq]);
          if (found.wrong.length) wrong = { seq, where: found.wrong[0][0], what: found.wrong[0][1] };
          promised.push(found.promised);
        }
        for (let i = 0; i < promised.length; i++) {
          const bad = (await Promise.all(promised[i])).find((one) => one !== null);
          if (bad && (!wrong || wrong.seq > first + i)) wrong = { seq: first + i, where: bad[0], what: bad[1] };
        }
        if (wrong) this.fault = wrong;
        this.checked = wrong ? wrong.seq - 1 : to;
        this.#tell();
        await breath();
      }
    } catch (error) {
      this.fault ??= { seq: this.checked + 1, where: "body", what: say("web.check.form", { what: error instanceof Error ? error.message : String(error) }) };
      this.#tell();
    } finally {
      this.running = false;
    }
  }

  /** @param {LogRecord} record @returns {Promise<{wrong: Wrong[], promised: Promise<Wrong | null>[]}>} */
  async #take(record) {
    if (record.seq === 0) {
      this.drawing = new Drawing(record.body);
      this.acting = new Acting(record);
      await this.own?.begins(record);
    }
    try {
      const wrong = this.drawing?.take(record) ?? [];
      if (!this.acting) return { wrong: [...wrong, ...this.#opened(record)], promised: [] };
      wrong.push(...this.unsealing.take(record));
      const taken = this.acting.take(record);
      wrong.push(...taken.wrong, ...this.#opened(record));
      if (this.own) wrong.push(...(await this.own.record(record, taken.acts)));
      const promised = this.able ? taken.signatures.map(({ key, message, signature, wrong: what }) => verify(key, message, signature).then((holds) => (holds ? null : what))) : [];
      return { wrong, promised };
    } catch (error) {
      return { wrong: [["body", say("web.check.form", { what: error instanceof Error ? error.message : String(error) })]], promised: [] };
    }
  }

  /** What can be looked into: picks and standing answers that are open to this audience, and at the end all of them. @param {LogRecord} record @returns {Wrong[]} */
  #opened(record) {
    const { records } = this.watch;
    const { kind, body } = record;
    if (closesLog(record)) {
      const end = records.slice(0, record.seq + 1).findLast((one) => one.kind === "end");
      if (!end) return [];
      const { hidden, salts } = readEnd(end.body);
      const wrong = this.drawing ? [...this.drawing.salts(salts), ...this.drawing.hidden(hidden, openedIn(records))] : [];
      for (const earlier of records.slice(0, record.seq)) wrong.push(...this.#inside(earlier).map(([where, what]) => /** @type {Wrong} */ ([`${where} of record ${earlier.seq}`, what])));
      return wrong;
    }
    return this.#inside(record);
  }

  /** @param {LogRecord} record @returns {Wrong[]} */
  #inside(record) {
    const { kind, body, inside, seq } = record;
    if (!this.acting || (kind !== "command" && kind !== "orders")) return [];
    const genesis = this.acting.genesis;
    if (kind === "orders") return inside === undefined ? [] : digestOfOrders(genesis, /** @type {any} */ (body), inside);
    const known = body[AT.picks] instanceof Seal ? inside : body[AT.picks];
    if (known === undefined) return [];
    if (body[AT.by].length !== 3) return known === inside ? digestOfPicks(genesis, body, known) : [];
    const answered = this.acting.answered.get(seq);
    const orders = answered && this.watch.records[answered.by.orders]?.inside;
    if (!answered || orders === undefined) return [];
    const wrong = digestOfPicks(genesis, body, known);
    return wrong.length || holds(orders[0], answered, known[0]) ? wrong : [["by", say("acts.not_ordered", { seat: answered.seat })]];
  }
}
