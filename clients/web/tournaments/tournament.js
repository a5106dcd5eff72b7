// @ts-check
/**
 * One tournament: its charter in words, the rounds with games and clocks, standings with how each place came about, crosstable, bracket; and for
 * whoever takes part what they may do now, as the server offers it.
 */

import { h, show, sure } from "../ui/dom.js";
import { Refused, ServerError, UNKNOWN_TOKEN, randomBytes } from "../link/link.js";
import { saving } from "../link/receipts.js";
import { hex } from "../records/sha256.js";
import { fromAddress, kept } from "./key.js";
import { Lots, commitment, takesPart } from "./lots.js";
import { bracket, crosstable, entrants, standings } from "./tables.js";
import { Codes, roleFor } from "./codes.js";
import { TournamentPlace } from "./place.js";
import { countDown, drawRounds } from "./rounds.js";
import { Offering } from "./offering.js";
import { TournamentStory } from "./story.js";
import { onLanguage, phrases, spokenLanguage, t } from "../words/words.js";

const GATHER_MS = 150;
const CLOCKS_MS = 4000;
const CLOCKS_MOST = 64;
const WALL_MOST = 16;
const FILES = [
  "pairings.html",
  "names.html",
  "slips.html",
  "standings.csv",
  "pairings.csv",
  "results.csv",
  "report.trf26",
  "rounds.ics",
];

