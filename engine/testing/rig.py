"""A rig for rule tests and for authors of new titles: set any position in a few lines, queue dice,
submit commands, read events.

    rig = Rig(RULES, pack, options={"hidden_movement": True})
    rig.state = replace(rig.state, turn=3)        # any state
    rig.jump("turn", "allied_movement")           # anywhere in the sequence of play
    rig.dice(5, 6)                                # the next open dice, in order
    events = rig.do("allied", "sail", "hood", "north_sea")
    refusal = rig.refused("axis", "sail", "bismarck", "north_sea")

Dice that were not queued are an error, so that a test states every die; `Rig(..., seed=7)` draws
unqueued ones from that seed instead.
"""

import hashlib
from collections import deque
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from warledger.engine.kernel import door
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.ledger import Batch, Keys, Ledger, genesis_record, unsigned
from warledger.engine.kernel.position import PLAYING, Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Choices, Fault, Pick, Picks, Refusal, Rules, Say, Seat
from warledger.protocol import canon
from warledger.protocol.board.effects import Board, BoardHistory
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, reveal
from warledger.protocol.log import bodies, records
from warledger.protocol.log.bodies import By, effects_of
from warledger.protocol.seats.acts import NO_KEY

S = TypeVar("S")


class QueuedChance:
    """Dice from a queue, then from a seed if one is given."""

    def __init__(self, seed: int | None) -> None:
        self.queue: deque[int] = deque()
        self.hidden_queue: deque[int] = deque()
        self._seed = None if seed is None else hashlib.sha256(f"rig {seed}".encode()).digest()

    def open(self, epoch: int, counter: int, purpose: str, sides: int) -> int:
        """The next queued pip, less one."""
        if self.queue:
            pips = self.queue.popleft()
            if not 1 <= pips <= sides:
                raise Fault(f"queued {pips} for a die of {sides} ({purpose})")
            return pips - 1
        return self._drawn(counter, purpose, sides)

    def hidden(self, counter: int, purpose: str, sides: int) -> int:
        """The next queued index."""
        if self.hidden_queue:
            return self.hidden_queue.popleft()
        return self._drawn(counter, purpose, sides)

    def _drawn(self, counter: int, purpose: str, sides: int) -> int:
        if self._seed is None:
            raise Fault(f"no die is queued for {purpose} (one of {sides})")
        return dice.draw_index(self._seed, counter, purpose, sides)


