"""A server of several processes: the lead, which is worker 0 and has the listening sockets, and the
workers that it starts.

Rules of this file:
- Each process keeps games of its own (`store.shards`) and is complete: its store, the tasks of its
  games, its connections. What the processes share is what a visitor sees first: who keeps which
  game, where the next new one goes, lists and figures of all.
- The lead knows which process keeps what: each worker says at the start what it has found, and the
  lead decides where new games are made.
- Workers know only the lead. What one has for another goes through it.
- If the lead is killed the workers end at once: what was acknowledged is on the disk. If a worker
  ends, the lead stops the whole server in good order and says so; whatever supervises it starts it
  again.
"""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import trio
from attrs import define, field, frozen

from warledger.engine.runtime import tokens
from warledger.engine.runtime.answers import Failed
from warledger.engine.runtime.metrics import figures, public_figures
from warledger.engine.runtime.titles import Title
from warledger.engine.serve import fetching, line
from warledger.engine.serve.config import Config
from warledger.engine.serve.errands import Act, Errands, NotDone
from warledger.engine.serve.http import Request, Response
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.line import HTTP, Line, LineBroken
from warledger.engine.serve.listing import joined, listed_here, rows_here
from warledger.engine.serve.peers import Listed
from warledger.engine.serve.viewer import Viewer
from warledger.protocol.choices import Say

Offer = Callable[[], Mapping[str, Title]]
"""Makes the titles that a server offers. Each process makes its own, so it must be something that
pickle can name."""

LEAD: Final = 0
NOBODY: Final = -1
LIST_MOST: Final = 200
"""How many games of a list go into one message between processes."""
UNSAFE: Final = 3
"""The exit code of a worker that cannot say that all its games are safe; its log says why."""
START_SECONDS: Final = 60.0
END_SECONDS: Final = 1.0
"""Seconds that a worker has beyond the time for a stop before it is killed."""


class WorkerLost(Exception):
    """A process of the server has ended; the message says what to do."""


@frozen
class Spec:
    """What a worker must know to begin. `host_digest` is that of the host's token, `number` is the
    worker's own."""

    config: Config
    offer: Offer
    host_digest: bytes
    number: int


# --- what every process does for the others -------------------------------------------------------


@define(eq=False)
class Own:
    """What this process can do by itself. `admit` is called with sockets that another process hands
    over."""

    hub: Hub
    admit: Callable[[str, tuple[Any, ...], bytes, socket.socket], None]

    @property
    def acts(self) -> dict[str, Act]:
        """The requests that it answers."""
        return {
            "make": self.make,
            "games here": self.games,
            "rows here": self.rows,
            "figures": self.figures,
            "well": self.well,
            "revoke": self.revoke,
        }

    async def make(
        self, id: str, title: str, options: dict[str, Any], terms: dict[str, Any]
    ) -> tuple[Any, ...]:
        made = await self.hub.supervisor.create(title, options, terms, id=id)
        return _told_made(made if isinstance(made, Failed) else (made[0].id, made[1]))

    async def games(self, seen_by: tuple[Any, ...], after: str, most: int, stage: str) -> Listed:
        return await listed_here(self.hub, _viewer(seen_by), after, most, stage)

    async def rows(self, seen_by: tuple[Any, ...], ids: tuple[str, ...]) -> list[dict[str, Any]]:
        return await rows_here(self.hub, _viewer(seen_by), ids)

    async def figures(self, whole: bool) -> str:
        metrics = self.hub.metrics
        return figures(metrics.registry if whole else public_figures(metrics))

    async def well(self) -> str:
        return self.hub.why_not_well

    async def revoke(self, game: str, seat: str, keeper: int) -> None:
        for connection in list(self.hub.connections):
            connection.client.forget(game, seat, keeper)


def _told_made(made: tuple[str, dict[str, str]] | Failed) -> tuple[Any, ...]:
    """What became of a new game, as a message."""
    return (
        ("failed", made.code, made.say.as_array())
        if isinstance(made, Failed)
        else ("made", made[0], tuple(made[1].items()))
    )


def _made(told: tuple[Any, ...]) -> tuple[str, dict[str, str]] | Failed:
    return (
        Failed(told[1], Say.from_array(told[2]))
        if told[0] == "failed"
        else (told[1], dict(told[2]))
    )


