// @ts-check
/** Making elements without innerHTML and without inline style, so that the page's Content-Security-Policy can forbid both. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes `on…` are listeners (a form that is sent loads no page), `class`, `text`; null and false leave an attribute out
 * @param {any[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "onsubmit")
      element.addEventListener("submit", (event) => {
        event.preventDefault();
        value();
      });
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, any>} [attributes] @param {...any} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  return /** @type {any} */ (fill(document.createElement(tag), attributes, children));
}

/** A button that sends no form. @param {Record<string, any>} attributes @param {...any} children */
export function button(attributes, ...children) {
  return h("button", { type: "button", ...attributes }, ...children);
}

/** @param {string} tag @param {Record<string, any>} [attributes] @param {...any} children @returns {any} */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Replace the content of an element. @param {Element} element @param {...any} children */
export function show(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
}

/** Ask before something that cannot be taken back. @param {string} question @param {string} yes @param {string} no @returns {Promise<boolean>} */
export function sure(question, yes, no) {
  const dialog = h(
    "dialog",
    { "aria-labelledby": "sure-question" },
    h(
      "form",
      { method: "dialog" },
      h("p", { id: "sure-question", text: question }),
      h(
        "div",
        { class: "play-actions" },
        h("button", { value: "no", autofocus: true, text: no }),
        h("button", { value: "yes", class: "primary", text: yes }),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Small pictures for buttons. They are drawn, since fonts do not agree on such signs. @type {Record<string, string>} */
const ICONS = {
  first: "M3,3v10M13,3L5,8l8,5z",
  back: "M12,3L4,8l8,5z",
  forward: "M4,3l8,5l-8,5z",
  play: "M4,2.5l10,5.5l-10,5.5z",
  pause: "M4,3h3v10h-3zM9,3h3v10h-3z",
  share: "M6.5,9.5l3,-3M7,5l2,-2a2.8,2.8 0 0 1 4,4l-2,2M9,11l-2,2a2.8,2.8 0 0 1 -4,-4l2,-2",
  in: "M8,3v10M3,8h10",
  out: "M3,8h10",
  follow: "M8,3.5a4.5,4.5 0 1 0 .01,0zM8,1v3M8,12v3M1,8h3M12,8h3",
  fit: "M3,6V3h3M10,3h3v3M13,10v3h-3M6,13H3v-3",
  close: "M3.5,3.5l9,9M12.5,3.5l-9,9",
  whole: "M2,5V2h3M11,2h3v3M14,11v3h-3M5,14H2v-3M5.5,5.5h5v5h-5z",
  sun: "M8,5a3,3 0 1 0 .01,0zM8,1v1.5M8,13.5V15M1,8h1.5M13.5,8H15M3,3l1,1M12,12l1,1M13,3l-1,1M4,12l-1,1",
  moon: "M12.5,10A5.5,5.5 0 0 1 6,3.5A5.2,5.2 0 1 0 12.5,10z",
};

/** @param {string} name */
export function icon(name) {
  const filled = /first|back|forward|play|pause/.test(name);
  return s(
    "svg",
    { class: `icon-picture${filled ? " filled" : ""}`, viewBox: "0 0 16 16", "aria-hidden": "true" },
    s("path", { d: ICONS[name] }),
  );
}
