// @ts-check
/** A game as a card of a list. */

import { h } from "../ui/dom.js";
import { plain } from "../show/score.js";
import { phrases, sought, spokenLanguage, t } from "../words/words.js";

/** @typedef {{game: string, title: string, stage: string, seq: number, seats: [string, string][], awaits: string[], winner: string | null, reason: any, created_ms: number, at_ms?: number, delay_s: number, delay_turns?: number, format?: number, unsigned?: string[], deadline_ms?: number | null, turn?: [number, number | null] | null, score?: {told: string, points: [string, number][]} | null, round?: [string, number] | null, viewers?: number, archived?: boolean}} GameLine */

/** @param {GameLine} line */
export function row(line) {
  const spoken = phrases(line.title);
  const begun = line.stage !== "gathering";
  const points = new Map(begun && line.score?.told === "each" ? line.score.points : []);
  const seats = line.seats.map(([seat, player]) =>
    h(
      "span",
      { class: `seat side-${seat}${line.winner === seat ? " winner" : ""}` },
      h("b", { text: spoken.name(seat) }),
      ` ${player || "–"}`,
      points.has(seat)
        ? h(
            "span",
            { class: "points" },
            h("span", { class: "sr-only", text: t("score") }),
            ` ${plain(points.get(seat) ?? 0)}`,
          )
        : null,
    ),
  );
  let state = t(`stage.${line.stage}`);
  if (line.stage === "playing") state = t("row.playing", { seq: line.seq });
  const awaited =
    line.stage === "playing" && line.awaits.length
      ? h("span", { class: "awaited", text: t("to_decide", { seats: line.awaits.map((seat) => spoken.name(seat)) }) })
      : null;
  const result =
    line.stage === "ended" && line.reason
      ? h("span", {
          class: "result",
          text: line.winner
            ? spoken.text("ui.won", { seat: line.winner, reason: line.reason })
            : spoken.text("ui.no_winner", { reason: line.reason }),
        })
      : null;
  return h(
    "li",
    { class: `game-row game-card stage-${line.stage}` },
    picture(line.title),
    h(
      "a",
      { href: `/game/${line.game}`, class: "game-link" },
      h("span", { class: "game-title", text: spoken.name(line.title) || line.game }),
      h("code", { text: line.game }),
    ),
    h("span", { class: "seats" }, seats),
    begun ? stand(line, spoken) : null,
    h(
      "span",
      { class: "state" },
      line.stage === "playing" ? h("span", { class: "live-dot", "aria-hidden": "true" }) : null,
      state,
      awaited ? " · " : null,
      awaited,
      result,
    ),
    line.round
      ? h("a", {
          class: "round",
          href: `/tournament/${encodeURIComponent(line.round[0])}`,
          text: t("row.round", { n: line.round[1] }),
        })
      : null,
    line.viewers ? h("span", { class: "viewers", text: t("row.viewers", { n: line.viewers }) }) : null,
    h("time", {
      class: "date",
      datetime: new Date(dateOf(line)).toISOString(),
      text: new Date(dateOf(line)).toLocaleDateString(spokenLanguage(), { dateStyle: "medium" }),
    }),
    line.deadline_ms ? h("span", { class: "clock", role: "timer", "data-deadline": line.deadline_ms }) : null,
    signing(line, spoken),
    line.delay_s ? h("span", { class: "delay", text: t("delayed", { n: line.delay_s }) }) : null,
    line.delay_turns ? h("span", { class: "delay", text: t("delayed_turns", { n: line.delay_turns }) }) : null,
    line.archived ? h("span", { class: "archived", text: t("row.archived") }) : null,
    line.stage === "ended"
      ? h("a", {
          class: "download",
          href: `/archive/${line.game}.wlog`,
          download: `${line.game}.wlog`,
          text: t("download"),
        })
      : null,
  );
}

/** The turn, and by how much a side leads where that is what counts. @param {GameLine} line @param {import("../words/phrases.js").Phrases} spoken */
function stand({ turn, score }, spoken) {
  const parts = [];
  if (turn)
    parts.push(
      h("span", {
        class: "turn",
        text: turn[1] !== null ? t("score.turn_of", { n: turn[0], last: turn[1] }) : t("score.turn", { n: turn[0] }),
      }),
    );
  if (score?.told === "lead" && score.points.length) {
    const [[first, one], [second, other] = ["", 0]] = score.points;
    const leader = one < other ? second : first;
    parts.push(
      h("b", {
        class: `lead-points${one === other ? "" : ` side-${leader}`}`,
        text: one === other ? t("score.even") : `${spoken.name(leader)} +${Math.abs(one - other)}`,
      }),
    );
  }
  return parts.length ? h("span", { class: "stand" }, parts) : null;
}

/** When something last happened in a game. @param {GameLine} line */
export const dateOf = ({ at_ms = 0, created_ms }) => at_ms || created_ms;

/** The picture of a title; one that has none here shows its plain ground. @param {string} title */
function picture(title) {
  const image = h("img", {
    class: "card-picture",
    src: `/pictures/${encodeURIComponent(title)}.webp`,
    alt: "",
    width: 480,
    height: 270,
    loading: "lazy",
    decoding: "async",
  });
  image.addEventListener("error", () => image.classList.add("missing"));
  return image;
}

/** Whether every word is in what a card says. @param {GameLine} line @param {string} words */
export function matches(line, words) {
  const spoken = phrases(line.title);
  const said = sought(
    [
      line.game,
      line.title,
      spoken.name(line.title),
      ...line.seats.flatMap(([seat, player]) => [spoken.name(seat), player]),
    ].join(" "),
  );
  return sought(words)
    .split(/\s+/)
    .every((word) => said.includes(word));
}

/** The seats of a game that sign nothing. @param {GameLine} line @param {import("../words/phrases.js").Phrases} spoken */
function signing({ unsigned = [] }, spoken) {
  if (!unsigned.length) return null;
  return h("span", {
    class: "unsigned",
    text: t("check.unsigned", { seats: unsigned.map((seat) => spoken.name(seat)) }),
  });
}
