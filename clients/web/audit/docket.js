// @ts-check
/**
 * Claims and rulings in a game's log, as protocol/log/docket.py has them: what is open, what an arbiter may write, and what must follow a ruling. An
 * arbiter signs nothing, so all that a server could do under the name of one is bounded here.
 */

import { called, idOf, isArbiter } from "../records/acts.js";
import {
  CLAIMS_MAX,
  CLAIMS_OPEN_MAX,
  CLAIM_CHARS_MAX,
  CLAUSE_CHARS_MAX,
  CLOCK_MS_MAX,
  NAME_CHARS_MAX,
  PERSON_ID_CHARS_MAX,
  PICKS_MAX,
  REMEDIES_MAX,
} from "../records/limits.js";
import { otherOfTwo } from "./owed.js";

const CHARS = /** @type {Record<string, number>} */ ({ text: CLAIM_CHARS_MAX, clause: CLAUSE_CHARS_MAX });
const BY_FLAG = 0;
const SERVER = "server";
/** the place in a command of those who are asked next */
export const AWAITS = 10;

/** The fields of each word, in order. @type {Record<string, string[]>} */
const FIELDS = {
  claim: ["n", "seat", "at_seq", "clause", "text"],
  heard: ["n"],
  looked: ["audience", "from_seq", "to_seq"],
  frozen: ["n"],
  said: ["n", "text"],
  ruled: ["n", "finding", "clause", "text"],
  corrected: ["n"],
  appeal: ["n", "text"],
  thawed: ["n"],
  withdrawn: ["n"],
  waived: ["seat"],
};
const NUMBERS = new Set(["n", "at_seq", "from_seq", "to_seq"]);
/** The types of what stands behind a remedy's word; "seat?": a seat, or nothing. @type {Record<string, string[]>} */
const REMEDIES = {
  stand: [],
  back: ["number"],
  time: ["string", "number"],
  correct: [],
  forfeit: ["string"],
  draw: [],
  adjudicate: ["seat?"],
  warn: ["string"],
  penalty: ["string", "string"],
  replace: ["string"],
};
const ENDING = ["forfeit", "draw", "adjudicate"];
const LOGGED = ["back", "time", "correct", ...ENDING];
/** What ended a game, by the reason of its end. @type {Record<string, string>} */
export const RULED_ENDS = {
  "outcome.forfeited": "ruling",
  "outcome.draw_ruled": "ruling",
  "outcome.adjudicated": "adjudicated",
};

/** @typedef {[string, Record<string, any>]} Why the key of a sentence, and its arguments */
/** @typedef {import("../protocol.d.ts").Actor} Actor */
/** @typedef {{n: number, claimant: Actor, of: number, clause: string, text: string, arbiter: Actor, frozen: boolean, ruled: number, ruledBy: Actor, withdrawn: boolean, appealed: boolean}} Case */

const count = (/** @type {string} */ text) => [...text].length;
const isId = (/** @type {any} */ value) =>
  typeof value === "string" && value.length > 0 && count(value) <= PERSON_ID_CHARS_MAX;
/** Whether two actors are the same one: a seat, or an arbiter by id. @param {Actor} one @param {Actor} other */
const areSame = (one, other) => typeof one === typeof other && idOf(one) === idOf(other);
const isOpen = (/** @type {Case} */ one) => !one.withdrawn && (!one.ruled || one.appealed);

/** Whether a value that was read is a map: bytes and seals are objects too. @param {any} value */
const isMap = (value) =>
  value !== null && typeof value === "object" && [null, Object.prototype].includes(Object.getPrototypeOf(value));

/** What is wrong with the desk among a genesis's terms, or "". @param {any} desk */
export function wrongDesk(desk) {
  if (desk === undefined) return "";
  if (!Array.isArray(desk) || desk.length !== 2 || !isMap(desk[1])) return "a desk is [arbiters, rules]";
  const [arbiters, rules] = desk;
  const { stop = "heard", recused = [] } = rules;
  if (!Array.isArray(arbiters) || !arbiters.every(isArbiter)) return "arbiters";
  if (!Array.isArray(recused) || !recused.every(isId)) return "recused";
  return Object.keys(rules).every((key) => key === "stop" || key === "recused") && ["heard", "claim"].includes(stop)
    ? ""
    : "rules";
}

/** Whether a time for protests is one: what is wrong with it, or "". @param {any} ms */
export const wrongProtest = (ms) =>
  ms === undefined || (Number.isSafeInteger(ms) && ms >= 0 && ms <= CLOCK_MS_MAX) ? "" : "protest_ms";

