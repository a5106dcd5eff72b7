// @ts-check
/**
 * The show of one game: which record and which part of it the page shows while it follows the game, what the camera frames, and what the combat
 * card says. Whoever plays sees their own acts at once, and whatever they press while the show is behind brings it up to date first.
 */

import { button, calm, h, show } from "../ui/dom.js";
import { paced } from "../ui/paced.js";
import { spokenLanguage, t } from "../words/words.js";
import { Camera, boxOf, placesOf } from "./camera.js";
import { CombatCard } from "./card.js";
import { Director, LAG_MS, PLAYERS_LAG_MS, SPEEDS } from "./director.js";
import { beatsOf, partsOf } from "./scenes.js";

/** More records than this at once are a game caught up with, not news. */
const CAUGHT_UP = 24;
/** Somebody who goes to records one after the other rests when this has passed, in ms. */
const RESTED_MS = 300;
/** A page has caught up when nothing has come for this long, or after this long at the latest, in ms. */
const QUIET_MS = 500;
const SETTLED_MS = 5000;
/** How fast records are played again where news is shown at once. */
const AGAIN_SPEED = 4;
/** What the tools take of the board's head, and what is told of its foot beyond its own height, in pixels. */
const TOOLS_PX = 54;
/** How often it is looked at whether what is told hides something to press, in ms. */
const YIELDED_MS = 150;
/** How much of the map must stay in sight in a cell of a wall, which is low. */
const WALL_FILLED = 0.2;
const EDGE_PX = 18;
/** So much of the table beside the map of a broadcast is room for sentences. */
const ROOM_PX = 300;
/** A place is hidden if so much of it lies under what is told, with so much of the map around it, in the map's units. */
const HIDDEN = 0.2;
const HIDDEN_AROUND = 30;
/** What is seen for less than this, in ms, is gone before a counter would have gone its way. */
const BRIEF_MS = 280;
/** How often the map is led elsewhere while everything is seen so briefly, in ms. */
const LED_MS = 600;
/** How often it is told anew how far the show is behind, in ms. */
const CHIP_MS = 250;
const SPEED_KEY = "warledger.speed";
const FOLLOW_KEY = "warledger.follow";

