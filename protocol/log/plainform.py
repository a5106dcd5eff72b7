"""Canonical values in JSON, for whoever reads records without msgpack.

| canonical | JSON |
|---|---|
| nil, booleans, integers, text, arrays, maps | the same |
| bytes | `{"bytes": base64url without padding}` |
| a seal | `{"seal": base64url of its digest}` |
| a map whose only key is `bytes`, `seal` or `map` | `{"map": that map}` |

Of a record the way back is not meant: hashes and signatures cover its own bytes, which are given
beside the copy. Of a message's fields `shapes.value_of` is the way back.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from warledger.protocol.canon import Seal
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.log.records import Record

ESCAPES: Final = frozenset(("bytes", "seal", "map"))
"""Keys that alone in an object say what it is."""


def base64url(data: bytes) -> str:
    """Bytes as text: RFC 4648's URL alphabet, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def plain(value: Any) -> Any:
    """A canonical value as what `json.dumps` takes."""
    kind = type(value)
    if kind in (tuple, list):
        return [plain(item) for item in value]
    if kind is bytes:
        return {"bytes": base64url(value)}
    if kind is Seal:
        return {"seal": base64url(value.digest)}
    if isinstance(value, Mapping):
        made = {str(key): plain(item) for key, item in value.items()}
        return {"map": made} if len(made) == 1 and not ESCAPES.isdisjoint(made) else made
    return value


def told(record: Record, openings: Iterable[Opening] = ()) -> dict[str, Any]:
    """What can be read of a record: its effects as those see them who have these openings, and
    hashes in hexadecimal."""
    return {
        "seq": record.seq,
        "at_ms": record.at_ms,
        "kind": record.kind,
        "actor": record.actor,
        "body": plain(record.body),
        "effects": plain(effects_of(record, openings)),
        "previous": record.previous.hex(),
        "hash": record.hash.hex(),
    }


def line_of(record: Record) -> bytes:
    """A record as a line of NDJSON, with its newline: what can be read of it, its effects as
    everybody may see them, and its bytes, which are what hashes cover."""
    line = {**told(record), "data": base64url(record.data)}
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
