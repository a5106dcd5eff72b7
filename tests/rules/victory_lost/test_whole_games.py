"""Whole games of eager random players and of captains: they end, every invariant holds, an arbiter with his own arithmetic agrees with
every event, and each log audits sound."""

import random
from typing import Any

import pytest

from clients.audit.audit import Rulebook, audit, installed
from clients.bots import selfplay
from engine.games.victory_lost.rules import RULES
from engine.kernel.position import ENDED
from protocol.choices import Choices
from tests.rules.victory_lost.arbiter import Arbiter
from tests.rules.victory_lost.bench import real_pack
from tests.toys.play import Played, begin, random_picks

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
    options: dict[str, Any] = {switch.name: rng.choice(switch.choices) for switch in RULES.switches if rng.random() < 0.4}
    played = begin(RULES, real_pack(), seed=seed, options={**options, "set_up": rng.choice(("free", "historical", "historical"))})
    while played.position.stage != ENDED:
        at = played.position
        seat = rng.choice([seat for seat, _ in at.open])
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
    assert not report.findings, f"seed {seed}: {report.findings}"
    assert report.level == 2, f"seed {seed}"


def judge_bots(players: tuple[str, str], index: int) -> None:
    """A game of bots read by the arbiter and audited."""
    field = selfplay.Field.of("victory_lost")
    played = selfplay.play(field, seed=7, index=index, players=players, check=False)
    try:
        Arbiter(played.records, played.openings).read()
    except AssertionError as error:
        raise AssertionError(f"{played.game}: {error}") from error
    report, _ = audit(played.as_wlog(), rulebook=installed())
    assert not report.findings, f"{played.game}: {report.findings}"
    assert report.level == 2


def test_an_eager_game_under_chance_options() -> None:
    """From set-up to the end: cheap invariants after each event, zones and supply by another method in each Supply Phase, movement costs,
    ratios, losses, control and points by the arbiter's own arithmetic; the log audits sound."""
    judge_eager(3)


@pytest.mark.long
@pytest.mark.parametrize("tens", range(30))
def test_three_hundred_eager_games(tens: int) -> None:
    """The same for three hundred games."""
    for seed in range(100 + 10 * tens, 110 + 10 * tens):
        judge_eager(seed)


@pytest.mark.long
@pytest.mark.parametrize("tens", range(10))
def test_a_hundred_games_of_captains(tens: int) -> None:
    """The same for a hundred games of two captains."""
    for index in range(10 * tens, 10 * tens + 10):
        judge_bots(("captain", "captain"), index)
