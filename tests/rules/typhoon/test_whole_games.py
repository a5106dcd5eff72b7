"""Whole games of eager random players: they end, every invariant holds, and control, latch and steps are recomputed by another method."""

import random
from typing import Any

import pytest

from engine.games.typhoon import RULES
from engine.games.typhoon.checks import check_thoroughly
from engine.games.typhoon.events import Advanced, Converted, Deployed, Eliminated, Moved, Placed, Reduced, Retreated
from engine.games.typhoon.state import State
from engine.kernel.rig import Rig
from protocol.choices import Choices, Pick
from tests.rules.typhoon.bench import real_pack

EAGERNESS = 0.93
"""How often a random player goes on where he might say that he is done."""


def random_picks(rig: Rig[State], seat: str, rng: random.Random) -> tuple[Pick, ...]:
    """A whole command, one offered pick after the other; fails at a dead end."""
    picks: tuple[Pick, ...] = ()
    while True:
        found = rig.choices(seat, *picks)
        assert isinstance(found, Choices), f"{picks}: {found}"
        ids: list[Pick] = [option.id for option in found.options]
        for idle in ("done", "pass"):
            if not picks and idle in ids and len(ids) > 1 and "evacuate" not in ids and rng.random() < EAGERNESS:
                ids.remove(idle)
        if found.complete and (not ids or rng.random() < 0.4):
            return picks
        assert ids, f"{rig.position.top.name}: {seat} is at a dead end after {picks}"
        picks = (*picks, rng.choice(ids))


class Bookkeeper:
    """Control, the latch and the steps of every unit, kept from the events alone."""

    def __init__(self, rig: Rig[State]) -> None:
        data = rig.state.data
        self.control = {data.name(i): side for i, side in data.places.items()}
        self.prize = frozenset(data.name(i) for i in data.prize)
        self.types = data.types
        self.steps = {name: 2 if type_.reduced is not None else 1 for name, type_ in data.types.items()}
        self.latch = False

    def see(self, event: Any) -> None:
        """One event."""
        if isinstance(event, Moved):
            self._pass(event.units[0], event.path[1:])
        elif isinstance(event, Retreated | Advanced):
            self._pass(event.unit, event.path[1:])
        elif isinstance(event, Placed | Deployed):
            self._pass(event.unit, (event.hex,))
        elif isinstance(event, Reduced):
            self.steps[event.unit] -= 1
        elif isinstance(event, Eliminated | Converted):
            self.steps[event.unit] = 2 if self.types[event.unit].reduced is not None else 1

    def _pass(self, unit: str, hexes: tuple[str, ...]) -> None:
        for name in hexes:
            if name in self.control:
                self.control[name] = self.types[unit].side
                self.latch = self.latch or sum(self.control[prize] == "axis" for prize in self.prize) >= 2

    def compare(self, state: State, seed: int) -> None:
        """The state says the same."""
        data = state.data
        assert {data.name(i): side for i, side in state.control.items()} == self.control, f"seed {seed}: control differs"
        assert state.latch == self.latch, f"seed {seed}: the latch differs"
        assert {name: state.steps(name) for name in state.units} == self.steps, f"seed {seed}: steps differ"


def play(seed: int) -> int:
    """One game with all checks; returns how many commands it took."""
    rng = random.Random(seed)
    options = {switch.name: rng.choice(switch.choices) for switch in RULES.switches if rng.random() < 0.5}
    rig: Rig[State] = Rig(RULES, real_pack(), options={**options, "set_up": "preset"}, seed=seed)
    book = Bookkeeper(rig)
    commands = 0
    while rig.position.outcome is None:
        seat = rng.choice(list(rig.asked()))
        for event in rig.do(seat, *random_picks(rig, seat, rng)):
            book.see(event)
        book.compare(rig.state, seed)
        commands += 1
        if commands % 50 == 0:
            check_thoroughly(rig.state)
    return commands


def test_a_random_game_ends_with_every_invariant_kept() -> None:
    """Any options: the game runs to its end; zones, LOCs, ways home, control, latch and steps agree with another method throughout."""
    assert play(1) > 300


@pytest.mark.long
def test_many_random_games() -> None:
    """The same for three hundred games."""
    for seed in range(100, 400):
        play(seed)
