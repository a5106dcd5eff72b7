"""Games in which seats sign, played in the page: what is kept and sent again, who is let in, and
what a hostile server is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from nacl.signing import SigningKey

from tests.audit.attacked import whole
from tests.audit.tamper import forged
from tests.browser.conftest import (
    ARGUMENTS,
    PLAIN_NAME,
    WAIT_MS,
    Game,
    Site,
    browser_path,
    frames_of,
    records_of,
)
from tests.browser.players import Player, ready, take_turns, track, until, wait
from tests.older import older
from warledger.clients.audit.examine import examine
from warledger.clients.link.receipts import read_receipts
from warledger.protocol import canon
from warledger.protocol.log import chain, records
from warledger.protocol.wire.messages import VERSION

Open = Callable[..., Any]
CHECKED = "(text) => document.querySelector('.checked')?.textContent.includes(text) ?? false"


def seated(open_page: Open, site: Site, **settings: Any) -> tuple[Game, Any, Any]:
    """A game with a page in each seat, the first one asked."""
    game = site.new("war_at_sea")
    first, second = (
        open_page(f"/game/{game.id}#token={token}&name=Ann {seat}", **settings)
        for seat, token in game.tokens.items()
    )
    ready(first)
    ready(second)
    first.locator("[data-act='pick:done']").wait_for()
    return game, first, second


def submit_done(page: Any) -> None:
    """Answer the first question."""
    page.locator("[data-act='pick:done']").click()
    page.locator("[data-act=submit]:not([disabled])").click()


def resign(page: Any) -> None:
    if not page.locator("[data-act=resign]").is_visible():
        page.locator("[data-act=more]").click()
    page.locator("[data-act=resign]").click()
    page.locator("dialog button[value=yes]").click()


def about(page: Any) -> None:
    page.locator("#tab-about").click()


class Between:
    """Whoever stands between page and server: `to_server` and `to_page` may change a message, or
    swallow it by giving None."""

    def __init__(self) -> None:
        self.sent: list[tuple[Any, ...]] = []
        self.to_server: Callable[[Any], Any] = lambda message: message
        self.to_page: Callable[[Any], Any] = lambda message: message

    def __call__(self, page: Any) -> None:
        page.route_web_socket(re.compile("/ws"), self._route)

    def _route(self, socket: Any) -> None:
        server = socket.connect_to_server()

        def up(data: bytes) -> None:
            message = canon.unpack_trusted(data)
            if message[0] == "act":
                self.sent.append(message)
            changed = self.to_server(message)
            if changed is not None:
                server.send(canon.pack(changed))

        def down(data: bytes) -> None:
            changed = self.to_page(canon.unpack_trusted(data))
            if changed is not None:
                socket.send(canon.pack(changed))

        socket.on_message(up)
        server.on_message(down)


# --- honest games ---------------------------------------------------------------------------------


def test_a_game_between_page_and_bot_is_signed_from_end_to_end(open_page: Open, site: Site) -> None:
    """A turn is played, the page resigns; every record verifies, both seats have signed the whole
    game, and both show one table code."""
    game = site.new("war_at_sea")
    token, bots = game.tokens["allied"], site.bot(game, "axis")
    page = open_page(f"/game/{game.id}#token={token}&name=Ann")
    ready(page)
    player = Player(page, "signed", mouse=False, eager=0.1)
    take_turns([player], lambda: track(page, "turn") == "2")
    resign(page)
    until(page, "document.querySelector('.turn-line').textContent.includes('resigned')")
    bots.wait(300)

    about(page)
    until(
        page,
        "document.querySelector('.signers')?.textContent.split('signed the whole game').length === 3",
    )
    watcher = open_page(f"/game/{game.id}")
    about(watcher)
    until(
        watcher,
        "document.querySelector('.signers')?.textContent.split('signed the whole game').length === 3",
    )
    assert (
        watcher.locator(".table-code code").inner_text()
        == page.locator(".table-code code").inner_text()
    )
    with urlopen(f"{site.url}/archive/{game.id}.wlog") as answer:
        data = answer.read()
    assert examine(data).findings == []
    assert sorted(canon.unpack(payload)[0] for kind, payload in frames_of(data) if kind == 6) == [
        "allied",
        "axis",
    ]
    assert "checked" in watcher.locator(".checked").inner_text()


def test_an_unanswered_act_is_sent_again_byte_for_byte_after_a_reload(
    open_page: Open, site: Site
) -> None:
    """A command is swallowed on its way and the page is loaded again: the very same act goes out,
    and stands in the log once."""
    between = Between()
    _, page, other = seated(open_page, site, before=between)
    between.to_server = lambda message: (
        None if message[0] == "act" and message[4] == "command" else message
    )
    submit_done(page)
    until(page, "document.querySelector('.play-pane .slot')?.textContent.includes('Submitted')")
    wait(page, lambda: between.sent[-1][4] == "command", lambda: "the command being sent")
    swallowed = between.sent[-1]

    between.to_server = lambda message: message
    page.reload()
    ready(page)
    until(
        other,
        "!document.querySelector('.turn-line').textContent.includes('Allies') || document.querySelector('.scrub').max > 5",
    )
    until(page, "Number(document.querySelector('.scrub').max) > 5")

    commands = [message for message in between.sent if message[4] == "command"]
    assert len(commands) >= 2
    assert {canon.pack(message[2:]) for message in commands} == {canon.pack(swallowed[2:])}
    until(page, "document.querySelector('.unanswered') === null")
    assert page.locator(".banner").is_hidden()


def test_another_device_is_let_in_by_a_link_that_serves_once(open_page: Open, site: Site) -> None:
    """The link's key signs the other browser's own key in and is revoked; both play; opened again
    the link lets nobody in."""
    _, page, _ = seated(open_page, site)
    about(page)
    page.locator(".keys summary").click()
    page.locator("[data-act=device]").click()
    page.locator("#device-link").wait_for()
    link = page.locator("#device-link").input_value().removeprefix(site.url)

    device = open_page(link)
    ready(device)
    device.locator("[data-act='pick:done']").wait_for()
    until(page, "document.querySelectorAll('.keys li').length === 2")
    assert "device=" not in device.url
    submit_done(device)
    until(
        page,
        "!document.querySelector('.play-pane .prompt').textContent.includes('England and Malta')",
    )
    until(page, CHECKED, arg="checked up to record")

    late = open_page(link)
    until(
        late,
        "document.querySelector('.seating .said')?.textContent.includes('has already been used')",
    )
    assert late.locator("[data-act^='pick:']").count() == 0
    assert page.locator(".banner").is_hidden()


def test_a_seat_held_elsewhere_is_not_played_without_its_key(open_page: Open, site: Site) -> None:
    """The token alone shows the seat's view; the page says where the key is and how to be let in,
    and signs nothing."""
    between = Between()
    game, _, _ = seated(open_page, site)
    page = open_page(f"/game/{game.id}#token={game.tokens['allied']}", before=between)
    about(page)
    page.locator(".hindrance").wait_for()

    assert "not in this browser" in page.locator(".hindrance").inner_text()
    assert page.locator("[data-act^='pick:']").count() == 0
    assert between.sent == []


def test_a_page_without_the_seats_key_says_so(open_page: Open, site: Site) -> None:
    """Whoever opens a seat that has been taken in another browser reads that it is played there,
    not that the game waits for somebody: before the game begins and after."""
    away = "document.querySelector('.play-pane .prompt')?.textContent.includes('key is not in this browser')"
    game = site.new("war_at_sea")
    seats = list(game.tokens.items())
    first = open_page(f"/game/{game.id}#token={seats[0][1]}&name=Ann")
    until(
        first, "document.querySelector('.play-pane .prompt')?.textContent.includes('every seat is')"
    )
    early = open_page(f"/game/{game.id}#token={seats[0][1]}")
    until(early, away)
    second = open_page(f"/game/{game.id}#token={seats[1][1]}&name=Bea")
    ready(first)
    ready(second)
    until(early, CHECKED, arg="checked up to record")
    until(early, away)
    late = open_page(f"/game/{game.id}#token={seats[1][1]}")
    until(late, away)
    assert not first.evaluate(away)
    assert not second.evaluate(away)


def test_who_has_signed_is_asked_again_by_whoever_looks(open_page: Open, ended: Game) -> None:
    """A seat that signed the whole game after the page had asked is told as soon as the tab is
    opened."""
    between = Between()
    answers: list[Any] = []

    def nobody_yet(message: Any) -> Any:
        if message[0] != "witnesses_are":
            return message
        answers.append(message)
        return (*message[:3], ()) if len(answers) == 1 else message

    between.to_page = nobody_yet
    page = open_page(f"/game/{ended.id}", before=between)
    until(page, CHECKED, arg="evidence checked")
    while not answers:
        page.wait_for_timeout(25)
    about(page)
    until(
        page,
        "document.querySelector('.signers')?.textContent.split('signed the whole game').length === 3",
    )


def test_the_receipts_that_a_page_keeps_are_saved_as_a_file(
    open_page: Open, site: Site, tmp_path: Path
) -> None:
    """The file is one that the terminal reads: every head is of this game and signed by the
    server's key."""
    game, page, _ = seated(open_page, site)
    submit_done(page)
    until(page, "Number(document.querySelector('.scrub').max) > 5")
    resign(page)
    until(page, "document.querySelector('.turn-line').textContent.includes('resigned')")
    page.reload()
    ready(page)
    about(page)
    page.locator("[data-act=save-heads]").wait_for()
    with page.expect_download() as given:
        page.locator("[data-act=save-heads]").click()
    name = given.value.suggested_filename
    given.value.save_as(tmp_path / name)

    with urlopen(f"{site.url}/archive/{game.id}.wlog") as answer:
        log = [records.read(data) for data in records_of(answer.read())]
    key = records.Genesis.from_record(log[0]).server_key
    assert name == f"{game.id}.{log[0].hash.hex()[:16]}.allied.heads"
    heads = read_receipts(tmp_path)
    assert heads and all(chain.head_is_signed_by(key, head) for head in heads)
    assert {(head.game, head.hash) for head in heads} <= {(game.id, one.hash) for one in log}


