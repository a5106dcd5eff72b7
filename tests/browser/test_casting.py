"""What an audience sees: a broadcast of one game, several games side by side; and what a player who
comes back is offered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Game, Site
from tests.browser.players import IDLE, move_map, ready, until, wait, whole

Open = Callable[..., Any]
BUTTONS = """[...document.querySelectorAll('button, select, input, a, summary')]
  .filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 80))"""

PRESSED = """(place) => {
  // At once, since the camera may still move the map.
  const box = document.querySelector(`.port[data-place=${place}] .port-box`);
  const { x, y, width, height } = box.getBoundingClientRect();
  box.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, clientX: x + width / 2, clientY: y + height / 2 }));
}"""


def test_a_broadcast_has_nothing_to_press(open_page: Open, site: Site, ended: Game) -> None:
    """At 1080p and 720p: score, board and card and nothing else, all within the picture, also after
    the game's end, when a spectator's page offers what was hidden; the parts are those that the
    address names, over nothing where it asks for that."""
    for size in ({"width": 1920, "height": 1080}, {"width": 1280, "height": 720}):
        page = open_page(f"/game/{ended.id}?view=cast&at=60", viewport=size)
        page.wait_for_selector(".counter", state="attached")
        whole(page, ended.records)
        assert page.evaluate(BUTTONS) == []
        for part in (".scoreboard", ".stage", ".game-head"):
            box = page.locator(part).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"], part
            assert box["y"] >= 0 and box["y"] + box["height"] <= size["height"], part
        assert page.evaluate("document.documentElement.scrollHeight") <= size["height"]
    page.goto(f"{site.url}/game/{ended.id}")
    page.locator(".score-open").wait_for()
    for parts in ("", "&parts=score&transparent=1"):
        page.goto(f"{site.url}/game/{ended.id}?view=cast{parts}")
        whole(page, ended.records)
        until(
            page,
            "(last) => window.warledgerView.watch.ended && window.warledgerView.shown === last",
            arg=ended.records - 1,
        )
        assert page.evaluate(BUTTONS) == [], parts
    page.goto(f"{site.url}/game/{ended.id}?view=cast&at=60")
    page.goto(page.url.replace("&at=60", "&at=60&parts=score&transparent=1"))
    page.wait_for_selector(".score-lead")
    assert not page.locator(".turn-line").is_visible()
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.stage')).visibility") == "hidden"
    )
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"


WENT = """async (at) => {
  const { showing } = window.warledgerView;
  showing.setFollow(true);
  window.warledgerView.goTo(at);
  for (let frames = 0; frames < 4; frames++) await new Promise(requestAnimationFrame);
}"""
TABLE = """() => {
  const { board, showing } = window.warledgerView;
  const { stage } = board, { clientWidth, clientHeight } = stage.frame;
  return [stage.x, clientWidth - stage.x - stage.width * stage.scale, stage.y,
    clientHeight - stage.y - stage.height * stage.scale, Math.max(showing.card.strip.offsetHeight, showing.card.element.offsetHeight),
    showing.card.strip.querySelectorAll('.line').length, getComputedStyle(showing.card.strip).columnCount];
}"""
"""How much of the table shows left of the map, right of it, above and below, and how high the
higher of card and sentences is, and in how many lines and columns these stand."""


LINES = 5


def is_full(page: Any) -> bool:
    """Whether no more table shows than what is told needs."""
    left, right, above, below, told, lines, columns = page.evaluate(TABLE)
    return (
        # A card has its own width of the table at most.
        min(left, right) <= 1
        and max(left, right) < 400
        and max(0, above) + max(0, below) < max(told + 40, 200)
        and (left >= 300 or (columns == "2") is (lines > 4))
    )


CAPTION_BESIDE = """() => {
  const { board: { stage }, showing: { card: { strip } } } = window.warledgerView;
  const { left } = stage.frame.getBoundingClientRect();
  const beside = strip.getBoundingClientRect().right - left <= stage.x;
  return stage.x > 300 && (beside || strip.style.marginLeft !== '');
}"""
"""Whether the map lies at the right, and what is told at its left; or, where a card leaves too little
of that, beside the card."""


def test_a_broadcast_leaves_no_table_empty(open_page: Open, ended: Game) -> None:
    """At 720p the map of the seas is narrower than the picture: it lies at the right, and what is
    told has the room at its left; above and below it no more is empty than a few sentences
    need, or a card that would lie over the fight."""
    page = open_page(f"/game/{ended.id}?view=cast&at=60", viewport={"width": 1280, "height": 720})
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    told_at = 0
    for at in range(1, ended.records, 9):
        page.evaluate(WENT, at)
        # The map is led there a moment later.
        wait(page, lambda: is_full(page), lambda: str(page.evaluate(TABLE)))
        told_at = at if page.evaluate(TABLE)[LINES] else told_at
    page.evaluate(WENT, told_at)
    move_map(page, "fit()")
    until(page, CAPTION_BESIDE)


def test_what_a_card_had_of_the_table_goes_with_it(open_page: Open, ended: Game) -> None:
    """Where the map had made room for a card, it has that room again once the card is gone, also
    if what comes then is told of no place, or of one that is in sight already."""
    page = open_page(f"/game/{ended.id}?view=cast&at=60", viewport={"width": 1280, "height": 720})
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    page.evaluate("window.warledgerView.showing.setFollow(true)")
    for then in ("new Set()", "new Set(['malta'])"):
        bare = page.evaluate(
            f"""() => {{
              const {{ board, showing: {{ camera }} }} = window.warledgerView;
              const {{ stage }} = board, {{ inset, frame }} = stage;
              const below = () => frame.clientHeight - stage.y - stage.height * stage.scale;
              stage.zoom(2);
              stage.inset = {{ ...inset, bottom: 280 }};
              stage.spare = 0;
              camera.frame(new Set(['malta']));
              const made = below();
              stage.inset = inset;
              camera.frame({then});
              return [made, below()];
            }}"""
        )
        assert bare[0] > 200, bare
        assert bare[1] < 2, bare


def test_an_overlay_lies_over_other_pictures(open_page: Open, ended: Game) -> None:
    """/overlay/ID is the broadcast over nothing and without its map, or with the parts that its
    address names and on a ground of its own, at the record that it names."""
    page = open_page(f"/overlay/{ended.id}?at=60", viewport={"width": 1280, "height": 720})
    page.wait_for_selector(".score-lead")
    whole(page, ended.records)
    assert page.evaluate("window.warledgerView.at") == 60
    stage = "getComputedStyle(document.querySelector('.stage')).visibility"
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.locator(".turn-line").is_visible()
    assert page.evaluate(stage) == "hidden"
    assert page.evaluate(ground) == "rgba(0, 0, 0, 0)"
    assert page.evaluate(BUTTONS) == []
    page.goto(page.url.replace("?at=60", "?at=60&parts=board&transparent=0"))
    page.wait_for_selector(".counter", state="attached")
    assert page.evaluate(stage) == "visible"
    assert page.evaluate(ground) != "rgba(0, 0, 0, 0)"
    assert not page.locator(".turn-line").is_visible()


FIGHT = """() => {
  const [view] = window.warledgerView.views;
  const { from } = view.watch.spans.find(({ span }) => span === 'combat');
  view.goTo(from - 1);
  view.goTo(from);
}"""
"""The first game of a wall shows its first combat."""


def test_the_game_with_a_fight_comes_forward(open_page: Open, site: Site, ended: Game) -> None:
    """A wall shows each game that its address names once with its own counters, and puts the one in
    which a combat is shown in front; without games it says how to name them."""
    other = site.new("war_at_sea")
    page = open_page(f"/wall?games={ended.id},{other.id},{ended.id}")
    until(page, "document.querySelectorAll('.wall-cell .board .land').length === 2")
    until(
        page,
        "(last) => window.warledgerView.views[0].watch.last === last",
        arg=ended.records - 1,
    )
    assert page.locator(".wall-cell").count() == 2
    assert page.locator(".in-front").count() == 0
    # Several boards on one page: each draws its own counters.
    ids = page.evaluate(
        "[...document.querySelectorAll('symbol, .board defs g[id]')].map(({ id }) => id)"
    )
    assert len(ids) == len(set(ids)) > 20
    page.evaluate(FIGHT)
    assert page.locator(".in-front").get_attribute("data-game") == ended.id
    assert page.url.endswith(f"/wall?games={ended.id},{other.id},{ended.id}")

    page.goto(f"{site.url}/wall")
    page.locator(".loading", has_text="/wall?games=").wait_for()


CELLS = """[...document.querySelectorAll('.wall-cell')].map((cell) => {
  const box = (one) => (cell.querySelector(one) ?? new Image()).getBoundingClientRect();
  const [stage, map, head, middle] = ['.stage', '.stage svg', '.game-head', '.score-middle'].map(box);
  const sides = [...cell.querySelectorAll('.score-side')].map((one) => one.getBoundingClientRect());
  return {
    bare: Math.max(map.left - stage.left, stage.right - map.right, map.top - stage.top, stage.bottom - map.bottom),
    head: head.height / cell.clientHeight,
    overlaps: sides.some((one) => one.left < middle.right && one.right > middle.left && one.top < middle.bottom && one.bottom > middle.top),
    table: cell.querySelector('.caption.empty')?.offsetHeight ?? 0,
  };
})"""
"""Of each cell of a wall: how much table is bare at the worst edge, what share of it its head takes,
whether turn and sides lie over each other, and how high a caption is that says nothing."""


def test_every_cell_of_a_wall_is_full_of_its_map(open_page: Open, site: Site, ended: Game) -> None:
    """With four games and with nine, whose cells are wider and higher than a map is: no table is
    bare, the head leaves the map three quarters of a cell, and nothing in it overlaps."""
    titles = ("typhoon", "victory_lost", "hungarian_rhapsody", "typhoon")
    games = [ended.id, *(site.new(title).id for title in titles * 2)]
    page = open_page("/", viewport={"width": 1920, "height": 1080})
    for count in (4, 9):
        page.goto(f"{site.url}/wall?games={','.join(games[:count])}")
        until(
            page,
            "(n) => document.querySelectorAll('.wall-cell .counter').length"
            " && document.querySelectorAll('.wall-cell .stage svg').length === n"
            " && window.warledgerView.views.every((view) => view.board?.stage.around)",
            arg=count,
        )
        for cell in page.evaluate(CELLS):
            assert cell["bare"] <= 1 and cell["head"] < 0.25 and not cell["table"], cell
            assert not cell["overlaps"], cell
    page.evaluate(FIGHT)
    until(page, "document.querySelector('.in-front .card').checkVisibility()")
    until(page, f"({CELLS})[0].bare <= 1")
    assert not any(cell["overlaps"] for cell in page.evaluate(CELLS))


def test_what_happened_since_the_last_move_is_offered(open_page: Open, ended: Game) -> None:
    """Whoever comes back is told how many records tell something since their last move, may have
    them played from there, or close the offer; a single record is no news."""
    page = open_page(f"/game/{ended.id}")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)

    found = page.evaluate(
        """async () => {
          const { Since } = await import('/show/since.js');
          const { watch } = window.warledgerView;
          const played = [];
          const told = [];
          const upTo = (last, seat) => ({ watch: { records: watch.records.slice(0, last + 1), spans: watch.spans, ended: null }, play: { seat }, timeline: { playFrom: (seq) => played.push(seq) } });
          for (let last = 30; last < 120; last++) {
            const own = watch.records.slice(0, last + 1).findLast(({ kind, body }) => kind === 'command' && body[1] === 'axis');
            const since = new Since(upTo(last, 'axis'));
            since.draw();
            const news = watch.records.slice((own?.seq ?? last) + 1, last + 1).filter(({ effects }) => effects.some(([tag]) => ['say', 'move', 'put', 'take', 'roll', 'flip', 'open', 'phase', 'track'].includes(tag))).length;
            told.push([news, since.element.hidden, since.element.textContent]);
            if (!since.element.hidden && !played.length) {
              since.element.querySelector('[data-act=since]').click();
              told.push([0, since.element.hidden, String(played[0] === own.seq)]);
            }
          }
          return told;
        }"""
    )

    assert any(text == "true" for _, _, text in found)
    offers = [(news, text) for news, hidden, text in found if not hidden]
    assert len(offers) > 3
    assert all(news >= 2 and str(news) in text for news, text in offers)
    assert all(news < 2 or text == "true" for news, hidden, text in found if hidden)


def test_a_place_that_cannot_be_chosen_says_why_where_one_clicks(
    open_page: Open, site: Site
) -> None:
    """A click, a tap, or Enter on an empty port that a begun command cannot go to is refused in words
    beside it, with the clause; the next pick takes the words away."""
    game = site.new("war_at_sea")
    pages = [
        open_page(f"/game/{game.id}#token={token}", has_touch=True)
        for token in game.tokens.values()
    ]
    for page in pages:
        ready(page)
    page = pages[0]
    page.locator("[data-act='pick:deploy']").click()
    page.locator("[data-act='pick:nelson']").click()
    until(page, "document.querySelectorAll('.crumbs li').length === 2")
    port = page.locator(".port[data-place=leningrad] .port-box").bounding_box()
    x, y = port["x"] + port["width"] / 2, port["y"] + port["height"] - 8
    page.mouse.click(x, y)
    until(page, "document.querySelector('.bubble:not([hidden])') !== null")
    box = page.locator(".bubble").bounding_box()
    assert abs(box["x"] - x) < 420 and abs(box["y"] - y) < 160
    assert page.locator(".bubble .rule").inner_text()
    assert page.locator(".bubble").inner_text() == page.locator(".refusal").inner_text()
    said = page.locator(".bubble").inner_text()

    hide = "() => { document.querySelector('.bubble').hidden = true; }"
    for way in ("finger", "key"):
        until(page, IDLE)
        page.evaluate(hide)
        page.mouse.move(2, 2)
        page.locator(".stage").focus()
        page.evaluate("window.warledgerView.board.setCursor('leningrad')")
        if way == "finger":
            page.touchscreen.tap(x, y)
        else:
            page.keyboard.press("Enter")
        until(page, "document.querySelector('.bubble:not([hidden])') !== null")
        box = page.locator(".bubble").bounding_box()
        port = page.locator(".port[data-place=leningrad] .port-box").bounding_box()
        middle = port["x"] + port["width"] / 2, port["y"] + port["height"] / 2
        assert abs(box["x"] - middle[0]) < 420 and abs(box["y"] - middle[1]) < 160
        assert page.locator(".bubble").inner_text() == said
    until(page, IDLE)

    page.locator("[data-act='pick:malta']").click()
    until(page, "document.querySelector('.bubble').hidden")


def test_what_a_caster_draws_is_seen_by_who_watches(
    open_page: Open, site: Site, ended: Game
) -> None:
    """By mouse and keyboard: an arrow, and a note, over one record; spectators and a broadcast see
    them without doing anything, at that record and not at another; the game as a file has them; and
    their maker removes them."""
    watcher = open_page(f"/game/{ended.id}?at=60&view=cast")
    whole(watcher, ended.records)
    assert not watcher.locator(".mark-pane").is_visible()
    assert watcher.locator(".marks .mark").count() == 0

    page = open_page(f"/game/{ended.id}?at=60#token={site.token}")
    whole(page, ended.records)
    until(page, "document.querySelector('.mark-pane').checkVisibility()")
    page.locator("[data-act='mark:arrow']").click()
    for place in ("malta", "leningrad"):
        page.evaluate(PRESSED, place)
    until(page, "document.querySelectorAll('.marks .mark-arrow .mark-tip').length === 1")
    assert page.locator("[aria-pressed=true][data-act^=mark]").count() == 0
    page.locator("#mark-text").fill("Here it is decided: <b>watch</b> the convoys of the north")
    page.locator("[data-act='mark:note']").focus()
    page.keyboard.press("Enter")
    page.evaluate("window.warledgerView.board.setCursor('malta')")
    page.locator(".stage").focus()
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('.marks .mark-note .mark-words').length >= 2")
    assert page.locator(".mark-list li").count() == 2

    watcher.reload()
    whole(watcher, ended.records)
    until(watcher, "document.querySelectorAll('.marks .mark').length === 2")
    assert "<b>watch</b>" in watcher.locator(".marks-said").inner_text()
    watcher.evaluate("window.warledgerView.goTo(3)")
    assert watcher.locator(".marks .mark").count() == 0
    shared = watcher.request.get(f"{site.url}/api/games/{ended.id}.html").text()
    told = watcher.evaluate(
        """async (page) => {
          const [, packed] = /id="warledger-parts">([^<]+)</.exec(page);
          const bytes = Uint8Array.from(atob(packed), (one) => one.charCodeAt(0));
          const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
          const { answers } = JSON.parse(await new Response(unpacked).text());
          return JSON.parse(Object.entries(answers).find(([path]) => path.endsWith('/marks'))[1]);
        }""",
        shared,
    )
    assert [mark["kind"] for mark in told["marks"]] == ["arrow", "note"]
    page.locator("[data-act='unmark']").click()
    until(page, "document.querySelectorAll('.marks .mark').length === 0")
