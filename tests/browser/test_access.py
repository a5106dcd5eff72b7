"""Everything has a name and a role, is reached by keys, can be read, and fits a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Game, Site
from tests.browser.players import ready, until

Open = Callable[..., Any]

FAULTS = r"""() => {
  const faults = [];
  const visible = (one) => one.checkVisibility() && getComputedStyle(one).visibility !== 'hidden';
  const nameOf = (one) => {
    const by = (one.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean).map((id) => document.getElementById(id)?.textContent || '').join(' ');
    const label = one.id ? document.querySelector(`label[for="${CSS.escape(one.id)}"]`)?.textContent : '';
    return (by || one.getAttribute('aria-label') || label || one.closest('label')?.textContent || one.getAttribute('alt') || one.textContent || one.title || '').trim();
  };
  const tell = (what, one) => faults.push(`${what}: ${one.outerHTML.slice(0, 140)}`);
  for (const one of document.querySelectorAll('a, button, input, select, summary, dialog, [role=tab], [role=tabpanel], section, aside, nav')) {
    if (visible(one) && !nameOf(one)) tell('no name', one);
  }
  for (const one of document.querySelectorAll('section, aside, nav')) if (visible(one) && one.matches('section, aside') && !one.closest('.page, .about, .places') && !(one.getAttribute('aria-label') || one.getAttribute('aria-labelledby'))) tell('landmark without a label', one);
  for (const one of document.querySelectorAll('img')) if (!one.hasAttribute('alt')) tell('no alt', one);
  for (const one of document.querySelectorAll('svg')) if (!one.closest('[aria-hidden=true]')) tell('picture neither hidden nor named', one);
  for (const one of document.querySelectorAll('[tabindex]')) if (one.tabIndex > 0) tell('tab order forced', one);
  for (const one of document.querySelectorAll('[aria-controls], [aria-labelledby], [aria-describedby]')) {
    for (const name of ['aria-controls', 'aria-labelledby', 'aria-describedby']) {
      for (const id of (one.getAttribute(name) || '').split(/\s+/).filter(Boolean)) if (!document.getElementById(id)) tell(`${name} names nothing`, one);
    }
  }
  const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) faults.push(`the id ${id} stands twice`);
  for (const one of document.querySelectorAll('[role=tab]')) if (!one.closest('[role=tablist]')) tell('tab without a list', one);
  for (const one of document.querySelectorAll('li')) if (!one.closest('ul, ol')) tell('item without a list', one);
  if (document.querySelectorAll('h1').length !== 1) faults.push('not one h1');
  if (document.querySelectorAll('main').length !== 1) faults.push('not one main');
  if (document.querySelectorAll('header').length < 1 || !document.querySelector('nav')) faults.push('no header or no navigation');
  if (!document.documentElement.lang) faults.push('no language');
  if (!document.title) faults.push('no title');
  let level = 0;
  for (const one of document.querySelectorAll('h1, h2, h3, h4')) {
    if (!visible(one)) continue;
    const now = Number(one.tagName[1]);
    if (now > level + 1 && level && !one.closest('.places')) tell('a heading is skipped', one);
    level = now;
  }
  return faults;
}"""

FAINT = r"""() => {
  const parse = (text) => { const [r, g, b, a = 1] = (text.match(/[\d.]+/g) || []).map(Number); return text.startsWith('color(') ? { r: r * 255, g: g * 255, b: b * 255, a } : { r, g, b, a }; };
  const light = ({ r, g, b }) => { const [x, y, z] = [r, g, b].map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * x + .7152 * y + .0722 * z; };
  const faint = [];
  for (const one of document.querySelectorAll('body *')) {
    if (one.closest('svg, [disabled], .sr-only') || !one.checkVisibility()) continue;
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
    const style = getComputedStyle(one);
    let behind = one;
    while (behind && parse(getComputedStyle(behind).backgroundColor).a < .9) behind = behind.parentElement;
    const back = behind ? parse(getComputedStyle(behind).backgroundColor) : { r: 255, g: 255, b: 255 };
    const [a, b] = [light(parse(style.color)), light(back)].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.push(`${ratio.toFixed(2)} ${one.className || one.tagName}: ${one.textContent.trim().slice(0, 40)}`);
  }
  return [...new Set(faint)];
}"""


def pages(ended: Game) -> dict[str, str]:
    return {"lobby": "/", "archive": "/archive", "help": "/help", "game": f"/game/{ended.id}?at=60"}


@pytest.mark.parametrize("name", ["lobby", "archive", "help", "game"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_roles_and_contrast(open_page: Open, site: Site, ended: Game, name: str, scheme: str) -> None:
    """No control, landmark or picture without a name, no text too faint, in light and dark."""
    page = open_page(pages(ended)[name], color_scheme=scheme)
    page.wait_for_selector("h1")
    if name == "game":
        page.wait_for_selector(".counter", state="attached")
        for tab in ("story", "pieces", "about"):
            page.locator(f"#tab-{tab}").click()
            assert page.evaluate(FAULTS) == []
            assert page.evaluate(FAINT) == []
    else:
        until(page, "!document.querySelector('.lists') || document.querySelector('.lists').textContent !== ''")
        assert page.evaluate(FAULTS) == []
        assert page.evaluate(FAINT) == []


def test_playing_has_names_and_keeps_the_focus(open_page: Open, site: Site) -> None:
    """After each pick the focus is on something that can be used, never lost to the page."""
    game = site.new("war_at_sea")
    pages = [open_page(f"/game/{game.id}#token={token}") for token in game.tokens.values()]
    for page in pages:
        ready(page)
    page = pages[0]
    page.locator("[data-act='pick:deploy']").focus()
    for _ in range(3):
        page.keyboard.press("Enter")
        page.wait_for_timeout(250)
        focused = page.evaluate("[document.activeElement.tagName, !!document.activeElement.closest('.play-pane')]")
        assert focused[0] in ("BUTTON", "INPUT", "SUMMARY") and focused[1]
        assert page.evaluate(FAULTS) == []


@pytest.mark.parametrize("name", ["lobby", "archive", "help", "game"])
def test_a_phone_shows_it_without_scrolling_sideways(open_page: Open, ended: Game, name: str) -> None:
    """At 390 pixels nothing sticks out, and what is to be touched is large enough."""
    page = open_page(pages(ended)[name], viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.wait_for_selector("h1")
    if name == "game":
        page.wait_for_selector(".counter", state="attached")

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    small = page.evaluate(
        "[...document.querySelectorAll('header button, header select, .controls button, .board-tools button')].filter((one) => one.checkVisibility() && one.offsetHeight < 30).length"
    )
    assert small == 0


def test_the_map_is_read_by_keys(open_page: Open, ended: Game) -> None:
    """The cursor moves by arrows and each place is said with what lies in it; the list of pieces leads to the map."""
    page = open_page(f"/game/{ended.id}?at=60")
    page.wait_for_selector(".counter", state="attached")
    page.locator(".stage").focus()
    said = set()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
        said.add(page.locator(".game > .sr-only").inner_text())
    assert len(said) >= 3 and all(said)
    page.locator("#tab-pieces").click()
    page.locator("#piece-filter").fill("hood")
    assert page.locator(".places li").count() >= 1
    page.locator(".places li button").first.click()
    assert page.locator(".cursor").get_attribute("d")
