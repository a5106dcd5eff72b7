"""`audit` and `replay` on the command line, exports for each audience, and where two files part."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.audit.tamper import find, forged
from tests.toys import PACKS, TOYS
from warledger.clients.audit.audit import compare
from warledger.clients.audit.commands import audit_command, replay_command
from warledger.clients.audit.examine import examine
from warledger.clients.audit.replay import BadReplay, replay
from warledger.clients.link.receipts import Receipts
from warledger.engine.runtime.game.gameexport import BadExport, export_game
from warledger.engine.testing.randomgames import Played, begin, play, play_on
from warledger.protocol import canon
from warledger.protocol.audience import ARBITER, PUBLIC
from warledger.protocol.canon import Seal
from warledger.protocol.log import chain, records, wlog
from warledger.protocol.texts.phrases import LANGUAGES


def live(commands: int = 9) -> Played:
    """A game in progress, with hidden words."""
    return play_on(
        begin(TOYS["counting"], PACKS["counting"], options={"turns": 10}),
        random.Random(5),
        commands=commands,
    )


def whole() -> Played:
    """A finished game."""
    return play(TOYS["counting"], PACKS["counting"], 3, options={"turns": 10})


def run(command: Any, *args: Any) -> Result:
    """Run a command as a shell would."""
    return CliRunner().invoke(command, [str(arg) for arg in args])


# --- audit ----------------------------------------------------------------------------------------


def test_exit_codes(tmp_path: Path) -> None:
    """0 for a sound file, 1 for one that is not, 2 for wrong usage; 4 without a key, for then
    nobody vouches for it."""
    played = whole()
    key = played.key.verify_key.encode().hex()
    good, bad = tmp_path / "good.wlog", tmp_path / "bad.wlog"
    good.write_bytes(played.file())
    bad.write_bytes(forged(played, len(played.records) - 1, (0,), "nobody"))
    assert run(audit_command, good, "--chain-only", "--key", key).exit_code == 0
    assert run(audit_command, good, "--chain-only").exit_code == 4
    assert run(audit_command, good, "--chain-only", "--allow-no-head").exit_code == 0
    assert run(audit_command, bad).exit_code == 1
    assert run(audit_command, tmp_path / "none.wlog").exit_code == 2
    assert run(audit_command, good, "--key", "xyz").exit_code == 2
    assert run(audit_command).exit_code == 2
    (tmp_path / "text.wlog").write_bytes(b"hello")
    assert run(audit_command, tmp_path / "text.wlog").exit_code == 1
    (tmp_path / "empty.wlog").write_bytes(b"")
    assert run(audit_command, tmp_path / "empty.wlog").exit_code == 1


def test_the_key_may_be_digits_or_a_file(tmp_path: Path) -> None:
    """The server's key is accepted both ways; another key makes the file unsound."""
    played = whole()
    file, key = tmp_path / "g.wlog", played.key.verify_key.encode().hex()
    file.write_bytes(played.file())
    (tmp_path / "key.txt").write_text(key + "\n", encoding="ascii")
    assert run(audit_command, file, "--chain-only", "--key", key).exit_code == 0
    assert run(audit_command, file, "--chain-only", "--key", tmp_path / "key.txt").exit_code == 0
    assert run(audit_command, file, "--chain-only", "--key", "00" * 32).exit_code == 1


