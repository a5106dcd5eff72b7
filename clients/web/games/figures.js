// @ts-check
/** The figures of a game beside its board: who would win, turn by turn, where the host has had it played on, and the luck of each side. */

import { button, h, s, show } from "../ui/dom.js";
import { t } from "../words/words.js";

const WIDE = 300;
const HIGH = 120;
/** How far apart the names of turns are at least. */
const LABEL = 16;
/** How long after a live game's records its luck is asked for again, in ms. */
const AGAIN_MS = 5000;

/**
 * @typedef {{seq: number, args: [string, any][], played: number, drawn: number, odds: Record<string, [number, number, number]>}} Point
 * @typedef {{player: string, seats: string[], points: Point[]}} Analysis
 * @typedef {{total: number, expected: [number, number], deviations: string}} Tally
 */

export class FiguresPane {
  /** @param {string} game @param {(seq: number) => void} go @param {(analysis: Analysis) => void} onAnalysis */
  constructor(game, go, onAnalysis) {
    this.game = game;
    this.go = go;
    this.onAnalysis = onAnalysis;
    this.element = h("div", { class: "figures" });
    /** @type {Analysis | null} */
    this.analysis = null;
    /** @type {any} */
    this.luck = null;
    this.asked = -1;
    this.shown = false;
    /** the records that there are, told when the luck was last drawn */
    this.last = -1;
    this.ended = false;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {import("../words/phrases.js").Phrases | null} */
    this.spoken = null;
  }

  /** @param {import("../words/phrases.js").Phrases} spoken */
  speak(spoken) {
    this.spoken = spoken;
    this.#draw();
  }

  /** How many records there are. @param {number} last @param {boolean} whole whether nothing in the game is hidden any more */
  news(last, whole) {
    this.last = last;
    if (whole && !this.ended) {
      this.ended = true;
      this.#askAnalysis();
    }
    this.#askLuck();
  }

  /** @param {boolean} shown whether the pane is looked at */
  show(shown) {
    this.shown = shown;
    this.#askLuck();
  }

