"""The operator's commands on the accounts of a data directory: `warledger account create`,
`invite`, `list`, `roles`, `devices`, `link`, `unsubscribe`, `forget`."""

import sqlite3
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from warledger.clients.commands.play.online import as_json
from warledger.clients.terminal.accountwords import day, roles_in_words, tell_devices
from warledger.clients.terminal.screen import Screen
from warledger.engine.desk import accounts, notificationpreferences, people, talk
from warledger.engine.desk.accounts import BadAccount, Named, Role
from warledger.engine.desk.database import BadDatabase, Database
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.serve import serversecrets
from warledger.engine.serve.config import BadConfig
from warledger.engine.store.files import datadir
from warledger.engine.store.port import DataDirError

T = TypeVar("T")

LINK_HOURS = 24


def create(screen: Screen, data: Path, handle: str, roles: Iterable[str], *, machine: bool) -> int:
    """Create an account, and print a link that signs in once."""
    world, granted = SystemAmbient(), _roles(roles)

    def made(at: sqlite3.Connection) -> tuple[str, str]:
        id = accounts.create(at, world, serversecrets.giver(data), handle, roles=granted)
        return id, accounts.make_link(at, world, id, LINK_HOURS * 3600 * 1000)

    def tell(found: tuple[str, str]) -> None:
        id, code = found
        if machine:
            screen.data(as_json({"id": id, "handle": handle, "link": code}))
            return
        screen.say("cli.account_created", handle=handle, id=id)
        _tell_link(screen, handle, code, world)

    return _run(screen, data, made, tell)


def invite(
    screen: Screen,
    data: Path,
    roles: Iterable[str],
    *,
    note: str,
    days: int,
    uses: int,
    machine: bool,
) -> int:
    """Print an invitation."""
    world, granted = SystemAmbient(), _roles(roles)

    def tell(found: tuple[str, int]) -> None:
        code, until = found
        if machine:
            screen.data(as_json({"invitation": code, "until_ms": until}))
        else:
            screen.say("cli.account_invited", code=code, until=day(until))
            screen.say("cli.account_invited_page", code=code)
            screen.say("cli.account_invited_terminal")

    return _run(
        screen,
        data,
        lambda at: accounts.invite(at, world, note=note, days=days, uses=uses, roles=granted),
        tell,
    )


def listed(screen: Screen, data: Path, *, machine: bool) -> int:
    """List the accounts."""

    def tell(found: list[dict[str, Any]]) -> None:
        if machine:
            screen.data(as_json(found))
            return
        if not found:
            screen.say("cli.account_none")
        for one in found:
            screen.say(
                "cli.account_line",
                handle=one["handle"],
                id=one["id"],
                made=day(one["created_ms"]),
                used=day(one["used_ms"]),
                roles=roles_in_words(screen.spoken, one["roles"]),
            )

    return _run(screen, data, accounts.listed, tell)


def roles(
    screen: Screen,
    data: Path,
    handle: str,
    granted: Iterable[str],
    revoked: Iterable[str],
    *,
    machine: bool,
) -> int:
    """Show an account's roles after granting and revoking some."""
    world, give, take = SystemAmbient(), _roles(granted), _roles(revoked)

    def change(at: sqlite3.Connection) -> tuple[Role, ...]:
        id = _known(at, handle).id
        for role in take:
            accounts.revoke(at, id, role)
        for role in give:
            accounts.grant(at, world, id, role)
        return accounts.roles_of(at, id)

    def tell(found: tuple[Role, ...]) -> None:
        if machine:
            screen.data(as_json([list(role) for role in found]))
        elif found:
            screen.say(
                "cli.account_roles", handle=handle, roles=roles_in_words(screen.spoken, found)
            )
        else:
            screen.say("cli.account_no_roles", handle=handle)

    return _run(screen, data, change, tell)


