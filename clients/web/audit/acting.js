// @ts-check
/**
 * Who may sign for which seat as a log goes on: every act is checked as its record comes, from the records alone, each of the form of its kind. It
 * mirrors `protocol/seats/acting.py`, with one difference: a browser verifies signatures in its own time, so `take` hands them back to be verified.
 */

import { AT, actsOf, idOf, readBy, readEnd, stands } from "../records/acts.js";
import { Seal, unpack } from "../records/canon.js";
import { due, fallenOf, flagLost, verdict } from "./clock.js";
import { Docket, RULED_ENDS, wrongDesk, wrongProtest } from "./docket.js";
import { turnsClosed } from "../records/effects.js";
import { COMMAND_ID_BYTES_MAX } from "../records/limits.js";
import { DRAW_AGREED, Turns, begins, expired, isAgreed, isOver, resigned } from "./owed.js";
import { digestOfPicks } from "./promises.js";
import { say } from "../words/say.js";
import { holdsSeal } from "./seals.js";
import { SERVER, Seats } from "./seats.js";
import { hex } from "../records/sha256.js";
import { Timekeeping, actingSeat } from "./timekeeping.js";
import { NOTHING, grown, reaches } from "./undo.js";

const HASH_BYTES = 32;
/** What ended a game, by the reason of an end that the rules do not give. @type {Record<string, string>} */
const ENDED_BY = {
  "outcome.resigned": "resign",
  "outcome.draw_agreed": "draw",
  "outcome.flag": "flag",
  "outcome.flags": "flag",
  ...RULED_ENDS,
};
/** Ends that no rule of a game brings about. */
export const NOT_BY_RULES = new Set([...Object.keys(ENDED_BY), "outcome.expired", "outcome.lapsed"]);

/** @typedef {import("./seats.js").Wrong} Wrong */
/** @typedef {import("./seats.js").Signature} Signature */
/** @typedef {import("../protocol.d.ts").SayArray} Say */
/** @typedef {import("../records/acts.js").Act} Act */
/** @typedef {import("../protocol.d.ts").Question[]} Awaits */

export class Acting extends Seats {
  /** @param {{hash: Uint8Array, body: any[]}} genesis the first record */
  constructor(genesis) {
    super(genesis);
    const { body } = genesis;
    this.selfPlay = body[13]?.self_play === true;
    /** @type {{seq: number, seat: string, what: string, to: number, consents: Set<string>} | null} */
    this.request = null;
    /** the newest command or takeback */
    this.moved = 0;
    /** what may be taken back freely, and by whom */
    this.undo = NOTHING;
    this.turns = new Turns();
    /** the same after each record that a takeback may go back to @type {Map<number, import("./undo.js").Undo>} */
    this.then = new Map();
    /** the newest of these records */
    this.stood = 0;
    /** @type {[string | null, string, any[]] | null} */
    this.cause = null;
    this.mustEnd = false;
    /** the clocks, in a game that has any */
    this.time = new Timekeeping(body);
    this.deskWrong = wrongDesk(body[13]?.desk) || wrongProtest(body[13]?.protest_ms);
    /** the claims */
    this.docket = new Docket(
      this.deskWrong ? undefined : body[13]?.desk,
      body[6],
      this.deskWrong ? 0 : body[13]?.protest_ms,
    );
    /** every seat has waived a protest against the end, which follows at once */
    this.heldDue = false;
    /** the game is over by its rules and no end is held: the end follows at once */
    this.nobodyAsked = false;
    /** the takeback that all have agreed to in the record before: who asked, and the record that it goes back to @type {[string, number] | null} */
    this.agreed = null;
    /** the end of a pause (or 0) that all seats have agreed to in the record before @type {number | null} */
    this.mustPause = null;
    this.byCommand = false;
    /** the record before may have brought a flag to fall at the same moment */
    this.flags = false;
    /** @type {Set<string>} */
    this.ids = new Set();
    /** the records that a takeback may go back to, with who was asked after each @type {Map<number, Awaits>} */
    this.stands = new Map();
    /** who is asked, by which record, with which key @type {Awaits} */
    this.awaits = [];
    /** the commands that follow from the standing answers in force @type {Map<number, import("./standing.js").Answered>} */
    this.answered = new Map();
  }

  // --- looking --------------------------------------------------------------------------------------------------------------------

