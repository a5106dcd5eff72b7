"""The messages of the protocol, but for those of accounts, marks, rulings, talk and tournaments,
which stand beside this file. On the wire a message is the array [tag, field …].

Rules of this file:
- A request carries `request`, a number from 1 that its sender has not in use; whatever answers it
  repeats that number. `request` 0 stands in an Error or Goodbye that answers nothing. Records
  answer nothing: they come whenever there are some.
- A released message never changes. A change is a new message, announced by the version in Hello and
  Welcome.
- Fields are checked when a message is made, on both sides (`fields`).
"""

from typing import Any, Final

from warledger.protocol.board.choices import Choices as ChoicesValue
from warledger.protocol.board.choices import Picks, Refusal, Say
from warledger.protocol.limits import COMMAND_ID_BYTES_MAX, DELAY_S_MAX, HASH_BYTES
from warledger.protocol.log.chain import Head as SignedHead
from warledger.protocol.seats.acts import ACT_KINDS
from warledger.protocol.seats.standing import Entries
from warledger.protocol.wire import accountmessages as accountmessages
from warledger.protocol.wire import fields
from warledger.protocol.wire import markmessages as markmessages
from warledger.protocol.wire import rulingmessages as rulingmessages
from warledger.protocol.wire import talkmessages as talkmessages
from warledger.protocol.wire import tournamentmessages as tournamentmessages
from warledger.protocol.wire.fields import CLIENT as CLIENT
from warledger.protocol.wire.fields import FORMS as _FORMS
from warledger.protocol.wire.fields import FREE as FREE
from warledger.protocol.wire.fields import JOB as JOB
from warledger.protocol.wire.fields import LINE as LINE
from warledger.protocol.wire.fields import PAGE as PAGE
from warledger.protocol.wire.fields import PLAY as PLAY
from warledger.protocol.wire.fields import SERVER as SERVER
from warledger.protocol.wire.fields import Message as Message
from warledger.protocol.wire.fields import decode as decode
from warledger.protocol.wire.fields import encode as encode
from warledger.protocol.wire.fields import encode_head as encode_head
from warledger.protocol.wire.fields import message as _message

VERSION: Final = 3
"""Version of the protocol that this release speaks, and the only one that a server understands."""

FROM_GENESIS: Final = -1
"""A value of `after_seq`: every record, the genesis too."""
NOW: Final = -1
"""A value of `at_seq`: after the last record."""

# --- meeting --------------------------------------------------------------------------------------


@_message("hello", CLIENT, "welcome", cost=FREE, at_edge=True, while_stopping=True)
class Hello(Message):
    """The first message. `client` names the program."""

    request: int = fields.number(1)
    version: int = fields.number()
    client: str = fields.name()


@_message("welcome", SERVER)
class Welcome(Message):
    """`limits` are bounds this server sets, by name; `titles` are [title, rules version]; `key` is
    what signs heads."""

    request: int = fields.number(1)
    version: int = fields.number()
    server: str = fields.name()
    key: bytes = fields.octets(HASH_BYTES, HASH_BYTES)
    limits: dict[str, int] = fields.options()
    titles: tuple[tuple[str, str], ...] = fields.rows(str, str)


@_message(
    "login", CLIENT, "logged_in", cost=FREE, repeatable=True, at_edge=True, while_stopping=True
)
class Login(Message):
    """Present a token: the host's, a seat's, an arbiter's, a caster's, or an account's device's,
    which then acts for every seat of the account. "" is to watch only. May be sent again to act for
    another seat. `name` is the player's name in the game's log ("" for none)."""

    request: int = fields.number(1)
    token: str = fields.text(256)
    name: str = fields.name()


@_message("logged_in", SERVER)
class LoggedIn(Message):
    """`roles` lists all roles that this connection now has: ["account", id, handle], ["host", "",
    ""], ["host", "own", ""] (may open games), ["host", game, ""] (opened that one). Others are
    ["arbiter", game ("" for all), ""], ["caster", game, seat], ["caster", tournament, ""] (of every
    seat of its games) or ["seat", game, seat]. An arbiter may subscribe and view as "arbiter" and
    may ask for the choices and previews of any seat, but acts for none. A caster may subscribe and
    view as their seat, with the spectators' delay."""

    request: int = fields.number(1)
    principal: str = fields.name()
    roles: tuple[tuple[str, str, str], ...] = fields.rows(str, str, str)


