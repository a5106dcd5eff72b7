"""Finished games as the page reads them: nothing is lost, whatever a record holds."""

from pathlib import Path

import pytest

from tests.leanlogs import jumping_log, sealing_log
from tests.leanreading import NotLean, unfold
from warledger.engine.serve import lean
from warledger.protocol import canon, wlog
from warledger.protocol.acts import blind_and_id
from warledger.protocol.records import hash_of

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "protocol" / "vectors"
SIGNED = VECTORS / "example.wlog"
FILES = [
    SIGNED,
    *sorted((ROOT / "tests" / "fixtures").rglob("*.wlog")),
    *sorted((VECTORS / "logs").glob("*.wlog")),
]


def records_of(file: Path) -> list[bytes]:
    """The records of a file; of one that is damaged, none."""
    try:
        return [bytes(one) for one in wlog.parse(file.read_bytes()).records]
    except wlog.CorruptFile:
        return []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_byte_comes_back(file: Path) -> None:
    """The records of a file, folded and unfolded, are the same bytes, whatever its format."""
    records = records_of(file)
    assert unfold(lean.fold(records)) == records


def test_what_follows_is_left_out() -> None:
    """Of a signed game neither the hashes that each record names nor the digests of open picks are
    sent, and no byte of an id, a blind or a signature stands in the outline."""
    records = records_of(SIGNED)
    folded = lean.fold(records)
    outline = folded[lean.HEADER :][: int.from_bytes(folded[lean.HEADER - 4 : lean.HEADER], "big")]
    assert len(folded) <= sum(len(record) for record in records) - 32 * (len(records) - 1)
    commands = 0
    for record in records:
        _, _, _, kind, body, _ = canon.unpack(record)
        if kind != "command" or len(body[4]) != 4:
            continue
        commands += 1
        assert body[4][3] in folded
        assert body[4][3] not in outline
        assert body[3] not in outline
        if isinstance(body[2], tuple):
            assert body[2][1] not in outline
            assert body[11] not in folded
    assert commands > 3


def test_what_follows_from_a_drawn_blind_is_left_out() -> None:
    """Of a command whose blind and id were drawn as our clients draw them, half of the blind is
    sent and neither its rest nor the id; where one of them is another, all of both."""
    seed = bytes(range(16))
    blind, id = blind_and_id(seed)
    assert blind[:16] == seed
    records = [canon.pack((0, 1, "server", "genesis", (), bytes(32)))]
    for n, (drawn, named) in enumerate(((blind, id), (blind, id[::-1]), (blind[::-1], id)), 1):
        last = hash_of(records[-1])
        body = (n, "a", (("x",), drawn), named, (), (), (), b"", (), (), (), b"")
        records.append(canon.pack((n, 1, "a", "command", body, last)))
        folded = lean.fold(records)
        assert unfold(folded) == records
        noise = folded[lean.HEADER + int.from_bytes(folded[lean.HEADER - 4 : lean.HEADER], "big") :]
        assert len(noise) == (16, 16 + 32, 16 + 32 + 48)[n - 1]


def test_times_and_numbers_are_told_by_what_came_before() -> None:
    """A record's number, its time, its signer's key and the number of their act take few bytes, and
    come back where a clock goes back, a number jumps, and the number has the byte c1 in it."""
    records = jumping_log()
    folded = lean.fold(records)
    assert unfold(folded) == records
    outline = int.from_bytes(folded[lean.HEADER - 4 : lean.HEADER], "big")
    assert outline < len(records) * 43


def test_what_is_told_again_is_named_by_its_number() -> None:
    """A way that stands in a record's events, effects and sentence is written once, and a text that
    an earlier record has takes two bytes."""
    way = tuple(f"hex.{n}" for n in range(40))
    records = [canon.pack((0, 1, "server", "genesis", (way,), bytes(32)))]
    effects = canon.pack((("move", "piece", way), ("say", "moved", (("path", way),), "1.1")))
    records += [
        canon.pack((1, 1, "a", "other", (("moved", way), effects, way), hash_of(records[0])))
    ]
    folded = lean.fold(records)
    assert unfold(folded) == records
    assert len(folded) - len(lean.fold(records[:1])) < 2 * len(way) + 80


