// @ts-check
/** The panel of a player: the question, what was picked, what may be picked, what to expect, requests, and automatic answers. */

import { momentOf } from "../ui/clockface.js";
import { button, h, show, sure } from "../ui/dom.js";
import { OfferPane } from "./offerpane.js";
import { PlayClocks } from "./playclocks.js";
import { PlayLights } from "./playlights.js";
import { ruleSign } from "../games/rules.js";
import { asksPause } from "../games/story.js";
import { t, warns } from "../words/words.js";

export class PlayPane {
  /** @param {import("./play.js").Play} play @param {HTMLElement} pane */
  constructor(play, pane) {
    this.play = play;
    this.pane = pane;
    this.lights = new PlayLights(play);
    this.clocks = new PlayClocks(play);
    this.offer = new OfferPane(play, this);
    this.body = h("div", { class: "play" });
    this.expected = h("div", {});
    this.answers = h("section", { class: "answers", "aria-live": "polite", hidden: true });
    this.status = h("p", { class: "sr-only", role: "status", "aria-live": "polite" });
    this.drawn = "";
    pane.tabIndex = -1;
    this.busy(false);
    show(pane, this.body, this.answers, this.status);
  }

  /** @param {boolean} busy whether the server is being asked */
  busy(busy) {
    this.pane.setAttribute("aria-busy", String(busy));
  }

  /** How many points would be left after going to each place, also shown beside its button. */
  tellCosts() {
    for (const [id, cost] of this.play.costs) {
      const place = this.body.querySelector(`[data-act="${CSS.escape(`pick:${id}`)}"]`);
      if (place && !place.querySelector(".cost")) place.append(h("small", { class: "cost", text: cost }));
    }
  }

  /** Say what is asked now. */
  speak() {
    const { offer, picks, view } = this.play;
    if (!offer) return;
    const { choices } = offer;
    this.status.textContent = [
      picks.map((pick) => view.spoken.pick(pick)).join(", "),
      choices.options.length || choices.span
        ? t("play.choose", { slot: view.spoken.text(`slot.${choices.slot}`) })
        : t("play.submit"),
    ]
      .filter(Boolean)
      .join(". ");
  }

