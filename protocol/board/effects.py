"""The generic vocabulary of effects, and the board as a fold of them.

Every command carries effects inside the chain, so that a client can draw any game without rules. An
effect is an array whose first element is its tag:

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
    ["open", span, key, [[name, value]…]] / ["close", span]     turn, activation, combat: the steps
                                                                of a timeline
    ["rewind", seq]                       a takeback: the board is again as after that record
    ["say", key, [[name, value] …], rule] a sentence of the story
    ["veil", [effect …]]                  effects for some readers alone: a record holds
                                          one seal in place of the list, so that neither the number
                                          nor the length of what is hidden shows
    ["learn", seat]                       the seat learnt something new in secret: its free
                                          takebacks end here

A hidden argument is a seal; the client that is given its opening fills it in.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import attrs
from attrs import define, field, frozen

from warledger.protocol import canon
from warledger.protocol.board.choices import Say, is_for_client_alone
from warledger.protocol.chance.seal import Secret, holds_seal
from warledger.protocol.limits import (
    BOARD_MARKS_MAX,
    BOARD_PIECES_MAX,
    BOARD_TRACKS_MAX,
    SPANS_OPEN_MAX,
)

Effect: TypeAlias = tuple[Any, ...]

PUT, MOVE, FLIP, TAKE, MARK, TRACK, COUNT = "put", "move", "flip", "take", "mark", "track", "count"
PHASE, AWAIT, ROLL, OPEN, CLOSE, REWIND, SAY = (
    "phase",
    "await",
    "roll",
    "open",
    "close",
    "rewind",
    "say",
)

VEIL, LEARN = "veil", "learn"

SPANS = ("game", "turn", "activation", "combat")


def put(piece: str, place: str, face: Any = "", owner: str = "") -> Effect:
    """A piece appears in a place."""
    return (PUT, piece, place, face, owner)


def move(piece: str, *path: str) -> Effect:
    """A piece moves along a path of places and stops in the last one."""
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


def veil(readers: Iterable[str], *hidden: Effect) -> Effect:
    """Effects that only these seats see until the game has ended. What is inside is plain: the veil
    hides it. It may hold pieces, markers, tracks, counts, dice and sentences; who is asked and the
    steps of the timeline are public."""
    return (VEIL, Secret(hidden, tuple(readers)))


def learn(seat: str) -> Effect:
    """The seat learnt something new in secret. The fact is public, the content is not."""
    return (LEARN, seat)


def turns_closed(told: Any) -> int:
    """How many turns end in packed effects: how often ["close", "turn"] stands in them. (A turn
    that ends with the span around it is not counted.) Their spelling is not checked: `unpack` does.

    Raises NotCanonical for bytes that are not a list of effects.
    """
    # Nearly all commands end no turn, as a quick check of the bytes shows.
    if type(told) is not bytes or TURN_CLOSED not in told:
        return 0
    return sum(effect == (CLOSE, "turn") for effect in _listed(canon.unpack_trusted(told)))


TURN_CLOSED = canon.pack((CLOSE, "turn"))
"""What stands in packed effects that end a turn."""
_VEIL, _LEARN = canon.pack(VEIL), canon.pack(LEARN)


def brings_news(
    seat: str,
    picks: Any,
    events: tuple[Any, ...],
    told: bytes | Iterable[Effect],
    *,
    chance: bool,
    seals: bool = True,
) -> bool:
    """Whether a command tells its seat something new: then only the others' consent, or a ruling,
    goes back over it. Kernel and audit ask here, and nowhere else is it decided.

    `chance`: it draws, opens something, or ends a turn for the first time. `told` are its effects,
    packed or not; `seals`: whether its record may hold a seal.

    Without chance it does so by hidden facts in its events or a veil, or since an effect says that
    the seat learns something. Hidden facts do not count where its own picks were hidden: the seat
    knew what it wrote in secret. What is hidden may be opened or not.

    Raises NotCanonical for bytes that are no list of effects.
    """
    if chance:
        return True
    open_picks = not (seals and holds_seal(picks))
    if seals and open_picks and holds_seal(events):
        return True
    effects: Any = told
    if type(told) is bytes:
        # Nearly all commands have neither effect, as a quick check of the bytes shows.
        if not (seals and _VEIL in told) and _LEARN not in told:
            return False
        effects = canon.unpack_trusted(told)
    learnt = (LEARN, seat)
    return any((effect[0] == VEIL and open_picks) or effect == learnt for effect in effects)


@frozen
class Piece:
    """A piece as an audience sees it. `face` is a Seal while it is hidden from that audience."""

    place: str
    face: Any = ""
    owner: str = ""


class TooLarge(ValueError):
    """A board beyond the bounds of `warledger.protocol.limits`: more of `what` than `most`."""

    def __init__(self, what: str, most: int) -> None:
        super().__init__(f"the board has more than {most} {what}; no game needs that many")
        self.what = what
        self.most = most


@define
class Board:
    """The board of one audience as of one record: a fold of effects. `copy` before `apply` to keep
    the old one."""

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
        """Fold one effect. `rewind` is not handled here: whoever keeps the boards goes back to the
        one it names. Unknown tags are skipped, so that an older client still draws what it knows.
        So are effects on a piece or box whose name is sealed from this audience.

        Raises TooLarge for a board beyond the bounds of `warledger.protocol.limits`. Raises
        TypeError, ValueError or IndexError for an effect without the form of its tag. The board
        must then be discarded.
        """
        tag = effect[0]
        if type(effect[1]) is canon.Seal:
            return
        if tag == MOVE:
            shown = self.pieces.get(effect[1])
            if shown is not None and effect[2]:
                self.pieces[effect[1]] = Piece(effect[2][-1], shown.face, shown.owner)
        elif tag == PUT:
            self.pieces[effect[1]] = Piece(effect[2], effect[3], effect[4])
            if len(self.pieces) > BOARD_PIECES_MAX:
                raise TooLarge("pieces", BOARD_PIECES_MAX)
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
                if len(self.marks) > BOARD_MARKS_MAX:
                    raise TooLarge("markers", BOARD_MARKS_MAX)
        elif tag == TRACK:
            self.tracks[effect[1]] = effect[2]
            if len(self.tracks) > BOARD_TRACKS_MAX:
                raise TooLarge("tracks", BOARD_TRACKS_MAX)
        elif tag == COUNT:
            self.counts[effect[1]] = effect[2]
            if len(self.counts) > BOARD_TRACKS_MAX:
                raise TooLarge("counts of boxes", BOARD_TRACKS_MAX)
        elif tag == PHASE:
            self.phase = Say(effect[1], effect[2])
        elif tag == AWAIT:
            self.awaits = effect[1]
        elif tag == OPEN:
            self.spans = (*self.spans, (effect[1], Say(effect[2], effect[3])))
            if len(self.spans) > SPANS_OPEN_MAX:
                raise TooLarge("open spans", SPANS_OPEN_MAX)
        elif tag == CLOSE:
            for index in range(len(self.spans) - 1, -1, -1):
                if self.spans[index][0] == effect[1]:
                    self.spans = self.spans[:index]
                    break


def unpack(blob: bytes) -> tuple[Effect, ...]:
    """The effects of a record's blob. Raises NotCanonical if it is not a list of effects."""
    return _listed(canon.unpack(blob))


