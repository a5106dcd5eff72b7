// @ts-check
/** Where counters lie in their hex or area, which of them on top, and where those of a stack that is laid open lie. */

import { R } from "./hexes.js";

/** @typedef {import("./view.js").BoardView} BoardView */
/** @typedef {import("./counters.js").Counters} Counters */
/** @typedef {import("../records/effects.js").Board} Board */

/** How wide a counter of a stack that is laid open is at least, on the screen. */
const LEGIBLE_PX = 40;

/**
 * Counters without a zone of control lie below those that have one, aircraft that cannot fly below those that can: what holds a hex is seen.
 * @param {Counters} counters @param {string[]} ids from the bottom @param {Board} board
 */
export function pile(counters, ids, board) {
  if (ids.length < 2) return;
  const height = (/** @type {string} */ id) =>
    counters.pieces.get(id)?.zone ? 2 : board.pieces.get(id)?.face === "inactive" ? 0 : 1;
  ids.sort((a, b) => height(a) - height(b));
}

/**
 * Where the counters of a place lie. In an area they are sorted as they are laid out.
 * @param {BoardView["map"]} map @param {Counters} counters @param {string} place @param {string[]} ids @param {Board} board
 */
export function spotsOf(map, counters, place, ids, board) {
  const at = /** @type {any} */ (map.place(place));
  if (map.kind === "hex") {
    const step = Math.min(4.5, 13 / Math.max(1, ids.length - 1));
    return ids.map((_, i) => ({
      x: at.x + (i - (ids.length - 1) / 2) * step,
      y: at.y - (i - (ids.length - 1) / 2) * step,
      scale: 1,
    }));
  }
  const { w, h: height } = map.counter;
  const rank = (/** @type {string} */ id) => counters.order.get(id) ?? counters.order.size;
  const order = new Map([...ids].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).map((id, i) => [id, i]));
  ids.sort((a, b) => /** @type {number} */ (order.get(a)) - /** @type {number} */ (order.get(b)));
  /** @type {Map<string, {x: number, y: number, scale: number}>} */
  const spots = new Map();
  const owners = [...new Set([...board.pieces.values()].map((piece) => piece.owner))].filter(Boolean).sort();
  /** @param {string[]} group @param {number[]} berth @param {number} align */
  const lay = (group, [x, y, bw, bh], align) => {
    let scale = 1;
    let columns = 1;
    for (; scale > 0.5; scale -= 0.06) {
      columns = Math.max(1, Math.floor(bw / ((w + 5) * scale)));
      if (Math.ceil(group.length / columns) * (height + 5) * scale <= bh + 4) break;
    }
    const rows = Math.ceil(group.length / columns);
    const used = Math.min(columns, group.length);
    const dy = Math.min((height + 5) * scale, bh / Math.max(1, rows));
    const dx = Math.min((w + 5) * scale, bw / Math.max(1, used));
    const left = x + (bw - used * dx) * align;
    group.forEach((id, i) =>
      spots.set(id, {
        x: left + (i % columns) * dx + dx / 2,
        y: y + ((bh - rows * dy) / 2) * (align === 0.5 ? 1 : 0) + Math.floor(i / columns) * dy + dy / 2,
        scale,
      }),
    );
  };
  /** @type {string[][]} */
  const groups = owners
    .map((owner) => ids.filter((id) => (board.pieces.get(id)?.owner ?? owners[0]) === owner))
    .filter((group) => group.length);
  const rest = ids.filter((id) => !groups.some((group) => group.includes(id)));
  if (rest.length) groups.push(rest);
  const [first, second] = at.berths;
  if (groups.length === 1) {
    const owner = board.pieces.get(groups[0][0])?.owner;
    const berth = second && owners.indexOf(owner ?? "") === 1 ? second : first;
    lay(groups[0], berth, at.look === "sea" ? 0.5 : 0);
  } else if (second) groups.forEach((group, i) => lay(group, at.berths[Math.min(i, 1)], 0.5));
  else {
    const [x, y, bw, bh] = first;
    const total = groups.reduce((sum, group) => sum + Math.ceil(group.length), 0);
    let top = y;
    groups.forEach((group) => {
      const part = Math.max(bh * (group.length / total), bh * 0.22);
      const share = Math.min(part, y + bh - top);
      lay(group, [x, top, bw, share - 6], at.look === "sea" ? 0.5 : 0);
      top += share;
    });
  }
  return ids.map((id) => spots.get(id) ?? { x: at.x, y: at.y, scale: 1 });
}

/**
 * Where the counters of a stack that is laid open lie, from its top: large enough to be read, in rows that fit into what is in sight.
 * @param {BoardView} view @param {{x: number, y: number}} at @param {number} count @param {{x: number, y: number, i: number} | null} kept which of them is to stay where it lies, if there is room
 */
export function spread({ map, stage, frame }, at, count, kept) {
  const { w, h: height } = map.counter;
  const scale = Math.min(4, Math.max(1, LEGIBLE_PX / (w * stage.scale)));
  const [dx, dy] = [(w + 3) * scale, (height + 9) * scale];
  // On a phone what is told of the stack covers the lower part.
  const wide = frame.clientWidth / stage.scale;
  const high = (frame.clientHeight / stage.scale) * (frame.clientWidth < 700 ? 0.46 : 1);
  const columns = Math.min(count, Math.max(1, Math.floor(wide / dx)));
  const rows = Math.ceil(count / columns);
  const within = (
    /** @type {number} */ middle,
    /** @type {number} */ from,
    /** @type {number} */ size,
    /** @type {number} */ half,
  ) => (size < 2 * half ? from + size / 2 : Math.min(from + size - half, Math.max(from + half, middle)));
  const across = (/** @type {number} */ i) => ((i % columns) - (columns - 1) / 2) * dx;
  const down = (/** @type {number} */ i) => (Math.floor(i / columns) - (rows - 1) / 2) * dy;
  const x = within(kept ? kept.x - across(kept.i) : at.x, -stage.x / stage.scale, wide, (columns * dx) / 2);
  const y = within(kept ? kept.y - down(kept.i) : at.y - 6, -stage.y / stage.scale, high, (rows * dy) / 2);
  const box = {
    left: Math.min(at.x - R, x - (columns * dx) / 2 - 20),
    right: Math.max(at.x + R, x + (columns * dx) / 2 + 20),
    top: Math.min(at.y - R, y - (rows * dy) / 2 - 30),
    bottom: Math.max(at.y + R, y + (rows * dy) / 2 + 30),
  };
  const spots = Array.from({ length: count }, (_, i) => ({ x: x + across(i), y: y + down(i) }));
  return { spots, scale, box };
}
