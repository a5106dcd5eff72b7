"""A stranger audits a tournament's file: sound as the server wrote it, and each way to cheat names
the record and the field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve as replace
from click.testing import CliRunner

from tests.tournaments.desk import KEY, PUBLIC, Desk, charter_of, written
from tests.verdicts import findings_of, is_clean, reservations_of
from warledger.clients.audit.audit import installed
from warledger.clients.audit.commands import audit_command
from warledger.clients.audit.report import Report
from warledger.clients.audit.tournament import examine_tournament, is_tournament
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.audit.verdict import SEEN
from warledger.protocol import canon
from warledger.protocol import tournaments as forms
from warledger.protocol.lang import phrases
from warledger.protocol.log import records, wlog
from warledger.protocol.log.chain import sign_head
from warledger.protocol.log.records import Record


@cache
def played() -> Desk:
    """Four play all, by lots and bids, to the end; the second round is paired twice."""
    sides = {"by": "bid", "bid": {"price": "other", "step": 1, "most": 20, "minutes": 10}}
    stage = [{"system": "round_robin", "seeds": "lots", "tiebreaks": ["lots"]}]
    desk = Desk(charter_of(stage=stage, sides=sides))
    desk.enter(4)
    desk.check_in(range(1, 5))
    for round in (1, 2, 3):
        desk.do("d:dora", "pair")
        if round == 2:
            desk.do("d:dora", "unpair", "one more is coming")
            desk.do("d:dora", "pair")
        desk.do("d:dora", "publish")
        for number in range(1, 5):
            desk.do(f"e:{number}", "bid", "axis", 5 + number % 2)
        for board in (1, 2):
            desk.do("server", "sides", board)
        desk.open_games()
        desk.report_all()
        if round == 2:
            desk.do("e:1", "claim", "we played something else")
            desk.do("a:arno", "ruled", 1, "rejected", "the file says otherwise")
            desk.do("d:dora", "correct", 1, 1, "draw", "played", "the table was misread")
    desk.do("d:dora", "finish")
    return desk


def audited(data: bytes) -> Report:
    """The report at level 2."""
    return audit_tournament(data, key=PUBLIC, rulebook=installed())


def places(report: Report) -> list[tuple[int | None, str]]:
    """Record and field of each finding."""
    return [(finding.seq, finding.field) for finding in findings_of(report)]


def seq_of(verb: str, nth: int = 0) -> int:
    """The record of the nth act with this event."""
    return [
        record.seq
        for record in played().log
        if record.kind == forms.ACT and any(event[0] == verb for event in record.body[5])
    ][nth]


def test_what_the_server_wrote_is_sound() -> None:
    """At level 2, with the lots drawn again and every bid opened, and in words."""
    data = played().file()
    report = audited(data)
    assert report.code() == 3 and report.code(("ledger-only", "allow-by-hand")) == 0
    assert (
        findings_of(report) == ()
        and report.verdict.word == "reserved"
        and report.verdict.level == 2
    )
    assert report.draws > 0 and report.waiting == 0 and report.sealed == 0
    assert report.openings == 12 and is_tournament(data)
    assert any("Sound" in line for line in report.lines(phrases("en")))


def test_a_tournament_in_progress_is_reserved_until_its_end() -> None:
    """Whatever record a file ends with, nothing is wrong with it; after a pairing its lots wait for
    their link. Cut before a link or an end that must follow at once, it says so, whatever is
    allowed."""
    desk = played()
    cut = [at for at, record in enumerate(desk.log) if record.kind in (forms.OPEN, forms.END)]
    for count in (*range(3, len(desk.log), 5), *cut):
        report = audited(desk.file(records=count))
        assert findings_of(report) == (), (count, findings_of(report))
        assert report.verdict.word == "reserved"
        owed = [one for one in reservations_of(report) if one.name == "half_done"]
        assert [one.flag for one in owed] == ([""] if count in cut else []), count


def _undetected(data: bytes, *, every: int) -> list[str]:
    """What may be changed at each byte, or at every so manieth, without a finding: any one of its
    bits, a byte less, one byte more (its own again, or another)."""
    passed = []
    for at in range(0, len(data), every):
        before, byte, after = data[:at], data[at], data[at + 1 :]
        changed = {
            f"bit {at // every % 8} flipped": bytes([byte ^ 1 << at // every % 8]),
            "turned round": bytes([byte ^ 0xFF]),
            "missing": b"",
            "twice": bytes([byte, byte]),
            "another before it": bytes([byte ^ 1, byte]),
        }
        for what, put in changed.items():
            if not examine_tournament(before + put + after, key=PUBLIC).findings:
                passed.append(f"byte {at}: {what}")
    if not examine_tournament(data + b"\0", key=PUBLIC).findings:
        passed.append("one more at the end")
    return passed


@pytest.mark.parametrize("arbiter", [False, True])
def test_a_changed_byte_is_found(arbiter: bool) -> None:
    """A bit flipped, a byte turned round, missing or inserted, at bytes all over the file."""
    data = played().file(arbiter=arbiter)
    assert not examine_tournament(data, key=PUBLIC).findings
    assert not _undetected(data, every=211)


@pytest.mark.long
@pytest.mark.parametrize("arbiter", [False, True])
def test_every_changed_byte_is_found(arbiter: bool) -> None:
    """The same at each byte of the file."""
    assert not _undetected(played().file(arbiter=arbiter), every=1)


def _put(body: tuple[Any, ...], *path: int, value: Any) -> tuple[Any, ...]:
    index, *rest = path
    inner = _put(body[index], *rest, value=value) if rest else value
    return (*body[:index], inner, *body[index + 1 :])


EVENT = 5
CHEATS: dict[str, tuple[str, int, Callable[[tuple[Any, ...]], tuple[Any, ...]], str]] = {
    "pairs as they like": (
        "paired",
        0,
        lambda body: _put(body, EVENT, -1, 5, value=body[EVENT][-1][5][::-1]),
        "events",
    ),
    "pairs by other lots": (
        "ordered",
        0,
        lambda body: _put(body, EVENT, 0, 3, value=body[EVENT][0][3][::-1]),
        "events",
    ),
    "shows another lot": ("ordered", 0, lambda body: _put(body, 4, 0, 3, value=7), "draws[0]"),
    "gives the sides to the other": (
        "sides",
        0,
        lambda body: _put(body, EVENT, 0, 3, value=body[EVENT][0][3][::-1]),
        "events[0]",
    ),
    "takes less for a side": (
        "sides",
        1,
        lambda body: _put(body, EVENT, 0, 5, value=0),
        "events[0]",
    ),
    "opens another bid than was made": (
        "sides",
        0,
        lambda body: _put(body, 7, 0, 3, 2, value=20),
        "opened[0]",
    ),
    "reports a game as lost that was won": (
        "reported",
        0,
        lambda body: _put(body, EVENT, 1, 4, value=body[EVENT][1][4][::-1]),
        "events[1]",
    ),
    "reports another game": (
        "reported",
        1,
        lambda body: _put(body, EVENT, 0, 4, value=bytes(32)),
        "events[0].signature",
    ),
    "changes a result without a correction": (
        "claimed",
        0,
        lambda body: _put(
            body,
            EVENT,
            value=(*body[EVENT], ("result", 2, 1, "played", ("loss", "win"), (-2, 2), "")),
        ),
        "events",
    ),
    "says that somebody had entered": (
        "entered",
        0,
        lambda body: _put(body, EVENT, 0, 2, value="Somebody"),
        "events[0]",
    ),
    "shows a nonce that was not committed to": (
        "nonce",
        0,
        lambda body: _put(body, EVENT, 0, 2, value=bytes(32)),
        "events[0]",
    ),
    "rules in another's name": (
        "ruled",
        0,
        lambda body: _put(body, 0, value="a:mallory"),
        "picks",
    ),
    "tells another story": (
        "finished",
        0,
        lambda body: _put(body, 6, value=canon.pack(())),
        "effects",
    ),
    "tells a story that cannot be read": (
        "entered",
        0,
        lambda body: _put(body, 6, value=body[6][:-1] + b"\xff"),
        "effects",
    ),
    "writes a bid down for another round": (
        "bid",
        0,
        lambda body: _put(body, EVENT, 0, 1, value=2),
        "events[0]",
    ),
    "writes a result down for another round": (
        "reported",
        0,
        lambda body: _put(body, EVENT, 1, 1, value=2),
        "events[1]",
    ),
    "lets somebody else win": (
        "finished",
        0,
        lambda body: _put(body, EVENT, 0, 1, value=body[EVENT][0][1][::-1]),
        "events[0]",
    ),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_host_who_cheats_is_named(cheat: str) -> None:
    """A host has the key and chains and signs the file anew; the audit names the record."""
    event, nth, change, field = CHEATS[cheat]
    seq = seq_of(event, nth)
    report = audited(played().forged(seq, change))
    assert not is_clean(report)
    first = findings_of(report)[0]
    assert first.seq == seq and first.field.startswith(field), places(report)


def _forgeries(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Each place in a body, and what a host might write there instead."""
    if type(value) is tuple:
        for index, one in enumerate(value):
            yield from _forgeries(one, (*path, index))
        others: list[Any] = [value[:-1], value[::-1], (*value, *value[-1:])]
    elif type(value) is bool:
        others = [not value]
    elif type(value) is int:
        others = [value + 1, value - 1]
    elif type(value) is str:
        others = ["", value + "x"]
    else:
        others = [value[:-1] + bytes([value[-1] ^ 1])] if type(value) is bytes and value else []
    yield from ((path, one) for one in others if path and one != value)


