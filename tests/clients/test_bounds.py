"""A small file or stream cannot exhaust whoever reads it: what a watch, a replay and an audit keep
grows with the file and no faster."""

import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from tests.toys import PACKS, TOYS
from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.examine import examine
from warledger.clients.audit.replay import BadEvidence, replay
from warledger.clients.link import BadServer
from warledger.clients.link.watch import Watch
from warledger.engine.testing.rig import Rig
from warledger.protocol import canon, limits
from warledger.protocol.board import effects as fx
from warledger.protocol.board.effects import Effect
from warledger.protocol.log import records, wlog
from warledger.protocol.log.records import Record
from warledger.protocol.seats.acts import picks_digest


def log(*blobs: tuple[Effect, ...]) -> list[Record]:
    """A game's beginning, and one command after the other of the same seat with these effects. It
    chains; no rule knows it."""
    found = Rig(TOYS["counting"], PACKS["counting"]).records
    genesis = found[0].hash
    for n, effects in enumerate(blobs, 3):
        last = found[-1]
        id, blind = n.to_bytes(4, "big"), bytes(32)
        body = (
            last.seq,
            "a",
            ((1,), blind),
            id,
            (b"", n, last.hash, b""),
            (),
            (),
            canon.pack(effects),
            (),
            (0, ()),
            (("a", last.seq + 1, "prompt.q"),),
            picks_digest(genesis, "a", last.seq, id, blind, (1,)),
        )
        found.append(records.make(last.seq + 1, last.at_ms, "a", records.COMMAND, body, last.hash))
    return found


def large_board(count: int) -> list[tuple[Effect, ...]]:
    """A board of thousands of pieces, and then a move of one piece in each record: each board kept
    whole would be a copy of all."""
    rng = random.Random(1)
    full = tuple(fx.put(f"p{n}", "h") for n in range(2000))
    return [full, *((fx.move(f"p{rng.randrange(2000)}", "x"),) for _ in range(count))]


def peak(act: Callable[[], Any]) -> int:
    """The most bytes that an act holds at one time."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_watch_does_not_keep_every_board() -> None:
    """A stream of a few hundred kilobytes takes megabytes to follow, and every board of it can be
    had all the same."""
    made = log(*large_board(2000))
    assert sum(len(record.data) for record in made) < 500_000
    watch = Watch("rig", "public")

    used = peak(lambda: watch.take(0, [(record.data, b"") for record in made]))

    assert watch.fault is None and watch.last_seq == len(made) - 1
    assert used < 40_000_000, used
    for seen in random.Random(2).sample(watch.seen[-2000:], 100):
        assert seen.board.pieces[seen.effects[0][1]].place == "x"
        assert seen.board.seq == seen.record.seq


def test_a_replay_does_not_keep_every_board() -> None:
    """The same of a file."""
    found = examine(
        wlog.encode(
            [wlog.Frame(wlog.FRAME_RECORD, record.data) for record in log(*large_board(2000))],
            sealed=True,
        )
    )

    used = peak(lambda: replay(found))

    assert used < 40_000_000, used


BOUNDLESS: dict[str, tuple[Effect, ...]] = {
    "pieces": tuple(fx.put(f"p{n}", "h") for n in range(limits.BOARD_PIECES_MAX + 1)),
    "spans": (fx.opening("turn", "k"),) * (limits.SPANS_OPEN_MAX + 1),
    "form": ((fx.PUT, "a", {"b": 1}, "", ""),),
    "rewind": ((fx.REWIND, 10**9),),
}


@pytest.mark.parametrize("name", BOUNDLESS)
def test_a_board_beyond_bounds_ends_the_watch_and_the_replay(name: str) -> None:
    """A board without bounds, or effects that make none, are told with their record: by a fault of
    the watch, by an error of the replay."""
    made = log((fx.put("p", "h"),), BOUNDLESS[name])
    watch = Watch("rig", "public")

    watch.take(0, [(record.data, b"") for record in made])

    assert type(watch.fault) is BadServer
    assert watch.last_seq == made[-1].seq - 1 and watch.board.pieces["p"].place == "h"
    with pytest.raises(BadEvidence) as raised:
        replay(
            examine(
                wlog.encode(
                    [wlog.Frame(wlog.FRAME_RECORD, record.data) for record in made],
                    sealed=True,
                )
            )
        )
    assert raised.value.args_by_name["record"] == made[-1].seq


def test_a_pack_that_is_none_ends_the_watch() -> None:
    """A genesis whose data do not read as a pack is the server's fault, told as such."""
    (genesis, *_) = log()
    body = list(genesis.body)
    body[7] = canon.pack((1, 2))
    body[8] = records.hash_of(body[7])
    made = records.make(
        0, genesis.at_ms, genesis.actor, genesis.kind, tuple(body), genesis.previous
    )
    watch = Watch("rig", "public")

    watch.take(0, [(made.data, b"")])

    assert type(watch.fault) is BadServer


def test_an_audit_keeps_no_list_of_free_takebacks_for_each_record() -> None:
    """A game of thousands of commands that could all be taken back takes memory that grows with the
    game, not with its square."""
    used = []
    for count in (1000, 4000):
        data = wlog.encode(
            [wlog.Frame(wlog.FRAME_RECORD, record.data) for record in log(*[()] * count)],
            sealed=True,
        )
        found: list[Evidence] = []
        used.append(peak(lambda data=data, found=found: found.append(examine(data))))
        assert len(found[0].records) > count
    assert used[1] < 6 * used[0], used
