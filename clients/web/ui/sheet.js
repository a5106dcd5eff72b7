// @ts-check
/**
 * On a phone the map fills the screen, and everything beside it lies in a sheet that is drawn up from below: as much as a player needs, half
 * of the screen, or all of it. On a larger screen the sheet is not there, and its parts lie beside the map.
 */

import { button, h } from "./dom.js";
import { t } from "../words/words.js";

const STATES = ["low", "half", "full"];
/** A finger that moves less than this has tapped, in px. */
const TAP_PX = 8;

export class Sheet {
  /** @param {HTMLElement} frame what the sheet lies in @param {HTMLElement[]} parts @param {(covered: number) => void} covers told how many px of the frame's foot are covered */
  constructor(frame, parts, covers) {
    this.frame = frame;
    this.covers = covers;
    this.handle = button({ class: "sheet-handle", "data-act": "sheet", onclick: () => this.#tapped() });
    this.element = h("div", { class: "sheet-parts" }, this.handle, ...parts);
    /** @type {{y: number, height: number, moved: boolean} | null} */
    this.finger = null;
    this.handle.addEventListener("pointerdown", (event) => this.#down(event));
    this.handle.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"]) this.handle.addEventListener(end, () => this.#up());
    this.sizes = new ResizeObserver(() => this.#tell());
    this.sizes.observe(this.element);
    this.to("low");
  }

  /** Whether the page is so narrow that there is a sheet. */
  get there() {
    return getComputedStyle(this.element).display !== "contents";
  }

  /** @param {string} state */
  to(state) {
    this.state = state;
    this.frame.dataset.sheet = state;
    this.element.style.height = "";
    this.handle.setAttribute("aria-label", state === "full" ? t("sheet.down") : t("sheet.up"));
    this.handle.setAttribute("aria-expanded", String(state !== "low"));
  }

  /** Draw it up far enough for what somebody has asked to read. */
  open() {
    if (this.state === "low") this.to("half");
  }

  speak() {
    this.to(this.state ?? "low");
  }

  #tell() {
    const covered = this.there ? this.element.offsetHeight : 0;
    this.frame.style.setProperty("--covered", `${covered}px`);
    // Beside a sheet that is drawn up nobody looks at the map.
    this.covers(this.state === "low" ? covered : Math.min(covered, this.frame.clientHeight * 0.5));
  }

  #tapped() {
    if (this.finger?.moved) return;
    this.to(STATES[(STATES.indexOf(this.state ?? "low") + 1) % STATES.length]);
  }

  /** @param {PointerEvent} event */
  #down(event) {
    this.handle.setPointerCapture(event.pointerId);
    this.finger = { y: event.clientY, height: this.element.offsetHeight, moved: false };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { finger } = this;
    if (!finger || !event.buttons) return;
    const up = finger.y - event.clientY;
    if (!finger.moved && Math.abs(up) < TAP_PX) return;
    if (!finger.moved) this.frame.dataset.sheet = "full"; // what it holds is laid out as it is drawn up
    finger.moved = true;
    this.element.style.height = `${Math.max(60, finger.height + up)}px`;
  }

  #up() {
    const { finger } = this;
    if (finger?.moved) {
      const share = this.element.offsetHeight / Math.max(1, this.frame.clientHeight);
      this.to(share < 0.42 ? "low" : share < 0.75 ? "half" : "full");
    }
    // The click that follows a drag does not count.
    window.setTimeout(() => (this.finger = null));
  }

  dispose() {
    this.sizes.disconnect();
  }
}
