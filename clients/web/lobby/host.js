// @ts-check
/**
 * The host's part of the lobby: with their token hosts create games with the options of a title, hand out the seats' links, and replace
 * links and players. All of it is asked over the same connection as everything else; the token stays in this tab.
 */

import { button, h, show } from "../ui/dom.js";
import { DELAY_S_MAX } from "../records/limits.js";
import { Refused, ServerError, UNKNOWN_TOKEN } from "../link/link.js";
import { PACES } from "./paces.js";
import { choiceOf, composed, onLanguage, phrases, spokenLanguage, t } from "../words/words.js";

export const KEPT = "warledger.host";
const GAMES_MOST = 1000;

/** @typedef {{title: string, seats: string[], options: [string, any, any[], string][]}} TitleOffered */
/** @typedef {import("./gamerow.js").GameLine} GameLine */
/** @typedef {{game: string, title: string, seats: [string, string, string?][]}} Given seats with their tokens and who is to sit there, shown once */

/** The links that have been made on this page, newest first. They outlast a look at another part of it, and are nowhere stored: a token is shown once. @type {Given[]} */
const handedOut = [];

export class Host {
  /** @param {import("../link/link.js").Link} link */
  constructor(link) {
    this.link = link;
    this.said = "";
    /** @type {TitleOffered[]} */
    this.titles = [];
    /** @type {GameLine[]} */
    this.games = [];
    this.given = handedOut;
    this.chosen = "";
    this.formKey = "";
    /** @type {any} */
    this.form = null;
    this.body = h("div", {});
    this.summary = h("summary", {});
    this.element = h(
      "details",
      { class: "host", id: "host", open: location.hash === "#host" || Boolean(sessionStorage.getItem(KEPT)) },
      this.summary,
      this.body,
    );
    this.stop = onLanguage(() => this.draw());
    this.draw();
    const kept = sessionStorage.getItem(KEPT);
    if (link.opens) this.#enter();
    else if (kept) this.#login(kept, true);
  }

  dispose() {
    this.stop();
  }

  /** The link has shown the token of an account. */
  signedIn() {
    if (this.link.opens) this.#enter();
  }

