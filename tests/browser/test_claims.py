"""A claim on the page: made by a player, heard, frozen and ruled on by an arbiter in a form that shows
what it would write, and seen by both seats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Site
from tests.browser.players import sailing, until, verified
from tests.browser.test_access import FAINT, FAULTS
from tests.browser.test_phone import PHONE
from warledger.clients.clockface import duration
from warledger.protocol.wire import messages

Open = Callable[..., Any]
SCORE = "window.warledgerView.watch.history.now.tracks.get('score')"
STORY = "document.querySelector('.story').textContent.includes('{}')"


def test_a_claim_from_the_page_to_the_ruling_is_seen_by_both_seats(
    open_page: Open, site: Site
) -> None:
    """The player claims, the arbiter hears it, freezes the game and takes it back, and it goes on:
    all of it from pages, in the story of both seats, with everything verified."""
    page, other = sailing(open_page, site)
    game = page.url.rpartition("/")[2]
    page.locator("#tab-about").click()
    page.locator("[data-act=claims]").click()
    until(page, "Number(document.querySelector('#claim-record').value) > 5")
    last = int(page.locator("#claim-record").input_value())
    page.locator("#claim-record").fill(str(last - 1))
    page.locator("#claim-clause").fill("9.2")
    page.locator("#claim-text").fill("The port was closed.")
    assert page.evaluate(FAULTS) == []
    assert page.evaluate(FAINT) == []
    page.locator("[data-act=claim]").click()
    page.locator(".claim", has_text="nobody is hearing it yet").wait_for()
    for field in ("clause", "text"):
        until(page, f"document.querySelector('#claim-{field}').value === ''")
    page.locator("#tab-story").click()
    until(other, STORY.format("The port was closed."))
    other.locator("#tab-about").click()
    other.locator("blockquote", has_text="The port was closed.").wait_for()
    other.locator("#say-1").fill("It was open.")
    other.locator("[data-act='say:1']").click()
    until(other, "document.querySelector('#say-1').value === ''")
    until(page, STORY.format("It was open."))
    other.locator("#tab-story").click()

    arbiter = open_page(f"/game/{game}")
    arbiter.locator("#tab-about").click()
    arbiter.locator("#seat-token").fill(site.token)
    arbiter.locator("#seat-name").fill("Ann")
    arbiter.locator(".seat-form button").click()
    arbiter.locator("[data-act=arbiter]").click()
    arbiter.locator("[data-act='hear:1']").click()
    arbiter.locator("[data-act='freeze:1']").click()
    arbiter.locator("[data-act='thaw:1']").wait_for()
    for one in (page, other):
        until(one, STORY.format("The game is frozen for claim 1"))
        one.locator(".play-pane .request", has_text="nothing can be sent").wait_for()
        assert one.locator(".scoreboard .decides").count() == 0
    what_was_offered(arbiter, last)
    lobby = arbiter.context.new_page()
    lobby.goto(f"{site.url}/")
    in_the_lobby(lobby, site.token, game)
    lobby.close()
    assert arbiter.evaluate(FAULTS) == []
    assert arbiter.evaluate(FAINT) == []

    arbiter.locator("#say-1").fill("Was the port open?")
    arbiter.locator("[data-act='say:1']").click()
    for one in (page, other):
        until(one, STORY.format("Ann on claim 1: Was the port open?"))
    records = "window.warledgerView.watch.last"
    before = arbiter.evaluate(records)
    prepared(arbiter)
    assert arbiter.evaluate(records) == before, "what is shown is not written"
    would = arbiter.locator(".ruling-preview li").all_inner_texts()
    arbiter.locator("[data-act='rule:1']").click()
    arbiter.locator(".claim", has_text="Ann has ruled").wait_for()
    for line in would:
        until(
            page, "(line) => document.querySelector('.story').textContent.includes(line)", arg=line
        )
    for one in (page, other, arbiter):
        until(one, f"{SCORE} === 3")
    for one in (page, other):
        until(one, STORY.format("It was closed."))
        until(one, STORY.format("The game goes on after claim 1"))
    page.locator("[data-act='pick:sail']").wait_for()
    for one in (page, other, arbiter):
        until(one, "document.querySelector('.chain').textContent.length > 0")
        assert verified(one)[0] > 0
    page.locator("#tab-about").click()
    page.locator("#appeal-1").wait_for()
    page.locator(".claim", has_text="Ann has ruled").wait_for()


def prepared(arbiter: Any) -> None:
    """The arbiter's form says what would be refused, how the game stands by its score, what may be
    corrected, and all that would be written."""
    would = arbiter.locator(".ruling-preview")
    arbiter.locator("#finding-1").select_option("rejected")
    assert not arbiter.locator("#back-1").is_visible(), "a rejected claim changes no board"
    arbiter.locator("#finding-1").select_option("upheld")
    assert arbiter.locator("[id^=time-1]").count() == 0, "there are no clocks"
    arbiter.locator("#ruling-clause-1").fill("9.2")
    arbiter.locator("#ruling-text-1").fill("It was closed.")
    arbiter.locator("#back-1").select_option("other")
    arbiter.locator("#back-record-1").fill("99999")
    would.locator(".refusal", has_text="99999").wait_for()
    to = arbiter.locator("#back-1 option").nth(1).get_attribute("value")
    arbiter.locator("#back-1").select_option(to)
    arbiter.locator(f"text=once more as it was after record {to}").wait_for()
    arbiter.locator("[data-act='ruling-look:1']").click()
    until(arbiter, f"window.warledgerView.shown === {to}")
    arbiter.locator("[data-act=live]").click()
    arbiter.locator(".ruling-stands", has_text="Allies 0 and Axis 0").wait_for()
    assert "nobody" in arbiter.locator(".ruling-stands").inner_text()
    arbiter.locator("#ending-1").select_option("adjudicate")
    would.locator("li", has_text="Adjudicated by the score").wait_for()
    arbiter.locator("#ending-1").select_option("")
    arbiter.locator("[data-act='correct:1']").click()
    arbiter.locator("[data-pick=score]").click()
    arbiter.locator("#cup-pick").fill("3")
    arbiter.locator("[data-act=next]").click()
    assert arbiter.evaluate(FAULTS) == []
    arbiter.locator(".cup-offering [data-act=do]").click()
    would.locator("li", has_text="corrects the board").wait_for()
    until(arbiter, "!document.querySelector('.ruling-stands').textContent.includes('Axis 0')")
    arbiter.locator("[data-act='uncorrect:0']").click()
    would.locator("li", has_text="corrects the board").wait_for(state="detached")
    arbiter.locator("[data-act='correct:1']").click()
    arbiter.locator("[data-pick=score]").click()
    arbiter.locator("#cup-pick").fill("3")
    arbiter.locator("[data-act=next]").click()
    arbiter.locator(".cup-offering [data-act=do]").click()
    axis = arbiter.locator(".ruling-seat", has_text="Axis")
    axis.get_by_label("is warned").check()
    axis.get_by_label("Penalty").fill("one point")
    would.locator("li", has_text="one point").wait_for()
    assert arbiter.evaluate(FAULTS) == []
    assert arbiter.evaluate(FAINT) == []


def test_an_arbiter_on_a_phone_rules_with_keys_alone(open_page: Open, site: Site) -> None:
    """In a game with clocks, in Chinese: heard, time given and taken, the preview read out, and the
    ruling submitted with Enter; nothing is wider than the screen, and both seats' clocks have it."""
    page, other = sailing(open_page, site, clock="slow")
    game = page.url.rpartition("/")[2]
    for word, value in (("record", "5"), ("clause", "2"), ("text", "Nobody was there.")):
        if word == "record":
            page.locator("#tab-about").click()
            page.locator("[data-act=claims]").click()
            until(page, "Number(document.querySelector('#claim-record').value) > 5")
        page.locator(f"#claim-{word}").fill(value)
    page.locator("[data-act=claim]").click()
    page.locator(".claim").wait_for()

    arbiter = open_page(f"/game/{game}", **PHONE, locale="zh-CN")
    arbiter.locator("[data-act=sheet]").tap()
    arbiter.locator("#tab-about").tap()
    arbiter.locator("#seat-token").fill(site.token)
    arbiter.locator("#seat-name").fill("Ann")
    arbiter.locator(".seat-form button").tap()
    arbiter.locator("[data-act=arbiter]").tap()
    arbiter.locator("#act-hear-1").wait_for()

    def press(selector: str, *keys: str) -> None:
        arbiter.locator(selector).focus()
        assert arbiter.evaluate("document.activeElement !== document.body"), selector
        for key in keys:
            arbiter.keyboard.press(key)

    press("#act-hear-1", "Enter")
    until(arbiter, "document.querySelector('#ruling-clause-1') !== null")
    press("#finding-1", "ArrowDown")
    assert arbiter.locator("#finding-1").input_value() == "rejected"
    arbiter.keyboard.press("Tab")
    arbiter.keyboard.type("2.1")
    arbiter.keyboard.press("Tab")
    arbiter.keyboard.type("没有人在那里。")
    arbiter.keyboard.press("Tab")
    arbiter.keyboard.type("soon")
    until(arbiter, "document.querySelector('.ruling-preview').textContent.includes('soon')")
    assert arbiter.locator(".ruling-preview").get_attribute("aria-live") == "polite"
    press("#time-1-0", "Control+a")
    arbiter.keyboard.type("10m")
    press("#time-1-1", "Control+a")
    arbiter.keyboard.type("-90s")
    until(arbiter, "document.querySelectorAll('.ruling-preview li').length === 5")
    wide = "document.querySelector('.ruling').scrollWidth > document.querySelector('.ruling').clientWidth || document.documentElement.scrollWidth > innerWidth"
    assert not arbiter.evaluate(wide)
    assert arbiter.evaluate(FAULTS) == []
    assert arbiter.evaluate(FAINT) == []
    page.locator("#tab-story").click()
    press("#ruling-clause-1", "Enter")
    for one in (page, other):
        until(one, STORY.format("Ann rules on claim 1"))
        until(one, STORY.format("10:00"))
        until(one, STORY.format("1:30"))
    assert verified(page)[0] > 0


