"""What a fleet believes of its engine, against the real one: a test for each statement, so that a
server that behaves otherwise is found here and not by a tournament."""

from __future__ import annotations

import itertools
import json
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import pytest
import trio
import trio.testing

from tests.nats.rig import Nats, client, cluster, made, nats, ready, settings_of
from warledger.engine.nats.jetstreamapi import (
    FULL,
    IN_PROCESS,
    NO_LEADER,
    PIECES_MAX,
    WRONG_LAST_SEQUENCE,
    JetStream,
    Kept,
    Rejected,
    Stored,
)
from warledger.engine.nats.natsclient import Client
from warledger.engine.nats.natsport import NoResponders, Unknown

ONE: Final[dict[str, Any]] = {
    "storage": "file",
    "num_replicas": 1,
    "retention": "limits",
    "discard": "new",
    "allow_direct": True,
    "allow_atomic": True,
    "deny_delete": True,
    "duplicate_window": 120_000_000_000,
}
"""A private stream as a fleet makes it, but on one server."""

_names = itertools.count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nats]:
    """One server that the tests of this file share."""
    with nats(tmp_path_factory.mktemp("nats")) as running:
        yield running


@asynccontextmanager
async def stream(server: Nats, **other: Any) -> AsyncIterator[tuple[JetStream, str, Client]]:
    """A stream of its own, whose subjects begin with its name."""
    name = f"S{next(_names)}"
    async with client(server.settings()) as one:
        js = JetStream(await ready(one))
        await js.make(name, [f"{name}.>"], **ONE | other)
        yield js, name, one


async def refused(js: JetStream, subject: str, identity: str, expected: int | None) -> Rejected:
    with pytest.raises(Rejected) as caught:
        await js.append(subject, b"x", identity=identity, expected=expected, seconds=10)
    return caught.value


async def stored(js: JetStream, subject: str, identity: str, expected: int | None) -> Stored:
    return await js.append(subject, b"x", identity=identity, expected=expected, seconds=10)


async def test_an_append_is_fenced_by_its_own_subjects_newest(server: Nats) -> None:
    """Other subjects of the stream do not count, and the answer names the newest."""
    async with stream(server) as (js, s, _):
        assert await stored(js, f"{s}.a", "a.1", 0) == Stored(s, 1)
        assert await stored(js, f"{s}.b", "b.1", 0) == Stored(s, 2)
        assert await stored(js, f"{s}.a", "a.2", 1) == Stored(s, 3)
        for expected in (0, 1, 2, 4):
            error = await refused(js, f"{s}.a", f"a.{expected}x", expected)
            assert (error.number, error.last) == (WRONG_LAST_SEQUENCE, 3)


async def test_an_id_is_the_streams(server: Nats) -> None:
    """The same id on another subject answers with the other's sequence: ids name their game."""
    async with stream(server) as (js, s, _):
        await stored(js, f"{s}.a", "same", 0)
        assert await stored(js, f"{s}.b", "same", 0) == Stored(s, 1, is_old=True)
        assert await js.last(s, f"{s}.b", from_leader=True) is None


@pytest.mark.parametrize("window", [120_000_000_000, 100_000_000])
async def test_the_same_again_is_refused_by_the_fence_and_found_by_its_id(
    server: Nats, window: int
) -> None:
    """So it is safe to send it again whenever, with the window for duplicates and without: only an
    expectation that holds again would get the answer of the first try."""
    async with stream(server, duplicate_window=window) as (js, s, _):
        for number in (1, 2):
            first = await stored(js, f"{s}.a", f"a.{number}", number - 1)
            error = await refused(js, f"{s}.a", f"a.{number}", number - 1)
            assert (error.number, error.last) == (WRONG_LAST_SEQUENCE, first.sequence)
            kept = await js.after(s, f"{s}.a", number - 1, from_leader=True)
            assert kept is not None
            assert (kept.sequence, kept.headers["Nats-Msg-Id"]) == (number, f"a.{number}")
        if window > 10**9:
            assert await stored(js, f"{s}.a", "a.1", 2) == Stored(s, 1, is_old=True)


async def test_a_refused_try_does_not_use_up_its_id(server: Nats) -> None:
    """It may be sent again with another expectation."""
    async with stream(server) as (js, s, _):
        await refused(js, f"{s}.a", "a.1", 7)
        assert await stored(js, f"{s}.a", "a.1", 0) == Stored(s, 1)


