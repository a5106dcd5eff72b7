"""Tournaments on the page: announced by a host, entered, checked in and bid for by an entrant,
directed by mouse and by keyboard, watched by anybody."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import trio

from tests.browser.conftest import Site
from tests.browser.players import until
from tests.browser.test_access import FAINT, FAULTS
from tests.browser.test_accounts import invited, sign_up
from warledger.clients.commands.tournament.lines import who_of
from warledger.clients.link import connect
from warledger.clients.link.tournament import TournamentLink
from warledger.engine.tournaments import ratings, ratingslog
from warledger.protocol.board.choices import Picks
from warledger.protocol.wire import accountmessages as am

Open = Callable[..., Any]
CHARTER = """
name = "Page Cup"
title = "war_at_sea"
[[stage]]
system = "record"
rounds = 2
tiebreaks = ["direct", "sos_pooled", "lots"]
[sides]
by = "bid"
bid = { most = 9, minutes = 600 }
[absence]
check_in_minutes = 15
"""


_CUPS: dict[str, str] = {}
"""The tournament of each director's token."""


def announced(site: Site, folder: Path, id: str, charter: str) -> str:
    """A tournament, and the file with the token of its director's device."""
    file, kept, director = folder / f"{id}.toml", folder / f"{id}.token", f"Dir.{id}"
    file.write_text(charter)
    made = json.loads(site.here("account", "create", director, "--json"))
    host, port = site.tcp.rsplit(":", 1)

    async def sign_in() -> str:
        async with connect(host, int(port)) as link:
            fields = (am.LINK, "", made["link"], "desk", True)
            signed = await link.request(lambda n: am.SignIn(n, *fields), again=False)
        return str(signed.token)

    token = trio.run(sign_in)
    options = ("--id", id, "--director", director, "--token", site.token)
    assert token not in site.run("tournament", "new", str(file), *options)
    _CUPS[token] = id
    kept.write_text(token)
    return token


def acts(site: Site, token: str, *all: Picks, who: str = "") -> None:
    """Acts of somebody elsewhere; by default of the director."""

    async def run() -> None:
        host, port = site.tcp.rsplit(":", 1)
        async with connect(host, int(port), token=token) as link:
            at = TournamentLink(link, _CUPS.get(token) or token.partition(":")[0])
            told = await at.told()
            acting = who_of(told, who) if who else at.mine[0]
            for picks in all:
                await at.must(acting, *picks)

    trio.run(run)


