"""What can be laid over a map from its description and a board, without a title's rules.

The page's `board/overlays.js` does the same.
"""

from __future__ import annotations

from warledger.protocol.board.description import BEYOND, Description
from warledger.protocol.board.effects import Board

CLOSED = "closed"
"""The kind of areas that are out of play for a while."""
ZONE = "zone"
"""A marker on a place: who stands there has a zone of control, though what is shown has none."""


def zones(told: Description, board: Board) -> dict[str, frozenset[int]]:
    """Where each side's zones of control are, as places by their numbers: the places of pieces that
    have a zone, and those beside them into whose terrain one extends. It is what the counters that
    are seen tell; no more is known of hidden ones than the marker `zone`."""
    number = {place.id: n for n, place in enumerate(told.places)}
    open_to = {terrain.id: terrain.zone for terrain in told.terrains}
    turn = board.tracks.get("turn")
    closed = {
        n
        for area in told.areas
        if area.kind == CLOSED
        and (area.to_turn is None or (type(turn) is int and turn <= area.to_turn))
        for n in area.places
    }
    pieces = {piece.id: piece for piece in told.pieces}
    found: dict[str, set[int]] = {side: set() for side in told.sides}
    for id, shown in board.pieces.items():
        at, piece = number.get(shown.place), pieces.get(id)
        if at is None or piece is None or at in closed:
            continue
        side = shown.owner or piece.side
        face = piece.face(shown.face)
        lifted = any(board.marks.get((id, marker)) for marker in told.zoneless)
        own = piece.zone and (face is None or face.zone) and not lifted
        if side in found and (own or board.marks.get((shown.place, ZONE))):
            found[side].add(at)
            found[side].update(
                near
                for near in told.places[at].near
                if near != BEYOND
                and open_to.get(told.places[near].terrain, True)
                and near not in closed
            )
    return {side: frozenset(places) for side, places in found.items()}
