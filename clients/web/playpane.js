// @ts-check
/** The panel of a player: the question, what was picked, what may be picked, what to expect, requests, and automatic answers. */

import { momentOf } from "./clockface.js";
import { h, show, sure } from "./dom.js";
import { ruleSign } from "./rules.js";
import { asksPause } from "./story.js";
import { trayElement } from "./tray.js";
import { sought, t, warns } from "./words.js";

const FILTER_FROM = 14;
/** How much time a seat whose flag has fallen is given at once. */
const GIVEN_MS = 10 * 60_000;

export class PlayPane {
  /** @param {import("./play.js").Play} play @param {HTMLElement} pane */
  constructor(play, pane) {
    this.play = play;
    this.pane = pane;
    this.filter = "";
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

  /** Light up on the board what may be picked. */
  light() {
    const { view, offer, picks, ahead, costs, sending } = this.play;
    const { board } = view;
    if (!board) return;
    view.showing.yielding.ask();
    if (!offer || view.at !== null || sending) {
      board.highlight(null);
      if (!sending) board.plan([]);
      return;
    }
    /** @type {Set<string | number>} */
    const lit = new Set(offer.choices.options.map(({ id }) => id).filter((id) => this.play.onBoard(id)));
    if (!picks.length) for (const id of ahead.keys()) lit.add(id);
    const last = picks[picks.length - 1];
    if (this.play.dragging.held && board.map.place(/** @type {string} */ (last))) lit.add(last); // the only way there is, taken already
    board.highlight({ picks: lit, label: (pick) => costs.get(pick) ?? "" }, new Set(picks.filter((pick) => typeof pick === "string").map(String)));
    const { ways, target } = this.#ways();
    board.plan(ways, target);
  }

  /**
   * Where what is picked would go: for each piece its place and the places picked after it; of an attack, where a place or a piece of the other
   * side is picked too, from each attacker to what it attacks.
   */
  #ways() {
    const { picks, headings, view, seat } = this.play;
    const now = view.watch.history.now.pieces;
    /** @type {string[][]} */
    const ways = [];
    /** @type {string[]} */
    let from = [];
    /** @type {string[]} */
    let to = [];
    /** @type {string[]} */
    const attackers = [];
    let target = "";
    const flush = () => {
      if (to.length) for (const place of from) ways.push([place, ...to]);
      if (to.length) [from, to] = [[], []];
    };
    for (const [n, pick] of picks.entries()) {
      // What is chosen as `…_from` is where something comes from: nobody goes there.
      if (typeof pick !== "string" || headings.get(JSON.stringify(picks.slice(0, n)))?.endsWith("_from")) continue;
      const piece = now.get(pick);
      if (view.board?.map.place(pick)) {
        if (from.length) to.push(pick);
        else target = pick;
      } else if (piece && typeof piece.place === "string" && view.board?.map.place(piece.place)) {
        flush();
        if (piece.owner && piece.owner !== seat) target = pick;
        else {
          attackers.push(pick);
          if (!from.includes(piece.place)) from.push(piece.place);
        }
      }
    }
    flush();
    if (!target) return { ways, target };
    // In a hex stacks attack; where all lie in one sea, counters do.
    const starts = view.board?.map.place(target) ? attackers.map((id) => /** @type {any} */ (now.get(id)).place) : attackers;
    return { ways: [...ways, ...[...new Set(starts)].filter((one) => one !== target).map((one) => [one, target])], target };
  }

  /** How many points would be left after going to each place, also shown beside its button. */
  tellCosts() {
    for (const [id, cost] of this.play.costs) {
      const button = this.body.querySelector(`[data-act="${CSS.escape(`pick:${id}`)}"]`);
      if (button && !button.querySelector(".cost")) button.append(h("small", { class: "cost", text: cost }));
    }
  }

