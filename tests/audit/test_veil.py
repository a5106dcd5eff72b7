"""Effects under a veil: one seal, whatever it holds; only its readers fold it, and once the game
is over everybody does. A seat's sealed picks leave it its free takeback, unless it learnt
something."""

from typing import Any

import pytest

from tests.audit import mini_auditor
from tests.audit.tamper import chained, file_of, put
from tests.audit.test_forger import assert_found
from tests.toys import fog
from tests.verdicts import findings_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.examine import examine
from warledger.clients.audit.replay import replay
from warledger.clients.audit.report import Report
from warledger.clients.link.errors import LinkError
from warledger.clients.link.watch import Watch
from warledger.engine.kernel import replay as replaying
from warledger.engine.testing.randomgames import Played, begin, play, signing_key
from warledger.protocol import canon
from warledger.protocol.audience import entitled
from warledger.protocol.board.effects import BadEffect, Board, move, unveiled
from warledger.protocol.board.effects import put as placed
from warledger.protocol.canon import Seal
from warledger.protocol.chance.seal import Opening, pack_openings, salt_of, seal
from warledger.protocol.log import records
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.log.records import Record

RULEBOOK = Rulebook({"fog": fog.RULES}.__getitem__)


def found(data: bytes) -> Report:
    """The whole audit, with the server's key and the toy's rules."""
    return audit(data, key=signing_key().verify_key.encode(), rulebook=RULEBOOK)[0]


def start(**given: Any) -> Played:
    """A game about to be played."""
    return begin(fog.RULES, fog.PACK, **given)


def over() -> Played:
    """A whole game in which units marched covered and places were looked at."""
    played = start(options={"turns": 1})
    played.submit("north", "march", "n1", "hill", "n2", "gate")
    played.submit("north", "look", "ford")
    played.submit("north", "done")
    played.submit("south", "march", "s1", "gate")
    played.submit("south", "spy", "gate")
    played.submit("south", "done")
    assert played.position.whole
    return played


def board_of(played: Played, audience: str) -> Board:
    """The board that an audience folds."""
    board = Board()
    for record, openings in zip(played.records, played.openings, strict=True):
        for effect in effects_of(record, entitled(openings, audience)):
            board.apply(effect)
    return board


def test_only_its_readers_see_what_a_veil_hides() -> None:
    """Each seat draws its own units, a spectator none."""
    played = start()
    played.submit("north", "march", "n1", "hill")
    assert set(board_of(played, "north").pieces) == {"n1", "n2", "n3"}
    assert board_of(played, "north").pieces["n1"].place == "hill"
    assert set(board_of(played, "south").pieces) == {"s1", "s2", "s3"}
    assert not board_of(played, "public").pieces


def test_neither_number_nor_length_of_what_is_hidden_shows() -> None:
    """The record of a march of one unit is as long as that of three, and of the same form."""
    one, three = start(), start()
    one.submit("north", "march", "n1", "ford")
    three.submit("north", "march", "n1", "mill", "n2", "gate", "n3", "hill")
    a, b = one.records[-1], three.records[-1]
    assert len(a.data) == len(b.data)
    shown = [effect for effect in effects_of(a) if effect[0] == "veil"]
    assert len(shown) == 1 and type(shown[0][1]) is Seal


def test_a_veiled_game_is_sound_and_opens_at_the_end() -> None:
    """At both levels, for both auditors; once it is over everybody draws every unit."""
    played = over()
    report = found(played.file())
    assert (report.verdict.word, report.verdict.level, report.sealed) == ("sound", 2, 0), (
        findings_of(report)
    )
    assert mini_auditor.audit(played.file()).whole
    board = replay(examine(played.file()), audience="arbiter").board
    assert board.pieces["n1"].place == "hill" and board.pieces["s1"].place == "gate"
    watch = Watch("g1", "north")
    watch.take(
        0,
        [
            (record.data, pack_openings(entitled(openings, "north")))
            for record, openings in zip(played.records, played.openings, strict=True)
        ],
    )
    assert watch.fault is None and watch.board.pieces["n2"].place == "gate"


def test_random_games_under_fog_replay_and_are_sound() -> None:
    """With takebacks and requests between; the fold of the log is the position that was played."""
    for seed in range(3):
        played = play(fog.RULES, fog.PACK, seed, requests=0.2, commands=60)
        openings = dict(enumerate(played.openings))
        folded = replaying.fold(fog.RULES, played.records, openings).position
        assert folded == played.position, f"seed {seed}"
        assert findings_of(found(played.file())) == (), f"seed {seed}"
        mini_auditor.audit(played.file())


# --- what an operator might put under a veil ------------------------------------------------------


