"""Luck: what was rolled against what was to be expected, from the receipts of a game's dice.

A report for people who say that the dice are rigged, or that theirs were bad. It is shown after the
end and is never a tie-break. Whether a high die is good is the rules' matter: the report only says
how far a sum is from its mean.

Every open die that a log holds counts, also those of commands that were taken back: they were
rolled, and their receipts stand. Draws from hidden contents, such as chits, do not.
"""

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, Final

from attrs import frozen

from warledger.protocol.board import effects as fx
from warledger.protocol.chance.dice import HIDDEN_EPOCH
from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import Record

DIGITS: Final = 40
PI: Final = Decimal("3.141592653589793238462643383279502884197169399375")
PLACES: Final = Decimal("0.0001")
EXPECTED_MIN: Final = 5
"""A histogram is tested once each face may be expected this often: below, chi-square says
nothing."""


@frozen
class Throw:
    """One die: the seat whose command rolled it, or the attacker of its combat; what for, how many
    sides, and the face that showed, from 1."""

    seat: str
    purpose: str
    sides: int
    face: int


@frozen
class Tally:
    """Dice thrown together.

    Attributes:
        count: how many.
        total: the sum of their faces.
        expected: the sum to be expected.
        variance: of the sum.
    """

    count: int
    total: int
    expected: Fraction
    variance: Fraction

    @property
    def mean(self) -> Fraction:
        """The mean face, 0 without dice."""
        return Fraction(self.total, self.count) if self.count else Fraction(0)

    @property
    def surplus(self) -> Fraction:
        """By how much the sum is above its expectation."""
        return self.total - self.expected

    @property
    def deviations(self) -> Decimal:
        """By how many standard deviations the sum is above its expectation, with four decimals."""
        with localcontext(_context()):
            if not self.variance:
                return Decimal(0).quantize(PLACES)
            spread = (Decimal(self.variance.numerator) / Decimal(self.variance.denominator)).sqrt()
            above = Decimal(self.surplus.numerator) / Decimal(self.surplus.denominator)
            return (above / spread).quantize(PLACES)


@frozen
class Histogram:
    """The faces of all dice with this number of sides.

    Attributes:
        counts: how often each face showed, from 1.
        statistic: Pearson's chi-square against equal chances; its degrees of freedom are one less
            than the sides.
        chance: how often fair dice would differ at least so much, with four decimals; None where
            there are too few dice to say.
    """

    sides: int
    counts: tuple[int, ...]
    statistic: Fraction
    chance: Decimal | None


@frozen
class Report:
    """The luck of one game or several: a tally for each seat, for each seat and purpose, and a
    histogram for each kind of die."""

    seats: Mapping[str, Tally]
    purposes: Mapping[str, Mapping[str, Tally]]
    histograms: tuple[Histogram, ...]


def throws(log: Iterable[Record]) -> list[Throw]:
    """The open dice of a log's records, in order. Raises TypeError, ValueError or LookupError for a
    body of another form than its kind's."""
    found = []
    for record in log:
        if record.kind != records.COMMAND:
            continue
        body = bodies.CommandBody.read(record.body)
        seat = _attacker(record) or body.seat
        for epoch, _, purpose, shown in body.draws:
            if epoch != HIDDEN_EPOCH and isinstance(shown, tuple):
                sides, index = shown
                found.append(Throw(seat, purpose, sides, index + 1))
    return found


def _attacker(record: Record) -> str:
    """Whose attack a record resolves, where its sentences say so; "" if none does. The dice of an
    attack may be rolled by the defender's command, since they follow the defender's answer."""
    for effect in bodies.effects_of(record):
        if effect[0] == fx.SAY:
            said = dict(effect[2])
            if "result" in said and type(said.get("attacker")) is str:
                return str(said["attacker"])
    return ""


def tally(thrown: Iterable[Throw]) -> Tally:
    """All of these together."""
    count = total = expected = variance = 0
    for one in thrown:
        count += 1
        total += one.face
        expected += one.sides + 1
        variance += one.sides * one.sides - 1
    return Tally(count, total, Fraction(expected, 2), Fraction(variance, 12))


