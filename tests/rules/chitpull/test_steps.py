"""The family's shared steps on a title of their own (the toy Kiev): what they offer, what they
carry out, and each reason for a refusal."""

from typing import Any

from tests.toys import kiev
from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.testing.rig import Rig


def laid(**options: Any) -> Rig[kiev.State]:
    """The toy as a game begins, dice and draws from a seed."""
    return Rig(kiev.RULES, kiev.PACK, options=options, seed=3)


def placed(
    where: dict[str, str], *, active: str = "axis", step: str = "attacks", **more: Any
) -> Rig[kiev.State]:
    """Counters in these hexes, all of one side active, at one step of its action; whatever follows
    is a question to be ready."""
    rig = laid(set_up="preset")
    data = rig.state.data
    places = {name: data.hex(where[name]) if name in where else -1 for name in data.types}
    units = tuple(name for name in where if data.types[name].side == active)
    rig.change(
        places=places,
        activation=kiev.Activation(active, tuple(sorted(units))),
        battle=None,
        ready=frozenset(SIDES),
        **more,
    )
    rig.jump("choose", step)
    return rig


def why(rig: Rig[kiev.State], seat: str, *picks: str) -> str:
    """The reason that the toy's refusal carries."""
    return str(dict(rig.refused(seat, *picks).args)["why"])


# --- set-up


def test_a_side_sets_up_in_its_area_and_is_ready_when_all_stand() -> None:
    """A unit may be placed anew; the pack's deployment is offered while it differs; ready only once
    all are placed."""
    rig = laid()

    assert set(rig.options("soviet")) == {"place", "preset"}
    rig.do("soviet", "place", "su.gd", "0303")
    assert "0303" not in rig.options("soviet", "place", "su.gd")
    rig.do("soviet", "preset")
    assert set(rig.options("soviet")) == {"place", "ready"}
    assert rig.state.at("su.gd") == rig.state.data.hex("0302")
    rig.do("soviet", "place", "su.gd", "0303")
    assert set(rig.options("soviet")) == {"place", "preset", "ready"}
    rig.do("soviet", "ready")
    assert set(rig.options("axis")) == {"place", "preset"}


def test_each_reason_against_a_set_up() -> None:
    """What is wrong with the pick decides the reason, not the step that refuses."""
    rig = laid()
    rig.do("soviet", "place", "su.gd", "0303")
    rig.do("soviet", "place", "su.hq", "0303")

    assert why(rig, "soviet", "march") == "no such verb"
    assert why(rig, "soviet", "ready") == "not everything is set up"
    assert why(rig, "soviet", "place", "ax.pz") == "nothing that can be set up"
    assert why(rig, "soviet", "place", "su.rifle", "9999") == "no such hex"
    assert why(rig, "soviet", "place", "su.rifle", "0103") == "outside the unit's area"
    assert why(rig, "soviet", "place", "su.rifle", "0303") == "the unit stands there"


def test_the_option_sets_a_side_up_by_itself() -> None:
    """With the pack's deployment as option nobody is asked before the first choice of chits."""
    rig = laid(set_up="preset")
    rig.jump("game")

    assert rig.state.places == rig.state.data.preset
    assert rig.state.ready == frozenset(SIDES)


# --- attacks


def test_an_attack_is_whole_as_soon_as_it_suffices() -> None:
    """A target is offered when all its neighbours together suffice; the command is whole with the
    first who does."""
    rig = placed({"ax.pz": "0202", "ax.inf": "0201", "su.gd": "0302"})

    assert rig.options("axis", "attack") == ("0302",)
    assert rig.choices("axis", "attack", "0302", "ax.inf").complete  # type: ignore[union-attr]
    assert rig.options("axis", "attack", "0302", "ax.inf") == ("ax.pz",)
    rig.dice(3)
    rig.do("axis", "attack", "0302", "ax.pz", "ax.inf")
    assert rig.events[0].units == ("ax.inf", "ax.pz")


def test_each_reason_against_an_attack() -> None:
    """Targets first: no hex, nobody there, attacked, out of reach, too strong; then attackers."""
    where = {"ax.pz": "0202", "ax.inf": "0201", "ax.hq": "0103", "su.gd": "0302", "su.hq": "0402"}
    rig = placed(where)

    assert why(rig, "axis", "fire") == "no such verb"
    assert why(rig, "axis", "attack", "9999") == "no such hex"
    assert why(rig, "axis", "attack", "0103") == "no enemy unit there"
    assert why(rig, "axis", "attack", "0402") == "out of touch"
    assert why(rig, "axis", "attack", "0302", "su.gd") == "no unit of this side"
    assert why(rig, "axis", "attack", "0302", "ax.hq") == "not next to the hex"
    assert why(rig, "axis", "attack", "0302", "ax.pz", "ax.pz") == "picked already"
    units = ("ax.inf", "ax.pz")
    rig.change(activation=kiev.Activation("axis", units))
    assert why(rig, "axis", "attack", "0302", "ax.hq") == "not activated"
    rig.change(activation=kiev.Activation("axis", units, fought=frozenset({"ax.pz"})))
    assert why(rig, "axis", "attack", "0302", "ax.pz") == "has its attack"


