// @ts-check
/** The scoreboard: who plays, what each side has and needs, the turn, and who decides since when. What it counts is the description's to say. */

import { button, h, show } from "../ui/dom.js";
import { t } from "../words/words.js";
import { Entrants } from "./entrants.js";
import { Control, lead, plain, tallied } from "./score.js";

const MINUTE_MS = 60_000;
const AGAIN_MS = 15_000;

export class Scoreboard {
  /** @param {import("../games/gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    this.element = h("section", { class: "scoreboard", hidden: true });
    /** how many seconds behind spectators are kept */
    this.delay = 0;
    this.turnsBehind = 0;
    /** @type {Control | null} */
    this.control = null;
    this.key = "";
    this.entrants = new Entrants(view.game, () => view.redrawScore());
    this.timer = window.setInterval(() => this.view.redrawScore(), AGAIN_MS);
  }

  /** @param {import("../protocol.d.ts").Description} told the description @param {import("../records/effects.js").Board} board @param {boolean} live whether the newest record is shown */
  draw(told, board, live) {
    const { spoken, watch } = this.view;
    this.control ??= new Control(told);
    const { scoring } = told;
    const reached = tallied(told, this.control, board.tracks, (id, marker) => board.marks.get(id)?.get(marker) ?? 0);
    const marked = (/** @type {string} */ id, /** @type {string} */ marker) => board.marks.get(id)?.get(marker);
    const held = (scoring?.tallies ?? []).flatMap(({ side, places }) =>
      places.map(([n]) => {
        const holds = /** @type {Control} */ (this.control).holds(marked, n, side);
        return /** @type {[string, string, boolean]} */ ([side, told.places[n].id, holds]);
      }),
    );
    const of = new Map(reached.map((one) => [one.side, one]));
    const turn = told.tracks.find((one) => one.id === "turn");
    const now = board.tracks.get("turn");
    const awaits = live && (watch.ended || this.view.frozen) ? [] : board.awaits;
    const since = live ? this.#since() : "";
    const seats = [...watch.seats.keys()];
    const mayOpen = !this.view.cast && live && Boolean(watch.ended) && watch.canOpen && !watch.open;
    if (!this.view.alone && !this.view.branch) this.entrants.find(watch.tournament);
    const { names } = this.entrants;
    const named = (/** @type {string} */ seat) => names.get(seat) || (watch.seats.get(seat)?.player ?? "");
    const key = JSON.stringify([
      spoken.language,
      mayOpen,
      held,
      reached,
      now,
      awaits,
      since,
      this.delay,
      this.turnsBehind,
      live && watch.ended?.winner,
      seats.map(named),
    ]);
    if (key === this.key) return;
    this.key = key;
    this.element.hidden = !seats.length;
    this.view.view.classList.toggle("scored", seats.length > 0);
    this.element.setAttribute("aria-label", t("score"));
    const open = this.element.querySelector("details")?.hasAttribute("open");
    const each = scoring?.told === "each";
    const side = (/** @type {string} */ seat) => {
      const one = of.get(seat);
      const decides = awaits.includes(seat);
      const player = named(seat);
      return h(
        "div",
        {
          class: `score-side side-${seat}${decides ? " decides" : ""}${watch.ended?.winner === seat && live ? " won" : ""}`,
        },
        h("span", { class: "score-name", text: spoken.name(seat) }),
        player ? h("span", { class: "score-player", text: player }) : null,
        each && one
          ? h("b", {
              class: "score-points",
              title: scoring.unit ? spoken.text(scoring.unit, { n: one.points }) : null,
              text: plain(one.points),
            })
          : null,
        each && one && one.wins !== null
          ? h("span", {
              class: "score-wins",
              text: t("score.of", { n: scoring.unit ? spoken.text(scoring.unit, { n: one.wins }) : one.wins }),
            })
          : null,
        decides
          ? h("span", {
              class: "score-decides",
              text: since ? t("score.decides_since", { time: since }) : t("score.decides"),
            })
          : null,
      );
    };
    const ahead = lead(reached);
    const leader = reached[ahead < 0 ? 1 : 0];
    const middle =
      scoring?.told === "lead" && reached.length
        ? h("b", {
            class: `score-lead${ahead ? ` side-${leader.side}` : ""}`,
            text: ahead ? `${spoken.name(leader.side)} +${Math.abs(ahead)}` : t("score.even"),
          })
        : null;
    const turnLine =
      Number.isInteger(now) && turn
        ? h(
            "div",
            { class: "score-turn" },
            h("span", {
              text: turn.last !== null ? t("score.turn_of", { n: now, last: turn.last }) : t("score.turn", { n: now }),
            }),
            this.#pips(turn, now),
          )
        : null;
    this.view.view.classList.toggle("turned", turnLine !== null);
    // A side that has not what it must have loses, if the condition says to whom.
    const lacking = reached.find(({ points, wins }) => wins !== null && points < wins);
    const other =
      lacking && reached.length === 1
        ? scoring?.conditions.flatMap(({ args }) => args).find(([name]) => name === "other")?.[1]
        : undefined;
    const standing = other && !(live && watch.ended) ? t("score.stands", { side: spoken.name(other) }) : "";
    const stands = standing ? h("span", { class: "score-stands", text: standing }) : null;
    const needs = scoring?.conditions.length
      ? h(
          "details",
          {
            class: "score-needs popup",
            open,
            ontoggle: (/** @type {Event} */ event) =>
              this.#mark(/** @type {HTMLDetailsElement} */ (event.currentTarget).open ? held : []),
          },
          h("summary", { text: t("score.needs") }),
          h(
            "ul",
            {},
            standing ? h("li", { class: "score-stands-too", text: standing }) : null,
            scoring.conditions.map((one) => h("li", { text: spoken.say([one.key, one.args, ""]) })),
            this.#places(held),
          ),
        )
      : null;
    if (open) this.#mark(held);
    const opens = mayOpen
      ? button({
          class: "score-open",
          "data-act": "open-all-here",
          onclick: () => this.view.openAll(true),
          text: t("open_all"),
        })
      : null;
    show(
      this.element,
      side(seats[0] ?? ""),
      h(
        "div",
        { class: "score-middle" },
        middle,
        turnLine,
        this.delay ? h("span", { class: "score-delay", text: t("score.delay", { n: this.delay }) }) : null,
        this.turnsBehind
          ? h("span", { class: "score-delay", text: t("delayed_turns", { n: this.turnsBehind }) })
          : null,
        stands,
        needs,
        opens,
      ),
      seats.slice(1).map(side),
    );
  }

  /** The places that count, for each side those that it holds and those that it lacks. @param {[string, string, boolean][]} held */
  #places(held) {
    const { spoken } = this.view;
    return [...new Set(held.map(([side]) => side))].flatMap((side) =>
      [true, false].map((has) => {
        const names = held.filter((one) => one[0] === side && one[2] === has).map(([, place]) => spoken.name(place));
        return names.length
          ? h("li", {
              class: has ? "score-held" : "score-lacking",
              text: t(has ? "score.holds" : "score.lacks", { side: spoken.name(side), places: names }),
            })
          : null;
      }),
    );
  }

  /** Mark them on the map as long as they are told. @param {[string, string, boolean][]} held */
  #mark(held) {
    const { board } = this.view;
    const area = (/** @type {boolean} */ has) =>
      board?.map.area(held.filter((one) => one[2] === has).map(([, place]) => place)) ?? "";
    board?.layers.held.setAttribute("d", held.length ? area(true) : "");
    board?.layers.lacking.setAttribute("d", held.length ? area(false) : "");
  }

  /** The turn track. @param {any} turn @param {number} now */
  #pips({ first, last }, now) {
    if (first === null || last === null || last - first > 44) return null;
    return h(
      "span",
      { class: "score-pips", "aria-hidden": "true" },
      Array.from({ length: last - first + 1 }, (_, i) =>
        h("i", { class: first + i < now ? "over" : first + i === now ? "now" : null }),
      ),
    );
  }

  /** How long whoever decides has had, in words; nothing for less than a minute. */
  #since() {
    const { watch, clocks } = this.view;
    const asked = watch.records[watch.last]?.at;
    if (asked === undefined || clocks.ahead === null) return "";
    const minutes = Math.floor((clocks.now - asked) / MINUTE_MS);
    if (minutes < 1) return "";
    return minutes < 60
      ? t("score.minutes", { n: minutes })
      : minutes < 2880
        ? t("score.hours", { n: Math.floor(minutes / 60) })
        : t("score.days", { n: Math.floor(minutes / 1440) });
  }

  dispose() {
    clearInterval(this.timer);
  }
}
