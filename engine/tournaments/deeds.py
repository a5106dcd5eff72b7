"""What an act is made of: who may do it, what it offers pick by pick, and what it changes."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from attrs import define, field, frozen

from warledger.engine.tournaments.charter import Named, apart
from warledger.engine.tournaments.lots import Lots
from warledger.engine.tournaments.pairing import Pairs
from warledger.engine.tournaments.tournamentposition import Board, Claim, Position, RoundState
from warledger.protocol.board.choices import Choices, Option, Pick, Picks, Refusal, refuse, say
from warledger.protocol.limits import NAME_CHARS_MAX
from warledger.protocol.tournaments import ARBITER, DIRECTOR, ENTRANT, role_of

SealedPicks = Callable[[int], Picks | None]
"""The picks that record N holds under seal; None where nobody here knows them."""

Event = tuple[Any, ...]


@define
class Deed:
    """An act being carried out: what it may look at, and what it changes."""

    at: Position
    who: str
    picks: Picks
    at_ms: int
    lots: Lots
    sealed: SealedPicks
    matcher: Pairs | None = None
    events: list[Event] = field(factory=list)
    opens: list[int] = field(factory=list)

    def change(self, tag: str, *fields: Any) -> None:
        """Record an event."""
        self.events.append((tag, *fields))


@frozen
class Act:
    """An act.

    Attributes:
        roles: who may do it, of "server", "d", "a", "e".
        ready: why nobody (or not this one) may do it now, if that is so.
        next: what may follow the picks after the verb.
        carry: records what changes, or says why it cannot be.
        named: whether whoever has an id may do it without the role: whom the charter or a director
            names.
        moves: whether who does it must have seen what was changed last.
    """

    roles: frozenset[str]
    ready: Callable[[Position, str], Refusal | None]
    next: Callable[[Position, str, Picks], Choices | Refusal]
    carry: Callable[[Deed], Refusal | None]
    moves: bool = False
    named: Callable[[Position, str], bool] = lambda at, account: False


def account_of(at: Position, who: str) -> str:
    """The id of somebody who acts; "" for the server and an entrant without an account."""
    role, rest = role_of(who)
    if role != ENTRANT:
        return rest
    person = at.entrants.get(int(rest))
    return person.account if person is not None else ""


def officials(at: Position) -> Iterator[Named]:
    """Everybody who is named in the tournament for what they may do in it, the newest name last."""
    yield from at.charter.appeals.committee
    for one in at.rounds:
        for board in one.boards:
            yield from board.panel
    yield from ((id, name) for (_, id), name in at.roles.items())


def called(at: Position, account: str, name: str) -> str:
    """How somebody with this id is shown: by name, and where somebody else in the tournament has
    that name, with the end of the id."""
    entered = ((one.account, one.name) for one in at.entrants.values())
    return apart((account, name), (*officials(at), *entered))


def actor_called(at: Position, who: str) -> str:
    """How somebody who acts is shown: by name, or as the record has them where that is not
    known."""
    role, rest = role_of(who)
    if role == ENTRANT:
        person = at.entrants.get(int(rest))
        return who if person is None else person.name
    names = [name for id, name in officials(at) if id == rest]
    return called(at, rest, names[-1]) if names else who


def roles(*names: str) -> frozenset[str]:
    """Who may do an act."""
    return frozenset(names)


# --- what is offered ------------------------------------------------------------------------------


def end() -> Choices:
    """Nothing more can be picked."""
    return Choices("end", complete=True)


def some(
    slot: str, ids: Iterable[Pick], *, complete: bool = False, sealed: bool = False
) -> Choices:
    """One of these."""
    return Choices(slot, tuple(map(Option, ids)), complete=complete, sealed=sealed)


def whole(slot: str, least: int, most: int, *, sealed: bool = False) -> Choices:
    """A whole number."""
    return Choices(slot, span=(least, most), sealed=sealed)


def text(slot: str, most: int = NAME_CHARS_MAX, *, complete: bool = False) -> Choices:
    """Free text."""
    return Choices(slot, complete=complete, text=most)


def own_number(who: str) -> int | None:
    """The entrant's number, if an entrant acts."""
    role, rest = role_of(who)
    return int(rest) if role == ENTRANT else None


