// @ts-check
/**
 * A connection to the server over a WebSocket. It comes back by itself after a break: it says hello and shows its tokens again, follows
 * each game from the record it has, and sends again what was asked and not answered. A command carries an id, so that sent twice it is
 * carried out once.
 */

import { pack, unpack } from "../records/canon.js";

const VERSION = 3;
const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 10_000;
const AGAIN_MS = 4000;
/** Codes of errors that are only temporary. */
const PASSING = ["busy", "crowded", "late", "lost", "not_saved", "stopping", "timeout", "unknown_outcome"];

/** The code of the error that answers a token which the server does not know. */
export const UNKNOWN_TOKEN = "login";

export class Refused extends Error {
  /** @param {[string, string, [string, any][]]} refusal */
  constructor(refusal) {
    super(refusal[1]);
    this.rule = refusal[0];
    this.key = refusal[1];
    this.args = refusal[2];
  }

  /** @returns {import("../protocol.d.ts").SayArray} */
  get say() {
    return [this.key, this.args, this.rule];
  }
}

/** An act was refused, and the server has signed that up to record `seq` it does not stand in the log, and that it never will. */
export class Declined extends Refused {
  /** @param {any[]} fields */
  constructor([refusal, act, seq, hash, signature]) {
    super(refusal);
    this.refusal = refusal;
    /** @type {Uint8Array} */
    this.act = act;
    /** @type {number} */
    this.seq = seq;
    /** @type {Uint8Array} */
    this.hash = hash;
    /** @type {Uint8Array} */
    this.signature = signature;
  }
}

export class ServerError extends Error {
  /** @param {string} code @param {import("../protocol.d.ts").SayArray} say */
  constructor(code, say) {
    super(code);
    this.code = code;
    this.say = say;
  }

  /** How long to wait before the same is asked again, in ms; 0 where the answer would be the same. */
  get again_ms() {
    const told = this.say[1].find(([name]) => name === "seconds")?.[1];
    if (this.code === "slow_down") return ((told ?? 0) + 1) * 1000;
    return PASSING.includes(this.code) ? AGAIN_MS : 0;
  }
}

/** @typedef {import("../protocol.d.ts").Messages} Messages */
/** @typedef {import("../protocol.d.ts").Answers} Answers */
/**
 * @typedef {{tag: string, fields: any[], resolve: (answer: any) => void, reject: (error: Error) => void, again: boolean}} Pending
 * @typedef {{game: string, audience: string, after: () => number, take: (first: number, items: [Uint8Array, Uint8Array][]) => void,
 *   refused: (error: Error) => void}} Subscription
 */

export class Link {
  /** @param {string} url @param {(state: "connecting" | "open" | "waiting") => void} onState */
  constructor(url, onState) {
    this.url = url;
    this.onState = onState;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.open = false;
    this.closed = false;
    this.next = 1;
    this.wait = FIRST_WAIT_MS;
    /** @type {Map<number, Pending>} */
    this.pending = new Map();
    /** @type {Set<Subscription>} */
    this.subscriptions = new Set();
    /** @type {Map<string, string>} token -> name */
    this.tokens = new Map();
    /** whether one of them is the host's */
    this.isHost = false;
    /** the key that the server says it signs with @type {Uint8Array | null} */
    this.serverKey = null;
    /** @type {((key: Uint8Array) => void) | null} */
    this.onKey = null;
    /** @type {[string, string, string][]} */
    /** what whoever is logged in is called in logs */
    this.principal = "";
    /** @type {any[]} */
    this.roles = [];
    /** every byte received, for tests that look for what must not be there @type {((data: Uint8Array) => void) | null} */
    this.onBytes = null;
    /** @type {number | undefined} */
    this.timer = undefined;
    // A socket whose network is gone would be noticed only after minutes.
    addEventListener("offline", () => this.#abandon());
    addEventListener("online", () => {
      if (this.socket || this.closed) return;
      this.wait = FIRST_WAIT_MS;
      this.#connect();
    });
    this.#connect();
  }

  #abandon() {
    const { socket } = this;
    if (!socket) return;
    this.#lost();
    socket.close();
  }

