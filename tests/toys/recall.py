"""A window on a secret, and a put-back draw from a hidden cup.

Each turn both seats write in secret, at the same time, which two of their three chits go into the
cup, and Axis also whether it keeps its general in reserve. Chits are then drawn one by one: nobody
sees how many are left of which side. When the turn's first Soviet chit is drawn a window opens for
Axis, whether it has the general in reserve or not: with him it may put the chit back and have
another drawn.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import (
    Choices,
    Decision,
    Outcome,
    Picks,
    Seat,
    Step,
    Switch,
    Window,
    event,
)
from warledger.protocol.board.choices import Say, offer, say
from warledger.protocol.board.description import LIST, Box, Description, Face, Piece, Track
from warledger.protocol.board.effects import Effect, mark, opening, put, take, tell, track
from warledger.protocol.chance.seal import Secret
from warledger.protocol.log.records import Genesis

SEATS = ("axis", "soviet")
CHITS = {"axis": ("ax1", "ax2", "ax3"), "soviet": ("so1", "so2", "so3")}
RESERVE = ("general", "nobody")
PACK: dict[str, Any] = {"chits": CHITS}


@frozen
class State:
    """`cup` is what a seat put in this turn (a Secret of names), `drawn` what has come out,
    `reserve` Axis's secret choice."""

    turn: int = 0
    cup: tuple[Secret | None, Secret | None] = (None, None)
    reserve: Secret | None = None
    drawn: tuple[str, ...] = ()
    last: str = ""
    asked: bool = False
    score: int = 0


@event("turned")
class Turned:
    turn: int


@event("chose")
class Chose:
    seat: str
    chits: Secret
    reserve: Secret | None


@event("drew")
class Drew:
    chit: str


@event("window_opened")
class WindowOpened:
    """Publicly: the chance to recall this turn has come."""


@event("recalled")
class Recalled:
    chit: str


class Turn(Step[State]):
    """1 A turn begins; at the end of the one before the dice's link is opened."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        if table.state.turn:
            table.turn_over()
        table.emit(Turned(table.state.turn + 1))
        table.call("turn")


class Choose(Step[State]):
    """2 Both sides choose in secret, at the same time."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        return {
            seat: Decision(say("prompt.recall.choose"))
            for seat, cup in zip(SEATS, at.state.cup, strict=True)
            if cup is None
        }

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        if len(picks) < 2:
            left = [
                chit
                for chit in CHITS[seat]
                if chit not in picks and (not picks or chit > str(picks[-1]))
            ]
            return offer("chit", left[: -1 if not picks else None], sealed=True)
        if seat == "axis" and len(picks) == 2:
            return offer("reserve", RESERVE, sealed=True)
        return Choices("end", complete=True, sealed=True)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        reserve = Secret(picks[2], (seat,)) if seat == "axis" else None
        table.emit(Chose(seat, Secret(picks[:2], (seat,)), reserve))


