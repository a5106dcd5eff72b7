"""Claims and rulings in a game's log: what is open, what an arbiter may write, and what must follow
a ruling.

An arbiter signs nothing: the server writes in their name. So everything that a server could do
under the name of an arbiter is bounded here. The ledger, the auditors and the page ask the same
questions: `form` (has a record the form of its word?), `refused` (why may it not stand now?) and
`after` (what is open after it?). `owed` is what a ruling still asks for, and `held` why a game that
is over may not be ended yet. The page has its own copy in `docket.js`.
"""

from collections.abc import Container, Sequence
from typing import Any, Final, TypeVar

import attrs
from attrs import evolve as replace
from attrs import frozen

from warledger.protocol.board.choices import Refusal, refuse
from warledger.protocol.clocks.clock import BY_FLAG
from warledger.protocol.clocks.clockcontrol import DESK, FREEZE, PROTEST, Control
from warledger.protocol.limits import (
    CLAIM_CHARS_MAX,
    CLAIMS_MAX,
    CLAIMS_OPEN_MAX,
    CLAUSE_CHARS_MAX,
    CLOCK_MS_MAX,
    NAME_CHARS_MAX,
    PERSON_ID_CHARS_MAX,
    PICKS_MAX,
    REMEDIES_MAX,
)
from warledger.protocol.log import bodies, deskbodies
from warledger.protocol.log.owed import Cause, other_of_two
from warledger.protocol.log.records import SERVER, Actor, Genesis, called, id_of, is_arbiter

RULED_TIME: Final = "credit.ruling"
"""Why time is given or taken by a ruling; its argument is the claim."""

FORFEITED, DRAW_RULED, ADJUDICATED = (
    "outcome.forfeited",
    "outcome.draw_ruled",
    "outcome.adjudicated",
)
ENDED_BY: Final = {
    FORFEITED: bodies.BY_RULING,
    DRAW_RULED: bodies.BY_RULING,
    ADJUDICATED: bodies.BY_ADJUDICATION,
}
"""What ended a game whose end has such a reason."""

_IN_THE_LOG: Final = (
    deskbodies.BACK,
    deskbodies.GIVE_TIME,
    deskbodies.CORRECT,
    deskbodies.FORFEIT,
    deskbodies.DRAWN,
    deskbodies.ADJUDICATE,
)
ENDING: Final = (deskbodies.FORFEIT, deskbodies.DRAWN, deskbodies.ADJUDICATE)
_CHANGING: Final = (deskbodies.BACK, deskbodies.CORRECT)
Remedy = tuple[Any, ...]


class BadDesk(ValueError):
    """Terms about arbiters that cannot be; the message says what is wrong."""


@frozen
class Desk:
    """What a genesis fixes about arbiters: `terms.desk`, [[arbiter …], rules], and
    `terms.protest_ms`.

    arbiters    who may rule, each as (id, name); nobody named: whomever the server lets
    at_once     a claim stops the clocks as it is made, not only once it is heard
    recused     the ids of those who may not, since they play in another game that concerns its
                players
    protest_ms  for how many milliseconds an end by the rules is held, so that a protest may be
                lodged; 0: it is not held
    """

    arbiters: tuple[tuple[str, str], ...] = ()
    at_once: bool = False
    recused: tuple[str, ...] = ()
    protest_ms: int = 0

    @classmethod
    def of(cls, genesis: Genesis) -> "Desk":
        """That of a game. Raises BadDesk."""
        protest = genesis.terms.get(PROTEST, 0)
        if type(protest) is not int or not 0 <= protest <= CLOCK_MS_MAX:
            raise BadDesk(f"{PROTEST} is a time of 0 to {CLOCK_MS_MAX} milliseconds")
        if DESK not in genesis.terms:
            return cls(protest_ms=protest)
        given = genesis.terms[DESK]
        if type(given) is not tuple or len(given) != 2 or type(given[1]) is not dict:
            raise BadDesk("a desk is [arbiters, rules]")
        arbiters, rules = given
        recused = rules.get("recused", ())
        if type(arbiters) is not tuple or not all(map(is_arbiter, arbiters)):
            raise BadDesk("arbiters are an array of [id, name]")
        if not _ids(recused):
            raise BadDesk("those who are recused are an array of ids")
        unknown = [key for key in rules if key not in ("stop", "recused")]
        if unknown or rules.get("stop", "heard") not in ("heard", "claim"):
            raise BadDesk('the rules of a desk are stop ("heard" or "claim") and recused')
        return cls(arbiters, rules.get("stop") == "claim", recused, protest)

    def bars(self, actor: Actor, players: Sequence[str]) -> Refusal | None:
        """Why somebody may not act as an arbiter of this game, in which these accounts have
        played."""
        if not is_arbiter(actor):
            return refuse("", "refusal.not_an_arbiter", arbiter=called(actor))
        id, name = id_of(actor), called(actor)
        if id in (*players, *self.recused):
            return refuse("", "refusal.arbiter_plays", arbiter=name)
        if self.arbiters and id not in map(id_of, self.arbiters):
            return refuse("", "refusal.not_an_arbiter", arbiter=name)
        return None


