"""A damaged file: which record the damage belongs to and which field of it, whatever the slip."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from click.testing import CliRunner

from tests.audit.slips import (
    SLIPS,
    STEPS,
    Placed,
    data,
    frames,
    of_cut,
    of_slip,
    played,
    slipped,
    tried,
)
from tests.audit.tamper import find
from tests.verdicts import findings_of, is_clean, notes_of
from warledger.clients.audit import damage
from warledger.clients.audit.audit import audit
from warledger.clients.audit.commands import audit_command
from warledger.clients.audit.damage import assess
from warledger.clients.audit.mending import WAYS_MAX, Mended, mended
from warledger.clients.audit.report import Report
from warledger.clients.audit.verdict import Finding
from warledger.protocol import canon
from warledger.protocol.lang import phrases
from warledger.protocol.log import records, wlog
from warledger.protocol.log.wlog import FRAME_HEAD_BYTES, Frame
from warledger.protocol.texts.phrases import LANGUAGES


def of_kind(kind: int) -> Placed:
    """The last frame of a kind."""
    return [frame for frame in frames() if frame.kind == kind][-1]


def report(changed: bytes) -> Report:
    """The audit of a changed file."""
    return audit(changed)[0]


def first(changed: bytes) -> Finding:
    """What an audit finds first."""
    return findings_of(report(changed))[0]


def slips(at: int) -> Iterator[tuple[str, bytes]]:
    """The file with the byte at a place changed, lost, or another put in before it."""
    for slip in SLIPS:
        yield slip, slipped(at, slip)


# --- every byte -----------------------------------------------------------------------------------


@STEPS
def test_every_slip_names_its_record(step: int) -> None:
    """Whichever byte is changed or lost, or has one put in before it: the finding names the record
    of the frame that the byte is in."""
    wrong = []
    for frame in frames():
        for at in tried(frame, step):
            for name in SLIPS:
                found = of_slip(at, name).first
                if found is None:
                    wrong.append(f"{name} at {at}: nothing is found")
                    continue
                # A byte put in before a frame's first one stands behind the frame before it, and
                # belongs to none.
                stray = name == "put in" and found.said.key == "audit.damage.stray"
                right = found.seq == (frame.seq if not stray else last_record_before(at))
                if (
                    not right
                    or found.offset is None
                    or (stray and not frame.begin <= at < frame.begin + 5)
                ):
                    wrong.append(
                        f"{name} at {at}, {wlog.KIND_NAMES[frame.kind]} of {frame.seq}: {found}"
                    )

    assert wrong == []


def last_record_before(at: int) -> int | None:
    """The last record that ends before a byte."""
    return (
        sum(frame.kind == wlog.FRAME_RECORD and frame.end <= at for frame in frames()) - 1
        if at >= frames()[0].end
        else None
    )


@STEPS
def test_every_slip_in_a_record_names_its_field(step: int) -> None:
    """A changed byte of any record's payload is found again to the bit, and so is the field that
    holds it."""
    names = ("seq", "at_ms", "actor", "kind")
    for frame in frames():
        if frame.kind != wlog.FRAME_RECORD:
            continue
        fields = spans(frame.payload)
        for place in tried(frame, step):
            at = place - frame.begin - FRAME_HEAD_BYTES
            if at < 0:
                continue
            found = of_slip(place, "flipped").first
            assert found is not None, place
            what = dict(dict(found.said.args)["what"][1])
            assert what["at"] == place and what["right"] == data()[place : place + 1].hex(), found
            index = next(
                (index for index, (begin_at, end) in enumerate(fields) if begin_at <= at < end),
                None,
            )
            if index is None:
                assert found.field == "bytes"
            elif index < 4:
                assert found.field == names[index]
            elif index == 5:
                assert found.field == "previous"
            else:
                assert found.field not in (*names, "previous", "bytes"), found


def spans(payload: bytes) -> list[tuple[int, int]]:
    """Where a record's six fields begin and end in its bytes."""
    at, out = 1, []
    for item in canon.unpack(payload):
        size = len(canon.pack(item))
        out.append((at, at + size))
        at += size
    return out


