"""What the captain of Hungarian Rhapsody reckons with is what the rules say, as far as it goes."""

import random
from typing import Any

import pytest

from tests.clients.captaincy import SIDES, Table, view_of
from tests.rules.hungarian_rhapsody.bench import charts_of, packed
from warledger.clients.bots.captains.ocs.aims import Aims
from warledger.clients.bots.captains.ocs.attacks import Assault
from warledger.clients.bots.captains.ocs.captain import Captain
from warledger.clients.bots.captains.ocs.chances import Chances
from warledger.clients.bots.captains.ocs.fire import best_barrage, shift
from warledger.clients.bots.captains.ocs.front import Front, Memory
from warledger.clients.bots.captains.ocs.ground import ROWS, Cell, Ground
from warledger.clients.bots.captains.ocs.guns import Guns
from warledger.clients.bots.captains.ocs.haulage import Haulage
from warledger.clients.bots.captains.ocs.moves import Destinations, Moves
from warledger.clients.bots.captains.ocs.rear import Rear
from warledger.clients.bots.captains.ocs.staff import PATIENCE
from warledger.clients.bots.player import View
from warledger.engine.games.ocs.ch09_combat import odds
from warledger.engine.games.ocs.ch09_combat.results import combat_result
from warledger.engine.games.ocs.series.charts import Charts
from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Picks
from warledger.protocol.board.effects import Board, mark, move, put

TURNS = frozenset({"combat", "move"})


@pytest.fixture(scope="module")
def sent() -> dict[str, Any]:
    """The pack, as a client is sent it."""
    return dict(canon.unpack_trusted(packed()))


@pytest.fixture(scope="module")
def ground(sent: dict[str, Any]) -> Ground:
    """The ground of Südwind."""
    return Ground(view_of(sent, "axis"))


@pytest.fixture(scope="module")
def charted() -> Charts:
    """The charts of the rules."""
    return charts_of("sudwind")


def test_every_cell_is_read_as_the_rules_read_it(sent: dict[str, Any]) -> None:
    """Steps, options, DG and the AR that exploits, of every cell of the Combat Table."""
    for row in sent["tables"]["series"]["combat_table"]["rows"].values():
        for text in row:
            cell, found = Cell.of(text), combat_result(text)
            assert (
                (cell.attacker, cell.attacker_option)
                == (found.attacker.losses, found.attacker.options)
                and (cell.defender, cell.defender_option)
                == (found.defender.losses, found.defender.options)
                and (cell.dg, cell.exploit) == (found.defender.dg, found.exploit or 0)
            ), text


def test_columns_are_those_of_the_rules(ground: Ground, charted: Charts) -> None:
    """Whole strengths give the same column on every row of terrain."""
    for row in ROWS:
        for attack in range(61):
            for defence in range(41):
                expected = odds.odds(charted.tables.combat, row, attack, defence).column
                if attack or defence:
                    assert ground.column(row, attack, defence) == expected, (row, attack, defence)


def test_chances_add_up(ground: Ground) -> None:
    """All that an attack may come to is counted once."""
    chances = Chances(ground)
    for overrun in (False, True):
        for column in range(13):
            for drm in range(-5, 6):
                spread = chances.spread(column, drm, 1, overrun)
                assert sum(chance for chance, _ in spread) == pytest.approx(1.0)


def test_a_better_column_and_a_better_leader_are_worth_more(ground: Ground) -> None:
    """Kills and cleared hexes rise with the odds and the AR, own losses fall."""
    chances = Chances(ground)
    for column in range(12):
        for drm in range(-2, 3):
            now = chances.fight(column, drm, 0, 3)
            for more in (
                chances.fight(column + 1, drm, 0, 3),
                chances.fight(column, drm + 1, 0, 3),
            ):
                assert more.killed >= now.killed - 1e-9
                assert more.lost <= now.lost + 1e-9


