"""Helpers for supply, reinforcements and HQs: chapters 10 to 12."""

from tests.rules.victory_lost.bench import Bench, board_t
from warledger.engine.games.victory_lost.headquarters import reset_hexes
from warledger.engine.games.victory_lost.reinforcements import usable_railways


def phase(bench: Bench) -> tuple[object, ...]:
    """Run one Supply Phase."""
    return bench.jump("set_up_first", "supply_phase")


RAIL = "0110 0209 0310 0409 0510"


def usable(bench: Bench, side: str = "axis") -> tuple[str, ...]:
    """Railway hexes where the side may place."""
    return bench.state.data.board.grid.names(sorted(usable_railways(bench.state, side)))


def reset_to(bench: Bench, hq: str) -> set[str]:
    """The hexes to which an HQ may reset."""
    return set(bench.state.data.board.grid.names(reset_hexes(bench.state, hq)))


def printed(bench: Bench, hexes: tuple[int, ...]) -> set[str]:
    """Printed ids."""
    return set(bench.state.data.board.grid.names(hexes))


def entering(**places: str) -> Bench:
    """The 28th Army's first activation: a rifle division and its HQ in the box, entry by 1720 and
    1820."""
    bench = Bench(board_t(roads=("1820 1819 1818 1817 1816 1815 1814",)))
    box = {"su.rifle.34g": "box.28a", "su.hq.28a": "box.28a"}
    bench.stand(
        {name.replace("_", "."): hex_id for name, hex_id in places.items()}, turn=2, boxes=box
    )
    bench.activate("soviet", "su.rifle.34g", "su.hq.28a", box="box.28a")
    return bench
