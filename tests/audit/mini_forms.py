"""The forms of bodies, for the small auditor: the tables of the page about bodies and limits."""

from typing import Any

from tests.audit.mini_seals import may_be_effect
from tests.audit.mini_values import Seal, is_number, need, unpack

Form = Any
"""What says of a value whether it has a form."""
Fields = dict[str, Form]


def text(least: int = 0, most: int = 2**53) -> Form:
    """Text of so many characters."""
    return lambda value: type(value) is str and least <= len(value) <= most


def data(*lengths: int) -> Form:
    """Bytes of one of these lengths."""
    return lambda value: type(value) is bytes and len(value) in lengths


def each(form: Form, least: int = 0, most: int = 2**53) -> Form:
    """An array of so many of a form."""

    def good(value: Any) -> bool:
        return type(value) is list and least <= len(value) <= most and all(map(form, value))

    return good


def array(*forms: Form) -> Form:
    """An array with just these."""

    def good(value: Any) -> bool:
        return (
            type(value) is list
            and len(value) == len(forms)
            and all(form(item) for form, item in zip(forms, value, strict=True))
        )

    return good


def either(*forms: Form) -> Form:
    """One form or another."""
    return lambda value: any(form(value) for form in forms)


def word(*words: str) -> Form:
    """One of these words."""
    return lambda value: type(value) is str and value in words


def whole(value: Any) -> bool:
    """A number."""
    return type(value) is int


def anything(value: Any) -> bool:
    """Any value."""
    return True


def flag(value: Any) -> bool:
    """True or false."""
    return type(value) is bool


def nothing(value: Any) -> bool:
    """Nil."""
    return value is None


def seal(value: Any) -> bool:
    """A seal."""
    return type(value) is Seal


def pick(value: Any) -> bool:
    """A pick."""
    return type(value) in (str, int)


def event(value: Any) -> bool:
    """What begins with its tag."""
    return type(value) is list and bool(value) and type(value[0]) is str


def packed(value: Any) -> bool:
    """Bytes: where they are looked through for seals they must hold the canonical form of a
    value."""
    return type(value) is bytes


def effects(value: Any) -> bool:
    """Packed effects, of which a veil holds a seal."""
    return packed(value) and each(may_be_effect)(unpack(value))


def draw(value: Any) -> bool:
    """A receipt."""
    result = seal if type(value) is list and value[:1] == [0] else array(is_number, is_number)
    return array(is_number, is_number, text(), result)(value)


def by(value: Any) -> bool:
    """Who acted."""
    return array(data(0, 32), lambda n: whole(n) and n > 0, data(32), data(0, 64))(value) and (
        len(value[3]) == 2 * len(value[0])
    )


PATH = each(is_number)
OPENING = array(is_number, PATH, data(16), anything)
AWAITS = each(array(text(), is_number, text(1, 4096)))
ARGUMENTS = each(array(text(), anything))
PICKS = each(pick, most=512)
NONE = array()
is_picks = array(PICKS, data(0, 32))
ACCOUNT, NAME = text(most=59), text(1, 64)
OF_A_SEAT = "by"
"""The last field of what a seat does; where somebody else acts it is missing."""

