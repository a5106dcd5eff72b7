"""A tournament that a server hosts: who follows it and how far they see, who may act in it, and the
errands of its director.

Rules of this file:
- What tells a result is shown to spectators after the charter's delay, and whatever comes after it
  not before it: a stream has no gaps. Entries, pairings and times are told at once.
- A token is kept as its SHA-256, in the tournament's own file.
"""

from __future__ import annotations

import hmac
import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

import trio
from attrs import define, field

from warledger.engine.desk.director import Director, Hall
from warledger.engine.desk.tournament import Committed, Tournament
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.answers import Failed
from warledger.engine.runtime.fanout import Channel
from warledger.engine.runtime.faults import contained
from warledger.engine.runtime.jobs import Starter
from warledger.engine.runtime.metrics import Metrics
from warledger.engine.store.port import Store
from warledger.engine.tournaments.position import Position
from warledger.engine.tournaments.sides import unsettled
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.audience import PUBLIC
from warledger.protocol.chain import Head
from warledger.protocol.records import Record

LOOK_SECONDS: Final = 0.5
"""How often a round that is being played is looked at: games that end together are reported
together."""
AGAIN_SECONDS: Final = 60.0
"""After how long a tournament that met a bug of ours is tended again."""
PROMPT: Final = frozenset(
    (
        "entered",
        "checked",
        "nonce",
        "ordered",
        "granted",
        "grant_ended",
        "paired",
        "unpaired",
        "published",
        "bid",
        "called",
        "offered",
        "challenged",
        "volunteered",
        "panelled",
        "judged",
        "sides",
        "opened",
    )
)
"""Events that tell no result by themselves. All others wait for the delay."""


def token_meta(who: str, digest: bytes) -> bytes:
    """The META frame that keeps what is stored of somebody's token."""
    return canon.pack(("token", who, digest))


