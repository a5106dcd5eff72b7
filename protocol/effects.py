"""The generic board vocabulary, and the board as a fold of it.

Every event carries a handful of these inside the chain, so that a client draws any game without rules. An effect is an array whose first
element is its tag:

    ["put", piece, place, face, owner]    a piece appears (or is moved without a path)
    ["move", piece, [place …]]            along a path, the last place is where it is now
    ["flip", piece, face]                 shows another face
    ["take", piece, box]                  leaves the map for a box ("" = out of the game)
    ["mark", target, marker, value]       a marker on a place or a piece; 0 takes it off
    ["track", name, value]                a track's marker (a number or a short text)
    ["count", box, n]                     how many things a closed box or cup holds
    ["phase", key, [[name, value] …]]     the step of the sequence of play now in progress
    ["await", [seat …]]                   who is to decide
    ["roll", purpose, sides, [pips …]]    dice, as rolled
    ["open", span, key, [[name, value]…]] / ["close", span]     turn, activation, combat: the steps of a timeline
    ["rewind", seq]                       a takeback: the board is again as after that record
    ["say", key, [[name, value] …], rule] a sentence of the story

A hidden argument is a seal; the client that is given its opening fills it in.
"""

from collections.abc import Iterable
from typing import Any

from attrs import define, field, frozen

from protocol import canon
from protocol.choices import Say

Effect = tuple[Any, ...]

PUT, MOVE, FLIP, TAKE, MARK, TRACK, COUNT = "put", "move", "flip", "take", "mark", "track", "count"
PHASE, AWAIT, ROLL, OPEN, CLOSE, REWIND, SAY = "phase", "await", "roll", "open", "close", "rewind", "say"

SPANS = ("game", "turn", "activation", "combat")


def put(piece: str, place: str, face: Any = "", owner: str = "") -> Effect:
    """A piece appears in a place."""
    return (PUT, piece, place, face, owner)


def move(piece: str, *path: str) -> Effect:
    """A piece goes along a path of places, the last one being where it stops."""
    return (MOVE, piece, path)


def flip(piece: str, face: Any) -> Effect:
    """A piece shows another face."""
    return (FLIP, piece, face)


def take(piece: str, box: str = "") -> Effect:
    """A piece leaves the map for a box; "" is out of the game."""
    return (TAKE, piece, box)


def mark(target: Any, marker: str, value: Any) -> Effect:
    """A marker on a place or piece; 0 takes it off."""
    return (MARK, target, marker, value)


def track(name: str, value: Any) -> Effect:
    """Where a track's marker stands."""
    return (TRACK, name, value)


def count(box: str, n: Any) -> Effect:
    """How many things a closed box holds."""
    return (COUNT, box, n)


def phase(key: str, **args: Any) -> Effect:
    """The step of the sequence of play now in progress."""
    return (PHASE, key, tuple(args.items()))


def roll(purpose: str, sides: int, dice: Iterable[int]) -> Effect:
    """Dice as rolled."""
    return (ROLL, purpose, sides, tuple(dice))


def opening(span: str, key: str, **args: Any) -> Effect:
    """A step of the timeline begins; span is one of SPANS."""
    return (OPEN, span, key, tuple(args.items()))


def closing(span: str) -> Effect:
    """A step of the timeline ends."""
    return (CLOSE, span)


def tell(key: str, rule: str = "", /, **args: Any) -> Effect:
    """A sentence of the story, with the clause it rests on."""
    return (SAY, key, tuple(args.items()), rule)


@frozen
class Piece:
    """A piece as an audience sees it. `face` is a Seal while it is hidden from that audience."""

    place: str
    face: Any = ""
    owner: str = ""


