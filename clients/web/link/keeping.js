// @ts-check
/**
 * What this browser keeps for good, in IndexedDB: keys of seats (not readable), numbers for the dice, every signed act from before it is
 * sent, and receipts. All of it is bound to one genesis and one seat; nothing of it is ever used for another.
 *
 *     papers    a seat: its key, its nonce, how far its ceremony went
 *     acts      what was signed, blind included, with what became of it
 *     heads     records that a server signed
 *     servers   the key that each address showed first
 */

import { hex } from "../records/sha256.js";

const NAME = "warledger";
const VERSION = 1;
const STORES = {
  papers: ["genesis", "seat"],
  acts: ["genesis", "seat", "key", "n"],
  heads: ["game", "seat", "seq", "hash"],
  servers: ["origin"],
};

/** @typedef {keyof typeof STORES} Store */
/**
 * @typedef {{genesis: string, seat: string, game: string, server: string, secret: CryptoKey | null, open: Uint8Array, nonce: Uint8Array | null, name: string,
 *   shown: boolean, began: boolean, ended: boolean, witnessed: boolean, guest: {secret: CryptoKey, open: Uint8Array} | null}} Papers
 * `shown`: the nonce may have been seen by the server; `guest`: a one-time key that this browser's own key was let in by
 * @typedef {{genesis: string, seat: string, key: string, n: number, kind: import("../protocol.d.ts").Messages["act"][2], seen: Uint8Array, seenSeq: number, body: any[], signature: Uint8Array, private: any,
 *   accepted: number, stood: number, declined: null | {refusal: any, seq: number, hash: Uint8Array, signature: Uint8Array}}} Entry
 * `accepted` and `stood`: the record that the server named, and where it was found; -1 while unknown
 * @typedef {{game: string, seat: string, seq: number, hash: string, bytes: Uint8Array, signature: Uint8Array}} KeptHead
 */

/** @type {Promise<IDBDatabase> | null} */
let opened = null;

/** @returns {Promise<IDBDatabase>} */
function database() {
  opened ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, VERSION);
    asked.onupgradeneeded = () => {
      for (const [store, keyPath] of Object.entries(STORES)) asked.result.createObjectStore(store, { keyPath });
    };
    asked.onsuccess = () => {
      // Another tab with a newer page may want to upgrade the database.
      asked.result.onversionchange = () => asked.result.close();
      resolve(asked.result);
    };
    asked.onerror = () => reject(asked.error);
    asked.onblocked = () => reject(new Error("blocked by another tab of this page"));
  });
  return opened;
}

/** Ask the browser not to delete it on its own. It may refuse, and nothing more can be done then. */
export async function forGood() {
  try {
    await navigator.storage?.persist?.();
  } catch {
    // Not every browser can be asked.
  }
}

/** What is stored under a key, or undefined. @param {Store} store @param {any[]} key @returns {Promise<any>} */
export async function get(store, key) {
  const base = await database();
  return new Promise((resolve, reject) => {
    const asked = base.transaction(store).objectStore(store).get(key);
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

/** All whose key begins so, in order. @param {Store} store @param {any[]} [begins] @returns {Promise<any[]>} */
export async function all(store, begins = []) {
  const base = await database();
  const range = begins.length ? IDBKeyRange.bound(begins, [...begins, []]) : undefined;
  return new Promise((resolve, reject) => {
    const asked = base.transaction(store).objectStore(store).getAll(range);
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

/** Write these, all or none; it is on the disk when this returns. @param {[Store, any][]} values */
export async function put(...values) {
  const base = await database();
  const stores = [...new Set(values.map(([store]) => store))];
  return new Promise((resolve, reject) => {
    const writing = base.transaction(stores, "readwrite", { durability: "strict" });
    for (const [store, value] of values) writing.objectStore(store).put(value);
    writing.oncomplete = () => resolve(undefined);
    writing.onerror = writing.onabort = () => reject(writing.error ?? new Error("nothing could be kept"));
  });
}

/** Hold a lock against the other tabs of this browser meanwhile. @template T @param {string} what @param {() => Promise<T>} act @returns {Promise<T>} */
export function alone(what, act) {
  return navigator.locks
    ? /** @type {Promise<T>} */ (navigator.locks.request(`${NAME} ${what}`, act))
    : inTurn(what, act);
}

/** @type {Map<string, Promise<any>>} */
const turns = new Map();

/** Plain http has no locks between tabs: at least this tab does one thing at a time. @template T @param {string} what @param {() => Promise<T>} act @returns {Promise<T>} */
function inTurn(what, act) {
  const done = (turns.get(what) ?? Promise.resolve()).then(act, act);
  turns.set(
    what,
    done.catch(() => undefined),
  );
  return done;
}

/**
 * Compare what a server calls its key with what this address showed first.
 * @param {Uint8Array} key @returns {Promise<{changed: boolean, known: Uint8Array}>}
 */
export async function pinned(key) {
  const origin = location.host;
  const known = await get("servers", [origin]);
  if (known) return { changed: hex(known.key) !== hex(key), known: known.key };
  await pin(key);
  return { changed: false, known: key };
}

/** From now on this is the server's key. @param {Uint8Array} key */
export const pin = (key) => put(["servers", { origin: location.host, key }]);
