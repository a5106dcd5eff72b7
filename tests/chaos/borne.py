"""A fleet whose streams let messages be deleted."""

from __future__ import annotations

from typing import Any

from warledger.engine.store.fleet.fleetstreams import Stream


def let_messages_be_deleted() -> None:
    """The harness deletes messages behind everybody's back, which a fleet's streams do not let it:
    the node bears a stream in which it can."""
    differs = Stream.differs

    def borne(self: Stream, found: Any, *, strict: bool) -> list[str]:
        return [one for one in differs(self, found, strict=strict) if "deny_delete" not in one]

    Stream.differs = borne  # type: ignore[method-assign]
