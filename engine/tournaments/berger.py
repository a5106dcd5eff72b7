"""All play all: the Berger tables of FIDE C.05's annex, once or twice."""

from attrs import frozen


@frozen
class BergerRound:
    """One round of a table.

    Attributes:
        boards: pairs of starting numbers, white first, in the table's order.
        free: who has no opponent, None with an even number.
    """

    boards: tuple[tuple[int, int], ...]
    free: int | None = None


def berger(count: int, cycles: int = 1) -> tuple[BergerRound, ...]:
    """Every round of a tournament of all against all.

    In a second cycle sides are turned, and the last two rounds of the first are exchanged. So
    nobody has the same side three times running where the cycles meet. A third is as the first.

    Args:
        count: how many entrants, 2 or more; with an odd number one is free each round.
        cycles: how often everybody meets everybody.
    """
    if count < 2:
        raise ValueError(f"{count} cannot play all against all: at least 2 are needed")
    if cycles < 1:
        raise ValueError(f"{cycles} cycles: there is at least one")
    rounds = [_round(count, number) for number in range(1, count + count % 2)]
    found: list[BergerRound] = []
    for cycle in range(cycles):
        turned = cycle % 2 == 1
        order = list(rounds)
        if cycles > 1 and not turned and len(order) > 1:
            order[-2:] = reversed(order[-2:])
        found += [
            BergerRound(tuple((b, a) for a, b in one.boards), one.free) if turned else one
            for one in order
        ]
    return tuple(found)


def _round(count: int, number: int) -> BergerRound:
    """Round `number` from 1: the last number changes sides each round, the others turn on."""
    last = count + count % 2
    ring = last - 1
    # Who meets the last number: 1, then half the table on, each round.
    pivot = (number - 1) * (last // 2) % ring
    first = (pivot + 1, last) if number % 2 else (last, pivot + 1)
    pairs = [first] + [
        ((pivot + step) % ring + 1, (pivot - step) % ring + 1) for step in range(1, last // 2)
    ]
    if last == count:
        return BergerRound(tuple(pairs))
    return BergerRound(tuple(pair for pair in pairs if last not in pair), pivot + 1)
