"""Games with clocks on a server: flags fall when they are due and never before, whatever the server
is busy with, and nobody pays for a server that was away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from tests.serve.rig import (
    HOST_TOKEN,
    SERVER_KEY,
    Client,
    Server,
    on_the_clock,
    server,
    sit_down,
)
from tests.serve.signed import again_in
from tests.toys import counting
from tests.verdicts import findings_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.engine.runtime.clock.deadlines import Calendar
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.serve.clockcheck import FilePulse
from warledger.engine.serve.games import actrequests
from warledger.engine.testing.fakeambient import SeededAmbient
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.log import deskbodies, records
from warledger.protocol.log.records import Record
from warledger.protocol.log.wlog import FRAME_RECORD
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock
PROMPT = "prompt.counting.act"


class Kept:
    """Signs of life that outlast a server."""

    def __init__(self) -> None:
        self.at_ms = 0

    def last_ms(self) -> int:
        """The last one."""
        return self.at_ms

    def beat(self, now_ms: int) -> None:
        """Another."""
        self.at_ms = now_ms


def told(log: list[Record]) -> list[tuple[Any, ...]]:
    """What the `clock` records say, without signatures."""
    clocks = (one for one in log if one.kind == records.CLOCK)
    return [deskbodies.read_clock(one.body).signed for one in clocks]


def asked_at(log: list[Record]) -> int:
    """When the newest question was put."""
    return next(one.at_ms for one in reversed(log) if one.kind == records.COMMAND)


def logged(s: Server, game: str) -> list[Record]:
    """The game's log as the server keeps it."""
    frames = s.hub.supervisor.store.read(game)
    return [records.read(one.payload) for one in frames if one.kind == FRAME_RECORD]


async def assert_sound(s: Server, game: str) -> None:
    """The server's own file of the game passes the audit."""
    frames = s.hub.supervisor.store.read(game)
    data = export_game(list(frames), "arbiter")
    rulebook = Rulebook({"counting": counting.RULES}.__getitem__)
    report = audit(data, key=SERVER_KEY.verify_key.encode(), rulebook=rulebook)[0]
    assert not findings_of(report), findings_of(report)


async def test_a_flag_falls_at_its_deadline_with_nobody_there(autojump_clock: MockClock) -> None:
    """Within a second of it, and never a millisecond before; the game is over by it."""
    async with server() as s:
        game, _, client = await on_the_clock(s)
        begun = asked_at(logged(s, game))
        await client.stream.aclose()
        await trio.sleep(65)
        log = logged(s, game)
        flag = next(one for one in log if one.kind == records.CLOCK)
        assert told(log) == [("flag", "a", begun + 60_000, begun + 60_000 - flag.at_ms)]
        assert 0 <= flag.at_ms - (begun + 60_000) < 1_000
        assert [one.kind for one in log[-3:]] == [records.CLOCK, records.END, records.REVEAL]
        await assert_sound(s, game)


