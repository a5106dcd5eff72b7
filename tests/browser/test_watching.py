"""A person watches: a bot game live, any record of it, a link to one, the way back."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tests.browser.conftest import Game, Site
from tests.browser.players import shown, track, until, whole

Open = Callable[..., Any]

PIECES = """() => [...document.querySelectorAll('.counter[data-piece]')]
  .map((one) => one.dataset.piece + one.style.transform + one.querySelector('.badges')?.textContent)
  .sort().join('|')"""


def test_a_bot_game_is_watched_live_to_its_end(open_page: Open, site: Site) -> None:
    """The lobby lists the game, its page follows it record by record and says who won; the chain is
    verified all along."""
    game = site.new("war_at_sea")
    page = open_page("/")
    page.locator(f"a[href='/game/{game.id}']").click()
    page.wait_for_selector(".board .land", state="attached")
    bots = [site.bot(game, seat, seed="7") for seat in game.tokens]
    # Two bots start first.
    # Between two looks a turn of two bots may be over.
    until(page, "/Turn \\d|won|draw/.test(document.querySelector('.turn-line').textContent)")
    # The dice are nobody's choice, so it may be a draw as well.
    until(page, "/won|draw/.test(document.querySelector('.turn-line').textContent)", timeout_s=300)
    for bot in bots:
        bot.wait(300)
    count = len(site.log(game))
    whole(page, count)

    assert count == shown(page) + 1
    assert page.locator(".record").count() > 50
    page.locator("nav a[href='/archive']").click()
    row = page.locator(".game-row", has=page.locator(f"a[href='/game/{game.id}']"))
    row.wait_for()
    assert row.locator(f"a[href='/archive/{game.id}.wlog']").count() == 1


def test_scrubbing_goes_to_any_record_and_back(open_page: Open, ended: Game) -> None:
    """The same record shows the same board, whichever way one came; the beginning and the end are a
    key away."""
    page = open_page(f"/game/{ended.id}")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    last = shown(page)
    boards: dict[int, str] = {}
    for seq in (40, 90, 15, last, 90, 40):
        page.locator(".scrub").fill(str(seq))
        assert shown(page) == seq
        assert int(page.locator(".record.current").get_attribute("data-record")) in range(
            seq - 3, seq + 1
        )
        board = page.evaluate(PIECES)
        assert boards.setdefault(seq, board) == board
    assert len(set(boards.values())) == 4

    # Big changes of the score are marked, and whoever points at the track sees the board then.
    points = page.evaluate("window.warledgerView.timeline.curve.points")
    marked = page.evaluate(
        "[...document.querySelectorAll('.swing')].map((one) => Number(one.dataset.seq))"
    )
    steps = {seq: abs(value - before[1]) for before, (seq, value) in pairwise(points)}
    assert marked and steps[marked[0]] == max(steps.values()) >= 2
    track = page.locator(".track-line").bounding_box()
    page.mouse.move(track["x"] + track["width"] / 2, track["y"] + track["height"] / 2)
    until(page, "document.querySelector('.glimpse:not([hidden]) .mini-side') !== null")
    told = page.inner_text(".glimpse")
    assert abs(int(told.split()[1]) - last / 2) <= 2 and "Turn" in told, told
    assert shown(page) == 40
    page.mouse.move(5, 5)
    until(page, "document.querySelector('.glimpse').hidden")

    page.locator("[data-act=first]").click()
    assert shown(page) == 0
    page.locator(".live-button").click()
    assert shown(page) == last


def test_steps_by_combat_and_turn(open_page: Open, ended: Game) -> None:
    """A step by turn lands on the record that opens a turn, one by combat on a combat; back and
    forth is the same."""
    page = open_page(f"/game/{ended.id}?at=0")
    page.wait_for_selector(".counter, .land", state="attached")
    whole(page, ended.records)
    assert shown(page) == 0
    page.locator("[data-act=step]").select_option("turn")
    stops = []
    for turn in (1, 2, 3):
        page.locator("[data-act=forward]").click()
        stops.append(shown(page))
        assert track(page, "turn") == str(turn)
    page.locator("[data-act=back]").click()
    assert shown(page) == stops[1]
    page.locator("[data-act=step]").select_option("combat")
    page.locator("[data-act=forward]").click()
    assert shown(page) > stops[1]
    assert page.locator(".card:not([hidden]) h2").count() == 1


def test_a_link_to_a_record_opens_that_record(open_page: Open, ended: Game) -> None:
    """What one copies another opens: the same record, the same board."""
    page = open_page(f"/game/{ended.id}?at=77")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    assert shown(page) == 77
    page.keyboard.press("ArrowRight")
    until(page, "location.search === '?at=78'")
    address = page.evaluate("location.pathname + location.search")

    other = open_page(address, viewport={"width": 390, "height": 844})
    other.wait_for_selector(".counter", state="attached")
    whole(other, ended.records)

    assert shown(other) == 78
    assert other.evaluate(PIECES) == page.evaluate(PIECES)


def test_a_record_gone_to_while_all_come_anew_is_shown(open_page: Open, ended: Game) -> None:
    """Whoever changes the audience is sent every record anew; where they go meanwhile they stay."""
    page = open_page(f"/game/{ended.id}")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    page.evaluate("""() => {
        window.warledgerView.becomeSpectator();
        const scrub = document.querySelector('.scrub');
        scrub.value = '40';
        scrub.dispatchEvent(new Event('input'));
    }""")
    whole(page, ended.records)
    assert shown(page) == 40
    assert page.evaluate("window.warledgerView.at") == 40


def test_playing_back_stops_at_the_end(open_page: Open, ended: Game) -> None:
    """Play goes on by itself from where one is, and stops at the last record."""
    page = open_page(f"/game/{ended.id}")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    last = shown(page)
    page.locator(".scrub").fill(str(last - 4))
    page.locator("[data-act=speed]").select_option("8")
    page.locator("[data-act=play]").click()
    until(page, "(last) => document.querySelector('.scrub').value === last", arg=str(last))
    page.wait_for_selector("[data-act=play]")


def test_the_story_tells_no_die_twice(open_page: Open, ended: Game) -> None:
    """A die that a sentence tells has no line of its own; each draw has its receipt."""
    page = open_page(f"/game/{ended.id}")
    page.wait_for_selector(".record .dice", state="attached")
    whole(page, ended.records)

    assert page.locator(".record .line.dice").count() == 0
    page.locator(".receipt summary").last.click()
    assert page.locator(".receipt[open] li").last.inner_text() != ""
    # What is far from the reader is written while the page has nothing better to do.
    until(
        page,
        """() => [...document.querySelectorAll('.receipt li')]
          .some((line) => line.textContent.includes('epoch 1,'))""",
    )


def test_three_languages(open_page: Open, ended: Game) -> None:
    """The page, the board and the story change language together, and no key is left without a
    sentence."""
    page = open_page(f"/game/{ended.id}?at=60")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    seen = set()
    for language in ("en", "zh-Hans", "zh-Hant"):
        page.locator("select.language").select_option(language)
        until(page, "(language) => document.documentElement.lang === language", arg=language)
        text = page.locator("body").inner_text()
        assert "[web." not in text and "⟨" not in text
        seen.add(page.locator(".sea-name").first.text_content())
        assert page.locator(".record").count() > 50
    assert len(seen) >= 2


def test_what_was_verified_is_told_whole(open_page: Open, ended: Game) -> None:
    """On a small desk nothing is cut of what was verified, beside everything else in the head."""
    page = open_page(f"/game/{ended.id}", viewport={"width": 1280, "height": 720})
    until(page, f"window.warledgerView.watch.checker.checked === {ended.records - 1}")
    until(page, "document.querySelector('.checked').textContent !== ''")
    for line in (".chain", ".checked"):
        cut = page.locator(line).evaluate("(one) => one.scrollWidth > one.clientWidth + 1")
        assert not cut, line
    assert "all evidence checked" in page.locator(".checked").inner_text()


def test_every_result_of_a_column_can_be_read(open_page: Open) -> None:
    """However unlikely a result is, its code stands whole in its cell, on a desk and on a phone."""
    page = open_page("/help")
    page.evaluate(
        """() => {
          const codes = ["AL2 Do1", "AL1 Ao1", "Ao1 Do1", "Ao1 DL1o1", "Ao1 e4 DL1o2", "Ae4 DL1o2", "Ae3 DL2o2DG"];
          const cells = codes.map((code, i) => `<li><span class="roll">${i + 2}</span><span class="code">${code}</span></li>`);
          document.body.insertAdjacentHTML("beforeend",
            `<section class="board-holder"><section class="card"><div class="card-strip"><ol class="many">${cells.join("")}</ol></div></section></section>`);
          document.querySelector(".board-holder:last-child").style.height = "400px";
          document.querySelectorAll(".card-strip li").forEach((cell, i) => { cell.style.flexGrow = [1, 2, 3, 15, 8, 5, 1][i]; });
        }"""
    )
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        found = page.evaluate(
            """() => {
              const card = document.querySelector(".card").getBoundingClientRect();
              return [...document.querySelectorAll(".card-strip li")].map((cell) => {
                const [box, code] = [cell, cell.querySelector(".code")].map((one) => one.getBoundingClientRect());
                const range = document.createRange();
                range.selectNodeContents(cell.querySelector(".code"));
                const text = range.getBoundingClientRect();
                return text.left >= box.left - 1 && text.right <= box.right + 1 && box.right <= card.right + 1 && code.height > 0;
              });
            }"""
        )
        assert found == [True] * 7, width
