// @ts-check
/** A map of named areas, or of none: the chart that the description names, where the page has it, else a grid of boxes. */

import { s } from "../ui/dom.js";
import { word } from "./counters.js";
import atlantic from "../charts/atlantic.js";

/** @type {Record<string, any>} */
const CHARTS = { atlantic };

/** @typedef {{id: string, x: number, y: number, look: string, shape: string, berths: number[][], entry: import("../protocol.d.ts").Place, box: number[] | null, label: number[] | null}} Place */

export class AreaMap {
  /** @param {import("../protocol.d.ts").Description} told a description that has been read */
  constructor(told) {
    this.told = told;
    /** @type {Map<string, Place>} */
    this.all = new Map();
    this.entries = new Map(told.places.map((place) => [place.id, place]));
    const named = Object.hasOwn(CHARTS, told.chart) ? CHARTS[told.chart] : null;
    // A chart is drawn for particular places; a pack with other places is drawn as boxes.
    const chart =
      named && told.places.every(({ id = "" }) => Object.hasOwn(named.seas, id) || Object.hasOwn(named.ports, id))
        ? named
        : null;
    this.chart = chart;
    if (chart) {
      [this.width, this.height, this.counter] = [chart.width, chart.height, chart.counter];
      for (const [id, sea] of Object.entries(chart.seas)) {
        if (this.entries.has(id))
          this.#add(id, { look: "sea", shape: sea.shape, berths: sea.berths, box: null, label: sea.label });
      }
      for (const [id, port] of Object.entries(chart.ports)) if (this.entries.has(id)) this.#add(id, boxed(port.box));
    } else {
      this.counter = { w: 70, h: 44 };
      const [w, h, gap] = [420, 300, 24];
      const { columns, rows } = told.grid ?? { columns: 1, rows: 1 };
      this.width = columns * (w + gap) + gap;
      this.height = rows * (h + gap) + gap;
      for (const {
        id,
        at: [c, r],
        terrain,
      } of told.places)
        this.#add(id, { ...boxed([gap + c * (w + gap), gap + r * (h + gap), w, h]), look: terrain || "port" });
    }
  }

  kind = "areas";

  /** where seas are lit, below the land of the chart; null where there is none @type {SVGElement | null} */
  lit = null;
  /** where the cursor is drawn while it is on a sea: below the land too @type {SVGElement | null} */
  afloat = null;