async def test_an_act_counts_from_when_it_arrives(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it is looked at, no flag falls over it; nor over one that another
    sends meanwhile."""
    async with server() as s:
        game, _, client = await on_the_clock(s)
        take_act = actrequests._take_act

        async def slowly(*arguments: Any) -> None:
            await trio.sleep(10)
            await take_act(*arguments)

        decision = (await client.ask(m.Choices, game, "a", ())).decision
        act, private = await client.command(game, "a", "pass", id=b"id", decision=decision)
        deadline = asked_at(logged(s, game)) + 60_000
        await trio.sleep((deadline - s.hub.supervisor.ambient.now_ms()) / 1000 - 0.005)
        monkeypatch.setattr(actrequests, "_take_act", slowly)
        assert type(await client.send_act(game, act, private)) is m.Accepted
        log = logged(s, game)
        assert log[-1].kind == records.COMMAND
        assert log[-1].at_ms < deadline
        assert told(log) == []


async def test_an_act_that_arrives_at_the_deadline_comes_too_late(
    autojump_clock: MockClock,
) -> None:
    """The flag is in the log before the answer."""
    async with server() as s:
        game, _, client = await on_the_clock(s)
        decision = (await client.ask(m.Choices, game, "a", ())).decision
        act, private = await client.command(game, "a", "pass", id=b"id", decision=decision)
        deadline = asked_at(logged(s, game)) + 60_000
        await trio.sleep((deadline - s.hub.supervisor.ambient.now_ms()) / 1000)
        assert type(await client.send_act(game, act, private)) is m.Declined
        assert told(logged(s, game))[0][:3] == ("flag", "a", deadline)


async def test_a_flag_falls_in_time_after_a_standing_answer(autojump_clock: MockClock) -> None:
    """Whoever is asked after it may have less time than the seat that answered."""
    async with server() as s:
        game, _, client = await on_the_clock(s, handicap={"b": {"bank": 3_600_000}})
        assert type(await client.order(game, "b", (PROMPT, (("pass",),), "game"))) is m.Accepted
        assert type(await client.submit(game, "a", "pass")) is m.Accepted
        await trio.sleep(1)
        log = logged(s, game)
        assert log[-1].actor == "b" or log[-2].actor == "b"
        await trio.sleep(64)
        (what, seat, deadline, _) = told(logged(s, game))[0]
        assert (what, seat) == ("flag", "a")
        flag = next(one for one in logged(s, game) if one.kind == records.CLOCK)
        assert 0 <= flag.at_ms - deadline < 1_000


def looking() -> tuple[Calendar, list[tuple[str, float]]]:
    """A calendar that has begun, and which games it looks at when."""
    looked: list[tuple[str, float]] = []
    calendar = Calendar(
        SeededAmbient(1), lambda game: looked.append((game, trio.current_time())), None
    )
    calendar.begin()
    return calendar, looked


async def test_deadlines_that_move_later_are_met(autojump_clock: MockClock) -> None:
    """Each game looks once, within a second of its last deadline, however often that has moved;
    one that moved forwards and back again, too."""
    calendar, looked = looking()
    began, now = trio.current_time(), calendar.ambient.now_ms()
    for moved in range(5):
        for n in range(100):
            calendar.note(f"g{n}", now + 10_000 + 5_000 * moved + n)
    for at_ms in (now + 90_000, now + 5_000, now + 90_000, now + 30_000):
        calendar.note("h", at_ms)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(calendar.run)
        await trio.sleep(31)
        assert len(looked) == len(dict(looked)) == 101
        assert all(29.9 <= at - began <= 31 for _, at in looked)
        await trio.sleep(100)
        assert (len(looked), calendar.count) == (101, 0)
        nursery.cancel_scope.cancel()


async def test_nobody_falls_by_an_outage(autojump_clock: MockClock) -> None:
    """A server that was down for an hour says so before anything else; then the clock goes on."""
    store, pulse = MemoryStore(), Kept()
    async with server(store, pulse=pulse) as s:
        game, given, client = await on_the_clock(s)
        begun = asked_at(logged(s, game))
        await trio.sleep(30)
    alive = pulse.at_ms
    assert alive - begun >= 25_000
    await trio.sleep(3_600)
    async with server(store, pulse=pulse) as s:
        await again_in(s, given, client)
        await trio.sleep(5)
        log = logged(s, game)
        ((what, start, end),) = told(log)
        assert (what, start) == ("outage", alive)
        assert end - start >= 3_600_000
        deadline = begun + 60_000 + end - start
        await trio.sleep((deadline - s.hub.supervisor.ambient.now_ms()) / 1000 + 1)
        assert told(logged(s, game))[1][:3] == ("flag", "a", deadline)
        await assert_sound(s, game)


async def test_a_loop_that_stood_still_was_away(autojump_clock: MockClock) -> None:
    """What was due meanwhile is not due any more."""
    async with server() as s:
        game, _, client = await on_the_clock(s)
        await trio.sleep(5)
        autojump_clock.jump(120)
        await trio.sleep(3)
        log = logged(s, game)
        assert [what for what, *_ in told(log)] in ([], ["outage"])
        assert type(await client.submit(game, "a", "pass")) is m.Accepted
        ((what, start, end),) = told(logged(s, game))
        assert what == "outage"
        assert 119_000 <= end - start <= 121_000
        await assert_sound(s, game)


async def test_a_pause_holds_the_board_and_what_was_left_for_its_end(
    autojump_clock: MockClock,
) -> None:
    """A game is adjourned: the seat that is asked leaves its answer, and the server gives it when
    the game goes on, in the same millisecond."""
    async with server() as s:
        game, _, client = await on_the_clock(s)
        until = s.hub.supervisor.ambient.now_ms() + 3_600_000
        ask = await client.ask_for(game, "a", "adjourn", until)
        assert type(ask) is m.Accepted, ask
        assert type(await client.consent(game, "b", ask.seq)) is m.Accepted
        assert type(await client.order(game, "a", (PROMPT, (("add", 3),), "turn"))) is m.Accepted
        refused = await client.submit(game, "a", "pass")
        assert type(refused) is m.Declined
        assert refused.refusal.key == "refusal.paused"
        await trio.sleep(3_630)
        log = logged(s, game)
        given = log[-1]
        assert (given.kind, given.actor, given.at_ms) == (records.COMMAND, "a", until)
        await assert_sound(s, game)


async def test_leave_and_time_for_a_fallen_seat_go_through_the_server(
    autojump_clock: MockClock,
) -> None:
    """Signed acts like any other."""
    async with server() as s:
        game, _, client = await on_the_clock(s, fall="claim", leave_days=1)

        async def does(seat: str, *body: Any) -> Any:
            return await client.act(game, seat, acts.CLOCK, body)

        now = s.hub.supervisor.ambient.now_ms()
        assert type(await does("a", "leave", "b", now, now + 9)) is m.Declined
        assert type(await does("a", "leave", "a", now + 5_000, now + 65_000)) is m.Accepted
        await trio.sleep(119)
        assert [what for what, *_ in told(logged(s, game))] == ["leave"]
        await trio.sleep(3)
        assert (await does("a", "credit", "b", 9, "", ())).refusal.key == "refusal.fallen"
        assert type(await does("b", "credit", "a", 90_000, "", ())) is m.Accepted
        assert type(await client.submit(game, "a", "pass")) is m.Accepted
        await trio.sleep(70)
        assert type(await client.ask_for(game, "a", "flag")) is m.Accepted
        assert logged(s, game)[-2].kind == records.END
        await assert_sound(s, game)


def test_signs_of_life_are_kept_in_a_small_file(tmp_path: Path) -> None:
    """What cannot be read is not known."""
    pulse = FilePulse(tmp_path)
    assert pulse.last_ms() == 0
    pulse.beat(5_000)
    pulse.beat(6_000)
    assert FilePulse(tmp_path).last_ms() == 6_000
    (tmp_path / "alive").write_text("{", encoding="ascii")
    assert pulse.last_ms() == 0


async def test_a_thousand_flags_in_one_second(autojump_clock: MockClock) -> None:
    """Each game looks at its clocks once for its deadline, whatever order the deadlines came in,
    and one that has moved is not looked at before."""
    calendar, looked = looking()
    began, now = trio.current_time(), calendar.ambient.now_ms()
    for n in range(1_000):
        calendar.note(f"g{n}", now + 60_000 - n)
    calendar.note("g7", now + 90_000)
    calendar.note("g8", None)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(calendar.run)
        await trio.sleep(61)
        assert len(looked) == len(dict(looked)) == 998
        assert all(59 <= at - began <= 60.5 for _, at in looked)
        await trio.sleep(30)
        assert looked[-1][0] == "g7"
        assert calendar.count == 0
        nursery.cancel_scope.cancel()


async def test_a_host_is_told_why_clocks_cannot_be(autojump_clock: MockClock) -> None:
    """No game is opened with them."""
    async with server() as s:
        host: Client = await s.client(HOST_TOKEN)
        for wrong in ({"bank": 0}, {"bank": 5, "fall": "?"}, True, {"bank": 5, "x": 1}):
            answer = await host.ask(m.OpenGame, "counting", {}, {"clock": wrong})
            assert type(answer) is m.Error
            assert answer.code == "bad_option"


async def test_a_list_tells_the_pace_and_when_a_flag_falls(autojump_clock: MockClock) -> None:
    """The deadline as the log has it, before and after the game is dropped from memory; nothing
    where nobody's clock runs, and nothing that a delayed spectator does not see."""
    async with server() as s:
        game, _, client = await on_the_clock(s)
        (row,) = (await client.ask(m.Games, "", "", 10)).games
        assert row["clock"] == {"bank": 60_000, "fall": "loss"}
        assert row["deadline_ms"] == asked_at(logged(s, game)) + 60_000
        held = s.hub.supervisor.games[game]
        live, held.live = held.live, None
        assert (await client.ask(m.Games, "", "", 10)).games[0]["deadline_ms"] == row["deadline_ms"]
        held.live = live
        await trio.sleep(61)
        (row,) = (await client.ask(m.Games, "", "", 10)).games
        assert (row["stage"], row["deadline_ms"]) == ("ended", None)
    async with server() as s:
        host = await s.client(HOST_TOKEN)
        terms = {"clock": {"bank": 3_600_000, "fall": "loss"}}
        created = await host.ask(m.OpenGame, "counting", {}, {**terms, "delay": (120, 0)})
        client = await s.client(dict(created.tokens)["a"], "Anna")
        assert type(await client.ask(m.Login, dict(created.tokens)["b"], "Bert")) is m.LoggedIn
        await sit_down(client, created.game)
        (seen,) = (await client.ask(m.Games, "", "", 10)).games
        stranger = await s.client()
        (row,) = (await stranger.ask(m.Games, "", "", 10)).games
        assert seen["deadline_ms"] == asked_at(logged(s, created.game)) + 3_600_000
        assert row["deadline_ms"] is None
        await trio.sleep(200)
        (row,) = (await stranger.ask(m.Games, "", "", 10)).games
        # Not once they have seen all, either: it would go as soon as somebody acted.
        assert (row["stage"], row["deadline_ms"]) == ("playing", None)
