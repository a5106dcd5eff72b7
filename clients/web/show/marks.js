// @ts-check
/**
 * What casters draw over a game: arrows, rings and notes about places of the map. A mark is shown from its record on, until the innermost part of the
 * story that was open then is closed; so it stands in a replay where it stood in the broadcast. Nothing of it is part of the log.
 */

import { button, h, s, show } from "../ui/dom.js";
import { MARK_CHARS_MAX } from "../records/limits.js";
import { Refused, ServerError } from "../link/link.js";
import { visible } from "../games/talkpane.js";
import { composed, t } from "../words/words.js";

const LOOK_MS = 3000;
const LINE_CHARS = 30;
const KINDS = /** @type {const} */ (["arrow", "ring", "note"]);
/** What stands for the name of whoever draws without one. */
const NAMELESS = new Set(["caster", "host"]);

/** @typedef {import("../protocol.d.ts").Messages} Messages */
/** @typedef {{n: number, at: number, kind: Messages["mark"][2], places: string[], text: string, by: string}} Mark */

/** Text in lines of about so many characters; a word that is longer is cut. @param {string} text */
function linesOf(text) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(/(?<=\s)|(?<=[\u3000-\u9fff])/)) {
    for (let at = 0; at < word.length; at += LINE_CHARS) {
      const piece = word.slice(at, at + LINE_CHARS);
      if (lines.length && (lines[lines.length - 1] + piece).trimEnd().length <= LINE_CHARS)
        lines[lines.length - 1] += piece;
      else lines.push(piece);
    }
  }
  return lines.map((line) => line.trim()).filter(Boolean);
}

