"""From the ledger's position to the table that pairing, standings and files read."""

import itertools
from collections.abc import Mapping

from attrs import evolve as replace

from warledger.engine.tournaments import glicko, ladder, matches
from warledger.engine.tournaments.charter import GROUPED, Points
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line, Manner
from warledger.engine.tournaments.glicko import Met, Rating
from warledger.engine.tournaments.points import HALVES
from warledger.engine.tournaments.standings import StandingsRow, standings
from warledger.engine.tournaments.tiebreaks import Terms
from warledger.engine.tournaments.tournamentposition import Position, RoundState

WORTH: Mapping[str, str] = {
    "pairing_bye": "bye",
    "full_bye": "full_bye",
    "half_bye": "half_bye",
    "zero_bye": "zero_bye",
}
"""Which of the charter's points a bye brings."""


def crosstable(at: Position, stage: int | None = None, rounds: int | None = None) -> Crosstable:
    """The table of a stage (default: the one in progress), by starting number, over the pairings
    that have been published (or the first `rounds` of them): a match of several games is one
    round of it."""
    index = at.stage if stage is None else stage
    order = at.orders[index] if index < len(at.orders) else ()
    start = {number: place for place, number in enumerate(order, start=1)}
    entrants = tuple(
        Entrant(start[number], person.name, person.rating, person.groups)
        for number in order
        if (person := at.entrants[number])
    )
    played = [
        tuple(game for game in one if game.published)
        for one in at.pairings_of_stage(index)
        if one[0].published
    ][:rounds]
    missed = dict.fromkeys(order, 0)
    lines = tuple([_lines(at, index, one, order, start, missed) for one in played])
    return Crosstable(entrants, lines, at.charter.stages[index].rounds)


def _lines(
    at: Position,
    stage: int,
    rounds: tuple[RoundState, ...],
    order: tuple[int, ...],
    start: Mapping[int, int],
    missed: dict[int, int],
) -> dict[int, Line]:
    points = at.charter.stages[stage].points
    byes = dict(rounds[0].byes)
    found: dict[int, Line] = {}
    for match in matches.matches(rounds):
        for number, line in matches.lines(at.charter, stage, match).items():
            opponents = tuple(start[other] for other in line.opponents)
            found[start[number]] = replace(line, opponents=opponents)
    for number in order:
        if start[number] in found:
            continue
        kind = byes.get(number, "absent")
        if kind in WORTH:
            worth_of: int = getattr(points, WORTH[kind])
            found[start[number]] = Line(_MANNERS[kind], worth_of)
        else:
            found[start[number]] = Line("absent", _late(at, rounds[0], number, points, missed))
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


def groups_of(at: Position, stage: int | None = None) -> tuple[tuple[int, ...], ...]:
    """The groups of a stage, by number of entry: as few as hold everybody, as equal as can be. Of
    system "groups" they are dealt forwards and backwards in turn so that they are equally strong.
    Of a league the first ones are the highest group, the next ones the one below."""
    index = at.stage if stage is None else stage
    order = at.orders[index] if index < len(at.orders) else ()
    count = -(-len(order) // max(1, at.charter.stages[index].group_size))
    if at.charter.stages[index].system == "league":
        size, more = divmod(len(order), max(1, count))
        ends = [size * n + min(n, more) for n in range(count + 1)]
        return tuple(order[begin:end] for begin, end in itertools.pairwise(ends))
    found: list[list[int]] = [[] for _ in range(count)]
    for place, number in enumerate(order):
        row, column = divmod(place, count)
        found[column if row % 2 == 0 else count - 1 - column].append(number)
    return tuple(map(tuple, found))


def ranking(at: Position, lots: Mapping[int, int] | None = None) -> tuple[StandingsRow, ...]:
    """The standings of the stage in progress, by starting number, with every tie-break of the
    charter. Groups stand by their places: all winners, then all seconds; a league by its groups
    from the highest; a ladder as its rounds have moved it. `lots` are those of the last tie-break.
    As long as they are not drawn, the starting number stands in for them."""
    table, stage = crosstable(at), at.rules
    drawn = lots or {one.number: one.number for one in table.entrants}
    fixed = stage.system in ("round_robin", *GROUPED)
    terms = Terms(stage.points, at.seats(max(1, len(at.rounds))), fixed, drawn)
    if stage.system in GROUPED:
        found: list[tuple[int, int, StandingsRow]] = []
        start = {number: place for place, number in enumerate(at.order, start=1)}
        for index, group in enumerate(groups_of(at)):
            among = [start[number] for number in group]
            for place, one in enumerate(standings(table, stage.tiebreaks, terms, among)):
                rank = (index, place) if stage.system == "league" else (place, index)
                found.append((*rank, one))
        ordered = sorted(found, key=lambda each: each[:2])
        return tuple(replace(each[2], place=n) for n, each in enumerate(ordered, start=1))
    made = standings(table, stage.tiebreaks, terms)
    if stage.system != "ladder":
        return made
    moved = ladder_order(at)
    by_number = {at.order[one.number - 1]: one for one in made}
    return tuple(replace(by_number[number], place=n) for n, number in enumerate(moved, start=1))


def places(at: Position, lots: Mapping[int, int] | None = None) -> tuple[int, ...]:
    """Entrants of the stage in progress by number of entry, the best first."""
    return tuple(at.order[one.number - 1] for one in ranking(at, lots))


def ladder_order(at: Position) -> tuple[int, ...]:
    """A ladder from the top, by number of entry: as the rounds of the stage have moved it, or by
    the ratings that follow from them."""
    table = crosstable(at)
    if at.rules.by == "rating":
        return tuple(at.order[number - 1] for number in _by_rating(table))
    order = tuple(one.number for one in table.entrants)
    for one in table.rounds:
        decided = {
            number: HALVES[line.result] for number, line in one.items() if line.result is not None
        }
        winners = [number for number, halves in decided.items() if halves == 2]
        losers = [number for number, halves in decided.items() if halves == 0]
        order = ladder.passing(order, winners, losers)
    return tuple(at.order[number - 1] for number in order)


def _by_rating(table: Crosstable) -> tuple[int, ...]:
    """Each round is a period of Glicko-2; who has no rating begins in its middle."""
    known = {
        one.number: Rating(points=100 * (one.rating or glicko.MIDDLE)) for one in table.entrants
    }
    for one in table.rounds:
        met = {
            number: [Met(known[other], HALVES[line.result]) for other in line.opponents]
            for number, line in one.items()
            if line.played and line.result is not None
        }
        known = {number: glicko.update(had, met.get(number, ())) for number, had in known.items()}
    return ladder.by_rating([(number, had.points) for number, had in known.items()])