def test_standing_answers_are_signed_and_told(open_page: Open, site: Site) -> None:
    """Orders go out as an act with their digest; the story says that they changed, and which
    command the server gave by them."""
    between = Between()
    _, page, other = seated(open_page, site, before=between)
    page.locator("[data-act='pick:done']").click()
    page.locator("details.always summary").click()
    page.locator("[data-act='always:game']").click()
    page.locator(".standing li").wait_for()

    assert [message[4] for message in between.sent if message[5]][-1] == "orders"
    until(
        other,
        "document.querySelector('.story').textContent.includes('changes its standing answers')",
    )
    until(other, CHECKED, arg="checked up to record")


def test_somebody_whose_ceremonies_lapsed_is_told_before_sitting(
    open_page: Open, site: Site
) -> None:
    """A game that lapsed after this browser's nonce was shown is counted; the seat is taken only
    when the player still wants to."""
    game = site.new("war_at_sea")
    between = Between()
    page = open_page("/help", before=between)
    page.evaluate(
        """async () => { const { put } = await import('/link/keeping.js');
          await put(['papers', { genesis: '00', seat: 'axis', game: 'gone', server: location.host, secret: null, open: new Uint8Array(),
            nonce: new Uint8Array(32), name: 'x', shown: true, began: false, ended: false, witnessed: false, guest: null }]); }"""
    )
    page.goto(f"{site.url}/game/{game.id}#token={game.tokens['allied']}")
    about(page)
    page.locator("[data-act=all-the-same]").wait_for()
    assert "1 game on this server lapsed" in page.locator(".hindrance").inner_text()
    assert between.sent == []
    page.locator("[data-act=all-the-same]").click()
    until(page, "document.querySelector('.hindrance') === null")
    until(page, "Number(document.querySelector('.scrub')?.max) === 1")
    assert [message[4] for message in between.sent] == ["taken"]


