"""Where a tournament stands: the fold of its ledger's events.

`begin` makes the position after the charter, `fold.after` the one after an event. Entrants have
numbers in the order of entry, from 1; rounds count from 1 over all stages, stages from 0, boards
from 1.
"""

from collections.abc import Callable, Mapping
from typing import Final

from attrs import evolve as replace
from attrs import field, frozen

from warledger.engine.tournaments.charter import Charter, Named, Stage
from warledger.protocol.board.choices import Picks
from warledger.protocol.limits import HASH_BYTES
from warledger.protocol.tournaments import Charter as Founding


@frozen
class Titled:
    """What a tournament needs to know of a title: its seats in order, how many points of its score
    make a unit of margin, the SHA-256 of its pack here, and its options' defaults."""

    seats: tuple[str, ...]
    points: int = 1
    pack: bytes = bytes(HASH_BYTES)
    options: Mapping[str, bool | int | str] = field(factory=dict)


TitleOf = Callable[[str], Titled]
"""What is known of a title. Raises KeyError for one that is not installed."""

BYES: Final = ("pairing_bye", "full_bye", "half_bye", "zero_bye", "absent")

ELIMINATOR: Final = "eliminator"
"""Stands among the byes of a round for a volunteer who plays a second board in it."""

FURTHER: Final = "further"
"""The system of a round of further games: of the pairings of the round before, those that are not
decided."""


@frozen
class Person:
    """An entrant: who they are, and what is known of their presence.

    Attributes:
        number: in the order of entry, from 1.
        account: the id of their account, "" for none.
        since: the first round that they may be paired in.
        present: whether they have not withdrawn.
        nonce_hash: what they committed to for the lots, b"" for nothing.
        nonce: what they have shown, b"" for nothing yet.
        checked: rounds they have checked in for.
        away: rounds they have said they miss, and the bye they have for each.
    """

    number: int
    name: str
    account: str = ""
    rating: int = 0
    groups: tuple[str, ...] = ()
    nonce_hash: bytes = b""
    nonce: bytes = b""
    since: int = 1
    present: bool = True
    checked: frozenset[int] = frozenset()
    away: Mapping[int, str] = field(factory=dict)


@frozen
class Verdict:
    """How a board ended: for each of its seats the result and the margin in half units, after the
    handicap; and the reason, where somebody gave one."""

    manner: str
    results: tuple[str, ...]
    margins: tuple[int, ...]
    reason: str = ""
    seq: int = 0


@frozen
class Proof:
    """The game behind a result: its last record and the signature of that head."""

    seq: int
    hash: bytes
    signature: bytes
    by: str


@frozen
class Haggle:
    """An auction of a side that both entrants of a board want: who speaks next, the last amount
    offered in half units (-1 before the first), who offered it (0: nobody), and when."""

    seat: int
    speaks: int
    half: int = -1
    holder: int = 0
    since_ms: int = 0


@frozen
class Board:
    """A board of a round: entrants in seat order once `seated`, before that as paired.

    `handicap` is (index of the seat, half units it gets). `game` and `genesis` name the game that
    was opened for it. `earlier` are the verdicts that a correction has replaced. `panel` are
    those who judge the game, as (id, name), `judged` the ids of those who have sealed a percentage,
    with their records.
    """

    number: int
    entrants: tuple[int, ...]
    seated: bool = False
    handicap: tuple[int, int] = (0, 0)
    game: str = ""
    genesis: bytes = b""
    proof: Proof | None = None
    verdict: Verdict | None = None
    earlier: tuple[Verdict, ...] = ()
    auction: Haggle | None = None
    panel: tuple[Named, ...] = ()
    judged: tuple[tuple[str, int], ...] = ()

    def verdict_at(self, seq: int) -> Verdict | None:
        """The verdict that stood at a record; the first one if there was none yet."""
        if self.verdict is None:
            return None
        told = (*self.earlier, self.verdict)
        stood = [one for one in told if one.seq <= seq]
        return stood[-1] if stood else told[0]


@frozen
class Bid:
    """A sealed bid: where its seal is."""

    entrant: int
    board: int
    seq: int


