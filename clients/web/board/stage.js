// @ts-check
/**
 * Zoom, pan and pinch. The picture is one SVG that moves by a CSS transform: while it moves the compositor shifts what is painted already,
 * and nothing is laid out; a moment later it is painted again, sharp.
 */

const SHARP_AFTER_MS = 160;
const CLICK_PX = 6;
const GLIDE_MS = 420;
/** How much of the map must stay in sight when it is first shown. */
const FILLED = 0.55;

export class Stage {
  /** @param {HTMLElement} frame @param {SVGSVGElement} picture @param {number} width @param {number} height */
  constructor(frame, picture, width, height) {
    this.frame = frame;
    this.picture = picture;
    this.width = width;
    this.height = height;
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    /** what covers the frame's edges, in px */
    this.inset = { top: 0, right: 0, bottom: 0, left: 0 };
    /** whether a map that is narrower than its frame lies at the right, and what is told has the room beside it */
    this.flush = false;
    /** how much of the map must stay in sight when it fills its frame */
    this.filled = FILLED;
    /** how high the table below the map may be on which what is told lies, in pixels */
    this.spare = 0;
    /** whether no scene shows table where the map could be, in a frame that has none to spare */
    this.full = false;
    /** told the scale when it changes @type {(scale: number) => void} */
    this.onScale = () => {};
    /** somebody has moved the map themselves @type {() => void} */
    this.onHand = () => {};
    /** the frame has another size, and the map has been moved for it @type {() => void} */
    this.onSize = () => {};
    /** the map lies elsewhere in the frame now @type {() => void} */
    this.onMove = () => {};
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {Map<number, {x: number, y: number}>} */
    this.fingers = new Map();
    this.dragged = 0;
    /** a pointer that does not move the map @type {number | null} */
    this.asleep = null;
    /** where the picture lies while it is on its way, and the frame in which it goes on; 0 for none */
    this.laid = { x: 0, y: 0, scale: 1 };
    this.gliding = 0;
    this.fitted = true;
    /** of the frame, as it was told or measured last */
    this.size = { w: frame.clientWidth, h: frame.clientHeight };
    /** what the frame was filled around, until somebody moves the map @type {{x: number, y: number} | null} */
    this.around = null;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("width", String(width));
    picture.setAttribute("height", String(height));
    frame.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    frame.addEventListener("pointerdown", (event) => this.#down(event));
    frame.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      frame.addEventListener(end, (event) => this.#up(/** @type {PointerEvent} */ (event)));
    }
    // A drag that ends over a counter is not a click on it.
    frame.addEventListener(
      "click",
      (event) => {
        if (this.dragged > CLICK_PX) {
          event.stopPropagation();
          event.preventDefault();
        }
        this.dragged = 0;
      },
      true,
    );
    new ResizeObserver(() => this.#resized()).observe(frame);
  }

  /** The frame has another size: what filled it does so again; otherwise the middle stays the middle. */
  #resized() {
    const { clientWidth: w, clientHeight: h } = this.frame;
    const before = this.size;
    if (this.around) this.fill(this.around);
    else if (this.fitted) this.fit();
    else {
      this.x += (w - before.w) / 2;
      this.y += (h - before.h) / 2;
      this.#apply();
    }
    this.onSize();
  }

  get smallest() {
    const { clientWidth: w, clientHeight: h } = this.frame;
    return Math.min(w / this.width, h / this.height, 1) * 0.8;
  }

  /** How much of the frame's top lies under the board's buttons, in px: what shows the map's upper edge shows it below them. Those of a phone stand at its foot, or on the sheet that covers the foot. */
  get #under() {
    const tools = this.frame.parentElement?.querySelector(".board-tools")?.getBoundingClientRect();
    const own = this.frame.getBoundingClientRect();
    return tools?.height && tools.top - own.top < own.bottom - this.inset.bottom - tools.bottom
      ? tools.bottom - own.top
      : 0;
  }

