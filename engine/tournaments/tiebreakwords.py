"""How a tie-break's value came about, in sentences that an entrant can add up."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from warledger.engine.tournaments.charterwords import tiebreak
from warledger.engine.tournaments.crosstable import Crosstable
from warledger.engine.tournaments.encounters import Encounter
from warledger.engine.tournaments.standings import StandingsRow
from warledger.engine.tournaments.tiebreaknames import LOWEST_FIRST
from warledger.engine.tournaments.tiebreaks import Part
from warledger.protocol.board.choices import Say, say


def number(value: Fraction | int) -> str:
    """An exact value: whole, or a fraction such as "98/15"."""
    return str(Fraction(value)).replace("-", "\N{MINUS SIGN}")


def explained(
    row: StandingsRow, names: tuple[str, ...] | list[str], table: Crosstable
) -> tuple[Say, ...]:
    """Every tie-break of a row, each with its value and what makes it up.

    Args:
        row: of one entrant.
        names: the tie-breaks as the charter lists them.
        table: whose entrants' names are used.
    """
    known = {one.number: one.name for one in table.entrants}
    told: list[Say] = []
    for name, value in zip(names, row.values, strict=True):
        if isinstance(value, Encounter):
            told.extend(_encounter(name, value, known))
        elif value is not None:
            shown = -value.number if name in LOWEST_FIRST else value.number
            told.append(
                say("tournament.why.value", what=tiebreak(name).as_array(), n=number(shown))
            )
            told.extend(_part(part, known) for part in value.parts)
            told.extend(
                say("tournament.why.cut", what=_part(part, known).as_array()) for part in value.cut
            )
            if value.divided != 1:
                told.append(say("tournament.why.divided", by=value.divided))
    return tuple(told)


def _encounter(name: str, of: Encounter, known: dict[int, str]) -> list[Say]:
    told = [
        say(
            "tournament.why.encounter",
            what=tiebreak(name).as_array(),
            tied=of.tied,
            n=number(of.points),
        )
    ]
    told.extend(
        say("tournament.why.against", opponent=known[other], n=number(points))
        for other, points in of.against
    )
    if of.most != of.points:
        told.append(say("tournament.why.missing", most=number(of.most)))
    return told


_AGAINST: Final[Mapping[str, tuple[str, str]]] = {
    "opponent": ("tournament.why.opponent", ""),
    "forfeit": ("tournament.why.forfeit", "FIDE C.07 16.4.1"),
}
"""How a round counts that had an opponent -> the sentence about it, and its clause."""


def _part(part: Part, known: dict[int, str]) -> Say:
    value = number(part.value)
    opponent = known.get(part.opponent, "")
    if part.how in _AGAINST:
        key, clause = _AGAINST[part.how]
        told = {"round": part.round, "opponent": opponent, "score": part.score, "n": value}
        return say(key, clause, **told)
    if part.how == "dummy":
        told = {"round": part.round, "score": part.score, "n": value}
        return say("tournament.why.dummy", "FIDE C.07 16.4.2", **told)
    return say("tournament.why.round", round=part.round, n=value)