def test_chances_are_those_of_dice(ground: Ground, charted: Charts) -> None:
    """The chance of each cell is about how often dice come to it."""
    rng = random.Random(7)
    tables = charted.tables
    seen: dict[Cell, int] = {}
    games = 20_000
    for _ in range(games):
        pair = rng.randint(1, 6) + rng.randint(1, 6)
        _, who = odds.surprised(tables.surprise, "regular", pair, 1, hedgehog=True)
        die = rng.randint(1, 6) if who else 0
        column = odds.shifted(tables.combat, 7, who, die)
        dice = rng.randint(1, 6) + rng.randint(1, 6)
        _, result = odds.resolved(tables.combat, column, dice, 1, 1)
        cell = Cell.of(result.text)
        seen[cell] = seen.get(cell, 0) + 1
    for chance, cell in Chances(ground).spread(7, 1, 1, False):
        assert seen.get(cell, 0) / games == pytest.approx(chance, abs=0.015)


def test_what_decides_is_read_from_the_scenario(ground: Ground) -> None:
    """The side that is to take hexes attacks; ranges are read."""
    axis, soviet = (Aims(ground, side) for side in SIDES)

    assert axis.attacks and not soviet.attacks
    assert axis.goals == soviet.goals
    assert {ground.ids[i] for i in axis.goals} >= {"A26.11", "A26.12", "A26.13", "A28.14"}
    assert len(axis.goals) == 12


def test_what_lies_below_is_remembered_until_the_hex_is_left(ground: Ground) -> None:
    """Under fog a covered enemy is believed to be where the set-up had it, as long as an enemy is
    seen there."""
    memory = Memory(ground, "axis")
    board = Board()
    board.apply(put("su.abn.6", "A26.12", "combat", "soviet"))
    front = Front.of(ground, board, "axis", memory)
    here = ground.index["A26.12"]

    assert "su.gun.27" in front.enemies[here]
    assert ground.index["A26.11"] not in front.enemies

    board.apply(move("su.abn.6", "A26.13"))
    front = Front.of(ground, board, "axis", memory)

    assert front.enemies == {ground.index["A26.13"]: ["su.abn.6"]}


def test_supply_out_of_reach_goes_where_an_hq_draws_it(sent: dict[str, Any]) -> None:
    """By train from a station far in the rear to the one beside the HQ, all that it takes; what an
    HQ draws already stays."""
    table = Table(sent, "axis")
    table.put("axis", ax__hq__iv="A26.09", ax__inf__44="A26.10")
    table.view.board.apply(mark("A24.04", "supply.axis", 40))
    offered = {
        (): ("freight", "done"),
        ("freight",): ("A24.04",),
        ("freight", "A24.04"): (),
        ("freight", "A24.04", 30): ("A24.05", "A26.08"),
    }

    assert table.ask(Rear._journey, offered, 30) == ("freight", "A24.04", 30, "A26.08")

    back = {
        (): ("freight", "done"),
        ("freight",): ("A26.08",),
        ("freight", "A26.08"): (),
        ("freight", "A26.08", 30): ("A24.04",),
    }
    assert table.ask(Rear._journey, back, 30) == ()


def test_a_front_marker_follows_its_hqs_with_its_supply(sent: dict[str, Any]) -> None:
    """To the hex nearest to the HQ, with all that may go along; not for two hexes."""
    table = Table(sent, "soviet")
    table.put("soviet", su__hq__7ga="A26.12")
    table.view.board.apply(mark("A40.12", "marker.front.2uf", 1))
    offered = {
        (): ("relocate", "done"),
        ("relocate",): ("marker.front.2uf",),
        ("relocate", "marker.front.2uf"): ("A41.12", "A32.12", "A36.12"),
        ("relocate", "marker.front.2uf", "A32.12"): (),
    }

    assert table.ask(Rear._relocate, offered, 9) == ("relocate", "marker.front.2uf", "A32.12", 9)

    again = Table(sent, "soviet")
    again.put("soviet", su__hq__7ga="A26.12")
    again.view.board.apply(mark("A40.12", "marker.front.2uf", 1))
    near = {**offered, ("relocate", "marker.front.2uf"): ("A41.12", "A38.12")}
    assert again.ask(Rear._relocate, near, 9) == ()


