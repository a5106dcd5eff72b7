"""A game goes on as a stranger writes it: commands, requests, keys, clocks, claims and ends, each
mostly as the pages allow it where the game stands. Where it stands is asked of the small auditor;
whether what is written may stand is for all judges to say.
"""

import random
from collections.abc import Callable
from typing import Any, Final

from tests.audit import mini_auditor
from tests.audit.mini_values import NotRead, Unsound
from tests.audit.odd.follows import (
    Index,
    Link,
    NonceHash,
    Number,
    OrdersDigest,
    Packed,
    PicksDigest,
    Proof,
    Roster,
    Rotation,
    Sealed,
    by,
    opening,
    record,
)
from tests.audit.odd.log import Frame, Log, Making
from tests.audit.odd.quick import quick
from tests.audit.odd.values import DAY, odd_text

ANN, BOB = ["id.Ann", "Ann"], ["id.Bob", "Bob"]
KEYS: Final = ("prompt.counting.act", "prompt.other", "k")
PICKS: Final = (["pass"], ["add", 1], ["hide", "x"], ["show"], [""], [0], ["a"] * 512, ["a"] * 513)


def guide(log: Log) -> tuple[Any, dict[int, Any]]:
    """The small auditor behind the last record, None where it has an objection; and the place of
    each seal."""
    frames, sealed, later = log.frames, log.sealed, log.bytes_later
    log.sealed, log.bytes_later = True, []
    try:
        with quick():
            making = Making(log)
            return mini_auditor.Auditor().run(making.file()), making.places
    except (NotRead, Unsound):
        return None, {}
    finally:
        log.frames, log.sealed, log.bytes_later = frames, sealed, later


