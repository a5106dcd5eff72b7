// @ts-check
/** A question with what may be picked: what was picked already, the choices as buttons, how to submit them. */

import { button, h, show } from "../ui/dom.js";
import { ruleSign } from "../games/rules.js";
import { trayElement } from "./tray.js";
import { sought, t } from "../words/words.js";

const FILTER_FROM = 14;
export class OfferPane {
  /** @param {import("./play.js").Play} play @param {import("./playpane.js").PlayPane} pane */
  constructor(play, pane) {
    this.play = play;
    this.pane = pane;
    /** what the choices are sought by */
    this.filter = "";
  }

  /** @param {import("./offer.js").Offer} offer */
  parts({ prompt, choices }) {
    const { play } = this;
    const { view, picks, which, sending } = play;
    const { spoken } = view;
    /** @type {any[]} */
    const parts = [h("p", { class: "prompt" }, spoken.say(prompt), prompt[2] ? [" ", ruleSign(prompt[2])] : null)];
    const end = !choices.options.length && !choices.span;
    const tray = which || sending ? null : play.tray;
    // What lies in the tray is seen there.
    const crumbs = picks
      .map((pick, n) =>
        n >= (tray?.before.length ?? 0) && tray?.taken.includes(pick)
          ? null
          : h("li", {}, this.#chip(n), spoken.pick(pick)),
      )
      .filter(Boolean);
    if (crumbs.length) parts.push(h("ol", { class: "crumbs", "aria-label": t("play.picked") }, crumbs));
    if (which) {
      parts.push(
        h("p", { class: "slot", text: t("play.which", { piece: spoken.name(which.id) }) }),
        h(
          "div",
          { class: "options-list", role: "group", "aria-label": t("play.choices") },
          which.verbs.map((verb) =>
            button({
              "data-act": `pick:${verb}`,
              onclick: () => play.pickWith(verb, which.id),
              text: spoken.pick(verb),
            }),
          ),
        ),
      );
    } else if (sending) parts.push(h("p", { class: "slot", text: t("play.sending") }));
    else {
      const heading = (/** @type {string} */ slot) =>
        h("p", { class: "slot", text: t("play.choose", { slot: spoken.text(`slot.${slot}`) }) });
      const inTray = tray && (!end || tray.taken.length);
      if (inTray)
        parts.push(
          ...(end ? [] : [heading(tray.slot)]),
          trayElement(play, tray, (id) => this.pane.lights.point(id)),
        );
      // What is asked once enough lies in the tray stands below it.
      if (!end && !(inTray && (tray.pending || choices.slot === tray.slot))) {
        parts.push(...this.#lone(prompt[0], choices));
        parts.push(heading(choices.slot));
        if (choices.span) parts.push(this.#number(choices.span));
        if (choices.options.length) parts.push(...this.#options(choices.options));
      }
    }
    if (choices.sealed) parts.push(h("p", { class: "sealed", text: this.#seen(prompt[0]) }));
    this.pane.expect();
    parts.push(this.pane.expected);
    if (picks.length || which) {
      const whole = choices.complete && !which && !play.tray?.pending;
      parts.push(
        h(
          "div",
          { class: "play-actions main-actions" },
          button({
            class: "primary",
            "data-act": "submit",
            disabled: !whole || sending,
            onclick: () => play.submit(),
            text: t("play.submit"),
          }),
          button({ "data-act": "undo", disabled: sending, onclick: () => play.undoPick(), text: t("play.undo") }),
          play.steps.length > 1
            ? button({ "data-act": "clear", disabled: sending, onclick: () => play.clear(), text: t("play.clear") })
            : null,
        ),
      );
      if (whole && !sending && end && !choices.sealed) parts.push(this.#atOnce());
      if (whole && !sending && !view.branch) parts.push(this.#always());
    }
    return parts;
  }

  /** What a pick is, where it does not tell by itself: by the catalogue's `chip.<slot>` of the slot that it was chosen for. @param {number} n */
  #chip(n) {
    const { picks, headings, view } = this.play;
    const key = `chip.${headings.get(JSON.stringify(picks.slice(0, n)))}`;
    return view.spoken.has(key) ? [h("small", { text: view.spoken.text(key) }), " "] : null;
  }

  /**
   * What the other side will see of what is being picked under a seal: by the catalogue's `seen.<title or family>.<verb>`, else what holds
   * of every seal. @param {string} prompt the prompt's key, whose second part is the title or its family
   */
  #seen(prompt) {
    const { picks, view, which } = this.play;
    const verb = picks[0] ?? which?.verbs[0] ?? "";
    const key = `seen.${prompt.split(".")[1]}.${verb}`;
    return view.spoken.has(key) ? view.spoken.text(key) : t("play.sealed");
  }

  /**
   * Of a question that is asked though there is only one answer, why: by the catalogue's `lone.<the prompt's key without its family>.<pick>`.
   * The answer can be given for the whole turn at once. @param {string} prompt @param {import("../protocol.d.ts").Choices} choices
   */
  #lone(prompt, { options, span }) {
    const { picks, view } = this.play;
    const [only] = options;
    const key = `lone.${prompt.replace(/^prompt\./, "")}.${only?.id}`;
    if (picks.length || span || options.length !== 1 || !view.spoken.has(key)) return [];
    return [
      h("p", { class: "lone", text: view.spoken.text(key) }),
      view.branch
        ? null
        : h(
            "div",
            { class: "play-actions" },
            button({
              class: "primary",
              "data-act": "lone:turn",
              onclick: () => this.play.answerAlways(only.id, "turn"),
              text: t("play.lone.turn", { pick: view.spoken.pick(only.id) }),
            }),
          ),
    ];
  }

  /** Whoever has never said so is asked whether a command with nothing left to choose is to be submitted at once. */
  #atOnce() {
    if (localStorage.getItem("warledger.at_once") !== null) return null;
    const answer = (/** @type {boolean} */ on) =>
      button({
        "data-act": `at-once:${on ? "yes" : "no"}`,
        onclick: () => {
          this.play.atOnce = on;
          localStorage.setItem("warledger.at_once", on ? "1" : "0");
          if (on) this.play.submit();
          else this.pane.draw();
        },
        text: t(on ? "play.once.yes" : "play.once.no"),
      });
    return h("div", { class: "at-once" }, h("p", { text: t("play.once.ask") }), answer(true), answer(false));
  }

  /** Submit, and let the server give the same answer from now on. */
  #always() {
    const open = this.pane.body.querySelector("details.always")?.hasAttribute("open");
    const answer = (/** @type {"turn" | "game"} */ until) =>
      button({
        "data-act": `always:${until}`,
        onclick: () => this.play.submit(until),
        text: t(`play.always.${until}`),
      });
    return h(
      "details",
      { class: "always more-acts", open },
      h("summary", { "data-act": "always", text: t("play.always") }),
      h("p", { text: t("play.always.how") }),
      h("div", { class: "play-actions" }, answer("turn"), answer("game")),
    );
  }

  /** @param {[number, number]} span */
  #number([lowest, highest]) {
    const input = h("input", {
      type: "number",
      id: "pick-number",
      min: lowest,
      max: highest,
      value: lowest,
      required: true,
      "data-act": "number",
    });
    return h(
      "form",
      {
        class: "number-form play-actions",
        onsubmit: () => this.play.pick(Number(input.value)),
      },
      h("label", { for: "pick-number", text: t("play.number", { lowest, highest }) }),
      input,
      h("button", { type: "submit", "data-act": "take", text: t("play.take") }),
    );
  }

  /** @param {import("../protocol.d.ts").Option[]} options */
  #options(options) {
    const { play } = this;
    const { spoken, watch } = play.view;
    const list = h("div", { class: "options-list", role: "group", "aria-label": t("play.choices") });
    const draw = () => {
      const wanted = sought(this.filter.trim());
      show(
        list,
        options.map((option) => {
          const id = option.id;
          const piece = typeof id === "string" ? watch.history.now.pieces.get(id) : undefined;
          const where = piece && typeof piece.place === "string" ? spoken.name(piece.place) : "";
          const values = piece
            ? (play.view.board?.counters.print(String(id), piece.face, piece.owner).values ?? "")
            : "";
          const label = spoken.option(option);
          if (wanted && !sought(`${label} ${where} ${id}`).includes(wanted)) return null;
          return button(
            {
              "data-act": `pick:${id}`,
              onclick: () => play.pick(id),
              onfocus: () => this.pane.lights.point(id),
              onmouseenter: () => this.pane.lights.point(id),
            },
            label,
            where ? h("small", { text: [values, where].filter(Boolean).join(" · ") }) : null,
          );
        }),
      );
    };
    draw();
    this.pane.tellCosts();
    if (options.length < FILTER_FROM) return [list];
    const input = h("input", {
      type: "search",
      class: "option-filter",
      "data-act": "filter",
      "aria-label": t("play.filter"),
      placeholder: t("play.filter"),
      value: this.filter,
      oninput: () => {
        this.filter = input.value;
        draw();
        this.pane.tellCosts();
      },
    });
    return [input, list];
  }
}
