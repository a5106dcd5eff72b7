// @ts-check
/** The tables of a tournament: who is in it, standings with how each place came about, crosstable, bracket. */

import { button, h, show } from "../ui/dom.js";
import { t } from "../words/words.js";

/** @typedef {import("../words/phrases.js").Phrases} Phrases */

/** Tie-breaks may have modifiers after a colon. @param {string} name @param {Phrases} spoken */
const tieBreak = (name, spoken) =>
  spoken.has(`tournament.tiebreak.${name.split(":")[0]}`)
    ? spoken.text(`tournament.tiebreak.${name.split(":")[0]}`) +
      (name.includes(":")
        ? ` (${name
            .split(":")
            .slice(1)
            .map((part) => spoken.name(part))
            .join(", ")})`
        : "")
    : name;

/** A tie-break at the head of its column: in few words, where its name is long. @param {string} name @param {Phrases} spoken */
const heading = (name, spoken) =>
  spoken.has(`web.tournament.head.${name}`) ? t(`tournament.head.${name}`) : tieBreak(name, spoken);

/** Who has entered, and whether they are here for the round to come. @param {any} told */
export function entrants(told) {
  /** @type {any[]} */
  const people = told.entrant_list;
  if (!people.length) return h("p", { class: "empty", text: t("tournament.entrants.none") });
  const asked = told.check_in && told.state !== "finished";
  const state = (/** @type {any} */ one) => {
    const is = !one.present ? "gone" : !asked ? "in" : one.checked ? "checked" : "awaited";
    return t(`tournament.entrant.${is}`);
  };
  return h(
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
          ["number", "name", "rating", "state"].map((name) =>
            h("th", { scope: "col", text: t(`tournament.column.${name}`) }),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        people.map((one) =>
          h(
            "tr",
            {},
            h("th", { scope: "row", text: String(one.number) }),
            h("td", { text: one.name }),
            h("td", { text: one.rating ? String(one.rating) : "–" }),
            h("td", { text: state(one) }),
          ),
        ),
      ),
    ),
  );
}

/**
 * @param {any} told @param {Phrases} spoken @param {(number: number) => Promise<any[]>} explain how the place of an entrant came about, as sentences
 */
export function standings(told, spoken, explain) {
  /** @type {string[]} */
  const names = told.tiebreaks;
  return h(
    "div",
    { class: "cup-scroll" },
    h(
      "table",
      { class: "cup-standings" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col", text: t("tournament.column.place") }),
          h("th", { scope: "col", text: t("tournament.column.why") }),
          h("th", { scope: "col", text: t("tournament.column.name") }),
          h("th", { scope: "col", text: t("tournament.column.points") }),
          names.map((name) => h("th", { scope: "col", title: tieBreak(name, spoken), text: heading(name, spoken) })),
        ),
      ),
      h(
        "tbody",
        {},
        told.standings.flatMap((/** @type {any} */ row) => {
          const why = h("tr", { class: "cup-why", hidden: true });
          const opener = button({
            "aria-expanded": "false",
            "data-why": row.number,
            "aria-label": t("tournament.why", { name: row.name }),
            text: "?",
            onclick: async () => {
              const open = why.hidden;
              why.hidden = !open;
              opener.setAttribute("aria-expanded", String(open));
              if (!open || why.childElementCount) return;
              const says = await explain(row.number).catch(() => []);
              show(
                why,
                h(
                  "td",
                  { colspan: names.length + 4 },
                  h(
                    "ul",
                    {},
                    says.map((said) => h("li", { text: spoken.say(said) })),
                  ),
                ),
              );
            },
          });
          return [
            h(
              "tr",
              {},
              h("th", { scope: "row", text: String(row.place) }),
              h("td", {}, opener),
              h("td", { text: row.name }),
              h("td", { class: "figure", text: String(row.points) }),
              names.map((name) => h("td", { class: "figure", text: asShown(name, row.tiebreaks[name] ?? "") })),
            ),
            why,
          ];
        }),
      ),
    ),
  );
}

/** A tie-break's value as people read it: a lot or a starting number, of which the lowest comes first, has a value below 0. @param {string} name @param {string} value */
function asShown(name, value) {
  return name === "lots" || name === "number" ? value.replace(/^-/, "") : value;
}

/** Whom everybody met, on which side, with what result. @param {any} told @param {Phrases} spoken */
export function crosstable(told, spoken) {
  /** @type {any[]} */
  const rounds = told.rounds;
  /** @type {any[]} */
  const people = told.standings.length ? told.standings : told.entrant_list;
  const cell = (/** @type {any} */ round, /** @type {number} */ number) => {
    const board = round.boards.find((/** @type {any} */ one) => one.entrants.includes(number));
    if (!board) {
      const bye = round.byes.find((/** @type {[number, string]} */ [who]) => who === number);
      return h("td", {
        text: bye ? t("tournament.bye") : "–",
        title: bye ? spoken.text(`tournament.bye.${bye[1]}`) : null,
      });
    }
    const index = board.entrants.indexOf(number);
    const others = board.entrants.filter((/** @type {number} */ one) => one !== number).join(", ");
    const side = board.seated ? spoken.name(round.seats[index]) : "";
    const result = board.results ? t(`tournament.short.${board.results[index]}`) : "·";
    return h("td", {
      text: `${result} ${others}`,
      title: [side, board.results ? t(`tournament.result.${board.results[index]}`) : ""].filter(Boolean).join(", "),
    });
  };
  return h(
    "div",
    { class: "cup-scroll" },
    h(
      "table",
      { class: "cup-cross" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col", text: t("tournament.column.number") }),
          h("th", { scope: "col", text: t("tournament.column.name") }),
          rounds.map((round) =>
            h("th", {
              scope: "col",
              "aria-label": t("tournament.round", { round: round.round }),
              text: String(round.round),
            }),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        people.map((one) =>
          h(
            "tr",
            {},
            h("th", { scope: "row", text: String(one.number) }),
            h("td", { text: one.name }),
            rounds.map((round) => cell(round, one.number)),
          ),
        ),
      ),
    ),
  );
}

/** The rounds of an elimination side by side. @param {any} told @param {(number: number) => string} name */
export function bracket(told, name) {
  const rounds = told.rounds.filter((/** @type {any} */ round) => round.stage === told.stage);
  return h(
    "div",
    { class: "cup-scroll" },
    h(
      "ol",
      { class: "cup-bracket" },
      rounds.map((/** @type {any} */ round) =>
        h(
          "li",
          {},
          h("h3", { text: t("tournament.round", { round: round.round }) }),
          h(
            "ul",
            {},
            round.boards.map((/** @type {any} */ board) =>
              h(
                "li",
                {},
                board.entrants.map((/** @type {number} */ number, /** @type {number} */ index) => {
                  const won = /win/.test(board.results?.[index] ?? "");
                  return h("span", { class: won ? "won" : null, text: won ? `${name(number)} ✓` : name(number) });
                }),
              ),
            ),
            round.byes
              .filter((/** @type {[number, string]} */ [, kind]) => kind === "pairing_bye")
              .map((/** @type {[number, string]} */ [number]) =>
                h("li", {}, h("span", { class: "won", text: name(number) })),
              ),
          ),
        ),
      ),
    ),
  );
}
