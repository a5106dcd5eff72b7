// @ts-check
/**
 * Table talk beside the board. It is asked for every few seconds while it is looked at, and now and then while it is not, to say how many lines are
 * new. Whoever is hidden here is hidden in this browser alone. Nothing of it is part of the log.
 */

import { button, h, show } from "../ui/dom.js";
import { LINE_CHARS_MAX } from "../records/limits.js";
import { Refused, ServerError } from "../link/link.js";
import { composed, onLanguage, phrases, spokenLanguage, t } from "../words/words.js";

const LOOK_MS = 3000;
/** While it is not looked at, it is asked for this many times less often. */
const UNSEEN = 5;
const MUTED = "warledger.muted";

/** @typedef {[number, number, string, string, string, boolean]} Line number, time, who, name, text, reported */

/** Text with its control and direction characters made visible. @param {string} text */
export const visible = (text) =>
  text.replace(
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udfff](?![\udc00-\udfff])/g,
    (char) => (/[\ud800-\udbff]/.test(char) ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );

/** @returns {string[]} */
const mutedHere = () => {
  try {
    const found = JSON.parse(localStorage.getItem(MUTED) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
};

export class TalkPane {
  /** @param {import("../link/link.js").Link} link @param {string} game @param {() => string} seat the seat that is played here, "" for none @param {(fresh: number) => void} told how many lines are new */
  constructor(link, game, seat, told) {
    this.link = link;
    this.game = game;
    this.seat = seat;
    this.told = told;
    this.room = "";
    this.shown = false;
    this.fresh = 0;
    this.state = "";
    /** @type {Map<number, Line>} */
    this.lines = new Map();
    this.after = 0;
    /** whether it has been asked for before */
    this.begun = false;
    this.shut = false;
    /** @type {string[]} */
    this.may = [];
    this.list = h("div", { class: "talk-lines", tabindex: 0, role: "log", "aria-live": "polite" });
    this.news = h("p", { class: "said", role: "status", "data-kind": "trouble" });
    this.input = h("input", { id: "talk-text", maxlength: LINE_CHARS_MAX, autocomplete: "off" });
    this.element = h("div", { class: "talk about" });
    this.stopLanguage = onLanguage(() => this.draw());
    this.draw();
    this.beats = 0;
    this.onBack = () => this.look();
    document.addEventListener("visibilitychange", this.onBack);
    this.timer = setInterval(() => {
      if (this.shown || ++this.beats % UNSEEN === 0) this.look();
    }, LOOK_MS);
    this.look();
  }

  dispose() {
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.onBack);
    this.stopLanguage();
  }

  /** @param {boolean} shown whether it is looked at */
  show(shown) {
    this.shown = shown;
    if (!shown) return;
    this.fresh = 0;
    this.told(0);
    this.draw();
    this.look();
  }

  /** Ask for what is new. */
  async look() {
    if (!this.link.open || this.looking) return;
    this.looking = true;
    const room = this.seat() ? "players" : "spectators";
    if (room !== this.room) [this.room, this.lines, this.after, this.begun] = [room, new Map(), 0, false];
    try {
      const [, , shut, may, lines, removed] = await this.link.request("talk", this.game, room, this.after);
      if (room !== this.room) return;
      for (const line of lines) this.lines.set(line[0], line);
      const fresh = lines.filter((/** @type {Line} */ [n]) => n > this.after).length;
      this.after = Math.max(this.after, ...lines.map((/** @type {Line} */ line) => line[0]));
      const gone = removed.filter((/** @type {[number]} */ [n]) => this.lines.delete(n)).length;
      const now = JSON.stringify([
        shut,
        may,
        lines.filter((/** @type {Line} */ line) => line[5]).map((/** @type {Line} */ [n]) => n),
      ]);
      const first = !this.begun;
      this.begun = true;
      if (!first && !this.shown && fresh) this.told((this.fresh += fresh));
      // There may be another page of them.
      if (fresh) window.setTimeout(() => this.look(), 0);
      if (!fresh && !gone && now === this.state) return;
      this.state = now;
      this.shut = shut;
      this.may = may.flat();
      this.draw();
    } catch (error) {
      if (this.shown && error instanceof ServerError && !error.again_ms)
        this.news.textContent = phrases().say(error.say);
    } finally {
      this.looking = false;
    }
  }

  /** @template {"say" | "talk_act"} T @param {T} tag @param {import("../protocol.d.ts").BehindPlace<T>} fields */
  async #ask(tag, ...fields) {
    this.news.textContent = "";
    try {
      await this.link.once(tag, .../** @type {any} */ ([this.game, this.room, ...fields]));
    } catch (error) {
      this.news.textContent =
        error instanceof Refused || error instanceof ServerError ? phrases().say(error.say) : String(error);
      return false;
    }
    if (tag === "talk_act") [this.after, this.state] = [0, ""];
    await this.look();
    return true;
  }

  /** @param {string} who @param {boolean} muted */
  #mute(who, muted) {
    const others = mutedHere().filter((one) => one !== `${this.game} ${who}`);
    localStorage.setItem(MUTED, JSON.stringify((muted ? [...others, `${this.game} ${who}`] : others).slice(-200)));
    this.draw();
  }

  /** What may be done about a line. @param {Line} line @param {boolean} muted */
  #acts([n, , who, name], muted) {
    const act = (/** @type {string} */ what, /** @type {() => void} */ onclick) =>
      button({
        "data-act": `talk-${what}:${n}`,
        onclick,
        text: t(`talk.${what}`),
        "aria-label": `${t(`talk.${what}`)}: ${visible(name)}, ${n}`,
      });
    const own = who === this.seat();
    const rule = this.may.includes("rule");
    return h(
      "details",
      { class: "talk-acts" },
      h("summary", { "aria-label": `${t("talk.more")}: ${n}`, text: "…" }),
      own ? null : act(muted ? "show" : "hide", () => this.#mute(who, !muted)),
      own ? null : act("report", () => this.#ask("talk_act", "report", n)),
      rule
        ? [
            act("remove", () => this.#ask("talk_act", "remove", n)),
            act("mute", () => this.#ask("talk_act", "mute", n)),
            act("unmute", () => this.#ask("talk_act", "unmute", n)),
          ]
        : null,
    );
  }

  draw() {
    const muted = mutedHere();
    const speaks = this.may.includes("say") && !this.shut;
    const typing = document.activeElement === this.input;
    const atEnd = this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - 4;
    show(
      this.list,
      h(
        "ol",
        {},
        [...this.lines.values()].map((line) => {
          const [, at_ms, who, name, text, reported] = line;
          const hidden = muted.includes(`${this.game} ${who}`);
          const when = new Date(at_ms);
          return h(
            "li",
            { class: reported ? "reported" : null },
            h("time", {
              datetime: when.toISOString(),
              text: when.toLocaleTimeString(spokenLanguage(), { hour: "2-digit", minute: "2-digit" }),
            }),
            " ",
            h("b", { text: visible(name) }),
            " ",
            h("span", { text: hidden ? t("talk.hidden") : visible(text) }),
            reported && this.may.includes("rule") ? [" ", h("em", { text: t("talk.reported") })] : null,
            this.#acts(line, hidden),
          );
        }),
      ),
    );
    this.list.setAttribute("aria-label", t(this.room === "players" ? "talk.players" : "talk.spectators"));
    this.input.setAttribute("aria-label", t("talk.text"));
    show(
      this.element,
      h("h2", { text: t(this.room === "players" ? "talk.players" : "talk.spectators") }),
      h("p", { text: t("talk.how") }),
      this.lines.size ? null : h("p", { class: "empty", text: t("talk.silence") }),
      this.list,
      this.shut ? h("p", { text: t("talk.is_shut") }) : null,
      this.news,
      speaks
        ? h(
            "form",
            {
              class: "talk-form",
              onsubmit: async () => {
                const text = composed(this.input.value.trim());
                if (text && (await this.#ask("say", this.room === "players" ? this.seat() : "", text)))
                  this.input.value = "";
              },
            },
            this.input,
            h("button", { type: "submit", "data-act": "talk-say", text: t("talk.say") }),
          )
        : this.shut
          ? null
          : h("p", { text: t("talk.sign_in") }),
      this.may.includes("rule")
        ? h(
            "p",
            {},
            button({
              "data-act": "talk-switch",
              onclick: () => this.#ask("talk_act", this.shut ? "open" : "shut", 0),
              text: t(this.shut ? "talk.open" : "talk.shut"),
            }),
          )
        : null,
    );
    if (typing) this.input.focus();
    if (atEnd) this.list.scrollTop = this.list.scrollHeight;
  }
}
