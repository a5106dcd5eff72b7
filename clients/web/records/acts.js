// @ts-check
/**
 * What seats sign: acts, and the digests that stand for picks and orders until they are opened (protocol/acts.md).
 * An act is [genesis hash, key, seat, kind, n, seen, body]. `by` in a record is [key, n, seen, signature], or [record of the standing
 * answers] that the server followed, or [] where no seat acted.
 */

import { pack } from "./canon.js";
import { NAME_CHARS_MAX, PERSON_ID_CHARS_MAX } from "./limits.js";
import { sha256 } from "./sha256.js";

const tag = (/** @type {string} */ text) => new TextEncoder().encode(text);
const ACT = tag("warledger/act/2");
const PICKS = tag("warledger/picks/2");
const ORDERS = tag("warledger/orders/2");
const ROSTER = tag("warledger/roster/2");
const TABLE = tag("warledger/table/2");
const DEVICE = tag("warledger/device/2");
const WITNESS = tag("warledger/witness/2");
const ROTATE = tag("warledger/rotate/2");
const REFUSAL = tag("warledger/refusal/2");
const HEAD = tag("warledger/head/1");
const NONCE = tag("warledger/nonce/2");

/** The format of every log; this page reads no other. */
export const FORMAT = 3;
export const NO_KEY = new Uint8Array(0);
export const BLIND_BYTES = 32;
const HASH_BYTES = 32;

/** The kinds of records. */
export const KINDS = new Set([
  "genesis",
  "seat",
  "command",
  "ask",
  "answer",
  "takeback",
  "open",
  "end",
  "orders",
  "rotate",
  "reveal",
  "clock",
  "ruling",
]);

/** Whether a takeback may go back to a record. @param {{kind: string, body: any[]}} record */
export const stands = ({ kind, body }) =>
  kind === "command" || kind === "takeback" || (kind === "ruling" && body[0] === "corrected");

/** Places in the body of a command. */
export const AT = {
  decision: 0,
  seat: 1,
  picks: 2,
  id: 3,
  by: 4,
  draws: 5,
  events: 6,
  effects: 7,
  opened: 8,
  awaits: 10,
  digest: 11,
};

/** @typedef {Uint8Array} Bytes */
/** @typedef {import("../protocol.d.ts").By} By */
/** @typedef {import("../protocol.d.ts").Actor} Actor */
/** @typedef {import("../protocol.d.ts").Bodies} Bodies */
/** @typedef {By & {genesis: Bytes, seat: string, kind: string, body: any[]}} Act */

/** @param {Bytes} head @param {any} value */
function tagged(head, value) {
  const rest = pack(value);
  const whole = new Uint8Array(head.length + rest.length);
  whole.set(head);
  whole.set(rest, head.length);
  return whole;
}

/** What the signature of an act covers. @param {{genesis: Bytes, key: Bytes, seat: string, kind: string, n: number, seen: Bytes, body: any[]}} act */
export const signedBytes = ({ genesis, key, seat, kind, n, seen, body }) =>
  tagged(ACT, [genesis, key, seat, kind, n, seen, body]);

/** What identifies an act in a refusal. @param {Act} act */
export const actHash = (act) => sha256(signedBytes(act));

/** @param {Bytes} genesis @param {string} seat @param {number} decision @param {Bytes} id @param {Bytes} blind @param {any[]} picks */
export const picksDigest = (genesis, seat, decision, id, blind, picks) =>
  sha256(tagged(PICKS, [genesis, seat, decision, id, blind, picks]));

/** @param {Bytes} genesis @param {string} seat @param {Bytes} blind @param {any[]} orders */
export const ordersDigest = (genesis, seat, blind, orders) => sha256(tagged(ORDERS, [genesis, seat, blind, orders]));

