// @ts-check
/** A seat's standing answers: what the server says they are, held to what this browser has given. */

import { ServerError } from "../link/link.js";
import { withoutAnswer } from "../audit/standing.js";

/** @typedef {import("../protocol.d.ts").StandingArray} Order */

export class Orders {
  /** @param {import("./play.js").Play} play */
  constructor(play) {
    this.play = play;
    /** as the server tells them @type {Order[]} */
    this.told = [];
    /** those of them that this seat is known to have given @type {Order[]} */
    this.orders = [];
  }

  /** Give these standing answers; null asks which ones there are. @param {Order[] | null} orders */
  async change(orders) {
    try {
      if (orders && this.play.signs) {
        await this.play.hand.order(orders);
        orders = null;
      }
      const [, , standing] = await this.play.request("standing");
      this.told = /** @type {Order[]} */ (standing);
      this.given();
    } catch (error) {
      if (orders) return this.play.failed(error);
      const wait = error instanceof ServerError ? error.again_ms : 0;
      if (wait) setTimeout(() => (this.play.disposed ? undefined : this.change(null)), wait);
    }
  }

  /** What lapsed is missing in what the server told. What was never given is left out: the next change would be signed with it. */
  given() {
    const orders = this.play.signs ? this.told.filter((order) => this.play.hand.gave(order)) : this.told;
    if (JSON.stringify(orders) === JSON.stringify(this.orders)) return;
    this.orders = orders;
    this.play.pane.draw();
  }

  /** Stop giving this answer. @param {Order} order @param {import("../protocol.d.ts").Picks} picks */
  stop(order, picks) {
    return this.change(withoutAnswer(this.orders, order, picks));
  }
}
