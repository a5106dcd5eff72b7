// @ts-check
/** The list of tournaments, and the form by which a host announces one. */

import { button, h, show } from "../ui/dom.js";
import { field } from "../ui/field.js";
import { Refused, ServerError } from "../link/link.js";
import { Codes } from "./codes.js";
import { keep } from "./key.js";
import { ratings } from "../lobby/ratings.js";
import { composed, onLanguage, phrases, t } from "../words/words.js";

const REFRESH_MS = 10_000;
const EXAMPLE = `name = "Club Evening"
title = "war_at_sea"

[[stage]]
system = "record"
rounds = 4
tiebreaks = ["direct", "sos_pooled", "lots"]

[sides]
by = "bid"
`;

export class Tournaments {
  /** @param {HTMLElement} main @param {import("../link/link.js").Link} link @param {(path: string) => void} go */
  constructor(main, link, go) {
    this.link = link;
    this.go = go;
    this.over = false;
    this.shown = "";
    this.head = h("div", { class: "page-head" });
    this.list = h("div", { class: "lists" });
    this.said = h("div", { class: "said", role: "status" });
    this.form = h("section", { class: "host", hidden: true });
    this.codes = new Codes(link, (error) => this.#failed(error));
    this.rated = h("div", {});
    show(main, h("div", { class: "page tournaments" }, this.head, this.list, this.form, this.said, this.rated));
    this.stop = onLanguage(() => this.draw());
    this.draw();
    this.timer = setInterval(() => this.refresh(), REFRESH_MS);
  }

  dispose() {
    this.over = true;
    clearInterval(this.timer);
    this.stop();
  }

  signedIn() {
    // The list is the same for everybody: a link that is about to be followed stays where it is.
    this.#drawForm();
    this.refresh();
  }

  draw() {
    document.title = `${t("tournaments")} · Warledger`;
    show(this.head, h("h1", { text: t("tournaments") }), h("p", { class: "lead", text: t("tournaments.lead") }));
    this.shown = "";
    this.refresh();
    this.#drawForm();
  }

  async refresh() {
    let rows;
    try {
      const answer = await fetch("/api/tournaments");
      if (!answer.ok) throw new Error(`${answer.status}`);
      ({ tournaments: rows } = await answer.json());
    } catch {
      if (!this.over && !this.shown) show(this.list, h("p", { class: "empty", text: t("list.failed") }));
      return;
    }
    const key = JSON.stringify(rows);
    if (this.over || key === this.shown) return;
    this.shown = key;
    this.#rate();
    if (this.link.opens && this.form.hidden) this.#drawForm();
    if (!rows.length) return show(this.list, h("p", { class: "empty", text: t("tournaments.empty") }));
    show(
      this.list,
      h(
        "ul",
        { class: "games" },
        rows.map((/** @type {any} */ row) =>
          h(
            "li",
            { class: "game-row" },
            h(
              "a",
              { href: `/tournament/${row.id}`, class: "game-link" },
              h("span", { class: "game-title", text: row.name }),
              h("code", { text: row.id }),
            ),
            h("span", { class: "seats", text: phrases(row.title).name(row.title) }),
            h("span", {
              class: "state",
              text: t(`tournament.state.${row.state}`, { entrants: row.entrants, round: row.round }),
            }),
            row.delay_s ? h("span", { class: "delay", text: t("delayed", { n: row.delay_s }) }) : null,
          ),
        ),
      ),
    );
  }

  async #rate() {
    try {
      const found = await ratings();
      if (!this.over) show(this.rated, found);
    } catch {
      // It is asked again when a tournament changes.
    }
  }

  #drawForm() {
    this.form.hidden = !this.link.opens;
    if (this.form.hidden) return;
    const charter = h("textarea", {
      id: "cup-charter",
      rows: 14,
      maxlength: 32768,
      spellcheck: "false",
      required: true,
    });
    charter.value = EXAMPLE;
    const [idLabel, id] = field("cup-id", "tournament.id", {
      required: true,
      maxlength: 40,
      pattern: "[a-z0-9_-]+",
      autocomplete: "off",
    });
    const [nameLabel, director] = field("cup-director", "tournament.director", {
      required: true,
      maxlength: 64,
      autocomplete: "off",
    });
    show(
      this.form,
      h("h2", { text: t("tournament.new") }),
      h("p", { text: t("tournament.new.how") }),
      h(
        "form",
        {
          onsubmit: () => this.#open(id.value.trim(), composed(director.value.trim()), composed(charter.value)),
        },
        h("p", { class: "host-form" }, idLabel, id, nameLabel, director),
        h("label", { for: "cup-charter", text: t("tournament.charter") }),
        charter,
        h(
          "p",
          { class: "host-form" },
          button({
            "data-act": "check",
            onclick: () =>
              this.#do(async () => this.#findings(await this.link.request("check_charter", charter.value))),
            text: t("tournament.check"),
          }),
          h("button", { type: "submit", class: "primary", "data-act": "announce", text: t("tournament.announce") }),
        ),
      ),
    );
  }

  /** @param {string} id @param {string} director @param {string} charter */
  #open(id, director, charter) {
    this.#do(async () => {
      const answer = await this.link.once("open_tournament", id, director, charter);
      // What is wrong with a charter comes in place of a tournament.
      if (typeof answer[0] === "boolean") return this.#findings(answer);
      const [, who, token] = answer;
      // Nobody is known by that name: a code is for whoever shall direct.
      if (!who) {
        show(this.said, h("p", { text: t("tournament.waits", { id }) }), this.codes.element);
        return this.codes.make(id, "director");
      }
      if (token) keep(id, { token, who });
      this.go(`/tournament/${encodeURIComponent(id)}`);
    });
  }

  /** @param {any[]} answer */
  #findings([good, findings, words]) {
    show(
      this.said,
      h("p", { text: t(good ? "tournament.good" : "tournament.bad") }),
      h(
        "ul",
        {},
        findings.map((/** @type {string[]} */ [severity, place, problem, remedy]) =>
          h("li", {}, h("b", { text: `${severity}: ${place}` }), ` ${problem}. ${remedy}`),
        ),
      ),
      words.map((/** @type {any} */ said) => h("p", { text: phrases().say(said) })),
    );
  }

  /** @param {() => Promise<void>} call */
  async #do(call) {
    try {
      await call();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @param {unknown} error */
  #failed(error) {
    show(
      this.said,
      h("p", {
        text: error instanceof Refused || error instanceof ServerError ? phrases().say(error.say) : String(error),
      }),
    );
  }
}
