"""10.6 Retreat: surviving defenders fall back along their line of communication, one after the
other in their owner's order.

What leaves no choice happens by itself. 10.6(1) A retreat costs no movement points; 10.6(2) units
of one stack may go different ways.
"""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.games.chitpull.lines import NONE
from warledger.engine.games.chitpull.sides import ENEMY, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP, hex_at, in_progress
from warledger.engine.games.typhoon.headquarters import home_of
from warledger.engine.games.typhoon.losses import Eliminated, lose_step
from warledger.engine.games.typhoon.state import Battle, State, changed, relocated
from warledger.engine.games.typhoon.victory import enter
from warledger.engine.kernel.change import replace, unguarded
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, move, tell

# --- events ---------------------------------------------------------------------------------------


@event("retreated")
class Retreated:
    """10.6 A unit has retreated along a path (the attacked hex first)."""

    unit: str
    path: tuple[str, ...]


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(Retreated)
def _retreated(state: State, event: Retreated) -> State:
    battle, activation = state.battle, state.activation
    if battle is not None:
        battle = replace(
            battle, retreating=tuple(name for name in battle.retreating if name != event.unit)
        )
    if activation is not None:
        activation = replace(activation, fallen_back=activation.fallen_back | {event.unit})
    moved = relocated(state, event.unit, state.data.hex(event.path[-1]))
    return changed(moved, battle=battle, activation=activation)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Retreated)
def _draw_retreated(before: State, event: Retreated, after: State) -> Iterable[Effect]:
    yield move(event.unit, *event.path)
    yield tell("typhoon.retreated", "10.6", unit=event.unit, path=event.path)


# --- R-25 the direction ---------------------------------------------------------------------------


class Compass:
    """R-25 How far each hex is from home: D1 (a LOC), where the attacked hex has none D2 (a LOC
    that heeds neither EZOC nor railway limit), else D3 (as the crow flies). Judged once a combat,
    by the positions in `battle.ground`."""

    def __init__(self, state: State, battle: Battle, side: str) -> None:
        ground, data = battle.ground or state.field, state.data
        self._levels = ground.ways_home(side)
        self._line = ground.through(side)
        if self._levels.distance(battle.target) == NONE:
            self._line = 0
            self._levels = ground.ways_back(side)
        if self._levels.distance(battle.target) == NONE:
            joined = side == SOVIET and state.option("off_map_line")
            self._levels = data.straight_edge if joined else data.straight[side]

    def distance(self, i: int) -> int:
        """Hexes from home, NONE where no way leads there."""
        return self._levels.distance(i)

    def on_line(self, i: int) -> bool:
        """3.3(1) Whether the LOC of the attacked hex, if it has one, may pass through a hex."""
        return bool(self._line >> i & 1)


@remembered(
    of=lambda state, battle, side: battle.ground or state.field,
    by=lambda state, battle, side: (side, battle.target),
)
def compass(state: State, battle: Battle, side: str) -> Compass:
    """The directions of this combat, worked out once."""
    return Compass(state, battle, side)


# --- one unit's way -------------------------------------------------------------------------------


@unguarded
class Flight:
    """A unit on its way: the hexes entered so far, the steps it has left, and hexes where units
    that go before it will stand."""

    unit: str
    side: str
    path: tuple[int, ...]
    steps: int
    taken: tuple[int, ...] = ()


def begin(state: State, unit: str, taken: tuple[int, ...] = ()) -> Flight:
    """A unit about to retreat."""
    return Flight(unit, state.data.types[unit].side, (), state.steps(unit), taken)


def full(state: State, flight: Flight, i: int) -> bool:
    """10.6(5) Whether the unit would be one too many in a hex."""
    there = sum(
        1 for name in state.friends_in(flight.side, i) if name != flight.unit
    ) + flight.taken.count(i)
    return there >= state.data.stack


def costs_step(state: State, flight: Flight, i: int) -> bool:
    """10.6(4), R-27 Whether entering a hex costs a step: an EZOC, also where a friendly unit stands
    (an option lets that one count)."""
    if not state.field.in_enemy_zone(flight.side, i):
        return False
    return not (
        state.option("friendly_unit_negates_retreat_ezoc") and state.friends_in(flight.side, i)
    )


def rests(state: State, battle: Battle, flight: Flight) -> bool:
    """10.6 Whether the unit has gone far enough: the hexes required, and further while its hex is
    over-stacked (10.6(5)); or it has fallen."""
    if flight.steps <= 0:
        return True
    return len(flight.path) >= battle.retreat and not full(state, flight, flight.path[-1])


