"""The page judges a game as the audit does at level 1: every file of the vectors, in its worker and in slices where none can start,
whole and record by record."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.audit.attacked import whole
from tests.browser.conftest import Game, Site, frames_of
from tests.browser.test_modules import IN, b64
from warledger.clients.audit.examine import examine
from warledger.protocol.log import chain, wlog
from warledger.protocol.seats import acts

Open = Callable[..., Any]
LOGS = Path(__file__).resolve().parents[2] / "protocol" / "vectors" / "logs"
KEY, *INDEX = json.loads((LOGS / "index.json").read_text(encoding="utf-8"))
SERVER = bytes.fromhex(KEY["key"])

JUDGED = f"""async ([files, key]) => {{
  const decode = {IN};
  const {{ judge }} = await import('/audit/judge.js');
  const given = key && decode(key);
  return Promise.all(files.map((file) => judge(decode(file), given)));
}}"""
"""What the page says of files."""

STARTED = """(() => {
  window.started = 0;
  const { Worker } = window;
  window.Worker = class extends Worker { constructor(...how) { super(...how); window.started++; } };
})()"""
"""Workers are counted."""
REFUSED = "window.Worker = class { constructor() { throw new Error('none here'); } }"
ALONE = "; Object.defineProperty(crypto, 'subtle', { value: undefined })"
"""There are no signatures."""
SILENT = """window.Worker = class {
  constructor() { setTimeout(() => this.onerror(new Event('error', { cancelable: true }))); }
  postMessage() {}
}"""
"""No worker starts: that is said at once, or only once it was to be loaded."""


def told(page: Any, files: list[bytes], key: bytes | None = None) -> list[dict[str, Any]]:
    """What the page says of each file, given the server's key or none."""
    given = None if key is None else b64(key)
    found: list[dict[str, Any]] = page.evaluate(JUDGED, [[b64(one) for one in files], given])
    return found


def corpus() -> list[bytes]:
    """Every file of the vectors."""
    return [(LOGS / case["file"]).read_bytes() for case in INDEX]


def assert_as_the_index_says(verdicts: list[dict[str, Any]]) -> None:
    """Sound or not, the record and the reason of what is found first, and what is reserved of a sound file."""
    differing = []
    for case, verdict in zip(INDEX, verdicts, strict=True):
        record, _, reason = verdict["findings"][0] if verdict["findings"] else (None, "", None)
        reserved = sorted(verdict["reservations"]) if case["sound"] else case["reservations"]
        got = (not verdict["findings"], record, reason, reserved)
        expected = (case["sound"], case["record"], case["reason"], case["reservations"])
        if got != expected:
            differing.append((case["case"], expected, got))
    assert differing == [] and len(INDEX) > 240


def test_every_file_of_the_vectors_is_judged_as_the_index_says(open_page: Open) -> None:
    """In one worker, for all of them."""
    page = open_page("/help", before=lambda page: page.add_init_script(STARTED))
    verdicts = told(page, corpus(), SERVER)
    assert_as_the_index_says(verdicts)
    assert page.evaluate("window.started") == 1
    whole = [one["level"] for one, case in zip(verdicts, INDEX, strict=True) if case["sound"]]
    assert set(whole) == {1}


@pytest.mark.parametrize("way", [REFUSED, SILENT])
def test_where_no_worker_starts_the_verdicts_are_the_same(open_page: Open, way: str) -> None:
    """The same code runs in the page."""
    page = open_page("/help", before=lambda page: page.add_init_script(way))
    assert_as_the_index_says(told(page, corpus(), SERVER))


LIVE = f"""async (games) => {{
  const decode = {IN};
  const {{ Judge }} = await import('/audit/judge.js');
  return Promise.all(games.map(async (frames) => {{
    let told = () => undefined;
    const judge = new Judge((what) => told(what));
    const found = [];
    for (const [kind, payload] of frames) {{
      const next = new Promise((done) => {{ told = done; }});
      judge.frames([[kind, decode(payload)]]);
      const {{ count, findings }} = await next;
      found.push([count, findings.map(([seq, , [key]]) => [seq, key])]);
    }}
    judge.stop();
    return found;
  }}));
}}"""
"""What is found in games after each of their frames."""


