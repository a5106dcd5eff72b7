// @ts-check
/** What a seat may pick next, as the server offers it. */

/** @typedef {{decision: number, prompt: import("../protocol.d.ts").SayArray, choices: import("../protocol.d.ts").Choices}} Offer */
/** @typedef {import("../protocol.d.ts").Picks} Picks */

/** @param {import("../protocol.d.ts").Messages["choices_are"]} fields @returns {Offer} */
export function offerOf([, decision, prompt, [slot, options, span, complete, sealed, text = 0]]) {
  return {
    decision,
    prompt,
    choices: {
      slot,
      span,
      complete,
      sealed,
      text,
      options: options.map((option) =>
        Array.isArray(option) ? { id: option[0], label: option[1] } : { id: option, label: null },
      ),
    },
  };
}
