"""The ratings log: one period after another, each with its games and the numbers that follow, so
that anybody can compute it again.

A tournament is a period; rated games outside tournaments are gathered by the month. A book is for
one title and one pace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

from warledger.engine.tournaments import glicko
from warledger.engine.tournaments.glicko import Met, Rating, Seen
from warledger.protocol.findings import ERROR, Finding


@frozen
class Game:
    """A rated game.

    Attributes:
        game: its id.
        hash: of its last record.
        first, second: the accounts of the two seats, in the title's order.
        half: 2 if the first seat won, 1 for a draw, 0 if it lost.
        given: half units that the first seat gave as a handicap; negative if it was given some.
    """

    game: str
    hash: bytes
    first: str
    second: str
    half: int
    given: int = 0

    def as_array(self) -> tuple[Any, ...]:
        """As the log holds it."""
        return (self.game, self.hash, self.first, self.second, self.half, self.given)


@frozen
class Period:
    """A period of the log.

    Attributes:
        name: a tournament's id, or a month such as "2026-11".
        month: months since year 0, for the growth of deviations: 12 × year + month - 1.
        advantage: the first seat's, in hundredths of points, that held for these games.
        half_unit: what giving half a unit costs, in hundredths of points; None: games with a
            handicap are not rated.
        games: in the order of their ids.
        ratings: account -> rating after the period, of those who played.
    """

    name: str
    month: int
    advantage: int
    half_unit: int | None
    games: tuple[Game, ...]
    ratings: Mapping[str, Rating] = field(factory=dict)

    def as_array(self) -> tuple[Any, ...]:
        """As the log holds it."""
        return (
            self.name,
            self.month,
            self.advantage,
            self.half_unit,
            tuple(game.as_array() for game in self.games),
            tuple(
                (account, one.points, one.deviation, one.volatility)
                for account, one in sorted(self.ratings.items())
            ),
        )

    @classmethod
    def from_array(cls, array: Any) -> Period:
        """Raises ValueError when the array has another form."""
        try:
            name, month, advantage, half_unit, games, ratings = array
            made = cls(
                name,
                month,
                advantage,
                half_unit,
                tuple(Game(*one) for one in games),
                {account: Rating(*numbers) for account, *numbers in ratings},
            )
        except (TypeError, ValueError) as error:
            raise ValueError("a period of the ratings log has another form") from error
        whole = (month, advantage, *(() if half_unit is None else (half_unit,)))
        whole += tuple(n for one in made.games for n in (one.half, one.given))
        whole += tuple(
            n for one in made.ratings.values() for n in (one.points, one.deviation, one.volatility)
        )
        if type(name) is not str or any(type(one) is not int for one in whole):
            raise ValueError("a period of the ratings log has another form")
        if any(one.half not in (0, 1, 2) for one in made.games):
            raise ValueError("a game's result is 0, 1 or 2 halves")
        return made


@frozen
class Book:
    """The ratings of a title and a pace after some periods: account -> rating, and the month of
    the period in which it changed last."""

    ratings: Mapping[str, Rating] = field(factory=dict)
    months: Mapping[str, int] = field(factory=dict)

    def before(self, account: str, month: int) -> Rating:
        """An account's rating at the beginning of a period: the deviation has grown for each month
        that passed between without a game."""
        rating = self.ratings.get(account)
        if rating is None:
            return Rating()
        passed = month - self.months[account] - 1
        return glicko.idle(rating, passed) if passed > 0 else rating


def rated(games: Iterable[Game], half_unit: int | None) -> tuple[Game, ...]:
    """The games that count, in the order of their ids: those of two different accounts, and those
    with a handicap only where the worth of half a unit is known."""
    return tuple(
        sorted(
            (
                one
                for one in games
                if one.first != one.second and (half_unit is not None or not one.given)
            ),
            key=lambda one: one.game,
        )
    )


def close(
    book: Book,
    name: str,
    month: int,
    games: Sequence[Game],
    *,
    advantage: int = 0,
    half_unit: int | None = None,
) -> tuple[Period, Book]:
    """A period with its new ratings, and the book after it. Every rating of the period is computed
    from those before it, so the order of games does not matter."""
    counted = rated(games, half_unit)
    before: dict[str, Rating] = {}
    for game in counted:
        for account in (game.first, game.second):
            if account not in before:
                before[account] = book.before(account, month)
    met: dict[str, list[Met]] = {account: [] for account in before}
    for game in counted:
        ahead = advantage - game.given * (half_unit or 0)
        met[game.first].append(Met(before[game.second], game.half, ahead))
        met[game.second].append(Met(before[game.first], 2 - game.half, -ahead))
    after = {account: glicko.update(before[account], met[account]) for account in sorted(before)}
    period = Period(name, month, advantage, half_unit, counted, after)
    return period, _with(book, period)


def _with(book: Book, period: Period) -> Book:
    return Book(
        {**book.ratings, **period.ratings},
        {**book.months, **dict.fromkeys(period.ratings, period.month)},
    )


def seen(periods: Iterable[Period]) -> list[Seen]:
    """Every game with the ratings before its period, for fitting what the sides are worth."""
    book, made = Book(), []
    for period in periods:
        made += [
            Seen(
                book.before(game.first, period.month),
                book.before(game.second, period.month),
                game.half,
                game.given,
            )
            for game in period.games
        ]
        _, book = close(
            book,
            period.name,
            period.month,
            period.games,
            advantage=period.advantage,
            half_unit=period.half_unit,
        )
    return made


QUARTER: Final = 3


def terms(periods: Sequence[Period], month: int) -> tuple[int, int | None]:
    """The advantage of the first seat, and the worth of half a unit, for the next period: those of
    the last one, fitted anew from all games once a quarter of the year has begun since. 0 and None
    before the first period."""
    if not periods:
        return 0, None
    last = periods[-1]
    if month // QUARTER == last.month // QUARTER:
        return last.advantage, last.half_unit
    made = glicko.fit(seen(periods))
    return made.advantage, made.half_unit


def audit(periods: Iterable[Period]) -> tuple[Book, tuple[Finding, ...]]:
    """Compute a log again: the book it comes to, and what is wrong in it. After a wrong period the
    check goes on with the right numbers."""
    book, found = Book(), []
    seen: dict[str, str] = {}
    last = None
    for n, period in enumerate(periods):
        place = f"period {n}, {period.name}"
        if last is not None and period.month < last:
            found.append(_wrong(place, "it is earlier than the period before it"))
        last = period.month
        for game in period.games:
            if game.game in seen:
                found.append(_wrong(place, f"game {game.game} was rated in {seen[game.game]}"))
            seen[game.game] = period.name
        right, after = close(
            book,
            period.name,
            period.month,
            period.games,
            advantage=period.advantage,
            half_unit=period.half_unit,
        )
        if right.games != period.games:
            found.append(_wrong(place, "its games are not in order, or some may not be rated"))
        accounts = sorted({*right.ratings, *period.ratings})
        found.extend(
            _wrong(
                place,
                f"{account} has {_told(period.ratings.get(account))}, but the games give "
                f"{_told(right.ratings.get(account))}",
            )
            for account in accounts
            if right.ratings.get(account) != period.ratings.get(account)
        )
        book = after
    return book, tuple(found)


def _wrong(place: str, problem: str) -> Finding:
    return Finding(ERROR, place, problem, "Compute the log again from this period on")


def _told(rating: Rating | None) -> str:
    return f"{rating.points}/{rating.deviation}/{rating.volatility}" if rating else "no rating"
