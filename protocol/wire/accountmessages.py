"""The messages about accounts: signing in and up, and what an account keeps.

Passwords, codes and tokens are `secret`: no `repr` of a message shows them.
"""

from typing import Any, Final

from warledger.protocol.limits import HASH_BYTES, KEY_BYTES, SECRET_CHARS_MAX, SIGNATURE_BYTES
from warledger.protocol.wire import fields
from warledger.protocol.wire.fields import CLIENT, LINE, SERVER, Message
from warledger.protocol.wire.fields import message as _message

PASSWORD: Final = "password"
LINK: Final = "link"
CHANGES: Final = (
    "password",
    "language",
    "zone",
    "key",
    "drop_key",
    "drop_device",
    "drop_devices",
    "drop_seat",
    "channel",
    "telling",
    "mail",
    "mail_notices",
    "push",
    "test_channel",
    "calendar",
    "invitation",
    "sign_out",
    "forget",
)
"""What of an account can be changed. `password`: the new one; `language`, `zone`: a name; `key`:
[public key, a name for it]. `drop_key`: the key; `drop_device`: the device's id; `drop_devices`:
all but this one (nil); `drop_seat`: [game, seat]; `channel`: the webhook that is told, [url, form],
or nil for none. `telling`: [kinds, from, to], what is told when (kinds to "off", "now" or "daily"),
with quiet hours in minutes of the day (alike for none). `mail`: an address, which counts once
confirmed, or "" for none. `mail_notices`: whether notices go there. `push`: [endpoint, key, auth]
of a push subscription (a URL, 65 bytes, 16 bytes), to tell this device's browser. It is nil, or
another device's id, to tell it no more. `test_channel`: "webhook", "mail" or "push", which is sent
a message now. `calendar`: whether there is to be a calendar at a new secret address, or none.
`sign_out`, `forget`: nil."""

PUSH: Final = "push"
CONFIRM: Final = "confirm"
STOP: Final = "stop"


@_message("challenge", CLIENT, "challenge_is", cost=LINE)
class Challenge(Message):
    """Ask for what a key is to sign for `sign_in_key`."""

    request: int = fields.number(1)


@_message("challenge_is", SERVER)
class ChallengeIs(Message):
    """A key signs `"warledger/login/1"` followed by canonical `[the server's key, nonce]`; good for
    one `sign_in_key` of this connection."""

    request: int = fields.number(1)
    nonce: bytes = fields.octets(HASH_BYTES, HASH_BYTES)


@_message("sign_in", CLIENT, "signed_in", cost=LINE)
class SignIn(Message):
    """Sign in to an account by its password, or by a link (its code is then the `proof`, and the
    handle is not used). `device` is what the person calls the device; `keep` says whether it is to
    be remembered."""

    request: int = fields.number(1)
    way: str = fields.one_of(PASSWORD, LINK)
    handle: str = fields.name()
    proof: str = fields.secret(SECRET_CHARS_MAX)
    device: str = fields.name()
    keep: bool = fields.flag()


@_message("sign_in_key", CLIENT, "signed_in", cost=LINE)
class SignInKey(Message):
    """Sign in with a key of the account, which signs the newest `challenge_is`."""

    request: int = fields.number(1)
    key: bytes = fields.octets(KEY_BYTES, KEY_BYTES)
    signature: bytes = fields.octets(SIGNATURE_BYTES, SIGNATURE_BYTES)
    device: str = fields.name()
    keep: bool = fields.flag()


@_message("sign_up", CLIENT, "signed_in", cost=LINE)
class SignUp(Message):
    """Make an account. `invitation` is "" where the server is open to all. `password` may be "" for
    an account that is used from this device, by a key or by links alone."""

    request: int = fields.number(1)
    invitation: str = fields.secret(SECRET_CHARS_MAX)
    handle: str = fields.name()
    password: str = fields.secret(SECRET_CHARS_MAX)
    language: str = fields.name()
    device: str = fields.name()
    keep: bool = fields.flag()


