"""What a server or a player in league with it may try with clocks and rulings: whole logs, each
chained and signed by whoever its records name, with the record at which all readers must object.

The beginning of each is a game as a ledger writes it. What follows is written here, past every
check of our own: the server's keys and those of both seats are the attacker's.
"""

from collections.abc import Callable
from typing import Any, Final

from attrs import evolve as replace
from nacl.signing import SigningKey

from tests.audit.tamper import signature_of
from tests.toys import counting
from warledger.engine.testing.randomgames import Played, arbiter, begin
from warledger.protocol import canon
from warledger.protocol.board.effects import AWAIT, REWIND
from warledger.protocol.limits import PERSON_ID_CHARS_MAX
from warledger.protocol.log import deskbodies, records
from warledger.protocol.log.bodies import By
from warledger.protocol.log.records import Actor, Record
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import picks_digest

DAY: Final = 86_400_000
BANK: Final = 600_000
GRIN: Final = "\U0001f600"
"""One character, which is two in a language that counts in UTF-16."""
ANN: Final = arbiter("Ann")
LONGEST: Final = GRIN * PERSON_ID_CHARS_MAX
"""An id of as many characters as it may have, each of which is two in such a language."""


class Log:
    """A game's log that goes on as an attacker likes."""

    def __init__(self, played: Played) -> None:
        self.played = played
        self.records: list[Record] = list(played.records)
        self.genesis = played.ledger.genesis.hash
        self.n = 500

    @property
    def last(self) -> int:
        """The newest record."""
        return self.records[-1].seq

    def put(self, actor: Actor, kind: str, *body: Any, later: int = 0) -> "Log":
        """A record, `later` milliseconds after the one before."""
        before = self.records[-1]
        at_ms = before.at_ms + later
        made = records.make(self.last + 1, at_ms, actor, kind, body, before.hash)
        self.records.append(made)
        return self

    def by(self, seat: str, kind: str, *body: Any) -> tuple[Any, ...]:
        """A seat's signature."""
        self.n += 1
        hand, seen = self.played.hands[seat], self.records[-1].hash
        act = acts.Act(self.genesis, hand.public, seat, kind, self.n, seen, body, b"")
        return By(hand.public, self.n, seen, signature_of(hand, act)).as_array()

    def act(self, seat: str, kind: str, *body: Any, later: int = 0) -> "Log":
        """What a seat does, signed."""
        return self.put(seat, kind, *body, self.by(seat, kind, *body), later=later)

    def command(
        self,
        seat: str,
        *,
        picks: Any = ("pass",),
        id: bytes = b"\6" * 16,
        draws: Any = (),
        asked_on: bool = False,
        kept: str = "",
        actor: Actor = "",
    ) -> "Log":
        """What the seat decides at the newest record, which asks it: both are asked then, this seat
        by a new question or still by the old one; the other by a new one, or still by the old one
        with this key. The record's actor is the seat, or another."""
        decision, blind = self.last, b"\5" * 32
        digest = picks_digest(self.genesis, seat, decision, id, blind, picks)
        by = self.by(seat, acts.COMMAND, decision, id, digest)
        opened = {seat: decision if asked_on else decision + 1}
        if kept:
            opened["b" if seat == "a" else "a"] = decision
        awaits = tuple(
            (one, opened.get(one, decision + 1), kept if kept and one != seat else "prompt.q")
            for one in "ab"
        )
        told = canon.pack(((AWAIT, ("a", "b")),))
        body = (decision, seat, (picks, blind), id, by, draws, (), told, (), (0, ()), awaits)
        return self.put(actor or seat, records.COMMAND, *body, digest)

    def rolls(self, sides: int, index: int) -> "Log":
        """Seat a draws, of an epoch that is not open."""
        return self.command("a", draws=((1, 0, "fortune", (sides, index)),))

    def rule(self, actor: Actor, *remedies: tuple[Any, ...], finding: str = "upheld") -> "Log":
        """A ruling on claim 1."""
        return self.put(actor, "ruling", "ruled", 1, finding, "9.2", "So.", remedies)

    def asks_back(self, seat: str, to: int) -> "Log":
        """A request for a takeback."""
        return self.put(seat, "ask", seat, "takeback", to, self.by(seat, "ask", "takeback", to))

    def replace(self, seat: str, name: str, account: str = "", actor: Actor = "") -> "Log":
        """Somebody else sits down, with a key of their own and nobody's consent. The record's actor
        is the seat, or another."""
        key, seen = SigningKey(b"8" * 32), self.records[-1].hash
        public = key.verify_key.encode()
        body = account, name, "x"
        act = acts.Act(self.genesis, public, seat, acts.REPLACED, 1, seen, body, b"")
        by = (public, 1, seen, key.sign(act.signed).signature)
        return self.put(actor or seat, "seat", "replaced", seat, *act.body, by, ())

    def goes_back(self, actor: Actor, to: int) -> "Log":
        """What a ruling that goes back to a command of seat a asks for, by somebody."""
        awaits = (("b", self.last + 1, "prompt.counting.act"),)
        rewound = canon.pack(((REWIND, to), (AWAIT, ("b",))))
        return self.put(actor, "takeback", "", to, rewound, awaits, self.last, ())

    def device(self, seat: str) -> "Log":
        """Another key of a seat."""
        key, hand = SigningKey(b"7" * 32), self.played.hands[seat]
        public = key.verify_key.encode()
        proof = key.sign(acts.device_bytes(self.genesis, seat, public, hand.public)).signature
        by = self.by(seat, acts.DEVICE, public)
        return self.put(seat, "seat", "device", seat, public, proof, by)


