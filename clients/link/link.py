"""A server seen from a client: `async with connect(host, port, token=…) as link`. A broken
connection is restored: the link connects again, logs in again and continues every watch where it
was. So readers of a watch and callers that wait for an answer notice only a pause.

A request that changes nothing, or that the server recognises by its id, is sent again after a
break. Any other (opening a game) raises OutcomeUnknown.
"""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import trio

from warledger.clients.link.errors import (
    BadServer,
    CannotSit,
    Disconnected,
    LinkError,
    OutcomeUnknown,
    RecordsLost,
    ServerError,
)
from warledger.clients.link.plainforms import is_game, is_title
from warledger.clients.link.receipts import Papers, Receipts
from warledger.clients.link.trying import WouldRule, would_rule
from warledger.clients.link.watch import Watch
from warledger.clients.link.wire import Wire
from warledger.protocol import canon
from warledger.protocol.audience import PUBLIC
from warledger.protocol.board.choices import Choices, Picks, Refusal, say
from warledger.protocol.clocks.clockcontrol import CLOCK
from warledger.protocol.log import records
from warledger.protocol.log.chain import Head
from warledger.protocol.texts.typed import composed
from warledger.protocol.wire import messages
from warledger.protocol.wire.messages import (
    FROM_GENESIS,
    Accepted,
    Created,
    Message,
    Records,
    Subscribed,
    Welcome,
)

CLIENT_NAME = "warledger client"
PATIENCE_S = 60.0
"""How long a link tries to reconnect before it gives up."""
PAUSE_S = 0.05
"""The first pause between two attempts; each is twice as long as the one before, up to two
seconds."""
GREETING_S = 30.0
"""How long a server may take to greet this client and to log it in."""
STOPPING_S = 10.0
"""How long a server that announces its stop may take to close the connection."""
STEADY_S = 10.0
"""A connection on which nothing was heard, and that lasted no longer, counts as none."""
HOPELESS = frozenset(("login", "version", "not_allowed"))
"""Errors on reconnecting that another attempt would not remedy."""

Dial = Callable[[], Awaitable[trio.abc.Stream]]


