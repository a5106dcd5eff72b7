// @ts-check
/**
 * What a game is drawn from: the form and the bounds of a description, as protocol/board/description.py has them. A description comes from a
 * server and is looked through before anything is made of it; a field that is left out gets its default.
 */

import {
  BOARD_PIECES_MAX,
  BOARD_TRACKS_MAX,
  DESCRIBED_MAX,
  HEXES_MAX,
  NAME_CHARS_MAX,
  PIECE_FACES_MAX,
  PLACE_NEIGHBOURS_MAX,
  TEXT_CHARS_MAX,
} from "../records/limits.js";

/** @typedef {(value: any, what: string) => any} Check */

export const BEYOND = -1;

/** @param {string} why @returns {never} */
function wrong(why) {
  throw new RangeError(why);
}

/** Characters, not the halves of which some are made. @param {string} text */
const length = (text) => (text.length > TEXT_CHARS_MAX * 2 ? Infinity : [...text].length);

/** @param {number} most @param {RegExp} [pattern] @returns {Check} */
const text = (most, pattern) => (value, what) => {
  if (typeof value !== "string" || length(value) > most) wrong(`${what} must be text of at most ${most} characters`);
  if (pattern && !pattern.test(value))
    wrong(`${what} is ${JSON.stringify(value.slice(0, 40))}, which is not of its form`);
  return value;
};
/** @param {...string} allowed @returns {Check} */
const oneOf =
  (...allowed) =>
  (value, what) =>
    allowed.includes(value) ? value : wrong(`${what} must be one of ${allowed.join(", ")}`);
/** @param {number} least @param {number} most @returns {Check} */
const whole = (least, most) => (value, what) =>
  Number.isInteger(value) && value >= least && value <= most
    ? value
    : wrong(`${what} must be a whole number from ${least} to ${most}`);
/** @type {Check} */
const flag = (value, what) => (typeof value === "boolean" ? value : wrong(`${what} must be true or false`));
/** @param {Check} check @returns {Check} */
const orNull = (check) => (value, what) => (value === null ? null : check(value, what));
/** @param {Check} of @param {number} most @returns {Check} */
const list = (of, most) => (value, what) => {
  if (!Array.isArray(value) || value.length > most) wrong(`${what} must be an array of at most ${most}`);
  return value.map((item, number) => of(item, `${what}[${number}]`));
};
/** @param {...Check} of @returns {Check} */
const row =
  (...of) =>
  (value, what) => {
    if (!Array.isArray(value) || value.length !== of.length) wrong(`${what} must be an array of ${of.length}`);
    return of.map((each, number) => each(value[number], `${what}[${number}]`));
  };
/** @param {any} value */
const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
/** @param {Record<string, [Check] | [Check, any]>} fields @returns {Check} */
const map = (fields) => (value, what) => {
  if (!isMap(value)) wrong(`${what} must be a map`);
  /** @type {Record<string, any>} */
  const found = {};
  for (const [name, [check, ...fill]] of Object.entries(fields)) {
    if (Object.hasOwn(value, name)) found[name] = check(value[name], `${what}.${name}`);
    else if (fill.length) found[name] = fill[0];
    else wrong(`${what} lacks ${name}`);
  }
  return found;
};
/** @param {number} most @returns {Check} */
const names = (most) => (value, what) => {
  if (!isMap(value) || Object.keys(value).length > most) wrong(`${what} must be a map of at most ${most} names`);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [id(key, what), name(each, what)]));
};

/** @param {number} most @returns {Check} */
const texts = (most) => (value, what) => {
  if (!isMap(value) || Object.keys(value).length > most) wrong(`${what} must be a map of at most ${most} texts`);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [id(key, what), long(each, what)]));
};

const id = text(NAME_CHARS_MAX);
const long = text(TEXT_CHARS_MAX);
const name = text(NAME_CHARS_MAX * 2);
const number = whole(-1_000_000, 1_000_000);
const place = whole(0, HEXES_MAX - 1);
const cell = whole(0, HEXES_MAX);

