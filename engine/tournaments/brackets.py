"""Brackets, double elimination, heats."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from attrs import evolve as replace
from attrs import frozen

from warledger.engine.tournaments.crosstable import Crosstable, Line
from warledger.engine.tournaments.swiss.paired import CannotPair, Matcher, Paired
from warledger.engine.tournaments.swiss.playercards import Scale
from warledger.engine.tournaments.swiss.record import Lots, record

# --- knock-out ------------------------------------------------------------------------------------


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


def bracket(count: int) -> tuple[int, ...]:
    """The seeds in the order of the bracket, 0 for nobody: 1, 16, 9, 8, 5, 12 …"""
    lines = slots(1 << (count - 1).bit_length())
    return tuple(seed if seed <= count else 0 for seed in lines)


# --- double elimination ---------------------------------------------------------------------------


def losses(table: Crosstable, number: int, draws_out: int = 2) -> int:
    """An entrant's losses in shares: a loss is `draws_out` of them and a draw one; where draws
    count nothing (0), a loss is one."""
    return sum(_shares(line, draws_out) for line in table.of(number))


def _shares(line: Line, draws_out: int) -> int:
    loss = max(1, draws_out)
    if line.manner in ("absent", "zero_bye") or line.result in ("loss", "close_loss"):
        return loss
    return 1 if line.result == "draw" and draws_out else 0


def still_in(table: Crosstable, draws_out: int = 2) -> tuple[int, ...]:
    """Who has fewer than two losses, by number."""
    out = 2 * max(1, draws_out)
    return tuple(one.number for one in table.entrants if losses(table, one.number, draws_out) < out)


def double_elimination(
    table: Crosstable,
    matcher: Matcher,
    lots: Lots,
    *,
    sides: bool = True,
    forbidden: Collection[tuple[int, int]] = (),
    free_at: Collection[int] = (),
    draws_out: int = 2,
    present: Collection[int] | None = None,
) -> Paired:
    """Pairs the next round of those who are still in: equal losses first, as `record` pairs equal
    points. Two meet again only where it cannot be helped, and then as late as can be.

    Args:
        free_at: with this number left, an only undefeated entrant has the bye.
        draws_out: this number of draws counts as one loss; 0: they do not.
        present: who is there; None: everybody who is still in.

    Raises:
        CannotPair: one or nobody is left, or forbidden pairs leave no pairing.
    """
    left = [one for one in still_in(table, draws_out) if present is None or one in present]
    by_losses = _by_losses(table, draws_out)
    undefeated = [one for one in left if losses(table, one, draws_out) == 0]
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
                scale=Scale(win=max(1, draws_out), loss=0),
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
            return replace(paired, bye=free, downfloats=floats)
        return paired
    assert blocked is not None
    raise blocked


def _by_losses(table: Crosstable, draws_out: int) -> Crosstable:
    """The table with points for each round less the shares of a loss that it brought."""
    most = max(1, draws_out)
    return replace(
        table,
        rounds=tuple(
            {
                number: replace(line, points=most - _shares(line, draws_out))
                for number, line in one.items()
            }
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
    """How many boards seat that number of entrants, 0 where none do."""
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
