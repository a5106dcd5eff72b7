"""The link: verifies what it follows, comes back after a break without loss or repeat, keeps
receipts."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.testing
from nacl.signing import SigningKey

from tests.clients.table import SEATS, TITLE, Breaking, link, table, title
from tests.serve.rig import server
from warledger.clients.bots.seated import play_bot
from warledger.clients.bots.selfplay import Field, Played, play
from warledger.clients.link import (
    BadServer,
    Disconnected,
    Papers,
    Receipts,
    RecordsLost,
    ServerError,
    linked,
    read_receipts,
    sit,
)
from warledger.clients.link.watch import Watch
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol import canon
from warledger.protocol.board.choices import Refusal, say
from warledger.protocol.chance.seal import pack_openings
from warledger.protocol.log import records
from warledger.protocol.log.chain import Head, sign_head
from warledger.protocol.seats import acts
from warledger.protocol.wire.messages import Accepted, Goodbye

SEED = 20


async def test_breaks_lose_and_repeat_nothing() -> None:
    """Players and a spectator whose connections keep breaking play a whole game: one record a
    command, and the same log for all."""
    commands = 0
    connections = []
    async with table() as (serving, game, tokens):

        async def seat(name: str) -> None:
            nonlocal commands
            async with link(serving, token=tokens[name], name=name, breaks_after=90_000) as mine:
                played = await play_bot(await sit(mine, game, name), "random", SEED)
                commands += played
                connections.append(mine.connections)

        async with link(serving, breaks_after=70_000) as cut, link(serving) as whole:
            broken, steady = await cut.watch(game), await whole.watch(game)
            async with trio.open_nursery() as nursery:
                for name in SEATS:
                    nursery.start_soon(seat, name)
                seen = [record async for record in broken]
            await steady.reached(broken.last_seq)
            connections.append(cut.connections)

    by_seats = [
        item
        for item in seen
        if item.record.kind == records.COMMAND and item.record.body[records.COMMAND_SEAT]
    ]
    assert min(connections) > 1, "no connection broke: the test proves nothing"
    assert [item.record.seq for item in seen] == list(range(len(seen)))
    assert [item.record.hash for item in seen] == [item.record.hash for item in steady.seen]
    assert broken.board == steady.board
    assert len(by_seats) == commands


@pytest.mark.parametrize("quietly", [False, True])
async def test_breaks_while_coming_back_are_mended_too(quietly: bool) -> None:
    """Requests that wait for the link go on once it is back, though several tries broke before it
    was up, some inside a message."""
    async with table() as (serving, game, tokens):
        bounds = [0, 10, 60, 200]
        first: list[trio.abc.Stream] = []
        changes: list[bool] = []

        async def dial() -> trio.abc.Stream:
            bound = bounds.pop(0) if bounds else 0
            stream = serving.pipe()
            first.append(stream)
            return Breaking(stream, bound, quietly=quietly) if bound else stream

        async with linked(dial, token=tokens["allied"]) as mine:
            mine.on_change = changes.append
            await mine.watch(game)
            await first[0].aclose()
            with trio.fail_after(20):
                async with trio.open_nursery() as nursery:
                    for _ in range(3):
                        nursery.start_soon(mine.games)
                        await trio.sleep(0.1)
                await mine.ping()

    assert (mine.connections, changes) == (2, [False, True])


async def test_a_goodbye_before_the_end_of_the_bytes() -> None:
    """A client that was told goodbye dials again, also while the old connection is still open; what
    it asks meanwhile is answered."""
    async with table() as (serving, _, _), link(serving) as mine:
        old = list(serving.hub.connections)
        for connection in old:
            connection.out.write(connection.session.send(Goodbye(0, say("goodbye.stopping"))))
        await trio.testing.wait_all_tasks_blocked()
        with trio.fail_after(5):
            assert await mine.ping() > 0
        assert mine.connections == 2


async def test_a_command_sent_twice_is_one_command() -> None:
    """The same command id submitted again is answered with the record it became."""
    async with (
        table() as (serving, game, tokens),
        link(serving, token=tokens["allied"]) as mine,
        link(serving, token=tokens["axis"]) as other,
    ):
        seat = await sit(mine, game, "allied")
        await sit(other, game, "axis")
        assert await seat.asked()
        offer = await seat.offer()
        assert not isinstance(offer, Refusal)

        first = await seat.submit(("done",), offer.decision, command_id=b"one")
        second = await seat.submit(("done",), offer.decision, command_id=b"one")

    assert isinstance(first, Accepted) and isinstance(second, Accepted)
    assert (second.seq, second.again) == (first.seq, True)


async def test_what_a_command_draws_takes_few_bytes() -> None:
    """A blind is 16 bytes twice, and an id has 8; neither stands in the other."""
    async with (
        table() as (serving, game, tokens),
        link(serving, token=tokens["allied"]) as mine,
        link(serving, token=tokens["axis"]) as other,
    ):
        seat = await sit(mine, game, "allied")
        await sit(other, game, "axis")
        assert await seat.asked()
        offer = await seat.offer()
        assert not isinstance(offer, Refusal)
        assert isinstance(await seat.submit(("done",), offer.decision), Accepted)
        (entry,) = (one for one in seat.papers.entries.values() if one.act.kind == acts.COMMAND)

    (_, id, _), (_, blind) = entry.act.body, entry.private
    assert (len(blind), blind[:16], len(id)) == (32, blind[16:], 8)
    assert len(set(blind[:16])) > 4 and id not in blind


async def test_a_seat_keeps_its_papers_to_itself(tmp_path: Path) -> None:
    """Each acceptance leaves a signed head on disk; key, nonce and acts are there before they are
    used; all for their owner alone."""
    folder = tmp_path / "receipts"
    async with (
        table() as (serving, game, tokens),
        link(serving, token=tokens["allied"], receipts=folder) as mine,
        link(serving, token=tokens["axis"]) as other,
    ):
        seat = await sit(mine, game, "allied")
        papers = Receipts(folder).papers(game, seat.watch.genesis.hash, "allied")
        kept = papers.nonce, papers.key
        await sit(other, game, "axis")
        assert await seat.asked()
        offer = await seat.offer()
        assert not isinstance(offer, Refusal)
        accepted = await seat.submit(("done",), offer.decision)
        assert isinstance(accepted, Accepted)
        hashes = {seen.record.seq: seen.record.hash for seen in seat.watch.seen}
        shown = next(
            seen.record for seen in seat.watch.seen if seen.record.body[:2] == ("nonce", "allied")
        )

    heads = read_receipts(folder, game)
    assert kept[0] == shown.body[2] and kept[1] is not None
    assert kept[1].verify_key.encode() == shown.body[4][0]
    assert accepted.head in heads and heads[0].seq == 0
    assert all(hashes[head.seq] == head.hash for head in heads)
    papers.refresh()
    assert [entry.act.kind for entry in papers.entries.values()] == ["taken", "nonce", "command"]
    assert all(entry.stands is not None for entry in papers.entries.values())
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


async def test_two_seats_of_one_game_under_one_user_do_not_accuse_the_server(
    tmp_path: Path,
) -> None:
    """Two players with one folder of receipts play a whole healthy game, coming and going: nobody
    is told that records were lost."""
    async with table() as (serving, game, tokens):

        async def seat(name: str) -> None:
            for _ in range(3):
                async with link(
                    serving, token=tokens[name], name=name, receipts=tmp_path, breaks_after=90_000
                ) as mine:
                    at = await sit(mine, game, name)
                    if name == "axis":
                        await at.asked()
            async with link(
                serving, token=tokens[name], name=name, receipts=tmp_path, breaks_after=90_000
            ) as mine:
                at = await sit(mine, game, name)
                await play_bot(at, "random", SEED)
                assert at.watch.fault is None

        async with trio.open_nursery() as nursery:
            for name in SEATS:
                nursery.start_soon(seat, name)

    by_seat = {name.split(".")[2] for name in os.listdir(tmp_path) if name.endswith(".heads")}
    assert by_seat == set(SEATS)


async def test_a_server_put_back_to_an_older_copy_is_found_by_receipts(tmp_path: Path) -> None:
    """A client that comes with receipts for records that the server no longer has finds them out;
    while all are there it finds nothing."""
    async with table() as (serving, game, tokens):
        older, now = MemoryStore(), serving.hub.supervisor.store
        await older.create(game, now.read(game))
        async with (
            link(serving, token=tokens["allied"], receipts=tmp_path) as mine,
            link(serving, token=tokens["axis"]) as other,
        ):
            seat = await sit(mine, game, "allied")
            await sit(other, game, "axis")
            assert await seat.asked()
            offer = await seat.offer()
            assert not isinstance(offer, Refusal)
            await seat.submit(("done",), offer.decision)
            kept = read_receipts(tmp_path, game)
        async with link(serving, token=tokens["allied"], receipts=tmp_path) as again:
            assert (await sit(again, game, "allied")).watch.last_seq >= kept[-1].seq

    last = max(head.seq for head in kept)
    async with (
        server(older, titles={TITLE: title()}) as back,
        link(back, token=tokens["allied"], receipts=tmp_path) as mine,
    ):
        with pytest.raises(RecordsLost, match=f"a receipt for record {last} "):
            await sit(mine, game, "allied")

        assert (await mine.watch(game, "allied")).last_seq == 0


async def test_a_nonce_is_shown_in_no_second_game_of_the_same_id(tmp_path: Path) -> None:
    """A server that makes a game anew under its old id gets neither nonce nor key: the client says
    that there are two beginnings."""
    async with (
        table() as (serving, game, tokens),
        link(serving, token=tokens["allied"], receipts=tmp_path) as mine,
    ):
        first = (await sit(mine, game, "allied")).watch.genesis.hash

    async with (
        table() as (anew, same, tokens),
        link(anew, token=tokens["allied"], receipts=tmp_path) as back,
    ):
        assert same == game
        with pytest.raises(BadServer, match="had a different beginning"):
            await sit(back, game, "allied")
        watch = await back.watch(game, "allied")

        assert watch.genesis.hash != first and watch.last_seq == 0


async def test_a_client_that_stays_is_told_when_the_server_comes_back_without_records() -> None:
    """A link that comes back to a server which lacks what it had shown gives up with that reason,
    and does not try for minutes."""
    async with table() as (serving, game, tokens), table() as (older, _, _):
        streams: list[trio.abc.Stream] = []

        async def dial() -> trio.abc.Stream:
            streams.append((older if streams else serving).pipe())
            return streams[-1]

        async with (
            linked(dial, token=tokens["allied"]) as mine,
            link(serving, token=tokens["axis"]) as other,
        ):
            seat = await sit(mine, game, "allied")
            await sit(other, game, "axis")
            assert await seat.asked()
            await streams[0].aclose()
            with pytest.raises(BadServer, match="lost records"), trio.fail_after(5):
                while True:
                    await seat.watch.wait()


def test_a_torn_receipt_is_cut_off(tmp_path: Path) -> None:
    """A crash in the middle of a receipt costs that one; those before and after it can be read."""
    heads = [Head("g", seq, bytes(32), bytes(64)) for seq in range(3)]
    for head in heads[:2]:
        Papers(tmp_path, "g", bytes(32), "a").keep(head)
    (file,) = tmp_path.glob("*.heads")
    file.write_bytes(file.read_bytes()[:-5])

    Papers(tmp_path, "g", bytes(32), "a").keep(heads[2])

    assert read_receipts(tmp_path) == [heads[0], heads[2]]


async def test_a_client_that_restarts_shows_its_nonce(tmp_path: Path) -> None:
    """A seat taken by a client that went away before the other sat down can still show the nonce it
    committed to."""
    async with table() as (serving, game, tokens):
        async with link(serving, token=tokens["allied"], receipts=tmp_path) as mine:
            await sit(mine, game, "allied")
        async with (
            link(serving, token=tokens["axis"]) as other,
            link(serving, token=tokens["allied"], receipts=tmp_path) as again,
        ):
            await sit(other, game, "axis")
            seat = await sit(again, game, "allied")

            assert await seat.asked()


async def test_a_wrong_token_is_told_at_once() -> None:
    """A token that is worth nothing raises ServerError with the code for it."""
    async with table() as (serving, _, _):
        with pytest.raises(ServerError) as caught:
            async with link(serving, token="nonsense"):
                pass

    assert caught.value.code == "login"


async def test_nobody_there_is_told_at_once() -> None:
    """The first dial is tried once."""

    async def dial() -> trio.abc.Stream:
        raise OSError("nobody there")

    with pytest.raises(Disconnected):
        async with linked(dial):
            pass


# --- what a watch does not take -------------------------------------------------------------------


@pytest.fixture(scope="module")
def played() -> Played:
    """A game between random players, with the hidden-movement variant so that there are private
    openings."""
    return play(Field.of("war_at_sea"), seed=SEED, options={"v18_2_hidden_allied_movement": True})


def items(played: Played, audience: str) -> Iterator[tuple[bytes, bytes]]:
    """The records and the audience's openings, as a server sends them."""
    for record, openings in zip(played.records, played.openings, strict=True):
        mine = tuple(opening for opening in openings if audience in opening.readers)
        yield record.data, pack_openings(mine) if mine else b""


