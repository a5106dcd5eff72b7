// @ts-check
/** What the other side has done since a player's last move, offered to whoever comes back to a game. */

import { button, h, show } from "../ui/dom.js";
import { t } from "../words/words.js";
import { partsOf, tells } from "./scenes.js";

/** Fewer records than this are told by the board as it is. */
const FEW = 2;

export class Since {
  /** @param {import("../games/gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    this.element = h("div", { class: "since", role: "status", hidden: true });
    this.closed = false;
  }

  /** The record of the last move of the seat that is played here, or -1. */
  get #last() {
    const { play, watch } = this.view;
    return play ? watch.records.findLastIndex(({ kind, body }) => kind === "command" && body[1] === play.seat) : -1;
  }

  /** Offer it, if there is anything: only when the page has caught up with the game. */
  draw() {
    const { watch } = this.view;
    const last = this.#last;
    const news =
      last < 0 || watch.ended ? [] : watch.records.slice(last + 1).filter(({ seq }) => partsOf(watch, seq).some(tells));
    this.element.hidden = this.closed || news.length < FEW;
    show(
      this.element,
      this.element.hidden
        ? []
        : [
            h("span", { text: t("since", { n: news.length }) }),
            button({
              class: "primary",
              "data-act": "since",
              onclick: () => {
                this.close();
                this.view.timeline.playFrom(last);
              },
              text: t("since.show"),
            }),
            button({
              "data-act": "since-close",
              "aria-label": t("since.close"),
              title: t("since.close"),
              onclick: () => this.close(),
              text: "×",
            }),
          ],
    );
  }

  /** It is not wanted, or over: the player has moved. */
  close() {
    this.closed = true;
    this.element.hidden = true;
    show(this.element);
  }
}
