"""A player faster than the server: what he types or presses waits its turn, is not lost, and meets no choices that are gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Game, Site
from tests.browser.players import IDLE, ready, until

Open = Callable[..., Any]

SLOW_MS = 150

SLOW = """(ms) => {
  const socket = warledgerLink.socket, take = socket.onmessage;
  socket.onmessage = (event) => setTimeout(() => take(event), ms);
}"""
PANEL = """() => ({
  picked: [...document.querySelectorAll('.crumbs li')].map((one) => one.textContent),
  offered: [...document.querySelectorAll('.options-list button')].map((one) => one.dataset.act),
  focus: document.activeElement.dataset.act ?? document.activeElement.className,
  refused: document.querySelector('.refusal')?.textContent ?? '',
  told: [...document.querySelectorAll('.record .line.sentence')].map((one) => one.textContent),
})"""

SEQUENCES = {
    "back and on": "Enter Enter Backspace Backspace Enter Tab Tab Enter Enter",
    "the filter": "Enter Shift+Tab w a r x Backspace Tab Enter Enter Enter",
    "two commands": "Enter Enter Enter Enter Enter Tab Enter Enter Enter Enter Enter",
}


def begun(open_page: Open, site: Site) -> tuple[Any, Any, Game]:
    """Both seats of a new game; the first is asked."""
    game = site.new("war_at_sea")
    page, other = (open_page(f"/game/{game.id}#token={token}") for token in game.tokens.values())
    ready(other)
    page.locator("[data-act='pick:deploy']").focus()
    until(page, IDLE)
    return page, other, game


@pytest.mark.parametrize("name", SEQUENCES)
def test_keys_typed_ahead_do_what_they_do_one_by_one(open_page: Open, site: Site, name: str) -> None:
    """The same keys, once with a wait after each and once all together on a slow line, pick and submit the same."""
    found = []
    for fast in (False, True):
        page, _, _ = begun(open_page, site)
        if fast:
            page.evaluate(SLOW, SLOW_MS)
        for key in SEQUENCES[name].split():
            page.keyboard.press(key)
            if not fast:
                until(page, IDLE)
        if fast:
            assert not page.evaluate(IDLE), "the line was not slow enough to show anything"
        until(page, IDLE)
        found.append(page.evaluate(PANEL))

    assert found[1] == found[0]
    assert found[0]["picked"] or len(found[0]["told"]) > 1
    assert found[0]["refused"] == ""


def test_a_key_held_down_is_pressed_once(open_page: Open, site: Site) -> None:
    """Leaning on Enter picks one thing, on a fast line and on a slow one."""
    page, _, _ = begun(open_page, site)
    for ms in (0, SLOW_MS):
        page.evaluate(SLOW, ms)
        page.locator("[data-act='pick:deploy']").focus()
        for _ in range(6):
            page.keyboard.down("Enter")
            page.wait_for_timeout(30)
        page.keyboard.up("Enter")
        until(page, IDLE)
        assert page.evaluate(PANEL)["picked"] == ["deploy"]
        page.keyboard.press("Escape")
        until(page, IDLE + " && document.querySelectorAll('.crumbs li').length === 0")


def test_presses_made_meanwhile_are_done_in_their_order(open_page: Open, site: Site) -> None:
    """Two ships, the second twice, and a port, clicked faster than the server answers: each is picked once, nothing is refused."""
    page, _, _ = begun(open_page, site)
    page.locator("[data-act='pick:deploy']").click()
    until(page, IDLE)
    page.evaluate(SLOW, SLOW_MS)
    spots = [page.locator(f"[data-act='pick:{ship}']").bounding_box() for ship in ("nelson", "rodney")]
    for spot in (spots[0], spots[1], spots[1]):
        page.mouse.click(spot["x"] + 8, spot["y"] + 8)
    assert not page.evaluate(IDLE)
    until(page, IDLE)
    until(page, "document.querySelectorAll('.crumbs li').length === 3")
    assert page.evaluate(PANEL)["picked"] == ["deploy", "Nelson", "Rodney"]
    assert page.evaluate(PANEL)["refused"] == ""

    page.locator("[data-act='pick:malta']").click()
    page.locator("[data-act=submit]").click(force=True)
    until(page, "document.querySelector('.story').textContent.includes('Nelson and Rodney go to Malta')")


def test_what_is_typed_before_its_question_is_seen_is_not_submitted(open_page: Open, site: Site) -> None:
    """With what can only end submitted at once: two commands typed ahead; the first goes, the second waits to be looked at."""
    page, _, _ = begun(open_page, site)
    page.locator(".more-acts summary").click()
    page.locator("[data-act=once]").check()
    page.locator("[data-act='pick:deploy']").focus()
    page.evaluate(SLOW, SLOW_MS)
    for _ in range(5):  # the last ship can only go to one port, which is picked with it
        page.keyboard.press("Enter")
    until(page, "document.querySelector('.story').textContent.includes('to Malta')")
    until(page, IDLE)

    panel = page.evaluate(PANEL)
    assert panel["picked"] == ["deploy", "Nelson", "England"]
    assert panel["focus"] == "submit"
    assert len(panel["told"]) == 2


def test_choices_of_a_question_that_is_over_cannot_be_picked(open_page: Open, site: Site) -> None:
    """While a command is on its way nothing of the old panel can be picked; the next question comes with its own choices."""
    page, _, _ = begun(open_page, site)
    for pick in ("deploy", "nelson", "malta"):
        page.locator(f"[data-act='pick:{pick}']").click()
    until(page, IDLE)
    page.evaluate(SLOW, SLOW_MS)
    page.locator("[data-act=submit]").click()

    assert page.locator(".options-list button").count() == 0
    assert page.locator("[data-act=submit]").is_disabled()
    page.locator("[data-act='pick:deploy']").wait_for()
    assert page.evaluate(PANEL)["refused"] == ""
