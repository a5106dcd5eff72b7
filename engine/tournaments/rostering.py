"""The one ceremony by which entrants take part in all lots of a tournament.

An entrant commits to a nonce at entry, and may do so anew until the roster is written. The first
act that asks for a lot writes the roster instead; who is on it follows from the ledger. Then each
of them shows their nonce, and nobody else's is waited for. Once all are shown, or the wait has
ended, the act that was asked for is carried out.
"""

from collections.abc import Mapping
from typing import Final

from warledger.engine.tournaments.deeds import (
    Act,
    Deed,
    end,
    entries_of,
    known,
    own_number,
    roles,
    some,
    text,
)
from warledger.engine.tournaments.entering import HEX
from warledger.engine.tournaments.tournamentposition import Position
from warledger.protocol.board.choices import Choices, Picks, Refusal, refuse
from warledger.protocol.chance import dice
from warledger.protocol.log.records import SERVER
from warledger.protocol.tournaments import bid_reader

ROSTERED: Final = "rostered"
"""The first pick of the server's act that writes the roster; who asked for a lot, and the picks of
that act, follow it."""


def roster_of(at: Position) -> tuple[int, ...]:
    """Who shows a nonce: who is entered, has not withdrawn, has committed to one and, where the
    charter asks for a check-in, has checked in; by number."""
    needed = at.charter.absence.check_in_minutes > 0
    return tuple(
        number
        for number, person in sorted(at.entrants.items())
        if person.present and person.nonce_hash and (not needed or person.checked)
    )


def _why_not_commit(at: Position, who: str) -> Refusal | None:
    if at.roster is not None:
        return refuse("lots", "refusal.tournament.rostered")
    return known(at, who)


def _commit(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    if not picks:
        return text("nonce_hash")
    return end() if HEX.fullmatch(str(picks[0])) else refuse("", "refusal.tournament.hex")


def _committed(deed: Deed) -> None:
    deed.change("committed", own_number(deed.who), bytes.fromhex(str(deed.picks[0])))


def _waiting(at: Position, who: str) -> Refusal | None:
    if not at.waits:
        return refuse("lots", "refusal.tournament.no_wait")
    return None


def _show(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    match len(picks):
        case 0:
            return some("entrant", at.missing)
        case 1:
            return text("nonce")
        case _:
            return end() if _fits(at, picks) else refuse("", "refusal.tournament.nonce")


def _fits(at: Position, picks: Picks) -> bool:
    """Whether the nonce is the one that the entrant has committed to."""
    number, nonce = int(picks[0]), str(picks[1])
    if not HEX.fullmatch(nonce):
        return False
    commitment = dice.bound_nonce_hash(at.founding.hash, bid_reader(number), bytes.fromhex(nonce))
    return commitment == at.entrants[number].nonce_hash


def _shown(deed: Deed) -> Refusal | None:
    if deed.at_ms >= deed.at.lots_until_ms:
        return refuse("lots.minutes", "refusal.tournament.nonce_late")
    deed.change("nonce", deed.picks[0], bytes.fromhex(str(deed.picks[1])))
    return None


def _why_not_end(at: Position, who: str) -> Refusal | None:
    """A director who plays has seen the nonces that were shown, and could choose the lots."""
    if who != SERVER and entries_of(at, who):
        return refuse("lots", "refusal.tournament.own_pairing")
    return _waiting(at, who)


def _end_wait(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    return end()


def _waited(deed: Deed) -> Refusal | None:
    if deed.who == SERVER and deed.at_ms < deed.at.lots_until_ms:
        return refuse("lots.minutes", "refusal.tournament.lots_wait", numbers=deed.at.missing[:20])
    deed.change("waited", deed.at.missing)
    return None


ACTS: Final[Mapping[str, Act]] = {
    "commit": Act(roles("e"), _why_not_commit, _commit, _committed),
    "show": Act(roles(SERVER), _waiting, _show, _shown),
    "end_wait": Act(roles(SERVER, "d"), _why_not_end, _end_wait, _waited),
}
