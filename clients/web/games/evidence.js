// @ts-check
/** What is proved of a game: how far it is checked, who sits there, who signs what, and who has signed the whole of it. */

import { OtherFormat } from "../records/chain.js";
import { h, show } from "../ui/dom.js";
import { paced } from "../ui/paced.js";
import { t } from "../words/words.js";

/** How often what is proved is told anew while records come, in ms: each of them is checked, but nobody reads so many hashes. */
const TOLD_MS = 250;

export class Evidence {
  /** @param {import("./gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    /** the chain of records, beside the game's name */
    this.chain = h("span", { class: "chain", role: "status" });
    /** how far the evidence is checked, beside that */
    this.line = h("span", { class: "checked" });
    /** in the tab about the game */
    this.element = h("div", { class: "evidence" });
    /** @type {import("../link/watch.js").Watch | null} */
    this.asked = null;
    this.drawn = "";
    this.telling = paced(() => this.#tell(), TOLD_MS);
  }

  dispose() {
    this.telling.stop();
  }

  /** Records have come, or have been checked. While the game runs ahead of its show only what is wrong is told at once. @param {boolean} [now] whether it is all told at once */
  follow(now = false) {
    const { showing, watch } = this.view;
    if (now || watch.fault || watch.checker.fault || !showing.rushed) this.telling.now();
    else this.telling.ask();
  }

  /** How far the chain is proved, and whether anything is wrong. */
  #tell() {
    const { watch, banner, spoken } = this.view;
    if (watch.fault instanceof OtherFormat) {
      this.chain.textContent = "";
      banner.hidden = false;
      banner.className = "banner";
      banner.textContent = t("other_format", { format: watch.fault.format });
      return;
    }
    if (watch.fault) {
      this.chain.className = "chain broken";
      this.chain.textContent = t(watch.gone ? "chain.unverified" : "chain.broken");
      banner.hidden = false;
      banner.className = "banner tampered";
      banner.textContent = t(watch.gone ? "chain.withdrawn" : "chain.tampered", { what: watch.fault.message });
      return;
    }
    const { fault } = watch.checker;
    if (fault) {
      banner.hidden = false;
      banner.className = "banner tampered";
      banner.textContent = t("check.wrong", { seq: fault.seq, where: fault.where, what: spoken.say(fault.what) });
    }
    this.draw();
    if (watch.last < 0) {
      this.chain.className = fault ? "chain broken" : "chain proving";
      this.chain.textContent = t(fault ? "chain.unverified" : "loading");
      return;
    }
    const { proving } = watch;
    this.chain.className = proving ? "chain proving" : "chain sound";
    this.chain.textContent = proving
      ? t("chain.proving", { n: watch.records.length })
      : t("chain.sound", { n: watch.records.length, head: watch.head.slice(0, 8) });
    this.chain.title = proving ? "" : t("chain.explained", { head: watch.head });
  }

  /** Everything that has arrived has been checked. */
  async news() {
    const { watch, link, game, alone } = this.view;
    if (!watch.whole || watch.checker.branch || alone || this.asked === watch) return this.follow();
    this.asked = watch;
    try {
      const [[, witnesses], [head]] = await Promise.all([link.request("witnesses", game), link.request("head", game)]);
      watch.checker.beside(witnesses, head);
    } catch {
      // Ask again who has signed when the game is next looked at.
    }
    this.draw();
  }

  /** Somebody is looking: a seat may have signed since the last time we asked. */
  opened() {
    const { stand } = this.view.watch.checker;
    if (stand && stand.witnessed.length < stand.seats.size) this.again();
  }

  /** Ask again, since a seat of this browser has signed. */
  again() {
    this.asked = null;
    return this.news();
  }

  draw() {
    const { watch, spoken } = this.view;
    const { checker } = watch;
    const { stand, fault } = checker;
    const names = (/** @type {string[]} */ seats) => seats.map((seat) => spoken.name(seat));
    const unsigned = stand?.unsigned ?? [];
    let line = "";
    if (checker.branch) line = t("whatif.line", { seq: this.view.branch?.at ?? 0 });
    else if (fault) line = t("check.broken", { seq: fault.seq });
    else if (stand && checker.able === false) line = t("check.unable");
    else if (stand)
      line =
        watch.whole && checker.finished && checker.checked === watch.last
          ? t("check.all")
          : t("check.up_to", { seq: checker.checked });
    const quiet = unsigned.length ? ` · ${t("check.unsigned", { seats: names(unsigned) })}` : "";
    this.line.className = fault ? "checked broken" : "checked";
    if (this.line.textContent !== line + quiet) this.line.textContent = line + quiet;
    this.line.title = stand ? t("check.explained") : "";

    const parts = [line + quiet];
    const [seconds, turns] = watch.terms?.delay ?? [0, 0];
    if (seconds || turns) parts.push(t("terms.delay", { seconds, turns }));
    if (watch.terms) parts.push(t(watch.terms.rated ? "terms.rated" : "terms.unrated"));
    if (stand) parts.push(t("check.dice", { n: stand.dice.checked, waiting: stand.dice.waiting }));
    const code = stand?.tableCode ?? "";
    const seats = stand
      ? [...stand.seats.values()].filter(({ taken }) => taken).map((sitting) => [sitting.seat, this.#ofSeat(sitting)])
      : [];
    const drawn = JSON.stringify([parts, code, seats, spoken.language]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    show(
      this.element,
      parts.map((text) => h("p", { text })),
      code
        ? h(
            "div",
            { class: "table-code" },
            h("p", {}, t("table.code"), " ", h("code", { text: code })),
            h("p", { text: t("table.compare") }),
          )
        : null,
      seats.length
        ? h(
            "ul",
            { class: "signers" },
            seats.map(([seat, text]) => h("li", {}, h("b", { text: spoken.name(seat) }), ` ${text}`)),
          )
        : null,
    );
  }

  /** @param {import("../audit/stand.js").Sat} sitting */
  #ofSeat(sitting) {
    const { watch, spoken } = this.view;
    const told = [];
    if (watch.checker.stand?.witnessed.includes(sitting.seat)) told.push(t("signed.whole", { seq: watch.last }));
    else if (!sitting.signs) told.push(t("signed.nothing"));
    else told.push(t("signed.up_to", { seq: sitting.signedUpTo }));
    for (const seq of sitting.handedOver) told.push(t("signed.handed_over", { seq }));
    const client = `web.client.${sitting.client}`;
    if (spoken.has(client)) told.push(spoken.text(client));
    return told.join(" · ");
  }
}
