"""Division of losses with a payment from several sources: coupled limits decide what is offered
next and when a command is complete.

Red pays for its bombardment from depots, in all exactly what the bombardment costs, each depot at
most what it holds. Then dice tell how many steps Blue loses, and Blue divides them among its units:
as many as the dice say, no unit more than it has, none twice as long as another has had none.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import (
    Choices,
    Decision,
    Outcome,
    Picks,
    Refusal,
    Seat,
    Step,
    Switch,
    event,
)
from warledger.protocol import canon
from warledger.protocol.board.choices import Say, offer, refuse, say
from warledger.protocol.board.description import LIST, Box, Description, Face, Piece, Track
from warledger.protocol.board.effects import (
    Effect,
    closing,
    flip,
    opening,
    phase,
    put,
    roll,
    take,
    tell,
    track,
)
from warledger.protocol.log.records import Genesis

PACK: dict[str, Any] = {
    "depots": {"north": 4, "port": 3, "south": 2},
    "units": {"armour": 3, "guards": 2, "rifles": 2, "staff": 1},
    "cost": {"big": 3, "small": 2},
}


@frozen
class State:
    """What each depot holds, each unit's steps, and what the last bombardment costs. Units without
    steps are gone."""

    costs: Mapping[str, int] = field(eq=False, repr=False)
    depots: Mapping[str, int]
    units: Mapping[str, int]
    fired: int = 0


@event("laid_out")
class LaidOut:
    """The board."""


@event("paid")
class Paid:
    depot: str
    points: int


@event("bombarded")
class Bombarded:
    size: str
    pips: tuple[int, ...]
    losses: int


@event("lost")
class Lost:
    unit: str
    steps: int


class Lay(Step[State]):
    """Lays the board out."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        table.emit(LaidOut())
        table.done()


class Bombard(Step[State]):
    """1 Red bombards: picks are the size and then (depot, points) until the cost is paid. Comes
    again for ever."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        return {"red": Decision(say("prompt.losses.bombard"))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        state = at.state
        if not picks:
            return offer("size", _affordable(state))
        cost = state.costs[str(picks[0])]
        paid = _pairs(picks)
        due = cost - sum(points for _, points in paid if points is not None)
        left = {
            depot: held
            for depot, held in state.depots.items()
            if held and depot not in [name for name, _ in paid]
        }
        if paid and paid[-1][1] is None:
            held = state.depots[paid[-1][0]]
            # What this depot does not pay the others must be able to: no offered prefix is a dead
            # end.
            least = max(1, due - sum(left.values()))
            return Choices("points", span=(least, min(held, due)))
        if due == 0:
            return offer("end", (), complete=True)
        return offer("depot", sorted(left))

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        if len(picks) == 1:
            return refuse("1.1", "refusal.losses.supply", held=sum(at.state.depots.values()))
        if len(picks) % 2:
            return refuse("1.3", "refusal.losses.points", depot=picks[-2])
        return refuse("1.2", "refusal.losses.depot")

    def preview(
        self, at: Position[State], frame: Frame, seat: Seat, picks: Picks
    ) -> tuple[Say, ...]:
        return (
            (say("preview.losses.cost", "1.1", cost=at.state.costs[str(picks[0])]),)
            if picks
            else ()
        )

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        size = str(picks[0])
        for depot, points in _pairs(picks):
            assert points is not None
            table.emit(Paid(depot, points))
        pips = table.rolls(2 if size == "big" else 1, 6, "bombardment")
        losses = min(
            sum(1 for die in pips if die >= 3) + (size == "big"), sum(table.state.units.values())
        )
        table.tell(opening("combat", "losses.combat", size=size))
        table.emit(Bombarded(size, pips, losses))
        if losses:
            table.call("divide", losses)
        else:
            table.tell(closing("combat"))


class Divide(Step[State]):
    """2 Blue divides the losses: picks are units, one a step lost. Frame arguments: (losses,)."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        return {"blue": Decision(say("prompt.losses.divide", losses=frame.args[0]))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        if len(picks) == frame.args[0]:
            return offer("end", (), complete=True)
        return offer("unit", _may_lose(at.state, picks))

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        unit = picks[-1]
        if len(picks) > frame.args[0]:
            return refuse("2.1", "refusal.losses.enough", losses=frame.args[0])
        if unit not in at.state.units:
            return refuse("2.1", "refusal.losses.no_unit", unit=unit)
        if picks[:-1].count(unit) >= at.state.units[str(unit)]:
            return refuse("2.2", "refusal.losses.steps", unit=unit)
        return refuse("2.3", "refusal.losses.evenly", unit=unit)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        table.done()
        for unit in sorted({str(pick) for pick in picks}):
            table.emit(Lost(unit, picks.count(unit)))
        table.tell(closing("combat"))