def what_was_offered(arbiter: Any, last: int) -> None:
    """The arbiter sees, pick by pick, what the Allies could choose after a record, why what they
    type was refused, and that the Axis was not asked."""
    arbiter.locator("[data-act=offers-then]").click()
    until(arbiter, "document.querySelector('#then-record').value !== ''")
    assert int(arbiter.locator("#then-record").input_value()) == last - 2
    arbiter.locator("#then-record").fill(str(last))
    arbiter.locator("#then-seat").select_option("allied")
    arbiter.locator("[data-act=then]").click()
    arbiter.locator("[data-then=sail]").click()
    arbiter.locator("[data-then=hood]").click()
    until(arbiter, "document.querySelector('#then-picks').value === 'sail hood'")
    arbiter.locator(".offers-then", has_text="Hood").wait_for()
    assert arbiter.evaluate(FAULTS) == []
    arbiter.locator("[data-act=then-back]").click()
    arbiter.locator("[data-then=hood]").wait_for()
    arbiter.locator("#then-picks").fill("sail bismarck")
    arbiter.locator("[data-act=then]").click()
    arbiter.locator(".offers-then .refusal").wait_for()
    arbiter.locator("#then-picks").fill("")
    arbiter.locator("#then-seat").select_option("axis")
    arbiter.locator("[data-act=then]").click()
    arbiter.locator(".offers-then .refusal", has_text="not your turn").wait_for()


