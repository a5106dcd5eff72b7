"""One game at run time: a mailbox, a task that empties it, and the log that others follow.

Rules of this file:
- One record is under way at a time. Propose, make durable, commit, publish, answer: in this order, nothing is heard of before it is safe.
- A bug in the rules (any exception out of a proposal) refuses that request as a fault; nothing has changed. A committed record that
  does not fold quarantines the game: its log stays readable, nothing is added to it. A failed store drops the batch.
- The task lives while there is work; `passivate` lets the state go, never the cursors.
- Logs name game, seq and principal, and where a bug stands; never picks, openings or a bug's own words, which may quote them.
"""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol

import trio
from attrs import define, field, frozen
from outcome import Value

from engine.kernel.audience import PUBLIC
from engine.kernel.door import Command
from engine.kernel.ledger import Batch
from engine.kernel.position import ENDED, Position
from engine.kernel.types import Rules
from engine.runtime import live as live_games
from engine.runtime import standing
from engine.runtime.ambient import Ambient
from engine.runtime.answers import Answer, Done, Failed, Refusal, Signer, failed
from engine.runtime.fanout import Channel
from engine.runtime.live import Live
from engine.runtime.metrics import Metrics
from engine.runtime.profile import Profile, Progress
from engine.runtime.titles import Title
from engine.store.port import (
    FRAME_HEAD,
    FRAME_META,
    FRAME_OPENINGS,
    FRAME_RECORD,
    Frame,
    Store,
    StoreClosed,
    StoreError,
    StoreFailed,
)
from protocol import canon
from protocol.acts import refusal_bytes, rotate_bytes
from protocol.chain import Head
from protocol.records import CorruptLog, Record
from protocol.seal import pack_openings
from protocol.secrets import BadSecrets

JOBS_MAX: Final = 64
"""Requests that may wait for one game; more are told that it is busy."""
JOBS_OF_A_SEAT_MAX: Final = 24
"""Those of one seat among them, so that no player fills the game's mailbox for the others."""
STANDING_IN_A_ROW_MAX: Final = 256
"""Standing answers given one after the other before others are heard again."""


@frozen
class Meta:
    """A proposal's result that adds bookkeeping, or a witness, to the game's file, and no record."""

    payload: bytes
    kind: int = FRAME_META


Proposal = Callable[[Live], Batch[Any] | Done | Failed | Refusal | Meta]


class Starter(Protocol):
    """Starts a task that lives as long as the server."""

    def __call__(self, function: Callable[[], Awaitable[object]], /) -> None: ...


@frozen
class Services:
    """What every game needs of its surroundings."""

    store: Store
    titles: Mapping[str, Title]
    ambient: Ambient
    signer: Signer
    metrics: Metrics
    start: Starter
    log: Any


@define(eq=False)
class Job:
    """A request, of a `seat` where it is one's. `prepare` may fetch what `propose` needs; `done` is called once, from the game's task, and
    must not wait."""

    propose: Proposal
    done: Callable[[Answer], None]
    prepare: Callable[[Live], Awaitable[None]] | None = None
    principal: str = ""
    seat: str = ""


