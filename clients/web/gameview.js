// @ts-check
/** One game: its board, its story, its timeline, and for whoever holds a seat the means to play. */

import { h, icon, show } from "./dom.js";
import { unpack } from "./canon.js";
import { ClockLine } from "./clockline.js";
import { Watch, lookAhead } from "./watch.js";
import { BoardView } from "./board/view.js";
import { Overlays } from "./board/overlays.js";
import { Surroundings } from "./board/surroundings.js";
import { namesOf, readDescription } from "./board/description.js";
import { TalkPane } from "./talkpane.js";
import { choiceOf, onLanguage, phrases, spokenLanguage, t } from "./words.js";
import { StoryPane } from "./storypane.js";
import { Timeline } from "./timeline.js";
import { PiecesPane } from "./pieces.js";
import { RulesPane } from "./rules.js";
import { FiguresPane } from "./figures.js";
import { luckOf } from "./lucks.js";
import { Evidence } from "./evidence.js";
import { Seating } from "./seating.js";
import { Claimed } from "./claimed.js";
import { closable } from "./popups.js";
import { Curve } from "./show/score.js";
import { Glimpse } from "./show/glimpse.js";
import { Scoreboard } from "./show/scoreboard.js";
import { Showing } from "./show/showing.js";
import { Address } from "./address.js";
import { Since } from "./show/since.js";
import { Marks } from "./show/marks.js";
import { Sheet } from "./sheet.js";

export class GameView {
  /** loads what only players and the like need; a game in one file has no players @type {() => Promise<typeof import("./seated.js")>} */
  static loadPlay = () => Promise.reject(new Error("seated.js"));

  /** Its view will be asked for in a moment: what it needs may come already. @param {string} game */
  static lookAhead(game) {
    lookAhead(game);
  }

