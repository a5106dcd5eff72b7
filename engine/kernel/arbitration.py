"""Claims, what arbiters write, and rulings with what follows from them at once.

Whether somebody may write it is decided in `warledger.protocol.log.docket`, as auditors decide it
too.
"""

from collections.abc import Sequence
from typing import TypeVar

from attrs import frozen

from warledger.engine.kernel import door
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import GATHERING, PLAYING, Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Correctable, Fault, Margin, Margined, Seat
from warledger.engine.kernel.writing import BaseLedger, Batch, Writing
from warledger.protocol.board.choices import Choices, Picks, Refusal, refuse
from warledger.protocol.log import deskbodies, docket
from warledger.protocol.log.bodies import By
from warledger.protocol.log.docket import Facts
from warledger.protocol.log.records import SERVER, Actor, called, id_of

S = TypeVar("S")

CORRECTIONS = Frame("corrections")
"""The frame of a correction: it stands in no flow."""


@frozen
class Standing:
    """How a game stands by its score: who would win and in which unit, and the points of each
    seat."""

    margin: Margin
    points: tuple[tuple[Seat, int], ...]


class Arbitration(BaseLedger[S]):
    """The proposals that concern claims.

    `actor` is the seat that acts and has signed (`by`), or the arbiter whom the server says it is.
    Whether the server may say so is for the caller to check.
    """

    def propose_note(
        self, actor: Actor, body: deskbodies.Ruling, at_ms: int, *, by: By | None = None
    ) -> Batch[S] | Refusal:
        """A claim, what is said about it, and all that an arbiter writes but a ruling."""
        if isinstance(body, deskbodies.Ruled | deskbodies.Corrected):
            return refuse("", "refusal.act_form", what="body")
        refused = self._ruling_refused(actor, body, at_ms, by)
        if refused is not None:
            return refused
        run = Writing(self, at_ms)
        run.add(actor, body)
        run.acted(id_of(actor), by)
        run.end_if_due()
        return run.batch()

    def propose_end(self, at_ms: int) -> Batch[S] | Refusal:
        """End a game that is over, once nobody can lodge a protest any more."""
        at = self.position
        if at.stage != PLAYING:
            return refuse("", "refusal.not_over")
        now_ms = max(at_ms, self.last.at_ms)
        refused = docket.held(self.desk, at.docket, self.genesis.seats, now_ms)
        if refused is not None:
            return refused
        run = Writing(self, at_ms)
        run.end_held()
        return run.batch()

    def propose_ruling(
        self,
        arbiter: Actor,
        body: deskbodies.Ruled,
        then: Position[S] | None,
        corrections: Sequence[Picks],
        at_ms: int,
    ) -> Batch[S] | Refusal:
        """A ruling with all that follows from it in this game. `then` is the position that it goes
        back to, `corrections` are the picks of each correction that it names."""
        refused = self._ruling_refused(arbiter, body, at_ms, None)
        if refused is not None:
            return refused
        run = Writing(self, at_ms)
        run.add(arbiter, body)
        ruled, left = run.last.seq, list(corrections)
        while run.docket.due:
            word, *rest = run.docket.due[0]
            due = () if run.clocks is None else run.clocks.due(run.at_ms)
            if due:  # nothing but its flag may follow
                return refuse("", "refusal.ruling_flag", seat=due[0].seat)
            failed: Refusal | None = None
            if word == deskbodies.BACK:
                failed = self._go_back(run, arbiter, rest[0], then, ruled)
            elif word == deskbodies.GIVE_TIME:
                if run.clocks is None:
                    return refuse("", "refusal.no_clocks")
                run.add(SERVER, docket.credit(run.docket))
            elif word == deskbodies.CORRECT:
                if not left:
                    return refuse("", "refusal.correction_missing")
                failed = self._correct(run, arbiter, body.n, left.pop(0))
            else:
                failed = self._end_by(run, body.clause)
            if failed is not None:
                return failed
        return refuse("", "refusal.correction_missing") if left else run.batch()

    def corrections_of(self, picks: Picks, at: Position[S] | None = None) -> Choices | Refusal:
        """What an arbiter may correct, after these picks: now, or at a position that a ruling would
        lead to."""
        if not isinstance(self.rules, Correctable):
            return refuse("", "refusal.no_corrections")
        at = self.position if at is None else at
        walked = door.walk(self.rules.corrections, at, CORRECTIONS, "", picks)
        return walked if isinstance(walked, Refusal) else walked[0]

    def stands(self, at: Position[S]) -> Standing | None:
        """How the game stands by its score at a position, as an adjudication sees it. None where
        the title keeps no score, or before the game begins."""
        rules = self.rules
        if not isinstance(rules, Margined) or at.stage == GATHERING:
            return None
        margin, points = rules.margin(at), rules.score(at)
        each = tuple((seat, points[seat]) for seat in rules.seats if seat in points)
        return Standing(margin, each)

    # --- checks -----------------------------------------------------------------------------------

    def _ruling_refused(
        self, actor: Actor, body: deskbodies.Ruling, at_ms: int, by: By | None
    ) -> Refusal | None:
        """Why a `ruling` record may not be written now."""
        at, seats = self.position, self.genesis.seats
        wrong = docket.form(body)
        if wrong:
            return refuse("", "refusal.act_form", what=wrong)
        if (actor in seats) != (by is not None):
            return refuse("", "refusal.not_an_arbiter", arbiter=called(actor))
        fallen = () if at.clocks is None else at.clocks.fallen
        now_ms = max(at_ms, self.last.at_ms)
        facts = Facts(at.seq, seats, fallen, at.stage == PLAYING, now_ms)
        refused = docket.refused(self.desk, at.docket, facts, actor, body)
        if refused is None and by is not None:
            after = body.at_seq if isinstance(body, deskbodies.Claim) else 0
            seat = id_of(actor)
            refused = self._acting_refused(at.seat(seat), seat, by, after=after)
        return refused or self.timely("", at_ms)

    # --- remedies ---------------------------------------------------------------------------------

    def _go_back(
        self, run: Writing[S], arbiter: Actor, to: int, then: Position[S] | None, ruled: int
    ) -> Refusal | None:
        if then is None or then.stage != PLAYING or then.moved_on != to or not then.open:
            return refuse("", "refusal.takeback_target", to=to)
        run.takeback("", to, then, ask=ruled, arbiter=arbiter)
        return None

    def _correct(self, run: Writing[S], arbiter: Actor, n: int, picks: Picks) -> Refusal | None:
        """Carry out a correction, if the game can go on from there."""
        rules, at = self.rules, run.position
        if not isinstance(rules, Correctable):
            return refuse("", "refusal.no_corrections")
        step = rules.corrections
        walked = door.walk(step, at, CORRECTIONS, "", picks)
        if isinstance(walked, Refusal):
            return walked
        end, sealed = walked
        if sealed:
            raise Fault("a correction hides nothing")
        if not end.complete:
            return refuse("", "refusal.incomplete", slot=f"slot.{end.slot}")
        table = Table(rules, self.codec, at, run.seq, "", self._chance_for(at))
        step.decide(table, CORRECTIONS, "", picks)
        try:
            rules.invariants(table.state)
        except AssertionError as error:
            return refuse("", "refusal.correction_breaks", what=str(error))
        if not self._goes_on(replace(at, state=table.state)):
            return refuse("", "refusal.correction_question")
        run.corrected(arbiter, n, picks, table)
        return None

    def _goes_on(self, at: Position[S]) -> bool:
        """Whether the questions that are open can still be answered, and the game is not over: a
        correction that changes them needs a takeback first. Where the end is held the game stays
        over, though it may have another result."""
        if at.docket.over_ms:
            return self.rules.outcome(at) is not None
        if self.rules.outcome(at) is not None:
            return False
        asked = door.deciders(self.rules, at)
        seats = [seat for seat in self.rules.seats if seat in asked]
        if [(seat, key) for seat, _, key in at.open] != [
            (seat, asked[seat].prompt.key) for seat in seats
        ]:
            return False
        step = door.step_of(self.rules, at.top)
        offers = [step.choices(at, at.top, seat, ()) for seat in seats]
        return all(choices.complete or not choices.is_end for choices in offers)

    def _end_by(self, run: Writing[S], clause: str) -> Refusal | None:
        """End the game as the ruling says; an adjudication is by the score."""
        caused = docket.cause(run.docket, self.genesis.seats)
        assert caused is not None
        winner, reason, _ = caused
        if reason == docket.ADJUDICATED:
            if not isinstance(self.rules, Margined):
                return refuse("", "refusal.no_score")
            led = self.rules.margin(run.position).winner
            if led != winner:
                return refuse("", "refusal.adjudicated", winner=led or "")
        run.end_by(caused, docket.ENDED_BY[reason], clause)
        return None
