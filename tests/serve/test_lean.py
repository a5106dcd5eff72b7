"""Finished games as the page reads them: nothing is lost, whatever a record holds."""

from pathlib import Path

import pytest

from tests.leanlogs import jumping_log
from warledger.engine.serve import lean
from warledger.protocol import canon, wlog
from warledger.protocol.acts import blind_and_id
from warledger.protocol.records import hash_of

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "protocol" / "vectors"
SIGNED = VECTORS / "example.wlog"
FILES = [
    SIGNED,
    VECTORS / "example1.wlog",
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
    assert lean.unfold(lean.fold(records)) == records


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
        assert lean.unfold(folded) == records
        noise = folded[lean.HEADER + int.from_bytes(folded[lean.HEADER - 4 : lean.HEADER], "big") :]
        assert len(noise) == (16, 16 + 32, 16 + 32 + 48)[n - 1]


def test_times_and_numbers_are_told_by_what_came_before() -> None:
    """A record's number, its time, its signer's key and the number of their act take few bytes, and
    come back where a clock goes back, a number jumps, and the number has the byte c1 in it."""
    records = jumping_log()
    folded = lean.fold(records)
    assert lean.unfold(folded) == records
    outline = int.from_bytes(folded[lean.HEADER - 4 : lean.HEADER], "big")
    assert outline < len(records) * 58


def test_values_that_look_like_marks_come_back() -> None:
    """Bytes c1, hashes of records further back, values that occur twice, and records of other forms
    than a game's: all of it comes back."""
    odd = bytes((lean.ESCAPE,)) * 40
    records = [canon.pack((0, 1, "server", "genesis", (odd, odd.hex()), bytes(32)))]
    for n in range(1, 14):
        last = hash_of(records[-1])
        by = (odd[:32], n, hash_of(records[max(0, n - 9)]), odd + odd[:24])
        body = (n, "a", (("x", odd), odd[:32]), odd[:16], by, (), (), odd, (), (), (), last)
        records.append(canon.pack((n, 1, "a", "command", body, last)))
    records.append(canon.pack((14, 1, "a", "command", (1, 2), odd[:32])))
    assert lean.unfold(lean.fold(records)) == records


def test_what_is_cut_or_changed_is_not_mistaken() -> None:
    """A shortened file, a longer one, one with an unknown mark and one with another last byte raise
    NotLean."""
    folded = lean.fold(records_of(SIGNED))
    at = folded.index(bytes((lean.ESCAPE, 1)))
    for wrong in (
        folded[:-1],
        folded + b"x",
        folded[:8],
        b"x" + folded,
        folded[: at + 1] + b"\x13" + folded[at + 2 :],
        folded[:-1] + bytes((folded[-1] ^ 1,)),
    ):
        with pytest.raises(lean.NotLean):
            lean.unfold(wrong)
