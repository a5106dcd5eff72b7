"""Operation Südwind on the page: followed to its end, its stacks laid open, on a desk and on a
phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.campaign import lay
from tests.browser.conftest import Game, Site
from tests.browser.players import until

SIZES = pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desk", "phone"])

Open = Callable[..., Any]

LAID_OPEN = """() => {
  const frame = document.querySelector('.stage').getBoundingClientRect();
  return [...document.querySelectorAll('.fanned')].map((one) => {
    const box = one.querySelector('use').getBoundingClientRect();
    return {
      id: one.dataset.piece,
      order: Number(one.querySelector('.fan-order').textContent),
      width: box.width,
      within: box.left >= frame.left && box.right <= frame.right
        && box.top >= frame.top && box.bottom <= frame.bottom,
    };
  }).sort((a, b) => a.order - b.order);
}"""


@pytest.fixture(scope="module")
def sudwind(site: Site) -> Game:
    """A whole game of Südwind between two captains, as it is being played."""
    game = site.new("hungarian_rhapsody")
    for seat in game.tokens:
        site.bot(game, seat)
    return game


@pytest.fixture
def complaints() -> list[str]:
    """What pages write to the console as errors and warnings."""
    return []


BLOCKED = "Service Worker registration blocked"
"""What the browser driver says of workers in tests that have none."""


def heard(complaints: list[str]) -> Callable[[Any], None]:
    """Listens to a page before it opens."""

    def listen(page: Any) -> None:
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text)
                if said.type in ("error", "warning") and BLOCKED not in said.text
                else None
            ),
        )

    return listen


def test_sudwind_is_followed_to_its_end(
    open_page: Open, sudwind: Game, complaints: list[str]
) -> None:
    """The page says the phase all along and at the end who won and why, in each language; nothing
    runs out of it and nothing is written to the console."""
    page = open_page(f"/game/{sudwind.id}", before=heard(complaints))
    page.wait_for_selector(".counter", state="attached")
    until(
        page,
        "document.querySelector('.turn-line').textContent.includes('won')",
        timeout_s=600,
    )

    until(
        page,
        "document.querySelector('.chain').textContent"
        ".includes(`${Number(document.querySelector('.scrub').max) + 1} records verified`)",
    )
    assert page.locator(".record").count() > 100
    for language in ("en", "zh-Hans", "zh-Hant"):
        page.locator("select.language").select_option(language)
        until(page, "(language) => document.documentElement.lang === language", arg=language)
        text = page.locator("body").inner_text()
        assert "[outcome." not in text and "[web." not in text and "⟨" not in text
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert complaints == []


def test_names_are_found_without_their_accents(open_page: Open, sudwind: Game) -> None:
    """A reader whose keyboard lacks Hungarian letters finds what lies at a Hungarian town."""
    page = open_page(f"/game/{sudwind.id}")
    until(page, "window.warledgerView?.watch.whole", timeout_s=600)
    page.wait_for_selector(".counter", state="attached")
    page.locator("#tab-pieces").click()
    page.locator(".scrub").fill("6")
    # The address follows once that record is shown and the reader rests.
    until(page, "location.search === '?at=6'")
    page.locator("#piece-filter").fill("Érsekújvár")
    until(page, "document.querySelectorAll('.places li').length > 0")
    # What is not drawn yet has no inner text.
    found = page.locator(".places").text_content()
    assert found
    page.locator("#piece-filter").fill("Ersekujvarx")
    until(page, "document.querySelectorAll('.places li').length === 0")
    page.locator("#piece-filter").fill("ersekujvar")
    until(page, "(found) => document.querySelector('.places').textContent === found", arg=found)


@SIZES
def test_a_stack_is_laid_open_with_its_order(
    open_page: Open, sudwind: Game, complaints: list[str], size: tuple[int, int]
) -> None:
    """Its owner sees a whole stack from the top, numbered, large enough to be read and all of it in
    sight; what has no zone lies below."""
    width, height = size
    # A page opened before the end would play the seat in the captain's place.
    page = open_page(f"/game/{sudwind.id}", before=heard(complaints))
    until(page, "window.warledgerView?.watch.whole", timeout_s=600)
    page = open_page(
        f"/game/{sudwind.id}?at=0#token={sudwind.tokens['axis']}",
        before=heard(complaints),
        viewport={"width": width, "height": height},
        has_touch=width < 700,
    )
    until(page, "(({watch}) => watch.audience === 'axis' && watch.whole)(window.warledgerView)")
    for seq in range(20):  # the game begins once both seats have given their keys
        page.locator(".scrub").fill(str(seq))
        if page.locator("[data-piece='ax.12ss.pga']").count():
            break
    box = page.locator("[data-piece='ax.12ss.pga']").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    if width < 700:
        page.touchscreen.tap(*middle)
    else:
        page.mouse.click(*middle)
    until(page, "document.querySelectorAll('.fanned').length > 1")

    stack = page.evaluate(LAID_OPEN)
    assert [one["order"] for one in stack] == list(range(1, 9))
    assert {stack[-1]["id"], stack[-2]["id"]} == {"ax.12ss.truck", "ax.12ss.art"}
    assert all(one["within"] for one in stack), stack
    assert all(one["width"] >= 39 for one in stack), stack
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert complaints == []


@pytest.fixture
def seated(site: Site) -> Game:
    """A game whose Soviets are a captain, with the Axis to be played on the page: a new one for
    each test, since each has a browser of its own, and a seat is played with the key of one."""
    game = site.new("hungarian_rhapsody")
    site.bot(game, "soviet")
    return game


HEAD = """() => {
  const shown = [...document.querySelectorAll('.head-line > *, .turn-line, .score-side, .score-middle')]
    .filter((one) => one.checkVisibility());
  const boxes = shown.map((one) => [one.className, one.getBoundingClientRect()]);
  const frame = document.querySelector('.game-head').getBoundingClientRect();
  const wrong = boxes.filter(([, a]) => a.left < frame.left - 1 || a.right > frame.right + 1).map(([name]) => name);
  boxes.forEach(([name, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
      wrong.push(`${name} over ${other}`);
  }));
  for (const side of document.querySelectorAll('.score-side'))
    for (const one of [...side.children].filter((child) => child.checkVisibility())) {
      const [box, around] = [one, side].map((element) => element.getBoundingClientRect());
      if (box.right > around.right + 1 || box.left < around.left - 1) wrong.push(one.className);
    }
  return [shown.length, wrong, document.querySelector('.turn-line').clientWidth];
}"""


def test_nothing_in_the_head_of_a_game_lies_over_anything_else(
    open_page: Open, seated: Game
) -> None:
    """However wide the window is: score, turn, who decides, phase, conditions and the chain each
    have a place of their own. Where there is little room, who would win as things stand is told
    with what wins."""
    page = open_page(f"/game/{seated.id}#token={seated.tokens['axis']}")
    until(page, "document.querySelector('.score-decides')?.checkVisibility()")
    for width in (821, 860, 990, 991, 1150, 1151, 1239, 1240, 1280, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        until(page, "(width) => innerWidth === width", arg=width)
        shown, wrong, room = page.evaluate(HEAD)
        assert wrong == [], width
        assert shown >= 6 and room >= 150, width
    page.set_viewport_size({"width": 1000, "height": 800})
    page.locator(".score-needs summary").click()
    until(page, "document.querySelector('.score-stands-too').checkVisibility()")


def test_who_an_hq_supplies_is_lit_up_and_told(
    open_page: Open, seated: Game, complaints: list[str]
) -> None:
    """By keyboard alone: an HQ is found in the list of pieces; what its throw reaches and by which
    ways is told in a live region and drawn, until it is closed. A unit is told how it is supplied,
    an enemy's is not. It is the same on a phone."""
    page = open_page(f"/game/{seated.id}#token={seated.tokens['axis']}", before=heard(complaints))
    until(
        page,
        "document.querySelectorAll('.play-pane button[data-act^=pick]').length > 0",
        timeout_s=120,
    )
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#tab-pieces").press("Enter")
        page.locator("[data-find='ax.hq.iv']").press("Enter")
        until(page, "document.querySelectorAll('.supply-way').length > 3")
        assert page.evaluate(
            "document.querySelector('.supply-reach').getAttribute('d').length > 99"
        )
        answers = page.locator(".answers")
        assert answers.get_attribute("aria-live") == "polite"
        assert "throws up to 10 points" in answers.inner_text()
        assert "OCS 12.3b" in answers.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

        page.locator("[data-find='ax.inf.44']").press("Enter")
        until(page, "document.querySelector('.answers').innerText.includes('without fuel')")
        page.locator("[data-act=close-answers]").press("Enter")
        until(page, "document.querySelector('.answers').hidden")
        assert page.locator(".supply-way, .supply-here").count() == 0

        page.locator("[data-find='su.gd.81']").press("Enter")
        until(page, "document.querySelector('.look').innerText.includes('81 Gd')")
        assert page.locator(".answers").is_hidden()
    assert complaints == []


