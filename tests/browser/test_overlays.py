"""What is laid over the map, from description, board and records alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Game
from tests.browser.players import until, whole
from warledger.engine.runtime.titles import description as described
from warledger.engine.runtime.titles import installed
from warledger.engine.testing import randomgames
from warledger.protocol.board import description
from warledger.protocol.board.effects import BoardHistory
from warledger.protocol.board.overlays import zones
from warledger.protocol.canon import Seal
from warledger.protocol.log.bodies import effects_of

Open = Callable[..., Any]
ZONES = """async ([told, records]) => {
  const { readDescription } = await import('/board/description.js');
  const { zones } = await import('/board/overlays.js');
  const { Board } = await import('/records/effects.js');
  const read = readDescription(told);
  const board = new Board();
  return records.map((effects) => {
    for (const effect of effects) board.apply(effect);
    return Object.fromEntries([...zones(read, board)].map(([side, places]) => [side, [...places].sort((a, b) => a - b)]));
  });
}"""
HELD = """(() => {
  const { watch } = window.warledgerView;
  const marked = (seq) => [...watch.boardAt(seq).marks.values()].some((marks) => [...marks.keys()].some((marker) => marker.startsWith('control')));
  for (let seq = watch.last; seq > 0; seq--) if (marked(seq)) return seq;
})()"""
LAID = "(one) => document.querySelector(`.overlay .${one}`)?.getAttribute('d')?.length > 10"


def test_the_page_lays_zones_as_everybody_does(open_page: Open) -> None:
    """Record by record of a random game of each hex title the page's zones are those of
    `overlays.zones`."""
    page = open_page("/help")
    seed = 11
    for title, more in (
        ("victory_lost", {}),
        ("typhoon", {}),
        ("hungarian_rhapsody", {"scenario": "sudwind"}),
    ):
        one = installed()[title]
        options = {**one.options, **more}
        value = described(one.rules, one.pack, options)
        told = description.read(value)
        played = randomgames.begin(one.rules, one.pack, seed=seed, options=options)
        randomgames.play_on(played, random.Random(seed), commands=60)
        history = BoardHistory()
        records, expected = [], []
        for record in played.records:
            found = [one for one in effects_of(record) if "veil" not in one and plain(one)]
            history.fold(record.seq, found)
            records.append(found)
            laid = zones(told, history.now)
            expected.append({side: sorted(places) for side, places in laid.items()})
        assert page.evaluate(ZONES, [value, records]) == expected, f"{title}, seed {seed}"
        assert any(places for places in expected[-1].values())


def plain(value: Any) -> bool:
    """Whether nothing in it is sealed."""
    return not isinstance(value, Seal | bytes) and (
        not isinstance(value, tuple) or all(map(plain, value))
    )


OVERLAPS = """() => {
  const box = (one) => document.querySelector(one).getBoundingClientRect();
  const told = box('.overlay-told');
  return ['.card', '.board-foot .caption', '.mini-map', '.rule-text'].filter((name) => {
    const { left, right, top, bottom, width } = box(name);
    return width && left < told.right && right > told.left && top < told.bottom && bottom > told.top;
  });
}"""
"""What what overlays tell lies over, or below."""


def test_what_overlays_tell_lies_over_nothing_else(open_page: Open, ended: Game) -> None:
    """Neither over a combat's card, nor over what is told of the last record, nor over a clause, at
    any combat of a game."""
    page = open_page(f"/game/{ended.id}?at=20", viewport={"width": 1440, "height": 900})
    whole(page, ended.records)
    page.locator(".overlays summary").click()
    for one in page.locator(".overlays input").all():
        one.check()
    page.locator(".overlays summary").click()
    page.wait_for_selector(".overlay-told")
    page.locator(".story .rule:visible").last.evaluate("(rule) => rule.click()")
    until(page, "!document.querySelector('.rule-text').hidden")
    assert page.evaluate(OVERLAPS) == []
    page.keyboard.press("Escape")
    fights = page.evaluate(
        "window.warledgerView.watch.spans.filter(({ span }) => span === 'combat').map(({ to }) => to)"
    )
    for at in fights[:10]:
        page.evaluate("(at) => window.warledgerView.goTo(at)", at)
        page.wait_for_selector(".card")
        until(page, f"({OVERLAPS})().length === 0")


def test_overlays_are_chosen_and_kept(open_page: Open, ended: Game) -> None:
    """A chart of seas offers control, arrivals and losses, and no zones; what is chosen is laid over
    the record that is looked at, told in each language, and chosen still after a reload. Ships that
    were sunk are counted where they were, and those of a later turn not yet."""
    page = open_page(f"/game/{ended.id}")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    page.locator(".overlays summary").click()
    assert page.locator(".overlays input").evaluate_all("(all) => all.map(({ id }) => id)") == [
        "overlay-control",
        "overlay-arrivals",
        "overlay-losses",
    ]
    for one in ("control", "arrivals", "losses"):
        page.locator(f"#overlay-{one}").check()
    sunk = page.evaluate(
        "[...window.warledgerView.board.board.pieces.values()].filter(({ place }) => place === 'sunk').length"
    )
    lost = "[...document.querySelectorAll('.overlay-told .lost li')].reduce((sum, one) => sum + Number(/\\d+/.exec(one.textContent)[0]), 0)"
    assert page.evaluate(lost) == sunk > 0
    onto_map = "[...document.querySelectorAll('.overlay .loss text')].reduce((sum, one) => sum - Number(one.textContent.replace('−', '-')), 0)"
    assert page.evaluate(onto_map) == sunk
    page.locator(".scrub").fill("20")
    until(page, f"{lost} < {sunk}")
    assert page.locator(".overlay-told .due li").first.inner_text().startswith("Turn 2")
    assert page.locator(".overlay-told .arrival").count() > 2
    page.locator("select.language").select_option("zh-Hans")
    until(page, "document.documentElement.lang === 'zh-Hans'")
    assert "损失" in page.locator(".overlay-told").inner_text()
    held = page.evaluate(HELD)
    page.locator(".scrub").fill(str(held))
    until(page, LAID, arg="held")
    until(page, "(at) => location.search === `?at=${at}`", arg=held)
    page.reload()
    until(page, LAID, arg="held")
    page.locator(".overlays summary").click()
    page.locator("#overlay-control").uncheck()
    until(page, "document.querySelector('.overlay .held') === null")
