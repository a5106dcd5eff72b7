"""Stacking limits as data: pieces, headquarters and size in a hex, and which nations may stack
together.

A rule book says when the limits apply (at the end of a move, on placement). These functions only
say whether a stack would be legal and, if not, which limit it exceeds, so that a refusal can cite
the clause.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Any

from attrs import frozen


class Breach(Enum):
    """The limit that a stack would exceed."""

    SIDES = "sides"  # pieces of two sides
    UNITS = "units"
    HQS = "hqs"
    SIZE = "size"
    NATIONS = "nations"


@frozen
class Piece:
    """What stacking has to know of a piece; `size` is in the smallest unit that the game counts
    (quarter regiments, for instance)."""

    side: str
    nation: str
    hq: bool = False
    size: int = 0


@frozen
class StackLimits:
    """What one hex may hold; None means that there is no such limit.

    `hqs_count`: headquarters count against `units`. `alone`: at most one of these nations in a hex;
    nations not named here (Germans) may join it. `solitary`: nations that stack only with their
    own.
    """

    units: int | None = None
    hqs: int | None = None
    hqs_count: bool = True
    size: int | None = None
    alone: tuple[str, ...] = ()
    solitary: tuple[str, ...] = ()


def limits_from_tables(tables: Mapping[str, Any]) -> StackLimits:
    """The limits of a pack's [stacking] table."""
    entry = tables["stacking"]
    return StackLimits(
        units=entry.get("units"),
        hqs=entry.get("hqs"),
        hqs_count=entry.get("hqs_count", True),
        size=entry.get("size"),
        alone=tuple(entry.get("nations_alone", ())),
        solitary=tuple(entry.get("nations_solitary", ())),
    )


def breach(limits: StackLimits, stack: Sequence[Piece]) -> Breach | None:
    """The first limit that a whole stack exceeds, in the order of `Breach`; None if the stack is
    legal."""
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


def fits(limits: StackLimits, present: Sequence[Piece], *newcomers: Piece) -> bool:
    """Whether newcomers may join the pieces that are there."""
    return breach(limits, (*present, *newcomers)) is None


def company(limits: StackLimits, nations: Collection[str]) -> bool:
    """Whether pieces of these nations may share a hex (or a command)."""
    kinds = set(nations)
    if len(kinds) < 2:
        return True
    return not any(n in limits.solitary for n in kinds) and (
        sum(n in limits.alone for n in kinds) <= 1
    )
