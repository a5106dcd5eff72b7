// @ts-check
/** What follows something that may happen many times a second, and is drawn no oftener than anybody reads it. */

/**
 * An act that is done at once when it is asked for, but at most once in `ms`: what is asked for sooner is done once, when that time is over.
 * `now` does it without waiting, `stop` forgets what has been put off.
 * @param {() => void} act @param {number} ms @returns {{ask: () => void, now: () => void, stop: () => void}}
 */
export function paced(act, ms) {
  /** @type {number | undefined} */
  let due;
  let done = -Infinity;
  const stop = () => {
    clearTimeout(due);
    due = undefined;
  };
  const now = () => {
    stop();
    done = performance.now();
    act();
  };
  const ask = () => {
    if (due !== undefined) return;
    const rest = done + ms - performance.now();
    if (rest > 0) due = window.setTimeout(now, rest);
    else now();
  };
  return { ask, now, stop };
}
