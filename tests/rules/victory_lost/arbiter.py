"""An arbiter who reads a game's log with the pack and the rule book beside him: his own costs,
ratios, losses, points and chits.

He folds the records for the positions, but works out what may be done, and what it comes to, from
the pack's documents alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost import checks
from warledger.engine.games.victory_lost.advance import Advanced
from warledger.engine.games.victory_lost.combat import AttackDeclared, AttackResolved
from warledger.engine.games.victory_lost.command import ChitDrawn
from warledger.engine.games.victory_lost.losses import Eliminated, Reduced
from warledger.engine.games.victory_lost.movement import Moved
from warledger.engine.games.victory_lost.reinforcements import Placed
from warledger.engine.games.victory_lost.retreat import Retreated
from warledger.engine.games.victory_lost.rules import RULES
from warledger.engine.games.victory_lost.state import State
from warledger.engine.games.victory_lost.supply import SupplyChecked
from warledger.engine.games.victory_lost.victory import CutOffCounted, TurnEnded
from warledger.engine.kernel.replay import Replayer, takeback_targets
from warledger.protocol import canon
from warledger.protocol.chance.seal import Opening, reveal
from warledger.protocol.log import records
from warledger.protocol.log.records import Genesis, Record

ENEMY = {"axis": "soviet", "soviet": "axis"}


class Map:
    """The pack's map, read without the engine: neighbours, terrain, rivers, bridges, roads."""

    def __init__(self, pack: Mapping[str, Any]) -> None:
        doc, self.tables = pack["map"], pack["tables"]
        legend = doc["terrain"]["legend"]
        self.terrain = {
            f"{c:02}{r:02}": legend[sign]
            for r, row in enumerate(doc["terrain"]["rows"], 1)
            for c, sign in enumerate(row, 1)
        }
        self.river = {
            side(pair): item["class"] for item in doc["river"] for pair in item["hexsides"].split()
        }
        self.road = {pair for item in doc.get("road", ()) for pair in chain(item["hexes"])}
        rails = {pair for item in doc.get("rail", ()) for pair in chain(item["hexes"])}
        self.bridged = (
            self.road
            | rails
            | {side(pair) for pair in doc.get("bridges", {}).get("hexsides", "").split()}
        ) & set(self.river)
        self.places = {item["hex"]: item["kind"] for item in doc["places"]["list"]}
        self.cities = {item["hex"] for item in doc["places"]["list"] if item["kind"] == "strategic"}
        self.pocket = {
            name
            for item in doc["area"]
            if item["kind"] == "closed"
            for name in item["hexes"].split()
        }

    def around(self, name: str) -> list[str]:
        """The neighbours on the map: even columns lie half a hex lower."""
        c, r = int(name[:2]), int(name[2:])
        low = 0 if c % 2 == 0 else -1
        six = [
            (c, r - 1),
            (c, r + 1),
            (c + 1, r + low),
            (c + 1, r + low + 1),
            (c - 1, r + low),
            (c - 1, r + low + 1),
        ]
        return [found for column, row in six if (found := f"{column:02}{row:02}") in self.terrain]

    def shift(self, name: str) -> int:
        """9.3.3 Columns down for the defender."""
        place = self.places.get(name)
        return int(self.tables["terrain"][self.terrain[name]]["shift"]) + (
            self.tables["place"][place]["shift"] if place else 0
        )


def side(pair: str) -> frozenset[str]:
    """A hexside by its two hexes."""
    return frozenset(pair.split("-"))


def chain(text: str) -> list[frozenset[str]]:
    """The hexsides along a chain of hexes."""
    hexes = text.split()
    return [frozenset(pair) for pair in pairwise(hexes)]