def in_the_lobby(lobby: Any, token: str, game: str) -> None:
    """The arbiter's queue names the frozen game, and nobody as asked in it."""
    until(lobby, "window.warledgerLink.open")
    lobby.evaluate("(token) => window.warledgerLink.login(token, 'Ann')", token)
    row = lobby.locator(".desk-queue .game-row", has_text=game)
    row.filter(has_text="frozen for claim 1").wait_for()
    assert lobby.evaluate(FAULTS) == []
    assert lobby.evaluate(FAINT) == []
    listed = lobby.locator(".game-card", has_text=game)
    listed.wait_for()
    assert listed.locator(".awaited").count() == 0


def test_times_are_read_as_on_the_command_line(open_page: Open) -> None:
    """What is given and what is taken, with either minus sign; nothing typed is no time."""
    page = open_page("/help")
    read = "async (text) => { const {timeOf} = await import('/desk/rulingform.js'); const ms = timeOf(text); return Number.isNaN(ms) ? null : ms; }"
    for text in ("10m", "1h30m", "90s", "2d"):
        for sign, times in (("", 1), ("+", 1), ("-", -1), ("\u2212", -1)):
            assert page.evaluate(read, f" {sign}{text} ") == times * duration(text)
    assert page.evaluate(read, "") == 0
    for wrong in ("soon", "10", "m", "--5m"):
        assert page.evaluate(read, wrong) is None


