// @ts-check
/** Named paces for a host to choose from: what the genesis of a game says about time, as in protocol/clocks/clockcontrol.py. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** @type {Record<string, Record<string, any>>} */
export const PACES = {
  live: {
    bank: 25 * MINUTE,
    cap: 40 * MINUTE,
    fall: "claim",
    free: 5 * SECOND,
    free_turn: 90 * SECOND,
    turn: 5 * MINUTE,
  },
  evening: {
    bank: 60 * MINUTE,
    cap: 90 * MINUTE,
    fall: "claim",
    free: 10 * SECOND,
    free_turn: 180 * SECOND,
    turn: 10 * MINUTE,
  },
  fast: { bank: 72 * HOUR, cap: 120 * HOUR, each: 12 * HOUR, fall: "claim", notice: HOUR },
  slow: { bank: 72 * HOUR, cap: 240 * HOUR, each: 36 * HOUR, fall: "claim", notice: HOUR },
  mail: { bank: 14 * DAY, cap: 21 * DAY, fall: "claim", leave_days: 14, nights: 10, notice: HOUR, turn: 2 * DAY },
};
