"""The bodies of records by name: what is read is written again as it was."""

import json
from pathlib import Path

import pytest

from warledger.protocol import canon, tournaments
from warledger.protocol.board import effects
from warledger.protocol.board.choices import Say
from warledger.protocol.canon import Seal
from warledger.protocol.chance.seal import Opening, Secret, find, reveal
from warledger.protocol.log import bodies, deskbodies, records, wlog
from warledger.protocol.log.bodies import By
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts

FILES = [Path(__file__).resolve().parents[1] / "fixtures" / "example.wlog"]
"""A game file of the format as it is."""

BY = By(bytes(range(32)), 3, bytes(32), bytes(64))


def log_of(path: Path) -> list[Record]:
    """The records of a game file."""
    frames = wlog.parse(path.read_bytes()).frames
    return [records.read(frame.payload) for frame in frames if frame.kind == wlog.FRAME_RECORD]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_body_of_the_fixtures_is_written_as_it_was_read(path: Path) -> None:
    """Byte for byte, and as the kind that it stands in."""
    log = log_of(path)
    assert len(log) > 1
    for record in log[1:]:
        body = bodies.read(record)
        assert canon.pack(body.write()) == canon.pack(record.body), (record.seq, body)
        assert bodies.kind_of(body) == record.kind


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_kind_of_a_record_is_read_without_its_body(path: Path) -> None:
    """For each record of the fixtures, also where its body is cut off; "" where there is none."""
    for record in log_of(path):
        assert records.kind_of(record.data) == record.kind
        head = record.data.index(record.kind.encode()) + len(record.kind)
        assert records.kind_of(record.data[:head]) == record.kind
        assert records.kind_of(record.data[: head - 1]) == ""
    assert records.kind_of(b"") == records.kind_of(b"\x96\x00\x00\xa0\x07") == ""


def test_seals_are_opened_wherever_they_stand_and_in_whatever_order() -> None:
    """At the top of a body, in an event, deeper in one; several in one array; the rest stays."""
    body = (0, Seal(b"0"), (("a", 1, Seal(b"1"), Seal(b"2")), ("b", (Seal(b"3"), (Seal(b"4"), 5)))))
    body = (*body, (("c", 6, Seal(b"5")), Seal(b"6")))
    paths = ((1,), (2, 0, 2), (2, 0, 3), (2, 1, 1, 0), (2, 1, 1, 1, 0), (3, 0, 2), (3, 1))
    openings = [Opening(9, path, b"", number, ("a",)) for number, path in enumerate(paths)]
    for first in range(len(openings)):
        for order in (openings[first:] + openings[:first], openings[first::-1]):
            opened = reveal(body, order)
            for opening in openings:
                found = find(opened, opening.path)
                if opening in order:
                    assert found == Secret(opening.value, ("a",))
                    assert found.where == (9, opening.path)
                else:
                    assert found == find(body, opening.path)
            assert find(opened, (2, 1, 1, 1, 1)) == 5 and opened[0] == 0
    assert reveal(body, ()) is body


