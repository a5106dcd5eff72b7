"""The Reinforcement Phase of the whole title, with dice of one's own."""

from itertools import islice
from typing import Any

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, names, pack, put, stand, start
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.ch04_concepts.fog import laid
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.ch13_special_units import reinforcements
from warledger.engine.games.ocs.series.charts import Charts, with_options
from warledger.engine.games.ocs.series.game import near_hqs
from warledger.engine.games.ocs.series.state import State, Unit, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import Frame
from warledger.engine.testing.rig import Rig

AFTER = Frame("first_player", (AXIS,))
"""What comes after the phase: a question that is asked in any position."""


def phase(
    state: State,
    *dice: int,
    side: str = AXIS,
    turn: int | None = None,
    fog: str = "open",
    **more: Any,
) -> Rig[State]:
    """A Reinforcement Phase of a side in this position as it begins; what follows it is
    another question. `more`: other options."""
    options = {switch.name: switch.default for switch in RULES.switches} | {"fog": fog} | more
    charts = with_options(state.charts, options)
    made = replace(
        state,
        charts=charts,
        field=replace(state.field, charts=charts),
        segment="b",
        phasing=side,
        turn=state.turn if turn is None else turn,
    )
    rig: Rig[State] = Rig(RULES, pack(), options={"fog": fog} | more)
    rig.state = laid(points.opened(replace(made, tops={})))
    rig.dice(*dice)
    rig.jump("game", "turns", AFTER, reinforcements.REINFORCEMENTS)
    return rig


def again(rig: Rig[State], *dice: int, side: str, turn: int) -> None:
    """The same game in a later Reinforcement Phase."""
    rig.dice(*dice)
    rig.change(turn=turn, phasing=side, segment="b")
    rig.jump("game", "turns", AFTER, reinforcements.REINFORCEMENTS)


def over(rig: Rig[State]) -> bool:
    """Whether the phase is over."""
    return "prompt.ocs.first_player" in rig.asked().values()


def dead(state: State, *names: str) -> State:
    """The position with these units in their dead piles."""
    return changed(
        state,
        {name: Unit(where=state.charts.game.pile(state.charts, name)) for name in names},
    )


def arrived(state: State) -> State:
    """The position with nothing of the order of arrival left to come."""
    every = frozenset(one.number for one in state.charts.scenario.arrivals)
    return replace(state, arrived=every)


def first(rig: Rig[State], side: str) -> tuple[str | int, ...]:
    """The first whole command on offer."""
    picks: tuple[str | int, ...] = ()
    while offered := rig.options(side, *picks):
        picks = (*picks, offered[0])
    return picks


def having_lost(*units: str) -> State:
    """The campaign with nothing left to come and these units dead."""
    return dead(arrived(start("campaign")), *units)


# --- Soviets --------------------------------------------------------------------------------------

DIVISION = "su.rd.240"
CORPS = "18tc"
BRIGADES = tuple(f"su.18tc.b{n}" for n in (1, 2, 3, 4))
HOME = "B49.14"


def divisions(state: State, count: int) -> tuple[str, ...]:
    """So many rifle divisions that are not white."""
    found = (
        name
        for name, counter in state.charts.units.items()
        if counter.kind == "infantry" and counter.size == "div" and counter.nation == "soviet"
        if not counter.traits.get("white")
    )
    return tuple(islice(found, count))


def alone(where: dict[str, str] | None = None) -> State:
    """The campaign with these units alone on the map."""
    return arrived(stand(where or {}))


def corps() -> State:
    """The 18th Tank Corps near the 2nd Ukrainian Front, but for two brigades that are dead."""
    where = {name: HOME for name in alone().charts.printed.mufs[CORPS] if name not in BRIGADES[:2]}
    state = dead(alone({**where, "su.hq.53a": HOME}), *BRIGADES[:2])
    return put(state, "su.18tc.truck", load=4)


# --- Hungarians -----------------------------------------------------------------------------------

STAYS = (
    "ax.hu1a.pz1",
    "ax.hu2a.truck",
    "ax.bp.bc1",
    "ax.hu.1cav",
    "ax.hu.szlz",
)
HQS = ("ax.hq.hii", "ax.hq.hvi", "ax.hq.hvii", "ax.hq.hviii")
GUNS = ("ax.hu.art1", "ax.hu.art2")
DIVISIONS = ("ax.hu.7", "ax.hu.10", "ax.hu.20", "ax.hu.25")
ROWS = {**dict.fromkeys(STAYS, "A25.05"), **dict.fromkeys(HQS, "A26.05")}
ROWS |= {**dict.fromkeys(GUNS, "A27.05"), **dict.fromkeys(DIVISIONS, "A28.05")}


def army() -> State:
    """A Hungarian army and a German division in December."""
    return arrived(stand({**ROWS, "ax.inf.44": "A26.05"}))


# --- HQs ------------------------------------------------------------------------------------------

NEAR_BY = "ax.inf.72"


def near(state: State) -> set[str]:
    """Where the series lets a German division be rebuilt."""
    return names(state, near_hqs(state, NEAR_BY))


def with_counter(charts: Charts, name: str, **changes: object) -> Charts:
    """The charts with something else printed on a unit."""
    units = {**charts.units, name: replace(charts.units[name], **changes)}
    return replace(charts, printed=replace(charts.printed, units=units))


__all__ = ["AXIS", "SOVIET"]
