"""Finished games in two parts as the page reads them: what is seen comes before what proves it, and
nothing passes for verified that is not the file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.audit.tamper import put
from tests.browser.test_modules import IN, OUT, b64
from tests.protocol.test_twoparts import PARTS, SIGNED, first_of, odd_log, sealed_files
from warledger.protocol import canon, limits
from warledger.protocol.log import twoparts, wlog
from warledger.protocol.log.records import hash_of

Open = Callable[..., Any]

WATCHED = """async (all) => {
  const { Watch } = await import('/link/watch.js');
  const waiting = all.map(DECODE);
  window.fetch = async (path) => path.startsWith('/api/') ? Response.json({ stage: 'ended' }) : new Response(waiting.shift());
  const watched = async () => {
    let asked = null;
    const watch = new Watch({ subscribe: (one) => { asked = one; return () => undefined; } }, 'example', 'public');
    const { checker } = watch;
    const done = () => watch.fault || checker.fault || (asked && !watch.proving);
    while (!done()) await new Promise((next) => setTimeout(next, 1));
    const { length } = watch.records;
    if (watch.gone) return `gone ${length}`;
    return length && checker.checked === length - 1 && watch.proved === length ? 'verified' : 'none';
  };
  const told = [];
  while (waiting.length) told.push(...await Promise.all(waiting.slice(0, 16).map(watched)));
  return told;
}""".replace("DECODE", IN)
"""Follows games of these parts: each is verified, or gone, or none since part one is refused."""


def test_the_page_puts_every_file_together(open_page: Open) -> None:
    """The parts of the vectors, and of records without a shape, are in the page the bytes of the
    file again; those of another game, or with more or less behind them, are none."""
    files = [SIGNED.read_bytes(), odd_log(), *(file.read_bytes() for file in sealed_files())]
    parts = [twoparts.cut(file) for file in files]
    other, at = parts[1], first_of(parts[0])
    wrong = [parts[0][:-1], parts[0] + b"x", parts[0][:at] + other[first_of(other) :]]
    wrong += [other[: first_of(other)] + parts[0][at:], parts[0][:50], parts[0][:at], b""]
    assert parts[0] == PARTS.read_bytes()
    games = [canon.unpack(wlog.parse(file).records[0])[4][1] for file in files]
    got = open_page("/help").evaluate(
        f"""async (all) => {{
          const {{ readParts }} = await import('/link/twoparts.js');
          const told = [];
          for (const [game, file] of all) {{
            try {{
              const {{ records, file: promised }} = await readParts(new Blob([({IN})(file)]).stream(), game);
              told.push([records.length, (await promised()).filter(({{ kind }}) => kind === 1).map(({{ payload }}) => ({OUT})(payload))]);
            }} catch (error) {{ told.push(error.constructor.name); }}
          }}
          return told;
        }}""",
        [[game, b64(one)] for game, one in zip(games, parts, strict=True)]
        + [["example", b64(one)] for one in wrong]
        + [["another", b64(parts[0])]],
    )
    assert len(files) > 50
    for file, found in zip(files, got, strict=False):
        records = [b64(bytes(one)) for one in wlog.parse(file).records]
        if found != "Damaged":  # a record that is no value at all cannot be shown
            assert found == [len(records), records]
    assert got[0] != "Damaged" and sum(found != "Damaged" for found in got) > 50
    assert got[len(files) :] == ["Damaged"] * (len(wrong) + 1)


def test_a_server_that_falls_silent_is_not_waited_for(open_page: Open) -> None:
    """In part one or in part two: what is missing comes over the connection, as what the network
    lost."""
    parts = PARTS.read_bytes()
    got = open_page("/help").evaluate(
        f"""async ([text, first]) => {{
          const {{ readParts }} = await import('/link/twoparts.js');
          const {{ lively }} = await import('/link/watch.js');
          const later = window.setTimeout;
          window.setTimeout = (then, ms) => later(then, ms > 10_000 ? 0 : ms);
          const data = ({IN})(text);
          const stuck = (end) => new ReadableStream({{ start: (at) => at.enqueue(data.slice(0, end)) }});
          const why = (error) => [error.constructor.name, error.message];
          const one = await readParts(lively(stuck(first - 1)), 'example').catch(why);
          const two = await (await readParts(lively(stuck(first + 1)), 'example')).file().catch(why);
          return [one, two];
        }}""",
        [b64(parts), first_of(parts)],
    )
    assert got == [["Error", "nothing more came"]] * 2


def test_a_game_is_seen_before_it_is_verified(open_page: Open) -> None:
    """Once part one is here every record is shown and none counts as verified, nor does any until
    all of part two is here and has been checked."""
    parts = PARTS.read_bytes()
    got = open_page("/help").evaluate(
        f"""async ([text, end]) => {{
          const {{ Watch }} = await import('/link/watch.js');
          const data = ({IN})(text);
          let more;
          const body = new ReadableStream({{ start: (stream) => {{ more = stream; }} }});
          window.fetch = async (path) => path.startsWith('/api/') ? Response.json({{ stage: 'ended' }}) : new Response(body);
          let asked;
          const subscribed = new Promise((done) => {{ asked = done; }});
          const watch = new Watch({{ subscribe: (one) => {{ asked(one); return () => undefined; }} }}, 'example', 'public');
          const told = [];
          const seen = new Promise((done) => watch.listen(() => done()));
          more.enqueue(data.slice(0, 100));
          more.enqueue(data.slice(100, end));
          await seen;
          told.push([watch.records.length, watch.proved, watch.proving, watch.ended !== null, watch.records.some(({{ hash }}) => hash.length)]);
          more.enqueue(data.slice(end));
          more.close();
          await subscribed;
          told.push([watch.proved, watch.proving]);
          while (watch.proving) await new Promise((next) => setTimeout(next, 1));
          told.push([watch.checker.checked, watch.records.every(({{ hash }}) => hash.length === 32)]);
          return told;
        }}""",
        [b64(parts), first_of(parts)],
    )
    n = len(wlog.parse(SIGNED.read_bytes()).records)
    assert got == [[n, 0, True, True, False], [n, True], [n - 1, True]]


def written(records: Sequence[bytes], like: wlog.WlogFile) -> bytes:
    """A file with these records, and the other frames of another file."""
    rest = iter(records)
    return wlog.encode(
        (
            wlog.Frame(one.kind, next(rest) if one.kind == wlog.FRAME_RECORD else one.payload)
            for one in like.frames
        ),
        sealed=True,
    )


def chained_again(records: Sequence[bytes]) -> list[bytes]:
    """The same records, each with the hash of the one before."""
    made: list[bytes] = []
    for data in records:
        values = canon.unpack(data)
        made.append(canon.pack((*values[:5], hash_of(made[-1]))) if made else data)
    return made


def places(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Where something stands in a record that is no array."""
    if type(value) is not tuple:
        yield path
        return
    for at, item in enumerate(value):
        yield from places(item, (*path, at))


