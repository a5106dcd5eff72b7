"""Signatures of commands that are checked beside the rules, by another process."""

from __future__ import annotations

import os
import signal
import socket
import struct
from typing import Any

import pytest
import trio
import trio.testing

from tests.serve.rig import Client, server, started
from tests.serve.signed import a_key, malformed, signed_command, stands
from tests.serve.test_hostile_client import a_check
from warledger.engine.kernel.ledger import Ledger
from warledger.engine.serve import acting, ahead, checker, line
from warledger.engine.serve.ahead import Ahead, Check
from warledger.engine.serve.cost import Bill
from warledger.protocol import acts
from warledger.protocol import messages as m
from warledger.protocol.acts import Hand


class Heard:
    """A server's log: what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []

    def info(self, event: str, **figures: Any) -> None:
        self.told.append((event, figures))

    warning = info


class Counted:
    """The one rule of signatures, and how often it was asked in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        self._whole = acts.verify
        monkeypatch.setattr(acts, "verify", self)

    def __call__(self, key: bytes, message: bytes, signature: bytes) -> bool:
        self.times += 1
        return self._whole(key, message, signature)


def begun(checks: Ahead, numbers: range) -> dict[int, Check]:
    return {number: checks.begin(*a_check(number)) for number in numbers}


def judged(checks: Ahead, found: dict[int, Check]) -> None:
    assert {number: check.holds() for number, check in found.items()} == {
        number: number % 3 > 0 for number in found
    }


@pytest.fixture
async def beside() -> Any:
    """Checks ahead with their process, and what was logged."""
    log = Heard()
    checks = Ahead(log)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(checks.run)
        judged(checks, begun(checks, range(ahead.TOGETHER)))
        with trio.fail_after(30):
            await checks.begun.wait()
        yield checks, log
        nursery.cancel_scope.cancel()


