"""What programs read as JSON: crosstable, standings with their explanations, pairings.

Fractions are [numerator, denominator], margins and handicaps whole half units, so that nothing is
lost between languages whose numbers are floats.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from warledger.engine.tournaments.crosstable import Crosstable, Line
from warledger.engine.tournaments.csvfiles import boards
from warledger.engine.tournaments.encounters import Encounter
from warledger.engine.tournaments.standings import StandingsRow
from warledger.engine.tournaments.tiebreaks import Part, Value


def crosstable(table: Crosstable) -> dict[str, Any]:
    """All entrants with their rounds."""
    return {
        "planned": table.planned,
        "entrants": [
            {
                "number": one.number,
                "name": one.name,
                "rating": one.rating,
                "groups": list(one.groups),
                "points": table.points(one.number),
                "rounds": [line(each) for each in table.of(one.number)],
            }
            for one in table.entrants
        ],
    }


def line(of: Line) -> dict[str, Any]:
    """One entrant's round."""
    return {
        "manner": of.manner,
        "result": of.result,
        "points": of.points,
        "opponents": list(of.opponents),
        "seat": of.seat,
        "margin": of.margin,
        "board": of.board,
    }


def pairings(table: Crosstable, round: int) -> dict[str, Any]:
    """The boards of a round, counted from 1, and who is not paired."""
    return {
        "round": round,
        "boards": [
            {"board": board, "entrants": [number for number, _ in lines]}
            for board, lines in boards(table, round)
        ],
        "unpaired": [
            {"number": number, "manner": of.manner}
            for number, of in sorted(table.rounds[round - 1].items())
            if not of.opponents
        ],
    }


def standings(
    made: Sequence[StandingsRow], names: Sequence[str], *, explained: bool = True
) -> dict[str, Any]:
    """The standings; with `explained` each value with the parts that make it up."""
    return {
        "tiebreaks": list(names),
        "standings": [
            {
                "place": one.place,
                "number": one.number,
                "points": one.points,
                "values": [_value(value, explained) for value in one.values],
            }
            for one in made
        ],
    }


def fraction(value: Fraction | int) -> list[int]:
    """A fraction as two whole numbers."""
    exact = Fraction(value)
    return [exact.numerator, exact.denominator]


def _value(value: Value | Encounter | None, explained: bool) -> dict[str, Any] | None:
    if value is None:
        return None
    if isinstance(value, Encounter):
        return {
            "value": fraction(value.points),
            "most": fraction(value.most),
            "place": value.place,
            "tied": value.tied,
            "against": [[other, fraction(points)] for other, points in value.against],
        }
    made: dict[str, Any] = {"value": fraction(value.number)}
    if explained:
        made["parts"] = [_part(one) for one in value.parts]
        made["cut"] = [_part(one) for one in value.cut]
        made["divided"] = value.divided
    return made


def _part(part: Part) -> dict[str, Any]:
    return {
        "round": part.round,
        "opponent": part.opponent,
        "score": part.score,
        "points": part.points,
        "value": fraction(part.value),
        "how": part.how,
        "voluntary": part.voluntary,
    }
