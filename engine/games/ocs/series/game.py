"""What a game of the series hands to it: the numbers and functions by which its rules alter or
complete a clause.

A title derives one class from `Game` and makes one value of it, which holds nothing. What it does
not override is the series' own.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import Counter
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch13_special_units.bridges import (
    bridged_by,
    engineers,
    hqs_of,
    printed_sources,
)
from warledger.engine.games.ocs.series.charts import Bridging, Charts
from warledger.engine.games.ocs.series.scenario import Place
from warledger.engine.games.ocs.series.state import State, Unit


@frozen
class Sparing:
    """OCS 12.5c A fuel of formations that the game adds to the series': `cost` in T for a Movement
    Phase, for units in Combat mode that never come next to an enemy unit. They pay at least a point
    for every hex along a path. `clause` is cited where it keeps a unit back."""

    cost: int
    clause: str


AIRBORNE = "airborne"
"""OCS 14.10 The type of units that are dropped."""

REBUILDS_WITHIN = 2
"""OCS 13.5 Hexes from an HQ within which it rebuilds."""

MOST_HEDGEHOG = 4
"""OCS 16.0 Levels of a hedgehog."""


class Game:
    """The rules of one game of the series, each as the series itself has it: a game overrides those
    that it alters or completes. Every answer is a function of its arguments."""

    supply_apart: frozenset[str] = frozenset()
    """OCS 12.3 HQs whose supply crosses rivers otherwise than their side's (`supply_bridging`)."""

    def set_up(self, state: State) -> State:
        """The first position with what the game's rules bring about at once as it is laid out. The
        series: as the scenario's file says."""
        return state

    def barred(self, state: State, name: str) -> Hexes:
        """OCS 6.2c Hexes that a unit may never enter by the game's rules (lines, areas, banks). The
        series: no hex is barred."""
        return 0

    def barred_by(self, state: State, name: str, i: int) -> str:
        """OCS 6.2c The clause by which a unit may not enter a hex that is barred to it."""
        return "OCS 6.2c"

    def crossing_barred_by(self, state: State, a: int, b: int) -> str:
        """OCS 6.2c The clause by which nobody gets from a hex into the next one across what lies
        between them."""
        return "OCS 6.2c"

    def attack_barred(self, state: State, name: str) -> Hexes:
        """OCS 9.1f Hexes that a unit may never attack by the game's rules. The series: those that
        it may not enter."""
        return self.barred(state, name)

    def rails_barred(self, state: State, name: str) -> Hexes:
        """OCS 6.2c, 13.3e Hexes through which no train carries a unit by the game's rules. The
        series: those that it may not enter."""
        return self.barred(state, name)

    def must_move(self, state: State, side: str) -> Sequence[str]:
        """OCS 6.1 Units of the side that moves that have yet to move in this segment by the game's
        rules. The series: nobody."""
        return ()

    def supply_barred(self, state: State, side: str) -> Hexes:
        """OCS 12.3d Hexes that no supply path of a side may enter by the game's rules. The series:
        no hex is barred."""
        return 0

    def bridging(self, state: State, side: str, move_mode: bool) -> Bridging:
        """OCS 13.8b Hexsides that a side does not cross as printed: bridged by engineers, by
        pontoons, by intact bridges. `move_mode`: for units on their Move side, where that matters.
        The series: engineer-capable HQs bridge the rivers around them; printed bridges stand."""
        return bridged_by(state.charts.printed, engineers(state, side), state.bridges_down)

    def supply_bridging(self, state: State, side: str, hq: str) -> Bridging:
        """OCS 12.3 Hexsides that supply paths do not cross as printed: for the throw and draw of
        `hq`, or a unit's draw for "". The series: as units cross them."""
        return self.bridging(state, side, False)

    def sources(self, state: State, side: str) -> Hexes:
        """OCS 12.6a Hexes that are supply sources of a side, before zones, enemies and control are
        asked; detrainable hexes (13.3c) are the series'. The series: the map's and the scenario's
        sources, and entries that are open."""
        return printed_sources(state, side)

    def extends(self, charts: Charts, side: str) -> bool:
        """OCS 12.7 Whether a side may form extenders of its transport. The series: it may."""
        return True

    def more_extenders(self, state: State, side: str) -> Iterable[tuple[int, str]]:
        """OCS 12.7 The game's own extenders of a side: hexes, each with the mobility in whose
        points it reaches on. The series: none."""
        return ()

    def traces_by_rail(self, side: str) -> bool:
        """OCS 12.6a(2) Whether detrainable hexes are sources of the side."""
        return True

    def railways(self, state: State, side: str) -> Hexes:
        """OCS 13.3 Hexes whose railway a side's trains and its trace by rail may use, as far as its
        gauge decides. The series: all: there is one gauge."""
        return state.charts.board.every

    def more_stations(self, state: State, side: str) -> Hexes:
        """OCS 13.3c Hexes with a railway that are detrainable by the game's rules, besides places
        and engineers, before control and zones are asked. The series: none."""
        return 0

    def rails_off_map(self, state: State, side: str) -> Mapping[int, Sequence[int]]:
        """OCS 13.3 Hexes that railways off the map join for a side's trains, not for its trace:
        each with those in which a train that leaves the map there may come in again. The series:
        none."""
        return {}

    def always_traces(self, state: State, name: str) -> bool:
        """OCS 12.6 Whether a unit is in trace wherever it stands."""
        return False

    def own_sources(self, state: State, name: str) -> Hexes | None:
        """OCS 12.6 The only sources of a unit that has some of its own; None for all others."""
        return None

    def consolidates(self, charts: Charts, name: str) -> bool:
        """OCS 13.9 Whether the game lets a unit or aircraft be consolidated with its like. The
        series: any."""
        return True

    def breaks_down(self, charts: Charts, name: str) -> bool:
        """OCS 20.0 Whether the game lets a multi-step unit detach steps as breakdowns. The series:
        any."""
        return True

    def may_break_out(self, state: State, name: str) -> bool:
        """OCS 12.8e Whether the game lets a unit break out. The series: every unit may."""
        return True

    def must_recover(self, state: State, name: str) -> bool:
        """OCS 12.10e Whether a unit must recover internal stocks where supply reaches it. The
        series: every unit must."""
        return True

    def returns(self, state: State, name: str, how: str) -> Hexes:
        """OCS 12.8e, 13.5 Hexes in which a unit may return, before it is asked what blocks them:
        one that has broken out ("breakout"), or the game's own ways (`Coming.how`). The series: its
        side's sources on the map."""
        return rules(state.charts).sources(state, state.side(name)) & state.charts.scenario.play

    def entry_shut(self, state: State, side: str) -> Hexes:
        """OCS 13.6 Hexes of entry areas that are closed to a side's arrivals now. The series:
        none."""
        return 0

    def rolled_for(self, state: State, side: str) -> Sequence[str]:
        """OCS 13.5 Tables of replacements on which a side rolls two dice now. The series: none."""
        return ()

    def replacements(self, state: State, table: str, total: int) -> Sequence[str]:
        """OCS 13.5 What two dice on a table of replacements bring. The series: nothing."""
        return ()

    def rebuilds(self, state: State, side: str, table: str, result: str) -> Sequence[str]:
        """OCS 13.5 Units and aircraft for which a side may use a result of a table now. The series:
        none."""
        return ()

    def rebuilt_at(self, state: State, name: str) -> Hexes | str:
        """OCS 13.5 Hexes in which a rebuilt unit may be put, before it is asked what blocks them,
        or the box to which it goes. The series: within two hexes of an HQ that serves it."""
        return near_hqs(state, name)

    def rebuilt_in_zones(self, charts: Charts, name: str) -> bool:
        """OCS 4.5a-K Whether the game lets a unit be rebuilt in enemy zones. The series: -K
        None."""
        return False

    def supply_dice(self, state: State, side: str) -> int:
        """OCS 2.3 B How many dice are rolled for the supply that arrives for a side now. The
        series: B None."""
        return 0

    def shipments(self, state: State, side: str, dice: Sequence[int]) -> Mapping[str, int]:
        """OCS 2.3 B T that arrive for a side now, by shipment: what comes in by one set of places.
        The series: B None."""
        return {}

    def shipment_places(self, state: State, side: str, shipment: str) -> Sequence[Place]:
        """OCS 2.3 B Where a shipment may be put, the usual place first. The series: B None."""
        return ()

    def shipment_is_free(self, state: State, side: str, shipment: str) -> bool:
        """OCS 2.3 B Whether the owner is asked where a shipment goes, as far as both sides can
        tell. The series: B Not."""
        return False

    def serves(self, charts: Charts, hq: str, unit: str) -> bool:
        """OCS 12.3b Whether a unit may use an HQ's throw. The series: any HQ of the side; 13.1d a
        divisional one those that it may."""
        one, other = charts.units[hq], charts.units[unit]
        return one.side == other.side and serves_as_divisional(one, other)

    def printed_hedgehog(self, charts: Charts, side: str, i: int) -> int:
        """OCS 16.0 The level of a hedgehog printed on the map, for a side that may use it; else 0.
        The series: none is printed."""
        return 0

    def most_hedgehog(self, charts: Charts, side: str, i: int) -> int:
        """OCS 16.0b The highest level to which a side may build a hedgehog in a hex. The series:
        four."""
        return MOST_HEDGEHOG

    def entered_hedgehog(self, charts: Charts, level: int) -> int:
        """OCS 9.14e The level that a captured hedgehog has left, 0 for none. The series: as it
        is."""
        return level

    hedgehog_entered_by: str = "OCS 9.14e"
    """OCS 9.14e The clause by which a hedgehog falls to who enters it."""

    def defence(self, counter: Counter, unit: Unit) -> int | None:
        """OCS 3.2b A unit's printed defence where the game has one of its own; else None."""
        return None

    def barrage_share(self, counter: Counter, unit: Unit) -> Fraction:
        """OCS 10.0e What part of its printed barrage an artillery unit fires for steps lost. The
        series: all of it."""
        return Fraction(1)

    def may_take(self, state: State, name: str, marker: str, move_side: bool) -> bool:
        """OCS 5.4 Whether the game lets a unit take a mode that the series allows. The series:
        any."""
        return True

    def reserves_anywhere(self, state: State, name: str) -> bool:
        """OCS 5.7c, 5.7g Whether the game lets a unit enter Reserve mode in enemy zones, and be in
        it in a hedgehog. The series: 5.7g No."""
        return False

    def holds_back(self, state: State, name: str) -> str:
        """OCS 5.4, 6.1, 9.1, 10.0 The clause of the game by which a unit may neither move, change
        its mode, barrage nor attack now; "" where it may. The series: none."""
        return ""

    def on_top(
        self, charts: Charts, units: Mapping[str, Unit], names: Sequence[str]
    ) -> Sequence[str]:
        """OCS 4.8b Those of the units of a hex that lie on top by the game's rules, whatever else
        stands there. The series: none."""
        return ()

    def may_stack(self, charts: Charts, names: Sequence[str]) -> bool:
        """OCS 4.8 Whether the game lets these units stand in one hex. The series: any."""
        return True

    def pile(self, charts: Charts, name: str) -> str:
        """OCS 9.11 The box where a unit lies once it has lost its last step. The series: its side's
        dead pile."""
        return f"box.dead.{charts.units[name].side}"

    def air_pile(self, charts: Charts, name: str) -> str:
        """OCS 14.1 The box of an aircraft that is lost. The series: its side's dead pile."""
        return f"box.dead.{charts.printed.planes[name].side}"

    def retreat_barred(self, state: State, name: str) -> Hexes:
        """OCS 9.12 Hexes that a unit may not even retreat into by the game's rules. The series:
        where it may not go either."""
        return self.barred(state, name)

    def deadly_in_retreat(self, state: State, name: str) -> tuple[Hexes, str]:
        """OCS 9.12 Hexes of `retreat_barred` where a unit that has to retreat there is eliminated,
        and the game's clause. The series: none."""
        return 0, "OCS 9.12"

    def fortified(self, charts: Charts, side: str, i: int) -> tuple[str, Fraction] | None:
        """OCS 9.3, 9.4 For a side that defends a hex where the game's own works change terrain: its
        least row of the Combat Table, and the most that multiplies attacking Armor and Mech instead
        of doubling. Else None. The series: none is."""
        return None

    def ar_bonus(self, state: State, name: str, target: int) -> int:
        """OCS 9.6 What the game adds to a unit's AR in a combat for a hex. The series: nothing."""
        return 0

    def loses_double(self, state: State, battle: Battle, name: str) -> bool:
        """OCS 9.11 Whether each loss that a unit takes in a combat brings a second one, for it or
        another such unit. The series: no unit."""
        return False

    def cost_factor(self, state: State, side: str, what: str | int, purpose: str = "") -> int:
        """OCS 12 How many times the printed cost a side pays for supply that a unit (by id) or a
        hex (by index) consumes. The same holds for supply that is used against a hex. 0 when it is
        free. The series: as printed."""
        return 1

    def absorbing(self, state: State, side: str) -> Sequence[str]:
        """OCS 13.7 Markers of the game's, by id, that a side may use now. They take up units of any
        formation or none, which are then a formation of their own. The series: none."""
        return ()

    def absorbs(self, state: State, marker: str, name: str) -> bool:
        """OCS 13.7 Whether such a marker takes up a unit of its side. The series: none."""
        return False

    def sparing_fuel(self, charts: Charts) -> Sparing | None:
        """OCS 12.5c The game's fuel for formations on short ways, in addition to the series'; None
        for no such thing. The series: none."""
        return None

    def cost_cap(self, state: State, side: str, purpose: str) -> int:
        """OCS 12 Most T that a side pays now for something, whatever its cost and factor; 0 for no
        limit. The series: no limit."""
        return 0

    def capacity(self, state: State, side: str, what: str) -> int:
        """OCS 13.3a Points of a capacity ("rail", or the game's own) that a side has in this turn.
        The series: none."""
        return 0

    def spots(self, charts: Charts, name: str, firer: str) -> bool:
        """OCS 10.0b Whether a unit of the same side may spot for artillery or an aircraft. The
        series: any combat unit."""
        return True

    def fire_together(self, state: State, names: Sequence[str]) -> bool:
        """OCS 10.0 Whether the game lets these artillery units fire one barrage. The series: any
        number of them."""
        return True

    def drops(self, state: State, name: str) -> bool:
        """OCS 14.10 Whether a unit may be dropped from the air; supply always may. The series:
        airborne units."""
        return state.counter(name).kind == AIRBORNE

    def ignores_flak(self, charts: Charts, name: str) -> bool:
        """OCS 14.4f Whether an aircraft takes no loss of flak. The series: none does."""
        return False

    def shuns_air_combat(self, charts: Charts, name: str) -> bool:
        """OCS 14.3e Whether an aircraft aborts instead of entering air combat. The series: none
        does."""
        return False

    def hip_shoots(self, charts: Charts, name: str) -> bool:
        """OCS 14.7d Whether an aircraft's nation or type may fly hip shoots. The series: all
        may."""
        return True

    def bombs_bases(self, charts: Charts) -> bool:
        """OCS 10.0c Whether aircraft may barrage air bases. The series: they may."""
        return True

    def flies(self, state: State, name: str, kind: str) -> bool:
        """OCS 14.2e Whether the game lets an aircraft fly a kind of mission in this segment. The
        series: any."""
        return True

    def flies_over(self, state: State, name: str, i: int) -> bool:
        """OCS 14.2 Whether the game lets an aircraft fly a mission over a hex. The series: any
        hex."""
        return True

    def lands_at(self, state: State, name: str, base: Place) -> bool:
        """OCS 14.1c Whether the game lets an aircraft use a base or box of its side. The series:
        any."""
        return True

    def fly_together(self, state: State, kind: str, names: Sequence[str]) -> bool:
        """OCS 14.2a Whether the game lets these aircraft fly one mission of a kind. The series:
        any."""
        return True

    def bombers(self, charts: Charts, names: Sequence[str]) -> Sequence[str]:
        """OCS 14.7 Those of a mission whose barrage points count. The series: all of them."""
        return names

    def hunts(self, charts: Charts, names: Sequence[str]) -> bool:
        """OCS 10.0a Whether a mission's barrage takes one step on any result that may take steps,
        from one of `hunted`, and needs a spotter. The series: none does."""
        return False

    def hunted(self, state: State, i: int) -> Sequence[str]:
        """OCS 10.0a Units of a hex from whom a barrage of those that hunt takes its step; none: a
        mission of theirs aborts there before flak. The series: any unit."""
        return state.combat_units(i)

    def may_refit(self, state: State, name: str) -> bool:
        """OCS 15.1 Whether the game lets an inactive aircraft be refitted in this phase. The
        series: any."""
        return True

    def refits_together(self, charts: Charts, base: Place) -> bool:
        """OCS 15.1 Whether all inactive aircraft of a base are refitted at once, or none. The
        series: no."""
        return False

    def may_rest(self, charts: Charts, side: str) -> bool:
        """OCS 15.1 Whether a side may declare active aircraft inactive in its Refit Phase. The
        series: no."""
        return False

    def too_many_active(self, state: State, side: str) -> tuple[int, Sequence[str]]:
        """OCS 14.1a How many aircraft of a side the game makes inactive at the end of its Refit
        Phase, and among which its owner chooses. The series: none."""
        return 0, ()

    def more_marks(self, state: State) -> Iterable[tuple[str, str]]:
        """OCS 4.9 What else the game marks for everybody to see: pairs of a place and a marker. The
        series: nothing."""
        return ()


def serves_as_divisional(hq: Counter, unit: Counter) -> bool:
    """OCS 13.1d A divisional HQ serves its own division and the independents of its nation; any
    other HQ is not bound by this."""
    if not hq.muf or hq.muf == unit.muf:
        return True
    return unit.independent and unit.nation == hq.nation


def near_hqs(state: State, name: str) -> Hexes:
    """OCS 13.5 Hexes within two of an HQ of a unit's side that serves it, outside enemy zones, with
    its Combat side up (5.10e in DG too)."""
    charts = state.charts
    side = state.side(name)
    zoned = state.field.zones[charts.enemy(side)]
    found = hexsets.of(
        unit.at
        for hq in hqs_of(charts.printed, side)
        for unit in (state.units[hq],)
        if unit.at >= 0
        and not unit.move_side
        and not hexsets.has(zoned, unit.at)
        and rules(charts).serves(charts, hq, name)
    )
    for _ in range(REBUILDS_WITHIN):
        found = hexsets.widened(found, charts.board.near)
    return found


def rules(charts: Charts) -> Game:
    """The game's own rules that some charts were made with."""
    game = charts.game
    assert isinstance(game, Game)
    return game