ODD: Final = (
    "\ufeffTo my mind this is wrong.",
    "Ja\U000105d2\u0307",
    "Jose\u0301, a\u0301\u0316",
    "\ufdd0\ue000\uffff\x00\u202e\n\r\n\t",
)
"""Texts that a server refuses or a client composes, and that are sound where they stand."""


def claims_saying(*texts: str) -> Log:
    """Claims of an arbiter, each withdrawn at once, and one of a seat."""
    log = Log(table())
    for n, text in enumerate(texts, 1):
        log.put(ANN, "ruling", "claim", n, "", log.last, text[:200], text)
        log.put(ANN, "ruling", "withdrawn", n)
    log.act("b", "ruling", "claim", len(texts) + 1, "b", log.last, texts[0][:200], texts[0])
    return log


def table(*, clock: bool = True, **terms: Any) -> Played:
    """A game of four commands, in which seat a is asked next; both have ten minutes."""
    control = {"clock": {"bank": BANK, "fall": "claim"}} if clock else {}
    options = {"turns": 10, "epoch_turns": 100}
    played = begin(counting.RULES, counting.PACK, options=options, terms={**control, **terms})
    for _ in range(4):
        played.submit(played.position.open[0][0], "add", 1)
    return played


def heard(actor: Actor = ANN, *, freeze: bool = False, clock: bool = True, **terms: Any) -> Log:
    """A claim of seat b that an arbiter has heard, and may have frozen the game for."""
    log = Log(table(clock=clock, **terms))
    log.act("b", "ruling", "claim", 1, "b", log.last, "9.2", "Wrong.")
    log.put(actor, "ruling", "heard", 1)
    return log.put(actor, "ruling", "frozen", 1) if freeze else log


def heard_after(actor: Actor, *, name: str, account: str) -> Log:
    """The same, after somebody else has sat down in seat a."""
    log = Log(table()).replace("a", name, account)
    log.act("b", "ruling", "claim", 1, "b", 5, "9.2", "Wrong.")
    return log.put(actor, "ruling", "heard", 1)


def claimed() -> Log:
    """A claim of seat b that nobody has heard."""
    return Log(table()).act("b", "ruling", "claim", 1, "b", 5, "9.2", "Wrong.")


def over() -> Log:
    """A game that has come to its end by the rules, which is held for an hour."""
    options = {"turns": 2, "epoch_turns": 1}
    terms = {"protest_ms": 3_600_000}
    played = begin(counting.RULES, counting.PACK, options=options, terms=terms)
    while played.position.open:
        played.submit(played.position.open[0][0], "add", 1)
    return Log(played)


def fallen() -> Log:
    """The flag of seat a has fallen, and b may claim the game or give time."""
    played = table()
    played.at_ms = played.records[-1].at_ms + BANK
    played.commit(played.ledger.propose_flag(played.at_ms))
    assert played.position.clocks is not None
    assert played.position.clocks.fallen == ("a",)
    return Log(played)


def gives(ms: int = BANK, why: str = "", args: Any = ()) -> Log:
    """Seat b lets a play on."""
    return fallen().act("b", "clock", "credit", "a", ms, why, args)


