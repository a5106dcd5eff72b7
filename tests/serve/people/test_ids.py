"""Who gives ids to people, and accounts of earlier releases that get such ids."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.serve.rig import SeededAmbient
from warledger.engine.desk import accounts, database, people, renewing, talk
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.serve import serversecrets
from warledger.engine.serve.config import BadConfig

ID = re.compile(r"rig\.[0-7][0-9a-hjkmnp-tv-z]{25}")


class Quiet:
    """A log that nobody reads."""

    def info(self, *_: Any, **__: Any) -> None: ...


def test_an_id_says_who_gave_it_and_is_otherwise_chance() -> None:
    """A giver, a dot, and 26 letters and digits for 128 bits; none comes twice."""
    world = SeededAmbient(1)
    found = [tokens.new_person_id(world, "rig") for _ in range(100)]
    assert len(set(found)) == 100 and all(map(ID.fullmatch, found))
    assert len(found[0]) == len("rig.") + 26


def test_a_token_without_an_account_has_one_id_for_ever() -> None:
    """The same for the same token and giver, another for another, and not the digest itself."""
    kept = tokens.digest("host:secret")
    found = tokens.person_id_of(kept, "rig")
    assert ID.fullmatch(found) and found == tokens.person_id_of(kept, "rig")
    assert found[4:] != tokens.person_id_of(tokens.digest("host:other"), "rig")[4:]
    assert int.from_bytes(kept[:16], "big") != sum(
        "0123456789abcdefghjkmnpqrstvwxyz".index(letter) << 5 * at
        for at, letter in enumerate(reversed(found[4:]))
    )


def test_the_giver_is_the_first_key_or_the_node_and_stays(tmp_path: Path) -> None:
    """A rotation of the key does not change it; a folder without a key says what to do."""
    with pytest.raises(BadConfig, match="start the server once"):
        serversecrets.giver(tmp_path)
    first = serversecrets.signing_key(tmp_path, bytes).verify_key.encode().hex()[:8]
    serversecrets.rotate(tmp_path, lambda count: b"\1" * count)
    assert serversecrets.giver(tmp_path) == first
    serversecrets.rotate(tmp_path, lambda count: b"\2" * count)
    (tmp_path / "giver").unlink()
    assert serversecrets.giver(tmp_path) == first
    (tmp_path / "node").mkdir()
    assert serversecrets.giver(tmp_path / "node", "host-" + 40 * "1") == "host-" + 27 * "1"
    assert serversecrets.giver(tmp_path / "node", "another") == "host-" + 27 * "1"


def filled(data: Path) -> None:
    """Accounts as an earlier release left them, with a device, a role, a seat, and talk."""
    db, said = people.database(data), talk.database(data)

    def fill(at: sqlite3.Connection) -> None:
        for id, handle in (("old1", "Anna"), ("old2", "Bert")):
            row = (id, handle, accounts.handles.sign_in_key(handle))
            at.execute("INSERT INTO accounts VALUES (?, ?, ?, 'en', '', 1, '', '')", row)
        at.execute("INSERT INTO devices VALUES ('d', 'old1', ?, 'x', 1, 1, 1, 0)", (b"digest",))
        at.execute("INSERT INTO roles VALUES ('old1', 'host', '', '', 1)")
        at.execute("INSERT INTO seats VALUES ('old2', 'g', 'a', ?, 1)", (b"seat",))

    db.run(fill)
    said.run(
        lambda at: at.execute(
            "INSERT INTO lines VALUES ('g', 'r', 1, 1, 'old1', 'Anna', 'x', 'old1', 0, 0)"
        )
    )
    db.close()
    said.close()


def found(data: Path) -> tuple[Any, ...]:
    """The ids by handle, and what hangs on them, with handles in place of ids."""
    db, said = people.database(data), talk.database(data)
    ids = dict(db.look(lambda at: at.execute("SELECT id, handle FROM accounts").fetchall()))
    roles = db.look(lambda at: at.execute("SELECT account, role FROM roles").fetchall())
    seats = db.look(lambda at: at.execute("SELECT account, game FROM seats").fetchall())
    shown = db.look(lambda at: accounts.of_device(at, b"digest", 1))
    lines = said.look(lambda at: at.execute("SELECT who, account FROM lines").fetchall())
    db.close()
    said.close()
    assert shown is not None
    hung = [(ids[id], what) for id, what in (*roles, *seats)]
    return tuple(ids), hung, ids[shown.id], [(ids[who], ids[id]) for who, id in lines]


HUNG = ([("Anna", "host"), ("Bert", "g")], "Anna", [("Anna", "Anna")])


def test_accounts_of_today_get_such_ids_at_the_first_start(tmp_path: Path) -> None:
    """With all that hangs on them, in talk too; a copy of the file is kept for its owner alone, and
    the second start changes nothing."""
    renewing.renew(tmp_path, SeededAmbient(1), "rig", Quiet())
    assert not list(tmp_path.iterdir())
    filled(tmp_path)
    renewing.renew(tmp_path, SeededAmbient(1), "rig", Quiet())
    ids, *hung = found(tmp_path)
    assert all(map(ID.fullmatch, ids)) and tuple(hung) == HUNG
    copy = tmp_path / renewing.COPY
    assert copy.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(copy) as kept:
        assert kept.execute("SELECT id FROM accounts ORDER BY id").fetchall() == [
            ("old1",),
            ("old2",),
        ]
    kept.close()
    renewing.renew(tmp_path, SeededAmbient(2), "rig", Quiet())
    assert found(tmp_path)[0] == ids


def test_a_start_that_is_cut_off_between_accounts_and_talk_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one gives talk the ids that the accounts have, and the copy is still the old one."""
    filled(tmp_path)

    def cut(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(renewing, "_said", cut)
        with pytest.raises(KeyboardInterrupt):
            renewing.renew(tmp_path, SeededAmbient(1), "rig", Quiet())
    copied = (tmp_path / renewing.COPY).read_bytes()
    renewing.renew(tmp_path, SeededAmbient(2), "rig", Quiet())
    ids, *hung = found(tmp_path)
    assert all(map(ID.fullmatch, ids)) and tuple(hung) == HUNG
    assert (tmp_path / renewing.COPY).read_bytes() == copied


def test_handles_get_keys_and_a_copy_is_kept(tmp_path: Path) -> None:
    """Everybody of an earlier release signs in as before, also two whose names look alike; whoever
    comes after them may look like neither, also once Unicode's table has changed."""
    path = tmp_path / accounts.FILE
    old = database.Database(path, accounts.SCHEMA[:-1])
    names = (("a.1", "Ian"), ("a.2", "\u0406rena"), ("a.3", "Irena"), ("a.4", "Jos\u00e9"))

    def fill(at: sqlite3.Connection) -> None:
        for n, (id, handle) in enumerate(names):
            row = (id, handle, f"folded {n}")
            at.execute("INSERT INTO accounts VALUES (?, ?, ?, 'en', '', 1, '', '')", row)

    old.run(fill)
    old.close()
    db = people.database(tmp_path)
    for id, handle in names:
        asked = handle.upper()
        named = db.look(lambda at, asked=asked: accounts.named(at, asked))
        assert named is not None and named.id == id
    copy = tmp_path / f"accounts.before-{len(accounts.SCHEMA)}.db"
    assert copy.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(copy) as kept:
        assert kept.execute("SELECT count(*) FROM accounts WHERE folded != ''").fetchone() == (4,)
    kept.close()
    for _ in range(2):
        with pytest.raises(accounts.BadAccount, match="alike"):
            db.run(lambda at: accounts.create(at, SystemAmbient(), "rig", "lan"))
        db.run(lambda at: at.execute("UPDATE compared SET version = '1.0'"))
        db.run(lambda at: at.execute("DELETE FROM skeletons"))
    db.run(lambda at: accounts.create(at, SystemAmbient(), "rig", "Jose"))
    db.forget_log()
    db.close()
    assert not copy.exists(), "it holds what somebody had deleted"


def test_the_copy_is_of_the_file_before_whoever_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process migrates the file while this one is about to copy it: its copy stays, and
    ours, which came too late, is none."""
    path = tmp_path / accounts.FILE
    old = database.Database(path, accounts.SCHEMA[:-1])
    old.run(lambda at: at.execute("INSERT INTO invitations VALUES ('i', x'', 1, 1, '', '')"))
    old.close()
    name = tmp_path / f"accounts.before-{len(accounts.SCHEMA)}.db"
    copy = database._copy

    def late(connection: sqlite3.Connection, to: Path) -> None:
        monkeypatch.setattr(database, "_copy", copy)
        other = people.database(tmp_path)
        other.run(lambda at: at.execute("DELETE FROM invitations"))
        other.close()
        copy(connection, to)

    monkeypatch.setattr(database, "_copy", late)
    db = people.database(tmp_path)
    assert db.look(lambda at: at.execute("SELECT count(*) FROM invitations").fetchone()) == (0,)
    db.close()
    with sqlite3.connect(name) as kept:
        assert kept.execute("SELECT count(*) FROM invitations").fetchone() == (1,)
    kept.close()
    assert [one.name for one in tmp_path.glob("*before*")] == [name.name]
