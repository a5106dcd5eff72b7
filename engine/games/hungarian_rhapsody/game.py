"""HR 1-3: what the game alters in the series, as the series asks for it (ocs/series/game.py).

Beside each stands which clause it carries out; the clauses' own chapters cite it from here.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody import (
    air,
    ammunition,
    artillery,
    battle_group,
    fighting,
    fortress,
    fronts,
    lines,
    mountain_groups,
    pontoons,
    railways,
    rebuilding,
    returning,
    rvgk,
    shipments,
    special_extenders,
    speech,
    supply,
)
from warledger.engine.games.ocs.ch03_counters.counters import Counter
from warledger.engine.games.ocs.ch20_breakdowns import breakdowns
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.game import Game
from warledger.engine.games.ocs.series.scenario import Place
from warledger.engine.games.ocs.series.state import State, Unit
from warledger.engine.kernel.change import replace

AXIS, SOVIET = "axis", "soviet"

ROMANIAN = "romanian"

ALLIES = ("czech", "slovak", "yugoslav")
"""HR 3.5f Nations of the Soviet side that are neither Soviet nor Romanian."""


class HungarianRhapsody(Game):
    """The game's own rules."""

    supply_apart = frozenset({pontoons.LIGHT_HQ})
    hedgehog_entered_by = "HR 1.1f"

    def set_up(self, state: State) -> State:
        """HR 1.4a Danube bridges next to Soviet units have gone. HR 2.4 A Budapest Fortress may
        stand."""
        return fortress.set_up(replace(state, bridges_down=pontoons.fallen(state)))

    barred = staticmethod(lines.barred)  # HR 1.2a, 1.2b, 2.5b, 3.4b, 3.4c, 3.5d
    barred_by = staticmethod(lines.clause)  # HR 1.2a, 1.2b, 2.5b, 3.4b, 3.4c, 3.5d

    def crossing_barred_by(self, state: State, a: int, b: int) -> str:
        """HR 1.4a The Danube is crossed by bridges and pontoons alone."""
        board = state.charts.board
        return "HR 1.4a" if board.river_class(board.slot(a, b)) == "danube" else "OCS 6.2c"

    attack_barred = staticmethod(lines.attack_barred)  # HR 1.2a, 1.2b, 2.5b, 3.4b, 3.4c, R-05

    # HR 1.2a, 1.2b, 2.5b, 3.4b, 3.4c A train carries nobody through what they may not enter, be it
    # that they get out beyond it.
    rails_barred = staticmethod(lines.barred)
    must_move = staticmethod(lines.must_return)  # HR 1.2a, 2.5b, R-04
    rails_off_map = staticmethod(railways.off_map)  # HR 1.1d

    def railways(self, state: State, side: str) -> Hexes:
        """HR 1.2b The railways of the South Balaton area belong to the Axis before 1 December."""
        return state.charts.board.every & ~lines.supply_barred(state, side)

    # HR 1.2b The South Balaton area is open only to Axis trace, and only before 1 December.
    supply_barred = staticmethod(lines.supply_barred)

    # HR 1.4a, 1.4b, 1.4c Pontoons bridge as well as HQs.
    bridging = staticmethod(pontoons.bridging)
    supply_bridging = staticmethod(pontoons.supply_bridging)  # HR 1.4c
    sources = staticmethod(fronts.named)  # HR 3.1a, 3.1c

    def extends(self, charts: Charts, side: str) -> bool:
        """HR 3.1e The Soviets form no extenders of their transport."""
        return side == AXIS

    more_extenders = staticmethod(special_extenders.extenders)  # HR 3.1e

    def traces_by_rail(self, side: str) -> bool:
        """HR 3.1d The Soviets have no detrainable trace."""
        return side == AXIS

    def more_stations(self, state: State, side: str) -> Hexes:
        """HR 1.1d Railway hexes at the map's edge are detrainable for the Axis, those that cross no
        edge too (A53.01)."""
        if side != AXIS:
            return 0
        return railways.at_the_edge(state.charts.board) & state.control[side]

    def always_traces(self, state: State, name: str) -> bool:
        """HR 3.5d Romanian mountain groups."""
        return mountain_groups.is_group(state.counter(name))

    def own_sources(self, state: State, name: str) -> Hexes | None:
        """HR 3.5c Slovak partisans and the Czech 2nd Para trace from the partisan supply hexes."""
        if not state.counter(name).traits.get("partisan_supply"):
            return None
        return state.charts.board.areas["area.partisan_supply"]

    def consolidates(self, charts: Charts, name: str) -> bool:
        """HR 3.5f Soviet and Romanian units and aircraft are not consolidated."""
        printed = (
            charts.printed.planes[name] if name in charts.printed.planes else charts.units[name]
        )
        return printed.side == AXIS or printed.nation in ALLIES

    def breaks_down(self, charts: Charts, name: str) -> bool:
        """HR 2.5c, 3.5e The Axis breaks units down, as far as its counters allow; the Soviets do
        not."""
        return charts.units[name].side == AXIS

    def may_break_out(self, state: State, name: str) -> bool:
        """HR 3.5c, 3.5d Neither partisans nor the Czech 2nd Para break out, nor do the mountain
        groups, which always trace."""
        traits = state.counter(name).traits
        return not traits.get("partisan_supply") and not traits.get("combat_mode_only")

    def must_recover(self, state: State, name: str) -> bool:
        """HR 2.4 Internal stocks need not be recovered in a Budapest Fortress."""
        return not fortress.holds(state, name)

    def returns(self, state: State, name: str, how: str) -> Hexes:
        """HR 3.3a, 3.3b"""
        if how == returning.HOW:
            return returning.infantry_at(state, name)
        if how.startswith(fronts.FRONT):
            return rvgk.returns(state, how)
        return super().returns(state, name, how)

    entry_shut = staticmethod(rebuilding.entry_shut)  # HR 2.1a
    rolled_for = staticmethod(rebuilding.tables)  # HR 2.1b, 3.1b
    replacements = staticmethod(rebuilding.results)  # HR 2.1b
    rebuilds = staticmethod(rebuilding.rebuilt)  # HR 2.1b, 3.3b, 3.4b
    rebuilt_at = staticmethod(rebuilding.rebuilt_at)  # HR 2.1a, 3.3b

    def rebuilt_in_zones(self, charts: Charts, name: str) -> bool:
        """HR 2.1a Hungarians in their towns are; white ones come in with the others."""
        counter = charts.units[name]
        return counter.nation == "hungarian" and not counter.traits.get("white")

    supply_dice = staticmethod(shipments.dice)  # HR 2.1b
    shipment_places = staticmethod(shipments.places)  # HR 1.3a, 2.1a, 3.1a, 3.1b
    shipment_is_free = staticmethod(shipments.is_free)  # HR 2.1b

    def shipments(self, state: State, side: str, dice: Sequence[int]) -> Mapping[str, int]:
        """HR 2.1b, 3.1b"""
        return shipments.arriving(state, side, dice)

    serves = staticmethod(supply.serves)  # HR 2.3a, 3.4a, 4.0d

    def printed_hedgehog(self, charts: Charts, side: str, i: int) -> int:
        """HR 1.1e Printed hedgehogs belong to the Axis alone."""
        if side != AXIS or not hexsets.has(charts.board.printed_hedgehogs, i):
            return 0
        return int(charts.printed.chart["printed_hedgehog"]["level"])

    def most_hedgehog(self, charts: Charts, side: str, i: int) -> int:
        """HR 1.1e, 1.1f Two; printed hedgehogs are not raised by the side that uses them, the other
        builds its own beside them."""
        if self.printed_hedgehog(charts, side, i):
            return 0
        return int(charts.printed.chart["printed_hedgehog"]["max_built_level"])

    def entered_hedgehog(self, charts: Charts, level: int) -> int:
        """HR 1.1f It drops one level the moment it is entered; HR R-03, what is left is the
        captor's."""
        return level - 1

    def defence(self, counter: Counter, unit: Unit) -> int | None:
        """HR 3.5b An artillery division defends with the steps it has."""
        if counter.traits.get("barrage_by_steps"):
            return counter.steps - unit.lost
        return None

    def barrage_share(self, counter: Counter, unit: Unit) -> Fraction:
        """HR 3.5b An artillery division fires with the steps it has."""
        if counter.traits.get("barrage_by_steps"):
            return Fraction(counter.steps - unit.lost, counter.steps)
        return Fraction(1)

    def may_take(self, state: State, name: str, marker: str, move_side: bool) -> bool:
        """HR 3.5c, 3.5d Partisans and Romanian mountain groups stay in Combat mode."""
        if state.counter(name).traits.get("combat_mode_only"):
            return not marker and not move_side
        return True

    reserves_anywhere = staticmethod(fortress.reserves)  # HR 2.4 Artillery in a Budapest Fortress.
    holds_back = staticmethod(speech.holds_back)  # HR 4.0b
    on_top = staticmethod(pontoons.on_top)  # HR 1.4b

    def may_stack(self, charts: Charts, names: Sequence[str]) -> bool:
        """HR 3.5c, 3.5d, R-37 Partisans and Romanian mountain groups stack with no other unit."""
        alone = any(charts.units[name].traits.get("no_stack") for name in names)
        return not alone or sum(charts.units[name].combat_unit for name in names) == 1

    def pile(self, charts: Charts, name: str) -> str:
        """HR 1.2a White units have a dead pile of their own; HR 2.5c breakdowns go back to their
        box."""
        counter = charts.units[name]
        if breakdowns.generic(counter):
            return breakdowns.POOL
        white = "_white" if counter.traits.get("white") else ""
        return f"box.dead.{counter.side}{white}"

    def air_pile(self, charts: Charts, name: str) -> str:
        """HR 1.2a"""
        plane = charts.printed.planes[name]
        white = "_white" if plane.traits.get("white") else ""
        return f"box.dead.{plane.side}{white}"

    def retreat_barred(self, state: State, name: str) -> Hexes:
        """HR 1.2a, 1.2b, 2.5b, 3.4b, 3.4c White units may retreat south, the garrison out of
        Budapest; nobody into the areas that are closed to all."""
        return lines.barred(state, name, retreating=True)

    def deadly_in_retreat(self, state: State, name: str) -> tuple[Hexes, str]:
        """HR 1.2b South Balaton, and Yugoslavia west of the Danube."""
        return lines.prohibited(state, name), "HR 1.2b"

    fortified = staticmethod(fighting.fortified)  # HR 1.1e, R-02
    ar_bonus = staticmethod(fighting.mountain_troops)  # HR 4.0h
    loses_double = staticmethod(fighting.loses_double)  # HR 4.0c

    def cost_factor(self, state: State, side: str, what: str | int, purpose: str = "") -> int:
        """HR 2.4, 3.1f, 3.5c, 3.5d"""
        return supply.cost_factor(state, side, what, purpose)

    absorbing = staticmethod(battle_group.absorbing)  # HR 4.0e

    def absorbs(self, state: State, marker: str, name: str) -> bool:
        """HR 4.0e"""
        return battle_group.absorbs(state, name)

    sparing_fuel = staticmethod(supply.sparing_fuel)  # HR 4.0f
    cost_cap = staticmethod(ammunition.cap)  # HR 3.1g

    def capacity(self, state: State, side: str, what: str) -> int:
        """HR 2.1c, 3.1d The Axis has rail capacity, the Soviets have truck capacity."""
        if what == "truck":
            return supply.truck_points(state, side)
        return supply.rail_points(state, side) if what == "rail" else 0

    spots = staticmethod(artillery.spots)  # HR 3.4a, 3.5c, R-35, R-36
    fire_together = staticmethod(artillery.fire_together)  # HR 3.5a

    def drops(self, state: State, name: str) -> bool:
        """HR 1.5b Only supply."""
        return False

    ignores_flak = staticmethod(air.rudel)  # HR 2.2b
    shuns_air_combat = staticmethod(air.rudel)  # HR 2.2b
    hip_shoots = staticmethod(air.hip_shoots)  # HR 1.3d

    def bombs_bases(self, charts: Charts) -> bool:
        """HR 1.3e Only artillery barrages air bases."""
        return False

    flies = staticmethod(air.flies)  # HR 2.2a, 3.2b
    flies_over = staticmethod(air.flies_over)  # HR 1.2a

    def lands_at(self, state: State, name: str, base: Place) -> bool:
        """HR 1.2a, 1.3c, 3.2b"""
        return air.lands_at(state, name, base)

    fly_together = staticmethod(air.fly_together)  # HR 2.2a
    bombers = staticmethod(air.bombers)  # HR 2.2a
    hunts = staticmethod(air.hunts)  # HR 2.2a
    hunted = staticmethod(air.hunted)  # HR 2.2a
    may_refit = staticmethod(air.may_refit)  # HR 3.2b

    def refits_together(self, charts: Charts, base: Place) -> bool:
        """HR 3.2b The Long Range Air Force."""
        return base == air.LONG_RANGE_BOX

    may_rest = staticmethod(air.may_rest)  # HR 1.3e
    too_many_active = staticmethod(air.too_many_active)  # HR 3.2a

    def more_marks(self, state: State) -> Iterable[tuple[str, str]]:
        """HR 2.4 The hexes of Budapest Fortresses."""
        inside = fortress.inside(state)
        if not inside:
            return ()
        name = state.charts.board.name
        return [(name(i), fortress.MARKER) for i in hexsets.listed(inside)]


GAME: Game = HungarianRhapsody()
