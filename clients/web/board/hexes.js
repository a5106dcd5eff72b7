// @ts-check
/**
 * A hex map from a pack's `map`: geometry, and its drawing. Terrain, rivers, roads, railways and the grid are a handful of paths each, not
 * an element a hex.
 */

import { s } from "../dom.js";
import { HEX_ID_CHARS_MAX, HEXES_MAX, MAP_SHEETS_MAX } from "../limits.js";

export const R = 36;
const HALF = (Math.sqrt(3) / 2) * R;
const MARGIN = 26;

/** @typedef {{id: string, x: number, y: number, col: number, row: number}} Hex */

/** @param {any} value a list, or words in a text @returns {string[]} */
const words = (value) => (Array.isArray(value) ? value.flatMap(words) : String(value ?? "").split(/\s+/).filter(Boolean));
const round = (/** @type {number} */ n) => Math.round(n * 10) / 10;

export class HexMap {
  /** @param {any} pack */
  constructor(pack) {
    const { map } = pack;
    this.map = map;
    this.pack = pack;
    const grid = map.grid;
    checkSize(grid);
    this.flat = grid.orientation !== "pointy";
    this.shiftedOdd = grid.shifted === "odd";
    /** @type {Map<string, Hex>} */
    this.hexes = new Map();
    /** @type {Hex[][]} by row and column from 1 */
    this.rows = [];
    const sheets = [...(grid.sheets ?? grid.sheet ?? [])].sort((a, b) => a.first_column - b.first_column);
    for (let row = 1; row <= grid.rows; row++) {
      this.rows[row] = [];
      for (let col = 1; col <= grid.columns; col++) {
        const sheet = sheets.findLast((/** @type {any} */ one) => one.first_column <= col);
        const inner = sheet ? col - sheet.first_column + 1 : col;
        const id = String(grid.id).replace(/\{(sheet|col|row)(?::0(\d))?\}/g, (_, what, width) =>
          (what === "sheet" ? String(sheet?.name ?? "") : String(what === "col" ? inner : row)).padStart(Number(width ?? 0), "0"));
        if (id.length > HEX_ID_CHARS_MAX) throw new RangeError(`the hexes' ids have ${id.length} characters; at most ${HEX_ID_CHARS_MAX}`);
        const shift = ((this.flat ? col : row) % 2 === 1) === this.shiftedOdd ? 1 : 0;
        const x = this.flat ? R + (col - 1) * 1.5 * R : HALF + (col - 1) * 2 * HALF + shift * HALF;
        const y = this.flat ? HALF + (row - 1) * 2 * HALF + shift * HALF : R + (row - 1) * 1.5 * R;
        const hex = { id, x: MARGIN + x, y: MARGIN + y, col, row };
        this.hexes.set(id, hex);
        this.rows[row][col] = hex;
      }
    }
    this.width = 2 * MARGIN + (this.flat ? R * (1.5 * grid.columns + 0.5) : 2 * HALF * grid.columns + HALF);
    this.height = 2 * MARGIN + (this.flat ? 2 * HALF * grid.rows + HALF : R * (1.5 * grid.rows + 0.5));
    this.corners = Array.from({ length: 6 }, (_, i) => {
      const angle = (Math.PI / 3) * i + (this.flat ? 0 : Math.PI / 6);
      return [R * Math.cos(angle), R * Math.sin(angle)];
    });
    /** @type {Map<string, any>} */
    this.named = new Map();
    for (const place of map.places?.list ?? []) this.named.set(place.hex, place);
    this.names = Object.fromEntries([...this.named].map(([hex, place]) => [hex, `${place.name} (${hex})`]));
  }

