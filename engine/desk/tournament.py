"""One tournament at run time: its ledger in a store.

One act is in progress at a time: propose, make durable, commit, answer. A Swiss round is paired in
a thread, with a matcher in a process of its own, so that nothing else waits for it; if that process
is killed or takes too long, nothing has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import trio

from warledger.engine.desk.matching import MatchingFailed, MatchingProcess
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.answers import Answer, Done, Failed, Signer, failed
from warledger.engine.store.port import (
    FRAME_HEAD,
    FRAME_OPENINGS,
    FRAME_RECORD,
    FRAME_SECRETS,
    Frame,
    Store,
    StoreClosed,
    StoreFailed,
    UnknownGame,
)
from warledger.engine.tournaments.charter import SWISS, Charter
from warledger.engine.tournaments.ledger import Again, Batch, Ledger, Submission, found
from warledger.engine.tournaments.position import Position, TitleOf
from warledger.protocol import canon, chain, records, wlog
from warledger.protocol import tournaments as forms
from warledger.protocol.chain import Head
from warledger.protocol.choices import Choices, Picks, Refusal, say
from warledger.protocol.records import CorruptLog, Record
from warledger.protocol.seal import Opening, pack_openings, unpack_openings
from warledger.protocol.secrets import Keys

WAITING_MAX: Final = 1_024
"""How many acts may wait: a thousand entrants check in within a second."""


class TournamentUnreadable(Exception):
    """The stored tournament cannot be read; the message says where."""


class Tournament:
    """A tournament that is kept in a store."""

    def __init__(self, store: Store, ambient: Ambient, signer: Signer, ledger: Ledger) -> None:
        self.ledger = ledger
        self._store, self._ambient, self._signer = store, ambient, signer
        self._turn = trio.Lock()
        self._waiting = 0

    @property
    def id(self) -> str:
        """The tournament's id."""
        return self.ledger.tournament

    @property
    def at(self) -> Position:
        """Where it stands."""
        return self.ledger.position

    @property
    def head(self) -> Head:
        """The signed head of its newest record."""
        return self._sign(self.ledger.last)

    def choices(self, who: str, picks: Picks = ()) -> Choices | Refusal:
        """What somebody may do next, pick by pick, or why not."""
        return self.ledger.choices(who, picks)

    async def submit(
        self, who: str, picks: Picks, act_id: bytes = b"", seen: bytes = b""
    ) -> Answer:
        """Carry an act out. The answer comes once it is durable; the same id of the same actor is
        one act, however often it is sent."""
        if self._waiting >= WAITING_MAX:
            return failed("error.busy", game=self.id)
        self._waiting += 1
        try:
            async with self._turn:
                return await self._submit(Submission(who, picks, act_id, seen))
        finally:
            self._waiting -= 1

    async def _submit(self, submission: Submission) -> Answer:
        try:
            answer = await self._proposed(submission)
        except MatchingFailed as error:
            return Failed("fault", say("error.tournament_matching", what=str(error)))
        if isinstance(answer, Refusal):
            return answer
        if isinstance(answer, Again):
            return Done(answer.seq, self.head, again=True)
        frames: list[Frame] = []
        for record, openings in zip(answer.records, answer.openings, strict=True):
            frames.append(Frame(FRAME_RECORD, record.data))
            if openings:
                frames.append(Frame(FRAME_OPENINGS, pack_openings(openings)))
        head = self._sign(answer.records[-1])
        frames.append(Frame(FRAME_HEAD, canon.pack(head.as_array())))
        try:
            await self._store.append(self.id, self.ledger.last.seq + 1, frames)
        except StoreClosed:
            return failed("error.stopping")
        except StoreFailed as error:
            kind = "not_saved" if error.outcome == "not saved" else "unknown_outcome"
            return failed(f"error.{kind}", why=error.reason)
        self.ledger.commit(answer)
        return Done(answer.records[0].seq, head)

    async def _proposed(self, submission: Submission) -> Batch | Again | Refusal:
        now = self._ambient.now_ms()
        swiss = self.at.rules.system in SWISS
        if not swiss or submission.picks[:1] != ("pair",):
            return self.ledger.propose(submission, now)

        def paired() -> Batch | Again | Refusal:
            with MatchingProcess() as matcher:
                return self.ledger.propose(submission, now, matcher)

        return await self._ambient.blocking(paired)

    def _sign(self, record: Record) -> Head:
        own = self._signer.of(self.at.founding.server_key)
        sign: Callable[[str, int, bytes], Head]
        sign = self._signer.head if own is None else own.sign
        return sign(self.id, record.seq, record.hash)

    async def export(self, *, arbiter: bool = False) -> bytes:
        """The tournament as one sealed file: what everybody has, or with all openings and the
        server's secrets for an arbiter."""
        frames = await self._ambient.blocking(lambda: self._store.read(self.id))
        kept, head = [], None
        for frame in frames:
            if frame.kind == FRAME_HEAD:
                head = frame
            elif frame.kind == FRAME_RECORD or (
                arbiter and frame.kind in (FRAME_OPENINGS, FRAME_SECRETS)
            ):
                kept.append(frame)
        if head is not None:
            kept.append(head)
        return wlog.encode(kept, sealed=True, format=forms.FORMAT)


