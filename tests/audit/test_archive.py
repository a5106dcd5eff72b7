"""Games outlive releases: a file of an earlier release is judged by that release's wheel."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest
import trio
from click.testing import CliRunner

from tests.fixtures.releases import run_before, wheel_of_before
from tests.serve.rig import HOST_TOKEN, Client, key_of, nonce_of, server, take
from warledger.clients.cli import main
from warledger.engine.archive import pipe
from warledger.engine.archive.release import Release, ReleaseFault, ReleaseLost
from warledger.engine.archive.releasedledger import ReleasedLedger
from warledger.engine.archive.wheels import CODE, Archive, BadWheel
from warledger.engine.kernel.ledger import Ledger
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.runtime.titles import Title
from warledger.engine.runtime.titles import installed as installed_titles
from warledger.engine.testing.fakeambient import SeededAmbient
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.board.choices import Choices
from warledger.protocol.chance import dice
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m

T = TypeVar("T")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """An archive with an earlier release, a game that it played, and the wheel's digest."""
    folder = tmp_path_factory.mktemp("earlier")
    wheel = wheel_of_before(folder)
    archive = folder / "archive"
    added = CliRunner().invoke(
        main, ["archive", "add", str(wheel), "--archive", str(archive), "--json"]
    )
    assert added.exit_code == 0, added.output
    digest = str(json.loads(added.output)["digest"])
    out = folder / "played"
    run_before(archive / digest / CODE, "selfplay", "war_at_sea", "--games", "1", "--out", str(out))
    (file,) = out.glob("*.wlog")
    return archive, file, digest


def _audit(file: Path, *more: str) -> tuple[int, dict[str, object]]:
    found = CliRunner().invoke(main, ["audit", str(file), "--allow-no-head", "--json", *more])
    return found.exit_code, json.loads(found.output)


def test_an_older_game_is_judged_by_the_release_that_began_it(
    kept: tuple[Path, Path, str],
) -> None:
    """The installed rules would decide otherwise: without the archive the file differs, with it the
    file is sound at level 2, and the verdict says who decided."""
    archive, file, _ = kept
    code, told = _audit(file)
    assert code == 1
    code, told = _audit(file, "--archive", str(archive))
    assert (code, told["level"]) == (0, 2), told
    assert "archived release" in str(told)


