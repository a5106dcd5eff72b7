// @ts-check
/**
 * The exact form of the body of every kind of record (protocol/bodies.md), so that whoever reads one behind it can rely on it. Whether what has
 * its form may stand is decided elsewhere.
 */

import { BLIND_BYTES, FORMAT, NO_KEY, actsOf, readBy } from "../records/acts.js";
import { Seal, unpack } from "../records/canon.js";
import { wrongForm } from "./docket.js";
import {
  COMMAND_ID_BYTES_MAX,
  DELAY_S_MAX,
  DELAY_TURNS_MAX,
  NAME_CHARS_MAX,
  PERSON_ID_CHARS_MAX,
  PICKS_MAX,
  SEATS_MAX,
  TEXT_CHARS_MAX,
} from "../records/limits.js";
import { say } from "../words/say.js";
import { same, sha256 } from "../records/sha256.js";

const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;
const SALT_BYTES = 16;

/** A body that has not the form of its kind: where, and what should stand there. */
export class BadShape extends Error {
  /** @param {string} what @param {(string | number)[]} [path] */
  constructor(what, path = []) {
    super(what);
    this.path = path;
  }

  /** The place in words, as "events[2][1]". */
  get place() {
    const [first, ...rest] = this.path;
    return first === undefined
      ? "body"
      : `${typeof first === "number" ? `body[${first}]` : first}${rest.map((step) => `[${step}]`).join("")}`;
  }
}

/** Throws BadShape for a value of another form. @typedef {(value: any) => void} Check */

/** @param {any} good @param {string} what */
function need(good, what) {
  if (!good) throw new BadShape(what);
}

/** Check a part of a value; what is wrong with it is told with its place. @param {Check} check @param {any} value @param {string | number} step */
function within(check, value, step) {
  try {
    check(value);
  } catch (error) {
    if (error instanceof BadShape) throw new BadShape(error.message, [step, ...error.path]);
    throw error;
  }
}

/** How many characters a text has: code points. @param {string} text @param {number} most */
const fits = (text, most) => text.length <= most || (text.length <= 2 * most && [...text].length <= most);

const isWhole = (/** @type {any} */ value) => Number.isSafeInteger(value) && value >= 0;
const whole = (/** @type {any} */ value) => need(isWhole(value), "a whole number from 0");
const number = (/** @type {any} */ value) => need(Number.isSafeInteger(value), "a whole number");
const text = (/** @type {any} */ value) => need(typeof value === "string", "text");
const flag = (/** @type {any} */ value) => need(typeof value === "boolean", "true or false");
const anything = () => undefined;
const seatOrNobody = (/** @type {any} */ value) =>
  need(value === null || typeof value === "string", "a seat or nothing");
const seal = (/** @type {any} */ value) => need(value instanceof Seal, "a seal");
const name = (/** @type {any} */ value) =>
  need(
    typeof value === "string" && value && fits(value, NAME_CHARS_MAX),
    `a name of 1 to ${NAME_CHARS_MAX} characters`,
  );
const account = (/** @type {any} */ value) =>
  need(
    typeof value === "string" && fits(value, PERSON_ID_CHARS_MAX),
    `an id of at most ${PERSON_ID_CHARS_MAX} characters, or none`,
  );
const promptKey = (/** @type {any} */ value) =>
  need(
    typeof value === "string" && value && fits(value, TEXT_CHARS_MAX),
    `a prompt's key of 1 to ${TEXT_CHARS_MAX} characters`,
  );

const isBytes = (/** @type {any} */ value, /** @type {number} */ count) =>
  value instanceof Uint8Array && value.length === count;
/** @param {number} count @returns {Check} */
const bytes = (count) => (value) => need(isBytes(value, count), `${count} bytes`);
const [hash, key, signature] = [bytes(HASH_BYTES), bytes(HASH_BYTES), bytes(SIGNATURE_BYTES)];
const digest = (/** @type {any} */ value) =>
  need(isBytes(value, HASH_BYTES) || isBytes(value, 0), `${HASH_BYTES} bytes, or none`);
const commandId = (/** @type {any} */ value) =>
  need(value instanceof Uint8Array && value.length <= COMMAND_ID_BYTES_MAX, `at most ${COMMAND_ID_BYTES_MAX} bytes`);

/** An array of any number. @param {Check} check @returns {Check} */
const each = (check) => (value) => {
  need(Array.isArray(value), "an array");
  value.forEach((/** @type {any} */ item, /** @type {number} */ index) => within(check, item, index));
};

/** An array of just these. @param {...Check} checks @returns {Check} */
const fields =
  (...checks) =>
  (value) => {
    need(Array.isArray(value) && value.length === checks.length, `an array of ${checks.length}`);
    checks.forEach((check, index) => within(check, value[index], index));
  };

