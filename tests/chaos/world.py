"""Games over real servers while everything around them is killed, stopped, cut off, filled and set
wrong, from one seed; and what must hold afterwards.

The players, the spectators and the promises are those of the simulated fleet
(`tests/simulate/promises.py`). Here the engine, the disks, the sockets and TLS are real, so a seed
gives the same faults in the same order and not the same run.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import trio
from attrs import define, field

from tests.chaos.faults import Troubled
from tests.chaos.machines import NODES, SHARDS
from tests.chaos.node import HEALER, TAG_BYTES
from tests.serve.rig import Client
from tests.simulate.promises import Broken, said_of
from tests.simulate.world import SEATS, _ask, _Gone
from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit
from warledger.engine.nats.jetstreamapi import Kept
from warledger.engine.nats.natsport import EngineError
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.store.files.check import check
from warledger.engine.store.files.datadir import all_games, read_game
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.gamefolds import claimed_in
from warledger.engine.store.fleet.publicstream import public_frames
from warledger.engine.store.port import (
    FRAME_META,
    FRAME_OPENINGS,
    FRAME_RECORD,
    FRAME_SECRETS,
    Frame,
)
from warledger.protocol import canon
from warledger.protocol.log.wlog import walk
from warledger.protocol.wire import messages as m

SETTLED_SECONDS: Final = 60.0
"""How long after the last fault everything must be played and told."""

UNDER_WAY_SECONDS: Final = 6.0
"""How long what had begun to go wrong may go on when nothing new does."""

SECRET_BYTES: Final = 16
"""Byte strings in openings of at least this length are looked for everywhere: shorter ones may
stand somewhere by chance."""


@define(eq=False)
class Recorded(trio.abc.Stream):
    """A client's stream that keeps all that came."""

    stream: trio.SocketStream
    came: bytearray

    async def send_all(self, data: Any) -> None:
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self.stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        data = bytes(await self.stream.receive_some(max_bytes))
        self.came += data
        return data

    async def aclose(self) -> None:
        await self.stream.aclose()


@define(eq=False)
class Held:
    """What was read back: of each game its appends with their writers, the messages of its public
    stream, and its frames in the archive; the cards; the files of the NATS servers and the edge."""

    private: dict[str, list[tuple[str, list[Frame]]]] = field(factory=dict)
    public: dict[str, bytes] = field(factory=dict)
    archive: dict[str, list[Frame]] = field(factory=dict)
    cards: list[bytes] = field(factory=list)
    files: list[bytes] = field(factory=list)
    edge: list[bytes] = field(factory=list)