@_message("ping", CLIENT, "pong", cost=LINE, at_edge=True, while_stopping=True)
class Ping(Message):
    """Check that the server is there."""

    request: int = fields.number(1)


@_message("pong", SERVER)
class Pong(Message):
    """The answer to `ping`. `at_ms` is the server's clock."""

    request: int = fields.number(1)
    at_ms: int = fields.number()


@_message("error", SERVER)
class Error(Message):
    """A request could not be carried out; nothing has changed unless `code` is "unknown_outcome".
    With `fatal` the connection is closed. Codes, and what a client should do about each: `x-errors`
    in messages.json. With request 0 it answers nothing that was asked, and need not be fatal. `say`
    is for people; that of slow_down gives the time to wait as `seconds`."""

    request: int = fields.number()
    code: str = fields.name()
    say: Say = fields.sentence()
    fatal: bool = fields.flag()


@_message("goodbye", None)
class Goodbye(Message):
    """The sender's last message, and the reason."""

    request: int = fields.number()
    say: Say = fields.sentence()


# --- games ----------------------------------------------------------------------------------------


@_message("titles", CLIENT, "title_list", cost=PAGE, at_edge=True)
class Titles(Message):
    """Ask what can be played, with options and the provenance of the data."""

    request: int = fields.number(1)


@_message("title_list", SERVER)
class TitleList(Message):
    """Each title is a map: `title`, `version`, `seats`, `options` ([name, default, [choice …],
    rule]), `provenance`."""

    request: int = fields.number(1)
    titles: tuple[dict[str, Any], ...] = fields.maps()


@_message("create_game", CLIENT, "created", cost=LINE)
class CreateGame(Message):
    """A host creates a game. `delay_s` delays spectators by that many
    seconds."""

    request: int = fields.number(1)
    title: str = fields.name()
    options: dict[str, Any] = fields.options()
    delay_s: int = fields.number(0, DELAY_S_MAX)


@_message("created", SERVER)
class Created(Message):
    """`tokens` are [seat, token]; they are shown only here."""

    request: int = fields.number(1)
    game: str = fields.name()
    tokens: tuple[tuple[str, str], ...] = fields.rows(str, str)


@_message("open_game", CLIENT, "created", cost=LINE)
class OpenGame(Message):
    """Open a game with `terms`. `{"unsigned_seats": true}` allows seats to be taken without a key;
    such seats sign nothing. `{"clock": control}` gives the game clocks, and `delay` is how many
    seconds and turns spectators are behind. `desk` names its arbiters, `protest_ms` holds its end,
    `rated` says whether it counts for ratings. Without `delay` and `rated` they are [0, 0] and
    false."""

    request: int = fields.number(1)
    title: str = fields.name()
    options: dict[str, Any] = fields.options()
    terms: dict[str, Any] = fields.terms()


@_message("practice", CLIENT, "created", cost=LINE)
class Practice(Message):
    """Anybody opens a game in which they play `seat` against the house's bot, where the operator
    allows it. The answer has the token of that seat alone. Whom the server plays and how many such
    games it has is bounded: the sentence of an error says why not."""

    request: int = fields.number(1)
    title: str = fields.name()
    seat: str = fields.name()


@_message("new_token", CLIENT, "token", cost=LINE)
class NewToken(Message):
    """A host replaces a seat's token; the old one becomes invalid."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()


@_message("token", SERVER)
class Token(Message):
    """The seat's new token."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    token: str = fields.text(256)


