"""Accounts on the page: signing up by an invitation, being remembered, one's own games, and who may
open games."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Site
from tests.browser.players import until, wait
from tests.browser.test_access import FAINT, FAULTS
from warledger.engine.desk.handles import CHARS_MIN

Open = Callable[..., Any]
PASSWORD = "correct horse battery"


def invited(site: Site, *roles: str) -> str:
    """The address of an invitation, made on the server's machine."""
    roles_given = [part for role in roles for part in ("--role", role)]
    made = site.here("account", "invite", "--json", *roles_given)
    return f"/account#invite={json.loads(made)['invitation']}"


def sign_up(page: Any, handle: str, password: str = PASSWORD) -> None:
    page.locator("#up-handle").fill(handle)
    page.locator("#up-password").fill(password)
    page.locator("#up-password").press("Enter")
    page.locator("[data-act=sign-out]").wait_for()


def test_an_account_keeps_a_seat_for_another_device(open_page: Open, site: Site) -> None:
    """By keyboard, with names for screen readers: an invitation makes an account, the link to a
    seat adds it, and whoever signs in elsewhere finds the game under theirs. Nothing of what was
    typed is left in the address."""
    page = open_page(invited(site))
    page.locator("#up-handle").wait_for()
    assert page.evaluate("location.hash") == ""
    assert page.evaluate(FAULTS) == []
    assert page.evaluate(FAINT) == []
    sign_up(page, "Käthe")
    assert page.evaluate(FAULTS) == []
    assert page.evaluate(FAINT) == []
    assert "Käthe" in page.locator(".account-link").inner_text()
    game = site.new("war_at_sea")
    page.goto(f"{site.url}/game/{game.id}#token={game.tokens['allied']}")
    until(page, "window.warledgerLink.roles.some(([kind]) => kind === 'seat')")

    other = open_page("/account")
    other.locator("#in-handle").fill("kÄTHE")
    other.locator("#in-password").fill("wrong wrong wrong")
    other.locator("#in-password").press("Enter")
    until(other, "document.querySelector('.said').textContent.includes('wrong')")
    other.locator("#in-password").fill(PASSWORD)
    other.locator("#in-password").press("Enter")
    other.locator("[data-act=sign-out]").wait_for()
    other.goto(f"{site.url}/")
    other.locator(f".my-games a[href='/game/{game.id}']").wait_for()
    assert other.evaluate(FAULTS) == []
    assert other.evaluate(FAINT) == []
    other.locator(f".my-games a[href='/game/{game.id}']").click()
    until(other, "window.warledgerLink.roles.some(([kind]) => kind === 'seat')")
    other.goto(f"{site.url}/account")
    other.locator("[data-act=sign-out]").click()
    other.locator("#in-handle").wait_for()
    assert other.evaluate("localStorage.getItem('warledger.device')") is None
    other.reload()
    other.locator("#in-handle").wait_for()


def test_a_host_by_account_opens_a_game_and_invites(open_page: Open, site: Site) -> None:
    """Without the host's token; they see their own games among those whose seats they give out."""
    page = open_page(invited(site, "host"))
    assert page.locator("#up-handle").get_attribute("minlength") == str(CHARS_MIN)
    sign_up(page, "Hosting.Hanna")
    page.locator("#channel-url").fill("https://127.0.0.1/x")
    page.locator("#channel-form").select_option("ntfy")
    page.locator("[data-act=channel]").click()
    page.locator("[data-act=channel-test]").click()
    until(page, "document.querySelector('.said').textContent.includes('public internet')")
    page.locator("[data-act=channel-off]").click()
    page.locator("[data-act=channel-test]").wait_for(state="detached")
    page.locator("#invite-note").fill("for Bert")
    page.locator("[data-act=invite]").click()
    page.locator("#invite-link").wait_for()
    page.goto(f"{site.url}/#host")
    page.locator("[data-act=create]").click()
    page.locator(".given input").first.wait_for()
    assert page.locator(".host-game").count() == 1
    assert page.locator("[data-act=leave-host]").count() == 0