  /** @param {HTMLElement} main @param {import("./link.js").Link} link @param {string} game @param {boolean} [cast] whether it is shown to an audience, with nothing to press */
  constructor(main, link, game, cast = false) {
    this.main = main;
    this.link = link;
    this.game = game;
    /** @type {BoardView | null} */
    this.board = null;
    /** the record shown; null follows the last one @type {number | null} */
    this.at = null;
    /** the last record that had come before this page changed its audience: one may go to it before it has come anew */
    this.known = -1;
    /** @type {import("./play.js").Play | null} */
    this.play = null;
    this.disposed = false;
    /** the file that is looked at without a server @type {Uint8Array | null} */
    this.alone = /** @type {any} */ (link).alone ? /** @type {any} */ (link).file : null;
    /** the branch that is looked at in place of the game @type {import("./branch.js").BranchLink | null} */
    this.branch = /** @type {any} */ (link).branch ? /** @type {any} */ (link) : null;
    this.cast = cast;
    this.players = this.headKey = this.log = "";
    /** how many records have been looked through for pieces only this seat knows */
    this.learnt = 0;
    const wanted = /^\/(game|overlay)\//.test(location.pathname) ? new URLSearchParams(location.search).get("at") : null;
    this.wanted = wanted !== null && /^\d+$/.test(wanted) ? Number(wanted) : null;
    this.spoken = phrases();
    this.title = h("h1", { class: "game-name" });
    this.evidence = new Evidence(this);
    /** what was loaded for players and the like @type {typeof import("./seated.js").seated | null} */
    this.seated = this.branch ? this.branch.seated : null;
    /** what this browser holds of the seat it plays @type {import("./hand.js").Hand | null} */
    this.hand = null;
    this.scoreboard = new Scoreboard(this);
    this.tracks = h("div", { class: "tracks" });
    this.moreTracks = h("details", { class: "more-tracks popup" }, h("summary", {}), this.tracks);
    this.turnLine = h("p", { class: "turn-line", role: "status", "aria-live": "polite" });
    this.boardHolder = h("section", { class: "board-holder", "aria-label": t("board") });
    this.live = h("div", { class: "sr-only", role: "status", "aria-live": "polite" });
    this.banner = h("div", { class: "banner", role: "alert", hidden: true });
    this.address = new Address(this);
    this.showing = new Showing(this);
    this.pieces = new PiecesPane((id) => this.board?.find(id));
    this.timeline = new Timeline({
      go: (seq) => this.goTo(seq), share: () => this.address.link, play: (from) => this.showing.play(from), stop: () => this.showing.stop(),
      speed: () => this.showing.speed, setSpeed: (speed) => this.showing.setSpeed(speed),
    });
    if (!cast) new Glimpse(this, this.timeline.line);
    this.seating = /** @type {Seating} */ (this.branch ? this.branch.seatAt(this) : new Seating(this));
    this.claims = new Claimed(this);
    this.since = new Since(this);
    this.playPane = h("section", { class: "play-pane", hidden: true, "aria-label": t("your_move") });
    this.aboutPane = h("div", { class: "about" });
    this.aboutRest = h("div", {});
    this.tabs = h("div", { class: "tabs", role: "tablist" });
    this.panel = h("div", { class: "tab-panel", role: "tabpanel", tabindex: 0 });
    this.story = new StoryPane(this.panel, (seq) => this.goTo(seq));
    this.tab = "story";
    this.talk = new TalkPane(link, game, () => this.play?.seat ?? "", () => this.#drawTabs());
    this.figures = new FiguresPane(game, (seq) => this.goTo(seq), (analysis) => this.timeline.setOdds(analysis));
    this.marks = new Marks(this);
    this.overlays = new Overlays(this);
    this.aside = h("aside", { class: "side", "aria-label": t("story") }, this.branch ? this.seating.element : null, this.playPane, this.branch ? null : this.marks.pane, this.tabs, this.panel);
    this.clocks = new ClockLine(this);
    /** what the player of this page has to be told now: that little time is left */
    this.alarm = h("p", { class: "alarm", role: "alert", hidden: true });
    this.head = h("div", { class: "game-head" }, h("div", { class: "head-line" }, this.title, this.evidence.chain, this.evidence.line, this.moreTracks), this.turnLine, this.scoreboard.element, this.clocks.element, this.alarm);
    this.view = h("div", { class: this.alone ? "game alone" : this.branch ? "game alone in-branch" : "game" }, this.banner, this.head, this.boardHolder, this.live);
    this.rules = new RulesPane(this.view);
    this.sheet = new Sheet(this.view, [this.timeline.element, this.aside], (covered) => this.#covered(covered));
    this.live.before(this.sheet.element);
    show(main, this.view);
    show(this.boardHolder, h("p", { class: "loading", text: t("loading") }));
    this.#drawTabs();
    this.stopLanguage = onLanguage(() => this.#speak());
    this.stopPopups = closable(this.view);
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    if (!cast) addEventListener("keydown", this.onKey);
    // What the keyboard's cursor tells goes with it, when somebody presses elsewhere.
    this.view.addEventListener("pointerdown", ({ target }) => this.board?.frame.contains(/** @type {Node} */ (target)) || this.board?.dropCursor(), true);
    const seat = cast ? null : this.seating.remembered();
    this.watch = this.#watch("public");
    this.#load();
    if (!this.branch && !this.alone && !cast) mayBranch(game).then((may) => this.timeline.offerBranch(may ? game : ""));
    if (seat) this.seating.enter(seat.token, true);
    else if (!cast) this.seating.signedIn();
  }

  /** @param {string} audience */
  #watch(audience) {
    this.hand?.dispose();
    this.hand = this.branch || ["public", "arbiter"].includes(audience) || !this.seated ? null : new this.seated.Hand(this.link, this.game, audience);
    const watch = new Watch(this.link, this.game, audience, this.hand);
    this.hand?.follows(watch);
    watch.listen((from) => this.#news(watch, from));
    watch.checker.listen(() => this.#checked(watch));
    return watch;
  }

  /** What only players and the like need, once it is here; after it could not be loaded it may be asked for again. */
  async prepare() {
    this.seated ??= (await GameView.loadPlay()).seated;
    return this.seated;
  }

  /** See the game as a seat, from its own stream: `prepare` has been waited for. @param {string} seat */
  becomeSeat(seat) {
    const { Play } = /** @type {typeof import("./seated.js").seated} */ (this.seated);
    const old = this.watch;
    if (old.audience === seat) return;
    old.stop();
    this.known = Math.max(this.known, old.last);
    this.watch = this.#watch(seat);
    this.#anew();
    this.playPane.hidden = false;
    this.play?.dispose();
    this.play = new Play(this, seat, this.playPane);
    this.#draggable();
    this.drawAbout();
    this.#drawTabs();
  }

  /** Watch as a spectator again. */
  becomeSpectator() {
    this.#becomeWatcher("public");
  }

  /** See what a seat sees, without acting for it: for a caster. `prepare` has been waited for. @param {string} seat */
  becomeCaster(seat) {
    this.#becomeWatcher(seat);
  }

  /** See everything that any seat sees: only for the host and an arbiter. */
  becomeArbiter() {
    this.#becomeWatcher("arbiter");
  }

  /** @param {string} audience */
  #becomeWatcher(audience) {
    this.play?.dispose();
    this.play = null;
    this.playPane.hidden = true;
    show(this.playPane);
    this.watch.stop();
    this.known = Math.max(this.known, this.watch.last);
    this.watch = this.#watch(audience);
    this.#anew();
    this.board?.highlight(null);
    this.drawAbout();
  }

  /** More or less is known now: draw everything again. */
  #anew() {
    this.story.clear();
    if (!this.board) return;
    this.board.hiddenKnown = undefined;
    this.board.stale = true;
  }

  /** Show or hide what was hidden until the game ended. @param {boolean} open */
  openAll(open) {
    this.#anew();
    this.watch.setOpen(open);
  }

  async #load() {
    try {
      const base = `/api/games/${encodeURIComponent(this.game)}`;
      const sheet = fetch(`${base}/symbols.svg`).then(ok).then((answer) => answer.text());
      sheet.catch(() => undefined); // told below, once there is a board
      const board = await fetch(`${base}/board`).then(ok).then((answer) => answer.json());
      if (this.disposed) return;
      const told = readDescription(board.description);
      this.titleName = this.rules.title = board.title;
      this.timeline.curve = new Curve(told);
      this.#delay();
      this.names = namesOf(told);
      this.spoken = phrases(board.title, this.names);
      this.board = new BoardView(told, this.spoken);
      // Counters are there before their symbols are: a server that has just started takes seconds to draw these.
      sheet.then((text) => this.board?.symbols(new DOMParser().parseFromString(text, "image/svg+xml").documentElement), () => undefined);
      this.board.onPick = (id) => this.play?.pickOnBoard(id);
      this.board.hold = (act) => {
        if (!this.play?.order.busy) return false;
        this.play.order.then(act);
        return true;
      };
      this.#draggable();
      this.board.onCursor = (place) => this.#describe(place);
      this.board.onLook = (id) => this.#look(id);
      this.board.onAsk = (id) => this.play?.inquiry.ask(id);
      this.bubble = h("div", { class: "bubble", role: "status", hidden: true });
      this.look = h("div", { class: "look", "aria-hidden": "true" });
      this.surroundings = new Surroundings(this.board, t);
      this.board.onNews = () => this.surroundings?.news();
      show(this.boardHolder, this.board.sheetHolder, this.board.frame, this.surroundings.element, h("div", { class: "board-foot" }, this.look, this.showing.card.strip), this.showing.card.element, this.showing.chip, this.since.element, this.bubble, this.rules.element, this.overlays.told, this.#tools());
      this.showing.attach(this.board);
      // The head of the page takes its height from what comes.
      this.board.stage.onSize = () => { if (!this.showing.settled) this.#begin(); };
      this.marks.attach(this.board);
      this.overlays.attach(this.board);
      this.drawTools();
      this.#covered(this.sheet.there ? this.sheet.element.offsetHeight : 0);
      this.#speak();
      this.draw(false);
      this.#begin();
    } catch (error) {
      if (this.disposed) return;
      const missing = error instanceof Error && error.message === "404";
      const why = error instanceof RangeError ? ` (${error.message})` : "";
      show(this.boardHolder, h("p", { class: "loading", text: t(missing ? "no_game" : "no_board", { game: this.game }) + why }));
    }
  }

  /** the frame before which the map is laid where it is looked at first; 0 for none */
  beginning = 0;

  /** The map lies as it was left, or around what lies on it: that comes in parts, and may come after the board. Whoever has moved the map finds it there. */
  #begin() {
    this.beginning ||= requestAnimationFrame(() => {
      this.beginning = 0;
      const { camera } = this.showing;
      if (this.disposed || !camera || camera.byHand) return;
      camera.begin();
      if (this.at !== null) this.showing.frame(this.at, Infinity);
    });
  }

  /** Let counters be dragged, once there is a board and somebody who may drag them. */
  #draggable() {
    if (!this.board || !this.seated || this.drag) return;
    this.drag = new this.seated.Drag(this.board, { may: (id) => this.play?.dragging.may(id) ?? false, grab: (id, mates) => this.play?.dragging.grab(id, mates), letGo: (place) => this.play?.dragging.letGo(place) });
  }

  /** How far behind spectators are kept. */
  async #delay() {
    const line = await this.watch.row;
    if (!(line?.delay_s || line?.delay_turns) || this.disposed) return;
    this.scoreboard.delay = line.delay_s;
    this.scoreboard.turnsBehind = line.delay_turns;
    this.redrawScore();
  }