async def test_an_eager_writer_is_asked_to_wait_and_nothing_is_stored_twice(server: Nats) -> None:
    """It sends without waiting: what is stored is one chain, and what is not says why."""
    async with stream(server) as (js, s, _):
        answers: list[Stored | int] = []

        async def send(n: int) -> None:
            try:
                answers.append(await stored(js, f"{s}.a", f"a.{n}", n))
            except Rejected as error:
                answers.append(error.number)

        async with trio.open_nursery() as nursery:
            for n in range(20):
                nursery.start_soon(send, n)
        taken = [one.sequence for one in answers if isinstance(one, Stored)]
        kept, more = await js.read(s, f"{s}.a", 0, most=100, most_bytes=10**6)
        assert [one.sequence for one in kept] == sorted(taken) == list(range(1, len(taken) + 1))
        assert more == 0
        assert {one for one in answers if isinstance(one, int)} <= {
            *IN_PROCESS,
            WRONG_LAST_SEQUENCE,
        }


async def test_a_batch_is_stored_whole_behind_what_is_expected(server: Nats) -> None:
    """Its messages follow each other, and the answer is the last one's."""
    async with stream(server) as (js, s, _):
        await stored(js, f"{s}.a", "a.1", 0)
        pieces = [b"%d" % n for n in range(5)]
        done = await js.append_all(f"{s}.a", pieces, identity="a.2", expected=1, seconds=10)
        assert done.sequence == 6
        kept, _ = await js.read(s, f"{s}.a", 1, most=100, most_bytes=10**6)
        assert [one.payload for one in kept] == pieces


async def test_a_batch_behind_something_else_is_refused_whole(server: Nats) -> None:
    """The fence stands on its first message and holds for all."""
    async with stream(server) as (js, s, _):
        await stored(js, f"{s}.a", "a.1", 0)
        with pytest.raises(Rejected) as caught:
            await js.append_all(f"{s}.a", [b"1", b"2"], identity="b", expected=0, seconds=10)
        assert caught.value.number == WRONG_LAST_SEQUENCE
        last = await js.last(s, f"{s}.a", from_leader=True)
        assert last is not None and last.sequence == 1


async def test_a_batch_takes_a_thousand_messages(server: Nats) -> None:
    """The thousand and first is refused, and nothing of it is stored."""
    async with stream(server) as (js, s, one):
        many = [b"x"] * PIECES_MAX
        done = await js.append_all(f"{s}.a", many, identity="a", expected=0, seconds=30)
        assert done.sequence == PIECES_MAX
        with pytest.raises(ValueError, match="1001 messages"):
            await js.append_all(f"{s}.a", [*many, b"x"], identity="b", expected=1000)
        batch = {"Nats-Batch-Id": "c"}
        await one.request(f"{s}.b", b"x", headers=batch | {"Nats-Batch-Sequence": "1"}, seconds=9)
        for n in range(2, PIECES_MAX + 1):
            one.publish(f"{s}.b", b"x", headers=batch | {"Nats-Batch-Sequence": str(n)})
        last = {"Nats-Batch-Sequence": str(PIECES_MAX + 1), "Nats-Batch-Commit": "1"}
        answer = await one.request(f"{s}.b", b"x", headers=batch | last, seconds=9)
        assert json.loads(answer.payload)["error"]
        assert await js.last(s, f"{s}.b", from_leader=True) is None


async def test_a_batch_that_is_not_finished_leaves_nothing(server: Nats) -> None:
    """Nor one in which a piece is missing."""
    async with stream(server) as (js, s, one):
        batch = {"Nats-Batch-Id": "c"}
        await one.request(f"{s}.a", b"1", headers=batch | {"Nats-Batch-Sequence": "1"}, seconds=9)
        assert await js.last(s, f"{s}.a", from_leader=True) is None
        gap = batch | {"Nats-Batch-Sequence": "3", "Nats-Batch-Commit": "1"}
        answer = await one.request(f"{s}.a", b"3", headers=gap, seconds=9)
        assert json.loads(answer.payload)["error"]
        assert await js.last(s, f"{s}.a", from_leader=True) is None


async def test_what_is_republished_names_its_predecessor(server: Nats) -> None:
    """So whoever listens sees by itself that something is missing."""
    name = f"S{next(_names)}"
    async with client(server.settings()) as one:
        js = JetStream(await ready(one))
        again = {"src": f"{name}.>", "dest": f"live.{name}.>"}
        await js.make(name, [f"{name}.>"], **ONE, republish=again)
        heard = one.subscribe(f"live.{name}.a")
        for subject, identity, expected in (("a", "1", 0), ("b", "2", 0), ("a", "3", 1)):
            await stored(js, f"{name}.{subject}", identity, expected)
        said = [(await heard.receive()).headers for _ in range(2)]
        assert [(one["Nats-Sequence"], one["Nats-Last-Sequence"]) for one in said] == [
            ("1", "0"),
            ("3", "1"),
        ]