# --- kinds of frames ------------------------------------------------------------------------------


def test_a_changed_byte_deep_in_a_body_is_named() -> None:
    """A letter changed in an event: record, event and field, and what stood there."""
    record = find(
        played(), lambda record: record.kind == records.COMMAND and record.body[records.EVENTS]
    )
    tag = record.body[records.EVENTS][0][0].encode()
    frame = next(
        frame for frame in frames() if frame.seq == record.seq and frame.kind == wlog.FRAME_RECORD
    )
    at = data().index(tag, frame.begin)
    found = first(data()[:at] + b"X" + data()[at + 1 :])

    assert (found.seq, found.field, found.offset) == (record.seq, "events[0][0]", frame.begin)
    text = phrases("en").say(found.said)
    assert f"byte {at} should be 0x{tag[:1].hex()}, but is 0x58" in text, text


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (wlog.FRAME_OPENINGS, "private openings[0].value"),
        (wlog.FRAME_HEAD, "head.hash"),
        (wlog.FRAME_SECRETS, "secrets"),
        (wlog.FRAME_END, "end"),
    ],
)
def test_damage_beside_the_records_is_named(kind: int, field: str) -> None:
    """Openings, heads, secrets and the end mark: their record and field; the records are examined
    all the same."""
    frame = of_kind(kind)
    at = frame.begin + FRAME_HEAD_BYTES + 2
    if kind == wlog.FRAME_OPENINGS:
        at += sum(len(canon.pack(item)) for item in canon.unpack(frame.payload)[0][:3])
    elif kind == wlog.FRAME_HEAD:
        at = data().index(played().records[-1].hash, at) + 2
    for _, changed in slips(at):
        told = report(changed)
        assert (findings_of(told)[0].seq, findings_of(told)[0].field) == (frame.seq, field)
        assert told.verdict.records == len(played().records) and told.verdict.level == 1


@pytest.mark.parametrize(
    ("at", "field"),
    [
        (0, "frame length"),
        (3, "frame length"),
        (4, "frame kind"),
        (5, "check sum"),
        (8, "check sum"),
    ],
)
def test_damage_in_a_frames_head_is_named(at: int, field: str) -> None:
    """A record's length, kind or check sum is damaged: said so, and the record is read as the next
    one names it."""
    frame = frames()[3]
    told = report(next(slips(frame.begin + at))[1])

    assert (findings_of(told)[0].seq, findings_of(told)[0].field) == (frame.seq, field)
    assert len(findings_of(told)) == 1
    assert told.verdict.records == len(played().records)


# --- more than one byte ---------------------------------------------------------------------------


def test_a_run_put_in_or_lost_names_its_record() -> None:
    """Many bytes put in or taken out inside a record: the record, and how many."""
    random_bytes = random.Random(7).randbytes(50)
    for frame in frames():
        if frame.kind != wlog.FRAME_RECORD or frame.end - frame.begin < 60:
            continue
        at = frame.begin + FRAME_HEAD_BYTES + 20
        more = first(data()[:at] + random_bytes + data()[at:])
        assert more.seq == frame.seq and dict(dict(more.said.args)["what"][1])["n"] == 50, more
        assert dict(dict(more.said.args)["what"][1])["at"] in (at, at - 1, at - 2)
        less = first(data()[:at] + data()[at + 7 :])
        assert less.seq == frame.seq and dict(less.said.args)["what"] == (
            "audit.damage.short",
            (("n", 7),),
            "",
        ), less


def test_scattered_damage_names_the_first_field_that_cannot_be_right() -> None:
    """Two bytes changed in one record: what decodes still tells a field."""
    frame = next(frame for frame in frames() if frame.kind == wlog.FRAME_RECORD and frame.seq == 6)
    fields = spans(frame.payload)

    def changed(*places: int) -> bytes:
        out = bytearray(data())
        for place in places:
            out[frame.begin + FRAME_HEAD_BYTES + place] ^= 1
        return bytes(out)

    assert first(changed(fields[0][0], fields[5][0] + 9)).field == "seq"
    assert first(changed(fields[5][0] + 9, fields[5][0] + 20)).field == "previous"
    assert first(changed(fields[2][0] + 1, fields[4][1] - 1)).seq == 6
    for seed in range(40):
        places = random.Random(seed).sample(range(len(frame.payload)), 3)
        found = first(changed(*places))
        assert found.seq == 6 and found.field, f"seed {seed}: {found}"


