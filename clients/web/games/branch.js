// @ts-check
/**
 * What could have been: a game played on from one of its records, by hand, by captains, or both, without a record of it anywhere. A branch is
 * what was done in it; the server makes it again from that (`engine/serve/branchexits.py`). It is looked at and played like any game.
 */

import { unpack } from "../records/canon.js";
import { button, h, show } from "../ui/dom.js";
import { Refused, ServerError, randomBytes } from "../link/link.js";
import { seated } from "../play/seated.js";
import { hex } from "../records/sha256.js";
import { t } from "../words/words.js";

const AT_ONCE = 200;
const ADDRESS_MOST = 7600;
const AGAIN_MS = 2500;
const ROLLOUTS = 10;
const MANY = 25;

/** @typedef {(number | [string, (string | number)[]])[]} Steps */
/** @typedef {{won: Map<string, number>, played: number}} Tally */

/** What `Link` is to a branch. */
export class BranchLink {
  /** @param {string} game @param {number} at the record that it goes on from */
  constructor(game, at) {
    this.game = game;
    this.at = at;
    this.seed = hex(randomBytes(6));
    /** @type {Steps} */
    this.steps = [];
    /** records with their openings @type {[Uint8Array, Uint8Array][]} */
    this.records = [];
    /** whoever is asked */
    this.asked = "";
    /** @type {[string, number][]} */
    this.score = [];
    this.over = false;
    this.branch = true;
    this.seated = seated;
    this.open = true;
    /** @type {string[][]} */
    this.roles = [];
    this.tokens = new Map();
    this.principal = "";
    this.isHost = false;
    this.opens = false;
    /** @type {Uint8Array | null} */
    this.serverKey = null;
    /** @type {import("../link/link.js").Subscription | null} */
    this.subscription = null;
    /** @type {() => void} told after each change */
    this.onChange = () => undefined;
    this.gone = false;
    /** whether its first position cannot be had */
    this.failed = false;
  }

  /** Ask about the branch after these steps. @param {any[]} asked @param {Steps} [steps] @param {string} [seed] @returns {Promise<any[]>} */
  async ask(asked, steps = this.steps, seed = this.seed) {
    const query = new URLSearchParams({
      at: String(this.at),
      seed,
      steps: JSON.stringify(steps),
      ask: JSON.stringify(asked),
    });
    if (String(query).length > ADDRESS_MOST) throw new ServerError("whatif", ["web.whatif.long", [], ""]);
    const kept = sessionStorage.getItem(`warledger.seat.${this.game}`);
    /** @type {Record<string, string>} */
    const headers = kept ? { Authorization: `Bearer ${JSON.parse(kept).token}` } : {};
    for (;;) {
      const answer = await fetch(`/api/games/${encodeURIComponent(this.game)}/whatif?${query}`, { headers });
      if (answer.status === 503 && !this.gone) {
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
        continue;
      }
      if (!answer.ok) throw new ServerError("whatif", ["web.whatif.refused", [["what", await answer.text()]], ""]);
      const [kind, ...rest] = unpack(new Uint8Array(await answer.arrayBuffer()));
      if (kind === "no") throw new Refused(rest[0]);
      return rest;
    }
  }

  /** Go on by these steps; with `from` the branch is another from there on. @param {Steps} steps */
  async go(steps) {
    const before = this.steps;
    const goesOn = JSON.stringify(steps.slice(0, before.length)) === JSON.stringify(before);
    const after = this.records.length ? (goesOn ? this.records.length - 1 : this.at) : -1;
    const [records, made, asked, score, outcome] = await this.ask(["show", after], steps);
    this.records.length = after + 1;
    this.records.push(...records);
    [this.steps, this.asked, this.score, this.over] = [made, asked, score, outcome !== null];
    if (goesOn) this.#give();
    else this.onAnew();
    this.onChange();
  }

  /** Another branch is looked at: all its records come again. */
  onAnew() {}

  #give() {
    const { subscription } = this;
    if (!subscription) return;
    const first = subscription.after() + 1;
    const items = this.records.slice(first, first + AT_ONCE);
    if (!items.length) return;
    subscription.take(first, items);
    setTimeout(() => this.#give(), 0);
  }

