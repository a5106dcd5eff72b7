// @ts-check
/** What stands above the board: the phase and who decides, the tracks. */

import { h, show } from "../ui/dom.js";
import { t } from "../words/words.js";

export class GameHead {
  /** @param {import("./gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    /** what was drawn last */
    this.headKey = "";
    this.tracks = h("div", { class: "tracks" });
    this.moreTracks = h("details", { class: "more-tracks popup" }, h("summary", {}), this.tracks);
    this.turnLine = h("p", { class: "turn-line", role: "status", "aria-live": "polite" });
  }

  /**
   * The phase, and who decides. A record may end one combat and open the next: the one whose card is shown is named.
   * @param {import("../records/effects.js").Board} board @param {number} seq
   */
  headline(board, seq) {
    const { spoken, watch } = this.view;
    const live = this.view.at === null;
    const frozen = live && this.view.frozen;
    const awaits = frozen ? [] : board.awaits;
    let who = "";
    if (live && watch.ended && seq === watch.last)
      who = watch.ended.winner
        ? spoken.text("ui.won", { seat: watch.ended.winner, reason: watch.ended.reason })
        : spoken.text("ui.no_winner", { reason: watch.ended.reason });
    else if (frozen) who = t("claims.frozen");
    else if (awaits.length) who = t("to_decide", { seats: awaits.map((seat) => spoken.name(seat)) });
    else if (!watch.ended && [...watch.seats.values()].some((seat) => !seat.shown)) who = t("stage.gathering");
    const phase = board.phase.key === "phase.none" ? "" : spoken.say(board.phase);
    const { fought } = this.view.showing.card;
    const open = board.spans.filter((span) => span.span !== "game" && !(fought && span.span === "combat"));
    const spans = [...open, ...(fought ? [fought] : [])].map((span) => spoken.say([span.key, span.args, ""]));
    // The phase before what goes on in it, which may be long.
    const parts = [...spans.slice(0, 1), phase, ...spans.slice(1)].filter(Boolean);
    const text = parts.join(" · ");
    const turn =
      parts.length > 1 && board.spans.find((span) => span.span !== "game")?.span === "turn" ? `${parts[0]} · ` : "";
    const key = `${text}|${who}|${seq < watch.last}`;
    if (key !== this.headKey) {
      this.headKey = key;
      show(
        this.turnLine,
        h("span", { class: "phase", title: text }, h("span", { class: "turn", text: turn }), text.slice(turn.length)),
        h("span", { class: `who${awaits.length && !(live && watch.ended) ? " awaits" : ""}`, text: who }),
      );
    }
    return text;
  }

  /** @param {import("../records/effects.js").Board} board @param {number} seq */
  draw(board, seq) {
    const { spoken } = this.view;
    const text = this.headline(board, seq);
    if (this.view.board) this.view.scoreboard.draw(this.view.board.map.told, board, this.view.at === null);
    // In the description's order, each with its name: what changed last is no reason to stand first.
    const states = (this.view.board?.map.told?.tracks ?? [])
      .map((/** @type {any} */ { id }) => [id, board.tracks.get(id)])
      .filter(
        (/** @type {any[]} */ [, value]) =>
          typeof value === "string" && value && spoken.named(value) && !text.includes(spoken.name(value)),
      );
    const summary = /** @type {HTMLElement} */ (this.moreTracks.firstElementChild);
    summary.textContent =
      states
        .map((/** @type {string[]} */ [id, value]) =>
          t("score.state", { name: spoken.name(id), value: spoken.name(value) }),
        )
        .join(" · ") || t("score.tracks");
    summary.title = t("score.tracks");
    show(
      this.tracks,
      [...board.tracks]
        .filter(([, value]) => !(value instanceof Object) && value !== "" && value !== null)
        .map(([name, value]) =>
          h(
            "span",
            { class: "track" },
            h("span", { class: "track-name", text: spoken.name(name) }),
            h("b", { text: typeof value === "string" ? spoken.name(value) : value < 0 ? `−${-value}` : String(value) }),
          ),
        ),
      [...board.counts]
        .filter(([place]) => !this.view.board?.map.place(place))
        .map(([name, value]) =>
          h(
            "span",
            { class: "track" },
            h("span", { class: "track-name", text: spoken.name(name) }),
            h("b", { text: typeof value === "number" ? String(value) : "?" }),
          ),
        ),
    );
  }
}
