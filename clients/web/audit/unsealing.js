// @ts-check
/**
 * What is sealed in a log, as it goes on: every seal until it is opened to everybody. After the end whatever is still sealed is
 * opened, in order, each once. It mirrors `protocol/chance/unsealing.py`.
 */

import { openedBy } from "../records/acts.js";
import { say } from "../words/say.js";

/** @typedef {[string, import("../protocol.d.ts").SayArray]} Wrong a part of the record, and what is wrong with it */

export class Unsealing {
  constructor() {
    this.ended = false;
    this.whole = false;
    /** places "record/path" @type {Set<string>} */
    this.closed = new Set();
    /** what is still closed after the end, the last first @type {string[]} */
    this.left = [];
  }

  /** What is wrong with a record. @param {import("../records/chain.js").LogRecord} record @param {import("./seals.js").Sealed} seals of it @returns {Wrong[]} */
  take(record, { places, misplaced }) {
    const { kind, seq } = record;
    if (misplaced) return [["body", say("acts.seal_place", { path: misplaced })]];
    if (this.whole) return [["kind", say("acts.after_whole")]];
    if (kind === "reveal") return this.#revealed(record);
    if (this.ended) return [["kind", say("acts.not_revealed")]];
    for (const [path] of places) this.closed.add(`${seq}/${path}`);
    for (const [at, path] of openedBy(record)) this.closed.delete(`${at}/${path}`);
    if (kind === "end") {
      this.ended = true;
      this.left = [...this.closed].reverse();
      this.closed.clear();
    }
    return [];
  }

  /** @param {import("../records/chain.js").LogRecord} record @returns {Wrong[]} */
  #revealed({ body: [openings, last] }) {
    if (!this.ended) return [["kind", say("acts.reveal_early")]];
    /** @type {Wrong[]} */
    const wrong = [];
    openings.forEach((/** @type {any[]} */ [seq, path], /** @type {number} */ index) => {
      if (this.left.at(-1) === `${seq}/${path}`) this.left.pop();
      else if (!wrong.length) wrong.push([`openings[${index}]`, say("acts.reveal_order", { seq })]);
    });
    this.whole = last;
    const next = this.left.at(-1);
    if (last && next !== undefined && !wrong.length)
      wrong.push(["openings", say("acts.unopened", { seq: Number(next.split("/")[0]), count: this.left.length })]);
    if (!last && !openings.length) wrong.push(["openings", say("acts.reveal_empty")]);
    return wrong;
  }
}