def given_while_frozen() -> Log:
    """The same while an arbiter has frozen the game."""
    log = fallen().act("b", "ruling", "claim", 1, "b", 5, "9.2", "Wrong.")
    for body in (("heard", 1), ("frozen", 1)):
        log.put(ANN, "ruling", *body)
    return log.act("b", "clock", "credit", "a", BANK, "", ())


def taken_in_the_middle() -> Log:
    """A ruling takes all the time of the seat that is asked, and then goes back."""
    log = heard().rule(ANN, ("time", "a", -DAY), ("time", "b", 5))
    for seat, ms in (("a", -DAY), ("b", 5)):
        log.put("server", "clock", "credit", seat, ms, "credit.ruling", (("claim", 1),))
    return log


def out_of_time_as_a_turn_ends() -> Log:
    """A ruling takes all the time of the seat that is not asked; the command that ends the turn
    asks it, the turn's link is opened, and then its flag falls."""
    played = begin(
        counting.RULES,
        counting.PACK,
        options={"turns": 10, "epoch_turns": 1},
        terms={"clock": {"bank": BANK}},
    )
    played.submit("a", "add", 1)
    played.commit(played.claim("b", 5))
    played.commit(played.note(ANN, deskbodies.Heard(1)))
    played.commit(played.rule(ANN, 1, ("time", "a", -2 * BANK)))
    played.submit("b", "add", 1)
    played.commit(played.ledger.propose_flag(played.at_ms))
    assert [one.kind for one in played.records[-4:]] == ["open", "clock", "end", "reveal"]
    return Log(played)


def claims_of(*actors: Actor) -> Log:
    """Claims that nobody but arbiters makes."""
    log = Log(table())
    for n, actor in enumerate(actors, 1):
        log.put(actor, "ruling", "claim", n, "", 5, "9.2", "Wrong.")
    return log


def paused(until: int) -> Log:
    """A pause that both agree to, up to so many milliseconds after the newest record; 0: until they
    go on."""
    log = Log(table())
    moment = log.records[-1].at_ms + until if until else 0
    log.put("a", "ask", "a", "pause", moment, log.by("a", "ask", "pause", moment))
    ask = log.last
    log.put("b", "answer", "b", True, ask, log.by("b", "answer", ask, True))
    return log.put("server", "clock", "pause", ("a", "b"), moment, later=1000)


def corrects(picks: int) -> Log:
    """A correction of so many picks."""
    told = canon.pack(())
    log = heard().rule(ANN, ("correct",))
    return log.put(ANN, "ruling", "corrected", 1, ("set",) * picks, (), told, ())


def outages(*spans: tuple[int, int]) -> Log:
    """The server says that it was down: spans in milliseconds after the newest record."""
    log = Log(table())
    start = log.records[-1].at_ms
    for begins, ends in spans:
        later = max(0, start + ends - log.records[-1].at_ms)
        log.put("server", "clock", "outage", start + begins, start + ends, later=later)
    return log


