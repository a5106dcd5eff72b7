"""Whether one signature for a whole batch of heads would pay: each head signed, as the server does
it, beside one signature of the root of a Merkle tree over the batch's heads.

    python -m ops.bench.heads [--batches 1,4,20,64] [--rounds 400] [--json]

Told are processor microseconds for each head, of whoever signs and of a client that checks one. A
receipt's further bytes are told too: beside root and signature it needs the hashes that lead from
its head to the root. The floor is the hash of a head's bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Callable

from nacl.signing import SigningKey

from ops.bench.figures import show
from warledger.protocol.log.chain import HeadSigner, signed_bytes
from warledger.protocol.seats import acts

LEAF, INNER, ROOT_TAG = b"\x00", b"\x01", b"warledger/heads/0"
"""Leaves and inner nodes are hashed differently, or one could be shown for the other."""

Heads = list[tuple[str, int, bytes]]


def tree(heads: Heads) -> tuple[bytes, list[list[bytes]]]:
    """The root over some heads, and for each the hashes beside its way to the root, from below.
    Where a row has an odd number of nodes the last one goes up as it is."""
    row = [hashlib.sha256(LEAF + signed_bytes(*head)).digest() for head in heads]
    paths: list[list[bytes]] = [[] for _ in heads]
    width = 1
    while len(row) > 1:
        for leaf, path in enumerate(paths):
            beside = leaf // width ^ 1
            if beside < len(row):
                path.append(row[beside])
        row = [
            hashlib.sha256(INNER + row[at] + row[at + 1]).digest() if at + 1 < len(row) else row[at]
            for at in range(0, len(row), 2)
        ]
        width *= 2
    return row[0], paths


def leads(head: tuple[str, int, bytes], leaf: int, count: int, path: list[bytes]) -> bytes:
    """The root to which a head's path leads, from its place among `count` heads."""
    found = hashlib.sha256(LEAF + signed_bytes(*head)).digest()
    rest = iter(path)
    while count > 1:
        if leaf ^ 1 < count:
            beside = next(rest)
            pair = beside + found if leaf & 1 else found + beside
            found = hashlib.sha256(INNER + pair).digest()
        leaf, count = leaf // 2, (count + 1) // 2
    return found


def least_us(work: Callable[[], object], rounds: int) -> float:
    """Processor microseconds of the quickest of `rounds`."""
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time_ns()
        work()
        best = min(best, time.process_time_ns() - began)
    return best / 1000


def measured(count: int, rounds: int) -> dict[str, float]:
    """The figures of a batch of `count` heads."""
    key = SigningKey(bytes(32))
    signer = HeadSigner(key)
    heads: Heads = [
        (f"game{at}", at, hashlib.sha256(at.to_bytes(4, "big")).digest()) for at in range(count)
    ]
    root, paths = tree(heads)
    signature = signer.signature(ROOT_TAG + root)
    one = signer.sign(*heads[0])
    for at, path in enumerate(paths):
        assert leads(heads[at], at, count, path) == root

    def sign_root() -> None:
        found, _ = tree(heads)
        signer.signature(ROOT_TAG + found)

    def check_root() -> None:
        found = leads(heads[0], 0, count, paths[0])
        assert acts.verify(signer.public, ROOT_TAG + found, signature)

    each = least_us(lambda: [signer.sign(*head) for head in heads], rounds) / count
    batch = least_us(sign_root, rounds) / count
    return {
        "signing each, us a head": each,
        "signing the root, us a head": batch,
        "saved, us a head": each - batch,
        "checking a head, us": least_us(
            lambda: acts.verify(signer.public, signed_bytes(*heads[0]), one.signature), rounds
        ),
        "checking by its root, us": least_us(check_root, rounds),
        "bytes more a receipt": float(32 * max(map(len, paths))),
        "floor: one hash, us": least_us(
            lambda: hashlib.sha256(signed_bytes(*heads[0])).digest(), rounds
        ),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", default="1,4,20,64", help="heads in a batch, by commas")
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = {
        f"{count} heads": measured(count, given.rounds)
        for count in map(int, given.batches.split(","))
    }
    show(figures, machine=given.json)


if __name__ == "__main__":
    main()
