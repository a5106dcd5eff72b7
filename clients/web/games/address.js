// @ts-check
/**
 * The address of the game's page: it names the record that is looked at, once somebody rests there. A browser looks through the whole page again for
 * another address, and takes no more than some a second.
 */

/** Whoever goes to another record within this time does not rest yet, in ms. */
const RESTS_MS = 300;

export class Address {
  /** @param {import("./gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  /** Somebody has gone to a record. */
  news() {
    const { view } = this;
    this.dispose();
    if (view.cast || view.alone || view.branch) return;
    this.timer = window.setTimeout(
      () => history.replaceState(null, "", `/game/${view.game}${view.at === null ? "" : `?at=${view.at}`}`),
      RESTS_MS,
    );
  }

  /** A link to what is looked at. */
  get link() {
    return `${location.origin}/game/${this.view.game}?at=${this.view.at ?? this.view.watch.last}`;
  }

  dispose() {
    clearTimeout(this.timer);
  }
}