@pytest.mark.long
def test_whatever_a_host_writes_otherwise_is_named_where_it_stands() -> None:
    """Each value of each record changed, longer, shorter or turned round, with everything chained
    and signed anew. The ids of acts are their senders' own: a changed one shows in what others saw.
    A link that does not open is told with the lots drawn from it."""
    desk, passed = played(), []
    for record in desk.log[1:]:
        for path, other in _forgeries(record.body):

            def change(body: tuple[Any, ...], at: Any = path, to: Any = other) -> tuple[Any, ...]:
                return _put(body, *at, value=to)

            if record.kind == forms.ACT and path == (2,):
                continue
            found = places(audited(desk.forged(record.seq, change)))
            if not found or (found[0][0] != record.seq and (record.seq, "link") not in found):
                passed.append((record.seq, path, other, found[:1]))
    assert not passed


def test_an_act_that_saw_a_record_which_is_not_there_is_found_without_the_rules() -> None:
    """A host changes a name and chains and signs anew: who acted later had seen what was there
    before. A hash that was never of this tournament is not written down as seen."""
    desk = played()
    at = seq_of("entered")
    saw = next(seq for seq, act in acts_of(desk) if act.seen and seq_by(desk, act.seen) >= at)
    forged = desk.forged(at, lambda body: _put(body, 2, value=b"another id"))
    report = audit_tournament(forged, key=PUBLIC)
    assert (saw, "seen") in places(report)
    assert ("seen", 1) not in [(place, seq) for seq, place in places(report)]


