// @ts-check
/** What whoever looks at a tournament may do in it: enter, play their board, direct it from the desk. */

import { button, h, show } from "../ui/dom.js";
import { field } from "../ui/field.js";
import { Refused } from "../link/link.js";
import { enter } from "./key.js";
import { byes, due, sidesOpen } from "./rounds.js";
import { composed, t } from "../words/words.js";

export class TournamentPlace {
  /** @param {import("./tournament.js").TournamentView} view */
  constructor(view) {
    this.view = view;
    this.element = h("section", { class: "cup-place", "aria-labelledby": "cup-place" });
    this.named = (/** @type {number} */ number) => view.name(number);
  }

  /** Who acts here, and what they may do. @param {import("../words/phrases.js").Phrases} spoken */
  draw(spoken) {
    const { element } = this;
    const { told, who } = this.view;
    if (!told) return;
    const number = who.startsWith("e:") ? Number(who.slice(2)) : 0;
    const title = h("h2", {
      id: "cup-place",
      text: t(number ? "tournament.place" : who ? "tournament.desk" : "tournament.enter"),
    });
    const { entry, late } = told.charter;
    const closed = !who && (entry.invited || (told.rounds.length > 0 && late.until_round <= told.rounds.length));
    element.hidden = told.state === "finished" || closed;
    if (element.hidden) return show(element, title);
    if (!who) return show(element, title, this.#entrance());
    const others =
      this.view.mine.length > 1
        ? h(
            "p",
            {},
            h("label", { for: "cup-who", text: t("tournament.as") }),
            " ",
            h(
              "select",
              {
                id: "cup-who",
                onchange: (/** @type {Event} */ event) => {
                  this.view.who = /** @type {HTMLSelectElement} */ (event.target).value;
                  this.view.offering.close();
                  this.view.follow();
                },
              },
              this.view.mine.map((one) =>
                h("option", { value: one, selected: one === who, text: this.view.called(one) }),
              ),
            ),
          )
        : null;
    show(
      element,
      title,
      others,
      number ? this.#entrant(number, spoken) : this.#desk(spoken),
      h(
        "p",
        {},
        button({
          id: "cup-all",
          "data-act": "all",
          onclick: () => this.view.offering.open([]),
          text: t("tournament.all"),
        }),
      ),
      this.view.offering.element,
    );
  }

  #entrance() {
    const [label, name] = field("enter-name", "tournament.name", {
      required: true,
      maxlength: 64,
      autocomplete: "nickname",
    });
    const [ratingLabel, rating] = field("enter-rating", "tournament.rating", {
      type: "number",
      min: 0,
      max: 4000,
      value: 0,
    });
    return [
      h("p", { text: t("tournament.enter.how") }),
      h(
        "form",
        {
          class: "host-form",
          onsubmit: async () => {
            try {
              const called = composed(name.value.trim());
              const key = await enter(
                this.view.link,
                this.view.id,
                called,
                Number(rating.value),
                (this.view.told?.entrant_list.length ?? 0) + 1,
              );
              await this.view.link.login(key.token, called);
              this.view.who = key.who;
              await this.view.follow();
              this.view.said.dataset.kind = "news";
              this.view.said.textContent = t("tournament.entered", { number: Number(key.who.slice(2)) });
            } catch (error) {
              if (error instanceof Refused && error.key === "refusal.tournament.next_number") await this.view.refresh();
              this.view.failed(error);
            }
          },
        },
        label,
        name,
        ratingLabel,
        rating,
        h("button", { type: "submit", class: "primary", "data-act": "enter", text: t("tournament.enter.do") }),
      ),
    ];
  }

