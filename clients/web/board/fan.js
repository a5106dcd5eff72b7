// @ts-check
/** A stack that is laid open, and its counters laid on their spots. */

import { s } from "../ui/dom.js";
import { spread } from "./stacks.js";

/** Lay a stack open, its top first. @param {import("./view.js").BoardView} view @param {string | null} place @param {string | null} by the counter that is pointed at, which stays under the pointer */
export function fan(view, place, by) {
  if (view.fanned === place) return;
  view.pointer.opener = null;
  const { board } = view;
  if (view.fanned && board) {
    const ids = view.stacks.get(view.fanned);
    const old = view.fanned;
    view.fanned = null;
    if (ids) {
      for (const id of ids) {
        const element = view.pieces.get(id)?.element;
        element?.classList.remove("fanned");
        element?.querySelector(":scope > .fan-order")?.remove();
      }
      for (const id of ids) {
        const known = view.pieces.get(id);
        if (known) known.x = NaN;
      }
      view.stack(old, ids, board);
    }
  }
  const ids = place ? view.stacks.get(place) : undefined;
  if (!place || !ids || ids.length < 2 || view.map.kind !== "hex") return;
  view.fanned = place;
  view.picture.classList.add("glide");
  const at = /** @type {any} */ (view.map.place(place));
  const pointed = by !== null && ids.includes(by) ? view.pieces.get(by) : undefined;
  const kept = pointed
    ? { x: pointed.x, y: pointed.y, i: ids.length - 1 - ids.indexOf(/** @type {string} */ (by)) }
    : null;
  const { spots, scale, box } = spread(view, at, ids.length, kept);
  const { w, h: height } = view.map.counter;
  view.fanBox = box;
  ids.forEach((id, n) => {
    const i = ids.length - 1 - n;
    const known = view.pieces.get(id);
    if (!known) return;
    known.element.classList.add("fanned");
    lay(known, spots[i].x, spots[i].y, scale);
    known.element.append(
      s(
        "g",
        { class: "fan-order", transform: `translate(${w / 2 - 4},${-height / 2 + 1})` },
        s("circle", { r: 7 }),
        s("text", { y: 3.4, text: String(i + 1) }),
      ),
    );
  });
  if (view.layers.pieces.lastElementChild !== view.pieces.get(ids[ids.length - 1])?.element) {
    for (const id of ids) view.raise(/** @type {import("./view.js").Counter} */ (view.pieces.get(id)));
  }
}

/** Lay a counter on a spot of the map. @param {{element: SVGGElement, x: number, y: number, scale: number}} known @param {number} x @param {number} y @param {number} scale */
export function lay(known, x, y, scale) {
  Object.assign(known, { x, y, scale });
  known.element.style.transform = `translate(${x}px, ${y}px)${scale === 1 ? "" : ` scale(${scale})`}`;
}
