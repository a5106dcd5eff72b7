// @ts-check
/**
 * What the records of a game with clocks must satisfy, as protocol/clocks/clockrules.py has it: a flag falls at its deadline and not before, none is
 * left out, nobody plays on after it, and time is given and taken only by those who may.
 */

import { idOf } from "../records/acts.js";
import { DAY_MS, due, fallenOf, isPaused, reading } from "./clock.js";
import { ClockFold } from "./clockfold.js";
import { CLOCK_MS_MAX, LEAVES_MAX, NAME_CHARS_MAX, NIGHT_HOURS_MAX } from "../records/limits.js";

const KNOWN = [
  "bank",
  "turn",
  "each",
  "cap",
  "free",
  "free_turn",
  "notice",
  "fall",
  "bot",
  "nights",
  "leave_days",
  "leave_each",
  "handicap",
];
const OWN = ["bank", "turn", "each", "cap"];
const isWhole = (/** @type {any} */ value, /** @type {number} */ most) =>
  Number.isSafeInteger(value) && value >= 0 && value <= most;

/** @typedef {[string, string, Record<string, any>]} Found a part of the record, the key of what is wrong with it, and arguments */

/** What is wrong with a control, or "". @param {any} control @param {string[]} seats */
function wrongControl(control, seats) {
  if (!control || typeof control !== "object" || Array.isArray(control)) return "a clock is a map";
  for (const key of Object.keys(control)) if (!KNOWN.includes(key)) return `a clock has no "${key}"`;
  const within = (/** @type {string} */ key, /** @type {number} */ most) =>
    control[key] === undefined || isWhole(control[key], most);
  for (const key of KNOWN.slice(0, 7)) if (!within(key, CLOCK_MS_MAX)) return key;
  if (!control.bank) return "bank";
  if (!within("nights", NIGHT_HOURS_MAX)) return "nights";
  for (const key of ["leave_days", "leave_each"]) if (!within(key, CLOCK_MS_MAX / DAY_MS)) return key;
  if ((control.leave_each ?? 0) > (control.leave_days ?? 0)) return "leave_each";
  const { fall = "loss", bot, handicap = {} } = control;
  if (!["loss", "claim", "freeze", "bot"].includes(fall)) return "fall";
  if (
    bot === undefined
      ? fall === "bot"
      : fall !== "bot" || typeof bot !== "string" || !bot || [...bot].length > NAME_CHARS_MAX
  )
    return "bot";
  if (!handicap || typeof handicap !== "object" || Array.isArray(handicap)) return "handicap";
  for (const [seat, own] of Object.entries(handicap)) {
    const keys = own && typeof own === "object" ? Object.keys(own) : [];
    if (!seats.includes(seat) || !keys.length || (own.bank ?? 1) === 0) return "handicap";
    if (!keys.every((key) => OWN.includes(key) && isWhole(own[key], CLOCK_MS_MAX))) return "handicap";
  }
  return "";
}

export class Timekeeping {
  /** @param {any[]} genesis its body */
  constructor(genesis) {
    const control = genesis[13]?.clock;
    /** what is wrong with the genesis */
    this.wrong = control === undefined ? "" : wrongControl(control, genesis[6]);
    this.fold = this.wrong ? null : new ClockFold(genesis);
    this.lastMs = 0;
  }

  get clocks() {
    return this.fold?.clocks ?? null;
  }

  get control() {
    return this.fold?.control ?? null;
  }

  /** Take the next record. @param {import("../records/chain.js").LogRecord} record @returns {Found[]} what is wrong with it */
  take(record) {
    if (!this.fold) return [];
    const { control, clocks } = this;
    if (!control || !clocks) return record.kind === "clock" ? [["kind", "acts.clock.none", {}]] : [];
    /** @type {Found[]} */
    let wrong;
    try {
      wrong = check(control, clocks, record, this.lastMs);
      this.fold.take(record);
    } catch {
      wrong = [["body", "acts.clock.form", {}]];
    }
    this.lastMs = record.at;
    return wrong;
  }
}

/** The seat that does what a record tells; "" for what no seat does. @param {import("../records/chain.js").LogRecord} record */
export function actingSeat({ kind, body }) {
  if (kind === "command") return body[1];
  if (kind === "takeback") return body[4] ? "" : body[0];
  if (kind === "ask" || kind === "answer" || kind === "orders") return body[0];
  if (kind === "seat") return body[0] === "replaced" ? "" : body[1];
  return kind === "clock" && ["resume", "leave", "night"].includes(body[0]) ? body[1] : "";
}

