// @ts-check
/**
 * An entrant's part in the lots of a tournament: a nonce that this browser commits to, and shows once, when the ledger waits for it. Until then the ledger is followed
 * from its first record and held to every head that the server signed for this browser; on a second history nothing is shown.
 */

import { NO_KEY, boundNonceHash, headBytes } from "../records/acts.js";
import { Chain } from "../records/chain.js";
import { able, verify } from "../records/ed25519.js";
import { all, alone, forGood, get, put } from "../link/keeping.js";
import { ServerError, randomBytes } from "../link/link.js";
import { hex, same } from "../records/sha256.js";

const NONCE_BYTES = 32;
/** The kinds of a ledger's records. */
const KINDS = new Set(["charter", "act", "open", "end"]);
/** Places in the bodies of a charter and of an act. */
const SERVER_KEY = 8;
const EVENTS = 5;

/** @typedef {import("../protocol.d.ts").HeadArray} HeadArray */

/** @param {string} key @param {Record<string, any>} args */
const fails = (key, args) => new ServerError("lots", [key, Object.entries(args), ""]);

/** @param {HeadArray} head @param {string} who */
const keptHead = ([game, seq, hash, signature], who) => ({
  game,
  seat: who,
  seq,
  hash: hex(hash),
  bytes: hash,
  signature,
});

/**
 * What an entrant commits to: the nonce that is kept here for their number, made now if there is none. Empty where this browser can neither check the server's signature nor
 * keep anything for good: nobody waits for a nonce that would never be shown.
 * @param {import("../link/link.js").Link} link @param {string} id @param {number} number @returns {Promise<Uint8Array>}
 */
export async function commitment(link, id, number) {
  if (!(await able())) return NO_KEY;
  const who = `e:${number}`;
  const [head] = await link.request("head_of", id, 0);
  const [, , hash, signature] = head;
  const genesis = hex(hash);
  const signed = link.serverKey && (await verify(link.serverKey, headBytes(id, 0, hash), signature));
  return alone(`lots ${genesis} ${who}`, async () => {
    let papers = await get("papers", [genesis, who]);
    if (!papers) {
      await forGood();
      papers = {
        genesis,
        seat: who,
        game: id,
        server: location.host,
        secret: null,
        open: NO_KEY,
        nonce: randomBytes(NONCE_BYTES),
        name: "",
        shown: false,
        began: false,
        ended: false,
        witnessed: false,
        guest: null,
      };
      await put(
        ["papers", papers],
        .../** @type {["heads", any][]} */ (signed ? [["heads", keptHead(head, who)]] : []),
      );
    }
    return boundNonceHash(hash, who, papers.nonce);
  }).catch(() => NO_KEY);
}

/** Whether a nonce of this entrant is kept here. @param {string} id @param {string} who */
export const takesPart = (id, who) =>
  all("papers").then(
    (found) => found.some(({ game, seat, server }) => game === id && seat === who && server === location.host),
    () => false,
  );

export class Lots {
  /** @param {import("../link/link.js").Link} link @param {string} id @param {string} who "e:NUMBER" @param {() => void} told is called when something has changed here */
  constructor(link, id, who, told) {
    this.link = link;
    this.id = id;
    this.who = who;
    this.told = told;
    this.number = Number(who.slice(2));
    this.chain = new Chain(KINDS);
    /** the newest commitment in the ledger @type {Uint8Array} */
    this.committed = NO_KEY;
    this.rostered = false;
    this.listed = false;
    /** whether nothing is waited for any more */
    this.settled = false;
    /** whether the nonce was handed in by this page */
    this.shown = false;
    /** what is wrong, for good @type {import("../protocol.d.ts").SayArray | null} */
    this.fault = null;
    this.running = false;
    this.again = false;
  }

  /** Records, of which the first has this number; those that are known already are passed over. @param {number} first @param {[Uint8Array, Uint8Array][]} items */
  take(first, items) {
    try {
      items.forEach(([data], i) => {
        if (!this.fault && first + i === this.chain.records.length) this.#read(this.chain.add(data, NO_KEY));
      });
    } catch (error) {
      this.#failed(fails("web.chain.tampered", { what: String(error instanceof Error ? error.message : error) }));
    }
    this.#go();
  }

  /** @param {import("../records/chain.js").LogRecord} record */
  #read({ kind, body }) {
    if (kind !== "act") return;
    for (const [tag, ...values] of body[EVENTS]) {
      const mine = values[0] === this.number;
      if (mine && (tag === "entered" || tag === "committed")) this.committed = values[values.length - 1];
      if (tag === "rostered") [this.rostered, this.listed] = [true, values[0].includes(this.number)];
      if (tag === "waited" || (mine && tag === "nonce")) this.settled = true;
    }
  }

  /** @param {unknown} error */
  #failed(error) {
    // Whatever else went wrong is tried again with the next record, or when the page is opened again.
    if (error instanceof ServerError && error.code === "lots") this.fault ??= error.say;
    this.told();
  }

  async #go() {
    this.again = true;
    if (this.running) return;
    this.running = true;
    while (this.again && !this.fault) {
      this.again = false;
      const first = this.chain.records[0];
      if (first)
        await alone(`lots ${hex(first.hash)} ${this.who}`, () => this.#hold()).catch((error) => this.#failed(error));
    }
    this.running = false;
  }

  /** Hold the ledger to what was signed before, and show the nonce if it is waited for. */
  async #hold() {
    const { chain, id, who, link } = this;
    const { records } = chain;
    const key = records[0].body[SERVER_KEY];
    const kept = await all("heads", [id, who]);
    for (const { seq, hash, bytes, signature } of kept) {
      if (!records[seq] || hex(records[seq].hash) === hash) continue;
      // Another server may have a tournament of the same name.
      if (await verify(key, headBytes(id, seq, bytes), signature)) throw fails("web.tournament.lots.fork", { seq });
    }
    const papers = await get("papers", [hex(records[0].hash), who]);
    if (
      !this.listed ||
      this.settled ||
      !papers ||
      !same(this.committed, boundNonceHash(records[0].hash, who, papers.nonce))
    )
      return;
    const head = await this.#signed((await link.request("head", id))[0], key);
    // What follows is on its way.
    if (head[1] !== chain.last.seq) return;
    if (!same(head[2], chain.last.hash)) throw fails("web.tournament.lots.fork", { seq: head[1] });
    const lost = kept.find(({ seq }) => seq > head[1]);
    if (lost) throw fails("web.own.missing", { seq: lost.seq });
    await put(["heads", keptHead(head, who)], ["papers", { ...papers, shown: true }]);
    const [, , receipt] = await link.request("show_nonce", id, this.number, papers.nonce);
    await put(["heads", keptHead(await this.#signed(receipt, key), who)]);
    this.settled = this.shown = true;
    this.told();
  }

  /** A head, once its signature has been verified. @param {HeadArray} head @param {Uint8Array} key @returns {Promise<HeadArray>} */
  async #signed(head, key) {
    const [game, seq, hash, signature] = head;
    if (game !== this.id || !(await verify(key, headBytes(game, seq, hash), signature)))
      throw fails("web.tournament.lots.unsigned", { seq });
    return head;
  }
}
