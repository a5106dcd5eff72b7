"""OCS 9, 10 Combat and barrage, worked out again from the printed tables."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.rules.hungarian_rhapsody.books import (
    BARRAGE,
    BY_ROW,
    COMBAT_HEADS,
    COMBAT_ROWS,
    DENSITY,
    FIGHTS,
    LEVEL,
    ROWS,
    Bare,
    Books,
    half_up,
    mode_of,
    plain,
)
from tests.rules.hungarian_rhapsody.witness import has_zoc, is_combat
from warledger.engine.games.ocs.series.state import State


class Battles(Books):
    """The books of one game, with its combats and barrages."""

    # --- 9: combat --------------------------------------------------------------------------------

    def _BattleBegun(self, before: State, event: Any, after: State) -> None:
        bare = Bare(self.pack, self.name, before)
        foe = before.enemy(event.side)
        if event.row == "empty":
            # OCS 21.8
            assert self.options["attack_empties"], "an empty hex is attacked"
            assert event.target not in bare.own[foe], f"the enemy is in {event.target}"
            assert event.target not in bare.own[event.side], f"{event.target} is entered already"
        else:
            assert event.target in bare.own[foe], f"nobody to attack in {event.target}"
        names = [name for _hex, stack in event.stacks for name in plain(stack)]
        assert len(set(names)) == len(names), "somebody attacks twice"
        for hex, stack in event.stacks:
            assert hex in self.pack.grid.nb[event.target], f"{hex} is far from {event.target}"
            for name in plain(stack):
                one = self.pack.unit[name]
                assert bare.at[name] == hex, f"{name} is not in {hex}"
                assert has_zoc(one, "combat"), f"{name} cannot attack"
                assert bare.mode[name] not in ("reserve", "strat"), (
                    f"{name} is in {bare.mode[name]}"
                )
        if event.row == "overrun":
            assert before.segment in ("c2", "e1", "g1") and len(event.stacks) == 1
            return
        assert before.segment in ("f2", "g3") and event.side == before.phasing
        assert event.target not in self.attacked, f"{event.target} is attacked twice"
        assert not self.attackers & set(names), "somebody attacks in two combats"
        self.attacked.add(event.target)
        self.attackers |= set(names)

    def _rows(self, state: State, i: int) -> list[str]:
        """OCS 9.3 What lies in a hex: keys of the chart."""
        p, h = self.pack, self._where(state, i)
        own = p.terrain[h]
        found = list(p.tables["terrain"][own].get("either", [own]))
        place = p.place.get(h)
        return [
            *found,
            *([place["kind"]] if place and p.tables["place"][place["kind"]].get("row") else []),
        ]

    def _chart(self, key: str) -> Mapping[str, Any]:
        for part in ("terrain", "place", "hexside"):
            if key in self.pack.tables[part]:
                row: Mapping[str, Any] = self.pack.tables[part][key]
                return row
        raise KeyError(key)

    def _black(self, state: State, side: str, i: int) -> bool:
        """HR 1.1e Whether a hex is a printed hedgehog with a black border, which the Axis uses."""
        return side == "axis" and self.pack.mph.get(self._where(state, i), ("", False))[1]

    def _hedgehog(self, state: State, side: str, i: int) -> int:
        built = state.hedgehogs.get(i)
        level = built.level if built is not None and built.side == side else 0
        own = side == "axis" and self._where(state, i) in self.pack.mph
        return max(level, int(self.pack.tables["printed_hedgehog"]["level"]) if own else 0)

    def _row(self, state: State, side: str, i: int, ground: str) -> str:
        row = str(self._chart(ground)["row"])
        return max(row, "close", key=ROWS.index) if self._black(state, side, i) else row

    def _strength(self, state: State, name: str, attacking: bool, supplied: bool) -> Fraction:
        unit, one = state.units[name], self.pack.unit[name]
        value = Fraction(self._printed(name, unit)[0])
        if not attacking and one["type"] == "hq":
            value = Fraction(one["defence"][unit.move_side])
        if not attacking and one["type"] == "artillery":
            value = Fraction(max(one["steps"], 1) - unit.lost) if one["steps"] > 1 else Fraction(1)
        elif one["steps"] > 1 and unit.lost:
            if self.options["proportional_losses"]:
                value = Fraction(half_up(value * (one["steps"] - unit.lost) / one["steps"]))
            elif attacking or 2 * unit.lost >= one["steps"]:
                value /= 2
        value *= FIGHTS[mode_of(unit)][0 if attacking else 1]
        if unit.oos:
            value /= 2
        return value if supplied or attacking else value / 2

    def _BattleWeighed(self, before: State, event: Any, after: State) -> None:
        """OCS 9.3-9.7 Strengths, odds and column from the printed charts."""
        battle = before.battle
        assert battle is not None
        side, foe = battle.side, before.enemy(battle.side)
        level = max([LEVEL[self.pack.unit[name]["at"]] for name in battle.defenders], default=0)
        if self._hedgehog(before, foe, battle.target):
            level = 2
        attack = Fraction(0)
        for i, stack in battle.attackers.items():
            row = self._chart(battle.terrain[i])
            for name in stack:
                cls = self.pack.unit[name]["cls"]
                cls = cls if cls in ("armor", "mech") else "other"
                times = Fraction(row[cls])
                if self._black(before, foe, battle.target) and cls != "other":
                    times = min(times, Fraction(1)) if times >= 2 else times
                if times == 2 and 0 < level >= LEVEL[self.pack.unit[name]["at"]]:
                    times = Fraction(3, 2)
                attack += times * self._strength(before, name, True, True)
        ground = self._chart(battle.ground)
        defence = Fraction(0)
        for name in battle.defenders:
            cls = self.pack.unit[name]["cls"]
            times = Fraction(ground[cls if cls in ("armor", "mech") else "other"])
            times = Fraction(1) if ground.get("attack_only") else times
            fed = battle.paid.get(foe) != "none" and name not in battle.unpaid
            defence += times * self._strength(before, name, False, fed)
        assert (event.attack, event.defence) == (str(attack), str(defence)), (
            f"{attack} against {defence}, and not {event.attack} against {event.defence}"
        )
        row = self._row(before, foe, battle.target, battle.ground)
        assert row == event.row, f"the row {event.row} for {row}"
        heads = [Fraction(*map(int, head.split(":"))) for head in COMBAT_HEADS[row]]
        if attack > 0 and defence > 0:
            less = min(attack, defence)
            ratio = Fraction(half_up(attack / less), half_up(defence / less))
        else:
            ratio = Fraction(1) if attack == defence else heads[-1] if attack > 0 else heads[0]
        column = max([n for n, head in enumerate(heads) if head <= ratio], default=0)
        assert column == event.column, f"column {event.column} for {column}"
        lead = battle.leaders
        drm = self._ar(before, lead[side], battle.target) - self._ar(
            before, lead[foe], battle.target
        )
        assert drm == event.drm, f"DRM {event.drm} for {drm}"
        self.weighed = column

    def _ar(self, state: State, name: str, target: int) -> int:
        unit, one = state.units[name], self.pack.unit[name]
        bonus = 0
        if self.options["mountain_units"] and one["type"] == "mountain":
            bonus = int(self.pack.terrain[self._where(state, target)] == "mountain")
        if unit.marker == "strat":
            return bonus
        return int(self._printed(name, unit)[1]) - (unit.marker == "dg") + bonus

    def _BattleFought(self, before: State, event: Any, after: State) -> None:
        """OCS 9.8, 9.9 Surprise, shift and result from the printed tables."""
        battle = before.battle
        assert battle is not None
        high, low = (9, 6) if battle.row == "overrun" else (10, 5)
        roll = event.surprise_roll
        who = "attacker" if roll >= high else "defender" if roll <= low else ""
        assert event.surprise == who, f"surprise by {roll}"
        shift = {"attacker": event.shift, "defender": -event.shift}.get(who, 0)
        assert (1 <= event.shift <= 6) if who else not event.shift
        column = min(max(self.weighed + shift, 0), 12)
        assert column == event.column, f"column {event.column} for {column}"
        cell = COMBAT_ROWS[str(min(max(event.roll, 1), 15))][column]
        assert cell == event.result, f"{event.result} for {cell}"

    # --- 10: barrage ------------------------------------------------------------------------------

    def _ShellsFallen(self, before: State, event: Any, after: State) -> None:
        fire = before.fire
        assert fire is not None
        where, side = self._where(before, fire.target), fire.side
        if fire.kind != "air":
            assert where not in self.shelled, f"{where} is barraged twice"
            assert not self.gunners & set(fire.units), "a gun fires twice"
            self.shelled.add(where)
            self.gunners |= set(fire.units)
            points = Fraction(0)
            for name in fire.units:
                unit, one = before.units[name], self.pack.unit[name]
                assert one["type"] == "artillery" and unit.marker not in ("reserve", "strat"), name
                away = self._distance(before.charts.board.name(unit.at), where)
                assert 1 <= away <= one["range"], f"{name} fires {away} hexes"
                value = Fraction(self._printed(name, unit)[0])
                if one["steps"] > 1:
                    value = value * (one["steps"] - unit.lost) / one["steps"]
                points += value / 2 if unit.marker == "dg" else value
            assert Fraction(event.strength) == points, f"{points} points, and not {event.strength}"
        if fire.aim != "units":
            return
        heads = list(BARRAGE["2d6"])
        lows = [1 if head == "<=1" else int(head.strip(">=").split("-")[0]) for head in heads]
        whole = half_up(Fraction(event.strength))
        column = max([n for n, low in enumerate(lows) if whole >= low], default=0)
        assert heads[fire.column] == event.column
        assert fire.column == column or (self.options["lower_column"] and fire.column < column)
        foe = before.enemy(side)
        together: Counter[str] = Counter()
        for name in [n for n, u in before.units.items() if u.at == fire.target]:
            one = self.pack.unit[name]
            if is_combat(one):
                lost = 4 * before.units[name].lost if one["steps"] > 1 else 0
                together[self._formation(before, name) or name] += one["re"] - lost
        quarters = sum(min(value, 12) for value in together.values())
        shift = next((by for most, by in DENSITY if quarters <= most), 4)
        shift -= bool(self._hedgehog(before, foe, fire.target))
        rows = [self._row(before, foe, fire.target, key) for key in self._rows(before, fire.target)]
        shift += BY_ROW[max(rows, key=ROWS.index)]
        shift += 3 * any(u.at == fire.target and u.marker == "strat" for u in before.units.values())
        named = dict(event.shifts)
        other = sum(named.get(name, 0) for name in ("unspotted", "short_range", "long_range"))
        at = min(max(fire.column + shift + other, 0), 10)
        assert sum(named.values()) == shift + other, f"shifts {named}, and not {shift}"
        cell = BARRAGE[str(sum(event.dice))][at]
        marks = str.maketrans("–½", "-2")
        assert event.result.replace("½", "1/2").translate(marks) == cell, (
            f"{event.result} for {cell}"
        )
