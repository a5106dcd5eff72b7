"""A player on a phone: the map fills the screen, what is to be chosen lies in a sheet from below; several
are chosen of a few in any order; and the keys that lead to what is on offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Game, Site
from tests.browser.players import IDLE, move_map, ready, sailing, until, whole

Open = Callable[..., Any]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
# What a finger 22 pixels beside the middle of something would miss: what is touched counts, not what is drawn.
# The clauses in running text are as high as their line; the sheet's handle is wide and reaches above itself.
SMALL = """[...document.querySelectorAll('button, select, summary, .top a, .sheet-parts a')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width && !one.matches('.skip, .rule'))
  .filter((one) => { const box = one.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; })
  .filter((one) => {
    const box = one.getBoundingClientRect();
    const after = ['::before', '::after'].map((name) => getComputedStyle(one, name)).filter((style) => style.content !== 'none' && style.position === 'absolute');
    const reach = (edge) => Math.max(0, ...after.map((style) => -parseFloat(style[edge]) || 0));
    return box.height + reach('top') + reach('bottom') < 43.5 || box.width < 43.5 || box.left < 0 || box.right > innerWidth;
  }).map((one) => one.outerHTML.slice(0, 90))"""
CUT = """[...document.querySelectorAll('.top a, .top button, .top select, .tabs button, .main-actions button')]
  .filter((one) => one.checkVisibility() && !one.matches('.skip'))
  .filter((one) => { const box = one.getBoundingClientRect(); return box.right > innerWidth || box.left < 0 || (one.matches('a, button') && one.scrollWidth > one.clientWidth + 1); })
  .map((one) => one.textContent)"""
IN_SIGHT = """(() => {
  const submit = document.querySelector('[data-act=submit]');
  const box = submit.getBoundingClientRect();
  return submit.contains(document.elementFromPoint(box.x + box.width / 2, box.bottom - 3));
})()"""
BELOW_LAND = """(document.querySelector('.board .cursor')
  .compareDocumentPosition(document.querySelector('.board .land')) & 4) !== 0"""
TAKEN = "[...document.querySelectorAll('.tile[aria-pressed=true]')].map((one) => one.dataset.act.split(':')[1])"


def test_a_player_chooses_five_of_nine_with_a_thumb(open_page: Open, site: Site) -> None:
    """All nine chits lie in the sheet as counters; taps put them in and take them out in any order,
    the command names them in its own; Submit is in reach of a thumb and works only with five; the
    sheet can be drawn up, and the map seen alone."""
    game = site.new("victory_lost", set_up="historical")
    open_page(f"/game/{game.id}#token={game.tokens['axis']}")
    page = open_page(f"/game/{game.id}#token={game.tokens['soviet']}", **PHONE)
    ready(page)
    page.locator("[data-act='pick:choose']").tap()
    until(page, IDLE)
    until(page, "document.querySelectorAll('.tile').length === 9")
    assert page.locator(".tile .small-counter").count() == 9
    assert page.evaluate(SMALL) == []
    assert page.evaluate(CUT) == []
    page.locator("[data-act=sheet]").tap()
    page.evaluate("document.querySelector('.controls .at').textContent = '2084 / 2084'")
    assert page.evaluate(SMALL) == []
    box = page.locator(".controls .at").bounding_box()
    after = page.locator(".controls .at ~ button:visible").first.bounding_box()
    assert box["x"] + box["width"] <= after["x"] < 390 - 44
    page.locator("[data-act=sheet]").tap()
    page.locator("[data-act=sheet]").tap()

    tiles = page.evaluate(
        "[...document.querySelectorAll('.tile')].map((one) => one.dataset.act.split(':')[1])"
    )
    for n in (8, 0, 4, 2):  # the last first: the command wants them in rising order
        page.locator(f".tile[data-act$='{tiles[n]}']").tap()
        until(page, IDLE)
    assert page.evaluate(TAKEN) == [tiles[n] for n in (0, 2, 4, 8)]
    assert page.locator(".tray-count").inner_text().startswith("4 ")
    assert page.locator("[data-act=submit]").is_disabled()
    page.locator(f".tile[data-act$='{tiles[0]}']").tap()
    until(page, IDLE)
    for n in (6, 7):
        page.locator(f".tile[data-act$='{tiles[n]}']").tap()
        until(page, IDLE)
    assert page.evaluate(TAKEN) == [tiles[n] for n in (2, 4, 6, 7, 8)]
    crumbs = page.evaluate("window.warledgerView.play.picks.slice(1)")
    assert crumbs == [tiles[n] for n in (2, 4, 6, 7, 8)]
    submit = page.locator("[data-act=submit]")
    box = submit.bounding_box()
    assert box["height"] >= 44 and box["y"] > 844 * 0.6 and box["y"] + box["height"] <= 844

    stage = page.locator(".stage").bounding_box()
    assert stage["width"] == 390 and stage["y"] + stage["height"] == 844
    page.locator("[data-act=sheet]").tap()
    assert page.locator(".story").is_visible()
    page.locator("[data-act=sheet]").tap()
    page.locator("[data-act=sheet]").tap()
    assert not page.locator(".story").is_visible()
    page.locator("[data-act=map-only]").tap()
    until(page, "document.querySelector('.stage').getBoundingClientRect().height === 844")
    page.locator("[data-act=map-only]").tap()

    submit.tap()
    until(
        page,
        "window.warledgerView.watch.records.some(({ kind, body }) => kind === 'command' && body[1] === 'soviet')",
    )
    assert page.evaluate("document.documentElement.scrollWidth") == 390


SMALLEST = "window.warledgerView.board.stage.smallest"
SCALE_LAID_AGAIN = """(() => {
  const { board, showing } = window.warledgerView;
  showing.camera.begin();
  return board.stage.scale;
})()"""
"""The map's scale once the page has laid it as it does when its frame gets another size."""
LIT_UNDER_WORDS = """() => {
  const { board, showing } = window.warledgerView;
  const told = showing.card.strip.getBoundingClientRect();
  const lit = document.querySelector('.target').getBoundingClientRect();
  board.stage.onHand();
  board.stage.pan(told.x + 30 - lit.x, told.y + told.height / 2 - lit.y - lit.height / 2);
  return told.height > 0;
}"""
"""Moves the map so that a hex on offer lies where the last record is told."""
ARROWS = """(() => {
  const foot = document.querySelector('[data-act=sheet]').getBoundingClientRect().top;
  const tools = document.querySelector('.board-tools').getBoundingClientRect();
  return [...document.querySelectorAll('.edge-arrow')].map((one) => {
    const { top, bottom, left, right } = one.getBoundingClientRect();
    return bottom <= foot && (bottom <= tools.top || right <= tools.left || left >= tools.right || top >= tools.bottom);
  });
})()"""
"""Of each arrow towards what is out of sight, whether it lies above the sheet and clear of the tools."""


