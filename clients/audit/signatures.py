"""Signatures are checked in batches while a file is being read: libsodium releases the interpreter
meanwhile, so every core has work."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from attrs import frozen

from warledger.protocol.board.choices import Say
from warledger.protocol.seats import acts

BATCH = 128
"""Signatures handed to a thread in one go."""

SWITCH_SECONDS = 0.0002
"""How long the reading keeps the interpreter, while threads wait for it between two signatures.
With Python's own 5 ms each of them would check two hundred a second."""


@frozen
class Claim:
    """The claim that a signature of a message was made with a key, and what to report for which
    record's field if it was not."""

    key: bytes
    message: bytes
    signature: bytes
    seq: int
    field: str
    wrong: Say


def _failed(claims: list[Claim]) -> list[Claim]:
    return [claim for claim in claims if not acts.verify(claim.key, claim.message, claim.signature)]


class Signatures:
    """Collects claims and finally returns those that are false, in the order of the records."""

    def __init__(self) -> None:
        self.count = 0
        self._batch: list[Claim] = []
        self._pool: ThreadPoolExecutor | None = None
        self._switch_s = 0.0
        self._running: list[Future[list[Claim]]] = []

    def add(self, claim: Claim) -> None:
        """One more signature to check."""
        self.count += 1
        self._batch.append(claim)
        if len(self._batch) >= BATCH:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(
                    os.cpu_count() or 1, thread_name_prefix="signatures"
                )
                self._switch_s = sys.getswitchinterval()
                sys.setswitchinterval(min(SWITCH_SECONDS, self._switch_s))
            self._running.append(self._pool.submit(_failed, self._batch))
            self._batch = []

    def failed(self) -> Iterator[Claim]:
        """The claims that are false. Ends the threads; called once, at the end."""
        last, self._batch = _failed(self._batch), []
        for batch in self._running:
            yield from batch.result()
        yield from last
        self.close()

    def close(self) -> None:
        """Let the threads go."""
        self._running.clear()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
            sys.setswitchinterval(self._switch_s)
