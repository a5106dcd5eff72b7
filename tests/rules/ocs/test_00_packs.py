"""OCS 0-3, 13.6: the check of packs of the series: ours is clean, each mistake is named with file,
entry and remedy, and with the line where it stands."""

import random
from pathlib import Path
from typing import Any

import pytest

from tests.board.mistakes import Docs, Mistake, found, mangled
from tests.rules.hungarian_rhapsody.bench import FOLDER
from warledger.engine.board import boardchecks
from warledger.engine.games.ocs.series.packs import FAMILY
from warledger.engine.packcheck import line_of
from warledger.engine.packfiles import documents as read
from warledger.protocol.board.findings import Finding

OURS = read(FOLDER)


def check(docs: Docs) -> list[Finding]:
    """The findings about documents."""
    return boardchecks.check(docs, FAMILY)


def test_our_own_pack_is_clean() -> None:
    """The pack of Hungarian Rhapsody has neither errors nor warnings."""
    assert FAMILY.recognises(OURS)
    assert [finding.text for finding in check(OURS)] == []


def unit(docs: Docs, **change: Any) -> None:
    docs["counters"]["units"][0] |= change


MISTAKES: dict[str, Mistake] = {
    "range": (
        lambda d: d["map"]["area"][0].update(hexes="A1.05..02"),
        "map.toml [[area]] area.budapest_city hexes: 'A1.05..02' is not a range of hexes",
    ),
    "hex of an area": (
        lambda d: d["map"]["area"][0].update(hexes="C1.05"),
        "there is no hex 'C1.05'",
    ),
    "entry's hex": (
        lambda d: d["map"]["entry"][0].update(hexes="A1.99"),
        "map.toml [[entry]] entry.a: 'A1.99' is not known",
    ),
    "entry's path": (
        lambda d: d["map"]["entry"][0]["by"].update({"A1.11": "raill"}),
        "map.toml [[entry]] entry.a by A1.11: 'raill' is not known. Known here: rail",
    ),
    "entry's side": (
        lambda d: d["map"]["entry"][0].update(side="axes"),
        "map.toml [[entry]] entry.a: side is 'axes'. Known here: axis",
    ),
    "box's kind": (
        lambda d: d["map"]["box"][0].update(kind="aire"),
        "map.toml [[box]] box.air.8aa: kind is 'aire'",
    ),
    "box's way": (
        lambda d: d["map"]["box"][0].update(flights={"entry.x": 3}),
        "map.toml [[box]] box.air.8aa flights: 'entry.x' is not known",
    ),
    "flying distance": (
        lambda d: d["map"]["box"][0].update(flights={"entry.d": "far"}),
        "map.toml [[box]] box.air.8aa flights entry.d: 'far' is not a distance",
    ),
    "cost": (
        lambda d: d["tables"]["terrain"]["open"].update(move_leg="al"),
        "tables.toml [terrain] open move_leg: 'al' is not a cost. Write 2,",
    ),
    "cost missing": (
        lambda d: d["tables"]["terrain"]["open"].pop("move_truck"),
        "tables.toml [terrain] open: move_truck is missing",
    ),
    "path's cost": (
        lambda d: d["tables"]["path"]["road"].update(move_leg="1/x"),
        "tables.toml [path] road move_leg: '1/x' is not a cost",
    ),
    "mobility": (
        lambda d: unit(d, sides={"combat": [6, 5, 8, "tracks"]}),
        "counters.toml units ax.1pz.pz1: ax.1pz.pz1: mobility ['tracks']; write leg, track",
    ),
    "no sides": (lambda d: unit(d, sides={}), "counters.toml units ax.1pz.pz1"),
    "type without a symbol": (
        lambda d: unit(d, type="elephants"),
        "counters.toml units ax.1pz.pz1: type is 'elephants'",
    ),
    "size without a symbol": (
        lambda d: unit(d, size="horde"),
        "counters.toml units ax.1pz.pz1: size is 'horde'",
    ),
    "unit's side": (
        lambda d: unit(d, side="west"),
        "counters.toml units ax.1pz.pz1: side is 'west'",
    ),
    "same id": (
        lambda d: unit(d, id="ax.1pz.pz2"),
        "counters.toml units ax.1pz.pz2: the id is used in counters.toml units too",
    ),
    "aircraft's type": (
        lambda d: d["counters"]["aircraft"][0].update(type="Z"),
        "counters.toml aircraft ax.air.bf109.1: type is 'Z'",
    ),
    "scenario's id": (
        lambda d: d["scenario_siege"]["scenario"].update(id="x"),
        "scenario_siege.toml [scenario] id: 'x'. Write id = \"siege\"",
    ),
    "turn of a scenario": (
        lambda d: d["scenario_siege"]["scenario"].update(last_turn=99),
        "scenario_siege.toml [scenario] last_turn: 99",
    ),
    "control's line": (
        lambda d: d["scenario_siege"]["control"]["rows"].__setitem__(3, "aaa"),
        "scenario_siege.toml [control] rows, line 4: 3 characters",
    ),
    "control's sign": (
        lambda d: d["scenario_siege"]["control"]["rows"].__setitem__(3, "?" * 70),
        "scenario_siege.toml [control] rows, line 4: the sign '?' is not in the legend",
    ),
    "unit in no hex": (
        lambda d: d["scenario_sudwind"]["on_map"].update({"Z1.01": "ax.inf.711"}),
        "scenario_sudwind.toml [on_map] Z1.01: 'Z1.01' is not known",
    ),
    "unknown unit": (
        lambda d: d["scenario_sudwind"]["on_map"].update({"A25.09": "ax.inf.9999"}),
        "scenario_sudwind.toml [on_map] A25.09: 'ax.inf.9999' is not known",
    ),
    "unit twice": (
        lambda d: d["scenario_sudwind"]["on_map"].update({"A25.08": "ax.inf.46"}),
        "scenario_sudwind.toml [on_map] A25.08: ax.inf.46 stands in A24.11 too",
    ),
    "out of play": (
        lambda d: d["scenario_sudwind"]["on_map"].update({"A1.01": "ax.hu.8res"}),
        "scenario_sudwind.toml [on_map] A1.01: the hex is out of play",
    ),
    "mode": (
        lambda d: d["scenario_sudwind"]["mode"].update(sleep="ax.inf.46"),
        "scenario_sudwind.toml [mode]: 'sleep' is not known",
    ),
    "too many steps lost": (
        lambda d: d["scenario_sudwind"]["steps_lost"].update({"ax.inf.46": 9}),
        "scenario_sudwind.toml [steps_lost] ax.inf.46: 9 of",
    ),
    "supply's side": (
        lambda d: d["scenario_sudwind"]["sp"]["A26.09"].update(side="north"),
        "scenario_sudwind.toml [sp] A26.09: side is 'north'",
    ),
    "base's aircraft": (
        lambda d: d["scenario_sudwind"]["air"][0].update(active="ax.air.zeppelin"),
        "scenario_sudwind.toml [[air]] A26.06 active: 'ax.air.zeppelin' is not known",
    ),
    "arrival's kind": (
        lambda d: d["scenario_campaign"]["arrival"][0].update(kind="parachute"),
        "scenario_campaign.toml [[arrival]] 1: kind is 'parachute'",
    ),
    "arrival's turn": (
        lambda d: d["scenario_campaign"]["arrival"][0].update(turn=99),
        "scenario_campaign.toml [[arrival]] 1: turn is 99",
    ),
    "what a scenario begins as": (
        lambda d: d["scenario_konrad12"]["scenario"].update(begins_as="konrad12"),
        "scenario_konrad12.toml [scenario]: begins_as is 'konrad12'. Known here: konrad1",
    ),
    "what it goes on as": (
        lambda d: d["scenario_konrad12"]["scenario"].pop("goes_on_as"),
        "scenario_konrad12.toml [scenario]: goes_on_as is None",
    ),
    "in which order": (
        lambda d: d["scenario_konrad12"]["scenario"].update(begins_as="konrad3"),
        "scenario_konrad12.toml [scenario]: konrad2 begins with turn 29, konrad3 ends with 35",
    ),
    "no scenario": (
        lambda d: [d.pop(name) for name in [*d] if name.startswith("scenario_")],
        "scenario_NAME.toml: missing. Write one file for each scenario",
    ),
    "no counters": (lambda d: d.pop("counters"), "counters.toml: missing"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_is_named(name: str) -> None:
    """A mistake is reported with file, table and entry, and with what to do."""
    found(check, OURS, MISTAKES[name])


@pytest.mark.parametrize("seed", range(6))
def test_nothing_makes_the_check_fail(seed: int) -> None:
    """Whatever stands in the place of an entry, the check says something and never fails."""
    rng = random.Random(seed)
    for _ in range(4):
        for finding in check(mangled(OURS, rng, rng.randint(1, 4))):
            assert finding.problem and finding.remedy, f"seed {seed}"


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        (
            "counters",
            'type = "tank", cls = "armor", size = "bn"',
            'type = "elephant", cls = "armor", size = "bn"',
            "elephant",
        ),
        ("scenario_sudwind", '"A24.11" = "ax.inf.46"', '"A24.11" = "ax.inf.4666"', "4666"),
        ("map", 'id = "entry.d"', 'id = "entry.D"', "other signs"),
    ],
)
def test_the_line_is_told(tmp_path: Path, file: str, old: str, new: str, problem: str) -> None:
    """A finding is told with the line of the file where the mistake stands."""
    for path in FOLDER.glob("*.toml"):
        (tmp_path / path.name).write_text(path.read_text("utf-8"), encoding="utf-8")
    text = (tmp_path / f"{file}.toml").read_text("utf-8")
    line = text[: text.index(old)].count("\n") + 1
    (tmp_path / f"{file}.toml").write_text(text.replace(old, new, 1), encoding="utf-8")

    one = next(f for f in check(read(tmp_path)) if problem in f.text)
    assert line_of(tmp_path, one) == line
    assert f"{file}.toml:{line} " in one.told_at(line)
