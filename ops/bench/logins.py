"""Wrong passwords beside games: what a flood of guesses costs those who play, the server's memory,
and whoever signs in with the right password meanwhile.

    python -m ops.bench.logins [--tries 10000] [--games 50] [--seconds 20] [--title counting]
                            [--addresses 500] [--json]

The server runs in this process over TCP, with a data directory and accounts. The players
(`ops.bench.load`, one command in flight a game, as fast as it goes) are in another. Whoever guesses
is in a third, with many addresses; half of the guesses are at handles that exist. Commands are
measured alone first. Meanwhile people sign in: some whose accounts are guessed at, some whose are
not, and some who need no password, since their devices are signed in.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import trio

from ops.bench.figures import show
from ops.bench.recorded import title_named
from ops.bench.server import NEVER_CLOSED, commands_over_tcp, prepare, serving_title
from warledger.engine.desk import accounts, passwords
from warledger.engine.serve.app import Serving
from warledger.engine.serve.config import Config
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.messages import CLIENT
from warledger.protocol.wire.session import Session

PASSWORD: Final = "correct horse battery"
TARGETS: Final = 5
"""Accounts that are guessed at, …"""
OTHERS: Final = 5
"""… and accounts that are not, of whose owners each signs in once."""
AT_A_TIME: Final = 64
"""Connections that guess at one time, …"""
TRIES: Final = 3
"""… and how often each does, before another comes from another address."""
PATIENCE_SECONDS: Final = 5
"""For how long somebody with the right password waits before they try again, at most."""
Figures = dict[str, dict[str, float]]


class Caller:
    """A connection from an address of its own."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.session = Session(CLIENT)
        self.request = 0
        self.tries = 0

    @classmethod
    async def begin(cls, port: int, address: str) -> Caller:
        """Connect and come in as a spectator."""
        sock = trio.socket.socket()
        await sock.bind((address, 0))
        await sock.connect(("127.0.0.1", port))
        made = cls(trio.SocketStream(sock))
        await made.ask(m.Hello, m.VERSION, "bench")
        await made.ask(m.Login, "", "")
        return made

    async def ask(self, kind: Any, *fields: Any) -> Any:
        """The answer to a request; None once the connection is over."""
        self.request += 1
        try:
            await self.stream.send_all(self.session.send(kind(self.request, *fields)))
            while True:
                while (message := self.session.next_message()) is not None:
                    if getattr(message, "request", None) == self.request or (
                        type(message) is m.Error and message.fatal
                    ):
                        return message
                data = await self.stream.receive_some(65536)
                if not data:
                    return None
                self.session.receive_data(bytes(data))
        except trio.BrokenResourceError:
            return None

    async def sign_in(self, handle: str, password: str) -> Any:
        """What the server says to a password."""
        self.tries += 1
        return await self.ask(am.SignIn, am.PASSWORD, handle, password, "bench", False)


def address_of(n: int) -> str:
    """One of many addresses of this machine."""
    return f"127.1.{n // 250}.{n % 250 + 1}"


async def guess(port: int, tries: int, addresses: int, seconds: float) -> None:
    """Guess so often in so many seconds; print what came of it as JSON."""
    answers: Counter[str] = Counter()
    left, places = iter(range(tries)), count()
    began = trio.current_time()

    async def guesser() -> None:
        caller: Caller | None = None
        for number in left:
            await trio.sleep_until(began + number * seconds / tries)
            if caller is None:
                caller = await Caller.begin(port, address_of(next(places) % addresses))
            handle = f"Target{number % TARGETS}" if number % 2 else f"Nobody{number}"
            answer = await caller.sign_in(handle, f"wrong guess {number}")
            answers[answer.code if type(answer) is m.Error else type(answer).__name__] += 1
            if answer is None or answer.fatal or caller.tries >= TRIES:
                await caller.stream.aclose()
                caller = None
        if caller is not None:
            await caller.stream.aclose()

    async with trio.open_nursery() as nursery:
        for _ in range(AT_A_TIME):
            nursery.start_soon(guesser)
    print(json.dumps({"answers": answers, "seconds": trio.current_time() - began}))


class Owner:
    """Somebody who knows their password: how long it took them to sign in, and how often they were
    told to wait."""

    def __init__(self, handle: str, address: str) -> None:
        self.handle = handle
        self.address = address
        self.seconds: float | None = None
        self.waits = 0

    async def run(self, port: int, after: float) -> None:
        """Sign in after so many seconds, however often that has to be tried."""
        await trio.sleep(after)
        began = trio.current_time()
        caller = await Caller.begin(port, self.address)
        while type(answer := await caller.sign_in(self.handle, PASSWORD)) is not am.SignedIn:
            assert type(answer) is m.Error and answer.code == "slow_down", answer
            self.waits += 1
            told = dict(answer.say.args)["seconds"]
            await trio.sleep(min(int(told), PATIENCE_SECONDS))
        self.seconds = trio.current_time() - began
        await caller.stream.aclose()


