// @ts-check
/**
 * The card of a combat beside the clash, never over it: who fights, the odds, the column of results with its chances, the dice, and what comes
 * of it. It stays until the next, and can be closed. What is told besides stands in a strip at the edge of the board.
 */

import { button, calm, h, show } from "../ui/dom.js";
import { receipts, tell } from "../games/story.js";
import { diceRow, lineOf } from "../games/storypane.js";
import { t } from "../words/words.js";
import { behind, combatOf, stripOf } from "./combat.js";
import { boxOf } from "./camera.js";
import { sceneOf } from "./scenes.js";

/** What comes of a roll. Where nothing of it follows one, the roll had no effect. */
const OUTCOMES = ["take", "flip", "move", "mark", "put", "track", "count", "learn", "veil"];
/** More dice than this are told in their sentences. */
const DICE_MOST = 6;
const LINES_MOST = 7;
/** So many lines stand in two columns where there is room. */
const LINES_MANY = 5;
/** A card that is higher than its board tells its newest sentences, and no fewer than these. */
const LINES_LEAST = 2;
/** Where a column has more results than these, they are told in smaller type. */
const CELLS_MOST = 7;
const FIGHTERS_MOST = 12;
const MARGIN = 10;
/** What is left free around the circle of the fight, in the map's units. */
const ROUND = 12;
const TOOLS_PX = 44;
const CHIP_PX = 46;
const CORNERS = ["tl", "tr", "bl", "br"];

