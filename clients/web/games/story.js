// @ts-check
/**
 * The log as sentences, each with its clause and its record; dice with their receipt. A die that the next sentence mentions is not shown twice.
 */

import { called, readEnd } from "../records/acts.js";
import { Seal } from "../records/canon.js";
import { face, momentOf } from "../ui/clockface.js";
import { hex } from "../records/sha256.js";

/** Where a command says who acted. */
const BY = 4;

/** How a key is shown to people. @param {Uint8Array} key */
const keyName = (key) => hex(key).slice(0, 8);

/** @typedef {{kind: "turn" | "phase" | "sentence" | "dice" | "notice" | "secret", text: string, rule: string, dice: number[] | null, sides: number}} Line */

const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) === JSON.stringify(b);

/** @param {any[][]} effects @param {number} index */
function toldBy(effects, index) {
  const pips = effects[index][3];
  for (const effect of effects.slice(index + 1)) {
    if (effect[0] === "say") {
      return effect[2].some(
        (/** @type {[string, any]} */ [, value]) => same(value, pips) || (pips.length === 1 && value === pips[0]),
      );
    }
    if (effect[0] === "roll") return false;
  }
  return false;
}

/** Who asks for a pause, or to adjourn. @param {string} seat @param {string} what @param {number} until @param {import("../words/phrases.js").Phrases} spoken @returns {[string, Record<string, any>]} */
export function asksPause(seat, what, until, spoken) {
  return until
    ? [`ui.clock.asks_${what}_until`, { seat, at: momentOf(until, spoken.language) }]
    : [`ui.clock.asks_${what}`, { seat }];
}

/** A `ruling` record in words, a sentence for each remedy behind it. @param {string} actor @param {any[]} body @param {import("../words/phrases.js").Phrases} spoken @returns {[string, Record<string, any>][]} */
function rulingTold(actor, [what, n, a, b, c, d], spoken) {
  const key = `ui.ruling.${what}`;
  if (what === "claim")
    return [[a ? key : "ui.ruling.claim_other", { seat: a, who: actor, claim: n, to: b, clause: c, text: d }]];
  if (what === "looked") return [[key, { arbiter: actor, audience: n, from: a, to: b }]];
  if (what === "said" || what === "appeal") return [[key, { who: actor, claim: n, text: a }]];
  if (what === "corrected") return [[key, { arbiter: actor, claim: n, picks: a }]];
  if (what === "waived") return [[key, { seat: n }]];
  if (what !== "ruled") return [[key, { arbiter: actor, claim: n }]];
  const finding = `ruling.${a.replace(" ", "_")}`;
  return [
    [key, { arbiter: actor, claim: n, finding, clause: b, text: c }],
    ...d.map((/** @type {any[]} */ remedy) => remedyTold(remedy, spoken)),
  ];
}

/** @param {any[]} remedy @param {import("../words/phrases.js").Phrases} spoken @returns {[string, Record<string, any>]} */
function remedyTold([word, a, b], spoken) {
  if (word === "time")
    return [b > 0 ? "ui.remedy.time" : "ui.remedy.time_off", { seat: a, time: face(Math.abs(b), spoken) }];
  const args = word === "back" ? { to: a } : { seat: a, text: b };
  return [`ui.remedy.${word}`, args];
}

/** A `clock` record in words. @param {any[]} body @param {import("../words/phrases.js").Phrases} spoken @returns {[string, Record<string, any>]} */
function clockTold([what, a, b, c, d], spoken) {
  const moment = (/** @type {number} */ at) => momentOf(at, spoken.language);
  const time = (/** @type {number} */ ms) => face(ms, spoken);
  switch (what) {
    case "pause":
      return b ? ["ui.clock.pause_until", { at: moment(b) }] : ["ui.clock.pause", {}];
    case "credit": {
      const key = b > 0 ? "ui.clock.credit" : "ui.clock.debit";
      const args = { seat: a, time: time(Math.abs(b)) };
      return c ? ["ui.clock.why", { what: spoken.text(key, args), why: [c, d, ""] }] : [key, args];
    }
    case "outage":
      return ["ui.clock.outage", { time: time(b - a) }];
    case "leave":
      return ["ui.clock.leave", { seat: a, from: moment(b), to: moment(c) }];
    case "night":
      return [
        "ui.clock.night",
        {
          seat: a,
          from: `${String(Math.floor(b / 60)).padStart(2, "0")}:${String(b % 60).padStart(2, "0")} UTC`,
          time: time(c * 60_000),
        },
      ];
    default:
      return [`ui.clock.${what}`, { seat: a }];
  }
}

/**
 * @param {import("../records/chain.js").LogRecord} record @param {import("../words/phrases.js").Phrases} spoken
 * @returns {Line[]}
 */
