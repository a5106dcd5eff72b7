"""§ opens what the clause says beside the board."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ops.coverage.guide import book_file
from tests.browser.conftest import Game
from tests.browser.players import until, whole

Open = Callable[..., Any]
FOUND = """async ([title, rules]) => {
  const { cited, found } = await import('/games/rules.js');
  const book = await (await fetch(`/rules/${title}.json`)).json();
  return rules.map((rule) => cited(rule).map((one) => found(book, one)).map(({ clauses, rulings }) => [clauses.map(([number]) => number), rulings.map(([number]) => number)]));
}"""

CITED = """() => {
  const split = (text) => text.split(/\\s*[;,]\\s*/);
  const signs = document.querySelectorAll('.story .record.current button[data-rule]');
  return [[...signs].flatMap((one) => split(one.dataset.rule)), split(window.warledgerView.rules.rule)];
}"""


def test_a_sign_opens_what_the_clause_says(open_page: Open, ended: Game) -> None:
    """By mouse and by key, with the rulings that read it, closed by Escape with the focus where it
    was; in any language it says that the book decides; and on a phone it lies on the map."""
    page = open_page(f"/game/{ended.id}")
    whole(page, ended.records)
    until(page, "document.querySelector('.story .rule') !== null")
    page.locator(".story .rule:visible").last.evaluate("(rule) => rule.click()")
    until(page, "!document.querySelector('.rule-text').hidden")
    rule = page.evaluate("window.warledgerView.rules.rule")
    book = json.loads(book_file("war_at_sea").read_text(encoding="utf-8"))
    (says,) = [words for number, words in book["clauses"] if number == rule]
    assert says in page.inner_text(".rule-text")
    board, text = (page.locator(one).bounding_box() for one in (".board-holder", ".rule-text"))
    assert board["x"] <= text["x"] and text["x"] + text["width"] <= board["x"] + board["width"]
    assert board["y"] <= text["y"] and text["y"] + text["height"] <= board["y"] + board["height"]
    page.keyboard.press("Escape")
    until(page, "document.querySelector('.rule-text').hidden")
    assert page.evaluate("document.activeElement.dataset.rule") == rule

    page.select_option(".top .language", "zh-Hans")
    until(page, "document.querySelector('.story .record.current .rule') !== null")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("r")
    until(page, "document.querySelector('.rule-text').textContent.includes('规则书为准')")
    told, opened = page.evaluate(CITED)
    assert told and set(told) == set(opened), "R opens every clause of the record"
    page.set_viewport_size({"width": 390, "height": 800})
    until(page, "document.querySelector('.rule-text').getBoundingClientRect().right <= 390")
    page.click("[data-act=close-rule]")
    until(page, "document.querySelector('.rule-text').hidden")


def test_a_clause_is_found_by_its_number(open_page: Open) -> None:
    """Itself with what is below it, the nearest above it where it is not told, several at a time,
    rulings by their own numbers, and a series' clauses by the series' name."""
    page = open_page("/help")
    (whole_chapter, above, both, ruling, unknown) = page.evaluate(
        FOUND, ["typhoon", ["10.6", "10.6(3)4.7", "VL 8.1; TY 10.7", "R-26", "99.9"]]
    )
    assert all(number.startswith("10.6") for number in whole_chapter[0][0])
    assert {"R-25", "R-26"} <= set(whole_chapter[0][1])
    assert above[0][0] == ["10.6"] and "R-26" in above[0][1]
    assert len(both) == 2 and any(number.startswith("10.7") for number in both[1][0])
    assert ruling == [[[], ["R-26"]]]
    assert unknown == [[[], []]]
    (series, own) = page.evaluate(FOUND, ["hungarian_rhapsody", ["OCS 9.12e", "HR 1.2a"]])
    assert series[0][0] and all(number.startswith("OCS 9.12") for number in series[0][0])
    assert own[0][0] == ["1.2a"]
