"""What all proposals of a ledger share: the state after the records so far, and the checks that
every request has to pass."""

from collections import deque
from collections.abc import Mapping
from typing import Generic, TypeVar

from warledger.engine.kernel.chance import SeedChance
from warledger.engine.kernel.codec import Codec
from warledger.engine.kernel.position import ENDED, PLAYING, Position, SeatState
from warledger.engine.kernel.replay import start
from warledger.engine.kernel.table import Chance
from warledger.engine.kernel.types import Rules, Seat
from warledger.protocol.board.choices import Refusal, refuse
from warledger.protocol.chance.seal import salt_of
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.clocks.clockfold import Pace
from warledger.protocol.limits import SEEN_RECORDS_MAX
from warledger.protocol.log.bodies import By
from warledger.protocol.log.docket import Desk
from warledger.protocol.log.records import Genesis, Record

S = TypeVar("S")


class BaseLedger(Generic[S]):
    """One game's log being written. `position` is that after its records so far, `last` the newest
    of them.

    `keys` are the game's secrets; `chance` may be given instead of seeds made from them (a test's
    queued dice). `foreign_salts` are those of seals that were made with another key, by place: a
    branch goes on from records of a game whose keys it has not. With `is_elsewhere` another process
    is asked for what the rules say, so that whoever asks may have to wait.
    """

    is_elsewhere = False

    def __init__(
        self, rules: Rules[S], genesis: Record, keys: Keys, *, chance: Chance | None = None
    ) -> None:
        self.rules = rules
        self.codec = Codec(rules.events)
        self.genesis = Genesis.from_record(genesis)
        self.game = self.genesis.game
        self.position: Position[S] = start(rules, self.genesis)
        self.last = genesis
        self.past: dict[int, Position[S]] = {}
        self.foreign_salts: Mapping[tuple[int, tuple[int, ...]], bytes] = {}
        self.pace = Pace.of(self.genesis)
        self.desk = Desk.of(self.genesis)
        self._recent: deque[bytes] = deque((genesis.hash,), maxlen=SEEN_RECORDS_MAX)
        self._keys = keys
        self._fixed_chance = chance
        self._chance: Chance | None = chance

    @property
    def keys(self) -> Keys:
        """The game's secrets, for its store."""
        return self._keys

    def salt(self, seq: int, path: tuple[int, ...]) -> bytes:
        """The salt of the seal at this place, which its opening needs."""
        known = self.foreign_salts.get((seq, path))
        return salt_of(self._keys.salts, seq, path) if known is None else known

    def seq_of(self, hash: bytes) -> int | None:
        """The number of one of the newest records by its hash. None for one that is too old or not
        of this game."""
        if hash == self.last.hash:
            return self.last.seq
        try:
            return self.last.seq - len(self._recent) + 1 + self._recent.index(hash)
        except ValueError:
            return None

    def timely(self, seat: Seat, at_ms: int) -> Refusal | None:
        """Why a request that arrives now comes too late, as far as clocks go: a seat's flag has
        fallen, or is due and must be written first, or the game is frozen. "" if no seat makes the
        request."""
        clocks, frozen = self.position.clocks, self.position.frozen
        if clocks is not None and clocks.calm and not frozen:
            first = clocks.next_deadline
            if first is None or (at_ms < first and self.last.at_ms < first):
                return None  # as nearly always
        if clocks is not None and seat and clocks.has_fallen(seat):
            return refuse("", "refusal.fallen")
        if seat and frozen:
            return refuse("", "refusal.frozen", claim=frozen[0])
        if clocks is None:
            return None
        due = clocks.due(max(at_ms, self.last.at_ms))
        if not due or self.position.stage != PLAYING:
            return None
        if any(one.seat == seat for one in due):
            return refuse("", "refusal.fallen")
        return refuse("", "refusal.flag_due", seat=due[0].seat)

    # --- checks: each returns a Refusal, or None where nothing stands against the request --------

    def _seen_refused(self, by: By, after: int = 0, before: bytes = b"") -> Refusal | None:
        """Why the record that an act names as seen is not accepted: it is unknown or too old, older
        than record `after`, or older than the one with the hash `before`."""
        if by.seen == self.last.hash:
            return None  # the usual case: nothing is newer
        seq = self.seq_of(by.seen)
        if seq is None:
            return refuse("", "refusal.seen")
        if seq < after:
            return refuse("", "refusal.seen_early", seen=seq, after=after)
        earlier = self.seq_of(before) if before else None
        return refuse("", "refusal.seen_back") if earlier is not None and seq < earlier else None

    def _acting_refused(
        self, entry: SeatState | None, seat: Seat, by: By, after: int = 0
    ) -> Refusal | None:
        """Why a key may not sign another act of the seat, if it may not: `after` is the record that
        it must have seen."""
        known = entry.key(by.key) if entry is not None else None
        if entry is None or known is None:
            return refuse("", "refusal.unknown_key", seat=seat)
        if by.n > known.n and by.seen == self.last.hash:
            return None  # as nearly always
        return self._number_refused(entry, by) or self._seen_refused(by, after, known.seen)

    @staticmethod
    def _number_refused(entry: SeatState, by: By) -> Refusal | None:
        """The numbers of acts go on rising, even those of a seat that signs nothing and gets a new
        player: what was refused once stays refused."""
        known = entry.key(by.key)
        return (
            refuse("", "refusal.act_number", n=by.n, last=known.n)
            if known is not None and by.n <= known.n
            else None
        )

    def _not_playing(self, seat: Seat) -> Refusal | None:
        if self.position.seat(seat) is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if self.position.stage == ENDED:
            return refuse("", "refusal.game_over")
        if self.position.stage != PLAYING:
            return refuse("", "refusal.not_started")
        return None

    def _not_over(self, seat: Seat) -> Refusal | None:
        if self.position.seat(seat) is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        return refuse("", "refusal.game_over") if self.position.stage == ENDED else None

    def _paused(self, at_ms: int) -> Refusal | None:
        clocks = self.position.clocks
        if clocks is None or clocks.pause is None:
            return None
        if clocks.paused(max(at_ms, self.last.at_ms)):
            return refuse("", "refusal.paused")
        return None

    def _cannot_ask(self, seat: Seat, by: By, at_ms: int) -> Refusal | None:
        """Why a seat may not make a request now: a request concerns the game in its present state,
        so the seat must have seen the last record that changed it."""
        refused = self._not_playing(seat) or self.timely(seat, at_ms)
        if refused is None and self.position.docket.over_ms:
            refused = refuse("", "refusal.over")
        return refused or self._acting_refused(
            self.position.seat(seat), seat, by, after=self.position.moved_on
        )

    def _chance_for(self, at: Position[S]) -> Chance:
        if self._chance is None or (self._fixed_chance is None and at.stage != PLAYING):
            self._chance = SeedChance(self._keys.seeds(self.game, at.nonces))
        return self._chance
