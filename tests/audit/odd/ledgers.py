"""Ledgers to make odd, and what can be odd about them: acts that stand where none should, events of
every kind, seals that are opened early, late or never, another roster."""

import random
from collections.abc import Iterator
from typing import Any, Final

from tests.audit.odd.follows import (
    Hash,
    HeadSignature,
    Link,
    LotIndex,
    NonceHash,
    Packed,
    Sealed,
    opening,
    record,
)
from tests.audit.odd.log import ACTOR, KIND, Frame, Log
from tests.audit.odd.oddities import Oddity, shown, told
from tests.audit.odd.values import near, odd_text, strange
from tests.fixtures import cup_vectors
from tests.tournaments.desk import Desk, charter_of
from tests.tournaments.test_bids import auction, both_want
from tests.tournaments.test_judging import JUDGES, panelled, ruled
from warledger.protocol import tournaments as forms

WHO, PICKS, ID, SEEN, DRAWS, EVENTS, EFFECTS, OPENED = range(8)
MINUTE_MS: Final = 60_000


def bases() -> Iterator[tuple[str, bytes]]:
    """Ledgers of all sorts, some of them with what only an arbiter has."""
    desk = auction()
    first, second = both_want(desk)
    yield "an auction begun", desk.file(arbiter=True)
    desk.do(first, "offer", 4)
    desk.do(second, "offer", 5)
    desk.do(first, "accept")
    desk.open_games()
    desk.report_all()
    desk.do("d:dora", "finish")
    yield "an auction", desk.file()
    panel = panelled()
    for account, per_cent in zip(JUDGES, (70, 55, 50), strict=True):
        panel.do(f"a:{account}", "judge", 1, per_cent)
    yield "a panel that has judged", panel.file(arbiter=True)
    panel.do("server", "adjudicate", 1)
    panel.do("d:dora", "finish")
    yield "a panel", panel.file()
    yield "claims and rulings", ruled().file()
    yield "bids, for an arbiter", cup_vectors.played()[0].file(arbiter=True)
    waits = Desk(charter_of(sides={"by": "lots"}), name="waits")
    waits.showing = False
    waits.enter(3)
    waits.do("d:dora", "pair")
    waits.do("server", "show", 1, waits.nonce(1).hex())
    yield "a roster that waits", waits.file()
    checks = Desk(charter_of(absence={"check_in_minutes": 15}, sides={"by": "lots"}), name="checks")
    checks.enter(4)
    checks.check_in((1, 2, 3))
    checks.do("d:dora", "pair")
    yield "a check-in", checks.file()


def _acts(log: Log) -> list[Frame]:
    return [frame for frame in log.records() if frame.tree[KIND] == "act"]


# --- acts and events ------------------------------------------------------------------------------


def _event(rng: random.Random, log: Log) -> list[Any]:
    """An event of any kind, with fields of its forms."""
    tag = rng.choice(list(forms.FORMS))
    made: list[Any] = [tag]
    for name, form in forms.FORMS[tag].items():
        made.append(_field(rng, name, form.words))
    if tag == "reported":
        game = rng.choice(("x", "cup-r1-b1", "vector-r1-b1"))
        made[5] = HeadSignature(_server(log), game)
    if tag in ("entered", "committed") and rng.random() < 0.5:
        log.nonces.setdefault(f"e:{made[1]}", rng.randbytes(32))
        made[-1] = NonceHash(made[1])
    if tag == "nonce":
        made[2] = log.nonces.get(f"e:{made[1]}", made[2])
    if tag == "opened" and rng.random() < 0.7:
        made[3] = f"{log.frames[0].body[1]}-r{made[1]}-b{made[2]}"
    return made


def _field(rng: random.Random, name: str, words: str) -> Any:
    number = rng.choice((1, 1, 1, 2, 2, 3, 0, 4, 9))
    some = {
        "number": number,
        "text": rng.choice(("play", "x", "dora", "")),
        "true or false": rng.random() < 0.5,
        "32 bytes": rng.randbytes(32),
        "32 bytes or none": rng.choice((b"", rng.randbytes(32))),
        "64 bytes": bytes(64),
        "[number …]": rng.choice(([], [1], [1, 2], [1, 2, 3], [2, 1])),
        "[text …]": ["win", "loss"],
        "[text or number …]": rng.choice(([], ["pair"], ["number", 1], ["d:dora", "pair"])),
        "[[text, text] …]": [["ida", "Ida"]],
        "[[number, text] …]": [],
        "[[[number …], true or false] …]": [[[1, 2], True]],
        "true or false or number or text": rng.choice((True, 3, "x")),
    }
    return some[words]


def _server(log: Log) -> bytes:
    return bytes(log.frames[0].body[8])


def _act(rng: random.Random, log: Log) -> Frame:
    who = rng.choice(("server", "server", "d:dora", "a:arno", "e:1", "e:2", "e:4096", "e:4097"))
    events = [_event(rng, log) for _ in range(rng.choice((0, 1, 1, 2)))]
    picks: Any = rng.choice((["report"], ["correct"], ["bid", "axis", 3], [1]))
    if rng.random() < 0.2:
        picks = Sealed(picks if rng.random() < 0.8 else strange(rng))
    draws = []
    if rng.random() < 0.2:
        draws.append([rng.choice((1, 1, 2, 0)), "order:0", rng.choice((2, 6, 2**32)), LotIndex(0)])
    seen = rng.choice((b"", Hash(), rng.randbytes(32), Hash(rng.choice(log.records()))))
    body = [who, picks, rng.choice((b"", rng.randbytes(8))), seen, draws, events, Packed([]), []]
    if rng.random() < 0.2:
        found = _seals(log)
        body[OPENED] = [opening(one) for one in rng.sample(found, min(len(found), 1))]
    return record(who, "act", *body, gap=rng.choice((0, 1000)))