SOUND: Final[dict[str, Callable[[], Log]]] = {
    "a ruling that changes nothing": lambda: heard().rule(ANN, ("stand",)),
    "a seat gives another time": gives,
    "somebody is put in a seat while the game is frozen": lambda: heard(freeze=True).replace(
        "a", "p_c"
    ),
    "the same without clocks": lambda: heard(freeze=True, clock=False).replace("a", "p_c"),
    "an arbiter's id and name, as long as may be, of characters that are two each": lambda: heard(
        (LONGEST, GRIN * 64), desk=(((LONGEST, GRIN * 64),), {"recused": (LONGEST[1:],)})
    ),
    "a penalty of 2,000 such characters": lambda: heard().rule(ANN, ("penalty", "a", GRIN * 2000)),
    "a flag behind the link of the turn that asked a seat without time": out_of_time_as_a_turn_ends,
    "an outage that covers a deadline": lambda: outages((0, BANK + 50_000)),
    "an arbiter whose id is that of a seat": lambda: heard(("a", "Ann")),
    "an arbiter who is called like a seat": lambda: heard(("id.Ann", "a")),
    "an arbiter whose id is that of the server": lambda: heard(("server", "Ann")),
    "an arbiter who is called like the server": lambda: heard(("id.Ann", "server")),
    "an arbiter who is called like a player and has another account": lambda: heard(
        ("id.Ann", "p_a")
    ),
    "an arbiter whose id is what a player is called": lambda: heard(("p_a", "Ann")),
    "an arbiter whose id is a player's but for a capital": lambda: heard(("id.P_a", "p_a")),
    "an arbiter whose id is a player's but for its last byte": lambda: heard(("id.p_`", "p_a")),
    "an arbiter who has a new player's name and not the account": lambda: heard_after(
        ("id.Ann", "Ann"), name="Ann", account="id.other"
    ),
    "an arbiter who has the name of a player without an account": lambda: heard_after(
        ("id.Ann", "Ann"), name="Ann", account=""
    ),
    "an arbiter who is called like somebody who is recused": lambda: heard(
        desk=((), {"recused": ("Ann",)})
    ),
    "an arbiter whose id is that of somebody who is recused, decomposed": lambda: heard(
        ("Jose\u0301", "Jos\u00e9"), desk=((), {"recused": ("Jos\u00e9",)})
    ),
    "an arbiter whom the desk calls otherwise": lambda: heard(
        ("id.Ann", "Berta"), desk=((("id.Ann", "Ann"),), {})
    ),
    "an arbiter who rules under another name than they heard the claim": lambda: heard().rule(
        ("id.Ann", "Berta"), ("stand",)
    ),
    "a takeback that a ruling asks for": lambda: heard().rule(ANN, ("back", 8)).goes_back(ANN, 8),
    "an arbiter who withdraws a claim under another name": lambda: claims_of(ANN).put(
        ("id.Ann", "Berta"), "ruling", "withdrawn", 1
    ),
    "four open claims of two arbiters of one name, whose ids differ in a capital": lambda: (
        claims_of(*((id, "Ann") for id in ("id.Ann", "id.ann", "id.ANN", "id.Ann")))
    ),
    "an arbiter's id that begins with U+FEFF": lambda: heard(
        ("\ufeffAnn", "Ann"), desk=((("\ufeffAnn", "\ufeffAnn"),), {})
    ),
    "a new player without an account": lambda: Log(table()).replace("a", "p_c"),
    "a new player with the other player's account": lambda: Log(table()).replace(
        "a", "p_c", "id.p_b"
    ),
    "a new player whose account and name are as long as may be": lambda: Log(table()).replace(
        "a", GRIN * 64, LONGEST
    ),
    "a ruling that goes back to a command": lambda: heard().rule(ANN, ("back", 8)),
    "a command after which its seat is asked again": lambda: Log(table()).command("a"),
    "an id of 32 bytes": lambda: Log(table()).command("a", id=b"\6" * 32),
    "512 picks": lambda: Log(table()).command("a", picks=("pass",) * 512),
    "the most that a draw may choose among": lambda: Log(table()).rolls(2**32, 2**32 - 1),
    "claims of whatever can be encoded": lambda: claims_saying(*ODD),
    "a claim about the genesis": lambda: Log(table()).act(
        "b", "ruling", "claim", 1, "b", 0, "9.2", "This is another map."
    ),
    "a pause without an end": lambda: paused(0),
    "a pause to a moment after its record": lambda: paused(1001),
    "a correction of 512 picks": lambda: corrects(512),
    "a ruling that gives 400 days": lambda: heard().rule(ANN, ("time", "a", 400 * DAY)),
}
"""What stands, though somebody might object."""

