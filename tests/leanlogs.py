"""Records in which everything that `engine/serve/lean.py` leaves out is there, and jumps."""

from typing import Any

from warledger.protocol import canon
from warledger.protocol.acts import blind_and_id
from warledger.protocol.records import hash_of
from warledger.protocol.seal import Opening, salt_of, seal

_BEGUN_MS = 2**40
_KEYS = [bytes((n,)) * 32 for n in (1, 2)]


def jumping_log() -> list[bytes]:
    """450 records of commands by two keys: of every third the blind was not drawn as clients draw
    it, once the clock goes back, once the acts' numbers jump far and once they go back."""
    records = [canon.pack((0, _BEGUN_MS, "server", "genesis", (), bytes(32)))]
    for n in range(1, 450):
        last = hash_of(records[-1])
        at = _BEGUN_MS + n * 250 - (10**6 if n == 200 else 0)
        act = n // 2 + (1000 if 300 < n < 400 else 0)
        blind, id = blind_and_id(n.to_bytes(16, "big"))
        if n % 3 == 0:
            blind = blind[::-1]
        by = (_KEYS[n % 2], act, last, n.to_bytes(64, "big"))
        body = (n - 1, "a", (("x", n), blind), id, by, (), (), b"", (), (), (n,), b"")
        records.append(canon.pack((n, at, "a", "command", body, last)))
    return records


SALT_KEY = bytes(range(32))


def sealing_log(salt_key: bytes = SALT_KEY) -> list[bytes]:
    """30 commands with sealed picks, draws, events and effects, and the records that open them: the
    salts are those of `SALT_KEY`, whatever key the end names. Every fifth is opened on the way."""
    genesis = (3, "game", "title", "", "", (), (), canon.pack({}))
    records = [canon.pack((0, _BEGUN_MS, "server", "genesis", genesis, bytes(32)))]
    openings: list[Opening] = []

    def sealed(seq: int, path: tuple[int, ...], value: Any) -> canon.Seal:
        opening = Opening(seq, path, salt_of(SALT_KEY, seq, path), value)
        openings.append(opening)
        return seal("game", opening)

    def add(kind: str, body: Any) -> None:
        n = len(records)
        records.append(canon.pack((n, _BEGUN_MS + n, "a", kind, body, hash_of(records[-1]))))

    for n in range(1, 31):
        blind, id = blind_and_id(n.to_bytes(16, "big"))
        way = ("hex", "hex.1", f"hex.{n}")
        picks = sealed(n, (2,), (("x", n), blind if n % 2 else blind[::-1]))
        draws = ((0, n, "cup", sealed(n, (5, 0, 3), n)), (0, n, "die", (1, 2)))
        events = (("moved", way), sealed(n, (6, 1), ("hidden", *way)))
        veil = sealed(n, (7, 1, 1), (("flip", "a", "down"),))
        effects = canon.pack((("move", "a", way), ("veil", veil)))
        opened = [openings.pop(-4).as_array()] if n % 5 == 0 else []
        by = (_KEYS[0], n, hash_of(records[-1]), n.to_bytes(64, "big"))
        body = (n, "a", picks, id, by, draws, events, effects, tuple(opened), (), (n,), b"d" * 32)
        add("command", body)
    add("end", ("a", "won", (), (), bytes(32), salt_key, "1", (), "rules"))
    add("reveal", (tuple(one.as_array() for one in openings[:70]), False))
    add("reveal", (tuple(one.as_array() for one in openings[70:]), True))
    return records
