"""10 Surface combat: rounds of Allied then Axis fire until one side has no surface ship left in the fight, or escapes.

The same rounds serve a pursuit (chapter 11): there the fight holds one group and its pursuers, and 10.6 and 10.7 count only those (R27).
A volley is one command: fire, then pairs of a ship and its target; `rest` names all ships that are left at once. A carrier may be named
once every other enemy warship has been named before it in the same command, so no beginning of a volley is a dead end.
"""

from collections.abc import Mapping, Sequence

from attrs import frozen

from engine.games.war_at_sea.combat_events import CarriersDeclared, CombatOpened, ConvoySpared, FireHeld, RoundBegun, RoundEnded, Standoff
from engine.games.war_at_sea.combat_state import SURFACE, Combat
from engine.games.war_at_sea.data import ALLIED, AXIS, SEATS, other
from engine.games.war_at_sea.hidden import reveal_area
from engine.games.war_at_sea.state import Ship, State
from engine.games.war_at_sea.volley import HOLD, Attack, fire, odds, untimely
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Say, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say

REST = "rest"
"""Instead of a ship: every ship that has not been named yet."""

IDLE_ROUNDS_MAX = 2
"""R25 So many rounds running without a die end a fight."""


def surface_is_due(state: State, area: str) -> bool:
    """10.1 Surface ships of both sides, not escaped, in one sea area; there is no combat in a port (15.5)."""
    return area in state.data.areas and all(any(not ship.escaped for ship in state.at(area, side)) for side in SEATS)


def goes_on(combat: Combat) -> bool:
    """10.1 Whether both sides still have a surface ship in the fight in hand and nothing else has ended it."""
    return not combat.over and bool(combat.allied) and bool(combat.axis)


def enemies_of(state: State, combat: Combat, seat: Seat) -> tuple[Ship, ...]:
    """The other side's ships in the fight in hand."""
    return tuple(state.ships[ship] for ship in combat.ships(other(seat)))


def gunships(state: State, seat: Seat) -> tuple[str, ...]:
    """10.6 The ships of a side that may name a target this round: those with gunnery; of the Axis carriers only those declared (R23)."""
    combat = state.combat
    ships = state.ships
    return tuple(
        ship
        for ship in combat.ships(seat)
        if ships[ship].gunnery_now > 0 and (seat == ALLIED or not ships[ship].is_carrier or ship in combat.exposed)
    )


def protectors(state: State, seat: Seat) -> tuple[str, ...]:
    """10.6, R22 The enemy warships that must all be assigned an attack before a carrier may be named: those that are no carriers."""
    return tuple(ship.id for ship in enemies_of(state, state.combat, seat) if ship.is_warship and not ship.is_carrier)


def convoy_is_free(state: State, seat: Seat) -> bool:
    """10.7, R24 Whether convoys are ordinary targets: every enemy warship of the fight carries damage already, or there is none."""
    return all(ship.damage > 0 for ship in enemies_of(state, state.combat, seat) if ship.is_warship)


@frozen
class Facing:
    """What a side faces in this round: its ships that may fire, the warships that protect a carrier, and the targets on offer: all of them,
    or (`bare`) those that need no protector to be named first."""

    guns: tuple[str, ...]
    guard: tuple[str, ...]
    all: Choices
    bare: Choices


def facing(state: State, seat: Seat) -> Facing:
    """10.2, 10.6 What the side faces, worked out once for each state."""
    memo, key = state.memo, ("facing", seat)
    found: Facing | None = memo.get(key)
    if found is None:
        enemies = enemies_of(state, state.combat, seat)
        exposed = state.combat.exposed
        bare = tuple(ship.id for ship in enemies if not ship.is_carrier or ship.id in exposed)
        found = memo[key] = Facing(
            gunships(state, seat),
            protectors(state, seat),
            offer("war_at_sea.target", (ship.id for ship in enemies)),
            offer("war_at_sea.target", bare),
        )
    return found


def attack_of(state: State, ship: str, target: str) -> Attack:
    """10.3 As many dice as effective gunnery; 10.5 the bonus of an undamaged German warship."""
    by = state.ships[ship]
    return Attack(ship, target, by.gunnery_now, by.bonus_now)


@frozen
class Volley:
    """A volley as far as it has been named: pairs in order, the ships that are left, and the ship (or REST) whose target comes next."""

    pairs: tuple[tuple[str, str], ...]
    left: tuple[str, ...]
    naming: str


