// @ts-check
/**
 * The claims of a game: what is open, what a player may do about it, and an arbiter's desk (rulingform.js is the form of a ruling). What was said and ruled is in the story. Whether
 * something may be done is the server's to say; here is offered what the log allows.
 */

import { called } from "../records/acts.js";
import { momentOf } from "../ui/clockface.js";
import { accountOf } from "../account/device.js";
import { button, h, show } from "../ui/dom.js";
import { CLAIM_CHARS_MAX, CLAUSE_CHARS_MAX } from "../records/limits.js";
import { Refused, ServerError } from "../link/link.js";
import { OffersThen } from "./offersthen.js";
import { RulingForm } from "./rulingform.js";
import { composed, t } from "../words/words.js";

/** @typedef {import("../audit/docket.js").Case} Case */

export class Claims {
  /** @param {import("../games/gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    this.element = h("section", { class: "claims", hidden: true });
    this.drawn = "";
    /** what came of the last thing that was done here @type {any} */
    this.said = null;
    /** by claim, for whoever hears it @type {Map<number, RulingForm>} */
    this.forms = new Map();
    /** for an arbiter; it begins before the record that the first open claim is about, if one is before that */
    this.then = new OffersThen(view, () =>
      Math.max(
        0,
        ([...(this.#docket?.cases.values() ?? [])].find((one) => one.n && !one.withdrawn && !one.ruled)?.of ??
          view.watch.last + 1) - 1,
      ),
    );
  }

  get #docket() {
    return this.view.watch.checker.stand?.docket ?? null;
  }