def test_the_lobby_and_the_game_say_which_seat_signs_nothing(
    open_page: Open, site: Site, plain_browser: Any
) -> None:
    """On plain http the page plays only where the host allows it: unsigned, and said so in lobby
    and game."""
    signed, unsigned = site.new("war_at_sea"), site.new("war_at_sea", unsigned_seats=True)
    url = site.url.replace("127.0.0.1", PLAIN_NAME)
    watcher = plain_browser.new_page()
    watcher.goto(f"{url}/game/{signed.id}#token={signed.tokens['allied']}")
    about(watcher)
    watcher.locator(".hindrance").wait_for()
    assert "--tls-self-signed" in watcher.locator(".hindrance").inner_text()

    page = plain_browser.new_page()
    page.goto(f"{url}/game/{unsigned.id}#token={unsigned.tokens['allied']}&name=Plain")
    keyed = open_page(f"/game/{unsigned.id}#token={unsigned.tokens['axis']}&name=Keyed")
    ready(keyed)
    page.locator("[data-act='pick:done']").wait_for()
    submit_done(page)
    until(keyed, "Number(document.querySelector('.scrub').max) > 5")
    until(keyed, CHECKED, arg="signs nothing: Allies")
    assert "signatures not checked" in page.locator(".checked").inner_text()
    page.reload()
    until(page, CHECKED, arg="signs nothing")
    assert page.locator(".banner").is_hidden()
    lobby = open_page("/")
    row = lobby.locator(".game-row", has_text=unsigned.id)
    row.wait_for()
    assert "signs nothing: Allies" in row.inner_text()

    elsewhere = open_page(f"/game/{unsigned.id}#token={unsigned.tokens['allied']}")
    ready(elsewhere)
    elsewhere.locator("[data-act=more]").wait_for()
    resign(elsewhere)
    until(page, "document.querySelector('.turn-line').textContent.includes('resigned')")
    about(page)
    until(
        page,
        "document.querySelector('.seating .hindrance')?.textContent.includes('was not sent from this browser')",
    )


