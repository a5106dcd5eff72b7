// @ts-check
/** What a player may do about the clocks: pauses, leave, nights, the flag of the other side. */

import { button, h } from "../ui/dom.js";
import { t } from "../words/words.js";

/** How much time a seat whose flag has fallen is given at once. */
const GIVEN_MS = 10 * 60_000;

export class PlayClocks {
  /** @param {import("./play.js").Play} play */
  constructor(play) {
    this.play = play;
  }

  /** What the player may do about the clocks, or null in a game without. */
  more() {
    const { play } = this;
    const { clocks } = play.view;
    const { control } = clocks;
    if (!control) return null;
    return [
      clocks.paused
        ? null
        : h(
            "div",
            { class: "play-actions" },
            this.#clockButton("pause", () => play.act("ask", ["pause", 0], "clock.asked")),
            this.#clockButton("adjourn", () => play.act("ask", ["adjourn", 0], "clock.asked")),
          ),
      control.leave_days ? this.#leave() : null,
      control.nights ? this.#night(control.nights) : null,
    ];
  }

  /** What the player should see at once about the clocks: a pause that they can end, a flag of the other side. */
  urgent() {
    const { play } = this;
    const { control, clocks, paused, fallen } = play.view.clocks;
    if (!control || !clocks) return [];
    if (paused && !clocks.pause?.resumed.includes(play.seat)) {
      return [
        h(
          "div",
          { class: "request" },
          h("p", { text: t("clock.is_paused") }),
          h(
            "div",
            { class: "play-actions" },
            this.#clockButton("resume", () => play.act("clock", ["resume", play.seat])),
          ),
        ),
      ];
    }
    const fell = fallen.filter((one) => one !== play.seat);
    if (control.fall !== "claim" || !fell.length) return [];
    return [
      h(
        "div",
        { class: "request" },
        h("p", { text: play.view.spoken.text("ui.clock.flag", { seat: fell[0] }) }),
        h(
          "div",
          { class: "play-actions" },
          this.#clockButton("claim", () => play.act("ask", ["flag", 0])),
          this.#clockButton("give", () => play.act("clock", ["credit", fell[0], GIVEN_MS, "", []])),
        ),
      ),
    ];
  }

  /** @param {string} what @param {() => void} act */
  #clockButton(what, act) {
    return button({ "data-act": `clock:${what}`, onclick: act, text: t(`clock.${what}`) });
  }

  #leave() {
    const { play } = this;
    const [from, to] = ["from", "to"].map((which) =>
      h("input", { id: `leave-${which}`, type: "date", required: true }),
    );
    return h(
      "form",
      {
        class: "clock-form",
        onsubmit: () => {
          // Whole days in the reader's own time zone; today begins now.
          const begins = Math.max(new Date(`${from.value}T00:00`).getTime(), play.view.clocks.now + 1000);
          const last = new Date(`${to.value}T00:00`);
          last.setDate(last.getDate() + 1);
          play.act("clock", ["leave", play.seat, begins, last.getTime()]);
        },
      },
      h("label", { for: "leave-from", text: t("clock.leave_from") }),
      from,
      h("label", { for: "leave-to", text: t("clock.leave_to") }),
      to,
      h("button", { type: "submit", "data-act": "clock:leave", text: t("clock.leave") }),
    );
  }

  /** @param {number} most hours */
  #night(most) {
    const { play } = this;
    const begins = h("input", { id: "night-from", type: "time", required: true, value: "22:00" });
    const hours = h("input", {
      id: "night-hours",
      type: "number",
      min: 1,
      max: most,
      value: Math.min(8, most),
      required: true,
    });
    return h(
      "form",
      {
        class: "clock-form",
        onsubmit: () => {
          const [hour, minute] = begins.value.split(":").map(Number);
          const start = new Date(play.view.clocks.now);
          start.setHours(hour, minute);
          play.act("clock", [
            "night",
            play.seat,
            start.getUTCHours() * 60 + start.getUTCMinutes(),
            Number(hours.value) * 60,
          ]);
        },
      },
      h("label", { for: "night-from", text: t("clock.night_from") }),
      begins,
      h("label", { for: "night-hours", text: t("clock.night_hours") }),
      hours,
      h("button", { type: "submit", "data-act": "clock:night", text: t("clock.night") }),
    );
  }
}