export function tell(record, spoken) {
  /** @type {Line[]} */
  const lines = [];
  /** @type {import("../protocol.d.ts").Recorded} */
  const { kind, body } = /** @type {any} */ (record);
  /** @param {string} key @param {Record<string, any>} args @param {string} rule */
  const notice = (key, args, rule = "") =>
    lines.push({ kind: "notice", text: spoken.text(key, args), rule, dice: null, sides: 6 });
  if (kind === "genesis") notice("ui.opened", { game: body[1], title: body[2] });
  else if (kind === "seat" && body[0] === "taken") notice("ui.seat_taken", { seat: body[1], player: body[3] || "–" });
  else if (kind === "seat" && body[0] === "nonce") notice("ui.nonce_shown", { seat: body[1] });
  else if (kind === "seat" && body[0] === "device")
    notice("web.story.device", { seat: body[1], key: keyName(body[2]) });
  else if (kind === "seat" && body[0] === "revoked")
    notice("web.story.revoked", { seat: body[1], key: keyName(body[2]) });
  else if (kind === "seat" && body[0] === "replaced") {
    notice("ui.seat_replaced", { seat: body[1], player: body[3] || "–" });
    if (!body[6].length) notice("web.story.handed_over", { seat: body[1], seq: record.seq });
  } else if (kind === "orders") notice("web.story.orders", { seat: body[0] });
  else if (kind === "rotate") notice("web.story.rotated", { key: keyName(body[0]) });
  else if (kind === "command" && Array.isArray(body[BY]) && body[BY].length === 3)
    notice("web.story.by_orders", { seat: body[1], seq: body[BY][0] });
  else if (kind === "ask" && body[1] === "resign") notice("web.story.resigns", { seat: body[0] });
  else if (kind === "ask" && body[1] === "takeback") notice("ui.asks_takeback", { seat: body[0], to: body[2] });
  else if (kind === "ask" && body[1] === "draw") notice("ui.asks_draw", { seat: body[0] });
  else if (kind === "ask" && body[1] === "flag") notice("ui.clock.claims", { seat: body[0] });
  else if (kind === "ask") notice(...asksPause(body[0], body[1], body[2], spoken));
  else if (kind === "clock") notice(...clockTold(body, spoken));
  else if (kind === "ruling")
    for (const [key, args] of rulingTold(called(record.actor), body, spoken)) notice(key, args);
  else if (kind === "answer") notice(body[1] ? "ui.consents" : "ui.declines", { seat: body[0] });
  else if (kind === "takeback" && !body[0]) notice("ui.ruling.back", { arbiter: called(record.actor), to: body[1] });
  else if (kind === "takeback") notice("ui.taken_back", { seat: body[0], to: body[1] });
  else if (kind === "open") notice("ui.seed_opened", { epoch: body[0] });
  else if (kind === "end") {
    const { winner, reason } = readEnd(body);
    if (winner) notice("ui.won", { seat: winner, reason }, reason[2]);
    else notice("ui.no_winner", { reason }, reason[2]);
  }
  /** @type {{dice: number[], sides: number} | null} */
  let rolled = null;
  record.effects.forEach(([tag, a, b, c], index) => {
    if (tag === "say") {
      lines.push({
        kind: "sentence",
        text: spoken.say([a, b, c]),
        rule: c,
        dice: rolled ? rolled.dice : null,
        sides: rolled ? rolled.sides : 6,
      });
      rolled = null;
    } else if (tag === "roll") {
      if (toldBy(record.effects, index)) rolled = { dice: c, sides: b };
      else
        lines.push({
          kind: "dice",
          text: spoken.text("ui.dice", { purpose: a, dice: c }),
          rule: "",
          dice: c,
          sides: b,
        });
    } else if (tag === "phase")
      lines.push({ kind: "phase", text: spoken.say([a, b, ""]), rule: "", dice: null, sides: 6 });
    else if (tag === "open")
      lines.push({
        kind: a === "game" || a === "turn" ? "turn" : "phase",
        text: spoken.say([b, c, ""]),
        rule: "",
        dice: null,
        sides: 6,
      });
  });
  // One line tells it once, and only what has a name of the game's: a purpose or a mode in the rules' own words tells nobody anything.
  const names = [...new Set(record.secrets.flatMap(namesIn))].filter((id) => spoken.ofGame(id));
  if (names.length)
    lines.push({
      kind: "secret",
      text: spoken.text("web.hidden_line", { names: names.map((name) => spoken.name(name)) }),
      rule: "",
      dice: null,
      sides: 6,
    });
  return lines;
}

/** The ids in an opened value. @param {any} value @returns {string[]} */
function namesIn(value) {
  if (typeof value === "string") return value ? [value] : [];
  return Array.isArray(value) ? value.flatMap(namesIn) : [];
}

/** Receipts of a record's dice, as [epoch, counter, purpose, what was drawn or null while it is sealed]. @param {import("../records/chain.js").LogRecord} record */
export function receipts(record) {
  if (record.kind !== "command") return [];
  return record.body[5].map((/** @type {any[]} */ [epoch, counter, purpose, drawn]) => ({
    epoch,
    counter,
    purpose,
    drawn: drawn instanceof Seal ? null : drawn,
  }));
}
