"""What clients draw and tell of the events of combat. Everything here is public but a paper about escaping, which shows only that it was
written. Numbers are plain; pips of dice appear as rolled, and the bonus of 10.5 beside them."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.games.war_at_sea import combat_events as ce
from engine.games.war_at_sea.combat_state import AIR, ASW, ROLLS
from engine.games.war_at_sea.data import SEATS, other
from engine.games.war_at_sea.effects import Draw
from engine.games.war_at_sea.state import State
from engine.kernel.dispatch import ByEvent
from protocol.effects import Effect, closing, opening, roll, tell

_draws = ByEvent()


@_draws(ce.CombatOpened)
def _opened(before: State, event: ce.CombatOpened, after: State) -> Iterator[Effect]:
    if event.kind == ASW:
        yield opening("combat", "war_at_sea.combat_asw", place=event.place)
        yield tell("war_at_sea.asw_begins", "8.2", place=event.place, ships=event.allied, n=len(event.axis))
    elif event.kind == AIR:
        yield opening("combat", "war_at_sea.combat_air", place=event.place)
        yield tell("war_at_sea.air_begins", "9.2", place=event.place)
    else:
        yield opening("combat", "war_at_sea.combat_surface", place=event.place)
        yield tell("war_at_sea.surface_begins", "10.1", place=event.place, allied=event.allied, axis=event.axis)


@_draws(ce.CombatClosed)
def _closed(before: State, event: ce.CombatClosed, after: State) -> Iterator[Effect]:
    yield closing("combat")


@_draws(ce.FireHeld)
def _held(before: State, event: ce.FireHeld, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.fire_held", "7.2", side=event.seat)


@_draws(ce.AswRolled)
def _asw(before: State, event: ce.AswRolled, after: State) -> Iterator[Effect]:
    yield roll("asw", 6, event.dice)
    yield tell("war_at_sea.asw_rolled", "8.3", place=event.place, n=len(event.dice), dice=event.dice)


@_draws(ce.Shot)
def _shot(before: State, event: ce.Shot, after: State) -> Iterator[Effect]:
    yield roll(ROLLS[event.kind], 6, event.dice)
    if event.kind == "gun" and event.plus:
        yield tell("war_at_sea.fires_with_bonus", "10.5", ship=event.by, target=event.target, dice=event.dice, plus=event.plus)
    elif event.kind == "gun":
        yield tell("war_at_sea.fires", "10.3", ship=event.by, target=event.target, dice=event.dice)
    elif event.kind == "uboat":
        yield tell("war_at_sea.torpedoes", "8.4", boat=event.by, target=event.target, dice=event.dice)
    else:
        yield tell("war_at_sea.strikes", "9.3", side=event.by, target=event.target, dice=event.dice)
    if event.wounds:
        yield roll("damage", 6, event.wounds)
        yield tell("war_at_sea.damage_rolled", "7.4", target=event.target, dice=event.wounds, points=sum(event.wounds))


@_draws(ce.ConvoySpared)
def _spared(before: State, event: ce.ConvoySpared, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.convoy_spared", "10.7", ships=event.ships)


@_draws(ce.ShipsLeaving)
def _leaving(before: State, event: ce.ShipsLeaving, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.ships_leaving", "7.3", ships=event.ships)


@_draws(ce.RoundBegun)
def _round_begun(before: State, event: ce.RoundBegun, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.round_begun", "7.2", round=event.round, place=before.combat.place)


@_draws(ce.RoundEnded)
def _nothing(before: State, event: Any, after: State) -> Iterator[Effect]:
    yield from ()


@_draws(ce.CarriersDeclared)
def _declared(before: State, event: ce.CarriersDeclared, after: State) -> Iterator[Effect]:
    if not event.asked:
        return
    if event.ships:
        yield tell("war_at_sea.carriers_fire", "10.6", ships=event.ships)
    else:
        yield tell("war_at_sea.carriers_silent", "10.6")


@_draws(ce.Standoff)
def _standoff(before: State, event: ce.Standoff, after: State) -> Iterator[Effect]:
    if before.combat.group >= 0:
        yield tell("war_at_sea.pursuit_dies_out", "11.6", place=event.place)
    else:
        yield tell("war_at_sea.standoff", "10.1", place=event.place)


@_draws(ce.EscapeWritten)
def _written(before: State, event: ce.EscapeWritten, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.escape_written", "11.8", side=event.seat)


@_draws(ce.EscapeShown)
def _shown(before: State, event: ce.EscapeShown, after: State) -> Iterator[Effect]:
    choices = (event.allied, event.axis)
    if choices == ("escape", "escape"):
        yield tell("war_at_sea.both_escape", "11.8", place=before.combat.place)
    elif choices == ("stay", "stay"):
        yield tell("war_at_sea.both_stay", "11.8")
    else:
        side = SEATS[choices.index("escape")]
        yield tell("war_at_sea.one_escapes", "11.1", side=side, other=other(side))


@_draws(ce.GroupsFormed)
def _groups(before: State, event: ce.GroupsFormed, after: State) -> Iterator[Effect]:
    for index, (ships, speed) in enumerate(zip(event.groups, event.speeds, strict=True)):
        yield tell("war_at_sea.group_formed", "11.3", side=event.seat, n=index + 1, ships=ships, speed=speed)


@_draws(ce.PursuitAssigned)
def _assigned(before: State, event: ce.PursuitAssigned, after: State) -> Iterator[Effect]:
    if not any(event.pursuers):
        yield tell("war_at_sea.let_go", "11.2", side=event.seat)
    for index, ships in enumerate(event.pursuers):
        if ships:
            yield tell("war_at_sea.pursues", "11.4", ships=ships, n=index + 1)


@_draws(ce.PursuitOpened)
def _pursuit_opened(before: State, event: ce.PursuitOpened, after: State) -> Iterator[Effect]:
    group = before.combat.groups[event.group]
    yield tell("war_at_sea.pursuit_opened", "11.4", n=event.group + 1, ships=group.ships, pursuers=group.pursuers)


@_draws(ce.PursuitBrokenOff)
def _broken_off(before: State, event: ce.PursuitBrokenOff, after: State) -> Iterator[Effect]:
    key = "war_at_sea.must_break_off" if event.forced else "war_at_sea.breaks_off"
    yield tell(key, "11.5", ships=event.ships)


@_draws(ce.PursuitClosed)
def _pursuit_closed(before: State, event: ce.PursuitClosed, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.pursuit_closed", "11.6", n=event.group + 1)


COMBAT_EFFECTS: Mapping[type[Any], Draw] = _draws.table()
