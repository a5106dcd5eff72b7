"""Eager random players of whole games, and a bookkeeper who recomputes what happens."""

import random
from collections.abc import Sequence
from typing import Any

from tests.rules.typhoon.bench import real_pack
from tests.verdicts import findings_of
from warledger.clients.audit.audit import Rulebook, audit, installed
from warledger.clients.bots import selfplay
from warledger.engine.games.typhoon import RULES
from warledger.engine.games.typhoon.advance import Advanced
from warledger.engine.games.typhoon.checks import check, check_thoroughly
from warledger.engine.games.typhoon.combat import Fought
from warledger.engine.games.typhoon.losses import Eliminated, Reduced
from warledger.engine.games.typhoon.movement import Moved
from warledger.engine.games.typhoon.reinforcements import Converted, Placed
from warledger.engine.games.typhoon.retreat import Retreated
from warledger.engine.games.typhoon.setup import Deployed
from warledger.engine.games.typhoon.state import State
from warledger.engine.games.typhoon.victory import CityTaken, GateReached
from warledger.engine.kernel.position import ENDED
from warledger.engine.kernel.replay import Replayer, takeback_targets
from warledger.engine.testing.randomgames import Played, begin, random_picks
from warledger.protocol.board.choices import Choices
from warledger.protocol.chance.seal import Opening, reveal
from warledger.protocol.log import records
from warledger.protocol.log.records import Genesis, Record

EAGERNESS = 0.93
"""How often a random player goes on where he might say that he is done."""


def eager(rng: random.Random, choices: Choices) -> str | int | None:
    """One of what is offered; seldom to be done, but not slow in taking units off the map."""
    ids: list[str | int | None] = [option.id for option in choices.options]
    for idle in ("done", "pass"):
        if idle in ids and len(ids) > 1 and "evacuate" not in ids and rng.random() < EAGERNESS:
            ids.remove(idle)
    if choices.complete and (not ids or rng.random() < 0.4):
        return None
    return rng.choice(ids)


class Bookkeeper:
    """Control, the latch and the steps of every unit, kept from the events alone."""

    def __init__(self, state: State) -> None:
        data = state.data
        self.control = {data.name(i): side for i, side in data.places.items()}
        self.prize = frozenset(data.name(i) for i in data.prize)
        self.types = data.types
        self.steps = {
            name: 2 if type_.reduced is not None else 1 for name, type_ in data.types.items()
        }
        self.latch = False
        self.entering: tuple[str, str] | None = None

    def see(self, event: Any) -> None:
        """One event. 3.4(2) A unit that falls in the last hex of its retreat has not taken
        it."""
        fell = (
            isinstance(event, Eliminated)
            and self.entering
            and event.unit == self.entering[0]
            and event.why == "zone"
        )
        if fell:
            self.entering = None
        elif not isinstance(event, Reduced | CityTaken | GateReached):
            self._arrived()
        if isinstance(event, Moved):
            self._pass(event.units[0], event.path[1:])
        elif isinstance(event, Advanced):
            self._pass(event.unit, event.path[1:])
        elif isinstance(event, Retreated):
            self._pass(event.unit, event.path[1:-1])
            self.entering = (event.unit, event.path[-1])
        elif isinstance(event, Placed | Deployed):
            self._pass(event.unit, (event.hex,))
        elif isinstance(event, Reduced):
            self.steps[event.unit] -= 1
        elif isinstance(event, Eliminated | Converted):
            self.steps[event.unit] = 2 if self.types[event.unit].reduced is not None else 1

    def _arrived(self) -> None:
        if self.entering:
            self._pass(self.entering[0], (self.entering[1],))
            self.entering = None

    def _pass(self, unit: str, hexes: tuple[str, ...]) -> None:
        for name in hexes:
            if name in self.control:
                self.control[name] = self.types[unit].side
                self.latch = (
                    self.latch or sum(self.control[prize] == "axis" for prize in self.prize) >= 2
                )

    def compare(self, state: State) -> None:
        """The state says the same."""
        self._arrived()
        data = state.data
        assert {data.name(i): side for i, side in state.control.items()} == self.control, (
            "control differs"
        )
        assert state.latch == self.latch, "the latch differs"
        assert {name: state.steps(name) for name in state.units} == self.steps, "steps differ"


HEADS = ("1-1", "1.5-1", *(f"{n}-1" for n in range(2, 11)))
RESULTS = [
    "A2",
    "A1",
    "A1",
    "-",
    "-",
    "R",
    "R",
    "RR",
    "RR",
    "1RR",
    "1RR",
    "2RR",
    "2RR",
    "3RR",
    "3RR",
    "4RR",
]


