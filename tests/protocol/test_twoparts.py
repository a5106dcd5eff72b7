"""Finished games in two parts: together they are the file, and nothing else passes for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.audit.mini_parts import together
from tests.audit.mini_values import Unsound
from warledger.protocol import canon, limits
from warledger.protocol.log import twoparts, wlog
from warledger.protocol.log.records import hash_of

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "protocol" / "vectors"
SIGNED = VECTORS / "example.wlog"
PARTS = VECTORS / "example.parts"


def first_of(parts: bytes) -> int:
    """Where part two begins."""
    return twoparts.LENGTH_BYTES + int.from_bytes(parts[: twoparts.LENGTH_BYTES], "big")


def sealed_files() -> Iterator[Path]:
    """The games of the vectors whose frames are sound, whatever they say."""
    for file in sorted(VECTORS.rglob("*.wlog")):
        try:
            parsed = wlog.parse(file.read_bytes(), sealed=True)
            canon.unpack(parsed.records[0])[4][1].encode()
        except (wlog.CorruptFile, ValueError, LookupError, TypeError, AttributeError):
            continue
        yield file


@pytest.mark.parametrize("file", tuple(sealed_files()), ids=lambda file: file.stem)
def test_both_parts_are_the_file(file: Path) -> None:
    """A file that is cut and put together by another program is the same bytes: with openings,
    witnesses and heads, and with records that have no shape."""
    data = file.read_bytes()
    game = canon.unpack(wlog.parse(data).records[0])[4][1]
    assert together(twoparts.cut(data), game) == data


def test_what_is_not_seen_stands_in_part_two() -> None:
    """Of what seats signed no signature, blind, id or digest stands in part one, nor the hash of
    any record before the last: everything that is seen does."""
    parts = PARTS.read_bytes()
    one, two = parts[: first_of(parts)], parts[first_of(parts) :]
    records = [canon.unpack(record) for record in wlog.parse(SIGNED.read_bytes()).records]
    commands = [body for *_, kind, body, _ in records if kind == "command" and len(body[4]) == 4]
    assert len(commands) > 3
    for body in commands:
        hidden = [body[3], body[4][3], body[11]]
        hidden += [body[2][1]] if type(body[2]) is tuple else [body[2].digest]
        for value in hidden:
            assert value in two
            assert value not in one
        assert body[7] in one
    salts = [opening[2] for *_, kind, body, _ in records if kind == "reveal" for opening in body[0]]
    assert salts
    assert all(salt in two and salt not in one for salt in salts)


def odd_log() -> bytes:
    """A file with records that are nearly commands and revelations, deep values, and frames of
    other kinds."""
    act = (b"k" * 32, 1, b"h" * 32, b"s" * 64)
    opening = (1, (7, 0), b"s" * 16, "x")
    body: tuple[Any, ...] = (0, "a", ((), b""), b"i", act, (), (), b"", (opening,), (), (), b"")
    deep: Any = ()
    for _ in range(limits.NESTING_LEVELS_MAX - 6):
        deep = (deep,)
    told = [
        ("command", body),
        ("command", (*body[:4], (), *body[5:])),
        ("command", (*body[:8], (opening[:3],), *body[9:])),
        ("command", (*body[:8], opening, *body[9:])),
        ("command", body[:11]),
        ("command", (*body, 0)),
        ("command", {"a": 1}),
        ("command", (*body[:6], deep, *body[7:8], ((*opening[:3], deep),), *body[9:])),
        ("reveal", ((), True)),
        ("reveal", ((opening, (1, (), 40_000, "y")), 12)),
        ("reveal", ({}, True)),
        ("reveal", (1, (opening,))),
        ("open", (1, b"l" * 32)),
        ("open", (1, b"l" * 32, 1)),
        ("open", (1,)),
        ("other", (opening,)),
    ]
    frames = [
        wlog.Frame(wlog.FRAME_RECORD, canon.pack((0, 1, "server", "genesis", (3, "game"), b"")))
    ]
    for n, (kind, value) in enumerate(told, 1):
        frames.append(
            wlog.Frame(wlog.FRAME_RECORD, canon.pack((n, 1, "a", kind, value, b"p" * 32)))
        )
    frames += [wlog.Frame(kind, bytes(kind)) for kind in range(2, 7)]
    odd: tuple[bytes, ...] = (b"", b"\xc1", b"\xd9\x01a", canon.pack("text"), canon.pack((1, 2)))
    odd += (canon.pack((1, 1, "a", 7, body, b"")), canon.pack((1, 1, "a", (), body, b"")))
    frames += [wlog.Frame(wlog.FRAME_RECORD, one) for one in odd]
    return wlog.encode(frames, sealed=True)


def test_a_record_without_a_shape_stands_whole() -> None:
    """Whatever is nearly a command of a seat, or a revelation, comes back as it was."""
    data = odd_log()
    parts = twoparts.cut(data)
    assert together(parts, "game") == data
    assert parts[: first_of(parts)].count(b"s" * 16) < data.count(b"s" * 16)


def test_a_game_beyond_the_bounds_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of more bytes, or more frames, than a reader takes is not served in two parts."""
    data = SIGNED.read_bytes()
    parts = PARTS.read_bytes()
    frames = len(wlog.parse(data).frames) + 1
    for bytes_max, frames_max, good in (
        (len(parts), frames, True),
        (len(parts) - 1, frames, False),
        (len(parts), frames - 1, False),
    ):
        monkeypatch.setattr(twoparts, "PARTS_BYTES_MAX", bytes_max)
        monkeypatch.setattr(twoparts, "PARTS_FRAMES_MAX", frames_max)
        assert twoparts.cut(data) == (parts if good else b"")


def test_no_other_bytes_are_taken_for_the_parts() -> None:
    """Any bit changed, any byte cut off or added, and the part of another game are refused."""
    data, parts = SIGNED.read_bytes(), PARTS.read_bytes()
    other = twoparts.cut(odd_log())
    at, elsewhere = first_of(parts), first_of(other)
    wrong = [parts[:n] for n in range(0, len(parts), 7)]
    wrong += [parts + b"\0", parts[:at] + other[elsewhere:], other[:elsewhere] + parts[at:], other]
    for place in range(len(parts)):
        changed = bytes((parts[place] ^ 1 << place % 8,))
        wrong.append(parts[:place] + changed + parts[place + 1 :])
    for one in wrong:
        with pytest.raises(Unsound):
            together(one, "example")
    with pytest.raises(Unsound):
        together(parts, "another")
    assert together(parts, "example") == data


def test_the_last_record_is_named() -> None:
    """Part one begins with the game and the number and hash of its last record."""
    parts, records = PARTS.read_bytes(), wlog.parse(SIGNED.read_bytes()).records
    about = ("example", len(records) - 1, hash_of(records[-1]))
    assert parts[twoparts.LENGTH_BYTES :].startswith(canon.pack((*about, b""))[:-2])
