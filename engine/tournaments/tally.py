"""From the ledger's position to the table that pairing, standings and files read."""

from __future__ import annotations

from collections.abc import Mapping

from warledger.engine.tournaments.charter import Points
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line, Manner, Result
from warledger.engine.tournaments.position import Board, Position, RoundState
from warledger.engine.tournaments.standings import Standing, standings
from warledger.engine.tournaments.tiebreaks import Terms

WORTH: Mapping[str, str] = {
    "pairing_bye": "bye",
    "full_bye": "full_bye",
    "half_bye": "half_bye",
    "zero_bye": "zero_bye",
}
"""Which of the charter's points a bye brings."""


def result_of(margin: int, close: int) -> Result:
    """The result of a margin in half units: one below `close` is a close one."""
    if margin == 0:
        return "draw"
    if margin > 0:
        return "close_win" if margin < close else "win"
    return "close_loss" if -margin < close else "loss"


def other_way(result: str) -> Result:
    """The result as the other of two has it."""
    return _OTHER[result]


_OTHER: Mapping[str, Result] = {
    "win": "loss",
    "close_win": "close_loss",
    "draw": "draw",
    "close_loss": "close_win",
    "loss": "win",
}


def worth(points: Points, manner: str, result: str) -> int:
    """The points of a result."""
    if manner == "forfeit":
        return points.forfeit_win if result == "win" else points.forfeit_loss
    value: int = getattr(points, result)
    return value


def crosstable(at: Position, stage: int | None = None, rounds: int | None = None) -> Crosstable:
    """The table of a stage (default: the one in progress), by starting number, over the rounds that
    have been published (or the first `rounds` of them)."""
    index = at.stage if stage is None else stage
    order = at.orders[index] if index < len(at.orders) else ()
    start = {number: place for place, number in enumerate(order, start=1)}
    entrants = tuple(
        Entrant(start[number], person.name, person.rating, person.groups)
        for number in order
        if (person := at.entrants[number])
    )
    played = [one for one in at.rounds if one.stage == index and one.published][:rounds]
    points = at.charter.stages[index].points
    missed = dict.fromkeys(order, 0)
    lines = tuple([_lines(at, one, order, start, points, missed) for one in played])
    return Crosstable(entrants, lines, at.charter.stages[index].rounds)


def _lines(
    at: Position,
    one: RoundState,
    order: tuple[int, ...],
    start: Mapping[int, int],
    points: Points,
    missed: dict[int, int],
) -> dict[int, Line]:
    byes = dict(one.byes)
    found: dict[int, Line] = {}
    for board in one.boards:
        for number, line in _of_board(board, start, points):
            found[start[number]] = line
    for number in order:
        if start[number] in found:
            continue
        kind = byes.get(number, "absent")
        if kind in WORTH:
            worth_of: int = getattr(points, WORTH[kind])
            found[start[number]] = Line(_MANNERS[kind], worth_of)
        else:
            found[start[number]] = Line("absent", _late(at, one, number, points, missed))
    return found


_MANNERS: Mapping[str, Manner] = {
    "pairing_bye": "pairing_bye",
    "full_bye": "full_bye",
    "half_bye": "half_bye",
    "zero_bye": "zero_bye",
}


def _late(
    at: Position, one: RoundState, number: int, points: Points, missed: dict[int, int]
) -> int:
    """What a round before an entrant came brings them."""
    late = at.charter.late
    if at.entrants[number].since <= one.number or late.missed != "half":
        return 0
    missed[number] += 1
    return points.half_bye if missed[number] <= late.halves else 0


def _of_board(board: Board, start: Mapping[int, int], points: Points) -> list[tuple[int, Line]]:
    found = []
    verdict = board.verdict
    for seat, number in enumerate(board.entrants):
        others = tuple(start[other] for other in board.entrants if other != number)
        side = seat if board.seated else None
        if verdict is None:
            line = Line("pending", 0, None, others, side, 0, board.number)
        else:
            manner, result = verdict.manner, verdict.results[seat]
            line = Line(
                _BOARD_MANNERS[manner],
                worth(points, manner, result),
                _RESULTS[result],
                others,
                side,
                verdict.margins[seat],
                board.number,
            )
        found.append((number, line))
    return found


_BOARD_MANNERS: Mapping[str, Manner] = {
    "played": "played",
    "adjudicated": "adjudicated",
    "forfeit": "forfeit",
}
_RESULTS: Mapping[str, Result] = {name: other_way(other_way(name)) for name in _OTHER}


def ranking(at: Position, lots: Mapping[int, int] | None = None) -> tuple[Standing, ...]:
    """The standings of the stage in progress, by starting number, with every tie-break of the
    charter. `lots` are those of the last tie-break; as long as they are not drawn the starting
    number stands in for them."""
    table, stage = crosstable(at), at.rules
    drawn = lots or {one.number: one.number for one in table.entrants}
    fixed = stage.system in ("round_robin", "groups")
    terms = Terms(stage.points, at.seats(max(1, len(at.rounds))), fixed, drawn)
    return standings(table, stage.tiebreaks, terms)


def places(at: Position, lots: Mapping[int, int] | None = None) -> tuple[int, ...]:
    """Entrants of the stage in progress by number of entry, the best first."""
    return tuple(at.order[one.number - 1] for one in ranking(at, lots))


__all__ = ["crosstable", "other_way", "places", "ranking", "result_of", "worth"]
