// @ts-check
/**
 * Accounts: what an account keeps, and what its owner may change. The token of this device is kept in the browser's storage where the
 * person wants to be remembered, else until the browser is closed. Invitations and links come in the address (#invite=…, #link=…), and are
 * taken off it at once.
 */

import { button, h, show } from "../ui/dom.js";
import { field } from "../ui/field.js";
import { LEAST_OF_PASSWORD, SignIn } from "./signin.js";
import { setSound, soundIsOn } from "./waiting.js";
import { mailSection, reaching } from "./reaching.js";
import { giveUp } from "./pushing.js";
import { accountOf, deviceToken, dropToken } from "./device.js";
import { Refused, ServerError, UNKNOWN_TOKEN } from "../link/link.js";
import { composed, LANGUAGES, onLanguage, phrases, spokenLanguage, t } from "../words/words.js";

const INVITED_DAYS = 14;

/** @param {number} at_ms */
const when = (at_ms) => new Date(at_ms).toLocaleString(spokenLanguage());

export class Account {
  /** @param {HTMLElement} main @param {import("../link/link.js").Link} link @param {() => void} changed called when somebody signs in or out */
  constructor(main, link, changed) {
    /** @type {import("../link/link.js").Link} */
    this.link = link;
    this.changed = changed;
    /** @type {Record<string, any> | null} */
    this.account = null;
    this.said = "";
    this.invitationMade = "";
    this.body = h("div", { class: "account-body" });
    this.head = h("div", { class: "page-head" });
    this.status = h("p", { class: "said", role: "status", "data-kind": "news" });
    show(main, h("div", { class: "page account" }, this.head, this.status, this.body));
    const fragment = new URLSearchParams(location.hash.slice(1));
    this.invitation = fragment.get("invite") ?? "";
    const code = fragment.get("link");
    const letter = /** @type {const} */ (["confirm", "stop"]).find((what) => fragment.get(what));
    if (this.invitation || code || letter) history.replaceState(null, "", location.pathname + location.search);
    this.signIn = new SignIn(this);
    this.stop = onLanguage(() => this.draw());
    this.draw();
    /** whether this device has just signed in by a link, and may choose another password without the old one */
    this.byLink = Boolean(code);
    if (code) this.signIn.open(["link", "", code], true, t("account.link_used"));
    else if (letter) this.#show(letter, fragment.get(letter) ?? "");
    else if (accountOf(link)) this.#load();
  }

