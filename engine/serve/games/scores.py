"""Where games stand, for lists: the turn and the score, by their descriptions.

Rules of this file:
- Only what a record tells everybody counts, and only records that whoever is told may see.
- Of a record nothing is decoded unless its bytes have the name of something that counts. What has
  been read is kept, so that a list reads the records that are new.
- One list reads at most `RECORDS_MOST` records, so that it never takes long. What it does not come
  to is told without, until a later list has read it.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import define, field, frozen

from warledger.engine.runtime import titles
from warledger.engine.runtime.game.actor import Game
from warledger.engine.store.port import FRAME_RECORD, Store, StoreError
from warledger.protocol import canon
from warledger.protocol.board import description, effects
from warledger.protocol.board.description import UNREADABLE, Description
from warledger.protocol.board.effects import Board, Effect
from warledger.protocol.log import records
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.log.records import CorruptLog, Genesis, Record

RECORDS_MOST: Final = 50_000
"""Records that may be read for one list."""
GAMES_KEPT: Final = 20_000
DESCRIPTIONS_KEPT: Final = 64
TURN: Final = "turn"
CONTROL: Final = "control."
_REWIND: Final = canon.pack(effects.REWIND)

Told = dict[str, Any]
"""`turn`, [number, last one or nil], and `score`, a map of `told` (see `scoring.Scoring`) and
`points`, [side, number] each; nil where there is none."""

Telling = tuple[int, tuple[Effect, ...]]

NOTHING: Final[Told] = {"turn": None, "score": None}


@frozen
class Counter:
    """How the games of one pack and options are counted. `signs` are bytes of which a record has
    one if anything in it counts."""

    told: Description
    tracks: frozenset[str]
    signs: tuple[bytes, ...]
    last_turn: int | None

    @classmethod
    def of(cls, told: Description) -> Counter:
        """How games with this description are counted."""
        tallies = told.scoring.tallies if told.scoring else ()
        tracks = {TURN, *(tally.track for tally in tallies if tally.track)}
        by_control = any(tally.places or tally.lacking for tally in tallies)
        control = (CONTROL.encode(),) if by_control else ()
        last = next((track.last for track in told.tracks if track.id == TURN), None)
        # Of the places only those that count are kept, and nothing of the pieces.
        kept = description.Description(
            description.LIST,
            sides=told.sides,
            places=told.places if by_control else (),
            areas=tuple(area for area in told.areas if area.kind == "control")
            if by_control
            else (),
            scoring=told.scoring,
        )
        signs = (*(canon.pack(name) for name in sorted(tracks)), *control, _REWIND)
        return cls(kept, frozenset(tracks), signs, last)

    def counts(self, effect: Effect) -> bool:
        """Whether the effect changes what is counted."""
        if effect[0] == effects.TRACK:
            return effect[1] in self.tracks
        return effect[0] == effects.MARK and str(effect[2]).startswith(CONTROL)

    def shown(self, board: Board) -> Told:
        """What a list says about a board."""
        now = board.tracks.get(TURN)
        points = description.tallied(self.told, board)
        scoring = self.told.scoring
        return {
            "turn": (now, self.last_turn) if type(now) is int else None,
            "score": {"told": scoring.told, "points": tuple(points.items())}
            if scoring is not None and points
            else None,
        }


@define
class State:
    """A game after the record `seq`, as far as it counts."""

    counter: Counter
    board: Board
    seq: int


@define(eq=False)
class Scores:
    """What has been counted of the games that are kept here. Its methods block."""

    _counters: dict[bytes, Counter] = field(factory=dict)
    _states: dict[tuple[str, bool], State] = field(factory=dict)
    _lock: threading.Lock = field(factory=threading.Lock)

    def of(
        self,
        store: Store,
        known: Mapping[str, titles.Title],
        games: Iterable[tuple[Game, int]],
        most: int = RECORDS_MOST,
    ) -> dict[str, Told]:
        """Where each of these games stands after a record, by its id. One that is left out has not
        been read yet, since this would be more than `most` records. Of a game that cannot be read
        there is nothing to tell."""
        found: dict[str, Told] = {}
        has_read = False
        with self._lock:
            for game, seq in games:
                key = (game.id, seq > game.shown.seq)
                state = self._states.get(key)
                if state is not None and state.seq > seq:
                    state = None
                begin = -1 if state is None else state.seq
                if seq - begin > most and has_read:
                    continue
                has_read = has_read or begin < seq
                most -= seq - begin
                try:
                    state = self._read(store, known, game, state, seq)
                    found[game.id] = state.counter.shown(state.board)
                except (CorruptLog, canon.NotCanonical, StoreError, *UNREADABLE):
                    found[game.id] = NOTHING
                    continue
                if len(self._states) >= GAMES_KEPT:
                    self._states.clear()
                self._states[key] = state
        return found

    def forget(self, games: Iterable[str]) -> None:
        """These are not asked for again."""
        with self._lock:
            for game in games:
                self._states.pop((game, False), None)
                self._states.pop((game, True), None)

    def _read(
        self,
        store: Store,
        known: Mapping[str, titles.Title],
        game: Game,
        state: State | None,
        seq: int,
    ) -> State:
        if state is not None and state.seq == seq:
            return state
        if state is not None:
            telling = _telling(state.counter, _payloads(store, game.id, state.seq + 1, seq))
            if not _targets(telling):
                return State(state.counter, _folded(telling, state.board.copy()), seq)
        payloads = _payloads(store, game.id, 0, seq)
        counter = self._counter(known, payloads[0])
        telling = _telling(counter, payloads)
        return State(counter, _folded(telling, Board()), seq)

    def _counter(self, known: Mapping[str, titles.Title], payload: bytes) -> Counter:
        genesis = Genesis.from_record(records.read(payload, trusted=True))
        made_from = (genesis.title, genesis.pack, canon.ordered(genesis.options))
        digest = hashlib.sha256(canon.pack(made_from)).digest()
        counter = self._counters.get(digest)
        if counter is None:
            title = known.get(genesis.title)
            told = titles.description(
                None if title is None else title.rules,
                canon.unpack_trusted(genesis.pack),
                genesis.options,
            )
            counter = Counter.of(description.read(told))
            if len(self._counters) >= DESCRIPTIONS_KEPT:
                self._counters.clear()
            self._counters[digest] = counter
        return counter


def _payloads(store: Store, game: str, first: int, last: int) -> list[bytes]:
    frames = store.read(game, first, last + 1 - first)
    return [frame.payload for frame in frames if frame.kind == FRAME_RECORD][: last + 1 - first]


def _telling(counter: Counter, payloads: Sequence[bytes]) -> list[Telling]:
    """The effects that count, or that go back, of each record that has any, with its number."""
    found = []
    for payload in payloads:
        if not any(sign in payload for sign in counter.signs):
            continue
        record: Record = records.read(payload, trusted=True)
        told = tuple(
            effect
            for effect in effects_of(record)
            if effect[0] == effects.REWIND or counter.counts(effect)
        )
        if told:
            found.append((record.seq, told))
    return found


def _targets(telling: Iterable[Telling]) -> list[int]:
    """The records to which takebacks go back."""
    return [effect[1] for _, told in telling for effect in told if effect[0] == effects.REWIND]


def _folded(telling: Sequence[Telling], board: Board) -> Board:
    """The board after these records: all of a game, where any of them goes back."""
    targets = sorted(set(_targets(telling)))
    kept: dict[int, Board] = {}
    for seq, told in telling:
        while targets and targets[0] < seq:
            kept[targets.pop(0)] = board.copy()
        for effect in told:
            if effect[0] == effects.REWIND:
                board = kept[effect[1]].copy()
            else:
                board.apply(effect)
    return board
