"""The one door: nothing un-offered, and nothing from the wrong seat, ever changes a state.

`choices` tells a seat what it may pick next; `decide` walks a command's picks through the very same function before it lets the title
carry it out. A refusal is a value; a Fault is a bug, and whoever catches it has lost nothing, since nothing was changed.
"""

from typing import Any, Generic, TypeVar

from attrs import frozen

from engine.kernel import flow
from engine.kernel.codec import Codec
from engine.kernel.position import ENDED, PLAYING, Frame, Position, SeatState
from engine.kernel.table import Chance, Table
from engine.kernel.types import Rules, Seat, Step
from protocol.canon import Seal
from protocol.choices import Choices, Decision, Picks, Refusal, Say, refuse
from protocol.effects import AWAIT
from protocol.limits import INT_MAX, PICKS_MAX, TEXT_CHARS_MAX
from protocol.records import DRAWS, EVENTS, OPENED, PICKS
from protocol.seal import Opening, Secret

S = TypeVar("S")

NOT_A_PICK = refuse("", "refusal.not_a_pick")


@frozen(slots=False)
class Command:
    """What a seat submits: the decision it answers, its picks, its own id for the command, and the last record it had seen.

    In a game of format 2 `by` says who acted as the record shows it (see `protocol.acts`), and `blind` and `digest` bind the picks to
    that; in one of format 1 it is None.
    """

    seat: Seat
    decision: int
    picks: Picks
    id: bytes = b""
    seen: bytes = b""
    by: tuple[Any, ...] | None = None
    blind: bytes = b""
    digest: bytes = b""


@frozen(slots=False)
class Decided(Generic[S]):
    """An accepted command: the body of its record with the secrets still in it, and the position after it."""

    body: tuple[Any, ...]
    position: Position[S]
    revealed: tuple[Opening, ...]
    closed_epochs: tuple[int, ...]


def pending(rules: Rules[S], at: Position[S], seat: Seat) -> Decision | None:
    """The seat's open question, or None when it is not asked."""
    opened = at.opened(seat)
    if opened is None or at.stage != PLAYING:
        return None
    decision = flow.deciders(rules, at).get(seat)
    return None if decision is None else Decision(decision.prompt, opened)


def choices(rules: Rules[S], at: Position[S], seat: Seat, picks: Picks = ()) -> Choices | Refusal:
    """What may follow the picks, or why one of them was not on offer."""
    refused = _not_asked(rules, at, seat)
    if refused is not None:
        return refused
    walked = _walk(flow.step_of(rules, at.top), at, seat, picks)
    return walked if isinstance(walked, Refusal) else walked[0]


def preview(rules: Rules[S], at: Position[S], seat: Seat, picks: Picks) -> tuple[Say, ...] | Refusal:
    """What a client may show beside these picks: odds, costs, chances."""
    walked = choices(rules, at, seat, picks)
    if isinstance(walked, Refusal):
        return walked
    return flow.step_of(rules, at.top).preview(at, at.top, seat, picks)


def decide(rules: Rules[S], codec: Codec, at: Position[S], command: Command, seq: int, chance: Chance) -> Decided[S] | Refusal:
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
    step = flow.step_of(rules, frame)
    walked = _walk(step, at, seat, picks)
    if isinstance(walked, Refusal):
        return walked
    end, sealed = walked
    if not end.complete:
        why = step.unfinished(at, frame, seat, picks)
        return why or refuse(_clause_of_question(rules, at), "refusal.incomplete", slot=f"slot.{end.slot}")
    table = Table(rules, codec, at, seq, seat, chance)
    step.decide(table, frame, seat, picks)
    written = picks if command.by is None else (picks, command.blind)
    return conclude(rules, at, table, command, Secret(written, (seat,)) if sealed else written, seq)


def begin(rules: Rules[S], codec: Codec, at: Position[S], seq: int, chance: Chance, *, signed: bool = False) -> Decided[S]:
    """The first command, by the server: starts the sequence "game" once every seat has given its nonce. `signed`: the game is of a format
    in which seats sign."""
    table = Table(rules, codec, at, seq, "", chance)
    table.flow = (Frame("game"),)
    command = Command("", 0, ("begin",), by=() if signed else None)
    return conclude(rules, at, table, command, (command.picks, b"") if signed else command.picks, seq)