  /** @param {import("../link/link.js").Subscription} subscription @returns {() => void} */
  subscribe(subscription) {
    this.subscription = subscription;
    if (this.records.length) setTimeout(() => this.#give(), 0);
    else {
      this.go([]).catch((error) => {
        this.failed = true;
        subscription.refused?.(error);
        this.onChange();
      });
    }
    return () => {
      if (this.subscription === subscription) this.subscription = null;
    };
  }

  /** @param {string} tag @param {any[]} fields @returns {Promise<any[]>} */
  async request(tag, ...fields) {
    const [, seat, ...rest] = fields;
    if (tag === "choices") return ["choices", ...(await this.ask(["choices", seat, rest[0]]))];
    if (tag === "preview") return this.ask(["preview", seat, rest[0]]);
    if (tag === "submit") {
      await this.go([...this.steps, [seat, rest[2]]]);
      return [];
    }
    if (tag === "standing") return ["", seat, []];
    if (tag === "witnesses") return ["", []];
    throw new ServerError("unsupported", ["web.whatif.only", [], ""]);
  }

  /** @param {string} tag @param {any[]} fields */
  once(tag, ...fields) {
    return this.request(tag, ...fields);
  }

  login() {
    return this.request("login");
  }

  forget() {}

  given() {}

  arbitrates() {
    return false;
  }

  hosts() {
    return false;
  }

  casts() {
    return false;
  }

  castsAny() {
    return false;
  }

  close() {
    this.gone = true;
  }

  /** Who sits at it, in place of `Seating`. @param {import("./gameview.js").GameView} view */
  seatAt(view) {
    return new BranchSeat(view, this);
  }
}

/** Whoever sits at a branch: the seat that is asked, and captains where they are wanted. In place of `Seating`. */
export class BranchSeat {
  /** @param {import("./gameview.js").GameView} view @param {BranchLink} link */
  constructor(view, link) {
    this.view = view;
    this.link = link;
    this.plays = true;
    this.seat = "";
    /** all seats @type {string[]} */
    this.seats = [];
    /** those that captains play @type {Set<string>} */
    this.captains = new Set();
    this.busy = false;
    /** @type {import("../protocol.d.ts").SayArray | null} */
    this.wrong = null;
    /** @type {{here: Tally, there: Tally} | null} */
    this.odds = null;
    this.body = h("div", {});
    this.heading = h("summary", {});
    // On a phone the map needs the room.
    this.element = h(
      "details",
      { class: "branch", open: !matchMedia("(max-width: 700px)").matches },
      this.heading,
      this.body,
    );
    link.onChange = () => this.#changed();
    link.onAnew = () => {
      view.becomeSpectator();
      this.seat = "";
    };
    // The server makes the position anew first, which takes seconds in a long game.
    this.draw();
  }

  remembered() {
    return null;
  }

  signedIn() {}

  news() {}

  enter() {}

  /** Whether captains are to go on by themselves. */
  get #goesOn() {
    return !this.link.over && this.captains.has(this.link.asked);
  }

