// @ts-check
/**
 * The board as a fold of effects (the vocabulary stands in protocol/drawing.md). One board in KEPT_EVERY is kept whole, those between are
 * folded again when somebody steps there.
 */

import { Seal } from "./canon.js";
import { BOARD_MARKS_MAX, BOARD_PIECES_MAX, BOARD_TRACKS_MAX, SPANS_OPEN_MAX } from "./limits.js";

/** @typedef {import("../protocol.d.ts").Piece} Piece */
/** @typedef {import("../protocol.d.ts").Say} Say */

/** How many turns end in the effects of a command. @param {any[][]} effects */
export const turnsClosed = (effects) =>
  effects.filter((effect) => effect.length === 2 && effect[0] === "close" && effect[1] === "turn").length;

/** A board with more things than any game has. */
export class TooLarge extends Error {
  /** @param {string} what @param {number} most */
  constructor(what, most) {
    super(`the board has more than ${most} ${what}; no game needs that many`);
  }
}

/** @param {number} n @param {number} most @param {string} what */
function within(n, most, what) {
  if (n > most) throw new TooLarge(what, most);
}

export class Board {
  constructor() {
    /** @type {Map<string, Piece>} */
    this.pieces = new Map();
    /** target -> marker -> value @type {Map<string, Map<string, number>>} */
    this.marks = new Map();
    /** how many markers there are */
    this.marked = 0;
    /** @type {Map<string, any>} */
    this.tracks = new Map();
    /** @type {Map<string, any>} */
    this.counts = new Map();
    /** @type {Say} */
    this.phase = { key: "phase.none", args: [], rule: "" };
    /** @type {string[]} */
    this.awaits = [];
    /** @type {{span: string, key: string, args: [string, any][]}[]} */
    this.spans = [];
    this.seq = 0;
  }

  copy() {
    const board = new Board();
    board.pieces = new Map(this.pieces);
    board.marks = new Map(this.marks);
    board.marked = this.marked;
    board.tracks = new Map(this.tracks);
    board.counts = new Map(this.counts);
    board.phase = this.phase;
    board.awaits = this.awaits;
    board.spans = this.spans;
    board.seq = this.seq;
    return board;
  }

  /** @param {any[]} effect */
  apply(effect) {
    const [tag, a, b, c, d] = effect;
    switch (tag) {
      case "put":
        if (!(a instanceof Seal)) this.pieces.set(a, { place: b, face: c, owner: d });
        within(this.pieces.size, BOARD_PIECES_MAX, "pieces");
        break;
      case "move": {
        const piece = this.pieces.get(a);
        if (piece && b.length) this.pieces.set(a, { ...piece, place: b[b.length - 1] });
        break;
      }
      case "flip": {
        const piece = this.pieces.get(a);
        if (piece) this.pieces.set(a, { ...piece, face: b });
        break;
      }
      case "take": {
        const piece = this.pieces.get(a);
        this.pieces.delete(a);
        if (b && piece) this.pieces.set(a, { ...piece, place: b });
        this.marked -= this.marks.get(a)?.size ?? 0;
        this.marks.delete(a);
        break;
      }
      case "mark": {
        const before = this.marks.get(a);
        const marks = new Map(before ?? []);
        if (c === 0) marks.delete(b);
        else marks.set(b, c);
        this.marked += marks.size - (before?.size ?? 0);
        within(this.marked, BOARD_MARKS_MAX, "markers");
        if (marks.size) this.marks.set(a, marks);
        else this.marks.delete(a);
        break;
      }
      case "track":
        this.tracks.set(a, b);
        within(this.tracks.size, BOARD_TRACKS_MAX, "tracks");
        break;
      case "count":
        this.counts.set(a, b);
        within(this.counts.size, BOARD_TRACKS_MAX, "counts of boxes");
        break;
      case "phase":
        this.phase = { key: a, args: b, rule: "" };
        break;
      case "await":
        this.awaits = a;
        break;
      case "open":
        this.spans = [...this.spans, { span: a, key: b, args: c }];
        within(this.spans.length, SPANS_OPEN_MAX, "open spans");
        break;
      case "close": {
        for (let i = this.spans.length - 1; i >= 0; i--) {
          if (this.spans[i].span === a) {
            this.spans = this.spans.slice(0, i);
            break;
          }
        }
        break;
      }
      default: // what a later release may have added is skipped
    }
  }
}