@define(eq=False)
class Hosted:
    """A tournament of a server. `shown` is how far spectators see, `digests` what is kept of
    tokens, by who acts with them; `entering` is whose turn it is to enter."""

    tournament: Tournament
    hall: Hall
    store: Store
    ambient: Ambient
    metrics: Metrics
    start: Starter
    log: Any
    digests: dict[str, bytes] = field(factory=dict)
    channels: dict[tuple[str, bool], Channel] = field(factory=dict)
    director: Director = field(init=False)
    shown: Position = field(init=False)
    shown_record: Record = field(init=False)
    entering: trio.Lock = field(factory=trio.Lock)
    _unseen: deque[Committed] = field(factory=deque)
    _stirred: trio.Event = field(factory=trio.Event)
    _showing: bool = False
    _trouble: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        tournament = self.tournament
        self.director = Director(tournament, self.hall)
        for payload in tournament.metas:
            self._note(payload)
        self.shown, self.shown_record = tournament.at, tournament.ledger.last
        if tournament.recent:
            self.shown_record, _, self.shown = tournament.recent[0]
            self._show_later(tournament.recent[1:])
        tournament.recent = ()
        tournament.committed = self._committed

    @property
    def id(self) -> str:
        """The tournament's id."""
        return self.tournament.id

    @property
    def at(self) -> Position:
        """Where it stands."""
        return self.tournament.at

    @property
    def delay_s(self) -> int:
        """How many seconds spectators are behind."""
        return self.at.charter.spectators.delay_s

    def head(self, *, live: bool) -> Head:
        """The signed head of the newest record, or of the newest one that spectators may see."""
        record = self.tournament.ledger.last if live else self.shown_record
        return self.tournament.head_of(record.seq, record.hash)

    # --- tokens -----------------------------------------------------------------------------------

    def _note(self, payload: bytes) -> None:
        match canon.unpack_trusted(payload):
            case ("token", str(who), bytes(digest)):
                self.digests[who] = digest

    async def give(self, who: str, digest: bytes) -> Failed | None:
        """From now on whoever has the token with this digest acts as `who`, and nobody who had
        another one. Why not, if that cannot be kept."""
        payload = token_meta(who, digest)
        refused = await self.tournament.keep(payload)
        if refused is None:
            self._note(payload)
        return refused

    def of_token(self, token: str) -> str | None:
        """As whom a token acts."""
        shown = tokens.digest(token)
        found = [who for who, kept in self.digests.items() if hmac.compare_digest(shown, kept)]
        return found[0] if found else None

    def holds(self, who: str, digest: bytes | None) -> bool:
        """Whether a token that was shown is still the one in force for `who`."""
        kept = self.digests.get(who)
        return digest is not None and kept is not None and hmac.compare_digest(kept, digest)

    # --- following --------------------------------------------------------------------------------

    def channel(self, audience: str) -> Channel:
        """The channel of an audience: spectators see results late where the charter says so."""
        late = audience == PUBLIC and self.delay_s > 0
        found = self.channels.get((audience, late))
        if found is None:
            seq = self.shown_record.seq if late else self.tournament.ledger.last.seq
            found = Channel(
                self.id, audience, seq + 1, self.store, self.ambient.blocking, self.metrics
            )
            self.channels[audience, late] = found
        return found

    def _committed(self, told: Sequence[Committed]) -> None:
        records = [record for record, _, _ in told]
        openings = [found for _, found, _ in told]
        for (_, late), channel in self.channels.items():
            if not late:
                channel.publish(records, openings)
        self._show_later(told)
        self.stir()

    def _show_later(self, told: Sequence[Committed]) -> None:
        self._unseen.extend(told)
        self._show()
        if self._unseen and not self._showing:
            self._showing = True
            self.start(self._show_when_due)

    def _wait_ms(self) -> int:
        """For how long the next record is not shown yet; 0 if it may be."""
        record = self._unseen[0][0]
        if self.delay_s <= 0 or _is_prompt(record):
            return 0
        return max(0, record.at_ms + 1000 * self.delay_s - self.ambient.now_ms())

    def _show(self) -> None:
        due: list[Record] = []
        while self._unseen and not self._wait_ms():
            record, _, self.shown = self._unseen.popleft()
            self.shown_record = record
            due.append(record)
        if due:
            for (_, late), channel in self.channels.items():
                if late:
                    channel.publish(due, [()] * len(due))

    async def _show_when_due(self) -> None:
        while self._unseen:
            await trio.sleep(max(1, self._wait_ms()) / 1000)
            self._show()
        self._showing = False

    # --- the director's errands -------------------------------------------------------------------

    def stir(self) -> None:
        """Look at once at what is to be done."""
        self._stirred.set()

    async def run(self) -> None:
        """Tend it until it is finished. After a bug of ours it is looked at again in a while, or as
        soon as something happens in it."""
        while not self.at.finished:
            with contained(self.metrics, self.log, "tournament", tournament=self.id):
                await self.tend()
                return
            with trio.move_on_after(AGAIN_SECONDS):
                await self._stirred.wait()

    async def tend(self) -> None:
        """Do what follows from where the tournament stands, until it is finished: settle sides,
        open games, take reports. After a restart this makes up for what was left."""
        while not self.at.finished:
            self._stirred = trio.Event()
            found = await self.director.tend(self.ambient.now_ms())
            trouble = tuple(one.say.key if isinstance(one, Failed) else one.key for one in found)
            if trouble != self._trouble:
                self._trouble = trouble
                for key in trouble:
                    self.log.error("errand of a tournament not done", tournament=self.id, why=key)
            with trio.move_on_after(LOOK_SECONDS if self._is_played else math.inf):
                await self._stirred.wait()
                # What is committed together, such as a round and its sides, is looked at once.
                await trio.lowlevel.checkpoint()

    @property
    def _is_played(self) -> bool:
        at = self.at
        return bool(unsettled(at, at.at_ms)) or any(
            board.verdict is None or (board.game and board.proof is None)
            for one in at.rounds
            if one.published
            for board in one.boards
        )


def _is_prompt(record: Record) -> bool:
    if record.kind != forms.ACT:
        return record.kind == forms.OPEN
    return all(event[0] in PROMPT for event in forms.Act.from_record(record).events)


Make = Callable[[Tournament], Hosted]

__all__ = ["LOOK_SECONDS", "PROMPT", "Hosted", "Make", "token_meta"]
