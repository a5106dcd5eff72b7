"""Web Push: what a browser is told, sealed for it alone and signed by the server; and that a
subscription ends when its browser, its device or its account does."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.serve.people.test_accounts import PASSWORD, begin, desk, new_game, person
from tests.serve.people.test_accounts import quick as quick
from tests.serve.people.test_notices import Hooks, decision, rounds
from tests.serve.rig import Client, Server
from warledger.engine.desk import notificationpreferences, outbox, push
from warledger.engine.desk.people import People
from warledger.engine.desk.push import Pusher
from warledger.engine.serve import serversecrets
from warledger.engine.serve.app import new_pusher
from warledger.engine.serve.config import BadConfig, Config
from warledger.engine.testing.fakeambient import SeededAmbient
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages as m

CONTACT = "mailto:ops@example.org"
CREATED = b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n"


class Browser:
    """A browser that may be written to; its push service's address is a secret."""

    def __init__(self, name: str = "one") -> None:
        self.endpoint = f"https://push.example.net/{name}/PLANTED-4712"
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.auth = bytes(range(16))

    @property
    def subscription(self) -> tuple[str, bytes, bytes]:
        point = self.private.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        return self.endpoint, point, self.auth

    def read(self, body: bytes) -> dict[str, str]:
        """What was sealed for it."""
        salt, size, point, sealed = body[:16], body[20], body[21:86], body[86:]
        assert size == 65 and int.from_bytes(body[16:20], "big") >= len(body)
        _, own, _ = self.subscription
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        shared = self.private.exchange(ec.ECDH(), theirs)
        info = b"WebPush: info\0" + own + point
        seed = HKDF(SHA256(), 32, self.auth, info).derive(shared)
        key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(seed)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(seed)
        opened = AESGCM(key).decrypt(nonce, sealed, None)
        assert opened.endswith(b"\x02")
        found: dict[str, str] = json.loads(opened[:-1])
        return found


def unpacked(text: str) -> bytes:
    """Base64 for addresses, without its padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@asynccontextmanager
async def pushing(
    tmp_path: Path,
) -> AsyncIterator[tuple[Server, People, Hooks, Client, Browser]]:
    """A server that pushes, and Anna's browser, which is told."""
    async with desk(tmp_path) as (running, people):
        hooks = Hooks(CREATED)
        notifier = running.hub.notifier
        notifier.poster = hooks.poster()
        notifier.pusher = Pusher(bytes(range(32)), CONTACT, people.world.random_bytes)
        anna, browser = await person(running), Browser()
        answer = await anna.ask(am.ChangeAccount, "push", browser.subscription, "")
        assert answer.account["served"]["push"] == notifier.pusher.public
        assert len(answer.account["push"]) == 1 and "PLANTED" not in str(answer)
        yield running, people, hooks, anna, browser


async def test_a_decision_is_pushed_once_sealed_and_signed(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """After the patience; nobody but the browser reads it, the server's signature is for its push
    service, and what was not taken is sent again as the same message."""
    async with pushing(tmp_path) as (running, people, hooks, anna, browser):
        bert, made = await running.client(), await new_game(running)
        await anna.ask(m.Login, dict(made.tokens)["a"], "")
        await bert.ask(m.Login, dict(made.tokens)["b"], "")
        await begin(anna, bert, made.game)
        await rounds(running, people, 4)
        assert hooks.got == []
        hooks.answer = b"HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n"
        await rounds(running, people, 2)
        hooks.answer = CREATED
        for _ in range(3):
            await rounds(running, people, 30)
        assert len(hooks.got) == 2
        told = [browser.read(body) for _, body in hooks.got]
        assert told[0] == told[1] and told[0]["path"] == f"/game/{made.game}"
        assert "Bert" in told[0]["text"] and "http" not in told[0]["text"]
        (first, body), (again, _) = hooks.got
        assert b"Bert" not in body and first["topic"] == again["topic"] == told[0]["tag"][:32]
        assert first["content-encoding"] == "aes128gcm" and int(first["ttl"]) > 0
        token, key = first["authorization"].removeprefix("vapid t=").split(", k=")
        signed, _, signature = token.rpartition(".")
        head, claims = (json.loads(unpacked(part)) for part in signed.split("."))
        assert head == {"typ": "JWT", "alg": "ES256"}
        assert (claims["aud"], claims["sub"]) == ("https://push.example.net", CONTACT)
        assert 0 < claims["exp"] - people.world.now_ms() // 1000 <= 24 * 3600
        pusher = running.hub.notifier.pusher
        assert pusher is not None and unpacked(key) == pusher.public
        r, s = unpacked(signature)[:32], unpacked(signature)[32:]
        der = encode_dss_signature(int.from_bytes(r, "big"), int.from_bytes(s, "big"))
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unpacked(key))
        public.verify(der, signed.encode(), ec.ECDSA(SHA256()))
        assert "PLANTED" not in running.log.getvalue()


@pytest.mark.parametrize("status", [404, 410])
async def test_what_a_push_service_no_longer_knows_is_forgotten(
    tmp_path: Path, autojump_clock: Any, status: int
) -> None:
    """With what waited for it; any other refusal leaves it, and the person finds the reason."""
    async with pushing(tmp_path) as (running, people, hooks, anna, _):
        id = (await anna.ask(am.Account)).account["id"]
        now = people.world.now_ms()
        await people.write(lambda at: outbox.note(at, id, decision("g1", 7), now))
        hooks.answer = f"HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n".encode()
        await running.hub.notifier.send()
        assert (await anna.ask(am.Account)).account["push"] == ()
        rows = await people.look(lambda at: at.execute("SELECT count(*) FROM told").fetchone())
        assert rows == (0,) and len(hooks.got) == 1


