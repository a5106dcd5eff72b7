"""One side's fire at one moment: dice for every attack, then damage dice, then one `Shot` event
each; and the applying of what it did.

Shared by the three kinds of combat. Two rules: all attack dice come before all damage dice, each in
the order of naming. And nothing is applied before both sides have had their half of the round (9.4,
10.4), save that anti-submarine fire kills before the reply (8.4).
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from warledger.engine.games.war_at_sea.battle import AIR, ASW, ROLLS, Combat
from warledger.engine.games.war_at_sea.damage import AFLOAT, chances, fate, hits, toll, total
from warledger.engine.games.war_at_sea.data import SEATS
from warledger.engine.games.war_at_sea.ports import DISABLED as STRUCK
from warledger.engine.games.war_at_sea.ports import disabled_destinations, port_refusal
from warledger.engine.games.war_at_sea.state import (
    REMOVED,
    SUNK,
    Ship,
    State,
    left,
    with_fight,
    with_ship,
)
from warledger.engine.games.war_at_sea.state import SUNK as SUNK_BOX
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Bare, Command, Commands, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, closing, mark, move, opening, roll, take, tell

# --- events ---------------------------------------------------------------------------------------


@event("combat_opened")
class CombatOpened:
    """7.1 A fight begins in a place: kind is "asw", "air" or "surface"; the ships (and U-boats)
    that take part on each side."""

    kind: str
    place: str
    allied: tuple[str, ...]
    axis: tuple[str, ...]


@event("combat_closed")
class CombatClosed:
    """7.1 The fight in a place is over."""

    kind: str
    place: str


@event("fire_held")
class FireHeld:
    """7.2 A side does not attack."""

    seat: str
    kind: str


@event("shot")
class Shot:
    """7.3, 7.4 One attack on one target: by a ship ("gun"), a U-boat ("uboat") or a side's
    airstrike ("air").

    `dice` as rolled, `plus` what 10.5 adds to each, `wounds` the damage dice, one for each hit.
    Nothing is applied yet.
    """

    kind: str
    by: str
    target: str
    dice: tuple[int, ...]
    plus: int
    wounds: tuple[int, ...]


@event("ships_leaving")
class ShipsLeaving:
    """7.3 Disabled ships with more than one port to go to: their owner chooses before anything else
    happens."""

    ships: tuple[str, ...]


@event("ship_damaged")
class ShipDamaged:
    """7.4, 7.6 Hits cost a ship points; it floats."""

    ship: str
    points: int


@event("ship_sunk")
class ShipSunk:
    """7.6 Damage beyond its armor sank a ship; `points` is what it took now."""

    ship: str
    points: int


@event("ship_disabled")
class ShipDisabled:
    """7.3 A ship struck by a 5 left for a port; "" when none would have it, and it is out of the
    game (12.3)."""

    ship: str
    port: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(CombatOpened)
def _opened(state: State, event: CombatOpened) -> State:
    return replace(state, fight=Combat(event.kind, event.place, event.allied, event.axis))


@after(CombatClosed)
def _closed(state: State, event: CombatClosed) -> State:
    return replace(state, fight=None)


after.unchanged(FireHeld)


@after(Shot)
def _shot(state: State, event: Shot) -> State:
    """7.3, 7.4 What the shot does waits in the tolls; 10.6 a carrier that fires is exposed."""
    combat = state.combat
    tolls = dict(combat.tolls)
    did = toll(event.dice, event.wounds, event.plus)
    tolls[event.target] = total((tolls[event.target], did)) if event.target in tolls else did
    fired = state.ships.get(event.by)
    bare = fired is not None and fired.is_carrier and event.by not in combat.exposed
    return with_fight(
        state,
        tolls=tuple(tolls.items()),
        rolled=combat.rolled or bool(event.dice),
        exposed=(*combat.exposed, event.by) if bare else combat.exposed,
    )


@after(ShipsLeaving)
def _leaving(state: State, event: ShipsLeaving) -> State:
    return with_fight(left(state, *event.ships), leaving=event.ships)


@after(ShipDamaged)
def _ship_damaged(state: State, event: ShipDamaged) -> State:
    return with_ship(state, event.ship, damage=state.ships[event.ship].damage + event.points)


@after(ShipSunk)
def _ship_sunk(state: State, event: ShipSunk) -> State:
    """7.6 The ship has left the fight."""
    damage = state.ships[event.ship].damage + event.points
    return left(with_ship(state, event.ship, damage=damage, place=SUNK_BOX), event.ship)


@after(ShipDisabled)
def _ship_disabled(state: State, event: ShipDisabled) -> State:
    """7.3 The ship has left the fight."""
    place = event.port or REMOVED
    return left(with_ship(state, event.ship, place=place, disabled=True, escaped=False), event.ship)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(CombatOpened)
def _draw_opened(before: State, event: CombatOpened, after: State) -> Iterator[Effect]:
    if event.kind == ASW:
        yield opening("combat", "war_at_sea.combat_asw", place=event.place)
        yield tell(
            "war_at_sea.asw_begins", "8.2", place=event.place, ships=event.allied, n=len(event.axis)
        )
    elif event.kind == AIR:
        yield opening("combat", "war_at_sea.combat_air", place=event.place)
        yield tell("war_at_sea.air_begins", "9.2", place=event.place)
    else:
        yield opening("combat", "war_at_sea.combat_surface", place=event.place)
        yield tell(
            "war_at_sea.surface_begins",
            "10.1",
            place=event.place,
            allied=event.allied,
            axis=event.axis,
        )


@draws(CombatClosed)
def _draw_closed(before: State, event: CombatClosed, after: State) -> Iterator[Effect]:
    yield closing("combat")


@draws(FireHeld)
def _draw_held(before: State, event: FireHeld, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.fire_held", "7.2", side=event.seat)


@draws(Shot)
def _draw_shot(before: State, event: Shot, after: State) -> Iterator[Effect]:
    yield roll(ROLLS[event.kind], 6, event.dice)
    if event.kind == "gun" and event.plus:
        yield tell(
            "war_at_sea.fires_with_bonus",
            "10.5",
            ship=event.by,
            target=event.target,
            dice=event.dice,
            plus=event.plus,
        )
    elif event.kind == "gun":
        yield tell("war_at_sea.fires", "10.3", ship=event.by, target=event.target, dice=event.dice)
    elif event.kind == "uboat":
        yield tell(
            "war_at_sea.torpedoes", "8.4", boat=event.by, target=event.target, dice=event.dice
        )
    else:
        yield tell("war_at_sea.strikes", "9.3", side=event.by, target=event.target, dice=event.dice)
    if event.wounds:
        yield roll("damage", 6, event.wounds)
        yield tell(
            "war_at_sea.damage_rolled",
            "7.4",
            target=event.target,
            dice=event.wounds,
            points=sum(event.wounds),
        )


@draws(ShipsLeaving)
def _draw_leaving(before: State, event: ShipsLeaving, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.ships_leaving", "7.3", ships=event.ships)


@draws(ShipDamaged)
def _draw_ship_damaged(before: State, event: ShipDamaged, after: State) -> Iterator[Effect]:
    ship = after.ships[event.ship]
    yield mark(event.ship, "damage", ship.damage)
    key = "war_at_sea.ship_crippled" if ship.crippled else "war_at_sea.ship_damaged"
    yield tell(key, "7.6", ship=event.ship, points=event.points, damage=ship.damage)


@draws(ShipSunk)
def _draw_ship_sunk(before: State, event: ShipSunk, after: State) -> Iterator[Effect]:
    yield take(event.ship, SUNK_BOX)
    yield tell("war_at_sea.ship_sunk", "7.6", ship=event.ship, points=event.points)


@draws(ShipDisabled)
def _draw_ship_disabled(before: State, event: ShipDisabled, after: State) -> Iterator[Effect]:
    if not event.port:
        yield take(event.ship, REMOVED)
        yield tell("war_at_sea.ship_disabled_lost", "12.3", ship=event.ship)
        return
    yield move(event.ship, event.port)
    if before.ships[event.ship].escaped:
        yield mark(event.ship, "escaped", 0)
    yield mark(event.ship, "disabled", 1)
    if before.ships[event.ship].place == event.port:
        yield tell("war_at_sea.ship_disabled_in_port", "7.3", ship=event.ship, port=event.port)
    else:
        yield tell("war_at_sea.ship_disabled", "7.3", ship=event.ship, port=event.port)


HOLD = "hold_fire"
"""The verb of a side that does not attack (7.2)."""

ATTACKS = ("hunt", "torpedo", "strike", "fire")
"""The verbs that attack in the three kinds of combat."""


def why_not_now(verb: Pick) -> Refusal | None:
    """7.1 Why an attack of another kind of combat, or of the other half of the round, may not be
    made now; 11.1 or an escape. None for anything else."""
    if verb in ATTACKS:
        return refuse("7.1", "refusal.war_at_sea.another_kind_now")
    if verb == "escape":
        return refuse("11.1", "refusal.war_at_sea.escape_after_the_round")
    return None


def hold(kind: str) -> Command[State, Bare]:
    """7.2 The command by which a side does not attack in a fight of this kind."""

    def apply(table: Table[State], asked: Asked[State]) -> None:
        table.done()
        table.emit(FireHeld(asked.seat, kind))

    return word(HOLD, apply)


@frozen
class Attack:
    """One attack to be rolled: who fires at whom, with how many dice and which bonus."""

    by: str
    target: str
    dice: int
    plus: int = 0


def fire(table: Table[State], kind: str, attacks: Sequence[Attack]) -> None:
    """7.2-7.4 Roll all attack dice, then one damage die for each hit, and lay each attack down as a
    Shot. R44 Dice at a ship that others sink first are lost."""
    purpose = ROLLS[kind]
    thrown = [table.rolls(attack.dice, 6, purpose) for attack in attacks]
    wounds = [
        table.rolls(hits(dice, attack.plus), 6, "damage")
        for attack, dice in zip(attacks, thrown, strict=True)
    ]
    for attack, dice, hurt in zip(attacks, thrown, wounds, strict=True):
        table.emit(Shot(kind, attack.by, attack.target, dice, attack.plus, hurt))


class ApplyTolls(Step[State]):
    """7.5 What the round's fire has done takes effect, hits before disabling, for both sides
    together (9.4, 10.4)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Damage, sink and send to port each target. Those with several ports to go to wait for
        their owner, those with none are out of the game (12.3)."""
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


@frozen
class Retiring:
    """Where a disabled ship goes."""

    port: str = ""


class ChoosePort(Asking[State]):
    """7.3 (R12) The owner of a disabled ship chooses its port, where it has a choice: at once, ship
    by ship, the Allied player first."""

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

    def commands(self) -> Commands[State]:
        """7.3 The ship retires to a port."""
        return (
            Command(
                "retire",
                Retiring,
                Slot("port", "war_at_sea.port", self._ports, self._why_not),
                apply=self._retire,
            ),
        )

    def _ship(self, state: State) -> Ship:
        """The ship that is asked about."""
        found = self._next(state)
        assert found is not None
        return state.ships[found[1]]

    def _ports(self, asked: Asked[State], order: Retiring) -> tuple[str, ...]:
        """7.3 Those that R12 leaves open."""
        return disabled_destinations(asked.state, self._ship(asked.state))

    def _why_not(self, asked: Asked[State], order: Retiring, pick: Pick) -> Refusal:
        """7.3 Only the ports of R12."""
        state, port = asked.state, str(pick)
        ship = self._ship(state)
        otherwise = refuse(
            "7.3",
            "refusal.war_at_sea.not_a_port_for_disabled",
            ship=ship.id,
            port=port,
            ports=disabled_destinations(state, ship),
        )
        if port not in state.data.ports:
            return otherwise
        return port_refusal(state, ship, port, STRUCK, otherwise)

    def _retire(self, table: Table[State], asked: Asked[State], order: Retiring) -> None:
        """The ship leaves."""
        table.emit(ShipDisabled(self._ship(asked.state).id, order.port))


def odds(state: State, target: str, attacks: Sequence[Attack]) -> tuple[Say, ...]:
    """What a client shows beside a target: expected hits, also as `n` in `of` attacks, and the
    chances to sink, disable or damage it by these attacks together."""
    plain = sum(attack.dice for attack in attacks if attack.plus == 0)
    bonus = sum(attack.dice for attack in attacks if attack.plus)
    ship = state.ships[target]
    found = chances(plain, bonus, ship.armor, ship.damage)
    average = Fraction(plain + 2 * bonus, 6)
    args: dict[str, Any] = {
        "target": target,
        "dice": plain + bonus,
        "hits": found.hits,
        "n": average.numerator,
        "of": average.denominator,
        "sunk": found.sunk,
        "disabled": found.disabled,
        "damaged": found.damaged,
        "crippled": found.crippled,
    }
    return (say("preview.war_at_sea.odds", "7.6", **args),)


STEPS: Mapping[str, Step[State]] = {
    "apply_tolls": ApplyTolls(),
    "choose_port": ChoosePort(),
}