def other_than(value: Any) -> Any:
    """Another value of the same type."""
    if type(value) is bytes:
        return value[:-1] + bytes((value[-1] ^ 1,)) if value else b"\0"
    if type(value) is canon.Seal:
        return canon.Seal(other_than(value.digest))
    if type(value) is bool or value is None:
        return not value
    return value + 1 if type(value) is int else {**value, "z": 1} if type(value) is dict else "zz"


def at(value: Any, path: tuple[int, ...]) -> Any:
    """What stands there."""
    for step in path:
        value = value[step]
    return value


def test_no_field_can_be_changed_on_the_way(open_page: Open) -> None:
    """Each field of each kind of record changed, in parts that fit each other: what was shown is
    gone. The same where every later hash is written anew, as far as a seat has signed what it
    saw. Of the last record time and mark are vouched for by the server's head alone."""
    parsed = wlog.parse(SIGNED.read_bytes())
    records = [bytes(one) for one in parsed.records]
    signed = max(
        next(seq for seq, one in enumerate(records) if hash_of(one) == body[4][2])
        for *_, kind, body, _ in map(canon.unpack, records)
        if kind == "command" and len(body[4]) == 4
    )
    unsigned = [(0, (4, 1)), (len(records) - 1, (1,)), (len(records) - 1, (4, 1))]
    files, told, seen = [], [], set()
    for seq, data in enumerate(records):
        record = canon.unpack(data)
        for path in places(record):
            kind = (record[3], record[4][0] if record[3] == "seat" else "", path)
            if kind in seen or (seq, path) in unsigned:
                continue
            seen.add(kind)
            changed = canon.pack(put(record, path, other_than(at(record, path))))
            made = [*records[:seq], changed, *records[seq + 1 :]]
            files.append(written(made, parsed))
            told.append((seq, path))
            if 0 < seq < signed and path[0] != 5:
                files.append(written(chained_again(made), parsed))
                told.append((seq, (*path, "chained")))
    parts = [PARTS.read_bytes(), *map(twoparts.cut, files)]
    got = open_page("/help").evaluate(WATCHED, [b64(one) for one in parts])
    assert got[0] == "verified"
    wrong = [
        (place, found) for place, found in zip(told, got[1:], strict=True) if found != "gone 0"
    ]
    assert len(told) > 150
    assert not wrong, str(wrong)


