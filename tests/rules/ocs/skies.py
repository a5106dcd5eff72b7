"""Positions and rigs for the tests of aircraft."""

from typing import Any, ClassVar

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, stand
from tests.rules.ocs.play import bench
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch06_movement import movement, movement_step
from warledger.engine.games.ocs.ch09_combat import captures, escapes, losses
from warledger.engine.games.ocs.ch10_barrage import barrage, bombardment
from warledger.engine.games.ocs.ch12_supply import bills, fuel, payment
from warledger.engine.games.ocs.ch13_special_units import construction
from warledger.engine.games.ocs.ch14_air import (
    air_combat,
    air_course,
    air_drops,
    air_orders,
    air_transport,
    aircraft,
    flak,
    interception,
    missions,
)
from warledger.engine.games.ocs.ch15_air_bases import air_bases
from warledger.engine.games.ocs.ch21_options import air_relay
from warledger.engine.games.ocs.series.scenario import Place
from warledger.engine.games.ocs.series.state import Aircraft, Base, State, with_supply
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.types import Step
from warledger.engine.testing.rig import Rig

BF109, ACE, STUKA = "ax.air.bf109.1", "ax.air.bf109x.1", "ax.air.ju87d.1"
BF109B, FOCKE = "ax.air.bf109.2", "ax.air.fw190f.1"
BUSTER, RUDEL, HENSCHEL = "ax.air.ju87g.1", "ax.air.rudel.1", "ax.air.hs129.1"
JUNKERS = "ax.air.ju52.1"
LA5, LA5B = "su.air.la5.1", "su.air.la5.2"
IL2, IL2B, PE2, IL4 = "su.air.il2.1", "su.air.il2.2", "su.air.pe2.1", "su.air.il4.1"

TARGET, NEAR, FAR = "A26.11", "A26.15", "A26.30"
HOME, RED = "A26.06", "A24.19"
"""The bases of either side."""

RIFLES, SPOTTER, TANKS = "su.gd.81", "ax.inf.44", "su.27gtk"

FLYING = {"flight": "flight", "ground": "dry"}


def opened(state: State, **options: Any) -> State:
    """The same position under some options."""
    made = replace(state.charts, options={**state.charts.options, **options})
    return replace(state, charts=made, field=replace(state.field, charts=made))


def flying(state: State, where: dict[str, Place], bases: dict[str, tuple[str, int]]) -> State:
    """The position with these aircraft and no others, all active, at bases (hex or box), and with
    these bases, by hex with side and level."""
    board = state.charts.board
    flown = {
        name: Aircraft(
            board.hex(at) if isinstance(at, str) and at in board.map.grid.ids else at, "", True
        )
        for name, at in where.items()
    }
    empty = {name: Aircraft() for name in state.aircraft}
    return replace(
        state,
        aircraft={**empty, **flown},
        bases={board.hex(at): Base(side, level) for at, (side, level) in bases.items()},
    )


def sky(
    where: dict[str, Place],
    bases: dict[str, tuple[str, int]] | None = None,
    units: dict[str, str] | None = None,
    **changes: Any,
) -> State:
    """Aircraft, all active, at bases (hex or box); bases by hex with side and level, those of both
    sides where none are named; units. The Axis moves, in weather for flying."""
    found = {"phasing": AXIS, "segment": "c2", "turn": 42, **FLYING, **changes}
    if "fog" in found:
        option = found.pop("fog")
    else:
        option = "strict"
    state = opened(stand(units or {}, **found), fog=option)
    laid = bases if bases is not None else {HOME: (AXIS, 2), RED: (SOVIET, 2)}
    state = flying(state, where, laid)
    return replace(state, air_tops=fog.air_tops(state))


def rigged(state: State, step: str = "moving", *modules: Any) -> Rig[State]:
    """A rig at a step."""
    rig = bench(
        state,
        bills,
        payment,
        losses,
        fuel,
        captures,
        escapes,
        barrage,
        aircraft,
        air_combat,
        flak,
        interception,
        missions,
        air_course,
        air_drops,
        air_transport,
        air_drops,
        air_relay,
        construction,
        air_bases,
        fog,
        _Steps,
        *modules,
    )
    rig.jump("idle", step)
    return rig


class _Steps:
    STEPS: ClassVar[dict[str, Step[State]]] = {
        "moving": movement_step.Moving(
            captures.enter,
            (
                *air_orders.commands(),
                *air_transport.commands(),
                *air_relay.commands(),
                *air_bases.commands(),
            ),
        ),
        bombardment.SEGMENT: bombardment.Artillery(
            air_orders.barrage_commands(), missions.airborne
        ),
        bombardment.BOMBARDMENT: bombardment.Bombardment(),
        "ocs.air_effect": air_course.Effect({**air_transport.EFFECTS, **air_drops.EFFECTS}),
    }
    after: ClassVar[Any] = movement.after


def of(rig: Rig[State], kind: type[Any]) -> list[Any]:
    """The events of a kind that the last command made."""
    return [one for one in rig.events if isinstance(one, kind)]


JUNKERS2, JUNKERS3, HEINKEL = "ax.air.ju52.2", "ax.air.ju52.3", "ax.air.he111.1"
"""Transports, 1T each."""

FIELD = "A26.16"
"""A forward base, 10 hexes from HOME."""

AIR_BOX = "box.air.lw4"
"""A box of the Axis."""


def airlift(
    tokens: int = 12,
    transports: tuple[str, ...] = (JUNKERS,),
    units: dict[str, str] | None = None,
    level: int = 1,
    start: Place = HOME,
    others: dict[str, Place] | None = None,
    bases: dict[str, tuple[str, int]] | None = None,
    **changes: Any,
) -> State:
    """Transports at a base where `tokens` T lie, and a base of a level to fly to."""
    state = sky(
        {**dict.fromkeys(transports, start), **(others or {})},
        {HOME: (AXIS, 2), FIELD: (AXIS, level), **(bases or {})},
        units,
        **changes,
    )
    board = state.charts.board
    here = board.hex(start) if start in board.map.grid.ids else start
    return with_supply(state, AXIS, here, tokens)