def _ids(value: Any) -> bool:
    return type(value) is tuple and all(
        type(id) is str and 0 < len(id) <= PERSON_ID_CHARS_MAX for id in value
    )


def same(one: Actor, other: Actor) -> bool:
    """Whether two actors are one: two arbiters of one id, under whatever names, or the same seat.
    A seat is no arbiter whose id is the seat's name."""
    return is_arbiter(one) == is_arbiter(other) and id_of(one) == id_of(other)


@frozen(slots=False)
class Case:
    """One claim and what has come of it. Whoever has done something is kept as the actor of its
    record, and compared by id.

    n          its number, from 1; 0 for a flag that has frozen the game
    seat       the seat that claims, or ""
    claimant   who made the claim: the seat, or an arbiter
    at_seq     the record that is said to be wrong
    arbiter    who heard it last; "" while nobody has
    frozen     the game is frozen for it
    ruled      the record of the ruling in force, 0 while there is none
    ruled_by   who gave that ruling
    withdrawn  it is made no longer
    appealed   somebody has appealed against the ruling in force
    """

    n: int
    seat: str
    claimant: Actor
    at_seq: int
    arbiter: Actor = ""
    frozen: bool = False
    ruled: int = 0
    ruled_by: Actor = ""
    withdrawn: bool = False
    appealed: bool = False

    def claimed_by(self, actor: Actor) -> bool:
        """Whether this seat, or this arbiter, made the claim."""
        return same(self.claimant, actor)

    def heard_by(self, actor: Actor) -> bool:
        """Whether this arbiter heard it last."""
        return same(self.arbiter, actor)

    def ruled_on_by(self, actor: Actor) -> bool:
        """Whether this arbiter gave the ruling in force."""
        return same(self.ruled_by, actor)

    @property
    def open(self) -> bool:
        """Whether an arbiter is still to rule on it."""
        return not self.withdrawn and (not self.ruled or self.appealed)


@frozen(slots=False)
class Docket:
    """All claims of a game.

    cases      in the order of their numbers; a flag that froze the game comes last
    players    the accounts that have had a seat
    corrected  the newest correction
    due        what the ruling in force still asks for, in order; `of` is its case
    over_ms    when the game came to its end by the rules, or the newest ruling since; 0 while it
               is played
    waived     the seats that have lodged no protest since then, and will not
    """

    cases: tuple[Case, ...] = ()
    players: tuple[str, ...] = ()
    corrected: int = 0
    due: tuple[Remedy, ...] = ()
    of: int = 0
    over_ms: int = 0
    waived: tuple[str, ...] = ()

    def case(self, n: int) -> Case | None:
        """The case of this number."""
        for case in self.cases:
            if case.n == n:
                return case
        return None

    @property
    def claims(self) -> int:
        """How many claims have been made."""
        return sum(1 for case in self.cases if case.n != BY_FLAG)

    @property
    def frozen(self) -> tuple[int, ...]:
        """The cases for which the game is frozen."""
        return tuple([case.n for case in self.cases if case.frozen])