def read_volley(guns: Sequence[str], picks: Picks) -> Volley:
    """10.2 The pairs that the picks after the verb make."""
    pairs: list[tuple[str, str]] = []
    left = dict.fromkeys(guns)
    for ship, target in zip(map(str, picks[::2]), map(str, picks[1::2]), strict=False):
        if ship == REST:
            pairs.extend((gun, target) for gun in left)
            left.clear()
        else:
            pairs.append((ship, target))
            del left[ship]
    return Volley(tuple(pairs), tuple(left), str(picks[-1]) if len(picks) % 2 else "")


# --- a round ----------------------------------------------------------------------------------------------------------------


class OpenSurface(Step[State]):
    """10.1 A surface fight begins in an area; hidden Allied ships are revealed (R43)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Reveal and open, or leave when one side has nothing left there."""
        area = frame.args[0]
        if not surface_is_due(table.state, area):
            table.leave("surface_at")
            return
        table.done()
        reveal_area(table, area)
        allied, axis = (tuple(ship.id for ship in table.state.at(area, side) if not ship.escaped) for side in SEATS)
        table.emit(CombatOpened(SURFACE, area, allied, axis))


class Rounds(Step[State]):
    """10.1 Round after round while both sides have ships in the fight in hand; `child` is the sequence of one round."""

    def __init__(self, child: str) -> None:
        self.child = child

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Another round, or the end of the fight in hand."""
        if goes_on(table.state.combat):
            table.call(self.child, *frame.args)
        else:
            table.done()


class BeginRound(Step[State]):
    """7.2 A round begins."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Count it."""
        table.done()
        table.emit(RoundBegun(table.state.combat.round + 1))


