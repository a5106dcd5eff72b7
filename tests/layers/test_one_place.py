"""Each property of a record is decided in one module: a second one that did the work would differ
one day. The page and the small auditor have a place of their own, and share no code with it."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from attrs import field, frozen

from tests.layers.test_imports import modules


@frozen
class Property:
    """Something that records decide. `work` are what code that decides it cannot do without, as
    patterns of Python as `ast.unparse` writes it; `place` is the module that may; `beside` are
    others in which the same words mean something else, with what that is."""

    place: str
    work: tuple[str, ...]
    beside: dict[str, str] = field(factory=dict)


PROPERTIES = {
    "what must follow": Property(
        "protocol.log.owed",
        (
            r"outcome\.(resigned|draw_agreed|expired|lapsed)'",
            r"turns \+ 1\b|turns >=? \S*epoch|epoch <=? \S*turns",
            r"\b(all|any)\(.*\bnonce is ",
            r"len\([\w.]*consents\)|consents\) [<=]",
            r"else None, (RESIGNED|FORFEITED|FLAGGED)\b",
        ),
    ),
    "what must follow in a ledger": Property(
        "protocol.log.owed",
        (
            r"'published', records\.",
            r"\bexpects = forms\.",
            r"event\[0\] == '(published|finished)'",
        ),
    ),
    "links": Property(
        "protocol.chance.drawing",
        (r"\bnext_link\(",),
        {
            "protocol.chance.dice": "defines it",
            "protocol.chance.secrets": "makes a chain",
            "clients.audit.ledgercourse": "the links of a ledger",
        },
    ),
    "draws": Property("protocol.chance.drawing", (r"\bdice\.verify\(",)),
    "which turns have ended": Property("protocol.log.owed", (r"_turns \+= |\bself\.ended \+= ",)),
    "turns that close": Property(
        "protocol.board.effects",
        (r"\(?CLOSE, 'turn'\)?", r"def turns_closed"),
        {
            "engine.tournaments.tournamentdoor": "the rounds of a tournament",
        },
    ),
    "a signature": Property("protocol.seats.acts", (r"\bVerifyKey\(", r"\bcrypto_sign_open\(")),
    "a head's signature": Property("protocol.log.chain", (r"\bHEAD_TAG\b", r"warledger/head/")),
    "a head's form": Property(
        "protocol.log.chain", (r"\bHead\(\*", r"case \[str\(game\), int\(seq\)")
    ),
    "which key signs a head": Property(
        "protocol.log.chain", (r"\b(ends\[\w+\]|since|until) > seq\b", r"\bseq >= (since|until)\b")
    ),
    "news": Property(
        "protocol.board.effects",
        (r"== LEARN\b", r"def \w*(news|hides)\w*\(.*(picks|effects)"),
    ),
    "standing answers": Property(
        "protocol.seats.standing",
        (
            r"for .*\balternatives\b.* in enumerate",
            r"\(GAME,\)|\[2\] (in|==) .*(span|GAME|TURN)",
            r"\b(until|span) == (GAME|TURN|span)\b",
        ),
    ),
    "where seals are": Property(
        "protocol.chance.seal",
        (
            r"is canon\.Seal or .* is Secret|is Secret or .* is (canon\.)?Seal",
            r"\byield from _\w+\(.*\bcanon\.unpack\(",
        ),
    ),
    "canonical bytes": Property(
        "protocol.canon",
        (r"^import msgpack|^from msgpack",),
        {
            "protocol.log.records": "the beginning of a record that is not read yet",
            "protocol.chance.seal": "packs secrets like seals",
            "clients.audit.fields": "names the field of a byte in damaged records",
            "engine.runtime.snapshots.plaindata": "what processes of one machine tell one another",
            "engine.serve.fleet.bridges": "the same",
            "engine.serve.fleet.node": "the same",
            "engine.store.files.datadir": "a checkpoint of a store",
        },
    ),
    "what a clock is charged": Property(
        "protocol.clocks.clock", (r"\['(bank|ran|used)'\] [-+]?= ",)
    ),
    "which head vouches": Property(
        "clients.audit.heads", (r"\.vouched = |\bvouched=|signed_hashes\.setdefault",)
    ),
    "a verdict's code": Property(
        "clients.audit.verdict",
        (
            r"\b(report|verdict)\w*\._?(findings|reservations|sound)\b",
            r"\b0 if .*sound.* else 1",
            r"\bUNSOUND if UNSOUND in ",
        ),
        {
            "clients.commands.demos.fleetdemo": "whether all games of the demonstration are",
            "clients.commands.figures.luck": "whether all files are",
        },
    ),
    "a verdict's words": Property(
        "clients.audit.verdict",
        (r"'audit\.(means|do|checked|unchecked|found)\b",),
        {
            "clients.audit.evidence": "what was looked at in a game",
            "clients.audit.ledgercourse": "what was looked at in a ledger",
            "clients.audit.tournamentreplay": "what was left out of a ledger's audit",
            "clients.audit.audit": "what was left out of a game's audit",
            "clients.audit.commands": "a file that cannot be replayed",
        },
    ),
    "a frame's reading": Property("protocol.log.wlog", (r"'>IBI?'", r"\b_FRAME\.unpack")),
}

WHERE = ("protocol", "engine", "clients")


def without_docstrings(text: str) -> str:
    """The code of a module, each statement on a line, without what is said about it."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                one
                for one in body
                if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
            ] or [ast.Pass()]
    return ast.unparse(tree)


