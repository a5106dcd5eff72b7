"""Who may act in a tournament of the server: as a director, an arbiter or an entrant of it."""

from __future__ import annotations

from typing import Protocol

from warledger.engine.desk.accounts import Person
from warledger.engine.desk.hosted import Hosted
from warledger.engine.kernel.types import Seat
from warledger.engine.runtime.game.actor import Game
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.people.viewtokens import CASTER, Row
from warledger.engine.tournaments.deeds import (
    ROLES,
    account_of,
    actor_called,
    officiates,
    plays_at,
)
from warledger.engine.tournaments.judging import is_asked
from warledger.engine.tournaments.tournamentposition import Board, Position
from warledger.protocol import tournaments as forms
from warledger.protocol.audience import PUBLIC
from warledger.protocol.log.records import SERVER, TOURNAMENT


class Official(Protocol):
    """What a client has shown: whether the host's token, which others, and whose account."""

    is_host: bool
    digests: dict[tuple[str, Seat], bytes]
    person: Person | None
    hub: Hub


def is_named(at: Position, who: str) -> bool:
    """Whether a tournament's records name this one: as an entrant, as a director or an arbiter
    whose role has not ended, or as a judge of a panel or committee."""
    role, rest = forms.role_of(who)
    if role == forms.ENTRANT:
        return int(rest) in at.entrants
    return officiates(at, who) or (role == forms.ARBITER and is_asked(at, rest))


def acts_as(client: Official, hosted: Hosted, who: str) -> bool:
    """Whether the client may act as this one."""
    if not forms.is_who(who):
        return False
    if who == SERVER:
        return client.is_host
    if not is_named(hosted.at, who):
        return False
    if hosted.holds(who, client.digests.get((hosted.id, who))):
        return True
    if client.person is None:
        return False
    return account_of(hosted.at, who) == client.person.id


def mine(client: Official, hosted: Hosted) -> tuple[str, ...]:
    """Those as whom the client may act."""
    shown = [who for id, who in client.digests if id == hosted.id]
    if client.person is not None:
        id = client.person.id
        shown += [f"{letter}:{id}" for letter in ROLES]
        shown += [f"e:{one.number}" for one in hosted.at.entrants.values() if one.account == id]
    return tuple(who for who in dict.fromkeys(shown) if acts_as(client, hosted, who))


def sees_live(client: Official, hosted: Hosted) -> bool:
    """Whether the spectators' delay does not apply to them."""
    return audience_of(client, hosted) != PUBLIC


def audience_of(client: Official, hosted: Hosted) -> str:
    """With which audience they see the tournament: as one of its officials, as somebody who plays,
    or as a spectator."""
    if client.is_host:
        return SERVER
    roles = mine(client, hosted)
    return next((who for who in roles if hosted.officiates(who)), roles[0] if roles else PUBLIC)


def _board_of(client: Official, game: Game) -> tuple[Hosted, Board] | None:
    """The tournament and the board whose game this is, if it is one of this server."""
    hosting = client.hub.hosting
    match game.profile.genesis.terms.get(TOURNAMENT):
        case (bytes(_), str(id), bytes(_), int(round), int(number), bytes(_), _):
            hosted = None if hosting is None else hosting.all.get(id)
        case _:
            return None
    one = None if hosted is None else hosted.at.round(round)
    board = None if one is None else one.board(number)
    if hosted is None or board is None or board.game != game.id:
        return None
    return hosted, board


def casts_at(client: Official, game: Game) -> bool:
    """Whether the client is signed in to the account of a caster of the tournament of this game,
    and plays nowhere in it."""
    found = None if client.person is None else _board_of(client, game)
    return found is not None and _casts(client, found[0])


def _casts(client: Official, hosted: Hosted) -> bool:
    person = client.person
    return (
        person is not None
        and (CASTER, person.id) in hosted.at.roles
        and not any(forms.role_of(who)[0] == forms.ENTRANT for who in mine(client, hosted))
    )


def casting(client: Official) -> tuple[Row, ...]:
    """The tournaments that the client casts, in the form of roles: ["caster", tournament, ""]."""
    if client.person is None or client.hub.hosting is None:
        return ()
    return tuple(
        (CASTER, id, "") for id, hosted in client.hub.hosting.all.items() if _casts(client, hosted)
    )


def rules_on(client: Official, game: Game) -> bool:
    """Whether the client is a director or an arbiter of the tournament of this game, and plays
    neither at its board nor in its seats."""
    return official_of(client, game) is not None


def official_of(client: Official, game: Game) -> tuple[str, str] | None:
    """The id and name of a client who rules on a game of a tournament; None if they do not."""
    found = _board_of(client, game)
    if found is None:
        return None
    hosted, board = found
    roles = mine(client, hosted)
    if any(f"e:{entrant}" in roles for entrant in board.entrants):
        return None
    for who in roles:
        if officiates(hosted.at, who) and not plays_at(hosted.at, who, board):
            return forms.role_of(who)[1], actor_called(hosted.at, who)
    return None