def test_a_server_with_several_keys_is_believed_with_each(tmp_path: Path) -> None:
    """Of the keys of a file or of several options one has to be the game's, whichever comes first;
    without the game's own the file is unsound, and one line that is no key makes the list
    none."""
    played = whole()
    file, listed, key = tmp_path / "g.wlog", tmp_path / "server.pub", played.key.verify_key.encode()
    file.write_bytes(played.file())
    for keys in (["11" * 32, key.hex()], [key.hex(), "22" * 32]):
        listed.write_text("\n".join(keys) + "\n", encoding="ascii")
        assert run(audit_command, file, "--chain-only", "--key", listed).exit_code == 0
        named = [part for one in keys for part in ("--key", one)]
        assert run(audit_command, file, "--chain-only", *named).exit_code == 0
    listed.write_text("11" * 32 + "\n" + "22" * 32, encoding="ascii")
    assert run(audit_command, file, "--chain-only", "--key", listed).exit_code == 1
    listed.write_text(key.hex() + "\nold", encoding="ascii")
    assert run(audit_command, file, "--chain-only", "--key", listed).exit_code == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_wrong_with_a_named_key_is_told(tmp_path: Path, language: str) -> None:
    """A key file that is missing, or holds no key, is told of by its name; digits that are too few
    as digits."""
    file = tmp_path / "g.wlog"
    file.write_bytes(whole().file())
    (tmp_path / "text.pub").write_text("no key at all", encoding="ascii")
    (tmp_path / "binary.pub").write_bytes(bytes(range(256)))
    for name in ("missing.pub", "text.pub", "binary.pub", "missing/server.pub"):
        result = run(audit_command, file, "--key", tmp_path / name, "--lang", language)
        assert result.exit_code == 2 and name in result.stderr.replace("\n", ""), result.stderr
    missing = run(audit_command, file, "--key", "games/server.pub", "--lang", "en")
    assert missing.exit_code == 2 and "There is no file games/server.pub" in missing.stderr
    short = run(audit_command, file, "--key", "abcd", "--lang", "en")
    assert (
        short.exit_code == 2
        and "64 hexadecimal digits" in short.stderr
        and "no file" not in short.stderr
    )
    assert run(audit_command, file, "--key", tmp_path, "--lang", language).exit_code == 2


def test_json_names_players_and_options(tmp_path: Path) -> None:
    """`audit --json` and `replay --json` tell who sat where and by which options the game was
    played."""
    played = whole()
    file = tmp_path / "g.wlog"
    file.write_bytes(played.file())
    holders = {
        record.body[1]: record.body[3]
        for record in played.records
        if record.kind == records.SEAT and record.body[0] == "taken"
    }
    for told in (
        json.loads(run(audit_command, file, "--json", "--chain-only").stdout),
        json.loads(run(replay_command, file, "--json").stdout),
    ):
        assert told["players"] == holders and len(holders) == 2
        assert told["options"]["turns"] == 10
    assert json.loads(run(replay_command, file, "--json", "--to", 0).stdout)[
        "players"
    ] == dict.fromkeys(holders)


def test_receipts_are_read_from_a_clients_folder(tmp_path: Path) -> None:
    """Receipts that agree leave the file sound; one that does not names its record; a damaged
    folder is wrong usage."""
    played = whole()
    file = tmp_path / "g.wlog"
    file.write_bytes(played.file())
    key = played.key.verify_key.encode().hex()
    kept = Receipts(tmp_path / "kept").papers("g1", played.ledger.genesis.hash, "a")
    kept.keep(chain.sign_head(played.key, "g1", 6, played.records[6].hash))
    assert (
        run(
            audit_command, file, "--chain-only", "--key", key, "--receipts", tmp_path / "kept"
        ).exit_code
        == 0
    )
    kept.keep(chain.sign_head(played.key, "g1", 8, bytes(32)))
    result = run(
        audit_command, file, "--chain-only", "--receipts", tmp_path / "kept", "--language", "en"
    )
    assert result.exit_code == 1 and "Record 8, receipt" in result.output
    next((tmp_path / "kept").glob("*.heads")).write_bytes(b"\x00\x00\x00\x05hello")
    assert run(audit_command, file, "--receipts", tmp_path / "kept").exit_code == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_tells_the_report(tmp_path: Path, language: str) -> None:
    """No sentence of a report lacks its text or an argument."""
    played = whole()
    file = tmp_path / "g.wlog"
    for data in (
        played.file(),
        forged(played, 5, (0,), 1),
        forged(played, len(played.records) - 1, (0,), ()),
        b"\x89WLOG\r\n\x03\0",
    ):
        file.write_bytes(data)
        result = run(audit_command, file, "--language", language)
        assert result.exit_code in (1, 4)
        shown = [line for line in result.output.splitlines() if "counting." not in line]
        assert not any("[audit" in line or "⟨" in line for line in shown), shown


