// @ts-check
/**
 * Holding a seat: the token comes by a form, or by the address (#token=…, taken off it at once), and stays in this tab's storage; the seat's key
 * stays in this browser (hand.js). Taking the seat, the dice ceremony, another device, another player.
 */

import { accountOf, deviceToken } from "./device.js";
import { h, show } from "./dom.js";
import { Refused, ServerError, UNKNOWN_TOKEN } from "./link.js";
import { KEPT } from "./host.js";
import { hex } from "./sha256.js";
import { composed, t } from "./words.js";

const SHOWN_OF_KEY = 8;

/** Whether it is certain that a token is of no use. @param {any} error */
const isUnknown = (error) => error instanceof ServerError && error.code === UNKNOWN_TOKEN;

/** @param {string} text */
const fromHex = (text) => new Uint8Array((text.match(/../g) ?? []).map((pair) => parseInt(pair, 16)));

/** @typedef {{token: string, name: string, device: string}} Kept */

export class Seating {
  /** @param {import("./gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    this.seat = "";
    this.name = "";
    this.element = h("section", { class: "seating" });
    /** whose view a caster looks at */
    this.casting = "";
    /** whether the host or an arbiter looks at everything */
    this.arbiter = false;
    this.busy = false;
    this.said = "";
    /** whether what could not be done is left for the player to try again */
    this.failed = false;
    /** what is said about something that will be tried again after a while */
    this.late = "";
    /** @type {number | undefined} */
    this.timer = undefined;
    /** whether the player takes the seat although games lapsed here */
    this.allTheSame = false;
    /** whether what was not answered has been sent again since this page was opened @type {import("./hand.js").Hand | null} */
    this.resumed = null;
    /** why this browser does not act for the seat, as a key of the catalogue */
    this.hindered = "";
    /** the link for another device, shown once */
    this.deviceLink = "";
    this.drawn = "";
    /** the newest record at the time when there was nothing more to do */
    this.seen = -1;
    this.draw();
    const host = sessionStorage.getItem(KEPT);
    if (host && !view.link.isHost) view.link.login(host, "").then(() => this.draw(), (error) => {
      if (isUnknown(error)) sessionStorage.removeItem(KEPT);
    });
  }

  get #key() {
    return `warledger.seat.${this.view.game}`;
  }

  /** @returns {Kept | null} */
  remembered() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    const token = fragment.get("token") ?? (fragment.has("device") ? deviceToken() : null);
    if (token) {
      this.#keep({ token, name: fragment.get("name") ?? "", device: fragment.get("device") ?? "" });
      history.replaceState(null, "", location.pathname + location.search);
    }
    const kept = sessionStorage.getItem(this.#key);
    return kept ? JSON.parse(kept) : null;
  }

  /** @param {Kept} kept */
  #keep(kept) {
    sessionStorage.setItem(this.#key, JSON.stringify(kept));
  }

  // --- what is shown ----------------------------------------------------------------------------------------------------------------

  draw() {
    this.drawn = this.#shown;
    const said = h("p", { class: "said", role: "status", text: this.said });
    if (this.seat) {
      show(this.element, h("h2", { text: t("seat") }), h("p", { text: t("seat.yours", { seat: this.view.spoken.name(this.seat) }) }), this.#hindrance(), said, this.#foreign(), this.#keys(),
        h("p", { class: "honest", text: t("seat.honest") }), h("button", { type: "button", "data-act": "leave-seat", onclick: () => this.leave(), text: t("seat.leave") }));
      return;
    }
    if (this.casting) {
      show(this.element, h("h2", { text: t("caster") }), h("p", { text: t("caster.sees", { seat: this.view.spoken.name(this.casting) }) }), h("button", { type: "button", "data-act": "leave-caster", onclick: () => this.leave(), text: t("arbiter.leave") }), this.#casts());
      return;
    }
    if (this.arbiter) {
      show(this.element, h("h2", { text: t("arbiter") }), h("p", { text: t("arbiter.sees") }), h("button", { type: "button", "data-act": "leave-arbiter", onclick: () => this.#arbiter(false), text: t("arbiter.leave") }));
      return;
    }
    const token = h("input", { id: "seat-token", name: "token", type: "password", autocomplete: "off", required: true, maxlength: 256 });
    const name = h("input", { id: "seat-name", name: "name", autocomplete: "nickname", maxlength: 40, value: localStorage.getItem("warledger.name") ?? "" });
    show(this.element, h("h2", { text: t("seat.take") }), h("p", { text: t("seat.how") }), h("p", { class: "honest", text: t("seat.honest") }), h("form", { class: "seat-form", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      const called = composed(name.value.trim());
      localStorage.setItem("warledger.name", called);
      this.enter(token.value.trim(), false, called);
    } }, h("label", { for: "seat-token", text: t("seat.token") }), token, h("label", { for: "seat-name", text: t("seat.name") }), name, h("button", { type: "submit", class: "primary", text: t("seat.sit") })), said,
      this.view.link.arbitrates(this.view.game) ? [h("h2", { text: t("arbiter") }), h("p", { text: t("arbiter.how") }), h("button", { type: "button", "data-act": "arbiter", onclick: () => this.#arbiter(true), text: t("arbiter.see") })] : null,
      this.view.link.castsAny(this.view.game) ? [h("h2", { text: t("caster") }), h("p", { text: t("caster.how") }), this.#casts()] : null);
  }

  /** A caster of the tournament chooses whose view to see. */
  #casts() {
    if (!this.view.link.castsAny(this.view.game)) return null;
    return [...(this.view.watch?.seats.keys() ?? [])].filter((seat) => seat !== this.casting).map((seat) => h("button", { type: "button", "data-act": "cast", "data-seat": seat, onclick: () => {
      this.#cast(seat);
    }, text: t("caster.see", { seat: this.view.spoken.name(seat) }) }));
  }

  /** What is shown of a seat that is held: it is drawn again only when that changes, since somebody may be typing in it. */
  get #shown() {
    const { hand } = this.view;
    const keys = hand?.checker?.stand?.seats.get(this.seat)?.keys;
    return JSON.stringify([this.seat, this.arbiter, this.said, this.hindered, this.deviceLink, [...(keys?.keys() ?? [])], hand?.holds, hand?.foreign, this.view.watch?.ended, this.view.link.castsAny(this.view.game) && this.view.watch?.seats.size]);
  }

  #redraw() {
    if (this.#shown !== this.drawn) this.draw();
  }

  /** Why this browser does not act for the seat, and what to do. */
  #hindrance() {
    if (!this.hindered) return null;
    const { hand } = this.view;
    const text = h("p", { class: "hindrance", role: "alert", text: t(this.hindered, { n: hand?.lapses ?? 0, number: hand?.number ?? 0 }) });
    if (this.hindered === "seat.lapses") {
      return [text, h("button", { type: "button", class: "primary", "data-act": "all-the-same", onclick: () => {
        this.allTheSame = true;
        this.news();
      }, text: t("seat.all_the_same") })];
    }
    if (this.hindered !== "seat.elsewhere") return text;
    const name = h("input", { id: "new-name", maxlength: 40, required: true, value: this.name });
    return [text, h("form", { class: "seat-form", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#do(() => this.view.hand?.replace(composed(name.value.trim())));
    } }, h("label", { for: "new-name", text: t("seat.new_name") }), name, h("button", { type: "submit", "data-act": "take-over", text: t("seat.take_over") }))];
  }

  /** Something was done for a seat that signs nothing, and not in this browser. */
  #foreign() {
    const seq = this.view.hand?.foreign ?? -1;
    return seq < 0 ? null : h("p", { class: "hindrance", role: "alert", text: t("seat.foreign", { seq }) });
  }

  /** The seat's keys, and how to play on another device. */
  #keys() {
    const { hand } = this.view;
    const sitting = hand?.checker?.stand?.seats.get(this.seat);
    if (!hand?.holds || !hand.papers?.secret || !sitting || this.view.watch.ended) return null;
    const own = hex(hand.papers.open);
    const keys = [...sitting.keys.keys()];
    const link = h("input", { id: "device-link", readonly: true, value: this.deviceLink, onfocus: () => link.select() });
    return h("details", { class: "keys", open: Boolean(this.deviceLink) || this.element.querySelector(".keys")?.hasAttribute("open") }, h("summary", { text: t("device.keys", { n: keys.length }) }),
      h("ul", {}, keys.map((key) => h("li", {}, h("code", { text: key.slice(0, SHOWN_OF_KEY) }), " ", key === own ? t("device.this") : h("button", { type: "button", "data-act": `revoke:${key.slice(0, SHOWN_OF_KEY)}`,
        onclick: () => this.#do(() => hand.revoke(fromHex(key))), text: t("device.revoke") })))),
      this.deviceLink ? [h("label", { for: "device-link", text: t("device.link") }), link, h("p", { text: t("device.once") })]
        : h("button", { type: "button", "data-act": "device", onclick: () => this.#invite(), text: t("device.another") }));
  }

  async #invite() {
    await this.#do(async () => {
      const text = await this.view.hand?.invite();
      const { token, name } = /** @type {Kept} */ (this.remembered());
      this.deviceLink = `${location.origin}/game/${this.view.game}#${new URLSearchParams({ ...(token === deviceToken() ? {} : { token }), name, device: text ?? "" })}`; // an account's token leaves its device for no link
    });
    /** @type {HTMLInputElement | null} */ (this.element.querySelector("#device-link"))?.select();
  }

  /** Something that the player asked for on this page. @param {() => any} act */
  async #do(act) {
    this.failed = false;
    this.said = "";
    try {
      await act();
    } catch (error) {
      this.#failed(error);
    }
    this.#redraw();
    this.news();
  }

  /** @param {string} seat */
  async #cast(seat) {
    try {
      await this.view.prepare();
    } catch (error) {
      this.#failed(error);
      return;
    }
    if (this.view.disposed) return;
    this.casting = seat;
    this.draw();
    this.view.becomeCaster(seat);
  }

  // --- coming and going -------------------------------------------------------------------------------------------------------------

  /** @param {boolean} sees whether the host or an arbiter sees all that any seat sees */
  #arbiter(sees) {
    this.arbiter = sees;
    this.draw();
    if (sees) this.view.becomeArbiter();
    else this.view.becomeSpectator();
  }

  /** @param {string} token @param {boolean} again whether the token was kept @param {string} [name] */
  async enter(token, again, name) {
    const kept = this.remembered();
    const called = name ?? (kept?.name || localStorage.getItem("warledger.name") || "");
    // Meanwhile what only players need is loaded.
    const playing = this.view.prepare();
    playing.catch(() => undefined);
    try {
      const roles = await this.view.link.login(token, called);
      const role = roles.filter(([kind, game]) => kind === "seat" && game === this.view.game).pop();
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
        if (cast) {
          await playing;
          if (!this.view.disposed) this.view.becomeCaster(this.casting);
        }
        return;
      }
      if (!role) {
        // A link that is wrong once is wrong again.
        if (again) sessionStorage.removeItem(this.#key);
        this.#say(t("seat.other_game"));
        this.view.openTab("about");
        return;
      }
      await playing;
      if (this.view.disposed) return;
      this.#keep({ token, name: called, device: again ? kept?.device ?? "" : "" });
      this.seat = role[2];
      this.name = called || this.seat;
      this.said = "";
      this.view.becomeSeat(this.seat);
      this.draw();
    } catch (error) {
      if (again && isUnknown(error)) sessionStorage.removeItem(this.#key);
      this.#failed(error);
      this.view.openTab("about");
      const wait = again && error instanceof ServerError ? error.again_ms : 0;
      if (wait) setTimeout(() => {
        if (!this.view.disposed && !this.seat && !this.casting) this.enter(token, true, name);
      }, wait);
    }
  }

  /** The link has shown the token of an account: take the seat that it keeps in this game. */
  signedIn() {
    const { link, game } = this.view;
    const account = accountOf(link);
    if (!account || this.seat || this.casting || this.arbiter || this.remembered()) return;
    if (link.roles.some(([kind, of]) => (kind === "seat" || kind === "caster") && of === game)) this.enter(deviceToken(), true, account[1]);
    else this.draw();
  }

  leave() {
    sessionStorage.removeItem(this.#key);
    this.seat = this.hindered = this.deviceLink = "";
    this.failed = false;
    this.casting = "";
    this.view.becomeSpectator();
    this.draw();
  }

  /** @param {string} text */
  #say(text) {
    this.said = text;
    this.draw();
  }

  /** @param {any} error */
  #failed(error) {
    // What only players need could not be loaded: they try again as they tried first.
    const lost = error instanceof TypeError ? t("no_part", { what: error.message }) : String(error);
    this.#say(error instanceof Refused || error instanceof ServerError ? this.view.spoken.say(error.say) : lost);
  }

  /** Whether this browser may act for the seat. */
  get plays() {
    const { watch, hand } = this.view;
    if (!this.seat || watch.last < 0) return false;
    return watch.checker.branch || Boolean(hand?.holds);
  }

  // --- the ceremony -----------------------------------------------------------------------------------------------------------------

  /** Records have arrived or were checked: do what the seat has to do next. */
  async news() {
    const { watch } = this.view;
    if (!this.seat && this.view.link.castsAny(this.view.game)) this.#redraw(); // the seats are known now
    if (this.busy || watch.audience !== this.seat || watch.last < 0) return;
    if (watch.checker.branch) return;
    const { hand } = this.view;
    if (!hand?.ready || watch.checker.fault || watch.checker.checked < watch.last) return;
    const plays = this.plays;
    this.busy = true;
    try {
      if (!this.failed) {
        await this.#next(hand);
        if (this.late && this.said === this.late) this.said = "";
      }
    } catch (error) {
      const { said } = this;
      this.failed = true;
      this.#failed(error);
      if (this.said !== said) this.view.openTab("about");
      this.#later(error);
    } finally {
      this.busy = false;
    }
    this.#redraw();
    if (this.plays !== plays) this.view.play?.news(true);
    if (watch.checker.checked < watch.last || this.failed) return;
    if (watch.last !== this.seen) {
      this.seen = watch.last; // records came while we asked
      this.news();
    }
  }

  /** What the server could not do just now is tried again by itself. @param {any} error */
  #later(error) {
    const wait = error instanceof ServerError ? error.again_ms : 0;
    if (!wait) return;
    const { watch } = this.view;
    this.late = this.said;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      if (this.view.disposed || watch !== this.view.watch) return;
      this.failed = false;
      this.news();
    }, wait);
  }

  /** @param {import("./hand.js").Hand} hand */
  async #next(hand) {
    const stand = hand.checker?.stand;
    const sitting = stand?.seats.get(this.seat);
    if (!stand || !sitting) return;
    this.hindered = "";
    const { ended } = this.view.watch;
    if (!sitting.taken) {
      if (ended) return;
      if (!hand.checker?.able && !stand.unsignedSeats) this.hindered = isSecureContext ? "seat.old_browser" : "seat.https";
      else if (hand.barred) this.hindered = hand.barred;
      else if (hand.lapses && !this.allTheSame && !hand.did("taken")) this.hindered = "seat.lapses";
      else await hand.sit(this.name);
      return;
    }
    if (!hand.holds && !ended) {
      const device = this.remembered()?.device;
      if (device) {
        await hand.accept(device);
        this.#forgetDevice();
      } else if (hand.papers?.guest) await hand.enter();
      else if (sitting.keys.has("")) await hand.takeUp();
      else this.hindered = hand.checker?.able ? "seat.elsewhere" : isSecureContext ? "seat.old_browser" : "seat.https";
      return;
    }
    if (ended) {
      if (!this.view.watch.whole) return;
      if (await hand.witness()) this.view.evidence.again();
      return;
    }
    if (hand.papers?.guest) await hand.enter();
    if (this.remembered()?.device) this.#forgetDevice();
    if (stand.stage === "gathering" && stand.allTaken && !sitting.nonce) await hand.show();
    else if (this.resumed !== hand) {
      this.resumed = hand;
      await hand.resume();
    }
  }

  #forgetDevice() {
    const kept = this.remembered();
    if (kept) this.#keep({ ...kept, device: "" });
  }
}
