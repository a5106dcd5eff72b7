// @ts-check
/** What the server tells of picks before they are made: what each verb accepts, what a place costs, what to expect. Nothing is drawn of what has been overtaken (`turn`). */

import { offerOf } from "./offer.js";
import { trayOf } from "./tray.js";
import { warns } from "../words/words.js";

const AHEAD_MOST = 12;
const COSTS_MOST = 150;
const COSTS_AT_ONCE = 12;

/** Which pieces and places each verb would accept. @param {import("./play.js").Play} play @param {number} turn */
export async function lookAhead(play, turn) {
  play.ahead.clear();
  const verbs = (play.offer?.choices.options ?? [])
    .filter(({ id }) => typeof id === "string" && !play.onBoard(id))
    .slice(0, AHEAD_MOST);
  const seen = await Promise.all(verbs.map(({ id }) => play.request("choices", [id]).then(offerOf, () => null)));
  if (turn !== play.turn) return;
  seen.forEach((offer, i) => {
    if (offer) play.headings.set(JSON.stringify([verbs[i].id]), offer.choices.slot);
    for (const { id } of offer?.choices.options ?? []) {
      if (typeof id === "string" && play.onBoard(id)) play.ahead.set(id, [...(play.ahead.get(id) ?? []), verbs[i].id]);
    }
  });
  play.pane.lights.light();
}

/** Find out whether several may be chosen of what is on offer. @param {import("./play.js").Play} play @param {number} turn */
export async function gather(play, turn) {
  const { picks, offer, view } = play;
  if (!offer) return;
  try {
    const tray = await trayOf(
      picks,
      offer.choices,
      (id) => typeof id === "string" && Boolean(view.board?.map.place(id)),
      async (chain) => offerOf(await play.request("choices", chain)).choices,
    );
    if (!tray || turn !== play.turn) return;
    play.tray = tray;
    play.pane.draw();
  } catch {
    // They are listed one by one.
  }
}

/** Whether there is a warning of what a command would do: then it waits to be submitted. @param {import("./play.js").Play} play @param {import("../protocol.d.ts").Picks} picks @param {number} turn */
export async function warned(play, picks, turn) {
  const [says] = await play.request("preview", picks).catch(() => [[]]);
  return turn !== play.turn || says.some(warns);
}

/** @param {import("./play.js").Play} play @param {number} turn */
export async function preview(play, turn) {
  try {
    const [says] = await play.request("preview", play.picks);
    if (turn !== play.turn) return;
    play.previews = says;
    play.pane.expect();
  } catch {
    // If a preview is refused there is nothing to show.
  }
}

/**
 * What each place on offer costs: how many points would be left (`left` in the preview of the picks that go there), or what happens to
 * whoever enters it (the sentences whose `entered` it is). @param {import("./play.js").Play} play @param {number} turn */
export async function cost(play, turn) {
  const places = (play.offer?.choices.options ?? []).filter(
    ({ id }) => typeof id === "string" && play.view.board?.map.place(id),
  );
  if (!places.length || places.length > COSTS_MOST) return;
  // A few at a time, so that the player's next act does not wait for places that they did not choose.
  for (let from = 0; from < places.length; from += COSTS_AT_ONCE) {
    await Promise.all(
      places.slice(from, from + COSTS_AT_ONCE).map(async ({ id }) => {
        try {
          const [says] = await play.request("preview", [...play.picks, id]);
          const told = says
            .flatMap((/** @type {any} */ say) => say[1])
            .find((/** @type {[string, any]} */ [name]) => name === "left");
          const entered = says.filter((/** @type {any} */ say) =>
            say[1].some((/** @type {[string, any]} */ [name, value]) => name === "entered" && value === id),
          );
          const words = told
            ? String(told[1])
            : entered.map((/** @type {any} */ say) => play.view.spoken.say(say)).join(" ");
          if (words && turn === play.turn) play.costs.set(String(id), words);
        } catch {
          // No cost is known there.
        }
      }),
    );
    if (turn !== play.turn || !play.costs.size) return;
  }
  play.pane.lights.light();
  play.pane.tellCosts();
}