def test_json_holds_the_whole_report(tmp_path: Path) -> None:
    """`--json` gives the verdict, level, counts, findings with record and field, and notes."""
    played = whole()
    file = tmp_path / "g.wlog"
    end = find(played, lambda record: record.kind == records.END)
    file.write_bytes(forged(played, end.seq, (0,), "nobody"))
    told = json.loads(run(audit_command, file, "--json").stdout)
    assert told["verdict"] == "unsound" and told["records"] == len(played.records)
    assert told["findings"][0]["record"] == end.seq
    assert told["findings"][0]["field"] == "winner"
    file.write_bytes(played.file())
    told = json.loads(run(audit_command, file, "--json", "--chain-only").stdout)
    assert (told["verdict"], told["findings"]) == ("unvouched", [])


# --- two files ------------------------------------------------------------------------------------


def test_two_files_are_compared(tmp_path: Path) -> None:
    """Equal files and a file and its beginning agree (0); two histories part at a record (1)."""
    played = live(4)
    early = export_game(played.frames())
    play_on(played, random.Random(6), commands=4)
    late = export_game(played.frames())
    other = live(4)
    play_on(other, random.Random(8), commands=4)
    names = {"early": early, "late": late, "other": export_game(other.frames())}
    for name, data in names.items():
        (tmp_path / f"{name}.wlog").write_bytes(data)

    def compared(one: str, two: str) -> Result:
        flags = ("--chain-only", "--json", "--allow-no-head", "--so-far")
        return run(audit_command, tmp_path / f"{one}.wlog", tmp_path / f"{two}.wlog", *flags)

    assert compared("early", "early").exit_code == 0
    assert compared("early", "late").exit_code == 0
    parted = compared("late", "other")
    assert parted.exit_code == 1
    told = json.loads(parted.stdout)["comparison"]
    shared = [one.hash == two.hash for one, two in zip(played.records, other.records, strict=False)]
    assert told["agree"] is False and told["record"] == shared.index(False)


def test_files_of_two_games_are_said_to_be_two(tmp_path: Path) -> None:
    """Files of two games part at once."""
    one = examine(whole().file())
    other = examine(play(TOYS["counting"], PACKS["counting"], 3, game="g2").file())
    assert compare(one, other, ("one", "other")).said.key == "audit.compare.games"


# --- exports --------------------------------------------------------------------------------------


def frames_in(data: bytes) -> list[int]:
    """The kinds of frame in a file."""
    return [frame.kind for frame in wlog.parse(data, sealed=True).frames]


def test_each_audience_gets_what_it_may_know() -> None:
    """Public: records and a head. A seat: its openings too. The arbiter: all, with the secrets. The
    rest stays with the server."""
    frames = live().frames()
    frames.insert(1, wlog.Frame(wlog.FRAME_META, b"token"))
    public, a, arbiter = (export_game(frames, audience) for audience in (PUBLIC, "a", ARBITER))
    assert set(frames_in(public)) == {wlog.FRAME_RECORD, wlog.FRAME_HEAD}
    assert set(frames_in(a)) == {wlog.FRAME_RECORD, wlog.FRAME_HEAD, wlog.FRAME_OPENINGS}
    assert set(frames_in(arbiter)) == {
        wlog.FRAME_RECORD,
        wlog.FRAME_HEAD,
        wlog.FRAME_OPENINGS,
        wlog.FRAME_SECRETS,
    }
    assert export_game(frames) == public
    for opening in examine(a).openings.values():
        assert not opening.readers or "a" in opening.readers
    with pytest.raises(BadExport):
        export_game(frames, "c")
    with pytest.raises(BadExport):
        export_game([])


