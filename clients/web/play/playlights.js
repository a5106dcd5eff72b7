// @ts-check
/** What the map shows of a player's choices: what may be picked, where it would go, by which ways supply comes, what a button means. */

export class PlayLights {
  /** @param {import("./play.js").Play} play */
  constructor(play) {
    this.play = play;
  }

  /** Light up on the board what may be picked. */
  light() {
    const { view, offer, picks, ahead, costs, sending } = this.play;
    const { board } = view;
    if (!board) return;
    view.showing.yielding.ask();
    if (!offer || view.at !== null || sending) {
      board.highlight(null);
      if (!sending) board.plan([]);
      return;
    }
    /** @type {Set<string | number>} */
    const lit = new Set(offer.choices.options.map(({ id }) => id).filter((id) => this.play.onBoard(id)));
    if (!picks.length) for (const id of ahead.keys()) lit.add(id);
    const last = picks[picks.length - 1];
    if (this.play.dragging.held && board.map.place(/** @type {string} */ (last))) lit.add(last); // the only way there is, taken already
    board.highlight(
      { picks: lit, label: (pick) => costs.get(pick) ?? "" },
      new Set(picks.filter((pick) => typeof pick === "string").map(String)),
    );
    const { ways, target } = this.#ways();
    board.plan(ways, target);
  }

  /**
   * Where what is picked would go: for each piece its place and the places picked after it; of an attack, where a place or a piece of the other
   * side is picked too, from each attacker to what it attacks.
   */
  #ways() {
    const { picks, headings, view, seat } = this.play;
    const now = view.watch.history.now.pieces;
    /** @type {string[][]} */
    const ways = [];
    /** @type {string[]} */
    let from = [];
    /** @type {string[]} */
    let to = [];
    /** @type {string[]} */
    const attackers = [];
    let target = "";
    const flush = () => {
      if (to.length) for (const place of from) ways.push([place, ...to]);
      if (to.length) [from, to] = [[], []];
    };
    for (const [n, pick] of picks.entries()) {
      // What is chosen as `…_from` is where something comes from: nobody goes there.
      if (typeof pick !== "string" || headings.get(JSON.stringify(picks.slice(0, n)))?.endsWith("_from")) continue;
      const piece = now.get(pick);
      if (view.board?.map.place(pick)) {
        if (from.length) to.push(pick);
        else target = pick;
      } else if (piece && typeof piece.place === "string" && view.board?.map.place(piece.place)) {
        flush();
        if (piece.owner && piece.owner !== seat) target = pick;
        else {
          attackers.push(pick);
          if (!from.includes(piece.place)) from.push(piece.place);
        }
      }
    }
    flush();
    if (!target) return { ways, target };
    // In a hex stacks attack; where all lie in one sea, counters do.
    const starts = view.board?.map.place(target)
      ? attackers.map((id) => /** @type {any} */ (now.get(id)).place)
      : attackers;
    return {
      ways: [...ways, ...[...new Set(starts)].filter((one) => one !== target).map((one) => [one, target])],
      target,
    };
  }

  /** Light up on the board by which ways supply comes: of what was asked, else of what is being picked. */
  supply() {
    const {
      inquiry: { answers },
      previews,
      view,
    } = this.play;
    const pieces = view.watch.history.now.pieces;
    const placeOf = (/** @type {any} */ id) => (view.board?.map.place(id) ? id : pieces.get(id)?.place);
    view.board?.supply(
      answers ? answers.says.flatMap((say) => waysOf(say, placeOf)) : previews.flatMap((say) => waysOf(say, placeOf)),
      answers?.says.flatMap(([, args]) => args.filter(([name]) => name === "hexes").flatMap(([, hexes]) => hexes)),
    );
  }

  /** what a button shows on the board @type {string | null} */
  pointed = null;

  /** Nothing is shown on the board for a button any more; where the keyboard's cursor is, it is seen again. */
  unpoint() {
    const { board } = this.play.view;
    this.pointed = null;
    board?.layers.cursor.setAttribute("d", board.cursor ? board.map.shape(board.cursor) : "");
  }

  /** Show on the board what a button means. @param {string | number} id */
  point(id) {
    const { board } = this.play.view;
    if (!board || typeof id !== "string") return;
    const place = board.map.place(id) ? id : board.pieces.get(id)?.place;
    if (!place) return;
    this.pointed = id;
    board.layers.cursor.setAttribute("d", board.map.shape(place));
    const at = /** @type {any} */ (board.map.place(place));
    if (at) board.stage.reveal(at.x, at.y);
  }
}

/**
 * The ways of supply in a sentence, each the places one after the other: `drawn` from a dump (`what`, `hex`), `path` of a throw to whom it is
 * for, or of a draw. A way may end next to where it leads, so the place itself is added.
 * @param {import("../protocol.d.ts").SayArray} say @param {(id: any) => any} placeOf
 */
function waysOf([, given], placeOf) {
  const args = Object.fromEntries(given);
  const thrown = args.hq !== undefined;
  return [
    [args.drawn, args.what],
    [args.path, args.hex ?? (thrown ? (args.payer ?? args.unit) : args.what)],
  ]
    .filter(([way]) => Array.isArray(way) && way.length)
    .map(([way, goal]) => {
      const end = placeOf(goal);
      return end && end !== way[way.length - 1] ? [...way, end] : way;
    });
}
