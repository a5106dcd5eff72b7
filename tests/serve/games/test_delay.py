"""Spectators who are whole turns of a game behind: no exit shows them more."""

from pathlib import Path

import pytest
import trio
import trio.testing

from tests.serve.rig import Client, Server, gapless, server, sit_down
from warledger.engine.runtime import profile as profiles
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.runtime.game.actor import Game
from warledger.engine.serve.people import viewtokens
from warledger.engine.store.port import FRAME_RECORD
from warledger.protocol.log import bodies, records
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock


async def behind(
    s: Server, turns: int, *, seconds: int = 0, length: int = 10
) -> tuple[Game, Client]:
    """A game under way whose spectators are behind, with one client in both seats."""
    supervisor = s.hub.supervisor
    made = await supervisor.create("counting", {"turns": length}, {"delay": (seconds, turns)})
    assert isinstance(made, tuple)
    game, given = made
    client = await s.client(given["a"], "Anna")
    assert type(await client.ask(m.Login, given["b"], "Bert")) is m.LoggedIn
    await sit_down(client, game.id)
    return game, client


async def turn(client: Client, game: Game) -> int:
    """Both seats act; the record after the first of them."""
    first = await client.submit(game.id, "a", "roll")
    assert type(await client.submit(game.id, "b", "roll")) is m.Accepted
    return int(first.head.seq)


def opened(s: Server, game: Game) -> list[int]:
    """The records that open turns."""
    frames = s.hub.supervisor.store.read(game.id)
    log = [records.read(one.payload) for one in frames if one.kind == FRAME_RECORD]
    return [
        record.seq
        for record in log
        if record.kind == records.COMMAND
        and any(effect[:2] == ("open", "turn") for effect in bodies.effects_of(record))
    ]


async def seen(s: Server, game: Game, watcher: Client) -> int:
    """How far a spectator sees, which is the same at every exit."""
    await trio.testing.wait_all_tasks_blocked()
    head = (await watcher.ask(m.Head, game.id)).head.seq
    view = (await watcher.ask(m.View, game.id, "public", m.NOW)).seq
    [row] = (await watcher.ask(m.Games, "", "", 10)).games
    other = await s.client()
    begun = (await other.ask(m.Subscribe, game.id, -1, "public")).last_seq
    stream = await watcher.until((game.id, "public"), head)
    assert {view, row["seq"], begun, stream[-1][0]} == {head}
    assert row["deadline_ms"] is None
    assert (await watcher.ask(m.HeadOf, game.id, head + 1)).code == "no_such_record"
    assert (await watcher.ask(m.View, game.id, "public", head + 1)).code == "no_such_record"
    # Read again from its file, the game shows no more and no less.
    frames = s.hub.supervisor.store.read(game.id)
    count = sum(frame.kind == FRAME_RECORD for frame in frames)
    read = profiles.read(frames, s.hub.supervisor.ambient.now_ms())
    assert count - len(read.recent) == head + 1
    return int(head)


@pytest.mark.parametrize("turns", [1, 2])
async def test_turns_bind_every_exit(turns: int, autojump_clock: MockClock) -> None:
    """While turn T is played, spectators see to the end of turn T - n, casters and everybody's
    lists with them; a turn that is taken back changes nothing; at the end they see all. Who plays
    sees everything at once."""
    async with server() as s:
        game, player = await behind(s, turns, length=10)
        watcher = await s.client()
        await watcher.ask(m.Subscribe, game.id, -1, "public")
        [row] = (await watcher.ask(m.Games, "", "", 10)).games
        assert (row["delay_turns"], row["delay_s"]) == (turns, 0)
        assert row["stage"] == "gathering"
        for _ in range(5):
            first = await turn(player, game)
            assert await seen(s, game, watcher) == opened(s, game)[-turns] - 1
        until = await seen(s, game, watcher)
        newest = game.profile.progress.seq
        assert (await player.ask(m.Subscribe, game.id, -1, "a")).last_seq == newest > until + 1
        # Back into the turn before, of which nothing may be shown by that.
        asked = await player.ask_for(game.id, "b", "takeback", first)
        assert type(asked) is m.Accepted, asked
        given = await player.consent(game.id, "a", asked.seq)
        assert type(given) is m.Accepted, given
        assert await seen(s, game, watcher) == until
        assert type(await player.submit(game.id, "b", "roll", id=b"again")) is m.Accepted
        assert await seen(s, game, watcher) == until
        await turn(player, game)
        assert await seen(s, game, watcher) > until
        resigned = await player.ask_for(game.id, "a", "resign")
        assert type(resigned) is m.Accepted, resigned
        await watcher.until_whole((game.id, "public"))
        assert gapless(watcher.records[game.id, "public"])
        assert await seen(s, game, watcher) == game.profile.progress.seq


async def test_turns_and_seconds_bind_together(autojump_clock: MockClock) -> None:
    """With both delays a record is shown when both are over; what a turn has cleared stays so
    though the turn is taken back before the seconds are over."""
    async with server() as s:
        game, player = await behind(s, 1, seconds=60)
        watcher = await s.client()
        await watcher.ask(m.Subscribe, game.id, -1, "public")
        await trio.sleep(61)
        before = await seen(s, game, watcher)
        first = await turn(player, game)
        await trio.sleep(30)
        assert await seen(s, game, watcher) == before + 1  # the record that opened the first turn
        asked = await player.ask_for(game.id, "b", "takeback", first)
        assert type(await player.consent(game.id, "a", asked.seq)) is m.Accepted
        await trio.sleep(31)
        [end] = {seq - 1 for seq in opened(s, game)[1:]}
        assert await seen(s, game, watcher) == end
        await trio.sleep(3600)
        assert await seen(s, game, watcher) == end


async def test_a_caster_is_as_late_as_spectators(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Whoever has a caster's token for a seat is turns behind with it."""
    async with server(data=tmp_path) as s:
        game, player = await behind(s, 2)
        _, token = viewtokens.make(tmp_path, SystemAmbient(), (("caster", game.id, "a"),))
        caster = await s.client(token)
        for _ in range(3):
            await turn(player, game)
        await trio.testing.wait_all_tasks_blocked()
        shown = (await caster.ask(m.Subscribe, game.id, -1, "a")).last_seq
        assert shown < game.profile.progress.seq - 2
        assert (await caster.ask(m.View, game.id, "a", shown + 1)).code == "no_such_record"
        await turn(player, game)
        got = await caster.until((game.id, "a"), shown + 2)
        assert gapless(got)
