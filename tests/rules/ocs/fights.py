"""A bench for combats: Hungarian Rhapsody's map and units, and of its sequence of play the Combat
segment alone. Option "fog" is what the test says."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from tests.rules.hungarian_rhapsody.bench import SOVIET, pack, put, stand
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.ch04_concepts import staying
from warledger.engine.games.ocs.ch08_overrun import overrun
from warledger.engine.games.ocs.ch09_combat import (
    advance,
    captures,
    combat,
    combat_events,
    combat_segment,
    exploit,
    losses,
    result_losses,
    retreat,
)
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch12_supply import bills, payment
from warledger.engine.games.ocs.series import evolve
from warledger.engine.games.ocs.series.charts import charts
from warledger.engine.games.ocs.series.setup import first_position
from warledger.engine.games.ocs.series.state import State, with_supply
from warledger.engine.games.ocs.series.tables import REGULAR
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Outcome, Seat, Step
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.choices import say
from warledger.protocol.log.records import Genesis

CHAPTERS = (
    staying,
    advance,
    captures,
    combat_events,
    losses,
    overrun,
    bills,
    retreat,
    result_losses,
)


TABLE = dict(evolve.after)
for _chapter in CHAPTERS:
    TABLE.update(_chapter.after)


class Asleep(Step[State]):
    """Where play rests once the step on trial is over."""

    def deciders(self, at: Position[State], frame: Frame) -> dict[Seat, Decision]:
        """Somebody has to be asked."""
        return {"axis": Decision(say("prompt.rest"))}


class Fights:
    """The rules of the bench."""

    title, version = "fights", "1"
    folders: tuple[str, ...] = ()
    seats = ("axis", "soviet")
    switches = ()
    sequences: ClassVar[dict[str, tuple[str, ...]]] = {"game": ("rest",), **combat.SEQUENCES}
    steps: ClassVar[dict[str, Step[State]]] = {
        "rest": Asleep(),
        **combat_segment.STEPS,
        **combat.STEPS,
        **result_losses.STEPS,
        **retreat.STEPS,
        **advance.STEPS,
        **exploit.STEPS,
        **payment.STEPS,
    }
    events = tuple(TABLE)

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """It rests."""
        return 0

    def initial(self, genesis: Genesis) -> State:
        """A position that tests replace."""
        return first_position(charts(genesis.pack, "sudwind", GAME))

    def triggers(self, table: Table[State], event: Any) -> None:
        """None."""

    def evolve(self, state: State, event: Any) -> State:
        """By the tables of the chapters."""
        made: State = TABLE[type(event)](state, event)
        return made

    def effects(self, before: State, event: Any, after: State) -> Iterable[Any]:
        """None."""
        return ()

    def picture(self, state: State) -> Iterable[Any]:
        """None."""
        return ()

    def outcome(self, at: Position[State]) -> Outcome | None:
        """Never."""
        return None

    def invariants(self, state: State) -> None:
        """None."""


def fight(
    where: dict[str, str], *, supply: bool = True, fog: str = "strict", **changes: Any
) -> Rig[State]:
    """A rig with these units alone on the map, in the Axis Combat segment, and 40T under each
    stack."""
    rig: Rig[State] = Rig(Fights(), pack())
    changes = {"phasing": "axis", "segment": "f2", **changes}
    state = stand(where, **changes)
    if fog != "strict":
        made = replace(state.charts, options={**state.charts.options, "fog": fog})
        state = replace(state, charts=made, field=replace(state.field, charts=made))
    if supply:
        for i in state.field.stacks:
            state = with_supply(state, state.holder(i), i, 40)
    rig.state = state
    rig.jump("rest", "ocs.attacking")
    return rig


def marked(rig: Rig[State], unit: str, **changes: Any) -> None:
    """Change a unit of the position, and ask again."""
    rig.state = put(rig.state, unit, **changes)
    rig.jump("rest", "ocs.attacking")


def alone(rig: Rig[State], **changes: Any) -> None:
    """Change fields of the position, and ask again."""
    rig.state = replace(rig.state, **changes)
    rig.jump("rest", "ocs.attacking")


def fought(rig: Rig[State]) -> Any:
    """What was rolled last."""
    return next(e for e in reversed(rig.events) if isinstance(e, combat_events.BattleFought))


def weighed(rig: Rig[State]) -> Any:
    """What both sides named last."""
    return next(e for e in reversed(rig.events) if isinstance(e, combat_events.BattleWeighed))


def at(rig: Rig[State], unit: str) -> str:
    """The hex of a unit, "" off the map."""
    i = rig.state.units[unit].at
    return rig.state.charts.board.name(i) if i >= 0 else ""


def attack(
    rig: Rig[State],
    hex: str,
    units: tuple[str, ...],
    lead: str,
    dice: tuple[int, ...],
    *defence: str,
) -> Any:
    """A regular attack of the Axis, paid by both sides as far as they are asked; returns what was
    rolled. `defence`: AR unit, ground and terrain against hexes."""
    rig.do("axis", "attack", hex, *units)
    paid(rig, "axis")
    rig.do("axis", "lead", lead)
    rig.dice(*dice)
    rig.do("soviet", "defend", "pay", *defence)
    paid(rig, "soviet")
    return fought(rig)


def paid(rig: Rig[State], side: str) -> None:
    """A payment in the canonical way, if it is asked for."""
    if rig.asked().get(side) == "prompt.ocs.payment":
        rig.do(side, "auto")


def in_retreat(rig: Rig[State], hexes: int, target: str = "A26.11") -> Battle:
    """A combat from A26.10 in which the Soviets still have `hexes` hexes to retreat."""
    state = rig.state
    hex = state.charts.board.hex(target)
    battle = Battle(
        REGULAR,
        "axis",
        hex,
        {state.charts.board.hex("A26.10"): ("ax.tgr.503",)},
        state.combat_units(hex),
        shut={SOVIET: state.field.combat["axis"], "axis": state.field.combat[SOVIET]},
        hexes={SOVIET: hexes},
    )
    alone(rig, battle=battle)
    rig.jump("rest", "ocs.retreating_defender")
    return battle
