"""What a record tells its audience: the effects in it, with the hidden arguments filled in for which an opening has come."""

from collections.abc import Iterable, Sequence
from typing import Any

from protocol import records
from protocol.effects import Effect, unpack
from protocol.records import Record
from protocol.seal import Opening


def blob_of(record: Record) -> bytes | None:
    """The packed effects of a record, or None for a kind that has none."""
    blob: bytes | None = None
    if record.kind == records.COMMAND:
        blob = record.body[records.EFFECTS]
    elif record.kind == records.TAKEBACK:
        blob = record.body[2]
    return blob


def effects_of(record: Record, openings: Iterable[Opening] = ()) -> tuple[Effect, ...]:
    """The effects of a record. `openings` are those of this record that the audience was given, already verified.

    Raises NotCanonical when the record's blob is no list of effects.
    """
    blob = blob_of(record)
    if blob is None:
        return ()
    effects: Any = unpack(blob)
    for opening in openings:
        if opening.seq == record.seq and len(opening.path) > 1 and opening.path[0] == records.EFFECTS:
            effects = _filled(effects, opening.path[1:], opening.value)
    filled: tuple[Effect, ...] = effects
    return filled


def _filled(value: Any, path: Sequence[int], opened: Any) -> Any:
    if not path:
        return opened
    index = path[0]
    return (*value[:index], _filled(value[index], path[1:], opened), *value[index + 1 :])
