"""Who plays whom: each system of the charter, asked for the next round of a tournament.

Pairing depends on the position and on lots alone. A round that cannot be paired is a refusal that
names who stands in the way; it is never tried again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import field, frozen

from warledger.engine.tournaments.berger import berger
from warledger.engine.tournaments.brackets import slots
from warledger.engine.tournaments.charter import HIGHER, SWISS, Charter
from warledger.engine.tournaments.lots import Lots
from warledger.engine.tournaments.position import Board, Position
from warledger.engine.tournaments.swiss.cards import Scale
from warledger.engine.tournaments.swiss.dutch import dutch
from warledger.engine.tournaments.swiss.paired import CannotPair, Matcher
from warledger.engine.tournaments.swiss.record import First, record
from warledger.engine.tournaments.tally import crosstable
from warledger.protocol import canon
from warledger.protocol.choices import Refusal, refuse
from warledger.protocol.records import hash_of


@frozen
class Paired:
    """A round as a system pairs it.

    Attributes:
        boards: entrants of each board by number of entry, and whether they are in seat order.
        byes: who is free, and what bye that is.
        forfeits: boards (from 1) that are lost without play by the entrants named.
    """

    boards: tuple[tuple[tuple[int, ...], bool], ...]
    byes: tuple[tuple[int, str], ...] = ()
    forfeits: Mapping[int, frozenset[int]] = field(factory=dict)


def inputs(at: Position) -> bytes:
    """SHA-256 of everything that the next pairing follows from: system, round, who plays, who is
    away, and every line of the table."""
    number = at.next_round
    table = crosstable(at)
    lines = tuple(
        tuple(
            (start, line.manner, line.points, line.opponents, line.seat, line.margin)
            for start, line in sorted(one.items())
        )
        for one in table.rounds
    )
    away = tuple(sorted((person.number, person.away[number]) for person in _away(at, number)))
    return hash_of(
        canon.pack((at.rules.system, number, at.order, at.field_of(number), away, lines))
    )


def _away(at: Position, round: int) -> list[Any]:
    return [at.entrants[n] for n in at.order if round in at.entrants[n].away]


def rounds_of(at: Position) -> int:
    """How many rounds the stage in progress has; 0 while its order is not settled."""
    count = len(at.order)
    stage = at.rules
    if stage.system == "round_robin":
        return (count - 1 + count % 2) * stage.cycles if count else 0
    if stage.system == "knockout":
        return (count - 1).bit_length() if count else 0
    return stage.rounds


class MatcherNeeded(Exception):
    """The system pairs with a matcher, and none was handed in."""


def pair(at: Position, lots: Lots, matcher: Matcher | None = None) -> Paired | Refusal:
    """Pair the next round of the stage in progress. Raises MatcherNeeded."""
    system = at.rules.system
    if system not in SWISS:
        return _SYSTEMS[system](at, lots)
    if matcher is None:
        raise MatcherNeeded(system)
    return _swiss(at, lots, matcher)


def missing(charter: Charter) -> list[tuple[str, str]]:
    """What a charter asks for and a ledger cannot do: the charter's key, and what it says."""
    found = [
        (f"stage[{index}].system", stage.system)
        for index, stage in enumerate(charter.stages, start=1)
        if stage.system not in (*_SYSTEMS, *SWISS)
    ]
    found += [
        (f"stage[{index}].best_of", str(stage.best_of))
        for index, stage in enumerate(charter.stages, start=1)
        if stage.best_of > 1
    ]
    found += [
        (f"stage[{index}].{name}", "true")
        for index, stage in enumerate(charter.stages, start=1)
        for name, wanted in (("consolation", stage.consolation), ("eliminator", stage.eliminator))
        if wanted
    ]
    if charter.sides.by in ("auction", "both"):
        found.append(("sides.by", charter.sides.by))
    return found


def byes_of_the_away(at: Position, round: int) -> tuple[tuple[int, str], ...]:
    """Who has said they miss a round, with the bye they have for it."""
    return tuple(
        (number, at.entrants[number].away[round])
        for number in at.order
        if at.entrants[number].present and round in at.entrants[number].away
    )


# --- all play all ---------------------------------------------------------------------------------


def _round_robin(at: Position, lots: Lots) -> Paired | Refusal:
    order, stage = at.order, at.rules
    table = berger(len(order), stage.cycles)[len(at.stage_rounds)]
    number = at.next_round
    here = frozenset(at.field_of(number))
    boards: list[tuple[tuple[int, ...], bool]] = []
    byes: list[tuple[int, str]] = []
    forfeits: dict[int, frozenset[int]] = {}
    if table.free is not None and order[table.free - 1] in here:
        byes.append((order[table.free - 1], "pairing_bye"))
    for one, other in table.boards:
        sitting = (order[one - 1], order[other - 1])
        boards.append(_seated(at, sitting, lots, len(boards) + 1, given=True))
        gone = frozenset(sitting) - here
        if gone:
            forfeits[len(boards)] = gone
    return Paired(tuple(boards), tuple(byes), forfeits)


def _seated(
    at: Position, sitting: tuple[int, int], lots: Lots, board: int, *, given: bool = False
) -> tuple[tuple[int, ...], bool]:
    """The board with its sides, where the charter deals them without asking anybody. `given`: the
    system's own table names them."""
    by = at.charter.sides.by
    if by == "lots":
        turned = lots.draw(f"sides:{at.next_round}:{board}", 2)
        return (sitting[::-1] if turned else sitting), True
    if by != "balance":
        return sitting, False
    if given:
        return sitting, True
    one, other = (_first_seats(at, number) for number in sitting)
    return (sitting[::-1] if one > other else sitting), True


