// @ts-check
/** A labelled field of a form. */

import { h } from "./dom.js";
import { t } from "../words/words.js";

/** @param {string} id @param {string} label @param {Record<string, any>} attributes @returns {[HTMLLabelElement, HTMLInputElement]} */
export function field(id, label, attributes) {
  const input = h("input", { id, name: id, ...attributes });
  return [h("label", { for: id, text: t(label) }), input];
}