def test_no_part_can_be_exchanged(open_page: Open) -> None:
    """Part two of another game, or of this one with another signature or blind, is refused where
    part one is this game's, even if it has as many bytes; so is a changed bit anywhere in it."""
    parts = PARTS.read_bytes()
    end = first_of(parts)
    wrong = [
        parts[:n] + bytes((parts[n] ^ 1 << n % 8,)) + parts[n + 1 :]
        for n in range(end, len(parts), 23)
    ]
    wrong += [parts[:end] + parts[end:][::-1], parts[:-1], parts + b"\0", parts[:end]]
    got = open_page("/help").evaluate(WATCHED, [b64(one) for one in (parts, *wrong)])
    assert got == ["verified", *["gone 0"] * len(wrong)]


def test_a_few_bytes_do_not_ask_for_more_than_a_game_has(open_page: Open) -> None:
    """Lengths and counts without end, deep nests, values of many megabytes, more frames than any
    game has, and a body that goes on behind the end are refused; what is behind is not waited
    for."""

    def parts(
        frames: bytes, last: int = 0, game: Any = "example", more: bytes = b"", times: int = 0
    ) -> list[Any]:
        """Part one with these frames, and so many times more behind them."""
        about = (game, last, bytes(32), hashlib.sha256(b"").digest())
        one = canon.pack(about) + frames
        length = len(one) + len(more) * times
        return [b64(length.to_bytes(4, "big") + one), b64(more), times]

    record = wlog.parse(SIGNED.read_bytes()).records[0]
    genesis = canon.pack(twoparts.WHOLE) + canon.pack(bytes(record))
    by_fields = canon.pack(twoparts.BY_FIELDS)
    command = (0, 1, "a", "command", (1, "a", 1, 1, 1, (), 1, b"", (), 1, (), 1), 1)
    huge = canon.pack(put(command, (4, 2), limits.INT_MAX))
    files = [
        [b64(b"\xff\xff\xff\xff"), "", 0],
        [b64((limits.PARTS_BYTES_MAX).to_bytes(4, "big") + b"\x94"), "", 0],
        parts(genesis + by_fields + huge),
        parts(genesis + by_fields + canon.pack(put(command, (4, 2), -1))),
        parts(genesis + by_fields + canon.pack(put(command, (4, 2), "x"))),
        parts(genesis + canon.pack(wlog.FRAME_WITNESS) + canon.pack(limits.PARTS_BYTES_MAX)),
        parts(genesis + canon.pack(2**40) + canon.pack(1)),
        parts(genesis + canon.pack(-1) + canon.pack(1)),
        parts(genesis + canon.pack(wlog.FRAME_END)),
        parts(genesis + canon.pack("end") + canon.pack(1)),
        parts(genesis, last=limits.INT_MAX),
        parts(genesis, last=-1),
        parts(b""),
        parts(genesis, game=None),
        parts(b"\x01", more=b"\x91", times=2**20),
        parts(b"\x01\xdd\xff\xff\xff\xff", more=b"\xc0", times=2**20),
        parts(b"\x00\xc6\xff\xff\xff\xff", more=b"\xc0", times=2**20),
        parts(b"\x00\xc6\x00\x50\x00\x00", more=b"\xc0", times=5 * 2**20),
        parts(b"\x01\xdd\x00\x50\x00\x00", more=b"\xc0", times=5 * 2**20),
        parts(genesis, more=b"\x05\0", times=limits.PARTS_FRAMES_MAX),
        parts(b"", more=b"\x00\xc4\x01\xc0", times=2**16, last=2**16 - 1),
    ]
    got = open_page("/help").evaluate(
        f"""async ([files, sound]) => {{
          const {{ readParts }} = await import('/link/twoparts.js');
          const told = [];
          const refused = async (act) => {{ try {{ await act(); return 'read'; }} catch (error) {{ return error.constructor.name; }} }};
          for (const [begun, more, times] of files) {{
            const unit = ({IN})(more);
            const rest = new Uint8Array(times * unit.length).map((_, i) => unit[i % unit.length]);
            const body = new Blob([({IN})(begun), rest]).stream();
            told.push(await refused(async () => (await readParts(body, 'example')).file()));
          }}
          let given = 0;
          let left = false;
          const body = new ReadableStream({{
            start: (stream) => stream.enqueue(({IN})(sound)),
            pull: (stream) => {{ if (++given > 100) throw new Error('read on'); stream.enqueue(new Uint8Array(1 << 16)); }},
            cancel: () => {{ left = true; }},
          }});
          told.push(await refused(async () => (await readParts(body, 'example')).file()));
          return [told, left, given < 100];
        }}""",
        [files, b64(PARTS.read_bytes())],
    )
    assert got == [["Damaged"] * (len(files) + 1), True, True]


