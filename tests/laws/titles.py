"""What the laws are tried on: every toy, and every title that can be played, each with the options
under which it behaves differently."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import pytest
from attrs import field, frozen

from tests.laws import hidden
from tests.toys import ALTERNATIVES, PACKS, TOYS
from warledger.engine import games, packfiles
from warledger.engine.kernel.rulings import offered
from warledger.engine.kernel.types import Rules, Seat
from warledger.engine.testing import laws
from warledger.engine.testing.randomgames import Played


@frozen
class Case:
    """One title under some options. `alternatives` gives, for a state and a seat, states that
    differ only in what the seat may not know. `commands` bounds how long a random game may take
    (with `ends` False it is looked at so far), `seeds` how many are played."""

    name: str
    options: Mapping[str, Any] = field(factory=dict)
    commands: int = 3000
    seeds: int = 3
    ends: bool = True

    @property
    def title(self) -> str:
        """The title's name."""
        return self.name.partition("+")[0]

    @property
    def rules(self) -> Rules[Any]:
        """The title's rules."""
        return TOYS[self.title] if self.title in TOYS else games.rules_of(self.title)

    @property
    def pack(self) -> Mapping[str, Any]:
        """The title's pack."""
        return PACKS[self.title] if self.title in TOYS else _pack(self.title)

    @property
    def alternatives(self) -> Callable[[Any, Seat], Iterable[Any]] | None:
        """The permuter of hidden facts, where there is one."""
        return ALTERNATIVES.get(self.title) or hidden.ALTERNATIVES.get(self.title)

    @property
    def tried(self) -> laws.Case:
        """The same as the laws take it, with its games."""
        return _tried(self.name)


@cache
def _tried(name: str) -> laws.Case:
    case = next(case for case in CASES if case.name == name)
    return laws.Case(
        case.rules,
        case.pack,
        case.alternatives,
        options=case.options,
        commands=case.commands,
        seeds=case.seeds,
        ends=case.ends,
    )


@cache
def _pack(title: str) -> Mapping[str, Any]:
    return packfiles.read_pack(title)


FEWER = {"luga": 1, "hungarian_rhapsody": 1}
"""Those whose games are long: how many random games are played of them. Each switch of a title set
otherwise is a game more."""


def variants() -> tuple[Case, ...]:
    """Every case: each title as it is, and with each of its switches set otherwise, one at a
    time."""
    found = [Case(name, seeds=FEWER.get(name, 20)) for name in TOYS]
    for name in games.NAMES:
        found.append(Case(name, seeds=FEWER.get(name, 3)))
        for switch in offered(games.rules_of(name).switches):
            others = [value for value in switch.choices if value != switch.default]
            found.extend(
                Case(f"{name}+{switch.name}={value}", {switch.name: value}, seeds=1)
                for value in others
                if (name, value) not in LONG
            )
    return (*found, *elsewhere())


LONG = {("hungarian_rhapsody", "campaign")}
"""Scenarios of which a whole random game takes too long."""

SMALL = ("debrecen", "konrad1", "konrad2", "konrad12", "konrad3", "siege")


def elsewhere() -> tuple[Case, ...]:
    """Hungarian Rhapsody: each small scenario with all switches set otherwise at once, under fog
    and in the open, and the first thousand commands of the campaign, so and by default. One
    switch at a time is tried in Südwind alone."""
    name = "hungarian_rhapsody"
    switches = [
        one for one in offered(games.rules_of(name).switches) if one.name not in ("scenario", "fog")
    ]
    found = []
    for place, scenario in enumerate((*SMALL, "campaign")):
        small = scenario in SMALL
        for fog in ("strict", "open"):
            chosen = {
                one.name: [value for value in one.choices if value != one.default]
                for one in switches
            }
            options = {key: values[place % len(values)] for key, values in chosen.items()}
            found.append(
                Case(
                    f"{name}+scenario={scenario}+fog={fog}+otherwise",
                    {"scenario": scenario, "fog": fog, **options},
                    commands=6000 if small else 1000,
                    seeds=1,
                    ends=small,
                )
            )
    found.append(Case(f"{name}+scenario=campaign", {"scenario": "campaign"}, 1000, 1, ends=False))
    return tuple(found)


CASES = variants()
PLAIN = tuple(case for case in CASES if "+" not in case.name)
QUICK = ("war_at_sea+v18_2_hidden_allied_movement=True",)
"""Variants that hide things are tried every time; the others with the long tests."""


def _params(cases: tuple[Case, ...]) -> list[Any]:
    long = pytest.mark.long
    return [
        pytest.param(
            case, id=case.name, marks=(long,) if "+" in case.name and case.name not in QUICK else ()
        )
        for case in cases
    ]


every_case = pytest.mark.parametrize("case", _params(CASES))
every_title = pytest.mark.parametrize("case", _params(PLAIN))


def game(case_name: str, seed: int) -> Played:
    """A whole random game of a case, played once for all tests that look at it."""
    return _tried(case_name).game(seed)
