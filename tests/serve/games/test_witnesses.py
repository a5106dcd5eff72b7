"""Witnesses of the end, and heads."""

from __future__ import annotations

import hashlib

import trio
import trio.testing
from nacl.signing import SigningKey

from tests.serve.rig import (
    new_game,
    server,
    started,
)
from tests.serve.signed import PUBLIC_KEY, MockClock, a_key, log_of, play_out, witness
from warledger.engine.runtime.game.gameexport import export_game
from warledger.engine.store.port import FRAME_RECORD
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.log import chain, wlog
from warledger.protocol.log.wlog import FRAME_WITNESS
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand
from warledger.protocol.wire import messages as m

# --- the end, and heads ---------------------------------------------------------------------------


async def test_a_witness_is_kept_once_and_exported(autojump_clock: MockClock) -> None:
    """Only at the end, only by a key in force, only over the last record; each key's once. It is
    kept over a restart, told to whoever asks, and in the exported file behind the last record."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s, turns=1)
        hand = await client.hand(game, "a")
        await client.submit(game, "a", "pass")
        head = (await client.ask(m.Head, game)).head
        assert (
            await client.ask(*witness(hand, game, head.seq, head.hash))
        ).refusal.key == "refusal.witness"
        assert (await client.ask(m.Witnesses, game)).items == ()
        await client.submit(game, "b", "pass")
        last = (await client.ask(m.Head, game)).head
        stranger = Hand(hand.genesis, "a", a_key("stranger"))
        for wrong in (
            witness(stranger, game, last.seq, last.hash),
            witness(hand, game, head.seq, head.hash),
            witness(hand, game, last.seq, head.hash),
            witness(
                Hand(hand.genesis, "a", client.hands[game, "b"]._key), game, last.seq, last.hash
            ),
        ):
            assert (await client.ask(*wrong)).refusal.key == "refusal.witness"
        unsigned = (*witness(hand, game, last.seq, last.hash)[:-1], bytes(64))
        assert (await client.ask(*unsigned)).refusal.key == "refusal.signature"
        for _ in range(3):
            assert type(await client.ask(*witness(hand, game, last.seq, last.hash))) is m.Witnessed
        told = (await client.ask(m.Witnesses, game)).items
        assert [item[:4] for item in told] == [("a", hand.public, last.seq, last.hash)]
    async with server(store) as s:
        client = await s.client()
        assert (await client.ask(m.Witnesses, game)).items == told
        file = wlog.parse(export_game(store.read(game)), sealed=True)
        kinds = [frame.kind for frame in file.frames]
        assert kinds.count(FRAME_WITNESS) == 1
        assert kinds.index(FRAME_WITNESS) > max(
            index for index, kind in enumerate(kinds) if kind == FRAME_RECORD
        )


async def test_other_signatures_of_the_same_witness_are_not_kept(autojump_clock: MockClock) -> None:
    """A key can sign the same in many ways; a seat cannot fill the disk with that."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s, turns=1)
        hand = await client.hand(game, "a")
        await play_out(client, game)
        last = (await client.ask(m.Head, game)).head
        message = acts.witness_bytes(hand.genesis, last.seq, last.hash)
        assert hand._key is not None
        for number in range(3):
            signature = signed_otherwise(hand._key, message, number)
            assert acts.verify(hand.public, message, signature)
            answer = await client.ask(
                m.Witness, game, "a", hand.public, last.seq, last.hash, signature
            )
            assert type(answer) is m.Witnessed
        assert len([frame for frame in store.read(game) if frame.kind == FRAME_WITNESS]) == 1


def signed_otherwise(key: SigningKey, message: bytes, number: int) -> bytes:
    """A sound signature whose nonce is another than the usual one: who has the key can make as many
    as they like."""
    from nacl import bindings

    half = hashlib.sha512(key.encode()).digest()
    clamped = bytearray(half[:32])
    clamped[0] &= 248
    clamped[31] = clamped[31] & 127 | 64
    nonce = bindings.crypto_core_ed25519_scalar_reduce(
        hashlib.sha512(bytes([number]) + message).digest()
    )
    point = bindings.crypto_scalarmult_ed25519_base_noclamp(nonce)
    challenge = bindings.crypto_core_ed25519_scalar_reduce(
        hashlib.sha512(point + key.verify_key.encode() + message).digest()
    )
    scalar = bindings.crypto_core_ed25519_scalar_reduce(bytes(clamped) + bytes(32))
    product = bindings.crypto_core_ed25519_scalar_mul(challenge, scalar)
    return bytes(point + bindings.crypto_core_ed25519_scalar_add(nonce, product))


async def test_a_delay_binds_witnesses_and_heads(autojump_clock: MockClock) -> None:
    """While spectators may not see the end they hear of no witness, and of no head after what they
    see; seats do."""
    async with server() as s:
        game, _, client = await started(s, turns=1, delay_s=600)
        hand = await client.hand(game, "a")
        await trio.sleep(700)
        await play_out(client, game)
        last = (await client.ask(m.Head, game)).head
        assert type(await client.ask(*witness(hand, game, last.seq, last.hash))) is m.Witnessed
        spectator = await s.client()
        assert (await spectator.ask(m.Witnesses, game)).items == ()
        assert len((await client.ask(m.Witnesses, game)).items) == 1
        shown = (await spectator.ask(m.Head, game)).head.seq
        assert shown < last.seq
        answer = await spectator.ask(m.HeadOf, game, last.seq)
        assert (answer.code, dict(answer.say.args)["last"]) == ("no_such_record", shown)
        assert (await client.ask(m.HeadOf, game, last.seq)).head == last
        await trio.sleep(700)
        assert len((await spectator.ask(m.Witnesses, game)).items) == 1
        assert (await spectator.ask(m.HeadOf, game, last.seq)).head == last


async def test_a_head_of_any_record(autojump_clock: MockClock) -> None:
    """Each is signed, and is that record's; of none beyond the last."""
    async with server() as s:
        game, _, client = await started(s)
        await client.submit(game, "a", "roll")
        log = await log_of(client, game)
        for record in log:
            head = (await client.ask(m.HeadOf, game, record.seq)).head
            assert (head.seq, head.hash) == (record.seq, record.hash) and chain.head_is_signed_by(
                PUBLIC_KEY, head
            )
        assert (await client.ask(m.HeadOf, game, len(log))).code == "no_such_record"
        waiting, _ = await new_game(s)
        stranger = await s.client()
        assert chain.head_is_signed_by(PUBLIC_KEY, (await stranger.ask(m.HeadOf, waiting, 0)).head)
        assert (await stranger.ask(m.HeadOf, waiting, 1)).code == "no_such_record"
