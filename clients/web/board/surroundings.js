// @ts-check
/**
 * What lies out of sight: arrows at the frame's edge towards what is on offer and what has just happened elsewhere, and a small map with the
 * part that is in sight. Both are shortcuts for the pointer; keys have the cursor and the next offer (N).
 */

import { button, h, s, show } from "../ui/dom.js";
import { word } from "./counters.js";

/** How far from the frame's edge an arrow stands, in px. */
const EDGE_PX = 26;
/** How far from the board's buttons its middle stays, in px: half of it, the number at its corner, and a gap. */
const CLEAR_PX = 30;
/** Directions in which what lies out of sight is told together. */
const WAYS = 8;
/** The small map is shown as long as less than this part of the map is in sight. */
const WHOLE = 0.6;
/** Half the side of a stack on the small map, as a part of the map's width. */
const DOT = 1 / 130;

/** Stacks on a small map: a square for each place, of its owner's colour. @param {any} map @param {Map<string, string>} owners by place */
export function stacksOf(map, owners) {
  const r = map.width * DOT;
  /** @type {Map<string, string>} */
  const sides = new Map();
  for (const [place, owner] of owners) {
    const at = map.place(place);
    sides.set(
      owner,
      `${sides.get(owner) ?? ""}M${Math.round(at.x - r)},${Math.round(at.y - r)}h${Math.round(2 * r)}v${Math.round(2 * r)}h${-Math.round(2 * r)}z`,
    );
  }
  return [...sides].map(([owner, d]) => s("path", { class: `mini-side side-${word(owner) || "none"}`, d }));
}

