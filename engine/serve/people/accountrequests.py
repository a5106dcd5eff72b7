"""Signing in and up, and what people change of their accounts. Whoever signs in gets the token of a
device, and shows it with a login as any other token.

Rules of this file:
- No password, code, token or key is in any log, error or figure; of a person only the account's id.
- A wrong handle and a wrong password are the same answer, after the same work.
- A thief of an unlocked device cannot keep the account: another password or key, or its end, needs
  the password, if any, or a link by which the device has just come.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any, Final

from warledger.engine.desk import accounts, outbox, places
from warledger.engine.desk.accounts import BadAccount, Person
from warledger.engine.desk.budgets import asker_of
from warledger.engine.desk.outbox import Notice
from warledger.engine.desk.people import bad
from warledger.engine.desk.timezones import is_zone
from warledger.engine.runtime.game.answers import failed
from warledger.engine.serve.games import gamelists
from warledger.engine.serve.http.calendarendpoints import address
from warledger.engine.serve.people import invitations
from warledger.engine.serve.people.notificationways import MAIL, REACHING, Change, unfit
from warledger.engine.serve.wire.client import Client, Denied, host_only
from warledger.engine.serve.wire.viewer import HOST
from warledger.protocol import canon
from warledger.protocol.board.choices import say
from warledger.protocol.lang import languages
from warledger.protocol.limits import HASH_BYTES, KEY_BYTES, SECRET_CHARS_MAX
from warledger.protocol.seats.acts import verify
from warledger.protocol.texts.phrases import LANGUAGES
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.fields import is_name

DOMAIN: Final = b"warledger/login/1"
"""What a signature that signs in begins with, so that it can be nothing else."""


# --- what a connection is by its account ----------------------------------------------------------


async def signed_in(client: Client, person: Person, name: str) -> None:
    """The client has shown the token of a device. A connection is one account's: what the one keeps
    must never become the other's. Raises Denied."""
    if client.person is not None and client.person.id != person.id:
        raise Denied(bad("error.other_account", handle=client.person.handle))
    client.signed_in(person, name or person.handle)
    client.principal = name or person.handle
    client.connection.log.info("account shown", account=person.id)
    await keep_seats(client)


async def keep_seats(client: Client) -> None:
    """Keep the seats whose tokens a client has shown that is signed in, for its other devices."""
    person, people = client.person, client.hub.people
    if person is None:
        return
    kept = set(person.seats)
    new = [
        (game, seat, digest)
        for (game, seat), digest in client.digests.items()
        if (game, seat, digest) not in kept
    ]
    if not new:
        return

    def keep(at: sqlite3.Connection) -> Person | None:
        for game, seat, digest in new:
            accounts.keep_seat(at, people.world, person.id, game, seat, digest)
        return accounts.of_device(at, person.digest, people.world.now_ms())

    client.person = await people.write(keep) or person


async def opened(client: Client, game: str) -> None:
    """The client has opened a game or a tournament. Where it is a host by its account alone, it may
    give out that game's seats, or that tournament's roles, from now on."""
    person, people = client.person, client.hub.people
    if person is None or client.is_host:
        return
    client.own += ((HOST, game, ""),)
    row = (accounts.HOST, game, "")
    await people.write(lambda at: accounts.grant(at, people.world, person.id, row))


def person_of(client: Client) -> Person:
    """Whom the client is signed in as. Raises Denied."""
    if client.person is None:
        raise Denied(failed("error.account_only"))
    return client.person


# --- in -------------------------------------------------------------------------------------------


async def _challenge(client: Client, message: am.Challenge) -> None:
    client.challenge = client.hub.supervisor.ambient.random_bytes(HASH_BYTES)
    client.connection.send(am.ChallengeIs(message.request, client.challenge))


async def _sign_in(client: Client, message: am.SignIn) -> None:
    people, address = client.hub.people, client.connection.address
    if message.way == am.PASSWORD:
        device = b"" if client.person is None else client.person.digest
        found = await people.check(address, message.handle, message.proof, device)
        if found is None:
            await _let_in(client, message, None)
        else:
            await _let_in(client, message, found.id, password=found.password)
    elif people.are_there:
        now = people.world.now_ms()
        id = await people.write(lambda at: accounts.use_link(at, message.proof, now))
        await _let_in(client, message, id)
    else:
        await _let_in(client, message, None)


