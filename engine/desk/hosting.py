"""All tournaments of a server: made, found, listed, and tended.

Rules of this file:
- They are kept in a store of their own in the data directory, the same in which a director's desk
  on this machine keeps them: a desk can become a server's.
- All are read when the server begins, beside everything else; whoever asks waits until then.
- The process that has them opens their games itself.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio
from attrs import define, field

from warledger.engine.desk import tournament as desks
from warledger.engine.desk.director import Hall
from warledger.engine.desk.hosted import Hosted, token_meta
from warledger.engine.desk.ratinglogs import RatingLogs
from warledger.engine.desk.soundness import NotAudited, Soundness, audited
from warledger.engine.desk.titled import titled
from warledger.engine.desk.tournament import Tournament, TournamentUnreadable
from warledger.engine.packfiles import sources_digest
from warledger.engine.runtime import tokens
from warledger.engine.runtime.faults import contained, note
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.runtime.supervisor import Supervisor
from warledger.engine.store.files.datadir import LEDGERS
from warledger.engine.store.files.wal import open_store
from warledger.engine.store.port import (
    GameExists,
    Store,
    StoreClosed,
    StoreError,
    StoreFailed,
    UnknownGame,
)
from warledger.engine.tournaments import rated
from warledger.engine.tournaments.charter import Charter, Named
from warledger.engine.tournaments.ratingslog import BadLog
from warledger.protocol import tournaments as forms
from warledger.protocol.log.records import OtherFormat

FOLDER: Final = LEDGERS
"""Where in a data directory the tournaments are kept, in a store of their own."""
TOURNAMENTS_MAX: Final = 1_000
"""How many a server hosts."""

ENTRIES_AT_ONCE: Final = 256
ENTRY_SECONDS: Final = 10.0
"""From one address this many strangers may enter at once, and one more every ENTRY_SECONDS: a
club shares its address, and nobody fills a tournament alone."""
ADDRESSES_MAX: Final = 10_000

Judge = Callable[[str, bytes, Iterable[tuple[str, bytes]], Iterable[bytes]], Soundness]
"""Which games of a tournament count, from its id, its file, its games' files and the servers'
keys. It blocks."""

HallOf = Callable[[bytes], Hall]
"""Where games are played whose ends are signed with this public key."""


@asynccontextmanager
async def opened(data: Path) -> AsyncIterator[Store]:
    """The store of a data directory's tournaments; made if it is missing. Raises what `open_store`
    raises."""
    async with open_store(data / FOLDER) as store:
        yield store


@define(eq=False)
class Hosting:
    """The tournaments of one server."""

    store: Store
    supervisor: Supervisor
    hall_of: HallOf
    log: Any
    ratings: RatingLogs = field(factory=RatingLogs)
    judge: Judge = audited
    all: dict[str, Hosted] = field(factory=dict)
    unreadable: dict[str, Failed] = field(factory=dict)
    _free: dict[str, float] = field(factory=dict)
    _read: trio.Event = field(factory=trio.Event)
    _nursery: trio.Nursery | None = None

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Tend them until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started()
            world = self.supervisor.ambient
            for id in await world.blocking(self.store.games):
                try:
                    found = await desks.load(self.store, world, self.supervisor.signer, id, titled)
                    self._keep(found)
                except OtherFormat as error:
                    self.unreadable[id] = failed("error.other_format", game=id, format=error.format)
                except (TournamentUnreadable, StoreError) as error:
                    self.unreadable[id] = failed("error.quarantined", game=id)
                    self.log.error("tournament unreadable", tournament=id, what=str(error))
                except Exception as error:
                    # Its file is whole and says what none should: it is this one's trouble.
                    self.unreadable[id] = failed("error.quarantined", game=id)
                    note(self.supervisor.metrics, self.log, error, "reading", tournament=id)
            self._read.set()
            await trio.sleep_forever()

    def _keep(self, tournament: Tournament) -> Hosted:
        nursery = self._nursery
        assert nursery is not None

        def start(function: Callable[[], Awaitable[object]]) -> None:
            nursery.start_soon(self._contain, function)

        made = self.all[tournament.id] = Hosted(
            tournament,
            self.hall_of(tournament.at.founding.server_key),
            self.store,
            self.supervisor.ambient,
            self.supervisor.metrics,
            start,
            self.log,
        )
        nursery.start_soon(made.run)
        start(partial(self._rate, made))
        return made

    async def _rate(self, hosted: Hosted) -> None:
        """Rate the games of a tournament once everybody has seen its end. What a crash, or a disk
        that is full, has left undone is made up for at the next start."""
        await hosted.over.wait()
        world, at = self.supervisor.ambient, hosted.shown
        try:
            if await world.blocking(lambda: self.ratings.has(at)):
                return
            counting = await self._sound(hosted)
            told = await world.blocking(lambda: self.ratings.rate(at, counting))
        except (OSError, BadLog, NotAudited, StoreError) as error:
            self.log.error("tournament not rated", tournament=hosted.id, what=str(error))
        else:
            for name in told:
                self.log.info("tournament rated", tournament=hosted.id, ratings=name)
        finally:
            hosted.rated.set()

    async def _sound(self, hosted: Hosted) -> Collection[str]:
        """The games of a tournament that count for ratings: those that are Sound and whole."""
        world, at, store = self.supervisor.ambient, hosted.shown, self.supervisor.store
        ledger = await hosted.tournament.export()
        keys = [at.founding.server_key, *map(bytes.fromhex, at.charter.servers)]

        def files() -> Iterator[tuple[str, bytes]]:
            for game in [board.game for one in at.rounds for board in one.boards if board.game]:
                with suppress(UnknownGame):  # it is on another server, so nobody here can look
                    yield game, export_game(store.read(game))

        found = await world.blocking(lambda: self.judge(hosted.id, ledger, files(), keys))
        for game in [one.game for some in rated.games_of(at).values() for one in some]:
            if game not in found.sound:
                why = found.why.get(game) or found.why.get(hosted.id, "its file is not here")
                self.log.error("game not rated", tournament=hosted.id, game=game, what=why)
        return found.sound

    async def _contain(self, function: Callable[[], Awaitable[object]]) -> None:
        """Run a task of one tournament: what goes wrong in it stops no other."""
        with contained(self.supervisor.metrics, self.log, "task of a tournament"):
            await function()

    def knows(self, id: str) -> bool:
        """Whether there is such a tournament, readable or not."""
        return id in self.all or self.store.keeps(id)

    async def find(self, id: str) -> Hosted | Failed | None:
        """The tournament of that id; None if there is none."""
        if id in self.all:
            return self.all[id]
        if not self._read.is_set():
            if not self.store.keeps(id):
                return None
            await self._read.wait()
        return self.unreadable.get(id) or self.all.get(id)

    async def listed(self) -> list[Hosted]:
        """All of them that can be read, the newest first."""
        await self._read.wait()
        return sorted(self.all.values(), key=lambda one: (-one.tournament.founded_ms, one.id))

    def entry_wait(self, address: str) -> int:
        """Take the turn of an address to enter somebody: 0, or the seconds to wait."""
        now = trio.current_time()
        if len(self._free) > ADDRESSES_MAX:
            self._free = {key: free for key, free in self._free.items() if free > now}
        free = max(self._free.get(address, 0.0), now)
        wait = free - now - (ENTRIES_AT_ONCE - 1) * ENTRY_SECONDS
        if wait > 0:
            return int(wait) + 1
        self._free[address] = free + ENTRY_SECONDS
        return 0

    async def open(
        self, id: str, charter: Charter, director: Named | None, giver: str, *, by_token: bool
    ) -> tuple[Hosted, str, str] | Failed:
        """A new tournament, its director's token, and as whom they act; why not, otherwise. Who
        directs `by_token` and has no id, "", has one that `giver` gives with the token; the token
        of who signs in is "". Without a director both are ""."""
        await self._read.wait()
        supervisor = self.supervisor
        if supervisor.stopping:
            return failed("error.stopping")
        if len(self.all) >= TOURNAMENTS_MAX:
            return failed("error.too_many", most=TOURNAMENTS_MAX)
        if supervisor.store.keeps(id) or id in _NO_IDS:
            return failed("error.tournament_exists", game=id)
        token = tokens.new_token(supervisor.ambient, id) if director and by_token else ""
        whose, name = director or ("", "")
        if token:
            whose = whose or tokens.person_id_of(tokens.digest(token), giver)
        who = f"{forms.DIRECTOR}:{whose}" if director else ""
        digest = await supervisor.ambient.blocking(_digest)
        make = partial(
            desks.begin,
            self.store,
            supervisor.ambient,
            supervisor.signer,
            charter,
            id,
            titled,
            digest,
            (token_meta(who, tokens.digest(token)),) if token else (),
        )
        try:
            made = self._keep(await make())
        except GameExists:
            return failed("error.tournament_exists", game=id)
        except ValueError:
            return failed("error.tournament_id", game=id)
        except StoreClosed:
            return failed("error.stopping")
        except StoreFailed as error:
            kind = "not_saved" if error.outcome == "not saved" else "unknown_outcome"
            return failed(f"error.{kind}", why=error.reason)
        if director is not None:
            answer = await made.tournament.submit(
                "server", ("grant", "director", whose, name), b"first"
            )
            if isinstance(answer, Failed):
                return answer
        self.log.info("tournament opened", tournament=id)
        return made, token, who


_NO_IDS: Final = frozenset((tokens.HOST, "dev", "arbiter", "caster", "inv", "link", "tournaments"))
"""What tokens and requests begin with that are about no tournament."""


def _digest() -> bytes:
    return sources_digest(("warledger.engine.tournaments",))
