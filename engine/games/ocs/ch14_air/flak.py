"""OCS 14.4: flak.

OCS 14.4a Barrages, hip shoots and trainbusting always meet it, transport, drops and transfers only
in an enemy patrol zone, sweeps and interceptions never (HR R-09). OCS 14.4e One roll a mission;
14.4f a loss is taken before the mission, what is left flies it at its reduced values.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch14_air import aircraft
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event
from warledger.protocol.board.choices import Say, say

WHY = "flak"
"""Why steps are lost."""

TRAINBUSTING = "trainbusting"

ON_CHART = {
    "transport": "air_transport",
    "drop": "air_drop",
    "transfer": "base_transfer",
    "sweep": "fighter_sweep",
    "base_barrage": "barrage",
}
"""What the chart calls missions (`Sortie.kind`) that it has under another name."""

GAMES_OWN = "game_"
"""How modifiers begin that the game adds to every roll."""

WEAKEST, STRONGEST = "weakest", "strongest"


@event("ocs.flak")
class FlakFired:
    """OCS 14.4e Flak at a mission: its points by name, dice and what they come to, the die of the
    Mission Loss Table (0 for none), and the aircraft hit ("" for none). That is its owner's to know
    unless the enemy sees it (OCS R-15)."""

    hex: str
    points: tuple[tuple[str, int], ...]
    dice: tuple[int, int]
    modified: int
    die: int
    aircraft: Any


after = ByEvent()
after.unchanged(FlakFired)


def meets(state: State, side: str, kind: str, i: int) -> bool:
    """OCS 14.4a Whether a side's mission of a kind over a hex meets flak."""
    flak = state.charts.tables.flak
    name = ON_CHART.get(kind, kind)
    if name in flak.never:
        return False
    return name in flak.always or aircraft.patrolled(state, state.enemy(side), i)


def points(
    state: State,
    side: str,
    kind: str,
    mission: Sequence[str],
    i: int,
    known: Callable[[int], Sequence[str]] | None = None,
) -> tuple[tuple[str, int], ...]:
    """OCS 14.4e The flak points at a side's mission over a hex, by name: for three aircraft and
    more, an enemy HQ, each level of an enemy base, the enemy's patrol zone, and the game's own.
    HR R-10 That counts once. The zone counts more without a fighter along, and once more for
    trainbusting. `known` are the units of a hex that are counted, all of them if left out."""
    by_name = state.charts.tables.flak.modifiers
    enemy = state.enemy(side)
    found: list[tuple[str, int]] = []

    def add(name: str, times: int = 1) -> None:
        if times:
            found.append((name, by_name[name] * times))

    if len(mission) >= 3:
        add("aircraft_3_or_more")
    if any(state.side(n) == enemy and state.counter(n).hq for n in (known or state.stack)(i)):
        add("hq_in_hex")
    base = state.bases.get(i)
    if base is not None and base.side == enemy:
        add("air_base_per_level", base.level)
    if aircraft.patrolled(state, enemy, i):
        escorted = any(aircraft.printed(state, name).fighter for name in mission)
        add("patrol_zone_with_fighter" if escorted else "patrol_zone_without_fighter")
        if kind == TRAINBUSTING:
            add("patrol_zone_trainbusting")
    for name in sorted(by_name):
        if name.startswith(GAMES_OWN):
            add(name)
    return tuple(found)


def foretold(state: State, side: str, kind: str, mission: Sequence[str], i: int) -> tuple[Say, ...]:
    """OCS 14.4e, 14.5 What a side's mission over a hex is to expect, if all of it gets there: what
    is added to the roll of flak, and whether it may be intercepted, by what is seen (4.9a): the top
    aircraft of bases, their levels, and of the units in the hex the shown one."""
    found = []
    if meets(state, side, kind, i):
        seen = points(
            state,
            side,
            kind,
            mission,
            i,
            lambda at: [name for name in state.stack(at) if fog.sees(state, side, name)],
        )
        key = "preview.ocs.flak_seen" if fog.strict(state) else "preview.ocs.flak"
        hit = state.charts.tables.flak.hit_at_least
        found.append(say(key, "OCS 14.4e", points=sum(add for _name, add in seen), hit=hit))
    may_be_met = ON_CHART.get(kind, kind) not in state.charts.tables.flak.never
    if may_be_met and aircraft.patrolled(state, state.enemy(side), i):
        found.append(say("preview.ocs.patrolled", "OCS 14.5"))
    return tuple(found)


def victim(state: State, mission: Sequence[str], die: int) -> str:
    """OCS 14.4f Which aircraft of a mission is hit, in the order of its declaration. [R] The
    weakest and the strongest are so by barrage points now, then by air combat rating; the first of
    equals."""
    chosen = state.charts.tables.flak.victim(len(mission), die)
    if chosen not in (WEAKEST, STRONGEST):
        return mission[int(chosen) - 1]

    def worth(name: str) -> tuple[Fraction, int]:
        return aircraft.points(state, name), aircraft.printed(state, name).rating

    return min(mission, key=worth) if chosen == WEAKEST else max(mission, key=worth)


def fire(table: Table[State], side: str, kind: str, mission: Sequence[str], i: int) -> str:
    """OCS 14.4e, 14.4f Flak at a side's mission over a hex: one roll, and on 11 and more a step of
    one of its aircraft. Returns the aircraft hit, "" for none. Nothing happens to a mission that
    meets none."""
    state = table.state
    if not mission or not meets(state, side, kind, i):
        return ""
    adds = points(state, side, kind, mission, i)
    pair = table.rolls(2, 6, "flak")
    modified = sum(pair) + sum(add for _name, add in adds)
    hit, die = "", 0
    if state.charts.tables.flak.hit(modified):
        if len(mission) > 1:
            die = table.roll(6, "mission_loss")
        hit = victim(state, mission, max(die, 1))
    seen = not hit or fog.aircraft_seen(state, hit)
    told = hit if seen else fog.hidden(state, side, hit)
    table.emit(FlakFired(state.charts.board.name(i), adds, (pair[0], pair[1]), modified, die, told))
    if hit and not rules(state.charts).ignores_flak(state.charts, hit):
        losses.lose_plane(table, hit, why=WHY)
    return hit
