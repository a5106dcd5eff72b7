"""A server's settings from a file: the same as by flags, and a misspelt one is told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest
from attrs import evolve as changed
from click.testing import CliRunner

from warledger.clients.cli import main
from warledger.engine.runtime import titles
from warledger.engine.runtime.supervisor import Tending
from warledger.engine.serve import app
from warledger.engine.serve.config import BadConfig, Config, HttpLimits, ServerLimits
from warledger.engine.serve.settings import declared, read_settings

INTERNAL = {
    "port": "set by --tcp, with `host`",
    "stop_seconds": "for tests",
    "limits": "a table of the file",
    "http_limits": "a table of the file",
    "tending": "a table of the file",
    "house": "what the command line's captains play",
}
"""The fields of Config that are set by no flag of their own, and why."""

TABLES = """
[limits]
connections = 2000
work_share = 1

[http-limits]
feeds = 3

[tending]
seats = 60
"""


def served(monkeypatch: pytest.MonkeyPatch, *args: str) -> Config:
    """What `serve` would run with."""
    called: list[Config] = []

    async def run(config: Config, **_: Any) -> None:
        called.append(config)
        raise BadConfig("no server is run")

    monkeypatch.setattr(app, "serve", run)
    result = CliRunner().invoke(main, ["serve", *args])
    assert called, result.output
    return called[0]


def given_for(folder: Path) -> dict[str, tuple[Any, dict[str, Any]]]:
    """For each flag a value of its own, and what Config then holds in which fields. Values that
    exclude each other are not checked here."""
    found: dict[str, tuple[Any, dict[str, Any]]] = {
        "tcp": ("127.0.0.2:7001", {"host": "127.0.0.2", "port": 7001}),
        "http": ("127.0.0.3", {"http": ("127.0.0.3", 8080)}),
        "pack": (["counting=one"], {"packs": {"counting": Path("one")}}),
        "compress-after": ("never", {"compress_after": None}),
        "practice-games": (7, {"practice": 7}),
    }
    for field, setting in declared():
        value: Any
        if setting.flag in found:
            continue
        if field.type is bool:
            value = held = True
        elif setting.choices:
            value = held = next(one for one in setting.choices if one != field.default)
        elif setting.many:
            value = [f"{setting.flag}-1", f"{setting.flag}-2"]
            held = tuple(value)
        elif field.type in (Path, Path | None):
            held = folder / setting.flag
            if setting.folder:
                held.mkdir()
            value = str(held)
        else:
            value = held = f"of {setting.flag}"
        found[setting.flag] = value, {field.name: held}
    return found


def as_flags(flag: str, value: Any) -> list[str]:
    """A setting on the command line."""
    if value is True:
        return [f"--{flag}"]
    many = value if isinstance(value, list) else [value]
    return [part for one in many for part in (f"--{flag}", str(one))]


def test_every_setting_arrives_in_its_field_by_flag_and_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each field has a flag, or is named as one that has none. A value of its own for each is in
    the field of its name, and in no other, whether it comes from the command line or the file; and
    a flag on the command line wins over the file."""
    names = {field.name for field, _ in declared()}
    assert names | set(INTERNAL) == {field.name for field in attrs.fields(Config)}
    assert not names & set(INTERNAL)
    monkeypatch.setattr(Config, "__attrs_post_init__", lambda _: None)
    monkeypatch.setattr(titles, "installed", lambda _: {})
    given = given_for(tmp_path)
    held = {name: value for _, fields in given.values() for name, value in fields.items()}
    by_flags = served(
        monkeypatch, *(part for flag, (value, _) in given.items() for part in as_flags(flag, value))
    )
    assert {name: getattr(by_flags, name) for name in held} == held
    file = tmp_path / "warledger.toml"
    lines = [f"{flag} = {json.dumps(value)}" for flag, (value, _) in given.items()]
    file.write_text("\n".join(lines) + TABLES)
    by_file = served(monkeypatch, "--config", str(file))
    assert changed(by_file, **TABLES_DEFAULT) == by_flags
    assert by_file.limits == ServerLimits(connections=2000, work_share=1.0)
    assert by_file.http_limits == HttpLimits(feeds=3)
    assert by_file.tending.seats == 60.0
    assert served(monkeypatch, "--config", str(file), "--tcp", ":7002").port == 7002
    for flag, (value, fields) in given.items():
        alone = served(monkeypatch, *as_flags("data", str(tmp_path)), *as_flags(flag, value))
        assert (
            changed(Config(tmp_path), house=alone.house, **{"data": alone.data, **fields}) == alone
        ), flag


TABLES_DEFAULT: dict[str, Any] = {
    "limits": ServerLimits(),
    "http_limits": HttpLimits(),
    "tending": Tending(),
}


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
        assert served(monkeypatch, *base, "--config", str(file), *given).compress_after == days
    wrong = CliRunner().invoke(main, ["serve", *base, "--compress-after", "soon"])
    assert wrong.exit_code == 2 and "soon" in wrong.output
    with pytest.raises(BadConfig, match="number of days"):
        Config(tmp_path, compress_after=-1)


def test_the_list_of_commands_waits_for_no_server() -> None:
    """The flags of `serve` are read when it is used: neither the list of all commands nor the help
    of another one loads the server, which declares them."""
    said = (
        "import sys; from warledger.clients.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith('warledger.engine.serve')])"
    )
    for args in (["--help"], ["check", "--help"]):
        told = subprocess.run(
            [sys.executable, "-c", said, *args], capture_output=True, text=True, check=True
        )
        assert told.stdout.splitlines()[-1] == "[]", told.stdout