@_message("signed_in", SERVER)
class SignedIn(Message):
    """`token` is this device's; it is shown only here. Present it with `login`."""

    request: int = fields.number(1)
    account: str = fields.name()
    handle: str = fields.name()
    token: str = fields.secret()


@_message("account", CLIENT, "account_is", cost=LINE)
class Account(Message):
    """Ask for one's own account."""

    request: int = fields.number(1)


@_message("account_is", SERVER)
class AccountIs(Message):
    """`id handle language zone created_ms has_password`, `devices` (maps: `id name made_ms used_ms
    kept here`), `keys` (maps: `key name made_ms`), `roles` ([role, game, seat]), `seats` ([game,
    seat]). `channel` is the webhook (a map: `url form secret error`, or nil), `mail` the letters (a
    map: `address waiting notices error`; `waiting` is an address that is not confirmed yet). `push`
    are the devices whose browsers are told (maps: `device error`). `telling` is a map: `kinds`, of
    a kind to `"off"`, `"now"` or `"daily"`, and `quiet`, [from, to]. `served` is a map: whether the
    server sends `mail`; `push`, the key to which browsers subscribe, empty where it pushes nothing.
    `calendar` says whether there is one at a secret address. `calendar_address` is that of one that
    has just been made, which is shown only here; else empty."""

    request: int = fields.number(1)
    account: dict[str, Any] = fields.terms()


@_message("change_account", CLIENT, "account_is", cost=LINE)
class ChangeAccount(Message):
    """Change one's account. `what` and its `value`: `password` (the new one), `language`, `zone`,
    `key` ([key, a name for it]), `drop_key` (the key), `drop_device` (its id), `drop_devices` (nil:
    all others), `drop_seat` ([game, seat]). `channel` (the webhook that is told: [url, form], or
    nil). `calendar` (a flag: a new secret address, which makes an older one worthless, or none).
    `telling` ([kinds, from, to]: what is told when, and quiet hours in minutes of the day). `mail`
    (an address, to which a code is sent; "" for none). `mail_notices` (a flag: whether notices go
    there), `test_channel` ("webhook" or "mail": a message is sent at once). `invitation` (its
    code: the account has the roles that come with it). `sign_out` (nil), `forget` (nil).
    `password` is the one in force. `password`, `key` and `forget` need it where there is one,
    unless the device signed in by a link within a quarter of an hour. After `sign_out` and `forget`
    the connection ends with an `error` of code `login`."""

    request: int = fields.number(1)
    what: str = fields.one_of(*CHANGES)
    value: Any = fields.value()
    password: str = fields.secret(SECRET_CHARS_MAX)


@_message("my_games", CLIENT, "game_list", cost=LINE)
class MyGames(Message):
    """The games of the seats that this connection holds: those first in which one of them is asked,
    then those in progress. Each row also has `mine`, the seats held."""

    request: int = fields.number(1)


@_message("invite", CLIENT, "invitation", cost=LINE)
class Invite(Message):
    """A host invites people to make accounts; the invitation is good for `days`, for `uses`
    people."""

    request: int = fields.number(1)
    note: str = fields.name()
    days: int = fields.number(1, 365)
    uses: int = fields.number(1, 1000)


@_message("invitation", SERVER)
class Invitation(Message):
    """The invitation's code; it is shown only here."""

    request: int = fields.number(1)
    code: str = fields.secret()
    until_ms: int = fields.number()


@_message("mail", CLIENT, "mail_done", cost=LINE)
class Mail(Message):
    """Needs no account. `link`: send a link that signs in to the account with this handle or
    address; the answer is the same whether there is one. `confirm`: the code that came to an
    address, which counts from then on. `stop`: the code at the end of a notice; no more of them."""

    request: int = fields.number(1)
    what: str = fields.one_of(LINK, CONFIRM, STOP)
    text: str = fields.secret(SECRET_CHARS_MAX)


@_message("mail_done", SERVER)
class MailDone(Message):
    """It is done, or under way."""

    request: int = fields.number(1)