def acts_of(desk: Desk) -> list[tuple[int, forms.Act]]:
    """Its acts, with their records' numbers."""
    kinds = [record for record in desk.log if record.kind == forms.ACT]
    return [(record.seq, forms.Act.from_record(record)) for record in kinds]


def seq_by(desk: Desk, hash: bytes) -> int:
    """The number of the record with this hash; -1 for none."""
    return next((record.seq for record in desk.log if record.hash == hash), -1)


def test_a_report_given_twice_is_named() -> None:
    """The same game for a second board, or the same board again."""
    desk = played()
    seq = seq_of("reported")
    twice = [*desk.log[: seq + 1], *desk.log[seq:]]
    assert not is_clean(audited(written(twice, {})))  # not even a chain
    opened = seq_of("opened", 1)
    game = desk.log[seq_of("opened")].body[EVENT][0][3]
    report = audited(desk.forged(opened, lambda body: _put(body, EVENT, 0, 3, value=game)))
    assert (opened, "events[0]") in places(report)


def test_a_bid_opened_early_is_named() -> None:
    """An opening in a record that settles nothing."""
    desk = played()
    sides = desk.log[seq_of("sides")].body
    early = seq_of("bid", 3)
    report = audited(desk.forged(early, lambda body: _put(body, 7, value=sides[7])))
    assert places(report)[0] == (early, "opened[0]")


def _game(desk: Desk, nth: int) -> str:
    game = desk.log[seq_of("opened", nth)].body[EVENT][0][3]
    assert isinstance(game, str)
    return game


