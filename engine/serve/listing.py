"""Lists of games, as far as whoever asks may see them."""

from __future__ import annotations

from typing import Any, Final

from warledger.engine.runtime.actor import Game
from warledger.engine.runtime.answers import Failed
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.peers import Listed
from warledger.engine.serve.viewer import Viewer, sees_live, shown_to
from warledger.protocol import canon
from warledger.protocol.choices import say
from warledger.protocol.clockcontrol import CLOCK

NOBODY: Final = Viewer()
"""A spectator."""


async def listed(hub: Hub, viewer: Viewer, after: str, most: int, stage: str) -> Listed:
    """Games of the whole server after this id, at most `most`; `stage` "" for all."""
    shown, more = await listed_here(hub, viewer, after, most, stage)
    if hub.peers is None:
        return shown, more
    return joined([(shown, more), await hub.peers.games(viewer, after, most, stage)], most)


async def listed_here(hub: Hub, viewer: Viewer, after: str, most: int, stage: str) -> Listed:
    """The same for the games that this process keeps."""
    shown: list[dict[str, Any]] = []
    more = True
    while more and len(shown) < most:
        found, more = await hub.supervisor.listed(after, most - len(shown))
        for id, game in found:
            after = id
            told = told_of(id, game, viewer)
            if not stage or told["stage"] == stage:
                shown.append(told)
    return shown, more


def joined(pages: list[Listed], most: int) -> Listed:
    """The pages of several processes as one. Each goes as far as its own end, or as `most`; what
    comes after the end of the shortest one waits for the next page."""
    ends = [shown[-1]["game"] for shown, more in pages if more and shown]
    rows = sorted((row for shown, _ in pages for row in shown), key=lambda row: str(row["game"]))
    within = [row for row in rows if not ends or row["game"] <= min(ends)]
    return within[:most], bool(ends) or len(within) > most


def told_of(id: str, game: Game | Failed, viewer: Viewer = NOBODY) -> dict[str, Any]:
    """A game as a row of a list, as far as the viewer may see."""
    if isinstance(game, Failed):
        return canon.ordered(
            {"game": id, "title": "", "stage": "quarantined", "reason": game.say.as_array()}
        )
    progress = shown_to(viewer, game)
    # In a delayed game a deadline, and that it is gone again, would tell when somebody acted.
    live = not game.profile.delay_s or sees_live(viewer, game)
    reason = progress.reason.as_array() if progress.reason is not None else None
    if game.quarantine:
        reason = say("error.quarantined", game=id).as_array()
    return canon.ordered(
        {
            "game": id,
            "title": game.profile.genesis.title,
            "version": game.profile.genesis.version,
            "stage": "quarantined" if game.quarantine else progress.stage,
            "seq": progress.seq,
            "seats": progress.holders,
            "awaits": progress.awaits,
            "winner": progress.winner,
            "reason": reason,
            "created_ms": game.profile.created_ms,
            "delay_s": game.profile.delay_s,
            "clock": game.profile.genesis.terms.get(CLOCK) if game.profile.genesis.signed else None,
            "deadline_ms": game.deadline_ms if live else None,
            "format": game.profile.genesis.format,
            "unsigned": progress.unsigned
            if game.profile.genesis.signed
            else tuple(seat for seat, _ in progress.holders),
        }
    )