export class Docket {
  /** @param {any} desk that of the genesis's terms, if there is one @param {string[]} seats @param {number} [protest] for how long an end is held */
  constructor(desk, seats, protest = 0) {
    this.protest = protest;
    /** when the game came to its end by the rules, or the newest ruling since; 0 while it is played */
    this.over = 0;
    /** those who will lodge no protest @type {Set<string>} */
    this.waived = new Set();
    /** @type {[string, string][]} */
    this.arbiters = desk?.[0] ?? [];
    /** ids @type {string[]} */
    this.recused = desk?.[1].recused ?? [];
    this.seats = seats;
    /** @type {Map<number, Case>} */
    this.cases = new Map();
    /** the accounts that have had a seat @type {string[]} */
    this.players = [];
    /** what the ruling in force still asks for @type {any[][]} */
    this.due = [];
    this.of = 0;
    /** the newest correction */
    this.corrected = 0;
  }

  get frozen() {
    return [...this.cases.values()].some((one) => one.frozen);
  }

  /** The number of the next claim. */
  get #next() {
    return [...this.cases.keys()].filter((known) => known !== BY_FLAG).length + 1;
  }

  /** Until when a protest may be lodged against the end of the game; 0 where none is held. */
  get heldUntil() {
    return this.over && this.protest ? this.over + this.protest : 0;
  }

  /** Why an end that is held may not be written yet. @param {number} at @returns {Why | null} */
  held(at) {
    if (!this.heldUntil) return ["refusal.not_over", {}];
    const one = [...this.cases.values()].find((known) => known.frozen || (known.n !== BY_FLAG && isOpen(known)));
    if (one) return ["refusal.held_claim", { claim: one.n }];
    return at < this.heldUntil && !this.seats.every((seat) => this.waived.has(seat)) ? ["refusal.held", {}] : null;
  }

  /** Whether the held end follows now: no seat wants to lodge a protest. */
  get mustEnd() {
    return !this.held(0);
  }

  /** Why nobody, or this seat, can lodge a protest any more. @param {Actor} actor @param {number} at @returns {Why | null} */
  #protestRefused(actor, at) {
    if (this.heldUntil && at >= this.heldUntil) return ["refusal.protest_late", {}];
    return this.heldUntil && typeof actor === "string" && this.waived.has(actor) ? ["refusal.waived", {}] : null;
  }

  /** Why somebody may not act as an arbiter. @param {Actor} actor @returns {Why | null} */
  #bars(actor) {
    const [id, arbiter] = [idOf(actor), called(actor)];
    if (typeof actor === "string") return ["refusal.not_an_arbiter", { arbiter }];
    if ([...this.players, ...this.recused].includes(id)) return ["refusal.arbiter_plays", { arbiter }];
    return this.arbiters.length && !this.arbiters.some((one) => one[0] === id)
      ? ["refusal.not_an_arbiter", { arbiter }]
      : null;
  }

  /**
   * Why a `ruling` record may not stand. @param {Actor} actor @param {any[]} body @param {number} last the newest record before it
   * @param {string[]} fallen @param {boolean} playing @param {number} at the time of the record
   * @param {{has(seq: number): boolean}} stands the records that a takeback may go back to @returns {Why | null}
   */
  refused(actor, [what, ...rest], last, fallen, playing, at, stands) {
    if (!playing) return ["refusal.no_game_to_rule", {}];
    if (what === "claim") return this.#claimRefused(actor, rest, last, at);
    const bySeat = typeof actor === "string" && this.seats.includes(actor);
    if (what === "waived") {
      if (rest[0] !== actor || !bySeat) return ["refusal.no_such_seat", { seat: rest[0] }];
      return this.heldUntil ? this.#protestRefused(actor, at) : ["refusal.not_over", {}];
    }
    const barred = bySeat ? null : this.#bars(actor);
    if (barred) return barred;
    if (what === "looked") {
      const [audience, from, to] = rest;
      return !bySeat && from <= to && to <= last && ["public", "arbiter", ...this.seats].includes(audience)
        ? null
        : ["refusal.look", {}];
    }
    const claim = rest[0];
    const one = this.cases.get(claim);
    if (!one) return ["refusal.no_such_claim", { claim }];
    if (what === "said" || what === "appeal") {
      if (what === "said") return isOpen(one) ? null : ["refusal.claim_closed", { claim }];
      return !one.ruled || one.appealed || one.withdrawn || !bySeat
        ? ["refusal.no_appeal", { claim }]
        : this.#protestRefused(actor, at);
    }
    if (what === "withdrawn")
      return one.ruled || one.withdrawn || !areSame(one.claimant, actor) ? ["refusal.not_your_claim", { claim }] : null;
    return bySeat
      ? ["refusal.not_an_arbiter", { arbiter: called(actor) }]
      : this.#arbiterRefused(one, actor, what, rest, stands, fallen);
  }

  /** @param {Actor} actor @param {any[]} rest @param {number} last @param {number} now @returns {Why | null} */
  #claimRefused(actor, [n, seat, at], last, now) {
    if (seat) {
      if (seat !== actor || !this.seats.includes(seat)) return ["refusal.no_such_seat", { seat }];
    } else {
      const barred = this.#bars(actor);
      if (barred) return barred;
    }
    if (!(at >= 0 && at <= last)) return ["refusal.claim_record", { to: at }];
    const late = this.#protestRefused(actor, now);
    if (late) return late;
    if ([...this.cases.values()].filter((one) => areSame(one.claimant, actor) && isOpen(one)).length >= CLAIMS_OPEN_MAX)
      return ["refusal.claims_open", { most: CLAIMS_OPEN_MAX }];
    const next = this.#next;
    if (next > CLAIMS_MAX) return ["refusal.claims_many", { most: CLAIMS_MAX }];
    return n === next ? null : ["refusal.claim_number", { claim: next }];
  }

  /** @param {Case} one @param {Actor} actor @param {string} what @param {any[]} rest @param {{has(seq: number): boolean}} stands @param {string[]} fallen @returns {Why | null} */
  #arbiterRefused(one, actor, what, rest, stands, fallen) {
    const claim = one.n;
    if (what === "thawed") {
      if (!one.frozen || this.due.length) return ["refusal.not_frozen", { claim }];
      return claim === BY_FLAG && fallen.length ? ["refusal.thaw_fallen", { seat: fallen[0] }] : null;
    }
    if (!isOpen(one)) return ["refusal.claim_closed", { claim }];
    if (what === "heard") {
      if (one.appealed && areSame(one.ruledBy, actor)) return ["refusal.own_ruling", { claim }];
      return areSame(one.arbiter, actor) ? ["refusal.heard", { claim, arbiter: called(actor) }] : null;
    }
    if (!areSame(one.arbiter, actor)) return ["refusal.not_heard", { claim }];
    if (one.appealed && areSame(one.ruledBy, actor)) return ["refusal.own_ruling", { claim }];
    if (what === "frozen") return one.frozen ? ["refusal.frozen", { claim }] : null;
    return what === "ruled" ? this.#remediesRefused(rest, stands) : ["refusal.act_form", { what: "body" }];
  }

  /** @param {any[]} rest @param {{has(seq: number): boolean}} stands @returns {Why | null} */
  #remediesRefused([, finding, clause, , remedies], stands) {
    if (!["upheld", "rejected", "in part"].includes(finding) || !clause)
      return ["refusal.act_form", { what: "finding" }];
    const words = remedies.map((/** @type {any[]} */ [word]) => word);
    if (finding === "rejected" && (words.includes("back") || words.includes("correct")))
      return ["refusal.rejected_changes", {}];
    const ends = words.flatMap((/** @type {string} */ word, /** @type {number} */ index) =>
      ENDING.includes(word) ? [index] : [],
    );
    const backs = words.filter((/** @type {string} */ word) => word === "back").length;
    if (ends.length > 1 || (ends.length && ends[0] !== words.length - 1) || backs > 1)
      return ["refusal.remedies_order", {}];
    for (const [word, value, ms] of remedies) {
      if (word === "back") {
        if (!stands.has(value)) return ["refusal.takeback_target", { to: value }];
      } else if (value !== undefined && value !== null && !this.seats.includes(value))
        return ["refusal.no_such_seat", { seat: value }];
      if (word === "time" && !(ms && Math.abs(ms) <= CLOCK_MS_MAX)) return ["refusal.credit", {}];
    }
    return null;
  }

  /** Whether a record is what the ruling in force asks for next. @param {import("../records/chain.js").LogRecord} record */
  owed({ actor, kind, body }) {
    if (!this.due.length) return false;
    const one = /** @type {Case} */ (this.cases.get(this.of));
    const [word, a, b] = this.due[0];
    if (word === "back")
      return (
        kind === "takeback" &&
        areSame(actor, one.ruledBy) &&
        body[0] === "" &&
        body[1] === a &&
        body[4] === one.ruled &&
        body[5].length === 0
      );
    if (word === "time")
      return (
        kind === "clock" &&
        actor === SERVER &&
        JSON.stringify(body) === JSON.stringify(["credit", a, b, "credit.ruling", [["claim", this.of]]])
      );
    return (
      word === "correct" &&
      kind === "ruling" &&
      areSame(actor, one.ruledBy) &&
      body[0] === "corrected" &&
      body[1] === this.of
    );
  }

  /** How the game must end now by the ruling in force, as [winner, reason, its arguments]; null where it does not. @returns {[string | null, string, any[]] | null} */
  get cause() {
    const [word, seat] = this.due[0] ?? [];
    if (!ENDING.includes(word)) return null;
    const claim = ["claim", this.of];
    if (word === "draw") return [null, "outcome.draw_ruled", [claim]];
    if (word === "adjudicate") return [seat, "outcome.adjudicated", [claim]];
    return [otherOfTwo(this.seats, seat), "outcome.forfeited", [["seat", seat], claim]];
  }

  /** What is open after a record. @param {import("../records/chain.js").LogRecord} record @param {string | undefined} fall what follows a flag */
  take(record, fall) {
    const { seq, at, actor, kind, body } = record;
    const [what, n, account] = body;
    if (this.due.length) this.due = this.owed(record) ? this.due.slice(1) : [];
    if (kind === "takeback") this.#reset(0);
    else if (kind === "command" && !body[AWAITS].length) this.#reset(at);
    else if (kind === "ruling" && what === "waived" && !wrongForm(body)) this.waived.add(n);
    if (kind === "seat" && (what === "taken" || what === "replaced")) {
      if (account) this.players.push(account);
    } else if (kind === "clock" && what === "flag" && fall === "freeze") this.#open(BY_FLAG, SERVER).frozen = true;
    else if (kind === "ruling" && what === "claim" && n === this.#next && !wrongForm(body))
      Object.assign(this.#open(n, actor), { of: body[3], clause: body[4], text: body[5] });
    if (kind !== "ruling" || wrongForm(body)) return; // such a record counts for nothing; so does a claim of another number
    if (what === "corrected") this.corrected = seq;
    const one = this.cases.get(n);
    if (!one) return;
    if (what === "heard") one.arbiter = actor;
    else if (what === "frozen") one.frozen = true;
    else if (what === "thawed") one.frozen = false;
    else if (what === "withdrawn") one.withdrawn = true;
    else if (what === "appeal") one.appealed = true;
    else if (what === "ruled") {
      one.ruled = seq;
      one.ruledBy = actor;
      one.appealed = false;
      if (this.over) this.#reset(at); // whoever wants to appeal has as much time again
      this.due = body[5].filter((/** @type {any[]} */ [word]) => LOGGED.includes(word));
      this.of = n;
    }
  }

  /** @param {number} over */
  #reset(over) {
    this.over = over;
    this.waived = new Set();
  }

  /** @param {number} n @param {Actor} claimant @returns {Case} */
  #open(n, claimant) {
    const one = {
      n,
      claimant,
      of: 0,
      clause: "",
      text: "",
      arbiter: "",
      frozen: false,
      ruled: 0,
      ruledBy: "",
      withdrawn: false,
      appealed: false,
    };
    this.cases.set(n, one);
    return one;
  }
}