  async #askAnalysis() {
    const found = await this.#fetched("analysis");
    if (!found?.points?.length) return;
    this.analysis = found;
    this.onAnalysis(found);
    this.#draw();
  }

  /** Ask for the luck of what there is, while somebody looks; not for each record. */
  #askLuck() {
    if (!this.shown || this.asked === this.last || this.timer !== undefined) return;
    this.asked = this.last;
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      this.#askLuck();
    }, AGAIN_MS);
    this.#fetched("luck").then((found) => {
      if (!found) return;
      this.luck = found;
      this.#draw();
    });
  }

  /** @param {string} what */
  async #fetched(what) {
    try {
      const answer = await fetch(`/api/games/${encodeURIComponent(this.game)}/${what}`);
      return answer.ok ? await answer.json() : null;
    } catch {
      return null; // it is asked again with the next record, or when the pane is opened again
    }
  }

  #draw() {
    const { spoken } = this;
    if (!spoken) return;
    show(
      this.element,
      this.analysis ? this.#odds(this.analysis, spoken) : null,
      this.luck ? this.#luck(this.luck, spoken) : h("p", { class: "muted", text: t("loading") }),
    );
  }

  /** @param {Analysis} analysis @param {import("../words/phrases.js").Phrases} spoken */
  #odds({ seats, points }, spoken) {
    const x = (/** @type {number} */ seq) => Math.round((WIDE * seq) / Math.max(1, this.last));
    const y = (/** @type {number} */ share) => Math.round(HIGH - (HIGH * share) / 1000);
    const turn = (/** @type {Point} */ point, /** @type {number} */ i) =>
      String(point.args.find(([name]) => name === "turn")?.[1] ?? i + 1);
    // A turn is named below the curve where there is room behind the one named before.
    /** @type {[number, string][]} */
    const labels = [];
    points.forEach((point, i) => {
      if (!labels.length || x(point.seq) - x(labels[labels.length - 1][0]) >= LABEL)
        labels.push([point.seq, turn(point, i)]);
    });
    const curve = (/** @type {string} */ seat) => {
      const line = points.map((point, i) => `${i ? "L" : "M"}${x(point.seq)},${y(point.odds[seat][0])}`).join("");
      const band =
        points.map((point, i) => `${i ? "L" : "M"}${x(point.seq)},${y(point.odds[seat][2])}`).join("") +
        [...points]
          .reverse()
          .map((point) => `L${x(point.seq)},${y(point.odds[seat][1])}`)
          .join("") +
        "Z";
      return s(
        "g",
        { class: `odds side-${seat}` },
        s("path", { class: "odds-band", d: band }),
        s("path", { class: "odds-line", d: line }),
      );
    };
    return h(
      "section",
      { class: "odds-part" },
      h("h2", { text: t("odds") }),
      s(
        "svg",
        { class: "odds-chart", viewBox: `-4 -8 ${WIDE + 48} ${HIGH + 26}`, "aria-hidden": "true" },
        s("path", { class: "odds-grid", d: `M0,0H${WIDE}M0,${HIGH / 2}H${WIDE}M0,${HIGH}H${WIDE}` }),
        [100, 50, 0].map((share) =>
          s("text", { class: "odds-share", x: WIDE + 5, y: y(share * 10) + 4, text: `${share} %` }),
        ),
        labels.map(([seq, turn]) => s("text", { x: x(seq), y: HIGH + 15, text: turn })),
        seats.slice(0, 2).map(curve),
      ),
      h(
        "table",
        { class: "odds-table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col", text: t("odds.turn") }),
            seats.map((seat, i) =>
              h(
                "th",
                { scope: "col" },
                i < 2 ? h("span", { class: `odds-key side-${seat}` }) : null,
                spoken.name(seat),
              ),
            ),
            h("th", { scope: "col", text: t("odds.games") }),
          ),
        ),
        h(
          "tbody",
          {},
          points.map((point, i) =>
            h(
              "tr",
              {},
              h(
                "th",
                { scope: "row" },
                button({
                  class: "link",
                  "data-seq": point.seq,
                  onclick: () => this.go(point.seq),
                  text: turn(point, i),
                }),
              ),
              seats.map((seat) =>
                h(
                  "td",
                  {},
                  h("b", { text: `${percent(point.odds[seat][0])} %` }),
                  ` (${percent(point.odds[seat][1])}–${percent(point.odds[seat][2])})`,
                ),
              ),
              h("td", { text: String(point.played) }),
            ),
          ),
        ),
      ),
      h("p", { class: "worth", text: spoken.text("cli.analyse.worth") }),
    );
  }

  /** @param {any} luck @param {import("../words/phrases.js").Phrases} spoken */
  #luck({ dice, combats }, spoken) {
    const deviations = (/** @type {Tally} */ tally) =>
      h("span", {
        class: `deviations ${Number(tally.deviations) < 0 ? "below" : "above"}`,
        text: signed(tally.deviations),
      });
    /** @type {[string, any][]} */
    const seats = Object.entries(dice.seats);
    const number = (/** @type {[number, number]} */ [above, below]) => plain(above / below, 2);
    return h(
      "section",
      { class: "luck-part" },
      h("h2", { text: t("luck") }),
      h("p", { class: "muted", text: t("luck.about") }),
      combats.seats.length
        ? h(
            "table",
            { class: "luck-table" },
            h("caption", { text: t("luck.combat") }),
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("th", { scope: "col", text: t("luck.side") }),
                h("th", { scope: "col", text: t("luck.got") }),
                h("th", { scope: "col", text: t("luck.expected") }),
                h("th", { scope: "col", text: t("luck.sigma") }),
              ),
            ),
            h(
              "tbody",
              {},
              combats.seats.map((/** @type {any} */ one) =>
                h(
                  "tr",
                  { class: `side-${one.seat}` },
                  h("th", { scope: "row", text: spoken.name(one.seat) }),
                  h("td", { text: spoken.text(one.unit, { n: one.total }) }),
                  h("td", { text: number(one.expected) }),
                  h("td", {}, deviations(one)),
                ),
              ),
            ),
          )
        : null,
      combats.luckiest.length
        ? [
            h("h3", { text: t("luck.luckiest") }),
            h(
              "ol",
              { class: "luckiest" },
              combats.luckiest.map((/** @type {any} */ one) =>
                h(
                  "li",
                  {},
                  button({
                    class: "link",
                    "data-seq": one.seq,
                    onclick: () => this.go(one.seq),
                    text: spoken.say([one.key, one.args, ""]),
                  }),
                  " ",
                  t("luck.lucky", {
                    side: spoken.name(one.seat),
                    got: spoken.text(one.unit, { n: one.total }),
                    expected: number(one.expected),
                  }),
                ),
              ),
            ),
          ]
        : null,
      seats.length
        ? h(
            "table",
            { class: "luck-table" },
            h("caption", { text: t("luck.dice") }),
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("th", { scope: "col", text: t("luck.side") }),
                h("th", { scope: "col", text: t("luck.rolled") }),
                h("th", { scope: "col", text: t("luck.mean") }),
                h("th", { scope: "col", text: t("luck.expected") }),
                h("th", { scope: "col", text: t("luck.sigma") }),
              ),
            ),
            h(
              "tbody",
              {},
              seats.map(([seat, one]) =>
                h(
                  "tr",
                  { class: `side-${seat}` },
                  h("th", { scope: "row", text: spoken.name(seat) }),
                  h("td", { text: String(one.dice) }),
                  h("td", { text: number(one.mean) }),
                  h("td", { text: plain(one.expected[0] / one.expected[1] / one.dice, 2) }),
                  h("td", {}, deviations(one)),
                ),
              ),
            ),
          )
        : h("p", { text: spoken.text("cli.luck.none") }),
      dice.histograms.map((/** @type {any} */ one) => histogram(one, spoken)),
    );
  }

  dispose() {
    clearTimeout(this.timer);
    this.shown = false;
  }
}

