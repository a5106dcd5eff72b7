"""What a seat asks of the others (a takeback, a draw, a pause), their answers, and
resignation."""

from typing import TypeVar

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import PLAYING, Ask, Position
from warledger.engine.kernel.types import Fault, Seat
from warledger.engine.kernel.writing import BaseLedger, Batch, Writing
from warledger.protocol.board.choices import Refusal, refuse
from warledger.protocol.log import bodies, deskbodies, owed
from warledger.protocol.log.bodies import By
from warledger.protocol.log.records import SERVER

S = TypeVar("S")


class Requests(BaseLedger[S]):
    """The proposals by which seats agree on something that the rules of the game do not settle."""

    def propose_takeback(
        self, seat: Seat, to: int, then: Position[S] | None, at_ms: int, *, by: By
    ) -> Batch[S] | Refusal:
        """Go back to the position after record `to`: at once if nothing new was learnt since,
        otherwise as a request to the others.

        `then` is that position, needed only if `past` does not contain it.
        """
        refused = self._cannot_ask(seat, by, at_ms)
        if refused is not None:
            return refused
        if self.position.undo_seat == seat and to in self.position.undo:
            run = Writing(self, at_ms)
            run.takeback(seat, to, self.past[to], by=by)
            return run.batch()
        if (
            then is None
            or not 0 < to < self.position.seq
            or then.stage != PLAYING
            or then.moved_on != to
            or then.opened(seat) is None
        ):
            return refuse("", "refusal.takeback_target", to=to)
        return self._ask(seat, bodies.TAKEBACK, to, at_ms, by)

    def propose_draw(self, seat: Seat, at_ms: int, *, by: By) -> Batch[S] | Refusal:
        """Offer a draw."""
        return self._cannot_ask(seat, by, at_ms) or self._ask(seat, bodies.DRAW, 0, at_ms, by)

    def propose_pause(
        self, seat: Seat, until: int, at_ms: int, *, by: By, adjourns: bool = False
    ) -> Batch[S] | Refusal:
        """Ask the others to stop all clocks, until a moment (0: until they wish otherwise).
        `adjourns`: the game is adjourned, and the seats that are asked may leave a standing answer
        for when it resumes."""
        refused = self._cannot_ask(seat, by, at_ms)
        clocks = self.position.clocks
        if refused is None and clocks is None:
            refused = refuse("", "refusal.no_clocks")
        if refused is None and clocks is not None and clocks.paused(at_ms):
            refused = refuse("", "refusal.paused_already")
        if refused is None and until and until <= at_ms:
            refused = refuse("", "refusal.pause_until")
        what = deskbodies.ADJOURN if adjourns else deskbodies.PAUSE
        return refused or self._ask(seat, what, until, at_ms, by)

    def propose_answer(
        self,
        seat: Seat,
        consents: bool,
        then: Position[S] | None,
        at_ms: int,
        *,
        ask_seq: int,
        by: By,
    ) -> Batch[S] | Refusal:
        """Answer the open request; `ask_seq` is its record. `then` is the position a takeback goes
        back to."""
        ask = self.position.ask
        if ask is None:
            return refuse("", "refusal.nothing_asked")
        entry = self.position.seat(seat)
        if entry is None:
            return refuse("", "refusal.no_such_seat", seat=seat)
        if ask.seat == seat or seat in ask.consents:
            return refuse("", "refusal.own_request")
        refused = self._acting_refused(entry, seat, by, after=ask.seq) or self.timely(seat, at_ms)
        if refused is None and ask_seq != ask.seq:
            refused = refuse("", "refusal.other_request")
        if refused is not None:
            return refused
        run = Writing(self, at_ms)
        run.add(seat, bodies.Answer(seat, consents, ask_seq, by))
        run.acted(seat, by)
        if not consents:
            run.position = replace(run.position, ask=None)
            return run.batch()
        given = (*ask.consents, seat)
        run.position = replace(run.position, ask=replace(ask, consents=given))
        if owed.agreed(self.genesis.seats, ask.seat, given):
            if ask.kind in (deskbodies.PAUSE, deskbodies.ADJOURN):
                until = ask.to if ask.to > run.at_ms else 0
                if ask.to and not until:
                    return refuse("", "refusal.pause_until")
                run.add(SERVER, deskbodies.Pause(self.genesis.seats, until))
                run.position = replace(run.position, ask=None)
            elif ask.kind == bodies.DRAW:
                run.end_by(owed.DRAW, bodies.BY_DRAW)
            else:
                then = self.past.get(ask.to, then)
                if then is None:
                    raise Fault(f"the position after record {ask.to} is needed to go back to it")
                run.takeback(ask.seat, ask.to, then, ask=ask.seq)
        return run.batch()

    def propose_resignation(self, seat: Seat, at_ms: int, *, by: By) -> Batch[S] | Refusal:
        """A seat resigns; with two seats the other wins."""
        refused = self._cannot_ask(seat, by, at_ms)
        if refused is not None:
            return refused
        run = Writing(self, at_ms)
        run.add(seat, bodies.Ask(seat, bodies.RESIGN, 0, by))
        run.acted(seat, by)
        run.end_by(owed.resigned(self.genesis.seats, seat), bodies.BY_RESIGNATION)
        return run.batch()

    def _ask(self, seat: Seat, kind: str, to: int, at_ms: int, by: By) -> Batch[S] | Refusal:
        if self.position.ask is not None:
            return refuse("", "refusal.already_asked")
        run = Writing(self, at_ms)
        run.add(seat, bodies.Ask(seat, kind, to, by))
        run.acted(seat, by)
        run.position = replace(run.position, ask=Ask(seat, kind, to, run.position.seq))
        return run.batch()