const FACE = map({
  face: [name],
  print: [text(NAME_CHARS_MAX), ""],
  values: [list(row(id, number), 16), []],
  steps: [whole(0, 100), 1],
  nation: [id, ""],
  zone: [flag, true],
});
const TALLY = map({
  side: [id],
  track: [id, ""],
  sign: [whole(-1, 1), 1],
  places: [list(row(place, number), HEXES_MAX), []],
  lacking: [list(row(place, number), HEXES_MAX), []],
  wins: [number, null],
});
const CONDITION = map({
  key: [name],
  args: [
    list(
      row(id, (/** @type {any} */ value, /** @type {string} */ what) =>
        (typeof value === "string" ? id : number)(value, what),
      ),
      16,
    ),
    [],
  ],
});
const SCORING = map({
  told: [oneOf("each", "lead"), "each"],
  unit: [name, ""],
  tallies: [list(TALLY, 8), []],
  conditions: [list(CONDITION, 16), []],
});
const RESULTS = map({
  dice: [whole(1, 8)],
  faces: [whole(2, 100)],
  first: [whole(-100, 1000)],
  heads: [list(row(id, list(id, DESCRIBED_MAX)), 16)],
  rows: [list(list(id, DESCRIBED_MAX), DESCRIBED_MAX)],
  codes: [list(row(id, whole(0, 100), whole(0, 100), whole(0, 100), whole(0, 100)), DESCRIBED_MAX), []],
  choose: [flag, false],
  also: [list(row(id, list(CONDITION, 4)), DESCRIBED_MAX), []],
});
const DESCRIPTION = map({
  kind: [oneOf("hexes", "areas", "list")],
  form: [whole(1, 1), 1],
  sides: [list(id, 64), []],
  grid: [
    map({
      columns: [whole(1, HEXES_MAX)],
      rows: [whole(1, HEXES_MAX)],
      orientation: [oneOf("", "flat", "pointy"), ""],
      shifted: [oneOf("", "odd", "even"), ""],
    }),
    null,
  ],
  chart: [id, ""],
  legend: [name, ""],
  terrains: [list(map({ id: [id], sign: [text(1), ""], zone: [flag, true] }), DESCRIBED_MAX), []],
  places: [
    list(
      map({
        id: [id],
        at: [row(cell, cell)],
        near: [list(whole(BEYOND, HEXES_MAX - 1), PLACE_NEIGHBOURS_MAX), []],
        terrain: [id, ""],
        name: [name, ""],
        site: [id, ""],
        group: [id, ""],
        great: [flag, false],
        owner: [id, ""],
        printed: [list(row(id, id, orNull(number)), 16), []],
        origin: [name, ""],
      }),
      HEXES_MAX,
    ),
    [],
  ],
  rivers: [
    list(
      map({ kind: [id], sides: [list(row(place, whole(0, 5), flag), 3 * HEXES_MAX)], name: [name, ""] }),
      DESCRIBED_MAX,
    ),
    [],
  ],
  lines: [list(map({ kind: [id], places: [list(place, HEXES_MAX)], name: [name, ""] }), DESCRIBED_MAX), []],
  areas: [
    list(
      map({
        id: [id],
        kind: [id],
        places: [list(place, HEXES_MAX)],
        name: [name, ""],
        side: [id, ""],
        origin: [name, ""],
        to_turn: [orNull(number), null],
      }),
      DESCRIBED_MAX,
    ),
    [],
  ],
  sources: [
    list(
      map({ id: [id], side: [id], place: [place], name: [name, ""], from_turn: [number, 1], origin: [name, ""] }),
      DESCRIBED_MAX,
    ),
    [],
  ],
  boxes: [
    list(
      map({
        id: [id],
        name: [name, ""],
        side: [id, ""],
        out: [flag, false],
        origin: [name, ""],
        lost: [flag, false],
        arrival: [orNull(number), null],
      }),
      DESCRIBED_MAX,
    ),
    [],
  ],
  tracks: [list(map({ id: [id], first: [orNull(number), null], last: [orNull(number), null] }), BOARD_TRACKS_MAX), []],
  pieces: [
    list(
      map({
        id: [id],
        name: [name, ""],
        side: [id, ""],
        kind: [id, "unit"],
        type: [id, ""],
        nation: [id, ""],
        symbol: [id, ""],
        zone: [flag, false],
        faces: [list(FACE, PIECE_FACES_MAX), []],
        group: [id, ""],
        origin: [name, ""],
        arrives: [orNull(number), null],
      }),
      BOARD_PIECES_MAX,
    ),
    [],
  ],
  symbols: [
    list(
      map({
        id: [text(NAME_CHARS_MAX, /^[a-z0-9_-]+$/)],
        code: [text(30, /^[0-9]*$/), ""],
        label: [text(8, /^[A-Za-z0-9]*$/), ""],
        box: [text(40, /^[0-9. -]*$/), ""],
        paths: [list(text(TEXT_CHARS_MAX, /^[MmLlHhVvCcSsQqTtAaZz0-9., -]*$/), 32), []],
      }),
      DESCRIBED_MAX,
    ),
    [],
  ],
  names: [names(BOARD_PIECES_MAX), {}],
  origins: [texts(DESCRIBED_MAX), {}],
  questions: [list(id, 64), []],
  scoring: [SCORING, null],
  results: [RESULTS, null],
  hits: [list(map({ purpose: [id], unit: [name], worth: [list(whole(-1000, 1000), 100)] }), 16), []],
  zoneless: [list(id, 16), []],
  cut: [list(id, 16), []],
});