  #connect() {
    if (this.closed) return;
    clearTimeout(this.timer);
    this.onState("connecting");
    const socket = new WebSocket(this.url, "warledger.1");
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => this.#greet(socket);
    socket.onmessage = (event) => {
      if (this.socket === socket) this.#receive(new Uint8Array(event.data));
    };
    socket.onclose = () => {
      if (this.socket === socket) this.#lost();
    };
  }

  /** @param {WebSocket} socket */
  async #greet(socket) {
    try {
      const [, , key] = await this.#ask("hello", [VERSION, "page"]);
      this.serverKey = key;
      this.onKey?.(key);
      if (this.tokens.size) for (const [token, name] of this.tokens) await this.#login(token, name);
      else await this.#ask("login", ["", ""]);
    } catch (error) {
      if (error instanceof ServerError && error.code === "version") {
        this.closed = true;
        socket.close();
      }
      if (!(error instanceof ServerError)) return;
    }
    if (this.socket !== socket || socket.readyState !== WebSocket.OPEN) return;
    this.open = true;
    this.wait = FIRST_WAIT_MS;
    this.onState("open");
    for (const subscription of this.subscriptions) this.#subscribe(subscription);
    for (const [number, pending] of this.pending)
      if (pending.again) this.#send([pending.tag, number, ...pending.fields]);
  }

  /** @param {string} token @param {string} name */
  async #login(token, name) {
    try {
      return await this.#ask("login", [token, name]);
    } catch (error) {
      // Whatever else went wrong, it is shown again when the connection is next opened.
      if (error instanceof ServerError && error.code === UNKNOWN_TOKEN) this.tokens.delete(token);
      throw error;
    }
  }

  #lost() {
    this.open = false;
    this.socket = null;
    this.onState("waiting");
    for (const [number, pending] of [...this.pending]) {
      if (pending.again) continue;
      this.pending.delete(number);
      pending.reject(new ServerError("lost", ["web.link.lost", [], ""]));
    }
    if (this.closed) return;
    this.timer = window.setTimeout(() => this.#connect(), this.wait);
    this.wait = Math.min(LONGEST_WAIT_MS, this.wait * 2);
  }

  /** @param {any[]} message */
  #send(message) {
    if (this.socket?.readyState === WebSocket.OPEN)
      this.socket.send(/** @type {Uint8Array<ArrayBuffer>} */ (pack(message)));
  }

  /** A request that belongs to opening a connection: it is never sent again by itself. @template {keyof Answers} T @param {T} tag @param {Messages[T]} fields @returns {Promise<Answers[T]>} */
  #ask(tag, fields) {
    return new Promise((resolve, reject) => {
      const number = this.next++;
      this.pending.set(number, { tag, fields, resolve, reject, again: false });
      this.#send([tag, number, ...fields]);
    });
  }

  /**
   * Ask the server; resolves with the fields of its answer (without tag and number). Throws Refused or ServerError.
   * @template {keyof Answers} T @param {T} tag @param {Messages[T]} fields @returns {Promise<Answers[T]>}
   */
  request(tag, ...fields) {
    return new Promise((resolve, reject) => {
      const number = this.next++;
      this.pending.set(number, { tag, fields, resolve, reject, again: true });
      if (this.open) this.#send([tag, number, ...fields]);
    });
  }

  /** A request that is not sent again after a break, since it could be carried out twice. @template {keyof Answers} T @param {T} tag @param {Messages[T]} fields @returns {Promise<Answers[T]>} */
  once(tag, ...fields) {
    return this.open ? this.#ask(tag, fields) : this.request(tag, ...fields);
  }

  /** Whether everything of a game may be seen: as its host or arbiter. @param {string} game */
  arbitrates(game) {
    return this.roles.some(
      ([kind, of]) => (kind === "host" && of === "") || (kind === "arbiter" && (of === "" || of === game)),
    );
  }

  /** Whether a caster's view of a game may be seen, of a seat or, in a tournament, of any. @param {string} game */
  casts(game) {
    return this.roles.some(([kind, of]) => kind === "caster" && of === game) || this.castsAny(game);
  }

  /** Whether a caster's view of every seat of a game may be seen: as a caster of its tournament. @param {string} game */
  castsAny(game) {
    return this.roles.some(([kind, of, seat]) => kind === "caster" && !seat && game.startsWith(`${of}-r`));
  }

  /** The server has given this connection a seat. @param {string} game @param {string} seat */
  given(game, seat) {
    if (!this.roles.some(([kind, of, who]) => kind === "seat" && of === game && who === seat))
      this.roles = [...this.roles, ["seat", game, seat]];
  }

  /** Act for one more seat, or as the host; or see what a token shows. @param {string} token @param {string} name @returns {Promise<[string, string, string][]>} the roles held */
  async login(token, name) {
    const [principal, roles] = await this.request("login", token, name);
    this.principal = principal;
    this.tokens.set(token, name);
    this.roles = roles;
    this.isHost = roles.some((/** @type {[string, string, string]} */ [kind, of]) => kind === "host" && of === "");
    return roles;
  }

  /** Whether games may be opened. */
  get opens() {
    return this.isHost || this.roles.some(([kind, of]) => kind === "host" && of === "own");
  }

  /** Whether the seats of a game may be given out. @param {string} game */
  hosts(game) {
    return this.isHost || this.roles.some(([kind, of]) => kind === "host" && of === game);
  }

  /** Stop using this token: the connection is opened again without it. @param {string} token */
  forget(token) {
    this.tokens.delete(token);
    this.isHost = false;
    this.roles = [];
    this.principal = "";
    this.socket?.close();
  }

  /** @param {Subscription} subscription @returns {() => void} ends it */
  subscribe(subscription) {
    this.subscriptions.add(subscription);
    if (this.open) this.#subscribe(subscription);
    return () => {
      this.subscriptions.delete(subscription);
      if (this.open) this.#ask("unsubscribe", [subscription.game, subscription.audience]).catch(() => undefined);
    };
  }

  /** @param {Subscription} subscription */
  #subscribe(subscription) {
    this.#ask("subscribe", [subscription.game, subscription.after(), subscription.audience]).catch((error) => {
      if (!(error instanceof ServerError) || error.code === "lost") return; // followed again when the connection is next opened
      if (!error.again_ms) return subscription.refused(error);
      setTimeout(() => {
        if (this.open && this.subscriptions.has(subscription)) this.#subscribe(subscription);
      }, error.again_ms);
    });
  }

  close() {
    this.closed = true;
    this.socket?.close();
  }

  /** @param {Uint8Array} data */
  #receive(data) {
    this.onBytes?.(data);
    let message;
    try {
      message = unpack(data);
    } catch {
      this.socket?.close();
      return;
    }
    const [tag, ...rest] = message;
    if (tag === "records") {
      const [game, audience, first, items] = rest;
      for (const subscription of this.subscriptions) {
        if (subscription.game === game && subscription.audience === audience) subscription.take(first, items);
      }
      return;
    }
    const [number, ...fields] = rest;
    const pending = this.pending.get(number);
    if (!pending) return;
    this.pending.delete(number);
    if (tag === "refused") pending.reject(new Refused(fields[0]));
    else if (tag === "declined") pending.reject(new Declined(fields));
    else if (tag === "error") pending.reject(new ServerError(fields[0], fields[1]));
    else pending.resolve(fields);
  }
}

/** Fresh random bytes of this browser. @param {number} n */
export const randomBytes = (n) => crypto.getRandomValues(new Uint8Array(n));
