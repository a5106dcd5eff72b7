// @ts-check
/** Who holds which places of the map: flags, or a tint where they are many. */

import { s, show } from "../ui/dom.js";
import { word } from "./counters.js";
import { R } from "./hexes.js";

/** @typedef {import("./hexes.js").HexMap | import("./areas.js").AreaMap} BoardMap */

/** Who holds what: a few places are flagged, a whole map is tinted. @param {import("./view.js").BoardView} view @param {import("../records/effects.js").Board} board */
export function drawControl(view, board) {
  /** @type {Map<string, string[]>} */
  const held = new Map();
  let places = 0;
  for (const [target, marks] of board.marks) {
    if (!view.map.place(target)) continue;
    for (const [marker, value] of marks) {
      const match = /^control[._](.+)$/.exec(marker);
      if (match && value) {
        held.set(match[1], [...(held.get(match[1]) ?? []), target]);
        places++;
      }
    }
  }
  const start = startControl(view.map);
  if (start.size) {
    // Marks say what has changed hands since the start.
    for (const [side, ids] of held) for (const id of ids) start.set(id, side);
    held.clear();
    for (const [id, side] of start) held.set(side, [...(held.get(side) ?? []), id]);
    places = start.size;
  }
  const key = JSON.stringify([...held]);
  if (key === view.controlKey) return;
  view.controlKey = key;
  const tint = view.map.kind === "hex" && places > 80;
  show(
    view.layers.control,
    [...held].flatMap(([side, ids]) => {
      if (tint) return [s("path", { class: `held side-${word(side)}`, d: view.map.area(ids) })];
      return ids.map((id) => {
        const at = /** @type {any} */ (view.map.place(id));
        const [x, y] = view.map.kind === "hex" ? [at.x + R * 0.42, at.y - R * 0.5] : [at.label[0], at.label[1] + 62];
        const size = view.map.kind === "hex" ? 1 : 1.25;
        return s(
          "g",
          { class: `flag side-${word(side)}`, transform: `translate(${x},${y}) scale(${size})` },
          s("path", { class: "pole", d: "M-8,12V-12" }),
          s("path", { class: "cloth", d: "M-8,-12H12L7,-5L12,2H-8Z" }),
          s("title", { text: view.spoken.name(`control_${side}`) }),
        );
      });
    }),
  );
}

/** Who controls which hex at the start, where the description says so. @param {BoardMap} map @returns {Map<string, string>} */
function startControl(map) {
  const found = new Map();
  for (const area of map.told?.areas ?? []) {
    if (area.kind === "control") for (const n of area.places) found.set(map.told.places[n].id, area.side);
  }
  return found;
}
