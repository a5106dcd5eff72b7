"""The vectors for programs in other languages: what stands there is what this code gives, and the
auditor that was written from the protocol's page alone agrees."""

from __future__ import annotations

import json
import re

import pytest

from tests.audit import mini_auditor
from tests.fixtures import vectors
from tests.fixtures.vectors import FOLDER, LOGS
from warledger.protocol.canon import NotCanonical, pack, unpack
from warledger.protocol.shapes import value_of

PAGE = (FOLDER.parent / "vectors.md").read_text(encoding="utf-8")


def test_the_files_are_what_the_code_gives() -> None:
    """Every vector and every log, byte for byte; `python -m tests.fixtures.vectors` writes them
    anew."""
    for name, text in vectors.texts().items():
        assert (FOLDER / name).read_text(encoding="ascii") == text, name
    assert {path.name for path in LOGS.glob("*.wlog")} == {file for file, _, _ in vectors.logs()}
    for file, data, _ in vectors.logs():
        assert (LOGS / file).read_bytes() == data, file


def test_values_are_canonical_or_not() -> None:
    """Both auditors read the valid ones, and only those; a value is spelt in one way."""
    for case in json.loads((FOLDER / "values.json").read_text()):
        data = bytes.fromhex(case["hex"])
        if case["valid"]:
            assert unpack(data) == value_of(case["value"]) and pack(unpack(data)) == data
            mini_auditor.unpack(data)
            continue
        with pytest.raises(NotCanonical):
            unpack(data)
        with pytest.raises(Exception):  # noqa: B017 - whatever it trips over
            mini_auditor.unpack(data)


def test_the_small_auditor_judges_every_log_as_the_index_does() -> None:
    """Sound where the index says so, with or without what is reserved; else it finds something
    wrong."""
    index = json.loads((LOGS / "index.json").read_text())
    assert len(index) > 50 and sum(case.get("sound", False) for case in index[1:]) >= 8
    for case in index[1:]:
        data = (LOGS / case["file"]).read_bytes()
        if case["sound"]:
            mini_auditor.audit(data)
            continue
        with pytest.raises(Exception):  # noqa: B017 - whatever it trips over, it is found
            mini_auditor.audit(data)


def test_the_page_names_every_file_of_vectors() -> None:
    """A reader finds each of them."""
    named = set(re.findall(r"`vectors/([\w./]+)`", PAGE))
    assert named == {
        *(path.name for path in FOLDER.glob("*.json")),
        "logs/index.json",
    }
