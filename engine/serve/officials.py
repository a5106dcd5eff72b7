"""Who may act in a tournament of the server: as a director, an arbiter or an entrant of it."""

from __future__ import annotations

from typing import Final, Protocol

from warledger.engine.desk.accounts import Person
from warledger.engine.desk.hosted import Hosted, is_official
from warledger.engine.kernel.types import Seat
from warledger.engine.runtime.actor import Game
from warledger.engine.serve.hub import Hub
from warledger.engine.tournaments.acting import plays_at
from warledger.protocol import tournaments as forms
from warledger.protocol.audience import PUBLIC
from warledger.protocol.records import SERVER, TOURNAMENT

ROLES: Final = {forms.DIRECTOR: "director", forms.ARBITER: "arbiter"}
"""The roles that a tournament's records grant, by how whoever has one is called."""


class Official(Protocol):
    """What a client has shown: whether the host's token, which others, and whose account."""

    is_host: bool
    digests: dict[tuple[str, Seat], bytes]
    person: Person | None
    hub: Hub


def acts_as(client: Official, hosted: Hosted, who: str) -> bool:
    """Whether the client may act as this one."""
    if not forms.is_who(who):
        return False
    if who == SERVER:
        return client.is_host
    role, rest = forms.role_of(who)
    if role == forms.ENTRANT and int(rest) not in hosted.at.entrants:
        return False
    if hosted.holds(who, client.digests.get((hosted.id, who))):
        return True
    if client.person is None:
        return False
    handle = client.person.handle
    if role == forms.ENTRANT:
        person = hosted.at.entrants.get(int(rest))
        return person is not None and person.account == handle
    return rest == handle and (ROLES[role], handle) in hosted.at.roles


def mine(client: Official, hosted: Hosted) -> tuple[str, ...]:
    """As whom the client may act."""
    shown = [who for id, who in client.digests if id == hosted.id]
    if client.person is not None:
        handle = client.person.handle
        shown += [f"{letter}:{handle}" for letter in ROLES]
        shown += [f"e:{one.number}" for one in hosted.at.entrants.values() if one.account == handle]
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
    return next((who for who in roles if is_official(who)), roles[0] if roles else PUBLIC)


def rules_on(client: Official, game: Game) -> bool:
    """Whether the client is a director or an arbiter of the tournament of this game, and plays
    neither at its board nor in its seats."""
    hosting = client.hub.hosting
    match game.profile.genesis.terms.get(TOURNAMENT):
        case (bytes(_), str(id), bytes(_), int(round), int(number), bytes(_)):
            hosted = None if hosting is None else hosting.all.get(id)
        case _:
            return False
    if hosted is None:
        return False
    one = hosted.at.round(round)
    board = None if one is None else one.board(number)
    if board is None or board.game != game.id:
        return False
    roles = mine(client, hosted)
    if any(f"e:{entrant}" in roles for entrant in board.entrants):
        return False
    return any(
        who[0] in ROLES
        and (ROLES[who[0]], who[2:]) in hosted.at.roles
        and not plays_at(hosted.at, who, board)
        for who in roles
    )


__all__ = ["ROLES", "Official", "acts_as", "audience_of", "mine", "rules_on", "sees_live"]
