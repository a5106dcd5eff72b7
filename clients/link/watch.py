"""Following one game as one audience: every record is checked as it arrives, and folded to that
audience's board.

A `Watch` keeps what it has seen. Each iteration over it is a cursor, so several tasks may read the
same game at their own pace, and none can lose a record. The chain, the signed heads and every
opening are checked, every seat's signature (`warledger.protocol.seats.acting`), and every draw as
soon as its seed is open (`warledger.protocol.chance.drawing`). A fault stops the watch for good and
is raised to all readers.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import trio
from attrs import define, field, frozen
from attrs import evolve as replace

from warledger.clients.link.errors import BadServer, LinkError
from warledger.protocol import canon
from warledger.protocol.board.choices import Say, is_for_client_alone, say
from warledger.protocol.board.effects import Board, BoardHistory, Effect, check_effects, unpack
from warledger.protocol.chance import dice, seal
from warledger.protocol.chance.drawing import Drawing
from warledger.protocol.chance.seal import BadOpening, Opening
from warledger.protocol.chance.unsealing import Unsealing
from warledger.protocol.clocks.clock import Reading, reading
from warledger.protocol.clocks.clockcontrol import Control
from warledger.protocol.clocks.clockstate import Clocks
from warledger.protocol.log import bodies, chain, deskbodies, records
from warledger.protocol.log.chain import Head
from warledger.protocol.log.records import CorruptLog, Genesis, Record
from warledger.protocol.seats.acting import Acting
from warledger.protocol.seats.promised import digest_of_orders, digest_of_picks, follows_from
from warledger.protocol.seats.seating import Wrong


@frozen
class Seen:
    """One record as its audience sees it."""

    record: Record
    effects: tuple[Effect, ...] = field(repr=False)
    boards: BoardHistory = field(repr=False, eq=False)
    openings: tuple[Opening, ...] = field(default=(), repr=False)

    @property
    def board(self) -> Board:
        """The board after this record. It must not be changed."""
        return self.boards.at(self.record.seq)


@frozen
class SeatSeen:
    """What the log says about a seat: who holds it, how far its commitment to the dice has come,
    and with which keys it signs.

    `signs` is False for a seat that signs nothing: where the game allows it and its player has no
    key.
    """

    seat: str
    principal: str = ""
    nonce_hash: bytes | None = None
    nonce_shown: bool = False
    keys: tuple[bytes, ...] = ()

    @property
    def signs(self) -> bool:
        """Whether it signs what it does."""
        return bool(self.keys)


@frozen
class AskSeen:
    """A request that waits for consent: "takeback" to a record, "draw", or "pause" or "adjourn"
    until a moment (0: until the seats wish to go on)."""

    seat: str
    kind: str
    to: int
    seq: int
    consents: tuple[str, ...] = ()


@define(eq=False)
class Watch:
    """A game as `audience` sees it. `seen[n]` is record n; `last_seq` is -1 before the genesis has
    come."""

    game: str
    audience: str
    seen: list[Seen] = field(factory=list, repr=False)
    seats: dict[str, SeatSeen] = field(factory=dict)
    ask: AskSeen | None = None
    winner: str | None = None
    reason: Say | None = None
    fault: LinkError | None = None
    guards: list[Callable[[Seen], None]] = field(factory=list, repr=False)
    """Each checks every record before anybody sees it, and raises BadServer for an invalid one."""
    _acting: Acting | None = field(default=None, repr=False)
    _drawing: Drawing | None = field(default=None, repr=False)
    _unsealing: Unsealing = field(factory=Unsealing, repr=False)
    _secrets: bodies.End | None = field(default=None, repr=False)
    _opened: dict[tuple[int, tuple[int, ...]], Opening] = field(factory=dict, repr=False)
    _genesis: Genesis | None = field(default=None, repr=False)
    _boards: BoardHistory = field(factory=BoardHistory, repr=False)
    _heads: dict[int, Head] = field(factory=dict, repr=False)
    _news: trio.Event = field(factory=trio.Event, repr=False)
    _promised: int = -1

    # --- looking ----------------------------------------------------------------------------------

    @property
    def last_seq(self) -> int:
        """Number of the newest record seen."""
        return len(self.seen) - 1

    @property
    def genesis(self) -> Genesis:
        """The game's first record. Raises LookupError before it has arrived."""
        if self._genesis is None:
            raise LookupError("the genesis record has not come yet")
        return self._genesis

    @property
    def acting(self) -> Acting:
        """The seats and their keys as the log has them. Raises LookupError as `genesis`."""
        if self._acting is None:
            raise LookupError("the genesis record has not come yet")
        return self._acting

    @property
    def board(self) -> Board:
        """The board now. It must not be changed."""
        return self._boards.now

    @property
    def head(self) -> bytes:
        """The hash of the newest record seen."""
        return self.seen[-1].record.hash if self.seen else b""

    @property
    def ended(self) -> bool:
        """Whether the game is over: its result has been seen."""
        return self.reason is not None

    @property
    def whole(self) -> bool:
        """Whether the game's last record has been seen, after which nothing is hidden."""
        return self.ended and self._unsealing.whole

    @property
    def server_key(self) -> bytes:
        """The key that signs the game's heads now."""
        return self.acting.server_key

    @property
    def table_code(self) -> str:
        """The code for the players to compare; "" before every nonce is revealed."""
        return self.acting.table_code

    @property
    def control(self) -> Control | None:
        """What the game fixes about time; None for a game without clocks."""
        return self.acting.time.control

    @property
    def clocks(self) -> Clocks | None:
        """All clocks after the newest record; None for a game without."""
        return self.acting.time.clocks

    def clock_of(self, seat: str, now_ms: int) -> Reading | None:
        """What the clock of a seat shows at a moment, by the server's time; None in a game without
        clocks. Raises KeyError for a seat that the game does not have."""
        control, clocks = self.control, self.clocks
        if control is None or clocks is None:
            return None
        newest = self.seen[-1].record.at_ms if self.seen else 0
        return reading(control, clocks, seat, max(now_ms, newest))

    @property
    def begun(self) -> bool:
        """Whether play has begun: every nonce is known."""
        return bool(self.seats) and all(entry.nonce_shown for entry in self.seats.values())

    async def wait(self) -> None:
        """Wait until something new has arrived. Raises the watch's fault, if it has one."""
        if self.fault is None:
            await self._news.wait()
        if self.fault is not None:
            raise self.fault

    async def reached(self, seq: int) -> None:
        """Wait until record `seq` has arrived."""
        while self.last_seq < seq:
            await self.wait()

    async def caught_up(self) -> None:
        """Wait until everything has arrived that the server had when it was asked."""
        while self.last_seq < self._promised or self._genesis is None:
            await self.wait()

    def __aiter__(self) -> AsyncIterator[Seen]:
        return self.after(-1)

    async def after(self, seq: int) -> AsyncIterator[Seen]:
        """Every record after `seq`, those to come too, until the game's last one. Raises the
        watch's fault at its place in the log."""
        at = seq + 1
        while True:
            while at < len(self.seen):
                seen = self.seen[at]
                at += 1
                yield seen
                if bodies.closes_log(seen.record):
                    return
            if self.whole and at >= len(self.seen):
                return
            await self.wait()

    # --- taking in --------------------------------------------------------------------------------

    def promise(self, last_seq: int) -> None:
        """The server says what the newest record is."""
        self._promised = max(self._promised, last_seq)

    def fail(self, fault: LinkError) -> None:
        """Nothing more will arrive, for this reason."""
        if self.fault is None:
            self.fault = fault
        self._wake()

    def take(self, first_seq: int, items: Iterable[tuple[bytes, bytes]]) -> None:
        """Check and fold records that have arrived. Those seen before are skipped; a gap is a
        fault."""
        if self.fault is not None:
            return
        try:
            for index, (data, packed) in enumerate(items):
                if first_seq + index <= self.last_seq:
                    if self.seen[first_seq + index].record.data != data:
                        raise BadServer(
                            f"record {first_seq + index} of {self.game} came again with other bytes"
                        )
                    continue
                self._take(data, packed)
        except records.OtherFormat as error:
            self.fault = LinkError(say("error.other_format", game=self.game, format=error.format))
        except (CorruptLog, BadOpening, canon.NotCanonical) as error:
            self.fault = BadServer(say("link.bad_record", game=self.game, what=str(error)))
        except LinkError as error:
            self.fault = error
        except (TypeError, ValueError, LookupError) as error:
            what = f"record {self.last_seq + 1}: {type(error).__name__}: {error}"
            self.fault = BadServer(say("link.bad_record", game=self.game, what=what))
        self._wake()

    def expect(self, head: Head) -> None:
        """Check a signed head against the log: its signature now, its hash as soon as its record is
        here. Raises BadServer."""
        if head.seq <= self.last_seq:
            self._check_head(head)
            return
        # The key may change before that record, so the signature is checked again there.
        if head.game != self.game:
            raise BadServer(say("link.head_unsigned", game=self.game, seq=head.seq))
        other = self._heads.setdefault(head.seq, head)
        if other.hash != head.hash:
            raise BadServer(say("link.fork", game=self.game, seq=head.seq))

    def bears_out(self, head: Head) -> bool:
        """Whether the log as seen so far has the record that a kept head of this game signs. Heads
        of other keys say nothing."""
        if head.seq <= self.last_seq and self.seen[head.seq].record.hash == head.hash:
            return True
        return not self.signs(head)

    def signs(self, head: Head) -> bool:
        """Whether a key that is the server's in this game, at any time of it so far, signed the
        head."""
        keys = [self.genesis.server_key, *(key for _, key in self.acting.rotations)]
        return head.game == self.game and any(chain.head_is_signed_by(key, head) for key in keys)

    def guard(self, check: Callable[[Seen], None]) -> None:
        """Check every record with this, beginning with those that have arrived already. Raises
        BadServer, also as the watch's fault."""
        try:
            for seen in self.seen:
                check(seen)
        except BadServer as error:
            self.fail(error)
            raise
        self.guards.append(check)

    def _wake(self) -> None:
        news, self._news = self._news, trio.Event()
        news.set()

    def _take(self, data: bytes, packed: bytes) -> None:
        after = self.seen[-1].record if self.seen else None
        (record,) = chain.follow((data,), after=after)
        openings = seal.unpack_openings(packed) if packed else ()
        if record.seq == 0:
            self._begin(record)
        self._check_openings(record, openings)
        self._judge(record, openings)
        effects = bodies.effects_of(record, openings)
        check_effects(effects)
        self._boards.fold(record.seq, effects)
        seen = Seen(record, effects, self._boards, openings)
        for check in self.guards:
            check(seen)
        self.seen.append(seen)
        _NOTE.get(record.kind, _nothing)(self, record)
        head = self._heads.pop(record.seq, None)
        if head is not None:
            self._check_head(head)

    def _begin(self, record: Record) -> None:
        self._genesis = Genesis.from_record(record)
        if self._genesis.game != self.game:
            raise BadServer(f"asked for {self.game}, the server sent {self._genesis.game}")
        if type(canon.unpack(self._genesis.pack)) is not dict:
            raise BadServer(f"the data of {self.game} are not a pack")
        self.seats = {seat: SeatSeen(seat) for seat in self._genesis.seats}
        self._acting = Acting(self._genesis)
        self._drawing = Drawing(self._genesis)

    def _judge(self, record: Record, openings: tuple[Opening, ...]) -> None:
        """Signatures, keys and causes; draws against seeds; digests against what is open."""
        assert self._drawing is not None
        wrong: list[Wrong] = self.acting.take(record)
        wrong += _about(record.seq, self._drawing.take(record))
        wrong += self._unsealing.take(record)
        if record.kind == records.END:
            self._secrets = end = bodies.End.read(record.body)
            if dice.hidden_commitment(self.genesis.game, end.hidden) != self.genesis.hidden:
                wrong.append(("hidden", say("acts.hidden")))
            if seal.salt_key_commitment(self.genesis.game, end.salts) != self.genesis.salts:
                wrong.append(("salts", say("acts.salts")))
        if record.kind == records.REVEAL:
            public = bodies.openings_of(record)
            self._opened.update({(opening.seq, opening.path): opening for opening in public})
            wrong += self._digests(record, public)
        else:
            wrong += self._digests(record, openings)
        if bodies.closes_log(record) and self._secrets is not None:
            wrong += self._all_open(self._secrets)
        if wrong:
            where, what = wrong[0]
            raise BadServer(
                say("link.wrong", game=self.game, seq=record.seq, field=where, what=what.as_array())
            )

    def _all_open(self, end: bodies.End) -> list[Wrong]:
        """What can be checked once everything is open."""
        assert self._drawing is not None
        opened = self._opened
        values = {place: opening.value for place, opening in opened.items()}
        last = self.seen[-1].record.seq
        wrong = _about(last, self._drawing.hidden(end.hidden, values))
        wrong += self._by_orders(values)
        wrong += [
            ("salt", say("acts.salts"))
            for (seq, path), opening in opened.items()
            if seal.salt_of(end.salts, seq, path) != opening.salt
        ][:1]
        self._opened = {}
        return wrong

    def _digests(self, record: Record, openings: Iterable[Opening]) -> list[Wrong]:
        """What seats sealed against the digests that they signed, as far as it is open to this
        audience now."""
        wrong: list[Wrong] = []
        for opening in openings:
            sealed = record if opening.seq == record.seq else self.seen[opening.seq].record
            if sealed.kind == records.COMMAND and opening.path == (records.PICKS,):
                command = bodies.CommandBody.read(sealed.body)
                wrong += digest_of_picks(self.genesis.hash, command, opening.value)
            elif sealed.kind == records.ORDERS and opening.path == (bodies.ORDERS_PLACE,):
                orders = bodies.Orders.read(sealed.body)
                wrong += digest_of_orders(self.genesis.hash, orders, opening.value)
        return wrong

    def _by_orders(self, opened: dict[tuple[int, tuple[int, ...]], Any]) -> list[Wrong]:
        """At the end: each command by standing answers is the one of them that it names."""
        wrong: list[Wrong] = []
        for seq, answered in self.acting.answered.items():
            picks = bodies.CommandBody.read(self.seen[seq].record.body).picks
            if type(picks) is canon.Seal:
                picks = opened.get((seq, (records.PICKS,)))
            orders = opened.get((answered.by.orders, (bodies.ORDERS_PLACE,)))
            if picks is None or orders is None:
                found = [("by", say("acts.not_ordered", seat=answered.seat))]
            else:
                found = follows_from(answered, orders[0], picks[0])
            wrong += [(f"record {seq}", what) for _, what in found]
        return wrong

    def _check_head(self, head: Head) -> None:
        keys = self.acting.keys_from(head.seq)
        if head.game != self.game or not any(chain.head_is_signed_by(key, head) for key in keys):
            raise BadServer(say("link.head_unsigned", game=self.game, seq=head.seq))
        if self.seen[head.seq].record.hash != head.hash:
            raise BadServer(say("link.fork", game=self.game, seq=head.seq))

    def _check_openings(self, record: Record, openings: tuple[Opening, ...]) -> None:
        """Private openings open seals of this very record; public ones in its body open seals of
        this or earlier ones."""
        blob = bodies.packed_effects(record)
        effects = unpack(blob) if blob is not None and openings else ()
        for opening in openings:
            if opening.seq != record.seq:
                raise BadOpening(
                    f"an opening of record {opening.seq} came with record {record.seq}"
                )
            self._check_opening(opening, record, effects)
        for opening in bodies.openings_of(record):
            if not 0 <= opening.seq <= record.seq:
                raise BadOpening(f"record {record.seq} opens a seal of record {opening.seq}")
            sealed = record if opening.seq == record.seq else self.seen[opening.seq].record
            self._check_opening(opening, sealed, None)
            if record.kind == records.COMMAND and opening.path[:1] == (records.DRAWS,):
                self._opened[opening.seq, opening.path] = opening

    def _check_opening(
        self, opening: Opening, record: Record, effects: tuple[Any, ...] | None
    ) -> None:
        path = opening.path
        if path and path[0] == records.EFFECTS and record.kind == records.COMMAND:
            sealed = seal.find(bodies.effects_of(record) if effects is None else effects, path[1:])
        else:
            sealed = seal.find(record.body, path)
        seal.verify(self.game, opening, sealed)


