"""10 Surface combat: rounds of Allied then Axis fire until one side has no surface ship left in the
fight, or escapes.

The same rounds serve a pursuit (chapter 11): there the fight holds one group and its pursuers, and
10.6 and 10.7 count only those (R27). A volley is one command: fire, then pairs of a ship and its
target; `rest` names all ships that are left at once. A carrier may be named once every other enemy
warship has been named before it in the command. So no beginning of a volley is a dead end.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from warledger.engine.games.war_at_sea.battle import SURFACE, Combat
from warledger.engine.games.war_at_sea.data import ALLIED, AXIS, SEATS, other
from warledger.engine.games.war_at_sea.hidden import reveal_area
from warledger.engine.games.war_at_sea.state import Ship, State, with_fight
from warledger.engine.games.war_at_sea.volley import (
    Attack,
    CombatOpened,
    fire,
    hold,
    odds,
    why_not_now,
)
from warledger.engine.kernel.commands import (
    Asked,
    Asking,
    Command,
    Commands,
    Many,
    Pairs,
    Slot,
    word,
)
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import Option, refuse, say
from warledger.protocol.board.effects import Effect, tell

# --- events ---------------------------------------------------------------------------------------


@event("convoy_spared")
class ConvoySpared:
    """10.7 Some Allied warship came through the round undamaged, so these ships' attacks on a
    convoy are not carried out."""

    ships: tuple[str, ...]


@event("round_begun")
class RoundBegun:
    """7.2 A round of surface combat: one attack by each side."""

    round: int


@event("round_ended")
class RoundEnded:
    """7.2 Both sides have had their attack and its results stand."""


@event("carriers_declared")
class CarriersDeclared:
    """10.6 Which Axis carriers mean to fire this round; the others may not."""

    ships: tuple[str, ...]
    asked: bool


@event("standoff")
class Standoff:
    """R25 Two rounds running without a die and without an escape: the fight ends, nobody is driven
    off."""

    place: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(RoundBegun)
def _round_begun(state: State, event: RoundBegun) -> State:
    return with_fight(state, round=event.round, tolls=(), rolled=False, exposed=(), written=())


@after(RoundEnded)
def _round_ended(state: State, event: RoundEnded) -> State:
    return with_fight(state, tolls=(), idle=0 if state.combat.rolled else state.combat.idle + 1)


@after(CarriersDeclared)
def _declared(state: State, event: CarriersDeclared) -> State:
    return with_fight(state, exposed=event.ships)


@after(Standoff)
def _standoff(state: State, event: Standoff) -> State:
    return with_fight(state, over=True)


after.unchanged(ConvoySpared)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(ConvoySpared)
def _draw_spared(before: State, event: ConvoySpared, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.convoy_spared", "10.7", ships=event.ships)


@draws(RoundBegun)
def _draw_round_begun(before: State, event: RoundBegun, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.round_begun", "7.2", round=event.round, place=before.combat.place)


@draws(RoundEnded)
def _draw_nothing(before: State, event: Any, after: State) -> Iterator[Effect]:
    yield from ()


@draws(CarriersDeclared)
def _draw_declared(before: State, event: CarriersDeclared, after: State) -> Iterator[Effect]:
    if not event.asked:
        return
    if event.ships:
        yield tell("war_at_sea.carriers_fire", "10.6", ships=event.ships)
    else:
        yield tell("war_at_sea.carriers_silent", "10.6")


@draws(Standoff)
def _draw_standoff(before: State, event: Standoff, after: State) -> Iterator[Effect]:
    if before.combat.group >= 0:
        yield tell("war_at_sea.pursuit_dies_out", "11.6", place=event.place)
    else:
        yield tell("war_at_sea.standoff", "10.1", place=event.place)


REST = "rest"
"""Instead of a ship: every ship that has not been named yet."""

IDLE_ROUNDS_MAX = 2
"""R25 So many rounds running without a die end a fight."""


def surface_is_due(state: State, area: str) -> bool:
    """10.1 Surface ships of both sides, not escaped, in one sea area; there is no combat in a port
    (15.5)."""
    return area in state.data.areas and all(
        any(not ship.escaped for ship in state.at(area, side)) for side in SEATS
    )


def goes_on(combat: Combat) -> bool:
    """10.1 Whether both sides still have a surface ship in the fight in hand and nothing else has
    ended it."""
    return not combat.over and bool(combat.allied) and bool(combat.axis)


def enemies_of(state: State, combat: Combat, seat: Seat) -> tuple[Ship, ...]:
    """The other side's ships in the fight in hand."""
    return tuple(state.ships[ship] for ship in combat.ships(other(seat)))


