"""All games of a server: finds, opens, makes, lists them, and tends them: lets idle ones go and
closes those that never begin.

Rules of this file:
- A Game object exists at most once; it is made from the store on first use. Starting the server
  reads no game.
- No game expires while the time is in doubt (`clock`).
- Nothing here holds up the loop: the store is read through `ambient.blocking`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Protocol

import trio
from attrs import define, field, frozen

from warledger.engine.archive.wheels import Archive
from warledger.engine.kernel.ledger import Batch, genesis_record, links_for
from warledger.engine.kernel.position import ENDED, GATHERING
from warledger.engine.kernel.rulings import BadOption
from warledger.engine.runtime import profile as profiles
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.clock.deadlines import Calendar, NoPulse, Pulse
from warledger.engine.runtime.faults import contained, note
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed, Refusal, failed
from warledger.engine.runtime.game.jobs import Services
from warledger.engine.runtime.game.live import Live
from warledger.engine.runtime.metrics import Metrics
from warledger.engine.runtime.profile import Profile
from warledger.engine.runtime.snapshots import snapshotloads
from warledger.engine.runtime.snapshots.snapshotloads import Source
from warledger.engine.runtime.snapshots.snapshots import Snapshots, code_of
from warledger.engine.runtime.titles import Title
from warledger.engine.runtime.watch.archivedgames import BorrowedGame
from warledger.engine.store.port import (
    FRAME_HEAD,
    FRAME_META,
    FRAME_RECORD,
    FRAME_SECRETS,
    Frame,
    GameExists,
    Store,
    StoreClosed,
    StoreError,
    StoreFailed,
    UnknownGame,
)
from warledger.protocol import canon
from warledger.protocol.chance.secrets import BadSecrets, Keys
from warledger.protocol.clocks.clockcontrol import CLOCK, DESK, PROTEST, BadControl
from warledger.protocol.log.chain import Signer
from warledger.protocol.log.docket import BadDesk
from warledger.protocol.log.records import (
    DELAY,
    RATED,
    TOURNAMENT,
    UNSIGNED_SEATS,
    BadTerms,
    CorruptLog,
    OtherFormat,
)

TERMS: Final = (UNSIGNED_SEATS,)
"""Terms under which a host may open a game. Each is true or absent."""
TIMED_TERMS: Final = (CLOCK, DELAY, DESK, PROTEST, RATED)
"""Further terms, which say how: the clocks, how late spectators are, the arbiters, for how long an
end is held, whether it is rated."""
BOUND_TERMS: Final = (TOURNAMENT,)
"""Terms that no host gives: the tournament whose board a game is."""
_NO_TERMS: Final[Mapping[str, Any]] = MappingProxyType({})

KNOWN_MAX: Final = 4096
"""How many games keep their profile in memory while nobody uses them."""


@frozen
class Tending:
    """How games are tended, in seconds.

    idle          after which a game's state is dropped
    ended         the same for a game that is over
    seats         after which a game that still has an empty seat is closed
    nonces        after which a game is closed in which every seat is taken, but somebody has not
                  revealed their nonce
    every         between two rounds
    look          between two looks at the clocks of games, where no deadline comes before
    """

    idle: float = 900.0
    ended: float = 60.0
    seats: float = 30 * 24 * 3600.0
    nonces: float = 7 * 24 * 3600.0
    every: float = 30.0
    look: float = 0.25


class Shared(Protocol):
    """Whose the games are of a store that several nodes share."""

    def owns(self, game: str) -> bool:
        """Whether this node is the game's owner, as far as it knows."""
        ...

    def is_archived(self, game: str) -> bool:
        """Whether only archives have the game."""
        ...

    async def borrow(self, game: str) -> Failed | None:
        """Have such a game read from an archive, so that the store gives it. Why that cannot be."""
        ...

    def version(self, game: str) -> int:
        """A number that grows with whatever is appended to a game; 0 if that is not known."""
        ...

    def lost(self, game: str) -> None:
        """A game that this node kept is another's now."""
        ...

    async def is_superseded(self, game: str) -> bool:
        """Whether another node has gone on with a game that this one took for its own. It is let go
        then."""
        ...

    async def seen(self, game: str) -> int:
        """How many records of a game everybody has been shown."""
        ...

    def show(self, game: str, records: int) -> None:
        """See `jobs.Public`."""
        ...

    async def shown(self, game: str, records: int) -> bool:
        """See `jobs.Public`."""
        ...

    async def stay(self) -> None:
        """Sleep until cancelled; then wait for the engine no longer."""
        ...

    async def leave(self) -> None:
        """This node decides nothing any more: its games are whoever's takes them."""
        ...