async def test_a_full_stream_says_so_and_goes_on_when_there_is_room(server: Nats) -> None:
    """What was refused is not stored, and other subjects are refused likewise."""
    async with stream(server, max_msgs=2) as (js, s, _):
        await stored(js, f"{s}.a", "a.1", 0)
        await stored(js, f"{s}.a", "a.2", 1)
        assert (await refused(js, f"{s}.a", "a.3", 2)).number in FULL
        config = (await js.describe(s))["config"]
        await js.api(f"STREAM.UPDATE.{s}", config | {"max_msgs": 3})
        assert await stored(js, f"{s}.a", "a.3", 2) == Stored(s, 3)


async def test_a_message_that_vanished_shows_in_the_next_append(server: Nats) -> None:
    """A fleet's streams let nothing be deleted; where it happens all the same, the answer names a
    sequence below the one that was acknowledged."""
    async with stream(server, deny_delete=False) as (js, s, _):
        for n in range(3):
            await stored(js, f"{s}.a", f"a.{n}", n)
        await js.api(f"STREAM.MSG.DELETE.{s}", {"seq": 3, "no_erase": True})
        assert (await refused(js, f"{s}.a", "a.4", 3)).last == 2
        await js.api(f"STREAM.MSG.DELETE.{s}", {"seq": 1, "no_erase": True})
        kept = await js.after(s, f"{s}.a", 0, from_leader=True)
        assert kept is not None and kept.sequence == 2
    async with stream(server) as (js, s, _):
        await stored(js, f"{s}.a", "a", 0)
        with pytest.raises(Rejected):
            await js.api(f"STREAM.MSG.DELETE.{s}", {"seq": 1})


async def test_a_stream_that_exists_otherwise_is_not_remade(server: Nats) -> None:
    """One that exists just so is."""
    async with stream(server) as (js, s, _):
        await js.make(s, [f"{s}.>"], **ONE)
        with pytest.raises(Rejected, match="already in use"):
            await js.make(s, [f"{s}.>"], **ONE | {"max_msgs": 5})


async def test_reads_in_pieces_say_how_much_is_left(server: Nats) -> None:
    """Of one subject among others, and of none."""
    async with stream(server) as (js, s, _):
        for n in range(7):
            await stored(js, f"{s}.{'ab'[n % 2]}", f"{n}", None)
        kept, more = await js.read(s, f"{s}.a", 0, most=3, most_bytes=10**6)
        assert ([one.sequence for one in kept], more) == ([1, 3, 5], 1)
        kept, more = await js.read(s, f"{s}.a", 5, most=3, most_bytes=10**6)
        assert ([one.sequence for one in kept], more) == ([7], 0)
        assert await js.read(s, f"{s}.a", 7, most=3, most_bytes=10**6) == ([], 0)
        assert await js.last(s, f"{s}.none", from_leader=False) is None
        newest = await js.last(s, f"{s}.a", from_leader=False)
        assert newest is not None and newest.sequence == 7
        assert [
            (await js.after(s, f"{s}.a", 3, from_leader=leader)) for leader in (True, False)
        ] == [kept_at(5, f"{s}.a"), kept_at(5, f"{s}.a")]


def kept_at(sequence: int, subject: str) -> Kept:
    return Kept(subject, sequence, {"Nats-Msg-Id": str(sequence - 1)}, b"x")


# --- three servers --------------------------------------------------------------------------------

THREE: Final = ONE | {"num_replicas": 3}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Nats]]:
    """Three servers that the tests of this file share."""
    with cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


async def surely(
    js: JetStream, subject: str, identity: str, expected: int, payload: bytes = b"x"
) -> Stored:
    """Sent again until the outcome is known, as a store does it."""
    while True:
        try:
            return await js.append(
                subject, payload, identity=identity, expected=expected, seconds=10
            )
        except (Unknown, NoResponders):
            continue
        except Rejected as error:
            if error.number not in (*IN_PROCESS, *NO_LEADER):
                raise


async def led(js: JetStream, stream: str, subject: str) -> Kept | None:
    """The subject's newest message as the leader has it, once there is one."""
    while True:
        try:
            return await js.last(stream, subject, from_leader=True, seconds=10)
        except (Unknown, NoResponders):
            continue
        except Rejected as error:
            if error.number not in NO_LEADER:
                raise


async def leader_of(js: JetStream, stream: str) -> str:
    """The name of the server that leads a stream, once one does."""
    while True:
        try:
            found = (await js.describe(stream))["cluster"].get("leader")
        except (Unknown, NoResponders):
            continue
        if found:
            return str(found)