  /** The record that must follow the newest one at once, in words that say what it must hold; null where nothing is owed. The links of turns, which come before it, are told by `Drawing`. @returns {Say | null} */
  get owed() {
    if (this.stage === "ended") return null;
    if (this.stage === "gathering") return begins([...this.seats.values()]) ? say("acts.owed.begin") : null;
    const { clocks } = this.time;
    const [flag] = clocks && this.flags && this.record ? due(clocks, this.record.at) : [];
    if (flag) return say("acts.owed.flag", { seat: flag.seat });
    const cause = this.mustEnd ? this.cause : this.docket.cause;
    if (cause) {
      const [winner, reason, args] = cause;
      const why = [reason, args, ""];
      return winner === null ? say("acts.owed.end_even", { why }) : say("acts.owed.end_won", { why, winner });
    }
    if (this.agreed) return say("acts.owed.takeback", { to: this.agreed[1] });
    if (this.mustPause !== null) return say("acts.owed.pause");
    const [word] = this.docket.due[0] ?? [];
    if (word) return say(`acts.owed.ruled_${word}`, { claim: this.docket.of });
    return this.nobodyAsked || this.heldDue ? say("acts.owed.end") : null;
  }

  // --- taking in ------------------------------------------------------------------------------------------------------------------

  /**
   * Check a record and continue from it.
   * @param {import("../records/chain.js").LogRecord} record
   * @returns {{wrong: Wrong[], signatures: Signature[], acts: Act[]}}
   */
  take(record) {
    this.wrong = [];
    this.signatures = [];
    this.record = record;
    const { kind } = record;
    if (this.mustEnd && kind !== "open" && kind !== "end") {
      this.note("kind", "acts.went_on");
      this.mustEnd = false;
    }
    const { cause } = this.docket;
    if (cause) {
      this.cause = cause;
      this.mustEnd = kind === "end";
      if (!this.mustEnd) this.note("kind", "acts.ruling.went_on", { claim: this.docket.of });
    }
    if (this.heldDue && kind !== "end") this.note("kind", "acts.held.went_on");
    if (kind !== "open") {
      const { byCommand } = this;
      this.byCommand = false;
      if (kind === "end") this.#end(record.body, byCommand, record.at);
    }
    const { mustPause } = this;
    this.mustPause = null;
    const pauses = kind === "clock" && record.body[0] === "pause";
    if ((mustPause !== null) !== pauses || (pauses && record.body[2] !== mustPause))
      this.note("kind", "acts.clock.pause");
    if (kind === "genesis") this.expectActor(SERVER);
    if (kind === "genesis" && this.time.wrong) this.note("terms", "acts.clock.control", { what: this.time.wrong });
    if (kind === "genesis" && this.deskWrong) this.note("terms", "acts.ruling.desk", { what: this.deskWrong });
    const acts = actsOf(this.genesis, record);
    this.#follows(record);
    this.#owed(record);
    if (kind === "clock") this.#clock(record, acts);
    else if (kind === "seat") this.seat(record, acts);
    else if (kind === "command") this.#command(record, acts);
    else if (kind === "ask") this.#ask(record, acts);
    else if (kind === "answer") this.#answer(record, acts);
    else if (kind === "takeback") this.#takeback(record, acts);
    else if (kind === "orders") this.#orders(record, acts);
    else if (kind === "rotate") this.rotate(record);
    else if (kind === "ruling") this.#ruling(record, acts);
    else if (kind === "reveal") this.expectActor(SERVER);
    if (kind !== "genesis") for (const [where, key, args] of this.time.take(record)) this.note(where, key, args);
    if (kind === "clock" && record.body[0] === "flag") this.#fell(record.at);
    if (kind !== "genesis") this.docket.take(record, this.time.control?.fall);
    this.heldDue = kind === "ruling" && this.docket.mustEnd;
    this.flags = kind === "clock" && (record.body[0] === "flag" || (record.body[0] === "credit" && !acts.length));
    this.where.set(hex(record.hash), record.seq);
    if (stands(record)) {
      this.stands.set(record.seq, this.awaits);
      this.then.set(record.seq, this.undo);
      this.turns.note(record.seq);
      this.stood = record.seq;
    }
    return { wrong: this.wrong, signatures: this.signatures, acts };
  }

  // --- kinds ----------------------------------------------------------------------------------------------------------------------

