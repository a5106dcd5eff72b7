// @ts-check
/**
 * Counters: what is printed on each, from the pack and the face that the log gives it, and their drawing. A symbol comes from the server's
 * sheet, used where it is needed; a side's colours are given by style sheets.
 */

import { s } from "../dom.js";

/** @typedef {{name: string, symbol: string, values: string, side: string, nation: string, kind: string, wide: boolean, note: string, range: number}} Print */

/** Every thing with an id in the pack. @param {any} pack @returns {Map<string, any>} */
export function indexOf(pack) {
  const found = new Map();
  /** @param {any} value @param {string} table */
  const walk = (value, table) => {
    if (Array.isArray(value)) for (const item of value) walk(item, table);
    else if (value && typeof value === "object") {
      if (typeof value.id === "string" && !found.has(value.id)) found.set(value.id, { ...value, table });
      for (const key of Object.keys(value)) walk(value[key], key);
    }
  };
  walk(pack, "");
  return found;
}

export class Counters {
  /** @param {any} pack @param {{pieces: Record<string, string>, kinds: Record<string, string>}} symbols @param {Element} sheet */
  constructor(pack, symbols, sheet) {
    this.index = indexOf(pack);
    this.symbols = symbols;
    /** symbol id -> its box @type {Map<string, string>} */
    this.boxes = new Map();
    for (const symbol of sheet.querySelectorAll("symbol")) this.boxes.set(symbol.id, symbol.getAttribute("viewBox") ?? "0 0 100 100");
  }

  /**
   * What a counter shows.
   * @param {string} id @param {any} face @param {string} owner @returns {Print}
   */
  print(id, face, owner) {
    const entry = this.index.get(id) ?? {};
    const text = typeof face === "string" ? face : "";
    const words = text.split(" ");
    const symbol = this.symbols.pieces[id] ?? this.symbols.kinds[words[1]] ?? this.symbols.kinds[entry.type] ?? this.symbols.kinds[entry.kind] ??
      (id.startsWith("air") ? this.symbols.kinds.air : undefined) ?? "";
    const reduced = /reduced/.test(text);
    let values = "";
    if (entry.full || entry.reduced) {
      const pair = (reduced ? entry.reduced : entry.full) ?? entry.full;
      values = [...(Array.isArray(pair) ? [pair[0]] : [pair]), entry.move].filter((part) => part !== undefined).join("-");
      if (Array.isArray(pair) && pair[0] !== pair[1]) values = [...pair, entry.move].join("-");
    } else if (entry.range !== undefined && entry.move !== undefined) values = `${entry.range}·${entry.move}`;
    else if (words.length > 2) values = words[words.length - 1];
    else values = words.length === 1 ? text : words[words.length - 1];
    const chit = entry.table === "chits" || id.startsWith("chit.");
    return {
      name: chit ? (entry.name ?? id) : (entry.name ?? ""), symbol: chit ? "" : symbol, values: chit ? "" : values, side: entry.side ?? owner ?? "",
      nation: entry.service ?? entry.nation ?? (words.length > 2 ? words[0] : ""), kind: chit ? "chit" : entry.table === "hqs" ? "hq" : symbol.startsWith("ship") ? "ship" : "unit",
      wide: symbol.startsWith("ship"), note: reduced ? "reduced" : "", range: entry.range ?? 0,
    };
  }

  /** The same face is drawn once and used again. @param {Print} print @param {{w: number, h: number}} size */
  body(print, { w, h }) {
    const group = s("g", {});
    group.append(s("rect", { class: "edge", x: -w / 2, y: -h / 2, width: w, height: h, rx: 4 }), s("rect", { class: "face", x: -w / 2 + 1, y: -h / 2 + 1, width: w - 2, height: h - 2, rx: 3 }));
    if (print.note === "reduced") group.append(s("path", { class: "band", d: `M${-w / 2 + 1},${h / 2 - 15}h${w - 2}v12a2,2 0 0 1 -2,2h${6 - w}a2,2 0 0 1 -2,-2z` }));
    if (print.kind === "chit") {
      group.append(s("circle", { class: "chit-ring", r: Math.min(w, h) / 2 - 4 }), s("text", { class: `chit-name${print.name.length > 5 ? " long" : ""}`, y: 4, text: print.name }));
      return group;
    }
    if (print.wide) {
      group.append(s("use", { class: "silhouette", href: `#${print.symbol}`, x: -w / 2 + 5, y: -h / 2 + 14, width: w - 10, height: 24 }));
      group.append(s("text", { class: "ship-name", y: -h / 2 + 12.5, text: print.name.length > 17 ? `${print.name.slice(0, 16)}…` : print.name }));
      group.append(s("text", { class: "values", y: h / 2 - 4, text: print.values }));
    } else {
      if (print.symbol) group.append(s("use", { class: "symbol", href: `#${print.symbol}`, x: -w / 2 + 3, y: -h / 2 + 1, width: 35, height: 32.8 }));
      if (print.name) group.append(s("text", { class: `unit-name${print.name.length > 4 ? " long" : ""}`, x: w / 2 - 8.5, y: -h / 2 + 5, transform: `rotate(90 ${w / 2 - 8.5} ${-h / 2 + 5})`, text: print.name }));
      group.append(s("text", { class: "values", y: h / 2 - 4, text: print.values }));
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
      const text = marker === "damage" ? (typeof value === "number" ? String(value) : "?") : (GLYPHS[marker] ?? marker.slice(0, 1).toUpperCase());
      group.append(s("g", { class: `badge badge-${word(marker)}`, transform: `translate(${x},${-h / 2 + 1})` }, s("circle", { r: 8 }), s("text", { y: 4, text })));
      x += 14;
    }
    return group;
  }
}

/** @type {Record<string, string>} */
const GLYPHS = { disabled: "✕", out_of_supply: "!", surrounded: "‼", failed: "↓", escaped: "↗", replenished: "+", free: "·", pressed: "»" };

/** A text as part of a class. @param {string} text */
export const word = (text) => String(text).replace(/[^A-Za-z0-9_-]/g, "-");
