// @ts-check
/** A code of one use: a role in a tournament for somebody whom nobody on the server knows yet. */

import { Refused } from "../link/link.js";
import { button, h, show } from "../ui/dom.js";
import { phrases, spokenLanguage, t } from "../words/words.js";

/** @typedef {import("../protocol.d.ts").Messages["tournament_code"][1]} Role */

/**
 * The role that an act would have given, where nobody has the name in it; "" where it was refused for another reason.
 * @param {unknown} error @param {(string | number)[]} picks
 * @returns {Role | ""}
 */
export function roleFor(error, picks) {
  if (!(error instanceof Refused)) return "";
  if (error.key === "refusal.tournament.nobody_called" && picks[0] === "grant") return /** @type {Role} */ (picks[1]);
  return error.key === "refusal.tournament.unknown_account" ? "entrant" : "";
}

/** What makes a code and shows it. */
export class Codes {
  /** @param {import("../link/link.js").Link} link @param {(error: unknown) => void} failed */
  constructor(link, failed) {
    this.link = link;
    this.failed = failed;
    this.element = h("div", { class: "cup-code", role: "status" });
  }

  close() {
    show(this.element);
  }

  /** Offer to make a code. @param {string} id of the tournament @param {Role} role */
  offer(id, role) {
    show(
      this.element,
      h("p", { text: t("tournament.code.how") }),
      button({
        "data-act": "code",
        onclick: () => this.make(id, role),
        text: t("tournament.code.make", { role: phrases().text(`web.act.${role}`) }),
      }),
    );
  }

  /** Make a code, and show it this once. @param {string} id @param {Role} role */
  async make(id, role) {
    try {
      const [code, until] = await this.link.once("tournament_code", id, role);
      this.#show(role, code, until);
    } catch (error) {
      this.failed(error);
    }
  }

  /** @param {string} role @param {string} code @param {number} until */
  #show(role, code, until) {
    const address = h("input", {
      id: "code-link",
      readonly: true,
      value: `${location.origin}/account#invite=${encodeURIComponent(code)}`,
      onfocus: () => address.select(),
    });
    const copied = h("span", {});
    const told = { role: phrases().text(`web.act.${role}`), until: new Date(until).toLocaleString(spokenLanguage()) };
    show(
      this.element,
      h("label", { for: "code-link", text: t("tournament.code", told) }),
      address,
      button({
        "data-act": "copy",
        onclick: async () => {
          try {
            await navigator.clipboard.writeText(address.value);
            copied.textContent = t("time.copied");
          } catch {
            address.focus();
          }
        },
        text: t("host.copy"),
      }),
      copied,
    );
  }
}