def _first_seats(at: Position, number: int) -> int:
    """How much oftener somebody has had the first seat than the second."""
    had = [
        board.entrants.index(number)
        for one in at.rounds
        for board in one.boards
        if number in board.entrants and board.seated
    ]
    return had.count(0) - had.count(1)


# --- Swiss ----------------------------------------------------------------------------------------


def _swiss(at: Position, lots: Lots, matcher: Matcher) -> Paired | Refusal:
    order, stage = at.order, at.rules
    table = crosstable(at)
    playing = at.field_of(at.next_round)
    start = {number: place for place, number in enumerate(order, start=1)}
    present = [start[number] for number in playing]
    apart = _apart(at) if at.charter.entry.apart else ()
    scale = Scale(stage.points.win, stage.points.loss)
    try:
        if stage.system == "dutch":
            initial = None if table.rounds else lots.draw("initial side", 2)
            made = dutch(table, present, matcher, scale=scale, initial=initial, forbidden=apart)
        else:
            made = record(
                table,
                present,
                matcher,
                lots.of_pairs(f"pair:{at.next_round}"),
                first=_FIRST[stage.first_round],
                sides=at.charter.sides.by == "balance",
                scale=scale,
                forbidden=apart,
                again_after=stage.again,
            )
    except CannotPair as error:
        names = tuple(at.entrants[order[one - 1]].name for one in error.entrants)
        return refuse(
            f"{at.clause}.system", f"refusal.tournament.cannot_pair_{error.why}", names=names
        )
    boards = tuple(
        _seated(at, (order[one - 1], order[other - 1]), lots, place, given=True)
        for place, (one, other) in enumerate(made.boards, start=1)
    )
    byes = () if made.bye is None else ((order[made.bye - 1], "pairing_bye"),)
    return Paired(boards, byes)


_FIRST: Final[Mapping[str, First]] = {"lots": "lots", "halves": "halves", "first_last": "ends"}


def _apart(at: Position) -> tuple[tuple[int, int], ...]:
    """Starting numbers of those who share a group, and so are not paired."""
    groups = [frozenset(at.entrants[number].groups) for number in at.order]
    return tuple(
        (one + 1, other + 1)
        for one, mine in enumerate(groups)
        if mine
        for other in range(one + 1, len(groups))
        if mine & groups[other]
    )


# --- out at the first loss ------------------------------------------------------------------------


def bracket(count: int) -> tuple[int, ...]:
    """The seeds in the order of the bracket, 0 for nobody: 1, 16, 9, 8, 5, 12 …"""
    lines = slots(1 << (count - 1).bit_length())
    return tuple(seed if seed <= count else 0 for seed in lines)


def _knockout(at: Position, lots: Lots) -> Paired | Refusal:
    left = standing_in(at)
    if isinstance(left, Refusal):
        return left
    number = at.next_round
    here = frozenset(at.field_of(number))
    boards: list[tuple[tuple[int, ...], bool]] = []
    byes: list[tuple[int, str]] = []
    forfeits: dict[int, frozenset[int]] = {}
    for one, other in zip(left[::2], left[1::2], strict=True):
        if not one or not other:
            if one or other:
                byes.append((one or other, "pairing_bye"))
            continue
        rank = at.order.index
        sitting = (one, other) if rank(one) < rank(other) else (other, one)
        boards.append(_seated(at, sitting, lots, len(boards) + 1))
        gone = frozenset(sitting) - here
        if gone:
            forfeits[len(boards)] = gone
    return Paired(tuple(boards), tuple(byes), forfeits)


def standing_in(at: Position) -> tuple[int, ...] | Refusal:
    """Who is left in a knock-out, in the order of the bracket; 0 where a line is empty."""
    left = tuple(at.order[seed - 1] if seed else 0 for seed in bracket(len(at.order)))
    for one in at.stage_rounds:
        on: list[int] = []
        for first, second in zip(left[::2], left[1::2], strict=True):
            board = one.board_of(first) if first else None
            if not first or not second or board is None:
                on.append(first or second)
                continue
            winner = _goes_on(at, board)
            if winner is None:
                names = (at.entrants[first].name, at.entrants[second].name)
                return refuse(
                    f"{at.clause}.tie",
                    "refusal.tournament.drawn",
                    board=board.number,
                    names=names,
                )
            on.append(winner)
        left = tuple(on)
    return left


def _goes_on(at: Position, board: Board) -> int | None:
    """Who of a board goes on: 0 for nobody (both have lost), None where that must be decided."""
    verdict = board.verdict
    if verdict is None:
        return None
    for number, result in zip(board.entrants, verdict.results, strict=True):
        if result in ("win", "close_win"):
            return number
    if "draw" not in verdict.results:
        return 0
    tie = at.rules.tie
    if tie == HIGHER:
        return min(board.entrants, key=at.order.index)
    seats = at.seats(at.next_round - 1)
    return board.entrants[seats.index(tie)] if tie in seats else None


_SYSTEMS: Final[Mapping[str, Callable[[Position, Lots], Paired | Refusal]]] = {
    "round_robin": _round_robin,
    "knockout": _knockout,
}


__all__ = [
    "MatcherNeeded",
    "Paired",
    "bracket",
    "byes_of_the_away",
    "inputs",
    "missing",
    "pair",
    "rounds_of",
    "standing_in",
]