def test_what_the_network_loses_comes_over_the_connection(open_page: Open) -> None:
    """Somebody looks at what was hidden while the game is not verified; when the rest of it does
    not come, nothing stays of what was shown, and the game comes record by record."""
    parts, records = PARTS.read_bytes(), wlog.parse(SIGNED.read_bytes()).records
    got = open_page("/help").evaluate(
        f"""async ([text, end, records]) => {{
          const {{ Watch }} = await import('/link/watch.js');
          let more;
          const body = new ReadableStream({{ start: (stream) => {{ more = stream; }} }});
          window.fetch = async (path) => path.startsWith('/api/') ? Response.json({{ stage: 'ended' }}) : new Response(body);
          let asked;
          const subscribed = new Promise((done) => {{ asked = done; }});
          const watch = new Watch({{ subscribe: (one) => {{ asked(one); return () => undefined; }} }}, 'example', 'public');
          const seen = new Promise((done) => watch.listen(() => done()));
          more.enqueue(({IN})(text).slice(0, end));
          await seen;
          watch.setOpen(true);
          more.error(new TypeError('network'));
          const {{ take, after }} = await subscribed;
          const told = [watch.fault, watch.gone, watch.records.length, watch.open, watch.seats.size, watch.ended, after()];
          take(0, records.map({IN}).map((data) => [data, new Uint8Array(0)]));
          return [...told, watch.gone, watch.proved, watch.ended !== null];
        }}""",
        [b64(parts), first_of(parts), [b64(bytes(one)) for one in records]],
    )
    assert got == [None, True, 0, False, 0, None, -1, False, len(records), True]


def test_a_path_leads_into_what_is_sealed_alone(open_page: Open) -> None:
    """What is opened is put into the effects of its record; a path that would lead out of them, into
    what all arrays have in common, is refused before anything is changed there."""
    page = open_page("/help")
    genesis = (3, "game", "title", "", "", (), (), canon.pack({}))
    by = (b"k" * 32, 1, b"h" * 32, b"s" * 64)
    effects = canon.pack((("put", "p"),))
    command = (0, "a", (("x",), b"b" * 32), b"i" * 16, by, (), (), effects, (), (), (), b"d" * 32)
    end = ("a", "won", (), (), bytes(32), bytes(32), "1", (), "rules")
    paths: list[Any] = [
        (7, "__proto__", "stray"),
        (7, 0, "__proto__", "stray"),
        (7, "__proto__", "__proto__", "stray"),
        (7, "stray"),
        (7, 0, 5),
        (7,),
    ]
    logs = [
        [
            canon.pack((n, 1, "server", kind, body, bytes(32)))
            for n, (kind, body) in enumerate(
                (
                    ("genesis", genesis),
                    ("command", command),
                    ("end", end),
                    ("reveal", (((1, path, bytes(16), "x"),), True)),
                )
            )
        ]
        for path in paths
    ]
    got = page.evaluate(
        f"""async (logs) => {{
          const {{ Chain }} = await import('/records/chain.js');
          const {{ unpack }} = await import('/records/canon.js');
          return logs.map((log) => {{
            const chain = new Chain();
            try {{ for (const one of log) chain.sketch(unpack(({IN})(one))); return 'shown'; }}
            catch (error) {{ return error.constructor.name; }}
          }});
        }}""",
        [[b64(one) for one in log] for log in logs],
    )
    assert got == ["Tampered"] * len(paths)
    assert page.evaluate("[[].stray, ({}).stray, 'stray' in Array.prototype]") == [
        None,
        None,
        False,
    ]
