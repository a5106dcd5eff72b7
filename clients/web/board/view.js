// @ts-check
/**
 * The board on the page: the map once, the counters where the board of a record has them, what is on offer, what has just happened. It asks
 * no rules: a click names a piece or a place, and whoever listens knows what may be picked.
 */

import { Seal } from "../records/canon.js";
import { calm, h, s, show } from "../ui/dom.js";
import { Stage } from "./stage.js";
import { Counters } from "./counters.js";
import { drawControl } from "./control.js";
import { fan, lay } from "./fan.js";
import { HexMap } from "./hexes.js";
import { light } from "./lit.js";
import { Pointer } from "./pointer.js";
import { drawRange } from "./range.js";
import { AreaMap } from "./areas.js";
import { pile, spotsOf } from "./stacks.js";
import { worksOf } from "./works.js";
import { happened, planned, supplied } from "./arrows.js";

/** @typedef {{element: SVGGElement, use: SVGElement, key: string, face: string, badges: string, order: number, x: number, y: number, scale: number, place: string}} Counter */
/** @typedef {{picks: Set<string | number>, label: (pick: string) => string}} Offer */

const TEXTURES = [
  ["wood", 18, 18, "M5,11l3,-7l3,7zM14,17l2.4,-5.6l2.4,5.6z"],
  ["deep", 13, 13, "M2,8l3,-7l3,7zM8,13l2.4,-6l2.4,6z"],
  ["marsh", 20, 14, "M2,5h9M5,2v3M8,2v3M12,12h8M14,9v3M17,9v3"],
  ["rough", 24, 20, "M3,11l5,-7l5,7M14,19l3.5,-5l3.5,5"],
  ["water", 24, 12, "M0,4q3,-3 6,0t6,0M12,10q3,-3 6,0t6,0"],
];

/** Counters that are smaller than this on the screen show their strength alone. */
const CHIP_PX = 33;

export class BoardView {
  /**
   * @param {import("../protocol.d.ts").Description} told a description that has been read
   * @param {import("../words/phrases.js").Phrases} spoken
   */
  constructor(told, spoken) {
    this.map = told.kind === "hexes" ? new HexMap(told) : new AreaMap(told);
    this.counters = new Counters(told);
    this.spoken = spoken;
    /** @type {(id: string) => void} */
    this.onPick = () => {};
    /** keeps an act for later while what is on offer is being asked for, and says so @type {(act: () => void) => boolean} */
    this.hold = () => false;
    /** @type {(place: string | null) => void} */
    this.onCursor = () => {};
    /** @type {(id: string | null) => void} */
    this.onLook = () => {};
    /** somebody wants to know more of a piece or place than a look tells @type {(id: string | null) => void} */
    this.onAsk = () => {};
    /** the counters that lie on the map; of two, the one with the larger `order` lies on top @type {Map<string, Counter>} */
    this.pieces = new Map();
    /** the `order` of the topmost counter */
    this.top = 0;
    /** @type {Map<string, string[]>} */
    this.stacks = new Map();
    /** the pieces of each place, in the board's order and as they were laid @type {Map<string, {told: string[], ids: string[]}>} */
    this.laid = new Map();
    /** @type {string | null} */
    this.fanned = null;
    /** @type {string | null} */
    this.cursor = null;
    /** @type {Offer | null} */
    this.offer = null;
    /** @type {Set<string>} */
    this.picked = new Set();
    /** @type {import("../records/effects.js").Board | null} */
    this.board = null;
    /** told when what lies or is lit on the map is another @type {() => void} */
    this.onNews = () => {};
    /** which places were shown as held last */
    this.controlKey = "";

    this.defs = s(
      "defs",
      {},
      TEXTURES.map(([name, w, hh, d]) =>
        s(
          "pattern",
          { id: `texture-${name}`, width: w, height: hh, patternUnits: "userSpaceOnUse" },
          s("path", { class: `texture-line texture-line-${name}`, d }),
        ),
      ),
      s(
        "marker",
        {
          id: "arrow-head",
          viewBox: "0 0 10 10",
          refX: 6,
          refY: 5,
          markerWidth: 3.2,
          markerHeight: 3.2,
          orient: "auto-start-reverse",
        },
        s("path", { class: "arrow-head", d: "M0,0L10,5L0,10z" }),
      ),
    );
    this.bodies = s("g", {});
    this.defs.append(this.bodies);
    /** the drawing of each face @type {Map<string, string>} */
    this.made = new Map();
    this.layers = {
      map: s("g", { class: "ground" }),
      control: s("g", { class: "control" }),
      held: s("path", { class: "counted held-now" }),
      lacking: s("path", { class: "counted lacking-now" }),
      range: s("path", { class: "hq-range" }),
      reached: s("path", { class: "supply-reach" }),
      targets: s("g", { class: "targets" }),
      trail: s("g", { class: "trail under" }),
      pieces: s("g", { class: "pieces" }),
      works: s("g", { class: "works" }),
      rings: s("path", { class: "rings" }),
      supply: s("g", { class: "trail supply" }),
      arrows: s("g", { class: "trail" }),
      plan: s("g", { class: "trail" }),
      cursor: s("path", { class: "cursor" }),
    };
    this.counters.spoken = spoken;
    this.layers.map.append(this.map.draw(spoken));
    this.picture = s(
      "svg",
      { class: this.map.kind === "hex" ? "board" : "board areas", "aria-hidden": "true", focusable: "false" },
      this.defs,
      ...Object.values(this.layers),
    );
    this.frame = h("div", { class: "stage", tabindex: 0, role: "group" }, this.picture);
    this.sheetHolder = h("div", { class: "sheet-holder", "aria-hidden": "true" });
    this.stage = new Stage(this.frame, this.picture, this.map.width, this.map.height);
    this.stage.onScale = (scale) => {
      this.picture.classList.toggle("near", scale > 0.85);
      this.picture.classList.toggle("far", scale < 0.42);
      this.picture.classList.toggle("chips", this.map.kind === "hex" && scale * this.map.counter.w < CHIP_PX);
    };
    this.pointer = new Pointer(this);
  }

