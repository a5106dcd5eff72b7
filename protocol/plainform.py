"""Canonical values in JSON, for whoever reads records without msgpack.

| canonical | JSON |
|---|---|
| nil, booleans, integers, text, arrays, maps | the same |
| bytes | `{"bytes": base64url without padding}` |
| a seal | `{"seal": base64url of its digest}` |

The way back is not meant: hashes and signatures cover the record's own bytes, which are told beside
the copy.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from warledger.protocol.bodies import effects_of
from warledger.protocol.canon import Seal
from warledger.protocol.records import Record


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
        return {str(key): plain(item) for key, item in value.items()}
    return value


def line_of(record: Record) -> bytes:
    """A record as a line of NDJSON, with its newline: what can be read of it, its effects as
    everybody may see them, and its bytes, which are what hashes cover."""
    told = {
        "seq": record.seq,
        "at_ms": record.at_ms,
        "kind": record.kind,
        "actor": record.actor,
        "body": plain(record.body),
        "effects": plain(effects_of(record)),
        "previous": record.previous.hex(),
        "hash": record.hash.hex(),
        "data": base64url(record.data),
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


__all__ = ["base64url", "line_of", "plain"]
