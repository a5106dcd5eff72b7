"""Values of a log as plain ones, for JSON: seals and bytes as hexadecimal digits."""

from collections.abc import Mapping
from typing import Any

from warledger.protocol.canon import Seal


def plain(value: Any) -> Any:
    """The value in what JSON knows."""
    if type(value) is Seal:
        return {"sealed": value.digest.hex()}
    if type(value) is bytes:
        return value.hex()
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    return value
