"""The check of packs: our own are clean, each mistake is named with place and remedy, and nothing
makes the check itself fail."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.board import packs
from tests.board.mistakes import Docs, Mistake, found, mangled
from warledger.engine.board import areas
from warledger.engine.board.hexmap import hex_map
from warledger.engine.packcheck import check as checked
from warledger.protocol.board.findings import ERROR, BadPack, Finding


def check(docs: Any) -> tuple[Finding, ...]:
    """The findings about documents, by whatever family knows them."""
    return checked(docs).findings


@pytest.mark.parametrize("title", packs.TITLES)
def test_own_packs_are_clean(title: str) -> None:
    """The packs we ship have neither errors nor warnings."""
    assert [f.text for f in check(packs.docs(title))] == []


def river(d: Docs, **change: Any) -> None:
    d["map"]["river"][0] |= change


def unit(d: Docs, **change: Any) -> None:
    d["counters"]["units"][0] |= change


MISTAKES: dict[str, Mistake] = {
    "file missing": (
        lambda d: d.pop("turns"),
        "error: turns.toml: missing. A pack has the files map.toml",
    ),
    "schema": (
        lambda d: d["setup"].update(schema=2),
        "error: setup.toml: schema is 2. Write schema = 1",
    ),
    "pack name": (
        lambda d: d["turns"].update(pack="x"),
        "error: turns.toml: pack is 'x', in map.toml 'victory_lost'",
    ),
    "a setting below the provenance": (
        lambda d: d["turns"]["provenance"].update(limit=4),
        "error: turns.toml [provenance]: limit does not belong there: it is not a sentence",
    ),
    "the header below the provenance": (
        lambda d: d["turns"]["provenance"].update(pack="victory_lost"),
        "error: turns.toml [provenance]: pack does not belong there: it is part of the header",
    ),
    "provenance in a line": (
        lambda d: d["turns"].update(provenance="invented"),
        "error: turns.toml: provenance is not a table",
    ),
    "decimal": (
        lambda d: d["tables"]["movement"].update(march_road=0.5),
        "error: tables.toml movement march_road: the decimal number",
    ),
    "grid": (
        lambda d: d["map"]["grid"].update(orientation="round"),
        "error: map.toml [grid]: orientation is 'round'",
    ),
    "row length": (
        lambda d: d["map"]["terrain"]["rows"].__setitem__(4, "..."),
        "[terrain] rows, line 5: 3 characters",
    ),
    "sign": (
        lambda d: d["map"]["terrain"]["rows"].__setitem__(0, "?" * 65),
        "hex 0101 has the sign '?', which the legend lacks",
    ),
    "legend": (
        lambda d: d["map"]["terrain"]["legend"].update({"f": "wods"}),
        "'wods', which is not defined. Known here: woods",
    ),
    "river class": (
        lambda d: river(d, **{"class": "mojor"}),
        "[[river]] Don: class 'mojor' has no entry in tables.toml [hexside]. Known",
    ),
    "no hexside": (
        lambda d: river(d, hexsides="0101-0103"),
        "[[river]] Don: hexes 0101 and 0103 do not touch",
    ),
    "no dash": (
        lambda d: river(d, hexsides="0101"),
        "'0101' is not a hexside; write two neighbouring hexes joined by '-', such as 0101-",
    ),
    "no hex": (
        lambda d: river(d, hexsides="0101-9999"),
        "there is no hex '9999'; ids on this map run from 0101 to 6539",
    ),
    "twice a river": (
        lambda d: d["map"]["river"].append(
            {"name": "X", "class": "minor", "hexsides": "3001-3101"}
        ),
        "belongs to Don",
    ),
    "bridge": (
        lambda d: d["map"]["bridges"].update(hexsides="0101-0102"),
        "map.toml [bridges]: no river on hexside 0101-0102",
    ),
    "rail gap": (
        lambda d: d["map"]["rail"][0].update(hexes="3301 3303"),
        "3301 and 3303 follow each other but do not touch",
    ),
    "place kind": (
        lambda d: d["map"]["places"]["list"][0].update(kind="citty"),
        "[places] Kharkov: kind 'citty' has no entry",
    ),
    "two places": (
        lambda d: d["map"]["places"]["list"][1].update(hex="1110"),
        "[places] Stalino: hex 1110 already holds Kharkov",
    ),
    "source side": (
        lambda d: d["map"]["source"][0].update(side="axes"),
        "side 'axes' is not one of the sides. Known here: axis",
    ),
    "source off rail": (
        lambda d: d["map"]["source"][0].update(hex="0105"),
        "no railway runs through 0105. Lead a railway there",
    ),
    "same id": (lambda d: unit(d, id="su.rifle.107"), "the id is used in counters.toml units too"),
    "bad id": (lambda d: d["map"]["box"][0].update(id="Box 1"), "the id holds other signs than"),
    "faces": (
        lambda d: unit(d, full=[4]),
        "counters.toml units su.rifle.25g: full is [4]. Write full = [attack, defence]",
    ),
    "move cost": (
        lambda d: d["tables"]["terrain"]["woods"].update(move_mech="x"),
        "[terrain] woods move_mech: 'x' is not a number",
    ),
    "cost missing": (
        lambda d: d["tables"]["terrain"]["woods"].pop("move_other"),
        "[terrain] woods: move_other is missing",
    ),
    "crt": (
        lambda d: d["tables"]["crt"]["rows"]["3"].pop(),
        "tables.toml [crt]: row 3 has 10 results, but there are 11 columns",
    ),
    "turns": (lambda d: d["turns"]["turn"].pop(3), "turns.toml: turns are numbered [1, 2, 3, 5"),
    "chit": (
        lambda d: d["counters"]["chits"][0].update(hq="su.hq.9"),
        "hq 'su.hq.9' is not a headquarters. Known here:",
    ),
    "total": (
        lambda d: d["counters"]["totals"].update(units=3),
        "counters.toml [totals] units: 3 announced, 156 listed",
    ),
    "unknown piece": (
        lambda d: d["setup"]["on_map"].update({"0202": "su.tank.0"}),
        "[on_map] 0202: su.tank.0 is not a unit or headquarters",
    ),
    "stack": (
        lambda d: d["setup"]["on_map"].update({"5722": "su.rifle.315 su.rifle.87 su.rifle.300"}),
        "breaks the limit on units",
    ),
    "twice set up": (
        lambda d: d["setup"]["on_map"].update({"5722": "su.rifle.87"}),
        "counters.toml su.rifle.87: it starts in 2 places",
    ),
    "outside": (
        lambda d: d["setup"]["on_map"].update({"5722": "su.tank.17"}),
        "su.tank.17 stands outside its area area.setup.6a",
    ),
    "box": (
        lambda d: d["setup"].update(off_map={"box.x": ""}),
        "[off_map] box.x: there is no such box on the map. Known here: box.",
    ),
    "arrival": (
        lambda d: d["turns"]["turn"][0]["arrivals"][0].update(side="soviet"),
        "arrives for soviet but is not its piece",
    ),
    "missing table": (
        lambda d: d["tables"].pop("movement"),
        "tables.toml [movement]: missing. Write a table [movement]",
    ),
    "no bridge": (
        lambda d: d["map"]["bridges"].update(hexsides=""),
        "warning: map.toml [bridges]: a road or railway crosses a river",
    ),
    "cut off": (
        lambda d: d["map"].update(impassable={"hexsides": "0101-0102 0101-0201"}),
        "warning: map.toml [terrain]: hexes cut off from the rest: 0101",
    ),
    "no home": (
        lambda d: d["setup"]["on_map"].pop("5722"),
        "warning: counters.toml su.rifle.315: it is on the map",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_is_named(name: str) -> None:
    """A mistake in a sound pack gives a finding with table, entry and remedy; an error where the
    pack cannot be used."""
    findings = found(check, packs.docs("victory_lost"), MISTAKES[name])
    levels = [f.severity for f in findings]
    assert levels == sorted(levels)


def test_loading_raises_all_errors_together() -> None:
    """A map with errors is not loaded; the exception carries every finding."""
    docs = packs.docs("victory_lost")
    docs["map"]["places"]["list"][0]["hex"] = "9999"
    docs["map"]["source"][0]["side"] = "none"
    with pytest.raises(BadPack, match="Kharkov: there is no hex '9999'") as caught:
        hex_map(docs["map"], docs["tables"])
    assert len([f for f in caught.value.findings if f.severity == ERROR]) == 2


@pytest.mark.parametrize("seed", range(60))
def test_no_junk_breaks_the_check(seed: int) -> None:
    """Whatever a stranger's files hold, the check reports and never fails itself."""
    rng = random.Random(seed)
    docs = packs.docs(rng.choice(packs.TITLES))
    for finding in check(mangled(docs, rng, rng.randint(1, 4))):
        assert finding.problem and finding.remedy, f"seed {seed}"


