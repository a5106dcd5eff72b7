"""A second reading of the rules as a referee of random games: tables written here again, from the
rule book, judge every event.

Nothing of the rules under test is asked: what ships are worth, where they may be, which ports take
them, what dice do, who controls and what a turn scores is worked out here. Only the events and the
places of ships are taken from the game.
"""

import random
from typing import Any

from tests.rules.war_at_sea.charts import PACK
from tests.rules.war_at_sea.players import random_options, random_picks
from warledger.engine.games.war_at_sea import RULES
from warledger.engine.games.war_at_sea.antisubmarine import AswRolled
from warledger.engine.games.war_at_sea.control import ControlPlaced
from warledger.engine.games.war_at_sea.convoys import ConvoyArrived
from warledger.engine.games.war_at_sea.escape import EscapeShown
from warledger.engine.games.war_at_sea.homing import Returned, ShipLostWithoutPort
from warledger.engine.games.war_at_sea.movement import Sailed, SailingOver
from warledger.engine.games.war_at_sea.nations import AmericanRolled, SovietRolled
from warledger.engine.games.war_at_sea.pursuit import PursuitAssigned
from warledger.engine.games.war_at_sea.replenishment import ReplenishmentRolled
from warledger.engine.games.war_at_sea.speed import PutBack, SpeedRolled
from warledger.engine.games.war_at_sea.state import Ship, State, named
from warledger.engine.games.war_at_sea.surface import RoundBegun
from warledger.engine.games.war_at_sea.turns import ItalianRolled, TurnBegan
from warledger.engine.games.war_at_sea.victory import Scored
from warledger.engine.games.war_at_sea.volley import (
    CombatOpened,
    ShipDamaged,
    ShipDisabled,
    ShipSunk,
    Shot,
)
from warledger.engine.testing.rig import Rig

SEAS = {
    "north_atlantic",
    "south_atlantic",
    "north_sea",
    "barents_sea",
    "baltic_sea",
    "mediterranean",
}
NEXT = {
    "england": {"north_sea", "north_atlantic", "south_atlantic"},
    "usa": {"north_atlantic"},
    "malta": {"mediterranean"},
    "russia": {"barents_sea"},
    "leningrad": {"baltic_sea"},
    "germany": {"baltic_sea", "north_sea", "barents_sea"},
    "italy": {"mediterranean"},
    "france": {"north_atlantic", "south_atlantic"},
    "south_america": {"south_atlantic"},
    "north_atlantic": {"south_atlantic", "north_sea", "barents_sea"},
    "south_atlantic": {"north_atlantic", "north_sea", "mediterranean"},
    "north_sea": {"north_atlantic", "south_atlantic", "barents_sea", "baltic_sea"},
    "barents_sea": {"north_atlantic", "north_sea"},
    "baltic_sea": {"north_sea"},
    "mediterranean": {"south_atlantic"},
}
WORTH = {
    "north_atlantic": (1, 3),
    "south_atlantic": (1, 3),
    "north_sea": (1, 4),
    "barents_sea": (1, 2),
    "baltic_sea": (1, 1),
    "mediterranean": (1, 2),
}
REPAIR = {
    "england": 8,
    "usa": 5,
    "malta": 2,
    "russia": 1,
    "leningrad": 1,
    "germany": 8,
    "italy": 4,
    "france": 3,
    "south_america": 0,
}
ALLIES = ("uk", "us", "su", "convoy")


def side_of(ship: Ship) -> str:
    """3.1"""
    return "allied" if ship.nation in ALLIES else "axis"


def may_sail_in(ship: Ship) -> set[str]:
    """6.4, 13.1, 16.1 – 16.3"""
    if ship.nation == "convoy":
        return {"north_atlantic", "barents_sea"}
    if ship.nation == "us":
        return {"north_atlantic"}
    if ship.nation == "su":
        return {"baltic_sea"}
    if ship.nation == "it":
        return (
            {"mediterranean", "south_atlantic", "north_atlantic"}
            if ship.kind == "CA"
            else {"mediterranean"}
        )
    return SEAS if ship.nation == "de" else SEAS - {"baltic_sea"}


