// @ts-check
/** A map of named areas: a designed chart where there is one for the title, else the boxes of the pack's layout. */

import { s } from "../dom.js";
import atlantic from "../charts/war_at_sea.js";

/** @type {Record<string, any>} */
const CHARTS = { war_at_sea: atlantic };

/** @typedef {{id: string, x: number, y: number, look: string, shape: string, berths: number[][], entry: any, box: number[] | null, label: number[] | null}} Place */

export class AreaMap {
  /** @param {any} pack @param {string} title */
  constructor(pack, title) {
    this.pack = pack;
    /** @type {Map<string, Place>} */
    this.all = new Map();
    /** @type {Record<string, string>} */
    this.names = {};
    const chart = CHARTS[title];
    this.chart = chart ?? null;
    const layout = pack.layout;
    /** @type {Map<string, {entry: any, look: string, numbers: string[]}>} */
    const entries = new Map();
    for (const kind of layout.places) {
      for (const entry of tableOf(pack, kind.table)) entries.set(entry.id, { entry, look: kind.look, numbers: kind.numbers ?? [] });
    }
    this.entries = entries;
    if (chart) {
      [this.width, this.height, this.counter] = [chart.width, chart.height, chart.counter];
      for (const [id, sea] of Object.entries(chart.seas)) {
        this.#add(id, { look: "sea", shape: sea.shape, berths: sea.berths, box: null, label: sea.label });
      }
      for (const [id, port] of Object.entries(chart.ports)) this.#add(id, boxed(port.box));
    } else {
      this.counter = { w: 70, h: 44 };
      const rows = layout.grid.rows;
      const [w, h, gap] = [420, 300, 24];
      this.width = Math.max(...rows.map((/** @type {any[]} */ row) => row.length)) * (w + gap) + gap;
      this.height = rows.length * (h + gap) + gap;
      rows.forEach((/** @type {string[]} */ row, /** @type {number} */ r) => row.forEach((id, c) => {
        if (id) this.#add(id, { ...boxed([gap + c * (w + gap), gap + r * (h + gap), w, h]), look: entries.get(id)?.look ?? "port" });
      }));
    }
  }

  kind = "areas";

  /** @param {string} id @param {any} place */
  #add(id, place) {
    const [x, y, w, h] = place.berths[0];
    this.all.set(id, { id, x: x + w / 2, y: y + h / 2, entry: this.entries.get(id)?.entry ?? {}, ...place });
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