def test_an_ended_game_is_exported_with_everything_by_default() -> None:
    """After the end the default holds all openings; `public` still leaves out who knew what."""
    frames = whole().frames()
    assert wlog.FRAME_OPENINGS in frames_in(export_game(frames))
    assert wlog.FRAME_OPENINGS not in frames_in(export_game(frames, PUBLIC))


def test_a_delayed_export_shows_nothing_later() -> None:
    """With a bound on records nothing beyond it leaves, and no head that signs a later one."""
    played = live()
    data = export_game(played.frames(), records_max=7)
    assert len(wlog.parse(data).records) == 7
    for frame in wlog.parse(data).frames:
        if frame.kind == wlog.FRAME_HEAD:
            assert canon.unpack(frame.payload)[1] < 7


# --- replay ---------------------------------------------------------------------------------------


def hidden_then_shown() -> tuple[Played, int, int]:
    """A game in which b hides a word and shows it later; the records of both."""
    played = begin(TOYS["counting"], PACKS["counting"], options={"turns": 10})
    played.submit("a", "pass")
    played.submit("b", "hide", "caterpillar")
    hid = next(record.seq for record in reversed(played.records) if record.kind == records.COMMAND)
    played.submit("a", "pass")
    played.submit("b", "show")
    shown = next(
        record.seq for record in reversed(played.records) if record.kind == records.COMMAND
    )
    return played, hid, shown


def test_replay_shows_what_a_seat_knew_then() -> None:
    """The word is a seal to everybody but b until it is shown."""
    played, hid, shown = hidden_then_shown()
    found = examine(export_game(played.frames(), ARBITER))
    for audience, face in (
        (PUBLIC, None),
        ("a", None),
        ("b", "caterpillar"),
        (ARBITER, "caterpillar"),
    ):
        board = replay(found, hid, audience).board
        assert (
            board.pieces["card_b"].face == face
            if face
            else type(board.pieces["card_b"].face) is Seal
        )
    for audience in (PUBLIC, "a", "b"):
        assert replay(found, shown, audience).board.pieces["card_b"].face == ""
        story = [
            effect
            for _, effects in replay(found, shown, audience).told
            for effect in effects
            if effect[0] == "say"
        ]
        assert [dict(effect[2])["word"] for effect in story if effect[1] == "counting.shown"] == [
            "caterpillar"
        ]


def test_replay_says_what_it_cannot_show() -> None:
    """A record or seat that is not there, or a seat's view from somebody else's export."""
    played, _, _ = hidden_then_shown()
    public = examine(export_game(played.frames()))
    for to, audience, key in (
        (999, PUBLIC, "audit.use.to"),
        (-1, PUBLIC, "audit.use.to"),
        (3, "c", "audit.use.seat"),
    ):
        with pytest.raises(BadReplay) as error:
            replay(public, to, audience)
        assert error.value.key == key
    with pytest.raises(BadReplay) as error:
        replay(public, None, "b")
    assert error.value.key == "audit.use.openings"


def test_replay_on_the_command_line(tmp_path: Path) -> None:
    """The board as data and as text as of a record; a record that is not there is wrong usage."""
    played, hid, _ = hidden_then_shown()
    file = tmp_path / "g.wlog"
    file.write_bytes(export_game(played.frames(), "b"))
    told = json.loads(run(replay_command, file, "--to", hid, "--as", "b", "--json").stdout)
    assert told["record"] == hid and told["pieces"]["card_b"]["face"] == "caterpillar"
    assert (
        "sealed"
        in json.loads(run(replay_command, file, "--to", hid, "--json").stdout)["pieces"]["card_b"][
            "face"
        ]
    )
    for extra in ((), ("--plain",), ("--story",)):
        assert run(replay_command, file, *extra).exit_code == 0
    assert run(replay_command, file, "--to", 999).exit_code == 2
    assert run(replay_command, file, "--as", "c").exit_code == 2
