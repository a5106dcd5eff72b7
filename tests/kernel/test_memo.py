"""Answers are worked out once, are bounded, and do not live on with what is over."""

import random
from itertools import pairwise
from typing import Any

from attrs import frozen

from tests.toys import PACKS, TOYS
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.memo import Remembering, forget, remembered
from warledger.engine.testing.randomgames import begin, random_picks

asked: list[Any] = []


@frozen(slots=False)
class Ground(Remembering):
    """A part of a state that keeps answers."""

    hexes: tuple[int, ...]

    @remembered(most=3)
    def near(self, i: int, *, far: int = 1) -> tuple[int, ...]:
        """The hexes near another."""
        asked.append((i, far))
        return tuple(other for other in self.hexes if abs(other - i) <= far)


@frozen(slots=False)
class State(Remembering):
    """A state on that ground."""

    ground: Ground
    turn: int = 1


@remembered(of=lambda state, order: state.ground, by=lambda state, order: tuple(order))
def nothing_near(state: State, order: list[int]) -> None:
    """An answer that is None, kept with the ground."""
    asked.append(order)


@remembered()
def doubled(state: State) -> int:
    """An answer kept with the state."""
    asked.append(state.turn)
    return state.turn * 2


def test_an_answer_is_worked_out_once_for_each_key() -> None:
    """A function runs once for each of its keys, also where the answer is None."""
    asked.clear()
    state = State(Ground((1, 2, 3, 9)))

    for _ in range(2):
        assert state.ground.near(2) == (1, 2, 3)
        assert state.ground.near(2, far=7) == (1, 2, 3, 9)
        nothing_near(state, [4])
        assert doubled(state) == 2

    assert asked == [(2, 1), (2, 7), [4], 1]


def test_a_changed_copy_begins_without_answers() -> None:
    """What was worked out for a state is not believed of its changed copy; the parts that both
    share keep theirs."""
    asked.clear()
    state = State(Ground((1, 2)))
    doubled(state)
    nothing_near(state, [1])
    later = replace(state, turn=2)

    assert doubled(later) == 4
    nothing_near(later, [1])
    assert asked == [1, [1], 2]
    assert later == State(Ground((1, 2)), 2), "answers are no part of the value"


def test_answers_are_bounded() -> None:
    """No value keeps more answers of a function than its bound."""
    ground = Ground((1, 2, 3))

    for i in range(50):
        ground.near(i)
        assert all(len(answers) <= 3 for answers in ground.memo.values())


def test_what_is_over_keeps_no_answers() -> None:
    """A state that another takes the place of lets go of its answers, and of those of its parts
    that are over with it."""
    state = State(Ground((1, 2)))
    doubled(state)
    nothing_near(state, [1])
    same_ground, other_ground = replace(state, turn=2), State(Ground((3,)), 3)

    forget(state, same_ground)
    assert "memo" not in vars(state) and "memo" in vars(state.ground)
    forget(same_ground, other_ground)
    assert "memo" not in vars(state.ground)


@frozen(slots=False)
class Fight:
    """A part of a state that holds a ground of its own, and keeps no answers itself."""

    ground: Ground | None = None


@frozen(slots=False)
class Campaign:
    """A state whose ground may live on in another of its parts."""

    ground: Ground
    fight: Fight = Fight()
    turn: int = 1


def test_what_lives_on_in_another_place_keeps_its_answers() -> None:
    """A part of the former state that the new one holds somewhere else keeps its answers, also
    where what holds it is older than both; once nothing holds it any more they go."""
    asked.clear()
    old = Ground((1, 2, 3))
    first = Campaign(old)
    second = Campaign(Ground((4,)), Fight(old))
    third = replace(second, ground=Ground((5,)))
    over = replace(third, fight=Fight())
    old.near(2)

    for before, after in pairwise((first, second, third)):
        forget(before, after)
        old.near(2)
    assert asked == [(2, 1)]
    forget(third, over)
    assert "memo" not in vars(old)


def test_a_committed_command_lets_go_of_the_former_state() -> None:
    """Positions that a ledger keeps for takebacks hold no answers."""
    played = begin(TOYS["kiev"], PACKS["kiev"], seed=1)
    before = played.position
    vars(before.state)["memo"] = {"kept": {}}
    vars(before)["memo"] = {"kept": {}}
    (seat, *_), *_ = before.open
    played.submit(seat, *random_picks(random.Random(1), played.ledger.rules, before, seat))

    assert played.position.state is not before.state
    assert "memo" not in vars(before.state)
    assert "memo" not in vars(before), "nor how far the command was explored"
