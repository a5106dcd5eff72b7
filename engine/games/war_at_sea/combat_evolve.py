"""From the events of combat to states: the fight in progress. `COMBAT_EVOLVE` goes over `EVOLVE`: it adds the events of `combat_events.py`
and, for what combat does to ships, carries the change on into the fight."""

from collections.abc import Mapping
from typing import Any

from engine.games.war_at_sea import combat_events as ce
from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.combat_state import Combat, Group
from engine.games.war_at_sea.damage import toll, total
from engine.games.war_at_sea.data import ALLIED, AXIS
from engine.games.war_at_sea.evolve import EVOLVE, Change
from engine.games.war_at_sea.state import State
from engine.kernel.change import evolve
from engine.kernel.dispatch import ByEvent

_after = ByEvent()


def _change(state: State, **changes: Any) -> State:
    return evolve(state, fight=evolve(state.combat, **changes))


def _without(combat: Combat, gone: tuple[str, ...]) -> Combat:
    """The fight after ships left it, for whatever reason."""
    return evolve(
        combat,
        allied=tuple([ship for ship in combat.allied if ship not in gone]),
        axis=tuple([ship for ship in combat.axis if ship not in gone]),
        leaving=tuple([ship for ship in combat.leaving if ship not in gone]),
    )


@_after(ev.ShipSunk, ev.ShipDisabled)
def _leaves(state: State, event: ev.ShipSunk | ev.ShipDisabled) -> State:
    """7.3, 7.6 A ship sunk or disabled has left the fight."""
    after = EVOLVE[type(event)](state, event)
    return after if after.fight is None else evolve(after, fight=_without(after.fight, (event.ship,)))


@_after(ev.UBoatSunk, ev.UBoatDisabled)
def _boat_leaves(state: State, event: ev.UBoatSunk | ev.UBoatDisabled) -> State:
    """8.3 A boat sunk or sent home does not fire back."""
    after = EVOLVE[type(event)](state, event)
    return after if after.fight is None else evolve(after, fight=_without(after.fight, (event.boat,)))


@_after(ev.ShipsEscaped)
def _escaped(state: State, event: ev.ShipsEscaped) -> State:
    """11.6 Ships that have escaped are out of the fight."""
    after = EVOLVE[type(event)](state, event)
    return after if after.fight is None else evolve(after, fight=_without(after.fight, event.ships))


@_after(ce.CombatOpened)
def _opened(state: State, event: ce.CombatOpened) -> State:
    return evolve(state, fight=Combat(event.kind, event.place, event.allied, event.axis))


@_after(ce.CombatClosed)
def _closed(state: State, event: ce.CombatClosed) -> State:
    return evolve(state, fight=None)


@_after(ce.FireHeld, ce.AswRolled, ce.ConvoySpared)
def _unchanged(state: State, event: Any) -> State:
    return state


@_after(ce.Shot)
def _shot(state: State, event: ce.Shot) -> State:
    """7.3, 7.4 What the shot does waits in the tolls; 10.6 a carrier that fires is exposed."""
    combat = state.combat
    tolls = dict(combat.tolls)
    did = toll(event.dice, event.wounds, event.plus)
    tolls[event.target] = total((tolls[event.target], did)) if event.target in tolls else did
    fired = state.ships.get(event.by)
    bare = fired is not None and fired.is_carrier and event.by not in combat.exposed
    return _change(
        state,
        tolls=tuple(tolls.items()),
        rolled=combat.rolled or bool(event.dice),
        exposed=(*combat.exposed, event.by) if bare else combat.exposed,
    )


@_after(ce.ShipsLeaving)
def _leaving(state: State, event: ce.ShipsLeaving) -> State:
    return evolve(state, fight=evolve(_without(state.combat, event.ships), leaving=event.ships))


@_after(ce.RoundBegun)
def _round_begun(state: State, event: ce.RoundBegun) -> State:
    return _change(state, round=event.round, tolls=(), rolled=False, exposed=(), written=())


@_after(ce.RoundEnded)
def _round_ended(state: State, event: ce.RoundEnded) -> State:
    return _change(state, tolls=(), idle=0 if state.combat.rolled else state.combat.idle + 1)


@_after(ce.CarriersDeclared)
def _declared(state: State, event: ce.CarriersDeclared) -> State:
    return _change(state, exposed=event.ships)


@_after(ce.Standoff)
def _standoff(state: State, event: ce.Standoff) -> State:
    return _change(state, over=True)


@_after(ce.EscapeWritten)
def _written(state: State, event: ce.EscapeWritten) -> State:
    return _change(state, written=(*state.combat.written, (event.seat, event.choice)))


@_after(ce.EscapeShown)
def _shown(state: State, event: ce.EscapeShown) -> State:
    """11.1, 11.8 One escapes: the main fight is over and it is fleeing; both: over; none: it goes on."""
    allied, axis = event.allied == "escape", event.axis == "escape"
    fleeing = ALLIED if allied and not axis else AXIS if axis and not allied else ""
    return _change(state, written=(), fleeing=fleeing, over=allied or axis)


@_after(ce.GroupsFormed)
def _groups(state: State, event: ce.GroupsFormed) -> State:
    return _change(state, groups=tuple(Group(ships, speed) for ships, speed in zip(event.groups, event.speeds, strict=True)))


@_after(ce.PursuitAssigned)
def _assigned(state: State, event: ce.PursuitAssigned) -> State:
    """11.4, 11.6 A group that nobody pursues is settled at once."""
    groups = zip(state.combat.groups, event.pursuers, strict=True)
    return _change(state, groups=tuple(evolve(group, pursuers=ships, settled=not ships) for group, ships in groups))


@_after(ce.PursuitOpened)
def _pursuit_opened(state: State, event: ce.PursuitOpened) -> State:
    """11.4, R27 The fight in hand is now this group against its pursuers."""
    combat = state.combat
    group = combat.groups[event.group]
    allied, axis = (group.ships, group.pursuers) if combat.fleeing == ALLIED else (group.pursuers, group.ships)
    return _change(state, allied=allied, axis=axis, group=event.group, round=0, idle=0, tolls=(), exposed=(), over=False)


@_after(ce.PursuitBrokenOff)
def _broken_off(state: State, event: ce.PursuitBrokenOff) -> State:
    return evolve(state, fight=_without(state.combat, event.ships))


@_after(ce.PursuitClosed)
def _pursuit_closed(state: State, event: ce.PursuitClosed) -> State:
    combat = state.combat
    groups = tuple(evolve(group, settled=True) if index == event.group else group for index, group in enumerate(combat.groups))
    return _change(state, groups=groups, allied=(), axis=(), group=-1, over=True)


COMBAT_EVOLVE: Mapping[type[Any], Change] = _after.table()
