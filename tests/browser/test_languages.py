"""The page in a language that does not come with Warledger, and plural forms as the browser has
them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Game, Site
from tests.browser.players import Player, ready, take_turns, track, until, whole
from tests.fixtures.vectors import FOLDER
from warledger.protocol.texts.phrases import Phrases
from warledger.protocol.texts.plurals import CATEGORIES

Open = Callable[..., Any]

CLDR = {
    "en": {"one": "i = 1 and v = 0"},
    "fr": {"one": "i = 0,1", "many": "e = 0 and i != 0 and i % 1000000 = 0 and v = 0 or e != 0..5"},
    "pl": {
        "one": "i = 1 and v = 0",
        "few": "v = 0 and i % 10 = 2..4 and i % 100 != 12..14",
        "many": "v = 0 and i != 1 and i % 10 = 0..1 or v = 0 and i % 10 = 5..9 or "
        "v = 0 and i % 100 = 12..14",
    },
    "ru": {
        "one": "v = 0 and i % 10 = 1 and i % 100 != 11",
        "few": "v = 0 and i % 10 = 2..4 and i % 100 != 12..14",
        "many": "v = 0 and i % 10 = 0 or v = 0 and i % 10 = 5..9 or v = 0 and i % 100 = 11..14",
    },
    "ar": {
        "zero": "n = 0",
        "one": "n = 1",
        "two": "n = 2",
        "few": "n % 100 = 3..10",
        "many": "n % 100 = 11..99",
    },
    "sl": {
        "one": "v = 0 and i % 100 = 1",
        "two": "v = 0 and i % 100 = 2",
        "few": "v = 0 and i % 100 = 3..4 or v != 0",
    },
    "lt": {
        "one": "n % 10 = 1 and n % 100 != 11..19",
        "few": "n % 10 = 2..9 and n % 100 != 11..19",
        "many": "f != 0",
    },
    "ga": {"one": "n = 1", "two": "n = 2", "few": "n = 3..6", "many": "n = 7..10"},
    "ja": {},
}
"""The rules of some languages, as CLDR writes them."""


def test_plural_rules_are_those_of_the_browser(open_page: Open) -> None:
    """Python, the page, and what the browser knows of each language agree on every number to 1,200
    and on some large ones."""
    page = open_page("/help")
    numbers = [*range(1201), 10_000, 1_000_000, 1_000_001, 2_000_002]
    for language, rules in CLDR.items():
        catalogue = {f"plural.{name}": rule for name, rule in rules.items()}
        forms = [*(name for name in CATEGORIES if name in rules), "other"]
        catalogue["x"] = "{n:plural:" + "|".join(forms) + "}"
        theirs, known = page.evaluate(
            """async ([language, catalogue, numbers]) => {
              const { Phrases } = await import('/words/phrases.js');
              const spoken = new Phrases(catalogue, { language });
              const rules = new Intl.PluralRules(language);
              return [numbers.map((n) => spoken.text('x', { n })), numbers.map((n) => rules.select(n))];
            }""",
            [language, catalogue, numbers],
        )
        spoken = Phrases(catalogue, language=language)
        ours = [spoken.text("x", n=n) for n in numbers]
        assert ours == theirs, language
        assert ours == known, language


def test_the_vectors_hold_in_the_browser(open_page: Open) -> None:
    """`vectors/plurals.json`."""
    page = open_page("/help")
    cases = json.loads((FOLDER / "plurals.json").read_text(encoding="ascii"))
    theirs = page.evaluate(
        """async (cases) => {
          const { Phrases } = await import('/words/phrases.js');
          return cases.map(({ catalogue, say }) => new Phrases(catalogue).say(say));
        }""",
        cases,
    )
    assert theirs == [case["text"] for case in cases]


def test_the_page_in_polish(open_page: Open, ended: Game) -> None:
    """The language is on offer by its own name, is taken from the address, and is spoken: with its
    plural forms in the story, and English where it has no text."""
    page = open_page(f"/game/{ended.id}?lang=pl")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    until(page, "() => document.documentElement.lang === 'pl'")
    options = page.locator("select.language option").all_inner_texts()
    assert options == ["English", "简体中文", "繁體中文", "Polski"]
    for told in ("3 okręty podwodne przybywają do Niemiec", "Turn 2 begins"):
        # What is far from the reader is written while the page has nothing better to do.
        until(
            page,
            "(told) => [...document.querySelectorAll('.record .line')].some((one) => one.textContent.includes(told))",
            arg=told,
        )
    assert "Archiwum" in page.locator("header nav").inner_text()
    assert "[web." not in page.locator("body").inner_text()
    page.locator("select.language").select_option("zh-Hant")
    until(page, "() => document.documentElement.lang === 'zh-Hant'")
    page.locator("select.language").select_option("pl")
    until(page, "() => document.documentElement.lang === 'pl'")


def test_a_turn_is_played_in_polish(open_page: Open, site: Site) -> None:
    """From the set-up to the second turn by two pages that speak Polish."""
    game = site.new("war_at_sea")
    players = []
    for seat, token in game.tokens.items():
        page = open_page(f"/game/{game.id}?lang=pl#token={token}&name=Player {seat}")
        players.append(Player(page, f"polish {seat}", mouse=True, eager=0.4))
    for player in players:
        ready(player.page)

    take_turns(players, lambda: track(players[0].page, "turn") == "2")

    assert sum(player.submitted for player in players) > 5
    assert all(player.page.evaluate("document.documentElement.lang") == "pl" for player in players)
