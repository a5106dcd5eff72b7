// @ts-check
/** What a player wants to know of a piece or place: the title's questions about it, and the rules' answers. */

import { ServerError } from "../link/link.js";

export class Inquiry {
  /** @param {import("./play.js").Play} play */
  constructor(play) {
    this.play = play;
    /** what was asked about a piece or place, and the answers @type {{id: string, says: import("../protocol.d.ts").SayArray[]} | null} */
    this.answers = null;
    /** of the newest inquiry */
    this.number = 0;
  }

  /** Put every question of the title's about a piece or place; those that do not fit it are refused and left out. @param {string | null} id */
  async ask(id) {
    const { view, decision, pane } = this.play;
    const number = ++this.number;
    /** @type {string[]} */
    const words = view.board?.map.told?.questions ?? [];
    const asks = id !== null && words.length && view.at === null && decision >= 0;
    const found = asks ? await Promise.all(words.map((word) => this.#answer([word, id], number))) : [];
    if (number !== this.number) return;
    const says = found.flat();
    if (!says.length && !this.answers) return;
    this.answers = says.length ? { id: String(id), says } : null;
    pane.answer();
  }

  /** The answer to one question; none where it is refused. A server that is too busy is asked again. @param {import("../protocol.d.ts").Picks} question @param {number} number */
  async #answer(question, number) {
    while (number === this.number) {
      try {
        return (await this.play.request("preview", question))[0];
      } catch (error) {
        const wait = error instanceof ServerError ? error.again_ms : 0;
        if (!wait) return [];
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
    return [];
  }
}
