// @ts-check
/**
 * Counters: what is printed on each, from the description and the face that the log gives it, and their drawing. A symbol comes from the server's
 * sheet, used where it is needed; a side's colours are given by style sheets.
 */

import { s } from "../ui/dom.js";

/** @typedef {{name: string, symbol: string, values: string, chip: string, side: string, nation: string, kind: string, wide: boolean, note: string, range: number}} Print */

const BLANK = { id: "", name: "", side: "", kind: "unit", type: "", nation: "", symbol: "", zone: false, faces: [] };

/** how many boards this page has drawn */
let boards = 0;

export class Counters {
  /** @param {import("../protocol.d.ts").Description} told a description that has been read */
  constructor(told) {
    /** @type {Map<string, import("../protocol.d.ts").DescribedPiece>} */
    this.pieces = new Map(told.pieces.map((piece) => [piece.id, piece]));
    /** in which order counters are laid out @type {Map<string, number>} */
    this.order = new Map(told.pieces.map((piece, n) => [piece.id, n]));
    /** says names in the reader's language @type {import("../words/phrases.js").Phrases | null} */
    this.spoken = null;
    /** the symbols that are far wider than high @type {Set<string>} */
    this.wide = new Set();
    /** what the ids of this board's drawings begin with: several boards may be on one page, and the ids of a page are one space */
    this.own = `board${++boards}-`;
    for (const { id, code, box } of told.symbols) {
      const [, , w, h] = code ? [] : box.split(" ").map(Number); // those with a code are squares
      if (w > 2 * h) this.wide.add(id);
    }
  }

  /**
   * What a counter shows.
   * @param {string} id @param {any} face @param {string} owner @returns {Print}
   */
  print(id, face, owner) {
    const piece = this.pieces.get(id) ?? BLANK;
    const shown = typeof face === "string" ? face : "";
    const known = piece.faces.find((one) => one.face === shown);
    const steps = Math.max(0, ...piece.faces.map((one) => one.steps));
    const wide = this.wide.has(piece.symbol);
    const values = known ? known.print : (shown.split(" ").at(-1) ?? "");
    const range = known?.values.find(([what]) => what === "range")?.[1] ?? 0;
    return {
      name: wide && this.spoken?.named(piece.id) ? this.spoken.name(piece.id) : piece.name,
      symbol: piece.symbol,
      values,
      chip: piece.kind === "hq" ? "HQ" : (/\d+/.exec(values)?.[0] ?? ""),
      side: piece.side || owner,
      nation: known?.nation || piece.nation,
      kind: wide ? "ship" : piece.kind,
      wide,
      note: shown === "inactive" ? "inactive" : known && known.steps < steps ? "reduced" : "",
      range,
    };
  }

  /** The same face is drawn once and used again. @param {Print} print @param {{w: number, h: number}} size */
  body(print, { w, h }) {
    const group = s("g", {});
    group.append(
      s("rect", { class: "edge", x: -w / 2, y: -h / 2, width: w, height: h, rx: 4 }),
      s("rect", { class: "face", x: -w / 2 + 1, y: -h / 2 + 1, width: w - 2, height: h - 2, rx: 3 }),
    );
    if (print.note === "reduced")
      group.append(
        s("path", {
          class: "band",
          d: `M${-w / 2 + 1},${h / 2 - 15}h${w - 2}v12a2,2 0 0 1 -2,2h${6 - w}a2,2 0 0 1 -2,-2z`,
        }),
      );
    if (print.note === "inactive")
      group.append(s("path", { class: "grounded", d: `M${-w / 2 + 2},${h / 2 - 2}L${w / 2 - 2},${-h / 2 + 2}` }));
    if (print.kind === "chit") {
      group.append(
        s("circle", { class: "chit-ring", r: Math.min(w, h) / 2 - 4 }),
        s("text", { class: `chit-name${print.name.length > 5 ? " long" : ""}`, y: 4, text: print.name }),
      );
      return group;
    }
    if (print.wide) {
      group.append(
        s("use", {
          class: "silhouette",
          href: `#${this.own}${print.symbol}`,
          x: -w / 2 + 5,
          y: -h / 2 + 14,
          width: w - 10,
          height: 24,
        }),
      );
      group.append(
        s("text", {
          class: "ship-name",
          y: -h / 2 + 12.5,
          text: print.name.length > 17 ? `${print.name.slice(0, 16)}…` : print.name,
        }),
      );
      group.append(s("text", { class: "values", y: h / 2 - 4, text: print.values }));
    } else {
      if (print.symbol)
        group.append(
          s("use", {
            class: "symbol",
            href: `#${this.own}${print.symbol}`,
            x: -w / 2 + 3,
            y: -h / 2 + 1,
            width: 35,
            height: 32.8,
          }),
        );
      if (print.chip)
        group.append(
          s("text", { class: `chip-value${print.chip.length > 1 ? " long" : ""}`, y: 13, text: print.chip }),
        );
      if (print.name)
        group.append(
          s("text", {
            class: `unit-name${print.name.length > 4 ? " long" : ""}`,
            x: w / 2 - 8.5,
            y: -h / 2 + 5,
            transform: `rotate(90 ${w / 2 - 8.5} ${-h / 2 + 5})`,
            text: print.name,
          }),
        );
      group.append(
        s("text", {
          class: `values${print.values.length > 8 ? " longest" : print.values.length > 6 ? " longer" : print.values.length > 5 ? " long" : ""}`,
          y: h / 2 - 4,
          text: print.values,
        }),
      );
    }
    return group;
  }

  /** @param {Print} print */
  classes(print) {
    return `counter kind-${print.kind} side-${word(print.side) || "none"} nation-${word(print.nation) || "none"}${print.note ? ` ${print.note}` : ""}`;
  }

  /** Markers on a counter. @param {Map<string, any> | undefined} marks @param {{w: number, h: number}} size */
  badges(marks, { w, h }) {
    const group = s("g", { class: "badges" });
    let x = -w / 2 + 2;
    for (const [marker, value] of marks ?? []) {
      if (marker === "activated") continue;
      const text =
        marker === "damage" || marker === "load"
          ? typeof value === "number"
            ? String(value)
            : "?"
          : marker === "lost"
            ? `−${typeof value === "number" ? value : "?"}`
            : (GLYPHS[marker] ?? marker.slice(0, 1).toUpperCase());
      group.append(
        s(
          "g",
          { class: `badge badge-${word(marker)}`, transform: `translate(${x},${-h / 2 + 1})` },
          s("circle", { r: 8 }),
          s("text", { y: 4, text }),
        ),
      );
      x += 14;
    }
    return group;
  }
}

/** @type {Record<string, string>} */
const GLYPHS = {
  disabled: "✕",
  out_of_supply: "!",
  surrounded: "‼",
  failed: "↓",
  escaped: "↗",
  replenished: "+",
  free: "·",
  pressed: "»",
  dg: "D",
  strat: "S",
  exploit: "E",
  reserve: "R",
  oos: "!",
  formation: "▣",
  "marker.kg_pape": "▣",
  low: "½",
  exhausted: "0",
  fuelled: "F",
  finished: "·",
  flown: "·",
  extender: "▸",
};

/** A text as part of a class. @param {string} text */
export const word = (text) => String(text).replace(/[^A-Za-z0-9_-]/g, "-");
