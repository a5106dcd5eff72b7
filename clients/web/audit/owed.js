// @ts-check
/** What must follow a record at once, which the server writes from what it holds and which waits for nobody (protocol/log/owed.py has the same). */

/** How a game ends: the winner, the reason and its arguments. @typedef {[string | null, string, any[]]} Cause */

/** The turns of one game that have ended along the branch in force, as its records go by. */
export class Turns {
  constructor() {
    this.ended = 0;
    this.most = 0;
    /** how many had after each record @type {Map<number, number>} */
    this.after = new Map();
  }

  /** A command ends so many turns. Whether one of them ends for the first time. @param {number} count */
  closed(count) {
    this.ended += count;
    const first = this.ended > this.most;
    this.most = Math.max(this.most, this.ended);
    return first;
  }

  /** A record has been taken: a takeback may go back to it. @param {number} seq */
  note(seq) {
    this.after.set(seq, this.ended);
  }

  /** A takeback goes back to a record; nothing changes where it has not been taken. @param {number} to */
  back(to) {
    this.ended = this.after.get(to) ?? this.ended;
  }
}

/** How many links are opened after a command by which so many turns have ended, where `epoch` is that of the open dice: none by a turn that ends again after a takeback. @param {number} turns @param {number} epoch */
export const linksOwed = (turns, epoch) => Math.max(0, turns + 1 - epoch);

/** Whether the game begins: every seat has shown its nonce. @param {{nonce: Uint8Array | null}[]} sittings */
export const begins = (sittings) => sittings.every(({ nonce }) => nonce !== null);

/** Whether a request has been consented to by all but the seat that made it. @param {string[]} seats @param {{seat: string, consents: Set<string>}} request */
export const isAgreed = (seats, { seat, consents }) => seats.every((one) => one === seat || consents.has(one));

/** Whether the game ends after a command, by the rules: nobody is asked, and no end is held. @param {any[]} asked @param {number} protest */
export const isOver = (asked, protest) => !asked.length && !protest;

/** Who wins where a seat loses: the other one of two. @param {string[]} seats @param {string} seat */
export function otherOfTwo(seats, seat) {
  const others = seats.filter((other) => other !== seat);
  return others.length === 1 ? others[0] : null;
}

/** @param {string[]} seats @param {string} seat @returns {Cause} */
export const resigned = (seats, seat) => [otherOfTwo(seats, seat), "outcome.resigned", [["seat", seat]]];

/** How a game ends once all have consented to a draw. @type {Cause} */
export const DRAW_AGREED = [null, "outcome.draw_agreed", []];

/** How a game ends that never began. @param {string[]} silent the seats that have not shown their nonce @param {boolean} allTaken @returns {Cause} */
export const expired = (silent, allTaken) =>
  allTaken ? [null, "outcome.lapsed", [["seats", silent]]] : [null, "outcome.expired", []];
