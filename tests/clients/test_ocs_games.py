"""Südwind among bots: games end, their logs audit sound, captains beat chance from each side."""

from functools import cache

import pytest

from tests.rules.hungarian_rhapsody.bench import packed
from tests.rules.hungarian_rhapsody.recount import recounted
from tests.verdicts import findings_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.bots.selfplay import Field, Played, play
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.protocol import canon

BOOK = Rulebook(lambda title: RULES)
FOGS = ("open", "strict")


@cache
def field() -> Field:
    """What all games share."""
    return Field(RULES.title, RULES, canon.unpack_trusted(packed()), packed(), bytes(32))


@cache
def game(players: tuple[str, ...], fog: str, index: int = 0, scenario: str = "sudwind") -> Played:
    """One game."""
    options = {"fog": fog, "scenario": scenario}
    return play(field(), seed=29, index=index, players=players, options=options)


@pytest.mark.parametrize(
    ("players", "fog"),
    [
        (("captain",), "strict"),
        (("random",), "open"),
        pytest.param(("captain",), "open", marks=pytest.mark.long),
        pytest.param(("random",), "strict", marks=pytest.mark.long),
    ],
)
def test_a_game_is_played_to_its_end_and_audits_sound(players: tuple[str, ...], fog: str) -> None:
    """Every record is decided again with the same result; the turns end as often as their dice. The
    books kept from its events agree with its positions and with the charts."""
    sound(game(players, fog))


def sound(played: Played) -> None:
    """The books of a game agree with it, and so does the auditor."""
    recounted(list(played.records), dict(enumerate(played.openings)))
    report, _ = audit(played.as_wlog(), key=played.key.verify_key.encode(), rulebook=BOOK)

    assert findings_of(report) == ()
    assert report.verdict.level == 2


SMALL = ("debrecen", "konrad1", "konrad12", "konrad3", "siege")


@pytest.mark.long
@pytest.mark.parametrize("scenario", [*SMALL, "konrad2"])
@pytest.mark.parametrize("fog", FOGS)
def test_every_small_scenario_is_played_at_random_and_audits_sound(scenario: str, fog: str) -> None:
    """The same of the other scenarios."""
    sound(game(("random",), fog, 0, scenario))


@pytest.mark.long
@pytest.mark.parametrize("scenario", [*SMALL, "konrad2"])
def test_captains_play_every_small_scenario(scenario: str) -> None:
    """Captains come to the end of each."""
    sound(game(("captain",), FOGS[1], 0, scenario))


@pytest.mark.long
@pytest.mark.parametrize("player", ["random", "captain"])
def test_the_campaign_is_played_to_its_end_and_audits_sound(player: str) -> None:
    """43 turns, or a sudden death."""
    sound(game((player,), FOGS[1], 0, "campaign"))


def test_a_captains_choices_come_from_its_seed() -> None:
    """The same seed gives the same bytes."""
    again = play(field(), seed=29, players=("captain",), options={"fog": "strict"})

    assert again.as_wlog() == game(("captain",), "strict").as_wlog()


@pytest.mark.long
@pytest.mark.parametrize("players", [("captain", "random"), ("random", "captain")])
def test_the_captain_beats_chance(players: tuple[str, str]) -> None:
    """The captain wins at least 3 of 4 games from each side, two under each fog."""
    assert won(players, 4) >= 3


@pytest.mark.long
@pytest.mark.parametrize("players", [("captain", "random"), ("random", "captain")])
def test_the_captain_beats_chance_in_60_games(players: tuple[str, str]) -> None:
    """The captain wins at least 80 % of 60 games from each side."""
    assert won(players, 60) >= 48


def won(players: tuple[str, str], games: int) -> int:
    """How many of `games` games the captain wins."""
    seat = RULES.seats[players.index("captain")]
    return sum(
        game(players, FOGS[index % 2], index).outcome.winner == seat for index in range(games)
    )
