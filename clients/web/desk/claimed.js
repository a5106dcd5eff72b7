// @ts-check
/** Where the claims of a game stand. What shows them is loaded when there is one, an end is held, or somebody looks who may make one. */

import { button, h, show } from "../ui/dom.js";
import { t } from "../words/words.js";

export class Claimed {
  /** @param {import("../games/gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    this.element = h("div", {});
    /** @type {import("./claims.js").Claims | null} */
    this.claims = null;
    /** whether they are being loaded, or could not be */
    this.asked = false;
  }

  /** Whether there is anything to show. */
  get #wanted() {
    const { view } = this;
    const docket = view.watch.checker.stand?.docket;
    if (view.alone || view.branch || view.cast || !docket) return false;
    return Boolean(
      view.play || view.watch.audience === "arbiter" || docket.cases.size || (docket.heldUntil && !view.watch.ended),
    );
  }

  /** Draw the claims again if anything is different. */
  news() {
    if (this.claims) this.claims.news();
    else if (!this.asked && this.#wanted) this.#load();
  }

  async #load() {
    const { view } = this;
    this.asked = true;
    try {
      const { Claims } = await view.prepare();
      if (view.disposed) return;
      this.claims = new Claims(view);
      show(this.element, this.claims.element);
      this.claims.news();
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      show(
        this.element,
        h("p", { class: "refusal", role: "alert", text: t("no_part", { what }) }),
        button({
          "data-act": "claims-again",
          onclick: () => {
            show(this.element);
            this.asked = false;
            this.news();
          },
          text: t("no_part.again"),
        }),
      );
    }
  }
}
