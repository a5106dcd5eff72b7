"""What can be odd about any log, of a game or of a tournament: its values, its records and
frames, and the bytes of the file. Each changes a log in place and says what it did; None if it
could not."""

import random
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from tests.audit.odd.follows import (
    Hash,
    Number,
    Packed,
    Sealed,
    Time,
    head,
    opening,
    witness,
)
from tests.audit.odd.log import (
    ACTOR,
    AT_MS,
    BODY,
    HEAD,
    KIND,
    META,
    OPENINGS,
    RECORD,
    SECRETS,
    SIGN,
    WITNESS,
    Frame,
    Later,
    Log,
    Path,
    at,
    framed,
    places,
    put,
    sha,
)
from tests.audit.odd.values import DAY, TEXTS, near, odd_text, strange

Oddity: TypeAlias = Callable[[random.Random, Log], str | None]


# --- values ---------------------------------------------------------------------------------------


def some_place(rng: random.Random, log: Log) -> tuple[Frame, Any, Path]:
    """A place in a frame: in the tree of the frame itself, or in what is packed or sealed in it.
    Returns the frame, the tree to be changed in place, and the path."""
    kinds = [frame for frame in log.frames if type(frame.tree) is list]
    frame = rng.choice(kinds)
    tree: Any = frame.tree
    while True:
        path = rng.choice([one for one in places(tree) if one])
        inner = at(tree, path)
        goes_on = isinstance(inner, Packed | Sealed) and type(inner.inner) is list and inner.inner
        if not goes_on or rng.random() < 0.2:
            return frame, tree, path
        tree = inner.inner


def changed(rng: random.Random, log: Log, change: Callable[[random.Random, Any], Any]) -> str:
    """A value somewhere is another."""
    frame, tree, path = some_place(rng, log)
    old = at(tree, path)
    if isinstance(old, Time) and rng.random() < 0.5:
        old.gap = change(rng, 0)
        return f"{told(log, frame)} is {shown(old.gap)} ms behind the record before"
    if type(old) is dict and old and rng.random() < 0.9:
        key = rng.choice(list(old))
        new = change(rng, old[key])
        old[key] = new
        return f"{told(log, frame)} {path} {key!r}: {shown(new)}"
    if isinstance(old, Packed | Sealed) and rng.random() < 0.5:
        new, old.inner = old, change(rng, old.inner)
        return f"{told(log, frame)} {path}: inside {shown(new)}"
    new = change(rng, old)
    put(tree, path, new)
    return f"{told(log, frame)} {path}: {shown(old)} becomes {shown(new)}"


def other_type(rng: random.Random, log: Log) -> str | None:
    """A value of another type."""
    return changed(rng, log, lambda rng, _: strange(rng))


def at_an_edge(rng: random.Random, log: Log) -> str | None:
    """A value of the same type at an edge."""
    return changed(rng, log, lambda rng, old: old if isinstance(old, Later) else near(rng, old))


def other_words(rng: random.Random, log: Log) -> str | None:
    """A text is another one everywhere: a seat, a name, an id."""
    told = [item for frame in log.records() for item in _texts(frame.tree)]
    old = rng.choice(told)
    new = odd_text(rng) if rng.random() < 0.8 else rng.choice(told)
    for frame in log.frames:
        frame.tree = _renamed(frame.tree, old, new)
    log.nonces = {new if who == old else who: nonce for who, nonce in log.nonces.items()}
    return f"{shown(old)} becomes {shown(new)} everywhere"


def _texts(value: Any) -> list[str]:
    if type(value) is str:
        return [value]
    if type(value) is list:
        return [text for item in value for text in _texts(item)]
    return []


def _renamed(value: Any, old: str, new: str) -> Any:
    if type(value) is str:
        return new if value == old else value
    if type(value) is list:
        value[:] = [_renamed(item, old, new) for item in value]
    elif isinstance(value, Packed | Sealed):
        value.inner = _renamed(value.inner, old, new)
    elif type(value) is dict:
        return {_renamed(key, old, new): _renamed(item, old, new) for key, item in value.items()}
    return value


