"""Cases: one claim with everything to judge it, made from a log alone, and checked by making it
again. Forged cases are found, and a file that is none is refused without harm."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from attrs import evolve as replace
from click.testing import CliRunner
from rich.console import Console

from tests.kernel.disputes import RULEBOOK, a_case, frozen, table
from tests.toys import counting
from tests.verdicts import is_clean
from warledger.clients.audit import case as cases
from warledger.clients.audit.case import BadCase, Question, build, check, packed, unpacked
from warledger.clients.audit.casepictures import svg
from warledger.clients.cli.cases import case as command
from warledger.clients.commands.play import cases as commands
from warledger.clients.terminal.screen import Screen
from warledger.engine.testing.randomgames import Played, arbiter, begin, signing_key
from warledger.protocol.board.description import Description, Place, Shape
from warledger.protocol.board.effects import Board, Piece
from warledger.protocol.clocks.clock import reading
from warledger.protocol.log import wlog
from warledger.protocol.log.deskbodies import Heard
from warledger.protocol.texts.phrases import LANGUAGES, Phrases

KEY = signing_key().verify_key.encode()


def log_of(played: Played) -> bytes:
    """The arbiter's file of a game."""
    return wlog.encode(played.frames(), sealed=True)


def made(played: Played | None = None, n: int = 2, **more: object) -> dict[str, bytes]:
    """The files of a case, of a game with many rulings if none is given."""
    log = log_of(played or a_case())
    asked = (Question("b", ("fly",)), Question("a", ("add",)))
    given = {"key": KEY, "asked": asked, "rulebook": RULEBOOK, "release": "1", **more}
    return build(log, n, **given)  # type: ignore[arg-type]


def test_a_case_holds_the_claim_the_ruling_and_what_each_seat_was_offered() -> None:
    """Before the disputed record and after it, with every pick of its command, and the answer to
    what somebody asks."""
    played = a_case()
    files = made(played)
    case = json.loads(files["case.json"])
    claim = next(one for one in played.records if one.body[:2] == ("claim", 2))
    record = played.records[claim.body[3]]
    assert (case["claim"], case["record"]) == (2, record.seq)
    words = [one["body"][0] for one in case["log"]]
    assert words[:3] == ["claim", "said", "heard"]
    assert words.count("ruled") == 2
    assert case["head"] == {"seq": played.position.seq, "hash": played.records[-1].hash.hex()}
    before = [one for one in case["offers"] if one["after"] == record.seq - 1]
    (asked,) = [one for one in before if not one["picks"] and "choices" in one]
    assert asked["seat"] == record.actor
    assert [one["picks"] for one in before if one["seat"] == record.actor][1] != []
    (refused,) = [one for one in before if one["picks"] == ["fly"]]
    assert "refused" in refused
    assert {one["seat"] for one in case["offers"] if one["after"] == record.seq} == {"a", "b"}
    assert json.loads(files["verdict.json"])["verdict"] == "sound"
    for language in LANGUAGES:
        assert f"{record.seq:>5}  ".encode() in files[f"story.{language}.txt"]
        assert b"9.2" in files[f"story.{language}.txt"]
        course = files[f"claim.{language}.txt"].decode().splitlines()
        timed = [line for line in course if " UTC  " in line]
        numbers = [int(line.split()[0]) for line in timed]
        assert numbers == sorted(numbers) and numbers[0] == record.seq
        assert {one["seq"] for one in case["log"]} <= set(numbers)
        parts = [n for n, line in enumerate(course) if not line]
        assert course[1] == timed[0] and len(parts) == 3
        result = course[parts[1] + 2 :]
        assert len(result) >= words.count("ruled") and all("9.2" in one for one in result[:1])
        assert files[f"offers.{language}.txt"].strip()
        assert files[f"board.before.public.{language}.txt"].strip()
    assert files["game.wlog"] == log_of(played)


def test_a_case_about_the_genesis_shows_it_and_what_was_offered_after_it() -> None:
    """A pack that is not the game's can be disputed; nothing is before record 0."""
    played = table()
    played.commit(played.claim("b", 0))
    case = json.loads(made(played, 1)["case.json"])
    assert (case["claim"], case["record"]) == (1, 0)
    assert {one["after"] for one in case["offers"]} == {0}
    assert check(packed(made(played, 1)), key=KEY, rulebook=RULEBOOK).is_whole


