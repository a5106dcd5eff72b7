"""`warledger export --html`: which page is written, and what is left out of it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.played import game_file
from warledger.clients.cli.server import export
from warledger.engine.serve.http import gamepage
from warledger.protocol.log import chain, records, wlog


def parts_of(html: str) -> Any:
    (packed,) = re.findall('id="warledger-parts">([^<]+)<', html)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def test_a_file_becomes_a_page(tmp_path: Path) -> None:
    """The log in it is the file's, the modules import nothing that is not there, and no sentence of
    another title is in it; a page names no audience, and one output is asked for."""
    html = tmp_path / "game.html"
    done = CliRunner().invoke(export, [str(game_file()), "--html", str(html)])
    assert done.exit_code == 0, done.output
    made = html.read_text(encoding="utf-8")
    (log,) = re.findall('id="warledger-log">([^<]+)<', made)
    kept = gzip.decompress(base64.b64decode(log))
    assert wlog.parse(kept, sealed=True).records == wlog.parse(game_file().read_bytes()).records
    parts = parts_of(made)
    for source in parts["modules"].values():
        for name in re.findall(
            r'^\s*(?:import|export)\b[^;"]*?from "([^"]+)";', source, re.MULTILINE
        ):
            assert name in parts["modules"]
    said = json.loads(parts["answers"]["/api/phrases/zh-Hans"])
    assert "web.file.sound" in said and "cli.analyse.worth" in said
    assert not any("typhoon" in key.split(".") for key in said)
    assert "default-src 'none'" in made and "connect-src" not in made
    for wrong in (
        [str(game_file())],
        [str(game_file()), "--html", str(html), "--as", "public"],
        [str(game_file()), "-o", str(tmp_path / "x")],
        [str(tmp_path / "none.wlog"), "--html", str(html)],
    ):
        assert CliRunner().invoke(export, wrong).exit_code == 2, wrong
    torn = tmp_path / "torn.wlog"
    torn.write_bytes(game_file().read_bytes()[:-5])
    assert CliRunner().invoke(export, [str(torn), "--html", str(html), "--force"]).exit_code == 1
    assert html.read_text(encoding="utf-8") == made


def test_no_page_is_made_of_a_file_that_is_not_sound(tmp_path: Path) -> None:
    """The page decides nothing again by the rules: an end that does not follow from them would
    stand there unquestioned."""
    log = list(chain.follow(wlog.parse(game_file().read_bytes()).records))
    end = next(record for record in log if record.kind == records.END)
    body = ("allied" if end.body[0] == "axis" else "axis", *end.body[1:])
    made = log[: end.seq]
    for one in log[end.seq :]:
        said = body if one is end else one.body
        made.append(records.make(one.seq, one.at_ms, one.actor, one.kind, said, made[-1].hash))
    frames = [wlog.Frame(wlog.FRAME_RECORD, one.data) for one in made]
    file = tmp_path / "game.wlog"
    file.write_bytes(wlog.encode(frames, sealed=True))
    html = tmp_path / "game.html"
    done = CliRunner().invoke(export, [str(file), "--html", str(html)])
    assert done.exit_code == 1 and "not sound" in done.output.lower(), done.output
    assert not html.exists()


def test_every_module_of_the_page_can_be_in_a_file() -> None:
    """Names are rewritten everywhere: none of the modules still imports from a place beside it."""
    for name, source in gamepage.modules().items():
        assert not re.search(r'^\s*(import|export)\b[^;"]*from "\.{1,2}/', source, re.MULTILINE), (
            name
        )
        assert "import(" not in re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.DOTALL), name
