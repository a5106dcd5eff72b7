// @ts-check
/** One's own games, wherever they are listed. */

import { accountOf } from "./device.js";
import { h, show } from "./dom.js";
import { row } from "./gamerow.js";
import { onLanguage, t } from "./words.js";

const REFRESH_MS = 5000;

/** One's own games: those that wait for one first. */
export class MyGames {
  /** @param {import("./link.js").Link} link */
  constructor(link) {
    this.link = link;
    this.element = h("section", { class: "my-games", hidden: true });
    this.drawn = "";
    this.over = false;
    this.stop = onLanguage(() => {
      this.drawn = "";
      this.refresh();
    });
    this.refresh();
    this.timer = setInterval(() => this.refresh(), REFRESH_MS);
  }

  dispose() {
    this.over = true;
    clearInterval(this.timer);
    this.stop();
  }

  async refresh() {
    if (!accountOf(this.link) || !this.link.open) {
      this.element.hidden = true;
      return;
    }
    try {
      const [rows] = await this.link.request("my_games");
      if (this.over) return;
      const waiting = rows.filter(isMine).length;
      const key = JSON.stringify(rows);
      if (key === this.drawn) return;
      this.drawn = key;
      this.element.hidden = false;
      this.element.setAttribute("aria-labelledby", "my-games");
      const focused = document.activeElement?.getAttribute("href");
      show(this.element, h("h2", { id: "my-games", text: t("mine") }), h("p", { class: "lead", role: "status", text: waiting ? t("mine.count", { n: waiting }) : t("mine.lead") }),
        rows.length ? h("ul", { class: "games" }, rows.map((/** @type {any} */ line) => {
          const shown = row(line);
          if (isMine(line)) shown.prepend(h("strong", { class: "decide", text: t("mine.decide") }));
          return shown;
        })) : h("p", { class: "empty", text: t("mine.empty") }));
      if (focused && this.element.querySelector(`a[href="${CSS.escape(focused)}"]`)) /** @type {HTMLElement} */ (this.element.querySelector(`a[href="${CSS.escape(focused)}"]`)).focus();
    } catch {
      // It is asked again.
    }
  }
}

/** Whether a game waits for whoever asked. @param {any} line */
const isMine = (line) => line.stage === "playing" && line.mine.some((/** @type {string} */ seat) => line.awaits.includes(seat));