def with_veil(played: Played, held: Any) -> tuple[list[Record], Record]:
    """The game's records with something else under its first march's veil, sealed and opened as
    only the operator can."""
    record = next(
        item
        for item in played.records
        if item.kind == records.COMMAND and item.body[records.DECISION]
    )
    path = (records.EFFECTS, 0, 1)
    salt = salt_of(played.ledger.keys.salts, record.seq, path)
    opening = Opening(record.seq, path, salt, held)
    effects = canon.unpack(record.body[records.EFFECTS])
    effects = put(effects, (0, 1), seal("g1", opening))
    last = played.records[-1]
    opened = tuple(
        opening.as_array() if (item[0], item[1]) == (record.seq, path) else item
        for item in last.body[0]
    )
    body = put(record.body, (records.EFFECTS,), canon.pack(effects))
    return chained(played, {record.seq: body, last.seq: (opened, True)}), last


@pytest.mark.parametrize(
    "held",
    [
        (("rewind", 1),),
        (("await", ("south",)),),
        (("close", "turn"),),
        (("learn", "north"),),
        (("veil", ()),),
        (("put", "n1", Seal(bytes(32)), "", ""),),
        (("move", "n1"),),
        (("put", "n1", "hill", "", 3),),
        (("twirl", "n1"),),
        (("say", "fog.seen", ("n1",), ""),),
        "nothing",
        ((),),
    ],
)
def test_what_no_veil_may_hold_is_found_once_it_is_open(held: Any) -> None:
    """Another question, a turn that ends, a way back, a seal that nothing would ever open: found
    from the evidence alone, and a reader of the file is refused."""
    played = over()
    made, last = with_veil(played, held)
    data = file_of(made, key=played.key)
    said = [(item.seq, item.said.key) for item in findings_of(found(data))]
    assert (last.seq, "audit.veil") in said, said
    with pytest.raises(mini_auditor.Unsound):
        mini_auditor.audit(data)
    with pytest.raises(BadEffect):
        unveiled(held)


def test_other_effects_under_a_veil_are_found_by_deciding_again() -> None:
    """The operator shows the owner another place than the one it marched to."""
    played = over()
    made, _ = with_veil(played, (move("n1", "mill"), move("n2", "gate")))
    report = found(file_of(made, key=played.key))
    assert report.code() == 1 and findings_of(report)[0].field.startswith("effects")


def test_a_veil_in_the_clear_is_found() -> None:
    """A list where the seal should be: what is hidden would be told to all."""
    played = over()
    record = next(item for item in played.records if item.kind == records.COMMAND)
    effects = canon.pack((("veil", (placed("n1", "ford"),)),))
    made = chained(played, {record.seq: put(record.body, (records.EFFECTS,), effects)})
    data = file_of(made, key=played.key)
    assert "audit.shape" in [item.said.key for item in findings_of(found(data))]
    with pytest.raises(mini_auditor.Unsound):
        mini_auditor.audit(data)
    watch = Watch("g1", "public")
    watch.take(0, [(item.data, b"") for item in made])
    assert isinstance(watch.fault, LinkError)


# --- sealed picks and the free takeback -----------------------------------------------------------


def test_sealed_marches_are_taken_back_freely() -> None:
    """Two covered marches, back over both: nobody else is asked, and the openings went to the seat
    alone."""
    played = start()
    to = played.records[-1].seq
    for unit in ("n1", "n2"):
        played.submit("north", "march", unit, "hill")
    assert all(item.readers == ("north",) for item in played.openings[-1])
    assert played.position.undo == (to, to + 1)
    played.commit(played.take_back("north", to))
    assert played.records[-1].kind == records.TAKEBACK
    assert board_of_takeback(played) == "ford"
    played.submit("north", "done")
    assert findings_of(found(played.file())) == ()


def board_of_takeback(played: Played) -> str:
    """Where the position has n1 after a takeback."""
    return fog.PLACES[played.position.state.where["n1"]]


@pytest.mark.parametrize("verb", ["look", "spy"])
def test_what_a_seat_has_learnt_it_cannot_take_back_freely(verb: str) -> None:
    """With open picks by what the record hides, with sealed ones because the title says that the
    seat learnt; an operator in league with it who writes the takeback all the same is found."""
    played = start()
    to = played.records[-1].seq
    played.submit("north", verb, "ford")
    assert played.position.undo == ()
    played.commit(played.take_back("north", to))
    assert played.records[-1].kind == records.ASK
    played.commit(played.answer("south", False))
    assert findings_of(found(played.file())) == ()


def test_a_free_takeback_of_a_spied_place_is_found() -> None:
    """Both auditors see that the seat had learnt something, without the rules."""
    played = start()
    to = played.records[-1].seq
    played.submit("north", "spy", "ford")
    played.ledger.position = forget(played, to)
    played.ledger.past[to] = played.positions[to]
    played.commit(played.take_back("north", to))
    assert played.records[-1].kind == records.TAKEBACK
    played.commit(played.resign("north"))
    at = next(item for item in played.records if item.kind == records.TAKEBACK)
    assert_found(played.file(), at.seq, "to", "audit.takeback_consent")


def forget(played: Played, to: int) -> Any:
    """The position of a ledger that has not noticed that the seat learnt something."""
    from warledger.engine.kernel.change import replace

    return replace(played.position, undo=(to,), undo_seat="north")