# --- form -----------------------------------------------------------------------------------------

_REMEDIES: Final = {
    deskbodies.STAND: (),
    deskbodies.BACK: (int,),
    deskbodies.GIVE_TIME: (str, int),
    deskbodies.CORRECT: (),
    deskbodies.FORFEIT: (str,),
    deskbodies.DRAWN: (),
    deskbodies.ADJUDICATE: (None,),
    deskbodies.WARN: (str,),
    deskbodies.PENALTY: (str, str),
    deskbodies.REPLACE: (str,),
}
"""The types of what stands behind a remedy's word; None: a seat, or nil."""


def form(body: deskbodies.Ruling) -> str:
    """The field of a `ruling` record that has not the form of its word; "" where all have. Effects
    and picks are looked at where commands are."""
    for field in attrs.fields(type(body)):
        value = getattr(body, field.name)
        if field.name in ("picks", "events", "effects", "opened", "by", "remedies"):
            continue
        if field.type is int:
            good = type(value) is int and value >= 0
        else:
            good = type(value) is str and len(value) <= chars_most(field.name)
        if not good:
            return str(field.name)
    if isinstance(body, deskbodies.Ruled):
        return "" if _are_remedies(body.remedies) else "remedies"
    if isinstance(body, deskbodies.Corrected):
        good = type(body.picks) is tuple and len(body.picks) <= PICKS_MAX
        return "" if good else "picks"
    return ""


def chars_most(name: str) -> int:
    """How long a text of a `ruling` record may be, by the field."""
    return {"text": CLAIM_CHARS_MAX, "clause": CLAUSE_CHARS_MAX}.get(name, NAME_CHARS_MAX)


def _are_remedies(remedies: Any) -> bool:
    return (
        type(remedies) is tuple
        and 0 < len(remedies) <= REMEDIES_MAX
        and all(type(remedy) is tuple and remedy and _is_remedy(remedy) for remedy in remedies)
    )


def _is_remedy(remedy: Remedy) -> bool:
    types = _REMEDIES.get(remedy[0]) if type(remedy[0]) is str else None
    return (
        types is not None
        and len(types) == len(remedy) - 1
        and all(
            value is None or type(value) is str if wanted is None else type(value) is wanted
            for wanted, value in zip(types, remedy[1:], strict=True)
        )
        and all(len(value) <= CLAIM_CHARS_MAX for value in remedy if type(value) is str)
    )


# --- what may stand -------------------------------------------------------------------------------


@frozen
class Facts:
    """What `refused` needs to know of the game: the newest record, the seats, those whose flag has
    fallen, whether it is being played, and the time of the record in hand. Where all of them are
    known, it has the records that a takeback may go back to."""

    seq: int
    seats: tuple[str, ...]
    fallen: tuple[str, ...] = ()
    playing: bool = True
    at_ms: int = 0
    stands: Container[int] | None = None


def refused(
    desk: Desk, docket: Docket, facts: Facts, actor: Actor, body: deskbodies.Ruling
) -> Refusal | None:
    """Why a `ruling` record may not be written now by somebody. That a seat has signed its own is
    looked at elsewhere; `corrected` is never written by itself (see `owed`)."""
    if not facts.playing:
        return refuse("", "refusal.no_game_to_rule")
    if isinstance(body, deskbodies.Claim):
        return _claim_refused(desk, docket, facts, actor, body)
    by_seat = actor in facts.seats
    if isinstance(body, deskbodies.Waived):
        return _waiver_refused(desk, docket, facts, actor, body)
    barred = None if by_seat else desk.bars(actor, docket.players)
    if barred is not None:
        return barred
    if isinstance(body, deskbodies.Looked):
        good = (
            not by_seat
            and 0 <= body.from_seq <= body.to_seq <= facts.seq
            and body.audience in ("public", "arbiter", *facts.seats)
        )
        return None if good else refuse("", "refusal.look")
    case = docket.case(body.n)
    if case is None:
        return refuse("", "refusal.no_such_claim", claim=body.n)
    if isinstance(body, deskbodies.Said | deskbodies.Appeal):
        word = _word_refused(case, body, by_seat=by_seat)
        appeals = isinstance(body, deskbodies.Appeal)
        return word or (_protest_refused(desk, docket, facts, actor) if appeals else None)
    if isinstance(body, deskbodies.Withdrawn):
        if case.ruled or case.withdrawn or not case.claimed_by(actor):
            return refuse("", "refusal.not_your_claim", claim=case.n)
        return None
    if by_seat:
        return refuse("", "refusal.not_an_arbiter", arbiter=called(actor))
    return _arbiter_refused(docket, facts, case, actor, body)


