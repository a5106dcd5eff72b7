"""The state of a War at Sea game: frozen records of ships, boats and markers, and what is true of
them by the rules alone.

Pieces stand in mappings that are copied on change, never mutated. A place is an area, a port, or
one of the boxes below. What a ship did in the current turn stands on the ship itself and is wiped
when the next turn begins (`Ship.new_turn`).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from attrs import field, frozen

from warledger.engine.games.war_at_sea.battle import Combat
from warledger.engine.games.war_at_sea.data import (
    ALLIED,
    AXIS,
    CARRIER,
    CONVOY,
    SEATS,
    SIDE_OF_NATION,
    Counter,
    Data,
    Port,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked
from warledger.engine.kernel.memo import Remembering
from warledger.protocol.board.choices import Pick
from warledger.protocol.chance.seal import Secret

TRACK, POOL, SUNK, SCORED, REMOVED = "track", "pool", "sunk", "scored", "removed"
"""Boxes: reinforcements to come (4.2), Americans who have not joined (16.2, R42), and three ways
out of the game."""

BOXES = (TRACK, POOL, SUNK, SCORED, REMOVED)

BY_TYPE, BY_AREA = "by_type", "by_area"


@frozen
class Options:
    """The variants of chapter 18 and the switchable rulings (R1, R19) in force."""

    weaker_bismarck: bool = False
    hidden_movement: bool = False
    uboat_backlog: bool = False
    escaped_may_replenish: bool = False
    usa_closed: bool = False
    internment: bool = False
    combat_order: str = BY_TYPE
    air_hits_failed_movers: bool = False


@frozen(slots=False)
class Ship:
    """A warship or convoy: what is printed on it, where it is, its damage, and what it did this
    turn.

    nation       changes when it is taken over (16.5); `plus` is the printed + of German warships
                 (10.5) and never changes
    place        area, port or box
    origin       place at the beginning of this turn
    path         areas (or the port) that its own movement entered this turn
    rolled       its speed roll of this turn is done (6.2)
    failed       it failed that roll (6.2, R9)
    disabled     a 5 sent it to port this turn (7.3)
    escaped      it has escaped this turn, but is still in its area (11.6)
    repaired     it was repaired this turn, so it stays in port (15.1)
    may_sail     16.1 the roll of this turn lets this Soviet ship leave port
    tried        14.2 it has rolled for replenishment this turn
    replenished  14.4 it may stay at sea at the end of this turn
    free         14.4 it replenished last turn: it may go to any area or open port
    pressed      13.2 a convoy that stayed in the North Atlantic and must go on
    down         18.2 face down; `seal` is the secret that named it when it sailed
    """

    id: str
    nation: str
    kind: str
    gunnery: int
    armor: int
    speed: int
    airstrike: int
    plus: bool
    place: str
    damage: int = 0
    origin: str = ""
    path: tuple[str, ...] = ()
    rolled: bool = False
    failed: bool = False
    disabled: bool = False
    escaped: bool = False
    repaired: bool = False
    may_sail: bool = False
    tried: bool = False
    replenished: bool = False
    free: bool = False
    pressed: bool = False
    down: bool = False
    seal: Secret | None = None

    @classmethod
    def of(cls, counter: Counter, place: str) -> "Ship":
        """A fresh ship from its counter."""
        return cls(
            counter.id,
            counter.nation,
            counter.kind,
            counter.gunnery,
            counter.armor,
            counter.speed,
            counter.airstrike,
            counter.nation == "de",
            place,
            origin=place,
        )

    @property
    def side(self) -> str:
        """3.1, 16.5 The side that owns it now."""
        return SIDE_OF_NATION[self.nation]

    @property
    def is_convoy(self) -> bool:
        """3.3 A convoy is a surface ship, but no warship."""
        return self.kind == CONVOY

    @property
    def is_warship(self) -> bool:
        """3.2 Battleships, cruisers and carriers."""
        return self.kind != CONVOY

    @property
    def is_carrier(self) -> bool:
        """3.2 A carrier has an airstrike value, printed."""
        return self.kind == CARRIER

    @property
    def crippled(self) -> bool:
        """7.6 Damage equal to armor."""
        return self.damage == self.armor

    @property
    def speed_now(self) -> int:
        """7.6 Each damage point takes one from speed, never below 1."""
        return max(1, self.speed - self.damage)

    @property
    def gunnery_now(self) -> int:
        """7.6, R54 Gunnery as printed, or 1 when crippled; a gunnery of 0 stays 0."""
        return 1 if self.gunnery >= 1 and self.damage == self.armor else self.gunnery

    @property
    def airstrike_now(self) -> int:
        """7.6 Airstrike as printed, or 0 when crippled."""
        return 0 if self.damage == self.armor else self.airstrike

    @property
    def bonus_now(self) -> int:
        """10.5, R21 One more on each surface attack die of an undamaged German-built warship in
        German hands."""
        return 1 if self.plus and self.damage == 0 and self.nation == "de" else 0

    @property
    def asw(self) -> int:
        """8.2, R52 One for a warship, three for a carrier (also without its airstrike) or a
        convoy."""
        return 3 if self.kind in (CARRIER, CONVOY) else 1

    @property
    def moved(self) -> bool:
        """15.1 Whether it moved, or tried to, this turn."""
        return bool(self.path)

    def new_turn(self) -> "Ship":
        """The ship as a turn begins: what it did last turn is wiped; replenishment becomes freedom
        to move (14.4)."""
        if (
            self.origin == self.place
            and not self.path
            and not (
                self.disabled
                or self.escaped
                or self.repaired
                or self.may_sail
                or self.tried
                or self.replenished
                or self.free
            )
            and not (self.rolled or self.failed or self.down)
        ):
            return self
        return replace(
            self,
            origin=self.place,
            path=(),
            rolled=False,
            failed=False,
            disabled=False,
            escaped=False,
            repaired=False,
            may_sail=False,
            tried=False,
            replenished=False,
            free=self.replenished,
            down=False,
            seal=None,
        )


@frozen(slots=False)
class State(Remembering):
    """Everything that a game is between two events.

    uboats         boat -> area, port, or a box (TRACK: not in play; SUNK boats' counters go back to
                   the track, since boats are alike)
    backlog        18.3 boats that wait for room
    air            side -> place of its airstrike marker this turn, "" in hand
    control        area -> side whose control marker lies there, "" none
    repaired       port -> repair points spent this turn
    convoy_points  points that convoys scored this turn
    score          the marker: positive is Axis
    med_run        turns in a row, up to now, that the Axis has controlled the Mediterranean (16.4);
                   med_held: it once reached four
    fight          the combat in progress, as the combat chapters keep it
    over           the last turn has been scored
    """

    data: Data = field(eq=False, repr=False)
    options: Options
    turn: int
    phase: str
    ships: Mapping[str, Ship]
    uboats: Mapping[str, str]
    backlog: int = 0
    air: Mapping[str, str] = field(factory=lambda: dict.fromkeys(SEATS, ""))
    control: Mapping[str, str] = field(factory=dict)
    repaired: Mapping[str, int] = field(factory=dict)
    convoy_points: int = 0
    score: int = 0
    med_run: int = 0
    med_held: bool = False
    fight: Combat | None = None
    over: bool = False

    @property
    def combat(self) -> Combat:
        """The fight in progress; there must be one."""
        assert self.fight is not None, "no combat is in progress"
        return self.fight

    @cached_property
    def by_place(self) -> Mapping[str, tuple[Ship, ...]]:
        """Ships (not boats) in each place, in the order of the pack."""
        found: defaultdict[str, list[Ship]] = defaultdict(list)
        for ship in self.ships.values():
            found[ship.place].append(ship)
        return {place: tuple(ships) for place, ships in found.items()}

    @cached_property
    def boats_by_place(self) -> Mapping[str, tuple[str, ...]]:
        """U-boats in each place, by number."""
        found: dict[str, list[str]] = {}
        for boat, place in self.uboats.items():
            found.setdefault(place, []).append(boat)
        return {place: tuple(boats) for place, boats in found.items()}

    def at(self, place: str, side: str | None = None) -> tuple[Ship, ...]:
        """Surface ships in a place, of one side or of both."""
        ships = self.by_place.get(place, ())
        return (
            ships
            if side is None or not ships
            else tuple([ship for ship in ships if SIDE_OF_NATION[ship.nation] == side])
        )

    def boats_at(self, place: str) -> tuple[str, ...]:
        """U-boats in a place."""
        return self.boats_by_place.get(place, ())

    @property
    def boats_alive(self) -> int:
        """8.6, R17 U-boats in play."""
        return sum(place != TRACK for place in self.uboats.values())

    def of_side(self, side: str) -> Iterator[Ship]:
        """Every ship of a side that is on the map."""
        return (
            ship for ship in self.ships.values() if ship.side == side and ship.place not in BOXES
        )

    @property
    def hidden(self) -> bool:
        """18.2 Whether Allied ships are moved face down."""
        return self.options.hidden_movement

    def face_down(self, place: str) -> int:
        """18.2, R43 How many face-down ships lie in a place: open to everybody."""
        return sum(ship.down for ship in self.by_place.get(place, ()))

    # --- where ships may be -----------------------------------------------------------------------

    def may_enter_area(self, ship: Ship, area: str) -> bool:
        """6.4, 16.1 – 16.3, 16.5 Whether the ship's nation may be in the area."""
        return area in self.data.limits_of(ship.nation, ship.kind).areas

    def may_enter_port(self, ship: Ship, port: str) -> bool:
        """2.2, 2.3, 15.3, 15.4, 16.1, 18.5, R13 Whether the ship may enter the port in this turn,
        wherever it lies."""
        entry = self.data.ports[port]
        if port not in self.data.limits_of(ship.nation, ship.kind).ports or not entry.is_open(
            self.turn
        ):
            return False
        return not (
            self.options.usa_closed and port == "usa" and self.turn < 4 and not ship.is_convoy
        )

    def port_is_friendly(self, port: Port, side: str) -> bool:
        """2.2, 2.3 A port of one's own, or the neutral one."""
        return port.owner != (AXIS if side == ALLIED else ALLIED)


