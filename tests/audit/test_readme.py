"""The pages of `protocol/` are true and suffice: their bytes, their list of messages, and an
auditor written from them alone."""

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.audit import mini_auditor, mini_clocks, mini_docket
from tests.audit.tamper import forged
from tests.audit.test_forgeries import counting, small
from tests.fixtures import example
from tests.laws.titles import FEWER, PLAIN, Case, game
from tests.toys import PACKS, TOYS
from warledger.clients.audit.examine import examine
from warledger.engine.runtime.export import export_game
from warledger.engine.testing.randomgames import begin, play, play_on
from warledger.protocol import messages

FOLDER = Path(__file__).resolve().parents[2] / "protocol"
PAGES = {page.name: page.read_text(encoding="utf-8") for page in FOLDER.glob("*.md")}


# --- the pages ------------------------------------------------------------------------------------


def headings(text: str) -> set[str]:
    """The anchors of a page, as GitHub makes them."""
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in found}


def test_every_link_between_the_pages_leads_somewhere() -> None:
    """Each link of the pages, and of the other documents to them, names a page and a heading that
    are there; README leads to every page."""
    root = FOLDER.parent
    others = [*root.glob("*.md"), *root.glob("docs/*.md")]
    for file in (*FOLDER.glob("*.md"), *others):
        for target in re.findall(r"\]\(([^)\s]+)\)", file.read_text(encoding="utf-8")):
            name, _, anchor = target.partition("#")
            page = (file.parent / name).resolve() if name else file
            if ":" in target or (file in others and page.parent != FOLDER):
                continue
            assert page.exists(), (file.name, target)
            if anchor:
                assert anchor in headings(page.read_text(encoding="utf-8")), (file.name, target)
    assert set(re.findall(r"\((\w+\.md)", PAGES["README.md"])) == set(PAGES) - {"README.md"}


def test_the_pages_are_for_readers_of_any_language() -> None:
    """What an arbiter reads is short, and no page has names that only this code knows."""
    assert len(PAGES["file.md"].splitlines()) < 200
    for name, text in PAGES.items():
        for leftover in ("FROM_GENESIS", "NOW", 'b""', "None", "Submit", "dice.nonce_hash"):
            assert not re.search(rf"(?<!\w){re.escape(leftover)}(?!\w)", text), (name, leftover)


# --- the examples ---------------------------------------------------------------------------------


def test_the_example_game_is_sound() -> None:
    """Nothing is found in it by either auditor. (That it is made again to the byte is tested
    beside it.)"""
    data = example.WLOG.read_bytes()
    assert examine(data).findings == []
    assert mini_auditor.audit(data).ended


def test_the_bytes_quoted_are_those_of_the_examples() -> None:
    """Every hexadecimal block of the pages stands in one of the fixtures."""
    blocks = [
        block.strip("\n").splitlines()
        for page in PAGES.values()
        for block in re.findall(r"```\n(.*?)```", page, re.DOTALL)
    ]
    file = example.WLOG.read_bytes().hex()
    session = example.SESSION.read_text(encoding="ascii")
    assert len(blocks) == 4
    for lines in blocks[:3]:
        assert "".join(lines).replace(" ", "").rstrip("…") in file
    spoken = [line.strip() for line in blocks[3]]
    tags = [message.tag for _, message in example.conversation()]
    assert [line.split()[1] for line in spoken[::2]] == tags
    for quoted in spoken[1::2]:
        assert quoted.rstrip("…") in session


# --- the messages ---------------------------------------------------------------------------------


def rows() -> dict[str, tuple[str, list[str], list[str]]]:
    """The page's table: tag -> sender, fields in order, what may answer."""
    found = {}
    for line in PAGES["wire.md"].splitlines():
        cells = re.split(r"(?<!\\)\|", line)
        if (
            len(cells) == 7
            and cells[1].strip().startswith("`")
            and cells[2].strip() in ("client", "server", "either")
        ):
            fields = re.findall(r"`([a-z_]+)` ", cells[3])
            found[cells[1].strip().strip("`")] = (
                cells[2].strip(),
                fields,
                re.findall(r"`([a-z_]+)`", cells[4]),
            )
    return found


