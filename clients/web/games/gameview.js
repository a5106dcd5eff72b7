// @ts-check
/** One game: its board, its story, its timeline, and for whoever holds a seat the means to play. */

import { h, show } from "../ui/dom.js";
import { unpack } from "../records/canon.js";
import { AboutPane } from "./aboutpane.js";
import { BoardPane } from "./boardpane.js";
import { ClockLine } from "./clockline.js";
import { Watch, lookAhead } from "../link/watch.js";
import { GameHead } from "./gamehead.js";
import { Tabs } from "./tabs.js";
import { Overlays } from "../board/overlays.js";
import { TalkPane } from "./talkpane.js";
import { onLanguage, phrases, spokenLanguage, t } from "../words/words.js";
import { StoryPane } from "./storypane.js";
import { Timeline } from "./timeline.js";
import { PiecesPane } from "./pieces.js";
import { RulesPane } from "./rules.js";
import { FiguresPane } from "./figures.js";
import { Evidence } from "./evidence.js";
import { Seating } from "../play/seating.js";
import { Claimed } from "../desk/claimed.js";
import { closable } from "../ui/popups.js";
import { Curve } from "../show/score.js";
import { Glimpse } from "../show/glimpse.js";
import { Scoreboard } from "../show/scoreboard.js";
import { Showing } from "../show/showing.js";
import { Address } from "./address.js";
import { Since } from "../show/since.js";
import { Marks } from "../show/marks.js";
import { Sheet } from "../ui/sheet.js";

export class GameView {
  /** loads what only players and the like need; a game in one file has no players @type {() => Promise<typeof import("../play/seated.js")>} */
  static loadPlay = () => Promise.reject(new Error("seated.js"));

  /** Its view will be asked for in a moment: what it needs may come already. @param {string} game */
  static lookAhead(game) {
    lookAhead(game);
  }