  kind = "hex";
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
    const col = this.flat ? Math.round((x - MARGIN - R) / (1.5 * R)) + 1 : Math.round((x - MARGIN - HALF) / (2 * HALF)) + 1;
    const row = this.flat ? Math.round((y - MARGIN - HALF) / (2 * HALF)) + 1 : Math.round((y - MARGIN - R) / (1.5 * R)) + 1;
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
    if (!hex) return this.rows[Math.ceil(this.rows.length / 2)][Math.ceil(this.rows[1].length / 2)].id;
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
    return ids.map((id) => this.hexes.get(id)).filter((hex) => hex !== undefined).map((hex) => this.outline(hex)).join("");
  }

  /** The hexside between two hexes. @param {Hex} a @param {Hex} b */
  #side(a, b) {
    const mx = (a.x + b.x) / 2;
    const my = (a.y + b.y) / 2;
    const dx = ((b.y - a.y) / (2 * HALF)) * (R / 2);
    const dy = ((a.x - b.x) / (2 * HALF)) * (R / 2);
    return { mx, my, dx, dy, path: `M${round(mx - dx)},${round(my - dy)}L${round(mx + dx)},${round(my + dy)}` };
  }

  /** @param {any} value */
  #sides(value) {
    return words(value).flatMap((pair) => {
      const [a, b] = pair.split("-").map((id) => this.hexes.get(id));
      return a && b ? [{ a, b, ...this.#side(a, b) }] : [];
    });
  }

  /** A line through hex centres, rounded in between. @param {any} value */
  #line(value) {
    const hexes = words(value).map((id) => this.hexes.get(id)).filter((hex) => hex !== undefined);
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

  /** Terrain of each hex, by its name in the pack. @returns {Map<string, string[]>} */
  terrain() {
    const { legend, rows } = this.map.terrain;
    /** @type {Map<string, string[]>} */
    const found = new Map();
    rows.forEach((/** @type {string} */ line, /** @type {number} */ r) => {
      [...line].forEach((letter, c) => {
        const hex = this.rows[r + 1]?.[c + 1];
        const kind = legend[letter];
        if (!hex || !kind) return;
        const ids = found.get(kind);
        if (ids) ids.push(hex.id);
        else found.set(kind, [hex.id]);
      });
    });
    return found;
  }

  /** @param {import("../phrases.js").Phrases} spoken */
  draw(spoken) {
    const group = s("g", { class: "map hexmap" });
    group.append(s("rect", { class: "sheet", x: 0, y: 0, width: this.width, height: this.height, rx: 10 }));
    for (const [kind, ids] of this.terrain()) {
      const d = this.area(ids);
      group.append(s("path", { class: `terrain terrain-${kind}`, d }));
      const pattern = textureOf(kind);
      if (pattern) group.append(s("path", { class: `texture texture-${pattern}`, d, fill: `url(#texture-${pattern})` }));
    }
    const all = [...this.hexes.values()];
    group.append(s("path", { class: "grid", d: all.map((hex) => this.outline(hex)).join("") }));
    for (const area of this.map.area ?? []) {
      if (area.kind === "fortified") {
        group.append(s("path", { class: "fortified", d: words(area.hexes).map((id) => this.hexes.get(id)).filter(Boolean)
          .map((hex) => this.outline(/** @type {Hex} */ (hex), 0.86)).join("") }));
      }
    }
    for (const kind of ["minor", "major"]) {
      const d = (this.map.river ?? []).filter((/** @type {any} */ river) => (river.class === "major") === (kind === "major"))
        .flatMap((/** @type {any} */ river) => this.#sides(river.hexsides).map((side) => side.path)).join("");
      group.append(s("path", { class: `river river-${kind} river-bank`, d }), s("path", { class: `river river-${kind}`, d }));
    }
    const roads = (this.map.road ?? []).map((/** @type {any} */ road) => this.#line(road.hexes)).join("");
    const rails = (this.map.rail ?? []).map((/** @type {any} */ rail) => this.#line(rail.hexes)).join("");
    group.append(
      s("path", { class: "bridge", d: this.#sides(this.map.bridges?.hexsides).map(({ mx, my, dx, dy }) =>
        `M${round(mx - dy * 0.55)},${round(my + dx * 0.55)}L${round(mx + dy * 0.55)},${round(my - dx * 0.55)}`).join("") }),
      s("path", { class: "road-edge", d: roads }), s("path", { class: "road", d: roads }),
      s("path", { class: "rail", d: rails }), s("path", { class: "rail-ties", d: rails }),
    );
    for (const source of this.map.source ?? []) {
      const hex = this.hexes.get(source.hex);
      if (hex) group.append(s("path", { class: `source side-${source.side}`, d: `M${hex.x - 8},${hex.y + 20}h16l-8,-11z` }, s("title", { text: spoken.name(source.id) })));
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
      if (!place.group || first === place || first?.kind !== place.kind) names.append(s("text", { class: `label label-${place.kind}`, x: round(hex.x), y: round(hex.y + HALF - 4), text: place.name }));
    }
    group.append(marks, names);
    group.append(s("g", { class: "ids", "aria-hidden": "true" }, all.map((hex) => s("text", { x: round(hex.x), y: round(hex.y - HALF + 9), text: hex.id }))));
    return group;
  }

  /** @param {import("../phrases.js").Phrases} spoken @param {(key: string) => string} word */
  legend(spoken, word) {
    /** @type {[Element, string][]} */
    const rows = [];
    const swatch = (/** @type {any[]} */ ...children) => s("svg", { viewBox: "0 0 40 28", class: "swatch", "aria-hidden": "true" }, ...children);
    for (const kind of this.terrain().keys()) {
      const pattern = textureOf(kind);
      rows.push([swatch(s("rect", { class: `terrain terrain-${kind}`, width: 40, height: 28 }), pattern ? s("rect", { class: `texture-${pattern}`, width: 40, height: 28, fill: `url(#texture-${pattern})` }) : null),
        word(`terrain.${kind}`)]);
    }
    rows.push([swatch(s("path", { class: "river river-major", d: "M4,20L16,8L36,14" })), word("legend.river_major")]);
    rows.push([swatch(s("path", { class: "river river-minor", d: "M4,20L16,8L36,14" })), word("legend.river_minor")]);
    rows.push([swatch(s("path", { class: "road-edge", d: "M2,20Q20,4 38,16" }), s("path", { class: "road", d: "M2,20Q20,4 38,16" })), word("legend.road")]);
    rows.push([swatch(s("path", { class: "rail", d: "M2,20Q20,4 38,16" }), s("path", { class: "rail-ties", d: "M2,20Q20,4 38,16" })), word("legend.rail")]);
    const kinds = new Set([...this.named.values()].map((place) => place.kind));
    for (const kind of kinds) rows.push([swatch(site({ kind }, { id: "", x: 20, y: 14, col: 0, row: 0 })), word(`site.${kind}`)]);
    if ((this.map.area ?? []).some((/** @type {any} */ area) => area.kind === "fortified")) {
      rows.push([swatch(s("path", { class: "fortified", d: "M6,14L13,3H27L34,14L27,25H13Z" })), word("legend.fortified")]);
    }
    rows.push([swatch(s("path", { class: "source side-soviet", d: "M12,22h16l-8,-14z" })), word("legend.source")]);
    return rows;
  }
}

/** A pack comes from a stranger, and a line of it may ask for more hexes than there is memory. @param {any} grid */
function checkSize(grid) {
  const [columns, rows] = [Number(grid.columns), Number(grid.rows)];
  if (!Number.isInteger(columns) || !Number.isInteger(rows) || columns < 1 || rows < 1 || columns * rows > HEXES_MAX) {
    throw new RangeError(`the map has ${grid.columns} columns by ${grid.rows} rows of hexes; at most ${HEXES_MAX} hexes can be drawn`);
  }
  const sheets = [...(grid.sheets ?? grid.sheet ?? [])];
  if (sheets.length > MAP_SHEETS_MAX) throw new RangeError(`the map has ${sheets.length} sheets; at most ${MAP_SHEETS_MAX} can be drawn`);
  if (String(grid.id).length > 4 * HEX_ID_CHARS_MAX || sheets.some((one) => String(one.name ?? "").length > HEX_ID_CHARS_MAX)) {
    throw new RangeError(`the hexes' ids would have more than ${HEX_ID_CHARS_MAX} characters`);
  }
}

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
  if (place.kind === "village") return s("circle", { class: "site site-village", cx: x, cy: y, r: 4 });
  const blocks = "M-13,-5h9v-6h8v5h9v11h-8v6h-9v-5h-9z";
  const group = s("g", { class: `site site-${place.kind}`, transform: `translate(${round(x)},${round(y)})` });
  if (place.kind === "town") group.append(s("path", { d: "M-9,-4h7v-4h6v4h5v8h-6v4h-6v-4h-6z" }));
  else {
    group.append(s("circle", { r: 19 }), s("path", { d: blocks }));
    if (place.kind === "strategic") group.append(s("path", { class: "star", d: "M0,-8l2.2,5h5.4l-4.3,3.4l1.7,5.4l-5,-3.3l-5,3.3l1.7,-5.4l-4.3,-3.4h5.4z" }));
  }
  return group;
}