  /** @param {import("../phrases.js").Phrases} spoken */
  draw(spoken) {
    const group = s("g", { class: "map areamap" });
    const { chart } = this;
    group.append(s("rect", { class: "sheet", x: 0, y: 0, width: this.width, height: this.height }));
    for (const place of this.all.values()) {
      if (place.look === "sea") group.append(s("path", { class: `sea sea-${place.id}`, d: place.shape, "data-place": place.id }));
    }
    if (chart) {
      group.append(s("path", { class: "graticule", d: chart.graticule.join("") }));
      for (const place of this.all.values()) if (place.look === "sea") group.append(s("path", { class: "sea-border", d: place.shape }));
      const land = chart.land.join("");
      group.append(
        s("path", { class: "shoal shoal-3", d: land }), s("path", { class: "shoal shoal-2", d: land }), s("path", { class: "shoal shoal-1", d: land }),
        s("path", { class: "land", d: land }), rose(chart.rose),
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

  /** Points for control, and whose aircraft may come. @param {Place} place @param {number} x @param {number} y */
  #worth({ entry }, x, y) {
    const group = s("g", { class: "worth", transform: `translate(${x},${y})` });
    /** @type {any[]} */
    const parts = [];
    for (const side of ["allied", "axis"]) {
      if (entry[`${side}_air_symbol`]) parts.push(["plane", side]);
      if (entry[`poc_${side}`] !== undefined) parts.push(["points", side, entry[`poc_${side}`]]);
    }
    parts.forEach(([what, side, points], i) => {
      const at = (i - (parts.length - 1) / 2) * 30;
      if (what === "points") {
        group.append(s("g", { transform: `translate(${at},0)`, class: `points side-${side}` }, s("circle", { r: 12 }), s("text", { y: 5, text: points })));
      } else group.append(plane(at, 0, side));
    });
    return group;
  }

  /** @param {Place} place @param {import("../phrases.js").Phrases} spoken */
  #port(place, spoken) {
    const [x, y, w] = place.box ?? [0, 0, 0, 0];
    const { entry } = place;
    const group = s("g", { class: `port owner-${entry.owner ?? "none"}`, "data-place": place.id },
      s("path", { class: "port-box", d: place.shape }),
      s("text", { class: "port-name", x: x + 12, y: y + 19, text: spoken.name(place.id) }));
    let right = x + w - 14;
    for (const side of ["allied", "axis"]) {
      if (entry[`${side}_air_symbol`]) {
        group.append(plane(right - 4, y + 14, side, 0.72));
        right -= 26;
      }
    }
    if (entry.repair) {
      group.append(s("g", { class: "repair", transform: `translate(${right - 10},${y + 14})` }, s("path", { d: "M-11,-7a4,4 0 1 1 3.6,5.2v9.2q5,-.6 6.2,-4.6l-1.8,.6l2.6,-4l2.6,4l-1.8,-.4q-1.6,6 -8.8,6.4q-7.2,-.4 -8.8,-6.4l-1.8,.4l2.6,-4l2.6,4l-1.8,-.6q1.2,4 6.2,4.6v-9.2a4,4 0 0 1 -1.6,-5.2z", transform: "translate(4,0) scale(.9)" }),
        s("text", { x: 9, y: 5, text: entry.repair })));
    }
    return group;
  }

  /** @param {import("../phrases.js").Phrases} spoken @param {(key: string) => string} word */
  legend(spoken, word) {
    const swatch = (/** @type {any[]} */ ...children) => s("svg", { viewBox: "-20 -14 40 28", class: "swatch", "aria-hidden": "true" }, ...children);
    /** @type {[Element, string][]} */
    const rows = [
      [swatch(s("g", { class: "points side-allied" }, s("circle", { r: 12 }), s("text", { y: 5, text: "1" }))), word("legend.points_allied")],
      [swatch(s("g", { class: "points side-axis" }, s("circle", { r: 12 }), s("text", { y: 5, text: "3" }))), word("legend.points_axis")],
      [swatch(plane(0, 0, "allied")), word("legend.air_allied")],
      [swatch(plane(0, 0, "axis")), word("legend.air_axis")],
    ];
    if (this.pack.layout.legend) rows.push([swatch(), spoken.text(this.pack.layout.legend)]);
    return rows;
  }
}

/** @param {any} pack @param {string} name @returns {any[]} */
function tableOf(pack, name) {
  for (const file of Object.values(pack)) if (Array.isArray(file?.[name])) return file[name];
  return [];
}

/** @param {number[]} box */
function boxed([x, y, w, h]) {
  const r = 10;
  return {
    look: "port", box: [x, y, w, h], label: null, berths: [[x + 6, y + 28, w - 12, h - 34]],
    shape: `M${x + r},${y}h${w - 2 * r}a${r},${r} 0 0 1 ${r},${r}v${h - 2 * r}a${r},${r} 0 0 1 ${-r},${r}h${2 * r - w}a${r},${r} 0 0 1 ${-r},${-r}v${2 * r - h}a${r},${r} 0 0 1 ${r},${-r}z`,
  };
}

/** @param {number} x @param {number} y @param {string} side @param {number} [scale] */
function plane(x, y, side, scale = 0.9) {
  return s("path", { class: `plane side-${side}`, transform: `translate(${x},${y}) scale(${scale})`, d: "M0,-12q2.4,0 2.4,5l11,4.5v3.4l-11,-1.6l-.7,7l3.6,2.4v2.3l-5.3,-1.3l-5.3,1.3v-2.3l3.6,-2.4l-.7,-7l-11,1.6v-3.4l11,-4.5q0,-5 2.4,-5z" });
}

/** @param {number[]} rose */
function rose([x, y, r]) {
  const group = s("g", { class: "rose", transform: `translate(${x},${y})`, "aria-hidden": "true" }, s("circle", { r }), s("circle", { r: r * 0.86 }));
  for (let i = 0; i < 8; i++) {
    const long = i % 2 === 0 ? r * 0.98 : r * 0.6;
    group.append(s("path", { class: "rose-dark", transform: `rotate(${i * 45})`, d: `M0,${-long}L${r * 0.12},${-r * 0.2}L0,0Z` }),
      s("path", { class: "rose-light", transform: `rotate(${i * 45})`, d: `M0,${-long}L${-r * 0.12},${-r * 0.2}L0,0Z` }));
  }
  group.append(s("text", { y: -r - 6, text: "N" }));
  return group;
}
