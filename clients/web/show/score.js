// @ts-check
/** The score of a game, by its description's `scoring`: what each side has on a board, as `tallied` of protocol/board/description.py counts it. */

/** @typedef {{side: string, points: number, wins: number | null}} Reached */

/** Who controls places: what the marks say, else the areas of the start. */
export class Control {
  /** @param {import("../protocol.d.ts").Description} told the description */
  constructor(told) {
    this.told = told;
    /** @type {Map<number, string>} */
    this.start = new Map();
    for (const area of told.areas)
      if (area.kind === "control") for (const n of area.places) this.start.set(n, area.side);
  }

  /** @param {(id: string, marker: string) => any} marked @param {number} n @param {string} side */
  holds(marked, n, side) {
    const { id } = this.told.places[n];
    const by = this.told.sides.filter((one) => marked(id, `control.${one}`));
    return by.length ? by.includes(side) : this.start.get(n) === side;
  }
}

/**
 * @param {import("../protocol.d.ts").Description} told the description @param {Control} control @param {Map<string, any>} tracks @param {(id: string, marker: string) => any} marked
 * @returns {Reached[]}
 */
export function tallied(told, control, tracks, marked) {
  /** @type {Map<string, Reached>} */
  const found = new Map();
  for (const { side, track, sign, places, lacking, wins } of told.scoring?.tallies ?? []) {
    const value = track ? (tracks.get(track) ?? 0) : 0;
    let points = Number.isInteger(value) ? Math.max(0, sign * value) : 0;
    for (const [n, worth] of places) if (control.holds(marked, n, side)) points += worth;
    for (const [n, worth] of lacking) if (!control.holds(marked, n, side)) points += worth;
    const one = found.get(side) ?? { side, points: 0, wins };
    one.points += points;
    found.set(side, one);
  }
  return [...found.values()];
}

/** What the first side of a score is ahead by. @param {Reached[]} reached */
export const lead = (reached) => (reached[0]?.points ?? 0) - (reached[1]?.points ?? 0);

/** The score after each record at which it changed, kept up as records come. */
export class Curve {
  /** @param {import("../protocol.d.ts").Description} told the description */
  constructor(told) {
    this.told = told;
    this.control = new Control(told);
    /** @type {[number, number][]} record, and the lead of the first side */
    this.points = [];
    this.drawn = 0;
    /** @type {Map<string, any>} */
    this.tracks = new Map();
    /** @type {Map<string, any>} */
    this.marks = new Map();
  }

  /** Read what is new. @param {import("../link/watch.js").Watch} watch @returns {boolean} whether the score changed */
  extend(watch) {
    if (!this.told.scoring?.tallies.length) return false;
    let changed = false;
    for (; this.drawn < watch.records.length; this.drawn++) {
      const { effects, seq } = watch.records[this.drawn];
      let counts = false;
      for (const [tag, a, b, c] of effects) {
        if (tag === "track") {
          this.tracks.set(a, b);
          counts = true;
        } else if (tag === "mark" && typeof b === "string" && b.startsWith("control.")) {
          this.marks.set(`${a} ${b}`, c);
          counts = true;
        } else if (tag === "rewind") {
          this.#reread(watch.boardAt(seq));
          counts = true;
        }
      }
      if (!counts) continue;
      const now = lead(
        tallied(this.told, this.control, this.tracks, (id, marker) => this.marks.get(`${id} ${marker}`)),
      );
      if (this.points.length && this.points[this.points.length - 1][1] === now) continue;
      this.points.push([seq, now]);
      changed = true;
    }
    return changed;
  }

  /** @param {import("../records/effects.js").Board} board */
  #reread(board) {
    this.tracks = new Map(board.tracks);
    this.marks.clear();
    for (const [id, marks] of board.marks)
      for (const [marker, value] of marks) if (marker.startsWith("control.")) this.marks.set(`${id} ${marker}`, value);
  }
}

/** A number with a sign that is as wide as a digit. @param {number} n */
export const plain = (n) => (n < 0 ? `−${-n}` : String(n));