def _head_of(game: str) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """A report with the signed head of another game."""
    head = sign_head(KEY, game, 90, bytes(32))
    return lambda body: _put(
        body, EVENT, 0, value=(*body[EVENT][0][:4], head.hash, head.signature, "rules")
    )


def _paired_otherwise(body: tuple[Any, ...]) -> tuple[Any, ...]:
    return _put(body, EVENT, -1, 5, value=body[EVENT][-1][5][::-1])


@pytest.mark.parametrize("rulebook", [None, installed()], ids=["level 1", "level 2"])
@pytest.mark.parametrize(
    "cheat", ["pairs again", "swaps games", "reports twice", "of another", "opens early", "changes"]
)
def test_both_levels_name_the_record_of_a_cheat(cheat: str, rulebook: Any) -> None:
    """What a host may be tempted to: each is named with its record from the file alone, and when
    every act is decided again."""
    desk = played()
    changes: dict[str, tuple[str, int, Callable[[tuple[Any, ...]], tuple[Any, ...]]]] = {
        "pairs again": ("paired", 2, _paired_otherwise),
        "swaps games": ("opened", 0, lambda b: _put(b, EVENT, 0, 3, value=_game(desk, 1))),
        "reports twice": ("reported", 1, _head_of(_game(desk, 0))),
        "of another": ("reported", 1, _head_of("other-r1-b2")),
        "opens early": (
            "bid",
            3,
            lambda b: _put(b, 7, value=desk.log[seq_of("sides")].body[7]),
        ),
        "changes": CHEATS["changes a result without a correction"][:3],
    }
    event, nth, change = changes[cheat]
    seq = seq_of(event, nth)
    report = audit_tournament(desk.forged(seq, change), key=PUBLIC, rulebook=rulebook)
    assert places(report) and places(report)[0][0] == seq, places(report)


def test_games_swapped_in_both_their_records_are_named() -> None:
    """Two boards exchange their games, and their reports with them: the ids tell."""
    desk = played()
    opened = [seq_of("opened", n) for n in (0, 1)]
    log = list(desk.log)
    games = [_game(desk, 0), _game(desk, 1)]
    for seq, game in zip(opened, reversed(games), strict=True):
        log[seq] = replace(log[seq], body=_put(log[seq].body, EVENT, 0, 3, value=game))
    report = audited(written(_chained(log), {}))
    assert [place for place in places(report) if place[0] in opened][:2] == [
        (opened[0], "events[0]"),
        (opened[1], "events[0]"),
    ]


def _chained(log: list[Record]) -> list[Record]:
    """The records with their bodies, chained anew."""
    made: list[Record] = []
    for one in log:
        last = made[-1].hash if made else records.NO_HASH
        made.append(records.make(one.seq, one.at_ms, one.actor, one.kind, one.body, last))
    return made


def test_a_link_that_is_not_of_the_chain_is_named() -> None:
    """Lots drawn from a link of the host's choosing."""
    desk = played()
    seq = next(record.seq for record in desk.log if record.kind == forms.OPEN)
    report = audited(desk.forged(seq, lambda body: (body[0], bytes(32))))
    assert (seq, "link") in places(report)


def test_two_histories_of_one_server_are_named() -> None:
    """A receipt that an entrant kept contradicts the file."""
    desk = played()
    seq = seq_of("result")
    mine = sign_head(KEY, "cup", seq, bytes(32))
    report = audit_tournament(desk.file(), key=PUBLIC, receipts=[mine], rulebook=installed())
    assert (seq, "receipt") in places(report)


def test_nothing_of_a_bid_shows_before_it_is_opened() -> None:
    """A side and an amount that occur nowhere else are in nobody's bytes until both have bid."""
    sides = {"by": "bid", "bid": {"step": 1, "most": 4000, "minutes": 10}}
    desk = Desk(charter_of(sides=sides))
    desk.enter(2)
    desk.start_round()
    planted = canon.pack(3777)
    desk.do("e:1", "bid", "axis", 3777)
    assert planted not in desk.file() and planted in desk.file(arbiter=True)
    desk.do("e:2", "bid", "axis", 12)
    desk.do("server", "sides", 1)
    assert planted in desk.file()


