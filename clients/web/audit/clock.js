// @ts-check
/**
 * Clocks as protocol/clocks/clock.py computes them, held to it by protocol/vectors/clocks.json. A clock is arithmetic on the `at_ms` of records (clockfold.js);
 * nothing here looks at one. `Clocks` is what the log amounts to so far; the functions that take one return another. Whole milliseconds.
 */

import { CLAIMS_STOPPING_MAX, LEAVES_MAX } from "../records/limits.js";
import { otherOfTwo } from "./owed.js";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const BY_FLAG = 0;

/**
 * @typedef {import("../protocol.d.ts").Control} Control
 * @typedef {{seat: string, bank: number, asked: number, since: number, ran: number, deadline: number | null, freedTurn: number, opened: number, granted: number, used: number,
 *   answered: number, rewarded: number, fallen: number | null, bot: boolean, leave: [number, number][], night: [number, number] | null,
 *   nextNight: [number, number] | null, claims: number, charged: number, freed: number, stopped: number, credited: number}} SeatClock
 * @typedef {{since: number, until: number, resumed: string[]}} Pause
 * @typedef {{seats: SeatClock[], turn: number, turns: number, pause: Pause | null, held: number[], frozen: number[], over: boolean}} Clocks
 * @typedef {{seat: string, left: number, free: number, stopped: string, deadline: number | null, until: number | null}} Reading
 * @typedef {[number, [number, number][]]} Mark turns opened; decisions answered by each seat, and questions that it was asked
 * @typedef {import("../protocol.d.ts").Question[]} Awaits the seats that are asked
 */

const PLAIN = {
  turn: 0,
  each: 0,
  cap: 0,
  free: 0,
  free_turn: 0,
  fall: "loss",
  bot: "",
  nights: 0,
  leave_days: 0,
  leave_each: 0,
  notice: 0,
  handicap: {},
};

/** The control of a game from its genesis, or null for a game without clocks. @param {any[]} genesis its body @returns {Control | null} */
export function controlOf(genesis) {
  const given = genesis[13]?.clock;
  return given && given.bank > 0 ? { ...PLAIN, ...given } : null;
}

/** Whether a claim stops the clocks as soon as it is made. @param {any[]} genesis */
export const stopsAtClaim = (genesis) => genesis[13]?.desk?.[1]?.stop === "claim";

/** @param {Control} control @param {string} seat @param {"bank" | "turn" | "each" | "cap"} what */
const own = (control, seat, what) => control.handicap[seat]?.[what] ?? control[what];

/** @param {Control} control @param {string[]} seats @returns {Clocks} */
export function begin(control, seats) {
  return {
    seats: seats.map((seat) => ({
      seat,
      bank: own(control, seat, "bank"),
      asked: 0,
      since: 0,
      ran: 0,
      deadline: null,
      freedTurn: 0,
      answered: 0,
      rewarded: 0,
      opened: 0,
      granted: 0,
      used: 0,
      fallen: null,
      bot: false,
      leave: [],
      night: null,
      nextNight: null,
      claims: 0,
      charged: 0,
      freed: 0,
      stopped: 0,
      credited: 0,
    })),
    turn: 0,
    turns: 0,
    pause: null,
    held: [],
    frozen: [],
    over: false,
  };
}

/** @param {Clocks} clocks @param {string} seat */
export function of(clocks, seat) {
  const found = clocks.seats.find((clock) => clock.seat === seat);
  if (!found) throw new RangeError(`there is no seat ${seat}`);
  return found;
}

/** Whether a pause is in force. @param {Clocks} clocks @param {number} now */
export const isPaused = ({ pause }, now) => pause !== null && (!pause.until || now < pause.until);

/** The seats whose flags fall next, if they fall by now. @param {Clocks} clocks @param {number} now */
export function due(clocks, now) {
  const first = Math.min(...clocks.seats.map(({ deadline }) => deadline ?? Infinity));
  return first > now ? [] : clocks.seats.filter(({ deadline }) => deadline === first);
}

/** @param {Clocks} clocks */
export const fallenOf = (clocks) => clocks.seats.filter(({ fallen }) => fallen !== null).map(({ seat }) => seat);

// --- time that runs ----------------------------------------------------------------------------------------------------------------------

