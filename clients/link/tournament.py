"""A tournament on a server, as a director, an arbiter or an entrant deals with it."""

import hashlib
import os
import secrets
from collections.abc import Sequence
from functools import partial
from typing import Any

from attrs import frozen

from warledger.clients.link.errors import BadServer, CannotSit, RecordsLost
from warledger.clients.link.link import Link
from warledger.clients.link.plainforms import is_row, is_tournament
from warledger.clients.link.receipts import Papers
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Choices, Picks, Refusal, Say, say
from warledger.protocol.chance import dice
from warledger.protocol.log import chain, records, wlog
from warledger.protocol.log.chain import Head, head_is_signed_by, read_head
from warledger.protocol.texts.typed import composed_picks
from warledger.protocol.tournaments import bid_reader
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages
from warledger.protocol.wire import tournamentmessages as tm
from warledger.protocol.wire.messages import Accepted


@frozen
class Entry:
    """An entry: the entrant's number, and the token that they act with. The nonce that they
    committed to is among the papers of that number."""

    number: int
    token: str

    @property
    def who(self) -> str:
        """Who they act as: `e:` and the number of their entry."""
        return bid_reader(self.number)


class TournamentLink:
    """One tournament over a link. Everything may raise ServerError."""

    def __init__(self, link: Link, id: str) -> None:
        self.link, self.id = link, id
        self.mine: tuple[str, ...] = ()
        """All as whom the link may act, by the newest `told`."""

    async def told(self) -> dict[str, Any]:
        """Everything about it that may be seen, as plain values."""
        answer = await self.link.request(lambda n: tm.Tournament(n, self.id))
        if not is_tournament(answer.told):
            raise BadServer(say("link.bad_tournament"))
        self.mine = tuple(who for (who,) in answer.mine)
        told: dict[str, Any] = answer.told
        return told

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

    def _papers(self, genesis: bytes, number: int) -> Papers:
        # A colon cannot stand in a file's name.
        return self.link.papers_of(self.id, genesis, f"e{number}")

    async def _commitment(self, number: int) -> bytes:
        """The commitment to the nonce that is kept for a number, made now if there is none. With it
        the signed head of record 0 is kept, which it is bound to."""
        head, welcome = await self.link.head_of(self.id, 0), self.link.welcome
        papers = self._papers(head.hash, number)
        if welcome is not None and head_is_signed_by(welcome.key, head):
            papers.keep(head, sync=True)
        return dice.bound_nonce_hash(head.hash, bid_reader(number), papers.make_nonce())

    async def enter(self, name: str, rating: int = 0, *, token: str = "") -> Entry:
        """Enter, with a nonce made here and this token, or one made here. Sent twice with the same
        token it is one entry. Raises CannotSit with the server's reason."""
        token = token or self.new_token()
        digest = hashlib.sha256(token.encode()).digest()
        number = 1 + len((await self.told())["entrant_list"])
        while True:
            ask = partial(
                tm.EnterTournament,
                game=self.id,
                name=name,
                rating=rating,
                expects=number,
                nonce_hash=await self._commitment(number),
                token=digest,
            )
            answer = await self.link.request(ask)
            if not isinstance(answer, messages.Refused):
                return Entry(answer.number, token)
            args = dict(answer.refusal.args)
            if answer.refusal.key != "refusal.tournament.next_number":
                raise CannotSit(answer.refusal)
            number = int(args["number"])

    def new_token(self) -> str:
        """A token to enter with."""
        return f"{self.id}:{secrets.token_urlsafe(32)}"

    async def commit(self, number: int) -> bool:
        """Commit anew, before a check-in: to the nonce that is kept here, or to a new one, so that
        this client can show it. Whether that was still possible."""
        hashed = await self._commitment(number)
        answer = await self.submit(bid_reader(number), ("commit", hashed.hex()))
        return not isinstance(answer, Refusal)

    async def compare(self, number: int) -> None:
        """Hold the ledger to the newest head that was kept of it for an entrant. Raises BadServer
        where the server shows another history."""
        first = await self.link.head_of(self.id, 0)
        newest = (await self.link.head(self.id)).seq
        kept = [head for head in self._papers(first.hash, number).heads() if head.seq <= newest]
        for head in [*self._others(first), *kept[-1:]]:
            if (await self.link.head_of(self.id, head.seq)).hash != head.hash:
                raise BadServer(say("link.fork", game=self.id, seq=head.seq))

    def _others(self, first: Head) -> list[Head]:
        """Kept heads of another record 0, signed by this server."""
        receipts, welcome = self.link.receipts, self.link.welcome
        if receipts is None or welcome is None:
            return []
        others = receipts.others(self.id, first.hash)
        return [one for one in others if head_is_signed_by(welcome.key, one)]

    async def show_nonce(self, number: int) -> bool:
        """Show an entrant's nonce, if it is kept here and the lots wait for it; whether that was
        done. First the server's signed head of a log whose roster has the entrant is kept, so that
        no other log can take this one's place. Raises BadServer for a log that is not sound, or is
        not the one of which heads were kept before: nothing is shown on a second history."""
        await self.compare(number)
        data = await self.paper("tournament.wlog")
        charter = forms.Charter.from_record(records.read(_first(data), kinds=forms.KINDS))
        papers = self._papers(charter.hash, number)
        nonce = papers.nonce
        head = None if nonce is None else rostered(data, self.id, number, nonce, papers.heads())
        if head is None or nonce is None:
            return False
        papers.keep(head, sync=True)
        answer = await self.link.request(lambda n: tm.ShowNonce(n, self.id, number, nonce))
        if isinstance(answer, messages.Refused):
            raise CannotSit(answer.refusal)
        if answer.head.game != self.id or not head_is_signed_by(charter.server_key, answer.head):
            raise BadServer(say("link.head_unsigned", game=self.id, seq=answer.head.seq))
        papers.keep(answer.head, sync=True)
        return True

    async def seat(self, who: str, round: int, board: int) -> tuple[str, str, str]:
        """The game and the seat of an entrant at a board, and a token for it. The token is "" where
        the account that is signed in to keeps it."""
        answer = await self.link.request(
            lambda n: tm.TournamentSeat(n, self.id, who, round, board), again=False
        )
        return answer.game, answer.seat, answer.token

    async def token(self, who: str) -> str:
        """A new token for somebody (for directors and hosts)."""
        answer = await self.link.request(lambda n: tm.TournamentToken(n, self.id, who), again=False)
        return str(answer.token)

    async def code(self, role: str) -> am.Invitation:
        """A code of one use, by which whoever uses it has a role in the tournament."""
        made: am.Invitation = await self.link.request(
            lambda n: tm.TournamentCode(n, self.id, role), again=False
        )
        return made

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