def test_what_is_wrong_first_stands_apart_with_both_values() -> None:
    """A host changes a name, and chains and signs anew: the name as written and as it follows
    stand first, and that the key was there; that others had seen the records before it was changed
    stands behind."""
    report = audited(played().forged(*_somebody()))
    (cause,) = [one for one in report.as_data(phrases("en"))["findings"] if one["first"]]
    assert cause["record"] == seq_of("entered")
    lines = list(report.lines(phrases("en")))
    at = next(i for i, line in enumerate(lines) if "Somebody" in line)
    assert lines[at].startswith("Wrong first") and "Record" in lines[at + 1]
    assert sum("by whoever holds the key" in line for line in lines) == 1
    shown = [line for line in lines if line.startswith(("Wrong first", "Record"))]
    seen = [n for n, line in enumerate(shown) if "one that is not in this file" in line]
    assert SEEN in [one.said.key for one in findings_of(report)] and min(seen) > 0
    assert seen == list(range(min(seen), len(shown)))


def _somebody() -> tuple[int, Callable[[tuple[Any, ...]], tuple[Any, ...]]]:
    return seq_of("entered"), CHEATS["says that somebody had entered"][2]


def test_whoever_changes_a_file_without_the_key_is_told_from_a_host() -> None:
    """The chain is made anew and the server's heads are left out: nothing of the server covers what
    was changed. A head that is left in says that its record was changed afterwards."""
    desk = played()
    seq, change = _somebody()
    log = list(desk.log)
    log[seq] = replace(log[seq], body=change(log[seq].body))
    bare = [wlog.Frame(wlog.FRAME_RECORD, record.data) for record in _chained(log)]
    report = audited(wlog.encode(bare, sealed=True))
    assert any("somebody without the key" in line for line in report.lines(phrases("en")))
    last = desk.log[-1]
    head = sign_head(KEY, desk.log[0].body[1], last.seq, last.hash)
    report = audit_tournament(written(_chained(log), {}), key=PUBLIC, receipts=[head])
    assert (last.seq, "receipt") in places(report)


def test_two_files_of_a_tournament_are_compared(tmp_path: Path) -> None:
    """The first record and field at which they part, with both values; one that is the beginning of
    the other agrees with it; a file that is no tournament's is refused."""
    desk = played()
    seq, change = _somebody()
    files = {"a": desk.file(), "b": desk.forged(seq, change), "c": desk.file(records=seq)}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "none").write_bytes(b"none")

    def run(*names: str) -> Any:
        options = ["--chain-only", "--json", "--key", PUBLIC.hex()]
        return CliRunner().invoke(audit_command, [*(str(tmp_path / n) for n in names), *options])

    parted = json.loads(run("a", "b").output)["comparison"]
    assert (parted["agree"], parted["record"], parted["field"]) == (False, seq, "events[0][2]")
    assert "Somebody" in parted["text"]
    assert json.loads(run("a", "c").output)["comparison"]["agree"]
    assert run("a", "none").exit_code == 2


def test_without_the_rules_the_games_are_looked_at_too(tmp_path: Path) -> None:
    """`--chain-only --games DIR`: a game that is not there is named at level 1 as at level 2; where
    the tournament's file is not sound, it is said that the games were not looked at."""
    desk = played()
    for rulebook in (None, installed()):
        report = audit_tournament(desk.file(), key=PUBLIC, rulebook=rulebook, games=tmp_path)
        assert report.verdict.games == 0 and (seq_of("opened"), "game") in places(report)
        # Nobody is suspected because a file was left out.
        assert not any("holds the key" in line for line in report.lines(phrases("en")))
    seq, change = CHEATS["shows another lot"][0], CHEATS["shows another lot"][2]
    report = audit_tournament(desk.forged(seq_of(seq), change), key=PUBLIC, games=tmp_path)
    lines = report.lines(phrases("en"))
    assert report.verdict.games == 0 and any("the games," in one for one in lines)


@pytest.mark.parametrize(
    "head", [("t", 1, "text", b""), ("t", True, b"", b""), ("t", -1, b"", b"")]
)
def test_a_head_of_another_form_is_a_finding(head: tuple[Any, ...]) -> None:
    """And nothing that an audit breaks down over."""
    frames = [*wlog.parse(played().file()).frames, wlog.Frame(wlog.FRAME_HEAD, canon.pack(head))]
    report = audited(wlog.encode(frames, sealed=False))
    assert places(report) == [(played().log[-1].seq, "head")]
