"""Typhoon: where Guderian is shows nowhere. Games that differ only in that look alike to the
Soviets and the public, byte for byte."""

from typing import Any

import pytest

from tests.audience.test_secrets_stay_secret import offered, received
from tests.laws.titles import Case
from warledger.engine.testing.randomgames import Played, begin
from warledger.protocol.audience import PUBLIC
from warledger.protocol.board.effects import unpack
from warledger.protocol.log import records

CASE = Case("typhoon")
OTHERS = (
    "chit.ax.2a",
    "chit.ax.2pza",
    "chit.ax.3pza.1",
    "chit.ax.3pza.2",
    "chit.ax.4a",
    "chit.ax.4pza.1",
    "chit.ax.4pza.2",
    "chit.ax.9a",
)
GUDERIAN, REINF = "chit.ax.guderian", "chit.ax.reinf"
WHERE: dict[str, tuple[str, ...]] = {
    "in hand": (*sorted((*OTHERS, GUDERIAN)), "hand"),
    "in the cup": (*sorted((*OTHERS, GUDERIAN)), "cup"),
    "not chosen": tuple(sorted((*OTHERS, REINF))),
}


def first_turn(where: str, seed: int) -> Played:
    """The Axis has chosen; the first chit is drawn and the window is open."""
    played = begin(CASE.rules, CASE.pack, seed=seed, options={"set_up": "preset"})
    played.submit("axis", "choose", *WHERE[where])
    return played


def drawn(played: Played) -> str:
    """The chit in execution."""
    state: Any = played.position.state
    return str(state.cup.in_hand)


def like_games() -> dict[str, Played]:
    """The three games from a seed under which the same chit is drawn in each."""
    for seed in range(200):
        games = {where: first_turn(where, seed) for where in WHERE}
        chits = {drawn(played) for played in games.values()}
        if len(chits) == 1 and chits <= {*OTHERS, "chit.supply"}:
            return games
    raise AssertionError("no seed draws the same chit in all three games")


def test_nobody_learns_where_guderian_is() -> None:
    """6.1(3), 7.3(1), R-15: records, lengths, receipts, openings, questions, choices, previews and
    refusals are the same, before the window closes and after the Axis has let it pass; the Axis
    alone can tell the games apart."""
    games = like_games()
    for closing in (True, False):
        first = games["in hand"]
        assert first.position.opened("axis") is not None
        for other in ("in the cup", "not chosen"):
            for audience in (PUBLIC, "soviet"):
                assert received(first, audience) == received(games[other], audience), (
                    other,
                    audience,
                )
            assert offered(first, "soviet") == offered(games[other], "soviet"), other
            assert received(first, "axis") != received(games[other], "axis")
        if closing:
            for played in games.values():
                played.submit("axis", "pass")


@pytest.mark.parametrize("where", WHERE)
def test_a_draw_says_nothing_of_the_cup(where: str) -> None:
    """R-15: the draw's receipt is sealed, and the count on the board is that of the chits nobody
    has seen."""
    played = first_turn(where, 3)
    body = played.records[-1].body
    (receipt,) = body[records.DRAWS]
    assert type(receipt[3]).__name__ == "Seal"
    assert ("count", "unseen", 9) in [effect[:3] for effect in _effects(played)]


def _effects(played: Played) -> tuple[Any, ...]:
    return unpack(played.records[-1].body[records.EFFECTS])
