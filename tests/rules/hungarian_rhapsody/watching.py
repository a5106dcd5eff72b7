"""Games as each audience sees them, and events as each is told of them."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.rules.hungarian_rhapsody.bench import pack
from tests.rules.hungarian_rhapsody.table import eager
from warledger.engine.games.hungarian_rhapsody.rules import PICTURE, RULES
from warledger.engine.games.ocs.ch04_concepts.fog import OPEN
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.position import ENDED
from warledger.engine.testing.laws import known_to, lifted
from warledger.engine.testing.randomgames import Played, begin, random_picks
from warledger.protocol.audience import entitled
from warledger.protocol.board.effects import VEIL, Board, BoardHistory, check_effects
from warledger.protocol.log.bodies import effects_of

COMMANDS = 260


def playing(seed: int, mode: str, commands: int = COMMANDS) -> Played:
    """A random game, or its beginning."""
    played = begin(RULES, pack(), seed=seed, options={"fog": mode})
    rng = random.Random(seed)
    for _ in range(commands):
        at = played.position
        if at.stage == ENDED:
            break
        seat = rng.choice([seat for seat, *_ in at.open])
        played.submit(seat, *random_picks(rng, RULES, at, seat, eager))
    return played


def boards(played: Played, audience: str) -> Iterator[tuple[int, Board, Board]]:
    """After every seventh record: the board folded from effects, and the one of the position."""
    folded = BoardHistory()
    for record, openings in zip(played.records, played.openings, strict=True):
        effects = effects_of(record, entitled(openings, audience))
        check_effects(effects)
        folded.fold(record.seq, effects)
        at = played.positions.get(record.seq)
        if at is None or record.seq < 6 or record.seq % 7:
            continue
        drawn = Board()
        for effect in RULES.picture(at.state):
            for shown in lifted(known_to(effect, audience)):
                drawn.apply(shown)
        yield record.seq, folded.now, drawn


def told_of(before: State, event: Any) -> tuple[list[Any], dict[tuple[str, ...], tuple[Any, ...]]]:
    """The effects of an event: the public ones, and those under veils by reader."""
    after = RULES.evolve(before, event)
    public, veils = [], {}
    for effect in PICTURE.effects(before, event, after):
        if effect[0] == VEIL:
            veils[effect[1].readers] = effect[1].value
        else:
            public.append(effect)
    return public, veils


@cache
def opening() -> Played:
    """The beginning of a random game, with a combat in it."""
    return playing(9, OPEN, 150)