def seal_somewhere(rng: random.Random, log: Log) -> str | None:
    """A seal stands where something else stood; it may be opened at the end."""
    frame, tree, path = some_place(rng, log)
    old = at(tree, path)
    sealed = Sealed(old if rng.random() < 0.7 else strange(rng))
    put(tree, path, sealed)
    last = log.last
    if rng.random() < 0.7 and last.what == "reveal" and type(last.body[0]) is list:
        place = rng.randrange(len(last.body[0]) + 1)
        last.body[0].insert(place, opening(sealed))
        return f"{told(log, frame)} {path} is sealed, and opened at {place}"
    return f"{told(log, frame)} {path} is sealed"


def other_reference(rng: random.Random, log: Log) -> str | None:
    """A record is named in place of another."""
    found = [
        (frame, path)
        for frame in log.frames
        for path in places(frame.tree)
        if isinstance(at(frame.tree, path), Number | Hash)
    ]
    frame, path = rng.choice(found)
    node = at(frame.tree, path)
    node.frame = rng.choice(log.records())
    return f"{told(log, frame)} {path} names record {node.frame.old}"


# --- records and frames ---------------------------------------------------------------------------


def moved_frame(rng: random.Random, log: Log) -> str | None:
    """A frame stands elsewhere."""
    place = rng.randrange(len(log.frames))
    frame = log.frames.pop(place)
    to = rng.randrange(len(log.frames) + 1) if rng.random() < 0.5 else place + rng.choice((-1, 1))
    log.frames.insert(max(to, 0), frame)
    return f"frame {place} ({told(log, frame)}) stands at {max(to, 0)}"


def doubled_frame(rng: random.Random, log: Log) -> str | None:
    """A frame occurs twice."""
    place = rng.randrange(len(log.frames))
    frame = log.frames[place]
    to = place + 1 if rng.random() < 0.5 else rng.randrange(len(log.frames) + 1)
    twin = Frame(frame.kind, frame.tree, frame.old)
    place_of_id = {"command": 3, "act": 2}.get(twin.what.partition(" ")[0])
    if place_of_id is not None and type(twin.body) is list and rng.random() < 0.7:
        twin.tree = [*twin.tree[:BODY], list(twin.body), *twin.tree[BODY + 1 :]]
        twin.body[place_of_id : place_of_id + 1] = [rng.randbytes(8)]
    log.frames.insert(to, twin)
    return f"frame {place} ({told(log, frame)}) stands at {to} too"


def lost_frame(rng: random.Random, log: Log) -> str | None:
    """A frame is missing."""
    place = rng.randrange(len(log.frames))
    frame = log.frames.pop(place)
    return f"frame {place} ({told(log, frame)}) is missing"


def lost_tail(rng: random.Random, log: Log) -> str | None:
    """The log ends behind some record, with or without a head."""
    count = rng.randrange(1, len(log.frames) + 1)
    beside = [frame for frame in log.frames[count:] if frame.kind == HEAD]
    log.frames = log.frames[:count]
    if beside and rng.random() < 0.7 and log.records():
        last = log.last
        log.frames.append(head(beside[0].tree[0], beside[0].tree[3].key, last))
    return f"the log ends behind frame {count}"


def odd_frame(rng: random.Random, log: Log) -> str | None:
    """A frame is put in whose content is odd, or that does not belong there."""
    where = rng.randrange(len(log.frames) + 1)
    frame = _some_frame(rng, log)
    log.frames.insert(where, frame)
    return f"at {where} {told(log, frame)} {shown(frame.tree)}"