def test_a_calendar_has_a_secret_address(open_page: Open, site: Site) -> None:
    """Made, shown once, read by whoever has it, and revoked; with names for screen readers."""
    page = open_page(invited(site))
    page.locator("#up-handle").wait_for()
    sign_up(page, "Calla")
    fetched = (
        "async (address) => [(await fetch(address)).status, await (await fetch(address)).text()]"
    )
    page.locator("[data-act=calendar]").click()
    box = page.locator("#calendar-address")
    box.wait_for()
    address = box.input_value()
    assert address.startswith(f"{site.url}/api/calendars/")
    assert page.evaluate(FAULTS) == []
    assert page.evaluate(FAINT) == []
    status, text = page.evaluate(fetched, address)
    assert status == 200 and "Warledger: Calla" in text
    page.reload()
    page.locator("[data-act=calendar-drop]").wait_for()
    assert page.locator("#calendar-address").count() == 0, "it is shown only once"
    page.locator("[data-act=calendar-drop]").click()
    page.locator("[data-act=calendar-drop]").wait_for(state="detached")
    assert page.evaluate("async (address) => (await fetch(address)).status", address) == 404


def test_an_account_is_deleted(open_page: Open, site: Site) -> None:
    """With its password, and this browser forgets it."""
    page = open_page(invited(site))
    sign_up(page, "Gone.soon")
    page.locator(".account-body details summary").click()
    page.locator("#forget-password").fill(PASSWORD)
    page.locator("[data-act=forget]").click()
    page.locator("#in-handle").wait_for()
    page.locator("#in-handle").fill("Gone.soon")
    page.locator("#in-password").fill(PASSWORD)
    page.locator("[data-act=sign-in]").click()
    until(page, "document.querySelector('.said').textContent !== ''")
    assert page.locator("[data-act=sign-out]").count() == 0


def test_whoever_forgot_their_password_gets_in_by_mail_on_another_device(
    open_page: Open, site: Site
) -> None:
    """An address counts once it is confirmed; the link that comes there signs a second device in and
    lets it choose another password without the old one, which then counts no more; the second device
    signs the first one out. Of somebody who is not there nothing is told and nothing sent."""
    address, other_password = "mia@example.org", "another horse entirely"

    def letter(page: Any, what: str, count: int = 1) -> str:
        wait(
            page,
            lambda: len(site.postbox.codes(address, what)) >= count,
            lambda: f"a letter ({what}): {[to for to, _ in site.postbox.letters]}",
        )
        return site.postbox.codes(address, what)[-1]

    page = open_page(invited(site))
    sign_up(page, "Mia.mail")
    page.locator("#mail-address").fill(address)
    page.locator("[data-act=mail]").click()
    until(
        page,
        "document.querySelector('#account-mail').parentElement.textContent.includes('mia@example.org')",
    )
    confirming = letter(page, "mail")
    second = open_page("/account")
    second.locator("summary", has_text="Forgot").click()
    second.locator("#forgot-whom").fill(address)
    second.locator("[data-act=forgot]").click()
    until(second, "document.querySelector('.said').textContent !== ''")
    said = second.locator(".said").inner_text()
    assert site.postbox.codes(address, "link") == [], "the address is not confirmed"
    page.goto("about:blank")
    page.goto(f"{site.url}/account#confirm={confirming}")
    page.locator("#mail-notices").wait_for()
    assert page.evaluate("location.hash") == ""
    assert page.evaluate(FAULTS) == []

    second.locator("#forgot-whom").fill("mia.MAIL")
    second.locator("[data-act=forgot]").click()
    code = letter(second, "link")
    assert second.locator(".said").inner_text() == said
    second.goto("about:blank")
    second.goto(f"{site.url}/account#link={code}")
    second.locator("[data-act=sign-out]").wait_for()
    assert second.evaluate("location.hash") == ""
    assert second.evaluate(FAULTS) == []
    assert second.evaluate(FAINT) == []
    second.locator("#new-password").fill(other_password)
    second.locator("[data-act=password]").click()
    until(second, "document.querySelector('.said').textContent.includes('Saved')")
    # Another password signs the other devices out.
    page.reload()
    page.locator("#in-handle").wait_for()
    page.locator("#in-handle").fill("Mia.mail")
    page.locator("#in-password").fill(PASSWORD)
    page.locator("[data-act=sign-in]").click()
    until(page, "document.querySelector('.said').textContent.includes('wrong')")
    page.locator("#in-password").fill(other_password)
    page.locator("[data-act=sign-in]").click()
    page.locator("[data-act=sign-out]").wait_for()
    assert page.locator("[data-act^='drop:']").count() == 1
