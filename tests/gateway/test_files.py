"""The page's files as they are served."""

import re
from pathlib import Path
from posixpath import dirname, join, normpath

import pytest

from warledger.engine.runtime import titles
from warledger.engine.serve.http import gamepage
from warledger.engine.serve.http.bundles import FIRST, LATER, PARTS, WORKERS, bundled
from warledger.engine.serve.http.pagefiles import INDEX, STYLE, Files, briefly
from warledger.protocol import lang
from warledger.protocol.texts.phrases import LANGUAGES

WEB = Path(__file__).resolve().parents[2] / "clients" / "web"


def test_scripts_lose_comments_and_indentation_and_nothing_else() -> None:
    """What is sent of a script is its lines in order, without indentation and without those that
    are comments alone; and no script has what could be mistaken for such a line."""
    shorter = 0
    for file in sorted(WEB.rglob("*.js")):
        script = file.read_text()
        kept = briefly(script).split("\n")
        shorter += len(script) - len(briefly(script))
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


SCRIPTS = {
    "/" + file.relative_to(WEB).as_posix(): briefly(file.read_text())
    for file in sorted(WEB.rglob("*.js"))
}
_LINKED = re.compile(r"^(?:import|export) |import\(", re.MULTILINE)


def test_each_module_of_the_page_is_sent_once_whole() -> None:
    """A module stands in one bundle with all its lines, behind those that it imports, or by itself
    as it is; at the address of one in a bundle stands what takes just its exports from there."""
    files = Files()
    sent = {}
    for path in SCRIPTS:
        found = files.find(path)
        assert found is not None
        sent[path] = found.body.decode()
    homes = {}
    for path, script in SCRIPTS.items():
        if path in WORKERS:
            continue
        pointed = None
        if path not in (FIRST, *PARTS, *LATER):
            pointed = re.match(r'import \{ [\w$]+\$ \} from "(/[^"]+)";\n', sent[path])
            if pointed is None:
                assert sent[path] == script
                continue
        home = path if pointed is None else pointed[1]
        homes[path] = home
        name = re.sub(r"\W", "_", path[1:].removesuffix(".js")) + "$"
        start = sent[home].index(f"const {name} = (() => {{\n")
        end = re.compile(r"\n(?:const \w+\$ = \(\(\) => \{|export \{)").search(sent[home], start)
        assert end is not None
        body = sent[home][start : sent[home].rindex("\nreturn {", start, end.start())].split("\n")
        own = [line for line in script.split("\n") if line and not _LINKED.search(line)]
        assert [line for line in body if line in set(own)] == own
        names = set(re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", script, re.M))
        if pointed is not None and names:
            given = re.search(r"^export const \{ (.*) \}", sent[path], re.M)
            assert given is not None and set(given[1].split(", ")) == names
        for needed in re.findall(r"^const \{[^}]*\} = (\w+\$);$", "\n".join(body), re.M):
            before = sent[home].find(f"const {needed} = (() => {{\n")
            assert before < start and (before >= 0 or f"import {{ {needed} }}" in sent[home])
    assert len(homes) > 60 and set(homes.values()) == {FIRST, *PARTS, *LATER}


def test_a_worker_has_all_that_it_needs() -> None:
    """It imports nothing, and each module that it needs stands in it with all its lines."""
    files = Files()
    for worker in WORKERS:
        found = files.find(worker)
        assert found is not None and not found.part
        sent = found.body.decode()
        assert not re.search(r"^import ", sent, re.MULTILINE)
        for path in needed_by(worker):
            lines = [one for one in SCRIPTS[path].split("\n") if one and not _LINKED.search(one)]
            assert set(lines) <= set(sent.split("\n")), path


def needed_by(*entries: str) -> set[str]:
    """The modules with these paths, and all that they import at once."""
    todo, seen = list(entries), set[str]()
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            names = re.findall(r'^import .* from "(\.{1,2}/[^"]+)";$', SCRIPTS[path], re.M)
            todo += [normpath(join(dirname(path), name)) for name in names]
    return seen


@pytest.mark.parametrize(
    "script",
    [
        "export let a = 1;\n",
        "export * from './a.js';\n",
        'import * as a from "./a.js";\n',
        "const a = 1;\nexport { a };\n",
    ],
)
def test_what_cannot_be_bundled_is_refused(script: str) -> None:
    """A module that imports or exports in a way that would be lost is no page of ours."""
    with pytest.raises(ValueError, match=r"/main\.js"):
        bundled({"/main.js": script, "/a.js": "export const a = 1;\n"})


def test_the_page_names_one_style_sheet_with_all_in_it() -> None:
    """What is sent in one style sheet is what the folder's page names, in its order, without lines
    of comments and indentation."""
    files = Files()
    page, style = files.find(INDEX), files.find(STYLE)
    assert page is not None and style is not None
    named = re.findall(r'rel="stylesheet" href="([^"]+)"', (WEB / "index.html").read_text())
    assert re.findall(r'rel="stylesheet" href="([^"]+)"', page.body.decode()) == [STYLE]
    assert style.body.decode() == "".join(briefly((WEB / path[1:]).read_text()) for path in named)
    assert "  " not in style.body.decode() and "\n/*" not in style.body.decode()
    assert "url(" not in style.body.decode()


def test_a_page_of_a_game_gets_every_sentence_that_its_modules_name() -> None:
    """What is left out of the sentences for a game is named by no module that its page loads, in
    any language."""
    known = titles.installed()
    named: set[str] = set()
    entries = ("/main.js", "/gameview.js", "/seated.js", "/branch.js", "/show/cast.js")
    seen = needed_by(*entries, *WORKERS)
    for path in seen:
        script = SCRIPTS[path]
        named |= {f"web.{key}" for key in re.findall(r'\bt\("([a-z_.0-9]+)"', script)}
        named |= set(re.findall(r'spoken\.(?:text|say)\("([a-z_]+\.[a-z_.]+)"', script))
        if path != "/frames.js":  # where bytes are damaged no game is shown
            named |= set(re.findall(r'"((?:acts|audit)\.[a-z_.]+[a-z_])"', script))
    assert len(named) > 300 and "/rulingform.js" in seen and "/play.js" in seen
    for language in LANGUAGES:
        texts = lang.catalogue(language)
        for title in known:
            sent = gamepage.of_one_title(texts, gamepage.others_than(title, known))
            assert not {key for key in named if key in texts} - sent.keys()
            assert not [key for key in sent if key.split(".")[0] in ("link", "tournament")]
            others = {other for other in known if other != title}
            assert not [key for key in sent if others.intersection(key.split("."))]
    hungary = gamepage.of_one_title(texts, gamepage.others_than("hungarian_rhapsody", known))
    typhoon = gamepage.of_one_title(texts, gamepage.others_than("typhoon", known))
    assert any(key.startswith("refusal.hr.") for key in hungary)
    assert not any(key.startswith(("refusal.hr.", "hr.")) for key in typhoon)
