"""The page's modules for signed games, compared with the Python they mirror: acts, keys, who may
sign, and draws."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha512
from pathlib import Path
from typing import Any

from nacl.bindings import (
    crypto_core_ed25519_add,
    crypto_core_ed25519_scalar_reduce,
    crypto_scalarmult_ed25519_base_noclamp,
)
from nacl.signing import SigningKey

from tests.audit import forged_epochs
from tests.audit import forged_orders as given
from tests.audit.attacked_desk import SOUND, UNSOUND
from tests.browser.test_modules import IN, b64
from tests.fixtures.vectors import judged
from tests.kernel.disputes import a_case, a_protest
from tests.kernel.test_clocks import whatever_happens
from tests.laws.titles import CASES
from tests.verdicts import findings_of
from warledger.engine.kernel.change import replace
from warledger.engine.testing.randomgames import play
from warledger.protocol import acts, canon, chain, dice, records, wlog
from warledger.protocol.acting import Acting
from warledger.protocol.drawing import Drawing
from warledger.protocol.records import Genesis, Record

Open = Callable[..., Any]
VECTORS = Path(__file__).resolve().parents[2] / "protocol" / "vectors" / "ed25519.json"
GENESIS = bytes(range(32))

DECODE = f"const decode = {IN}; const {{ hex }} = await import('/sha256.js');"


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
          const a = await import('/acts.js');
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
        f"""async (cases) => {{ {DECODE} const {{ drawIndex }} = await import('/drawing.js');
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


VERIFY = f"""async (cases) => {{ {DECODE} const {{ able, verify }} = await import('/ed25519.js');
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
          const { pack, unpack } = await import('/canon.js');
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
        f"""async () => {{ {DECODE} const e = await import('/ed25519.js');
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


# --- who may sign, and draws: the page against Python ---------------------------------------------


def faults_of(logged: list[bytes]) -> list[tuple[int, str]]:
    """What Python finds wrong, as [record, key of the catalogue], signatures and all."""
    found: list[tuple[int, str]] = []
    acting: Acting | None = None
    drawing: Drawing | None = None
    for data in logged:
        record = records.read(data)
        if acting is None or drawing is None:
            genesis = Genesis.from_record(record)
            acting, drawing = Acting(genesis), Drawing(genesis)
        for taken in (drawing.take, acting.take):
            try:
                found += [(record.seq, what[-1].key) for what in taken(record)]
            except (records.CorruptLog, TypeError, ValueError, LookupError):
                found.append((record.seq, "form"))
    return sorted(
        {(seq, "die" if key in ("acts.draw", "web.die.forged") else key) for seq, key in found}
    )


IN_PAGE = f"""async (logs) => {{
  {DECODE}
  const {{ Chain }} = await import('/chain.js');
  const {{ Acting }} = await import('/acting.js');
  const {{ Drawing }} = await import('/drawing.js');
  const {{ verify }} = await import('/ed25519.js');
  const out = [];
  for (const log of logs) {{
    const chain = new Chain();
    const found = new Set();
    let acting, drawing, whole = log.length;
    for (const data of log) {{
      let record;
      try {{ record = chain.add(decode(data), new Uint8Array()); }} catch {{ whole = chain.records.length; break; }}
      const note = (key) => found.add(JSON.stringify([record.seq, key === 'web.die.forged' ? 'die' : key]));
      if (!record.seq) [acting, drawing] = [new Acting(record), new Drawing(record.body)];
      try {{ for (const [, what] of drawing.take(record)) note(what[0]); }} catch {{ note('form'); }}
      try {{
        const {{ wrong, signatures }} = acting.take(record);
        for (const [, what] of wrong) note(what[0]);
        for (const one of signatures) if (!(await verify(one.key, one.message, one.signature))) note(one.wrong[1][0]);
      }} catch {{ note('form'); }}
    }}
    out.push([whole, [...found].map((one) => JSON.parse(one))]);
  }}
  return out;
}}"""


def agree(open_page: Open, logs: list[list[bytes]], *, sound: int) -> None:
    """Page and Python find the same faults in each log: none in the first, which are sound, and
    some in most of the others."""
    got = open_page("/help").evaluate(IN_PAGE, [[b64(data) for data in log] for log in logs])

    differing, faulty = [], 0
    for n, (log, (whole, found)) in enumerate(zip(logs, got, strict=True)):
        # What was moved out of its place breaks a seal, and the page shows nothing from there on.
        expected = {(seq, key) for seq, key in faults_of(log) if seq < whole}
        told = {(seq, key) for seq, key in found}
        faulty += bool(expected) or whole < len(log)
        if told != expected:
            differing.append((n, sorted(expected - told)[:4], sorted(told - expected)[:4]))
    assert all(faults_of(log) == [] for log in logs[:sound])
    assert differing == []
    assert faulty > 7 * (len(logs) - sound) // 10


def signed_log(title: str, seed: int, **options: Any) -> list[bytes]:
    """The records of a random game with requests, the same every time."""
    (case,) = (case for case in CASES if case.name == title)
    played = play(case.rules, case.pack, seed, requests=0.2, options=options)
    return [record.data for record in played.records]


def test_the_page_finds_what_python_finds(open_page: Open) -> None:
    """A whole signed game, and the same with one thing changed in one record, re-chained: page and
    Python find the same faults in each."""
    log, rng = signed_log("war_at_sea", 3), random.Random(3)
    agree(open_page, [log, *(changed(log, rng) for _ in range(90))], sound=1)


def test_the_page_finds_what_python_finds_about_dice(open_page: Open) -> None:
    """The same of games with takebacks over ends of turns, where receipts, links and nonces are
    changed: a die of an epoch that is over is compared with its seed as well."""
    rng = random.Random(6)
    drawn = [signed_log("counting", seed, turns=10) for seed in range(6)]
    made = [changed(rng.choice(drawn), rng, dice=True) for _ in range(240)]
    agree(open_page, [*drawn, *made], sound=len(drawn))


def test_the_page_finds_what_python_finds_about_time(open_page: Open) -> None:
    """The same of a game with clocks in which flags fall, with moments changed as well."""
    rng = random.Random(4)
    timed = [timed_log(seed) for seed in range(4)]
    made = [changed(rng.choice(timed), rng, moments=True) for _ in range(90)]
    agree(open_page, [*timed, *made], sound=len(timed))


def test_the_page_finds_what_python_finds_about_rulings(open_page: Open) -> None:
    """The same of games in which arbiters ruled, with and without clocks, and of one whose end was
    held."""
    rng = random.Random(5)
    games = [a_case(clocks=True), a_case(clocks=False), a_protest()]
    ruled = [[one.data for one in game.records] for game in games]
    made = [changed(rng.choice(ruled), rng, moments=True) for _ in range(90)]
    agree(open_page, [*ruled, *made], sound=len(ruled))


def test_the_page_computes_the_code_of_a_table_and_holds_its_seats(open_page: Open) -> None:
    """The code that players compare is that of Python, keys and all; seats that are none, or one
    twice, are a fault."""
    log = signed_log("counting", 1, turns=10)
    acting = Acting(Genesis.from_record(records.read(log[0])))
    for data in log:
        acting.take(records.read(data))
    got = open_page("/help").evaluate(
        f"""async (log) => {{
          {DECODE}
          const {{ Chain }} = await import('/chain.js');
          const {{ Acting }} = await import('/acting.js');
          const chain = new Chain();
          const all = log.map((data) => chain.add(decode(data), new Uint8Array()));
          const acting = new Acting(all[0]);
          for (const record of all) acting.take(record);
          const wrong = [[], ['a', 'a'], ['a', 1]].map((seats) => {{
            const first = {{ ...all[0], body: all[0].body.with(6, seats) }};
            return new Acting(first).take(first).wrong[0][0];
          }});
          return [acting.tableCode, wrong];
        }}""",
        [b64(data) for data in log],
    )
    assert acting.table_code and got == [acting.table_code, ["seats"] * 3]


def test_the_page_objects_to_the_desk_where_the_auditors_do(open_page: Open) -> None:
    """Clocks and rulings as an attacker would write them, and what only looks like that."""
    logs = [(name, make(), False) for name, make in SOUND.items()]
    logs += [(name, make(), True) for name, make in UNSOUND.items()]
    made = [[b64(one.data) for one in log.records] for _, log, _ in logs]

    got = open_page("/help").evaluate(IN_PAGE, made)

    for (name, log, wrong), (whole, found) in zip(logs, got, strict=True):
        assert (name, whole) == (name, log.last + 1)
        assert (name, {seq for seq, _ in found}) == (name, {log.last} if wrong else set())


def test_the_page_finds_what_python_finds_in_the_vectors(open_page: Open) -> None:
    """Every whole game of the vectors that is a file at all, as the index has it: nothing where it
    is sound, and otherwise the same as Python in front of where its chain or seals break."""
    folder = VECTORS.parent / "logs"
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))[1:]
    logs, cases = [], []
    for case in index:
        with suppress(wlog.CorruptFile):
            file = wlog.parse((folder / case["file"]).read_bytes())
            logs.append(list(file.records))
            cases.append(case)

    got = open_page("/help").evaluate(IN_PAGE, [[b64(data) for data in log] for log in logs])

    differing = []
    for case, log, (whole, found) in zip(cases, logs, got, strict=True):
        expected = [(seq, key) for seq, key in faults_of(log[:whole])]
        told = sorted((seq, key) for seq, key in found)
        wrong_end = whole < len(log) if case["sound"] else whole != case["record"]
        if told != expected or (case["sound"] and expected) or (not_canonical(case) and wrong_end):
            differing.append((case["case"], expected[:4], found[:4]))
        elif case["sound"] and wrong_end:
            differing.append((case["case"], len(log), whole))
    assert differing == [] and len(cases) > 105


def checked(open_page: Open, files: list[bytes]) -> list[str | None]:
    """What the page's whole check finds first in each file, None where nothing is wrong."""
    logs = [[b64(data) for data in wlog.parse(file).records] for file in files]
    found: list[str | None] = open_page("/help").evaluate(
        f"""async (logs) => {{
          {DECODE}
          const {{ Chain }} = await import('/chain.js');
          const {{ Checker }} = await import('/checks.js');
          const out = [];
          for (const log of logs) {{
            const chain = new Chain();
            for (const data of log) chain.add(decode(data), new Uint8Array());
            const checker = new Checker({{ records: chain.records, fault: null }}, null);
            checker.news();
            await checker.settled();
            out.push(checker.fault?.what[0] ?? null);
          }}
          return out;
        }}""",
        logs,
    )
    return found


def test_the_page_finds_standing_answers_that_do_not_stand(open_page: Open) -> None:
    """Once they are open, as the auditors do; what was on offer it does not know."""
    made = {**given.SOUND, **given.FOUND_BY_RULES, **given.FORGED}
    got = checked(open_page, [make() for make in made.values()])
    why: dict[str, str | None] = dict.fromkeys(made)
    why |= {name: given.WHY.get(name, "acts.not_ordered") for name in given.FORGED}
    assert dict(zip(made, got, strict=True)) == why


def test_the_page_finds_hidden_draws_outside_their_bounds_at_the_end(open_page: Open) -> None:
    """As the auditors do, and whatever else is wrong with epochs; turns that end again, and several
    at once, are sound."""
    made = {**forged_epochs.SOUND, **forged_epochs.FORGED}
    files = [make() for make in made.values()]
    got = checked(open_page, files)
    first = (findings_of(judged(file))[:1] for file in files)
    expected = {
        name: found[0].said.key if found else None for name, found in zip(made, first, strict=True)
    }
    assert dict(zip(made, got, strict=True)) == expected


def not_canonical(case: dict[str, Any]) -> bool:
    """Whether a record of this log is spelt as none may be, so that the page shows none of it."""
    return str(case["case"]).startswith("not canonical")


def timed_log(seed: int) -> list[bytes]:
    """A game with clocks, whatever its seats did about them."""
    return [record.data for record in whatever_happens(seed).records]


def changed(
    log: list[bytes], rng: random.Random, *, moments: bool = False, dice: bool = False
) -> list[bytes]:
    """The log with one record otherwise: a value changed, the record doubled or left out (or, with
    `moments`, in play alone, later than it was; with `dice`, a value alone, of a receipt or a record
    on which dice rest); the chain made whole again after it."""
    read = [records.read(data) for data in log]
    at = rng.randrange(6 if moments else 1, len(read))
    kind = rng.randrange(9 if moments else 6)
    if dice:
        rest = [one for one in read if rests_dice(one)]
        draws = [one for one in rest if one.kind == records.COMMAND]
        at, kind = rng.choice(rng.choice((rest, draws))).seq, 3
    bodies: list[tuple[Record, Any]] = [(record, record.body) for record in read]
    if kind == 0:
        del bodies[at]
    elif kind == 1 and at < len(read) - 1:
        bodies.insert(at, bodies[at])
    elif kind > 5:
        later = read[at].at_ms + rng.choice((1, 1_000, 60_000, 9_000_000))
        bodies[at] = (replace(read[at], at_ms=later), read[at].body)
    elif kind == 2:
        bodies[at] = (
            replace(read[at], actor=rng.choice(["server", "nobody", "allied", "axis"])),
            read[at].body,
        )
    else:
        bodies[at] = (read[at], other(read[at], rng, dice=dice))
    made: list[Record] = []
    for record, body in bodies:
        previous = made[-1].hash if made else records.NO_HASH
        made.append(
            records.make(
                len(made),
                max(record.at_ms, made[-1].at_ms if made else 0),
                record.actor,
                record.kind,
                body,
                previous,
            )
        )
    return [record.data for record in made]


def rests_dice(record: Record) -> bool:
    """Whether something in this record is about dice: receipts, links, nonces, and takebacks."""
    kinds = (records.OPEN, records.TAKEBACK, records.END)
    drawn = record.kind == records.COMMAND and bool(record.body[records.DRAWS])
    return drawn or record.kind in kinds or record.body[:1] == ("nonce",)


def other(record: Record, rng: random.Random, *, dice: bool) -> tuple[Any, ...]:
    """A record's body with one leaf of it changed, with `dice` of a command's receipts alone; never
    one of its events, flow or effects, which others check."""
    places = [
        place
        for place in leaves(record.body)
        if record.kind != records.COMMAND
        or (place[0] == records.DRAWS if dice else place[0] not in (6, 7, 8, 9, 10))
    ]
    if record.kind == records.END:
        places = [place for place in places if place[0] in (0, 1, 2, 3, 7, 8)]
    if not places:
        return record.body
    body: tuple[Any, ...] = put(record.body, rng.choice(places), rng)
    return body


def leaves(value: Any, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    if type(value) is not tuple:
        return [path]
    return [found for index, item in enumerate(value) for found in leaves(item, (*path, index))]


def put(value: Any, path: tuple[int, ...], rng: random.Random) -> Any:
    if path:
        return (*value[: path[0]], put(value[path[0]], path[1:], rng), *value[path[0] + 1 :])
    if type(value) is int:
        return max(0, value + rng.choice([-1, 1, 2]))
    if type(value) is bool:
        return not value
    if type(value) is str:
        return rng.choice(["allied", "axis", "x"])
    if type(value) is canon.Seal:
        return canon.Seal(bytes(32))
    if type(value) is bytes and value:
        at = rng.randrange(len(value))
        return value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :]
    return value


def test_what_the_server_adds_to_the_standing_answers_was_not_given(open_page: Open) -> None:
    """Only what the seat's newest signed answers hold counts as given: anything else would be
    signed with the next change."""
    got = open_page("/help").evaluate(
        """async () => {
          const { Hand } = await import('/hand.js');
          const hand = new Hand({}, 'g', 'a');
          const order = ['prompt.x', [['add', 2]], 'game'];
          hand.records = [{}, { inside: [[order], new Uint8Array(32)] }];
          hand.checker = { acting: { seats: new Map([['a', { orders: 1 }]]) } };
          const said = [hand.gave(['prompt.x', [['add', 2]], 'game']), hand.gave(['prompt.x', [['add', 6]], 'game'])];
          hand.checker.acting.seats.get('a').orders = 0;
          return [...said, hand.gave(order)];
        }"""
    )
    assert got == [True, False, False]


def test_a_game_whose_nonces_all_stand_cannot_lapse_on_the_page(open_page: Open) -> None:
    """The page and Python alike: an end that says that the game lapsed for want of nobody's nonce
    has no cause."""
    got = open_page("/help").evaluate(
        """async () => {
          const { Acting } = await import('/acting.js');
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


def test_a_seat_that_signed_another_end_is_told(open_page: Open) -> None:
    """No seat signs the records that say who won. One whose witness is of another last record shows
    that they were written anew; one that nobody's key has signed shows nothing."""
    hand, other = SigningKey(bytes(range(32))), SigningKey(bytes(32))
    key, genuine, forged = bytes(hand.verify_key), bytes([1]) * 32, bytes([2]) * 32

    def witness(signer: SigningKey, seq: int, hash: bytes) -> list[Any]:
        signed = signer.sign(acts.witness_bytes(GENESIS, seq, hash)).signature
        return ["a", b64(key), seq, b64(hash), b64(signed)]

    page = open_page("/help")
    told = page.evaluate(
        f"""async ([genesis, key, genuine, witnesses]) => {{
          {DECODE}
          const {{ Evidence }} = await import('/evidence.js');
          const told = [];
          for (const [seat, by, seq, of, signature] of witnesses) {{
            const seats = new Map([['a', {{ keys: new Set([hex(decode(key))]) }}]]);
            const checker = {{ signed: true, acting: {{ genesis: decode(genesis), seats }}, fail: (...what) => told.push(what) }};
            const records = []; records[9] = {{ seq: 9, hash: decode(genuine) }};
            const link = {{ request: async () => ['', [[seat, decode(by), seq, decode(of), decode(signature)]]] }};
            const evidence = new Evidence({{ game: 'g', link, watch: {{ whole: true, checker, records, last: 9 }} }});
            evidence.draw = () => undefined;
            await evidence.news();
            told.push([...evidence.witnessed]);
          }}
          return told;
        }}""",
        [
            b64(GENESIS),
            b64(key),
            b64(genuine),
            [
                witness(hand, 9, genuine),
                witness(hand, 9, forged),
                witness(hand, 8, genuine),
                witness(other, 9, forged),
            ],
        ],
    )
    fault = [9, "witness", ["web.check.other_end", [["seat", "a"]], ""]]
    assert told == [["a"], fault, [], fault, [], []]