def _first(data: bytes) -> bytes:
    return wlog.parse(data).records[0]


def rostered(
    data: bytes, id: str, number: int, nonce: bytes, kept: Sequence[Head] = ()
) -> Head | None:
    """The signed head of a tournament's log in which the nonce of an entrant is waited for; None if
    it is not. Raises BadServer for a log that is not sound, is another tournament's, or lacks a
    record of which a head was kept before. Raises RecordsLost where it ends too early."""
    try:
        file = wlog.parse(data)
        log = list(chain.follow(file.records, kinds=forms.KINDS))
        charter = forms.Charter.from_record(log[0])
        acts = [forms.Act.from_record(record) for record in log if record.kind == forms.ACT]
        heads = [read_head(frame.payload) for frame in file.frames if frame.kind == wlog.FRAME_HEAD]
    except (ValueError, TypeError, IndexError) as error:
        raise BadServer(say("link.bad_list")) from error
    last = log[-1]
    signed = [
        head
        for head in heads
        if (head.game, head.seq, head.hash) == (id, last.seq, last.hash)
        and head_is_signed_by(charter.server_key, head)
    ]
    if charter.tournament != id or not signed:
        raise BadServer(say("link.head_unsigned", game=id, seq=last.seq))
    for head in kept:
        if head.seq <= last.seq and log[head.seq].hash != head.hash:
            raise BadServer(say("link.fork", game=id, seq=head.seq))
    events = [event for act in acts for event in act.events]
    listed = [event for event in events if event[0] == "rostered" and number in event[1]]
    settled = any(
        event[0] == "waited" or (event[0] == "nonce" and event[1] == number) for event in events
    )
    hashes = [
        event[-1] for event in events if event[0] in ("entered", "committed") and event[1] == number
    ]
    ours = dice.bound_nonce_hash(charter.hash, bid_reader(number), nonce)
    if not listed or settled or hashes[-1:] != [ours]:
        return None
    for head in kept:
        if head.seq > last.seq:
            raise RecordsLost(say("cli.records_lost", game=id, seq=head.seq, last=last.seq))
    return signed[-1]


async def tournaments(link: Link) -> tuple[dict[str, Any], ...]:
    """The tournaments of a server."""
    found: tuple[dict[str, Any], ...] = (await link.request(tm.Tournaments)).tournaments
    if not all(map(is_row, found)):
        raise BadServer(say("link.bad_tournament"))
    return found


async def open_tournament(link: Link, id: str, director: str, charter: str) -> Any:
    """Announce a tournament (hosts only): a TournamentOpened, or a CharterIs that says what is
    wrong. It has a token for a director without an account, and no `seat` where nobody is known by
    the name: `TournamentLink.code` makes a code for them."""
    return await link.request(lambda n: tm.OpenTournament(n, id, director, charter), again=False)
