"""A seat in a game: the commitment to the dice is handled automatically; offers; acts that are
signed once and take effect once, however often the connection breaks.

    async with connect(host, port, token=token) as link:
        seat = await sit(link, game, "allied")
        while await seat.asked():
            offer = await seat.offer()
            …
            await seat.submit(picks, offer.decision)

What a seat does is signed (`warledger.protocol.seats.acts`), and in the journal before it is sent
(`Papers`). It is sent again byte for byte until it is in the log or is refused under the server's
signature. Until then nothing else is signed for the same decision. Every record of the seat is
checked against the journal. Nothing is signed on a log that lacks what this client has a receipt
for.
"""

from collections.abc import Callable
from typing import Any

import trio
from nacl.utils import random as random_bytes

from warledger.clients.link.errors import (
    BadServer,
    CannotSit,
    LinkError,
    RecordsLost,
    SeatRefused,
    ServerError,
    Unsettled,
)
from warledger.clients.link.link import Link
from warledger.clients.link.receipts import BadReceipt, Entry, Papers
from warledger.clients.link.seating import Asked
from warledger.clients.link.seating import Offer as Offer
from warledger.clients.link.watch import Seen, Watch
from warledger.protocol.board.choices import Picks, Refusal, say
from warledger.protocol.canon import Seal
from warledger.protocol.chance import dice
from warledger.protocol.log import bodies, deskbodies, records
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act
from warledger.protocol.seats.promised import follows_from
from warledger.protocol.seats.standing import Entries
from warledger.protocol.texts.typed import composed_body
from warledger.protocol.wire import messages
from warledger.protocol.wire.messages import Accepted, Declined

LATE = frozenset(("refusal.seen", "refusal.seen_early"))
"""Reasons for refusing an act that was signed before the newest record had arrived: it is signed
again once that is here."""
TRIES = 5
CATCH_UP_S = 20.0
FAREWELL_S = 10.0