def test_a_game_is_judged_record_by_record(open_page: Open) -> None:
    """Of every file of the vectors that is a file, its records and what was opened beside them, one after
    the other: what is found at last is what the audit finds, nothing before the record to blame is
    there, and nothing is forgotten."""
    games, expected = [], []
    for file in corpus():
        with suppress(wlog.CorruptFile):
            frames = [
                frame
                for frame in wlog.parse(file, sealed=False).frames
                if frame.kind in (wlog.FRAME_RECORD, wlog.FRAME_OPENINGS)
            ]
            if not frames:
                continue
            games.append([[frame.kind, b64(frame.payload)] for frame in frames])
            found = examine(wlog.encode(frames, sealed=True)).findings
            expected.append([(item.seq, item.said.key) for item in found])
    got = open_page("/help").evaluate(LIVE, games)
    assert len(games) > 240
    for steps, wanted in zip(got, expected, strict=True):
        assert {(seq, key) for seq, key in steps[-1][1]} == set(wanted)
        for (_, one), (_, other) in pairwise(steps):
            assert all(item in other for item in one)
        for count, found in steps:
            # The record that does not follow the one before is none of those that do.
            assert all(seq <= count for seq, _ in found)


def test_the_page_answers_while_it_judges(open_page: Open, site: Site, ended: Game) -> None:
    """Where the page judges by itself, whatever else waits in its thread comes about after each
    slice, and not only once the verdict is there. (Signatures would let others go on, too.)"""
    page = open_page("/help", before=lambda page: page.add_init_script(REFUSED + ALONE))
    with urlopen(f"{site.url}/archive/{ended.id}.wlog") as answer:
        file = answer.read()
    slices, turns = page.evaluate(
        f"""async (file) => {{
          const decode = {IN};
          const {{ Judge }} = await import('/audit/judge.js');
          let turns = 0;
          let slices = 0;
          const {{ port1, port2 }} = new MessageChannel();
          port1.onmessage = () => {{ turns++; port2.postMessage(0); }};
          port2.postMessage(0);
          await new Promise((done) => {{
            const judge = new Judge(({{ finished }}) => {{
              turns *= slices++ ? 1 : 0;
              if (finished) done();
            }});
            judge.file(decode(file));
          }});
          return [slices, turns];
        }}""",
        b64(file),
    )
    assert turns >= slices - 1 > len(frames_of(file)) // 100


def test_what_a_server_gives_beside_a_game_is_judged(open_page: Open) -> None:
    """Its head and the witnesses of a game that is over: a seat has signed it whole if its witness
    holds, and a witness that nobody signed, or one of another end, is a finding as it is in a
    file."""
    file = (LOGS / "00.wlog").read_bytes()
    found = examine(file)
    last = found.records[-1]
    hand = whole().hands["a"]
    assert hand._key is not None

    def witness(hash: bytes, signed: bytes) -> list[Any]:
        message = acts.witness_bytes(found.records[0].hash, last.seq, signed)
        return ["a", b64(hand.public), last.seq, b64(hash), b64(hand._key.sign(message).signature)]

    head = chain.sign_head(whole().key, "g1", last.seq, last.hash)
    got = open_page("/help").evaluate(
        f"""async ([records, cases, head]) => {{
          const decode = {IN};
          const {{ Chain }} = await import('/records/chain.js');
          const {{ Checker }} = await import('/audit/checks.js');
          const found = [];
          for (const [seat, key, seq, hash, signature] of cases) {{
            const chain = new Chain();
            const checker = new Checker({{ records: chain.records, fault: null }}, null);
            const items = records.map((one) => [decode(one), new Uint8Array()]);
            for (const [data, openings] of items) chain.add(data, openings);
            checker.news(items);
            await checker.settled();
            const told = new Promise((done) => checker.listen(() => done()));
            checker.beside([[seat, decode(key), seq, decode(hash), decode(signature)]], [head[0], head[1], decode(head[2]), decode(head[3])]);
            await told;
            found.push([checker.fault?.what[0] ?? null, checker.stand.witnessed, checker.stand.vouched]);
          }}
          return found;
        }}""",
        [
            [b64(one.data) for one in found.records],
            [
                witness(last.hash, last.hash),
                witness(bytes(32), bytes(32)),
                witness(last.hash, bytes(32)),
            ],
            [head.game, head.seq, b64(head.hash), b64(head.signature)],
        ],
    )
    assert got == [
        [None, ["a"], last.seq],
        ["audit.head", [], last.seq],
        ["audit.witness_signature", [], last.seq],
    ]
