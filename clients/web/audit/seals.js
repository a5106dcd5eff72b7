// @ts-check
/**
 * Where seals may stand in a record: in arrays, in the bytes of effects and of the pack, and there only where the table of bodies names a place. Nothing
 * else on this page looks for one (protocol/chance/seal.py has the same).
 */

import { Seal, unpack } from "../records/canon.js";

const [PICKS, DRAWS, EVENTS, EFFECTS, PACK] = [2, 5, 6, 7, 7];

/** @typedef {import("../records/chain.js").LogRecord} LogRecord */

/** Whether there is a seal anywhere in a value that stands in no record by itself. @param {any} value @returns {boolean} */
export function holdsSeal(value) {
  if (value instanceof Seal) return true;
  return (
    value !== null &&
    typeof value === "object" &&
    !(value instanceof Uint8Array) &&
    Object.values(value).some(holdsSeal)
  );
}

/** The place of the bytes in a body that hold packed values, or -1. @param {string} kind @param {any[]} body */
function packedAt(kind, body) {
  if (kind === "genesis") return PACK;
  if (kind === "command") return EFFECTS;
  if (kind === "takeback") return 2;
  return kind === "ruling" && body[0] === "corrected" ? 4 : -1;
}

/** Whether bytes hold how a seal begins, without which there is none in them. @param {any} bytes */
export function hasMark(bytes) {
  if (!(bytes instanceof Uint8Array)) return false;
  for (let at = bytes.indexOf(0xc7); at >= 0; at = bytes.indexOf(0xc7, at + 1))
    if (bytes[at + 1] === 0x20 && bytes[at + 2] === 1) return true;
  return false;
}

/** @param {string} kind @param {any[]} body @param {number[]} path */
function mayStand(kind, body, path) {
  if (kind === "orders") return path.length === 1 && path[0] === 1;
  if (kind !== "command") return false;
  if (path[0] === EVENTS || path[0] === EFFECTS) return true;
  return path[0] === PICKS
    ? path.length === 1
    : path[0] === DRAWS && path.length === 3 && path[2] === 3 && body[DRAWS][path[1]][0] === 0;
}

/** All seals of a record with their paths, in order; the path of one that may not stand there, or null. @typedef {{places: [number[], Seal][], misplaced: number[] | null}} Sealed */

/** @param {LogRecord} record @returns {Sealed} */
export function sealsOf({ kind, body }) {
  /** @type {[number[], Seal][]} */
  const places = [];
  /** @type {number[] | null} */
  let misplaced = null;
  const packed = packedAt(kind, body);
  /** @param {any} value @param {number[]} path */
  const look = (value, path) => {
    if (value instanceof Seal) {
      if (mayStand(kind, body, path)) places.push([path, value]);
      else misplaced ??= path;
    } else if (Array.isArray(value))
      value.forEach((item, index) =>
        look(!path.length && index === packed && hasMark(item) ? unpack(item) : item, [...path, index]),
      );
    else if (value !== null && typeof value === "object" && !(value instanceof Uint8Array) && holdsSeal(value))
      misplaced ??= path;
  };
  look(body, []);
  return { places, misplaced };
}
