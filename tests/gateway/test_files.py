"""The page's files as they are served."""

import re
from pathlib import Path
from posixpath import dirname, join, normpath

from warledger.engine.runtime import titles
from warledger.engine.serve.http import gamepage
from warledger.engine.serve.http.pagefiles import SOURCES, WORKERS, Files, digest, read
from warledger.protocol import lang
from warledger.protocol.texts.phrases import LANGUAGES

WEB = Path(__file__).resolve().parents[2] / "clients" / "web"


SCRIPTS = {
    "/" + file.relative_to(WEB).as_posix(): file.read_text() for file in sorted(WEB.rglob("*.js"))
}


def body(files: Files, path: str) -> bytes | None:
    """What is served at a path; None for nothing."""
    found = files.find(path)
    return None if found is None else found.body


def test_what_was_built_is_served_while_its_sources_are_the_same(tmp_path: Path) -> None:
    """A built file takes the place of the source with its path, and others stay. After any source
    has changed, come or gone, and for whoever works on the page, the sources are served."""
    web, built = tmp_path / "web", tmp_path / "built"
    for folder in (web, built):
        folder.mkdir()
    sources = {"main.js": "// a\n  b();\n", "part.js": "c();\n", "page.css": "p {}"}
    for name, text in sources.items():
        (web / name).write_text(text)
    (built / "main.js").write_text("b();c();")
    (built / "main.js.map").write_text("{}")
    assert body(Files(web, built=built), "/main.js") == b"// a\n  b();\n"

    (built / SOURCES).write_text(digest(dict(read(web))))
    files = Files(web, built=built)
    assert body(files, "/main.js") == b"b();c();" and body(files, "/main.js.map") == b"{}"
    assert body(files, "/part.js") == b"c();\n" and body(files, f"/{SOURCES}") is None
    assert body(Files(web, built=built, fresh=True), "/main.js") == b"// a\n  b();\n"

    for name, text in (("page.css", "q {}"), ("more.js", ""), ("part.js", None)):
        if text is None:
            (web / name).unlink()
        else:
            (web / name).write_text(text)
        assert body(Files(web, built=built), "/main.js") == b"// a\n  b();\n"
        if name in sources:
            (web / name).write_text(sources[name])
        else:
            (web / name).unlink()
        assert body(Files(web, built=built), "/main.js") == b"b();c();"


def test_what_the_page_runs_in_workers_is_known() -> None:
    """Every script that a module starts as a worker is served, and built, as one."""
    named = {
        normpath(join(dirname(path), worker))
        for path, script in SCRIPTS.items()
        for worker in re.findall(r'new Worker\(new URL\("([^"]+)", import\.meta\.url\)', script)
    }
    assert named == set(WORKERS) <= SCRIPTS.keys()
    assert sum(script.count("new Worker(") for script in SCRIPTS.values()) == len(named)


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


def test_a_page_of_a_game_gets_every_sentence_that_its_modules_name() -> None:
    """What is left out of the sentences for a game is named by no module that its page loads, in
    any language."""
    known = titles.installed()
    named: set[str] = set()
    entries = (
        "/main.js",
        "/games/gameview.js",
        "/play/seated.js",
        "/games/branch.js",
        "/show/cast.js",
    )
    seen = needed_by(*entries, *WORKERS)
    for path in seen:
        script = SCRIPTS[path]
        named |= {f"web.{key}" for key in re.findall(r'\bt\("([a-z_.0-9]+)"', script)}
        named |= set(re.findall(r'spoken\.(?:text|say)\("([a-z_]+\.[a-z_.]+)"', script))
        if path != "/records/frames.js":  # where bytes are damaged no game is shown
            named |= set(re.findall(r'"((?:acts|audit)\.[a-z_.]+[a-z_])"', script))
    assert len(named) > 300 and "/desk/rulingform.js" in seen and "/play/play.js" in seen
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