def test_what_arrives_is_delivered_to_the_hq(sent: dict[str, Any]) -> None:
    """Of the places where it may come, the one from which an HQ draws; all of it."""
    table = Table(sent, "axis")
    table.put("axis", ax__hq__iv="A26.09")
    offered = {
        (): ("deliver", "rest"),
        ("deliver",): ("all",),
        ("deliver", "all"): ("A32.04", "A26.09", "A31.11"),
        ("deliver", "all", "A26.09"): (),
    }

    assert table.ask(Rear._deliver, offered, 12) == ("deliver", "all", "A26.09", 12)


def test_the_side_that_holds_digs_in_where_it_is_threatened(sent: dict[str, Any]) -> None:
    """A goal with enemies beside it is dug in, not a hex in the rear; the side that attacks does
    not dig, nor anybody who has hardly any supply, nor on the last turn."""
    offered = {(): ("dig", "done"), ("dig",): ("A24.17", "A26.11")}

    def works(seat: str, tokens: int, turn: int = 40) -> Picks:
        table = Table(sent, seat)
        table.put("soviet", su__gd__81="A26.11", su__gd__72="A24.17")
        table.put("axis", ax__1ss__pz1="A26.10")
        table.view.board.apply(mark("A26.14", f"supply.{seat}", tokens))
        table.view.board.tracks["turn"] = turn
        return table.ask(Rear._works, offered)

    assert works("soviet", 40) == ("dig", "A26.11")
    assert works("soviet", 20) == ()
    assert works("soviet", 40, turn=42) == ()
    assert works("axis", 40) == ()


def test_fighters_sweep_a_base_that_they_are_a_match_for(sent: dict[str, Any]) -> None:
    """Two of at least its fighters' rating go; none go where the enemy is better."""
    base = "A24.19"
    fighters = ("ax.air.bf109.1", "ax.air.bf109.2")

    def sweep(other: str) -> Picks:
        table = Table(sent, "axis")
        table.put("soviet", **{other.replace(".", "__"): base})
        offered: dict[Picks, tuple[Any, ...]] = {
            (): ("sweep", "done"),
            ("sweep",): (base,),
            ("sweep", base): fighters,
            ("sweep", base, fighters[0]): fighters[1:],
        }
        return table.ask(Guns._sweep, offered)

    assert set(sweep("su.air.la5.1")[2:]) <= set(fighters)
    assert len(sweep("su.air.la5.1")) == 4
    ratings = {id: float(one["acr"]) for id, one in Table(sent, "axis").planes.items()}
    better = [id for id, one in ratings.items() if one > ratings[fighters[0]] and "su." in id]
    for other in better[:1]:
        assert sweep(other) == ()


def test_aircraft_leave_a_base_that_nobody_guards(sent: dict[str, Any]) -> None:
    """With enemies near they go to the base that lies farthest from them; guarded, or with nobody
    near, they stay."""
    table = Table(sent, "axis")
    plane = "ax.air.ju87d.1"
    table.put("axis", ax__air__ju87d__1="A26.06")
    offered = {
        (): ("transfer", "done"),
        ("transfer",): ("A26.08", "box.air.lw4"),
        ("transfer", "box.air.lw4"): (plane,),
    }

    assert table.ask(Guns._withdraw, offered) == ()

    table.put("soviet", su__gd__81="A26.08")
    table.view.board.seq += 1
    table.captain._tried.clear()
    assert table.ask(Guns._withdraw, offered) == ("transfer", "box.air.lw4", plane)

    table.put("axis", ax__inf__44="A26.06")
    table.view.board.seq += 1
    table.captain._tried.clear()
    assert table.ask(Guns._withdraw, offered) == ()


