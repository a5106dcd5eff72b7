// @ts-check
/** Of what the rules are asked where something on the board was tried that is not on offer. It knows no rules: what is on offer shows whether places or pieces are asked for. */

/** @typedef {{picks: import("./play.js").Picks, empty: {slot: string, place: string} | null}} Attempt `empty` of a place where nothing lies of what is asked for */

/**
 * What to ask about, until something is refused. Where pieces are asked for, a place stands for a piece in it, and a piece for its place where
 * places are. Before anything has been picked, what may be begun is asked about; a piece of the other side is only looked at then.
 * @param {import("./play.js").Play} play @param {string} id @returns {Attempt[]}
 */
export function attempts(play, id) {
  const { offer, view, picks, ahead, headings, seat } = play;
  const { board } = view;
  if (!offer || !board) return [];
  const isPlace = (/** @type {any} */ one) => typeof one === "string" && Boolean(board.map.place(one));
  const kinds = (/** @type {(string | number)[]} */ ids) => ({ places: ids.some(isPlace), things: ids.some((one) => play.onBoard(one) && !isPlace(one)) });
  const now = kinds(offer.choices.options.map((option) => option.id));
  const begun = picks.length > 0 || now.places || now.things;
  const ways = begun ? [{ before: picks, slot: offer.choices.slot, ...now }] : [...new Set([...ahead.values()].flat())].map((verb) => ({
    before: [verb], slot: headings.get(JSON.stringify([verb])) ?? "", ...kinds([...ahead].filter(([, verbs]) => verbs.includes(verb)).map(([one]) => one)),
  }));
  const pieces = view.watch.history.now.pieces;
  const owner = (/** @type {string} */ one) => pieces.get(one)?.owner;
  const place = isPlace(id) ? id : pieces.get(id)?.place;
  return ways.flatMap(({ before, slot, places, things }) => {
    if (things && !places && place === id) {
      const here = (board.stacks.get(id) ?? []).filter((one) => pieces.has(one));
      const one = here.findLast((piece) => owner(piece) === seat) ?? here[here.length - 1];
      return [{ picks: [...before, one ?? id], empty: one ? null : { slot, place: id } }];
    }
    if (places && !things && isPlace(place)) return [{ picks: [...before, /** @type {string} */ (place)], empty: null }];
    return picks.length || place === id || owner(id) === seat ? [{ picks: [...before, id], empty: null }] : [];
  });
}
