"""Who follows a game: a channel for each audience, and how far spectators of a delayed game see."""

from collections import deque
from typing import Any

import trio
from attrs import define, field

from warledger.engine.kernel.ledger import Batch
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.runtime.game.jobs import Services
from warledger.engine.runtime.profile import Profile, Progress
from warledger.engine.runtime.watch.fanout import Channel
from warledger.protocol.audience import PUBLIC
from warledger.protocol.log.chain import Head
from warledger.protocol.log.records import TOURNAMENT, Record
from warledger.protocol.seats.acts import refusal_bytes


@define(eq=False)
class Followed:
    """A game as far as others follow it. `profile` is always known. `shown` is how far spectators
    of a delayed game see it, and `quarantine` what is wrong with it. `moved` is set once another
    node has it, after which this object decides nothing."""

    services: Services
    profile: Profile
    channels: dict[tuple[str, bool], Channel] = field(factory=dict, kw_only=True)
    quarantine: str = field(default="", kw_only=True)
    moved: bool = field(default=False, kw_only=True)
    shown: Progress = field(init=False)
    _unseen: deque[tuple[float, Record]] = field(factory=deque, kw_only=True)
    _showing: bool = field(default=False, kw_only=True)

    @property
    def id(self) -> str:
        """The game's id."""
        return self.profile.game

    def head(self, audience_is_public: bool = False) -> Head:
        """The signed head: that of the newest record, or of the newest one that spectators may
        see."""
        progress = self.shown if audience_is_public else self.profile.progress
        return self.head_of(progress.seq, progress.hash)

    def head_of(self, seq: int, hash: bytes) -> Head:
        """The signed head of a record, signed with the key that is in force for this game."""
        signer = self.services.signer
        own = signer.of(self.profile.server_key)
        return signer.head(self.id, seq, hash) if own is None else own.sign(self.id, seq, hash)

    def refusal_signature(self, act: bytes, seq: int, hash: bytes) -> bytes:
        """The server's signed statement that an act (given by its hash) is not in the log up to
        record `seq`, and never will be."""
        signer = self.services.signer
        own = signer.of(self.profile.server_key)
        return (signer if own is None else own).signature(refusal_bytes(act, seq, hash))

    @property
    def shut(self) -> Failed | None:
        """Why nothing can be decided here: it is in quarantine, or another node has it."""
        if self.quarantine:
            return failed("error.quarantined", game=self.id)
        return failed("error.busy", game=self.id) if self.moved else None

    def channel(self, audience: str, *, as_late_as_public: bool = False) -> Channel:
        """The channel of an audience. Spectators of a delayed game see it late, and so does anybody
        who looks at a seat's view `as_late_as_public`."""
        late = self.profile.is_late and (as_late_as_public or audience == PUBLIC)
        found = self.channels.get((audience, late))
        if found is None:
            progress = self.shown if late else self.profile.progress
            services = self.services
            found = Channel(
                self.id,
                audience,
                progress.seq + 1,
                services.store,
                services.ambient.blocking,
                services.metrics,
            )
            self.channels[audience, late] = found
        return found

    def _publish_to_seats(self, batch: Batch[Any]) -> None:
        for (audience, late), channel in self.channels.items():
            if not late and audience != PUBLIC:
                channel.publish(batch.records, batch.openings)

    def _publish_to_spectators(self, batch: Batch[Any]) -> None:
        channel = self.channels.get((PUBLIC, False))
        if channel is not None:
            channel.publish(batch.records, batch.openings)
        if self.profile.is_late:
            self._show_later(batch.records)
        else:
            self.shown = self.profile.progress
            self.services.changed(self.id)
            self.tell_public()

    def tell_public(self) -> None:
        """What spectators may see, or something beside it, has become more: the public stream is to
        have it, where there is one."""
        public = self.services.public
        if public is not None:
            public.show(self.id, self.shown.seq + 1)

    def begin_showing(self) -> None:
        """This node owns the game from now on: what the owner before it has not shown is shown.

        That there is a board of a tournament that spectators see late tells who has come so far, so
        its first record is late, too."""
        public, profile = self.services.public, self.profile
        if public is None:
            return
        if self.shown.seq or not profile.genesis.delay_s or TOURNAMENT not in profile.genesis.terms:
            self.tell_public()
        else:
            self.services.start(self._begin_late)

    async def _begin_late(self) -> None:
        await trio.sleep(self.profile.genesis.delay_s)
        if not self.moved:
            self.tell_public()

    def _show_later(self, unseen: tuple[Record, ...]) -> None:
        """Show these once spectators may see them. A delay counts from the record's own time; in a
        fleet, of which any clock may be wrong, from now. There nobody is shown what the public
        stream does not have, so that the game's next owner knows what was shown."""
        due = trio.current_time() + self.profile.genesis.delay_s
        self._unseen.extend((due, record) for record in unseen)
        if not self._showing and self._due_in() is not None:
            self._showing = True
            self.services.start(self._show_when_due)

    def _due_in(self, place: int = 0) -> float | None:
        """In how many seconds spectators may see a record, counted from the next. None if there is
        none, or a turn has to end first."""
        if place >= len(self._unseen):
            return None
        due, record = self._unseen[place]
        if self.services.public is None:
            wait_ms = self.profile.shows_in_ms(record, self.services.ambient.now_ms())
            return None if wait_ms is None else wait_ms / 1000
        turns = self.profile.turns
        if turns is not None and not turns.shows(record.seq):
            return None
        return max(0.0, due - trio.current_time())

    async def _show_when_due(self) -> None:
        try:
            while (wait := self._due_in()) is not None:
                if wait > 0:
                    await trio.sleep(wait)
                elif not await self._show_due():
                    self._unseen.clear()  # its next owner shows them
        finally:
            self._showing = False

    async def _show_due(self) -> bool:
        """Show what may be seen by now. False if the game is another node's, and nothing was
        shown."""
        count = 1
        while self._due_in(count) == 0:
            count += 1
        public = self.services.public
        if public is not None:
            records = self.shown.seq + 1 + count
            public.show(self.id, records)
            if self.moved or not await public.shown(self.id, records):
                return False
        due = [self._unseen.popleft()[1] for _ in range(count)]
        for record in due:
            self.shown = self.shown.advance(record)
        for (audience, late), channel in self.channels.items():
            if late and audience == PUBLIC:
                channel.publish(due, [()] * len(due))
            elif late:
                channel.reveal(self.shown.seq + 1)
        self.services.changed(self.id)
        return True
