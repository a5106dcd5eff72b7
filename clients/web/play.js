// @ts-check
/**
 * Playing from choices and previews alone: no rule of any title is known here. A command is a chain of picks; what may come next is lit up on
 * the board and listed as buttons. A click on a unit that some verb would take is that verb and the unit in one.
 */

import { h, show } from "./dom.js";
import { Refused, ServerError, randomBytes } from "./link.js";
import { t } from "./words.js";

/** @typedef {{id: string | number, label: import("./phrases.js").SayArray | null}} Option */
/** @typedef {{slot: string, options: Option[], span: [number, number] | null, complete: boolean, sealed: boolean}} Choices */
/** @typedef {{decision: number, prompt: import("./phrases.js").SayArray, choices: Choices}} Offer */

const AHEAD_MOST = 12;
const COSTS_MOST = 150;
const FILTER_FROM = 14;

/** @param {any[]} fields @returns {Offer} */
function offerOf([, decision, prompt, [slot, options, span, complete, sealed]]) {
  return { decision, prompt, choices: { slot, span, complete, sealed, options: options.map((/** @type {any} */ option) => (Array.isArray(option) ? { id: option[0], label: option[1] } : { id: option, label: null })) } };
}

export class Play {
  /** @param {import("./gameview.js").GameView} view @param {string} seat @param {HTMLElement} pane */
  constructor(view, seat, pane) {
    this.view = view;
    this.seat = seat;
    this.pane = pane;
    /** @type {(string | number)[]} */
    this.picks = [];
    /** how many picks were there before each choice of the player's own @type {number[]} */
    this.steps = [];
    /** @type {Offer | null} */
    this.offer = null;
    /** @type {import("./phrases.js").SayArray[]} */
    this.previews = [];
    /** @type {import("./phrases.js").SayArray | null} */
    this.refusal = null;
    /** what verbs would take a piece or place @type {Map<string, (string | number)[]>} */
    this.ahead = new Map();
    /** what is left after a move to a place @type {Map<string, string>} */
    this.costs = new Map();
    /** @type {{id: string, verbs: (string | number)[]} | null} */
    this.which = null;
    this.said = "";
    this.decision = -1;
    this.turn = 0;
    this.filter = "";
    this.sending = false;
    this.atOnce = localStorage.getItem("warledger.at_once") === "1";
    this.body = h("div", { class: "play" });
    this.status = h("p", { class: "sr-only", role: "status", "aria-live": "polite" });
    show(pane, this.body, this.status);
    view.view.classList.add("playing");
    this.news();
  }