  /** The drawings of the counters' symbols are here. @param {Element} sheet */
  symbols(sheet) {
    const made = /** @type {Element} */ (document.importNode(sheet, true));
    for (const symbol of made.querySelectorAll("symbol")) symbol.id = this.counters.own + symbol.id;
    show(this.sheetHolder, made);
  }

  /** Redraw the texts in another language. @param {import("../words/phrases.js").Phrases} spoken */
  speak(spoken) {
    this.spoken = spoken;
    this.counters.spoken = spoken;
    this.stale = true;
    show(this.layers.map, this.map.draw(spoken));
    light(this);
  }

  /** The places with something on offer, from the left and the top. @returns {string[]} */
  get offered() {
    /** @type {Set<string>} */
    const places = new Set();
    for (const pick of this.offer?.picks ?? []) {
      if (typeof pick !== "string") continue;
      const place = this.map.place(pick) ? pick : this.pieces.get(pick)?.place;
      if (place && this.map.place(place)) places.add(place);
    }
    const at = (/** @type {string} */ place) => /** @type {any} */ (this.map.place(place));
    return [...places].sort((a, b) => at(a).x - at(b).x || at(a).y - at(b).y);
  }

  /** Put the cursor on the next place with something on offer. @param {1 | -1} step @returns {boolean} whether there is one */
  nextOffer(step) {
    const { offered } = this;
    if (!offered.length) return false;
    const now = this.cursor === null ? -1 : offered.indexOf(this.cursor);
    const next = now < 0 ? (step > 0 ? 0 : offered.length - 1) : (now + step + offered.length) % offered.length;
    this.setCursor(offered[next]);
    this.onLook(offered[next]);
    return true;
  }

  /** @param {string | null} place */
  setCursor(place) {
    this.cursor = place;
    const at = place ? this.map.place(place) : null;
    const { cursor } = this.layers;
    // Around a sea it ends at the coast, as what is lit does: over the land it would cross the harbours and their ships.
    const under = (at && "look" in at && at.look === "sea" && this.map.afloat) || this.picture;
    if (cursor.parentNode !== under) under.append(cursor);
    cursor.setAttribute("d", place ? this.map.shape(place) : "");
    if (at) this.stage.reveal(at.x, at.y);
    this.fan(place);
    this.onCursor(place);
  }

  /** The cursor goes, and what is told of its place. */
  dropCursor() {
    if (this.cursor === null) return;
    this.setCursor(null);
    this.onLook(null);
  }

  /** Show where something is. @param {string} id a place or a piece */
  find(id) {
    const place = this.map.place(id) ? id : (this.pieces.get(id)?.place ?? null);
    const at = place ? this.map.place(place) : null;
    if (at && place) {
      this.stage.reveal(at.x, at.y);
      this.setCursor(place);
      this.onLook(id);
      this.onAsk(id);
    }
  }

