"""What every chit-pull pack is read by: faces, areas, deployment, and what the author of a wrong
entry is told."""

from copy import deepcopy
from typing import Any

import pytest

from tests.toys import kiev
from warledger.engine.games.chitpull import moves, ways
from warledger.engine.games.chitpull.pack import BadCounters, of_classes


def changed(**entry: Any) -> dict[str, Any]:
    """The toy's pack with the first unit changed."""
    pack = deepcopy(kiev.PACK)
    pack["counters"]["units"][0].update(entry)
    return pack


def test_faces_tell_strength_and_steps() -> None:
    """A two-faced counter has two steps and its other strength when reduced; a one-faced one
    neither."""
    types = kiev.data_of(kiev.PACK, {}).types

    assert (types["ax.pz"].strength(False), types["ax.pz"].strength(True)) == ((4, 2), (2, 1))
    assert (types["ax.pz"].steps(False), types["ax.pz"].steps(True)) == (2, 1)
    assert (types["su.rifle"].steps(False), types["su.rifle"].strength(True)) == (1, (2, 1))
    assert list(types) == sorted(types)


def test_areas_hold_the_counters_of_their_group_and_side() -> None:
    """An area knows its hexes and who belongs there; the deployment is in order of ids."""
    data = kiev.data_of(kiev.PACK, {})
    west, east = data.groups

    assert west.units == ("ax.hq", "ax.inf", "ax.pz") and east.side == "soviet"
    assert west.hq_hexes == west.hexes
    assert list(data.preset) == sorted(data.preset)


def test_an_id_that_stands_twice_is_told() -> None:
    """Two counters of one id."""
    with pytest.raises(
        BadCounters, match=r"ax\.inf is listed twice; give every counter its own id"
    ):
        kiev.data_of(changed(id="ax.inf"), {})


def test_a_face_without_two_numbers_is_told() -> None:
    """A strength is attack and defence."""
    with pytest.raises(
        BadCounters, match=r"ax\.pz needs full \(and reduced\) = \[attack, defence\]"
    ):
        kiev.data_of(changed(reduced=[1]), {})


def test_a_deployment_of_an_unknown_counter_is_told_with_its_hex() -> None:
    """The place in the file is named."""
    pack = deepcopy(kiev.PACK)
    pack["setup"]["on_map"]["0103"] = "ax.ghost"
    with pytest.raises(
        BadCounters, match=r"setup\.toml \[on_map\] 0103: ax\.ghost is not in counters\.toml"
    ):
        kiev.data_of(pack, {})


def test_an_area_that_the_map_lacks_is_told() -> None:
    """A group must name one of the map's areas."""
    pack = deepcopy(kiev.PACK)
    pack["setup"]["group"][0]["area"] = "area.north"
    with pytest.raises(BadCounters, match=r"group west: map\.toml has no area area\.north"):
        kiev.data_of(pack, {})


def test_a_hexside_class_answers_with_its_entry_or_the_default() -> None:
    """What the tables say of the river there; the default where none runs."""
    board = kiev.data_of(kiev.PACK, {}).board
    grid = board.grid
    at = grid.index["0302"] * 6 + grid.direction(grid.index["0302"], grid.index["0402"])
    dry = grid.index["0102"] * 6

    assert of_classes(board, {"minor": {"attack_divisor": 2}}, "attack_divisor", 1)[at] == 2
    assert of_classes(board, {"minor": {}}, "attack_divisor", 1)[at] == 1
    assert of_classes(board, {"minor": {"attack_divisor": 2}}, "attack_divisor", 1)[dry] == 1


def test_a_move_command_is_read_by_what_each_word_is() -> None:
    """Counters, then a way of moving, then waypoints."""
    order = moves.read(("ax.hq", "ax.pz", "march", "0202", "0302"), {"ax.hq", "ax.pz"}, ("march",))

    assert order == moves.MoveOrder(("ax.hq", "ax.pz"), "march", ("0202", "0302"))
    assert moves.read(("ax.pz",), {"ax.pz"}, ("march",)).mode == moves.NORMAL


def test_half_points_are_written_as_people_do() -> None:
    """3 half points are one and a half."""
    assert [moves.points_text(n) for n in (0, 1, 2, 3)] == ["0", "½", "1", "1½"]


def test_flags_join_tables_hex_by_hex() -> None:
    """The joined tables say of each hex what each of them says alone."""
    zones, pieces = bytes([0, 2, 0, 1]), bytes([0, 0, 3, 1])
    joined = ways.flags((zones, ways.AS_ZONE), (pieces, ways.AS_NO_ENTRY), also=1 << 24)
    alone = [
        zones.translate(ways.AS_ZONE)[i] | pieces.translate(ways.AS_NO_ENTRY)[i] for i in range(4)
    ]

    assert list(joined) == [alone[0] | 1, *alone[1:]]
