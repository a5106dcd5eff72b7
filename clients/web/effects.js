// @ts-check
/**
 * The board as a fold of effects (the vocabulary stands in protocol/README.md). Boards are persistent: a record that changes something
 * makes a new one that shares the rest, so stepping to any record is a look-up.
 */

import { Seal } from "./canon.js";

/** @typedef {{place: string, face: any, owner: string}} Piece */
/** @typedef {{key: string, args: [string, any][], rule: string}} Say */

export class Board {
  constructor() {
    /** @type {Map<string, Piece>} */
    this.pieces = new Map();
    /** target -> marker -> value @type {Map<string, Map<string, number>>} */
    this.marks = new Map();
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
        this.marks.delete(a);
        break;
      }
      case "mark": {
        const marks = new Map(this.marks.get(a) ?? []);
        if (c === 0) marks.delete(b);
        else marks.set(b, c);
        if (marks.size) this.marks.set(a, marks);
        else this.marks.delete(a);
        break;
      }
      case "track": this.tracks.set(a, b); break;
      case "count": this.counts.set(a, b); break;
      case "phase": this.phase = { key: a, args: b, rule: "" }; break;
      case "await": this.awaits = a; break;
      case "open": this.spans = [...this.spans, { span: a, key: b, args: c }]; break;
      case "close": {
        for (let i = this.spans.length - 1; i >= 0; i--) {
          if (this.spans[i].span === a) { this.spans = this.spans.slice(0, i); break; }
        }
        break;
      }
      default: // what a later release may add is skipped
    }
  }
}

export class History {
  constructor() {
    /** the board after each record @type {Board[]} */
    this.boards = [];
  }

  get now() {
    return this.boards[this.boards.length - 1] ?? new Board();
  }

  /** @param {number} seq @param {any[][]} effects */
  fold(seq, effects) {
    let board = this.now;
    if (effects.length) {
      board = board.copy();
      for (const effect of effects) {
        if (effect[0] === "rewind") board = this.boards[effect[1]].copy();
        else board.apply(effect);
      }
      board.seq = seq;
    }
    this.boards[seq] = board;
    return board;
  }
}