/** Whether a clock of a seat that is asked is stopped with no end in sight. @param {Clocks} clocks @param {SeatClock} clock */
const stands = ({ pause, held, over }, clock) =>
  held.length > 0 || over || clock.fallen !== null || clock.bot || (pause !== null && !pause.until);

const mod = (/** @type {number} */ a, /** @type {number} */ b) => ((a % b) + b) % b;

/**
 * When the stop around a moment ends (that moment itself if there is none), and when the next begins (-1: none known). Nights are left out.
 * @param {Clocks} clocks @param {SeatClock} clock @param {number} at
 */
function blocked({ pause }, clock, at) {
  let ends = at;
  let begins = -1;
  const spans = pause !== null && pause.until > at ? [...clock.leave, [pause.since, pause.until]] : clock.leave;
  for (const [start, end] of spans) {
    if (start <= at && at < end) ends = Math.max(ends, end);
    else if (start > at && (begins < 0 || start < begins)) begins = start;
  }
  return [ends, begins];
}

/**
 * Let a clock run from a moment to another or, without one, until it has run a budget. Returns that moment, and how long it has run.
 * @param {Clocks} clocks @param {SeatClock} clock @param {number} start @param {number | null} to @param {number} budget
 */
function go(clocks, clock, start, to, budget = 0) {
  if (clock.night === null && !clock.leave.length && clocks.pause === null)
    return to === null ? [start + budget, budget] : [to, to - start];
  const [begins, length] = (clock.night ?? [0, 0]).map((minutes) => minutes * MINUTE_MS);
  const aDay = DAY_MS - length;
  let at = start;
  let ran = 0;
  while (to === null || at < to) {
    let [ends, stop] = blocked(clocks, clock, at);
    if (ends > at) {
      at = ends;
      continue;
    }
    const into = mod(at - begins, DAY_MS);
    if (length && into < length) {
      at += length - into;
      continue;
    }
    const days = length ? wholeDays(at, stop, to, budget - ran, aDay) : 0;
    if (days) {
      at += days * DAY_MS;
      ran += days * aDay;
      continue;
    }
    if (length && (stop < 0 || at + DAY_MS - into < stop)) stop = at + DAY_MS - into;
    if (to === null && (stop < 0 || budget - ran <= stop - at)) return [at + budget - ran, budget];
    if (to !== null && (stop < 0 || stop > to)) stop = to;
    ran += stop - at;
    at = stop;
  }
  return [to, ran];
}

/** @param {number} at @param {number} stop @param {number | null} to @param {number} left @param {number} aDay */
function wholeDays(at, stop, to, left, aDay) {
  let days = to === null ? Math.floor((left - 1) / aDay) : Math.floor((to - at) / DAY_MS);
  if (stop >= 0) days = Math.min(days, Math.floor((stop - at) / DAY_MS));
  return Math.max(days, 0);
}

/** How much free time a seat has for the open question, or for the next, in this turn. @param {Control} control @param {SeatClock} clock */
function freeOf(control, clock) {
  const number = clock.asked ? clock.opened : clock.opened + 1;
  const left = number > clock.granted ? control.free : number === clock.granted ? control.free - clock.used : 0;
  return Math.max(control.free_turn ? Math.min(left, control.free_turn - clock.freedTurn) : left, 0);
}

/** @param {Clocks} clocks @param {SeatClock} clock @param {number} at @returns {SeatClock} */
function upTo(clocks, clock, at) {
  if (!clock.asked || at <= clock.since) return clock;
  const ran = stands(clocks, clock) ? 0 : go(clocks, clock, clock.since, at)[1];
  return { ...clock, since: at, ran: clock.ran + ran, stopped: clock.stopped + at - clock.since - ran };
}

/** @param {Control} control @param {Clocks} clocks @param {SeatClock} clock @returns {SeatClock} */
function timed(control, clocks, clock) {
  if (!clock.asked || stands(clocks, clock)) return { ...clock, deadline: null };
  const budget = clock.bank + freeOf(control, clock) - clock.ran;
  return { ...clock, deadline: budget > 0 ? go(clocks, clock, clock.since, null, budget)[0] : clock.since };
}

