"""A server's settings from a file: the same as by flags, and a misspelt one is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from warledger.clients.cli import main
from warledger.clients.commands import local
from warledger.engine.serve.config import BadConfig, Config, HttpLimits, ServerLimits
from warledger.engine.serve.settings import Settings, read_settings

TEXT = """
data = "DATA"
tcp = "127.0.0.1:7001"
http-name = "games.example.org"
origin = ["https://a.example", "https://b.example"]
tls-self-signed = true
log-level = "error"

[limits]
connections = 2000
work_share = 1

[http-limits]
feeds = 3

[tending]
seats = 60
"""


def served(monkeypatch: pytest.MonkeyPatch, *args: str) -> tuple[Any, ...]:
    """What `serve` would run with."""
    called: list[tuple[Any, ...]] = []

    def run(*given: Any) -> int:
        called.append(given)
        return 0

    monkeypatch.setattr(local, "serve", run)
    result = CliRunner().invoke(main, ["serve", *args])
    assert result.exit_code == 0, result.output
    return called[0][1:]


def test_a_file_says_what_the_flags_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every flag and limit of the file holds, and a flag on the command line wins."""
    file = tmp_path / "warledger.toml"
    file.write_text(TEXT.replace("DATA", str(tmp_path)))
    flags = ("--http-name", "games.example.org", "--tls-self-signed")
    origins = ("--origin", "https://a.example", "--origin", "https://b.example")
    by_flags = served(
        monkeypatch,
        *("--data", str(tmp_path), "--tcp", "127.0.0.1:7001", "--log-level", "error"),
        *(*flags, *origins),
    )
    by_file = served(monkeypatch, "--config", str(file))
    settings = next(given for given in by_file if isinstance(given, Settings))
    assert by_file == tuple(
        settings if isinstance(given, Settings) else given for given in by_flags
    )
    assert settings.limits == ServerLimits(connections=2000, work_share=1.0)
    assert settings.http_limits == HttpLimits(feeds=3)
    assert settings.tending.seats == 60.0
    assert served(monkeypatch, "--config", str(file), "--tcp", ":7002")[1] == ":7002"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dta = 1", "no setting dta"),
        ("config = 'x'", "no setting config"),
        ("[limits]\nconections = 5", "has no conections"),
        ("[limits]\nconnections = 0", "above 0"),
        ("[limits]\nconnections = 1.5", "a whole number"),
        ("[limits]\nconnections = true", "a whole number"),
        ("[limits]\nwork_share = nan", "above 0"),
        ("limits = 3", "[limits]"),
        ("tcp = 1.5", "must be a text"),
        ("tcp = [", "not TOML"),
    ],
)
def test_a_setting_that_cannot_hold_is_told(text: str, told: str, tmp_path: Path) -> None:
    """A misspelt key, a limit of nothing, a table that is none."""
    file = tmp_path / "warledger.toml"
    file.write_text(text)
    with pytest.raises(BadConfig) as caught:
        read_settings(file, ("data", "tcp"))
    assert told in str(caught.value)
    with pytest.raises(BadConfig):
        read_settings(tmp_path / "none.toml", ())


def test_when_finished_games_are_compressed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A week after their end, unless flag or file say after how many days, or never; no other
    number is taken."""
    file = tmp_path / "warledger.toml"
    base = ("--data", str(tmp_path))
    for text, given, days in (
        ("", (), 7),
        ("compress-after = 30", (), 30),
        ('compress-after = "never"', (), None),
        ("compress-after = 30", ("--compress-after", "0"), 0),
    ):
        file.write_text(text)
        assert served(monkeypatch, *base, "--config", str(file), *given)[-1] == days
    wrong = CliRunner().invoke(main, ["serve", *base, "--compress-after", "soon"])
    assert wrong.exit_code == 2 and "soon" in wrong.output
    with pytest.raises(BadConfig, match="number of days"):
        Config(tmp_path, compress_after=-1)