def report(thrown: Iterable[Throw]) -> Report:
    """The luck of these dice."""
    by_seat: dict[str, list[Throw]] = {}
    by_sides: dict[int, list[int]] = {}
    for one in thrown:
        by_seat.setdefault(one.seat, []).append(one)
        counts = by_sides.setdefault(one.sides, [0] * one.sides)
        counts[one.face - 1] += 1
    purposes: dict[str, dict[str, Tally]] = {}
    for seat, own in sorted(by_seat.items()):
        names = sorted({one.purpose for one in own})
        purposes[seat] = {
            name: tally([one for one in own if one.purpose == name]) for name in names
        }
    return Report(
        {seat: tally(own) for seat, own in sorted(by_seat.items())},
        purposes,
        tuple(histogram(counts) for _, counts in sorted(by_sides.items())),
    )


def histogram(counts: Iterable[int]) -> Histogram:
    """The histogram of these counts of faces, with its test."""
    counts = tuple(counts)
    total, sides = sum(counts), len(counts)
    if not total:
        return Histogram(sides, counts, Fraction(0), None)
    expected = Fraction(total, sides)
    statistic = sum(((one - expected) ** 2 for one in counts), Fraction(0)) / expected
    chance = None
    if expected >= EXPECTED_MIN and sides > 1:
        chance = chi_square_above(statistic, sides - 1)
    return Histogram(sides, counts, statistic, chance)


def chi_square_above(statistic: Fraction, freedom: int) -> Decimal:
    """How often a chi-square variable exceeds a value, with four decimals.

    With an even number of degrees of freedom this is a finite sum. With an odd one the power series
    of the regularised lower incomplete gamma function is summed, which converges for every value.
    Raises ValueError for no degree of freedom.
    """
    if freedom < 1:
        raise ValueError("a chi-square test needs at least one degree of freedom")
    with localcontext(_context()):
        half = Decimal(statistic.numerator) / Decimal(statistic.denominator) / 2
        if half == 0:
            return Decimal(1).quantize(PLACES)
        if freedom % 2 == 0:
            term = above = (-half).exp()
            for k in range(1, freedom // 2):
                term *= half / k
                above += term
        else:
            # Gamma(freedom/2 + 1), from Gamma(1/2) = sqrt(pi).
            gamma, a = PI.sqrt(), Decimal("0.5")
            while a <= Decimal(freedom) / 2:
                gamma *= a
                a += 1
            term = (half.ln() * freedom / 2 - half).exp() / gamma
            below, k = term, 0
            while term > Decimal("1e-30") or k < half:
                k += 1
                term *= half / (Decimal(freedom) / 2 + k)
                below += term
            above = 1 - below
        return max(Decimal(0), min(Decimal(1), above)).quantize(PLACES)


def _context() -> Context:
    return Context(prec=DIGITS, rounding=ROUND_HALF_EVEN)


def as_data(made: Report) -> dict[str, Any]:
    """The report as plain values for JSON: fractions as [numerator, denominator], decimals as
    text."""
    return {
        "seats": {
            seat: {
                **tally_data(one),
                "purposes": {
                    purpose: tally_data(part) for purpose, part in made.purposes[seat].items()
                },
            }
            for seat, one in made.seats.items()
        },
        "histograms": histograms_data(made.histograms),
    }


def histograms_data(found: Iterable[Histogram]) -> list[dict[str, Any]]:
    """Histograms as plain values."""
    return [
        {
            "sides": one.sides,
            "counts": list(one.counts),
            "chi_square": [one.statistic.numerator, one.statistic.denominator],
            "chance": None if one.chance is None else str(one.chance),
        }
        for one in found
    ]


def tally_data(one: Tally) -> dict[str, Any]:
    """Dice thrown together as plain values."""
    return {
        "dice": one.count,
        "total": one.total,
        "mean": [one.mean.numerator, one.mean.denominator],
        "expected": [one.expected.numerator, one.expected.denominator],
        "deviations": str(one.deviations),
    }
