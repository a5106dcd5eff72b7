"""Accounts in words: roles, devices, dates."""

import time
from collections.abc import Iterable
from typing import Any

from warledger.clients.terminal.screen import Screen
from warledger.protocol.texts.phrases import Phrases


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


def tell_telling(screen: Screen, told: dict[str, Any]) -> None:
    """Somebody's notices and where they go, without the address of a webhook, which is a secret."""
    spoken = screen.spoken
    start, end = (f"{minute // 60:02}:{minute % 60:02}" for minute in told["telling"]["quiet"])
    if told["channel"] is not None:
        screen.say(
            "cli.account_channel",
            form=told["channel"]["form"],
            error=_why(spoken, told["channel"]["error"]),
        )
    mail = told["mail"]
    if mail["address"]:
        key = "cli.account_mail_notices" if mail["notices"] else "cli.account_mail"
        screen.say(key, address=mail["address"], error=_why(spoken, mail["error"]))
    if mail["waiting"]:
        screen.say("cli.account_mail_waiting", address=mail["waiting"])
    devices = {one["id"]: one["name"] for one in told["devices"]}
    for one in told["push"]:
        name = devices.get(one["device"]) or one["device"]
        screen.say("cli.account_push", device=name, error=_why(spoken, one["error"]))
    if told["channel"] is None and not mail["notices"] and not told["push"]:
        screen.say("cli.account_told_nowhere")
        return
    if start != end:
        screen.say("cli.account_quiet", start=start, end=end)
    for kind, when in told["telling"]["kinds"].items():
        screen.say(
            "cli.account_kind",
            kind=kind,
            what=spoken.text(f"telling.{kind}"),
            when=spoken.text(f"telling.when.{when}"),
        )


def _why(spoken: Phrases, error: str) -> str:
    return spoken.text(f"notice.why.{error}") if error else ""
