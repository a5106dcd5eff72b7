"""What the seats of a game do, and whether they may. Every act is checked as its record arrives,
from the records alone; who sits where, with which keys, is in `seating`.

A client or an auditor that follows a game passes each record in order to `Acting.take`, which
returns what is wrong with it. Whether a record has the form of its kind, whether a command answers
an open question, and whether the rules allow it are checked elsewhere.
"""

from typing import Any, Final

from attrs import define, field

from warledger.protocol.board.choices import Say, say
from warledger.protocol.board.effects import brings_news, turns_closed
from warledger.protocol.canon import SEAL_MARK, Seal
from warledger.protocol.clocks import clock
from warledger.protocol.clocks.clockcontrol import CLAIM
from warledger.protocol.clocks.clockrules import Timekeeping, acting_seat
from warledger.protocol.limits import COMMAND_ID_BYTES_MAX, HASH_BYTES
from warledger.protocol.log import bodies, deskbodies, docket, owed, records
from warledger.protocol.log.bodies import Awaits, By, ByOrders
from warledger.protocol.log.docket import BadDesk, Desk, Docket, Facts
from warledger.protocol.log.owed import DRAW_AGREED, EXPIRED, LAPSED, RESIGNED, Cause, Turns
from warledger.protocol.log.records import SERVER, Genesis, Record
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act
from warledger.protocol.seats.promised import Answered, digest_of_picks
from warledger.protocol.seats.seating import ENDED, GATHERING, PLAYING, Seating, Wrong
from warledger.protocol.seats.undo import NOTHING, Undo

NOT_BY_RULES: Final = frozenset(
    (
        RESIGNED,
        DRAW_AGREED,
        EXPIRED,
        LAPSED,
        clock.FLAGGED,
        clock.FLAGGED_TOGETHER,
        *docket.ENDED_BY,
    )
)
"""Ends that no rule of a game brings about."""
_ENDED_BY: Final = {
    RESIGNED: bodies.BY_RESIGNATION,
    DRAW_AGREED: bodies.BY_DRAW,
    clock.FLAGGED: bodies.BY_FLAG,
    clock.FLAGGED_TOGETHER: bodies.BY_FLAG,
    **docket.ENDED_BY,
}


@define
class Request:
    """A request that is open."""

    seq: int
    seat: str
    what: str
    to: int
    consents: set[str] = field(factory=set)