/** The clock once its question is closed. @param {Control} control @param {Clocks} clocks @param {SeatClock} known @param {number} at @returns {SeatClock} */
function charge(control, clocks, known, at) {
  const clock = upTo(clocks, known, at);
  const freed = Math.min(freeOf(control, clock), Math.max(clock.ran, 0));
  const cost = clock.ran - freed;
  return {
    ...clock,
    bank: clock.bank - cost,
    asked: 0,
    ran: 0,
    deadline: null,
    freedTurn: clock.freedTurn + freed,
    charged: clock.charged + cost,
    freed: clock.freed + freed,
    used: clock.used + (clock.opened === clock.granted ? freed : 0),
  };
}

/** @param {Control} control @param {SeatClock} clock @param {"turn" | "each"} what @returns {SeatClock} */
function raise(control, clock, what) {
  const cap = own(control, clock.seat, "cap");
  let bank = clock.bank + own(control, clock.seat, what);
  if (cap && bank > cap) bank = Math.max(clock.bank, cap);
  return { ...clock, bank };
}

/** The clocks after something that stops or starts them. @param {Control} control @param {Clocks} before @param {number} at @param {(now: Clocks) => Clocks} change */
function all(control, before, at, change) {
  const after = change({ ...before, seats: before.seats.map((clock) => upTo(before, clock, at)) });
  const seats = after.seats.map((clock, n) => {
    const old = before.seats[n];
    const passed = old.deadline !== null && old.deadline <= at && old.asked === clock.asked;
    return passed && clock.fallen === null && !clock.bot ? clock : timed(control, after, clock);
  });
  return { ...after, seats };
}

/** @param {Clocks} clocks @param {string} seat @param {(clock: SeatClock) => SeatClock} change @returns {Clocks} */
const one = (clocks, seat, change) => ({
  ...clocks,
  seats: clocks.seats.map((clock) => (clock.seat === seat ? change(clock) : clock)),
});

// --- what happens ------------------------------------------------------------------------------------------------------------------------

/** @param {Control} control @param {Clocks} clocks @param {SeatClock} clock @param {number} at @param {number} seq */
const ask = (control, clocks, clock, at, seq) => {
  const opened = clock.opened + 1;
  const first = opened > clock.granted;
  return timed(control, clocks, {
    ...clock,
    asked: seq,
    since: at,
    ran: 0,
    opened,
    granted: Math.max(opened, clock.granted),
    used: first ? 0 : clock.used,
  });
};

/** After a command. @param {Control} control @param {Clocks} clocks @param {number} at @param {string} seat @param {Awaits} awaits @param {number} turns that have opened @returns {Clocks} */
export function commanded(control, clocks, at, seat, awaits, turns = 0) {
  const asked = new Map(awaits.map(([one, seq]) => [one, seq]));
  const opens = clocks.turn + turns;
  const fresh = Math.max(opens - Math.max(clocks.turns, 1), 0); // the first turn adds nothing
  const seats = clocks.seats.map((known) => {
    let clock = known;
    if (clock.asked && clock.asked !== asked.get(clock.seat)) {
      clock = charge(control, clocks, clock, at);
      if (clock.seat === seat) {
        const answered = clock.answered + 1;
        if (answered > clock.rewarded) clock = { ...raise(control, clock, "each"), rewarded: answered };
        clock = { ...clock, answered };
      }
    }
    if (opens > clocks.turns) {
      clock = upTo(clocks, clock, at);
      for (let n = 0; n < fresh; n++) clock = raise(control, clock, "turn");
      clock = { ...clock, freedTurn: 0, night: clock.nextNight ?? clock.night, nextNight: null };
      if (clock.asked) clock = timed(control, clocks, clock);
    }
    const opened = asked.get(clock.seat) ?? 0;
    return opened && !clock.asked ? ask(control, clocks, clock, at, opened) : clock;
  });
  return { ...clocks, seats, turn: opens, turns: Math.max(opens, clocks.turns) };
}

/** What a takeback to this record restores. @param {Clocks} clocks @returns {Mark} */
export const mark = (clocks) => [clocks.turn, clocks.seats.map(({ answered, opened }) => [answered, opened])];

