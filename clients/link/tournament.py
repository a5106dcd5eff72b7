"""A tournament on a server, as a director, an arbiter or an entrant deals with it."""

from __future__ import annotations

import hashlib
import os
import secrets
from functools import partial
from typing import Any

from attrs import frozen

from warledger.clients.link.errors import BadServer, CannotSit
from warledger.clients.link.link import Link
from warledger.protocol import dice, messages
from warledger.protocol import tournamentmessages as tm
from warledger.protocol.choices import Choices, Picks, Refusal, Say, say
from warledger.protocol.messages import Accepted
from warledger.protocol.tournaments import bid_reader
from warledger.protocol.typed import composed_picks


@frozen
class Entry:
    """An entry: the entrant's number, the token that they act with, and the nonce that they show
    when they first check in."""

    number: int
    token: str
    nonce: bytes

    @property
    def who(self) -> str:
        """As whom they act."""
        return bid_reader(self.number)


class TournamentLink:
    """One tournament over a link. Everything may raise ServerError."""

    def __init__(self, link: Link, id: str) -> None:
        self.link, self.id = link, id
        self.mine: tuple[str, ...] = ()
        """As whom the link may act, as of the newest `told`."""

    async def told(self) -> dict[str, Any]:
        """Everything about it that may be seen, as plain values."""
        answer = await self.link.request(lambda n: tm.Tournament(n, self.id))
        if not isinstance(answer.told, dict):
            raise BadServer(say("link.bad_list"))
        self.mine = tuple(who for (who,) in answer.mine)
        return answer.told

    async def choices(self, who: str, picks: Picks = ()) -> Choices | Refusal:
        """What may follow these picks of somebody."""
        picks = composed_picks(picks)
        answer = await self.link.request(lambda n: messages.Choices(n, self.id, who, picks))
        found: Choices | Refusal = (
            answer.refusal if isinstance(answer, messages.Refused) else answer.choices
        )
        return found

    async def submit(
        self, who: str, picks: Picks, *, seen: bytes | None = None
    ) -> Accepted | Refusal:
        """An act. `seen` is the hash of the newest record that has been looked at; by default the
        newest there is."""
        hash = (await self.link.head(self.id)).hash if seen is None else seen
        id, picks = os.urandom(16), composed_picks(picks)
        answer = await self.link.request(
            lambda n: messages.Submit(n, self.id, who, 0, hash, picks, id)
        )
        found: Accepted | Refusal = (
            answer.refusal if isinstance(answer, messages.Refused) else answer
        )
        return found

    async def must(self, who: str, *picks: str | int) -> Accepted:
        """An act that is allowed. Raises CannotSit with the server's reason if it is not."""
        answer = await self.submit(who, picks)
        if isinstance(answer, Refusal):
            raise CannotSit(answer)
        return answer

    async def enter(self, name: str, rating: int = 0) -> Entry:
        """Enter, with a token and a nonce made here. Raises CannotSit with the server's reason."""
        token = f"{self.id}:{secrets.token_urlsafe(32)}"
        digest, nonce = hashlib.sha256(token.encode()).digest(), secrets.token_bytes(32)
        genesis = (await self.link.head_of(self.id, 0)).hash
        number = 1 + len((await self.told())["entrant_list"])
        while True:
            hashed = dice.bound_nonce_hash(genesis, bid_reader(number), nonce)
            ask = partial(
                tm.EnterTournament,
                game=self.id,
                name=name,
                rating=rating,
                expects=number,
                nonce_hash=hashed,
                token=digest,
            )
            answer = await self.link.request(ask)
            if not isinstance(answer, messages.Refused):
                return Entry(answer.number, token, nonce)
            args = dict(answer.refusal.args)
            if answer.refusal.key != "refusal.tournament.next_number":
                raise CannotSit(answer.refusal)
            number = int(args["number"])

    async def seat(self, who: str, round: int, board: int) -> tuple[str, str, str]:
        """The game and the seat of an entrant at a board, and a token for it; "" where the account
        that is signed in to keeps it."""
        answer = await self.link.request(
            lambda n: tm.TournamentSeat(n, self.id, who, round, board), again=False
        )
        return answer.game, answer.seat, answer.token

    async def token(self, who: str) -> str:
        """A new token for somebody (for directors and hosts)."""
        answer = await self.link.request(lambda n: tm.TournamentToken(n, self.id, who), again=False)
        return str(answer.token)

    async def paper(self, kind: str, round: int = 0, language: str = "en") -> bytes:
        """A file of it."""
        answer = await self.link.request(
            lambda n: tm.TournamentPaper(n, self.id, kind, round, language)
        )
        return bytes(answer.body)

    async def explained(self, number: int) -> tuple[Say, ...]:
        """How the place of an entrant came about."""
        picks: Picks = ("explain", number)
        answer = await self.link.request(lambda n: messages.Preview(n, self.id, "", picks))
        says: tuple[Say, ...] = answer.says
        return says


async def tournaments(link: Link) -> tuple[dict[str, Any], ...]:
    """The tournaments of a server."""
    found: tuple[dict[str, Any], ...] = (await link.request(tm.Tournaments)).tournaments
    return found


async def open_tournament(link: Link, id: str, director: str, charter: str) -> Any:
    """Announce a tournament (hosts only): a TournamentOpened with its director's token, or a
    CharterIs that says what is wrong."""
    return await link.request(lambda n: tm.OpenTournament(n, id, director, charter), again=False)


__all__ = ["Entry", "TournamentLink", "open_tournament", "tournaments"]