def test_a_case_says_what_was_chosen_and_whether_the_claims_clause_decided_it() -> None:
    """The picks of the disputed command stand behind its story, and that the clause of the claim is
    none of those by which the record was decided. (That it is one: the demonstration's case.)"""
    disputed = made()["claim.en.txt"].decode().split("\n\n")[0].splitlines()
    assert disputed[-2:] == [
        "What b chose in record 9: add, 2",
        "Record 9 was decided under 2 and 1; the claim cites 9.2, which is not among them.",
    ]


def test_a_case_says_how_the_game_ended_and_what_each_clock_showed() -> None:
    """As the disputed record came and after the last one about the claim; the same in words and for
    programs. Nothing about clocks in a game without."""
    played = table()
    played.commit(played.claim("b", 7))
    files = made(played, 1)
    clocks = json.loads(files["case.json"])["clocks"]
    last = played.position.seq
    assert [one["record"] for one in clocks] == [7, last]
    assert {one["seat"]: one["left_ms"] for one in clocks[1]["seats"]} == {
        one.seat: reading(played.ledger.pace.control, played.position.clocks, one.seat, at).left
        for one in played.position.clocks.seats
        for at in [played.records[-1].at_ms]
    }
    text = files["claim.en.txt"].decode()
    assert f"Up to record {last}, the last of this file, the game had not ended." in text
    assert "The clocks when record 7 came:\n  a: " in text
    assert text.count("Running.") == sum(
        one["stopped"] == "" for moment in clocks for one in moment["seats"]
    )
    done = made(a_case())
    assert "the end of the game: " in done["claim.en.txt"].decode() or (
        "had not ended" in done["claim.en.txt"].decode()
    )
    bare = begin(counting.RULES, counting.PACK, options={"turns": 10})
    bare.submit(bare.position.open[0][0], "add", 2)
    bare.commit(bare.claim("b", bare.position.seq))
    told = made(bare, 1)
    assert json.loads(told["case.json"])["clocks"] == []
    assert "clocks" not in told["claim.en.txt"].decode()


