"""The page and the audit find the same in games that were changed at random, with the chain whole again and no signature made anew."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.audit import forged_orders as given
from tests.browser.test_judging import told
from tests.kernel.disputes import a_case, a_protest
from tests.kernel.test_clocks import whatever_happens
from tests.laws.titles import CASES
from warledger.clients.audit.examine import examine
from warledger.engine.kernel.change import replace
from warledger.engine.testing.randomgames import play
from warledger.protocol import canon
from warledger.protocol.log import records, wlog
from warledger.protocol.log.records import Record

Open = Callable[..., Any]
STRANGE = (
    *(None, True, -1, 0, 7, 2**53 - 1, "", "x", b"", b"\xff" * 32, canon.Seal(bytes(32)), ()),
    *({}, {"a": canon.Seal(bytes(32))}, (1, 2, 3), (("a",),), "a" * 5000, (0,) * 600),
)
"""What stands nowhere, or elsewhere."""


def file_of(log: list[bytes]) -> bytes:
    """A file of these records alone."""
    return wlog.encode([wlog.Frame(wlog.FRAME_RECORD, one) for one in log], sealed=True)


def agree(open_page: Open, logs: list[list[bytes]], *, sound: int) -> None:
    """Page and audit find the same in each log, and the same first: nothing in the first, which are
    sound, and something in most of the others."""
    files = [file_of(log) for log in logs]
    differing, faulty = [], 0
    for n, (file, verdict) in enumerate(zip(files, told(open_page("/help"), files), strict=True)):
        expected = [(item.seq, item.said.key) for item in examine(file).findings]
        got = [(seq, key) for seq, _, key in verdict["findings"]]
        faulty += bool(expected)
        if set(got) != set(expected) or got[:1] != expected[:1]:
            one, other = set(expected) - set(got), set(got) - set(expected)
            differing.append((n, expected[:1], got[:1], sorted(one)[:4], sorted(other)[:4]))
        assert n >= sound or not expected
    assert differing == []
    assert faulty > 6 * (len(logs) - sound) // 10


def signed_log(title: str, seed: int, **options: Any) -> list[bytes]:
    """The records of a random game with requests, the same every time."""
    (case,) = (case for case in CASES if case.name == title)
    played = play(case.rules, case.pack, seed, requests=0.2, options=options)
    return [record.data for record in played.records]


def test_the_page_finds_what_the_audit_finds(open_page: Open) -> None:
    """A whole signed game, and the same with one thing changed in one record."""
    log, rng = signed_log("war_at_sea", 3), random.Random(3)
    agree(open_page, [log, *(changed(log, rng) for _ in range(90))], sound=1)


def test_the_page_finds_what_the_audit_finds_about_dice(open_page: Open) -> None:
    """The same of games with takebacks over ends of turns, where receipts, links and nonces are
    changed: a die of an epoch that is over is compared with its seed as well."""
    rng = random.Random(6)
    drawn = [signed_log("counting", seed, turns=10) for seed in range(6)]
    made = [changed(rng.choice(drawn), rng, dice=True) for _ in range(240)]
    agree(open_page, [*drawn, *made], sound=len(drawn))


def test_the_page_finds_what_the_audit_finds_about_time(open_page: Open) -> None:
    """The same of a game with clocks in which flags fall, with moments changed as well."""
    rng = random.Random(4)
    timed = [[one.data for one in whatever_happens(seed).records] for seed in range(4)]
    made = [changed(rng.choice(timed), rng, moments=True) for _ in range(90)]
    agree(open_page, [*timed, *made], sound=len(timed))


def test_the_page_finds_what_the_audit_finds_about_rulings(open_page: Open) -> None:
    """The same of games in which arbiters ruled, with and without clocks, and of one whose end was
    held."""
    rng = random.Random(5)
    games = [a_case(clocks=True), a_case(clocks=False), a_protest()]
    ruled = [[one.data for one in game.records] for game in games]
    made = [changed(rng.choice(ruled), rng, moments=True) for _ in range(90)]
    agree(open_page, [*ruled, *made], sound=len(ruled))


def test_what_the_rules_alone_know_of_standing_answers_is_sound_here(open_page: Open) -> None:
    """The page does not know what was on offer."""
    files = [make() for make in given.FOUND_BY_RULES.values()]
    assert [one["findings"] for one in told(open_page("/help"), files)] == [[]] * len(files)


def changed(
    log: list[bytes], rng: random.Random, *, moments: bool = False, dice: bool = False
) -> list[bytes]:
    """The log with one record otherwise: a value changed, the record doubled or left out (or, with
    `moments`, in play alone, later than it was; with `dice`, a value alone, of a receipt or a record
    on which dice rest); the chain made whole again after it."""
    read = [records.read(data) for data in log]
    at = rng.randrange(6 if moments else 1, len(read))
    kind = rng.randrange(9 if moments else 6)
    if dice:
        rest = [one for one in read if rests_dice(one)]
        draws = [one for one in rest if one.kind == records.COMMAND]
        at, kind = rng.choice(rng.choice((rest, draws))).seq, 3
    bodies: list[tuple[Record, Any]] = [(record, record.body) for record in read]
    if kind == 0:
        del bodies[at]
    elif kind == 1 and at < len(read) - 1:
        bodies.insert(at, bodies[at])
    elif kind > 5:
        later = read[at].at_ms + rng.choice((1, 1_000, 60_000, 9_000_000))
        bodies[at] = (replace(read[at], at_ms=later), read[at].body)
    elif kind == 2:
        bodies[at] = (
            replace(read[at], actor=rng.choice(["server", "nobody", "allied", "axis"])),
            read[at].body,
        )
    else:
        bodies[at] = (read[at], other(read[at], rng, dice=dice))
    made: list[Record] = []
    for record, body in bodies:
        previous = made[-1].hash if made else records.NO_HASH
        made.append(
            records.make(
                len(made),
                max(record.at_ms, made[-1].at_ms if made else 0),
                record.actor,
                record.kind,
                body,
                previous,
            )
        )
    return [record.data for record in made]


def rests_dice(record: Record) -> bool:
    """Whether something in this record is about dice: receipts, links, nonces, and takebacks."""
    kinds = (records.OPEN, records.TAKEBACK, records.END)
    drawn = record.kind == records.COMMAND and bool(record.body[records.DRAWS])
    return drawn or record.kind in kinds or record.body[:1] == ("nonce",)


def other(record: Record, rng: random.Random, *, dice: bool) -> tuple[Any, ...]:
    """A record's body with one leaf of it changed, with `dice` of a command's receipts alone; never
    one of its events, which the title gives their meaning."""
    places = [
        place
        for place in leaves(record.body)
        if record.kind != records.COMMAND
        or (place[0] == records.DRAWS if dice else place[0] != records.EVENTS)
    ]
    if not places:
        return record.body
    body: tuple[Any, ...] = put(record.body, rng.choice(places), rng)
    return body


def leaves(value: Any, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """The paths of what is no array."""
    if type(value) is not tuple:
        return [path]
    return [found for index, item in enumerate(value) for found in leaves(item, (*path, index))]


def put(value: Any, path: tuple[int, ...], rng: random.Random) -> Any:
    """A value with another at a path."""
    if path:
        return (*value[: path[0]], put(value[path[0]], path[1:], rng), *value[path[0] + 1 :])
    if rng.randrange(4) == 0:
        return rng.choice(STRANGE)
    if type(value) is int:
        return max(0, value + rng.choice([-1, 1, 2]))
    if type(value) is bool:
        return not value
    if type(value) is str:
        return rng.choice(["allied", "axis", "x"])
    if type(value) is canon.Seal:
        return canon.Seal(bytes(32))
    if type(value) is bytes and value:
        at = rng.randrange(len(value))
        return value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :]
    return value
