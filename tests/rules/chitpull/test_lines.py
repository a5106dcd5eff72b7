"""Distances along lines that run on and off a railway, worked out only as far as they are asked."""

import random

from warledger.engine.games.chitpull.lines import NONE, LevelsOff, spread_of

HEXES = 40
LIMIT = 2


def _nets(rng: random.Random) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """A railway and the land around it, each a net that goes both ways."""
    land: list[set[int]] = [set() for _ in range(HEXES)]
    rail: list[set[int]] = [set() for _ in range(HEXES)]
    for _ in range(70):
        a, b = rng.sample(range(HEXES), 2)
        for net in (land, rail) if rng.random() < 0.3 else (land,):
            net[a].add(b)
            net[b].add(a)
    return tuple(tuple(sorted(row)) for row in rail), tuple(tuple(sorted(row)) for row in land)


def _shortest(
    rail: tuple[tuple[int, ...], ...],
    land: tuple[tuple[int, ...], ...],
    sources: int,
    through: int,
    into: int,
) -> dict[int, int]:
    """The same by looking at each hex and each number of hexes off the railway; once off it, a line
    does not come back."""
    seen = {(i, 0): 0 for i in range(HEXES) if (sources & through) >> i & 1}
    front = list(seen)
    while front:
        found = []
        for i, off in front:
            if not through >> i & 1:
                continue
            ways = [(n, 0) for n in rail[i]] if off == 0 else []
            if off < LIMIT:
                ways += [(n, off + 1) for n in land[i]]
            for way in ways:
                if into >> way[0] & 1 and way not in seen:
                    seen[way] = seen[i, off] + 1
                    found.append(way)
        front = found
    best: dict[int, int] = {}
    for (i, _), distance in seen.items():
        best[i] = min(distance, best.get(i, distance))
    return best


def test_distances_off_the_railway_are_those_of_every_line_whatever_is_asked_first() -> None:
    """Asked in any order, each distance is that of a search of every single line."""
    for seed in range(200):
        rng = random.Random(seed)
        rail, land = _nets(rng)
        into = rng.getrandbits(HEXES) | rng.getrandbits(HEXES)
        through = into & (rng.getrandbits(HEXES) | rng.getrandbits(HEXES))
        sources = rng.getrandbits(HEXES) & rng.getrandbits(HEXES) & rng.getrandbits(HEXES)
        within = sources & into
        levels = LevelsOff(spread_of(rail), spread_of(land), sources, through, into, LIMIT, within)
        wanted = _shortest(rail, land, sources, through, into)
        wanted.update((i, 0) for i in range(HEXES) if within >> i & 1)
        asked = [rng.randrange(HEXES) for _ in range(20)] + list(range(HEXES))
        assert [levels.distance(i) for i in asked] == [wanted.get(i, NONE) for i in asked], (
            f"seed {seed}"
        )


def test_without_a_source_no_hex_is_at_any_distance() -> None:
    """A side that has lost every source on a railway is nowhere near home, and nothing fails."""
    rail, land = _nets(random.Random(1))
    every = (1 << HEXES) - 1
    levels = LevelsOff(spread_of(rail), spread_of(land), 0, every, every, LIMIT)
    assert {levels.distance(i) for i in range(HEXES)} == {NONE}
