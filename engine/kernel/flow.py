"""The sequence of play is data: sequences name steps, a stack in the position says where play is.

`settle` runs it: a sequence on top pushes its next step; a step on top that asks nobody advances.
The game waits when somebody is asked or when it has an outcome. `EachBy` and `Window` are steps
that many rule books share.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Choices, Decision, Fault, Picks, Rules, Seat, Step
from warledger.protocol.board.choices import Say, offer
from warledger.protocol.limits import STEPS_PER_COMMAND_MAX

S = TypeVar("S")


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


class EachBy(Step[S]):
    """Each of several things once, in an order that a seat chooses. Frame arguments: (seat, item,
    item …).

    The seat is asked while two or more are left; the last is taken automatically. For each item the
    step `child` is called with (item,). `rule` is the clause that gives the seat the choice.
    """

    def __init__(self, child: str, slot: str, prompt: str, rule: str = "") -> None:
        self.child = child
        self.slot = slot
        self.prompt = Say(prompt, (), rule)

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The seat that chooses, while it has a choice."""
        return {frame.args[0]: Decision(self.prompt)} if len(frame.args) > 2 else {}

    def choices(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """One of the items that are left."""
        return offer("end", (), complete=True) if picks else offer(self.slot, frame.args[1:])

    def decide(self, table: Table[S], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Call the child for the item chosen."""
        self._go(table, frame, picks[0])

    def advance(self, table: Table[S], frame: Frame) -> None:
        """Take the last item, or be done."""
        if len(frame.args) == 2:
            self._go(table, frame, frame.args[1])
        else:
            table.done()

    def _go(self, table: Table[S], frame: Frame, item: Any) -> None:
        table.replace(frame.args[0], *(left for left in frame.args[1:] if left != item))
        table.call(self.child, item)


class Window(Step[S]):
    """A chance to interrupt or react, offered to one seat: frame arguments (seat, …). Answers are
    `use` and `pass`.

    It opens on its public conditions alone (`is_open`), so that nobody can tell from it whether the
    seat could have used it: a seat that cannot is still asked, and is offered only `pass`.
    """

    prompt: Say = Say("prompt.window")

    def is_open(self, at: Position[S], frame: Frame) -> bool:
        """Whether the window opens, judging by what everybody knows."""
        return True

    def can_use(self, at: Position[S], frame: Frame, seat: Seat) -> bool:
        """Whether this seat may use it, judging by what the seat knows."""
        return True

    def use(self, table: Table[S], frame: Frame, seat: Seat) -> None:
        """The seat uses the window; the frame has already gone."""
        raise Fault(f"window {frame.name} does nothing")

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The seat to whom the window opens."""
        return {frame.args[0]: Decision(self.prompt)} if self.is_open(at, frame) else {}

    def choices(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Use it, or pass."""
        if picks:
            return offer("end", (), complete=True)
        return offer("window", ("use", "pass") if self.can_use(at, frame, seat) else ("pass",))

    def decide(self, table: Table[S], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Close the window and, if it is used, call `use`."""
        table.done()
        if picks[0] == "use":
            self.use(table, frame, seat)