FORMS: dict[str, Fields] = {
    "genesis": {
        "format": lambda value: value == 3 and whole(value),
        "game": text(),
        "title": text(),
        "version": text(),
        "digest": data(32),
        "options": lambda value: type(value) is dict,
        "seats": each(text(), 1, 64),
        "pack": packed,
        "pack_digest": data(32),
        "chain": data(32),
        "hidden": data(32),
        "salts": data(32),
        "server_key": data(32),
        "terms": lambda value: type(value) is dict,
        "parent": nothing,
    },
    "seat taken": {
        "seat": text(),
        "account": ACCOUNT,
        "name": NAME,
        "nonce_hash": data(32),
        "client": text(),
        "by": by,
    },
    "seat nonce": {"seat": text(), "nonce": data(32), "roster": data(32), "by": by},
    "seat replaced": {
        "seat": text(),
        "account": ACCOUNT,
        "name": NAME,
        "client": text(),
        "by": by,
        "handed": either(by, NONE),
    },
    "seat device": {"seat": text(), "key": data(32), "proof": data(64), "by": by},
    "seat revoked": {"seat": text(), "key": data(32), "by": by},
    "command": {
        "decision": is_number,
        "seat": text(),
        "picks": either(seal, is_picks),
        "command_id": data(*range(33)),
        "by": either(by, array(is_number, is_number, is_number), NONE),
        "draws": each(draw),
        "events": each(event),
        "effects": effects,
        "opened": each(OPENING),
        "flow": array(is_number, each(array(text(), anything, is_number))),
        "awaits": AWAITS,
        "digest": data(0, 32),
    },
    "ask": {
        "seat": text(),
        "request": word("takeback", "draw", "resign", "pause", "adjourn", "flag"),
        "to": is_number,
        "by": by,
    },
    "clock flag": {"seat": text(), "deadline_ms": is_number, "left": whole},
    "clock pause": {"seats": each(text()), "until_ms": is_number},
    "clock resume": {"seat": text(), "by": by},
    "clock credit": {
        "seat": text(),
        "ms": whole,
        "why": text(),
        "args": ARGUMENTS,
        OF_A_SEAT: by,
    },
    "clock outage": {"from_ms": is_number, "to_ms": is_number},
    "clock leave": {"seat": text(), "from_ms": is_number, "to_ms": is_number, "by": by},
    "clock night": {"seat": text(), "start_min": is_number, "length_min": is_number, "by": by},
    "answer": {"seat": text(), "consents": flag, "ask": is_number, "by": by},
    "takeback": {
        "seat": text(),
        "to": is_number,
        "effects": effects,
        "awaits": AWAITS,
        "ask": is_number,
        "by": either(by, NONE),
    },
    "orders": {"seat": text(), "orders": seal, "digest": data(32), "by": by},
    "rotate": {"key": data(32), "signature": data(64)},
    "open": {"epoch": is_number, "link": data(32)},
    "end": {
        "winner": either(text(), nothing),
        "reason": text(),
        "arguments": ARGUMENTS,
        "links": each(array(is_number, data(32))),
        "hidden": data(32),
        "salts": data(32),
        "clause": text(),
        "scores": each(array(text(), whole)),
        "by": text(),
    },
    "reveal": {"openings": each(OPENING), "last": flag},
    "ruling claim": {
        "n": is_number,
        "seat": text(most=64),
        "at_seq": is_number,
        "clause": text(most=200),
        "text": text(most=2000),
        OF_A_SEAT: by,
    },
    "ruling heard": {"n": is_number},
    "ruling looked": {"audience": text(most=64), "from_seq": is_number, "to_seq": is_number},
    "ruling frozen": {"n": is_number},
    "ruling said": {"n": is_number, "text": text(most=2000), OF_A_SEAT: by},
    "ruling ruled": {
        "n": is_number,
        "finding": text(most=64),
        "clause": text(most=200),
        "text": text(most=2000),
        "remedies": each(event, 1, 16),
    },
    "ruling corrected": {
        "n": is_number,
        "picks": PICKS,
        "events": each(event),
        "effects": effects,
        "opened": NONE,
    },
    "ruling appeal": {"n": is_number, "text": text(most=2000), OF_A_SEAT: by},
    "ruling thawed": {"n": is_number},
    "ruling withdrawn": {"n": is_number, OF_A_SEAT: by},
    "ruling waived": {"seat": text(most=64), OF_A_SEAT: by},
}
"""The fields of each kind of record, by the word where a body begins with one."""
MISSING = ("clock credit", *(f"ruling {one}" for one in ("claim", "said", "appeal", "withdrawn")))
"""Where `by` is missing if it is no seat that acts."""


def check_form(kind: str, body: Any, by_a_seat: bool) -> None:
    """Raise Unsound unless a body has the form of its kind."""
    need(type(body) is list, "form of a body")
    name, values = kind, body
    if kind in ("seat", "clock", "ruling"):
        need(event(body), f"form of a {kind} record")
        name, values = f"{kind} {body[0]}", body[1:]
    need(name in FORMS, "kind")
    fields = dict(FORMS[name])
    if name in MISSING and not by_a_seat:
        del fields[OF_A_SEAT]
    need(len(values) == len(fields), f"fields of {name}")
    for (field, form), value in zip(fields.items(), values, strict=True):
        need(form(value), f"form of {name}: {field}")


is_head = array(text(), is_number, data(32), data(64))


def is_orders(value: Any) -> bool:
    """A set of standing answers: one entry for a question and a span."""
    alternatives = each(each(pick, 1, 512), 1)
    entries = each(array(text(1), alternatives, word("turn", "game")))
    return entries(value) and len({(key, until) for key, _, until in value}) == len(value)