def test_a_round_of_eight_and_an_entrant_of_it(open_page: Open, site: Site, tmp_path: Path) -> None:
    """An entrant enters, checks in, bids and comes to the game, by keyboard; the director pairs,
    publishes and gives results by mouse, and the second round by keyboard; a spectator sees the
    pairings, the table, and how a place came about. All of it has names for screen readers, in
    three languages."""
    token = announced(site, tmp_path, "pagecup", CHARTER)
    # Where there are accounts, one must be signed in to enter.
    me = open_page(invited(site))
    sign_up(me, "Zoe")
    me.goto(f"{site.url}/tournaments")
    me.locator("a[href='/tournament/pagecup']").press("Enter")
    me.locator("#enter-name").fill("Zoë")
    me.locator("#enter-name").press("Enter")
    me.locator("#cup-check-in").press("Enter")
    until(me, "!document.getElementById('cup-check-in')")
    assert me.evaluate(FAULTS) == [] and me.evaluate(FAINT) == []

    token_file = tmp_path / "pagecup.token"
    field = tmp_path / "field.csv"
    field.write_text("name,rating\n" + "".join(f"P{n},{2000 - n}\n" for n in range(2, 9)))
    site.run("tournament", "enter-all", "pagecup", str(field), "--token", f"@{token_file}")
    acts(site, token, *(("check_in", number) for number in range(2, 9)))

    desk = open_page(f"/tournament/pagecup#token={token}")
    desk.locator("#cup-pair").click()
    until(desk, "document.querySelectorAll('.cup-drafted li').length === 4")
    # Who is here is listed, and whoever is to be picked has a name beside the number.
    desk.locator("#cup-swap").click()
    assert desk.locator(".cup-offering [data-pick='1']").inner_text() == "1 Zoë"
    desk.locator("[data-act=close]").click()
    assert desk.locator(".cup-entrants tbody tr").count() == 8
    assert desk.locator(".cup-entrants tbody tr").first.inner_text().endswith("\tchecked in")
    assert desk.evaluate("location.hash") == ""
    assert me.locator(".cup-round").count() == 0
    assert desk.evaluate(FAULTS) == [] and desk.evaluate(FAINT) == []
    desk.locator("#cup-publish").click()

    until(me, "document.querySelectorAll('.cup-round tbody tr').length === 4")
    me.locator("#cup-bid").press("Enter")
    me.locator("[data-pick=allied]").press("Enter")
    me.locator("#cup-pick").fill("3")
    me.locator("#cup-pick").press("Enter")
    me.locator("[data-act=do]").press("Enter")
    until(me, "document.querySelector('[data-board] td:nth-child(3)')")
    mine = int(me.locator(".cup-place [data-board]").get_attribute("data-board"))
    until(
        me,
        f"document.querySelector('tr[data-board=\"{mine}\"] td:nth-child(3)').textContent[0] === '1'",
    )
    told = json.loads(site.run("tournament", "show", "pagecup", "--json"))
    sitting = told["rounds"][0]["boards"][mine - 1]["entrants"]
    other = next(number for number in sitting if number != 1)
    given = site.run("tournament", "token", "pagecup", f"e:{other}", "--token", f"@{token_file}")
    acts(site, given.split()[-1], ("bid", "axis", 2), who=f"e:{other}")
    me.locator("#cup-play").wait_for()
    game = me.locator(".cup-place a[href^='/game/']").get_attribute("href")
    assert game == f"/game/pagecup-r1-b{mine}"
    me.locator("#cup-play").press("Enter")
    until(
        me,
        "window.warledgerLink.roles.some(([kind, game]) => kind === 'seat' && /-r1-/.test(game))",
    )

    # The code on a result slip opens the seat too, for whoever is signed in there.
    me.goto(f"{site.url}/tournament/pagecup#as=e:1&play=1.{mine}")
    until(me, f"location.pathname === '/game/pagecup-r1-b{mine}' && !location.hash")

    for board in range(1, 5):
        winner = told["rounds"][0]["boards"][board - 1]["entrants"][0]
        desk.locator("#cup-result").click()
        for pick in (board, "win", winner, "played"):
            desk.locator(f".cup-offering [data-pick='{pick}']").click()
        for kind, text in (("number", "4"), ("text", "slip")):
            until(desk, "(kind) => document.getElementById('cup-pick')?.type === kind", arg=kind)
            desk.locator("#cup-pick").fill(text)
            desk.locator("[data-act=next]").click()
        desk.locator("[data-act=do]").click()
        until(desk, "document.querySelector('.cup-offering').hidden")
    until(desk, "document.getElementById('cup-pair')")

    look = open_page("/tournament/pagecup")
    until(look, "document.querySelectorAll('.cup-standings tbody tr:not(.cup-why)').length === 8")
    look.locator("summary:has(+ .cup-story)").press("Enter")
    until(look, "document.querySelector('.cup-story')?.textContent.includes('Zoë enters')")
    look.locator("[data-why]").first.press("Enter")
    until(look, "document.querySelectorAll('.cup-why:not([hidden]) li').length > 2")
    assert look.locator(".cup-cross tbody tr").count() == 8
    assert look.locator("[data-act=pair], [data-act=publish], [data-act=result]").count() == 0
    assert look.evaluate(FAULTS) == [] and look.evaluate(FAINT) == []

    acts(site, token, *(("check_in", number) for number in range(1, 9)))
    until(desk, "[...document.querySelectorAll('#cup-pair')].length === 1")
    desk.locator("#cup-pair").press("Enter")
    desk.locator("#cup-publish").press("Enter")
    until(desk, "document.querySelectorAll('.cup-round').length === 2")
    second = json.loads(site.run("tournament", "show", "pagecup", "--json"))["rounds"][1]["boards"]
    for board in range(1, 5):
        desk.locator("#cup-result").press("Enter")
        for pick in (board, "draw", "played"):
            desk.locator(f".cup-offering [data-pick='{pick}']").press("Enter")
        until(desk, "document.getElementById('cup-pick')")
        desk.locator("#cup-pick").fill("agreed")
        desk.locator("#cup-pick").press("Enter")
        desk.locator("[data-act=do]").press("Enter")
        until(desk, "document.querySelector('.cup-offering').hidden")
    assert len(second) == 4
    desk.locator("#cup-finish").press("Enter")
    until(look, "document.querySelector('.lead').textContent.includes('finished')")
    for language in ("zh-Hans", "zh-Hant"):
        look.locator(".language").select_option(language)
        until(look, f"document.documentElement.lang === '{language}'")
        assert look.evaluate(FAULTS) == []
        assert "web." not in look.locator("main").inner_text()


