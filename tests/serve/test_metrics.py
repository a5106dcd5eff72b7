"""The figures for operators."""

import trio
import trio.testing
from prometheus_client import generate_latest

from tests.serve.rig import server, started
from warledger.protocol.wire import messages as m


async def test_figures_tell_what_happened(autojump_clock: trio.testing.MockClock) -> None:
    """Counters and gauges follow commands, refusals, repeats, subscriptions and connections."""
    async with server() as s:
        game, _, client = await started(s)
        await client.ask(m.Subscribe, game, -1, "public")
        decision = (await client.ask(m.Choices, game, "a", ())).decision
        await client.submit(game, "a", "pass", decision=decision, id=b"x")
        await client.submit(game, "a", "pass", decision=decision, id=b"x")
        await client.submit(game, "a", "fly", decision=decision, id=b"y")
        await trio.sleep(1)
        text = generate_latest(s.hub.metrics.registry).decode()
        rows = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        assert float(rows["warledger_commands_again_total"]) == 1
        assert float(rows["warledger_commands_refused_total"]) == 1
        assert float(rows["warledger_games_live"]) == 1
        assert float(rows["warledger_subscribers"]) == 1
        assert float(rows["warledger_connections"]) == len(s.hub.connections)
        assert float(rows["warledger_loop_lag_seconds_count"]) > 0
