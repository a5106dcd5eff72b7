// @ts-check
/**
 * A seat's hand: its key in this browser, what it signed, and the receipts for it. Every act is kept, blind included, before it is sent, and is
 * sent again byte for byte until it stands in the log or the server has signed that it never will. Nothing else is signed meanwhile, nothing on
 * a log that is not checked to its end, and nothing on one that lacks a record which the server signed to this browser.
 */

import {
  BLIND_BYTES,
  NO_KEY,
  actHash,
  boundNonceHash,
  deviceBytes,
  ordersDigest,
  picksDigest,
  refusalBytes,
  signedBytes,
  witnessBytes,
} from "../records/acts.js";
import { accountOf } from "../account/device.js";
import { able, keyFromText, makeKey, makeOneTimeKey, sign } from "../records/ed25519.js";
import { Journal, RECORDS_PATIENCE_MS, actOf, fails, isMissing, isOpen, keyOf } from "./journal.js";
import { all, alone, forGood, put } from "../link/keeping.js";
import { Declined, Refused, ServerError, randomBytes } from "../link/link.js";
import { say } from "../words/say.js";
import { hex, same } from "../records/sha256.js";

export const CLIENT = "page";
const NONCE_BYTES = 32;
const COMMAND_ID_BYTES = 8;
const ASK_AGAIN_MOST = 4;
const AGAIN_MS = 4000;

/** @typedef {import("../link/keeping.js").Papers} Papers */
/** @typedef {import("../link/keeping.js").Entry} Entry */

