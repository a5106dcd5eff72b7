// @ts-check
/**
 * What a player does while the server is being asked waits its turn, so that nothing they type or press is lost or meets choices that are
 * gone: acts run one after the other, and keys and presses made meanwhile are done again on the panel that comes of the act before.
 */

const HELD_MOST = 32;
const TABBABLE = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), summary, [tabindex='0']";

export class InOrder {
  /**
   * @param {HTMLElement} pane where presses and keys are held back
   * @param {{version: () => number, busy: (busy: boolean) => void, also: () => HTMLElement | null}} about `version` tells one question from
   *   another, `also` is one more element whose keys are held back
   */
  constructor(pane, about) {
    this.pane = pane;
    this.about = about;
    /** @type {{act: () => any, version: number}[]} */
    this.waiting = [];
    this.running = false;
    /** an act is being started; what it asks for comes before everything that waits */
    this.inside = false;
    /** the act now running was asked for when another question was shown */
    this.blind = false;
    this.version = 0;
    /** a press was held back: the click that follows is that press */
    this.pressed = false;
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    this.onPress = (/** @type {PointerEvent} */ event) => this.#press(event);
    this.onClick = (/** @type {MouseEvent} */ event) => this.#click(event);
    addEventListener("keydown", this.onKey, true);
    pane.addEventListener("pointerdown", this.onPress, true);
    pane.addEventListener("click", this.onClick, true);
  }

  /** Whether something is in progress that has to finish before anything else is done. */
  get busy() {
    return this.running && !this.inside;
  }

  /** Do this when everything that was asked for before is done, or at once if nothing is in progress. @param {() => any} act */
  then(act) {
    const entry = { act, version: this.inside ? this.version : this.about.version() };
    if (this.inside) this.waiting.unshift(entry);
    else if (this.waiting.length < HELD_MOST) this.waiting.push(entry);
    if (!this.running) this.#run();
  }

  /** Drop what is waiting: it was meant for something that is gone. */
  drop() {
    this.waiting.length = 0;
  }

  async #run() {
    this.running = true;
    this.about.busy(true);
    try {
      for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
        this.version = next.version;
        this.blind = next.version !== this.about.version();
        this.inside = true;
        let done;
        try {
          done = next.act();
        } finally {
          this.inside = false;
        }
        await done;
      }
    } finally {
      this.running = false;
      this.about.busy(false);
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!event.isTrusted || event.ctrlKey || event.metaKey || event.altKey) return;
    const focused = document.activeElement;
    const inPane = this.pane.contains(focused);
    if (!inPane && !(focused && focused === this.about.also())) return;
    const { key, shiftKey } = event;
    const held = event.repeat && (key === "Enter" || key === " "); // a key held down is pressed once
    if (!held && !this.busy) return;
    if (
      !["Enter", "Tab", "Backspace", "Escape"].includes(key) &&
      key.length !== 1 &&
      (inPane || !key.startsWith("Arrow"))
    )
      return;
    event.preventDefault();
    event.stopPropagation();
    if (!held) this.then(() => this.#again(key, shiftKey));
  }

  /** Do what a key does, at the element that has the focus now. @param {string} key @param {boolean} shift */
  #again(key, shift) {
    const focused = /** @type {HTMLElement} */ (document.activeElement ?? document.body);
    const field = focused instanceof HTMLInputElement && focused.type !== "checkbox" ? focused : null;
    if (key === "Tab") {
      const all = [...document.querySelectorAll(TABBABLE)].filter(
        (one) => /** @type {HTMLElement} */ (one).tabIndex >= 0 && one.checkVisibility(),
      );
      const after = all.findIndex(
        (one) => Boolean(focused.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) && one !== focused,
      );
      const before = all.findLastIndex(
        (one) =>
          Boolean(focused.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING) && !one.contains(focused),
      );
      /** @type {HTMLElement | undefined} */ (all[shift ? before : after])?.focus();
    } else if (key === "Enter" && field) field.form?.requestSubmit();
    else if ((key === "Enter" || key === " ") && !field && focused.matches("button, summary, a, input"))
      focused.click();
    else if (field && (key.length === 1 || key === "Backspace")) {
      field.value = key === "Backspace" ? field.value.slice(0, -1) : field.value + key;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    } else
      focused.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey: shift, bubbles: true, cancelable: true }));
  }

  /** A press on something that may be gone when the button is released. @param {PointerEvent} event */
  #press(event) {
    this.pressed = false;
    if (!this.busy || event.button !== 0 || event.pointerType !== "mouse") return; // a finger may begin to scroll
    const act = /** @type {Element} */ (event.target).closest("button[data-act]")?.getAttribute("data-act");
    if (!act) return;
    this.pressed = true;
    this.then(() => {
      // A click is aimed at what was shown: never at another question.
      if (!this.blind)
        /** @type {HTMLElement | null} */ (
          this.pane.querySelector(`button[data-act="${CSS.escape(act)}"]:not(:disabled)`)
        )?.click();
    });
  }

  /** @param {MouseEvent} event */
  #click(event) {
    if (!event.isTrusted || !event.detail || !this.pressed) return;
    this.pressed = false;
    event.stopPropagation();
    event.preventDefault();
  }

  dispose() {
    this.drop();
    removeEventListener("keydown", this.onKey, true);
    this.pane.removeEventListener("pointerdown", this.onPress, true);
    this.pane.removeEventListener("click", this.onClick, true);
  }
}
