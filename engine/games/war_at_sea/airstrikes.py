"""9.2-9.5 Airstrikes: one round in every place with a carrier or an airstrike marker; each side's strength pooled, one die a target.

Both sides' strikes in a place count as simultaneous: the Allies name and roll, the Axis names and rolls, then everything takes effect
(R20). No protection of carriers or convoys applies here, nor the German bonus: 10.5-10.7 speak of surface fire.
"""

from collections.abc import Mapping

from engine.games.war_at_sea.combat_events import CombatOpened, FireHeld
from engine.games.war_at_sea.combat_state import AIR
from engine.games.war_at_sea.data import ALLIED, NEUTRAL, SEATS, other
from engine.games.war_at_sea.events import AirReturned
from engine.games.war_at_sea.hidden import reveal_area
from engine.games.war_at_sea.state import State
from engine.games.war_at_sea.volley import HOLD, Attack, fire, odds, untimely
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Say, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say


def airstrike_strength(state: State, side: Seat, place: str) -> int:
    """9.1, 9.2 The marker's 3 and the carriers of the sea area together; carriers in port do not strike (R19)."""
    strength = state.data.air_strength[side] if state.air[side] == place else 0
    if place in state.data.areas:
        strength += sum(ship.airstrike_now for ship in state.at(place, side))
    return strength


def air_targets(state: State, side: Seat, place: str) -> tuple[str, ...]:
    """9.5 What a side may strike in a place: enemy surface ships, not those back in port disabled or (unless the option
    `opt_airstrike_failed_movers` says otherwise, R19) by a failed move, and never U-boats (R51). 15.5 Nothing in the neutral port."""
    enemies = state.at(place, other(side))
    if place in state.data.areas:
        return tuple(ship.id for ship in enemies)
    if state.data.ports[place].owner == NEUTRAL:
        return ()
    spare_failed = not state.options.air_hits_failed_movers
    return tuple(ship.id for ship in enemies if not ship.disabled and not (ship.failed and spare_failed))


def air_is_due(state: State, place: str) -> bool:
    """9.2 Whether somebody could strike somebody there. Judged by what everybody knows: Allied ships whose names are hidden (18.2) may
    be carriers."""
    perhaps = place in state.data.areas and state.face_down(place) > 0
    return any(
        air_targets(state, side, place) and (airstrike_strength(state, side, place) > 0 or (side == ALLIED and perhaps)) for side in SEATS
    )


class OpenAir(Step[State]):
    """9.2 An airstrike begins in a place; hidden Allied ships there are revealed (R43)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Reveal, open the fight, or leave when the ships turn out to be no carriers."""
        place = frame.args[0]
        if air_is_due(table.state, place):
            reveal_area(table, place)
        if not air_is_due(table.state, place):
            table.leave("air_at")
            return
        table.done()
        allied, axis = (tuple(ship.id for ship in table.state.at(place, side)) for side in SEATS)
        table.emit(CombatOpened(AIR, place, allied, axis))


class Airstrike(Step[State]):
    """9.3 One side names its targets, as many as its strength, and each takes one die. It may strike nothing (R18)."""

    def __init__(self, side: Seat) -> None:
        self.side = side

    def _reach(self, state: State, place: str) -> tuple[int, tuple[str, ...]]:
        """How many targets may be named, and which there are."""
        strength = airstrike_strength(state, self.side, place)
        targets = air_targets(state, self.side, place) if strength > 0 else ()
        return min(strength, len(targets)), targets

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, if it has strength and targets."""
        place = frame.args[0]
        most, _ = self._reach(at.state, place)
        if most == 0:
            return {}
        strength = airstrike_strength(at.state, self.side, place)
        return {self.side: Decision(say("prompt.war_at_sea.airstrike", "9.3", place=place, strength=strength))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """strike, then targets, each once; or hold_fire."""
        if not picks:
            return offer("verb", ("strike", HOLD))
        most, targets = self._reach(at.state, frame.args[0])
        if picks[0] == HOLD or len(picks) > most:
            return WHOLE
        return offer("war_at_sea.air_target", (ship for ship in targets if ship not in picks), complete=len(picks) > 1)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """9.3 One die a target and no more targets than strength; 9.5 not everything is a target."""
        if len(picks) < 2 or picks[0] != "strike":
            return untimely(picks) or super().refusal(at, frame, seat, picks)
        place = frame.args[0]
        target = str(picks[-1])
        most, _ = self._reach(at.state, place)
        if target in picks[1:-1]:
            return refuse("9.3", "refusal.war_at_sea.one_die_each_target", ship=target)
        if len(picks) - 1 > most:
            strength = airstrike_strength(at.state, self.side, place)
            return refuse("9.3", "refusal.war_at_sea.strength_spent", strength=strength)
        if target in at.state.uboats:
            return refuse("9.5", "refusal.war_at_sea.uboat_no_air_target")
        if any(ship.id == target for ship in at.state.at(place, other(self.side))):
            return refuse("9.5", "refusal.war_at_sea.back_in_port", ship=target, place=place)
        return refuse("9.3", "refusal.war_at_sea.not_here", ship=picks[-1], area=place)

    def preview(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """The chances of the one die on the last target."""
        if len(picks) < 2:
            return ()
        return odds(at.state, str(picks[-1]), [Attack("", str(picks[-1]), 1)])

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """9.3 Roll; 9.4 nothing takes effect before the other side has struck."""
        table.done()
        if picks[0] == HOLD:
            table.emit(FireHeld(seat, AIR))
        else:
            fire(table, "air", [Attack(seat, str(target), 1) for target in picks[1:]])


class ReturnMarkers(Step[State]):
    """9.4 The airstrike markers of a place go back to their owners, to be used again next turn."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Return what is there; without a place, all that are still on the map."""
        table.done()
        for side in SEATS:
            place = table.state.air[side]
            if place and (not frame.args or place == frame.args[0]):
                table.emit(AirReturned(side))
