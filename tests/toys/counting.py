"""A fast title for benchmarks, servers and laws: count upwards, roll, write something in secret,
draw from a cup. Its state never grows.

Turns of two questions (one a seat). Verbs: `add` n, `roll`, `hide` (a word, sealed), `show` (what
was hidden), `draw` (from a closed cup), `pass`. After `turns` turns the higher score wins.
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
    Margin,
    Outcome,
    Picks,
    Seat,
    Step,
    Switch,
    event,
)
from warledger.protocol.board.choices import WHOLE, offer, say
from warledger.protocol.board.description import LIST, Box, Description, Face, Piece, Track
from warledger.protocol.board.effects import Effect, count, opening, put, roll, tell, track
from warledger.protocol.chance.seal import Secret
from warledger.protocol.log.records import Genesis

SEATS = ("a", "b")
WORDS = ("antelope", "bumblebee", "caterpillar")
CUP = ("red", "red", "white", "black")
PACK: dict[str, Any] = {"game": {"words": WORDS}}
VERBS = offer("verb", ("add", "roll", "draw", "hide", "pass"))
VERBS_AND_SHOW = offer("verb", ("add", "roll", "draw", "hide", "pass", "show"))
NUMBERS = Choices("n", span=(1, 6))
HIDEABLE = offer("word", WORDS, sealed=True)
HIDDEN = Choices("end", complete=True, sealed=True)


@frozen(slots=False)
class State:
    """`hidden` is each seat's secret word, `score` each seat's score, `turns` how long the game
    lasts, and after how many of them the dice's epoch ends."""

    turns: int
    epoch_turns: int = 1
    turn: int = 0
    score: tuple[int, int] = (0, 0)
    hidden: tuple[Secret | None, Secret | None] = (None, None)


@event("began")
class Began:
    """The board was laid out."""


@event("turned")
class Turned:
    turn: int


@event("added")
class Added:
    seat: str
    n: int


@event("rolled")
class Rolled:
    seat: str
    pips: int


@event("hid")
class Hid:
    seat: str
    word: Secret


@event("shown")
class Shown:
    seat: str
    word: str


@event("set")
class Set:
    """An arbiter has set a score right."""

    seat: str
    n: int


@event("drew")
class Drew:
    seat: str
    chit: str


class Begin(Step[State]):
    """Lays the board out."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        table.emit(Began())
        table.done()


class Turn(Step[State]):
    """Opens a turn; the turn before ends its epoch of dice. Comes again for ever."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        if table.state.turn and table.state.turn % table.state.epoch_turns == 0:
            table.turn_over()
        table.emit(Turned(table.state.turn + 1))
        table.call("turn")


