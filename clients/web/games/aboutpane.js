// @ts-check
/** The game itself: seats and players, how far it is checked, its files, its options. */

import { h, show } from "../ui/dom.js";
import { luckOf } from "../lobby/lucks.js";
import { choiceOf, t } from "../words/words.js";

export class AboutPane {
  /** @param {import("./gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    this.element = h("div", { class: "about" });
    this.rest = h("div", {});
    this.drawn = false;
    /** the address of the file of a game without a server */
    this.log = "";
  }

  draw() {
    this.drawn = true;
    this.view.claims.news();
    const { watch, spoken } = this.view;
    const genesis = watch.records[0]?.body;
    const options = genesis ? Object.entries(genesis[5]) : [];
    // The form stays where it is: somebody may be typing in it.
    if (this.rest.parentElement !== this.element)
      show(
        this.element,
        this.view.alone || this.view.branch ? null : [this.view.seating.element, this.view.claims.element],
        this.rest,
      );
    show(
      this.rest,
      h("h2", { text: t("players") }),
      h(
        "ul",
        { class: "players" },
        [...watch.seats.values()].map((seat) =>
          h(
            "li",
            { class: `side-${seat.seat}` },
            h("b", { text: spoken.name(seat.seat) }),
            " ",
            seat.player && !this.view.alone && !this.view.branch
              ? h("a", { href: luckOf(seat.player), title: t("luck.of", { player: seat.player }), text: seat.player })
              : seat.player || "–",
            seat.account ? h("span", { class: "muted", text: ` ${t("player.account", { id: seat.account })}` }) : null,
          ),
        ),
      ),
      h("h2", { text: t("evidence") }),
      this.view.evidence.element,
      h("p", { text: t("chain.explained", { head: watch.head }) }),
      watch.canOpen
        ? h(
            "label",
            { class: "once" },
            h("input", {
              type: "checkbox",
              "data-act": "open-all",
              checked: watch.open,
              onchange: (/** @type {Event} */ event) =>
                this.view.openAll(/** @type {HTMLInputElement} */ (event.target).checked),
            }),
            t("open_all"),
          )
        : null,
      this.#files(),
      options.length
        ? [
            h("h2", { text: t("options") }),
            h(
              "dl",
              { class: "options" },
              options.map(([name, value]) => [
                h("dt", {
                  text: spoken.has(`option.${watch.title}.${name}`)
                    ? spoken.text(`option.${watch.title}.${name}`)
                    : name,
                }),
                h("dd", { text: choiceOf(spoken, value) }),
              ]),
            ),
          ]
        : null,
    );
  }

  /** The game's files to take away. */
  #files() {
    const base = `/api/games/${encodeURIComponent(this.view.game)}`;
    if (this.view.branch) return null;
    if (this.view.alone) {
      this.log ||= URL.createObjectURL(
        new Blob([/** @type {any} */ (this.view.alone)], { type: "application/octet-stream" }),
      );
      return h("p", {}, h("a", { href: this.log, download: `${this.view.game}.wlog`, text: t("download") }));
    }
    return [
      this.view.watch.whole
        ? h(
            "p",
            {},
            h("a", {
              href: `/archive/${this.view.game}.wlog`,
              download: `${this.view.game}.wlog`,
              text: t("download"),
            }),
          )
        : h("p", { text: t("download.later") }),
      h(
        "p",
        {},
        h("a", {
          class: "as-page",
          "data-act": "as-page",
          href: `${base}.html`,
          download: `${this.view.game}.html`,
          text: t("download.page"),
        }),
        " ",
        t("download.page.about"),
      ),
      this.view.hand?.receipts,
    ];
  }
}
