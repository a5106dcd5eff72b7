"""The demonstration's page: the game while it is played, and in the archive afterwards; and `serve
--http` as a person starts it."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A `warledger` process, ended with the block."""
    command = [
        sys.executable,
        "-c",
        "import sys; from warledger.clients.cli import main; sys.exit(main())",
        *arguments,
        "--lang",
        "en",
        "--plain",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        try:
            yield running
        finally:
            running.kill()


def said(running: subprocess.Popen[str], pattern: str) -> str:
    """What a line says where the pattern has its group."""
    out: IO[str] | None = running.stdout
    assert out is not None
    for line in out:
        found = re.search(pattern, line)
        if found:
            return found[1]
    raise AssertionError(f"the process ended without saying {pattern}")


def get(address: str) -> bytes:
    """What an address gives."""
    with urllib.request.urlopen(address, timeout=30) as answer:
        return bytes(answer.read())


def told(address: str) -> Any:
    """The same as JSON."""
    return json.loads(get(address))


def test_the_demonstration_shows_its_game_and_keeps_it_in_the_archive() -> None:
    """The page's address is printed and shows the game live; with --http it stays after the end,
    with the file, until Ctrl-C."""
    with process("demo", "--fast", "--http", "127.0.0.1:0") as running:
        page = said(running, r"in a browser: (\S+)")
        base, _, game = page.partition("game/")
        assert told(f"{base}api/games/{game}")["title"] == "war_at_sea"
        assert said(running, r"until you press Ctrl-C: (\S+)") == base
        assert [entry["game"] for entry in told(f"{base}api/games?stage=ended")["games"]] == [game]
        report, _ = audit(get(f"{base}archive/{game}.wlog"))
        assert is_clean(report)
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 0


def test_serve_with_http(tmp_path: Path) -> None:
    """`serve --http` says where the page is and answers there; Ctrl-C stops it."""
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "index.html").write_text("<!doctype html><title>mine</title>")
    options = ("--tcp", "127.0.0.1:0", "--http", "127.0.0.1:0", "--page", str(tmp_path / "page"))
    with process("serve", "--data", str(tmp_path / "data"), *options) as running:
        page = said(running, r"page is at (\S+)")
        assert b"mine" in get(page)
        (tmp_path / "page" / "index.html").write_text("<!doctype html><title>changed</title>")
        assert b"changed" in get(page)
        assert told(f"{page}health") == {"ok": True, "why": "", "time_sure": True}
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 0
