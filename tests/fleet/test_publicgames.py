"""What an edge takes from a public stream, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from nacl.signing import SigningKey

from tests.serve.rig import HOST_TOKEN, server, sit_down
from warledger.engine.nats.jetstreamapi import Kept
from warledger.engine.store.fleet.publicgames import Copy
from warledger.engine.store.fleet.publicstream import (
    BESIDE,
    PIECE,
    RECORDS,
    Place,
    messages,
    public_frames,
)
from warledger.engine.store.port import FRAME_HEAD, FRAME_OPENINGS, FRAME_RECORD, Damaged, Frame
from warledger.protocol import canon
from warledger.protocol.log.chain import Head, sign_head
from warledger.protocol.wire import messages as m


async def game_of() -> tuple[str, list[Frame]]:
    """A game with a few moves, as its server has it."""
    async with server() as s:
        host = await s.client(HOST_TOKEN)
        made = await host.ask(m.CreateGame, "counting", {}, 0)
        player = await s.client(dict(made.tokens)["a"])
        await player.ask(m.Login, dict(made.tokens)["b"], "")
        await sit_down(player, made.game)
        for step in range(4):
            await player.submit(made.game, "ab"[step % 2], "hide", "antelope")
        return made.game, s.hub.supervisor.store.read(made.game)


def stream_of(frames: Sequence[Frame], each: bool = True) -> list[Kept]:
    """The messages of a public stream that holds these frames: one of each, or as few as do."""
    kept: list[Kept] = []
    place = Place()
    for some in [[frame] for frame in frames] if each else [list(frames)]:
        for data, after in messages(some, place):
            headers = {RECORDS: str(after.records), BESIDE: str(after.beside)}
            headers |= {PIECE: after.piece} if after.piece else {}
            kept.append(Kept("wp.0.g", len(kept) + 1, headers, data))
            place = Place.of(kept[-1])
    return kept


def taken(game: str, stream: Sequence[Kept]) -> Copy:
    copy = Copy(game)
    for kept in stream:
        copy.take(kept)
    return copy


async def test_a_game_is_taken_as_it_was_written_and_again_from_its_beginning() -> None:
    """In however many messages; each record is read by its number, the newest head and that of an
    earlier record are those that the server signed; read once more nothing is new."""
    game, frames = await game_of()
    public = public_frames(frames)
    for each in (True, False):
        stream = stream_of(public, each)
        copy = taken(game, stream)
        count = sum(frame.kind == FRAME_RECORD for frame in public)
        assert (copy.frames, copy.count) == (public, count)
        assert [one.kind for one in copy.read(3, 2)].count(FRAME_RECORD) == 2
        assert copy.read(0, None) == public and copy.read(count, None) == []
        heads = [canon.unpack(one.payload) for one in public if one.kind == FRAME_HEAD]
        assert copy.head is not None and copy.head.as_array() == heads[-1]
        found = copy.head_of(heads[1][1])
        assert found is not None and found.as_array() == heads[1]
        copy.begin_again()
        assert [copy.take(kept) for kept in stream] == [[] for _ in stream]
        assert copy.frames == public and copy.last == len(stream)


async def test_whatever_does_not_follow_or_is_not_the_publics_closes_the_game() -> None:
    """A record that is left out, changed or another game's, a head that is not signed or of another
    record, an opening, a place that is not what the message says, and a stream that tells it
    otherwise the second time."""
    game, frames = await game_of()
    public = public_frames(frames)
    records = [n for n, frame in enumerate(public) if frame.kind == FRAME_RECORD]
    heads = [n for n, frame in enumerate(public) if frame.kind == FRAME_HEAD]
    third, head = records[3], heads[2]
    _, seq, hash, _ = canon.unpack(public[head].payload)
    forged: Head = sign_head(SigningKey(bytes(range(32))), game, seq, hash)
    changed = bytearray(public[third].payload)
    changed[-1] ^= 1
    opening = next(frame for frame in frames if frame.kind == FRAME_OPENINGS)
    streams = {
        "left out": [*public[:third], *public[records[4] :]],
        "changed": [*public[:third], Frame(FRAME_RECORD, bytes(changed)), *public[third + 1 :]],
        "forged": [*public[:head], Frame(FRAME_HEAD, canon.pack(forged.as_array()))],
        "other head": [*public[: heads[3]], public[heads[2]]],
        "no head": [*public[:head], Frame(FRAME_HEAD, b"\x01")],
        "opening": [*public[:head], opening],
    }
    for what, told in streams.items():
        with pytest.raises(Damaged):
            taken(game, stream_of(told))
            pytest.fail(what)
    with pytest.raises(Damaged, match="begins game"):
        taken("another", stream_of(public))
    stream = stream_of(public)
    wrong = Kept("wp.0.g", 1, {RECORDS: "7", BESIDE: "0"}, stream[0].payload)
    with pytest.raises(Damaged, match="end behind record 7"):
        taken(game, [wrong])
    copy = taken(game, stream)
    copy.begin_again()
    copy.take(stream[0])
    with pytest.raises(Damaged, match="differs"):
        copy.take(Kept("wp.0.g", 2, stream[2].headers, stream[2].payload))
