"""Amending a charter between rounds: what may be changed, so that nothing that was played or paired
is touched, and the charter that follows."""

import re
from collections.abc import Mapping
from typing import Any, Final

from warledger.engine.tournaments import charterform
from warledger.engine.tournaments.charter import (
    ELIMINATIONS,
    SWISS,
    UNFINISHED,
    Charter,
)
from warledger.protocol.limits import ENTRANTS_MAX, MINUTES_MAX, ROUNDS_MAX

Span = tuple[int, int]
"""The least and the greatest whole number."""

_INDEX: Final = re.compile(r"([a-z_]+)\[([1-9])\]")
LATE: Final = (*SWISS, "heats", "ladder")
"""The systems that have a place for late entrants."""


class BadAmendment(ValueError):
    """The charter would not be one; the message says why."""


def amendable(
    charter: Charter, stage: int, played: int, entered: int, paired: int
) -> Mapping[str, Span | tuple[int | str, ...]]:
    """The keys of a charter that can be amended, each with its span or its values.

    Args:
        charter: as it stands.
        stage: index of the stage in progress.
        played: pairings of that stage so far.
        entered: how many have entered.
        paired: rounds of the whole tournament so far, as the charter numbers them.
    """
    minutes = (0, MINUTES_MAX)
    found: dict[str, Span | tuple[int | str, ...]] = {
        "absence.no_show_minutes": (1, MINUTES_MAX),
        "claims.protest_minutes": minutes,
        "unfinished.by": UNFINISHED,
        "unfinished.at": ("turn", "record"),
        "unfinished.panel": (1, 3, 5, 7, 9),
    }
    if charter.absence.check_in_minutes:
        # Whether there is a check-in says who takes part in the lots, so that never changes.
        found["absence.check_in_minutes"] = (1, MINUTES_MAX)
    if charter.appeals.committee:
        found["appeals.minutes"] = (1, MINUTES_MAX)
    if charter.sides.by in ("bid", "auction"):
        found["sides.bid.minutes"] = (1, MINUTES_MAX)
    if stage == 0 and charter.stages[0].system in LATE:
        found["entry.most"] = (max(entered, charter.entry.least), ENTRANTS_MAX)
        found["late.until_round"] = (paired, charter.stages[0].rounds or ROUNDS_MAX)
    for number, one in enumerate(charter.stages[stage:], start=stage + 1):
        begun = number == stage + 1 and played > 0
        place = f"stage[{number}]"
        if one.rounds:
            found[f"{place}.rounds"] = (max(1, played) if begun else 1, ROUNDS_MAX)
        if number < len(charter.stages):
            found[f"{place}.advance.most"] = (0, ENTRANTS_MAX)
            found[f"{place}.advance.least"] = (0, ENTRANTS_MAX)
        if one.system in ELIMINATIONS and not begun:
            found[f"{place}.best_of"] = (1, 3, 5, 7, 9)
    return found


def amended(charter: Charter, key: str, value: bool | int | str) -> Charter:
    """The charter with another value. Raises BadAmendment where that is not a charter."""
    settings = charter.settings()
    try:
        changed = _put(settings, key.split("."), value)
    except (KeyError, IndexError, TypeError) as error:
        raise BadAmendment(f"the charter has no {key}") from error
    checked = charterform.read(changed)
    if checked.charter is None:
        raise BadAmendment(checked.findings[0].text)
    return checked.charter


def _put(doc: Mapping[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    first, *rest = path
    indexed = _INDEX.fullmatch(first)
    if indexed is not None:
        name, place = indexed[1], int(indexed[2]) - 1
        rows = list(doc[name])
        rows[place] = _put(rows[place], rest, value)
        return {**doc, name: tuple(rows)}
    if first not in doc:
        raise KeyError(first)
    return {**doc, first: _put(doc[first], rest, value) if rest else value}
