"""Ratings: Glicko-2 in decimals, side advantage, periods that anybody can compute again."""

import math
import random
from decimal import Decimal

import pytest
from attrs import evolve as replace

from warledger.engine.tournaments import glicko, ratings
from warledger.engine.tournaments.glicko import Fitted, Met, Prior, Rating, Seen
from warledger.engine.tournaments.ratings import Book, Game, Period
from warledger.protocol import canon

EXAMPLE = Rating(150_000, 20_000, 60_000)
GAMES = (
    Met(Rating(140_000, 3_000), 2),
    Met(Rating(155_000, 10_000), 0),
    Met(Rating(170_000, 30_000), 0),
)


def test_e17_glickmans_example() -> None:
    """1500/200/0.06 beats 1400/30 and loses to 1550/100 and 1700/300."""
    assert glicko.update(EXAMPLE, GAMES) == Rating(146_405, 15_152, 59_996)


def reference(
    rating: tuple[float, float, float], games: list[tuple[float, float, float, float]]
) -> tuple[float, float, float]:
    """Glicko-2 in floats, written from the paper on its own, with an advantage in points."""
    scale = 173.7178
    mu, phi, sigma = (rating[0] - 1500) / scale, rating[1] / scale, rating[2]
    v = total = 0.0
    for points, deviation, score, advantage in games:
        g = 1 / math.sqrt(1 + 3 * (deviation / scale) ** 2 / math.pi**2)
        e = 1 / (1 + math.exp(-g * (mu - (points - 1500) / scale + advantage / scale)))
        v += g * g * e * (1 - e)
        total += g * (score - e)
    v = 1 / v
    delta = v * total

    def f(x: float) -> float:
        bottom = 2 * (phi**2 + v + math.exp(x)) ** 2
        return (
            math.exp(x) * (delta**2 - phi**2 - v - math.exp(x)) / bottom
            - (x - math.log(sigma**2)) / 0.25
        )

    # f falls all the way from far left to far right: bisect.
    left, right = -40.0, 20.0
    for _ in range(200):
        middle = (left + right) / 2
        left, right = (middle, right) if f(middle) > 0 else (left, middle)
    sigma = math.exp(left / 2)
    phi = 1 / math.sqrt(1 / (phi**2 + sigma**2) + 1 / v)
    return (mu + phi**2 * total) * scale + 1500, phi * scale, sigma


@pytest.mark.parametrize("seed", range(20))
def test_a_second_opinion(seed: int) -> None:
    """Random players and games with side advantages agree with floats and bisection to a
    hundredth."""
    rng = random.Random(seed)
    mine = Rating(rng.randrange(80_000, 260_000), rng.randrange(4_000, 35_000), 60_000)
    games = [
        Met(
            Rating(rng.randrange(80_000, 260_000), rng.randrange(4_000, 35_000)),
            rng.randrange(3),
            rng.randrange(-8_000, 8_000),
        )
        for _ in range(rng.randrange(1, 12))
    ]
    got = glicko.update(mine, games)
    points, deviation, sigma = reference(
        (mine.points / 100, mine.deviation / 100, 0.06),
        [
            (
                one.opponent.points / 100,
                one.opponent.deviation / 100,
                one.half / 2,
                one.advantage / 100,
            )
            for one in games
        ],
    )

    assert abs(got.points - 100 * points) <= 1, seed
    assert abs(got.deviation - min(100 * deviation, 35_000)) <= 1, seed
    assert abs(got.volatility - 1e6 * sigma) <= 1, seed


def test_a_side_advantage_makes_a_win_worth_less() -> None:
    """Who had the better side expects more: they gain less by winning and lose more by losing."""
    level = Rating(150_000, 10_000)
    win, favoured = Met(level, 2), Met(level, 2, 6_000)

    assert glicko.update(level, [favoured]).points < glicko.update(level, [win]).points
    assert glicko.expected(level, level) == Decimal("0.5")
    both = glicko.expected(level, level, 6_000) + glicko.expected(level, level, -6_000)
    assert abs(both - 1) < Decimal("1e-38")


def test_idle_periods_only_widen_the_deviation() -> None:
    """Up to that of somebody unknown."""
    one = glicko.update(EXAMPLE, ())

    assert (one.points, one.volatility) == (EXAMPLE.points, EXAMPLE.volatility)
    assert one.deviation == 20_027 and glicko.idle(EXAMPLE, 1) == one
    assert glicko.idle(EXAMPLE, 10_000).deviation == glicko.DEVIATION_MAX
    with pytest.raises(ValueError, match="forwards"):
        glicko.idle(EXAMPLE, -1)