def test_nothing_lies_over_what_may_be_pressed(open_page: Open, site: Site) -> None:
    """On a phone what is told of the last record gives way to a hex on offer below it and comes back,
    and arrows towards offers out of sight stand above the sheet, which hides nothing of them. Beside a
    sheet that covers more than half of the frame the map is no smaller than one may zoom it."""
    game = site.new("victory_lost", set_up="free")
    open_page(f"/game/{game.id}#token={game.tokens['soviet']}")
    page = open_page(f"/game/{game.id}#token={game.tokens['axis']}", **PHONE)
    ready(page)
    page.locator("[data-act='pick:place']").tap()
    until(page, IDLE)
    page.locator(".play-pane button[data-act^=pick]").first.tap()
    until(page, "document.querySelectorAll('.target').length > 3")
    until(page, IDLE)
    assert page.evaluate(SCALE_LAID_AGAIN) >= page.evaluate(SMALLEST)
    assert page.evaluate(LIT_UNDER_WORDS)
    words = page.locator(".board-foot .caption")
    words.wait_for(state="hidden")
    move_map(page, "pan(0, -1500)")
    words.wait_for(state="visible")
    for x, y in ((0, 3000), (0, -3000), (1200, 0), (-2400, 0), (1200, 1500)):
        move_map(page, f"pan({x}, {y})")
        until(page, "document.querySelector('.edge-arrow') !== null")
        assert all(page.evaluate(ARROWS)), (x, y)


def test_a_fight_is_seen_above_the_tools(open_page: Open, ended: Game) -> None:
    """Where a combat of a finished game is shown on a phone, the ring around it lies above the row of
    buttons and the sheet."""
    page = open_page(f"/game/{ended.id}?at=0", **PHONE)
    whole(page, ended.records)
    page.evaluate("window.warledgerView.showing.setFollow(true)")
    fights = page.evaluate(
        "window.warledgerView.watch.spans.filter(({ span }) => span === 'combat').map(({ from }) => from)"
    )
    for at in fights[:8]:
        page.evaluate("(at) => window.warledgerView.goTo(at)", at)
        until(
            page,
            """document.querySelector('.clash circle').getBoundingClientRect().bottom
              <= document.querySelector('.board-tools').getBoundingClientRect().top""",
        )


