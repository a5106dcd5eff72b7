"""What tests of tournaments share: crosstables from files and from short notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from warledger.engine.tournaments import trf
from warledger.engine.tournaments.charter import Points
from warledger.engine.tournaments.crosstable import Crosstable, Entrant, Line, Manner, Result

CASES = Path(__file__).parent / "cases"
CHESS = Points()
"""Two points for a win, one for a draw: half points as whole numbers."""

WARGAME = Points(
    win=10, close_win=8, draw=5, close_loss=2, loss=0, close=4, bye=5, half_bye=5, forfeit_win=9
)
"""Points of a Swiss among wargamers; close is below two units."""

_PLAYED: Mapping[str, Result] = {"1": "win", "=": "draw", "0": "loss"}
_BYES: Mapping[str, Manner] = {
    "U": "pairing_bye",
    "F": "full_bye",
    "H": "half_bye",
    "Z": "zero_bye",
    " ": "absent",
}


def line_of(opponent: int, side: str, result: str, points: Points = CHESS) -> Line:
    """A round as a TRF file writes it: opponent (0 for none), w, b or -, and the result's sign."""
    worth = {"win": points.win, "draw": points.draw, "loss": points.loss}
    if opponent and result in _PLAYED:
        got = _PLAYED[result]
        return Line("played", worth[got], got, (opponent,), "wb".index(side))
    if opponent:
        won = result == "+"
        return Line(
            "forfeit",
            points.forfeit_win if won else points.forfeit_loss,
            "win" if won else "loss",
            (opponent,),
        )
    manner = _BYES[result]
    gets = {
        "pairing_bye": points.bye,
        "full_bye": points.full_bye,
        "half_bye": points.half_bye,
    }
    return Line(manner, gets.get(manner, points.zero_bye))


def read_trf(name: str) -> Crosstable:
    """The crosstable of a case."""
    return trf.read((CASES / name).read_bytes()).table


def table_of(
    rows: Mapping[int, str],
    points: Points = CHESS,
    *,
    planned: int = 0,
    ratings: Sequence[int] = (),
) -> Crosstable:
    """A crosstable from rows such as {1: "2w1 3b= 0-H"}: opponent, side, result for each round."""
    lines = {
        number: [line_of(int(cell[:-2]), cell[-2], cell[-1], points) for cell in row.split()]
        for number, row in rows.items()
    }
    count = len(next(iter(lines.values())))
    return Crosstable(
        tuple(
            Entrant(number, f"Player {number}", ratings[n] if ratings else 0)
            for n, number in enumerate(sorted(rows))
        ),
        tuple({number: lines[number][k] for number in sorted(rows)} for k in range(count)),
        planned,
    )
