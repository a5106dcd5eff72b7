"""Accounts in words: roles, devices, dates."""

import time
from collections.abc import Iterable
from typing import Any

from warledger.clients.terminal.screen import Screen
from warledger.protocol.phrases import Phrases


def roles_in_words(spoken: Phrases, roles: Iterable[tuple[str, str, str]]) -> str:
    """What an account may do, in one line."""
    told = []
    for role, game, seat in roles:
        key = f"account.role.{role}" + ("_of" if game and not seat else "")
        told.append(spoken.text(key, game=game, seat=seat))
    return spoken.text("text.list.comma").join(told)


def tell_devices(screen: Screen, found: Iterable[dict[str, Any]]) -> None:
    """A line for each device."""
    for one in found:
        screen.say(
            "cli.account_device",
            id=one["id"],
            name=one["name"] or "–",
            made=day(one["made_ms"]),
            used=day(one["used_ms"]),
            here=screen.spoken.text("cli.account_here") if one["here"] else "",
        )


def day(at_ms: int | None) -> str:
    """A date, in UTC; a dash for none."""
    return "–" if at_ms is None else time.strftime("%Y-%m-%d", time.gmtime(at_ms // 1000))


def tell_channel(screen: Screen, told: dict[str, Any]) -> None:
    """Where somebody is told that games wait, without the address, which is a secret."""
    start, end = (f"{minute // 60:02}:{minute % 60:02}" for minute in told["quiet"])
    spoken = screen.spoken
    screen.say(
        "cli.account_channel",
        form=told["form"],
        daily=spoken.text("cli.account_channel_daily") if told["daily"] else "",
        quiet=""
        if start == end
        else spoken.text("cli.account_channel_quiet", start=start, end=end),
        error=spoken.text(f"notice.why.{told['error']}") if told["error"] else "",
    )
