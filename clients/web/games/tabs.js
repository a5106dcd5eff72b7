// @ts-check
/** What is beside the board, one part at a time: story, pieces, figures, talk, the game itself. */

import { h, show } from "../ui/dom.js";
import { t } from "../words/words.js";

export class Tabs {
  /** @param {import("./gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    /** the part that is shown */
    this.tab = "story";
    this.element = h("div", { class: "tabs", role: "tablist" });
    this.panel = h("div", { class: "tab-panel", role: "tabpanel", tabindex: 0 });
  }

  draw() {
    const parts = ["story", "pieces", "figures", "talk", "about"].filter(
      (part) => !(this.view.alone || this.view.branch) || (part !== "talk" && (this.view.alone || part !== "figures")),
    );
    this.element.setAttribute("aria-label", t("beside"));
    const focused = this.element.contains(document.activeElement);
    show(
      this.element,
      parts.map((part) =>
        h("button", {
          role: "tab",
          type: "button",
          id: `tab-${part}`,
          "aria-selected": String(this.tab === part),
          tabindex: this.tab === part ? 0 : -1,
          "aria-controls": "tab-panel",
          text:
            part === "talk" && this.view.talk.fresh
              ? t("tab.talk_fresh", { n: this.view.talk.fresh })
              : t(`tab.${part}`),
          onclick: () => this.open(part),
          onkeydown: (/** @type {KeyboardEvent} */ event) => {
            const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
            if (!step) return;
            event.preventDefault();
            event.stopPropagation();
            this.open(parts[(parts.indexOf(part) + step + parts.length) % parts.length]);
            document.getElementById(`tab-${this.tab}`)?.focus();
          },
        }),
      ),
    );
    if (focused) document.getElementById(`tab-${this.tab}`)?.focus();
    this.panel.id = "tab-panel";
    this.panel.setAttribute("aria-labelledby", `tab-${this.tab}`);
    this.panel.dataset.tab = this.tab;
    show(
      this.panel,
      {
        story: this.view.story.element,
        pieces: this.view.pieces.element,
        figures: this.view.figures.element,
        talk: this.view.talk.element,
        about: this.view.about.element,
      }[this.tab],
    );
    if (this.tab === "pieces" && this.view.board)
      this.view.pieces.draw(this.view.board, this.view.watch.boardAt(this.view.shown ?? 0), this.view.spoken, true);
  }

  /** @param {string} part */
  open(part) {
    this.tab = part;
    this.draw();
    this.view.sheet.open();
    // Each part opens at its top, but the story where its reader was.
    if (part !== "story") this.panel.scrollTop = 0;
    if (part === "story") this.view.story.back();
    this.view.talk.show(part === "talk");
    this.view.figures.show(part === "figures");
    if (part === "about") this.view.evidence.opened();
  }
}
