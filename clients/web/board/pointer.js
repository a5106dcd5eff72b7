// @ts-check
/** Pointer and keyboard over the board: which counter or place is meant. Whether anything comes of it is for the board's listeners to say. */

/** A pointer that has moved no further than this has not been aimed anew. */
const RESTS_PX = 3;

export class Pointer {
  /** @param {import("./view.js").BoardView} board */
  constructor(board) {
    this.board = board;
    /** where it was pressed or let go last, on the page */
    this.pointed = { x: 0, y: 0 };
    /** the counter under it when its stack was laid open, and where it was @type {{id: string, x: number, y: number} | null} */
    this.opener = null;
    this.#listen();
  }

  #listen() {
    const { frame } = this.board;
    for (const kind of ["pointerdown", "pointerup"]) {
      frame.addEventListener(
        kind,
        (event) => {
          const { clientX: x, clientY: y } = /** @type {PointerEvent} */ (event);
          this.pointed = { x, y };
        },
        true,
      );
    }
    frame.addEventListener("click", (event) => {
      const target = /** @type {Element} */ (event.target);
      const piece = this.meant(target, event);
      const point = this.board.stage.point(event.clientX, event.clientY);
      const own = piece ? (this.board.pieces.get(piece)?.place ?? null) : null;
      // A counter of a stack that is laid open may lie over other hexes than its own.
      const place =
        own && own === this.board.fanned
          ? own
          : (target.closest?.("[data-place]")?.getAttribute("data-place") ??
            this.board.map.hit(point.x, point.y) ??
            own);
      const stack = place ? this.board.stacks.get(place) : undefined;
      if (
        piece &&
        place &&
        this.board.fanned !== place &&
        this.board.map.kind === "hex" &&
        stack &&
        stack.length > 1 &&
        /** @type {PointerEvent} */ (event).pointerType === "touch"
      ) {
        this.board.fan(place);
        this.board.onLook(place);
        this.board.onAsk(place);
        return;
      }
      this.board.click(piece ?? null, place);
      this.#leaveCursor();
    });
    frame.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "mouse") return;
      const piece = /** @type {Element} */ (event.target).closest?.("[data-piece]")?.getAttribute("data-piece");
      if (piece) {
        const place = this.board.pieces.get(piece)?.place ?? null;
        if (place !== this.board.fanned) {
          this.board.fan(place, piece);
          if (this.board.fanned) this.opener = { id: piece, x: event.clientX, y: event.clientY };
        }
      }
      this.#looked(this.meant(/** @type {Element} */ (event.target), event));
    });
    frame.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "mouse" || !this.board.fanned || event.buttons) return;
      const at = this.board.map.place(this.board.fanned);
      const point = this.board.stage.point(event.clientX, event.clientY);
      if (at && this.board.map.kind === "hex") {
        const { left, right, top, bottom } = this.board.fanBox;
        if (point.x < left || point.x > right || point.y < top || point.y > bottom) this.board.fan(null);
      } else if (!(/** @type {Element} */ (event.target).closest?.("[data-piece]"))) this.board.fan(null);
    });
    frame.addEventListener("pointerleave", () => {
      this.board.fan(null);
      this.#looked(null);
    });
    frame.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * The counter that somebody points at. A stack is laid open under the pointer: as long as the pointer rests, what it was laid on is meant,
   * whatever has slid below it.
   * @param {Element} target @param {{clientX: number, clientY: number}} at @returns {string | null}
   */
  meant(target, { clientX, clientY }) {
    const id = target.closest?.("[data-piece]")?.getAttribute("data-piece") ?? null;
    const { opener } = this;
    return id && opener && Math.hypot(clientX - opener.x, clientY - opener.y) <= RESTS_PX ? opener.id : id;
  }

  /** The pointer is over a piece, or over none any more. @param {string | null} piece */
  #looked(piece) {
    if (piece === this.under) return;
    const was = this.under;
    this.under = piece;
    if (piece !== null || was !== null) this.board.onLook(piece);
  }

  /** the piece that the pointer is over @type {string | null} */
  under = null;

  /** @param {KeyboardEvent} event */
  #key(event) {
    /** @type {Record<string, [number, number]>} */
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if ((arrow && event.shiftKey) || /^[-+=0]$/.test(event.key)) this.board.stage.onHand();
    if (arrow && event.shiftKey) this.board.stage.pan(-80 * arrow[0], -80 * arrow[1]);
    else if (arrow)
      this.board.setCursor(
        this.board.cursor === null
          ? (this.board.offered[0] ?? this.board.map.step(null, ...arrow))
          : this.board.map.step(this.board.cursor, ...arrow),
      );
    else if (event.key === "+" || event.key === "=") this.board.stage.zoom(1.25);
    else if (event.key === "-") this.board.stage.zoom(0.8);
    else if (event.key === "0") this.board.stage.fit();
    else if ((event.key === "Enter" || event.key === " ") && this.board.cursor) {
      this.pointed = this.#onPage(this.board.cursor);
      this.board.click(null, this.board.cursor);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Where a place lies on the page. @param {string} place */
  #onPage(place) {
    const at = /** @type {any} */ (this.board.map.place(place));
    const box = this.board.frame.getBoundingClientRect();
    return {
      x: box.left + this.board.stage.x + at.x * this.board.stage.scale,
      y: box.top + this.board.stage.y + at.y * this.board.stage.scale,
    };
  }

  /** Whoever points needs no cursor of the keyboard's any more. A stack that is laid open stays so. */
  #leaveCursor() {
    if (this.board.cursor === null) return;
    this.board.cursor = null;
    this.board.layers.cursor.setAttribute("d", "");
  }
}
