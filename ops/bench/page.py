"""How quickly the page shows a finished game in chromium, beside what the browser needs to show
anything at all.

    python -m ops.bench.page [--title war_at_sea] [--scrubs 40] [--json]
    python -m ops.bench.page --url http://127.0.0.1:8080 --game GAME [--scrubs 40] [--json]

Without `--url` a server of its own is started, on which two captains play a game to its end first.
Then a browser without anything stored opens the game: `first_board_ms` until counters lie on the
board, `verified_ms` until the newest record has come and its hash has been compared, `received_kB`
what came over the network by then, WebSocket included, `heap_MB` what the page holds after a
collection. `scrub_p95_ms` is how long it takes from setting the timeline to some record until the
frame after next has been painted, for 95 of 100 records all over the game.

The floor is the same browser opening the page's help, which draws a heading and a few paragraphs;
and for the timeline two frames in which nothing changes. `..._ratio` is how many times the floor.

Needs the extra `browser`, and chromium (WARLEDGER_CHROMIUM names another).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ops.bench.figures import show

BOARD = "document.querySelector('.board .counter') !== null"
WHOLE = "window.warledgerView.watch.ended !== null"
HELP = "document.querySelector('.help h2') !== null"
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
SCRUB = f"""async (share) => {{
  const {{ timeline, watch }} = window.warledgerView;
  const before = performance.now();
  timeline.range.value = String(Math.floor(share * watch.last));
  timeline.range.dispatchEvent(new Event('input'));
  await {TWO_FRAMES};
  return performance.now() - before;
}}"""
STILL = f"""async () => {{
  const before = performance.now();
  await {TWO_FRAMES};
  return performance.now() - before;
}}"""
POLL_MS = 5
PATIENCE_S = 120.0


@contextmanager
def played(title: str, *options: str) -> Iterator[tuple[str, str]]:
    """A server with a finished game of this title and options (`name=value`): the page's address
    and the game's id."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        warledger = [sys.executable, "-m", "warledger.clients.cli"]
        server = subprocess.Popen(
            [
                *(*warledger, "serve", "--data", str(data), "--plain"),
                *("--tcp", "127.0.0.1:0", "--http", "127.0.0.1:0"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert server.stdout is not None
            said = ""
            for line in server.stdout:
                said += line
                if "host.token" in line:
                    break
            tcp = re.findall(r"Serving on (\S+?)\.?\s", said)[0]
            url = re.findall(r"(http://\S+?)/\s", said)[0]
            host = (data / "host.token").read_text().strip()
            made = json.loads(
                subprocess.run(
                    [
                        *(*warledger, "new", title, "--json", "--server", tcp, "--token", host),
                        *(word for option in options for word in ("--option", option)),
                    ],
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
            )
            bots = [
                subprocess.Popen(
                    [
                        *(*warledger, "bot", made["game"], "--seat", seat, "--player", "captain"),
                        *("--seed", "1", "--server", tcp, "--token", token, "--plain"),
                    ],
                    stdout=subprocess.DEVNULL,
                )
                for seat, token in dict(made["tokens"]).items()
            ]
            for bot in bots:
                bot.wait()
            yield url, made["game"]
        finally:
            server.terminate()
            server.wait()


def chromium() -> str:
    """Where the browser is."""
    found = os.environ.get("WARLEDGER_CHROMIUM") or shutil.which("chromium")
    return found or shutil.which("google-chrome") or "/usr/bin/chromium"


def until(page: Any, script: str, since: float) -> float:
    """When a script was true first, in milliseconds after `since`."""
    deadline = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < deadline:
        try:
            if page.evaluate(script):
                return (time.perf_counter() - since) * 1000
        except Exception as error:  # what it looks at is not there yet
            if "closed" in str(error):
                raise
        page.wait_for_timeout(POLL_MS)
    raise SystemExit(f"{script} was not true within {PATIENCE_S:.0f} s")


def measured(url: str, game: str, scrubs: int) -> dict[str, dict[str, float]]:
    """The figures of one game on one server."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        context = browser.new_context(
            viewport={"width": 1440, "height": 900}, service_workers="block"
        )
        page = context.new_page()
        begun = time.perf_counter()
        page.goto(f"{url}/help", wait_until="commit")
        floor = until(page, HELP, begun)
        context.close()

        context = browser.new_context(
            viewport={"width": 1440, "height": 900}, service_workers="block"
        )
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        received = [0.0]

        def add(bytes_: float) -> None:
            received[0] += bytes_

        session.on("Network.loadingFinished", lambda event: add(event["encodedDataLength"]))
        session.on(
            "Network.webSocketFrameReceived",
            lambda event: add(
                len(event["response"]["payloadData"])
                * (0.75 if event["response"]["opcode"] == 2 else 1)
            ),
        )
        begun = time.perf_counter()
        page.goto(f"{url}/game/{game}", wait_until="commit")
        board = until(page, BOARD, begun)
        verified = until(page, WHOLE, begun)
        loaded = received[0]
        records = page.evaluate("window.warledgerView.watch.records.length")
        session.send("HeapProfiler.enable")
        session.send("HeapProfiler.collectGarbage")
        heap = page.evaluate("performance.memory.usedJSHeapSize")
        still = sorted(page.evaluate(STILL) for _ in range(scrubs))
        took = sorted(page.evaluate(SCRUB, (n * 0.618) % 1) for n in range(scrubs))
        browser.close()

    def p95(times: list[float]) -> float:
        return times[min(len(times) - 1, len(times) * 95 // 100)]

    return {
        "floor": {"help_ms": floor, "two_frames_p95_ms": p95(still)},
        "page": {
            "records": records,
            "first_board_ms": board,
            "first_board_ratio": board / floor,
            "verified_ms": verified,
            "verified_ratio": verified / floor,
            "received_kB": loaded / 1000,
            "heap_MB": heap / 1e6,
            "scrub_p95_ms": p95(took),
            "scrub_p95_ratio": p95(took) / p95(still),
        },
    }


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--title", default="war_at_sea")
    parser.add_argument("--url", default="")
    parser.add_argument("--game", default="")
    parser.add_argument("--scrubs", type=int, default=40)
    parser.add_argument("--json", action="store_true", dest="machine")
    args = parser.parse_args()
    if bool(args.url) != bool(args.game):
        parser.error("--url and --game belong together")
    if args.url:
        show(measured(args.url.rstrip("/"), args.game, args.scrubs), machine=args.machine)
        return
    with played(args.title) as (url, game):
        show(measured(url, game, args.scrubs), machine=args.machine)


if __name__ == "__main__":
    main()