def gunships(state: State, seat: Seat) -> tuple[str, ...]:
    """10.6 The ships of a side that may name a target this round: those with gunnery; of the Axis
    carriers only those declared (R23)."""
    combat = state.combat
    ships = state.ships
    return tuple(
        ship
        for ship in combat.ships(seat)
        if ships[ship].gunnery_now > 0
        and (seat == ALLIED or not ships[ship].is_carrier or ship in combat.exposed)
    )


def protectors(state: State, seat: Seat) -> tuple[str, ...]:
    """10.6, R22 The enemy warships that must all be assigned an attack before a carrier may be
    named: those that are not carriers."""
    return tuple(
        ship.id
        for ship in enemies_of(state, state.combat, seat)
        if ship.is_warship and not ship.is_carrier
    )


def convoy_is_free(state: State, seat: Seat) -> bool:
    """10.7, R24 Whether convoys are ordinary targets: every enemy warship of the fight carries
    damage already, or there is none."""
    return all(ship.damage > 0 for ship in enemies_of(state, state.combat, seat) if ship.is_warship)


@frozen
class Facing:
    """What a side faces in this round: its ships that may fire, the warships that protect a
    carrier, and the targets on offer: all of them, or (`bare`) those that need no protector to be
    named first."""

    guns: tuple[str, ...]
    guard: tuple[str, ...]
    all: tuple[Option, ...]
    bare: tuple[Option, ...]


@remembered()
def facing(state: State, seat: Seat) -> Facing:
    """10.2, 10.6 What the side faces."""
    enemies = enemies_of(state, state.combat, seat)
    exposed = state.combat.exposed
    bare = tuple(ship.id for ship in enemies if not ship.is_carrier or ship.id in exposed)
    return Facing(
        gunships(state, seat),
        protectors(state, seat),
        tuple(Option(ship.id) for ship in enemies),
        tuple(Option(ship) for ship in bare),
    )


def attack_of(state: State, ship: str, target: str) -> Attack:
    """10.3 The dice of effective gunnery; 10.5 the bonus of an undamaged German warship."""
    by = state.ships[ship]
    return Attack(ship, target, by.gunnery_now, by.bonus_now)


@frozen
class Firing:
    """A volley as it is named: each firing ship (or REST) with its target, and the one whose target
    comes next."""

    aimed: tuple[tuple[str, str], ...] = ()
    ship: str = ""


@frozen
class Volley:
    """What it comes to: ships and their targets in order, and the ships that are left."""

    pairs: tuple[tuple[str, str], ...]
    left: tuple[str, ...]

    @property
    def targets(self) -> frozenset[str]:
        """All ships that are fired at."""
        return frozenset(target for _, target in self.pairs)


def volley_of(guns: Sequence[str], order: Firing) -> Volley:
    """10.2 Each ship by itself; REST stands for all that are left."""
    pairs: list[tuple[str, str]] = []
    left = dict.fromkeys(guns)
    for ship, target in order.aimed:
        if ship == REST:
            pairs.extend((gun, target) for gun in left)
            left.clear()
        else:
            pairs.append((ship, target))
            del left[ship]
    return Volley(tuple(pairs), tuple(left))


# --- a round --------------------------------------------------------------------------------------


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
        allied, axis = (
            tuple(ship.id for ship in table.state.at(area, side) if not ship.escaped)
            for side in SEATS
        )
        table.emit(CombatOpened(SURFACE, area, allied, axis))


class Rounds(Step[State]):
    """10.1 Round after round while both sides have ships in the fight in hand; `child` is the
    sequence of one round."""

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


@frozen
class Declaring:
    """The carriers that mean to fire."""

    carriers: tuple[str, ...] = ()


