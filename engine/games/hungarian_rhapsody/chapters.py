"""What the title is made of: the one place where its chapters are listed.

A chapter's module brings what each of its events does to the position (`after`), its steps
(`STEPS`) and sequences of several (`SEQUENCES`). It brings what is told of events (`tells`; those
of the series stand in `picture`). Each of them may be missing. A chapter that is not in `CHAPTERS`
is not in the game. `SEGMENTS` says which steps fill each phase and segment of 2.3, in order;
`TRIGGERS` what the rules do by themselves after an event.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from warledger.engine.games.hungarian_rhapsody import (
    ammunition,
    collapse,
    displacement,
    evacuation,
    fortress,
    fronts,
    goulash,
    markers,
    mountain_groups,
    pontoons,
    returning,
    river_transport,
    rvgk,
    special_extenders,
    speech,
    trucks,
)
from warledger.engine.games.hungarian_rhapsody import picture as own_picture
from warledger.engine.games.hungarian_rhapsody import rebuilding as variable
from warledger.engine.games.ocs.ch02_sequence import segments
from warledger.engine.games.ocs.ch04_concepts import fog, shown_units, staying
from warledger.engine.games.ocs.ch04_concepts.overstacked import Overstacked
from warledger.engine.games.ocs.ch05_modes import reserves
from warledger.engine.games.ocs.ch06_movement import movement, movement_step
from warledger.engine.games.ocs.ch08_overrun import overrun
from warledger.engine.games.ocs.ch09_combat import (
    advance,
    captures,
    combat,
    combat_events,
    combat_segment,
    escapes,
    exploit,
    losses,
    result_losses,
    retreat,
)
from warledger.engine.games.ocs.ch10_barrage import barrage, bombardment
from warledger.engine.games.ocs.ch12_supply import (
    attrition,
    bills,
    breakout,
    dumps,
    extenders,
    fuel,
    payment,
    stocks,
    trace,
)
from warledger.engine.games.ocs.ch13_special_units import (
    consolidation,
    construction,
    control,
    formations,
    rail,
    rebuilding,
    reinforcements,
    transport,
)
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
from warledger.engine.games.ocs.ch16_hedgehogs import earthworks
from warledger.engine.games.ocs.ch17_weather import weather
from warledger.engine.games.ocs.ch20_breakdowns import breakdowns
from warledger.engine.games.ocs.ch21_options import air_relay, recon
from warledger.engine.games.ocs.display import picture
from warledger.engine.games.ocs.series import corrections, entry, events, evolve
from warledger.engine.games.ocs.series.assembly import Trigger
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.types import Step

CHAPTERS: tuple[Any, ...] = (
    events,
    evolve,
    # OCS 2, 17
    segments,
    weather,
    # OCS 4.8b, 4.9, 13.7
    fog,
    formations,
    # OCS 4.5b
    staying,
    # OCS 5.7g
    reserves,
    # OCS 6, 12.5, 13.2
    movement,
    movement_step,
    fuel,
    transport,
    entry,
    # HR 1.2b
    evacuation,
    # HR 1.4
    pontoons,
    # OCS 13.3, HR 2.1d, 3.1d
    rail,
    river_transport,
    trucks,
    # OCS 8, 9
    overrun,
    combat_events,
    combat_segment,
    combat,
    result_losses,
    losses,
    retreat,
    advance,
    exploit,
    captures,
    escapes,
    # OCS 10, 14
    barrage,
    bombardment,
    aircraft,
    air_combat,
    flak,
    interception,
    missions,
    air_course,
    air_transport,
    air_drops,
    air_relay,
    # HR 3.1g
    ammunition,
    # OCS 13.8d, 15, 16
    construction,
    air_bases,
    earthworks,
    # OCS 12
    bills,
    payment,
    stocks,
    trace,
    attrition,
    breakout,
    dumps,
    extenders,
    # HR 3.1c, 3.1e
    markers,
    fronts,
    displacement,
    # HR 2.1e, 2.4
    goulash,
    fortress,
    # OCS 13
    reinforcements,
    rebuilding,
    consolidation,
    # OCS 20
    breakdowns,
    # OCS 21.1
    recon,
    # HR 2.3b, 3.3
    collapse,
    returning,
    rvgk,
    # HR 3.5d
    mountain_groups,
    # HR 4.0b
    speech,
    # What an arbiter sets right
    corrections,
    # What clients are told
    picture,
    own_picture,
)
"""The modules of the series and of the game, in the order of their chapters."""

OWN_STEPS: Mapping[str, Step[State]] = MappingProxyType(
    {
        # OCS 4.8b, 6, 8, 9.14, 12.11, 13.2, 13.9, 14, 15, 16
        "moving": movement_step.Moving(
            captures.enter,
            (
                *overrun.commands(),
                *shown_units.commands(),
                *formations.commands(),
                breakdowns.command(movement.starting),
                *recon.commands(),
                *transport.commands(),
                *rail.commands(),
                *river_transport.commands(),
                *trucks.commands(),
                *extenders.commands(),
                *special_extenders.commands(),
                *fronts.commands(),
                *dumps.commands(),
                *air_orders.commands(),
                *air_transport.commands(),
                *air_relay.commands(),
                *air_bases.commands(),
                *earthworks.commands(),
                *consolidation.commands(),
            ),
        ),
        # OCS 13.5, 13.6, HR 2.1b, 2.3b, 3.3, 3.5d
        reinforcements.REINFORCEMENTS: reinforcements.Reinforcing(
            reinforcements.Further(
                begins=(returning.begin, variable.begin, rvgk.follow, collapse.begin),
                commands=(*rebuilding.commands(), *rvgk.commands(), *mountain_groups.commands()),
                asks=lambda state, side: (
                    variable.asks(state, side) or mountain_groups.asks(state, side)
                ),
            )
        ),
        # OCS 10, 14.7, 14.8, HR 3.1g
        bombardment.SEGMENT: bombardment.Artillery(
            (*air_orders.barrage_commands(), *ammunition.commands()),
            lambda state, side: missions.airborne(state, side) or ammunition.may_spend(state, side),
        ),
        # OCS 13.9, HR 2.4
        consolidation.CONSOLIDATION: consolidation.Consolidating(
            fortress.commands(), fortress.may_declare
        ),
        # OCS 2.3 D, HR 2.1e
        trace.PROVISIONS: trace.Provisions(goulash.commands(), goulash.may_serve),
        # OCS 14.2f, 14.9, 14.10
        "ocs.air_effect": air_course.Effect({**air_transport.EFFECTS, **air_drops.EFFECTS}),
        # OCS 4.8a
        "overstacked": Overstacked(
            lambda table, unit: _ignore(losses.lose(table, unit, why="stacking"))
        ),
    }
)
"""Steps that a chapter offers in several forms: which the title takes."""

SEGMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "a": (air_bases.REFITTING, breakdowns.ABSORBING),
        "b": (
            *reinforcements.SEGMENT,
            consolidation.CONSOLIDATION,
            breakdowns.ABSORBING,
            displacement.STEP,
        ),
        "c1": breakout.SEGMENT,
        "c2": ("moving", entry.APPROACH, reserves.RESERVES, displacement.STEP),
        "c3": (bombardment.SEGMENT, breakdowns.ABSORBING),
        "d": (*trace.SEGMENT, breakdowns.ABSORBING, displacement.STEP),
        "e1": ("moving", reserves.RESERVES, displacement.STEP),
        "e2": (bombardment.SEGMENT, breakdowns.ABSORBING),
        "f1": (bombardment.SEGMENT,),
        "f2": ("ocs.attacking", breakdowns.ABSORBING, displacement.STEP),
        "g1": ("moving", reserves.RESERVES, displacement.STEP),
        "g2": (bombardment.SEGMENT,),
        "g3": ("ocs.attacking", breakdowns.ABSORBING, displacement.STEP),
        "h": ("clean_up", breakdowns.ABSORBING, displacement.STEP),
    }
)
"""OCS 2.3 Segment by its letter -> its steps."""

STACKING = "overstacked"
"""OCS 4.8a The step at the end of every segment but Reinforcement."""

TRIGGERS: tuple[Trigger, ...] = (
    # HR 4.0b the speech, as a turn begins
    speech.on_event,
    # HR 2.4 what a fortress eats at first, and its end
    fortress.on_event,
    # HR 1.2b the garrison of South Balaton
    evacuation.on_event,
    # HR 3.1c(3) front markers that Axis zones come near
    displacement.on_event,
    # HR 3.1e special wagon extenders that the Axis overruns, and those that get ready
    special_extenders.on_event,
    # HR 1.4a bridges of the Danube next to Soviet units
    pontoons.on_event,
    # OCS 13.3h, HR 1.7 whose a hex is
    control.on_event,
    # OCS 4.9a which unit of a hex is shown
    fog.on_event,
)
"""What follows from an event at once, in this order."""


def _ignore(_steps: int) -> None:
    """Nobody asks how many steps there were to lose."""