export class CombatCard {
  /** @param {import("../games/gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    this.element = h("section", { class: "card", hidden: true, tabindex: "0" });
    this.strip = h("div", { class: "caption", "aria-hidden": "true" });
    /** the combat that the card is about @type {import("../link/watch.js").Span | null} */
    this.span = null;
    /** the combat whose card was closed @type {import("../link/watch.js").Span | null} */
    this.closed = null;
    /** the record and the part of it that the card tells */
    this.drawn = "";
    /** where the combat is and where its units come from @type {Set<string>} */
    this.places = new Set();
    /** where the combat is @type {string} */
    this.at = "";
    /** how far the map must move down so that neither the card nor, on a phone, the tools lie over the circle of the fight; up, if less than nothing */
    this.over = 0;
    this.corner = "tl";
    /** the language, record, part and combat that are drawn */
    this.key = "";
    this.sizes = new ResizeObserver(() => this.place());
    this.sizes.observe(this.element);
  }

  /**
   * @param {import("./scenes.js").Part[]} parts of the record @param {number} seq @param {number} part the last one that is shown
   * @param {boolean} lively @param {string} language
   */
  draw(parts, seq, part, lively, language) {
    const { watch } = this.view;
    const last = parts.findLastIndex(({ span }, i) => span && i <= part);
    const now = parts[part]?.span ? part : lively ? -1 : last;
    // Whoever goes on by whole records has not seen what came of a combat that ended within this one.
    const missed = lively && now < 0 && last >= 0 && this.drawn !== `${seq}|${last}`;
    const open =
      watch.spans.findLast((span) => span.span === "combat" && span.from <= seq && (span.to < 0 || span.to > seq)) ??
      null;
    // Scrubbed past its end, a combat is over: its card stays only while the game goes on by itself.
    const span = parts[now]?.span ?? (missed ? parts[last].span : lively ? this.span : open);
    const key = `${language}|${seq}|${part}|${span?.from}`;
    const until = now >= 0 ? now : missed ? last : Infinity;
    if (span !== this.closed) this.closed = null;
    this.span = span;
    // What is told now is not of the combat: its card makes room for that until the next one, but stays.
    this.element.classList.toggle("past", lively && now < 0);
    if (!span || this.closed) this.hide();
    else if (now >= 0 || missed || !lively || this.element.hidden) {
      if (key !== this.key) this.#draw(span, seq, until, lively);
      this.drawn = `${seq}|${until}`;
    }
    this.key = key;
    this.#drawStrip(parts, seq, part, lively);
    // Once before the next frame, for all that has been drawn until then.
    this.placing ||= requestAnimationFrame(() => {
      this.placing = 0;
      this.place();
    });
  }

  /** The combat that is being told, or null. */
  get fought() {
    return this.element.hidden || this.element.classList.contains("past") ? null : this.span;
  }

  hide() {
    this.element.hidden = true;
    this.places = new Set();
  }

  #close() {
    this.closed = this.span;
    this.hide();
    this.view.board?.frame.focus();
  }

  /** @param {import("../link/watch.js").Span} span @param {number} seq @param {number} part @param {boolean} lively */
  #draw(span, seq, part, lively) {
    const { board, watch, spoken } = this.view;
    if (!board) return;
    const known = (/** @type {any} */ id) => typeof id === "string" && Boolean(board.map.place(id));
    const scene = sceneOf(watch, span, seq, part);
    const combat = combatOf(span, scene, watch.boardAt(Math.max(0, span.from - 1)), known);
    const strip = stripOf(board.map.told.results, combat.given);
    this.places = combat.places;
    this.at = combat.place;
    const record = watch.records[scene[scene.length - 1]?.seq ?? seq];
    const rolls = combat.rolls.length || !record ? combat.rolls : behind(receipts(record), combat.given);
    const dice = rolls.flatMap(({ dice: one }) => one);
    const large = dice.length > 0 && dice.length <= DICE_MOST;
    const told = record
      ? tell(
          { ...record, kind: "", secrets: [], effects: combat.effects.filter(([tag]) => tag !== "open") },
          spoken,
        ).filter(({ kind }) => kind === "sentence" || kind === "dice")
      : [];
    const lines = told.filter(({ kind }) => !(large && kind === "dice")).slice(-LINES_MOST);
    const vain =
      !strip &&
      combat.effects.some(([tag]) => tag === "roll") &&
      !combat.effects.some(([tag]) => OUTCOMES.includes(tag));
    this.element.hidden = false;
    this.element.setAttribute("aria-label", spoken.say([span.key, span.args, ""]));
    show(
      this.element,
      h(
        "header",
        { class: "card-head" },
        h("h2", {}, h("span", { class: "card-before", text: t("card.before") }), spoken.say([span.key, span.args, ""])),
        button({
          class: "card-close",
          "data-act": "close-card",
          "aria-label": t("card.close"),
          title: t("card.close"),
          onclick: () => this.#close(),
          text: "×",
        }),
      ),
      h(
        "div",
        { class: "card-sides" },
        combat.attackers.length ? this.#side(combat.attackers, combat.place, true) : this.#from(combat),
        this.#side(combat.defenders, combat.place, false),
      ),
      this.#odds(combat.given, combat.place),
      strip ? this.#strip(strip) : null,
      large
        ? h(
            "div",
            { class: "card-dice" },
            rolls.map((roll) => diceRow(roll.dice, roll.sides)),
          )
        : null,
      h(
        "div",
        { class: "card-lines" },
        told.length > LINES_MOST ? h("p", { class: "line more", text: "…" }) : null,
        lines.map((line) => lineOf(large ? { ...line, dice: null } : line)),
        vain ? h("p", { class: "line card-vain", text: t("card.vain") }) : null,
      ),
    );
    this.element.classList.toggle("resulted", Boolean(this.element.querySelector(".card-result")));
    this.element.classList.remove("fresh");
    if (lively && !calm() && !this.view.showing.brief) requestAnimationFrame(() => this.element.classList.add("fresh"));
  }

  /** @param {import("./combat.js").Fighter[]} fighters @param {string} place @param {boolean} first */
  #side(fighters, place, first) {
    const { board, spoken } = this.view;
    if (!fighters.length || !board) return null;
    const attacks = fighters.every((one) => one.place !== place);
    const owner = fighters[0].owner;
    const role = attacks
      ? spoken.text("web.card.attacks", { side: owner })
      : board.map.kind === "hex"
        ? spoken.text("web.card.defends", { side: owner })
        : spoken.name(owner);
    const more = fighters.length - FIGHTERS_MOST;
    return h(
      "div",
      { class: `card-side side-${owner} ${first ? "first" : "second"}` },
      h("h3", { text: role }),
      h(
        "ul",
        {},
        fighters.slice(0, FIGHTERS_MOST).map((one) =>
          h(
            "li",
            {
              class: one.fate,
              title: [spoken.name(one.id), one.fate ? t(`card.${one.fate}`) : ""].filter(Boolean).join(": "),
            },
            board.small(one.id, one.face, one.owner),
            h("span", { class: "sr-only", text: spoken.name(one.id) }),
          ),
        ),
        more > 0 ? h("li", { class: "more", text: `+${more}` }) : null,
      ),
    );
  }

  /** Where an attack comes from, of whose units nothing is shown. @param {import("./combat.js").Combat} combat */
  #from({ given, origins }) {
    const side = given.get("attacker");
    if (typeof side !== "string" || !origins.length) return null;
    return h(
      "div",
      { class: `card-side side-${side} first` },
      h("h3", { text: this.view.spoken.text("web.card.attacks_from", { side, places: origins }) }),
    );
  }

  /** The sums that the sentences name, and the ground. @param {Map<string, any>} given @param {string} place */
  #odds(given, place) {
    const [attack, defence, column] = [given.get("attack"), given.get("defence"), given.get("column")];
    if (attack === undefined || defence === undefined) return null;
    const { board } = this.view;
    const ground = board?.map.kind === "hex" ? this.view.pieces.terrain(board, place) : "";
    const shift = Number(given.get("shift") ?? -(given.get("n_shift") ?? 0)) || 0;
    return h(
      "p",
      { class: "card-odds" },
      h("b", { text: String(attack) }),
      h("span", { text: t("card.against") }),
      h("b", { text: String(defence) }),
      column ? [h("span", { class: "card-arrow", text: "→" }), h("b", { class: "card-column", text: column })] : null,
      shift ? h("span", { class: "card-shift", text: t("card.shift", { n: shift }) }) : null,
      ground ? h("span", { class: "card-ground", text: ground }) : null,
    );
  }

  /** @param {import("./combat.js").Strip} strip */
  #strip({ cells, all, code, total }) {
    const { board, spoken } = this.view;
    const results = board?.map.told.results;
    if (!results) return null;
    const { codes: rows, choose, also } = results;
    const codes = new Map(rows.map(([id, ...rest]) => [id, rest]));
    const besides = new Map(also);
    /** @param {string} id */
    const hurt = (id) => {
      const [al = 0, ab = 0, dl = 0, db = 0] = codes.get(id) ?? [];
      return al + ab > dl + db
        ? "hurts-attacker"
        : dl + db > al + ab
          ? "hurts-defender"
          : al + ab
            ? "hurts-both"
            : "hurts-none";
    };
    /** @param {string} id */
    const words = (id) => {
      const [al = 0, ab = 0, dl = 0, db = 0] = codes.get(id) ?? [];
      const said = [
        al ? t("result.attackers_lose", { n: al }) : "",
        ab ? t(choose ? "result.attackers_choose" : "result.attackers_back", { n: ab }) : "",
        dl ? t("result.defenders_lose", { n: dl }) : "",
        db ? t(choose ? "result.defenders_choose" : "result.defenders_back", { n: db }) : "",
        ...(besides.get(id) ?? []).map(({ key, args }) => spoken.say([key, args, ""])),
      ].filter(Boolean);
      return said.length ? said.join(t("result.and")) : t("result.none");
    };
    let hit = cells.findIndex((cell) => total !== null && cell.code === code && total >= cell.from && total <= cell.to);
    if (hit < 0) hit = cells.findIndex((cell) => cell.code === code);
    const chance = (/** @type {number} */ ways) => `${Math.round((100 * ways) / all)} %`;
    return h(
      "div",
      { class: "card-strip" },
      h(
        "ol",
        { "aria-label": t("card.results"), class: cells.length > CELLS_MOST ? "many" : null },
        cells.map((cell, i) => {
          const bar = h(
            "li",
            {
              class: `${hurt(cell.code)}${i === hit ? " hit" : ""}`,
              title: `${words(cell.code)}: ${chance(cell.ways)}`,
            },
            h("span", { class: "roll", text: cell.from === cell.to ? String(cell.from) : `${cell.from}–${cell.to}` }),
            h("span", { class: "code", text: cell.code }),
            h("span", { class: "sr-only", text: ` ${words(cell.code)}, ${chance(cell.ways)}` }),
          );
          bar.style.flexGrow = String(cell.ways);
          return bar;
        }),
      ),
      hit >= 0
        ? h(
            "p",
            { class: "card-result" },
            h("b", { text: words(code), title: code }),
            h("span", {
              text: chance(cells.filter((cell) => cell.code === code).reduce((sum, { ways }) => sum + ways, 0)),
            }),
          )
        : null,
    );
  }

  /** What is told outside the combat of the card, under the span that it belongs to. @param {import("./scenes.js").Part[]} parts @param {number} seq @param {number} part @param {boolean} lively */
  #drawStrip(parts, seq, part, lively) {
    const { board, watch, spoken } = this.view;
    const record = watch.records[seq];
    if (!record) return;
    const shown = lively && Number.isFinite(part) ? [parts[part]].filter(Boolean) : parts;
    const whole = shown.length === parts.length;
    const carded = this.element.hidden ? null : this.span;
    const body = [];
    let n = 0;
    for (const one of shown.length ? shown : [{ span: null, effects: [] }]) {
      if (one.span && one.span === carded) continue;
      const drawn = one.effects
        .filter(([tag, , place]) => tag === "put" && place === "in_hand")
        .map(([, id, , face, owner]) => (typeof id === "string" ? board?.small(id, face, owner) : null))
        .filter(Boolean);
      const lines = tell(
        {
          ...record,
          kind: whole && one === shown[0] ? record.kind : "",
          effects: one.effects,
          ...(!shown.length ? record : {}),
        },
        spoken,
      ).filter((line) => ["sentence", "dice", "notice"].includes(line.kind));
      if (drawn.length) body.push(h("div", { class: "drawn" }, drawn));
      if (one.span && lines.length)
        body.push(h("div", { class: "caption-title", text: spoken.say([one.span.key, one.span.args, ""]) }));
      for (const line of lines) if (n++ < LINES_MOST - 1) body.push(lineOf(line));
    }
    if (n >= LINES_MOST) body.push(h("p", { class: "line more", text: "…" }));
    this.strip.classList.toggle("empty", !n && !body.length);
    this.strip.classList.toggle("many", n >= LINES_MANY);
    show(this.strip, body);
    this.strip.classList.remove("fresh");
    if (lively && !calm() && !this.view.showing.brief) requestAnimationFrame(() => this.strip.classList.add("fresh"));
  }

  /** the frame before which it is laid; 0 for none */
  placing = 0;

  // --- where it lies ------------------------------------------------------------------------------------------------------------

  /** Lay the card where it does not cover the clash: it stays in its corner if it can. */
  place() {
    const { board } = this.view;
    const holder = this.view.boardPane.holder;
    const past = this.element.classList.contains("past");
    holder.classList.toggle("carded", !this.element.hidden && !past);
    this.strip.style.marginLeft = "";
    if (!board || this.element.hidden || !holder.clientWidth) return;
    this.element.classList.remove("small");
    this.#fit();
    if (!this.#settle(board, holder) && !past) {
      // There is no room beside it: what is most important fits somewhere.
      this.element.classList.add("small");
      this.#settle(board, holder);
    }
    this.#clear(holder);
  }

  /** The newest sentences are seen without scrolling: where the board is low, the first of them are left to the story. */
  #fit() {
    const lines = /** @type {HTMLElement[]} */ ([...this.element.querySelectorAll(".card-lines > .line:not(.more)")]);
    for (const line of lines) line.hidden = false;
    this.element.classList.remove("tight", "tighter");
    for (const line of lines.slice(0, -LINES_LEAST)) {
      if (this.element.scrollHeight <= this.element.clientHeight) return;
      line.hidden = true;
    }
    // Odds, dice and what came of them come before everything else.
    if (!this.element.querySelector(".card-odds, .card-dice, .card-result")) return;
    for (const look of ["tight", "tighter"])
      if (this.element.scrollHeight > this.element.clientHeight) this.element.classList.add(look);
  }

  /** What is told besides stands beside the card, not below it. @param {HTMLElement} holder */
  #clear(holder) {
    if (this.strip.classList.contains("empty") || holder.clientWidth < 700) return;
    const [card, strip] = [this.element.getBoundingClientRect(), this.strip.getBoundingClientRect()];
    if (card.left < strip.right && card.bottom > strip.top && card.top < strip.bottom)
      this.strip.style.marginLeft = `${Math.ceil(card.right - strip.left + MARGIN)}px`;
  }

  /** @param {import("../board/view.js").BoardView} board @param {HTMLElement} holder @returns {boolean} whether it covers nothing of the clash */
  #settle(board, holder) {
    const { stage } = board;
    const onPage = (/** @type {import("./camera.js").Box | null} */ box) =>
      box && {
        left: box.left * stage.scale + stage.x,
        right: box.right * stage.scale + stage.x,
        top: box.top * stage.scale + stage.y,
        bottom: box.bottom * stage.scale + stage.y,
      };
    const clash = onPage(boxOf(board, this.places, 40));
    const at = /** @type {any} */ (board.map.place(this.at));
    const r = board.clashRadius + ROUND;
    const fight = onPage(at && { left: at.x - r, right: at.x + r, top: at.y - r, bottom: at.y + r });
    const [w, hh] = [this.element.offsetWidth, this.element.offsetHeight];
    const [W, H] = [holder.clientWidth, holder.clientHeight - stage.inset.bottom];
    // What is told besides stands at the foot of the board, the tools at its right edge.
    const foot = this.strip.classList.contains("empty") ? 0 : this.strip.offsetHeight + 6;
    const tools = W < 700 ? 54 : 0;
    // How far the show is behind is told at the foot, and on a phone at the head.
    const chip = holder.querySelector(".show-chip:not([hidden])") ? CHIP_PX : 0;
    const [head, right] = W < 700 ? [chip, 0] : [0, chip];
    const corner = (/** @type {string} */ name) => ({
      x: name[1] === "l" ? MARGIN : W - w - MARGIN,
      y:
        name[0] === "t"
          ? MARGIN + head + (name[1] === "r" ? TOOLS_PX : 0)
          : H - hh - MARGIN - (name[1] === "l" ? foot + tools : right),
    });
    const covers = (/** @type {string} */ name, /** @type {import("./camera.js").Box | null} */ box) => {
      if (!box) return 0;
      const { x, y } = corner(name);
      return (
        Math.max(0, Math.min(x + w, box.right) - Math.max(x, box.left)) *
        Math.max(0, Math.min(y + hh, box.bottom) - Math.max(y, box.top))
      );
    };
    // First of all the fight itself is seen, then where its units come from.
    const worse = (/** @type {string} */ one, /** @type {string} */ other) =>
      covers(one, fight) - covers(other, fight) || covers(one, clash) - covers(other, clash);
    let all = W < 700 || (stage.flush && stage.x > w / 2) ? ["tl", "bl"] : CORNERS; // beside a map that leaves room there
    // What overlays tell stands at the right.
    if (holder.querySelector(".overlay-told:not([hidden])")) all = all.filter((name) => name[1] === "l");
    const names = this.element.classList.contains("past") && all.includes(this.corner) ? [this.corner] : all;
    if (!names.includes(this.corner)) this.corner = names[0];
    let best = this.corner;
    for (const name of names) if (worse(name, best) < 0) best = name;
    this.corner = best;
    const { x, y } = corner(best);
    this.element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
    this.element.dataset.corner = best;
    if (fight && W < 700 && !this.element.classList.contains("past")) {
      // On a phone the fight has the room between the card and the tools, also where it is at the edge of the map.
      const [from, to] = best[0] === "t" ? [y + hh, H - tools - foot] : [0, y];
      const [up, down] = [to - fight.bottom, from - fight.top];
      this.over = Math.round(up < down ? (up + down) / 2 : Math.min(up, Math.max(down, 0)));
    } else
      this.over =
        !fight || !covers(best, fight)
          ? 0
          : best[0] === "t"
            ? Math.ceil(y + hh - fight.top)
            : Math.floor(y - fight.bottom);
    return !covers(best, fight) && !covers(best, clash);
  }

  dispose() {
    cancelAnimationFrame(this.placing);
    this.sizes.disconnect();
  }
}