def test_an_attack_is_planned_where_it_pays(ground: Ground) -> None:
    """Tanks in the open against a lone division are sent; against a strong stack behind works they
    are not."""
    board = Board()
    board.apply(put("su.gd.81", "A26.11", "combat", "soviet"))
    tanks = ("ax.1ss.pz1", "ax.1ss.pz2", "ax.1ss.pga", "ax.inf.44")
    for unit in tanks:
        board.apply(put(unit, "A26.10", "combat", "axis"))
    target, at = ground.index["A26.11"], ground.index["A26.10"]

    def plan() -> list[int]:
        front = Front.of(ground, board, "axis", Memory(ground, "axis"))
        assault = Assault(front, Chances(ground), Aims(ground, "axis"))
        return [one.target for one in assault.plan({target: dict.fromkeys(tanks, (at,))})]

    assert plan() == [target]

    for unit in ("su.gd.72", "su.gd.36"):
        board.apply(put(unit, "A26.11", "combat", "soviet"))
    for unit in tanks:
        board.apply(mark(unit, "dg", 1))
    board.apply(mark("A26.11", "hedgehog.soviet", 2))

    assert plan() == []


def test_guns_fire_where_an_attack_is_to_follow(ground: Ground) -> None:
    """Of two hexes the one that is to be attacked is barraged; one already in DG is not, though it
    is to be attacked."""
    board = Board()
    for unit, at in (("su.gd.81", "A26.11"), ("su.rd.375", "A27.11")):
        board.apply(put(unit, at, "combat", "soviet"))
    for unit in ("ax.inf.44", "ax.1ss.pz1"):
        board.apply(put(unit, "A26.10", "combat", "axis"))
    board.apply(put("ax.art.403", "A26.09", "combat", "axis"))
    one, other = ground.index["A26.11"], ground.index["A27.11"]

    def target() -> int:
        front = Front.of(ground, board, "axis", Memory(ground, "axis"))
        chances = Chances(ground)
        assault = Assault(front, chances, Aims(ground, "axis"))
        at = ground.index["A26.10"]
        force = assault.weigh({"ax.inf.44": at, "ax.1ss.pz1": at}, one)
        guns = dict.fromkeys((one, other), ("ax.art.403",))
        shifts = {i: shift(front, chances, i) for i in guns}
        found = best_barrage(front, chances, assault, guns, {one: force}, shifts)
        return found.target if found is not None else -1

    assert target() == one

    board.apply(mark("su.gd.81", "dg", 1))

    assert target() != one


def test_supply_reaches_from_headquarters_and_stops_at_enemy_zones(ground: Ground) -> None:
    """An HQ's throw is walked by truck; enemy zones without friends stop it."""
    board = Board()
    board.apply(put("ax.hq.iv", "A26.09", "combat", "axis"))
    free = Front.of(ground, board, "axis", Memory(ground, "axis")).supplied()
    for unit, at in (("su.gd.81", "A26.11"), ("su.gd.72", "A25.11"), ("su.rd.375", "A27.11")):
        board.apply(put(unit, at, "combat", "soviet"))
    shut = Front.of(ground, board, "axis", Memory(ground, "axis")).supplied()

    assert shut < free
    assert ground.index["A26.13"] in free
    assert ground.index["A26.10"] in shut