class Arbiter:
    """Reads one game. `read` raises AssertionError at the first event that he would not allow."""

    def __init__(self, log: Sequence[Record], openings: Sequence[Iterable[Opening]]) -> None:
        self.log, self.openings = log, openings
        genesis = Genesis.from_record(log[0])
        pack = canon.unpack_trusted(genesis.pack)
        self.options = genesis.options
        self.map = Map(pack)
        counters = pack["counters"]
        self.units = {entry["id"]: entry for entry in counters["units"]}
        self.hqs = {entry["id"]: entry for entry in counters["hqs"]}
        self.crt = pack["tables"]["crt"]
        self.score = dict(pack["setup"]["scenario"]["score"])
        self.control = dict.fromkeys(self.map.cities, "axis")
        self.faces = {name: 2 if "reduced" in unit else 1 for name, unit in self.units.items()}
        self.replayer: Replayer[State] = Replayer(RULES, genesis, takeback_targets(log))
        self.events = 0
        self.waits: set[str] = set()

    def read(self) -> int:
        """The whole log; returns how many events it holds."""
        saved: dict[int, Any] = {}
        for record, openings in zip(self.log[1:], self.openings[1:], strict=True):
            if record.kind == records.COMMAND:
                saved[record.seq - 1] = (dict(self.score), dict(self.control), dict(self.faces))
                body = reveal(
                    record.body,
                    (opening for opening in openings if opening.path[0] != records.EFFECTS),
                )
                state = self.replayer.position.state
                for array in body[records.EVENTS]:
                    event = self.replayer.codec.decode(array, record.seq)
                    after = RULES.evolve(state, event)
                    try:
                        checks.check(after)
                        self.judge(state, event, after)
                    except AssertionError as error:
                        raise AssertionError(f"record {record.seq}, {event}: {error}") from error
                    state = after
                    self.events += 1
                self.at_rest(record.seq, state, body[records.FLOW])
            if record.kind == records.TAKEBACK:
                self.score, self.control, self.faces = (
                    dict(item) for item in saved[record.body[1]]
                )
            self.replayer.feed(record, tuple(openings))
        return self.events

    # --- event by event ---------------------------------------------------------------------------

    def judge(self, state: State, event: Any, after: State) -> None:
        """One event."""
        if isinstance(event, Moved):
            self.moved(state, event)
        elif isinstance(event, AttackDeclared):
            self.declared(state, event)
        elif isinstance(event, AttackResolved):
            assert state.battle is not None
            assert event.result == self.crt["rows"][str(event.die)][state.battle.column], (
                "9.4.1: not what the table says"
            )
        elif isinstance(event, Retreated):
            self.passed(event.counters, event.path[1:-1] if event.fell else event.path[1:])
            self.stepwise(state, event.path, self.side_of(event.counters[0]))
        elif isinstance(event, Advanced):
            self.advanced(state, event)
        elif isinstance(event, Placed):
            self.passed((event.counter,), (event.hex,), hq=True)
        elif isinstance(event, Reduced):
            self.faces[event.unit] -= 1
            assert self.faces[event.unit] == 1
        elif isinstance(event, Eliminated):
            self.faces[event.unit] = 0
            self.score[ENEMY[self.side_of(event.unit)]] += self.worth(event.unit)
        elif isinstance(event, SupplyChecked):
            checks.check_thoroughly(after)
        elif isinstance(event, CutOffCounted):
            for name, counter in state.counters.items():
                if name in self.units and counter.at != OFF_MAP and counter.supply:
                    self.score[ENEMY[self.side_of(name)]] += self.worth(name)
        elif isinstance(event, ChitDrawn):
            assert event.chit not in state.cup.drawn, "7.2.1: drawn twice"
            chosen = [
                chit
                for secret in state.cup.chosen.values()
                if secret is not None
                for chit in secret.value
            ]
            assert event.chit in chosen, "7.1.2: nobody put it in the cup"
        elif isinstance(event, TurnEnded):
            assert after.score == self.score, (
                f"14.0.1: {after.score}, but by the losses and cities {self.score}"
            )
            assert {after.data.name(i): who for i, who in after.control.items()} == self.control
            assert not still_in_cup(after), "4.1.2: chits are left in the cup"

    def side_of(self, name: str) -> str:
        """The side of a counter."""
        return str((self.units.get(name) or self.hqs[name])["side"])

    def worth(self, name: str) -> int:
        """14.0.1, 15.0.1(a) What the enemy scores for a unit."""
        unit = self.units[name]
        if unit["side"] == "soviet":
            return 1 if unit["mech"] else 0
        if unit["nation"] != "german":
            return 0
        return (self.options["panzer_points"] or 3) if unit["mech"] else 1

    def passed(self, names: Iterable[str], hexes: Iterable[str], *, hq: bool = False) -> None:
        """R-41 Cities on a way change hands with the first unit that comes."""
        names = tuple(names)
        if (
            not hq
            and not self.options["hq_takes_city"]
            and not any(name in self.units for name in names)
        ):
            return
        mine = self.side_of(names[0])
        for name in hexes:
            if self.control.get(name, mine) != mine:
                self.control[name] = mine
                self.score[mine] += 5
                self.score[ENEMY[mine]] -= 5

    def zone(self, state: State, name: str, mine: str) -> bool:
        """6.0 Whether an enemy unit stands next to a hex."""
        index = state.data.board.grid.index
        return any(
            other in self.units and self.side_of(other) != mine
            for near in self.map.around(name)
            for other in state.field.stacks.get(index[near], ())
        )

    def stepwise(self, state: State, path: Sequence[str], mine: str) -> None:
        """5.0.2, 8.1.5, 13.0 Hex by hex over land that is open to the side."""
        for a, b in pairwise(path):
            assert a == b or b in self.map.around(a), f"{a}-{b} do not touch"
            assert self.map.terrain[b] != "water", f"{b} is water"
            assert state.turn > 4 or b not in self.map.pocket, f"13.0: {b} is in the pocket"
            there = state.field.stacks.get(state.data.board.grid.index[b], ())
            assert not any(name in self.units and self.side_of(name) != mine for name in there), (
                f"5.0.2: enemies in {b}"
            )

    def moved(self, state: State, event: Moved) -> None:
        """8.0 The path, what it costs (in half points), and what is left of the smallest
        allowance."""
        mine = self.side_of(event.counters[0])
        activation = state.activation
        assert activation is not None
        assert activation.side == mine
        assert all(name in (*activation.units, *activation.hqs) for name in event.counters), (
            "7.3.2: not activated"
        )
        path = list(event.path)
        boxed = path[0].startswith("box.")
        going = activation.interrupted
        if boxed:
            path = path[1:]
        self.stepwise(state, path, mine)
        fresh = going is None
        points = (
            going.left
            if going is not None
            else min(self.allowance(state, name, event.mode) for name in event.counters)
        )
        over = False
        if boxed:
            points -= self.entry(state, event, path[0], mine)
            fresh = False
        if event.mode:
            assert boxed or not self.zone(state, path[0], mine), "8.3.1: starts in a zone"
            assert not any(self.zone(state, name, mine) for name in path[(not boxed) :]), (
                "8.3.1: enters a zone"
            )
        for a, b in pairwise(path):
            assert not over, "8.1.3: goes on after crossing a major river"
            price, over = self.price(state, event, a, b, mine, fresh=fresh)
            points -= price
            fresh = False
            assert points >= 0, f"8.1.2: {b} cannot be paid"
        assert event.left == (0 if over else points), (
            f"8.1.2: {points} half points are left, not {event.left}"
        )
        self.passed(event.counters, path[(not boxed) :])

    def allowance(self, state: State, name: str, mode: str) -> int:
        """8.1.2, 10.2.3, 15.0.1(b)."""
        points = int((self.units.get(name) or self.hqs[name])["move"])
        if state.counters[name].supply == 2:
            points //= 2
        return 2 * points + (2 if mode and self.options["command_march"] else 0)

    def column(self, event: Moved) -> str:
        mech = {
            bool(self.units[name]["mech"]) if name in self.units else True
            for name in event.counters
        }
        return "move_other" if mech == {False} else "move_mech"

    def entry(self, state: State, event: Moved, name: str, mine: str) -> int:
        """R-37 The first hex from a box."""
        cost = (
            1
            if event.mode == "road"
            else 2 * int(self.map.tables["terrain"][self.map.terrain[name]][self.column(event)])
        )
        return cost + (4 if self.zone(state, name, mine) and self.options["entry_zone_cost"] else 0)

    def price(
        self, state: State, event: Moved, a: str, b: str, mine: str, *, fresh: bool
    ) -> tuple[int, bool]:
        """8.1.2, 8.1.3, 8.2, 8.3 One step in half points, and whether it ends the move."""
        edge = frozenset((a, b))
        out, into = self.zone(state, a, mine), self.zone(state, b, mine)
        river = self.map.river.get(edge)
        if river == "major":
            assert not (out and into), "8.2.2: zones on both banks"
        on_road = edge in self.map.road
        assert event.mode != "road" or on_road, "8.3.1: off the road"
        terrain = 2 * int(self.map.tables["terrain"][self.map.terrain[b]][self.column(event)])
        bridged = edge in self.map.bridged
        if not bridged and river == "minor":
            terrain += 2
        cost = 1 if event.mode == "road" else min(2, terrain) if on_road else terrain
        if not bridged and river == "major":
            assert fresh, "8.1.3: not from the bank where the move starts"
        return cost + 4 * out + 4 * into, not bridged and river == "major"

    def declared(self, state: State, event: AttackDeclared) -> None:
        """9.3 Strengths and column, in his own arithmetic."""
        activation = state.activation
        assert activation is not None
        assert not set(event.attackers) & set(activation.attacked), "9.1.1: attacks twice"
        assert set(event.attackers) <= set(activation.units)
        groups: dict[tuple[str, int], int] = {}
        for name in event.attackers:
            at = state.data.name(state.at(name))
            assert event.hex in self.map.around(at)
            by = (2 if frozenset((at, event.hex)) in self.map.river else 1) * (
                2 if state.counters[name].supply else 1
            )
            groups[at, by] = groups.get((at, by), 0) + self.strength(name)[0]
        attack = sum(total // by for (_, by), total in groups.items())
        index = state.data.board.grid.index[event.hex]
        defenders = [name for name in state.field.stacks[index] if name in self.units]
        assert tuple(defenders) == event.defenders, "9.1.5: not all who defend"
        by_state: dict[int, int] = {}
        for name in defenders:
            by = 2 if state.counters[name].supply == 2 else 1
            by_state[by] = by_state.get(by, 0) + self.strength(name)[1]
        defence = sum(total // by for by, total in by_state.items())
        assert (attack, defence) == (event.attack, event.defence), f"9.3.1: {attack} to {defence}"
        last = len(self.crt["columns"]) - 1
        if defence == 0:
            column = last
        else:
            # 1-1, 1.5-1, 2-1, 3-1 …: places 0, 1, 2, 3
            ratio = attack // defence
            place = (
                ratio
                if ratio >= 2
                else 1
                if 2 * attack >= 3 * defence
                else 0
                if attack >= defence
                else -99
            )
            column = min(place - self.map.shift(event.hex), last)
        assert column == event.column, f"9.3.2-9.3.5: column {column}"
        assert column >= 0, "9.3.4: too weak"

    def strength(self, name: str) -> tuple[int, int]:
        """2.2.2 By the faces left."""
        unit = self.units[name]
        first, second = (
            unit["full"] if self.faces[name] == 2 or "reduced" not in unit else unit["reduced"]
        )
        return first, second

    def advanced(self, state: State, event: Advanced) -> None:
        """9.6 Into the combat hex, then perhaps one further."""
        assert state.battle is not None
        assert event.path[1] == state.data.name(state.battle.target), (
            "9.6.3: not into the combat hex first"
        )
        mine = self.side_of(event.counters[0])
        self.stepwise(state, event.path, mine)
        unit = self.units[event.counters[0]]
        assert event.counters[0] in state.battle.attackers, "R-31: did not attack"
        if len(event.path) == 3:
            assert unit["mech"] or (
                unit["type"] == "cavalry" and self.options["cavalry_advance"]
            ), "9.6.1: two hexes on foot"
            assert not any(
                self.map.river.get(frozenset(pair)) == "major" for pair in pairwise(event.path)
            ), "9.6.5: a major river"
        assert len(event.path) <= 3
        self.passed(event.counters, event.path[1:])

    def at_rest(self, seq: int, state: State, change: Any) -> None:
        """5.0.4 Stacking, whenever nobody is under way."""
        _, frames = change
        top = frames[-1][0] if frames else ""
        busy = state.battle is not None or (
            state.activation is not None and state.activation.interrupted is not None
        )
        if not busy and top not in ("hq_reset", "resets_in_order"):
            checks.check_at_rest(state)


def still_in_cup(state: State) -> tuple[str, ...]:
    """What is still in the cup."""
    chosen = [
        chit for secret in state.cup.chosen.values() if secret is not None for chit in secret.value
    ]
    return tuple(
        chit for chit in chosen if chit not in state.cup.drawn and chit not in state.cup.removed
    )
