// @ts-check
/** The timeline: any record, steps by record, combat, activation and turn, playing at speeds, a link to what is seen, and back to live. */

import { h, icon, s, show } from "./dom.js";
import { t } from "./words.js";

const SPEEDS = [1, 2, 4, 8];
const BEAT_MS = 1400;
const STEPS = ["record", "combat", "activation", "turn"];

export class Timeline {
  /** @param {{go: (seq: number | null) => void, share: () => string}} acts */
  constructor(acts) {
    this.acts = acts;
    /** @type {import("./watch.js").Watch | null} */
    this.watch = null;
    this.seq = 0;
    this.live = true;
    this.ended = false;
    this.step = "record";
    this.speed = 1;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.range = h("input", { type: "range", min: 0, max: 0, value: 0, class: "scrub", "aria-label": t("timeline"),
      oninput: () => { this.pause(); this.acts.go(Number(this.range.value)); } });
    this.marks = s("svg", { class: "marks", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.place = h("output", { class: "at", "aria-live": "off" });
    this.controls = h("div", { class: "controls" });
    this.element = h("section", { class: "timeline", "aria-label": t("timeline") }, h("div", { class: "track-line" }, this.marks, this.range), this.controls);
    this.#draw();
  }

  #draw() {
    const button = (/** @type {string} */ key, /** @type {string} */ sign, /** @type {() => void} */ act, more = {}) => h("button", { type: "button", class: "icon", "data-act": key, "aria-label": t(`time.${key}`), title: t(`time.${key}`), onclick: act, ...more }, icon(sign));
    const focused = document.activeElement?.getAttribute("data-act");
    const step = h("select", { class: "step", "data-act": "step", "aria-label": t("time.step"), onchange: () => { this.step = step.value; } }, STEPS.map((name) => h("option", { value: name, selected: name === this.step, text: t(`time.by.${name}`) })));
    const speed = h("select", { class: "speed", "data-act": "speed", "aria-label": t("time.speed"), onchange: () => { this.speed = Number(speed.value); if (this.timer) this.play(); } }, SPEEDS.map((n) => h("option", { value: n, selected: n === this.speed, text: `×${n}` })));
    show(this.controls, button("first", "first", () => this.to(0)), button("back", "back", () => this.stepBy(-1)),
      button(this.timer ? "pause" : "play", this.timer ? "pause" : "play", () => (this.timer ? this.pause() : this.play()), { class: "icon main" }),
      button("forward", "forward", () => this.stepBy(1), { class: "icon forward" }), step, speed, this.place, h("span", { class: "spring" }),
      button("share", "share", () => this.#share(), { class: "icon share" }),
      h("button", { type: "button", class: "live-button", "data-act": "live", "aria-pressed": String(this.live), onclick: () => { this.pause(); this.acts.go(null); } }, h("span", { class: "live-dot", "aria-hidden": "true" }), t(this.watch?.ended ? "time.end" : "time.live")));
    if (focused) /** @type {HTMLElement | null} */ (this.controls.querySelector(`[data-act="${focused}"], [data-act="${focused === "play" ? "pause" : focused === "pause" ? "play" : focused}"]`))?.focus();
  }

  /** @param {import("./phrases.js").Phrases} spoken */
  speak(spoken) {
    void spoken;
    this.range.setAttribute("aria-label", t("timeline"));
    this.element.setAttribute("aria-label", t("timeline"));
    this.#draw();
  }

  /** @param {import("./watch.js").Watch} watch */
  extend(watch) {
    this.watch = watch;
    const ended = Boolean(watch.ended);
    this.range.max = String(Math.max(0, watch.last));
    const n = Math.max(1, watch.last);
    this.marks.setAttribute("viewBox", `0 0 ${n} 10`);
    let turns = "";
    let fights = "";
    for (const span of watch.spans) {
      if (span.span === "turn") turns += `M${span.from},0V10`;
      else if (span.span === "combat") fights += `M${span.from},5h${Math.max(0.6, (span.to < 0 ? watch.last : span.to) - span.from)}`;
    }
    show(this.marks, s("path", { class: "mark-combat", d: fights }), s("path", { class: "mark-turn", d: turns }));
    if (ended !== this.ended) {
      this.ended = ended;
      this.#draw();
    }
  }

  /** @param {number} seq @param {boolean} live */
  mark(seq, live) {
    this.seq = seq;
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
    const starts = (this.watch?.spans ?? []).filter((span) => span.span === this.step).map((span) => span.from);
    const found = direction > 0 ? starts.find((from) => from > this.seq) : starts.findLast((from) => from < this.seq);
    return found ?? (direction > 0 ? last : 0);
  }

  play() {
    clearTimeout(this.timer);
    if (this.live || this.seq >= (this.watch?.last ?? 0)) this.acts.go(0);
    const beat = () => {
      if (!this.watch || this.seq >= this.watch.last) {
        this.pause();
        if (!this.watch?.ended) this.acts.go(null);
        return;
      }
      this.acts.go(this.next(1));
      // Records without a sentence pass quickly.
      const quiet = !this.watch.records[this.seq]?.effects.length;
      this.timer = window.setTimeout(beat, quiet ? 40 : BEAT_MS / this.speed);
    };
    this.timer = window.setTimeout(beat, 60);
    this.#draw();
  }

  pause() {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
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
      if (this.timer) this.pause();
      else this.play();
    } else return false;
    return true;
  }

  dispose() {
    clearTimeout(this.timer);
  }
}
