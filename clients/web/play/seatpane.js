// @ts-check
/** What a seat's holder, a caster or an arbiter sees of what they hold, and the forms by which they take it. */

import { deviceToken } from "../account/device.js";
import { button, h, show } from "../ui/dom.js";
import { hex } from "../records/sha256.js";
import { composed, t } from "../words/words.js";

const SHOWN_OF_KEY = 8;

/** @param {string} text */
const fromHex = (text) => new Uint8Array((text.match(/../g) ?? []).map((pair) => parseInt(pair, 16)));

export class SeatPane {
  /** @param {import("./seating.js").Seating} seating */
  constructor(seating) {
    this.seating = seating;
    this.view = seating.view;
    this.element = seating.element;
    this.drawn = "";
  }

  draw() {
    this.drawn = this.#shown;
    const said = h("p", { class: "said", role: "status", text: this.seating.said });
    if (this.seating.seat) {
      show(
        this.element,
        h("h2", { text: t("seat") }),
        h("p", { text: t("seat.yours", { seat: this.view.spoken.name(this.seating.seat) }) }),
        this.#hindrance(),
        said,
        this.#foreign(),
        this.#keys(),
        h("p", { class: "honest", text: t("seat.honest") }),
        button({ "data-act": "leave-seat", onclick: () => this.seating.leave(), text: t("seat.leave") }),
      );
      return;
    }
    if (this.seating.casting) {
      show(
        this.element,
        h("h2", { text: t("caster") }),
        h("p", { text: t("caster.sees", { seat: this.view.spoken.name(this.seating.casting) }) }),
        button({ "data-act": "leave-caster", onclick: () => this.seating.leave(), text: t("arbiter.leave") }),
        this.#casts(),
      );
      return;
    }
    if (this.seating.arbiter) {
      show(
        this.element,
        h("h2", { text: t("arbiter") }),
        h("p", { text: t("arbiter.sees") }),
        button({
          "data-act": "leave-arbiter",
          onclick: () => this.seating.arbiterSees(false),
          text: t("arbiter.leave"),
        }),
      );
      return;
    }
    const token = h("input", {
      id: "seat-token",
      name: "token",
      type: "password",
      autocomplete: "off",
      required: true,
      maxlength: 256,
    });
    const name = h("input", {
      id: "seat-name",
      name: "name",
      autocomplete: "nickname",
      maxlength: 40,
      value: localStorage.getItem("warledger.name") ?? "",
    });
    show(
      this.element,
      h("h2", { text: t("seat.take") }),
      h("p", { text: t("seat.how") }),
      h("p", { class: "honest", text: t("seat.honest") }),
      h(
        "form",
        {
          class: "seat-form",
          onsubmit: () => {
            const called = composed(name.value.trim());
            localStorage.setItem("warledger.name", called);
            this.seating.enter(token.value.trim(), false, called);
          },
        },
        h("label", { for: "seat-token", text: t("seat.token") }),
        token,
        h("label", { for: "seat-name", text: t("seat.name") }),
        name,
        h("button", { type: "submit", class: "primary", text: t("seat.sit") }),
      ),
      said,
      this.view.link.arbitrates(this.view.game)
        ? [
            h("h2", { text: t("arbiter") }),
            h("p", { text: t("arbiter.how") }),
            button({ "data-act": "arbiter", onclick: () => this.seating.arbiterSees(true), text: t("arbiter.see") }),
          ]
        : null,
      this.view.link.castsAny(this.view.game)
        ? [h("h2", { text: t("caster") }), h("p", { text: t("caster.how") }), this.#casts()]
        : null,
    );
  }

  /** A caster of the tournament chooses whose view to see. */
  #casts() {
    if (!this.view.link.castsAny(this.view.game)) return null;
    return [...(this.view.watch?.seats.keys() ?? [])]
      .filter((seat) => seat !== this.seating.casting)
      .map((seat) =>
        button({
          "data-act": "cast",
          "data-seat": seat,
          onclick: () => {
            this.seating.cast(seat);
          },
          text: t("caster.see", { seat: this.view.spoken.name(seat) }),
        }),
      );
  }