  /** @param {HTMLElement} main @param {import("../link/link.js").Link} link @param {string} game @param {boolean} [cast] whether it is shown to an audience, with nothing to press */
  constructor(main, link, game, cast = false) {
    this.main = main;
    this.link = link;
    this.game = game;
    /** @type {import("../board/view.js").BoardView | null} */
    this.board = null;
    /** the record shown; null follows the last one @type {number | null} */
    this.at = null;
    /** the last record that had come before this page changed its audience: one may go to it before it has come anew */
    this.known = -1;
    /** @type {import("../play/play.js").Play | null} */
    this.play = null;
    /** the title's name and what its pieces and places are called, once its board is here @type {string | undefined} */
    this.titleName = undefined;
    /** @type {ReturnType<typeof import("../board/description.js").namesOf> | undefined} */
    this.names = undefined;
    this.disposed = false;
    /** the file that is looked at without a server @type {Uint8Array | null} */
    this.alone = /** @type {any} */ (link).alone ? /** @type {any} */ (link).file : null;
    /** the branch that is looked at in place of the game @type {import("./branch.js").BranchLink | null} */
    this.branch = /** @type {any} */ (link).branch ? /** @type {any} */ (link) : null;
    this.cast = cast;
    this.players = "";
    /** how many records have been looked through for pieces only this seat knows */
    this.learnt = 0;
    const wanted = /^\/(game|overlay)\//.test(location.pathname)
      ? new URLSearchParams(location.search).get("at")
      : null;
    this.wanted = wanted !== null && /^\d+$/.test(wanted) ? Number(wanted) : null;
    this.spoken = phrases();
    this.title = h("h1", { class: "game-name" });
    this.evidence = new Evidence(this);
    /** what was loaded for players and the like @type {typeof import("../play/seated.js").seated | null} */
    this.seated = this.branch ? this.branch.seated : null;
    /** what this browser holds of the seat it plays @type {import("../play/hand.js").Hand | null} */
    this.hand = null;
    this.scoreboard = new Scoreboard(this);
    this.top = new GameHead(this);
    this.boardPane = new BoardPane(this);
    this.live = h("div", { class: "sr-only", role: "status", "aria-live": "polite" });
    this.banner = h("div", { class: "banner", role: "alert", hidden: true });
    this.address = new Address(this);
    this.showing = new Showing(this);
    this.pieces = new PiecesPane((id) => this.board?.find(id));
    this.timeline = new Timeline({
      go: (seq) => this.goTo(seq),
      share: () => this.address.link,
      play: (from) => this.showing.play(from),
      stop: () => this.showing.stop(),
      speed: () => this.showing.speed,
      setSpeed: (speed) => this.showing.setSpeed(speed),
    });
    if (!cast) new Glimpse(this, this.timeline.line);
    this.seating = /** @type {Seating} */ (this.branch ? this.branch.seatAt(this) : new Seating(this));
    this.claims = new Claimed(this);
    this.since = new Since(this);
    this.playPane = h("section", { class: "play-pane", hidden: true, "aria-label": t("your_move") });
    this.about = new AboutPane(this);
    this.tabs = new Tabs(this);
    this.story = new StoryPane(this.tabs.panel, (seq) => this.goTo(seq));
    this.talk = new TalkPane(
      link,
      game,
      () => this.play?.seat ?? "",
      () => this.tabs.draw(),
    );
    this.figures = new FiguresPane(
      game,
      (seq) => this.goTo(seq),
      (analysis) => this.timeline.setOdds(analysis),
    );
    this.marks = new Marks(this);
    this.overlays = new Overlays(this);
    this.aside = h(
      "aside",
      { class: "side", "aria-label": t("story") },
      this.branch ? this.seating.element : null,
      this.playPane,
      this.branch ? null : this.marks.pane,
      this.tabs.element,
      this.tabs.panel,
    );
    this.clocks = new ClockLine(this);
    /** what the player of this page has to be told now: that little time is left */
    this.alarm = h("p", { class: "alarm", role: "alert", hidden: true });
    this.head = h(
      "div",
      { class: "game-head" },
      h("div", { class: "head-line" }, this.title, this.evidence.chain, this.evidence.line, this.top.moreTracks),
      this.top.turnLine,
      this.scoreboard.element,
      this.clocks.element,
      this.alarm,
    );
    this.view = h(
      "div",
      { class: this.alone ? "game alone" : this.branch ? "game alone in-branch" : "game" },
      this.banner,
      this.head,
      this.boardPane.holder,
      this.live,
    );
    this.rules = new RulesPane(this.view);
    this.sheet = new Sheet(this.view, [this.timeline.element, this.aside], (covered) =>
      this.boardPane.covered(covered),
    );
    this.live.before(this.sheet.element);
    show(main, this.view);
    this.tabs.draw();
    this.stopLanguage = onLanguage(() => this.speak());
    this.stopPopups = closable(this.view);
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    if (!cast) addEventListener("keydown", this.onKey);
    // What the keyboard's cursor tells goes with it, when somebody presses elsewhere.
    this.view.addEventListener(
      "pointerdown",
      ({ target }) => this.board?.frame.contains(/** @type {Node} */ (target)) || this.board?.dropCursor(),
      true,
    );
    const seat = cast ? null : this.seating.remembered();
    this.watch = this.#watch("public");
    this.boardPane.load();
    if (!this.branch && !this.alone && !cast) mayBranch(game).then((may) => this.timeline.offerBranch(may ? game : ""));
    if (seat) this.seating.enter(seat.token, true);
    else if (!cast) this.seating.signedIn();
  }

  /** @param {string} audience */
  #watch(audience) {
    this.hand?.dispose();
    this.hand =
      this.branch || ["public", "arbiter"].includes(audience) || !this.seated
        ? null
        : new this.seated.Hand(this.link, this.game, audience);
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
    const { Play } = /** @type {typeof import("../play/seated.js").seated} */ (this.seated);
    const old = this.watch;
    if (old.audience === seat) return;
    old.stop();
    this.known = Math.max(this.known, old.last);
    this.watch = this.#watch(seat);
    this.#anew();
    this.playPane.hidden = false;
    this.play?.dispose();
    this.play = new Play(this, seat, this.playPane);
    this.boardPane.draggable();
    this.about.draw();
    this.tabs.draw();
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
    this.about.draw();
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

