// @ts-check
/** What a seat may pick next, as the server offers it. */

/** @typedef {{id: string | number, label: import("../words/phrases.js").SayArray | null}} Option */
/** @typedef {{slot: string, options: Option[], span: [number, number] | null, complete: boolean, sealed: boolean}} Choices */
/** @typedef {{decision: number, prompt: import("../words/phrases.js").SayArray, choices: Choices}} Offer */
/** @typedef {(string | number)[]} Picks */

/** @param {any[]} fields @returns {Offer} */
export function offerOf([, decision, prompt, [slot, options, span, complete, sealed]]) {
  return {
    decision,
    prompt,
    choices: {
      slot,
      span,
      complete,
      sealed,
      options: options.map((/** @type {any} */ option) =>
        Array.isArray(option) ? { id: option[0], label: option[1] } : { id: option, label: null },
      ),
    },
  };
}