/** What each seat signs with its nonce. @param {Bytes} genesis @param {[string, string, string, Bytes, Bytes][]} entries seat, account, name, key, nonce hash */
export const rosterHash = (genesis, entries) => sha256(tagged(ROSTER, [genesis, entries]));

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The code of a table, for its players to compare: 60 bits. @param {Bytes} genesis @param {[string, string, string, Bytes][]} entries @param {Bytes[]} nonces */
export function tableCode(genesis, entries, nonces) {
  const digest = sha256(tagged(TABLE, [genesis, entries, nonces]));
  const number = new DataView(digest.buffer).getBigUint64(0) >> 4n;
  const letters = Array.from({ length: 12 }, (_, i) => CROCKFORD[Number((number >> BigInt(5 * (11 - i))) & 31n)]).join(
    "",
  );
  return `${letters.slice(0, 4)}-${letters.slice(4, 8)}-${letters.slice(8)}`;
}

/** @param {Bytes} genesis @param {string} seat @param {Bytes} key the new one @param {Bytes} signer */
export const deviceBytes = (genesis, seat, key, signer) => tagged(DEVICE, [genesis, seat, key, signer]);
/** @param {Bytes} genesis @param {number} seq @param {Bytes} hash */
export const witnessBytes = (genesis, seq, hash) => tagged(WITNESS, [genesis, seq, hash]);
/** @param {Bytes} genesis @param {Bytes} old @param {Bytes} key */
export const rotateBytes = (genesis, old, key) => tagged(ROTATE, [genesis, old, key]);
/** @param {Bytes} act its hash @param {number} seq @param {Bytes} head */
export const refusalBytes = (act, seq, head) => tagged(REFUSAL, [act, seq, head]);
/** @param {string} game @param {number} seq @param {Bytes} hash */
export const headBytes = (game, seq, hash) => tagged(HEAD, [game, seq, hash]);

/** A seat's commitment to its nonce, bound to the genesis. @param {Bytes} genesis @param {string} seat @param {Bytes} nonce */
export const boundNonceHash = (genesis, seat, nonce) => sha256(tagged(NONCE, [genesis, seat, nonce]));

// --- the end ---------------------------------------------------------------------------------------------------------------------

/** The body of an `end`. @param {any[]} body @returns {import("../protocol.d.ts").End} */
export function readEnd(body) {
  if (body.length !== 9) throw new Error(`an end has 9 fields, not ${body.length}`);
  const [winner, key, args, links, hidden, salts, rule, scores, by] = /** @type {Bodies["end"]} */ (body);
  return { winner, reason: [key, args, rule], links, hidden, salts, scores, by };
}

/** The openings in a record that make public what they open. @param {{kind: string, body: any[]}} record @returns {any[][]} */
export function openedBy({ kind, body }) {
  return kind === "command" ? body[AT.opened] : kind === "reveal" ? body[0] : [];
}

// --- who acts -------------------------------------------------------------------------------------------------------------------------

const within = (/** @type {any} */ value, /** @type {number} */ most) =>
  typeof value === "string" && value !== "" && [...value].length <= most;

/** Whether an actor is an arbiter. @param {any} actor */
export const isArbiter = (actor) =>
  Array.isArray(actor) &&
  actor.length === 2 &&
  within(actor[0], PERSON_ID_CHARS_MAX) &&
  within(actor[1], NAME_CHARS_MAX);

/** What an actor is compared by. @param {Actor} actor */
export const idOf = (actor) => (typeof actor === "string" ? actor : actor[0]);

/** What an actor is called. @param {Actor} actor */
export const called = (actor) => (typeof actor === "string" ? actor : actor[1]);

/** Whether the names of somebody who sits down are what they may be. @param {any} account @param {any} name */
export const isPlayer = (account, name) =>
  (account === "" || within(account, PERSON_ID_CHARS_MAX)) && within(name, NAME_CHARS_MAX);

/** Whether a record is the last one. @param {{kind: string, body: any[]}} record */
export const closesLog = ({ kind, body }) => kind === "reveal" && body[1] === true;

// --- acts in records ----------------------------------------------------------------------------------------------------------------

const isBytes = (/** @type {any} */ value, /** @type {number[]} */ ...lengths) =>
  value instanceof Uint8Array && lengths.includes(value.length);

