"""The story beside the board: it keeps to the newest record or to the one looked at, and to the
reader's place once he scrolls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Game, Site
from tests.browser.players import (
    QUIET,
    Player,
    is_asked,
    ready,
    same_log,
    shown,
    take_turns,
    until,
    verified,
    wait,
    whole,
)

Open = Callable[..., Any]

# A line taller than the frame is read from its beginning where a record was asked for, and shows
# its end where the newest is kept in sight (there with the room kept under the last line).
SEEN = """(seq) => {
  const all = [...document.querySelectorAll('.record')];
  const one = (seq === null ? all : all.filter((item) => Number(item.dataset.record) <= seq)).pop();
  const frame = document.querySelector('.tab-panel').getBoundingClientRect(), box = one.getBoundingClientRect();
  if (seq !== null && box.height > frame.height) return Math.abs(box.top - frame.top) <= 1;
  return box.height > 0 && (box.top >= frame.top - 1 || box.height > frame.height - 40) && box.bottom <= frame.bottom + 1;
}"""
TOP = "document.querySelector('.tab-panel').scrollTop"
STILL = (
    "new Promise((done) => { let last = -1, still = 0; const look = () => requestAnimationFrame(() => { const top = "
    + TOP
    + "; still = top === last ? still + 1 : 0; last = top; if (still === 6) done(); else look(); }); look(); })"
)
"""Resolves when the story has stopped scrolling."""


STEADY = (
    """(seq) => new Promise((done) => {
  const seen = """
    + SEEN
    + """;
  let frames = 0, steady = 0;
  // Looked at after a frame is drawn: what grew in it has been made room for by then.
  const look = () => requestAnimationFrame(() => setTimeout(() => {
    steady = """
    + QUIET
    + """ && seen(seq) ? steady + 1 : 0;
    if (steady === 5 || ++frames === 60) done(steady === 5);
    else look();
  }));
  look();
})"""
)


def in_sight(page: Any, seq: int | None = None) -> None:
    """Wait until the line of a record (None: the newest) is in sight, frame after frame, and
    nothing is under way that may change the panel."""
    until(page, STEADY, arg=seq)


def test_the_newest_record_stays_in_sight_while_the_panel_grows(
    open_page: Open, site: Site
) -> None:
    """The panel above the story opens, grows and shrinks with each decision; the newest line is
    never hidden by it."""
    game = site.new("war_at_sea")
    players = []
    for seat, token in game.tokens.items():
        page = open_page(f"/game/{game.id}#token={token}", viewport={"width": 1280, "height": 620})
        players.append(Player(page, f"story {seat}", mouse=False, eager=0.9))
    for player in players:
        ready(player.page)
    page = players[0].page

    for goal in (8, 11, 14):
        take_turns(players, lambda goal=goal: verified(page)[0] >= goal)
        in_sight(page)
    page.locator(".more-acts summary").click()
    in_sight(page)
    page.set_viewport_size({"width": 1280, "height": 500})
    in_sight(page)


def test_a_panel_that_grows_and_shrinks_within_a_frame_is_no_reader(
    open_page: Open, ended: Game
) -> None:
    """What moves the story without wheel, touch or key is not taken for the reader, although all
    heights are as before when the page hears of it."""
    page = open_page(f"/game/{ended.id}")
    whole(page, ended.records)
    in_sight(page)
    page.evaluate(
        """() => {
          const panel = document.querySelector('.tab-panel');
          const height = panel.scrollHeight;
          panel.firstElementChild.style.height = '10px';
          panel.firstElementChild.style.overflow = 'hidden';
          void panel.scrollTop;
          panel.firstElementChild.style.height = '';
          panel.firstElementChild.style.overflow = '';
          if (panel.scrollHeight !== height) throw new Error('another height');
        }"""
    )
    in_sight(page)


def test_a_line_taller_than_the_story_is_read_from_its_beginning(
    open_page: Open, ended: Game
) -> None:
    """A link to a record with a line taller than its frame shows the line's beginning."""
    page = open_page(f"/game/{ended.id}", viewport={"width": 1280, "height": 400})
    whole(page, ended.records)
    seq, height = page.evaluate(
        """() => {
          for (const part of document.querySelectorAll('.story-part')) part.style.contentVisibility = 'visible';
          return [...document.querySelectorAll('.record')]
            .map((one) => [Number(one.dataset.record), one.getBoundingClientRect().height])
            .reduce((a, b) => (b[1] > a[1] ? b : a));
        }"""
    )
    page = open_page(f"/game/{ended.id}?at={seq}", viewport={"width": 1280, "height": 400})
    whole(page, ended.records)
    assert height > page.evaluate("document.querySelector('.tab-panel').clientHeight")
    in_sight(page, seq)


def test_a_key_that_scrolls_nothing_is_no_reader(open_page: Open, ended: Game) -> None:
    """Whoever steps to a record by key sees its line, also when the panel is scrolled right behind a
    key by something else."""
    page = open_page(f"/game/{ended.id}?at=77")
    whole(page, ended.records)
    in_sight(page, 77)
    page.locator("body").press("ArrowLeft")
    in_sight(page, 76)
    # All heights are as they were when the page hears that the story was scrolled.
    moved = page.evaluate(
        """() => {
          const panel = document.querySelector('.tab-panel');
          const top = panel.scrollTop;
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift', bubbles: true }));
          panel.scrollTop = 0;
          return top;
        }"""
    )
    assert moved > 0
    in_sight(page, 76)


