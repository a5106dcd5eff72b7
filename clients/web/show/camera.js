// @ts-check
/** The camera: it frames what a beat of the show is about, and leaves the map alone while somebody moves it themselves. */

import { calm } from "../ui/dom.js";

/** How large a scene may be shown, and how much of the map around it is shown too, in the map's units. */
const NEAREST = 1.05;
const AROUND = 95;

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

/**
 * The places that effects are about: where something moves, or is put, and which the sentences name; if there are none, where the pieces lie
 * that are told of, turned or taken.
 * @param {any[][]} effects @param {import("../records/effects.js").Board} before the board on which they happen @param {(id: string) => boolean} known whether an id is a place of the map
 */
export function placesOf(effects, before, known) {
  /** @type {Set<string>} */
  const places = new Set();
  /** where those lie that are told of @type {Set<string>} */
  const about = new Set();
  const add = (/** @type {any} */ id) => {
    if (typeof id !== "string") return;
    const place = known(id) ? id : before.pieces.get(id)?.place;
    if (typeof place === "string" && known(place)) (known(id) ? places : about).add(place);
  };
  const named = (/** @type {any} */ value) => (Array.isArray(value) ? value.forEach(named) : add(value));
  for (const [tag, a, b, c] of effects) {
    if (tag === "move") {
      add(before.pieces.get(a)?.place);
      named(b);
    } else if (tag === "put") {
      if (b !== "in_hand") add(b);
    } else if (tag === "take" || tag === "flip") add(a);
    else if (tag === "say" || tag === "open") for (const [, value] of (tag === "say" ? b : c) ?? []) named(value);
  }
  // Aircraft are told of where they fly, not where their base is.
  return places.size ? places : about;
}

export class Camera {
  /** @param {import("../board/view.js").BoardView} board @param {string} game @param {boolean} follow whether it follows from the start @param {boolean} [near] whether it goes nearer, for those who look at a screen from afar */
  constructor(board, game, follow, near = false) {
    this.board = board;
    this.near = near;
    this.key = `warledger.view.${game}`;
    this.follow = follow;
    /** whether somebody has moved the map themselves, and not asked to be led again */
    this.byHand = false;
    /** told when it begins or stops following @type {() => void} */
    this.changed = () => {};
    board.stage.onHand = () => this.#taken();
    this.leave = () => this.#keep();
    addEventListener("pagehide", this.leave);
  }

  /** Somebody moves the map: it is theirs until they ask to be led again. */
  #taken() {
    this.byHand = true;
    if (this.follow) this.setFollow(false);
  }

  /** @param {boolean} follow */
  setFollow(follow) {
    if (follow === this.follow) return;
    this.follow = follow;
    if (follow) this.byHand = false;
    this.changed();
  }

  /** The map as it was when the page was left, or filling its frame around where the pieces are. */
  begin() {
    const kept = this.#kept();
    if (kept) {
      this.byHand = true;
      this.follow = false;
      this.board.stage.restore(kept);
      this.changed();
    } else this.board.stage.fill(this.#heart());
  }

  /** The middle of the pieces on the map. */
  #heart() {
    const { map, stacks } = this.board;
    const at = [...stacks.keys()].map((place) => map.place(place)).filter(Boolean);
    if (!at.length) return { x: map.width / 2, y: map.height / 2 };
    const middle = (/** @type {"x" | "y"} */ axis) => {
      const all = at
        .map((/** @type {any} */ one) => one[axis])
        .sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
      return all[all.length >> 1];
    };
    return { x: middle("x"), y: middle("y") };
  }

  /** @returns {{x: number, y: number, scale: number} | null} */
  #kept() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.key) ?? "null");
      return kept && [kept.x, kept.y, kept.scale].every(Number.isFinite) ? kept : null;
    } catch {
      return null;
    }
  }

  #keep() {
    if (this.byHand) sessionStorage.setItem(this.key, JSON.stringify(this.board.stage.place));
    else sessionStorage.removeItem(this.key);
  }

  /** Frame these places, if it follows. @param {Iterable<string>} places */
  frame(places) {
    if (!this.follow) return;
    const box = boxOf(this.board, places);
    if (!box) this.board.stage.settle(!calm());
    else
      this.board.stage.show(
        box,
        (this.board.map.kind === "hex" ? NEAREST : NEAREST * 0.9) * (this.near ? 1.2 : 1),
        !calm(),
        this.near ? 0.85 : undefined,
      );
  }

  dispose() {
    this.#keep();
    removeEventListener("pagehide", this.leave);
  }
}

/** What places cover on the map with a margin, or null for none. @param {import("../board/view.js").BoardView} board @param {Iterable<string>} places @param {number} [around] @returns {Box | null} */
export function boxOf(board, places, around = AROUND) {
  /** @type {Box | null} */
  let box = null;
  for (const id of places) {
    const at = /** @type {any} */ (board.map.place(id));
    if (!at) continue;
    const [left, top, wide, high] = at.box ?? (at.berths ? at.berths[0] : [at.x, at.y, 0, 0]);
    const one = { left, top, right: left + wide, bottom: top + high };
    box = box
      ? {
          left: Math.min(box.left, one.left),
          top: Math.min(box.top, one.top),
          right: Math.max(box.right, one.right),
          bottom: Math.max(box.bottom, one.bottom),
        }
      : one;
  }
  return (
    box && { left: box.left - around, top: box.top - around, right: box.right + around, bottom: box.bottom + around }
  );
}