@pytest.fixture(scope="module")
def plain_browser(chromium: Any) -> Iterator[Any]:
    """A browser for which this machine has a name: plain http there is no secure context."""
    browser = chromium.browser_type.launch(
        executable_path=browser_path(),
        args=[*ARGUMENTS, f"--host-resolver-rules=MAP {PLAIN_NAME} 127.0.0.1"],
    )
    context = browser.new_context(
        viewport={"width": 1280, "height": 860}, reduced_motion="reduce", locale="en-GB"
    )
    context.set_default_timeout(WAIT_MS)
    yield context
    browser.close()


# --- hostile servers ------------------------------------------------------------------------------


def other_record(message: Any, kind: str, change: Callable[[list[Any]], None]) -> Any:
    """A `records` message in which the newest record of a kind is another one."""
    if message[0] != "records":
        return message
    tag, game, audience, first, items = message
    changed = []
    for data, openings in items:
        record = records.read(data)
        if record.kind == kind:
            body = list(record.body)
            change(body)
            data = records.make(
                record.seq, record.at_ms, record.actor, record.kind, tuple(body), record.previous
            ).data
        changed.append((data, openings))
    return tag, game, audience, first, tuple(changed)


def picks_otherwise(body: list[Any]) -> None:
    body[records.PICKS] = (("deploy", "nelson", "malta"), body[records.PICKS][1])


def picks_and_digest_otherwise(body: list[Any]) -> None:
    picks_otherwise(body)
    body[records.DIGEST] = bytes(32)


@pytest.mark.parametrize(
    "change", [picks_otherwise, picks_and_digest_otherwise], ids=["picks", "digest"]
)
def test_a_server_that_writes_other_picks_is_found_out(
    open_page: Open, site: Site, change: Any
) -> None:
    """The record of the page's own command holds other picks than it sent: it says so in red and
    signs nothing more. The head that came with the answer says so too, if it is compared first."""
    between = Between()
    _, page, _ = seated(open_page, site, before=between)

    def mangle(message: Any) -> Any:
        return other_record(
            message,
            "command",
            lambda body: change(body) if body[records.COMMAND_SEAT] == "allied" else None,
        )

    between.to_page = mangle
    submit_done(page)
    page.wait_for_selector(".banner.tampered")

    said = page.locator(".banner.tampered").inner_text()
    assert "signed different picks" in said or "had signed a different record" in said
    sent = len(between.sent)
    page.wait_for_timeout(300)
    assert len(between.sent) == sent
    assert page.locator("[data-act^='pick:']").count() == 0