@define
class Board:
    """The board of one audience as of one record: a fold of effects. `copy` before `apply` to keep the old one."""

    pieces: dict[str, Piece] = field(factory=dict)
    marks: dict[tuple[str, str], int] = field(factory=dict)
    tracks: dict[str, Any] = field(factory=dict)
    counts: dict[str, Any] = field(factory=dict)
    phase: Say = field(factory=lambda: Say("phase.none"))
    awaits: tuple[str, ...] = ()
    spans: tuple[tuple[str, Say], ...] = ()
    seq: int = 0

    def copy(self) -> "Board":
        """An independent board; the pieces themselves are shared, since they never change."""
        return Board(
            dict(self.pieces),
            dict(self.marks),
            dict(self.tracks),
            dict(self.counts),
            self.phase,
            self.awaits,
            self.spans,
            self.seq,
        )

    def at(self, place: str) -> list[str]:
        """The pieces in a place, in order of their ids."""
        return sorted(piece for piece, shown in self.pieces.items() if shown.place == place)

    def apply(self, effect: Effect) -> None:
        """Fold one effect. `rewind` is not for here: whoever keeps the boards goes back to the one it names. Unknown tags are skipped,
        so that an older client still draws what it knows; so is what befalls a piece or box whose name is sealed from this audience."""
        tag = effect[0]
        if type(effect[1]) is canon.Seal:
            return
        if tag == MOVE:
            shown = self.pieces.get(effect[1])
            if shown is not None and effect[2]:
                self.pieces[effect[1]] = Piece(effect[2][-1], shown.face, shown.owner)
        elif tag == PUT:
            self.pieces[effect[1]] = Piece(effect[2], effect[3], effect[4])
        elif tag == FLIP:
            shown = self.pieces.get(effect[1])
            if shown is not None:
                self.pieces[effect[1]] = Piece(shown.place, effect[2], shown.owner)
        elif tag == TAKE:
            shown = self.pieces.pop(effect[1], None)
            if effect[2] and shown is not None:
                self.pieces[effect[1]] = Piece(effect[2], shown.face, shown.owner)
            for key in [key for key in self.marks if key[0] == effect[1]]:
                del self.marks[key]
        elif tag == MARK:
            if effect[3] == 0:
                self.marks.pop((effect[1], effect[2]), None)
            else:
                self.marks[effect[1], effect[2]] = effect[3]
        elif tag == TRACK:
            self.tracks[effect[1]] = effect[2]
        elif tag == COUNT:
            self.counts[effect[1]] = effect[2]
        elif tag == PHASE:
            self.phase = Say(effect[1], effect[2])
        elif tag == AWAIT:
            self.awaits = effect[1]
        elif tag == OPEN:
            self.spans = (*self.spans, (effect[1], Say(effect[2], effect[3])))
        elif tag == CLOSE:
            for index in range(len(self.spans) - 1, -1, -1):
                if self.spans[index][0] == effect[1]:
                    self.spans = self.spans[:index]
                    break


def unpack(blob: bytes) -> tuple[Effect, ...]:
    """The effects of a record's blob. Raises NotCanonical when it is no list of effects."""
    value = canon.unpack(blob)
    if type(value) is not tuple or not all(type(item) is tuple and item and type(item[0]) is str for item in value):
        raise canon.NotCanonical("effects are arrays that begin with their tag")
    return value


@define
class BoardHistory:
    """Every board of one audience, record by record: stepping backwards and takebacks are look-ups.

    `boards[seq]` is the board after that record.
    """

    boards: list[Board] = field(factory=lambda: [Board()])

    @property
    def now(self) -> Board:
        """The board after the last record."""
        return self.boards[-1]

    def fold(self, seq: int, effects: Iterable[Effect]) -> Board:
        """The board after record `seq`, which must be the next one (records without effects too)."""
        if seq == 0:
            self.boards = [Board()]
            return self.boards[0]
        if seq != len(self.boards):
            raise ValueError(f"record {seq} does not follow record {len(self.boards) - 1}")
        effects = tuple(effects)
        if not effects:
            board = self.boards[-1]
        else:
            board = self.boards[-1].copy()
            for effect in effects:
                if effect[0] == REWIND:
                    board = self.boards[effect[1]].copy()
                else:
                    board.apply(effect)
            board.seq = seq
        self.boards.append(board)
        return board
