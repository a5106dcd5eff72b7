"""The command line as a contract: what it prints, and its exit codes 0, 1, 2."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.nats.rig import group
from warledger.clients.cli import main

ROOT = Path(__file__).parents[2]
COMMANDS = (
    *(
        "demo",
        "serve",
        "titles",
        "new",
        "token",
        "tournament",
        "replace",
        "close",
        "games",
        "play",
        "watch",
        "bot",
        "device",
        "handover",
    ),
    *(
        "selfplay",
        "export",
        "audit",
        "replay",
        "check",
        "backup",
        "bench",
        "pack",
        "title",
        "clock",
        "compress",
        "reopen",
        "role",
        "archive",
        "fleet",
        "import",
    ),
)


def warledger(*args: str) -> Result:
    """Run a command in this process, in English."""
    return CliRunner(env={"WARLEDGER_LANGUAGE": "en"}).invoke(main, args)


@contextmanager
def process(*args: str) -> Iterator[subprocess.Popen[str]]:
    """A command as a process of its own; killed at the end if it still runs."""
    started = subprocess.Popen(
        [sys.executable, "-m", "warledger.clients.cli", *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=group(),
        env={**os.environ, "WARLEDGER_LANGUAGE": "en", "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()
        for pipe in (started.stdin, started.stdout):
            if pipe is not None:
                pipe.close()


def test_every_command_is_listed_and_has_help() -> None:
    """`--help` lists all commands; each explains itself."""
    listed = warledger("--help")

    assert listed.exit_code == 0
    for command in COMMANDS:
        assert re.search(rf"^  {command}\b", listed.output, re.MULTILINE), command
        assert warledger(command, "--help").exit_code == 0, command


@pytest.mark.parametrize(
    "args",
    [
        ("selfplay", "no_such_title"),
        ("selfplay", "war_at_sea", "--games", "0"),
        ("selfplay", "war_at_sea", "--players", "admiral"),
        ("selfplay", "war_at_sea", "--players", "random,random,random"),
        ("selfplay", "war_at_sea", "--option", "nonsense"),
        ("selfplay", "war_at_sea", "--option", "nonsense=1"),
        ("new", "war_at_sea"),
        ("play", "game", "--seat", "allied"),
        ("play", "game", "--seat", "allied", "--token", "t", "--receipts", "/dev/null/receipts"),
        ("games", "--server", "host:port:port"),
        ("bench", "--title", "no_such_title"),
        ("serve", "--tcp", "7470"),
        ("new", "war_at_sea", "--token", "t", "--clock", "blitz"),
        ("titles", "--lang", "klingon"),
        ("export", "game", "--data", "/nonexistent", "-o", "x.wlog"),
        ("audit", "/nonexistent"),
        ("demo", "--title", "no_such_title"),
        ("nonsense",),
    ],
)
def test_wrong_usage_exits_2(args: tuple[str, ...]) -> None:
    """A mistake in the command is told from a negative answer."""
    assert warledger(*args).exit_code == 2


@pytest.mark.parametrize(
    "args", [("games", "--server", "127.0.0.1:1"), ("watch", "game", "--server", "127.0.0.1:1")]
)
def test_no_server_exits_1(args: tuple[str, ...]) -> None:
    """Nobody answers: said in words, exit code 1."""
    result = warledger(*args)

    assert result.exit_code == 1
    assert "Cannot connect" in result.output


def test_an_address_in_use_leaves_no_data_directory(tmp_path: Path) -> None:
    """A server that cannot listen says where, and makes nothing."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        for option in ("--tcp", "--http"):
            other = {"--tcp": "--http", "--http": "--tcp"}[option]
            with process(
                *("serve", "--data", str(tmp_path / "data"), option, where, other, "127.0.0.1:0")
            ) as running:
                said, _ = running.communicate(timeout=60)
            assert running.returncode == 1
            assert f"cannot listen on {where}" in said
            assert list(tmp_path.iterdir()) == []


