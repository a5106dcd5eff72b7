// @ts-check
/** A section of a page that asks the server again from time to time, and is drawn anew when what it tells has changed. */

import { h } from "./dom.js";
import { onLanguage } from "../words/words.js";

export class Refreshed {
  /** @param {import("../link/link.js").Link} link @param {string} kind its class beside `my-games` @param {number} ms how often it asks */
  constructor(link, kind, ms) {
    this.link = link;
    this.element = h("section", { class: `my-games ${kind}`.trim(), hidden: true });
    this.drawn = "";
    this.over = false;
    this.stop = onLanguage(() => {
      this.drawn = "";
      this.refresh();
    });
    // Not before the class that is made has all its parts.
    queueMicrotask(() => this.refresh());
    this.timer = setInterval(() => this.refresh(), ms);
  }

  dispose() {
    this.over = true;
    clearInterval(this.timer);
    this.stop();
  }

  /** Ask, and draw what has changed. */
  async refresh() {}

  /** Draw it, unless the same is drawn; whoever stands on a link stays on it. @param {any} told what is drawn @param {() => void} draw */
  redraw(told, draw) {
    const key = JSON.stringify(told);
    if (this.over || key === this.drawn) return;
    this.drawn = key;
    const { activeElement } = document;
    const focused = this.element.contains(activeElement) ? activeElement?.getAttribute("href") : null;
    draw();
    if (focused)
      /** @type {HTMLElement | null} */ (this.element.querySelector(`a[href="${CSS.escape(focused)}"]`))?.focus();
  }
}