class Acting(Seating):
    """The seats of one game, their keys and what they do. `take` every record in order,
    the genesis first."""

    def __init__(self, genesis: Genesis) -> None:
        super().__init__(genesis)
        self.request: Request | None = None
        self.time = Timekeeping(genesis)
        """The clocks, in a game that has any."""
        self.docket = Docket()
        """The claims."""
        self.desk = Desk()
        self._desk_wrong = ""
        try:
            self.desk = Desk.of(genesis)
        except BadDesk as error:
            self._desk_wrong = str(error)
        self._moved = 0
        self._undo: Undo = NOTHING
        """What may be taken back freely, and by whom."""
        self._turns = Turns()
        self._then: dict[int, Undo] = {}
        """What may be taken back freely after each record that a takeback may go back to."""
        self._stood = 0
        """The newest of these records."""
        self._cause: Cause | None = None
        self._must_end = False
        self._must_pause: int | None = None
        """The end (or 0) of a pause that every seat has agreed to in the record before."""
        self._by_command = False
        self._held_due = False
        """Every seat has waived a protest against the end of the game, which follows at once."""
        self._nobody_asked = False
        """The game is over by its rules and no end is held: the end follows at once."""
        self._agreed: tuple[str, int] | None = None
        """The takeback that all have agreed to in the record before: who asked for it, and the
        record that it goes back to."""
        self._flags = False
        """The record before may have brought a flag to fall at the same moment."""
        self._ids: set[tuple[str, bytes]] = set()
        self.stands: dict[int, Awaits] = {}
        """The records that a takeback may go back to, with who was asked after each."""
        self.awaits: Awaits = ()
        """Who is asked, by which record, with which key."""
        self.answered: dict[int, Answered] = {}
        """The commands that follow from the standing answers that were in force."""

    @property
    def owed(self) -> Say | None:
        """What the record must hold that must follow the newest one at once and waits for no
        person. None where nothing is owed. The links of turns, which come before it, are told by
        `Drawing.owed`."""
        if self.stage == ENDED:
            return None
        if self.stage == GATHERING:
            return say("acts.owed.begin") if self._begins else None
        clocks = self.time.clocks
        due = () if clocks is None or not self._flags else clocks.due(self._record.at_ms)
        if due:
            return say("acts.owed.flag", seat=due[0].seat)
        cause = self._cause if self._must_end else docket.cause(self.docket, tuple(self.seats))
        if cause is not None:
            winner, reason, args = cause
            why = Say(reason, args).as_array()
            if winner is None:
                return say("acts.owed.end_even", why=why)
            return say("acts.owed.end_won", why=why, winner=winner)
        if self._agreed is not None:
            return say("acts.owed.takeback", to=self._agreed[1])
        if self._must_pause is not None:
            return say("acts.owed.pause")
        if self.docket.due:
            word = self.docket.due[0][0]
            return say(f"acts.owed.ruled_{word}", claim=self.docket.of)
        return say("acts.owed.end") if self._nobody_asked or self._held_due else None

    @property
    def _begins(self) -> bool:
        return owed.begins([sitting.nonce for sitting in self.seats.values()])

    # --- taking in --------------------------------------------------------------------------------

    def take(self, record: Record) -> list[Wrong]:
        """Check a record and continue from it. Returns what is wrong with it, most basic faults
        first.

        Raises CorruptLog, TypeError, ValueError or LookupError for a body that does not have the
        form of its kind.
        """
        self._wrong, self._record = [], record
        if self._must_end and record.kind not in (records.OPEN, records.END):
            self._note("kind", say("acts.went_on"))
            self._must_end = False
        caused = docket.cause(self.docket, tuple(self.seats))
        if caused is not None:
            self._cause, self._must_end = caused, True
            if record.kind != records.END:
                self._note("kind", say("acts.ruling.went_on", claim=self.docket.of))
                self._must_end = False
        if self._held_due and record.kind != records.END:
            self._note("kind", say("acts.held.went_on"))
        self._held_due = False
        if record.kind != records.OPEN:
            by_command, self._by_command = self._by_command, False
            if record.kind == records.END:
                self._end(bodies.End.read(record.body), by_command)
        must_pause, self._must_pause = self._must_pause, None
        if record.kind != records.GENESIS:
            body = bodies.read(record)
            if (must_pause is not None) != isinstance(body, deskbodies.Pause) or (
                isinstance(body, deskbodies.Pause) and body.until_ms != must_pause
            ):
                self._note("kind", say("acts.clock.pause"))
            self._follows(body)
            self._owed(record.actor, body)
            handler = _KINDS.get(type(body))
            if handler is not None:
                handler(self, body, acts.acts_in(self.genesis.hash, body, record.actor))
            self._wrong += self.time.take(record, body)
            if isinstance(body, deskbodies.Flag):
                self._fell()
            control = self.time.control
            self.docket = docket.after(
                self.docket, record.seq, record.at_ms, record.actor, body, control
            )
            waiving = isinstance(body, deskbodies.RULING)
            self._held_due = waiving and docket.must_end(self.desk, self.docket, self.genesis.seats)
            given = isinstance(body, deskbodies.Credit) and body.by is None
            self._flags = given or isinstance(body, deskbodies.Flag)
        else:
            self._actor(SERVER)
            self._wrong += self.time.genesis_wrong
            if self._desk_wrong:
                self._note("terms", say("acts.ruling.desk", what=self._desk_wrong))
        self._where[record.hash] = record.seq
        if bodies.stands(record):
            self.stands[record.seq] = self.awaits
            self._then[record.seq] = self._undo
            self._turns.note(record.seq)
            self._stood = record.seq
        return self._wrong

    # --- kinds ------------------------------------------------------------------------------------

    def _command(self, body: bodies.CommandBody, found: tuple[Act, ...]) -> None:
        seat, by, digest = body.seat, body.by, body.digest
        if self.stage == GATHERING:
            self._begin(body)
        elif type(by) is By:
            self._actor(seat)
            self._acted(found[0], since=max(body.decision, self.docket.corrected))
            if type(digest) is not bytes or len(digest) != HASH_BYTES:
                self._note("digest", say("acts.digest_form"))
            if not 0 < len(body.id) <= COMMAND_ID_BYTES_MAX or (seat, body.id) in self._ids:
                self._note("command_id", say("acts.id_twice", seat=seat))
            self._ids.add((seat, body.id))
            if type(body.picks) is not Seal:
                self._wrong += digest_of_picks(self.genesis.hash, body, body.picks)
        elif type(by) is ByOrders:
            self._actor(seat)
            self._by_orders(seat, by)
            if body.id or digest:
                self._note("command_id", say("acts.orders_id"))
        else:
            self._note("by", say("acts.nobody", seat=seat))
        before, self.awaits = self.awaits, body.awaits
        for asked in body.awaits:
            name, opened, key = asked
            if type(key) is not str or not key:
                raise ValueError("awaits are [seat, record, prompt's key]")
            if opened == self._record.seq:
                continue
            # Its question has closed: whatever it is asked next is another one.
            if name == seat:
                self._note("awaits", say("acts.asked_on", seat=seat, opened=opened))
            elif asked not in before:
                self._note("awaits", say("acts.awaits_opened", seat=name, opened=opened))
        given = [one for one in self.seats.values() if one.orders and not one.turn_over]
        closed = turns_closed(body.effects)
        if given and closed:
            for one in given:
                one.turn_over = True
        self.request = None
        self._moved = self._record.seq
        first = self._turns.closed(closed)
        news = brings_news(
            seat,
            body.picks,
            body.events,
            body.effects,
            chance=bool(body.draws or body.opened or first),
            seals=SEAL_MARK in self._record.data,
        )
        self._undo = NOTHING if news or not seat else self._undo.after(seat, self._stood)
        self._by_command = True
        self._nobody_asked = owed.is_over(body.awaits, self.desk.protest_ms)

    def _by_orders(self, seat: str, by: ByOrders) -> None:
        """A standing answer: of the newest set, for the key by which the seat was asked. What the
        set holds is compared where it is open (`promised.follows_from`)."""
        sitting = self._sitting(seat)
        if sitting is None:
            return
        if by.orders != sitting.orders:
            found = {"seat": seat, "orders": by.orders, "newest": sitting.orders}
            self._note("by", say("acts.old_orders", **found))
            return
        key = next((key for name, _, key in self.awaits if name == seat), "")
        self.answered[self._record.seq] = Answered(seat, by, key, sitting.turn_over)

    def _begin(self, body: bodies.CommandBody) -> None:
        self._actor(SERVER)
        self.stage = PLAYING
        if not self._begins:
            self._note("kind", say("acts.began_early"))
        plain = (body.by, body.decision, body.seat, body.picks, body.id, body.digest)
        if plain != (None, 0, "", (("begin",), b""), b"", b""):
            self._note("picks", say("acts.begin"))

    def _ask(self, body: bodies.Ask, found: tuple[Act, ...]) -> None:
        seat = body.seat
        self._actor(seat)
        self._asks(seat, found)
        clocks, control = self.time.clocks, self.time.control
        if body.what in (deskbodies.PAUSE, deskbodies.ADJOURN, deskbodies.TIME) and clocks is None:
            self._note("kind", say("acts.clock.none"))
            return
        if body.what == deskbodies.TIME:
            assert clocks is not None
            assert control is not None
            if control.fall != CLAIM or not clocks.fallen or body.to:
                self._note("kind", say("acts.clock.nobody_fell"))
                return
            self._cause, self._must_end = clock.flag_lost(clocks, clocks.fallen[0]), True
            return
        if body.what == bodies.RESIGN:
            self._cause, self._must_end = owed.resigned(tuple(self.seats), seat), True
            return
        if body.what == bodies.TAKEBACK:
            self._target(body.to)
            if body.to in self.stands:
                if seat not in [asked for asked, *_ in self.stands[body.to]]:
                    self._note("to", say("audit.takeback_to", to=body.to))
                elif self._undo.reaches(seat, body.to):
                    # Otherwise another seat could refuse what needs nobody's consent.
                    self._note("kind", say("audit.takeback_free", to=body.to))
        if self.request is not None:
            self._note("kind", say("acts.asked_already"))
        self.request = Request(self._record.seq, seat, body.what, body.to)

    def _target(self, to: int) -> None:
        if to not in self.stands:
            self._note("to", say("acts.takeback_to", to=to))

    def _asks(self, seat: str, found: tuple[Act, ...]) -> None:
        """A seat that makes a request must have seen the newest command, so that no request is
        about a position that has passed."""
        if self.stage != PLAYING:
            self._note("kind", say("acts.asked_early"))
        elif self.docket.over_ms:
            self._note("kind", say("acts.held.asked"))
        self._by_one(found, seat, since=self._moved)

    def _answer(self, body: bodies.Answer, found: tuple[Act, ...]) -> None:
        seat, ask = body.seat, body.ask
        self._actor(seat)
        request = self.request
        if request is None or request.seq != ask:
            self._note("ask", say("acts.not_the_ask", ask=ask))
            self._by_one(found, seat)
            return
        self._by_one(found, seat, since=ask)
        if seat == request.seat or seat in request.consents:
            self._note("seat", say("acts.own_request", seat=seat))
        if not body.consents:
            self.request = None
            return
        request.consents.add(seat)
        if not owed.agreed(self.seats, request.seat, request.consents):
            return
        if request.what == bodies.DRAW:
            self._cause, self._must_end = owed.DRAW, True
        elif request.what == bodies.TAKEBACK:
            self._agreed = request.seat, request.to
        elif request.what in (deskbodies.PAUSE, deskbodies.ADJOURN):
            self._must_pause, self.request = request.to, None

    def _of_server(self, body: deskbodies.Told, found: tuple[Act, ...]) -> None:
        self._actor(SERVER)

    def _of_seat(
        self,
        body: deskbodies.Resume | deskbodies.Leave | deskbodies.Night,
        found: tuple[Act, ...],
    ) -> None:
        """What a seat does about its own clock."""
        self._actor(body.seat)
        self._by_one(found, body.seat)

    def _follows(self, body: bodies.Body) -> None:
        """What all have agreed to follows at once, and the end where nobody is asked."""
        agreed, self._agreed = self._agreed, None
        if agreed is not None:
            if not isinstance(body, bodies.Takeback):
                self._note("kind", say("acts.agreed_on"))
            elif (body.seat, body.to) != agreed:
                self._note("to", say("acts.agreed_on"))
        if not isinstance(body, bodies.Open):
            if self._nobody_asked and not isinstance(body, bodies.End):
                self._note("kind", say("acts.nobody_asked"))
            self._nobody_asked = False

    def _owed(self, actor: records.Actor, body: bodies.Body) -> None:
        """What a ruling asks for follows it at once, in its order, and by nothing else."""
        told = isinstance(body, bodies.Takeback) and not body.seat
        given = isinstance(body, deskbodies.Credit) and body.by is None
        asked = docket.owed(self.docket, actor, body)
        if asked:
            return
        if told or given or isinstance(body, deskbodies.Corrected):
            self._note("kind", say("acts.ruling.unruled"))
        elif self.docket.due and not self._must_end and not isinstance(body, bodies.End):
            self._note("kind", say("acts.ruling.went_on", claim=self.docket.of))
        if self.time.clocks is None and self.docket.frozen and acting_seat(body):
            self._note("kind", say("acts.clock.frozen", seat=acting_seat(body)))

    def _ruling(self, body: deskbodies.Ruling, found: tuple[Act, ...]) -> None:
        """Claims, and what arbiters write."""
        actor = self._record.actor
        wrong = docket.form(body)
        if wrong:
            self._note(wrong, say("acts.ruling.form", field=wrong))
            return
        if found:
            since = body.at_seq if isinstance(body, deskbodies.Claim) else 0
            self._by_one(found, records.id_of(actor), since=since)
        elif isinstance(actor, str) and actor in self.seats:
            self._note("by", say("acts.nobody", seat=actor))
        clocks = self.time.clocks
        fallen = () if clocks is None else clocks.fallen
        playing = self.stage == PLAYING
        at_ms = self._record.at_ms
        facts = Facts(self._record.seq - 1, tuple(self.seats), fallen, playing, at_ms, self.stands)
        refused = docket.refused(self.desk, self.docket, facts, actor, body)
        if refused is not None:
            why = Say(refused.key, refused.args, refused.rule).as_array()
            self._note("kind", say("acts.ruling.not_allowed", why=why))

    def _corrected(self, body: deskbodies.Corrected, found: tuple[Act, ...]) -> None:
        """A correction: whether a ruling asks for it is looked at with all that one asks for."""
        wrong = docket.form(body)
        if wrong:
            self._note(wrong, say("acts.ruling.form", field=wrong))
        if body.opened:
            self._note("opened", say("acts.ruling.form", field="opened"))
        self._undo = NOTHING
        self.request = None
        self._moved = self._record.seq

    def _credit(self, body: deskbodies.Credit, found: tuple[Act, ...]) -> None:
        """Time given by another seat, or a ruling."""
        if body.by is None:
            self._actor(SERVER)
        else:
            self._by_one(found, records.id_of(self._record.actor))

    def _fell(self) -> None:
        """A flag has fallen, which may end the game."""
        clocks, control = self.time.clocks, self.time.control
        if clocks is None or control is None or clocks.due(self._record.at_ms):
            return
        cause = clock.verdict(control, clocks)
        if cause is not None:
            self._cause, self._must_end = cause, True

    def _takeback(self, body: bodies.Takeback, found: tuple[Act, ...]) -> None:
        self._target(body.to)
        free = body.ask == 0
        undo = self._then.get(body.to, NOTHING)
        self._turns.back(body.to)
        if free and body.to in self.stands and not self._undo.reaches(body.seat, body.to):
            self._note("to", say("audit.takeback_consent", to=body.to))
        self._undo = undo if free and undo.seat in ("", body.seat) else NOTHING
        seq = self._record.seq
        again = tuple([(seat, seq, key) for seat, _, key in self.stands.get(body.to, ())])
        if body.awaits != again and body.to in self.stands:
            self._note("awaits", say("acts.takeback_awaits", to=body.to))
        self.awaits = body.awaits
        if not body.seat:
            pass  # by a ruling, which asks for it
        elif body.ask == 0:
            self._actor(body.seat)
            self._asks(body.seat, found)
        else:
            self._actor(SERVER)
            request = self.request
            agreed = request is not None and (
                request.seq,
                request.seat,
                request.what,
                request.to,
            ) == (body.ask, body.seat, bodies.TAKEBACK, body.to)
            if (
                body.by is not None
                or not agreed
                or request is None
                or not owed.agreed(self.seats, request.seat, request.consents)
            ):
                self._note("ask", say("acts.not_the_ask", ask=body.ask))
        self.request = None
        self._moved = self._record.seq

    def _orders(self, body: bodies.Orders, found: tuple[Act, ...]) -> None:
        seat, digest = body.seat, body.digest
        self._actor(seat)
        if self.stage != PLAYING:
            self._note("kind", say("acts.asked_early"))
        self._by_one(found, seat)
        if type(body.sealed) is not Seal or type(digest) is not bytes or len(digest) != HASH_BYTES:
            self._note("digest", say("acts.digest_form"))
        sitting = self.seats.get(seat)
        if sitting is not None:
            sitting.orders, sitting.turn_over = self._record.seq, False

    def _revealed(self, body: bodies.Reveal, found: tuple[Act, ...]) -> None:
        self._actor(SERVER)

    def _end(self, body: bodies.End, by_command: bool) -> None:
        self._actor(SERVER)
        if self.stage == GATHERING:
            missing = tuple(seat for seat, sitting in self.seats.items() if sitting.nonce is None)
            expected = owed.expired(missing, all_taken=self.all_taken)
            # Once every nonce is known the game begins; a server that lets it lapse then has seen
            # the dice and is lying.
            if body.outcome != expected or not missing:
                self._note("reason", say("acts.no_cause"))
            by = bodies.BY_EXPIRY
        elif self._must_end:
            if body.outcome != self._cause:
                self._note("reason", say("acts.other_cause"))
            by = _ENDED_BY[self._cause[1]] if self._cause is not None else bodies.BY_RESIGNATION
        else:
            if body.reason.key in NOT_BY_RULES or not (by_command or self.desk.protest_ms):
                self._note("reason", say("acts.no_cause"))
            elif self.desk.protest_ms:
                at_ms, seats = self._record.at_ms, self.genesis.seats
                early = docket.held(self.desk, self.docket, seats, at_ms)
                if early is not None:
                    why = Say(early.key, early.args, early.rule).as_array()
                    self._note("kind", say("acts.held.early", why=why))
            by = bodies.BY_RULES
        if body.by != by:
            self._note("by", say("acts.other_cause"))
        scored = [seat for seat, _ in body.scores]
        if (
            scored != [seat for seat in self.seats if seat in scored]
            or (scored and self.stage == GATHERING)
            or not all(type(points) is int for _, points in body.scores)
        ):
            self._note("scores", say("acts.scores"))
        self._must_end = False
        self.stage = ENDED


_KINDS: dict[type[Any], Any] = {
    bodies.Taken: Acting._taken,
    bodies.Nonce: Acting._nonce,
    bodies.Device: Acting._device,
    bodies.Revoked: Acting._revoked,
    bodies.Replaced: Acting._replaced,
    bodies.CommandBody: Acting._command,
    bodies.Ask: Acting._ask,
    bodies.Answer: Acting._answer,
    bodies.Takeback: Acting._takeback,
    bodies.Orders: Acting._orders,
    bodies.Rotate: Acting._rotate,
    bodies.Reveal: Acting._revealed,
    deskbodies.Flag: Acting._of_server,
    deskbodies.Pause: Acting._of_server,
    deskbodies.Outage: Acting._of_server,
    deskbodies.Resume: Acting._of_seat,
    deskbodies.Leave: Acting._of_seat,
    deskbodies.Night: Acting._of_seat,
    deskbodies.Credit: Acting._credit,
    **{kind: Acting._ruling for kind in deskbodies.RULING if kind is not deskbodies.Corrected},
    deskbodies.Corrected: Acting._corrected,
}
