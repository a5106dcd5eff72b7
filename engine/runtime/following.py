"""Who follows a game: a channel for each audience, and how far spectators of a delayed game see."""

from collections import deque
from typing import Any

import trio
from attrs import define, field

from warledger.engine.kernel.ledger import Batch
from warledger.engine.runtime.answers import Failed, failed
from warledger.engine.runtime.fanout import Channel
from warledger.engine.runtime.jobs import Services
from warledger.engine.runtime.profile import Profile, Progress
from warledger.protocol.acts import refusal_bytes
from warledger.protocol.audience import PUBLIC
from warledger.protocol.chain import Head
from warledger.protocol.records import Record


@define(eq=False)
class Followed:
    """A game as far as others follow it. `profile` is always known; `shown` is how far spectators
    of a delayed game see it, `quarantine` what is wrong with it; `moved` is set once another node
    has it, after which this object decides nothing."""

    services: Services
    profile: Profile
    channels: dict[tuple[str, bool], Channel] = field(factory=dict, kw_only=True)
    quarantine: str = field(default="", kw_only=True)
    moved: bool = field(default=False, kw_only=True)
    shown: Progress = field(init=False)
    _unseen: deque[Record] = field(factory=deque, kw_only=True)
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

    def _show_later(self, unseen: tuple[Record, ...]) -> None:
        self._unseen.extend(unseen)
        if not self._showing and self._due_in_ms() is not None:
            self._showing = True
            self.services.start(self._show_when_due)

    def _due_in_ms(self) -> int | None:
        """In how many milliseconds spectators may see the next record; None if there is none, or if
        a turn has to be over first."""
        if not self._unseen:
            return None
        return self.profile.shows_in_ms(self._unseen[0], self.services.ambient.now_ms())

    async def _show_when_due(self) -> None:
        try:
            await self._show_until_none_is_due()
        finally:
            self._showing = False

    async def _show_until_none_is_due(self) -> None:
        while (wait_ms := self._due_in_ms()) is not None:
            if wait_ms > 0:
                await trio.sleep(wait_ms / 1000)
                continue
            due: list[Record] = []
            while self._due_in_ms() == 0:
                record = self._unseen.popleft()
                due.append(record)
                self.shown = self.shown.advance(record)
            for (audience, late), channel in self.channels.items():
                if late and audience == PUBLIC:
                    channel.publish(due, [()] * len(due))
                elif late:
                    channel.reveal(self.shown.seq + 1)
            self.services.changed(self.id)
