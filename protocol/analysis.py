"""Win probability: what became of a game that bots played on from the beginning of each turn.

An analysis is a JSON file beside the game's file. It belongs to one log, which it names by game,
genesis and the hash of each record it begins from. It is evidence of nothing: whoever doubts it
makes it again, since every game that was played on follows from the record and a number.

    {"analysis": 1, "game": ID, "title": NAME, "genesis": HEX, "seats": [SEAT, …], "player": BOT,
     "points": [{"seq": N, "hash": HEX, "args": [[NAME, VALUE], …], "results": [RESULT, …]}, …]}

A result is the seat that won, "" for a draw, null for a game that is still to be played, or "?" for
one that came to nothing because a bot chose what the rules refuse.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt
from typing import Any, Final

from attrs import frozen

from warledger.protocol.log.records import Record

FORM: Final = 1
POINTS_MAX: Final = 1000
ROLLOUTS_MAX: Final = 10_000
ASTRAY: Final = "?"
DRAW: Final = ""
SUFFIX: Final = ".analysis.json"
"""What takes the place of a game file's suffix in the name of its analysis."""

_SQUARE: Final = (38416, 10_000)
"""1.96²: 95 of 100 such intervals hold the true chance."""
_SCALE: Final = 10**12


class BadAnalysis(ValueError):
    """Data that is not an analysis, or not one of this log; the message says what is wrong."""


@frozen
class Odds:
    """How often a result came, in thousandths: the share, and the bounds of its 95 % interval."""

    share: int
    low: int
    high: int


@frozen
class Point:
    """A record that was played on from: `args` are what the log says of the turn that begins there,
    `results` those of the games in order."""

    seq: int
    hash: bytes
    args: tuple[tuple[str, Any], ...]
    results: tuple[str | None, ...] = ()

    @property
    def played(self) -> int:
        """How many games came to a result."""
        return sum(one is not None and one != ASTRAY for one in self.results)

    @property
    def astray(self) -> int:
        """How many came to nothing."""
        return self.results.count(ASTRAY)

    def odds(self, result: str) -> Odds:
        """How often a seat won, or with DRAW nobody."""
        return odds(self.results.count(result), self.played)


@frozen
class Analysis:
    """All points of a game, in the order of their records; `player` is the bot that played."""

    game: str
    title: str
    genesis: bytes
    seats: tuple[str, ...]
    player: str
    points: tuple[Point, ...]

    def fits(self, log: list[Record]) -> bool:
        """Whether it is one of this log, or of a log that goes on from it."""
        return (
            bool(log)
            and log[0].hash == self.genesis
            and all(
                point.seq < len(log) and log[point.seq].hash == point.hash for point in self.points
            )
        )

    def before(self, seq: int) -> Point | None:
        """The newest point at or before a record, from which anything has been played."""
        for point in reversed(self.points):
            if point.seq <= seq and point.played:
                return point
        return None

    def as_data(self) -> dict[str, Any]:
        """The file's form."""
        return {
            "analysis": FORM,
            "game": self.game,
            "title": self.title,
            "genesis": self.genesis.hex(),
            "seats": list(self.seats),
            "player": self.player,
            "points": [
                {
                    "seq": point.seq,
                    "hash": point.hash.hex(),
                    "args": [list(arg) for arg in point.args],
                    "results": list(point.results),
                }
                for point in self.points
            ],
        }

    def shown(self) -> dict[str, Any]:
        """What is drawn of it: for each point the share of each seat in thousandths with its
        bounds, how many games that rests on, and how many were drawn."""
        return {
            "player": self.player,
            "seats": list(self.seats),
            "points": [
                {
                    "seq": point.seq,
                    "args": [list(arg) for arg in point.args],
                    "played": point.played,
                    "drawn": point.results.count(DRAW),
                    "odds": {
                        seat: [found.share, found.low, found.high]
                        for seat in self.seats
                        for found in (point.odds(seat),)
                    },
                }
                for point in self.points
                if point.played
            ],
        }


def odds(won: int, played: int) -> Odds:
    """A share with Wilson's interval, which holds for few games and for shares near 0 and 1 as
    well. Without games nothing is known: 0 to 1."""
    if not played:
        return Odds(0, 0, 1000)
    above, below = _SQUARE
    # (won + z²/2 ± z √(won (played − won) / played + z²/4)) / (played + z²), in whole numbers
    whole = played * below + above
    middle = won * below + above // 2
    inside = (won * (played - won) * below * _SCALE) // played + above * _SCALE // 4
    half = isqrt(inside * above // _SCALE)
    return Odds(
        (2000 * won + played) // (2 * played),
        max(0, 1000 * (middle - half) // whole),
        min(1000, -(-1000 * (middle + half) // whole)),
    )


def read(data: Any) -> Analysis:
    """An analysis from what a JSON file holds. Raises BadAnalysis."""
    try:
        if data["analysis"] != FORM:
            raise BadAnalysis(f"an analysis of form {data['analysis']!r} cannot be read here")
        seats = tuple(_text(seat) for seat in _list(data["seats"], 16))
        points = tuple(_point(one, seats) for one in _list(data["points"], POINTS_MAX))
        if [one.seq for one in points] != sorted({one.seq for one in points}):
            raise BadAnalysis("points are in the order of their records")
        return Analysis(
            _text(data["game"]),
            _text(data["title"]),
            bytes.fromhex(_text(data["genesis"])),
            seats,
            _text(data["player"]),
            points,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, BadAnalysis):
            raise
        raise BadAnalysis(f"this is not an analysis: {type(error).__name__}: {error}") from error


def _point(data: Mapping[str, Any], seats: tuple[str, ...]) -> Point:
    seq = data["seq"]
    if type(seq) is not int or seq < 0:
        raise BadAnalysis("seq is the number of a record")
    args = []
    for name, value in _list(data["args"], 16):
        if type(value) is not int:
            value = _text(value)
        args.append((_text(name), value))
    results = tuple(_list(data["results"], ROLLOUTS_MAX))
    for one in results:
        if one is not None and one not in (DRAW, ASTRAY, *seats):
            raise BadAnalysis(f"a result is a seat, {DRAW!r}, {ASTRAY!r} or null")
    return Point(seq, bytes.fromhex(_text(data["hash"])), tuple(args), results)


def _text(value: Any) -> str:
    if type(value) is not str or len(value) > 200:
        raise BadAnalysis("a short text is expected")
    return value


def _list(value: Any, most: int) -> list[Any]:
    if type(value) is not list or len(value) > most:
        raise BadAnalysis(f"a list of at most {most} is expected")
    return value