  /** Show all of it, and nothing of it under the buttons. */
  fit() {
    const { right, bottom, left } = this.inset;
    const top = this.inset.top + this.#under;
    const w = this.frame.clientWidth - left - right;
    const h = this.frame.clientHeight - top - bottom;
    if (w <= 0 || h <= 0) return;
    // A phone held upright shows a wide map by its height: one pans sideways.
    const whole = Math.min(w / this.width, h / this.height);
    const tall = h / this.height;
    this.scale = w < 700 ? Math.min(tall, Math.max(whole, 0.42)) : whole;
    this.x = this.flush ? left + Math.max(0, w - this.width * this.scale) : left + (w - this.width * this.scale) / 2;
    this.y = top + (h - this.height * this.scale) / 2;
    this.fitted = true;
    this.#apply();
  }

  /** What is in sight, in the map's units: what covers the frame's edges does not count. It is asked for with every record, so nothing is measured for it. */
  get seen() {
    const { top, right, bottom, left } = this.inset;
    const { w, h } = this.size;
    return {
      left: (left - this.x) / this.scale,
      top: (top - this.y) / this.scale,
      right: (w - right - this.x) / this.scale,
      bottom: (h - bottom - this.y) / this.scale,
    };
  }

  /** The middle of what is in sight, and the scale: also while the frame has a size that the map has not been moved for yet. */
  get place() {
    const { w, h } = this.size;
    return { x: (w / 2 - this.x) / this.scale, y: (h / 2 - this.y) / this.scale, scale: this.scale };
  }

  /** Show again what was in sight. @param {{x: number, y: number, scale: number}} place */
  restore({ x, y, scale }) {
    const { clientWidth: w, clientHeight: h } = this.frame;
    this.scale = Math.min(4, Math.max(this.smallest, scale));
    this.x = w / 2 - x * this.scale;
    this.y = h / 2 - y * this.scale;
    this.fitted = false;
    this.#apply();
  }

  /**
   * Show a part of the map, as large as it fits but no larger than `most`. The map is moved no further than needed: a part that is in sight
   * already, and not much too small or large, leaves it alone.
   * @param {{left: number, top: number, right: number, bottom: number}} box in the map's units @param {number} most a scale @param {boolean} smooth
   * @param {number} [least] how small the map may stay, as a share of what would be best
   */
  show(box, most, smooth, least = 0.66) {
    const { top, right, bottom, left } = this.inset;
    const w = this.frame.clientWidth - left - right;
    const h = this.frame.clientHeight - top - bottom;
    const wide = Math.max(1, box.right - box.left);
    const high = Math.max(1, box.bottom - box.top);
    if (w <= 0 || h <= 0) return;
    const largest = Math.min(4, w / wide, h / high);
    // No scene needs more than the whole map.
    const { clientWidth: W, clientHeight: H } = this.frame;
    const floor = this.full ? this.#filling(W, H) : Math.min(W / this.width, H / this.height, 1);
    const wanted = Math.max(floor, Math.min(largest * 0.86, most));
    const kept =
      this.scale <= Math.max(largest, floor) &&
      this.scale >= (this.full ? floor : 0) &&
      this.scale > wanted * least &&
      this.scale < wanted * 1.7;
    const scale = kept ? this.scale : wanted;
    const mx = left + w / 2 - ((box.left + box.right) / 2) * scale;
    const my = top + h / 2 - ((box.top + box.bottom) / 2) * scale;
    const { seen } = this;
    const inside = box.left >= seen.left && box.right <= seen.right && box.top >= seen.top && box.bottom <= seen.bottom;
    if (kept && inside) {
      this.settle(smooth);
      return;
    }
    this.scale = scale;
    // The map goes on under what covers the frame, unless the part would be hidden there.
    const room = W - this.width * scale;
    const flush = this.flush && room > 0;
    const x = flush ? room : this.#within(mx, 0, room);
    const y = this.#within(my, 0, H - this.height * scale);
    const clear =
      box.left * scale + x >= left &&
      box.right * scale + x <= left + w &&
      box.top * scale + y >= top &&
      box.bottom * scale + y <= top + h;
    this.x = clear || flush ? x : this.#within(mx, left, left + w - this.width * scale);
    this.y = clear ? y : this.#within(my, top, top + h - this.height * scale);
    this.fitted = false;
    this.#apply(smooth);
  }

