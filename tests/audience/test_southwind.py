"""Südwind and the other scenarios under fog: games that differ only in what is covered look alike
to the other side and to the public, in records, lengths, openings, questions, choices, previews and
refusals."""

import pytest

from tests.audience.southwind_pairs import ALIKE, DEFENDED, VARIED, Pair
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.kernel import door
from warledger.protocol.board.choices import Choices

SIDES = ("axis", "soviet")

QUICK = (("supply", "axis"), ("steps", "soviet"), ("places", "axis"), ("resting", "soviet"))
"""Pairs that are tried every time."""


@pytest.mark.parametrize(("what", "owner"), QUICK)
def test_games_that_differ_in_what_is_covered_look_alike(what: str, owner: str) -> None:
    """The first forty commands of a game, or as many as the rules themselves allow until they tell
    what differs."""
    pair = Pair(what, owner, 2)
    one, other = (game.position.state for game in pair.games)
    assert one != other, "the games of a pair differ"
    pair.play(40)
    assert pair.played >= 10, pair.stopped


@pytest.mark.long
@pytest.mark.parametrize("owner", SIDES)
@pytest.mark.parametrize("what", VARIED)
def test_whole_games_that_differ_in_what_is_covered_look_alike(what: str, owner: str) -> None:
    """Five games of each kind, to their end or until the rules tell what differs."""
    for seed in range(10, 15):
        pair = Pair(what, owner, seed)
        pair.play(1500)
        print(f"{pair.at()}: {pair.stopped}")


def attacked(what: str) -> Pair:
    """A pair in which the Axis attacks the hex of three divisions, up to the defender's answer."""
    pair = Pair(what, "soviet", 1)
    for _ in range(6):
        seat, *_ = pair.games[0].position.open[0]
        found = door.choices(RULES, pair.games[0].position, seat)
        assert isinstance(found, Choices)
        if found.offers("overrun"):
            break
        pair.give(seat, ("done",))
    pair.give("axis", ("overrun", DEFENDED, "ax.inf.44"))
    pair.give("axis", ("auto",))
    pair.give("axis", ("lead", "ax.inf.44"))
    return pair


def test_the_name_of_the_ar_unit_is_not_told() -> None:
    """OCS 4.9b Of three divisions of the same AR another leads in each game: the attacker and the
    public are told the AR, and see no difference."""
    pair = attacked("leaders")
    shown = pair.games[0].position.state.tops.values()
    one, two = (("defend", "decline", name, "open") for name in ALIKE if name not in shown)
    pair.give("soviet", one, two)


def test_a_defender_who_cannot_pay_looks_like_one_who_will_not() -> None:
    """OCS 4.9b, 9.5 OCS R-19: one has nothing to pay with, the other declines."""
    pair = attacked("destitute")
    rich, poor = (door.choices(RULES, game.position, "soviet", ("defend",)) for game in pair.games)
    assert isinstance(rich, Choices) and isinstance(poor, Choices)
    assert rich.offers("pay") and not poor.offers("pay")
    pair.give("soviet", ("defend", "decline", ALIKE[0], "open"))


OTHERS = ("debrecen", "konrad1", "konrad12", "konrad2", "konrad3", "siege", "campaign")


@pytest.mark.parametrize(
    ("scenario", "what", "owner"),
    [("siege", "supply", "axis"), ("konrad3", "fuel", "soviet"), ("debrecen", "places", "axis")],
)
def test_games_of_other_scenarios_look_alike(scenario: str, what: str, owner: str) -> None:
    """The first fifteen commands of a fortress, of its relief, and of a front without one."""
    pair = Pair(what, owner, 1, scenario)
    one, other = (game.position.state for game in pair.games)
    assert one != other, "the games of a pair differ"
    pair.play(15)
    assert pair.played == 15, pair.stopped


@pytest.mark.long
@pytest.mark.parametrize("owner", SIDES)
@pytest.mark.parametrize("what", VARIED)
@pytest.mark.parametrize("scenario", OTHERS)
def test_longer_games_of_other_scenarios_look_alike(scenario: str, what: str, owner: str) -> None:
    """Two games of each kind, for 150 commands or until the rules tell what differs."""
    for seed in (1, 2):
        pair = Pair(what, owner, seed, scenario)
        pair.play(150)
        print(f"{pair.at()}: {pair.stopped}")


Clause = tuple[str, str, str, tuple[str, ...], int]
"""Scenario, what differs, whose, the commands that make use of it, and how many are given."""

CLAUSES: dict[str, Clause] = {
    "divided payments": ("konrad1", "supply", "axis", ("pay", "refit", "fuel"), 40),
    "extenders": ("campaign", "parked", "axis", ("extend", "fold"), 80),
    "covered extender": ("campaign", "extended", "axis", ("move", "load"), 80),
    "8th Air Army": ("campaign", "army", "soviet", ("bomb", "bust"), 80),
    "long range": ("campaign", "long range", "soviet", ("bomb", "bust"), 80),
    "rebuilding": ("campaign", "pile", "axis", ("rebuild", "deliver"), 120),
    "Danube": ("campaign", "supply", "axis", ("ship", "pay"), 60),
    "variable": ("campaign", "pile", "soviet", ("place", "rebuild"), 120),
    "ammunition": ("konrad2", "supply", "soviet", ("ammo", "barrage", "pay"), 60),
    "air transport": ("siege", "supply", "axis", ("drop", "airlift"), 60),
}
"""What is newer than Südwind: pairs of games whose owner makes use of it."""


AT_ONCE = ("divided payments", "Danube", "air transport")


def made_use(name: str, seed: int) -> Pair:
    """A pair of games whose owner makes use of a clause, played and compared."""
    scenario, what, owner, verbs, commands = CLAUSES[name]
    pair = Pair(what, owner, seed, scenario, verbs)
    one, other = (game.position.state for game in pair.games)
    assert one != other, "the games of a pair differ"
    pair.play(commands)
    assert any(pair.used[verb] for verb in verbs), f"{pair.at()}: {pair.stopped}"
    return pair


@pytest.mark.parametrize("name", AT_ONCE)
def test_games_that_use_newer_clauses_look_alike(name: str) -> None:
    """Payments in parts, a river and aircraft that carry supply tell nothing of how much there
    is."""
    made_use(name, 1)


@pytest.mark.long
@pytest.mark.parametrize("name", CLAUSES)
def test_many_games_that_use_newer_clauses_look_alike(name: str) -> None:
    """Eight games of each clause that is newer than Südwind."""
    for seed in range(1, 9):
        pair = made_use(name, seed)
        print(f"{pair.at()}: {pair.stopped}, {dict(pair.used)}")
