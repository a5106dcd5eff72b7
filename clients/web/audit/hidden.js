// @ts-check
/** What is hidden: every seal noted, every opening against its seal, the server's secrets against the genesis. */

import { AT, openedBy } from "../records/acts.js";
import { pack, unpack } from "../records/canon.js";
import { EFFECTS, isVeil, opens } from "../records/chain.js";
import { nextLink } from "./drawing.js";
import { LINKS_MAX } from "../records/limits.js";
import { say } from "../words/say.js";
import { holdsSeal } from "./seals.js";
import { hmac, same, sha256 } from "../records/sha256.js";

const tag = (/** @type {string} */ text) => new TextEncoder().encode(text);
const HIDDEN = tag("warledger/hidden/1");
const SALT_KEY = tag("warledger/salt-key/1");
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const PRIVATE = "private openings";
/** The place of the openings in the bodies that make any public. @type {Record<string, string>} */
const OPENED = { command: "opened", reveal: "openings" };

/** @typedef {[number, string, import("../protocol.d.ts").SayArray]} Found the record, the part of it, and what is wrong */
/** @typedef {{seq: number, path: number[], salt: Uint8Array, value: any}} Opening */
/** @typedef {{links: Map<number, Uint8Array>, hidden: Uint8Array, salts: Uint8Array}} Secrets */

const isPath = (/** @type {any} */ path) =>
  Array.isArray(path) && path.every((step) => Number.isSafeInteger(step) && step >= 0);
const isKey = (/** @type {any} */ value) => value instanceof Uint8Array && value.length === KEY_BYTES;

export class Hidden {
  /** @param {any[]} genesis its body */
  constructor(genesis) {
    this.game = genesis[1];
    /** @type {string[]} */
    this.seats = genesis[6];
    /** what the genesis commits to @type {Uint8Array} */
    this.chain = genesis[9];
    /** @type {Uint8Array} */
    this.hiddenCommitment = genesis[10];
    /** @type {Uint8Array} */
    this.saltCommitment = genesis[11];
    /** by "record/path" @type {Map<string, import("../records/canon.js").Seal>} */
    this.seals = new Map();
    /** those of them that hide effects @type {Set<string>} */
    this.veils = new Set();
    /** openings that match their seals, by "record/path" @type {Map<string, Opening>} */
    this.openings = new Map();
    /** who wrote a record in which what a seat itself hid may stand, and the place of that @type {Map<number, [string, number]>} */
    this.own = new Map();
    /** the hidden value and the key of all salts, once they are known @type {Uint8Array | null} */
    this.hidden = null;
    /** @type {Uint8Array | null} */
    this.salts = null;
    /** the server's secrets, if the file has them @type {Secrets | null} */
    this.secrets = null;
  }

  /** Note every seal of a record. @param {import("../records/chain.js").LogRecord} record @param {import("./seals.js").Sealed} seals */
  sealed({ kind, body, seq, effects }, { places, misplaced }) {
    if (misplaced) return; // `Unsealing` objects
    if (kind === "orders") this.own.set(seq, [body[0], 1]);
    else if (kind === "command") this.own.set(seq, [body[AT.seat], AT.picks]);
    for (const [path, seal] of places) {
      this.seals.set(`${seq}/${path}`, seal);
      if (path[0] === EFFECTS && path.length === 3 && effects[path[1]][0] === "veil") this.veils.add(`${seq}/${path}`);
    }
  }

  /** The openings that a record makes public. @param {import("../records/chain.js").LogRecord} record @returns {Found[]} */
  opened(record) {
    return openedBy(record).flatMap(([seq, path, salt, value], /** @type {number} */ index) => {
      const where = `${OPENED[record.kind]}[${index}]`;
      const wrong = this.#open({ seq, path, salt, value }, record.seq, where);
      const name = `${seq}/${path}`;
      if (!wrong && !this.openings.has(name)) this.openings.set(name, { seq, path, salt, value });
      return wrong ? [wrong] : this.#unveiled(name, value, record.seq, where);
    });
  }

