"""5 The turn, and 5.1 its reinforcements: what comes at the start of a turn, in the order of ruling
R3.

First the Italian check of turn 8 (16.4), then the closing of France on turn 7 (15.4), then what the
turn track brings (4.2, 8.6).
"""

from collections.abc import Iterator, Mapping

from warledger.engine.games.war_at_sea.data import AXIS, SEATS
from warledger.engine.games.war_at_sea.draw import FLAGS, UBOAT_FACE, face
from warledger.engine.games.war_at_sea.state import (
    BOXES,
    POOL,
    REMOVED,
    TRACK,
    State,
    with_boats,
    with_ships,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step, event
from warledger.protocol.board.effects import (
    Effect,
    closing,
    mark,
    move,
    opening,
    phase,
    put,
    roll,
    take,
    tell,
    track,
)

# --- events ---------------------------------------------------------------------------------------


@event("turn_began")
class TurnBegan:
    """5 A turn begins: what ships did last turn is forgotten."""

    turn: int


@event("phase_began")
class PhaseBegan:
    """5 A step of the sequence of play begins."""

    phase: str


@event("reinforced")
class Reinforced:
    """5.1 Ships come from the turn track: pairs (ship, place)."""

    ships: tuple[tuple[str, str], ...]


@event("uboats_arrived")
class UBoatsArrived:
    """8.6 Boats come to Germany; `lost` did not fit, `backlog` wait now for room (18.3)."""

    boats: tuple[str, ...]
    lost: int
    backlog: int


@event("france_closed")
class FranceClosed:
    """15.4 France closes; the Axis ships there are out of the game."""

    ships: tuple[str, ...]


@event("italian_rolled")
class ItalianRolled:
    """16.4, R40 What becomes of an Italian ship on turn 8: "uk", "de" or "scuttled", and where it
    lies then."""

    ship: str
    die: int
    fate: str
    place: str


@event("game_over")
class GameOver:
    """17.4 The last turn has been scored."""

    score: int


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(TurnBegan)
def _turn_began(state: State, event: TurnBegan) -> State:
    return replace(
        state,
        turn=event.turn,
        ships={name: ship.new_turn() for name, ship in state.ships.items()},
        repaired={},
        convoy_points=0,
        air=dict.fromkeys(SEATS, ""),
        fight=None,
    )


@after(PhaseBegan)
def _phase_began(state: State, event: PhaseBegan) -> State:
    return replace(state, phase=event.phase)


@after(Reinforced)
def _reinforced(state: State, event: Reinforced) -> State:
    return with_ships(
        state,
        [replace(state.ships[name], place=place, origin=place) for name, place in event.ships],
    )


@after(UBoatsArrived)
def _uboats_arrived(state: State, event: UBoatsArrived) -> State:
    home = state.data.uboat_home
    return with_boats(state, ((boat, home) for boat in event.boats), backlog=event.backlog)


@after(FranceClosed)
def _france_closed(state: State, event: FranceClosed) -> State:
    return with_ships(state, [replace(state.ships[name], place=REMOVED) for name in event.ships])


@after(ItalianRolled)
def _italian_rolled(state: State, event: ItalianRolled) -> State:
    ship = state.ships[event.ship]
    if event.fate == "scuttled":
        return with_ships(state, [replace(ship, place=REMOVED)])
    return with_ships(
        state, [replace(ship, nation=event.fate, place=event.place, origin=event.place)]
    )


@after(GameOver)
def _game_over(state: State, event: GameOver) -> State:
    return replace(state, over=True)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(TurnBegan)
def _draw_turn_began(before: State, event: TurnBegan, after: State) -> Iterator[Effect]:
    yield opening("turn", "war_at_sea.turn", turn=event.turn)
    yield track("turn", event.turn)
    yield tell("war_at_sea.turn_began", "5", turn=event.turn)
    for name, ship in before.ships.items():
        now = after.ships[name]
        if now is not ship and ship.place not in BOXES:
            for flag in FLAGS:
                if getattr(ship, flag) != getattr(now, flag):
                    yield mark(name, flag, int(getattr(now, flag)))


@draws(PhaseBegan)
def _draw_phase_began(before: State, event: PhaseBegan, after: State) -> Iterator[Effect]:
    yield phase(f"phase.war_at_sea.{event.phase}")


@draws(Reinforced)
def _draw_reinforced(before: State, event: Reinforced, after: State) -> Iterator[Effect]:
    for name, place in event.ships:
        yield move(name, place)
    places = dict.fromkeys(place for _, place in event.ships)
    for place in places:
        ships = tuple(name for name, to in event.ships if to == place)
        if place == POOL:
            yield tell("war_at_sea.americans_wait", "16.2", ships=ships)
        else:
            yield tell("war_at_sea.reinforced", "5.1", ships=ships, port=place)


@draws(UBoatsArrived)
def _draw_uboats_arrived(before: State, event: UBoatsArrived, after: State) -> Iterator[Effect]:
    for boat in event.boats:
        yield put(boat, after.data.uboat_home, UBOAT_FACE, "axis")
    if event.boats:
        yield tell("war_at_sea.uboats_arrived", "5.1", n=len(event.boats))
    if event.lost:
        yield tell("war_at_sea.uboats_lost", "8.6", n=event.lost)
    if event.backlog:
        yield tell("war_at_sea.uboats_wait", "18.3", n=event.backlog)


@draws(FranceClosed)
def _draw_france_closed(before: State, event: FranceClosed, after: State) -> Iterator[Effect]:
    for name in event.ships:
        yield take(name, REMOVED)
    if event.ships:
        yield tell("war_at_sea.france_closed_on", "15.4", ships=event.ships)
    else:
        yield tell("war_at_sea.france_closed", "15.4")


@draws(ItalianRolled)
def _draw_italian_rolled(before: State, event: ItalianRolled, after: State) -> Iterator[Effect]:
    yield roll("italian", 6, (event.die,))
    ship = after.ships[event.ship]
    if event.fate == "scuttled":
        yield take(event.ship, REMOVED)
        yield tell("war_at_sea.italian_scuttled", "16.4", ship=event.ship, die=event.die)
        return
    yield put(event.ship, event.place, face(ship), ship.side)
    if event.fate == "uk":
        yield tell(
            "war_at_sea.italian_allied", "16.4", ship=event.ship, die=event.die, place=event.place
        )
    else:
        yield tell("war_at_sea.italian_german", "16.4", ship=event.ship, die=event.die)


@draws(GameOver)
def _draw_game_over(before: State, event: GameOver, after: State) -> Iterator[Effect]:
    yield closing("game")


ITALIAN_CHECK_TURN = 8
FRANCE = "france"
MALTA = "malta"


class Turns(Step[State]):
    """5, 5.8 One turn after the other; after the last the game is decided."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """5.8 The next turn, or the end."""
        if table.state.turn < table.state.data.last_turn:
            table.call("turn")
        else:
            table.done()
            table.emit(GameOver(table.state.score))


class BeginTurn(Step[State]):
    """5 What ships did last turn is forgotten."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """5 The turn marker goes on."""
        table.done()
        table.emit(TurnBegan(table.state.turn + 1))


class Announce(Step[State]):
    """5.1 – 5.8 Says which step of the turn begins."""

    def __init__(self, phase: str) -> None:
        self.phase = phase

    def advance(self, table: Table[State], frame: Frame) -> None:
        """5 Name the step."""
        table.done()
        table.emit(PhaseBegan(self.phase))


class ItalianCheck(Step[State]):
    """16.4, R39 At the very start of turn 8 every Italian warship rolls, unless the Axis once
    controlled the Mediterranean four turns running."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """16.4 1–2 taken over by the Allies, 3–4 scuttled, 5–6 taken over by Germany; R40 an Axis
        port cannot hold an Allied ship."""
        table.done()
        state = table.state
        if state.turn != ITALIAN_CHECK_TURN or state.med_held:
            return
        for ship in list(state.ships.values()):
            if ship.nation != "it" or ship.place in BOXES:
                continue
            die = table.roll(6, "italian")
            port = state.data.ports.get(ship.place)
            if die <= 2:
                enemy_port = port is not None and port.owner == AXIS
                table.emit(ItalianRolled(ship.id, die, "uk", MALTA if enemy_port else ship.place))
            elif die <= 4:
                table.emit(ItalianRolled(ship.id, die, "scuttled", ""))
            else:
                table.emit(ItalianRolled(ship.id, die, "de", ship.place))


class CloseFrance(Step[State]):
    """15.4, R36 On turn 7 France closes before anything else; Axis warships there are out of the
    game."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """15.4 Remove them."""
        table.done()
        state = table.state
        if state.turn == state.data.ports[FRANCE].closed_from:
            table.emit(FranceClosed(tuple(ship.id for ship in state.at(FRANCE, AXIS))))


class Reinforce(Step[State]):
    """5.1, 4.2, 4.3, 8.6 Ships and boats due this turn arrive, each in its own country; Americans
    wait to join (16.2, R42)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """5.1 Take what the track holds for this turn."""
        table.done()
        state = table.state
        due = (state.ships[name] for name in state.data.turns[state.turn].ships)
        coming = tuple(
            (ship.id, POOL if ship.nation == "us" else state.data.counters[ship.id].start[0])
            for ship in due
            if ship.place == TRACK
        )
        if coming:
            table.emit(Reinforced(coming))
        arrive_uboats(table)


def arrive_uboats(table: Table[State]) -> None:
    """8.6, R17 Never more than seven boats alive: what does not fit is lost for good, or with 18.3
    waits for room."""
    state = table.state
    due = state.data.turns[state.turn].uboats + state.backlog
    spare = [boat for boat, place in state.uboats.items() if place == TRACK]
    enter = tuple(spare[:due])
    left = due - len(enter)
    if due:
        waits = state.options.uboat_backlog
        table.emit(UBoatsArrived(enter, 0 if waits else left, left if waits else 0))


STEPS: Mapping[str, Step[State]] = {
    "turns": Turns(),
    "begin_turn": BeginTurn(),
    "phase_reinforcements": Announce("reinforcements"),
    "italian_check": ItalianCheck(),
    "close_france": CloseFrance(),
    "reinforce": Reinforce(),
    "phase_movement": Announce("movement"),
    "phase_uboats": Announce("uboats"),
    "phase_airstrike_markers": Announce("airstrike_markers"),
    "phase_combat": Announce("combat"),
    "phase_control": Announce("control"),
    "phase_return": Announce("return"),
    "phase_scoring": Announce("scoring"),
}
