"""The games of a tournament that are rated, as its ledger tells them.

Rated is what may count, as the terms of the game said when it was opened (`may_count`), and was
played and stands: a board with a game that was reported with its signed end, by the result that
stands in the final table. Byes, forfeits and results without a game are not rated.
"""

from collections.abc import Mapping
from typing import Any, Final

from warledger.engine.tournaments.crosstable import PLAYED
from warledger.engine.tournaments.ratings import Game
from warledger.engine.tournaments.tournamentposition import Board, Position, Verdict

LIVE: Final = "live"
DAYS: Final = "days"
LIVE_BANK_MS: Final = 3 * 3600_000
"""A clock that begins with less than this is a live game's."""
_HALVES: Final = {"win": 2, "close_win": 2, "draw": 1, "close_loss": 0, "loss": 0}


def pace_of(clock: Mapping[str, Any]) -> str:
    """The pace of a clock's control: "live", "days", or "" without a clock. Ratings of one pace do
    not count for another."""
    bank = clock.get("bank", 0)
    return "" if not bank else LIVE if bank < LIVE_BANK_MS else DAYS


def games_of(at: Position) -> dict[str, tuple[Game, ...]]:
    """The rated games by title, in the order of their ids."""
    found: dict[str, list[Game]] = {}
    for one in at.rounds:
        for board in one.boards:
            game = _game(at, board)
            if game is not None:
                found.setdefault(at.played_in(one.number)[0], []).append(game)
    return {
        title: tuple(sorted(found[title], key=lambda game: game.game)) for title in sorted(found)
    }


def may_count(at: Position, board: Board) -> bool:
    """Whether the game of a board counts for ratings, which its terms say (`rated`): by the
    charter, and between two entrants who have entered with different accounts. Nothing of this can
    change once the game is opened."""
    if len(board.entrants) != 2:
        return False
    first, second = (at.entrants[number].account for number in board.entrants)
    given = at.charter.ratings
    return bool(
        given.rated
        and first
        and second
        and first != second
        and (given.handicap or not board.handicap[1])
    )


def _game(at: Position, board: Board) -> Game | None:
    told = board.verdict
    if not may_count(at, board) or board.proof is None or told is None:
        return None
    if told.manner not in PLAYED or any(name not in _HALVES for name in told.results):
        return None
    first, second = ((at.entrants[n].account, at.entrants[n].name) for n in board.entrants)
    index, units = board.handicap
    given = units if index else -units
    return Game(board.game, board.proof.hash, first, second, _half(told, given), given)


def _half(told: Verdict, given: int) -> int:
    """What the first seat has of two halves, without the handicap: by the margin on the board where
    there is one, else, as after a resignation, by the result."""
    if not given or not any(told.margins):
        return _HALVES[told.results[0]]
    margin = told.margins[0] + given
    return 2 if margin > 0 else 1 if not margin else 0