ONE_OF_EACH = (
    bodies.Taken("a", "id.Ann", "Ann", bytes(32), "bot", BY),
    bodies.Taken("a", "", "Ann", bytes(32), "bot", BY),
    bodies.Nonce("a", bytes(32), bytes(32), BY),
    bodies.Replaced("a", "id.Bob", "Bob", "page", BY, None),
    bodies.Replaced("a", "id.Bob", "Bob", "page", BY, BY),
    bodies.Device("a", bytes(32), bytes(64), BY),
    bodies.Revoked("a", bytes(32), BY),
    bodies.CommandBody(
        4, "a", (("go",), b""), b"1", BY, (), (), b"\x90", (), (0, ()), (), bytes(32)
    ),
    bodies.CommandBody(
        4, "a", (("go",), b""), b"", bodies.ByOrders(9, 0, 2), (), (), b"\x90", (), (0, ()), (), b""
    ),
    bodies.CommandBody(0, "", (("begin",), b""), b"", None, (), (), b"\x90", (), (0, ()), (), b""),
    bodies.Ask("a", "takeback", 7, BY),
    bodies.Answer("b", False, 8, BY),
    bodies.Takeback("a", 7, b"\x90", (("a", 9, "prompt.q"),), 8, None),
    bodies.Takeback("a", 7, b"\x90", (("a", 9, "prompt.q"),), 0, BY),
    bodies.Orders("a", canon.Seal(bytes(32)), bytes(32), BY),
    bodies.Open(1, bytes(32)),
    bodies.Rotate(bytes(32), bytes(64)),
    deskbodies.Flag("a", 1000, -5),
    deskbodies.Pause(("a", "b"), 0),
    deskbodies.Resume("a", BY),
    deskbodies.Credit("a", -5, "credit.ruling", (("claim", 1),)),
    deskbodies.Credit("a", 5, "", (), BY),
    deskbodies.Outage(5, 9),
    deskbodies.Leave("a", 5, 9, BY),
    deskbodies.Night("a", 60, 480, BY),
    deskbodies.Claim(1, "a", 7, "4.2", "It moved too far.", BY),
    deskbodies.Claim(1, "", 7, "4.2", "It moved too far."),
    deskbodies.Heard(1),
    deskbodies.Looked("a", 3, 7),
    deskbodies.Froze(1),
    deskbodies.Said(1, "No.", BY),
    deskbodies.Ruled(1, "upheld", "4.2", "Too far.", (("back", 3), ("time", "a", 60_000))),
    deskbodies.Corrected(1, ("ship", 3), (("moved", 1),), b"\x90", ()),
    deskbodies.Appeal(1, "No.", BY),
    deskbodies.Thawed(1),
    deskbodies.Withdrawn(1, BY),
    bodies.End(
        None,
        Say("outcome.x", (("n", 1),), "4.2"),
        ((1, bytes(32)),),
        b"h",
        b"s",
        (("a", 5),),
        "rules",
    ),
)


@pytest.mark.parametrize(
    "command", [body for body in ONE_OF_EACH if isinstance(body, bodies.CommandBody)], ids=repr
)
def test_a_replay_reads_of_a_command_what_the_command_says(command: bodies.CommandBody) -> None:
    """An array of another length is no command."""
    array = command.write()
    assert bodies.for_replay(array) == (
        command.seat,
        command.picks,
        command.by_array,
        command.draws,
        command.events,
        command.effects,
        command.opened,
        command.flow,
        command.awaits,
    )
    for wrong in (array[:10], (*array, 0, 0)):
        with pytest.raises(ValueError, match="12 fields"):
            bodies.for_replay(wrong)


@pytest.mark.parametrize("body", ONE_OF_EACH, ids=repr)
def test_a_body_read_from_its_array_is_itself(body: bodies.Body) -> None:
    """Whoever acted."""
    record = records.make(5, 0, "x", bodies.kind_of(body), body.write(), bytes(32))
    assert bodies.read(records.read(record.data)) == body


@pytest.mark.parametrize("body", ONE_OF_EACH, ids=repr)
def test_a_body_with_a_field_too_many_or_too_few_is_refused(body: bodies.Body) -> None:
    """A ValueError, which whoever reads a log takes for a corrupt one; never another kind's
    object."""
    kind, array = bodies.kind_of(body), body.write()
    for wrong in (array[:1], (*array, 1, 2, 3)):
        with pytest.raises(ValueError):
            bodies.read(records.make(5, 0, "x", kind, wrong, bytes(32)))


def test_who_acted_is_a_key_the_record_of_orders_or_nobody() -> None:
    """Anything else is refused, also where standing answers cannot have acted."""
    assert bodies.read_by(BY.as_array()) == BY
    assert bodies.read_by((9, 0, 2)) == bodies.ByOrders(9, 0, 2)
    assert bodies.read_by(()) is None
    for wrong in (
        *(b"", (9,), (9, 0), (0, 0, 0), (9, -1, 0), (9, 0, True), (True, 0, 0), (9, 0, b"")),
        *((BY.key, 0, BY.seen, BY.signature), (b"k", 1, BY.seen, b"")),
    ):
        with pytest.raises(ValueError):
            bodies.read_by(wrong)
    with pytest.raises(ValueError):
        bodies.Ask.read(("a", "draw", 0, (9, 0, 0)))


