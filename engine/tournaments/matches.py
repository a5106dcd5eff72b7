"""Matches: a pairing with its games, which is one unless the charter has it played over several.

Further games of a match stand in rounds of their own, after the round in which it was paired. A
game is decided by the verdict that stood when the next round was paired. So a correction binds only
what is not paired yet.
"""

from collections.abc import Sequence

from attrs import frozen

from warledger.engine.tournaments.charter import ANOTHER, ELIMINATIONS, HIGHER, Charter
from warledger.engine.tournaments.crosstable import Line, Result
from warledger.engine.tournaments.points import HALVES, other_way, result, result_of, worth
from warledger.engine.tournaments.tournamentposition import (
    ELIMINATOR,
    Board,
    Position,
    RoundState,
    Verdict,
)

NEWEST = 1 << 62
"""Later than every record: the verdicts that stand now."""


@frozen
class Match:
    """A pairing and its games.

    Attributes:
        number: of its board in the round in which it was paired.
        entrants: as they sat in its first game.
        games: its boards, one a round.
        volunteer: who plays it for the other alone, 0 for nobody.
    """

    number: int
    entrants: tuple[int, ...]
    games: tuple[Board, ...]
    volunteer: int = 0


def matches(rounds: Sequence[RoundState]) -> tuple[Match, ...]:
    """The matches of a pairing: of its round, and of the further games after it."""
    first, *more = rounds
    volunteers = [number for number, kind in first.byes if kind == ELIMINATOR]
    found: list[Match] = []
    for board in first.boards:
        who = frozenset(board.entrants)
        later = [b for one in more for b in one.boards if frozenset(b.entrants) == who]
        second = next(
            (
                number
                for number in volunteers
                if number in who and first.boards_of(number)[-1] is board
            ),
            0,
        )
        found.append(Match(board.number, board.entrants, (board, *later), second))
    return tuple(found)


def games_of(charter: Charter, stage: int) -> int:
    """Over how many games a match goes, unless it is decided before."""
    if charter.sides.by == "both":
        return 2
    rules = charter.stages[stage]
    return rules.best_of if rules.system in ELIMINATIONS else 1


def results(
    charter: Charter, stage: int, match: Match, seq: int = NEWEST
) -> tuple[Result, ...] | None:
    """The results of a match in the order of its entrants, by the verdicts of a moment. None while
    a game of it has no result, or one is still to be played."""
    verdicts = _verdicts(match, seq)
    if verdicts is None:
        return None
    needed = games_of(charter, stage)
    if needed == 1 and len(verdicts) == 1:
        return tuple(result(name) for name in verdicts[0].results)
    if charter.stages[stage].system in ELIMINATIONS and any(map(_nobodys, verdicts)):
        return (result("loss"),) * len(match.entrants)
    one = match.entrants[0]
    had = [(_of(game, told, one), told.manner) for game, told in _paired(match, verdicts)]
    halves = sum(HALVES[name] for (name, _), _ in had)
    left, count = 2 * len(had) - halves, len(had)
    both = charter.sides.by == "both"
    if count < needed and (both or max(halves, left) <= needed):
        return None
    close = charter.stages[stage].points.close
    margins = [margin for (_, margin), _ in had]
    outright = any(margin == 0 and HALVES[name] != 1 for (name, margin), _ in had)
    if both and any(margins) and (halves == left or not outright):
        first = result_of(sum(margins), close)
    else:
        first = "win" if halves > left else "loss" if halves < left else "draw"
    return first, other_way(first)


def _verdicts(match: Match, seq: int) -> list[Verdict] | None:
    found = [verdict for game in match.games if (verdict := game.verdict_at(seq)) is not None]
    return found if len(found) == len(match.games) else None


def _paired(match: Match, verdicts: Sequence[Verdict]) -> list[tuple[Board, Verdict]]:
    return list(zip(match.games, verdicts, strict=True))


def _nobodys(verdict: Verdict) -> bool:
    """Whether everybody has lost."""
    return all(name in ("loss", "close_loss") for name in verdict.results)


def _of(game: Board, verdict: Verdict, number: int) -> tuple[str, int]:
    seat = game.entrants.index(number)
    return verdict.results[seat], verdict.margins[seat]


def goes_on(at: Position, stage: int, match: Match, seq: int = NEWEST) -> int | None:
    """Who of a match goes on in an elimination: 0 for nobody (both have lost), None where a game
    is still to be played."""
    told = results(at.charter, stage, match, seq)
    if told is None:
        return None
    for number, name in zip(match.entrants, told, strict=True):
        if name in ("win", "close_win"):
            return number
    if "draw" not in told:
        return 0
    tie = at.charter.stages[stage].tie
    if tie == HIGHER:
        return min(match.entrants, key=at.orders[stage].index)
    if tie == ANOTHER:
        return None
    last = match.games[-1]
    one = next(one for one in at.rounds if last in one.boards)
    seats = at.seats(one.number)
    return last.entrants[seats.index(tie)] if tie in seats else None


def lines(charter: Charter, stage: int, match: Match) -> dict[int, Line]:
    """The lines of a match by number of entry; opponents are named so too."""
    points = charter.stages[stage].points
    told = results(charter, stage, match)
    verdicts = _verdicts(match, NEWEST)
    found: dict[int, Line] = {}
    for place, number in enumerate(match.entrants):
        if number == match.volunteer:
            continue  # their second board counts for the other alone
        others = tuple(other for other in match.entrants if other != number)
        seat = match.games[0].entrants.index(number) if match.games[0].seated else None
        if told is None or verdicts is None:
            found[number] = Line("pending", 0, None, others, seat, 0, match.number)
            continue
        manner = verdicts[0].manner
        if any(verdict.manner != manner for verdict in verdicts):
            manner = "played"
        margin = sum(_of(game, told, number)[1] for game, told in _paired(match, verdicts))
        name = told[place]
        value = worth(points, manner, name)
        if manner == "forfeit":
            found[number] = Line("forfeit", value, name, others, seat, margin, match.number)
        elif manner == "adjudicated":
            found[number] = Line("adjudicated", value, name, others, seat, margin, match.number)
        else:
            found[number] = Line("played", value, name, others, seat, margin, match.number)
    return found
