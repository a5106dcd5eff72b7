"""Positions for tests of combat: a few ships in a sea area, nothing else on the map, and play at
the sequence "combat".

Play halts after control has been decided (chapter 12), so that what combat left can be looked at.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.rules.war_at_sea.charts import CONVOY, PACK, chart, happened
from warledger.engine.games.war_at_sea.rules import SEQUENCES, STEPS, WarAtSea
from warledger.engine.games.war_at_sea.state import TRACK, State
from warledger.engine.games.war_at_sea.volley import ShipSunk
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.types import Decision, Seat, Step
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.choices import Say


class Halt(Step[State]):
    """Asks the Axis a question that is never answered."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis."""
        return {"axis": Decision(Say("prompt.halt"))}


class Bench(WarAtSea):
    """The title with a sequence that halts after combat and control."""

    sequences = {**SEQUENCES, "bench": ("combat", "decide_control", "halt")}  # noqa: RUF012
    steps = {**STEPS, "halt": Halt()}  # noqa: RUF012


HALTING = Bench()


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
    """The rig at the beginning of combat. `damage` by ship; `air` side -> place of its marker;
    `changes` other fields of ships (a ship named there alone is put where its `place` says)."""
    rig: Rig[State] = Rig(HALTING, PACK, options=options)
    state = rig.state
    ships = {name: replace(ship, place=TRACK, origin=TRACK) for name, ship in state.ships.items()}
    for name in (*allied, *axis):
        ships[name] = replace(ships[name], place=place, origin=place)
    for name, points in (damage or {}).items():
        ships[name] = replace(ships[name], damage=points)
    for name, fields in (changes or {}).items():
        ships[name] = replace(ships[name], **fields)
    uboats = {boat: place if index < boats else TRACK for index, boat in enumerate(state.uboats)}
    rig.change(
        turn=turn,
        phase="combat",
        ships=ships,
        uboats=uboats,
        air={"allied": "", "axis": "", **(air or {})},
    )
    rig.jump("bench")
    return rig


def fleet(rig: Rig[State], place: str) -> tuple[str, ...]:
    """The surface ships in a place, in the order of the pack."""
    return tuple(ship.id for ship in rig.state.at(place))


def write_escape(rig: Rig[State], allied: str = "stay", axis: str = "stay") -> None:
    """Both sides write, the Axis last (11.8)."""
    rig.do("allied", allied)
    rig.do("axis", axis)


def port_rig(**options: bool):  # type: ignore[no-untyped-def]
    """The position of E29."""
    return battle(
        "germany",
        [],
        ["scharnhorst"],
        boats=2,
        air={"allied": "germany"},
        changes={
            "lutzow": {"place": "germany", "failed": True, "rolled": True},
            "admiral_hipper": {"place": "germany", "disabled": True},
        },
        options=options,
    )


def zeppelin(*answer: str) -> Rig[State]:
    """Hood against Hipper and Graf Zeppelin, the airstrike withheld, the carrier's intention
    declared."""
    rig = battle("north_sea", ["hood", "renown"], ["admiral_hipper", "graf_zeppelin"], turn=4)
    rig.do("axis", "hold_fire")
    assert rig.asked() == {"axis": "prompt.war_at_sea.declare_carriers"}
    rig.do("axis", *answer)
    return rig


def quiet_round(rig: Rig[State]) -> None:
    """Both sides hold their fire, where they could fire."""
    for seat in ("allied", "axis"):
        if seat in rig.asked():
            rig.do(seat, "hold_fire")


def chase(*, damage: dict[str, int] | None = None) -> Rig[State]:
    """Hood alone and Norfolk with Nelson flee from Scharnhorst, Hipper and Scheer."""
    rig = battle(
        "north_sea",
        ["hood", "norfolk", "nelson"],
        ["scharnhorst", "admiral_hipper", "admiral_scheer"],
        damage=damage,
    )
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("allied", "groups", "hood", "next_group", "norfolk", "nelson")
    return rig


def lone_hunter(axis: tuple[str, ...]) -> Rig[State]:
    """E48: Hipper alone pursues Norfolk and is sunk."""
    rig = battle("north_sea", ["norfolk"], axis)
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "admiral_hipper", "group_1")
    rig.dice(6, 3)
    rig.do("allied", "fire", "norfolk", "admiral_hipper")
    rig.do("axis", "hold_fire")
    assert happened(rig, ShipSunk) == [ShipSunk("admiral_hipper", 3)]
    return rig


def hold(rig: Rig[State], *seats: str) -> None:
    """These seats hold their fire, those that are asked."""
    for seat in seats or ("allied", "axis"):
        if rig.asked().get(seat, "prompt.halt") != "prompt.halt":
            rig.do(seat, "hold_fire")


def wounds_of(rig: Rig[State]) -> dict[str, tuple[str, int]]:
    """Where each ship that was touched is, and its damage."""
    return {
        ship.id: (ship.place, ship.damage)
        for ship in rig.state.ships.values()
        if ship.damage or ship.disabled
    }


def hold_fire(rig: Rig[State], *seats: str) -> None:
    """These seats do not attack."""
    for seat in seats:
        rig.do(seat, "hold_fire")


def conditional(damage: Mapping[str, int]) -> Rig[State]:
    """Norfolk, Ark Royal and a convoy in the North Atlantic against three Germans; the Allies do
    not attack."""
    rig: Rig[State] = battle(
        "north_atlantic",
        ["norfolk", "ark_royal", CONVOY],
        ["gneisenau", "scharnhorst", "admiral_hipper"],
        damage=damage,
    )
    hold_fire(rig, "allied", "allied")
    return rig


def at_combat(places: Mapping[str, str], turn: int, **more: Any) -> Rig[State]:
    """The rig at the first fight of a turn, without airstrike markers."""
    rig: Rig[State] = chart("allied_air", places, turn=turn, **more)
    rig.do("allied", "pass")
    rig.do("axis", "pass")
    return rig
