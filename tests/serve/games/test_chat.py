"""Table talk: who reads and says what, what may be done about it, how much of it there may be, and
that it is in no log."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.serve.people.test_accounts import begin, desk, person
from tests.serve.people.test_accounts import new_game as new_table
from tests.serve.people.test_accounts import quick as quick
from tests.serve.rig import HOST_TOKEN, NAMES, Client, Server, new_game, server, sit_down
from warledger.engine.desk import talk
from warledger.engine.serve.wire.ratelimits import BYTE_SECONDS
from warledger.engine.store.port import FRAME_RECORD
from warledger.protocol.seats import acts
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import talkmessages as tm

PLANTED = "planted-4711"


async def read(client: Client, game: str, room: str = tm.PLAYERS, after: int = 0) -> Any:
    return await client.ask(tm.Talk, game, room, after)


async def say(client: Client, game: str, text: str, seat: str = "a", room: str = tm.PLAYERS) -> Any:
    return await client.ask(tm.SayLine, game, room, seat, text)


def kept(folder: Path) -> list[Path]:
    """The files of the talk."""
    return sorted(folder.glob("talk.db*"))


async def table(s: Server, **options: Any) -> tuple[str, Client, Client]:
    """A game that is played, and its players."""
    game, given = await new_game(s, **options)
    both = await s.client(given["a"], "Anna")
    assert type(await both.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
    await sit_down(both, game)
    return game, await s.client(given["a"], "Anna"), await s.client(given["b"], "Bert")


async def test_players_talk_and_nobody_else_hears_it(tmp_path: Path, autojump_clock: Any) -> None:
    """Under the names that the log knows; whoever has read asks for what came since."""
    async with server(data=tmp_path) as s:
        game, anna, bert = await table(s)
        assert (await say(anna, game, "Hello, Bert.")).n == 1
        assert (await say(bert, game, "你好", "b")).n == 2
        told = await read(anna, game)
        assert [(n, who, name, text) for n, _, who, name, text, _ in told.lines] == [
            (1, "a", "Anna", "Hello, Bert."),
            (2, "b", "Bert", "你好"),
        ]
        assert told.may == (("say",),) and told.shut is False
        assert (await read(bert, game, after=1)).lines == told.lines[1:]
        assert (await say(anna, game, "Not mine.", "b")).say.key == "error.talk_not_you"
        stranger = await s.client()
        assert (await read(stranger, game)).code == "talk"
        assert (await say(stranger, game, "Hello")).code == "talk"
        assert (await read(await s.client(HOST_TOKEN), game)).lines == told.lines


async def test_spectators_talk_behind_the_delay(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the game is played no player reads it, nobody who sees the game live says anything, and
    a guest only reads; after the end, once its spectators have seen it, everybody may."""
    room = tm.SPECTATORS
    monkeypatch.setitem(NAMES, "a", "Alma")
    async with desk(tmp_path) as (s, _people):
        game, player, _ = await table(s, delay_s=60)
        watcher, guest, host = await person(s), await s.client(), await s.client(HOST_TOKEN)
        assert (await say(watcher, game, "Look at that!", "", room)).n == 1
        assert [line[3] for line in (await read(guest, game, room)).lines] == ["Anna"]
        assert (await say(guest, game, "Hm.", "", room)).say.key == "error.talk_not_you"
        assert (await say(host, game, "He hides it in b.", "", room)).code == "talk"
        knows = await person(s)
        assert type(await knows.ask(m.Login, HOST_TOKEN, "")) is m.LoggedIn
        assert (await say(knows, game, "He hides it in b.", "", room)).code == "talk"
        assert (await read(player, game, room)).say.key == "error.talk_elsewhere"
        assert type(await player.act(game, "a", acts.ASK, ("resign", 0))) is m.Accepted
        assert (await read(player, game, room)).code == "talk"
        await trio.sleep(61)
        assert len((await read(player, game, room)).lines) == 1


