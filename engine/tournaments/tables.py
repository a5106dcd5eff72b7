"""Groups, leagues, heats and ladders: who plays whom, and who goes on."""

from collections.abc import Mapping, Sequence

from warledger.engine.tournaments.berger import BergerRound, berger
from warledger.engine.tournaments.brackets import Heat, advance, bracket, heats, places
from warledger.engine.tournaments.crosstable import Crosstable
from warledger.engine.tournaments.ladder import meetings, season
from warledger.engine.tournaments.lots import Lots
from warledger.engine.tournaments.pairing import Paired, seated, starting
from warledger.engine.tournaments.tally import crosstable, groups_of, ladder_order
from warledger.engine.tournaments.tournamentposition import Position

# --- groups ---------------------------------------------------------------------------------------


def _berger(at: Position, group: Sequence[int]) -> tuple[BergerRound, ...]:
    """The rounds of a group; nobody to play in a group of one."""
    return berger(len(group), at.rules.cycles) if len(group) > 1 else ()


def rounds_of_groups(at: Position) -> int:
    """How many rounds the largest group plays."""
    return max((len(_berger(at, group)) for group in groups_of(at)), default=0)


def pair_groups(at: Position, lots: Lots) -> Paired:
    """The next round of each group by its Berger table; a group that has played all is free."""
    here = frozenset(at.field_of(at.next_round))
    played = len(at.stage_pairings)
    boards: list[tuple[tuple[int, ...], bool]] = []
    byes: list[tuple[int, str]] = []
    for group in groups_of(at):
        rounds = _berger(at, group)
        if played >= len(rounds):
            byes += [(number, "zero_bye") for number in group if number in here]
            continue
        table = rounds[played]
        if table.free is not None and group[table.free - 1] in here:
            byes.append((group[table.free - 1], "pairing_bye"))
        for one, other in table.boards:
            sitting = (group[one - 1], group[other - 1])
            boards.append(seated(at, sitting, lots, len(boards) + 1, given=True))
    return Paired(tuple(boards), tuple(byes))


def out_of_groups(at: Position, ranked: Sequence[int], most: int) -> tuple[int, ...]:
    """Who goes on from groups, `most` of each (0: all), who has withdrawn left out: all winners in
    the order of the groups, then all seconds, and so on. Each of these is turned so that as few as
    can be of one group meet in the first round of a bracket."""
    groups = [
        [number for number in ranked if number in group and at.entrants[number].present]
        for group in groups_of(at)
    ]
    depth = max(map(len, groups), default=0)
    depth = min(depth, most) if most else depth
    total = sum(min(len(group), depth) for group in groups)
    group_of = {number: index for index, group in enumerate(groups) for number in group}
    found: list[int] = []
    for place in range(depth):
        row = [group[place] for group in groups if len(group) > place]
        turned = [row[n:] + row[:n] for n in range(len(row))]
        turned += [one[::-1] for one in turned]
        # Of equals the first: the order of the groups, as it stands.
        found = min(
            ([*found, *one] for one in turned), key=lambda seeds: _clashes(seeds, total, group_of)
        )
    return tuple(found)


def next_season(at: Position, ranked: Sequence[int], most: int) -> tuple[int, ...]:
    """The order in which a league begins its next season, from the highest group: `most` of each go
    up and as many come down, or half of the smallest group where that is less. Who has withdrawn is
    left out, and the groups below move up."""
    present = [
        [number for number in ranked if number in group and at.entrants[number].present]
        for group in groups_of(at)
    ]
    groups = [group for group in present if group]
    promoted = min(most, min(map(len, groups), default=0) // 2)
    return tuple(number for group in season(groups, promoted) for number in group)


def _clashes(seeds: Sequence[int], total: int, group_of: Mapping[int, int]) -> int:
    """How many boards of the first round of a bracket of `total` hold two of one group, as far as
    its seeds are known."""
    lines = bracket(total)
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return sum(
        group_of[seeds[one - 1]] == group_of[seeds[other - 1]]
        for one, other in pairs
        if 0 < one <= len(seeds) and 0 < other <= len(seeds)
    )


# --- heats ----------------------------------------------------------------------------------------


def pair_heats(at: Position, lots: Lots) -> Paired:
    """The boards of a heat, dealt by lots. Who has sat out most often is seated first, and who is
    left over at the end sits out."""
    number, table = at.next_round, crosstable(at)
    start = {entrant: place for place, entrant in enumerate(at.order, start=1)}
    playing = lots.shuffled(f"heats:{number}", starting(at, at.field_of(number)))
    order = [at.order[place - 1] for place in playing]

    def rested(entrant: int) -> int:
        return sum(line.manner == "pairing_bye" for line in table.of(start[entrant]))

    dealt = sorted(order, key=lambda entrant: (-rested(entrant), order.index(entrant)))
    boards, alternates = heats(dealt, at.rules.table, at.rules.table)
    return Paired(
        tuple(seated(at, one, lots, place) for place, one in enumerate(boards, start=1)),
        tuple((entrant, "pairing_bye") for entrant in alternates),
    )


def out_of_heats(at: Position, ranked: Sequence[int], most: int) -> tuple[int, ...]:
    """Who goes on from heats as the charter says: winners only, by most wins, winners and then the
    best of the others, or by the standings."""
    table: Crosstable = crosstable(at)
    start = {entrant: place for place, entrant in enumerate(at.order, start=1)}
    stand = [
        Heat(
            entrant,
            sum(line.result in ("win", "close_win") for line in table.of(start[entrant])),
            place,
        )
        for place, entrant in enumerate(ranked, start=1)
        if at.entrants[entrant].present
    ]
    by = at.rules.advance.by
    for known in ("winners", "wins", "best"):
        if by == known:
            return advance(stand, known, most or len(stand))
    return tuple(one.number for one in stand[: most or len(stand)])


def how_many(at: Position) -> int:
    """How many go on: by the charter's steps, where it has them, otherwise its number; 0: all."""
    rules = at.rules.advance
    return places(len(at.order), dict(rules.steps)) if rules.steps else rules.most


# --- ladder ---------------------------------------------------------------------------------------


def games_met(at: Position) -> dict[int, list[int]]:
    """For each entrant of the stage the opponents of their games, in order."""
    table = crosstable(at)
    return {
        number: [
            at.order[other - 1]
            for line in table.of(place)
            if line.played
            for other in line.opponents
        ]
        for place, number in enumerate(at.order, start=1)
    }


def pair_ladder(at: Position) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
    """Pairs of the next round of a ladder, and who is left over."""
    number = at.next_round
    asked = [(who, whom) for round, who, whom in at.challenges if round == number]
    made = meetings(
        ladder_order(at),
        at.field_of(number),
        games_met(at),
        asked,
        at.rules.within,
        at.rules.share,
    )
    return made.boards, made.free
