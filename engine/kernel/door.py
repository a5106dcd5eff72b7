"""The only door: nothing that was not offered, and nothing from the wrong seat, ever changes a
state.

`choices` tells a seat what it may pick next. `decide` walks a command's picks through the very same
function before it lets the title carry it out. A refusal is a value. A Fault is a bug; nothing has
changed, so whoever catches it can simply go on.

The sequence of play is data: sequences name steps, and a stack in the position says where play is.
After each command `settle` runs it on, until somebody is asked or the game has an outcome.
"""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from attrs import frozen

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import (
    ENDED,
    PLAYING,
    Frame,
    Position,
    SeatState,
    StandingAnswers,
)
from warledger.engine.kernel.table import Chance, Codec, Table, codec_of
from warledger.engine.kernel.types import (
    Fault,
    Questioned,
    Rules,
    Seat,
    Step,
)
from warledger.protocol.board.choices import Choices, Decision, Picks, Refusal, Say, refuse
from warledger.protocol.board.effects import AWAIT, Effect, brings_news
from warledger.protocol.chance.seal import Opening, Secret
from warledger.protocol.limits import INT_MAX, PICKS_MAX, STEPS_PER_COMMAND_MAX, TEXT_CHARS_MAX
from warledger.protocol.log import bodies
from warledger.protocol.log.bodies import By, read_by

S = TypeVar("S")

NOT_A_PICK = refuse("", "refusal.not_a_pick")


@frozen(slots=False)
class Submission:
    """What a seat submits: the decision it answers, its picks, and its own id for the command. `by`
    says who acted as the record shows it (see `warledger.protocol.seats.acts`), and `blind` and
    `digest` bind the picks to that."""

    seat: Seat
    decision: int
    picks: Picks
    id: bytes = b""
    by: By | tuple[Any, ...] = ()
    blind: bytes = b""
    digest: bytes = b""


@frozen(slots=False)
class Decided(Generic[S]):
    """An accepted command: its body with the secrets still in it, and the position after it. The
    body lacks its effects and what it opens: they are given here unpacked, for the ledger to pack
    and to salt."""

    command: bodies.CommandBody
    effects: tuple[Effect, ...]
    position: Position[S]
    revealed: tuple[Opening, ...]


def step_of(rules: Rules[S], frame: Frame) -> Step[S]:
    """The step that a frame names. Raises Fault when the title has none of that name."""
    step = rules.steps.get(frame.name)
    if step is None:
        raise Fault(f"{rules.title} has no step or sequence named {frame.name!r}")
    return step


def deciders(rules: Rules[S], at: Position[S]) -> Mapping[Seat, Decision]:
    """The seats that must answer now."""
    if not at.flow or at.outcome is not None or at.top.name in rules.sequences:
        return {}
    return step_of(rules, at.top).deciders(at, at.top)


def settle(rules: Rules[S], table: Table[S]) -> Mapping[Seat, Decision]:
    """Run the flow until somebody is asked or the game has an outcome. Returns who is asked.

    A sequence on top of the flow pushes its next step; a step on top that asks nobody advances.

    Raises Fault when a step makes no progress or the flow runs out.
    """
    sequences, steps = rules.sequences, rules.steps
    judged: Any = None
    at: Any = None
    for _ in range(STEPS_PER_COMMAND_MAX):
        flow = table.flow
        sequence = sequences.get(flow[-1].name) if flow else None
        # A sequence changes nothing but the flow: while it runs, whether the game has ended is
        # asked once for each state.
        if sequence is None or table.state is not judged:
            at = table.at
            outcome = rules.outcome(at)
            if outcome is not None:
                table.outcome = outcome
                return {}
            judged = table.state
        if not flow:
            raise Fault("the sequence of play ran out without an outcome")
        frame = flow[-1]
        if sequence is not None:
            if frame.pc < len(sequence):
                after = Frame(frame.name, frame.args, frame.pc + 1)
                table.flow = (*flow[:-1], after, Frame(sequence[frame.pc], frame.args))
            else:
                table.flow = flow[:-1]
            continue
        step = steps.get(frame.name) or step_of(rules, frame)
        asked = step.deciders(at, frame)
        if asked:
            return asked
        before, state = table.flow, table.state
        step.advance(table, frame)
        if table.flow is before and table.state is state:
            raise Fault(f"step {frame.name} neither asks anybody nor goes on")
    raise Fault("the sequence of play does not come to rest")


def pending(rules: Rules[S], at: Position[S], seat: Seat) -> Decision | None:
    """The seat's open question, or None when it is not asked."""
    opened = at.opened(seat)
    if opened is None or at.stage != PLAYING:
        return None
    decision = deciders(rules, at).get(seat)
    return None if decision is None else Decision(decision.prompt, opened)


def choices(rules: Rules[S], at: Position[S], seat: Seat, picks: Picks = ()) -> Choices | Refusal:
    """What may follow the picks, or why one of them was not on offer."""
    refused = _not_asked(rules, at, seat)
    if refused is not None:
        return refused
    walked = walk(step_of(rules, at.top), at, at.top, seat, picks)
    return walked if isinstance(walked, Refusal) else walked[0]