  /** Show the code of a letter. @param {"confirm" | "stop"} what @param {string} code */
  async #show(what, code) {
    await this.do(async () => {
      await this.link.once("mail", what, code);
      if (accountOf(this.link)) [this.account] = await this.link.request("account");
      this.draw();
      this.say(t(what === "confirm" ? "account.mail.confirmed" : "account.mail.stopped"));
    });
  }

  dispose() {
    this.stop();
  }

  /** The link has shown the token of this device. */
  signedIn() {
    if (!this.account) this.#load();
  }

  /** @param {string} text @param {"news" | "trouble"} [kind] */
  say(text, kind = "news") {
    this.said = text;
    this.status.dataset.kind = kind;
    this.status.textContent = text;
  }

  /** @param {() => Promise<any>} act */
  async do(act) {
    this.say("");
    try {
      await act();
    } catch (error) {
      this.say(
        error instanceof Refused || error instanceof ServerError ? phrases().say(error.say) : String(error),
        "trouble",
      );
    }
  }

  #load() {
    return this.do(async () => {
      [this.account] = await this.link.request("account");
      this.draw();
    });
  }

  /** @param {import("./reaching.js").Changed} what @param {any} value @param {string} [password] */
  #change(what, value, password = "") {
    return this.do(async () => {
      [this.account] = await this.link.request("change_account", what, value, password);
      this.draw();
      this.say(t("account.saved"));
    });
  }

  /** End this device's part, or the account. @param {"sign_out" | "forget"} what @param {string} [password] */
  async #leave(what, password = "") {
    this.say("");
    const token = deviceToken();
    await giveUp();
    try {
      await this.link.once("change_account", what, null, password);
    } catch (error) {
      // The server ends the connection of whoever has left.
      if (error instanceof ServerError && error.code !== "lost" && error.code !== UNKNOWN_TOKEN)
        return this.say(phrases().say(error.say), "trouble");
    }
    dropToken();
    this.link.forget(token);
    this.account = null;
    this.changed();
    this.draw();
  }

  draw() {
    document.title = `${t("account")} · Warledger`;
    show(this.head, h("h1", { text: t("account") }), h("p", { class: "lead", text: t("account.lead") }));
    show(this.body, this.account ? this.#own(this.account) : this.signIn.forms());
    this.status.textContent = this.said;
  }

  // --- one's own --------------------------------------------------------------------------------------------------------------------

  /** @param {Record<string, any>} account */
  #own(account) {
    return [
      h("p", { text: t("account.signed_in", { handle: account.handle }) }),
      this.invitation ? this.#invited(account) : null,
      h("p", {}, button({ "data-act": "sign-out", onclick: () => this.#leave("sign_out"), text: t("account.out") })),
      this.#section(
        "roles",
        account.roles.length
          ? h(
              "ul",
              {},
              account.roles.map((/** @type {[string, string, string]} */ role) => h("li", { text: roleText(role) })),
            )
          : h("p", { text: t("account.no_roles") }),
      ),
      this.#section("devices", this.#devices(account)),
      account.keys.length
        ? this.#section(
            "keys",
            h(
              "ul",
              {},
              account.keys.map((/** @type {any} */ key) =>
                h(
                  "li",
                  {},
                  h("b", { text: key.name }),
                  " ",
                  button({
                    onclick: () => this.#change("drop_key", key.key),
                    text: t("account.drop_key", { name: key.name }),
                  }),
                ),
              ),
            ),
          )
        : null,
      this.#section("settings", this.#settings(account)),
      account.served.mail || account.mail.address
        ? this.#section(
            "mail",
            mailSection(account, (what, value) => this.#change(what, value)),
          )
        : null,
      this.#section("notices", this.#notices(account)),
      this.#section("calendar", this.#calendar(account)),
      this.link.isHost || account.roles.some((/** @type {string[]} */ [role, game]) => role === "host" && !game)
        ? this.#section("invite", this.#invite())
        : null,
      this.#section("another", this.#password(account)),
      this.#forget(account),
    ];
  }

  /** @param {string} part @param {...any} content */
  #section(part, ...content) {
    const id = `account-${part}`;
    return h("section", { "aria-labelledby": id }, h("h2", { id, text: t(`account.${part}`) }), content);
  }

  /** An invitation that came in the address: it is used when asked to, since it may be meant for somebody else. @param {Record<string, any>} account */
  #invited(account) {
    return h(
      "p",
      {},
      t("account.accept.how"),
      " ",
      button({
        "data-act": "accept",
        class: "primary",
        onclick: () => {
          const code = this.invitation;
          this.invitation = "";
          this.#change("invitation", code);
        },
        text: t("account.accept", { handle: account.handle }),
      }),
    );
  }

  /** @param {Record<string, any>} account */
  #devices(account) {
    const others = account.devices.filter((/** @type {any} */ device) => !device.here);
    return [
      h(
        "ul",
        {},
        account.devices.map((/** @type {any} */ device) =>
          h(
            "li",
            {},
            h("b", { text: device.name || "–" }),
            " ",
            t("account.device_used", { when: when(device.used_ms) }),
            " ",
            device.here
              ? h("span", { text: t("account.device_here") })
              : button({
                  "data-act": `drop:${device.id}`,
                  onclick: () => this.#change("drop_device", device.id),
                  text: t("account.drop", { name: device.name || device.id }),
                }),
          ),
        ),
      ),
      others.length > 1
        ? button({
            "data-act": "drop-all",
            onclick: () => this.#change("drop_devices", null),
            text: t("account.drop_all"),
          })
        : null,
    ];
  }

  /** @param {Record<string, any>} account */
  #settings(account) {
    const language = h(
      "select",
      { id: "account-language" },
      LANGUAGES.map(([id, name]) =>
        h("option", { value: id, lang: id, selected: id === account.language, text: name }),
      ),
    );
    const [zoneLabel, zone] = field("account-zone", "account.zone", {
      maxlength: 64,
      autocomplete: "off",
      spellcheck: "false",
      value: account.zone || Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
    return h(
      "form",
      {
        class: "account-form",
        onsubmit: async () => {
          const [chosen, there] = [language.value, zone.value.trim()];
          await this.#change("language", chosen);
          if (this.said === t("account.saved")) await this.#change("zone", there);
        },
      },
      h("label", { for: "account-language", text: t("language") }),
      language,
      zoneLabel,
      zone,
      h("button", { type: "submit", "data-act": "save", text: t("account.save") }),
    );
  }

  /** What the person is told, where, and whether this device makes a sound. @param {Record<string, any>} account */
  #notices(account) {
    const sound = h("input", {
      id: "notice-sound",
      type: "checkbox",
      checked: soundIsOn(),
      onchange: () => setSound(sound.checked),
    });
    return [
      h("p", { text: t("account.notices.how") }),
      reaching(
        account,
        (what, value) => this.#change(what, value),
        (said) => {
          if (this.said === t("account.saved")) this.say(said);
        },
        (said) => this.say(said, "trouble"),
      ),
      h("div", { class: "account-option" }, sound, h("label", { for: "notice-sound", text: t("account.sound") })),
    ];
  }

  /** The calendar at a secret address. @param {Record<string, any>} account */
  #calendar(account) {
    const address =
      account.calendar_address &&
      h("input", {
        id: "calendar-address",
        readonly: true,
        value: new URL(account.calendar_address, location.origin).href,
        onfocus: () => address.select(),
      });
    return [
      h("p", { text: t("account.calendar.how") }),
      address
        ? h("p", {}, h("label", { for: "calendar-address", text: t("account.calendar.address") }), address)
        : account.calendar
          ? h("p", { text: t("account.calendar.is") })
          : null,
      h(
        "p",
        {},
        button({
          "data-act": "calendar",
          onclick: () => this.#change("calendar", true),
          text: t(account.calendar ? "account.calendar.again" : "account.calendar.make"),
        }),
        " ",
        account.calendar
          ? button({
              "data-act": "calendar-drop",
              onclick: () => this.#change("calendar", false),
              text: t("account.calendar.drop"),
            })
          : null,
      ),
    ];
  }

  #invite() {
    const [label, note] = field("invite-note", "account.invite.note", { maxlength: 64, autocomplete: "off" });
    const form = h(
      "form",
      {
        class: "account-form",
        onsubmit: () => {
          this.do(async () => {
            const [code, until] = await this.link.once("invite", composed(note.value.trim()), INVITED_DAYS, 1);
            this.invitationMade = `${location.origin}/account#invite=${encodeURIComponent(code)}`;
            this.draw();
            this.say(t("account.invite.link", { until: when(until) }));
            /** @type {HTMLInputElement | null} */ (document.getElementById("invite-link"))?.select();
          });
        },
      },
      label,
      note,
      h("button", { type: "submit", "data-act": "invite", text: t("account.invite") }),
    );
    const link = this.invitationMade
      ? h("input", {
          id: "invite-link",
          readonly: true,
          "aria-label": t("account.invitation"),
          value: this.invitationMade,
        })
      : null;
    return [form, link];
  }

  /** @param {Record<string, any>} account */
  #password(account) {
    const [nowLabel, now] = field("now-password", "account.password.now", {
      type: "password",
      autocomplete: "current-password",
      required: !this.byLink,
      maxlength: 1024,
    });
    const [newLabel, next] = field("new-password", "account.password.new", {
      type: "password",
      autocomplete: "new-password",
      required: true,
      minlength: LEAST_OF_PASSWORD,
      maxlength: 1024,
    });
    return h(
      "form",
      {
        class: "account-form",
        onsubmit: () => this.#change("password", next.value.normalize(), now.value.normalize()),
      },
      account.has_password ? [nowLabel, now] : null,
      newLabel,
      next,
      h("button", { type: "submit", "data-act": "password", text: t("account.save") }),
    );
  }

  /** @param {Record<string, any>} account */
  #forget(account) {
    const [label, password] = field("forget-password", "account.password.now", {
      type: "password",
      autocomplete: "current-password",
      required: true,
      maxlength: 1024,
    });
    return h(
      "details",
      {},
      h("summary", { text: t("account.forget") }),
      h("p", { text: t("account.forget.what") }),
      h(
        "form",
        {
          class: "account-form",
          onsubmit: () => this.#leave("forget", password.value.normalize()),
        },
        account.has_password ? [label, password] : null,
        h("button", { type: "submit", class: "danger", "data-act": "forget", text: t("account.forget.sure") }),
      ),
    );
  }
}

/** @param {[string, string, string]} role */
function roleText([role, game, seat]) {
  const key = `account.role.${role}${game && !seat ? "_of" : ""}`;
  return phrases().text(key, { game, seat });
}
