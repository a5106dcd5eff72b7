"""Table talk at the terminal, over a link to a server in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import trio
import trio.testing

from tests.clients.table import link, title
from tests.clients.test_terminal import screen
from tests.serve.rig import HOST_TOKEN, server
from warledger.clients.link import sit
from warledger.clients.terminal.player import Player
from warledger.protocol.wire import talkmessages as tm

MockClock = trio.testing.MockClock


async def slowly(*lines: str) -> AsyncIterator[str]:
    """Lines that are typed a minute apart."""
    for line in lines:
        await trio.sleep(60)
        yield line


async def test_players_talk_while_they_play(tmp_path: Path, autojump_clock: MockClock) -> None:
    """What is typed after `say` is said as it is, commas and all, whoever's turn it is; what the
    other says is shown as it is said; `talk` shows all of it, made harmless."""
    said: Any
    async with server(titles={"war_at_sea": title()}, data=tmp_path) as serving:
        async with link(serving, token=HOST_TOKEN) as host:
            made = await host.create("war_at_sea")
        given = dict(made.tokens)
        async with (
            link(serving, token=given["allied"], name="Anna") as a,
            link(serving, token=given["axis"], name="Bert") as x,
        ):
            allied, axis = await sit(a, made.game, "allied"), await sit(x, made.game, "axis")
            assert await allied.asked()
            early = partial(
                tm.SayLine, game=made.game, room=tm.PLAYERS, seat="allied", text="Hello, Bert."
            )
            await a.request(early, again=False)
            shown, out = screen()
            other, heard = screen()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(Player(allied, other, slowly(*["help"] * 9, "quit")).play)
                lines = slowly("say  Well met, Anna; good luck!", "SAY", "talk", "talk 1", "quit")
                await Player(axis, shown, lines).play()
                nursery.cancel_scope.cancel()
    said = out.getvalue()
    assert "1 line has been said at the table" in said
    assert "Type what you want to say" in said
    assert said.count("Bert: Well met, Anna; good luck!") == 3
    assert said.count("Anna: Hello, Bert.") == 1, "only where it was asked for"
    assert heard.getvalue().count("Bert: Well met, Anna; good luck!") == 1
