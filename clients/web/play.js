// @ts-check
/**
 * Playing from choices and previews alone: no rule of any title is known here. A command is a chain of picks; what may come next is lit up on
 * the board and listed as buttons (playpane.js). A click on a unit that some verb would take is that verb and the unit in one; a counter that
 * is dragged to a place is all the picks that take it there.
 *
 * One act at a time (inorder.js): a pick is looked up in the choices that are there when its turn comes, never in those of a question that is
 * over.
 */

import { stands } from "./acts.js";
import { InOrder } from "./inorder.js";
import { PlayPane } from "./playpane.js";
import { Refused, ServerError, randomBytes } from "./link.js";
import { withAnswer, withoutAnswer } from "./standing.js";
import { trayOf } from "./tray.js";
import { t, warns } from "./words.js";
import { attempts } from "./whynot.js";

/** @typedef {{id: string | number, label: import("./phrases.js").SayArray | null}} Option */
/** @typedef {{slot: string, options: Option[], span: [number, number] | null, complete: boolean, sealed: boolean}} Choices */
/** @typedef {{decision: number, prompt: import("./phrases.js").SayArray, choices: Choices}} Offer */
/** @typedef {(string | number)[]} Picks */
/** @typedef {import("./standing.js").Entry} Order */

const AHEAD_MOST = 12;
const COSTS_MOST = 150;
const COSTS_AT_ONCE = 12;

/** @param {any[]} fields @returns {Offer} */
export function offerOf([, decision, prompt, [slot, options, span, complete, sealed]]) {
  return { decision, prompt, choices: { slot, span, complete, sealed, options: options.map((/** @type {any} */ option) => (Array.isArray(option) ? { id: option[0], label: option[1] } : { id: option, label: null })) } };
}

export class Play {
  /** @param {import("./gameview.js").GameView} view @param {string} seat @param {HTMLElement} pane */
  constructor(view, seat, pane) {
    this.view = view;
    this.seat = seat;
    /** @type {Picks} */
    this.picks = [];
    /** under which heading was chosen after these picks, by their JSON @type {Map<string, string>} */
    this.headings = new Map();
    /** how many picks there were before each choice that the player made themselves @type {number[]} */
    this.steps = [];
    /** @type {Offer | null} */
    this.offer = null;
    /** @type {import("./phrases.js").SayArray[]} */
    this.previews = [];
    /** what was asked about a piece or place, and the answers @type {{id: string, says: import("./phrases.js").SayArray[]} | null} */
    this.answers = null;
    this.inquiry = 0;
    /** what is chosen several of now @type {import("./tray.js").Tray | null} */
    this.tray = null;
    /** @type {import("./phrases.js").SayArray | null} */
    this.refusal = null;
    /** the refusal, if it answers a request for choices @type {import("./phrases.js").SayArray | null} */
    this.stale = null;
    /** which verbs would accept a piece or place @type {Map<string, Picks>} */
    this.ahead = new Map();
    /** resolves when `ahead` is known @type {Promise<void>} */
    this.aheadKnown = Promise.resolve();
    /** what is left after a move to a place @type {Map<string, string>} */
    this.costs = new Map();
    /** @type {{id: string, verbs: Picks} | null} */
    this.which = null;
    /** standing answers as the server tells them @type {Order[]} */
    this.told = [];
    /** those of them that this seat is known to have given @type {Order[]} */
    this.orders = [];
    /** what was picked before a counter was taken up to be dragged @type {{picks: Picks, steps: number[]} | null} */
    this.held = null;
    this.said = "";
    this.decision = -1;
    /** how many questions there have been; a decision may go on under its number after a command */
    this.questions = 0;
    this.last = -1;
    this.turn = 0;
    this.sending = false;
    /** whether a request of the player's is under way */
    this.acting = false;
    this.disposed = false;
    this.atOnce = localStorage.getItem("warledger.at_once") === "1";
    this.pane = new PlayPane(this, pane);
    this.order = new InOrder(pane, { version: () => this.questions, busy: (busy) => this.pane.busy(busy), also: () => view.board?.frame ?? null });
    view.view.classList.add("playing");
    this.news();
    this.#standing(null);
  }