def test_submit_stays_in_sight_beside_the_board(open_page: Open, site: Site) -> None:
    """On a desk too, a command can be sent from wherever one has scrolled to in what there is to choose."""
    game = site.new("victory_lost", set_up="historical")
    open_page(f"/game/{game.id}#token={game.tokens['axis']}")
    page = open_page(
        f"/game/{game.id}#token={game.tokens['soviet']}", viewport={"width": 1280, "height": 600}
    )
    ready(page)
    page.locator("[data-act='pick:choose']").click()
    until(page, IDLE)
    until(page, "document.querySelectorAll('.tile').length === 9")
    for scrolled in (0, 20, 10_000):
        page.evaluate(f"document.querySelector('.play-pane').scrollTop = {scrolled}")
        assert page.evaluate(IN_SIGHT)


def test_the_cursor_on_a_sea_ends_at_the_coast(open_page: Open, site: Site) -> None:
    """Around a sea it lies below the land and the harbours, around a harbour above all of them; so
    it does once the map has been drawn in another language."""
    game = site.new("war_at_sea")
    page = open_page(f"/game/{game.id}")
    page.wait_for_selector(".board .land", state="attached")
    for _ in range(2):
        for place, below in (
            ("north_atlantic", True),
            ("england", False),
            ("south_atlantic", True),
        ):
            page.evaluate("(place) => window.warledgerView.board.setCursor(place)", place)
            assert page.evaluate(BELOW_LAND) == below
            assert page.evaluate("document.querySelector('.cursor').getAttribute('d') !== ''")
        page.locator(".language").select_option("zh-Hans")
        until(
            page, "document.querySelector('.port[data-place=england]').textContent.match(/[一-龥]/)"
        )


def test_keys_lead_to_what_is_on_offer(open_page: Open, site: Site) -> None:
    """N goes from one ship on offer to the next on the map and back with Shift, C to the choices; the
    first arrow puts the map's cursor on an offer, and who has a command with nothing left to choose is
    asked once whether such are to be submitted at once."""
    page, _ = sailing(open_page, site)
    page.locator("[data-act='pick:sail']").click()
    until(page, IDLE)
    page.locator(".play-pane button[data-act^=pick]").nth(3).click()
    until(page, "window.warledgerView.board.offered.length > 1")
    until(page, IDLE)
    cursor = "window.warledgerView.board.cursor"
    offered = page.evaluate("window.warledgerView.board.offered")
    page.locator(".stage").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(cursor) == offered[0]
    page.keyboard.press("n")
    assert page.evaluate(cursor) == offered[1]
    page.keyboard.press("Shift+N")
    assert page.evaluate(cursor) == offered[0]
    page.keyboard.press("c")
    assert page.evaluate("document.activeElement.closest('.options-list') !== null")

    page.keyboard.press("Escape")
    until(page, IDLE)
    page.locator("[data-act='pick:done']").click()
    until(page, IDLE)
    page.locator("[data-act='at-once:no']").click()
    assert page.locator(".at-once").count() == 0
    assert page.evaluate("localStorage.getItem('warledger.at_once')") == "0"


def test_the_story_is_one_stop_and_a_look_is_never_stale(open_page: Open, ended: Game) -> None:
    """One record of the story can be reached by Tab, the others by Up and Down; Pieces and Game open
    at their top; what the pointer is over is shown at large, and gone when it leaves or the piece
    does."""
    page = open_page(f"/game/{ended.id}?at=60")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    stops = "[...document.querySelectorAll('.story .seq')].filter((one) => one.tabIndex === 0).map((one) => one.dataset.seq)"
    assert len(page.evaluate(stops)) == 1
    page.locator(".story .seq[tabindex='0']").focus()
    here = int(page.evaluate("document.activeElement.dataset.seq"))
    page.keyboard.press("ArrowUp")
    above = int(page.evaluate("document.activeElement.dataset.seq"))
    assert above < here
    assert page.evaluate(stops) == [str(above)]
    for tab in ("pieces", "about"):
        page.evaluate("document.querySelector('.tab-panel').scrollTop = 900")
        page.locator(f"#tab-{tab}").click()
        assert page.evaluate("document.querySelector('.tab-panel').scrollTop") == 0

    spot = page.evaluate(
        """(() => {
          for (const one of document.querySelectorAll('.counter[data-piece]')) {
            const box = one.getBoundingClientRect();
            const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
            if (one.contains(document.elementFromPoint(x, y))) return [x, y];
          }
        })()"""
    )
    page.mouse.move(*spot)
    until(page, "document.querySelector('.look .small-counter') !== null")
    page.evaluate("window.warledgerView.goTo(0)")
    assert page.locator(".look .small-counter").count() == 0
    page.evaluate("window.warledgerView.goTo(60)")
    page.mouse.move(spot[0] + 1, spot[1])
    page.mouse.move(4, 4)
    assert page.locator(".look").inner_text() == ""