async def _sign_in_key(client: Client, message: am.SignInKey) -> None:
    people, nonce = client.hub.people, client.challenge
    client.challenge = b""
    id = None
    if nonce and people.are_there:
        signed = DOMAIN + canon.pack((client.hub.supervisor.signer.public, nonce))
        if verify(message.key, signed, message.signature):
            id = await people.look(lambda at: accounts.of_key(at, message.key))
    await _let_in(client, message, id, key=message.key)


async def _sign_up(client: Client, message: am.SignUp) -> None:
    people = client.hub.people
    language = message.language if message.language in languages() else LANGUAGES[0]
    made, offices = await people.sign_up(
        client.connection.address, message.invitation, message.handle, message.password, language
    )
    client.connection.log.info("account made", account=made.id)
    try:
        await invitations.take_office(client, message.invitation, offices, made.id, made.handle)
    except Denied as error:  # the account is there: whoever granted the role can do so again
        client.connection.log.info("role of a code not given", account=made.id, why=error)
    await _let_in(client, message, made.id)


async def _let_in(
    client: Client,
    message: am.SignIn | am.SignInKey | am.SignUp,
    id: str | None,
    *,
    password: str = "",
    key: bytes = b"",
) -> None:
    """Make a device of this account. `password` (what is kept of it) or `key` is what it has
    proved: if that no longer counts when the device is written, nobody is let in."""
    people = client.hub.people
    by_link = isinstance(message, am.SignIn) and message.way == am.LINK
    place = asker_of(client.connection.address).who

    def let_in(at: sqlite3.Connection) -> tuple[str, str] | None:
        if id is None or not accounts.proves(at, id, password=password, key=key):
            return None
        found = accounts.of_id(at, id)
        assert found is not None
        token = accounts.add_device(
            at, people.world, id, message.device, kept=message.keep, by_link=by_link
        )
        places.note(at, id, place, people.world.now_ms())
        if not isinstance(message, am.SignUp):
            number = people.world.now_ms()
            notice = Notice("device", "", "", number, "", {"device": message.device or "–"})
            outbox.note(at, id, notice, number)
        return found.handle, token

    let = None if id is None else await people.write(let_in)
    if let is None or id is None:
        client.failed_logins += 1
        client.connection.log.info("sign-in failed", tries=client.failed_logins)
        if client.failed_logins >= client.hub.limits.logins_failed:
            client.connection.end("sign_in", say("error.sign_in"))
            return
        raise Denied(failed("error.sign_in"))
    handle, token = let
    client.connection.log.info("signed in", account=id)
    client.connection.send(am.SignedIn(message.request, id, handle, token))


# --- one's own account ----------------------------------------------------------------------------


async def _account(client: Client, message: am.Account) -> None:
    await _tell(client, message.request)


async def _tell(client: Client, request: int, calendar: str = "") -> None:
    person = person_of(client)
    told = await client.hub.people.look(lambda at: accounts.told(at, person.id, person.digest))
    told["served"] = client.hub.notifier.served
    told["calendar_address"] = calendar
    client.connection.send(am.AccountIs(request, canon.ordered(told)))


async def _change(client: Client, message: am.ChangeAccount) -> None:
    person, people = person_of(client), client.hub.people
    if message.what == "invitation":
        if type(message.value) is not str:
            raise unfit("invitation")
        await invitations.accept(client, message.value)
        await _tell(client, message.request)
        return
    guarded, known = message.what in _GUARDED, ""
    if guarded:
        known = await people.must_know(client.connection.address, person, message.password)
    change = await _CHANGES[message.what](client, person, message.value)

    def made(at: sqlite3.Connection) -> object:
        # Meanwhile the device may have been signed out, and the password may have been changed.
        accounts.must_be_in(at, person)
        if guarded and not accounts.proves(at, person.id, password=known):
            raise BadAccount("error.sign_in")
        return change(at)

    done = await people.write(made)
    client.connection.log.info("account changed", account=person.id, what=message.what)
    if message.what == "forget":
        await people.write_out()
        await client.hub.speaking.forget(person.id)
    if message.what in ("forget", "sign_out"):
        client.connection.end("login", say("error.signed_out"))
        return
    fresh = message.what == "calendar" and type(done) is str
    await _tell(client, message.request, address(client.hub, str(done)) if fresh else "")