def takes(port: str, ship: Ship, turn: int, options: Any) -> bool:
    """2.2, 2.3, 15.3, 15.4, 16.1, 16.2, 18.5, A.1"""
    if ship.nation == "su":
        return port == "leningrad"
    if ship.nation == "us":
        return port == "usa"
    if port == "south_america":
        return ship.nation != "it" or ship.kind == "CA"
    if side_of(ship) == "allied":
        if port == "usa":
            return not (options.usa_closed and turn < 4)
        return port in ("england", "malta") or (port == "russia" and turn >= 3)
    if port == "france":
        return 2 <= turn <= 6 and (ship.nation == "de" or ship.kind == "CA")
    return port == "italy" or (port == "germany" and ship.nation == "de")


def ports_beside(area: str, ship: Ship, state: State) -> set[str]:
    """R11"""
    return {
        port
        for port in REPAIR
        if area in NEXT[port] and takes(port, ship, state.turn, state.options)
    }


def homes(ship: Ship, area: str, state: State, *, disabled: bool) -> set[str]:
    """7.3, 12.3, 13.4, 15.5, A.1 – A.4"""
    turn = state.turn
    if ship.nation == "convoy":
        return {"usa"}
    if area == "south_atlantic" and disabled:
        return {"south_america"}
    if ship.nation == "uk" and area == "barents_sea":
        return {"england"} if turn <= 2 else {"russia"}
    if ship.nation == "uk" and area == "mediterranean":
        return {"malta"} if disabled else {"england", "malta"}
    if ship.nation == "de" and area == "north_atlantic":
        return {"germany", "france"} if 2 <= turn <= 6 else {"germany"}
    return ports_beside(area, ship, state)


def gunnery(ship: Ship) -> int:
    """7.6"""
    return min(ship.gunnery, 1) if ship.damage == ship.armor else ship.gunnery


def bonus(ship: Ship) -> int:
    """10.5"""
    return int(RULES_NATION[ship.id] == "de" and ship.nation == "de" and ship.damage == 0)


RULES_NATION = {entry["id"]: entry["nation"] for entry in PACK["data"]["ship"]}


