"""Level 1, what seats kept beside heads: their key, their nonce, and the journal of what they
signed with the server's answers.

What the server signed binds it: an act that it refused under its signature and that is in the file
anyway is a finding. What nobody but the one who kept it vouches for (a key, a nonce, "it was
accepted") proves nothing to others. So it never makes a file unsound. Where it contradicts the file
the verdict has a reservation, and where it merely adds to it a note.
"""

from collections.abc import Sequence
from pathlib import Path

from attrs import frozen
from nacl.signing import SigningKey

from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.heads import server_said, signer_of
from warledger.clients.link.receipts import ACTS, KEY, KEY_BYTES, NONCE, read_journals
from warledger.protocol.board.choices import say
from warledger.protocol.chance import dice
from warledger.protocol.log import records
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act

GENESIS_DIGITS = 16
"""How many hexadecimal digits of the genesis's hash are in the name of a file of receipts."""


@frozen
class Refused:
    """The server's statement that an act is not in the log up to record `seq`, and never will
    be."""

    seq: int
    hash: bytes
    signature: bytes


@frozen
class KeptAct:
    """An act in a journal: `stands` is the record in which it was accepted as the journal says,
    `refused` the server's refusal."""

    act: Act
    stands: int | None = None
    refused: Refused | None = None


@frozen
class Kept:
    """What one seat of one genesis kept. `genesis` are the first digits of its hash; key and nonce
    None where there is none."""

    game: str
    genesis: str
    seat: str
    key: bytes | None = None
    nonce: bytes | None = None
    acts: tuple[KeptAct, ...] = ()


def read_kept(folder: Path) -> list[Kept]:
    """What the seats of a folder of receipts kept. Raises BadReceipt if a file is damaged."""
    journals: dict[tuple[bytes, str], list[KeptAct]] = {}
    for entry in read_journals(folder):
        refused = (
            Refused(entry.refused.seq, entry.refused.hash, entry.refused.signature)
            if entry.refused is not None
            else None
        )
        journals.setdefault((entry.act.genesis, entry.act.seat), []).append(
            KeptAct(entry.act, entry.stands, refused)
        )
    found = []
    names = sorted(
        {
            path.name.rpartition(".")[0]
            for ending in (KEY, NONCE, ACTS)
            for path in folder.glob(f"*{ending}")
        }
    )
    for name in names:
        game, genesis, seat = name.split(".")
        key, nonce = _bytes(folder / f"{name}{KEY}"), _bytes(folder / f"{name}{NONCE}")
        public = SigningKey(key).verify_key.encode() if len(key) == KEY_BYTES else None
        entries = [
            items
            for (hash, who), items in journals.items()
            if (hash.hex()[:GENESIS_DIGITS], who) == (genesis, seat)
        ]
        journal = tuple(entries[0]) if entries else ()
        if public is None and journal:
            public = (
                journal[0].act.key or None
            )  # players who send in receipts keep their secret key to themselves
        found.append(Kept(game, genesis, seat, public, nonce or None, journal))
    return found


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def check_kept(found: Evidence, kept: Sequence[Kept]) -> None:
    """Compare what was kept of this game with the file."""
    genesis = found.opened_genesis
    ours = [item for item in kept if item.game == genesis.game]
    if any(item.genesis != genesis.hash.hex()[:GENESIS_DIGITS] for item in ours):
        found.notes.append(say("audit.note.other_genesis", game=genesis.game))
    ours = [item for item in ours if item.genesis == genesis.hash.hex()[:GENESIS_DIGITS]]
    if not ours:
        return
    recorded = _acts(found)
    for item in ours:
        _seat(found, item)
        _journal(found, item, recorded)


def _acts(found: Evidence) -> dict[bytes, tuple[int, Act]]:
    """Every act in the file by its hash, with its record."""
    genesis, out = found.opened_genesis, {}
    for record in found.records:
        try:
            for act in acts.acts_of(genesis.hash, record):
                out[act.hash] = (record.seq, act)
        except records.CorruptLog:
            continue
    return out


def _seat(found: Evidence, item: Kept) -> None:
    sitter = found.sitters.get(item.seat)
    refused = any(kept.act.kind == acts.TAKEN and kept.refused is not None for kept in item.acts)
    if sitter is None or refused:
        return
    if item.key is not None and found.key_owners.get(item.key) != item.seat:
        found.contradicted.append(say("audit.reservation.other_seat_key", seat=item.seat))
    elif (
        item.nonce is not None
        and dice.bound_nonce_hash(found.opened_genesis.hash, item.seat, item.nonce)
        != sitter.nonce_hash
    ):
        found.contradicted.append(say("audit.reservation.other_nonce", seat=item.seat))


def _journal(found: Evidence, item: Kept, recorded: dict[bytes, tuple[int, Act]]) -> None:
    known = set()
    for kept in item.acts:
        act = kept.act
        if act.genesis != found.opened_genesis.hash or not act.holds:
            continue
        known.add(act.hash)
        stands = recorded.get(act.hash)
        if kept.refused is not None:
            _refusal(found, act, kept.refused, stands)
        elif kept.stands is not None and stands is None and kept.stands < len(found.records):
            found.notes.append(say("audit.note.act_missing", seat=item.seat, seq=kept.stands))
    if known and item.key is not None:
        strange = [
            seq for seq, act in recorded.values() if act.key == item.key and act.hash not in known
        ]
        if strange:
            found.notes.append(
                say("audit.note.act_unknown", seat=item.seat, seq=min(strange), count=len(strange))
            )


def _refusal(found: Evidence, act: Act, refused: Refused, stands: tuple[int, Act] | None) -> None:
    message = acts.refusal_bytes(act.hash, refused.seq, refused.hash)
    if signer_of(found, refused.seq, message, refused.signature) is None:
        found.notes.append(say("audit.note.receipt_unsigned", seq=refused.seq))
        return
    if stands is not None:
        found.wrong(stands[0], "by", say("audit.refused_stands", seat=act.seat, seq=refused.seq))
    server_said(found, refused.seq, refused.hash)
    if refused.seq < len(found.records) and found.records[refused.seq].hash != refused.hash:
        found.wrong(refused.seq, "receipt", say("audit.receipt"))