@pytest.mark.long
async def test_three_servers_keep_one_chain_over_changes_of_leader(servers: list[Nats]) -> None:
    """Each acknowledged append is read back from the leader at its place, and a batch that a change
    of leader interrupts is there whole or not at all."""
    async with client(settings_of(servers)) as one:
        js = JetStream(await ready(one))
        await made(js, "C", ["C.>"], **THREE)
        last = 0
        for n in range(30):
            if n in (10, 20):
                await js.api("STREAM.LEADER.STEPDOWN.C", seconds=10)
            last = (await surely(js, "C.a", f"a.{n}", last)).sequence

        batch = {"Nats-Batch-Id": "b"}
        first = batch | {
            "Nats-Batch-Sequence": "1",
            "Nats-Expected-Last-Subject-Sequence": str(last),
        }
        await one.request("C.a", b"1", headers=first, seconds=10)
        await js.api("STREAM.LEADER.STEPDOWN.C", seconds=10)
        end = batch | {"Nats-Batch-Sequence": "2", "Nats-Batch-Commit": "1"}
        while True:
            try:
                answer = await one.request("C.a", b"2", headers=end, seconds=10)
                break
            except NoResponders:
                continue
        assert json.loads(answer.payload)["error"], "the new leader knows nothing of the batch"
        assert (await surely(js, "C.a", "a.30", last)).sequence == last + 1
        kept, more = await js.read("C", "C.a", 0, most=100, most_bytes=10**6)
        while len(kept) < 31:
            kept, more = await js.read("C", "C.a", 0, most=100, most_bytes=10**6)
        assert [each.headers["Nats-Msg-Id"] for each in kept] == [f"a.{n}" for n in range(31)]
        assert more == 0


async def test_a_direct_read_may_be_stale_and_is_never_wrong(servers: list[Nats]) -> None:
    """Asked after each append at each server, also at one that was just held up and over a change
    of leader, a replica shows messages of the subject that were acknowledged, from the first on
    without a gap, and none beyond the last; what the leader shows is the last."""
    told: dict[int, tuple[str, bytes]] = {}
    stale = 0

    def judged(found: list[Kept]) -> None:
        nonlocal stale
        shown = {one.sequence: (one.headers["Nats-Msg-Id"], one.payload) for one in found}
        assert shown.items() <= told.items()
        assert all(one.subject == "D.a" for one in found)
        stale += max(told) not in shown

    async def asked(js: JetStream) -> None:
        while True:
            try:
                newest = await js.last("D", "D.a", from_leader=False)
                latest = await js.newest("D", ["D.a", "D.none"])
                several, _ = await js.read("D", "D.a", 0, most=100, most_bytes=10**6)
                first = await js.after("D", "D.a", 0, from_leader=False)
                break
            except (Unknown, NoResponders):
                continue  # whichever replica it is may be held up
        judged([newest] if newest is not None else [])
        judged(latest)
        judged(several)
        assert [each.sequence for each in several] == sorted(told)[: len(several)]
        assert first is None or first.sequence == min(told)

    async with AsyncExitStack() as stack:
        at = []
        for server in servers:
            one = await stack.enter_async_context(client(server.settings()))
            at.append(JetStream(await ready(one)))
        js = at[0]
        await made(js, "D", ["D.>"], **THREE)
        last = between = 0
        for n in range(24):
            if n == 12:
                await js.api("STREAM.LEADER.STEPDOWN.D", seconds=10)
            async with trio.open_nursery() as nursery:
                # A leader that is held up would cost an election of seconds.
                leads = await leader_of(js, "D")
                held = next(servers[n] for n in (1, 2) if f"n{n}" != leads)
                if n % 3 == 2:
                    held.tell(signal.SIGSTOP)
                try:
                    between = (await surely(js, "D.b", f"b.{n}", between, b"another's")).sequence
                    said = b"%d" % n
                    last = (await surely(js, "D.a", f"a.{n}", last, said)).sequence
                    told[last] = (f"a.{n}", said)
                    for each in at:
                        nursery.start_soon(asked, each)
                    await trio.testing.wait_all_tasks_blocked()
                finally:
                    held.tell(signal.SIGCONT)
            from_leader = await led(js, "D", "D.a")
            assert from_leader is not None and from_leader.sequence == last
            assert from_leader.payload == said
        assert len(told) == 24
    print(f"{stale} of {24 * 9} direct reads were stale")


async def test_a_server_that_is_killed_takes_nothing_with_it(servers: list[Nats]) -> None:
    """Whoever was connected to it goes on at another, with what was acknowledged."""
    async with client(settings_of(servers)) as one:
        js = JetStream(await ready(one))
        await made(js, "K", ["K.>"], **THREE)
        last = (await surely(js, "K.a", "a.1", 0)).sequence
        servers[0].process.kill()
        with trio.fail_after(60):
            await one.connected()
            while one.server in ("", servers[0].address):
                await trio.lowlevel.checkpoint()
            assert (await surely(js, "K.a", "a.2", last)).sequence == last + 1
