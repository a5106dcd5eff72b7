"""Forgeries: a game's file with something changed and everything an attacker can mend mended."""

from collections.abc import Callable
from typing import Any

from nacl.signing import SigningKey

from protocol import canon, chain, records, wlog
from protocol.records import Record
from protocol.seal import Opening, pack_openings
from tests.toys.play import Played

Body = list[Any]


def put(value: Any, path: tuple[int, ...], new: Any) -> Any:
    """An array with another value at a path."""
    if not path:
        return new
    return (*value[: path[0]], put(value[path[0]], path[1:], new), *value[path[0] + 1 :])


def chained(played: Played, bodies: dict[int, Any] | None = None, drop: tuple[int, ...] = ()) -> list[Record]:
    """The records with some bodies changed or some left out, numbered and chained anew."""
    out: list[Record] = []
    previous = records.NO_HASH
    for record in played.records:
        if record.seq in drop:
            continue
        body = (bodies or {}).get(record.seq, record.body)
        made = records.make(len(out), record.at_ms, record.actor, record.kind, body, previous)
        out.append(made)
        previous = made.hash
    return out


def file_of(
    made: list[Record],
    *,
    key: SigningKey | None = None,
    openings: dict[int, tuple[Opening, ...]] | None = None,
    game: str = "g1",
    sealed: bool = True,
) -> bytes:
    """A file of these records, signed by this key."""
    frames = []
    for record in made:
        frames.append(wlog.Frame(wlog.FRAME_RECORD, record.data))
        found = (openings or {}).get(record.seq)
        if found:
            frames.append(wlog.Frame(wlog.FRAME_OPENINGS, pack_openings(found)))
    if key is not None:
        head = chain.sign_head(key, game, made[-1].seq, made[-1].hash)
        frames.append(wlog.Frame(wlog.FRAME_HEAD, canon.pack(head.as_array())))
    return wlog.encode(frames, sealed=sealed)


def forged(played: Played, seq: int, path: tuple[int, ...], new: Any, *, key: SigningKey | None = None) -> bytes:
    """One place of one body changed, the chain mended, and signed again with the server's own key (the worst that can be done)."""
    body = put(played.records[seq].body, path, new)
    return file_of(chained(played, {seq: body}), key=key or played.key)


def find(played: Played, wanted: Callable[[Record], Any]) -> Record:
    """The first record of which something holds."""
    return next(record for record in played.records if wanted(record))