class DeclareCarriers(Asking[State]):
    """10.6, R23 Before the Allies name targets the Axis says which of its carriers with gunnery
    will fire this round.

    A carrier declared silent may not fire and stays protected; one declared firing may still hold
    fire but is exposed. Where no Allied ship can fire nothing hangs on it, and nobody is asked.
    """

    def _carriers(self, state: State) -> tuple[str, ...]:
        ships = state.ships
        return tuple(
            ship
            for ship in state.combat.axis
            if ships[ship].is_carrier and ships[ship].gunnery_now > 0
        )

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis player, if it has such a carrier and the Allies could fire."""
        carriers = self._carriers(at.state)
        if not carriers or not facing(at.state, ALLIED).guns:
            return {}
        return {AXIS: Decision(say("prompt.war_at_sea.declare_carriers", "10.6", ships=carriers))}

    def commands(self) -> Commands[State]:
        """The carriers that will fire, or none."""
        return (
            Command(
                "carriers_fire",
                Declaring,
                Many("carriers", "war_at_sea.carrier", self._silent, self._why_not),
                apply=lambda table, asked, order: self._declare(table, order.carriers),
            ),
            word("carriers_silent", lambda table, asked: self._declare(table, ())),
        )

    def _silent(self, asked: Asked[State], order: Declaring) -> list[str]:
        """10.6 The others with gunnery."""
        return [ship for ship in self._carriers(asked.state) if ship not in order.carriers]

    def _why_not(self, asked: Asked[State], order: Declaring, pick: Pick) -> Refusal:
        """10.6 Only carriers with gunnery can mean to fire."""
        return refuse("10.6", "refusal.war_at_sea.no_firing_carrier", ship=pick)

    def _declare(self, table: Table[State], carriers: tuple[str, ...]) -> None:
        """Say it to everybody."""
        table.done()
        table.emit(CarriersDeclared(carriers, True))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nobody to ask: the carriers may fire."""
        table.done()
        carriers = self._carriers(table.state)
        if carriers:
            table.emit(CarriersDeclared(carriers, False))


