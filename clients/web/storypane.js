// @ts-check
/** The story beside the board: only what is in sight is laid out, however long the log. */

import { h, s, show } from "./dom.js";
import { receipts, tell } from "./story.js";
import { t } from "./words.js";

/** @type {Record<number, [number, number][]>} */
const PIPS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], 6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};

/** @param {number[]} dice @param {number} sides */
export function diceRow(dice, sides) {
  return h("span", { class: "dice", "aria-hidden": "true" }, dice.map((pip) => s("svg", { class: "die", viewBox: "-10 -10 20 20" }, s("rect", { x: -9, y: -9, width: 18, height: 18, rx: 4 }),
    sides === 6 && PIPS[pip] ? PIPS[pip].map(([x, y]) => s("circle", { cx: x * 4.6, cy: y * 4.6, r: 1.8 })) : s("text", { y: 4, text: String(pip) }))));
}

const PIP_CHARS = "⚀⚁⚂⚃⚄⚅";

/** A line of the story; pips in it become dice. @param {import("./story.js").Line} line */
export function lineOf(line) {
  const parts = line.text.split(/((?:[⚀-⚅] )*[⚀-⚅])/).map((part) => {
    const pips = [...part].map((letter) => PIP_CHARS.indexOf(letter) + 1).filter((pip) => pip > 0);
    return pips.length ? [diceRow(pips, 6), h("span", { class: "sr-only", text: ` ${pips.join(", ")} ` })] : part;
  });
  const told = parts.some((part) => typeof part !== "string");
  return h("p", { class: `line ${line.kind}` }, !told && line.dice && line.dice.length <= 24 ? diceRow(line.dice, line.sides) : null, parts, line.rule ? [" ", h("span", { class: "rule", text: line.rule })] : null);
}

export class StoryPane {
  /** @param {(seq: number) => void} go */
  constructor(go) {
    this.go = go;
    this.list = h("ol", { class: "story" });
    this.element = h("div", { class: "story-pane" }, this.list);
    /** @type {Map<number, HTMLElement>} */
    this.items = new Map();
    this.drawn = 0;
    /** @type {HTMLElement | null} */
    this.current = null;
    this.list.addEventListener("click", (event) => {
      const button = /** @type {Element} */ (event.target).closest("button[data-seq]");
      if (button) this.go(Number(button.getAttribute("data-seq")));
    });
  }

  clear() {
    this.drawn = 0;
    this.items.clear();
    this.current = null;
    show(this.list);
  }

  /** Tell it again in another language. @param {import("./phrases.js").Phrases} spoken */
  speak(spoken) {
    void spoken;
    this.clear();
  }

  /** @param {import("./watch.js").Watch} watch @param {import("./phrases.js").Phrases} spoken */
  extend(watch, spoken) {
    const made = document.createDocumentFragment();
    for (; this.drawn < watch.records.length; this.drawn++) {
      const record = watch.records[this.drawn];
      const lines = tell(record, spoken);
      const draws = receipts(record);
      if (!lines.length) continue;
      const item = h("li", { class: "record", "data-record": record.seq },
        h("button", { type: "button", class: "seq", "data-seq": record.seq, "aria-label": t("to_record", { seq: record.seq }), text: String(record.seq) }),
        h("div", { class: "lines" }, lines.map(lineOf),
          draws.length ? h("details", { class: "receipt" }, h("summary", { text: t("receipt", { n: draws.length }) }), h("ul", {}, draws.map((/** @type {any} */ draw) =>
            h("li", { text: draw.epoch === 0 || !draw.drawn ? t("receipt.hidden", { counter: draw.counter, purpose: spoken.name(draw.purpose) }) : t("receipt.line", { epoch: draw.epoch, counter: draw.counter, purpose: spoken.name(draw.purpose), shown: draw.drawn[1] + 1, sides: draw.drawn[0] }) })))) : null));
      this.items.set(record.seq, item);
      made.append(item);
    }
    this.list.append(made);
  }

  /** @param {number} seq @param {boolean} live */
  mark(seq, live) {
    let item = this.items.get(seq);
    for (let back = seq; !item && back >= 0; back--) item = this.items.get(back);
    if (this.current !== item) {
      this.current?.classList.remove("current");
      this.current?.removeAttribute("aria-current");
      this.current = item ?? null;
      item?.classList.add("current");
      item?.setAttribute("aria-current", "step");
    }
    const scroller = this.element.parentElement;
    if (!item || !scroller) return;
    if (live && seq) scroller.scrollTop = scroller.scrollHeight;
    const box = item.getBoundingClientRect();
    const frame = scroller.getBoundingClientRect();
    if (box.top < frame.top || box.bottom > frame.bottom) scroller.scrollTop += box.top - frame.top - frame.height / 3;
  }
}
