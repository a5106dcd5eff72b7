"""Games over which auditors once disagreed (`python -m tests.audit.odd` finds such), for the
vectors: each is as a stranger with the server's key would write it."""

from collections.abc import Callable
from typing import Any, Final

from tests.audit.attacked import start, whole
from tests.audit.attacked_desk import BANK
from tests.audit.odd.follows import Packed, head
from tests.audit.odd.log import AT_MS, BODY, HEAD, SECRETS, Frame, Log, made
from tests.audit.odd.taken_apart import taken_apart
from warledger.engine.testing.randomgames import Played, signing_key
from warledger.protocol import canon

Made = Callable[[], bytes]


def odd(change: Callable[[Log], None], played: Played | None = None) -> bytes:
    """The file of a whole game, or of another, with something changed."""
    log = taken_apart((played or whole()).file(), signing_key().encode())
    change(log)
    return made(log)


def _first(log: Log, what: str, nth: int = 0) -> Frame:
    """A record of a kind."""
    return [frame for frame in log.records() if frame.what == what][nth]


def _played() -> Played:
    """A game in progress in which a has added 1."""
    played = start()
    played.submit("a", "add", 1)
    return played


def _asked_twice(log: Log) -> None:
    awaits = _first(log, "command", 1).body[10]
    awaits.append(awaits[0])


def _told(*effects: Any) -> Made:
    """The last command of a game in progress has other effects."""

    def change(log: Log) -> None:
        log.last.body[7] = Packed(list(effects))

    return lambda: odd(change, _played())


def _late_reveal(log: Log) -> None:
    """The last record stands a year behind the end."""
    log.last.tree[AT_MS].gap = 365 * 86_400_000


def _timed() -> Played:
    """A game with clocks that is resigned."""
    played = start(terms={"clock": {"bank": BANK}})
    played.submit("a", "add", 1)
    played.commit(played.resign("b"))
    return played


def _learnt(log: Log) -> None:
    """A command that its seat takes back freely says more than that the seat has learnt."""
    _first(log, "command", 1).body[7] = Packed([["learn", "a", 1]])


def _taken_back() -> Played:
    """A game in progress in which a has taken back its first command."""
    played = _played()
    played.commit(played.take_back("a", played.records[-2].seq))
    return played


def _pack_of_a_seal(log: Log) -> None:
    body = log.frames[0].tree[BODY]
    body[7] = Packed(canon.Seal(bytes(32)))


def _nameless_term(log: Log) -> None:
    log.frames[0].tree[BODY][13]["clock"] = {"bank": BANK, "": 1}


def _head_first(log: Log) -> None:
    (frame,) = [one for one in log.frames if one.kind == HEAD]
    log.frames.remove(frame)
    log.frames.insert(0, frame)


def _short_head(log: Log) -> None:
    (frame,) = [one for one in log.frames if one.kind == HEAD]
    frame.tree[2] = bytes(31)


def _early_head(log: Log) -> None:
    """A head of the last record stands behind the genesis."""
    (frame,) = [one for one in log.frames if one.kind == HEAD]
    log.frames.remove(frame)
    log.frames.insert(1, frame)


def _head_beyond(log: Log) -> None:
    first, key = log.frames[0].tree[BODY], log.frames[0].tree[BODY][12]
    more = head(first[1], key, log.last)
    more.tree[1] = len(log.records()) + 3
    log.frames.append(more)


def _secrets(*fields: Any) -> Made:
    """The secrets stand in the file, with other fields."""

    def change(log: Log) -> None:
        told: list[Any] = [log.root, log.hidden, log.salts, log.length]
        told = [*(new or old for new, old in zip(fields, told, strict=False)), *told[len(fields) :]]
        log.frames.insert(1, Frame(SECRETS, told))

    return lambda: odd(change)


def _three_secrets(log: Log) -> None:
    log.frames.insert(1, Frame(SECRETS, [log.root, log.hidden, log.salts]))


SOUND: Final[dict[str, Made]] = {
    "an effect that closes more than a turn": _told(["close", "turn", 1]),
    "an effect that says nobody learns": _told(["learn"]),
    "a last record a year behind the end of a game with clocks": lambda: odd(
        _late_reveal, _timed()
    ),
    "a head that stands before its record": lambda: odd(_early_head),
    "a command that is taken back and says more than that its seat learnt": lambda: odd(
        _learnt, _taken_back()
    ),
    "the server's secrets": _secrets(),
}
FORGED: Final[dict[str, Made]] = {
    "a seat that is asked twice": lambda: odd(_asked_twice),
    "a head before record 0": lambda: odd(_head_first),
    "a pack that is a packed seal": lambda: odd(_pack_of_a_seal),
    "a term of clocks without a name": lambda: odd(_nameless_term),
    "a head with a short hash": lambda: odd(_short_head),
    "a head beyond the last record": lambda: odd(_head_beyond),
    "secrets with another salt key": _secrets(None, None, bytes(32)),
    "secrets with another last link": _secrets(bytes(32)),
    "three secrets": lambda: odd(_three_secrets),
}
