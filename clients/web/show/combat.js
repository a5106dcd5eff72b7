// @ts-check
/** What a combat is, from its effects alone: who fights where, what the sentences say of the odds, the dice, and what has become of each. */

/** @typedef {{id: string, face: any, owner: string, place: string, fate: "" | "lost" | "reduced" | "back"}} Fighter */
/** @typedef {{dice: number[], sides: number}} Roll */
/**
 * @typedef {{place: string, places: Set<string>, origins: string[], attackers: Fighter[], defenders: Fighter[], given: Map<string, any>, rolls: Roll[], effects: any[][]}} Combat
 * `given` are the arguments of its sentences by name, the newest of each; `origins` the places that an attack comes from whose units need not be shown.
 */

/**
 * The dice behind a total that a sentence names, where the title shows no roll: those of one purpose in the record's receipts that come to it.
 * @param {{purpose: string, drawn: [number, number] | null}[]} draws of the record @param {Map<string, any>} given @returns {Roll[]}
 */
export function behind(draws, given) {
  const total = Number(given.get("roll")) - (Number(given.get("drm")) || 0);
  /** @type {Map<string, [number, number][]>} */
  const of = new Map();
  for (const { purpose, drawn } of draws) if (drawn) of.set(purpose, [...(of.get(purpose) ?? []), drawn]);
  const found = [...of.values()].findLast((dice) => dice.reduce((sum, [, at]) => sum + at + 1, 0) === total);
  return found ? [{ dice: found.map(([, at]) => at + 1), sides: found[0][0] }] : [];
}

/**
 * @param {{args: [string, any][]}} span @param {{seq: number, effects: any[][]}[]} scene what has happened so far
 * @param {import("../records/effects.js").Board} before the board when it began @param {(id: string) => boolean} known whether an id is a place of the map
 * @returns {Combat}
 */
export function combatOf(span, scene, before, known) {
  const named = Object.fromEntries(span.args);
  const place = [named.hex, named.place].find((one) => typeof one === "string" && known(one)) ?? "";
  /** @type {Map<string, Fighter>} */
  const fighters = new Map();
  /** @type {Map<string, any>} */
  const given = new Map();
  /** @type {Roll[]} */
  let rolls = [];
  /** @type {string[]} */
  let origins = [];
  const add = (/** @type {any} */ id) => {
    const piece = typeof id === "string" ? before.pieces.get(id) : undefined;
    if (piece && !fighters.has(id) && typeof piece.place === "string" && known(piece.place))
      fighters.set(id, { id, face: piece.face, owner: piece.owner, place: piece.place, fate: "" });
  };
  const each = (/** @type {any} */ value) => (Array.isArray(value) ? value.forEach(each) : add(value));
  const stack = (/** @type {any} */ hex) => {
    if (typeof hex === "string" && known(hex))
      for (const [id, piece] of before.pieces) if (piece.place === hex) add(id);
  };
  for (const { effects } of scene) {
    if (effects.some(([tag]) => tag === "roll")) rolls = [];
    for (const [tag, a, b, c] of effects) {
      if (tag === "say") {
        for (const [name, value] of b) {
          given.set(name, value);
          if (known(value)) continue;
          each(value);
          // Where counters lie face down, those who fight are named by their hexes; where a stack shows one that may not fight, by `origins`.
          if (name === "hexes" && Array.isArray(value)) value.forEach(stack);
          if (name === "origins" && Array.isArray(value)) origins = value.filter(known);
        }
      } else if (tag === "roll") rolls.push({ dice: c, sides: b });
      const one = fighters.get(a);
      if (!one) continue;
      if (tag === "take") one.fate = "lost";
      else if (tag === "flip" && one.fate !== "lost") {
        one.fate = "reduced";
        one.face = b;
      } else if (tag === "move" && one.fate === "" && one.place === place && b[b.length - 1] !== place)
        one.fate = "back";
    }
  }
  if (![...fighters.values()].some((one) => one.place === place) && place) {
    for (const [id, piece] of before.pieces) if (piece.place === place) add(id);
  }
  // In a hex those are attacked who are in it; where all are in one sea, the sides face each other.
  const all = [...fighters.values()];
  const there = all.filter((one) => one.place === place);
  const first = all[0]?.owner ?? "";
  const apart = there.length > 0 && (there.length < all.length || origins.length > 0);
  const attackers = all.filter((one) => (apart ? one.owner !== there[0].owner : one.owner === first));
  return {
    place,
    origins,
    attackers,
    defenders: all.filter((one) => !attackers.includes(one)),
    given,
    rolls,
    effects: scene[scene.length - 1]?.effects ?? [],
    places: new Set([place, ...origins, ...all.map((one) => one.place)].filter(Boolean)),
  };
}

/** @typedef {{column: string, cells: {code: string, ways: number, from: number, to: number}[], all: number, code: string, total: number | null}} Strip */

/**
 * The column of the table of results that a combat is resolved in: each result with the ways to roll it, in the order of the dice.
 * @param {import("../protocol.d.ts").Results | null} results of the description @param {Map<string, any>} given @returns {Strip | null}
 */
export function stripOf(results, given) {
  const column = given.get("column");
  if (!results || typeof column !== "string") return null;
  const head = results.heads.find(([id, columns]) => (!id || id === given.get("row")) && columns.includes(column));
  if (!head) return null;
  const index = head[1].indexOf(column);
  const modifier = Number(given.get("drm") ?? 0) || 0;
  const { dice, faces, first, rows } = results;
  const row = (/** @type {number} */ total) => rows[Math.min(rows.length - 1, Math.max(0, total - first))];
  /** @type {Strip["cells"]} */
  const cells = [];
  for (const [total, ways] of totals(dice, faces)) {
    const code = row(total + modifier)[index];
    const last = cells[cells.length - 1];
    if (last?.code === code) {
      last.ways += ways;
      last.to = total;
    } else cells.push({ code, ways, from: total, to: total });
  }
  const code = given.get("result");
  return { column, cells, all: faces ** dice, code: typeof code === "string" ? code : "", total: rolled(given) };
}

/** What was rolled, where a sentence says so. @param {Map<string, any>} given */
function rolled(given) {
  const die = given.get("die") ?? given.get("dice");
  if (Number.isInteger(die)) return die;
  if (Array.isArray(die) && die.every(Number.isInteger)) return die.reduce((sum, one) => sum + one, 0);
  const total = given.get("roll");
  return Number.isInteger(total) ? total - (Number(given.get("drm")) || 0) : null;
}

/** How many ways there are to roll each total. @param {number} dice @param {number} faces @returns {[number, number][]} */
export function totals(dice, faces) {
  /** @type {Map<number, number>} */
  let found = new Map([[0, 1]]);
  for (let n = 0; n < dice; n++) {
    /** @type {Map<number, number>} */
    const next = new Map();
    for (const [sum, ways] of found)
      for (let face = 1; face <= faces; face++) next.set(sum + face, (next.get(sum + face) ?? 0) + ways);
    found = next;
  }
  return [...found].sort(([a], [b]) => a - b);
}
