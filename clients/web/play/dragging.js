// @ts-check
/** Counters that are dragged: taken up, they are picked; put down on a place, that is picked too. */

import { offerOf } from "./offer.js";
import { whyNot } from "./whynot.js";

export class Dragging {
  /** @param {import("./play.js").Play} play */
  constructor(play) {
    this.play = play;
    /** what was picked before a counter was taken up @type {{picks: import("../protocol.d.ts").Picks, steps: number[]} | null} */
    this.held = null;
  }

  /** Whether a piece may be picked up and dragged somewhere. @param {string} id */
  may(id) {
    if (!this.play.offer || this.play.sending || this.play.view.at !== null || this.play.decision < 0) return false;
    return this.play.ahead.has(id) || this.play.offers(id) || this.play.picks.includes(id);
  }

  /** A piece is taken up, with others of its stack: pick them, so that the places they may go to are lit. @param {string} id @param {string[]} mates */
  grab(id, mates) {
    this.play.order.then(async () => {
      this.held = { picks: this.play.picks, steps: this.play.steps };
      const start = this.play.picks.length;
      if (!this.play.picks.includes(id)) {
        if (this.play.offers(id)) await this.play.explore([...this.play.picks, id], [...this.play.steps, start]);
        else await this.#grabAnew(id);
      }
      for (const mate of mates)
        if (this.held && this.play.offers(mate)) await this.play.explore([...this.play.picks, mate], this.play.steps);
    });
  }

  /** Begin a command with a piece, by the verb that takes it to places. @param {string} id */
  async #grabAnew(id) {
    await this.play.aheadKnown;
    for (const verb of this.play.ahead.get(id) ?? []) {
      try {
        const { choices } = offerOf(await this.play.request("choices", [verb, id]));
        if (choices.options.some(({ id: to }) => typeof to === "string" && this.play.view.board?.map.place(to)))
          return void (await this.play.explore([verb, id], [0]));
      } catch {
        // This verb does not accept it after all.
      }
    }
  }

  /** It is put down: on a place that may be picked, or back where it was. @param {string | null} place */
  letGo(place) {
    this.play.order.then(async () => {
      const { held } = this;
      if (!held) return;
      this.held = null;
      const moved = this.play.picks.length !== held.picks.length;
      const last = this.play.picks[this.play.picks.length - 1];
      // Where there was one way only it is picked already.
      if (place && moved && last === place) await this.play.explore(this.play.picks, this.play.steps);
      else if (place && this.play.offers(place))
        await this.play.explore(
          [...this.play.picks, place],
          moved ? this.play.steps : [...this.play.steps, this.play.picks.length],
        );
      else if (moved) {
        const taken = this.play.picks;
        await this.play.explore(held.picks, held.steps);
        // It lies where it lay: say why, by the picks that it was taken up with.
        if (place && place !== this.play.view.watch.history.now.pieces.get(String(taken[taken.length - 1]))?.place)
          await whyNot(this.play, [...taken, place]);
      } else this.play.pane.lights.light();
    });
  }
}
