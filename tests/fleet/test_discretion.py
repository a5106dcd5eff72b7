"""What the machines of a fleet write down for whoever looks after them holds nothing of what they
keep for others."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import trio

from tests.fleet.test_edges import acted, edge, got, secrets_of, spectator, table, watch
from tests.fleet.test_nodes import Engine, engine, frames_of, process
from tests.serve.rig import key_of
from tests.serve.wire.test_sockets import client_of
from tests.toys import counting
from warledger.engine.runtime import tokens
from warledger.engine.store.files.datadir import all_games, read_game
from warledger.engine.store.fleet.fleetadmin import TOKEN_FILE
from warledger.engine.store.fleet.gamefolds import claimed_in
from warledger.engine.store.fleet.keyring import read_ring
from warledger.engine.store.port import FRAME_META, FRAME_RECORD, Frame
from warledger.protocol.wire import messages as m

__all__ = ["engine"]

PLANTED = "planted-6b1f"
"""Stands in every word that somebody gives to a node or an edge and that is nobody's business."""

PICK = f"{PLANTED}-pick"
NAME = f"{PLANTED}-name"
WRONG = f"a:{PLANTED}-token"


def forms(secret: bytes) -> set[bytes]:
    """How a secret could stand in a text or a file."""
    told = {secret, secret.hex().encode(), repr(secret)[2:-1].encode()}
    told |= {json.dumps(secret.decode("latin-1"))[1:-1].encode()}
    # The middle of it in base64, wherever it begins.
    for shift in range(3):
        text = base64.b64encode(bytes(shift) + secret)[4:-4]
        told |= {text, text.replace(b"+", b"-").replace(b"/", b"_")} if len(text) > 8 else set()
    return told


def leaked(secrets: dict[str, bytes], written: dict[str, bytes]) -> list[str]:
    """Which secret stands where."""
    return [
        f"{what} in {where}"
        for what, secret in secrets.items()
        for form in forms(secret)
        for where, data in written.items()
        if form in data
    ]


def keys_of(engine: Engine) -> dict[str, bytes]:
    """What the folder of a fleet's keys holds that nobody else may have: seeds and private keys,
    as they stand in their files and as bytes."""
    found = {f"{one.kind} {one.number}": one.secret for one in read_ring(engine.keys).keys}
    for path in engine.keys.rglob("*"):
        if path.suffix == ".nk" or path.name == TOKEN_FILE:
            found[path.name] = path.read_bytes().strip()
        elif path.suffix == ".key":
            # The lines of the middle: the first and the last are like those of any key.
            found[str(path)] = path.read_bytes().splitlines()[2]
    assert {"signing 1", "data 1", "node.nk", "system.nk", TOKEN_FILE} <= found.keys()
    return found


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def kept(data: Path, game: str, records: int) -> None:
    """Wait until the archive has so much of a game."""
    while not ((data / "archive.json").exists() and game in all_games(data)):
        await trio.lowlevel.checkpoint()
    while True:
        frames = await trio.to_thread.run_sync(read_game, data, game)
        if sum(frame.kind == FRAME_RECORD for frame in frames) >= records:
            return


