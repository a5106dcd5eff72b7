"""The captain of Hungarian Rhapsody keeps its side in supply: who is out of it comes back or breaks
out, HQs are guarded and fed, extenders carry trace on, units in the rear march in Strat mode, a
division takes the place of the mountain groups."""

from typing import Any

import pytest

from tests.clients.captaincy import Table, view_of
from tests.rules.hungarian_rhapsody.bench import packed
from warledger.clients.bots.captains.hungarian_rhapsody import Captain
from warledger.clients.bots.captains.ocs.aims import Aims
from warledger.clients.bots.captains.ocs.chances import Chances
from warledger.clients.bots.captains.ocs.front import Front, Memory
from warledger.clients.bots.captains.ocs.ground import TRUCK, Ground
from warledger.clients.bots.captains.ocs.haulage import Haulage
from warledger.clients.bots.captains.ocs.lifelines import DRAW, WAGONS
from warledger.clients.bots.captains.ocs.march import March
from warledger.clients.bots.captains.ocs.moves import Destinations, Moves
from warledger.clients.bots.captains.ocs.rear import Rear
from warledger.clients.bots.captains.ocs.staff import PLENTY
from warledger.protocol import canon
from warledger.protocol.board.choices import Picks
from warledger.protocol.board.effects import Board, mark, put

Offers = dict[Picks, tuple[Any, ...]]

TURNS = frozenset({"combat", "move"})


@pytest.fixture(scope="module")
def sent() -> dict[str, Any]:
    """The pack, as a client is sent it."""
    return dict(canon.unpack_trusted(packed()))


@pytest.fixture(scope="module")
def ground(sent: dict[str, Any]) -> Ground:
    """The ground of Südwind."""
    return Ground(view_of(sent, "axis"))


def plan(ground: Ground, board: Board, side: str, reach: dict[str, Destinations]) -> list[Picks]:
    """What a side orders in its Movement Segment, nobody being able to attack."""
    front = Front.of(ground, board, side, Memory(ground, side))
    aims, chances = Aims(ground, side), Chances(ground)
    return Moves(front, aims, chances, reach, frozenset(), True, 99, 0.5, False).plan()


def to(ground: Ground, *hexes: str) -> frozenset[int]:
    """Hexes by their index."""
    return frozenset(ground.index[name] for name in hexes)


def test_who_is_out_of_supply_comes_back_into_it(ground: Ground) -> None:
    """A unit far from every source goes to the hex that it reaches in supply; one that is in supply
    already stays."""
    board = Board()
    board.apply(put("ax.inf.44", "A36.06", "combat", "axis"))
    board.apply(put("ax.inf.96", "A33.04", "combat", "axis"))
    ways = {"combat": to(ground, "A37.07", "A34.04", "A35.05")}
    reach = {id: Destinations(id, ways, TURNS) for id in ("ax.inf.44", "ax.inf.96")}

    assert plan(ground, board, "axis", reach) == [("move", "ax.inf.44", "A34.04")]


def test_an_hq_that_stands_open_gets_a_guard(ground: Ground) -> None:
    """With the enemy some hexes away the unit that is free goes to the HQ rather than to the
    front."""

    def orders(*hqs: str) -> list[Picks]:
        board = Board()
        board.apply(put("su.gd.81", "A26.13", "combat", "soviet"))
        board.apply(put("ax.inf.44", "A26.06", "combat", "axis"))
        for hq in hqs:
            board.apply(put(hq, "A26.08", "combat", "axis"))
        ways = {"combat": to(ground, "A26.08", "A26.09")}
        return plan(ground, board, "axis", {"ax.inf.44": Destinations("ax.inf.44", ways, TURNS)})

    assert orders("ax.hq.iv") == [("move", "ax.inf.44", "A26.08")]
    assert orders() == [("move", "ax.inf.44", "A26.09")]


@pytest.mark.parametrize(("at", "tokens", "out"), [("A26.14", 0, True), ("A26.14", 8, False)])
def test_who_starves_breaks_out(sent: dict[str, Any], at: str, tokens: int, out: bool) -> None:
    """A unit in a ring that has nothing to eat does; one with a dump beside it stays."""
    table = Table(sent, "axis")
    table.put("axis", ax__bp__bc1=at)
    ground = table.captain.ground(table.view)
    guards = [id for id in ground.counters if id.startswith("su.gd.")]
    for id, i in zip(guards, ground.grid.adjacent[ground.index[at]], strict=False):
        table.view.board.apply(put(id, ground.ids[i], "combat", "soviet"))
    if tokens:
        table.view.board.apply(mark(at, "supply.axis", tokens))
    offered = {("breakout",): ("ax.bp.bc1",), (): ("breakout", "done")}

    found = table.ask(March._break_out, offered)

    assert found == (("breakout", "ax.bp.bc1") if out else ("done",))


