// @ts-check
/**
 * The director of the show: what has happened is shown beat after beat at a human pace. It hurries when it falls behind, so that what it shows
 * is never older than a stated lag.
 */

/** @typedef {import("./scenes.js").Beat} Beat */

/** Speeds that may be chosen; 0 shows everything at once. */
export const SPEEDS = [0.5, 1, 2, 4, 8, 0];

/** How old what is shown may be, in ms: for those who look on, and for those who play. */
export const LAG_MS = 20_000;
export const PLAYERS_LAG_MS = 6_000;

/** Beats shorter than a frame are shown together; while the show hurries, those that are shorter than an eye can tell apart. */
const FRAME_MS = 16;
const HURRIED_MS = 100;

/** @typedef {{now: () => number, set: (act: () => void, ms: number) => number, clear: (timer: number) => void}} Timer */

/** @type {Timer} */
const TIMER = {
  now: () => performance.now(),
  set: (act, ms) => window.setTimeout(act, ms),
  clear: (timer) => clearTimeout(timer),
};

export class Director {
  /**
   * @param {(beat: Beat, waiting: number, ms: number) => void} show shows a beat, told how many beats wait behind it and for how long it is seen, in ms
   * @param {{lag?: number, speed?: number, done?: () => void, timer?: Timer}} [more] the greatest lag in ms; what to do when nothing waits any more
   */
  constructor(show, { lag = LAG_MS, speed = 1, done = () => {}, timer = TIMER } = {}) {
    this.show = show;
    this.lag = lag;
    this.done = done;
    this.timer = timer;
    /** what has not been shown yet, and until when it must be @type {{beat: Beat, by: number}[]} */
    this.waiting = [];
    /** @type {number | undefined} */
    this.due = undefined;
    /** when what is shown now makes room */
    this.until = 0;
    this.pace = speed;
  }

  get speed() {
    return this.pace;
  }

  set speed(speed) {
    this.pace = speed;
    if (this.due === undefined) return;
    if (speed) this.#wait(0);
    else this.skip();
  }

  /** Whether something is being shown, or waits for it. */
  get busy() {
    return this.due !== undefined;
  }

  /** How long it takes until the newest is shown, in ms. */
  get behind() {
    if (!this.waiting.length) return 0;
    const { now, rest } = this.#moment;
    return rest + this.waiting.slice(0, -1).reduce((sum, { beat }) => sum + beat.ms, 0) / this.#rate(now + rest);
  }

  get #moment() {
    const now = this.timer.now();
    return { now, rest: this.due === undefined ? 0 : Math.max(0, this.until - now) };
  }

  /** @param {Beat[]} beats */
  add(beats) {
    if (!beats.length) return;
    const { now, rest } = this.#moment;
    for (const beat of beats) this.waiting.push({ beat, by: now + this.lag });
    if (!this.pace) this.skip();
    else if (this.due === undefined) this.#next();
    else if (rest > this.lag / 2) this.#wait(this.lag / 2);
  }

  /** Show at once what waits, up to a record. @param {number} [seq] */
  skip(seq = Infinity) {
    /** @type {Beat | undefined} */
    let last;
    while (this.waiting.length && this.waiting[0].beat.seq <= seq) last = this.waiting.shift()?.beat;
    if (!this.waiting.length) this.stop();
    if (last) this.show(last, this.waiting.length, Infinity);
    if (!this.busy) this.done();
  }

  /** Show nothing of what waits. */
  stop() {
    if (this.due !== undefined) this.timer.clear(this.due);
    this.due = undefined;
    this.waiting = [];
  }

  /** How many ms of beats go by in one: no more than was chosen, unless something would be shown too late. @param {number} from when the next is shown */
  #rate(from) {
    let rate = this.pace;
    let before = 0;
    for (const { beat, by } of this.waiting) {
      if (by > from) rate = Math.max(rate, before / (by - from));
      before += beat.ms;
    }
    return rate;
  }

  #next() {
    /** @type {Beat | undefined} */
    let beat;
    let ms = 0;
    const now = this.timer.now();
    const rate = this.#rate(now);
    const least = rate > this.pace ? HURRIED_MS : FRAME_MS;
    // A page that was not in sight gets its turn late: what should have been seen by now is over.
    while (this.waiting.length && (ms < least || this.waiting[0].by <= now)) {
      beat = this.waiting.shift()?.beat;
      ms += (beat?.ms ?? 0) / rate;
    }
    if (!beat) {
      this.due = undefined;
      return this.done();
    }
    this.#wait(Math.min(ms, this.lag / 2));
    this.show(beat, this.waiting.length, ms);
  }

  /** @param {number} ms */
  #wait(ms) {
    if (this.due !== undefined) this.timer.clear(this.due);
    this.until = this.timer.now() + ms;
    this.due = this.timer.set(() => this.#next(), ms);
  }
}