def test_a_knock_out_with_guests_on_a_phone_and_on_a_wall(
    open_page: Open, site: Site, tmp_path: Path
) -> None:
    """Guests come by the links that they were given: one sits down at their board on a phone. A
    spectator at 1080p sees the bracket with who won, and from it the wall of what is played, on one
    screen. Nothing is wider than a phone, and all has names for screen readers."""
    charter = """
name = "Guests"
title = "war_at_sea"
[[stage]]
system = "knockout"
"""
    token = announced(site, tmp_path, "guests", charter + '[sides]\nby = "balance"\n')
    kept = f"@{tmp_path / 'guests.token'}"
    field = tmp_path / "guests.csv"
    field.write_text("name,rating\n" + "".join(f"G{n},{2000 - n}\n" for n in range(1, 9)))
    site.run("tournament", "enter-all", "guests", str(field), "--token", kept)
    acts(site, token, ("pair",), ("publish",))

    large = {"width": 1920, "height": 1080}
    look = open_page("/tournament/guests", viewport=large)
    until(look, "document.querySelectorAll('.cup-bracket > li').length >= 1")
    until(look, "document.querySelectorAll('.cup-round tbody tr').length === 4")
    look.locator("[data-act=wall]").wait_for()
    assert look.locator("[data-act=wall]").get_attribute("href") == "/wall/guests"

    given = site.run("tournament", "token", "guests", "e:1", "--token", kept).split()[-1]
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    guest = open_page(f"/tournament/guests#token={given}&as=e:1", **phone)
    until(guest, "document.querySelectorAll('.cup-bracket > li').length >= 1")
    assert guest.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert guest.evaluate(FAULTS) == [] and guest.evaluate(FAINT) == []
    guest.locator("#cup-play").tap()
    until(guest, "/^.game.guests-r1-b/.test(location.pathname)")
    until(guest, "window.warledgerLink.roles.some(([kind]) => kind === 'seat')")

    told = json.loads(site.run("tournament", "show", "guests", "--json"))
    first = told["rounds"][0]["boards"][0]["entrants"][0]
    acts(site, token, ("result", 1, 1, "win", first, "played", 4, "-"))
    until(look, "document.querySelectorAll('.cup-bracket .won').length === 1")
    assert re.search(r"G\d", look.locator(".cup-bracket .won").inner_text())
    assert look.evaluate(FAULTS) == [] and look.evaluate(FAINT) == []
    look.locator("[data-act=wall]").click()
    until(look, "document.querySelectorAll('.wall-cell .board .land').length >= 3")
    # The entrants are named as in the pairings, whatever who sits there is called in the game's log.
    names = {one["number"]: one["name"] for one in told["entrant_list"]}
    boards = [one["entrants"] for one in told["rounds"][0]["boards"] if one["board"] != 1]
    until(
        look,
        "(names) => [...document.querySelectorAll('.wall-cell')].every((cell, i) =>"
        " [...cell.querySelectorAll('.score-player')].map((one) => one.textContent).join()"
        " === names[i].join())",
        arg=[[names[number] for number in sitting] for sitting in boards],
    )
    look.evaluate(
        """() => {
          const { watch, scoreboard } = window.warledgerView.wall.views[0];
          for (const seat of watch.seats.values()) seat.player = 'captain';
          scoreboard.key = '';
          scoreboard.view.redrawScore();
        }"""
    )
    assert "captain" not in look.locator(".wall").inner_text()
    # Nothing has been told of boards at which nobody sits: no empty strip lies on them.
    assert look.evaluate(
        "[...document.querySelectorAll('.wall-cell .caption')].every("
        "(one) => one.textContent || one.offsetHeight === 0)"
    )
    assert look.evaluate(
        "document.scrollingElement.scrollHeight <= innerHeight &&"
        " [...document.querySelectorAll('.wall-cell')].every((cell) => {"
        "  const box = cell.getBoundingClientRect();"
        "  return box.width > 300 && box.height > 200 && box.bottom <= innerHeight + 1; })"
    )

    # The wall goes on by itself with the boards of the next round.
    for board in told["rounds"][0]["boards"][1:]:
        acts(
            site,
            token,
            ("result", 1, board["board"], "win", board["entrants"][0], "played", 4, "-"),
        )
    acts(site, token, ("pair",), ("publish",))
    until(
        look,
        "[...document.querySelectorAll('.wall-cell')].map((one) => one.dataset.game).join()"
        " === 'guests-r2-b1,guests-r2-b2'",
    )


