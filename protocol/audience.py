"""Who may know what: every audience gets the same public bytes, and the openings to which it is
entitled.

An audience is a seat, or PUBLIC (spectators), or ARBITER (who may see all).
"""

from collections.abc import Iterable

from warledger.protocol.chance.seal import Opening

PUBLIC = "public"
ARBITER = "arbiter"


def entitled(openings: Iterable[Opening], audience: str) -> tuple[Opening, ...]:
    """The private openings that an audience is given beside the record they belong to."""
    if audience == ARBITER:
        return tuple(openings)
    return tuple(opening for opening in openings if audience in opening.readers)
