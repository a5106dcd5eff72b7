// @ts-check
/** What is on offer, lit on the board. */

import { s, show } from "../ui/dom.js";

/** Light up what may be picked, and ring what has been. @param {import("./view.js").BoardView} view */
export function light(view) {
  const { offer } = view;
  /** @type {any[]} */
  const targets = [];
  view.picture.classList.toggle("offering", Boolean(offer?.picks.size));
  for (const pick of offer?.picks ?? []) {
    if (typeof pick !== "string" || !view.map.place(pick)) continue;
    const at = /** @type {any} */ (view.map.place(pick));
    const label = offer?.label(pick) ?? "";
    const tag = label && label.length <= 6 ? s("text", { class: "cost", x: at.x, y: at.y + 5, text: label }) : null;
    targets.push(s("g", { class: "target", "data-place": pick }, s("path", { d: view.map.shape(pick) }), tag));
  }
  // What is being dragged is still over the same place.
  const under = view.targets.find((target) => target.classList.contains("under"))?.getAttribute("data-place");
  for (const target of targets) target.classList.toggle("under", target.getAttribute("data-place") === under);
  // A sea ends at the coast, for the eye and for the pointer: what is lit of it lies below the land.
  const { lit } = view.map;
  const isSea = (/** @type {Element} */ target) => {
    const place = view.map.place(target.getAttribute("data-place") ?? "");
    return lit !== null && place !== null && "look" in place && place.look === "sea";
  };
  show(
    view.layers.targets,
    targets.filter((target) => !isSea(target)),
  );
  if (lit) show(lit, targets.filter(isSea));
  view.targets = targets;
  view.onNews();
  // Counters cover the hex they lie in: where one may go among them is ringed above them.
  const taken =
    view.map.kind === "hex"
      ? [...(offer?.picks ?? [])].filter(
          (pick) => typeof pick === "string" && view.map.place(pick) && view.stacks.has(pick),
        )
      : [];
  view.layers.rings.setAttribute("d", taken.length ? view.map.area(/** @type {string[]} */ (taken)) : "");
  for (const [id, { element }] of view.pieces) {
    element.classList.toggle("on-offer", Boolean(offer?.picks.has(id)));
    element.classList.toggle("picked", view.picked.has(id));
  }
}
