// @ts-check
/**
 * How far a seat may freely take back, as a list that grows at its end and is kept for every record without being copied: protocol/seats/undo.py has the same,
 * with the reasons.
 */

import { stands } from "../records/acts.js";

/** @typedef {{seat: string, last: number, length: number, before: Undo | null, jump: Undo | null}} Undo its last record, who may take back, and the lists it grew from */

/** Nothing may be taken back. @type {Undo} */
export const NOTHING = Object.freeze({ seat: "", last: 0, length: 0, before: null, jump: null });

/** The list once a command of this seat stands after a record: a new one unless it is the same seat's. @param {Undo} undo @param {string} seat @param {number} record @returns {Undo} */
export function grown(undo, seat, record) {
  if (undo.seat !== seat || !undo.length) return { seat, last: record, length: 1, before: NOTHING, jump: NOTHING };
  const far = /** @type {Undo} */ (undo.jump);
  const farther = far.jump;
  const even = farther !== null && undo.length - far.length === far.length - farther.length;
  return { seat, last: record, length: undo.length + 1, before: undo, jump: even ? farther : undo };
}

/** Whether this seat may freely go back to that record. @param {Undo} undo @param {string} seat @param {number} record */
export function reaches(undo, seat, record) {
  if (undo.seat !== seat) return false;
  /** @type {Undo | null} */
  let at = undo;
  while (at && at.length && at.last > record)
    at = at.jump && at.jump.length && at.jump.last >= record ? at.jump : at.before;
  return at !== null && at.length > 0 && at.last === record;
}

/** The record before the last command of a seat that has not been taken back; -1 for none. @param {import("../records/chain.js").LogRecord[]} records @param {string} seat */
export function backTo(records, seat) {
  /** @type {number[]} */
  let targets = [];
  let stood = 0;
  for (const record of records) {
    const { kind, body, seq } = record;
    if (kind === "command" && body[1] === seat) targets.push(stood);
    else if (kind === "takeback") targets = targets.filter((target) => target < body[1]);
    if (stands(record)) stood = seq;
  }
  return targets[targets.length - 1] ?? -1;
}
