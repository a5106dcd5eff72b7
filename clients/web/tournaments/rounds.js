// @ts-check
/** The rounds of a tournament: boards, results, byes, the deadlines that count down. */

import { face, momentOf } from "../ui/clockface.js";
import { h, show } from "../ui/dom.js";
import { spokenLanguage, t } from "../words/words.js";

/** The name of an entrant by their number. @typedef {(number: number) => string} Named */

/** A deadline, which counts down. @param {string} key @param {number | null} until @param {import("../words/phrases.js").Phrases} spoken @param {boolean} [gone] whether it says nothing once it is over @param {Record<string, any>} [args] */
export function due(key, until, spoken, gone = false, args = {}) {
  return until === null
    ? null
    : h("p", {
        class: "cup-due",
        "data-until": until,
        "data-gone": gone ? "" : null,
        "data-text": spoken.text(key, { ...args, when: momentOf(until, spokenLanguage()) }),
      });
}

/** Where an auction stands, and until when there is time for sides that are not settled. @param {any} round @param {any} board @param {import("../words/phrases.js").Phrases} spoken @param {Named} named */
export function sidesOpen(round, board, spoken, named) {
  const { auction } = board;
  const said = auction
    ? {
        name: named(auction.speaks),
        side: spoken.name(round.seats[auction.seat]),
        amount: String(auction.half_units / 2),
        holder: named(auction.holder),
      }
    : {};
  return [
    auction
      ? h("p", {
          class: "cup-auction",
          text: spoken.text(auction.holder ? "tournament.auction.offered" : "tournament.auction.first", said),
        })
      : null,
    due(auction ? "tournament.due.word" : "tournament.due.sides", board.sides_until_ms, spoken),
  ];
}

/** Who has a bye, a line for each kind. @param {any} round @param {import("../words/phrases.js").Phrases} spoken @param {Named} named */
export function byes(round, spoken, named) {
  /** @type {Map<string, string[]>} */
  const names = new Map();
  for (const [number, kind] of round.byes) names.set(kind, [...(names.get(kind) ?? []), named(number)]);
  return [...names].map(([kind, all]) =>
    h("p", { text: spoken.text("tournament.byes", { kind: spoken.text(`tournament.bye.${kind}`), names: all }) }),
  );
}

/** Every round with its boards, the newest first. @param {HTMLElement} element where they are drawn @param {Record<string, any>} told @param {import("../words/phrases.js").Phrases} spoken @param {Named} named */
export function drawRounds(element, told, spoken, named) {
  const rounds = [...told.rounds].reverse();
  show(
    element,
    h("h2", { id: "cup-rounds", text: t("tournament.rounds") }),
    rounds.length ? null : h("p", { class: "empty", text: t("tournament.rounds.none") }),
    rounds.map((round, index) =>
      h(
        "details",
        { class: "cup-round", "data-part": `round ${round.round}`, open: index === 0 },
        h("summary", { text: t("tournament.round", { round: round.round }) }),
        h(
          "div",
          { class: "cup-scroll" },
          h(
            "table",
            {},
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                ["board", "entrants", "result", "game"].map((name) =>
                  h("th", { scope: "col", text: t(`tournament.column.${name}`) }),
                ),
              ),
            ),
            h(
              "tbody",
              {},
              round.boards.map((/** @type {any} */ board) => row(round, board, spoken, named)),
            ),
          ),
        ),
        byes(round, spoken, named),
      ),
    ),
  );
}

/** @param {any} round @param {any} board @param {import("../words/phrases.js").Phrases} spoken @param {Named} named */
function row(round, board, spoken, named) {
  const [seat, units] = board.handicap;
  const sitting = board.entrants.map((/** @type {number} */ number, /** @type {number} */ index) =>
    h(
      "span",
      { class: board.seated ? `side-${round.seats[index]}` : null },
      index ? " – " : "",
      h("b", { text: named(number) }),
      board.seated ? ` (${spoken.name(round.seats[index])}${units && seat === index ? ` +${units / 2}` : ""})` : "",
    ),
  );
  const result = board.results
    ? board.results.map((/** @type {string} */ one) => t(`tournament.result.${one}`)).join(" : ") +
      (board.manner === "played" ? "" : ` (${t(`tournament.manner.${board.manner}`)})`)
    : board.seated
      ? ""
      : t("tournament.bids", { n: board.bids });
  return h(
    "tr",
    { "data-board": board.board },
    h("th", { scope: "row", text: String(board.board) }),
    h("td", {}, sitting, sidesOpen(round, board, spoken, named)),
    h("td", { text: result, title: board.reason || null }),
    h(
      "td",
      {},
      board.game
        ? [
            h("a", { href: `/game/${board.game}`, text: board.game }),
            board.results ? null : h("span", { class: "cup-state", "data-game": board.game }),
          ]
        : null,
    ),
  );
}

/** What counts down on the page, and how far the games are. @param {import("../words/phrases.js").Phrases} spoken @param {Map<string, any>} rows of the games */
export function countDown(spoken, rows) {
  for (const shown of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".cup .cup-due[data-until]"))) {
    const left = Number(shown.dataset.until) - Date.now();
    shown.hidden = left <= 0 && "gone" in shown.dataset;
    const text = `${shown.dataset.text} (${face(Math.max(0, left), spoken)})`;
    if (shown.textContent !== text) shown.textContent = text;
  }
  for (const shown of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".cup [data-game]"))) {
    const row = rows.get(shown.dataset.game ?? "");
    if (!row) continue;
    let text = row.stage === "playing" ? t("row.playing", { seq: row.seq }) : t(`stage.${row.stage}`);
    if (row.stage === "playing" && row.awaits.length)
      text += ` · ${t("to_decide", { seats: row.awaits.map((/** @type {string} */ seat) => spoken.name(seat)) })}`;
    if (row.deadline_ms)
      text += ` · ${t("row.clock", { left: face(Math.max(0, row.deadline_ms - Date.now()), spoken) })}`;
    if (shown.textContent !== text) shown.textContent = text;
  }
}