def test_the_acts_of_a_handed_over_seat_are_two() -> None:
    """The newcomer's own, and the consent of the key that the seat had."""
    other = By(bytes(32), 1, bytes(32), bytes(64))
    body = bodies.Replaced("a", "id.Bob", "Bob", "page", other, BY)
    new, handed = acts.acts_in(b"g", body, "a")
    assert (new.kind, new.key, new.body) == (acts.REPLACED, other.key, ("id.Bob", "Bob", "page"))
    assert (handed.kind, handed.key, handed.body) == (acts.HANDED, BY.key, ("Bob", other.key))


def test_a_seat_signs_all_of_a_clock_or_ruling_record_but_its_signature() -> None:
    """As the seat that is its actor; what the server or an arbiter does shows no act."""
    body = deskbodies.Leave("a", 5, 9, BY)
    (act,) = acts.acts_in(b"g", body, "a")
    assert (act.seat, act.kind, act.body) == ("a", acts.CLOCK, ("leave", "a", 5, 9))
    (act,) = acts.acts_in(b"g", deskbodies.Withdrawn(2, BY), "b")
    assert (act.seat, act.kind, act.body) == ("b", acts.RULING, ("withdrawn", 2))
    assert acts.acts_in(b"g", deskbodies.Froze(2), ("id.Ann", "Ann")) == ()
    for signed in (deskbodies.Said(1, "No.", BY), deskbodies.Withdrawn(2, BY)):
        with pytest.raises(ValueError, match="signs nothing"):
            acts.acts_in(b"g", signed, ("a", "Ann"))


def test_effects_come_with_what_an_audience_may_open() -> None:
    """An opening fills its place; one of another record, or of another part of the body, none."""
    hidden = canon.Seal(bytes(32))
    told = canon.pack((effects.put("card", "table", hidden, "a"),))
    body = bodies.CommandBody(1, "a", ("go",), b"", None, (), (), told, (), (0, ()), (), b"")
    record = records.make(5, 0, "a", records.COMMAND, body.write(), bytes(32))
    place = (records.EFFECTS, 0, 3)
    assert bodies.effects_of(record)[0][3] == hidden
    assert bodies.effects_of(record, [Opening(5, place, b"", "ace")])[0][3] == "ace"
    for stray in (Opening(4, place, b"", "ace"), Opening(5, (records.EVENTS, 0, 3), b"", "ace")):
        assert bodies.effects_of(record, [stray])[0][3] == hidden
    assert bodies.effects_of(records.make(6, 0, "a", "open", (1, bytes(32)), bytes(32))) == ()


def test_all_that_is_opened_of_a_body_is_put_in_its_place() -> None:
    """Secrets side by side, at several depths and in any order, each knowing its place; what is not
    opened stays sealed, and what was not sealed stays itself."""
    sealed = Seal(bytes(32))
    plain = ("plain", 1)
    body = ("seat", sealed, (plain, ("moved", sealed, (3, sealed, sealed)), ("taken", sealed)))
    places = ((2, 2, 1), (2, 1, 2, 2), (1,), (2, 1, 1))
    openings = [Opening(7, path, b"", str(path), ("axis",)) for path in places]

    revealed = reveal(body, openings)

    for path in places:
        found = find(revealed, path)
        assert (found.value, found.readers, found.where) == (str(path), ("axis",), (7, path))
    assert find(revealed, (2, 1, 2, 1)) is sealed
    assert find(revealed, (2, 0)) is plain
    assert reveal(body, ()) is body
    with pytest.raises(IndexError):
        reveal(body, [Opening(7, (2, 9), b"", 0)])


def test_the_events_of_ledgers_have_the_types_that_the_page_names() -> None:
    """Each field of each event in the sound ledgers of the vectors."""
    folder, tags = Path(canon.__file__).parent / "vectors", set()
    cases = json.loads((folder / "tournaments.json").read_text())
    for path in [folder / case["file"] for case in cases if case.get("sound")]:
        for data in wlog.parse(path.read_bytes()).records:
            _, _, _, kind, body, _ = canon.unpack(data)
            for tag, *values in body[5] if kind == tournaments.ACT else ():
                tags.add(tag)
                forms = tournaments.FORMS[tag].values()
                told = (path.name, tag, values)
                assert all(one.fits(value) for one, value in zip(forms, values, strict=True)), told
    assert len(tags) > 18
