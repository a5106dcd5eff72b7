// @ts-check
/** How time on a clock is written for people, and when it counts as little, as in clients/clockface.py. */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How much is left when a player is warned, the longest time first. */
const LOW_MS = [DAY_MS, 6 * HOUR_MS, HOUR_MS, 15 * MINUTE_MS, 5 * MINUTE_MS, MINUTE_MS, 10 * SECOND_MS];

const UNITS = /** @type {Record<string, number>} */ ({ s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS });

/** A time as it is typed, such as 90s or 1h30m, in milliseconds; NaN if it is none. @param {string} text */
export function durationOf(text) {
  const compact = text.trim().toLowerCase();
  if (!/^(\d+[smhd]\s*)+$/.test(compact)) return Number.NaN;
  return [...compact.matchAll(/(\d+)([smhd])/g)].reduce((ms, [, n, unit]) => ms + Number(n) * UNITS[unit], 0);
}

/** What a clock shows; it is never more than what is left. @param {number} ms @param {import("../words/phrases.js").Phrases} spoken */
export function face(ms, spoken) {
  const whole = Math.floor(ms / SECOND_MS);
  const seconds = Math.abs(whole);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  const sign = whole < 0 ? "−" : "";
  if (!days && !hours) return `${sign}${minutes}:${two(seconds % 60)}`;
  const rest = `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  return sign + (days ? spoken.text("ui.clock.days", { n: days, rest }) : rest);
}

/** How little is left, as an entry of LOW_MS; 0 if it is not little. @param {number} left @param {number} bank */
export const lowAs = (left, bank) => LOW_MS.filter((low) => low * 4 <= bank && left <= low).at(-1) ?? 0;

/** A moment in the reader's own time. @param {number} at @param {string} language */
export const momentOf = (at, language) =>
  new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "medium" });