  /** Leave to the map again what a card that is gone had made room for above and below it. @param {boolean} smooth */
  settle(smooth) {
    const { top, bottom } = this.inset;
    const least = this.frame.clientHeight - bottom - this.height * this.scale;
    const y = Math.max(Math.min(least - this.spare, top), Math.min(top, this.y));
    if (least > top || Math.abs(y - this.y) < 1) return;
    this.y = y;
    this.#apply(smooth);
  }

  /** No empty table is shown where the map could be. @param {number} at @param {number} from @param {number} to */
  #within(at, from, to) {
    return to > from ? (from + to) / 2 : Math.max(to, Math.min(from, at));
  }

  /** The scale at which the map fills so much room, or as much of it as may be. @param {number} w @param {number} h */
  #filling(w, h) {
    const [across, down] = [w / this.width, h / this.height];
    return Math.min(Math.max(across, down), Math.min(across, down) / this.filled, 1.2);
  }

  /**
   * Fill the frame with the map, around a point: on a table that is wider or higher than the map nothing is left empty, unless too little of the
   * map would be in sight.
   * @param {{x: number, y: number} | null} around
   */
  fill(around) {
    this.fit();
    const { right, bottom, left } = this.inset;
    const top = this.inset.top + this.#under;
    const w = this.frame.clientWidth - left - right;
    const h = this.frame.clientHeight - top - bottom;
    if (w <= 0 || h <= 0 || !around) return;
    const scale = this.#filling(w, h);
    if (scale <= this.scale) return;
    this.scale = scale;
    this.x = this.#within(left + w / 2 - around.x * scale, left, left + w - this.width * scale);
    this.y = this.#within(top + h / 2 - around.y * scale, top, top + h - this.height * scale);
    this.fitted = false;
    this.#apply();
    this.around = around;
  }

  /** @param {number} factor @param {number} [px] @param {number} [py] the point of the frame that stays */
  zoom(factor, px = this.frame.clientWidth / 2, py = this.frame.clientHeight / 2) {
    const scale = Math.min(4, Math.max(this.smallest, this.scale * factor));
    this.x = px - ((px - this.x) / this.scale) * scale;
    this.y = py - ((py - this.y) / this.scale) * scale;
    this.scale = scale;
    this.fitted = false;
    this.#apply();
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.fitted = false;
    this.#apply();
  }

  /** Bring a point into view if it is not. @param {number} wx @param {number} wy @param {number} [margin] */
  reveal(wx, wy, margin = 90) {
    const px = this.x + wx * this.scale;
    const py = this.y + wy * this.scale;
    const { clientWidth: w, clientHeight: h } = this.frame;
    const { top, right, bottom, left } = this.inset;
    const out = px < left + margin || py < top + margin || px > w - right - margin || py > h - bottom - margin;
    if (!out) return;
    // Centre the map, but never so far that empty table shows where the map could be.
    const within = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ to) =>
      Math.max(Math.min(from, to), Math.min(Math.max(from, to), at));
    const x = within(this.x + (left + w - right) / 2 - px, left, w - right - this.width * this.scale);
    const y = within(this.y + (top + h - bottom) / 2 - py, top, h - bottom - this.height * this.scale);
    if (Math.abs(x - this.x) < 1 && Math.abs(y - this.y) < 1) return;
    [this.x, this.y] = [x, y];
    this.fitted = false;
    this.#apply();
  }

  /** Move the map down, or up by less than nothing. @param {number} by in pixels of the page @param {boolean} [smooth] */
  shift(by, smooth = false) {
    this.y += by;
    this.fitted = false;
    this.#apply(smooth);
  }

  /** A point of the page in the map's units. @param {number} clientX @param {number} clientY */
  point(clientX, clientY) {
    const box = this.frame.getBoundingClientRect();
    return { x: (clientX - box.left - this.x) / this.scale, y: (clientY - box.top - this.y) / this.scale };
  }

  /** @param {boolean} [smooth] */
  #apply(smooth = false) {
    this.around = null;
    // Some of the map always stays in sight.
    const { clientWidth: w, clientHeight: h } = this.frame;
    this.size = { w, h };
    const keep = 80;
    this.x = Math.min(w - keep, Math.max(keep - this.width * this.scale, this.x));
    this.y = Math.min(h - keep, Math.max(keep - this.height * this.scale, this.y));
    this.picture.classList.add("moving");
    if (smooth) this.#glide();
    else this.#lay({ x: this.x, y: this.y, scale: this.scale });
    clearTimeout(this.timer);
    this.timer = window.setTimeout(
      () => {
        this.#lay({ x: this.x, y: this.y, scale: this.scale });
        this.picture.classList.remove("moving");
        this.onScale(this.scale);
      },
      smooth ? GLIDE_MS + SHARP_AFTER_MS : SHARP_AFTER_MS,
    );
    this.onMove();
  }

  /** Lay the picture somewhere now. @param {{x: number, y: number, scale: number}} at */
  #lay(at) {
    cancelAnimationFrame(this.gliding);
    this.gliding = 0;
    this.laid = at;
    this.picture.style.transform = `translate3d(${at.x}px, ${at.y}px, 0) scale(${at.scale})`;
  }

  /**
   * Move the picture to its place, frame by frame. A transition of the style sheet would do so too, but for its time browsers paint all of a large map
   * again at a smaller scale, and once more at its end.
   */
  #glide() {
    cancelAnimationFrame(this.gliding);
    const from = this.laid;
    const begun = performance.now();
    const frame = () => {
      const part = Math.min(1, (performance.now() - begun) / GLIDE_MS);
      const way = part * part * (3 - 2 * part);
      const between = (/** @type {"x" | "y" | "scale"} */ axis) => from[axis] + (this[axis] - from[axis]) * way;
      this.#lay({ x: between("x"), y: between("y"), scale: between("scale") });
      if (part < 1) this.gliding = requestAnimationFrame(frame);
    };
    this.gliding = requestAnimationFrame(frame);
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    this.onHand();
    const box = this.frame.getBoundingClientRect();
    if (event.ctrlKey || !event.shiftKey)
      this.zoom(
        Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)),
        event.clientX - box.left,
        event.clientY - box.top,
      );
    else this.pan(-event.deltaX - event.deltaY, 0);
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button !== 0) return;
    if (event.pointerId === this.asleep) {
      this.asleep = null;
      this.dragged = 0;
      return;
    }
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.fingers.size === 1) this.dragged = 0;
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const finger = this.fingers.get(event.pointerId);
    if (!finger || (event.pointerType === "mouse" && event.buttons === 0)) return;
    const dx = event.clientX - finger.x;
    const dy = event.clientY - finger.y;
    if (this.fingers.size === 1) {
      this.dragged += Math.abs(dx) + Math.abs(dy);
      if (this.dragged <= CLICK_PX) return;
      this.frame.setPointerCapture?.(event.pointerId);
      this.onHand();
      this.pan(dx, dy);
    } else if (this.fingers.size === 2) {
      this.dragged += CLICK_PX + 1;
      this.onHand();
      const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1] ?? finger;
      const before = Math.hypot(finger.x - other.x, finger.y - other.y) || 1;
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y) || 1;
      const box = this.frame.getBoundingClientRect();
      this.zoom(after / before, (event.clientX + other.x) / 2 - box.left, (event.clientY + other.y) / 2 - box.top);
      this.pan(dx / 2, dy / 2);
    }
    finger.x = event.clientX;
    finger.y = event.clientY;
  }

  /** This pointer does not move the map: it has taken something up. @param {number} pointer */
  still(pointer) {
    this.fingers.delete(pointer);
    this.asleep = pointer;
  }

  /** Something was dragged: a click that follows does not count. */
  moved() {
    this.dragged = CLICK_PX + 1;
  }

  /** @param {PointerEvent} event */
  #up(event) {
    this.fingers.delete(event.pointerId);
    if (event.pointerId === this.asleep) this.asleep = null;
  }
}