/** @param {import("../protocol.d.ts").Control} control @param {import("./clock.js").Clocks} clocks @param {import("../records/chain.js").LogRecord} record @param {number} lastMs @returns {Found[]} */
function check(control, clocks, record, lastMs) {
  const { at, kind, body } = record;
  const actor = idOf(record.actor);
  const [what, a, b, c] = kind === "clock" ? body : [""];
  /** @type {Found[]} */
  const wrong = [];
  const note = (/** @type {string} */ where, /** @type {string} */ key, args = {}) =>
    wrong.push([where, `acts.clock.${key}`, args]);
  const seat = what === "credit" && body.length > 5 ? actor : actingSeat(record);
  const fallen = fallenOf(clocks);
  const flags = due(clocks, at);
  if (flags.length && what !== "outage" && kind !== "open") {
    const names = flags.map((clock) => clock.seat);
    if (names.includes(seat)) note("at_ms", "late", { seat, deadline: flags[0].deadline });
    else if (what !== "flag" || !names.includes(a))
      note("at_ms", "no_flag", { seat: names[0], deadline: flags[0].deadline });
  }
  if (fallen.includes(seat)) note("seat", "fallen", { seat });
  else if (seat && clocks.frozen.length) note("kind", "frozen", { seat });
  if (kind === "command" && seat && isPaused(clocks, at)) note("kind", "paused", { seat });
  if (kind !== "clock") return wrong;
  const known = clocks.seats.find((clock) => clock.seat === a);
  const { pause } = clocks;
  if (what === "flag") {
    if (!known || known.deadline === null || known.deadline > at) note("kind", "flag_early", { seat: a });
    else {
      if (b !== known.deadline) note("deadline_ms", "deadline", { seat: a, deadline: known.deadline });
      const { left } = reading(control, clocks, a, at);
      if (c !== left) note("left", "left", { seat: a, left });
    }
  } else if (what === "pause") {
    if (JSON.stringify(a) !== JSON.stringify(clocks.seats.map((clock) => clock.seat))) note("seats", "pause_of_all");
    if (isPaused(clocks, at)) note("kind", "paused_twice");
    if (b && b <= at) note("until_ms", "until");
  } else if (what === "resume") {
    if (!pause || !isPaused(clocks, at) || pause.resumed.includes(a)) note("kind", "not_paused");
  } else if (what === "outage") {
    if (!(lastMs <= a && a < b && b <= at)) note("from_ms", "outage");
  } else if (what === "credit") {
    if (!known) wrong.push(["seat", "acts.no_seat", { seat: a }]);
    else {
      if (!(Math.abs(b) > 0 && Math.abs(b) <= CLOCK_MS_MAX)) note("ms", "credit_ms");
      if (
        actor !== "server" &&
        (control.fall !== "claim" ||
          known.fallen === null ||
          fallen.includes(actor) ||
          actor === a ||
          b < 0 ||
          known.bank + b <= 0 ||
          body[3] !== "" ||
          body[4].length)
      )
        note("kind", "credit", { seat: a });
    }
  } else if (what === "leave") {
    const why = leaveRefused(control, /** @type {any} */ (known).leave, b, c, at);
    if (why) note("from_ms", "not_allowed", { why });
  } else if (what === "night") {
    const hours = control.nights;
    if (!(hours && isWhole(b, 1439) && isWhole(c, Math.min(hours, NIGHT_HOURS_MAX) * 60)))
      note("length_min", "not_allowed", { why: ["refusal.night", [["hours", hours]], ""] });
  }
  return wrong;
}

/** @param {import("../protocol.d.ts").Control} control @param {[number, number][]} taken @param {number} start @param {number} end @param {number} now */
function leaveRefused(control, taken, start, end, now) {
  const used = taken.reduce((sum, [from, to]) => sum + to - from, 0);
  const most = control.leave_each || control.leave_days;
  if (!(now <= start && start < end)) return ["refusal.leave_past", [], ""];
  if (taken.some(([from, to]) => start < to && from < end)) return ["refusal.leave_twice", [], ""];
  if (end - start > most * DAY_MS) return ["refusal.leave_long", [["days", most]], ""];
  if (used + end - start > control.leave_days * DAY_MS || taken.length >= LEAVES_MAX)
    return ["refusal.leave_over", [["days", control.leave_days]], ""];
  return null;
}
