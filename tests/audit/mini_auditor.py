"""A small auditor written from the pages of `protocol/` alone: nothing of this repository is
imported but its own modules beside it (values, forms, signatures, files, seals, seats, draws,
clocks and claims), only hashing, checksums and msgpack. Each can be read beside those pages.

It checks the evidence of a file (what that page lists under "What an auditor checks", 1 to 10), and
stops at the first thing that is wrong. It exists to prove that the page suffices; `warledger audit`
is the auditor to use. `mini_verdict` says what it makes of a file as a whole.
"""

from typing import Any, ClassVar

from tests.audit.mini_clocks import Clocks, control_is_one
from tests.audit.mini_docket import Case, Docket, arbiter_is_one, desk_is_one
from tests.audit.mini_draws import Draws
from tests.audit.mini_files import HEAD, OPENINGS, RECORD, SECRETS, WITNESS, File
from tests.audit.mini_forms import OPENING, array, check_form, data, each, is_head, text
from tests.audit.mini_seals import seals
from tests.audit.mini_seats import Seats
from tests.audit.mini_signatures import signed_by
from tests.audit.mini_values import NotRead, Seal, Unsound, is_number, need, pack, sha, unpack

PRIVATE = each(array(*[lambda value, n=n: True for n in range(4)], each(text())))
WITNESS_FORM = array(text(), data(0, 32), is_number, data(32), data(0, 64))


