// @ts-check
/**
 * The story beside the board: only what is in sight is laid out, however long the log. It keeps to the newest record, or to the one that is
 * looked at, whatever opens above it or is laid out late; once the reader has scrolled away it stays there, until they go to a record
 * or scroll back to the end.
 */

import { h, s, show } from "../ui/dom.js";
import { ruleSign } from "./rules.js";
import { receipts, tell } from "./story.js";
import { t } from "../words/words.js";

/** @type {Record<number, [number, number][]>} */
const PIPS = {
  1: [[0, 0]],
  2: [
    [-1, -1],
    [1, 1],
  ],
  3: [
    [-1, -1],
    [0, 0],
    [1, 1],
  ],
  4: [
    [-1, -1],
    [1, -1],
    [-1, 1],
    [1, 1],
  ],
  5: [
    [-1, -1],
    [1, -1],
    [0, 0],
    [-1, 1],
    [1, 1],
  ],
  6: [
    [-1, -1],
    [1, -1],
    [-1, 0],
    [1, 0],
    [-1, 1],
    [1, 1],
  ],
};

/** @param {number[]} dice @param {number} sides */
export function diceRow(dice, sides) {
  return h(
    "span",
    { class: "dice", "aria-hidden": "true" },
    dice.map((pip) =>
      s(
        "svg",
        { class: "die", viewBox: "-10 -10 20 20" },
        s("rect", { x: -9, y: -9, width: 18, height: 18, rx: 4 }),
        sides === 6 && PIPS[pip]
          ? PIPS[pip].map(([x, y]) => s("circle", { cx: x * 4.6, cy: y * 4.6, r: 1.8 }))
          : s("text", { y: 4, text: String(pip) }),
      ),
    ),
  );
}

const PIP_CHARS = "⚀⚁⚂⚃⚄⚅";

/** A line of the story; pips in it become dice. @param {import("./story.js").Line} line */
export function lineOf(line) {
  const parts = line.text.split(/((?:[⚀-⚅] )*[⚀-⚅])/).map((part, n, all) => {
    const pips = [...part].map((letter) => PIP_CHARS.indexOf(letter) + 1).filter((pip) => pip > 0);
    if (!pips.length) return part;
    const row = diceRow(pips, 6);
    // A stop follows without a space.
    row.classList.toggle("stopped", /^[.,:;!?]/.test(all[n + 1] ?? ""));
    return [row, h("span", { class: "sr-only", text: ` ${pips.join(", ")} ` })];
  });
  const told = parts.some((part) => typeof part !== "string");
  return h(
    "p",
    { class: `line ${line.kind}` },
    !told && line.dice && line.dice.length <= 24 ? diceRow(line.dice, line.sides) : null,
    parts,
    line.rule ? [" ", ruleSign(line.rule, true)] : null,
  );
}

const NEAR_PX = 4;

/** How long after a reader's wheel, touch, press or key the story's scrolling is theirs, in ms. */
const READING_MS = 1000;

/** The keys by which a reader scrolls: the browser's own, and the one that moves the focus. */
const SCROLLING = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " ", "Tab"]);

/** How many records a part of the story has. */
const PART = 24;

/** How long the story is written at a time while nobody waits for it, in ms. */
const SLICE_MS = 8;

/** Do something when the page has nothing better to do. @type {(act: () => void) => number} */
const whenIdle = (act) =>
  typeof requestIdleCallback === "function" ? requestIdleCallback(act, { timeout: 500 }) : window.setTimeout(act, 30);
const notWhenIdle = (/** @type {number} */ id) =>
  typeof cancelIdleCallback === "function" ? cancelIdleCallback(id) : clearTimeout(id);

/** Some records one after the other: `next` is the first that is not written yet. @typedef {{element: HTMLElement, from: number, next: number}} Part */