def homeward(state: State, battle: Battle, flight: Flight) -> tuple[list[int], ...]:
    """10.6(6), R-25 Where the unit may go for home, in groups, each of which counts only where
    those before it eliminate the unit.

    First the neighbours that are nearer home and that its LOC may pass (3.3(1)), the nearest of
    them. Then the neighbours nearest home, or if none is nearer than its hex, any of them. Never
    those that it has left, nor a hex with enemies (R-26), nor across an unbridged major river with
    the second hex or later (10.6(3)4, R-29).
    """
    data = state.data
    left = (battle.target, *flight.path)
    here = left[-1]
    enemies = state.field.zones(ENEMY[flight.side]).pieces
    home = compass(state, battle, flight.side)
    open_ = []
    for d, b in enumerate(data.board.grid.neighbours[here]):
        # 10.6(3)1-10.6(3)3, R-49: off the map, lakes, impassable hexsides; R-26: hexes with enemies
        if (
            b >= 0
            and b not in left
            and b not in data.water
            and not enemies[b]
            and not data.board.sides.impassable[here * 6 + d]
        ):
            open_.append((b, d, home.distance(b)))
    mine = home.distance(here)
    groups = (
        _nearest([way for way in open_ if home.on_line(way[0])], mine),
        _nearest(open_, mine) or open_,
    )
    return tuple(
        [b for b, d, _ in group if not (flight.path and data.no_second_retreat[here * 6 + d])]
        for group in groups
        if group
    )


def _nearest(ways: list[tuple[int, int, int]], mine: int) -> list[tuple[int, int, int]]:
    """Of (hex, direction, hexes from home) those nearest home, if they are nearer than `mine`."""
    least = min((distance for _, _, distance in ways if distance != NONE), default=NONE)
    if least == NONE or (mine != NONE and least >= mine):
        return []
    return [way for way in ways if way[2] == least]


@remembered(
    of=lambda state, battle, flight: state.field,
    by=lambda state, battle, flight: (battle.ground, battle.target, battle.retreat, flight),
)
def next_hexes(state: State, battle: Battle, flight: Flight) -> tuple[int, ...]:
    """10.6(6), R-25 Where the unit may go next; none: it is eliminated (10.6(3)).

    Its ways homeward are compared whole: first those that do not eliminate it by 10.6(3), then
    those with the fewest steps lost (10.6(4)), then with the fewest over-stacked hexes that drive
    it on (10.6(5)).
    """
    groups = homeward(state, battle, flight)
    hexes = dict.fromkeys(b for group in groups for b in group)
    if len(hexes) < 2:
        return tuple(hexes)  # there is nothing to compare
    weighed = _weighed(state, battle, flight, AHEAD, groups)
    least = min((toll for toll, _ in weighed), default=())
    return tuple(sorted(b for toll, b in weighed if toll == least))


AHEAD = 4
"""How many hexes beyond its length a way through full hexes is looked at: such ways are many in a
pocket."""

Toll = tuple[int, int, int]


def _weighed(
    state: State, battle: Battle, flight: Flight, ahead: int, groups: tuple[list[int], ...]
) -> list[tuple[Toll, int]]:
    """The hexes of the group that counts, with what the best way by each comes to; `groups` are
    those homeward."""
    first: list[tuple[Toll, int]] = []
    for group in groups:
        weighed = [(_toll(state, battle, onward(state, flight, b), ahead), b) for b in group]
        if any(not toll[0] for toll, _ in weighed):
            return weighed
        first = first or weighed
    return first


def _toll(state: State, battle: Battle, flight: Flight, ahead: int) -> Toll:
    """What the best way on from here comes to at its end: eliminated or not (10.6(3)), minus the
    steps left (10.6(4)), hexes driven on (10.6(5))."""
    over = max(0, len(flight.path) - battle.retreat)
    if rests(state, battle, flight) or (over and not ahead):
        return (0, -flight.steps, over)
    if len(flight.path) >= battle.retreat:
        ahead -= 1
    groups = homeward(state, battle, flight)
    return min(
        (toll for toll, _ in _weighed(state, battle, flight, ahead, groups)),
        default=(1, -flight.steps, 0),
    )


def onward(state: State, flight: Flight, i: int) -> Flight:
    """10.6(4) The unit one hex further."""
    steps = flight.steps - 1 if costs_step(state, flight, i) else flight.steps
    return Flight(flight.unit, flight.side, (*flight.path, i), steps, flight.taken)


def forced(state: State, battle: Battle, flight: Flight) -> Flight | None:
    """R-28 The unit's whole way when it has no choice, else None."""
    while not rests(state, battle, flight):
        hexes = next_hexes(state, battle, flight)
        if len(hexes) > 1:
            return None
        if not hexes:
            return flight
        flight = onward(state, flight, hexes[0])
    return flight


@remembered(
    of=lambda state, battle: state.field,
    by=lambda state, battle: (
        battle.ground,
        battle.target,
        battle.retreat,
        tuple([(name, state.steps(name)) for name in battle.retreating]),
    ),
)
def settled(state: State, battle: Battle) -> Flight | None:
    """R-28 The unit that goes next without a choice of its owner: alone with one way, or two whose
    order makes no difference."""
    units = battle.retreating
    if not units:
        return None
    first = forced(state, battle, begin(state, units[0]))
    if first is None or len(units) == 1:
        return first
    if len(units) > 2:
        return None
    second = forced(state, battle, begin(state, units[1]))
    if second is None:
        return None
    after_first = forced(state, battle, begin(state, units[1], _stands(state, battle, first)))
    after_second = forced(state, battle, begin(state, units[0], _stands(state, battle, second)))
    same = (
        after_first is not None
        and after_second is not None
        and after_first.path == second.path
        and after_second.path == first.path
    )
    return first if same else None


