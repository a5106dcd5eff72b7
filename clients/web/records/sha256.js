// @ts-check
/**
 * SHA-256. The browser's own digest is asynchronous and exists only on secure pages; a club's server on the local network often is not
 * one, and records must be verified in order as they arrive, so this small synchronous one is used for all.
 */

// Signed, so that sums stay whole numbers of 32 bits.
const K = new Int32Array(64);
const H0 = new Int32Array(8);
{
  // The constants are the fractional bits of the cube and square roots of the first primes, so they are worked out, not listed.
  /** @param {number} x */
  const fraction = (x) => ((x - Math.floor(x)) * 0x100000000) >>> 0;
  let n = 2;
  for (let found = 0; found < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++)
      if (n % d === 0) {
        prime = false;
        break;
      }
    if (!prime) continue;
    if (found < 8) H0[found] = fraction(Math.sqrt(n));
    K[found++] = fraction(Math.cbrt(n));
  }
}

const W = new Int32Array(64);

/**
 * @param {...Uint8Array} parts hashed as if they were one
 * @returns {Uint8Array} 32 bytes
 */
export function sha256(...parts) {
  let length = 0;
  for (const part of parts) length += part.length;
  const padded = new Uint8Array((length + 72) & ~63);
  let at = 0;
  for (const part of parts) {
    padded.set(part, at);
    at += part.length;
  }
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(length / 0x20000000));
  view.setUint32(padded.length - 4, (length << 3) >>> 0);
  const h = H0.slice();
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) W[i] = view.getInt32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const x = W[i - 15];
      const y = W[i - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      W[i] = (((W[i - 16] + s0) | 0) + ((W[i - 7] + s1) | 0)) | 0;
    }
    let a = h[0],
      b = h[1],
      c = h[2],
      d = h[3],
      e = h[4],
      f = h[5],
      g = h[6],
      k = h[7];
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (((k + s1) | 0) + (((e & f) ^ (~e & g)) + ((K[i] + W[i]) | 0))) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      k = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
    h[5] += f;
    h[6] += g;
    h[7] += k;
  }
  const out = new Uint8Array(32);
  const outView = new DataView(out.buffer);
  for (let i = 0; i < 8; i++) outView.setInt32(4 * i, h[i]);
  return out;
}

const BLOCK_BYTES = 64;

/** HMAC-SHA-256, for dice: the key has at most 64 bytes. @param {Uint8Array} key @param {Uint8Array} message */
export function hmac(key, message) {
  const padded = (/** @type {number} */ with_) =>
    Uint8Array.from({ length: BLOCK_BYTES }, (_, i) => (key[i] ?? 0) ^ with_);
  return sha256(padded(0x5c), sha256(padded(0x36), message));
}

/** @param {Uint8Array} a @param {Uint8Array} b */
export function same(a, b) {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** @param {Uint8Array} bytes */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