@frozen
class RoundState:
    """A round that has been paired: with record `seq`, by the director's own hand, or of `further`
    games of the round before."""

    number: int
    stage: int
    boards: tuple[Board, ...]
    byes: tuple[tuple[int, str], ...]
    by_hand: bool = False
    published_ms: int = -1
    bids: tuple[Bid, ...] = ()
    further: bool = False
    seq: int = field(default=0, eq=False)

    @property
    def published(self) -> bool:
        """Whether the pairings have been published."""
        return self.published_ms >= 0

    @property
    def over(self) -> bool:
        """Whether every board has a result."""
        return self.published and all(board.verdict is not None for board in self.boards)

    def board(self, number: int) -> Board | None:
        """The board of that number."""
        return self.boards[number - 1] if 0 < number <= len(self.boards) else None

    def board_of(self, entrant: int) -> Board | None:
        """Where an entrant sits this round; of two boards the one that counts for them."""
        return next((one for one in self.boards if entrant in one.entrants), None)

    def boards_of(self, entrant: int) -> tuple[Board, ...]:
        """The boards at which an entrant sits: two for a volunteer against who was left over."""
        return tuple(one for one in self.boards if entrant in one.entrants)

    def has_bid(self, entrant: int, board: int) -> bool:
        """Whether an entrant has bid on a board."""
        return any(bid.entrant == entrant and bid.board == board for bid in self.bids)


@frozen
class Claim:
    """A claim of an entrant that is not about one game alone. It has what was ruled on it, when,
    and by whose account. It has who appealed, the committee's votes as (id, finding), and whether
    it is decided."""

    number: int
    who: str
    text: str
    finding: str = ""
    ruling: str = ""
    ruled_ms: int = 0
    ruled_by: str = ""
    appellant: str = ""
    votes: tuple[tuple[str, str], ...] = ()
    decided: bool = False