def preview(
    rules: Rules[S], at: Position[S], seat: Seat, picks: Picks
) -> tuple[Say, ...] | Refusal:
    """What a client may show beside these picks: odds, costs, chances, and that they end the turn.
    Picks that begin with the word of a question get its answer, while the seat is asked something
    itself."""
    word = picks[0] if picks else ""
    if type(word) is str and word[:1] == "?" and isinstance(rules, Questioned):
        question = rules.questions.get(word)
        if question is not None:
            return _not_asked(rules, at, seat) or question(at, seat, picks[1:])
    walked = choices(rules, at, seat, picks)
    if isinstance(walked, Refusal):
        return walked
    said = step_of(rules, at.top).preview(at, at.top, seat, picks)
    return (*said, ENDS_TURN) if walked.complete and _ends_turn(rules, at, seat, picks) else said


ENDS_TURN = Say("preview.turn.warning.ends")
"""Shown beside picks that end a turn: its dice are opened, and only the others' consent goes back
over that."""


class _Stopped(Exception):
    """A command that is only tried has come to chance, to something hidden, or to the end of a
    turn."""


class _Trial(Table[S]):
    """A table on which a command is carried out up to its first draw, its first opened secret, or
    the end of a turn."""

    def reveal(self, secret: Secret) -> Any:
        raise _Stopped

    def turn_over(self) -> None:
        super().turn_over()
        raise _Stopped


class _NoChance:
    """The chance of a trial, which ends where it is asked."""

    def open(self, epoch: int, counter: int, purpose: str, sides: int) -> int:
        raise _Stopped

    def hidden(self, counter: int, purpose: str, sides: int) -> int:
        raise _Stopped


def _ends_turn(rules: Rules[S], at: Position[S], seat: Seat, picks: Picks) -> bool:
    """Whether a complete command is certain to end a turn for the first time. One that draws or
    opens anything before it does tells something new anyway."""
    trial = _Trial(rules, codec_of(rules), at, at.seq + 1, seat, _NoChance())
    try:
        step_of(rules, at.top).decide(trial, at.top, seat, picks)
        if trial.outcome is None:
            settle(rules, trial)
    except _Stopped:
        pass
    except Exception:
        return False  # what is wrong with it is told when the command is given
    return trial.epoch > at.epoch


def on_offer(rules: Rules[S], at: Position[S], seat: Seat, picks: Picks) -> bool:
    """Whether these picks would be accepted as the answer to the question that the seat has."""
    walked = choices(rules, at, seat, picks)
    return not isinstance(walked, Refusal) and walked.complete


def decide(
    rules: Rules[S], codec: Codec, at: Position[S], command: Submission, seq: int, chance: Chance
) -> Decided[S] | Refusal:
    """Carry out a command as record `seq`.

    Raises Fault (or whatever a bug raises) with nothing changed.
    """
    seat, picks = command.seat, command.picks
    refused = _not_asked(rules, at, seat)
    if refused is not None:
        return refused
    opened = at.opened(seat)
    if opened != command.decision:
        return refuse("", "refusal.stale", decision=command.decision, open=opened)
    frame = at.flow[-1]
    step = step_of(rules, frame)
    walked = walk(step, at, frame, seat, picks)
    if isinstance(walked, Refusal):
        return walked
    end, sealed = walked
    if not end.complete:
        why = step.unfinished(at, frame, seat, picks)
        why = why or refuse("", "refusal.incomplete", slot=f"slot.{end.slot}")
        return why if why.rule else replace(why, rule=_clause_of_question(rules, at))
    table = Table(rules, codec, at, seq, seat, chance)
    step.decide(table, frame, seat, picks)
    written = (picks, command.blind)
    return conclude(rules, at, table, command, Secret(written, (seat,)) if sealed else written, seq)


def begin(rules: Rules[S], codec: Codec, at: Position[S], seq: int, chance: Chance) -> Decided[S]:
    """The first command, by the server: starts the sequence "game" once every seat has given its
    nonce."""
    table = Table(rules, codec, at, seq, "", chance)
    table.flow = (Frame("game"),)
    command = Submission("", 0, ("begin",))
    return conclude(rules, at, table, command, (command.picks, b""), seq)


