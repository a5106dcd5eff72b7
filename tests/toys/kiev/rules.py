"""The title as the kernel sees it."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.toys.kiev.data import data_of
from tests.toys.kiev.events import EVOLVE, BattleOver, Laid
from tests.toys.kiev.pack import CHITS
from tests.toys.kiev.picture import EFFECTS, picture
from tests.toys.kiev.state import State
from tests.toys.kiev.steps import (
    Attack,
    Choose,
    Draws,
    Follow,
    KievSetUp,
    Lose,
    Movement,
    Reinforce,
    StandDown,
    Supply,
    Turn,
)
from warledger.engine.games.chitpull import describe as drawn
from warledger.engine.games.chitpull.attacks import BattleEnds
from warledger.engine.games.chitpull.setup import LayOut
from warledger.engine.games.chitpull.sides import ENEMY, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import (
    Outcome,
    Seat,
    Step,
    Switch,
)
from warledger.protocol import canon
from warledger.protocol.board import hexmap
from warledger.protocol.board.choices import say
from warledger.protocol.board.description import Box, Description, Track, of_map
from warledger.protocol.board.effects import (
    Effect,
)
from warledger.protocol.chance.seal import Secret
from warledger.protocol.log.records import Genesis


class KievRules:
    title = "kiev"
    version = "1"
    seats = SIDES
    switches = (
        Switch("set_up", "free", ("free", "preset"), "0"),
        Switch("set_up_first", SOVIET, SIDES, "0"),
    )
    sequences: Mapping[str, tuple[str, ...]] = {
        "game": ("lay_out", "set_up_first", "set_up_second", "play"),
        "turn": ("choose", "draws"),
        "action": ("movement", "attacks", "stand_down"),
        "battle": ("losses", "advance", "battle_ends"),
    }
    steps: Mapping[str, Step[State]] = {
        "lay_out": LayOut(Laid),
        "set_up_first": KievSetUp(0),
        "set_up_second": KievSetUp(1),
        "play": Turn(),
        "choose": Choose(),
        "draws": Draws(),
        "supply": Supply(),
        "reinforce": Reinforce(),
        "movement": Movement(),
        "attacks": Attack(),
        "losses": Lose(),
        "advance": Follow(),
        "battle_ends": BattleEnds(BattleOver),
        "stand_down": StandDown(),
    }
    events = tuple(EVOLVE)

    def initial(self, genesis: Genesis) -> State:
        data = data_of(canon.unpack_trusted(genesis.pack), genesis.options)
        return State(data, dict.fromkeys(data.types, OFF_MAP))

    def triggers(self, table: Table[State], event: Any) -> None:
        pass

    def evolve(self, state: State, event: Any) -> State:
        after: State = EVOLVE[type(event)](state, event)
        return after

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        drawn: Iterable[Effect] = EFFECTS[type(event)](before, event, after)
        return drawn

    def picture(self, state: State) -> Iterable[Effect]:
        return picture(state)

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        return 3

    def describe(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
        told = of_map(hexmap.hex_map(pack["map"]))
        counters = (*pack["counters"]["units"], *pack["counters"]["hqs"])
        return replace(
            told,
            boxes=tuple(map(Box, ("set_up", "box", "unseen"))),
            tracks=(Track("turn"),),
            pieces=tuple(drawn.counter(entry, "division") for entry in counters),
        )

    def outcome(self, at: Position[State]) -> Outcome | None:
        return (
            Outcome(at.state.kiev, say("kiev.over", side=at.state.kiev))
            if at.state.turn > 3
            else None
        )

    def invariants(self, state: State) -> None:
        for i, names in state.stacks.items():
            assert len(names) <= 2 and len({state.data.types[name].side for name in names}) == 1, (
                i,
                names,
            )
        assert all(state.at(name) != OFF_MAP for name in state.reduced)


RULES = KievRules()


def alternatives(state: State, seat: Seat) -> Iterable[State]:
    """States that differ only in what a seat may not know: the chit that the other side chose,
    while it is in the cup."""
    other = ENEMY[seat]
    sealed = state.chosen[other]
    if sealed is not None and sealed.value[0] not in state.drawn:
        for chit in CHITS[other]:
            yield replace(
                state, chosen={**state.chosen, other: Secret((chit,), sealed.readers, sealed.where)}
            )