  /** Play whichever seat is asked. @param {string} seat "" for nobody */
  #sit(seat) {
    const { view } = this;
    view.play?.dispose();
    view.play = null;
    view.playPane.hidden = !seat;
    show(view.playPane);
    view.watch.audience = seat || "public";
    if (seat) view.play = new seated.Play(view, seat, view.playPane);
    else view.board?.highlight(null);
  }

  #changed() {
    this.odds = null;
    if (!this.link.records.length) return this.draw();
    const { asked } = this.link;
    if (asked !== this.seat || !this.view.play) {
      this.seat = asked;
      this.#sit(asked && !this.captains.has(asked) ? asked : "");
    }
    this.draw();
    if (this.#goesOn && !this.busy) setTimeout(() => this.#captains(1), 0);
  }

  /** @param {() => Promise<any>} act */
  async #do(act) {
    if (this.busy) return;
    this.busy = true;
    this.wrong = null;
    this.draw();
    try {
      await act();
    } catch (error) {
      this.wrong = error instanceof Refused || error instanceof ServerError ? error.say : ["web.link.lost", [], ""];
      this.captains.clear();
    }
    this.busy = false;
    this.draw();
    if (this.#goesOn && !this.view.disposed) setTimeout(() => this.#captains(1), 0);
  }

  /** @param {number} n commands */
  #captains(n) {
    return this.#do(() => this.link.go([...this.link.steps, n]));
  }

  /** Play on to the end from here and from the record that the branch began at, by turns. */
  #compare() {
    return this.#do(async () => {
      const odds = { here: { won: new Map(), played: 0 }, there: { won: new Map(), played: 0 } };
      this.odds = odds;
      for (let n = 0; n < ROLLOUTS && this.odds === odds && !this.view.disposed; n++) {
        for (const [tally, steps, seed] of /** @type {[Tally, Steps, string][]} */ ([
          [odds.here, this.link.steps, this.link.seed],
          [odds.there, [], "as it was"],
        ])) {
          const [winner] = await this.link.ask(["rollout", n], steps, seed);
          if (winner === null) continue;
          tally.played++;
          tally.won.set(winner, (tally.won.get(winner) ?? 0) + 1);
          this.draw();
        }
      }
    });
  }

  draw() {
    const { link, view, busy } = this;
    const { spoken } = view;
    this.heading.textContent = t("whatif");
    if (!link.records.length)
      return show(
        this.body,
        link.failed ? null : h("p", { class: "muted", role: "status", text: t("whatif.loading", { seq: link.at }) }),
      );
    const known = [...(view.watch?.seats.keys() ?? [])];
    if (known.length) this.seats = known;
    const { seats } = this;
    const given = link.steps.reduce(
      (/** @type {number} */ sum, step) => sum + (typeof step === "number" ? step : 1),
      0,
    );
    const control = (
      /** @type {string} */ key,
      /** @type {() => void} */ act,
      /** @type {boolean} */ off,
      /** @type {Record<string, any>} */ args = {},
    ) => button({ "data-act": `whatif-${key}`, disabled: off, onclick: act, text: t(`whatif.${key}`, args) });
    const focus = this.element.contains(document.activeElement)
      ? document.activeElement?.getAttribute("data-act")
      : null;
    show(
      this.body,
      h("p", { text: t("whatif.about", { seq: link.at, n: given }) }),
      h(
        "div",
        { class: "play-actions" },
        control("captain", () => this.#captains(1), busy || link.over || !link.asked, {
          seat: spoken.name(link.asked),
        }),
        control("captains", () => this.#captains(MANY), busy || link.over || !link.asked, { n: MANY }),
        control("undo", () => this.#do(() => link.go(link.steps.slice(0, -1))), busy || !link.steps.length),
        control("again", () => this.#do(() => link.go([])), busy || !link.steps.length),
      ),
      seats.map((seat) =>
        h(
          "label",
          { class: "once" },
          h("input", {
            type: "checkbox",
            "data-act": `whatif-by:${seat}`,
            checked: this.captains.has(seat),
            onchange: (/** @type {Event} */ event) => {
              if (/** @type {HTMLInputElement} */ (event.target).checked) this.captains.add(seat);
              else this.captains.delete(seat);
              this.#changed();
            },
          }),
          t("whatif.by", { seat: spoken.name(seat) }),
        ),
      ),
      h(
        "div",
        { class: "play-actions" },
        control("odds", () => this.#compare(), busy),
        h("a", { class: "button", href: `/game/${link.game}?at=${link.at}`, text: t("whatif.back") }),
      ),
      this.odds ? this.#table(this.odds, seats) : null,
      busy ? h("p", { class: "muted", role: "status", text: t("whatif.busy") }) : null,
      this.wrong ? h("p", { class: "refusal", role: "alert", text: spoken.say(this.wrong) }) : null,
    );
    if (focus) /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-act="${focus}"]`))?.focus();
  }

  /** @param {{here: Tally, there: Tally}} odds @param {string[]} seats */
  #table({ here, there }, seats) {
    const { spoken } = this.view;
    const cell = (/** @type {Tally} */ { won, played }, /** @type {string} */ seat) =>
      h("td", { text: t("whatif.won", { n: won.get(seat) ?? 0, of: played }) });
    return [
      h(
        "table",
        { class: "odds-table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col", text: t("luck.side") }),
            h("th", { scope: "col", text: t("whatif.here") }),
            h("th", { scope: "col", text: t("whatif.there", { seq: this.link.at }) }),
          ),
        ),
        h(
          "tbody",
          {},
          seats.map((seat) =>
            h(
              "tr",
              { class: `side-${seat}` },
              h("th", { scope: "row", text: spoken.name(seat) }),
              cell(here, seat),
              cell(there, seat),
            ),
          ),
        ),
      ),
      h("p", { class: "worth", text: t("whatif.worth") }),
    ];
  }
}
