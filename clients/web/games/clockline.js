// @ts-check
/**
 * The clocks of a game, to the second: what each seat has left, and why a clock stands still. They are counted down by the server's time, from
 * what the log says; nothing is decided here. Word comes before little time is left.
 */

import { fallenOf, isPaused, reading } from "../audit/clock.js";
import { face, lowAs, momentOf } from "../ui/clockface.js";
import { h, show } from "../ui/dom.js";
import { t } from "../words/words.js";

const SECOND_MS = 1000;
/** The server is asked for its time at least this often. */
const ASK_AGAIN_MS = 3600 * SECOND_MS;

export class ClockLine {
  /** @param {import("./gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    this.element = h("ul", { class: "clocks", hidden: true });
    /** the server's time less this page's own, once it is known @type {number | null} */
    this.ahead = null;
    this.askedAt = -Infinity;
    this.disposed = false;
    /** the last warning that was given, as an entry of LOW_MS; 0 for none */
    this.told = 0;
    this.key = "";
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {Map<string, {time: HTMLElement, state: HTMLElement, item: HTMLElement}>} */
    this.items = new Map();
  }

  dispose() {
    this.disposed = true;
    clearTimeout(this.timer);
  }

  get #time() {
    return this.view.watch.checker.stand?.time ?? null;
  }

  /** The clocks as the log has them, or null. */
  get clocks() {
    return this.#time?.clocks ?? null;
  }

  get control() {
    return this.#time?.control ?? null;
  }

  /** The time now, by the server. */
  get now() {
    const now = performance.now() + (this.ahead ?? 0);
    const { records } = this.view.watch;
    return Math.max(Math.floor(now), records.length ? records[records.length - 1].at : 0);
  }

  /** The seats whose flags have fallen. */
  get fallen() {
    return this.clocks ? fallenOf(this.clocks) : [];
  }

  get paused() {
    return this.clocks !== null && this.ahead !== null && isPaused(this.clocks, this.now);
  }

  /** Records have been checked, or another language is spoken. */
  news() {
    if (!this.control || !this.clocks || this.disposed) {
      if (!this.element.hidden) this.element.hidden = true;
      return;
    }
    if (performance.now() - this.askedAt > ASK_AGAIN_MS) this.#ask();
    this.#build();
    this.#tick();
  }

  /** The connection was lost or restored: ask for the server's time again. */
  async #ask() {
    const began = performance.now();
    this.askedAt = began;
    try {
      const [at] = await this.view.link.request("ping");
      this.ahead = at - (began + performance.now()) / 2;
      this.news();
    } catch {
      this.askedAt = -Infinity;
    }
  }

  #build() {
    const { spoken } = this.view;
    const seats = this.clocks?.seats.map(({ seat }) => seat) ?? [];
    const key = JSON.stringify([spoken.language, seats.map((seat) => spoken.name(seat))]);
    if (key === this.key) return;
    this.key = key;
    this.items.clear();
    this.element.setAttribute("aria-label", t("clock.group"));
    show(
      this.element,
      seats.map((seat) => {
        const time = h("b", { class: "clock-left", role: "timer" });
        const state = h("span", { class: "clock-state" });
        const item = h(
          "li",
          { "data-clock": seat },
          h("span", { class: "clock-seat", text: spoken.name(seat) }),
          " ",
          time,
          " ",
          state,
        );
        this.items.set(seat, { time, state, item });
        return item;
      }),
    );
  }

  #tick() {
    clearTimeout(this.timer);
    const { control, clocks } = this;
    if (this.disposed || !control || !clocks || this.ahead === null) return;
    const { spoken } = this.view;
    const { now } = this;
    let next = ASK_AGAIN_MS;
    for (const [seat, { time, state, item }] of this.items) {
      const shown = reading(control, clocks, seat, now);
      const left = face(shown.left, spoken);
      const bank = control.handicap[seat]?.bank ?? control.bank;
      const low = lowAs(shown.left, bank);
      const why = shown.stopped
        ? spoken.text(`ui.clock.stopped.${shown.stopped}`)
        : shown.free > 0
          ? spoken.text("ui.clock.free", { free: face(shown.free, spoken) })
          : "";
      if (time.textContent !== left) time.textContent = left;
      if (state.textContent !== why) state.textContent = why;
      item.className = [
        shown.stopped ? "stopped" : "runs",
        low && shown.stopped !== "over" ? "low" : "",
        shown.stopped === "fallen" ? "fallen" : "",
      ]
        .join(" ")
        .trim();
      item.title =
        shown.deadline === null
          ? ""
          : spoken.text("ui.clock.deadline", { at: momentOf(shown.deadline, spoken.language) });
      if (!shown.stopped)
        next = Math.min(
          next,
          1 + (shown.free > 0 ? shown.free % SECOND_MS : ((shown.left % SECOND_MS) + SECOND_MS) % SECOND_MS),
        );
      if (shown.until !== null) next = Math.min(next, Math.max(1, shown.until - now));
      if (this.view.play?.seat === seat) this.#warn(low, shown, left);
    }
    this.element.hidden = false;
    this.timer = window.setTimeout(() => this.#tick(), Math.max(next, 20));
  }

  /** Warn the player, once for each entry of LOW_MS. @param {number} low @param {import("../audit/clock.js").Reading} shown @param {string} left */
  #warn(low, shown, left) {
    if (low && !shown.stopped && (!this.told || low < this.told))
      this.view.warn(this.view.spoken.text("ui.clock.low", { left }));
    if (!low || !shown.stopped) this.told = low;
  }
}