class Link:
    """Made by `connect` or `linked`. Any number of tasks may use it."""

    def __init__(
        self,
        dial: Dial,
        receipts: Receipts | None,
        patience_s: float,
        *,
        address: str = "",
        accept_new_key: bool = False,
    ) -> None:
        self._dial = dial
        self._papers: dict[tuple[str, bytes, str], Papers] = {}
        self._accept_new_key = accept_new_key
        self.address = address
        """The server's address, by which its key is remembered; "" if it is not remembered."""
        self.changed_key: bytes | None = None
        """The key that the server had at the first connection, if it shows another one now."""
        self.principal = ""
        """The name under which the server has logged this client in."""
        self._patience_s = patience_s
        self._wire: Wire | None = None
        self._changed = trio.Event()
        self._logins: list[tuple[str, str]] = []
        self._watches: dict[tuple[str, str], Watch] = {}
        self._followed: dict[tuple[str, str], Wire] = {}
        self._lost: LinkError | None = None
        self._nursery: trio.Nursery | None = None
        self.receipts = receipts
        self.welcome: Welcome | None = None
        self.roles: tuple[tuple[str, str, str], ...] = ()
        self.connections = 0
        """How often the link has connected: more than one after a break."""
        self.on_change: Callable[[bool], None] | None = None
        """Called with False when the connection breaks and the link begins to reconnect, and with
        True when it is back."""

    # --- requests ---------------------------------------------------------------------------------

    async def request(self, make: Callable[[int], Message], *, again: bool = True) -> Any:
        """Send a request and wait for its answer, over a new connection if need be.

        Raises ServerError, Disconnected if the server cannot be reached again, and OutcomeUnknown
        if a request that may not be sent `again` got lost.
        """
        while True:
            wire = await self._connected()
            try:
                return await wire.request(make)
            except Disconnected as error:
                if not again:
                    raise OutcomeUnknown(
                        "the connection broke; look whether the request was carried out"
                    ) from error
                await self._down(wire)
            except ServerError as error:
                if error.code != "stopping" or not again:
                    raise
                with trio.move_on_after(STOPPING_S):
                    await wire.over.wait()
                await wire.aclose()
                await self._down(wire)

    async def login(self, token: str, name: str = "") -> tuple[tuple[str, str, str], ...]:
        """Log in with another token as well. Returns all roles held now. Raises ServerError if the
        token is invalid."""
        name = composed(name)
        logged_in = await self.request(lambda number: messages.Login(number, token, name))
        _called(name, logged_in.principal)
        self._logins.append((token, name))
        self.roles, self.principal = logged_in.roles, logged_in.principal
        return self.roles

    async def titles(self) -> tuple[dict[str, Any], ...]:
        """What can be played."""
        found = await self.request(messages.Titles)
        titles: tuple[dict[str, Any], ...] = found.titles
        if not all(map(is_title, titles)):
            raise BadServer(say("link.bad_list"))
        return titles

    async def create(
        self,
        title: str,
        options: Mapping[str, Any] | None = None,
        *,
        delay_s: int = 0,
        unsigned_seats: bool = False,
        clock: Mapping[str, Any] | None = None,
        terms: Mapping[str, Any] | None = None,
    ) -> Created:
        """Open a game (hosts only). With `unsigned_seats` its seats may be taken without a key.
        `clock` is the control of its clocks (`Control.as_terms`), `terms` are its other terms
        (`desk`, `protest_ms`, `rated`). Raises OutcomeUnknown if the connection breaks
        meanwhile."""
        chosen = dict(sorted((options or {}).items()))
        terms = {**(terms or {}), **({CLOCK: dict(clock)} if clock else {})}
        if delay_s:
            terms[records.DELAY] = (delay_s, 0)
        if unsigned_seats:
            terms[records.UNSIGNED_SEATS] = True
        terms = canon.ordered(terms)

        def make(number: int) -> Message:
            return messages.OpenGame(number, title, chosen, terms)

        made: Created = await self.request(make, again=False)
        return made

    async def replace(self, game: str, seat: str, name: str) -> str:
        """Put somebody else in a seat (hosts only); returns the seat's new token. Raises CannotSit
        with the server's reason."""
        answer = await self.request(lambda number: messages.Replace(number, game, seat, name))
        if isinstance(answer, messages.Refused):
            raise CannotSit(answer.refusal)
        return str(answer.token)

    async def close_game(self, game: str) -> Refusal | None:
        """Close a game that nobody has begun (hosts only); returns why not, or None."""
        answer = await self.request(lambda number: messages.CloseGame(number, game))
        return answer.refusal if isinstance(answer, messages.Refused) else None

    async def rule(
        self, game: str, body: tuple[Any, ...], corrections: tuple[Picks, ...] = ()
    ) -> messages.Accepted | Refusal:
        """Write a `ruling` record as an arbiter, under the name of the login; a ruling comes with
        the picks of each correction that it names."""
        answer = await self.request(lambda number: messages.Rule(number, game, body, corrections))
        if isinstance(answer, messages.Refused):
            return answer.refusal
        accepted: messages.Accepted = answer
        return accepted

    async def try_ruling(
        self, game: str, body: tuple[Any, ...], corrections: tuple[Picks, ...] = ()
    ) -> WouldRule | Refusal:
        """What a ruling would write now, or why it would be refused; nothing is written (arbiters
        and hosts only). Raises BadServer for an answer that is none."""
        answer = await self.request(
            lambda number: messages.rulingmessages.TryRuling(number, game, body, corrections)
        )
        if isinstance(answer, messages.Refused):
            return answer.refusal
        try:
            return would_rule(answer)
        except (ValueError, TypeError, LookupError) as error:
            raise BadServer(say("link.bad_record", game=game, what=str(error))) from None

    async def correctable(
        self, game: str, claim: int, back: int, before: tuple[Picks, ...], picks: Picks
    ) -> Choices | Refusal:
        """What a ruling on a claim may correct after these picks: after record `back` (0: as the
        game stands) and the corrections `before` (arbiters and hosts only)."""
        answer = await self.request(
            lambda number: messages.rulingmessages.Correctable(
                number, game, claim, back, before, picks
            )
        )
        if isinstance(answer, messages.Refused):
            return answer.refusal
        offered: Choices = answer.choices
        return offered

    async def new_token(self, game: str, seat: str) -> str:
        """Replace a seat's token (hosts only)."""
        token = await self.request(lambda number: messages.NewToken(number, game, seat))
        return str(token.token)

    async def games(self, stage: str = "") -> list[dict[str, Any]]:
        """Every game of the server, or those of a stage."""
        found: list[dict[str, Any]] = []
        after = ""
        while True:
            ask = partial(messages.Games, stage=stage, after=after, most=200)
            page = await self.request(ask)
            # The list is in order of ids, so it always comes to an end.
            for game in page.games:
                if not is_game(game) or game["game"] <= after:
                    raise BadServer(say("link.bad_list"))
                after = game["game"]
            found.extend(page.games)
            if not page.more or not page.games:
                return found

    async def board(self, game: str) -> Any:
        """The description of a game that the server sends: it has not been checked, and no log
        vouches for it."""
        return (await self.request(lambda number: messages.Board(number, game))).description

    async def head(self, game: str) -> Head:
        """The signed head of a game; checked and kept if the game is watched."""
        answer = await self.request(lambda number: messages.Head(number, game))
        head: Head = answer.head
        if head.game != game:
            raise BadServer(say("link.head_unsigned", game=game, seq=head.seq))
        self._keep(head)
        return head

    async def head_of(self, game: str, seq: int) -> Head:
        """The signed head of an earlier record; checked and kept if the game is watched."""
        answer = await self.request(lambda number: messages.HeadOf(number, game, seq))
        head: Head = answer.head
        if head.game != game or head.seq != seq:
            raise BadServer(say("link.head_unsigned", game=game, seq=seq))
        self._keep(head, sync=True)
        return head

    async def ping(self) -> int:
        """The server's clock, in milliseconds since 1970."""
        pong = await self.request(messages.Ping)
        return int(pong.at_ms)

    # --- watching ---------------------------------------------------------------------------------

    async def watch(self, game: str, audience: str = PUBLIC) -> Watch:
        """Follow a game from its first record; watching the same game as the same audience twice
        gives the same watch.

        Returns when everything up to now has arrived. Raises ServerError for a game that does not
        exist or an audience that is not allowed.
        """
        watch = self._watches.get((game, audience))
        if watch is None:
            watch = self._watches[game, audience] = Watch(game, audience)
            try:
                await self._subscribe(watch)
            except LinkError:
                del self._watches[game, audience]
                raise
        await watch.caught_up()
        return watch

    async def _subscribe(self, watch: Watch) -> None:
        while True:
            wire = await self._connected()
            if self._followed.get((watch.game, watch.audience)) is wire:
                return  # every watch was continued when the connection was made again
            try:
                await self._subscribe_over(wire, watch)
                return
            except Disconnected:
                await self._down(wire)

    async def _subscribe_over(self, wire: Wire, watch: Watch) -> None:
        after = watch.last_seq if watch.seen else FROM_GENESIS
        try:
            answer: Subscribed = await wire.request(
                lambda number: messages.Subscribe(number, watch.game, after, watch.audience)
            )
        except ServerError as error:
            if error.code == "no_such_record":
                raise RecordsLost(say("link.shown_lost", game=watch.game, seq=after)) from error
            raise
        watch.promise(answer.last_seq)
        self._followed[watch.game, watch.audience] = wire

    def _records(self, message: Records) -> None:
        watch = self._watches.get((message.game, message.audience))
        if watch is not None:
            watch.take(message.first_seq, message.items)

    # --- receipts ---------------------------------------------------------------------------------

    def receive(self, accepted: Accepted) -> None:
        """Check the signed head that came with an acceptance, and keep it as a receipt: it must
        sign the record that is named, or a later one. Raises BadServer."""
        if accepted.head.game != accepted.game or accepted.head.seq < accepted.seq:
            raise BadServer(say("link.head_unsigned", game=accepted.game, seq=accepted.seq))
        self._keep(accepted.head)

    def papers(self, watch: Watch) -> Papers:
        """What is kept for the audience of a watch."""
        return self.papers_of(watch.game, watch.genesis.hash, watch.audience)

    def papers_of(self, game: str, genesis: bytes, seat: str) -> Papers:
        """What is kept for a seat of a genesis; only in memory if the link has no folder of
        receipts."""
        place = (game, genesis, seat)
        found = self._papers.get(place)
        if found is None:
            made = Papers(None, *place) if self.receipts is None else self.receipts.papers(*place)
            found = self._papers[place] = made
        return found

    def numbers_in(self, tournament: str, charter: bytes) -> list[int]:
        """The numbers under which somebody entered a tournament here, as far as the folder of
        receipts has it."""
        return [] if self.receipts is None else self.receipts.numbers_in(tournament, charter)

    async def hold_to_receipts(self, watch: Watch) -> None:
        """Raise RecordsLost if a record for which a receipt was kept is missing from, or different
        in, the log that the server shows.

        Receipts are read before the server is asked how far the game has come, so that nobody is
        accused of what is still in progress. Raises BadReceipt when the receipts are damaged.
        """
        kept = self.papers(watch).heads()
        if not kept:
            return
        last = (await self.head(watch.game)).seq
        await watch.reached(min(last, max(head.seq for head in kept)))
        for head in reversed(kept):
            if not watch.bears_out(head):
                raise RecordsLost(
                    say("cli.records_lost", game=watch.game, seq=head.seq, last=watch.last_seq)
                )

    def check_server(self) -> None:
        """Raise CannotSit if the server shows another key than at the first connection, unless the
        change was accepted."""
        if self.changed_key is not None and self.welcome is not None:
            old, new = self.changed_key.hex(), self.welcome.key.hex()
            raise CannotSit(say("link.key_changed", server=self.address, old=old, new=new))

    def lapses(self) -> int:
        """How many games of this server, identified by its key, have not begun after one of our
        nonces was revealed in them: those that ended so, and those in which the server is silent.
        The ones that this link waits in do not count."""
        if self.receipts is None or self.welcome is None:
            return 0
        here = {f"{watch.game}." for watch in self._watches.values() if not watch.ended}
        return sum(
            lapse.server_key == self.welcome.key and not lapse.name.startswith(tuple(here))
            for lapse in self.receipts.lapses()
        )

    def _pin(self, key: bytes) -> None:
        if self.receipts is None or not self.address:
            return
        known = self.receipts.server_key(self.address)
        if known is None or (known != key and self._accept_new_key):
            self.receipts.pin(self.address, key)
            known = key
        self.changed_key = known if known != key else None

    def _keep(self, head: Head, *, sync: bool = False) -> None:
        watches = [watch for (game, _), watch in self._watches.items() if game == head.game]
        try:
            for watch in watches:
                watch.expect(head)
        except BadServer:
            # Two heads for one record prove that there are two histories, but only if the second is
            # kept.
            for watch in watches:
                if watch.signs(head):
                    self.papers(watch).keep(head, sync=True)
            raise
        for watch in watches:
            self.papers(watch).keep(head, sync=sync)

    # --- the connection ---------------------------------------------------------------------------

    @property
    def up(self) -> bool:
        """Whether there is a connection now."""
        return self._wire is not None and self._wire.broken is None

    def spawn(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task for as long as the link lives."""
        assert self._nursery is not None
        self._nursery.start_soon(task)

    async def _connected(self) -> Wire:
        while True:
            if self._lost is not None:
                raise self._lost
            if self._wire is not None and self._wire.broken is None:
                return self._wire
            if self._wire is not None:
                await self._down(self._wire)
            else:
                await self._changed.wait()

    async def _down(self, wire: Wire) -> None:
        """Wait until the task that restores the connection has noticed that this one is broken."""
        while self._wire is wire and self._lost is None:
            await self._changed.wait()

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep a connection up. Reports started after the first login."""
        first = True
        pause, deadline = PAUSE_S, trio.current_time() + self._patience_s
        while True:
            heard_at_entry, entered = 0, trio.current_time()
            lost: LinkError = Disconnected("the connection is lost")
            try:
                wire = Wire(await self._dial(), self._records)
            except (OSError, trio.BrokenResourceError) as error:
                # trio names the reason for a TLS failure only in the cause.
                lost = Disconnected(f"the server cannot be reached: {_why(error)}")
                if first:
                    # A single attempt, so that a wrong address is reported at once.
                    raise lost from error
            else:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(wire.run)
                    try:
                        with trio.move_on_after(GREETING_S) as patience:
                            await self._enter(wire)
                        if patience.cancelled_caught:
                            raise Disconnected("it does not answer")
                    except LinkError as error:
                        if first:
                            nursery.cancel_scope.cancel()
                            await wire.aclose()
                            raise
                        if isinstance(error, BadServer) or (
                            isinstance(error, ServerError) and error.code in HOPELESS
                        ):
                            self._give_up(error)
                        lost = Disconnected(f"the server cannot be reached: {error}")
                    else:
                        heard_at_entry, entered = wire.heard, trio.current_time()
                        self.connections += 1
                        self._wire = wire
                        self._change()
                        self._tell(True)
                        if first:
                            task_status.started()
                            first = False
                        await wire.over.wait()
                    nursery.cancel_scope.cancel()
                was_up, self._wire = self._wire is not None, None
                self._change()
                await wire.aclose()
                if isinstance(wire.broken, BadServer):
                    self._give_up(wire.broken)
                if self._lost is not None:
                    return
                if was_up:
                    self._tell(False)
                    lasted = trio.current_time() - entered
                    if wire.heard > heard_at_entry or lasted > STEADY_S:
                        pause, deadline = PAUSE_S, trio.current_time() + self._patience_s
                        continue
                    # Which is no reason to reconnect endlessly, or without a pause.
                    lost = Disconnected(wire.goodbye or "the server hangs up at once")
            if trio.current_time() >= deadline:
                self._give_up(lost)
                return
            await trio.sleep(pause)
            pause = min(2.0, pause * 2)

    async def _enter(self, wire: Wire) -> None:
        """Greet, log in with every token, and continue every watch where it was."""
        self.welcome = await wire.greet(CLIENT_NAME)
        self._pin(self.welcome.key)
        for token, name in self._logins:
            logged_in = await wire.login(token, name)
            _called(name, logged_in.principal)
            self.roles, self.principal = logged_in.roles, logged_in.principal
        for watch in list(self._watches.values()):
            await self._subscribe_over(wire, watch)

    def _tell(self, up: bool) -> None:
        if self.on_change is not None:
            self.on_change(up)

    def _change(self) -> None:
        changed, self._changed = self._changed, trio.Event()
        changed.set()

    def _give_up(self, error: LinkError) -> None:
        self._lost = error
        self._change()
        for watch in self._watches.values():
            if not watch.whole:
                watch.fail(error)


def _called(name: str, principal: str) -> None:
    """The server may choose a name only for a client that gives none: the name is in the log under
    the player's signature."""
    if name and principal != name:
        raise BadServer(say("link.other_name", name=name, principal=principal))


@asynccontextmanager
async def linked(
    dial: Dial,
    *,
    token: str = "",
    name: str = "",
    receipts: Path | None = None,
    patience_s: float = PATIENCE_S,
    address: str = "",
    accept_new_key: bool = False,
) -> AsyncIterator[Link]:
    """A link over the streams that `dial` makes; `address` is the one under which the server's key
    is remembered."""
    kept = Receipts(receipts) if receipts is not None else None
    link = Link(dial, kept, patience_s, address=address, accept_new_key=accept_new_key)
    link._logins.append((token, composed(name)))
    with _unwrapped():
        async with trio.open_nursery() as nursery:
            link._nursery = nursery
            await nursery.start(link.run)
            try:
                yield link
            finally:
                link.on_change = None
                if link._wire is not None:
                    await link._wire.aclose()
                nursery.cancel_scope.cancel()


@asynccontextmanager
async def connect(
    host: str,
    port: int,
    *,
    token: str = "",
    name: str = "",
    tls: ssl.SSLContext | None = None,
    receipts: Path | None = None,
    patience_s: float = PATIENCE_S,
    accept_new_key: bool = False,
) -> AsyncIterator[Link]:
    """A link to a server. `token` is the host's or a seat's ("" to watch only), `name` the player's
    name in the log. `receipts` is a folder in which keys and receipts are kept, the server's key
    among them: a server whose key has changed is taken for another server, and no seat is taken
    there, unless `accept_new_key`.

    Raises Disconnected if nobody answers, and ServerError if the token is invalid.
    """

    async def dial() -> trio.abc.Stream:
        stream: trio.abc.Stream = await trio.open_tcp_stream(host, port)
        if tls is None:
            return stream
        secure = trio.SSLStream(stream, tls, server_hostname=host, https_compatible=True)
        await secure.do_handshake()
        return secure

    address = f"{host}:{port}"
    async with linked(
        dial,
        token=token,
        name=name,
        receipts=receipts,
        patience_s=patience_s,
        address=address,
        accept_new_key=accept_new_key,
    ) as link:
        yield link


def _why(error: BaseException) -> str:
    why = str(error) or str(error.__cause__ or "") or type(error).__name__
    if "WRONG_VERSION_NUMBER" in why or "RECORD_LAYER_FAILURE" in why:
        return "it does not speak TLS there: leave out --tls"
    return why


class _unwrapped:
    """Unwraps a single exception from a nursery's group, so that callers can catch what the
    documentation names."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        inner = error
        while isinstance(inner, BaseExceptionGroup) and len(inner.exceptions) == 1:
            inner = inner.exceptions[0]
        if inner is not None and inner is not error:
            raise inner from None
