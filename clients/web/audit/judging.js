// @ts-check
/**
 * Level 1 in slices, so that whoever shares the thread goes on in between: of a file, or of a game frame by frame as it comes. It runs in the worker
 * (`verifier.js`), and where none can start in the page's own thread (`judge.js` decides which).
 */

import { able } from "../records/ed25519.js";
import { otherFormat, readFrames } from "../records/frames.js";
import { Level1 } from "./level1.js";
import { say } from "../words/say.js";
import { standOf } from "./stand.js";

/** Frames that are looked at, and openings and heads that are compared, without others going on in between. */
const AT_ONCE = 16;
/** Findings that are told while more may come: all of them after each slice would grow with the square of the game. */
const FIRST = 100;

/** @typedef {[number, Uint8Array]} Sent a frame: its kind and its payload */
/** What is to be judged: the server's keys from elsewhere, before anything else; a file; or frames, as they come. @typedef {{keys: Uint8Array[]} | {file: Uint8Array} | {frames: Sent[]}} Task */
/**
 * What has been found: how many records are checked, whether signatures are, what is wrong, what is reserved and where the game stands; `finished` once all
 * is compared that can be. A file of another format is not read.
 * @typedef {{count: number, able: boolean, level: number, findings: import("./level1.js").Finding[], reservations: import("../protocol.d.ts").SayArray[],
 *   stand: import("./stand.js").Stand | null, finished: boolean, otherFormat: number | null}} Told
 */

/** Let others that share the thread go on. @returns {Promise<void>} */
const breath = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });

export class Judging {
  /** @param {(told: Told) => void} tell */
  constructor(tell) {
    this.tell = tell;
    /** @type {Uint8Array[]} */
    this.keys = [];
    /** @type {Level1 | null} */
    this.level1 = null;
    /** @type {Sent[]} */
    this.waiting = [];
    /** the bytes of a whole file @type {Uint8Array | null} */
    this.bytes = null;
    /** what is in them @type {import("../records/frames.js").Contents | null} */
    this.file = null;
    this.running = false;
    this.stopped = false;
    this.done = 0;
  }

  /** @param {Task} task */
  take(task) {
    if ("keys" in task) this.keys = task.keys;
    else if ("frames" in task) this.waiting = this.waiting.concat(task.frames);
    else this.bytes = task.file;
    if (!this.running && !("keys" in task)) this.#run();
  }

  stop() {
    this.stopped = true;
  }

  async #run() {
    this.running = true;
    try {
      await this.#judge();
    } catch (error) {
      // Whatever is wrong is a finding: this is for what nobody has thought of.
      const level1 = (this.level1 ??= new Level1(false));
      level1.found.last.push([
        level1.count,
        "body",
        say("web.check.form", { what: error instanceof Error ? error.message : String(error) }),
      ]);
      this.waiting = [];
      level1.broken = true;
      this.#tell(level1, true);
    }
    this.running = false;
  }

  async #judge() {
    const level1 = (this.level1 ??= new Level1(await able(), this.keys));
    if (this.bytes && !this.file) {
      const format = otherFormat(this.bytes);
      this.file = readFrames(this.bytes);
      if (format !== null) return this.#tell(level1, true, format);
      for (const { kind, payload } of this.file.frames) this.waiting.push([kind, payload]);
      level1.found.file = this.file.damage;
      level1.whole = this.file.whole;
    }
    do {
      for (const [kind, payload] of this.waiting.splice(0, AT_ONCE)) level1.frame(kind, payload);
      const all = !this.waiting.length;
      const finished = all && (this.file !== null || Boolean(level1.course?.revealed));
      if (!this.file) level1.look();
      await level1.settle();
      if (finished || (all && level1.course?.ended)) await level1.finish(() => this.#pause());
      if (finished && this.file) level1.found.last = this.file.last;
      if (this.stopped) return;
      this.#tell(level1, finished);
      await breath();
    } while (this.waiting.length && !this.stopped);
  }

  /** After so much that is compared at once, let others go on. @returns {Promise<void> | void} */
  #pause() {
    this.done += 1;
    if (this.done % AT_ONCE === 0) return breath();
  }

  /** @param {Level1} level1 @param {boolean} finished @param {number | null} [otherFormat] */
  #tell(level1, finished, otherFormat = null) {
    const { count, able: verifies, level, findings, reservations } = level1;
    this.tell({
      count,
      able: verifies,
      level,
      findings: finished ? findings : findings.slice(0, FIRST),
      reservations,
      stand: standOf(level1),
      finished,
      otherFormat,
    });
  }
}
