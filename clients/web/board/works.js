// @ts-check
/** Works and supply: what is marked on hexes besides control. */

import { s } from "../ui/dom.js";
import { word } from "./counters.js";
import { R } from "./hexes.js";

/** What is told of works and supply on a hex: the kind of marker, and the sign for it. @type {Map<string, string>} */
const WORKS = new Map([
  ["hedgehog", "H"],
  ["base", "✈"],
  ["supply", ""],
  ["dump", "■"],
  ["trucks", "T"],
  ["wagons", "W"],
  ["organic", "t"],
  ["extender", "▸"],
  ["trainbusting", "✕"],
  ["marker", ""],
  ["zone", "Z"],
  ["attacked", ""],
  ["barraged", ""],
]);

/**
 * What is drawn of them, and what tells one drawing from another.
 * @param {import("../records/effects.js").Board} board @param {import("./hexes.js").HexMap | import("./areas.js").AreaMap} map @param {import("../words/phrases.js").Phrases} spoken
 * @returns {{keys: string[], drawn: Element[]}}
 */
export function worksOf(board, map, spoken) {
  /** @type {any[]} */
  const drawn = [];
  const keys = [];
  for (const [target, marks] of board.marks) {
    const at = map.place(target);
    if (!at) continue;
    let x = -26;
    for (const [marker, value] of marks) {
      const [kind, side = ""] = marker.split(".");
      if (!WORKS.has(kind)) continue;
      keys.push(`${target} ${marker} ${value}`);
      const title = s("title", { text: spoken.mark(marker, value) });
      if (kind === "hedgehog") {
        drawn.push(s("circle", { class: `works-ring side-${word(side)}`, cx: at.x, cy: at.y, r: R * 0.8 }, title));
      }
      if (kind === "attacked" || kind === "barraged") {
        drawn.push(s("circle", { class: "strike", cx: at.x, cy: at.y, r: R * 0.9 }, title));
        continue;
      }
      // A marker of the game's own goes by the end of its name: "marker.front.2uf" is 2UF.
      const text =
        kind === "marker"
          ? (marker.split(".").at(-1) ?? "").slice(0, 3).toUpperCase()
          : kind === "supply" && typeof value === "number"
            ? `${Math.floor(value / 4)}·${value % 4}`
            : `${WORKS.get(kind)}${typeof value === "number" && value > 1 ? value : ""}`;
      drawn.push(
        s(
          "g",
          {
            class: `work side-${(kind !== "marker" && word(side)) || "none"}`,
            transform: `translate(${at.x + x},${at.y + R * 0.86})`,
          },
          s("rect", { x: -9, y: -7, width: 18, height: 12, rx: 2 }),
          s("text", { y: 2.5, text }),
          title,
        ),
      );
      x += 19;
    }
  }
  return { keys, drawn };
}