@_message("replace", CLIENT, "token", "refused", cost=LINE)
class Replace(Message):
    """A host puts somebody else in a seat of a game in progress; the answer is the seat's new
    token. The log says so once whoever has the new token signs an act `replaced`."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    name: str = fields.name()


@_message("close_game", CLIENT, "accepted", "refused", cost=LINE)
class CloseGame(Message):
    """A host closes a game that was opened by mistake. It must have a seat that nobody has taken;
    its end is that of a game that never began."""

    request: int = fields.number(1)
    game: str = fields.name()


@_message("rule", CLIENT, "accepted", "refused", cost=PLAY)
class Rule(Message):
    """An arbiter writes a `ruling` record under the handle of their account or the name of their
    login: `body` is its array. A `"ruled"` comes with an array of the picks of each correction that
    it names; what it asks for follows at once."""

    request: int = fields.number(1)
    game: str = fields.name()
    body: Any = fields.value()
    corrections: Any = fields.value()


@_message("choices_at", CLIENT, "choices_are", "refused", cost=PLAY, repeatable=True)
class ChoicesAt(Message):
    """For an arbiter: what a seat was offered after a record, or why it was refused then. In a game
    in progress the look becomes a record."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    at_seq: int = fields.number()
    picks: Picks = fields.picks()


@_message("games", CLIENT, "game_list", cost=PAGE, at_edge=True)
class Games(Message):
    """Games in order of their ids, after `after` ("" from the first), at most `most`; `stage` ""
    for all."""

    request: int = fields.number(1)
    stage: str = fields.one_of("", "gathering", "playing", "ended")
    after: str = fields.name()
    most: int = fields.number(1, 1000)


@_message("game_list", SERVER)
class GameList(Message):
    """Each game is a map: `game title version stage seq seats awaits winner reason at_ms created_ms
    delay_s delay_turns unsigned clock deadline_ms frozen claims held_ms turn score round viewers`.
    `delay_turns` is how many whole turns spectators are behind. `turn` is `[number, last one or
    nil]`. `score` is a map of `told` ("each", or "lead" where the first side's lead counts) and
    `points`, `[side, number]` each. Both are as the description counts them, and nil where there is
    none or the server has not read the game yet. `round` is `[tournament, round]` or nil, `viewers`
    how many spectators follow the game. `at_ms` is the time of the newest record, and `clock` the
    control of its clocks or nil. `deadline_ms` is when a flag falls if nothing happens before. It
    is nil where none does, or the reader sees a delayed game as spectators do. `frozen` are the
    claims for which it is frozen (`awaits` is then empty). `claims` are those still to be ruled on,
    each `[number, who claims, record, who hears it]`, `held_ms` until when its end is held, or 0. A
    damaged or quarantined one, and one of another format, has `stage` "quarantined" and a `reason`.
    In a fleet one that only its archive has is as it ended. It alone has `archived` true and
    `hash`, the last record's in hexadecimal. `more` says whether others follow the last one."""

    request: int = fields.number(1)
    games: tuple[dict[str, Any], ...] = fields.maps()
    more: bool = fields.flag()


@_message("head", CLIENT, "head_is", cost=LINE, repeatable=True, at_edge=True, while_stopping=True)
class Head(Message):
    """Ask for the signed head."""

    request: int = fields.number(1)
    game: str = fields.name()


@_message(
    "head_of", CLIENT, "head_is", cost=LINE, repeatable=True, at_edge=True, while_stopping=True
)
class HeadOf(Message):
    """Ask for the signed head of an earlier record, for example of the genesis before a seat is
    taken."""

    request: int = fields.number(1)
    game: str = fields.name()
    seq: int = fields.number()


@_message("head_is", SERVER)
class HeadIs(Message):
    """The signed hash of the game's last record, or of the one that was asked for."""

    request: int = fields.number(1)
    head: SignedHead = fields.head()


# --- watching -------------------------------------------------------------------------------------


@_message("subscribe", CLIENT, "subscribed", cost=PAGE, repeatable=True, at_edge=True)
class Subscribe(Message):
    """Follow a game's log from the record after `after_seq` (-1: from the genesis on), as "public",
    a seat, or "arbiter". A caster follows their seat with the spectators' delay."""

    request: int = fields.number(1)
    game: str = fields.name()
    after_seq: int = fields.number(-1)
    audience: str = fields.name()


@_message("subscribed", SERVER)
class Subscribed(Message):
    """Records follow. `last_seq` is the newest that this audience may see now."""

    request: int = fields.number(1)
    game: str = fields.name()
    audience: str = fields.name()
    last_seq: int = fields.number(-1)


@_message(
    "unsubscribe",
    CLIENT,
    "unsubscribed",
    cost=LINE,
    repeatable=True,
    at_edge=True,
    while_stopping=True,
)
class Unsubscribe(Message):
    """Stop following a game."""

    request: int = fields.number(1)
    game: str = fields.name()
    audience: str = fields.name()


