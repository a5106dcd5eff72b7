"""Tie-breaks: FIDE C.07 (edition from March 2026), and those that wargamers use beside them.

Every value is exact, and comes with the parts that make it up: what each round contributed, against
whom, by which article, and what was cut. Scores are in the charter's points, so that Buchholz is
a whole number and Sonneborn-Berger a product of two scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

from attrs import define, field, frozen
from attrs import evolve as replace

from warledger.engine.tournaments import unplayed
from warledger.engine.tournaments.charter import Points
from warledger.engine.tournaments.crosstable import Crosstable, Line
from warledger.engine.tournaments.tiebreaknames import AMONG_TIED, KINDS, TieBreak

WON: Final = frozenset({"win", "close_win"})


class Part(NamedTuple):
    """What one round contributed to a value.

    Attributes:
        round: counted from 1; 0 for what belongs to no round.
        opponent: starting number, 0 for none.
        score: the opponent's, the dummy's or the entrant's own score that counts; 0 where the
            tie-break has none.
        points: what the entrant scored in the round.
        value: what is added.
        how: "opponent", "dummy", "forfeit", "fore", "own" or "count".
        voluntary: whether it comes from a voluntary unplayed round.
    """

    round: int
    opponent: int
    score: int
    points: int
    value: int | Fraction
    how: str = "count"
    voluntary: bool = False


@frozen
class Value:
    """A tie-break's value with how it came about: the parts that count, those that were cut, and
    by what the sum is divided (1 for a sum)."""

    number: Fraction
    parts: tuple[Part, ...] = ()
    cut: tuple[Part, ...] = ()
    divided: int = 1


@frozen
class Terms:
    """What a tie-break needs beside the table.

    Attributes:
        points: of the charter's stage.
        seats: of the title, in order.
        fixed: whether pairings are fixed beforehand, as where all play all (art. 15.2).
        lots: starting number -> lot, the lowest first.
    """

    points: Points = field(factory=Points)
    seats: tuple[str, ...] = ()
    fixed: bool = False
    lots: Mapping[int, int] = field(factory=dict)


@define(slots=False)
class Scores:
    """The table as tie-breaks read it; what several of them need is computed once."""

    table: Crosstable
    terms: Terms

    @cached_property
    def lines(self) -> dict[int, tuple[Line, ...]]:
        """Each entrant's rounds."""
        return {one.number: self.table.of(one.number) for one in self.table.entrants}

    @cached_property
    def score(self) -> dict[int, int]:
        """Each entrant's points."""
        return {n: sum(line.points for line in lines) for n, lines in self.lines.items()}

    @cached_property
    def adjusted(self) -> dict[int, int]:
        """Each entrant's score as opponents see it (art. 16.3)."""
        draw = self.terms.points.draw
        if self.terms.fixed:
            return self.score
        return {n: unplayed.adjusted(lines, draw) for n, lines in self.lines.items()}

    @cached_property
    def rating(self) -> dict[int, int]:
        """Each entrant's rating."""
        return {one.number: one.rating for one in self.table.entrants}

    @property
    def rounds(self) -> int:
        """The rounds of the tournament: as planned, or as many as there are where that is open."""
        return max(self.table.planned, len(self.table.rounds))

    def counts(self, line: Line) -> bool:
        """Whether a round counts as a game: over the board, or (art. 15.2) any forfeit where
        pairings are fixed."""
        return line.played or (self.terms.fixed and line.manner == "forfeit")

    def counted_game(self, line: Line) -> bool:
        """Whether a round counts as a game in tie-breaks of an entrant's own rounds (art. 7), where
        a forfeit loss stays unplayed."""
        return line.played or (
            self.terms.fixed and line.manner == "forfeit" and line.result == "win"
        )

    @cached_property
    def fore(self) -> Scores:
        """The table as if every game that was paired for the final round had been drawn (art.
        8.3)."""
        if not self.table.rounds:
            return self
        draw = self.terms.points.draw
        last = {
            n: replace(line, manner="played", points=draw, result="draw")
            if line.opponents
            else line
            for n, line in self.table.rounds[-1].items()
        }
        return Scores(replace(self.table, rounds=(*self.table.rounds[:-1], last)), self.terms)

    @cached_property
    def against(self) -> dict[int, tuple[Part, ...]]:
        """For each entrant and round the opponents' scores that count (art. 8.1 with 16)."""
        return {n: tuple(self._against(n)) for n in self.lines}

    def _against(self, number: int) -> list[Part]:
        made: list[Part] = []
        adjusted = self.adjusted
        for n, line in enumerate(self.lines[number], 1):
            if line.manner == "pending":
                continue
            if self.counts(line):
                for other in line.opponents:
                    score = adjusted[other]
                    made.append(Part(n, other, score, line.points, score, "opponent"))
                continue
            if self.terms.fixed:
                # Art. 15.2: where all play all, only forfeits can be unplayed; a free round is no
                # round of the entrant.
                continue
            scheduled = None
            if line.manner == "forfeit" and line.opponents:
                scheduled = min(adjusted[other] for other in line.opponents)
            score = unplayed.dummy(
                self.score[number],
                rounds=self.rounds,
                draw=self.terms.points.draw,
                scheduled=scheduled,
            )
            made.append(
                Part(
                    n,
                    line.opponents[0] if scheduled is not None else 0,
                    score,
                    line.points,
                    score,
                    "dummy" if scheduled is None else "forfeit",
                    unplayed.voluntary(line),
                )
            )
        return made

    @cached_property
    def record(self) -> dict[int, tuple[int, int]]:
        """Each entrant's points from games over the board, and how many these are."""
        made = {}
        for number, lines in self.lines.items():
            played = [line.points for line in lines if line.played]
            made[number] = (sum(played), len(played))
        return made

    @cached_property
    def meetings(self) -> dict[int, dict[int, tuple[int, int]]]:
        """Entrant -> opponent -> (points from their games, number of these games), for direct
        encounters: over the board, and forfeits where pairings are fixed (art. 6.1.1, 15.2)."""
        made: dict[int, dict[int, tuple[int, int]]] = {}
        for number, lines in self.lines.items():
            met: dict[int, tuple[int, int]] = {}
            for line in lines:
                if self.counts(line):
                    for other in line.opponents:
                        points, games = met.get(other, (0, 0))
                        met[other] = (points + line.points, games + 1)
            made[number] = met
        return made


