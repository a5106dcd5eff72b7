"""Pairs of whole games, of Südwind or another scenario, that begin with different hidden facts and
are played alike.

The second game of a pair begins from a position in which something of one side differs that the
other may not know (`VARIED`). Both are played by the same commands: those of the side that must not
notice are its own choice; those of the other are such as both positions offer. After each command
all that the ignorant side and the public receive and are offered is compared.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import define, field

from tests.audience.test_secrets_stay_secret import masked, masked_record
from tests.rules.hungarian_rhapsody.bench import pack
from tests.rules.hungarian_rhapsody.table import eager
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody.rules import RULES, HungarianRhapsody
from warledger.engine.games.ocs.ch04_concepts import fog, stacking
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch12_supply import extenders, points, sources
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import (
    EXHAUSTED,
    NOT_ARRIVED,
    Aircraft,
    Base,
    State,
    changed,
    exerts,
    with_supply,
)
from warledger.engine.kernel import door
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.position import ENDED
from warledger.engine.testing.randomgames import Chooser, Played, begin, random_picks
from warledger.protocol import canon
from warledger.protocol.audience import PUBLIC, entitled
from warledger.protocol.board.choices import Choices, Refusal
from warledger.protocol.chance.seal import pack_openings
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.log.records import Genesis

DEAD = 12
"""How many units lie in a dead pile that rebuilding is tried with."""

IDLE = ("done", "rest", "pass", "home", "stand", "stay")
"""What is chosen first of all while something else is waited for."""

Vary = Callable[[State, str], State]
"""A first position, and the side of whose hidden things something is to differ."""


def _covered(state: State, side: str) -> list[str]:
    """Combat units of a side that lie under another."""
    return [
        name
        for name, unit in state.units.items()
        if unit.at >= 0
        and state.side(name) == side
        and state.counter(name).combat_unit
        and fog.top(state, unit.at) != name
    ]


def _tops(state: State) -> Mapping[int, str]:
    """The units shown where nothing has been shown before."""
    return fog.laid(replace(state, tops={})).tops


def supply(state: State, side: str) -> State:
    """A token or more in every dump."""
    more = {place: tokens + 3 for place, tokens in state.supply[side].items()}
    return replace(state, supply={**state.supply, side: more})


def loads(state: State, side: str) -> State:
    """A token less in every truck."""
    return changed(
        state,
        {
            name: replace(unit, load=unit.load - 1)
            for name, unit in state.units.items()
            if unit.load and state.side(name) == side
        },
    )


def stocks(state: State, side: str) -> State:
    """Low stocks in every unit that lies under another."""
    return changed(
        state, {name: replace(state.units[name], stocks=1) for name in _covered(state, side)}
    )


def steps(state: State, side: str) -> State:
    """A step less in every multi-step unit that has two."""
    return changed(
        state,
        {
            name: replace(unit, lost=unit.lost + 1)
            for name, unit in state.units.items()
            if unit.at >= 0
            and state.side(name) == side
            and state.counter(name).multi_step
            and unit.lost + 1 < state.counter(name).steps
        },
    )


def fuel(state: State, side: str) -> State:
    """Every HQ and formation has its fuel already."""
    counters = state.charts.units
    hqs = (n for n, u in state.units.items() if u.at >= 0 and counters[n].hq)
    mufs = (c.muf for c in counters.values() if c.muf)
    return replace(
        state,
        fuelled_hqs=frozenset(n for n in hqs if counters[n].side == side),
        fuelled_formations=frozenset(
            muf for muf in mufs if counters[state.charts.printed.mufs[muf][0]].side == side
        ),
    )


def places(state: State, side: str) -> State:
    """Two units that lie under others have changed places."""
    names = _covered(state, side)
    for one in names:
        for two in names:
            a, b = state.units[one], state.units[two]
            alike = exerts(state.charts, one, a) == exerts(state.charts, two, b)
            if one < two and a.at != b.at and alike:
                made = changed(state, {one: replace(a, at=b.at), two: replace(b, at=a.at)})
                held = stacking.overstacked(made, side) == stacking.overstacked(state, side)
                if held and _tops(made) == _tops(state):
                    return made
    return state


def number(state: State, side: str) -> State:
    """A unit that lies under another is not there at all."""
    for name in _covered(state, side):
        counter = state.counter(name)
        if not counter.hq and not counter.muf:
            gone = replace(state.units[name], at=-1, where="not_arrived")
            return changed(state, {name: gone})
    return state


def resting(state: State, side: str) -> State:
    """An aircraft more, inactive."""
    planes = state.charts.printed.planes
    base = next((at for at, one in sorted(state.bases.items()) if one.side == side), None)
    if base is None:
        return state
    spare = next(
        name
        for name, plane in state.aircraft.items()
        if (planes[name].side == side and plane.base is None and not planes[name].traits)
        or (planes[name].side == side and plane.base is None and planes[name].fighter)
    )
    return replace(state, aircraft={**state.aircraft, spare: Aircraft(base, "", False)})


def bombers(state: State, side: str) -> State:
    """A bomber that lies under a fighter rests."""
    planes = state.charts.printed.planes
    name = next(
        name
        for name, plane in state.aircraft.items()
        if planes[name].side == side and plane.active and not planes[name].fighter
    )
    rested = replace(state.aircraft[name], active=False)
    return replace(state, aircraft={**state.aircraft, name: rested})


def _resting_in(box: str) -> Vary:
    """Of the active aircraft in an air box, whose contents the enemy does not see, one rests."""

    def vary(state: State, side: str) -> State:
        name = next(n for n, one in state.aircraft.items() if one.base == box and one.active)
        rested = replace(state.aircraft[name], active=False)
        return replace(state, aircraft={**state.aircraft, name: rested})

    return vary


def _under_guard(state: State, side: str) -> tuple[State, tuple[str, ...]]:
    """Five unloaded truck points together in a hex where a combat unit covers them, well within
    reach of a source, and their names."""
    names = extenders._five(
        state,
        [
            name
            for name, unit in state.units.items()
            if unit.at >= 0
            and state.side(name) == side
            and extenders.kind_of(state, name) == extenders.TRUCKS
        ],
    )
    assert names
    reached = sources.sources(state, side)
    at = next(
        i
        for i in hexsets.listed(state.field.combat[side] & sources.usable(state, side))
        if extenders.extent(state, side, i, extenders.TRUCKS).touching & reached
    )
    put = {name: replace(state.units[name], at=at, load=0) for name in names}
    return changed(state, put), names


def parked(state: State, side: str) -> State:
    """What both games of a pair with an extender begin with: five truck points under a unit."""
    return _under_guard(state, side)[0]


def extended(state: State, side: str) -> State:
    """OCS 12.7 The five truck points stand as an extender."""
    made, names = _under_guard(state, side)
    return changed(made, {name: replace(made.units[name], extender=True) for name in names})


def _late(state: State, side: str) -> list[str]:
    """Units that come to a side, those that come last first."""
    found = sorted(
        (-one.turn, name)
        for one in state.charts.scenario.arrivals
        if one.side == side
        for name in one.pieces
        if name in state.units and state.units[name].where == NOT_ARRIVED
        if state.counter(name).combat_unit and not state.counter(name).muf
    )
    return [name for _, name in found]


def _dead(state: State, names: list[str]) -> State:
    pile = rules(state.charts).pile
    return changed(
        state,
        {name: replace(state.units[name], where=pile(state.charts, name)) for name in names},
    )


def dead(state: State, side: str) -> State:
    """What both games of a pair with a dead pile begin with: units that come late lie in it."""
    return _dead(state, _late(state, side)[1::2][:DEAD])


def pile(state: State, side: str) -> State:
    """HR 2.1b Another unit that comes late lies in the dead pile, and can be rebuilt."""
    return _dead(dead(state, side), _late(state, side)[:1])


def richer(state: State, side: str) -> State:
    """More in every dump, where five truck points stand under a unit."""
    return supply(parked(state, side), side)


DEFENDED, ALIKE = "A26.11", ("su.gd.81", "su.gd.72", "su.gd.93")
"""A hex that the Axis can attack at once, and Soviet divisions of the same AR."""


def together(state: State, side: str) -> State:
    """Divisions of the same AR defend one hex together."""
    at = state.charts.board.hex(DEFENDED)
    assert len({modes.ar(state, name) for name in ALIKE}) == 1
    put = {name: replace(state.units[name], at=at, where="", lost=0) for name in ALIKE}
    return changed(state, put)


def destitute(state: State, side: str) -> State:
    """The same, and they have nothing to pay with: no dump, no load, and their stocks are used
    up."""
    made = together(state, side)
    bare = {
        name: replace(unit, load=0, stocks=EXHAUSTED if name in ALIKE else unit.stocks)
        for name, unit in made.units.items()
        if made.side(name) == side
    }
    made = changed(made, bare)
    for place, tokens in tuple(made.supply[side].items()):
        made = with_supply(made, side, place, -tokens)
    return made


VARIED: Mapping[str, Vary] = {
    "supply": supply,
    "loads": loads,
    "stocks": stocks,
    "steps": steps,
    "fuel": fuel,
    "places": places,
    "number": number,
    "resting": resting,
    "bombers": bombers,
}
"""What differs between the games of a pair."""

NEWER: Mapping[str, Vary] = {
    "army": _resting_in("box.air.8aa"),
    "long range": _resting_in("box.air.lraf"),
    "extended": extended,
    "parked": richer,
    "pile": pile,
    "leaders": together,
    "destitute": destitute,
}
"""The same, of clauses that not every scenario and side has."""

COMMON: Mapping[str, Vary] = {
    "extended": parked,
    "parked": parked,
    "pile": dead,
    "leaders": together,
    "destitute": together,
}
"""What both games of a pair begin with."""

PAID_ALIKE = ("supply", "army", "long range", "extended", "parked", "pile")
"""Where nothing that differs changes what a command costs, so that the number of payments is the
same."""


def _dumps(state: State) -> Iterator[int]:
    for lying in state.supply.values():
        yield from (place for place in lying if isinstance(place, int))


class Altered(HungarianRhapsody):
    """The title, with something hidden of a side otherwise at the start."""

    def __init__(self, vary: Vary, side: str) -> None:
        self.vary, self.side = vary, side

    def initial(self, genesis: Genesis) -> State:
        """The set-up, altered."""
        made = points.opened(self.vary(super().initial(genesis), self.side))
        return fog.laid(replace(made, tops={}))


@define
class Pair:
    """Two games played alike. `owner` is the side of which something differs; `played` how many
    commands both have taken. `prefers` are commands that its owner gives where they are on offer,
    and does little else; `used` counts what it has given. `unseen` are its units that lie under
    others and have never been shown: their ids must not be found in anything.
    """

    name: str
    owner: str
    seed: int
    scenario: str = "sudwind"
    prefers: tuple[str, ...] = ()
    used: Counter[str] = field(factory=Counter)
    unseen: set[str] = field(init=False)
    games: tuple[Played, Played] = field(init=False)
    played: int = 0
    stopped: str = ""
    bases: Mapping[int, Base] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        both = COMMON.get(self.name)
        vary = {**VARIED, **NEWER}[self.name]
        rules = (Altered(both, self.owner) if both else RULES, Altered(vary, self.owner))
        one, other = (
            begin(
                one,
                pack(),
                seed=self.seed,
                options={"fog": "strict", "scenario": self.scenario},
            )
            for one in rules
        )
        self.games = (one, other)
        self.bases = one.position.state.bases
        self.unseen = set(_covered(one.position.state, self.owner))
        self.unseen &= set(_covered(other.position.state, self.owner))

    @property
    def different(self) -> set[str]:
        """Pieces of the owner that are not alike in both games, but for their fuel and stocks: they
        stand elsewhere, lack a step, rest."""
        one, other = (game.position.state for game in self.games)
        units = {
            name
            for name, unit in one.units.items()
            if (unit.at, unit.where, unit.lost, unit.extender)
            != (
                other.units[name].at,
                other.units[name].where,
                other.units[name].lost,
                other.units[name].extender,
            )
        }
        planes = {
            name
            for name, plane in one.aircraft.items()
            if (plane.base, plane.active, plane.lost)
            != (
                other.aircraft[name].base,
                other.aircraft[name].active,
                other.aircraft[name].lost,
            )
        }
        return units | planes

    @property
    def told(self) -> str:
        """What the rules themselves tell by now, "" for nothing: a piece that is not alike has
        come on top (4.9a), or fights, and its strength is told (4.9b, 4.9c)."""
        different = self.different
        for game in self.games:
            state = game.position.state
            battle, fire, sortie = state.battle, state.fire, state.sortie
            if battle and different & {*battle.units, *battle.defenders}:
                return "a piece that is not alike fights"
            if fire and different & {*fire.units, *state.stack(fire.target)}:
                return "a piece that is not alike fires, or is fired at"
            if sortie and different & {*sortie.fought}:
                return "an aircraft that is not alike is met in the air (4.9d)"
        one, other = (game.position.state for game in self.games)
        if (one.tops, one.air_tops) != (other.tops, other.air_tops):
            return "another piece is on top"
        fallen = any(one.bases[i].side != base.side for i, base in self.bases.items())
        if fallen or one.taken_sp != other.taken_sp:
            return "who has captured something knows what it is (OCS R-20)"
        dumps = (*_dumps(one), *_dumps(other))
        places = sorted({*one.field.stacks, *other.field.stacks, *dumps})
        if any(fog.kinds(one, i) != fog.kinds(other, i) for i in places):
            return "a dump that everybody saw is gone in one game"
        return ""

    @property
    def audiences(self) -> tuple[str, ...]:
        """Who must not tell the games apart."""
        return (PUBLIC, *(seat for seat in RULES.seats if seat != self.owner))

    def play(self, commands: int) -> None:
        """Play both, and compare after each command. Stops where the owner has nothing left to do
        that both games offer."""
        rng = random.Random(f"{self.name} {self.owner} {self.seed}")
        self.compare(0)
        for _ in range(commands):
            one, other = self.games
            if ENDED in (one.position.stage, other.position.stage):
                self.stopped = "ended"
                return
            seat = rng.choice([seat for seat, *_ in one.position.open])
            before = len(one.records)
            for _ in range(12):
                picks = random_picks(rng, one.ledger.rules, one.position, seat, self._chooser(seat))
                if seat == self.owner and self._tells(picks):
                    continue
                if self._both(seat, picks):
                    break
            else:
                self.stopped = f"{seat} finds nothing that both games offer"
                return
            self.played += 1
            if seat == self.owner:
                self.used[str(picks[0])] += 1
            if self._aims(picks):
                self.stopped = "a barrage tells of a piece that is not alike"
                return
            ended = ENDED in (self.games[0].position.stage, self.games[1].position.stage)
            self.stopped = "ended" if ended else self.told
            if self.stopped:
                return
            self.compare(before)

    def give(self, seat: str, picks: Any, instead: Any = None) -> None:
        """A command to both, or another of the owner's to the second, and compare."""
        before = len(self.games[0].records)
        if instead is None:
            assert self._both(seat, picks), f"{self.at()}: {picks} is not taken by both"
        else:
            for game, one in zip(self.games, (picks, instead), strict=True):
                game.submit(seat, *one)
        self.played += 1
        self.compare(before)

    def _chooser(self, seat: str) -> Chooser:
        """How a seat chooses: at random, or what is preferred, and else to be done."""

        def choose(rng: random.Random, choices: Choices) -> str | int | None:
            wanted = [verb for verb in self.prefers if choices.offers(verb)]
            if seat == self.owner and wanted:
                return rng.choice(wanted)
            idle = next((verb for verb in IDLE if choices.offers(verb)), None)
            return idle if self.prefers and idle else eager(rng, choices)

        return choose

    def _tells(self, picks: Any) -> bool:
        """Whether a command of the owner tells by itself what differs: it names a piece that is not
        alike, or pays pick by pick or by stocks, where the number of commands tells what a cost
        comes to."""
        told = () if self.name in PAID_ALIKE else ("pay", "stocks")
        return picks[0] in told or bool(self.different & {str(pick) for pick in picks})

    def _aims(self, picks: Any) -> bool:
        """Whether a command fires at a hex with a piece that is not alike: its shifts tell how much
        lies there (4.9d)."""
        if picks[0] not in ("barrage", "bomb", "hip_shoot", "bust"):
            return False
        return any(
            state.charts.board.name(state.units[name].at) == picks[1]
            for state in (game.position.state for game in self.games)
            for name in self.different & state.units.keys()
            if state.units[name].at >= 0
        )

    def _both(self, seat: str, picks: Any) -> bool:
        """Submit a command to both games, if the second takes it."""
        one, other = self.games
        assert [s for s, *_ in one.position.open] == [s for s, *_ in other.position.open], self.at()
        opened = other.position.opened(seat)
        assert opened is not None, self.at()
        made = other.ledger.propose_command(other.command(seat, opened, picks), other.at_ms)
        if isinstance(made, Refusal):
            assert seat == self.owner, f"{self.at()}: {picks} is refused in one game: {made}"
            one.command(seat, opened, picks)  # its hand counts this act too
            return False
        one.submit(seat, *picks)
        assert isinstance(made, Batch)
        other.commit(made)
        return True

    def at(self) -> str:
        """Where the pair is, for messages."""
        where = f"{self.scenario}: {self.name} of {self.owner}"
        return f"{where}, seed {self.seed}, command {self.played}"

    def compare(self, since: int) -> None:
        """All that the audiences have received since a record, and what they are asked and offered
        now, is the same."""
        one, other = self.games
        assert len(one.records) == len(other.records), f"{self.at()}: number of records"
        for a, b, mine, yours in zip(
            one.records[since:],
            other.records[since:],
            one.openings[since:],
            other.openings[since:],
            strict=True,
        ):
            for audience in self.audiences:
                told = [
                    masked(effects_of(record, entitled(found, audience)))
                    for record, found in ((a, mine), (b, yours))
                ]
                assert told[0] == told[1], f"{self.at()}, to {audience}"
                seen = [pack_openings(entitled(found, audience)) for found in (mine, yours)]
                assert seen[0] == seen[1], f"{self.at()}: openings for {audience}"
                self._search(canon.pack(told[0]) + seen[0], audience)
            assert len(a.data) == len(b.data), f"{self.at()}: length of record {a.seq}"
            assert masked_record(a) == masked_record(b), f"{self.at()}: record {a.seq}"
        for audience in self.audiences:
            if audience != PUBLIC:
                assert self.offered(one, audience) == self.offered(other, audience), self.at()

    def _search(self, data: bytes, audience: str) -> None:
        """No id of a unit that has never been shown is in what an audience receives."""
        for game in self.games:
            state = game.position.state
            battle, fire = state.battle, state.fire
            shown = {*state.tops.values()}
            shown |= {name for name in self.unseen if state.units[name].at < 0}
            if battle is not None:
                shown |= {*battle.units, *battle.defenders}
            if fire is not None:
                shown |= {*fire.units, *state.stack(fire.target)}
            self.unseen -= shown
        found = [name for name in sorted(self.unseen) if canon.pack(name) in data]
        assert not found, f"{self.at()}: {found} in what {audience} receives"

    def offered(self, played: Played, seat: str) -> Any:
        """What a seat is asked, what it may begin with and go on with, and previews and refusals of
        a few of these."""
        at, rules = played.position, played.ledger.rules
        asked = {who: said.prompt for who, said in door.deciders(rules, at).items()}
        found: list[Any] = [asked, door.pending(rules, at, seat)]
        rng = random.Random(self.played)
        picks: tuple[Any, ...] = ()
        for _ in range(4):
            choices = door.choices(rules, at, seat, picks)
            found += [choices, door.preview(rules, at, seat, picks)]
            found.append(door.choices(rules, at, seat, (*picks, "no such thing")))
            if not isinstance(choices, Choices) or not choices.options:
                break
            picks = (*picks, rng.choice(choices.options).id)
        return found