def test_a_case_made_with_other_rules_is_not_called_altered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It cannot be confirmed here; a case of the same rules that differs was altered, and so is one
    with a file too many, whatever the rules."""
    files = made()
    file = tmp_path / "case.zip"
    monkeypatch.setattr(commands, "_release", lambda: "1")

    def verdict(of: dict[str, bytes], digest: bytes) -> str:
        file.write_bytes(packed(of))
        rules = replace(RULEBOOK, digest=lambda title: digest)
        monkeypatch.setattr(commands, "installed", lambda: rules)
        (tmp_path / "key").write_text(KEY.hex())
        done = CliRunner().invoke(command, [str(file), "--check", "--key", str(tmp_path / "key")])
        assert done.exit_code == 1
        return done.output.splitlines()[-1]

    own = a_case().ledger.genesis.digest
    changed = {**files, "story.en.txt": b"Nothing.\n"}
    other = hashlib.sha256(own).digest()
    assert verdict(files, other).startswith("THIS CASE CANNOT BE CONFIRMED HERE")
    assert verdict(changed, own).startswith("THIS CASE WAS ALTERED")
    assert verdict({**files, "more": b""}, other).startswith("THIS CASE WAS ALTERED")


def test_two_cases_of_one_log_are_equal_and_a_check_of_one_finds_nothing() -> None:
    """Byte for byte; of a game in progress as well, and of a claim that nobody has heard."""
    played = table()
    played.commit(played.claim("b", 7))
    for game, n in ((None, 2), (frozen(), 1), (played, 1)):
        one = packed(made(game, n))
        assert one == packed(made(game, n))
        found = check(one, key=KEY, rulebook=RULEBOOK)
        assert found.differing == ()
        assert is_clean(found.report)


def test_a_flag_that_froze_a_game_is_claim_0() -> None:
    """What is disputed is the flag itself."""
    played = table()
    played.at_ms = played.records[-1].at_ms + 700_000
    played.commit(played.ledger.propose_flag(played.at_ms))
    with pytest.raises(BadCase, match="no_claim"):
        made(played, 0)
    played.commit(played.note(arbiter("Ann"), Heard(0)))
    case = json.loads(made(played, 0)["case.json"])
    assert case["record"] == played.position.seq - 1
    assert [one["body"][0] for one in case["log"]] == ["flag", "heard"]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("case.json", b'"9.2"', b'"9.3"'),
        ("case.json", b"The third die was not mine.", b"The third die was mine."),
        ("offers.en.txt", b"was asked", b"was told"),
        ("story.zh-Hans.txt", "申诉".encode(), "异议".encode()),
        ("board.before.a.en.txt", b"a", b"b"),
        ("verdict.json", b'"level": 2', b'"level": 1'),
        ("README.txt", b"KEY", b"key"),
    ],
)
def test_a_case_in_which_a_text_was_changed_is_found(name: str, old: bytes, new: bytes) -> None:
    """The file is named; the log itself is sound."""
    files = made(frozen(), 1)
    assert old in files[name]
    forged = {**files, name: files[name].replace(old, new, 1)}
    found = check(packed(forged), key=KEY, rulebook=RULEBOOK)
    assert found.differing == (name,)
    assert is_clean(found.report)


def test_a_case_with_another_log_key_or_file_is_found() -> None:
    """A log that was changed is not sound; the key of somebody else is named; what does not belong
    in a case is named, and what is missing."""
    files = made()
    other = made(frozen(), 1)
    swapped = check(packed({**files, "game.wlog": log_of(a_case(clocks=False))}), **by(KEY))
    assert "case.json" in swapped.differing
    spoilt = bytearray(files["game.wlog"])
    spoilt[len(spoilt) // 2] ^= 1
    broken = check(packed({**files, "game.wlog": bytes(spoilt)}), **by(KEY))
    assert not is_clean(broken.report)
    thief = signing_key("thief").verify_key.encode()
    assert "server.pub" in check(packed(made(key=thief)), **by(KEY)).differing
    more = {**files, "note.txt": b"Believe me."}
    found = check(packed(more), **by(KEY))
    assert found.differing == found.foreign == ("note.txt",)
    for gone in ("verdict.json", "server.pub"):
        less = {name: data for name, data in files.items() if name != gone}
        found = check(packed(less), **by(KEY))
        assert found.differing == found.missing == (gone,)
    mixed = {**files, "story.en.txt": other["story.en.txt"]}
    assert check(packed(mixed), **by(KEY)).differing == ("story.en.txt",)


def test_a_zip_that_another_program_may_read_otherwise_is_said_to_be_altered() -> None:
    """The same files, with a comment, bytes before or behind them, another name in an extra field,
    or another order of what is listed."""
    files = made(frozen(), 1)
    good = packed(files)
    assert check(good, **by(KEY)).is_whole
    noted = io.BytesIO(good)
    with zipfile.ZipFile(noted, "a") as archive:
        archive.comment = b"settled for Axis"
    renamed = io.BytesIO()
    with zipfile.ZipFile(renamed, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.extra = b"\x75\x70\x05\x00\x01other"
            archive.writestr(entry, data)
    around = (b"before" + good, good + b"behind")
    for data in (noted.getvalue(), *around, zipped(files), renamed.getvalue()):
        found = check(data, **by(KEY))
        assert not found.differing and not found.is_whole


def by(key: bytes) -> dict[str, object]:
    """How the cases of these tests are checked."""
    return {"key": key, "rulebook": RULEBOOK}


def zipped(files: dict[str, bytes], *, packs: int = zipfile.ZIP_STORED) -> bytes:
    """A zip that this project did not write."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packs) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_what_is_no_case_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text, half a zip, a zip of something else, a packed bomb, one of too many bytes, and one that
    asks for what it cannot."""
    files = made(frozen(), 1)
    good = packed(files)
    case = json.loads(files["case.json"])
    wrong = [
        b"",
        b"PK",
        good[: len(good) // 2],
        zipped({"a": b"b"}),
        zipped(files, packs=zipfile.ZIP_DEFLATED),
        packed({**files, "case.json": b"[]"}),
        packed({**files, "case.json": b"[" * 100_000}),
        packed({**files, "server.pub": b"00"}),
        *(
            packed({**files, "case.json": json.dumps({**case, **bad}).encode()})
            for bad in ({"claim": "1"}, {"asked": [[]]}, {"asked": "x"}, {"form": "x"})
        ),
    ]
    for data in wrong:
        with pytest.raises(BadCase):
            check(data, key=KEY, rulebook=RULEBOOK)
    monkeypatch.setattr(cases, "FILE_BYTES_MAX", 100)
    with pytest.raises(BadCase):
        unpacked(good)


def test_no_case_is_made_of_a_claim_or_a_seat_that_there_is_not() -> None:
    """It is said what there is."""
    log = log_of(frozen())
    for n, asked, key in (
        (7, (), "cli.case.no_claim"),
        (1, (Question("c", ()),), "cli.case.no_seat"),
    ):
        with pytest.raises(BadCase) as error:
            build(log, n, key=KEY, asked=asked, rulebook=RULEBOOK, release="1")
        assert error.value.key == key
    with pytest.raises(BadCase) as error:
        build(b"no log", 1, key=KEY, rulebook=RULEBOOK, release="1")
    assert error.value.key == "cli.case.no_log"


def test_a_case_is_written_and_checked_from_the_command_line(tmp_path: Path) -> None:
    """Of a file; the check exits as the audit does, and with 1 for one that was changed. Where the
    title is not installed, what was offered cannot be told, and is not."""
    (tmp_path / "game.wlog").write_bytes(log_of(frozen()))
    (tmp_path / "server.pub").write_text(KEY.hex())
    key = ["--key", str(tmp_path / "server.pub")]
    file = str(tmp_path / "case.zip")
    run = CliRunner().invoke
    done = run(command, [str(tmp_path / "game.wlog"), "1", "-o", file, "--lang", "en", *key])
    assert (done.exit_code, "Claim 1 is in" in done.output) == (0, True), done.output
    done = run(command, [file, "--check", "--lang", "en", *key])
    assert "follows from its log" in done.output
    assert done.exit_code == 3, "a game in progress"
    files = unpacked(Path(file).read_bytes())
    assert "counting is not installed" in json.loads(files["case.json"])["offers_unknown"]
    Path(file).write_bytes(packed({**files, "story.en.txt": b"It was all different.\n"}))
    done = run(command, [file, "--check", "--lang", "en", *key])
    assert (done.exit_code, "story.en.txt does not follow" in done.output) == (1, True)
    assert done.output.splitlines()[-1].startswith("THIS CASE CANNOT BE CONFIRMED HERE")
    for wrong in ([file], [file, "1", "--check"], ["nowhere.wlog", "1", "-o", file]):
        assert run(command, wrong).exit_code == 2


def test_boards_are_drawn_too() -> None:
    """Whole numbers, well-formed, with every piece by its name where the title has a map, whatever
    names a pack gives; None where it has none."""
    phrases = Phrases({"name.<a>": "A & <b>\x01", "name.u": 'U"\x00<'}, language="en")
    board = Board(pieces={"u": Piece("<a>", "front", "x")})
    for kind, grid in (("areas", None), ("hexes", Shape("flat", "odd"))):
        place = Place("<a>", (0, 0))
        drawn = svg(Description(kind, sides=("x",), grid=grid, places=(place,)), board, phrases)
        assert drawn is not None
        root = ElementTree.fromstring(drawn)
        assert 'U" <' in "".join(root.itertext()) and "." not in root.attrib["viewBox"]
    assert svg(Description("list"), board, phrases) is None


def test_no_case_is_written_of_a_log_that_is_not_sound(tmp_path: Path) -> None:
    """It would show what the file says, not what happened: what is wrong is said, and nothing is
    written. The check of a case says the verdict on its log first."""
    data = bytearray(log_of(frozen()))
    data[len(data) // 2] ^= 1
    (tmp_path / "g.wlog").write_bytes(bytes(data))
    screen = Screen(language="en", console=Console(file=StringIO(), width=200))
    case = tmp_path / "case.zip"
    assert commands.write(screen, str(tmp_path / "g.wlog"), 1, None, case, "", ()) == 1
    text = screen.console.file.getvalue()  # type: ignore[attr-defined]
    assert "damaged" in text and "No case was written" in text and not case.exists()
    case.write_bytes(packed(made(frozen(), 1)))
    screen = Screen(language="en", console=Console(file=StringIO(), width=200))
    commands.check(screen, case)
    lines = screen.console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert lines[0].startswith("Game ") and lines[1].startswith("Checked")