def test_sides_are_auctioned_by_buttons(open_page: Open, site: Site, tmp_path: Path) -> None:
    """Two who want the same side find each word of the auction as a button, with its deadline
    beside it; a spectator follows it; whoever accepts has the other side and what was offered."""
    charter = """
name = "Auction"
title = "war_at_sea"
[[stage]]
system = "knockout"
[sides]
by = "auction"
bid = { most = 9, minutes = 600 }
"""
    token = announced(site, tmp_path, "auction", charter)
    acts(site, token, ("enter", "Ann", "-", 0), ("enter", "Ben", "-", 0), ("pair",), ("publish",))
    kept = f"@{tmp_path / 'auction.token'}"
    pages = []
    for number in (1, 2):
        who = f"e:{number}"
        given = site.run("tournament", "token", "auction", who, "--token", kept).split()[-1]
        page = open_page(f"/tournament/auction#token={given}&as={who}")
        page.locator("#cup-wish").press("Enter")
        assert page.locator(".cup-place .cup-due").count() == 2
        page.locator("[data-pick=axis]").press("Enter")
        page.locator("[data-act=do]").press("Enter")
        until(page, "!document.getElementById('cup-wish')")
        pages.append(page)
    for page in pages:
        until(page, "document.querySelector('.cup-place .cup-auction')")
    first, second = sorted(pages, key=lambda page: not page.locator("#cup-offer").count())
    assert first.locator("#cup-accept").count() == 0 and second.locator("#cup-offer").count() == 0
    first.locator("#cup-offer").press("Enter")
    first.locator("#cup-pick").fill("3")
    first.locator("#cup-pick").press("Enter")
    first.locator("[data-act=do]").press("Enter")
    until(second, "document.querySelector('.cup-place .cup-auction').textContent.includes('1.5')")
    look = open_page("/tournament/auction")
    until(look, "document.querySelector('.cup-round .cup-auction').textContent.includes('1.5')")
    for page in (second, look):
        assert page.evaluate(FAULTS) == [] and page.evaluate(FAINT) == []
    second.locator("#cup-accept").press("Enter")
    second.locator("#cup-play").wait_for()
    until(look, "document.querySelector('.cup-round tbody tr').textContent.includes('+1.5')")
    assert look.locator(".cup-auction, .cup-due").count() == 0


def test_a_caster_of_a_tournament_looks_at_its_seats(
    open_page: Open, site: Site, tmp_path: Path
) -> None:
    """Whoever a director has made a caster sees a game of the tournament as each of its seats in
    turn, may draw, and comes back to what everybody sees; nothing of it is offered elsewhere."""
    charter = """
name = "Cast"
title = "war_at_sea"
[[stage]]
system = "knockout"
[sides]
by = "balance"
"""
    token = announced(site, tmp_path, "castcup", charter)
    acts(site, token, ("enter", "Ann", "-", 0), ("enter", "Ben", "-", 0), ("pair",), ("publish",))
    page = open_page(invited(site))
    sign_up(page, "Cora")
    acts(site, token, ("grant", "caster", "Cora"))
    page.goto(f"{site.url}/game/{site.new('war_at_sea').id}")
    until(page, "window.warledgerLink.roles.some(([kind]) => kind === 'caster')")
    page.locator("#tab-about").click()
    page.locator("#seat-token").wait_for()
    assert page.locator("[data-act=cast]").count() == 0
    page.goto(f"{site.url}/game/castcup-r1-b1")
    page.locator("#tab-about").click()
    until(page, "document.querySelectorAll('[data-act=cast]').length === 2")
    for seat, sees in (("axis", "Axis"), ("allied", "Allies")):
        page.locator(f"[data-act=cast][data-seat={seat}]").focus()
        page.keyboard.press("Enter")
        page.locator("[data-act=leave-caster]").wait_for()
        assert (
            f"what {sees} sees"
            in page.locator("[data-act=leave-caster]").locator("..").inner_text()
        )
        assert page.locator("[data-act=cast]").count() == 1
        until(page, "document.querySelector('.chain').textContent.includes('verified')")
    assert page.evaluate(FAULTS) == [] and page.evaluate(FAINT) == []
    page.locator("[data-act=leave-caster]").click()
    until(page, "document.querySelectorAll('[data-act=cast]').length === 2")


