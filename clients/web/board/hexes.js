// @ts-check
/**
 * A hex map from a game's description: geometry, and its drawing. Terrain, rivers, roads, railways and the grid are a handful of paths each, not
 * an element a hex.
 */

import { s } from "../ui/dom.js";
import { word } from "./counters.js";
import { BEYOND } from "./description.js";

export const R = 36;
const HALF = (Math.sqrt(3) / 2) * R;
const MARGIN = 26;

/** @typedef {{id: string, x: number, y: number, col: number, row: number}} Hex */

const round = (/** @type {number} */ n) => Math.round(n * 10) / 10;

export class HexMap {
  /** @param {import("../protocol.d.ts").Description} told a description that has been read */
  constructor(told) {
    this.told = told;
    const grid = /** @type {import("../protocol.d.ts").Grid} */ (told.grid);
    this.grid = grid;
    this.flat = grid.orientation === "flat";
    this.shiftedOdd = grid.shifted === "odd";
    /** @type {Map<string, Hex>} */
    this.hexes = new Map();
    /** by their numbers in the description @type {Hex[]} */
    this.list = [];
    /** @type {Hex[][]} by row and column from 1; there may be gaps */
    this.rows = [];
    for (let row = 1; row <= grid.rows; row++) this.rows[row] = [];
    for (const {
      id,
      at: [c, r],
    } of told.places) {
      const [col, row] = [c + 1, r + 1];
      const shift = ((this.flat ? col : row) % 2 === 1) === this.shiftedOdd ? 1 : 0;
      const x = this.flat ? R + (col - 1) * 1.5 * R : HALF + (col - 1) * 2 * HALF + shift * HALF;
      const y = this.flat ? HALF + (row - 1) * 2 * HALF + shift * HALF : R + (row - 1) * 1.5 * R;
      const hex = { id, x: MARGIN + x, y: MARGIN + y, col, row };
      this.hexes.set(id, hex);
      this.list.push(hex);
      this.rows[row][col] = hex;
    }
    this.width = 2 * MARGIN + (this.flat ? R * (1.5 * grid.columns + 0.5) : 2 * HALF * grid.columns + HALF);
    this.height = 2 * MARGIN + (this.flat ? 2 * HALF * grid.rows + HALF : R * (1.5 * grid.rows + 0.5));
    this.corners = Array.from({ length: 6 }, (_, i) => {
      const angle = (Math.PI / 3) * i + (this.flat ? 0 : Math.PI / 6);
      return [R * Math.cos(angle), R * Math.sin(angle)];
    });
    /** @type {Map<string, any>} */
    this.named = new Map();
    for (const place of told.places) if (place.site) this.named.set(place.id, place);
  }

  kind = "hex";

  /** Everything that is lit lies above the map. @type {SVGElement | null} */
  lit = null;
  /** So does the cursor. @type {SVGElement | null} */
  afloat = null;
  counter = { w: 52, h: 52 };

  /** @param {string} id */
  place(id) {
    return this.hexes.get(id) ?? null;
  }

  get places() {
    return [...this.hexes.keys()];
  }

  /** The hex at a point. @param {number} x @param {number} y @returns {string | null} */
  hit(x, y) {
    let best = null;
    let nearest = R * R;
    const col = this.flat
      ? Math.round((x - MARGIN - R) / (1.5 * R)) + 1
      : Math.round((x - MARGIN - HALF) / (2 * HALF)) + 1;
    const row = this.flat
      ? Math.round((y - MARGIN - HALF) / (2 * HALF)) + 1
      : Math.round((y - MARGIN - R) / (1.5 * R)) + 1;
    for (let r = row - 1; r <= row + 1; r++) {
      for (let c = col - 1; c <= col + 1; c++) {
        const hex = this.rows[r]?.[c];
        if (!hex) continue;
        const distance = (hex.x - x) ** 2 + (hex.y - y) ** 2;
        if (distance < nearest) [best, nearest] = [hex.id, distance];
      }
    }
    return best;
  }

  /** The next hex in a direction of the arrow keys. @param {string | null} from @param {number} dx @param {number} dy */
  step(from, dx, dy) {
    const hex = from ? this.hexes.get(from) : null;
    if (!hex) return (this.rows[Math.ceil(this.grid.rows / 2)]?.[Math.ceil(this.grid.columns / 2)] ?? this.list[0]).id;
    return this.rows[hex.row + dy]?.[hex.col + dx]?.id ?? from;
  }