  /** @param {string} id @param {any} place */
  #add(id, place) {
    const [x, y, w, h] = place.berths[0];
    this.all.set(id, { id, x: x + w / 2, y: y + h / 2, entry: this.entries.get(id), ...place });
  }

  /** @param {string} id */
  place(id) {
    return this.all.get(id) ?? null;
  }

  get places() {
    return [...this.all.keys()];
  }

  /** @param {string} id */
  shape(id) {
    return this.all.get(id)?.shape ?? "";
  }

  /** @param {string[]} ids */
  area(ids) {
    return ids.map((id) => this.shape(id)).join("");
  }

  /** The elements take clicks themselves. */
  hit() {
    return null;
  }

  /** @param {string | null} from @param {number} dx @param {number} dy */
  step(from, dx, dy) {
    const here = from ? this.all.get(from) : null;
    if (!here) return this.places[0];
    let best = from;
    let nearest = Infinity;
    for (const place of this.all.values()) {
      const [ax, ay] = [place.x - here.x, place.y - here.y];
      const along = ax * dx + ay * dy;
      if (place.id === from || along <= 0) continue;
      const cost = along + 2.5 * Math.abs(ax * dy - ay * dx);
      if (cost < nearest) [best, nearest] = [place.id, cost];
    }
    return best;
  }

  /** @param {import("../words/phrases.js").Phrases} spoken */
  draw(spoken) {
    const group = s("g", { class: "map areamap" });
    const { chart } = this;
    group.append(s("rect", { class: "sheet", x: 0, y: 0, width: this.width, height: this.height }));
    for (const place of this.all.values()) {
      if (place.look === "sea")
        group.append(s("path", { class: `sea sea-${word(place.id)}`, d: place.shape, "data-place": place.id }));
    }
    if (chart) {
      group.append(s("path", { class: "graticule", d: chart.graticule.join("") }));
      for (const place of this.all.values())
        if (place.look === "sea") group.append(s("path", { class: "sea-border", d: place.shape }));
      const land = chart.land.join("");
      this.lit = s("g", { class: "targets" });
      this.afloat = s("g", {});
      group.append(/** @type {SVGElement} */ (this.lit), this.afloat);
      group.append(
        s("path", { class: "shoal shoal-3", d: land }),
        s("path", { class: "shoal shoal-2", d: land }),
        s("path", { class: "shoal shoal-1", d: land }),
        s("path", { class: "land", d: land }),
        rose(chart.rose),
      );
    }
    for (const place of this.all.values()) {
      if (place.look === "sea") {
        const [lx, ly] = place.label ?? [place.x, place.berths[0][1] + 18];
        group.append(s("text", { class: "sea-name", x: lx, y: ly, text: spoken.name(place.id) }));
        group.append(this.#worth(place, lx, ly + 26));
      } else group.append(this.#port(place, spoken));
    }
    return group;
  }

  /** What is printed in an area: points for control, and whose aircraft may come. @param {Place} place @param {number} x @param {number} y */
  #worth({ entry }, x, y) {
    const group = s("g", { class: "worth", transform: `translate(${x},${y})` });
    const order = ["air", "points"];
    const sides = this.told.sides;
    const parts = [...entry.printed].sort(
      (a, b) => sides.indexOf(a[1]) - sides.indexOf(b[1]) || order.indexOf(a[0]) - order.indexOf(b[0]),
    );
    parts.forEach(([what, side, number], i) => {
      const at = (i - (parts.length - 1) / 2) * 30;
      if (what === "air") group.append(plane(at, 0, side));
      else
        group.append(
          s(
            "g",
            { transform: `translate(${at},0)`, class: `points side-${word(side)}` },
            s("circle", { r: 12 }),
            s("text", { y: 5, text: number ?? "" }),
          ),
        );
    });
    return group;
  }

  /** @param {Place} place @param {import("../words/phrases.js").Phrases} spoken */
  #port(place, spoken) {
    const [x, y, w] = place.box ?? [0, 0, 0, 0];
    const { entry } = place;
    const group = s(
      "g",
      { class: `port owner-${word(entry.owner) || "none"}`, "data-place": place.id },
      s("path", { class: "port-box", d: place.shape }),
      s("text", { class: "port-name", x: x + 12, y: y + 19, text: spoken.name(place.id) }),
    );
    let right = x + w - 14;
    for (const [what, side] of entry.printed) {
      if (what !== "air") continue;
      group.append(plane(right - 4, y + 14, side, 0.72));
      right -= 26;
    }
    const repair = entry.printed.find(([what]) => what === "repair");
    if (repair) {
      group.append(
        s(
          "g",
          { class: "repair", transform: `translate(${right - 10},${y + 14})` },
          s("path", {
            d: "M-11,-7a4,4 0 1 1 3.6,5.2v9.2q5,-.6 6.2,-4.6l-1.8,.6l2.6,-4l2.6,4l-1.8,-.4q-1.6,6 -8.8,6.4q-7.2,-.4 -8.8,-6.4l-1.8,.4l2.6,-4l2.6,4l-1.8,-.6q1.2,4 6.2,4.6v-9.2a4,4 0 0 1 -1.6,-5.2z",
            transform: "translate(4,0) scale(.9)",
          }),
          s("text", { x: 9, y: 5, text: repair[2] ?? "" }),
        ),
      );
    }
    return group;
  }

  /** @param {import("../words/phrases.js").Phrases} spoken @param {(key: string) => string} say */
  legend(spoken, say) {
    const swatch = (/** @type {any[]} */ ...children) =>
      s("svg", { viewBox: "-20 -14 40 28", class: "swatch", "aria-hidden": "true" }, ...children);
    /** @type {[Element, string][]} */
    const rows = [];
    const printed = (/** @type {string} */ what) =>
      this.told.sides.filter((side) =>
        this.told.places.some((place) => place.printed.some((one) => one[0] === what && one[1] === side)),
      );
    for (const side of printed("points")) {
      rows.push([
        swatch(s("g", { class: `points side-${word(side)}` }, s("circle", { r: 12 }), s("text", { y: 5, text: "1" }))),
        say(`legend.points_${side}`),
      ]);
    }
    for (const side of printed("air")) rows.push([swatch(plane(0, 0, side)), say(`legend.air_${side}`)]);
    if (this.told.legend) rows.push([swatch(), spoken.text(this.told.legend)]);
    return rows;
  }
}

/** @param {number[]} box */
function boxed([x, y, w, h]) {
  const r = 10;
  return {
    look: "port",
    box: [x, y, w, h],
    label: null,
    berths: [[x + 6, y + 28, w - 12, h - 34]],
    shape: `M${x + r},${y}h${w - 2 * r}a${r},${r} 0 0 1 ${r},${r}v${h - 2 * r}a${r},${r} 0 0 1 ${-r},${r}h${2 * r - w}a${r},${r} 0 0 1 ${-r},${-r}v${2 * r - h}a${r},${r} 0 0 1 ${r},${-r}z`,
  };
}

/** @param {number} x @param {number} y @param {string} side @param {number} [scale] */
function plane(x, y, side, scale = 0.9) {
  return s("path", {
    class: `plane side-${word(side)}`,
    transform: `translate(${x},${y}) scale(${scale})`,
    d: "M0,-12q2.4,0 2.4,5l11,4.5v3.4l-11,-1.6l-.7,7l3.6,2.4v2.3l-5.3,-1.3l-5.3,1.3v-2.3l3.6,-2.4l-.7,-7l-11,1.6v-3.4l11,-4.5q0,-5 2.4,-5z",
  });
}

/** @param {number[]} rose */
function rose([x, y, r]) {
  const group = s(
    "g",
    { class: "rose", transform: `translate(${x},${y})`, "aria-hidden": "true" },
    s("circle", { r }),
    s("circle", { r: r * 0.86 }),
  );
  for (let i = 0; i < 8; i++) {
    const long = i % 2 === 0 ? r * 0.98 : r * 0.6;
    group.append(
      s("path", { class: "rose-dark", transform: `rotate(${i * 45})`, d: `M0,${-long}L${r * 0.12},${-r * 0.2}L0,0Z` }),
      s("path", {
        class: "rose-light",
        transform: `rotate(${i * 45})`,
        d: `M0,${-long}L${-r * 0.12},${-r * 0.2}L0,0Z`,
      }),
    );
  }
  group.append(s("text", { y: -r - 6, text: "N" }));
  return group;
}
