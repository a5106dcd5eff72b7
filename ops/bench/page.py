"""How quickly the page shows a finished game in chromium, beside what the browser needs to show
anything at all.

    python -m ops.bench.page [--title war_at_sea] [--scrubs 40] [--json]
    python -m ops.bench.page --url http://127.0.0.1:8080 --game GAME [--scrubs 40] [--json]
    python -m ops.bench.page --live [--title typhoon] [--json]

Without `--url` a server of its own is started, on which two captains play a game to its end first.
Then a browser without anything stored opens the game, which others have opened before. So the
server has made what every visitor gets, and has compressed the page's scripts as it does what is
asked for often (`engine/serve/http/pagefiles.py`). `first_visitor_ms` is the board of the first
one. `first_board_ms` is until counters lie on the board, `verified_ms` until the newest record has
come and its hash has been compared. `received_kB` is what came over the network by then, WebSocket
included. `board_kB` is as much of it as the board needs: all but what stands behind the first of
the game's two parts (`protocol/log/twoparts.py`). `game_kB` is what both parts take, compressed,
`seen_kB` the first of them, `heap_MB` what the page holds after a collection. `scrub_p95_ms` is the
time from setting the timeline to some record until the frame after next is painted, for 95 of 100
records all over the game.

The floor is the same browser opening the page's help, which draws a heading and a few paragraphs.
For the timeline it is two frames in which nothing changes. `..._ratio` is how many times the floor.

`--live` measures a page that is open on a game while two captains play it at full speed, from its
first record to its end: `frames_per_s` and `frame_p95_ms` between frames that the browser painted,
`longest_ms` the longest time in which it could not have answered a key. `answer_p95_ms` is how long
a key that is pressed every quarter of a second took to be handled. Server, captains and browser
share the machine, so that these depend on its cores. `busy_share` does not: how much of the time
the page's own thread computed. `longest_cpu_ms` is the processor time of its longest task, and
`over_a_frame` how many of its tasks took more of that than a frame lasts. On a machine that has
nothing else to do these are all the frames that would be late. `still_...` are the same of that
page once the game is over and nothing moves: what this machine and this browser can do. `bare_...`
are those of nothing but that game's map, over which one counter is moved 80 times a second, while
two captains play another as fast: what painting the map costs without a page around it, on the same
busy machine. `frames_ratio` is the page's frames by the bare map's.

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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import brotli

from ops.bench.figures import show
from warledger.engine.serve.http.pagefiles import OFTEN
from warledger.protocol.log.twoparts import LENGTH_BYTES

BOARD = "document.querySelector('.board .counter') !== null"
WHOLE = """window.warledgerView.watch.ended !== null
  && window.warledgerView.watch.proved === window.warledgerView.watch.records.length"""
SYMBOLS = "document.querySelector('.sheet-holder svg') !== null"
PARTS = """performance.getEntriesByType('resource')
  .filter(({ name, encodedBodySize }) => /[.](js|css)$/.test(name) && encodedBodySize > 4000)
  .map(({ name }) => new URL(name).pathname)"""
"""The scripts and style sheets that the page has loaded, if compressing them better shows."""
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
WATCHING = """() => {
  const watched = { frames: [], answers: [], tasks: [] };
  let last = performance.now();
  const frame = (now) => {
    watched.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.tasks.push(duration);
  }).observe({ entryTypes: ["longtask"] });
  const answer = (event) => watched.answers.push(performance.now() - event.timeStamp);
  addEventListener("keydown", answer, true);
  window.watched = watched;
}"""
"""Counts frames, long tasks and how late keys are handled."""
BARE = """() => {
  window.warledgerView.dispose();
  const stage = document.querySelector(".stage");
  const counter = stage.querySelector(".counter");
  document.body.replaceChildren(stage);
  stage.style.cssText = "position: fixed; inset: 0";
  let n = 0;
  setInterval(() => {
    counter.style.transform = `translate(${300 + (n++ % 400)}px, 300px)`;
  }, 12.5);
}"""
"""Leaves the map alone in the window, with one counter that is laid elsewhere all the time."""
TAKEN = """() => {
  const taken = structuredClone(window.watched);
  for (const list of Object.values(window.watched)) list.length = 0;
  return taken;
}"""
"""What has been counted since it was asked last."""
KEY = "Shift"
KEY_EVERY_MS = 250
STILL_MS = 5000
BARE_MS = 20_000
POLL_MS = 5
FRAME_MS = 1000 / 60
TRACED_FROM_MS = 500
SQUEEZE_S = 10.0
STEP_BYTES = 100
SQUEEZE_POLL_S = 0.1
PATIENCE_S = 120.0
LIVE_PATIENCE_S = 900.0
WARLEDGER = [sys.executable, "-m", "warledger.clients.cli"]


@contextmanager
def serving() -> Iterator[tuple[str, str, str]]:
    """A server on a directory of its own: its address for clients, that of its page, and its
    host's token."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        server = subprocess.Popen(
            [
                *(*WARLEDGER, "serve", "--data", str(data), "--plain"),
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
            yield tcp, url, (data / "host.token").read_text().strip()
        finally:
            server.terminate()
            server.wait()


def new_game(tcp: str, host: str, title: str, *options: str) -> tuple[str, dict[str, str]]:
    """A game with these options (`name=value`): its id, and its seats' tokens."""
    made = json.loads(
        subprocess.run(
            [
                *(*WARLEDGER, "new", title, "--json", "--server", tcp, "--token", host),
                *(word for option in options for word in ("--option", option)),
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    return made["game"], dict(made["tokens"])


def captains(tcp: str, game: str, tokens: dict[str, str]) -> list[subprocess.Popen[bytes]]:
    """A captain at every seat, each in a process of its own, playing as fast as it can."""
    return [
        subprocess.Popen(
            [
                *(*WARLEDGER, "bot", game, "--seat", seat, "--player", "captain"),
                *("--seed", "1", "--server", tcp, "--token", token, "--plain"),
            ],
            stdout=subprocess.DEVNULL,
        )
        for seat, token in tokens.items()
    ]


@contextmanager
def played(title: str, *options: str) -> Iterator[tuple[str, str]]:
    """A server with a finished game of this title and options (`name=value`): the page's address
    and the game's id."""
    with serving() as (tcp, url, host):
        game, tokens = new_game(tcp, host, title, *options)
        for bot in captains(tcp, game, tokens):
            bot.wait()
        yield url, game


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


def often(url: str, game: str, parts: list[str]) -> None:
    """Ask for what every page of a game needs, with these scripts and style sheets, until the
    server has compressed it better."""
    of_game = (f"/api/games/{game}/board", f"/api/games/{game}/phrases/en")
    for path in (*parts, *of_game, f"/archive/{game}.parts"):
        asked = Request(url + path, headers={"Accept-Encoding": "br"})
        sizes: list[int] = []
        deadline = time.perf_counter() + SQUEEZE_S
        while time.perf_counter() < deadline and (len(sizes) <= OFTEN or sizes[-1] == sizes[0]):
            with urlopen(asked) as answer:
                sizes.append(len(answer.read()))
            if len(sizes) > OFTEN:
                time.sleep(SQUEEZE_POLL_S)


def sent(url: str, game: str) -> tuple[int, int]:
    """The compressed bytes of a game until its first part is whole, and of both."""
    asked = Request(f"{url}/archive/{game}.parts", headers={"Accept-Encoding": "br"})
    with urlopen(asked) as answer:
        packed = answer.read()
    reader = brotli.Decompressor()
    out, first = b"", len(packed)
    for at in range(0, len(packed), STEP_BYTES):
        piece = reader.process(packed[at : at + STEP_BYTES])
        while piece:
            out += piece
            piece = reader.process(b"")
        if len(out) >= LENGTH_BYTES + int.from_bytes(out[:LENGTH_BYTES], "big") > LENGTH_BYTES:
            first = min(first, at + STEP_BYTES)
    return first, len(packed)


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
        begun = time.perf_counter()
        page.goto(f"{url}/game/{game}", wait_until="commit")
        first_visitor = until(page, BOARD, begun)
        until(page, WHOLE, begun)
        until(page, SYMBOLS, begun)
        parts = page.evaluate(PARTS)
        context.close()

        often(url, game, parts)
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
        seen, both = sent(url, game)
        session.send("HeapProfiler.enable")
        session.send("HeapProfiler.collectGarbage")
        heap = page.evaluate("performance.memory.usedJSHeapSize")
        still = sorted(page.evaluate(STILL) for _ in range(scrubs))
        took = sorted(page.evaluate(SCRUB, (n * 0.618) % 1) for n in range(scrubs))
        browser.close()

    return {
        "floor": {"help_ms": floor, "two_frames_p95_ms": p95(still)},
        "page": {
            "records": records,
            "first_visitor_ms": first_visitor,
            "first_board_ms": board,
            "first_board_ratio": board / floor,
            "verified_ms": verified,
            "verified_ratio": verified / floor,
            "received_kB": loaded / 1000,
            "board_kB": (loaded - both + seen) / 1000,
            "game_kB": both / 1000,
            "seen_kB": seen / 1000,
            "heap_MB": heap / 1e6,
            "scrub_p95_ms": p95(took),
            "scrub_p95_ratio": p95(took) / p95(still),
        },
    }


def live(title: str) -> dict[str, dict[str, float]]:
    """The figures of a page beside which two captains play."""
    from playwright.sync_api import sync_playwright

    with serving() as (tcp, url, host), sync_playwright() as running:
        game, tokens = new_game(tcp, host, title)
        browser = running.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{url}/game/{game}", wait_until="commit")
        until(page, "document.querySelector('.board') !== null", time.perf_counter())
        page.evaluate(WATCHING)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})

        def computed() -> float:
            """Seconds that the page's thread has computed."""
            metrics = session.send("Performance.getMetrics")["metrics"]
            return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

        bots = captains(tcp, game, tokens)
        begun = time.perf_counter()

        def pressing(true: Callable[[], bool]) -> dict[str, float]:
            """Press a key now and then until something is true: what the page did meanwhile."""
            page.evaluate(TAKEN)
            before = computed()
            since = time.perf_counter()
            while not true():
                assert time.perf_counter() - begun < LIVE_PATIENCE_S
                page.keyboard.press(KEY)
                page.wait_for_timeout(KEY_EVERY_MS)
            took = time.perf_counter() - since
            counted = page.evaluate(TAKEN)
            frames = sorted(counted["frames"])
            return {
                "seconds": took,
                "frames_per_s": len(frames) / took,
                "frame_p95_ms": p95(frames),
                "longest_ms": max([0.0, *counted["tasks"]]),
                "answer_p95_ms": p95(sorted(counted["answers"])),
                "busy_share": (computed() - before) / took,
            }

        browser.start_tracing(page=page, categories=["toplevel"])
        page.wait_for_timeout(TRACED_FROM_MS)
        during = pressing(lambda: all(bot.poll() is not None for bot in bots))
        tasks = cpu_of_tasks(browser.stop_tracing())
        until(page, WHOLE, time.perf_counter())
        page.evaluate("window.warledgerView.showing.catchUp()")
        records = page.evaluate("window.warledgerView.watch.records.length")
        still_from = time.perf_counter()
        still = pressing(lambda: (time.perf_counter() - still_from) * 1000 > STILL_MS)
        page.evaluate(BARE)
        bots = captains(tcp, *new_game(tcp, host, title))
        begun = time.perf_counter()
        bare_ms = min(BARE_MS, during["seconds"] * 1000)
        bare = pressing(lambda: (time.perf_counter() - begun) * 1000 > bare_ms)
        for bot in bots:
            bot.terminate()
            bot.wait()
        browser.close()
    return {
        "floor": {
            **{f"still_{name}": value for name, value in still.items()},
            **{f"bare_{name}": value for name, value in bare.items()},
        },
        "live": {
            "records": records,
            "records_per_s": records / during["seconds"],
            **during,
            "longest_cpu_ms": max(tasks),
            "over_a_frame": sum(one > FRAME_MS for one in tasks),
            "frames_ratio": during["frames_per_s"] / bare["frames_per_s"],
        },
    }


def cpu_of_tasks(trace: bytes) -> list[float]:
    """The processor time in ms of each task of the page's own thread, but for what beginning to
    trace took."""
    events = json.loads(trace)["traceEvents"]
    tasks: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for event in events:
        if event.get("ph") == "X" and event["name"].endswith("RunTask"):
            thread = tasks.setdefault((event["pid"], event["tid"]), [])
            thread.append((event["ts"], event.get("tdur", 0) / 1000))
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    found = max((tasks.get(main, []) for main in mains), key=len)
    begun = min(at for at, _ in found) + TRACED_FROM_MS * 1000
    return [took for at, took in found if at > begun]


def p95(times: list[float]) -> float:
    """The value that 95 of 100 do not exceed, of values in order."""
    return times[min(len(times) - 1, len(times) * 95 // 100)] if times else 0.0


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--title", default="war_at_sea")
    parser.add_argument("--url", default="")
    parser.add_argument("--game", default="")
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--scrubs", type=int, default=40)
    parser.add_argument("--json", action="store_true", dest="machine")
    args = parser.parse_args()
    if bool(args.url) != bool(args.game):
        parser.error("--url and --game belong together")
    if args.live:
        show(live(args.title), machine=args.machine)
        return
    if args.url:
        show(measured(args.url.rstrip("/"), args.game, args.scrubs), machine=args.machine)
        return
    with played(args.title) as (url, game):
        show(measured(url, game, args.scrubs), machine=args.machine)


if __name__ == "__main__":
    main()