def conclude(rules: Rules[S], at: Position[S], table: Table[S], command: Command, picks: Any, seq: int) -> Decided[S]:
    """Let the rules run on until somebody is asked, and write down what happened."""
    asked = {} if table.outcome is not None else flow.settle(rules, table)
    # A question that another seat still has open keeps its name, so that his answer under way is not stale.
    same = len(at.open) > 1 and asked and len(at.flow) == len(table.flow) and at.top.name == table.flow[-1].name
    kept = {seat: opened for seat, opened in at.open if seat != command.seat} if same else {}
    waited_for = tuple([seat for seat in rules.seats if seat in asked])
    awaits = tuple([(seat, kept.get(seat, seq)) for seat in waited_for])
    table.effects.append((AWAIT, waited_for))
    by = command.by
    body: tuple[Any, ...] = (
        command.decision,
        command.seat,
        picks,
        command.id,
        command.seen if by is None else by,
        tuple(table.draws),
        tuple(table.arrays),
        tuple(table.effects),
        tuple(table.revealed),
        flow_change(at.flow, table.flow),
        awaits,
    )
    if by is not None:
        body = (*body, command.digest)
    undo, undo_seat = after_command(at, command.seat, news=brings_news(body))
    position = Position(
        table.state,
        seq,
        PLAYING if table.outcome is None else ENDED,
        table.flow,
        at.seats if by is None or len(by) < 4 else acted(at.seats, command.seat, by),
        awaits,
        table.epoch,
        table.counter,
        undo_seat,
        undo,
        None,
        table.outcome,
        at.standing,
        seq,
        at.shown_keys,
        at.server_key,
    )
    return Decided(body, position, tuple(table.revealed), tuple(table.closed_epochs))


def acted(seats: tuple[SeatState, ...], seat: Seat, by: tuple[Any, ...]) -> tuple[SeatState, ...]:
    """The seats once one of them has signed an act: `by` as it stands in the record."""
    key, n, seen, _ = by
    return tuple([entry.acted(key, n, seen) if entry.seat == seat else entry for entry in seats])


def brings_news(body: tuple[Any, ...]) -> bool:
    """Whether a command may have told its seat something new: a draw, an opening to all, or hidden facts in the events of a command
    whose own picks were not hidden (what is written in secret the seat knew before). Read from the body alone, opened or not."""
    if body[DRAWS] or body[OPENED]:
        return True
    for event in body[EVENTS]:
        if _hides(event):
            return not _hides(body[PICKS])
    return False


def _hides(value: Any) -> bool:
    kind = type(value)
    if kind is not tuple:
        return kind is Secret or kind is Seal
    for item in value:
        kind = type(item)
        if kind is tuple:
            if _hides(item):
                return True
        elif kind is Secret or kind is Seal:
            return True
    return False


def after_command(at: Position[S], seat: Seat, *, news: bool) -> tuple[tuple[int, ...], Seat]:
    """How far the seat may freely take back once its command stands: not past chance, an opening or another seat's command."""
    if news or not seat:
        return (), ""
    return ((*at.undo, at.seq) if at.undo_seat == seat else (at.seq,)), seat


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
    """Why a seat has nothing to decide now. While others decide, the clause is that of the question they are asked."""
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
    """The clause that the open question rests on, for refusals that have no better one."""
    return next((decision.prompt.rule for decision in flow.deciders(rules, at).values() if decision.prompt.rule), "")


def _walk(step: Step[S], at: Position[S], seat: Seat, picks: Picks) -> tuple[Choices, bool] | Refusal:
    """What may follow the picks, and whether any choice on the way is kept from the other seats."""
    if len(picks) > PICKS_MAX:
        return refuse("", "refusal.too_many_picks", most=PICKS_MAX)
    frame = at.flow[-1]
    sealed = False
    for index, pick in enumerate(picks):
        if not ((type(pick) is str and len(pick) <= TEXT_CHARS_MAX) or (type(pick) is int and abs(pick) <= INT_MAX)):
            return NOT_A_PICK
        on_offer = step.choices(at, frame, seat, picks[:index])
        if not on_offer.offers(pick):
            return step.refusal(at, frame, seat, picks[: index + 1])
        sealed = sealed or on_offer.sealed
    last = step.choices(at, frame, seat, picks)
    return last, sealed or last.sealed
