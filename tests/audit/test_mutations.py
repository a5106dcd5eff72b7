"""Files that are damaged, or forged without sense: `audit` and `replay` tell what is wrong in every
form, and never end in a traceback."""

import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.audit.tamper import put
from warledger.clients.audit.commands import audit_command, replay_command
from warledger.clients.bots.selfplay import Field, play
from warledger.protocol import canon
from warledger.protocol.log import records, wlog
from warledger.protocol.log.records import CorruptLog

FORMS: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (replay_command, ()),
    (replay_command, ("--plain", "--story")),
    (replay_command, ("--json", "--as", "arbiter")),
    (audit_command, ("--chain-only",)),
    (audit_command, ("--json",)),
)
STRANGE: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        7,
        2**53 - 1,
        "",
        "x",
        "\x1b[2J",
        "{x}",
        b"",
        b"\xff" * 32,
        canon.Seal(bytes(32)),
        (),
        ((),),
        ("put", "a"),
    ),
    *(
        (("put", 1, 2, 3, 4),),
        {},
        {"a": ()},
        (1, 2, 3),
        ("a", (("b", 1),), "c"),
        (("a",),),
        "a" * 5000,
        (0,) * 300,
    ),
)
TITLES = ("war_at_sea", "victory_lost")


@cache
def game(title: str) -> bytes:
    """A game of random players: a map of areas or of hexes, hidden things, dice."""
    return play(Field.of(title), seed=11, index=0, players=("random", "random")).as_wlog()


# --- mutations ------------------------------------------------------------------------------------


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Bytes changed, lost, doubled, moved or put in."""
    at, n = rng.randrange(len(data)), rng.choice((1, 1, 2, 9, 40, 4000))
    piece = data[at : at + n]
    kind = rng.randrange(6)
    if kind == 0:
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + data[at + n :]
    if kind == 2:
        return data[:at] + piece + data[at:]
    if kind == 3:
        return data[:at] + rng.randbytes(len(piece)) + data[at + n :]
    if kind == 4:
        return data[:at]
    to = rng.randrange(len(data))
    return data[:to] + piece + data[to:]


def places(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Every place in an array."""
    yield path
    if type(value) is tuple:
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def strange(rng: random.Random, value: Any) -> Any:
    """The value with something at one place that does not belong there, or a place of it doubled or
    lost."""
    path = rng.choice(list(places(value)))
    if path and rng.random() < 0.2:
        holder: Any = value
        for index in path[:-1]:
            holder = holder[index]
        at = path[-1]
        return put(
            value,
            path[:-1],
            holder[:at]
            + (
                holder[at : at + 1] * 2 + holder[at + 1 :]
                if rng.random() < 0.5
                else holder[at + 1 :]
            ),
        )
    return put(value, path, rng.choice(STRANGE))


