"""The analysis beside a game's file: read, and told in sentences."""

import json
from collections.abc import Iterator
from pathlib import Path

from warledger.protocol import analysis
from warledger.protocol.analysis import DRAW, SUFFIX, Analysis, BadAnalysis, Point
from warledger.protocol.log.records import Record
from warledger.protocol.texts.phrases import Phrases

BYTES_MAX = 64 * 1024 * 1024


class Unfit(ValueError):
    """An analysis that is not of this log; the message is its path."""


def beside(file: Path) -> Path:
    """Where the analysis of a game's file is kept."""
    return file.with_suffix(SUFFIX)


def read_beside(file: Path, log: list[Record]) -> Analysis | None:
    """The analysis beside a game's file, or None where there is none. Raises BadAnalysis for a file
    that is none, Unfit for one of another log, OSError."""
    path = beside(file)
    if not path.exists():
        return None
    if path.stat().st_size > BYTES_MAX:
        raise BadAnalysis(f"{path.name} is too large")
    try:
        found = analysis.read(json.loads(path.read_bytes()))
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadAnalysis):
            raise
        raise BadAnalysis(f"{path.name} is not JSON") from error
    if not found.fits(log):
        raise Unfit(str(path))
    return found


def lines(made: Analysis, spoken: Phrases) -> Iterator[str]:
    """The analysis in sentences: each turn, and what it is worth."""
    for number, point in enumerate(made.points, 1):
        if point.played:
            yield told(point, made, spoken, number)
    astray = sum(point.astray for point in made.points)
    if astray:
        yield spoken.text("cli.analyse.astray", n=astray)
    yield spoken.text("cli.analyse.worth")


def told(point: Point, made: Analysis, spoken: Phrases, number: int = 0) -> str:
    """One point: how often each side wins from there."""
    turn = dict(point.args).get("turn", number or made.points.index(point) + 1)
    parts = [
        spoken.text(
            "cli.analyse.side",
            side=seat,
            share=_percent(odds.share),
            low=_percent(odds.low),
            high=_percent(odds.high),
        )
        for seat in made.seats
        for odds in (point.odds(seat),)
    ]
    drawn = point.odds(DRAW).share
    if drawn:
        parts.append(spoken.text("cli.analyse.drawn", share=_percent(drawn)))
    return spoken.text(
        "cli.analyse.turn",
        turn=turn,
        seq=point.seq,
        n=point.played,
        odds=spoken.text("text.list.comma").join(parts),
    )


def _percent(thousandths: int) -> str:
    return str((thousandths + 5) // 10)