def value(of: TieBreak, scores: Scores, number: int) -> Value:
    """An entrant's value of a tie-break; the higher comes first. Raises KeyError for a kind of
    AMONG_TIED."""
    return _VALUES[of.kind](of, scores, number)


def _summed(parts: Sequence[Part], cut: Sequence[Part] = ()) -> Value:
    return Value(Fraction(sum(part.value for part in parts)), tuple(parts), tuple(cut))


def cut_least(parts: Sequence[Part], count: int) -> tuple[list[Part], list[Part]]:
    """Cut the least significant values (art. 14.1, 14.2): those of the opponents with the lowest
    score, and among these the lowest value. But a voluntary unplayed round's lowest contribution
    goes instead where it is not lower (art. 16.5). Returns what is kept and what is cut."""
    kept, cut = list(parts), []
    for _ in range(min(count, len(kept))):
        least = min(kept, key=lambda part: (part.score, part.value, part.round))
        own = [part for part in kept if part.voluntary]
        if own:
            lowest = min(own, key=lambda part: (part.value, part.score, part.round))
            if lowest.value >= least.value:
                least = lowest
        kept.remove(least)
        cut.append(least)
    return kept, cut


def cut_most(parts: Sequence[Part], count: int) -> tuple[list[Part], list[Part]]:
    """Cut the most significant values (art. 14.3, 14.4)."""
    kept, cut = list(parts), []
    for _ in range(min(count, len(kept))):
        most = max(kept, key=lambda part: (part.score, part.value, -part.round))
        kept.remove(most)
        cut.append(most)
    return kept, cut