class DeclareCarriers(Step[State]):
    """10.6, R23 Before the Allies name targets the Axis says which of its carriers with gunnery will fire this round.

    A carrier declared silent may not fire and stays protected; one declared firing may still hold fire but is exposed. Where no Allied
    ship can fire nothing hangs on it, and nobody is asked.
    """

    def _carriers(self, state: State) -> tuple[str, ...]:
        ships = state.ships
        return tuple(ship for ship in state.combat.axis if ships[ship].is_carrier and ships[ship].gunnery_now > 0)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis player, if it has such a carrier and the Allies could fire."""
        carriers = self._carriers(at.state)
        if not carriers or not facing(at.state, ALLIED).guns:
            return {}
        return {AXIS: Decision(say("prompt.war_at_sea.declare_carriers", "10.6", ships=carriers))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """carriers_fire, then the carriers that will; or carriers_silent."""
        if not picks:
            return offer("verb", ("carriers_fire", "carriers_silent"))
        if picks[0] == "carriers_silent":
            return WHOLE
        left = tuple(ship for ship in self._carriers(at.state) if ship not in picks)
        return offer("war_at_sea.carrier", left, complete=len(picks) > 1)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """10.6 Only carriers with gunnery can mean to fire."""
        if len(picks) > 1:
            return refuse("10.6", "refusal.war_at_sea.no_firing_carrier", ship=picks[-1])
        return super().refusal(at, frame, seat, picks)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Say it to everybody."""
        table.done()
        table.emit(CarriersDeclared(tuple(str(ship) for ship in picks[1:]), True))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nobody to ask: the carriers may fire."""
        table.done()
        carriers = self._carriers(table.state)
        if carriers:
            table.emit(CarriersDeclared(carriers, False))


class NameTargets(Step[State]):
    """10.2-10.7 One side names the target of every firing ship, then rolls. It may hold its fire (7.2)."""

    def __init__(self, side: Seat) -> None:
        self.side = side

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, if any of its ships may fire."""
        if not facing(at.state, self.side).guns:
            return {}
        combat = at.state.combat
        return {self.side: Decision(say("prompt.war_at_sea.name_targets", "10.2", area=combat.place, round=combat.round))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """fire, then ship, target, ship, target …; or hold_fire."""
        if not picks:
            return offer("verb", ("fire", HOLD))
        if picks[0] == HOLD:
            return WHOLE
        faced = facing(at.state, seat)
        if len(picks) % 2 == 0:
            return self._targets(faced, picks)
        volley = read_volley(faced.guns, picks[1:])
        left = (*volley.left, REST) if len(volley.left) > 1 else volley.left
        return offer("war_at_sea.firing_ship", left, complete=bool(volley.pairs))

    def _targets(self, faced: Facing, picks: Picks) -> Choices:
        """10.6, 10.7 What the next ship may be told to fire at: a protected carrier only when every protector has been named."""
        if len(faced.all.options) == len(faced.bare.options):
            return faced.all
        named = picks[2::2]
        return faced.all if all(ship in named for ship in faced.guard) else faced.bare

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """10.2, 10.6 Why this ship may not fire, or not at that target; 11.1 escape is decided after the round."""
        if len(picks) < 2 or picks[0] != "fire":
            return untimely(picks) or super().refusal(at, frame, seat, picks)
        combat = at.state.combat
        pick = str(picks[-1])
        volley = read_volley(facing(at.state, seat).guns, picks[1:-1])
        if volley.naming:
            if pick in combat.ships(other(seat)):
                named = {target for _, target in volley.pairs}
                missing = tuple(ship for ship in protectors(at.state, seat) if ship not in named)
                return refuse("10.6", "refusal.war_at_sea.carrier_protected", ship=pick, missing=missing)
            if self._stays_out(at.state, pick, other(seat)):
                return refuse("11.7", "refusal.war_at_sea.not_in_pursuit", ship=pick)
            return refuse("10.2", "refusal.war_at_sea.no_target_in_fight", ship=pick)
        if pick in combat.ships(seat):
            if any(ship == pick for ship, _ in volley.pairs):
                return refuse("10.2", "refusal.war_at_sea.one_target_each", ship=pick)
            if at.state.ships[pick].gunnery_now == 0:
                return refuse("10.6", "refusal.war_at_sea.no_gunnery", ship=pick)
            return refuse("10.6", "refusal.war_at_sea.declared_silent", ship=pick)
        if self._stays_out(at.state, pick, seat):
            return refuse("11.7", "refusal.war_at_sea.not_in_pursuit", ship=pick)
        return refuse("10.2", "refusal.war_at_sea.not_in_fight", ship=pick)

    def _stays_out(self, state: State, ship: str, side: Seat) -> bool:
        """11.7 Whether a ship lies in the area without belonging to this pursuit."""
        combat = state.combat
        return combat.group >= 0 and any(ship == one.id for one in state.at(combat.place, side))

    def preview(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """The chances of everything named so far at the target named last, and whether an attack on a convoy waits for 10.7."""
        volley = read_volley(facing(at.state, seat).guns, picks[1:])
        if not volley.pairs or volley.naming:
            return ()
        state = at.state
        target = volley.pairs[-1][1]
        out = odds(state, target, [attack_of(state, ship, aim) for ship, aim in volley.pairs if aim == target])
        if state.ships[target].is_convoy and not convoy_is_free(state, seat):
            out = (*out, say("preview.war_at_sea.convoy_conditional", "10.7", target=target))
        return out

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """10.3, 10.5 Roll. 10.7 Attacks on a convoy roll last, and only if every Allied warship of the fight is by then damaged, sunk
        or disabled (R24). 10.4 Nothing takes effect before the other side has fired."""
        table.done()
        if picks[0] == HOLD:
            table.emit(FireHeld(seat, SURFACE))
            return
        state = table.state
        volley = read_volley(facing(state, seat).guns, picks[1:])
        free = convoy_is_free(state, seat)
        attacks = [attack_of(state, ship, target) for ship, target in volley.pairs]
        waiting = [] if free else [attack for attack in attacks if state.ships[attack.target].is_convoy]
        fire(table, "gun", [attack for attack in attacks if attack not in waiting])
        if not waiting:
            return
        tolls = dict(table.state.combat.tolls)
        warships = (ship for ship in enemies_of(state, state.combat, seat) if ship.is_warship)
        if all(ship.damage > 0 or (ship.id in tolls and not tolls[ship.id].is_nothing) for ship in warships):
            fire(table, "gun", waiting)
        else:
            table.emit(ConvoySpared(tuple(attack.by for attack in waiting)))


class EndRound(Step[State]):
    """7.2 A round ends. R25 A second round running without a die ends the fight, unless somebody then escapes (see escape.py)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Count the round."""
        table.done()
        table.emit(RoundEnded())


class EndDeadFight(Step[State]):
    """R25 Two rounds running without a die, and nobody escapes: the fight in hand ends with both sides where they are."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """End it if it is dead."""
        table.done()
        combat = table.state.combat
        if goes_on(combat) and combat.idle >= IDLE_ROUNDS_MAX:
            table.emit(Standoff(combat.place))
