"""The page as `ops/pagebuild` makes it for a release. All other tests are of its modules."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from ops import pagebuild
from tests.browser.conftest import WAIT_MS, Site, serving
from tests.browser.players import until
from tests.browser.postbox import postbox


@pytest.fixture(scope="module")
def built_site(tmp_path_factory: pytest.TempPathFactory, chromium: Any) -> Iterator[Site]:
    """A server of the page as it is built now. Skips where what builds it is not installed."""
    if shutil.which("npm") is None or not (pagebuild.TOOLS / "node_modules" / ".locked").is_file():
        pytest.skip("nothing builds the page here: ops/web/install needs npm")
    page = tmp_path_factory.mktemp("page") / "web"
    shutil.copytree(pagebuild.PAGE, page)
    made = tmp_path_factory.mktemp("built")
    assert pagebuild.built(made)
    shutil.copytree(made, page, dirs_exist_ok=True)
    with postbox() as box:
        yield from serving(tmp_path_factory, box, page)


def test_a_built_page_shows_and_checks_a_game_and_opens_without_a_network(
    built_site: Site, chromium: Any
) -> None:
    """Of the page's scripts it loads the one, and the worker's; nothing complains. All its parts
    are in that script, so a part that was never opened is there without a network too."""
    game = built_site.new("war_at_sea")
    for seat in game.tokens:
        built_site.bot(game, seat)
    context = chromium.new_context(viewport={"width": 1280, "height": 860}, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    complaints: list[str] = []
    asked: set[str] = set()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
    context.on("request", lambda one: asked.add(one.url.removeprefix(built_site.url)))
    page.goto(f"{built_site.url}/game/{game.id}")
    page.wait_for_selector(".board .counter", state="attached")
    until(page, "window.warledgerView.watch.checker.checked > 9")
    assert [one.url for one in page.workers] == [f"{built_site.url}/verifier.js"]
    scripts = {path for path in asked if path.endswith((".js", ".css"))}
    assert scripts == {"/main.js", "/verifier.js", "/shell.js", "/css/style.css"}

    until(page, "navigator.serviceWorker.controller !== null")
    page.reload()
    page.wait_for_selector(".board .counter", state="attached")
    assert complaints == []
    context.set_offline(True)
    page.goto(f"{built_site.url}/help")
    until(page, "document.querySelector('h1')?.textContent === 'Help'")
    context.close()
