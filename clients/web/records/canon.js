// @ts-check
/**
 * Canonical msgpack, as in protocol/file.md: null, booleans, whole numbers within ±(2^53−1), text, bytes (Uint8Array), arrays, maps
 * (plain objects, keys ascending) and seals (extension type 1, 32 bytes). What is read is decoded, encoded again and compared, so a value
 * has one spelling. Text is any UTF-8: nothing is removed from it, and nothing else about it is looked at.
 */

import { NESTING_LEVELS_MAX } from "./limits.js";

export class Seal {
  /** @param {Uint8Array} digest */
  constructor(digest) {
    this.digest = digest;
  }
}

export class NotCanonical extends Error {}

// A leading U+FEFF belongs to the text.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * The value of these bytes. Throws unless they are its canonical encoding.
 * @param {Uint8Array} bytes
 * @returns {any}
 */
export function unpack(bytes) {
  const [value, end] = decode(bytes);
  if (end !== bytes.length) throw new NotCanonical("bytes after the end");
  return value;
}

/**
 * Reads values that stand one after the other, each in at most so many bytes: gives the next, and undefined behind the last. Throws unless it stands in its
 * canonical encoding.
 * @param {Uint8Array} bytes @param {number} most @returns {() => any}
 */
export function unpacking(bytes, most) {
  let at = 0;
  return () => {
    if (at >= bytes.length) return undefined;
    const [value, end] = decode(bytes.subarray(at, at + most));
    at += end;
    return value;
  };
}

/** The value that these bytes begin with, and where it ends. @param {Uint8Array} bytes @returns {[any, number]} */
function decode(bytes) {
  const [value, end] = spelt(bytes);
  encode(value);
  if (size !== end) throw new NotCanonical("not in the canonical form");
  for (let i = 0; i < size; i++) if (buffer[i] !== bytes[i]) throw new NotCanonical("not in the canonical form");
  return [value, end];
}

/** The same for a value in whatever spelling. @param {Uint8Array} bytes @returns {[any, number]} */
function spelt(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;

  /** @param {number} n */
  const need = (n) => {
    if (at + n > bytes.length) throw new NotCanonical("cut short");
    const from = at;
    at += n;
    return from;
  };
  /** @param {number} n */
  const raw = (n) => {
    const from = need(n);
    return bytes.subarray(from, from + n);
  };
  /** @param {bigint} big */
  const safe = (big) => {
    const number = Number(big);
    if (!Number.isSafeInteger(number)) throw new NotCanonical("a number outside ±(2^53−1)");
    return number;
  };
  /** @param {number} n @param {number} depth */
  const array = (n, depth) => {
    if (depth >= NESTING_LEVELS_MAX || n > bytes.length - at) throw new NotCanonical("nested too deep or too long");
    const out = new Array(n);
    for (let i = 0; i < n; i++) out[i] = value(depth + 1);
    return out;
  };
  /** @param {number} n @param {number} depth */
  const map = (n, depth) => {
    if (depth >= NESTING_LEVELS_MAX || n > bytes.length - at) throw new NotCanonical("nested too deep or too long");
    /** @type {Record<string, any>} */
    const out = Object.create(null);
    for (let i = 0; i < n; i++) {
      const key = value(depth + 1);
      if (typeof key !== "string") throw new NotCanonical("a map's keys must be text");
      out[key] = value(depth + 1);
    }
    return out;
  };
  /** @param {number} n */
  const ext = (n) => {
    const type = view.getInt8(need(1));
    const data = raw(n);
    if (type !== 1 || n !== 32) throw new NotCanonical("unknown extension type");
    return new Seal(data.slice());
  };

  /** @param {number} depth @returns {any} */
  function value(depth) {
    const tag = bytes[need(1)];
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 256;
    if (tag < 0x90) return map(tag & 15, depth);
    if (tag < 0xa0) return array(tag & 15, depth);
    if (tag < 0xc0) return decoder.decode(raw(tag & 31));
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return raw(view.getUint8(need(1))).slice();
      case 0xc5:
        return raw(view.getUint16(need(2))).slice();
      case 0xc6:
        return raw(view.getUint32(need(4))).slice();
      case 0xc7:
        return ext(view.getUint8(need(1)));
      case 0xcc:
        return view.getUint8(need(1));
      case 0xcd:
        return view.getUint16(need(2));
      case 0xce:
        return view.getUint32(need(4));
      case 0xcf:
        return safe(view.getBigUint64(need(8)));
      case 0xd0:
        return view.getInt8(need(1));
      case 0xd1:
        return view.getInt16(need(2));
      case 0xd2:
        return view.getInt32(need(4));
      case 0xd3:
        return safe(view.getBigInt64(need(8)));
      case 0xd9:
        return decoder.decode(raw(view.getUint8(need(1))));
      case 0xda:
        return decoder.decode(raw(view.getUint16(need(2))));
      case 0xdb:
        return decoder.decode(raw(view.getUint32(need(4))));
      case 0xdc:
        return array(view.getUint16(need(2)), depth);
      case 0xdd:
        return array(view.getUint32(need(4)), depth);
      case 0xde:
        return map(view.getUint16(need(2)), depth);
      case 0xdf:
        return map(view.getUint32(need(4)), depth);
      default:
        throw new NotCanonical(`unexpected byte 0x${tag.toString(16)}`);
    }
  }

  return [value(0), at];
}