  /** The seat for which this page signs, or "". */
  get #seat() {
    const { view } = this;
    return view.play && view.seating.plays && !view.watch.checker.branch ? view.play.seat : "";
  }

  /** Whether somebody looks as an arbiter. */
  get #rules() {
    return this.view.watch.audience === "arbiter" && this.view.link.arbitrates(this.view.game);
  }

  /** Whether it was whoever rules from this page: by account, else by the name of the login. @param {import("../audit/docket.js").Actor} actor */
  #isMe(actor) {
    const account = accountOf(this.view.link);
    return (
      this.#rules &&
      typeof actor !== "string" &&
      (account ? actor[0] === account[0] : actor[1] === this.view.link.principal)
    );
  }

  /** Draw again if anything is different: somebody may be typing here. */
  news() {
    const { view } = this;
    const docket = this.#docket;
    const shown = JSON.stringify([
      view.watch.checker.stand?.stage,
      Boolean(view.watch.ended),
      view.spoken.language,
      this.#seat,
      this.#rules,
      accountOf(view.link),
      view.link.principal,
      this.said,
      docket && [...docket.cases.values()],
      docket?.over,
      docket && [...docket.waived],
    ]);
    if (shown === this.drawn) {
      for (const form of this.forms.values()) form.draw(); // records may have come to go back to
      return;
    }
    this.drawn = shown;
    this.draw();
  }

  draw() {
    const docket = this.#docket;
    const { view } = this;
    const { ended } = view.watch;
    const cases = docket ? [...docket.cases.values()] : [];
    const playing = Boolean(docket) && !ended && view.watch.checker.stand?.stage === "playing";
    const held = Boolean(docket?.heldUntil) && !ended;
    this.element.hidden = !cases.length && !held && !(playing && (this.#seat || this.#rules));
    this.element.setAttribute("aria-label", t("claims"));
    const typed = new Map(
      [.../** @type {NodeListOf<HTMLInputElement>} */ (this.element.querySelectorAll("input, textarea, select"))].map(
        (field) => [field.id, field.value],
      ),
    );
    const focused =
      document.activeElement instanceof HTMLElement && this.element.contains(document.activeElement)
        ? document.activeElement.id
        : "";
    show(
      this.element,
      h("h2", { text: t("claims") }),
      docket && held ? this.#held(docket) : null,
      cases.length
        ? h(
            "ul",
            { class: "claim-list" },
            cases.map((one) => this.#case(one, playing)),
          )
        : h("p", { text: t("claims.none") }),
      playing && (this.#seat || this.#rules) ? this.#form() : null,
      this.#rules ? this.then.draw() : null,
      h("p", { role: "status", class: "refusal", text: this.said ? view.spoken.say(this.said) : "" }),
    );
    for (const [id, value] of typed) {
      const field = /** @type {HTMLInputElement | null} */ (
        id ? this.element.querySelector(`#${CSS.escape(id)}`) : null
      );
      if (field) field.value = value;
    }
    if (focused) /** @type {HTMLElement | null} */ (this.element.querySelector(`#${CSS.escape(focused)}`))?.focus();
  }

  /** @param {Case} one */
  #state(one) {
    if (one.withdrawn) return t("claims.withdrawn");
    if (one.ruled && !one.appealed) return t("claims.ruled", { arbiter: called(one.ruledBy) });
    return one.arbiter ? t("claims.heard", { arbiter: called(one.arbiter) }) : t("claims.open");
  }

  /** @param {Case} one @param {boolean} playing */
  #case(one, playing) {
    const seat = this.#seat;
    const open = !one.withdrawn && (!one.ruled || one.appealed);
    return h(
      "li",
      { class: "claim" },
      h(
        "p",
        {},
        h("b", { text: t("claims.claim", { n: one.n }) }),
        ` ${this.#state(one)}`,
        one.frozen ? ` ${t("claims.frozen")}` : "",
      ),
      one.n ? this.#what(one) : null,
      playing && (seat ? one.claimant === seat : this.#isMe(one.claimant)) && !one.ruled && !one.withdrawn
        ? this.#button(`withdraw:${one.n}`, "claims.withdraw", () => this.#claim(["withdrawn", one.n]))
        : null,
      playing && (seat || this.#rules) && open ? this.#words("say", one, (text) => ["said", one.n, text]) : null,
      playing && seat && one.ruled && !one.appealed
        ? this.#words("appeal", one, (text) => ["appeal", one.n, text])
        : null,
      playing && this.#rules ? this.#desk(one, open) : null,
    );
  }

  /** What was claimed, and a way to the record. @param {Case} one */
  #what(one) {
    const { view } = this;
    return h(
      "div",
      { class: "claimed" },
      h("p", {
        text: t("claims.about", { who: view.spoken.name(called(one.claimant)), seq: one.of, clause: one.clause }),
      }),
      h("blockquote", { text: one.text }),
      this.#button(`look:${one.n}`, "claims.look", () => view.goTo(one.of), { seq: one.of }),
    );
  }

  /** What somebody has to say about a claim, or against a ruling on it. @param {"say" | "appeal"} act @param {Case} one @param {(text: string) => any[]} body */
  #words(act, one, body) {
    const text = h("input", { id: `${act}-${one.n}`, maxlength: CLAIM_CHARS_MAX, required: true });
    return h(
      "form",
      {
        class: "claim-form",
        onsubmit: () => this.#claim(body(composed(text.value.trim())), text.id),
      },
      h("label", { for: text.id, text: t("claims.text") }),
      text,
      h("button", { type: "submit", "data-act": `${act}:${one.n}`, text: t(`claims.${act}`) }),
    );
  }

  /** @param {import("../audit/docket.js").Docket} docket */
  #held(docket) {
    const seat = this.#seat;
    return h(
      "div",
      { class: "request" },
      h("p", { text: t("claims.held", { at: momentOf(docket.heldUntil, this.view.spoken.language) }) }),
      seat && !docket.waived.has(seat)
        ? this.#button("waive", "claims.waive", () => this.#claim(["waived", seat]))
        : null,
    );
  }

  /** What a player claims. */
  #form() {
    const { view } = this;
    const record = h("input", { id: "claim-record", type: "number", min: 0, required: true });
    /** The form may have stood here for long: what is looked at is meant when it is opened. */
    const fresh = () => {
      record.max = String(view.watch.last);
      record.value = String(view.at ?? view.watch.last);
    };
    fresh();
    const clause = h("input", { id: "claim-clause", maxlength: CLAUSE_CHARS_MAX, required: true });
    const text = h("textarea", { id: "claim-text", maxlength: CLAIM_CHARS_MAX, required: true, rows: 3 });
    return h(
      "details",
      {
        class: "more-acts",
        open: this.element.querySelector("details:has(#claim-record)")?.hasAttribute("open"),
        ontoggle: (/** @type {Event} */ event) => {
          if (/** @type {HTMLDetailsElement} */ (event.target).open && !clause.value && !text.value) fresh();
        },
      },
      h("summary", { "data-act": "claims", text: t("claims.make") }),
      h("p", { text: t(this.#seat ? "claims.how" : "claims.how_arbiter") }),
      h(
        "form",
        {
          class: "claim-form",
          onsubmit: () => {
            const n = [...(this.#docket?.cases.keys() ?? [])].filter((known) => known > 0).length + 1;
            this.#claim(
              [
                "claim",
                n,
                this.#seat,
                Number(record.value),
                composed(clause.value.trim()),
                composed(text.value.trim()),
              ],
              clause.id,
              text.id,
            );
          },
        },
        h("label", { for: record.id, text: t("claims.record") }),
        record,
        h("label", { for: clause.id, text: t("claims.clause") }),
        clause,
        h("label", { for: text.id, text: t("claims.text") }),
        text,
        h("button", { type: "submit", "data-act": "claim", text: t(this.#seat ? "claims.sign" : "claims.arbiter") }),
      ),
    );
  }

  /** What an arbiter may do about a claim. @param {Case} one @param {boolean} open */
  #desk(one, open) {
    const mine = this.#isMe(one.arbiter);
    if (!open || !mine) {
      this.forms.get(one.n)?.dispose();
      this.forms.delete(one.n);
    }
    return h(
      "div",
      { class: "desk" },
      h(
        "div",
        { class: "play-actions" },
        open && !mine ? this.#button(`hear:${one.n}`, "claims.hear", () => this.#rule(["heard", one.n])) : null,
        open && mine && !one.frozen
          ? this.#button(`freeze:${one.n}`, "claims.freeze", () => this.#rule(["frozen", one.n]))
          : null,
        one.frozen ? this.#button(`thaw:${one.n}`, "claims.thaw", () => this.#rule(["thawed", one.n])) : null,
      ),
      open && mine ? this.#ruling(one) : null,
    );
  }

  /** The form of a ruling; what was typed there outlasts whatever is drawn anew. @param {Case} one */
  #ruling(one) {
    let form = this.forms.get(one.n);
    if (!form) {
      form = new RulingForm(this.view, one, (ruling) => this.#ruled(ruling));
      this.forms.set(one.n, form);
    }
    form.one = one;
    return form.draw();
  }

  /** Write a ruling, and let the game go on if that is wanted. @param {import("./rulingform.js").Ruling} ruling */
  async #ruled({ body, corrections, thaw }) {
    const { link, game } = this.view;
    await link.once("rule", game, body, corrections);
    const ends = ["forfeit", "draw", "adjudicate"].includes(body[5].at(-1)[0]);
    if (thaw && !ends) await this.#rule(["thawed", body[1]]);
  }

  /** @param {string} act @param {string} key @param {() => void} press @param {any} [args] */
  #button(act, key, press, args = {}) {
    return button({ id: `act-${act.replace(":", "-")}`, "data-act": act, onclick: press, text: t(key, args) });
  }

  /** What the seat signs about a claim, or an arbiter says, and the fields in which it was typed. @param {any[]} body @param {string[]} fields */
  #claim(body, ...fields) {
    return this.#seat ? this.#do(() => this.view.hand?.ruling(body), fields) : this.#rule(body, fields);
  }

  /** @param {any[]} body @param {string[]} [fields] */
  #rule(body, fields = []) {
    return this.#do(() => this.view.link.once("rule", this.view.game, body, []), fields);
  }

  /** @param {() => any} act @param {string[]} [fields] what was typed there is done with, once it has been signed */
  async #do(act, fields = []) {
    this.said = null;
    try {
      await act();
      for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (
        this.element.querySelectorAll("input, textarea")
      ))
        if (fields.includes(field.id)) field.value = "";
    } catch (error) {
      this.said = error instanceof Refused || error instanceof ServerError ? error.say : ["web.link.lost", [], ""];
    }
    this.news();
  }
}
