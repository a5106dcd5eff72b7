"""Who plays whom: each system of the charter, asked for the next round of a tournament.

Pairing depends on the position and on lots alone. A round that cannot be paired is a refusal that
names who stands in the way; it is never tried again by itself.
"""

from collections.abc import Mapping
from typing import Any, Final

from warledger.engine.tournaments import eliminations, tables
from warledger.engine.tournaments.berger import berger
from warledger.engine.tournaments.charter import GROUPED, SWISS
from warledger.engine.tournaments.lots import Lots
from warledger.engine.tournaments.pairing import (
    Elsewhere,
    Paired,
    Pairs,
    apart,
    blocked,
    further,
    seated,
    starting,
)
from warledger.engine.tournaments.swiss.dutch import dutch
from warledger.engine.tournaments.swiss.paired import CannotPair, Matcher
from warledger.engine.tournaments.swiss.playercards import Scale
from warledger.engine.tournaments.swiss.record import First, record
from warledger.engine.tournaments.tally import crosstable, places
from warledger.engine.tournaments.tournamentposition import ELIMINATOR, FURTHER, Position
from warledger.protocol import canon
from warledger.protocol.board.choices import Refusal
from warledger.protocol.log.records import hash_of

MATCHED: Final = (*SWISS, "double_elimination")
"""The systems that pair with a matcher."""

OPEN_ENDED: Final = -1
"""The rounds left of a stage that goes on for as long as people play."""


def inputs(at: Position) -> bytes:
    """SHA-256 of everything that the next pairing follows from: system, round, who plays, who is
    away, who has challenged or volunteered, and every line of the table."""
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
    asked = tuple(one for one in at.challenges if one[0] == number)
    ready = tuple(sorted(who for round, who in at.volunteers if round == number))
    return hash_of(
        canon.pack(
            (at.rules.system, number, at.order, at.field_of(number), away, asked, ready, lines)
        )
    )


def _away(at: Position, round: int) -> list[Any]:
    return [at.entrants[n] for n in at.order if round in at.entrants[n].away]


def rounds_of(at: Position) -> int:
    """How many pairings the stage in progress has; 0 while its order is not settled, and where
    that follows from results."""
    count = len(at.order)
    stage = at.rules
    match stage.system:
        case "round_robin":
            return (count - 1 + count % 2) * stage.cycles if count else 0
        case "knockout":
            return (count - 1).bit_length() if count else 0
        case "groups" | "league":
            return tables.rounds_of_groups(at)
        case _:
            return stage.rounds


def rounds_left(at: Position) -> int:
    """How many rounds are to be paired in the stage in progress, at least: 0 once it is over,
    OPEN_ENDED where it goes on for as long as people play. Further games of a match that is not
    decided count as one round."""
    played = len(at.stage_pairings)
    if not played:
        return max(1, rounds_of(at))
    waiting = 1 if eliminations.undecided(at) else 0
    if at.rules.system == "double_elimination":
        return waiting or (1 if len(eliminations.in_play(at)) > 1 else 0)
    planned = rounds_of(at)
    if not planned:
        return waiting or OPEN_ENDED
    return max(0, planned - played) + waiting


class MatcherNeeded(Exception):
    """The system pairs with a matcher, and none was handed in."""


def system_of(at: Position) -> str:
    """What pairs the next round: the stage's system, or the further games of its newest round."""
    return FURTHER if eliminations.undecided(at) else at.rules.system


def needs_matcher(at: Position) -> bool:
    """Whether the next round is paired with a matcher."""
    return system_of(at) in MATCHED


def pair(at: Position, lots: Lots, matcher: Pairs | None = None) -> Paired | Refusal:
    """Pair the next round of the stage in progress. Raises MatcherNeeded."""
    system = system_of(at)
    if isinstance(matcher, Elsewhere):
        return matcher.pair(at, lots)
    if system in MATCHED:
        if matcher is None:
            raise MatcherNeeded(system)
        if system == "double_elimination":
            return eliminations.pair_double(at, lots, matcher)
        return _swiss(at, lots, matcher)
    match system:
        case "further":
            by = at.charter.sides.by
            again = eliminations.undecided(at)
            return Paired(tuple(further(one.games[-1].entrants, by) for one in again))
        case "round_robin":
            return _round_robin(at, lots)
        case "knockout":
            return eliminations.pair_knockout(at, lots)
        case "groups" | "league":
            return tables.pair_groups(at, lots)
        case "heats":
            return tables.pair_heats(at, lots)
        case _:
            boards, free = tables.pair_ladder(at)
            return Paired(
                tuple(seated(at, one, lots, n) for n, one in enumerate(boards, start=1)),
                tuple((number, "zero_bye") for number in free),
            )


