"""Stacking limits as data: pieces a hex, headquarters a hex, size a hex, and which nations keep company.

A rule book says when the limits bind (at the end of a move, on placement); these functions only say whether a
stack would be legal, and if not, which limit it breaks, so that a refusal can cite the clause.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Any

from attrs import frozen


class Breach(Enum):
    """The limit a stack would break."""

    SIDES = "sides"  # pieces of two sides
    UNITS = "units"
    HQS = "hqs"
    SIZE = "size"
    NATIONS = "nations"


@frozen
class Piece:
    """What stacking asks of a piece; `size` in the smallest unit the game counts (quarter regiments, say)."""

    side: str
    nation: str
    hq: bool = False
    size: int = 0


@frozen
class Limits:
    """Limits of one hex; None = no such limit.

    `hqs_count`: headquarters count against `units`.  `alone`: at most one of these nations in a hex, with nations not
    named here (Germans) as company.  `solitary`: nations that stack with their own only.
    """

    units: int | None = None
    hqs: int | None = None
    hqs_count: bool = True
    size: int | None = None
    alone: tuple[str, ...] = ()
    solitary: tuple[str, ...] = ()


def limits_from_tables(tables: Mapping[str, Any]) -> Limits:
    """The limits of a pack's [stacking] table."""
    entry = tables["stacking"]
    return Limits(
        units=entry.get("units"),
        hqs=entry.get("hqs"),
        hqs_count=entry.get("hqs_count", True),
        size=entry.get("size"),
        alone=tuple(entry.get("nations_alone", ())),
        solitary=tuple(entry.get("nations_solitary", ())),
    )


def breach(limits: Limits, stack: Sequence[Piece]) -> Breach | None:
    """The first limit a whole stack breaks, in the order of `Breach`; None if it may stand."""
    if len({p.side for p in stack}) > 1:
        return Breach.SIDES
    counted = sum(1 for p in stack if limits.hqs_count or not p.hq)
    if limits.units is not None and counted > limits.units:
        return Breach.UNITS
    if limits.hqs is not None and sum(p.hq for p in stack) > limits.hqs:
        return Breach.HQS
    if limits.size is not None and sum(p.size for p in stack) > limits.size:
        return Breach.SIZE
    return None if company(limits, {p.nation for p in stack}) else Breach.NATIONS


def fits(limits: Limits, present: Sequence[Piece], *newcomers: Piece) -> bool:
    """Whether newcomers may join those present."""
    return breach(limits, (*present, *newcomers)) is None


def company(limits: Limits, nations: Collection[str]) -> bool:
    """Whether pieces of these nations may share a hex (or a command)."""
    kinds = set(nations)
    if len(kinds) > 1 and any(n in limits.solitary for n in kinds):
        return False
    return sum(n in limits.alone for n in kinds) <= 1
