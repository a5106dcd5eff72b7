// @ts-check
/**
 * What can be laid over any map: zones of control, control, supply, the reach of HQs, arrivals, losses. All of it follows from the description,
 * the board and the records; zones are those of protocol/board/overlays.py.
 */

import { h, s, show } from "../ui/dom.js";
import { Board } from "../records/effects.js";
import { Control } from "../show/score.js";
import { t } from "../words/words.js";
import { word } from "./counters.js";
import { BEYOND } from "./description.js";
import { R } from "./hexes.js";

export const OVERLAYS = ["zones", "control", "supply", "reach", "arrivals", "losses"];
const STORED = "warledger.overlays";
/** Kinds of pieces that can be lost. */
const FIGHTERS = ["unit", "hq", "ship", "submarine", "convoy", "air"];
/** So many turns of arrivals are told. */
const TURNS_SHOWN = 3;

/** Whose a piece is. @param {import("../protocol.d.ts").DescribedPiece | undefined} told its description, if there is one @param {any} piece as the board has it */
const sideOf = (told, piece) => piece.owner || told?.side || "";

/**
 * The places of each side's zones of control. @param {import("../protocol.d.ts").Description} told the description @param {Board} board @returns {Map<string, Set<number>>}
 */
export function zones(told, board) {
  const turn = board.tracks.get("turn");
  /** @type {Set<number>} */
  const closed = new Set();
  for (const area of told.areas) {
    if (area.kind === "closed" && (area.to_turn === null || (Number.isInteger(turn) && turn <= area.to_turn)))
      for (const n of area.places) closed.add(n);
  }
  const barred = new Set(told.terrains.filter((terrain) => !terrain.zone).map((terrain) => terrain.id));
  const { numbers, pieces } = indexed(told);
  /** @type {Map<string, Set<number>>} */
  const found = new Map(told.sides.map((side) => [side, new Set()]));
  for (const [id, shown] of board.pieces) {
    const at = typeof shown.place === "string" ? numbers.get(shown.place) : undefined;
    const piece = pieces.get(id);
    if (at === undefined || !piece || closed.has(at)) continue;
    const marks = board.marks.get(id);
    const face = piece.faces.find((one) => one.face === shown.face);
    const own = piece.zone && (!face || face.zone) && !told.zoneless.some((marker) => marks?.get(marker));
    const into = found.get(sideOf(piece, shown));
    if (!into || !(own || board.marks.get(shown.place)?.get("zone"))) continue;
    into.add(at);
    for (const near of told.places[at].near)
      if (near !== BEYOND && !barred.has(told.places[near].terrain) && !closed.has(near)) into.add(near);
  }
  return found;
}

/** @type {WeakMap<any, {numbers: Map<string, number>, pieces: Map<string, import("../protocol.d.ts").DescribedPiece>, steps: Map<string, Map<any, number>>}>} */
const INDEXED = new WeakMap();

/** What is looked up in a description. @param {import("../protocol.d.ts").Description} told */
function indexed(told) {
  let found = INDEXED.get(told);
  if (!found) {
    found = {
      numbers: new Map(told.places.map((place, n) => [place.id, n])),
      pieces: new Map(told.pieces.map((piece) => [piece.id, piece])),
      steps: new Map(
        told.pieces.map((piece) => [piece.id, new Map(piece.faces.map((face) => [face.face, face.steps]))]),
      ),
    };
    INDEXED.set(told, found);
  }
  return found;
}

/** @typedef {{side: string, place: string, steps: number, seq: number}} Loss */

/** The steps that were lost, by the record and the place. */
export class Losses {
  /** @param {import("../protocol.d.ts").Description} told the description */
  constructor(told) {
    this.told = told;
    this.graves = new Set(told.boxes.filter((box) => box.lost).map((box) => box.id));
    /** @type {Loss[]} */
    this.list = [];
    this.read = 0;
    this.board = new Board();
    /** @type {import("../link/watch.js").Watch | null} */
    this.watch = null;
  }

  /** Read the records up to one. @param {import("../link/watch.js").Watch} watch @param {number} seq */
  extend(watch, seq) {
    if (watch !== this.watch) [this.watch, this.list, this.read, this.board] = [watch, [], 0, new Board()];
    for (; this.read <= Math.min(seq, watch.last); this.read++) {
      for (const effect of watch.records[this.read].effects) {
        if (effect[0] === "rewind") this.board = watch.boardAt(effect[1]).copy();
        else {
          this.#count(this.board, effect);
          this.board.apply(effect);
        }
      }
    }
  }