class Auditor(Seats, Draws):
    """One file, record by record."""

    def run(self, bytes_of_file: bytes, key: bytes | None = None) -> "Auditor":
        """Check everything. Raises Unsound, which names the record. `key` is the server's, from
        elsewhere."""
        file = File(bytes_of_file)
        heads: list[tuple[int, bytes]] = []
        witnesses: list[tuple[int, bytes]] = []
        for kind, payload, _ in file.frames:
            at = len(self.records) - (kind != RECORD)
            with_seq(at, self.frame, kind, payload, at, heads, witnesses)
        need(bool(self.records), "no records")
        self.known_draws()
        self.promises()
        need(key is None or key in [one for _, one in self.server_keys], "another key", 0)
        self.key = key
        for at, payload in heads:
            with_seq(at, self.head, payload)
        for at, payload in witnesses:
            with_seq(at, self.witness, at, payload)
        file.check_end()
        return self

    def frame(
        self,
        kind: int,
        payload: bytes,
        at: int,
        heads: list[tuple[int, bytes]],
        witnesses: list[tuple[int, bytes]],
    ) -> None:
        """One more frame. What may name any record waits until all have been read."""
        if kind == RECORD:
            self.record(payload)
        elif kind == OPENINGS:
            self.private(payload, at)
        elif kind == HEAD:
            heads.append((at, payload))
        elif kind == SECRETS:
            with_seq(0, self.secrets_frame, payload)
        elif kind == WITNESS:
            witnesses.append((at, payload))

    def private(self, payload: bytes, at: int) -> None:
        """The private openings beside a record."""
        value = unpack(payload)
        need(PRIVATE(value) and all(OPENING(one[:4]) for one in value), "form of openings")
        for seq, path, salt, shown, readers in value:
            need(seq == at and all(one in self.seats for one in readers), "stray opening")
            self.open(seq, path, salt, shown)
            body, what = self.records[seq][0][4], self.records[seq][0][3]
            if (what, path) in (("command", [2]), ("orders", [1])):
                need(readers == [body[1] if what == "command" else body[0]], "readers")

    def head(self, payload: bytes) -> None:
        """A signed head."""
        value = unpack(payload)
        need(is_head(value), "form of a head")
        game, seq, digest, signature = value
        message = b"warledger/head/1" + pack([game, seq, digest])
        until = [since for since, _ in self.server_keys[1:]]
        good = [
            one
            for index, (_, one) in enumerate(self.server_keys)
            if index == len(until) or until[index] > seq
        ]
        signer = next((one for one in good if signed_by(one, message, signature)), None)
        need(signer is not None, "signature", seq)
        need(game == self.game, "head of another game", seq)
        need(seq < len(self.records), "head of a record that is not there", seq)
        need(self.records[seq][1] == digest, "head of another record", seq)
        keys = [one for _, one in self.server_keys]
        if self.key is None or keys.index(signer) >= keys.index(self.key):
            self.vouched = max(self.vouched, seq)

    def witness(self, at: int, payload: bytes) -> None:
        """A seat's signature of the last record."""
        value = unpack(payload)
        need(WITNESS_FORM(value), "form of a witness")
        seat, key, seq, digest, signature = value
        last = self.records[-1]
        message = b"warledger/witness/2" + pack([self.genesis_hash, seq, digest])
        need(
            self.whole and at == seq == len(self.records) - 1 and digest == last[1],
            "witness",
        )
        need(bool(key) and seat in self.seated and key in self.seated[seat].keys, "witness's key")
        need(signed_by(key, message, signature), "witness's signature")
        self.witnesses.append(seat)

    def record(self, data: bytes) -> None:
        """One more record."""
        value = unpack(data)
        need(isinstance(value, list) and len(value) == 6, "form of a record")
        seq, at_ms, actor, kind, body, previous = value
        need(is_number(seq) and is_number(at_ms), "form of a record")
        need(isinstance(actor, str) or arbiter_is_one(actor), "actor")
        actor = actor if isinstance(actor, str) else tuple(actor)
        last = self.records[-1] if self.records else ([-1, 0], bytes(32))
        need(seq == len(self.records) and at_ms >= last[0][1] and previous == last[1], "chain")
        need(isinstance(kind, str) and kind in self.KINDS, "kind")
        need((kind == "genesis") == (seq == 0), "kind")
        need(not self.whole, "after the last record")
        need(not self.ended or kind == "reveal", "after the end")
        check_form(kind, body, actor in self.seats)
        need(not self.owed or kind == "open", "a link that is not opened")
        held = self.over and self.docket.protest > 0
        need(not self.over or held or kind in ("open", "end"), "nobody is asked")
        need(not self.waived_now or kind == "end", "every seat has waived a protest")
        self.waived_now = False
        must, self.must = self.must, None
        need(
            must is None or (kind == must[0] and body[: len(must[1])] == must[1]),
            "what must follow",
        )
        self.caused = must is not None
        self.records.append((value, sha(data)))
        if seq:
            ruled_end = self.docket.due and self.docket.must()[0] == "end"
            need(self.docket.follows(actor, kind, body), "what a ruling asks for")
            self.caused = self.caused or bool(ruled_end)
        pausing, self.pausing = self.pausing, None
        need((pausing is not None) == (kind == "clock" and body[0] == "pause"), "pause")
        need(pausing is None or body[2] == pausing, "end of a pause")
        if seq and self.docket.frozen and kind == "seat":
            need(body[0] == "replaced", "a frozen game")
        elif seq and self.docket.frozen and actor in self.seats:
            need(kind in ("ruling", "end"), "a frozen game")
        if held and kind in ("ask", "takeback"):
            need(kind == "takeback" and body[0] == "", "a request after the game is over")
        if held and kind == "end":
            need(self.caused or self.docket.no_protest(at_ms), "an end that is still held")
        self.seals.update({(seq, path): found for path, found in seals(kind, body).items()})
        self.KINDS[kind](self, seq, actor, body)
        self.settled(seq, at_ms, actor, kind, body)

    def settled(self, seq: int, at_ms: int, actor: Any, kind: str, body: Any) -> None:
        """What follows from a record for those behind it."""
        self.flagged = False
        if seq and kind == "command":
            self.docket.over = at_ms if self.over else 0
        elif kind == "takeback":
            self.docket.over, self.over = 0, False
            self.docket.waived = set()
        elif kind == "ruling":
            self.waived_now = bool(self.over and self.docket.all_waived and self.docket.settled)
        if kind == "seat" and body[0] in ("taken", "replaced") and body[2]:
            self.docket.players.append(body[2])
        if seq and self.clocks is not None:
            told = unpack(body[7]) if kind == "command" else []
            opened = sum(effect[:2] == ["open", "turn"] for effect in told)
            wrong = self.clocks.take(at_ms, actor, kind, body, opened)
            need(not wrong, wrong)
            due = [one for one in self.clocks.seats.values() if one.deadline is not None]
            if kind == "clock" and body[0] == "flag":
                over = self.clocks.over()
                if self.clocks.control.get("fall") == "freeze":
                    self.docket.cases[0] = Case("server")
                    self.docket.cases[0].frozen = True
                if over and not any(one.deadline == body[2] for one in due):
                    self.must = ("end", over)
            if kind == "clock" and body[0] in ("flag", "credit") and actor == "server":
                self.flagged = any(one.deadline <= at_ms for one in due)
        if kind in ("command", "takeback") or (kind == "ruling" and body[0] == "corrected"):
            self.stood = seq
            self.targets.add(seq)
        self.seq_of[self.records[-1][1]] = seq
        asked = [(name, key) for name, (_, key) in self.awaits.items()]
        self.after[seq] = (self.undo, asked, self.depth, self.closed)

    def genesis(self, seq: int, actor: str, body: Any) -> None:
        """Record 0."""
        need(actor == "server", "actor of the genesis")
        self.game, self.seats = body[1], body[6]
        need(len(set(self.seats)) == len(self.seats), "seats")
        need(sha(body[7]) == body[8], "pack")
        self.link, self.hidden_commitment, self.salt_commitment, key = body[9:13]
        self.chain = self.link
        self.terms = body[13]
        need(
            all(self.terms.get(term, True) is True for term in ("unsigned_seats", "self_play")),
            "terms",
        )
        delay = self.terms.get("delay")
        need(
            isinstance(delay, list)
            and len(delay) == 2
            and all(type(one) is int for one in delay)
            and 0 <= delay[0] <= 86_400
            and 0 <= delay[1] <= 64
            and type(self.terms.get("rated")) is bool,
            "delay and rated",
        )
        if "clock" in self.terms:
            control = self.terms["clock"]
            need(control_is_one(control, self.seats), "control of clocks")
            self.clocks = Clocks(control, self.seats)
        desk = self.terms.get("desk")
        need("desk" not in self.terms or desk_is_one(desk), "desk")
        protest = self.terms.get("protest_ms", 0)
        need(type(protest) is int and 0 <= protest <= 400 * 86_400_000, "time for a protest")
        self.docket = Docket(desk, self.seats, protest)
        if self.clocks is not None:
            self.clocks.at_once = self.docket.rules.get("stop") == "claim"
        self.server_keys = [(0, key)]
        self.owners = {key: "server"}
        self.genesis_hash = self.records[0][1]

    def command(self, seq: int, actor: str, body: Any) -> None:
        """A command."""
        decision, seat, picks, _, _, draws, _, blob, opened, flow, awaits = body[:11]
        if not self.began:
            need(actor == "server" and len(self.nonces) == len(self.seats), "beginning")
            begin = [0, "", [["begin"], b""], b"", []]
            need(body[:5] == begin and body[11] == b"", "beginning")
            self.began = True
        else:
            need(actor == seat and self.awaits.get(seat, (0, ""))[0] == decision, "not asked")
            self.who_commanded(seq, actor, body)
        here = [path for at, path in self.seals if at == seq]
        learnt = False
        for index, effect in enumerate(unpack(blob)):
            if effect[0] == "veil":
                self.veils.add((seq, (7, index, 1)))
                learnt = learnt or not isinstance(picks, Seal)
            learnt = learnt or effect == ["learn", seat]
        need(
            not draws or all(name == seat for name in self.awaits),
            "drawn while another seat is asked",
        )
        closed = sum(effect == ["close", "turn"] for effect in unpack(blob))
        self.closed += closed
        self.owed = max(0, self.closed - self.closed_most)
        self.closed_most += self.owed
        self.turns += bool(closed)
        for index, (epoch, counter, purpose, what) in enumerate(draws):
            need(counter == self.counter, "counter")
            self.counter += 1
            if epoch == 0:
                self.hidden_draws.append((seq, index, counter, purpose))
            else:
                self.result_of(seq, what)
                need(max(self.epoch, self.drawn_to) <= epoch <= self.epoch + self.owed, "epoch")
                self.drawn_to = epoch
                self.draws.setdefault(epoch, []).append((seq, counter, purpose, *what))
        for item in opened:
            self.open(*item)
            self.public.add((item[0], tuple(item[1])))
        for name, asked, key in awaits:
            need(asked == seq or self.awaits.get(name) == (asked, key), "awaits")
            need(asked == seq or name != seat, "a question that was answered")
        names = [name for name, *_ in awaits]
        need(names == [name for name in self.seats if name in names], "order of awaits")
        need(flow[0] <= self.depth, "flow")
        self.depth = flow[0] + len(flow[1])
        self.awaits = {name: (asked, key) for name, asked, key in awaits}
        self.over = not awaits
        news = bool(draws or opened or learnt or self.owed) or (
            not isinstance(picks, Seal) and any(path[0] == 6 for path in here)
        )
        undo, owner = self.undo
        if news or not seat:
            self.undo = ([], "")
        else:
            self.undo = ([*undo, self.stood] if owner == seat else [self.stood], seat)
        self.ask, self.moved = None, seq

    def takeback(self, seq: int, actor: str, body: Any) -> None:
        """A takeback, free or consented to."""
        seat, to, _, awaits = body[:4]
        need(to in self.targets, "a record to go back to")
        free = self.undo[1] == seat and to in self.undo[0]
        asked = (
            self.ask is not None
            and self.ask[:3] == [seat, "takeback", to]
            and len(self.ask[-1]) == len(self.seats) - 1
        )
        ask, by = body[4:]
        need(
            body[2] == pack([["rewind", to], ["await", [name for name, *_ in awaits]]]),
            "effects of a takeback",
        )
        if seat == "":
            need(bool(self.after[to][1]), "a record to go back to")
            free = False
        elif ask == 0:
            need(free and actor == seat, "takeback")
            self.act(seat, "ask", by, ["takeback", to], since=self.moved)
        else:
            need(asked and by == [] and actor == "server" and self.ask[3] == ask, "consent")
            free = False
        undo, asked_then, depth, self.closed = self.after[to]
        need(awaits == [[name, seq, key] for name, key in asked_then], "awaits of a takeback")
        self.awaits, self.depth = {name: (seq, key) for name, key in asked_then}, depth
        self.undo = undo if free and undo[1] in ("", seat) else ([], "")
        self.ask, self.moved = None, seq

    def asked(self, seq: int, actor: str, body: Any) -> None:
        """A request; a resignation waits for nobody."""
        seat, what, to, by = body
        need(actor == seat and seat in self.seats and self.began, "request")
        timed = what in ("pause", "adjourn", "flag")
        need(not timed or self.clocks is not None, "no clocks")
        self.act(seat, "ask", by, [what, to], since=self.moved)
        need(what in ("takeback", "pause", "adjourn") or to == 0, "record to go back to")
        if what == "flag":
            fallen = [name for name, one in self.clocks.seats.items() if one.fallen]
            need(bool(fallen) and self.clocks.control.get("fall") == "claim", "nobody fell")
            self.must = ("end", self.clocks.lost(fallen[0]))
        elif what == "resign":
            others = [other for other in self.seats if other != seat]
            self.must = (
                "end",
                [others[0] if len(others) == 1 else None, "outcome.resigned", [["seat", seat]]],
            )
        else:
            need(self.ask is None, "two requests")
            if what == "takeback":
                need(to in self.targets, "a record that nobody goes back to")
                need(seat in dict(self.after[to][1]), "nobody can go back there")
                need(
                    not (self.undo[1] == seat and to in self.undo[0]), "a request for what is free"
                )
            self.ask = [seat, what, to, seq, []]

    def clock(self, seq: int, actor: str, body: Any) -> None:
        """Who wrote what is told of time; what it says is for the clocks."""
        need(self.clocks is not None, "no clocks")
        if body[0] in ("flag", "pause", "outage") or (body[0] == "credit" and len(body) == 5):
            need(actor == "server", "actor of a record of time")
            return
        need(body[1] in self.seats and actor in self.seats, "seat")
        need(body[0] == "credit" or actor == body[1], "actor of a record of time")
        self.act(actor, "clock", body[-1], body[:-1])

    def ruling(self, seq: int, actor: str, body: Any) -> None:
        """Claims, and what arbiters write."""
        need(self.began, "a ruling before play")
        if actor in self.seats:
            signs = body[0] in ("claim", "said", "appeal", "withdrawn", "waived")
            need(signs, "a seat that rules")
            since = body[3] if body[0] == "claim" else 0
            self.act(actor, "ruling", body[-1], body[:-1], since=since)
        else:
            need(body[0] != "waived", "a waiver of nobody")
        fallen: list[str] = []
        if self.clocks is not None:
            fallen = [name for name, one in self.clocks.seats.items() if one.fallen]
        wrong = self.docket.take(seq, self.records[-1][0][1], actor, body, fallen)
        need(not wrong, wrong)
        if body[0] == "ruled":
            backs = [remedy[1] for remedy in body[5] if remedy[0] == "back"]
            need(set(backs) <= self.targets, "a record to go back to")
        if body[0] == "corrected":
            self.undo, self.ask, self.moved = ([], ""), None, seq

    def opened(self, seq: int, actor: str, body: Any) -> None:
        """The link of an epoch that ended."""
        need(actor == "server" and self.owed > 0, "a link opened early")
        self.owed -= 1
        self.opened_link(*body)

    def answer(self, seq: int, actor: str, body: Any) -> None:
        """An answer to a request."""
        seat, consents, ask, by = body
        need(self.ask is not None and actor == seat and seat in self.seats, "answer")
        need(seat != self.ask[0] and seat not in self.ask[4], "answer")
        need(ask == self.ask[3], "another request")
        self.act(seat, "answer", by, [ask, consents], since=ask)
        if not consents:
            self.ask = None
            return
        self.ask[4].append(seat)
        if len(self.ask[4]) == len(self.seats) - 1 and self.ask[1] in ("pause", "adjourn"):
            self.pausing, self.ask = self.ask[2], None
        elif len(self.ask[4]) == len(self.seats) - 1:
            agreed = [None, "outcome.draw_agreed", []]
            self.must = (
                ("end", agreed)
                if self.ask[1] == "draw"
                else ("takeback", [self.ask[0], self.ask[2]])
            )

    def end(self, seq: int, actor: str, body: Any) -> None:
        """The end; openings follow."""
        winner, reason, arguments, links, hidden, salts, _, scores, by = body
        caused = self.must_have_been(reason)
        self.result(actor, winner, reason, arguments)
        need(by == caused, "what ended the game")
        seats = [seat for seat, _ in scores]
        need(
            seats == [seat for seat in self.seats if seat in seats] and (self.began or not seats),
            "scores",
        )
        self.secrets(links, hidden, salts)
        self.left = sorted(set(self.seals) - self.public, reverse=True)

    def must_have_been(self, reason: str) -> str:
        """What ended a game, by what stands before its end."""
        if not self.began:
            return "expired"
        if not self.caused:
            return "rules"
        if reason in ("outcome.forfeited", "outcome.draw_ruled"):
            return "ruling"
        if reason == "outcome.adjudicated":
            return "adjudicated"
        if reason in ("outcome.flag", "outcome.flags"):
            return "flag"
        return "resign" if reason == "outcome.resigned" else "draw"

    def reveal(self, seq: int, actor: str, body: Any) -> None:
        """After the end: what was hidden, in order, each once."""
        openings, last = body
        need(self.ended and actor == "server", "openings")
        need(last or bool(openings), "no openings")
        for item in openings:
            need(
                bool(self.left) and self.left.pop() == (item[0], tuple(item[1])),
                "order of openings",
            )
            self.open(*item)
            self.public.add((item[0], tuple(item[1])))
        if last:
            self.all_open()

    def result(self, actor: str, winner: Any, reason: Any, arguments: Any) -> None:
        """Who won, and why."""
        need(actor == "server" and (winner is None or winner in self.seats), "end")
        if not self.began:
            silent = [seat for seat in self.seats if seat not in self.nonces]
            lapsed = len(self.seated) == len(self.seats)
            expected = (
                [None, "outcome.lapsed", [["seats", silent]]]
                if lapsed
                else [None, "outcome.expired", []]
            )
            need([winner, reason, arguments] == expected, "cause of the end")
        elif not self.caused:
            by_rules = self.over and reason not in (
                "outcome.resigned",
                "outcome.draw_agreed",
                "outcome.expired",
                "outcome.lapsed",
                "outcome.flag",
                "outcome.flags",
                "outcome.forfeited",
                "outcome.draw_ruled",
                "outcome.adjudicated",
            )
            need(by_rules, "cause of the end")

    KINDS: ClassVar[dict[str, Any]] = {
        "genesis": genesis,
        "seat": Seats.seat,
        "command": command,
        "ask": asked,
        "answer": answer,
        "takeback": takeback,
        "open": opened,
        "end": end,
        "reveal": reveal,
        "orders": Seats.orders,
        "rotate": Seats.rotate,
        "clock": clock,
        "ruling": ruling,
    }


def with_seq(seq: int, check: Any, *given: Any) -> None:
    """Check something of a record; what is wrong is of that record, unless it names another."""
    try:
        check(*given)
    except Unsound as wrong:
        if wrong.seq is None:
            wrong.seq = seq
        raise


def audit(data: bytes, key: bytes | None = None) -> Auditor:
    """Audit a file. Raises Unsound, or NotRead for one of another format."""
    return Auditor().run(data, key)


__all__ = ["Auditor", "NotRead", "Unsound", "audit", "signed_by", "unpack"]