# --- what records say beside their effects --------------------------------------------------------


def _nothing(watch: Watch, record: Record) -> None:
    pass


def _seat(watch: Watch, record: Record) -> None:
    seat = bodies.read_seat(record.body).seat
    sitting = watch.acting.seats[seat]
    keys = tuple(key for key in sitting.keys if key)
    nonce_hash = sitting.taken[3] if sitting.taken is not None else None
    watch.seats[seat] = SeatSeen(seat, sitting.name, nonce_hash, sitting.nonce is not None, keys)


_WAIT = (bodies.TAKEBACK, bodies.DRAW, deskbodies.PAUSE, deskbodies.ADJOURN)
"""Requests that every other seat must consent to."""


def _ask(watch: Watch, record: Record) -> None:
    ask = bodies.Ask.read(record.body)
    waits = ask.what in _WAIT
    watch.ask = AskSeen(ask.seat, ask.what, ask.to, record.seq) if waits else None


def _answer(watch: Watch, record: Record) -> None:
    answer = bodies.Answer.read(record.body)
    if watch.ask is not None:
        given = (*watch.ask.consents, answer.seat)
        watch.ask = replace(watch.ask, consents=given) if answer.consents else None


def _lapse(watch: Watch, record: Record) -> None:
    watch.ask = None


def _end(watch: Watch, record: Record) -> None:
    watch.ask = None
    end = bodies.End.read(record.body)
    if is_for_client_alone(end.reason.as_array()):
        raise BadServer(say("link.client_words", game=watch.game, seq=record.seq))
    watch.winner, watch.reason = end.winner, end.reason


def _about(seq: int, wrong: Iterable[tuple[int, str, Say]]) -> list[Wrong]:
    """What is wrong with draws, found with record `seq` in hand: a draw is often one of an earlier
    record."""
    return [
        (where if found == seq else f"{where} of record {found}", what)
        for found, where, what in wrong
    ]


_NOTE = {
    records.SEAT: _seat,
    records.ASK: _ask,
    records.ANSWER: _answer,
    records.COMMAND: _lapse,
    records.TAKEBACK: _lapse,
    records.END: _end,
}
