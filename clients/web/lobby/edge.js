// @ts-check
/** What an edge of a fleet tells whoever comes: this server only shows games, and where they are played. */

import { h, show } from "../ui/dom.js";
import { onLanguage, t } from "../words/words.js";

export class EdgeNote {
  /** @param {() => void} found is called where this is an edge: what only a host can do is of no use there */
  constructor(found) {
    this.found = found;
    /** @type {string | null} where games are played; "" if the operator has not said, null where this is no edge */
    this.nodes = null;
    this.element = h("p", { class: "edge-note", hidden: true });
    this.disposed = false;
    this.stop = onLanguage(() => this.draw());
    this.#load();
  }

  async #load() {
    try {
      const { edge } = await fetch("/api/server").then((answer) => answer.json());
      if (this.disposed || typeof edge !== "string") return;
      this.nodes = edge;
      this.found();
      this.draw();
    } catch {
      // Whoever cannot be asked says so elsewhere.
    }
  }

  draw() {
    this.element.hidden = this.nodes === null;
    if (this.nodes === null) return;
    const leads = /^https?:\/\//.test(this.nodes);
    show(
      this.element,
      t(this.nodes ? "edge" : "edge.ask"),
      this.nodes ? " " : null,
      leads ? h("a", { href: this.nodes, text: this.nodes }) : this.nodes,
    );
  }

  dispose() {
    this.disposed = true;
    this.stop();
  }
}