@_message("unsubscribed", SERVER)
class Unsubscribed(Message):
    """No more records of that game for that audience follow."""

    request: int = fields.number(1)
    game: str = fields.name()
    audience: str = fields.name()


@_message("records", SERVER)
class Records(Message):
    """Records `first_seq`, `first_seq` + 1 …: each [public bytes, the audience's private openings
    as in a game file, or no bytes if there are none]."""

    game: str = fields.name()
    audience: str = fields.name()
    first_seq: int = fields.number()
    items: tuple[tuple[bytes, bytes], ...] = fields.rows(bytes, bytes)


@_message("view", CLIENT, "view_is", cost=PAGE, repeatable=True, at_edge=True)
class View(Message):
    """The board of an audience after record `at_seq` (-1: the last)."""

    request: int = fields.number(1)
    game: str = fields.name()
    audience: str = fields.name()
    at_seq: int = fields.number(-1)


@_message("view_is", SERVER)
class ViewIs(Message):
    """Effects that draw the board on an empty one, as of record `seq`. What this audience may not
    know stands in them as seals."""

    request: int = fields.number(1)
    game: str = fields.name()
    audience: str = fields.name()
    seq: int = fields.number()
    effects: tuple[tuple[Any, ...], ...] = fields.effects()


@_message("board", CLIENT, "board_is", cost=PAGE, repeatable=True, at_edge=True)
class Board(Message):
    """What the game is drawn from."""

    request: int = fields.number(1)
    game: str = fields.name()


@_message("board_is", SERVER)
class BoardIs(Message):
    """What the game is drawn from: `description` says what there is, in one form for all
    titles."""

    request: int = fields.number(1)
    game: str = fields.name()
    title: str = fields.name()
    description: Any = fields.value()


@_message("catalogue", CLIENT, "catalogue_is", cost=PAGE, repeatable=True, at_edge=True)
class Catalogue(Message):
    """All sentences in a language: "en", "zh-Hans", "zh-Hant", or another that `GET /api/languages`
    names. `plural.*` are the rules of its plural forms."""

    request: int = fields.number(1)
    language: str = fields.name()


@_message("catalogue_is", SERVER)
class CatalogueIs(Message):
    """Phrase keys and their texts."""

    request: int = fields.number(1)
    language: str = fields.name()
    phrases: dict[str, str] = fields.phrases()


# --- playing --------------------------------------------------------------------------------------


@_message("choices", CLIENT, "choices_are", "refused", cost=PLAY, repeatable=True)
class Choices(Message):
    """Ask what may follow these picks."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    picks: Picks = fields.picks()


@_message("choices_are", SERVER)
class ChoicesAre(Message):
    """`decision` is the record that asked: a command names it. `prompt` is the question, `choices`
    what may come next."""

    request: int = fields.number(1)
    game: str = fields.name()
    decision: int = fields.number()
    prompt: Say = fields.sentence()
    choices: ChoicesValue = fields.choices()


@_message("preview", CLIENT, "preview_is", "refused", cost=PLAY, repeatable=True)
class Preview(Message):
    """Odds, costs and chances beside these picks; or the answer to one of the description's
    `questions`, followed by what it is about."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    picks: Picks = fields.picks()


@_message("preview_is", SERVER)
class PreviewIs(Message):
    """What a player may want to know before submitting."""

    request: int = fields.number(1)
    says: tuple[Say, ...] = fields.sentences()