class Act(Step[State]):
    """One seat's act; the step's name ends in the seat."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.index = SEATS.index(seat)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        return {self.seat: Decision(say("prompt.counting.act"))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        if not picks:
            return VERBS if at.state.hidden[self.index] is None else VERBS_AND_SHOW
        if len(picks) == 1 and picks[0] == "add":
            return NUMBERS
        if picks[0] == "hide":
            return HIDEABLE if len(picks) == 1 else HIDDEN
        return WHOLE

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        verb = picks[0]
        table.done()
        if verb == "add":
            assert isinstance(picks[1], int)
            table.emit(Added(seat, picks[1]))
        elif verb == "roll":
            table.emit(Rolled(seat, table.roll(6, "fortune")))
        elif verb == "draw":
            table.emit(Drew(seat, table.draw(CUP, "cup", (seat,))))
        elif verb == "hide":
            table.emit(Hid(seat, Secret(picks[1], (seat,))))
        elif verb == "show":
            secret = table.state.hidden[self.index]
            assert secret is not None
            table.emit(Shown(seat, table.reveal(secret)))


class Correct(Step[State]):
    """An arbiter sets a score right: `score` SEAT n."""

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        if len(picks) < 2:
            return offer("verb", ("score", "curse")) if not picks else offer("seat", SEATS)
        return Choices("n", span=(0, 99)) if len(picks) == 2 else WHOLE

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        verb, seat, n = picks
        assert isinstance(seat, str)
        assert isinstance(n, int)
        table.emit(Set(seat, n if verb == "score" else -n))


class Counting:
    """The rules."""

    title = "counting"
    version = "1"
    seats = SEATS
    switches = (
        Switch("turns", 3, (1, 2, 3, 10, 50, 4000, 10000), "1"),
        Switch("epoch_turns", 1, (1, 100), "1"),
    )
    sequences: Mapping[str, tuple[str, ...]] = {
        "game": ("begin", "turns"),
        "turn": ("act_a", "act_b"),
    }
    steps: Mapping[str, Step[State]] = {
        "begin": Begin(),
        "turns": Turn(),
        "act_a": Act("a"),
        "act_b": Act("b"),
    }
    events = (Began, Turned, Added, Rolled, Hid, Shown, Set, Drew)
    corrections: Step[State] = Correct()

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """An epoch is several turns."""
        return int(options["turns"]) // int(options["epoch_turns"])

    def initial(self, genesis: Genesis) -> State:
        return State(int(genesis.options["turns"]), int(genesis.options["epoch_turns"]))

    def triggers(self, table: Table[State], event: Any) -> None:
        return None

    def evolve(self, state: State, event: Any) -> State:
        kind = type(event)
        if kind is Added:
            return replace(state, score=_plus(state.score, event.seat, event.n))
        if kind is Set:
            index = SEATS.index(event.seat)
            score = (event.n, state.score[1]) if index == 0 else (state.score[0], event.n)
            return replace(state, score=score)
        if kind is Rolled:
            return replace(state, score=_plus(state.score, event.seat, event.pips))
        if kind is Drew:
            return replace(state, score=_plus(state.score, event.seat, CUP.index(event.chit)))
        if kind is Hid:
            return replace(state, hidden=_with(state.hidden, event.seat, event.word))
        if kind is Shown:
            return replace(state, hidden=_with(state.hidden, event.seat, None))
        if kind is Turned:
            return replace(state, turn=event.turn)
        return state

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        kind = type(event)
        if kind is Turned:
            told = (track("turn", event.turn), tell("counting.turned", "1", turn=event.turn))
            # What shows as a turn is what has dice of its own: with longer epochs, more turns
            # together.
            if before.turn % after.epoch_turns:
                return told
            return (opening("turn", "counting.turn", turn=event.turn), *told)
        if kind is Began:
            return tuple(self.picture(after))
        seat = event.seat
        index = SEATS.index(seat)
        score = track(f"score_{seat}", after.score[index])
        if kind is Set:
            return (score,)
        if kind is Added:
            return (score, tell("counting.added", "2", seat=seat, n=event.n))
        if kind is Rolled:
            return (
                roll("fortune", 6, (event.pips,)),
                score,
                tell("counting.rolled", "3", seat=seat, pips=event.pips),
            )
        if kind is Drew:
            return (score, tell("counting.drew", "4", seat=seat, chit=event.chit))
        if kind is Hid:
            return (
                put(f"card_{seat}", f"table_{seat}", event.word, seat),
                tell("counting.hid", "5", seat=seat, word=event.word),
            )
        return (
            put(f"card_{seat}", f"table_{seat}", "", seat),
            tell("counting.shown", "6", seat=seat, word=event.word),
        )

    def picture(self, state: State) -> Iterable[Effect]:
        yield count("cup", len(CUP))
        yield track("turn", state.turn)
        for index, seat in enumerate(SEATS):
            yield track(f"score_{seat}", state.score[index])
            yield put(f"card_{seat}", f"table_{seat}", state.hidden[index] or "", seat)

    def describe(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
        return Description(
            LIST,
            sides=SEATS,
            boxes=(Box("cup"), *(Box(f"table_{seat}", side=seat) for seat in SEATS)),
            tracks=(Track("turn"), *(Track(f"score_{seat}") for seat in SEATS)),
            pieces=tuple(
                Piece(
                    f"card_{seat}", side=seat, faces=(Face(""), *map(Face, pack["game"]["words"]))
                )
                for seat in SEATS
            ),
        )

    def outcome(self, at: Position[State]) -> Outcome | None:
        state = at.state
        if state.turn <= state.turns:
            return None
        a, b = state.score
        winner = None if a == b else "a" if a > b else "b"
        return Outcome(winner, say("counting.won", "7", a=a, b=b))

    def score(self, at: Position[State]) -> Mapping[Seat, int]:
        return dict(zip(SEATS, at.state.score, strict=True))

    def margin(self, at: Position[State]) -> Margin:
        a, b = at.state.score
        return Margin(None if a == b else "a" if a > b else "b", "point")

    def invariants(self, state: State) -> None:
        assert min(state.score) >= 0, "a score below 0"
        assert all(word is None or word.value in WORDS for word in state.hidden)


def _with(pair: tuple[Any, Any], seat: str, value: Any) -> tuple[Any, Any]:
    return (value, pair[1]) if seat == "a" else (pair[0], value)


def _plus(pair: tuple[int, int], seat: str, n: int) -> tuple[int, int]:
    return (pair[0] + n, pair[1]) if seat == "a" else (pair[0], pair[1] + n)


RULES = Counting()


def alternatives(state: State, seat: Seat) -> Iterable[State]:
    """States that differ from this one only in what the seat may not know."""
    other = SEATS[1 - SEATS.index(seat)]
    secret = state.hidden[SEATS.index(other)]
    if secret is not None:
        for word in WORDS:
            yield replace(
                state, hidden=_with(state.hidden, other, Secret(word, secret.readers, secret.where))
            )
