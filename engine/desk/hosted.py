"""A tournament that a server hosts: who follows it and how far they see, who may act in it, and the
errands of its director.

Rules of this file:
- What tells a result is shown to spectators after the charter's delay, and whatever comes after it
  not before it: a stream has no gaps. Entries, pairings and times are shown at once.
- A pairing is shown to nobody but directors, arbiters and the host before it is published, nor is
  what comes after it in the file.
- A token is kept as its SHA-256, in the tournament's own file.
"""

import hmac
import math
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import trio
from attrs import define, field

from warledger.engine.desk.director import Director, Hall
from warledger.engine.desk.tournament import Committed, Tournament, drafted
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.faults import contained
from warledger.engine.runtime.game.answers import Failed
from warledger.engine.runtime.game.jobs import Starter
from warledger.engine.runtime.metrics import Metrics
from warledger.engine.runtime.watch.fanout import Channel
from warledger.engine.store.port import Store
from warledger.engine.tournaments.deeds import officiates
from warledger.engine.tournaments.sides import unsettled
from warledger.engine.tournaments.tournamentposition import Position
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.audience import ARBITER, PUBLIC
from warledger.protocol.log.chain import Head
from warledger.protocol.log.records import SERVER, Record

LOOK_SECONDS: Final = 0.5
"""How often a round that is being played is looked at: games that end together are reported
together."""
AGAIN_SECONDS: Final = 60.0
"""After how long a tournament that met a bug of ours is tended again."""
PROMPT: Final = frozenset(
    (
        "entered",
        "checked",
        "committed",
        "rostered",
        "nonce",
        "waited",
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


@define(eq=False)
class Horizon:
    """How far those see who are not shown everything at once: the newest record that they have, and
    where the tournament stood after it. `unseen` is what they have not been shown yet."""

    record: Record
    at: Position
    delay_ms: int
    unseen: deque[Committed] = field(factory=deque)
    is_waiting: bool = False

    def wait_ms(self, draft: int | None, now_ms: int) -> int | None:
        """For how many ms the next record is not shown yet; 0 if it may be. None if there is none,
        or if it has to be published first."""
        record = self.unseen[0][0] if self.unseen else None
        if record is None or (draft is not None and record.seq >= draft):
            return None
        if self.delay_ms <= 0 or _is_prompt(record):
            return 0
        return max(0, record.at_ms + self.delay_ms - now_ms)


def token_meta(who: str, digest: bytes) -> bytes:
    """The META frame that keeps what is stored of somebody's token."""
    return canon.pack(("token", who, digest))


@define(eq=False)
class Hosted:
    """A tournament of a server. `public` is how far spectators see, `entrants` how far those who
    play. `digests` is what is kept of tokens, by who acts with them. `entering` is whose turn it is
    to enter. `over` is set once spectators have seen its end, and `rated` once it was then rated,
    or could not be."""

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
    public: Horizon = field(init=False)
    entrants: Horizon = field(init=False)
    entering: trio.Lock = field(factory=trio.Lock)
    over: trio.Event = field(factory=trio.Event)
    rated: trio.Event = field(factory=trio.Event)
    _draft: int | None = None
    _stirred: trio.Event = field(factory=trio.Event)
    _trouble: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        tournament = self.tournament
        self.director = Director(tournament, self.hall)
        for payload in tournament.metas:
            self._note(payload)
        record, at = tournament.ledger.last, tournament.at
        if tournament.recent:
            record, _, at = tournament.recent[0]
        self.public = Horizon(record, at, 1000 * self.delay_s)
        self.entrants = Horizon(record, at, 0) if self.delay_s else self.public
        self._show_later(tournament.recent[1:])
        if self.shown.finished:
            self.over.set()
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

    @property
    def shown(self) -> Position:
        """Where it stands as spectators see it."""
        return self.public.at

    @property
    def shown_record(self) -> Record:
        """The newest record that spectators see."""
        return self.public.record

    def newest(self, audience: str) -> Record:
        """The newest record that an audience sees."""
        horizon = self._horizon_of(audience)
        return self.tournament.ledger.last if horizon is None else horizon.record

    def position(self, audience: str) -> Position:
        """Where it stands as an audience sees it: for whom a pairing is hidden that is not
        published, so is the stage that it begins, and whatever else followed it."""
        horizon = self._horizon_of(audience)
        return self.at if horizon is None else horizon.at

    def _horizon_of(self, audience: str) -> Horizon | None:
        return self._horizon(audience, self.officiates(audience))

    def _horizon(self, audience: str, official: bool) -> Horizon | None:
        if official:
            return None
        return self.public if audience == PUBLIC else self.entrants

    def officiates(self, audience: str) -> bool:
        """Whether this audience sees a pairing that is not published: directors, arbiters, and
        whoever sees everything; not a judge who has no role."""
        if audience in (ARBITER, PUBLIC, SERVER):
            return audience != PUBLIC
        return officiates(self.at, audience)

    def head(self, audience: str) -> Head:
        """The signed head of the newest record that an audience sees."""
        record = self.newest(audience)
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
        """Who acts with a token; None if nobody does."""
        shown = tokens.digest(token)
        found = [who for who, kept in self.digests.items() if hmac.compare_digest(shown, kept)]
        return found[0] if found else None

    def holds(self, who: str, digest: bytes | None) -> bool:
        """Whether a token that was shown is still the one in force for `who`."""
        kept = self.digests.get(who)
        return digest is not None and kept is not None and hmac.compare_digest(kept, digest)

    # --- following --------------------------------------------------------------------------------

    def channel(self, audience: str) -> Channel:
        """The channel of an audience: spectators see results late where the charter says so, and
        only officials a pairing that is not published."""
        key = audience, self.officiates(audience)
        found = self.channels.get(key)
        if found is None:
            next_seq = self.newest(audience).seq + 1
            found = Channel(
                self.id, audience, next_seq, self.store, self.ambient.blocking, self.metrics
            )
            self.channels[key] = found
        return found

    def _committed(self, told: Sequence[Committed]) -> None:
        self._publish(None, told)
        self._show_later(told)
        self.stir()

    def _publish(self, horizon: Horizon | None, told: Sequence[Committed]) -> None:
        records = [record for record, _, _ in told]
        openings = [found for _, found, _ in told]
        for (audience, official), channel in self.channels.items():
            if self._horizon(audience, official) is horizon:
                channel.publish(records, openings)

    def _show_later(self, told: Sequence[Committed]) -> None:
        for record, _, _ in told:
            self._draft = drafted(self._draft, record)
        for horizon in dict.fromkeys((self.public, self.entrants)):
            horizon.unseen.extend(told)
            wait_ms = self._show(horizon)
            if wait_ms is not None and not horizon.is_waiting:
                horizon.is_waiting = True
                self.start(partial(self._show_when_due, horizon))

    def _show(self, horizon: Horizon) -> int | None:
        """Show what is due, and return for how long the next record is not."""
        due: list[Committed] = []
        while (wait_ms := horizon.wait_ms(self._draft, self.ambient.now_ms())) == 0:
            due.append(horizon.unseen.popleft())
            horizon.record, _, horizon.at = due[-1]
        if due:
            self._publish(horizon, due)
            if self.shown.finished:
                self.over.set()
        return wait_ms

    async def _show_when_due(self, horizon: Horizon) -> None:
        while horizon.is_waiting:
            wait_ms = self._show(horizon)
            if wait_ms is None:
                horizon.is_waiting = False
            else:
                await trio.sleep(max(1, wait_ms) / 1000)

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
        return bool(at.waits or at.asked or unsettled(at, at.at_ms)) or any(
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
