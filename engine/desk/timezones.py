"""Time zones: the hours of somebody's day."""

import re
from datetime import UTC, datetime, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_FORM: Final = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+){0,2}")


def is_zone(value: Any) -> bool:
    """Whether it names a time zone that this machine knows ("" for UTC)."""
    return value == "" or (
        type(value) is str and _FORM.fullmatch(value) is not None and _known(value) is not None
    )


def minute_of_day(zone: str, at_ms: int) -> int:
    """Minutes since midnight there, at this time; in UTC where the zone is not known here."""
    when = datetime.fromtimestamp(at_ms / 1000, _known(zone) or UTC)
    return when.hour * 60 + when.minute


def _known(zone: str) -> tzinfo | None:
    try:
        return ZoneInfo(zone) if zone else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