def test_ctrl_c_ends_the_demonstration_in_one_sentence(tmp_path: Path) -> None:
    """At once, whatever it is at, and with the exit code of what was interrupted."""
    with process("demo", "--keep", str(tmp_path), "--http", "127.0.0.1:0") as running:
        _line(running, r"(http://\S+)")
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "Traceback" not in said and "reached" not in said
    assert said.rstrip().endswith("Interrupted.")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a game of War at Sea."""
    out = tmp_path_factory.mktemp("played")
    made = warledger("selfplay", "war_at_sea", "--seed", "1", "--games", "1", "--out", str(out))
    assert made.exit_code == 0
    (file,) = out.glob("*.wlog")
    return file


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "gbk"])
def test_an_encoding_that_lacks_a_sign_never_stops_a_command(encoding: str, file: Path) -> None:
    """Dice are spelt as numbers, and everything else goes on as it was."""
    run = subprocess.run(
        [sys.executable, "-m", "warledger.clients.cli", "replay", str(file), "--story", "--plain"],
        capture_output=True,
        env={**os.environ, "WARLEDGER_LANGUAGE": "en", "PYTHONIOENCODING": encoding},
        check=False,
    )
    said = run.stdout.decode(encoding, errors="replace")
    assert run.returncode == 0, run.stderr
    assert re.search(r"\[[1-6]\]", said)


def test_titles_as_data_tell_where_data_come_from() -> None:
    """`titles --json` lists options with their clauses, and the pack's provenance."""
    found = json.loads(warledger("titles", "--json").output)
    war_at_sea = next(title for title in found if title["title"] == "war_at_sea")

    assert war_at_sea["seats"] == ["allied", "axis"]
    assert any(
        name == "v18_2_hidden_allied_movement" and rule
        for name, _, _, rule in war_at_sea["options"]
    )
    assert war_at_sea["provenance"]
    assert "v18_2_hidden_allied_movement" in warledger("titles").output


def test_selfplay_writes_files_that_audit_sound(tmp_path: Path) -> None:
    """Games from a seed, their files, the audit's verdict, and the verdict on a damaged one."""
    result = warledger(
        "selfplay", "war_at_sea", "--games", "1", "--seed", "9", "--out", str(tmp_path), "--json"
    )
    (file,) = tmp_path.glob("*.wlog")
    damaged = tmp_path / "damaged.wlog"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    damaged.write_bytes(data)

    assert result.exit_code == 0
    assert json.loads(result.output)["games"] == 1
    assert warledger("audit", str(file)).exit_code == 0
    assert warledger("audit", str(damaged)).exit_code == 1
    assert warledger("replay", str(file), "--to", "20", "--plain").exit_code == 0


def test_selfplay_says_which_file_it_will_not_overwrite(tmp_path: Path) -> None:
    """Exit code 1, the file's name and what to do; the file is as it was."""
    run = ("selfplay", "war_at_sea", "--games", "1", "--seed", "9", "--out", str(tmp_path))
    assert warledger(*run).exit_code == 0
    (file,) = tmp_path.glob("*.wlog")
    file.write_bytes(b"another game")
    again = warledger(*run)

    assert again.exit_code == 1
    assert str(file) in again.output.replace("\n", "")
    assert "--out" in again.output
    assert file.read_bytes() == b"another game"


def test_pack_check_says_yes_and_no(tmp_path: Path) -> None:
    """Our own pack can be used; one with a broken map cannot, and the place is named."""
    ours = Path(__file__).parents[2] / "engine" / "games" / "victory_lost" / "pack"
    broken = tmp_path / "broken"
    broken.mkdir()
    for path in ours.glob("*.toml"):
        text = path.read_text(encoding="utf-8")
        (broken / path.name).write_text(
            text.replace('orientation = "flat"', 'orientation = "round"'), encoding="utf-8"
        )

    assert warledger("pack", "check", str(ours)).exit_code == 0
    refused = warledger("pack", "check", str(broken))
    assert refused.exit_code == 1
    assert "map.toml" in refused.output


