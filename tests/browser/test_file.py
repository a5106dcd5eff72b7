"""A game in one HTML file: it plays and checks itself, opened from a folder without a network."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.browser.conftest import WAIT_MS, Game, Site
from tests.browser.players import until

STATE = "document.querySelector('.file-state')?.className ?? ''"
LOG = re.compile(rb'(id="warledger-log">)([^<]+)(<)')
SIZE_MAX = 1_500_000


@pytest.fixture
def open_file(chromium: Any) -> Any:
    """Opens a file in a browser that has no network; what it asks of one is told."""
    contexts = []

    def opened(path: Path, **settings: Any) -> tuple[Any, list[str]]:
        context = chromium.new_context(offline=True, reduced_motion="reduce", **settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        told: list[str] = []
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("console", lambda one: told.append(one.text) if one.type == "error" else None)
        page.on(
            "request",
            lambda asked: (
                None
                if asked.url.startswith(("file:", "blob:", "data:"))
                else told.append(asked.url)
            ),
        )
        page.goto(path.as_uri())
        return page, told

    yield opened
    for context in contexts:
        context.close()


def changed(html: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The page with another log in it, its compression and checksum made anew."""

    def again(match: re.Match[bytes]) -> bytes:
        log = change(gzip.decompress(base64.b64decode(match[2])))
        return match[1] + base64.b64encode(gzip.compress(log)) + match[3]

    made, count = LOG.subn(again, html)
    assert count == 1
    return made


def test_a_file_plays_and_checks_itself_without_a_network(
    open_file: Any, open_page: Callable[..., Any], site: Site, ended: Game, tmp_path: Path
) -> None:
    """The page's button gives a file that shows the board, steps through the game, has its story,
    its figures and its log in each language, asks nothing of anybody, and says that all of it
    holds. A byte changed anywhere is said."""
    page = open_page(f"/game/{ended.id}")
    page.click("#tab-about")
    until(page, "document.querySelector('[data-act=as-page]') !== null")
    with page.expect_download() as given:
        page.click("[data-act=as-page]")
    file = tmp_path / given.value.suggested_filename
    given.value.save_as(file)
    assert file.name == f"{ended.id}.html"
    html = file.read_bytes()
    assert len(html) < SIZE_MAX

    page, told = open_file(file, viewport={"width": 1280, "height": 860})
    until(page, f"({STATE}).includes('sound')")
    assert f"{ended.records} records" in page.inner_text(".file-state")
    assert page.locator("#tab-talk").count() == 0
    page.click("[data-act=back]")
    until(page, f"window.warledgerView.at === {ended.records - 2}")
    assert page.locator(".counter").count() > 10
    page.click("#tab-figures")
    until(page, "document.querySelector('.histogram svg') !== null")
    page.select_option(".top .language", "zh-Hant")
    until(page, "document.querySelector('#tab-figures').textContent === '數據'")
    until(page, "document.querySelector('.file-state').textContent.includes('均成立')")
    page.click("#tab-about")
    with page.expect_download() as log:
        page.click(".about a[download]")
    with urlopen(f"{site.url}/archive/{ended.id}.wlog") as answer:
        assert Path(log.value.path()).read_bytes() == answer.read()
    assert told == []

    at = html.index(b'id="warledger-parts">') + 40_000
    forged: dict[str, bytes] = {
        "packed": html[:at] + (b"A" if html[at : at + 1] != b"A" else b"B") + html[at + 1 :],
        "short": html[: len(html) // 2],
        "frame": changed(html, lambda log: log[:9999] + bytes([log[9999] ^ 1]) + log[10000:]),
        "end": changed(html, lambda log: log[:-1]),
    }
    for name, made in forged.items():
        wrong = tmp_path / f"{name}.html"
        wrong.write_bytes(made)
        page, _ = open_file(wrong)
        if name == "short":
            # The script that would say so is cut off as well, and nothing is shown as sound.
            page.wait_for_timeout(0)
            assert "sound" not in page.evaluate(STATE)
            continue
        until(page, "document.querySelector('[role=alert]') !== null")
        assert "sound" not in page.evaluate(STATE), name


def test_a_file_has_what_casters_drew_and_who_would_win(
    open_file: Any, site: Site, analysed: Game, tmp_path: Path
) -> None:
    """`warledger export --html` of a data directory: marks that are kept beside the log appear from
    their record on and not before, nor at the end; the curve of `warledger analyse` and luck are told with what they
    are worth, and nothing is asked of anybody."""
    mark = {"at": 60, "by": "Cora", "maker": "token 00"}
    kept = [
        {**mark, "n": 1, "kind": "arrow", "places": ["north_sea", "mediterranean"], "text": ""},
        {
            **mark,
            "n": 2,
            "kind": "note",
            "places": ["north_sea"],
            "text": "All of it hangs on this",
        },
    ]
    marks = site.data / "marks" / f"{analysed.id}.json"
    marks.parent.mkdir(exist_ok=True)
    marks.write_text(json.dumps({"format": 1, "marks": kept}))
    file = tmp_path / "game.html"
    try:
        site.here("export", analysed.id, "--html", str(file))
    finally:
        marks.unlink()
    assert file.stat().st_size < SIZE_MAX
    page, told = open_file(file, viewport={"width": 1280, "height": 860})
    until(page, f"({STATE}).includes('sound')")
    drawn = (
        "[...document.querySelectorAll('.mark-arrow, .mark-note')].map((one) => one.textContent)"
    )
    for at, seen in ((59, []), (60, ["", "All of it hangs on this"]), (analysed.records - 1, [])):
        page.evaluate("(at) => window.warledgerView.goTo(at)", at)
        until(page, f"(seen) => JSON.stringify({drawn}) === JSON.stringify(seen)", arg=seen)
    page.click("#tab-figures")
    until(page, "document.querySelector('.histogram svg') !== null")
    assert page.locator(".odds-line").count() == 2
    assert "captains played both sides" in page.inner_text(".figures .worth").lower()
    assert page.locator(".luckiest li").count() > 0
    assert told == []


def test_a_log_that_was_written_anew_does_not_hold(
    open_file: Any, site: Site, ended: Game, tmp_path: Path
) -> None:
    """Somebody who drops a record and makes every checksum of the file again is found out by the
    chain; who drops the last ones, by the missing signature."""
    from warledger.protocol.log import wlog

    with urlopen(f"{site.url}/api/games/{ended.id}.html") as answer:
        html = answer.read()

    def without(drop: Callable[[int], bool]) -> Callable[[bytes], bytes]:
        def change(log: bytes) -> bytes:
            kept, seq = [], -1
            for frame in wlog.parse(log, sealed=True).frames:
                seq += frame.kind == wlog.FRAME_RECORD
                if frame.kind == wlog.FRAME_HEAD or not drop(seq):
                    kept.append(frame)
            return wlog.encode(kept, sealed=True)

        return change

    for name, drop in (
        ("one", lambda seq: seq == 40),
        ("tail", lambda seq: seq > ended.records - 20),
    ):
        file = tmp_path / f"{name}.html"
        file.write_bytes(changed(html, without(drop)))
        page, _ = open_file(file)
        until(page, f"({STATE}).includes('broken')")
    with pytest.raises(HTTPError) as caught:
        urlopen(f"{site.url}/api/games/none.html")
    assert caught.value.code == 404
