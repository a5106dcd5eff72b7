"""What the browser has to paint again: the map is painted once, whatever happens on it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

from tests.browser.conftest import Game
from tests.browser.players import until, wait, whole

Open = Callable[..., Any]

GO = """async (seq) => {
  const view = window.warledgerView;
  view.showing.camera.setFollow(false);
  view.goTo(seq);
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
}"""


def painted(page: Any) -> Callable[[], tuple[int, int]]:
    """How often the map's layer and all others have been painted so far, when it is asked."""
    session = page.context.new_cdp_session(page)
    layers: list[list[dict[str, Any]]] = []
    session.on("LayerTree.layerTreeDidChange", lambda event: layers.append(event.get("layers", [])))
    session.send("DOM.enable")
    session.send("LayerTree.enable")

    def why(layer: dict[str, Any]) -> list[str]:
        told = session.send("LayerTree.compositingReasons", {"layerId": layer["layerId"]})
        return list(told["compositingReasonIds"])

    def counted() -> tuple[int, int]:
        wait(page, lambda: any(layers), lambda: "the browser tells no layers")
        drawn = [one for one in [each for each in layers if each][-1] if one["drawsContent"]]
        ground = [one for one in drawn if "WillChangeOpacity" in why(one)]
        assert len(ground) == 1
        return ground[0]["paintCount"], sum(one["paintCount"] for one in drawn if one not in ground)

    return counted


def test_the_map_is_painted_once(open_page: Open, ended: Game) -> None:
    """Whoever goes through a game has its counters painted again, and never the map below them."""
    page = open_page(f"/game/{ended.id}?at=0")
    page.wait_for_selector(".land", state="attached")
    whole(page, ended.records)
    until(page, "document.querySelector('.sheet-holder svg') !== null")
    until(page, "document.querySelector('.game').dataset.settled === '1'")
    until(page, "!document.querySelector('.board').classList.contains('moving')")
    count = painted(page)
    page.evaluate(GO, ended.records // 7)  # the browser tells of its layers when something changes
    ground, rest = count()
    shares = cycle((1, 2, 3, 4))

    def repainted() -> bool:
        # A browser with much to do paints several records' counters at once, and tells of it when
        # something changes again.
        page.evaluate(GO, ended.records * next(shares) // 5)
        return count()[1] >= rest + 4

    wait(page, repainted, lambda: f"painted {count()}, before {ground, rest}")
    assert count()[0] == ground


def test_counters_lie_in_the_order_of_their_stack(open_page: Open, ended: Game) -> None:
    """However one has come to a record, a counter that is higher in its stack is drawn later; and
    those of which a record tells nothing stay the elements they were."""
    page = open_page(f"/game/{ended.id}?at=0")
    page.wait_for_selector(".land", state="attached")
    whole(page, ended.records)
    ordered = """() => {
      const drawn = [...document.querySelectorAll('.pieces > [data-piece]')].map((one) => one.dataset.piece);
      const { stacks } = window.warledgerView.board;
      let pairs = 0;
      for (const ids of stacks.values()) {
        const at = ids.map((id) => drawn.indexOf(id));
        if (at.includes(-1) || at.some((n, i) => i && n <= at[i - 1])) return -1;
        pairs += ids.length - 1;
      }
      return pairs;
    }"""
    n = ended.records
    pairs = []
    for seq in (n // 2, n // 4, n - 2, 3, n // 3, n // 3 + 1, n // 3, n * 2 // 3):
        page.evaluate(GO, seq)
        pairs.append(page.evaluate(ordered))
    assert min(pairs) >= 0
    assert max(pairs) > 10
    page.evaluate("() => { window.before = new Map(window.warledgerView.board.pieces); }")
    page.evaluate(GO, n * 2 // 3 + 1)
    kept = page.evaluate(
        """() => [...window.warledgerView.board.pieces].filter(([id, one]) =>
          one.element === window.before.get(id)?.element && one.element.isConnected).length"""
    )
    assert kept > 10


def test_the_map_is_led_frame_by_frame(open_page: Open, ended: Game) -> None:
    """Where the camera leads the map it is halfway after half the time and arrives; no animation of
    the browser's own is at work, for which it would paint all of the map again."""
    page = open_page(f"/game/{ended.id}?at=5", reduced_motion="no-preference")
    page.wait_for_selector(".land", state="attached")
    whole(page, ended.records)
    told = page.evaluate(
        """async () => {
          const { board, showing } = window.warledgerView;
          const { stage, picture } = board;
          showing.camera.setFollow(false);
          stage.zoom(2);
          const own = performance.now;
          let now = 1000;
          performance.now = () => now;
          const from = stage.y;
          stage.shift(-60, true);
          clearTimeout(stage.timer);
          const at = async (ms) => {
            now = 1000 + ms;
            for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
            return new DOMMatrix(getComputedStyle(picture).transform).f - from;
          };
          const ways = [await at(0), await at(210), await at(210), await at(420)];
          performance.now = own;
          return [...ways, picture.getAnimations().length];
        }"""
    )
    begun, half, still, arrived, animations = told
    assert abs(begun) < 0.5
    assert abs(half + 30) < 0.5
    assert half == still
    assert abs(arrived + 60) < 0.5
    assert animations == 0
