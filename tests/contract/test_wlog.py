"""The game file's format: what is written is read back, and no byte can change unnoticed."""

from __future__ import annotations

import hashlib
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warledger.protocol.limits import PAYLOAD_BYTES_MAX
from warledger.protocol.log import wlog
from warledger.protocol.log.wlog import CorruptFile, Frame, TornTail, encode, encode_frame, parse

FRAMES = [
    Frame(wlog.FRAME_RECORD, b"genesis" * 9),
    Frame(wlog.FRAME_SECRETS, b"\0" * 40),
    Frame(wlog.FRAME_RECORD, b""),
    Frame(wlog.FRAME_OPENINGS, bytes(range(100))),
    Frame(wlog.FRAME_HEAD, b"h" * 64),
]


@given(
    st.lists(
        st.builds(Frame, st.sampled_from([1, 2, 3, 4, 5, 6]), st.binary(max_size=300)), max_size=12
    ),
    st.booleans(),
)
def test_frames_come_back_as_written(frames: list[Frame], sealed: bool) -> None:
    """Any frames behind a record, sealed or not, are read back in order and whole."""
    frames = [FRAMES[0], *frames]
    read = parse(encode(frames, sealed=sealed), sealed=sealed)

    assert read.frames == tuple(frames)
    assert read.sealed == sealed
    assert read.torn_at is None


def test_known_bytes() -> None:
    """The layout is fixed: these are the bytes an implementation in another language must
    produce."""
    data = encode([Frame(wlog.FRAME_RECORD, b"abc")], sealed=True)

    assert data.hex() == (
        "89574c4f470d0a03"  # magic, format 3
        "00000003"
        "01"
        "505b5a0c"
        "616263"  # length, kind, CRC-32, payload
        "00000024"
        "09"
        "62b41e02"  # the end frame: 36 bytes
        "00000001"
        # one frame, SHA-256 of all before
        "f1a83c6d63fa77452248eea225a0cae32d7afe5f1b1ce42e58e1e2f84b96f257"
    )
    assert data[-32:] == hashlib.sha256(data[:20]).digest()
    assert hashlib.sha256(data[:20]).digest() == data[-32:]
    assert zlib.crc32(data[8:13] + b"abc") == int.from_bytes(data[13:17], "big")


def test_every_flipped_byte_of_a_sealed_file_is_found() -> None:
    """Whichever byte of a sealed file is changed, to whatever, reading it fails."""
    data = encode(FRAMES, sealed=True)
    for at in range(len(data)):
        for change in (1, 0x80, 0xFF):
            with pytest.raises(CorruptFile):
                parse(data[:at] + bytes([data[at] ^ change]) + data[at + 1 :], sealed=True)


def test_every_removed_or_inserted_byte_of_a_sealed_file_is_found() -> None:
    """A byte taken out anywhere, or put in anywhere, the end included, makes reading fail."""
    data = encode(FRAMES, sealed=True)
    for at in range(len(data) + 1):
        if at < len(data):
            with pytest.raises(CorruptFile):
                parse(data[:at] + data[at + 1 :], sealed=True)
        for byte in (0, 1, 0xFF):
            with pytest.raises(CorruptFile):
                parse(data[:at] + bytes([byte]) + data[at:], sealed=True)


def test_frames_swapped_with_a_fresh_seal_missing_are_found() -> None:
    """Two frames exchanged leave each sound; the seal over the whole finds it."""
    data = encode(FRAMES, sealed=True)
    first, second = (
        encode_frame(FRAMES[1].kind, FRAMES[1].payload),
        encode_frame(FRAMES[2].kind, FRAMES[2].payload),
    )
    swapped = data.replace(first + second, second + first)

    assert swapped != data
    with pytest.raises(CorruptFile, match="SHA-256"):
        parse(swapped, sealed=True)


@pytest.mark.parametrize("kind", [2, 3, 4, 5, 6])
def test_no_frame_stands_before_the_first_record(kind: int) -> None:
    """Whatever it holds, sealed or not."""
    for sealed in (True, False):
        with pytest.raises(CorruptFile, match="at byte 8: a frame stands before"):
            parse(encode([Frame(kind, b"x"), *FRAMES], sealed=sealed))


def test_every_cut_of_an_open_file_is_a_torn_tail() -> None:
    """An unsealed file cut anywhere gives the frames before the cut and says where the tear
    begins."""
    data = encode(FRAMES, sealed=False)
    ends = [len(wlog.MAGIC)]
    for frame in FRAMES:
        ends.append(ends[-1] + len(encode_frame(frame.kind, frame.payload)))
    for cut in range(len(data)):
        read = parse(data[:cut])
        whole = sum(end <= cut for end in ends) - 1
        assert read.frames == tuple(FRAMES[: max(whole, 0)])
        if cut == ends[max(whole, 0)]:
            assert read.torn_at is None
        else:
            assert read.torn_at == (ends[whole] if whole >= 0 else 0)


def test_every_flipped_byte_of_an_open_file_is_found() -> None:
    """Without a seal too: damage before the last frame is an error with its place, damage in the
    last one reads as torn."""
    data = encode(FRAMES, sealed=False)
    last = len(data) - len(encode_frame(FRAMES[-1].kind, FRAMES[-1].payload))
    starts = [offset for offset, _, _ in wlog.walk(data, len(wlog.MAGIC))]
    for at in range(len(data)):
        flipped = data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]
        if at >= last:
            assert parse(flipped).torn_at == last
            continue
        with pytest.raises(CorruptFile) as caught:
            parse(flipped)
        if at >= len(wlog.MAGIC):
            assert caught.value.offset == max(start for start in starts if start <= at)


def test_a_newer_format_is_named() -> None:
    """A later version byte is told apart from something that is no game file at all."""
    data = encode(FRAMES, sealed=True)

    with pytest.raises(CorruptFile, match="format 4"):
        parse(data[:7] + b"\x04" + data[8:], sealed=True)
    with pytest.raises(CorruptFile, match="not a game file"):
        parse(b"PK\x03\x04" + data, sealed=True)
    with pytest.raises(CorruptFile):
        parse(b"", sealed=True)


def test_what_a_file_may_not_hold_is_refused_when_written() -> None:
    """Unknown kinds, the end frame and oversized payloads are refused by the writer."""
    for kind in (0, 7, wlog.FRAME_END, 256, -1):
        with pytest.raises(ValueError, match="kind"):
            encode_frame(kind, b"")
    with pytest.raises(ValueError, match="bytes"):
        encode_frame(wlog.FRAME_RECORD, bytes(PAYLOAD_BYTES_MAX + 1))


def test_a_hostile_tail_costs_little() -> None:
    """A tail made of a million false frame heads is judged in bounded work, and never taken for a
    harmless tear."""
    head = (500_000).to_bytes(4, "big") + b"\x01" + b"\0\0\0\0"
    with pytest.raises(CorruptFile) as caught:
        parse(wlog.MAGIC + head * 120_000)

    assert not isinstance(caught.value, TornTail)


def test_random_bytes_never_pass() -> None:
    """Noise behind a sound header is a tear or damage, never frames."""
    seed = 20240501
    rng = random.Random(seed)
    for _ in range(300):
        noise = rng.randbytes(rng.randint(1, 400))
        try:
            read = parse(wlog.MAGIC + noise)
        except CorruptFile:
            continue
        assert (read.frames, read.torn_at) == ((), len(wlog.MAGIC)), f"seed {seed}"