async def _password(client: Client, person: Person, value: Any) -> Change:
    if type(value) is not str or not 0 < len(value) <= SECRET_CHARS_MAX:
        raise unfit("password")
    people = client.hub.people
    asker = people.asker(client.connection.address, person)
    kept = await people.hashed(asker, value)

    def change(at: sqlite3.Connection) -> None:
        accounts.set_password(at, person.id, kept)
        # Whoever else got in with the old one is out.
        accounts.drop_devices(at, person.id, but=person.digest)

    return change


async def _language(client: Client, person: Person, value: Any) -> Change:
    if value not in languages():
        raise unfit("language")
    return lambda at: accounts.set_text(at, person.id, "language", value)


async def _zone(client: Client, person: Person, value: Any) -> Change:
    if not is_zone(value):
        raise unfit("zone")
    return lambda at: accounts.set_text(at, person.id, "zone", value)


async def _key(client: Client, person: Person, value: Any) -> Change:
    match value:
        case (bytes(key), str(name)) if len(key) == KEY_BYTES and is_name(name):
            world = client.hub.people.world
            return lambda at: accounts.add_key(at, world, person.id, key, name)
    raise unfit("key")


async def _drop_key(client: Client, person: Person, value: Any) -> Change:
    if type(value) is not bytes:
        raise unfit("key")
    return lambda at: accounts.drop_key(at, person.id, value)


async def _drop_device(client: Client, person: Person, value: Any) -> Change:
    if type(value) is not str:
        raise unfit("device")
    return lambda at: accounts.drop_device(at, person.id, value)


async def _drop_devices(client: Client, person: Person, value: Any) -> Change:
    return lambda at: accounts.drop_devices(at, person.id, but=person.digest)


async def _drop_seat(client: Client, person: Person, value: Any) -> Change:
    match value:
        case (str(game), str(seat)):
            return lambda at: accounts.drop_seat(at, person.id, game, seat)
    raise unfit("seat")


async def _calendar(client: Client, person: Person, value: Any) -> Change:
    if type(value) is not bool:
        raise unfit("calendar")
    if not value:
        return lambda at: accounts.drop_calendar(at, person.id)
    return lambda at: accounts.make_calendar(at, client.hub.people.world, person.id)


async def _sign_out(client: Client, person: Person, value: Any) -> Change:
    return lambda at: accounts.drop_device(at, person.id, person.device)


async def _forget(client: Client, person: Person, value: Any) -> Change:
    return lambda at: accounts.forget(at, person.id)


_GUARDED: Final = frozenset(("password", "key", "forget"))
_CHANGES: Final[dict[str, Callable[[Client, Person, Any], Awaitable[Change]]]] = {
    "password": _password,
    "language": _language,
    "zone": _zone,
    "key": _key,
    "drop_key": _drop_key,
    "drop_device": _drop_device,
    "drop_devices": _drop_devices,
    "drop_seat": _drop_seat,
    **REACHING,
    "calendar": _calendar,
    "sign_out": _sign_out,
    "forget": _forget,
}


async def _my_games(client: Client, message: am.MyGames) -> None:
    rows = await gamelists.mine(client.hub, client)
    for _ in rows:
        await client.bill.turn()
    client.connection.send(m.GameList(message.request, tuple(rows), False))


async def _invite(client: Client, message: am.Invite) -> None:
    host_only(client)
    people = client.hub.people
    code, until = await people.write(
        lambda at: accounts.invite(
            at, people.world, note=message.note, days=message.days, uses=message.uses
        )
    )
    client.connection.log.info("invited", principal=client.principal)
    client.connection.send(am.Invitation(message.request, code, until))


ACCOUNTS: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    am.Challenge: _challenge,
    am.SignIn: _sign_in,
    am.SignInKey: _sign_in_key,
    am.SignUp: _sign_up,
    am.Account: _account,
    am.ChangeAccount: _change,
    am.MyGames: _my_games,
    am.Invite: _invite,
    **MAIL,
}
