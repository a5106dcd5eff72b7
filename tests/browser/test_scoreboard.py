"""The scoreboard and the curve of the score: counted as protocol/board/description.py counts."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Game
from tests.browser.players import until, whole
from warledger.engine.runtime.titles import description as described
from warledger.engine.runtime.titles import installed
from warledger.protocol.board import description
from warledger.protocol.board import effects as fx
from warledger.protocol.board.effects import Board

Open = Callable[..., Any]
TALLIED = """async ([told, boards]) => {
  const { readDescription } = await import('/board/description.js');
  const { Control, tallied } = await import('/show/score.js');
  const { Board } = await import('/records/effects.js');
  const read = readDescription(told);
  const control = new Control(read);
  return boards.map((effects) => {
    const board = new Board();
    for (const effect of effects) board.apply(effect);
    return Object.fromEntries(tallied(read, control, board.tracks, (id, marker) => board.marks.get(id)?.get(marker)).map(({ side, points }) => [side, points]));
  });
}"""


def test_the_page_counts_as_everybody_counts(open_page: Open) -> None:
    """Whatever tracks and marks of control a board has, the page's score of each title is that of
    `tallied`."""
    page = open_page("/help")
    seed = 17
    rng = random.Random(seed)
    for title, more in (
        ("war_at_sea", {}),
        ("victory_lost", {}),
        ("typhoon", {}),
        ("hungarian_rhapsody", {"scenario": "konrad3"}),
    ):
        one = installed()[title]
        value = described(one.rules, one.pack, {**one.options, **more})
        told = description.read(value)
        assert told.scoring is not None
        counted = [n for tally in told.scoring.tallies for n, _ in (*tally.places, *tally.lacking)]
        boards = []
        for _ in range(30):
            effects = [
                fx.track(tally.track, rng.randrange(-9, 40))
                for tally in told.scoring.tallies
                if tally.track
            ]
            effects += [
                fx.mark(told.places[n].id, f"control.{side}", rng.randrange(2))
                for n in counted
                for side in told.sides
                if rng.randrange(3)
            ]
            boards.append(effects)
        expected = []
        for effects in boards:
            board = Board()
            for effect in effects:
                board.apply(effect)
            expected.append(description.tallied(told, board))
        assert page.evaluate(TALLIED, [value, boards]) == expected, f"{title}, seed {seed}"
        assert len({str(found) for found in expected}) > 3


def test_who_leads_and_what_wins_are_seen(open_page: Open, ended: Game) -> None:
    """The lead in the title's terms, the turn of how many, what wins on request, and the curve of
    the score behind the timeline, in each language."""
    page = open_page(f"/game/{ended.id}")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    score = page.evaluate(
        "window.warledgerView.watch.boardAt(window.warledgerView.watch.last).tracks.get('score')"
    )
    lead = page.locator(".score-lead")
    expected = f"Axis +{score}" if score > 0 else f"Allies +{-score}" if score < 0 else "Level"
    assert lead.inner_text() == expected
    assert page.locator(".score-turn").inner_text().startswith("Turn 8 of 8")
    assert page.locator(".score-side.won").count() == (1 if score else 0)
    page.locator(".score-needs summary").click()
    assert "After turn 8" in page.locator(".score-needs li").inner_text()
    curve = page.locator(".curve-line").get_attribute("d")
    assert curve.count("V") >= 2
    assert page.locator(".turns span").all_inner_texts() == [str(n) for n in range(1, 9)]
    for language in ("zh-Hans", "zh-Hant"):
        page.locator("select.language").select_option(language)
        until(page, "(language) => document.documentElement.lang === language", arg=language)
        text = page.locator(".scoreboard").inner_text()
        assert "[" not in text and "⟨" not in text and "8" in text

    page.locator(".scrub").fill("30")
    assert "1" in page.locator(".score-turn").inner_text()
    assert page.locator(".score-side.decides").count() > 0