  /** @param {string} act @param {string} text @param {() => void} onclick @param {boolean} [primary] */
  #button(act, text, onclick, primary = false) {
    return button({ id: `cup-${act}`, "data-act": act, class: primary ? "primary" : null, onclick, text });
  }

  /** @param {number} number @param {import("../words/phrases.js").Phrases} spoken */
  #entrant(number, spoken) {
    const { told } = this.view;
    const me = told?.entrant_list.find((/** @type {any} */ one) => one.number === number);
    const last = told?.rounds.at(-1);
    const board = last?.boards.find((/** @type {any} */ one) => one.entrants.includes(number));
    const opponent = board?.entrants
      .filter((/** @type {number} */ one) => one !== number)
      .map((/** @type {number} */ one) => this.view.name(one))
      .join(", ");
    const by = told?.charter.sides.by;
    const free = last?.byes.some((/** @type {[number, string]} */ [one]) => one === number);
    const waits = board && !board.seated && !board.results;
    const answered = board?.bidders.includes(number);
    const speaks = waits && board.auction?.speaks === number;
    return [
      h("p", {
        text:
          t("tournament.you", { name: me?.name, number }) +
          (me?.rating ? ` ${t("tournament.you.rating", { rating: me.rating })}` : ""),
      }),
      told?.lots?.missing.includes(number) && this.view.lots?.who !== this.view.who
        ? h("p", { "data-lots": "elsewhere", text: t("tournament.lots.elsewhere") })
        : null,
      free ? h("p", { text: t("tournament.you.free", { round: last.round }) }) : null,
      board
        ? h("p", {
            "data-board": board.board,
            text: t(
              board.results
                ? "tournament.board.over"
                : board.seated
                  ? "tournament.board.seated"
                  : "tournament.board.open",
              {
                round: last.round,
                board: board.board,
                opponent,
                side: board.seated ? spoken.name(last.seats[board.entrants.indexOf(number)]) : "",
              },
            ),
          })
        : null,
      waits && answered && !board.auction ? h("p", { text: t("tournament.you.has_bid") }) : null,
      board ? sidesOpen(last, board, spoken, this.named) : null,
      board?.game && !board.results ? h("p", { class: "cup-state", "data-game": board.game }) : null,
      board && !board.results ? due("tournament.due.no_show", last.no_show_ms, spoken, true) : null,
      h(
        "p",
        { class: "cup-buttons" },
        told?.check_in && me?.present && !me?.checked && !told?.drafted
          ? this.#button(
              "check-in",
              t("tournament.check_in", { round: told.next_round }),
              () => this.view.submit(["check_in", number]),
              !waits,
            )
          : null,
        waits && !answered && by === "bid"
          ? this.#button("bid", t("tournament.bid"), () => this.view.offering.open(["bid"]), true)
          : null,
        waits && !answered && !board.auction && by === "auction"
          ? this.#button("wish", t("tournament.wish"), () => this.view.offering.open(["wish"]), true)
          : null,
        speaks ? this.#button("offer", t("tournament.offer"), () => this.view.offering.open(["offer"]), true) : null,
        speaks && board.auction.holder
          ? this.#button("accept", t("tournament.accept"), () => this.view.submit(["accept"]))
          : null,
        waits && by?.startsWith("choice")
          ? this.#button("choose", t("tournament.choose"), () => this.view.offering.open(["choose"]), true)
          : null,
        board?.game && !board.results
          ? this.#button("play", t("tournament.play"), () => this.view.play(last.round, board.board), true)
          : null,
        board?.game ? h("a", { href: `/game/${board.game}`, text: t("tournament.look") }) : null,
      ),
    ];
  }

  /** @param {import("../words/phrases.js").Phrases} spoken */
  #desk(spoken) {
    const { told } = this.view;
    const drafted = told?.drafted;
    const last = told?.rounds.at(-1);
    const playing = last?.boards.some((/** @type {any} */ one) => !one.results);
    const lots = told?.lots;
    return [
      (told?.alike ?? []).map((/** @type {number[]} */ group) =>
        h("p", {
          class: "cup-state",
          text: spoken.text("tournament.due.alike", { names: group.map((one) => this.view.name(one)) }),
        }),
      ),
      lots
        ? due("tournament.due.nonces", lots.until_ms, spoken, false, {
            names: lots.missing.map((/** @type {number} */ one) => this.view.name(one)),
          })
        : null,
      drafted
        ? [
            h("h3", { text: t("tournament.drafted", { round: drafted.round }) }),
            h(
              "ol",
              { class: "cup-drafted" },
              drafted.boards.map((/** @type {any} */ one) =>
                h("li", {
                  text: one.entrants.map((/** @type {number} */ entrant) => this.view.name(entrant)).join(" – "),
                }),
              ),
            ),
            byes(drafted, spoken, this.named),
          ]
        : null,
      h(
        "p",
        { class: "cup-buttons" },
        drafted ? this.#button("publish", t("tournament.publish"), () => this.view.submit(["publish"]), true) : null,
        drafted ? this.#button("swap", t("tournament.swap"), () => this.view.offering.open(["swap"])) : null,
        drafted ? this.#button("unpair", t("tournament.unpair"), () => this.view.offering.open(["unpair"])) : null,
        lots ? this.#button("end-wait", t("tournament.lots.end"), () => this.view.submit(["end_wait"])) : null,
        !drafted && !playing && !lots
          ? this.#button("pair", t("tournament.pair"), () => this.view.submit(["pair"]), true)
          : null,
        playing
          ? this.#button("result", t("tournament.result"), () => this.view.offering.open(["result", last.round]))
          : null,
        this.#button("entrant", t("tournament.enter.other"), () => this.view.offering.open(["enter"])),
        !drafted && !playing && told?.rounds.length
          ? this.#button("finish", t("tournament.finish"), () =>
              this.view.submit([told.stage < told.stages ? "advance" : "finish"]),
            )
          : null,
      ),
    ];
  }
}
