// @ts-check
/**
 * One game as one audience sees it: records are verified as they arrive, folded to boards, and sorted into the steps of the timeline.
 * Nothing is drawn here: what draws the board listens.
 */

import { closesLog, readEnd } from "../records/acts.js";
import { Chain, Tampered } from "../records/chain.js";
import { Checker } from "../audit/checks.js";
import { History } from "../records/effects.js";
import { Damaged, recordsOf } from "./filelink.js";
import { readParts } from "./twoparts.js";
import { hex } from "../records/sha256.js";

/** @typedef {{span: string, key: string, args: [string, any][], from: number, to: number, depth: number}} Span */
/** `account` is the id of the account that whoever sits there is signed in to, or "". @typedef {{seat: string, player: string, account: string, shown: boolean}} SeatSeen */
/** @typedef {{seat: string, kind: string, to: number, seq: number}} AskSeen */

/** Records of a file folded at a time. */
const AT_ONCE = 512;
/** For how long a server may send nothing of a file. */
const SILENT_MS = 20_000;

/** @typedef {import("./twoparts.js").Parts} Parts */
/** What is on its way already, by game. @type {Map<string, {row: Promise<any>, found: Promise<Parts | null>}>} */
const onTheWay = new Map();

/** The server's line about a game; null where there is none. @param {string} game */
const rowOf = (game) =>
  fetch(`/api/games/${encodeURIComponent(game)}`)
    .then((answer) => (answer.ok ? answer.json() : null))
    .catch(() => null);

/**
 * A game that is over, from its file in two parts: compressed, and kept by the browser. A live game, and one whose first part cannot be read, has none here.
 * @param {string} game @param {Promise<any>} row @returns {Promise<Parts | null>}
 */
async function finished(game, row) {
  try {
    if ((await row)?.stage !== "ended") return null;
    const answer = await fetch(`/archive/${encodeURIComponent(game)}.parts`);
    return answer.ok && answer.body ? await readParts(lively(answer.body), game) : null;
  } catch {
    return null;
  }
}

/**
 * The same bytes; an error where nothing comes for too long, as if the connection had been lost. @param {ReadableStream<Uint8Array>} body
 * @returns {ReadableStream<Uint8Array>}
 */
export function lively(body) {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(out) {
      const timer = setTimeout(() => {
        out.error(new Error("nothing more came"));
        reader.cancel().catch(() => undefined);
      }, SILENT_MS);
      try {
        const { done, value } = await reader.read();
        if (done) out.close();
        else out.enqueue(value);
      } catch (error) {
        out.error(error);
      } finally {
        clearTimeout(timer);
      }
    },
    cancel: (why) => reader.cancel(why),
  });
}

/** A page of this game will be asked for in a moment. @param {string} game */
export function lookAhead(game) {
  const row = rowOf(game);
  onTheWay.set(game, { row, found: finished(game, row) });
}

/** Resolves once what has been drawn is seen; at once where nothing is. */
const painted = () =>
  new Promise((done) => {
    if (document.hidden) done(undefined);
    else requestAnimationFrame(() => setTimeout(done, 0));
  });

export class Watch {
  /** @param {import("./link.js").Link} link @param {string} game @param {string} audience @param {import("../audit/checks.js").Own | null} [own] who holds the seat */
  constructor(link, game, audience, own = null) {
    this.link = link;
    this.game = game;
    this.audience = audience;
    this.chain = new Chain();
    this.history = new History();
    /** @type {Error | null} */
    this.fault = null;
    /** @type {Error | null} why the server does not show the game */
    this.refused = null;
    /** @type {Span[]} */
    this.spans = [];
    /** @type {Span[]} */
    this.openSpans = [];
    /** @type {Map<string, SeatSeen>} */
    this.seats = new Map();
    /** @type {AskSeen | null} */
    this.ask = null;
    /** @type {{winner: string | null, reason: import("../protocol.d.ts").SayArray} | null} */
    this.ended = null;
    this.title = "";
    /** the game's terms @type {Record<string, any> | null} */
    this.terms = null;
    /** what the game's terms say of its tournament, if it is a board of one @type {any[] | undefined} */
    this.tournament = undefined;
    /** whether the last record has arrived, after which nothing is hidden */
    this.whole = false;
    /** whether what was hidden until the end is shown */
    this.open = false;
    /** @type {Set<(from: number) => void>} */
    this.listeners = new Set();
    /** the game as it is judged, behind the records */
    this.checker = new Checker(this, own);
    this.stopped = false;
    /** whether its records are shown before they are verified */
    this.early = false;
    /** what was shown early is gone, since it was not verified */
    this.gone = false;
    this.unsubscribe = () => {};
    const from = /** @type {any} */ (link);
    const coming = onTheWay.get(game);
    onTheWay.delete(game);
    /** the server's line about the game; null for none @type {Promise<any>} */
    this.row = from.alone || from.branch ? Promise.resolve(null) : (coming?.row ?? rowOf(game));
    if (audience === "public" && !from.alone && !from.branch) this.#fromFile(coming?.found ?? finished(game, this.row));
    else this.#subscribe();
  }