def _some_frame(rng: random.Random, log: Log) -> Frame:
    records = log.records()
    one = rng.choice(records)
    name, server = _id_and_key(records[0])
    kind = rng.randrange(9)
    if kind == 0:
        return Frame(OPENINGS, [] if rng.random() < 0.5 else strange(rng))
    if kind == 1:
        return head(name, server, one)
    if kind == 2:
        made = head(name, server, one)
        place = rng.randrange(4)
        made.tree[place] = rng.choice((strange(rng), near(rng, made.tree[place])))
        if isinstance(made.tree[place], Later):
            made.tree[place] = strange(rng)
        return made
    if kind == 3:
        seq = rng.choice((-1000, -1, len(records), len(records) + 5, 2**53 - 1, 0))
        made = head(name, server, one)
        made.tree[1] = seq
        return made
    if kind == 4:
        made = head(name, server, one)
        made.tree[2] = rng.choice((sha(b"another"), b"", bytes(31), one))
        made.tree[2] = made.tree[2] if type(made.tree[2]) is bytes else sha(b"one more")
        return made
    if kind == 5:
        secrets = [log.root, log.hidden, log.salts, log.length]
        place = rng.randrange(5)
        if place < 4:
            secrets[place] = rng.choice((near(rng, secrets[place]), strange(rng)))
        return Frame(SECRETS, secrets if rng.random() < 0.9 else secrets[:3])
    if kind == 6:
        return Frame(META, rng.choice((b"", b"\xc1", [1], strange(rng))))
    if kind == 7:
        key = rng.choice(list(log.keys))
        made = witness(rng.choice(("a", "b", "", "server")), key, log.last)
        if rng.random() < 0.5:
            made.tree[rng.randrange(5)] = strange(rng)
        return made
    return Frame(rng.choice((0, 7, 8, 10, 255)), rng.choice((b"", [1])))


def _id_and_key(first: Frame) -> tuple[Any, bytes]:
    body = first.body
    key = next((one for one in reversed(body) if type(one) is bytes and len(one) == 32), bytes(32))
    return (body[1] if len(body) > 1 else ""), key


def other_kind_of_frame(rng: random.Random, log: Log) -> str | None:
    """A frame has another kind."""
    frame = rng.choice(log.frames)
    was = told(log, frame)
    frame.kind = rng.choice((1, 2, 3, 4, 5, 6, 0, 7, 8, 10))
    return f"{was} is a frame of kind {frame.kind}"


def other_actor(rng: random.Random, log: Log) -> str | None:
    """A record is by somebody else."""
    frame = rng.choice(log.records())
    actors = [one.tree[ACTOR] for one in log.records()]
    pairs = (["id.Ann", "Ann"], ["", "Ann"], ["id.Ann", ""], ["a", "a"], ["id"], ["i" * 60, "n"])
    frame.tree[ACTOR] = rng.choice((rng.choice(actors), rng.choice(TEXTS), rng.choice(pairs)))
    if rng.random() < 0.3:
        frame.tree[ACTOR] = [odd_text(rng), odd_text(rng)]
    return f"{told(log, frame)} is by {shown(frame.tree[ACTOR])}"


def other_kind(rng: random.Random, log: Log) -> str | None:
    """A record has another kind."""
    frame = rng.choice(log.records())
    frame.tree[KIND] = rng.choice([one.tree[KIND] for one in log.records()])
    return f"{told(log, frame)} has the kind {frame.tree[KIND]}"


# --- time -----------------------------------------------------------------------------------------


def other_time(rng: random.Random, log: Log) -> str | None:
    """Time goes by between two records: none, a little, as much as some clock has, or backwards."""
    records = log.records()
    place = rng.randrange(1, len(records)) if len(records) > 1 else 0
    gaps = (0, 1, -1, 999, 1000, 1001, 60_000, DAY, 400 * DAY, 2**53)
    told_times = [
        number for frame in records for number in _numbers(frame.tree) if 1000 < number < 400 * DAY
    ]
    gap = rng.choice(told_times) if told_times and rng.random() < 0.7 else rng.choice(gaps)
    gap += rng.choice((0, 0, 0, 1, -1))
    time = records[place].tree[AT_MS]
    if not isinstance(time, Time):
        return None
    if rng.random() < 0.1 and place + 1 < len(records):
        after = records[place + 1].tree[AT_MS]
        after.gap = after.gap + time.gap - gap if isinstance(after, Time) else 0
    time.gap = gap
    return f"{told(log, records[place])} is {gap} ms behind the record before"