class Referee:
    """Judges the events of one game in order; `before` is the state in which the command was
    given."""

    def __init__(self) -> None:
        self.hurt: dict[str, int] = {}
        self.off: set[str] = set()
        self.points = 0

    def judge(self, before: State, after: State, events: tuple[Any, ...]) -> None:
        """All events of one record. States between them are folded anew from `before`."""
        state = before
        self.volley(before, [event for event in events if type(event) is Shot])
        for event in events:
            name = f"_{type(event).__name__}"
            if hasattr(self, name):
                getattr(self, name)(state, event)
            state = RULES.evolve(state, event)
        assert state == after

    def volley(self, state: State, shots: list[Shot]) -> None:
        """8.4, 9.1 – 9.5, 10.2, 10.6, 10.7 What one side named at once. `state` is that in which it
        was named."""
        if not shots:
            return
        fight = state.combat
        enemy = side_of(state.ships[shots[0].target])
        targets = [shot.target for shot in shots]
        if shots[0].kind == "uboat":
            assert len({shot.by for shot in shots}) == len(shots)
            assert all(state.uboats[shot.by] == fight.place for shot in shots)
            return
        if shots[0].kind == "air":
            side = "axis" if enemy == "allied" else "allied"
            strength = 3 if state.air[side] == fight.place else 0
            if fight.place in SEAS:
                decks = (
                    ship
                    for ship in state.ships.values()
                    if ship.place == fight.place and side_of(ship) == side and ship.kind == "CV"
                )
                strength += sum(
                    0 if ship.damage == ship.armor else ship.airstrike for ship in decks
                )
            assert len(set(targets)) == len(targets) <= strength
            spared = [state.ships[name] for name in targets if state.ships[name].place in REPAIR]
            assert not any(
                ship.disabled or (ship.failed and not state.options.air_hits_failed_movers)
                for ship in spared
            )
            return
        assert len({shot.by for shot in shots}) == len(shots)
        facing = [state.ships[name] for name in fight.ships(enemy)]
        warships = [ship for ship in facing if ship.kind != "convoy"]
        for name in targets:
            if state.ships[name].kind == "CV" and name not in fight.exposed:
                assert all(ship.id in targets for ship in warships if ship.kind != "CV"), "10.6"
        hurt = {
            shot.target
            for shot in shots
            if shot.wounds or 5 in [die + shot.plus for die in shot.dice]
        }
        for shot in shots:
            if state.ships[shot.target].kind == "convoy":
                assert all(ship.damage > 0 or ship.id in hurt for ship in warships), "10.7"

    def _Sailed(self, state: State, event: Sailed) -> None:
        """6.1, 6.4, 13.1, 13.2, 14.4, 16.1"""
        for name in event.ships:
            ship = state.ships[named(name)]
            assert ship.place == event.origin
            if ship.free:
                (goal,) = event.path
                assert goal in SEAS or takes(goal, ship, state.turn, state.options)
                continue
            here = event.origin
            for step, area in enumerate(event.path):
                assert area in NEXT[here], f"{ship.id}: {here} to {area}"
                assert area in may_sail_in(ship)
                assert step == 0 or state.control[here] in ("", side_of(ship)), "6.1"
                here = area
            assert len(event.path) <= (1 if ship.nation == "convoy" else 2)
            assert ship.nation != "su" or ship.may_sail
            assert event.origin in REPAIR or (ship.pressed and event.path == ("barents_sea",))

    def _SailingOver(self, state: State, event: SailingOver) -> None:
        """13.1, 13.2, 15.2"""
        for area in SEAS:
            assert (
                sum(ship.place == area and ship.kind == "convoy" for ship in state.ships.values())
                <= 1
            )
        assert not any(
            ship.pressed and side_of(ship) == event.side for ship in state.ships.values()
        )
        for port, spent in state.repaired.items():
            assert spent <= REPAIR[port]

    def _SpeedRolled(self, state: State, event: SpeedRolled) -> None:
        """6.2"""
        ship = state.ships[named(event.ship)]
        assert len(ship.path) == 2
        assert event.holds is (event.die < max(1, ship.speed - ship.damage))

    def _PutBack(self, state: State, event: PutBack) -> None:
        """6.2, R8"""
        ship = state.ships[named(event.ship)]
        assert ship.failed
        assert event.port in ports_beside(ship.path[1], ship, state) | {ship.origin}

    def _AswRolled(self, state: State, event: AswRolled) -> None:
        """8.2"""
        here = [
            ship
            for ship in state.ships.values()
            if ship.place == event.place and side_of(ship) == "allied"
        ]
        assert len(event.dice) == sum(3 if ship.kind in ("CV", "convoy") else 1 for ship in here)

    def _RoundBegun(self, state: State, event: RoundBegun) -> None:
        self.hurt, self.off = {}, set()

    def _CombatOpened(self, state: State, event: CombatOpened) -> None:
        self.hurt, self.off = {}, set()

    def _Shot(self, state: State, event: Shot) -> None:
        """7.3, 7.4, 9.3, 10.3, 10.5"""
        target = state.ships[event.target]
        fight = state.combat
        assert target.place == fight.place
        if event.kind == "gun":
            by = state.ships[event.by]
            assert by.place == fight.place and side_of(by) != side_of(target)
            assert (len(event.dice), event.plus) == (gunnery(by), bonus(by))
            assert len(event.dice) > 0
        else:
            assert (len(event.dice), event.plus) == (1, 0)
        read = [min(6, die + event.plus) for die in event.dice]
        assert len(event.wounds) == read.count(6)
        self.hurt[event.target] = self.hurt.get(event.target, 0) + sum(event.wounds)
        if 5 in read:
            self.off.add(event.target)

    def _ShipDamaged(self, state: State, event: ShipDamaged) -> None:
        """7.4, 7.6"""
        ship = state.ships[event.ship]
        assert event.points == self.hurt[event.ship] > 0
        assert ship.damage + event.points <= ship.armor

    def _ShipSunk(self, state: State, event: ShipSunk) -> None:
        """7.5, 7.6"""
        ship = state.ships[event.ship]
        assert event.points == self.hurt[event.ship]
        assert ship.damage + event.points > ship.armor

    def _ShipDisabled(self, state: State, event: ShipDisabled) -> None:
        """7.3, 7.5, R12"""
        ship = state.ships[event.ship]
        assert event.ship in self.off
        legal = (
            {ship.place} if ship.place in REPAIR else homes(ship, ship.place, state, disabled=True)
        )
        assert event.port in (legal or {""})

    def _EscapeShown(self, state: State, event: EscapeShown) -> None:
        """11.8"""
        assert {event.allied, event.axis} <= {"stay", "escape"}

    def _PursuitAssigned(self, state: State, event: PursuitAssigned) -> None:
        """11.3, 11.4"""
        for group, hunters in zip(state.combat.groups, event.pursuers, strict=True):
            slowest = min(
                max(1, state.ships[name].speed - state.ships[name].damage) for name in group.ships
            )
            assert group.speed == slowest
            for name in hunters:
                ship = state.ships[name]
                assert ship.kind != "convoy" and side_of(ship) == event.seat
                assert max(1, ship.speed - ship.damage) >= slowest

    def _ControlPlaced(self, state: State, event: ControlPlaced) -> None:
        """12.1"""
        assert dict(event.areas).keys() == SEAS
        for area, holder in event.areas:
            there = {
                side_of(ship)
                for ship in state.ships.values()
                if ship.place == area and not ship.escaped
            }
            boats = any(place == area for place in state.uboats.values())
            if there == {"axis"}:
                assert holder == "axis"
            elif there == {"allied"} and not boats:
                assert holder == "allied"
            else:
                assert holder == ""

    def _ConvoyArrived(self, state: State, event: ConvoyArrived) -> None:
        """13.2, 13.3"""
        assert (event.area, event.port, event.points) in (
            ("north_atlantic", "england", 1),
            ("barents_sea", "russia", 3),
        )
        assert state.ships[event.convoy].place == event.area
        self.points += event.points

    def _ReplenishmentRolled(self, state: State, event: ReplenishmentRolled) -> None:
        """14.1 – 14.4, 18.4"""
        ship = state.ships[event.ship]
        assert (
            ship.nation == "de"
            and ship.place in ("north_atlantic", "south_atlantic")
            and state.turn <= 3
        )
        assert not ship.escaped or state.options.escaped_may_replenish
        assert event.success is (event.die <= 6 - state.turn)
        assert event.port == ("" if event.success else "south_america")

    def _Returned(self, state: State, event: Returned) -> None:
        """12.3, A.1 – A.4"""
        for name in event.ships:
            assert event.port in homes(state.ships[name], event.area, state, disabled=False)

    def _ShipLostWithoutPort(self, state: State, event: ShipLostWithoutPort) -> None:
        """12.3"""
        ship = state.ships[event.ship]
        assert homes(ship, ship.place, state, disabled=False) == set()

    def _ItalianRolled(self, state: State, event: ItalianRolled) -> None:
        """16.4"""
        assert state.turn == 8
        assert event.fate == ("uk", "uk", "scuttled", "scuttled", "de", "de")[event.die - 1]

    def _AmericanRolled(self, state: State, event: AmericanRolled) -> None:
        """16.2"""
        assert state.turn >= 4
        assert event.joins is (event.die + state.turn - 4 >= 6)

    def _SovietRolled(self, state: State, event: SovietRolled) -> None:
        """16.1"""
        assert state.turn >= 3
        assert event.may_sail is (event.die >= 5)

    def _Scored(self, state: State, event: Scored) -> None:
        """15.6, 17.1, 17.2, 18.6"""
        held = [
            sum(WORTH[area][at] for area, holder in state.control.items() if holder == side)
            for at, side in enumerate(("allied", "axis"))
        ]
        late = [
            ship
            for ship in state.ships.values()
            if ship.place == ship.origin == "south_america" and (not ship.path or ship.failed)
        ]
        costs = [
            0 if state.options.internment else sum(side_of(ship) == side for ship in late)
            for side in ("allied", "axis")
        ]
        assert event.allied == (held[0], self.points, costs[0])
        assert event.axis == (held[1], 0, costs[1])
        net = held[1] - costs[1] - held[0] - self.points + costs[0]
        assert event.score == max(-10, min(10, state.score + net))
        self.points = 0

    def _TurnBegan(self, state: State, event: TurnBegan) -> None:
        """8.5, 12.3, 14.4: between turns only replenished ships and a waiting convoy are at sea,
        and no U-boat."""
        assert not any(place in SEAS for place in state.uboats.values())
        for ship in state.ships.values():
            assert ship.place not in SEAS or ship.replenished or ship.pressed, ship


