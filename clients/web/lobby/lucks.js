// @ts-check
/** Luck in all finished games of the server, of everybody or of one player: a part of the archive that is asked for when it is opened. */

import { h, show } from "../ui/dom.js";
import { histogram, plain, signed } from "../games/figures.js";
import { onLanguage, phrases, t } from "../words/words.js";

/** How long after an answer that has not counted every game the server is asked again, in ms. */
const AGAIN_MS = 1000;

/** Where the page shows the luck of a player. @param {string} player */
export const luckOf = (player) => `/archive?player=${encodeURIComponent(player)}`;

export class AllLuck {
  /** @param {string} player "" for everybody */
  constructor(player) {
    this.player = player;
    /** @type {any} */
    this.found = null;
    this.failed = false;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.over = false;
    this.title = h("h2", {});
    this.state = h("p", { class: "muted", role: "status" });
    this.tables = h("div", {});
    this.element = h(
      "details",
      { class: "all-luck figures", open: Boolean(player), ontoggle: () => this.#ask() },
      h("summary", {}, this.title),
      this.state,
      this.tables,
    );
    this.stop = onLanguage(() => this.#draw());
    this.#draw();
    this.#ask();
  }

  async #ask() {
    const { counted = 0, games = 1 } = this.found ?? {};
    if (!this.element.open || this.timer !== undefined || (this.found && counted >= games)) return;
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      this.#ask();
    }, AGAIN_MS);
    try {
      const answer = await fetch(`/api/luck${this.player ? `?player=${encodeURIComponent(this.player)}` : ""}`);
      this.failed = !answer.ok;
      if (answer.ok) this.found = await answer.json();
    } catch {
      this.failed = true; // it is asked again
    }
    if (this.over) return;
    this.#draw();
  }

  #draw() {
    const { found, player } = this;
    this.element.setAttribute("aria-busy", String(!found || found.counted < found.games));
    this.title.textContent = player ? t("luck.of", { player }) : t("luck.all");
    this.state.textContent = !found
      ? t(this.failed ? "list.failed" : "loading")
      : found.counted < found.games
        ? t("luck.counting", { n: found.counted, all: found.games })
        : t("luck.counted", { n: found.counted });
    if (!found) return;
    show(
      this.tables,
      h("p", { class: "muted", text: t("luck.all.about") }),
      found.titles.map(titled),
      found.histograms.map((/** @type {any} */ one) => histogram(one, phrases())),
      player ? h("p", {}, h("a", { href: "/archive", text: t("luck.everybody") })) : null,
    );
  }

  dispose() {
    this.over = true;
    clearTimeout(this.timer);
    this.timer = -1;
    this.stop();
  }
}

/** What one title's games came to. @param {any} of */
function titled({ title, games, dice, combats, luckiest }) {
  const spoken = phrases(title);
  const number = (/** @type {[number, number]} */ [above, below]) => plain(above / below, 2);
  const head = (/** @type {string[]} */ ...keys) =>
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        keys.map((key) => h("th", { scope: "col", text: t(key) })),
      ),
    );
  const off = (/** @type {string} */ deviations) =>
    h(
      "td",
      {},
      h("span", { class: `deviations ${Number(deviations) < 0 ? "below" : "above"}`, text: signed(deviations) }),
    );
  return h(
    "section",
    { class: "luck-part", "data-title": title },
    h("h3", { text: t("luck.title", { title: spoken.name(title), n: games }) }),
    combats.length
      ? h(
          "table",
          { class: "luck-table" },
          h("caption", { text: t("luck.combat") }),
          head("luck.side", "luck.got", "luck.expected", "luck.sigma"),
          h(
            "tbody",
            {},
            combats.map((/** @type {any} */ one) =>
              h(
                "tr",
                { class: `side-${one.seat}` },
                h("th", { scope: "row", text: spoken.name(one.seat) }),
                h("td", { text: spoken.text(one.unit, { n: one.total }) }),
                h("td", { text: number(one.expected) }),
                off(one.deviations),
              ),
            ),
          ),
        )
      : null,
    dice.length
      ? h(
          "table",
          { class: "luck-table" },
          h("caption", { text: t("luck.dice") }),
          head("luck.side", "luck.rolled", "luck.mean", "luck.expected", "luck.sigma"),
          h(
            "tbody",
            {},
            dice.map((/** @type {any} */ one) =>
              h(
                "tr",
                { class: `side-${one.seat}` },
                h("th", { scope: "row", text: spoken.name(one.seat) }),
                h("td", { text: String(one.dice) }),
                h("td", { text: number(one.mean) }),
                h("td", { text: plain(one.expected[0] / one.expected[1] / one.dice, 2) }),
                off(one.deviations),
              ),
            ),
          ),
        )
      : h("p", { text: spoken.text("cli.luck.none") }),
    luckiest.length
      ? [
          h("h4", { text: t("luck.luckiest") }),
          h(
            "ol",
            { class: "luckiest" },
            luckiest.map((/** @type {any} */ one) =>
              h(
                "li",
                {},
                h("a", { href: `/game/${one.game}?at=${one.seq}`, text: spoken.say([one.key, one.args, ""]) }),
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
  );
}