@cache
def code() -> dict[str, str]:
    """Every module of ours but the titles, by name."""
    return {
        name: without_docstrings(path.read_text(encoding="utf-8"))
        for name, path in modules(*WHERE)
        if not name.startswith(("engine.games", "engine.testing"))
    }


def who_works(work: tuple[str, ...], sources: dict[str, str]) -> dict[str, list[str]]:
    """The modules that do any of this work, with the lines."""
    found = {
        name: [line for line in text.splitlines() if any(re.search(one, line) for one in work)]
        for name, text in sources.items()
    }
    return {name: lines for name, lines in found.items() if lines}


@pytest.mark.parametrize("name", PROPERTIES)
def test_one_module_decides_it(name: str) -> None:
    """No other module does the work, and each that is listed does."""
    known = PROPERTIES[name]
    found = who_works(known.work, code())
    assert {
        one: lines for one, lines in found.items() if one not in {known.place, *known.beside}
    } == {}
    assert sorted({known.place, *known.beside} - set(found)) == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("what must follow", "outcome = Outcome(None, Say('outcome.draw_agreed'))"),
        ("what must follow", "closed = max(0, self.turns + 1 - self.epoch)"),
        ("what must follow", "if all(other.nonce is not None for other in seats): pass"),
        ("what must follow", "if len(request.consents) < len(self.seats) - 1: pass"),
        (
            "what must follow in a ledger",
            "opens = any(event[0] == 'published' for event in events)",
        ),
        ("links", "right = dice.next_link(link) == before"),
        ("which turns have ended", "self._turns += effects.turns_closed(body.effects)"),
        ("a signature", "VerifyKey(key).verify(message, signature)"),
        ("a head's form", "head = Head(*canon.unpack(frame.payload))"),
        ("which key signs a head", "keys = [key for since, key in rotations if since > seq]"),
        ("news", "def hides_news(picks: Any, events: Any) -> bool: return True"),
        ("standing answers", "stands = [entry for entry in entries if entry[2] == GAME]"),
        ("where seals are", "hidden = kind is Secret or kind is Seal"),
        ("canonical bytes", "import msgpack"),
        ("which head vouches", "found.vouched = newest"),
        ("a verdict's code", "code = 0 if report.sound else 1"),
        ("a verdict's code", "for finding in report.findings[:3]: pass"),
        ("a verdict's words", "yield phrases.text('audit.means.sound.game')"),
        ("what a clock is charged", "own['bank'] -= ran"),
        ("a frame's reading", "length, kind, crc = struct.unpack('>IBI', data)"),
    ],
)
def test_a_second_place_is_found(name: str, line: str) -> None:
    """Each line did the work in a second module once, or would."""
    assert who_works(PROPERTIES[name].work, {"second": without_docstrings(line)})


def test_the_small_auditor_shares_no_code() -> None:
    """It was written from the pages, and imports nothing of ours but itself."""
    wrong = [
        f"{name}: {line}"
        for name, path in _own()
        for line in without_docstrings(path.read_text(encoding="utf-8")).splitlines()
        if re.match(r"\s*(import|from) (warledger|engine|protocol|clients)\b", line)
    ]
    assert wrong == []


PAGE = Path(__file__).resolve().parents[2] / "clients" / "web"
ON_THE_PAGE = {
    "a signature": ("ed25519", r"crypto\.subtle\.verify\("),
    "which key signs a head": ("heads", r"\[0\] > seq\b|\bseq >= since\b"),
    "a head's form": ("heads", r"a head is \[game"),
    "a frame's reading": ("frames", r"\bgetUint32\(at"),
    "the form of a body": ("shapes", r"\bclass BadShape\b"),
    "where seals are": ("seals", r"\bmisplaced \?\?="),
    "links": ("drawing", r"\bsha256\(LINK\b"),
    "draws": ("drawing", r"\bexpected === draw\."),
    "which turns have ended": ("owed", r"\bthis\.(ended|turns) \+="),
    "turns that close": ("effects", r'=== "close" && effect\[1\] === "turn"'),
    "what must follow": ("owed", r'"outcome\.(resigned|draw_agreed|expired|lapsed)", \['),
    "news": ("acting", r'=== "learn"'),
    "standing answers": ("standing", r'=== "turn" && turnOver'),
    "who is asked": ("course", r"audit\.not_asked"),
}
"""What the page decides of records, in which module, and what the code that does it cannot do
without."""


@pytest.mark.parametrize("name", ON_THE_PAGE)
def test_one_module_of_the_page_decides_it(name: str) -> None:
    """No other does the work."""
    place, work = ON_THE_PAGE[name]
    found = [
        path.stem
        for path in sorted(PAGE.rglob("*.js"))
        if re.search(work, path.read_text(encoding="utf-8"))
    ]
    assert found == [place]


def test_what_the_page_hashes_and_signs_is_named_in_one_module() -> None:
    """A text that sets one use of a hash or key apart stands once."""
    tags = Counter(
        tag
        for path in PAGE.rglob("*.js")
        for tag in re.findall(r'"(warledger/[a-z-]+/\d)"', path.read_text(encoding="utf-8"))
    )
    assert len(tags) > 15 and set(tags.values()) == {1}


def _own() -> list[tuple[str, Path]]:
    folder = Path(__file__).resolve().parents[1] / "audit"
    return [(path.stem, path) for path in sorted(folder.glob("mini_*.py"))]
