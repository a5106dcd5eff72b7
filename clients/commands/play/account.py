"""Everybody's own account, on a server: `warledger account login`, `join`, `show`, `set`,
`logout`, and `warledger games --mine`."""

import os
import re
import socket
from functools import partial
from pathlib import Path
from typing import Any

from attrs import field, frozen
from nacl.signing import SigningKey

from warledger.clients.commands.play.online import Where, as_json
from warledger.clients.link import BadServer, Link, ServerError, devices
from warledger.clients.terminal.accountwords import (
    day,
    roles_in_words,
    tell_devices,
    tell_telling,
)
from warledger.clients.terminal.screen import Screen
from warledger.protocol import canon
from warledger.protocol.board.choices import say
from warledger.protocol.wire import accountmessages as am

DOMAIN = b"warledger/login/1"


@frozen
class Way:
    """How somebody signs in: "password", "link" or "key"."""

    kind: str
    handle: str
    proof: str = field(repr=False)
    key: Path | None = None


@frozen
class Wanted:
    """What is to be changed; None for what stays."""

    zone: str | None
    language: str | None
    password: str | None = field(repr=False)
    key: Path | None
    device: str | None


async def login(where: Where, screen: Screen, way: Way, *, keep: bool) -> bool:
    """Sign in, and keep the device's token."""
    async with where.link() as link:
        if way.kind == "key":
            assert way.key is not None
            signed = await _by_key(link, key_of(way.key), keep=keep)
        else:
            signed = await link.request(
                lambda number: am.SignIn(number, way.kind, way.handle, way.proof, here(), keep),
                again=False,
            )
    return _signed_in(where, screen, signed, keep=keep)


async def _by_key(link: Link, key: SigningKey, *, keep: bool) -> am.SignedIn:
    nonce = (await link.request(am.Challenge)).nonce
    if link.welcome is None:
        raise BadServer(say("link.bad_list"))
    signature = key.sign(DOMAIN + canon.pack((link.welcome.key, nonce))).signature
    public = key.verify_key.encode()
    signed: am.SignedIn = await link.request(
        lambda number: am.SignInKey(number, public, signature, here(), keep), again=False
    )
    return signed


async def join(
    where: Where, screen: Screen, invitation: str, handle: str, password: str, *, keep: bool
) -> bool:
    """Make an account and sign in."""
    code = invitation.rpartition("invite=")[2]
    async with where.link() as link:
        signed = await link.request(
            lambda number: am.SignUp(
                number, code, handle, password, screen.spoken.language, here(), keep
            ),
            again=False,
        )
    return _signed_in(where, screen, signed, keep=keep)


async def accept(where: Where, screen: Screen, invitation: str) -> bool:
    """Use an invitation with the account that is signed in to."""
    code = invitation.rpartition("invite=")[2]
    async with where.link() as link:
        told = await link.request(
            partial(am.ChangeAccount, what="invitation", value=code, password=""), again=False
        )
    screen.say("cli.account_accepted", handle=told.account["handle"])
    return True


def _signed_in(where: Where, screen: Screen, signed: am.SignedIn, *, keep: bool) -> bool:
    file = devices.keep(where.server, signed.token)
    key = "cli.account_in" if keep else "cli.account_visit"
    screen.say(key, handle=signed.handle, file=str(file))
    return True


async def show(where: Where, screen: Screen, *, machine: bool) -> bool:
    """Show one's account."""
    async with where.link() as link:
        told = (await link.request(am.Account)).account
    if machine:
        screen.data(as_json(_plain(told)))
        return True
    _tell(screen, told)
    return True


def _tell(screen: Screen, told: dict[str, Any]) -> None:
    screen.say(
        "cli.account_is",
        handle=told["handle"],
        id=told["id"],
        language=told["language"],
        zone=told["zone"] or "UTC",
    )
    if told["roles"]:
        roles = roles_in_words(screen.spoken, told["roles"])
        screen.say("cli.account_roles", handle=told["handle"], roles=roles)
    tell_devices(screen, told["devices"])
    for key in told["keys"]:
        made = day(key["made_ms"])
        screen.say("cli.account_key_line", key=key["key"].hex()[:16], name=key["name"], made=made)
    tell_telling(screen, told)
    for game, seat in told["seats"]:
        screen.say("cli.account_seat_line", game=game, seat=seat)


async def change(where: Where, screen: Screen, wanted: Wanted, password: str) -> bool:
    """Change one's account."""
    changes: list[tuple[str, Any]] = []
    if wanted.zone is not None:
        changes.append(("zone", wanted.zone))
    if wanted.language is not None:
        changes.append(("language", wanted.language))
    if wanted.key is not None:
        key = key_of(wanted.key, make=True)
        changes.append(("key", (key.verify_key.encode(), wanted.key.name[:64])))
    if wanted.device is not None:
        others = wanted.device == "others"
        changes.append(("drop_devices", None) if others else ("drop_device", wanted.device))
    if wanted.password is not None:
        changes.append(("password", wanted.password))
    async with where.link() as link:
        for what, value in changes:
            told = await link.request(
                partial(am.ChangeAccount, what=what, value=value, password=password),
                again=False,
            )
            if what == "key":
                screen.say(
                    "cli.account_key_added",
                    key=value[0].hex()[:16],
                    handle=told.account["handle"],
                    file=str(wanted.key),
                )
    screen.say("cli.account_changed")
    return True


