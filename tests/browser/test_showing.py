"""The show: records at a human pace, the camera, the combat card beside the clash."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.browser.conftest import Game
from tests.browser.players import shown, until, whole

Open = Callable[..., Any]
DIRECTED = (Path(__file__).parent / "show.js").read_text(encoding="utf-8")
LAG_MS = 20_000

COVERED = """() => {
  const card = document.querySelector('.card');
  if (!card || card.hidden) return null;
  const box = card.getBoundingClientRect();
  return [...document.querySelectorAll('.clash circle')].some((one) => {
    const clash = one.getBoundingClientRect();
    return clash.left < box.right && clash.right > box.left && clash.top < box.bottom && clash.bottom > box.top;
  });
}"""


BESIDE = f"""async () => {{
  for (let frames = 0; frames < 300; frames++) {{
    if (({COVERED})() === false) return true;
    await new Promise(requestAnimationFrame);
  }}
  return false;
}}"""


def test_the_director_keeps_its_pace_and_its_lag(open_page: Open) -> None:
    """Beats last as long as they say at speed 1 and half at speed 2; whatever comes, in whatever
    bursts, is shown in order, all of it, and no later than the stated lag."""
    page = open_page("/help")
    calm = page.evaluate(DIRECTED, [[[0, 3, 600]], 1, LAG_MS])
    assert calm == {"shown": [[0, 0], [600, 1], [1200, 2]], "busy": False}
    quick = page.evaluate(DIRECTED, [[[0, 3, 600]], 2, LAG_MS])
    assert quick["shown"] == [[0, 0], [300, 1], [600, 2]]
    assert page.evaluate(DIRECTED, [[[5, 3, 600]], 0, LAG_MS])["shown"] == [[5, 2]]

    seed = 8
    rng = random.Random(seed)
    for speed in (0.5, 1, 8):
        at, arrivals = 0, []
        for _ in range(60):
            at += rng.randrange(4000)
            arrivals.append([at, rng.randrange(1, 12), rng.choice([0, 120, 600, 6000])])
        told = page.evaluate(DIRECTED, [arrivals, speed, LAG_MS])
        came = [at for at, count, _ in arrivals for _ in range(count)]
        seen = {}
        for ms, seq in told["shown"]:
            assert seq >= max(seen, default=-1), f"seed {seed}"
            seen[seq] = ms
        assert max(seen) == len(came) - 1, f"seed {seed}"
        for seq, arrived in enumerate(came):
            # What is too short to be seen by itself is seen with the next.
            when = min(ms for later, ms in seen.items() if later >= seq)
            assert arrived <= when <= arrived + LAG_MS + 1, f"seed {seed}, speed {speed}, {seq}"


def test_each_sentence_stands_under_the_combat_it_belongs_to(open_page: Open, ended: Game) -> None:
    """A record that ends one combat and begins the next has parts: every effect once, in order, and
    what a combat's sentences say of its place is said under that combat."""
    page = open_page(f"/game/{ended.id}?at=0")
    page.wait_for_selector(".counter, .land", state="attached")
    whole(page, ended.records)

    found = page.evaluate(
        """async () => {
          const { partsOf, sceneOf } = await import('/show/scenes.js');
          const watch = window.warledgerView.watch;
          const wrong = [];
          let mixed = 0;
          let placed = 0;
          for (const record of watch.records) {
            const parts = partsOf(watch, record.seq);
            if (JSON.stringify(parts.flatMap(({ effects }) => effects)) !== JSON.stringify(record.effects)) wrong.push(`${record.seq}: effects`);
            if (new Set(parts.map(({ span }) => span)).size > 1) mixed++;
            for (const { span, effects } of parts) {
              if (!span) continue;
              const place = span.args.find(([name]) => name === 'place')[1];
              for (const [tag, key, args] of effects) {
                const named = tag === 'say' && /begins|begun/.test(key) ? args.find(([name]) => name === 'place') : null;
                if (named) placed++;
                if (named && named[1] !== place) wrong.push(`${record.seq}: ${key} in ${named[1]} under ${place}`);
              }
            }
          }
          const combats = watch.spans.filter(({ span }) => span === 'combat');
          const told = combats.map((span) => sceneOf(watch, span, span.to, Infinity));
          if (told.some((scene) => scene[0].effects[0][0] !== 'open' || scene.at(-1).effects.at(-1)[0] !== 'close')) wrong.push('scenes');
          return { wrong, mixed, placed, combats: combats.length };
        }"""
    )

    assert found["wrong"] == []
    assert found["mixed"] > 3 and found["placed"] > 10 and found["combats"] > 10


def test_the_card_never_covers_the_clash(open_page: Open, ended: Game) -> None:
    """On a phone and on a desktop, whichever combat one steps to; it can be closed, and comes back
    with the next."""
    for size in ({"width": 1280, "height": 860}, {"width": 390, "height": 844}):
        page = open_page(f"/game/{ended.id}?at=0", viewport=size)
        page.wait_for_selector(".counter, .land", state="attached")
        whole(page, ended.records)
        page.locator("[data-act=step]").select_option("combat")
        for _ in range(6):
            page.locator("[data-act=forward]").click()
            # The board glides to the clash, and the card lies beside it when it has come there.
            assert page.evaluate(BESIDE), size
    page.locator("[data-act=close-card]").click()
    assert page.evaluate(COVERED) is None
    page.locator("[data-act=forward]").click()
    assert page.evaluate(BESIDE)


def test_the_map_lies_where_it_was_left(open_page: Open, ended: Game) -> None:
    """Who looks on is led to what happens until they move the map; then it is theirs, also after a
    reload, until they ask to be led again."""
    page = open_page(f"/game/{ended.id}?at=60")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    pressed = "document.querySelector('[data-act=follow]').getAttribute('aria-pressed')"
    where = "JSON.stringify(window.warledgerView.board.stage.place)"
    assert page.evaluate(pressed) == "true"
    board = page.locator(".stage").bounding_box()
    page.mouse.move(board["x"] + board["width"] / 2, board["y"] + board["height"] - 30)
    page.mouse.wheel(0, -600)
    until(page, f"{pressed} === 'false'")
    left = page.evaluate(where)
    page.keyboard.press("ArrowRight")
    assert page.evaluate(where) == left

    page.reload()
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    until(page, f"(left) => {where} === left", arg=left)
    assert page.evaluate(pressed) == "false"
    page.locator("[data-act=follow]").click()
    until(page, f"{pressed} === 'true'")
    assert shown(page) == 61