CHANGED = """() => new Promise((done) => {
  const { view } = window.campaign;
  const other = [];
  const watching = new MutationObserver((changes) => {
    for (const { target, type, attributeName } of changes) {
      if (target !== view.picture || !['style', 'class'].includes(attributeName)) {
        other.push(`${type} ${attributeName} of ${target.nodeName} ${target.className}`);
      }
    }
  });
  watching.observe(view.frame, { attributes: true, childList: true, characterData: true, subtree: true });
  const begun = view.picture.style.transform;
  let left = 60;
  const step = () => {
    if (left % 2) view.stage.pan(11, -7);
    else view.stage.zoom(left > 30 ? 1.06 : 0.93, 300, 200);
    if (--left) requestAnimationFrame(step);
    else done([view.picture.style.transform !== begun, other]);
  };
  requestAnimationFrame(step);
})"""


def test_all_of_the_campaign_is_moved_by_one_transform(open_page: Open) -> None:
    """With every counter of the campaign on its 4,340 hexes, panning and zooming change the one
    transform of the picture and nothing in it: there is nothing to lay out in a frame."""
    page = open_page("/help")
    counters, hexes = lay(page)

    assert hexes == 4340 and counters > 250
    moved, other = page.evaluate(CHANGED)
    assert moved and other == []