def _seals(log: Log) -> list[Sealed]:
    return [one.body[PICKS] for one in _acts(log) if isinstance(one.body[PICKS], Sealed)]


def more_acts(rng: random.Random, log: Log) -> str | None:
    """Acts are put in that nobody decided so."""
    where = rng.randrange(1, len(log.frames) + 1)
    made = [_act(rng, log) for _ in range(rng.choice((1, 1, 2)))]
    tags = [event[0] for frame in made for event in frame.body[EVENTS]]
    if rng.random() < 0.7:  # what must follow, follows
        epoch = 1 + sum(one.tree[KIND] == "open" for one in log.frames[:where] if one.kind == 1)
        if "published" in tags:
            made.append(record("server", "open", epoch, Link()))
        if "finished" in tags:
            made.append(_end(log, epoch + ("published" in tags)))
            del log.frames[where:]
    log.frames[where:where] = made
    return f"at {where} acts with {tags}"


def _end(log: Log, epoch: int) -> Frame:
    shut = [opening(one) for one in _seals(log)]
    return record("server", "end", shut, [[epoch, Link()]], log.hidden, log.salts)


def other_event(rng: random.Random, log: Log) -> str | None:
    """An event is another, is doubled, lost, or stands in another act."""
    acts = [one for one in _acts(log) if one.body[EVENTS]]
    frame = rng.choice(acts)
    events = frame.body[EVENTS]
    place, kind = rng.randrange(len(events)), rng.randrange(5)
    event = events[place]
    if kind == 0:
        events.insert(place, list(event))
    elif kind == 1:
        del events[place]
    elif kind == 2:
        rng.choice(acts).body[EVENTS].append(events.pop(place))
    elif kind == 3:
        events.insert(place, _event(rng, log))
    else:
        at = rng.randrange(1, len(event)) if len(event) > 1 else 0
        event[at] = near(rng, event[at]) if rng.random() < 0.7 else strange(rng)
    return f"{told(log, frame)} event {place}, kind {kind}: {shown(event)}"


def other_seal(rng: random.Random, log: Log) -> str | None:
    """What is sealed is open, or the other way round; or an opening is lost, doubled or moved."""
    acts = _acts(log)
    shut = [frame for frame in acts if isinstance(frame.body[PICKS], Sealed)]
    kind = rng.randrange(4)
    if kind == 0 and shut:
        frame = rng.choice(shut)
        frame.body[PICKS] = frame.body[PICKS].inner
        return f"{told(log, frame)} is open"
    if kind == 1:
        frame = rng.choice(acts)
        frame.body[PICKS] = Sealed(frame.body[PICKS])
        return f"{told(log, frame)} is sealed"
    lists = [one.body[OPENED] for one in acts if one.body[OPENED]]
    lists += [one.body[0] for one in log.records() if one.tree[KIND] == "end" and one.body[0]]
    if not lists:
        return None
    openings = rng.choice(lists)
    place = rng.randrange(len(openings))
    if kind == 2:
        openings.insert(place, list(openings[place]))
        return "an opening stands twice"
    moved = openings.pop(place)
    if rng.random() < 0.7:
        rng.choice([*lists, rng.choice(acts).body[OPENED]]).append(moved)
    return "an opening stands elsewhere, or nowhere"


def other_settings(rng: random.Random, log: Log) -> str | None:
    """A setting on which evidence rests is another."""
    settings = log.frames[0].body[4]
    kind = rng.randrange(4)
    key = log.key("another server").hex()
    if kind == 0:
        servers = ([key], [_server(log).hex(), key], [key.upper()], [key[:-1]], key, [1], None, [])
        settings["servers"] = rng.choice(servers)
    elif kind == 1:
        told = {**settings.get("absence", {})}
        told["check_in_minutes"] = rng.choice((0, 1, 15, 576_000, 576_001, -1, True, "1"))
        settings["absence"] = told if rng.random() < 0.9 else strange(rng)
    else:
        told = {**settings.get("lots", {})}
        told["minutes"] = rng.choice((0, 1, 3, 576_000, 576_001, -1, None))
        settings["lots"] = told if rng.random() < 0.9 else strange(rng)
    log.frames[0].body[4] = {name: settings[name] for name in sorted(settings)}
    return f"settings, kind {kind}"


def other_who(rng: random.Random, log: Log) -> str | None:
    """An act is somebody else's."""
    frame = rng.choice(_acts(log))
    who = rng.choice(
        (
            *("server", "d:dora", "a:arno", "e:1", "e:2", "e:0", "e:01", "e:4096", "e:4097"),
            *("d:", "a:", "d:" + "i" * 59, "d:" + "i" * 60, "e:\u0661", "e:1 ", "x:1", "d", ""),
            *("d:a:b", "e:10000", odd_text(rng), f"d:{odd_text(rng)}"),
        )
    )
    frame.body[WHO] = frame.tree[ACTOR] = who
    return f"{told(log, frame)} is by {shown(who)}"


def late(rng: random.Random, log: Log) -> str | None:
    """A record stands about when the wait for nonces ends."""
    minutes = log.frames[0].body[4].get("lots", {}).get("minutes", 3)
    frame = rng.choice(log.records()[1:])
    gap = minutes * MINUTE_MS + rng.choice((0, -1, 1)) if type(minutes) is int else 0
    frame.tree[1].gap = gap
    return f"{told(log, frame)} is {gap} ms behind the record before"


ODD: Final[dict[Oddity, int]] = {
    more_acts: 14,
    other_event: 10,
    other_seal: 6,
    other_settings: 4,
    other_who: 3,
    late: 4,
}
