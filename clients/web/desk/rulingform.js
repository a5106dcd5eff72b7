// @ts-check
/**
 * The form of a ruling: the finding, its clause and reasons, and remedies chosen from what is possible. What may be corrected and how the game
 * stands by its score is asked of the server, and so is what would be written, which is shown before anything is.
 */

import { durationOf } from "../ui/clockface.js";
import { AWAITS } from "../audit/docket.js";
import { button, h, show } from "../ui/dom.js";
import { CLAIM_CHARS_MAX, CLAUSE_CHARS_MAX } from "../records/limits.js";
import { Refused, ServerError } from "../link/link.js";
import { Offering } from "../tournaments/offering.js";
import { tell } from "../games/story.js";
import { composed, t } from "../words/words.js";

/** After the last change the server is asked what would be written. */
const QUIET_MS = 300;
/** So many records to go back to are listed; any other is typed. */
const LISTED_MOST = 80;
/** Stands in a preview for what is not typed yet. */
const UNSAID = "…";

/** @typedef {import("../protocol.d.ts").Picks} Picks */
/** @typedef {[winner: string | null, unit: string, per: number, points: [string, number][]]} Stands */
/** @typedef {{body: any[], corrections: Picks[], thaw: boolean}} Ruling */

/** A time to give or to take, in milliseconds: 0 where nothing is typed, NaN where it is none. @param {string} text */
export function timeOf(text) {
  const typed = text
    .trim()
    .replace(/^\u2212/, "-")
    .replace(/^\+/, "");
  if (!typed) return 0;
  const ms = durationOf(typed.replace(/^-/, ""));
  return ms ? (typed.startsWith("-") ? -ms : ms) : Number.NaN;
}

export class RulingForm {
  /**
   * @param {import("../games/gameview.js").GameView} view @param {import("../audit/docket.js").Case} one the claim
   * @param {(ruling: Ruling) => Promise<void>} rule
   */
  constructor(view, one, rule) {
    this.view = view;
    this.one = one;
    this.rule = rule;
    const { n } = one;
    /** @type {Picks[]} */
    this.corrections = [];
    /** @type {Stands | null} how the game would stand by its score */
    this.stands = null;
    this.turn = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.last = -1;
    this.language = "";
    const changed = () => this.#changed();
    this.finding = h("select", {
      id: `finding-${n}`,
      onchange: () => {
        this.#possible();
        changed();
      },
    });
    this.clause = h("input", {
      id: `ruling-clause-${n}`,
      maxlength: CLAUSE_CHARS_MAX,
      required: true,
      oninput: changed,
    });
    this.text = h("textarea", {
      id: `ruling-text-${n}`,
      maxlength: CLAIM_CHARS_MAX,
      required: true,
      rows: 3,
      oninput: changed,
    });
    this.back = h("select", {
      id: `back-${n}`,
      onchange: () => {
        this.#possible();
        this.offering.close();
        changed();
      },
    });
    this.record = h("input", {
      id: `back-record-${n}`,
      type: "number",
      min: 1,
      oninput: () => {
        this.offering.close();
        changed();
      },
    });
    this.ending = h("select", { id: `ending-${n}`, onchange: changed });
    this.thaw = h("input", { id: `ruling-thaw-${n}`, type: "checkbox", checked: true });
    /** by seat: time, warned, the text of a penalty, replaced @type {Map<string, {time: HTMLInputElement, warn: HTMLInputElement, penalty: HTMLInputElement, replace: HTMLInputElement}>} */
    this.seats = new Map();
    for (const [at, seat] of [...view.watch.seats.keys()].entries()) {
      const box = (/** @type {string} */ what) =>
        h("input", { id: `${what}-${n}-${at}`, type: "checkbox", onchange: changed });
      this.seats.set(seat, {
        time: h("input", { id: `time-${n}-${at}`, placeholder: "10m, -90s", autocomplete: "off", oninput: changed }),
        warn: box("warn"),
        penalty: h("input", { id: `penalty-${n}-${at}`, maxlength: CLAIM_CHARS_MAX, oninput: changed }),
        replace: box("replace"),
      });
    }
    this.offering = new Offering(
      (picks) => view.link.request("correctable", view.game, n, this.#goesTo, this.corrections, picks),
      (picks) => this.#correct(picks),
      () => view.spoken,
      () => "",
      (pick) => this.#pick(pick),
      "ruling.add",
    );
    this.changes = h("fieldset", { class: "ruling-part" });
    this.corrected = h("div", { class: "ruling-corrections" });
    this.beside = h("fieldset", { class: "ruling-part" });
    this.foot = h("div", {});
    this.preview = h("div", { class: "ruling-preview", role: "status", "aria-live": "polite" });
    this.failure = h("p", { class: "refusal", role: "alert" });
    this.element = h("form", {
      class: "claim-form ruling",
      onsubmit: () => this.#submit(),
    });
  }

  /** Draw it in the language of now. What was chosen and typed stays. */
  draw() {
    const { spoken } = this.view;
    if (this.language !== spoken.language) {
      this.language = spoken.language;
      this.#form();
    }
    this.#possible();
    if (this.last !== this.view.watch.last) {
      this.last = this.view.watch.last;
      this.#records();
      this.#changed(0);
    }
    return this.element;
  }

  dispose() {
    clearTimeout(this.timer);
    this.turn += 1;
  }

  /** The record that the ruling goes back to, or 0. */
  get #goesTo() {
    if (this.finding.value === "rejected" || !this.back.value) return 0;
    return this.back.value === "other" ? Number(this.record.value) || 0 : Number(this.back.value);
  }

