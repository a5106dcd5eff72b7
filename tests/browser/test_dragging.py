"""Dragging a counter to a place is the picks that take it there; where it may go is lit, elsewhere
it goes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Site
from tests.browser.players import IDLE, move_map, ready, sailing, until

Open = Callable[..., Any]

PICKED = "[...document.querySelectorAll('.crumbs li')].map((one) => one.textContent)"
LIT = "[...document.querySelectorAll('.target')].map((one) => one.dataset.place)"
MIDDLE = """(selector) => {
  const one = document.querySelector(selector), box = one.getBoundingClientRect();
  for (const across of [.5, .3, .7, .15, .85]) for (const down of [.5, .3, .7, .15, .85]) {
    const at = [box.x + box.width * across, box.y + box.height * down];
    if (document.elementsFromPoint(...at).some((found) => one.contains(found))) return at;
  }
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""
"""A point of an element, whatever its shape and whatever lies on it."""


def piece(id: str) -> str:
    return f".counter[data-piece='{id}']"


def middle(page: Any, selector: str) -> tuple[float, float]:
    x, y = page.evaluate(MIDDLE, selector)
    return x, y


def take_up(page: Any, id: str) -> None:
    """Press on a counter, move a little, and wait until where it may go is lit."""
    page.mouse.move(*middle(page, piece(id)))
    x, y = middle(page, piece(id))  # a stack spreads under the mouse
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 12, y + 12, steps=3)
    until(page, IDLE)


WHERE = """(place) => {
  const { board } = window.warledgerView, at = board.map.place(place);
  const box = board.frame.getBoundingClientRect();
  return [box.left + board.stage.x + at.x * board.stage.scale, box.top + board.stage.y + at.y * board.stage.scale];
}"""
"""Where a place lies on the screen."""


def test_an_empty_sea_says_why_it_cannot_be_chosen(open_page: Open, site: Site) -> None:
    """Before anything is picked, a click on a sea without ships says at the pointer what is asked
    for and that there is none of it, with the rule; the panel stays as it was. Where ships lie, one
    of them is asked about, once a command has been begun."""
    page, _ = sailing(open_page, site)
    move_map(page, "fit()")
    empty = page.evaluate(
        """() => { const { board } = window.warledgerView;
          return [...board.map.places].find((one) => board.map.place(one).look === 'sea' && !(board.stacks.get(one) ?? []).length); }"""
    )
    x, y = page.evaluate(WHERE, empty)
    page.mouse.click(x, y)
    until(page, "!document.querySelector('.bubble').hidden")
    name = page.evaluate("(place) => window.warledgerView.spoken.name(place)", empty)
    assert name in page.locator(".bubble").text_content()
    assert page.locator(".bubble .rule").text_content()
    box = page.locator(".bubble").bounding_box()
    assert abs(box["x"] - x) < box["width"] + 40
    assert abs(box["y"] - y) < box["height"] + 60
    assert page.locator(".refusal").count() == 0

    page.locator("[data-act='pick:sail']").click()
    until(page, IDLE)
    theirs, where = page.evaluate(
        """() => { const { board, play, spoken } = window.warledgerView;
          const found = [...board.stacks].find(([, ids]) => ids.length
            && ids.every((id) => board.board.pieces.get(id)?.owner && board.board.pieces.get(id).owner !== play.seat));
          return [found[1].map((id) => spoken.name(id)), found[0]]; }"""
    )
    page.evaluate("(place) => window.warledgerView.board.click(null, place)", where)
    until(
        page,
        "(names) => names.some((name) => document.querySelector('.bubble').textContent.includes(name))",
        arg=theirs,
    )


def test_what_a_button_showed_goes_with_it(open_page: Open, site: Site) -> None:
    """The outline of a place whose button is pointed at goes when the place is not on offer any
    more."""
    page, _ = sailing(open_page, site)
    outline = "document.querySelector('.cursor').getAttribute('d') ?? ''"
    page.locator("[data-act='pick:sail']").click()
    until(page, IDLE)
    page.locator(".options-list [data-act^='pick:']").first.click()
    until(page, IDLE)
    sea = page.evaluate(
        "[...document.querySelectorAll('.target')].map((one) => one.dataset.place)[0]"
    )
    page.locator(f".play-pane [data-act='pick:{sea}']").hover()
    shape = page.evaluate("(sea) => window.warledgerView.board.map.shape(sea)", sea)
    until(page, f"(shape) => {outline} === shape", arg=shape)
    page.locator("[data-act=undo]").hover()
    page.keyboard.press("Backspace")
    until(page, IDLE)
    until(page, f"(shape) => {outline} !== shape", arg=shape)