def test_what_the_last_records_open_is_left_out() -> None:
    """Of what was sealed and is opened after the end neither the salts nor the seals are sent, but
    for those in effects; if the salts are not those of the salt key, all of them."""
    records = sealing_log()
    folded = lean.fold(records)
    assert unfold(folded) == records
    *_, opened = (canon.unpack(record)[4][0] for record in records)
    assert opened and all(salt not in folded for _, _, salt, _ in opened)
    for record in records[1:31]:
        draws, (_, event), effects = canon.unpack(record)[4][5:8]
        ((_, _, _), (_, veil)) = canon.unpack(effects)
        assert veil.digest in folded
        assert draws[0][3].digest not in folded
        assert event.digest not in folded
    other = sealing_log(bytes(32))
    assert unfold(lean.fold(other)) == other
    assert len(lean.fold(other)) > len(folded) + 90 * (16 + 32)


def test_values_that_look_like_marks_come_back() -> None:
    """Bytes that begin marks, hashes of records further back, values that occur twice, packed
    values in packed values, wide arrays, maps, numbers of every width, and records of other forms
    than a game's: all of it comes back."""
    odd = bytes((lean.AGAIN, lean.HOLE)) * 20
    wide = tuple(range(-40, 70_000, 37))
    named = {"a": 2**40, "b": -(2**40), "c": (None, True, False, 1, "x" * 40, "x" * 300)}
    within = canon.pack((canon.pack((named, wide)), canon.pack(7), wide, (1,), (1,), (True,)))
    told = (odd, odd.hex(), wide, named, within, canon.Seal(odd[:32]), "\u6226", 2**31, -(2**31))
    records = [canon.pack((0, 1, "server", "genesis", told, bytes(32)))]
    for n in range(1, 14):
        last = hash_of(records[-1])
        by = (odd[:32], n, hash_of(records[max(0, n - 9)]), odd + odd[:24])
        picks = (("x", odd), odd[:32])
        body = (
            n,
            "a",
            picks,
            odd[:16],
            by,
            (picks, by),
            (),
            odd,
            (),
            ((), (1, 2), (1, 2)),
            (),
            last,
        )
        records.append(canon.pack((n, 1, "a", "command", body, last)))
    records.append(canon.pack((14, 1, "a", "command", (1, 2), odd[:32])))
    records.append(canon.pack((99, 1, "a", "command", (1, 2), odd[:32])))
    records.append(canon.pack("no record"))
    records.append(bytes((0xD9, 1, 0x61)))  # a text whose length takes a byte too many
    records += [
        canon.pack((18, 1, "a", "reveal", (), b"")),
        canon.pack((19, 1, "a", "end", (), "")),
    ]
    assert unfold(lean.fold(records)) == records


def test_more_texts_than_have_a_number_come_back() -> None:
    """Texts beyond those that can be told by their number are told each time."""
    names = tuple(f"name {n}" for n in range(lean.TEXTS_MOST + 9))
    records = [canon.pack((0, 1, "server", "genesis", names, bytes(32)))]
    records.append(canon.pack((1, 1, "a", "other", names[::-1], hash_of(records[0]))))
    assert unfold(lean.fold(records)) == records


def test_what_is_cut_or_changed_is_not_mistaken() -> None:
    """A shortened file, a longer one, one with an unknown mark and one with another last byte raise
    NotLean; so does one with any other byte of its outline."""
    folded = lean.fold(records_of(SIGNED))
    at = folded.index(bytes((lean.HOLE, 1)))
    for wrong in (
        folded[:-1],
        folded + b"x",
        folded[:8],
        b"x" + folded,
        folded[: at + 1] + b"\x15" + folded[at + 2 :],
        folded[:-1] + bytes((folded[-1] ^ 1,)),
        *(
            folded[:at] + bytes((folded[at] ^ 1 << at % 8,)) + folded[at + 1 :]
            for at in range(len(folded))
        ),
    ):
        with pytest.raises(NotLean):
            unfold(wrong)