  /** What a click means: a piece on offer, else the place on offer, else a look. @param {string | null} piece @param {string | null} place */
  click(piece, place) {
    if (this.hold(() => this.click(piece, place))) return;
    const offered = this.offer?.picks;
    if (piece && offered?.has(piece)) this.onPick(piece);
    else if (place && offered?.has(place)) this.onPick(place);
    else if (!piece && place && offered) {
      const here = (this.stacks.get(place) ?? []).filter((id) => offered.has(id));
      if (here.length === 1) this.onPick(here[0]);
      else {
        this.fan(place);
        // Whoever tries a place that cannot be chosen learns why.
        if (!here.length) this.onPick(place);
      }
    } else if (piece || place) {
      this.fan(place);
      if (offered) this.onPick(/** @type {string} */ (piece ?? place));
    }
    this.onLook(piece ?? place);
    this.onAsk(piece ?? place);
  }

  // --- the board of a record ----------------------------------------------------------------------------------------------------

  /** @param {import("../records/effects.js").Board} board @param {boolean} glide whether pieces move there or are there at once */
  render(board, glide) {
    const before = this.stale ? null : this.board;
    if (before === board) return;
    this.stale = false;
    this.gliding = glide && !calm();
    this.picture.classList.toggle("glide", this.gliding);
    this.fan(null);
    this.board = board;
    /** @type {Map<string, string[]>} */
    const stacks = new Map();
    /** @type {Set<string>} */
    const seen = new Set();
    for (const [id, piece] of board.pieces) {
      if (typeof piece.place !== "string" || !this.map.place(piece.place)) continue;
      const stack = stacks.get(piece.place);
      if (stack) stack.push(id);
      else stacks.set(piece.place, [id]);
      seen.add(id);
    }
    for (const [place, count] of board.counts) {
      if (!this.map.place(place) || !count || count instanceof Seal) continue;
      const known = (stacks.get(place) ?? []).filter((id) => board.marks.get(id)?.has("face_down")).length;
      if (this.#seesHidden(board, place)) continue;
      const stack = stacks.get(place) ?? [];
      for (let i = known; i < count; i++) {
        const id = `?${place}?${i}`;
        stack.push(id);
        seen.add(id);
      }
      stacks.set(place, stack);
    }
    for (const [id, { element }] of this.pieces) {
      if (!seen.has(id)) {
        element.remove();
        this.pieces.delete(id);
      }
    }
    if (this.map.kind === "hex") for (const ids of stacks.values()) pile(this.counters, ids, board);
    this.stacks = stacks;
    const laid = this.laid;
    this.laid = new Map();
    for (const [place, ids] of stacks) {
      const old = laid.get(place);
      // Boards share what a record left alone, so what is the same object need not be laid again.
      if (
        before &&
        old &&
        old.told.length === ids.length &&
        ids.every(
          (id, i) =>
            old.told[i] === id &&
            !id.startsWith("?") &&
            board.pieces.get(id) === before.pieces.get(id) &&
            board.marks.get(id) === before.marks.get(id),
        )
      ) {
        stacks.set(place, old.ids);
        this.laid.set(place, old);
        continue;
      }
      this.laid.set(place, { told: [...ids], ids });
      this.stack(place, ids, board);
    }
    drawControl(this, board);
    this.#works(board);
    light(this);
  }

  /** Whether this audience knows which pieces a count represents. @param {import("../records/effects.js").Board} board @param {string} place */
  #seesHidden(board, place) {
    for (const [id, piece] of board.pieces)
      if (piece.place === place && typeof id === "string" && this.hiddenKnown?.has(id)) return true;
    return false;
  }

  /** everything must be drawn again */
  stale = false;

  /** whether counters go their ways, rather than lie there at once */
  gliding = false;

  /** pieces that only this audience knows by name @type {Set<string> | undefined} */
  hiddenKnown = undefined;

