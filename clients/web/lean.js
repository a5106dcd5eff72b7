// @ts-check
/**
 * A finished game as the server sends it to this page (`engine/serve/lean.py` says how it is written): first an outline of all records, from which the game can
 * be seen, then the blinds, ids and signatures without which none of them can be verified.
 */

import { blindAndId, picksDigest, readEnd } from "./acts.js";
import { pack, unpack } from "./canon.js";
import { sealOf } from "./chain.js";
import { Damaged } from "./filelink.js";
import { hmac, same, sha256 } from "./sha256.js";

const SIGN = [0x57, 0x4c, 0x45, 0x41, 0x4e, 3];
const HEADER = 42;
const PLAIN = 0;
const WRITTEN = 1;
const AGAIN = 0xc1;
const HOLE = 0xc4;
/** Bytes that are a packed value, with the head of bytes whose length takes 1, 2 or 4. @type {Record<number, [number, number]>} */
const PACKED = { 0xc5: [0xc4, 1], 0xc6: [0xc5, 2], 0xc7: [0xc6, 4] };
const BYTES = 0xd8;
const SEAL = 0xd6;
/** The record's number less 0, 1 and 2. */
const NUMBERS = [0xca, 0xcb, 0xd4];
const TEXT = 0xd9;
const TEXT_AGAIN = 0xa0;
const BACK_MOST = 8;
const DIGEST = 9;
const KEY = 14;
const KEY_AGAIN = 15;
const BLIND = 17;
const ID = 18;
const SALT = 19;
const SEALED = 20;
const BIN = 0xc4;
const HASH = 32;
const SEED = 16;
const EFFECTS = 7;
const FIELDS = 6;
/** So many bytes are missing where a mark stands: 16, 32 and 64 are marks of noise of that length. @type {Record<number, number>} */
const MISSING = { [DIGEST]: HASH, 16: 16, 32: 32, 64: 64, [BLIND]: 32, [ID]: 16, [SALT]: 16, [SEALED]: 32 };
for (let back = 1; back <= BACK_MOST; back++) MISSING[back] = HASH;
/** So many of them come from the noise. @type {Record<number, number>} */
const NOISE = { 16: 16, 32: 32, 64: 64, [BLIND]: SEED };
const SEAL_HEAD = [0xc7, 0x20, 1];

/** So many keys are told by their places, and so many texts. */
const KEYS_MOST = 256;
const TEXTS_MOST = 32 * 256;
/** So many bytes are copied one by one. */
const SHORT = 32;
/** A shorter array is not told by its number. */
const AGAIN_LEAST = 3;
/** The most that a record may be made to take: a few bytes can ask for a great deal. */
const RECORD_BYTES_MAX = 4 * 1024 * 1024;
/** The same of all records together, and of their outline. A longer game comes over the connection. */
const ALL_BYTES_MAX = 32 * 1024 * 1024;
/** What a record costs beyond its bytes, so that a great many empty ones are too many. */
const RECORD_OVERHEAD = 64;
/** No number takes more bytes, each of which has seven bits of it. */
const NUMBER_BYTES_MAX = 8;

/** How long records are made at a time before keys and the like are answered, in ms. */
const SLICE_MS = 12;

/** Every record with its hash. @typedef {{data: Uint8Array, hash: Uint8Array}} Whole */
/** @typedef {{data: Uint8Array, holes: [number, number][]}} Outline a record with zeros where something is missing, and where each of those begins and its mark */

/** Bytes of which more and more are written. */
class Written {
  constructor() {
    this.bytes = new Uint8Array(1 << 16);
    this.length = 0;
  }

  /** Room for so many bytes more. @param {number} more */
  #room(more) {
    if (this.length + more <= this.bytes.length) return;
    if (this.length + more > RECORD_BYTES_MAX) throw new Damaged("too long");
    const wider = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more));
    wider.set(this.bytes.subarray(0, this.length));
    this.bytes = wider;
  }

  /** @param {number} one */
  byte(one) {
    this.#room(1);
    this.bytes[this.length++] = one;
  }

  /** @param {ArrayLike<number>} bytes */
  add(bytes) {
    const { length } = bytes;
    this.#room(length);
    // Most are names of a few bytes, which a loop copies sooner than a call.
    if (length > SHORT) this.bytes.set(bytes, this.length);
    else for (let i = 0; i < length; i++) this.bytes[this.length + i] = bytes[i];
    this.length += length;
  }

  /** Once more what was written there. @param {number} from @param {number} to */
  again(from, to) {
    this.#room(to - from);
    this.bytes.copyWithin(this.length, from, to);
    this.length += to - from;
  }

  /** Zeros. @param {number} length @returns {number} where they begin */
  zeros(length) {
    this.#room(length);
    this.bytes.fill(0, this.length, this.length + length);
    this.length += length;
    return this.length - length;
  }

  taken() {
    const bytes = this.bytes.slice(0, this.length);
    this.length = 0;
    return bytes;
  }
}