  /** How far behind spectators are kept. */
  async delay() {
    const line = await this.watch.row;
    if (!(line?.delay_s || line?.delay_turns) || this.disposed) return;
    this.scoreboard.delay = line.delay_s;
    this.scoreboard.turnsBehind = line.delay_turns;
    this.redrawScore();
  }

  speak() {
    this.spoken = phrases(this.titleName ?? this.watch?.title ?? "", this.names ?? {});
    const name = this.titleName ? this.spoken.name(this.titleName) : this.game;
    this.title.textContent = name;
    if (/^\/(game|overlay)\//.test(location.pathname)) document.title = `${name} · Warledger`;
    this.boardPane.holder.setAttribute("aria-label", t("board"));
    this.board?.speak(this.spoken);
    this.boardPane.surroundings?.ground();
    this.board?.frame.setAttribute("aria-label", t("board.keys"));
    this.boardPane.drawTools();
    this.story.speak(this.spoken);
    this.figures.speak(this.spoken);
    this.timeline.speak(this.spoken);
    this.aside.setAttribute("aria-label", t("beside"));
    this.playPane.setAttribute("aria-label", t("your_move"));
    if (this.spokenIn !== undefined && this.spokenIn !== spokenLanguage()) this.seating.draw();
    this.spokenIn = spokenLanguage();
    this.sheet.speak();
    this.marks.speak();
    this.tabs.draw();
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
      if (this.board) this.boardPane.begin();
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
    if (!this.about.drawn || from === 0 || again || watch.ended) this.about.draw();
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
    if (this.shown !== undefined) this.top.draw(watch.boardAt(this.shown), this.shown);
    // What this browser has kept is read behind the first record.
    const players = JSON.stringify([
      [...watch.seats.values()].map(({ player, account }) => [player, account]),
      Boolean(this.hand?.heads.size),
    ]);
    if (players !== this.players) {
      this.players = players;
      this.about.draw();
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
      const { looked } = this.boardPane;
      if (looked) this.boardPane.lookAt(board.pieces.has(looked) || this.board.map.place(looked) ? looked : null);
      this.showing.tell(seq, part, lively && forward, went);
      if (!this.showing.settled && !lively) this.boardPane.begin();
      this.pieces.draw(this.board, board, this.spoken, this.tabs.tab === "pieces");
    }
    this.top.draw(board, seq);
    this.story.mark(seq, this.at === null, went);
    this.timeline.mark(seq, this.at === null);
    this.marks.draw(seq);
    this.overlays.draw(seq);
  }

  /** Which pieces lie face down that this audience knows by name. @param {import("../board/view.js").BoardView} board */
  #learn(board) {
    if (this.watch.audience === "public" && !this.watch.open) return;
    if (!board.hiddenKnown) {
      board.hiddenKnown = new Set();
      this.learnt = 0;
    }
    for (; this.learnt < this.watch.records.length; this.learnt++) {
      const record = this.watch.records[this.learnt];
      for (const index of record.ours)
        if (record.effects[index][0] === "put") board.hiddenKnown.add(record.effects[index][1]);
    }
  }

  /** Whether an arbiter has frozen the game, so that nobody decides anything. */
  get frozen() {
    return !this.watch.ended && Boolean(this.watch.checker.stand?.docket.frozen);
  }

  /** The time that somebody has been deciding goes on. */
  redrawScore() {
    if (this.board && this.shown !== undefined)
      this.scoreboard.draw(this.board.map.told, this.watch.boardAt(this.shown), this.at === null);
  }

  // --- beside the board --------------------------------------------------------------------------------------------------------------

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
    this.boardPane.dispose();
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

/** Whether the host lets a game be played on from. @param {string} game */
async function mayBranch(game) {
  try {
    const answer = await fetch(`/api/games/${encodeURIComponent(game)}/whatif`);
    return answer.ok && unpack(new Uint8Array(await answer.arrayBuffer()))[0] === "allowed";
  } catch {
    return false;
  }
}