  /** What is shown of a seat that is held: it is drawn again only when that changes, since somebody may be typing in it. */
  get #shown() {
    const { hand } = this.view;
    const keys = hand?.checker?.stand?.seats.get(this.seating.seat)?.keys;
    return JSON.stringify([
      this.seating.seat,
      this.seating.arbiter,
      this.seating.said,
      this.seating.hindered,
      this.seating.deviceLink,
      [...(keys?.keys() ?? [])],
      hand?.holds,
      hand?.foreign,
      this.view.watch?.ended,
      this.view.link.castsAny(this.view.game) && this.view.watch?.seats.size,
    ]);
  }

  redraw() {
    if (this.#shown !== this.drawn) this.draw();
  }

  /** Why this browser does not act for the seat, and what to do. */
  #hindrance() {
    if (!this.seating.hindered) return null;
    const { hand } = this.view;
    const text = h("p", {
      class: "hindrance",
      role: "alert",
      text: t(this.seating.hindered, { n: hand?.lapses ?? 0, number: hand?.number ?? 0 }),
    });
    if (this.seating.hindered === "seat.lapses") {
      return [
        text,
        button({
          class: "primary",
          "data-act": "all-the-same",
          onclick: () => {
            this.seating.allTheSame = true;
            this.seating.news();
          },
          text: t("seat.all_the_same"),
        }),
      ];
    }
    if (this.seating.hindered !== "seat.elsewhere") return text;
    const name = h("input", { id: "new-name", maxlength: 40, required: true, value: this.seating.name });
    return [
      text,
      h(
        "form",
        {
          class: "seat-form",
          onsubmit: () => this.seating.do(() => this.view.hand?.replace(composed(name.value.trim()))),
        },
        h("label", { for: "new-name", text: t("seat.new_name") }),
        name,
        h("button", { type: "submit", "data-act": "take-over", text: t("seat.take_over") }),
      ),
    ];
  }

  /** Something was done for a seat that signs nothing, and not in this browser. */
  #foreign() {
    const seq = this.view.hand?.foreign ?? -1;
    return seq < 0 ? null : h("p", { class: "hindrance", role: "alert", text: t("seat.foreign", { seq }) });
  }

  /** The seat's keys, and how to play on another device. */
  #keys() {
    const { hand } = this.view;
    const sitting = hand?.checker?.stand?.seats.get(this.seating.seat);
    if (!hand?.holds || !hand.papers?.secret || !sitting || this.view.watch.ended) return null;
    const own = hex(hand.papers.open);
    const keys = [...sitting.keys.keys()];
    const link = h("input", {
      id: "device-link",
      readonly: true,
      value: this.seating.deviceLink,
      onfocus: () => link.select(),
    });
    return h(
      "details",
      {
        class: "keys",
        open: Boolean(this.seating.deviceLink) || this.element.querySelector(".keys")?.hasAttribute("open"),
      },
      h("summary", { text: t("device.keys", { n: keys.length }) }),
      h(
        "ul",
        {},
        keys.map((key) =>
          h(
            "li",
            {},
            h("code", { text: key.slice(0, SHOWN_OF_KEY) }),
            " ",
            key === own
              ? t("device.this")
              : button({
                  "data-act": `revoke:${key.slice(0, SHOWN_OF_KEY)}`,
                  onclick: () => this.seating.do(() => hand.revoke(fromHex(key))),
                  text: t("device.revoke"),
                }),
          ),
        ),
      ),
      this.seating.deviceLink
        ? [h("label", { for: "device-link", text: t("device.link") }), link, h("p", { text: t("device.once") })]
        : button({ "data-act": "device", onclick: () => this.#invite(), text: t("device.another") }),
    );
  }

  async #invite() {
    await this.seating.do(async () => {
      const text = await this.view.hand?.invite();
      const { token, name } = /** @type {import("./seating.js").Kept} */ (this.seating.remembered());
      this.seating.deviceLink = `${location.origin}/game/${this.view.game}#${new URLSearchParams({ ...(token === deviceToken() ? {} : { token }), name, device: text ?? "" })}`; // an account's token leaves its device for no link
    });
    /** @type {HTMLInputElement | null} */ (this.element.querySelector("#device-link"))?.select();
  }
}
