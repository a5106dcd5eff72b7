"""Playing through the server: seats, commands, repeats, refusals."""

import trio

from protocol import chain
from protocol import messages as m
from tests.serve.rig import gapless, new_game, server, started


async def test_two_seats_of_one_connection_play_a_game_to_its_end(autojump_clock: trio.testing.MockClock) -> None:
    """One connection may hold both seats; every accepted command carries a good signed head; the log verifies."""
    async with server() as s:
        game, _, client = await started(s, turns=2)
        assert type(await client.ask(m.Subscribe, game, m.FROM_GENESIS, "public")) is m.Subscribed
        for _ in range(2):
            for seat in ("a", "b"):
                answer = await client.submit(game, seat, "add", 3)
                assert type(answer) is m.Accepted
                assert chain.head_is_signed_by(s.hub.supervisor.signer.public, answer.head)
        last = s.hub.supervisor.games[game].profile.progress
        assert last.stage == "ended"
        records = await client.until((game, "public"), last.seq)
        assert gapless(records)
        log = list(chain.follow(data for _, data, _ in records))
        assert log[-1].hash == answer.head.hash