/** Reads bytes and numbers, one after the other. */
class Numbers {
  /** @param {Uint8Array} part */
  constructor(part) {
    this.part = part;
    this.at = 0;
  }

  byte() {
    if (this.at >= this.part.length) throw new Damaged(`byte ${this.at}`);
    return this.part[this.at++];
  }

  number() {
    let number = 0;
    for (let n = 0; n < NUMBER_BYTES_MAX; n++) {
      const byte = this.byte();
      number += (byte & 0x7f) * 128 ** n;
      if (byte < 0x80) return number;
    }
    throw new Damaged(`byte ${this.at}`);
  }

  /** So many bytes. @param {number} length */
  take(length) {
    this.at += length;
    if (this.at > this.part.length) throw new Damaged(`byte ${this.at}`);
    return this.part.subarray(this.at - length, this.at);
  }
}

/** Reads an outline, record after record. */
class Reading extends Numbers {
  /** @param {Uint8Array} part */
  constructor(part) {
    super(part);
    this.times = new Numbers(this.take(this.number()));
    this.newTexts = new Numbers(this.take(this.number()));
    this.written = new Written();
    this.time = 0;
    this.seq = 0;
    /** the texts that were told, packed @type {Uint8Array[]} */
    this.texts = [];
    /** the keys that were named, each with the number of its newest act @type {[Uint8Array, number][]} */
    this.keys = [];
    /** where the arrays that ended in this record begin and end @type {[number, number][]} */
    this.ended = [];
    /** @type {[number, number][]} */
    this.holes = [];
    /** how many keys were told in this record */
    this.signers = 0;
  }

  /** The outlines of all records. @returns {Outline[]} */
  all() {
    /** @type {Outline[]} */
    const found = [];
    let bytes = 0;
    while (this.at < this.part.length) {
      const one = this.#record(found.length);
      bytes += one.data.length + RECORD_OVERHEAD;
      if (bytes > ALL_BYTES_MAX) throw new Damaged("too long");
      found.push(one);
    }
    return found;
  }