  /** Until when the end of the game is held for protests; 0 where none is. */
  get #heldUntil() {
    return this.play.view.watch.checker.stand?.docket.heldUntil ?? 0;
  }

  /** Whether the seat was taken in another browser and this one has no key of it. As long as records are still being checked, that is not known. */
  get #elsewhere() {
    const { seating, watch } = this.play.view;
    const { stand, checked } = watch.checker;
    if (seating.plays || checked < watch.last) return false;
    return Boolean(stand?.seats.get(this.play.seat)?.taken) || [...watch.seats.values()].every((one) => one.shown);
  }

  /** What the panel shows beside the choices. Those change only when the player acts. */
  get #shown() {
    const { watch, at } = this.play.view;
    return JSON.stringify([
      this.play.view.seating.plays,
      this.#elsewhere,
      this.play.unanswered,
      this.play.decision,
      Boolean(watch.ended),
      at,
      watch.ask?.seq,
      this.#heldUntil,
      this.play.view.frozen,
      this.play.view.clocks.clocks?.pause,
      this.play.view.clocks.paused,
      this.play.view.clocks.fallen,
      [...watch.seats.values()].map((seat) => seat.shown),
      this.play.said,
    ]);
  }

  /** Draw again if anything is different: what is being pressed or typed in stays the same element otherwise. */
  refresh() {
    if (this.#shown !== this.drawn) this.draw();
  }

  /** @param {boolean} [on] whether the player has gone on to other choices, and the focus with them */
  draw(on = false) {
    const { play } = this;
    const { view, seat } = play;
    const { watch, spoken } = view;
    this.drawn = this.#shown;
    view.view.classList.toggle("asked", view.at === null && play.decision >= 0);
    const focus = this.pane.contains(document.activeElement)
      ? (document.activeElement?.getAttribute("data-act") ?? "first")
      : null;
    /** @type {any[]} */
    const parts = [];
    const ask = watch.ask;
    const { plays } = view.seating;
    if (ask && ask.seat !== seat && !watch.ended && plays) {
      parts.push(
        h(
          "div",
          { class: "request", role: "alert" },
          h("p", { text: this.#asked(ask) }),
          h(
            "div",
            { class: "play-actions" },
            button({
              class: "primary",
              "data-act": "agree",
              onclick: () => play.act("answer", [true]),
              text: t("play.agree"),
            }),
            button({ "data-act": "decline", onclick: () => play.act("answer", [false]), text: t("play.decline") }),
          ),
        ),
      );
    }
    if (view.frozen && view.at === null && plays)
      parts.push(h("p", { class: "request", role: "status", text: t("play.frozen") }));
    if (watch.ended) parts.push(h("p", { class: "prompt", text: t("play.over") }));
    else if (view.at !== null) {
      parts.push(
        h("p", { text: t("play.past", { seq: view.at }) }),
        button({ class: "primary", "data-act": "live", onclick: () => view.goTo(null), text: t("play.live") }),
      );
    } else if (play.offer && (play.decision >= 0 || play.sending)) parts.push(...this.offer.parts(play.offer));
    else {
      const gathering = [...watch.seats.values()].some((one) => !one.shown);
      if (this.#elsewhere)
        parts.push(h("p", { class: "prompt", text: t("play.not_here", { seat: spoken.name(seat) }) }));
      else if (this.#heldUntil)
        parts.push(
          h("p", { class: "prompt", text: t("claims.held", { at: momentOf(this.#heldUntil, spoken.language) }) }),
        );
      else
        parts.push(
          h("p", {
            class: "prompt",
            text: t(gathering ? "play.gathering" : play.decision >= 0 ? "play.fetching" : "play.waiting", {
              seat: spoken.name(seat),
            }),
          }),
        );
    }
    if (play.refusal)
      parts.push(
        h(
          "p",
          { class: "refusal", role: "alert" },
          spoken.say(play.refusal),
          play.refusal[2] ? [" ", ruleSign(play.refusal[2])] : null,
        ),
      );
    if (play.unanswered) {
      parts.push(
        h(
          "div",
          { class: "request unanswered", role: "status" },
          h("p", { text: t("play.unanswered") }),
          h(
            "div",
            { class: "play-actions" },
            button({ "data-act": "send-again", onclick: () => play.sendAgain(), text: t("play.send_again") }),
          ),
        ),
      );
    }
    if (!watch.ended && plays) parts.push(...this.clocks.urgent());
    if (play.said) parts.push(h("p", { class: "said-quietly", role: "status", text: play.said }));
    if (!watch.ended && plays && !view.branch && watch.seats.get(seat)?.shown)
      parts.push(...this.#orders(), this.#more());
    show(this.body, parts);
    this.lights.light();
    if (focus !== null) this.#refocus(focus, on);
    // What was pointed at may not be on offer any more.
    if (
      this.lights.pointed !== null &&
      !this.body.querySelector(`[data-act$="${CSS.escape(`:${this.lights.pointed}`)}"]`)
    )
      this.lights.unpoint();
  }

  /** What another seat asks for. @param {{seat: string, kind: string, to: number}} ask */
  #asked({ seat, kind, to }) {
    const { spoken } = this.play.view;
    if (kind === "pause" || kind === "adjourn") return spoken.text(...asksPause(seat, kind, to, spoken));
    if (kind === "draw") return spoken.text("ui.asks_draw", { seat });
    const reopened = this.play.view.watch.records.slice(to + 1).some((record) => record.kind === "open");
    return [
      spoken.text("ui.asks_takeback", { seat, to }),
      ...(reopened ? [spoken.text("ui.asks_takeback_turn")] : []),
    ].join(" ");
  }

  /** Answers given for this seat, each with a way to stop it. */
  #orders() {
    const { play } = this;
    const { spoken } = play.view;
    if (!play.standing.orders.length) return [];
    return [
      h(
        "ul",
        { class: "standing", "aria-label": t("play.standing") },
        play.standing.orders
          .flatMap((order) => order[1].map((picks) => ({ order, picks })))
          .map(({ order, picks }, i) =>
            h(
              "li",
              {},
              h("span", {
                text: t(order[2] === "game" ? "play.standing.game" : "play.standing.turn", {
                  picks: picks.map((pick) => spoken.pick(pick)),
                }),
              }),
              " ",
              button({
                "data-act": `stop:${i}`,
                onclick: () => play.standing.stop(order, picks),
                text: t("play.standing.stop"),
              }),
            ),
          ),
      ),
    ];
  }

  #more() {
    const { play } = this;
    const open = this.body.querySelector("details.more-acts")?.hasAttribute("open");
    return h(
      "details",
      { class: "more-acts", open },
      h("summary", { "data-act": "more", text: t("play.more") }),
      this.clocks.more(),
      h(
        "div",
        { class: "play-actions" },
        button({ "data-act": "takeback", onclick: () => play.takeBack(), text: t("play.takeback") }),
        button({
          "data-act": "draw",
          onclick: () => play.act("ask", ["draw", 0], "play.draw_offered"),
          text: t("play.draw"),
        }),
        button({ "data-act": "resign", onclick: () => this.#resign(), text: t("play.resign") }),
      ),
      h(
        "label",
        { class: "once" },
        h("input", {
          type: "checkbox",
          "data-act": "once",
          checked: play.atOnce,
          onchange: (/** @type {Event} */ event) => {
            play.atOnce = /** @type {HTMLInputElement} */ (event.target).checked;
            localStorage.setItem("warledger.at_once", play.atOnce ? "1" : "0");
          },
        }),
        t("play.once"),
      ),
    );
  }

  async #resign() {
    if (await sure(t("play.really_resign"), t("play.yes_resign"), t("play.no_resign"))) this.play.act("resign", []);
  }

  /**
   * The focus stays on the same thing if it is still there; otherwise it goes to what is to be done next, or to the panel itself.
   * @param {string} was @param {boolean} on whether a choice that is there again is another one
   */
  #refocus(was, on) {
    const again =
      (on && was.startsWith("pick:")) || was === "first"
        ? null
        : this.body.querySelector(`[data-act="${CSS.escape(was)}"]:not(:disabled)`);
    const out = was.startsWith("tray:")
      ? this.body.querySelector(`[data-act="${CSS.escape(was.replace("tray:", "pick:"))}"]`)
      : null;
    const target = again ?? out ?? this.#first;
    /** @type {HTMLElement} */ (target ?? this.pane).focus();
  }

  get #first() {
    return (
      this.body.querySelector(".options-list button, .number-form input, .tiles [data-act^='pick:']") ??
      this.body.querySelector('[data-act="submit"]:not(:disabled)')
    );
  }

  /** Move the focus to the first choice. */
  toChoices() {
    /** @type {HTMLElement | null} */ (this.#first)?.focus();
  }

  /** What was asked about a piece or place, below what is to be decided. */
  answer() {
    const {
      inquiry: { answers },
      view,
    } = this.play;
    const { spoken } = view;
    this.answers.hidden = !answers;
    if (answers) this.answers.setAttribute("aria-label", t("play.answers", { piece: spoken.name(answers.id) }));
    show(
      this.answers,
      answers
        ? [
            h(
              "div",
              { class: "answers-head" },
              h("h3", { text: t("play.answers", { piece: spoken.name(answers.id) }) }),
              button({
                "data-act": "close-answers",
                "aria-label": t("play.answers.close"),
                title: t("play.answers.close"),
                onclick: () => this.play.inquiry.ask(null),
                text: "×",
              }),
            ),
            h(
              "ul",
              { class: "previews" },
              answers.says.map((say) => h("li", {}, spoken.say(say), say[2] ? [" ", ruleSign(say[2])] : null)),
            ),
          ]
        : [],
    );
    this.lights.supply();
  }

  /** What to expect, in its place. */
  expect() {
    const { previews, view } = this.play;
    this.lights.supply();
    const warned = previews.filter(warns);
    if (warned.length) this.status.textContent = warned.map((say) => view.spoken.say(say)).join(" ");
    show(
      this.expected,
      previews.length
        ? h(
            "ul",
            { class: "previews", "aria-label": t("play.preview") },
            previews.map((say) =>
              h(
                "li",
                { class: warns(say) ? "warning" : null },
                chances(view.spoken.say(say)),
                say[2] ? [" ", ruleSign(say[2])] : null,
              ),
            ),
          )
        : null,
    );
  }
}

/** Thousandths are easier to read as per cent. @param {string} text */
const chances = (text) => text.replace(/(\d+)‰/g, (_, n) => `${(Number(n) / 10).toFixed(Number(n) % 10 ? 1 : 0)} %`);
