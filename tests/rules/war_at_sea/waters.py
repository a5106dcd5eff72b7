"""Positions for tests of combat: a few ships in a sea area, nothing else on the map, and play at the sequence "combat".

Play halts after control has been decided (chapter 12), so that what combat left can be looked at.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve

from engine.games.war_at_sea.rules import SEQUENCES, STEPS, WarAtSea
from engine.games.war_at_sea.state import TRACK, State
from engine.kernel.position import Frame, Position
from engine.kernel.rig import Rig
from engine.kernel.types import Decision, Seat, Step
from engine.packfiles import read_pack
from protocol.choices import Say


class Halt(Step[State]):
    """Asks the Axis a question that is never answered."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis."""
        return {"axis": Decision(Say("prompt.halt"))}


class Bench(WarAtSea):
    """The title with a sequence that halts after combat and control."""

    sequences = {**SEQUENCES, "bench": ("combat", "decide_control", "halt")}  # noqa: RUF012
    steps = {**STEPS, "halt": Halt()}  # noqa: RUF012


RULES = Bench()
PACK = read_pack("war_at_sea")


def battle(
    place: str,
    allied: Iterable[str] = (),
    axis: Iterable[str] = (),
    *,
    turn: int = 3,
    boats: int = 0,
    damage: Mapping[str, int] | None = None,
    air: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
) -> Rig[State]:
    """The rig at the beginning of combat. `damage` by ship; `air` side -> place of its marker; `changes` other fields of ships (a ship
    named there alone is put where its `place` says)."""
    rig: Rig[State] = Rig(RULES, PACK, options=options)
    state = rig.state
    ships = {name: evolve(ship, place=TRACK, origin=TRACK) for name, ship in state.ships.items()}
    for name in (*allied, *axis):
        ships[name] = evolve(ships[name], place=place, origin=place)
    for name, points in (damage or {}).items():
        ships[name] = evolve(ships[name], damage=points)
    for name, fields in (changes or {}).items():
        ships[name] = evolve(ships[name], **fields)
    uboats = {boat: place if index < boats else TRACK for index, boat in enumerate(state.uboats)}
    rig.change(turn=turn, phase="combat", ships=ships, uboats=uboats, air={"allied": "", "axis": "", **(air or {})})
    rig.jump("bench")
    return rig


def fleet(rig: Rig[State], place: str) -> tuple[str, ...]:
    """The surface ships in a place, in the order of the pack."""
    return tuple(ship.id for ship in rig.state.at(place))


def happened(rig: Rig[State], kind: type[Any]) -> list[Any]:
    """Events of one class in the last record or jump."""
    return [event for event in rig.events if type(event) is kind]


def write_escape(rig: Rig[State], allied: str = "stay", axis: str = "stay") -> None:
    """Both sides write, the Axis last (11.8)."""
    rig.do("allied", allied)
    rig.do("axis", axis)
