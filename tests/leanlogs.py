"""Records in which everything that `engine/serve/lean.py` leaves out is there, and jumps."""

from warledger.protocol import canon
from warledger.protocol.acts import blind_and_id
from warledger.protocol.records import hash_of

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
