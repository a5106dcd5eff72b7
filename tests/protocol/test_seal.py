"""Where seals may stand: one function finds them all, and refuses each that stands elsewhere."""

from typing import Any

import pytest

from warledger.protocol import canon
from warledger.protocol.canon import Seal
from warledger.protocol.chance import seal
from warledger.protocol.chance.seal import BadOpening, Misplaced, Opening, Secret
from warledger.protocol.log import records

SEAL = Seal(b"\5" * 32)
OTHER = Seal(b"\6" * 32)


def command(**fields: Any) -> tuple[Any, ...]:
    """The body of a command that hides nothing but what is given."""
    body: list[Any] = [5, "a", (("pass",), b""), b"", (), (), (), canon.pack(()), (), (0, ()), ()]
    body.append(b"")
    for name, value in fields.items():
        body[getattr(records, name)] = value
    return tuple(body)


def record(kind: str, body: tuple[Any, ...]) -> records.Record:
    """A record of this body."""
    return records.make(9, 0, "server", kind, body, records.NO_HASH)


@pytest.mark.parametrize(
    ("kind", "body", "paths"),
    [
        ("command", command(PICKS=SEAL), [(2,)]),
        ("command", command(DRAWS=((1, 0, "x", (6, 1)), (0, 1, "x", SEAL))), [(5, 1, 3)]),
        ("command", command(EVENTS=(("e", SEAL, (1, (OTHER,))),)), [(6, 0, 1), (6, 0, 2, 1, 0)]),
        ("command", command(EFFECTS=canon.pack((("veil", SEAL),))), [(7, 0, 1)]),
        ("orders", ("a", SEAL, bytes(32), ()), [(1,)]),
        ("act", ("e:1", SEAL, b"", b"", (), (), canon.pack(()), ()), [(1,)]),
        ("command", command(EVENTS=(("e", canon.pack((SEAL,))),)), []),
    ],
)
def test_seals_are_found_where_they_may_stand(
    kind: str, body: tuple[Any, ...], paths: list[tuple[int, ...]]
) -> None:
    """In the order of their paths; bytes other than effects and the pack are not looked into."""
    assert [path for path, _ in seal.seals_of(record(kind, body))] == paths


@pytest.mark.parametrize(
    ("kind", "body", "path"),
    [
        ("command", command(PICKS=((SEAL,), b"")), (2, 0, 0)),
        ("command", command(DRAWS=((1, 0, "x", SEAL),)), (5, 0, 3)),
        ("command", command(DRAWS=((0, SEAL, "x", SEAL),)), (5, 0, 1)),
        ("command", command(EVENTS=(("e", {"x": SEAL}),)), (6, 0, 1)),
        ("command", command(EFFECTS=canon.pack((("put", {"x": {"y": SEAL}}),))), (7, 0, 1)),
        ("command", command(OPENED=((5, (2,), bytes(16), SEAL),)), (8, 0, 3)),
        ("command", command(FLOW=(0, (("turn", SEAL, 0),))), (9, 1, 0, 1)),
        ("orders", ("a", (SEAL,), bytes(32), ()), (1, 0)),
        ("takeback", ("a", 5, canon.pack((("await", SEAL),)), (), 0, ()), (2, 0, 1)),
        ("ruling", ("corrected", 1, (), (), canon.pack((("veil", SEAL),)), ()), (4, 0, 1)),
        ("ruling", ("claim", 1, "a", 5, "9", SEAL), (5,)),
        ("reveal", (((9, (6, 0, 2), bytes(16), (SEAL,)),), True), (0, 0, 3, 0)),
        ("genesis", (*range(7), canon.pack({"a": 1, "b": (SEAL,)})), (7,)),
        ("genesis", (*range(13), {"note": (SEAL,)}), (13,)),
        ("act", ("e:1", (SEAL,), b"", b"", (), (), canon.pack(()), ()), (1, 0)),
        ("act", ("e:1", (), b"", b"", (), (), canon.pack((("say", SEAL),)), ()), (6, 0, 1)),
    ],
)
def test_a_seal_anywhere_else_is_refused(
    kind: str, body: tuple[Any, ...], path: tuple[int, ...]
) -> None:
    """In a map, in an opened value, in the pack, in any other field or record."""
    with pytest.raises(Misplaced) as raised:
        seal.seals_of(record(kind, body))
    assert raised.value.path == path


def test_nothing_is_sealed_where_no_seal_may_stand() -> None:
    """The same function finds what a writer has to seal."""
    body, openings = seal.conceal("g", bytes(32), 9, "command", command(PICKS=Secret("x", ("a",))))
    assert type(body[records.PICKS]) is Seal
    assert [opening.path for opening in openings] == [(2,)]
    for wrong in (command(FLOW=(0, Secret("x"))), command(EVENTS=(("e", {"x": Secret("x")}),))):
        with pytest.raises(Misplaced):
            seal.conceal("g", bytes(32), 9, "command", wrong)


def test_what_is_sealed_holds_no_seal() -> None:
    """Nothing would ever open it: neither a writer nor a reader of private openings takes it."""
    with pytest.raises(canon.NotCanonical):
        seal.looked_through((Secret((1, {"x": SEAL})),))
    packed = seal.pack_openings([Opening(9, (2,), bytes(16), (SEAL,), ("a",))])
    with pytest.raises(BadOpening):
        seal.unpack_openings(packed)
