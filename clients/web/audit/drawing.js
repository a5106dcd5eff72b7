// @ts-check
/**
 * Draws as a log goes on: counters and epochs in order, links opened where they must be, and every draw made again once its seed is open.
 * The end opens the last link of the chain, and with it every open draw. It mirrors `protocol/chance/drawing.py`.
 */

import { pack } from "../records/canon.js";
import { AT, readEnd } from "../records/acts.js";
import { turnsClosed } from "../records/effects.js";
import { LINKS_MAX, SIDES_MAX } from "../records/limits.js";
import { Turns, linksOwed } from "./owed.js";
import { say } from "../words/say.js";
import { hmac, same, sha256 } from "../records/sha256.js";

const tag = (/** @type {string} */ text) => new TextEncoder().encode(text);
const LINK = tag("warledger/link/1");
const OPEN_SEED = tag("warledger/open-seed/1");
const HIDDEN_SEED = tag("warledger/hidden-seed/1");
const SPACE = 1n << 256n;

/** The record, the part of it, and what is wrong. @typedef {[number, string, import("../protocol.d.ts").SayArray]} Wrong */
/** @typedef {{seq: number, index: number, counter: number, purpose: string, sides: number, shown: number}} Draw */

/** @param {Uint8Array} bytes */
const numberOf = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let number = 0n;
  for (let at = 0; at < 32; at += 8) number = (number << 64n) | view.getBigUint64(at);
  return number;
};

/** A fair index from 0. @param {Uint8Array} seed @param {number} counter @param {string} purpose @param {number} sides */
export function drawIndex(seed, counter, purpose, sides) {
  if (!Number.isInteger(sides) || sides < 1 || sides > SIDES_MAX) throw new Error(`cannot draw one of ${sides}`);
  const fair = SPACE - (SPACE % BigInt(sides));
  for (let attempt = 0; ; attempt++) {
    const number = numberOf(hmac(seed, pack([counter, attempt, purpose])));
    if (number < fair) return Number(number % BigInt(sides));
  }
}

/** Whether a value is [sides, index] of a draw that can be. @param {any} what */
const isResult = (what) =>
  Array.isArray(what) &&
  what.length === 2 &&
  what.every(Number.isSafeInteger) &&
  what[0] >= 1 &&
  what[0] <= SIDES_MAX &&
  what[1] >= 0 &&
  what[1] < what[0];

/** The link before another, towards the commitment. @param {Uint8Array} link */
export const nextLink = (link) => sha256(LINK, link);

export class Drawing {
  /** @param {any[]} body of the genesis */
  constructor(body) {
    this.game = body[1];
    /** @type {string[]} */
    this.seats = body[6];
    this.link = body[9];
    /** the epoch in force: the next whose link is to be opened */
    this.epoch = 1;
    /** the newest epoch that anything was drawn from */
    this.drawnTo = 1;
    this.turns = new Turns();
    /** the links that are open, by epoch @type {Map<number, Uint8Array>} */
    this.links = new Map();
    /** draws that have been compared with their seeds */
    this.checked = 0;
    this.counter = 0;
    this.due = 0;
    /** @type {Map<string, Uint8Array>} */
    this.nonces = new Map();
    /** @type {string[]} */
    this.asked = [];
    /** draws whose link is not open, by epoch @type {Map<number, Draw[]>} */
    this.open = new Map();
    /** @type {Draw[]} */
    this.hiddenDraws = [];
  }

  /** Draws whose seed is not open yet. */
  get waiting() {
    return this.hiddenDraws.length + [...this.open.values()].reduce((sum, draws) => sum + draws.length, 0);
  }

  /** The link that must be opened at once, since its turn is over; null where none must. */
  get owed() {
    return this.due ? say("acts.owed.link", { epoch: this.epoch }) : null;
  }

  /** What is wrong with a record. @param {import("../records/chain.js").LogRecord} record @returns {Wrong[]} */
  take({ kind, body, seq, effects }) {
    /** @type {Wrong[]} */
    const wrong = [];
    if (this.due && kind !== "open") {
      wrong.push([seq, "kind", say("acts.links_missing", { epoch: this.epoch })]);
      this.due = 0;
    }
    if (kind === "command") this.#command(body, seq, effects, wrong);
    else if (kind === "open") {
      if (!this.due) wrong.push([seq, "epoch", say("acts.link_early", { epoch: body[0] })]);
      this.due = Math.max(0, this.due - 1);
      this.#shown(seq, body[0], body[1], wrong);
    } else if (kind === "takeback") {
      this.asked = body[3].map((/** @type {any[]} */ [seat]) => seat);
      this.turns.back(body[1]);
    } else if (kind === "seat" && body[0] === "nonce" && !this.nonces.has(body[1])) this.nonces.set(body[1], body[2]);
    else if (kind === "end") this.#ended(seq, readEnd(body).links, wrong);
    this.turns.note(seq);
    return wrong;
  }