  /** What everybody may see of a game that is over comes from its file, first what is seen of it and then what proves it; the rest comes over the connection. @param {Promise<Parts | null>} coming */
  async #fromFile(coming) {
    const found = await coming;
    if (found && !this.stopped) {
      this.early = true;
      this.checker.listen(() => {
        if (this.early && this.checker.fault) this.#fail(null);
      });
      await this.#inParts(found.records, (items) => this.#sketch(items));
      this.#tell(0);
      await painted();
      try {
        const frames = this.stopped ? [] : await found.file();
        await this.#inParts(frames, (items) => this.#prove(items));
      } catch (error) {
        // What the network lost comes over the connection.
        if (error instanceof Damaged) this.#fail(error);
        else this.#drop();
      }
    }
    if (!this.stopped) this.#subscribe();
  }

  /** Keys and the like are answered in between. @template T @param {T[]} all @param {(items: T[]) => void} take */
  async #inParts(all, take) {
    for (let first = 0; first < all.length && !this.stopped; first += AT_ONCE) {
      if (first) await new Promise((done) => setTimeout(done, 0));
      if (!this.stopped) take(all.slice(first, first + AT_ONCE));
    }
  }

  /** @param {any[]} items */
  #sketch(items) {
    this.#guarded(() => {
      for (const record of items) this.#fold(this.chain.sketch(record));
    });
  }

  /** @param {import("../records/frames.js").Frame[]} items of the file, the records among them those behind the ones that are proved */
  #prove(items) {
    this.#guarded(() => {
      for (const payload of recordsOf(items)) this.chain.prove(payload);
    });
    this.checker.frames(items.map(({ kind, payload }) => [kind, payload]));
    this.#tell(this.records.length);
  }

  #subscribe() {
    this.unsubscribe = this.link.subscribe({
      game: this.game,
      audience: this.audience,
      after: () => this.proved - 1,
      take: (first, items) => this.#take(first, items),
      refused: (error) => {
        this.refused = error;
        this.#tell(this.chain.records.length);
      },
    });
  }

  stop() {
    this.stopped = true;
    this.unsubscribe();
    this.checker.stop();
  }

  get records() {
    return this.chain.records;
  }

  get last() {
    return this.chain.records.length - 1;
  }

  /** How many of the records have been verified: each is the one that the next names. */
  get proved() {
    return this.chain.proved;
  }

  /** Whether anything is shown that is still to be verified: of a game in two parts all of it is. */
  get proving() {
    return this.proved < this.records.length || (this.early && this.checker.checked < this.last);
  }

  get head() {
    return this.last >= 0 ? hex(this.chain.records[this.last].hash) : "";
  }

  /** @param {number} seq */
  boardAt(seq) {
    return this.history.at(Math.min(seq, this.last));
  }

  /** The seats that must decide after the last record, with the record that asked each and the key of the prompt. @returns {import("../protocol.d.ts").Question[]} */
  get awaits() {
    for (let i = this.last; i >= 0; i--) {
      /** @type {import("../protocol.d.ts").Recorded} */
      const { kind, body } = /** @type {any} */ (this.records[i]);
      if (kind === "command") return body[10];
      if (kind === "takeback") return body[3];
      if (kind === "end") return [];
    }
    return [];
  }

  /** Whether the game has ended and anything in it had been hidden from this audience. */
  get canOpen() {
    return (
      this.open ||
      (Boolean(this.ended) &&
        this.records.some(
          ({ all, ours, secrets }) => all && (all.ours.size > ours.size || all.secrets.length > secrets.length),
        ))
    );
  }

  /** Show or hide what was hidden until the game ended. @param {boolean} open */
  setOpen(open) {
    if (open === this.open) return;
    this.open = open;
    this.history = new History();
    for (const record of this.records) {
      if (record.all) {
        const other = record.all;
        record.all = { effects: record.effects, ours: record.ours, secrets: record.secrets };
        [record.effects, record.ours, record.secrets] = [other.effects, other.ours, other.secrets];
      }
      this.history.fold(record.seq, record.effects);
    }
    this.#tell(0);
  }

  /** @param {(from: number) => void} listener told the first record that is new @returns {() => void} */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @param {number} from */
  #tell(from) {
    for (const listener of [...this.listeners]) listener(from);
  }

  /** @param {number} first @param {[Uint8Array, Uint8Array][]} items */
  #take(first, items) {
    if (this.fault) return;
    const from = this.records.length;
    /** @type {[Uint8Array, Uint8Array][]} */
    const taken = [];
    this.#guarded(() => {
      if (first > this.proved) throw new Tampered(first, `expected record ${this.proved}`);
      items.forEach(([data, openings], i) => {
        if (first + i < this.proved) return; // sent again after a break
        this.#fold(this.chain.add(data, openings));
        taken.push([data, openings]);
      });
      this.gone = false;
    });
    this.checker.news(taken);
    this.#tell(from);
  }

  /** What is wrong is the end of the game here. @param {() => void} act */
  #guarded(act) {
    if (this.fault) return;
    try {
      act();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** The game ends here, and nothing of it is shown that was shown before all of it was verified. @param {Error | null} fault null where the checker says what is wrong */
  #fail(fault) {
    this.fault = fault;
    if (this.early) this.#drop();
    this.stop();
  }

  /** What was shown early goes. */
  #drop() {
    this.chain = new Chain();
    this.history = new History();
    this.spans = [];
    this.openSpans = [];
    this.seats.clear();
    [this.ask, this.ended, this.terms, this.whole, this.open, this.early] = [null, null, null, false, false, false];
    this.gone = true;
    this.#tell(0);
  }

  /** @param {import("../records/chain.js").LogRecord} record */
  #fold(record) {
    this.history.fold(record.seq, record.effects);
    const { seq } = record;
    /** @type {import("../protocol.d.ts").Recorded} */
    const { kind, body } = /** @type {any} */ (record);
    if (closesLog(record)) this.whole = true;
    if (kind === "genesis") {
      this.title = body[2];
      this.terms = body[13];
      this.tournament = body[13]?.tournament;
      for (const seat of body[6]) this.seats.set(seat, { seat, player: "", account: "", shown: false });
    } else if (kind === "seat") {
      const seat = this.seats.get(body[1]);
      if (seat && body[0] === "nonce") seat.shown = true;
      else if (seat && (body[0] === "taken" || body[0] === "replaced")) [, , seat.account, seat.player] = body;
    } else if (kind === "ask") {
      if (body[1] !== "resign" && body[1] !== "flag") this.ask = { seat: body[0], kind: body[1], to: body[2], seq };
    } else if (kind === "answer") {
      if (!body[1]) this.ask = null;
    } else if (kind === "command" || kind === "takeback") {
      this.ask = null;
      this.#spans(record);
    } else if (kind === "end") {
      this.ask = null;
      const { winner, reason } = readEnd(body);
      this.ended = { winner, reason };
      for (const span of this.openSpans.splice(0)) span.to = seq;
    }
  }

  /** @param {import("../records/chain.js").LogRecord} record */
  #spans({ effects, seq }) {
    for (const [tag, a, b, c] of effects) {
      if (tag === "open") {
        const span = { span: a, key: b, args: c, from: seq, to: -1, depth: this.openSpans.length };
        this.spans.push(span);
        this.openSpans.push(span);
      } else if (tag === "close") {
        const at = this.openSpans.findLastIndex((span) => span.span === a);
        if (at >= 0) for (const span of this.openSpans.splice(at)) span.to = seq;
      } else if (tag === "rewind") {
        // Decisions that were open then are open again, unless they have been closed since.
        for (const span of this.openSpans.splice(0)) if (span.from > a) span.to = seq;
        this.openSpans = this.spans.filter((span) => span.from <= a && (span.to === -1 || span.to > a));
        for (const span of this.openSpans) span.to = -1;
      }
    }
  }
}
