"""Games that only an archive has are read from there, and nobody takes its word."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import define

from tests.audit.attacked import whole
from tests.fleet.test_cards import row, streams
from tests.nats.rig import Nats, client, nats, ready
from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.store.fleet import archiveloans, sealedmessages
from warledger.engine.store.fleet.archiveloans import (
    TO_EDGES,
    TO_NODES,
    Borrower,
    Lending,
    NotLent,
    in_clear,
    opened_in_clear,
)
from warledger.engine.store.fleet.cards import Card, Cards
from warledger.engine.store.fleet.finishedgames import Finished
from warledger.engine.store.fleet.gamefolds import PUBLIC, owner_meta
from warledger.engine.store.fleet.publicstream import public_frames
from warledger.engine.store.fleet.retirement import archived
from warledger.engine.store.fleet.sealedmessages import DataKeys
from warledger.engine.store.port import FRAME_HEAD, FRAME_META, FRAME_OPENINGS, FRAME_RECORD, Frame
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.log.records import Genesis
from warledger.protocol.log.wlog import FRAME_END, encode_frame, parse

KEYS = DataKeys.of({1: bytes(32), 2: bytes(range(32))}, 1)
GAME = Genesis.from_record(whole().records[0]).game
BOOKS = Frame(FRAME_META, b"\xa5books")
FRAMES = [frame for frame in parse(whole().file()).frames if frame.kind != FRAME_END]
FRAMES = [FRAMES[0], BOOKS, *FRAMES[1:]]
SHOWN = public_frames(FRAMES)
RECORDS = sum(frame.kind == FRAME_RECORD for frame in FRAMES)


@define
class Fleet:
    """An engine with one card, and what of an archive and of readers takes part."""

    engine: Nats
    nursery: trio.Nursery
    js: JetStream
    cards: Cards
    sequence: int = 0

    async def card(self, **changes: Any) -> None:
        """Write the game's card; without changes that of a game that has left."""
        left = archived(Card(row(GAME, RECORDS - 1, stage="ended")), Finished.of(FRAMES))
        card = Card({**left.row, **changes}, archived=changes.get("archived", True))
        self.sequence = await self.cards.write(GAME, card.packed(), self.sequence)
        while (now := self.cards.of(GAME)) is None or now.packed() != card.packed():
            await trio.lowlevel.checkpoint()

    def reader(self, subject: str, folder: Path | None = None) -> Borrower:
        opens = KEYS.open if subject == TO_NODES else opened_in_clear
        return Borrower(self.js.engine, self.cards, subject, opens, folder)

    @asynccontextmanager
    async def archive(self, frames: Sequence[Frame] = FRAMES) -> AsyncIterator[Lending]:
        """An archive that has these frames, on a connection of its own."""
        store = MemoryStore()
        await store.create(GAME, frames)
        async with client(self.engine.settings()) as own, trio.open_nursery() as nursery:
            lends = Lending(await ready(own), self.cards, KEYS, store)
            nursery.start_soon(lends.run)
            yield lends
            nursery.cancel_scope.cancel()

    @asynccontextmanager
    async def saying(self, answer: Callable[[str, int], bytes | None]) -> AsyncIterator[list[int]]:
        """Somebody who answers for the archive with whatever this gives; None is silence. Yields
        which pieces were asked for."""
        asked: list[int] = []
        async with client(self.engine.settings()) as own, trio.open_nursery() as nursery:
            heard = (await ready(own)).subscribe("lend.>")

            async def run() -> None:
                while True:
                    message = await heard.receive()
                    asked.append(int(message.payload))
                    said = answer(message.subject.rpartition(".")[0], asked[-1])
                    if said is not None:
                        own.publish(message.reply, said)

            nursery.start_soon(run)
            yield asked
            nursery.cancel_scope.cancel()


