"""What is still hidden when a game ends, divided into portions for the records that
open it.

The openings are read from the store, record by record, so that a server need not hold them all in
memory during a game.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from warledger.protocol import canon
from warledger.protocol.chance.seal import Opening
from warledger.protocol.limits import REVEAL_BYTES_MAX
from warledger.protocol.log import bodies
from warledger.protocol.log.records import COMMAND, REVEAL, Record

Portion = tuple[tuple[Opening, ...], bool]
"""Openings for one record, and whether it is the last."""


def left_sealed(
    log: Iterable[Record], openings: Mapping[int, Sequence[Opening]]
) -> Iterator[Opening]:
    """The openings of a log that no record of it has made public, in order of (seq, path).
    `openings` are the private ones that are stored beside each record, by its number."""
    public = {
        (opening.seq, opening.path)
        for record in log
        if record.kind in (COMMAND, REVEAL)
        for opening in bodies.openings_of(record)
    }
    for seq in sorted(openings):
        for opening in sorted(openings[seq], key=lambda opening: opening.path):
            if (opening.seq, opening.path) not in public:
                yield opening


def portions(openings: Iterable[Opening], bytes_max: int = REVEAL_BYTES_MAX) -> Iterator[Portion]:
    """The openings in portions of at most `bytes_max` bytes each; an opening that is larger is a
    portion by itself. There is always a last portion, which may be empty."""
    held: list[Opening] = []
    size = 0
    for opening in openings:
        more = len(canon.pack(opening.as_array()))
        if held and size + more > bytes_max:
            yield tuple(held), False
            held, size = [], 0
        held.append(opening)
        size += more
    yield tuple(held), True
