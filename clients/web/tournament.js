// @ts-check
/**
 * One tournament: its charter in words, the rounds with games and clocks, standings with how each place came about, crosstable, bracket; and for
 * whoever takes part what they may do now, as the server offers it.
 */

import { face, momentOf } from "./clockface.js";
import { h, show, sure } from "./dom.js";
import { field } from "./field.js";
import { Refused, ServerError, UNKNOWN_TOKEN, randomBytes } from "./link.js";
import { saving } from "./receipts.js";
import { hex } from "./sha256.js";
import { enter, fromAddress, kept } from "./tournamentkey.js";
import { Lots, commitment, takesPart } from "./tournamentlots.js";
import { bracket, crosstable, entrants, standings } from "./tournamenttables.js";
import { Offering } from "./offering.js";
import { TournamentStory } from "./tournamentstory.js";
import { composed, onLanguage, phrases, spokenLanguage, t } from "./words.js";

const GATHER_MS = 150;
const CLOCKS_MS = 4000;
const CLOCKS_MOST = 64;
const WALL_MOST = 16;
const FILES = ["pairings.html", "names.html", "slips.html", "standings.csv", "pairings.csv", "results.csv", "report.trf26", "rounds.ics"];

export class TournamentView {
  /** @param {HTMLElement} main @param {import("./link.js").Link} link @param {string} id @param {(path: string) => void} go */
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
    this.place = h("section", { class: "cup-place", "aria-labelledby": "cup-place" });
    this.rounds = h("section", { "aria-labelledby": "cup-rounds" });
    this.table = h("section", { "aria-labelledby": "cup-standings" });
    this.more = h("div", {});
    this.offering = new Offering((picks) => this.link.request("choices", this.id, this.who, picks), (picks) => this.#submit(picks), () => phrases(this.told?.title ?? ""), (slot, pick, before) => this.#meant(slot, pick, before));
    // Whoever wants the story follows from the first record.
    this.story = new TournamentStory(() => phrases(this.told?.title ?? ""), () => this.#follow());
    this.files = h("section", { class: "cup-files" });
    show(main, h("div", { class: "page cup" }, this.head, this.said, this.place, this.rounds, this.table, this.more, this.story.element, this.files));
    this.asked = fromAddress(id);
    this.stop = onLanguage(() => this.draw());
    /** @type {() => void} */
    this.unfollow = () => undefined;
    this.clocks = window.setInterval(() => this.#games(), CLOCKS_MS);
    this.seconds = window.setInterval(() => this.#countDown(), 1000);
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
    this.#follow();
  }

  async #begin() {
    const key = kept(this.id);
    if (key) {
      try {
        await this.link.login(key.token, "");
      } catch (error) {
        // An entry that was not answered may not have come to pass.
        if (!(key.asked && error instanceof ServerError && error.code === UNKNOWN_TOKEN)) this.#failed(error);
      }
    }
    await this.#follow();
    const { who, play: [round, number] } = this.asked;
    if (!this.mine.includes(who)) return;
    this.who = who;
    const board = this.told?.rounds.find((/** @type {any} */ one) => one.round === round)?.boards.find((/** @type {any} */ one) => one.board === number);
    if (board?.game && !board.results) await this.#play(round, number);
    else await this.#follow();
  }

  /** Follow the tournament as whoever acts in it here, else as spectators do. */
  async #follow() {
    await this.refresh();
    const entrant = [this.who, ...this.mine].find((who) => who.startsWith("e:"));
    if (this.lots?.who !== entrant) this.lots = null;
    if (!this.lots && entrant && (await takesPart(this.id, entrant))) this.lots = new Lots(this.link, this.id, entrant, () => this.#toldOfLots());
    if (this.over) return;
    const { lots, story } = this;
    this.unfollow();
    this.unfollow = this.link.subscribe({ game: this.id, audience: this.who || "public", after: () => Math.min(story.wanted ? story.records.length - 1 : this.seq, lots ? lots.chain.records.length - 1 : this.seq), take: (first, items) => {
      story.take(first, items);
      lots?.take(first, items);
      if (first + items.length - 1 <= this.seq) return;
      this.seq = first + items.length - 1;
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.refresh(), GATHER_MS);
    }, refused: (error) => this.#failed(error) });
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
      this.#failed(error);
    }
  }

  /** @param {any} error */
  #failed(error) {
    if (this.over) return;
    this.said.dataset.kind = "trouble";
    this.said.textContent = error instanceof Refused || error instanceof ServerError ? phrases(this.told?.title ?? "").say(error.say) : String(error);
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
    await Promise.all(boards.map(async ({ game }) => {
      const answer = await fetch(`/api/games/${game}`).catch(() => null);
      if (answer?.ok) this.rows.set(game, await answer.json());
    }));
    this.#countDown();
  }

  #countDown() {
    const spoken = phrases(this.told?.title ?? "");
    for (const shown of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".cup .cup-due[data-until]"))) {
      const left = Number(shown.dataset.until) - Date.now();
      shown.hidden = left <= 0 && "gone" in shown.dataset;
      const text = `${shown.dataset.text} (${face(Math.max(0, left), spoken)})`;
      if (shown.textContent !== text) shown.textContent = text;
    }
    for (const shown of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".cup [data-game]"))) {
      const row = this.rows.get(shown.dataset.game ?? "");
      if (!row) continue;
      let text = row.stage === "playing" ? t("row.playing", { seq: row.seq }) : t(`stage.${row.stage}`);
      if (row.stage === "playing" && row.awaits.length) text += ` · ${t("to_decide", { seats: row.awaits.map((/** @type {string} */ seat) => spoken.name(seat)) })}`;
      if (row.deadline_ms) text += ` · ${t("row.clock", { left: face(Math.max(0, row.deadline_ms - Date.now()), spoken) })}`;
      if (shown.textContent !== text) shown.textContent = text;
    }
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
    await this.link.request("submit", this.id, this.who, 0, this.seen, ["commit", hex(hash)], randomBytes(16)).catch((error) => {
      if (!(error instanceof Refused)) throw error;
    });
    if (!this.lots) await this.#follow();
  }

  /** Carry an act out, and tell what came of it. @param {(string | number)[]} picks */
  async #submit(picks) {
    if (picks[0] === "end_wait" && !(await sure(t("tournament.lots.sure"), t("tournament.lots.yes"), t("tournament.lots.no")))) return;
    try {
      if (picks[0] === "check_in" && this.who.startsWith("e:")) await this.#commit();
      const [, seq] = await this.link.request("submit", this.id, this.who, 0, this.seen, picks, randomBytes(16));
      this.said.dataset.kind = "news";
      this.said.textContent = t("tournament.done", { seq });
      this.offering.close();
      await this.refresh();
    } catch (error) {
      this.#failed(error);
      if (error instanceof Refused) await this.refresh();
      if (error instanceof Refused) this.#failed(error);
    }
  }

  /** Fetch the seat of a board, and go there. @param {number} round @param {number} board */
  async #play(round, board) {
    try {
      const [game, seat, token] = await this.link.once("tournament_seat", this.id, this.who, round, board);
      const name = this.#name(Number(this.who.slice(2)));
      // The account that is signed in has been given the seat itself.
      if (!token) this.link.given(game, seat);
      this.go(token ? `/game/${game}#token=${encodeURIComponent(token)}&name=${encodeURIComponent(name)}` : `/game/${game}`);
    } catch (error) {
      this.#failed(error);
    }
  }

  // --- what is shown ------------------------------------------------------------------------------------------------------------------

  /** @param {number} number */
  #name(number) {
    return this.told?.entrant_list.find((/** @type {any} */ one) => one.number === number)?.name ?? String(number);
  }

  /** Whoever acts so, by name: an entrant, or a director or an arbiter, with what they are. @param {string} who */
  #called(who) {
    const [letter, id] = [who[0], who.slice(2)];
    if (letter === "e") return this.#name(Number(id));
    const found = this.told?.officials.findLast((/** @type {any} */ one) => one.id === id && (one.role === "director") === (letter === "d") && one.role !== "caster");
    return found ? `${found.shown} (${t(letter === "d" ? "act.director" : "act.arbiter")})` : who;
  }

  /** Whom an entrant's number or a board's stands for, where somebody picks one. @param {string} slot @param {number} pick @param {(string | number)[]} before */
  #meant(slot, pick, before) {
    if (["entrant", "winner", "absent"].includes(slot)) return pick ? this.#name(pick) : "";
    if (slot !== "board") return "";
    const rounds = this.told?.rounds ?? [];
    const round = typeof before[1] === "number" ? rounds.find((/** @type {any} */ one) => one.round === before[1]) : rounds.at(-1);
    return round?.boards.find((/** @type {any} */ one) => one.board === pick)?.entrants.map((/** @type {number} */ one) => this.#name(one)).join(" – ") ?? "";
  }

  /** What is unfolded and what is not, which news must not change under the reader. */
  #unfolded() {
    const parts = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll(".cup details[data-part]")]);
    const whys = /** @type {HTMLElement[]} */ ([...this.table.querySelectorAll("[data-why][aria-expanded=true]")]);
    return { parts: new Map(parts.map((one) => [one.dataset.part, one.open])), whys: whys.map((one) => one.dataset.why) };
  }

  /** @param {{parts: Map<string | undefined, boolean>, whys: (string | undefined)[]}} before */
  #unfold({ parts, whys }) {
    for (const one of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll(".cup details[data-part]"))) one.open = parts.get(one.dataset.part) ?? one.open;
    for (const number of whys) /** @type {HTMLElement | null} */ (this.table.querySelector(`[data-why="${number}"]`))?.click();
  }

  draw() {
    const { told } = this;
    if (!told) return;
    const focused = document.activeElement;
    const before = this.#unfolded();
    const spoken = phrases(told.title);
    document.title = `${told.name} · Warledger`;
    const live = Math.min(this.live.length, WALL_MOST);
    show(this.head, this.lots?.fault ? h("p", { class: "banner tampered", role: "alert", text: spoken.say(this.lots.fault) }) : null, h("h1", { text: told.name }), h("p", { class: "lead" }, spoken.name(told.title), " · ", t(`tournament.state.${told.state}`, { entrants: told.entrant_list.length, round: told.rounds.length })),
      live ? h("p", {}, h("a", { href: `/wall/${this.id}`, "data-act": "wall", text: t("tournament.wall", { n: live }) })) : null,
      h("details", { class: "cup-charter", "data-part": "charter" }, h("summary", { text: t("tournament.charter.words") }), told.words.map((/** @type {any} */ said) => h("p", { text: spoken.say(said) }))));
    this.#drawPlace(spoken);
    this.#drawRounds(spoken);
    show(this.table, h("h2", { id: "cup-standings", text: t("tournament.standings") }), told.standings.length
      ? standings(told, spoken, async (number) => (await this.link.request("preview", this.id, "", ["explain", number]))[0]) : h("p", { class: "empty", text: t("tournament.standings.none") }));
    show(this.more, h("section", {}, h("details", { class: "cup-entrants", "data-part": "entrants", open: !told.rounds.length }, h("summary", { text: t("tournament.entrants", { n: told.entrant_list.length }) }), entrants(told))),
      told.rounds.length ? h("section", {}, h("h2", { text: t("tournament.crosstable") }), crosstable(told, spoken)) : null,
      ["knockout", "double_elimination"].includes(told.system) && told.rounds.length ? h("section", {}, h("h2", { text: t("tournament.bracket") }), bracket(told, (number) => this.#name(number))) : null,
      told.claims.length ? h("section", {}, h("h2", { text: t("tournament.claims") }), h("ul", {}, told.claims.map((/** @type {any} */ claim) => h("li", { text: t(claim.finding ? "tournament.claim.ruled" : "tournament.claim", { n: claim.claim, who: this.#name(Number(claim.who.slice(2))), text: claim.text, finding: claim.finding, ruling: claim.ruling }) })))) : null);
    this.story.draw();
    this.#drawFiles();
    this.#countDown();
    this.#unfold(before);
    // What stays on the page is taken out of it and put back, and loses the focus by that.
    if (focused instanceof HTMLElement && document.activeElement !== focused) (focused.isConnected ? focused : document.getElementById(focused.id))?.focus();
  }

  #drawFiles() {
    const { told } = this;
    const link = (/** @type {string} */ path, /** @type {string} */ text) => h("li", {}, h("a", { href: path, download: "", class: "download", text }));
    show(this.files, h("h2", { text: t("tournament.files") }), h("ul", {}, link(`/api/tournaments/${this.id}.wlog`, t("tournament.ledger")),
      told?.rounds.length ? FILES.map((kind) => link(`/api/tournaments/${this.id}/${kind}?lang=${spokenLanguage()}`, t(`tournament.file.${kind}`))) : null), this.lots ? saving(this.id, this.lots.who) : null);
  }

  /** Who acts here, and what they may do. @param {import("./phrases.js").Phrases} spoken */
  #drawPlace(spoken) {
    const { told, who } = this;
    if (!told) return;
    const number = who.startsWith("e:") ? Number(who.slice(2)) : 0;
    const title = h("h2", { id: "cup-place", text: t(number ? "tournament.place" : who ? "tournament.desk" : "tournament.enter") });
    const { entry, late } = told.charter;
    const closed = !who && (entry.invited || (told.rounds.length > 0 && late.until_round <= told.rounds.length));
    this.place.hidden = told.state === "finished" || closed;
    if (this.place.hidden) return show(this.place, title);
    if (!who) return show(this.place, title, this.#entrance());
    const others = this.mine.length > 1 ? h("p", {}, h("label", { for: "cup-who", text: t("tournament.as") }), " ", h("select", { id: "cup-who", onchange: (/** @type {Event} */ event) => {
      this.who = /** @type {HTMLSelectElement} */ (event.target).value;
      this.offering.close();
      this.#follow();
    } }, this.mine.map((one) => h("option", { value: one, selected: one === who, text: this.#called(one) })))) : null;
    show(this.place, title, others, number ? this.#entrant(number, spoken) : this.#desk(spoken), h("p", {}, h("button", { type: "button", id: "cup-all", "data-act": "all", onclick: () => this.offering.open([]), text: t("tournament.all") })), this.offering.element);
  }

  #entrance() {
    const [label, name] = field("enter-name", "tournament.name", { required: true, maxlength: 64, autocomplete: "nickname" });
    const [ratingLabel, rating] = field("enter-rating", "tournament.rating", { type: "number", min: 0, max: 4000, value: 0 });
    return [h("p", { text: t("tournament.enter.how") }), h("form", { class: "host-form", onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      try {
        const called = composed(name.value.trim());
        const key = await enter(this.link, this.id, called, Number(rating.value), (this.told?.entrant_list.length ?? 0) + 1);
        await this.link.login(key.token, called);
        this.who = key.who;
        await this.#follow();
        this.said.dataset.kind = "news";
        this.said.textContent = t("tournament.entered", { number: Number(key.who.slice(2)) });
      } catch (error) {
        if (error instanceof Refused && error.key === "refusal.tournament.next_number") await this.refresh();
        this.#failed(error);
      }
    } }, label, name, ratingLabel, rating, h("button", { type: "submit", class: "primary", "data-act": "enter", text: t("tournament.enter.do") }))];
  }

  /** @param {string} act @param {string} text @param {() => void} onclick @param {boolean} [primary] */
  #button(act, text, onclick, primary = false) {
    return h("button", { type: "button", id: `cup-${act}`, "data-act": act, class: primary ? "primary" : null, onclick, text });
  }

  /** @param {number} number @param {import("./phrases.js").Phrases} spoken */
  #entrant(number, spoken) {
    const { told } = this;
    const me = told?.entrant_list.find((/** @type {any} */ one) => one.number === number);
    const last = told?.rounds.at(-1);
    const board = last?.boards.find((/** @type {any} */ one) => one.entrants.includes(number));
    const opponent = board?.entrants.filter((/** @type {number} */ one) => one !== number).map((/** @type {number} */ one) => this.#name(one)).join(", ");
    const by = told?.charter.sides.by;
    const free = last?.byes.some((/** @type {[number, string]} */ [one]) => one === number);
    const waits = board && !board.seated && !board.results;
    const answered = board?.bidders.includes(number);
    const speaks = waits && board.auction?.speaks === number;
    return [h("p", { text: t("tournament.you", { name: me?.name, number }) + (me?.rating ? ` ${t("tournament.you.rating", { rating: me.rating })}` : "") }),
      told?.lots?.missing.includes(number) && this.lots?.who !== this.who ? h("p", { "data-lots": "elsewhere", text: t("tournament.lots.elsewhere") }) : null,
      free ? h("p", { text: t("tournament.you.free", { round: last.round }) }) : null,
      board ? h("p", { "data-board": board.board, text: t(board.results ? "tournament.board.over" : board.seated ? "tournament.board.seated" : "tournament.board.open", { round: last.round, board: board.board, opponent, side: board.seated ? spoken.name(last.seats[board.entrants.indexOf(number)]) : "" }) }) : null,
      waits && answered && !board.auction ? h("p", { text: t("tournament.you.has_bid") }) : null,
      board ? this.#open(last, board, spoken) : null,
      board?.game && !board.results ? h("p", { class: "cup-state", "data-game": board.game }) : null,
      board && !board.results ? this.#due("tournament.due.no_show", last.no_show_ms, spoken, true) : null,
      h("p", { class: "cup-buttons" },
        told?.check_in && me?.present && !me?.checked && !told?.drafted ? this.#button("check-in", t("tournament.check_in", { round: told.next_round }), () => this.#submit(["check_in", number]), !waits) : null,
        waits && !answered && by === "bid" ? this.#button("bid", t("tournament.bid"), () => this.offering.open(["bid"]), true) : null,
        waits && !answered && !board.auction && by === "auction" ? this.#button("wish", t("tournament.wish"), () => this.offering.open(["wish"]), true) : null,
        speaks ? this.#button("offer", t("tournament.offer"), () => this.offering.open(["offer"]), true) : null,
        speaks && board.auction.holder ? this.#button("accept", t("tournament.accept"), () => this.#submit(["accept"])) : null,
        waits && by?.startsWith("choice") ? this.#button("choose", t("tournament.choose"), () => this.offering.open(["choose"]), true) : null,
        board?.game && !board.results ? this.#button("play", t("tournament.play"), () => this.#play(last.round, board.board), true) : null,
        board?.game ? h("a", { href: `/game/${board.game}`, text: t("tournament.look") }) : null)];
  }

  /** A deadline, which counts down. @param {string} key @param {number | null} until @param {import("./phrases.js").Phrases} spoken @param {boolean} [gone] whether it says nothing once it is over @param {Record<string, any>} [args] */
  #due(key, until, spoken, gone = false, args = {}) {
    return until === null ? null : h("p", { class: "cup-due", "data-until": until, "data-gone": gone ? "" : null, "data-text": spoken.text(key, { ...args, when: momentOf(until, spokenLanguage()) }) });
  }

  /** Where an auction stands, and until when there is time for sides that are not settled. @param {any} round @param {any} board @param {import("./phrases.js").Phrases} spoken */
  #open(round, board, spoken) {
    const { auction } = board;
    const said = auction ? { name: this.#name(auction.speaks), side: spoken.name(round.seats[auction.seat]), amount: String(auction.half_units / 2), holder: this.#name(auction.holder) } : {};
    return [auction ? h("p", { class: "cup-auction", text: spoken.text(auction.holder ? "tournament.auction.offered" : "tournament.auction.first", said) }) : null,
      this.#due(auction ? "tournament.due.word" : "tournament.due.sides", board.sides_until_ms, spoken)];
  }

  /** Who has a bye, a line for each kind. @param {any} round @param {import("./phrases.js").Phrases} spoken */
  #byes(round, spoken) {
    /** @type {Map<string, string[]>} */
    const names = new Map();
    for (const [number, kind] of round.byes) names.set(kind, [...(names.get(kind) ?? []), this.#name(number)]);
    return [...names].map(([kind, all]) => h("p", { text: spoken.text("tournament.byes", { kind: spoken.text(`tournament.bye.${kind}`), names: all }) }));
  }

  /** @param {import("./phrases.js").Phrases} spoken */
  #desk(spoken) {
    const { told } = this;
    const drafted = told?.drafted;
    const last = told?.rounds.at(-1);
    const playing = last?.boards.some((/** @type {any} */ one) => !one.results);
    const lots = told?.lots;
    return [
      lots ? this.#due("tournament.due.nonces", lots.until_ms, spoken, false, { names: lots.missing.map((/** @type {number} */ one) => this.#name(one)) }) : null,
      drafted ? [h("h3", { text: t("tournament.drafted", { round: drafted.round }) }), h("ol", { class: "cup-drafted" }, drafted.boards.map((/** @type {any} */ one) => h("li", { text: one.entrants.map((/** @type {number} */ entrant) => this.#name(entrant)).join(" – ") }))),
        this.#byes(drafted, spoken)] : null,
      h("p", { class: "cup-buttons" },
        drafted ? this.#button("publish", t("tournament.publish"), () => this.#submit(["publish"]), true) : null,
        drafted ? this.#button("swap", t("tournament.swap"), () => this.offering.open(["swap"])) : null,
        drafted ? this.#button("unpair", t("tournament.unpair"), () => this.offering.open(["unpair"])) : null,
        lots ? this.#button("end-wait", t("tournament.lots.end"), () => this.#submit(["end_wait"])) : null,
        !drafted && !playing && !lots ? this.#button("pair", t("tournament.pair"), () => this.#submit(["pair"]), true) : null,
        playing ? this.#button("result", t("tournament.result"), () => this.offering.open(["result", last.round])) : null,
        this.#button("entrant", t("tournament.enter.other"), () => this.offering.open(["enter"])),
        !drafted && !playing && told?.rounds.length ? this.#button("finish", t("tournament.finish"), () => this.#submit([told.stage < told.stages ? "advance" : "finish"])) : null)];
  }

  /** @param {import("./phrases.js").Phrases} spoken */
  #drawRounds(spoken) {
    const { told } = this;
    const rounds = [...(told?.rounds ?? [])].reverse();
    show(this.rounds, h("h2", { id: "cup-rounds", text: t("tournament.rounds") }), rounds.length ? null : h("p", { class: "empty", text: t("tournament.rounds.none") }),
      rounds.map((round, index) => h("details", { class: "cup-round", "data-part": `round ${round.round}`, open: index === 0 }, h("summary", { text: t("tournament.round", { round: round.round }) }), h("div", { class: "cup-scroll" }, h("table", {},
        h("thead", {}, h("tr", {}, ["board", "entrants", "result", "game"].map((name) => h("th", { scope: "col", text: t(`tournament.column.${name}`) })))),
        h("tbody", {}, round.boards.map((/** @type {any} */ board) => this.#row(round, board, spoken))))),
        this.#byes(round, spoken))));
  }

  /** @param {any} round @param {any} board @param {import("./phrases.js").Phrases} spoken */
  #row(round, board, spoken) {
    const [seat, units] = board.handicap;
    const sitting = board.entrants.map((/** @type {number} */ number, /** @type {number} */ index) => h("span", { class: board.seated ? `side-${round.seats[index]}` : null },
      index ? " – " : "", h("b", { text: this.#name(number) }), board.seated ? ` (${spoken.name(round.seats[index])}${units && seat === index ? ` +${units / 2}` : ""})` : ""));
    const result = board.results ? board.results.map((/** @type {string} */ one) => t(`tournament.result.${one}`)).join(" : ") + (board.manner === "played" ? "" : ` (${t(`tournament.manner.${board.manner}`)})`) : board.seated ? "" : t("tournament.bids", { n: board.bids });
    return h("tr", { "data-board": board.board }, h("th", { scope: "row", text: String(board.board) }), h("td", {}, sitting, this.#open(round, board, spoken)), h("td", { text: result, title: board.reason || null }),
      h("td", {}, board.game ? [h("a", { href: `/game/${board.game}`, text: board.game }), board.results ? null : h("span", { class: "cup-state", "data-game": board.game })] : null));
  }
}