def test_a_dump_is_never_laid_open(ground: Ground) -> None:
    """With enemies two hexes away one unit stays with the dump; the plan sends the rest."""
    board = Board()
    board.apply(put("su.gd.81", "A26.11", "combat", "soviet"))
    board.apply(mark("A26.09", "supply.axis", 40))
    units = ("ax.1ss.pz1", "ax.1ss.pz2", "ax.inf.44")
    for unit in units:
        board.apply(put(unit, "A26.09", "combat", "axis"))
    front = Front.of(ground, board, "axis", Memory(ground, "axis"))
    near = frozenset(ground.grid.adjacent[ground.index["A26.11"]])
    reach = {unit: Destinations(unit, {"combat": near}) for unit in units}
    moves = Moves(
        front, Aims(ground, "axis"), Chances(ground), reach, frozenset(units), True, 99, 0.5, False
    )
    orders = moves.plan()
    gone = {str(order[1]) for order in orders if order[0] == "move"}

    assert "ax.inf.44" not in gone
    assert {"ax.1ss.pz1", "ax.1ss.pz2"} <= gone


def test_who_is_released_and_finds_nothing_to_attack_comes_nearer(ground: Ground) -> None:
    """In the Exploitation Phase a lone battalion does not throw itself at a strong stack behind
    works; it closes up to it."""
    board = Board()
    for unit in ("su.gd.81", "su.gd.72", "su.gd.36"):
        board.apply(put(unit, "A26.12", "combat", "soviet"))
    board.apply(mark("A26.12", "hedgehog.soviet", 2))
    board.apply(put("ax.hq.iv", "A26.08", "combat", "axis"))
    unit = "ax.1ss.rec"
    board.apply(put(unit, "A26.08", "combat", "axis"))
    front = Front.of(ground, board, "axis", Memory(ground, "axis"))
    ways = frozenset(ground.index[name] for name in ("A26.09", "A26.10"))
    moves = Moves(
        front,
        Aims(ground, "axis"),
        Chances(ground),
        {unit: Destinations(unit, {"combat": ways})},
        frozenset({unit}),
        False,
        99,
        0.5,
        False,
    )

    assert moves.plan() == [("move", unit, "A26.10")]


def commanded(captain: Captain, view: View, _top: Choices) -> Any:
    """The next command, whatever it answers."""
    return captain.choose(view)


def test_a_fortress_is_declared_whole_and_fed(sent: dict[str, Any]) -> None:
    """HR 2.1e, 2.4 Every hex that is offered belongs to the fortress; goulash is served, and the 1T
    paid if there is any."""
    table = Table(sent, "axis")
    declared = {
        (): ("fortress", "done"),
        ("fortress",): ("A32.17", "A32.18"),
        ("fortress", "A32.17"): ("A32.18",),
        ("fortress", "A32.17", "A32.18"): (),
    }
    assert table.ask(commanded, declared) == ("fortress", "A32.17", "A32.18")
    served = {
        (): ("eat", "goulash", "done"),
        ("goulash",): ("A32.17",),
        ("goulash", "A32.17"): ("A31.19",),
        ("goulash", "A32.17", "A31.19"): (),
    }
    assert table.ask(commanded, served) == ("goulash", "A32.17", "A31.19")


def test_who_must_move_does_before_the_side_is_done(sent: dict[str, Any]) -> None:
    """HR 1.2a, 2.5b Where `done` is not offered a unit goes where it can, on its Move side if it
    has to."""
    table = Table(sent, "axis")
    table.put("axis", ax__inf__44="A26.09")
    offered = {
        ("move",): ("A26.09", "ax.inf.44"),
        ("move", "ax.inf.44"): ("move",),
        ("move", "ax.inf.44", "move"): ("A25.09",),
    }

    def owed(captain: Captain, view: View, _top: Choices) -> Any:
        return captain._owed(view)

    assert table.ask(owed, offered) == ("move", "ax.inf.44", "move", "A25.09")