export const KEPT_EVERY = 64;
/** A record counts once more for each of this many effects. */
const WEIGHED = 64;
/** Boards looked at last, kept since the next is often beside them. */
const LOOKED = 4;

/** @typedef {{before: number, effects: any[][], depth: number, anchor: number}} Node */

/**
 * Every board, record by record. Takebacks make the records a tree; a board is kept for a record with which a stretch of KEPT_EVERY begins,
 * once half as many lie beneath it (`BoardHistory` in protocol/board/effects.py does the same, and says why). Boards handed out do not change.
 */
export class History {
  constructor() {
    /** the record that made the board after each record @type {number[]} */
    this.nodes = [];
    /** @type {Map<number, Node>} */
    this.tree = new Map();
    /** @type {Map<number, Board>} */
    this.kept = new Map();
    /** @type {Map<number, Board>} */
    this.looked = new Map();
    this.board = new Board();
    this.shown = false;
  }

  get now() {
    this.shown = true;
    return this.board;
  }

  get last() {
    return this.nodes.length - 1;
  }

  /** The board after a record. @param {number} seq */
  at(seq) {
    const node = this.nodes[seq];
    if (node === undefined) return new Board();
    return node === this.nodes[this.last] ? this.now : this.#look(node);
  }

  /** @param {number} seq the next record @param {any[][]} effects */
  fold(seq, effects) {
    if (seq !== this.nodes.length) throw new Error(`record ${seq} does not follow record ${this.last}`);
    let before = this.nodes[this.last] ?? -1;
    if (!effects.length && before >= 0) {
      this.nodes.push(before);
      return;
    }
    // What stood before a rewind is gone with it.
    const back = effects.findLastIndex(([tag]) => tag === "rewind");
    let own = effects;
    if (back >= 0) {
      const to = this.nodes[effects[back][1]];
      if (to === undefined) throw new Error(`record ${seq} goes back to a record that is not there`);
      [before, own] = [to, effects.slice(back + 1)];
      [this.board, this.shown] = [this.#look(before), true];
    }
    if (this.shown) [this.board, this.shown] = [this.board.copy(), false];
    apply(this.board, seq, own);
    this.nodes.push(seq);
    this.#keep(seq, before, own);
  }

  /** @param {number} seq @param {number} before @param {any[][]} effects */
  #keep(seq, before, effects) {
    const above = this.tree.get(before) ?? { depth: -1, anchor: seq };
    const depth = above.depth + 1 + (above.depth < 0 ? 0 : Math.floor(effects.length / WEIGHED));
    const begins = Math.floor(depth / KEPT_EVERY) > Math.floor(above.depth / KEPT_EVERY);
    const anchor = begins ? seq : above.anchor;
    this.tree.set(seq, { before, effects, depth, anchor });
    if (!this.kept.has(anchor) && depth >= (this.tree.get(anchor)?.depth ?? 0) + KEPT_EVERY / 2)
      this.kept.set(anchor, this.#folded(anchor));
  }

  /** @param {number} node */
  #look(node) {
    const found = this.looked.get(node) ?? this.#folded(node);
    this.looked.delete(node);
    this.looked.set(node, found);
    for (const oldest of this.looked.keys()) {
      if (this.looked.size <= LOOKED) break;
      this.looked.delete(oldest);
    }
    return found;
  }

  /** @param {number} node */
  #folded(node) {
    const way = [];
    let at = node;
    for (; at >= 0 && !this.kept.has(at) && !this.looked.has(at); at = /** @type {Node} */ (this.tree.get(at)).before)
      way.push(at);
    const board = (this.kept.get(at) ?? this.looked.get(at) ?? new Board()).copy();
    for (const seq of way.reverse()) apply(board, seq, /** @type {Node} */ (this.tree.get(seq)).effects);
    return board;
  }
}

/** @param {Board} board @param {number} seq @param {any[][]} effects */
function apply(board, seq, effects) {
  for (const effect of effects) board.apply(effect);
  board.seq = seq;
}
