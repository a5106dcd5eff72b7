"""Records about clocks: flags, outages, claims of a game on time, and what a seat does about its
own clock."""

from typing import TypeVar

from warledger.engine.kernel.position import PLAYING
from warledger.engine.kernel.types import Seat
from warledger.engine.kernel.writing import BaseLedger, Batch, Writing
from warledger.protocol.board.choices import Refusal, refuse
from warledger.protocol.clocks import clock, clockrules
from warledger.protocol.clocks.clockcontrol import CLAIM
from warledger.protocol.log import bodies, deskbodies
from warledger.protocol.log.bodies import By
from warledger.protocol.log.records import SERVER

S = TypeVar("S")


class Timekeeping(BaseLedger[S]):
    """The proposals of a game that is played with clocks."""

    def propose_time(self, seat: Seat, at_ms: int, *, by: By) -> Batch[S] | Refusal:
        """Claim the game because the flag of another seat has fallen."""
        refused = self._cannot_ask(seat, by, at_ms)
        clocks, pace = self.position.clocks, self.pace
        if refused is not None:
            return refused
        if clocks is None or pace is None:
            return refuse("", "refusal.no_clocks")
        if pace.control.fall != CLAIM or not clocks.fallen:
            return refuse("", "refusal.nobody_fell")
        run = Writing(self, at_ms)
        run.add(seat, bodies.Ask(seat, deskbodies.TIME, 0, by))
        run.acted(seat, by)
        run.end_by(clock.flag_lost(clocks, clocks.fallen[0]), bodies.BY_FLAG)
        return run.batch()

    def propose_flag(self, at_ms: int) -> Batch[S] | Refusal:
        """The flags that are due by now fall: those with the earliest deadline, and with them the
        game, if the control says so."""
        clocks, pace = self.position.clocks, self.pace
        due = () if clocks is None else clocks.due(max(at_ms, self.last.at_ms))
        if clocks is None or pace is None or not due or self.position.stage != PLAYING:
            return refuse("", "refusal.no_flag_due")
        run = Writing(self, at_ms)
        for one in due:
            assert one.deadline is not None
            left = clock.reading(pace.control, clocks, one.seat, run.at_ms).left
            run.add(SERVER, deskbodies.Flag(one.seat, one.deadline, left))
        assert run.clocks is not None
        verdict = clock.verdict(pace.control, run.clocks)
        if verdict is not None:
            run.end_by(verdict, bodies.BY_FLAG)
        return run.batch()

    def propose_outage(self, since_ms: int, until_ms: int, at_ms: int) -> Batch[S] | Refusal:
        """The server was down: nobody's clock is charged for it. Must be written before anything
        else, in particular before a flag."""
        clocks = self.position.clocks
        begins, ends = max(since_ms, self.last.at_ms), min(until_ms, at_ms)
        if clocks is None or self.position.stage != PLAYING or begins >= ends:
            return refuse("", "refusal.no_clocks")
        run = Writing(self, at_ms)
        run.add(SERVER, deskbodies.Outage(begins, ends))
        return run.batch()

    def propose_clock(
        self, seat: Seat, body: deskbodies.Clock, at_ms: int, *, by: By
    ) -> Batch[S] | Refusal:
        """What a seat does about the clocks: it wants to resume after a pause, takes leave, chooses
        its night, or gives another seat time to play on."""
        clocks, pace = self.position.clocks, self.pace
        if clocks is None or pace is None:
            return refuse("", "refusal.no_clocks")
        refused = (
            self._not_over(seat)
            or self._acting_refused(self.position.seat(seat), seat, by)
            or self.timely(seat, at_ms)
            or clockrules.refused(pace.control, clocks, seat, body, max(at_ms, self.last.at_ms))
        )
        if refused is not None:
            return refused
        run = Writing(self, at_ms)
        run.add(seat, body)
        run.acted(seat, by)
        return run.batch()