class NameTargets(Asking[State]):
    """10.2-10.7 One side names the target of every firing ship, then rolls: the Allies first, as
    the round's steps in `rules.py` say. It may hold its fire (7.2)."""

    def __init__(self, side: Seat) -> None:
        self.side = side

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, if any of its ships may fire."""
        if not facing(at.state, self.side).guns:
            return {}
        combat = at.state.combat
        return {
            self.side: Decision(
                say("prompt.war_at_sea.name_targets", "10.2", area=combat.place, round=combat.round)
            )
        }

    def commands(self) -> Commands[State]:
        """Ship, target, ship, target …; or none."""
        return (
            Command(
                "fire",
                Firing,
                Pairs(
                    "aimed",
                    Slot("ship", "war_at_sea.firing_ship", self._ships, self._why_not_ship),
                    Slot("target", "war_at_sea.target", self._targets, self._why_not_target),
                ),
                apply=self._fire,
                preview=self._odds,
            ),
            hold(SURFACE),
        )

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal | None:
        """7.1 Another kind of attack; 11.1 escape is decided after the round."""
        return why_not_now(verb)

    @staticmethod
    def _volley(asked: Asked[State], order: Firing) -> Volley:
        return volley_of(facing(asked.state, asked.seat).guns, order)

    def _ships(self, asked: Asked[State], order: Firing) -> tuple[str, ...]:
        """10.2 Those not named yet, or all of them at once."""
        left = self._volley(asked, order).left
        return (*left, REST) if len(left) > 1 else left

    def _targets(self, asked: Asked[State], order: Firing) -> tuple[Option, ...]:
        """10.6, 10.7 What the next ship may be told to fire at: a protected carrier only when every
        protector has been named."""
        faced = facing(asked.state, asked.seat)
        if len(faced.all) == len(faced.bare):
            return faced.all
        named = [target for _, target in order.aimed]
        return faced.all if all(ship in named for ship in faced.guard) else faced.bare

    def _why_not_ship(self, asked: Asked[State], order: Firing, pick: Pick) -> Refusal:
        """10.2, 10.6 Why this ship may not fire."""
        state, ship = asked.state, str(pick)
        if ship in state.combat.ships(asked.seat):
            if any(named == ship for named, _ in self._volley(asked, order).pairs):
                return refuse("10.2", "refusal.war_at_sea.one_target_each", ship=ship)
            if state.ships[ship].gunnery_now == 0:
                return refuse("10.6", "refusal.war_at_sea.no_gunnery", ship=ship)
            return refuse("10.6", "refusal.war_at_sea.declared_silent", ship=ship)
        if self._stays_out(state, ship, asked.seat):
            return refuse("11.7", "refusal.war_at_sea.not_in_pursuit", ship=ship)
        return refuse("10.2", "refusal.war_at_sea.not_in_fight", ship=ship)

    def _why_not_target(self, asked: Asked[State], order: Firing, pick: Pick) -> Refusal:
        """10.2, 10.6 Why not at that target."""
        state, ship = asked.state, str(pick)
        if ship in state.combat.ships(other(asked.seat)):
            named = self._volley(asked, order).targets
            missing = tuple(one for one in protectors(state, asked.seat) if one not in named)
            return refuse(
                "10.6", "refusal.war_at_sea.carrier_protected", ship=ship, missing=missing
            )
        if self._stays_out(state, ship, other(asked.seat)):
            return refuse("11.7", "refusal.war_at_sea.not_in_pursuit", ship=ship)
        return refuse("10.2", "refusal.war_at_sea.no_target_in_fight", ship=ship)

    def _stays_out(self, state: State, ship: str, side: Seat) -> bool:
        """11.7 Whether a ship lies in the area without belonging to this pursuit."""
        combat = state.combat
        return combat.group >= 0 and any(ship == one.id for one in state.at(combat.place, side))

    def _odds(self, asked: Asked[State], order: Firing) -> tuple[Say, ...]:
        """The chances of everything named so far at the target named last, and whether an attack on
        a convoy waits for 10.7."""
        pairs = self._volley(asked, order).pairs
        if not pairs or order.ship:
            return ()
        state = asked.state
        target = pairs[-1][1]
        out = odds(
            state, target, [attack_of(state, ship, aim) for ship, aim in pairs if aim == target]
        )
        if state.ships[target].is_convoy and not convoy_is_free(state, asked.seat):
            out = (*out, say("preview.war_at_sea.convoy_conditional", "10.7", target=target))
        return out

    def _fire(self, table: Table[State], asked: Asked[State], order: Firing) -> None:
        """10.3, 10.5 Roll. 10.7 Attacks on a convoy roll last, and only if every Allied warship of
        the fight is by then damaged, sunk or disabled (R24). 10.4 Nothing takes effect before the
        other side has fired."""
        table.done()
        state, seat = asked.state, asked.seat
        free = convoy_is_free(state, seat)
        attacks = [
            attack_of(state, ship, target) for ship, target in self._volley(asked, order).pairs
        ]
        waiting = (
            [] if free else [attack for attack in attacks if state.ships[attack.target].is_convoy]
        )
        fire(table, "gun", [attack for attack in attacks if attack not in waiting])
        if not waiting:
            return
        tolls = dict(table.state.combat.tolls)
        warships = (ship for ship in enemies_of(state, state.combat, seat) if ship.is_warship)
        if all(
            ship.damage > 0 or (ship.id in tolls and not tolls[ship.id].is_nothing)
            for ship in warships
        ):
            fire(table, "gun", waiting)
        else:
            table.emit(ConvoySpared(tuple(attack.by for attack in waiting)))


class EndRound(Step[State]):
    """7.2 A round ends. R25 A second round running without a die ends the fight, unless somebody
    then escapes (see escape.py)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Count the round."""
        table.done()
        table.emit(RoundEnded())


class EndDeadFight(Step[State]):
    """R25 Two rounds running without a die, and nobody escapes: the fight in hand ends with both
    sides where they are."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """End it if it is dead."""
        table.done()
        combat = table.state.combat
        if goes_on(combat) and combat.idle >= IDLE_ROUNDS_MAX:
            table.emit(Standoff(combat.place))


STEPS: Mapping[str, Step[State]] = {
    "open_surface": OpenSurface(),
    "surface_rounds": Rounds("surface_round"),
    "begin_round": BeginRound(),
    "declare_carriers": DeclareCarriers(),
    "allied_fire": NameTargets(ALLIED),
    "axis_fire": NameTargets(AXIS),
    "end_round": EndRound(),
    "end_dead_fight": EndDeadFight(),
    "pursuit_rounds": Rounds("pursuit_round"),
}