def conclude(
    rules: Rules[S], at: Position[S], table: Table[S], command: Submission, picks: Any, seq: int
) -> Decided[S]:
    """Let the rules run until somebody is asked, and write down what happened."""
    asked = {} if table.outcome is not None else settle(rules, table)
    # A question that another seat still has open keeps its name, so that an answer under way is not
    # stale; one with another key is another question.
    same = (
        len(at.open) > 1
        and asked
        and len(at.flow) == len(table.flow)
        and at.top.name == table.flow[-1].name
    )
    kept = [entry for entry in at.open if entry[0] != command.seat] if same else []
    keys = [(seat, asked[seat].prompt.key) for seat in rules.seats if seat in asked]
    waited_for = tuple([seat for seat, _ in keys])
    awaits = tuple([_question(seat, key, kept, seq) for seat, key in keys])
    table.effects.append((AWAIT, waited_for))
    # A By was checked by the ledger.
    by = command.by if type(command.by) is By else read_by(command.by)
    events = tuple(table.arrays)
    body = bodies.CommandBody(
        command.decision,
        command.seat,
        picks,
        command.id,
        by,
        tuple(table.draws),
        events,
        b"",
        (),
        flow_change(at.flow, table.flow),
        awaits,
        command.digest,
    )
    chance = bool(table.draws or table.revealed or table.epoch > at.epoch)
    news = brings_news(command.seat, picks, events, table.effects, chance=chance)
    undo, undo_seat = undo_after(at.undo, at.undo_seat, at.moved_on, command.seat, news=news)
    position = at.after_command(
        state=table.state,
        seq=seq,
        flow=table.flow,
        seats=acted(at.seats, command.seat, by) if type(by) is By else at.seats,
        open=awaits,
        epoch=table.epoch,
        counter=table.counter,
        undo=undo,
        undo_seat=undo_seat,
        standing=over_with_turn(at.standing) if table.turns > at.turns else at.standing,
        clocks=at.clocks,
        turns=table.turns,
        outcome=table.outcome,
    )
    return Decided(
        body,
        tuple(table.effects),
        position,
        tuple(table.revealed),
    )


def _question(seat: Seat, key: str, kept: list[bodies.Question], seq: int) -> bodies.Question:
    """The question that a seat has after record `seq`: one of those kept, or a new one."""
    for question in kept:
        if question[0] == seat and question[2] == key:
            return question
    return seat, seq, key


def acted(seats: tuple[SeatState, ...], seat: Seat, by: By | None) -> tuple[SeatState, ...]:
    """The seats once one of them has signed an act; unchanged if nobody has."""
    if by is None:
        return seats
    for place, entry in enumerate(seats):
        if entry.seat == seat:
            return (*seats[:place], entry.acted(by.key, by.n, by.seen), *seats[place + 1 :])
    return seats


def over_with_turn(standing: tuple[StandingAnswers, ...]) -> tuple[StandingAnswers, ...]:
    """The standing answers once a turn has ended: those that were given for it are void."""
    return tuple([replace(entry, turn_over=True) for entry in standing])


def undo_after(
    undo: tuple[int, ...], undo_seat: Seat, moved_on: int, seat: Seat, *, news: bool
) -> tuple[tuple[int, ...], Seat]:
    """How far back `seat` may freely go once its command is accepted, and who may: not past chance,
    an opening, the first end of a turn, or another seat's command. The first three are the
    position's before the command."""
    if news or not seat:
        return (), ""
    return ((*undo, moved_on) if undo_seat == seat else (moved_on,)), seat


def flow_change(before: tuple[Frame, ...], after: tuple[Frame, ...]) -> tuple[Any, ...]:
    """[entries kept from the bottom, the entries above them]."""
    kept = 0
    for old in before[: len(after)]:
        new = after[kept]
        if old is not new and (old.pc != new.pc or old.name != new.name or old.args != new.args):
            break
        kept += 1
    return (kept, tuple([(frame.name, frame.args, frame.pc) for frame in after[kept:]]))


def _not_asked(rules: Rules[S], at: Position[S], seat: Seat) -> Refusal | None:
    """Why a seat has nothing to decide now. While others decide, the clause is that of their
    question."""
    if at.stage == ENDED:
        return refuse("", "refusal.game_over")
    if at.seat(seat) is None:
        return refuse("", "refusal.no_such_seat", seat=seat)
    if at.stage != PLAYING:
        return refuse("", "refusal.not_started")
    if at.opened(seat) is None:
        return refuse(_clause_of_question(rules, at), "refusal.not_asked")
    return None


def _clause_of_question(rules: Rules[S], at: Position[S]) -> str:
    """The clause of the open question, for refusals that have no better one."""
    return next(
        (decision.prompt.rule for decision in deciders(rules, at).values() if decision.prompt.rule),
        "",
    )


def walk(
    step: Step[S], at: Position[S], frame: Frame, seat: Seat, picks: Picks
) -> tuple[Choices, bool] | Refusal:
    """What may follow the picks, and whether any choice on the way is hidden from the other
    seats."""
    if len(picks) > PICKS_MAX:
        return refuse("", "refusal.too_many_picks", most=PICKS_MAX)
    for index, pick in enumerate(picks):
        if not (
            (type(pick) is str and len(pick) <= TEXT_CHARS_MAX)
            or (type(pick) is int and abs(pick) <= INT_MAX)
        ):
            before = step.walk(at, frame, seat, picks[:index])
            return before if isinstance(before, Refusal) else NOT_A_PICK
    return step.walk(at, frame, seat, picks)
