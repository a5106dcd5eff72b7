// @ts-check
/**
 * Choosing several of a few: picks of one kind that follow each other. They are shown together, as counters that are put in and taken out in
 * any order. Nothing is known of a title here: that more of the same may follow is seen from what would be on offer next, and a command that
 * wants its units in order gets them so. What the server does not take yet stays put in, and the command is not whole before it does.
 */

import { button, h } from "../ui/dom.js";
import { t } from "../words/words.js";

/** More candidates than this, all together, are a list to search through, and fewer no choice of several. */
const MOST = 40;
const FEWEST = 3;
/** How many picks ahead are looked at to find all candidates. */
const AHEAD_MOST = 16;

/** @typedef {import("../protocol.d.ts").Picks} Picks */
/** @typedef {import("../protocol.d.ts").Choices} Choices */
/** @typedef {import("../protocol.d.ts").Option} Option */

export class Tray {
  /** @param {Picks} before the picks before the first of the set @param {string} slot @param {Option[]} candidates in the order in which commands name them */
  constructor(before, slot, candidates) {
    this.before = before;
    this.slot = slot;
    this.candidates = candidates;
    /** what the player has put in @type {Picks} */
    this.taken = [];
    /** how much of it the server has taken */
    this.known = 0;
  }

  /** Whether something that was put in is not among the picks yet. */
  get pending() {
    return this.known < this.taken.length;
  }

  /** Put a candidate in, or take it out. @param {string | number} id */
  toggle(id) {
    const rank = new Map(this.candidates.map((option, n) => [option.id, n]));
    const taken = this.taken.includes(id) ? this.taken.filter((pick) => pick !== id) : [...this.taken, id];
    this.taken = taken.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
  }

  /** Whether these picks are of this set. @param {Picks} picks */
  holds(picks) {
    const { before, candidates } = this;
    const rest = picks.slice(before.length);
    return (
      picks.length >= before.length &&
      before.every((pick, n) => picks[n] === pick) &&
      rest.every((pick) => candidates.some(({ id }) => id === pick))
    );
  }

  /** The picks go on to these. @param {Picks} picks */
  follow(picks) {
    const rest = picks.slice(this.before.length);
    if (this.pending && rest.every((pick, n) => this.taken[n] === pick)) this.known = rest.length;
    else [this.taken, this.known] = [rest, rest.length];
  }
}

/**
 * The set that may be picked now, if what is on offer is one: as many as follow each other under one heading, each another counter.
 * @param {Picks} picks @param {Choices} choices @param {(id: string | number) => boolean} isPlace @param {(picks: Picks) => Promise<Choices>} ask
 * @returns {Promise<Tray | null>}
 */
export async function trayOf(picks, choices, isPlace, ask) {
  const { slot, options, span } = choices;
  const fit = (/** @type {Choices} */ one) =>
    one.slot === slot && !one.span && !one.options.some(({ id }) => isPlace(id));
  if (!picks.length || span || options.length < 2 || options.length > MOST || !fit(choices)) return null;
  const candidates = [...options];
  const known = new Set(options.map(({ id }) => id));
  // Who must take nine of ten in their order is offered two at a time.
  const tray = () =>
    candidates.length >= FEWEST && candidates.length <= MOST ? new Tray(picks, slot, candidates) : null;
  let chain = picks;
  let next = choices;
  for (let n = 0; n < AHEAD_MOST && candidates.length <= MOST; n++) {
    chain = [...chain, next.options[next.options.length - 1].id];
    next = await ask(chain);
    if (!fit(next) || !next.options.length) return n ? tray() : null;
    if (next.options.some(({ id }) => chain.includes(id))) return null; // the same may be picked again: it is a count
    for (const option of next.options) if (!known.has(option.id)) candidates.push(option);
    for (const { id } of next.options) known.add(id);
  }
  return tray();
}

/** @param {import("./play.js").Play} play @param {Tray} tray @param {(id: string | number) => void} point shows on the board what a button means */
export function trayElement(play, tray, point) {
  const { spoken, watch, board } = play.view;
  const now = watch.history.now.pieces;
  const offers = new Set(play.offer?.choices.options.map(({ id }) => id));
  const tiles = tray.candidates.map((option) => {
    const { id } = option;
    const piece = typeof id === "string" ? now.get(id) : undefined;
    const drawn = typeof id === "string" && board?.counters.pieces.has(id);
    const where =
      piece && typeof piece.place === "string" && board?.map.place(piece.place) ? spoken.name(piece.place) : "";
    const taken = tray.taken.includes(id);
    return button(
      {
        class: `tile${taken && tray.taken.indexOf(id) >= tray.known ? " pending" : ""}`,
        "data-act": `${!taken && offers.has(id) ? "pick" : "tray"}:${id}`,
        "aria-pressed": String(taken),
        onclick: () => play.toggle(id),
        onfocus: () => point(id),
        onmouseenter: () => point(id),
      },
      drawn ? board?.small(/** @type {string} */ (id), piece?.face, piece?.owner ?? "") : null,
      h("span", { text: spoken.option(option) }),
      where ? h("small", { text: where }) : null,
    );
  });
  return h(
    "section",
    { class: "pick-tray" },
    h("p", {
      class: "tray-count",
      role: "status",
      text: t("play.tray", { n: tray.taken.length, of: tray.candidates.length }),
    }),
    h("div", { class: "tiles", role: "group", "aria-label": t("play.choices") }, tiles),
  );
}
