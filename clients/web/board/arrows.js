// @ts-check
/** What is drawn over the map for a moment: where pieces went and where a combat is, where what is picked would go, and by which ways supply comes. */

import { s, show } from "../ui/dom.js";
import { word } from "./counters.js";
import { R } from "./hexes.js";

/** @typedef {import("./view.js").BoardView} BoardView */

/** A line through points, with a head. @param {string} look @param {any[]} points */
const arrow = (look, points) =>
  s("path", {
    class: look,
    d: `M${points.map(({ x, y }) => `${x},${y}`).join("L")}`,
    "marker-end": "url(#arrow-head)",
  });

/**
 * Where what is picked would go, and what it would attack.
 * @param {BoardView} view @param {string[][]} ways each the places or pieces one after the other @param {string} target a place or piece that is ringed; "" for none
 */
export function planned(view, ways, target) {
  const at = (/** @type {string} */ id) => /** @type {any} */ (view.map.place(id) ?? view.pieces.get(id));
  const lines = ways.map((way) => way.map(at).filter(Boolean)).filter((points) => points.length > 1);
  const aim = target ? at(target) : null;
  show(
    view.layers.plan,
    lines.map((points) => arrow("planned", points)),
    aim
      ? s("circle", {
          class: "planned-target",
          cx: aim.x,
          cy: aim.y,
          r: view.map.kind === "hex" ? view.clashRadius : view.clashRadius / 2,
        })
      : null,
  );
}

/**
 * By which ways supply comes, and into which places it can.
 * @param {BoardView} view @param {string[][]} ways each the places one after the other; one place alone has it at hand @param {string[]} reached
 */
export function supplied(view, ways, reached) {
  view.layers.reached.setAttribute("d", reached.length ? view.map.area(reached) : "");
  const lines = ways
    .map((way) => way.map((place) => /** @type {any} */ (view.map.place(place))).filter(Boolean))
    .filter((points) => points.length);
  show(
    view.layers.supply,
    lines.map((points) => {
      if (points.length === 1)
        return s("circle", { class: "supply-here", cx: points[0].x, cy: points[0].y, r: R * 0.72 });
      return arrow("supply-way", points);
    }),
  );
}

/**
 * Arrows of moves, a ring where a combat is.
 * @param {BoardView} view @param {any[][]} effects @param {boolean} lively whether pieces go their ways @param {import("../records/effects.js").Board | null} before the board on which they happen
 */
export function happened(view, effects, lively, before) {
  /** @type {any[]} */
  const drawn = [];
  /** @type {Set<string>} */
  const lines = new Set();
  /** @type {Map<any, any>} where what has moved already was left */
  const was = new Map();
  // Where several are declared one after the other, the last is the one that is fought.
  /** @type {any} */
  let clash = null;
  for (const [tag, a, b, c] of effects) {
    if (tag === "move") {
      // A way need not name where it begins.
      const from = was.get(a) ?? before?.pieces.get(a)?.place;
      was.set(a, b[b.length - 1]);
      const way = typeof from === "string" && from !== b[0] ? [from, ...b] : b;
      const points = way.map((/** @type {any} */ place) => view.map.place(place)).filter(Boolean);
      const known = view.pieces.get(a);
      if (points.length > 1) {
        const made = arrow(`arrow side-${word(view.board?.pieces.get(a)?.owner ?? "")}`, points);
        const d = made.getAttribute("d");
        if (!lines.has(d)) drawn.push(made);
        lines.add(d);
        if (lively && known) {
          known.element.animate(
            points.map((/** @type {any} */ point, /** @type {number} */ i) => ({
              transform: `translate(${i === points.length - 1 ? known.x : point.x}px, ${i === points.length - 1 ? known.y : point.y}px)`,
            })),
            { duration: Math.min(1200, 180 * points.length + 200), easing: "ease-in-out" },
          );
        }
      }
    } else if (tag === "open" && b) {
      for (const [name, value] of c ?? []) {
        const at =
          (name === "hex" || name === "place") && typeof value === "string"
            ? /** @type {any} */ (view.map.place(value))
            : null;
        if (at) clash = at;
      }
    }
  }
  if (clash)
    drawn.push(
      s(
        "g",
        { class: `clash${lively ? " lively" : ""}`, transform: `translate(${clash.x},${clash.y})` },
        s("circle", { r: view.clashRadius }),
      ),
    );
  show(view.layers.arrows, drawn);
}