def in_map(rng: random.Random, value: Any) -> Any:
    """A pack with something strange somewhere in it, or without it."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        if rng.random() < 0.1:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: in_map(rng, value[key])}
    if isinstance(value, tuple) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return (*value[:at], in_map(rng, value[at]), *value[at + 1 :])
    return rng.choice(STRANGE)


def forged(rng: random.Random, data: bytes) -> bytes:
    """A record, its effects or the pack is made strange, and all that an attacker can mend is
    mended: chain, digests, check sums."""
    frames = list(wlog.parse(data).frames)
    at = [index for index, frame in enumerate(frames) if frame.kind == wlog.FRAME_RECORD]
    log = [records.read(frames[index].payload) for index in at]
    bodies: dict[int, Any] = {}
    for _ in range(rng.choice((1, 1, 3))):
        record = rng.choice(log if rng.random() < 0.8 else log[:1])
        body = bodies.get(record.seq, record.body)
        bodies[record.seq] = _forged(rng, record.kind, body)
    previous = records.NO_HASH
    for index, record in zip(at, log, strict=True):
        try:
            made = records.make(
                record.seq,
                record.at_ms,
                record.actor,
                record.kind,
                bodies.get(record.seq, record.body),
                previous,
            )
        except (canon.NotCanonical, TypeError, ValueError):
            made = record
        previous = made.hash
        frames[index] = wlog.Frame(wlog.FRAME_RECORD, made.data)
    if rng.random() < 0.2:
        other = rng.randrange(len(frames))
        try:
            payload = canon.pack(strange(rng, canon.unpack(frames[other].payload)))
            frames[other] = wlog.Frame(frames[other].kind, payload)
        except (canon.NotCanonical, CorruptLog, TypeError, ValueError):
            pass
    return wlog.encode(frames, sealed=True)


def _forged(rng: random.Random, kind: str, body: Any) -> Any:
    if (
        kind == records.GENESIS
        and type(body) is tuple
        and len(body) == 13
        and type(body[7]) is bytes
    ):
        if rng.random() < 0.7:
            value = in_map(rng, canon.unpack(body[7]))
            pack = canon.pack(canon.ordered(value) if isinstance(value, dict) else value)
            return put(put(body, (7,), pack), (8,), records.hash_of(pack))
        if rng.random() < 0.5:
            return put(body, (5,), {name: rng.choice(STRANGE) for name in sorted(body[5])})
    where = {records.COMMAND: records.EFFECTS, records.TAKEBACK: 2}.get(kind)
    if (
        where is not None
        and rng.random() < 0.6
        and type(body) is tuple
        and len(body) > where
        and type(body[where]) is bytes
    ):
        return put(body, (where,), canon.pack(strange(rng, canon.unpack(body[where]))))
    return strange(rng, body)


# --- what is asked --------------------------------------------------------------------------------


def asked(
    file: Path, rng: random.Random, data: bytes, forms: tuple[tuple[Any, tuple[str, ...]], ...]
) -> list[str]:
    """What goes wrong when the commands are asked about a file."""
    file.write_bytes(data)
    wrong = []
    for command, options in forms:
        extra = (
            ("--to", str(rng.randrange(80)))
            if command is replay_command and rng.random() < 0.3
            else ()
        )
        result = CliRunner().invoke(command, [str(file), *options, *extra])
        told = f"{command.name} {' '.join((*options, *extra))}"
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            wrong.append(f"{told}: {type(result.exception).__name__}: {result.exception}")
        elif result.exit_code not in ((0, 1, 2) if extra else (0, 1)):
            wrong.append(f"{told}: exit code {result.exit_code}: {result.stderr[-300:]}")
        elif result.exit_code == 1 and not result.output.strip():
            wrong.append(f"{told}: says nothing")
        elif "--json" in options and result.stdout:
            json.loads(result.stdout)
        if any(
            (ord(letter) < 32 and letter not in "\n\t") or letter == "\x7f"
            for letter in result.output
        ):
            wrong.append(f"{told}: prints control characters")
    return wrong


def tried(
    tmp_path: Path,
    mutate: Callable[[random.Random, bytes], bytes],
    title: str,
    seed: int,
    count: int,
) -> list[str]:
    rng = random.Random(f"{mutate.__name__} {title} {seed}")
    wrong: list[str] = []
    for number in range(count):
        data = mutate(rng, game(title))
        found = asked(tmp_path / "g.wlog", rng, data, tuple(rng.sample(FORMS, 2)))
        wrong += (f"{number}: {what}" for what in found)
    return wrong


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("mutate", [damaged, forged])
def test_no_file_ends_in_a_traceback(
    tmp_path: Path, mutate: Callable[[random.Random, bytes], bytes], title: str
) -> None:
    """Whatever is in a file, both commands tell it in words or data, with exit code 0 or 1 (2 only
    for a record that is not there)."""
    assert tried(tmp_path, mutate, title, 1, 6) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("mutate", [damaged, forged])
def test_no_file_of_very_many_ends_in_a_traceback(
    tmp_path: Path, mutate: Callable[[random.Random, bytes], bytes], title: str, seed: int
) -> None:
    """As above, for hundreds."""
    assert tried(tmp_path, mutate, title, 100 + seed, 200) == []
