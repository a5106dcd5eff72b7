"""What every captain of the series has: what its seat knows, how it meets a question, and the
answers that take one word."""

import random
from collections.abc import Callable, Mapping, Sequence

from warledger.clients.bots.captains.handling import Handling, anything
from warledger.clients.bots.captains.ocs.aims import Aims
from warledger.clients.bots.captains.ocs.attacks import Assault, Force
from warledger.clients.bots.captains.ocs.chances import Chances
from warledger.clients.bots.captains.ocs.front import EXPLOIT, RESERVE, Front, Memory
from warledger.clients.bots.captains.ocs.ground import Ground
from warledger.clients.bots.player import Exploration, View
from warledger.protocol.board.choices import Choices, Pick, Picks

Handler = Callable[[View, Choices], Handling]

PATIENCE = 600
"""How many commands a side gives in one segment before it is done with it."""

PLENTY = 2.5
"""T for each step that can fight beyond which supply is spent more freely."""

OWN, REACTION, EXPLOITATION = "c2", "e1", "g1"
"""Segments in which a side moves."""


class Staff:
    """One seat of one game: what it knows, and the questions that need no plan."""

    sees = True
    extenders: Sequence[str] = ()
    depots: Sequence[str] = ()
    """Markers of the game that are wagon extenders (OCS 12.7), and those that are sources."""

    handlers: Mapping[str, str] = {}
    """The method that meets a question, by a verb on offer: the first that is."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(f"captain {seed}")
        self._ground: Ground | None = None
        self._aims: Aims | None = None
        self._chances: Chances | None = None
        self._memory: Memory | None = None
        self._front: tuple[int, Front] | None = None
        self._draws: tuple[Front, frozenset[int]] | None = None
        self._planned = ""
        self._orders: list[Picks] = []
        self._released: set[str] = set()
        self._leads: dict[int, str] = {}
        self._tried: set[str] = set()
        self._spent: set[int] = set()
        self._refitted: set[tuple[str, str]] = set()
        self._given = ("", 0)
        self._wagons: tuple[str, set[str]] = ("", set())

    def ground(self, view: View) -> Ground:
        """The map, the counters and the tables, read once."""
        if self._ground is None:
            self._ground = Ground(view, self.extenders, self.depots)
        return self._ground

    def aims(self, view: View) -> Aims:
        """What the side strives for."""
        if self._aims is None:
            self._aims = Aims(self.ground(view), view.seat)
        return self._aims

    def chances(self, view: View) -> Chances:
        """The tables, asked for chances."""
        if self._chances is None:
            self._chances = Chances(self.ground(view))
        return self._chances

    def front(self, view: View) -> Front:
        """The counters as they stand."""
        if self._memory is None:
            self._memory = Memory(self.ground(view), view.seat)
        if self._front is None or self._front[0] != view.board.seq:
            front = Front.of(self.ground(view), view.board, view.seat, self._memory)
            self._front = (view.board.seq, front)
        return self._front[1]

    def caution(self, view: View) -> float:
        """How dear own steps are: less so to a side that has to win ground in time, and on the last
        turn least of all."""
        if self.aims(view).attacks:
            return 0.3 if self.last(view) else 0.55
        return 0.7 if self.last(view) else 1.0

    def thrift(self, view: View) -> float:
        """What supply is worth to a side, of what it is worth to one that has none to spare: the
        less, the more lies unused for each of its steps that can fight."""
        front = self.front(view)
        steps = sum(
            front.steps(id)
            for names in front.friends.values()
            for id in names
            if front.counter(id).fights
        )
        lying = sum(front.tokens().values())
        return min(1.0, PLENTY * steps / lying) if lying else 1.0

    def last(self, view: View) -> bool:
        """Whether this is the last turn."""
        return self.turn(view) >= self.ground(view).last_turn

    def matters(self, view: View, target: int) -> bool:
        """Whether to attack a hex at all: on the last turn only those count that decide."""
        return not self.last(view) or target in self.aims(view).field

    def assault(self, view: View, *, overrun: bool = False) -> Assault:
        """The attacks that could be made now."""
        front = self.front(view)
        return Assault(
            front,
            self.chances(view),
            self.aims(view),
            load={i: front.load(i) for i in front.friends},
            caution=self.caution(view),
            overrun=overrun,
            thrift=self.thrift(view),
        )

    def turn(self, view: View) -> int:
        """The number of the turn."""
        return int(view.board.tracks.get("turn", 0) or 0)

    def segment(self, view: View) -> str:
        """The letter of the segment."""
        return str(view.board.tracks.get("segment", ""))

    def phase(self, view: View) -> str:
        """The turn, the side whose player turn it is, and the segment."""
        return f"{self.turn(view)} {view.board.tracks.get('phasing')} {self.segment(view)}"

    def choose(self, view: View) -> Exploration:
        """The next command."""
        top = yield ()
        phase, given = self._given
        self._given = (phase, given + 1) if phase == self.phase(view) else (self.phase(view), 1)
        if self._given[1] > PATIENCE and top.offers("done"):
            return ("done",)
        for verb, name in self.handlers.items():
            if top.offers(verb):
                handler: Handler = getattr(self, name)
                picks = yield from handler(view, top)
                if picks:
                    return picks
                break
        if top.offers("done"):
            return ("done",)
        return (yield from anything(top))

    def _names(self, choices: Choices) -> list[str]:
        return [str(option.id) for option in choices.options]

    def _cheapest(self, view: View, names: Sequence[str]) -> str:
        front = self.front(view)
        known = [name for name in names if name in front.at]
        if not known:
            return ""
        return min(known, key=lambda name: (front.worth(name), front.steps(name) == 1, name))

    def _prospects(self, view: View) -> list[Force]:
        """The attacks that may follow in this phase."""
        front = self.front(view)
        if view.board.tracks.get("phasing") != view.seat:
            return []
        options: dict[int, dict[str, tuple[int, ...]]] = {}
        exploiting = self.segment(view).startswith("g")
        for target in sorted(front.shut()):
            if not self.matters(view, target):
                continue
            units: dict[str, tuple[int, ...]] = {}
            for n in self.ground(view).grid.adjacent[target]:
                for id in front.friends.get(n, ()):
                    if not front.counter(id).attacks or front.has(id, RESERVE):
                        continue
                    if exploiting and not (front.has(id, EXPLOIT) or id in self._released):
                        continue
                    units[id] = (n,)
            if units:
                options[target] = units
        assault = self.assault(view)
        assault.shelled = dict.fromkeys(options, 0.5)
        return assault.plan(options, least=0.0)

    def _first(self, view: View, top: Choices) -> Handling:
        """To go first keeps the initiative; on the last turn the last word decides."""
        yield from ()
        return ("second",) if self.last(view) else ("first",)

    def _pay(self, view: View, top: Choices) -> Handling:
        """From the nearest dump; where there is none, out of stocks."""
        yield from ()
        if top.offers("auto"):
            return ("auto",)
        if top.offers("stocks"):
            picks: Picks = ("stocks",)
            choices = yield picks
            while not choices.is_end and choices.options:
                picks = (*picks, choices.options[0].id)
                choices = yield picks
            return picks
        return ("unpaid",) if top.offers("unpaid") else ()

    def _word(self, view: View, top: Choices) -> Handling:
        """One word is the answer: whoever may ignore a result does, who can stays, who has flown
        goes home."""
        yield from ()
        if top.offers("done"):  # who moves may stay, and is done
            return ()
        return next((word,) for word in ("home", "stand", "stay") if top.offers(word))

    def _eat(self, view: View, top: Choices) -> Handling:
        """Whoever has no trace eats, as far as there is something."""
        return (yield from self._all_of("eat"))

    def _goulash(self, view: View, top: Choices) -> Handling:
        """A fortress is fed before anything is eaten there, and the marker paid for if possible."""
        return (yield from self._all_of("goulash"))

    def _fortress(self, view: View, top: Choices) -> Handling:
        """All that is cut off and connected is a fortress."""
        return (yield from self._all_of("fortress"))

    def _all_of(self, verb: str) -> Handling:
        """A command with the first of what is offered, again and again until nothing is."""
        picks: Picks = (verb,)
        choices = yield picks
        while choices.options:
            picks = (*picks, choices.options[0].id)
            choices = yield picks
        return picks if choices.complete else ()

    def _rest(self, view: View, top: Choices) -> Handling:
        """What arrives goes where it comes first of all."""
        choices = yield ("rest",)
        return ("rest",) if choices.complete else ()

    def _recall(self, view: View, top: Choices) -> Handling:
        """A formation that is whole again comes back."""
        choices = yield ("recall",)
        return (yield from anything(choices, ("recall",)))

    def _rebuild(self, view: View, top: Choices) -> Handling:
        """What can be rebuilt is, where it comes first of all."""
        picks: Picks = ("rebuild",)
        choices = yield picks
        while not choices.complete:
            if not choices.options:
                return ()
            picks = (*picks, choices.options[0].id)
            choices = yield picks
        return picks

    def _keep(self, view: View, top: Choices) -> Handling:
        """Of what a collapse would take, the units that are worth most stay, as many as may."""
        front = self.front(view)
        picks: Picks = ("keep",)
        choices = yield picks
        while choices.options:
            names = [name for name in self._names(choices) if name in front.at]
            if not names:
                break
            picks = (*picks, max(names, key=lambda name: (front.worth(name), name)))
            choices = yield picks
        return picks

    def _stand_down(self, view: View, top: Choices) -> Handling:
        """Aircraft too many stand down, no others."""
        choices = yield ("stand_down",)
        if top.offers("done"):
            return ()
        return (yield from anything(choices, ("stand_down",)))

    def _lose(self, view: View, top: Choices) -> Handling:
        """The step that is worth least."""
        choices = yield ("lose",)
        unit = self._cheapest(view, self._names(choices))
        if unit:
            return ("lose", unit)
        return (yield from anything(choices, ("lose",)))

    def _eliminate(self, view: View, top: Choices) -> Handling:
        """What stands too many in a hex: the cheapest."""
        choices = yield ("eliminate",)
        unit = self._cheapest(view, self._names(choices))
        if unit:
            return ("eliminate", unit)
        return (yield from anything(choices, ("eliminate",)))


def first_of(choices: Choices) -> Pick:
    """The first option; of a span its lowest number; 0 where nothing is on offer."""
    if choices.options:
        return choices.options[0].id
    return choices.span[0] if choices.span is not None else 0