/**
 * The canonical bytes of a value.
 * @param {any} value
 * @returns {Uint8Array}
 */
export function pack(value) {
  encode(value);
  return buffer.slice(0, size);
}

/** Where values are encoded, one after the other: the first `size` bytes are those of the newest. */
let buffer = new Uint8Array(1 << 12);
let room = new DataView(buffer.buffer);
let size = 0;
/** A buffer that has held more than this is not kept. */
const BUFFER_BYTES_MAX = 1 << 22;

/** @param {any} value */
function encode(value) {
  if (buffer.length > BUFFER_BYTES_MAX) {
    buffer = new Uint8Array(1 << 12);
    room = new DataView(buffer.buffer);
  }
  size = 0;
  write(value);
}

/** Make room, and say where it begins. @param {number} n */
function grow(n) {
  if (size + n > buffer.length) {
    const bigger = new Uint8Array(Math.max(buffer.length * 2, size + n));
    bigger.set(buffer);
    buffer = bigger;
    room = new DataView(buffer.buffer);
  }
  const from = size;
  size += n;
  return from;
}

/** @param {number} n */
function byte(n) {
  const from = grow(1);
  buffer[from] = n;
}

/** @param {"setInt8"|"setUint16"|"setInt16"|"setUint32"|"setInt32"|"setBigUint64"|"setBigInt64"} how @param {number} n @param {any} number */
function put(how, n, number) {
  const from = grow(n);
  /** @type {any} */ (room)[how](from, number);
}

/** @param {Uint8Array} data */
function octets(data) {
  const from = grow(data.length);
  buffer.set(data, from);
}

/** @param {number} n @param {number} small @param {number} limit @param {number} b8 @param {number} b16 @param {number} b32 */
function head(n, small, limit, b8, b16, b32) {
  if (n < limit) byte(small | n);
  else if (b8 && n < 0x100) {
    byte(b8);
    byte(n);
  } else if (n < 0x10000) {
    byte(b16);
    put("setUint16", 2, n);
  } else {
    byte(b32);
    put("setUint32", 4, n);
  }
}

/** @param {number} n */
function int(n) {
  if (!Number.isSafeInteger(n)) throw new NotCanonical(`${n} cannot be sent`);
  if (n >= 0) {
    if (n < 0x80) byte(n);
    else if (n < 0x100) {
      byte(0xcc);
      byte(n);
    } else if (n < 0x10000) {
      byte(0xcd);
      put("setUint16", 2, n);
    } else if (n < 0x100000000) {
      byte(0xce);
      put("setUint32", 4, n);
    } else {
      byte(0xcf);
      put("setBigUint64", 8, BigInt(n));
    }
  } else if (n >= -32) byte(n & 0xff);
  else if (n >= -0x80) {
    byte(0xd0);
    put("setInt8", 1, n);
  } else if (n >= -0x8000) {
    byte(0xd1);
    put("setInt16", 2, n);
  } else if (n >= -0x80000000) {
    byte(0xd2);
    put("setInt32", 4, n);
  } else {
    byte(0xd3);
    put("setBigInt64", 8, BigInt(n));
  }
}

/** @param {string} item */
function text(item) {
  // Most texts are short and of ASCII: the encoder takes much longer for those.
  const begun = size;
  if (item.length < 0x100) {
    head(item.length, 0xa0, 32, 0xd9, 0xda, 0xdb);
    const from = grow(item.length);
    let i = 0;
    for (; i < item.length; i++) {
      const code = item.charCodeAt(i);
      if (code >= 0x80) break;
      buffer[from + i] = code;
    }
    if (i === item.length) return;
    size = begun;
  }
  // The encoder would write another character for a surrogate by itself.
  if (/[\ud800-\udfff]/u.test(item)) throw new NotCanonical("text with a surrogate");
  const data = encoder.encode(item);
  head(data.length, 0xa0, 32, 0xd9, 0xda, 0xdb);
  octets(data);
}

/** @param {any} item */
function write(item) {
  if (item === null || item === undefined) byte(0xc0);
  else if (item === false) byte(0xc2);
  else if (item === true) byte(0xc3);
  else if (typeof item === "number") int(item);
  else if (typeof item === "string") text(item);
  else if (item instanceof Uint8Array) {
    head(item.length, 0, 0, 0xc4, 0xc5, 0xc6);
    octets(item);
  } else if (Array.isArray(item)) {
    head(item.length, 0x90, 16, 0, 0xdc, 0xdd);
    for (const part of item) write(part);
  } else if (item instanceof Seal) {
    byte(0xc7);
    byte(32);
    byte(1);
    octets(item.digest);
  } else {
    const keys = Object.keys(item).sort(byCodePoints);
    head(keys.length, 0x80, 16, 0, 0xde, 0xdf);
    for (const key of keys) {
      write(key);
      write(item[key]);
    }
  }
}

/** The order of a map's keys; JavaScript's own is by halves of characters beyond the basic plane, which come last. @param {string} a @param {string} b */
function byCodePoints(a, b) {
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (one === other) continue;
    const [half, otherHalf] = [isHalf(one), isHalf(other)];
    return half === otherHalf ? one - other : Number(half) - Number(otherHalf);
  }
  return a.length - b.length;
}

const isHalf = (/** @type {number} */ unit) => unit >= 0xd800 && unit < 0xe000;