class Resting(Protocol):
    """What is known of games that are not in memory."""

    def quiet(self) -> Container[str]:
        """The games in which nothing happens unless somebody does something: they are not looked
        at after a start. It blocks."""
        ...

    def doubt(self, games: Sequence[Game]) -> None:
        """These games are in memory no more."""
        ...

    async def keep(self, games: Sequence[Game]) -> None:
        """Keep what is known of these games."""
        ...


@define(eq=False)
class Supervisor:
    """All games of one store. Its tasks are started by `run`, which everything else needs.

    `resting` knows games that are not in memory. `watchers` are told a game's id whenever
    spectators may see more of it, it is kept here, or something is found wrong with it.
    """

    store: Store
    titles: Mapping[str, Title]
    ambient: Ambient
    signer: Signer
    metrics: Metrics
    log: Any
    tending: Tending = field(factory=Tending)
    games_max: int = 100_000
    games: dict[str, Game] = field(factory=dict)
    stopping: bool = False
    pulse: Pulse = field(factory=NoPulse)
    snapshots: Snapshots | None = None
    archive: Archive | None = None
    fleet: Shared | None = None
    watchers: list[Callable[[str], None]] = field(factory=list)
    resting: Resting | None = None
    calendar: Calendar = field(init=False)
    _opening: dict[str, trio.Event] = field(factory=dict)
    _glimpses: dict[str, tuple[int, Game]] = field(factory=dict)
    _services: Services | None = None

    def __attrs_post_init__(self) -> None:
        self.calendar = Calendar(
            self.ambient, self._look_at, self.log, self.pulse, self.tending.look
        )

    async def _contain(self, function: Callable[[], Awaitable[object]]) -> None:
        """Run a task of one game: what goes wrong in it stops no other."""
        with contained(self.metrics, self.log, "task of a game"):
            await function()

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep games running until cancelled."""
        async with trio.open_nursery() as nursery:
            self._begin(nursery)
            nursery.start_soon(self.calendar.run)
            nursery.start_soon(self._look_first, nursery)
            task_status.started()

    def _begin(self, nursery: trio.Nursery) -> None:
        """What games need from their surroundings; their tasks run in this nursery."""

        def start(function: Callable[[], Awaitable[object]]) -> None:
            nursery.start_soon(self._contain, function)

        self.calendar.begin()
        self._services = Services(
            self.store,
            self.titles,
            self.ambient,
            self.signer,
            self.metrics,
            start,
            self.log,
            self.calendar,
            self.snapshots,
            self.archive,
            self.fleet,
            self.let_go,
            self._changed,
        )
        self.metrics.gauges.update(
            games_known=("Games in memory", lambda: len(self.games)),
            games_live=(
                "Games whose state is in memory",
                lambda: sum(game.live is not None for game in self.games.values()),
            ),
            subscribers=(
                "Subscriptions",
                lambda: sum(
                    len(channel.cursors)
                    for game in self.games.values()
                    for channel in game.channels.values()
                ),
            ),
            store_waiting=("Appends not yet durable", lambda: self.store.health().waiting),
            store_damaged=("Games found damaged", lambda: len(self.store.health().damaged)),
            store_held=(
                "Games that take no commands since records of theirs may be lost",
                lambda: len(self.store.health().held),
            ),
            time_sure=(
                "Whether the clock has run evenly; if not, no game expires",
                lambda: self.ambient.time_is_sure(),
            ),
            store_ok=("Whether the store takes commands", lambda: self.store.health().ok),
        )
        nursery.start_soon(self.metrics.watch_lag)
        nursery.start_soon(self._keep_archive)

    async def _look_first(self, nursery: trio.Nursery) -> None:
        found = await self._games_here()
        nursery.start_soon(self._fill_calendar, found)
        nursery.start_soon(self._tend, found.copy())

    async def _keep_archive(self) -> None:
        """End the processes of archived releases when the server ends."""
        try:
            await trio.sleep_forever()
        finally:
            if self.archive is not None:
                self.archive.close()

    def _look_at(self, id: str) -> None:
        """The deadline of a game has come."""
        known = self.games.get(id)
        with contained(self.metrics, self.log, "clocks", game=id):
            if known is not None:
                known.look_at_clocks()
            elif self._services is not None:
                self._services.start(partial(self._load_and_look_at, id))

    async def _load_and_look_at(self, id: str) -> None:
        game = await self.game(id)
        if isinstance(game, Game):
            game.look_at_clocks()

    async def _fill_calendar(self, games: Sequence[str]) -> None:
        """Learn the deadlines of those of these games that are played with clocks."""
        for id in games:
            with contained(self.metrics, self.log, "filling the calendar", game=id):
                game = await self.game(id)
                if (
                    isinstance(game, Game)
                    and (game.profile.has_clocks or game.profile.held_ms)
                    and game.live is None
                ):
                    game.look_at_clocks()

    async def _games_here(self) -> list[str]:
        """The games that this process keeps when it begins and that may need it. A node of a fleet
        keeps none."""

        def look() -> list[str]:
            quiet = () if self.resting is None else self.resting.quiet()
            return [id for id in self.store.games() if id not in quiet]

        return [] if self.fleet is not None else await self.ambient.blocking(look)

    async def settle(self) -> None:
        """Accept nothing new, and wait until everything in progress is safe or refused."""
        self.stopping = True
        if self.fleet is None:
            await self._settle()
            return
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.fleet.stay)
            await self._settle()
            await self.fleet.leave()
            nursery.cancel_scope.cancel()

    async def _settle(self) -> None:
        while any(game.is_busy for game in self.games.values()):  # noqa: ASYNC110 - once in a server's life; not worth an event a game
            await trio.sleep(0.005)
        await self.calendar.end()

    # --- finding ----------------------------------------------------------------------------------

    async def game(self, id: str) -> Game | Failed:
        """The game with this id."""
        while True:
            known = self.games.get(id)
            if isinstance(known, BorrowedGame) and not self._is_away(id):
                self.let_go(id)  # it was brought back
            elif known is not None:
                return known
            opening = self._opening.get(id)
            if opening is None:
                if self.fleet is not None and not self.fleet.owns(id):
                    if self._is_away(id):
                        break
                    return await self._glimpse(id, self.fleet.version(id))
                break
            await opening.wait()
        opened = self._opening[id] = trio.Event()
        try:
            if self._is_away(id):
                return await self._borrowed(id)
            found = await self._profile(id)
            if isinstance(found, Failed):
                return found
            return self._keep(found)
        finally:
            del self._opening[id]
            opened.set()

    def keeps(self, id: str) -> bool:
        """Whether this process keeps a game: it is in its store, and no other node's."""
        return self.store.keeps(id) and (self.fleet is None or self.fleet.owns(id))

    async def is_superseded(self, id: str) -> bool:
        """Whether another node has gone on with a game that this one took for its own."""
        return self.fleet is not None and await self.fleet.is_superseded(id)

    async def _glimpse(self, id: str, version: int) -> Game | Failed:
        """A game of another node, as it is now: for lists, and never to be decided here."""
        seen = self._glimpses.get(id)
        if seen is not None and version and seen[0] == version:
            return seen[1]
        found = await self._profile(id)
        if isinstance(found, Failed):
            return found
        assert self._services is not None, "the supervisor is not running"
        game = Game(self._services, found)
        if len(self._glimpses) >= KNOWN_MAX:
            self._glimpses.clear()
        self._glimpses[id] = version, game
        return game

    def _is_away(self, id: str) -> bool:
        """Whether only archives have the game."""
        return self.fleet is not None and self.fleet.is_archived(id) and not self.store.keeps(id)

    async def _borrowed(self, id: str) -> Game | Failed:
        assert self._services is not None and self.fleet is not None
        refused = await self.fleet.borrow(id)
        found = refused or await self._profile(id)
        if isinstance(found, Failed):
            return found
        if len(self.games) >= KNOWN_MAX:
            self._forget_idle(len(self.games) - KNOWN_MAX // 2)
        game = self.games[id] = BorrowedGame(self._services, found)
        return game

    def let_go(self, id: str) -> None:
        """Forget a game that another node has now."""
        self.calendar.note(id, None)
        self._glimpses.pop(id, None)
        if self.games.pop(id, None) is not None and self.fleet is not None:
            self.fleet.lost(id)

    def _changed(self, id: str) -> None:
        for watcher in self.watchers:
            watcher(id)

    def _keep(self, profile: Profile) -> Game:
        assert self._services is not None, "the supervisor is not running"
        game = self.games[profile.game] = Game(self._services, profile)
        self._changed(game.id)
        game.begin_showing()
        if len(self.games) > KNOWN_MAX:
            self._forget_idle(len(self.games) - KNOWN_MAX // 2)
        return game

    def _forget_idle(self, count: int) -> None:
        forgotten = []
        for game in sorted(self.games.values(), key=lambda game: game.used_at)[: 2 * count]:
            if count and game.is_idle and game.used_at < trio.current_time():
                forgotten.append(self.games.pop(game.id))
                count -= 1
        if forgotten and self.resting is not None and self._services is not None:
            self.resting.doubt(forgotten)
            self._services.start(partial(self.resting.keep, forgotten))

    async def _profile(self, id: str) -> Profile | Failed:
        def read(seen: int | None = None) -> Profile:
            source = Source(self.store, id, self.snapshots)
            return snapshotloads.profile(source, self._code_of, self.ambient.now_ms(), seen)

        try:
            found = await self.ambient.blocking(read)
            if self.fleet is not None and found.is_late:
                # Of a game a fleet it counts what was shown, by whichever clock.
                seen = await self.fleet.seen(id)
                found = await self.ambient.blocking(partial(read, seen))
            return found
        except OtherFormat as error:
            return failed("error.other_format", game=id, format=error.format)
        except (UnknownGame, ValueError, KeyError) as error:
            if not isinstance(error, CorruptLog | BadSecrets | canon.NotCanonical):
                if self.fleet is not None and self.fleet.is_archived(id):
                    return failed("error.archive_silent", game=id)
                return failed("error.unknown_game", game=id)
            what: Exception = error
        except StoreError as error:
            what = error
        except Exception as error:
            # A file whose frames are whole and say what none should: it is this game's trouble.
            note(self.metrics, self.log, error, "reading a game", game=id)
            return failed("error.quarantined", game=id)
        self.log.error("game unreadable", game=id, what=f"{type(what).__name__}: {what}")
        return failed("error.quarantined", game=id)

    def _code_of(self, name: str) -> bytes | None:
        title = self.titles.get(name)
        return None if title is None else code_of(title.digest)

    # --- making -----------------------------------------------------------------------------------

    async def created(
        self, title: str, options: Mapping[str, Any], terms: Mapping[str, Any] = _NO_TERMS
    ) -> tuple[str, dict[str, str]] | Failed:
        """A new game's id, and a token for each seat."""
        made = await self.create(title, options, terms)
        return made if isinstance(made, Failed) else (made[0].id, made[1])

    async def create(
        self,
        title: str,
        options: Mapping[str, Any],
        terms: Mapping[str, Any] = _NO_TERMS,
        *,
        id: str = "",
        bound: bool = False,
    ) -> tuple[Game, dict[str, str]] | Failed:
        """A new game, and a token for each seat. `id` is known to be free; if it is not given, one
        is made up. With `bound` the game is made under that id or not at all: a tournament's log
        will name it."""
        known = self.titles.get(title)
        if known is None:
            return failed("error.unknown_title", title=title, known=tuple(sorted(self.titles)))
        unknown = [
            name
            for name, value in terms.items()
            if name not in TIMED_TERMS
            and (name not in TERMS or value is not True)
            and not (bound and name in BOUND_TERMS)
        ]
        if unknown:
            return failed(
                "error.bad_option",
                what=f"there is no such term of a game: {unknown[0]}; known are: "
                f"{', '.join((*TERMS, *TIMED_TERMS))}",
            )
        if self.stopping:
            return failed("error.stopping")
        if self.store.health().games >= self.games_max:
            return failed("error.too_many", most=self.games_max)
        while True:
            made = await self._create(
                known,
                options,
                terms,
                id or tokens.new_game_id(self.ambient),
            )
            if made is not None:
                return made
            if bound:
                return failed("error.unknown_outcome", why=id)
            id = ""

    async def _create(
        self,
        title: Title,
        options: Mapping[str, Any],
        terms: Mapping[str, Any],
        id: str,
    ) -> tuple[Game, dict[str, str]] | Failed | None:
        ambient = self.ambient
        try:
            length = links_for(title.rules, title.pack, options)
        except BadOption as error:
            return failed("error.bad_option", what=str(error))
        root, hidden, salts = (ambient.random_bytes(32) for _ in range(3))
        keys = Keys(root, hidden, salts, length=length)
        now_ms = ambient.now_ms()
        make = partial(
            genesis_record,
            title.rules,
            game=id,
            options=options,
            pack=title.pack_bytes,
            digest=title.digest,
            keys=keys,
            server_key=self.signer.public,
            at_ms=now_ms,
            terms=terms,
        )
        try:
            genesis = await ambient.blocking(make)
        except (BadOption, BadTerms, BadControl, BadDesk) as error:
            return failed("error.bad_option", what=str(error))
        profile = profiles.begin(genesis, keys)
        given = {seat: tokens.new_token(ambient, id) for seat in title.rules.seats}
        metas = [token_meta(seat, token) for seat, token in given.items()]
        for payload in metas:
            profile.note(payload)
        head = self.signer.head(id, 0, genesis.hash)
        frames = [
            Frame(FRAME_RECORD, genesis.data),
            Frame(FRAME_SECRETS, keys.as_payload()),
            *(Frame(FRAME_META, payload) for payload in metas),
            Frame(FRAME_HEAD, canon.pack(head.as_array())),
        ]
        try:
            await self.store.create(id, frames)
        except GameExists:
            return None
        except StoreClosed:
            return failed("error.stopping")
        except StoreFailed as error:
            return failed(
                "error.not_saved" if error.outcome == "not saved" else "error.unknown_outcome",
                why=error.reason,
            )
        self.log.info("game made", game=id, title=title.name)
        return self._keep(profile), given

    # --- tending ----------------------------------------------------------------------------------

    async def _tend(self, unseen: list[str]) -> None:
        """Drop idle games and close those that never begin, round after round."""
        self.log.debug("tending begins")
        while True:
            # Each round looks at a few games for the first time, so that one that waits in vain is
            # found after a restart, too.
            for id in unseen[:_FIRST_LOOKS]:
                found = await self.game(id)
                if isinstance(found, Game) and not found.quarantine:
                    progress = found.profile.progress
                    # Whoever left an answer is away, and the others wait: nobody would wake it.
                    if progress.standing & set(progress.awaits):
                        found.go_on()
            del unseen[:_FIRST_LOOKS]
            for game in list(self.games.values()):
                with contained(self.metrics, self.log, "tending", game=game.id):
                    await self._tend_one(game)
            await trio.sleep(self.tending.every)

    async def _tend_one(self, game: Game) -> None:
        progress = game.profile.progress
        now = trio.current_time()
        keep = self.tending.ended if progress.stage == ENDED else self.tending.idle
        if game.live is not None and now - game.used_at > keep:
            game.passivate()
        if progress.stage == ENDED and not progress.whole and not game.quarantine:
            game.go_on()
        if (
            progress.stage == GATHERING
            and not game.quarantine
            and self.store.health().ok
            and self.ambient.time_is_sure()
        ):
            full = all(holder for _, holder in progress.holders)
            after_ms = 1000 * (self.tending.nonces if full else self.tending.seats)
            if self.ambient.now_ms() - progress.at_ms > after_ms:
                await self._expire(game, full=full)

    async def _expire(self, game: Game, *, full: bool) -> None:
        def propose(live: Live) -> Batch[Any] | Refusal:
            return live.ledger.propose_expiry(self.ambient.now_ms())

        answer = await game.ask(propose)
        because = "a nonce was not shown" if full else "a seat stayed empty"
        self.log.info("game expired", game=game.id, because=because, answer=type(answer).__name__)


_FIRST_LOOKS: Final = 200


def token_meta(seat: str, token: str) -> bytes:
    """The META frame that stores a seat's token."""
    return canon.pack(("token", seat, tokens.digest(token)))
