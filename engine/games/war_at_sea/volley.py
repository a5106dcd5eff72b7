"""One side's fire at one moment: dice for every attack, then damage dice, then one `Shot` event each; and the applying of what it did.

Shared by the three kinds of combat. Two rules: all attack dice come before all damage dice, each in the order of naming; and nothing is
applied before both sides have had their half of the round (9.4, 10.4), save that anti-submarine fire kills before the reply (8.4).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from engine.games.war_at_sea.combat_events import ShipsLeaving, Shot
from engine.games.war_at_sea.combat_state import ROLLS
from engine.games.war_at_sea.damage import AFLOAT, SUNK, chances, fate, hits
from engine.games.war_at_sea.data import SEATS
from engine.games.war_at_sea.events import ShipDamaged, ShipDisabled, ShipSunk
from engine.games.war_at_sea.ports import DISABLED as STRUCK
from engine.games.war_at_sea.ports import disabled_destinations, port_refusal
from engine.games.war_at_sea.state import State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Say, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say

HOLD = "hold_fire"
"""The verb of a side that does not attack (7.2)."""

ATTACKS = ("hunt", "torpedo", "strike", "fire")
"""The verbs that attack in the three kinds of combat."""


def untimely(picks: Picks) -> Refusal | None:
    """7.1 Why an attack of another kind of combat, or of the other half of the round, may not be made now; 11.1 or an escape. None for
    anything else."""
    if len(picks) == 1 and picks[0] in ATTACKS:
        return refuse("7.1", "refusal.war_at_sea.another_kind_now")
    if picks == ("escape",):
        return refuse("11.1", "refusal.war_at_sea.escape_after_the_round")
    return None


@frozen
class Attack:
    """One attack to be rolled: who fires at whom, with how many dice and which bonus."""

    by: str
    target: str
    dice: int
    plus: int = 0


def fire(table: Table[State], kind: str, attacks: Sequence[Attack]) -> None:
    """7.2-7.4 Roll all attack dice, then one damage die for each hit, and lay each attack down as a Shot. R44 Dice at a ship that
    others sink first are lost."""
    purpose = ROLLS[kind]
    thrown = [table.rolls(attack.dice, 6, purpose) for attack in attacks]
    wounds = [table.rolls(hits(dice, attack.plus), 6, "damage") for attack, dice in zip(attacks, thrown, strict=True)]
    for attack, dice, hurt in zip(attacks, thrown, wounds, strict=True):
        table.emit(Shot(kind, attack.by, attack.target, dice, attack.plus, hurt))


class ApplyTolls(Step[State]):
    """7.5 What the round's fire has done takes effect, hits before disabling, for both sides together (9.4, 10.4)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Damage, sink and send to port each target; those with several ports to go to wait for their owner, those with
        none are out of the game (12.3)."""
        table.done()
        combat = table.state.combat
        leaving: list[str] = []
        for ship, taken in combat.tolls:
            if taken.is_nothing:
                continue
            target = table.state.ships[ship]
            result = fate(target.armor, target.damage, taken)
            if result.end == SUNK:
                table.emit(ShipSunk(ship, taken.damage))
                continue
            if taken.damage:
                table.emit(ShipDamaged(ship, taken.damage))
            if result.end == AFLOAT:
                continue
            ports = disabled_destinations(table.state, table.state.ships[ship])
            if len(ports) > 1:
                leaving.append(ship)
            else:
                table.emit(ShipDisabled(ship, ports[0] if ports else ""))
        if leaving:
            table.emit(ShipsLeaving(tuple(leaving)))


class ChoosePort(Step[State]):
    """7.3 (R12) The owner of a disabled ship chooses its port, where it has a choice: at once, ship by ship, the Allied player first."""

    def _next(self, state: State) -> tuple[Seat, str] | None:
        combat = state.combat
        for seat in SEATS:
            for ship in combat.leaving:
                if state.ships[ship].side == seat:
                    return seat, ship
        return None

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner of the next disabled ship."""
        found = self._next(at.state)
        if found is None:
            return {}
        return {found[0]: Decision(say("prompt.war_at_sea.choose_port", "7.3", ship=found[1]))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """retire, then one of the ports that R12 leaves open."""
        found = self._next(at.state)
        assert found is not None
        if not picks:
            return offer("verb", ("retire",))
        if len(picks) == 1:
            return offer("war_at_sea.port", disabled_destinations(at.state, at.state.ships[found[1]]))
        return WHOLE

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """7.3 Only the ports of R12."""
        found = self._next(at.state)
        if len(picks) == 2 and found is not None:
            ship, port = at.state.ships[found[1]], str(picks[1])
            ports = disabled_destinations(at.state, ship)
            otherwise = refuse("7.3", "refusal.war_at_sea.not_a_port_for_disabled", ship=ship.id, port=port, ports=ports)
            return port_refusal(at.state, ship, port, STRUCK, otherwise) if port in at.state.data.ports else otherwise
        return super().refusal(at, frame, seat, picks)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """The ship leaves."""
        found = self._next(table.state)
        assert found is not None
        table.emit(ShipDisabled(found[1], str(picks[1])))


def odds(state: State, target: str, attacks: Sequence[Attack]) -> tuple[Say, ...]:
    """What a client shows beside a target: expected hits, and the chances to sink, disable or damage it by these attacks together."""
    plain = sum(attack.dice for attack in attacks if attack.plus == 0)
    bonus = sum(attack.dice for attack in attacks if attack.plus)
    ship = state.ships[target]
    found = chances(plain, bonus, ship.armor, ship.damage)
    args: dict[str, Any] = {
        "target": target,
        "dice": plain + bonus,
        "hits": found.hits,
        "sunk": found.sunk,
        "disabled": found.disabled,
        "damaged": found.damaged,
        "crippled": found.crippled,
    }
    return (say("preview.war_at_sea.odds", "7.6", **args),)