  /** @param {Opening} opening @param {number} at @param {string} where @returns {Found | null} */
  #open({ seq, path, salt, value }, at, where) {
    if (opens(this.game, [seq, path, salt, value], this.seals.get(`${seq}/${path}`))) return null;
    return [at, where, say("audit.opening", { seq, field: `[${path.join("][")}]` })];
  }

  /** An opened veil holds effects that may be hidden. @param {string} name @param {any} value @param {number} at @param {string} where @returns {Found[]} */
  #unveiled(name, value, at, where) {
    if (!this.veils.has(name) || isVeil(value)) return [];
    const what = Array.isArray(value)
      ? value.map((/** @type {any} */ effect) => String(effect?.[0])).join(", ")
      : typeof value;
    return [[at, where, say("audit.veil", { seq: Number(name.split("/")[0]), what })]];
  }

  /** The private openings beside a record. @param {Uint8Array} payload @param {number} seq -1 before the first @returns {Found[]} */
  private(payload, seq) {
    const at = Math.max(seq, 0);
    /** @type {any} */
    let items;
    try {
      items = unpack(payload);
      const good =
        Array.isArray(items) &&
        items.every(
          (item) =>
            Array.isArray(item) &&
            item.length === 5 &&
            Number.isSafeInteger(item[0]) &&
            isPath(item[1]) &&
            item[2] instanceof Uint8Array &&
            Array.isArray(item[4]) &&
            item[4].every((reader) => typeof reader === "string"),
        );
      if (!good) throw new Error("private openings are [[seq, path, salt, value, readers] …]");
      if (items.some((/** @type {any[]} */ item) => holdsSeal(item[3])))
        throw new Error("what is opened holds a seal itself");
    } catch (error) {
      return [[at, PRIVATE, say("audit.record", { what: error instanceof Error ? error.message : String(error) })]];
    }
    return items.flatMap(
      (/** @type {[number, number[], Uint8Array, any, string[]]} */ [of, path, salt, value, readers]) => {
        if (of !== seq) return [[at, PRIVATE, say("audit.opening_stray", { seq: of })]];
        const name = `${seq}/${path}`;
        const other = this.#open({ seq, path, salt, value }, at, PRIVATE);
        if (other) return [other];
        /** @type {Found[]} */
        const wrong = [];
        const [writer, place] = this.own.get(seq) ?? ["", -1];
        if (readers.some((reader) => !this.seats.includes(reader)))
          wrong.push([at, PRIVATE, say("audit.no_seat", { seat: readers.join(", ") })]);
        else if (path.length === 1 && path[0] === place && (readers.length !== 1 || readers[0] !== writer))
          wrong.push([at, PRIVATE, say("audit.readers", { field: `[${place}]` })]);
        this.openings.set(name, { seq, path, salt, value });
        return [...wrong, ...this.#unveiled(name, value, at, PRIVATE)];
      },
    );
  }

  /** The end shows the hidden value and the key of all salts. @param {number} seq @param {Uint8Array} hidden @param {Uint8Array} salts @returns {Found[]} */
  ended(seq, hidden, salts) {
    [this.hidden, this.salts] = [hidden, salts];
    /** @type {Found[]} */
    const wrong = [];
    if (!this.#isHidden(hidden)) wrong.push([seq, "hidden", say("audit.hidden_value")]);
    if (!this.#isSaltKey(salts)) wrong.push([seq, "salts", say("audit.salt_key")]);
    return wrong;
  }

  /** @param {Uint8Array} value */
  #isHidden(value) {
    return same(sha256(HIDDEN, pack([this.game, value])), this.hiddenCommitment);
  }

  /** @param {Uint8Array} key */
  #isSaltKey(key) {
    return same(sha256(SALT_KEY, pack([this.game, key])), this.saltCommitment);
  }

  /** Whether the salt of an opening is derived from the key of all salts. @param {Opening} opening @param {number} last the record with which nothing more is opened @returns {Found[]} */
  salted({ seq, path, salt }, last) {
    const right = hmac(this.salts ?? new Uint8Array(0), pack([seq, path])).subarray(0, SALT_BYTES);
    return same(right, salt) ? [] : [[last, "openings", say("audit.salt", { seq, field: `[${path.join("][")}]` })]];
  }

  /** The server's secrets, if a file has them. @param {Uint8Array} payload @returns {Found[]} */
  kept(payload) {
    try {
      const [root, hidden, salts, length, ...more] = unpack(payload);
      if (
        ![root, hidden, salts].every(isKey) ||
        more.length ||
        !(Number.isSafeInteger(length) && length > 0 && length <= LINKS_MAX)
      )
        throw new Error("secrets are three keys, and a length");
      const links = new Map();
      let link = root;
      for (let epoch = length; epoch > 0; epoch--) {
        links.set(epoch, link);
        link = nextLink(link);
      }
      if (!same(link, this.chain) || !this.#isHidden(hidden) || !this.#isSaltKey(salts))
        throw new Error("secrets are not those that the genesis commits to");
      this.secrets = { links, hidden, salts };
      return [];
    } catch (error) {
      return [[0, "secrets", say("audit.record", { what: error instanceof Error ? error.message : String(error) })]];
    }
  }
}
