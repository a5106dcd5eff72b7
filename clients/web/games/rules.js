// @ts-check
/** What a clause says, in our own short words, with the rulings that read it: opened beside the board by its §. */

import { button, h, icon, show } from "../ui/dom.js";
import { onLanguage, t } from "../words/words.js";

/** Clauses and rulings by number; `of` are the clauses that a ruling reads. @typedef {{clauses: [string, string][], rulings: [string, string, string[]][]}} Book */

/** How titles are called before the numbers of their clauses, where they are cited beside another's. */
const CALLED = /^(?:HR|TY|VL|WAS)\s+/;
const NEAR_MOST = 30;

/** The sign of a clause, to be pressed; before an audience, where there is nothing to press, only to be read. @param {string} rule @param {boolean} [apart] whether it is no stop of the Tab key, since there are many */
export const ruleSign = (rule, apart = false) =>
  document.body.classList.contains("cast")
    ? h("span", { class: "rule", text: rule })
    : button({
        class: "rule",
        "data-rule": rule,
        tabindex: apart ? -1 : null,
        "aria-label": t("rule.open", { rule }),
        text: rule,
      });

/** The clauses that a citation names. @param {string} rule */
export const cited = (rule) =>
  rule
    .split(/\s*[;,]\s*/)
    .map((one) => one.replace(CALLED, ""))
    .filter(Boolean);

/**
 * What a book says of a clause: itself, what is below it, or if it does not have it the nearest clause above; and the rulings on any of these.
 * @param {Book} book @param {string} number @returns {Book}
 */
export function found(book, number) {
  const below = (/** @type {string} */ one, /** @type {string} */ of) =>
    one !== of && one.startsWith(of) && !(/[0-9]$/.test(of) && /^[0-9]/.test(one.slice(of.length)));
  for (let at = number; /\d/.test(at); at = at.replace(/(?:\([^()]*\)|[-.]?[0-9]+|[a-z]+|[^0-9a-z]+)$/i, "")) {
    const clauses = book.clauses.filter(([one]) => one === at || below(one, at)).slice(0, NEAR_MOST);
    const rulings = book.rulings
      .filter(
        ([one, , of]) => one === at || of.some((clause) => clause === at || below(clause, at) || below(at, clause)),
      )
      .slice(0, NEAR_MOST);
    if (clauses.length || rulings.some(([one]) => one === at)) return { clauses, rulings };
  }
  return { clauses: [], rulings: [] };
}

export class RulesPane {
  /** @param {HTMLElement} within where signs are pressed */
  constructor(within) {
    this.element = h("section", { class: "rule-text", hidden: true, tabindex: -1 });
    this.title = "";
    /** @type {Promise<Book> | null} */
    this.book = null;
    this.rule = "";
    /** what was pressed @type {HTMLElement | null} */
    this.from = null;
    this.stopLanguage = onLanguage(() => this.rule && this.open(this.rule, this.from));
    within.addEventListener(
      "click",
      (event) => {
        const sign = /** @type {Element} */ (event.target).closest("button[data-rule]");
        if (!(sign instanceof HTMLElement)) return;
        event.stopPropagation();
        const rule = sign.dataset.rule ?? "";
        if (rule === this.rule) this.close();
        else this.open(rule, sign);
      },
      true,
    );
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
  }

  /** @param {string} title */
  async #read(title) {
    if (!/^[a-z0-9_]+$/.test(title)) return { clauses: [], rulings: [] };
    const answer = await fetch(`/rules/${title}.json`);
    return answer.ok ? answer.json() : { clauses: [], rulings: [] };
  }

  /** All that a record cites, once each; closed if it is open already. @param {string[]} rules */
  openAll(rules) {
    const rule = [...new Set(rules.flatMap((one) => one.split(/\s*[;,]\s*/)).filter(Boolean))].join("; ");
    if (!rule || rule === this.rule) this.close();
    else this.open(rule);
  }

  /** @param {string} rule @param {HTMLElement | null} [from] */
  async open(rule, from = null) {
    this.rule = rule;
    this.from = from;
    if (this.title) this.book ??= this.#read(this.title);
    /** @type {Book | null} */
    let book = null;
    try {
      book = await this.book;
    } catch {
      this.book = null; // asked again the next time
    }
    if (this.rule !== rule) return;
    const parts = book ? cited(rule).map((number) => found(/** @type {Book} */ (book), number)) : [];
    const clauses = new Map(parts.flatMap((part) => part.clauses));
    const rulings = new Map(
      parts.flatMap((part) => part.rulings.map(([number, text]) => /** @type {[string, string]} */ ([number, text]))),
    );
    const list = (/** @type {Map<string, string>} */ items) =>
      h(
        "dl",
        { lang: "en" },
        [...items].map(([number, text]) => [h("dt", { text: number }), h("dd", { text })]),
      );
    this.element.setAttribute("aria-label", t("rule.open", { rule }));
    show(
      this.element,
      h(
        "div",
        { class: "rule-head" },
        h("h2", { text: `§${rule}` }),
        button(
          {
            class: "icon",
            "data-act": "close-rule",
            "aria-label": t("rule.close"),
            title: t("rule.close"),
            onclick: () => this.close(),
          },
          icon("close"),
        ),
      ),
      clauses.size ? list(clauses) : h("p", { text: t("rule.none") }),
      rulings.size ? [h("h3", { text: t("rule.rulings") }), list(rulings)] : null,
      h("p", { class: "muted", text: t("rule.about") }),
    );
    this.element.hidden = false;
    this.element.scrollTop = 0;
    this.element.focus({ preventScroll: true });
  }

  close() {
    this.element.hidden = true;
    this.rule = "";
    this.from?.focus({ preventScroll: true });
    this.from = null;
  }

  dispose() {
    this.stopLanguage();
  }
}
