// @ts-check
/**
 * Standing answers: which entries of a seat's set stand, and whether a command gives the one that it names (`protocol/seats/standing.py`). What was on offer the
 * rules alone know.
 */

import { pack } from "../records/canon.js";
import { ORDERS_BYTES_MAX, PICKS_MAX, TEXT_CHARS_MAX } from "../records/limits.js";

/** @typedef {import("../protocol.d.ts").Picks} Picks */
/** @typedef {import("../protocol.d.ts").StandingArray} StandingArray */
/** @typedef {import("../protocol.d.ts").ByOrders} ByOrders */
/** @typedef {{seat: string, by: ByOrders, key: string, turnOver: boolean}} Answered a command by standing answers, and for which question */

const SPANS = ["turn", "game"];

const isPicks = (/** @type {any} */ picks) =>
  Array.isArray(picks) &&
  picks.length > 0 &&
  picks.length <= PICKS_MAX &&
  picks.every((pick) =>
    typeof pick === "string"
      ? [...pick].length <= TEXT_CHARS_MAX
      : typeof pick === "number" || typeof pick === "bigint",
  );

/** @param {any} entry */
function isEntry(entry) {
  if (!Array.isArray(entry) || entry.length !== 3) return false;
  const [key, alternatives, until] = entry;
  return (
    typeof key === "string" &&
    key.length > 0 &&
    [...key].length <= TEXT_CHARS_MAX &&
    Array.isArray(alternatives) &&
    alternatives.length > 0 &&
    alternatives.every(isPicks) &&
    SPANS.includes(until)
  );
}

/** Whether a value may be a set of standing answers: one entry for a question and a span. @param {any} value */
export const isOrders = (value) =>
  Array.isArray(value) &&
  value.every(isEntry) &&
  new Set(value.map(([key, , until]) => `${until} ${key}`)).size === value.length &&
  pack(value).length <= ORDERS_BYTES_MAX;

/** Whether at the place that a command names these picks stand for this question, in an entry that is not void. @param {any} orders @param {Answered} answered @param {Picks} picks */
export function holds(orders, { by, key, turnOver }, picks) {
  if (!isOrders(orders)) return false;
  const [asked, alternatives, until] = orders[by.entry] ?? [];
  return (
    asked === key &&
    !(until === "turn" && turnOver) &&
    by.alternative < alternatives.length &&
    JSON.stringify(alternatives[by.alternative]) === JSON.stringify(picks)
  );
}

/** The set once a seat wants this answer, too: the last of its entry. @param {StandingArray[]} orders @param {string} key @param {Picks} picks @param {"turn" | "game"} until @returns {StandingArray[]} */
export function withAnswer(orders, key, picks, until) {
  const known = orders.find(([asked, , span]) => asked === key && span === until);
  if (!known) return [...orders, [key, [picks], until]];
  if (known[1].some((one) => JSON.stringify(one) === JSON.stringify(picks))) return orders;
  return orders.map((entry) => (entry === known ? [key, [...entry[1], picks], until] : entry));
}

/** The set without one answer. @param {StandingArray[]} orders @param {StandingArray} entry @param {Picks} picks @returns {StandingArray[]} */
export const withoutAnswer = (orders, entry, picks) =>
  orders.flatMap((one) => {
    if (one !== entry) return [one];
    const left = one[1].filter((other) => other !== picks);
    return left.length ? [/** @type {StandingArray} */ ([one[0], left, one[2]])] : [];
  });
