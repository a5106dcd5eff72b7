"""The pictures in docs/: every title on a desk, as a broadcast at 1080p, and on a phone.

    python -m ops.pictures [--title typhoon] [--into docs]
    python -m ops.pictures --title typhoon --url http://127.0.0.1:8080 --game GAME [--at RECORD]

Without `--url` captains play a whole game of each title first, on a server of their own. A picture
shows the combat of the middle of the game at which most places are taken, or the record `--at`.
Look at each before it is committed.

Needs the extra `browser`, and chromium (WARLEDGER_CHROMIUM names another).
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import Any, Final

from ops.bench.page import chromium, played, until

TITLES: Final = ("war_at_sea", "victory_lost", "typhoon", "hungarian_rhapsody")
OPTIONS: Final = {"hungarian_rhapsody": ("scenario=konrad1",)}
"""Of titles with long scenarios: a shorter one."""
SCREENS: Final[dict[str, dict[str, Any]]] = {
    "": {"viewport": {"width": 1440, "height": 900}},
    "-cast": {"viewport": {"width": 1920, "height": 1080}},
    "-phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "has_touch": True,
        "is_mobile": True,
    },
}
"""How a file's name ends, and the screen."""
QUALITIES: Final = (82, 76, 70, 64, 58, 52, 46, 40)
BYTES_MAX: Final = 195_000
"""A picture is written as well as it fits into this."""
READY: Final = """window.warledgerView.watch.ended !== null
  && document.querySelector('.board .counter') !== null"""
FIGHT: Final = """() => {
  const { watch, board } = window.warledgerView;
  const named = (args, wanted) => args.some(([name]) => name === wanted);
  const isRoll = ([tag, , args]) => tag === 'roll' || (tag === 'say' && named(args, 'result'));
  const hurts = ({ effects }) => effects.some(([tag]) => tag === 'take' || tag === 'flip');
  const rolls = (record) => record.effects.some(isRoll) && hurts(record);
  const places = new Set(board.map.places);
  const taken = (seq) => {
    const at = [...watch.boardAt(seq).pieces.values()].map(({ place }) => place);
    return new Set(at.filter((place) => places.has(place))).size;
  };
  const fights = watch.spans.filter(({ span }) => span === 'combat');
  const rolled = fights.filter(({ from, to }) => watch.records.slice(from, to + 1).some(rolls));
  const middle = rolled.filter(({ from }) => from > watch.last * 0.3 && from < watch.last * 0.7);
  const best = (middle.length ? middle : rolled).sort((a, b) => taken(b.from) - taken(a.from))[0];
  const within = ({ seq }) => seq >= best.from && seq <= best.to;
  return watch.records.findLastIndex((record) => within(record) && rolls(record));
}"""
"""A record at which dice of a combat were rolled and hurt somebody, in the middle of the game if
there is one."""
GO: Final = """(at) => {
  const view = window.warledgerView;
  view.showing.setFollow(true);
  view.goTo(at);
}"""
FRAMES: Final = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
STILL_MS: Final = 900
"""Milliseconds until the map stands still and is drawn sharply."""


def pictures(url: str, game: str, title: str, into: Path, at: int | None) -> None:
    """Draw the pictures of one game."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        for end, screen in SCREENS.items():
            context = browser.new_context(
                **screen, service_workers="block", reduced_motion="reduce", locale="en-US"
            )
            page = context.new_page()
            page.goto(f"{url}/game/{game}{'?view=cast' if end == '-cast' else ''}")
            until(page, READY, 0.0)
            if at is None:
                at = int(page.evaluate(FIGHT))
            page.evaluate(GO, at)
            page.evaluate(FRAMES)
            page.wait_for_timeout(STILL_MS)
            shot = Image.open(io.BytesIO(page.screenshot()))
            file = into / f"page-{title.replace('_', '-')}{end}.webp"
            for quality in QUALITIES:
                shot.convert("RGB").save(file, "WEBP", quality=quality, method=6)
                if file.stat().st_size <= BYTES_MAX:
                    break
            print(f"{file} record {at}, {file.stat().st_size // 1000} kB")
            context.close()
        browser.close()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--title", choices=TITLES)
    parser.add_argument("--into", type=Path, default=Path("docs"))
    parser.add_argument("--url", default="")
    parser.add_argument("--game", default="")
    parser.add_argument("--at", type=int)
    args = parser.parse_args()
    if bool(args.url) != bool(args.game) or (args.url and not args.title):
        parser.error("--url, --game and --title belong together")
    if args.url:
        pictures(args.url.rstrip("/"), args.game, args.title, args.into, args.at)
        return
    for title in (args.title,) if args.title else TITLES:
        with played(title, *OPTIONS.get(title, ())) as (url, game):
            pictures(url, game, title, args.into, args.at)


if __name__ == "__main__":
    main()