def numbers_for(
    at: Position, who: str, slot: str, numbers: Iterable[int], *, complete: bool = False
) -> Choices | Refusal:
    """Entrants to choose from: an entrant has themself alone."""
    own = own_number(who)
    found = [number for number in numbers if own in (None, number)]
    if not found:
        return refuse("", "refusal.tournament.nobody")
    return some(slot, found, complete=complete)


def people(at: Position, ids: Iterable[str]) -> Choices:
    """Those with these ids to choose from, shown by name."""
    options = (
        Option(id, say("tournament.person", name=actor_called(at, f"{ARBITER}:{id}")))
        for id in sorted(ids)
    )
    return Choices("account", tuple(options))


# --- what keeps an act from being done ------------------------------------------------------------


def open_to_all(at: Position, who: str) -> Refusal | None:
    """Any time before the tournament is over, which `may` has looked at."""
    return None


def known(at: Position, who: str) -> Refusal | None:
    """Before the tournament is over, by somebody who has entered."""
    number = own_number(who)
    if number is not None and number not in at.entrants:
        return refuse("entry", "refusal.tournament.not_entered", number=number)
    return open_to_all(at, who)


def current(at: Position, who: str) -> Refusal | None:
    """While a published round is being played."""
    if at.last is None or not at.last.published:
        return refuse(at.clause, "refusal.tournament.no_round")
    return known(at, who)


def entries_of(at: Position, who: str) -> tuple[int, ...]:
    """The numbers under which somebody who acts plays themself: an entrant's own, and those of a
    director's or arbiter's account."""
    role, rest = role_of(who)
    if role == ENTRANT:
        return (int(rest),)
    return tuple(number for number, one in at.entrants.items() if rest and one.account == rest)


def plays_at(at: Position, who: str, board: Board) -> bool:
    """Whether a director or an arbiter plays at a board, by the id of their account."""
    own = () if role_of(who)[0] == ENTRANT else entries_of(at, who)
    return any(number in board.entrants for number in own)


def is_party(at: Position, account: str, claim: Claim) -> bool:
    """Whether a claim is somebody's own business, by the id of their account: it is their own, or
    that of somebody with whom they have shared a board."""
    mine = entries_of(at, f"{ARBITER}:{account}")
    (number,) = entries_of(at, claim.who)
    boards = (board.entrants for one in at.rounds for board in one.boards)
    return number in mine or any(
        number in there and not there.isdisjoint(mine) for there in map(frozenset, boards)
    )


def waiting(one: RoundState) -> list[int]:
    """The boards of a round that have no result."""
    return [board.number for board in one.boards if board.verdict is None]


def may(at: Position, who: str, act: Act) -> Refusal | None:
    """Why somebody may not do this act at all, if that is so."""
    role, rest = role_of(who)
    if at.finished:
        return refuse("", "refusal.tournament.over")
    if role not in act.roles:
        return refuse("", "refusal.tournament.role", who=actor_called(at, who))
    granted = role in ("server", ENTRANT) or officiates(at, who)
    if not granted and not act.named(at, rest):
        return refuse("", "refusal.tournament.role", who=actor_called(at, who))
    return act.ready(at, who)


ROLES: Final = {DIRECTOR: "director", ARBITER: "arbiter"}
"""The roles that a tournament's records grant, by how whoever has one is called."""


def officiates(at: Position, who: str) -> bool:
    """Whether this is a director or an arbiter whose role has not ended."""
    role, rest = role_of(who)
    return role in ROLES and (ROLES[role], rest) in at.roles
