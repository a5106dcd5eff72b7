// @ts-check
/** One's own games, wherever they are listed. */

import { accountOf } from "../account/device.js";
import { h, show } from "../ui/dom.js";
import { row } from "./gamerow.js";
import { Refreshed } from "../ui/refreshed.js";
import { t } from "../words/words.js";

const REFRESH_MS = 5000;

/** One's own games: those that wait for one first. */
export class MyGames extends Refreshed {
  /** @param {import("../link/link.js").Link} link */
  constructor(link) {
    super(link, "", REFRESH_MS);
  }

  async refresh() {
    if (!accountOf(this.link) || !this.link.open) {
      this.element.hidden = true;
      return;
    }
    try {
      const [rows] = await this.link.request("my_games");
      const waiting = rows.filter(isMine).length;
      this.redraw(rows, () => {
        this.element.hidden = false;
        this.element.setAttribute("aria-labelledby", "my-games");
        show(
          this.element,
          h("h2", { id: "my-games", text: t("mine") }),
          h("p", { class: "lead", role: "status", text: waiting ? t("mine.count", { n: waiting }) : t("mine.lead") }),
          rows.length
            ? h(
                "ul",
                { class: "games" },
                rows.map((/** @type {any} */ line) => {
                  const shown = row(line);
                  if (isMine(line)) shown.prepend(h("strong", { class: "decide", text: t("mine.decide") }));
                  return shown;
                }),
              )
            : h("p", { class: "empty", text: t("mine.empty") }),
        );
      });
    } catch {
      // It is asked again.
    }
  }
}

/** Whether a game waits for whoever asked. @param {any} line */
const isMine = (line) =>
  line.stage === "playing" && line.mine.some((/** @type {string} */ seat) => line.awaits.includes(seat));
