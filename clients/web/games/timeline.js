// @ts-check
/** The timeline: any record, steps by record, combat, activation and turn, playing at speeds, a link to what is seen, and back to live. */

import { button, h, icon, s, show } from "../ui/dom.js";
import { paced } from "../ui/paced.js";
import { SPEEDS } from "../show/director.js";
import { t } from "../words/words.js";

const BEAT_MS = 1400;
/** How often all that is marked is drawn anew while records come one after the other, in ms; and from which share of new records on at once. */
const PICTURE_MS = 500;
const GROWN = 1.02;
/** How many changes of the score are marked at most. */
const SWINGS = 8;
const STEPS = ["record", "combat", "activation", "turn"];

export class Timeline {
  /** @param {{go: (seq: number | null) => void, share: () => string, play: (from: number) => void, stop: () => void, speed: () => number, setSpeed: (speed: number) => void}} acts */
  constructor(acts) {
    this.acts = acts;
    /** @type {import("../link/watch.js").Watch | null} */
    this.watch = null;
    this.seq = 0;
    this.live = true;
    this.ended = false;
    this.step = "record";
    /** whether records are being played again */
    this.playing = false;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.range = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      class: "scrub",
      "aria-label": t("timeline"),
      oninput: () => {
        this.pause();
        this.acts.go(Number(this.range.value));
      },
    });
    /** the score as it went @type {import("../show/score.js").Curve | null} */
    this.curve = null;
    /** who would win, where the host has had it played on @type {import("./figures.js").Analysis | null} */
    this.odds = null;
    /** the game that may be played on from its records, "" for none */
    this.branchOf = "";
    this.drawn = "";
    /** up to which record it was drawn last */
    this.reached = 0;
    this.picturing = paced(() => this.watch && this.#picture(this.watch), PICTURE_MS);
    this.turns = h("div", { class: "turns", "aria-hidden": "true" });
    this.marks = s("svg", { class: "marks", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.place = h("output", { class: "at", "aria-live": "off" });
    /** the track with what is marked on it */
    this.line = h("div", { class: "track-line" }, this.turns, this.marks, this.range);
    this.controls = h("div", { class: "controls" });
    this.element = h("section", { class: "timeline", "aria-label": t("timeline") }, this.line, this.controls);
    this.#draw();
  }

  #draw() {
    const control = (/** @type {string} */ key, /** @type {string} */ sign, /** @type {() => void} */ act, more = {}) =>
      button(
        {
          class: "icon",
          "data-act": key,
          "aria-label": t(`time.${key}`),
          title: t(`time.${key}`),
          onclick: act,
          ...more,
        },
        icon(sign),
      );
    const focused = document.activeElement?.getAttribute("data-act");
    const step = h(
      "select",
      {
        class: "step",
        "data-act": "step",
        "aria-label": t("time.step"),
        onchange: () => {
          this.step = step.value;
        },
      },
      STEPS.map((name) => h("option", { value: name, selected: name === this.step, text: t(`time.by.${name}`) })),
    );
    const speed = h(
      "select",
      {
        class: "speed",
        "data-act": "speed",
        "aria-label": t("time.speed"),
        onchange: () => this.acts.setSpeed(Number(speed.value)),
      },
      SPEEDS.map((n) =>
        h("option", { value: n, selected: n === this.acts.speed(), text: n ? `×${n}` : t("time.instant") }),
      ),
    );
    show(
      this.controls,
      control("first", "first", () => this.to(0)),
      control("back", "back", () => this.stepBy(-1)),
      control(
        this.playing ? "pause" : "play",
        this.playing ? "pause" : "play",
        () => (this.playing ? this.pause() : this.play()),
        { class: "icon main" },
      ),
      control("forward", "forward", () => this.stepBy(1), { class: "icon forward" }),
      step,
      speed,
      this.place,
      h("span", { class: "spring" }),
      this.branchOf
        ? h("a", {
            class: "branch-link",
            "data-act": "whatif",
            href: this.#branchAt,
            title: t("whatif.title"),
            text: t("whatif"),
          })
        : null,
      control("share", "share", () => this.#share(), { class: "icon share" }),
      button(
        {
          class: "live-button",
          "data-act": "live",
          "aria-pressed": String(this.live),
          onclick: () => {
            this.pause();
            this.acts.go(null);
          },
        },
        h("span", { class: "live-dot", "aria-hidden": "true" }),
        t(this.watch?.ended ? "time.end" : "time.live"),
      ),
    );
    if (focused)
      /** @type {HTMLElement | null} */ (
        this.controls.querySelector(
          `[data-act="${focused}"], [data-act="${focused === "play" ? "pause" : focused === "pause" ? "play" : focused}"]`,
        )
      )?.focus();
  }

  /** @param {import("../words/phrases.js").Phrases} spoken */
  speak(spoken) {
    void spoken;
    this.drawn = "";
    this.range.setAttribute("aria-label", t("timeline"));
    this.element.setAttribute("aria-label", t("timeline"));
    this.#draw();
  }

  /** @param {import("../link/watch.js").Watch} watch @param {boolean} rushed whether more records come than anybody follows */
  extend(watch, rushed) {
    this.watch = watch;
    const ended = Boolean(watch.ended);
    this.curve?.extend(watch);
    // One record more moves everything by less than anybody sees.
    if (!rushed || ended || watch.last > this.reached * GROWN || watch.last < this.reached) this.picturing.now();
    else this.picturing.ask();
    if (ended !== this.ended) {
      this.ended = ended;
      this.#draw();
    }
  }

  /** Turns with their numbers and combats above the track, and the score behind them. @param {import("../link/watch.js").Watch} watch */
  #picture(watch) {
    this.range.max = String(Math.max(0, watch.last));
    const n = Math.max(1, watch.last);
    const key = `${n}|${watch.spans.length}|${this.curve?.points.length}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.reached = watch.last;
    this.marks.setAttribute("viewBox", `0 0 ${n} 100`);
    let fights = "";
    let lines = "";
    /** @type {HTMLElement[]} */
    const numbers = [];
    for (const span of lasting(watch)) {
      if (span.span === "turn") {
        lines += `M${span.from},0V100`;
        const number = span.args.find(([name]) => name === "turn")?.[1];
        const label = h("span", { text: String(number ?? "") });
        label.style.left = `${(100 * span.from) / n}%`;
        numbers.push(label);
      } else if (span.span === "combat")
        fights += `M${span.from},9h${Math.max(0.6, (span.to < 0 ? watch.last : span.to) - span.from)}`;
    }
    let opened = "";
    for (const { kind, seq } of watch.records) if (kind === "open") opened += `M${seq},0h.01`;
    show(this.turns, numbers, this.#swings(n));
    show(
      this.marks,
      this.#score(n),
      this.#odds(),
      s("path", { class: "mark-open", d: opened }),
      s("path", { class: "mark-combat", d: fights }),
      s("path", { class: "mark-turn", d: lines }),
    );
  }

  /** Where the score changed most, above the track: towards the side that it changed for. @param {number} n */
  #swings(n) {
    const { curve } = this;
    const points = curve?.points ?? [];
    const sides = [...new Set((curve?.told.scoring?.tallies ?? []).map((/** @type {any} */ one) => one.side))];
    const changes = points
      .slice(1)
      .map(([seq, value], i) => /** @type {[number, number]} */ ([seq, value - points[i][1]]));
    const most = changes.reduce((so, [, by]) => Math.max(so, Math.abs(by)), 0);
    const big = changes
      .filter(([, by]) => Math.abs(by) >= Math.max(2, most / 2))
      .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
      .slice(0, SWINGS);
    return big.map(([seq, by]) => {
      const mark = h("i", {
        class: `swing side-${sides[by > 0 ? 0 : 1] ?? sides[0]}`,
        "data-seq": seq,
        text: by > 0 ? "▲" : "▼",
      });
      mark.style.left = `${(100 * seq) / n}%`;
      return mark;
    });
  }

  /** The score as a curve: above the middle the first side is ahead; a score of one side rises from the foot. @param {number} n */
  #score(n) {
    const points = this.curve?.points ?? [];
    if (points.length < 2) return null;
    const values = points.map(([, value]) => value);
    const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
    const y = (/** @type {number} */ value) => Math.round(96 - (76 * (value - least)) / Math.max(1, most - least));
    let line = `M${points[0][0]},${y(points[0][1])}`;
    for (const [seq, value] of points.slice(1)) line += `H${seq}V${y(value)}`;
    line += `H${n}`;
    const first = this.curve?.told.scoring?.tallies[0]?.side ?? "";
    return s(
      "g",
      { class: `curve side-${first}` },
      s("path", { class: "curve-area", d: `${line}V${y(0)}H${points[0][0]}Z` }),
      s("path", { class: "curve-line", d: line }),
    );
  }

  /** Show who would win too. @param {import("./figures.js").Analysis} odds */
  setOdds(odds) {
    this.odds = odds;
    this.drawn = "";
    if (this.watch) this.#picture(this.watch);
  }

  /** How often the first side wins from each turn on, as a dashed line: at the top always. */
  #odds() {
    const seat = this.odds?.seats[0];
    if (!this.odds || seat === undefined || this.odds.points.length < 2) return null;
    return s("path", {
      class: `win-line side-${seat}`,
      d: this.odds.points
        .map(({ seq, odds }, i) => `${i ? "L" : "M"}${seq},${Math.round(96 - (92 * odds[seat][0]) / 1000)}`)
        .join(""),
    });
  }

  /** A game may be played on from here; "" for none. @param {string} game */
  offerBranch(game) {
    this.branchOf = game;
    this.#draw();
  }

  /** The address of what could have been after the record that is looked at. */
  get #branchAt() {
    return `/game/${this.branchOf}?whatif=${this.seq}`;
  }

  /** @param {number} seq @param {boolean} live */
  mark(seq, live) {
    this.seq = seq;
    this.controls.querySelector(".branch-link")?.setAttribute("href", this.#branchAt);
    if (this.watch && seq > Number(this.range.max)) this.range.max = String(this.watch.last);
    this.range.value = String(seq);
    this.range.setAttribute("aria-valuetext", t("time.at", { seq, last: this.watch?.last ?? 0 }));
    this.place.textContent = `${seq} / ${this.watch?.last ?? 0}`;
    if (live !== this.live) {
      this.live = live;
      this.controls.querySelector(".live-button")?.setAttribute("aria-pressed", String(live));
    }
    this.element.classList.toggle("is-live", live);
  }

  /** @param {number} seq */
  to(seq) {
    this.pause();
    this.acts.go(seq);
  }

  /** @param {number} direction */
  stepBy(direction) {
    this.pause();
    this.acts.go(this.next(direction));
  }

  /** The record one step on. @param {number} direction */
  next(direction) {
    const last = this.watch?.last ?? 0;
    if (this.step === "record") return Math.max(0, Math.min(last, this.seq + direction));
    const starts = (this.watch ? lasting(this.watch) : [])
      .filter((span) => span.span === this.step)
      .map((span) => span.from);
    const found = direction > 0 ? starts.find((from) => from > this.seq) : starts.findLast((from) => from < this.seq);
    return found ?? (direction > 0 ? last : 0);
  }

  /** Play on from here; a game that is over and shown to its end is played from its beginning. */
  play() {
    this.pause();
    const last = this.watch?.last ?? 0;
    if (this.seq >= last) {
      if (!this.watch?.ended) return this.acts.go(null); // it goes on by itself
      this.acts.go(0);
    }
    this.playing = true;
    this.#draw();
    if (this.step === "record") return this.acts.play(this.seq);
    const beat = () => {
      if (!this.watch || this.seq >= this.watch.last) {
        this.pause();
        if (!this.watch?.ended) this.acts.go(null);
        return;
      }
      this.acts.go(this.next(1));
      this.timer = window.setTimeout(beat, BEAT_MS / (this.acts.speed() || 64));
    };
    this.timer = window.setTimeout(beat, 60);
  }

  /** Play every record after this one. @param {number} seq */
  playFrom(seq) {
    this.pause();
    this.step = "record";
    this.acts.go(seq);
    this.playing = true;
    this.#draw();
    this.acts.play(seq);
  }

  pause() {
    if (!this.playing) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.playing = false;
    this.acts.stop();
    this.#draw();
  }

  async #share() {
    const address = this.acts.share();
    try {
      await navigator.clipboard.writeText(address);
      this.place.textContent = t("time.copied");
    } catch {
      prompt(t("time.copy"), address);
    }
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was meant for the timeline */
  key(event) {
    if (event.key === "ArrowLeft" && !event.shiftKey) this.stepBy(-1);
    else if (event.key === "ArrowRight" && !event.shiftKey) this.stepBy(1);
    else if (event.key === "Home") this.to(0);
    else if (event.key === "End") {
      this.pause();
      this.acts.go(null);
    } else if (event.key === "p" || event.key === "P") {
      if (this.playing) this.pause();
      else this.play();
    } else return false;
    return true;
  }

  dispose() {
    clearTimeout(this.timer);
    this.picturing.stop();
  }
}

/** The spans that were not taken back: what never happened is neither marked nor stepped to. @param {import("../link/watch.js").Watch} watch */
function lasting({ records, spans }) {
  const undone = records.filter(({ kind }) => kind === "takeback").map(({ seq, body }) => [body[1], seq]);
  return undone.length ? spans.filter(({ from }) => !undone.some(([to, seq]) => from > to && from < seq)) : spans;
}