def ends(ship: Ship, state: State) -> set[str]:
    """6.1, 6.4, 13.1, 13.2, 14.4, 16.1 Everywhere that a ship may go now, worked out from the
    tables."""
    if ship.path or ship.failed or ship.repaired or ship.place not in {*SEAS, *REPAIR}:
        return set()
    if ship.free:
        return (
            may_sail_in(ship)
            | {port for port in REPAIR if takes(port, ship, state.turn, state.options)}
        ) - {ship.place}
    if ship.pressed:
        return {"barents_sea"}
    if ship.place in SEAS or (ship.nation == "su" and not ship.may_sail):
        return set()
    first = NEXT[ship.place] & may_sail_in(ship)
    if ship.nation == "convoy":
        taken = {
            one.place for one in state.ships.values() if one.kind == "convoy" and not one.pressed
        }
        return first - taken
    enemy = "axis" if side_of(ship) == "allied" else "allied"
    second = (NEXT[area] & may_sail_in(ship) for area in first if state.control[area] != enemy)
    return first.union(*second)


def check_offers(rig: Rig[State], seat: str, rng: random.Random) -> None:
    """6.1 What is offered to a ship is all that the tables allow, no less and no more; asked of
    three ships at random."""
    fleet = [ship for ship in rig.state.ships.values() if side_of(ship) == seat]
    for ship in rng.sample(fleet, 3):
        found: set[str] = set()
        if "sail" in rig.options(seat) and ship.id in rig.options(seat, "sail"):
            for first in rig.options(seat, "sail", ship.id):
                if str(first) not in rig.state.ships:
                    found |= {str(first), *map(str, rig.options(seat, "sail", ship.id, first))}
        assert found == ends(ship, rig.state), f"{ship.id} in {ship.place}"


def referee(seed: int) -> None:
    """One random game with random options under the referee."""
    rng = random.Random(seed)
    rig: Rig[State] = Rig(RULES, PACK, options=random_options(rng), seed=seed)
    judge = Referee()
    while rig.position.outcome is None:
        seat = rng.choice(list(rig.asked()))
        if rig.position.top.name.endswith("_sail"):
            check_offers(rig, seat, rng)
        picks = random_picks(rig, seat, rng)
        before = rig.state
        events = rig.do(seat, *picks)
        judge.judge(before, rig.state, events)
    score = rig.state.score
    assert rig.position.outcome.winner == ("axis" if score > 0 else "allied" if score < 0 else None)