@pytest.fixture
async def fleet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nursery: trio.Nursery
) -> AsyncIterator[Fleet]:
    monkeypatch.setattr(archiveloans, "PIECE_BYTES", 900)
    monkeypatch.setattr(sealedmessages, "PIECE_BYTES", 900)
    monkeypatch.setattr(archiveloans, "ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(archiveloans, "REFUSED_SECONDS", 0.0)
    with nats(tmp_path / "nats") as engine:
        async with client(engine.settings()) as one:
            js = JetStream(await ready(one))
            await streams(js)
            cards = Cards(js.engine)
            await nursery.start(cards.run)
            made = Fleet(engine, nursery, js, cards)
            await made.card()
            yield made


def pieces(subject: str, frames: Sequence[Frame], game: str = GAME) -> list[bytes]:
    data = b"".join(encode_frame(frame.kind, frame.payload) for frame in frames)
    return list(KEYS.seal(game, 0, data) if subject == TO_NODES else in_clear(game, data))


async def test_a_node_gets_all_and_an_edge_what_is_public(fleet: Fleet, tmp_path: Path) -> None:
    """Piece by piece a node is given every frame but claims, an edge the public's in clear; what a
    node keeps on its disk is sealed, and gives the same without an archive, also behind another
    data key; a file that was changed there is asked for again."""
    node, edge = fleet.reader(TO_NODES, tmp_path / "lent"), fleet.reader(TO_EDGES)
    claimed = [*FRAMES, owner_meta("n1", 5), owner_meta("(archived)", 6)]
    async with fleet.archive(claimed) as archive:
        found: list[list[Frame]] = []
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(lambda: _into(found, node))
        assert found == [FRAMES] * 3 and archive.lent == node.borrowed == 1
        assert await edge.frames(GAME) == SHOWN != FRAMES
    kept = (tmp_path / "lent" / GAME).read_bytes()
    assert all(frame.payload not in kept for frame in FRAMES if len(frame.payload) > 3)
    again = fleet.reader(TO_NODES, tmp_path / "lent")
    assert await again.frames(GAME) == FRAMES and again.borrowed == 0
    (tmp_path / "lent" / GAME).write_bytes(kept[:-5])
    again = fleet.reader(TO_NODES, tmp_path / "lent")
    with pytest.raises(NotLent, match="no archive answers"):
        await again.frames(GAME)
    async with fleet.archive(claimed):
        assert await again.frames(GAME) == FRAMES and again.borrowed == 1


async def _into(found: list[list[Frame]], node: Borrower) -> None:
    found.append(await node.frames(GAME))


def _lies(subject: str) -> list[list[bytes]]:
    base = FRAMES if subject == TO_NODES else SHOWN
    at = [n for n, frame in enumerate(base) if frame.kind == FRAME_RECORD]
    head = max(n for n, frame in enumerate(base) if frame.kind == FRAME_HEAD)
    changed = bytearray(base[at[2]].payload)
    changed[-1] ^= 1
    forged = bytearray(base[head].payload)
    forged[-1] ^= 1
    honest = pieces(subject, base)
    lies = [
        pieces(subject, base, "another"),
        pieces(subject, base[: at[-1]]),
        pieces(subject, [*base[: at[2]], *base[at[3] :]]),
        pieces(subject, [*base[: at[2]], Frame(FRAME_RECORD, bytes(changed)), *base[at[2] + 1 :]]),
        pieces(subject, [*base[:head], Frame(FRAME_HEAD, bytes(forged)), *base[head + 1 :]]),
        pieces(subject, base[:head]),
        [honest[1], honest[0], *honest[2:]],
        [honest[0], honest[0], *honest[2:]],
        [b"", *honest[1:]],
        [b"\xff" * 300, *honest[1:]],
        [honest[0][:-1], *honest[1:]],
    ]
    if subject == TO_EDGES:
        lies += [pieces(TO_NODES, base), pieces(subject, FRAMES)]
        lies += [pieces(subject, [*base, Frame(FRAME_OPENINGS, b"\x90")])]
    else:
        lies += [pieces(TO_EDGES, base)]
    return lies


@pytest.mark.parametrize("subject", (TO_NODES, TO_EDGES))
async def test_a_lying_archive_is_not_believed(fleet: Fleet, tmp_path: Path, subject: str) -> None:
    """Another game, a game that is cut, lacks a record, has another or a forged head, pieces out of
    order, twice or of another kind, and for an edge whatever is not public: none of it is given to
    anybody or kept, and the truth is taken afterwards."""
    assert len(pieces(subject, SHOWN)) > 3
    for number, lie in enumerate(_lies(subject)):
        reader = fleet.reader(subject, tmp_path / "lent")
        async with fleet.saying(lambda _, n, lie=lie: lie[n] if n < len(lie) else None):  # type: ignore[misc]
            with pytest.raises(NotLent):
                await reader.frames(GAME)
                pytest.fail(f"lie {number} was believed")
        assert await reader.lent(GAME) is None
        assert not (tmp_path / "lent" / GAME).exists()
    async with fleet.archive():
        assert [one for one in await reader.frames(GAME) if one.kind in PUBLIC] == SHOWN


async def test_more_pieces_than_are_lent_are_refused(fleet: Fleet) -> None:
    """Whoever speaks of more than the bound, of none, or ever more, is left at once."""
    for pieces_said in (0, archiveloans.PIECES_MAX + 1, 10**12):
        said = archiveloans.canon.pack((GAME, 0, 0, pieces_said, b"x"))
        reader = fleet.reader(TO_EDGES)
        async with fleet.saying(lambda *_, said=said: said) as asked:  # type: ignore[misc]
            with pytest.raises(NotLent):
                await reader.frames(GAME)
        assert asked == [0]


async def test_a_transfer_that_is_cut_goes_on_with_another_archive(fleet: Fleet) -> None:
    """An archive that dies in the middle costs one piece if another is there; if none is, the
    reader is told within seconds."""
    honest = pieces(TO_NODES, FRAMES)
    half = len(honest) // 2
    reader = fleet.reader(TO_NODES)
    async with fleet.saying(lambda _, n: honest[n] if n < half else None) as asked:
        with pytest.raises(NotLent, match="no archive answers"), trio.fail_after(20):
            await reader.frames(GAME)
        assert asked == [*range(half), *[half] * archiveloans.TRIES]
        async with fleet.archive():
            assert await reader.frames(GAME) == FRAMES


async def test_only_a_game_that_has_left_is_lent(fleet: Fleet, tmp_path: Path) -> None:
    """A game that is in the engine, or back in it, is not lent to anybody, whatever the archive
    has of it; nor is one that stopped there, or one whose card does not name its last record."""
    reader = fleet.reader(TO_EDGES)
    async with fleet.archive() as archive:
        await fleet.card(archived=False)
        with pytest.raises(NotLent):
            await reader.frames(GAME)
        with trio.move_on_after(0.5):
            await fleet.js.engine.request(f"{TO_NODES}.{GAME}", b"0", seconds=5)
            pytest.fail("it was lent")
        await fleet.card()
        archive.stopped = lambda game: game == GAME
        with pytest.raises(NotLent):
            await reader.frames(GAME)
        archive.stopped = lambda game: False
        for wrong in (b"", b"-1", b"9999", b"x", b"\xb2", b"99"):
            with trio.move_on_after(0.1):
                await fleet.js.engine.request(f"{TO_EDGES}.{GAME}", wrong, seconds=5)
                pytest.fail(f"{wrong!r} was answered")
        await fleet.card(hash="")
        with pytest.raises(NotLent, match="does not name"):
            await reader.frames(GAME)
        await fleet.card()
        assert await reader.frames(GAME) == SHOWN


async def test_what_a_node_keeps_is_bounded(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the folder's files the ones that were not used for longest make room; one game too large
    for it is not kept."""
    folder = tmp_path / "lent"
    folder.mkdir()
    for number in range(4):
        (folder / f"old{number}").write_bytes(bytes(1000))
        archiveloans.os.utime(folder / f"old{number}", (number, number))
    size = sum(len(one) + 4 for one in pieces(TO_NODES, FRAMES))
    monkeypatch.setattr(archiveloans, "FOLDER_BYTES", 2 * size)
    room = (2 * size - size) // 1000
    async with fleet.archive():
        await fleet.reader(TO_NODES, folder).frames(GAME)
        names = sorted(one.name for one in folder.iterdir())
        assert names == sorted([GAME, *[f"old{n}" for n in range(4)][4 - min(room, 4) :]])
        (folder / GAME).unlink()
        monkeypatch.setattr(archiveloans, "FOLDER_BYTES", size)
        await fleet.reader(TO_NODES, folder).frames(GAME)
        assert not (folder / GAME).exists()
