"""Builds the page for a release: `python -m ops.pagebuild [--into clients/built]`, before
`python -m build` and `ops/image`. Needs npm.

esbuild makes one script of the page's modules, one of each worker's, and one of the style sheets
that `index.html` names. Their names stay readable. Source maps stand beside them. A server
serves them in place of the sources while these are the ones that they were built from
(`engine/serve/http/pagefiles.py`). A checkout needs none of this.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from warledger.engine.serve.http.pagefiles import (
    BUILT,
    FOLDER,
    INDEX,
    SOURCES,
    WORKERS,
    digest,
    read,
)

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "clients" / FOLDER
TOOLS: Final = ROOT / "ops" / "web"
STYLE: Final = "/css/style.css"
"""All style sheets that the page names, in their order."""

_SHEET: Final = re.compile(r'<link rel="stylesheet" href="(/[^"]+)">\n')
_SCRIPT: Final = re.compile(r'<script type="module" src="(/[^"]+)">')
_SHORTER: Final = ("--minify-whitespace", "--minify-syntax", "--log-level=warning")


def built(into: Path) -> bool:
    """Build the page into a folder, whose files go. False where esbuild is missing and cannot be
    installed; raises CalledProcessError for a page that esbuild refuses."""
    if subprocess.run([TOOLS / "install"]).returncode:
        return False
    sources = dict(read(PAGE))
    index = sources[INDEX].decode()
    sheets = _SHEET.findall(index)
    shutil.rmtree(into, ignore_errors=True)
    (into / STYLE[1:]).parent.mkdir(parents=True)
    _esbuild(
        *(path[1:] for path in (*_SCRIPT.findall(index), *WORKERS)),
        *("--bundle", "--format=esm", "--sourcemap", f"--outdir={into}"),
    )
    style = _esbuild("--loader=css", given=b"".join(sources[path] for path in sheets))
    (into / STYLE[1:]).write_bytes(style)
    index = index.replace(sheets[0], STYLE, 1)
    index = _SHEET.sub(lambda one: one[0] if one[1] == STYLE else "", index)
    (into / INDEX[1:]).write_text(index, encoding="utf-8")
    (into / SOURCES).write_text(digest(sources) + "\n", encoding="ascii")
    return True


def _esbuild(*args: str, given: bytes = b"") -> bytes:
    command = [TOOLS / "node_modules" / ".bin" / "esbuild", *args, *_SHORTER]
    return subprocess.run(command, cwd=PAGE, input=given, check=True, stdout=subprocess.PIPE).stdout


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--into", type=Path, default=ROOT / "clients" / BUILT)
    if not built(parser.parse_args().into.resolve()):
        sys.exit("The page is not built: a server serves its modules one by one.")


if __name__ == "__main__":
    main()