def test_hunger_takes_more_of_the_weak(ground: Ground) -> None:
    """What attrition takes falls with the AR and rises with the number of steps."""
    chances = Chances(ground)
    shares = [chances.starved(ar, 1) for ar in range(6)]

    assert shares == sorted(shares, reverse=True)
    assert shares[0] == pytest.approx(1.0)
    assert chances.starved(3, 6) > chances.starved(3, 4)


def test_supply_goes_to_the_hq_that_lacks_it(sent: dict[str, Any]) -> None:
    """Of two HQs with troops at the front what arrives comes to the one that has nothing to
    throw."""
    table = Table(sent, "axis")
    table.put("axis", ax__hq__iv="A26.09", ax__hq__iii="A40.07")
    table.put("axis", ax__inf__44="A26.10", ax__inf__96="A39.09")
    table.put("soviet", su__gd__81="A26.11", su__gd__72="A39.11")
    table.view.board.apply(mark("A26.09", "supply.axis", 60))
    offered = {
        (): ("deliver", "rest"),
        ("deliver",): ("all",),
        ("deliver", "all"): ("A26.09", "A40.07"),
        ("deliver", "all", "A40.07"): (),
        ("deliver", "all", "A26.09"): (),
    }

    assert table.ask(Rear._deliver, offered, 12) == ("deliver", "all", "A40.07", 12)


def soviets(sent: dict[str, Any]) -> Table:
    """The Soviets of the campaign, with one front marker far in the east."""
    table = Table(sent, "soviet", Captain, "campaign")
    table.view.board.apply(mark("B49.11", "marker.front.2uf", 1))
    return table


def test_an_extender_goes_where_an_hq_has_lost_touch(sent: dict[str, Any]) -> None:
    """HR 3.1e Of the hexes that it may be put in, the one from which the HQ draws and from which it
    reaches a source."""
    table = soviets(sent)
    table.put("soviet", su__hq__53a="B38.08")
    offered = {
        (): ("install", "done"),
        ("install",): ("B48.11", "B42.08", "B27.07", "B56.30"),
    }

    assert table.ask(Captain._install, offered) == ("install", "B42.08")


def test_an_extender_that_no_hq_needs_is_lifted(sent: dict[str, Any]) -> None:
    """HR 3.1e Where an HQ draws by it it stays; where all have moved on it is lifted."""

    def lifted(hq: str) -> Picks:
        table = soviets(sent)
        table.put("soviet", su__hq__53a=hq)
        table.view.board.apply(mark("B42.08", "marker.swe", 1))
        return table.ask(Captain._lift, {(): ("lift",), ("lift",): ("B42.08",)})

    assert lifted("B38.08") == ()
    assert lifted("B30.08") == ("lift", "B42.08")


def test_units_far_in_the_rear_march_in_strat_mode(ground: Ground) -> None:
    """A march in Strat mode that brings a unit on by much is taken; it gets out of the mode as soon
    as it stands where it is to stay."""
    board = Board()
    board.apply(put("su.gd.81", "A26.12", "combat", "soviet"))
    board.apply(put("ax.inf.44", "A25.01", "combat", "axis"))
    modes = frozenset({"combat", "move", "strat"})
    ways = {"combat": to(ground), "strat": to(ground, "A25.06", "A25.08")}
    reach = {"ax.inf.44": Destinations("ax.inf.44", ways, modes)}

    # Not nearer to the enemy than it may be overrun from.
    assert plan(ground, board, "axis", reach) == [("move", "ax.inf.44", "strat", "A25.06")]

    board.apply(mark("ax.inf.44", "strat", 1))
    still = {"ax.inf.44": Destinations("ax.inf.44", {"combat": frozenset()}, modes)}
    assert plan(ground, board, "axis", still) == [("move", "ax.inf.44", "combat")]


@pytest.mark.parametrize(("left", "comes"), [(2, True), (3, False)])
def test_the_mountain_division_comes_once_few_groups_are_left(
    sent: dict[str, Any], left: int, comes: bool
) -> None:
    """HR 3.5d The captain keeps three groups; for two it takes the division, at the foremost HQ."""
    table = Table(sent, "soviet", Captain, "campaign")
    table.put("soviet", **{f"su__ro__grp{n}": f"B3{n}.14" for n in range(1, left + 1)})
    table.put("axis", ax__inf__44="B45.20")
    offered = {
        (): ("muster", "done"),
        ("muster",): ("B49.34", "B46.20"),
        ("muster", "B46.20"): (),
    }
    assert table.ask(Captain._muster, offered) == (("muster", "B46.20") if comes else ())


def test_troops_that_arrive_come_near_the_front(sent: dict[str, Any]) -> None:
    """Of the places where it may come, the one nearest to the enemy in supply, but not under their
    eyes; what is no unit goes where it comes first."""
    table = Table(sent, "axis")
    table.put("axis", ax__hq__iv="A26.09")
    table.view.board.apply(put("su.gd.81", "A26.13", "combat", "soviet"))
    table.view.board.apply(mark("A26.09", "supply.axis", 60))
    offered: Offers = {
        (): ("place", "rest"),
        ("place",): ("ax.inf.44",),
        ("place", "ax.inf.44"): ("A40.01", "A26.09", "A26.12"),
        ("place", "ax.inf.44", "A26.09"): (),
        ("rest",): (),
    }

    assert table.ask(Rear._place, offered) == ("place", "ax.inf.44", "A26.09")
    assert table.ask(Rear._place, {**offered, ("place",): ("ax.air.fw190f.1",)}) == ("rest",)


