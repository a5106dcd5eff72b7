"""A server opens what was hidden once a game is over: after the result, in the background, and
again where it had been stopped."""

import pytest
from trio.testing import MockClock

from tests.serve.rig import new_game, server, sit_down, started
from tests.toys import counting
from warledger.engine.runtime.game import live
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.runtime.supervisor import Tending
from warledger.engine.store.port import FRAME_RECORD
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.log import records, wlog
from warledger.protocol.wire import messages as m

__all__ = ["new_game", "sit_down"]


def kinds(store: MemoryStore, game: str) -> list[str]:
    """The kinds of a game's records, as they are kept."""
    return [
        records.read(frame.payload).kind for frame in store.read(game) if frame.kind == FRAME_RECORD
    ]


async def test_a_server_that_stopped_after_the_result_opens_the_rest_when_it_is_back(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without anybody asking: the game is found when games are tended. Until then its file tells
    nothing that was hidden, and there is no archive of it."""

    async def stopped(self: Game) -> None:
        return None

    store = MemoryStore()
    with monkeypatch.context() as patched:
        patched.setattr(Game, "_open_the_rest", stopped)
        async with server(store) as s:
            game, _, client = await started(s, turns=1)
            await client.submit(game, "a", "hide", counting.WORDS[0])
            await client.submit(game, "b", "pass")
    assert kinds(store, game)[-1] == "end"
    exported = wlog.parse(export_game(store.read(game)), sealed=True)
    assert wlog.FRAME_OPENINGS not in [frame.kind for frame in exported.frames]
    async with server(store, tending=Tending(every=1.0)) as s:
        client = await s.client()
        while kinds(store, game)[-1] != "reveal":
            await client.ask(m.Ping)
    assert kinds(store, game)[-2:] == ["end", "reveal"]
    assert live.left_to_open(store.read(game)) == [((), True)]
    exported = wlog.parse(export_game(store.read(game)), sealed=True)
    assert wlog.FRAME_OPENINGS in [frame.kind for frame in exported.frames]


async def test_the_result_does_not_wait_for_what_is_opened(autojump_clock: MockClock) -> None:
    """Whoever gave the last command is answered with the record of it; the `end` follows it, and
    everybody is shown the rest."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s, turns=1)
        await client.submit(game, "a", "hide", counting.WORDS[0])
        done = await client.submit(game, "b", "pass")
        assert type(done) is m.Accepted
        while kinds(store, game)[-1] != "reveal":
            await client.ask(m.Ping)
        found = kinds(store, game)
        assert found.index("end") < found.index("reveal") == len(found) - 1
        assert done.head.seq == found.index("end")
