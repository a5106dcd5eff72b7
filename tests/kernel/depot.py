"""A toy whose one step has a command of every form that can be declared: a quartermaster sends
wagons, pays, asks for stores, and writes a letter in secret."""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve as replace
from attrs import frozen

from warledger.engine.kernel.commands import (
    Asked,
    Asking,
    Command,
    Commands,
    Free,
    Many,
    Pairs,
    Slot,
    word,
)
from warledger.engine.kernel.lazy import Lazy
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Outcome, Seat, Step, Switch, event
from warledger.protocol.board.choices import (
    Choices,
    Option,
    Pick,
    Picks,
    Refusal,
    Say,
    offer,
    refuse,
    say,
)
from warledger.protocol.board.effects import Effect
from warledger.protocol.log.records import Genesis

PLACES = ("north", "south", "west")
WAGONS: Mapping[str, str] = {"cart": "north", "dray": "north", "wain": "south"}
PRICE = 4


@frozen
class State:
    """What has been done, as text, and where the quartermaster is at odds with the mill."""

    done: tuple[str, ...] = ()
    mill_open: bool = True


@event("did")
class Did:
    """Something was done."""

    what: str


# --- orders ---------------------------------------------------------------------------------------


@frozen
class Sending:
    """send WAGONS … PLACE [SECOND]."""

    wagons: tuple[str, ...] = ()
    place: str = ""
    second: str = ""


@frozen
class Paying:
    """pay PURSE COINS …, until the price is paid."""

    paid: tuple[tuple[str, int], ...] = ()
    purse: str = ""

    @property
    def due(self) -> int:
        """What is still to be paid."""
        return PRICE - sum(coins for _, coins in self.paid)


@frozen
class Walking:
    """walk WAGON STEPS …, a path of its own form."""

    path: tuple[int, ...]
    wagon: str = ""


@frozen
class Fetching:
    """ask STORE."""

    store: str = ""


@frozen
class Letter:
    """write WORD."""

    text: str = ""


# --- the step -------------------------------------------------------------------------------------