class Draw(Step[State]):
    """3 Chits are drawn one by one until three are out; the cup's contents are hidden, so each
    receipt is sealed."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        state = table.state
        if len(state.drawn) == 3:
            table.done()
            return
        chit = table.draw(_contents(state), "cup")
        table.emit(Drew(chit))
        if chit in CHITS["soviet"] and not table.state.asked:
            table.emit(WindowOpened())
            table.call("recall", "axis")


class Recall(Window[State]):
    """4 The general in reserve puts the chit just drawn back, once a turn."""

    prompt = Say("prompt.recall.window")

    def can_use(self, at: Position[State], frame: Frame, seat: Seat) -> bool:
        return at.state.reserve is not None and at.state.reserve.value == "general"

    def use(self, table: Table[State], frame: Frame, seat: Seat) -> None:
        assert table.state.reserve is not None
        table.reveal(table.state.reserve)
        table.emit(Recalled(table.state.last))


class RecallRules:
    """The rules."""

    title = "recall"
    version = "1"
    seats = SEATS
    switches: tuple[Switch, ...] = ()
    sequences: Mapping[str, tuple[str, ...]] = {"game": ("turns",), "turn": ("choose", "draw")}
    steps: Mapping[str, Step[State]] = {
        "turns": Turn(),
        "choose": Choose(),
        "draw": Draw(),
        "recall": Recall(),
    }
    events = (Turned, Chose, Drew, WindowOpened, Recalled)

    def initial(self, genesis: Genesis) -> State:
        return State()

    def triggers(self, table: Table[State], event: Any) -> None:
        return None

    def evolve(self, state: State, event: Any) -> State:
        kind = type(event)
        if kind is Turned:
            return State(turn=event.turn, score=state.score)
        if kind is Chose:
            if event.seat == "axis":
                return replace(state, cup=(event.chits, state.cup[1]), reserve=event.reserve)
            return replace(state, cup=(state.cup[0], event.chits))
        if kind is Drew:
            score = state.score + (1 if event.chit in CHITS["axis"] else -1)
            return replace(state, drawn=(*state.drawn, event.chit), last=event.chit, score=score)
        if kind is WindowOpened:
            return replace(state, asked=True)
        return replace(state, drawn=state.drawn[:-1], last="", reserve=None, score=state.score + 1)

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        kind = type(event)
        if kind is Turned:
            return (
                *(take(chit) for chit in before.drawn),
                *(put(f"cup_{seat}", "cup", "", seat) for seat in SEATS),
                track("score", after.score),
                opening("turn", "recall.turn", turn=event.turn),
                track("turn", event.turn),
                mark("cup", "asked", 0),
            )
        if kind is Chose:
            return (
                put(f"cup_{event.seat}", "cup", event.chits, event.seat),
                tell("recall.chose", "2", seat=event.seat, chits=event.chits),
            )
        if kind is Drew:
            owner = "axis" if event.chit in CHITS["axis"] else "soviet"
            return (
                put(event.chit, "display", "", owner),
                track("score", after.score),
                tell("recall.drew", "3", chit=event.chit),
            )
        if kind is WindowOpened:
            return (mark("cup", "asked", 1),)
        return (
            take(event.chit),
            track("score", after.score),
            tell("recall.recalled", "4", chit=event.chit),
        )

    def picture(self, state: State) -> Iterable[Effect]:
        for seat, cup in zip(SEATS, state.cup, strict=True):
            yield put(f"cup_{seat}", "cup", cup or "", seat)
        for chit in state.drawn:
            yield put(chit, "display", "", "axis" if chit in CHITS["axis"] else "soviet")
        yield track("turn", state.turn)
        yield track("score", state.score)
        yield mark("cup", "asked", int(state.asked))

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        return 3

    def describe(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
        chits = ((seat, chit) for seat, named in pack["chits"].items() for chit in named)
        return Description(
            LIST,
            sides=SEATS,
            boxes=(Box("cup"), Box("display")),
            tracks=(Track("turn"), Track("score")),
            pieces=(
                *(Piece(f"cup_{seat}", side=seat, faces=(Face(""),)) for seat in SEATS),
                *(Piece(chit, side=seat, kind="chit", faces=(Face(""),)) for seat, chit in chits),
            ),
        )

    def outcome(self, at: Position[State]) -> Outcome | None:
        if at.state.turn < 4:
            return None
        score = at.state.score
        return Outcome(
            "axis" if score > 0 else "soviet" if score < 0 else None,
            say("recall.over", score=score),
        )

    def score(self, at: Position[State]) -> Mapping[Seat, int]:
        score = at.state.score
        return {"axis": max(0, score), "soviet": max(0, -score)}

    def invariants(self, state: State) -> None:
        assert len(state.drawn) <= 3
        assert len(set(state.drawn)) == len(state.drawn)


def _contents(state: State) -> tuple[str, ...]:
    """What is in the cup now, in an order that depends on nothing but the log."""
    chits = [chit for cup in state.cup if cup is not None for chit in cup.value]
    return tuple(sorted(chit for chit in chits if chit not in state.drawn))


RULES = RecallRules()


def alternatives(state: State, seat: Seat) -> Iterable[State]:
    """States that differ from this one only in what the seat may not know: what the other side
    chose, as far as it is not drawn."""
    other = 1 - SEATS.index(seat)
    secret = state.cup[other]
    if secret is None:
        return
    pool = CHITS[SEATS[other]]
    for skipped in pool:
        chits = tuple(chit for chit in pool if chit != skipped)
        if all(chit in chits for chit in state.drawn if chit in pool):
            changed = Secret(chits, secret.readers, secret.where)
            cup = (state.cup[0], changed) if other else (changed, state.cup[1])
            if seat == "soviet" and state.reserve is not None:
                for held in RESERVE:
                    yield replace(
                        state,
                        cup=cup,
                        reserve=Secret(held, state.reserve.readers, state.reserve.where),
                    )
            else:
                yield replace(state, cup=cup)