class Device:
    """A device that is signed in, and comes back again and again."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.found: list[float] = []

    async def run(self, port: int) -> None:
        """Show its token, four times a second."""
        while True:
            caller = await Caller.begin(port, "127.3.0.1")
            began = time.perf_counter()
            answer = await caller.ask(m.Login, self.token, "")
            self.found.append((time.perf_counter() - began) * 1000)
            assert type(answer) is m.LoggedIn, answer
            await caller.stream.aclose()
            await trio.sleep(0.25)


class Memory:
    """The memory of this process, in megabytes: as it is now, and the most of what was seen."""

    def __init__(self) -> None:
        self.most = self.now()

    @staticmethod
    def now() -> float:
        """The pages in use."""
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    async def run(self) -> None:
        """Look ten times a second."""
        while True:
            self.most = max(self.most, self.now())
            await trio.sleep(0.1)


async def people_of(serving: Serving) -> tuple[list[Owner], list[Owner], Device]:
    """Accounts: those that are guessed at, those that are not, and a device."""
    people = serving.hub.people
    kept = passwords.hashed(PASSWORD)
    targets = [Owner(f"Target{n}", f"127.2.0.{n + 1}") for n in range(TARGETS)]
    others = [Owner(f"Other{n}", f"127.2.1.{n + 1}") for n in range(OTHERS)]
    ids = [
        await people.write(partial(_made, people.world, owner.handle, kept))
        for owner in (*targets, *others)
    ]
    token = await people.write(
        lambda at: accounts.add_device(at, people.world, ids[0], "bench", kept=True)
    )
    return targets, others, Device(token)


def _made(world: Any, handle: str, kept: str, at: Any) -> str:
    return accounts.create(at, world, "bench", handle, kept)


async def measure(arguments: argparse.Namespace) -> Figures:
    """Commands alone, then beside the guesses."""
    title = title_named(arguments.title)
    options = {"turns": 4000, "epoch_turns": 100} if title.name == "counting" else {}
    each = max(20, int(arguments.seconds * 3_000 / arguments.games))
    with tempfile.TemporaryDirectory() as data:
        alone, beside = [
            await prepare(Path(data), title, arguments.games, each, options, name)
            for name in ("alone", "beside")
        ]
        config = Config(
            Path(data), port=0, log_level="error", tending=NEVER_CLOSED, http=("127.0.0.1", 0)
        )
        async with trio.open_nursery() as nursery:
            serving: Serving = await nursery.start(serving_title, config, title)
            targets, others, device = await people_of(serving)
            idle = Memory.now()
            before = await commands_over_tcp(serving, alone, arguments.seconds)
            memory, hashes = Memory(), serving.hub.people.passwords.hashes
            began, guessed, cpu = Memory.now(), {}, time.process_time()

            async def guesses() -> None:
                told = await trio.run_process(
                    [
                        *(sys.executable, "-m", "ops.bench.logins", "--guess", str(serving.port)),
                        *("--tries", str(arguments.tries), "--seconds", str(arguments.seconds)),
                        *("--addresses", str(arguments.addresses)),
                    ],
                    capture_stdout=True,
                )
                guessed.update(json.loads(told.stdout))

            async def sign_in() -> None:
                with trio.move_on_after(2 * arguments.seconds + PATIENCE_SECONDS):
                    async with trio.open_nursery() as owners:
                        for n, pair in enumerate(zip(targets, others, strict=True)):
                            for owner in pair:
                                after = (n + 0.5) * arguments.seconds / TARGETS
                                owners.start_soon(owner.run, serving.port, after)

            async with trio.open_nursery() as flood:
                flood.start_soon(memory.run)
                flood.start_soon(device.run, serving.port)
                async with trio.open_nursery() as busy:
                    busy.start_soon(guesses)
                    busy.start_soon(sign_in)
                    meanwhile = await commands_over_tcp(serving, beside, arguments.seconds)
                flood.cancel_scope.cancel()
            cpu = time.process_time() - cpu
            hashes = serving.hub.people.passwords.hashes - hashes
            ended = Memory.now()
            nursery.cancel_scope.cancel()
    answers = guessed["answers"]
    # What hashing takes, and whatever else is not the players'.
    cpu -= meanwhile["commands"] * before["server_cpu_us_each"] / 1e6
    return {
        f"commands of {arguments.games} games": {
            **{f"{what}, alone": before[what] for what in ("per_second", "p50_ms", "p99_ms")},
            **{f"{what}, beside": meanwhile[what] for what in ("per_second", "p50_ms", "p99_ms")},
        },
        f"{arguments.tries} wrong passwords": {
            "seconds": guessed["seconds"],
            **{f"answered {code}": times for code, times in sorted(answers.items())},
            "hashes computed, right ones included": hashes,
            "processor time of all of it, s": cpu,
        },
        "memory, MB": {
            "before the first games": idle,
            "before": began,
            "the most": memory.most,
            "after": ended,
        },
        "right passwords, accounts that are guessed at": _told(targets),
        "right passwords, accounts that are not": _told(others),
        "a device that was signed in, ms": {
            "logins": len(device.found),
            "median": sorted(device.found)[len(device.found) // 2],
            "the longest": max(device.found),
        },
    }


def _told(owners: list[Owner]) -> dict[str, float]:
    let_in = sorted(owner.seconds for owner in owners if owner.seconds is not None)
    return {
        "people": len(owners),
        "let in at once": sum(owner.seconds is not None and not owner.waits for owner in owners),
        "let in": len(let_in),
        "median of these, s": let_in[len(let_in) // 2] if let_in else -1.0,
        "told to wait, times": sum(owner.waits for owner in owners),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tries", type=int, default=10_000)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--title", default="counting")
    parser.add_argument("--addresses", type=int, default=500)
    parser.add_argument("--guess", type=int, default=0, metavar="PORT", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.guess:
        trio.run(guess, given.guess, given.tries, given.addresses, given.seconds)
    else:
        show(trio.run(measure, given), machine=given.json)


if __name__ == "__main__":
    main()
