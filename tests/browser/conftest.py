"""A chromium, a server process that serves the page from the sources, games, and bots."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import trio
from attrs import field, frozen
from click.testing import CliRunner

from tests.browser.postbox import Postbox, postbox
from warledger.clients.bots.seated import play_bot
from warledger.clients.cli import main
from warledger.clients.link import connect, sit

ROOT = Path(__file__).resolve().parents[2]
BUILT_PAGE = ROOT / "clients" / "built"
PLACES = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
NOT_NEEDED = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "PaintHolding", "LensOverlay"),
    *("ThirdPartyStoragePartitioning", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("DestroyProfileOnBrowserClose", "AvoidCorsURLLoaderRestartOnRedirect", "MediaRouter"),
    *("OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
)
"""What the browser does without. The first two are pages of its own address bar, which it draws anew
for every context: more work than to open a page of ours. The others are those that the browser
driver names, because only the last list that a browser is given counts."""
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-features=" + ",".join(NOT_NEEDED),
)
WAIT_MS = 90_000
"""How long a page may take, on a machine that does other things too."""
STOP_S = 60
PLAIN_NAME = "plain.test"
"""A name by which a browser may reach the server, and by which plain http is no secure context."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here needs a browser."""
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.path).parents:
            item.add_marker(pytest.mark.browser)


@frozen
class Site:
    """A running server: its page's address, its address for programs, its host's token, its
    data."""

    url: str
    tcp: str
    token: str
    data: Path
    postbox: Postbox
    processes: list[subprocess.Popen[str]] = field(factory=list)

    def run(self, *args: str) -> str:
        """A command against this server; its output."""
        return command(*args, "--server", self.tcp)

    def here(self, *args: str) -> str:
        """A command on this server's data, as its host gives it on that machine; its output."""
        return command(*args, "--data", str(self.data))

    def new(
        self,
        title: str,
        *,
        unsigned_seats: bool = False,
        clock: str = "",
        protest: str = "",
        **options: str,
    ) -> Game:
        """A new game with its seats' tokens."""
        picked = [
            part for name, value in options.items() for part in ("--option", f"{name}={value}")
        ]
        picked += ["--unsigned-seats"] * unsigned_seats
        picked += ["--clock", clock] if clock else []
        picked += ["--protest", protest] if protest else []
        made = json.loads(self.run("new", title, "--json", "--token", self.token, *picked))
        return Game(made["game"], dict(made["tokens"]))

    def log(self, game: Game) -> list[bytes]:
        """The records of a game that has ended, as its file has them."""
        with urlopen(f"{self.url}/archive/{game.id}.wlog") as answer:
            return records_of(answer.read())

    def bot(
        self, game: Game, seat: str, *, player: str = "captain", seed: str = "1"
    ) -> subprocess.Popen[str]:
        """A bot that plays a seat to the end, in a process of its own."""
        started = subprocess.Popen(
            [
                *(
                    sys.executable,
                    "-m",
                    "warledger.clients.cli",
                    "bot",
                    game.id,
                    "--seat",
                    seat,
                    "--player",
                    player,
                    "--seed",
                    seed,
                ),
                *("--server", self.tcp, "--token", game.tokens[seat], "--plain"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env=_environment(),
        )
        self.processes.append(started)
        return started


@frozen
class Game:
    """A game's id, the tokens of its seats, and how many records it has where it has ended."""

    id: str
    tokens: dict[str, str]
    records: int = 0


def command(*args: str) -> str:
    """A command of ours, run in this process, where what it imports is there already; its output."""
    done = CliRunner(env=_environment()).invoke(main, args)
    assert done.exit_code == 0, f"{done.output} {done.exception!r}"
    return done.stdout


def _environment() -> dict[str, str]:
    state = os.environ.get("XDG_STATE_HOME") or str(
        Path(os.environ.get("TMPDIR", "/tmp")) / f"warledger-browser-{os.getpid()}"
    )
    return {
        **os.environ,
        "WARLEDGER_LANGUAGE": "en",
        "WARLEDGER_LANGUAGE_PATH": str(ROOT / "tests" / "fixtures" / "languages"),
        "PYTHONUNBUFFERED": "1",
        "XDG_STATE_HOME": state,
    }


def browser_path() -> str | None:
    """Where the browser is, if there is one."""
    named = os.environ.get("WARLEDGER_CHROMIUM")
    return (
        named
        or next((place for place in PLACES if Path(place).exists()), None)
        or shutil.which("chromium")
    )


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser. Skips where there is none."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the browser tests need playwright: pip install playwright"
    )
    path = browser_path()
    if not path:
        pytest.skip(
            "no chromium on this computer: apt-get install chromium, or name it in WARLEDGER_CHROMIUM"
        )
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, chromium: Any) -> Iterator[Site]:
    """A server for all tests of a run."""
    with postbox() as box:
        yield from serving(tmp_path_factory, box)


