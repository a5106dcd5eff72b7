// @ts-check
/**
 * Message keys to sentences: the placeholders of protocol/texts/phrases.py, with the same meaning.
 *
 *   {x} as it is · {x:name} a name · {x:way} names as a way · {x:say} a key or [key, arguments, rule] · {x:dice} pips · {x:signed} +2 or −1 · {x:plural:a|b}
 *
 * Nothing here throws: a missing key shows as [key], a missing argument as ⟨x?⟩.
 */

import { Seal } from "../records/canon.js";
import { formOf, rulesOf } from "./plurals.js";

/** @typedef {import("../protocol.d.ts").SayArray} SayArray */

const PLACEHOLDER = /\{\{|\}\}|\{([a-z_][a-z_0-9]*)(?::([a-z]+)(?::([^{}]*))?)?\}/g;
const PIPS = ["⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];
const DEPTH_MAX = 4;

/** @param {any} value @returns {string} */
export function plain(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return value >= 0 ? String(value) : `−${-value}`;
  if (typeof value === "boolean") return value ? "✓" : "✗";
  if (value instanceof Uint8Array) return Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (Array.isArray(value)) return value.map(plain).join(", ");
  return String(value);
}

/** @param {any} pip */
const pipOf = (pip) => (Number.isInteger(pip) && pip >= 1 && pip <= 6 ? PIPS[pip - 1] : plain(pip));

export class Phrases {
  /**
   * @param {Record<string, string>} catalogue
   * @param {{title?: string, fallback?: Record<string, string>, names?: Record<string, string>, language?: string}} [more]
   */
  constructor(catalogue, { title = "", fallback = {}, names = {}, language = "en" } = {}) {
    this.catalogue = catalogue;
    this.fallback = fallback;
    this.names = names;
    this.title = title;
    this.language = language;
    this.rules = rulesOf(catalogue);
    this.fallbackRules = rulesOf(fallback);
  }

  /** @param {string} key @returns {string | undefined} */
  #find(key) {
    return this.catalogue[key] ?? this.fallback[key];
  }

  /** @param {string} key */
  has(key) {
    return this.#find(key) !== undefined;
  }

  /** @param {string} key @param {Record<string, any>} [args] */
  text(key, args = {}) {
    return this.#render(key, args, 0);
  }

  /** @param {SayArray | {key: string, args: [string, any][]}} said the sentence, without its clause */
  say(said) {
    const [key, args] = Array.isArray(said) ? said : [said.key, said.args];
    return this.#render(key, Object.fromEntries(args), 0);
  }

  /** @param {any} id @returns {string} */
  name(id) {
    if (id instanceof Seal) return this.text("text.hidden");
    if (typeof id !== "string") return plain(id);
    return (
      this.#find(`name.${this.title}.${id}`) ??
      this.#find(`name.${id}`) ??
      this.names[id] ??
      this.#find(`pick.${this.title}.${id}`) ??
      this.#find(`pick.${id}`) ??
      id
    );
  }

  /**
   * A marker with its amount: by a text `mark.<title>.<marker>`, `mark.<marker>` or `mark.<its first part>`, else its name and an amount
   * other than 1. @param {string} marker @param {any} value
   */
  mark(marker, value) {
    if (typeof value === "number") {
      const [kind, ...rest] = marker.split(".");
      const key = [`mark.${this.title}.${marker}`, `mark.${marker}`, `mark.${kind}`].find((one) => this.has(one));
      if (key) return this.#render(key, { n: value, side: rest.join(".") }, 0);
    }
    return typeof value === "number" && value !== 1 ? `${this.name(marker)} ${plain(value)}` : this.name(marker);
  }

  /** @param {string} id whether it has a name of its own */
  named(id) {
    return this.name(id) !== id;
  }

  /** @param {string} id whether it is something of the game, a piece or a place, rather than a word of its rules */
  ofGame(id) {
    return this.names[id] !== undefined || this.has(`name.${this.title}.${id}`);
  }

  /** @param {string | number} pick */
  pick(pick) {
    if (typeof pick === "string") {
      const text = this.#find(`pick.${this.title}.${pick}`) ?? this.#find(`pick.${pick}`);
      if (text !== undefined) return text;
    }
    return this.name(pick);
  }

  /**
   * The text of an option on offer. A label is shown only where the pick has no name of its own: otherwise a server could show one pick and have another signed.
   * @param {{id: string | number, label: SayArray | null}} option
   */
  option({ id, label }) {
    const families = [`name.${this.title}`, "name", `pick.${this.title}`, "pick"];
    const isNamed =
      typeof id === "number" || this.names[id] !== undefined || families.some((family) => this.has(`${family}.${id}`));
    return label && !isNamed ? this.say(label) : this.pick(id);
  }

  /** @param {string[]} parts */
  joined(parts) {
    if (!parts.length) return this.text("text.none");
    if (parts.length === 1) return parts[0];
    const comma = this.#find("text.list.comma") ?? ", ";
    return parts.slice(0, -1).join(comma) + (this.#find("text.list.and") ?? comma) + parts[parts.length - 1];
  }

  /** @param {string} key @param {Record<string, any>} args @param {number} depth @returns {string} */
  #render(key, args, depth) {
    const text = this.#find(key);
    if (text === undefined) {
      const shown = Object.entries(args)
        .map(([name, value]) => `${name}=${plain(value)}`)
        .join(", ");
      return `[${key}${shown ? ": " : ""}${shown}]`;
    }
    if (!text.includes("{") && !text.includes("}")) return text;
    const rules = this.catalogue[key] === undefined ? this.fallbackRules : this.rules;
    return text.replace(PLACEHOLDER, (whole, name, kind, forms) => {
      if (name === undefined) return whole[0];
      if (!(name in args)) return `⟨${name}?⟩`;
      return this.#value(args[name], kind ?? "", forms ?? "", depth, rules);
    });
  }

  /** @param {any} value @param {string} kind @param {string} forms @param {number} depth @param {import("./plurals.js").Rule[]} rules @returns {string} */
  #value(value, kind, forms, depth, rules) {
    if (value instanceof Seal) return this.text("text.hidden");
    if (kind === "say") return this.#nested(value, depth);
    if (kind === "plural") {
      const n = Array.isArray(value) ? value.length : value;
      return formOf(n, forms.split("|"), rules);
    }
    if (Array.isArray(value)) {
      if (kind === "dice") return value.map(pipOf).join(" ") || this.text("text.none");
      const parts = value.map((item) => this.#value(item, kind, forms, depth, rules));
      return kind === "way" && parts.length ? parts.join(this.#find("text.list.way") ?? " → ") : this.joined(parts);
    }
    if (kind === "name" || kind === "way") return this.name(value);
    if (kind === "dice") return pipOf(value);
    if (kind === "signed" && Number.isInteger(value)) return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0";
    return plain(value);
  }

  /** @param {any} value @param {number} depth @returns {string} */
  #nested(value, depth) {
    if (depth >= DEPTH_MAX) return "…";
    if (typeof value === "string") return value ? this.#render(value, {}, depth + 1) : "";
    if (
      Array.isArray(value) &&
      (value.length === 2 || value.length === 3) &&
      typeof value[0] === "string" &&
      Array.isArray(value[1])
    ) {
      try {
        return this.#render(value[0], Object.fromEntries(value[1]), depth + 1);
      } catch {
        return plain(value);
      }
    }
    if (Array.isArray(value)) return this.joined(value.map((item) => this.#nested(item, depth + 1)));
    return plain(value);
  }
}
