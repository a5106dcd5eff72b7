"""Positions for tests of chapter 9: a few counters on a board, the active side's units activated, play at the Combat Step."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.games.victory_lost.combat_events import AttackDeclared
from engine.games.victory_lost.events import Eliminated, Reduced
from protocol.choices import Say
from tests.rules.victory_lost.bench import Bench

TANK, TANKS = "su.tank.18", ("su.tank.18", "su.tank.25", "su.tank.24", "su.tank.17")
ITALIAN, GERMAN, PANZER = "ax.it.rav", "ax.inf.62", "ax.panzer.11"


def combat(
    places: Mapping[str, str],
    *,
    side: str = "soviet",
    bench: Bench | None = None,
    turn: int = 1,
    reduced: Sequence[str] = (),
    supply: Mapping[str, int] | None = None,
    active: Sequence[str] | None = None,
    **options: Any,
) -> Bench:
    """The Combat Step of a side; all its counters are activated unless `active` names some."""
    bench = bench or Bench(**options)
    bench.stand(places, turn=turn, reduced=reduced, supply=supply)
    types = bench.state.data.types
    bench.activate(side, *(active if active is not None else [name for name in places if types[name].side == side]))
    bench.jump("chit_selection", "activation", "combat_step")
    return bench


def attack(bench: Bench, die: int, target: str, *units: str, side: str = "soviet") -> tuple[Any, ...]:
    """An attack with that die: its events."""
    bench.dice(die)
    return bench.do(side, "attack", target, *units)


def declared(bench: Bench) -> AttackDeclared:
    """The attack of the last command."""
    return next(event for event in bench.events if type(event) is AttackDeclared)


def column(bench: Bench) -> str:
    """The column that the last attack was resolved on."""
    return bench.state.data.ladder.names[declared(bench).column]


def happened(bench: Bench, kind: type[Any]) -> list[Any]:
    """Events of one class in the last command."""
    return [event for event in bench.events if type(event) is kind]


def lost(bench: Bench) -> tuple[list[str], list[str]]:
    """Units reduced and units eliminated in the last command."""
    return [event.unit for event in happened(bench, Reduced)], [event.unit for event in happened(bench, Eliminated)]


def previewed(bench: Bench, *picks: str, side: str = "soviet") -> dict[str, dict[str, Any]]:
    """What is shown beside picks: arguments by the last word of the key (the chances under "chances")."""
    said = bench.preview(side, *picks)
    assert isinstance(said, tuple), said
    found: dict[str, dict[str, Any]] = {}
    for item in said:
        assert isinstance(item, Say)
        if item.key.endswith("chance"):
            found.setdefault("chances", {})[dict(item.args)["result"]] = dict(item.args)["n"]
        else:
            found[item.key.rsplit(".", 1)[1]] = dict(item.args)
    return found
