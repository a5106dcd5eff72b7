// @ts-check
/**
 * Taking a counter up and putting it down somewhere, as a shortcut for the picks that take it there. With Shift its whole stack goes along. A
 * finger has to rest on the counter first, since a finger that moves at once moves the map. Whoever listens knows what may be taken up and
 * where it may go; those places are lit meanwhile.
 */

import { s, show } from "../ui/dom.js";

const BEGIN_PX = 6;
const REST_MS = 320;
const EDGE_PX = 36;
const EDGE_STEP_PX = 14;

export class Drag {
  /**
   * @param {import("./view.js").BoardView} board
   * @param {{may: (id: string) => boolean, grab: (id: string, mates: string[]) => void, letGo: (place: string | null) => void}} acts
   */
  constructor(board, acts) {
    this.board = board;
    this.acts = acts;
    this.layer = s("g", { class: "dragged-layer" });
    board.picture.append(this.layer);
    /** what is pressed @type {{id: string, pointer: number, x: number, y: number, shift: boolean, moving: boolean} | null} */
    this.held = null;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {string | null} */
    this.over = null;
    const { frame } = board;
    frame.addEventListener("pointerdown", (event) => this.#down(event), true);
    frame.addEventListener("pointermove", (event) => this.#move(event), true);
    frame.addEventListener("pointerup", (event) => this.#up(event), true);
    for (const end of ["pointercancel", "lostpointercapture"])
      frame.addEventListener(end, (event) => this.#end(/** @type {PointerEvent} */ (event), null), true);
    this.onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" || !this.held?.moving) return;
      event.preventDefault();
      event.stopPropagation();
      this.#finish(null);
    };
    addEventListener("keydown", this.onKey, true);
  }

  dispose() {
    clearTimeout(this.timer);
    removeEventListener("keydown", this.onKey, true);
  }

  /** @param {PointerEvent} event */
  #down(event) {
    clearTimeout(this.timer);
    if (this.held) return this.#finish(null); // a second finger: it is a pinch
    const id = this.board.pointer.meant(/** @type {Element} */ (event.target), event);
    if (!id || event.button !== 0 || !this.acts.may(id)) return;
    this.held = {
      id,
      pointer: event.pointerId,
      x: event.clientX,
      y: event.clientY,
      shift: event.shiftKey,
      moving: false,
    };
    if (event.pointerType === "mouse") this.board.stage.still(event.pointerId);
    else this.timer = window.setTimeout(() => this.#begin(), REST_MS);
  }

  #begin() {
    const { board, held } = this;
    if (!held) return;
    held.moving = true;
    board.stage.still(held.pointer);
    try {
      board.frame.setPointerCapture(held.pointer);
    } catch {
      // The pointer has gone already; its end event will come.
    }
    const place = board.pieces.get(held.id)?.place ?? "";
    const mates = held.shift
      ? (board.stacks.get(place) ?? []).filter((id) => id !== held.id && !id.startsWith("?"))
      : [];
    board.fan(null);
    board.onLook(null);
    board.picture.classList.add("dragging");
    const all = [...mates, held.id].map((id) => board.pieces.get(id)?.element).filter(Boolean);
    show(
      this.layer,
      all.map((element, i) => {
        const copy = /** @type {SVGGElement} */ (/** @type {any} */ (element).cloneNode(true));
        copy.removeAttribute("data-piece");
        copy.classList.add("ghost");
        copy.classList.remove("fanned", "on-offer");
        copy.style.transform = `translate(${(i - all.length + 1) * -4}px, ${(i - all.length + 1) * 4}px)`;
        return copy;
      }),
    );
    this.#follow(held.x, held.y);
    this.acts.grab(held.id, mates);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { held } = this;
    if (!held || event.pointerId !== held.pointer) return;
    if (!held.moving) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) <= BEGIN_PX) return;
      if (event.pointerType !== "mouse") {
        // It did not rest, so the map is meant.
        clearTimeout(this.timer);
        this.held = null;
        return;
      }
      this.#begin();
    }
    event.stopPropagation();
    const box = this.board.frame.getBoundingClientRect();
    const push = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ to) =>
      at < from + EDGE_PX ? EDGE_STEP_PX : at > to - EDGE_PX ? -EDGE_STEP_PX : 0;
    const [dx, dy] = [push(event.clientX, box.left, box.right), push(event.clientY, box.top, box.bottom)];
    if (dx || dy) this.board.stage.pan(dx, dy);
    this.#follow(event.clientX, event.clientY);
  }

  /** The counter under the pointer, and the place under it marked where it may go. @param {number} clientX @param {number} clientY */
  #follow(clientX, clientY) {
    const { board } = this;
    const point = board.stage.point(clientX, clientY);
    this.layer.setAttribute("transform", `translate(${point.x},${point.y})`);
    const under = document
      .elementsFromPoint(clientX, clientY)
      .map((one) => one.closest(".stage [data-place]"))
      .find(Boolean);
    const place = under?.getAttribute("data-place") ?? board.map.hit(point.x, point.y);
    this.over = place;
    for (const target of board.targets) target.classList.toggle("under", target.getAttribute("data-place") === place);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    this.#end(event, this.over);
  }

  /** @param {PointerEvent} event @param {string | null} place */
  #end(event, place) {
    const { held } = this;
    if (!held || event.pointerId !== held.pointer) return;
    clearTimeout(this.timer);
    if (!held.moving) {
      this.held = null; // a click
      return;
    }
    this.#finish(place);
  }

  /** @param {string | null} place */
  #finish(place) {
    const { board, held } = this;
    clearTimeout(this.timer);
    this.held = null;
    if (!held?.moving) return;
    board.picture.classList.remove("dragging");
    board.stage.moved();
    show(this.layer);
    for (const target of board.targets) target.classList.remove("under");
    this.acts.letGo(place === board.pieces.get(held.id)?.place ? null : place);
  }
}