UNSOUND: Final[dict[str, Callable[[], Log]]] = {
    "an arbiter who is a text": lambda: heard("id.Ann"),
    "an arbiter who is a seat": lambda: heard("a"),
    "an arbiter who is the server": lambda: heard("server"),
    "an arbiter with a player's account": lambda: heard(arbiter("p_a")),
    "an arbiter with a player's account, under another name": lambda: heard(("id.p_a", "Ann")),
    "an arbiter with the account of a player who came later": lambda: heard_after(
        ANN, name="Berta", account="id.Ann"
    ),
    "an arbiter with the account of a player who was replaced": lambda: heard_after(
        arbiter("p_a"), name="p_c", account=""
    ),
    "an arbiter whom the desk names and who plays": lambda: heard(
        arbiter("p_a"), desk=((arbiter("p_a"),), {})
    ),
    "an arbiter who is recused": lambda: heard(
        ("Straße", "Ann"), desk=((), {"recused": ("Straße",)})
    ),
    "an arbiter who has the name, not the id, of one whom the desk names": lambda: heard(
        ("id.other", "Ann"), desk=((ANN,), {})
    ),
    "an arbiter whose id is the name of one whom the desk names": lambda: heard(
        ("Ann", "Ann"), desk=((ANN,), {})
    ),
    "an arbiter who is named in another normal form": lambda: heard(
        ("Jose\u0301", "Ann"), desk=((("Jos\u00e9", "Ann"),), {})
    ),
    "an arbiter who is named with U+FEFF before it": lambda: heard(
        ("Ann", "Ann"), desk=((("\ufeffAnn", "Ann"),), {})
    ),
    "an arbiter withdraws another's claim, whose id differs in a capital": lambda: claims_of(
        ANN
    ).put(("id.ann", "Ann"), "ruling", "withdrawn", 1),
    "an arbiter withdraws the claim of the seat whose name is their id": lambda: claimed().put(
        ("b", "b"), "ruling", "withdrawn", 1
    ),
    "an arbiter appeals as the seat whose name is their id": lambda: (
        heard().rule(ANN, ("stand",)).put(("b", "b"), "ruling", "appeal", 1, "No.")
    ),
    "an arbiter waives as the seat whose name is their id": lambda: over().put(
        ("b", "b"), "ruling", "waived", "b"
    ),
    "an arbiter claims as the seat whose name is their id": lambda: Log(table()).put(
        ("b", "b"), "ruling", "claim", 1, "b", 5, "9.2", "Wrong."
    ),
    "an arbiter gives time as the server": lambda: heard().put(
        ("server", "server"), "clock", "credit", "a", 5, "", ()
    ),
    "an arbiter decides for the seat whose name is their id": lambda: Log(table()).command(
        "a", actor=("a", "a")
    ),
    "somebody sits down as an arbiter": lambda: Log(table()).replace(
        "a", "p_c", "id.p_c", actor=arbiter("p_c")
    ),
    "somebody sits down under their name, not as the seat": lambda: Log(table()).replace(
        "a", "p_c", "id.p_c", actor="p_c"
    ),
    "an arbiter rules on what another of their name has heard": lambda: heard().rule(
        ("id.ann", "Ann"), ("stand",)
    ),
    "an arbiter hears the appeal against their ruling under another name": lambda: (
        heard()
        .rule(ANN, ("stand",))
        .act("b", "ruling", "appeal", 1, "No.")
        .put(("id.Ann", "Berta"), "ruling", "heard", 1)
    ),
    "a text that is the arbiter's id goes back as they ruled": lambda: (
        heard().rule(ANN, ("back", 8)).goes_back(ANN[0], 8)
    ),
    "a seat whose name is the arbiter's id goes back as they ruled": lambda: (
        heard(("b", "Ann")).rule(("b", "Ann"), ("back", 8)).goes_back("b", 8)
    ),
    "a text that is the arbiter's id corrects as they ruled": lambda: (
        heard()
        .rule(ANN, ("correct",))
        .put(ANN[0], "ruling", "corrected", 1, ("set",), (), canon.pack(()), ())
    ),
    "an arbiter whose word a seat has signed": lambda: (log := heard()).put(
        ANN, "ruling", "said", 1, "So.", log.by("a", acts.RULING, "said", 1, "So.")
    ),
    "a remedy whose word is an array": lambda: heard().rule(ANN, (("stand",),)),
    "a forfeit whose word is an array": lambda: heard().rule(ANN, (("forfeit",), "a")),
    "an arbiter goes back who has not ruled": lambda: (
        heard().rule(ANN, ("back", 8)).goes_back(("id.ann", "Ann"), 8)
    ),
    "a player without a name": lambda: Log(table()).replace("a", ""),
    "a player's name of 65 characters": lambda: Log(table()).replace("a", "x" * 65),
    "a player's account of one character too many": lambda: Log(table()).replace(
        "a", "p_c", "x" * (PERSON_ID_CHARS_MAX + 1)
    ),
    "an arbiter who hears a claim twice": lambda: heard().put(ANN, "ruling", "heard", 1),
    "an arbiter who hears the appeal against their ruling": lambda: (
        heard()
        .rule(ANN, ("stand",))
        .act("b", "ruling", "appeal", 1, "No.")
        .put(ANN, "ruling", "heard", 1)
    ),
    "an arbiter with four open claims": lambda: claims_of(ANN, ANN, ANN, ANN),
    "a second key while the game is frozen": lambda: heard(freeze=True).device("a"),
    "the same without clocks": lambda: heard(freeze=True, clock=False).device("a"),
    "time given while the game is frozen": given_while_frozen,
    "time taken by another player": lambda: gives(-1),
    "time given in the name of a ruling": lambda: gives(BANK, "credit.ruling", (("claim", 1),)),
    "time given with arguments that are none": lambda: gives(BANK, "", (1, 2)),
    "a flag left out in the middle of a ruling": taken_in_the_middle,
    "an outage twice": lambda: outages((0, 1000), (0, 1000)),
    "a request to go back to a second key": lambda: (log := Log(table()).device("a")).asks_back(
        "a", log.last
    ),
    "a request to go back to a claim": lambda: (log := claims_of(ANN)).asks_back("a", log.last),
    "a ruling that goes back to a hearing": lambda: (log := heard()).rule(ANN, ("back", log.last)),
    "a ruling that goes back to the nonce of a seat": lambda: heard().rule(ANN, ("back", 4)),
    "a command after which its seat is asked what it has answered": lambda: Log(table()).command(
        "a", asked_on=True
    ),
    "a question that is kept with another key": lambda: (
        Log(table()).command("a").command("b", id=b"\7" * 16, kept="prompt.other")
    ),
    "an id of 33 bytes": lambda: Log(table()).command("a", id=b"\6" * 33),
    "a claim about itself": lambda: (log := Log(table())).act(
        "b", "ruling", "claim", 1, "b", log.last + 1, "9.2", "Wrong."
    ),
    "a pause to the moment of its record": lambda: paused(1000),
    "a correction of 513 picks": lambda: corrects(513),
    "a ruling that gives no time": lambda: heard().rule(ANN, ("time", "a", 0)),
    "a ruling that gives more than 400 days": lambda: heard().rule(
        ANN, ("time", "a", 400 * DAY + 1)
    ),
    "a ruling that takes more than 400 days": lambda: heard().rule(
        ANN, ("time", "b", -400 * DAY - 1)
    ),
    "no id": lambda: Log(table()).command("a", id=b""),
    "513 picks": lambda: Log(table()).command("a", picks=("pass",) * 513),
    "a die that shows one more than it has sides": lambda: Log(table()).rolls(6, 6),
    "a die without sides": lambda: Log(table()).rolls(0, 0),
    "a die that shows less than its least": lambda: Log(table()).rolls(6, -1),
    "a die of too many sides": lambda: Log(table()).rolls(2**32 + 1, 0),
    "an outage before the newest record": lambda: outages((-1, 1000)),
}
"""What does not stand: the last record is the one to be named."""