  /** @param {string} token @param {boolean} [again] whether it was kept */
  async #login(token, again = false) {
    try {
      await this.link.login(token, "");
      if (!this.link.isHost) return this.#say(t("host.not"));
      sessionStorage.setItem(KEPT, token);
      await this.#enter();
    } catch (error) {
      if (again && error instanceof ServerError && error.code === UNKNOWN_TOKEN) sessionStorage.removeItem(KEPT);
      this.#failed(error);
    }
  }

  #leave() {
    this.link.forget(sessionStorage.getItem(KEPT) ?? "");
    sessionStorage.removeItem(KEPT);
    this.given.length = 0;
    this.#say("");
  }

  async #enter() {
    try {
      const [[titles], [games]] = await Promise.all([
        this.link.request("titles"),
        this.link.request("games", "", "", GAMES_MOST),
      ]);
      this.titles = /** @type {TitleOffered[]} */ (titles);
      this.games = /** @type {GameLine[]} */ (games)
        .filter((line) => this.link.hosts(line.game) && (line.stage === "gathering" || line.stage === "playing"))
        .sort((a, b) => b.created_ms - a.created_ms);
      this.chosen ||= titles[0]?.title ?? "";
      this.said = "";
      this.draw();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @param {string} said */
  #say(said) {
    this.said = said;
    this.draw();
  }

  /** @param {any} error */
  #failed(error) {
    this.#say(error instanceof Refused || error instanceof ServerError ? phrases().say(error.say) : String(error));
  }

  draw() {
    this.summary.textContent = t("host");
    const focused = this.body.contains(document.activeElement) ? document.activeElement?.id : "";
    const said = h("p", { class: "said", role: "alert", text: this.said });
    if (!this.link.opens) show(this.body, this.#door(), said);
    else
      show(
        this.body,
        h("h2", { text: t("host.new") }),
        this.#form(),
        said,
        this.#handedOut(),
        this.#running(),
        sessionStorage.getItem(KEPT) &&
          h("p", {}, button({ "data-act": "leave-host", onclick: () => this.#leave(), text: t("host.leave") })),
      );
    if (focused) document.getElementById(focused)?.focus();
  }

  #door() {
    const token = h("input", {
      id: "host-token",
      type: "password",
      autocomplete: "off",
      required: true,
      maxlength: 256,
    });
    return [
      h("p", { text: t("host.how") }),
      h(
        "form",
        {
          class: "host-form",
          onsubmit: () => this.#login(token.value.trim()),
        },
        h("label", { for: "host-token", text: t("host.token") }),
        token,
        h("button", { type: "submit", class: "primary", text: t("host.enter") }),
      ),
    ];
  }

  /** The same form as before as long as it is for the same title, so that what was chosen in it stays. */
  #form() {
    const key = `${this.chosen}|${spokenLanguage()}`;
    if (this.formKey !== key) [this.formKey, this.form] = [key, this.#newForm()];
    return this.form;
  }

  #newForm() {
    const spoken = phrases(this.chosen);
    const title = this.titles.find((one) => one.title === this.chosen);
    const choose = h(
      "select",
      {
        id: "host-title",
        onchange: () => {
          this.chosen = choose.value;
          this.draw();
        },
      },
      this.titles.map((one) =>
        h("option", { value: one.title, selected: one.title === this.chosen, text: spoken.name(one.title) }),
      ),
    );
    const rated = h("input", { id: "host-rated", type: "checkbox" });
    const unsigned = h("input", { id: "host-unsigned", type: "checkbox" });
    const pace = h(
      "select",
      { id: "host-clock" },
      h("option", { value: "", text: t("host.clock.none") }),
      Object.keys(PACES).map((name) => h("option", { value: name, text: t(`pace.${name}`) })),
    );
    const delay = h("input", { id: "host-delay", type: "number", min: 0, max: DELAY_S_MAX, value: 0, required: true });
    /** @type {[string, () => any][]} */
    const values = [];
    const options = (title?.options ?? []).map(([name, standard, choices, rule]) => {
      const id = `option-${name}`;
      const key = `option.${this.chosen}.${name}`;
      const label = h(
        "label",
        { for: id },
        spoken.has(key) ? spoken.text(key) : name,
        " ",
        h("span", { class: "rule", text: rule }),
      );
      if (choices.length === 2 && choices.every((/** @type {any} */ choice) => typeof choice === "boolean")) {
        const box = h("input", { id, type: "checkbox", checked: standard });
        values.push([name, () => box.checked]);
        return h("div", { class: "option" }, box, label);
      }
      const select = h(
        "select",
        { id },
        choices.map((choice, i) =>
          h("option", { value: i, selected: choice === standard, text: choiceOf(spoken, choice) }),
        ),
      );
      values.push([name, () => choices[Number(select.value)]]);
      return h("div", { class: "option" }, select, label);
    });
    return h(
      "form",
      {
        class: "host-new",
        onsubmit: () => {
          // Only what differs is sent; the rest has the title's own defaults.
          const picked = values
            .map(([name, value]) => [name, value()])
            .filter(([name, value]) => title?.options.find(([one]) => one === name)?.[1] !== value);
          this.#create(Object.fromEntries(picked), {
            ...(PACES[pace.value] ? { clock: PACES[pace.value] } : {}),
            delay: [Number(delay.value), 0],
            ...(rated.checked ? { rated: true } : {}),
            ...(unsigned.checked ? { unsigned_seats: true } : {}),
          });
        },
      },
      h(
        "div",
        { class: "host-form" },
        h("label", { for: "host-title", text: t("host.title") }),
        choose,
        h("label", { for: "host-delay", text: t("host.delay") }),
        delay,
        h("label", { for: "host-clock", text: t("host.clock") }),
        pace,
      ),
      h("div", { class: "option" }, rated, h("label", { for: "host-rated", text: t("host.rated") })),
      h("div", { class: "option" }, unsigned, h("label", { for: "host-unsigned", text: t("host.unsigned") })),
      options.length ? h("fieldset", {}, h("legend", { text: t("host.options") }), options) : null,
      h("button", { type: "submit", class: "primary", "data-act": "create", text: t("host.create") }),
    );
  }

  /** @param {Record<string, any>} options @param {Record<string, any>} terms */
  async #create(options, terms) {
    try {
      const sorted = Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)));
      const [game, tokens] = await this.link.request("open_game", this.chosen, sorted, terms);
      if (!this.link.isHost) this.link.roles.push(["host", game, ""]);
      this.given.unshift({ game, title: this.chosen, seats: tokens });
      await this.#enter();
    } catch (error) {
      this.#failed(error);
    }
  }

  #handedOut() {
    if (!this.given.length) return null;
    return h(
      "section",
      { "aria-labelledby": "host-given" },
      h("h2", { id: "host-given", text: t("host.links") }),
      h("p", { text: t("host.links.how") }),
      this.given.map(({ game, title, seats }) =>
        h(
          "div",
          { class: "given" },
          h("h3", {}, h("a", { href: `/game/${game}` }, phrases(title).name(title), " ", h("code", { text: game }))),
          h(
            "ul",
            {},
            seats.map(([seat, token, player]) => this.#seatLink(game, title, seat, token, player)),
          ),
        ),
      ),
    );
  }

  /** @param {string} game @param {string} title @param {string} seat @param {string} token @param {string} [player] who takes the seat over */
  #seatLink(game, title, seat, token, player) {
    const name = phrases(title).name(seat);
    const id = `link-${game}-${seat}`;
    const address = h("input", {
      id,
      readonly: true,
      value: `${location.origin}/game/${game}#token=${encodeURIComponent(token)}${player ? `&name=${encodeURIComponent(player)}` : ""}`,
      onfocus: () => address.select(),
    });
    const copied = h("span", { role: "status" });
    return h(
      "li",
      {},
      h("label", { for: id, text: name }),
      address,
      button({
        "data-act": "copy",
        "aria-label": t("host.copy_for", { seat: name }),
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

  /** Games in progress, with a way to give each seat another link or another player. */
  #running() {
    if (!this.games.length) return null;
    return h(
      "section",
      { "aria-labelledby": "host-games" },
      h("h2", { id: "host-games", text: t("host.games") }),
      h("p", { text: t("host.games.how") }),
      this.games.map((line) => {
        const spoken = phrases(line.title);
        const open = this.body.querySelector(`[data-game="${CSS.escape(line.game)}"]`)?.hasAttribute("open");
        return h(
          "details",
          { class: "host-game", "data-game": line.game, open },
          h("summary", {}, spoken.name(line.title), " ", h("code", { text: line.game })),
          h(
            "ul",
            {},
            line.seats.map(([seat, player]) => {
              const id = `player-${line.game}-${seat}`;
              const input = h("input", { id, maxlength: 40, autocomplete: "off", required: true });
              return h(
                "li",
                {},
                h("b", { text: spoken.name(seat) }),
                ` ${player || "–"} `,
                button({
                  "data-act": "new-link",
                  "aria-label": t("host.new_link_for", { seat: spoken.name(seat) }),
                  onclick: () => this.#newToken(line.game, seat),
                  text: t("host.new_link"),
                }),
                line.stage === "playing"
                  ? h(
                      "form",
                      {
                        class: "host-form",
                        onsubmit: () => this.#newToken(line.game, seat, composed(input.value.trim())),
                      },
                      h("label", { for: id, text: t("host.replace_by", { seat: spoken.name(seat) }) }),
                      input,
                      h("button", { type: "submit", text: t("host.replace") }),
                    )
                  : null,
              );
            }),
          ),
        );
      }),
    );
  }

  /** A new token for a seat, and for somebody else where they are named. @param {string} game @param {string} seat @param {string} [name] */
  async #newToken(game, seat, name) {
    try {
      const [, , token] = await (name === undefined
        ? this.link.request("new_token", game, seat)
        : this.link.request("replace", game, seat, name));
      const entry = this.given.find((one) => one.game === game);
      if (entry) entry.seats = [...entry.seats.filter(([one]) => one !== seat), [seat, token, name]];
      else
        this.given.unshift({
          game,
          title: this.games.find((line) => line.game === game)?.title ?? this.chosen,
          seats: [[seat, token, name]],
        });
      await this.#enter();
    } catch (error) {
      this.#failed(error);
    }
  }
}
