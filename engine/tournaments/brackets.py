"""Knock-out, series of games, double elimination, heats."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from attrs import evolve, frozen

from warledger.engine.tournaments.crosstable import Crosstable, Line
from warledger.engine.tournaments.swiss.cards import Scale
from warledger.engine.tournaments.swiss.paired import CannotPair, Matcher, Paired
from warledger.engine.tournaments.swiss.record import Lots, record

# --- knock-out ------------------------------------------------------------------------------------


@frozen
class KnockoutRound:
    """One round of a knock-out.

    Attributes:
        boards: pairs in the order of the bracket, the higher seed first.
        byes: who goes on without playing, in the order of the bracket.
    """

    boards: tuple[tuple[int, int], ...]
    byes: tuple[int, ...] = ()


def slots(size: int) -> tuple[int, ...]:
    """The places of the seeds 1 to `size`, a power of two, from the top of the bracket."""
    order = [1]
    while len(order) < size:
        last = 2 * len(order) + 1
        order = [
            seed
            for place, one in enumerate(order)
            for seed in ((one, last - one) if place % 2 == 0 else (last - one, one))
        ]
    return tuple(order)


def knockout(seeds: Sequence[int], through: Sequence[Collection[int]] = ()) -> KnockoutRound:
    """The next round: the usual bracket, byes for the top seeds.

    Args:
        seeds: entrants in the order of their seeds.
        through: for each round played, who won their board.

    Raises:
        ValueError: a board of an earlier round has no winner, or two.
    """
    if len(set(seeds)) != len(seeds) or len(seeds) < 2:
        raise ValueError("a knock-out needs two entrants or more, each with one seed")
    size = 1 << (len(seeds) - 1).bit_length()
    rank = {entrant: place for place, entrant in enumerate(seeds)}
    places: list[int | None] = [
        seeds[seed - 1] if seed <= len(seeds) else None for seed in slots(size)
    ]
    for number, winners in enumerate(through, 1):
        places = [
            _goes_on(places[i], places[i + 1], winners, number) for i in range(0, len(places), 2)
        ]
    if len(places) == 1:
        return KnockoutRound((), tuple(one for one in places if one is not None))
    boards: list[tuple[int, int]] = []
    byes: list[int] = []
    for i in range(0, len(places), 2):
        there = [one for one in places[i : i + 2] if one is not None]
        if len(there) == 2:
            higher, lower = sorted(there, key=rank.__getitem__)
            boards.append((higher, lower))
        else:
            byes += there
    return KnockoutRound(tuple(boards), tuple(byes))


def _goes_on(
    one: int | None, other: int | None, winners: Collection[int], number: int
) -> int | None:
    there = [entrant for entrant in (one, other) if entrant is not None]
    if len(there) < 2:
        return there[0] if there else None
    won = [entrant for entrant in there if entrant in winners]
    if len(won) != 1:
        raise ValueError(
            f"round {number}: of {there[0]} and {there[1]} exactly one goes on, not {len(won)}"
        )
    return won[0]


Tie = Literal["higher", "lower", "first", "second", "again"]
"""Who goes on after a drawn series: the higher or the lower seed, who had the first or the second
seat in the last game, or another game decides."""


def seat_of_first(game: int) -> int:
    """The seat of the board's first entrant in a game of a series, from 1: sides are turned."""
    return (game - 1) % 2


def series(games: Sequence[int], best_of: int, tie: Tie) -> int | None:
    """Who has won a series: 0 for the board's first entrant (the higher seed), 1 for the second;
    None while it is open.

    Args:
        games: for each game played the first entrant's half points: 2 for a win, 1 for a draw.
        best_of: how many games at most before the tie counts.
        tie: who goes on when all games are played and points are equal.
    """
    halves = sum(games)
    other = 2 * len(games) - halves
    # More than half of all points that there are, or ahead when all have been played.
    enough = best_of if len(games) < best_of else len(games)
    if max(halves, other) > enough:
        return 0 if halves > other else 1
    if len(games) < best_of or tie == "again":
        return None
    if tie in ("higher", "lower"):
        return 0 if tie == "higher" else 1
    seat = 0 if tie == "first" else 1
    return 0 if seat_of_first(len(games)) == seat else 1


# --- double elimination ---------------------------------------------------------------------------


def half_losses(table: Crosstable, number: int) -> int:
    """An entrant's losses in halves: a draw is half a loss."""
    halves = {"loss": 2, "close_loss": 2, "draw": 1}
    return sum(_halves(line, halves) for line in table.of(number))