def _numbers(value: Any) -> list[int]:
    if type(value) is int:
        return [value]
    inner = list(value.values()) if type(value) is dict else value
    return [n for item in inner for n in _numbers(item)] if type(inner) is list else []


# --- the file -------------------------------------------------------------------------------------


def cut_short(rng: random.Random, log: Log) -> str | None:
    """The file ends somewhere."""
    share = rng.random()
    log.bytes_later.append(lambda data: data[: int(len(data) * share)])
    return f"the file is cut at {share:.4f}"


def flipped(rng: random.Random, log: Log) -> str | None:
    """Bytes of the file are others, are lost or put in."""
    share, kind, n = rng.random(), rng.randrange(4), rng.choice((1, 1, 4, 40))
    bit, more = 1 << rng.randrange(8), rng.randbytes(n)

    def damaged(data: bytes) -> bytes:
        place = min(int(len(data) * share), max(len(data) - 1, 0))
        if kind == 0:
            return data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :]
        if kind == 1:
            return data[:place] + data[place + n :]
        return data[:place] + more + data[place + (n if kind == 2 else 0) :]

    log.bytes_later.append(damaged)
    return f"bytes at {share:.4f}, kind {kind}, {n}"


def odd_end(rng: random.Random, log: Log) -> str | None:
    """The end frame is odd, missing, doubled, or not the last."""
    kind = rng.randrange(8)

    def ended(data: bytes) -> bytes:
        body, end = data[:-45], data[-45:]
        count = int.from_bytes(end[9:13], "big")
        if kind == 0:
            return body
        if kind == 1:
            return data + end
        if kind == 2:
            return data + b"\0"
        if kind == 3:
            return body + framed(9, (count + 1).to_bytes(4, "big") + end[13:])
        if kind == 4:
            return body + framed(9, end[9:13] + bytes(32))
        if kind == 5:
            return body + framed(9, end[9:-1])
        if kind == 6:
            return body + framed(9, end[9:] + b"\0")
        return body + framed(9, b"")

    log.bytes_later.append(ended)
    return f"odd end frame {kind}"


def odd_header(rng: random.Random, log: Log) -> str | None:
    """The header is another."""
    log.header = rng.choice(
        (SIGN + b"\2", SIGN + b"\4", SIGN, b"", SIGN + b"\3\3", b"\x89WLOG\n\n\3", SIGN[:3])
    )
    if rng.random() < 0.3:
        body = log.frames[0].body
        body[0] = rng.choice((1, 2, 4, True, "3", 3)) if body else 0
    return f"header {log.header.hex()}"


def told(log: Log, frame: Frame) -> str:
    """A frame in words."""
    if frame.kind != RECORD:
        names = {OPENINGS: "openings", HEAD: "head", SECRETS: "secrets", META: "meta"}
        return names.get(frame.kind, "witness" if frame.kind == WITNESS else str(frame.kind))
    kind = frame.what
    if not kind and type(frame.tree) is list and len(frame.tree) > KIND:
        kind = str(frame.tree[KIND])
    return f"{frame.old} {kind}"


def shown(value: Any) -> str:
    """A value, not too long."""
    text = ascii(value)
    return text if len(text) < 90 else f"{text[:80]}… ({len(text)})"


VALUES: Final = (other_type, at_an_edge, other_words, seal_somewhere, other_reference)
FRAMES: Final = (
    *(moved_frame, doubled_frame, lost_frame, lost_tail, odd_frame, other_kind_of_frame),
    *(other_actor, other_kind),
)
BYTES: Final = (cut_short, flipped, odd_end, odd_header)
ANY: Final[dict[Oddity, int]] = {
    **dict.fromkeys(VALUES, 4),
    **dict.fromkeys(FRAMES, 2),
    other_time: 4,
    **dict.fromkeys(BYTES, 1),
}
"""Each with how often it is chosen."""
