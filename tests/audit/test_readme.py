"""The pages of `protocol/` are true and suffice: their bytes, their list of messages, and an
auditor written from them alone."""

import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import attrs
import pytest

from ops.contract import PLAYERS
from tests.audit import mini_auditor
from tests.audit.tamper import forged
from tests.audit.test_forgeries import counting, small
from tests.fixtures import example, notation
from tests.laws.titles import FEWER, PLAIN, Case, game
from tests.toys import PACKS, TOYS
from warledger.clients.audit.examine import examine
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.testing.randomgames import begin, play, play_on
from warledger.protocol import canon
from warledger.protocol.chance.seal import seals_of
from warledger.protocol.wire import messages
from warledger.protocol.wire.session import LENGTH_BYTES

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


def blocks(text: str) -> list[str]:
    """The quoted blocks of a page."""
    return re.findall(r"```\n(.*?)\n```", text, re.DOTALL)


def test_what_is_quoted_is_what_the_examples_hold() -> None:
    """The page's quotations, made anew, are those that stand there, and no other page quotes any;
    `python -m tests.fixtures.example` writes them."""
    for name in ("vectors.md", "wire.md"):
        assert example.page(PAGES[name]) == PAGES[name]
    hexadecimal = re.compile(r"(?:[0-9a-f]{2} ){7}")
    for name, page in PAGES.items():
        quoted = [one for one in blocks(page) if hexadecimal.match(one)]
        assert len(quoted) == (5 if name == "vectors.md" else 0), name


def test_the_words_beside_the_bytes_are_what_these_decode_to() -> None:
    """The fields of each record that is quoted, read and packed again, are the bytes above them,
    and these stand in the file."""
    file, found = example.WLOG.read_bytes(), 0
    for data, words in pairwise(blocks(PAGES["vectors.md"])):
        if not words.startswith("seq "):
            continue
        found += 1
        fields = re.split(r"^(?:body\.)?[a-z_]+ +", words, flags=re.MULTILINE)[1:]
        seq, at_ms, actor, kind, *body, previous = map(notation.read, fields)
        raw = bytes.fromhex(data)
        assert canon.pack((seq, at_ms, actor, kind, tuple(body), previous)) == raw
        assert raw in file
    assert found == 4


def test_the_words_beside_the_frames_are_what_these_decode_to() -> None:
    """Each message of the conversation, read and packed again, is its frame, unless bytes in it are
    cut."""
    spoken = re.split(r"^(?=[CS] )", blocks(PAGES["vectors.md"])[-1], flags=re.MULTILINE)[1:]
    session = example.SESSION.read_text(encoding="ascii").splitlines()
    whole = 0
    for frame, quoted in zip(session, spoken, strict=True):
        head, shown, words = quoted.split("\n", 2)
        data = bytes.fromhex(frame[2:])[LENGTH_BYTES:]
        assert (head[0], shown.strip().rstrip("…")) == (frame[0], frame[2 : 2 + 128])
        assert head[2:] == canon.unpack(data)[0]
        if "…" not in words:
            whole += 1
            assert canon.pack(notation.read(words)) == data
    assert whole == len(session) - 2, "but for the two that hold records"


def test_the_paths_of_seals_that_the_page_names_are_those_of_the_example() -> None:
    """The last sentence about paths names every seal of record 7, and no other."""
    named = re.search(
        r"Record 7 of the \[example\].*? has seals at (.*)\.$", PAGES["chance.md"], re.M
    )
    assert named
    record = example.game().records[7]
    paths = re.findall(r"`(\[.*?\])`", named[1])
    assert [str(list(path)) for path, _ in seals_of(record)] == paths


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


def test_a_players_messages_stand_first_each_with_an_example() -> None:
    """The twelve that play a game: the page's table begins with them, and each example is of its
    message."""
    assert list(rows())[:12] == list(PLAYERS)
    (quoted,) = [one for one in blocks(PAGES["wire.md"]) if '"hello"' in one]
    said = [line.split(maxsplit=1) for line in quoted.splitlines()]
    assert [words.split('"')[1] for _, words in said] == list(PLAYERS)
    assert [sender for sender, _ in said] == [rows()[tag][0] for tag in PLAYERS]


# --- an auditor from the pages alone --------------------------------------------------------------


def test_the_small_auditor_uses_nothing_of_ours() -> None:
    """It imports hashing, check sums and msgpack, and not a line of this repository but its own
    modules, each of which is beside it."""
    folder = Path(mini_auditor.__file__).parent
    own = {f"tests.audit.{path.stem}" for path in folder.glob("mini_*.py")}
    assert "tests.audit.mini_clocks" in own
    for module in sorted(own):
        text = (folder / f"{module.rpartition('.')[2]}.py").read_text(encoding="utf-8")
        imports = set(re.findall(r"^(?:from|import) (\S+)", text, re.MULTILINE))
        assert imports - own <= {"hashlib", "hmac", "msgpack", "typing", "zlib"}, module


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
