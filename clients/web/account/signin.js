// @ts-check
/** The forms of an account for whoever is not signed in: signing in, signing up, a forgotten password. */

import { keepToken } from "./device.js";
import { h } from "../ui/dom.js";
import { field } from "../ui/field.js";
import { composed, spokenLanguage, t } from "../words/words.js";

export const LEAST_OF_PASSWORD = 10;

/** How this device is called in the list of devices. */
function deviceName() {
  const agent = navigator.userAgent;
  const browser = ["Edg", "Firefox", "Chrome", "Safari"].find((name) => agent.includes(name)) ?? "";
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((name) => agent.includes(name)) ?? "";
  return [browser === "Edg" ? "Edge" : browser, system].filter(Boolean).join(", ").slice(0, 64);
}

export class SignIn {
  /** @param {import("./account.js").Account} page the page that they are part of */
  constructor(page) {
    this.page = page;
  }

  /** @param {["password" | "link", string, string]} proof @param {boolean} keep @param {string} [said] @returns {Promise<void>} */
  open(proof, keep, said = "") {
    return this.page.do(async () =>
      this.#letIn(await this.page.link.request("sign_in", ...proof, deviceName(), keep), keep, said),
    );
  }

  /** @param {any[]} answer @param {boolean} keep @param {string} said */
  async #letIn([, , token], keep, said) {
    keepToken(token, keep);
    await this.page.link.login(token, "");
    [this.page.account] = await this.page.link.request("account");
    this.page.changed();
    this.page.draw();
    this.page.say(said);
  }

  /** The forms of whoever is not signed in. */
  forms() {
    const up = Boolean(this.page.invitation);
    return up
      ? [this.#up(), this.#in()]
      : [this.#in(), this.#forgot(), h("details", {}, h("summary", { text: t("account.up") }), this.#up())];
  }

  /** @param {string} id */
  #keepBox(id) {
    const box = h("input", { id, type: "checkbox", checked: true });
    return { box, row: h("div", { class: "option" }, box, h("label", { for: id, text: t("account.keep") })) };
  }

  #in() {
    const [nameLabel, name] = field("in-handle", "account.handle", {
      autocomplete: "username",
      autocapitalize: "none",
      spellcheck: "false",
      required: true,
      maxlength: 24,
    });
    const [passwordLabel, password] = field("in-password", "account.password", {
      type: "password",
      autocomplete: "current-password",
      required: true,
      maxlength: 1024,
    });
    const keep = this.#keepBox("in-keep");
    return h(
      "section",
      { "aria-labelledby": "account-in" },
      h("h2", { id: "account-in", text: t("account.in") }),
      h(
        "form",
        {
          class: "account-form",
          onsubmit: () =>
            this.open(["password", composed(name.value.trim()), password.value.normalize()], keep.box.checked),
        },
        nameLabel,
        name,
        passwordLabel,
        password,
        keep.row,
        h("button", { type: "submit", class: "primary", "data-act": "sign-in", text: t("account.in") }),
      ),
    );
  }

  #up() {
    const [codeLabel, code] = field("up-code", "account.invitation", {
      autocomplete: "off",
      maxlength: 256,
      value: this.page.invitation,
    });
    const [nameLabel, name] = field("up-handle", "account.handle", {
      autocomplete: "username",
      autocapitalize: "none",
      spellcheck: "false",
      required: true,
      minlength: 2,
      maxlength: 24,
    });
    const [passwordLabel, password] = field("up-password", "account.password.new", {
      type: "password",
      autocomplete: "new-password",
      minlength: LEAST_OF_PASSWORD,
      maxlength: 1024,
      "aria-describedby": "up-hint",
    });
    const keep = this.#keepBox("up-keep");
    return h(
      "section",
      { "aria-labelledby": "account-up" },
      h("h2", { id: "account-up", text: t("account.up") }),
      h(
        "form",
        {
          class: "account-form",
          onsubmit: () => {
            this.page.do(async () => {
              const answer = await this.page.link.once(
                "sign_up",
                code.value.trim(),
                composed(name.value.trim()),
                password.value.normalize(),
                spokenLanguage(),
                deviceName(),
                keep.box.checked,
              );
              this.page.invitation = "";
              await this.#letIn(answer, keep.box.checked, "");
            });
          },
        },
        codeLabel,
        code,
        nameLabel,
        name,
        passwordLabel,
        password,
        h("p", { class: "hint", id: "up-hint", text: t("account.password.hint") }),
        keep.row,
        h("button", { type: "submit", class: "primary", "data-act": "sign-up", text: t("account.up") }),
      ),
    );
  }

  /** Somebody has forgotten their password. */
  #forgot() {
    const [label, whom] = field("forgot-whom", "account.mail.whom", {
      autocomplete: "username",
      autocapitalize: "none",
      spellcheck: "false",
      required: true,
      maxlength: 254,
    });
    return h(
      "details",
      {},
      h("summary", { text: t("account.mail.forgot") }),
      h(
        "form",
        {
          class: "account-form",
          onsubmit: () => {
            this.page.do(async () => {
              await this.page.link.once("mail", "link", composed(whom.value.trim()));
              this.page.say(t("account.mail.link_sent"));
            });
          },
        },
        label,
        whom,
        h("button", { type: "submit", "data-act": "forgot", text: t("account.mail.link") }),
      ),
    );
  }
}
