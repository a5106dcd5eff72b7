"""Games in which an arbiter sets the board right."""

from __future__ import annotations

import random
from typing import Any

from warledger.engine import packfiles, registry
from warledger.engine.testing.randomgames import Played, begin, play_on
from warledger.protocol.bodies import act_of, packed_effects
from warledger.protocol.deskbodies import Heard
from warledger.protocol.effects import Board, unpack

RULES = registry.rules_of("war_at_sea")
ANN = "Ann"


def case(seed: int = 3, **options: Any) -> Played:
    """A game between two combats, with a claim that Ann has heard."""
    played = begin(RULES, packfiles.read_pack("war_at_sea"), seed=seed, options=options)
    play_on(played, random.Random(seed), commands=30)
    while played.position.state.fight is not None:
        play_on(played, random.Random(seed), commands=1)
    played.commit(played.claim("axis", played.position.seq))
    played.commit(played.note(ANN, Heard(1, ANN)))
    return played


def correct(played: Played, *picks: str | int) -> Any:
    """Ann upholds the claim and corrects this."""
    return played.rule(ANN, 1, ("correct",), corrections=(picks,))


def board_of(state: Any) -> Board:
    """The board that a picture of a state draws."""
    board = Board()
    for effect in RULES.picture(state):
        board.apply(effect)
    return board


def corrected(played: Played, *picks: str | int) -> Any:
    """Correct this. What clients draw of it on the board from before is what it looks like now.
    Returns the state."""
    board = board_of(played.position.state)
    played.commit(correct(played, *picks))
    told = next(one for one in reversed(played.records) if act_of(one) == "corrected")
    blob = packed_effects(told)
    assert blob is not None
    for effect in unpack(blob):
        board.apply(effect)
    state = played.position.state
    now = board_of(state)
    assert (board.pieces, board.marks, board.tracks) == (now.pieces, now.marks, now.tracks)
    return state