/** The same with names for its fields. @param {Record<string, Check>} parts @returns {Check} */
const named = (parts) => {
  const checks = Object.entries(parts);
  return (value) => {
    need(value.length === checks.length, `an array of ${checks.length}`);
    checks.forEach(([step, check], index) => within(check, value[index], step));
  };
};

/** One of several forms, by the word with which it begins. @param {Record<string, Check>} forms @returns {Check} */
const worded = (forms) => (value) => {
  if (typeof value[0] !== "string" || !Object.hasOwn(forms, value[0]))
    throw new BadShape(Object.keys(forms).join(", "), [0]);
  forms[value[0]](value);
};

/** @param {any} value */
function picks(value) {
  need(Array.isArray(value) && value.length <= PICKS_MAX, "an array of picks");
  value.forEach((/** @type {any} */ pick, /** @type {number} */ index) => within(onePick, pick, index));
}
const onePick = (/** @type {any} */ value) =>
  need(typeof value === "string" || Number.isSafeInteger(value), "a pick: text or a number");

/** @param {any} value */
function blindedPicks(value) {
  if (value instanceof Seal) return;
  need(Array.isArray(value) && value.length === 2, "[picks, blind] or a seal");
  within(picks, value[0], 0);
  within(
    (blind) => need(isBytes(blind, 0) || isBytes(blind, BLIND_BYTES), `${BLIND_BYTES} bytes, or none`),
    value[1],
    1,
  );
}

const hiddenDraw = fields(whole, whole, text, (value) =>
  need(value instanceof Seal, "a seal, for this draw is hidden"),
);
const openDraw = fields(whole, whole, text, fields(whole, whole));
/** @param {any} value */
function draw(value) {
  need(Array.isArray(value) && value.length === 4, "an array of 4");
  (value[0] === 0 ? hiddenDraw : openDraw)(value);
}

const event = (/** @type {any} */ value) =>
  need(Array.isArray(value) && typeof value[0] === "string", "an event that begins with its tag");

/** @param {any} value */
function effects(value) {
  need(value instanceof Uint8Array, "packed effects");
  /** @type {any} */
  let found;
  try {
    found = unpack(value);
  } catch (error) {
    throw new BadShape(`packed effects (${error instanceof Error ? error.message : error})`);
  }
  need(
    Array.isArray(found) && found.every((effect) => Array.isArray(effect) && typeof effect[0] === "string"),
    "packed effects that begin with their tags",
  );
  found.forEach((/** @type {any[]} */ effect, /** @type {number} */ index) =>
    within(
      ([tag, held]) => need(tag !== "veil" || (effect.length === 2 && held instanceof Seal), "a veil with its seal"),
      effect,
      index,
    ),
  );
}

const path = (/** @type {any} */ value) => need(Array.isArray(value) && value.every(isWhole), "a path of numbers");
const openings = each(fields(whole, path, bytes(SALT_BYTES), anything));
const awaits = each(fields(text, whole, promptKey));
const args = each(fields(text, anything));

/** `by` of these numbers of fields. @param {string} what @param {...number} lengths @returns {Check} */
const acted =
  (what, ...lengths) =>
  (value) => {
    try {
      readBy(value);
    } catch {
      throw new BadShape(what);
    }
    need(lengths.includes(value.length), what);
  };
const [by, byOrNobody, byOrOrders] = [
  acted("[key, n, seen, signature]", 4),
  acted("[key, n, seen, signature] or []", 4, 0),
  acted("[key, n, seen, signature], [record of orders, entry, alternative] or []", 4, 3, 0),
];

const ASKED = ["takeback", "draw", "resign", "pause", "adjourn", "flag"];
const asked = named({ seat: text, request: text, to: whole, by });
const credit = { act: text, seat: text, ms: number, why: text, args };
const [ruledCredit, givenCredit] = [named(credit), named({ ...credit, by })];
const corrected = named({ act: text, n: whole, picks, events: each(event), effects, opened: openings });

