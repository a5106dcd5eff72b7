// @ts-check
/**
 * Ed25519 by the browser's own WebCrypto; there is no cryptography of our own here. A signature holds by one rule in all of Warledger, libsodium's: what
 * WebCrypto does not look at (encodings that are not canonical, points of small order) is refused by comparing bytes.
 *
 * On plain http a browser gives pages no WebCrypto, and older ones know no Ed25519: `able()` is false then.
 */

import { hex } from "./sha256.js";

const ALGORITHM = { name: "Ed25519" };
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The prime 2^255 − 19, little end first. */
const P = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 0xed : i === 31 ? 0x7f : 0xff));

/** Every encoding of a point of small order, without the sign's bit: 0, 1, −1 and the two of order eight (others are not canonical). */
const SMALL_ORDER = new Set([
  "00".repeat(32),
  `01${"00".repeat(31)}`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  `ec${"ff".repeat(30)}7f`,
]);

/** Whether 32 bytes may encode a point: canonical, and not of small order. @param {Uint8Array} point */
export function isPoint(point) {
  const y = point.slice();
  y[31] &= 0x7f;
  for (let i = 31; i >= 0; i--) {
    if (y[i] < P[i]) return !SMALL_ORDER.has(hex(y));
    if (y[i] > P[i]) return false;
  }
  return false;
}

/** @type {Promise<boolean> | null} */
let known = null;

/** Whether this browser can sign and verify on this page. @returns {Promise<boolean>} */
export function able() {
  known ??= (async () => {
    try {
      if (!globalThis.crypto?.subtle) return false;
      await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]);
      return true;
    } catch {
      return false;
    }
  })();
  return known;
}

/** Whether the signature of the message is valid under the key. @param {Uint8Array} key @param {Uint8Array} message @param {Uint8Array} signature @returns {Promise<boolean>} */
export async function verify(key, message, signature) {
  if (key.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  if (!isPoint(key) || !isPoint(signature.subarray(0, KEY_BYTES))) return false;
  try {
    const imported = await crypto.subtle.importKey("raw", /** @type {any} */ (key), ALGORITHM, false, ["verify"]);
    return await crypto.subtle.verify(
      ALGORITHM,
      imported,
      /** @type {any} */ (signature),
      /** @type {any} */ (message),
    );
  } catch {
    return false;
  }
}

/** A key pair: `secret` signs and cannot be read, not even by this page. @typedef {{secret: CryptoKey, open: Uint8Array}} KeyPair */

/** @returns {Promise<KeyPair>} */
export async function makeKey() {
  const pair = /** @type {CryptoKeyPair} */ (await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]));
  return { secret: pair.privateKey, open: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)) };
}

/** A key that is sent to another browser once, as text for an address. @returns {Promise<{pair: KeyPair, text: string}>} */
export async function makeOneTimeKey() {
  const made = /** @type {CryptoKeyPair} */ (await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]));
  const { d, x } = await crypto.subtle.exportKey("jwk", made.privateKey);
  const text = `${d}.${x}`;
  return { pair: await keyFromText(text), text };
}

/** The key in such a text, from then on unreadable. Throws if the text is not one. @param {string} text @returns {Promise<KeyPair>} */
export async function keyFromText(text) {
  const [d, x] = text.split(".");
  const jwk = { kty: "OKP", crv: "Ed25519", d, x };
  const secret = await crypto.subtle.importKey("jwk", jwk, ALGORITHM, false, ["sign"]);
  const open = await crypto.subtle.importKey("jwk", { kty: "OKP", crv: "Ed25519", x }, ALGORITHM, true, ["verify"]);
  return { secret, open: new Uint8Array(await crypto.subtle.exportKey("raw", open)) };
}

/** @param {CryptoKey} secret @param {Uint8Array} message @returns {Promise<Uint8Array>} */
export async function sign(secret, message) {
  return new Uint8Array(await crypto.subtle.sign(ALGORITHM, secret, /** @type {any} */ (message)));
}
