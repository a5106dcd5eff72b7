"""Advance after combat: attackers into the emptied hex, some a second hex further, one after the other.

A command is ("advance", unit, [who goes along], combat hex, [second hex]); ("done",) ends it. VL 9.6; TY 10.7.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

from attrs import frozen

from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import OFF_MAP, Fighting, hex_at, in_progress
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Say, Seat, Step
from protocol.choices import WHOLE, offer

S = TypeVar("S", bound=Fighting[Any, Any])


class Astray(Enum):
    """What is wrong with a pick: see `Advance.refusal`."""

    VERB = "no such verb"
    NOT_ATTACKER = "did not attack, or is gone"
    ADVANCED = "has advanced already"
    NO_ROOM = "finds no room ahead"
    ALONG = "cannot go along"
    NO_HEX = "no such hex"
    FIRST = "the combat hex comes first"
    TOO_FAR = "neither the second hex nor next to the first"
    SECOND = "may not be the second hex"


@frozen
class Advancing(Generic[S]):
    """How a title advances. Counters that go together are named together, the attacker first.

    `room`      whether they may end in a hex
    `goes_two`  whether an attacker may go a second hex
    `ground`    whether a hex may be the second one, by what lies there
    `barrier`   for each hexside slot, whether the second hex may not be entered across it
    `along`     who may go along with an attacker, "" for nobody
    `carry_out` (table, counters, printed hexes entered)
    """

    room: Callable[[S, tuple[str, ...], int], bool]
    goes_two: Callable[[S, str], bool]
    ground: Callable[[S, int], bool]
    barrier: Callable[[S], bytes]
    along: Callable[[S, str], str]
    prompt: Callable[[str], Say]
    verbs: Choices
    who_slot: str
    to_slot: str
    against: Callable[[S, Astray, Picks], Refusal]
    carry_out: Callable[[Table[S], tuple[str, ...], tuple[str, ...]], None]


def emptied(state: Fighting[Any, Any]) -> bool:
    """Whether no enemy unit is left in the attacked hex. VL 9.6.1, R-31; TY 10.7(1)."""
    activation, battle = in_progress(state)
    return not state.field.zones(ENEMY[activation.side]).pieces[battle.target]


def remaining(state: Fighting[Any, Any]) -> tuple[str, ...]:
    """The attackers that are left and have not advanced yet, in order of ids. VL R-31; TY 10.7(2)."""
    _, battle = in_progress(state)
    return tuple(name for name in battle.attackers if name not in battle.advanced and state.at(name) != OFF_MAP)


def crosses(state: Fighting[Any, Any], barrier: bytes, unit: str) -> bool:
    """Whether an attacker enters the attacked hex across such a hexside. VL 9.6.5; TY 10.7(1)2."""
    _, battle = in_progress(state)
    at = state.at(unit)
    return bool(barrier[at * 6 + state.data.board.grid.direction(at, battle.target)])


def second_hexes(how: Advancing[S], state: S, names: tuple[str, ...]) -> tuple[int, ...]:
    """Where counters may end their second hex: a neighbour of the first without enemies, zones or not. VL 9.6.3, R-32; TY 10.7(4)."""
    activation, battle = in_progress(state)
    if not how.goes_two(state, names[0]):
        return ()
    board, barrier = state.data.board, how.barrier(state)
    enemies = state.field.zones(ENEMY[activation.side]).pieces
    found = []
    for d, b in enumerate(board.grid.neighbours[battle.target]):
        at = battle.target * 6 + d
        if b < 0 or enemies[b] or barrier[at] or board.sides.impassable[at] or not how.ground(state, b):
            continue
        if how.room(state, names, b):
            found.append(b)
    return tuple(found)


def can_advance(how: Advancing[S], state: S, names: tuple[str, ...]) -> bool:
    """Whether counters can advance together at all; stacking binds where they end. VL 5.0.4; TY 10.7(6)4."""
    _, battle = in_progress(state)
    return how.room(state, names, battle.target) or bool(second_hexes(how, state, names))


def read(state: Fighting[Any, Any], picks: Picks) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The counters and the hexes that the picks after the verb name."""
    words = [str(pick) for pick in picks[1:]]
    types = state.data.types
    return tuple(word for word in words if word in types), tuple(word for word in words if word not in types)


class Advance(Step[S]):
    """Attackers may advance, one after the other. VL 9.6; TY 10.7."""

    def __init__(self, how: Advancing[S]) -> None:
        self.how = how

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The attacker, while any of his units can. VL 9.6.2; TY 10.7(2)."""
        state = at.state
        activation, battle = in_progress(state)
        if emptied(state) and any(can_advance(self.how, state, (name,)) for name in remaining(state)):
            return {activation.side: Decision(self.how.prompt(state.data.name(battle.target)))}
        return {}

    def choices(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """A unit, perhaps who goes along, the combat hex, perhaps a second hex."""
        state, how = at.state, self.how
        _, battle = in_progress(state)
        if not picks:
            return how.verbs
        if picks[0] == "done":
            return WHOLE
        if len(picks) == 1:
            return offer(how.who_slot, (name for name in remaining(state) if can_advance(how, state, (name,))))
        names, hexes = read(state, picks)
        if not hexes:
            along = how.along(state, names[0]) if len(names) == 1 else ""
            return offer(how.to_slot, (*((along,) if along else ()), state.data.name(battle.target)))
        if len(hexes) == 1:
            beyond = state.data.board.grid.names(second_hexes(how, state, names))
            return offer(how.to_slot, beyond, complete=how.room(state, names, battle.target))
        return WHOLE

    def refusal(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """The clause against the last pick."""
        return self.how.against(at.state, self._astray(at.state, picks), picks)

    def unfinished(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Refusal | None:
        """They may not stop in the combat hex: VL 5.0.4; TY 10.7(6)4."""
        _, hexes = read(at.state, picks)
        return self.how.against(at.state, Astray.NO_ROOM, picks) if hexes else None

    def _astray(self, state: S, picks: Picks) -> Astray:
        _, battle = in_progress(state)
        pick = str(picks[-1])
        if len(picks) == 1 or picks[0] != "advance":
            return Astray.VERB
        if len(picks) == 2:
            if pick not in battle.attackers or state.at(pick) == OFF_MAP:
                return Astray.NOT_ATTACKER
            return Astray.ADVANCED if pick in battle.advanced else Astray.NO_ROOM
        if pick in state.data.types:
            return Astray.ALONG
        i = hex_at(state, pick)
        if i == OFF_MAP:
            return Astray.NO_HEX
        _, hexes = read(state, picks[:-1])
        if not hexes:
            return Astray.FIRST
        if len(hexes) > 1 or state.data.board.grid.direction(battle.target, i) < 0:
            return Astray.TOO_FAR
        return Astray.SECOND

    def decide(self, table: Table[S], frame: Frame, seat: Seat, picks: Picks) -> None:
        """One attacker advances, or nobody more."""
        if picks[0] == "done":
            table.done()
        else:
            names, hexes = read(table.state, picks)
            self.how.carry_out(table, names, hexes)

    def advance(self, table: Table[S], frame: Frame) -> None:
        """Nobody can."""
        table.done()
