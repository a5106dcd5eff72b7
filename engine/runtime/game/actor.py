"""One game at run time: a mailbox, a task that empties it, and the log that others follow.

Rules of this file:
- One record is in progress at a time. Propose, make durable, commit, publish to the seats, answer,
  publish to spectators, in this order: nobody hears of a record before it is safe, and a player
  does not wait for those who look on.
- A bug in the rules (any exception out of a proposal) refuses that request as a fault; nothing has
  changed. A committed record that does not fold quarantines the game: its log stays readable,
  nothing is added to it. A failed store drops the batch.
- The task lives while there is work; `passivate` lets the state go, never the cursors.
- Logs name game, seq and principal, and where a bug stands; never picks, openings or a bug's own
  words, which may quote them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeVar

import trio
from attrs import define, field
from outcome import Value

from warledger.engine.archive.releasedledger import ReleasedRules
from warledger.engine.archive.wheels import BadWheel
from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.position import ENDED, PLAYING, Position
from warledger.engine.kernel.types import Rules
from warledger.engine.runtime.faults import note, place
from warledger.engine.runtime.game import live as live_games
from warledger.engine.runtime.game import standinganswers
from warledger.engine.runtime.game.answers import (
    Answer,
    Done,
    Failed,
    Refusal,
    failed,
)
from warledger.engine.runtime.game.due import due_now, next_look, nothing_due, was_away
from warledger.engine.runtime.game.jobs import (
    Job,
    Meta,
    Proposal,
    ignore,
    nothing,
    reveal,
    submit,
)
from warledger.engine.runtime.game.live import Live, SnapshotDue
from warledger.engine.runtime.snapshots import snapshotloads, snapshots
from warledger.engine.runtime.snapshots.snapshotloads import Source
from warledger.engine.runtime.snapshots.snapshots import code_of
from warledger.engine.runtime.watch.fanout import Followed
from warledger.engine.store.port import (
    FRAME_META,
    Fenced,
    Frame,
    StoreClosed,
    StoreError,
    StoreFailed,
)
from warledger.protocol import canon
from warledger.protocol.chance.secrets import BadSecrets
from warledger.protocol.log.records import SERVER, CorruptLog
from warledger.protocol.seats.acts import rotate_bytes

T = TypeVar("T")

JOBS_MAX: Final = 64
"""How many requests may wait for one game. Further ones are answered that the game is busy."""
JOBS_OF_A_SEAT_MAX: Final = 24
"""How many of them may come from one seat, so that no player fills the mailbox for the others."""
STANDING_IN_A_ROW_MAX: Final = 256
"""How many standing answers are given in a row before other requests are heard."""


@define(eq=False)
class Game(Followed):
    """One game. `live` is set only while the game is in memory."""

    live: Live | None = None
    used_at: float = 0.0
    _jobs: deque[Job] = field(factory=deque)
    _running: bool = False
    _sleeper: trio.lowlevel.Task | None = None
    _waiting_for_load: list[trio.Event] = field(factory=list)
    _coming: list[int] = field(factory=list)
    _came: trio.Event | None = None
    _due: SnapshotDue | None = None
    _keeping: bool = False
    _log: Any = None
    _archived: ReleasedRules | None = None

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
    def rules(self) -> Rules[Any] | None:
        """The rules, or None if this server does not have the title."""
        if self._archived is not None:
            return self._archived
        title = self.services.titles.get(self.profile.genesis.title)
        return None if title is None else title.rules

    @property
    def source(self) -> Source:
        """The game's log, with the snapshots beside it."""
        services = self.services
        title = services.titles.get(self.profile.genesis.title)
        if title is None or self._archived is not None:
            return Source(services.store, self.id)
        return Source(services.store, self.id, services.snapshots, code_of(title.digest))

    @property
    def is_idle(self) -> bool:
        """Whether nobody follows the game and nothing is in progress, so that the whole object may
        be dropped."""
        return (
            not self._running
            and not self._jobs
            and not self._showing
            and not any(channel.cursors for channel in self.channels.values())
        )

    @property
    def is_busy(self) -> bool:
        """Whether a request is waiting or being carried out."""
        return self._running and (bool(self._jobs) or self._sleeper is None)

    # --- asking -----------------------------------------------------------------------------------

    def post(self, job: Job) -> None:
        """Put a request in the mailbox. It is answered through `job.done`, at once if it cannot be
        accepted."""
        if self.shut is not None:
            job.done(self.shut)
        elif len(self._jobs) >= JOBS_MAX or (
            job.seat and self._waiting_of(job.seat) >= JOBS_OF_A_SEAT_MAX
        ):
            job.done(failed("error.busy", game=self.id))
        else:
            if not job.arrived_ms:
                job.arrived_ms = self.services.ambient.now_ms()
            self._jobs.append(job)
            self._wake()

    def expect(self) -> int:
        """A request has arrived and is being checked before it is posted: says when. Until `came`
        no flag falls that was due later."""
        arrived = self.services.ambient.now_ms()
        self._coming.append(arrived)
        return arrived

    def came(self, arrived: int) -> None:
        """The request that arrived then has been posted, or will not be."""
        self._coming.remove(arrived)
        if self._came is not None:
            self._came.set()

    @property
    def deadline_ms(self) -> int | None:
        """When a flag falls if nothing happens before, as far as is known. None if no clock of the
        game is running, or it has none."""
        if self.live is not None and self.live.position.clocks is not None:
            playing = self.live.position.stage == PLAYING
            return self.live.position.clocks.next_deadline if playing else None
        runs = self.profile.has_clocks and not self.profile.held_ms
        return self.services.calendar.next_of(self.id) if runs else None

    def look_at_clocks(self) -> None:
        """Let the flags fall that are due, and tell the calendar when to look again."""
        if not self.quarantine and self.services.store.health().ok:
            self.post(Job(nothing, ignore, principal=SERVER))

    def _waiting_of(self, seat: str) -> int:
        if len(self._jobs) < JOBS_OF_A_SEAT_MAX:
            return 0
        return sum(job.seat == seat for job in self._jobs)

    async def ask(
        self,
        propose: Proposal,
        prepare: Callable[[Live], Awaitable[None]] | None = None,
        principal: str = "",
        seat: str = "",
    ) -> Answer:
        """Put a proposal in the mailbox as `post` does, and wait for the answer."""
        answered = trio.Event()
        answers: list[Answer] = []

        def done(answer: Answer) -> None:
            answers.append(answer)
            answered.set()

        self.post(Job(propose, done, prepare, principal, seat))
        await answered.wait()
        return answers[0]

    async def position(self) -> Position[Any] | Failed:
        """The current position. Loads the game if necessary."""
        self.used_at = trio.current_time()
        while self.live is None:
            if self.shut is not None:
                return self.shut
            loaded = trio.Event()
            self._waiting_for_load.append(loaded)
            self._wake()
            await loaded.wait()
        return self.live.position

    def go_on(self) -> None:
        """Continue what nobody asks for, for instance after a restart: give the standing answers
        that are due, and open what was hidden in a game that has ended."""
        if not self._running and self.services.store.health().ok:
            self._wake()

    def passivate(self) -> None:
        """Drop the state as soon as nothing is in progress."""
        if self._sleeper is not None:
            self._wake_sleeper(passivate=True)

    # --- the task ---------------------------------------------------------------------------------

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
            # What fell due while the server was stopped is given now: who left it relies on it.
            await self._answer_for_seats()
            await self._open_the_rest()
            while self.shut is None:
                while self._jobs and not self.moved:
                    await self._serve(self._next())
                if self.live is None:
                    return
                self._sleeper = trio.lowlevel.current_task()
                if await trio.lowlevel.wait_task_rescheduled(self._abort_sleep) and not self._jobs:
                    self.services.metrics.passivations += 1
                    return
        except Exception as error:
            # A bug of ours. The state of this game is dropped, and loaded again when it is next
            # needed; the other games go on.
            self.services.metrics.faults += 1
            self._log.error("fault", seq=self.profile.progress.seq, where=place(error))
        finally:
            self.live = None
            self._running = False
            while self._jobs:
                self._tell(self._jobs.popleft(), self.shut or failed("error.stopping"))
            self._tell_loaded()

    async def _claimed(self) -> bool:
        """Whether the game is this server's to decide, or is now."""
        try:
            self.moved = not await self.services.store.claim(self.id)
        except StoreError as error:
            self._not_appended(error)
            self.moved = not self.quarantine
        if self.moved:
            self.services.let_go(self.id)
        return self.shut is None

    async def _load(self) -> None:
        services = self.services
        try:
            genesis = self.profile.genesis
            own = services.installed(genesis)
            rules = (
                own.rules
                if own is not None
                else await services.ambient.blocking(lambda: services.rules_of(genesis))
            )
        except BadWheel as error:
            self._put_in_quarantine(_what(error))
            self._tell_loaded()
            return
        self._archived = rules if isinstance(rules, ReleasedRules) else None
        if rules is None:
            self._put_in_quarantine(f"this server has no title {self.profile.genesis.title!r}")
            return
        services.metrics.loads += 1
        if not await self._claimed():
            self._tell_loaded()
            return
        profile, source = self.profile, self.source
        try:
            self.live = await services.ambient.blocking(
                lambda: snapshotloads.load(rules, source, profile.keys)
            )
        except (CorruptLog, BadSecrets, canon.NotCanonical, StoreError) as error:
            self._put_in_quarantine(_what(error))
        except Exception as error:
            self._put_in_quarantine(f"it does not fold: {place(error)}")
        if self.live is not None:
            self._begin_snapshots(self.live, source)
            if self.live.keeps_time:
                await self._keep_time(self.live, services.ambient.now_ms())
            await self._go_over_to_new_key(self.live)
            services.changed(self.id)
        self._tell_loaded()

    def _begin_snapshots(self, live: Live, source: Source) -> None:
        if source.beside is None:
            self._due = None
            return
        self._due = SnapshotDue(snapshots.EVERY, source.newest)
        if source.due:
            self._keep_snapshots(live, source, source.due, source.passed)

    def _snapshot(self, live: Live, written: Batch[Any]) -> None:
        """Keep a snapshot of the game if one is due after these records."""
        due = self._due
        if due is None or self._keeping or not any(due.is_due(one) for one in written.records):
            return
        due.last = written.last.seq
        at = (written.last.seq, written.last.hash, live.position)
        self._keep_snapshots(live, self.source, [at], 0)

    def _keep_snapshots(
        self,
        live: Live,
        source: Source,
        positions: list[tuple[int, bytes, Position[Any]]],
        passed: int,
    ) -> None:
        last = live.ledger.last
        # Which turns spectators have seen is found by reading all of the log.
        books = None
        if self.profile.turns is None:
            books = (last.seq, last.hash, snapshotloads.books_of(live, self.profile, passed))
        self._keeping = True

        async def keep() -> None:
            try:
                await self.services.ambient.blocking(
                    lambda: snapshotloads.keep(source, live.start, positions, books)
                )
            except Exception as error:
                self._log.error("no snapshot", where=place(error))
            finally:
                self._keeping = False

        self.services.start(keep)

    async def _go_over_to_new_key(self, live: Live) -> None:
        """The server has a newer key than the one this game was signed with. The old key signs the
        change, in the log."""
        signer, old = self.services.signer, self.profile.server_key
        if not signer.replaces(old) or live.position.stage == ENDED:
            return
        own = signer.of(old)
        if own is None:
            self._put_in_quarantine(
                "the key that signed it is not here: put server.key (and server.key.older; at a "
                "node, fleet.keys) back from a backup"
            )
            return
        signature = own.signature(rotate_bytes(live.ledger.genesis.hash, old, signer.public))
        now_ms = self.services.ambient.now_ms

        def propose(live: Live) -> Batch[Any] | Refusal:
            return live.ledger.propose_rotation(signer.public, signature, now_ms())

        answer = await self._carry_out(live, Job(propose, ignore, principal="server"))
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
        self.services.changed(self.id)

    def _next(self) -> Job:
        """The next request. In a game with clocks it is the one that arrived first, however long it
        was being checked."""
        if len(self._jobs) > 1 and self.live is not None and self.live.keeps_time:
            first = min(self._jobs, key=lambda job: job.arrived_ms)
            self._jobs.remove(first)
            return first
        return self._jobs.popleft()

    def _time_presses(self, live: Live, job: Job) -> bool:
        """Whether the moment of a request may require something to be written first, as it nearly
        never does."""
        if not live.keeps_time:
            return False
        now_ms, since_ms = job.arrived_ms, live.ledger.last.at_ms
        return not (nothing_due(live, now_ms) and self.services.calendar.is_awake(since_ms, now_ms))

    async def _keep_time(self, live: Live, now_ms: int) -> bool:
        """Write what the time requires at this moment before anything else: outages, flags that are
        due, and the end that was held. Returns False if a request that arrived before such a flag
        or end has not been heard yet."""
        calendar = self.services.calendar
        while live.position.stage == PLAYING:
            sure = await calendar.looked_up(now_ms)
            away = calendar.outages_since(live.ledger.last.at_ms)
            for start, end in away if live.position.clocks is not None else ():
                answer = await self._write(live, partial(was_away, start, end, now_ms))
                if isinstance(answer, Failed):
                    return True
            due = due_now(live, now_ms) if sure else None
            if due is None:
                break
            deadline, propose = due
            if any(arrived < deadline for arrived in self._coming):
                self._came = trio.Event()
                await self._came.wait()
                self._came = None
                continue
            if any(job.arrived_ms < deadline for job in self._jobs):
                return False
            if not isinstance(await self._write(live, propose), Done):
                break
        self._note_time(live, self.services.ambient.now_ms())
        return True

    async def _write(self, live: Live, propose: Proposal) -> Answer:
        """Write something that nobody has requested."""
        return await self._carry_out(live, Job(propose, ignore, principal=SERVER))

    def _note_time(self, live: Live, tried_ms: int | None = None) -> None:
        """Tell the calendar when this game wants to look at its clocks again."""
        self.services.calendar.note(self.profile.game, next_look(live, tried_ms))

    async def _serve(self, job: Job) -> None:
        live = self.live
        if live is None:
            job.done(failed("error.not_saved", why=self.services.store.health().reason))
            return
        if self._time_presses(live, job) and not await self._keep_time(live, job.arrived_ms):
            self._jobs.append(job)
            return
        answer = await self._carry_out(live, job)
        if job.propose is nothing and live.keeps_time:
            self._note_time(live, self.services.ambient.now_ms())
            if live.position.standing:
                await self._answer_for_seats()
        if live.position.standing and isinstance(answer, Done) and not answer.again:
            await self._answer_for_seats()
        if live.position.stage == ENDED:
            await self._open_the_rest()

    async def _carry_out(self, live: Live, job: Job) -> Answer:
        """Carry a request out, and answer it."""
        try:
            answer, written = await self._decide(live, job)
        except BaseException:
            self._tell(job, failed("error.fault", game=self.id))
            raise
        else:
            self._tell(job, answer)
        if written is not None:
            if live.keeps_time:
                self._note_time(live)
            self._publish_to_spectators(written)
            self._snapshot(live, written)
            if live.position.stage == ENDED and live.position.whole:
                self._log.info("game ended", seq=written.last.seq)
        return answer

    def _tell(self, job: Job, answer: Answer) -> None:
        """Answer a request. What goes wrong there concerns whoever asked, not the game."""
        try:
            job.done(answer)
        except Exception as error:
            note(self.services.metrics, self._log, error, "answering", principal=job.principal)

    async def _decide(self, live: Live, job: Job) -> tuple[Answer, Batch[Any] | None]:
        """The answer to a request, and the records that were written for it."""
        services = self.services
        metrics = services.metrics
        try:
            if job.prepare is not None:
                fetching = job.prepare(live)
                if fetching is not None:
                    await fetching
            proposed = await self._thought(live, partial(job.propose, live))
        except Exception as error:
            metrics.faults += 1
            self._log.error(
                "fault", principal=job.principal, seq=live.position.seq, where=place(error)
            )
            return failed("error.fault", game=self.id), None
        if isinstance(proposed, Meta):
            return await self._keep(proposed.payload, proposed.kind), None
        if not isinstance(proposed, Batch):
            return proposed, None
        last = proposed.last
        profile = self.profile
        own = services.signer.of(proposed.position.server_key)
        head = (services.signer.head if own is None else own.sign)(
            profile.game, last.seq, last.hash
        )
        frames = live_games.frames_of(proposed, head)
        try:
            await services.store.append(profile.game, profile.count, frames)
        except (StoreError, ValueError) as error:
            return self._not_appended(error), None
        live.commit(proposed)
        made = proposed.records
        metrics.commits += 1
        metrics.records += len(made)
        for record in made:
            profile.advance(record)
        self._publish_to_seats(proposed)
        self._log.debug("committed", seq=last.seq, principal=job.principal)
        return Done(made[0].seq, head), proposed

    async def _thought(self, live: Live, call: Callable[[], T]) -> T:
        """What a call makes that may ask the rules: here, or in a thread where another process is
        asked. Nothing else is done in this game meanwhile."""
        return await self.services.ambient.blocking(call) if live.ledger.is_elsewhere else call()

    def _not_appended(self, error: StoreError | ValueError) -> Failed:
        """The answer when the store could not make frames durable."""
        if isinstance(error, StoreClosed):
            return failed("error.stopping")
        if isinstance(error, Fenced):
            self.moved = True
            self.services.let_go(self.id)
            return failed("error.busy", game=self.id)
        if isinstance(error, StoreFailed):
            self.services.metrics.commits_failed += 1
            self._log.error(
                "not saved", outcome=error.outcome, why=error.reason, seq=self.profile.progress.seq
            )
            return failed(
                "error.not_saved" if error.outcome == "not saved" else "error.unknown_outcome",
                why=error.reason,
            )
        if isinstance(error, StoreError):
            self.services.metrics.commits_failed += 1
            self._put_in_quarantine(_what(error))
            return failed("error.quarantined", game=self.id)
        # A record larger than the store accepts: a bug in the title's rules.
        self.services.metrics.faults += 1
        self._log.error("fault", seq=self.profile.progress.seq, where=place(error))
        return failed("error.fault", game=self.id)

    async def _keep(self, payload: bytes, kind: int = FRAME_META) -> Answer:
        """Add bookkeeping (or a witness) to the game's file, and apply it to the profile once it is
        durable."""
        try:
            await self.services.store.append(self.id, self.profile.count, [Frame(kind, payload)])
        except (StoreError, ValueError) as error:
            return self._not_appended(error)
        if kind == FRAME_META:
            self.profile.note(payload)
        else:
            self.profile.witness(payload)
            self.tell_public()
        return Done(self.profile.progress.seq, self.head())

    async def _open_the_rest(self) -> None:
        """Make public whatever is still hidden once a game has ended, one record at a time. The
        openings are read from the store. If a record cannot be written now, it is tried again when
        the game is next tended."""
        live = self.live
        if (
            live is None
            or live.position.stage != ENDED
            or live.position.whole
            or self.shut is not None
        ):
            return
        services = self.services
        try:
            found = await services.ambient.blocking(
                lambda: live_games.left_to_open(services.store.read(self.id))
            )
        except (CorruptLog, canon.NotCanonical, StoreError) as error:
            self._log.error("cannot be opened", what=_what(error))
            return
        for portion, last in found:
            job = Job(partial(reveal, portion, last, services.ambient), ignore, principal=SERVER)
            if not isinstance(await self._carry_out(live, job), Done):
                return
            await self._hear_another(live)

    async def _answer_for_seats(self) -> None:
        """Give the standing answers that are due."""
        for _ in range(STANDING_IN_A_ROW_MAX):
            live = self.live
            if live is None or self.shut is not None or not await self._answer_one(live):
                return

    async def _answer_one(self, live: Live) -> bool:
        """Give one standing answer. Returns False if there is none, or it cannot be written now."""
        found = await self._thought(live, partial(standinganswers.due, live))
        if found is None:
            return False
        seat, by, picks = found
        if not standinganswers.may_play(live, seat, self.services.ambient.now_ms()):
            return False  # it is kept until the seat may
        command = Submission(seat, live.position.opened(seat) or 0, picks, by=by.as_array())
        answer = await self._carry_out(
            live, Job(partial(submit, command, self.services.ambient), ignore, principal=seat)
        )
        if isinstance(answer, Done):
            self.services.metrics.standing_answers += 1
        elif isinstance(answer, Failed) and answer.code != "fault":
            return False
        else:
            live.passed_over[seat] = by.orders, command.decision
        await self._hear_another(live)
        return True

    async def _hear_another(self, live: Live) -> None:
        """Let other requests in between two standing answers."""
        if self._jobs:
            job = self._next()
            if self._time_presses(live, job) and not await self._keep_time(live, job.arrived_ms):
                self._jobs.append(job)
                return
            await self._carry_out(live, job)


def _what(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
