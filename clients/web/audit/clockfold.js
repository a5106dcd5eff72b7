// @ts-check
/** The clocks of a game as its records come, as protocol/clocks/clockfold.py has them. */

import {
  begin,
  claimed,
  commanded,
  controlOf,
  credited,
  ended,
  flagged,
  held,
  leftFor,
  mark,
  out,
  paused,
  reading,
  released,
  replaced,
  resumed,
  slept,
  stopsAtClaim,
  takenBack,
} from "./clock.js";

/** @typedef {import("../protocol.d.ts").Control} Control */
/** @typedef {import("./clock.js").Clocks} Clocks */
/** @typedef {import("./clock.js").Mark} Mark */
/** A record as far as clocks go. @typedef {{at: number, kind: string, body: any[], effects: any[][]}} Told */

/** The clocks of one game, record by record; `clocks` is null in a game without. */
export class ClockFold {
  /** @param {any[]} genesis the body of the first record */
  constructor(genesis) {
    this.control = controlOf(genesis);
    this.atOnce = stopsAtClaim(genesis);
    /** @type {Clocks | null} */
    this.clocks = this.control && begin(this.control, genesis[6]);
    /** @type {Mark[]} */
    this.marks = this.clocks ? [mark(this.clocks)] : [];
  }

  /** Take the next record. @param {Told} record */
  take(record) {
    if (this.control === null || this.clocks === null) return;
    this.marks.push(this.marks[this.marks.length - 1]); // stands if the record does not fold
    this.clocks = after(this.control, this.clocks, record, this.marks, this.atOnce);
    this.marks[this.marks.length - 1] = mark(this.clocks);
  }

  /** @param {string} seat @param {number} now */
  reading(seat, now) {
    return this.control && this.clocks && reading(this.control, this.clocks, seat, now);
  }
}

/** How many turns begin among effects. @param {any[][]} effects */
export const turnsOpened = (effects) => effects.filter(([tag, span]) => tag === "open" && span === "turn").length;

/**
 * The clocks after a record. @param {Control} control @param {Clocks} clocks @param {Told} record @param {Mark[]} marks of earlier records @param {boolean} atOnce claims stop the clocks as they are made
 */
function after(control, clocks, { at, kind, body, effects }, marks, atOnce) {
  const [what, a, b, c] = body;
  switch (kind) {
    case "command":
      return commanded(control, clocks, at, body[1], body[10], turnsOpened(effects));
    case "takeback":
      return takenBack(control, clocks, at, body[3], marks[body[1]]);
    case "end":
      return ended(control, clocks, at);
    case "seat":
      return what === "replaced" ? replaced(control, clocks, a, c) : clocks;
    case "clock":
      if (what === "flag") return flagged(control, clocks, at, a);
      if (what === "pause") return paused(control, clocks, at, b);
      if (what === "resume") return resumed(control, clocks, at, a);
      if (what === "credit") return credited(control, clocks, at, a, b);
      if (what === "outage") return out(control, clocks, a, b);
      if (what === "leave") return leftFor(control, clocks, at, a, b, c);
      return what === "night" ? slept(control, clocks, at, a, b, c) : clocks;
    case "ruling":
      if (what === "claim") return atOnce ? claimed(control, clocks, at, a, b) : clocks;
      if (what === "heard") return held(control, clocks, at, a);
      if (what === "frozen") return held(control, clocks, at, a, true);
      if (what === "ruled" || what === "withdrawn") return released(control, clocks, at, a);
      return what === "thawed" ? released(control, clocks, at, a, true) : clocks;
    default:
      return clocks;
  }
}