@pytest.mark.parametrize("later", [False, True])
def test_a_question_that_the_log_does_not_ask_is_not_answered(
    open_page: Open, site: Site, later: bool
) -> None:
    """The server shows another question than the newest record asks, at once or only behind the
    first pick: the page says so in red and signs nothing."""
    between = Between()
    shown = "prompt.war_at_sea.other"

    def other(message: Any) -> Any:
        if message[0] == "choices_are":
            return (*message[:4], (shown, *message[4][1:]), *message[5:])
        return message

    if not later:
        between.to_page = other
    game = site.new("war_at_sea")
    page = open_page(f"/game/{game.id}#token={game.tokens['allied']}&name=Ann", before=between)
    second = open_page(f"/game/{game.id}#token={game.tokens['axis']}&name=Bea")
    ready(second)
    if later:
        page.locator("[data-act='pick:done']").wait_for()
        between.to_page = other
        page.locator("[data-act='pick:done']").click()
    page.wait_for_selector(".banner.tampered")

    assert shown in page.locator(".banner.tampered").inner_text()
    page.wait_for_timeout(300)
    assert [message[4] for message in between.sent] == ["taken", "nonce"]
    assert page.locator("[data-act^='pick:']").count() == 0


def test_a_seat_taken_with_another_number_is_found_out(open_page: Open, site: Site) -> None:
    """The server writes another commitment into the page's own `taken`: the page shows its number
    to nobody."""
    between = Between()

    def mangle(message: Any) -> Any:
        def change(body: list[Any]) -> None:
            if body[:2] == ["taken", "allied"]:
                body[3] = bytes(32)

        return other_record(message, "seat", change)

    between.to_page = mangle
    game = site.new("war_at_sea")
    page = open_page(f"/game/{game.id}#token={game.tokens['allied']}", before=between)
    page.wait_for_selector(".banner.tampered")
    open_page(f"/game/{game.id}#token={game.tokens['axis']}")
    page.wait_for_timeout(500)

    assert [message[4] for message in between.sent] == ["taken"]


def test_a_false_receipt_is_no_receipt(open_page: Open, site: Site) -> None:
    """The head beside an acceptance is signed by somebody else: the page says so, and signs nothing
    more on it."""
    between = Between()
    _, page, _ = seated(open_page, site, before=between)

    def mangle(message: Any) -> Any:
        if message[0] != "accepted":
            return message
        tag, request, id, seq, head, again = message
        forged = chain.sign_head(SigningKey(bytes(32)), id, head[1], head[2]).as_array()
        return tag, request, id, seq, forged, again

    between.to_page = mangle
    submit_done(page)
    page.locator(".refusal", has_text="receipt is not valid").wait_for()


def test_a_refusal_without_a_signature_frees_nobody(open_page: Open, site: Site) -> None:
    """The server refuses a command and its signature is false: the act stays, is sent again as it
    is, and nothing else is signed."""
    between = Between()
    _, page, _ = seated(open_page, site, before=between)

    def lie(message: Any) -> Any:
        if message[0] != "accepted":
            return message
        act = bytes(32)
        return "declined", message[1], ("", "refusal.not_asked", ()), act, 5, bytes(32), bytes(64)

    # What the server wrote meanwhile is kept from the page, or it would see its act stand.
    held: list[Any] = []
    between.to_page = lambda message: (
        held.append(message) if message[0] == "records" else lie(message)
    )
    submit_done(page)
    page.locator(".refusal", has_text="without a valid signature").wait_for()
    page.locator(".unanswered").wait_for()
    first = between.sent[-1]
    tries = len(between.sent)
    page.locator("[data-act=send-again]").click()
    wait(page, lambda: len(between.sent) > tries, lambda: "the act being sent again")
    until(
        page,
        "document.querySelector('.refusal')?.textContent.includes('without a valid signature')",
    )

    assert canon.pack(between.sent[-1][2:]) == canon.pack(first[2:])
    assert (
        len({canon.pack(message[2:]) for message in between.sent if message[4] == "command"}) == 1
    )