/** `by` as it stands in a record: who acted, the standing answer that a command gives, or null. Throws for anything else. @param {any} value @returns {By | import("../protocol.d.ts").ByOrders | null} */
export function readBy(value) {
  if (Array.isArray(value)) {
    if (!value.length) return null;
    if (value.length === 3 && value.every((item) => Number.isSafeInteger(item) && item >= 0) && value[0] > 0) {
      const [orders, entry, alternative] = value;
      return { orders, entry, alternative };
    }
    if (value.length === 4) {
      const [key, n, seen, signature] = value;
      const signed = isBytes(key, 32) && isBytes(signature, 64);
      const unsigned = isBytes(key, 0) && isBytes(signature, 0);
      if ((signed || unsigned) && Number.isSafeInteger(n) && n > 0 && isBytes(seen, HASH_BYTES))
        return { key, n, seen, signature };
    }
  }
  throw new Error("by is [key, n, seen, signature], [record of orders, entry, alternative] or []");
}

/** The words of `clock` and `ruling` records with their numbers of fields; what a seat may write itself has `by` behind them then. @type {Record<string, Record<string, number>>} */
const TOLD = {
  clock: { flag: 4, pause: 3, resume: 2, credit: 5, outage: 3, leave: 4, night: 4 },
  ruling: {
    claim: 6,
    heard: 2,
    looked: 4,
    frozen: 2,
    said: 3,
    ruled: 6,
    corrected: 6,
    appeal: 3,
    thawed: 2,
    withdrawn: 2,
    waived: 2,
  },
};
const SEATS_OWN = new Set(["resume", "credit", "leave", "night", "claim", "said", "appeal", "withdrawn", "waived"]);

/** The act that a `clock` or `ruling` record shows, if a seat wrote it. @param {Actor} actor @param {string} kind @param {any[]} body @returns {[string, string, any, any[]][]} */
function toldActs(actor, kind, body) {
  const fields = typeof body[0] === "string" && Object.hasOwn(TOLD[kind], body[0]) ? TOLD[kind][body[0]] : -1;
  if (body.length === fields) return [];
  if (body.length !== fields + 1 || !SEATS_OWN.has(body[0]))
    throw new Error(`a record does not tell ${body[0]} like this`);
  const by = body[fields];
  if (!Array.isArray(by) || !by.length) throw new Error("by is [key, n, seen, signature]");
  if (typeof actor !== "string") throw new Error("an arbiter signs nothing");
  return [[actor, kind, by, body.slice(0, -1)]];
}

/** The acts in a record: none if no seat acted, two if a seat was handed over. @param {Bytes} genesis @param {{kind: string, body: any[], actor?: Actor}} record @returns {Act[]} */
export function actsOf(genesis, { kind, body, actor = "" }) {
  /** @type {[string, string, any, any[]][]} */
  let found = [];
  if (kind === "seat") found = seatActs(body);
  else if (kind === "command")
    found =
      body[AT.by].length !== 4
        ? []
        : [[body[AT.seat], "command", body[AT.by], [body[AT.decision], body[AT.id], body[AT.digest]]]];
  else if (kind === "ask") found = [[body[0], "ask", body[3], [body[1], body[2]]]];
  else if (kind === "answer") found = [[body[0], "answer", body[3], [body[2], body[1]]]];
  else if (kind === "takeback") found = [[body[0], "ask", body[5], ["takeback", body[1]]]];
  else if (kind === "orders") found = [[body[0], "orders", body[3], [body[2]]]];
  else if (kind === "clock" || kind === "ruling") found = toldActs(actor, kind, body);
  return found
    .filter(([, , by]) => by.length)
    .map(([seat, what, by, rest]) => {
      const read = readBy(by);
      if (read === null || "orders" in read) throw new Error("by is [key, n, seen, signature]");
      return { ...read, genesis, seat, kind: what, body: rest };
    });
}

/** @param {any[]} body @returns {[string, string, any, any[]][]} */
function seatActs([what, seat, ...rest]) {
  if (what === "taken") return [[seat, what, rest[4], rest.slice(0, 4)]];
  if (what === "nonce") return [[seat, what, rest[2], rest.slice(0, 2)]];
  if (what === "device") return [[seat, what, rest[2], [rest[0]]]];
  if (what === "revoked") return [[seat, what, rest[1], [rest[0]]]];
  if (what !== "replaced") throw new Error(`a seat is not ${what}`);
  const [account, name, client, by, handed] = rest;
  return [
    [seat, "replaced", by, [account, name, client]],
    [seat, "handed", handed, [name, by[0]]],
  ];
}