def _halves(line: Line, halves: Mapping[str, int]) -> int:
    if line.manner in ("absent", "zero_bye"):
        return 2
    return halves.get(line.result or "", 0)


def still_in(table: Crosstable) -> tuple[int, ...]:
    """Who has fewer than two losses, by number."""
    return tuple(one.number for one in table.entrants if half_losses(table, one.number) < 4)


def double_elimination(
    table: Crosstable,
    matcher: Matcher,
    lots: Lots,
    *,
    sides: bool = True,
    forbidden: Collection[tuple[int, int]] = (),
    free_at: Collection[int] = (),
) -> Paired:
    """Pairs the next round of those who are still in: equal losses first, as `record` pairs equal
    points. Two meet again only where it cannot be helped, and then as late as can be.

    Args:
        free_at: with so many left, an only undefeated entrant has the bye.

    Raises:
        CannotPair: one or nobody is left, or forbidden pairs leave no pairing.
    """
    left = list(still_in(table))
    by_losses = _by_losses(table)
    undefeated = [one for one in left if half_losses(table, one) == 0]
    free: int | None = None
    if len(left) % 2 and len(left) in free_at and len(undefeated) == 1:
        free = undefeated[0]
        left.remove(free)
    done = len(table.rounds)
    blocked: CannotPair | None = None
    for again_after in (0, *range(done - 1, 0, -1), -1):
        try:
            paired = record(
                by_losses,
                left,
                matcher,
                lots,
                sides=sides and again_after >= 0,
                scale=Scale(win=2, loss=0),
                forbidden=forbidden,
                again_after=again_after,
                bye_again=again_after != 0,
            )
        except CannotPair as problem:
            blocked = problem
            if problem.why == "nobody":
                raise
            continue
        if free is not None:
            floats = tuple(sorted((*paired.downfloats, free)))
            return evolve(paired, bye=free, downfloats=floats)
        return paired
    assert blocked is not None
    raise blocked


def _by_losses(table: Crosstable) -> Crosstable:
    """The table with two points for each round less the halves lost in it."""
    halves = {"loss": 2, "close_loss": 2, "draw": 1}
    return evolve(
        table,
        rounds=tuple(
            {number: evolve(line, points=2 - _halves(line, halves)) for number, line in one.items()}
            for one in table.rounds
        ),
    )


# --- heats ----------------------------------------------------------------------------------------


def heats(
    entrants: Sequence[int], most: int, least: int
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Deals entrants to boards of `least` to `most` seats: as few boards as hold everybody, their
    sizes as equal as can be; who comes last is an alternate where no such boards hold everybody.

    Args:
        entrants: in their order, by lots or by seed; they are dealt round the boards.

    Returns:
        The boards, larger ones first, and the alternates.
    """
    if not 2 <= least <= most:
        raise ValueError(f"a board has 2 seats or more, and at most as many as fit: {least}-{most}")
    playing = len(entrants)
    while playing and _tables(playing, most, least) == 0:
        playing -= 1
    count = _tables(playing, most, least)
    boards: list[list[int]] = [[] for _ in range(count)]
    for place, entrant in enumerate(entrants[:playing]):
        boards[place % count].append(entrant)
    return tuple(tuple(one) for one in boards), tuple(entrants[playing:])


def _tables(playing: int, most: int, least: int) -> int:
    """How many boards hold so many, 0 where none do."""
    count = -(-playing // most)
    return count if count and playing // count >= least else 0


@frozen
class Heat:
    """How an entrant stands after the heats.

    Attributes:
        number: the entrant.
        wins: heats won.
        place: the place in the charter's order of tie-breaks, from 1.
    """

    number: int
    wins: int
    place: int


Advance = Literal["winners", "wins", "best"]
"""Who goes on: winners only; by most wins; winners first, then the best of the others."""


def advance(stand: Collection[Heat], by: Advance, places: int) -> tuple[int, ...]:
    """Who goes on from the heats, at most `places`, best first."""
    if by == "wins":
        order = sorted(stand, key=lambda one: (-one.wins, one.place))
    else:
        order = sorted(stand, key=lambda one: (one.wins == 0, one.place))
    if by == "winners":
        order = [one for one in order if one.wins]
    return tuple(one.number for one in order[:places])


def places(entrants: int, steps: Mapping[int, int]) -> int:
    """How many go on: the step with the largest number of entrants that is reached."""
    reached = [number for number in steps if number <= entrants]
    return steps[max(reached)] if reached else 0