class Losses:
    """The rules."""

    title = "losses"
    version = "1"
    seats = ("red", "blue")
    switches: tuple[Switch, ...] = ()
    sequences: Mapping[str, tuple[str, ...]] = {"game": ("lay", "bombard")}
    steps: Mapping[str, Step[State]] = {"lay": Lay(), "bombard": Bombard(), "divide": Divide()}
    events = (LaidOut, Paid, Bombarded, Lost)

    def initial(self, genesis: Genesis) -> State:
        pack = canon.unpack_trusted(genesis.pack)
        return State(pack["cost"], pack["depots"], pack["units"])

    def triggers(self, table: Table[State], event: Any) -> None:
        return None

    def evolve(self, state: State, event: Any) -> State:
        kind = type(event)
        if kind is Paid:
            return replace(
                state,
                depots={**state.depots, event.depot: state.depots[event.depot] - event.points},
            )
        if kind is Bombarded:
            return replace(state, fired=state.fired + 1)
        if kind is Lost:
            left = {**state.units, event.unit: state.units[event.unit] - event.steps}
            return replace(state, units={unit: steps for unit, steps in left.items() if steps})
        return state

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        kind = type(event)
        if kind is LaidOut:
            return (phase("phase.losses.siege"), *self.picture(after))
        if kind is Paid:
            return (
                track(f"depot_{event.depot}", after.depots[event.depot]),
                tell("losses.paid", "1.2", depot=event.depot, points=event.points),
            )
        if kind is Bombarded:
            return (
                roll("bombardment", 6, event.pips),
                track("fired", after.fired),
                tell("losses.bombarded", "1", dice=event.pips, losses=event.losses),
            )
        change = (
            flip(event.unit, after.units[event.unit])
            if event.unit in after.units
            else take(event.unit)
        )
        return (change, tell("losses.lost", "2", unit=event.unit, steps=event.steps))

    def picture(self, state: State) -> Iterable[Effect]:
        yield track("fired", state.fired)
        for depot, held in sorted(state.depots.items()):
            yield track(f"depot_{depot}", held)
        for unit, steps in sorted(state.units.items()):
            yield put(unit, "town", steps, "blue")

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        return 0

    def describe(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
        return Description(
            LIST,
            boxes=(Box("town"),),
            tracks=(Track("fired"), *(Track(f"depot_{depot}") for depot in pack["depots"])),
            pieces=tuple(
                Piece(unit, side="blue", faces=(Face("", steps=steps),))
                for unit, steps in pack["units"].items()
            ),
        )

    def outcome(self, at: Position[State]) -> Outcome | None:
        if not at.flow or at.top.name != "bombard":
            return None
        if not at.state.units:
            return Outcome("red", say("losses.fallen"))
        return (
            None
            if _affordable(at.state)
            else Outcome("blue", say("losses.held", units=len(at.state.units)))
        )

    def invariants(self, state: State) -> None:
        assert all(held >= 0 for held in state.depots.values())
        assert all(steps > 0 for steps in state.units.values())


def _affordable(state: State) -> tuple[str, ...]:
    """1.1 The sizes of bombardment that the depots can pay for together."""
    held = sum(state.depots.values())
    return tuple(size for size in sorted(state.costs) if state.costs[size] <= held)


def _pairs(picks: Picks) -> list[tuple[str, int | None]]:
    """The payments among the picks of a bombardment; the last has no points yet when its depot
    alone is picked."""
    paid: list[tuple[str, int | None]] = []
    for index in range(1, len(picks), 2):
        points = picks[index + 1] if index + 1 < len(picks) else None
        assert not isinstance(points, str)
        paid.append((str(picks[index]), points))
    return paid


def _may_lose(state: State, picks: Picks) -> tuple[str, ...]:
    """2.2-2.3 The units that may take one more step: those with steps left that have lost no more
    than any other such unit."""
    lost = {
        unit: picks.count(unit)
        for unit in sorted(state.units)
        if picks.count(unit) < state.units[unit]
    }
    least = min(lost.values(), default=0)
    return tuple(unit for unit, steps in lost.items() if steps == least)


RULES = Losses()


def alternatives(state: State, seat: Seat) -> Iterable[State]:
    """Nothing is hidden in this game."""
    return ()
