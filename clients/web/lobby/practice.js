// @ts-check
/** Playing the house's bot: where the operator allows it, anybody opens a game with one press and is in it. */

import { button, h, show } from "../ui/dom.js";
import { Refused, ServerError } from "../link/link.js";
import { onLanguage, phrases, t } from "../words/words.js";

export class Practice {
  /** @param {import("../link/link.js").Link} link @param {(path: string) => void} go leads to an address of this page */
  constructor(link, go) {
    this.link = link;
    this.go = go;
    /** @type {{title: string, seats: string[]}[]} */
    this.titles = [];
    this.summary = h("summary", { class: "practice-open" });
    this.body = h("div", {});
    this.said = h("p", { class: "said", role: "alert" });
    this.element = h("details", { class: "practice", hidden: true }, this.summary, this.body, this.said);
    this.busy = false;
    this.disposed = false;
    this.stop = onLanguage(() => this.draw());
    this.#load();
  }

  async #load() {
    try {
      const [{ practice }, titles] = await Promise.all(
        ["server", "titles"].map((what) => fetch(`/api/${what}`).then((answer) => answer.json())),
      );
      if (this.disposed) return;
      this.titles = titles.filter((/** @type {{title: string}} */ { title }) => practice?.includes(title));
    } catch {
      // A server that cannot be asked has no bot to play.
    }
    this.draw();
  }

  draw() {
    this.element.hidden = !this.titles.length;
    this.summary.textContent = t("practice");
    show(
      this.body,
      h("p", { text: t("practice.how") }),
      h(
        "ul",
        { class: "practice-list" },
        this.titles.map(({ title, seats }) => {
          const spoken = phrases(title);
          return h(
            "li",
            {},
            h("b", { text: spoken.name(title) }),
            " ",
            seats.map((seat) =>
              button({
                "data-act": `practice:${title}:${seat}`,
                "aria-label": t("practice.as", { title: spoken.name(title), seat: spoken.name(seat) }),
                onclick: () => this.#begin(title, seat),
                text: spoken.name(seat),
              }),
            ),
          );
        }),
      ),
    );
  }

  /** @param {string} title @param {string} seat */
  async #begin(title, seat) {
    if (this.busy) return;
    this.busy = true;
    this.said.textContent = t("practice.wait");
    try {
      const [game, tokens] = await this.link.once("practice", title, seat);
      this.said.textContent = "";
      this.go(`/game/${game}#token=${encodeURIComponent(tokens[0][1])}`);
    } catch (error) {
      this.said.textContent =
        error instanceof Refused || error instanceof ServerError ? phrases().say(error.say) : String(error);
    } finally {
      this.busy = false;
    }
  }

  dispose() {
    this.disposed = true;
    this.stop();
  }
}
