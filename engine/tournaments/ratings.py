"""The ratings log: one period after another, each with its games and the numbers that follow, so
that anybody can compute it again.

A tournament is a period; rated games outside tournaments are gathered by the month. A book is for
one title and one pace.

A player is (id, name). Whoever has an id is known by it, whatever they are called; whoever has none
("") by the name; both byte by byte. That two of them are one person is for the keeper of a log to
say, in the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

from warledger.engine.tournaments import glicko
from warledger.engine.tournaments.charter import Named, apart
from warledger.engine.tournaments.glicko import Met, Rating, Seen
from warledger.protocol.board.findings import ERROR, Finding
from warledger.protocol.log.records import is_person

NUMBER_MAX: Final = 10**9
AHEAD_MAX: Final = 1_000_000
"""By how many hundredths of points a seat may count as stronger, with what was given for it: beyond
that there is no chance left to compute with."""
MONTH_MAX: Final = 12 * 9999 + 11
"""The greatest number of a log, and its negative the least: hundredths of points, months, parts of
a volatility."""

Key = tuple[str, str]
"""What a player is known by: (id, "") or ("", name)."""


def key_of(player: Named) -> Key:
    """What a player is known by."""
    id, name = player
    return (id, "") if id else ("", name)


@frozen
class Game:
    """A rated game.

    Attributes:
        game: its id.
        hash: of its last record.
        first, second: the players of the two seats, in the title's order.
        half: 2 if the first seat won, 1 for a draw, 0 if it lost.
        given: half units that the first seat gave as a handicap; negative if it was given some.
    """

    game: str
    hash: bytes
    first: Named
    second: Named
    half: int
    given: int = 0

    def as_array(self) -> tuple[Any, ...]:
        """The array that the log holds of the game."""
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
        ratings: player -> rating after the period, of those who played.
    """

    name: str
    month: int
    advantage: int
    half_unit: int | None
    games: tuple[Game, ...]
    ratings: Mapping[Named, Rating] = field(factory=dict)

    def as_array(self) -> tuple[Any, ...]:
        """The array that the log holds of the period."""
        return (
            self.name,
            self.month,
            self.advantage,
            self.half_unit,
            tuple(game.as_array() for game in self.games),
            tuple(
                (player, one.points, one.deviation, one.volatility)
                for player, one in sorted(self.ratings.items())
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
                tuple(
                    Game(game, hash, tuple(first), tuple(second), *rest)
                    for game, hash, first, second, *rest in games
                ),
                {tuple(player): Rating(*numbers) for player, *numbers in ratings},
            )
            players = [one for game in made.games for one in (game.first, game.second)]
            if not all(is_person(one, known=False) for one in (*players, *made.ratings)):
                raise ValueError("a player is an id and a name")
        except (TypeError, ValueError) as error:
            raise ValueError("a period of the ratings log has another form") from error
        whole = (month, advantage, *(() if half_unit is None else (half_unit,)))
        whole += tuple(n for one in made.games for n in (one.half, one.given))
        whole += tuple(
            n for one in made.ratings.values() for n in (one.points, one.deviation, one.volatility)
        )
        texts = (name, *(one.game for one in made.games))
        if (
            any(type(one) is not str for one in texts)
            or any(type(one.hash) is not bytes for one in made.games)
            or any(type(one) is not int or abs(one) > NUMBER_MAX for one in whole)
        ):
            raise ValueError("a period of the ratings log has another form")
        if not 0 <= month <= MONTH_MAX:
            raise ValueError("a period's month is 12 × year + month - 1")
        if any(one.half not in (0, 1, 2) for one in made.games):
            raise ValueError("a game's result is 0, 1 or 2 halves")
        ahead = (advantage, *(advantage - one.given * (half_unit or 0) for one in made.games))
        if any(abs(one) > AHEAD_MAX for one in ahead):
            raise ValueError(f"no seat is worth more than {AHEAD_MAX} hundredths of points")
        return made


@frozen
class Same:
    """The keeper's statement that two players are one person: from here on the first stands for
    both. Of two ratings the one with the smaller deviation goes on, of equals the first's."""

    first: Named
    second: Named

    def as_array(self) -> tuple[Any, ...]:
        """The array that the log holds of the statement."""
        return (self.first, self.second)

    @classmethod
    def from_array(cls, array: Any) -> Same:
        """Raises ValueError when the array has another form."""
        try:
            first, second = (tuple(one) for one in array)
        except (TypeError, ValueError) as error:
            raise ValueError("that two are one person has another form") from error
        if not all(is_person(one, known=False) for one in (first, second)):
            raise ValueError("a player is an id and a name")
        return cls(first, second)


Entry = Period | Same
"""What a log holds, one after another."""


@frozen
class Book:
    """The ratings of a title and a pace after some periods: by what a player is known by, the
    rating, the month of the period in which it changed last, and the newest name. `stands` is who
    stands for those who are somebody else as well."""

    ratings: Mapping[Key, Rating] = field(factory=dict)
    months: Mapping[Key, int] = field(factory=dict)
    names: Mapping[Key, str] = field(factory=dict)
    stands: Mapping[Key, Key] = field(factory=dict)

    def whose(self, player: Named) -> Key:
        """By what the rating of a player is found."""
        key = key_of(player)
        return self.stands.get(key, key)

    def before(self, player: Named, month: int) -> Rating:
        """A player's rating at the beginning of a period: the deviation has grown for each month
        that passed between without a game."""
        key = self.whose(player)
        rating = self.ratings.get(key)
        if rating is None:
            return Rating()
        passed = month - self.months[key] - 1
        return glicko.idle(rating, passed) if passed > 0 else rating

    def player(self, key: Key) -> Named:
        """Whoever is known by this, with the newest name."""
        return (key[0], self.names[key])

    @property
    def players(self) -> tuple[Named, ...]:
        """All who have a rating, the highest first."""
        order = sorted(self.ratings, key=lambda key: (-self.ratings[key].points, key))
        return tuple(map(self.player, order))

    def of(self, player: Named) -> tuple[Rating, int]:
        """The rating of somebody who has one, and its month."""
        key = self.whose(player)
        return self.ratings[key], self.months[key]


def joined(book: Book, same: Same) -> Book:
    """The book after a statement that two are one. Raises ValueError where they are already."""
    kept, gone = book.whose(same.first), book.whose(same.second)
    if kept == gone:
        raise ValueError("these two are one person already")
    held = [key for key in (kept, gone) if key in book.ratings]
    ratings, months = dict(book.ratings), dict(book.months)
    if held:
        best = min(held, key=lambda key: book.ratings[key].deviation)
        ratings[kept], months[kept] = book.ratings[best], book.months[best]
        ratings.pop(gone, None)
        months.pop(gone, None)
    stands = {key: kept if to == gone else to for key, to in book.stands.items()}
    names = {kept: same.first[1], **book.names}
    return Book(ratings, months, names, {**stands, gone: kept})


def rated(book: Book, games: Iterable[Game], half_unit: int | None) -> tuple[Game, ...]:
    """The games that count, in the order of their ids: those of two different people, and those
    with a handicap only where the worth of half a unit is known."""
    return tuple(
        sorted(
            (
                one
                for one in games
                if book.whose(one.first) != book.whose(one.second)
                and (half_unit is not None or not one.given)
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
    counted = rated(book, games, half_unit)
    before: dict[Key, Rating] = {}
    names = dict(book.names)
    for game in counted:
        for player in (game.first, game.second):
            key = book.whose(player)
            before.setdefault(key, book.before(player, month))
            # Whoever stands for another keeps their own name.
            if key == key_of(player):
                names[key] = player[1]
    met: dict[Key, list[Met]] = {key: [] for key in before}
    for game in counted:
        first, second = book.whose(game.first), book.whose(game.second)
        ahead = advantage - game.given * (half_unit or 0)
        met[first].append(Met(before[second], game.half, ahead))
        met[second].append(Met(before[first], 2 - game.half, -ahead))
    after = {key: glicko.update(before[key], met[key]) for key in sorted(before)}
    told = {(key[0], names[key]): rating for key, rating in after.items()}
    period = Period(name, month, advantage, half_unit, counted, told)
    months = {**book.months, **dict.fromkeys(after, month)}
    return period, Book({**book.ratings, **after}, months, names, book.stands)


def seen(entries: Iterable[Entry]) -> list[Seen]:
    """Every game with the ratings before its period, for fitting what the sides are worth. Raises
    ValueError for a statement that says nothing new."""
    book, made = Book(), []
    for period in entries:
        if isinstance(period, Same):
            book = joined(book, period)
            continue
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


def terms(entries: Sequence[Entry], month: int) -> tuple[int, int | None]:
    """The advantage of the first seat, and the worth of half a unit, for the next period: those of
    the last one, fitted anew from all games once a quarter of the year has begun since. 0 and None
    before the first period."""
    periods = [one for one in entries if isinstance(one, Period)]
    if not periods:
        return 0, None
    last = periods[-1]
    if month // QUARTER == last.month // QUARTER:
        return last.advantage, last.half_unit
    made = glicko.fit(seen(entries))
    return made.advantage, made.half_unit


def audit(entries: Iterable[Entry]) -> tuple[Book, tuple[Finding, ...]]:
    """Compute a log again: the book it comes to, and what is wrong in it. After a wrong period the
    check goes on with the right numbers."""
    book, found = Book(), []
    seen: dict[str, str] = {}
    hashes: dict[bytes, str] = {}
    last, n = None, -1
    for period in entries:
        if isinstance(period, Same):
            try:
                book = joined(book, period)
            except ValueError as error:
                found.append(_wrong(f"after period {n}", str(error)))
            continue
        n += 1
        place = f"period {n}, {period.name}"
        if last is not None and period.month < last:
            found.append(_wrong(place, "it is earlier than the period before it"))
        last = period.month
        for game in period.games:
            if game.game in seen:
                found.append(_wrong(place, f"game {game.game} was rated in {seen[game.game]}"))
            if game.hash in hashes and hashes[game.hash] != game.game:
                what = f"game {game.game} has the hash of game {hashes[game.hash]}: they are one"
                found.append(_wrong(place, what))
            seen[game.game] = period.name
            hashes.setdefault(game.hash, game.game)
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
        players = sorted({*right.ratings, *period.ratings})
        found.extend(
            _wrong(
                place,
                f"{apart(player, players)} has {_told(period.ratings.get(player))}, but the games "
                f"give {_told(right.ratings.get(player))}",
            )
            for player in players
            if right.ratings.get(player) != period.ratings.get(player)
        )
        book = after
    return book, tuple(found)


def _wrong(place: str, problem: str) -> Finding:
    return Finding(ERROR, place, problem, "Compute the log again from this period on")


def _told(rating: Rating | None) -> str:
    return f"{rating.points}/{rating.deviation}/{rating.volatility}" if rating else "no rating"