def test_a_rewritten_log_is_found_by_the_receipt_from_before(open_page: Open, site: Site) -> None:
    """After a reload the log has another record where the server had signed one: told in red,
    across restarts."""
    _, page, _ = seated(open_page, site)
    page.evaluate(
        """async () => { const { all, put } = await import('/link/keeping.js');
          const head = (await all('heads')).find(({ seq }) => seq > 0);
          await put(['heads', { ...head, hash: '00'.repeat(32), bytes: new Uint8Array(32) }]); }"""
    )
    page.reload()
    page.wait_for_selector(".banner.tampered")
    assert "had signed a different record" in page.locator(".banner.tampered").inner_text()


def test_a_changed_server_key_is_told(open_page: Open, site: Site) -> None:
    """The address shows another key than when this browser was here first: told on every page until
    the player has asked."""
    page = open_page("/")
    until(page, "document.querySelector('.key-news') !== null")
    page.wait_for_timeout(300)
    assert page.locator(".key-news").is_hidden()
    page.evaluate(
        "async () => { const { pin } = await import('/link/keeping.js'); await pin(new Uint8Array(32)); }"
    )
    page.reload()
    page.locator("[data-act=pin]").wait_for()
    assert "Ask the operator" in page.locator(".key-news").inner_text()
    page.locator("[data-act=pin]").click()
    until(page, "document.querySelector('.key-news').hidden")
    page.reload()
    page.wait_for_timeout(500)
    assert page.locator(".key-news").is_hidden()


# --- a server made of nothing but its answers -----------------------------------------------------


def answering(log: list[bytes], game: str, seat: str = "") -> Callable[[Any], None]:
    """A server that shows a log of its own making, and lets anybody hold a seat."""

    def between(page: Any) -> None:
        def route(socket: Any) -> None:
            def hear(data: bytes) -> None:
                tag, request, *fields = canon.unpack_trusted(data)
                answers: dict[str, tuple[Any, ...]] = {
                    "hello": ("welcome", request, VERSION, "false", bytes(32), {}, ()),
                    "login": ("logged_in", request, "x", (("seat", game, seat),) if seat else ()),
                    "subscribe": (
                        "subscribed",
                        request,
                        game,
                        fields[2] if len(fields) > 2 else "",
                        len(log) - 1,
                    ),
                }
                if tag in answers:
                    socket.send(canon.pack(answers[tag]))
                else:
                    socket.send(
                        canon.pack(
                            (
                                "error",
                                request,
                                "fault",
                                ("error.fault", (("game", game),), ""),
                                False,
                            )
                        )
                    )
                if tag == "subscribe":
                    socket.send(
                        canon.pack(
                            ("records", game, fields[2], 0, tuple((record, b"") for record in log))
                        )
                    )

            socket.on_message(hear)

        page.route_web_socket(re.compile("/ws"), route)

    return between


def test_a_forged_die_is_told(open_page: Open) -> None:
    """One die of a whole log is another, and the log is made and signed anew: the page throws it
    again when its seed opens, and says which."""
    played = whole()
    game, sound = played.ledger.game, records_of(played.file())
    at, draw = next(
        (record.seq, record.body[records.DRAWS][0])
        for record in played.records
        if record.kind == records.COMMAND and any(one[0] for one in record.body[records.DRAWS])
    )
    sides, index = draw[3]
    wrong = forged(played, at, (records.DRAWS, 0, 3, 1), (index + 1) % sides)

    page = open_page(f"/game/{game}", before=answering(sound, game))
    until(page, CHECKED, arg="all evidence checked")
    page = open_page(f"/game/{game}", before=answering(records_of(wrong), game))
    page.wait_for_selector(".banner.tampered")

    assert (
        f"Record {at} is not valid (draws[0]): the draw for"
        in page.locator(".banner.tampered").inner_text()
    )


def test_a_game_of_another_format_is_not_read(open_page: Open) -> None:
    """The page says so in one sentence, shows nothing, and accuses nobody."""
    played = whole()
    log = records_of(older(played.file()))
    page = open_page(f"/game/{played.ledger.game}", before=answering(log, played.ledger.game))
    page.wait_for_selector(".banner:not([hidden])")

    banner = page.locator(".banner")
    assert banner.inner_text() == "Not read by this page: the game has format 2."
    assert "tampered" not in banner.get_attribute("class")