  /** @param {number} seq @returns {Outline} */
  #record(seq) {
    const { written } = this;
    const first = this.byte();
    if (first > WRITTEN) throw new Damaged(`record ${seq}`);
    if (first === PLAIN) return { data: this.take(this.number()).slice(), holes: [] };
    this.seq = seq;
    this.ended = [];
    this.holes = [];
    this.signers = 0;
    this.time += this.times.number();
    written.byte(0x90 + FIELDS);
    written.add(pack(seq));
    written.add(pack(this.time));
    this.#values(FIELDS - 2);
    return { data: written.taken(), holes: this.holes };
  }

  /** So many values. Most are small numbers and texts that were told: read here, they take half of the time. @param {number} left */
  #values(left) {
    const { part, written, texts } = this;
    while (left > 0) {
      const first = part[this.at];
      if (first >= TEXT_AGAIN && first < 0xc0) {
        const text = texts[(first - TEXT_AGAIN) * 256 + part[this.at + 1]];
        if (!text) throw new Damaged(`text in record ${this.seq}`);
        this.at += 2;
        written.add(text);
        left--;
      } else if (first < 0x80) {
        this.at++;
        written.byte(first);
        left--;
      } else left -= this.#value();
    }
  }

  /** @returns {number} how many values of its array were read */
  #value() {
    const { written } = this;
    const first = this.byte();
    if (first < 0x80 || first >= 0xe0 || first === 0xc0 || first === 0xc2 || first === 0xc3) written.byte(first);
    else if ((first >= 0x90 && first < 0xa0) || first === 0xdc || first === 0xdd) this.#array(first);
    else if (first < 0x90 || first === 0xde || first === 0xdf) {
      this.#values(2 * this.#head(first, 0x80, 0xde));
    } else if (first === AGAIN) {
      const found = this.ended[this.number()];
      if (!found) throw new Damaged(`array in record ${this.seq}`);
      written.again(...found);
    } else if (first === HOLE) return this.#hole(this.byte());
    else if (first in PACKED) this.#packed(...PACKED[first]);
    else if (NUMBERS.includes(first)) written.add(pack(this.seq - NUMBERS.indexOf(first)));
    else if (first === TEXT) {
      const bytes = this.newTexts.take(this.newTexts.number());
      const head = bytes.length < 32 ? [0xa0 + bytes.length] : bytes.length < 0x100 ? [0xd9, bytes.length] : bytes.length < 0x10000 ? [0xda, ...bigEndian(bytes.length, 2)] : [0xdb, ...bigEndian(bytes.length, 4)];
      const text = new Uint8Array(head.length + bytes.length);
      text.set(head);
      text.set(bytes, head.length);
      if (this.texts.length < TEXTS_MOST) this.texts.push(text);
      written.add(text);
    } else if (first === BYTES) written.add(pack(this.take(this.number())));
    else if (first === SEAL) {
      written.add(SEAL_HEAD);
      written.add(this.take(HASH));
    } else if (first >= 0xcc && first <= 0xd3) {
      written.byte(first);
      written.add(this.take(1 << (first & 3)));
    } else throw new Damaged(`byte ${first} in record ${this.seq}`);
    return 1;
  }

  /** The head of an array or a map: how many values it has. @param {number} first @param {number} small @param {number} wide */
  #head(first, small, wide) {
    this.written.byte(first);
    if (first < wide) return first - small;
    const bytes = this.take(first === wide ? 2 : 4);
    this.written.add(bytes);
    return bytes.reduce((length, byte) => length * 256 + byte, 0);
  }

  /** @param {number} first */
  #array(first) {
    const { written, ended, holes } = this;
    const from = written.length;
    const missing = holes.length + this.signers;
    this.#values(this.#head(first, 0x90, 0xdc));
    if (written.length - from >= AGAIN_LEAST && holes.length + this.signers === missing) ended.push([from, written.length]);
  }

  /** @param {number} head @param {number} width of the length */
  #packed(head, width) {
    const { written } = this;
    written.byte(head);
    const from = written.zeros(width);
    this.#values(1);
    written.bytes.set(bigEndian(written.length - from - width, width), from);
  }

  /** @param {number} mark @returns {number} how many values of its array it stands for */
  #hole(mark) {
    const { written } = this;
    if (mark === KEY) {
      const key = this.take(HASH);
      const known = this.keys.findIndex(([one]) => same(one, key));
      this.#key(known < 0 ? this.keys.length : known, key, this.number());
      return 2;
    }
    if (mark === KEY_AGAIN) {
      const index = this.byte();
      const known = this.keys[index];
      if (!known) throw new Damaged(`key in record ${this.seq}`);
      this.#key(index, known[0], known[1] + this.byte());
      return 2;
    }
    const missing = MISSING[mark];
    if (!missing) throw new Damaged(`mark ${mark}`);
    written.add(mark === SEALED ? SEAL_HEAD : [BIN, missing]);
    this.holes.push([written.zeros(missing), mark]);
    return 1;
  }

  /** A key and the number of its act, which are kept under that index. @param {number} index @param {Uint8Array} key @param {number} n */
  #key(index, key, n) {
    if (index < KEYS_MOST) this.keys[index] = [key, n];
    this.signers++;
    this.written.add([BIN, HASH]);
    this.written.add(key);
    this.written.add(pack(n));
  }
}

/** @param {number} number @param {number} width */
const bigEndian = (number, width) => Array.from({ length: width }, (_, i) => Math.floor(number / 256 ** (width - 1 - i)) % 256);

/**
 * Fill in the salts of what the last records open, which follow from the salt key. What was sealed is hashed to what is missing where it was.
 * @param {Outline[]} outlines @returns {Uint8Array[]} the seals that are missing, in order
 */
function opened(outlines) {
  /** @type {Uint8Array[]} */
  const seals = [];
  const opening = outlines.filter(({ holes }) => holes.some(([, mark]) => mark === SALT));
  if (!opening.length) return seals;
  const game = unpack(outlines[0].data)[4][1];
  const end = outlines.findLast(({ data }) => unpack(data)[3] === "end");
  if (!end) throw new Damaged("salts");
  const { salts: key } = readEnd(unpack(end.data)[4]);
  for (const { data, holes } of opening) {
    const salts = holes.filter(([, mark]) => mark === SALT);
    for (const [index, [seq, path, , value]] of unpack(data)[4][0].entries()) {
      const salt = hmac(key, pack([seq, path])).subarray(0, MISSING[SALT]);
      data.set(salt, salts[index][0]);
      if (path[0] !== EFFECTS) seals.push(sealOf(game, [seq, path, salt, value]));
    }
  }
  return seals;
}