def _claim_refused(
    desk: Desk, docket: Docket, facts: Facts, actor: Actor, body: deskbodies.Claim
) -> Refusal | None:
    if body.seat:
        if body.seat != actor or actor not in facts.seats:
            return refuse("", "refusal.no_such_seat", seat=body.seat)
    elif barred := desk.bars(actor, docket.players):
        return barred
    if not 0 <= body.at_seq <= facts.seq:
        return refuse("", "refusal.claim_record", to=body.at_seq)
    late = _protest_refused(desk, docket, facts, actor)
    if late is not None:
        return late
    mine = [case for case in docket.cases if case.claimed_by(actor) and case.open]
    if len(mine) >= CLAIMS_OPEN_MAX:
        return refuse("", "refusal.claims_open", most=CLAIMS_OPEN_MAX)
    if docket.claims >= CLAIMS_MAX:
        return refuse("", "refusal.claims_many", most=CLAIMS_MAX)
    if body.n != docket.claims + 1:
        return refuse("", "refusal.claim_number", claim=docket.claims + 1)
    return None


def _word_refused(
    case: Case, body: deskbodies.Said | deskbodies.Appeal, *, by_seat: bool
) -> Refusal | None:
    if isinstance(body, deskbodies.Said):
        return None if case.open else refuse("", "refusal.claim_closed", claim=case.n)
    if not case.ruled or case.appealed or case.withdrawn or not by_seat:
        return refuse("", "refusal.no_appeal", claim=case.n)
    return None


def _arbiter_refused(
    docket: Docket, facts: Facts, case: Case, actor: Actor, body: deskbodies.Ruling
) -> Refusal | None:
    """Why an arbiter may not do this with a claim."""
    if isinstance(body, deskbodies.Thawed):
        if not case.frozen or docket.due:
            return refuse("", "refusal.not_frozen", claim=case.n)
        if case.n == BY_FLAG and facts.fallen:
            return refuse("", "refusal.thaw_fallen", seat=facts.fallen[0])
        return None
    if not case.open:
        return refuse("", "refusal.claim_closed", claim=case.n)
    if isinstance(body, deskbodies.Heard):
        if case.appealed and case.ruled_on_by(actor):
            return refuse("", "refusal.own_ruling", claim=case.n)
        if case.heard_by(actor):
            return refuse("", "refusal.heard", claim=case.n, arbiter=called(actor))
        return None
    if not case.heard_by(actor):
        return refuse("", "refusal.not_heard", claim=case.n)
    if case.appealed and case.ruled_on_by(actor):
        return refuse("", "refusal.own_ruling", claim=case.n)
    if isinstance(body, deskbodies.Froze):
        return refuse("", "refusal.frozen", claim=case.n) if case.frozen else None
    if isinstance(body, deskbodies.Ruled):
        return _remedies_refused(facts, body)
    return refuse("", "refusal.act_form", what="body")


