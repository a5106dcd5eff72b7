// @ts-check
/** A sentence by its key, with its arguments by name, as records and findings hold it. */

/** @param {string} key @param {Record<string, any>} [args] @returns {import("../protocol.d.ts").SayArray} */
export const say = (key, args = {}) => [key, Object.entries(args), ""];
