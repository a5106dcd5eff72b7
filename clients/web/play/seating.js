// @ts-check
/**
 * Holding a seat: the token comes by a form, or by the address (#token=…, taken off it at once), and stays in this tab's storage; the seat's key
 * stays in this browser (hand.js). Taking the seat, the dice ceremony, another device, another player.
 */

import { accountOf, deviceToken } from "../account/device.js";
import { h } from "../ui/dom.js";
import { Refused, ServerError, UNKNOWN_TOKEN } from "../link/link.js";
import { KEPT } from "../lobby/host.js";
import { SeatPane } from "./seatpane.js";
import { t } from "../words/words.js";

/** Whether it is certain that a token is of no use. @param {any} error */
const isUnknown = (error) => error instanceof ServerError && error.code === UNKNOWN_TOKEN;

/** @typedef {{token: string, name: string, device: string}} Kept */

export class Seating {
  /** @param {import("../games/gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    this.seat = "";
    this.name = "";
    this.element = h("section", { class: "seating" });
    this.pane = new SeatPane(this);
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
    /** the newest record at the time when there was nothing more to do */
    this.seen = -1;
    this.draw();
    const host = sessionStorage.getItem(KEPT);
    if (host && !view.link.isHost)
      view.link.login(host, "").then(
        () => this.draw(),
        (error) => {
          if (isUnknown(error)) sessionStorage.removeItem(KEPT);
        },
      );
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

  draw() {
    this.pane.draw();
  }

  /** Something that the player asked for on this page. @param {() => any} act */
  async do(act) {
    this.failed = false;
    this.said = "";
    try {
      await act();
    } catch (error) {
      this.#failed(error);
    }
    this.pane.redraw();
    this.news();
  }

  /** @param {string} seat */
  async cast(seat) {
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
  arbiterSees(sees) {
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
        this.view.tabs.open("about");
        return;
      }
      await playing;
      if (this.view.disposed) return;
      this.#keep({ token, name: called, device: again ? (kept?.device ?? "") : "" });
      this.seat = role[2];
      this.name = called || this.seat;
      this.said = "";
      this.view.becomeSeat(this.seat);
      this.draw();
    } catch (error) {
      if (again && isUnknown(error)) sessionStorage.removeItem(this.#key);
      this.#failed(error);
      this.view.tabs.open("about");
      const wait = again && error instanceof ServerError ? error.again_ms : 0;
      if (wait)
        setTimeout(() => {
          if (!this.view.disposed && !this.seat && !this.casting) this.enter(token, true, name);
        }, wait);
    }
  }

  /** The link has shown the token of an account: take the seat that it keeps in this game. */
  signedIn() {
    const { link, game } = this.view;
    const account = accountOf(link);
    if (!account || this.seat || this.casting || this.arbiter || this.remembered()) return;
    if (link.roles.some(([kind, of]) => (kind === "seat" || kind === "caster") && of === game))
      this.enter(deviceToken(), true, account[1]);
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
    if (!this.seat && this.view.link.castsAny(this.view.game)) this.pane.redraw(); // the seats are known now
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
      if (this.said !== said) this.view.tabs.open("about");
      this.#later(error);
    } finally {
      this.busy = false;
    }
    this.pane.redraw();
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
      if (!hand.checker?.able && !stand.unsignedSeats)
        this.hindered = isSecureContext ? "seat.old_browser" : "seat.https";
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
