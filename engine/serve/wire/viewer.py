"""What somebody has shown, and what they may therefore see. Independent of their connection and of
the server."""

from __future__ import annotations

from typing import Final

from attrs import define, field

from warledger.engine.desk.hosted import Hosted
from warledger.engine.kernel.types import Seat
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.profile import Progress
from warledger.engine.runtime.watch.fanout import Channel
from warledger.engine.serve.people import viewtokens
from warledger.engine.serve.people.viewtokens import Row
from warledger.protocol.audience import ARBITER, PUBLIC

HOST: Final = "host"
OPENS: Final = (HOST, "own", "")
"""The role of an account that may open games; of each game that it opened it gets one more."""


@define(eq=False)
class Viewer:
    """What somebody has shown: whether the host's token, the tokens of which seats (with digests),
    and by digest which of the tokens that only look. `own` are the roles of the account that they
    are signed in to, in the form that a client receives."""

    is_host: bool = False
    digests: dict[tuple[str, Seat], bytes] = field(factory=dict)
    granted: dict[bytes, tuple[Row, ...]] = field(factory=dict)
    own: tuple[Row, ...] = ()

    def holds(self, game: Game, seat: Seat) -> bool:
        """Whether they may act for the seat: its token is still the one in force."""
        kept = self.digests.get((game.id, seat))
        return kept is not None and game.profile.tokens.get(seat) == kept

    def arbitrates(self, game: Game) -> bool:
        """Whether they may see everything in the game: as its host, or as an arbiter."""
        return self.is_host or any(viewtokens.sees_all(rows, game.id) for rows in self._looks)

    def casts(self, game: Game, seat: Seat) -> bool:
        """Whether they may see what the seat sees, as late as spectators do."""
        return any(viewtokens.casts(rows, game.id, seat) for rows in self._looks)

    def follows_live(self, hosted: Hosted) -> bool:
        """Whether they take part in a tournament, or run it, and so see it as it happens."""
        return self.is_host or any(
            id == hosted.id and hosted.holds(who, digest)
            for (id, who), digest in self.digests.items()
        )

    @property
    def may_open(self) -> bool:
        """Whether they may open games."""
        return self.is_host or OPENS in self.own

    def hosts(self, game: str) -> bool:
        """Whether they may give out the seats of this game: as the host, or because they opened
        it."""
        return self.is_host or (HOST, game, "") in self.own

    @property
    def _looks(self) -> tuple[tuple[Row, ...], ...]:
        return (self.own, *self.granted.values())

    @property
    def roles(self) -> tuple[Row, ...]:
        """Everything that they may do and see, in the form that a client receives."""
        host = ((HOST, "", ""),) if self.is_host else ()
        looks = dict.fromkeys(row for rows in self._looks for row in rows)
        return (*host, *looks, *(("seat", game, seat) for game, seat in self.digests))


def may_see(viewer: Viewer, game: Game, audience: str) -> bool:
    """Whether they may see what this audience sees."""
    if audience == ARBITER:
        return viewer.arbitrates(game)
    return audience == PUBLIC or viewer.holds(game, audience) or viewer.casts(game, audience)


def channel_of(viewer: Viewer, game: Game, audience: str) -> Channel:
    """What they follow of an audience that they may see: a caster's look at a seat comes as late as
    that of spectators."""
    return game.channel(
        audience,
        as_late_as_public=audience not in (PUBLIC, ARBITER) and not viewer.holds(game, audience),
    )


def sees_live(viewer: Viewer, game: Game) -> bool:
    """Whether a spectator's delay does not apply to them: the host, an arbiter, and whoever holds a
    seat."""
    return viewer.arbitrates(game) or any(
        viewer.holds(game, seat) for seat, _ in game.profile.progress.holders
    )


def shown_to(viewer: Viewer, game: Game) -> Progress:
    """How far they may see: to the log's end, or as far as spectators."""
    return game.profile.progress if sees_live(viewer, game) else game.shown