  /** @param {string} id @param {import("../records/effects.js").Board} board */
  #piece(id, board) {
    const { counters, map } = this;
    const piece = board.pieces.get(id);
    const hidden = id.startsWith("?");
    const print = hidden
      ? {
          name: "",
          symbol: "",
          values: "?",
          chip: "?",
          side: "hidden",
          nation: "",
          kind: "unit",
          wide: false,
          note: "",
          range: 0,
        }
      : counters.print(id, piece?.face, piece?.owner ?? "");
    const marks = board.marks.get(id);
    const look = `${counters.classes(/** @type {any} */ (print))}`;
    const marked = marks ? [...marks].join(";") : "";
    const key = `${look}|${print.values}|${print.name}|${print.symbol}|${marked}`;
    let known = this.pieces.get(id);
    if (!known) {
      const use = s("use");
      const element = s("g", { "data-piece": id }, use);
      known = { element, use, key: "", face: "", badges: "", order: 0, x: NaN, y: NaN, scale: 1, place: "" };
      this.pieces.set(id, known);
    }
    if (known.key !== key) {
      known.key = key;
      const face = [print.kind, print.values, print.name, print.symbol, print.note].join("_");
      const bodyId = this.made.get(face) ?? `${counters.own}face-${this.made.size}`;
      if (!this.made.has(face)) {
        this.made.set(face, bodyId);
        const body = counters.body(/** @type {any} */ (print), map.counter);
        body.id = bodyId;
        this.bodies.append(body);
      }
      known.element.setAttribute("class", `${look}${marks?.has("activated") ? " activated" : ""}`);
      // Whatever `use` shows is copied whole for it, so it is left alone where its face is the same.
      if (known.face !== bodyId) known.use.setAttribute("href", `#${bodyId}`);
      known.face = bodyId;
      if (known.badges !== marked) {
        known.use.nextSibling?.remove();
        if (marks?.size) known.use.after(counters.badges(marks, map.counter));
        known.badges = marked;
      }
    }
    return known;
  }

  /** @param {string} place @param {string[]} ids @param {import("../records/effects.js").Board} board */
  stack(place, ids, board) {
    const spots = spotsOf(this.map, this.counters, place, ids, board);
    let below = 0;
    ids.forEach((id, i) => {
      const known = this.#piece(id, board);
      const { x, y, scale } = spots[i];
      // What goes its way goes above all others.
      if (known.order <= below || (this.gliding && known.place !== place)) this.raise(known);
      below = known.order;
      known.place = place;
      // In a stack of another size a counter may lie on the same spot, but smaller.
      if (known.x !== x || known.y !== y || known.scale !== scale) lay(known, x, y, scale);
    });
  }

  /** A counter comes to lie above all others. It is made anew for the browser wherever it is put, so it is not without need. @param {Counter} known */
  raise(known) {
    known.order = ++this.top;
    this.layers.pieces.append(known.element);
  }

  /** what a stack that is laid open covers, in the map's units */
  fanBox = { left: 0, right: 0, top: 0, bottom: 0 };

  /** Lay a stack open, its top first. @param {string | null} place @param {string | null} [by] the counter that is pointed at, which stays under the pointer */
  fan(place, by = null) {
    fan(this, place, by);
  }

  /** Works and supply: what is marked on hexes besides control. @param {import("../records/effects.js").Board} board */
  #works(board) {
    if (this.map.kind !== "hex") return;
    const { keys, drawn } = worksOf(board, this.map, this.spoken);
    const key = keys.join("|");
    if (key === this.worksKey) return;
    this.worksKey = key;
    show(this.layers.works, drawn);
  }

  worksKey = "";

  // --- what is on offer ----------------------------------------------------------------------------------------------------------

  /** the places that are lit, as they are drawn @type {Element[]} */
  targets = [];

  /** @param {Offer | null} offer @param {Set<string>} [picked] */
  highlight(offer, picked = new Set()) {
    this.offer = offer;
    this.picked = picked;
    light(this);
  }

  /** Where what is picked would go, and what it would attack. @param {string[][]} ways each the places or pieces one after the other @param {string} [target] a place or piece that is ringed */
  plan(ways, target = "") {
    planned(this, ways, target);
  }

  /** By which ways supply comes, and into which places it can. @param {string[][]} ways each the places one after the other; one place alone has it at hand @param {string[]} [reached] */
  supply(ways, reached = []) {
    supplied(this, ways, reached);
  }

  /** The reach of an HQ's command. @param {string | null} id */
  showRange(id) {
    drawRange(this, id);
  }

  // --- what has just happened ------------------------------------------------------------------------------------------------------

  /** Arrows of moves, a ring where a combat is. @param {any[][]} effects @param {boolean} animate @param {import("../records/effects.js").Board | null} [before] the board on which they happen */
  tell(effects, animate, before = null) {
    happened(this, effects, animate && !calm(), before);
  }

  /** Of the circle around a combat, in the map's units. */
  get clashRadius() {
    return this.map.kind === "hex" ? 34 : 90;
  }

  /** A counter by itself, for lists. @param {string} id @param {any} face @param {string} owner */
  small(id, face, owner) {
    const print = this.counters.print(id, face, owner);
    const size = this.map.counter;
    const look = this.counters.classes(print);
    return s(
      "svg",
      {
        class: `small-counter${look.includes("kind-ship") ? " of-ship" : ""}`,
        viewBox: `${-size.w / 2 - 1} ${-size.h / 2 - 1} ${size.w + 2} ${size.h + 2}`,
        "aria-hidden": "true",
      },
      s("g", { class: look }, this.counters.body(print, size)),
    );
  }
}
