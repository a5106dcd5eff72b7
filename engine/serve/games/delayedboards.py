"""Boards of a tournament that spectators see late: that a game is there tells who has come so far.

A round is paired from the results before it, so its games are not there for strangers until the
delayed tournament has shown the round.
"""

from __future__ import annotations

from warledger.engine.runtime.game.actor import Game
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.wire.viewer import Viewer, sees_live
from warledger.protocol.log.records import TOURNAMENT


def round_of(game: Game) -> tuple[str, int] | None:
    """The tournament and round of which it is a game."""
    match game.profile.genesis.terms.get(TOURNAMENT):
        case (_, str(id), _, int(number), *_):
            return id, number
    return None


def is_announced(hub: Hub, delay_s: int, created_ms: int, board: tuple[str, int] | None) -> bool:
    """Whether everybody may know that there is a game with this delay, which was made then and is a
    board of this tournament and round."""
    hosting = hub.hosting
    if not delay_s or hosting is None or board is None:
        return True
    id, number = board
    hosted = hosting.all.get(id)
    if hosted is None:
        if hosting.knows(id):
            return False  # one that has not been read yet has shown nothing
        # Another node of a fleet may have it: then spectators see first when the game was made.
        return hub.cards is None or (hub.supervisor.ambient.now_ms() >= created_ms + 1000 * delay_s)
    one = hosted.shown.round(number)
    return one is not None and one.published


def may_know_of(hub: Hub, viewer: Viewer, game: Game) -> bool:
    """Whether the viewer may know that there is this game: always, unless it is a board of a round
    that spectators of a delayed tournament have not been shown, or may not have been."""
    profile, board = game.profile, round_of(game)
    if is_announced(hub, profile.genesis.delay_s, profile.created_ms, board) or sees_live(
        viewer, game
    ):
        return True
    hosted = hub.hosting.all.get(board[0]) if hub.hosting is not None and board else None
    return hosted is not None and viewer.follows_live(hosted)
