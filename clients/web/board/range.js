// @ts-check
/** How far an HQ's command reaches. */

import { HexMap, R } from "./hexes.js";

/** Ranges beyond this are tinted without their hexes being drawn: aircraft reach most of a map. */
const FAR = 8;

/** The reach of an HQ's command. @param {import("./view.js").BoardView} view @param {string | null} id */
export function drawRange(view, id) {
  const known = id ? view.pieces.get(id) : undefined;
  const piece = id ? view.board?.pieces.get(id) : undefined;
  const range = id && piece ? view.counters.print(id, piece.face, piece.owner).range : 0;
  if (!known || !range || !(view.map instanceof HexMap)) {
    view.layers.range.setAttribute("d", "");
    return;
  }
  const from = /** @type {any} */ (view.map.place(known.place));
  const reach = range * Math.sqrt(3) * R + R * 0.4;
  const map = view.map;
  view.layers.range.classList.toggle("far", range > FAR);
  view.layers.range.setAttribute(
    "d",
    map.area(
      [...map.hexes.values()]
        .filter((hex) => hexDistance(map, from, hex) <= range && Math.hypot(hex.x - from.x, hex.y - from.y) <= reach)
        .map((hex) => hex.id),
    ),
  );
}

/** @param {HexMap} map @param {any} a @param {any} b */
function hexDistance(map, a, b) {
  // Centres lie on a regular grid, so steps follow from distances in the plane and need no parity at all.
  const dx = Math.abs(a.x - b.x);
  const dy = Math.abs(a.y - b.y);
  const [along, across] = map.flat
    ? [dx / (1.5 * R), dy / (Math.sqrt(3) * R)]
    : [dy / (1.5 * R), dx / (Math.sqrt(3) * R)];
  return Math.round(along + Math.max(0, across - along / 2));
}
