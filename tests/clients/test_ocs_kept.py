"""What a captain of the series keeps while it plans is what it would work out anew."""

import random
from typing import Any

import pytest

from tests.clients.captaincy import view_of
from tests.rules.hungarian_rhapsody.bench import packed
from warledger.clients.bots.captains.ocs.aims import Aims
from warledger.clients.bots.captains.ocs.attacks import GAIN_MIN, Assault, Force
from warledger.clients.bots.captains.ocs.chances import Chances
from warledger.clients.bots.captains.ocs.front import Front, Memory
from warledger.clients.bots.captains.ocs.ground import Ground
from warledger.clients.bots.captains.ocs.moves import Destinations, Moves
from warledger.protocol import canon
from warledger.protocol.board.effects import Board, mark, put

Options = dict[int, dict[str, tuple[int, ...]]]


@pytest.fixture(scope="module")
def ground() -> Ground:
    """The ground of Südwind."""
    sent: dict[str, Any] = dict(canon.unpack_trusted(packed()))
    return Ground(view_of(sent, "axis"))


def melee(ground: Ground, rng: random.Random) -> Front:
    """Some fifty units of either side close together, some of them worn, and an HQ with supply."""
    board = Board()
    middle = ground.index["A26.10"]
    hexes = [i for i in ground.disc(middle, 3) if i in ground.play]
    rng.shuffle(hexes)
    half = len(hexes) // 2
    for side, places in (("axis", hexes[:half]), ("soviet", hexes[half:])):
        units = sorted(id for id, one in ground.counters.items() if one.side == side)
        for id in rng.sample(units, 50):
            board.apply(put(id, ground.ids[rng.choice(places)], "combat", side))
            if rng.random() < 0.2:
                board.apply(mark(id, "dg", 1))
    for i in rng.sample(hexes[half:], 3):
        board.apply(mark(ground.ids[i], "hedgehog.soviet", 1))
    board.apply(put("ax.hq.iv", ground.ids[hexes[0]], "combat", "axis"))
    board.apply(mark(ground.ids[hexes[0]], "supply.axis", 40))
    return Front.of(ground, board, "axis", Memory(ground, "axis"))


def beside(front: Front, rng: random.Random) -> Options:
    """Who could attack which hex: those beside it, and those that come there."""
    found: Options = {}
    for target in sorted(front.shut()):
        near = [n for n in front.ground.grid.adjacent[target] if n not in front.enemies]
        units = {}
        for id in sorted(id for i in front.friends for id in front.guards(i)):
            at = front.at[id]
            if front.ground.grid.distance(at, target) <= 3 and near:
                units[id] = (at,) if at in near and rng.random() < 0.5 else tuple(near)
        if units:
            found[target] = units
    return found


def assault_of(front: Front, chances: Chances, room: int) -> Assault:
    """The attacks of a front, where so much room is left in a hex at most, in quarters of an RE."""
    ground = front.ground
    load = {i: max(front.load(i), ground.stack - room) for i in ground.play}
    return Assault(front, chances, Aims(ground, "axis"), load=load)


def anew(front: Front, chances: Chances, options: Options, spare: int, room: int) -> list[Force]:
    """The attacks of a segment where each is weighed anew after each that is chosen."""
    filling = assault_of(front, chances, room)
    used: set[str] = set()
    left, found = dict(options), []
    while left:
        forces = []
        for target, units in left.items():
            fresh = assault_of(front, chances, room)
            fresh.load = dict(filling.load)
            free = {id: hexes for id, hexes in units.items() if id not in used}
            force = fresh.best(target, free, spare)
            if force is not None:
                forces.append(force)
        best = max(forces, key=lambda one: one.gain, default=None)
        if best is None or best.gain < GAIN_MIN:
            break
        found.append(best)
        used.update(best.places)
        spare -= best.tokens
        del left[best.target]
        for id, a in best.places.items():
            filling._put(filling.load, id, a)
    return found


def test_attacks_are_those_that_come_out_if_each_is_weighed_anew(ground: Ground) -> None:
    """Whether room, units or supply run out first."""
    several = 0
    for seed in range(5):
        rng = random.Random(seed)
        front = melee(ground, rng)
        chances, options = Chances(ground), beside(front, rng)
        for spare, room in ((10_000, 99), (30, 99), (12, 99), (10_000, 8)):
            planned = assault_of(front, chances, room).plan(options, spare=spare)
            expected = anew(front, chances, options, spare, room)

            made = [(one.target, dict(one.places), one.gain) for one in planned]
            assert made == [(one.target, dict(one.places), one.gain) for one in expected], seed
            several += len(made) > 2
    assert several > 5


def test_the_way_to_the_enemy_is_the_straight_one(ground: Ground) -> None:
    """From every hex of the map, as units come and go."""
    for seed in range(3):
        front = melee(ground, random.Random(seed))
        assert all(
            front.away(i) == front.distance(i, front.shut()) for i in range(len(ground.ids))
        ), seed

    nobody = Front.of(ground, Board(), "axis", Memory(ground, "axis"))
    nobody.enemies.clear()
    assert nobody.away(0) == 99


def test_how_far_hqs_throw_is_worked_out_once_for_all_who_could_attack(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exploitation plans ask for as many paths of supply with forty units as with one."""
    spread, asked = Ground.spread, 0

    def counted(self: Ground, *args: Any, **more: Any) -> dict[int, float]:
        nonlocal asked
        asked += 1
        return spread(self, *args, **more)

    monkeypatch.setattr(Ground, "spread", counted)

    def paths(number: int) -> int:
        nonlocal asked
        front = melee(ground, random.Random(1))
        units = sorted(id for i in front.friends for id in front.guards(i))[:number]
        near = frozenset(ground.disc(ground.index["A26.10"], 5))
        reach = {id: Destinations(id, {"combat": near}) for id in units}
        aims, chances = Aims(ground, "axis"), Chances(ground)
        asked = 0
        Moves(front, aims, chances, reach, frozenset(units), False, 99, 0.5, False).plan()
        return asked

    assert 0 < paths(40) == paths(1)


def test_who_would_come_too_late_into_a_hex_that_has_filled_up_is_not_sent(ground: Ground) -> None:
    """Two hexes can each be attacked by other tanks from one and the same hex, in which there is
    room for those of one attack."""
    board = Board()
    for unit, at in (("su.rd.375", "A26.11"), ("su.gd.81", "A27.11")):
        board.apply(put(unit, at, "combat", "soviet"))
        board.apply(mark(unit, "dg", 1))
    tanks = ("ax.1ss.pz1", "ax.1ss.pz2")
    for unit in tanks:
        board.apply(put(unit, "A26.07", "combat", "axis"))
    front = Front.of(ground, board, "axis", Memory(ground, "axis"))
    one, other = ground.index["A26.11"], ground.index["A27.11"]
    gap = min({*ground.grid.adjacent[one]} & {*ground.grid.adjacent[other]})
    options = {one: {tanks[0]: (gap,)}, other: {tanks[1]: (gap,)}}
    needed = max(front.re(unit) for unit in tanks)

    assert len(assault_of(front, Chances(ground), 2 * needed).plan(options, least=0.0)) == 2
    assert len(assault_of(front, Chances(ground), needed).plan(options, least=0.0)) == 1
