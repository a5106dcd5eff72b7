"""8.2-8.5 Anti-submarine combat: one round; the Allies against all U-boats of the area at once,
then the survivors at named ships."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from attrs import frozen

from warledger.engine.games.war_at_sea.battle import ASW
from warledger.engine.games.war_at_sea.damage import DISABLING, HITTING
from warledger.engine.games.war_at_sea.data import ALLIED, AXIS
from warledger.engine.games.war_at_sea.hidden import reveal_area
from warledger.engine.games.war_at_sea.state import TRACK, State, left, with_boats
from warledger.engine.games.war_at_sea.volley import (
    Attack,
    CombatOpened,
    fire,
    hold,
    odds,
    why_not_now,
)
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, move, roll, take, tell

# --- events ---------------------------------------------------------------------------------------


@event("uboat_sunk")
class UBoatSunk:
    """8.3 A boat was sunk."""

    boat: str
    area: str


@event("uboat_disabled")
class UBoatDisabled:
    """8.3, R48 A boat was sent home to Germany."""

    boat: str
    area: str


@event("asw_rolled")
class AswRolled:
    """8.3 The Allied dice against all U-boats of the area."""

    place: str
    dice: tuple[int, ...]


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(UBoatSunk)
def _uboat_sunk(state: State, event: UBoatSunk) -> State:
    """8.3 The boat does not fire back."""
    return left(with_boats(state, ((event.boat, TRACK),)), event.boat)


@after(UBoatDisabled)
def _uboat_disabled(state: State, event: UBoatDisabled) -> State:
    """8.3, R48 The boat does not fire back; it lies in Germany, from where it can be placed
    again."""
    return left(with_boats(state, ((event.boat, state.data.uboat_home),)), event.boat)


after.unchanged(AswRolled)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(UBoatSunk)
def _draw_uboat_sunk(before: State, event: UBoatSunk, after: State) -> Iterator[Effect]:
    yield take(event.boat)
    yield tell("war_at_sea.uboat_sunk", "8.3", boat=event.boat, area=event.area)


@draws(UBoatDisabled)
def _draw_uboat_disabled(before: State, event: UBoatDisabled, after: State) -> Iterator[Effect]:
    yield move(event.boat, after.data.uboat_home)
    yield tell("war_at_sea.uboat_disabled", "8.3", boat=event.boat, area=event.area)


@draws(AswRolled)
def _draw_asw(before: State, event: AswRolled, after: State) -> Iterator[Effect]:
    yield roll("asw", 6, event.dice)
    yield tell(
        "war_at_sea.asw_rolled", "8.3", place=event.place, n=len(event.dice), dice=event.dice
    )


def asw_is_due(state: State, area: str) -> bool:
    """8.2 Allied surface ships and U-boats in one sea area; without Allied ships there is no fight
    (R50)."""
    return area in state.data.areas and bool(state.boats_at(area)) and bool(state.at(area, ALLIED))


def asw_strength(state: State, area: str) -> int:
    """8.2 One for each warship, three for each carrier (damaged or not, R52) and each convoy."""
    return sum(ship.asw for ship in state.at(area, ALLIED))


class OpenAsw(Step[State]):
    """8.2 The fight begins, if it still is one; hidden Allied ships are revealed (R43)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Reveal, open the fight, or leave it."""
        area = frame.args[0]
        if not asw_is_due(table.state, area):
            table.leave("asw_at")
            return
        table.done()
        reveal_area(table, area)
        table.emit(
            CombatOpened(
                ASW,
                area,
                tuple(ship.id for ship in table.state.at(area, ALLIED)),
                table.state.boats_at(area),
            )
        )


class AswAttack(Asking[State]):
    """8.3 The Allied dice: no target is named, the attack is against all U-boats present. It may be
    declined (7.2, R18)."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Allied player."""
        area = frame.args[0]
        prompt = say(
            "prompt.war_at_sea.asw_attack", "8.3", area=area, dice=asw_strength(at.state, area)
        )
        return {ALLIED: Decision(prompt)}

    def commands(self) -> Commands[State]:
        """Hunt, or not."""
        return (
            word("hunt", self._hunt, beyond=self._no_target, preview=self._odds),
            hold(ASW),
        )

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal | None:
        """7.1 Another kind of attack."""
        return why_not_now(verb)

    def _no_target(self, asked: Asked[State], pick: Pick) -> Refusal:
        """8.3 No target is named."""
        return refuse("8.3", "refusal.war_at_sea.asw_names_no_target")

    def _odds(self, asked: Asked[State]) -> tuple[Say, ...]:
        """Dice, and the U-boats expected sunk and disabled, as `n` in `of` rolls."""
        area = asked.frame.args[0]
        dice = asw_strength(asked.state, area)
        average = Fraction(dice, 6)
        return (
            say(
                "preview.war_at_sea.asw",
                "8.3",
                dice=dice,
                n=average.numerator,
                of=average.denominator,
                boats=len(asked.state.boats_at(area)),
            ),
        )

    def _hunt(self, table: Table[State], asked: Asked[State]) -> None:
        """8.3 Each 6 sinks one U-boat, each 5 sends one to Germany; 6s first, what is left over is
        lost (R15)."""
        table.done()
        area = asked.frame.args[0]
        dice = table.rolls(asw_strength(table.state, area), 6, "asw")
        table.emit(AswRolled(area, dice))
        boats = list(table.state.boats_at(area))
        for wanted in (HITTING, DISABLING):
            for die in dice:
                if die == wanted and boats:
                    boat = boats.pop(0)
                    table.emit(
                        UBoatSunk(boat, area) if wanted == HITTING else UBoatDisabled(boat, area)
                    )