export class Hand extends Journal {
  /** @param {import("../link/link.js").Link} link @param {string} game @param {string} seat */
  constructor(link, game, seat) {
    super(game, seat);
    this.link = link;
    this.left = false;
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  /** Nobody is looking at this seat any more. */
  dispose() {
    this.left = true;
    clearTimeout(this.timer);
  }

  // --- acting -----------------------------------------------------------------------------------------------------------------------

  /**
   * Sign and send. Resolves with the record that the act became. Throws Refused if the server has signed that it will never be in the log.
   * @param {Entry["kind"]} kind @param {() => {body: any[], private: any}} make what is signed, once it may be @returns {Promise<number>}
   */
  act(kind, make) {
    return this.#alone(async () => {
      await this.#answered();
      for (let again = 0; ; again++) {
        await this.sound();
        const { body, private: secret } = make();
        try {
          return await this.#send(await this.#sign(kind, body, secret));
        } catch (error) {
          // Something happened between what was seen and what was asked: it is asked again of what is seen now.
          const late = error instanceof Refused && /^refusal\.(seen|seen_early)$/.test(error.key);
          if (kind !== "ask" || !late || again >= ASK_AGAIN_MOST) throw error;
          await this.checker?.reaches(this.records.length, RECORDS_PATIENCE_MS);
        }
      }
    });
  }

  /** Send again what was not answered, before anything else. */
  resume() {
    return this.#alone(() => this.#answered());
  }

  /** @template T @param {() => Promise<T>} act @returns {Promise<T>} */
  #alone(act) {
    return alone(`seat ${hex(this.genesis)} ${this.seat}`, async () => {
      await this.read(); // another tab may have signed meanwhile
      return act();
    });
  }

  async #answered() {
    for (const entry of this.journal) {
      if (!isOpen(entry)) continue;
      await this.sound();
      if (isOpen(entry))
        await this.#send(entry).catch((error) => {
          if (!(error instanceof Refused)) throw error;
        });
    }
  }

  /** @param {Entry["kind"]} kind @param {any[]} body @param {any} secret @returns {Promise<Entry>} */
  async #sign(kind, body, secret) {
    const { papers } = this;
    if (!papers) throw fails("web.own.no_key");
    const n = Math.max(this.newest, ...this.journal.map((entry) => entry.n), 0) + 1;
    const seenSeq = this.checker?.checked ?? -1;
    return this.#written(
      { kind, n, seen: this.records[seenSeq].hash, seenSeq, body, private: secret },
      papers.secret,
      papers.open,
    );
  }

  /** @param {Pick<Entry, "kind" | "n" | "seen" | "seenSeq" | "body" | "private">} what @param {CryptoKey | null} secret @param {Uint8Array} open @returns {Promise<Entry>} */
  async #written(what, secret, open) {
    const { seat } = this;
    const message = signedBytes({
      genesis: this.genesis,
      key: open,
      seat,
      kind: what.kind,
      n: what.n,
      seen: what.seen,
      body: what.body,
    });
    const signature = secret ? await sign(secret, message) : NO_KEY;
    const entry = {
      ...what,
      genesis: hex(this.genesis),
      seat,
      key: hex(open),
      signature,
      accepted: -1,
      stood: -1,
      declined: null,
    };
    await put(["acts", entry]);
    if (this.papers && same(open, this.papers.open)) this.journal.push(entry);
    return entry;
  }

  /** @param {Entry} entry @returns {Promise<number>} */
  async #send(entry) {
    const open = keyOf(entry);
    const { kind, n, seen, body, signature } = entry;
    /** @type {any[]} */
    let answer;
    try {
      answer = await this.link.request(
        "act",
        this.game,
        this.seat,
        kind,
        open,
        n,
        seen,
        body,
        signature,
        entry.private,
      );
    } catch (error) {
      if (error instanceof Declined) await this.#declined(entry, open, error);
      else this.#later(error);
      throw error;
    }
    const [, seq, head] = answer;
    await this.keep(head);
    entry.accepted = seq;
    await put(["acts", entry]);
    if (!(await this.checker?.reaches(seq, RECORDS_PATIENCE_MS))) throw isMissing(seq);
    if (!this.stands(entry, this.records[seq])) {
      this.checker?.fail(seq, "by", say("web.own.not_there", { n }));
      throw fails("web.own.not_there", { n });
    }
    entry.stood = seq;
    await put(["acts", entry]);
    return seq;
  }

  /** The server could not accept or decline it now: what was signed remains signed, and is sent again. @param {any} error */
  #later(error) {
    clearTimeout(this.timer);
    const told = error instanceof ServerError ? error.say[1].find(([name]) => name === "seconds")?.[1] : 0;
    if (!this.left)
      this.timer = window.setTimeout(() => this.resume().catch(() => undefined), told ? (told + 1) * 1000 : AGAIN_MS);
  }

  /** The server says that an act will never stand: only its signature frees us to sign something else. @param {Entry} entry @param {Uint8Array} open @param {Declined} said */
  async #declined(entry, open, said) {
    const { checker } = this;
    const act = actHash(actOf(entry, this.genesis, open));
    const holds =
      checker?.stand &&
      same(said.act, act) &&
      (await this.isServers(said.seq, refusalBytes(said.act, said.seq, said.hash), said.signature));
    if (!holds) throw fails("web.own.bad_refusal");
    entry.declined = { refusal: said.refusal, seq: said.seq, hash: said.hash, signature: said.signature };
    await put(["acts", entry]);
  }

  // --- the ceremony -----------------------------------------------------------------------------------------------------------------

  /** The id of the account that this browser is signed in to; "" for none. */
  get #account() {
    return accountOf(this.link)?.[0] ?? "";
  }

  /** Take the empty seat. The server's signature of the first record comes first: whoever shows another one later is found out. @param {string} name */
  async sit(name) {
    await this.checker?.settled();
    if (!this.papers) {
      const { serverKey } = this.link;
      if (serverKey && !same(serverKey, this.checker?.stand?.serverKeys.at(-1)?.[1] ?? NO_KEY))
        throw fails("web.own.other_key");
      const [head] = await this.link.request("head_of", this.game, 0);
      if (head[1] !== 0 || !same(head[2], this.genesis)) throw fails("web.own.bad_head");
      await this.keep(head);
      await this.#newPapers(name, randomBytes(NONCE_BYTES));
    }
    const { nonce } = /** @type {Papers} */ (this.papers);
    if (this.did("taken")) return this.resume();
    if (!nonce) throw fails("web.own.no_key");
    await this.act("taken", () => ({
      body: [this.#account, name, boundNonceHash(this.genesis, this.seat, nonce), CLIENT],
      private: null,
    }));
  }

  /** @param {string} name @param {Uint8Array | null} nonce @param {Partial<Papers>} [more] */
  async #newPapers(name, nonce, more = {}) {
    await forGood();
    const pair = (await able()) ? await makeKey() : { secret: null, open: NO_KEY };
    const papers = {
      genesis: hex(this.genesis),
      seat: this.seat,
      game: this.game,
      server: location.host,
      ...pair,
      nonce,
      name,
      shown: false,
      began: false,
      ended: false,
      witnessed: false,
      guest: null,
      ...more,
    };
    await put(["papers", papers]);
    this.papers = papers;
    this.journal = [];
  }

  /** Show the nonce, once every seat has committed to one and our own commitment stands among them. */
  async show() {
    const { papers, checker } = this;
    if (!papers?.nonce || !(await checker?.settled())) return;
    if (this.did("nonce")) return this.resume();
    const { nonce, open } = papers;
    const stand = checker?.stand;
    const mine = stand?.seats.get(this.seat)?.taken;
    if (
      !stand?.allTaken ||
      !mine ||
      !same(mine[2], open) ||
      !same(mine[3], boundNonceHash(this.genesis, this.seat, nonce))
    )
      throw fails("web.own.not_there", { n: 1 });
    await this.note({ shown: true });
    await this.act("nonce", () => ({ body: [nonce, stand.rosterHash], private: null }));
  }

  /** Play on in a seat that signs nothing, from another browser than the one that took it. */
  async takeUp() {
    await this.#newPapers("", null, { secret: null, open: NO_KEY });
    await this.read();
  }

  // --- play -------------------------------------------------------------------------------------------------------------------------

  /** The question that the server shows is the one that the log, as far as it has been checked, asks by that record; throws where it is another. @param {number} decision @param {string} prompt its key */
  asks(decision, prompt) {
    const asked = this.checker?.stand?.awaits.find(([seat, seq]) => seat === this.seat && seq === decision);
    if (!asked || asked[2] === prompt) return;
    this.checker?.fail(decision, "awaits", say("web.own.other_question", { asked: asked[2], shown: prompt }));
    throw fails("web.own.other_question", { asked: asked[2], shown: prompt });
  }

  /** @param {number} decision @param {string} prompt the key of the question that was shown @param {(string | number)[]} picks */
  command(decision, prompt, picks) {
    // Half of it is as hard to guess, and what stands twice takes half of the bytes when it is compressed.
    const drawn = randomBytes(BLIND_BYTES / 2);
    const blind = Uint8Array.of(...drawn, ...drawn);
    const id = randomBytes(COMMAND_ID_BYTES);
    return this.act("command", () => {
      this.asks(decision, prompt);
      return {
        body: [decision, id, picksDigest(this.genesis, this.seat, decision, id, blind, picks)],
        private: [picks, blind],
      };
    });
  }

  /** @param {"takeback" | "draw" | "resign" | "pause" | "adjourn" | "flag"} what @param {number} [to] */
  ask(what, to = 0) {
    return this.act("ask", () => ({ body: [what, to], private: null }));
  }

  /** What the seat does about the clocks. @param {(string | number | any[])[]} body */
  clock(body) {
    return this.act("clock", () => ({ body, private: null }));
  }

  /** What the seat says about claims. @param {any[]} body */
  ruling(body) {
    return this.act("ruling", () => ({ body, private: null }));
  }

  /** @param {number} ask the record of the request @param {boolean} consents */
  answer(ask, consents) {
    return this.act("answer", () => ({ body: [ask, consents], private: null }));
  }

  /** Whether the seat's newest standing answers, as the log has them under its key, hold this one. @param {import("../protocol.d.ts").StandingArray} order */
  gave(order) {
    const given = this.records[this.checker?.stand?.seats.get(this.seat)?.orders ?? 0]?.inside;
    return (
      Array.isArray(given?.[0]) &&
      given[0].some((/** @type {any} */ one) => JSON.stringify(one) === JSON.stringify(order))
    );
  }

  /** @param {import("../protocol.d.ts").StandingArray[]} orders */
  order(orders) {
    const blind = randomBytes(BLIND_BYTES);
    return this.act("orders", () => ({
      body: [ordersDigest(this.genesis, this.seat, blind, orders)],
      private: [orders, blind],
    }));
  }

  /** Take a seat whose player the host has replaced. @param {string} name */
  async replace(name) {
    await this.checker?.settled();
    if (!this.papers || this.papers.nonce || this.papers.name !== name) await this.#newPapers(name, null);
    await this.act("replaced", () => ({ body: [this.#account, name, CLIENT], private: null }));
  }

  // --- devices ----------------------------------------------------------------------------------------------------------------------

  /** Let another browser play the seat: makes a key that it may use once, as text. */
  async invite() {
    const { papers } = this;
    if (!papers?.secret) throw fails("web.own.no_key");
    const { pair, text } = await makeOneTimeKey();
    const proof = await sign(pair.secret, deviceBytes(this.genesis, this.seat, pair.open, papers.open));
    await this.act("device", () => ({ body: [pair.open], private: proof }));
    return text;
  }

  /** Use such a key. It is stored first, so that a reload in between loses nothing. @param {string} text */
  async accept(text) {
    if (this.holds) return this.#welcomed();
    if (!(await able())) throw fails("web.own.cannot_sign");
    const guest = await keyFromText(text).catch(() => {
      throw fails("web.device.bad_key");
    });
    await this.#newPapers("", null, { guest });
    await this.enter();
  }

  /** With the one-time key: sign this browser's own key in, and then the one-time key out. */
  async enter() {
    const { papers, checker } = this;
    if (!papers?.guest) return;
    const { guest } = papers;
    await this.#alone(async () => {
      await this.sound();
      const sitting = checker?.stand?.seats.get(this.seat);
      if (this.holds || !papers.secret) return;
      const signer = sitting?.keys.get(hex(guest.open));
      if (!signer) throw fails("web.device.bad_key");
      const sent = (await all("acts", [papers.genesis, this.seat, hex(guest.open)])).find(isOpen);
      const proof = await sign(papers.secret, deviceBytes(this.genesis, this.seat, papers.open, guest.open));
      const seenSeq = checker?.checked ?? -1;
      const entry =
        sent ??
        (await this.#written(
          {
            kind: "device",
            n: signer.n + 1,
            seen: this.records[seenSeq].hash,
            seenSeq,
            body: [papers.open],
            private: proof,
          },
          guest.secret,
          guest.open,
        ));
      await this.#send(entry);
    });
    await this.#welcomed();
  }

  async #welcomed() {
    const { papers, checker } = this;
    if (!papers?.guest) return;
    const { open } = papers.guest;
    if (checker?.stand?.seats.get(this.seat)?.keys.has(hex(open)))
      await this.act("revoked", () => ({ body: [open], private: null }));
    await this.note({ guest: null });
  }

  /** Sign another of the seat's keys out. @param {Uint8Array} key */
  revoke(key) {
    return this.act("revoked", () => ({ body: [key], private: null }));
  }

  // --- the end ----------------------------------------------------------------------------------------------------------------------

  /** Sign the whole game, once it has been checked to its last record; whether that was done now. */
  async witness() {
    const { papers, checker } = this;
    if (!papers?.secret || papers.witnessed || !this.holds || !(await checker?.settled())) return false;
    const { seq, hash } = this.records[this.records.length - 1];
    const [head] = await this.link.request("head", this.game);
    await this.keep(head);
    const signature = await sign(papers.secret, witnessBytes(this.genesis, seq, hash));
    await this.link.request("witness", this.game, this.seat, papers.open, seq, hash, signature);
    await this.note({ witnessed: true });
    return true;
  }
}