def test_a_reader_who_scrolled_up_is_left_there(open_page: Open, site: Site) -> None:
    """Records that come do not pull the reader away; scrolled to the end again, or sent there by
    Live, the story follows again."""
    game = site.new("war_at_sea")
    page, other = (
        open_page(f"/game/{game.id}#token={token}", viewport={"width": 1280, "height": 480})
        for token in game.tokens.values()
    )
    players = [
        Player(one, f"reader {n}", mouse=False, eager=0.9) for n, one in enumerate((page, other))
    ]
    for player in players:
        ready(player.page)
    take_turns(players, lambda: verified(page)[0] >= 14)
    in_sight(page)

    panel = page.locator(".tab-panel").bounding_box()
    page.mouse.move(panel["x"] + 200, panel["y"] + panel["height"] / 2)
    page.mouse.wheel(0, -200)
    until(
        page,
        "document.querySelector('.tab-panel').scrollHeight - document.querySelector('.tab-panel').clientHeight - "
        + TOP
        + " > 100",
    )
    page.evaluate(STILL)
    top = page.evaluate(TOP)
    count = verified(page)[0]
    take_turns(players, lambda: verified(page)[0] >= count + 4)
    same_log(page, other)
    page.evaluate(STILL)
    assert abs(page.evaluate(TOP) - top) < 60
    assert not page.evaluate(SEEN, None)

    page.locator(".live-button").click()
    in_sight(page)
    wait(page, lambda: is_asked(page) or is_asked(other), lambda: "somebody being asked")


def test_a_clause_does_not_move_from_under_the_pointer(open_page: Open, ended: Game) -> None:
    """While somebody presses a clause, what comes behind it does not turn the story: the release
    opens the clause that was pressed. Later the story goes on to its end."""
    page = open_page(f"/game/{ended.id}", viewport={"width": 1280, "height": 1100})
    whole(page, ended.records)
    in_sight(page)
    panel = page.locator(".tab-panel").bounding_box()
    page.mouse.move(panel["x"] + panel["width"] / 2, panel["y"] + panel["height"] / 2)
    page.evaluate(STILL)
    signs = [
        box
        for sign in page.locator(".story .rule:visible").all()[-12:]
        if (box := sign.bounding_box())
        and panel["y"] < box["y"]
        and box["y"] + box["height"] < panel["y"] + panel["height"]
    ]
    at = [signs[-1]["x"] + signs[-1]["width"] / 2, signs[-1]["y"] + signs[-1]["height"] / 2]
    page.mouse.move(*at)
    # The last records may have come since it was measured: what is pressed is what lies there now.
    found = "([x, y]) => document.elementFromPoint(x, y).closest('.rule')?.dataset.rule ?? null"
    until(page, found, arg=at)
    page.mouse.down()
    clause, top = page.evaluate(found, at), page.evaluate(TOP)
    page.evaluate(
        """() => {
          const more = document.createElement('div');
          more.style.height = '200px';
          window.warledgerView.story.list.append(more);
        }"""
    )
    page.evaluate(STILL)
    assert page.evaluate(TOP) == top
    page.mouse.up()
    until(page, "!document.querySelector('.rule-text').hidden")
    assert page.evaluate("window.warledgerView.rules.rule") == clause
    until(page, "(top) => " + TOP + " >= top + 200", arg=top)


def test_a_link_to_a_record_shows_its_line(open_page: Open, ended: Game) -> None:
    """Opened at a record, the story is at that record; a step, another tab and another language
    keep it in sight."""
    page = open_page(f"/game/{ended.id}?at=77")
    page.wait_for_selector(".counter", state="attached")
    until(page, "document.querySelector('.record.current') !== null")
    whole(page, ended.records)
    assert shown(page) == 77

    in_sight(page, 77)
    page.locator("body").press("ArrowLeft")
    in_sight(page, 76)
    page.locator("#tab-pieces").click()
    page.locator(".tab-panel").evaluate("(one) => one.scrollTop = 300")
    page.locator("#tab-story").click()
    in_sight(page, 76)
    page.locator("select.language").select_option("zh-Hans")
    until(page, "document.documentElement.lang === 'zh-Hans'")
    in_sight(page, 76)
    page.locator(".live-button").click()
    in_sight(page)


def test_a_record_stays_in_sight_when_lines_get_their_height_late(
    open_page: Open, ended: Game
) -> None:
    """Whoever opens a record sees it, and goes on seeing it when the lines around it get another
    height only then, even where the story as a whole is as high as before."""
    page = open_page(f"/game/{ended.id}?at=190")
    whole(page, ended.records)
    in_sight(page, 190)
    assert shown(page) == 190
    page.evaluate(
        """() => {
          const list = document.querySelector('.story');
          list.style.height = getComputedStyle(list).height;
          const late = new CSSStyleSheet();
          late.replaceSync('.story .record { padding-top: 40px; }');
          document.adoptedStyleSheets = [late];
        }"""
    )
    in_sight(page, 190)


def test_the_whole_story_is_there_once_the_page_rests(open_page: Open, ended: Game) -> None:
    """What is not in sight is written later: every record that tells something is there then, once
    and in order, and the keys go from one to the next."""
    page = open_page(f"/game/{ended.id}?at=100")
    whole(page, ended.records)
    until(page, "document.querySelector('.story-part.waiting') === null")
    records = page.evaluate(
        "[...document.querySelectorAll('.story .record')].map((one) => Number(one.dataset.record))"
    )
    assert records == sorted(set(records)) and len(records) > ended.records // 2
    page.locator(".story .record.current .seq").focus()
    at = records.index(page.evaluate("Number(document.activeElement.dataset.seq)"))
    for step, key in ((1, "ArrowDown"), (2, "ArrowDown"), (1, "ArrowUp"), (0, "ArrowUp")):
        page.keyboard.press(key)
        assert page.evaluate("Number(document.activeElement.dataset.seq)") == records[at + step]
