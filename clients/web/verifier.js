// @ts-check
/** The worker in which games are judged, so that the page waits for nothing: one for all games of a page, each by its number. */

import { Judging } from "./audit/judging.js";

const worker = /** @type {any} */ (self);
/** @type {Map<number, Judging>} */
const judgings = new Map();

worker.onmessage = (
  /** @type {{data: {id: number, task: import("./audit/judging.js").Task | null}}} */ { data: { id, task } },
) => {
  const known = judgings.get(id) ?? new Judging((told) => worker.postMessage({ id, told }));
  judgings.set(id, known);
  if (task) known.take(task);
  else {
    known.stop();
    judgings.delete(id);
  }
};
worker.postMessage({ ready: true });