def test_every_message_is_described() -> None:
    """The table lists just the messages there are, each with its sender, its fields in order, and
    its answers."""
    classes: tuple[Any, ...] = messages.all_messages()
    defined = {
        cls.tag: (
            cls.sender or "either",
            [field.name for field in attrs.fields(cls)],
            list(cls.answers),
        )
        for cls in classes
    }
    assert rows() == defined


# --- an auditor from the pages alone --------------------------------------------------------------


@cache
def source() -> str:
    """The small auditor's own text."""
    return Path(mini_auditor.__file__).read_text(encoding="utf-8")


def test_the_small_auditor_uses_nothing_of_ours() -> None:
    """It imports hashing, check sums and msgpack, and not a line of this repository."""
    imports = re.findall(r"^(?:from|import) (\S+)", source(), re.MULTILINE)
    assert sorted(imports) == [
        *("hashlib", "hmac", "msgpack", "tests.audit.mini_clocks", "tests.audit.mini_docket"),
        *("typing", "zlib"),
    ]
    for module in (mini_clocks, mini_docket):
        beside = Path(module.__file__).read_text(encoding="utf-8")
        assert re.findall(r"^(?:from|import) (\S+)", beside, re.MULTILINE) == ["typing"]


@pytest.mark.parametrize("title", TOYS)
def test_the_small_auditor_finds_our_games_sound(title: str) -> None:
    """Whole games with takebacks and requests, and the export of one in progress."""
    for seed in range(FEWER.get(title, 5)):
        data = play(TOYS[title], PACKS[title], seed, requests=0.2).file()
        found, other = mini_auditor.audit(data), examine(data)
        assert found.ended and (found.checked, found.acts) == (other.draws, other.acts), seed
    live = play_on(
        begin(TOYS["counting"], PACKS["counting"], options={"turns": 10}),
        random.Random(2),
        commands=8,
    )
    assert not mini_auditor.audit(export_game(live.frames())).ended


@pytest.mark.parametrize(
    "case", [case for case in PLAIN if case.title not in TOYS], ids=lambda case: case.name
)
def test_the_small_auditor_finds_real_titles_sound(case: Case) -> None:
    """A random game of each title."""
    assert mini_auditor.audit(game(case.name, 0).file()).ended


def test_the_small_auditor_finds_forgeries() -> None:
    """Flipped bytes, loaded dice, other openings, links and signatures."""
    data = small().file()
    for at in range(0, len(data), 5):
        with pytest.raises(Exception):  # noqa: B017 - whatever it trips over, it is found
            mini_auditor.audit(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
    played = counting()
    for record in played.records:
        if record.kind == "command" and any(draw[0] for draw in record.body[5]):
            index = next(i for i, draw in enumerate(record.body[5]) if draw[0])
            sides, number = record.body[5][index][3]
            with pytest.raises(mini_auditor.Unsound):
                mini_auditor.audit(
                    forged(played, record.seq, (5, index, 3), (sides, (number + 1) % sides))
                )
        elif record.kind == "open":
            with pytest.raises(mini_auditor.Unsound):
                mini_auditor.audit(forged(played, record.seq, (1,), b"\1" * 32))
        elif record.kind == "end":
            for path, new in (((4,), b"\1" * 32), ((5,), b"\1" * 32), ((8,), "draw")):
                with pytest.raises(mini_auditor.Unsound):
                    mini_auditor.audit(forged(played, record.seq, path, new))
        elif record.kind == "reveal":
            for path, new in (((0, 0, 3), "dog"), ((0,), record.body[0][1:])):
                with pytest.raises(mini_auditor.Unsound):
                    mini_auditor.audit(forged(played, record.seq, path, new))


def test_the_small_auditors_signatures_are_real() -> None:
    """Its Ed25519, written from the RFC, agrees with the library on good and bad signatures."""
    played = small()
    key = played.key.verify_key.encode()
    for text in (b"", b"a", b"warledger" * 9):
        good = played.key.sign(text).signature
        assert mini_auditor.signed_by(key, text, good)
        assert not mini_auditor.signed_by(key, text + b"x", good)
        assert not mini_auditor.signed_by(key, text, good[:40] + bytes([good[40] ^ 1]) + good[41:])
