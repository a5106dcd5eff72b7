"""TLS as the client of NATS speaks it, against trio's own as the server."""

from __future__ import annotations

import random
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trustme
from trio.testing import memory_stream_pair

from warledger.engine.nats.tls import TLSStream

AUTHORITY = trustme.CA()


@asynccontextmanager
async def joined(
    *, trusts: bool = True
) -> AsyncIterator[tuple[TLSStream, trio.SSLStream[trio.abc.Stream], trio.abc.Stream]]:
    """A client, its server, and the server's stream below; connected, if the client `trusts`."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert("here").configure_cert(server)
    known = ssl.create_default_context()
    if trusts:
        AUTHORITY.configure_trust(known)
    below, above = memory_stream_pair()
    ours = TLSStream(below, known, "here")
    theirs = trio.SSLStream[trio.abc.Stream](above, server, server_side=True, https_compatible=True)
    if trusts:
        with trio.fail_after(10):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(theirs.do_handshake)
                await ours.do_handshake()
    yield ours, theirs, above


async def test_what_came_in_many_records_is_given_at_once() -> None:
    """The answers to many appends cost one step, and not one each."""
    async with joined() as (ours, theirs, _):
        said = [b"answer %d" % number for number in range(50)]
        for one in said:
            await theirs.send_all(one)
        with trio.fail_after(5):
            assert await ours.receive_some() == b"".join(said)


async def test_bytes_arrive_both_ways_however_they_are_cut() -> None:
    """Megabytes, taken from below in pieces that end anywhere; then the end, without a word of
    farewell."""
    rng = random.Random(3)
    there, back = rng.randbytes(2_000_000), rng.randbytes(700_000)
    got_there = bytearray()

    async with joined() as (ours, theirs, above):

        async def serve() -> None:
            while len(got_there) < len(there):
                got_there.extend(await theirs.receive_some())
            for at in range(0, len(back), 30_000):
                await theirs.send_all(back[at : at + 30_000])
            await above.aclose()

        got = bytearray()
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(serve)
                await ours.send_all(there)
                while data := await ours.receive_some(rng.choice((1, 70, 5_000, 100_000))):
                    got.extend(data)
        assert (bytes(got_there), bytes(got)) == (there, back)
        assert await ours.receive_some() == b""


async def test_changed_bytes_break_the_connection() -> None:
    """Nothing of what was changed on the way is given."""
    async with joined() as (ours, theirs, above):
        await theirs.send_all(b"sound")
        assert await ours.receive_some() == b"sound"
        await above.send_all(b"\x17\x03\x03\x00\x20" + bytes(32))
        with pytest.raises(trio.BrokenResourceError):
            await ours.receive_some()


async def test_a_server_of_an_unknown_authority_is_refused_and_hears_so() -> None:
    """Before anything was said to it."""
    async with joined(trusts=False) as (ours, theirs, _), trio.open_nursery() as nursery:

        async def serve() -> None:
            with pytest.raises(trio.BrokenResourceError):
                await theirs.do_handshake()

        nursery.start_soon(serve)
        with trio.fail_after(10), pytest.raises(ssl.SSLCertVerificationError):
            await ours.do_handshake()