@define(eq=False)
class Chaos(Troubled):
    """One run. `seconds` is how long new games begin and things go wrong."""

    seconds: float = 60.0
    games: int = 3
    watchers: int = 1
    came: bytearray = field(factory=bytearray)
    held: Held = field(factory=Held)
    is_late: bool = False
    rng: random.Random = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def _fork(self) -> random.Random:
        return random.Random(self.rng.random())

    # --- clients ----------------------------------------------------------------------------------

    async def _client(self, token: str, rng: random.Random, *, watches: bool = False) -> Client:
        while True:
            await trio.sleep(rng.random() * 0.2)
            who = [f"node {n}" for n in NODES]
            if watches and rng.random() < 0.6:
                who = ["edge"]
            with trio.move_on_after(self.patience), suppress(_Gone, OSError):
                stream = await trio.open_tcp_stream("127.0.0.1", self.site.ports[rng.choice(who)])
                client = Client(Recorded(stream, self.came) if watches else stream)
                if (
                    type(await _ask(client, m.Hello, m.VERSION, "chaos")) is m.Welcome
                    and type(await _ask(client, m.Login, token, "")) is m.LoggedIn
                ):
                    return client
                await client.stream.aclose()
            await trio.sleep(0.2)

    # --- the run ----------------------------------------------------------------------------------

    async def run(self) -> None:
        """Play through the faults to the end of all games, and read back what is held."""
        self.began = time.monotonic()
        print(f"seed {self.seed}")
        await self.site.made({"deny_delete": False})
        for one in (*self.site.nodes, *self.site.others.values()):
            one.start()
        async with (
            fleetadmin.reached(self.site.where(), seconds=30) as self.js,
            trio.open_nursery() as nursery,
        ):
            nursery.start_soon(self._look)
            limit = trio.current_time() + self.seconds
            over = [trio.Event() for _ in range(self.games)]
            for one in over:
                nursery.start_soon(self._table, limit, self._fork(), nursery, one)
            with trio.move_on_after(self.seconds + UNDER_WAY_SECONDS):
                await self.trouble(self._fork(), limit)
            await self.mend()
            with trio.move_on_after(SETTLED_SECONDS) as late:
                for one in over:
                    await one.wait()
                while not await self._is_settled():  # noqa: ASYNC110 - others' work gives no event
                    await trio.sleep(0.5)
            self.is_late = late.cancelled_caught
            self.note("settled" if not self.is_late else "not settled")
            nursery.cancel_scope.cancel()
        async with fleetadmin.reached(self.site.where(), seconds=30) as self.js:
            await self.read_back()

    async def _table(
        self, limit: float, rng: random.Random, nursery: trio.Nursery, over: trio.Event
    ) -> None:
        """One game after the other."""
        while trio.current_time() < limit:
            game = await self._new_game(rng)
            for number in range(self.watchers):
                for audience in ("public", *SEATS):
                    nursery.start_soon(self._watch, game, audience, number, self._fork())
            async with trio.open_nursery() as players:
                for seat in SEATS:
                    players.start_soon(self._play, game, seat, self._fork())
        over.set()

    async def _look(self) -> None:
        """Nothing may end that nobody ended."""
        while True:
            await trio.sleep(0.3)
            for one in self.site.machines:
                if how := one.fell():
                    raise Broken(how)

    async def _is_settled(self) -> bool:
        """Whether everybody has seen what the engine holds, and the archive has it."""
        await self.read_back(files=False)
        return all(not self._missing_of(game) for game in self.tokens)

    def _is_archived(self, game: str, frames: list[Frame]) -> bool:
        """Whether the archive has these frames. Where something was lost and came back it may have
        been claimed in between, which the archive then has behind it."""
        kept = self.held.archive.get(game)
        if game in self.healed and kept is not None:
            kept = [one for one in kept if claimed_in([one]) is None]
            frames = [one for one in frames if claimed_in([one]) is None]
        return kept == frames

    def _missing_of(self, game: str) -> list[str]:
        frames = [one for _, some in self.held.private.get(game, ()) for one in some]
        count = sum(one.kind == FRAME_RECORD for one in frames)
        missing = [
            f"{key[1]} {key[2]}"
            for key, got in self.seen.items()
            if key[0] == game and len(got) < count
        ]
        if self.held.public.get(game) != said_of(public_frames(frames)):
            missing.append("public stream")
        if not self._is_archived(game, frames):
            missing.append("archive")
        return missing

    # --- reading back -----------------------------------------------------------------------------

    async def read_back(self, *, files: bool = True) -> None:
        """What the engine and the archive hold, and the servers' files."""
        held = Held()
        for shard in range(SHARDS):
            pieces: dict[str, bytes] = {}
            for kept in await self._messages(f"WG{shard}", f"wg.{shard}.>"):
                game = kept.subject.rpartition(".")[2]
                piece = self.site.ring.data_keys.open(kept.payload)
                if piece.game != game:
                    raise Broken(f"{game}: a message of {piece.game} at {kept.sequence}")
                pieces[game] = pieces.get(game, b"") + piece.data
                if piece.piece + 1 == piece.pieces:
                    frames = [Frame(kind, said) for _, kind, said in walk(pieces.pop(game), 0)]
                    name = kept.headers.get("W-Append") or kept.headers["Nats-Msg-Id"]
                    by = name.rpartition(".")[2][: 2 * TAG_BYTES]
                    held.private.setdefault(game, []).append((by, frames))
            for kept in await self._messages(f"WP{shard}", f"wp.{shard}.>"):
                game = kept.subject.rpartition(".")[2]
                held.public[game] = held.public.get(game, b"") + kept.payload
        archive = self.site.folder / "archive"
        if archive.exists():
            for game in await trio.to_thread.run_sync(lambda: list(all_games(archive))):
                with suppress(Exception):  # it is being written; at the end it is read for good
                    held.archive[game] = await trio.to_thread.run_sync(read_game, archive, game)
        held.cards = [one.payload for one in await self._messages("WCARDS", "card.>")]
        if files:
            held.files = _files(self.site.folder / "js")
            held.edge = _files(self.site.folder / "data-edge")
        self.held = held

    async def _messages(self, stream: str, subjects: str) -> list[Kept]:
        """All messages of a stream, from a replica that has as many as the leader says."""
        for _ in range(200):
            try:
                count = int((await self.js.describe(stream))["state"]["messages"])
                found: list[Kept] = []
                while len(found) < count:
                    after = found[-1].sequence if found else 0
                    some, _ = await self.js.read(
                        stream, subjects, after, most=256, most_bytes=8_000_000
                    )
                    if not some:
                        break
                    found += some
                if len(found) >= count:
                    return found
            except EngineError:
                pass
            await trio.sleep(0.1)
        raise Broken(f"{stream} cannot be read back")

    def _log_of(self, game: str) -> list[tuple[str, list[Frame]]]:
        """The writers by the names of their incarnations, as claims say them."""
        appends = self.held.private.get(game, [])
        names: dict[str, str] = {}
        for _, frames in appends:
            for frame in frames:
                owner = claimed_in([frame])
                if owner:
                    names[owner[-2 * TAG_BYTES :]] = owner
        if game not in self.healed:
            return [(names.get(by, by), frames) for by, frames in appends]
        # Whose it was when the end of the game went, and when it came back.
        found: list[tuple[str, list[Frame]]] = []
        owner = ""
        for by, frames in appends:
            claimed = claimed_in(frames)
            owner = owner if claimed is None else claimed
            found.append((owner if by == HEALER.hex() else names.get(by, by), frames))
        return found

    def _public(self, game: str) -> bytes:
        return self.held.public.get(game, b"")

    # --- the promises -----------------------------------------------------------------------------

    def check(self) -> None:
        """Everything that was promised. Raises Broken."""
        if self.is_late:
            missing = {game: self._missing_of(game) for game in self.tokens}
            raise Broken(f"not settled in {SETTLED_SECONDS} s: {missing}, ended {self.ended}")
        self._check()
        for game in self.held.private.keys() | self.held.public.keys():
            if game not in self.tokens:
                self._check_unfinished(game)
        self._check_archive()
        self._check_secrets()

    def _check_unfinished(self, game: str) -> None:
        """A game of which nobody was told may have been made, and nothing more."""
        if any(name == game for name, _ in self.told.accepted):
            raise Broken(f"{game}: played, and never given to anybody")

    def _check_archive(self) -> None:
        archive = self.site.folder / "archive"
        if wrong := check(archive):
            raise Broken(f"the archive is not sound: {wrong}")
        for game in self.tokens:
            frames = [one for _, some in self._log_of(game) for one in some]
            if not self._is_archived(game, frames):
                raise Broken(f"{game}: the archive has it otherwise than the engine")
            if not is_clean(audit(export_game(frames))[0]):
                raise Broken(f"{game}: its file from the archive does not audit sound")

    def _secrets(self) -> Iterator[tuple[str, bytes]]:
        """What only some may ever have: tokens, and what stands in openings, in a game's keys and
        in bookkeeping. What everybody got later, by a record or at the end, is none."""
        yield "the host's token", self.host.encode()
        for game, given in self.tokens.items():
            for token in given.values():
                yield f"a token of {game}", token.encode()
            frames = [one for _, some in self._log_of(game) for one in some]
            shown = said_of(public_frames(frames))
            for frame in frames:
                if frame.kind in (FRAME_OPENINGS, FRAME_SECRETS, FRAME_META):
                    yield f"a frame of {game}", frame.payload
                    for found in _byte_strings(canon.unpack(frame.payload)):
                        if len(found) >= SECRET_BYTES and found not in shown:
                            yield f"something private of {game}", found

    def _check_secrets(self) -> None:
        """Nothing of that where everybody may read it, or where the engine keeps it in clear."""
        public = b"\0".join(self.held.public.values())
        places = {
            "the public streams": public,
            "the cards": b"\0".join(self.held.cards),
            "the edge's files": b"\0".join(self.held.edge),
            "what spectators received": bytes(self.came),
            "the servers' files": b"\0".join(self.held.files),
        }
        for what, secret in self._secrets():
            for place, data in places.items():
                if secret in data:
                    raise Broken(f"{what} stands in {place}")


def _files(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()]


def _byte_strings(value: Any) -> Iterator[bytes]:
    if isinstance(value, bytes):
        yield value
        with suppress(Exception):  # openings hold packs within packs
            yield from _byte_strings(canon.unpack(value))
    elif isinstance(value, str):
        yield value.encode()
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _byte_strings(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _byte_strings(key)
            yield from _byte_strings(one)


__all__ = ["Chaos", "Held", "Recorded"]