class Threaded(SeededAmbient):
    """Entropy from a seed, so that the dice are the same each time; threads that are threads."""

    def now_ms(self) -> int:
        return 1_700_000_000_000 + int(time.monotonic() * 1000)

    async def blocking(self, call: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(call)


async def test_a_server_finishes_an_older_game_by_the_release_that_began_it(
    kept: tuple[Path, Path, str], tmp_path: Path
) -> None:
    """A game whose digest is the archived one is seated, played, taken back and resigned by that
    release, also after its process was killed; the file is sound with the archive alone."""
    folder, _, _ = kept
    (one,) = Archive(folder).kept()
    titles = installed_titles()
    now = titles["war_at_sea"]
    then = Title(now.rules, now.pack, bytes.fromhex(one.titles["war_at_sea"]))
    store = MemoryStore()
    async with server(store, titles={"war_at_sea": then}, ambient=Threaded(1)) as s:
        host = await s.client(HOST_TOKEN)
        created = await host.ask(m.CreateGame, "war_at_sea", {}, 0)
    # A server of today: its own rules are others, and the archive lies beside its data.
    data = folder.parent / "data"
    async with server(store, titles={"war_at_sea": now}, data=data, ambient=Threaded(1)) as s:
        game = created.game
        given = dict(created.tokens)
        seats = tuple(given)
        client = await s.client(given[seats[0]], seats[0])
        await client.ask(m.Login, given[seats[1]], seats[1])
        for seat in seats:
            answer = await take(client, game, seat)
            assert type(answer) is m.Accepted, answer
        roster = []
        for seat in seats:
            key, hand = key_of(game, seat).verify_key.encode(), await client.hand(game, seat)
            roster.append(
                (seat, "", seat, key, dice.bound_nonce_hash(hand.genesis, seat, nonce_of(seat)))
            )
        for seat in seats:
            genesis = (await client.hand(game, seat)).genesis
            shown = (nonce_of(seat), acts.roster_hash(genesis, roster))
            assert type(await client.act(game, seat, acts.NONCE, shown)) is m.Accepted
        kept_by = s.hub.supervisor.games[game].live
        assert kept_by is not None and isinstance(kept_by.ledger, ReleasedLedger)
        chance, played, gone_back = Random(7), 0, False
        while played < 60:
            picks: tuple[str | int, ...] = ()
            seat, offered = await _asked(client, game, seats)
            while not offered.choices.complete or (
                not offered.choices.is_end and chance.random() < 0.5
            ):
                picks = (*picks, _pick(offered.choices, chance))
                offered = await client.ask(m.Choices, game, seat, picks)
            preview = await client.ask(m.Preview, game, seat, picks)
            assert type(preview) is m.PreviewIs
            accepted = await client.submit(game, seat, *picks)
            assert type(accepted) is m.Accepted, accepted
            played += 1
            if played == 20:
                refused = await client.submit(game, seats[0], "nonsense", id=b"no", decision=1)
                assert type(refused) is not m.Accepted
                os.kill(kept_by.ledger.rules.release.pid, signal.SIGKILL)
                lost = await client.ask(m.Choices, game, seat, ())
                assert type(lost) in (m.Error, m.ChoicesAre, m.Refused)
            if not gone_back and kept_by.position.undo_seat == seat:
                back = await client.ask_for(game, seat, "takeback", kept_by.position.undo[-1])
                assert type(back) is m.Accepted
                gone_back = True
        assert gone_back
        ended = await client.ask_for(game, seats[0], "resign")
        assert type(ended) is m.Accepted
        board = await client.ask(m.Board, game)
        assert type(board) is m.BoardIs and board.description
        while not kept_by.position.whole:
            await trio.lowlevel.checkpoint()
        file = tmp_path / "finished.wlog"
        file.write_bytes(export_game(store.read(game)))
    code, told = _audit(file)
    assert code == 1, told
    code, told = _audit(file, "--archive", str(folder))
    assert (code, told["level"]) == (0, 2), told


async def _asked(client: Client, game: str, seats: tuple[str, ...]) -> tuple[str, m.ChoicesAre]:
    for seat in seats:
        offered = await client.ask(m.Choices, game, seat, ())
        if type(offered) is m.ChoicesAre:
            return seat, offered
    raise AssertionError("nobody is asked")


def _pick(offered: Choices, chance: Random) -> str | int:
    if offered.span is not None:
        return chance.randint(*offered.span)
    return chance.choice(offered.options).id


def test_an_archive_lists_and_forgets(kept: tuple[Path, Path, str], tmp_path: Path) -> None:
    """What is kept is listed by digest and titles; the same wheel twice is one; what was changed,
    is no wheel, or is not there is said in one sentence."""
    folder, _, digest = kept
    archive = Archive(folder)
    (one,) = archive.kept()
    assert one.digest == digest and "war_at_sea" in one.titles
    assert archive.add(next((folder / digest).glob("*.whl"))) == one
    listed = CliRunner().invoke(main, ["archive", "list", "--archive", str(folder)])
    assert listed.exit_code == 0 and one.titles["war_at_sea"][:16] in listed.output
    no = tmp_path / "no.whl"
    no.write_bytes(b"no")
    refused = CliRunner().invoke(main, ["archive", "add", str(no), "--archive", str(folder)])
    assert refused.exit_code == 1 and "is not a wheel" in refused.output
    unknown = CliRunner().invoke(main, ["archive", "remove", "00", "--data", str(tmp_path / "d")])
    assert unknown.exit_code == 1
    assert CliRunner().invoke(main, ["archive", "list"]).exit_code == 2
    copy = tmp_path / "archive"
    (copy / digest).mkdir(parents=True)
    (copy / digest / "about.json").write_bytes((folder / digest / "about.json").read_bytes())
    with pytest.raises(BadWheel):
        Archive(copy).rules("war_at_sea", bytes.fromhex(one.titles["war_at_sea"]))
    assert Archive(copy).remove(digest[:8]) == one and not Archive(copy).kept()


def test_a_release_is_held_to_time_and_form(kept: tuple[Path, Path, str]) -> None:
    """A process that does not answer in time is ended, and the next call starts another; what it
    cannot do it says, and goes on."""
    folder, _, digest = kept
    release = Release(folder / digest / CODE)
    try:
        assert release.call("hello")[:2] == ("hello", pipe.VERSION)
        with pytest.raises(ReleaseFault, match="KeyError"):
            release.call("propose", 7, b"", "draw", (), ())
        with pytest.raises(ReleaseLost):
            os.kill(release.pid, signal.SIGSTOP)
            release.call("hello", seconds=0.1)
        assert release.call("hello")[0] == "hello" and release.generation == 2
    finally:
        release.close()


def test_every_proposal_of_a_ledger_can_be_made_by_a_release() -> None:
    """A proposal that the kernel gets later goes through the pipe as well."""
    assert {f"propose_{name}" for name in pipe.PROPOSALS} == {
        name for name in dir(Ledger) if name.startswith("propose_")
    }
