"""How often something may be done, in budgets that one person's strangers cannot use up for
another: for an address, for a device, for an account, and turns among those who wait.

Rules of this file:
- What counts against an account for everybody is stored beside it (`take_stored`), and outlives the
  server. What counts for one address or device is kept in memory; the one unused for longest is
  dropped first.
- Nobody is refused because a table is full.
- Work waits its turn over askers, one of each: over networks of many addresses first.
"""

import hashlib
import math
import sqlite3
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

import trio
from attrs import define, field, frozen

ENTRIES_MAX: Final = 50_000

SCHEMA: Final = """
    CREATE TABLE budgets (
        who BLOB PRIMARY KEY, used REAL NOT NULL, at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX budgets_at ON budgets (at_ms)
    """


@frozen
class Budget:
    """So many at once, and another each so many seconds."""

    most: int
    each_seconds: float

    def left(self, used: float, seconds: float) -> float:
        """What of `used` still counts after so many seconds."""
        return max(0.0, used - max(0.0, seconds) / self.each_seconds)

    def wait(self, used: float) -> int:
        """Seconds until another may be had, 0 for now."""
        over = used + 1 - self.most
        return math.ceil(over * self.each_seconds) if over > 0 else 0


@define(eq=False)
class Budgets:
    """A budget of each of those who ask, in memory. Time is trio's clock."""

    budget: Budget
    _used: OrderedDict[str, tuple[float, float]] = field(factory=OrderedDict)

    def wait(self, who: str) -> int:
        """Seconds until another may be had, 0 for now."""
        return self.budget.wait(self._now(who))

    def take(self, who: str) -> int:
        """Have another. Returns the seconds until that is possible, and then nothing was taken."""
        used = self._now(who)
        wait = self.budget.wait(used)
        if not wait:
            self._used[who] = (used + 1, trio.current_time())
            self._used.move_to_end(who)
            if len(self._used) > ENTRIES_MAX:
                self._used.popitem(last=False)
        return wait

    def give_back(self, who: str) -> None:
        """What was taken last does not count."""
        if who in self._used:
            used, at = self._used[who]
            self._used[who] = (max(0.0, used - 1), at)

    def _now(self, who: str) -> float:
        used, at = self._used.get(who, (0.0, 0.0))
        return self.budget.left(used, trio.current_time() - at)


# --- stored ---------------------------------------------------------------------------------------


def take_stored(at: sqlite3.Connection, budget: Budget, who: str, now_ms: int) -> int:
    """Have another of a budget that is stored. Returns the seconds until that is possible, and then
    nothing was taken. What is used up no longer is forgotten."""
    key = _key(who)
    row = at.execute("SELECT used, at_ms FROM budgets WHERE who = ?", (key,)).fetchone()
    used = 0.0 if row is None else budget.left(row[0], (now_ms - row[1]) / 1000)
    wait = budget.wait(used)
    if not wait:
        old = now_ms - math.ceil(_LONGEST_SECONDS * 1000)
        at.execute("DELETE FROM budgets WHERE at_ms < ?", (old,))
        at.execute("INSERT OR REPLACE INTO budgets VALUES (?, ?, ?)", (key, used + 1, now_ms))
    return wait


def give_back_stored(at: sqlite3.Connection, who: str) -> None:
    """What was taken last does not count."""
    at.execute("UPDATE budgets SET used = max(0.0, used - 1) WHERE who = ?", (_key(who),))


_LONGEST_SECONDS: Final = 3 * 3600.0
"""No stored budget takes longer to be whole again."""


def _key(who: str) -> bytes:
    return hashlib.sha256(who.encode()).digest()[:16]


# --- who asks -------------------------------------------------------------------------------------


@frozen
class Asker:
    """Whose work it is: the network and, in it, who. Alike for an account."""

    network: str
    who: str


def asker_of(address: str) -> Asker:
    """Who asks from an address: its /64 in its /48, or an IPv4 address in its /24. What is no
    address asks for itself."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return Asker(address, address)
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    wide, narrow = (48, 64) if isinstance(found, IPv6Address) else (24, 32)
    return Asker(
        str(ip_network((found, wide), strict=False)), str(ip_network((found, narrow), strict=False))
    )


class Busy(Exception):
    """This asker waits for something already, or has waited too long."""


@define(eq=False)
class Turns:
    """Places for work, given to those who wait for them in turn: over networks, and in each over
    who asks. Everybody waits for one thing at a time, and for `WAIT_SECONDS` at most."""

    places: int
    _inside: int = 0
    _waiting: OrderedDict[str, OrderedDict[str, trio.Event]] = field(factory=OrderedDict)

    @asynccontextmanager
    async def turn(self, asker: Asker) -> AsyncIterator[None]:
        """A place, once it is this asker's turn. Raises Busy."""
        if self._inside >= self.places:
            await self._wait(asker)
        else:
            self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
            self._next()

    async def _wait(self, asker: Asker) -> None:
        network = self._waiting.setdefault(asker.network, OrderedDict())
        if asker.who in network:
            raise Busy
        called = network[asker.who] = trio.Event()
        try:
            with trio.fail_after(WAIT_SECONDS):
                await called.wait()
        except BaseException as error:
            if called.is_set():  # the place was given, and is not wanted any more
                self._inside -= 1
                self._next()
            else:
                del network[asker.who]
                if not network:
                    del self._waiting[asker.network]
            if isinstance(error, trio.TooSlowError):
                raise Busy from None
            raise

    def _next(self) -> None:
        if self._inside >= self.places or not self._waiting:
            return
        name, network = self._waiting.popitem(last=False)
        _, called = network.popitem(last=False)
        if network:
            self._waiting[name] = network
        self._inside += 1
        called.set()


WAIT_SECONDS: Final = 60.0


@define(eq=False)
class Line:
    """Those who ask for something of which there is one at a time: whoever has waited longest since
    their own last turn comes first."""

    _asked: OrderedDict[Asker, float] = field(factory=OrderedDict)
    _served: OrderedDict[str, float] = field(factory=OrderedDict)

    def join(self, asker: Asker) -> None:
        """This one waits. Of too many the one that has said nothing for longest goes."""
        self._asked[asker] = trio.current_time()
        self._asked.move_to_end(asker)
        if len(self._asked) > ASKED_MAX:
            self._asked.popitem(last=False)

    def is_next(self, asker: Asker) -> bool:
        """Whether nobody waits who comes before this one. Whoever has not asked again for
        `HELD_SECONDS` does not wait any more."""
        now = trio.current_time()
        for one in [one for one, at in self._asked.items() if now - at > HELD_SECONDS]:
            del self._asked[one]
        first = min((*self._asked, asker), key=self._since)
        return self._since(first) == self._since(asker)

    def _since(self, asker: Asker) -> tuple[float, float]:
        return self._served.get(asker.network, 0.0), self._served.get(asker.who, 0.0)

    def had(self, asker: Asker) -> None:
        """This one has had their turn."""
        self._asked.pop(asker, None)
        for name in (asker.network, asker.who):
            self._served[name] = trio.current_time()
            self._served.move_to_end(name)
            if len(self._served) > SERVED_MAX:
                self._served.popitem(last=False)


HELD_SECONDS: Final = 150.0
ASKED_MAX: Final = 1000
SERVED_MAX: Final = 1000
