// @ts-check
/**
 * A game's file in place of a connection: it gives the records that it holds to whoever follows the game, and has no answer to anything else.
 * The file's own checks (`frames.js`) say whether bytes were changed on the way; all of it is judged behind the records, as any game is.
 */

import { OtherFormat } from "../records/chain.js";
import { KIND, otherFormat, readFrames } from "../records/frames.js";
import { ServerError } from "./link.js";

/** Records given at a time, so that the page is drawn in between. */
const AT_ONCE = 256;

export class Damaged extends Error {}

/** The frames of a sealed file. Throws Damaged, and OtherFormat for a file of another format. @param {Uint8Array} data @returns {import("../records/frames.js").Frame[]} */
export function framesIn(data) {
  const format = otherFormat(data);
  if (format !== null) throw new OtherFormat(format);
  const {
    frames,
    damage: [wrong],
    last: [behind],
    sealed,
  } = readFrames(data);
  if (wrong ?? behind ?? !sealed)
    throw new Damaged(String((wrong ?? behind)?.[2][1].find(([name]) => name === "offset")?.[1] ?? "end"));
  return frames;
}

/** The records among frames. @param {import("../records/frames.js").Frame[]} frames */
export const recordsOf = (frames) => frames.filter(({ kind }) => kind === KIND.record).map(({ payload }) => payload);

/** What `Link` is to a page that has a server. */
export class FileLink {
  /** @param {Uint8Array[]} records @param {Uint8Array} file the bytes that they were read from */
  constructor(records, file) {
    this.records = records;
    this.file = file;
    /** nobody is connected @type {boolean} */
    this.open = false;
    /** the file itself, to be saved from the page */
    this.alone = true;
    this.tokens = new Map();
    /** @type {[string, string, string][]} */
    this.roles = [];
    this.principal = "";
    this.isHost = false;
    this.opens = false;
    this.serverKey = null;
  }

  /** @param {import("./link.js").Subscription} subscription @returns {() => void} */
  subscribe(subscription) {
    let stopped = false;
    const give = () => {
      const first = subscription.after() + 1;
      const items = this.records.slice(first, first + AT_ONCE);
      if (stopped || !items.length) return;
      subscription.take(
        first,
        items.map((data) => [data, new Uint8Array(0)]),
      );
      setTimeout(give, 0);
    };
    setTimeout(give, 0);
    return () => {
      stopped = true;
    };
  }

  /** @param {string} _tag @returns {Promise<any[]>} */
  async request(_tag) {
    throw new ServerError("unsupported", ["web.file.alone", [], ""]);
  }

  // From here to the end the same as in branch.js, and declared twice: this module is in every game in one file, branch.js with its tools is not.

  /** @param {string} tag */
  once(tag) {
    return this.request(tag);
  }

  login() {
    return this.request("login");
  }

  forget() {}

  given() {}

  arbitrates() {
    return false;
  }

  hosts() {
    return false;
  }

  casts() {
    return false;
  }

  castsAny() {
    return false;
  }

  close() {}
}