def _told(viewer: Viewer) -> tuple[Any, ...]:
    seats = tuple((game, seat, digest) for (game, seat), digest in viewer.digests.items())
    return (viewer.is_host, seats, tuple(viewer.granted.items()), viewer.own)


def _viewer(told: tuple[Any, ...]) -> Viewer:
    is_host, seats, granted, own = told
    digests = {(game, seat): digest for game, seat, digest in seats}
    return Viewer(is_host, digests, dict(granted), own)


async def _paged(ask: Callable[[str, int], Awaitable[Listed]], after: str, most: int) -> Listed:
    """A long page in messages of LIST_MOST games."""
    shown: list[dict[str, Any]] = []
    more = True
    while more and len(shown) < most:
        rows, more = await ask(after, min(LIST_MOST, most - len(shown)))
        shown += rows
        after = rows[-1]["game"] if rows else after
    return shown, more


# --- the lead ------------------------------------------------------------------------------------


@define(eq=False)
class Lead:
    """The lead's side. `errands` are the lines to the workers; `kept` says which process keeps a
    game, if it is not the lead itself."""

    own: Own
    errands: dict[int, Errands] = field(factory=dict)
    kept: dict[str, int] = field(factory=dict)
    number: int = LEAD
    hands_over: bool = True
    lost: str = ""
    unsafe: tuple[str, ...] = ()
    _next: int = 0
    _processes: list[trio.Process] = field(factory=list)

    async def keeper(self, game: str) -> int:
        return self.kept.get(game, LEAD)

    async def hand_over(
        self, to: int, what: str, state: tuple[Any, ...], data: bytes, sock: socket.socket
    ) -> None:
        await self.errands[to].hand_over(to, what, state, data, sock)

    async def create(
        self, title: str, options: Mapping[str, Any], terms: Mapping[str, Any]
    ) -> tuple[str, dict[str, str]] | Failed:
        supervisor = self.own.hub.supervisor
        id = tokens.new_game_id(supervisor.ambient)
        while id in self.kept or supervisor.store.keeps(id):
            id = tokens.new_game_id(supervisor.ambient)
        to, self._next = self._next, (self._next + 1) % (len(self.errands) + 1)
        args = (id, title, dict(options), dict(terms))
        # Known before it is made, so that whoever hears of the game first finds it.
        if to != LEAD:
            self.kept[id] = to
        # The client that asked may leave before the answer: the game is made anyway, and must be
        # found later.
        made = await (self.own.make(*args) if to == LEAD else self.errands[to].ask("make", *args))
        if made[0] == "failed":
            self.kept.pop(id, None)
        elif to != LEAD:
            self.kept[made[1]] = to
        return _made(made)

    async def games(self, viewer: Viewer, after: str, most: int, stage: str) -> Listed:
        return await self._games(_told(viewer), after, most, stage, LEAD)

    async def _games(
        self, seen_by: tuple[Any, ...], after: str, most: int, stage: str, but: int
    ) -> Listed:
        pages: list[Listed] = (
            [] if but == LEAD else [await self.own.games(seen_by, after, most, stage)]
        )
        for number, errands in self.errands.items():
            if number != but:

                async def page(after: str, most: int, errands: Errands = errands) -> Listed:
                    rows, more = await errands.ask("games here", seen_by, after, most, stage)
                    return list(rows), more

                pages.append(await _paged(page, after, most))
        return joined(pages, most)

    async def rows(self, viewer: Viewer, ids: Sequence[str]) -> list[dict[str, Any]]:
        return await self._rows(_told(viewer), tuple(ids))

    async def _rows(self, seen_by: tuple[Any, ...], ids: tuple[str, ...]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for number in sorted({self.kept.get(id, LEAD) for id in ids}):
            here = tuple(id for id in ids if self.kept.get(id, LEAD) == number)
            found += await (
                self.own.rows(seen_by, here)
                if number == LEAD
                else self.errands[number].ask("rows here", seen_by, here)
            )
        return found

    async def revoked(self, game: str, seat: str) -> None:
        await self._all("revoke", game, seat, LEAD)

    async def _revoked_at(self, game: str, seat: str, keeper: int) -> None:
        await self.own.revoke(game, seat, keeper)
        await self._all("revoke", game, seat, keeper, but=keeper)

    async def figures(self, *, whole: bool) -> list[tuple[int, str]]:
        found = await self._all("figures", whole)
        return [(number, text) for number, text in sorted(found.items()) if text is not None]

    async def why_not_well(self) -> list[str]:
        return ["process" if why is None else why for why in (await self._all("well")).values()]

    async def _all(self, act: str, *args: Any, but: int = LEAD) -> dict[int, Any]:
        """What each worker answers; None for one that does not."""
        found: dict[int, Any] = {number: None for number in self.errands if number != but}

        async def ask(number: int, errands: Errands) -> None:
            with suppress(LineBroken, NotDone):
                found[number] = await errands.ask_soon(act, *args)

        async with trio.open_nursery() as nursery:
            for number in found:
                nursery.start_soon(ask, number, self.errands[number])
        return found

    async def fetch(self, to: int, request: Request) -> Response:
        return await fetching.fetch(partial(self.hand_over, to, HTTP), request)

    # --- the workers' processes -------------------------------------------------------------------

    async def run(
        self,
        spec: Callable[[int], Spec],
        stop: Callable[[], None],
        *,
        task_status: Any = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Start the workers, and supervise them until all have ended. If one is lost, `lost` says
        so and `stop` is called.

        Raises WorkerLost if one cannot begin.
        """
        async with trio.open_nursery() as nursery:
            async with trio.open_nursery() as beginning:
                for number in range(1, spec(LEAD).config.workers):
                    beginning.start_soon(nursery.start, self._employ, spec(number), nursery, stop)
            task_status.started()

    async def _employ(
        self,
        spec: Spec,
        nursery: trio.Nursery,
        stop: Callable[[], None],
        *,
        task_status: Any = trio.TASK_STATUS_IGNORED,
    ) -> None:
        ours, theirs = line.pair()
        inside = os.pathsep.join(path for path in sys.path if path)
        with theirs:
            process = await trio.lowlevel.open_process(
                # -P: what is in the folder that we were started in must not be imported.
                [sys.executable, "-P", "-m", "warledger.engine.serve.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": inside},
                # Ctrl-C in the terminal is meant for us; a worker that is only just beginning would
                # be killed by it
                process_group=0,
            )
        self._processes.append(process)
        errand_line = Line(ours)
        try:
            try:
                await errand_line.send(("begin", pickle.dumps(spec)))
                with trio.fail_after(START_SECONDS):
                    while (told := (await errand_line.receive())[0])[0] == "keeps":
                        self.kept.update((game, spec.number) for game in told[1])
            except (LineBroken, trio.TooSlowError):
                told = ("failed", f"process {spec.number} of the server did not begin")
            if told[0] == "failed":
                raise WorkerLost(told[1])
            acts: dict[str, Act] = {
                "well": self.own.well,
                "who keeps": self._who_keeps,
                "create": self._create_for,
                "games": self._games,
                "rows": self._rows,
                "revoked": self._revoked_at,
            }
            errands = self.errands[spec.number] = Errands(
                errand_line, acts, self._take, nursery.start_soon, self.own.hub.log
            )
            task_status.started()
            try:
                await errands.run()
            except LineBroken:
                with trio.CancelScope(shield=True), trio.move_on_after(1):
                    await process.wait()
                if not self.own.hub.supervisor.stopping:
                    self.lost = (
                        f"process {spec.number} of the server has ended (code "
                        f"{process.returncode}); start the server again"
                    )
                    self.own.hub.log.error(
                        "worker lost", worker=spec.number, code=process.returncode
                    )
                    stop()
        finally:
            errand_line.close()
            with trio.CancelScope(shield=True), trio.move_on_after(spec.config.stop_seconds):
                await process.wait()
            if process.returncode is None:
                process.kill()
            if process.returncode != 0:
                self.unsafe += (
                    f"process {spec.number} of the server "
                    f"{'said so' if process.returncode == UNSAFE else 'did not end well'}",
                )

    async def stop(self, seconds: float) -> None:
        """Have the workers stop in good order, and wait until they have; one that takes longer than
        this is killed."""
        with trio.move_on_after(seconds + END_SECONDS) as scope:
            async with trio.open_nursery() as nursery:
                for errands in self.errands.values():
                    nursery.start_soon(errands.until_gone, "stop")
        for process in self._processes if scope.cancelled_caught else ():
            if process.poll() is None:
                self.own.hub.log.error("worker killed", process=process.pid)
                process.kill()

    async def _who_keeps(self, game: str) -> int:
        return LEAD if self.own.hub.supervisor.store.keeps(game) else self.kept.get(game, NOBODY)

    async def _create_for(
        self, title: str, options: dict[str, Any], terms: dict[str, Any]
    ) -> tuple[Any, ...]:
        return _told_made(await self.create(title, options, terms))

    async def _take(
        self, to: int, what: str, state: tuple[Any, ...], data: bytes, sock: socket.socket
    ) -> None:
        if to == LEAD:
            self.own.admit(what, state, data, sock)
            return
        with (
            sock,
            suppress(LineBroken),
        ):  # its own task reports it; whoever sent this has done nothing wrong
            await self.hand_over(to, what, state, data, sock)


# --- a worker -------------------------------------------------------------------------------------


@define(eq=False)
class Worker:
    """A worker's side: it has a single line, to the lead."""

    own: Own
    number: int
    hands_over: bool = True
    unsafe: tuple[str, ...] = ()
    _lead: Errands | None = None
    _known: dict[str, int] = field(factory=dict)

    @property
    def errands(self) -> Errands:
        """The line to the lead."""
        assert self._lead is not None
        return self._lead

    async def run(self, to_lead: Line, start: Callable[..., None], stop: trio.Event) -> None:
        """Tell the lead what is kept here, then do what it asks. Raises LineBroken when the lead
        has gone."""

        async def told_to_stop() -> None:
            stop.set()
            await trio.sleep_forever()  # the answer is that this process ends

        self._lead = Errands(
            to_lead, {**self.own.acts, "stop": told_to_stop}, self._take, start, self.own.hub.log
        )
        games = await self.own.hub.supervisor.ambient.blocking(self.own.hub.supervisor.store.games)
        for at in range(0, len(games), _KEPT_MOST):
            await to_lead.send(("keeps", games[at : at + _KEPT_MOST]))
        await to_lead.send(("ready",))
        await self.errands.run()

    async def keeper(self, game: str) -> int:
        known = self._known.get(game)
        if known is None:
            known = await self.errands.ask("who keeps", game)
            if known == NOBODY:
                return self.number
            if len(self._known) >= _KNOWN_MAX:
                self._known.clear()
            self._known[game] = known
        return known

    async def hand_over(
        self, to: int, what: str, state: tuple[Any, ...], data: bytes, sock: socket.socket
    ) -> None:
        await self.errands.hand_over(to, what, state, data, sock)

    async def create(
        self, title: str, options: Mapping[str, Any], terms: Mapping[str, Any]
    ) -> tuple[str, dict[str, str]] | Failed:
        return _made(await self.errands.ask("create", title, dict(options), dict(terms)))

    async def games(self, viewer: Viewer, after: str, most: int, stage: str) -> Listed:
        async def page(after: str, most: int) -> Listed:
            rows, more = await self.errands.ask(
                "games", _told(viewer), after, most, stage, self.number
            )
            return list(rows), more

        return await _paged(page, after, most)

    async def rows(self, viewer: Viewer, ids: Sequence[str]) -> list[dict[str, Any]]:
        return list(await self.errands.ask("rows", _told(viewer), tuple(ids)))

    async def revoked(self, game: str, seat: str) -> None:
        with suppress(LineBroken, NotDone):
            await self.errands.ask("revoked", game, seat, self.number)

    async def figures(self, *, whole: bool) -> list[tuple[int, str]]:
        return []  # HTTP is spoken by the lead, which asks everybody

    async def why_not_well(self) -> list[str]:
        return []

    async def fetch(self, to: int, request: Request) -> Response:
        return await fetching.fetch(partial(self.hand_over, to, HTTP), request)

    async def _take(
        self, to: int, what: str, state: tuple[Any, ...], data: bytes, sock: socket.socket
    ) -> None:
        self.own.admit(what, state, data, sock)


_KEPT_MOST: Final = 1000
_KNOWN_MAX: Final = 100_000
