// @ts-check
/** A sentence by its key, with its arguments by name, as records and findings hold it. */

/** @typedef {import("./phrases.js").SayArray} Say */

/** @param {string} key @param {Record<string, any>} [args] @returns {Say} */
export const say = (key, args = {}) => [key, Object.entries(args), ""];