def seen(count: int, advantage: float, unit: float, rng: random.Random) -> list[Seen]:
    """Games of a title whose first seat is better by some points, a handicap in half of them."""
    made = []
    for n in range(count):
        first, second = (Rating(rng.randrange(120_000, 180_000), 3_000) for _ in range(2))
        given = rng.randrange(1, 8) if n % 2 and unit else 0
        ahead = (first.points - second.points) / 100 + advantage - given * unit
        won = rng.random() < 1 / (1 + math.exp(-ahead / 173.7178))
        made.append(Seen(first, second, 2 * won, given))
    return made


def test_the_side_advantage_is_fitted() -> None:
    """Many games find it, few stay near what was believed, none say just that."""
    rng = random.Random(5)
    many = glicko.fit(seen(800, 60, 0, rng))
    few = glicko.fit(seen(3, 60, 0, rng), Prior(-2_000, 1_000))

    assert abs(many.advantage - 6_000) < 3 * many.deviation < 6_000
    assert abs(few.advantage + 2_000) < 300
    assert glicko.fit((), Prior(700, 900)) == Fitted(700, 900, None, 0, Prior(700, 900))


def test_a_half_unit_is_worth_something_once_200_games_say_so() -> None:
    """Before that games with a handicap are left out of the fit."""
    rng = random.Random(9)
    games = seen(900, 80, 15, rng)
    found = glicko.fit(games)
    early = glicko.fit(games[:300])

    assert found.half_unit is not None and abs(found.half_unit - 1_500) < 700
    assert abs(found.advantage - 8_000) < 3 * found.deviation
    assert early.half_unit is None and early.games == 150
    assert glicko.prior_of_bids((4, 6), 1_500).mean == 7_500
    assert glicko.prior_of_bids((4, 6), None) == Prior()


def game(n: int, first: str, second: str, half: int, given: int = 0) -> Game:
    """A rated game."""
    return Game(f"game{n}", bytes([n]) * 32, ("", first), ("", second), half, given)


def log() -> list[Period]:
    """Two periods of three players."""
    first, book = ratings.close(
        Book(),
        "open",
        24_310,
        (game(2, "ben", "ada", 1), game(1, "ada", "cyd", 2)),
        advantage=4_000,
    )
    second, _ = ratings.close(book, "2026-12", 24_315, (game(3, "cyd", "ada", 2),), advantage=4_000)
    return [first, second]


def test_a_log_is_computed_again() -> None:
    """From its arrays, with games in the order of their ids and months that passed between."""
    periods = [Period.from_array(canon.unpack(canon.pack(one.as_array()))) for one in log()]
    book, found = ratings.audit(periods)

    assert found == () and periods == log()
    assert [one.game for one in periods[0].games] == ["game1", "game2"]
    assert book.ratings["", "ada"] == periods[1].ratings["", "ada"]
    assert book.ratings["", "ben"] == periods[0].ratings["", "ben"]
    waited = Book({("", "ben"): EXAMPLE}, {("", "ben"): 100})
    assert (
        waited.before(("", "ben"), 101) == EXAMPLE and waited.before(("", "eve"), 101) == Rating()
    )
    assert waited.before(("", "ben"), 105) == glicko.idle(EXAMPLE, 4)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda one: replace(one, advantage=0), "the games give"),
        (
            lambda one: replace(one, ratings={**one.ratings, ("", "ada"): Rating()}),
            "ada has 150000",
        ),
        (lambda one: replace(one, ratings={**one.ratings, ("", "eve"): Rating()}), "no rating"),
        (lambda one: replace(one, games=one.games[::-1]), "not in order"),
        (lambda one: replace(one, month=30_000), "earlier than"),
        (lambda one: replace(one, games=(*one.games, game(3, "ada", "ben", 0))), "was rated in"),
    ],
)
def test_a_changed_log_is_found(change, problem: str) -> None:  # type: ignore[no-untyped-def]
    """Whatever was changed in a period is named."""
    first, second = log()
    _, found = ratings.audit([change(first), second])

    assert any(problem in one.problem for one in found)


@pytest.mark.parametrize("array", [(), (1, 2, 3, 4, (), ()), ("a", 1, 0, None, ((1,),), ()), None])
def test_another_form_is_refused(array: object) -> None:
    """As a ValueError, whatever it is."""
    with pytest.raises(ValueError, match="another form"):
        Period.from_array(array)


def test_games_with_a_handicap_wait_for_its_worth() -> None:
    """Unrated before it is known; then they shift the advantage."""
    games = (game(1, "ada", "ben", 0, given=4),)
    unrated, _ = ratings.close(Book(), "x", 1, games)
    shifted, _ = ratings.close(Book(), "x", 1, games, advantage=6_000, half_unit=1_500)
    level, _ = ratings.close(Book(), "x", 1, (game(1, "ada", "ben", 0),))

    assert unrated.ratings == {} and unrated.games == ()
    assert shifted.ratings == level.ratings
