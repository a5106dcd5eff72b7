// @ts-check
/** What this browser keeps of a tournament: the token of whoever acts in it here. */

import { Refused, randomBytes } from "../link/link.js";
import { sha256 } from "../records/sha256.js";
import { commitment } from "./lots.js";

/** `asked`: the server has not answered this entry yet. @typedef {{token: string, who: string, asked?: boolean}} Key */

/** @param {string} id */
const place = (id) => `warledger.tournament.${id}`;

/** @param {string} id @returns {Key | null} */
export function kept(id) {
  const found = localStorage.getItem(place(id));
  return found ? JSON.parse(found) : null;
}

/** @param {string} id @param {Key} key */
export const keep = (id, key) => localStorage.setItem(place(id), JSON.stringify(key));

/**
 * What the address asks for, which is taken off it: a token (#token=…) is kept; who acts (as=e:7) and the board to be played at (play=ROUND.BOARD), as the
 * codes on result slips have them, are returned.
 * @param {string} id @returns {{who: string, play: number[]}}
 */
export function fromAddress(id) {
  const told = new URLSearchParams(location.hash.slice(1));
  const token = told.get("token");
  const asked = { who: told.get("as") ?? "", play: (told.get("play") ?? "").split(".").map(Number) };
  if (token || asked.who) history.replaceState(null, "", location.pathname + location.search);
  if (token && kept(id)?.token !== token) keep(id, { token, who: "" });
  return asked;
}

/** @param {Uint8Array} bytes */
const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");

/**
 * Enter a tournament, with a token made here and a commitment to a nonce. Both are kept before they are sent; asked again after a lost answer it is the same entry.
 * Throws as a request does.
 * @param {import("../link/link.js").Link} link @param {string} id @param {string} name @param {number} rating @param {number} number of the next entrant
 * @returns {Promise<Key>}
 */
export async function enter(link, id, name, rating, number) {
  const before = kept(id);
  const token = before?.asked ? before.token : `${id}:${base64url(randomBytes(32))}`;
  const digest = sha256(new TextEncoder().encode(token));
  for (let expects = number; ;) {
    const hash = await commitment(link, id, expects);
    keep(id, { token, who: `e:${expects}`, asked: true });
    try {
      const [, given] = await link.request("enter_tournament", id, name, rating, expects, hash, digest);
      const key = { token, who: `e:${given}` };
      keep(id, key);
      return key;
    } catch (error) {
      if (!(error instanceof Refused) || error.key !== "refusal.tournament.next_number") throw error;
      expects = Number(error.args.find(([told]) => told === "number")?.[1]);
    }
  }
}
