"""A game as one sealed file for somebody outside: the records that everybody has, and the openings
that the recipient may see.

What an audience gets beside the public records, what its players witnessed at the end, and the
newest signed head:
- public: nothing more.
- a seat: the openings it was given.
- arbiter: all openings, and the server's secrets, so that a live game can be checked to its last
  die.
- nobody named: public while the game lives, and all openings once nothing in it is hidden. (Its
  last records have them then anyway; beside their records they tell who knew what, and when.)

Tokens and other bookkeeping (META) never leave the server.
"""

from collections.abc import Iterable, Sequence

from warledger.protocol import canon
from warledger.protocol.audience import ARBITER, PUBLIC, entitled
from warledger.protocol.chance.seal import pack_openings, unpack_openings
from warledger.protocol.log import records, wlog
from warledger.protocol.log.bodies import closes_log
from warledger.protocol.log.records import Genesis


class BadExport(ValueError):
    """An export that cannot be made: there is no such audience, or the game has no records. The
    message says what to name instead."""


def export_game(
    frames: Iterable[wlog.Frame], audience: str | None = None, *, records_max: int | None = None
) -> bytes:
    """The bytes of a `.wlog` file with its end mark.

    `audience` is a seat, "public", "arbiter", or None for the default. `records_max` keeps only
    that number of records from the start (a spectator's delay binds exports too). Raises BadExport,
    and CorruptLog when a record cannot be read.
    """
    frames = _first(frames, records_max)
    payloads = [frame.payload for frame in frames if frame.kind == wlog.FRAME_RECORD]
    if not payloads:
        raise BadExport("the game has no records yet")
    genesis = Genesis.from_record(records.read(payloads[0], trusted=True))
    ended = closes_log(records.read(payloads[-1], trusted=True))
    if audience is None:
        audience = PUBLIC
        everything = ended
    else:
        everything = audience == ARBITER
    if audience not in (PUBLIC, ARBITER, *genesis.seats):
        raise BadExport(
            f"there is no audience {audience!r}; name {PUBLIC}, {ARBITER} or a seat: "
            f"{', '.join(genesis.seats)}"
        )
    kept: list[wlog.Frame] = []
    head: wlog.Frame | None = None
    for frame in frames:
        if frame.kind == wlog.FRAME_RECORD:
            kept.append(frame)
        elif frame.kind == wlog.FRAME_OPENINGS:
            openings = unpack_openings(frame.payload)
            mine = openings if everything else entitled(openings, audience)
            if mine:
                kept.append(wlog.Frame(wlog.FRAME_OPENINGS, pack_openings(mine)))
        elif frame.kind == wlog.FRAME_WITNESS:
            kept.append(frame)
        elif frame.kind == wlog.FRAME_SECRETS:
            if audience == ARBITER:
                kept.append(frame)
        elif frame.kind == wlog.FRAME_HEAD and canon.unpack_trusted(frame.payload)[1] < len(
            payloads
        ):
            head = frame
    if head is not None:
        kept.append(head)
    return wlog.encode(kept, sealed=True)


def _first(frames: Iterable[wlog.Frame], records_max: int | None) -> Sequence[wlog.Frame]:
    """The frames of the first `records_max` records, with the heads that sign none of the later
    ones."""
    if records_max is None:
        return list(frames)
    kept: list[wlog.Frame] = []
    count = 0
    for frame in frames:
        if frame.kind == wlog.FRAME_RECORD:
            count += 1
            if count > records_max:
                break
        kept.append(frame)
    return kept