async def test_figures_and_logs_hold_nothing_of_a_game_nor_of_a_key(
    engine: Engine, tmp_path: Path
) -> None:
    """A game with hidden words is played over two nodes, an edge and an archive; its owner is
    killed, tokens are replaced, words, tokens and names are given that are none. Neither what they
    log at level "debug", nor their figures, nor the log of the NATS server hold a record, a pick,
    an opening, a secret, bookkeeping, a token or its digest, or the seed of a key; and nothing of
    it but what the public may see is in clear in the NATS server's files."""
    logs = tmp_path / "logs"
    logs.mkdir()
    archive = [sys.executable, "-m", "warledger.clients.cli", "archive", "--store", engine.url]
    archive += ["--keys", str(engine.keys), "--data", str(tmp_path / "archive"), "--plain"]
    figures: dict[str, bytes] = {}
    with (
        engine.nodes(tmp_path / "a", tmp_path / "b", logs=logs) as (a, b),
        edge(engine, tmp_path / "e", logs=logs) as e,
        process(archive, "archive") as following,
        trio.fail_after(90),
    ):
        game, given, player = await table(a, b, delay=0)
        watcher, _ = await spectator(e)
        await watch(watcher, game)

        async def looked(name: str, paths: tuple[str, ...], *nodes: Any) -> None:
            for number, node in enumerate(nodes):
                for path in paths:
                    status, said = await node.get(path, "host:secret")
                    assert status == 200 and said
                    figures[f"{name} {number} {path}"] = said.encode()

        # What is refused, at the owner and on its way there, with words that nobody should keep.
        for one, seat in ((player, "a"), (await client_of(a, given["b"]), "b")):
            for asked in (
                (m.Choices, game, seat, (PICK,)),
                (m.Choices, game, seat, ("hide", PICK)),
                (m.Preview, game, seat, (PICK, PICK)),
                (m.Login, WRONG, NAME),
                (m.CreateGame, "counting", {PICK: PICK}, 0),
                (m.CreateGame, PICK, {}, 0),
            ):
                answer = await one.ask(*asked)
                assert type(answer) in (m.Error, m.Refused), answer
        assert type(await player.submit(game, "a", "hide", PICK)) is m.Declined
        assert type(await watcher.ask(m.Login, WRONG, NAME)) is m.Error
        for node in (a, b):
            assert (await node.get("/metrics", WRONG))[0] == 401
            await node.get(f"/api/games/{PLANTED}/view?token={WRONG}")
        for step in range(4):
            await acted(player, game, step, "hide", counting.WORDS[step % 3])
        await looked("before", ("/metrics", "/metrics?own=1"), a, b)
        a.process.kill()
        for step in range(4, 8):
            head = await acted(player, game, step, "hide", counting.WORDS[step % 3])
        host = await client_of(b, "host:secret")
        renewed = await host.ask(m.NewToken, game, "a")
        assert type(renewed) is m.Token, renewed
        assert type(await player.ask(m.Login, renewed.token, "")) is m.LoggedIn
        head = await acted(player, game, 8, "hide", counting.WORDS[0])
        await watcher.until((game, "public"), head.seq)
        await kept(tmp_path / "archive", game, head.seq + 1)
        await looked("after", ("/metrics", "/metrics?own=1", "/health"), b)
        figures["edge"] = await got(e, "/metrics")
        following.terminate()
        assert following.stdout is not None
        figures["archive"] = (await trio.to_thread.run_sync(following.stdout.read)).encode()
    frames = await frames_of(engine, game)
    secrets = keys_of(engine) | {
        "a renewed token": renewed.token.encode(),
        "its digest": tokens.digest(renewed.token),
        "planted": PLANTED.encode(),
        "the host's digest": tokens.digest("host:secret"),
        "the key of a seat": key_of(game, "a").encode(),
    }
    # Who owns a game is in the logs, as it should be.
    owned = {data for kind, data in frames if kind == FRAME_META and _claim(data)}
    hidden = secrets_of([one for one in frames if one[1] not in owned], given) | owned
    secrets |= {f"hidden {n}": one for n, one in enumerate(sorted(hidden))}
    assert len(hidden) > 20
    records = [data for kind, data in frames if kind == FRAME_RECORD]
    played = {f"record {n}": data for n, data in enumerate(records)}
    played |= {f"pick {word}": word.encode() for word in counting.WORDS}
    written = figures | files_of(logs)
    written[str(engine.nats.folder / "log")] = (engine.nats.folder / "log").read_bytes()

    # It is looked at where there is something to see.
    said = b"".join(files_of(logs).values())
    assert said.count(b'"committed"') > 8 and said.count(game.encode()) > 8
    assert {Path(name).name for name in files_of(logs)} == {"a", "b", "e"}
    assert all(b"warledger_" in data for name, data in figures.items() if "metrics" in name)
    assert b"archive" in figures["archive"]
    assert leaked({"a game": game.encode()}, {"logs": said})
    assert leaked(secrets | played, written) == []

    stored = files_of(engine.nats.folder / "js")
    assert all(leaked({"": data}, stored) for data in records[-2:])  # the public stream's
    # By the digest of the host's token every node knows the host; it opens nothing.
    del secrets["the host's digest"]
    assert leaked(secrets, stored) == []


def _claim(data: bytes) -> bool:
    return claimed_in([Frame(FRAME_META, data)]) is not None
