"""`warledger role`: tokens that only look, made, listed and revoked on a data directory."""

import json
from pathlib import Path

import pytest
import trio

from tests.e2e.test_command_line import warledger
from tests.serve.wire.test_sockets import client_of
from warledger.engine.runtime.titles import installed
from warledger.engine.serve.app import serve
from warledger.engine.serve.config import Config
from warledger.engine.serve.people import viewtokens
from warledger.engine.store.files import datadir
from warledger.protocol.wire import messages as m


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A data directory with one game."""
    data = tmp_path_factory.mktemp("roles") / "data"

    async def main() -> str:
        async with trio.open_nursery() as nursery:

            async def run(task_status: trio.TaskStatus[object]) -> None:
                await serve(
                    Config(data, port=0, log_level="error"),
                    titles=installed(),
                    signals=False,
                    task_status=task_status,
                )

            up = await nursery.start(run)
            game = str(
                (await (await client_of(up, up.token)).ask(m.CreateGame, "war_at_sea", {}, 0)).game
            )
            nursery.cancel_scope.cancel()
        return game

    return data, trio.run(main)


def test_roles_are_made_listed_and_revoked(games: tuple[Path, str]) -> None:
    """A token is shown once; the list names it by its id, for whom it is and what it sees; revoked
    it is on no list."""
    data, game = games
    data_args = ("--data", str(data), "--note", "by mail")
    made = warledger("role", "arbiter", "--name", "Anna", *data_args, "--json")
    arbiter = json.loads(made.output)
    assert arbiter["name"] == "Anna"
    for name in ("host", "An\nna", "x" * 99, "", "Anna", "ANNA", "Аnna"):
        assert warledger("role", "arbiter", "--name", name, *data_args).exit_code == 2
    assert arbiter["token"].startswith("arbiter:")
    told = warledger("role", "caster", f"{game}/allied", f"{game}/axis", "--data", str(data))
    assert (
        told.exit_code,
        "caster:" in told.output,
        f"{game}/allied, {game}/axis" in told.output,
    ) == (0, True, True)
    listed = warledger("role", "list", "--data", str(data))
    assert (
        "Anna · by mail" in listed.output
        and arbiter["id"] in listed.output
        and arbiter["token"] not in listed.output
    )
    assert len(json.loads(warledger("role", "list", "--data", str(data), "--json").output)) == 2
    assert warledger("role", "revoke", arbiter["id"], "--data", str(data)).exit_code == 0
    assert warledger("role", "revoke", arbiter["id"], "--data", str(data)).exit_code == 1
    [left] = viewtokens.read(data)
    assert left.rows == (("caster", game, "allied"), ("caster", game, "axis"))


NOT_THERE = (
    ("arbiter", "--name", "Ann", "--game", "nothing"),
    ("arbiter",),
    ("caster", "nothing/allied"),
    ("caster", "{game}/nobody"),
    ("caster", "{game}"),
)


@pytest.mark.parametrize("args", NOT_THERE)
def test_what_is_not_there_is_not_granted(games: tuple[Path, str], args: tuple[str, ...]) -> None:
    """A game or a seat that is not there is wrong usage, and nothing is made."""
    data, game = games
    before = viewtokens.read(data)
    result = warledger("role", *(arg.format(game=game) for arg in args), "--data", str(data))
    assert (result.exit_code, viewtokens.read(data)) == (2, before)


def test_only_a_data_directory_has_roles(tmp_path: Path) -> None:
    """In another folder nothing is made."""
    assert warledger("role", "arbiter", "--name", "A", "--data", str(tmp_path)).exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_whoever_has_an_account_is_an_arbiter_with_it(games: tuple[Path, str]) -> None:
    """Under the handle of an account no token is made, whatever its case: the account is granted
    the role."""
    data, _ = games
    at = ("--data", str(data))
    assert warledger("account", "create", "Carla", *at).exit_code == 0
    refused = warledger("role", "arbiter", "--name", "carla", *at)
    assert (refused.exit_code, "account roles Carla --grant" in refused.output) == (2, True)
    assert warledger("role", "arbiter", "--name", "Carlo", *at).exit_code == 0


def test_a_node_grants_a_role_in_a_game_of_its_fleet(tmp_path: Path) -> None:
    """A node's directory has none of the fleet's games, so that any of them may be named."""
    datadir.mark(datadir.disk_of(tmp_path))
    at = ("--game", "elsewhere", "--data", str(tmp_path))
    assert warledger("role", "arbiter", "--name", "Nora", *at).exit_code == 0