def final_places(at: Position, lots: Lots | None = None) -> tuple[int, ...]:
    """The entrants of the stage in progress, the best first. `lots` draws the last tie-break, where
    the charter has it."""
    system = at.rules.system
    if system == "knockout":
        return eliminations.knockout_places(at)
    drawn: dict[int, int] = {}
    if lots is not None and "lots" in at.rules.tiebreaks:
        lot = lots.of_pairs(f"places:{at.stage + 1}")
        drawn = {start: lot(start, start) for start in range(1, len(at.order) + 1)}
    ranked = places(at, drawn)
    return eliminations.double_places(at, ranked) if system == "double_elimination" else ranked


def going_on(at: Position, lots: Lots) -> tuple[int, ...]:
    """Who goes on to the next stage, in the order in which that stage seeds them."""
    ranked, most = final_places(at, lots), tables.how_many(at)
    by = at.rules.advance.by
    if at.rules.system == "league" and by == "season":
        return tables.next_season(at, ranked, most)
    if at.rules.system in GROUPED and by == "places":
        return tables.out_of_groups(at, ranked, most)
    if at.rules.system == "groups":
        table = crosstable(at)
        number = {entrant: start for start, entrant in enumerate(at.order, start=1)}
        ranked = tuple(sorted(ranked, key=lambda one: -table.points(number[one])))
    if at.rules.system == "heats":
        return tables.out_of_heats(at, ranked, most)
    here = [entrant for entrant in ranked if at.entrants[entrant].present]
    return tuple(here[: most or len(here)])


def byes_of_the_away(at: Position, round: int) -> tuple[tuple[int, str], ...]:
    """Who has said they miss a round, with the bye they have for it."""
    return tuple(
        (number, at.entrants[number].away[round])
        for number in at.order
        if at.entrants[number].present and round in at.entrants[number].away
    )


# --- all play all ---------------------------------------------------------------------------------


def _round_robin(at: Position, lots: Lots) -> Paired:
    order, stage = at.order, at.rules
    table = berger(len(order), stage.cycles)[len(at.stage_pairings)]
    here = frozenset(at.field_of(at.next_round))
    boards: list[tuple[tuple[int, ...], bool]] = []
    byes: list[tuple[int, str]] = []
    if table.free is not None and order[table.free - 1] in here:
        byes.append((order[table.free - 1], "pairing_bye"))
    for one, other in table.boards:
        sitting = (order[one - 1], order[other - 1])
        boards.append(seated(at, sitting, lots, len(boards) + 1, given=True))
    return Paired(tuple(boards), tuple(byes))


# --- Swiss ----------------------------------------------------------------------------------------


def _swiss(at: Position, lots: Lots, matcher: Matcher) -> Paired | Refusal:
    order, stage, number = at.order, at.rules, at.next_round
    table = crosstable(at)
    playing = at.field_of(number)
    present = starting(at, playing)
    scale = Scale(stage.points.win, stage.points.loss)
    ready = [who for who in playing if (number, who) in at.volunteers]
    try:
        if stage.system == "dutch":
            initial = None if table.rounds else lots.draw("initial side", 2)
            made = dutch(table, present, matcher, scale=scale, initial=initial, forbidden=apart(at))
        else:
            made = record(
                table,
                present,
                matcher,
                lots.of_pairs(f"pair:{number}"),
                first=_FIRST[stage.first_round],
                sides=at.charter.sides.by == "balance",
                scale=scale,
                forbidden=apart(at),
                volunteers=starting(at, ready) if stage.eliminator else None,
                again_after=stage.again,
            )
    except CannotPair as error:
        return blocked(at, error)
    boards = tuple(
        seated(at, (order[one - 1], order[other - 1]), lots, place, given=True)
        for place, (one, other) in enumerate(made.boards, start=1)
    )
    byes: tuple[tuple[int, str], ...] = ()
    if made.bye is not None:
        byes = ((order[made.bye - 1], "pairing_bye"),)
    elif made.eliminator is not None:
        byes = ((order[made.eliminator - 1], ELIMINATOR),)
    return Paired(boards, byes)


_FIRST: Final[Mapping[str, First]] = {"lots": "lots", "halves": "halves", "first_last": "ends"}