def _stands(state: State, battle: Battle, flight: Flight) -> tuple[int, ...]:
    """Where a unit stands after its retreat, if it still does."""
    return (
        (flight.path[-1],)
        if flight.path and flight.steps > 0 and rests(state, battle, flight)
        else ()
    )


# --- the step -------------------------------------------------------------------------------------


@frozen
class Retreating:
    """A unit that retreats, and the hexes it enters."""

    unit: str = ""
    hexes: tuple[str, ...] = ()


class Retreat(Asking[State]):
    """10.6 The owner retreats the units."""

    verb_slot = "typhoon.verb"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The defender, while a unit has a choice or the order matters."""
        state = at.state
        activation, battle = in_progress(state)
        if not battle.retreating or settled(state, battle) is not None:
            return {}
        where = state.data.name(battle.target)
        return {
            ENEMY[activation.side]: Decision(
                say("prompt.typhoon.retreat", "10.6", hex=where, n=battle.retreat)
            )
        }

    def commands(self) -> Commands[State]:
        """10.6 A unit, then its way hex by hex."""
        return (
            Command(
                "retreat",
                Retreating,
                Slot("unit", "typhoon.retreating", self._units, self._why_not_unit),
                Many(
                    "hexes",
                    "typhoon.retreat_to",
                    self._hexes,
                    self._why_not_hex,
                    enough=self._ends,
                    full=self._rests,
                ),
                apply=lambda table, asked, order: self._go(table, self._flight(asked, order)),
                beyond=self._why_not_hex,
            ),
        )

    def _flight(self, asked: Asked[State], order: Retreating) -> Flight:
        """The unit where the hexes have led it."""
        flight = begin(asked.state, order.unit)
        for name in order.hexes:
            flight = onward(asked.state, flight, asked.state.data.hex(name))
        return flight

    def _units(self, asked: Asked[State], order: Retreating) -> tuple[str, ...]:
        _, battle = in_progress(asked.state)
        return battle.retreating

    def _hexes(self, asked: Asked[State], order: Retreating) -> tuple[str, ...]:
        state = asked.state
        _, battle = in_progress(state)
        return state.data.board.grid.names(next_hexes(state, battle, self._flight(asked, order)))

    def _rests(self, asked: Asked[State], order: Retreating) -> bool:
        _, battle = in_progress(asked.state)
        return rests(asked.state, battle, self._flight(asked, order))

    def _ends(self, asked: Asked[State], order: Retreating) -> bool:
        """10.6(3) It has gone far enough, or can go nowhere."""
        return self._rests(asked, order) or not self._hexes(asked, order)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """10.6 Nothing else is done now."""
        return refuse("10.6", "refusal.typhoon.verb", pick=str(verb))

    def _why_not_unit(self, asked: Asked[State], order: Retreating, pick: Pick) -> Refusal:
        """10.6 Only defenders that still have to."""
        return refuse("10.6", "refusal.typhoon.not_retreating", unit=str(pick))

    def _why_not_hex(self, asked: Asked[State], order: Retreating, pick: Pick) -> Refusal:
        """10.6(6) Why not there."""
        state, name = asked.state, str(pick)
        _, battle = in_progress(state)
        i = hex_at(state, pick)
        flight = self._flight(asked, order)
        if i != OFF_MAP and state.enemies_in(flight.side, i):
            return refuse("3.1(2)", "refusal.typhoon.enemy_there", hex=name)
        if any(i in group for group in homeward(state, battle, flight)) and costs_step(
            state, flight, i
        ):
            return refuse("10.6(4)", "refusal.typhoon.retreat_zone", hex=name)
        hexes = self._hexes(asked, order)
        return refuse("10.6(6)", "refusal.typhoon.retreat_way", hex=name, hexes=hexes)

    def advance(self, table: Table[State], frame: Frame) -> None:
        """A unit without a choice goes by itself."""
        _, battle = in_progress(table.state)
        flight = settled(table.state, battle)
        if flight is None:
            table.done()
        else:
            self._go(table, flight)

    def _go(self, table: Table[State], flight: Flight) -> None:
        """10.6(4) A step is lost for each EZOC hex entered; 10.6(3) a unit that must go on and
        cannot is eliminated. 3.4(2), R-12 It takes the cities on its way, but not one on entering
        which it falls."""
        state = table.state
        _, battle = in_progress(state)
        lost = begin(state, flight.unit).steps - flight.steps
        stuck = not rests(state, battle, flight)
        if flight.path:
            names = state.data.board.grid.names((battle.target, *flight.path))
            table.emit(Retreated(flight.unit, names))
            fallen = flight.steps <= 0
            enter(table, flight.unit, names[1:-1] if fallen else names[1:])
        for _ in range(lost):
            if not lose_step(table, flight.unit, "zone"):
                return
        if stuck:
            table.emit(
                Eliminated(
                    flight.unit, "no_retreat", home_of(table.state, flight.unit, "no_retreat")
                )
            )


STEPS: Mapping[str, Step[State]] = {
    "retreat": Retreat(),
}
