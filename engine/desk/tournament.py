"""One tournament at run time: its ledger in a store.

Acts wait in a queue. Whoever comes first takes all that wait, in their order, makes them durable
together, commits and answers. Nobody hears of an act before it is safe. A Swiss round is paired in
a thread, with a matcher in a process of its own, so that nothing else waits for it. If that process
is killed or takes too long, nothing has changed.
"""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import trio
from attrs import define, field

from warledger.engine.desk.matching import MatchingFailed, MatchingProcess
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.game.answers import Answer, Done, Failed, failed
from warledger.engine.store.port import (
    FRAME_HEAD,
    FRAME_META,
    FRAME_OPENINGS,
    FRAME_RECORD,
    FRAME_SECRETS,
    Frame,
    Store,
    StoreClosed,
    StoreFailed,
    UnknownGame,
)
from warledger.engine.tournaments.charter import Charter
from warledger.engine.tournaments.systems import needs_matcher
from warledger.engine.tournaments.tournamentledger import Again, Batch, Ledger, Submission, found
from warledger.engine.tournaments.tournamentposition import Position, TitleOf, settled
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Choices, Picks, Refusal, say
from warledger.protocol.chance.seal import Opening, pack_openings, unpack_openings
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.log import chain, records, wlog
from warledger.protocol.log.chain import Head, Signer
from warledger.protocol.log.records import CorruptLog, OtherFormat, Record
from warledger.protocol.texts.typed import refused_in_picks

WAITING_MAX: Final = 1_024
"""How many acts may wait: a thousand entrants check in within a second."""


class TournamentUnreadable(Exception):
    """The stored tournament cannot be read; the message says where."""


TOGETHER_MAX: Final = 128
"""How many acts are made durable together."""


@define(eq=False)
class _Waiting:
    """An act that waits, and its answer once there is one, or what broke while it was looked at,
    which concerns no other act."""

    submission: Submission
    answer: Answer | None = None
    fault: Exception | None = None
    answered: trio.Event = field(factory=trio.Event)

    def done(self, answer: Answer) -> None:
        """It is answered."""
        if self.answer is None:
            self.answer = answer
            self.answered.set()


Committed = tuple[Record, tuple[Opening, ...], Position]
"""A record that is durable, its private openings, and the position after it."""


