// @ts-check
/** Several games side by side, with the one in front in which there is a fight. */

import { h, show } from "../dom.js";
import { t } from "../words.js";
import { GameView } from "../gameview.js";

/** How long a game stays in front at least, in ms. */
const FORWARD_MS = 6000;

export class Wall {
  /** @param {HTMLElement} main @param {import("../link.js").Link} link @param {string[]} games */
  constructor(main, link, games) {
    this.forwardAt = -FORWARD_MS;
    /** @type {GameView[]} */
    this.views = [];
    if (!games.length) {
      show(main, h("p", { class: "loading", text: t("wall.none") }));
      return;
    }
    const cells = games.map((game) => h("section", { class: "wall-cell", "data-game": game }));
    this.element = h("div", { class: "wall", "data-columns": Math.min(4, Math.max(2, Math.ceil(Math.sqrt(games.length)))) }, cells);
    show(main, this.element);
    this.views = games.map((game, i) => {
      const view = new GameView(cells[i], link, game, true);
      view.showing.onFight = () => this.#forward(cells[i]);
      return view;
    });
    document.title = t("wall");
  }

  /** A fight is shown in this cell. @param {HTMLElement} cell */
  #forward(cell) {
    const now = performance.now();
    if (cell.classList.contains("in-front")) this.forwardAt = now;
    if (now - this.forwardAt < FORWARD_MS) return;
    this.forwardAt = now;
    for (const one of this.element?.children ?? []) one.classList.toggle("in-front", one === cell && this.views.length > 1);
  }

  dispose() {
    for (const view of this.views) view.dispose();
  }
}
