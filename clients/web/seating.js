// @ts-check
/**
 * Holding a seat: the token comes by a form, or by the address (#token=…, taken off it at once), and stays in this tab's storage. A seat is
 * taken with a number of this browser's own making, so that nobody can have steered the dice.
 */

import { h, show } from "./dom.js";
import { Refused, ServerError, randomBytes } from "./link.js";
import { KEPT } from "./host.js";
import { pack } from "./canon.js";
import { hex, same, sha256 } from "./sha256.js";
import { t } from "./words.js";

const NONCE_TAG = new TextEncoder().encode("warledger/nonce/1");
const NONCE_BYTES = 32;

/** @param {string} game @param {string} seat @param {Uint8Array} nonce */
export const nonceHash = (game, seat, nonce) => sha256(NONCE_TAG, pack([game, seat, nonce]));

/** @param {string} text */
const fromHex = (text) => new Uint8Array((text.match(/../g) ?? []).map((pair) => parseInt(pair, 16)));

export class Seating {
  /** @param {import("./gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    this.seat = "";
    this.element = h("section", { class: "seating" });
    /** whose view a caster looks at */
    this.casting = "";
    /** whether the host or an arbiter looks at everything */
    this.arbiter = false;
    this.busy = false;
    this.said = "";
    this.draw();
    const host = sessionStorage.getItem(KEPT);
    if (host && !view.link.isHost) view.link.login(host, "").then(() => this.draw(), () => sessionStorage.removeItem(KEPT));
  }

  get #key() {
    return `warledger.seat.${this.view.game}`;
  }

  /** @returns {{token: string, name: string} | null} */
  remembered() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    const token = fragment.get("token");
    if (token) {
      const name = fragment.get("name") ?? "";
      sessionStorage.setItem(this.#key, JSON.stringify({ token, name }));
      history.replaceState(null, "", location.pathname + location.search);
    }
    const kept = sessionStorage.getItem(this.#key);
    return kept ? JSON.parse(kept) : null;
  }

  draw() {
    if (this.seat) {
      show(this.element, h("h2", { text: t("seat") }), h("p", { text: t("seat.yours", { seat: this.view.spoken.name(this.seat) }) }),
        h("button", { type: "button", onclick: () => this.leave(), text: t("seat.leave") }), h("p", { class: "said", role: "status", text: this.said }));
      return;
    }
    if (this.casting) {
      show(this.element, h("h2", { text: t("caster") }), h("p", { text: t("caster.sees", { seat: this.view.spoken.name(this.casting) }) }), h("button", { type: "button", "data-act": "leave-caster", onclick: () => this.leave(), text: t("arbiter.leave") }));
      return;
    }
    if (this.arbiter) {
      show(this.element, h("h2", { text: t("arbiter") }), h("p", { text: t("arbiter.sees") }), h("button", { type: "button", "data-act": "leave-arbiter", onclick: () => this.#arbiter(false), text: t("arbiter.leave") }));
      return;
    }
    const token = h("input", { id: "seat-token", name: "token", type: "password", autocomplete: "off", required: true, maxlength: 256 });
    const name = h("input", { id: "seat-name", name: "name", autocomplete: "nickname", maxlength: 40, value: localStorage.getItem("warledger.name") ?? "" });
    show(this.element, h("h2", { text: t("seat.take") }), h("p", { text: t("seat.how") }), h("form", { class: "seat-form", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      localStorage.setItem("warledger.name", name.value.trim());
      this.enter(token.value.trim(), false, name.value.trim());
    } }, h("label", { for: "seat-token", text: t("seat.token") }), token, h("label", { for: "seat-name", text: t("seat.name") }), name, h("button", { type: "submit", class: "primary", text: t("seat.sit") })), h("p", { class: "said", role: "status", text: this.said }),
      this.view.link.arbitrates(this.view.game) ? [h("h2", { text: t("arbiter") }), h("p", { text: t("arbiter.how") }), h("button", { type: "button", "data-act": "arbiter", onclick: () => this.#arbiter(true), text: t("arbiter.see") })] : null);
  }

  /** @param {boolean} sees whether the host or an arbiter sees all that any seat sees */
  #arbiter(sees) {
    this.arbiter = sees;
    this.draw();
    if (sees) this.view.becomeArbiter();
    else this.view.becomeSpectator();
  }

  /** @param {string} token @param {boolean} again whether the token was kept @param {string} [name] */
  async enter(token, again, name) {
    const called = name ?? this.remembered()?.name ?? localStorage.getItem("warledger.name") ?? "";
    try {
      const roles = await this.view.link.login(token, called);
      const role = roles.find(([kind, game]) => kind === "seat" && game === this.view.game);
      if (!role && this.view.link.isHost) {
        sessionStorage.setItem(KEPT, token);
        this.draw();
        return;
      }
      const cast = role ? undefined : roles.find(([kind, game]) => kind === "caster" && game === this.view.game);
      if (!role && (cast || this.view.link.arbitrates(this.view.game))) {
        sessionStorage.setItem(this.#key, JSON.stringify({ token, name: called }));
        this.casting = cast ? cast[2] : "";
        this.said = "";
        this.draw();
        if (cast) this.view.becomeCaster(this.casting);
        return;
      }
      if (!role) {
        this.#say(t("seat.other_game"));
        return;
      }
      sessionStorage.setItem(this.#key, JSON.stringify({ token, name: called }));
      this.seat = role[2];
      this.said = "";
      this.draw();
      this.view.becomeSeat(this.seat);
    } catch (error) {
      if (again) sessionStorage.removeItem(this.#key);
      this.#say(error instanceof Refused || error instanceof ServerError ? this.view.spoken.say(error.say) : String(error));
      this.view.openTab("about");
    }
  }

  leave() {
    sessionStorage.removeItem(this.#key);
    this.seat = "";
    this.casting = "";
    this.draw();
    this.view.becomeSpectator();
  }

  /** @param {string} text */
  #say(text) {
    this.said = text;
    this.draw();
  }

  /** The dice ceremony: commit to a number, and show it once everybody has committed. */
  async news() {
    const { watch, link, game } = this.view;
    const mine = watch.seats.get(this.seat);
    if (!mine || this.busy || watch.audience !== this.seat || watch.ended) return;
    const key = `warledger.nonce.${game}.${this.seat}`;
    this.busy = true;
    const progress = () => [...watch.seats.values()].map((seat) => `${seat.nonceHash ? 1 : 0}${seat.shown ? 1 : 0}`).join();
    const before = progress();
    try {
      if (!mine.nonceHash) {
        const nonce = fromHex(localStorage.getItem(key) ?? "").length === NONCE_BYTES ? fromHex(localStorage.getItem(key) ?? "") : randomBytes(NONCE_BYTES);
        localStorage.setItem(key, hex(nonce));
        await link.request("take_seat", game, this.seat, nonceHash(game, this.seat, nonce));
      } else if (!mine.shown && [...watch.seats.values()].every((seat) => seat.nonceHash)) {
        const nonce = fromHex(localStorage.getItem(key) ?? "");
        if (!same(nonceHash(game, this.seat, nonce), mine.nonceHash)) throw new ServerError("nonce", ["web.seat.no_nonce", [], ""]);
        await link.request("nonce", game, this.seat, nonce);
        localStorage.removeItem(key);
      }
    } catch (error) {
      if (error instanceof Refused && /nonce_known|seat_taken/.test(error.key)) return;
      this.#say(error instanceof Refused || error instanceof ServerError ? this.view.spoken.say(error.say) : String(error));
    } finally {
      this.busy = false;
    }
    if (progress() !== before) this.news(); // records came while we asked
  }
}
