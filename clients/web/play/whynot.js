// @ts-check
/** Why something cannot be done: what the rules are asked where something was tried that is not on offer. What is on offer shows whether places or pieces are asked for. */

import { Refused, ServerError } from "../link/link.js";

/** @typedef {{picks: import("../protocol.d.ts").Picks, empty: {slot: string, place: string} | null}} Attempt `empty` of a place where nothing lies of what is asked for */

/**
 * What to ask about, until something is refused. Where pieces are asked for, a place stands for a piece in it, and a piece for its place where
 * places are. Before anything has been picked, what may be begun is asked about; a piece of the other side is only looked at then.
 * @param {import("./play.js").Play} play @param {string} id @returns {Attempt[]}
 */
function attempts(play, id) {
  const { offer, view, picks, ahead, headings, seat } = play;
  const { board } = view;
  if (!offer || !board) return [];
  const isPlace = (/** @type {any} */ one) => typeof one === "string" && Boolean(board.map.place(one));
  const kinds = (/** @type {(string | number)[]} */ ids) => ({
    places: ids.some(isPlace),
    things: ids.some((one) => play.onBoard(one) && !isPlace(one)),
  });
  const now = kinds(offer.choices.options.map((option) => option.id));
  const begun = picks.length > 0 || now.places || now.things;
  const ways = begun
    ? [{ before: picks, slot: offer.choices.slot, ...now }]
    : [...new Set([...ahead.values()].flat())].map((verb) => ({
        before: [verb],
        slot: headings.get(JSON.stringify([verb])) ?? "",
        ...kinds([...ahead].filter(([, verbs]) => verbs.includes(verb)).map(([one]) => one)),
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
    if (places && !things && isPlace(place))
      return [{ picks: [...before, /** @type {string} */ (place)], empty: null }];
    return picks.length || place === id || owner(id) === seat ? [{ picks: [...before, id], empty: null }] : [];
  });
}

/** Ask the rules why something is not on offer. @param {import("./play.js").Play} play @param {string} id */
export async function tellWhyNot(play, id) {
  for (const { picks, empty } of attempts(play, id)) if (await whyNot(play, picks, empty)) return;
}

/**
 * Ask the rules why these picks cannot be made, and say so where the player tried.
 * @param {import("./play.js").Play} play @param {import("../protocol.d.ts").Picks} picks @param {{slot: string, place: string} | null} [empty] of a place where nothing lies of what is asked for
 * @returns {Promise<boolean>} whether there was something to say
 */
export async function whyNot(play, picks, empty = null) {
  try {
    await play.request("choices", picks);
    return false;
  } catch (error) {
    const { spoken } = play.view;
    const said = sayOf(error);
    const told = /** @type {import("../protocol.d.ts").SayArray} */ (
      empty && error instanceof Refused
        ? [
            "web.play.none_there",
            [
              ["slot", spoken.text(`slot.${empty.slot}`)],
              ["place", empty.place],
            ],
            said[2],
          ]
        : said
    );
    // A look at the board before anything has been begun leaves the panel as it is.
    if (play.picks.length || play.dragging.held || !(error instanceof Refused)) {
      play.refusal = told;
      play.pane.draw();
    } else play.pane.status.textContent = spoken.say(told);
    play.view.boardPane.tellWhy(told);
    return true;
  }
}

/** What is told of an error. @param {any} error @returns {import("../protocol.d.ts").SayArray} */
export const sayOf = (error) =>
  error instanceof Refused || error instanceof ServerError ? error.say : ["web.link.lost", [], ""];
