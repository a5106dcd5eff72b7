// @ts-check
/** What somebody may do in a tournament, or correct by a ruling, pick by pick, as the server offers it: buttons, a number, or a text. Whatever is not offered cannot be picked. */

import { button, h, show } from "../ui/dom.js";
import { Refused, ServerError } from "../link/link.js";
import { composed, t } from "../words/words.js";

/** Beyond this number of options they are a list to choose from. */
const BUTTONS_MOST = 24;

export class Offering {
  /**
   * @param {(picks: (string | number)[]) => Promise<any[]>} ask what may follow these picks
   * @param {(picks: (string | number)[]) => void} submit
   * @param {() => import("../words/phrases.js").Phrases} spoken
   * @param {(slot: string, pick: number, before: (string | number)[]) => string} who whom a number stands for, "" where it is only a number
   * @param {(pick: string | number) => string} named how a word is called
   * @param {string} done the key of what submits
   */
  constructor(
    ask,
    submit,
    spoken,
    who = () => "",
    named = (pick) => (spoken().has(`web.act.${pick}`) ? spoken().text(`web.act.${pick}`) : spoken().name(pick)),
    done = "tournament.do",
  ) {
    this.ask = ask;
    this.submit = submit;
    this.spoken = spoken;
    this.who = who;
    this.named = named;
    this.done = done;
    /** What was asked at each place @type {string[]} */
    this.slots = [];
    /** What was offered with a sentence of its own, such as a person's name @type {Map<string | number, import("../protocol.d.ts").SayArray>} */
    this.labels = new Map();
    /** @type {(string | number)[]} */
    this.picks = [];
    this.turn = 0;
    this.element = h("div", { class: "cup-offering", hidden: true, role: "group" });
  }

  close() {
    this.turn += 1;
    this.element.hidden = true;
    show(this.element);
  }

  /** @param {(string | number)[]} picks */
  async open(picks) {
    const turn = ++this.turn;
    this.picks = picks;
    let answer;
    try {
      answer = await this.ask(picks);
    } catch (error) {
      if (turn !== this.turn) return;
      this.element.hidden = false;
      show(
        this.element,
        h("p", {
          role: "alert",
          text: error instanceof Refused || error instanceof ServerError ? this.spoken().say(error.say) : String(error),
        }),
        this.#foot(false),
      );
      return;
    }
    if (turn !== this.turn) return;
    const [slot, options, span, complete, , text = 0] = answer[3];
    this.slots[picks.length] = slot;
    for (const option of options) if (Array.isArray(option)) this.labels.set(option[0], option[1]);
    const label = this.spoken().text(`slot.${slot}`);
    this.element.hidden = false;
    this.element.setAttribute("aria-label", t("tournament.all"));
    show(
      this.element,
      picks.length
        ? h("p", { class: "cup-picks", text: picks.map((pick, place) => this.#named(pick, place)).join(" › ") })
        : null,
      slot === "end" ? null : h("p", { id: "cup-slot", text: label }),
      this.#input(options, span, text, label),
      this.#foot(complete),
    );
    /** @type {HTMLElement | null} */ (this.element.querySelector("button, input, select"))?.focus();
  }

  /** @param {string | number} pick @param {number} [place] */
  #named(pick, place = this.picks.length) {
    const label = this.labels.get(pick);
    if (label) return this.spoken().say(label);
    return typeof pick === "number"
      ? `${pick} ${this.who(this.slots[place] ?? "", pick, this.picks.slice(0, place))}`.trim()
      : this.named(pick);
  }

  /** @param {any[]} options @param {[number, number] | null} span @param {number} most @param {string} label */
  #input(options, span, most, label) {
    const next = (/** @type {string | number} */ pick) => this.open([...this.picks, pick]);
    const ids = options.map((option) => (Array.isArray(option) ? option[0] : option));
    if (span || most || ids.length > BUTTONS_MOST) {
      const input =
        ids.length > BUTTONS_MOST
          ? h(
              "select",
              { id: "cup-pick" },
              ids.map((id) => h("option", { value: String(id), text: this.#named(id) })),
            )
          : h(
              "input",
              span
                ? { id: "cup-pick", type: "number", min: span[0], max: span[1], step: 1, required: true }
                : { id: "cup-pick", maxlength: most, required: true, autocomplete: "off" },
            );
      return h(
        "form",
        {
          class: "host-form",
          onsubmit: () => {
            const chosen = most ? composed(input.value.trim()) : input.value.trim();
            next(
              ids.length > BUTTONS_MOST
                ? ids[/** @type {HTMLSelectElement} */ (input).selectedIndex]
                : span
                  ? Number(chosen)
                  : chosen,
            );
          },
        },
        h("label", { for: "cup-pick", class: "sr-only", text: label }),
        input,
        h("button", { type: "submit", "data-act": "next", text: t("tournament.next") }),
      );
    }
    return h(
      "p",
      { class: "cup-buttons" },
      ids.map((id) => button({ "data-pick": String(id), onclick: () => next(id), text: this.#named(id) })),
    );
  }

  /** @param {boolean} complete */
  #foot(complete) {
    return h(
      "p",
      { class: "cup-buttons" },
      complete && this.picks.length
        ? button({ class: "primary", "data-act": "do", onclick: () => this.submit(this.picks), text: t(this.done) })
        : null,
      this.picks.length
        ? button({ "data-act": "back", onclick: () => this.open(this.picks.slice(0, -1)), text: t("tournament.back") })
        : null,
      button({ "data-act": "close", onclick: () => this.close(), text: t("tournament.close") }),
    );
  }
}