def test_a_server_and_its_clients(tmp_path: Path) -> None:
    """serve, new, bots, games, watch, export, check, backup and a graceful stop, each a process of
    its own."""
    data = tmp_path / "data"
    with process("serve", "--data", str(data), "--tcp", "127.0.0.1:0") as serving:
        assert serving.stdout is not None
        address = _line(serving, r"Serving on 127\.0\.0\.1:(\d+)")
        server = f"127.0.0.1:{address}"
        made = json.loads(
            warledger(
                "new",
                "war_at_sea",
                "--server",
                server,
                "--token",
                f"@{data / 'host.token'}",
                "--json",
            ).output
        )
        game, tokens = made["game"], made["tokens"]
        again = json.loads(
            warledger(
                "token",
                game,
                "axis",
                "--server",
                server,
                "--token",
                f"@{data / 'host.token'}",
                "--json",
            ).output
        )
        wrong = warledger(
            "play", game, "--seat", "axis", "--server", server, "--token", tokens["axis"]
        )
        receipts = ("--receipts", str(tmp_path / "receipts"))
        common = ("--server", server, *receipts)
        with (
            process(
                "bot",
                game,
                "--seat",
                "allied",
                "--player",
                "random",
                "--token",
                tokens["allied"],
                *common,
            ) as one,
            process(
                "bot",
                game,
                "--seat",
                "axis",
                "--player",
                "captain",
                "--token",
                again["token"],
                *common,
            ) as two,
        ):
            watched = warledger("watch", game, "--server", server, "--json")
            assert (one.wait(120), two.wait(120)) == (0, 0)
        listed = json.loads(warledger("games", "--server", server, "--json").output)
        file = tmp_path / "game.wlog"
        exported = warledger("export", game, "--data", str(data), "-o", str(file))
        copied = warledger("backup", str(data), str(tmp_path / "copy"))
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(20) == 0

    records = [json.loads(line) for line in watched.output.splitlines() if line.startswith("{")]
    key = str(data / "server.pub")
    assert wrong.exit_code == 1, "the token that was replaced must be worth nothing"
    assert [record["seq"] for record in records] == list(range(len(records))) and records[-1][
        "kind"
    ] == "reveal"
    assert [(item["game"], item["stage"]) for item in listed] == [(game, "ended")]
    assert (exported.exit_code, copied.exit_code) == (0, 0)
    assert (
        warledger(
            "audit", str(file), "--key", key, "--receipts", str(tmp_path / "receipts")
        ).exit_code
        == 0
    )
    assert warledger("check", str(data)).exit_code == 0
    assert warledger("check", str(tmp_path / "copy")).exit_code == 0
    assert warledger("check", str(tmp_path)).exit_code == 1


def test_the_commands_of_the_protocols_page_give_a_server_a_game_and_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run as they stand there, but for the port, which has to be free; the first only installs what
    runs here already. The game's file is written as the page says."""
    page = (ROOT / "protocol" / "wire.md").read_text(encoding="utf-8")
    section = page.partition("## A server to try it on")[2].partition("## ")[0]
    lines = re.findall(r"^    (.*)$", section, re.MULTILINE)
    install, serve, new = (line.removesuffix(" &").split() for line in lines)
    assert install[-3:] == [".venv/bin/pip", "install", "."]
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert scripts["scripts"]["warledger"] == "warledger.clients.cli:main"
    assert serve[0] == new[0] == ".venv/bin/warledger"
    monkeypatch.chdir(tmp_path)
    free = [word.replace(":7470", ":0") for word in serve[1:]]
    with process(*free) as serving:
        server = f"127.0.0.1:{_line(serving, r'Serving on 127.0.0.1:([0-9]+)')}"
        made = json.loads(warledger(*new[1:], "--server", server).output)
        assert made["game"] and set(made["tokens"]) == {"allied", "axis"}
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(20) == 0
    exported = [word for word in re.findall(r"`([^`]+)`", section) if " export " in word]
    assert len(exported) == 1
    words = exported[0].replace("GAME", made["game"]).split()[1:]
    assert warledger(*words).exit_code == 0 and (tmp_path / "game.wlog").exists()


def _line(running: subprocess.Popen[str], pattern: str) -> str:
    assert running.stdout is not None
    for line in running.stdout:
        found = re.search(pattern, line)
        if found:
            return found[1]
    raise AssertionError(f"the process ended without saying {pattern}")


