// @ts-check
/** Several games side by side, with the one in front in which there is a fight, or whose clock runs out first. */

import { h, show } from "../ui/dom.js";
import { t } from "../words/words.js";
import { GameView } from "../games/gameview.js";

/** How long a game stays in front at least, in ms. */
const FORWARD_MS = 6000;
/** After how long without a fight the game whose flag falls first comes to the front, in ms. */
const CALM_MS = 15_000;
/** How often a tournament is asked for the boards that are played, in ms. */
const BOARDS_MS = 10_000;
const WALL_MOST = 16;

export class Wall {
  /** @param {HTMLElement} main @param {import("../link/link.js").Link} link @param {string[]} games */
  constructor(main, link, games) {
    this.forwardAt = -FORWARD_MS;
    this.over = false;
    this.calm = window.setInterval(() => this.#hurry(), CALM_MS);
    /** @type {GameView[]} */
    this.views = [];
    if (!games.length) {
      show(main, h("p", { class: "loading", text: t("wall.none") }));
      return;
    }
    const cells = games.map((game) => h("section", { class: "wall-cell", "data-game": game }));
    this.element = h(
      "div",
      { class: "wall", "data-columns": Math.min(4, Math.max(2, Math.ceil(Math.sqrt(games.length)))) },
      cells,
    );
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
    for (const one of this.element?.children ?? [])
      one.classList.toggle("in-front", one === cell && this.views.length > 1);
  }

  /** Where nobody fights, the game whose flag falls first comes to the front. */
  async #hurry() {
    if (performance.now() - this.forwardAt < CALM_MS) return;
    const rows = await Promise.all(
      this.views.map((view) =>
        fetch(`/api/games/${view.game}`).then(
          (answer) => (answer.ok ? answer.json() : null),
          () => null,
        ),
      ),
    );
    const left = rows.map((row) => (row?.stage === "playing" && row.deadline_ms ? row.deadline_ms : Infinity));
    const first = Math.min(...left);
    const cell = this.element?.children[left.indexOf(first)];
    if (!this.over && first < Infinity && cell) this.#forward(/** @type {HTMLElement} */ (cell));
  }

  dispose() {
    this.over = true;
    clearInterval(this.calm);
    for (const view of this.views) view.dispose();
  }
}

/** The wall of a tournament: the boards of its newest round that are being played, for as long as it goes on. */
export class TournamentWall {
  /** @param {HTMLElement} main @param {import("../link/link.js").Link} link @param {string} id */
  constructor(main, link, id) {
    this.main = main;
    this.link = link;
    this.id = id;
    this.over = false;
    /** @type {Wall | null} */
    this.wall = null;
    this.timer = window.setInterval(() => this.#follow(), BOARDS_MS);
    this.#follow();
  }

  async #follow() {
    const answer = await fetch(`/api/tournaments/${encodeURIComponent(this.id)}`).catch(() => null);
    const told = answer?.ok ? await answer.json() : null;
    if (this.over) return;
    /** @type {any[]} */
    const boards = told?.rounds.at(-1)?.boards ?? [];
    const live = boards
      .filter((board) => board.game && !board.results)
      .map((board) => board.game)
      .slice(0, WALL_MOST);
    // A game that has ended stays until there is another to show.
    const shown = new Set(this.wall?.views.map((view) => view.game));
    if (this.wall ? live.every((game) => shown.has(game)) : !live.length) {
      if (!this.wall)
        show(this.main, h("p", { class: "loading", role: "status", text: t(answer?.ok ? "wall.waits" : "wall.none") }));
      return;
    }
    this.wall?.dispose();
    this.wall = new Wall(this.main, this.link, live);
    document.title = `${told.name} · ${t("wall")}`;
  }

  dispose() {
    this.over = true;
    clearInterval(this.timer);
    this.wall?.dispose();
  }
}