@define(eq=False)
class Game:
    """One game. `profile` is always known; `live` only while it is being played."""

    services: Services
    profile: Profile
    live: Live | None = None
    quarantine: str = ""
    channels: dict[tuple[str, bool], Channel] = field(factory=dict)
    shown: Progress = field(init=False)
    used_at: float = 0.0
    _jobs: deque[Job] = field(factory=deque)
    _running: bool = False
    _sleeper: trio.lowlevel.Task | None = None
    _waiting_for_load: list[trio.Event] = field(factory=list)
    _unseen: deque[Record] = field(factory=deque)
    _log: Any = None

    def __attrs_post_init__(self) -> None:
        self._log = self.services.log.bind(game=self.profile.game)
        self.used_at = trio.current_time()
        self.shown = self.profile.progress
        if self.profile.recent:
            recent, self.profile.recent = self.profile.recent, ()
            for record in recent:
                self.profile.progress = self.profile.progress.advance(record)
            self._show_later(recent)

    @property
    def id(self) -> str:
        """The game's id."""
        return self.profile.game

    @property
    def rules(self) -> Rules[Any] | None:
        """The rules, or None when this server has no such title."""
        title = self.services.titles.get(self.profile.genesis.title)
        return None if title is None else title.rules

    @property
    def is_idle(self) -> bool:
        """Whether nobody follows it and nothing is under way: the whole object may be let go."""
        return not self._running and not self._jobs and not self._unseen and not any(channel.cursors for channel in self.channels.values())

    @property
    def is_busy(self) -> bool:
        """Whether a request waits or is being carried out."""
        return self._running and (bool(self._jobs) or self._sleeper is None)

    # --- asking -------------------------------------------------------------------------------------------------------------

    def post(self, job: Job) -> None:
        """Put a request in the mailbox; it is answered through `job.done`, at once when it cannot be taken."""
        if self.quarantine:
            job.done(failed("error.quarantined", game=self.id))
        elif len(self._jobs) >= JOBS_MAX or (job.seat and self._waiting_of(job.seat) >= JOBS_OF_A_SEAT_MAX):
            job.done(failed("error.busy", game=self.id))
        else:
            self._jobs.append(job)
            self._wake()

    def _waiting_of(self, seat: str) -> int:
        if len(self._jobs) < JOBS_OF_A_SEAT_MAX:
            return 0
        return sum(job.seat == seat for job in self._jobs)

    async def ask(
        self, propose: Proposal, prepare: Callable[[Live], Awaitable[None]] | None = None, principal: str = "", seat: str = ""
    ) -> Answer:
        """The same, waiting for the answer."""
        answered = trio.Event()
        answers: list[Answer] = []

        def done(answer: Answer) -> None:
            answers.append(answer)
            answered.set()

        self.post(Job(propose, done, prepare, principal, seat))
        await answered.wait()
        return answers[0]

    async def position(self) -> Position[Any] | Failed:
        """The position now, loading the game if need be."""
        self.used_at = trio.current_time()
        while self.live is None:
            if self.quarantine:
                return failed("error.quarantined", game=self.id)
            loaded = trio.Event()
            self._waiting_for_load.append(loaded)
            self._wake()
            await loaded.wait()
        return self.live.position

    def head(self, audience_is_public: bool = False) -> Head:
        """The signed head: of the log's end, or of what spectators may see."""
        progress = self.shown if audience_is_public else self.profile.progress
        return self.head_of(progress.seq, progress.hash)

    def head_of(self, seq: int, hash: bytes) -> Head:
        """The signed head of a record, under the key that signs for this game now."""
        signer = self.services.signer
        own = signer.of(self.profile.server_key)
        return signer.head(self.id, seq, hash) if own is None else own.sign(self.id, seq, hash)

    def refusal_signature(self, act: bytes, seq: int, hash: bytes) -> bytes:
        """The server's word that an act (by its hash) does not stand in the log up to record `seq`, and never will."""
        signer = self.services.signer
        own = signer.of(self.profile.server_key)
        return (signer if own is None else own).signature(refusal_bytes(act, seq, hash))

    def passivate(self) -> None:
        """Let the state go as soon as nothing is under way."""
        if self._sleeper is not None:
            self._wake_sleeper(passivate=True)

    # --- following ----------------------------------------------------------------------------------------------------------

    def channel(self, audience: str, *, as_late_as_public: bool = False) -> Channel:
        """The channel of an audience. Spectators of a delayed game are kept behind; so is who sees a seat's view `as_late_as_public`."""
        late = self.profile.delay_s > 0 and (as_late_as_public or audience == PUBLIC)
        found = self.channels.get((audience, late))
        if found is None:
            progress = self.shown if late else self.profile.progress
            services = self.services
            found = Channel(self.id, audience, progress.seq + 1, services.store, services.ambient.blocking, services.metrics)
            self.channels[audience, late] = found
        return found

    def _publish(self, batch: Batch[Any]) -> None:
        for (_, late), channel in self.channels.items():
            if not late:
                channel.publish(batch.records, batch.openings)
        if self.profile.delay_s > 0:
            self._show_later(batch.records)
        else:
            self.shown = self.profile.progress

    def _show_later(self, unseen: tuple[Record, ...]) -> None:
        idle = not self._unseen
        self._unseen.extend(unseen)
        if idle and self._unseen:
            self.services.start(self._show_when_due)

    async def _show_when_due(self) -> None:
        delay_ms = self.profile.delay_s * 1000
        while self._unseen:
            wait_ms = self._unseen[0].at_ms + delay_ms - self.services.ambient.now_ms()
            if wait_ms > 0:
                await trio.sleep(wait_ms / 1000)
                continue
            due: list[Record] = []
            now_ms = self.services.ambient.now_ms()
            while self._unseen and self._unseen[0].at_ms + delay_ms <= now_ms:
                record = self._unseen.popleft()
                due.append(record)
                self.shown = self.shown.advance(record)
            for (audience, late), channel in self.channels.items():
                if late and audience == PUBLIC:
                    channel.publish(due, [()] * len(due))
                elif late:
                    channel.reveal(self.shown.seq + 1)

    # --- the task -----------------------------------------------------------------------------------------------------------

    def _wake(self) -> None:
        self.used_at = trio.current_time()
        if not self._running:
            self._running = True
            self.services.start(self._run)
        elif self._sleeper is not None:
            self._wake_sleeper(passivate=False)

    def _wake_sleeper(self, *, passivate: bool) -> None:
        sleeper, self._sleeper = self._sleeper, None
        if sleeper is not None:
            trio.lowlevel.reschedule(sleeper, Value(passivate))

    def _abort_sleep(self, _: Any) -> trio.lowlevel.Abort:
        self._sleeper = None
        return trio.lowlevel.Abort.SUCCEEDED

    async def _run(self) -> None:
        try:
            await self._load()
            # What was due when the server stopped is given now: whoever left it does not come to see that it was not.
            await self._answer_for_seats()
            while not self.quarantine:
                while self._jobs:
                    await self._serve(self._jobs.popleft())
                if self.live is None:
                    return
                self._sleeper = trio.lowlevel.current_task()
                if await trio.lowlevel.wait_task_rescheduled(self._abort_sleep) and not self._jobs:
                    self.services.metrics.passivations += 1
                    return
        except Exception as error:
            # A bug of ours: this game's state is dropped and read again when it is next needed; the others go on.
            self.services.metrics.faults += 1
            self._log.error("fault", seq=self.profile.progress.seq, where=_place(error))
        finally:
            self.live = None
            self._running = False
            while self._jobs:
                self._jobs.popleft().done(failed("error.quarantined", game=self.id) if self.quarantine else failed("error.stopping"))
            self._tell_loaded()

    async def _load(self) -> None:
        services = self.services
        rules = self.rules
        if rules is None:
            self._put_in_quarantine(f"this server has no title {self.profile.genesis.title!r}")
            return
        services.metrics.loads += 1
        profile = self.profile
        try:
            self.live = await services.ambient.blocking(lambda: live_games.load(rules, profile.keys, services.store.read(profile.game)))
        except (CorruptLog, BadSecrets, canon.NotCanonical, StoreError) as error:
            self._put_in_quarantine(_what(error))
        except Exception as error:
            self._put_in_quarantine(f"it does not fold: {_place(error)}")
        if self.live is not None:
            await self._go_over_to_new_key(self.live)
        self._tell_loaded()

    async def _go_over_to_new_key(self, live: Live) -> None:
        """The server has another key than this game was signed with: the old one signs that, in the log (format 2). A game of format 1
        stays with the old one."""
        signer, old = self.services.signer, self.profile.server_key
        if old == signer.public or not live.ledger.signed or live.position.stage == ENDED:
            return
        own = signer.of(old)
        if own is None:
            self._put_in_quarantine("the key that signed it is not here: put server.key (and server.key.older) back from a backup")
            return
        signature = own.signature(rotate_bytes(live.ledger.genesis.hash, old, signer.public))
        now_ms = self.services.ambient.now_ms

        def propose(live: Live) -> Batch[Any] | Refusal:
            return live.ledger.propose_rotation(signer.public, signature, now_ms())

        answer = await self._carry_out(live, Job(propose, _ignore, principal="server"))
        if not isinstance(answer, Done):
            self._log.error("the game's key could not be changed", answer=type(answer).__name__)

    def _tell_loaded(self) -> None:
        waiting, self._waiting_for_load = self._waiting_for_load, []
        for event in waiting:
            event.set()

    def _put_in_quarantine(self, what: str) -> None:
        self.quarantine = what
        self.services.metrics.quarantined += 1
        self._log.error("game quarantined", what=what, seq=self.profile.progress.seq)

    async def _serve(self, job: Job) -> None:
        live = self.live
        if live is None:
            job.done(failed("error.not_saved", why=self.services.store.health().reason))
            return
        try:
            answer = await self._carry_out(live, job)
        except BaseException:
            job.done(failed("error.fault", game=self.id))
            raise
        job.done(answer)
        if (self.profile.orders or live.position.standing) and isinstance(answer, Done) and not answer.again:
            await self._answer_for_seats()

    async def _carry_out(self, live: Live, job: Job) -> Answer:
        services = self.services
        metrics = services.metrics
        try:
            if job.prepare is not None:
                await job.prepare(live)
            proposed = job.propose(live)
        except Exception as error:
            metrics.faults += 1
            self._log.error("fault", principal=job.principal, seq=live.position.seq, where=_place(error))
            return failed("error.fault", game=self.id)
        if isinstance(proposed, Meta):
            return await self._keep(proposed.payload, proposed.kind)
        if not isinstance(proposed, Batch):
            return proposed
        last = proposed.last
        profile = self.profile
        own = services.signer.of(proposed.position.server_key)
        head = (services.signer.head if own is None else own.sign)(profile.game, last.seq, last.hash)
        frames: list[Frame] = []
        for record, openings in zip(proposed.records, proposed.openings, strict=True):
            frames.append(Frame(FRAME_RECORD, record.data))
            if openings:
                frames.append(Frame(FRAME_OPENINGS, pack_openings(openings)))
        frames.append(Frame(FRAME_HEAD, canon.pack(head.as_array())))
        try:
            await services.store.append(profile.game, profile.count, frames)
        except (StoreError, ValueError) as error:
            return self._not_appended(error)
        live.commit(proposed)
        made = proposed.records
        metrics.commits += 1
        metrics.records += len(made)
        for record in made:
            profile.advance(record)
        self._publish(proposed)
        self._log.debug("committed", seq=last.seq, principal=job.principal)
        if live.position.stage == ENDED:
            self._log.info("game ended", seq=last.seq)
        elif profile.orders and standing.turn_began(made):
            for seat, orders in standing.after_turn(profile.orders).items():
                await self._keep(standing.payload(seat, orders))
        return Done(made[0].seq, head)

    def _not_appended(self, error: StoreError | ValueError) -> Failed:
        """The answer to give when the store did not make frames durable."""
        if isinstance(error, StoreClosed):
            return failed("error.stopping")
        if isinstance(error, StoreFailed):
            self.services.metrics.commits_failed += 1
            self._log.error("not saved", outcome=error.outcome, why=error.reason, seq=self.profile.progress.seq)
            return failed("error.not_saved" if error.outcome == "not saved" else "error.unknown_outcome", why=error.reason)
        if isinstance(error, StoreError):
            self.services.metrics.commits_failed += 1
            self._put_in_quarantine(_what(error))
            return failed("error.quarantined", game=self.id)
        # More than the store takes in one piece: the rules made a monster of a record.
        self.services.metrics.faults += 1
        self._log.error("fault", seq=self.profile.progress.seq, where=_place(error))
        return failed("error.fault", game=self.id)

    async def _keep(self, payload: bytes, kind: int = FRAME_META) -> Answer:
        """Add bookkeeping (or a witness) to the game's file, and take it into account once durable."""
        try:
            await self.services.store.append(self.id, self.profile.count, [Frame(kind, payload)])
        except (StoreError, ValueError) as error:
            return self._not_appended(error)
        if kind == FRAME_META:
            self.profile.note(payload)
        else:
            self.profile.witness(payload)
        return Done(self.profile.progress.seq, self.head())

    async def _answer_for_seats(self) -> None:
        """Give the standing answers that are due."""
        for _ in range(STANDING_IN_A_ROW_MAX):
            live = self.live
            if live is None or self.quarantine:
                return
            if live.ledger.signed:
                if not await self._answer_signed(live):
                    return
                continue
            found = standing.due(live, self.profile.orders)
            if found is None:
                return
            seat, order = found
            command = Command(seat, live.position.opened(seat) or 0, order[1])
            answer = await self._carry_out(live, Job(partial(_submit, command, self.services.ambient), _ignore, principal=seat))
            if isinstance(answer, Done):
                self.services.metrics.standing_answers += 1
            elif isinstance(answer, Failed) and answer.code != "fault":
                return
            else:
                await self._keep(standing.payload(seat, tuple(other for other in self.profile.orders[seat] if other is not order)))
            await self._hear_another(live)

    async def _answer_signed(self, live: Live) -> bool:
        """Give one standing answer that the log holds. False when there is none, or it cannot be written now."""
        found = standing.due_signed(live)
        if found is None:
            return False
        seat, seq, place, picks = found
        command = Command(seat, live.position.opened(seat) or 0, picks, by=(seq,))
        answer = await self._carry_out(live, Job(partial(_submit, command, self.services.ambient), _ignore, principal=seat))
        if isinstance(answer, Done):
            self.services.metrics.standing_answers += 1
        elif isinstance(answer, Failed) and answer.code != "fault":
            return False
        else:
            live.passed_over.add((seq, place, command.decision))
        await self._hear_another(live)
        return True

    async def _hear_another(self, live: Live) -> None:
        """Others are heard between two standing answers."""
        if self._jobs:
            job = self._jobs.popleft()
            job.done(await self._carry_out(live, job))


def _submit(command: Command, ambient: Ambient, live: Live) -> Batch[Any] | Refusal:
    return live.ledger.propose_command(command, ambient.now_ms())


def _ignore(_: Answer) -> None:
    return None


def _what(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _place(error: BaseException) -> str:
    """Where a bug stands: type, file and line of the innermost calls. Its words stay out, they may quote what nobody should read."""
    calls = traceback.extract_tb(error.__traceback__)[-3:]
    places = (f"{call.filename.rpartition('/engine/')[2]}:{call.lineno}" for call in reversed(calls))
    return f"{type(error).__name__} at {' < '.join(places)}"
