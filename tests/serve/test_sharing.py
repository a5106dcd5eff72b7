"""Games of one pack hold its data once."""

import trio
import trio.testing

from tests.serve.rig import server, started


async def test_games_of_one_pack_share_their_start(autojump_clock: trio.testing.MockClock) -> None:
    """Two games with the same options begin in the very same state object, two with other options
    do not; codecs are shared too."""
    async with server() as s:
        first, _, _ = await started(s, turns=2)
        second, _, _ = await started(s, turns=2)
        third, _, _ = await started(s, turns=3)
        games = s.hub.supervisor.games
        rules = s.hub.titles["counting"].rules
        starts = [rules.initial(games[game].profile.genesis) for game in (first, second, third)]
        assert starts[0] is starts[1]
        assert starts[0] is not starts[2]
        live = [games[game].live for game in (first, second)]
        assert live[0] is not None and live[1] is not None
        assert live[0].ledger.codec is live[1].ledger.codec