@frozen
class Torpedoing:
    """The target of each U-boat in turn."""

    targets: tuple[str, ...] = ()


class UBoatFire(Asking[State]):
    """8.4 The U-boats that are left may fire: each at one target, all named before any die is
    rolled.

    Any Allied surface ship may be named, carriers and convoys too, since 10.6 and 10.7 speak of
    surface combat only (R16).
    """

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis player, while there are U-boats left."""
        combat = at.state.combat
        if not combat.axis:
            return {}
        return {
            AXIS: Decision(
                say(
                    "prompt.war_at_sea.uboat_fire", "8.4", area=combat.place, boats=len(combat.axis)
                )
            )
        }

    def commands(self) -> Commands[State]:
        """A target for each U-boat in turn (fewer may fire), or none."""
        return (
            Command(
                "torpedo",
                Torpedoing,
                Many(
                    "targets",
                    "war_at_sea.uboat_target",
                    lambda asked, order: asked.state.combat.allied,
                    self._not_here,
                    full=lambda asked, order: len(order.targets) >= len(asked.state.combat.axis),
                ),
                apply=self._fire,
                beyond=self._one_each,
                preview=self._odds,
            ),
            hold(ASW),
        )

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal | None:
        """7.1 Another kind of attack."""
        return why_not_now(verb)

    def _not_here(self, asked: Asked[State], order: Torpedoing, pick: Pick) -> Refusal:
        """8.4 Only an Allied surface ship of the area."""
        place = asked.state.combat.place
        return refuse("8.4", "refusal.war_at_sea.not_here", ship=pick, area=place)

    def _one_each(self, asked: Asked[State], order: Torpedoing, pick: Pick) -> Refusal:
        """8.4 One attack a U-boat."""
        boats = len(asked.state.combat.axis)
        return refuse("8.4", "refusal.war_at_sea.one_attack_each_uboat", boats=boats)

    def _odds(self, asked: Asked[State], order: Torpedoing) -> tuple[Say, ...]:
        """The chances of all U-boats that name the last target."""
        if not order.targets:
            return ()
        last = order.targets[-1]
        return odds(
            asked.state, last, [Attack("", last, 1) for target in order.targets if target == last]
        )

    def _fire(self, table: Table[State], asked: Asked[State], order: Torpedoing) -> None:
        """8.4 One die each, all together; no German +1 (R16). 8.5 One round only."""
        table.done()
        boats = asked.state.combat.axis
        fire(
            table,
            "uboat",
            [Attack(boat, target, 1) for boat, target in zip(boats, order.targets, strict=False)],
        )

    def advance(self, table: Table[State], frame: Frame) -> None:
        """No U-boat is left to fire back."""
        table.done()


STEPS: Mapping[str, Step[State]] = {
    "open_asw": OpenAsw(),
    "asw_attack": AswAttack(),
    "uboat_fire": UBoatFire(),
}
