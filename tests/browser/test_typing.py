"""A player faster than the server: what he types or presses waits its turn, is not lost, and meets
no choices that are gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Game, Site
from tests.browser.players import IDLE, ready, same_log, until

Open = Callable[..., Any]

HOLD = """() => {
  const socket = warledgerLink.socket, take = socket.onmessage, held = [];
  socket.onmessage = (event) => held.push(event);
  window.letThrough = () => {
    socket.onmessage = take;
    held.forEach((event) => take.call(socket, event));
  };
}"""
"""Nothing that the server says arrives any more: whatever is done now is done before its answer."""
LET_THROUGH = "letThrough()"
PANEL = """() => ({
  picked: [...document.querySelectorAll('.crumbs li')].map((one) => one.textContent),
  offered: [...document.querySelectorAll('.play-pane button[data-act^=pick]')].map((one) => one.dataset.act),
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
def test_keys_typed_ahead_do_what_they_do_one_by_one(
    open_page: Open, site: Site, name: str
) -> None:
    """The same keys, once with a wait after each and once all together before the first answer
    comes, pick and submit the same."""
    found = []
    for fast in (False, True):
        page, _, _ = begun(open_page, site)
        if fast:
            page.evaluate(HOLD)
        for key in SEQUENCES[name].split():
            page.keyboard.press(key)
            if not fast:
                until(page, IDLE)
        if fast:
            assert not page.evaluate(IDLE)
            page.evaluate(LET_THROUGH)
        until(page, IDLE)
        found.append(page.evaluate(PANEL))

    assert found[1] == found[0]
    assert found[0]["picked"] or len(found[0]["told"]) > 1
    assert found[0]["refused"] == ""


def test_a_key_held_down_is_pressed_once(open_page: Open, site: Site) -> None:
    """Leaning on Enter picks one thing, whether answers come meanwhile or not."""
    page, _, _ = begun(open_page, site)
    for late in (False, True):
        page.locator("[data-act='pick:deploy']").focus()
        if late:
            page.evaluate(HOLD)
        for _ in range(6):
            page.keyboard.down("Enter")
            if not late:
                until(page, IDLE)
        page.keyboard.up("Enter")
        if late:
            page.evaluate(LET_THROUGH)
        until(page, IDLE)
        assert page.evaluate(PANEL)["picked"] == ["deploy"]
        page.keyboard.press("Escape")
        until(page, IDLE + " && document.querySelectorAll('.crumbs li').length === 0")


def test_presses_made_meanwhile_are_done_in_their_order(open_page: Open, site: Site) -> None:
    """Two ships, the second twice, and a port, clicked faster than the server answers: each is
    picked once, nothing is refused."""
    page, _, _ = begun(open_page, site)
    page.locator("[data-act='pick:deploy']").click()
    until(page, IDLE)
    page.evaluate(HOLD)
    spots = [
        page.locator(f"[data-act='pick:{ship}']").bounding_box() for ship in ("nelson", "rodney")
    ]
    for spot in (spots[0], spots[1], spots[1]):
        page.mouse.click(spot["x"] + 8, spot["y"] + 8)
    assert not page.evaluate(IDLE)
    page.evaluate(LET_THROUGH)
    until(page, IDLE)
    until(page, "document.querySelectorAll('.crumbs li').length === 3")
    assert page.evaluate(PANEL)["picked"] == ["deploy", "Nelson", "Rodney"]
    assert page.evaluate(PANEL)["refused"] == ""

    page.locator("[data-act='pick:malta']").click()
    until(page, IDLE)
    page.locator("[data-act=submit]:not([disabled])").click()
    until(
        page,
        "document.querySelector('.story').textContent.includes('Nelson and Rodney go to Malta')",
    )


def test_what_is_typed_before_its_question_is_seen_is_not_submitted(
    open_page: Open, site: Site
) -> None:
    """With what can only end submitted at once: two commands typed ahead; the first goes, the
    second waits to be looked at."""
    page, _, _ = begun(open_page, site)
    page.locator(".more-acts summary").click()
    page.locator("[data-act=once]").check()
    page.locator("[data-act='pick:deploy']").focus()
    page.evaluate(HOLD)
    for _ in range(5):  # the last ship can only go to one port, which is picked with it
        page.keyboard.press("Enter")
    page.evaluate(LET_THROUGH)
    until(page, "document.querySelector('.story').textContent.includes('to Malta')")
    until(page, IDLE)

    panel = page.evaluate(PANEL)
    assert panel["picked"] == ["deploy", "Nelson", "England"]
    assert panel["focus"] == "submit"
    assert len(panel["told"]) == 2


def test_choices_of_a_question_that_is_over_cannot_be_picked(open_page: Open, site: Site) -> None:
    """While a command is on its way nothing of the old panel can be picked; the next question comes
    with its own choices."""
    page, _, _ = begun(open_page, site)
    for pick in ("deploy", "nelson", "malta"):
        page.locator(f"[data-act='pick:{pick}']").click()
    until(page, IDLE)
    page.evaluate(HOLD)
    page.locator("[data-act=submit]").click()

    assert page.locator(".play-pane button[data-act^=pick]").count() == 0
    assert page.locator("[data-act=submit]").is_disabled()
    page.evaluate(LET_THROUGH)
    page.locator("[data-act='pick:deploy']").wait_for()
    assert page.evaluate(PANEL)["refused"] == ""


def test_what_the_other_side_does_moves_nothing_under_the_fingers(
    open_page: Open, site: Site
) -> None:
    """Both sides choose chits at once, and one of them is done: where the other was in its choices
    it still is."""
    game = site.new("victory_lost", set_up="historical", soviet_five="historical")
    page, other = (open_page(f"/game/{game.id}#token={token}") for token in game.tokens.values())
    for one in (page, other):
        one.locator("[data-act='pick:choose']").click()
        until(one, IDLE + " && document.querySelectorAll('.crumbs li').length > 0")
    page.locator(".play-pane button[data-act^=pick]").last.focus()
    before = page.evaluate(PANEL)
    assert before["offered"].index(before["focus"]) > 0

    while other.locator("[data-act=submit]").is_disabled():
        other.locator(".play-pane button[data-act^=pick]").first.click()
        until(other, IDLE)
    other.locator("[data-act=submit]").click()
    until(other, "document.querySelectorAll('.crumbs li').length === 0")
    same_log(page, other)

    assert page.evaluate(PANEL)["focus"] == before["focus"]
    assert page.evaluate(PANEL)["picked"] == before["picked"]
