"""Eager random players and captains of whole games, and the arbiter who judges them."""

import random
from typing import Any

from tests.rules.victory_lost.arbiter import Arbiter
from tests.rules.victory_lost.bench import real_pack
from tests.verdicts import findings_of
from warledger.clients.audit.audit import Rulebook, audit, installed
from warledger.clients.bots import selfplay
from warledger.engine.games.victory_lost.rules import RULES
from warledger.engine.kernel.position import ENDED
from warledger.engine.testing.randomgames import Played, begin, random_picks
from warledger.protocol.board.choices import Choices

EAGERNESS = 0.95
"""How often a random player goes on where he might say that he is done."""


def eager(rng: random.Random, choices: Choices) -> str | int | None:
    """One of what is offered; seldom to be done, and a set-up is ready as soon as it may be."""
    ids: list[str | int | None] = [option.id for option in choices.options]
    if "ready" in ids and rng.random() < 0.9:
        return "ready"
    if "historical" in ids and rng.random() < 0.2:
        return "historical"
    if len(ids) > 1 and ids[-1] in ("done", "pass", "decline", "halt") and rng.random() < EAGERNESS:
        ids.pop()
    if choices.complete and (not ids or rng.random() < 0.5):
        return None
    return rng.choice(ids)


def eager_game(seed: int) -> Played:
    """A random game under random options, half of them with the historical set-up."""
    rng = random.Random(seed)
    options: dict[str, Any] = {
        switch.name: rng.choice(switch.choices) for switch in RULES.switches if rng.random() < 0.4
    }
    played = begin(
        RULES,
        real_pack(),
        seed=seed,
        options={**options, "set_up": rng.choice(("free", "historical", "historical"))},
    )
    while played.position.stage != ENDED:
        at = played.position
        seat = rng.choice([seat for seat, *_ in at.open])
        played.submit(seat, *random_picks(rng, RULES, at, seat, eager))
    return played


def judge_eager(seed: int) -> None:
    """An eager game read by the arbiter and audited."""
    played = eager_game(seed)
    try:
        assert Arbiter(played.records, played.openings).read() > 50
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {error}") from error
    report, _ = audit(played.file(), rulebook=Rulebook(lambda title: RULES))
    assert not findings_of(report), f"seed {seed}: {findings_of(report)}"
    assert report.verdict.level == 2, f"seed {seed}"


def judge_bots(players: tuple[str, str], index: int) -> None:
    """A game of bots read by the arbiter and audited."""
    field = selfplay.Field.of("victory_lost")
    played = selfplay.play(field, seed=7, index=index, players=players, check=False)
    try:
        Arbiter(played.records, played.openings).read()
    except AssertionError as error:
        raise AssertionError(f"{played.game}: {error}") from error
    report, _ = audit(played.as_wlog(), rulebook=installed())
    assert not findings_of(report), f"{played.game}: {findings_of(report)}"
    assert report.verdict.level == 2
