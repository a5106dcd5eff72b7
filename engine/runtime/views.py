"""The board of one audience after one record, as the effects that draw it on an empty board: a fold
of what the log tells that audience.

It needs no rules, and is plain computation that can run in a thread.
"""

from collections.abc import Iterator, Sequence

from warledger.engine.kernel.replay import takeback_targets
from warledger.engine.runtime.live import split
from warledger.engine.store.port import Frame
from warledger.protocol import effects, records
from warledger.protocol.audience import entitled
from warledger.protocol.bodies import effects_of
from warledger.protocol.effects import Board, Effect
from warledger.protocol.records import Record
from warledger.protocol.seal import Opening


def view(frames: Sequence[Frame], audience: str, at_seq: int) -> tuple[Effect, ...]:
    """Effects that draw the board after record `at_seq`, which must exist."""
    payloads, openings = split(frames)
    log = [records.read(payload, trusted=True) for payload in payloads[: at_seq + 1]]
    return tuple(picture(fold(log, openings, audience)))


def fold(log: Sequence[Record], openings: dict[int, tuple[Opening, ...]], audience: str) -> Board:
    """The audience's board after the last of these records."""
    targets = frozenset(takeback_targets(log))
    kept: dict[int, Board] = {}
    board = Board()
    for record in log:
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