MARKERS = """() => [...document.querySelectorAll('.work')]
  .map((one) => [one.querySelector('text').textContent, one.querySelector('title').textContent])"""


def test_markers_of_the_game_are_drawn_on_their_hexes(open_page: Open) -> None:
    """HR 3.1c, 3.1e, 2.4 Front markers, special extenders and the hexes of a fortress lie on the
    map, each with a sign and its name."""
    page = open_page("/help")
    lay(page)
    page.evaluate(
        "() => { const { view, board } = window.campaign;"
        "board.apply(['mark', 'A32.17', 'marker.fortress', 1]);"
        "view.stale = true; view.render(board, false); }"
    )
    drawn = {tuple(one) for one in page.evaluate(MARKERS)}
    assert {
        ("2UF", "2nd Ukrainian Front"),
        ("4UF", "4th Ukrainian Front"),
        ("SWE", "Special wagon extender"),
        ("FOR", "Budapest Fortress"),
    } <= drawn


TRAYS = """async () => {
  const { PiecesPane } = await import('/games/pieces.js');
  const { view, board, spoken } = window.campaign;
  for (const id of ['ax.inf.44', 'ax.1ss.pz1', 'ax.hq.iv']) board.apply(['put', id, 'box.dead.axis', 'combat', 'axis']);
  const pane = new PiecesPane(() => {});
  pane.element.style.cssText = 'position: fixed; inset: 0; z-index: 100; overflow: auto; background: Canvas';
  pane.element.id = 'pane';
  document.body.append(pane.element);
  pane.draw(view, board, spoken, true);
  window.campaign.pane = pane;
  const found = {};
  for (const { place } of board.pieces.values()) if (!view.map.place(place)) found[place] = (found[place] ?? 0) + 1;
  return found;
}"""