def _remedies_refused(facts: Facts, body: deskbodies.Ruled) -> Refusal | None:
    if body.finding not in deskbodies.FINDINGS or not body.clause:
        return refuse("", "refusal.act_form", what="finding")
    words = [remedy[0] for remedy in body.remedies]
    if body.finding == deskbodies.REJECTED and any(word in _CHANGING for word in words):
        return refuse("", "refusal.rejected_changes")
    ending = [index for index, word in enumerate(words) if word in ENDING]
    if ending not in ([], [len(words) - 1]) or words.count(deskbodies.BACK) > 1:
        return refuse("", "refusal.remedies_order")
    for word, *rest in body.remedies:
        seat = rest[0] if rest and word != deskbodies.BACK else None
        if seat is not None and seat not in facts.seats:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if word == deskbodies.GIVE_TIME and not 0 < abs(rest[1]) <= CLOCK_MS_MAX:
            return refuse("", "refusal.credit")
        if word == deskbodies.BACK and not (
            0 < rest[0] <= facts.seq and (facts.stands is None or rest[0] in facts.stands)
        ):
            return refuse("", "refusal.takeback_target", to=rest[0])
    return None


# --- the held end ---------------------------------------------------------------------------------


def held(desk: Desk, docket: Docket, seats: Sequence[str], at_ms: int) -> Refusal | None:
    """Why a game that has come to its end by the rules may not be ended yet: a protest may still be
    lodged, or one has not been settled."""
    until = held_until(desk, docket)
    if not until:
        return refuse("", "refusal.not_over")
    case = _unsettled(docket)
    if case is not None:
        return refuse("", "refusal.held_claim", claim=case.n)
    if at_ms < until and not all(seat in docket.waived for seat in seats):
        return refuse("", "refusal.held")
    return None


def held_until(desk: Desk, docket: Docket) -> int:
    """Until when a protest may be lodged against the end of the game; 0 where none is held."""
    return docket.over_ms + desk.protest_ms if docket.over_ms and desk.protest_ms else 0


def must_end(desk: Desk, docket: Docket, seats: Sequence[str]) -> bool:
    """Whether the held end follows now: no seat wants to lodge a protest."""
    return held(desk, docket, seats, 0) is None


def closed(docket: Docket, at_ms: int) -> Docket:
    """The docket once nobody is left to decide anything: the game is over by its rules."""
    return _with(docket, over_ms=at_ms, waived=())


def reopened(docket: Docket) -> Docket:
    """The docket once the game has gone back to where somebody is asked."""
    return _with(docket, over_ms=0, waived=()) if docket.over_ms else docket


def _unsettled(docket: Docket) -> Case | None:
    """A claim that holds the end: it is still to be ruled on, or the game is frozen for it."""
    for case in docket.cases:
        if case.frozen or (case.n != BY_FLAG and case.open):
            return case
    return None


def _waiver_refused(
    desk: Desk, docket: Docket, facts: Facts, actor: Actor, body: deskbodies.Waived
) -> Refusal | None:
    if body.seat != actor or actor not in facts.seats:
        return refuse("", "refusal.no_such_seat", seat=body.seat)
    if not held_until(desk, docket):
        return refuse("", "refusal.not_over")
    return _protest_refused(desk, docket, facts, actor)


def _protest_refused(desk: Desk, docket: Docket, facts: Facts, actor: Actor) -> Refusal | None:
    """Why nobody, or this seat, can lodge a protest any more."""
    until = held_until(desk, docket)
    if until and facts.at_ms >= until:
        return refuse("", "refusal.protest_late")
    if until and actor in docket.waived:
        return refuse("", "refusal.waived")
    return None


# --- what must follow -----------------------------------------------------------------------------


def owed(docket: Docket, actor: Actor, body: bodies.Body) -> bool:
    """Whether a record is what the ruling in force asks for next. An end is told by `cause`."""
    if not docket.due:
        return False
    case = docket.case(docket.of)
    assert case is not None
    word, *rest = docket.due[0]
    match body:
        case bodies.Takeback():
            named = (body.seat, body.to, body.ask, body.by)
            return (
                word == deskbodies.BACK
                and case.ruled_on_by(actor)
                and named == ("", rest[0], case.ruled, None)
            )
        case deskbodies.Credit():
            return word == deskbodies.GIVE_TIME and (actor, body) == (SERVER, credit(docket))
        case deskbodies.Corrected():
            return word == deskbodies.CORRECT and case.ruled_on_by(actor) and body.n == case.n
    return False


