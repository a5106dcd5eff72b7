"""What is lit on a chart of seas ends at the coast; what lies out of sight is pointed at; names on the
map are in the reader's language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Site
from tests.browser.players import IDLE, move_map, sailing, until, wait

Open = Callable[..., Any]

AT = """([x, y]) => {
  const { stage, frame } = window.warledgerView.board;
  const box = frame.getBoundingClientRect();
  return [box.left + stage.x + x * stage.scale, box.top + stage.y + y * stage.scale];
}"""
UNDER = "([x, y]) => document.elementFromPoint(x, y)?.closest('[data-place]')?.getAttribute('data-place') ?? ''"


CLEAR_OF_BUTTONS = """document.querySelector('.board-tools').getBoundingClientRect().bottom
    <= window.warledgerView.board.stage.picture.getBoundingClientRect().top + 1"""
"""Whether nothing of a map that is shown whole lies under the board's buttons."""


def test_a_lit_sea_ends_at_the_coast_and_arrows_lead_out_of_sight(
    open_page: Open, site: Site
) -> None:
    """With a fleet picked, the seas it may go to are lit and pressed on water alone, not on the land
    that their outlines cover. Zoomed in, an arrow at the edge leads to an offer out of sight, and the
    small map to where it is pressed. In Chinese the map's places, its ships and the small map's ground
    are drawn anew with names in Chinese."""
    page, _ = sailing(open_page, site)
    page.locator("[data-act='pick:sail']").click()
    until(page, IDLE)
    page.locator(".play-pane button[data-act^=pick]").nth(3).click()
    until(page, IDLE)
    until(page, "document.querySelector('.target[data-place=north_atlantic]') !== null")
    move_map(page, "fit()")
    assert page.evaluate(CLEAR_OF_BUTTONS)
    water, land = (page.evaluate(AT, spot) for spot in ([560, 250], [150, 150]))
    assert page.evaluate(UNDER, water) == "north_atlantic"
    assert page.evaluate(UNDER, land) == ""
    before = page.evaluate("window.warledgerView.play.picks")
    page.mouse.click(*land)
    assert page.evaluate("window.warledgerView.play.picks") == before
    page.mouse.click(*water)
    until(page, "window.warledgerView.play.picks.includes('north_atlantic')")
    page.locator("[data-act=clear], [data-act=undo]").last.click()
    until(page, IDLE)

    # What each word would accept is looked up after the words are there.
    until(page, "window.warledgerView.board.offered.length > 0")
    move_map(page, "restore({ x: 1800, y: 1200, scale: 2 })")
    until(page, "document.querySelector('.edge-arrow.of-offer') !== null")
    assert page.locator(".mini-map").is_visible()
    page.locator(".edge-arrow.of-offer").first.click()
    until(
        page,
        """(() => {
          const { board } = window.warledgerView;
          const { left, top, right, bottom } = board.stage.seen;
          return board.offered.some((id) => { const { x, y } = board.map.place(id); return x > left && x < right && y > top && y < bottom; });
        })()""",
    )
    box = page.locator(".mini-map").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.4)
    until(
        page,
        """(() => {
          const { x, y } = window.warledgerView.board.stage.place;
          return Math.abs(x - 1800) < 60 && Math.abs(y - 544) < 60;
        })()""",
    )

    page.locator(".language").select_option("zh-Hans")
    until(
        page,
        "document.documentElement.lang === 'zh-Hans' && document.querySelector('.sea-name').textContent === '北大西洋'",
    )
    ships = page.evaluate(
        "[...document.querySelectorAll('.board .ship-name')].map((one) => one.textContent).slice(-5)"
    )
    assert ships and all(ord(ship[0]) > 0x3000 for ship in ships), ships


HIDDEN = """() => {
  const { board, boardPane: { surroundings } } = window.warledgerView;
  const { map, stage } = board;
  stage.onHand();
  stage.restore({ x: map.width / 2, y: map.height / 2, scale: 1.2 });
  surroundings.tell(map.places);
  const buttons = [...document.querySelectorAll('.board-tools button, .board-tools summary')].filter((one) => one.checkVisibility());
  const arrows = [...document.querySelectorAll('.edge-arrow')].map((one) => one.getBoundingClientRect());
  return [buttons.length, arrows.length, buttons.filter((one) => {
    const box = one.getBoundingClientRect();
    return arrows.some((arrow) => arrow.left < box.right && arrow.right > box.left && arrow.top < box.bottom && arrow.bottom > box.top);
  }).map((one) => one.outerHTML.slice(0, 80))];
}"""
"""Tells that something happens everywhere; how many buttons the board has, how many arrows have been drawn,
and the buttons over which one lies."""


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desk", "phone"])
def test_no_arrow_lies_over_the_board_s_buttons(
    open_page: Open, site: Site, size: tuple[int, int]
) -> None:
    """With something happening in every direction out of sight, each of the board's buttons can be
    pressed."""
    game = site.new("victory_lost", set_up="historical")
    page = open_page(f"/game/{game.id}", viewport={"width": size[0], "height": size[1]})
    page.wait_for_selector(".board .sheet", state="attached")
    buttons = 0
    hidden: list[str] = []

    def told() -> bool:
        # In one go, since the page itself tells what happens, and looks there.
        nonlocal buttons, hidden
        buttons, arrows, hidden = page.evaluate(HIDDEN)
        return bool(arrows > 4)

    wait(page, told, lambda: "arrows")
    assert buttons > 4
    assert hidden == []
