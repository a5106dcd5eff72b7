// @ts-check
/** What a broadcast shows: the parts that its address names, and several games side by side with the one in front in which there is a fight. */

import { h, show } from "../dom.js";
import { t } from "../words.js";
import { GameView } from "../gameview.js";

/** What may be left out or kept by `parts=` in the address. */
const PARTS = ["score", "turn", "name", "clocks", "board", "card", "story"];
export const WALL_MOST = 16;
/** How long a game stays in front at least, in ms. */
const FORWARD_MS = 6000;

/** Dress the page for a broadcast, or undress it. @param {URLSearchParams} asked of the address @param {boolean} cast */
export function dress(asked, cast) {
  const { classList } = document.body;
  classList.toggle("cast", cast);
  classList.toggle("see-through", cast && asked.get("transparent") === "1");
  for (const one of ["cast", "see-through"]) document.documentElement.classList.toggle(one, classList.contains(one));
  const wanted = asked.get("parts")?.split(",");
  for (const part of PARTS) classList.toggle(`without-${part}`, cast && Boolean(wanted) && !wanted?.includes(part));
}

/** The games that a wall's address names. @param {URLSearchParams} asked */
export const gamesOf = (asked) => [...new Set((asked.get("games") ?? "").split(",").map((id) => id.trim()).filter((id) => /^[a-z0-9_-]{1,64}$/.test(id)))].slice(0, WALL_MOST);

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
