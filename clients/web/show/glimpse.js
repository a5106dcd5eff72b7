// @ts-check
/** A small picture of the board at a record that is pointed at on the timeline, with what the record is about. */

import { h, s, show } from "../ui/dom.js";
import { t } from "../words/words.js";
import { stacksOf } from "../board/surroundings.js";
import { Control, lead, tallied } from "./score.js";

const WIDE = 220;

export class Glimpse {
  /** @param {import("../games/gameview.js").GameView} view @param {HTMLElement} track the line of the timeline that is pointed at */
  constructor(view, track) {
    this.view = view;
    this.track = track;
    this.seq = -1;
    /** the board that the map was drawn from @type {import("../board/view.js").BoardView | null} */
    this.of = null;
    /** @type {Control | undefined} */
    this.control = undefined;
    this.stacks = s("g", { class: "mini-stacks" });
    this.picture = s("svg", { class: "glimpse-map", "aria-hidden": "true" });
    this.text = h("p", {});
    // It repeats what the story says of the record, for the pointer alone.
    this.element = h("div", { class: "glimpse", "aria-hidden": "true", hidden: true }, this.picture, this.text);
    track.append(this.element);
    track.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse" && !event.buttons) this.#at(event.clientX);
      else this.#away();
    });
    for (const kind of ["pointerleave", "pointerdown"]) track.addEventListener(kind, () => this.#away());
  }

  #away() {
    this.element.hidden = true;
    this.seq = -1;
  }

  /** @param {number} clientX */
  #at(clientX) {
    const { view } = this;
    const { board, watch } = view;
    const { surroundings } = view.boardPane;
    if (!board || !surroundings || watch.last < 1) return;
    const box = this.track.getBoundingClientRect();
    const inset = 8;
    const share = Math.max(0, Math.min(1, (clientX - box.left - inset) / (box.width - 2 * inset)));
    const seq = Math.round(share * watch.last);
    this.element.hidden = false;
    this.element.style.transform = `translateX(${Math.round(Math.max(0, Math.min(box.width - WIDE, clientX - box.left - WIDE / 2)))}px)`;
    if (seq === this.seq) return;
    this.seq = seq;
    const { map } = board;
    const then = watch.boardAt(seq);
    if (this.of !== board) {
      this.of = board;
      this.picture.setAttribute("viewBox", `0 0 ${map.width} ${map.height}`);
      show(this.picture, surroundings.grounds(), this.stacks);
    }
    /** @type {Map<string, string>} the owner of what lies in each place */
    const owners = new Map();
    for (const { place, owner } of then.pieces.values()) if (map.place(place)) owners.set(place, owner ?? "");
    show(this.stacks, stacksOf(map, owners));
    this.text.textContent = this.#said(then, seq);
  }

  /** The turn, the score, and what is open. @param {import("../records/effects.js").Board} then @param {number} seq */
  #said(then, seq) {
    const { spoken, board } = this.view;
    const told = board?.map.told;
    const parts = [t("time.record", { seq })];
    parts.push(
      ...then.spans.filter((span) => span.span !== "game").map((span) => spoken.say([span.key, span.args, ""])),
    );
    if (told?.scoring?.told === "lead") {
      this.control ??= new Control(told);
      const reached = tallied(told, this.control, then.tracks, (id, marker) => then.marks.get(id)?.get(marker) ?? 0);
      const ahead = lead(reached);
      if (reached.length)
        parts.push(ahead ? `${spoken.name(reached[ahead < 0 ? 1 : 0].side)} +${Math.abs(ahead)}` : t("score.even"));
    }
    return parts.join(" · ");
  }
}