def test_boxes_and_piles_are_trays_with_their_counters(open_page: Open) -> None:
    """Air boxes, dead piles and reserves of the campaign stand before the hexes, each with its
    number; one that is opened by keyboard shows each of its counters drawn and in words, and stays
    open when the board changes."""
    page = open_page("/help")
    lay(page)
    boxes = page.evaluate(TRAYS)

    shown = page.locator("#pane .places > *").first.evaluate("(one) => one.className")
    trays = page.locator("#pane details.tray")
    assert shown == "tray" and trays.count() == len(boxes) >= 4
    for box, name, piece in (
        ("box.air.8aa", "8th Air Army", "P-39"),
        ("box.dead.axis", "dead pile", "44 HD"),
    ):
        summary = page.locator(f"#pane [data-tray='{box}']")
        assert name in summary.inner_text() and str(boxes[box]) in summary.inner_text()
        summary.press("Enter")
        laid = page.locator(f"#pane details[open]:has([data-tray='{box}']) li:has(svg)")
        laid.last.wait_for()
        assert laid.count() == boxes[box]
        assert piece in laid.last.locator("xpath=..").inner_text()
        page.evaluate("window.campaign.pane.redraw()")
        assert laid.count() == boxes[box]
        assert page.evaluate("document.activeElement.dataset.tray") == box
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(
            "(() => { const pane = document.querySelector('#pane'); return pane.scrollWidth <= pane.clientWidth; })()"
        )


DRAGGED = """async () => {
  const { Drag } = await import('/board/drag.js');
  const { view } = window.campaign;
  const taken = window.taken = [];
  new Drag(view, { may: () => true, grab: (id) => taken.push(id), letGo: () => undefined });
  const deep = [...view.stacks].filter(([, ids]) => ids.length > 2).map(([place]) => place);
  return deep.slice(0, 12);
}"""

SHOWN = """(place) => {
  const { view } = window.campaign;
  view.fan(null);
  const at = view.map.place(place);
  view.stage.reveal(at.x, at.y, 200);
  return view.stacks.get(place).at(-1);
}"""

MIDDLE = """(id) => {
  const box = window.campaign.view.pieces.get(id).element.querySelector('use').getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""


def test_what_is_taken_up_is_the_counter_that_was_pointed_at(open_page: Open) -> None:
    """A stack that opens under the pointer slides no other counter between it and the player: the
    one on top is pressed in its middle, and it is the one on top that is dragged, whether the
    pointer rests or comes in over its edge."""
    page = open_page("/help")
    lay(page)
    stacks = page.evaluate(DRAGGED)
    assert len(stacks) > 4
    expected = []
    for number, place in enumerate(stacks):
        page.mouse.move(2, 2)
        top = page.evaluate(SHOWN, place)
        still(page, top)
        x, y = page.evaluate(MIDDLE, top)
        if number % 2:
            page.mouse.move(x + 9, y, steps=1)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 14, y + 14, steps=2)
        page.mouse.up()
        expected.append(top)
    assert page.evaluate("window.taken") == expected


STILL = """(id) => new Promise((done) => {
  const { view } = window.campaign;
  let was = '';
  const look = () => {
    const box = view.pieces.get(id).element.getBoundingClientRect(), now = `${box.x} ${box.y} ${box.width}`;
    if (now === was) return done();
    was = now;
    requestAnimationFrame(() => requestAnimationFrame(look));
  };
  look();
})"""


def still(page: Any, id: str) -> None:
    """Wait until the map and a counter on it have come to rest."""
    page.evaluate(STILL, id)


def test_what_opens_over_the_board_closes(open_page: Open, seated: Game) -> None:
    """What wins lists the hexes that are held and those that are lacking, and marks them on the
    map; it and the other tracks close on Escape and on a press elsewhere. Who would win as things
    stand is told without it; the tracks are named."""
    page = open_page(f"/game/{seated.id}#token={seated.tokens['axis']}")
    until(
        page,
        "document.querySelectorAll('.play-pane button[data-act^=pick]').length > 0",
        timeout_s=120,
    )
    assert "Soviet wins" in page.locator(".score-stands").inner_text()
    marked = "document.querySelector('.held-now').getAttribute('d') || document.querySelector('.lacking-now').getAttribute('d')"
    for name in (".score-needs", ".more-tracks"):
        opened = page.locator(f"{name}[open]")
        page.locator(f"{name} summary").click()
        opened.wait_for()
        if name == ".score-needs":
            assert "lacks" in page.locator(".score-lacking").inner_text()
            until(page, f"Boolean({marked})")
        page.keyboard.press("Escape")
        opened.wait_for(state="detached")
        page.locator(f"{name} summary").click()
        opened.wait_for()
        page.mouse.click(*corner(page))
        opened.wait_for(state="detached")
    until(page, f"!({marked})")
    assert "ground" in page.locator(".more-tracks summary").inner_text().lower()


def corner(page: Any) -> tuple[float, float]:
    """A point of the map's lower left."""
    box = page.locator(".stage").bounding_box()
    return box["x"] + 40, box["y"] + box["height"] - 60