class Tournament:
    """A tournament that is kept in a store. `metas` are the payloads of its bookkeeping. `recent`
    are its newest records as far as `load` was asked for them. `committed` is called with what has
    become durable."""

    def __init__(
        self,
        store: Store,
        ambient: Ambient,
        signer: Signer,
        ledger: Ledger,
        metas: Sequence[bytes] = (),
        recent: Sequence[Committed] = (),
    ) -> None:
        self.ledger = ledger
        self.founded_ms = ledger.founded_ms
        self.metas = tuple(metas)
        self.recent = tuple(recent)
        self.committed: Callable[[Sequence[Committed]], None] = _nobody
        self._store, self._ambient, self._signer = store, ambient, signer
        self._turn = trio.Lock()
        self._waiting: deque[_Waiting] = deque()

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
        return self.head_of(self.ledger.last.seq, self.ledger.last.hash)

    def choices(self, who: str, picks: Picks = ()) -> Choices | Refusal:
        """What somebody may do next, pick by pick, or why not."""
        return self.ledger.choices(who, picks)

    async def submit(
        self, who: str, picks: Picks, act_id: bytes = b"", seen: bytes = b""
    ) -> Answer:
        """Carry an act out. The answer comes once it is durable; the same id of the same actor is
        one act, however often it is sent."""
        unreadable = refused_in_picks(picks)
        if unreadable is not None:
            return unreadable
        if len(self._waiting) >= WAITING_MAX:
            return failed("error.busy", game=self.id)
        mine = _Waiting(Submission(who, picks, act_id, seen))
        self._waiting.append(mine)
        async with self._turn:
            # Whoever had the turn before may have carried it out with their own.
            if mine.answer is None:
                with trio.CancelScope(shield=True):
                    while mine.answer is None:
                        await self._carry_out()
        if mine.fault is not None:
            raise mine.fault
        assert mine.answer is not None
        return mine.answer

    async def keep(self, payload: bytes) -> Failed | None:
        """Add bookkeeping to its file; why not, if that cannot be."""
        refused: Failed | None = None
        async with self._turn:
            with trio.CancelScope(shield=True):
                refused = await self._append([Frame(FRAME_META, payload)])
                if refused is None:
                    self.metas += (payload,)
        return refused

    def _take(self) -> list[_Waiting]:
        """Those whose turn it is: a pairing by itself, since it takes long; else as many as wait
        before the next one."""
        taken: list[_Waiting] = []
        while self._waiting and len(taken) < TOGETHER_MAX:
            if self._pairs(self._waiting[0].submission):
                return taken or [self._waiting.popleft()]
            taken.append(self._waiting.popleft())
        return taken

    def _pairs(self, submission: Submission) -> bool:
        return submission.picks[:1] == ("pair",) and needs_matcher(self.at)

    async def _carry_out(self) -> None:
        """Carry out those whose turn it is. Nothing has changed before all of it is durable."""
        taken = self._take()
        draft = self.ledger.copy() if len(taken) > 1 else self.ledger
        written: list[tuple[_Waiting, Batch]] = []
        try:
            for one in taken:
                if draft is not self.ledger:
                    await trio.lowlevel.checkpoint()  # others first: many acts are one long run
                try:
                    proposed = await self._proposed(draft, one.submission)
                except Exception as error:
                    one.fault = error
                    one.done(failed("error.fault", game=self.id))
                    continue
                if isinstance(proposed, Batch):
                    written.append((one, proposed))
                    if draft is not self.ledger:
                        draft.commit(proposed)
                elif isinstance(proposed, Again):
                    # What it repeats may be durable only with this very batch.
                    if any(proposed.seq == made.seq for _, made in written):
                        self._waiting.append(one)
                    else:
                        one.done(Done(proposed.seq, self.head, again=True))
                else:
                    one.done(proposed)
            if written:
                await self._write(draft, written)
        finally:
            for one in taken:
                if one.answer is None and one not in self._waiting:
                    one.done(failed("error.fault", game=self.id))

    async def _write(self, draft: Ledger, written: list[tuple[_Waiting, Batch]]) -> None:
        frames: list[Frame] = []
        told: list[Committed] = []
        for _, batch in written:
            for record, openings in zip(batch.records, batch.openings, strict=True):
                frames.append(Frame(FRAME_RECORD, record.data))
                if openings:
                    frames.append(Frame(FRAME_OPENINGS, pack_openings(openings)))
                told.append((record, openings, batch.position))
        last = written[-1][1].records[-1]
        head = self.head_of(last.seq, last.hash)
        frames.append(Frame(FRAME_HEAD, canon.pack(head.as_array())))
        refused = await self._append(frames)
        if refused is not None:
            for one, _ in written:
                one.done(refused)
            return
        if draft is self.ledger:
            draft.commit(written[0][1])
        self.ledger = draft
        for one, batch in written:
            one.done(Done(batch.seq, head))
        self.committed(told)

    async def _append(self, frames: Sequence[Frame]) -> Failed | None:
        try:
            await self._store.append(self.id, self.ledger.last.seq + 1, frames)
        except StoreClosed:
            return failed("error.stopping")
        except StoreFailed as error:
            kind = "not_saved" if error.outcome == "not saved" else "unknown_outcome"
            return failed(f"error.{kind}", why=error.reason)
        return None

    async def _proposed(
        self, ledger: Ledger, submission: Submission
    ) -> Batch | Again | Refusal | Failed:
        now = self._ambient.now_ms()
        if not self._pairs(submission):
            return ledger.propose(submission, now)

        def paired() -> Batch | Again | Refusal:
            with MatchingProcess() as matcher:
                return ledger.propose(submission, now, matcher)

        try:
            return await self._ambient.blocking(paired)
        except MatchingFailed as error:
            return Failed("fault", say("error.tournament_matching", what=str(error)))

    def head_of(self, seq: int, hash: bytes, game: str = "") -> Head:
        """The head of a record, of the tournament itself or of a game of it, signed with the key
        that the charter's record names."""
        own = self._signer.of(self.at.founding.server_key)
        sign: Callable[[str, int, bytes], Head]
        sign = self._signer.head if own is None else own.sign
        return sign(game or self.id, seq, hash)

    async def export(self, *, arbiter: bool = False, records_max: int | None = None) -> bytes:
        """The tournament as one sealed file: what everybody has, or with all openings and the
        server's secrets for an arbiter; with the first `records_max` records alone."""
        frames = await self._ambient.blocking(lambda: self._store.read(self.id, 0, records_max))
        kept: list[Frame] = []
        head: Frame | None = None
        last: bytes = b""
        for frame in frames:
            if frame.kind == FRAME_RECORD:
                last = frame.payload
            if frame.kind == FRAME_HEAD:
                head = frame
            elif frame.kind == FRAME_RECORD or (
                arbiter and frame.kind in (FRAME_OPENINGS, FRAME_SECRETS)
            ):
                kept.append(frame)
        if records_max is not None:
            # The head that stands in the store may be that of a later record.
            record = records.read(last, kinds=forms.KINDS)
            signed = self.head_of(record.seq, record.hash)
            head = Frame(FRAME_HEAD, canon.pack(signed.as_array()))
        if head is not None:
            kept.append(head)
        return wlog.encode(kept, sealed=True)


