"""Text for a parser is looked at first: what it costs is bounded by its length."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from warledger.engine import boundedtoml, packfiles
from warledger.engine.serve.tournaments.tournamentrequests import read_charter
from warledger.protocol.limits import CHARTER_CHARS_MAX

HOSTILE = {
    "dotted key": "a" + ".a" * CHARTER_CHARS_MAX + "=1",
    "quoted parts": "a" + ' . "b"' * 6000 + " = 1",
    "parts with tabs": "a" + "\t.\ta" * 8000 + "=1",
    "header": "[a" + ".a" * CHARTER_CHARS_MAX + "]",
    "inline table": "a = {a" + ".a" * CHARTER_CHARS_MAX + "=1}",
    "brackets": "a=" + "[" * CHARTER_CHARS_MAX,
    "braces": "a=" + "{a=" * CHARTER_CHARS_MAX,
    "digits": "a=" + "9" * CHARTER_CHARS_MAX,
    "hexadecimal digits": "a=0x" + "f" * CHARTER_CHARS_MAX,
    "digits with lines": "a=1" + "_0" * CHARTER_CHARS_MAX,
    "open quotes": '\\"""\n' * 8192,
    "open quotes and a backslash": '"""\n' * 8191 + "\\",
    "open apostrophes": "'''\n" * 8192,
    "four quotes": 'a = ["""x"""", """y"""]\nb' + ".b" * 16000 + " = 1\n",
    "four apostrophes": "a = ['''x'''', '''y''']\nb" + ".b" * 16000 + " = 1\n",
    "five quotes": 'a = """x"""""\nb' + ".b" * 16000 + " = 1\n",
    "quotes": '"' * CHARTER_CHARS_MAX,
    "backslashes": '"' + "\\" * CHARTER_CHARS_MAX,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_costs_little(text: str) -> None:
    """A few megabytes, whatever it is made of; as a charter it is one finding."""
    tracemalloc.start()
    try:
        checked = read_charter(text[:CHARTER_CHARS_MAX], {})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000
    assert checked.charter is None and len(checked.findings) == 1


def test_what_people_write_is_read_as_it_stands() -> None:
    """Quotes, comments and lines of text may hold any of it."""
    digits, parts = "9" * 5000, "a." * 5000
    text = f'# {parts}\na.b.c = \'x{parts}\'\nd = """\n[{digits}"""\ne = [[1], [2.5]]\n'
    assert boundedtoml.loads(text) == {
        "a": {"b": {"c": f"x{parts}"}},
        "d": f"[{digits}",
        "e": [[1], ["2.5"]],
    }


def test_what_is_no_ordinary_file_is_no_pack(tmp_path: Path) -> None:
    """A pipe that nobody writes to is not waited for, and a long file is not read."""
    os.mkfifo(tmp_path / "map.toml")
    with pytest.raises(packfiles.UnusablePack, match=r"map.toml: it is not an ordinary file"):
        packfiles.read_pack_folder(tmp_path)
    (tmp_path / "map.toml").unlink()
    with (tmp_path / "map.toml").open("wb") as file:
        file.truncate(boundedtoml.BYTES_MAX + 1)
    with pytest.raises(packfiles.UnusablePack, match=r"map.toml: it is longer"):
        packfiles.read_pack_folder(tmp_path)
    (tmp_path / "map.toml").write_bytes(b"a = '\xff'")
    with pytest.raises(packfiles.UnusablePack, match=r"map.toml"):
        packfiles.read_pack_folder(tmp_path)
