"""9.2-9.5 Airstrikes: one round in every place with a carrier or an airstrike marker; each side's
strength pooled, one die a target.

Both sides' strikes in a place count as simultaneous: the Allies name and roll, the Axis names and
rolls, then everything takes effect (R20). No protection of carriers or convoys applies here, nor
the German bonus: 10.5-10.7 speak of surface fire.
"""

from collections.abc import Iterator, Mapping

from attrs import frozen

from warledger.engine.games.war_at_sea.battle import AIR
from warledger.engine.games.war_at_sea.data import ALLIED, AXIS, NEUTRAL, SEATS, other
from warledger.engine.games.war_at_sea.draw import AIR_PIECE
from warledger.engine.games.war_at_sea.hidden import reveal_area
from warledger.engine.games.war_at_sea.state import State
from warledger.engine.games.war_at_sea.volley import (
    Attack,
    CombatOpened,
    fire,
    hold,
    odds,
    why_not_now,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, take

# --- events ---------------------------------------------------------------------------------------


@event("air_returned")
class AirReturned:
    """9.4 A side's airstrike marker goes back to its owner."""

    side: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(AirReturned)
def _air_returned(state: State, event: AirReturned) -> State:
    return replace(state, air={**state.air, event.side: ""})


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(AirReturned)
def _draw_air_returned(before: State, event: AirReturned, after: State) -> Iterator[Effect]:
    yield take(AIR_PIECE[event.side])


def airstrike_strength(state: State, side: Seat, place: str) -> int:
    """9.1, 9.2 The marker's 3 and the carriers of the sea area together; carriers in port do not
    strike (R19)."""
    strength = state.data.air_strength[side] if state.air[side] == place else 0
    if place in state.data.areas:
        strength += sum(ship.airstrike_now for ship in state.at(place, side))
    return strength


def air_targets(state: State, side: Seat, place: str) -> tuple[str, ...]:
    """9.5 What a side may strike in a place: enemy surface ships, not those back in port disabled
    or (unless the option `opt_airstrike_failed_movers` says otherwise, R19) by a failed move, and
    never U-boats (R51). 15.5 Nothing in the neutral port."""
    enemies = state.at(place, other(side))
    if place in state.data.areas:
        return tuple(ship.id for ship in enemies)
    if state.data.ports[place].owner == NEUTRAL:
        return ()
    spare_failed = not state.options.air_hits_failed_movers
    return tuple(
        ship.id for ship in enemies if not ship.disabled and not (ship.failed and spare_failed)
    )


def air_is_due(state: State, place: str) -> bool:
    """9.2 Whether somebody could strike somebody there. Judged by what everybody knows: Allied
    ships whose names are hidden (18.2) may be carriers."""
    perhaps = place in state.data.areas and state.face_down(place) > 0
    return any(
        air_targets(state, side, place)
        and (airstrike_strength(state, side, place) > 0 or (side == ALLIED and perhaps))
        for side in SEATS
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


@frozen
class Striking:
    """The ships that are struck at."""

    targets: tuple[str, ...] = ()


class Airstrike(Asking[State]):
    """9.3 One side names its targets, as many as its strength, and each takes one die. It may
    strike nothing (R18)."""

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
        return {
            self.side: Decision(
                say("prompt.war_at_sea.airstrike", "9.3", place=place, strength=strength)
            )
        }

    def commands(self) -> Commands[State]:
        """Targets, each once; or none."""
        return (
            Command(
                "strike",
                Striking,
                Many(
                    "targets",
                    "war_at_sea.air_target",
                    self._targets,
                    self._why_not,
                    full=self._is_spent,
                ),
                apply=self._strike,
                beyond=self._why_not,
                preview=self._odds,
            ),
            hold(AIR),
        )

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal | None:
        """7.1 Another kind of attack."""
        return why_not_now(verb)

    def _targets(self, asked: Asked[State], order: Striking) -> list[str]:
        """9.5 Those not named yet."""
        _, targets = self._reach(asked.state, asked.frame.args[0])
        return [ship for ship in targets if ship not in order.targets]

    def _is_spent(self, asked: Asked[State], order: Striking) -> bool:
        """9.3 Whether as many are named as there is strength, or targets, for."""
        most, _ = self._reach(asked.state, asked.frame.args[0])
        return len(order.targets) >= most

    def _why_not(self, asked: Asked[State], order: Striking, pick: Pick) -> Refusal:
        """9.3 One die a target and no more targets than strength; 9.5 not everything is a
        target."""
        state, place = asked.state, asked.frame.args[0]
        if pick in order.targets:
            return refuse("9.3", "refusal.war_at_sea.one_die_each_target", ship=pick)
        if self._is_spent(asked, order):
            strength = airstrike_strength(state, self.side, place)
            return refuse("9.3", "refusal.war_at_sea.strength_spent", strength=strength)
        if pick in state.uboats:
            return refuse("9.5", "refusal.war_at_sea.uboat_no_air_target")
        if any(ship.id == pick for ship in state.at(place, other(self.side))):
            return refuse("9.5", "refusal.war_at_sea.back_in_port", ship=pick, place=place)
        return refuse("9.3", "refusal.war_at_sea.not_here", ship=pick, area=place)

    def _odds(self, asked: Asked[State], order: Striking) -> tuple[Say, ...]:
        """The chances of the one die on the last target."""
        if not order.targets:
            return ()
        return odds(asked.state, order.targets[-1], [Attack("", order.targets[-1], 1)])

    def _strike(self, table: Table[State], asked: Asked[State], order: Striking) -> None:
        """9.3 Roll; 9.4 nothing takes effect before the other side has struck."""
        table.done()
        fire(table, "air", [Attack(asked.seat, target, 1) for target in order.targets])


class ReturnMarkers(Step[State]):
    """9.4 The airstrike markers of a place go back to their owners, to be used again next turn."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Return what is there; without a place, all that are still on the map."""
        table.done()
        for side in SEATS:
            place = table.state.air[side]
            if place and (not frame.args or place == frame.args[0]):
                table.emit(AirReturned(side))


STEPS: Mapping[str, Step[State]] = {
    "open_air": OpenAir(),
    "allied_airstrike": Airstrike(ALLIED),
    "axis_airstrike": Airstrike(AXIS),
    "return_markers": ReturnMarkers(),
}
