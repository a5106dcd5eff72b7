"""Standing answers: given with a command, kept by the server, shown, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Site
from tests.browser.players import IDLE, Player, ready, sailing, take_turns, track, until

Open = Callable[..., Any]

PROMPT = "(document.querySelector('.play-pane .prompt')?.textContent ?? '')"


def test_an_answer_is_given_again_until_it_is_taken_back(open_page: Open, site: Site) -> None:
    """With "done" for the whole game the server answers when the Allies are asked to move; a reload
    still shows it; taken back, it is theirs to answer again."""
    page, other = sailing(open_page, site)
    question = page.evaluate(PROMPT)
    page.locator("[data-act='pick:done']").click()
    until(page, IDLE)
    page.locator("details.always summary").click()
    page.locator("[data-act='always:game']").click()
    page.locator(".standing li").wait_for()
    assert "done" in page.locator(".standing li").inner_text()
    until(page, IDLE)

    # Between the command that asks and the server's answer the question may be seen.
    players = [
        Player(one, f"standing {n}", mouse=False, eager=0.0, leaves=question)
        for n, one in enumerate((page, other))
    ]
    take_turns(players, lambda: track(page, "turn") == "3")
    said = page.locator(".standing li").inner_text()

    page.reload()
    ready(page)
    page.locator(".standing li").wait_for()
    assert page.locator(".standing li").inner_text() == said
    page.locator("[data-act='stop:0']").click()
    page.locator(".standing").wait_for(state="detached")

    take_turns(players, lambda: page.evaluate(PROMPT) == question)
    assert track(page, "turn") in ("3", "4")
