"""Whose pack a folder is, and that each family checks its own."""

from pathlib import Path
from typing import Any

import pytest

from tests.authors.titles import title_path, write
from tests.board import packs
from warledger.engine import packcheck, packfiles
from warledger.engine.games import NAMES
from warledger.engine.packfiles import read_pack
from warledger.protocol.board.findings import ERROR

Docs = dict[str, Any]


def texts(docs: Docs, title: str = "") -> list[str]:
    """What a check finds, as sentences."""
    return [finding.text for finding in packcheck.check(docs, title).findings]


FAMILY = """
from warledger.engine.board.boardchecks import Family

def check(docs, out):
    for name, doc in docs.items():
        if "sides" not in doc:
            out.error(f"{name}.toml", "sides is missing", "Write sides = [...]")

FAMILY = Family("toys", lambda docs: "toys" in docs, check)
"""


def test_a_titles_own_family_checks_its_packs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A title outside the tree names a family of its own; a pack that names the title, or that
    the family recognises, is checked by it."""
    write(tmp_path, "toy_family", more=FAMILY)
    found = ["error: map.toml: sides is missing. Write sides = [...]."]

    with title_path(monkeypatch, tmp_path):
        assert texts({"map": {"pack": "toy_family"}}) == found
        assert texts({"map": {"scenario": {"rules": "toy_family"}}}) == found
        assert texts({"map": {}}, "toy_family") == found
        assert packcheck.check({"toys": {"sides": []}}).title == "toy_family"


def test_a_pack_that_nobody_knows_says_how_to_name_its_title() -> None:
    """The error lists the titles."""
    assert texts({"chess": {"board": "8x8"}}) == [
        "error: pack: no title says that it plays with such files. Write rules = "
        '"TITLE" in the [scenario] of its set-up; titles are: ' + ", ".join(NAMES) + "."
    ]


def test_a_key_that_nothing_reads_is_told() -> None:
    """A misspelt key or list is an error that names the right one, another one a warning; remarks,
    and keys of tables that map ids to values, are a pack's own."""
    docs = read_pack("war_at_sea")
    (ship,) = (ship for ship in docs["data"]["ship"] if ship["id"] == "rodney")
    ship["note_of_mine"] = "seen in a match"
    ship["repair"] = 3
    assert texts(docs, "war_at_sea")[0].startswith(
        "warning: data.toml [[ship]] rodney: nothing in the title's own pack is called repair."
    )
    ship["nmae"] = ship.pop("name")
    assert (
        "error: data.toml [[ship]] rodney: nothing reads the key nmae. Did you mean name?"
        in texts(docs, "war_at_sea")
    )


@pytest.mark.parametrize("title", NAMES)
def test_our_own_packs_have_no_key_that_nothing_reads(title: str) -> None:
    """A check of a title's own pack finds nothing, and finds a key that is put into it."""
    docs = read_pack(title)
    assert texts(docs, title) == []

    file, name = ("data", "ship") if title == "war_at_sea" else ("counters", "units")
    docs[file][name][0]["morale"] = 3

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packfiles, "read_pack", lambda title: docs)
        (found,) = texts(docs, title)
    assert found.startswith(f"warning: {file}.toml [[{name}]] ")
    assert "nothing reads the key morale. Leave it out" in found


def test_a_sound_pack_is_tried_with_the_rules() -> None:
    """What only the rules notice is an error all the same."""
    docs = packs.docs("typhoon")
    del docs["tables"]["weather"]

    assert any("the rules of typhoon cannot begin with it: KeyError" in t for t in texts(docs))


# --- several scenarios ----------------------------------------------------------------------------


def with_scenarios() -> Docs:
    """A chit-pull pack of two scenarios, one a file, the second a few turns long."""
    docs = packs.docs("victory_lost")
    docs["setup_short"] = packs.docs("victory_lost")["setup"]
    docs["setup_short"]["file"] = "setup_short"
    docs["setup_short"]["scenario"] |= {"id": "short", "first_turn": 2, "last_turn": 4}
    return docs


def test_a_pack_may_have_one_file_a_scenario() -> None:
    """Each set-up is checked against map and counters by itself; a piece may stand in all."""
    assert texts(with_scenarios()) == []


def test_a_mistake_in_any_scenario_is_named_with_its_file() -> None:
    """Also where the first scenario is sound."""
    docs = with_scenarios()
    docs["setup_short"]["on_map"]["9999"] = "su.tank.17"
    docs["setup_short"]["scenario"]["last_turn"] = 12

    found = texts(docs)

    assert any(t.startswith("error: setup_short.toml [on_map] 9999: there is no") for t in found)
    assert any("setup_short.toml [scenario] last_turn: 12, but" in text for text in found)
    assert not any("setup.toml" in text for text in found)


def test_setup_toml_is_not_needed_beside_other_scenarios() -> None:
    """A pack whose scenarios all have names of their own is whole."""
    docs = with_scenarios()
    del docs["setup"]

    checked = packcheck.check(docs, "")

    assert not any("missing" in finding.text for finding in checked.findings)


# --- War at Sea -----------------------------------------------------------------------------------


def ship(docs: Docs) -> Docs:
    found: Docs = docs["data"]["ship"][0]
    return found


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.pop("layout"), "layout.toml: missing"),
        (lambda d: ship(d).update(nation="fr"), "[[ship]] nelson: nation is 'fr'. Known here"),
        (lambda d: ship(d).update(speed="3"), "[[ship]] nelson: speed is '3'"),
        (lambda d: ship(d).update(start=["brest"]), "it starts in 'brest', which is not an area"),
        (lambda d: ship(d).update(id="rodney"), "rodney: the id is used in data.toml ship too"),
        (lambda d: d["data"]["turn"].pop(2), "[[turn]]: turns are numbered [1, 2, 4"),
        (lambda d: d["data"]["turn"][0]["axis"].append("x"), "[[turn]] 1: x is not a ship"),
        (
            lambda d: d["layout"]["grid"]["rows"].pop(),
            "[grid]: it lacks south_atlantic, mediterranean",
        ),
    ],
)
def test_mistakes_in_a_pack_of_war_at_sea_are_named(change: Any, says: str) -> None:
    """Ships, turn track and drawing are checked against the map."""
    docs = _copied(read_pack("war_at_sea"))
    change(docs)

    found = packcheck.check(docs).findings

    assert any(finding.severity == ERROR and says in finding.text for finding in found), [
        finding.text for finding in found
    ]


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list | tuple) else value
