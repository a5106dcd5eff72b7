// @ts-check
/** A game as a row of a list. */

import { SIGNED_FORMAT } from "./acts.js";
import { h } from "./dom.js";
import { phrases, t } from "./words.js";

/** @typedef {{game: string, title: string, stage: string, seq: number, seats: [string, string][], awaits: string[], winner: string | null, reason: any, created_ms: number, delay_s: number, format?: number, unsigned?: string[], deadline_ms?: number | null}} GameLine */

/** @param {GameLine} line */
export function row(line) {
  const spoken = phrases(line.title);
  const seats = line.seats.map(([seat, player]) => h("span", { class: `seat side-${seat}` }, h("b", { text: spoken.name(seat) }), ` ${player || "–"}`));
  let state = t(`stage.${line.stage}`);
  if (line.stage === "playing") state = t("row.playing", { seq: line.seq });
  const awaited = line.stage === "playing" && line.awaits.length ? h("span", { class: "awaited", text: t("to_decide", { seats: line.awaits.map((seat) => spoken.name(seat)) }) }) : null;
  const result = line.stage === "ended" && line.reason ? h("span", { class: "result", text: line.winner ? spoken.text("ui.won", { seat: line.winner, reason: line.reason }) : spoken.text("ui.no_winner", { reason: line.reason }) }) : null;
  return h("li", { class: `game-row stage-${line.stage}` },
    h("a", { href: `/game/${line.game}`, class: "game-link" }, h("span", { class: "game-title", text: spoken.name(line.title) || line.game }), h("code", { text: line.game })),
    h("span", { class: "seats" }, seats),
    h("span", { class: "state" }, line.stage === "playing" ? h("span", { class: "live-dot", "aria-hidden": "true" }) : null, state, awaited ? " · " : null, awaited, result),
    line.deadline_ms ? h("span", { class: "clock", role: "timer", "data-deadline": line.deadline_ms }) : null,
    signing(line, spoken),
    line.delay_s ? h("span", { class: "delay", text: t("delayed", { n: line.delay_s }) }) : null,
    line.stage === "ended" ? h("a", { class: "download", href: `/archive/${line.game}.wlog`, download: `${line.game}.wlog`, text: t("download") }) : null);
}

/** The seats of a game that sign nothing. @param {GameLine} line @param {import("./phrases.js").Phrases} spoken */
function signing({ format = SIGNED_FORMAT, unsigned = [] }, spoken) {
  const text = format < SIGNED_FORMAT ? t("row.former") : unsigned.length ? t("check.unsigned", { seats: unsigned.map((seat) => spoken.name(seat)) }) : "";
  return text ? h("span", { class: "unsigned", text }) : null;
}