/** How often each face showed, with its test. @param {{sides: number, counts: number[], chi_square: [number, number], chance: string | null}} one @param {import("../words/phrases.js").Phrases} spoken */
export function histogram({ sides, counts, chi_square, chance }, spoken) {
  const most = Math.max(1, ...counts);
  const all = counts.reduce((sum, n) => sum + n, 0);
  const width = WIDE / sides;
  const high = (/** @type {number} */ n) => Math.round((80 * n) / most);
  const faces = counts.map((n, i) => spoken.text("cli.luck.face", { face: i + 1, n })).join(t("luck.comma"));
  return h(
    "figure",
    { class: "histogram" },
    h("figcaption", { text: t("luck.histogram", { sides, n: all }) }),
    s(
      "svg",
      { viewBox: `0 -6 ${WIDE} 118`, role: "img", "aria-label": faces },
      counts.map((n, i) => s("rect", { x: i * width + 3, y: 92 - high(n), width: width - 6, height: high(n), rx: 2 })),
      s("path", { class: "expected", d: `M0,${92 - high(all / sides)}H${WIDE}` }),
      counts.map((n, i) =>
        sides <= 12
          ? [
              s("text", { x: (i + 0.5) * width, y: 107, text: String(i + 1) }),
              s("text", { class: "count", x: (i + 0.5) * width, y: 88 - high(n), text: String(n) }),
            ]
          : null,
      ),
    ),
    h("p", {
      text:
        chance === null
          ? spoken.text("cli.luck.too_few")
          : spoken.text("cli.luck.test", {
              chi_square: plain(chi_square[0] / chi_square[1], 2),
              chance: plain(Number(chance) * 100, 2),
            }),
    }),
  );
}

/** @param {number} thousandths */
const percent = (thousandths) => String(Math.floor((thousandths + 5) / 10));

/** @param {number} n @param {number} places */
export const plain = (n, places) => n.toFixed(places).replace("-", "−");

/** Standard deviations with a sign. @param {string} deviations */
export const signed = (deviations) =>
  `${Number(deviations) < 0 ? "−" : "+"}${Math.abs(Number(deviations)).toFixed(2)} σ`;
