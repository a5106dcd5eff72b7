"""Glicko-2 with a side advantage, in decimal arithmetic.

Mark Glickman's system as he describes it ("Example of the Glicko-2 system", 2022), with one term
more: a title whose sides are not equal has an advantage A in rating points. Before a game the
favoured side counts as A/2 stronger and the other as A/2 weaker, as lichess does for white.

Numbers are kept as whole ones: ratings and deviations in hundredths of a point, volatility in
millionths. Between them everything is decimal with 40 digits, in which exp, ln and sqrt are
correctly rounded, so that every machine gets the same.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from typing import Final

from attrs import field, frozen

DIGITS: Final = 40
SCALE: Final = Decimal("173.7178")
"""Rating points of one unit of Glicko-2's own scale."""

MIDDLE: Final = 1500
PI: Final = Decimal("3.141592653589793238462643383279502884197169399375")
TAU: Final = Decimal("0.5")
"""How fast volatility may change; Glickman advises 0.3 to 1.2."""

DEVIATION_MAX: Final = 35_000
"""A deviation never exceeds that of somebody unknown, in hundredths."""

_CLOSE: Final = Decimal("1e-20")
_STEPS_MAX: Final = 200


@frozen
class Rating:
    """A rating: points and deviation in hundredths, volatility in millionths."""

    points: int = 100 * MIDDLE
    deviation: int = DEVIATION_MAX
    volatility: int = 60_000


@frozen
class Met:
    """A game of a period, as one of its players had it.

    Attributes:
        opponent: their rating before the period.
        half: 2 for a win, 1 for a draw, 0 for a loss.
        advantage: hundredths of points by which the player counts as stronger, negative as weaker:
            A for the favoured side, -A for the other, shifted by a handicap's worth.
    """

    opponent: Rating
    half: int
    advantage: int = 0


def _context() -> Context:
    return Context(prec=DIGITS, rounding=ROUND_HALF_EVEN)


def _mu(points: int) -> Decimal:
    return (Decimal(points) / 100 - MIDDLE) / SCALE


def _phi(hundredths: int) -> Decimal:
    return Decimal(hundredths) / 100 / SCALE


def _g(phi: Decimal) -> Decimal:
    return 1 / (1 + 3 * phi * phi / (PI * PI)).sqrt()


def _logistic(x: Decimal) -> Decimal:
    return 1 / (1 + (-x).exp())


def expected(player: Rating, opponent: Rating, advantage: int = 0) -> Decimal:
    """What a player may expect from a game, from 0 to 1: Glicko-2's E with a side advantage in
    hundredths of points."""
    with localcontext(_context()):
        ahead = _mu(player.points) - _mu(opponent.points) + _phi(advantage)
        return +_logistic(_g(_phi(opponent.deviation)) * ahead)


def update(rating: Rating, games: Sequence[Met], tau: Decimal = TAU) -> Rating:
    """The rating after a period with these games; without games only the deviation grows."""
    with localcontext(_context()):
        mu, phi = _mu(rating.points), _phi(rating.deviation)
        sigma = Decimal(rating.volatility) / 1_000_000
        if not games:
            return _stored(mu, (phi * phi + sigma * sigma).sqrt(), sigma)
        information, surplus = Decimal(0), Decimal(0)
        for game in games:
            g = _g(_phi(game.opponent.deviation))
            ahead = mu - _mu(game.opponent.points) + _phi(game.advantage)
            e = _logistic(g * ahead)
            information += g * g * e * (1 - e)
            surplus += g * (Decimal(game.half) / 2 - e)
        variance = 1 / information
        sigma = _volatility(sigma, variance * surplus, phi, variance, tau)
        before = phi * phi + sigma * sigma
        phi = 1 / (1 / before + 1 / variance).sqrt()
        return _stored(mu + phi * phi * surplus, phi, sigma)


def idle(rating: Rating, periods: int) -> Rating:
    """The rating after periods without games. Raises ValueError for a negative number."""
    if periods < 0:
        raise ValueError("periods are counted forwards")
    with localcontext(_context()):
        phi, sigma = _phi(rating.deviation), Decimal(rating.volatility) / 1_000_000
        return _stored(_mu(rating.points), (phi * phi + periods * sigma * sigma).sqrt(), sigma)


def _stored(mu: Decimal, phi: Decimal, sigma: Decimal) -> Rating:
    """The whole numbers, halves to the even one."""
    return Rating(
        _whole((mu * SCALE + MIDDLE) * 100),
        min(_whole(phi * SCALE * 100), DEVIATION_MAX),
        _whole(sigma * 1_000_000),
    )


def _whole(value: Decimal) -> int:
    return int(value.to_integral_value(ROUND_HALF_EVEN))


