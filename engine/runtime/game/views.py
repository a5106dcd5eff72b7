"""The board of one audience after one record, as the effects that draw it on an empty board: a fold
of what the log tells that audience.

It needs no rules, and is plain computation that can run in a thread.
"""

from collections.abc import Callable, Iterator, Sequence

from warledger.engine.kernel.replay import takeback_targets
from warledger.protocol.audience import entitled
from warledger.protocol.board import effects
from warledger.protocol.board.effects import Board, Effect
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log import records
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.log.records import Record


def fold(
    log: Sequence[Record],
    openings: dict[int, tuple[Opening, ...]],
    audience: str,
    after_first: Board | None = None,
    each: Callable[[Record, Board], object] | None = None,
) -> Board:
    """The audience's board after the last of these records. They are a game's from its genesis on;
    or from any record on, if `after_first` is the board after the first of them. `each` is called
    with every record that is folded, and the board after it, which it must not keep.

    Raises KeyError if a takeback goes back to before the first of them.
    """
    targets = frozenset(takeback_targets(log))
    kept: dict[int, Board] = {}
    board = Board() if after_first is None else after_first
    if after_first is not None:
        kept[log[0].seq] = board.copy()
    for record in log if after_first is None else log[1:]:
        for effect in effects_of(record, entitled(openings.get(record.seq, ()), audience)):
            if effect[0] == effects.REWIND:
                board = kept[effect[1]].copy()
            else:
                board.apply(effect)
        if record.kind == records.END:
            board.awaits = ()
        board.seq = record.seq
        if record.seq in targets:
            kept[record.seq] = board.copy()
        if each is not None:
            each(record, board)
    return board


def picture(board: Board) -> Iterator[Effect]:
    """The effects that make this board from an empty one."""
    for piece in sorted(board.pieces):
        shown = board.pieces[piece]
        yield effects.put(piece, shown.place, shown.face, shown.owner)
    for target, marker in sorted(board.marks):
        yield effects.mark(target, marker, board.marks[target, marker])
    for name in sorted(board.tracks):
        yield effects.track(name, board.tracks[name])
    for box in sorted(board.counts):
        yield effects.count(box, board.counts[box])
    yield (effects.PHASE, board.phase.key, board.phase.args)
    for span, said in board.spans:
        yield (effects.OPEN, span, said.key, said.args)
    yield (effects.AWAIT, board.awaits)