async def begin(
    store: Store,
    ambient: Ambient,
    signer: Signer,
    charter: Charter,
    id: str,
    title_of: TitleOf,
    digest: bytes,
) -> Tournament:
    """A new tournament. Raises GameExists, StoreFailed, StoreClosed; ValueError for an id that
    cannot be a file's name."""
    keys = Keys(ambient.random_bytes(32), ambient.random_bytes(32), ambient.random_bytes(32))
    make = partial(found, id, charter, keys, signer.public, digest, ambient.now_ms())
    first = await ambient.blocking(make)
    ledger = Ledger(first, keys, title_of)
    made = Tournament(store, ambient, signer, ledger)
    frames = [
        Frame(FRAME_RECORD, first.data),
        Frame(FRAME_SECRETS, keys.as_payload()),
        Frame(FRAME_HEAD, canon.pack(made.head.as_array())),
    ]
    await store.create(id, frames)
    return made


async def load(
    store: Store, ambient: Ambient, signer: Signer, id: str, title_of: TitleOf
) -> Tournament:
    """A tournament that the store has. Raises UnknownGame, and TournamentUnreadable for one that
    cannot be read."""

    def read() -> Ledger:
        payloads: list[bytes] = []
        openings: dict[int, tuple[Opening, ...]] = {}
        keys: Keys | None = None
        for frame in store.read(id):
            if frame.kind == FRAME_RECORD:
                payloads.append(frame.payload)
            elif frame.kind == FRAME_OPENINGS:
                openings[len(payloads) - 1] = unpack_openings(frame.payload)
            elif frame.kind == FRAME_SECRETS:
                keys = Keys.from_payload(frame.payload)
        log = list(chain.follow(payloads, kinds=forms.KINDS))
        if not log or keys is None:
            raise CorruptLog(0, "records", "the tournament's secrets are missing")
        ledger = Ledger(log[0], keys, title_of)
        ledger.load(log[1:], openings)
        return ledger

    try:
        ledger = await ambient.blocking(read)
    except UnknownGame:
        raise
    except (CorruptLog, ValueError) as error:
        raise TournamentUnreadable(f"tournament {id!r} cannot be read: {error}") from error
    return Tournament(store, ambient, signer, ledger)


def is_tournament(store: Store, id: str) -> bool:
    """Whether a stored log is a tournament's."""
    frames = store.read(id, records_max=1)
    payload = next((frame.payload for frame in frames if frame.kind == FRAME_RECORD), b"")
    try:
        records.read(payload, kinds=(forms.CHARTER,))
    except CorruptLog:
        return False
    return True


__all__ = [
    "WAITING_MAX",
    "Tournament",
    "TournamentUnreadable",
    "begin",
    "is_tournament",
    "load",
]
