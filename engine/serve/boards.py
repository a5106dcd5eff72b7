"""Boards of a tournament that spectators see late: that a game is there tells who has come so far.

A round is paired from the results before it, so its games are not there for strangers until the
delayed tournament has shown the round.
"""

from __future__ import annotations

from warledger.engine.runtime.actor import Game
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.viewer import Viewer, sees_live
from warledger.protocol.records import TOURNAMENT


def may_know_of(hub: Hub, viewer: Viewer, game: Game) -> bool:
    """Whether the viewer may know that there is this game: always, unless it is a board of a round
    that spectators of a delayed tournament have not been shown, or may not have been."""
    profile, hosting = game.profile, hub.hosting
    if not profile.delay_s or hosting is None:
        return True
    match profile.genesis.terms.get(TOURNAMENT):
        case (_, str(id), _, int(round), *_):
            hosted = hosting.all.get(id)
        case _:
            return True
    if hosted is None:
        if hosting.knows(id):
            return sees_live(viewer, game)  # one that has not been read yet has shown nothing
        # Another node of a fleet may have it: then spectators see first when the game was made.
        is_shown = hub.cards is None or (
            hub.supervisor.ambient.now_ms() >= profile.created_ms + 1000 * profile.delay_s
        )
        return is_shown or sees_live(viewer, game)
    one = hosted.shown.round(round)
    if one is not None and one.published:
        return True
    return sees_live(viewer, game) or viewer.follows_live(hosted)


__all__ = ["may_know_of"]