def is_ship(asked: Asked[State], pick: Pick) -> bool:
    """Whether a pick is a ship, on the map or not."""
    return pick in asked.state.ships


def with_ships(state: State, changed: Iterable[Ship], **also: Any) -> State:
    """The state with these ships in place of their old records, and other fields changed."""
    ships = dict(state.ships)
    for ship in changed:
        ships[ship.id] = ship
    return replace(state, ships=ships, **also)


def with_ship(state: State, name: str, **changes: Any) -> State:
    """The state with some fields of one ship changed."""
    return replace(state, ships={**state.ships, name: replace(state.ships[name], **changes)})


def with_boats(state: State, places: Iterable[tuple[str, str]], **also: Any) -> State:
    """The state with boats in other places."""
    return replace(state, uboats={**state.uboats, **dict(places)}, **also)


def with_fight(state: State, **changes: Any) -> State:
    """The state with some fields of the fight in progress changed."""
    return replace(state, fight=replace(state.combat, **changes))


def left(state: State, *gone: str) -> State:
    """The state after ships or boats left the fight, if there is one, for whatever reason."""
    fight = state.fight
    if fight is None:
        return state
    return replace(
        state,
        fight=replace(
            fight,
            allied=tuple([ship for ship in fight.allied if ship not in gone]),
            axis=tuple([ship for ship in fight.axis if ship not in gone]),
            leaving=tuple([ship for ship in fight.leaving if ship not in gone]),
        ),
    )


ShipName = str | Secret
"""How an event names a ship: by its id, or by the secret of a face-down one (18.2), which only the
Allied player reads."""


def named(ship: ShipName) -> str:
    """The ship's id."""
    return str(ship.value) if type(ship) is Secret else str(ship)