export class Showing {
  /** @param {import("../games/gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    /** the record shown while the game is followed, and how many of its parts */
    this.seq = -1;
    this.part = Infinity;
    this.settled = false;
    /** @type {Camera | null} */
    this.camera = null;
    this.behind = h("span", {});
    this.catching = button({ "data-act": "show-now", onclick: () => this.catchUp() });
    this.chip = h("div", { class: "show-chip", role: "status", hidden: true });
    this.telling = paced(() => this.#tellBehind(), CHIP_MS);
    this.card = new CombatCard(view);
    this.director = new Director((beat, waiting, ms) => this.#beat(beat, waiting, ms), {
      speed: storedSpeed(),
      done: () => this.#drawChip(),
    });
    /** plays records again @type {Director | null} */
    this.replay = null;
    /** told when a part of a combat is shown @type {() => void} */
    this.onFight = () => {};
    this.opened = performance.now();
    /** @type {number | undefined} */
    this.quiet = undefined;
    this.onHidden = () => (document.hidden ? this.catchUp() : undefined);
    document.addEventListener("visibilitychange", this.onHidden);
  }

  get speed() {
    return this.director.speed;
  }

  /** Whether the game runs ahead: so much waits to be shown that nobody follows each record. */
  get rushed() {
    return this.director.waiting.length >= CAUGHT_UP;
  }

  /** @param {number} speed */
  setSpeed(speed) {
    localStorage.setItem(SPEED_KEY, String(speed));
    this.director.speed = speed;
    if (this.replay) this.replay.speed = speed || AGAIN_SPEED;
  }

  /** The board is there. @param {import("../board/view.js").BoardView} board */
  attach(board) {
    const { view } = this;
    // Nobody who plays is led about unless they ask for it.
    const kept = localStorage.getItem(FOLLOW_KEY);
    const wall = Boolean(view.boardPane.holder.closest(".wall"));
    this.camera = new Camera(
      board,
      view.game,
      view.cast || (kept ? kept === "1" : !view.play && !view.seating.remembered()),
      view.cast && !wall,
    );
    this.camera.changed = () => view.boardPane.drawTools();
    const hold = board.hold;
    board.hold = (act) => (this.catchUp() ? true : hold(act));
    board.stage.flush = view.cast && !wall;
    if (wall) {
      board.stage.filled = WALL_FILLED;
      board.stage.full = true;
    }
    board.stage.onMove = () => {
      if (board.stage.flush) this.#room(Math.max(0, Math.round(board.stage.x)));
      this.card.place();
      view.boardPane.surroundings?.news();
      this.yielding.ask();
    };
  }

  /** How wide the table is that lies beside the map of a broadcast: what is told stands there. @param {number} px */
  #room(px) {
    if (px === this.beside) return;
    this.beside = px;
    this.view.boardPane.holder.style.setProperty("--room", `${px}px`);
    this.view.boardPane.holder.classList.toggle("roomy", px >= ROOM_PX);
  }

  /** @type {number | undefined} */
  beside = undefined;

  /** @param {boolean} follow */
  setFollow(follow) {
    localStorage.setItem(FOLLOW_KEY, follow ? "1" : "0");
    this.camera?.setFollow(follow);
    if (follow) this.frame(this.view.shown ?? 0, Infinity);
  }

  // --- what is new ----------------------------------------------------------------------------------------------------------------

  /** Records have come, from this one on. @param {import("../link/watch.js").Watch} watch @param {number} from */
  news(watch, from) {
    const n = watch.last - from + 1;
    this.director.lag = this.view.play ? PLAYERS_LAG_MS : LAG_MS;
    if (!this.settled) this.#settling();
    if (this.view.at !== null && this.replay) this.replay.add(beatsOf(watch, from, watch.last));
    if (
      !this.settled ||
      this.view.at !== null ||
      document.hidden ||
      from === 0 ||
      n < 1 ||
      (n > CAUGHT_UP && !this.director.busy)
    ) {
      this.director.stop();
      this.#to(watch.last, Infinity);
      this.#drawChip();
      return this.view.draw(n < 12 && from > 0 && this.view.at === null && n > 0);
    }
    this.director.add(beatsOf(watch, from, watch.last));
    const own = this.view.play?.seat;
    const mine = own
      ? watch.records.findLastIndex(({ kind, body }, seq) => seq >= from && kind === "command" && body[1] === own)
      : -1;
    if (mine >= 0) {
      this.director.skip(mine);
      this.view.since.close();
    }
    this.#drawChip();
  }

  #settling() {
    clearTimeout(this.quiet);
    const settle = () => {
      this.settled = true;
      this.view.view.dataset.settled = "1";
      this.view.caughtUp();
    };
    if (performance.now() - this.opened > SETTLED_MS) settle();
    else this.quiet = window.setTimeout(settle, QUIET_MS);
  }

  /** Show the newest at once. @returns {boolean} whether the show was behind */
  catchUp() {
    const behind = this.director.waiting.length > 0;
    if (behind) this.director.skip();
    this.#drawChip();
    return behind;
  }

  /** Nothing is shown one after the other any more: the last record is. @param {import("../link/watch.js").Watch} watch */
  restart(watch) {
    this.director.stop();
    this.#to(watch.last, Infinity);
    this.#drawChip();
  }

  /** @param {number} seq @param {number} part */
  #to(seq, part) {
    this.seq = seq;
    this.part = part;
  }

  /** @param {import("./scenes.js").Beat} beat @param {number} waiting @param {number} ms */
  #beat({ seq, part }, waiting, ms) {
    if (this.view.disposed) return;
    const same = seq === this.seq;
    this.#to(seq, part);
    this.#drawChip(waiting);
    this.#briefly(ms, () => {
      if (same) this.tell(seq, part, true);
      else this.view.draw(true);
    });
  }

  /** whether what is drawn now is seen only for a moment: then it lies there at once */
  brief = false;

  /** Draw what is seen for so long. @param {number} ms @param {() => void} draw */
  #briefly(ms, draw) {
    this.brief = ms < BRIEF_MS;
    draw();
    this.brief = false;
  }

  #drawChip(waiting = this.director.waiting.length) {
    const hidden = !waiting || this.view.at !== null;
    if (hidden && this.chip.hidden) return;
    const changed = this.chip.hidden !== hidden;
    this.chip.hidden = hidden;
    if (changed) this.card.place();
    if (hidden) {
      this.telling.stop();
      return show(this.chip);
    }
    if (changed) {
      show(this.chip, this.behind, this.catching);
      this.telling.now();
    } else this.telling.ask();
  }

  /** How far the show is behind. */
  #tellBehind() {
    const { play, watch } = this.view;
    const seconds = Math.max(1, Math.ceil(this.director.behind / 1000));
    this.behind.textContent = t(play ? "show.behind_player" : "show.behind", {
      seq: this.seq,
      last: watch.last,
      seconds,
    });
    this.catching.textContent = t("show.now");
  }

  // --- playing records again ----------------------------------------------------------------------------------------------------

  /** Play records again from the one after this. @param {number} from */
  play(from) {
    const { view } = this;
    this.stop();
    this.replay = new Director(
      (beat, waiting, ms) =>
        this.#briefly(ms, () => {
          if (view.at === beat.seq) this.tell(beat.seq, beat.part, true);
          else view.playTo(beat.seq, beat.part);
        }),
      {
        lag: Infinity,
        speed: this.speed || AGAIN_SPEED,
        done: () => {
          this.stop();
          view.played();
        },
      },
    );
    this.replay.add(beatsOf(view.watch, from + 1, view.watch.last));
  }

  /** Play no further. */
  stop() {
    this.replay?.stop();
    this.replay = null;
  }

  // --- what is shown ------------------------------------------------------------------------------------------------------------

  /** Tell a part of a record on the board: arrows, the camera and the card. @param {number} seq @param {number} part @param {boolean} lively @param {boolean} [went] whether somebody went to it */
  tell(seq, part, lively, went = false) {
    const { view } = this;
    const { board, watch } = view;
    const parts = partsOf(watch, seq);
    const one = parts[part];
    board?.tell(
      one ? one.effects : (watch.records[seq]?.effects ?? []),
      lively && !this.brief,
      watch.boardAt(Math.max(0, seq - 1)),
    );
    this.card.draw(parts, seq, Math.min(part, parts.length - 1), lively, spokenLanguage());
    this.yielding.ask();
    if (lively) view.top.headline(watch.boardAt(seq), seq);
    if (lively) this.frame(seq, part);
    else if (went) this.#whenRested(() => this.frame(seq, part));
    view.boardPane.surroundings?.tell(lively ? this.#places(seq, part) : []);
    if (lively && (one ? one.span : parts.some(({ span }) => span))) this.onFight();
  }

  /** Do it at once; but while somebody drags through the records, only when they rest: the map stands still meanwhile. @param {() => void} act */
  #whenRested(act) {
    const now = performance.now();
    const dragged = now - this.wentAt < RESTED_MS;
    this.wentAt = now;
    clearTimeout(this.resting);
    if (dragged)
      this.resting = window.setTimeout(() => {
        if (!this.view.disposed) act();
      }, RESTED_MS);
    else act();
  }

  /** when somebody went to a record last */
  wentAt = -Infinity;

  /** what is done when they rest @type {number | undefined} */
  resting = undefined;

  /** Lead the map to a part of a record, before the next frame: once, however much is drawn until then. @param {number} seq @param {number} part */
  frame(seq, part) {
    this.wanted = { seq, part };
    if (this.brief) this.leading.ask();
    else this.leading.now();
  }

  #lead() {
    this.framing ||= requestAnimationFrame(() => {
      this.framing = 0;
      if (this.view.disposed || !this.view.board || !this.camera?.follow) return;
      const places = this.#places(this.wanted.seq, this.wanted.part);
      this.#beside(places, () => this.camera?.frame(places));
    });
  }

  leading = paced(() => this.#lead(), LED_MS);

  /** the part that the map is led to */
  wanted = { seq: 0, part: 0 };

  /** the frame before which it is; 0 for none */
  framing = 0;

  /** Where a part of a record happens. @param {number} seq @param {number} part */
  #places(seq, part) {
    const { watch, board } = this.view;
    /** @type {Set<string>} */
    const none = new Set();
    if (!board) return none;
    const parts = partsOf(watch, seq);
    const one = parts[part] ??
      parts.findLast(({ span }) => span) ?? { span: null, effects: watch.records[seq]?.effects ?? [] };
    const before = watch.boardAt(Math.max(0, seq - 1));
    const known = (/** @type {string} */ id) => Boolean(board.map.place(id));
    const places = placesOf(one.effects, before, known);
    if (one.span) for (const place of this.card.places) places.add(place);
    return places;
  }

  /** What is framed leaves room for the card, for the tools, and for what is told at the foot where that would hide it. @param {Iterable<string>} places @param {() => void} act */
  #beside(places, act) {
    const { stage, frame } = /** @type {import("../board/view.js").BoardView} */ (this.view.board);
    const { element, corner, strip } = this.card;
    const kept = stage.inset;
    const wide = frame.clientWidth >= 700;
    const inset = { ...kept };
    const tools = /** @type {HTMLElement | null} */ (this.view.boardPane.holder.querySelector(".board-tools"));
    if (wide && tools?.offsetHeight) inset.top += TOOLS_PX;
    // A phone has no room for what is told besides a combat; its tools lie between that and the sheet.
    const told = wide || element.hidden || element.classList.contains("past") ? strip.offsetHeight : 0;
    const foot = told ? told + EDGE_PX : 0;
    if (!wide) inset.bottom += foot + (tools?.offsetHeight ? TOOLS_PX : 0);
    if (!element.hidden && element.offsetHeight) {
      const [across, down] = [element.offsetWidth + 24, element.offsetHeight + 24];
      // On whichever edge it takes less of the map.
      const beside = (wide || stage.full) && across * frame.clientHeight < down * frame.clientWidth;
      const edge = beside ? (corner[1] === "l" ? "left" : "right") : corner[0] === "t" ? "top" : "bottom";
      inset[edge] = beside || !wide ? kept[edge] + (beside ? across : down) : Math.max(inset[edge], kept[edge] + down);
    }
    stage.inset = inset;
    stage.spare = wide ? foot : 0;
    act();
    if (foot && wide && this.#hides(places)) {
      stage.inset = { ...inset, bottom: Math.max(inset.bottom, kept.bottom + foot) };
      act();
    }
    stage.inset = kept;
    if (element.hidden) return;
    this.card.place();
    // On a small board no corner may be free: the map makes room.
    if (!this.card.over) return;
    stage.shift(this.card.over, !calm());
    this.card.place();
  }

  /** What is told at the foot of the board never lies over what a player may press: it is hidden as long as it would. */
  yielding = paced(() => {
    const { board, play, disposed } = this.view;
    if (disposed || !board) return;
    const { strip } = this.card;
    const told = play?.offer && !strip.classList.contains("empty") ? strip.getBoundingClientRect() : null;
    strip.classList.toggle(
      "yields",
      Boolean(told) &&
        [...board.frame.querySelectorAll(".target, .on-offer")].some((one) => {
          const { left, right, top, bottom } = one.getBoundingClientRect();
          return told && left < told.right && right > told.left && top < told.bottom && bottom > told.top;
        }),
    );
  }, YIELDED_MS);

  /** Whether what is told at the foot would lie over one of these places. @param {Iterable<string>} places */
  #hides(places) {
    const board = /** @type {import("../board/view.js").BoardView} */ (this.view.board);
    const [told, frame] = [this.card.strip.getBoundingClientRect(), board.frame.getBoundingClientRect()];
    const { x, y, scale } = board.stage;
    for (const place of places) {
      const box = boxOf(board, [place], HIDDEN_AROUND);
      if (!box) continue;
      const wide =
        Math.min(told.right - frame.left, box.right * scale + x) -
        Math.max(told.left - frame.left, box.left * scale + x);
      const high =
        Math.min(told.bottom - frame.top, box.bottom * scale + y) - Math.max(told.top - frame.top, box.top * scale + y);
      if (
        wide > 0 &&
        high > 0 &&
        wide * high > HIDDEN * (box.right - box.left) * (box.bottom - box.top) * scale * scale
      )
        return true;
    }
    return false;
  }

  dispose() {
    this.telling.stop();
    this.leading.stop();
    this.yielding.stop();
    clearTimeout(this.quiet);
    clearTimeout(this.resting);
    cancelAnimationFrame(this.framing);
    this.director.stop();
    this.stop();
    this.camera?.dispose();
    this.card.dispose();
    document.removeEventListener("visibilitychange", this.onHidden);
  }
}

/** The speed that was chosen here; everything at once where motion is not wanted. */
function storedSpeed() {
  const stored = localStorage.getItem(SPEED_KEY);
  const speed = Number(stored);
  return stored !== null && SPEEDS.includes(speed) ? speed : calm() ? 0 : 1;
}
