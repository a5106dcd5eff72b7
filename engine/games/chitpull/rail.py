"""Reinforcements by rail, and control of cities."""

from collections.abc import Iterable, Mapping

from warledger.engine.board.tracing import PASS, Net


def railheads(net: Net, sources: Iterable[int], access: bytes) -> tuple[int, ...]:
    """Railway hexes that an unbroken chain of usable railway hexes joins to a source, the source
    included; by index."""
    seen = {i for i in sources if access[i] == PASS}
    front = sorted(seen)
    while front:
        found = []
        for i in front:
            for n in net[i]:
                if n not in seen and access[n] == PASS:
                    seen.add(n)
                    found.append(n)
        front = found
    return tuple(sorted(seen))


def changed_hands(control: Mapping[int, str], side: str, hexes: Iterable[int]) -> tuple[int, ...]:
    """Places on a way that change control when the side's units pass, in the order in which they
    are passed, each once."""
    return tuple(dict.fromkeys(i for i in hexes if control.get(i, side) != side))
