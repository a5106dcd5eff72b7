// @ts-check
/** What is opened over the board (what wins, other tracks) closes as menus do: on Escape, and on a press anywhere else. */

const OPEN = "details.popup[open]";

/** @param {HTMLElement} root what they stand in @returns {() => void} stops listening */
export function closable(root) {
  const opened = () => /** @type {HTMLDetailsElement[]} */ ([...root.querySelectorAll(OPEN)]);
  const press = (/** @type {Event} */ event) => {
    for (const one of opened()) if (!one.contains(/** @type {Node} */ (event.target))) one.open = false;
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    const all = event.key === "Escape" ? opened() : [];
    if (!all.length) return;
    event.preventDefault();
    event.stopPropagation();
    for (const one of all) one.open = false;
    all[0].querySelector("summary")?.focus();
  };
  addEventListener("pointerdown", press, true);
  addEventListener("keydown", key, true);
  return () => {
    removeEventListener("pointerdown", press, true);
    removeEventListener("keydown", key, true);
  };
}
