"""Typhoon played in two browsers: chits chosen, Guderian kept in hand and used in his window, and
the activation he brings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Site
from tests.browser.players import IDLE, Player, ready, same_log, take_turns, until, verified

Open = Callable[..., Any]

OFFERED = "[...document.querySelectorAll('.play-pane button[data-act^=pick]')].map((one) => one.dataset.act.slice(5))"
STORY = "[...document.querySelectorAll('.record .line')].map((one) => one.textContent)"
GUDERIAN = "chit.ax.guderian"


STANDS = """() => {
  const { scoreboard, board, watch } = window.warledgerView;
  const { ended } = watch;
  watch.ended = { winner: 'soviet', reason: '' };
  const told = [false, true].map((live) => {
    scoreboard.draw(board.map.told, watch.boardAt(watch.last), live);
    return document.querySelector('.score-stands') !== null;
  });
  watch.ended = ended;
  return told;
}"""
"""Whether the scoreboard says who would win, of a game that has ended: for an older record, and
for the last."""


def pick(page: Any, *picks: str) -> None:
    """Click these choices, one after the other."""
    for one in picks:
        page.locator(f".play-pane [data-act='pick:{one}']").click()
        until(page, IDLE)


def submit(page: Any) -> None:
    page.locator(".play-pane [data-act=submit]:not([disabled])").click()
    until(page, IDLE)


def begun(open_page: Open, site: Site) -> tuple[Any, Any]:
    """Axis and Soviet, deployed as the pack has it."""
    game = site.new("typhoon")
    pages = {
        seat: open_page(f"/game/{game.id}#token={token}") for seat, token in game.tokens.items()
    }
    for page in pages.values():
        ready(page)
    for seat in ("soviet", "axis"):
        for verb in ("preset", "ready"):
            same_log(*pages.values())
            pick(pages[seat], verb)
            submit(pages[seat])
    same_log(*pages.values())
    return pages["axis"], pages["soviet"]


def test_nearly_all_chits_are_put_into_a_tray_in_any_order(open_page: Open, site: Site) -> None:
    """Of ten chits all are on offer: the page shows them at once, takes nine in any order, and names
    them in theirs."""
    axis, _ = begun(open_page, site)
    pick(axis, "choose")
    until(axis, "document.querySelectorAll('.tile').length > 8")
    tiles = axis.evaluate(
        "[...document.querySelectorAll('.tile')].map((one) => one.dataset.act.slice(one.dataset.act.indexOf(':') + 1))"
    )
    out = tiles[3]
    assert axis.evaluate(OFFERED) == tiles
    for tile in reversed([tile for tile in tiles if tile != out]):
        axis.locator(f".tile[data-act$=':{tile}']").click()
        until(axis, IDLE)
    until(axis, "document.querySelectorAll('.tile.pending').length === 0")
    taken = axis.evaluate("window.warledgerView.play.picks.slice(1)")
    assert taken == [tile for tile in tiles if tile != out]
    # What lies in the tray is not told a second time above it.
    assert axis.locator(".crumbs li").count() == 1
    # What is asked next stands below the tray, and is answered there.
    assert "hand" in axis.evaluate(OFFERED)
    pick(axis, "hand")
    assert axis.evaluate("window.warledgerView.play.picks.at(-1)") == "hand"
    # Who would win is told for every record that is looked at, also once somebody has won.
    assert axis.evaluate(STANDS) == [True, False]
    axis.evaluate("window.warledgerView.redrawScore()")
    assert axis.locator(".score-stands").is_visible()
    axis.set_viewport_size({"width": 390, "height": 844})
    assert not axis.locator(".score-stands").is_visible()


def test_who_can_only_pass_learns_why_and_need_not_again(open_page: Open, site: Site) -> None:
    """Without Guderian in hand the Axis is asked all the same: the page says why, and offers first
    to answer so for the rest of the turn."""
    axis, soviet = begun(open_page, site)
    pick(axis, "choose")
    while (
        len(axis.evaluate(OFFERED))
        and not axis.locator("[data-act=submit]:not([disabled])").count()
    ):
        offered = [one for one in axis.evaluate(OFFERED) if one not in (GUDERIAN, "hand")]
        pick(axis, offered[0] if offered else axis.evaluate(OFFERED)[0])
    submit(axis)

    until(axis, "document.querySelector('.play-pane .lone') !== null")
    until(axis, IDLE)
    assert axis.evaluate(OFFERED) == ["pass"]
    assert "no Guderian" in axis.locator(".lone").text_content()
    first = "document.querySelector('.play-pane button[data-act]').dataset.act"
    assert axis.evaluate(first) == "lone:turn"
    axis.locator("[data-act='lone:turn']").click()
    axis.locator(".standing li").wait_for()
    same_log(axis, soviet)
    assert not any("Guderian" in line for line in soviet.evaluate(STORY))


def test_guderian_interrupts_and_his_army_is_activated(open_page: Open, site: Site) -> None:
    """Kept in hand he is asked for once a chit is drawn; used, the chit goes back and 2PzA acts;
    its activation is played out."""
    axis, soviet = begun(open_page, site)
    pick(axis, "choose")
    while "hand" not in axis.evaluate(OFFERED):
        offered = axis.evaluate(OFFERED)
        pick(axis, GUDERIAN if GUDERIAN in offered else offered[0])
    pick(axis, "hand")
    assert axis.locator(".sealed").count() == 1
    submit(axis)

    until(
        axis, "(document.querySelector('.play-pane .prompt')?.textContent ?? '').includes('7.3(1)')"
    )
    until(axis, IDLE)
    assert sorted(axis.evaluate(OFFERED)) == ["pass", "use"]
    same_log(axis, soviet)
    assert not any("Guderian" in line for line in soviet.evaluate(STORY))
    pick(axis, "use")
    submit(axis)
    same_log(axis, soviet)
    assert any(line.startswith("Guderian interrupts") for line in soviet.evaluate(STORY))
    soviet.locator(".overlays summary").click()
    for one in ("zones", "supply", "reach", "arrivals", "losses"):
        soviet.locator(f"#overlay-{one}").check()
    for one in ("zone.side-axis", "zone.side-soviet", "reach.side-axis"):
        until(soviet, "(one) => document.querySelector(`.overlay .${one}`) !== null", arg=one)
    assert soviet.locator(".overlay .supply-source").count() > 10
    assert soviet.locator(".overlay-told .arrival").count() > 20

    pick(axis, "move")
    pick(axis, axis.evaluate(OFFERED)[0])
    until(axis, "document.querySelector('.target') !== null")
    unit = axis.locator(".counter.picked").first.get_attribute("data-piece")
    place = '(unit) => document.querySelector(`[data-piece="${unit}"]`).style.transform'
    before = soviet.evaluate(place, unit)
    target = axis.locator(".target").first.get_attribute("data-place")
    pick(axis, str(target))
    submit(axis)
    same_log(axis, soviet)
    assert soviet.evaluate(place, unit) != before

    players = [
        Player(page, f"guderian {n}", mouse=n == 0, eager=0.2)
        for n, page in enumerate((axis, soviet))
    ]
    drawn = len([line for line in axis.evaluate(STORY) if line.startswith("Chit drawn")])
    take_turns(
        players,
        lambda: (
            len([line for line in axis.evaluate(STORY) if line.startswith("Chit drawn")]) > drawn
        ),
    )

    same_log(axis, soviet)
    assert verified(axis) == verified(soviet)
    assert axis.locator(".refusal").count() == 0