def _with_cuts(of: TieBreak, parts: Sequence[Part]) -> Value:
    least, most = of.cuts
    kept, cut = cut_least(parts, least) if least else (parts, [])
    if most:
        kept, more = cut_most(kept, most)
        cut = [*cut, *more]
    return _summed(kept, cut)


def _buchholz(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 8.1: the sum of the opponents' scores."""
    return _with_cuts(of, scores.against[number])


def _fore_buchholz(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 8.3: Buchholz as if the final round's games were drawn."""
    return _with_cuts(of, scores.fore.against[number])


def _average_buchholz(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 8.2: the average Buchholz of the opponents met over the board."""
    parts = []
    for n, line in enumerate(scores.lines[number], 1):
        if line.played:
            for other in line.opponents:
                total = sum(part.score for part in scores.against[other])
                parts.append(Part(n, other, total, line.points, total, "opponent"))
    return _averaged(parts, len(parts))


def _averaged(parts: Sequence[Part], count: int) -> Value:
    total = sum(part.value for part in parts)
    return Value(Fraction(total, count) if count else Fraction(0), tuple(parts), (), max(count, 1))


def _sonneborn_berger(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 9.1: each opponent's score times the points scored against them."""
    parts = [part._replace(value=part.score * part.points) for part in scores.against[number]]
    return _with_cuts(of, parts)


def _koya(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 9.2: the points scored against those who have at least half of what they could have."""
    win = scores.terms.points.win
    parts = []
    for n, line in enumerate(scores.lines[number], 1):
        if not scores.counts(line):
            continue
        for other in line.opponents:
            score = scores.score[other]
            if 2 * score >= win * _possible(scores, other):
                parts.append(Part(n, other, score, line.points, line.points, "opponent"))
    return _summed(parts)


def _possible(scores: Scores, number: int) -> int:
    """How many rounds an entrant could have won: all, or where pairings are fixed those in which
    they were paired."""
    lines = scores.lines[number]
    if not scores.terms.fixed:
        return len(lines)
    return sum(bool(line.opponents) for line in lines)


def _progressive(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 7.5: the sum of the scores after each round; a cut leaves out the first rounds."""
    parts, running = [], 0
    for n, line in enumerate(scores.lines[number], 1):
        running += line.points
        parts.append(Part(n, 0, running, line.points, running, "own"))
    cut, _ = of.cuts
    return _summed(parts[cut:], parts[:cut])


def _counted(
    scores: Scores, number: int, holds: Callable[[Line], bool], seat: int | None = None
) -> Value:
    return _summed(
        [
            Part(n, line.opponents[0] if line.opponents else 0, 0, line.points, 1)
            for n, line in enumerate(scores.lines[number], 1)
            if (seat is None or line.seat == seat) and holds(line)
        ]
    )


def _seat(of: TieBreak, scores: Scores) -> int | None:
    """The seat that a tie-break names, as its index; -1 for one the title does not have."""
    if not of.modifier:
        return None
    seats = scores.terms.seats
    return seats.index(of.modifier) if of.modifier in seats else -1


def _wins(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 7.1: rounds that were won or brought as much as a win, played or not. With a seat: the
    games won as that seat."""
    win = scores.terms.points.win
    if of.modifier:
        return _games_won(of, scores, number)
    return _counted(scores, number, lambda line: line.result in WON or line.points >= win)


def _games_won(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 7.2, and 7.4 for a seat: games won over the board."""
    return _counted(
        scores,
        number,
        lambda line: scores.counted_game(line) and line.result in WON,
        _seat(of, scores),
    )


def _games(of: TieBreak, scores: Scores, number: int) -> Value:
    """Games played over the board; for a seat as art. 7.3."""
    return _counted(scores, number, scores.counted_game, _seat(of, scores))


def _rounds_played(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 7.6: the rounds that the entrant chose to play, which are all but requested byes and
    forfeit losses."""
    return _counted(
        scores, number, lambda line: not unplayed.voluntary(line) and line.manner != "pending"
    )


def _standard_points(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 7.7: one point for a win, a half for a draw; unplayed rounds by what they brought."""
    draw = scores.terms.points.draw
    parts = []
    for n, line in enumerate(scores.lines[number], 1):
        if line.result is not None:
            worth = 2 if line.result in WON else line.result == "draw"
        else:
            worth = 2 if line.points > draw else line.points == draw and line.points > 0
        if worth:
            other = line.opponents[0] if line.opponents else 0
            parts.append(Part(n, other, 0, line.points, _halves(int(worth))))
    return _summed(parts)


def _halves(half: int) -> int | Fraction:
    """Half units as units; whole ones as whole numbers, which are added faster."""
    return Fraction(half, 2) if half % 2 else half // 2


def _sos_pooled(of: TieBreak, scores: Scores, number: int) -> Value:
    """Strength of schedule: all opponents' points over all their games."""
    parts, games = [], 0
    for n, line in enumerate(scores.lines[number], 1):
        if line.played:
            for other in line.opponents:
                points, count = scores.record[other]
                games += count
                parts.append(Part(n, other, count, line.points, points, "opponent"))
    return _averaged(parts, games)


def _sos_mean(of: TieBreak, scores: Scores, number: int) -> Value:
    """Strength of schedule: the mean of the opponents' points a game."""
    parts = []
    for n, line in enumerate(scores.lines[number], 1):
        if line.played:
            for other in line.opponents:
                points, count = scores.record[other]
                mean = Fraction(points, max(count, 1))
                parts.append(Part(n, other, count, line.points, mean, "opponent"))
    return _averaged(parts, len(parts))


def _margin(of: TieBreak, scores: Scores, number: int) -> Value:
    """The sum of the margins after handicaps, in units, each counted up to the cap."""
    most = 2 * int(of.modifier) if of.modifier else None
    parts = []
    for n, line in enumerate(scores.lines[number], 1):
        if line.played and line.margin:
            half = line.margin if most is None else max(-most, min(most, line.margin))
            other = line.opponents[0] if line.opponents else 0
            parts.append(Part(n, other, 0, line.points, _halves(half)))
    return _summed(parts)


def _rating_opponents(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 10.1: the average rating of the opponents met over the board, rounded to the nearest
    whole number, a half upwards. Opponents without a rating are left out."""
    parts = []
    for n, line in enumerate(scores.lines[number], 1):
        if line.played:
            for other in line.opponents:
                rating = scores.rating[other]
                if rating:
                    parts.append(Part(n, other, rating, line.points, rating, "opponent"))
    least, most = of.cuts
    kept, cut = cut_least(parts, least)
    kept, more = cut_most(kept, most)
    if not kept:
        return Value(Fraction(0), (), (*cut, *more))
    mean = Fraction(sum(part.score for part in kept), len(kept))
    rounded = Fraction((2 * mean.numerator + mean.denominator) // (2 * mean.denominator))
    return Value(rounded, tuple(kept), (*cut, *more), len(kept))


def _rating(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 10.6: the higher rating."""
    return Value(Fraction(scores.rating[number]))


def _number(of: TieBreak, scores: Scores, number: int) -> Value:
    """Art. 7.8: the lower starting number."""
    return Value(Fraction(-number))


def _lots(of: TieBreak, scores: Scores, number: int) -> Value:
    """The lower lot."""
    return Value(Fraction(-scores.terms.lots.get(number, 0)))


_VALUES: Final[Mapping[str, Callable[[TieBreak, Scores, int], Value]]] = {
    kind: globals()[f"_{kind}"] for kind in KINDS if kind not in AMONG_TIED
}
"""The function of each kind, which bears its name: one that is missing is missed here."""
