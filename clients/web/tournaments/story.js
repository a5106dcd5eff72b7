// @ts-check
/** What happened in a tournament, a sentence an event, as its records tell it: among it what the director announced, and why a pairing was changed by hand. */

import { unpack } from "../records/canon.js";
import { h, show } from "../ui/dom.js";
import { t } from "../words/words.js";

const KIND = 3;
const BODY = 4;
const EFFECTS = 6;
/** How many sentences are shown; the ledger has all. */
const MOST = 500;

/** @typedef {import("../words/phrases.js").Phrases} Phrases */

/** The sentences of one record. @param {Uint8Array} data @param {Phrases} spoken @returns {string[]} */
function toldBy(data, spoken) {
  const record = unpack(data);
  if (record[KIND] !== "act") return [];
  return unpack(record[BODY][EFFECTS])
    .filter((/** @type {any[]} */ [tag]) => tag === "say")
    .map((/** @type {any[]} */ said) => spoken.say(/** @type {any} */ (said.slice(1))));
}

export class TournamentStory {
  /** @param {() => Phrases} spoken @param {() => void} opened is called when somebody first wants to read it */
  constructor(spoken, opened) {
    this.spoken = spoken;
    /** @type {Uint8Array[]} */
    this.records = [];
    this.wanted = false;
    this.list = h("ol", { class: "cup-story", reversed: true });
    this.summary = h("summary", {});
    this.element = h(
      "section",
      {},
      h(
        "details",
        {
          ontoggle: () => {
            if (this.wanted) return;
            this.wanted = true;
            opened();
          },
        },
        this.summary,
        this.list,
      ),
    );
  }

  /** Records, of which the first has this number; those that are known already are passed over. @param {number} first @param {[Uint8Array, Uint8Array][]} items */
  take(first, items) {
    const from = this.records.length;
    items.forEach(([data], i) => {
      if (first + i === this.records.length) this.records.push(data);
    });
    if (this.records.length > from) this.draw();
  }

  draw() {
    this.summary.textContent = t("tournament.story");
    if (!this.wanted) return;
    const spoken = this.spoken();
    /** @type {HTMLElement[]} */
    const lines = [];
    for (let seq = this.records.length - 1; seq >= 0 && lines.length < MOST; seq -= 1) {
      const says = toldBy(this.records[seq], spoken);
      if (says.length) lines.push(h("li", { value: seq, text: says.join(" ") }));
    }
    show(this.list, lines);
  }
}