class Seat(Asked):
    """Made by `warledger.clients.link.sitting.sit`."""

    def __init__(
        self,
        link: Link,
        watch: Watch,
        seat: str,
        papers: Papers,
        client: str,
        *,
        unsigned: bool = False,
    ) -> None:
        super().__init__(link, watch, seat)
        self.papers = papers
        self.client = client
        self.public = b"" if unsigned else papers.make_key().verify_key.encode()
        """The key that this client signs with for the seat; empty where it signs nothing."""
        self._acting = watch.acting
        self._genesis = watch.genesis.hash
        self._signing = trio.Lock()
        self._refused_at: dict[int, bytes] = {}
        self._orders: dict[int, Entries] = {}
        self._lost_at: int | None = None
        self._tended = trio.Event()

    # --- sitting down -----------------------------------------------------------------------------

    async def settle_in(self, *, take_over: bool) -> None:
        """Compare the log with what is kept, then take the seat or come back to it."""
        await self._hold()
        sitting = self._acting.seats[self.seat]
        if self.watch.ended:
            return
        if sitting.taken is None:
            await self._take()
        elif self.public not in sitting.keys or (not self.public and not self._took):
            if not take_over:
                raise CannotSit(
                    say(
                        "link.other_key", seat=self.seat, game=self.game, player=sitting.name or "–"
                    )
                )
            await self._take_over()
        await self._send_pending()

    @property
    def _took(self) -> bool:
        return any(
            entry.act.kind in (acts.TAKEN, acts.REPLACED) for entry in self.papers.entries.values()
        )

    async def _hold(self) -> None:
        """Everything that was signed, given or refused before must agree with the log as it is
        now."""
        receipts, watch = self.link.receipts, self.watch
        if receipts is not None:
            for other in receipts.others(self.game, self._genesis):
                what = say(
                    "link.other_genesis",
                    game=self.game,
                    ours=other.hash.hex()[:16],
                    theirs=self._genesis.hex()[:16],
                )
                raise self._fail(BadServer(what))
        await self.link.hold_to_receipts(watch)
        self.papers.refresh()
        entries = tuple(self.papers.entries.values())
        if entries:
            last = (await self.link.head(self.game)).seq
            if not await self._reach(last):
                raise Unsettled(say("link.behind", game=self.game, seq=last, last=watch.last_seq))
        shown = {
            act.hash
            for seen in watch.seen
            for act in acts.acts_of(self._genesis, seen.record)
            if act.seat == self.seat
        }
        for entry in entries:
            lost = self._acting.place(entry.act.seen) is None
            if entry.stands is not None and entry.act.kind != acts.HANDED:
                lost = lost or entry.act.hash not in shown
            if lost:
                what = say(
                    "link.signed_lost",
                    game=self.game,
                    act=f"acts.kind.{entry.act.kind}",
                    n=entry.act.n,
                    last=watch.last_seq,
                )
                raise self._fail(RecordsLost(what))
            if entry.refused is not None:
                if not self._refusal_holds(
                    entry.act, entry.refused.seq, entry.refused.hash, entry.refused.signature
                ):
                    raise BadReceipt(
                        f"{self.papers.name}.acts: holds a refusal that the server did not sign"
                    )
                self._refused_at[entry.refused.seq] = entry.refused.hash
        watch.guard(self._look)

    @property
    def _name(self) -> str:
        """The player's name in the log: the name given, or else that of the seat."""
        principal = self.link.principal
        return self.seat if principal == f"{self.game}/{self.seat}" else principal

    @property
    def _account(self) -> str:
        """The id of the account that the link is signed in to; "" for none."""
        return next((id for kind, id, _ in self.link.roles if kind == "account"), "")

    async def _take(self) -> None:
        self._server_signs_here()
        await self.link.head_of(self.game, 0)
        nonce = self.papers.make_nonce()
        hashed = dice.bound_nonce_hash(self._genesis, self.seat, nonce)
        body = (self._account, self._name, hashed, self.client)
        answer = await self._act(acts.TAKEN, body)
        if isinstance(answer, Refusal):
            await self._reach_refused()
        if isinstance(answer, Refusal) and self.public not in self._acting.seats[self.seat].keys:
            raise SeatRefused(answer)

    def _server_signs_here(self) -> None:
        """The key that the server calls its own, which is what this client holds it to, must be the
        one that signs this game: else whoever answers at its address says the key that everybody
        knows, and signs with another."""
        welcome = self.link.welcome
        if welcome is not None and welcome.key != self.watch.server_key:
            raise BadServer(
                say(
                    "link.another_signs",
                    game=self.game,
                    server=welcome.key.hex()[:16],
                    key=self.watch.server_key.hex()[:16],
                )
            )

    async def _take_over(self) -> None:
        if not self.watch.begun:
            raise CannotSit(say("refusal.not_started"))
        self._server_signs_here()
        await self.link.head_of(self.game, 0)
        answer = await self._act(acts.REPLACED, (self._account, self._name, self.client))
        if isinstance(answer, Refusal):
            raise SeatRefused(answer)

    async def _send_pending(self) -> None:
        """Acts that were in progress when this client stopped are sent again unchanged."""
        for entry in [entry for entry in self.papers.entries.values() if entry.pending]:
            if entry.act.kind != acts.NONCE:
                try:
                    await self._send(entry)
                except ServerError:
                    continue

    # --- the ceremony and the end -----------------------------------------------------------------

    async def tend(self) -> None:
        """Reveal the nonce once all seats are taken and verified; sign the end of the game when it
        has come."""
        try:
            await self._show_nonce()
            while not self.watch.begun and not self.watch.ended:
                await self.watch.wait()
            if not self.watch.begun:
                return
            self.papers.drop_lapse()
            while not self.watch.ended:
                await self.watch.wait()
            while not self.watch.whole:
                await self.watch.wait()
            await self._end()
        except (BadServer, CannotSit) as error:
            self.watch.fail(error)
        except LinkError:
            return
        finally:
            self._tended.set()

    async def finish(self) -> None:
        """After the end: wait, for a short time at most, until it is signed and the other seats'
        witnesses are kept."""
        if self.watch.ended and self.watch.fault is None:
            with trio.move_on_after(FAREWELL_S):
                await self._tended.wait()
        if self.watch.fault is not None:
            raise self.watch.fault

    async def _show_nonce(self) -> None:
        watch, acting = self.watch, self._acting
        mine = acting.seats[self.seat]
        while not acting.all_taken:
            if watch.ended:
                return
            await watch.wait()
        if watch.fault is not None:
            raise watch.fault
        nonce = self.papers.nonce
        if (
            watch.ended
            or mine.nonce is not None
            or nonce is None
            or mine.taken is None
            or mine.taken[2] != self.public
        ):
            return
        # The log's every record has been verified: signatures, keys that differ, and this seat's
        # own entry, which must be as it was sent.
        sent = (entry.act for entry in self.papers.entries.values() if entry.act.kind == acts.TAKEN)
        if not any(mine.taken == (*act.body[:2], act.key, act.body[2]) for act in sent):
            raise BadServer(
                say("link.not_as_sent", game=self.game, seq=mine.taken_at, seat=self.seat)
            )
        if dice.bound_nonce_hash(self._genesis, self.seat, nonce) != mine.taken[3]:
            raise CannotSit(say("link.nonce_damaged", game=self.game, seat=self.seat))
        # From here on the operator can know the dice: until it begins, this game counts as lapsed.
        missing = tuple(seat for seat, one in acting.seats.items() if one.nonce is None)
        last = watch.seen[-1].record
        self.papers.keep_lapse(watch.server_key, last.seq, last.hash, missing)
        answer = await self._act(acts.NONCE, (nonce, acting.roster_hash))
        if isinstance(answer, Refusal):
            await self._reach_refused()
        if isinstance(answer, Refusal) and mine.nonce is None and not watch.ended:
            raise BadServer(say("link.nonce_refused", game=self.game, why=answer.key))

    async def _end(self) -> None:
        last = self.watch.seen[-1].record
        beyond = next((head for head in self.papers.heads() if head.seq > last.seq), None)
        if beyond is not None:
            lost = say("cli.records_lost", game=self.game, seq=beyond.seq, last=last.seq)
            raise RecordsLost(lost)
        key = self.papers.key
        if key is not None and self.public and self._lost_at is None:
            signature = key.sign(acts.witness_bytes(self._genesis, last.seq, last.hash)).signature
            self.papers.keep_witnesses([(self.seat, self.public, last.seq, last.hash, signature)])
            await self.link.request(
                lambda number: messages.Witness(
                    number, self.game, self.seat, self.public, last.seq, last.hash, signature
                )
            )
        found = await self.link.request(lambda number: messages.Witnesses(number, self.game))
        self.papers.keep_witnesses(item for item in found.items if self._witnesses(item, last))

    def _witnesses(self, item: tuple[str, bytes, int, bytes, bytes], last: records.Record) -> bool:
        seat, key, seq, hash, signature = item
        if (seq, hash) != (last.seq, last.hash) or self._acting.owners.get(key) != seat:
            return False
        return acts.verify(key, acts.witness_bytes(self._genesis, seq, hash), signature)

    # --- acting -----------------------------------------------------------------------------------

    async def submit(
        self, picks: Picks, decision: int, *, command_id: bytes | None = None
    ) -> Accepted | Refusal:
        """Submit a command. It is durable when this returns an Accepted, and its record has been
        seen.

        Raises Unsettled while another command for this decision is neither carried out nor refused,
        or where its record does not come. Raises ValueError for a command id with another meaning.
        """
        picks = tuple(picks)
        for entry in self.papers.entries.values():
            if (
                entry.act.kind == acts.COMMAND
                and command_id is not None
                and entry.act.body[1] == command_id
            ):
                if entry.act.body[0] != decision or entry.private[0] != picks:
                    raise ValueError("this command id is already used by another command")
                return await self._send(entry)
        if not await self._reach(decision):
            last = self.watch.last_seq
            raise Unsettled(say("link.behind", game=self.game, seq=decision, last=last))
        blind = 2 * random_bytes(acts.BLIND_DRAWN_BYTES)
        id = command_id or random_bytes(acts.COMMAND_ID_DRAWN_BYTES)
        digest = acts.picks_digest(self._genesis, self.seat, decision, id, blind, picks)
        return await self._act(acts.COMMAND, (decision, id, digest), (picks, blind))

    async def take_back(self, to: int) -> Accepted | Refusal:
        """Go back to record `to`: at once where that is free, else as a request to the others."""
        return await self._act(acts.ASK, ("takeback", to))

    async def offer_draw(self) -> Accepted | Refusal:
        """Offer a draw."""
        return await self._act(acts.ASK, ("draw", 0))

    async def answer(self, consents: bool) -> Accepted | Refusal:
        """Answer the request that waits."""
        ask = self.watch.ask
        return await self._act(acts.ANSWER, (ask.seq if ask is not None else 0, consents))

    async def resign(self) -> Accepted | Refusal:
        """Give the game up."""
        return await self._act(acts.ASK, ("resign", 0))

    # --- time -------------------------------------------------------------------------------------

    async def ask_pause(self, until_ms: int = 0, *, adjourns: bool = False) -> Accepted | Refusal:
        """Ask the others to stop all clocks, until a moment by the server's time (0: until every
        seat wants to go on). `adjourns`: the game is adjourned, and the seat that is asked may
        leave a standing answer for when it resumes."""
        what = deskbodies.ADJOURN if adjourns else deskbodies.PAUSE
        return await self._act(acts.ASK, (what, until_ms))

    async def claim_time(self) -> Accepted | Refusal:
        """Claim the game because the flag of another seat has fallen."""
        return await self._act(acts.ASK, (deskbodies.TIME, 0))

    async def resume(self) -> Accepted | Refusal:
        """Say that the seat wants to go on after a pause."""
        return await self._about_clock(deskbodies.Resume(self.seat))

    async def take_leave(self, from_ms: int, to_ms: int) -> Accepted | Refusal:
        """Take leave from one moment to another: the seat's clock stands still meanwhile."""
        return await self._about_clock(deskbodies.Leave(self.seat, from_ms, to_ms))

    async def choose_night(self, start_min: int, length_min: int) -> Accepted | Refusal:
        """Choose when the seat's clock stands still every day: from a minute of the day (UTC), for
        a number of minutes."""
        return await self._about_clock(deskbodies.Night(self.seat, start_min, length_min))

    async def give_time(self, seat: str, ms: int) -> Accepted | Refusal:
        """Let another seat whose flag has fallen play on, with this much more time."""
        return await self._about_clock(deskbodies.Credit(seat, ms, "", ()))

    async def _about_clock(self, body: deskbodies.Clock) -> Accepted | Refusal:
        return await self._act(acts.CLOCK, body.signed)

    # --- claims -----------------------------------------------------------------------------------

    async def claim(self, at_seq: int, clause: str, text: str) -> tuple[int, Accepted | Refusal]:
        """Claim that a record is wrong. Returns the claim's number as well."""
        n = self._acting.docket.claims + 1
        return n, await self.about_claim(deskbodies.Claim(n, self.seat, at_seq, clause, text))

    async def about_claim(self, body: deskbodies.Ruling) -> Accepted | Refusal:
        """Say something about a claim, appeal against the ruling on it, or withdraw it."""
        return await self._act(acts.RULING, body.signed)

    async def standing(self, orders: Entries | None = None) -> Entries | Refusal:
        """The seat's standing answers; those given replace the ones it had, which is signed."""
        if orders is not None:
            blind = random_bytes(acts.BLIND_BYTES)
            digest = acts.orders_digest(self._genesis, self.seat, blind, orders)
            answer = await self._act(acts.ORDERS, (digest,), (tuple(orders), blind))
            return answer if isinstance(answer, Refusal) else orders
        found = await self.link.request(
            lambda number: messages.Standing(number, self.game, self.seat)
        )
        standing: Entries = found.orders
        # What lapsed is missing there. What was never given is left out: the next change would be
        # signed with it.
        given = self._given(self._acting.seats[self.seat].orders) or ()
        return tuple(order for order in standing if order in given)

    def _given(self, seq: int) -> Entries | None:
        """The standing answers in an `orders` record, by any key of the seat; None if there is
        none."""
        if seq in self._orders:
            return self._orders[seq]
        seen = self.watch.seen[seq] if 0 < seq <= self.watch.last_seq else None
        if seen is None or seen.record.kind != records.ORDERS:
            return None
        return next((o.value[0] for o in seen.openings if o.seq == seq and o.path == (1,)), None)

    async def add_device(self, key: bytes, proof: bytes) -> Accepted | Refusal:
        """Declare a further key of the seat; `proof` is its holder's agreement
        (`acts.device_bytes`)."""
        return await self._act(acts.DEVICE, (key,), proof)

    async def revoke(self, key: bytes) -> Accepted | Refusal:
        """Declare that a key of the seat is no longer in force."""
        return await self._act(acts.REVOKED, (key,))

    async def hand_over(self, name: str, key: bytes) -> Accepted | Refusal:
        """Agree that whoever holds the key, under this name, takes over the seat."""
        return await self._act(acts.HANDED, (name, key))

    async def _act(
        self, kind: str, body: tuple[Any, ...], private: Any = None
    ) -> Accepted | Refusal:
        body = composed_body(kind, body)
        async with self._signing:
            await self._settle(
                lambda act: act.kind == kind and (kind != acts.COMMAND or act.body[0] == body[0])
            )
            tries = 1 if kind in (acts.COMMAND, acts.TAKEN) else TRIES
            while True:
                self._may_sign()
                known = self._as_before(kind, body)
                entry = known or self.papers.sign(
                    kind,
                    self.watch.head,
                    body,
                    private,
                    unsigned=not self.public,
                    above=self._newest_number,
                )
                answer = await self._send(entry)
                tries -= 1
                if not isinstance(answer, Refusal) or answer.key not in LATE or not tries:
                    return answer
                refused = self.papers.entries[entry.act.hash].refused
                await self._reach(refused.seq if refused is not None else 0)

    @property
    def _newest_number(self) -> int:
        """The number of the newest act of this key in the log: in a seat that signs nothing,
        whoever did it."""
        signer = self._acting.seats[self.seat].keys.get(self.public)
        return 0 if signer is None else signer.n

    def _as_before(self, kind: str, body: tuple[Any, ...]) -> Entry | None:
        """An act that can be done only once, and was sent before: it is sent again unchanged."""
        if kind not in (acts.TAKEN, acts.NONCE):
            return None
        found = (
            entry
            for entry in self.papers.entries.values()
            if entry.act.kind == kind and entry.refused is None
        )
        return next((entry for entry in found if entry.pending), None)

    async def _settle(self, concerns: Callable[[Act], bool]) -> None:
        """Find out what became of acts in progress for the same decision. Raises Unsettled if the
        server does not say."""
        self.papers.refresh()
        for entry in [
            entry for entry in self.papers.entries.values() if entry.pending and concerns(entry.act)
        ]:
            if entry.act.kind in (acts.TAKEN, acts.NONCE):
                continue
            try:
                await self._send(entry)
            except ServerError as error:
                what = say(
                    "link.unsettled",
                    game=self.game,
                    act=f"acts.kind.{entry.act.kind}",
                    n=entry.act.n,
                    why=error.say.as_array(),
                )
                raise Unsettled(what) from error

    def _may_sign(self) -> None:
        if self.watch.fault is not None:
            raise self.watch.fault
        self.link.check_server()
        if self._lost_at is not None:
            raise CannotSit(say("link.seat_lost", seat=self.seat, seq=self._lost_at))

    async def _send(self, entry: Entry) -> Accepted | Refusal:
        act = entry.act
        answer = await self.link.request(
            lambda number: messages.Act(
                number,
                self.game,
                self.seat,
                act.kind,
                act.key,
                act.n,
                act.seen,
                act.body,
                act.signature,
                entry.private,
            )
        )
        if isinstance(answer, Declined):
            await self._declined(self.papers.entries[act.hash], answer)
            return answer.refusal
        assert isinstance(answer, Accepted)
        try:
            self.link.receive(answer)
        except BadServer as error:
            raise self._fail(error) from None
        if not await self._reach(answer.seq):
            raise Unsettled(
                say(
                    "link.not_shown",
                    game=self.game,
                    seq=answer.seq,
                    act=f"acts.kind.{act.kind}",
                    n=act.n,
                )
            )
        if act.kind != acts.HANDED and not self._shows(answer.seq, act):
            raise self._fail(
                BadServer(
                    say(
                        "link.not_carried_out",
                        game=self.game,
                        seq=answer.seq,
                        act=f"acts.kind.{act.kind}",
                    )
                )
            )
        self.papers.stands(self.papers.entries[act.hash], answer.seq)
        return answer

    async def _declined(self, entry: Entry, answer: Declined) -> None:
        act, watch = entry.act, self.watch
        # The server's key may have changed with a record that is on its way.
        await self._reach(answer.seq)
        if answer.act != act.hash or not self._refusal_holds(
            act, answer.seq, answer.hash, answer.signature
        ):
            raise self._fail(
                BadServer(
                    say(
                        "link.refusal_unsigned",
                        game=self.game,
                        act=f"acts.kind.{act.kind}",
                        n=act.n,
                    )
                )
            )
        # Kept before it is checked: it is a proof either way.
        self.papers.refused(entry, answer.seq, answer.hash, answer.signature)
        if answer.seq <= watch.last_seq and watch.seen[answer.seq].record.hash != answer.hash:
            raise self._fail(BadServer(say("link.fork", game=self.game, seq=answer.seq)))
        self._refused_at[answer.seq] = answer.hash
        stood = entry.stands
        if stood is not None:
            raise self._fail(
                BadServer(
                    say(
                        "link.refused_stands",
                        game=self.game,
                        act=f"acts.kind.{act.kind}",
                        seq=stood,
                    )
                )
            )

    def _refusal_holds(self, act: Act, seq: int, hash: bytes, signature: bytes) -> bool:
        signed = acts.refusal_bytes(act.hash, seq, hash)
        return any(acts.verify(key, signed, signature) for key in self._acting.keys_from(seq))

    def _shows(self, seq: int, act: Act) -> bool:
        return any(
            found == act for found in acts.acts_of(self._genesis, self.watch.seen[seq].record)
        )

    def _fail(self, error: BadServer) -> BadServer:
        self.watch.fail(error)
        return error

    async def _reach(self, seq: int) -> bool:
        """Wait for a record, for a while; whether it has come."""
        left_s = CATCH_UP_S
        while self.watch.last_seq < seq and left_s > 0:
            began = trio.current_time()
            with trio.move_on_after(min(left_s, 1)):
                await self.watch.reached(seq)
            if self.link.up:  # a link that is down has its own time limit
                left_s -= trio.current_time() - began
        return self.watch.last_seq >= seq

    async def _reach_refused(self) -> None:
        """Wait for what the server had seen when it last refused something: the reason stands
        there."""
        await self._reach(max(self._refused_at, default=0))

    # --- holding every record against what was sent -----------------------------------------------

    def _look(self, seen: Seen) -> None:
        """Before anybody sees a record: what it says that this seat did is what this seat
        did."""
        record = seen.record
        refused = self._refused_at.get(record.seq)
        if refused is not None and refused != record.hash:
            raise BadServer(say("link.fork", game=self.game, seq=record.seq))
        for act in acts.acts_of(self._genesis, record):
            if act.seat == self.seat:
                self._own(act, seen)
        if record.kind == records.COMMAND:
            command = bodies.CommandBody.read(record.body)
            if command.seat == self.seat:
                self._picks(seen, command)

    def _own(self, act: Act, seen: Seen) -> None:
        seq = seen.record.seq
        if act.key != self.public:
            if act.kind == acts.TAKEN and any(
                entry.act.kind == acts.TAKEN for entry in self.papers.entries.values()
            ):
                raise BadServer(say("link.seat_stolen", game=self.game, seat=self.seat, seq=seq))
            if act.kind == acts.REPLACED:
                self._lost_at = seq
            return
        entry = self.papers.entries.get(act.hash)
        if entry is None:
            try:
                self.papers.refresh()
            except (BadReceipt, OSError) as error:  # not the server's fault
                raise CannotSit(say("link.journal", what=str(error))) from error
            entry = self.papers.entries.get(act.hash)
        if entry is None or entry.act != act:
            raise BadServer(
                say("link.never_signed", game=self.game, seq=seq, act=f"acts.kind.{act.kind}")
            )
        if entry.refused is not None:
            raise BadServer(
                say("link.refused_stands", game=self.game, act=f"acts.kind.{act.kind}", seq=seq)
            )
        if act.kind == acts.REPLACED:
            self._lost_at = None
        if act.kind == acts.ORDERS:
            self._orders[seq] = entry.private[0]
        self.papers.stands(entry, seq)

    def _picks(self, seen: Seen, command: bodies.CommandBody) -> None:
        """The picks of an own command, open or sealed, are those that were sent, or those of the
        standing answers."""
        record = seen.record
        picks = command.picks
        if type(picks) is Seal:
            picks = next(
                (
                    o.value
                    for o in seen.openings
                    if o.seq == record.seq and o.path == (records.PICKS,)
                ),
                None,
            )
            if picks is None:
                raise BadServer(say("link.own_seal", game=self.game, seq=record.seq))
        answered = self._acting.answered.get(record.seq)
        if answered is not None:
            given = self._given(answered.by.orders)
            if given is not None and follows_from(answered, given, picks[0]):
                raise BadServer(say("link.not_ordered", game=self.game, seq=record.seq))
            return
        for act in acts.acts_of(self._genesis, record):
            entry = self.papers.entries.get(act.hash)
            if act.key == self.public and entry is not None and picks != entry.private:
                raise BadServer(say("link.other_picks", game=self.game, seq=record.seq))