  /** Say what is asked now. */
  speak() {
    const { offer, picks, view } = this.play;
    if (!offer) return;
    const { choices } = offer;
    this.status.textContent = [picks.map((pick) => view.spoken.pick(pick)).join(", "), choices.options.length || choices.span ? t("play.choose", { slot: view.spoken.text(`slot.${choices.slot}`) }) : t("play.submit")].filter(Boolean).join(". ");
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
    return JSON.stringify([this.play.view.seating.plays, this.#elsewhere, this.play.unanswered, this.play.decision, Boolean(watch.ended), at, watch.ask?.seq, this.#heldUntil, this.play.view.frozen, this.play.view.clocks.clocks?.pause, this.play.view.clocks.paused, this.play.view.clocks.fallen, [...watch.seats.values()].map((seat) => seat.shown), this.play.said]);
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
    const focus = this.pane.contains(document.activeElement) ? document.activeElement?.getAttribute("data-act") ?? "first" : null;
    /** @type {any[]} */
    const parts = [];
    const ask = watch.ask;
    const { plays } = view.seating;
    if (ask && ask.seat !== seat && !watch.ended && plays) {
      parts.push(h("div", { class: "request", role: "alert" }, h("p", { text: this.#asked(ask) }),
        h("div", { class: "play-actions" }, h("button", { type: "button", class: "primary", "data-act": "agree", onclick: () => play.act("answer", [true]), text: t("play.agree") }), h("button", { type: "button", "data-act": "decline", onclick: () => play.act("answer", [false]), text: t("play.decline") }))));
    }
    if (view.frozen && view.at === null && plays) parts.push(h("p", { class: "request", role: "status", text: t("play.frozen") }));
    if (watch.ended) parts.push(h("p", { class: "prompt", text: t("play.over") }));
    else if (view.at !== null) {
      parts.push(h("p", { text: t("play.past", { seq: view.at }) }), h("button", { type: "button", class: "primary", "data-act": "live", onclick: () => view.goTo(null), text: t("play.live") }));
    } else if (play.offer && (play.decision >= 0 || play.sending)) parts.push(...this.#offer(play.offer));
    else {
      const gathering = [...watch.seats.values()].some((one) => !one.shown);
      if (this.#elsewhere) parts.push(h("p", { class: "prompt", text: t("play.not_here", { seat: spoken.name(seat) }) }));
      else if (this.#heldUntil) parts.push(h("p", { class: "prompt", text: t("claims.held", { at: momentOf(this.#heldUntil, spoken.language) }) }));
      else parts.push(h("p", { class: "prompt", text: t(gathering ? "play.gathering" : play.decision >= 0 ? "play.fetching" : "play.waiting", { seat: spoken.name(seat) }) }));
    }
    if (play.refusal) parts.push(h("p", { class: "refusal", role: "alert" }, spoken.say(play.refusal), play.refusal[2] ? [" ", ruleSign(play.refusal[2])] : null));
    if (play.unanswered) {
      parts.push(h("div", { class: "request unanswered", role: "status" }, h("p", { text: t("play.unanswered") }), h("div", { class: "play-actions" },
        h("button", { type: "button", "data-act": "send-again", onclick: () => play.sendAgain(), text: t("play.send_again") }))));
    }
    if (!watch.ended && plays) parts.push(...this.#onTime());
    if (play.said) parts.push(h("p", { class: "said-quietly", role: "status", text: play.said }));
    if (!watch.ended && plays && !view.branch && watch.seats.get(seat)?.shown) parts.push(...this.#orders(), this.#more());
    show(this.body, parts);
    this.light();
    if (focus !== null) this.#refocus(focus, on);
    // What was pointed at may not be on offer any more.
    if (this.pointed !== null && !this.body.querySelector(`[data-act$="${CSS.escape(`:${this.pointed}`)}"]`)) this.#unpoint();
  }

  /** What another seat asks for. @param {{seat: string, kind: string, to: number}} ask */
  #asked({ seat, kind, to }) {
    const { spoken } = this.play.view;
    if (kind === "pause" || kind === "adjourn") return spoken.text(...asksPause(seat, kind, to, spoken));
    if (kind === "draw") return spoken.text("ui.asks_draw", { seat });
    const reopened = this.play.view.watch.records.slice(to + 1).some((record) => record.kind === "open");
    return [spoken.text("ui.asks_takeback", { seat, to }), ...(reopened ? [spoken.text("ui.asks_takeback_turn")] : [])].join(" ");
  }

  /** Answers given for this seat, each with a way to stop it. */
  #orders() {
    const { play } = this;
    const { spoken } = play.view;
    if (!play.standing.orders.length) return [];
    return [h("ul", { class: "standing", "aria-label": t("play.standing") }, play.standing.orders.flatMap((order) => order[1].map((picks) => ({ order, picks }))).map(({ order, picks }, i) => h("li", {},
      h("span", { text: t(order[2] === "game" ? "play.standing.game" : "play.standing.turn", { picks: picks.map((pick) => spoken.pick(pick)) }) }), " ",
      h("button", { type: "button", "data-act": `stop:${i}`, onclick: () => play.standing.stop(order, picks), text: t("play.standing.stop") }))))];
  }

  #more() {
    const { play } = this;
    const open = this.body.querySelector("details.more-acts")?.hasAttribute("open");
    return h("details", { class: "more-acts", open }, h("summary", { "data-act": "more", text: t("play.more") }), this.#aboutTime(), h("div", { class: "play-actions" },
      h("button", { type: "button", "data-act": "takeback", onclick: () => play.takeBack(), text: t("play.takeback") }),
      h("button", { type: "button", "data-act": "draw", onclick: () => play.act("ask", ["draw", 0], "play.draw_offered"), text: t("play.draw") }),
      h("button", { type: "button", "data-act": "resign", onclick: () => this.#resign(), text: t("play.resign") })),
    h("label", { class: "once" }, h("input", { type: "checkbox", "data-act": "once", checked: play.atOnce, onchange: (/** @type {Event} */ event) => {
      play.atOnce = /** @type {HTMLInputElement} */ (event.target).checked;
      localStorage.setItem("warledger.at_once", play.atOnce ? "1" : "0");
    } }), t("play.once")));
  }

  /** What the player may do about the clocks, or null in a game without. */
  #aboutTime() {
    const { play } = this;
    const { clocks } = play.view;
    const { control } = clocks;
    if (!control) return null;
    return [clocks.paused ? null : h("div", { class: "play-actions" }, this.#clockButton("pause", () => play.act("ask", ["pause", 0], "clock.asked")),
      this.#clockButton("adjourn", () => play.act("ask", ["adjourn", 0], "clock.asked"))),
    control.leave_days ? this.#leave() : null, control.nights ? this.#night(control.nights) : null];
  }

  /** What the player should see at once about the clocks: a pause that they can end, a flag of the other side. */
  #onTime() {
    const { play } = this;
    const { control, clocks, paused, fallen } = play.view.clocks;
    if (!control || !clocks) return [];
    if (paused && !clocks.pause?.resumed.includes(play.seat)) {
      return [h("div", { class: "request" }, h("p", { text: t("clock.is_paused") }), h("div", { class: "play-actions" }, this.#clockButton("resume", () => play.act("clock", ["resume", play.seat]))))];
    }
    const fell = fallen.filter((one) => one !== play.seat);
    if (control.fall !== "claim" || !fell.length) return [];
    return [h("div", { class: "request" }, h("p", { text: play.view.spoken.text("ui.clock.flag", { seat: fell[0] }) }), h("div", { class: "play-actions" },
      this.#clockButton("claim", () => play.act("ask", ["flag", 0])), this.#clockButton("give", () => play.act("clock", ["credit", fell[0], GIVEN_MS, "", []]))))];
  }

  /** @param {string} what @param {() => void} act */
  #clockButton(what, act) {
    return h("button", { type: "button", "data-act": `clock:${what}`, onclick: act, text: t(`clock.${what}`) });
  }

  #leave() {
    const { play } = this;
    const [from, to] = ["from", "to"].map((which) => h("input", { id: `leave-${which}`, type: "date", required: true }));
    return h("form", { class: "clock-form", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      // Whole days in the reader's own time zone; today begins now.
      const begins = Math.max(new Date(`${from.value}T00:00`).getTime(), play.view.clocks.now + 1000);
      const last = new Date(`${to.value}T00:00`);
      last.setDate(last.getDate() + 1);
      play.act("clock", ["leave", play.seat, begins, last.getTime()]);
    } }, h("label", { for: "leave-from", text: t("clock.leave_from") }), from, h("label", { for: "leave-to", text: t("clock.leave_to") }), to,
    h("button", { type: "submit", "data-act": "clock:leave", text: t("clock.leave") }));
  }

  /** @param {number} most hours */
  #night(most) {
    const { play } = this;
    const begins = h("input", { id: "night-from", type: "time", required: true, value: "22:00" });
    const hours = h("input", { id: "night-hours", type: "number", min: 1, max: most, value: Math.min(8, most), required: true });
    return h("form", { class: "clock-form", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      const [hour, minute] = begins.value.split(":").map(Number);
      const start = new Date(play.view.clocks.now);
      start.setHours(hour, minute);
      play.act("clock", ["night", play.seat, start.getUTCHours() * 60 + start.getUTCMinutes(), Number(hours.value) * 60]);
    } }, h("label", { for: "night-from", text: t("clock.night_from") }), begins, h("label", { for: "night-hours", text: t("clock.night_hours") }), hours,
    h("button", { type: "submit", "data-act": "clock:night", text: t("clock.night") }));
  }

  async #resign() {
    if (await sure(t("play.really_resign"), t("play.yes_resign"), t("play.no_resign"))) this.play.act("resign", []);
  }

  /**
   * The focus stays on the same thing if it is still there; otherwise it goes to what is to be done next, or to the panel itself.
   * @param {string} was @param {boolean} on whether a choice that is there again is another one
   */
  #refocus(was, on) {
    const again = (on && was.startsWith("pick:")) || was === "first" ? null : this.body.querySelector(`[data-act="${CSS.escape(was)}"]:not(:disabled)`);
    const out = was.startsWith("tray:") ? this.body.querySelector(`[data-act="${CSS.escape(was.replace("tray:", "pick:"))}"]`) : null;
    const target = again ?? out ?? this.#first;
    /** @type {HTMLElement} */ (target ?? this.pane).focus();
  }

  get #first() {
    return this.body.querySelector(".options-list button, .number-form input, .tiles [data-act^='pick:']") ?? this.body.querySelector('[data-act="submit"]:not(:disabled)');
  }

  /** Move the focus to the first choice. */
  toChoices() {
    /** @type {HTMLElement | null} */ (this.#first)?.focus();
  }

  /** @param {import("./offer.js").Offer} offer */
  #offer({ prompt, choices }) {
    const { play } = this;
    const { view, picks, which, sending } = play;
    const { spoken } = view;
    /** @type {any[]} */
    const parts = [h("p", { class: "prompt" }, spoken.say(prompt), prompt[2] ? [" ", ruleSign(prompt[2])] : null)];
    const end = !choices.options.length && !choices.span;
    const tray = which || sending ? null : play.tray;
    // What lies in the tray is seen there.
    const crumbs = picks.map((pick, n) => (n >= (tray?.before.length ?? 0) && tray?.taken.includes(pick) ? null : h("li", {}, this.#chip(n), spoken.pick(pick)))).filter(Boolean);
    if (crumbs.length) parts.push(h("ol", { class: "crumbs", "aria-label": t("play.picked") }, crumbs));
    if (which) {
      parts.push(h("p", { class: "slot", text: t("play.which", { piece: spoken.name(which.id) }) }), h("div", { class: "options-list", role: "group", "aria-label": t("play.choices") },
        which.verbs.map((verb) => h("button", { type: "button", "data-act": `pick:${verb}`, onclick: () => play.pickWith(verb, which.id), text: spoken.pick(verb) }))));
    } else if (sending) parts.push(h("p", { class: "slot", text: t("play.sending") }));
    else {
      const heading = (/** @type {string} */ slot) => h("p", { class: "slot", text: t("play.choose", { slot: spoken.text(`slot.${slot}`) }) });
      const inTray = tray && (!end || tray.taken.length);
      if (inTray) parts.push(...(end ? [] : [heading(tray.slot)]), trayElement(play, tray, (id) => this.#point(id)));
      // What is asked once enough lies in the tray stands below it.
      if (!end && !(inTray && (tray.pending || choices.slot === tray.slot))) {
        parts.push(...this.#lone(prompt[0], choices));
        parts.push(heading(choices.slot));
        if (choices.span) parts.push(this.#number(choices.span));
        if (choices.options.length) parts.push(...this.#options(choices.options));
      }
    }
    if (choices.sealed) parts.push(h("p", { class: "sealed", text: this.#seen(prompt[0]) }));
    this.expect();
    parts.push(this.expected);
    if (picks.length || which) {
      const whole = choices.complete && !which && !play.tray?.pending;
      parts.push(h("div", { class: "play-actions main-actions" },
        h("button", { type: "button", class: "primary", "data-act": "submit", disabled: !whole || sending, onclick: () => play.submit(), text: t("play.submit") }),
        h("button", { type: "button", "data-act": "undo", disabled: sending, onclick: () => play.undoPick(), text: t("play.undo") }),
        play.steps.length > 1 ? h("button", { type: "button", "data-act": "clear", disabled: sending, onclick: () => play.clear(), text: t("play.clear") }) : null));
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
   * The answer can be given for the whole turn at once. @param {string} prompt @param {import("./offer.js").Choices} choices
   */
  #lone(prompt, { options, span }) {
    const { picks, view } = this.play;
    const [only] = options;
    const key = `lone.${prompt.replace(/^prompt\./, "")}.${only?.id}`;
    if (picks.length || span || options.length !== 1 || !view.spoken.has(key)) return [];
    return [h("p", { class: "lone", text: view.spoken.text(key) }),
      view.branch ? null : h("div", { class: "play-actions" }, h("button", { type: "button", class: "primary", "data-act": "lone:turn", onclick: () => this.play.answerAlways(only.id, "turn"), text: t("play.lone.turn", { pick: view.spoken.pick(only.id) }) }))];
  }

  /** Whoever has never said so is asked whether a command with nothing left to choose is to be submitted at once. */
  #atOnce() {
    if (localStorage.getItem("warledger.at_once") !== null) return null;
    const button = (/** @type {boolean} */ on) => h("button", { type: "button", "data-act": `at-once:${on ? "yes" : "no"}`, onclick: () => {
      this.play.atOnce = on;
      localStorage.setItem("warledger.at_once", on ? "1" : "0");
      if (on) this.play.submit();
      else this.draw();
    }, text: t(on ? "play.once.yes" : "play.once.no") });
    return h("div", { class: "at-once" }, h("p", { text: t("play.once.ask") }), button(true), button(false));
  }

  /** Submit, and let the server give the same answer from now on. */
  #always() {
    const open = this.body.querySelector("details.always")?.hasAttribute("open");
    const button = (/** @type {"turn" | "game"} */ until) => h("button", { type: "button", "data-act": `always:${until}`, onclick: () => this.play.submit(until), text: t(`play.always.${until}`) });
    return h("details", { class: "always more-acts", open }, h("summary", { "data-act": "always", text: t("play.always") }), h("p", { text: t("play.always.how") }), h("div", { class: "play-actions" }, button("turn"), button("game")));
  }

  /** What was asked about a piece or place, below what is to be decided. */
  answer() {
    const { inquiry: { answers }, view } = this.play;
    const { spoken } = view;
    this.answers.hidden = !answers;
    if (answers) this.answers.setAttribute("aria-label", t("play.answers", { piece: spoken.name(answers.id) }));
    show(this.answers, answers ? [
      h("div", { class: "answers-head" }, h("h3", { text: t("play.answers", { piece: spoken.name(answers.id) }) }),
        h("button", { type: "button", "data-act": "close-answers", "aria-label": t("play.answers.close"), title: t("play.answers.close"), onclick: () => this.play.inquiry.ask(null), text: "×" })),
      h("ul", { class: "previews" }, answers.says.map((say) => h("li", {}, spoken.say(say), say[2] ? [" ", ruleSign(say[2])] : null))),
    ] : []);
    this.#lightSupply();
  }

  /** Light up on the board by which ways supply comes: of what was asked, else of what is being picked. */
  #lightSupply() {
    const { inquiry: { answers }, previews, view } = this.play;
    const pieces = view.watch.history.now.pieces;
    const placeOf = (/** @type {any} */ id) => (view.board?.map.place(id) ? id : pieces.get(id)?.place);
    view.board?.supply(answers ? answers.says.flatMap((say) => waysOf(say, placeOf)) : previews.flatMap((say) => waysOf(say, placeOf)),
      answers?.says.flatMap(([, args]) => args.filter(([name]) => name === "hexes").flatMap(([, hexes]) => hexes)));
  }

  /** What to expect, in its place. */
  expect() {
    const { previews, view } = this.play;
    this.#lightSupply();
    const warned = previews.filter(warns);
    if (warned.length) this.status.textContent = warned.map((say) => view.spoken.say(say)).join(" ");
    show(this.expected, previews.length ? h("ul", { class: "previews", "aria-label": t("play.preview") }, previews.map((say) => h("li", { class: warns(say) ? "warning" : null }, chances(view.spoken.say(say)), say[2] ? [" ", ruleSign(say[2])] : null))) : null);
  }

  /** @param {[number, number]} span */
  #number([lowest, highest]) {
    const input = h("input", { type: "number", id: "pick-number", min: lowest, max: highest, value: lowest, required: true, "data-act": "number" });
    return h("form", { class: "number-form play-actions", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.play.pick(Number(input.value));
    } }, h("label", { for: "pick-number", text: t("play.number", { lowest, highest }) }), input, h("button", { type: "submit", "data-act": "take", text: t("play.take") }));
  }

  /** @param {import("./offer.js").Option[]} options */
  #options(options) {
    const { play } = this;
    const { spoken, watch } = play.view;
    const list = h("div", { class: "options-list", role: "group", "aria-label": t("play.choices") });
    const draw = () => {
      const wanted = sought(this.filter.trim());
      show(list, options.map((option) => {
        const id = option.id;
        const piece = typeof id === "string" ? watch.history.now.pieces.get(id) : undefined;
        const where = piece && typeof piece.place === "string" ? spoken.name(piece.place) : "";
        const values = piece ? play.view.board?.counters.print(String(id), piece.face, piece.owner).values ?? "" : "";
        const label = spoken.option(option);
        if (wanted && !sought(`${label} ${where} ${id}`).includes(wanted)) return null;
        return h("button", { type: "button", "data-act": `pick:${id}`, onclick: () => play.pick(id), onfocus: () => this.#point(id), onmouseenter: () => this.#point(id) }, label,
          where ? h("small", { text: [values, where].filter(Boolean).join(" · ") }) : null);
      }));
    };
    draw();
    this.tellCosts();
    if (options.length < FILTER_FROM) return [list];
    const input = h("input", { type: "search", class: "option-filter", "data-act": "filter", "aria-label": t("play.filter"), placeholder: t("play.filter"), value: this.filter, oninput: () => {
      this.filter = input.value;
      draw();
      this.tellCosts();
    } });
    return [input, list];
  }

  /** what a button shows on the board @type {string | null} */
  pointed = null;

  /** Nothing is shown on the board for a button any more; where the keyboard's cursor is, it is seen again. */
  #unpoint() {
    const { board } = this.play.view;
    this.pointed = null;
    board?.layers.cursor.setAttribute("d", board.cursor ? board.map.shape(board.cursor) : "");
  }

  /** Show on the board what a button means. @param {string | number} id */
  #point(id) {
    const { board } = this.play.view;
    if (!board || typeof id !== "string") return;
    const place = board.map.place(id) ? id : board.pieces.get(id)?.place;
    if (!place) return;
    this.pointed = id;
    board.layers.cursor.setAttribute("d", board.map.shape(place));
    const at = /** @type {any} */ (board.map.place(place));
    if (at) board.stage.reveal(at.x, at.y);
  }
}

/**
 * The ways of supply in a sentence, each the places one after the other: `drawn` from a dump (`what`, `hex`), `path` of a throw to whom it is
 * for, or of a draw. A way may end next to where it leads, so the place itself is added.
 * @param {import("./phrases.js").SayArray} say @param {(id: any) => any} placeOf
 */
function waysOf([, given], placeOf) {
  const args = Object.fromEntries(given);
  const thrown = args.hq !== undefined;
  return [[args.drawn, args.what], [args.path, args.hex ?? (thrown ? args.payer ?? args.unit : args.what)]]
    .filter(([way]) => Array.isArray(way) && way.length)
    .map(([way, goal]) => {
      const end = placeOf(goal);
      return end && end !== way[way.length - 1] ? [...way, end] : way;
    });
}

/** Thousandths are easier to read as per cent. @param {string} text */
const chances = (text) => text.replace(/(\d+)‰/g, (_, n) => `${(Number(n) / 10).toFixed(Number(n) % 10 ? 1 : 0)} %`);
