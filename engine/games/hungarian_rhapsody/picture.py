"""What clients are told of the game's own events; everything else is the series' (ocs/picture)."""

from collections.abc import Mapping
from typing import Any

from warledger.engine.games.hungarian_rhapsody import (
    ammunition,
    pontoons,
    river_transport,
    speech,
    trucks,
)
from warledger.engine.games.ocs.state import State
from warledger.engine.games.ocs.telling import Story, Told, carried
from warledger.engine.kernel.dispatch import ByEvent
from warledger.protocol.effects import tell

_tells = ByEvent()


@_tells(trucks.Trucked)
def _trucked(before: State, event: trucks.Trucked, after: State) -> Told:
    yield carried(after, event, "hr.trucked", "HR 3.1d")


@_tells(river_transport.Shipped)
def _shipped(before: State, event: river_transport.Shipped, after: State) -> Told:
    yield carried(after, event, "hr.shipped", "HR 2.1d")


@_tells(ammunition.AmmoArrived)
def _ammo_arrived(before: State, event: ammunition.AmmoArrived, after: State) -> Told:
    yield tell("hr.ammo_arrived", "HR 3.1g", n=ammunition.held(after))


@_tells(ammunition.AmmoSpent)
def _ammo_spent(before: State, event: ammunition.AmmoSpent, after: State) -> Told:
    yield tell("hr.ammo_spent", "HR 3.1g", n=ammunition.held(after))


@_tells(pontoons.BridgesDestroyed)
def _bridges(before: State, event: pontoons.BridgesDestroyed, after: State) -> Told:
    for one, other in event.bridges:
        yield tell("hr.bridge_down", "HR 1.4a", start=one, hex=other)


@_tells(speech.Speech)
def _speech(before: State, event: speech.Speech, after: State) -> Told:
    if not event.held:
        yield tell("hr.no_speech", speech.CLAUSE, die=event.die)
        return
    yield tell("hr.speech", speech.CLAUSE)
    most = after.charts.printed.chart["speech"]["does_nothing_up_to"]
    silent = tuple(who for who, die in event.dice if die <= most)
    yield tell("hr.silent", speech.CLAUSE, units=silent)


@_tells(speech.SpeechOver)
def _speech_over(before: State, event: speech.SpeechOver, after: State) -> Told:
    yield tell("hr.speech_over", speech.CLAUSE)


STORIES: Mapping[type[Any], Story] = _tells.table()
"""Event class -> what is told of it."""
