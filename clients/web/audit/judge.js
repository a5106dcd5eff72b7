// @ts-check
/**
 * Who judges a game for this page: a worker, so that nothing waits, or the same code in slices in the page's own thread where none can start, as in a page
 * that was opened from a folder. What is found is the same.
 */

/** @typedef {import("./judging.js").Task} Task */
/** @typedef {import("./judging.js").Told} Told */
/** @typedef {(id: number, task: Task | null) => void} Post */
/** What `judge` says of a file: the level, what is wrong as [record or null, part, key of the sentence], and the names of what is reserved. @typedef {{level: number, findings: [number | null, string, string][], reservations: string[], otherFormat: number | null}} Verdict */

/** whoever is told what has been found, by the number of the game @type {Map<number, (told: Told) => void>} */
const listening = new Map();
/** who judges, once that is known @type {Promise<Post> | null} */
let judges = null;
let games = 0;

/** @param {number} id @param {Told} told */
const tell = (id, told) => listening.get(id)?.(told);

/** In a worker; rejects where it does not start. @returns {Promise<Post>} */
const inWorker = () =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL("/verifier.js", import.meta.url), { type: "module" });
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error("no worker"));
    };
    worker.onmessage = ({ data }) => {
      if (data.ready) resolve((id, task) => worker.postMessage({ id, task }));
      else tell(data.id, data.told);
    };
  });

/** In this thread. @returns {Promise<Post>} */
async function inSlices() {
  const Judging = await Judge.slices();
  /** @type {Map<number, import("./judging.js").Judging>} */
  const known = new Map();
  return (id, task) => {
    // What is told is a copy, as from a worker.
    const one = known.get(id) ?? new Judging((told) => tell(id, structuredClone(told)));
    known.set(id, one);
    if (task) one.take(task);
    else {
      one.stop();
      known.delete(id);
    }
  };
}

/** One game that is judged. */
export class Judge {
  /** What judges in this thread: loaded once it is needed, where the page has it not at hand. @type {() => Promise<typeof import("./judging.js").Judging>} */
  static slices = () => Promise.reject(new Error("nothing judges here"));

  /** @param {(told: Told) => void} told @param {Uint8Array[]} [keys] the server's keys from elsewhere */
  constructor(told, keys = []) {
    this.id = games++;
    listening.set(this.id, told);
    this.#post({ keys });
  }

  /** @param {Task | null} task */
  #post(task) {
    judges ??= inWorker().catch(inSlices);
    judges.then((post) => post(this.id, task));
  }

  /** Judge the bytes of a whole file. @param {Uint8Array} bytes */
  file(bytes) {
    this.#post({ file: bytes });
  }

  /** Judge the next frames of a game. @param {import("./judging.js").Sent[]} frames */
  frames(frames) {
    if (frames.length) this.#post({ frames });
  }

  stop() {
    listening.delete(this.id);
    this.#post(null);
  }
}

/**
 * The verdict on a game's file, at level 1: all that this page can say of it. `key` is the server's, from elsewhere, or null.
 * @param {Uint8Array} bytes @param {Uint8Array | null} [key] @returns {Promise<Verdict>}
 */
export const judge = (bytes, key = null) =>
  new Promise((resolve) => {
    const one = new Judge(
      ({ level, findings, reservations, otherFormat, finished }) => {
        if (!finished) return;
        one.stop();
        resolve({
          level,
          otherFormat,
          findings: findings.map(([seq, where, [what]]) => [seq, where, what]),
          reservations: reservations.map(([name]) => name.slice(name.lastIndexOf(".") + 1)),
        });
      },
      key ? [key] : [],
    );
    one.file(bytes);
  });
