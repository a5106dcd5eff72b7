// @ts-check
/** Who plays a tournament's game: its entrants, by the names that the tournament's pairings have, whatever their clients called themselves when they sat down. */

/** How long an answer counts that does not tell of a game's board, in ms: spectators may be shown the round later than the game. */
const AGAIN_MS = 15_000;

/** What has been asked of each tournament, and when: a wall has many boards of one. @type {Map<string, {at: number, told: Promise<any>}>} */
const asked = new Map();

/** Everything public about a tournament; null where it cannot be had. @param {string} id */
function told(id) {
  const kept = asked.get(id);
  if (kept && performance.now() - kept.at < AGAIN_MS) return kept.told;
  const answer = fetch(`/api/tournaments/${encodeURIComponent(id)}`)
    .then((one) => (one.ok ? one.json() : null))
    .catch(() => null);
  asked.set(id, { at: performance.now(), told: answer });
  return answer;
}

export class Entrants {
  /** @param {string} game @param {() => void} news what is called when the names are known */
  constructor(game, news) {
    this.game = game;
    this.news = news;
    /** the name of each seat's entrant @type {Map<string, string>} */
    this.names = new Map();
    this.askedAt = -AGAIN_MS;
  }

  /** Find out who they are, unless it is known or was asked for a moment ago. @param {unknown} of what the game's terms say of its tournament */
  async find(of) {
    if (!Array.isArray(of) || this.names.size || performance.now() - this.askedAt < AGAIN_MS) return;
    this.askedAt = performance.now();
    const [, tournament, , number, place] = of;
    const found = await told(String(tournament));
    const round = found?.rounds.find((/** @type {any} */ one) => one.round === number);
    const board = round?.boards.find((/** @type {any} */ one) => one.board === place);
    // A log may have come from another server, whose tournament only has the same name.
    if (board?.game !== this.game || !board.seated) return;
    const name = new Map(found.entrant_list.map((/** @type {any} */ one) => [one.number, one.shown]));
    round.seats.forEach((/** @type {string} */ seat, /** @type {number} */ index) =>
      this.names.set(seat, name.get(board.entrants[index]) ?? ""),
    );
    this.news();
  }
}