export class Marks {
  /** @param {import("../games/gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    /** @type {Mark[]} */
    this.marks = [];
    this.said = h("div", { class: "sr-only marks-said", role: "status" });
    this.pane = h("section", { class: "mark-pane", hidden: true });
    this.layer = s("g", { class: "marks" });
    this.input = h("input", { id: "mark-text", maxlength: MARK_CHARS_MAX, autocomplete: "off" });
    this.news = h("p", { class: "said", role: "status" });
    /** the kind that is being drawn, "" for none */
    /** @type {Mark["kind"] | ""} */
    this.tool = "";
    /** where an arrow begins @type {string | null} */
    this.from = null;
    this.seq = -1;
    this.stored = "";
    /** the marks that are drawn, and those that are listed */
    this.key = this.listed = "";
    this.timer = setInterval(() => {
      if (!document.hidden && (!view.watch.whole || this.may)) this.look();
      if (this.pane.hidden === this.may) this.drawPane();
    }, LOOK_MS);
    this.look();
  }

  /** Whether whoever looks may draw. */
  get may() {
    const { link, game, alone, cast, play } = this.view;
    return !alone && !cast && !play && (link.hosts(game) || link.casts(game));
  }

  /** @param {import("../board/view.js").BoardView} board */
  attach(board) {
    board.picture.append(this.layer);
    this.view.boardPane.holder.append(this.said);
    board.frame.addEventListener(
      "click",
      (event) => {
        if (!this.tool || event.defaultPrevented) return;
        event.stopPropagation();
        const target = /** @type {Element} */ (event.target);
        const piece = target.closest?.("[data-piece]")?.getAttribute("data-piece");
        const { x, y } = board.stage.point(event.clientX, event.clientY);
        this.#pick(
          (piece && board.pieces.get(piece)?.place) ??
            target.closest?.("[data-place]")?.getAttribute("data-place") ??
            board.map.hit(x, y) ??
            null,
        );
      },
      true,
    );
    board.frame.addEventListener(
      "keydown",
      (event) => {
        if (!this.tool) return;
        if (event.key === "Escape") this.#choose("");
        else if ((event.key === "Enter" || event.key === " ") && board.cursor) this.#pick(board.cursor);
        else return;
        event.preventDefault();
        event.stopPropagation();
      },
      true,
    );
    this.#drawn();
  }

  async look() {
    if (this.view.branch) return; // they were drawn over what has been
    try {
      const answer = await fetch(`/api/games/${encodeURIComponent(this.view.game)}/marks`);
      if (!answer.ok || this.view.disposed) return;
      const text = await answer.text();
      if (text === this.stored) return;
      this.stored = text;
      const { marks } = JSON.parse(text);
      this.marks = Array.isArray(marks)
        ? marks.filter(({ kind, places }) => KINDS.includes(kind) && Array.isArray(places))
        : [];
      this.#drawn();
      this.drawPane();
    } catch {
      // Asked for again in a moment.
    }
  }

  /** The last record at which a mark is shown. @param {Mark} mark */
  #until({ at }) {
    let last = at;
    let from = -1;
    for (const span of this.view.watch.spans) {
      if (span.from > at || span.from < from || (span.to !== -1 && span.to <= at)) continue;
      from = span.from;
      last = span.to === -1 ? Infinity : span.to;
    }
    return last;
  }

  /** Those that are shown at a record; nobody who plays sees any before the end. @param {number} seq */
  at(seq) {
    const { play, watch } = this.view;
    return play && !watch.ended ? [] : this.marks.filter((mark) => mark.at <= seq && seq <= this.#until(mark));
  }

  /** @param {number} seq */
  draw(seq) {
    if (seq === this.seq && !this.marks.length) return;
    this.seq = seq;
    this.#drawn();
    if (!this.pane.hidden) this.#list();
  }

  /** What a mark is, in words. @param {Mark} mark */
  #words({ kind, places, text, by }) {
    const { spoken } = this.view;
    const [from, to] = places.map((place) => spoken.name(place));
    const what = t(`mark.${kind}_is`, { from, to: to ?? "" });
    return t("mark.by", {
      by: NAMELESS.has(by) ? t(`mark.by.${by}`) : visible(by),
      what: text ? `${what}: ${visible(text)}` : what,
    });
  }

  #drawn() {
    const { board } = this.view;
    if (!board) return;
    const shown = this.at(this.seq);
    const key = JSON.stringify([shown, this.from]);
    if (key === this.key) return;
    this.key = key;
    const unit = board.clashRadius / 34;
    const point = (/** @type {string} */ place) =>
      /** @type {{x: number, y: number} | null} */ (board.map.place(place));
    const ring = (/** @type {{x: number, y: number}} */ { x, y }, /** @type {string} */ kind) =>
      s("circle", { class: kind, cx: x, cy: y, r: 30 * unit });
    const start = this.from ? point(this.from) : null;
    show(
      this.layer,
      shown.map(({ kind, places, text }) => {
        const [a, b] = places.map(point);
        if (!a || (kind === "arrow" && !b)) return null;
        const drawn = kind === "ring" ? ring(a, "mark-ring") : kind === "arrow" && b ? this.#arrow(a, b, unit) : null;
        const at = kind === "arrow" && b ? { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } : a;
        return s(
          "g",
          { class: `mark mark-${kind}` },
          drawn,
          text ? this.#label(at, visible(text), unit, kind === "arrow" ? 0 : 36 * unit) : null,
        );
      }),
      start ? ring(start, "mark-ring begun") : null,
    );
    show(
      this.said,
      shown.map((mark) => h("p", { text: this.#words(mark) })),
    );
  }

  /** @param {{x: number, y: number}} a @param {{x: number, y: number}} b @param {number} unit */
  #arrow(a, b, unit) {
    const long = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const [ux, uy] = [(b.x - a.x) / long, (b.y - a.y) / long];
    const head = Math.min(26 * unit, long * 0.6);
    const [hx, hy] = [b.x - ux * head, b.y - uy * head];
    const wide = head * 0.55;
    const line = `M${a.x},${a.y}L${hx},${hy}`;
    const tip = `M${b.x},${b.y}L${hx - uy * wide},${hy + ux * wide}L${hx + uy * wide},${hy - ux * wide}z`;
    return [
      s("path", { class: "mark-edge", d: line, "stroke-width": 13 * unit }),
      s("path", { class: "mark-line", d: line, "stroke-width": 8 * unit }),
      s("path", { class: "mark-tip", d: tip, "stroke-width": 2.5 * unit }),
    ];
  }

  /**
   * Words beside what they are about, and within the map.
   * @param {{x: number, y: number}} at @param {string} text @param {number} unit @param {number} away how far below their middle is free
   */
  #label(at, text, unit, away) {
    const { width, height } = /** @type {import("../board/view.js").BoardView} */ (this.view.board).map;
    const lines = linesOf(text);
    const size = 13 * unit;
    const wide =
      Math.max(...lines.map((line) => [...line].reduce((sum, char) => sum + (char > "\u2e7f" ? 1.05 : 0.68), 0))) *
        size +
      12 * unit;
    const high = lines.length * size * 1.3 + 8 * unit;
    const below = at.y + away + high / 2;
    const y = away && below + high / 2 > height ? at.y - away - high / 2 : away ? below : at.y;
    const x = Math.max(wide / 2, Math.min(width - wide / 2, at.x));
    return [
      s("rect", { class: "mark-paper", x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: 4 * unit }),
      lines.map((line, i) =>
        s("text", {
          class: "mark-words",
          x,
          y: y - high / 2 + 4 * unit + size * (1.3 * i + 1),
          "font-size": size,
          text: line,
        }),
      ),
    ];
  }

  // --- drawing ------------------------------------------------------------------------------------------------------------------

  /** @param {Mark["kind"] | ""} tool */
  #choose(tool) {
    this.tool = tool === this.tool ? "" : tool;
    this.from = null;
    this.view.board?.frame.classList.toggle("marking", Boolean(this.tool));
    this.news.textContent = this.tool ? t(this.tool === "arrow" ? "mark.from" : "mark.where") : "";
    this.drawPane();
    this.#drawn();
  }

  /** @param {string | null} place */
  async #pick(place) {
    if (!place) return;
    if (this.tool === "arrow" && (!this.from || this.from === place)) {
      this.from = place;
      this.news.textContent = t("mark.to");
      this.#drawn();
      return;
    }
    const places = this.tool === "arrow" && this.from ? [this.from, place] : [place];
    const text = composed(this.input.value.trim());
    const { tool } = this;
    if (!tool) return;
    if (
      await this.#ask(
        "mark",
        Math.max(0, this.view.shown ?? 0),
        tool,
        places.map((one) => [one]),
        text,
      )
    ) {
      this.input.value = "";
      this.#choose("");
    }
  }

  /** @template {"mark" | "unmark"} T @param {T} tag @param {import("../protocol.d.ts").BehindGame<T>} fields */
  async #ask(tag, ...fields) {
    this.news.textContent = "";
    this.news.removeAttribute("data-kind");
    try {
      await this.view.link.once(tag, .../** @type {any} */ ([this.view.game, ...fields]));
    } catch (error) {
      this.news.textContent =
        error instanceof Refused || error instanceof ServerError ? this.view.spoken.say(error.say) : String(error);
      this.news.dataset.kind = "trouble";
      return false;
    }
    await this.look();
    return true;
  }

  /** Those of this record, each with what removes it. */
  #list() {
    const shown = this.at(this.seq);
    const key = JSON.stringify(shown);
    if (key === this.listed) return;
    this.listed = key;
    show(
      this.list ?? (this.list = h("ul", { class: "mark-list" })),
      shown.length
        ? shown.map((mark) =>
            h(
              "li",
              {},
              this.#words(mark),
              " ",
              button({
                "data-act": `unmark:${mark.n}`,
                "aria-label": t("mark.remove", { what: this.#words(mark) }),
                title: t("mark.remove", { what: this.#words(mark) }),
                onclick: () => this.#ask("unmark", mark.n),
                text: "×",
              }),
            ),
          )
        : h("li", { text: t("mark.none") }),
    );
  }

  drawPane() {
    this.pane.hidden = !this.may;
    if (this.pane.hidden) {
      show(this.pane);
      if (this.tool) this.#choose("");
      return;
    }
    const focus =
      document.activeElement instanceof HTMLElement && this.pane.contains(document.activeElement)
        ? document.activeElement
        : null;
    const act = focus?.dataset.act;
    this.listed = "";
    this.#list();
    this.pane.setAttribute("aria-label", t("mark"));
    show(
      this.pane,
      h("h2", { text: t("mark") }),
      h("p", { class: "mark-how", text: t("mark.how") }),
      h(
        "div",
        { class: "mark-tools" },
        KINDS.map((kind) =>
          button({
            "data-act": `mark:${kind}`,
            "aria-pressed": String(this.tool === kind),
            onclick: () => this.#choose(kind),
            text: t(`mark.${kind}`),
          }),
        ),
        button({ "data-act": "unmark", onclick: () => this.#ask("unmark", 0), text: t("mark.clear") }),
      ),
      h("p", { class: "mark-text" }, h("label", { for: "mark-text", text: t("mark.text") }), " ", this.input),
      this.news,
      this.list,
    );
    if (focus === this.input) this.input.focus();
    else if (act) /** @type {HTMLElement | null} */ (this.pane.querySelector(`[data-act="${act}"]`))?.focus();
  }

  /** The language is another. */
  speak() {
    this.key = "";
    this.drawPane();
    this.#drawn();
  }

  dispose() {
    clearInterval(this.timer);
  }
}