_SETTLED: Final = ("unpaired", "published")


def drafted(draft: int | None, record: Record) -> int | None:
    """The first record of a pairing that is not published, after this record; None if there is
    none. `draft` is what it was before."""
    if record.kind != forms.ACT:
        return draft
    for event in forms.Act.from_record(record).events:
        if event[0] == "paired":
            draft = record.seq if draft is None else draft
        elif event[0] in _SETTLED:
            draft = None
    return draft


def _draft_of(log: Sequence[Record]) -> int | None:
    """The draft of a whole log, of which only the end is read: a round that was published, or
    withdrawn, ends what came before it."""
    since = len(log)
    while since and not _settles(log[since - 1]):
        since -= 1
    draft: int | None = None
    for record in log[since:]:
        draft = drafted(draft, record)
    return draft


def _settles(record: Record) -> bool:
    return record.kind == forms.ACT and any(
        event[0] in _SETTLED for event in forms.Act.from_record(record).events
    )


def _nobody(told: Sequence[Committed]) -> None:
    """Nobody follows."""


async def begin(
    store: Store,
    ambient: Ambient,
    signer: Signer,
    charter: Charter,
    id: str,
    title_of: TitleOf,
    digest: bytes,
    metas: Sequence[bytes] = (),
) -> Tournament:
    """A new tournament, with bookkeeping. Raises GameExists, StoreFailed, StoreClosed; ValueError
    for an id that cannot be a file's name."""
    keys = Keys(ambient.random_bytes(32), ambient.random_bytes(32), ambient.random_bytes(32))
    charter = settled(charter, title_of)
    make = partial(found, id, charter, keys, signer.public, digest, ambient.now_ms())
    first = await ambient.blocking(make)
    ledger = Ledger(first, keys, title_of)
    made = Tournament(store, ambient, signer, ledger, metas)
    frames = [
        Frame(FRAME_RECORD, first.data),
        Frame(FRAME_SECRETS, keys.as_payload()),
        *(Frame(FRAME_META, payload) for payload in metas),
        Frame(FRAME_HEAD, canon.pack(made.head.as_array())),
    ]
    await store.create(id, frames)
    return made


async def load(
    store: Store, ambient: Ambient, signer: Signer, id: str, title_of: TitleOf
) -> Tournament:
    """A tournament that the store has, with its `recent` records: those that spectators may not
    see yet, because of the delay or because a pairing is not published. Raises UnknownGame, and
    TournamentUnreadable for one that cannot be read."""
    now_ms = ambient.now_ms()

    def read() -> tuple[Ledger, list[bytes], list[Committed]]:
        payloads: list[bytes] = []
        metas: list[bytes] = []
        openings: dict[int, tuple[Opening, ...]] = {}
        keys: Keys | None = None
        for frame in store.read(id):
            if frame.kind == FRAME_RECORD:
                payloads.append(frame.payload)
            elif frame.kind == FRAME_OPENINGS:
                openings[len(payloads) - 1] = unpack_openings(frame.payload)
            elif frame.kind == FRAME_SECRETS:
                keys = Keys.from_payload(frame.payload)
            elif frame.kind == FRAME_META:
                metas.append(frame.payload)
        log = list(chain.follow(payloads, kinds=forms.KINDS))
        if not log or keys is None:
            raise CorruptLog(0, "records", "the tournament's secrets are missing")
        ledger = Ledger(log[0], keys, title_of)
        delay_ms = 1000 * ledger.position.charter.spectators.delay_s
        seen = sum(record.at_ms + delay_ms <= now_ms for record in log[1:]) + 1
        draft = _draft_of(log)
        seen = seen if draft is None else min(seen, draft)
        ledger.load(log[1:seen], openings)
        recent: list[Committed] = []
        before = ledger.position
        for record in log[seen:]:
            ledger.load((record,), openings)
            recent.append((record, openings.get(record.seq, ()), ledger.position))
        if recent:
            recent.insert(0, (log[seen - 1], (), before))
        return ledger, metas, recent

    try:
        ledger, metas, recent = await ambient.blocking(read)
    except (UnknownGame, OtherFormat):
        raise
    except (CorruptLog, ValueError) as error:
        raise TournamentUnreadable(f"tournament {id!r} cannot be read: {error}") from error
    return Tournament(store, ambient, signer, ledger, metas, recent)


def is_tournament(store: Store, id: str) -> bool:
    """Whether a stored log is a tournament's."""
    frames = store.read(id, records_max=1)
    payload = next((frame.payload for frame in frames if frame.kind == FRAME_RECORD), b"")
    try:
        records.read(payload, kinds=(forms.CHARTER,))
    except CorruptLog:
        return False
    return True