export class StoryPane {
  /** @param {HTMLElement} scroller what the story scrolls in @param {(seq: number) => void} go */
  constructor(scroller, go) {
    this.scroller = scroller;
    this.go = go;
    /** what is kept in sight: the newest record, the one with this number, or what the reader has scrolled to @type {"end" | number | null} */
    this.aim = "end";
    /** how far below the frame's edge the line aimed at is kept, in px; null for a third of the frame @type {number | null} */
    this.below = null;
    /** where the story was put, and how tall it and its frame were then */
    this.put = { top: 0, total: 0, height: 0 };
    /** when the reader last touched what scrolls it */
    this.touched = -READING_MS;
    /** when the reader last moved the pointer over something in the story to be pressed, and whether it is down there: what may be pressed now does not move away from under it */
    this.reached = -READING_MS;
    this.pressed = false;
    /** @type {number | undefined} */
    this.later = undefined;
    this.list = h("div", { class: "story" });
    /** each of PART records, whether they tell anything or not @type {Part[]} */
    this.parts = [];
    /** those that are laid out though they may be out of sight @type {Part[]} */
    this.close = [];
    /** what the records are told from @type {{watch: import("../link/watch.js").Watch, spoken: import("../words/phrases.js").Phrases} | null} */
    this.told = null;
    this.element = h("div", { class: "story-pane" }, this.list);
    /** @type {Map<number, HTMLElement>} */
    this.items = new Map();
    this.drawn = 0;
    /** @type {HTMLElement | null} */
    this.current = null;
    this.live = true;
    this.list.addEventListener("click", (event) => {
      const button = /** @type {Element} */ (event.target).closest("button[data-seq]");
      if (button) this.go(Number(button.getAttribute("data-seq")));
    });
    this.list.addEventListener("focusin", (event) =>
      this.#stop(/** @type {Element} */ (event.target).closest("button[data-seq]")),
    );
    this.list.addEventListener("keydown", (event) => this.#step(event));
    this.list.addEventListener("pointermove", (event) => {
      const moved = event.movementX || event.movementY; // a list that moves under a pointer at rest is told as a move, too
      if (moved && event.pointerType === "mouse" && /** @type {Element} */ (event.target).closest("button, summary"))
        this.reached = performance.now();
    });
    this.list.addEventListener("pointerdown", () => (this.pressed = true));
    scroller.addEventListener("scroll", () => this.#scrolled());
    this.heard = new AbortController();
    const heard = { passive: true, capture: true, signal: this.heard.signal };
    const touched = (/** @type {Event} */ event) => (this.touched = event.timeStamp);
    for (const kind of ["pointerup", "pointercancel"])
      document.addEventListener(kind, () => (this.pressed = false), heard);
    for (const kind of ["wheel", "touchmove", "pointerdown", "pointermove"]) {
      scroller.addEventListener(
        kind,
        (event) => {
          if (kind !== "pointermove" || /** @type {PointerEvent} */ (event).buttons) touched(event);
        },
        heard,
      );
    }
    // With nothing focused, keys scroll what was clicked last. A key that goes to another record scrolls nothing by itself.
    document.addEventListener(
      "keydown",
      (event) => {
        if (!SCROLLING.has(event.key)) return;
        if (event.target === document.body || scroller.contains(/** @type {Node} */ (event.target))) touched(event);
      },
      heard,
    );
    this.sizes = new ResizeObserver(() => this.#settle());
    this.sizes.observe(scroller);
    this.sizes.observe(this.list);
  }

  /** The story is one stop of the Tab key: the record where the focus was, else the one that is looked at. @param {Element | null} button */
  #stop(button) {
    if (!button || button === this.stop) return;
    this.stop?.setAttribute("tabindex", "-1");
    button.setAttribute("tabindex", "0");
    this.stop = button;
  }

  /** Up and down go from record to record. @param {KeyboardEvent} event */
  #step(event) {
    const button = /** @type {Element} */ (event.target).closest("button[data-seq]");
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!button || !step) return;
    const seq = Number(button.getAttribute("data-seq")) + step;
    const next = step < 0 ? this.#item(seq) : this.#after(seq);
    if (!next) return;
    event.preventDefault();
    /** @type {HTMLElement | null} */ (next.querySelector("button.seq"))?.focus();
  }

  /** @type {Element | null} */
  stop = null;

