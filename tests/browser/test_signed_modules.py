"""The page's modules for signed games, compared with the Python they mirror: acts, keys, who may
sign, and draws."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from hashlib import sha512
from pathlib import Path
from typing import Any

from nacl.bindings import (
    crypto_core_ed25519_add,
    crypto_core_ed25519_scalar_reduce,
    crypto_scalarmult_ed25519_base_noclamp,
)
from nacl.signing import SigningKey

from tests.browser.test_modules import IN, b64
from warledger.protocol.chance import dice
from warledger.protocol.log import chain
from warledger.protocol.seats import acts

Open = Callable[..., Any]
VECTORS = Path(__file__).resolve().parents[2] / "protocol" / "vectors" / "ed25519.json"
GENESIS = bytes(range(32))

DECODE = f"const decode = {IN}; const {{ hex }} = await import('/records/sha256.js');"


def test_what_is_signed_has_the_same_bytes(open_page: Open) -> None:
    """Acts, digests of picks and orders, the roster, the table's code, and all else that is signed:
    byte for byte those of the server."""
    page = open_page("/help")
    key, blind, seen = bytes(32), bytes([7]) * 32, bytes([9]) * 32
    body = (3, b"id", bytes(32))
    picks = ("sail", "hood", 3)
    orders = (("prompt.x", (picks,), "turn"), ("prompt.y", (("done",),), "game"))
    entries = (("a", "rig.0", "Ann", key, blind), ("b", "", "Bø", acts.NO_KEY, seen))
    expected = [
        acts.signed_bytes(GENESIS, key, "a", "command", 4, seen, body).hex(),
        acts.Act(GENESIS, key, "a", "command", 4, seen, body, b"").hash.hex(),
        acts.picks_digest(GENESIS, "a", 3, b"id", blind, picks).hex(),
        acts.orders_digest(GENESIS, "a", blind, orders).hex(),
        acts.roster_hash(GENESIS, entries).hex(),
        acts.table_code(GENESIS, [entry[:4] for entry in entries], (blind, seen)),
        dice.bound_nonce_hash(GENESIS, "a", blind).hex(),
        acts.device_bytes(GENESIS, "a", key, blind).hex(),
        acts.witness_bytes(GENESIS, 70000, seen).hex(),
        acts.rotate_bytes(GENESIS, key, blind).hex(),
        acts.refusal_bytes(seen, 12, blind).hex(),
        chain.signed_bytes("game", 12, blind).hex(),
    ]

    got = page.evaluate(
        f"""async (data) => {{
          {DECODE}
          const a = await import('/records/acts.js');
          const [genesis, key, blind, seen, id] = data.map(decode);
          const body = [3, id, new Uint8Array(32)];
          const picks = ['sail', 'hood', 3];
          const orders = [['prompt.x', [picks], 'turn'], ['prompt.y', [['done']], 'game']];
          const entries = [['a', 'rig.0', 'Ann', key, blind], ['b', '', 'Bø', a.NO_KEY, seen]];
          const act = {{ genesis, key, seat: 'a', kind: 'command', n: 4, seen, body, signature: a.NO_KEY }};
          return [hex(a.signedBytes(act)), hex(a.actHash(act)), hex(a.picksDigest(genesis, 'a', 3, id, blind, picks)),
            hex(a.ordersDigest(genesis, 'a', blind, orders)), hex(a.rosterHash(genesis, entries)),
            a.tableCode(genesis, entries.map((entry) => entry.slice(0, 4)), [blind, seen]), hex(a.boundNonceHash(genesis, 'a', blind)),
            hex(a.deviceBytes(genesis, 'a', key, blind)), hex(a.witnessBytes(genesis, 70000, seen)),
            hex(a.rotateBytes(genesis, key, blind)), hex(a.refusalBytes(seen, 12, blind)), hex(a.headBytes('game', 12, blind))];
        }}""",
        [b64(one) for one in (GENESIS, key, blind, seen, b"id")],
    )

    assert got == expected


def test_dice_are_thrown_again_as_the_server_threw_them(open_page: Open) -> None:
    """Every index that a seed gives, for dice of any number of sides."""
    page = open_page("/help")
    rng = random.Random(11)
    cases = [
        (
            rng.randbytes(32),
            rng.randrange(5000),
            rng.choice(["volley", "weather", "hit né"]),
            rng.choice([1, 2, 6, 36, 100, 2**32]),
        )
        for _ in range(60)
    ]

    got = page.evaluate(
        f"""async (cases) => {{ {DECODE} const {{ drawIndex }} = await import('/audit/drawing.js');
          return cases.map(([seed, counter, purpose, sides]) => drawIndex(decode(seed), counter, purpose, sides)); }}""",
        [[b64(seed), *rest] for seed, *rest in cases],
    )

    assert got == [dice.draw_index(*case) for case in cases]


ORDER = 2**252 + 27742317777372353535851937790883648493
P = 2**255 - 19
OF_ORDER_EIGHT = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")


def edge_cases() -> list[tuple[str, bytes, bytes, bytes, bool]]:
    """Signatures on which verifiers are known to disagree: [what, key, message, signature, whether
    it holds]."""
    key = SigningKey(bytes([5]) * 32)
    public, message = key.verify_key.encode(), b"a message"
    good = key.sign(message).signature
    s = int.from_bytes(good[32:], "little")
    found = [
        ("good", public, message, good, True),
        ("another message", public, b"another", good, False),
        (
            "S beyond the order",
            public,
            message,
            good[:32] + (s + ORDER).to_bytes(32, "little"),
            False,
        ),
        ("S negated", public, message, good[:32] + (ORDER - s).to_bytes(32, "little"), False),
        ("too short", public, message, good[:63], False),
        ("key too short", public[:31], message, good, False),
        ("all zero", bytes(32), message, bytes(64), False),
    ]
    one = (1).to_bytes(32, "little")
    for name, point in (
        ("one", one),
        ("zero", bytes(32)),
        ("minus one", (P - 1).to_bytes(32, "little")),
        ("p", P.to_bytes(32, "little")),
        ("p and one", (P + 1).to_bytes(32, "little")),
        ("order eight", OF_ORDER_EIGHT),
        ("order eight, other sign", OF_ORDER_EIGHT[:31] + bytes([OF_ORDER_EIGHT[31] | 0x80])),
        ("one, other sign", one[:31] + b"\x80"),
    ):
        # With a key of small order R = 1, S = 0 satisfies the equation for one message in eight,
        # and for every one if the key is 1.
        found += [
            (f"key {name}", point, text, one + bytes(32), False)
            for text in (message, *map(bytes, range(8)))
        ]
        found.append((f"R {name}", public, message, point + good[32:], False))
    # R with a part of small order: the equation holds with cofactor only.
    r, a = 12345, int.from_bytes(_scalar(key), "little")
    mixed = crypto_core_ed25519_add(
        crypto_scalarmult_ed25519_base_noclamp(r.to_bytes(32, "little")), OF_ORDER_EIGHT
    )
    h = int.from_bytes(
        crypto_core_ed25519_scalar_reduce(sha512(mixed + public + message).digest()), "little"
    )
    found.append(
        (
            "R of mixed order",
            public,
            message,
            mixed + ((r + h * a) % ORDER).to_bytes(32, "little"),
            False,
        )
    )
    return found


def _scalar(key: SigningKey) -> bytes:
    half = bytearray(sha512(key.encode()).digest()[:32])
    half[0] &= 248
    half[31] = half[31] & 127 | 64
    return bytes(half)


VERIFY = f"""async (cases) => {{ {DECODE} const {{ able, verify }} = await import('/records/ed25519.js');
  const held = cases.map(([key, message, signature]) => verify(decode(key), decode(message), decode(signature)));
  return [await able(), await Promise.all(held)]; }}"""


def test_a_signature_holds_by_one_rule(open_page: Open) -> None:
    """Edge cases on which verifiers disagree: the page takes what libsodium's rule takes and
    nothing else."""
    page = open_page("/help")
    cases = edge_cases()

    able, got = page.evaluate(
        VERIFY,
        [[b64(key), b64(message), b64(signature)] for _, key, message, signature, _ in cases],
    )

    assert able
    wrong = [
        (what, holds)
        for (what, *_, holds), found in zip(cases, got, strict=True)
        if found is not holds
    ]
    assert wrong == []
    there = [
        (what, holds)
        for what, key, message, signature, holds in cases
        if acts.verify(key, message, signature) is not holds
    ]
    assert there == []


def test_the_shared_vectors_hold_here_too(open_page: Open) -> None:
    """The vectors that all verifiers share give the same in the page."""
    page = open_page("/help")
    cases = json.loads(VECTORS.read_text(encoding="utf-8"))

    _, got = page.evaluate(
        VERIFY,
        [
            [
                base64.b64encode(bytes.fromhex(case[part])).decode()
                for part in ("key", "message", "signature")
            ]
            for case in cases
        ],
    )

    assert [
        (case, found) for case, found in zip(cases, got, strict=True) if found is not case["valid"]
    ] == []


def test_the_shared_values_are_canonical_here_too(open_page: Open) -> None:
    """The page reads the canonical values of the vectors, spells them the same again, and refuses
    the others."""
    page = open_page("/help")
    cases = json.loads((VECTORS.parent / "values.json").read_text(encoding="utf-8"))

    wrong = page.evaluate(
        """async (cases) => {
          const { pack, unpack } = await import('/records/canon.js');
          const hex = (bytes) => [...bytes].map((one) => one.toString(16).padStart(2, '0')).join('');
          return cases.filter(({ hex: told, valid }) => {
            const bytes = new Uint8Array((told.match(/../g) ?? []).map((one) => parseInt(one, 16)));
            try {
              return (hex(pack(unpack(bytes))) === told) !== valid;
            } catch (error) {
              return valid;
            }
          }).map((one) => one.case);
        }""",
        cases,
    )

    assert wrong == []


def test_keys_sign_and_cannot_be_read(open_page: Open) -> None:
    """A key made here signs what Python verifies, gives away nothing, and a one-time key goes to
    another browser as text."""
    page = open_page("/help")

    got = page.evaluate(
        f"""async () => {{ {DECODE} const e = await import('/records/ed25519.js');
          const message = new TextEncoder().encode('signed');
          const own = await e.makeKey();
          const {{ pair, text }} = await e.makeOneTimeKey();
          const again = await e.keyFromText(text);
          const refused = [];
          for (const key of [own.secret, pair.secret, again.secret]) for (const form of ['pkcs8', 'jwk', 'raw'])
            await crypto.subtle.exportKey(form, key).then(() => refused.push('read'), () => undefined);
          const signed = async (key) => hex(await e.sign(key.secret, message));
          return [hex(own.open), await signed(own), hex(again.open), await signed(again), refused];
        }}"""
    )

    for at in (0, 2):
        assert acts.verify(bytes.fromhex(got[at]), b"signed", bytes.fromhex(got[at + 1]))
    assert got[4] == []


def test_what_the_server_adds_to_the_standing_answers_was_not_given(open_page: Open) -> None:
    """Only what the seat's newest signed answers hold counts as given: anything else would be
    signed with the next change."""
    got = open_page("/help").evaluate(
        """async () => {
          const { Hand } = await import('/play/hand.js');
          const hand = new Hand({}, 'g', 'a');
          const order = ['prompt.x', [['add', 2]], 'game'];
          hand.records = [{}, { inside: [[order], new Uint8Array(32)] }];
          hand.checker = { stand: { seats: new Map([['a', { orders: 1 }]]) } };
          const said = [hand.gave(['prompt.x', [['add', 2]], 'game']), hand.gave(['prompt.x', [['add', 6]], 'game'])];
          hand.checker.stand.seats.get('a').orders = 0;
          return [...said, hand.gave(order)];
        }"""
    )
    assert got == [True, False, False]


def test_a_game_whose_nonces_all_stand_cannot_lapse_on_the_page(open_page: Open) -> None:
    """The page and Python alike: an end that says that the game lapsed for want of nobody's nonce
    has no cause."""
    got = open_page("/help").evaluate(
        """async () => {
          const { Acting } = await import('/audit/acting.js');
          const body = [2, 'g', 't', '1', null, {}, ['a'], null, null, null, null, null, new Uint8Array(32), {}];
          const found = [];
          for (const nonce of [null, new Uint8Array(32)]) {
            const acting = new Acting({ hash: new Uint8Array(32), body });
            Object.assign(acting.seats.get('a'), { taken: ['A', new Uint8Array(32), new Uint8Array(32)], nonce });
            const args = [['seats', nonce ? [] : ['a']]];
            const end = { seq: 4, actor: 'server', kind: 'end', body: [null, 'outcome.lapsed', args, [], new Uint8Array(0), new Uint8Array(0), '', [], 'expired'], hash: new Uint8Array(32) };
            found.push(acting.take(end).wrong.map(([where]) => where));
          }
          return found;
        }"""
    )
    assert got == [[], ["reason"]]


def test_a_seat_of_another_entrant_or_of_a_program_is_not_taken(open_page: Open) -> None:
    """The page knows its entrant's number by what is kept of the entry; without any it is held to
    none. The nonce of an entry, which was shown, is no game that never began."""
    got = open_page("/help").evaluate(
        """async () => {
          const { Hand } = await import('/play/hand.js');
          const { put } = await import('/link/keeping.js');
          const charter = new Uint8Array(32).fill(7);
          const terms = (number) => ({ tournament: [null, 'cup', charter, 1, 1, null, [1, number]] });
          const barred = async (given) => {
            const hand = new Hand({}, 'g', 'b');
            const body = [];
            body[6] = ['a', 'b'];
            body[13] = given;
            await hand.begins({ hash: new Uint8Array(32), body });
            return [hand.barred, hand.number, hand.lapses];
          };
          const before = await barred(terms(3));
          await put(['papers', { genesis: '07'.repeat(32), seat: 'e:2', game: 'cup', server: location.host, secret: null,
            open: new Uint8Array(), nonce: new Uint8Array(32), name: '', shown: true, began: false, ended: false, witnessed: false, guest: null }]);
          return [before, await barred(terms(3)), await barred(terms(2)), await barred({ self_play: true }), await barred(null)];
        }"""
    )
    assert got == [
        *(["", 3, 0], ["seat.other_entrant", 3, 0], ["", 2, 0]),
        *(["seat.self_play", 0, 0], ["", 0, 0]),
    ]