  /** The remedies as they are chosen, in the order in which they take effect. Throws the text that is no time. */
  get #remedies() {
    /** @type {any[][]} */
    const found = [];
    const to = this.#goesTo;
    if (to) found.push(["back", to]);
    if (this.finding.value !== "rejected") found.push(...this.corrections.map(() => ["correct"]));
    for (const [seat, { time, warn, penalty, replace }] of this.seats) {
      if (warn.checked) found.push(["warn", seat]);
      if (penalty.value.trim()) found.push(["penalty", seat, composed(penalty.value.trim())]);
      if (replace.checked) found.push(["replace", seat]);
      const ms = timeOf(time.value);
      if (Number.isNaN(ms)) throw time.value;
      if (ms) found.push(["time", seat, ms]);
    }
    const [word, seat] = this.ending.value.split(" ");
    if (word === "forfeit") found.push([word, seat]);
    else if (word === "draw") found.push([word]);
    else if (word === "adjudicate") found.push([word, (this.stands ? this.stands[0] : seat) || null]);
    return found.length ? found : [["stand"]];
  }

  /** @param {string} [unsaid] what stands for what is not typed yet @returns {Ruling} */
  #ruling(unsaid = "") {
    const corrections = this.finding.value === "rejected" ? [] : this.corrections;
    const clause = composed(this.clause.value.trim()) || unsaid;
    return {
      body: [
        "ruled",
        this.one.n,
        this.finding.value,
        clause,
        composed(this.text.value.trim()) || unsaid,
        this.#remedies,
      ],
      corrections,
      thaw: this.one.frozen && this.thaw.checked,
    };
  }

  // --- what is shown ------------------------------------------------------------------------------------------------------------

  #form() {
    const { view, one, clause, text, finding, seats } = this;
    const { spoken } = view;
    const { n } = one;
    const chosen = finding.value;
    show(
      finding,
      ["upheld", "rejected", "in part"].map((value) =>
        h("option", { value, text: spoken.text(`ruling.${value.replace(" ", "_")}`), selected: value === chosen }),
      ),
    );
    const timed = Boolean(view.watch.checker.stand?.time?.clocks);
    const labelled = (/** @type {HTMLElement} */ field, /** @type {string} */ key, /** @type {any} */ args = {}) => [
      h("label", { for: field.id, text: t(key, args) }),
      field,
    ];
    const boxed = (/** @type {HTMLElement} */ field, /** @type {string} */ key, /** @type {any} */ args = {}) =>
      h("label", { class: "ruling-box", for: field.id }, field, ` ${t(key, args)}`);
    show(
      this.changes,
      h("legend", { text: t("ruling.board") }),
      labelled(this.back, "ruling.back"),
      h("div", { class: "ruling-record", hidden: true }, labelled(this.record, "claims.record")),
      h(
        "p",
        { class: "cup-buttons" },
        button({
          id: `ruling-look-${n}`,
          "data-act": `ruling-look:${n}`,
          onclick: () => view.goTo(this.#goesTo),
          text: t("ruling.look"),
        }),
      ),
      this.corrected,
      h(
        "p",
        { class: "cup-buttons" },
        button({
          id: `ruling-correct-${n}`,
          "data-act": `correct:${n}`,
          onclick: () => this.offering.open([]),
          text: t("ruling.correct"),
        }),
      ),
      this.offering.element,
    );
    show(
      this.beside,
      h("legend", { text: t("ruling.players") }),
      [...seats].map(([seat, fields]) =>
        h(
          "div",
          { class: "ruling-seat", role: "group", "aria-label": spoken.name(seat) },
          h("b", { text: spoken.name(seat) }),
          timed ? labelled(fields.time, "ruling.time") : null,
          boxed(fields.warn, "ruling.warn"),
          boxed(fields.replace, "ruling.replace"),
          labelled(fields.penalty, "ruling.penalty"),
        ),
      ),
    );
    this.#records();
    this.#endings();
    this.#corrections();
    show(this.foot, labelled(this.ending, "ruling.ending"), h("p", { class: "ruling-stands" }));
    this.element.setAttribute("aria-label", t("ruling.title", { n }));
    show(
      this.element,
      h("h3", { text: t("ruling.title", { n }) }),
      labelled(finding, "claims.finding"),
      labelled(clause, "claims.clause"),
      labelled(text, "claims.reasons"),
      this.changes,
      this.beside,
      this.foot,
      h("h4", { text: t("ruling.preview") }),
      this.preview,
      boxed(this.thaw, "claims.thaw"),
      this.failure,
      h("button", { type: "submit", class: "primary", "data-act": `rule:${n}`, text: t("claims.rule") }),
    );
    this.#stood();
  }

  /** What the finding leaves possible. A claim that is rejected changes nothing on the board. */
  #possible() {
    this.changes.hidden = this.finding.value === "rejected";
    const other = /** @type {HTMLElement | null} */ (this.changes.querySelector(".ruling-record"));
    // What is not shown must not keep the form from being submitted.
    this.record.disabled = this.changes.hidden || this.back.value !== "other";
    if (other) other.hidden = this.back.value !== "other";
    const look = /** @type {HTMLButtonElement | null} */ (this.changes.querySelector("[data-act^='ruling-look']"));
    if (look) look.disabled = !this.back.value;
    const thaw = this.thaw.parentElement;
    if (thaw) thaw.hidden = !this.one.frozen;
  }

  /** The records after which somebody was asked, the newest first, with what each was about. */
  #records() {
    const { view, back, record } = this;
    const { records, last } = view.watch;
    const chosen = back.value;
    /** @type {any[]} */
    const found = [];
    for (let seq = last; seq > 0 && found.length < LISTED_MOST; seq--) {
      const one = records[seq];
      if (one.kind === "command" ? one.body[AWAITS].length : one.kind === "takeback")
        found.push(
          h("option", {
            value: seq,
            text: t("ruling.after", { seq, what: this.#about(seq) }),
            selected: chosen === String(seq),
          }),
        );
    }
    record.max = String(last);
    show(
      back,
      h("option", { value: "", text: t("ruling.no_back") }),
      found,
      h("option", { value: "other", text: t("ruling.other"), selected: chosen === "other" }),
    );
    if (!record.value && this.one.of > 1) record.value = String(this.one.of - 1);
  }

  /** What a record was about, briefly. @param {number} seq */
  #about(seq) {
    const lines = tell(this.view.watch.records[seq], this.view.spoken).filter(
      ({ kind }) => kind === "sentence" || kind === "notice",
    );
    return lines[0]?.text ?? "";
  }

  #endings() {
    const { view, stands } = this;
    const { spoken } = view;
    const seats = [...view.watch.seats.keys()];
    const chosen = this.ending.value;
    const option = (/** @type {string} */ value, /** @type {string} */ text) =>
      h("option", { value, text, selected: value === chosen });
    const byScore = stands
      ? [option("adjudicate", t("ruling.adjudicate", { who: this.#winner(stands[0]) }))]
      : [...seats, ""].map((seat) => option(`adjudicate ${seat}`, t("ruling.adjudicate", { who: this.#winner(seat) })));
    show(
      this.ending,
      option("", t("ruling.no_ending")),
      seats.map((seat) => option(`forfeit ${seat}`, t("ruling.forfeit", { who: spoken.name(seat) }))),
      option("draw", t("ruling.draw")),
      byScore,
    );
  }

  /** @param {string | null} seat */
  #winner(seat) {
    return seat ? this.view.spoken.name(seat) : t("ruling.nobody");
  }

  /** How the game stands by its score. */
  #stood() {
    const place = this.foot.querySelector(".ruling-stands");
    if (!place) return;
    const { stands } = this;
    place.textContent = stands?.[3].length
      ? t("ruling.stands", {
          points: stands[3].map(([seat, points]) => `${this.view.spoken.name(seat)} ${points / stands[2]}`),
          who: this.#winner(stands[0]),
        })
      : "";
  }

  /** What a pick of a correction is called. @param {string | number} pick */
  #pick(pick) {
    const { spoken } = this.view;
    return spoken.has(`correction.${pick}`) ? spoken.text(`correction.${pick}`) : spoken.pick(pick);
  }

  #corrections() {
    show(
      this.corrected,
      this.corrections.length
        ? h(
            "ol",
            {},
            this.corrections.map((picks, at) => {
              const what = picks.map((pick) => this.#pick(pick)).join(" › ");
              return h(
                "li",
                {},
                `${what} `,
                button({
                  "data-act": `uncorrect:${at}`,
                  "aria-label": t("ruling.remove", { what }),
                  onclick: () => {
                    // What was offered after it may not be on offer without it.
                    this.corrections.length = at;
                    this.offering.close();
                    this.#corrections();
                    this.#changed();
                    /** @type {HTMLElement | null} */ (this.changes.querySelector("[data-act^='correct']"))?.focus();
                  },
                  text: t("ruling.remove_short"),
                }),
              );
            }),
          )
        : null,
    );
  }

  /** @param {Picks} picks */
  #correct(picks) {
    this.corrections.push(picks);
    this.offering.close();
    this.#corrections();
    this.#changed(0);
    /** @type {HTMLElement | null} */ (this.changes.querySelector("[data-act^='correct']"))?.focus();
  }

  // --- what would be written ----------------------------------------------------------------------------------------------------

  #changed(after = QUIET_MS) {
    clearTimeout(this.timer);
    const turn = ++this.turn;
    this.timer = window.setTimeout(() => this.#try(turn), after);
  }

  /** @param {number} turn */
  async #try(turn) {
    const { view } = this;
    let parts;
    try {
      const { body, corrections } = this.#ruling(UNSAID);
      const [, seq, records, stands] = await view.link.request("try_ruling", view.game, body, corrections);
      if (turn !== this.turn) return;
      this.#newStands(stands);
      const told = records.flatMap((/** @type {[string, string, any[]]} */ [actor, kind, of]) =>
        tell(/** @type {any} */ ({ seq: seq + 1, actor, kind, body: of, effects: [], secrets: [] }), view.spoken),
      );
      parts = [
        h("p", { text: t("ruling.would", { seq }) }),
        h(
          "ol",
          {},
          told.map((/** @type {import("../games/story.js").Line} */ line) => h("li", { text: line.text })),
        ),
      ];
      if (body[5].some((/** @type {any[]} */ [word]) => word === "back"))
        parts.push(h("p", { class: "lead", text: t("ruling.fresh") }));
    } catch (error) {
      if (turn !== this.turn) return;
      parts = [h("p", { class: "refusal", text: this.#why(error) })];
    }
    show(this.preview, parts);
  }

  /** @param {Stands | null} stands */
  #newStands(stands) {
    if (JSON.stringify(stands) === JSON.stringify(this.stands)) return;
    this.stands = stands;
    this.#endings();
    this.#stood();
  }

  /** @param {any} error */
  #why(error) {
    if (typeof error === "string") return t("ruling.no_time", { text: error });
    return this.view.spoken.say(
      error instanceof Refused || error instanceof ServerError ? error.say : ["web.link.lost", [], ""],
    );
  }

  async #submit() {
    this.failure.textContent = "";
    try {
      await this.rule(this.#ruling());
    } catch (error) {
      this.failure.textContent = this.#why(error);
    }
  }
}