  get #game() {
    return this.view.game;
  }

  /** The record that asks this seat, or -1. */
  get asked() {
    const { watch } = this.view;
    if (watch.ended || watch.fault) return -1;
    return watch.awaits.find(([seat]) => seat === this.seat)?.[1] ?? -1;
  }

  /** Records have come, or another record is looked at. */
  news() {
    const { watch } = this.view;
    const asked = watch.audience === this.seat ? this.asked : -1;
    if (asked !== this.decision || watch.last !== this.last) {
      this.last = watch.last;
      const changed = asked !== this.decision;
      this.decision = asked;
      if (changed) this.said = "";
      if (asked >= 0 && !this.sending) this.explore([], []);
      else if (asked < 0) this.#forget();
    }
    this.redraw();
  }

  #forget() {
    this.turn++;
    this.picks = [];
    this.steps = [];
    this.offer = null;
    this.previews = [];
    this.which = null;
    this.ahead.clear();
    this.costs.clear();
    if (this.status) this.status.textContent = "";
  }

  /** Look at what may follow these picks. @param {(string | number)[]} picks @param {number[]} steps @returns {Promise<boolean>} */
  async explore(picks, steps) {
    const turn = ++this.turn;
    const { link } = this.view;
    try {
      let offer = offerOf(await link.request("choices", this.#game, this.seat, picks));
      // What is the only choice is taken, once a command is begun.
      while (picks.length && !offer.choices.complete && !offer.choices.span && offer.choices.options.length === 1 && turn === this.turn) {
        picks = [...picks, offer.choices.options[0].id];
        offer = offerOf(await link.request("choices", this.#game, this.seat, picks));
      }
      if (turn !== this.turn) return false;
      this.picks = picks;
      this.steps = steps;
      this.offer = offer;
      this.previews = [];
      this.refusal = null;
      this.which = null;
      this.filter = "";
      this.costs.clear();
      if (!picks.length) this.#lookAhead(turn);
      else {
        this.#preview(turn);
        this.#cost(turn);
      }
      const { choices } = offer;
      if (this.atOnce && picks.length && choices.complete && !choices.options.length && !choices.span && !choices.sealed) {
        this.redraw();
        await this.submit();
        return true;
      }
      this.redraw();
      this.status.textContent = this.#spokenState();
      return true;
    } catch (error) {
      if (turn === this.turn) this.#failed(error);
      return false;
    }
  }

  /** Which pieces and places each verb would take. @param {number} turn */
  async #lookAhead(turn) {
    this.ahead.clear();
    const verbs = (this.offer?.choices.options ?? []).filter(({ id }) => typeof id === "string" && !this.#onBoard(id)).slice(0, AHEAD_MOST);
    const { link } = this.view;
    const seen = await Promise.all(verbs.map(({ id }) => link.request("choices", this.#game, this.seat, [id]).then(offerOf, () => null)));
    if (turn !== this.turn) return;
    seen.forEach((offer, i) => {
      for (const { id } of offer?.choices.options ?? []) {
        if (typeof id === "string" && this.#onBoard(id)) this.ahead.set(id, [...(this.ahead.get(id) ?? []), verbs[i].id]);
      }
    });
    this.#light();
  }

  /** @param {number} turn */
  async #preview(turn) {
    try {
      const [says] = await this.view.link.request("preview", this.#game, this.seat, this.picks);
      if (turn !== this.turn) return;
      this.previews = says;
      this.redraw();
    } catch {
      // There is nothing to expect where a preview is refused.
    }
  }

  /** What would be left after going to each place on offer. @param {number} turn */
  async #cost(turn) {
    const places = (this.offer?.choices.options ?? []).filter(({ id }) => typeof id === "string" && this.view.board?.map.place(id));
    if (!places.length || places.length > COSTS_MOST) return;
    await Promise.all(places.map(async ({ id }) => {
      try {
        const [says] = await this.view.link.request("preview", this.#game, this.seat, [...this.picks, id]);
        const told = says.flatMap((/** @type {any} */ say) => say[1]).find((/** @type {[string, any]} */ [name]) => name === "left");
        if (told && turn === this.turn) this.costs.set(String(id), String(told[1]));
      } catch {
        // No cost is known there.
      }
    }));
    if (turn === this.turn && this.costs.size) this.#light();
  }

  /** @param {string | number} id */
  #onBoard(id) {
    const { board, watch } = this.view;
    return typeof id === "string" && Boolean(board?.map.place(id) || board?.pieces.has(id) || watch.history.now.pieces.has(id));
  }

  // --- picking ------------------------------------------------------------------------------------------------------------------

  /** @param {string | number} id */
  pick(id) {
    return this.explore([...this.picks, id], [...this.steps, this.picks.length]);
  }

  /** @param {string} id @param {"piece" | "place"} kind */
  pickOnBoard(id, kind) {
    void kind;
    if (!this.offer || this.sending || this.view.at !== null) return;
    if (this.offer.choices.options.some((option) => option.id === id)) return void this.pick(id);
    const verbs = this.picks.length ? [] : this.ahead.get(id) ?? [];
    if (verbs.length === 1) return void this.explore([verbs[0], id], [0]);
    if (verbs.length > 1) {
      this.which = { id, verbs };
      this.redraw();
      /** @type {HTMLElement | null} */ (this.body.querySelector(".options-list button"))?.focus();
      return;
    }
    this.why(id);
  }

  /** Ask the rules why something is not on offer. @param {string} id */
  async why(id) {
    try {
      await this.view.link.request("choices", this.#game, this.seat, [...this.picks, id]);
    } catch (error) {
      this.#failed(error);
    }
  }

  undoPick() {
    if (this.which) {
      this.which = null;
      this.redraw();
    } else if (this.steps.length) this.explore(this.picks.slice(0, this.steps[this.steps.length - 1]), this.steps.slice(0, -1));
  }

  clear() {
    if (this.picks.length || this.which) this.explore([], []);
  }

  async submit() {
    const { offer, view } = this;
    if (!offer?.choices.complete || this.sending) return;
    this.sending = true;
    this.redraw();
    const seen = view.watch.records[view.watch.last]?.hash ?? new Uint8Array();
    try {
      await view.link.request("submit", this.#game, this.seat, offer.decision, seen, this.picks, randomBytes(16));
      this.#forget();
    } catch (error) {
      this.#failed(error);
    } finally {
      this.sending = false;
    }
    const asked = this.asked;
    this.decision = asked;
    if (asked >= 0) {
      const refusal = this.refusal;
      await this.explore([], []);
      if (refusal) {
        this.refusal = refusal;
        this.redraw();
      }
    } else this.redraw();
  }

  /** @param {any} error */
  #failed(error) {
    this.refusal = error instanceof Refused || error instanceof ServerError ? error.say : ["web.link.lost", [], ""];
    this.redraw();
  }

  // --- requests -------------------------------------------------------------------------------------------------------------------

  /** @param {string} tag @param {any[]} fields @param {string} [after] */
  async #act(tag, fields, after = "") {
    this.refusal = null;
    this.said = "";
    try {
      await this.view.link.request(tag, this.#game, this.seat, ...fields);
      if (after) this.said = t(after);
    } catch (error) {
      this.#failed(error);
    }
    this.redraw();
  }

  /** The record before this seat's last command that still stands. */
  get backTo() {
    /** @type {number[]} */
    let targets = [];
    for (const { kind, body, seq } of this.view.watch.records) {
      if (kind === "command" && body[1] === this.seat) targets.push(seq - 1);
      else if (kind === "takeback") targets = targets.filter((target) => target < body[1]);
    }
    return targets[targets.length - 1] ?? -1;
  }

  async takeBack() {
    const to = this.backTo;
    if (to < 0) {
      this.said = t("play.nothing_to_take_back");
      return this.redraw();
    }
    await this.#act("ask", ["takeback", to]);
    if (this.view.watch.ask?.seat === this.seat) this.said = t("play.asked_takeback");
    this.redraw();
  }

  #resign() {
    const dialog = h("dialog", { "aria-labelledby": "resign-question" }, h("form", { method: "dialog" }, h("p", { id: "resign-question", text: t("play.really_resign") }),
      h("div", { class: "play-actions" }, h("button", { value: "no", autofocus: true, text: t("play.no_resign") }), h("button", { value: "yes", class: "primary", text: t("play.yes_resign") }))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue === "yes") this.#act("resign", []);
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  // --- showing ----------------------------------------------------------------------------------------------------------------------

  #light() {
    const { board } = this.view;
    if (!board) return;
    if (!this.offer || this.view.at !== null || this.sending) {
      board.highlight(null);
      return;
    }
    const picks = new Set(this.offer.choices.options.map(({ id }) => id).filter((id) => this.#onBoard(id)));
    if (!this.picks.length) for (const id of this.ahead.keys()) picks.add(id);
    board.highlight({ picks, label: (pick) => this.costs.get(pick) ?? "" }, new Set(this.picks.filter((pick) => typeof pick === "string").map(String)));
  }

  #spokenState() {
    if (!this.offer) return "";
    const { spoken } = this.view;
    const { choices } = this.offer;
    return [this.picks.map((pick) => spoken.pick(pick)).join(", "), choices.options.length || choices.span ? t("play.choose", { slot: spoken.text(`slot.${choices.slot}`) }) : t("play.submit")].filter(Boolean).join(". ");
  }

  redraw() {
    const { view } = this;
    const { watch, spoken } = view;
    const focus = this.pane.contains(document.activeElement) ? document.activeElement?.getAttribute("data-act") ?? "first" : null;
    /** @type {any[]} */
    const parts = [];
    const ask = watch.ask;
    if (ask && ask.seat !== this.seat && !watch.ended) {
      parts.push(h("div", { class: "request", role: "group" }, h("p", { text: spoken.text(ask.kind === "draw" ? "ui.asks_draw" : "ui.asks_takeback", { seat: ask.seat, to: ask.to }) }),
        h("div", { class: "play-actions" }, h("button", { type: "button", class: "primary", "data-act": "agree", onclick: () => this.#act("answer", [true]), text: t("play.agree") }), h("button", { type: "button", "data-act": "decline", onclick: () => this.#act("answer", [false]), text: t("play.decline") }))));
    }
    if (watch.ended) parts.push(h("p", { class: "prompt", text: t("play.over") }));
    else if (view.at !== null) {
      parts.push(h("p", { text: t("play.past", { seq: view.at }) }), h("button", { type: "button", class: "primary", "data-act": "live", onclick: () => view.goTo(null), text: t("play.live") }));
    } else if (this.decision < 0 || !this.offer) {
      const gathering = [...watch.seats.values()].some((seat) => !seat.shown);
      parts.push(h("p", { class: "prompt", text: t(gathering ? "play.gathering" : "play.waiting", { seat: spoken.name(this.seat) }) }));
    } else parts.push(...this.#offerParts(this.offer));
    if (this.refusal) parts.push(h("p", { class: "refusal", role: "alert" }, spoken.say(this.refusal), this.refusal[2] ? [" ", h("span", { class: "rule", text: this.refusal[2] })] : null));
    if (this.said) parts.push(h("p", { class: "said-quietly", role: "status", text: this.said }));
    if (!watch.ended && watch.seats.get(this.seat)?.shown) {
      const open = this.body.querySelector("details")?.open;
      parts.push(h("details", { class: "more-acts", open }, h("summary", { "data-act": "more", text: t("play.more") }), h("div", { class: "play-actions" },
        h("button", { type: "button", "data-act": "takeback", onclick: () => this.takeBack(), text: t("play.takeback") }),
        h("button", { type: "button", "data-act": "draw", onclick: () => this.#act("ask", ["draw", 0], "play.draw_offered"), text: t("play.draw") }),
        h("button", { type: "button", "data-act": "resign", onclick: () => this.#resign(), text: t("play.resign") })),
        h("label", { class: "once" }, h("input", { type: "checkbox", "data-act": "once", checked: this.atOnce, onchange: (/** @type {Event} */ event) => {
          this.atOnce = /** @type {HTMLInputElement} */ (event.target).checked;
          localStorage.setItem("warledger.at_once", this.atOnce ? "1" : "0");
        } }), t("play.once"))));
    }
    show(this.body, parts);
    this.#light();
    if (focus !== null) this.#refocus(focus);
  }

  /** Focus stays where the same thing is, else goes to what is to be done next. @param {string} was */
  #refocus(was) {
    const again = was.startsWith("pick:") || was === "first" ? null : this.body.querySelector(`[data-act="${CSS.escape(was)}"]:not(:disabled)`);
    const submit = this.body.querySelector('[data-act="submit"]:not(:disabled)');
    const option = this.body.querySelector(".options-list button, .number-form input");
    const target = again ?? (option ?? submit) ?? this.body.querySelector("button, summary");
    if (target) /** @type {HTMLElement} */ (target).focus();
    else {
      this.pane.tabIndex = -1;
      this.pane.focus();
    }
  }

  /** @param {Offer} offer */
  #offerParts({ prompt, choices }) {
    const { spoken } = this.view;
    /** @type {any[]} */
    const parts = [h("p", { class: "prompt" }, spoken.say(prompt), prompt[2] ? [" ", h("span", { class: "rule", text: prompt[2] })] : null)];
    if (this.picks.length) parts.push(h("ol", { class: "crumbs", "aria-label": t("play.picked") }, this.picks.map((pick) => h("li", { text: spoken.pick(pick) }))));
    const end = !choices.options.length && !choices.span;
    if (this.which) {
      const which = this.which;
      parts.push(h("p", { class: "slot", text: t("play.which", { piece: spoken.name(which.id) }) }), h("div", { class: "options-list", role: "group", "aria-label": t("play.choices") },
        which.verbs.map((verb) => h("button", { type: "button", "data-act": `pick:${verb}`, onclick: () => this.explore([verb, which.id], [0]), text: spoken.pick(verb) }))));
    } else if (!end) {
      parts.push(h("p", { class: "slot", text: t("play.choose", { slot: spoken.text(`slot.${choices.slot}`) }) }));
      if (choices.span) parts.push(this.#number(choices.span));
      if (choices.options.length) parts.push(...this.#options(choices.options));
    }
    if (choices.sealed) parts.push(h("p", { class: "sealed", text: t("play.sealed") }));
    if (this.previews.length) parts.push(h("ul", { class: "previews", "aria-label": t("play.preview") }, this.previews.map((say) => h("li", {}, chances(spoken.say(say)), say[2] ? [" ", h("span", { class: "rule", text: say[2] })] : null))));
    if (this.picks.length || this.which) {
      parts.push(h("div", { class: "play-actions" },
        h("button", { type: "button", class: "primary", "data-act": "submit", disabled: !choices.complete || this.sending || Boolean(this.which), onclick: () => this.submit(), text: t("play.submit") }),
        h("button", { type: "button", "data-act": "undo", disabled: this.sending, onclick: () => this.undoPick(), text: t("play.undo") }),
        this.steps.length > 1 ? h("button", { type: "button", "data-act": "clear", disabled: this.sending, onclick: () => this.clear(), text: t("play.clear") }) : null));
    }
    return parts;
  }

  /** @param {[number, number]} span */
  #number([lowest, highest]) {
    const input = h("input", { type: "number", id: "pick-number", min: lowest, max: highest, value: lowest, required: true, "data-act": "number" });
    return h("form", { class: "number-form play-actions", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.pick(Number(input.value));
    } }, h("label", { for: "pick-number", text: t("play.number", { lowest, highest }) }), input, h("button", { type: "submit", "data-act": "take", text: t("play.take") }));
  }

  /** @param {Option[]} options */
  #options(options) {
    const { spoken, board, watch } = this.view;
    const list = h("div", { class: "options-list", role: "group", "aria-label": t("play.choices") });
    const draw = () => {
      const wanted = this.filter.trim().toLowerCase();
      show(list, options.map((option) => {
        const id = option.id;
        const piece = typeof id === "string" ? watch.history.now.pieces.get(id) : undefined;
        const where = piece && typeof piece.place === "string" ? spoken.name(piece.place) : "";
        const label = spoken.option(option);
        if (wanted && !`${label} ${where} ${id}`.toLowerCase().includes(wanted)) return null;
        return h("button", { type: "button", "data-act": `pick:${id}`, onclick: () => this.pick(id), onfocus: () => this.#point(id), onmouseenter: () => this.#point(id) }, label,
          where ? h("small", { text: where }) : null, this.costs.has(String(id)) ? h("small", { text: this.costs.get(String(id)) }) : null);
      }));
    };
    draw();
    void board;
    if (options.length < FILTER_FROM) return [list];
    const input = h("input", { type: "search", class: "option-filter", "data-act": "filter", "aria-label": t("play.filter"), placeholder: t("play.filter"), value: this.filter, oninput: () => {
      this.filter = input.value;
      draw();
    } });
    return [input, list];
  }

  /** Show on the board what a button means. @param {string | number} id */
  #point(id) {
    const { board } = this.view;
    if (!board || typeof id !== "string") return;
    const place = board.map.place(id) ? id : board.pieces.get(id)?.place;
    if (!place) return;
    board.layers.cursor.setAttribute("d", board.map.shape(place));
    const at = /** @type {any} */ (board.map.place(place));
    if (at) board.stage.reveal(at.x, at.y);
  }

  /** @param {KeyboardEvent} event @returns {boolean} */
  key(event) {
    if (event.key === "Backspace") this.undoPick();
    else if (event.key === "Escape") this.clear();
    else return false;
    return true;
  }

  dispose() {
    this.turn++;
    this.view.view.classList.remove("playing");
    this.view.board?.highlight(null);
  }
}

/** Thousandths read better as hundredths; over a whole it is a mean. @param {string} text */
const chances = (text) => text.replace(/(\d+)‰/g, (_, n) => (Number(n) > 1000 ? (Number(n) / 1000).toFixed(2) : `${(Number(n) / 10).toFixed(Number(n) % 10 ? 1 : 0)} %`));
