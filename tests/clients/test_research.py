"""A title as an environment of PettingZoo: its own test, masks, seeds, and that the end is told."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test

from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit, installed
from warledger.clients.bots.research import NEXT_PAGE, TitleEnv

SEED = 20261


def played(env: TitleEnv, seed: int, most: int = 100_000) -> list[tuple[str, int]]:
    """Play with a generator of that seed; who did what."""
    env.reset(seed=seed)
    chance = np.random.default_rng(seed)
    done = []
    for agent in env.agent_iter(most):
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        action = int(chance.choice(np.flatnonzero(observation["action_mask"])))
        done.append((agent, action))
        env.step(action)
    return done


def test_the_environment_passes_pettingzoos_own_test() -> None:
    """`api_test` finds nothing wrong with a title, in as many cycles as a game or two have."""
    with warnings.catch_warnings():
        # That the arrays of an observation are not float32 is no fault.
        warnings.simplefilter("ignore")
        env = TitleEnv("war_at_sea", commands_max=60)
        for agent in env.possible_agents:  # what it plays is drawn from these
            env.action_space(agent).seed(SEED)
        api_test(env, num_cycles=200)


def test_a_seed_gives_the_same_game_and_it_audits_sound() -> None:
    """Twice the same actions and the same log, of which every record is decided again with the same
    result; the winner has 1, the other -1."""
    env, other = TitleEnv("war_at_sea"), TitleEnv("war_at_sea", actions=16)
    assert played(env, SEED) == played(env, SEED), f"seed {SEED}"
    game = env._game.played()
    report, _ = audit(game.as_wlog(), key=game.key.verify_key.encode(), rulebook=installed())
    assert is_clean(report) and game.outcome is not None

    rewards: dict[str, float] = {}
    other.reset(seed=SEED)
    chance = np.random.default_rng(SEED)
    pages = 0
    for agent in other.agent_iter():
        observation, reward, terminated, _, info = other.last()
        if terminated:
            rewards[agent] = reward
            other.step(None)
            continue
        assert (observation["action_mask"] == info["action_mask"]).all()
        action = int(chance.choice(np.flatnonzero(observation["action_mask"])))
        pages += action == NEXT_PAGE
        other.step(action)
    winner = other._game.played().outcome.winner
    expected: Any = {seat: 0 if winner is None else 1 if seat == winner else -1 for seat in rewards}
    assert rewards == expected and len(rewards) == 2 and pages > 0, f"seed {SEED}"


def test_what_is_not_allowed_is_refused_and_long_games_are_truncated() -> None:
    """An action outside the mask raises and changes nothing; too few actions are none; a seat sees
    no more than its board."""
    env = TitleEnv("typhoon", commands_max=3)
    played(env, SEED)
    assert env.agents == []
    env.reset(seed=SEED)
    seat = env.agent_selection
    mask = env.observe(seat)["action_mask"]
    before = env.observe(seat)["observation"].copy()
    with pytest.raises(ValueError, match="not allowed"):
        env.step(int(np.flatnonzero(mask == 0)[0]))
    assert (env.observe(seat)["observation"] == before).all()
    assert env.infos[seat]["board"].pieces
    (waiting,) = set(env.agents) - {seat}
    assert not env.observe(waiting)["action_mask"].any()
    with pytest.raises(ValueError, match="at least 3"):
        TitleEnv("typhoon", actions=2)
