"""The page as a judge: level 1 of games, by its own modules in a browser."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests.audit.odd.judges import File, Judge, Judged, Verdict
from warledger.protocol.log import wlog

WEB = Path(__file__).resolve().parents[3] / "clients" / "web"

ASKED = """async ([file, key]) => {
  const { Judge } = await import('/audit/judge.js');
  const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  return new Promise((resolve) => {
    const told = ({ findings, reservations, otherFormat, finished }) => {
      if (!finished) return;
      judge.stop();
      const [seq, part, said] = findings[0] ?? [null, '', ['', [], '']];
      const numbers = (args) => args.filter(([, one]) => Number.isSafeInteger(one));
      const spoken = ([name, args]) => [name, Object.fromEntries(numbers(args))];
      const [count, reserved] = [findings.length, reservations.map(spoken)];
      resolve({ otherFormat, count, seq, part, said: spoken(said), reserved });
    };
    const judge = new Judge(told, key === null ? [] : [bytes(key)]);
    judge.file(bytes(file));
  });
}"""
"""What the page makes of a file: its first finding, how many there are, and what is reserved."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Nothing."""


@contextmanager
def opened(browser: Any) -> Iterator[Judge]:
    """The judge, as long as its browser and its server run. `browser` is playwright's."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(WEB))) as server:
        serving = Thread(target=server.serve_forever, daemon=True)
        serving.start()
        page = browser.new_page()
        try:
            page.goto(f"http://127.0.0.1:{server.server_port}/icon.svg")
            yield partial(_judged, page)
        finally:
            page.close()
            server.shutdown()
            serving.join()


def _judged(page: Any, files: Sequence[File]) -> list[Judged]:
    verdicts: list[Judged] = []
    for data, key in files:
        given = None if key is None else _b64(key)
        try:
            verdicts.append(_verdict(data, page.evaluate(ASKED, [_b64(data), given])))
        except Exception as error:
            verdicts.append(error)
    return verdicts


def _verdict(data: bytes, told: dict[str, Any]) -> Verdict:
    if told["otherFormat"] is not None:
        return Verdict(None)
    if not told["count"]:
        named = [(name.rpartition(".")[2], args.get("seq")) for name, args in told["reserved"]]
        return Verdict(True, None, tuple(sorted(named, key=str)))
    (name, args), seq = told["said"], told["seq"]
    place: tuple[str, int | None] = ("record", seq)
    if told["part"] == "header":
        # The sentence names where the first sound frame is; the damage begins before it.
        place = ("byte", _header(data))
    elif name.startswith(("audit.damage", "audit.file")):
        place = ("byte", args["offset"])
    return Verdict(False, place, (), f"{told['part']}: {name} {args}")


def _header(data: bytes) -> int:
    """The first byte that is not as every file begins."""
    return next(at for at, one in enumerate(wlog.MAGIC) if data[at : at + 1] != bytes((one,)))


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


__all__ = ["opened"]
