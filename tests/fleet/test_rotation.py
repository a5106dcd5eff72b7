"""A fleet's keys are changed while its games are played."""

from __future__ import annotations

import shutil
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import trio
from attrs import evolve as changed
from click.testing import CliRunner
from nacl.signing import SigningKey

from tests.fleet.test_edges import acted, edge, spectator, watch
from tests.fleet.test_nodes import Engine, Node, frames_of, new_game, own_engine
from tests.serve.rig import gapless, sit_down
from tests.serve.wire.test_sockets import client_of
from tests.verdicts import is_clean, notes_of
from warledger.clients.audit.audit import audit
from warledger.clients.cli import main
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.store.fleet.keyring import read_ring
from warledger.engine.store.port import FRAME_HEAD, FRAME_RECORD, Frame
from warledger.protocol import canon
from warledger.protocol.log import chain
from warledger.protocol.log.chain import Head, HeadSigner
from warledger.protocol.log.records import ROTATE, Genesis, read
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m

__all__ = ["own_engine"]


async def rotate_key(engine: Engine, *how: str) -> None:
    """Run the command."""
    said = ["fleet", "rotate-key", "--keys", str(engine.keys), *how]
    found = await trio.to_thread.run_sync(lambda: CliRunner().invoke(main, said))
    assert found.exit_code == 0, found.output


async def stopped(*nodes: Node) -> None:
    """Tell nodes to stop, and wait until they have."""
    for one in nodes:
        one.process.send_signal(signal.SIGTERM)
        assert await trio.to_thread.run_sync(one.process.wait) == 0


def notes_in(data: bytes, *keys: bytes) -> tuple[bool, set[str]]:
    """Whether a file is sound by these keys, and what its audit notes."""
    report, _ = audit(data, key=keys)
    return is_clean(report), {note.key for note in notes_of(report)}


async def test_a_game_goes_over_to_the_fleets_new_key_once(
    own_engine: Engine, tmp_path: Path
) -> None:
    """While nodes are restarted one by one, first with the new keys in their rings and then with
    these in use, a game is played on. It goes over by one record, signed with the old key, as soon
    as a node that uses the new one has it, and not back at a node that does not yet; each head is
    signed with the key of its place. By both keys the file is sound; without the new one its audit
    says that there is another, and by a third key it is not sound."""
    engine, told, logs = own_engine, list[Head](), tmp_path / "logs"
    logs.mkdir()
    old = read_ring(engine.keys).signing_key
    with ExitStack() as stack, trio.fail_after(120):

        def begun(name: str, at: Engine = engine) -> Node:
            [node] = stack.enter_context(at.nodes(tmp_path / name, logs=logs))
            return node

        a, e = begun("a"), stack.enter_context(edge(engine, tmp_path / "e"))
        game, given = await new_game(a, turns=10)
        hands: dict[Any, Any] = {}

        async def play(at: Node, until: int) -> None:
            """Moves by a player at this node."""
            player = await client_of(at, given["a"])
            assert type(await player.ask(m.Login, given["b"], "")) is m.LoggedIn
            if not hands:
                await sit_down(player, game)
            player.hands.update(hands)
            for step in range(len(told), until):
                told.append(await acted(player, game, step, "pass"))
            hands.update(player.hands)

        async def named_by(at: Node) -> bytes:
            """The key that a game names which is made at this node."""
            made, _ = await new_game(at, turns=10)
            return Genesis.from_record(read((await frames_of(engine, made))[0][1])).server_key

        await play(a, 3)
        watcher, _ = await spectator(e)
        await watch(watcher, game)
        await rotate_key(engine)
        new = read_ring(engine.keys).next_signing_keys[0]
        handed_out = changed(engine, keys=tmp_path / "handed out")
        shutil.copytree(engine.keys, handed_out.keys)
        late = begun("late")
        await stopped(a)
        await play(late, 6)
        await rotate_key(engine, "--use", "--store", engine.url)
        await play(late, 8)
        named = [await named_by(late)]
        await stopped(late)
        uses = begun("uses")
        await play(uses, 12)
        named.append(await named_by(uses))
        uses.process.kill()
        later = begun("later", handed_out)
        await play(later, 20)
        await watcher.until((game, "public"), told[-1].seq)
        log = await watcher.until_whole((game, "public"))
        frames = await frames_of(engine, game)
    assert not any(b'"error"' in path.read_bytes() for path in logs.iterdir())
    keys = [one.verify_key.encode() for one in (old, new)]
    assert named == keys
    records = [read(data) for kind, data in frames if kind == FRAME_RECORD]
    assert gapless(log) and [data for _, data, _ in log] == [one.data for one in records]
    [rotation] = [one for one in records if one.kind == ROTATE]
    assert rotation.body[0] == keys[1]
    assert acts.verify(keys[0], acts.rotate_bytes(records[0].hash, *keys), rotation.body[1])
    assert told[7].seq < rotation.seq < told[8].seq
    kept = [Head(*canon.unpack(data)) for kind, data in frames if kind == FRAME_HEAD]
    for head in (*kept, *told):
        right, wrong = keys if head.seq < rotation.seq else reversed(keys)
        assert chain.head_is_signed_by(right, head)
        assert not chain.head_is_signed_by(wrong, head)

    file = export_game([Frame(*one) for one in frames])
    assert notes_in(file, *keys) == (True, set())
    assert notes_in(file, keys[1]) == (True, set())
    assert notes_in(file, keys[0]) == (True, {"audit.note.key_changed"})
    assert notes_in(file, SigningKey(bytes(32)).verify_key.encode())[0] is False

    # Nothing but that record changes the key: heads of the new one before it are nobody's.
    signer = HeadSigner(new)
    for with_record in (True, False):
        forged = []
        for kind, data in frames:
            if kind == FRAME_HEAD:
                head = Head(*canon.unpack(data))
                if with_record or head.seq < rotation.seq:
                    data = canon.pack(signer.sign(game, head.seq, head.hash).as_array())
            if not with_record and kind == FRAME_RECORD and read(data).kind == ROTATE:
                break
            forged.append(Frame(kind, data))
        # A newer key may vouch for what was before, if the log says that it is one.
        assert is_clean(audit(export_game(forged), key=keys)[0]) is with_record