def test_a_ship_is_dragged_to_sea(open_page: Open, site: Site) -> None:
    """Lit seas take it; anywhere else, and with Escape, it goes back and nothing is picked; the map
    stays where it is."""
    page, _ = sailing(open_page, site)
    ship = page.evaluate(
        "[...document.querySelectorAll('.counter.on-offer')].map((one) => one.dataset.piece).filter((one) => !one.startsWith('?'))[0]"
    )
    at = page.evaluate("document.querySelector('.board').style.transform")

    take_up(page, ship)
    assert page.locator(".ghost").count() == 1
    lit = page.evaluate(LIT)
    assert lit
    dark = page.evaluate(
        "(lit) => [...document.querySelectorAll('.counter')].map((one) => one.dataset.piece).filter((one) => one && !lit.includes(one))[0]",
        lit,
    )
    assert dark
    page.keyboard.press("Escape")
    page.mouse.up()
    until(page, IDLE + " && document.querySelectorAll('.crumbs li').length === 0")
    assert page.locator(".ghost").count() == 0

    take_up(page, ship)
    box = page.locator(".board-holder").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 60, box["y"] + box["height"] - 60, steps=4)
    page.mouse.up()
    until(page, IDLE + " && document.querySelectorAll('.crumbs li').length === 0")

    take_up(page, ship)
    sea = page.evaluate(LIT)[0]
    page.mouse.move(*middle(page, f".target[data-place='{sea}'] path"), steps=4)
    assert page.evaluate("document.querySelector('.target.under')?.dataset.place") == sea
    page.mouse.up()
    until(page, IDLE)
    picked = page.evaluate(PICKED)
    assert len(picked) == 3 and picked[0] == "sail"
    assert page.locator(".planned").count() == 1
    assert page.evaluate("document.querySelector('.board').style.transform") == at
    page.keyboard.press("Backspace")
    until(
        page, IDLE + " && document.querySelectorAll('.crumbs li').length === 0"
    )  # one drag is one pick to undo


def test_with_shift_the_whole_stack_goes(open_page: Open, site: Site) -> None:
    """All ships of a port that may sail are picked, and sail together."""
    page, _ = sailing(open_page, site)
    ship = page.evaluate(
        "[...document.querySelectorAll('.counter.on-offer')].map((one) => one.dataset.piece).filter((one) => !one.startsWith('?'))[0]"
    )
    page.keyboard.down("Shift")
    take_up(page, ship)
    page.keyboard.up("Shift")
    many = page.locator(".counter.picked:not(.ghost)").count()
    assert many > 1
    assert page.locator(".ghost").count() >= many
    sea = page.evaluate(LIT)[0]
    page.mouse.move(*middle(page, f".target[data-place='{sea}'] path"), steps=4)
    page.mouse.up()
    until(page, IDLE)
    assert len(page.evaluate(PICKED)) == many + 2
    page.keyboard.press("Backspace")
    until(page, IDLE + " && document.querySelectorAll('.crumbs li').length === 0")


def deployed(open_page: Open, site: Site, **settings: Any) -> tuple[Any, str]:
    """The Soviet page of a Typhoon game, its units deployed and still to be moved about; and one of
    them."""
    game = site.new("typhoon")
    page = open_page(f"/game/{game.id}#token={game.tokens['soviet']}", **settings)
    other = open_page(f"/game/{game.id}#token={game.tokens['axis']}")
    ready(page)
    ready(other)
    page.locator("[data-act='pick:preset']").click()
    page.locator("[data-act=submit]:not([disabled])").click()
    page.locator("[data-act='pick:ready']").wait_for()
    until(page, IDLE + " && document.querySelector('.counter.on-offer') !== null")
    unit = page.evaluate(
        """() => [...document.querySelectorAll('.counter.on-offer')].find((one) => {
          const box = one.getBoundingClientRect(), at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
          return one.contains(at);
        }).dataset.piece"""
    )
    return page, unit


PLACED = "(id) => document.querySelector(`.counter[data-piece='${id}']`).style.transform"


def test_a_unit_is_dragged_to_a_hex(open_page: Open, site: Site) -> None:
    """A hex of its formation is lit, takes the unit, and the command is ready to be submitted."""
    page, unit = deployed(open_page, site)
    take_up(page, unit)
    here = page.evaluate(PLACED, unit)
    hexes = page.evaluate(LIT)
    assert hexes
    assert page.locator(".rings").get_attribute("d"), (
        "hexes that hold counters are ringed above them"
    )
    page.mouse.move(*middle(page, f".target[data-place='{hexes[-1]}'] path"), steps=5)
    page.mouse.up()
    until(page, IDLE)
    assert page.evaluate(PICKED)[0] == "place"
    page.locator("[data-act=submit]:not([disabled])").click()
    until(page, IDLE + " && document.querySelectorAll('.crumbs li').length === 0")

    assert page.evaluate(PLACED, unit) != here


def test_a_finger_rests_to_take_up_and_moves_to_pan(open_page: Open, site: Site) -> None:
    """A finger that moves at once moves the map; one that rests on a counter takes it up."""
    page, unit = deployed(open_page, site, has_touch=True)
    screen = page.context.new_cdp_session(page)

    def finger(kind: str, *points: tuple[float, float]) -> None:
        screen.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
        )

    at = page.evaluate("document.querySelector('.board').style.transform")
    x, y = middle(page, piece(unit))
    # Made inside the browser: the finger never rests between two events, however busy this machine.
    screen.send(
        "Input.synthesizeScrollGesture",
        {"x": x, "y": y, "xDistance": 40, "gestureSourceType": "touch", "preventFling": True},
    )
    until(page, "(at) => document.querySelector('.board').style.transform !== at", arg=at)
    assert page.locator(".ghost").count() == 0
    assert page.locator(".crumbs li").count() == 0

    x, y = middle(page, piece(unit))
    finger("touchStart", (x, y))
    page.locator(".ghost").wait_for(state="attached")
    until(page, IDLE)
    until(page, LIT + ".length > 0")
    hexes = page.evaluate(LIT)
    x, y = middle(page, f".target[data-place='{hexes[-1]}'] path")
    finger("touchMove", (x, y))
    finger("touchEnd")
    until(page, IDLE + " && document.querySelectorAll('.crumbs li').length > 2")
    assert page.evaluate(PICKED)[0] == "place"
    assert page.locator("[data-act=submit]:not([disabled])").count() == 1
