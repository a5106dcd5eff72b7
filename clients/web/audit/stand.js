// @ts-check
/**
 * What the checks have made of a game so far, for those who play it and look at it: plain values, since the checks are made elsewhere (`judge.js`), and what
 * is read from them here. Nothing is decided with it that a check decides.
 */

import { Docket } from "./docket.js";

/** @typedef {import("./seats.js").Sitting} Sitting */
/** A seat, with whether it signs its acts now. @typedef {Pick<Sitting, "seat" | "account" | "name" | "client" | "taken" | "nonce" | "keys" | "orders" | "replaced" | "handedOver" | "signedUpTo" | "signs">} Sat */
/**
 * @typedef {object} Stand
 * @property {Uint8Array} genesis the hash of record 0
 * @property {"gathering" | "playing" | "ended"} stage
 * @property {boolean} unsignedSeats whether a seat may sign nothing
 * @property {Map<string, Sat>} seats
 * @property {boolean} allTaken
 * @property {Uint8Array} rosterHash
 * @property {string} tableCode for the players to compare; "" while a nonce is missing
 * @property {string[]} unsigned the seats that sign nothing now
 * @property {import("../protocol.d.ts").Question[]} awaits who is asked, by which record, with which key
 * @property {import("./heads.js").Keys} serverKeys
 * @property {import("./docket.js").Docket} docket the claims
 * @property {{clocks: import("./clock.js").Clocks | null, control: import("../protocol.d.ts").Control | null}} time
 * @property {{checked: number, waiting: number}} dice draws that have been compared with their seeds, and those whose seed is not open
 * @property {string[]} witnessed the seats that have signed the last record
 * @property {number} vouched the newest record under a head of the server
 */

/** Where a game stands, to be sent. @param {import("./level1.js").Level1} level1 @returns {Stand | null} null before the first record */
export function standOf({ course, heads }) {
  if (!course || !heads) return null;
  const { acting, drawing } = course;
  const { genesis, stage, unsignedSeats, allTaken, rosterHash, tableCode, unsigned, awaits, serverKeys, docket, time } =
    acting;
  return {
    genesis,
    stage,
    unsignedSeats,
    allTaken,
    rosterHash,
    tableCode,
    unsigned,
    awaits,
    serverKeys,
    docket,
    seats: new Map([...acting.seats].map(([seat, sitting]) => [seat, { ...sitting, signs: sitting.signs }])),
    time: { clocks: time.clocks, control: time.control },
    dice: { checked: drawing.checked, waiting: drawing.waiting },
    witnessed: [...heads.witnessed],
    vouched: heads.vouched,
  };
}

/** The same once it has been sent. @param {Stand | null} sent @returns {Stand | null} */
export const received = (sent) => sent && { ...sent, docket: Object.assign(new Docket(undefined, []), sent.docket) };
