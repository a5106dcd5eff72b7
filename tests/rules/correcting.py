"""Games in which an arbiter sets the board right, of every title that lets them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from warledger.engine import packfiles, registry
from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.testing.randomgames import Played, arbiter, begin, play_on
from warledger.protocol.board.choices import Choices, Picks, Refusal
from warledger.protocol.board.effects import Board, unpack
from warledger.protocol.log.bodies import act_of, packed_effects
from warledger.protocol.log.deskbodies import Heard

ANN = arbiter("Ann")


def case(
    title: str,
    seed: int = 3,
    *,
    commands: int = 30,
    until: Callable[[Played], bool] = lambda played: True,
    **options: Any,
) -> Played:
    """A game after a number of commands, and more until it has come to where corrections are
    offered, with a claim that Ann has heard."""
    rules = registry.rules_of(title)
    played = begin(rules, packfiles.read_pack(title), seed=seed, options=options)
    rng = random.Random(seed)
    play_on(played, rng, commands=commands)
    while not (verbs(played) and until(played)):
        play_on(played, rng, commands=1)
    seat = rules.seats[0]
    played.commit(played.claim(seat, played.position.seq))
    played.commit(played.note(ANN, Heard(1)))
    return played


def offered(played: Played, *picks: str | int) -> Choices:
    """What an arbiter may go on with after these picks."""
    found = played.ledger.corrections_of(picks)
    assert isinstance(found, Choices), found
    return found


def verbs(played: Played) -> tuple[Any, ...]:
    """What may be corrected now."""
    return tuple(option.id for option in offered(played).options)


def ids(played: Played, *picks: str | int) -> tuple[Any, ...]:
    """What may follow these picks."""
    return tuple(option.id for option in offered(played, *picks).options)


def on_map(played: Played, side: str) -> str:
    """A unit of a side of a chit-pull game that stands on the map and shows its full face."""
    state = played.position.state
    pieces = getattr(state, "counters", None) or state.units
    return next(
        name
        for name in ids(played, "face")
        if state.data.types[name].side == side and not pieces[name].reduced
    )


def correct(played: Played, *picks: str | int) -> Any:
    """Ann upholds the claim and corrects this."""
    return played.rule(ANN, 1, ("correct",), corrections=(picks,))


def board_of(played: Played) -> Board:
    """The board that a picture of the state draws."""
    board = Board()
    for effect in played.ledger.rules.picture(played.position.state):
        board.apply(effect)
    return board


def drawn(played: Played, batch: Any, picks: Picks) -> None:
    """Commit a ruling with one correction. What clients draw of it on the board from before is what
    the board looks like now."""
    board = board_of(played)
    played.commit(batch)
    told = next(one for one in reversed(played.records) if act_of(one) == "corrected")
    blob = packed_effects(told)
    assert blob is not None
    for effect in unpack(blob):
        board.apply(effect)
    now = board_of(played)
    assert (board.pieces, board.marks, board.tracks) == (now.pieces, now.marks, now.tracks), picks


def corrected(played: Played, *picks: str | int) -> Any:
    """Correct this, and return the state."""
    drawn(played, correct(played, *picks), picks)
    return played.position.state


def some(played: Played, rng: random.Random) -> Picks:
    """A whole correction by picks at random."""
    picks: Picks = ()
    while True:
        choices = offered(played, *picks)
        if choices.is_end:
            return picks
        if choices.span is not None:
            pick: Any = rng.randint(*choices.span)
        else:
            options = [option.id for option in choices.options]
            if not options:
                return ()
            pick = rng.choice(options)
        picks = (*picks, pick)


BREAKS = ("refusal.correction_question", "refusal.correction_breaks")
"""Why a correction that was offered may be refused: the game could not go on from there."""


def correct_at_random(played: Played, seed: int, n: int) -> set[Any]:
    """Rule on `n` claims, each with a correction at random, with a command between two. Each is
    drawn as the board then looks, or the game could not go on from it. Returns the verbs of those
    that were carried out."""
    rng = random.Random(seed)
    seat, done, claim = played.ledger.rules.seats[0], set(), 1
    while claim <= n:
        picks = some(played, rng) if verbs(played) else ()
        made = played.rule(ANN, claim, ("correct",), corrections=(picks,)) if picks else None
        if isinstance(made, Refusal):
            assert made.key in BREAKS, (picks, made)
        elif made is not None:
            drawn(played, made, picks)
            done.add(picks[0])
            claim += 1
            if claim <= n:
                played.commit(played.claim(seat, played.position.seq, claim))
                played.commit(played.note(ANN, Heard(claim)))
        play_on(played, rng, commands=1)
    return done


# --- what both chit-pull titles hold --------------------------------------------------------------


def stands_where_it_may(
    played: Played, side: str, may: Callable[[Any, int], bool] = lambda state, i: True
) -> None:
    """A unit may be put where no enemy stands, in no water, in no place of the enemy's, and where
    the title says that it `may`."""
    state = played.position.state
    unit = on_map(played, side)
    found = ids(played, "move", unit)
    for hex_id in found:
        i = state.data.hex(hex_id)
        there = state.field.stacks.get(i, ())
        assert i not in state.data.water and i != state.at(unit) and may(state, i)
        assert state.control.get(i, side) == side
        assert all(state.data.types[name].side == side for name in there)
    assert len(found) > 100
    enemy = state.data.name(state.at(on_map(played, ENEMY[side])))
    assert isinstance(correct(played, "move", unit, enemy), Refusal)
    assert corrected(played, "move", unit, found[0]).at(unit) == state.data.hex(found[0])


def shows_the_other_face(played: Played, side: str, is_reduced: Callable[[Any, str], bool]) -> None:
    """Only a unit with a reduced face has another, and it can be turned over."""
    unit = on_map(played, side)
    types = played.position.state.data.types
    assert all(types[name].reduced is not None for name in ids(played, "face"))
    assert ids(played, "face", unit) == ("reduced",)
    assert is_reduced(corrected(played, "face", unit, "reduced"), unit)


def changes_hands(played: Played) -> Any:
    """A place where nobody stands is controlled by the other side; the state after it."""
    state = played.position.state
    place = ids(played, "control")[0]
    i = state.data.hex(place)
    (side,) = ids(played, "control", place)
    assert side != state.control[i] and i not in state.field.stacks
    after = corrected(played, "control", place, side)
    assert after.control[i] == side
    return after