  #tools() {
    const button = (/** @type {string} */ key, /** @type {string} */ sign, /** @type {() => void} */ act) => h("button", { class: "icon", type: "button", "aria-label": t(key), title: t(key), onclick: act }, icon(sign));
    const legend = h("details", { class: "legend" }, h("summary", { text: t("legend") }), h("ul", {},
      this.board?.map.legend(this.spoken, t).map(([picture, text]) => h("li", {}, picture, h("span", { text })))));
    const by = (/** @type {() => void} */ act) => () => {
      this.board?.stage.onHand();
      act();
    };
    const follows = this.showing.camera?.follow ?? false;
    const follow = h("button", { class: "icon follow", type: "button", "data-act": "follow", "aria-pressed": String(follows), "aria-label": t("follow"), title: t("follow"), onclick: () => this.showing.setFollow(!follows) }, icon("follow"));
    const whole = button(this.view.classList.contains("map-only") ? "map.all" : "map.only", "whole", () => this.mapOnly());
    whole.dataset.act = "map-only";
    return h("div", { class: "board-tools" }, button("zoom.in", "in", by(() => this.board?.stage.zoom(1.3))), button("zoom.out", "out", by(() => this.board?.stage.zoom(1 / 1.3))), button("zoom.fit", "fit", by(() => this.board?.stage.fit())), follow, whole, legend, this.overlays.chooser());
  }

  /** So much of the map's foot lies under the sheet of a phone. @param {number} px */
  #covered(px) {
    if (this.board) this.board.stage.inset = { ...this.board.stage.inset, bottom: px };
    this.surroundings?.news();
    this.showing.card.place();
  }

  /** The map alone, or everything again. */
  mapOnly() {
    document.body.classList.toggle("map-alone", this.view.classList.toggle("map-only"));
    this.drawTools();
  }

  drawTools() {
    const tools = this.boardHolder.querySelector(".board-tools");
    if (!tools) return;
    const open = [...tools.querySelectorAll("details[open]")].map((one) => one.className);
    const focus = document.activeElement instanceof HTMLElement && tools.contains(document.activeElement) ? document.activeElement.dataset.act : undefined;
    const made = this.#tools();
    for (const one of made.querySelectorAll("details")) one.open = open.includes(one.className);
    tools.replaceWith(made);
    if (focus) /** @type {HTMLElement | null} */ (made.querySelector(`[data-act="${focus}"]`))?.focus();
  }

  #speak() {
    this.spoken = phrases(this.titleName ?? this.watch?.title ?? "", this.names ?? {});
    const name = this.titleName ? this.spoken.name(this.titleName) : this.game;
    this.title.textContent = name;
    if (/^\/(game|overlay)\//.test(location.pathname)) document.title = `${name} · Warledger`;
    this.boardHolder.setAttribute("aria-label", t("board"));
    this.board?.speak(this.spoken);
    this.surroundings?.ground();
    this.board?.frame.setAttribute("aria-label", t("board.keys"));
    this.drawTools();
    this.story.speak(this.spoken);
    this.figures.speak(this.spoken);
    this.timeline.speak(this.spoken);
    this.aside.setAttribute("aria-label", t("beside"));
    this.playPane.setAttribute("aria-label", t("your_move"));
    if (this.spokenIn !== undefined && this.spokenIn !== spokenLanguage()) this.seating.draw();
    this.spokenIn = spokenLanguage();
    this.sheet.speak();
    this.marks.speak();
    this.#drawTabs();
    this.play?.redraw();
    this.clocks.news();
    this.#news(this.watch, 0, true);
  }

  // --- records ------------------------------------------------------------------------------------------------------------------

  /** @param {Watch} watch @param {number} from @param {boolean} [again] */
  #news(watch, from, again = false) {
    if (this.disposed || watch !== this.watch) return;
    if (this.wanted !== null && watch.last >= this.wanted) {
      // Records come in parts: only once they have come is the last one here the game's last.
      const last = watch.last === this.wanted && !watch.ended;
      this.at = last && this.showing.settled ? null : this.wanted;
      if (!last || this.showing.settled) this.wanted = null;
      if (this.board) this.#begin();
    }
    if (!this.titleName && watch.title) {
      this.title.textContent = phrases(watch.title).name(watch.title);
    }
    this.evidence.follow(again);
    if (this.view.classList.toggle("withdrawn", watch.gone)) {
      this.#anew();
      this.at = null;
      this.known = -1;
      this.showing.restart(watch);
      if (this.board) this.timeline.curve = new Curve(this.board.map.told);
    }
    this.timeline.extend(watch, this.showing.rushed);
    if (!this.cast && !this.branch) this.figures.news(watch.last, watch.whole);
    if (again) this.draw(false);
    else if (from <= watch.last) this.showing.news(watch, from);
    this.play?.news();
    this.seating.news();
    if (!this.aboutDrawn || from === 0 || again || watch.ended) this.drawAbout();
    if (watch.refused) this.#refusedToShow(watch.refused);
  }

  /** Signatures and dice have been checked up to another record. @param {Watch} watch */
  #checked(watch) {
    if (this.disposed || watch !== this.watch) return;
    this.evidence.follow();
    if (watch.checker.checked < watch.last && !watch.checker.fault) return;
    this.seating.news();
    this.claims.news();
    this.evidence.news();
    this.clocks.news();
    // Whether anybody may decide is known only now.
    if (this.shown !== undefined) this.#drawHead(watch.boardAt(this.shown), this.shown);
    // What this browser has kept is read behind the first record.
    const players = JSON.stringify([[...watch.seats.values()].map(({ player }) => player), Boolean(this.hand?.heads.size)]);
    if (players !== this.players) {
      this.players = players;
      this.drawAbout();
    }
    this.play?.checked();
  }

  /** Tell the player something that cannot wait. @param {string} text */
  warn(text) {
    this.alarm.hidden = false;
    this.alarm.textContent = text;
  }

  /** @param {any} error */
  #refusedToShow(error) {
    this.banner.hidden = false;
    this.banner.textContent = error.say ? this.spoken.say(error.say) : String(error);
  }

  /** @param {number | null} seq null for the last record, and whatever comes */
  goTo(seq) {
    this.showing.stop();
    this.wanted = null;
    const last = Math.max(this.watch.last, this.known);
    this.at = seq === null || (seq >= last && !this.watch.ended) ? null : Math.max(0, Math.min(seq, last));
    this.showing.restart(this.watch);
    const step = this.shown !== undefined && Math.abs((this.at ?? this.watch.last) - this.shown) === 1;
    this.draw(step, true);
    this.address.news();
    this.play?.news();
  }

  /** Playing records again has come to a part of this one. @param {number} seq @param {number} part */
  playTo(seq, part) {
    this.at = seq;
    this.draw(true, true, part);
    this.address.news();
  }

  /** Every record has been played again. */
  played() {
    this.timeline.pause();
    if (!this.watch.ended) this.goTo(null);
  }

  /** The page has caught up with the game. */
  caughtUp() {
    if (this.wanted === this.watch.last && !this.watch.ended) this.goTo(null);
    this.since.draw();
  }

  /**
   * Draw the record that is looked at.
   * @param {boolean} lively @param {boolean} [went] whether somebody went to it @param {number} [part] how many of its parts are told
   */
  draw(lively, went = false, part = this.at === null ? this.showing.part : Infinity) {
    const { watch } = this;
    const seq = Math.min(this.at ?? this.showing.seq, watch.last);
    if (seq < 0) return;
    this.story.extend(watch, this.spoken, this.at === null ? seq : watch.last);
    const forward = this.shown === undefined || seq > this.shown;
    this.shown = seq;
    const board = watch.boardAt(seq);
    if (this.board) {
      this.#learn(this.board);
      this.board.render(board, lively && !this.showing.brief);
      // What somebody looks at may have moved, or be gone.
      if (this.looked) this.#look(board.pieces.has(this.looked) || this.board.map.place(this.looked) ? this.looked : null);
      this.showing.tell(seq, part, lively && forward, went);
      if (!this.showing.settled && !lively) this.#begin();
      this.pieces.draw(this.board, board, this.spoken, this.tab === "pieces");
    }
    this.#drawHead(board, seq);
    this.story.mark(seq, this.at === null, went);
    this.timeline.mark(seq, this.at === null);
    this.marks.draw(seq);
    this.overlays.draw(seq);
  }

  /** Which pieces lie face down that this audience knows by name. @param {BoardView} board */
  #learn(board) {
    if (this.watch.audience === "public" && !this.watch.open) return;
    if (!board.hiddenKnown) {
      board.hiddenKnown = new Set();
      this.learnt = 0;
    }
    for (; this.learnt < this.watch.records.length; this.learnt++) {
      const record = this.watch.records[this.learnt];
      for (const index of record.ours) if (record.effects[index][0] === "put") board.hiddenKnown.add(record.effects[index][1]);
    }
  }

  /** Whether an arbiter has frozen the game, so that nobody decides anything. */
  get frozen() {
    return !this.watch.ended && Boolean(this.watch.checker.stand?.docket.frozen);
  }

  /**
   * The phase, and who decides. A record may end one combat and open the next: the one whose card is shown is named.
   * @param {import("./effects.js").Board} board @param {number} seq
   */
  headline(board, seq) {
    const { spoken, watch } = this;
    const live = this.at === null;
    const frozen = live && this.frozen;
    const awaits = frozen ? [] : board.awaits;
    let who = "";
    if (live && watch.ended && seq === watch.last) who = watch.ended.winner ? spoken.text("ui.won", { seat: watch.ended.winner, reason: watch.ended.reason }) : spoken.text("ui.no_winner", { reason: watch.ended.reason });
    else if (frozen) who = t("claims.frozen");
    else if (awaits.length) who = t("to_decide", { seats: awaits.map((seat) => spoken.name(seat)) });
    else if (!watch.ended && [...watch.seats.values()].some((seat) => !seat.shown)) who = t("stage.gathering");
    const phase = board.phase.key === "phase.none" ? "" : spoken.say(board.phase);
    const { fought } = this.showing.card;
    const open = board.spans.filter((span) => span.span !== "game" && !(fought && span.span === "combat"));
    const spans = [...open, ...(fought ? [fought] : [])].map((span) => spoken.say([span.key, span.args, ""]));
    // The phase before what goes on in it, which may be long.
    const parts = [...spans.slice(0, 1), phase, ...spans.slice(1)].filter(Boolean);
    const text = parts.join(" · ");
    const turn = parts.length > 1 && board.spans.find((span) => span.span !== "game")?.span === "turn" ? `${parts[0]} · ` : "";
    const key = `${text}|${who}|${seq < watch.last}`;
    if (key !== this.headKey) {
      this.headKey = key;
      show(this.turnLine, h("span", { class: "phase", title: text }, h("span", { class: "turn", text: turn }), text.slice(turn.length)), h("span", { class: `who${awaits.length && !(live && watch.ended) ? " awaits" : ""}`, text: who }));
    }
    return text;
  }

  /** @param {import("./effects.js").Board} board @param {number} seq */
  #drawHead(board, seq) {
    const { spoken } = this;
    const text = this.headline(board, seq);
    if (this.board) this.scoreboard.draw(this.board.map.told, board, this.at === null);
    // In the description's order, each with its name: what changed last is no reason to stand first.
    const states = (this.board?.map.told?.tracks ?? []).map((/** @type {any} */ { id }) => [id, board.tracks.get(id)]).filter((/** @type {any[]} */ [, value]) => typeof value === "string" && value && spoken.named(value) && !text.includes(spoken.name(value)));
    const summary = /** @type {HTMLElement} */ (this.moreTracks.firstElementChild);
    summary.textContent = states.map((/** @type {string[]} */ [id, value]) => t("score.state", { name: spoken.name(id), value: spoken.name(value) })).join(" · ") || t("score.tracks");
    summary.title = t("score.tracks");
    show(this.tracks, [...board.tracks].filter(([, value]) => !(value instanceof Object) && value !== "" && value !== null).map(([name, value]) =>
      h("span", { class: "track" }, h("span", { class: "track-name", text: spoken.name(name) }), h("b", { text: typeof value === "string" ? spoken.name(value) : value < 0 ? `−${-value}` : String(value) }))),
      [...board.counts].filter(([place]) => !this.board?.map.place(place)).map(([name, value]) =>
        h("span", { class: "track" }, h("span", { class: "track-name", text: spoken.name(name) }), h("b", { text: typeof value === "number" ? String(value) : "?" }))));
  }

  /** Why a place or piece cannot be chosen, where somebody has just tried to. @param {import("./phrases.js").SayArray} say */
  tellWhy(say) {
    const { board, bubble } = this;
    if (!board || !bubble) return;
    const box = this.boardHolder.getBoundingClientRect();
    show(bubble, this.spoken.say(say), say[2] ? [" ", h("span", { class: "rule", text: say[2] })] : null);
    bubble.hidden = false;
    const x = Math.max(6, Math.min(box.width - bubble.offsetWidth - 6, board.pointer.pointed.x - box.left + 14));
    const y = board.pointer.pointed.y - box.top + 18;
    bubble.style.transform = `translate(${x}px, ${y + bubble.offsetHeight > box.height ? y - bubble.offsetHeight - 34 : y}px)`;
  }

  /** The time that somebody has been deciding goes on. */
  redrawScore() {
    if (this.board && this.shown !== undefined) this.scoreboard.draw(this.board.map.told, this.watch.boardAt(this.shown), this.at === null);
  }

  // --- looking --------------------------------------------------------------------------------------------------------------------

  /** Say what is in a place. @param {string | null} place */
  #describe(place) {
    if (!place || !this.board) return;
    this.live.textContent = this.pieces.sentence(this.board, this.watch.boardAt(this.shown ?? 0), this.spoken, place) + (this.board.offer?.picks.has(place) ? ` ${t("on_offer")}` : "");
  }

  /** The map's cursor goes to the next place with something on offer. @param {1 | -1} step */
  nextOffer(step) {
    if (this.board?.nextOffer(step)) this.board.frame.focus();
  }

  /** @param {string | null} id */
  #look(id) {
    if (!this.board || !this.look) return;
    this.looked = id;
    const board = this.watch.boardAt(this.shown ?? 0);
    const piece = id ? board.pieces.get(id) : undefined;
    this.board.showRange(id);
    if (!id) return show(this.look);
    const text = piece ? this.pieces.pieceText(board, this.spoken, id) : this.pieces.sentence(this.board, board, this.spoken, id);
    show(this.look, piece ? this.board.small(id, piece.face, piece.owner) : null, h("span", { text }));
  }

  // --- beside the board --------------------------------------------------------------------------------------------------------------

  #drawTabs() {
    const parts = ["story", "pieces", "figures", "talk", "about"].filter((part) => !(this.alone || this.branch) || (part !== "talk" && (this.alone || part !== "figures")));
    this.tabs.setAttribute("aria-label", t("beside"));
    const focused = this.tabs.contains(document.activeElement);
    show(this.tabs, parts.map((part) => h("button", { role: "tab", type: "button", id: `tab-${part}`, "aria-selected": String(this.tab === part), tabindex: this.tab === part ? 0 : -1, "aria-controls": "tab-panel", text: part === "talk" && this.talk.fresh ? t("tab.talk_fresh", { n: this.talk.fresh }) : t(`tab.${part}`),
      onclick: () => this.openTab(part), onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        this.openTab(parts[(parts.indexOf(part) + step + parts.length) % parts.length]);
        document.getElementById(`tab-${this.tab}`)?.focus();
      } })));
    if (focused) document.getElementById(`tab-${this.tab}`)?.focus();
    this.panel.id = "tab-panel";
    this.panel.setAttribute("aria-labelledby", `tab-${this.tab}`);
    this.panel.dataset.tab = this.tab;
    show(this.panel, { story: this.story.element, pieces: this.pieces.element, figures: this.figures.element, talk: this.talk.element, about: this.aboutPane }[this.tab]);
    if (this.tab === "pieces" && this.board) this.pieces.draw(this.board, this.watch.boardAt(this.shown ?? 0), this.spoken, true);
  }

  /** @param {string} part */
  openTab(part) {
    this.tab = part;
    this.#drawTabs();
    this.sheet.open();
    // Each part opens at its top, but the story where its reader was.
    if (part !== "story") this.panel.scrollTop = 0;
    if (part === "story") this.story.back();
    this.talk.show(part === "talk");
    this.figures.show(part === "figures");
    if (part === "about") this.evidence.opened();
  }

  drawAbout() {
    this.aboutDrawn = true;
    this.claims.news();
    const { watch, spoken } = this;
    const genesis = watch.records[0]?.body;
    const options = genesis ? Object.entries(genesis[5]) : [];
    // The form stays where it is: somebody may be typing in it.
    if (this.aboutRest.parentElement !== this.aboutPane) show(this.aboutPane, this.alone || this.branch ? null : [this.seating.element, this.claims.element], this.aboutRest);
    show(this.aboutRest,
      h("h2", { text: t("players") }), h("ul", { class: "players" }, [...watch.seats.values()].map((seat) => h("li", { class: `side-${seat.seat}` }, h("b", { text: spoken.name(seat.seat) }), " ", seat.player && !this.alone && !this.branch ? h("a", { href: luckOf(seat.player), title: t("luck.of", { player: seat.player }), text: seat.player }) : seat.player || "–"))),
      h("h2", { text: t("evidence") }), this.evidence.element, h("p", { text: t("chain.explained", { head: watch.head }) }),
      watch.canOpen ? h("label", { class: "once" }, h("input", { type: "checkbox", "data-act": "open-all", checked: watch.open, onchange: (/** @type {Event} */ event) => this.openAll(/** @type {HTMLInputElement} */ (event.target).checked) }), t("open_all")) : null,
      this.#files(),
      options.length ? [h("h2", { text: t("options") }), h("dl", { class: "options" }, options.map(([name, value]) => [h("dt", { text: spoken.has(`option.${watch.title}.${name}`) ? spoken.text(`option.${watch.title}.${name}`) : name }), h("dd", { text: choiceOf(spoken, value) })]))] : null);
  }

  /** The game's files to take away. */
  #files() {
    const base = `/api/games/${encodeURIComponent(this.game)}`;
    if (this.branch) return null;
    if (this.alone) {
      this.log ||= URL.createObjectURL(new Blob([/** @type {any} */ (this.alone)], { type: "application/octet-stream" }));
      return h("p", {}, h("a", { href: this.log, download: `${this.game}.wlog`, text: t("download") }));
    }
    return [this.watch.whole ? h("p", {}, h("a", { href: `/archive/${this.game}.wlog`, download: `${this.game}.wlog`, text: t("download") })) : h("p", { text: t("download.later") }),
      h("p", {}, h("a", { class: "as-page", "data-act": "as-page", href: `${base}.html`, download: `${this.game}.html`, text: t("download.page") }), " ", t("download.page.about")), this.hand?.receipts];
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    if (event.key === "Escape") this.board?.dropCursor();
    if (event.key === "r" || event.key === "R") {
      // What stands in the story has no stop of the Tab key of its own.
      const signs = [...(this.story.current?.querySelectorAll("button[data-rule]") ?? [])];
      this.rules.openAll(signs.map((sign) => /** @type {HTMLElement} */ (sign).dataset.rule ?? ""));
    } else if (this.timeline.key(event) || this.play?.key(event)) event.preventDefault();
  }

  /** The link has shown the token of an account. */
  signedIn() {
    this.seating.signedIn();
  }

  dispose() {
    this.disposed = true;
    document.body.classList.remove("map-alone");
    removeEventListener("keydown", this.onKey);
    this.stopLanguage();
    this.stopPopups();
    this.story.dispose();
    this.talk.dispose();
    this.figures.dispose();
    this.rules.dispose();
    this.drag?.dispose();
    this.sheet.dispose();
    this.timeline.dispose();
    this.play?.dispose();
    this.showing.dispose();
    this.marks.dispose();
    this.scoreboard.dispose();
    this.address.dispose();
    this.evidence.dispose();
    this.hand?.dispose();
    this.branch?.close();
    this.clocks.dispose();
    this.watch.stop();
  }
}

/** @param {Response} answer */
function ok(answer) {
  if (!answer.ok) throw new Error(String(answer.status));
  return answer;
}

/** Whether the host lets a game be played on from. @param {string} game */
async function mayBranch(game) {
  try {
    const answer = await fetch(`/api/games/${encodeURIComponent(game)}/whatif`);
    return answer.ok && unpack(new Uint8Array(await answer.arrayBuffer()))[0] === "allowed";
  } catch {
    return false;
  }
}
