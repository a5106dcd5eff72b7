// @ts-check
/**
 * Playing from choices and previews alone: no rule of any title is known here. A command is a chain of picks; what may come next is lit up on
 * the board and listed as buttons (playpane.js). A click on a unit that some verb would take is that verb and the unit in one; a counter that
 * is dragged to a place is all the picks that take it there.
 *
 * One act at a time (inorder.js): a pick is looked up in the choices that are there when its turn comes, never in those of a question that is
 * over.
 */

import { Dragging } from "./dragging.js";
import { cost, gather, lookAhead, preview, warned } from "./foresight.js";
import { InOrder } from "./inorder.js";
import { Inquiry } from "./inquiry.js";
import { offerOf } from "./offer.js";
import { Orders } from "./orders.js";
import { PlayPane } from "./playpane.js";
import { Refused, ServerError, randomBytes } from "../link/link.js";
import { withAnswer } from "../audit/standing.js";
import { t } from "../words/words.js";
import { backTo } from "../audit/undo.js";
import { sayOf, tellWhyNot } from "./whynot.js";

/** @typedef {import("./offer.js").Offer} Offer */
/** @typedef {import("../protocol.d.ts").Picks} Picks */

export class Play {
  /** @param {import("../games/gameview.js").GameView} view @param {string} seat @param {HTMLElement} pane */
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
    /** @type {import("../protocol.d.ts").SayArray[]} */
    this.previews = [];
    /** what is chosen several of now @type {import("./tray.js").Tray | null} */
    this.tray = null;
    /** @type {import("../protocol.d.ts").SayArray | null} */
    this.refusal = null;
    /** the refusal, if it answers a request for choices @type {import("../protocol.d.ts").SayArray | null} */
    this.stale = null;
    /** which verbs would accept a piece or place @type {Map<string, Picks>} */
    this.ahead = new Map();
    /** resolves when `ahead` is known @type {Promise<void>} */
    this.aheadKnown = Promise.resolve();
    /** what is left after a move to a place @type {Map<string, string>} */
    this.costs = new Map();
    /** @type {{id: string, verbs: Picks} | null} */
    this.which = null;
    this.inquiry = new Inquiry(this);
    this.dragging = new Dragging(this);
    this.standing = new Orders(this);
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
    this.order = new InOrder(pane, {
      version: () => this.questions,
      busy: (busy) => this.pane.busy(busy),
      also: () => view.board?.frame ?? null,
    });
    view.view.classList.add("playing");
    this.news();
    this.standing.change(null);
  }

  get #game() {
    return this.view.game;
  }

  /**
   * A request of this seat, without game and seat.
   * @template {keyof import("../protocol.d.ts").Answers} T @param {T} tag @param {import("../protocol.d.ts").BehindPlace<T>} fields
   */
  request(tag, ...fields) {
    return this.view.link.request(tag, .../** @type {any} */ ([this.#game, this.seat, ...fields]));
  }

  /** Whether seats sign what they do here: they do not in a branch. */
  get signs() {
    return !this.view.watch.checker.branch;
  }

  /** The seat's hand. There is one wherever seats sign. */
  get hand() {
    return /** @type {import("./hand.js").Hand} */ (this.view.hand);
  }

  /** What was signed here and has not been answered yet. */
  get unanswered() {
    return this.sending || this.acting ? 0 : (this.view.hand?.unanswered.length ?? 0);
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
    if (this.offer && this.signs && !this.view.watch.checker.fault) {
      try {
        this.hand.asks(this.offer.decision, this.offer.prompt[0]);
      } catch {
        return; // it is told with all else that is wrong
      }
    }
    // What the server told early on may have been known as given only now.
    if (this.standing.told.length) this.standing.given();
    if (this.asked !== this.decision && !this.sending) this.news();
    else this.pane.refresh();
  }

  /** Records have come, or another record is looked at. @param {boolean} [anew] whether the seat is held only now */
  news(anew = false) {
    if (anew && this.view.hand?.holds) this.standing.change(null);
    const { watch } = this.view;
    const asked = watch.audience === this.seat ? this.asked : -1;
    const since = watch.records.slice(this.last + 1).filter(({ kind }) => kind === "command" || kind === "takeback");
    this.last = watch.last;
    if (!this.sending && (asked !== this.decision || (asked >= 0 && since.length))) {
      // A command of this seat's own (from elsewhere, or given for it) or a takeback asks anew, though the decision may keep its number.
      const anew =
        asked !== this.decision || since.some(({ kind, body }) => kind === "takeback" || body[1] === this.seat);
      if (anew) this.#anew(asked);
      else this.order.then(async () => (await this.explore(this.picks, this.steps, true)) || this.explore([], []));
    }
    this.pane.refresh();
  }

  /** There is another question, or none. What was begun or typed was for the previous one. @param {number} asked */
  #anew(asked) {
    this.order.drop();
    this.#forget();
    this.inquiry.ask(null);
    this.decision = asked;
    this.questions++;
    this.said = "";
    if (this.refusal === this.stale) this.refusal = null; // it was about a question that is over
    if (asked >= 0) this.order.then(() => this.explore([], []));
  }

  #forget() {
    this.turn++;
    this.picks = [];
    this.steps = [];
    this.offer = null;
    this.previews = [];
    this.which = null;
    this.dragging.held = null;
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
  async explore(picks, steps, again = false) {
    const turn = ++this.turn;
    const { blind } = this.order;
    try {
      let offer = await this.#choices(picks, turn);
      // An only choice is made automatically once a command has been begun, but not in a tray, where others may still be put in before it.
      while (
        picks.length &&
        !this.tray?.holds(picks) &&
        !offer.choices.complete &&
        !offer.choices.span &&
        offer.choices.options.length === 1 &&
        turn === this.turn
      ) {
        picks = [...picks, offer.choices.options[0].id];
        offer = await this.#choices(picks, turn);
      }
      if (turn !== this.turn) return true;
      this.#offered(picks, steps, offer, again);
      const { choices } = offer;
      if (
        this.atOnce &&
        !blind &&
        !this.dragging.held &&
        picks.length &&
        choices.complete &&
        !choices.options.length &&
        !choices.span &&
        !choices.sealed &&
        !(await warned(this, picks, turn))
      )
        await this.#submit();
      return true;
    } catch (error) {
      if (turn !== this.turn) return true;
      this.order.drop();
      this.sending = false;
      this.failed(error);
      this.stale = this.refusal;
      return false;
    }
  }

  /** Ask for the choices, and once more if the server is too busy to answer. @param {Picks} picks @param {number} turn @returns {Promise<Offer>} */
  async #choices(picks, turn) {
    for (;;) {
      try {
        const offer = offerOf(await this.request("choices", picks));
        if (this.signs) this.hand.asks(offer.decision, offer.prompt[0]);
        this.headings.set(JSON.stringify(picks), offer.choices.slot);
        return offer;
      } catch (error) {
        const wait = error instanceof ServerError ? error.again_ms : 0;
        if (!wait || turn !== this.turn) throw error;
        this.failed(error);
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
    const { bubble } = this.view.boardPane;
    if (bubble) bubble.hidden = true;
    this.which = null;
    if (!again) this.pane.offer.filter = "";
    this.costs.clear();
    if (!this.tray?.holds(picks)) {
      this.tray = null;
      gather(this, turn);
    } else this.tray.follow(picks);
    if (!picks.length) {
      this.aheadKnown = lookAhead(this, turn);
      if (this.standing.orders.length) this.standing.change(null);
    } else {
      preview(this, turn);
      cost(this, turn);
    }
    this.pane.draw(!again);
    this.pane.speak();
  }

  /** @param {string | number} id */
  onBoard(id) {
    const { board, watch } = this.view;
    return (
      typeof id === "string" &&
      Boolean(board?.map.place(id) || board?.pieces.has(id) || watch.history.now.pieces.has(id))
    );
  }

  /** @param {string | number} id whether it may be picked now */
  offers(id) {
    const { options, span } = this.offer?.choices ?? { options: [], span: null };
    return (
      options.some((option) => option.id === id) ||
      (typeof id === "number" &&
        Boolean(span) &&
        id >= /** @type {any} */ (span)[0] &&
        id <= /** @type {any} */ (span)[1])
    );
  }

  // --- picking ------------------------------------------------------------------------------------------------------------------

  /** @param {string | number} id */
  pick(id) {
    this.order.then(() =>
      this.offers(id) ? this.explore([...this.picks, id], [...this.steps, this.picks.length]) : undefined,
    );
  }

  /** Put a candidate of the tray in, or take it out. @param {string | number} id */
  toggle(id) {
    this.order.then(async () => {
      const { tray } = this;
      if (!tray)
        return this.offers(id) ? this.explore([...this.picks, id], [...this.steps, this.picks.length]) : undefined;
      tray.toggle(id);
      const whole = [...tray.before, ...tray.taken];
      /** @type {any} */
      let refused = null;
      // As much of it is picked as the server takes: it may want others in between first.
      for (let n = whole.length; n >= tray.before.length; n--) {
        tray.known = n - tray.before.length;
        const steps = [
          ...this.steps.filter((at) => at < tray.before.length),
          ...Array.from({ length: tray.known }, (_, i) => tray.before.length + i),
        ];
        try {
          await this.request("choices", whole.slice(0, n));
        } catch (error) {
          if (!(error instanceof Refused)) return this.failed(error);
          refused ??= error;
          continue;
        }
        await this.explore(whole.slice(0, n), steps);
        break;
      }
      if (refused) this.failed(refused);
    });
  }

  /** @param {string | number} verb @param {string} id */
  pickWith(verb, id) {
    this.order.then(() => this.explore([verb, id], [0]));
  }

  /** @param {string} id a piece or place on the board */
  pickOnBoard(id) {
    this.order.then(async () => {
      if (!this.offer || this.view.at !== null) return;
      if (this.offers(id)) return void (await this.explore([...this.picks, id], [...this.steps, this.picks.length]));
      if (!this.picks.length) await this.aheadKnown;
      const verbs = this.picks.length ? [] : (this.ahead.get(id) ?? []);
      if (verbs.length === 1) await this.explore([verbs[0], id], [0]);
      else if (verbs.length > 1) {
        this.which = { id, verbs };
        this.pane.draw();
        this.pane.toChoices();
      } else await tellWhyNot(this, id);
    });
  }

  undoPick() {
    this.order.then(() => {
      if (this.which) {
        this.which = null;
        this.pane.draw();
      } else if (this.steps.length)
        return this.explore(this.picks.slice(0, this.steps[this.steps.length - 1]), this.steps.slice(0, -1));
    });
  }

  clear() {
    this.order.then(() => (this.picks.length || this.which ? this.explore([], []) : undefined));
  }

  /** @param {"turn" | "game" | ""} [always] until when the same answer is to be given to this question */
  submit(always = "") {
    this.order.then(() => this.#submit(always));
  }

  /** Give the only answer there is, now and until `until` whenever it is asked for. @param {string | number} id @param {"turn" | "game"} until */
  answerAlways(id, until) {
    this.order.then(async () => {
      if (!this.offers(id)) return;
      const { atOnce } = this;
      this.atOnce = false; // it would be submitted without its standing answer
      await this.explore([id], [0]);
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
    /** @type {import("../protocol.d.ts").SayArray | null} */
    let refusal = null;
    try {
      if (this.signs && this.hand.unanswered.length) {
        // What was signed before is sent first, since it may answer this very question.
        await this.hand.resume();
        always = "";
      } else if (this.signs) await this.hand.command(offer.decision, offer.prompt[0], picks);
      else
        await this.request(
          "submit",
          offer.decision,
          view.watch.records[view.watch.last]?.hash ?? new Uint8Array(),
          picks,
          randomBytes(16),
        );
      if (always) await this.standing.change(withAnswer(this.standing.orders, offer.prompt[0], picks, always));
    } catch (error) {
      refusal = sayOf(error);
    }
    // The panel stays as it is, without choices, until the next question's are here.
    this.decision = this.asked;
    this.questions++;
    if (this.decision >= 0) await this.explore([], []);
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
  failed(error) {
    this.refusal = sayOf(error);
    this.pane.draw();
  }

  // --- requests -------------------------------------------------------------------------------------------------------------------

  /** @param {string} tag @param {any[]} fields @param {string} [after] */
  async act(tag, fields, after = "") {
    this.refusal = null;
    this.said = "";
    this.acting = true;
    try {
      if (!this.signs) throw new ServerError("unsupported", ["web.whatif.only", [], ""]);
      await this.#sign(tag, fields);
      if (after) this.said = t(after);
    } catch (error) {
      this.refusal = sayOf(error);
    }
    this.acting = false;
    this.pane.draw();
  }

  /** @param {string} tag @param {any[]} fields */
  #sign(tag, fields) {
    if (tag === "answer") return this.hand.answer(this.view.watch.ask?.seq ?? 0, fields[0]);
    if (tag === "resign") return this.hand.ask("resign");
    if (tag === "clock") return this.hand.clock(fields);
    return this.hand.ask(fields[0], fields[1]);
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

  async takeBack() {
    const to = backTo(this.view.watch.records, this.seat);
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
    else if (event.key === "n" || event.key === "N") this.view.boardPane.nextOffer(event.shiftKey ? -1 : 1);
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