def test_the_queue_of_the_page_is_that_of_the_command_line(open_page: Open) -> None:
    """Frozen games, claims, ends that are held, flags that fall within an hour and games in
    which nothing has happened for two weeks: the same matters in the same order."""
    from warledger.clients.commands.play import desk

    hour, now = 3_600_000, 1_800_000_000_000
    row = {"title": "war_at_sea", "stage": "playing", "awaits": ("axis",), "at_ms": now - 9}
    rows = [
        {**row, "game": "late", "deadline_ms": now + hour // 2},
        {**row, "game": "later", "deadline_ms": now + 2 * hour},
        {**row, "game": "soon", "deadline_ms": now + hour, "claims": [(1, "axis", 9, "")]},
        {**row, "game": "still", "deadline_ms": None, "at_ms": now - 15 * 24 * hour},
        {**row, "game": "ice", "deadline_ms": None, "at_ms": 5, "frozen": [2]},
        {**row, "game": "held", "deadline_ms": None, "held_ms": now + 7},
        {**row, "game": "over", "stage": "ended", "deadline_ms": now},
        {"game": "torn", "title": "", "stage": "quarantined", "reason": []},
    ]
    page = open_page("/help")
    got = page.evaluate(
        "async ([rows, now]) => { const {matters} = await import('/desk/deskqueue.js'); "
        "return matters(rows, now).map(({kind, game, n, who, ms}) => [kind, game, n, who, ms]); }",
        [rows, now],
    )
    found = desk.matters(rows, now, hour, 14 * 24 * hour)
    assert got == [[one.kind, one.game, one.claim, one.who, one.ms] for one in found]
    kinds = ["frozen", "claim", "held", *["deadline"] * 2, "quiet", "broken"]
    assert [kind for kind, *_ in got] == kinds


def test_the_queue_asks_for_games_as_the_protocol_has_it(open_page: Open) -> None:
    """A game that the server has closed is in the queue, and each request for games is one that a
    server takes."""
    page = open_page("/help")
    asked, shown = page.evaluate(
        """async () => {
          const { DeskQueue } = await import('/desk/deskqueue.js');
          const rows = [{ game: 'on', title: '', stage: 'playing', frozen: [1], awaits: [], claims: [] },
                        { game: 'torn', title: '', stage: 'quarantined', reason: [] }];
          const asked = [];
          const link = {
            open: true, roles: [['host', '', '']], hosts: () => true, arbitrates: () => true,
            request: async (tag, ...fields) => {
              asked.push([tag, ...fields]);
              return [rows.filter(({ stage }) => !fields[0] || stage === fields[0]), false];
            },
          };
          const queue = new DeskQueue(link);
          await queue.refresh();
          return [asked, [...queue.element.querySelectorAll('.game-row code')].map((one) => one.textContent)];
        }"""
    )
    assert shown == ["on", "torn"]
    for tag, stage, after, most in asked:
        assert tag == "games" and messages.Games(1, stage, after, most)


@pytest.mark.long
def test_an_end_is_held_until_both_seats_lodge_no_protest(open_page: Open, site: Site) -> None:
    """Two captains play a whole game; then nobody is asked and nothing is opened, and everybody's page
    says until when a protest may be lodged; once both have said that they lodge none the game is
    over."""
    game = site.new("war_at_sea", protest="48h")
    bots = [site.bot(game, seat) for seat in game.tokens]
    page = open_page(f"/game/{game.id}")
    page.locator("#tab-about").click()
    until(page, "document.querySelector('.claims .request') !== null", timeout_s=300)
    for bot in bots:
        bot.terminate()
        bot.wait()
    assert page.locator("[data-act=waive]").count() == 0, "a spectator lodges nothing"
    assert page.evaluate("window.warledgerView.watch.ended") is None
    assert page.evaluate(FAULTS) == []
    assert page.evaluate(FAINT) == []
    lobby = open_page("/")
    until(lobby, "window.warledgerLink.open")
    lobby.evaluate("(token) => window.warledgerLink.login(token, 'Ann')", site.token)
    row = lobby.locator(".desk-queue .game-row", has_text=game.id)
    row.filter(has_text="held").wait_for()
    for seat, token in game.tokens.items():
        site.run("claim", game.id, "--seat", seat, "--waive", "--token", token)
    page.locator(".claims .request").wait_for(state="detached")
    until(page, "Boolean(window.warledgerView.watch.ended)")
    until(
        page, "/[1-9][0-9]{2,} records verified/.test(document.querySelector('.chain').textContent)"
    )
    row.wait_for(state="detached")