@_message("submit", CLIENT, "accepted", "refused", cost=FREE, repeatable=True)
class Submit(Message):
    """An act in a tournament. One `command_id` is one act, however often it is sent. `seen` is the
    hash of the last record that the sender has seen (no bytes if none)."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    decision: int = fields.number()
    seen: bytes = fields.octets(0, HASH_BYTES)
    picks: Picks = fields.picks()
    command_id: bytes = fields.octets(1, COMMAND_ID_BYTES_MAX)


@_message("accepted", SERVER)
class Accepted(Message):
    """It is durable, as record `seq`. The signed head is a receipt: of that record, or of a later
    one, since what follows at once is there already. `again` says that it had been accepted
    before."""

    request: int = fields.number(1)
    game: str = fields.name()
    seq: int = fields.number()
    head: SignedHead = fields.head()
    again: bool = fields.flag()


@_message("refused", SERVER)
class Refused(Message):
    """The rules do not allow it, and why. Nothing has changed."""

    request: int = fields.number(1)
    refusal: Refusal = fields.refusal()


@_message("act", CLIENT, "accepted", "declined", cost=FREE, repeatable=True)
class Act(Message):
    """What a seat does in a game; `signature` is that of the act, [hash of record 0,
    key, seat, kind, n, seen, body]. Key and signature are empty for a seat that signs nothing.
    `private` is for the server alone: `[picks, blind]` for a command, `[orders, blind]` for orders,
    the new key's proof for a device, otherwise nil. Sent again byte for byte, however often, it is
    the same act."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    kind: str = fields.one_of(*ACT_KINDS)
    key: bytes = fields.octets(0, 32)
    n: int = fields.number(1)
    seen: bytes = fields.octets(HASH_BYTES, HASH_BYTES)
    body: Any = fields.value()
    signature: bytes = fields.octets(0, 64)
    private: Any = fields.value()


@_message("declined", SERVER)
class Declined(Message):
    """The act is not carried out, and why; nothing has changed. The signature is that of a refusal:
    the act is not in the log up to record `seq`, whose hash is `hash`, and never will be. `act` is
    the SHA-256 of what the act's signature covers. The sender is free to sign something else."""

    request: int = fields.number(1)
    refusal: Refusal = fields.refusal()
    act: bytes = fields.octets(HASH_BYTES, HASH_BYTES)
    seq: int = fields.number()
    hash: bytes = fields.octets(HASH_BYTES, HASH_BYTES)
    signature: bytes = fields.octets(64, 64)


@_message("witness", CLIENT, "witnessed", "refused", cost=LINE)
class Witness(Message):
    """A seat has verified an ended game to its last record, and signs a statement of this."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    key: bytes = fields.octets(32, 32)
    seq: int = fields.number()
    hash: bytes = fields.octets(HASH_BYTES, HASH_BYTES)
    signature: bytes = fields.octets(64, 64)


@_message("witnessed", SERVER)
class Witnessed(Message):
    """The witness is kept beside the log."""

    request: int = fields.number(1)
    game: str = fields.name()


@_message("witnesses", CLIENT, "witnesses_are", cost=LINE, repeatable=True)
class Witnesses(Message):
    """Ask who has witnessed an ended game."""

    request: int = fields.number(1)
    game: str = fields.name()


@_message("witnesses_are", SERVER)
class WitnessesAre(Message):
    """Each is `[seat, key, seq, hash, signature]`; there are none before the end may be seen."""

    request: int = fields.number(1)
    game: str = fields.name()
    items: tuple[tuple[str, bytes, int, bytes, bytes], ...] = fields.rows(
        str, bytes, int, bytes, bytes
    )


@_message("standing", CLIENT, "standing_is", cost=FREE)
class Standing(Message):
    """Ask for the answers that the server gives for the seat: entries [prompt's key, [picks …],
    span], one for a key and a span. Whenever the seat is asked with that key, the server submits
    the first picks that are on offer: of the entry for this turn ("turn"), then of the one for the
    rest of the game ("game"). If there are none, the seat answers itself. They are changed by an
    `act`. A set is at most 4 KiB; a client that changes it too often is told when to try again."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()


@_message("standing_is", SERVER)
class StandingIs(Message):
    """The entries of the newest set that are not void."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    orders: Entries = fields.orders()


def all_messages() -> tuple[type[Message], ...]:
    """Every message class: those of accounts, marks, rulings, talk and tournaments, then those of
    this file, whichever of them was imported first."""
    names = sorted({form.cls.__module__ for form in _FORMS.values()} - {__name__})
    places = {name: place for place, name in enumerate((*names, __name__))}
    return tuple(
        sorted((form.cls for form in _FORMS.values()), key=lambda cls: places[cls.__module__])
    )


def class_of(tag: str) -> type[Message]:
    """The class of the messages with this tag. Raises KeyError if there is none."""
    return _FORMS[tag].cls