// From a column or row that is not shifted, and from one that is, to the six cells around: clockwise from north (flat) or north-east (pointy).
const FLAT = [
  [
    [0, -1],
    [1, -1],
    [1, 0],
    [0, 1],
    [-1, 0],
    [-1, -1],
  ],
  [
    [0, -1],
    [1, 0],
    [1, 1],
    [0, 1],
    [-1, 1],
    [-1, 0],
  ],
];
const POINTY = [
  [
    [0, -1],
    [1, 0],
    [0, 1],
    [-1, 1],
    [-1, 0],
    [-1, -1],
  ],
  [
    [1, -1],
    [1, 0],
    [1, 1],
    [0, 1],
    [-1, 0],
    [0, -1],
  ],
];

/** Hexes that come without neighbours have those in the six cells around them. @param {import("../protocol.d.ts").Description} told */
function join({ kind, grid, places }) {
  if (kind !== "hexes" || !grid || !grid.orientation || !grid.shifted) return;
  const flat = grid.orientation === "flat";
  const cells = new Map(places.map(({ at }, n) => [at[1] * grid.columns + at[0], n]));
  for (const place of places) {
    if (place.near.length) continue;
    const [column, row] = place.at;
    const shifted = ((flat ? column : row) % 2 === 1) === (grid.shifted === "even");
    place.near = (flat ? FLAT : POINTY)[Number(shifted)].map(([right, down]) => {
      const [c, r] = [column + right, row + down];
      return c < 0 || c >= grid.columns || r < 0 ? BEYOND : (cells.get(r * grid.columns + c) ?? BEYOND);
    });
  }
}

/**
 * A description with every field. Throws RangeError for one of another form or beyond its bounds.
 * @param {any} value @returns {import("../protocol.d.ts").Description}
 */
export function readDescription(value) {
  /** @type {import("../protocol.d.ts").Description} */
  const told = DESCRIPTION(value, "description");
  const { places, grid, kind } = told;
  for (const what of /** @type {const} */ (["places", "pieces", "symbols", "boxes", "tracks"])) {
    if (new Set(told[what].map((part) => part.id)).size !== told[what].length) wrong(`${what} have an id twice`);
  }
  join(told);
  const known = (/** @type {number} */ n) =>
    n < places.length || wrong(`there is no place of that number; there are ${places.length}`);
  for (const one of places) one.near.forEach(known);
  for (const river of told.rivers) river.sides.forEach((side) => known(side[0]));
  for (const part of [...told.lines, ...told.areas]) part.places.forEach(known);
  for (const source of told.sources) known(source.place);
  for (const tally of told.scoring?.tallies ?? []) for (const [n] of [...tally.places, ...tally.lacking]) known(n);
  const { heads, rows } = told.results ?? { heads: [], rows: [] };
  for (const [, columns] of heads) {
    if (!rows.length || rows.some((one) => one.length !== columns.length))
      wrong("each row of the results has a result for each column");
  }
  if (kind === "list") return told;
  if (!grid || grid.columns * grid.rows > HEXES_MAX || !places.length)
    wrong(`a map has places on a grid of at most ${HEXES_MAX} cells`);
  const cells = new Set(places.map(({ at }) => at[1] * grid.columns + at[0]));
  if (cells.size !== places.length || places.some(({ at }) => at[0] >= grid.columns || at[1] >= grid.rows))
    wrong("places must stand in cells of their own on the grid");
  if (kind === "hexes" && (!grid.orientation || !grid.shifted || places.some(({ near }) => near.length !== 6)))
    wrong("a map of hexes has orientation, shifted, and six neighbours a hex");
  if (kind === "areas" && places.some(({ near }) => near.some((n) => n < 0))) wrong("an area's neighbours are places");
  return told;
}

/** What is printed as the name of places, boxes, areas, sources and pieces: for where a catalogue has no name. @param {import("../protocol.d.ts").Description} told */
export function namesOf(told) {
  /** @type {Record<string, string>} */
  const found = { ...told.names };
  for (const part of [...told.areas, ...told.sources, ...told.boxes, ...told.pieces])
    if (part.name) found[part.id] = part.name;
  for (const place of told.places)
    if (place.name) found[place.id] = told.kind === "hexes" ? `${place.name} (${place.id})` : place.name;
  return found;
}