  /** @param {import("../records/chain.js").LogRecord} record @param {Act[]} acts */
  #command({ body, seq, effects }, acts) {
    const [decision, seat, id, digest] = [body[AT.decision], body[AT.seat], body[AT.id], body[AT.digest]];
    const by = readBy(body[AT.by]);
    if (this.stage === "gathering") this.#begin(body, by);
    else if (by === null) this.note("by", "acts.nobody", { seat });
    else if ("orders" in by) {
      this.expectActor(seat);
      this.#byOrders(seat, by, seq);
      if (id.length || digest.length) this.note("command_id", "acts.orders_id");
    } else {
      this.expectActor(seat);
      this.acted(acts, seat, Math.max(decision, this.docket.corrected));
      if (digest.length !== HASH_BYTES) this.note("digest", "acts.digest_form");
      const name = `${seat}/${hex(id)}`;
      if (!id.length || id.length > COMMAND_ID_BYTES_MAX || this.ids.has(name))
        this.note("command_id", "acts.id_twice", { seat });
      this.ids.add(name);
      if (!(body[AT.picks] instanceof Seal)) this.wrong.push(...digestOfPicks(this.genesis, body, body[AT.picks]));
    }
    const before = this.awaits;
    this.awaits = body[AT.awaits];
    for (const [asked, opened, key] of this.awaits) {
      if (opened === seq) continue;
      // Its question has closed: whatever it is asked next is another one.
      if (asked === seat) this.note("awaits", "acts.asked_on", { seat, opened });
      else if (!before.some((one) => one[0] === asked && one[1] === opened && one[2] === key))
        this.note("awaits", "acts.awaits_opened", { seat: asked, opened });
    }
    const closed = turnsClosed(effects);
    if (closed) for (const sitting of this.seats.values()) sitting.turnOver = true;
    this.undo = this.#bringsNews(body, closed) || !seat ? NOTHING : grown(this.undo, seat, this.stood);
    this.request = null;
    this.moved = seq;
    this.byCommand = true;
    this.nobodyAsked = isOver(body[AT.awaits], this.docket.protest);
  }

  /**
   * Whether a command has told its seat something, so that it takes consent to go back over it: it drew, opened, learnt, ended a turn for the first
   * time, or hid something although its picks are open. @param {any[]} body @param {number} closed how many turns end in it
   */
  #bringsNews(body, closed) {
    const first = this.turns.closed(closed);
    if (body[AT.draws].length || body[AT.opened].length || first) return true;
    const open = !(body[AT.picks] instanceof Seal);
    // As they stand in the record: what was opened to whoever looks on is a veil there.
    return (
      (open && holdsSeal(body[AT.events])) ||
      unpack(body[AT.effects]).some(
        (/** @type {any[]} */ effect) =>
          (open && effect[0] === "veil") ||
          (effect.length === 2 && effect[0] === "learn" && effect[1] === body[AT.seat]),
      )
    );
  }

  /** A standing answer: of the newest set, for the key by which the seat was asked. What the set holds is compared where it is open. @param {string} seat @param {import("../protocol.d.ts").ByOrders} by @param {number} seq */
  #byOrders(seat, by, seq) {
    const sitting = this.sitting(seat);
    if (!sitting) return;
    if (by.orders !== sitting.orders)
      return this.note("by", "acts.old_orders", { seat, orders: by.orders, newest: sitting.orders });
    const key = this.awaits.find(([name]) => name === seat)?.[2] ?? "";
    this.answered.set(seq, { seat, by, key, turnOver: sitting.turnOver });
  }

  /** @param {any[]} body @param {any} by */
  #begin(body, by) {
    this.expectActor(SERVER);
    this.stage = "playing";
    if (!begins([...this.seats.values()])) this.note("kind", "acts.began_early");
    const picks = body[AT.picks];
    const plain =
      Array.isArray(picks) &&
      picks.length === 2 &&
      picks[0].length === 1 &&
      picks[0][0] === "begin" &&
      picks[1].length === 0;
    if (
      by !== null ||
      !plain ||
      body[AT.decision] !== 0 ||
      body[AT.seat] !== "" ||
      body[AT.id].length ||
      body[AT.digest].length
    )
      this.note("picks", "acts.begin");
  }

  /** @param {import("../records/chain.js").LogRecord} record @param {Act[]} acts */
  #ask({ body, seq }, acts) {
    const [seat, what, to] = body;
    this.expectActor(seat);
    this.#asks(seat, acts);
    if (what === "resign") {
      this.cause = resigned([...this.seats.keys()], seat);
      this.mustEnd = true;
      return;
    }
    const { clocks, control } = this.time;
    if (["pause", "adjourn", "flag"].includes(what) && !clocks) return this.note("kind", "acts.clock.none");
    if (what === "flag" && clocks) {
      const [first] = fallenOf(clocks);
      if (control?.fall !== "claim" || first === undefined || to) return this.note("kind", "acts.clock.nobody_fell");
      this.cause = flagLost(clocks, first);
      this.mustEnd = true;
      return;
    }
    if (what === "takeback") {
      this.#target(to);
      const asked = this.stands.get(to);
      if (asked && !asked.some(([name]) => name === seat)) this.note("to", "audit.takeback_to", { to });
      else if (asked && reaches(this.undo, seat, to)) this.note("kind", "audit.takeback_free", { to });
    }
    if (this.request) this.note("kind", "acts.asked_already");
    this.request = { seq, seat, what, to, consents: new Set() };
  }

  /** @param {number} to */
  #target(to) {
    if (!this.stands.has(to)) this.note("to", "acts.takeback_to", { to });
  }

  /** Whoever asks has seen the newest command. @param {string} seat @param {Act[]} acts */
  #asks(seat, acts) {
    if (this.stage !== "playing") this.note("kind", "acts.asked_early");
    else if (this.docket.over) this.note("kind", "acts.held.asked");
    this.acted(acts, seat, this.moved);
  }

  /** @param {import("../records/chain.js").LogRecord} record @param {Act[]} acts */
  #answer({ body: [seat, consents, ask] }, acts) {
    this.expectActor(seat);
    const { request } = this;
    if (!request || request.seq !== ask) {
      this.note("ask", "acts.not_the_ask", { ask });
      this.acted(acts, seat);
      return;
    }
    this.acted(acts, seat, ask);
    if (seat === request.seat || request.consents.has(seat)) this.note("seat", "acts.own_request", { seat });
    if (!consents) {
      this.request = null;
      return;
    }
    request.consents.add(seat);
    if (!isAgreed([...this.seats.keys()], request)) return;
    if (request.what === "takeback") this.agreed = [request.seat, request.to];
    else if (request.what === "draw") {
      this.cause = DRAW_AGREED;
      this.mustEnd = true;
    } else if (request.what === "pause" || request.what === "adjourn") {
      this.mustPause = request.to;
      this.request = null;
    }
  }

  /** What is written about time: by the server, or by a seat that signs it. @param {import("../records/chain.js").LogRecord} record @param {Act[]} acts */
  #clock({ body: [what, seat], actor }, acts) {
    if (what === "resume" || what === "leave" || what === "night") {
      this.expectActor(seat);
      this.acted(acts, acts.length ? idOf(actor) : seat);
    } else if (what === "credit" && acts.length) this.acted(acts, idOf(actor));
    else this.expectActor(SERVER);
  }

  /** What all have agreed to follows at once, and the end where nobody is asked. @param {import("../records/chain.js").LogRecord} record */
  #follows({ kind, body }) {
    const { agreed } = this;
    this.agreed = null;
    if (agreed && kind !== "takeback") this.note("kind", "acts.agreed_on");
    else if (agreed && (body[0] !== agreed[0] || body[1] !== agreed[1])) this.note("to", "acts.agreed_on");
    if (kind === "open") return;
    if (this.nobodyAsked && kind !== "end") this.note("kind", "acts.nobody_asked");
    this.nobodyAsked = false;
  }

  /** What a ruling asks for follows it at once, in its order, and by nothing else. @param {import("../records/chain.js").LogRecord} record */
  #owed(record) {
    const { kind, body } = record;
    if (this.docket.owed(record)) return;
    const ruled =
      (kind === "takeback" && body[0] === "") ||
      (kind === "clock" && body[0] === "credit" && body.length === 5) ||
      (kind === "ruling" && body[0] === "corrected");
    if (ruled) this.note("kind", "acts.ruling.unruled");
    else if (this.docket.due.length && !this.docket.cause && kind !== "end")
      this.note("kind", "acts.ruling.went_on", { claim: this.docket.of });
    const seat = actingSeat(record);
    if (seat && this.docket.frozen && !this.time.clocks) this.note("kind", "acts.clock.frozen", { seat });
  }

  /** Claims, and what arbiters write. @param {import("../records/chain.js").LogRecord} record @param {Act[]} acts */
  #ruling({ body, actor, seq, at }, acts) {
    if (body[0] === "corrected") {
      if (body[5].length) this.note("opened", "acts.ruling.form", { field: "opened" });
      this.undo = NOTHING;
      this.request = null;
      this.moved = seq;
      return;
    }
    if (acts.length) this.acted(acts, idOf(actor), body[0] === "claim" ? body[3] : 0);
    else if (typeof actor === "string" && this.seats.has(actor)) this.note("by", "acts.nobody", { seat: actor });
    const { clocks } = this.time;
    const why = this.docket.refused(
      actor,
      body,
      seq - 1,
      clocks ? fallenOf(clocks) : [],
      this.stage === "playing",
      at,
      this.stands,
    );
    if (why) this.note("kind", "acts.ruling.not_allowed", { why: [why[0], Object.entries(why[1]), ""] });
  }

  /** A flag has fallen: perhaps the game ends by it. @param {number} at */
  #fell(at) {
    const { clocks, control } = this.time;
    const cause = clocks && control && !due(clocks, at).length ? verdict(control, clocks) : null;
    if (!cause) return;
    this.cause = cause;
    this.mustEnd = true;
  }

  /** @param {import("../records/chain.js").LogRecord} record @param {Act[]} acts */
  #takeback({ body: [seat, to, , awaits, ask, by], seq }, acts) {
    this.#target(to);
    const undo = this.then.get(to) ?? NOTHING;
    this.turns.back(to);
    if (ask === 0 && this.stands.has(to) && !reaches(this.undo, seat, to))
      this.note("to", "audit.takeback_consent", { to });
    this.undo = ask === 0 && ["", seat].includes(undo.seat) ? undo : NOTHING;
    const again = this.stands.get(to)?.map(([name, , key]) => [name, seq, key]);
    if (again && JSON.stringify(again) !== JSON.stringify(awaits)) this.note("awaits", "acts.takeback_awaits", { to });
    this.awaits = awaits;
    const { request } = this;
    if (seat === "") {
      // by a ruling, which asks for it
    } else if (ask === 0) {
      this.expectActor(seat);
      this.#asks(seat, acts);
    } else {
      this.expectActor(SERVER);
      const agreed =
        request && request.seq === ask && request.seat === seat && request.what === "takeback" && request.to === to;
      if (by.length || !agreed || !isAgreed([...this.seats.keys()], request))
        this.note("ask", "acts.not_the_ask", { ask });
    }
    this.request = null;
    this.moved = seq;
  }

  /** @param {import("../records/chain.js").LogRecord} record @param {Act[]} acts */
  #orders({ body: [seat], seq }, acts) {
    this.expectActor(seat);
    if (this.stage !== "playing") this.note("kind", "acts.asked_early");
    this.acted(acts, seat);
    const sitting = this.seats.get(seat);
    if (sitting) Object.assign(sitting, { orders: seq, turnOver: false });
  }

  /** @param {any[]} body @param {boolean} byCommand @param {number} at */
  #end(body, byCommand, at) {
    const {
      winner,
      reason: [key, args],
      scores,
      by,
    } = readEnd(body);
    this.expectActor(SERVER);
    const is = (/** @type {any[]} */ expected) => JSON.stringify([winner, key, args]) === JSON.stringify(expected);
    let byWhat = "rules";
    if (this.stage === "gathering") {
      const missing = [...this.seats.values()].filter(({ nonce }) => !nonce).map(({ seat }) => seat);
      // Once every nonce is known the game begins; a server that lets it lapse then has seen the dice and lies.
      if (!missing.length || !is(expired(missing, this.allTaken))) this.note("reason", "acts.no_cause");
      byWhat = "expired";
    } else if (this.mustEnd) {
      if (!is(/** @type {any[]} */ (this.cause))) this.note("reason", "acts.other_cause");
      byWhat = ENDED_BY[this.cause?.[1] ?? "outcome.resigned"];
    } else if (NOT_BY_RULES.has(key) || !(byCommand || this.docket.protest)) this.note("reason", "acts.no_cause");
    else if (this.docket.protest) {
      const why = this.docket.held(at);
      if (why) this.note("kind", "acts.held.early", { why: [why[0], Object.entries(why[1]), ""] });
    }
    if (by !== byWhat) this.note("by", "acts.other_cause");
    const scored = scores.map(([seat]) => seat);
    const inOrder = [...this.seats.keys()].filter((seat) => scored.includes(seat));
    if (JSON.stringify(scored) !== JSON.stringify(inOrder) || (scored.length && this.stage === "gathering"))
      this.note("scores", "acts.scores");
    this.mustEnd = false;
    this.stage = "ended";
  }
}