  get #game() {
    return this.view.game;
  }

  /** @param {string} tag @param {any[]} fields */
  #request(tag, ...fields) {
    return this.view.link.request(tag, this.#game, this.seat, ...fields);
  }

  /** Whether seats sign what they do here: they do not in a branch. */
  get #signs() {
    return !this.view.watch.checker.branch;
  }

  /** The seat's hand. There is one wherever seats sign. */
  get #hand() {
    return /** @type {import("./hand.js").Hand} */ (this.view.hand);
  }

  /** What was signed here and has not been answered yet. */
  get unanswered() {
    return this.sending || this.acting ? 0 : this.view.hand?.unanswered.length ?? 0;
  }

  /** The record that asks this seat, or -1. */
  get asked() {
    const { watch, seating } = this.view;
    if (watch.ended || watch.fault || watch.checker.fault || !seating.plays) return -1;
    return watch.awaits.find(([seat]) => seat === this.seat)?.[1] ?? -1;
  }

  /** The game has been checked up to the newest record. */
  checked() {
    // The question was shown before the record that asks it had been checked.
    if (this.offer && this.#signs && !this.view.watch.checker.fault) {
      try {
        this.#hand.asks(this.offer.decision, this.offer.prompt[0]);
      } catch {
        return; // it is told with all else that is wrong
      }
    }
    // What the server told early on may have been known as given only now.
    if (this.told.length) this.#given();
    if (this.asked !== this.decision && !this.sending) this.news();
    else this.pane.refresh();
  }

  /** Records have come, or another record is looked at. @param {boolean} [anew] whether the seat is held only now */
  news(anew = false) {
    if (anew && this.view.hand?.holds) this.#standing(null);
    const { watch } = this.view;
    const asked = watch.audience === this.seat ? this.asked : -1;
    const since = watch.records.slice(this.last + 1).filter(({ kind }) => kind === "command" || kind === "takeback");
    this.last = watch.last;
    if (!this.sending && (asked !== this.decision || (asked >= 0 && since.length))) {
      // A command of this seat's own (from elsewhere, or given for it) or a takeback asks anew, though the decision may keep its number.
      const anew = asked !== this.decision || since.some(({ kind, body }) => kind === "takeback" || body[1] === this.seat);
      if (anew) this.#anew(asked);
      else this.order.then(async () => (await this.#explore(this.picks, this.steps, true)) || this.#explore([], []));
    }
    this.pane.refresh();
  }

  /** There is another question, or none. What was begun or typed was for the previous one. @param {number} asked */
  #anew(asked) {
    this.order.drop();
    this.#forget();
    this.inquire(null);
    this.decision = asked;
    this.questions++;
    this.said = "";
    if (this.refusal === this.stale) this.refusal = null; // it was about a question that is over
    if (asked >= 0) this.order.then(() => this.#explore([], []));
  }

  #forget() {
    this.turn++;
    this.picks = [];
    this.steps = [];
    this.offer = null;
    this.previews = [];
    this.which = null;
    this.held = null;
    this.tray = null;
    this.ahead.clear();
    this.costs.clear();
    this.headings.clear();
  }

  /**
   * Ask for what may follow these picks; false if the server refuses.
   * @param {Picks} picks @param {number[]} steps @param {boolean} [again] whether it is the same that the player looks at already
   * @returns {Promise<boolean>}
   */
  async #explore(picks, steps, again = false) {
    const turn = ++this.turn;
    const { blind } = this.order;
    try {
      let offer = await this.#choices(picks, turn);
      // An only choice is made automatically once a command has been begun, but not in a tray, where others may still be put in before it.
      while (picks.length && !this.tray?.holds(picks) && !offer.choices.complete && !offer.choices.span && offer.choices.options.length === 1 && turn === this.turn) {
        picks = [...picks, offer.choices.options[0].id];
        offer = await this.#choices(picks, turn);
      }
      if (turn !== this.turn) return true;
      this.#offered(picks, steps, offer, again);
      const { choices } = offer;
      if (this.atOnce && !blind && !this.held && picks.length && choices.complete && !choices.options.length && !choices.span && !choices.sealed && !(await this.#warned(picks, turn))) await this.#submit();
      return true;
    } catch (error) {
      if (turn !== this.turn) return true;
      this.order.drop();
      this.sending = false;
      this.#failed(error);
      this.stale = this.refusal;
      return false;
    }
  }

  /** Ask for the choices, and once more if the server is too busy to answer. @param {Picks} picks @param {number} turn @returns {Promise<Offer>} */
  async #choices(picks, turn) {
    for (;;) {
      try {
        const offer = offerOf(await this.#request("choices", picks));
        if (this.#signs) this.#hand.asks(offer.decision, offer.prompt[0]);
        this.headings.set(JSON.stringify(picks), offer.choices.slot);
        return offer;
      } catch (error) {
        const wait = error instanceof ServerError ? error.again_ms : 0;
        if (!wait || turn !== this.turn) throw error;
        this.#failed(error);
        await new Promise((resolve) => setTimeout(resolve, wait));
        if (turn !== this.turn) throw error;
      }
    }
  }

  /** @param {Picks} picks @param {number[]} steps @param {Offer} offer @param {boolean} again */
  #offered(picks, steps, offer, again) {
    const { turn } = this;
    this.sending = false;
    this.picks = picks;
    this.steps = steps;
    this.offer = offer;
    this.previews = [];
    this.refusal = null;
    if (this.view.bubble) this.view.bubble.hidden = true;
    this.which = null;
    if (!again) this.pane.filter = "";
    this.costs.clear();
    if (!this.tray?.holds(picks)) {
      this.tray = null;
      this.#gather(turn);
    } else this.tray.follow(picks);
    if (!picks.length) {
      this.aheadKnown = this.#lookAhead(turn);
      if (this.orders.length) this.#standing(null);
    } else {
      this.#preview(turn);
      this.#cost(turn);
    }
    this.pane.draw(!again);
    this.pane.speak();
  }

  /** Which pieces and places each verb would accept. @param {number} turn */
  async #lookAhead(turn) {
    this.ahead.clear();
    const verbs = (this.offer?.choices.options ?? []).filter(({ id }) => typeof id === "string" && !this.onBoard(id)).slice(0, AHEAD_MOST);
    const seen = await Promise.all(verbs.map(({ id }) => this.#request("choices", [id]).then(offerOf, () => null)));
    if (turn !== this.turn) return;
    seen.forEach((offer, i) => {
      if (offer) this.headings.set(JSON.stringify([verbs[i].id]), offer.choices.slot);
      for (const { id } of offer?.choices.options ?? []) {
        if (typeof id === "string" && this.onBoard(id)) this.ahead.set(id, [...(this.ahead.get(id) ?? []), verbs[i].id]);
      }
    });
    this.pane.light();
  }

  /** Find out whether several may be chosen of what is on offer. @param {number} turn */
  async #gather(turn) {
    const { picks, offer, view } = this;
    if (!offer) return;
    try {
      const tray = await trayOf(picks, offer.choices, (id) => typeof id === "string" && Boolean(view.board?.map.place(id)), async (chain) => offerOf(await this.#request("choices", chain)).choices);
      if (!tray || turn !== this.turn) return;
      this.tray = tray;
      this.pane.draw();
    } catch {
      // They are listed one by one.
    }
  }

  /** Whether there is a warning of what a command would do: then it waits to be submitted. @param {Picks} picks @param {number} turn */
  async #warned(picks, turn) {
    const [says] = await this.#request("preview", picks).catch(() => [[]]);
    return turn !== this.turn || says.some(warns);
  }

  /** @param {number} turn */
  async #preview(turn) {
    try {
      const [says] = await this.#request("preview", this.picks);
      if (turn !== this.turn) return;
      this.previews = says;
      this.pane.expect();
    } catch {
      // If a preview is refused there is nothing to show.
    }
  }

  /** Put every question of the title's about a piece or place; those that do not fit it are refused and left out. @param {string | null} id */
  async inquire(id) {
    const inquiry = ++this.inquiry;
    /** @type {string[]} */
    const words = this.view.board?.map.told?.questions ?? [];
    const asks = id !== null && words.length && this.view.at === null && this.decision >= 0;
    const found = asks ? await Promise.all(words.map((word) => this.#answer([word, id], inquiry))) : [];
    if (inquiry !== this.inquiry) return;
    const says = found.flat();
    if (!says.length && !this.answers) return;
    this.answers = says.length ? { id: String(id), says } : null;
    this.pane.answer();
  }

  /** The answer to one question; none where it is refused. A server that is too busy is asked again. @param {Picks} question @param {number} inquiry */
  async #answer(question, inquiry) {
    while (inquiry === this.inquiry) {
      try {
        return (await this.#request("preview", question))[0];
      } catch (error) {
        const wait = error instanceof ServerError ? error.again_ms : 0;
        if (!wait) return [];
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
    return [];
  }

  /**
   * What each place on offer costs: how many points would be left (`left` in the preview of the picks that go there), or what happens to
   * whoever enters it (the sentences whose `entered` it is). @param {number} turn */
  async #cost(turn) {
    const places = (this.offer?.choices.options ?? []).filter(({ id }) => typeof id === "string" && this.view.board?.map.place(id));
    if (!places.length || places.length > COSTS_MOST) return;
    // A few at a time, so that the player's next act does not wait for places that they did not choose.
    for (let from = 0; from < places.length; from += COSTS_AT_ONCE) {
      await Promise.all(places.slice(from, from + COSTS_AT_ONCE).map(async ({ id }) => {
        try {
          const [says] = await this.#request("preview", [...this.picks, id]);
          const told = says.flatMap((/** @type {any} */ say) => say[1]).find((/** @type {[string, any]} */ [name]) => name === "left");
          const entered = says.filter((/** @type {any} */ say) => say[1].some((/** @type {[string, any]} */ [name, value]) => name === "entered" && value === id));
          const words = told ? String(told[1]) : entered.map((/** @type {any} */ say) => this.view.spoken.say(say)).join(" ");
          if (words && turn === this.turn) this.costs.set(String(id), words);
        } catch {
          // No cost is known there.
        }
      }));
      if (turn !== this.turn || !this.costs.size) return;
    }
    this.pane.light();
    this.pane.tellCosts();
  }

  /** @param {string | number} id */
  onBoard(id) {
    const { board, watch } = this.view;
    return typeof id === "string" && Boolean(board?.map.place(id) || board?.pieces.has(id) || watch.history.now.pieces.has(id));
  }

  /** @param {string | number} id whether it may be picked now */
  #offers(id) {
    const { options, span } = this.offer?.choices ?? { options: [], span: null };
    return options.some((option) => option.id === id) || (typeof id === "number" && Boolean(span) && id >= /** @type {any} */ (span)[0] && id <= /** @type {any} */ (span)[1]);
  }

  // --- picking ------------------------------------------------------------------------------------------------------------------

  /** @param {string | number} id */
  pick(id) {
    this.order.then(() => (this.#offers(id) ? this.#explore([...this.picks, id], [...this.steps, this.picks.length]) : undefined));
  }

  /** Put a candidate of the tray in, or take it out. @param {string | number} id */
  toggle(id) {
    this.order.then(async () => {
      const { tray } = this;
      if (!tray) return this.#offers(id) ? this.#explore([...this.picks, id], [...this.steps, this.picks.length]) : undefined;
      tray.toggle(id);
      const whole = [...tray.before, ...tray.taken];
      /** @type {any} */
      let refused = null;
      // As much of it is picked as the server takes: it may want others in between first.
      for (let n = whole.length; n >= tray.before.length; n--) {
        tray.known = n - tray.before.length;
        const steps = [...this.steps.filter((at) => at < tray.before.length), ...Array.from({ length: tray.known }, (_, i) => tray.before.length + i)];
        try {
          await this.#request("choices", whole.slice(0, n));
        } catch (error) {
          if (!(error instanceof Refused)) return this.#failed(error);
          refused ??= error;
          continue;
        }
        await this.#explore(whole.slice(0, n), steps);
        break;
      }
      if (refused) this.#failed(refused);
    });
  }

  /** @param {string | number} verb @param {string} id */
  pickWith(verb, id) {
    this.order.then(() => this.#explore([verb, id], [0]));
  }

  /** @param {string} id a piece or place on the board */
  pickOnBoard(id) {
    this.order.then(async () => {
      if (!this.offer || this.view.at !== null) return;
      if (this.#offers(id)) return void (await this.#explore([...this.picks, id], [...this.steps, this.picks.length]));
      if (!this.picks.length) await this.aheadKnown;
      const verbs = this.picks.length ? [] : this.ahead.get(id) ?? [];
      if (verbs.length === 1) await this.#explore([verbs[0], id], [0]);
      else if (verbs.length > 1) {
        this.which = { id, verbs };
        this.pane.draw();
        this.pane.toChoices();
      } else await this.#why(id);
    });
  }

  /** Ask the rules why something is not on offer. @param {string} id */
  async #why(id) {
    for (const { picks, empty } of attempts(this, id)) if (await this.#whyNot(picks, empty)) return;
  }

  /**
   * Ask the rules why these picks cannot be made, and say so where the player tried.
   * @param {Picks} picks @param {{slot: string, place: string} | null} [empty] of a place where nothing lies of what is asked for
   * @returns {Promise<boolean>} whether there was something to say
   */
  async #whyNot(picks, empty = null) {
    try {
      await this.#request("choices", picks);
      return false;
    } catch (error) {
      const { spoken } = this.view;
      const said = sayOf(error);
      const told = /** @type {import("./phrases.js").SayArray} */ (empty && error instanceof Refused ? ["web.play.none_there", [["slot", spoken.text(`slot.${empty.slot}`)], ["place", empty.place]], said[2]] : said);
      // A look at the board before anything has been begun leaves the panel as it is.
      if (this.picks.length || this.held || !(error instanceof Refused)) {
        this.refusal = told;
        this.pane.draw();
      } else this.pane.status.textContent = spoken.say(told);
      this.view.tellWhy(told);
      return true;
    }
  }

  undoPick() {
    this.order.then(() => {
      if (this.which) {
        this.which = null;
        this.pane.draw();
      } else if (this.steps.length) return this.#explore(this.picks.slice(0, this.steps[this.steps.length - 1]), this.steps.slice(0, -1));
    });
  }

  clear() {
    this.order.then(() => (this.picks.length || this.which ? this.#explore([], []) : undefined));
  }

  /** @param {"turn" | "game" | ""} [always] until when the same answer is to be given to this question */
  submit(always = "") {
    this.order.then(() => this.#submit(always));
  }

  /** Give the only answer there is, now and until `until` whenever it is asked for. @param {string | number} id @param {"turn" | "game"} until */
  answerAlways(id, until) {
    this.order.then(async () => {
      if (!this.#offers(id)) return;
      const { atOnce } = this;
      this.atOnce = false; // it would be submitted without its standing answer
      await this.#explore([id], [0]);
      this.atOnce = atOnce;
      await this.#submit(until);
    });
  }

  /** @param {"turn" | "game" | ""} [always] */
  async #submit(always = "") {
    const { offer, view, picks } = this;
    if (!offer?.choices.complete || this.sending || !picks.length || this.tray?.pending) return;
    this.sending = true;
    this.said = "";
    this.pane.draw();
    /** @type {import("./phrases.js").SayArray | null} */
    let refusal = null;
    try {
      if (this.#signs && this.#hand.unanswered.length) {
        // What was signed before is sent first, since it may answer this very question.
        await this.#hand.resume();
        always = "";
      } else if (this.#signs) await this.#hand.command(offer.decision, offer.prompt[0], picks);
      else await this.#request("submit", offer.decision, view.watch.records[view.watch.last]?.hash ?? new Uint8Array(), picks, randomBytes(16));
      if (always) await this.#standing(withAnswer(this.orders, offer.prompt[0], picks, always));
    } catch (error) {
      refusal = sayOf(error);
    }
    // The panel stays as it is, without choices, until the next question's are here.
    this.decision = this.asked;
    this.questions++;
    if (this.decision >= 0) await this.#explore([], []);
    this.sending = false;
    if (this.decision < 0) {
      this.order.drop();
      this.#forget();
    }
    if (refusal) this.refusal = refusal;
    this.pane.draw();
    if (this.asked !== this.decision) this.#anew(this.asked);
  }

  /** @param {any} error */
  #failed(error) {
    this.refusal = sayOf(error);
    this.pane.draw();
  }

  // --- dragging -------------------------------------------------------------------------------------------------------------------

  /** Whether a piece may be picked up and dragged somewhere. @param {string} id */
  draggable(id) {
    if (!this.offer || this.sending || this.view.at !== null || this.decision < 0) return false;
    return this.ahead.has(id) || this.#offers(id) || this.picks.includes(id);
  }

  /** A piece is taken up, with others of its stack: pick them, so that the places they may go to are lit. @param {string} id @param {string[]} mates */
  grab(id, mates) {
    this.order.then(async () => {
      this.held = { picks: this.picks, steps: this.steps };
      const start = this.picks.length;
      if (!this.picks.includes(id)) {
        if (this.#offers(id)) await this.#explore([...this.picks, id], [...this.steps, start]);
        else await this.#grabAnew(id);
      }
      for (const mate of mates) if (this.held && this.#offers(mate)) await this.#explore([...this.picks, mate], this.steps);
    });
  }

  /** Begin a command with a piece, by the verb that takes it to places. @param {string} id */
  async #grabAnew(id) {
    await this.aheadKnown;
    for (const verb of this.ahead.get(id) ?? []) {
      try {
        const { choices } = offerOf(await this.#request("choices", [verb, id]));
        if (choices.options.some(({ id: to }) => typeof to === "string" && this.view.board?.map.place(to))) return void (await this.#explore([verb, id], [0]));
      } catch {
        // This verb does not accept it after all.
      }
    }
  }

  /** It is put down: on a place that may be picked, or back where it was. @param {string | null} place */
  letGo(place) {
    this.order.then(async () => {
      const { held } = this;
      if (!held) return;
      this.held = null;
      const moved = this.picks.length !== held.picks.length;
      const last = this.picks[this.picks.length - 1];
      // Where there was one way only it is picked already.
      if (place && moved && last === place) await this.#explore(this.picks, this.steps);
      else if (place && this.#offers(place)) await this.#explore([...this.picks, place], moved ? this.steps : [...this.steps, this.picks.length]);
      else if (moved) {
        const taken = this.picks;
        await this.#explore(held.picks, held.steps);
        // It lies where it lay: say why, by the picks that it was taken up with.
        if (place && place !== this.view.watch.history.now.pieces.get(String(taken[taken.length - 1]))?.place) await this.#whyNot([...taken, place]);
      } else this.pane.light();
    });
  }

  // --- requests -------------------------------------------------------------------------------------------------------------------

  /** Standing answers; null asks which ones there are. @param {Order[] | null} orders */
  async #standing(orders) {
    try {
      if (orders && this.#signs) {
        await this.#hand.order(orders);
        orders = null;
      }
      const [, , standing] = /** @type {[any, any, Order[]]} */ (/** @type {unknown} */ (await this.#request("standing")));
      this.told = standing;
      this.#given();
    } catch (error) {
      if (orders) return this.#failed(error);
      const wait = error instanceof ServerError ? error.again_ms : 0;
      if (wait) setTimeout(() => (this.disposed ? undefined : this.#standing(null)), wait);
    }
  }

  /** What lapsed is missing in what the server told. What was never given is left out: the next change would be signed with it. */
  #given() {
    const orders = this.#signs ? this.told.filter((order) => this.#hand.gave(order)) : this.told;
    if (JSON.stringify(orders) === JSON.stringify(this.orders)) return;
    this.orders = orders;
    this.pane.draw();
  }

  /** Stop giving this answer. @param {Order} order @param {Picks} picks */
  stopAnswering(order, picks) {
    return this.#standing(withoutAnswer(this.orders, order, picks));
  }

  /** @param {string} tag @param {any[]} fields @param {string} [after] */
  async act(tag, fields, after = "") {
    this.refusal = null;
    this.said = "";
    this.acting = true;
    try {
      if (this.#signs) await this.#sign(tag, fields);
      else await this.#request(tag, ...fields);
      if (after) this.said = t(after);
    } catch (error) {
      this.refusal = sayOf(error);
    }
    this.acting = false;
    this.pane.draw();
  }

  /** @param {string} tag @param {any[]} fields */
  #sign(tag, fields) {
    if (tag === "answer") return this.#hand.answer(this.view.watch.ask?.seq ?? 0, fields[0]);
    if (tag === "resign") return this.#hand.ask("resign");
    if (tag === "clock") return this.#hand.clock(fields);
    return this.#hand.ask(fields[0], fields[1]);
  }

  /** Send again what was not answered. */
  async sendAgain() {
    this.refusal = null;
    try {
      await this.view.hand?.resume();
    } catch (error) {
      this.refusal = sayOf(error);
    }
    this.pane.draw();
    this.news();
  }

  /** The record before the last command of this seat that has not been taken back. */
  get backTo() {
    /** @type {number[]} */
    let targets = [];
    let stood = 0;
    for (const record of this.view.watch.records) {
      const { kind, body, seq } = record;
      if (kind === "command" && body[1] === this.seat) targets.push(stood);
      else if (kind === "takeback") targets = targets.filter((target) => target < body[1]);
      if (stands(record)) stood = seq;
    }
    return targets[targets.length - 1] ?? -1;
  }

  async takeBack() {
    const to = this.backTo;
    if (to < 0) {
      this.said = t("play.nothing_to_take_back");
      return this.pane.draw();
    }
    await this.act("ask", ["takeback", to]);
    if (this.view.watch.ask?.seat === this.seat) this.said = t("play.asked_takeback");
    this.pane.draw();
  }

  redraw() {
    this.pane.draw();
  }

  /** @param {KeyboardEvent} event @returns {boolean} */
  key(event) {
    if (event.key === "Backspace") this.undoPick();
    else if (event.key === "Escape") this.clear();
    else if (event.key === "c" || event.key === "C") this.pane.toChoices();
    else if (event.key === "n" || event.key === "N") this.view.nextOffer(event.shiftKey ? -1 : 1);
    else return false;
    return true;
  }

  dispose() {
    this.disposed = true;
    this.turn++;
    this.order.dispose();
    this.view.view.classList.remove("playing", "asked");
    this.view.board?.highlight(null);
    this.view.board?.supply([]);
  }
}

/** @param {any} error @returns {import("./phrases.js").SayArray} */
const sayOf = (error) => (error instanceof Refused || error instanceof ServerError ? error.say : ["web.link.lost", [], ""]);