export class TournamentView {
  /** @param {HTMLElement} main @param {import("../link/link.js").Link} link @param {string} id @param {(path: string) => void} go */
  constructor(main, link, id, go) {
    this.link = link;
    this.id = id;
    this.go = go;
    /** @type {Record<string, any> | null} */
    this.told = null;
    /** @type {string[]} */
    this.mine = [];
    this.who = "";
    this.seq = -1;
    /** the hash of the newest record that is shown here @type {Uint8Array} */
    this.seen = new Uint8Array();
    /** @type {Map<string, any>} */
    this.rows = new Map();
    /** the part in the lots of whoever has a nonce here @type {Lots | null} */
    this.lots = null;
    this.over = false;
    this.timer = 0;
    this.head = h("div", { class: "page-head" });
    this.said = h("p", { class: "said", role: "status", "data-kind": "news" });
    this.place = new TournamentPlace(this);
    this.rounds = h("section", { "aria-labelledby": "cup-rounds" });
    this.table = h("section", { "aria-labelledby": "cup-standings" });
    this.more = h("div", {});
    this.codes = new Codes(link, (error) => this.failed(error));
    this.offering = new Offering(
      (picks) => this.#ask(picks),
      (picks) => this.submit(picks),
      () => phrases(this.told?.title ?? ""),
      (slot, pick, before) => this.#meant(slot, pick, before),
    );
    // Whoever wants the story follows from the first record.
    this.story = new TournamentStory(
      () => phrases(this.told?.title ?? ""),
      () => this.follow(),
    );
    this.files = h("section", { class: "cup-files" });
    show(
      main,
      h(
        "div",
        { class: "page cup" },
        this.head,
        this.said,
        this.codes.element,
        this.place.element,
        this.rounds,
        this.table,
        this.more,
        this.story.element,
        this.files,
      ),
    );
    this.asked = fromAddress(id);
    this.stop = onLanguage(() => this.draw());
    /** @type {() => void} */
    this.unfollow = () => undefined;
    this.clocks = window.setInterval(() => this.#games(), CLOCKS_MS);
    this.seconds = window.setInterval(() => this.#tick(), 1000);
    this.#begin();
  }

  dispose() {
    this.over = true;
    clearTimeout(this.timer);
    clearInterval(this.clocks);
    clearInterval(this.seconds);
    this.unfollow();
    this.stop();
  }

  signedIn() {
    this.follow();
  }

  async #begin() {
    const key = kept(this.id);
    if (key) {
      try {
        await this.link.login(key.token, "");
      } catch (error) {
        // An entry that was not answered may not have come to pass.
        if (!(key.asked && error instanceof ServerError && error.code === UNKNOWN_TOKEN)) this.failed(error);
      }
    }
    await this.follow();
    const {
      who,
      play: [round, number],
    } = this.asked;
    if (!this.mine.includes(who)) return;
    this.who = who;
    const board = this.told?.rounds
      .find((/** @type {any} */ one) => one.round === round)
      ?.boards.find((/** @type {any} */ one) => one.board === number);
    if (board?.game && !board.results) await this.play(round, number);
    else await this.follow();
  }

  /** Follow the tournament as whoever acts in it here, else as spectators do. */
  async follow() {
    await this.refresh();
    const entrant = [this.who, ...this.mine].find((who) => who.startsWith("e:"));
    if (this.lots?.who !== entrant) this.lots = null;
    if (!this.lots && entrant && (await takesPart(this.id, entrant)))
      this.lots = new Lots(this.link, this.id, entrant, () => this.#toldOfLots());
    if (this.over) return;
    const { lots, story } = this;
    this.unfollow();
    this.unfollow = this.link.subscribe({
      game: this.id,
      audience: this.who || "public",
      after: () =>
        Math.min(story.wanted ? story.records.length - 1 : this.seq, lots ? lots.chain.records.length - 1 : this.seq),
      take: (first, items) => {
        story.take(first, items);
        lots?.take(first, items);
        if (first + items.length - 1 <= this.seq) return;
        this.seq = first + items.length - 1;
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.refresh(), GATHER_MS);
      },
      refused: (error) => this.failed(error),
    });
  }

  async refresh() {
    try {
      const [, seq, mine, told] = await this.link.request("tournament", this.id);
      const [head] = await this.link.request("head_of", this.id, seq);
      if (this.over) return;
      this.seq = Math.max(seq, this.seq);
      this.seen = head[2];
      this.mine = mine.map((/** @type {[string]} */ [who]) => who);
      if (!this.mine.includes(this.who)) this.who = this.mine.find((who) => who.startsWith("d:")) ?? this.mine[0] ?? "";
      this.told = told;
      await this.#games();
      this.draw();
    } catch (error) {
      this.failed(error);
    }
  }

  /** @param {any} error */
  failed(error) {
    if (this.over) return;
    this.said.dataset.kind = "trouble";
    this.said.textContent =
      error instanceof Refused || error instanceof ServerError
        ? phrases(this.told?.title ?? "").say(error.say)
        : String(error);
  }

  // --- what is played -----------------------------------------------------------------------------------------------------------------

  /** The boards of the newest round whose games are being played. @returns {any[]} */
  get live() {
    const last = this.told?.rounds.at(-1);
    return (last?.boards ?? []).filter((/** @type {any} */ board) => board.game && !board.results);
  }

  /** How far the games are, and their clocks: as spectators see them. */
  async #games() {
    const boards = this.live.slice(0, CLOCKS_MOST);
    await Promise.all(
      boards.map(async ({ game }) => {
        const answer = await fetch(`/api/games/${game}`).catch(() => null);
        if (answer?.ok) this.rows.set(game, await answer.json());
      }),
    );
    this.#tick();
  }

