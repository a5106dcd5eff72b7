"""Somebody who plays in the browser, by mouse or by keyboard. It knows no rules: it takes what is
on offer."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from typing import Any

PAUSE_MS = 25
PATIENCE_S = 90
"""How long a page may take, on a machine that does other things too. Who waits less has waited for
something that was there."""
MOST = 400
"""Picks after which a turn should long have ended."""

IDLE = "document.querySelector('.play-pane').getAttribute('aria-busy') === 'false'"
"""Whether all that was asked of the server by the panel has been answered."""

QUIET = "document.querySelector('.play-pane').getAttribute('aria-busy') !== 'true'"
"""The same where there may be no panel, since nobody plays there."""

PASSES = re.compile(r"^(done|pass|no|none|stay|hold)", re.IGNORECASE)


def until(page: Any, script: str, *, arg: Any = None, timeout_s: float = PATIENCE_S) -> None:
    """Wait until a script is true; one that fails, since what it looks at is not there yet, is not.
    (The page's policy forbids what the browser driver has for this: it evaluates text in the
    page.)"""
    # Who only lists these tests may not have it.
    from playwright.sync_api import Error

    failure = ""

    def true() -> bool:
        nonlocal failure
        try:
            holds = bool(page.evaluate(script, arg))
            failure = ""
            return holds
        except Error as error:
            failure = f" ({error.message})"
            return False

    wait(
        page,
        true,
        lambda: (
            f"{script} {arg!r}{failure}; shown: "
            + page.locator(".play-pane, .lead, .loading").first.inner_text()[:600]
        ),
        timeout_s=timeout_s,
    )


def wait(
    page: Any, true: Callable[[], Any], what: Callable[[], str], *, timeout_s: float = PATIENCE_S
) -> None:
    """Wait until something holds that is seen from here; `what` says what was waited for."""
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline, "waited in vain for " + what()
        page.wait_for_timeout(PAUSE_MS)


def same_log(*pages: Any) -> None:
    """Wait until all these pages have verified the same records, and each has nothing under way."""
    chains = ["", *pages]

    def same() -> bool:
        nonlocal chains
        chains = [page.locator(".chain").inner_text() for page in pages]
        return len(set(chains)) == 1 and all(page.evaluate(QUIET) for page in pages)

    wait(pages[0], same, lambda: f"the same log in all of {chains}")


def whole(page: Any, records: int) -> None:
    """Wait until the page has verified all records of a game that has ended."""
    until(
        page,
        "(text) => document.querySelector('.chain').textContent.startsWith(text)",
        arg=f"{records} records verified",
    )


def shown(page: Any) -> int:
    """The record that the page shows."""
    return int(page.locator(".scrub").input_value())


def verified(page: Any) -> tuple[int, str]:
    """How many records the page says it has verified, and the head it names."""
    found = re.search(
        r"(\d+) records? verified, head ([0-9a-f]{8})", page.locator(".chain").inner_text()
    )
    assert found is not None, page.locator(".chain").inner_text()
    return int(found[1]), found[2]


def track(page: Any, name: str) -> str:
    """The value of a track, by the name shown."""
    for text in page.locator(".track").all_text_contents():
        if text.startswith(name):
            return str(text[len(name) :].strip())
    return ""


def ready(page: Any) -> None:
    """Wait until the page has drawn the board and the panel of its player."""
    page.wait_for_selector(".board .sheet", state="attached")
    page.wait_for_selector(".play-pane .prompt")


def move_map(page: Any, move: str) -> None:
    """Move the map as a hand does, by a call of its stage such as `pan(0, 90)`. The page still lays the
    map itself while records or the page's head come, which under load is after `ready`, but never a
    map that somebody has moved."""
    page.evaluate(
        f"(() => {{ const {{ stage }} = window.warledgerView.board; stage.onHand(); stage.{move}; }})()"
    )


def is_asked(page: Any) -> bool:
    """Whether it is this player's decision now."""
    return bool(
        page.locator(
            ".play-pane button[data-act^=pick], .play-pane [data-act=take], .play-pane [data-act=submit]"
        ).count()
    )