export class Surroundings {
  /** @param {import("./view.js").BoardView} board @param {(key: string, args?: Record<string, any>) => string} say */
  constructor(board, say) {
    this.board = board;
    this.say = say;
    const { map } = board;
    /** where something has just happened @type {Set<string>} */
    this.events = new Set();
    this.stacks = s("g", { class: "mini-stacks" });
    this.offers = s("path", { class: "mini-offers" });
    this.sight = s("rect", { class: "mini-sight" });
    this.picture = s("svg", { viewBox: `0 0 ${map.width} ${map.height}`, "aria-hidden": "true" });
    this.mini = h("div", { class: "mini-map", "aria-hidden": "true" }, this.picture);
    this.mini.style.aspectRatio = `${map.width} / ${map.height}`;
    this.arrows = h("div", { class: "edge-arrows", "aria-hidden": "true" });
    this.element = h("div", { class: "surroundings" }, this.mini, this.arrows);
    this.ground();
    for (const kind of ["pointerdown", "pointermove"])
      this.mini.addEventListener(kind, (event) => this.#go(/** @type {PointerEvent} */ (event)));
  }

  /** The small map's ground: the large one's, without its details. */
  ground() {
    const made = this.grounds();
    // What is on offer of a sea ends at the coast here too.
    const isLand = (/** @type {Element} */ one) => one.classList.contains("land");
    show(
      this.picture,
      made.filter((one) => !isLand(one)),
      this.offers,
      made.filter(isLand),
      this.stacks,
      this.sight,
    );
  }

  /** The ground of a small map, the seas below the land. @returns {Element[]} */
  grounds() {
    const wanted = [
      ...this.board.layers.map.querySelectorAll(".sheet, .terrain, .sea, .land, .river-major, .river-danube"),
    ].filter((one) => !one.classList.contains("river-bank"));
    return wanted.map((one) => {
      const copy = /** @type {Element} */ (one.cloneNode(false));
      copy.removeAttribute("data-place");
      return copy;
    });
  }

  /** @param {Iterable<string>} places where something has just happened */
  tell(places) {
    this.events = new Set(places);
    this.news();
  }

  /** Something has moved, on the map or the map itself. */
  news() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      if (this.element.isConnected) this.#draw();
    });
  }

  /** @type {number | undefined} */
  frame = undefined;

  #draw() {
    const { board } = this;
    const { stage, map } = board;
    const { left, top, right, bottom } = stage.seen;
    const wide = Math.min(map.width, right) - Math.max(0, left);
    const high = Math.min(map.height, bottom) - Math.max(0, top);
    const hidden = wide <= 0 || high <= 0 || (wide * high) / (map.width * map.height) > WHOLE;
    this.mini.hidden = hidden;
    if (!hidden) this.#mini({ left, top, right, bottom });
    this.#arrows({ left, top, right, bottom });
  }

  /** @param {{left: number, top: number, right: number, bottom: number}} seen */
  #mini({ left, top, right, bottom }) {
    const { board, sight } = this;
    for (const [name, value] of Object.entries({ x: left, y: top, width: right - left, height: bottom - top }))
      sight.setAttribute(name, String(Math.round(value)));
    if (this.shown !== board.stacks) {
      this.shown = board.stacks;
      show(
        this.stacks,
        stacksOf(
          board.map,
          new Map(
            [...board.stacks].map(([place, ids]) => [place, board.board?.pieces.get(ids[ids.length - 1])?.owner ?? ""]),
          ),
        ),
      );
    }
    this.offers.setAttribute("d", board.map.area(board.offered));
  }

  /** @type {Map<string, string[]> | undefined} */
  shown = undefined;

  /** @param {{left: number, top: number, right: number, bottom: number}} seen */
  #arrows({ left, top, right, bottom }) {
    const { board } = this;
    const { stage } = board;
    const [mx, my] = [(left + right) / 2, (top + bottom) / 2];
    /** what lies that way, the nearest first @type {Map<string, {x: number, y: number, kind: string, n: number, far: number}>} */
    const ways = new Map();
    const add = (/** @type {string} */ place, /** @type {string} */ kind) => {
      const at = /** @type {any} */ (board.map.place(place));
      if (!at || (at.x >= left && at.x <= right && at.y >= top && at.y <= bottom)) return;
      const far = Math.hypot(at.x - mx, at.y - my);
      const way = `${kind} ${Math.round((Math.atan2(at.y - my, at.x - mx) / (2 * Math.PI)) * WAYS)}`;
      const known = ways.get(way);
      if (!known || far < known.far) ways.set(way, { x: at.x, y: at.y, kind, n: (known?.n ?? 0) + 1, far });
      else known.n++;
    };
    for (const place of board.offered) add(place, "offer");
    for (const place of this.events) add(place, "event");
    const key = JSON.stringify([[...ways], stage.x, stage.y, stage.scale, stage.inset]);
    if (key === this.key) return;
    this.key = key;
    const w = (right - left) * stage.scale;
    const hh = (bottom - top) * stage.scale;
    const clear = ways.size ? this.#clear() : null;
    show(
      this.arrows,
      [...ways.values()].map(({ x, y, kind, n }) => {
        const [dx, dy] = [x - mx, y - my];
        const [hx, hy] = [w / 2 - EDGE_PX, hh / 2 - EDGE_PX];
        if (hx <= 0 || hy <= 0) return null;
        const t = Math.min(hx / (Math.abs(dx) || 1e-9), hy / (Math.abs(dy) || 1e-9));
        const arrow = button(
          {
            class: `edge-arrow of-${kind}`,
            tabindex: -1,
            title: this.say(`edge.${kind}`, { n }),
            onclick: () => {
              stage.onHand();
              stage.reveal(x, y, Math.min(160, w / 4, hh / 4));
            },
          },
          s(
            "svg",
            { viewBox: "-12 -12 24 24", "aria-hidden": "true" },
            s("path", {
              d: "M-6,-8L9,0L-6,8L-2,0z",
              transform: `rotate(${Math.round((Math.atan2(dy, dx) * 180) / Math.PI)})`,
            }),
          ),
          n > 1 ? h("span", { text: String(n) }) : null,
        );
        const ax = stage.inset.left + w / 2 + dx * t;
        const ay = stage.inset.top + hh / 2 + dy * t;
        arrow.style.transform = `translate(${Math.round(ax)}px, ${Math.round(clear?.(ax, ay) ?? ay)}px) translate(-50%, -50%)`;
        return arrow;
      }),
    );
  }

  key = "";

  /** How high an arrow may stand where the board's buttons are: it would hide them, and take their clicks. @returns {((x: number, y: number) => number) | null} */
  #clear() {
    const tools = this.element.parentElement?.querySelector(".board-tools");
    const box = tools?.getBoundingClientRect();
    if (!box?.width) return null;
    const own = this.element.getBoundingClientRect();
    const [x0, x1] = [box.left - own.left - CLEAR_PX, box.right - own.left + CLEAR_PX];
    const [y0, y1] = [box.top - own.top - CLEAR_PX, box.bottom - own.top + CLEAR_PX];
    const down = box.top + box.bottom < own.top + own.bottom - this.board.stage.inset.bottom;
    return (x, y) => (x > x0 && x < x1 && y > y0 && y < y1 ? (down ? y1 : y0) : y);
  }

  /** Look where the small map is pressed. @param {PointerEvent} event */
  #go(event) {
    if (!(event.buttons & 1)) return;
    event.preventDefault();
    const box = this.mini.getBoundingClientRect();
    const { stage, map } = this.board;
    const { left, top, right, bottom } = stage.seen;
    stage.onHand();
    stage.pan(
      ((left + right) / 2 - ((event.clientX - box.left) / box.width) * map.width) * stage.scale,
      ((top + bottom) / 2 - ((event.clientY - box.top) / box.height) * map.height) * stage.scale,
    );
  }
}
