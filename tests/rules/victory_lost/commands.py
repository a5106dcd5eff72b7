"""Helpers for chits and command: chapters 4 and 7."""

from tests.rules.victory_lost.bench import Bench, real_pack
from warledger.engine.games.victory_lost.state import State, changed
from warledger.protocol.chance.seal import Secret


def started(**options: object) -> Bench:
    """The real game at its first chit selection."""
    return Bench(real_pack(), set_up="historical", soviet_five="historical", **options)


def with_cup(bench: Bench, axis: tuple[str, ...], soviet: tuple[str, ...]) -> None:
    """Both sides have put these chits in the cup."""
    state: State = bench.state
    cup = type(state.cup)(
        five=state.cup.five,
        stock={**state.cup.stock, "axis": tuple(sorted({*state.cup.stock["axis"], *axis}))},
        chosen={
            "axis": Secret(axis, ("axis",), (1, (6, 0, 1))),
            "soviet": Secret(soviet, ("soviet",), (1, (6, 1, 1))),
        },
    )
    bench.state = changed(state, cup=cup)


MANSTEINS = ("chit.ax.manstein.1", "chit.ax.manstein.2")

STAVKA = "chit.su.stavka"
