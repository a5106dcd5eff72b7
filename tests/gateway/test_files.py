"""The page's files as they are served."""

import re
from pathlib import Path

from warledger.engine.serve.files import Files, briefly

WEB = Path(__file__).resolve().parents[2] / "clients" / "web"


def test_scripts_lose_comments_and_indentation_and_nothing_else() -> None:
    """What is served of a script is its lines in order, without indentation and without those that
    are comments alone; and no script has what could be mistaken for such a line."""
    shorter, files = 0, Files()
    for file in sorted(WEB.rglob("*.js")):
        script = file.read_text()
        served = files.find("/" + file.relative_to(WEB).as_posix())
        assert served is not None and served.body.decode() == briefly(script)
        kept = served.body.decode().split("\n")
        shorter += len(script) - len(served.body.decode())
        at = 0
        within = False
        for line in script.split("\n"):
            if at < len(kept) and not within and line.lstrip(" \t") == kept[at]:
                at += 1
                continue
            if line == kept[at]:  # of a script that is left as it is
                at += 1
                continue
            told = line.strip()
            assert within or told.startswith(("/*", "//")), (file, line)
            within = (within or told.startswith("/*")) and not told.endswith("*/")
            assert not re.search(r"\*/.", line), (file, line)
        assert at == len(kept), file
        for line in script.splitlines():
            opened = line.rpartition("/*")[2] if "/*" in line else ""
            assert not opened or "*/" in opened or line.lstrip().startswith("/*"), (file, line)
    assert shorter > 100_000


def test_texts_over_several_lines_are_left_alone() -> None:
    """A template of several lines keeps its indentation and what looks like comments in it; nested
    templates in one line keep their blanks."""
    text = "const a = `\n  // no comment\n    b\n`;\n"
    assert briefly(text) == text
    assert briefly("  /* a\n b */\n  // c\n  d(`${e ? ` f` : ''}`); // g\n") == (
        "d(`${e ? ` f` : ''}`); // g\n"
    )


def test_whoever_works_on_the_page_gets_its_scripts_as_they_are(tmp_path: Path) -> None:
    """Read again each time, a script is served as it stands in the folder."""
    (tmp_path / "a.js").write_text("// a\n  b();\n")
    fresh, kept = Files(tmp_path, fresh=True).find("/a.js"), Files(tmp_path).find("/a.js")
    assert fresh is not None and fresh.body == b"// a\n  b();\n"
    assert kept is not None and kept.body == b"b();\n"