/** The forms of bodies; a genesis is looked at by `wrongGenesis`. @type {Record<string, Check>} */
const FORMS = {
  seat: worded({
    taken: named({ act: text, seat: text, account, name, nonce_hash: hash, client: text, by }),
    nonce: named({ act: text, seat: text, nonce: hash, roster: hash, by }),
    replaced: named({ act: text, seat: text, account, name, client: text, by, handed: byOrNobody }),
    device: named({ act: text, seat: text, key, proof: signature, by }),
    revoked: named({ act: text, seat: text, key, by }),
  }),
  command: named({
    decision: whole,
    seat: text,
    picks: blindedPicks,
    command_id: commandId,
    by: byOrOrders,
    draws: each(draw),
    events: each(event),
    effects,
    opened: openings,
    flow: fields(whole, each(fields(text, anything, whole))),
    awaits,
    digest,
  }),
  ask: (value) => {
    asked(value);
    within((what) => need(ASKED.includes(what), ASKED.join(" or ")), value[1], "request");
  },
  answer: named({ seat: text, consents: flag, ask: whole, by }),
  takeback: named({ seat: text, to: whole, effects, awaits, ask: whole, by: byOrNobody }),
  orders: named({ seat: text, orders: seal, digest: hash, by }),
  rotate: named({ key, signature }),
  open: named({ epoch: whole, link: hash }),
  end: named({
    winner: seatOrNobody,
    reason: text,
    arguments: args,
    links: each(fields(whole, hash)),
    hidden: hash,
    salts: hash,
    clause: text,
    scores: each(fields(text, number)),
    by: text,
  }),
  reveal: named({ openings, last: flag }),
  clock: worded({
    flag: named({ act: text, seat: text, deadline_ms: whole, left: number }),
    pause: named({ act: text, seats: each(text), until_ms: whole }),
    resume: named({ act: text, seat: text, by }),
    credit: (value) => (value.length > Object.keys(credit).length ? givenCredit : ruledCredit)(value),
    outage: named({ act: text, from_ms: whole, to_ms: whole }),
    leave: named({ act: text, seat: text, from_ms: whole, to_ms: whole, by }),
    night: named({ act: text, seat: text, start_min: whole, length_min: whole, by }),
  }),
  ruling: (value) => {
    const field = wrongForm(value);
    if (field) throw new BadShape("of the form that its word has", [field]);
    if (value[0] === "corrected") corrected(value);
  },
};

/** Throws BadShape unless the body of a record behind the genesis has the form of its kind, and an arbiter's has no signature. @param {import("../records/chain.js").LogRecord} record */
export function checkShape({ kind, body, actor }) {
  FORMS[kind]?.(body);
  if (kind !== "clock" && kind !== "ruling") return;
  try {
    actsOf(NO_KEY, { kind, body, actor });
  } catch (error) {
    throw new BadShape(error instanceof Error ? error.message : String(error));
  }
}

// --- the genesis -----------------------------------------------------------------------------------------------------------------------

const isMap = (/** @type {any} */ value) =>
  value !== null && typeof value === "object" && !Object.getPrototypeOf(value);

/** What is wrong with terms that every game has, or "". @param {any} terms */
function wrongTerms({ delay, rated }) {
  const isUpTo = (/** @type {any} */ n, /** @type {number} */ most) => isWhole(n) && n <= most;
  if (
    !Array.isArray(delay) ||
    delay.length !== 2 ||
    !isUpTo(delay[0], DELAY_S_MAX) ||
    !isUpTo(delay[1], DELAY_TURNS_MAX)
  )
    return "delay";
  return typeof rated === "boolean" ? "" : "rated";
}

/**
 * The first thing that is wrong with record 0, without which nothing behind it can be looked at: the field, and what is wrong with it; null for none.
 * @param {import("../records/chain.js").LogRecord} record @returns {[string, import("../protocol.d.ts").SayArray] | null}
 */
export function wrongGenesis({ kind, body }) {
  const wrong = (/** @type {string} */ field, /** @type {string} */ what, key = "audit.record") =>
    /** @type {[string, import("../protocol.d.ts").SayArray]} */ ([field, say(key, { what })]);
  if (kind !== "genesis") return wrong("kind", "the first record must be the genesis");
  if (!Number.isSafeInteger(body[0])) return wrong("format", "must be a number");
  if (body[0] !== FORMAT) return ["format", say("audit.header_format", { header: FORMAT, format: body[0] })];
  if (body.length !== 15) return wrong("body", "a genesis has 15 fields");
  const [
    ,
    game,
    title,
    version,
    sources,
    options,
    seats,
    pack,
    packDigest,
    chain,
    hidden,
    salts,
    serverKey,
    terms,
    parent,
  ] = body;
  if (!Array.isArray(seats) || seats.length > SEATS_MAX)
    return wrong("seats", `an array of at most ${SEATS_MAX} seats`);
  if (!isMap(terms) || parent !== null) return wrong("terms", "terms are a map, and parent is nil", "acts.terms");
  const term = wrongTerms(terms);
  if (term) return wrong("terms", term, "acts.terms");
  if (![game, title, version, ...seats].every((one) => typeof one === "string") || !isMap(options))
    return wrong("body", "names must be text and options a map");
  if (
    ![sources, packDigest, chain, hidden, salts, serverKey].every((one) => isBytes(one, HASH_BYTES)) ||
    !(pack instanceof Uint8Array)
  )
    return wrong("body", `digests and keys must be ${HASH_BYTES} bytes`);
  if (!same(sha256(pack), packDigest)) return wrong("pack", "its digest does not match");
  if (!seats.length || new Set(seats).size !== seats.length) return wrong("seats", "seats must differ");
  try {
    unpack(pack);
  } catch (error) {
    return wrong("pack", error instanceof Error ? error.message : String(error));
  }
  return null;
}
