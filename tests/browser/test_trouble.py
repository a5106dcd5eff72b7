"""Connections that break, streams that were tampered with, and what the other side's browser must
never receive."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.audit.mini_parts import together
from tests.audit.tamper import put
from tests.browser.conftest import Game, Site
from tests.browser.players import (
    IDLE,
    Player,
    is_asked,
    ready,
    sailing,
    same_log,
    take_turns,
    until,
    verified,
    wait,
)
from tests.browser.test_playing import begin_victory_lost
from tests.browser.test_signing import Between
from warledger.protocol import canon
from warledger.protocol.log import wlog
from warledger.protocol.log.records import hash_of
from warledger.protocol.log.twoparts import cut

Open = Callable[..., Any]


def test_cut_off_and_back(open_page: Open, site: Site) -> None:
    """While one player is cut off the other goes on; once back, the page has every record, and the
    decision is still there."""
    game = site.new("war_at_sea")
    token, other_token = game.tokens.values()
    page = open_page(f"/game/{game.id}#token={token}")
    other = open_page(f"/game/{game.id}#token={other_token}")
    ready(page)
    ready(other)
    page.locator("[data-act='pick:done']").wait_for()  # both have shown their numbers for the dice
    other.context.set_offline(True)
    until(other, "document.querySelector('.connection').textContent !== ''")
    page.locator("[data-act='pick:done']").click()
    page.locator("[data-act=submit]:not([disabled])").click()
    until(
        page,
        "!document.querySelector('.play-pane .prompt').textContent.includes('England and Malta')",
    )

    other.context.set_offline(False)
    same_log(page, other)

    assert verified(other) == verified(page)
    until(other, "document.querySelector('.connection').textContent === ''")
    wait(page, lambda: is_asked(page) or is_asked(other), lambda: "somebody being asked")


def test_a_submission_cut_off_is_carried_out_once(open_page: Open, site: Site) -> None:
    """The socket breaks as a command leaves; the page comes back, sends it again, and it stands in
    the log once."""
    game = site.new("war_at_sea")
    tokens = list(game.tokens.values())
    page = open_page(f"/game/{game.id}#token={tokens[0]}")
    other = open_page(f"/game/{game.id}#token={tokens[1]}")
    ready(page)
    ready(other)
    page.locator("[data-act='pick:done']").click()
    page.locator("[data-act=submit]:not([disabled])").wait_for()
    page.evaluate(
        "document.querySelector('[data-act=submit]').click(); warledgerLink.socket.close()"
    )
    until(
        page,
        "!document.querySelector('.play-pane .prompt').textContent.includes('England and Malta')",
    )
    same_log(page, other)

    phases = other.evaluate(
        "[...document.querySelectorAll('.record .line.turn')].map((one) => one.textContent)"
    )
    assert len(phases) == len(set(phases))
    assert verified(page) == verified(other)


def test_a_tampered_stream_is_flagged(open_page: Open, ended: Game) -> None:
    """One byte changed on the way: the page says so, names the record, and shows nothing after it.
    A finished game whose file does not come is sent over the connection."""

    def between(page: Any) -> None:
        def route(socket: Any) -> None:
            server = socket.connect_to_server()

            def pass_on(message: str | bytes) -> None:
                if isinstance(message, bytes) and b"\xa7records" in message[:9]:
                    tag, game, audience, first, items = canon.unpack_trusted(message)
                    if first <= 100 < first + len(items):
                        public, openings = items[100 - first]
                        at = len(public) // 2
                        changed = public[:at] + bytes([public[at] ^ 1]) + public[at + 1 :]
                        items = (*items[: 100 - first], (changed, openings), *items[101 - first :])
                        message = canon.pack((tag, game, audience, first, items))
                socket.send(message)

            server.on_message(pass_on)

        page.route_web_socket(re.compile("/ws"), route)
        page.route("**/archive/*.parts", lambda asked: asked.abort())

    page = open_page(f"/game/{ended.id}", before=between)
    page.wait_for_selector(".banner.tampered")

    assert "tampered" in page.locator(".banner").inner_text()
    assert re.search(r"record 10[01]\b", page.locator(".banner").inner_text())
    assert page.locator(".chain.broken").count() == 1
    assert int(page.locator(".scrub").get_attribute("max")) <= 100


AT = 150
"""A command of the game that is tampered with."""


def tampered(file: bytes, path: tuple[int, ...], new: Any, *, chained: bool) -> bytes:
    """The file with something else in the body of a command; `chained`: every later hash is written
    anew."""
    frames, previous = [], b""
    for frame in wlog.parse(file).frames:
        payload = frame.payload
        if frame.kind == wlog.FRAME_RECORD:
            record = canon.unpack(payload)
            if record[0] == AT:
                assert record[3] == "command"
                record = put(record, (4, *path), new)
            elif record[0] > AT and chained:
                record = put(record, (5,), previous)
            payload = canon.pack(record)
            previous = hash_of(payload)
        frames.append(wlog.Frame(frame.kind, payload))
    return wlog.encode(frames, sealed=True)


@pytest.mark.parametrize("where", ["part one", "part two", "signature"])
def test_what_cannot_be_verified_is_not_shown(open_page: Open, ended: Game, where: str) -> None:
    """What a finished game is shown from is not what its hashes say, or one bit of what proves it is
    changed, or a signature is another in parts that fit each other: the board and all that was told
    of the game are gone, and the page says why and what to do."""

    def forged(asked: Any) -> None:
        body = asked.fetch().body()
        if where == "part one":
            effects = canon.pack((("say", "war_at_sea.begun", (), ""),))
            body = cut(tampered(together(body, ended.id), (7,), effects, chained=False))
        elif where == "part two":
            body = body[:-500] + bytes((body[-500] ^ 1,)) + body[-499:]
        else:
            body = cut(tampered(together(body, ended.id), (4, 3), bytes(64), chained=True))
        asked.fulfill(body=body, headers={"Content-Type": "application/octet-stream"})

    page = open_page(
        f"/game/{ended.id}", before=lambda page: page.route("**/archive/*.parts", forged)
    )
    page.wait_for_selector(".banner.tampered")
    until(page, "window.warledgerView.watch.records.length === 0")
    for gone in (".board-holder", ".turn-line", ".scoreboard", ".side", ".scrub", ".counter"):
        assert page.locator(gone).first.is_hidden(), gone
    banner = page.locator(".banner").inner_text()
    assert "tell the arbiter" in banner
    assert (
        f"Record {AT} is not valid" if where == "signature" else "Load the page again"
    ) in banner
    assert page.locator(".chain.broken").inner_text() == "not verified"


def test_neither_browser_receives_the_others_secrets(open_page: Open, site: Site) -> None:
    """Chits are chosen in secret: their names come to the chooser's browser and not to the other's
    until they are drawn."""
    game = site.new("victory_lost")
    received: dict[str, list[bytes]] = {seat: [] for seat in game.tokens}

    def listening(seat: str) -> Callable[[Any], None]:
        def listen(page: Any) -> None:
            def opened(socket: Any) -> None:
                socket.on(
                    "framereceived",
                    lambda payload: received[seat].append(
                        payload if isinstance(payload, bytes) else payload.encode()
                    ),
                )

            page.on("websocket", opened)

        return listen

    players = {}
    for seat, token in game.tokens.items():
        page = open_page(f"/game/{game.id}#token={token}", before=listening(seat))
        players[seat] = Player(page, f"secret {seat}", mouse=False, eager=1.0)
    for player in players.values():
        ready(player.page)
    begin_victory_lost(list(players.values()))
    soviet, axis = players["soviet"], players["axis"]

    def choosing() -> bool:
        return is_asked(soviet.page) and bool(
            soviet.page.locator("[data-act^='pick:chit.su']").count()
            or soviet.page.locator(".sealed").count()
        )

    take_turns([axis, soviet] if not choosing() else [axis], choosing)
    for frames in received.values():
        frames.clear()
    chosen: list[str] = []
    for _ in range(40):
        names = soviet.page.evaluate(
            "[...document.querySelectorAll('.play-pane button[data-act^=pick]')].map((one) => one.dataset.act.slice(5))"
        )
        chits = [name for name in names if name.startswith("chit.su") and name not in chosen]
        if not chits:
            break
        soviet.page.locator(f"[data-act='pick:{chits[0]}']").click()
        chosen.append(chits[0])
        until(
            soviet.page,
            "(n) => window.warledgerView.play.picks.length >= n",
            arg=len(chosen),
        )
        until(soviet.page, IDLE)
    assert len(chosen) >= 2
    count, _ = verified(soviet.page)
    soviet.page.locator("[data-act=submit]:not([disabled])").click()
    until(
        soviet.page,
        "(n) => !document.querySelector('.chain').textContent.includes(n + ' records')",
        arg=str(count),
    )
    until(
        axis.page,
        "(n) => !document.querySelector('.chain').textContent.includes(n + ' records')",
        arg=str(count),
    )

    theirs = b"".join(received["axis"])
    known = [chit for chit in chosen if chit.encode() in theirs]
    assert all(chit.encode() in b"".join(received["soviet"]) for chit in chosen)
    assert len(known) <= 1, (
        f"the other side's browser received {known}; the one that is drawn may be known"
    )


def test_a_busy_server_is_asked_again(open_page: Open, site: Site) -> None:
    """A game that cannot be followed just now, and choices that cannot be told just now, are asked
    for again by themselves; meanwhile the page says why it waits."""
    game = site.new("war_at_sea")
    token, other_token = game.tokens.values()
    busy = {"subscribed", "choices_are"}

    def turn_away(message: Any) -> Any:
        if message[0] not in busy:
            return message
        busy.remove(message[0])
        slow = ("error.slow_down", (("seconds", 0),), "")
        return "error", message[1], "slow_down", slow, False

    between = Between()
    between.to_page = turn_away
    between.to_server = lambda message: None if message[0] == "unsubscribe" else message
    page = open_page(f"/game/{game.id}#token={token}", before=between)
    ready(open_page(f"/game/{game.id}#token={other_token}"))

    page.locator(".refusal", has_text="Too many requests").wait_for()
    page.locator("[data-act='pick:done']").wait_for()
    assert busy == set()
    assert page.locator(".refusal").count() == 0
    assert page.locator(".banner").is_hidden()


def test_a_seat_is_kept_when_the_line_breaks_twice(open_page: Open, site: Site) -> None:
    """Cut off once more while it shows its token again, the page still holds its seat."""
    game = site.new("war_at_sea")
    token, other_token = game.tokens.values()
    cuts: list[str] = []

    def between(page: Any) -> None:
        def route(socket: Any) -> None:
            server = socket.connect_to_server()

            def up(data: bytes) -> None:
                message = canon.unpack_trusted(data)
                if message[0] == "login" and message[2] and cuts:
                    cuts.pop()
                    socket.close()
                else:
                    server.send(data)

            socket.on_message(up)

        page.route_web_socket(re.compile("/ws"), route)

    page = open_page(f"/game/{game.id}#token={token}", before=between)
    other = open_page(f"/game/{game.id}#token={other_token}")
    page.locator("[data-act='pick:done']").wait_for()
    cuts.append("once")
    page.evaluate("warledgerLink.socket.close()")
    wait(page, lambda: not cuts, lambda: "the page to show its token again")

    count, _ = verified(page)
    page.locator("[data-act='pick:done']").click()
    page.locator("[data-act=submit]:not([disabled])").click()
    wait(page, lambda: verified(page)[0] > count, lambda: "the command to stand")
    same_log(page, other)


def test_what_only_players_need_can_be_loaded_again(open_page: Open, site: Site) -> None:
    """A spectator's page asks for nothing that only players need. Where that cannot be loaded when
    somebody sits down, the page says so, and they sit down when they try again."""
    game = site.new("war_at_sea")
    cut = True
    asked: list[str] = []

    def answered(route: Any) -> None:
        asked.append(route.request.url)
        if cut:
            route.abort()
        else:
            route.continue_()

    def between(page: Any) -> None:
        page.route("**/play/seated.js*", answered)

    page = open_page(f"/game/{game.id}", before=between)
    page.wait_for_selector(".board")
    page.locator("#tab-about").click()
    token = next(iter(game.tokens.values()))
    page.locator("#seat-token").fill(token)
    assert not asked
    page.locator(".seat-form button").click()
    page.locator(".side", has_text="This part of the page could not be loaded").wait_for()
    assert asked
    cut = False
    page.locator("#seat-token").fill(token)
    page.locator(".seat-form button").click()
    until(page, "window.warledgerView.seating.seat !== ''")
    until(page, "window.warledgerView.hand?.holds")


def test_claims_that_cannot_be_loaded_are_asked_for_again(open_page: Open, site: Site) -> None:
    """Whoever looks at a game of which a claim was made, and has no line to what shows claims, is
    told so once and loads it with a button."""
    seat, other = sailing(open_page, site)
    game = seat.url.rpartition("/")[2]
    other.close()
    seat.locator("#tab-about").click()
    seat.locator("[data-act=claims]").click()
    seat.locator("#claim-clause").fill("9.2")
    seat.locator("#claim-text").fill("The port was closed.")
    seat.locator("[data-act=claim]").click()
    seat.locator(".claim", has_text="nobody is hearing it yet").wait_for()
    cut = True

    def between(page: Any) -> None:
        page.route("**/play/seated.js*", lambda route: route.abort() if cut else route.continue_())

    page = open_page(f"/game/{game}", before=between)
    page.locator("#tab-about").click()
    page.locator("[data-act=claims-again]").wait_for()
    assert "could not be loaded" in page.locator(".about [role=alert]").inner_text()
    cut = False
    page.locator("[data-act=claims-again]").click()
    page.locator(".claim", has_text="nobody is hearing it yet").wait_for()
    assert page.locator("[data-act=claims-again]").count() == 0