/** After a takeback. @param {Control} control @param {Clocks} clocks @param {number} at @param {Awaits} awaits @param {Mark} then @returns {Clocks} */
export function takenBack(control, clocks, at, awaits, [turn, counts]) {
  const asked = new Map(awaits.map(([seat, seq]) => [seat, seq]));
  const seats = clocks.seats.map((known, n) => {
    const seq = asked.get(known.seat);
    const [answered, opened] = counts[n];
    const clock = {
      ...(known.asked ? charge(control, clocks, known, at) : known),
      answered,
      opened: seq === undefined ? opened : opened - 1,
    };
    return seq === undefined ? clock : ask(control, clocks, clock, at, seq);
  });
  return { ...clocks, seats, turn };
}

/** @param {Control} control @param {Clocks} clocks @param {number} at @param {string} seat */
export function flagged(control, clocks, at, seat) {
  const known = of(clocks, seat);
  const charged = { ...charge(control, clocks, known, at), asked: known.asked, fallen: known.deadline ?? at };
  const after = one(clocks, seat, () => charged);
  return control.fall === "freeze" ? held(control, after, at, BY_FLAG, true) : after;
}

/** @param {Control} control @param {Clocks} clocks @param {number} at @param {number} until */
export const paused = (control, clocks, at, until) =>
  all(control, clocks, at, (now) => ({ ...now, pause: { since: at, until, resumed: [] } }));

/** @param {Control} control @param {Clocks} clocks @param {number} at @param {string} seat */
export function resumed(control, clocks, at, seat) {
  const { pause } = clocks;
  if (pause === null || !isPaused(clocks, at)) return clocks;
  const said = seat && !pause.resumed.includes(seat) ? [...pause.resumed, seat] : pause.resumed;
  let { until } = pause;
  if (!seat || clocks.seats.every((clock) => said.includes(clock.seat))) until = at;
  else if (control.notice && (!until || until > at + control.notice)) until = at + control.notice;
  return all(control, clocks, at, (now) => ({ ...now, pause: { since: pause.since, until, resumed: said } }));
}

/** @param {Control} control @param {Clocks} clocks @param {number} at @param {string} seat @param {number} ms */
export function credited(control, clocks, at, seat, ms) {
  return all(control, clocks, at, (now) =>
    one(now, seat, (clock) => {
      if (clock.fallen !== null)
        return { ...clock, bank: clock.bank + ms, fallen: clock.bank + ms <= 0 ? clock.fallen : null };
      if (!clock.asked) return { ...clock, bank: clock.bank + ms };
      return { ...clock, ran: clock.ran - ms, credited: clock.credited + ms };
    }),
  );
}

/** After the server was away. @param {Control} control @param {Clocks} clocks @param {number} start @param {number} end @returns {Clocks} */
export function out(control, clocks, start, end) {
  const seats = clocks.seats.map((known) => {
    const begins = Math.max(start, known.since);
    if (!known.asked || end <= begins) return known;
    const clock = upTo(clocks, known, begins);
    const away = { ...clock, since: end, stopped: clock.stopped + end - begins };
    return known.deadline !== null && known.deadline > begins ? timed(control, clocks, away) : away;
  });
  return { ...clocks, seats };
}

/** @param {Control} control @param {Clocks} clocks @param {number} at @param {string} seat @param {number} start @param {number} end */
export function leftFor(control, clocks, at, seat, start, end) {
  if (of(clocks, seat).leave.length >= LEAVES_MAX) return clocks; // one beyond the bound counts for nothing
  return all(control, clocks, at, (now) =>
    one(now, seat, (clock) => ({ ...clock, leave: [...clock.leave, [start, end]] })),
  );
}

/** @param {Control} control @param {Clocks} clocks @param {number} at @param {string} seat @param {number} start @param {number} length minutes */
export function slept(control, clocks, at, seat, start, length) {
  const isOfDay = (/** @type {number} */ minutes) => minutes >= 0 && minutes < DAY_MS / MINUTE_MS;
  if (!isOfDay(start) || !isOfDay(length)) return clocks; // such a night counts for nothing: no clock would ever run again
  return all(control, clocks, at, (now) =>
    one(now, seat, (clock) =>
      clock.night === null ? { ...clock, night: [start, length] } : { ...clock, nextNight: [start, length] },
    ),
  );
}

/** After the clocks are stopped for a claim. @param {Control} control @param {Clocks} clocks @param {number} at @param {number} n @param {boolean} freeze the game as well */
export function held(control, clocks, at, n, freeze = false) {
  const and = (/** @type {number[]} */ numbers) => (numbers.includes(n) ? numbers : [...numbers, n]);
  return all(control, clocks, at, (now) => ({
    ...now,
    held: and(now.held),
    frozen: freeze ? and(now.frozen) : now.frozen,
  }));
}

