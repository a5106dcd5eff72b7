"""4 Setup: the counters go on the map and the turn track; the Allied player divides the British
ships between England and Malta."""

from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from warledger.engine.games.war_at_sea.data import ALLIED
from warledger.engine.games.war_at_sea.picture import picture
from warledger.engine.games.war_at_sea.state import TRACK, Ship, State, is_ship, with_ships
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import Option, refuse, say
from warledger.protocol.board.effects import Effect, move, opening, tell

# --- events ---------------------------------------------------------------------------------------


@event("set_up")
class SetUp:
    """4.1 – 4.3 The counters are on the map and on the turn track."""


@event("deployed")
class Deployed:
    """4.3 The Allied player put British ships into a port."""

    ships: tuple[str, ...]
    port: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(SetUp)
def _set_up(state: State, event: SetUp) -> State:
    """4.1 – 4.3 Starting ships stand in their first port, the others on the track; the score marker
    on zero."""
    data = state.data
    ships = {
        name: Ship.of(counter, counter.start[0] if counter.arrival == 1 else TRACK)
        for name, counter in data.counters.items()
    }
    return replace(
        state,
        ships=ships,
        uboats=dict.fromkeys(data.uboat_ids, TRACK),
        control=dict(data.start_control),
        score=0,
        phase="set_up",
    )


@after(Deployed)
def _deployed(state: State, event: Deployed) -> State:
    return with_ships(
        state,
        [replace(state.ships[name], place=event.port, origin=event.port) for name in event.ships],
    )


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(SetUp)
def _draw_set_up(before: State, event: SetUp, after: State) -> Iterator[Effect]:
    yield opening("game", "war_at_sea.game")
    yield from picture(after)
    yield tell("war_at_sea.set_up", "4.1")


@draws(Deployed)
def _draw_deployed(before: State, event: Deployed, after: State) -> Iterator[Effect]:
    for name in event.ships:
        yield move(name, event.port)
    yield tell("war_at_sea.deployed", "4.3", ships=event.ships, port=event.port)


class PutCounters(Step[State]):
    """4.1 – 4.3 Set up the counters: British ships in England for now, German ones in Germany,
    Italian ones in Italy."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """4.1 The score marker on zero, starting ships on the map, reinforcements on the track."""
        table.done()
        table.emit(SetUp())


@frozen
class Deploying:
    """Ships that go to another port than where they stand."""

    ships: tuple[str, ...] = ()
    port: str = ""


class Deploy(Asking[State]):
    """4.3, R2 Each starting British ship goes to England or Malta, freely and openly. The Axis has
    no choice."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """R2 The Allied player alone chooses."""
        return {ALLIED: Decision(say("prompt.war_at_sea.deploy", "4.3"))}

    def commands(self) -> Commands[State]:
        """4.3 Ships of one port, then another of their ports."""
        return (
            Command(
                "deploy",
                Deploying,
                Many(
                    "ships",
                    "war_at_sea.ship",
                    self._ships,
                    self._why_not,
                    takes=is_ship,
                    joint="war_at_sea.ship_or_port",
                ),
                Slot("port", "war_at_sea.port", self._ports, self._why_not),
                apply=self._deploy,
                beyond=self._why_not,
            ),
            word("done", lambda table, asked: table.done()),
        )

    def _ships(self, asked: Asked[State], order: Deploying) -> Iterable[Option]:
        """R2 British ships that start on the map; after the first those of its port."""
        state = asked.state
        if not order.ships:
            return state.data.offer(state.data.starters)
        here = state.ships[order.ships[0]].place
        return state.data.offer(
            name
            for name in state.data.starters
            if state.ships[name].place == here and name not in order.ships
        )

    def _ports(self, asked: Asked[State], order: Deploying) -> Iterable[Option]:
        """4.3 The other of the two ports."""
        data, first = asked.state.data, asked.state.ships[order.ships[0]]
        return data.offer(port for port in data.counters[first.id].start if port != first.place)

    def _why_not(self, asked: Asked[State], order: Deploying, pick: Pick) -> Refusal | None:
        """4.3 Only British ships that start on the map have a choice, and only between England and
        Malta."""
        state = asked.state
        if is_ship(asked, pick):
            ship = state.ships[str(pick)]
            if ship.place == TRACK:
                return refuse("4.2", "refusal.war_at_sea.still_on_track", ship=pick)
            if len(state.data.counters[ship.id].start) < 2:
                return refuse("4.3", "refusal.war_at_sea.own_country", ship=pick)
            if pick in order.ships:
                return refuse("", "refusal.war_at_sea.named_twice", ship=pick)
            return refuse("4.3", "refusal.war_at_sea.other_place", ship=pick, place=ship.place)
        if order.ships and (pick in state.data.ports or pick in state.data.areas):
            return refuse("4.3", "refusal.war_at_sea.england_or_malta", place=pick)
        return None

    def _deploy(self, table: Table[State], asked: Asked[State], order: Deploying) -> None:
        """4.3 Put the ships there."""
        table.emit(Deployed(order.ships, order.port))


STEPS: Mapping[str, Step[State]] = {
    "put_counters": PutCounters(),
    "deploy": Deploy(),
}