  /** @param {Hex} hex @param {number} [grow] */
  outline(hex, grow = 1) {
    return `M${this.corners.map(([x, y]) => `${round(hex.x + x * grow)},${round(hex.y + y * grow)}`).join("L")}Z`;
  }

  /** The path round a place, for highlights. @param {string} id */
  shape(id) {
    const hex = this.hexes.get(id);
    return hex ? this.outline(hex, 0.95) : "";
  }

  /** @param {string[]} ids */
  area(ids) {
    return ids
      .map((id) => this.hexes.get(id))
      .filter((hex) => hex !== undefined)
      .map((hex) => this.outline(hex))
      .join("");
  }

  /** The hexside between two hexes. @param {Hex} a @param {Hex} b */
  #side(a, b) {
    const mx = (a.x + b.x) / 2;
    const my = (a.y + b.y) / 2;
    const dx = ((b.y - a.y) / (2 * HALF)) * (R / 2);
    const dy = ((a.x - b.x) / (2 * HALF)) * (R / 2);
    return { mx, my, dx, dy, path: `M${round(mx - dx)},${round(my - dy)}L${round(mx + dx)},${round(my + dy)}` };
  }

  /** The hexsides between hexes of an area and others. @param {number[]} places */
  border(places) {
    const inside = new Set(places);
    return places
      .flatMap((n) =>
        this.told.places[n].near
          .filter((/** @type {number} */ other) => other !== BEYOND && !inside.has(other))
          .map((/** @type {number} */ other) => this.#side(this.list[n], this.list[other]).path),
      )
      .join("");
  }

  /** The ids of the hexes that are not in an area. @param {number[]} places */
  #others(places) {
    const inside = new Set(places);
    return this.list.filter((_, n) => !inside.has(n)).map(({ id }) => id);
  }

  /** The sides of rivers that lie between two hexes of the map. @param {any[]} rivers */
  #sides(rivers) {
    return rivers.flatMap((river) =>
      river.sides.flatMap((/** @type {[number, number, boolean]} */ [n, d, bridged]) => {
        const other = this.told.places[n].near[d];
        return other === BEYOND ? [] : [{ bridged, ...this.#side(this.list[n], this.list[other]) }];
      }),
    );
  }

  /** A line through hex centres, rounded in between. @param {{places: number[]}} line */
  #line(line) {
    const hexes = line.places.map((n) => this.list[n]);
    if (hexes.length < 2) return "";
    let path = `M${round(hexes[0].x)},${round(hexes[0].y)}`;
    for (let i = 1; i < hexes.length - 1; i++) {
      const next = hexes[i + 1];
      const mid = i === 1 ? `L${round((hexes[0].x + hexes[1].x) / 2)},${round((hexes[0].y + hexes[1].y) / 2)}` : "";
      path += `${mid}Q${round(hexes[i].x)},${round(hexes[i].y)} ${round((hexes[i].x + next.x) / 2)},${round((hexes[i].y + next.y) / 2)}`;
    }
    const end = hexes[hexes.length - 1];
    return `${path}L${round(end.x)},${round(end.y)}`;
  }

  /** The hexes of each terrain. @returns {Map<string, string[]>} */
  terrain() {
    /** @type {Map<string, string[]>} */
    const found = new Map();
    for (const { id, terrain } of this.told.places) {
      const ids = found.get(terrain);
      if (ids) ids.push(id);
      else if (terrain) found.set(terrain, [id]);
    }
    return found;
  }

  /** @param {import("../words/phrases.js").Phrases} spoken */
  draw(spoken) {
    const group = s("g", { class: "map hexmap" });
    group.append(s("rect", { class: "sheet", x: 0, y: 0, width: this.width, height: this.height, rx: 10 }));
    for (const [kind, ids] of this.terrain()) {
      const d = this.area(ids);
      group.append(s("path", { class: `terrain terrain-${word(kind)}`, d }));
      const pattern = textureOf(kind);
      if (pattern)
        group.append(s("path", { class: `texture texture-${pattern}`, d, fill: `url(#texture-${pattern})` }));
    }
    const all = [...this.hexes.values()];
    group.append(s("path", { class: "grid", d: all.map((hex) => this.outline(hex)).join("") }));
    for (const area of this.told.areas) {
      if (area.kind === "fortified")
        group.append(
          s("path", {
            class: "fortified",
            d: area.places.map((n) => this.outline(this.list[n], 0.86)).join(""),
          }),
        );
    }
    for (const kind of RIVERS) {
      const d = this.#sides(this.told.rivers.filter((river) => riverOf(river.kind) === kind))
        .map((side) => side.path)
        .join("");
      if (d || kind === "minor" || kind === "major")
        group.append(
          s("path", { class: `river river-${kind} river-bank`, d }),
          s("path", { class: `river river-${kind}`, d }),
        );
    }
    for (const area of this.told.areas)
      if (LINES.includes(area.kind))
        group.append(
          s(
            "path",
            { class: `border border-${word(area.kind)}`, d: this.border(area.places) },
            s("title", { text: spoken.name(area.id) }),
          ),
        );
    const along = (/** @type {string} */ kind) =>
      this.told.lines
        .filter((line) => lineOf(line.kind) === kind)
        .map((line) => this.#line(line))
        .join("");
    const [roads, rails, doubles, tracks] = [along("road"), along("rail"), along("rail_multi"), along("track")];
    if (tracks) group.append(s("path", { class: "track", d: tracks }));
    if (doubles) group.append(s("path", { class: "rail-double", d: doubles }));
    group.append(
      s("path", {
        class: "bridge",
        d: this.#sides(this.told.rivers)
          .filter((side) => side.bridged)
          .map(
            ({ mx, my, dx, dy }) =>
              `M${round(mx - dy * 0.55)},${round(my + dx * 0.55)}L${round(mx + dy * 0.55)},${round(my - dx * 0.55)}`,
          )
          .join(""),
      }),
      s("path", { class: "road-edge", d: roads }),
      s("path", { class: "road", d: roads }),
      s("path", { class: "rail", d: rails + doubles }),
      s("path", { class: "rail-ties", d: rails + doubles }),
    );
    for (const area of this.told.areas)
      if (area.kind === "play")
        group.append(s("path", { class: "out-of-play", d: this.area(this.#others(area.places)) }));
    for (const source of this.told.sources) {
      const hex = this.list[source.place];
      group.append(
        s(
          "path",
          { class: `source side-${word(source.side)}`, d: `M${hex.x - 8},${hex.y + 20}h16l-8,-11z` },
          s("title", { text: spoken.name(source.id) }),
        ),
      );
    }
    const marks = s("g", { class: "sites" });
    const names = s("g", { class: "labels" });
    /** the first place of each group @type {Map<string, any>} */
    const firsts = new Map();
    for (const place of this.named.values()) if (!firsts.has(place.group)) firsts.set(place.group, place);
    for (const [id, place] of this.named) {
      const hex = this.hexes.get(id);
      if (!hex) continue;
      marks.append(site(place, hex));
      // Hexes of one big city bear one name.
      const first = firsts.get(place.group);
      if (!place.group || first === place || first?.site !== place.site)
        names.append(
          s("text", {
            class: `label label-${word(place.site)}`,
            x: round(hex.x),
            y: round(hex.y + HALF - 4),
            text: labelOf(place, spoken),
          }),
        );
    }
    group.append(marks, names);
    group.append(
      s(
        "g",
        { class: "ids", "aria-hidden": "true" },
        all.map((hex) => s("text", { x: round(hex.x), y: round(hex.y - HALF + 9), text: hex.id })),
      ),
    );
    return group;
  }

  /** @param {import("../words/phrases.js").Phrases} spoken @param {(key: string) => string} word */
  legend(spoken, word) {
    /** @type {[Element, string][]} */
    const rows = [];
    const swatch = (/** @type {any[]} */ ...children) =>
      s("svg", { viewBox: "0 0 40 28", class: "swatch", "aria-hidden": "true" }, ...children);
    for (const kind of this.terrain().keys()) {
      const pattern = textureOf(kind);
      rows.push([
        swatch(
          s("rect", { class: `terrain terrain-${word(kind)}`, width: 40, height: 28 }),
          pattern
            ? s("rect", { class: `texture-${pattern}`, width: 40, height: 28, fill: `url(#texture-${pattern})` })
            : null,
        ),
        word(`terrain.${kind}`),
      ]);
    }
    rows.push([swatch(s("path", { class: "river river-major", d: "M4,20L16,8L36,14" })), word("legend.river_major")]);
    rows.push([swatch(s("path", { class: "river river-minor", d: "M4,20L16,8L36,14" })), word("legend.river_minor")]);
    const kinds_ = new Set(this.told.lines.map((line) => lineOf(line.kind)));
    if (this.told.rivers.some((river) => river.kind === "danube"))
      rows.push([
        swatch(s("path", { class: "river river-danube", d: "M4,20L16,8L36,14" })),
        word("legend.river_danube"),
      ]);
    if (this.told.rivers.some((river) => river.kind === "very_minor"))
      rows.push([
        swatch(s("path", { class: "river river-very_minor", d: "M4,20L16,8L36,14" })),
        word("legend.river_very_minor"),
      ]);
    if (kinds_.has("track"))
      rows.push([swatch(s("path", { class: "track", d: "M2,20Q20,4 38,16" })), word("legend.track")]);
    if (kinds_.has("rail_multi"))
      rows.push([
        swatch(
          s("path", { class: "rail-double", d: "M2,20Q20,4 38,16" }),
          s("path", { class: "rail", d: "M2,20Q20,4 38,16" }),
        ),
        word("legend.rail_multi"),
      ]);
    rows.push([
      swatch(
        s("path", { class: "road-edge", d: "M2,20Q20,4 38,16" }),
        s("path", { class: "road", d: "M2,20Q20,4 38,16" }),
      ),
      word("legend.road"),
    ]);
    rows.push([
      swatch(
        s("path", { class: "rail", d: "M2,20Q20,4 38,16" }),
        s("path", { class: "rail-ties", d: "M2,20Q20,4 38,16" }),
      ),
      word("legend.rail"),
    ]);
    const kinds = new Set([...this.named.values()].map((place) => place.site));
    for (const kind of kinds)
      rows.push([swatch(site({ site: kind }, { id: "", x: 20, y: 14, col: 0, row: 0 })), word(`site.${kind}`)]);
    if (this.told.areas.some((area) => area.kind === "fortified")) {
      rows.push([
        swatch(s("path", { class: "fortified", d: "M6,14L13,3H27L34,14L27,25H13Z" })),
        word("legend.fortified"),
      ]);
    }
    rows.push([
      swatch(s("path", { class: `source side-${word(this.told.sources[0]?.side ?? "")}`, d: "M12,22h16l-8,-14z" })),
      word("legend.source"),
    ]);
    return rows;
  }
}

/** The name of a place in the reader's language, without its number, which is printed in every hex. @param {any} place @param {import("../words/phrases.js").Phrases} spoken */
function labelOf({ id, name }, spoken) {
  const told = spoken.named(id) ? spoken.name(id).replace(/\s*[(（][^()（）]*[)）]$/, "") : "";
  return told && told !== id ? told : name;
}

/** Classes of rivers as they are drawn, from the smallest; what is not among them is drawn as a minor one. */
const RIVERS = ["very_minor", "minor", "major", "danube"];
const riverOf = (/** @type {string} */ kind) => (RIVERS.includes(kind) ? kind : "minor");

/** Kinds of lines as they are drawn; what is not among them is drawn as a road. */
const lineOf = (/** @type {string} */ kind) => (["rail", "rail_multi", "track"].includes(kind) ? kind : "road");

/** Areas whose edge is drawn. */
const LINES = ["white_line", "yellow_line", "prohibited", "budapest_area", "budapest_city", "entry"];

/** @param {string} kind */
function textureOf(kind) {
  if (/forest|wood/.test(kind)) return /deep|heavy/.test(kind) ? "deep" : "wood";
  if (/swamp|marsh/.test(kind)) return "marsh";
  if (/rough|hill|mountain/.test(kind)) return "rough";
  if (/lake|water|sea/.test(kind)) return "water";
  return "";
}

/** @param {any} place @param {Hex} hex */
function site(place, hex) {
  const { x, y } = hex;
  if (place.site === "village") return s("circle", { class: "site site-village", cx: x, cy: y, r: 4 });
  const blocks = "M-13,-5h9v-6h8v5h9v11h-8v6h-9v-5h-9z";
  const group = s("g", { class: `site site-${word(place.site)}`, transform: `translate(${round(x)},${round(y)})` });
  if (place.site === "town") group.append(s("path", { d: "M-9,-4h7v-4h6v4h5v8h-6v4h-6v-4h-6z" }));
  else {
    group.append(s("circle", { r: 19 }), s("path", { d: blocks }));
    if (place.site === "strategic")
      group.append(
        s("path", { class: "star", d: "M0,-8l2.2,5h5.4l-4.3,3.4l1.7,5.4l-5,-3.3l-5,3.3l1.7,-5.4l-4.3,-3.4h5.4z" }),
      );
  }
  return group;
}
