// @ts-check
/**
 * What this browser keeps of a seat: its papers, what it signed, and what the server signed to it. Every record is held to that, and nothing is signed on a log that lacks a
 * record which the server has signed.
 */

import { actHash, actsOf, headBytes } from "../records/acts.js";
import { keysFrom, signedBy } from "../audit/heads.js";
import { all, get, put } from "../link/keeping.js";
import { ServerError } from "../link/link.js";
import { saving } from "../link/receipts.js";
import { say } from "../words/say.js";
import { hex, same } from "../records/sha256.js";

/** How long a record that the server has signed is waited for. */
export const RECORDS_PATIENCE_MS = 15_000;

/** The places of seats and terms in a genesis. */
const [SEATS, TERMS] = [6, 13];
/** Whether papers are of an entrant of a tournament. @param {string} seat */
const isEntrant = (seat) => seat.startsWith("e:");

/** @typedef {import("../link/keeping.js").Papers} Papers */
/** @typedef {import("../link/keeping.js").Entry} Entry */
/** @typedef {import("../audit/seats.js").Wrong} Wrong */

/** An act as it was signed, from the journal. @param {Entry} entry @param {Uint8Array} genesis @param {Uint8Array} key */
export const actOf = ({ seat, kind, n, seen, body, signature }, genesis, key) => ({
  genesis,
  key,
  seat,
  kind,
  n,
  seen,
  body,
  signature,
});