def test_a_host_announces_a_tournament(open_page: Open, site: Site) -> None:
    """What is wrong with a charter is told where it is, what is right in words. Once it is announced
    for a director without an account, the host gets a link, and who signs up by it is at the
    director's desk."""
    sign_up(open_page(invited(site)), "Somebody")
    page = open_page("/#host")
    page.locator("#host-token").fill(site.token)
    page.locator("#host-token").press("Enter")
    until(page, "window.warledgerLink.isHost")
    book = ratings.Book()
    period, _ = ratings.close(
        book, "c", 24_000, [ratings.Game("g", b"h", ("", "ada"), ("", "ben"), 2)]
    )
    folder = site.data / "ratings"
    folder.mkdir(exist_ok=True)
    rated = ratingslog.append(ratingslog.begin("war_at_sea", "live"), period)
    (folder / "war_at_sea-live.ratings").write_bytes(rated)
    page.locator("nav a[href='/tournaments']").click()
    until(page, "document.querySelectorAll('[data-ratings] tbody tr').length === 2")
    assert page.locator("[data-ratings] tbody tr").first.inner_text().split()[0] == "ada"
    assert page.evaluate(FAULTS) == [] and page.evaluate(FAINT) == []
    page.locator("#cup-charter").fill('name = "X"\ntitle = "no_such"\n')
    page.locator("[data-act=check]").click()
    until(page, "document.querySelector('.said li b').textContent.includes('title')")
    page.locator("#cup-charter").fill(CHARTER.replace("Page Cup", "Made Here"))
    page.locator("[data-act=check]").click()
    until(page, "document.querySelectorAll('.said p').length > 6")
    assert page.evaluate(FAULTS) == [] and page.evaluate(FAINT) == []
    page.locator("#cup-id").fill("madehere")
    page.locator("#cup-director").fill("Dora")
    page.locator("[data-act=announce]").click()
    link = page.locator("#code-link").input_value()
    assert page.evaluate(FAULTS) == [] and page.evaluate(FAINT) == []
    page.goto(f"{site.url}/tournament/madehere")
    until(page, "document.querySelector('h1')?.textContent === 'Made Here'")
    assert page.locator("[data-act=pair]").count() == 0
    dora = open_page(link.removeprefix(site.url))
    sign_up(dora, "Dora")
    dora.goto(f"{site.url}/tournament/madehere")
    dora.locator("#cup-entrant").wait_for()
    assert dora.locator("[data-act=pair]").count() == 1


def test_a_role_for_somebody_nobody_knows_is_a_code(
    open_page: Open, site: Site, tmp_path: Path
) -> None:
    """A director who grants a role to a name that nobody has is offered a link, shown once, with a
    button to copy it. Whoever opens it signed in uses it when they say so, and directs. Opened
    again it is worth nothing, also to who has signed up under the name since."""
    known = open_page(invited(site))
    sign_up(known, "Mira")
    token = announced(site, tmp_path, "coded", CHARTER)
    desk = open_page(f"/tournament/coded#token={token}")
    desk.locator("#cup-all").click()
    for pick in ("grant", "director"):
        desk.locator(f"[data-pick={pick}]").click()
    desk.locator("#cup-pick").fill("Nobody.Yet")
    desk.locator("#cup-pick").press("Enter")
    desk.locator("[data-act=code]").press("Enter")
    link = desk.locator("#code-link").input_value()
    assert "/account#invite=inv" in link
    assert desk.evaluate(FAULTS) == [] and desk.evaluate(FAINT) == []
    desk.locator(".cup-code [data-act=copy]").click()
    known.goto(link)
    known.locator("[data-act=accept]").press("Enter")
    until(known, "document.querySelector('.said').textContent === 'Saved.'")
    assert known.evaluate(FAULTS) == [] and known.evaluate(FAINT) == []
    known.goto(f"{site.url}/tournament/coded")
    known.locator("#cup-pair").wait_for()
    other = open_page(invited(site))
    sign_up(other, "Nobody.Yet")
    other.goto(link)
    other.locator("[data-act=accept]").press("Enter")
    until(other, "document.querySelector('.said').dataset.kind === 'trouble'")
    other.goto(f"{site.url}/tournament/coded")
    other.locator("#enter-name").wait_for()
    assert other.locator("#cup-pair").count() == 0
