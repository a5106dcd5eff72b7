"""8.2-8.5 Anti-submarine combat: one round; the Allies against all U-boats of the area at once, then the survivors at named ships."""

from collections.abc import Mapping

from engine.games.war_at_sea.combat_events import AswRolled, CombatOpened, FireHeld
from engine.games.war_at_sea.combat_state import ASW
from engine.games.war_at_sea.damage import DISABLING, HITTING
from engine.games.war_at_sea.data import ALLIED, AXIS
from engine.games.war_at_sea.events import UBoatDisabled, UBoatSunk
from engine.games.war_at_sea.hidden import reveal_area
from engine.games.war_at_sea.state import State
from engine.games.war_at_sea.volley import HOLD, Attack, fire, odds, untimely
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Say, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say


def asw_is_due(state: State, area: str) -> bool:
    """8.2 Allied surface ships and U-boats in one sea area; without Allied ships there is no fight (R50)."""
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
        table.emit(CombatOpened(ASW, area, tuple(ship.id for ship in table.state.at(area, ALLIED)), table.state.boats_at(area)))


class AswAttack(Step[State]):
    """8.3 The Allied dice: no target is named, the attack is against all U-boats present. It may be declined (7.2, R18)."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Allied player."""
        area = frame.args[0]
        prompt = say("prompt.war_at_sea.asw_attack", "8.3", area=area, dice=asw_strength(at.state, area))
        return {ALLIED: Decision(prompt)}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """hunt or hold_fire."""
        return WHOLE if picks else offer("verb", ("hunt", HOLD))

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """8.3 No target is named."""
        if len(picks) > 1 and picks[0] == "hunt":
            return refuse("8.3", "refusal.war_at_sea.asw_names_no_target")
        return untimely(picks) or super().refusal(at, frame, seat, picks)

    def preview(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """Dice, and the U-boats expected sunk and disabled, in thousandths."""
        if picks != ("hunt",):
            return ()
        area = frame.args[0]
        dice = asw_strength(at.state, area)
        return (say("preview.war_at_sea.asw", "8.3", dice=dice, hits=(1000 * dice + 3) // 6, boats=len(at.state.boats_at(area))),)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """8.3 Each 6 sinks one U-boat, each 5 sends one to Germany; 6s first, what is left over is lost (R15)."""
        table.done()
        area = frame.args[0]
        if picks[0] == HOLD:
            table.emit(FireHeld(seat, ASW))
            return
        dice = table.rolls(asw_strength(table.state, area), 6, "asw")
        table.emit(AswRolled(area, dice))
        boats = list(table.state.boats_at(area))
        for wanted in (HITTING, DISABLING):
            for die in dice:
                if die == wanted and boats:
                    boat = boats.pop(0)
                    table.emit(UBoatSunk(boat, area) if wanted == HITTING else UBoatDisabled(boat, area))


class UboatFire(Step[State]):
    """8.4 The U-boats that are left may fire: each at one target, all named before any die is rolled.

    Any Allied surface ship may be named, carriers and convoys too, since 10.6 and 10.7 speak of surface combat only (R16).
    """

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis player, while there are U-boats left."""
        combat = at.state.combat
        if not combat.axis:
            return {}
        return {AXIS: Decision(say("prompt.war_at_sea.uboat_fire", "8.4", area=combat.place, boats=len(combat.axis)))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """torpedo, then a target for each U-boat in turn (fewer may fire); or hold_fire."""
        combat = at.state.combat
        if not picks:
            return offer("verb", ("torpedo", HOLD))
        if picks[0] == HOLD or len(picks) > len(combat.axis):
            return WHOLE
        return offer("war_at_sea.uboat_target", combat.allied, complete=len(picks) > 1)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """8.4 One attack a U-boat, on an Allied surface ship of the area."""
        combat = at.state.combat
        if picks[0] == "torpedo" and len(picks) > len(combat.axis) + 1:
            return refuse("8.4", "refusal.war_at_sea.one_attack_each_uboat", boats=len(combat.axis))
        if picks[0] == "torpedo" and len(picks) > 1:
            return refuse("8.4", "refusal.war_at_sea.not_here", ship=picks[-1], area=combat.place)
        return untimely(picks) or super().refusal(at, frame, seat, picks)

    def preview(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """The chances of all U-boats that name the last target."""
        if len(picks) < 2:
            return ()
        target = str(picks[-1])
        return odds(at.state, target, [Attack("", target, 1) for pick in picks[1:] if pick == target])

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """8.4 One die each, all together; no German +1 (R16). 8.5 One round only."""
        table.done()
        combat = table.state.combat
        if picks[0] == HOLD:
            table.emit(FireHeld(seat, ASW))
            return
        fire(table, "uboat", [Attack(boat, str(target), 1) for boat, target in zip(combat.axis, picks[1:], strict=False)])

    def advance(self, table: Table[State], frame: Frame) -> None:
        """No U-boat is left to fire back."""
        table.done()