def serving(
    tmp_path_factory: pytest.TempPathFactory, box: Postbox, page: Path | None = None
) -> Iterator[Site]:
    """A server until it is not needed any more. `page` is the folder that it serves; the tests call
    the page's modules, so by default that is never what was built of them."""
    if page is None and BUILT_PAGE.is_dir():
        page = ROOT / "clients" / "web"
    data = tmp_path_factory.mktemp("browser") / "data"
    mail = data.parent / "mail.toml"
    mail.write_text(
        f'host = "127.0.0.1"\nport = {box.port}\nsecurity = "none"\nsender = "games@example.org"\n'
    )
    server = subprocess.Popen(
        [
            *(
                sys.executable,
                "-m",
                "warledger.clients.cli",
                "serve",
                "--data",
                str(data),
                "--tcp",
                "127.0.0.1:0",
                "--http",
                "127.0.0.1:0",
            ),
            *("--http-name", PLAIN_NAME, "--plain"),
            *(() if page is None else ("--page", str(page))),
            *("--push", "mailto:ops@example.org", "--mail", str(mail), "--practice-games", "2"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env=_environment(),
    )
    assert server.stdout is not None
    tcp = url = ""
    said = []
    for line in server.stdout:
        said.append(line)
        tcp = tcp or "".join(re.findall(r"^Serving on (127\.0\.0\.1:\d+)", line))
        url = url or "".join(re.findall(r"(http://127\.0\.0\.1:\d+)/", line))
        if "token" in line:
            break
    assert tcp and url, "".join(said)
    running = Site(url, tcp, (data / "host.token").read_text().strip(), data, box)
    yield running
    for process in (*running.processes, server):
        process.terminate()
    for process in (*running.processes, server):
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    server.stdout.close()


@pytest.fixture
def open_page(chromium: Any, site: Site) -> Iterator[Callable[..., Any]]:
    """Opens an address in a browser of its own (its own storage); whatever the page complains of
    fails the test."""
    contexts = []
    complaints: list[str] = []

    def opened(path: str, *, before: Callable[[Any], None] | None = None, **settings: Any) -> Any:
        context = chromium.new_context(
            **{
                "viewport": {"width": 1280, "height": 860},
                "reduced_motion": "reduce",
                "locale": "en-GB",
                "service_workers": "block",
                **settings,
            }
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text)
                if "Content Security Policy" in message.text
                else None
            ),
        )
        if before is not None:
            before(page)
        page.goto(site.url + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def ended(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Game:
    """A whole game of War at Sea between two captains, who play it in this process."""
    game = site.new("war_at_sea")
    host, port = site.tcp.rsplit(":", 1)

    async def play(seat: str, token: str) -> None:
        async with connect(
            host, int(port), token=token, receipts=tmp_path_factory.mktemp(seat)
        ) as link:
            at = await sit(link, game.id, seat, client="bot")
            await play_bot(at, "captain", "1")
            await at.finish()

    async def both() -> None:
        with trio.fail_after(300):
            async with trio.open_nursery() as nursery:
                for seat, token in game.tokens.items():
                    nursery.start_soon(play, seat, token)

    trio.run(both)
    return Game(game.id, game.tokens, len(site.log(game)))


@pytest.fixture(scope="session")
def signed_log(site: Site, ended: Game) -> list[bytes]:
    """The records of that game, as its file has them."""
    return site.log(ended)


@pytest.fixture(scope="session")
def analysed(site: Site, ended: Game, tmp_path_factory: pytest.TempPathFactory) -> Game:
    """That game, with what `warledger analyse` puts beside it."""
    file = tmp_path_factory.mktemp("analysed") / "game.wlog"
    with urlopen(f"{site.url}/archive/{ended.id}.wlog") as answer:
        file.write_bytes(answer.read())
    site.here("analyse", str(file), "--rollouts", "1", "--processes", "1")
    return ended


def records_of(data: bytes) -> list[bytes]:
    """The records' bytes in a game's file."""
    return [payload for kind, payload in frames_of(data) if kind == 1]


def frames_of(data: bytes) -> list[tuple[int, bytes]]:
    """The frames of a game's file, as [kind, payload]."""
    found, at = [], 8
    while at + 9 <= len(data):
        size, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4]
        found.append((kind, data[at + 9 : at + 9 + size]))
        at += 9 + size
    return found