async def test_a_test_is_pushed_and_says_why_not(tmp_path: Path, autojump_clock: Any) -> None:
    """To this device's browser; nothing inside is reached, and a server that pushes no more says
    so."""
    async with pushing(tmp_path) as (running, _, hooks, anna, browser):
        answer = await anna.ask(am.ChangeAccount, "test_channel", "push", "")
        assert type(answer) is am.AccountIs
        ((_, body),) = hooks.got
        assert "Anna" in browser.read(body)["text"] and browser.read(body)["path"] == "/account"
        hooks.addresses = ["127.0.0.1"]
        answer = await anna.ask(am.ChangeAccount, "test_channel", "push", "")
        assert "refused_address" in str(answer.say) and len(hooks.got) == 1
        running.hub.notifier.pusher = None
        answer = await anna.ask(am.ChangeAccount, "test_channel", "push", "")
        assert "no_push" in str(answer.say)
        answer = await anna.ask(am.ChangeAccount, "push", browser.subscription, "")
        assert answer.say.key == "error.no_push"
        answer = await anna.ask(am.ChangeAccount, "push", None, "")
        assert answer.account["push"] == () and answer.account["served"]["push"] == b""


async def test_a_browser_is_told_for_as_long_as_its_device_is_signed_in(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """Signed out here or from elsewhere it is told no more; nor is whoever was told in the same
    browser before; one that is not remembered is not told at all."""
    async with pushing(tmp_path) as (running, _, _, _, browser):
        other, second = await person(running), Browser("two")
        answer = await other.ask(am.ChangeAccount, "push", second.subscription, "")
        assert len(answer.account["push"]) == 2
        (here,) = [one["id"] for one in answer.account["devices"] if not one["here"]]
        answer = await other.ask(am.ChangeAccount, "drop_device", here, "")
        assert [one["device"] for one in answer.account["push"]] != [here]
        assert len(answer.account["push"]) == 1
        third = await person(running)
        answer = await third.ask(am.ChangeAccount, "push", second.subscription, "")
        assert len(answer.account["push"]) == 1, "the browser is the third device's now"
        answer = await other.ask(am.ChangeAccount, "drop_devices", None, "")
        assert answer.account["push"] == ()
        visitor = await running.client()
        shown = await visitor.ask(am.SignIn, am.PASSWORD, "Anna", PASSWORD, "café", False)
        await visitor.ask(m.Login, shown.token, "")
        answer = await visitor.ask(am.ChangeAccount, "push", browser.subscription, "")
        assert answer.say.key == "error.push_kept"


async def test_what_is_no_subscription_is_not_kept(tmp_path: Path, autojump_clock: Any) -> None:
    """Another address than https, a key that is no point of the curve, a secret of another
    length."""
    endpoint, key, auth = Browser().subscription
    async with pushing(tmp_path) as (_, _, _, anna, _):
        for wrong in (
            ("http://push.example.net/x", key, auth),
            ("https://push.example.net/" + "x" * 1024, key, auth),
            (endpoint, key[:-1], auth),
            (endpoint, b"\x04" + bytes(64), auth),
            (endpoint, key, auth + b"x"),
            ("https://[2606:4700::1]/x", key, auth),
            (endpoint, key),
            7,
        ):
            answer = await anna.ask(am.ChangeAccount, "push", wrong, "")
            assert type(answer) is m.Error, wrong


def test_the_server_makes_its_key_and_refuses_what_is_no_contact(tmp_path: Path) -> None:
    """The key is for its owner alone, and is the same after a restart; without --push there is
    none."""
    world = SeededAmbient(1)
    assert new_pusher(Config(tmp_path), world) is None
    made = new_pusher(Config(tmp_path, push=CONTACT), world)
    again = new_pusher(Config(tmp_path, push="https://example.org"), world)
    assert made is not None and again is not None and made.public == again.public
    assert (tmp_path / serversecrets.PUSH_KEY_FILE).stat().st_mode & 0o777 == 0o600
    with pytest.raises(BadConfig, match="push services"):
        new_pusher(Config(tmp_path, push="ops@example.org"), world)
    (tmp_path / serversecrets.PUSH_KEY_FILE).write_text("no key")
    with pytest.raises(BadConfig, match="does not hold a key"):
        new_pusher(Config(tmp_path, push=CONTACT), world)


def test_a_message_is_sealed_as_the_standard_does_it() -> None:
    """The example of RFC 8291, section 5, byte for byte."""
    ours = int.from_bytes(unpacked("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"), "big")
    salt = unpacked("DGv6ra1nlYgDCS1FRnbzlw")
    # The bytes of a key are made a scalar by adding one.
    given = {16: salt, 32: (ours - 1).to_bytes(32, "big")}
    theirs = unpacked(
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    )
    pusher = Pusher(bytes(32), CONTACT, given.__getitem__)
    form = push.kept(theirs, unpacked("BTBZMqHH6r4Tts7J_aSIgg"))
    assert pusher.sealed(form, b"When I grow up, I want to be a watermelon") == unpacked(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmY"
        "WAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexS"
        "gSxsj_Qulcy4a-fN"
    )


def test_a_long_message_is_cut_where_a_push_service_would_refuse_it() -> None:
    """Between two characters."""
    body = push.told("t", ["车" * 2000], "/", "tag")
    assert len(body) < 3900 and json.loads(body)["text"].endswith("车…")
    pusher = Pusher(bytes(32), CONTACT, lambda n: bytes(range(n)))
    _, key, auth = Browser().subscription
    assert len(pusher.sealed(push.kept(key, auth), body)) <= 4096
    assert notificationpreferences.PUSH_WAYS_MAX == 8