def test_transport_stands_as_an_extender_where_an_hq_has_lost_touch(sent: dict[str, Any]) -> None:
    """OCS 12.7 Where it draws from; not while it traces, and one that no HQ needs goes on."""
    table = Table(sent, "axis")
    table.put("axis", ax__hq__iv="A26.09")
    offered: Offers = {
        (): ("extend",),
        ("extend",): ("A40.01", "A26.07"),
        ("extend", "A26.07"): ("trucks",),
        ("fold",): ("A40.01",),
        ("fold", "A40.01"): ("trucks",),
    }
    front = table.captain.front(table.view)

    front._drawn = frozenset()
    assert table.ask(Haulage._stand, offered) == ("extend", "A26.07", "trucks")
    front._drawn = frozenset(front.at.values())
    assert table.ask(Haulage._stand, offered) == ()
    assert table.ask(Haulage._stand, {**offered, (): ("fold",)}) == ("fold", "A40.01", "trucks")


@pytest.mark.parametrize(("tokens", "trucks"), [(20, 4), (12, 2), (4, 0)])
def test_trucks_set_out_for_supply_that_lies_far_behind(
    sent: dict[str, Any], tokens: int, trucks: int
) -> None:
    """Supply that no truck reaches in this turn is fetched by a journey of several, by as many as
    it is worth; none rests where the enemy would have it."""
    table = Table(sent, "axis")
    names = [f"ax.truck.{n}" for n in range(1, 5)]
    table.put("axis", **{name.replace(".", "__"): "A26.09" for name in names})
    table.put("axis", ax__hq__iv="A26.09")
    table.put("soviet", su__gd__81="A26.13", su__gd__72="A30.08")
    table.view.board.apply(mark("A32.04", "supply.axis", tokens))
    offered: Offers = {(): ("move",), ("move",): tuple(names)}
    for name in names:
        offered = {**offered, ("move", name): ("A26.08", "A32.05", "A30.06")}
    sent_out = []
    while found := table.ask(Haulage._carry, offered):
        assert found[::2] == ("move", "A32.05")
        sent_out.append(found[1])

    assert sent_out == names[:trucks]


@pytest.mark.parametrize(("trucks", "hqs"), [(5, 2), (4, 2), (5, 1)])
def test_trucks_meet_to_make_an_extender(sent: dict[str, Any], trucks: int, hqs: int) -> None:
    """OCS 12.7 Five that are empty meet where two HQs that have lost touch draw and a source is
    within their range; fewer, or for a single HQ, do not."""
    table = Table(sent, "axis")
    names = [f"ax.truck.{n}" for n in range(1, trucks + 1)]
    table.put("axis", **{name.replace(".", "__"): "A24.20" for name in names})
    posts = {"ax__hq__iv": "A26.09", "ax__hq__iii": "A28.09"}
    table.put("axis", **dict(list(posts.items())[:hqs]))
    front, ground = table.captain.front(table.view), table.captain.ground(table.view)
    front._drawn, front._ends = frozenset(), to(ground, "A27.05")
    lines = front.lifelines()
    both = [lines.reach(i, TRUCK, DRAW) for i in front.adrift().values()]
    drawn = sorted(frozenset.intersection(*both) & lines.drawn(front.ends(), 2 * WAGONS))
    ends = (*(ground.ids[i] for i in drawn), "A28.04")
    offered: Offers = {(): ("move",), ("move",): tuple(names)}
    for name in names:
        offered = {**offered, ("move", name): ends}
    gone = []
    while found := table.ask(Haulage._stand, offered):
        assert ground.index[str(found[2])] in drawn
        gone.append(found)

    assert [one[1] for one in gone] == (names if (trucks, hqs) == (5, 2) else [])
    assert len({one[2] for one in gone}) <= 1


def test_supply_is_worth_less_where_much_lies_unused(sent: dict[str, Any]) -> None:
    """It is as dear as ever up to some T a step, and cheaper the more there is beyond that."""
    table = Table(sent, "axis")
    table.put("axis", ax__inf__44="A26.09")
    steps = table.captain.front(table.view).steps("ax.inf.44")

    def worth(tokens: int) -> float:
        table.view.board.apply(mark("A26.09", "supply.axis", tokens))
        table.captain._front = None
        return table.captain.thrift(table.view)

    enough = int(PLENTY * steps)
    assert (worth(0), worth(enough)) == (1.0, 1.0)
    assert worth(4 * enough) < worth(2 * enough) < 1.0
