"""The board of one audience as of one record, as effects that draw it on an empty board: a fold of what the log tells that audience.

No rules are asked. Plain computation, fit for a thread.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from engine.kernel.audience import entitled
from engine.runtime.live import split
from engine.store.port import Frame
from protocol import effects, records
from protocol.effects import Board, Effect
from protocol.records import Record
from protocol.seal import Opening


def view(frames: Sequence[Frame], audience: str, at_seq: int) -> tuple[Effect, ...]:
    """Effects that draw the board after record `at_seq`, which must be there."""
    payloads, openings = split(frames)
    log = [records.read(payload, trusted=True) for payload in payloads[: at_seq + 1]]
    return tuple(picture(fold(log, openings, audience)))


def fold(log: Sequence[Record], openings: dict[int, tuple[Opening, ...]], audience: str) -> Board:
    """The audience's board after the last of these records."""
    targets = {record.body[1] for record in log if record.kind == records.TAKEBACK}
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


def effects_of(record: Record, openings: Iterable[Opening] = ()) -> tuple[Effect, ...]:
    """A record's effects with the opened seals filled in."""
    if record.kind == records.COMMAND:
        found = effects.unpack(record.body[records.EFFECTS])
        for opening in openings:
            if opening.path[0] == records.EFFECTS:
                found = _fill(found, opening.path[1:], opening.value)
        return found
    return effects.unpack(record.body[2]) if record.kind == records.TAKEBACK else ()


def _fill(value: Any, path: tuple[int, ...], plain: Any) -> Any:
    if not path:
        return plain
    index = path[0]
    return (*value[:index], _fill(value[index], path[1:], plain), *value[index + 1 :])


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
