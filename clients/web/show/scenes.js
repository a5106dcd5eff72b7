// @ts-check
/**
 * What belongs together: the effects of a record in parts, each under the combat it belongs to, and the parts of several records that are one
 * scene. A record may end one combat and begin the next.
 */

/** @typedef {import("../link/watch.js").Span} Span */
/** @typedef {{span: Span | null, effects: any[][]}} Part what happened one after the other under one combat, or under none */
/** @typedef {{seq: number, part: number, ms: number}} Beat one thing to look at: a part of a record, and how long it is looked at */

/** The span whose parts are one scene. */
const COMBAT = "combat";

/** @param {import("../link/watch.js").Watch} watch @param {number} seq @returns {Span[]} the spans that were open before a record, from the outermost */
const openBefore = (watch, seq) => watch.spans.filter((span) => span.from < seq && (span.to < 0 || span.to >= seq));

/** @param {import("../link/watch.js").Watch} watch @param {number} seq @returns {Part[]} */
export function partsOf(watch, seq) {
  const record = watch.records[seq];
  if (!record) return [];
  const begun = watch.spans.filter((span) => span.from === seq);
  const stack = openBefore(watch, seq);
  const now = () => stack.findLast(({ span }) => span === COMBAT) ?? null;
  /** @type {Part[]} */
  const parts = [{ span: now(), effects: [] }];
  for (const effect of record.effects) {
    if (effect[0] === "open") {
      const span = begun.shift();
      if (span) stack.push(span);
    }
    if (now() !== parts[parts.length - 1].span && effect[0] === "open") parts.push({ span: now(), effects: [] });
    parts[parts.length - 1].effects.push(effect);
    if (effect[0] === "close") {
      const at = stack.findLastIndex(({ span }) => span === effect[1]);
      if (at >= 0) stack.splice(at);
      if (now() !== parts[parts.length - 1].span) parts.push({ span: now(), effects: [] });
    }
  }
  return parts.filter((part) => part.effects.length);
}

/** Whether a part says or shows anything. @param {Part} part */
export const tells = ({ effects }) =>
  effects.some(([tag]) => !["await", "close", "mark", "veil", "learn", "count"].includes(tag));

/**
 * What a combat has been so far: its effects up to a part of a record.
 * @param {import("../link/watch.js").Watch} watch @param {Span} span @param {number} seq @param {number} part
 */
export function sceneOf(watch, span, seq, part) {
  /** @type {{seq: number, effects: any[][]}[]} */
  const found = [];
  for (let at = span.from; at <= seq; at++) {
    const parts = partsOf(watch, at);
    for (let i = 0; i < parts.length && (at < seq || i <= part); i++) {
      if (parts[i].span === span) found.push({ seq: at, effects: parts[i].effects });
    }
  }
  return found;
}

/** How long a part is looked at, in ms at speed 1. @param {Part} part */
export function paceOf({ span, effects }) {
  let ms = 0;
  let says = 0;
  let dice = 0;
  for (const [tag, , b] of effects) {
    if (tag === "say") says++;
    else if (tag === "roll") dice++;
    else if (tag === "move") ms = Math.max(ms, 500 + 60 * Math.min(6, b.length));
    else if (tag === "open") ms = Math.max(ms, 1200);
    else if (tag === "put" && b === "in_hand") ms = Math.max(ms, 1300);
  }
  if (dice) return Math.min(6000, 2000 + 400 * says + 150 * dice);
  if (span && says) return Math.max(ms, 900 + 300 * Math.min(4, says));
  return Math.max(ms, says ? 600 : 0);
}

/** The beats of records. @param {import("../link/watch.js").Watch} watch @param {number} from @param {number} to @returns {Beat[]} */
export function beatsOf(watch, from, to) {
  /** @type {Beat[]} */
  const beats = [];
  for (let seq = from; seq <= to; seq++) {
    const parts = partsOf(watch, seq);
    const shown = parts.map((part, i) => ({ seq, part: i, ms: tells(part) ? paceOf(part) : 0 })).filter(({ ms }) => ms);
    beats.push(...(shown.length ? shown : [{ seq, part: Math.max(0, parts.length - 1), ms: 0 }]));
  }
  return beats;
}