@frozen
class Position:
    """Where a tournament stands.

    Attributes:
        charter: its rules.
        founding: record 0.
        seq: the newest record.
        moved: the newest record that changed entrants, pairings or results: who changes pairings
            must have seen it.
        stage: index of the stage in progress.
        orders: the entrants of each stage so far by starting number, once that is settled.
        roster: who shows a nonce for the lots, by number; None before the first lot is asked for.
        rostered_ms: when the wait for their nonces began.
        asked: the act that asked for the first lot, as long as it has not been carried out.
        waited: the wait has ended with nonces missing.
        roles: (role, id) of everybody who has one, with the name under which it was given last.
        epoch: the epoch of the next lot: one more than the links opened.
        challenges: of a ladder, as (round, who, whom) in the order in which they were made.
        volunteers: who would play a second board in a round, as (round, who).
    """

    charter: Charter
    founding: Founding
    title_of: TitleOf = field(eq=False, repr=False)
    seq: int = 0
    moved: int = 0
    at_ms: int = 0
    stage: int = 0
    entrants: Mapping[int, Person] = field(factory=dict)
    orders: tuple[tuple[int, ...], ...] = ()
    rounds: tuple[RoundState, ...] = ()
    roles: Mapping[tuple[str, str], str] = field(factory=dict)
    epoch: int = 1
    roster: tuple[int, ...] | None = None
    rostered_ms: int = 0
    asked: Picks = ()
    waited: bool = False
    claims: tuple[Claim, ...] = ()
    challenges: tuple[tuple[int, int, int], ...] = ()
    volunteers: frozenset[tuple[int, int]] = frozenset()
    places: tuple[int, ...] = ()
    finished: bool = False

    @property
    def rules(self) -> Stage:
        """The stage in progress, as the charter has it."""
        return self.charter.stages[self.stage]

    @property
    def order(self) -> tuple[int, ...]:
        """The entrants of the stage in progress by starting number; empty until it is settled."""
        return self.orders[self.stage] if len(self.orders) > self.stage else ()

    @property
    def clause(self) -> str:
        """How the charter names the stage in progress."""
        return f"stage[{self.stage + 1}]"

    @property
    def last(self) -> RoundState | None:
        """The newest round, if there is one."""
        return self.rounds[-1] if self.rounds else None

    @property
    def next_round(self) -> int:
        """The number of the round that would be paired next."""
        return len(self.rounds) + 1

    @property
    def stage_rounds(self) -> tuple[RoundState, ...]:
        """The rounds of the stage in progress."""
        return self.rounds_of_stage(self.stage)

    def rounds_of_stage(self, stage: int) -> tuple[RoundState, ...]:
        """The rounds of a stage."""
        return tuple(one for one in self.rounds if one.stage == stage)

    def pairings_of_stage(self, stage: int) -> tuple[tuple[RoundState, ...], ...]:
        """The rounds of a stage, further games of the same pairings with the round in which these
        were made."""
        found: list[tuple[RoundState, ...]] = []
        for one in self.rounds_of_stage(stage):
            if one.further and found:
                found[-1] = (*found[-1], one)
            else:
                found.append((one,))
        return tuple(found)

    @property
    def stage_pairings(self) -> tuple[tuple[RoundState, ...], ...]:
        """Those of the stage in progress."""
        return self.pairings_of_stage(self.stage)

    def charter_round(self, round: int) -> int:
        """The number by which the charter knows a round, which is not one of further games. A round
        to come has that of the next new pairing."""
        before = sum(not one.further for one in self.rounds[:round])
        return before + (round > len(self.rounds))

    def played_in(self, round: int) -> tuple[str, Mapping[str, bool | int | str]]:
        """Title and options of a round."""
        return self.charter.played_in(self.charter_round(round))

    @property
    def missing(self) -> tuple[int, ...]:
        """Whose nonces the lots lack."""
        return tuple(n for n in self.roster or () if not self.entrants[n].nonce)

    @property
    def waits(self) -> bool:
        """Whether lots wait for nonces."""
        return bool(self.missing) and not self.waited

    @property
    def lots_until_ms(self) -> int:
        """Until when nonces are waited for, once they are."""
        return self.rostered_ms + self.charter.lots.minutes * 60_000

    @property
    def lot_nonces(self) -> tuple[bytes, ...]:
        """The nonces that go into every lot: those of the whole roster, in order of its numbers, or
        none where one is missing."""
        if self.missing:
            return ()
        return tuple(self.entrants[number].nonce for number in self.roster or ())

    def seats(self, round: int) -> tuple[str, ...]:
        """The seats of the title that a round is played with."""
        return self.title_of(self.played_in(round)[0]).seats

    def points_a_unit(self, round: int) -> int:
        """How many points of the score make one unit of a margin, in a round."""
        return self.title_of(self.played_in(round)[0]).points

    def round(self, number: int) -> RoundState | None:
        """The round of that number."""
        return self.rounds[number - 1] if 0 < number <= len(self.rounds) else None

    def field_of(self, round: int) -> tuple[int, ...]:
        """Who plays a round of the stage in progress, by starting number: neither withdrawn nor
        away and, where the charter asks for it, checked in. Nobody checks in for a further game."""
        one = self.round(round)
        further = one is not None and one.further
        needed = self.charter.absence.check_in_minutes > 0 and not further
        return tuple(
            number
            for number in self.order
            if (person := self.entrants[number]).present
            and round not in person.away
            and person.since <= round
            and (not needed or round in person.checked)
        )


def settled(charter: Charter, title_of: TitleOf) -> Charter:
    """The charter as record 0 has it: with each title's data pack, and a value for each of its
    options, so that no later release plays it otherwise. Raises KeyError for a title that is not
    installed."""
    return replace(
        charter,
        packs={one: title_of(one).pack.hex() for one in charter.titles},
        options={**title_of(charter.title).options, **charter.options},
        rounds=tuple(
            replace(one, options={**title_of(one.title).options, **one.options})
            for one in charter.rounds
        ),
    )


def begin(founding: Founding, charter: Charter, title_of: TitleOf) -> Position:
    """The position after record 0."""
    return Position(charter, founding, title_of)


def link_opened(at: Position, seq: int) -> Position:
    """The position after the link of the epoch is opened: later lots are of the next epoch."""
    return replace(at, seq=seq, epoch=at.epoch + 1)