def test_a_sound_log_is_taken(played: Played) -> None:
    """Every record of an honest server is taken, private openings included."""
    watch = Watch(played.game, "allied")
    watch.take(0, items(played, "allied"))

    assert watch.fault is None
    assert watch.ended and watch.winner == played.outcome.winner
    assert any(seen.openings for seen in watch.seen)


def test_a_changed_byte_is_found(played: Played) -> None:
    """A changed record is found by the one after it, the last one by the signed head."""
    sent = list(items(played, "public"))
    head = sign_head(played.key, played.game, played.records[-1].seq, played.records[-1].hash)
    for at in (5, len(sent) // 2, len(sent) - 2, len(sent) - 1):
        data = bytearray(sent[at][0])
        data[-40] ^= 1
        watch = Watch(played.game, "public")
        watch.take(0, [*sent[:at], (bytes(data), b""), *sent[at + 1 :]])
        if at == len(sent) - 1 and watch.fault is None:
            with pytest.raises(BadServer):
                watch.expect(head)
        else:
            assert isinstance(watch.fault, BadServer), at


def test_a_missing_record_is_found(played: Played) -> None:
    """A gap is not taken."""
    sent = list(items(played, "public"))
    watch = Watch(played.game, "public")
    watch.take(0, sent[:10])
    watch.take(11, sent[11:])

    assert isinstance(watch.fault, BadServer)
    assert watch.last_seq == 9


def test_an_opening_that_does_not_fit_is_found(played: Played) -> None:
    """A private opening with another value than the sealed one is not taken."""
    sent = list(items(played, "allied"))
    at, openings = next((at, openings) for at, openings in enumerate(played.openings) if openings)
    lie = canon.pack(tuple((o.seq, o.path, o.salt, "tirpitz", o.readers) for o in openings))
    watch = Watch(played.game, "allied")
    watch.take(0, [*sent[:at], (sent[at][0], lie)])

    assert isinstance(watch.fault, BadServer)


def test_a_head_of_another_key_or_hash_is_found(played: Played) -> None:
    """A receipt must carry the key of the genesis and the hash of its record, also of one still to
    come."""
    stranger = SigningKey(bytes(32))
    watch = Watch(played.game, "public")
    sent = list(items(played, "public"))
    watch.take(0, sent[:20])

    watch.expect(sign_head(played.key, played.game, 19, played.records[19].hash))
    with pytest.raises(BadServer):
        watch.expect(sign_head(stranger, played.game, 19, played.records[19].hash))
    with pytest.raises(BadServer):
        watch.expect(sign_head(played.key, played.game, 19, bytes(32)))
    watch.expect(sign_head(played.key, played.game, 30, bytes(32)))
    watch.take(20, sent[20:])
    assert isinstance(watch.fault, BadServer)