  get #shown() {
    return this.element.parentElement === this.scroller;
  }

  /** Keep in sight what is aimed at. */
  #settle() {
    const { scroller, aim } = this;
    if (!this.#shown || aim === null) return;
    clearTimeout(this.later);
    const held = aim !== "end" ? 0 : this.pressed ? READING_MS : this.reached + READING_MS - performance.now();
    if (held > 0) {
      this.later = window.setTimeout(() => this.#settle(), held);
      return;
    }
    scroller.classList.add("aimed");
    this.#near(aim === "end" ? this.drawn - 1 : aim);
    if (aim === "end") scroller.scrollTop = scroller.scrollHeight;
    else {
      const box = this.#item(aim)?.getBoundingClientRect();
      const frame = scroller.getBoundingClientRect();
      if (box)
        scroller.scrollTop +=
          box.top - frame.top - Math.max(0, Math.min(this.below ?? frame.height / 3, frame.height - box.height));
    }
    this.put = { top: scroller.scrollTop, total: scroller.scrollHeight, height: scroller.clientHeight };
  }

  #scrolled() {
    const { scroller, put } = this;
    if (!this.#shown) return;
    const read = performance.now() - this.touched < READING_MS;
    // Nobody has scrolled it: where it stands is measured with all else that is drawn before this frame.
    if (this.aim !== null && !read) return this.#soon();
    if (this.aim !== null) {
      if (Math.abs(scroller.scrollTop - put.top) <= NEAR_PX) return;
      // A panel that grows and shrinks within a frame moves the story too, and leaves all heights as they were.
      if (scroller.clientHeight !== put.height || scroller.scrollHeight !== put.total) return this.#settle();
    }
    const atEnd = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop <= NEAR_PX;
    this.aim = atEnd && this.live ? "end" : null;
    scroller.classList.toggle("aimed", this.aim !== null);
    this.put = { top: scroller.scrollTop, total: scroller.scrollHeight, height: scroller.clientHeight };
  }

  /** The story is shown again, after something else was in its place. */
  back() {
    if (this.aim === null) this.scroller.scrollTop = this.put.top;
    else this.#settle();
  }

  /** The line of a record, or of the nearest before it that tells something. @param {number} seq */
  #item(seq) {
    const to = Math.min(seq, this.drawn - 1);
    for (let n = Math.floor(to / PART); n >= 0; n--) {
      const part = this.parts[n];
      this.#write(part);
      for (let back = Math.min(to, part.from + PART - 1); back >= part.from; back--) {
        const item = this.items.get(back);
        if (item) return item;
      }
    }
    return undefined;
  }

  /** The line of a record, or of the nearest behind it that tells something. @param {number} seq */
  #after(seq) {
    for (let on = seq; on < this.drawn; on++) {
      if (on === seq || on % PART === 0) this.#write(this.parts[Math.floor(on / PART)]);
      const item = this.items.get(on);
      if (item) return item;
    }
    return undefined;
  }

  /**
   * Lay out what lies around a record whether it is in sight or not, so that where the record stands is measured rather than guessed: nothing moves when
   * the browser comes to lay out the rest. @param {number} seq
   */
  #near(seq) {
    const n = Math.floor(Math.max(0, seq) / PART);
    const close = this.parts.slice(Math.max(0, n - 1), n + 2);
    for (const part of close) this.#write(part);
    if (close.length === this.close.length && close.every((part, i) => part === this.close[i])) return;
    for (const { element } of this.close.filter((part) => !close.includes(part))) {
      element.classList.remove("near");
      this.sizes.unobserve(element);
    }
    for (const { element } of close.filter((part) => !this.close.includes(part))) {
      element.classList.add("near");
      // What grows in one and shrinks in another leaves the story as high as it was.
      this.sizes.observe(element);
    }
    this.close = close;
  }

  clear() {
    this.drawn = 0;
    for (const { element } of this.close) this.sizes.unobserve(element);
    this.parts = [];
    this.close = [];
    this.items.clear();
    this.current = null;
    show(this.list);
  }

  /** Write the story again in another language. @param {import("../words/phrases.js").Phrases} spoken */
  speak(spoken) {
    void spoken;
    if (this.aim === null) {
      const top = this.scroller.getBoundingClientRect().top;
      this.aim =
        [...this.items].sort(([a], [b]) => a - b).find(([, item]) => item.getBoundingClientRect().bottom > top)?.[0] ??
        null;
      this.below = 0;
    }
    this.clear();
  }

  /**
   * Records that are new are written at once; of a long story what is around the reader, and the rest while the page has nothing better to do.
   * @param {import("../link/watch.js").Watch} watch @param {import("../words/phrases.js").Phrases} spoken @param {number} to the last record that is told
   */
  extend(watch, spoken, to) {
    const end = Math.min(to, watch.last) + 1;
    if (end <= this.drawn) return;
    this.told = { watch, spoken };
    const few = end - this.drawn <= PART;
    for (let from = this.parts.length * PART; from < end; from += PART) {
      const part = { element: h("ol", { class: "story-part waiting" }), from, next: from };
      this.parts.push(part);
      this.list.append(part.element);
    }
    const first = Math.floor(this.drawn / PART);
    this.drawn = end;
    if (few) for (const part of this.parts.slice(first)) this.#write(part);
    else this.writing ||= whenIdle(() => this.#writeOn());
  }

  /** when the rest is written; 0 for never */
  writing = 0;

  /** Write some of what is not written yet, the newest first. */
  #writeOn() {
    this.writing = 0;
    const until = performance.now() + SLICE_MS;
    for (let n = this.parts.length - 1; n >= 0; n--) {
      const part = this.parts[n];
      if (part.next >= Math.min(part.from + PART, this.drawn)) continue;
      if (performance.now() > until) {
        this.writing = whenIdle(() => this.#writeOn());
        return;
      }
      this.#write(part);
    }
  }

  /** Write those records of a part that are told and not written yet. @param {Part} part */
  #write(part) {
    const end = Math.min(part.from + PART, this.drawn);
    if (!this.told || part.next >= end) return;
    const { watch, spoken } = this.told;
    /** @type {HTMLElement[]} */
    const made = [];
    for (; part.next < end; part.next++) {
      const item = this.#told(watch.records[part.next], spoken);
      if (!item) continue;
      this.items.set(part.next, item);
      made.push(item);
    }
    part.element.append(...made);
    part.element.classList.remove("waiting");
    // One that tells nothing takes no room.
    part.element.hidden = !part.element.firstChild;
  }

  /** What a record tells, as a line. @param {import("../records/chain.js").LogRecord} record @param {import("../words/phrases.js").Phrases} spoken */
  #told(record, spoken) {
    const lines = tell(record, spoken);
    if (!lines.length) return null;
    const draws = receipts(record);
    return h(
      "li",
      { class: "record", "data-record": record.seq },
      h("button", {
        type: "button",
        class: "seq",
        tabindex: -1,
        "data-seq": record.seq,
        "aria-label": t("to_record", { seq: record.seq }),
        text: String(record.seq),
      }),
      h(
        "div",
        { class: "lines" },
        lines.map(lineOf),
        draws.length
          ? h(
              "details",
              { class: "receipt" },
              h("summary", { text: t("receipt", { n: draws.length }) }),
              h(
                "ul",
                {},
                draws.map((/** @type {any} */ draw) =>
                  h("li", {
                    text:
                      draw.epoch === 0 || !draw.drawn
                        ? t("receipt.hidden", { counter: draw.counter, purpose: spoken.name(draw.purpose) })
                        : t("receipt.line", {
                            epoch: draw.epoch,
                            counter: draw.counter,
                            purpose: spoken.name(draw.purpose),
                            shown: draw.drawn[1] + 1,
                            sides: draw.drawn[0],
                          }),
                  }),
                ),
              ),
            )
          : null,
      ),
    );
  }

  /**
   * @param {number} seq the record that is looked at @param {boolean} live whether it is the newest, and whatever comes
   * @param {boolean} went whether somebody went there: then the reader is taken along
   */
  mark(seq, live, went) {
    const item = this.#item(seq);
    if (this.current !== item) {
      this.current?.classList.remove("current");
      this.current?.removeAttribute("aria-current");
      this.current = item ?? null;
      item?.classList.add("current");
      item?.setAttribute("aria-current", "step");
      if (!this.list.contains(document.activeElement)) this.#stop(item?.querySelector("button.seq") ?? null);
    }
    const anew = went || live !== this.live;
    if (anew) {
      this.reached = -READING_MS;
      this.aim = live ? "end" : seq;
      this.below = null;
    }
    this.live = live;
    this.measured ||= anew;
    this.#soon();
  }

  /** Where it stands is measured before the next frame, once for all that has been drawn until then. */
  #soon() {
    this.measuring ||= requestAnimationFrame(() => {
      this.measuring = 0;
      if (this.measured) this.#measure();
      this.measured = false;
      this.#settle();
    });
  }

  /** the frame before which it is measured; 0 for none */
  measuring = 0;

  /** whether the reader goes to another record */
  measured = false;

  /** What is already in sight does not move. */
  #measure() {
    const item = this.current;
    if (!item || !this.#shown || this.aim === null) return;
    const [{ top, bottom }, frame] = [item.getBoundingClientRect(), this.scroller.getBoundingClientRect()];
    this.below = top >= frame.top && bottom <= frame.bottom ? top - frame.top : null;
  }

  dispose() {
    cancelAnimationFrame(this.measuring);
    clearTimeout(this.later);
    notWhenIdle(this.writing);
    this.heard.abort();
    this.sizes.disconnect();
  }
}
