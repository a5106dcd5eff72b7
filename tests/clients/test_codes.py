"""`warledger tournament` and `account accept`: a role for somebody whom nobody knows yet; and who
sits in a game."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import evolve as replace

from tests.clients.test_entrants import said, screen, where
from tests.serve.people.test_accounts import desk, id_of, quick
from tests.serve.rig import HOST_TOKEN
from tests.serve.tournaments.test_rights import rights
from tests.serve.tournaments.test_tournament_people import signed_up
from tests.serve.tournaments.test_tournaments import CHARTER, TITLES, Table
from warledger.clients.commands.play import account as own
from warledger.clients.commands.tournament import online
from warledger.clients.link import devices
from warledger.engine.desk import accounts
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.seats.seating import Sitting

__all__ = ["quick"]  # a fixture

CODE = re.compile(r"inv:\S+")


async def test_a_tournament_is_announced_for_somebody_who_is_not_there_yet(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`new` prints a code, and the commands by which it is used. `account join` with it makes an
    account that directs, and `account accept` uses it with another. A director with an account has
    no token."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        host = replace(where(at, tmp_path, monkeypatch), token=HOST_TOKEN)
        monkeypatch.setattr(devices, "keep", lambda server, token: tmp_path)
        charter, shown = tmp_path / "cup.toml", screen()
        charter.write_text(CHARTER, encoding="utf-8")
        assert await online.new(host, charter, "cup", "cora", shown)
        assert "account join cora --server" in said(shown) and "account accept" in said(shown)
        assert "Nobody directs it yet" in said(shown)
        code = CODE.findall(said(shown))[0]
        guest = replace(host, token="")
        assert await own.join(guest, screen(), code, "Zoe", "a password of hers", keep=True)
        zoe = await id_of(people, "Zoe")
        (row,) = s.hub.hosting.all["cup"].at.roles.items()  # type: ignore[union-attr]
        assert row == (("director", zoe), "Zoe")

        shown = screen()
        assert await online.code(host, "cup", "arbiter", shown, machine=False)
        code = CODE.findall(said(shown))[0]
        anna = await id_of(people, "Anna")
        token = await people.write(
            lambda db: accounts.add_device(db, people.world, anna, "", kept=True)
        )
        assert await own.accept(replace(host, token=token), shown, f"x/account#invite={code}")
        assert await rights(s, "Anna") == (f"a:{anna}",)
        shown = screen()
        assert await online.new(host, charter, "bowl", "Anna", shown)
        assert "Anna (director) signs in" in said(shown) and "bowl:" not in said(shown)


@pytest.mark.parametrize("picks", [("grant", "arbiter", "Nemo"), ("enter", "Nemo", "nemo", "0")])
async def test_who_grants_to_a_name_that_nobody_has_gets_a_code(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch, picks: tuple[str, ...]
) -> None:
    """In place of the refusal. Whoever signs up under the name later has no right by it."""
    async with desk(tmp_path, titles=TITLES, tournaments=MemoryStore()) as (s, people):
        at = Table(s)
        await at.open()
        director, shown = replace(where(at, tmp_path, monkeypatch), token=at.token), screen()
        assert await online.act(director, "cup", "", picks, shown, machine=False)
        name = picks[2]
        assert f"account called {name}." in said(shown) and f"join {name} " in said(shown)
        assert len(set(CODE.findall(said(shown)))) == 1
        await signed_up(people, name)
        assert await rights(s, name) == ()


def test_players_of_one_name_are_told_apart_by_their_accounts() -> None:
    """Of a game's seats the screen says which accounts sit there, once; a guest has none."""
    seats = {
        "axis": Sitting("axis", "rig.aaaa", "Anna"),
        "allied": Sitting("allied", "", "Anna"),
    }
    acting = SimpleNamespace(seats=seats, unsigned=())
    watch: Any = SimpleNamespace(game="g", table_code="", ended=None, genesis=None, acting=acting)
    shown = screen()
    for _ in range(2):
        shown.about_table(watch)
    assert said(shown).count("Anna, with the account rig.aaaa.") == said(shown).count("Anna") == 1
