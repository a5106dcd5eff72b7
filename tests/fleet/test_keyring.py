"""The key ring of a fleet: its file, who may read it, and its change in two steps."""

from pathlib import Path

import pytest

from warledger.engine.store.fleet.keyring import BadRing, Ring, read_ring, write_secret
from warledger.engine.store.fleet.sealedmessages import BadMessage


def counted() -> "type[bytes]":
    """Bytes that differ at every call."""
    made = 0

    def random_bytes(count: int) -> bytes:
        nonlocal made
        made += 1
        return bytes([made]) * count

    return random_bytes  # type: ignore[return-value]


def test_a_ring_changes_in_two_steps() -> None:
    """A key that is handed out signs and seals nothing yet, but opens what others seal with it;
    after the switch it is the first of the public keys, and the earlier one goes on opening."""
    random_bytes = counted()
    first = Ring.made(random_bytes)
    grown = first.grown(random_bytes)
    used = grown.switched()
    assert grown.signing_key == first.signing_key and grown.public == first.public
    assert (used.signing_key,) == grown.next_signing_keys != (first.signing_key,)
    assert grown.other_signing_keys == used.next_signing_keys == ()
    assert used.other_signing_keys == (first.signing_key,)
    assert used.public[1:] == first.public and len(used.public) == 2
    [old] = first.data_keys.seal("g", 0, b"old")
    [new] = used.data_keys.seal("g", 1, b"new")
    assert used.data_keys.open(old).data == b"old" and grown.data_keys.open(new).data == b"new"
    with pytest.raises(BadMessage):
        first.data_keys.open(new)
    assert first.missing(used.described()) == ("signing 2", "data 2")
    assert grown.missing(used.described()) == used.missing(first.described()) == ()
    other = Ring.made(random_bytes)
    assert other.missing(first.described()) == ("signing 1", "data 1")
    with pytest.raises(BadRing):
        grown.grown(random_bytes)
    with pytest.raises(BadRing):
        used.switched()
    assert Ring.parse(grown.text(), "here") == grown
    secrets = [key.secret for key in used.keys]
    assert not any(secret.hex() in str((used, used.described())) for secret in secrets)


def test_a_ring_that_is_missing_open_to_others_or_damaged_is_refused(tmp_path: Path) -> None:
    """Each with what is wrong and what to do; and the secrets are not in the message."""
    file = tmp_path / "fleet.keys"
    with pytest.raises(BadRing, match="no key ring"):
        read_ring(tmp_path)
    ring = Ring.made(counted())
    write_secret(file, ring.text())
    assert file.stat().st_mode & 0o777 == 0o600 and read_ring(tmp_path) == ring
    file.chmod(0o640)
    with pytest.raises(BadRing, match="chmod 600"):
        read_ring(tmp_path)
    secret = "ab" * 32
    for text in (
        "",
        f"signing 1 {secret}",
        f"signing 1 {secret}\ndata 2 {secret}",
        f"signing 1 {secret}\ndata 1 {secret[2:]}",
        f"signing 1 {secret}\ndata 1 {secret} later",
        f"signing 1 {secret} next\ndata 1 {secret}",
        f"signing 1 {secret}\nsigning 1 {secret}\ndata 1 {secret}",
        f"signing 1 {secret}\ndata one {secret}",
    ):
        write_secret(file, text)
        with pytest.raises(BadRing) as error:
            read_ring(tmp_path)
        assert secret not in str(error.value) and "backup" in str(error.value), text


def test_systemd_hands_a_ring_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder the ring is that among systemd's credentials, whose access list shows as
    the group's bits; everybody's bits are refused there, too."""
    ring = Ring.made(counted())
    write_secret(tmp_path / "fleet.keys", ring.text(), 0o440)
    with pytest.raises(BadRing, match="--keys"):
        monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
        read_ring()
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert read_ring() == ring
    (tmp_path / "fleet.keys").chmod(0o444)
    with pytest.raises(BadRing):
        read_ring()