class Quarter(Asking[State]):
    """Asked for ever."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """Red."""
        return {"red": Decision(say("prompt.depot", "1"))}

    def commands(self) -> Commands[State]:
        """One of every form."""
        return (
            Command(
                "send",
                Sending,
                Many(
                    "wagons",
                    "depot.wagon",
                    self.wagons,
                    self.why_not_wagon,
                    takes=lambda asked, pick: pick in WAGONS,
                    joint="depot.wagon_or_place",
                ),
                Slot("place", "depot.place", self.places, self.why_not_place),
                Slot("second", "depot.second", self.seconds, self.why_not_place, optional=True),
                apply=self.send,
                beyond=lambda asked, order, pick: refuse("2.3", "refusal.depot.two_places"),
                preview=lambda asked, order: (say("preview.depot.n", n=len(order.wagons)),),
            ),
            Command(
                "pay",
                Paying,
                Pairs(
                    "paid",
                    Slot("purse", "depot.purse", self.purses, self.why_not_purse),
                    Slot("coins", "depot.coins", self.coins, self.why_not_coins),
                    enough=lambda asked, order: order.due == 0,
                    full=lambda asked, order: order.due == 0,
                ),
                apply=self.pay,
                unfinished=lambda asked, order: refuse("3.2", "refusal.depot.due", n=order.due),
            ),
            Command(
                "walk",
                Walking,
                Slot("wagon", "depot.wagon", lambda asked, order: WAGONS),
                Free("path", self.read_path, self.steps, self.why_not_step, form="STEP …"),
                apply=self.walk_off,
            ),
            Command(
                "ask",
                Fetching,
                Slot("store", "depot.store", self.stores),
                apply=lambda table, asked, order: did(table, f"asked for {order.store}"),
            ),
            Command("write", Letter, Slot("text", "depot.text", texts), apply=write, sealed=True),
            word(
                "grind",
                lambda table, asked: did(table, "ground"),
                when=lambda asked: asked.state.mill_open,
                why=lambda asked: refuse("5", "refusal.depot.mill"),
                beyond=lambda asked, pick: refuse("5.1", "refusal.depot.all_of_it"),
            ),
        )

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal | None:
        """6 Nobody fights here."""
        return refuse("6", "refusal.depot.no_fight") if verb == "fight" else None

    # 2 wagons

    def wagons(self, asked: Asked[State], order: Sending) -> Iterable[str]:
        """2 Wagons of one place."""
        first = WAGONS[order.wagons[0]] if order.wagons else ""
        return [
            name
            for name, place in WAGONS.items()
            if name not in order.wagons and first in ("", place)
        ]

    def why_not_wagon(self, asked: Asked[State], order: Sending, pick: Pick) -> Refusal | None:
        """2.1"""
        return refuse("2.1", "refusal.depot.wagon", wagon=pick) if pick in WAGONS else None

    def places(self, asked: Asked[State], order: Sending) -> Iterable[str]:
        """2.2 Any other place."""
        return [place for place in PLACES if place != WAGONS[order.wagons[0]]]

    def seconds(self, asked: Asked[State], order: Sending) -> Iterable[str]:
        """2.2 Nothing lies beyond the west."""
        if order.place == "west":
            return ()
        return [place for place in PLACES if place != order.place]

    def why_not_place(self, asked: Asked[State], order: Sending, pick: Pick) -> Refusal | None:
        """2.2"""
        return refuse("2.2", "refusal.depot.place", after=order.place) if pick in PLACES else None

    def send(self, table: Table[State], asked: Asked[State], order: Sending) -> None:
        """Send them."""
        did(table, f"sent {'+'.join(order.wagons)} to {order.place} {order.second}".strip())

    # 3 money

    def purses(self, asked: Asked[State], order: Paying) -> Iterable[Option]:
        """3 Each purse once."""
        named = [purse for purse, _ in order.paid]
        return [Option(purse) for purse in ("big", "small") if purse not in named]

    def coins(self, asked: Asked[State], order: Paying) -> range:
        """3.1 What the purse holds; no more than is due, and no less than the other cannot pay."""
        holds = {"big": 3, "small": 2}[order.purse]
        others = 0 if order.paid else 5 - holds
        return range(max(1, order.due - others), min(holds, order.due) + 1)

    def why_not_purse(self, asked: Asked[State], order: Paying, pick: Pick) -> Refusal | None:
        """3"""
        return refuse("3", "refusal.depot.purse")

    def why_not_coins(self, asked: Asked[State], order: Paying, pick: Pick) -> Refusal | None:
        """3.1"""
        return refuse("3.1", "refusal.depot.coins", purse=order.purse)

    def pay(self, table: Table[State], asked: Asked[State], order: Paying) -> None:
        """Pay."""
        did(table, "paid " + " ".join(f"{purse}:{coins}" for purse, coins in order.paid))

    # 4 a path

    def read_path(self, asked: Asked[State], picks: Picks) -> tuple[int, ...]:
        """4 The steps as numbers."""
        return tuple(int(pick) for pick in picks)

    def steps(self, asked: Asked[State], order: Walking) -> Choices:
        """4 Each step longer than the one before, to 3."""
        last = order.path[-1] if order.path else 0
        return offer("depot.step", range(last + 1, 4), complete=last > 1)

    def why_not_step(self, asked: Asked[State], order: Walking, pick: Pick) -> Refusal | None:
        """4"""
        return refuse("4", "refusal.depot.step", wagon=order.wagon, path=order.path)

    def walk_off(self, table: Table[State], asked: Asked[State], order: Walking) -> None:
        """Walk."""
        did(table, f"{order.wagon} walked {sum(order.path)}")

    # what is worked out only as far as it is looked at

    def stores(self, asked: Asked[State], order: Fetching) -> Lazy:
        """Hay and oats."""
        return Lazy(lambda: ("hay", "oats"), lambda pick: pick in ("hay", "oats"))


def texts(asked: Asked[State], order: Letter) -> tuple[str, ...]:
    """What may be written."""
    return ("help", "hurry")


def write(table: Table[State], asked: Asked[State], order: Letter) -> None:
    """Write it."""
    did(table, f"wrote {order.text}")


def did(table: Table[State], what: str) -> None:
    """It is done."""
    table.emit(Did(what))


class Depot:
    """The rules."""

    title = "depot"
    version = "1"
    seats = ("red", "blue")
    switches: tuple[Switch, ...] = ()
    sequences: Mapping[str, tuple[str, ...]] = {"game": ("quarter",)}
    steps: Mapping[str, Step[State]] = {"quarter": Quarter()}
    events = (Did,)

    def initial(self, genesis: Genesis) -> State:
        """Nothing has been done."""
        return State()

    def triggers(self, table: Table[State], event: Any) -> None:
        """Nothing."""

    def evolve(self, state: State, event: Any) -> State:
        """It is written down."""
        return replace(state, done=(*state.done, event.what))

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        """Nothing is drawn."""
        return ()

    def picture(self, state: State) -> Iterable[Effect]:
        """Nothing."""
        return ()

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """It has no turns."""
        return 0

    def outcome(self, at: Position[State]) -> Outcome | None:
        """It never ends."""
        return None

    def invariants(self, state: State) -> None:
        """None."""


RULES = Depot()


def told(found: Choices | Refusal) -> tuple[str, tuple[Pick, ...], bool]:
    """Slot, picks on offer, and whether the command may end."""
    assert isinstance(found, Choices), found
    return found.slot, tuple(option.id for option in found.options), found.complete


__all__ = ["RULES", "Quarter", "Say", "told"]