def judge_combat(state: State, event: Fought) -> None:
    """10.3, 10.4, 14.1, 14.2 A combat worked out with the numbers of the rule book: R-02, R-21,
    R-22, R-23."""
    data, tables = state.data, real_pack()["tables"]
    target = data.hex(event.target)
    attacker = data.types[event.units[0]].side
    fallen_back = state.activation.fallen_back if state.activation is not None else frozenset()
    defending = [name for name in event.defenders if name not in fallen_back]
    defence = sum(state.strength(name)[1] for name in defending)
    if attacker == "axis" and defending and target in data.fortified:
        defence += 4
    assert event.defence == defence, event
    if state.option("halving") == "per_hex_sum":
        attack = 0
        for i in sorted({state.at(name) for name in event.units}):
            factors = sum(state.strength(name)[0] for name in event.units if state.at(name) == i)
            wet = data.board.sides.river[i * 6 + data.board.grid.direction(i, target)]
            attack += factors // 2 if wet else factors
        assert event.attack == attack, event
    terrain = data.board.terrain_at(target)
    if terrain == "plain" and state.turn > 2:
        terrain = "light_forest"
    place = data.board.places.get(target)
    shift = -tables["terrain"][terrain]["shift"] - (place is not None and place.kind == "town")
    if place is not None and place.kind == "big_city":
        shift = -state.option("big_city_shift")
    if state.turn > 2:
        shift += -1 if state.turn < 8 else -2 if attacker == "axis" else 2
    assert event.shift == shift, event
    if defence and 2 * event.attack >= 2 * defence:
        twice = 2 * event.attack // defence
        start = 0 if twice < 3 else 1 if twice < 4 else min(event.attack // defence, 10)
        assert event.odds == HEADS[start], event
    else:
        start = 10 if not defence else -1
    if start >= 0:
        found = min(start + shift, 10)
        assert found >= 0 and event.column == HEADS[found], event
    assert event.result == RESULTS[HEADS.index(event.column) + event.die - 1], event


def judge(log: Sequence[Record], openings: Sequence[tuple[Opening, ...]]) -> int:
    """Read a game's log: invariants and bookkeeping after every record. Returns how many commands
    it holds."""
    replayer: Replayer[State] = Replayer(RULES, Genesis.from_record(log[0]), takeback_targets(log))
    book = Bookkeeper(replayer.position.state)
    commands = 0
    for record, opened in zip(log[1:], openings[1:], strict=True):
        state = replayer.position.state
        at = replayer.feed(record, opened)
        if record.kind != records.COMMAND:
            continue
        commands += 1
        body = reveal(record.body, (item for item in opened if item.path[0] != records.EFFECTS))
        for packed in body[records.EVENTS]:
            event = replayer.codec.decode(packed, record.seq)
            book.see(event)
            if isinstance(event, Fought):
                judge_combat(state, event)
            state = RULES.evolve(state, event)
        book.compare(at.state)
        check(at.state)
        if commands % 50 == 0:
            check_thoroughly(at.state)
    return commands


def eager_game(seed: int) -> Played:
    """A random game under random options."""
    rng = random.Random(seed)
    options = {
        switch.name: rng.choice(switch.choices) for switch in RULES.switches if rng.random() < 0.5
    }
    played = begin(RULES, real_pack(), seed=seed, options={**options, "set_up": "preset"})
    while played.position.stage != ENDED:
        at = played.position
        seat = rng.choice([seat for seat, *_ in at.open])
        played.submit(seat, *random_picks(rng, RULES, at, seat, eager))
        played.positions.clear()
    return played


def judge_eager(seed: int) -> int:
    """An eager game judged and audited; returns how many commands it took."""
    played = eager_game(seed)
    try:
        commands = judge(played.records, played.openings)
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {error}") from error
    report, _ = audit(played.file(), rulebook=Rulebook(lambda title: RULES))
    assert not findings_of(report), f"seed {seed}: {findings_of(report)}"
    assert report.verdict.level == 2, f"seed {seed}"
    return commands


def judge_bots(players: tuple[str, str], index: int) -> None:
    """A game of bots judged and audited."""
    played = selfplay.play(
        selfplay.Field.of("typhoon"), seed=7, index=index, players=players, check=False
    )
    try:
        judge(played.records, played.openings)
    except AssertionError as error:
        raise AssertionError(f"{played.game}: {error}") from error
    report, _ = audit(played.as_wlog(), rulebook=installed())
    assert not findings_of(report), f"{played.game}: {findings_of(report)}"
    assert report.verdict.level == 2