/** The field of a `ruling` record that has not the form of its word, or "". @param {any[]} body */
export function wrongForm([what, ...rest]) {
  const names = typeof what === "string" && Object.hasOwn(FIELDS, what) ? FIELDS[what] : null;
  if (!names) return "act";
  for (const [index, name] of names.entries()) {
    const value = rest[index];
    if (
      NUMBERS.has(name)
        ? !(Number.isSafeInteger(value) && value >= 0)
        : typeof value !== "string" || count(value) > (CHARS[name] ?? NAME_CHARS_MAX)
    )
      return name;
  }
  if (what === "ruled" && !areRemedies(rest[4])) return "remedies";
  return what === "corrected" && !(Array.isArray(rest[1]) && rest[1].length <= PICKS_MAX) ? "picks" : "";
}

/** @param {any} remedies */
function areRemedies(remedies) {
  return (
    Array.isArray(remedies) &&
    remedies.length > 0 &&
    remedies.length <= REMEDIES_MAX &&
    remedies.every((remedy) => {
      const types =
        Array.isArray(remedy) && typeof remedy[0] === "string" && Object.hasOwn(REMEDIES, remedy[0])
          ? REMEDIES[remedy[0]]
          : null;
      if (!types || types.length !== remedy.length - 1) return false;
      return types.every((type, index) => {
        const value = remedy[index + 1];
        if (typeof value === "string" && count(value) > CHARS.text) return false;
        if (type === "seat?") return value === null || typeof value === "string";
        return type === "number" ? Number.isSafeInteger(value) : typeof value === type;
      });
    })
  );
}
