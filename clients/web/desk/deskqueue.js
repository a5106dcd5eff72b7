// @ts-check
/**
 * What the games of an arbiter or a host need them for, as `warledger desk` lists it: frozen games, claims, ends that are held, flags that fall
 * soon, games in which nothing has happened for weeks, and games that the server has closed.
 */

import { face } from "../ui/clockface.js";
import { h, show } from "../ui/dom.js";
import { Refreshed } from "../ui/refreshed.js";
import { phrases, t } from "../words/words.js";

const REFRESH_MS = 10_000;
const PAGES_MAX = 20;
/** Closed games are asked for at one look in this number: one that is closed stays so until an operator mends it. */
const LOOKS_A_CLOSED = 6;
const KINDS = ["frozen", "claim", "heard", "held", "deadline", "quiet", "broken"];
/** A flag that falls within this time is among what there is to see to. */
const WITHIN_MS = 3_600_000;
/** So is a game without clocks in which nothing has happened for this long. */
const QUIET_MS = 14 * 24 * 3_600_000;

/** @typedef {{kind: string, game: string, title: string, n: number, seq: number, who: string, ms: number}} Matter */

/** What there is to see to in a game. @param {any} row @param {number} now @returns {Matter[]} */
function mattersOf(
  {
    game,
    title,
    stage,
    frozen = [],
    claims = [],
    held_ms: held = 0,
    deadline_ms: deadline = null,
    at_ms: last = 0,
    awaits = [],
  },
  now,
) {
  const one = { game, title, n: 0, seq: 0, who: "", ms: 0 };
  if (stage === "quarantined") return [{ ...one, kind: "broken" }];
  if (stage !== "playing") return [];
  return [
    ...frozen.map((/** @type {number} */ n) => ({ ...one, kind: "frozen", n })),
    ...claims.map((/** @type {any[]} */ [n, who, seq, arbiter]) => ({
      ...one,
      kind: arbiter ? "heard" : "claim",
      n,
      seq,
      who: arbiter || who,
    })),
    ...(held ? [{ ...one, kind: "held", ms: held }] : []),
    ...(deadline !== null && deadline - now <= WITHIN_MS
      ? [{ ...one, kind: "deadline", who: awaits.join(" "), ms: deadline }]
      : []),
    ...(deadline === null && !frozen.length && last && now - last >= QUIET_MS
      ? [{ ...one, kind: "quiet", who: awaits.join(" "), ms: last }]
      : []),
  ];
}

/** The most urgent first. @param {any[]} rows @param {number} [now] @returns {Matter[]} */
export function matters(rows, now = Date.now()) {
  const found = rows.flatMap((row) => mattersOf(row, now));
  return found.sort(
    (a, b) =>
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
      a.ms - b.ms ||
      (a.game < b.game ? -1 : a.game > b.game ? 1 : a.n - b.n),
  );
}

export class DeskQueue extends Refreshed {
  /** @param {import("../link/link.js").Link} link */
  constructor(link) {
    super(link, "desk-queue", REFRESH_MS);
    /** @type {any[]} the games that the server has closed, as it last told */
    this.closed = [];
    this.looks = 0;
  }

  async refresh() {
    const { link } = this;
    if (!link.open || !link.roles.some(([kind]) => kind === "host" || kind === "arbiter")) {
      this.element.hidden = true;
      return;
    }
    try {
      if (this.looks++ % LOOKS_A_CLOSED === 0)
        this.closed = (await this.#rows("")).filter(({ stage }) => stage === "quarantined");
      const found = matters(
        [...(await this.#rows("playing")), ...this.closed].filter(
          ({ game }) => link.arbitrates(game) || link.hosts(game),
        ),
      );
      // What is left of a held end or a bank is told anew each minute, not at each look: a screen reader would say it each time.
      const left = found.map(({ ms }) => (ms ? Math.ceil((ms - Date.now()) / 60_000) : 0));
      this.redraw([found, left], () => {
        this.element.hidden = !found.length;
        this.element.setAttribute("aria-labelledby", "desk-queue");
        show(
          this.element,
          h("h2", { id: "desk-queue", text: t("desk") }),
          h("p", { class: "lead", role: "status", text: t("desk.count", { n: found.length }) }),
          h(
            "ul",
            { class: "games" },
            found.map((one) =>
              h(
                "li",
                { class: "game-row" },
                h(
                  "a",
                  { href: `/game/${one.game}`, class: "game-link" },
                  h("span", { class: "game-title", text: phrases(one.title).name(one.title) || one.game }),
                  h("code", { text: one.game }),
                ),
                h("span", { class: "state", text: this.#told(one) }),
              ),
            ),
          ),
        );
      });
    } catch {
      // It is asked again.
    }
  }

  /** @param {Matter} one */
  #told({ kind, title, n, seq, who, ms }) {
    const spoken = phrases(title);
    if (kind === "held") return t("desk.held", { left: face(Math.max(0, ms - Date.now()), spoken) });
    const names = who
      .split(" ")
      .filter(Boolean)
      .map((seat) => spoken.name(seat))
      .join(", ");
    if (kind === "deadline")
      return t("desk.deadline", { left: face(Math.max(0, ms - Date.now()), spoken), who: names });
    if (kind === "broken") return t("desk.broken");
    if (kind === "quiet") return t("desk.quiet", { left: face(Date.now() - ms, spoken), who: names });
    return t(`desk.${kind}`, { n, seq, who: kind === "claim" ? spoken.name(who) : who });
  }

  /** @param {import("../protocol.d.ts").Messages["games"][0]} stage @returns {Promise<any[]>} */
  async #rows(stage) {
    const found = [];
    let after = "";
    for (let page = 0; page < PAGES_MAX; page++) {
      const [rows, more] = await this.link.request("games", stage, after, 500);
      found.push(...rows);
      if (!more || !rows.length) break;
      after = rows[rows.length - 1].game;
    }
    return found;
  }
}
