"""Games of one pack hold its data once."""

import base64
import gzip
import re
import time
from pathlib import Path

import pytest
import trio
import trio.testing
from click.testing import CliRunner

from tests.serve.rig import server, started
from warledger.clients.cli.server import export
from warledger.engine.store.files.wal import at_once, open_store
from warledger.protocol.log import wlog


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


@pytest.mark.parametrize("delay_s", [0, 3600])
async def test_a_page_of_a_data_directory_holds_what_spectators_may_see(
    tmp_path: Path,
    autojump_clock: trio.testing.MockClock,
    monkeypatch: pytest.MonkeyPatch,
    delay_s: int,
) -> None:
    """It is for everybody, whoever makes it: within the delay it holds nothing but the genesis."""
    async with open_store(tmp_path / "data", run=at_once) as store, server(store) as s:
        game, _, _ = await started(s, delay_s=delay_s)
        now_ns = s.hub.supervisor.ambient.now_ms() * 1_000_000
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)
    html = tmp_path / "game.html"
    done = CliRunner().invoke(export, [game, "--data", str(tmp_path / "data"), "--html", str(html)])
    assert done.exit_code == 0, done.output
    (log,) = re.findall('id="warledger-log">([^<]+)<', html.read_text(encoding="utf-8"))
    kept = wlog.parse(gzip.decompress(base64.b64decode(log)), sealed=True).records
    assert (len(kept) == 1) == bool(delay_s)