  /**
   * Check the draws from hidden contents that are open.
   * @param {Uint8Array} value the hidden value @param {Map<string, {value: any}>} opened by "record/path", their seals already checked
   * @returns {Wrong[]}
   */
  hidden(value, opened) {
    if (!this.seats.every((seat) => this.nonces.has(seat))) return [];
    const seed = sha256(HIDDEN_SEED, pack([this.game, value, this.#allNonces()]));
    /** @type {Wrong[]} */
    const wrong = [];
    this.hiddenDraws = this.hiddenDraws.filter((draw) => {
      const found = opened.get(`${draw.seq}/${AT.draws},${draw.index},3`);
      if (!found) return true;
      if (!isResult(found.value)) {
        wrong.push([draw.seq, `draws[${draw.index}]`, say("acts.draw_form")]);
        return false;
      }
      [draw.sides, draw.shown] = found.value;
      this.#verify(draw, seed, wrong);
      return false;
    });
    return wrong;
  }

  /** Check the open draws of epochs whose links are known from elsewhere, such as a server's secrets. @param {Map<number, Uint8Array>} links by epoch @returns {Wrong[]} */
  know(links) {
    /** @type {Wrong[]} */
    const wrong = [];
    for (const epoch of this.#epochs) {
      const link = links.get(epoch);
      if (link) this.#checkEpoch(epoch, link, wrong);
    }
    return wrong;
  }

  /** The epochs from which there are draws that have not been compared, in their order. */
  get #epochs() {
    return [...this.open.keys()].sort((a, b) => a - b);
  }

  /** @param {any[]} body @param {number} seq @param {any[][]} effects @param {Wrong[]} wrong */
  #command(body, seq, effects, wrong) {
    const [seat, draws] = [body[AT.seat], body[AT.draws]];
    const other = draws.length ? this.asked.find((asked) => asked !== seat) : undefined;
    if (other !== undefined) wrong.push([seq, "draws", say("acts.drawn_while_asked", { seat: other })]);
    this.turns.closed(turnsClosed(effects));
    const closed = linksOwed(this.turns.ended, this.epoch);
    const most = this.epoch + closed;
    draws.forEach((/** @type {any[]} */ [epoch, counter, purpose, what], /** @type {number} */ index) => {
      const where = `draws[${index}]`;
      if (counter !== this.counter) wrong.push([seq, where, say("acts.counter", { counter, expected: this.counter })]);
      this.counter = counter + 1;
      const draw = { seq, index, counter, purpose, sides: 0, shown: 0 };
      if (epoch === 0) {
        this.hiddenDraws.push(draw);
        return;
      }
      [draw.sides, draw.shown] = what;
      if (!isResult(what)) {
        wrong.push([seq, where, say("acts.draw_bounds", { sides: draw.sides, index: draw.shown })]);
        return;
      }
      if (epoch < this.drawnTo) wrong.push([seq, where, say("acts.epoch_back", { epoch, expected: this.drawnTo })]);
      else if (epoch > most) wrong.push([seq, where, say("acts.epoch_ahead", { epoch, most })]);
      this.drawnTo = Math.max(this.drawnTo, epoch);
      const others = this.open.get(epoch);
      if (others) others.push(draw);
      else this.open.set(epoch, [draw]);
    });
    this.due = closed;
    this.asked = body[AT.awaits].map((/** @type {any[]} */ [asked]) => asked);
  }

  /** The link of an epoch: it must be the next, and lead to the one before it. @param {number} seq @param {number} epoch @param {Uint8Array} link @param {Wrong[]} wrong */
  #shown(seq, epoch, link, wrong) {
    if (epoch !== this.epoch) {
      wrong.push([seq, "epoch", say("acts.epoch_next", { epoch, expected: this.epoch })]);
      return;
    }
    if (!same(nextLink(link), this.link)) wrong.push([seq, "link", say("acts.link", { epoch })]);
    this.link = link;
    this.epoch = epoch + 1;
    this.drawnTo = Math.max(this.drawnTo, this.epoch);
    this.links.set(epoch, link);
    this.#checkEpoch(epoch, link, wrong);
  }

  /** The last link of the chain: every link before it follows by hashing. @param {number} seq @param {any[]} links @param {Wrong[]} wrong */
  #ended(seq, links, wrong) {
    let [length, link] = links.length === 1 ? links[0] : [0, new Uint8Array()];
    const epochs = this.#epochs;
    const least = Math.max(1, this.epoch - 1, epochs.at(-1) ?? 0);
    if (!(length >= least && length <= LINKS_MAX)) {
      wrong.push([seq, "links", say("acts.end_links", { least, most: LINKS_MAX })]);
      return;
    }
    for (let epoch = length; epoch >= this.epoch; epoch--) {
      if (this.open.has(epoch)) this.links.set(epoch, link);
      link = nextLink(link);
    }
    if (!same(link, this.link)) wrong.push([seq, "links", say("acts.link", { epoch: this.epoch })]);
    // A draw from an epoch that was open already is wrong as it is, and compared all the same.
    for (const epoch of epochs) this.#checkEpoch(epoch, this.links.get(epoch) ?? new Uint8Array(), wrong);
  }

  /** @param {number} epoch @param {Uint8Array} link @param {Wrong[]} wrong */
  #checkEpoch(epoch, link, wrong) {
    if (!this.seats.every((seat) => this.nonces.has(seat))) return;
    const seed = sha256(OPEN_SEED, pack([this.game, link, this.#allNonces()]));
    for (const draw of this.open.get(epoch) ?? []) this.#verify(draw, seed, wrong);
    this.open.delete(epoch);
  }

  /** @param {Draw} draw @param {Uint8Array} seed @param {Wrong[]} wrong */
  #verify(draw, seed, wrong) {
    this.checked++;
    const expected = drawIndex(seed, draw.counter, draw.purpose, draw.sides);
    if (expected === draw.shown) return;
    wrong.push([
      draw.seq,
      `draws[${draw.index}]`,
      say("acts.draw", { purpose: draw.purpose, shown: draw.shown + 1, expected: expected + 1 }),
    ]);
  }

  #allNonces() {
    return this.seats.map((seat) => this.nonces.get(seat));
  }
}
