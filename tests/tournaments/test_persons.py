"""Who somebody is in a tournament: by id, byte by byte, with the name beside it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.tournaments.desk import PUBLIC, Desk, charter_of
from tests.verdicts import findings_of
from warledger.clients.audit.audit import installed
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.cli.tournament import tournament as command
from warledger.clients.commands.tournament.lines import called, who_of
from warledger.engine.desk import papers
from warledger.engine.desk.persons import Persons
from warledger.engine.runtime import tokens
from warledger.engine.tournaments import charterform, tournamentdoor
from warledger.engine.tournaments.charter import Named
from warledger.engine.tournaments.fold import BadEvent
from warledger.engine.tournaments.tournamentposition import Position
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Picks, Refusal
from warledger.protocol.lang import LANGUAGES, phrases
from warledger.protocol.log import records, wlog

JOSE, DECOMPOSED = "Jos\u00e9", "Jose\u0301"
IDS = ("3f2a91bc.0123456789abcdefghjkmnpqrs", "3f2a91bc.0123456789abcdefghjkmnpqrt")
LIKE_DORA = ("Dora", "DORA", "dora ", "dor\u0430", "dora\u200b", "d\u00f3ra", "dor", "dorab")
"""None of these is the id `dora`: another case, a space, a Cyrillic letter, one that nobody sees,
an accent, a byte less, a byte more."""


def findings(desk: Desk, data: bytes) -> list[tuple[int | None, str]]:
    """What an audit with the rules finds, by record and field."""
    report = audit_tournament(data, key=PUBLIC, rulebook=installed())
    return [(one.seq, one.field) for one in findings_of(report)]


def story(desk: Desk, seq: int, language: str = "en") -> str:
    """What a record tells in words."""
    effects = canon.unpack(forms.Act.from_record(desk.log[seq]).effects)
    spoken = phrases(language, "war_at_sea")
    return " ".join(spoken.text(key, **dict(args)) for tag, key, args, _ in effects)


@pytest.mark.parametrize("id", LIKE_DORA)
def test_an_id_that_differs_in_one_byte_is_nobody(id: str) -> None:
    """The desk refuses whoever is like a director; an audit finds what a desk wrote for them."""
    desk = Desk()
    assert desk.refused(f"d:{id}", "announce", "hello") == ("", "role")
    seq = desk.do("d:dora", "announce", "hello").seq
    assert findings(desk, desk.file()) == []
    forged = desk.forged(seq, lambda body: (f"d:{id}", *body[1:]))
    assert (seq, "picks") in findings(desk, forged)
    desk.enter(1)
    assert desk.refused("server", "grant", "caster", "acc1", "X") == ("spectators", "caster")
    desk.do("server", "grant", "caster", "Acc1", "X")


def test_an_id_has_room_and_is_not_empty() -> None:
    """Of a record that names nobody, or more than an id is, an audit says so."""
    desk = Desk()
    seq = desk.do("d:dora", "announce", "hello").seq
    for who in ("d:", "a:", "d:" + "x" * 60, "x:dora", "dora", "e:0"):
        forged = desk.forged(seq, lambda body, who=who: (who, *body[1:]))
        assert (seq, "who") in findings(desk, forged), who
    assert forms.is_who("d:" + "x" * 59)


@pytest.mark.parametrize(
    ("events", "changed"),
    [
        (("granted", "arbiter", "x.1", ""), None),
        (("granted", "arbiter", "", "Xenia"), None),
        (("granted", "arbiter", "x" * 60, "Xenia"), None),
        (("granted", "arbiter", "x.2", "Xenia"), "events[0] granted.id"),
        (("granted", "arbiter", "x.1", "xenia"), "events[0] granted.name"),
    ],
)
def test_a_role_is_given_to_an_id_and_a_name(events: tuple[str, ...], changed: str | None) -> None:
    """What a record gives is what its picks say, in every byte of the id and the name."""
    desk = Desk()
    seq = desk.do("d:dora", "grant", "arbiter", "x.1", "Xenia").seq
    forged = desk.forged(seq, lambda body: (*body[:5], (events,), *body[6:]))
    assert findings(desk, forged)[0][0] == seq
    if changed is not None:
        assert findings(desk, forged) == [(seq, changed)]
    else:
        with pytest.raises(BadEvent):
            tournamentdoor.folded(desk.at, "server", (events,), seq + 1, desk.at_ms)


def test_equal_names_are_two_people() -> None:
    """As entrants, composed or not, and as officials who are told apart by id alone."""
    desk = Desk()
    desk.do("d:dora", "enter", JOSE, "-", 0)
    desk.do("d:dora", "enter", DECOMPOSED, "-", 0)
    desk.do("d:dora", "enter", JOSE, "-", 0)
    desk.do("d:dora", "grant", "arbiter", JOSE, JOSE)
    assert desk.refused(f"a:{DECOMPOSED}", "announce", "x") == ("", "role")
    assert findings(desk, desk.file()) == []


def test_two_of_one_name_are_shown_apart() -> None:
    """In the story, in lists and in what is typed: by the end of their ids, and never by the id
    alone; whoever is the only one of a name is shown by it."""
    desk = Desk()
    first = desk.do("d:dora", "grant", "arbiter", IDS[0], "Ann").seq
    second = desk.do("d:dora", "grant", "arbiter", IDS[1], "Ann").seq
    assert story(desk, first).startswith("Ann becomes")
    assert story(desk, second).startswith("Ann (mnpqrt) becomes")
    rows = papers.official_rows(desk.at)
    assert [one["shown"] for one in rows] == ["Dora", "Arno", "Ann (mnpqrs)", "Ann (mnpqrt)"]
    told = papers.told("cup", desk.at, draft=False)
    assert who_of(told, "d:Dora") == "d:dora" and who_of(told, "a:Arno") == "a:arno"
    assert who_of(told, "a:Ann (mnpqrs)") == f"a:{IDS[0]}"
    assert who_of(told, f"a:{IDS[1]}") == f"a:{IDS[1]}"
    with pytest.raises(LookupError, match="mnpqrs"):
        who_of(told, "a:Ann")
    for language in LANGUAGES:
        spoken = phrases(language, "war_at_sea")
        assert called(told, f"a:{IDS[0]}", spoken).startswith("Ann (mnpqrs) (")
        assert called(told, "d:dora", spoken).startswith("Dora (")
        assert "3f2a91bc" not in story(desk, second, language)
    ended = desk.do("d:dora", "end_grant", "arbiter", IDS[0]).seq
    assert desk.log[ended].body[5] == (("grant_ended", "arbiter", IDS[0], "Ann"),)
    assert [one["shown"] for one in papers.official_rows(desk.at)][-1] == "Ann"
    assert findings(desk, desk.file()) == []


def test_who_is_given_a_role_under_another_name_is_the_same() -> None:
    """The newest name stands for them; an end of the role ends it under either."""
    desk = Desk()
    desk.do("d:dora", "grant", "arbiter", "x.1", "Xenia")
    desk.do("d:dora", "grant", "arbiter", "x.1", "Zoe")
    assert [one["name"] for one in papers.official_rows(desk.at)][-1] == "Zoe"
    desk.do("d:dora", "end_grant", "arbiter", "x.1")
    assert desk.refused("a:x.1", "result") == ("", "role")


def test_nobody_rules_on_their_own_board_under_another_name() -> None:
    """Whoever has entered is known by their id, whatever they are called as an arbiter; somebody
    else of their name may rule."""
    desk = Desk()
    desk.enter(2)
    desk.do("d:dora", "grant", "arbiter", "acc1", "Somebody")
    desk.do("d:dora", "grant", "arbiter", "x.1", "P1")
    desk.start_round()
    assert desk.refused("a:acc1", "result", 1, 1, "both", "-") == ("appeals", "own_board")
    assert desk.refused("a:acc1", "result", 1, 1)[1] == "own_board"
    desk.do("a:x.1", "result", 1, 1, "both", "nobody came")
    assert findings(desk, desk.file()) == []


@pytest.mark.parametrize("committee", [["Ann", "Ben", "Cy"], [["", "Ann"], ["x", "B"], ["y", "C"]]])
def test_a_charter_is_written_with_ids(committee: Any) -> None:
    """A file names the committee by names; record 0 has each id, or is none."""
    made = charter_of({"appeals": {"committee": committee}})
    with pytest.raises(charterform.BadCharter):
        charterform.of_settings(made.settings())
    twice = {"appeals": {"committee": [["a", "Ann"], ["b", "Ann"], ["c", "Ann"]]}}
    right = charter_of(twice)
    assert charterform.of_settings(right.settings()) == right
    (words,) = (one for one in Desk(right).at.charter.appeals.committee if one[0] == "b")
    assert words == ("b", "Ann")


# --- whom people mean -----------------------------------------------------------------------------


def persons(**accounts: str) -> Persons:
    """Those of a server with these accounts: id by handle; without any, of a desk alone."""
    numbers: Iterator[int] = count(1)

    async def find(text: str) -> Named | None:
        handle = next((one for one in accounts if one.lower() == text.lower()), "")
        by_id = next((one for one, id in accounts.items() if id == text), "")
        found = by_id or handle
        return (accounts[found], found) if found else None

    return Persons(find if accounts else None, lambda: f"new.{next(numbers)}")


async def meant(at: Position, who: Persons, *picks: str | int) -> Picks | str:
    """The picks as the ledger holds them, or the key of the refusal."""
    found = await who.meant(at, picks)
    return found.key.removeprefix("refusal.tournament.") if isinstance(found, Refusal) else found


async def test_whoever_has_no_account_is_given_an_id_once() -> None:
    """At a desk without a server: a new one, and the same again for the same name."""
    desk, who = Desk(), persons()
    grant = await meant(desk.at, who, "grant", "arbiter", "Ann")
    assert grant == ("grant", "arbiter", "new.1", "Ann")
    desk.do("d:dora", *grant)
    assert await meant(desk.at, who, "grant", "director", "Ann") == (
        *("grant", "director", "new.1", "Ann"),
    )
    assert await meant(desk.at, who, "end_grant", "arbiter", "Ann") == (
        *("end_grant", "arbiter", "new.1"),
    )
    assert await meant(desk.at, who, "enter", "Ann B", "Ann", 0) == ("enter", "Ann B", "new.1", 0)
    assert await meant(desk.at, who, "enter", "Ben", "-", 0) == ("enter", "Ben", "-", 0)
    assert await meant(desk.at, who, "enter", "Cy", IDS[0], 0) == ("enter", "Cy", IDS[0], 0)
    assert await meant(desk.at, who, "announce", "Ann") == ("announce", "Ann")


async def test_an_entrant_is_not_taken_for_whom_a_director_means() -> None:
    """Who has entered under somebody's name with an account of their own gets no role by it; who
    is named by two is nobody until the id is written."""
    desk = Desk()
    desk.do("e:1", "enter", "Ann", "mallory.1", 0)
    who = persons(Ann="ann.1")
    assert await meant(desk.at, who, "grant", "arbiter", "Ann") == (
        *("grant", "arbiter", "ann.1", "Ann"),
    )
    assert await meant(desk.at, persons(Bob="bob.1"), "grant", "arbiter", "Ann") == (
        *("grant", "arbiter", "new.1", "Ann"),
    )
    desk.do("d:dora", "grant", "arbiter", "old.1", "Ann")
    assert await meant(desk.at, who, "grant", "director", "Ann") == "several"
    assert await meant(desk.at, who, "grant", "director", "old.1") == (
        *("grant", "director", "old.1", "Ann"),
    )
    assert await meant(desk.at, who, "panel", 1, "Ann") == "several"
    assert await meant(desk.at, who, "panel", 1, "ann.1", "Zoe") == (
        *("panel", 1, "ann.1", "Ann", "new.1", "Zoe"),
    )
    assert await meant(desk.at, who, "end_grant", "arbiter", "Ann") == (
        *("end_grant", "arbiter", "old.1"),
    )
    assert await meant(desk.at, who, "enter", "Xi", "nobody", 0) == "unknown_account"


async def test_a_committee_gets_its_ids_when_it_is_announced() -> None:
    """By account where there is one, else a new one; an id that is written stays."""
    made = charter_of({"appeals": {"committee": ["Ann", "Zoe", ["x.1", "Xenia"]]}})
    ready = await persons(Ann="ann.1").announced(made)
    assert ready.appeals.committee == (("ann.1", "Ann"), ("new.1", "Zoe"), ("x.1", "Xenia"))
    assert charterform.of_settings(ready.settings()) == ready


def test_a_desk_without_a_server_gives_ids(tmp_path: Path) -> None:
    """What is typed there as names stands as ids in the file, with the names beside them; what the
    desk prints has the names."""
    run, charter = CliRunner(env={"WARLEDGER_LANGUAGE": "en"}), tmp_path / "cup.toml"
    charter.write_text(
        'name = "Cup"\ntitle = "war_at_sea"\n[[stage]]\nsystem = "round_robin"\n'
        '[sides]\nby = "balance"\n[appeals]\ncommittee = ["Ann", "Ben", "Cy"]\n'
    )
    data = ["--data", str(tmp_path / "desk")]

    def did(*words: str) -> str:
        done = run.invoke(command, [*words, *data])
        assert done.exit_code == 0, done.output
        return done.output

    did("new", str(charter), "--id", "cup", "--director", "dora")
    did("act", "cup", "grant", "arbiter", "dora")
    did("enter", "cup", "Dan", "dan", "1500")
    did("act", "cup", "announce", "Lunch", "--as", "d:dora")
    did("export", "cup", "-o", str(tmp_path / "cup.wlog"))
    asked = run.invoke(command, ["act", "cup", "end_grant", "arbiter", *data])
    assert "dora" in asked.output and "." not in asked.output.split(":")[-1].strip().rstrip(".")
    report = audit_tournament((tmp_path / "cup.wlog").read_bytes(), rulebook=installed())
    assert findings_of(report) == ()
    log = [
        records.read(payload, kinds=forms.KINDS)
        for payload in wlog.parse((tmp_path / "cup.wlog").read_bytes()).records
    ]
    committee = forms.Charter.from_record(log[0]).settings["appeals"]["committee"]
    events = [event for one in log[1:] for event in one.body[5]]
    ids = [*(id for id, _ in committee), *(event[2] for event in events if event[0] == "granted")]
    ids += [event[2] for event in events if event[0] == "entered"]
    assert all(map(tokens.is_person_id, ids)) and len(set(ids)) == 5
    assert [name for _, name in committee] == ["Ann", "Ben", "Cy"]
    assert log[-1].actor == f"d:{events[0][2]}"