/**
 * The records, byte for byte. Their links are computed, so that none can be wrong: only the hash of the last says whether these are the records that were sent.
 * @param {Outline[]} outlines which are left as they are @param {Uint8Array} noise @param {Uint8Array} last @returns {Promise<Whole[]>}
 */
async function filled(outlines, noise, last) {
  const copies = outlines.map(({ data, holes }) => ({ data: holes.length ? data.slice() : data, holes }));
  const seals = opened(copies);
  /** @type {Uint8Array[]} */
  const hashes = [];
  /** @type {Whole[]} */
  const records = [];
  let taken = 0;
  let shut = 0;
  let until = performance.now() + SLICE_MS;
  for (const [seq, { data, holes }] of copies.entries()) {
    if (performance.now() > until) {
      await new Promise((done) => setTimeout(done, 0));
      until = performance.now() + SLICE_MS;
    }
    let digest = -1;
    /** @type {Uint8Array | null} */
    let drawn = null;
    for (const [at, mark] of holes) {
      const length = NOISE[mark] ?? 0;
      if (taken + length > noise.length) throw new Damaged(`record ${seq}`);
      /** @type {Uint8Array | null} */
      let found = null;
      if (length) {
        found = noise.subarray(taken, taken + length);
        if (mark === BLIND) [found, drawn] = blindAndId(found);
        taken += length;
      } else if (mark === DIGEST) digest = at;
      else if (mark === ID) found = drawn;
      else if (mark === SEALED) found = seals[shut++];
      else if (mark !== SALT) found = hashes[seq - mark];
      if (found) data.set(found, at);
      else if (mark !== DIGEST && mark !== SALT) throw new Damaged(`record ${seq}`);
    }
    if (digest >= 0) {
      const [decision, seat, [picks, blind], id] = unpack(data)[4];
      data.set(picksDigest(hashes[0], seat, decision, id, blind, picks), digest);
    }
    const hash = sha256(data);
    hashes.push(hash);
    records.push({ data, hash });
  }
  if (taken !== noise.length || !same(hashes[hashes.length - 1] ?? new Uint8Array(HASH), last)) throw new Damaged("end");
  return records;
}

/** What cannot be read as values, or is nested without end, is damaged, too. @template T @param {() => T | Promise<T>} read @returns {Promise<T>} */
async function readable(read) {
  try {
    return await read();
  } catch (error) {
    throw error instanceof Damaged ? error : new Damaged(String(error));
  }
}

/**
 * What a server's answer holds: the outlines as soon as they are here, and the records, which are made when they are asked for: that is most of the work,
 * and nothing that is seen waits for it. Both throw Damaged, or what the network throws.
 * @param {ReadableStream<Uint8Array>} body @returns {Promise<{outlines: Uint8Array[], records: () => Promise<Whole[]>}>}
 */
export async function readLean(body) {
  const reader = body.getReader();
  /** @type {Uint8Array[]} */
  const chunks = [];
  let here = 0;
  // What comes behind is not asked for.
  const stop = () => void reader.cancel().catch(() => undefined);
  const until = async (/** @type {number} */ bytes) => {
    while (here < bytes) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      here += value.length;
    }
    const whole = new Uint8Array(here);
    chunks.splice(0).reduce((at, chunk) => (whole.set(chunk, at), at + chunk.length), 0);
    chunks.push(whole);
    return whole;
  };
  try {
    const head = await until(HEADER);
    if (head.length < HEADER || SIGN.some((byte, i) => head[i] !== byte)) throw new Damaged("header");
    const end = HEADER + new DataView(head.buffer).getUint32(HEADER - 4);
    if (end > ALL_BYTES_MAX) throw new Damaged("too long");
    const first = await until(end);
    if (first.length < end) throw new Damaged("end");
    const outlines = await readable(() => new Reading(first.subarray(HEADER, end)).all());
    const all = outlines.reduce((sum, { holes }) => holes.reduce((taken, [, mark]) => taken + (NOISE[mark] ?? 0), sum), end);
    // One byte more is enough to see that there are too many.
    const rest = until(all + 1).finally(stop);
    rest.catch(() => undefined);
    const records = async () => {
      const whole = await rest;
      return readable(() => filled(outlines, whole.subarray(end), whole.subarray(SIGN.length, SIGN.length + HASH)));
    };
    return { outlines: outlines.map(({ data }) => data), records };
  } catch (error) {
    stop();
    throw error;
  }
}