  /** @param {Board} board as it is before @param {any[]} effect */
  #count(board, [tag, id, where, face]) {
    const piece = board.pieces.get(id);
    const { pieces, steps, numbers } = indexed(this.told);
    const told = pieces.get(id);
    if (
      !piece ||
      !told ||
      !FIGHTERS.includes(told.kind) ||
      typeof piece.place !== "string" ||
      !numbers.has(piece.place)
    )
      return;
    const had = steps.get(id)?.get(piece.face) ?? 1;
    const to = tag === "take" || tag === "put" ? where : tag === "move" ? where.at(-1) : null;
    let lost = 0;
    if (to !== null && this.graves.has(to)) lost = had;
    else if (tag === "flip" || (tag === "put" && numbers.has(to)))
      lost = Math.max(0, had - (steps.get(id)?.get(tag === "flip" ? where : face) ?? had));
    if (lost) this.list.push({ side: sideOf(told, piece), place: piece.place, steps: lost, seq: this.read });
  }

  /** What was lost by a record, without what was taken back. @param {import("../link/watch.js").Watch} watch @param {number} seq */
  upTo(watch, seq) {
    this.extend(watch, seq);
    /** @type {[number, number][]} from and to which record nothing counts */
    const undone = [];
    for (let n = seq; n > 0; n--) {
      const back = watch.records[n]?.effects.find(([tag]) => tag === "rewind");
      if (!back) continue;
      undone.push([back[1], n]);
      n = back[1] + 1;
    }
    return this.list.filter(
      (loss) => loss.seq <= seq && !undone.some(([from, to]) => loss.seq > from && loss.seq <= to),
    );
  }
}