class Rig(Generic[S]):
    """A game on the bench. `position` and `state` may be set freely; `records` are what it wrote;
    `board` is the public board."""

    def __init__(
        self,
        rules: Rules[S],
        pack: Mapping[str, Any],
        *,
        options: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> None:
        self.rules = rules
        self.chance = QueuedChance(seed)
        keys = Keys(bytes(32), bytes(32), bytes(32))
        genesis = genesis_record(
            rules,
            game="rig",
            options=options or {},
            pack=canon.pack(canon.ordered(pack)),
            digest=bytes(32),
            keys=keys,
            server_key=bytes(32),
            at_ms=0,
            terms={records.UNSIGNED_SEATS: True},
        )
        self.ledger: Ledger[S] = Ledger(rules, genesis, keys, chance=self.chance)
        self.records: list[records.Record] = [genesis]
        self.openings: dict[int, tuple[Opening, ...]] = {}
        self._boards = BoardHistory()
        self._boards.fold(0, ())
        self.events: tuple[Any, ...] = ()
        # What a rule does is the same whoever signs: on the bench nobody does.
        for seat in rules.seats:
            hashed = dice.bound_nonce_hash(genesis.hash, seat, bytes(32))
            name, by = f"player of {seat}", self.by(seat)
            self._commit(self.ledger.propose_seat(seat, name, hashed, 0, by=by))
        roster = self.ledger.roster
        for seat in rules.seats:
            by = self.by(seat)
            self._commit(self.ledger.propose_nonce(seat, bytes(32), 0, by=by, roster=roster))

    # --- setting up -------------------------------------------------------------------------------

    @property
    def position(self) -> Position[S]:
        """The position as it is."""
        return self.ledger.position

    @position.setter
    def position(self, position: Position[S]) -> None:
        self.ledger.position = position

    @property
    def state(self) -> S:
        """The title's state."""
        return self.ledger.position.state

    @state.setter
    def state(self, state: S) -> None:
        self.ledger.position = replace(self.ledger.position, state=state)

    def change(self, **changes: Any) -> None:
        """Set fields of the state."""
        state: Any = self.state
        self.state = replace(state, **changes)

    def dice(self, *pips: int) -> None:
        """Queue open dice, in the order in which they will be rolled."""
        self.chance.queue.extend(pips)

    def draws(self, *indices: int) -> None:
        """Queue indices of draws from hidden contents."""
        self.chance.hidden_queue.extend(indices)

    def jump(self, *frames: str | Frame) -> tuple[Any, ...]:
        """Put play at a step (the last name; the sequences it stands in before it) and let the
        rules run until somebody is asked.

        A sequence among the names continues after the step that follows it here. Returns the events
        that happened by themselves.
        """
        made: list[Frame] = []
        for index, item in enumerate(frames):
            frame = item if isinstance(item, Frame) else Frame(item)
            sequence = self.rules.sequences.get(frame.name)
            if sequence is not None and not isinstance(item, Frame) and index + 1 < len(frames):
                following = frames[index + 1]
                name = following.name if isinstance(following, Frame) else following
                if name in sequence:
                    frame = Frame(frame.name, frame.args, sequence.index(name) + 1)
            made.append(frame)
        at = replace(self.position, flow=tuple(made), open=(), stage=PLAYING, outcome=None)
        table = Table(self.rules, self.ledger.codec, at, at.seq + 1, "", self.chance)
        asked = door.settle(self.rules, table)
        self.position = replace(
            table.at,
            open=tuple(
                (seat, at.seq, asked[seat].prompt.key) for seat in self.rules.seats if seat in asked
            ),
            epoch=table.epoch,
            turns=table.turns,
            counter=table.counter,
            undo=(),
            undo_seat="",
            outcome=table.outcome,
        )
        self.events = tuple(table.events)
        return self.events

    def run(self, act: Any) -> tuple[Any, ...]:
        """Call `act(table)` on a bare table: for rule functions that take one. The state is kept,
        the flow too."""
        table = Table(
            self.rules, self.ledger.codec, self.position, self.position.seq + 1, "", self.chance
        )
        act(table)
        self.position = replace(
            table.at, epoch=table.epoch, turns=table.turns, counter=table.counter
        )
        self.events = tuple(table.events)
        return self.events

    # --- playing ----------------------------------------------------------------------------------

    def asked(self) -> dict[Seat, str]:
        """Who is asked, and what: the prompt's key by seat."""
        found = door.deciders(self.rules, self.position)
        return {seat: found[seat].prompt.key for seat, *_ in self.position.open if seat in found}

    def choices(self, seat: Seat, *picks: Pick) -> Choices | Refusal:
        """What may come after these picks."""
        return door.choices(self.rules, self.position, seat, picks)

    def options(self, seat: Seat, *picks: Pick) -> tuple[Pick, ...]:
        """Just the ids on offer after these picks. Raises AssertionError when the picks are
        refused."""
        found = self.choices(seat, *picks)
        assert isinstance(found, Choices), f"{seat} {picks}: {found}"
        return tuple(option.id for option in found.options)

    def preview(self, seat: Seat, *picks: Pick) -> tuple[Say, ...] | Refusal:
        """Odds and the like beside these picks."""
        return door.preview(self.rules, self.position, seat, picks)

    def by(self, seat: Seat) -> By:
        """The next act of a seat, for the ledger's other proposals: it has seen everything, and
        signs nothing."""
        entry = self.position.seat(seat)
        known = entry.key(NO_KEY) if entry is not None else None
        return By(NO_KEY, 1 if known is None else known.n + 1, self.ledger.last.hash, b"")

    def submit(self, seat: Seat, *picks: Pick) -> tuple[Any, ...] | Refusal:
        """Submit a command: its events, or why not."""
        return self._submit(seat, picks)

    def do(self, seat: Seat, *picks: Pick) -> tuple[Any, ...]:
        """Submit a command that must be accepted; returns its events."""
        result = self._submit(seat, picks)
        assert not isinstance(result, Refusal), f"{seat} {picks}: {result}"
        return result

    def refused(self, seat: Seat, *picks: Pick) -> Refusal:
        """Submit a command that must be refused; returns the refusal. Nothing may have changed."""
        before = self.position
        result = self._submit(seat, picks)
        assert isinstance(result, Refusal), f"{seat} {picks} was accepted: {result}"
        assert self.position is before
        return result

    def _submit(self, seat: Seat, picks: Picks) -> tuple[Any, ...] | Refusal:
        decision = self.position.opened(seat) or 0
        batch = self.ledger.propose_command(unsigned(self.ledger, seat, decision, picks), 0)
        if isinstance(batch, Refusal):
            return batch
        return self._commit(batch)

    def _commit(self, batch: Batch[S] | Refusal) -> tuple[Any, ...]:
        assert not isinstance(batch, Refusal), batch
        self.ledger.commit(batch)
        events: list[Any] = []
        for record, openings in zip(batch.records, batch.openings, strict=True):
            self.records.append(record)
            self.openings[record.seq] = openings
            if record.kind == records.COMMAND:
                body = reveal(
                    record.body,
                    (opening for opening in openings if opening.path[0] != records.EFFECTS),
                )
                events.extend(
                    self.ledger.codec.decode(event, record.seq)
                    for event in bodies.CommandBody.read(body).events
                )
            self._boards.fold(record.seq, effects_of(record))
        self.events = tuple(events)
        self.rules.invariants(self.state)
        return self.events

    # --- looking ----------------------------------------------------------------------------------

    @property
    def board(self) -> Board:
        """The public board: the fold of all effects so far (not of states that were set by
        hand)."""
        return self._boards.now

    def said(self) -> list[str]:
        """Keys of the sentences that the last record told."""
        return [effect[1] for effect in effects_of(self.records[-1]) if effect[0] == "say"]