def test_a_base_is_refitted_once_in_a_phase(sent: dict[str, Any]) -> None:
    """A box refits for nothing whoever has been stood down there: it is not asked again before the
    next phase, and whoever is too many stands down only where nothing else ends the phase."""
    table = Table(sent, "soviet")
    plane, box = "su.air.pe2.1", "box.air.su_east"
    table.put("soviet", **{plane.replace(".", "__"): box})
    offered: dict[Picks, tuple[Any, ...]] = {
        (): ("refit", "stand_down"),
        ("refit",): (box,),
        ("refit", box): (plane,),
        ("stand_down",): (plane,),
    }

    assert table.ask(Guns._refit, offered) == ("refit", box, plane)
    assert table.ask(Guns._refit, offered) == ("stand_down", plane)
    assert table.ask(Guns._refit, {**offered, (): ("refit", "stand_down", "done")}) == ()
    table.view.board.tracks["turn"] = 41
    assert table.ask(Guns._refit, offered) == ("refit", box, plane)


def test_a_captain_is_done_with_a_segment_that_does_not_end(sent: dict[str, Any]) -> None:
    """After many commands in one segment, whatever is offered; in the next it begins anew."""
    table = Table(sent, "axis")
    offered: dict[Picks, tuple[Any, ...]] = {(): ("auto", "done")}

    def ask() -> Picks:
        return table.ask(lambda captain, view, top: captain.choose(view), offered)

    assert {ask() for _ in range(PATIENCE)} == {("auto",)}
    assert ask() == ("done",)
    table.view.board.tracks["segment"] = "c2"
    assert ask() == ("auto",)


@pytest.mark.parametrize(
    ("enemy", "dump", "order"),
    [
        ("A26.13", "A26.06", [("move", "ax.hq.iv", "move", "A26.08")]),
        ("A26.11", "A26.06", []),
        ("A26.13", "A31.04", []),
    ],
)
def test_an_hq_follows_the_front_as_far_as_it_draws(
    ground: Ground, enemy: str, dump: str, order: list[Picks]
) -> None:
    """The HQ of the side that attacks goes nearer to what is to be taken where it still draws
    supply; with the enemy near, or beyond every dump, it stays."""
    board = Board()
    board.apply(put("su.gd.81", enemy, "combat", "soviet"))
    board.apply(mark(dump, "supply.axis", 40))
    board.apply(put("ax.hq.iv", "A26.05", "combat", "axis"))
    front = Front.of(ground, board, "axis", Memory(ground, "axis"))
    ways = frozenset(ground.index[name] for name in ("A26.04", "A26.06", "A26.08"))
    reach = {"ax.hq.iv": Destinations("ax.hq.iv", {"combat": frozenset(), "move": ways}, TURNS)}
    aims, chances = Aims(ground, "axis"), Chances(ground)
    moves = Moves(front, aims, chances, reach, frozenset(), True, 99, 0.5, False)

    assert moves.plan() == order


def test_an_hq_without_supply_goes_where_it_draws_some_for_its_troops(ground: Ground) -> None:
    """Of the hexes that it reaches it takes one beside a dump from which it serves whoever is at
    the front; where no dump is that it could draw, it comes nearer to one."""

    def plan(dump: str) -> list[Picks]:
        board = Board()
        board.apply(put("su.gd.81", "A26.13", "combat", "soviet"))
        board.apply(mark(dump, "supply.axis", 40))
        board.apply(put("ax.hq.iv", "A31.04", "combat", "axis"))
        board.apply(put("ax.inf.44", "A26.10", "combat", "axis"))
        front = Front.of(ground, board, "axis", Memory(ground, "axis"))
        ways = frozenset(ground.index[name] for name in ("A32.04", "A28.06", "A26.06"))
        reach = {"ax.hq.iv": Destinations("ax.hq.iv", {"combat": frozenset(), "move": ways}, TURNS)}
        aims, chances = Aims(ground, "axis"), Chances(ground)
        return Moves(front, aims, chances, reach, frozenset(), True, 99, 0.5, False).plan()

    assert plan("A26.07") == [("move", "ax.hq.iv", "move", "A26.06")]
    assert plan("A22.01") == [("move", "ax.hq.iv", "move", "A26.06")]