  #tick() {
    countDown(phrases(this.told?.title ?? ""), this.rows);
  }

  // --- acting -------------------------------------------------------------------------------------------------------------------------

  #toldOfLots() {
    if (this.over) return;
    if (this.lots?.shown) {
      this.said.dataset.kind = "news";
      this.said.textContent = t("tournament.lots.shown");
    }
    this.draw();
  }

  /** Whoever checks in is here, and so is the nonce that they commit to. */
  async #commit() {
    if (this.lots?.rostered) return;
    const hash = await commitment(this.link, this.id, Number(this.who.slice(2)));
    if (!hash.length) return;
    await this.link
      .request("submit", this.id, this.who, 0, this.seen, ["commit", hex(hash)], randomBytes(16))
      .catch((error) => {
        if (!(error instanceof Refused)) throw error;
      });
    if (!this.lots) await this.follow();
  }

  /** What may follow these picks. Where they give a role to nobody known, a code is offered. @param {(string | number)[]} picks */
  async #ask(picks) {
    this.codes.close();
    try {
      return await this.link.request("choices", this.id, this.who, picks);
    } catch (error) {
      const role = roleFor(error, picks);
      if (role) this.codes.offer(this.id, role);
      throw error;
    }
  }

  /** Carry an act out, and tell what came of it. @param {(string | number)[]} picks */
  async submit(picks) {
    if (
      picks[0] === "end_wait" &&
      !(await sure(t("tournament.lots.sure"), t("tournament.lots.yes"), t("tournament.lots.no")))
    )
      return;
    try {
      if (picks[0] === "check_in" && this.who.startsWith("e:")) await this.#commit();
      const [, seq] = await this.link.request("submit", this.id, this.who, 0, this.seen, picks, randomBytes(16));
      this.said.dataset.kind = "news";
      this.said.textContent = t("tournament.done", { seq });
      this.offering.close();
      await this.refresh();
    } catch (error) {
      this.failed(error);
      if (error instanceof Refused) await this.refresh();
      if (error instanceof Refused) this.failed(error);
    }
  }

  /** Fetch the seat of a board, and go there. @param {number} round @param {number} board */
  async play(round, board) {
    try {
      const [game, seat, token] = await this.link.once("tournament_seat", this.id, this.who, round, board);
      const name = this.name(Number(this.who.slice(2)));
      // The account that is signed in has been given the seat itself.
      if (!token) this.link.given(game, seat);
      this.go(
        token ? `/game/${game}#token=${encodeURIComponent(token)}&name=${encodeURIComponent(name)}` : `/game/${game}`,
      );
    } catch (error) {
      this.failed(error);
    }
  }

  // --- what is shown ------------------------------------------------------------------------------------------------------------------

  /** @param {number} number */
  name(number) {
    return this.told?.entrant_list.find((/** @type {any} */ one) => one.number === number)?.shown ?? String(number);
  }

  /** Whoever acts so, by name: an entrant, or a director or an arbiter, with what they are. @param {string} who */
  called(who) {
    const [letter, id] = [who[0], who.slice(2)];
    if (letter === "e") return this.name(Number(id));
    const found = this.told?.officials.findLast(
      (/** @type {any} */ one) =>
        one.id === id && (one.role === "director") === (letter === "d") && one.role !== "caster",
    );
    return found ? `${found.shown} (${t(letter === "d" ? "act.director" : "act.arbiter")})` : who;
  }

  /** Whom an entrant's number or a board's stands for, where somebody picks one. @param {string} slot @param {number} pick @param {(string | number)[]} before */
  #meant(slot, pick, before) {
    if (["entrant", "winner", "absent"].includes(slot)) return pick ? this.name(pick) : "";
    if (slot !== "board") return "";
    const rounds = this.told?.rounds ?? [];
    const round =
      typeof before[1] === "number" ? rounds.find((/** @type {any} */ one) => one.round === before[1]) : rounds.at(-1);
    return (
      round?.boards
        .find((/** @type {any} */ one) => one.board === pick)
        ?.entrants.map((/** @type {number} */ one) => this.name(one))
        .join(" – ") ?? ""
    );
  }

  /** What is unfolded and what is not, which news must not change under the reader. */
  #unfolded() {
    const parts = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll(".cup details[data-part]")]);
    const whys = /** @type {HTMLElement[]} */ ([...this.table.querySelectorAll("[data-why][aria-expanded=true]")]);
    return {
      parts: new Map(parts.map((one) => [one.dataset.part, one.open])),
      whys: whys.map((one) => one.dataset.why),
    };
  }

  /** @param {{parts: Map<string | undefined, boolean>, whys: (string | undefined)[]}} before */
  #unfold({ parts, whys }) {
    for (const one of /** @type {NodeListOf<HTMLDetailsElement>} */ (
      document.querySelectorAll(".cup details[data-part]")
    ))
      one.open = parts.get(one.dataset.part) ?? one.open;
    for (const number of whys)
      /** @type {HTMLElement | null} */ (this.table.querySelector(`[data-why="${number}"]`))?.click();
  }

  draw() {
    const { told } = this;
    if (!told) return;
    const focused = document.activeElement;
    const before = this.#unfolded();
    const spoken = phrases(told.title);
    document.title = `${told.name} · Warledger`;
    const live = Math.min(this.live.length, WALL_MOST);
    show(
      this.head,
      this.lots?.fault ? h("p", { class: "banner tampered", role: "alert", text: spoken.say(this.lots.fault) }) : null,
      h("h1", { text: told.name }),
      h(
        "p",
        { class: "lead" },
        spoken.name(told.title),
        " · ",
        t(`tournament.state.${told.state}`, { entrants: told.entrant_list.length, round: told.rounds.length }),
      ),
      live
        ? h("p", {}, h("a", { href: `/wall/${this.id}`, "data-act": "wall", text: t("tournament.wall", { n: live }) }))
        : null,
      h(
        "details",
        { class: "cup-charter", "data-part": "charter" },
        h("summary", { text: t("tournament.charter.words") }),
        told.words.map((/** @type {any} */ said) => h("p", { text: spoken.say(said) })),
      ),
    );
    this.place.draw(spoken);
    drawRounds(this.rounds, told, spoken, (number) => this.name(number));
    show(
      this.table,
      h("h2", { id: "cup-standings", text: t("tournament.standings") }),
      told.standings.length
        ? standings(
            told,
            spoken,
            async (number) => (await this.link.request("preview", this.id, "", ["explain", number]))[0],
          )
        : h("p", { class: "empty", text: t("tournament.standings.none") }),
    );
    show(
      this.more,
      h(
        "section",
        {},
        h(
          "details",
          { class: "cup-entrants", "data-part": "entrants", open: !told.rounds.length },
          h("summary", { text: t("tournament.entrants", { n: told.entrant_list.length }) }),
          entrants(told),
        ),
      ),
      told.rounds.length
        ? h("section", {}, h("h2", { text: t("tournament.crosstable") }), crosstable(told, spoken))
        : null,
      ["knockout", "double_elimination"].includes(told.system) && told.rounds.length
        ? h(
            "section",
            {},
            h("h2", { text: t("tournament.bracket") }),
            bracket(told, (number) => this.name(number)),
          )
        : null,
      told.claims.length
        ? h(
            "section",
            {},
            h("h2", { text: t("tournament.claims") }),
            h(
              "ul",
              {},
              told.claims.map((/** @type {any} */ claim) =>
                h("li", {
                  text: t(claim.finding ? "tournament.claim.ruled" : "tournament.claim", {
                    n: claim.claim,
                    who: this.name(Number(claim.who.slice(2))),
                    text: claim.text,
                    finding: claim.finding,
                    ruling: claim.ruling,
                  }),
                }),
              ),
            ),
          )
        : null,
    );
    this.story.draw();
    this.#drawFiles();
    this.#tick();
    this.#unfold(before);
    // What stays on the page is taken out of it and put back, and loses the focus by that.
    if (focused instanceof HTMLElement && document.activeElement !== focused)
      (focused.isConnected ? focused : document.getElementById(focused.id))?.focus();
  }

  #drawFiles() {
    const { told } = this;
    const link = (/** @type {string} */ path, /** @type {string} */ text) =>
      h("li", {}, h("a", { href: path, download: "", class: "download", text }));
    show(
      this.files,
      h("h2", { text: t("tournament.files") }),
      h(
        "ul",
        {},
        link(`/api/tournaments/${this.id}.wlog`, t("tournament.ledger")),
        told?.rounds.length
          ? FILES.map((kind) =>
              link(`/api/tournaments/${this.id}/${kind}?lang=${spokenLanguage()}`, t(`tournament.file.${kind}`)),
            )
          : null,
      ),
      this.lots ? saving(this.id, this.lots.who) : null,
    );
  }
}