def credit(docket: Docket) -> deskbodies.Credit:
    """The time that the ruling in force gives or takes next."""
    _, seat, ms = docket.due[0]
    return deskbodies.Credit(seat, ms, RULED_TIME, (("claim", docket.of),))


def cause(docket: Docket, seats: Sequence[str]) -> Cause | None:
    """How the game must end now by the ruling in force, as (winner, reason, its arguments); None
    where it does not."""
    if not docket.due or docket.due[0][0] not in ENDING:
        return None
    word, *rest = docket.due[0]
    claim = ("claim", docket.of)
    if word == deskbodies.FORFEIT:
        return other_of_two(seats, rest[0]), FORFEITED, (("seat", rest[0]), claim)
    if word == deskbodies.DRAWN:
        return None, DRAW_RULED, (claim,)
    return rest[0], ADJUDICATED, (claim,)


# --- what is open afterwards ----------------------------------------------------------------------


def after(
    docket: Docket, seq: int, at_ms: int, actor: Actor, body: bodies.Body, control: Control | None
) -> Docket:
    """The docket after record `seq`, written at `at_ms`."""
    if docket.due:
        docket = _done(docket, seq, actor, body)
    if isinstance(body, deskbodies.Ruling) and form(body):
        return docket  # it counts for nothing; so does a claim of another number
    match body:
        case bodies.CommandBody():
            return docket if body.awaits else closed(docket, at_ms)
        case bodies.Takeback():
            return reopened(docket)
        case bodies.Taken() | bodies.Replaced():
            if body.account and body.account not in docket.players:
                return _with(docket, players=(*docket.players, body.account))
        case deskbodies.Flag() if control is not None and control.fall == FREEZE:
            others = tuple(case for case in docket.cases if case.n != BY_FLAG)
            case = Case(BY_FLAG, "", SERVER, seq, frozen=True)
            return _with(docket, cases=(*others, case))
        case deskbodies.Claim() if body.n == docket.claims + 1:
            case = Case(body.n, body.seat, actor, body.at_seq)
            last = [one for one in docket.cases if one.n == BY_FLAG]
            known = [one for one in docket.cases if one.n != BY_FLAG]
            return _with(docket, cases=(*known, case, *last))
        case deskbodies.Heard():
            return _changed(docket, body.n, arbiter=actor)
        case deskbodies.Froze():
            return _changed(docket, body.n, frozen=True)
        case deskbodies.Thawed():
            return _changed(docket, body.n, frozen=False)
        case deskbodies.Withdrawn():
            return _changed(docket, body.n, withdrawn=True)
        case deskbodies.Appeal():
            return _changed(docket, body.n, appealed=True)
        case deskbodies.Waived():
            return _with(docket, waived=(*docket.waived, body.seat))
        case deskbodies.Ruled() if docket.case(body.n) is not None:
            due = tuple(one for one in body.remedies if one[0] in _IN_THE_LOG)
            ruled = _changed(docket, body.n, ruled=seq, ruled_by=actor, appealed=False)
            if docket.over_ms:  # whoever wants to appeal has as much time again
                ruled = closed(ruled, at_ms)
            return _with(ruled, due=due, of=body.n)
    return docket


def _done(docket: Docket, seq: int, actor: Actor, body: bodies.Body) -> Docket:
    """The docket once what a ruling asks for has been done, or passed over."""
    corrected = seq if isinstance(body, deskbodies.Corrected) else docket.corrected
    due = docket.due[1:] if owed(docket, actor, body) else ()
    return _with(docket, due=due, corrected=corrected)


def _changed(docket: Docket, n: int, **changes: Any) -> Docket:
    return _with(
        docket,
        cases=tuple([_with(case, **changes) if case.n == n else case for case in docket.cases]),
    )


T = TypeVar("T", Case, Docket)


def _with(record: T, **changes: Any) -> T:
    return replace(record, **changes)