def _volatility(
    sigma: Decimal, delta: Decimal, phi: Decimal, variance: Decimal, tau: Decimal
) -> Decimal:
    """Glickman's step 5: the root of f by the Illinois variant of false position."""
    start = (sigma * sigma).ln()
    square = delta * delta

    def f(x: Decimal) -> Decimal:
        power = x.exp()
        spread = phi * phi + variance + power
        return power * (square - spread) / (2 * spread * spread) - (x - start) / (tau * tau)

    low = start
    if square > phi * phi + variance:
        high = (square - phi * phi - variance).ln()
    else:
        steps = 1
        while f(start - steps * tau) < 0:
            steps += 1
        high = start - steps * tau
    at_low, at_high = f(low), f(high)
    for _ in range(_STEPS_MAX):
        if abs(high - low) <= _CLOSE:
            break
        between = low + (low - high) * at_low / (at_high - at_low)
        there = f(between)
        if there * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = between, there
    return (low / 2).exp()


@frozen
class Seen:
    """A game of a title, for fitting what its sides are worth.

    Attributes:
        first, second: the ratings of the players of the first and the second seat, before it.
        half: 2 if the first seat won, 1 for a draw, 0 if it lost.
        given: half units that the first seat gave as a handicap; negative if it was given some.
    """

    first: Rating
    second: Rating
    half: int
    given: int = 0


@frozen
class Prior:
    """What is believed of a value before any game: its mean and its standard deviation, in
    hundredths of points."""

    mean: int = 0
    deviation: int = 10_000


UNIT_PRIOR: Final = Prior(0, 5_000)
GAMES_FOR_UNITS: Final = 200
"""So many games with a handicap tell what a half unit is worth; before, they are left out."""


@frozen
class Fitted:
    """What a title's sides are worth, in hundredths of points.

    Attributes:
        advantage: of the first seat, negative for the second's.
        deviation: the standard deviation of it.
        half_unit: what giving half a unit costs; None before there are enough games.
        games: how many went in.
        prior: what was believed before.
    """

    advantage: int
    deviation: int
    half_unit: int | None
    games: int
    prior: Prior = field(factory=Prior)


def fit(games: Sequence[Seen], prior: Prior | None = None) -> Fitted:
    """The most probable side advantage (maximum a posteriori), and with enough games under a
    handicap also the worth of half a unit. The ratings are taken as they are, with their
    deviations as in E. Newton's method on a concave function: the answer is the only one."""
    prior = prior if prior is not None else Prior()
    under = sum(1 for one in games if one.given)
    with_units = under >= GAMES_FOR_UNITS
    used = [one for one in games if with_units or not one.given]
    with localcontext(_context()):
        believed, spread = _phi(prior.mean), _phi(prior.deviation)
        unit_spread = _phi(UNIT_PRIOR.deviation)
        facts = []
        for one in used:
            both = (
                Decimal(one.first.deviation) ** 2 + Decimal(one.second.deviation) ** 2
            ).sqrt() / (100 * SCALE)
            ahead = _mu(one.first.points) - _mu(one.second.points)
            facts.append((_g(both), ahead, Decimal(one.half) / 2, one.given))
        a, w = believed, Decimal(0)
        curve = 1 / (spread * spread)
        for _ in range(_STEPS_MAX):
            slope_a, slope_w = (believed - a) / (spread * spread), -w / (unit_spread**2)
            aa, aw, ww = 1 / (spread * spread), Decimal(0), 1 / (unit_spread**2)
            for g, ahead, score, given in facts:
                e = _logistic(g * (ahead + a - given * w))
                pull, bend = g * (score - e), g * g * e * (1 - e)
                slope_a += pull
                slope_w -= given * pull
                aa += bend
                aw -= given * bend
                ww += given * given * bend
            if with_units:
                size = aa * ww - aw * aw
                step_a = (ww * slope_a - aw * slope_w) / size
                step_w = (aa * slope_w - aw * slope_a) / size
                curve = size / ww
            else:
                step_a, step_w, curve = slope_a / aa, Decimal(0), aa
            a += max(Decimal(-1), min(Decimal(1), step_a))
            w += max(Decimal(-1), min(Decimal(1), step_w))
            if abs(step_a) <= _CLOSE and abs(step_w) <= _CLOSE:
                break
        return Fitted(
            _whole(a * SCALE * 100),
            _whole(SCALE * 100 / curve.sqrt()),
            _whole(w * SCALE * 100) if with_units else None,
            len(used),
            prior,
        )


def prior_of_bids(halves: Sequence[int], half_unit: int | None) -> Prior:
    """What winning bids say of the first seat's advantage before any game: their mean times the
    worth of half a unit. `halves` are the half units that were given for the first seat, negative
    for the second. Without bids or a worth nothing is believed."""
    if not halves or half_unit is None:
        return Prior()
    with localcontext(_context()):
        mean = Decimal(sum(halves)) / len(halves) * half_unit
        return Prior(_whole(mean), Prior().deviation)