async def test_a_signed_in_player_says_nothing_among_spectators(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """By their account either."""
    async with desk(tmp_path) as (s, _people):
        made = await new_table(s)
        anna, bert = await person(s), await s.client(dict(made.tokens)["b"])
        await anna.ask(m.Login, dict(made.tokens)["a"], "")
        await begin(anna, bert, made.game)
        assert (await say(anna, made.game, "x", "", tm.SPECTATORS)).code == "talk"


async def test_a_line_is_reported_removed_and_its_speaker_muted(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Reporting is for all who read; the rest for host and arbiters."""
    async with server(data=tmp_path) as s:
        game, anna, bert = await table(s)
        host = await s.client(HOST_TOKEN)
        await say(anna, game, PLANTED)

        async def act(client: Client, what: str, n: int = 1) -> Any:
            return await client.ask(tm.TalkAct, game, tm.PLAYERS, what, n)

        for what in ("remove", "mute", "unmute", "shut", "open"):
            assert (await act(bert, what)).code == "host_only"
        assert (await act(bert, "report", 7)).say.key == "error.talk_no_line"
        assert type(await act(bert, "report")) is tm.Said
        assert (await read(host, game, after=1)).lines[0][5] is True
        assert (await read(bert, game, after=1)).lines == ()
        assert (await read(host, game)).may == (("rule",),)
        await act(host, "remove")
        told = await read(bert, game)
        assert told.lines == () and told.removed == ((1,),)
        await act(host, "mute")
        assert (await say(anna, game, "Still here")).say.key == "error.talk_shut"
        assert (await say(bert, game, "Thanks", "b")).n == 2
        await act(host, "unmute")
        assert (await say(anna, game, "Sorry")).n == 3
        await act(host, "shut", 0)
        assert (await say(anna, game, "x")).say.key == "error.talk_shut"
        assert (await read(anna, game)).shut is True
        await act(host, "open", 0)
        assert (await say(anna, game, "y")).n == 4


async def test_talk_is_bounded(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By rate, by size, and in what is kept; what one cannot say now, one can say later."""
    monkeypatch.setattr(talk, "LINES_MAX", 4)
    async with server(data=tmp_path) as s:
        game, anna, bert = await table(s)
        answers = [await say(anna, game, str(i)) for i in range(7)]
        assert [type(one) is tm.Said for one in answers] == [True] * 5 + [False] * 2
        assert answers[-1].code == "slow_down"
        assert (await say(bert, game, "b", "b")).n == 6, "others are not held up"
        await trio.sleep(20)
        assert (await say(anna, game, "again")).n == 7
        assert [line[0] for line in (await read(anna, game)).lines] == [4, 5, 6, 7]
        for text in ("", "  "):
            assert (await say(bert, game, text, "b")).say.key == "error.talk_line", repr(text)
        for text in ("a\tb", "a\nb", "a\u2028b", "x\x1b[2J", "e\u202e"):
            said = (await say(bert, game, text, "b")).say
            assert said.key == "refusal.text_unreadable", repr(text)


async def test_talk_is_read_by_the_page_and_reports_are_few(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """A hundred lines at a time, and as many reported ones for whoever rules; what it costs counts.
    However often a line is reported, the server's log says it once."""
    async with server(data=tmp_path) as s:
        game, _, bert = await table(s)
        host = await s.client(HOST_TOKEN)

        def fill(at: Any) -> None:
            for n in range(250):
                talk.add(at, game, tm.PLAYERS, n, ("a", "Anna", ""), "界" * 500)
            for n in range(1, 131):
                talk.report(at, game, tm.PLAYERS, n)

        await s.hub.speaking.write(fill)
        paying = f"seat b {game}"
        debt = s.hub.meter.debt(paying)
        first = await read(bert, game)
        assert [line[0] for line in first.lines] == list(range(1, 101))
        assert s.hub.meter.debt(paying) - debt > 140_000 * BYTE_SECONDS
        last = await read(bert, game, after=200)
        assert [line[0] for line in last.lines] == list(range(201, 251))
        ruled = [line[0] for line in (await read(host, game, after=140)).lines]
        assert ruled == [*range(31, 131), *range(141, 241)]
        answers = [
            await bert.ask(tm.TalkAct, game, tm.PLAYERS, "report", 200 + n % 2) for n in range(300)
        ]
        assert sum(type(one) is tm.Said for one in answers) <= 10
        assert answers[-1].code == "slow_down"
        assert s.log.getvalue().count('"what": "report"') <= 2


async def test_talk_is_in_no_log_and_goes_with_its_account(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Not in the game's file, not in the server's log; after `forget` not in the talk either, nor
    in its file."""
    async with desk(tmp_path) as (s, _people):
        made = await new_table(s)
        anna, bert = await person(s), await s.client(dict(made.tokens)["b"])
        await anna.ask(m.Login, dict(made.tokens)["a"], "")
        await begin(anna, bert, made.game)
        await say(anna, made.game, PLANTED)
        frames = s.hub.supervisor.store.read(made.game)
        assert not any(PLANTED.encode() in frame.payload for frame in frames)
        assert {frame.kind for frame in frames} >= {FRAME_RECORD}
        assert PLANTED not in s.log.getvalue()
        assert any(PLANTED.encode() in path.read_bytes() for path in kept(tmp_path))
        await anna.say(am.ChangeAccount, "forget", None, "correct horse battery")
        while await anna.hear() is not None:
            pass
        assert (await read(bert, made.game)).lines == ()
        assert not any(PLANTED.encode() in path.read_bytes() for path in kept(tmp_path))


async def test_a_seat_that_was_given_away_reads_no_more(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Its old token is worth nothing here either."""
    async with server(data=tmp_path) as s:
        game, anna, bert = await table(s)
        await say(bert, game, "Only for us", "b")
        host = await s.client(HOST_TOKEN)
        assert type(await host.ask(m.NewToken, game, "a")) is m.Token
        assert (await read(anna, game)).code == "talk"
        assert (await say(anna, game, "x")).code == "talk"


async def test_the_talk_survives_a_restart_and_a_file_that_is_gone(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """It is a file of its own; without it the games are played on."""
    async with server(data=tmp_path) as s:
        game, anna, _ = await table(s)
        await say(anna, game, "first")
        s.hub.speaking.db.close()
        assert [line[4] for line in (await read(anna, game)).lines] == ["first"]
        s.hub.speaking.db.close()
        for path in kept(tmp_path):
            path.unlink()
        assert (await read(anna, game)).lines == ()
        (tmp_path / talk.FILE).write_bytes(b"not a database" * 100)
        assert (await read(anna, game)).code == "not_saved"
        assert type(await anna.submit(game, "a", "add", 1)) is m.Accepted


async def test_whatever_is_asked_of_the_talk_the_server_stays(
    tmp_path: Path, autojump_clock: Any, any_seed: int
) -> None:
    """Random requests of strangers, players and hosts: each is answered, none is a fault."""
    rng = random.Random(any_seed)
    async with server(data=tmp_path) as s:
        game, anna, bert = await table(s)
        clients = [anna, bert, await s.client(), await s.client(HOST_TOKEN)]
        for _ in range(150):
            client, room = rng.choice(clients), rng.choice(tm.ROOMS)
            where = rng.choice((game, game, "", "x" * 10))
            text = "".join(chr(rng.choice((9, 65, 0x202E, 0x4E00, 0x1F600))) for _ in range(9))
            n = rng.choice((0, 1, 2, 5, 2**40))
            kind, *fields = rng.choice(
                (
                    (tm.Talk, where, room, n),
                    (tm.SayLine, where, room, rng.choice(("a", "b", "", "c")), text),
                    (tm.TalkAct, where, room, rng.choice(tm.TALK_ACTS), n),
                )
            )
            answer = await client.ask(kind, *fields)
            assert type(answer) in (tm.TalkIs, tm.Said, m.Error), answer
            assert getattr(answer, "code", "") != "fault"
        assert s.hub.metrics.faults == 0