def _listed(value: Any) -> tuple[Effect, ...]:
    if type(value) is not tuple or not all(
        type(item) is tuple and item and type(item[0]) is str for item in value
    ):
        raise canon.NotCanonical("effects are arrays that begin with their tag")
    return value


class BadEffect(ValueError):
    """An effect that does not have the form of its tag."""


def _is_text(value: Any) -> bool:
    return type(value) is str or type(value) is canon.Seal


def _is_name(value: Any) -> bool:
    return type(value) is str


def _is_whole(value: Any) -> bool:
    return type(value) is int or type(value) is canon.Seal


def _is_shown(value: Any) -> bool:
    return type(value) in (str, int, bool, type(None), canon.Seal) or (
        type(value) is tuple and all(map(_is_shown, value))
    )


def _is_path(value: Any) -> bool:
    return type(value) is canon.Seal or (type(value) is tuple and all(map(_is_text, value)))


def _is_names(value: Any) -> bool:
    return type(value) is tuple and all(map(_is_name, value))


def _is_arguments(value: Any) -> bool:
    return type(value) is tuple and all(
        type(item) is tuple and len(item) == 2 and type(item[0]) is str for item in value
    )


def _is_record(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_sealed(value: Any) -> bool:
    return type(value) is canon.Seal


_FORMS: dict[str, tuple[Callable[[Any], bool], ...]] = {
    PUT: (_is_text, _is_text, _is_shown, _is_text),
    MOVE: (_is_text, _is_path),
    FLIP: (_is_text, _is_shown),
    TAKE: (_is_text, _is_text),
    MARK: (_is_text, _is_name, _is_shown),
    TRACK: (_is_text, _is_shown),
    COUNT: (_is_text, _is_shown),
    PHASE: (_is_name, _is_arguments),
    AWAIT: (_is_names,),
    ROLL: (_is_text, _is_whole, _is_shown),
    OPEN: (_is_name, _is_name, _is_arguments),
    CLOSE: (_is_name,),
    REWIND: (_is_record,),
    SAY: (_is_name, _is_arguments, _is_name),
    VEIL: (_is_sealed,),
    LEARN: (_is_name,),
}


def check_effects(effects: Iterable[Effect]) -> None:
    """Raise BadEffect unless each effect has the form that the vocabulary gives to its tag; tags
    that are not in it pass.

    Any client that draws relies on it. What is hidden may be a seal, but not the keys of a sentence
    or the seats that decide.
    """
    for effect in effects:
        tag = effect[0]
        form = _FORMS.get(tag)
        if form is None:
            if len(effect) < 2:
                raise BadEffect(f"the effect {tag!r} has no arguments")
            continue
        _check_form(effect, form)
        if effect[0] in _TOLD and is_for_client_alone(effect):
            raise BadEffect(f"the effect {effect[0]!r} speaks in the name of a client")


def _check_form(effect: Effect, form: Sequence[Callable[[Any], bool]]) -> None:
    if len(effect) < len(form) + 1:
        raise BadEffect(
            f"the effect {effect[0]!r} has {len(effect) - 1} arguments instead of {len(form)}"
        )
    for index, fits in enumerate(form, 1):
        if not fits(effect[index]):
            raise BadEffect(
                f"argument {index} of the effect {effect[0]!r} is of another form than its tag has"
            )


VEILED = frozenset((PUT, MOVE, FLIP, TAKE, MARK, TRACK, COUNT, ROLL, SAY))
"""Effects that a veil may contain. Everybody's play and timeline depend on the others, and what a
reader does not know it could not be sure of."""


def unveiled(value: Any) -> tuple[Effect, ...]:
    """The effects that an opened veil holds.

    Raises BadEffect for anything but a list of effects that may be hidden, each with the form of
    its tag. An effect may not hold a seal itself: nothing would ever open it.
    """
    if value == ():
        return ()
    if type(value) is not tuple or not all(
        type(item) is tuple and item and type(item[0]) is str for item in value
    ):
        raise BadEffect("a veil holds a list of effects")
    for effect in value:
        if effect[0] not in VEILED:
            raise BadEffect(f"a veil holds the effect {effect[0]!r}, which it may not")
        _check_form(effect, _FORMS[effect[0]])
    if holds_seal(value):
        raise BadEffect("a veil holds a seal")
    return value


_TOLD = frozenset((SAY, PHASE, OPEN))
"""Effects that contain a sentence."""

KEPT_EVERY = 64
"""One board in this many is kept; those between are folded again when they are needed."""

_WEIGHED_EFFECTS = 64
"""This many effects in one record count as another record. So a few heavy records cost no more to
fold again than many light ones."""

_LOOKED_AT = 4
"""The boards that were requested last are kept, because the next one requested is often close to
them."""


@define(eq=False)
class BoardHistory:
    """Every board of one audience, record by record: `at(seq)` is the board after a record, for
    stepping backwards and for takebacks.

    What is kept is each record's effects, and one board in `KEPT_EVERY`. A takeback makes the
    records a tree. A board is kept when half as many lie beneath it as above. So neither a long
    game nor one of takebacks alone keeps more. No look-up folds more than one and a half times
    `KEPT_EVERY`. Boards that are handed out must not be changed; they will not change either.
    """

    _node: list[int] = field(factory=lambda: [0])
    _before: dict[int, int] = field(factory=dict)
    _effects: dict[int, tuple[Effect, ...]] = field(factory=dict)
    _depth: dict[int, int] = field(factory=lambda: {0: 0})
    _anchor: dict[int, int] = field(factory=lambda: {0: 0})
    _kept: dict[int, Board] = field(factory=lambda: {0: Board()})
    _looked: dict[int, Board] = field(factory=dict)
    _now: Board = field(factory=Board)
    _shown: bool = False

    @property
    def now(self) -> Board:
        """The board after the last record."""
        self._shown = True
        return self._now

    @property
    def last_seq(self) -> int:
        """Number of the last record folded."""
        return len(self._node) - 1

    @property
    def kept(self) -> int:
        """How many boards are kept whole."""
        return len(self._kept) + len(self._looked) + 1

    def at(self, seq: int) -> Board:
        """The board after record `seq`. Raises IndexError for a record that has not been folded."""
        if seq < 0:
            raise IndexError(f"there is no record {seq}")
        node = self._node[seq]
        return self.now if node == self._node[-1] else self._look(node)

    def fold(self, seq: int, effects: Iterable[Effect]) -> None:
        """Take in record `seq`, which must be the next one (records without effects too).

        Raises ValueError for another record, what `Board.apply` raises, and TypeError, ValueError
        or IndexError for a takeback to a record that is not there. The boards are then as before.
        """
        if seq == 0:
            fresh = BoardHistory()
            for one in attrs.fields(BoardHistory):
                setattr(self, one.name, getattr(fresh, one.name))
            return
        if seq != len(self._node):
            raise ValueError(f"record {seq} does not follow record {len(self._node) - 1}")
        own = tuple(effects)
        if not own:
            self._node.append(self._node[-1])
            return
        before = self._node[-1]
        # What stood before a rewind is gone with it.
        last = max((index for index, effect in enumerate(own) if effect[0] == REWIND), default=None)
        if last is not None:
            to = own[last][1]
            if type(to) is not int or not 0 <= to < seq:
                raise ValueError(f"record {seq} goes back to record {to!r}")
            before, own = self._node[to], own[last + 1 :]
            self._now, self._shown = self._look(before), True
        if self._shown:
            self._now, self._shown = self._now.copy(), False
        try:
            _apply(self._now, seq, own)
        except Exception:
            self._now, self._shown = self._folded(self._node[-1]), False
            raise
        self._node.append(seq)
        self._before[seq], self._effects[seq] = before, own
        self._keep(seq, before)

    def _keep(self, seq: int, before: int) -> None:
        """Note where a record is in the tree, and keep the board of the anchor above it once that
        is half a stretch away.

        An anchor is a record with which a stretch of KEPT_EVERY begins. An anchor with fewer
        records beneath it is not worth keeping. Otherwise a game of takebacks to just before an
        anchor would keep a board for every record.
        """
        depth = self._depth[before] + 1 + len(self._effects[seq]) // _WEIGHED_EFFECTS
        self._depth[seq] = depth
        self._anchor[seq] = anchor = (
            seq if depth // KEPT_EVERY > self._depth[before] // KEPT_EVERY else self._anchor[before]
        )
        if anchor not in self._kept and depth >= self._depth[anchor] + KEPT_EVERY // 2:
            self._kept[anchor] = self._folded(anchor)

    def _look(self, node: int) -> Board:
        found = self._looked.pop(node, None)
        if found is None:
            found = self._folded(node)
        self._looked[node] = found
        if len(self._looked) > _LOOKED_AT:
            del self._looked[next(iter(self._looked))]
        return found

    def _folded(self, node: int) -> Board:
        way = []
        at = node
        while at not in self._kept and at not in self._looked:
            way.append(at)
            at = self._before[at]
        board = (self._kept.get(at) or self._looked[at]).copy()
        for seq in reversed(way):
            _apply(board, seq, self._effects[seq])
        return board


def _apply(board: Board, seq: int, effects: Iterable[Effect]) -> None:
    for effect in effects:
        board.apply(effect)
    board.seq = seq
