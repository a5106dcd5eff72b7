"""What every captain of a chit-pull title has: its ground and front, a plan for each activation,
its set-up and its chits.

Each question is answered by a method, found by the verbs on offer. A title's captain says what it
strives for: `goals`, `prize`, `holds`, `attacks`.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from attrs import define, field

from warledger.clients.bots.captains.front import FAR, Front, Ground
from warledger.clients.bots.captains.handling import Handling, anything
from warledger.clients.bots.player import Exploration, View
from warledger.protocol.board.choices import Choices, Picks

Handler = Callable[[View, list[str]], Handling | Picks]


@define(eq=False)
class Plan:
    """What is decided once for one activation."""

    danger: list[int]
    supplied: bytearray
    goals: Mapping[bool, list[int]]
    aims: dict[str, int] = field(factory=dict)
    """Unit -> the enemy hex that it is to attack."""
    spots: dict[str, int] = field(factory=dict)
    """Unit -> the hex from which."""
    order: list[str] = field(factory=list)
    """The counters still to be moved."""
    reach: dict[str, list[int]] = field(factory=dict)
    """Where each could go when the plan was made."""
    begun: bool = False


class Staff(ABC):
    """One seat of one game: what it knows and wants, its set-up and its chits."""

    sees = True
    handlers: Mapping[str, str] = {}
    """The method that answers a question, by a verb on offer: the first that is on offer counts."""
    offence = (1.0, 0.5)
    defence = (0.25, 1.6)
    """How a side on the offensive and one that holds weigh the way to the goals, and danger."""
    strikes = (3, 5)
    """How far enemies are assumed to strike: on foot, and motorised."""
    gain_min = 0.3
    """The least expected value of an attack worth making."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(f"captain {seed}")
        self._ground: Ground | None = None
        self._plans: dict[str, tuple[str, Plan]] = {}
        self._front: tuple[int, Front] | None = None

    # --- what a title says ------------------------------------------------------------------------

    @abstractmethod
    def goals(self, view: View, front: Front) -> list[int]:
        """The hexes that the side wants to take now."""

    @abstractmethod
    def prize(self, view: View, front: Front, i: int) -> float:
        """What a hex is worth to the side that takes it."""

    @abstractmethod
    def holds(self, view: View, front: Front, i: int) -> float:
        """What it is worth to be in an own hex that the enemy could take."""

    @abstractmethod
    def attacks(self, view: View) -> bool:
        """Whether the side is on the offensive: it goes for its goals, else it keeps what it
        has."""

    # --- the question -----------------------------------------------------------------------------

    def choose(self, view: View) -> Exploration:
        """The next command."""
        top = yield ()
        offered = [str(option.id) for option in top.options]
        picks: Picks = ()
        for verb, name in self.handlers.items():
            if verb in offered:
                handler: Handler = getattr(self, name)
                answer = handler(view, offered)
                picks = answer if isinstance(answer, tuple) else (yield from answer)
                break
        if picks:
            return picks
        return (yield from anything(top))

    def ground(self, view: View) -> Ground:
        """The map and the counters, read once."""
        if self._ground is None:
            self._ground = Ground(view)
        return self._ground

    def front(self, view: View) -> Front:
        """The counters as they are now."""
        if self._front is None or self._front[0] != view.board.seq:
            self._front = (view.board.seq, Front.of(self.ground(view), view.board, view.seat))
        return self._front[1]

    def plan(self, view: View, step: str = "fight") -> Plan:
        """The fields of this activation, one set for its moves and one for its fights."""
        board = view.board
        key = f"{board.tracks.get('turn')} {board.at('in_hand')}"
        found = self._plans.get(step)
        if found is None or found[0] != key:
            front = self.front(view)
            goals = self.goals(view, front)
            ways = {mech: self.ground(view).ways(goals, mech) for mech in (False, True)}
            found = self._plans[step] = (
                key,
                Plan(front.danger(*self.strikes), front.supplied(), ways),
            )
        return found[1]

    def _names(self, choices: Choices) -> list[str]:
        return [str(option.id) for option in choices.options]

    # --- set-up and chits -------------------------------------------------------------------------

    def _historical(self, view: View, offered: list[str]) -> Picks:
        return ("historical",)

    def _preset(self, view: View, offered: list[str]) -> Picks:
        return ("preset",)

    def _ready(self, view: View, offered: list[str]) -> Picks:
        return ("ready",)

    def chits_wanted(self, view: View, first: list[str]) -> list[str]:
        """All chits that the side may have, best first."""
        front = self.front(view)
        mine = [id for id, chit in self.ground(view).chits.items() if chit.get("side") == view.seat]
        return sorted(mine, key=lambda id: -self.chit_value(view, front, id))

    def chit_value(self, view: View, front: Front, id: str) -> float:
        """How much a chit brings about: the strength of the units in reach of its headquarters,
        those near enemies more."""
        ground = self.ground(view)
        chit = ground.chits[id]
        at = front.at.get(str(chit.get("hq", "")), -1)
        return self.command_value(front, str(chit.get("hq", "")), at) if at >= 0 else 0.0

    def command_value(self, front: Front, hq: str, at: int) -> float:
        """What a headquarters commands from a hex."""
        ground = front.ground
        total = 0.0
        for i in ground.disc(at, ground.counters[hq].reach):
            for id in front.friends.get(i, ()):
                counter = ground.counters[id]
                if counter.fights and not counter.hq:
                    near = 2.0 if i in front.zone else 1.0
                    total += near * (1 + front.values(id)[0]) * (1.5 if counter.mech else 1.0)
        return total

    def _choose(self, view: View, offered: list[str]) -> Handling:
        """Chits in rising order: the best that are on offer."""
        picks: Picks = ("choose",)
        choices = yield picks
        wanted = self.chits_wanted(view, self._names(choices))
        rank = {id: number for number, id in enumerate(wanted)}
        needed = self.chits_needed(view)
        best = set(wanted[:needed])
        while not choices.complete:
            names = self._names(choices)
            good = sorted(name for name in names if name in best)
            pick = good[0] if good else min(names, key=lambda name: rank.get(name, FAR))
            picks = (*picks, pick)
            choices = yield picks
        return picks

    def chits_needed(self, view: View) -> int:
        """How many are to be chosen."""
        turn = self.ground(view).turns.get(int(view.board.tracks.get("turn", 1) or 1), {})
        return int(turn.get("chits", {}).get(view.seat, 0))

    def _activate(self, view: View, offered: list[str]) -> Handling:
        """The headquarters that commands most."""
        choices = yield ("activate",)
        front = self.front(view)
        names = self._names(choices)
        return (
            "activate",
            max(
                names,
                key=lambda hq: (
                    self.command_value(front, hq, front.at[hq]) if hq in front.at else 0.0
                ),
            ),
        )

    def _use(self, view: View, offered: list[str]) -> Picks:
        """A chit in hand is used against one of the enemy's, or before it is lost."""
        drawn = [id for id in view.board.at("in_hand") if id in self.ground(view).chits]
        own = any(self.ground(view).chits[id].get("side") == view.seat for id in drawn)
        return ("pass",) if own and "pass" in offered else ("use",)

    def _name(self, view: View, offered: list[str]) -> Handling:
        """Units for a direct command: those that can hit; or the first chit to be drawn, the best
        of one's own."""
        front = self.front(view)
        picks: Picks = ("name",)
        choices = yield picks
        chits = [name for name in self.chits_wanted(view, []) if choices.offers(name)]
        if chits:
            return ("name", chits[0])
        while not choices.is_end:
            names = [
                name
                for name in self._names(choices)
                if front.at.get(name) in front.zone and front.values(name)[0] > 3
            ]
            if not names and choices.complete:
                break
            picks = (*picks, names[0] if names else self._names(choices)[0])
            choices = yield picks
        return picks

    def _pass(self, view: View, offered: list[str]) -> Picks:
        return ("pass",)