def test_a_seal_says_what_the_other_side_sees_all_the_same(open_page: Open, seated: Game) -> None:
    """Under a sealed command stands what is told of it: never that nothing but the choice is
    seen, when moves and attacks are seen at once."""
    page = open_page(f"/game/{seated.id}#token={seated.tokens['axis']}")
    until(
        page,
        "document.querySelectorAll('.play-pane button[data-act^=pick]').length > 0",
        timeout_s=120,
    )
    said = page.evaluate(
        """async () => {
          const { play } = window.warledgerView;
          const told = {};
          for (const verb of ['move', 'attack', 'overrun', 'barrage', 'hip_shoot', 'rest']) {
            play.offer = { decision: 0, prompt: ['prompt.ocs.moving', [], ''], choices: { slot: 'ocs.move', span: null, complete: true, sealed: true, options: [] } };
            play.picks = [verb];
            play.pane.draw();
            told[verb] = document.querySelector('.play-pane .sealed').textContent;
          }
          return told;
        }"""
    )
    assert all("only that you have chosen" not in one for one in said.values())
    assert "the way" in said["move"] and "hexes from which" in said["attack"]
    assert "target" in said["hip_shoot"] and "follows from it" in said["rest"]
    assert len(set(said.values())) == 6


def test_a_defender_s_picks_say_what_they_are(open_page: Open, seated: Game) -> None:
    """What was picked is labelled where its word alone could mean anything, and the hexes that an
    attack comes from are not drawn as a way that somebody goes."""
    page = open_page(f"/game/{seated.id}#token={seated.tokens['axis']}")
    until(
        page,
        "document.querySelectorAll('.play-pane button[data-act^=pick]').length > 0",
        timeout_s=120,
    )
    chips, drawn, moved = page.evaluate(
        """() => {
          const { play } = window.warledgerView;
          const draw = (picks, slots) => {
            play.offer = { decision: 0, prompt: ['prompt.ocs.defend', [], ''], choices: { slot: 'end', span: null, complete: true, sealed: true, options: [] } };
            play.picks = picks;
            play.headings = new Map(slots.map((slot, n) => [JSON.stringify(picks.slice(0, n)), slot]));
            play.pane.draw();
            return document.querySelectorAll('.planned').length;
          };
          const unit = [...play.view.board.pieces].find(([id, { place }]) => id.startsWith('ax.') && play.view.board.map.place(place))[0];
          const drawn = draw(['defend', 'pay', unit, 'open', 'A24.11', 'open', 'A25.11', 'open'],
            ['ocs.defending', 'ocs.whether_pays', 'ocs.ar_unit', 'ocs.own_ground', 'ocs.attacked_from', 'ocs.ground_against', 'ocs.attacked_from', 'ocs.ground_against']);
          const chips = [...document.querySelectorAll('.crumbs li')].map((one) => one.textContent);
          return [chips, drawn, draw(['move', unit, 'A24.11'], ['ocs.movement', 'ocs.move', 'ocs.move'])];
        }"""
    )
    assert chips[0] == "defend" and chips[1] == "supply pay" and chips[2].startswith("AR unit ")
    assert [chips[3], chips[5]] == ["own terrain open", "terrain open"]
    assert chips[4].startswith("against ") and chips[6].startswith("against ")
    assert (drawn, moved) == (0, 1)
