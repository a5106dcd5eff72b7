"""What a newcomer types: a seat by its name or not at all, TLS where there is none, a file that is
there already, another system."""

from __future__ import annotations

import ssl
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from nacl.signing import SigningKey

from tests.clients.table import link, table
from tests.clients.test_keys import There
from tests.clients.test_terminal import screen
from warledger.clients.cli import main
from warledger.clients.cli.options import where_of
from warledger.clients.commands.play import online
from warledger.clients.link import sit
from warledger.clients.link.link import _why
from warledger.clients.terminal.words import named_seat
from warledger.engine.store.files import disk
from warledger.protocol import lang
from warledger.protocol.board.choices import Refusal


async def test_the_seat_follows_from_the_token_and_may_be_named() -> None:
    """One seat of the game is held: it is meant where none is given. A name means its seat in any
    case; without a token the seats are listed; an unknown one goes to the server."""
    shown, _ = screen()
    async with table() as (serving, game, tokens):
        async with link(serving, token=tokens["axis"]) as held:
            assert await online.seat_of(held, shown, game, "") == "axis"
            assert await online.seat_of(held, shown, game, "Allies") == "allied"
            assert await online.seat_of(held, shown, game, "neutral") == "neutral"
            await held.login(tokens["allied"], "")
            with pytest.raises(LookupError, match=r"A(xis|llies) and A(xis|llies)"):
                await online.seat_of(held, shown, game, "")
        async with link(serving) as watching:
            with pytest.raises(LookupError, match="Use --seat"):
                await online.seat_of(watching, shown, game, "")


async def test_every_command_takes_a_seats_name(tmp_path: Path) -> None:
    """`device`, `handover` and `watch --as` mean the same seat by its id and by its name in any
    case; with one seat held, none need be named."""
    async with (
        table() as (serving, game, tokens),
        link(serving, token=tokens["axis"], name="Bert", receipts=tmp_path / "one") as mine,
        link(serving, token=tokens["allied"], name="Anna") as other,
    ):
        first = await sit(mine, game, "axis")
        await sit(other, game, "allied")
        here: Any = There(serving, tokens["axis"], tmp_path / "one", "Bert")
        told = []
        for named in ("axis", "AXIS", "Axis", ""):
            shown, out = screen()
            assert await online.device(here, shown, game, named)
            told.append(out.getvalue().casefold())
        assert told[0] and len(set(told)) == 1
        newcomer = SigningKey.generate().verify_key.encode()
        for named in ("Axis", ""):
            assert await online.handover(here, screen()[0], game, named, newcomer, "Nora")
        assert not isinstance(await first.resign(), Refusal)
        for audience in ("axis", "Axis"):
            shown, out = screen()
            args = {"audience": audience, "machine": False, "board": False}
            assert await online.watch(here, shown, game, 0, **args)


def test_a_seat_is_named_in_the_readers_language() -> None:
    """By id or name, in any case, in every language; nothing else is a seat."""
    for language in ("en", "zh-Hans", "zh-Hant"):
        spoken = lang.phrases(language, "war_at_sea")
        for seat in ("allied", "axis"):
            assert named_seat(spoken.name(seat), ("allied", "axis"), spoken) == seat
            assert named_seat(seat.upper(), ("allied", "axis"), spoken) == seat
        assert named_seat("public", ("allied", "axis"), spoken) is None


def test_tls_where_there_is_none_is_said_in_words() -> None:
    """What OpenSSL calls a wrong version number is a server without TLS."""
    error = ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number")
    assert _why(error) == "it does not speak TLS there: leave out --tls"
    assert _why(OSError("nobody is there")) == "nobody is there"


def test_a_token_may_end_with_a_line_break() -> None:
    """As it does when the variable was set from a file; the server gets the token alone."""
    assert where_of("127.0.0.1:7470", False, None, "game:token\n").token == "game:token"


def test_export_replaces_no_file_unasked(tmp_path: Path) -> None:
    """Without --force a file that is there stays as it is."""
    there = tmp_path / "game.wlog"
    there.write_bytes(b"mine")
    for flag in ("-o", "--html"):
        asked = CliRunner().invoke(main, ["export", "g", "--data", str(tmp_path), flag, str(there)])
        assert asked.exit_code == 2 and "--force" in asked.output
    forced = CliRunner().invoke(
        main, ["export", "g", "--data", str(tmp_path), "-o", str(there), "--force"]
    )
    assert "Not exported" in forced.output
    assert there.read_bytes() == b"mine"


def test_windows_is_told_what_works_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosting is refused with a sentence before anything is imported for it; auditing is not."""
    monkeypatch.setattr("warledger.clients.cli.os", SimpleNamespace(name="nt"))
    asked = CliRunner().invoke(main, ["serve", "--data", "games"])
    assert asked.exit_code == 2 and "within WSL" in asked.output
    assert main.get_command(None, "audit") is not None  # type: ignore[arg-type]


def test_a_mac_syncs_to_the_disk_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is F_FULLFSYNC it is used, since fsync does not reach the disk there."""
    called: list[Any] = []
    mac = SimpleNamespace(F_FULLFSYNC=51, fcntl=lambda *args: called.append(args))
    monkeypatch.setattr(disk, "fcntl", mac)
    monkeypatch.delattr(disk.os, "fdatasync", raising=False)
    disk._datasync(7)
    assert called == [(7, 51)]