def test_the_demonstration(tmp_path: Path) -> None:
    """`demo --fast` plays, watches, exports and audits a whole match within 15 seconds."""
    started = time.perf_counter()
    with process("demo", "--fast", "--keep", str(tmp_path)) as running:
        out, _ = running.communicate(timeout=120)
    seconds = time.perf_counter() - started

    assert running.returncode == 0, out[-2000:]
    assert "Turn 8" in out
    assert "Both spectators saw all" in out
    assert "Sound" in out
    assert re.search(r"\[\d+\.\d+", out), "the story must cite rules"
    assert list(tmp_path.glob("*.wlog"))
    if os.getloadavg()[0] < (os.cpu_count() or 1):
        assert seconds < 15, f"{seconds:.1f} s"


def test_the_demonstration_of_a_dispute(tmp_path: Path) -> None:
    """`demo --dispute --fast` plays with clocks to a claim, a freeze and a ruling that takes back,
    and leaves a case that is checked; within 30 seconds."""
    started = time.perf_counter()
    with process("demo", "--dispute", "--fast", "--keep", str(tmp_path)) as running:
        out, _ = running.communicate(timeout=120)
    seconds = time.perf_counter() - started

    assert running.returncode == 0, out[-2000:]
    for said in (
        "claims that record",
        "Ann hears claim 1",
        "frozen for claim 1",
        "has looked at what",
        "Ann rules on claim 1 (upheld",
        "takes the game back",
        "The game goes on after claim 1",
        "Sound",
        "Everything in the case of claim 1 follows from its log",
    ):
        assert said in out, out[-3000:]
    with zipfile.ZipFile(tmp_path / "case.zip") as archive:
        claim = archive.read("claim.en.txt").decode().split("\n\n")
    # What the claim and the ruling cite is a clause by which the disputed record was decided.
    (cited,) = set(re.findall(r"clause ([\d.a-z]+)[),:]", claim[1]))
    assert f"[{cited}]" in claim[0] and f"{cited}, which is among them" in claim[0]
    assert "chose in record" in claim[0] and "That is so." in claim[1]
    if os.getloadavg()[0] < (os.cpu_count() or 1):
        assert seconds < 30, f"{seconds:.1f} s"


@pytest.mark.long
def test_the_demonstration_of_a_tournament(tmp_path: Path) -> None:
    """`demo --tournament --fast`: sixteen captains play a Swiss with bids and a claim over TCP, and
    the tournament audits sound with its 32 games; on an idle machine within 90 seconds. One byte of
    a game changed, and the audit says which record it is."""
    started = time.perf_counter()
    with process("demo", "--tournament", "--fast", "--keep", str(tmp_path)) as running:
        out, _ = running.communicate(timeout=600)
    seconds = time.perf_counter() - started

    assert running.returncode == 0, out[-2000:]
    for said in (
        "16 have entered",
        "Ann has taken the game back to record",
        "The final table",
        "64 opened and matching their seals",
        "Sound",
        "32 games of the tournament audited",
    ):
        assert said in out, out[-3000:]
    if os.getloadavg()[0] < (os.cpu_count() or 1):
        assert seconds < 90, f"{seconds:.1f} s"

    ledger, games = tmp_path / "atlantic.wlog", tmp_path / "games"
    one, other = games / "atlantic-r1-b1.wlog", games / "atlantic-r1-b2.wlog"
    one.write_bytes(other.read_bytes())
    key = str(tmp_path / "server.pub")
    with process("audit", str(ledger), "--key", key, "--games", str(games)) as running:
        out, _ = running.communicate(timeout=300)
    assert running.returncode != 0 and "atlantic-r1-b1" in out, out[-2000:]


@pytest.mark.parametrize("removed", [True, False], ids=["removed", "there"])
def test_what_a_server_says_at_its_end_is_true(tmp_path: Path, removed: bool) -> None:
    """Every game is safe only where its directory still stands; where it was removed the last
    words, and the exit code, say so."""
    data = tmp_path / "data"
    with process("serve", "--data", str(data), "--tcp", "127.0.0.1:0") as serving:
        assert serving.stdout is not None
        said = ""
        while "token" not in said:
            said += serving.stdout.readline()
        # The server may write what it keeps beside the games just then.
        while removed and data.exists():
            shutil.rmtree(data, ignore_errors=True)
        serving.send_signal(signal.SIGTERM)
        said += serving.stdout.read()
        code = serving.wait(30)

    assert ("Stopped; every game is safe." in said) == (not removed), said
    assert ("NOT every game is known to be safe" in said) == removed, said
    assert code == (1 if removed else 0)