export class Overlays {
  /** @param {import("../games/gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    const asked = view.cast ? new URLSearchParams(location.search).get("overlays") : null;
    /** @type {Set<string>} */
    this.chosen = new Set(
      (asked ?? (view.cast ? "" : (localStorage.getItem(STORED) ?? "")))
        .split(",")
        .filter((one) => OVERLAYS.includes(one)),
    );
    this.under = s("g", { class: "overlay under-pieces" });
    this.over = s("g", { class: "overlay over-pieces" });
    this.told = h("div", { class: "overlay-told", tabindex: 0, role: "group", hidden: true });
    this.key = "";
    /** of the board that it is attached to; before, there is none @type {import("../protocol.d.ts").Description} */
    this.description = /** @type {any} */ (undefined);
  }

  /** @param {import("./view.js").BoardView} board */
  attach(board) {
    this.board = board;
    this.description = board.map.told;
    this.losses = new Losses(this.description);
    this.control = new Control(this.description);
    board.layers.control.after(this.under);
    board.layers.works.after(this.over);
    this.key = "";
  }

  /** Which of them this title can feed. @returns {string[]} */
  get offered() {
    const told = this.description;
    if (!told) return [];
    const hexes = told.kind === "hexes";
    const known = {
      zones: hexes && told.pieces.some((piece) => piece.zone),
      control: told.kind !== "list" && (told.areas.some((area) => area.kind === "control") || Boolean(this.marked)),
      supply: hexes && Boolean(told.sources.length || told.cut.length),
      reach: hexes && told.pieces.some(rangeOf),
      arrivals: told.boxes.some((box) => box.arrival !== null) || told.pieces.some((piece) => piece.arrives !== null),
      losses: told.kind !== "list" && told.boxes.some((box) => box.lost),
    };
    return OVERLAYS.filter((one) => known[/** @type {keyof typeof known} */ (one)]);
  }

  /** The list from which they are chosen. */
  chooser() {
    const { offered } = this;
    if (!offered.length) return null;
    return h(
      "details",
      { class: "legend overlays" },
      h("summary", { text: t("overlay") }),
      h(
        "ul",
        {},
        offered.map((one) => {
          const id = `overlay-${one}`;
          const box = h("input", {
            type: "checkbox",
            id,
            checked: this.chosen.has(one),
            onchange: () => this.choose(one, box.checked),
          });
          return h("li", {}, box, h("label", { for: id, text: t(`overlay.${one}`) }));
        }),
      ),
    );
  }

  /** @param {string} one @param {boolean} on */
  choose(one, on) {
    if (on) this.chosen.add(one);
    else this.chosen.delete(one);
    localStorage.setItem(STORED, [...this.chosen].join(","));
    this.draw(this.seq ?? 0);
  }

  /** Lay them over the board of a record. @param {number} seq @param {boolean} [again] in another language, too */
  draw(seq, again = false) {
    this.seq = seq;
    const { board, view } = this;
    const now = board?.board;
    if (!board || !now) return;
    if (!this.marked) {
      for (const marks of now.marks.values())
        if ([...marks.keys()].some((marker) => /^control[._]/.test(marker))) this.marked = true;
      if (this.marked) view.boardPane.drawTools();
    }
    const chosen = this.offered.filter((one) => this.chosen.has(one));
    const key = `${view.spoken.language} ${chosen} ${seq} ${view.watch.audience}`;
    if (key === this.key && !again) return;
    this.key = key;
    if (!chosen.length && !this.under.firstChild && !this.over.firstChild && this.told.hidden) return;
    const has = (/** @type {string} */ one) => chosen.includes(one);
    show(
      this.under,
      has("control") ? this.#controlled(now) : null,
      has("zones") ? this.#zoned(now) : null,
      has("reach") ? this.#reach(now) : null,
    );
    const lost = has("losses") ? (this.losses?.upTo(view.watch, seq) ?? []) : [];
    show(this.over, has("supply") ? this.#supply(now) : null, has("losses") ? this.#lost(lost) : null);
    const rows = [has("arrivals") ? this.#arrivals(now) : null, has("losses") ? this.#total(lost) : null].filter(
      (one) => one !== null,
    );
    this.told.hidden = !rows.length;
    this.told.setAttribute("aria-label", t("overlay"));
    show(this.told, rows);
  }

  /** @param {Board} now */
  #zoned(now) {
    const told = this.description;
    return [...zones(told, now)].map(([side, places]) => this.#tinted("zone", side, [...places]));
  }

  /** Hexes of a side, with a line around them. @param {string} kind @param {string} side @param {number[]} places */
  #tinted(kind, side, places) {
    const map = /** @type {import("./hexes.js").HexMap} */ (this.board?.map);
    return s(
      "g",
      { class: `${kind} side-${word(side)}` },
      s("path", { class: "tint", d: map.area(places.map((n) => this.description.places[n].id)) }),
      s("path", { class: "edge", d: map.border(places) }),
    );
  }

  /** @param {Board} now */
  #controlled(now) {
    const told = this.description;
    /** @type {Map<string, string[]>} */
    const held = new Map();
    const marked = (/** @type {string} */ id, /** @type {string} */ marker) =>
      now.marks.get(id)?.get(marker) ?? now.marks.get(id)?.get(marker.replace(".", "_"));
    told.places.forEach(({ id }, n) => {
      for (const side of told.sides)
        if (this.control?.holds(marked, n, side)) held.set(side, [...(held.get(side) ?? []), id]);
    });
    return [...held].map(([side, ids]) =>
      s("path", { class: `held side-${word(side)}`, d: this.board?.map.area(ids) ?? "" }),
    );
  }

  /** @param {Board} now */
  #reach(now) {
    const told = this.description;
    const { numbers, pieces } = indexed(told);
    /** @type {Map<string, Set<number>>} */
    const found = new Map();
    for (const [id, shown] of now.pieces) {
      const piece = pieces.get(id);
      const range = piece ? rangeOf(piece, shown.face) : 0;
      const at = typeof shown.place === "string" ? numbers.get(shown.place) : undefined;
      if (!range || at === undefined) continue;
      const side = sideOf(piece, shown);
      const into = found.get(side) ?? found.set(side, new Set()).get(side);
      for (const n of within(told, at, range)) into?.add(n);
    }
    return [...found].map(([side, places]) => this.#tinted("reach", side, [...places]));
  }

  /** @param {Board} now */
  #supply(now) {
    const told = this.description;
    const { map } = /** @type {import("./view.js").BoardView} */ (this.board);
    const turn = now.tracks.get("turn");
    const spoken = this.view.spoken;
    const sources = told.sources
      .filter((source) => !(Number.isInteger(turn) && turn < source.from_turn))
      .map((source) => {
        const at = map.place(told.places[source.place].id);
        return at
          ? s(
              "circle",
              { class: `supply-source side-${word(source.side)}`, cx: at.x, cy: at.y, r: R * 0.8 },
              s("title", { text: spoken.name(source.id) }),
            )
          : null;
      });
    const cut = [...now.pieces].flatMap(([id, { place }]) => {
      const marker = told.cut.find((one) => now.marks.get(id)?.get(one));
      const at = typeof place === "string" ? map.place(place) : null;
      return at && marker
        ? [
            s(
              "circle",
              { class: "supply-cut", cx: at.x, cy: at.y, r: R * 0.86 },
              s("title", { text: `${spoken.name(id)}: ${spoken.mark(marker, 1)}` }),
            ),
          ]
        : [];
    });
    return [...sources, ...cut];
  }

  /** @param {Loss[]} lost */
  #lost(lost) {
    const { map } = /** @type {import("./view.js").BoardView} */ (this.board);
    /** @type {Map<string, Map<string, number>>} */
    const by = new Map();
    for (const { place, side, steps } of lost) {
      const here = by.get(place) ?? new Map();
      by.set(place, here.set(side, (here.get(side) ?? 0) + steps));
    }
    return [...by].flatMap(([place, sides]) => {
      const at = map.place(place);
      if (!at) return [];
      return [...sides].map(([side, steps], i) =>
        s(
          "g",
          {
            class: `loss side-${word(side)}`,
            transform: `translate(${at.x + (i - (sides.size - 1) / 2) * 26},${at.y - R * 0.55})`,
          },
          s("circle", { r: 12 }),
          s("text", { y: 4.5, text: `−${steps}` }),
        ),
      );
    });
  }

  /** @param {Loss[]} lost */
  #total(lost) {
    const { spoken } = this.view;
    return h(
      "section",
      { class: "lost" },
      h("h2", { text: t("overlay.losses") }),
      h(
        "ul",
        {},
        this.description.sides.map((side) =>
          h(
            "li",
            { class: `side-${word(side)}` },
            h("b", { text: spoken.name(side) }),
            ` ${t("overlay.steps", { n: lost.filter((one) => one.side === side).reduce((sum, { steps }) => sum + steps, 0) })}`,
          ),
        ),
      ),
    );
  }

  /** @param {Board} now */
  #arrivals(now) {
    const told = this.description;
    const { view, board } = this;
    const turn = now.tracks.get("turn");
    /** @type {Map<number, string[]>} */
    const due = new Map();
    const boxes = new Map(told.boxes.filter((box) => box.arrival !== null).map((box) => [box.id, box.arrival]));
    for (const piece of told.pieces) {
      if (!FIGHTERS.includes(piece.kind)) continue;
      const shown = now.pieces.get(piece.id);
      const on = shown ? boxes.get(shown.place) : piece.arrives;
      if (on === undefined || on === null || (on && Number.isInteger(turn) && on < turn) || (!shown && on === turn))
        continue;
      due.set(on, [...(due.get(on) ?? []), piece.id]);
    }
    const rows = [...due]
      .sort(([a], [b]) => a - b)
      .slice(0, TURNS_SHOWN)
      .map(([on, ids]) =>
        h(
          "li",
          {},
          h("b", { text: on ? t("score.turn", { n: on }) : t("overlay.available") }),
          h(
            "span",
            { class: "arriving" },
            ids.map((id) => {
              const shown = now.pieces.get(id);
              const piece = indexed(told).pieces.get(id);
              return h(
                "span",
                { class: "arrival", title: view.spoken.name(id) },
                board?.small(id, shown?.face ?? piece?.faces[0]?.face ?? "", sideOf(piece, shown ?? {})),
                h("span", { class: "sr-only", text: view.spoken.name(id) }),
              );
            }),
          ),
        ),
      );
    return h(
      "section",
      { class: "due" },
      h("h2", { text: t("overlay.arrivals") }),
      rows.length ? h("ul", {}, rows) : h("p", { text: t("overlay.none") }),
    );
  }
}

/** How far an HQ reaches, in hexes; 0 for what does not. @param {import("../protocol.d.ts").DescribedPiece} piece @param {any} [face] any of them where none is given */
function rangeOf(piece, face) {
  if (piece.kind !== "hq") return 0;
  const faces = typeof face === "string" ? piece.faces.filter((one) => one.face === face) : piece.faces;
  return Math.max(
    0,
    ...faces.flatMap((one) => one.values.filter(([what = ""]) => what === "range").map(([, n = 0]) => n)),
  );
}

/** The hexes within so many steps of one. @param {import("../protocol.d.ts").Description} told @param {number} from @param {number} most */
function within(told, from, most) {
  const found = new Set([from]);
  let edge = [from];
  for (let step = 0; step < most; step++) {
    const next = [];
    for (const n of edge) {
      for (const near of told.places[n].near) {
        if (near === BEYOND || found.has(near)) continue;
        found.add(near);
        next.push(near);
      }
    }
    edge = next;
  }
  return found;
}
