"""Notifications of a browser while the page is closed: asked for in one's account, shown by the service
worker, and given up."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Site
from tests.browser.players import until
from tests.browser.test_access import FAINT, FAULTS
from tests.browser.test_accounts import invited, sign_up

Open = Callable[..., Any]

NO_SERVICE = """
  PushManager.prototype.getSubscription = async function () { return window.pushed ?? null; };
  PushManager.prototype.subscribe = async function ({ applicationServerKey, userVisibleOnly }) {
    if (window.unreachable) throw new DOMException("no push service", "AbortError");
    const { publicKey } = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
    const point = await crypto.subtle.exportKey("raw", publicKey);
    window.asked = [applicationServerKey.length, userVisibleOnly];
    window.pushed = {
      endpoint: "https://push.example.org/PLANTED-4713",
      getKey: (name) => (name === "auth" ? new Uint8Array(16).buffer : point),
      unsubscribe: async () => { window.pushed = null; return true; },
    };
    return window.pushed;
  };
"""
"""In place of the browser's push service, which is on the internet."""


def test_a_browser_is_asked_for_shows_what_it_is_told_and_is_given_up(
    open_page: Open, site: Site
) -> None:
    """What it may not or cannot do is said; what the worker is told is shown with where it leads, also
    where it cannot be read, since a browser that is woken must show something."""
    page = open_page(
        invited(site), service_workers="allow", before=lambda page: page.add_init_script(NO_SERVICE)
    )
    sign_up(page, "Push.Paula")
    until(page, "navigator.serviceWorker.controller !== null")
    context = page.context
    context.grant_permissions([], origin=site.url)
    page.evaluate("Notification.requestPermission = async () => 'denied'")
    page.locator("[data-act=push-on]").click()
    until(page, "document.querySelector('.said').textContent.includes('does not allow it')")
    page.evaluate("Notification.requestPermission = async () => 'granted'")
    page.evaluate("window.unreachable = true")
    page.locator("[data-act=push-on]").click()
    until(page, "document.querySelector('.said').textContent.includes('cannot reach its push')")
    page.evaluate("window.unreachable = false")
    page.locator("[data-act=push-on]").click()
    page.locator("[data-act=push-off]").wait_for()
    assert page.evaluate("window.asked") == [65, True]
    assert page.evaluate(FAULTS) == []
    assert page.evaluate(FAINT) == []

    context.grant_permissions(["notifications"], origin=site.url)
    worker = context.new_cdp_session(page)
    found: dict[str, str] = {}
    worker.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: [found.update(id=one["registrationId"]) for one in told["registrations"]],
    )
    worker.send("ServiceWorker.enable")
    while "id" not in found:
        page.evaluate("0")
    told = {
        "title": "Your decision",
        "text": "war_at_sea: it waits.",
        "path": "/game/x",
        "tag": "k",
    }
    for data in (json.dumps(told), json.dumps(told), "no JSON"):
        worker.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": site.url, "registrationId": found["id"], "data": data},
        )
    shown = (
        "(async () => (await (await navigator.serviceWorker.getRegistration()).getNotifications())"
        ".map(({ title, body, tag, data }) => [title, body, tag, data]).sort())()"
    )
    until(page, f"{shown}.then((all) => all.length === 2)")
    assert page.evaluate(shown) == [
        ["Warledger", "", "", "/"],
        ["Your decision", "war_at_sea: it waits.", "k", "/game/x"],
    ]

    page.locator("[data-act=push-off]").click()
    page.locator("[data-act=push-on]").wait_for()
    assert page.evaluate("window.pushed") is None