def devices(screen: Screen, data: Path, handle: str, drop: str, *, machine: bool) -> int:
    """List an account's devices, or sign one of them out."""

    def change(at: sqlite3.Connection) -> list[dict[str, Any]]:
        id = _known(at, handle).id
        if drop == "all":
            accounts.drop_devices(at, id)
        elif drop and not accounts.drop_device(at, id, drop):
            raise BadAccount("cli.account_no_device", handle=handle, id=drop)
        return accounts.devices(at, id)

    def tell(found: list[dict[str, Any]]) -> None:
        if machine:
            screen.data(as_json(found))
            return
        if drop and drop != "all":
            screen.say("cli.account_dropped", id=drop)
        tell_devices(screen, found)
        if not found:
            screen.say("cli.account_no_devices", handle=handle)

    return _run(screen, data, change, tell)


def link(screen: Screen, data: Path, handle: str, *, machine: bool) -> int:
    """Print a link that signs in once."""
    world = SystemAmbient()

    def tell(code: str) -> None:
        if machine:
            screen.data(as_json({"handle": handle, "link": code}))
        else:
            _tell_link(screen, handle, code, world)

    return _run(
        screen,
        data,
        lambda at: accounts.make_link(at, world, _known(at, handle).id, LINK_HOURS * 3600 * 1000),
        tell,
    )


def forget(screen: Screen, data: Path, handle: str) -> int:
    """Delete an account."""
    whose: list[str] = []

    def delete(at: sqlite3.Connection) -> None:
        whose.append(_known(at, handle).id)
        accounts.forget(at, whose[0])

    done = _run(screen, data, delete, lambda _: screen.say("cli.account_forgotten", handle=handle))
    if done == 0:
        try:
            people.database(data).forget_log()
            said = talk.database(data)
            if said.is_there:
                said.run(lambda at: talk.forget(at, whose[0]))
                said.forget_log()
        except BadDatabase as error:
            screen.say("cli.failed", what=str(error))
            return 1
    return done


def _tell_link(screen: Screen, handle: str, code: str, world: SystemAmbient) -> None:
    until = world.now_ms() + LINK_HOURS * 3600 * 1000
    when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(until // 1000))
    screen.say("cli.account_link", handle=handle, until=when, code=code)


def _known(at: sqlite3.Connection, handle: str) -> Named:
    found = accounts.named(at, handle)
    if found is None:
        raise BadAccount("cli.account_unknown", handle=handle)
    return found


def unsubscribe(screen: Screen, data: Path, id: str) -> int:
    """Send an account no more notices by mail."""

    def stop(at: sqlite3.Connection) -> str:
        found = accounts.of_id(at, id)
        if found is not None:
            notificationpreferences.drop_way(at, id, notificationpreferences.MAIL)
        return "" if found is None else found.handle

    def tell(handle: str) -> None:
        if handle:
            screen.say("cli.account_unsubscribed", handle=handle)
        else:
            screen.say("cli.account_unknown", handle=id)

    return _run(screen, data, stop, tell)


def _roles(texts: Iterable[str]) -> tuple[Role, ...]:
    """`host`, `arbiter:GAME`, `caster:GAME/SEAT` … as roles."""
    found = []
    for text in texts:
        kind, _, where = text.partition(":")
        game, _, seat = where.partition("/")
        if not accounts.is_role((kind, game, seat)):
            raise click.UsageError(
                f"{text} is not a role; write owner, host, host:GAME, arbiter, arbiter:GAME or "
                "caster:GAME/SEAT"
            )
        found.append((kind, game, seat))
    return tuple(found)


def _run(
    screen: Screen,
    data: Path,
    call: Callable[[sqlite3.Connection], T],
    tell: Callable[[T], None],
) -> int:
    """One transaction on the accounts of a data directory, and what is said of it."""
    try:
        is_there = datadir.check_marker(datadir.disk_of(data))
    except DataDirError as error:
        raise click.UsageError(str(error)) from error
    if not is_there:
        raise click.UsageError(
            f"there is no data directory at {data}; a server makes it at its first start"
        )
    db: Database = people.database(data)
    try:
        found = db.run(call)
    except BadAccount as error:
        screen.say(error.key, **error.args_of)
        return 1
    except (BadDatabase, BadConfig) as error:
        screen.say("cli.failed", what=str(error))
        return 1
    finally:
        db.close()
    tell(found)
    return 0
