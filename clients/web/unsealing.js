// @ts-check
/**
 * What is sealed in a log, as it goes on: every seal until it is opened to everybody. After the end whatever is still sealed is
 * opened, in order, each once. It mirrors `protocol/unsealing.py`.
 */

import { called, openedBy } from "./acts.js";
import { say } from "./acting.js";
import { sealsOf } from "./seals.js";

/** @typedef {import("./acting.js").Wrong} Wrong */

export class Unsealing {
  constructor() {
    this.ended = false;
    this.whole = false;
    /** places "record/path" @type {Set<string>} */
    this.closed = new Set();
    /** what is still closed after the end, the last first @type {string[]} */
    this.left = [];
  }

  /** What is wrong with a record. @param {import("./chain.js").LogRecord} record @returns {Wrong[]} */
  take(record) {
    const { kind, seq } = record;
    const { paths, misplaced } = sealsOf(record);
    if (misplaced) return [["body", say("acts.seal_place", { path: misplaced })]];
    if (this.whole) return [["kind", say("acts.after_whole")]];
    if (kind === "reveal") return this.#revealed(record);
    if (this.ended) return [["kind", say("acts.not_revealed")]];
    if (kind === "command" || kind === "orders") {
      for (const path of paths) this.closed.add(`${seq}/${path}`);
      for (const [at, path] of openedBy(record)) this.closed.delete(`${at}/${path}`);
    } else if (kind === "end") {
      this.ended = true;
      this.left = [...this.closed].reverse();
      this.closed.clear();
    }
    return [];
  }

  /** @param {import("./chain.js").LogRecord} record @returns {Wrong[]} */
  #revealed({ body, actor }) {
    if (!this.ended) return [["kind", say("acts.reveal_early")]];
    if (actor !== "server") return [["actor", say("acts.actor", { actor: called(actor), expected: "server" })]];
    const [openings, last] = body;
    if (body.length !== 2 || typeof last !== "boolean") throw new Error("a reveal is [openings, last]");
    for (let i = 0; i < openings.length; i++) {
      const [seq, path] = openings[i];
      if (this.left.pop() !== `${seq}/${path}`) return [[`openings[${i}]`, say("acts.reveal_order", { seq })]];
    }
    this.whole = last;
    if (!last && !openings.length) return [["openings", say("acts.reveal_empty")]];
    const next = this.left.at(-1);
    if (last && next !== undefined) return [["openings", say("acts.unopened", { seq: Number(next.split("/")[0]), count: this.left.length })]];
    return [];
  }
}