/** @param {Entry} entry */
export const keyOf = ({ key }) => Uint8Array.from(key.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {string} key @param {Record<string, any>} [args] */
export const fails = (key, args = {}) => new ServerError("hand", say(key, args));

/** A record that the server has signed has not arrived, or not yet. @param {number} seq */
export const isMissing = (seq) => new ServerError("late", say("web.own.missing", { seq }));

/** @param {Entry} entry */
export const isOpen = ({ stood, declined }) => stood < 0 && !declined;

export class Journal {
  /** @param {string} game @param {string} seat */
  constructor(game, seat) {
    this.game = game;
    this.seat = seat;
    /** @type {import("../audit/checks.js").Checker | null} */
    this.checker = null;
    /** @type {import("../records/chain.js").LogRecord[]} */
    this.records = [];
    /** @type {Uint8Array} */
    this.genesis = new Uint8Array(0);
    /** @type {Papers | null} */
    this.papers = null;
    /** what this browser signed, in order @type {Entry[]} */
    this.journal = [];
    /** what the server signed @type {Map<number, import("../link/keeping.js").KeptHead[]>} */
    this.heads = new Map();
    /** how many other games of this server have not begun after a nonce of this browser had been shown */
    this.lapses = 0;
    /** why no seat is taken here, "" for nothing */
    this.barred = "";
    /** the number of the entrant who has the seat in a tournament, or 0 */
    this.number = 0;
    /** the newest record of a seat that signs nothing which did not come from this browser; -1 for none */
    this.foreign = -1;
    /** whether everything above has been read */
    this.ready = false;
  }

  /** @param {import("../link/watch.js").Watch} watch the seat's own stream */
  follows({ checker, records }) {
    this.checker = checker;
    this.records = records;
  }

  /** Why this browser takes no seat here: a program plays every one, or the seat is another entrant's than those that are kept here. @param {import("../records/chain.js").LogRecord} record @param {any[]} papers */
  #bars({ body }, papers) {
    const { self_play: selfPlay, tournament } = body[TERMS] ?? {};
    const charter = tournament?.[2] instanceof Uint8Array ? hex(tournament[2]) : "";
    const own = papers
      .filter((one) => one.genesis === charter && isEntrant(one.seat))
      .map((one) => Number(one.seat.slice(2)));
    this.number = tournament?.[6]?.[body[SEATS]?.indexOf(this.seat)] ?? 0;
    if (selfPlay) this.barred = "seat.self_play";
    else if (own.length && !own.includes(this.number)) this.barred = "seat.other_entrant";
  }

  // --- what is kept ---------------------------------------------------------------------------------------------------------------

  /** The first record is here. @param {import("../records/chain.js").LogRecord} record */
  async begins(record) {
    this.genesis = record.hash;
    const id = hex(record.hash);
    const papers = await all("papers");
    this.papers = papers.find((one) => one.genesis === id && one.seat === this.seat) ?? null;
    for (const head of await all("heads", [this.game, this.seat])) this.remember(head);
    await this.read();
    this.lapses = papers.filter(
      (one) => one.server === location.host && one.shown && !one.began && one.genesis !== id && !isEntrant(one.seat),
    ).length;
    this.#bars(record, papers);
    this.ready = true;
  }

  async read() {
    if (!this.papers) return;
    const { genesis, seat, open } = this.papers;
    this.papers = await get("papers", [genesis, seat]);
    this.journal = await all("acts", [genesis, seat, hex(open)]);
  }

  /** @param {Partial<Papers>} change */
  async note(change) {
    if (!this.papers) return;
    Object.assign(this.papers, change);
    await put(["papers", this.papers]);
  }

  /** @param {import("../link/keeping.js").KeptHead} head */
  remember(head) {
    const known = this.heads.get(head.seq) ?? [];
    if (!known.some(({ hash }) => hash === head.hash)) this.heads.set(head.seq, [...known, head]);
  }

  /** Whether this browser can act for the seat. */
  get holds() {
    const sitting = this.checker?.stand?.seats.get(this.seat);
    return Boolean(this.papers && sitting?.keys.has(hex(this.papers.open)));
  }

  /** What is kept of what the server signed, to be saved as a file. */
  get receipts() {
    return this.heads.size ? saving(this.game, this.seat, hex(this.genesis)) : null;
  }

  /** The number of this seat's key in force, as the log has it. */
  get newest() {
    const { papers, checker } = this;
    return papers ? (checker?.stand?.seats.get(this.seat)?.keys.get(hex(papers.open))?.n ?? 0) : 0;
  }

  /** The acts whose outcome is not known. */
  get unanswered() {
    return this.journal.filter(isOpen);
  }

  // --- records that come ------------------------------------------------------------------------------------------------------------

  /** What is wrong with a record, judged by what was sent and received here. @param {import("../records/chain.js").LogRecord} record @param {import("../records/acts.js").Act[]} acts @returns {Promise<Wrong[]>} */
  async record(record, acts) {
    /** @type {Wrong[]} */
    const wrong = [];
    const { papers } = this;
    for (const head of this.heads.get(record.seq) ?? [])
      if (head.hash !== hex(record.hash)) wrong.push(["hash", say("web.own.head", { seq: record.seq })]);
    for (const act of acts) {
      if (act.seat !== this.seat || !papers || !same(act.key, papers.open)) continue;
      const entry =
        this.journal.find(({ n }) => n === act.n) ??
        (await get("acts", [papers.genesis, this.seat, hex(papers.open), act.n]));
      if (!entry) {
        if (act.key.length) wrong.push(["by", say("web.own.not_sent", { n: act.n })]);
        // A seat that signs nothing may also be played from elsewhere; its player knows whether it was them.
        else if (papers.nonce) this.foreign = record.seq;
      } else if (!same(actHash(actOf(entry, this.genesis, papers.open)), actHash(act)))
        wrong.push(["by", say("web.own.other", { n: act.n })]);
      else if (entry.declined) wrong.push(["by", say("web.own.declined_stands", { n: act.n })]);
      else if (entry.stood < 0) {
        entry.stood = record.seq;
        if (!this.journal.includes(entry)) this.journal.push(entry);
        await put(["acts", entry]);
      }
    }
    for (const entry of this.journal)
      if (entry.accepted === record.seq && papers && !this.stands(entry, record))
        wrong.push(["by", say("web.own.not_there", { n: entry.n })]);
    const own =
      record.kind === "command"
        ? record.body[1] === this.seat
        : record.kind === "orders" && record.body[0] === this.seat;
    const sealed = record.kind === "command" ? record.body[2] : record.body[1];
    if (own && !Array.isArray(sealed) && record.inside === undefined) wrong.push(["picks", say("web.own.unopened")]);
    if (papers && !papers.began && record.kind === "command") await this.note({ began: true });
    if (papers && !papers.ended && record.kind === "end") await this.note({ ended: true });
    return wrong;
  }

  /** Whether a record shows an act. @param {Entry} entry @param {import("../records/chain.js").LogRecord} record */
  stands(entry, record) {
    const hash = actHash(actOf(entry, this.genesis, keyOf(entry)));
    return actsOf(this.genesis, record).some((act) => same(actHash(act), hash));
  }

  /** Keep what the server signed, once the signature has been verified. @param {any[]} head game, seq, hash, signature */
  async keep([game, seq, hash, signature]) {
    const { checker } = this;
    if (!checker?.stand || game !== this.game) throw fails("web.own.bad_head");
    const holds = () => this.isServers(seq, headBytes(game, seq, hash), signature);
    // The server's key may have changed with a record that is on its way.
    if (
      !(await holds()) &&
      !(seq > checker.checked && (await checker.reaches(seq, RECORDS_PATIENCE_MS)) && (await holds()))
    )
      throw fails("web.own.bad_head");
    const kept = { game, seat: this.seat, seq, hash: hex(hash), bytes: hash, signature };
    await put(["heads", kept]);
    this.remember(kept);
    const other = this.heads.get(seq)?.find((one) => one.hash !== kept.hash);
    const here = this.records[seq];
    if (other || (here && hex(here.hash) !== kept.hash)) {
      checker.fail(seq, "hash", say("web.own.head", { seq }));
      throw fails("web.own.head", { seq });
    }
  }

  /** Whether the server has signed something about a record, with the key in force at it or a later one; taken for granted where nothing can be verified. @param {number} seq @param {Uint8Array} message @param {Uint8Array} signature */
  async isServers(seq, message, signature) {
    const { checker } = this;
    return (
      checker?.able === false ||
      (await signedBy(keysFrom(checker?.stand?.serverKeys ?? [], seq), message, signature)) !== null
    );
  }

  /** The log is here and checked as far as this browser has ever known it; throws where it is not. */
  async sound() {
    const { checker } = this;
    if (!checker) throw fails("web.own.not_checked");
    const known = Math.max(-1, ...this.heads.keys(), ...this.journal.map(({ seenSeq }) => seenSeq));
    if (!(await checker.reaches(known, RECORDS_PATIENCE_MS)) && !checker.fault) throw isMissing(known);
    if (!(await checker.settled())) throw fails("web.own.not_checked");
    for (const { seenSeq, seen } of this.journal) {
      if (same(this.records[seenSeq].hash, seen)) continue;
      checker.fail(seenSeq, "hash", say("web.own.head", { seq: seenSeq }));
      throw fails("web.own.head", { seq: seenSeq });
    }
  }

  /** Whether an act of this kind was signed and not refused. @param {string} kind */
  did(kind) {
    return this.journal.some((entry) => entry.kind === kind && !entry.declined);
  }
}