def respelt(log: Log, seq: int, old: bytes, new: bytes) -> list[Record]:
    """The records up to `seq`, of which this one is spelt otherwise and means the same."""
    *before, last = log.records[: seq + 1]
    assert last.data.count(old) == 1
    data = last.data.replace(old, new)
    return [*before, replace(last, data=data, hash=records.hash_of(data))]


def _claimed() -> Log:
    return Log(table()).put(ANN, "ruling", "claim", 1, "", 5, "9.2", "\ufeffWrong.")


_OPTIONS: Final = canon.pack({"epoch_turns": 100, "turns": 10})
SPELT: Final[dict[str, Callable[[], list[Record]]]] = {
    "a text with a longer head": lambda: respelt(
        log := _claimed(), log.last, b"\xa39.2", b"\xd9\x039.2"
    ),
    "a surrogate in a claim": lambda: respelt(
        log := _claimed(), log.last, "\ufeff".encode(), b"\xed\xbb\xbf"
    ),
    "a number in a longer form": lambda: respelt(
        log := _claimed(), log.last, b"\xa0\x05\xa3", b"\xa0\xcc\x05\xa3"
    ),
    "a map with a key twice": lambda: respelt(
        Log(table()), 0, _OPTIONS, b"\x83" + _OPTIONS[1:] + canon.pack("turns") + b"\x0a"
    ),
    "a map whose keys do not ascend": lambda: respelt(
        Log(table()),
        0,
        _OPTIONS,
        b"\x82" + canon.pack("turns") + b"\x0a" + canon.pack("epoch_turns") + b"\x64",
    ),
}
"""Records that are not canonical, the last of each list, with all hashes and signatures right."""