async def calendar(where: Where, screen: Screen, *, drop: bool) -> bool:
    """Give one's calendar a new secret address, or none."""
    async with where.link() as link:
        ask = partial(am.ChangeAccount, what="calendar", value=not drop, password="")
        told = (await link.request(ask, again=False)).account
    if drop:
        screen.say("cli.calendar.dropped")
        return True
    screen.say("cli.calendar", address=told["calendar_address"])
    screen.say("cli.calendar.how")
    return True


@frozen
class Notify:
    """Which notices one wants and where, and whether to try it or to stop. `kinds` are [kind,
    when]; `quiet` is None to leave it as it is, and so is `mail`."""

    url: str = field(repr=False)
    form: str
    kinds: tuple[tuple[str, str], ...]
    quiet: tuple[int, int] | None
    mail: bool | None
    test: str
    off: bool


def hours_of(text: str) -> tuple[int, int] | None:
    """HH:MM-HH:MM in minutes of the day; none are (0, 0). None for something else."""
    if not text:
        return 0, 0
    found = re.fullmatch(r"(\d{1,2}):(\d\d)-(\d{1,2}):(\d\d)", text)
    if found is None:
        return None
    a, b, c, d = map(int, found.groups())
    return (a * 60 + b, c * 60 + d) if max(a, c) < 24 and max(b, d) < 60 else None


async def notify(where: Where, screen: Screen, wanted: Notify) -> bool:
    """Set which notices one gets and where, try them, or show the settings."""

    async with where.link() as link:

        async def change(what: str, value: Any) -> None:
            make = partial(am.ChangeAccount, what=what, value=value, password="")
            await link.request(make, again=False)

        if wanted.off:
            await change("channel", None)
            await change("mail_notices", False)
        elif wanted.url:
            await change("channel", (wanted.url, wanted.form))
        if wanted.mail is not None:
            await change("mail_notices", wanted.mail)
        told = (await link.request(am.Account)).account
        if wanted.kinds or wanted.quiet is not None:
            quiet = wanted.quiet if wanted.quiet is not None else told["telling"]["quiet"]
            kinds = {**told["telling"]["kinds"], **dict(wanted.kinds)}
            await change("telling", (canon.ordered(kinds), *quiet))
        if wanted.test:
            await change("test_channel", wanted.test)
            screen.say("cli.account_told")
        told = (await link.request(am.Account)).account
    tell_telling(screen, told)
    if told["channel"] is not None:
        screen.say("cli.account_channel_secret", secret=told["channel"]["secret"])
    return True


async def mail(where: Where, screen: Screen, address: str) -> bool:
    """Set the address for mail, which is then to be confirmed; "" for none."""
    async with where.link() as link:
        make = partial(am.ChangeAccount, what="mail", value=address, password="")
        await link.request(make, again=False)
    screen.say("cli.account_mail_sent" if address else "cli.account_changed")
    return True


async def by_mail(where: Where, screen: Screen, what: str, text: str) -> bool:
    """Ask for a link that signs in, or show a code that came by mail."""
    code = text.rpartition("=")[2] if what != am.LINK else text
    async with where.link() as link:
        await link.request(lambda number: am.Mail(number, what, code), again=False)
    screen.say(f"cli.account_mail_{what}")
    return True


async def keep(where: Where, screen: Screen, token: str) -> bool:
    """Keep the seat of a token."""
    async with where.link() as link:
        roles = await link.login(token)
    kind, game, seat = roles[-1]
    if kind != "seat":
        raise LookupError(screen.spoken.text("cli.account_no_seat"))
    screen.say("cli.account_seat_line", game=game, seat=seat)
    return True


async def logout(where: Where, screen: Screen) -> bool:
    """Sign out, also where the server knows this device no longer."""
    try:
        async with where.link() as link:
            await link.request(
                lambda number: am.ChangeAccount(number, "sign_out", None, ""), again=False
            )
    except ServerError as error:
        if error.code != "login":
            raise
    devices.drop(where.server)
    screen.say("cli.account_out")
    return True


async def mine(where: Where, screen: Screen, *, machine: bool) -> bool:
    """List one's own games, those first that wait for one's decision."""
    async with where.link() as link:
        rows = (await link.request(am.MyGames)).games
    if machine:
        screen.data(as_json(_plain(rows)))
        return True
    if not rows:
        screen.say("cli.mine_none")
    for row in rows:
        screen.of_title(str(row["title"]))
        asked = row["stage"] == "playing" and not set(row["mine"]).isdisjoint(row["awaits"])
        state = "cli.mine_decision" if asked else f"cli.stage.{row['stage']}"
        screen.say(
            "cli.mine_line",
            game=row["game"],
            title=row["title"],
            seats=tuple(row["mine"]),
            state=screen.spoken.text(state),
        )
    return True


def key_of(path: Path, *, make: bool = False) -> SigningKey:
    """The key in a file, as hexadecimal digits; made where it is missing. Raises LookupError."""
    if make and not path.exists():
        made = SigningKey.generate()
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(made.encode().hex() + "\n")
        return made
    try:
        return SigningKey(bytes.fromhex(path.read_text(encoding="ascii").strip()))
    except (OSError, ValueError) as error:
        raise LookupError(f"{path} holds no key: write 64 hexadecimal digits") from error


def here() -> str:
    """How this device is called in the list of devices."""
    return f"{socket.gethostname()[:40]} (terminal)"


def _plain(value: Any) -> Any:
    """Bytes as hexadecimal digits, for JSON."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