def test_a_hex_that_is_too_strong_or_attacked_is_no_target() -> None:
    """All who may attack together fall short; and a hex is attacked once."""
    where = {"ax.hq": "0202", "ax.pz": "0403", "su.gd": "0302", "su.rifle": "0302", "su.hq": "0503"}
    rig = placed(where)

    assert rig.options("axis", "attack") == ("0503",)
    assert why(rig, "axis", "attack", "0302") == "too weak"
    rig.change(
        activation=kiev.Activation(
            "axis", ("ax.hq", "ax.pz"), targets=(rig.state.data.hex("0302"),)
        )
    )
    assert why(rig, "axis", "attack", "0302") == "attacked already"


# --- losses and advance


def fought(die: int) -> Rig[kiev.State]:
    """Two units of full strength attack one; the die is rolled."""
    rig = placed({"ax.pz": "0202", "ax.inf": "0201", "su.rifle": "0302"})
    rig.dice(die)
    rig.do("axis", "attack", "0302", "ax.pz", "ax.inf")
    return rig


def test_the_loser_divides_only_where_there_is_a_choice() -> None:
    """Two attackers with two steps each divide one point; a lone defender with one step has nothing
    to say."""
    rig = fought(1)

    assert rig.options("axis", "lose") == ("ax.inf", "ax.pz")
    assert why(rig, "axis", "win") == "no such verb"
    assert why(rig, "axis", "lose", "su.rifle") == "not in the combat"
    assert why(rig, "axis", "lose", "ax.pz", "ax.inf") == "all points are divided"
    rig.do("axis", "lose", "ax.pz")
    assert rig.state.reduced == frozenset({"ax.pz"})

    assert fought(6).state.at("su.rifle") == -1


def test_attackers_may_follow_into_the_emptied_hex() -> None:
    """One after the other while there is room; each reason against it."""
    rig = fought(6)

    assert rig.options("axis", "advance") == ("ax.inf", "ax.pz")
    assert rig.options("axis", "advance", "ax.pz") == ("0302",)
    assert why(rig, "axis", "halt") == "no such verb"
    assert why(rig, "axis", "advance", "ax.hq") == "did not attack, or is gone"
    assert why(rig, "axis", "advance", "ax.pz", "ax.inf") == "cannot go along"
    assert why(rig, "axis", "advance", "ax.pz", "9999") == "no such hex"
    assert why(rig, "axis", "advance", "ax.pz", "0303") == "the combat hex comes first"
    assert why(rig, "axis", "advance", "ax.pz", "0302", "0503") == "goes no further"
    assert why(rig, "axis", "advance", "ax.pz", "0302", "0301") == "goes no further"
    rig.do("axis", "advance", "ax.pz", "0302")
    assert rig.state.kiev == "axis"
    assert why(rig, "axis", "advance", "ax.pz") == "has advanced already"
    rig.do("axis", "advance", "ax.inf", "0302")
    assert rig.state.battle is None


def test_a_full_hex_takes_no_more() -> None:
    """Who finds no room is not offered, and is told so."""
    rig = fought(6)
    rig.change(places={**rig.state.places, "ax.hq": rig.state.data.hex("0302")})
    rig.do("axis", "advance", "ax.pz", "0302")
    assert rig.state.battle is None, "nobody else finds room, so nobody is asked"


# --- moves


def test_stack_mates_go_together_at_the_slowest_ones_points() -> None:
    """A mate is offered once, in rising order, before the first waypoint; the stack has the fewest
    points among its counters."""
    rig = placed(
        {"ax.hq": "0103", "ax.pz": "0103", "ax.inf": "0203", "su.rifle": "0504"}, step="movement"
    )

    assert "ax.pz" in rig.options("axis", "move", "ax.hq")
    assert "ax.hq" not in rig.options("axis", "move", "ax.pz")
    rig.do("axis", "move", "ax.hq", "ax.pz", "0202", "0302")
    moved = rig.events[0]
    assert (moved.units, moved.path) == (("ax.hq", "ax.pz"), ("0103", "0202", "0302"))
    assert rig.state.kiev == "axis"


# --- what follows a whole command


def test_a_pick_after_a_whole_command_is_refused_as_such() -> None:
    """Nothing can be added to a set-up command: what is added is not taken for a unit or a hex."""
    rig = laid()
    rig.do("soviet", "place", "su.gd", "0303")

    assert why(rig, "soviet", "preset", "su.rifle") == "no such verb"
    assert why(rig, "soviet", "place", "su.gd", "0302", "9999") == "no such verb"


def test_the_commands_of_the_shared_steps_in_a_line_each() -> None:
    """The usage lines follow from the slots."""
    usage = {name: kiev.RULES.steps[name].usage for name in ("set_up_first", "attacks", "losses")}

    assert usage == {
        "set_up_first": ("place UNIT HEX", "preset", "ready"),
        "attacks": ("attack HEX UNITS …", "done"),
        "losses": ("lose UNITS …",),
    }
