// @ts-check
/**
 * For an arbiter: what a seat was offered after a record, pick by pick, and what the answer to other picks would have been. The server asks the
 * rules at the position of then; in a game in progress it has written down before that this arbiter looks.
 */

import { button, h, show } from "../ui/dom.js";
import { Refused, ServerError } from "../link/link.js";
import { offerOf } from "../play/offer.js";
import { ruleSign } from "../games/rules.js";
import { t } from "../words/words.js";

/** Picks as they are typed on the command line. @param {string} text @returns {(string | number)[]} */
const picksOf = (text) =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((pick) => (/^-?\d+$/.test(pick) ? Number(pick) : pick));

export class OffersThen {
  /** @param {import("../games/gameview.js").GameView} view @param {() => number} first the record after which one may want to look when this is opened */
  constructor(view, first) {
    this.view = view;
    this.turn = 0;
    /** @type {(string | number)[]} */
    this.picks = [];
    this.seat = h("select", { id: "then-seat" });
    this.record = h("input", { id: "then-record", type: "number", min: 0, required: true });
    this.typed = h("input", { id: "then-picks", autocomplete: "off" });
    this.found = h("div", { class: "offers-then", "aria-live": "polite" });
    this.summary = h("summary", { "data-act": "offers-then" });
    this.form = h("form", {
      class: "claim-form",
      onsubmit: () => this.#ask(picksOf(this.typed.value)),
    });
    this.element = h(
      "details",
      {
        class: "more-acts",
        ontoggle: () => {
          if (!this.found.childElementCount) this.record.value = String(first());
        },
      },
      this.summary,
      this.form,
      this.found,
    );
  }

  /** Draw the form in the language of now. */
  draw() {
    const { spoken, watch } = this.view;
    const chosen = this.seat.value;
    show(
      this.seat,
      [...watch.seats.keys()].map((seat) =>
        h("option", { value: seat, text: spoken.name(seat), selected: seat === chosen }),
      ),
    );
    this.record.max = String(watch.last);
    this.summary.textContent = t("then.title");
    show(
      this.form,
      h("p", { text: t("then.how") }),
      h("label", { for: this.seat.id, text: t("then.seat") }),
      this.seat,
      h("label", { for: this.record.id, text: t("then.record") }),
      this.record,
      h("label", { for: this.typed.id, text: t("then.picks") }),
      this.typed,
      h("button", { type: "submit", "data-act": "then", text: t("then.show") }),
    );
    return this.element;
  }

  /** @param {(string | number)[]} picks */
  async #ask(picks) {
    const turn = ++this.turn;
    const { view } = this;
    const seat = this.seat.value;
    const seq = Number(this.record.value);
    this.picks = picks;
    this.typed.value = picks.join(" ");
    const { spoken } = view;
    /** @type {any[]} */
    let parts;
    try {
      const { prompt, choices } = offerOf(await view.link.request("choices_at", view.game, seat, seq, picks));
      parts = [
        h("p", {}, spoken.text("web.then.asked", { seat, seq, prompt }), prompt[2] ? [" ", ruleSign(prompt[2])] : null),
        this.#chosen(),
        choices.span
          ? h("p", { text: spoken.text("web.then.span", { low: choices.span[0], high: choices.span[1] }) })
          : null,
        h(
          "p",
          { class: "cup-buttons" },
          choices.options.map((option) =>
            button({
              "data-then": String(option.id),
              onclick: () => this.#ask([...picks, option.id]),
              text: spoken.option(option),
            }),
          ),
        ),
        choices.complete ? h("p", { text: spoken.text("web.then.whole") }) : null,
      ];
    } catch (error) {
      if (!(error instanceof Refused || error instanceof ServerError)) throw error;
      const why = error.say;
      parts = [
        this.#chosen(),
        h(
          "p",
          { class: "refusal" },
          error instanceof Refused ? spoken.text("web.then.refused", { seat, seq, why }) : spoken.say(why),
          why[2] ? [" ", ruleSign(why[2])] : null,
        ),
      ];
    }
    if (turn === this.turn) show(this.found, parts);
  }

  #chosen() {
    const { picks, view } = this;
    if (!picks.length) return null;
    return h(
      "p",
      { class: "cup-picks" },
      `${picks.map((pick) => view.spoken.pick(pick)).join(" › ")} `,
      button({ "data-act": "then-back", onclick: () => this.#ask(picks.slice(0, -1)), text: t("tournament.back") }),
    );
  }
}
