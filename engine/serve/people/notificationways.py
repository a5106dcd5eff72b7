"""How people are reached: where they are told what, by which address they get their letters, and
what strangers may ask of the mail.

Rules of this file:
- An address, a webhook and a code are in no log and no error.
- Whether an account or an address is known here shows in no answer to a stranger.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any, Final

from warledger.engine.desk import letters, notificationpreferences, outbox, push
from warledger.engine.desk.accounts import BadAccount, Person
from warledger.engine.desk.budgets import asker_of
from warledger.engine.desk.noticetexts import is_stop
from warledger.engine.desk.people import bad
from warledger.engine.desk.webhook import FORMS, NotPosted, is_url
from warledger.engine.runtime.game.answers import failed
from warledger.engine.serve.wire.client import Client, Denied
from warledger.protocol import lang
from warledger.protocol.wire import accountmessages as am

Change = Callable[[sqlite3.Connection], Any]
"""A change of an account, as part of one transaction."""


def unfit(what: str) -> Denied:
    """The value for this setting is none."""
    return Denied(bad("error.bad_account", what=what))


def _rarely(client: Client, what: str) -> None:
    """Raise Denied where this was asked too often lately."""
    wait = client.hub.people.rarely.take(what)
    if wait:
        raise Denied(failed("error.slow_down", seconds=wait))


async def _channel(client: Client, person: Person, value: Any) -> Change:
    world = client.hub.people.world
    match value:
        case None:
            return lambda at: notificationpreferences.drop_way(
                at, person.id, notificationpreferences.WEBHOOK
            )
        case (str(url), str(form)) if is_url(url) and form in FORMS:
            return lambda at: notificationpreferences.set_way(
                at, world, person.id, notificationpreferences.WEBHOOK, url, form
            )
    raise unfit("channel")


async def _telling(client: Client, person: Person, value: Any) -> Change:
    match value:
        case (dict(kinds), int(start), int(end)) if (
            all(
                kind in notificationpreferences.KINDS and when in notificationpreferences.WHEN
                for kind, when in kinds.items()
            )
            and 0 <= start < outbox.DAY_MINUTES
            and 0 <= end < outbox.DAY_MINUTES
        ):
            return lambda at: notificationpreferences.set_kinds(
                at,
                person.id,
                {**notificationpreferences.kinds_of(at, person.id)[0], **kinds},
                (start, end),
            )
    raise unfit("telling")


async def _mail(client: Client, person: Person, value: Any) -> Change:
    world = client.hub.people.world
    if value == "":
        return lambda at: letters.change(at, world, person.id, "")
    if not letters.is_address(value):
        raise unfit("mail")
    _must_serve_mail(client)
    _rarely(client, f"mail {person.id}")
    return lambda at: letters.change(at, world, person.id, value)


async def _mail_notices(client: Client, person: Person, value: Any) -> Change:
    world = client.hub.people.world
    if value is False:
        return lambda at: notificationpreferences.drop_way(
            at, person.id, notificationpreferences.MAIL
        )
    address = await client.hub.people.look(lambda at: letters.address_of(at, person.id))
    if value is not True or not address:
        raise unfit("mail_notices")
    return lambda at: notificationpreferences.set_way(
        at, world, person.id, notificationpreferences.MAIL, ""
    )


async def _push(client: Client, person: Person, value: Any) -> Change:
    world = client.hub.people.world
    match value:
        case None:
            return lambda at: notificationpreferences.drop_way(
                at, person.id, notificationpreferences.PUSH + person.device
            )
        case str(device):
            return lambda at: notificationpreferences.drop_way(
                at, person.id, notificationpreferences.PUSH + device
            )
        case (endpoint, key, auth) if push.is_subscription(endpoint, key, auth):
            if not client.hub.notifier.served["push"]:
                raise Denied(bad("error.no_push"))

            def change(at: sqlite3.Connection) -> None:
                form = push.kept(key, auth)
                try:
                    notificationpreferences.set_push(
                        at, world, person.id, person.device, endpoint, form
                    )
                except notificationpreferences.NotKept:
                    raise BadAccount("error.push_kept") from None

            return change
    raise unfit("push")


async def _test_channel(client: Client, person: Person, value: Any) -> Change:
    people = client.hub.people
    if value not in (notificationpreferences.WEBHOOK, notificationpreferences.MAIL, am.PUSH):
        raise unfit("channel")
    _rarely(client, f"test {person.id}")
    way = notificationpreferences.PUSH + person.device if value == am.PUSH else value
    told = await people.look(lambda at: outbox.test_message(at, people.world, person.id, way))
    if told is None:
        raise unfit("channel")
    spoken = lang.phrases(told.language)
    line = spoken.text("notice.test", handle=person.handle)
    try:
        await client.hub.notifier.post(told, [line], people.world.now_ms())
    except NotPosted as error:
        raise Denied(bad("error.not_posted", why=f"notice.why.{error.word}")) from None
    return lambda at: None


def _must_serve_mail(client: Client) -> None:
    if not client.hub.notifier.served["mail"]:
        raise Denied(bad("error.no_mail"))


async def _mail_asked(client: Client, message: am.Mail) -> None:
    people = client.hub.people
    text = message.text.strip()
    match message.what:
        case am.LINK:
            _must_serve_mail(client)
            # It is answered before anything is looked up.
            client.hub.notifier.ask_link(client.connection.address, text)
        case am.CONFIRM:
            _rarely(client, f"confirm {asker_of(client.connection.address).who}")
            account = await people.write(lambda at: letters.confirm(at, people.world, text))
            client.connection.log.info("address confirmed", account=account)
        case am.STOP:
            stop = is_stop(text)
            if stop is not None:
                await people.write(lambda at: notificationpreferences.drop_by_secret(at, *stop))
    client.connection.send(am.MailDone(message.request))


REACHING: Final[dict[str, Callable[[Client, Person, Any], Awaitable[Change]]]] = {
    "channel": _channel,
    "telling": _telling,
    "mail": _mail,
    "mail_notices": _mail_notices,
    "push": _push,
    "test_channel": _test_channel,
}
"""Changes of an account that say how its person is reached."""
MAIL: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {am.Mail: _mail_asked}