class Player:
    """Plays from a seed. `mouse` clicks on the board where it can; otherwise only keys are
    pressed. `leaves` is a question that is left to the server."""

    def __init__(
        self, page: Any, seed: str, *, mouse: bool, eager: float = 0.5, leaves: str = ""
    ) -> None:
        self.page = page
        self.leaves = leaves
        self.random = random.Random(seed)
        self.mouse = mouse
        self.eager = eager
        self.on_board = 0
        self.submitted = 0

    def act(self) -> bool:
        """One pick, or the submission of what is whole; whether there was anything to do. The page
        must be asking."""
        page = self.page
        until(page, _USABLE)
        state = page.evaluate(_STATE)
        if self.leaves and state["prompt"] == self.leaves:
            return False
        labels, picked, complete = state["labels"], state["picked"], state["complete"]
        if complete and (not labels or self.random.random() < 0.7):
            self.submitted += 1
            self._press("submit", None)
        elif state["number"]:
            self._press("take", None)
        elif labels:
            self._press("pick", self._wanted(labels, picked))
        else:
            return False  # the question went by as we looked
        self._settled(state["key"])
        return True

    def _wanted(self, labels: list[str], picked: int) -> int:
        if not picked:
            passing = [i for i, label in enumerate(labels) if PASSES.match(label)]
            others = [i for i in range(len(labels)) if i not in passing]
            if passing and (not others or self.random.random() > self.eager):
                return passing[0]
            return self.random.choice(others or passing)
        return self.random.randrange(len(labels))

    def _press(self, what: str, index: int | None) -> None:
        page = self.page
        if self.mouse:
            if what == "pick":
                assert index is not None
                button = page.locator(".play-pane button[data-act^=pick]").nth(index)
                pick = (button.get_attribute("data-act") or "").removeprefix("pick:")
                if self._on_board(pick):
                    self.on_board += 1
                else:
                    button.click()
            else:
                page.locator(f".play-pane [data-act={what}]").click()
            return
        goal = (
            f".play-pane [data-act={what}]"
            if what != "pick"
            else ".play-pane button[data-act^=pick]"
        )
        self._walk_to(goal, index or 0)
        page.keyboard.press("Enter")

    def _on_board(self, pick: str) -> bool:
        """Click the place or counter itself, if it can be seen."""
        page = self.page
        spot = page.evaluate(_SPOT, pick)
        if spot is None:
            return False
        page.mouse.move(spot["x"], spot["y"])
        spot = page.evaluate(_SPOT, pick) or spot
        page.mouse.click(spot["x"], spot["y"])
        return True

    def _walk_to(self, goal: str, index: int) -> None:
        """Tab to an element, as somebody without a mouse does."""
        page = self.page
        for _ in range(200):
            if page.evaluate(
                "([goal, index]) => document.activeElement === document.querySelectorAll(goal)[index]",
                [goal, index],
            ):
                return
            forward = page.evaluate(
                "([goal, index]) => !!(document.activeElement.compareDocumentPosition(document.querySelectorAll(goal)[index]) & 4)",
                [goal, index],
            )
            page.keyboard.press("Tab" if forward else "Shift+Tab")
        raise AssertionError(f"{goal} number {index} cannot be reached by Tab")

    def _settled(self, before: str) -> None:
        until(self.page, "(before) => (" + _KEY + ")() !== before", arg=before)


_USABLE = """!document.querySelector('.play-pane [data-act=submit]')?.disabled
  || document.querySelector('.play-pane button[data-act^=pick], .play-pane [data-act=take]')"""
_PARTS = "'.play-pane .crumbs li, .play-pane .prompt, .play-pane .refusal, .play-pane button[data-act^=pick]'"
_KEY = (
    "() => [...document.querySelectorAll("
    + _PARTS
    + """)].map((one) => one.tagName + (one.dataset.act ?? one.textContent)).join('|')
  + document.querySelector('.chain').textContent + document.querySelector('.play-pane [data-act=submit]')?.disabled"""
)
_STATE = (
    """() => ({
  labels: [...document.querySelectorAll('.play-pane button[data-act^=pick]')].map((one) => one.textContent),
  picked: document.querySelectorAll('.play-pane .crumbs li').length,
  complete: document.querySelector('.play-pane [data-act=submit]')?.disabled === false,
  prompt: document.querySelector('.play-pane .prompt')?.textContent ?? '',
  number: !!document.querySelector('.play-pane [data-act=take]'),
  key: ("""
    + _KEY
    + """)() })"""
)
_SPOT = """(pick) => {
  const frame = document.querySelector('.stage').getBoundingClientRect();
  const id = CSS.escape(pick);
  for (const one of document.querySelectorAll(`.counter[data-piece="${id}"], .target[data-place="${id}"]`)) {
    const box = one.getBoundingClientRect();
    for (const [fx, fy] of [[.5, .5], [.2, .2], [.8, .8], [.2, .8], [.8, .2]]) {
      const x = box.x + box.width * fx, y = box.y + box.height * fy;
      if (x < frame.left || y < frame.top || x > frame.right || y > frame.bottom) continue;
      if (one.contains(document.elementFromPoint(x, y))) return { x, y };
    }
  }
  return null;
}"""


def take_turns(players: list[Player], over: Callable[[], bool]) -> int:
    """Let whoever is asked act until `over()`; how many acts it took."""
    count = 0
    deadline = time.monotonic() + PATIENCE_S
    while not over():
        asked = [player for player in players if is_asked(player.page)]
        if any(player.act() for player in asked):
            count += 1
            deadline = time.monotonic() + PATIENCE_S
            assert count < MOST, "the turn does not end"
            continue
        assert time.monotonic() < deadline, (
            f"the turn does not end, after {count} acts; shown: "
            + " / ".join(player.page.locator(".play-pane").inner_text()[:300] for player in players)
        )
        players[0].page.wait_for_timeout(PAUSE_MS)
    return count


NOT_YET = """[...document.querySelectorAll('.play-pane button[data-act^=pick]')].map((one) => one.dataset.act)
  .sort((a, b) => /done|pass/.test(b) - /done|pass/.test(a))[0] ?? ''"""
"""What ends a decision, or leads there."""


def sailing(open_page: Any, site: Any, *, clock: str = "") -> tuple[Any, Any]:
    """The Allied and the Axis page of a game of War at Sea in which the Allies may sail, and what
    may sail is lit; nobody has deployed anything by choice."""
    game = site.new("war_at_sea", clock=clock)
    page, other = (open_page(f"/game/{game.id}#token={token}") for token in game.tokens.values())
    for one in (page, other):
        ready(one)

    def may_sail() -> bool:
        same_log(page, other)
        if page.locator("[data-act='pick:sail']").count():
            return True
        for asked in (page, other):
            pick = asked.evaluate(NOT_YET)
            if pick:
                asked.locator(f".play-pane [data-act='{pick}']").click()
                until(asked, IDLE)
            if asked.locator("[data-act=submit]:not([disabled])").count():
                asked.locator("[data-act=submit]").click()
                until(asked, IDLE)
            if pick:
                break
        return False

    wait(page, may_sail, lambda: "sailing: " + page.locator(".play-pane").inner_text())
    until(page, "document.querySelector('.counter.on-offer') !== null")
    return page, other
