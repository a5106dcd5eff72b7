"""The terminal tells both sides of a counter, and modes."""

import io
import re

import pytest
from rich.console import Console

from tests.clients.southwind import board, picture
from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, pack, put, start
from warledger.clients.terminal.listing import marks_on
from warledger.engine.games.hungarian_rhapsody.describe import description
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.series.state import taken_by
from warledger.engine.kernel.change import replace
from warledger.protocol.lang import phrases


def test_both_sides_of_a_counter_are_told() -> None:
    """OCS 3.1 A unit is told with both its sides; the notes of a pack's maker on where its values
    come from are for those who check the pack, and not for players."""
    hexes, spoken = picture()
    told = "\n".join(hexes.about("ax.1ss.pz1", board(start()), spoken))

    assert "Combat side: 7-5-8t" in told
    assert "Move side: 3-5-16t" in told
    origins = description(pack(), {"scenario": "sudwind"}).origins
    assert origins["cal"] and not any(text in told for text in origins.values())


def test_a_hex_tells_its_stack_and_supply() -> None:
    """OCS 4.9 The owner is told each unit of a hex with the side that shows, its marks, and the
    supply there."""
    hexes, spoken = picture()
    told = "\n".join(hexes.about("A26.09", board(put(start(), "ax.art.403", marker="dg")), spoken))

    assert "Axis supply: 52T" in told
    assert "403 VAK 36-2-1w (DG)" in told


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("Soviet hedgehog, level 1", "1 step lost", "Axis supply: 1T", "load 1T")),
        ("zh-Hans", ("苏军1级环形工事", "损失1点军力", "轴心国军补给1T", "载运1T")),
        ("zh-Hant", ("蘇軍1級環形工事", "損失1點軍力", "軸心國軍補給1T", "載運1T")),
    ],
)
def test_a_marker_that_counts_always_shows_its_number(language: str, said: tuple[str, ...]) -> None:
    """A level, steps lost and amounts of supply of 1 are told as such, not as a bare name."""
    state = put(put(start(), "ax.inf.44", lost=1), "ax.12ss.truck", load=1)
    here = state.charts.board.hex("A26.10")
    state = replace(state, supply={**state.supply, AXIS: {here: 1}})
    spoken = phrases(language, RULES.title)

    marks = (
        marks_on(board(state), id, spoken)
        for id in ("A26.11", "ax.inf.44", "A26.10", "ax.12ss.truck")
    )
    for one, found in zip(said, marks, strict=True):
        assert one in found


@pytest.mark.parametrize(
    ("language", "axis", "soviet"),
    [
        ("en", "controlled by the Axis", "controlled by the Soviets"),
        ("zh-Hans", "轴心国军控制", "苏军控制"),
        ("zh-Hant", "軸心國軍控制", "蘇軍控制"),
    ],
)
def test_who_controls_a_hex_is_told(language: str, axis: str, soviet: str) -> None:
    """OCS 13.3h By its marker, or from the start of the scenario where nobody has taken it."""
    hexes, _spoken = picture()
    spoken = phrases(language, RULES.title)
    state = start()
    here = state.charts.board.hex("A26.09")
    taken = taken_by(state, SOVIET, 1 << here)
    for position, said, other in ((state, axis, soviet), (taken, soviet, axis)):
        told = "\n".join(hexes.about("A26.09", board(position), spoken))
        assert said in told and other not in told
    assert "none" not in "\n".join(hexes.describe(board(state), phrases("en", RULES.title)))


def test_a_disorganised_unit_draws_no_zone() -> None:
    """OCS 4.5, 5.2 Zones are drawn around units in Combat mode alone."""
    hexes, spoken = picture()
    names_ = [name for name, unit in start().units.items() if unit.at >= 0]
    state = start()
    for name in names_:
        state = put(state, name, marker="dg")

    assert "zone of control" in "\n".join(hexes.about("A25.08", board(start()), spoken))
    assert "zone of control" not in "\n".join(hexes.about("A25.08", board(state), spoken))


def test_the_front_tells_works_and_bases_with_the_units() -> None:
    """Hexes in contact are told with their hedgehogs, bases and supply, each with its number, for
    those who do not see the map."""
    hexes, spoken = picture()
    told = list(hexes.front(board(start()), spoken))

    assert "A26.11: Soviet: 81 Gd 9-3-3, Soviet hedgehog, level 1" in told
    assert any(line.startswith("A26.10: Axis: 44 HD 11-4-3") for line in told)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("A a Axis, S s Soviet.", "r rough", "marsh")),
        ("zh-Hans", ("A a 轴心国", "r ")),
        ("zh-Hant", ("A a 軸心國", "r ")),
    ],
)
def test_the_front_is_read_by_the_numbers_of_its_hexes(
    language: str, said: tuple[str, ...]
) -> None:
    """Rows and columns are named as hexes are (A26.10 is in row A26 under 10 or beside it), no sign
    of the ground is a letter of a side's units, and each sign is explained."""
    hexes, _ = picture()
    out = io.StringIO()
    Console(file=out, width=100, no_color=True).print(
        hexes.draw(board(start()), phrases(language, RULES.title), 100)
    )
    text = out.getvalue()
    rows = {line.split()[0]: line for line in text.splitlines() if re.match(r"A\d\d ", line)}

    assert rows["A26"][4 + 2 * (10 - 5)] in "Aa", "44 HD and others stand in A26.10"
    assert not {"s", "S", "a", "A"} & set(hexes._signs.values())
    for word in said:
        assert word in text
    for sign in hexes._signs.values():
        assert sign == "." or f"{sign} " in text


def test_a_fallen_bridge_is_told_as_destroyed() -> None:
    """HR 1.4a The bridge at Esztergom is a bridge until it falls; then the hexes on both banks tell
    that it is destroyed."""
    hexes, spoken = picture()
    fallen = start()
    grid = fallen.charts.board
    here = grid.hex("A28.14")
    (there,) = (slot for slot in fallen.bridges_down if slot // 6 == here)
    other = grid.map.grid.adjacent[here][there % 6]
    standing = replace(fallen, bridges_down=frozenset())
    for i, side in ((here, "Danube with a {}bridge on the side south-east"), (other, "north-west")):
        before, after = (
            "\n".join(hexes.about(grid.name(i), board(state), spoken))
            for state in (standing, fallen)
        )
        assert "destroyed" not in before
        assert "with a destroyed bridge on the side" in after
        assert side.format("destroyed ") in after