/** After a claim, where claims stop the clocks as they are made. @param {Control} control @param {Clocks} clocks @param {number} at @param {number} n @param {string} seat */
export function claimed(control, clocks, at, n, seat) {
  if (!seat) return held(control, clocks, at, n);
  const { claims } = of(clocks, seat);
  const counted = one(clocks, seat, (clock) => ({ ...clock, claims: claims + 1 }));
  return claims < CLAIMS_STOPPING_MAX ? held(control, counted, at, n) : counted;
}

/** After a claim no longer stops the clocks. @param {Control} control @param {Clocks} clocks @param {number} at @param {number} n @param {boolean} thaw */
export function released(control, clocks, at, n, thaw = false) {
  if (!clocks.held.includes(n) || (clocks.frozen.includes(n) && !thaw)) return clocks;
  const without = (/** @type {number[]} */ numbers) => numbers.filter((other) => other !== n);
  return all(control, clocks, at, (now) => ({ ...now, held: without(now.held), frozen: without(now.frozen) }));
}

/** @param {Control} control @param {Clocks} clocks @param {string} seat @param {string} name */
export function replaced(control, clocks, seat, name) {
  if (control.fall !== "bot" || name !== control.bot || of(clocks, seat).fallen === null) return clocks;
  return one(clocks, seat, (clock) => ({ ...clock, fallen: null, bot: true, deadline: null }));
}

/** @param {Control} control @param {Clocks} clocks @param {number} at @returns {Clocks} */
export const ended = (control, clocks, at) => ({
  ...clocks,
  seats: clocks.seats.map((clock) => (clock.asked ? charge(control, clocks, clock, at) : clock)),
  over: true,
});

/** How the game ends by the flags that have fallen: [winner, reason, arguments], or null. @param {Control} control @param {Clocks} clocks @returns {[string | null, string, any[]] | null} */
export function verdict(control, clocks) {
  const fallen = fallenOf(clocks);
  if (!fallen.length || !["loss", "claim"].includes(control.fall)) return null;
  if (control.fall === "claim" && fallen.length < clocks.seats.length) return null;
  return fallen.length > 1 ? [null, "outcome.flags", [["seats", fallen]]] : flagLost(clocks, fallen[0]);
}

/** @param {Clocks} clocks @param {string} seat @returns {[string | null, string, any[]]} */
export function flagLost(clocks, seat) {
  return [
    otherOfTwo(
      clocks.seats.map((clock) => clock.seat),
      seat,
    ),
    "outcome.flag",
    [["seat", seat]],
  ];
}

// --- what a clock shows ------------------------------------------------------------------------------------------------------------------

/** What the clock of a seat shows at a moment that is not before the newest record. @param {Control} control @param {Clocks} clocks @param {string} seat @param {number} now @returns {Reading} */
export function reading(control, clocks, seat, now) {
  const clock = upTo(clocks, of(clocks, seat), now);
  const free = freeOf(control, clock);
  const used = Math.min(free, Math.max(clock.ran, 0));
  const stopped = whyStopped(clocks, clock, now);
  const known = ["paused", "leave", "night"].includes(stopped) && !stands(clocks, clock);
  return {
    seat,
    left: clock.bank - (clock.ran - used),
    free: free - used,
    stopped,
    deadline: clock.deadline,
    until: known ? /** @type {number} */ (go(clocks, clock, now, null, 1)[0]) - 1 : null,
  };
}

/** @param {Clocks} clocks @param {SeatClock} clock @param {number} now */
function whyStopped(clocks, clock, now) {
  if (clocks.over) return "over";
  if (clock.bot) return "bot";
  if (clock.fallen !== null) return "fallen";
  if (clocks.frozen.length) return "frozen";
  if (clocks.held.length) return "held";
  if (isPaused(clocks, now)) return "paused";
  if (!clock.asked) return "not_asked";
  if (clock.leave.some(([start, end]) => start <= now && now < end)) return "leave";
  if (clock.night && mod(now - clock.night[0] * MINUTE_MS, DAY_MS) < clock.night[1] * MINUTE_MS) return "night";
  return "";
}