def test_damage_over_several_records_names_them() -> None:
    """A hole from the middle of one record to the middle of another: the first and the last that
    are lost; those before it are examined."""
    four, six = (
        next(frame for frame in frames() if frame.seq == seq and frame.kind == wlog.FRAME_RECORD)
        for seq in (4, 6)
    )
    hole = data()[: four.begin + 15] + data()[six.begin + 15 :]
    told = report(hole)

    assert (findings_of(told)[0].seq, findings_of(told)[0].said.key) == (4, "audit.damage.several")
    assert dict(findings_of(told)[0].said.args)["last"] == 6
    assert told.verdict.records == 4 and told.verdict.level == 0
    assert [note.key for note in notes_of(told) if note.key == "audit.note.damaged"]


def test_two_damages_are_two_findings() -> None:
    """Each damaged frame is told, in order."""
    out = bytearray(data())
    for seq in (2, 5):
        out[
            next(
                frame for frame in frames() if frame.seq == seq and frame.kind == wlog.FRAME_RECORD
            ).begin
            + 30
        ] ^= 4
    told = report(bytes(out))

    assert [item.seq for item in findings_of(told)] == [2, 5]
    assert told.verdict.records == len(played().records)


def test_the_last_record_is_taken_at_a_heads_word_alone() -> None:
    """The last record, mended, is examined where a head names its hash; where nothing does it
    counts as lost."""
    only = [frame for frame in played().frames() if frame.kind == wlog.FRAME_RECORD]
    head = Frame(wlog.FRAME_HEAD, played().head_payload(len(only) - 1))
    for kept, count in (([*only, head], len(only)), (only, len(only) - 1)):
        whole = wlog.encode(kept, sealed=True)
        at = whole.index(only[-1].payload) + 5
        told = report(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert findings_of(told)[0].seq == len(only) - 1
        assert told.verdict.records == count


# --- ends and beginnings --------------------------------------------------------------------------


@STEPS
def test_a_cut_names_the_record_that_should_have_stood_there(step: int) -> None:
    """Cut anywhere inside a frame: the record it belongs to and how much is missing; the whole
    records before it were examined."""
    for frame, cut in [(whose, cut) for whose in frames() for cut in tried(whose, step)]:
        if cut == frame.begin:
            continue
        told = of_cut(cut)
        found = findings_of(told)[0]
        assert found.offset == frame.begin, cut
        behind = last_record_before(cut)
        if cut < frame.begin + 5 and behind is not None:
            assert (found.seq, found.said.key) == (behind, "audit.damage.cut_behind"), cut
            continue
        assert found.seq == frame.seq or frame.kind == wlog.FRAME_HEAD, (cut, found)
        what = dict(found.said.args)["what"]
        if cut >= frame.begin + FRAME_HEAD_BYTES and what[0] == "audit.damage.cut":
            assert dict(what[1])["n"] == frame.end - cut
        assert told.verdict.records == (behind + 1 if behind is not None else 0)


def test_a_cut_names_the_field_where_reading_ends() -> None:
    """A record cut in its events: the first field that is not whole."""
    frame = next(frame for frame in frames() if frame.kind == wlog.FRAME_RECORD and frame.seq == 7)
    kind_ends = spans(frame.payload)[3][1]
    cut = frame.begin + FRAME_HEAD_BYTES + kind_ends
    assert first(data()[: cut - 2]).field == "kind"
    assert first(data()[: cut + 3]).field in ("decision", "seat", "picks", "picks[0]")
    assert first(data()[: frame.end - 9]).field == "previous"


def test_a_damaged_header_is_said_apart() -> None:
    """The file's first bytes damaged, lost or put in: the header; what follows is examined."""
    for at in range(len(wlog.MAGIC)):
        for name, changed in slips(at):
            told = report(changed)
            assert (findings_of(told)[0].seq, findings_of(told)[0].field) == (None, "header"), (
                name,
                at,
            )
            assert told.verdict.records == len(played().records), (name, at)


def test_what_is_no_game_file_is_said_to_be_none() -> None:
    """Other bytes altogether: one finding, nothing read."""
    for other in (b"", b"hello", random.Random(1).randbytes(3000), data()[:5]):
        told = report(other)
        assert [item.said.key for item in findings_of(told)] == ["audit.file"]
        assert told.verdict.records == 0 and told.verdict.level == 0


def test_bytes_behind_the_end_mark_are_found() -> None:
    """Anything behind the end mark, be it a sound frame."""
    for behind in (b"\0", wlog.encode_frame(wlog.FRAME_META, b"x")):
        assert first(data() + behind).said.key == "audit.damage.behind_end"


def test_a_frame_removed_whole_is_found_by_the_chain_first() -> None:
    """A record left out of a sealed file without mending the seal: the chain names the record
    before the seal names the file."""
    frame = frames()[4]
    told = report(data()[: frame.begin] + data()[frame.end :])
    assert findings_of(told)[0].seq == frame.seq
    assert findings_of(told)[-1].field == "end"


# --- told -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_tells_damage(language: str, tmp_path: Path) -> None:
    """Every sort of damage as a sentence and in `--json`, without a missing key or argument."""
    places = {frame.kind: frame.begin + (frame.end - frame.begin) // 2 for frame in frames()}
    cases = [changed for at in (*places.values(), 3, frames()[2].begin) for _, changed in slips(at)]
    cases += [
        data()[:-10],
        data()[: frames()[5].begin + 3],
        data()[: frames()[5].begin + 30],
        data() + b"x",
    ]
    cases += [
        data()[:200] + data()[900:],
        data()[: frames()[4].begin + 20] + data()[frames()[4].begin + 24 :],
    ]
    for changed in cases:
        (tmp_path / "g.wlog").write_bytes(changed)
        result = CliRunner().invoke(
            audit_command, [str(tmp_path / "g.wlog"), "--lang", language, "--chain-only"]
        )
        assert result.exit_code == 1
        assert not any("[audit" in line or "⟨" in line for line in result.output.splitlines()), (
            result.output
        )
        told = json.loads(
            CliRunner()
            .invoke(audit_command, [str(tmp_path / "g.wlog"), "--json", "--chain-only"])
            .stdout
        )
        assert all(
            set(item) == {"game", "record", "field", "byte", "key", "text", "first"}
            for item in told["findings"]
        )
        assert told["findings"][0]["byte"] is not None


# --- by chance ------------------------------------------------------------------------------------


def test_any_bytes_are_assessed_without_an_error() -> None:
    """Random damage of any size: never an exception, always a finding."""
    for seed in range(300):
        rng = random.Random(seed)
        out = bytearray(data())
        for _ in range(rng.randint(1, 6)):
            at, size = rng.randrange(len(out)), rng.choice((0, 1, 2, 9, 40, 300))
            out[at : at + rng.choice((0, size))] = rng.randbytes(size)
        if bytes(out) != data():
            assert assess(bytes(out)).findings, f"seed {seed}"
            assert not is_clean(report(bytes(out))), f"seed {seed}"


def test_one_slip_in_a_frame_is_worked_out() -> None:
    """A byte changed or lost, or a run put in, anywhere in a frame: among the ways to mend it is
    the right one, by far most often alone."""
    rng = random.Random(11)
    several = 0
    for size in (0, 1, 5, 200):
        payload = rng.randbytes(size)
        frame = wlog.encode_frame(wlog.FRAME_RECORD, payload)
        for at in range(len(frame)):
            run = rng.randbytes(rng.randint(1, 12))
            for changed in (
                frame[:at] + bytes([frame[at] ^ rng.randint(1, 255)]) + frame[at + 1 :],
                frame[:at] + frame[at + 1 :],
                frame[:at] + run + frame[at:],
            ):
                ways = list(mended(changed))
                assert Frame(wlog.FRAME_RECORD, payload) in [way.frame for way in ways], (size, at)
                assert all(
                    wlog.encode_frame(way.frame.kind, way.frame.payload) == mend(changed, way)
                    for way in ways
                )
                several += size > 5 and len({way.frame for way in ways}) > 1

    assert several < 5


def mend(stretch: bytes, way: Mended) -> bytes:
    """The stretch with a way to mend it carried out."""
    return stretch[: way.at] + way.right + stretch[way.at + len(way.found) :]


# --- files that are all damage --------------------------------------------------------------------


class Counted(bytes):
    """Bytes that count how often one is asked for by its place."""

    asked = 0

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        Counted.asked += 1
        return super().__getitem__(at)


JUNK = {
    "ones": b"\x01" * 2_000_000,
    "zeros": bytes(2_000_000),
    "kinds": b"\x00\x00\x00\x01\x01" * 400_000,
    "empty frames": b"\x00\x00\x00\x00\x01\x00\x00\x00\x00" * 200_000,
    "a long array": b"\x00\x1e\x84\x80\x01\x00\x00\x00\x00\xdd\xff\xff\xff\xff"
    + b"\x01" * 2_000_000,
}


@pytest.mark.parametrize("name", JUNK)
def test_junk_is_not_searched_byte_by_byte(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Megabytes of junk are told as damage after a bounded search: no step for each byte, no close
    look at all of it."""
    looks = closely = 0
    fault, path = wlog._fault, damage.path_in

    def look(data: bytes, at: int) -> str | None:
        nonlocal looks
        looks += 1
        return fault(data, at)

    def close(payload: bytes, offset: int | None = None) -> tuple[int, ...]:
        nonlocal closely
        closely += len(payload)
        return path(payload, offset)

    monkeypatch.setattr(wlog, "_fault", look)
    monkeypatch.setattr(damage, "path_in", close)
    Counted.asked = 0
    found = assess(Counted(wlog.MAGIC + JUNK[name]))
    assert found.findings and len(found.findings) <= damage.FINDINGS_MAX
    assert Counted.asked < 1_200_000 and looks < 600_000, (Counted.asked, looks)
    assert closely <= 2 * damage.LOOKED_BYTES_MAX


def test_a_stretch_made_to_be_mended_in_thousands_of_ways_is_told_of_few() -> None:
    """Where the check sum's register stands still each place would do: the ways are counted, not
    one made for each byte."""
    count = 50_000
    kind, extra = wlog.FRAME_RECORD, 9
    covered = (count - extra).to_bytes(4, "big") + bytes([kind])
    # The register is driven to 0 by four bytes, and stays there while zeros follow.
    state = crc32(covered) ^ 0xFFFFFFFF
    lead = state.to_bytes(4, "little")
    stretch = covered + (0xFFFFFFFF).to_bytes(4, "big") + lead + bytes(count - 4)
    assert len(list(mended(stretch))) <= WAYS_MAX


def test_many_pieces_are_not_all_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in many large pieces is looked into closely up to a bound; the rest is told by its
    place."""
    rng = random.Random(3)
    mending = 0

    def counted(stretch: bytes) -> Iterator[Mended]:
        nonlocal mending
        mending += len(stretch)
        return iter(())

    monkeypatch.setattr(damage, "mended", counted)
    good = wlog.encode_frame(wlog.FRAME_META, b"x")
    pieces = [
        b"\x00\x00\xff\xff\x01" + bytes(rng.choices(range(1, 256), k=100_000)) + good
        for _ in range(30)
    ]
    found = assess(wlog.MAGIC + b"".join(pieces))
    assert len(found.findings) >= 20
    assert 0 < mending <= damage.LOOKED_BYTES_MAX


def test_the_next_record_is_not_looked_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind each damage only a bounded number of frames is looked through for a record."""
    looks = 0
    head_in = damage._head_in

    def counted(frame: Frame) -> tuple[object, ...] | None:
        nonlocal looks
        looks += 1
        return head_in(frame)

    monkeypatch.setattr(damage, "_head_in", counted)
    meta = wlog.encode_frame(wlog.FRAME_META, b"")
    assess(wlog.MAGIC + (b"\xff" * 30 + meta) * 50 + meta * 20_000)
    assert looks <= 60 * 1_000