def test_a_truck_brings_supply_to_an_hq(sent: dict[str, Any]) -> None:
    """It goes to a dump that no HQ draws, loads all that it can, goes to where an HQ draws it, and
    unloads; each of it once in a phase."""
    table = Table(sent, "axis")
    table.put("axis", ax__hq__iv="A26.09", ax__inf__44="A26.10", ax__truck__1="A24.05")
    table.view.board.apply(mark("A24.04", "supply.axis", 40))
    table.view.board.apply(put("su.gd.81", "A26.13", "combat", "soviet"))
    words = {(): ("move", "load", "unload"), ("move",): ("ax.truck.1",)}
    words |= {("load",): ("ax.truck.1",), ("unload",): ("ax.truck.1",)}
    words |= {("load", "ax.truck.1"): (), ("unload", "ax.truck.1"): ()}
    ends = {("move", "ax.truck.1"): ("A24.04", "A26.08", "A20.02")}

    assert table.ask(Haulage._carry, words | ends, 4) == ("move", "ax.truck.1", "A24.04")
    table.view.board.apply(move("ax.truck.1", "A24.04"))
    table.view.board.seq += 1
    assert table.ask(Haulage._carry, words | ends, 4) == ("load", "ax.truck.1", 4)
    table.view.board.apply(mark("ax.truck.1", "load", 4))
    table.view.board.seq += 1
    assert table.ask(Haulage._carry, words | ends, 4) == ("move", "ax.truck.1", "A26.08")
    table.view.board.apply(move("ax.truck.1", "A26.08"))
    table.view.board.seq += 1
    assert table.ask(Haulage._carry, words | ends, 4) == ("unload", "ax.truck.1", 4)
    assert table.ask(Haulage._carry, words | ends, 4) == ()


def test_supply_is_flown_to_who_is_cut_off(sent: dict[str, Any]) -> None:
    """Transports drop what they can carry where units stand to whom no way leads from a source, and
    nowhere else; fighters do not join them."""
    table = Table(sent, "axis")
    table.put("axis", ax__inf__44="A26.10", ax__inf__96="A32.18")
    for number, at in enumerate(("A31.17", "A31.18", "A32.17", "A32.19", "A33.18", "A33.19")):
        table.view.board.apply(put(f"su.rd.{number}", at, "combat", "soviet"))
    ground = table.captain.ground(table.view)
    ring = [ground.ids[n] for n in ground.grid.adjacent[ground.index["A32.18"]]]
    guards = [id for id in ground.counters if id.startswith("su.gd.")]
    for id, at in zip(guards, ring, strict=False):
        table.view.board.apply(put(id, at, "combat", "soviet"))
    planes = ("ax.air.ju52.1", "ax.air.bf109.1")
    offered: dict[Picks, tuple[Any, ...]] = {
        (): ("drop",),
        ("drop",): ("A26.10", "A32.18"),
        ("drop", "A32.18"): planes,
        ("drop", "A32.18", planes[0]): (),
    }

    found = table.ask(Haulage._supply_by_air, offered, 2)

    assert found == ("drop", "A32.18", planes[0], 2)
    assert table.ask(Haulage._supply_by_air, {**offered, ("drop",): ("A26.10",)}, 2) == ()


def test_units_far_in_the_rear_take_the_train(sent: dict[str, Any]) -> None:
    """To the station nearest to what is to be taken that the enemy does not threaten; who is near
    the front stays off it."""
    table = Table(sent, "axis")
    table.put("axis", ax__inf__44="A40.01", ax__inf__96="A26.10")
    table.view.board.apply(put("su.gd.81", "A26.13", "combat", "soviet"))
    offered = {
        (): ("rail",),
        ("rail",): ("ax.inf.96", "ax.inf.44"),
        ("rail", "ax.inf.44"): ("A26.12", "A26.08", "A38.03"),
    }

    assert table.ask(Haulage._trains, offered) == ("rail", "ax.inf.44", "A26.08")