AREAS: dict[str, Any] = {
    "area": [
        {"id": "north", "name": "North Sea", "adjacent": ["south"]},
        {"id": "south", "name": "South Sea", "adjacent": ["north"]},
        {"id": "far", "name": "Far Sea", "adjacent": ["south"]},
    ],
    "port": [{"id": "haven", "name": "Haven", "adjacent": ["far", "north"]}],
}


def test_area_maps() -> None:
    """Links go both ways; reach and way follow them in the pack's order; a missing return link is
    only a warning."""
    sea = areas.area_map(AREAS)
    assert sea.neighbours("far") == ("south", "haven")
    assert sea.neighbours("far", "port") == ("haven",)
    assert sea.of_kind("area") == ("north", "south", "far")
    assert dict(sea.reach("haven", 2, lambda s: s != "far", lambda s: True)) == {
        "haven": 0,
        "north": 1,
        "far": 1,
        "south": 2,
    }
    assert dict(sea.reach("haven", 2, lambda s: False, lambda s: s != "far")) == {
        "haven": 0,
        "north": 1,
    }
    assert sea.way("haven", "south", lambda s: True) == ("haven", "north", "south")
    assert sea.way("haven", "south", lambda s: s == "far") == ("haven", "far", "south")
    assert sea.way("haven", "south", lambda s: False) is None
    assert [f.text for f in check({"data": AREAS})] == [
        "warning: data.toml [[area]] far: south does not list far in turn. List both "
        "ways, or mark one with one_way = true."
    ]


def test_area_mistakes_are_named() -> None:
    """Unknown, doubled and lonely areas are found."""
    doc = {
        "area": [
            {"id": "a", "adjacent": ["b", "a"]},
            {"id": "a", "adjacent": []},
            {"id": "c", "adjacent": []},
            {"id": "d"},
        ]
    }
    texts = "\n".join(f.text for f in check({"map": doc}))
    for message in (
        "adjacent names b, which",
        "the place itself",
        "the id a is taken",
        "c: nothing touches it",
        "d: adjacent is missing",
    ):
        assert message in texts
    with pytest.raises(BadPack, match="no areas"):
        areas.area_map({})
