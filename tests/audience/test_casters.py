"""A caster of a delayed game gets nothing early, through whatever exit he looks."""

import random
from pathlib import Path

import pytest
import trio
import trio.testing

from tests.serve.rig import Client, Server, gapless, server, started
from tests.toys.counting import WORDS
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.serve.people import viewtokens
from warledger.protocol.wire import messages as m

DELAY_S = 60


async def seen_by(s: Server, token: str, game: str, following: Client) -> set[int]:
    """How far every exit lets a caster see: as his seat, as the public, in heads and lists; by an
    old connection and by a new one."""
    client = await s.client(token)
    found = set()
    for audience in ("a", "public"):
        found.add((await client.ask(m.View, game, audience, m.NOW)).seq)
        subscribed = await client.ask(m.Subscribe, game, -1, audience)
        records = await client.until((game, audience), subscribed.last_seq)
        assert gapless(records)
        found |= {subscribed.last_seq, records[-1][0]}
    found.add((await client.ask(m.Head, game)).head.seq)
    [row] = (await client.ask(m.Games, "", "", 10)).games
    found.add(row["seq"])
    assert type(await following.ask(m.Ping)) is m.Pong
    found.add(following.records[game, "a"][-1][0])
    last = max(found)
    assert (await client.ask(m.View, game, "a", last + 1)).code == "no_such_record"
    assert (await client.ask(m.Unsubscribe, game, "a")).tag == "unsubscribed"
    assert (await client.ask(m.Subscribe, game, last + 1, "a")).code == "no_such_record"
    seats_own = (
        (m.Choices, game, "a", ()),
        (m.Preview, game, "a", ()),
        (m.Standing, game, "a"),
    )
    for kind, *fields in (*seats_own, (m.View, game, "arbiter", m.NOW)):
        assert (await client.ask(kind, *fields)).code == "not_allowed"
    await client.stream.aclose()
    return found


@pytest.mark.parametrize("seed", range(4))
async def test_a_caster_gets_nothing_early_through_any_exit(
    tmp_path: Path, seed: int, autojump_clock: trio.testing.MockClock
) -> None:
    """Random play beside a caster who looks again and again: he is always just where spectators
    are, with his seat's openings and no other's, and by a restart nothing comes sooner."""
    rng = random.Random(seed)
    async with server(data=tmp_path) as s:
        game, _, player = await started(s, delay_s=DELAY_S, turns=50)
        await trio.sleep(DELAY_S + 1)
        _, token = viewtokens.make(tmp_path, SystemAmbient(), (("caster", game, "a"),))
        following = await s.client(token)
        await following.ask(m.Subscribe, game, -1, "a")
        written: list[tuple[float, int]] = []
        at = 0
        for _ in range(12):
            seat = rng.choice("ab")
            picks = rng.choice((("add", 1), ("pass",), ("hide", rng.choice(WORDS))))
            answer = await player.submit(game, seat, *picks)
            if type(answer) is m.Accepted:
                written.append((trio.current_time(), answer.head.seq))
            await trio.sleep(rng.choice((0, 1, 20, DELAY_S)))
            now = trio.current_time()
            due = [seq for when, seq in written if when + DELAY_S + 1 < now]
            [shown] = await seen_by(s, token, game, following)
            early = [seq for when, seq in written if when + DELAY_S > now]
            assert max(due, default=0) <= shown, f"seed {seed}"
            assert not early or shown < early[0], f"seed {seed}"
            at = shown
        async with server(s.hub.supervisor.store, data=tmp_path) as other:
            other.hub.supervisor.ambient._started_ms = s.hub.supervisor.ambient.now_ms() - int(
                trio.current_time() * 1000
            )
            late = await other.client(token)
            await late.ask(m.Subscribe, game, -1, "a")
            assert await seen_by(other, token, game, late) == {at}, f"seed {seed}"
            await trio.sleep(DELAY_S + 1)
            last = max(seq for _, seq in written)
            records = await late.until((game, "a"), last)
        assert gapless(records)
        await player.ask(m.Subscribe, game, -1, "a")
        assert (
            await player.until((game, "a"), last)
            == await following.until((game, "a"), last)
            == records
        ), f"seed {seed}"