async def test_the_other_process_finds_what_would_be_found_here(
    beside: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has answered is taken from it, good and bad, and nothing of it is checked again."""
    checks, _ = beside
    here = Counted(monkeypatch)
    found = begun(checks, range(3 * ahead.TOGETHER))
    with trio.fail_after(30):
        for check in found.values():
            while check.good is None:
                await checks.heard()
                checks.hear(check)
    judged(checks, found)
    assert not here.times


@pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="only Linux has SCHED_BATCH")
async def test_the_other_process_does_not_push_the_server_aside(beside: Any) -> None:
    """It runs as a batch, so that waking it never takes the core from the server."""
    checks, log = beside
    found = begun(checks, range(ahead.TOGETHER))
    with trio.fail_after(30):
        while checks._asked:
            await checks.heard()  # it runs, and not only its start
            checks.hear(None)
    judged(checks, found)
    assert os.sched_getscheduler(log.told[0][1]["process"]) == os.SCHED_BATCH
    assert os.sched_getscheduler(0) != os.SCHED_BATCH


async def test_nobody_waits_for_the_other_process(
    beside: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it stands still all is checked here, and no more is asked of it than it may owe; once
    it goes on, what it answers late changes nothing, and it is asked again."""
    checks, log = beside
    here = Counted(monkeypatch)
    process = log.told[0][1]["process"]
    os.kill(process, signal.SIGSTOP)
    try:
        for first in range(0, 20 * ahead.TOGETHER, ahead.TOGETHER):
            judged(checks, begun(checks, range(first, first + ahead.TOGETHER)))
        assert here.times == 20 * ahead.TOGETHER
        assert len(checks._asked) == ahead.ASKED_MAX
    finally:
        os.kill(process, signal.SIGCONT)
    with trio.fail_after(30):
        while checks._asked:
            await checks.heard()
            checks.hear(None)
        found = begun(checks, range(ahead.TOGETHER))
        while checks._asked:
            await checks.heard()
            checks.hear(None)
    judged(checks, found)
    assert here.times == 20 * ahead.TOGETHER and not checks.lost


async def test_a_lost_process_is_told_of_and_missed_by_nobody(beside: Any) -> None:
    """When it is killed while it is asked, all that it was asked is checked here, and so is what
    comes after; the log says so once."""
    checks, log = beside
    found = begun(checks, range(2 * ahead.TOGETHER))
    os.kill(log.told[0][1]["process"], signal.SIGKILL)
    judged(checks, found)
    with trio.fail_after(30):
        while not checks.lost:
            judged(checks, begun(checks, range(ahead.TOGETHER)))
            await trio.testing.wait_all_tasks_blocked()
    judged(checks, begun(checks, range(2 * ahead.TOGETHER)))
    assert [event for event, _ in log.told] == [
        "signatures are checked ahead",
        "signatures are no longer checked ahead",
    ]


ALL_GOOD = bytes([1]) * ahead.TOGETHER


@pytest.mark.parametrize(
    "answer",
    [
        struct.pack(">I", 1) + ALL_GOOD,
        struct.pack(">I", 0) + ALL_GOOD + b"\1",
        struct.pack(">I", 0) + ALL_GOOD[1:] + b"\2",
        struct.pack(">I", 0),
        ALL_GOOD[:3],
    ],
    ids=["of others", "too many", "no word", "none", "cut off"],
)
def test_an_answer_out_of_place_is_believed_in_nothing(answer: bytes) -> None:
    """Whoever answers other checks than were asked, or something else, is heard no more."""
    log = Heard()
    checks = Ahead(log)
    ours, theirs = line.pair()
    with ours, theirs:
        ours.setblocking(False)
        checks._line = ours
        found = begun(checks, range(ahead.TOGETHER))
        assert len(checks._asked) == ahead.TOGETHER
        theirs.send(answer)
        judged(checks, found)
        assert checks.lost and not checks._asked
        assert theirs.recv(checker.PACKET_BYTES_MAX) and theirs.recv(1) == b"", "it is told to end"
    assert len(log.told) == 1


def test_a_few_are_asked_once_the_first_is_needed() -> None:
    """Fewer than go at once are handed over together when one of them is needed, so that they can
    be waited for; one or two never are."""
    checks = Ahead(Heard())
    ours, theirs = line.pair()
    with ours, theirs:
        ours.setblocking(False)
        checks._line = ours
        few = begun(checks, range(ahead.LEAST))
        assert not checks._asked
        assert few[0].is_awaited() and few[1].is_awaited()
        assert [*checks._asked] == [*few.values()]
        lone = begun(checks, range(ahead.LEAST - 1))
        assert not any(check.is_awaited() for check in lone.values())
        judged(checks, lone)
        assert [*checks._asked] == [*few.values()]
        judged(checks, few)
        assert not few[0].is_awaited()


def test_answers_count_on_from_where_their_numbers_begin_anew() -> None:
    """The number of a check fills four bytes and begins again at none."""
    checks = Ahead(Heard())
    checks._number = checker.NUMBERS - 3
    ours, theirs = line.pair()
    with ours, theirs:
        ours.setblocking(False)
        checks._line = ours
        found = begun(checks, range(ahead.TOGETHER))
        right = [number % 3 > 0 for number in found]
        theirs.send(struct.pack(">I", checker.NUMBERS - 3) + bytes(right[:4]))
        theirs.send(struct.pack(">I", 1) + bytes(right[4:]))
        judged(checks, found)
        assert not checks.lost and not checks._asked


def test_a_checker_ends_with_its_line() -> None:
    """What it has been asked it answers in order, a few at a time, until the line is closed."""
    ours, theirs = line.pair()
    with ours, theirs:
        ours.send(checker.packed([a_check(number) for number in range(6)]))
        ours.shutdown(socket.SHUT_WR)
        checker.check(theirs)
        assert ours.recv(100) == struct.pack(">I", 0) + bytes([0, 1, 1, 0])
        assert ours.recv(100) == struct.pack(">I", 4) + bytes([1, 1])


# --- in a server ----------------------------------------------------------------------------------


def forged(act: acts.Act) -> acts.Act:
    return acts.Act(act.genesis, act.key, act.seat, act.kind, act.n, act.seen, act.body, bytes(64))


class Proposals:
    """How often the rules were asked for what a command does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        whole = Ledger.propose_command

        def propose(ledger: Any, command: Any, at_ms: int) -> Any:
            self.times += 1
            return whole(ledger, command, at_ms)

        monkeypatch.setattr(Ledger, "propose_command", propose)


async def sent_forged(client: Client, game: str, id: bytes, seat: str = "a") -> None:
    """Send a command with a signature that is nobody's."""
    act, private = await signed_command(client, game, seat, "add", 1, id=id)
    assert malformed(await client.send_act(game, forged(act), private))
    assert not await stands(client, game, act)


async def test_a_forged_command_is_written_nowhere_and_its_sender_trusted_no_further(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has acted under the seat's key has a command looked at by the rules before its
    signature is known. If that is bad, it is answered like any forgery, and their next command
    reaches no rules before its signature is known."""
    asked = Proposals(monkeypatch)
    charged: list[str] = []
    monkeypatch.setattr(Bill, "owe", lambda _, kind: charged.append(kind))
    async with server() as s:
        s.hub.ahead = Ahead(s.hub.log)
        game, _, client = await started(s)
        await sent_forged(client, game, b"one")
        assert asked.times == 1
        assert charged == [acting._FORGED]
        await sent_forged(client, game, b"two")
        assert asked.times == 1
        answer = await client.submit(game, "a", "add", 1)
        assert type(answer) is m.Accepted, answer
        assert asked.times == 2


async def test_who_has_the_token_and_no_key_costs_the_rules_nothing(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that has never acted under a key of the seat has each signature checked before its
    game hears of it: also once it has brought an act of the seat's again, and signed with a key of
    its own."""
    async with server() as s:
        s.hub.ahead = Ahead(s.hub.log)
        game, given, client = await started(s)
        act, private = await signed_command(client, game, "a", "add", 1)
        assert type(await client.send_act(game, act, private)) is m.Accepted
        thief = await s.client(given["b"], "Bert")
        await thief.ask(m.Login, given["a"], "Anna")
        assert (await thief.send_act(game, act, private)).again
        own = Hand((await thief.hand(game, "b")).genesis, "b", a_key("thief"), 10**6)
        seen = (await thief.ask(m.Head, game)).head.hash
        assert type(await thief.send_act(game, own.sign(acts.ASK, seen, ("draw", 0)))) is m.Declined
        asked = Proposals(monkeypatch)
        for number in range(3):
            await sent_forged(thief, game, b"%d" % number, "b")
        assert not asked.times


async def test_a_forged_command_that_is_no_move_is_not_declined(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """A refusal under the server's signature is given to nothing that nobody has signed, also where
    the rules had looked at it."""
    async with server() as s:
        s.hub.ahead = Ahead(s.hub.log)
        game, _, client = await started(s)
        act, private = await signed_command(client, game, "a", "add", 99)
        assert malformed(await client.send_act(game, forged(act), private))
        act, private = await signed_command(client, game, "a", "add", 99, id=b"again")
        assert type(await client.send_act(game, act, private)) is m.Declined


async def test_a_command_is_taken_although_its_check_is_never_answered(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command whose signature another process was asked about lets others go first, once; then
    it is checked here and recorded."""
    monkeypatch.setattr(ahead, "LEAST", 1)
    ours, theirs = line.pair()
    async with server() as s:
        s.hub.ahead = checks = Ahead(s.hub.log)
        game, _, client = await started(s)
        ours.setblocking(False)
        checks._line = ours
        with ours, theirs:
            answer = await client.submit(game, "a", "add", 1)
            assert type(answer) is m.Accepted, answer
            assert len(checks._asked) == 1 and checks._asked[0].good
            assert len([*checker.unpacked(theirs.recv(checker.PACKET_BYTES_MAX))]) == 1
            await sent_forged(client, game, b"forged", "b")
            assert len(checks._asked) == 2