class Next:
    """What may come next in a game."""

    def __init__(self, rng: random.Random, log: Log, at: Any, places: dict[int, Any]) -> None:
        self.rng, self.log, self.at, self.places = rng, log, at, places
        self.frames = log.records()
        self.seats: list[str] = list(at.seats)
        self.gap = rng.choice((0, 0, 0, 1, 1000))

    # --- parts ------------------------------------------------------------------------------------

    def seat(self) -> str:
        """Some seat."""
        return self.rng.choice(self.seats)

    def key(self, seat: str) -> bytes:
        """A key of a seat in force."""
        sitting = self.at.seated.get(seat)
        return self.rng.choice(list(sitting.keys)) if sitting else self.log.key(seat)

    def number(self, seq: int) -> Any:
        """A record's number."""
        return Number(self.frames[seq]) if 0 < seq < len(self.frames) else seq

    def by(self, seat: str) -> list[Any]:
        """A seat's signature: it has mostly seen everything."""
        if self.rng.random() < 0.1:
            return by(self.key(seat), self.rng.choice(self.frames))
        return by(self.key(seat))

    def record(self, actor: Any, kind: str, *body: Any) -> Frame:
        """A record."""
        return record(actor, kind, *body, gap=self.gap)

    def secret(self) -> Sealed:
        """A sealed value."""
        inner = self.rng.choice(
            ("word", 5, [6, 2], [["put", "p", "x", "f", "o"]], [["say", "k", [], ""]])
        )
        return Sealed(inner)

    def awaits(self, seat: str) -> list[Any]:
        """Who is asked behind a command of a seat."""
        rng, asked = self.rng, []
        for other in self.seats:
            now = self.at.awaits.get(other)
            if now and other != seat and rng.random() < 0.7:
                asked.append([other, self.number(now[0]), now[1]])
            elif rng.random() < 0.6:
                asked.append([other, Number(), rng.choice(KEYS)])
        if rng.random() < 0.05:
            asked = rng.choice((asked[::-1], asked * 2, [*asked, ["", Number(), "k"]]))
        return asked

    def effects(self, seat: str) -> Packed:
        """What a command does on the board."""
        rng = self.rng
        some: list[Any] = [
            *(["close", "turn"], ["open", "turn", "k", []], ["learn", seat], ["learn", "x"]),
            *(["put", "p", "x", "f", "o"], ["veil", self.secret()], ["mark", "x", "m", 1]),
            *(["close", "turn", 1], ["learn"], ["learn", seat, 1], ["odd"], ["await", []]),
            *(["put", self.secret(), "x", "f", "o"], ["open", "turn"], ["close"]),
        ]
        weights = [6, 4, 3, 1, 3, 4, 2, 1, 1, 1, 1, 1, 2, 1, 1]
        return Packed(rng.choices(some, weights, k=rng.choice((0, 0, 1, 1, 2, 3))))

    def draws(self, closes: int) -> list[Any]:
        """What a command draws."""
        rng, counter, drawn = self.rng, self.at.counter, []
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            epoch = rng.choice((self.at.epoch, self.at.epoch, self.at.epoch + 1, 0, 0))
            sides = rng.choice((6, 6, 1, 2**32, 2**32 + 1, 0))
            draw: list[Any] = [epoch, counter, rng.choice(("fortune", "", "x:1")), None]
            result = [sides, None]
            result[1] = Index(draw, result, 0)
            draw[3] = Sealed(result) if epoch == 0 else result
            drawn.append(draw)
            counter += 1
        return drawn

    # --- what seats do ----------------------------------------------------------------------------

    def command(self) -> Frame:
        """A command of a seat that is asked."""
        rng = self.rng
        asked = list(self.at.awaits) or self.seats
        seat = rng.choice(asked) if rng.random() < 0.95 else self.seat()
        decision, _ = self.at.awaits.get(seat, (len(self.frames) - 1, ""))
        effects = self.effects(seat)
        closes = sum(one[:2] == ["close", "turn"] for one in effects.inner)
        picks: Any = [rng.choice(PICKS[:4]) if rng.random() < 0.9 else rng.choice(PICKS)]
        picks.append(rng.randbytes(32))
        if rng.random() < 0.3:
            picks = Sealed(picks)
        events = [["e", rng.choice((1, "x", self.secret()))] for _ in range(rng.choice((0, 1)))]
        opened = []
        if rng.random() < 0.2:
            opened = [opening(one) for one in rng.sample(self.closed(), min(1, len(self.closed())))]
        flow = [rng.choice((self.at.depth, 0, self.at.depth, self.at.depth + 1)), []]
        flow[1] += [["step", [], 0]] * rng.choice((0, 0, 1))
        by, id, digest = self.by(seat), rng.randbytes(16), PicksDigest()
        sitting = self.at.seated.get(seat)
        if sitting and sitting.orders and rng.random() < 0.6:
            place = self.number(sitting.orders)
            by, id, digest = [place, rng.choice((0, 0, 1)), rng.choice((0, 0, 1))], b"", b""
            given = self.frames[sitting.orders].body[1].inner
            told = given[0][0][1][0] if given and given[0] else ["pass"]
            picks = [told, b""]
        head = [self.number(decision), seat, picks, id, by, self.draws(closes), events]
        return self.record(seat, "command", *head, effects, opened, flow, self.awaits(seat), digest)

    def closed(self) -> list[Sealed]:
        """The seals that are not open to everybody."""
        found: list[Sealed] = []
        for frame in self.frames:
            found += _sealed(frame.tree)
        return [one for one in found if self.places.get(id(one)) not in self.at.public]

    def ask(self) -> Frame:
        """A request."""
        rng, seat = self.rng, self.seat()
        what = rng.choice(("takeback", "takeback", "draw", "resign", "pause", "adjourn", "flag"))
        to: Any = 0
        if what == "takeback":
            to = self.number(rng.choice(sorted(self.at.targets)[-5:] or [0]))
        elif what in ("pause", "adjourn"):
            to = rng.choice((0, 1, 10**15, 2**53 - 1))
        return self.record(seat, "ask", seat, what, to, self.by(seat))

    def answer(self) -> Frame:
        """An answer to what was asked."""
        rng, ask = self.rng, self.at.ask
        others = [seat for seat in self.seats if not ask or seat != ask[0]] or self.seats
        seat = rng.choice(others)
        number = self.number(ask[3] if ask else 0)
        return self.record(seat, "answer", seat, rng.random() < 0.8, number, self.by(seat))

    def takeback(self) -> Frame:
        """A takeback: a free one, if there is one."""
        rng, (list_, owner) = self.rng, self.at.undo
        targets = list_ if owner and rng.random() < 0.9 else sorted(self.at.targets)
        to = rng.choice(targets or [1])
        seat = owner or self.seat()
        body = self.back(seat, to)
        return self.record(seat, "takeback", *body, 0, self.by(seat))

    def back(self, seat: str, to: int) -> list[Any]:
        """The first fields of a takeback."""
        asked = self.at.after[to][1] if to in self.at.after else []
        number = self.number(to)
        told = Packed([["rewind", number], ["await", [name for name, _ in asked]]])
        return [seat, number, told, [[name, Number(), key] for name, key in asked]]

    def orders(self) -> Frame:
        """Standing answers."""
        rng, seat = self.rng, self.seat()
        keys = [key for _, key in self.at.awaits.values()] or list(KEYS)
        entry = [rng.choice(keys), [rng.choice(PICKS[:4])], rng.choice(("turn", "game"))]
        entries = rng.choice(([entry], [entry], [], [entry, entry], [[*entry[:2], "x"]]))
        sealed = Sealed([entries, rng.randbytes(rng.choice((32, 32, 32, 31)))])
        return self.record(seat, "orders", seat, sealed, OrdersDigest(), self.by(seat))

    def keys(self) -> Frame:
        """A key comes or goes, or another player."""
        rng, seat = self.rng, self.seat()
        kind = rng.randrange(5)
        new = self.log.key(rng.choice((f"new {len(self.frames)}", "again")))
        if kind == 0:
            return self.record(seat, "seat", "device", seat, new, Proof(), self.by(seat))
        if kind == 1:
            return self.record(seat, "seat", "revoked", seat, self.key(seat), self.by(seat))
        if kind == 2:
            return self.record("server", "rotate", new, Rotation(self.at.server_keys[-1][1]))
        name = rng.choice(("Cid", "bot", odd_text(rng)))
        key = rng.choice((new, new, new, b""))
        handed = rng.choice(([], self.by(seat)))
        account = rng.choice(("", "id.Cid", "id.Ann"))
        body = ["replaced", seat, account, name, "c", by(key), handed]
        return self.record(seat, "seat", *body)

    def sits(self) -> Frame:
        """Somebody sits down, or shows a nonce."""
        rng, seat = self.rng, self.seat()
        free = [one for one in self.seats if one not in self.at.seated]
        if free and rng.random() < 0.9:
            seat = rng.choice(free)
            key = rng.choice((self.log.key(seat), self.log.key(seat), b""))
            self.log.nonces.setdefault(seat, rng.randbytes(32))
            body = ["taken", seat, "", odd_text(rng) or "n", NonceHash(), "c", by(key)]
            return self.record(seat, "seat", *body)
        hidden = [one for one in self.seats if one not in self.at.nonces] or self.seats
        seat = rng.choice(hidden)
        nonce = self.log.nonces.get(seat, bytes(32))
        return self.record(seat, "seat", "nonce", seat, nonce, Roster(), self.by(seat))

    # --- clocks and claims ------------------------------------------------------------------------

    def clock(self) -> Frame:
        """Something about the clocks."""
        rng, seat, clocks = self.rng, self.seat(), self.at.clocks
        now = self.frames_time()
        if clocks is not None and rng.random() < 0.5:
            known = {n: one.deadline for n, one in clocks.seats.items() if one.deadline is not None}
            if known:
                first = min(known.values())
                seat = rng.choice([name for name, at in known.items() if at == first])
                self.gap = max(first - now, 0) + rng.choice((0, 0, 0, 1, -1, 1000))
                left = clocks.left(clocks.seats[seat], now + self.gap)
                return self.record("server", "clock", "flag", seat, first, left)
        word = rng.choice(("resume", "credit", "credit", "outage", "leave", "night", "pause"))
        ms = rng.choice((1, 1000, 600_000, 10**6, -1, 0, 400 * DAY, 400 * DAY + 1, DAY))
        if word == "resume":
            return self.record(seat, "clock", word, seat, self.by(seat))
        if word == "credit":
            fallen = [n for n, one in clocks.seats.items() if one.fallen] if clocks else []
            to = rng.choice(fallen or self.seats)
            giver = rng.choice([one for one in self.seats if one != to] or self.seats)
            return self.record(giver, "clock", word, to, ms, "", [], self.by(giver))
        if word == "outage":
            before, self.gap = now, rng.choice((0, 1, 1000, DAY))
            begins = before + rng.choice((0, 0, 0, -1, 1))
            ends = now + self.gap + rng.choice((0, 0, 0, 1, -1))
            return self.record("server", "clock", word, begins, ends)
        if word == "leave":
            begins = now + self.gap + rng.choice((0, 0, 1, -1, DAY))
            ends = begins + rng.choice((DAY, 1, 0, 2 * DAY, 2 * DAY + 1))
            return self.record(seat, "clock", word, seat, begins, ends, self.by(seat))
        if word == "night":
            start, length = rng.choice((0, 1439, 1440, 720)), rng.choice((0, 60, 480, 600, 601))
            return self.record(seat, "clock", word, seat, start, length, self.by(seat))
        return self.record("server", "clock", word, list(self.seats), 0)

    def frames_time(self) -> int:
        """The time of the last record."""
        return int(self.at.records[-1][0][1])

    def ruling(self) -> Frame:
        """A claim, or what is said or done about one."""
        rng, seat, docket = self.rng, self.seat(), self.at.docket
        n = rng.choice(sorted(docket.cases) or [1])
        case = docket.cases.get(n)
        judge = list(case.arbiter) if case and case.arbiter and rng.random() < 0.8 else ANN
        judge = judge if rng.random() < 0.9 else rng.choice((BOB, ["id.Ann", "Other"], "server"))
        if not docket.cases or rng.random() < 0.15:
            n = len([one for one in docket.cases if one]) + 1
            at = self.number(rng.randrange(len(self.frames)))
            if rng.random() < 0.7:
                return self.record(seat, "ruling", "claim", n, seat, at, "9", "t", self.by(seat))
            return self.record(judge, "ruling", "claim", n, "", at, "9", "t")
        word = rng.choice(
            (
                *("heard", "heard", "heard", "frozen", "thawed", "ruled", "ruled", "ruled"),
                *("said", "appeal", "withdrawn", "waived", "waived", "looked", "corrected"),
            )
        )
        if word in ("said", "appeal", "withdrawn", "waived") and rng.random() < 0.8:
            told = {"withdrawn": [n], "waived": [seat]}.get(word, [n, "text"])
            return self.record(seat, "ruling", word, *told, self.by(seat))
        if word == "ruled":
            finding = rng.choice(("upheld", "upheld", "rejected", "in part"))
            return self.record(judge, "ruling", word, n, finding, "9", "t", self.remedies())
        if word == "looked":
            seq = self.number(rng.randrange(len(self.frames)))
            return self.record(judge, "ruling", word, rng.choice((seat, "public")), 0, seq)
        if word == "corrected":
            return self.record(judge, "ruling", word, n, [], [], Packed([]), [])
        told = {"said": [n, "text"], "appeal": [n, "text"], "waived": [seat]}.get(word, [n])
        return self.record(judge, "ruling", word, *told)

    def remedies(self) -> list[Any]:
        """What a ruling asks for."""
        rng, seat = self.rng, self.seat()
        to = self.number(rng.choice(sorted(self.at.targets)[-4:] or [1]))
        some: list[Any] = [
            *(["stand"], ["back", to], ["time", seat, rng.choice((5, -5, -(10**9), 400 * DAY))]),
            *(["correct"], ["forfeit", seat], ["draw"], ["adjudicate", rng.choice((seat, None))]),
            *(["warn", seat], ["penalty", seat, "t"], ["replace", seat]),
        ]
        return rng.sample(some, rng.choice((1, 1, 2, 3)))

    # --- the end ----------------------------------------------------------------------------------

    def end(self) -> Frame:
        """An end, of whatever cause."""
        rng, seat = self.rng, self.seat()
        others = [one for one in self.seats if one != seat]
        won = others[0] if len(others) == 1 else None
        silent = [one for one in self.seats if one not in self.at.nonces]
        claim = ["claim", max(self.at.docket.cases, default=1)]
        winner, reason, args, cause = rng.choice(
            (
                (rng.choice((seat, None)), "outcome.points", [], "rules"),
                (won, "outcome.resigned", [["seat", seat]], "resign"),
                (None, "outcome.draw_agreed", [], "draw"),
                (None, "outcome.lapsed", [["seats", silent]], "expired"),
                (None, "outcome.expired", [], "expired"),
                (won, "outcome.flag", [["seat", seat]], "flag"),
                (None, "outcome.flags", [["seats", list(self.seats)]], "flag"),
                (won, "outcome.forfeited", [["seat", seat], claim], "ruling"),
                (None, "outcome.draw_ruled", [claim], "ruling"),
                (seat, "outcome.adjudicated", [claim], "adjudicated"),
            )
        )
        must = self.at.must
        if must and must[0] == "end" and rng.random() < 0.9:
            winner, reason, args = must[1]
            causes = {"outcome.resigned": "resign", "outcome.draw_agreed": "draw"}
            cause = causes.get(reason, "flag")
        return self.ended(winner, reason, args, cause)

    def ended(self, winner: Any, reason: str, args: Any, cause: str) -> Frame:
        """An end."""
        log, rng = self.log, self.rng
        scores = [[one, 1] for one in self.seats] if self.at.began and rng.random() < 0.5 else []
        secrets = [[[log.length, log.root]], log.hidden, log.salts]
        return self.record("server", "end", winner, reason, args, *secrets, "", scores, cause)

    def reveal(self) -> Frame:
        """What is still sealed is opened."""
        left = self.closed()
        return self.record("server", "reveal", [opening(one) for one in left], True)

    def begin(self) -> Frame:
        """The command with which play begins."""
        seats = [[seat, Number(), KEYS[0]] for seat in self.seats]
        asked = self.rng.choice((seats, seats[:1]))
        head = [0, "", [["begin"], b""], b"", [], [], []]
        told = Packed([["open", "turn", "k", []]])
        return self.record("server", "command", *head, told, [], [0, []], asked, b"")

    # --- what comes -------------------------------------------------------------------------------

    def owed(self) -> Frame | None:
        """What must follow, if the game stands so."""
        at, rng = self.at, self.rng
        if at.ended:
            return None if at.whole else self.reveal()
        if at.owed:
            return self.record("server", "open", at.epoch, Link())
        if not at.began:
            return self.begin() if len(at.nonces) == len(at.seats) else self.sits()
        if at.must and at.must[0] == "end":
            return self.end()
        if at.must:
            seat, to = at.must[1]
            body = self.back(seat, to)
            return self.record("server", "takeback", *body, self.number(at.ask[3]), [])
        if at.pausing is not None:
            return self.record("server", "clock", "pause", list(at.seats), at.pausing)
        if at.docket.due:
            return self.remedy(at.docket)
        if at.over or at.waived_now:
            return self.ended(rng.choice((None, *self.seats)), "outcome.points", [], "rules")
        return None

    def remedy(self, docket: Any) -> Frame:
        """What the ruling in force asks for."""
        kind, actor, places = docket.must()
        actor = list(actor) if isinstance(actor, tuple) else actor
        body = [places[place] for place in sorted(places)]
        if kind == "takeback":
            return self.record(actor, kind, *self.back("", body[1]), self.number(body[2]), [])
        if kind == "ruling":
            return self.record(actor, kind, *body, [], [], Packed([]), [])
        if kind == "end":
            adjudicated = body[1] == "outcome.adjudicated"
            return self.ended(*body, "adjudicated" if adjudicated else "ruling")
        return self.record(actor, kind, *body)

    def some(self) -> Frame:
        """Something that may come."""
        owed = self.owed()
        if owed is not None and self.rng.random() < 0.93:
            return owed
        makers: list[tuple[Callable[[], Frame], int]] = [
            (self.command, 8),
            (self.ask, 3),
            (self.answer, 4 if self.at.ask else 1),
            (self.takeback, 3),
            (self.orders, 2),
            (self.keys, 2),
            (self.clock, 5 if self.at.clocks is not None else 1),
            (self.ruling, 5 if not self.at.docket.cases else 10),
            (self.end, 1),
            (self.sits, 1),
            (self.reveal, 1),
        ]
        (make,) = self.rng.choices([one for one, _ in makers], [n for _, n in makers])
        return make()


def _sealed(value: Any) -> list[Sealed]:
    if isinstance(value, Sealed):
        return [value]
    if isinstance(value, Packed):
        return _sealed(value.inner)
    return [one for item in value for one in _sealed(item)] if type(value) is list else []


def go_on(rng: random.Random, log: Log) -> str | None:
    """Behind some record the game goes on otherwise."""
    records = log.records()
    frames = log.frames
    commands = [place for place, one in enumerate(records, 1) if one.what == "command"]
    least = commands[0] if commands and rng.random() < 0.85 else 1
    count = rng.randint(least, len(records))
    last = records[count - 1]
    log.frames = frames[: frames.index(last) + 1]
    done: list[str] = []
    for _ in range(rng.choice((1, 2, 4, 8, 16))):
        at, places = guide(log)
        if at is None or at.whole:
            break
        frame = Next(rng, log, at, places).some()
        log.frames.append(frame)
        done.append(frame.what)
    return f"behind record {last.old}: {', '.join(done)}"


__all__ = ["Next", "go_on", "guide"]
