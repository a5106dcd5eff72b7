"""The forms of the records of ledgers, for the small auditor: the tables of the page about bodies
and limits."""

from typing import Any

from tests.audit.mini_forms import (
    OPENING,
    Fields,
    array,
    data,
    each,
    effects,
    either,
    event,
    flag,
    pick,
    seal,
    text,
    whole,
)
from tests.audit.mini_values import need

is_act_picks = each(pick, 1, 8194)
BOARD: Fields = {"round": whole, "board": whole}
NUMBERS = each(whole)


def lot(value: Any) -> bool:
    """A lot."""
    return array(whole, text(), whole, whole)(value) and (
        value[0] > 0 and 0 <= value[3] < value[2] <= 2**32
    )


def a_map(value: Any) -> bool:
    """A map."""
    return type(value) is dict


FORMS: dict[str, Fields] = {
    "charter": {
        "format": lambda value: value == 3 and whole(value),
        "tournament": text(),
        "version": text(),
        "digest": data(32),
        "settings": a_map,
        "chain": data(32),
        "hidden": data(32),
        "salts": data(32),
        "server_key": data(32),
    },
    "act": {
        "who": text(),
        "picks": either(seal, is_act_picks),
        "act_id": data(*range(33)),
        "seen": data(0, 32),
        "draws": each(lot),
        "events": each(event),
        "effects": effects,
        "opened": each(OPENING),
    },
    "open": {"epoch": whole, "link": data(32)},
    "end": {
        "openings": each(OPENING),
        "links": each(array(whole, data(32))),
        "hidden": data(32),
        "salts": data(32),
    },
}
EVENTS: dict[str, Fields] = {
    "entered": {
        "number": whole,
        "id": text(),
        "name": text(),
        "rating": whole,
        "groups": each(text()),
        "nonce_hash": data(0, 32),
    },
    "checked": {"number": whole, "round": whole},
    "committed": {"number": whole, "nonce_hash": data(0, 32)},
    "rostered": {"numbers": NUMBERS, "asked": each(pick)},
    "nonce": {"number": whole, "nonce": data(32)},
    "waited": {"missing": NUMBERS},
    "withdrew": {"number": whole},
    "returned": {"number": whole},
    "absent": {"number": whole, "round": whole, "bye": text()},
    "ordered": {"stage": whole, "by": text(), "numbers": NUMBERS},
    "granted": {"role": text(), "id": text(), "name": text()},
    "grant_ended": {"role": text(), "id": text(), "name": text()},
    "paired": {
        "round": whole,
        "stage": whole,
        "system": text(),
        "inputs": data(32),
        "boards": each(array(NUMBERS, flag)),
        "byes": each(array(whole, text())),
    },
    "unpaired": {"round": whole, "reason": text()},
    "published": {"round": whole},
    "bid": {"number": whole, **BOARD},
    "called": {**BOARD, "seat": whole, "speaks": whole},
    "offered": {"number": whole, **BOARD, "half_units": whole},
    "challenged": {"number": whole, "whom": whole, "round": whole},
    "volunteered": {"number": whole, "round": whole},
    "sides": {**BOARD, "numbers": NUMBERS, "handicap_seat": whole, "half_units": whole},
    "opened": {**BOARD, "game": text(), "genesis": data(32)},
    "reported": {**BOARD, "seq": whole, "hash": data(32), "signature": data(64), "by": text()},
    "result": {
        **BOARD,
        "manner": text(),
        "results": each(text()),
        "margins": NUMBERS,
        "reason": text(),
    },
    "advanced": {"stage": whole, "numbers": NUMBERS},
    "announced": {"text": text()},
    "claimed": {"claim": whole, "who": text(), "text": text()},
    "ruled": {"claim": whole, "finding": text(), "text": text()},
    "appealed": {"claim": whole, "who": text(), "text": text()},
    "voted": {"claim": whole, "id": text(), "name": text(), "finding": text(), "text": text()},
    "decided": {"claim": whole, "finding": text()},
    "panelled": {**BOARD, "people": each(array(text(), text()))},
    "judged": {"id": text(), "name": text(), **BOARD},
    "adjudicated": {**BOARD, "percentages": NUMBERS},
    "amended": {"key": text(), "value": either(flag, whole, text()), "reason": text()},
    "finished": {"numbers": NUMBERS},
}


def check_ledger_form(kind: str, body: Any) -> None:
    """Raise Unsound unless a body has the form of its kind, and each event that of its tag."""
    need(type(body) is list, "form of a body")
    check(kind, FORMS[kind], body)
    for tag, *fields in body[5] if kind == "act" else []:
        need(tag in EVENTS, "an event that nobody knows")
        check(tag, EVENTS[tag], fields)


def check(name: str, forms: Fields, values: list[Any]) -> None:
    """The same for the fields of one thing."""
    need(len(values) == len(forms), f"fields of {name}")
    for (field, form), value in zip(forms.items(), values, strict=True):
        need(form(value), f"form of {name}: {field}")


def is_who(who: str) -> bool:
    """Whether a text names somebody who may act."""
    role, _, rest = who.partition(":")
    if role in ("d", "a") and ":" in who:
        return 0 < len(rest) <= 59
    digits = bool(rest) and set(rest) <= set("0123456789") and rest[0] != "0" and len(rest) < 5
    return who == "server" or (role == "e" and digits and int(rest) <= 4096)


def key_of(value: Any) -> bytes:
    """A key in hexadecimal digits; no bytes for anything else."""
    good = type(value) is str and len(value) == 64 and set(value) <= set("0123456789abcdef")
    return bytes.fromhex(value) if good else b""


def minutes_of(settings: dict[str, Any], table: str, name: str) -> int:
    """A number of minutes in a charter."""
    values = settings.get(table, {})
    need(a_map(values), f"settings: {table}")
    minutes = values.get(name, 0)
    need(whole(minutes) and 0 <= minutes <= 400 * 24 * 60, f"settings: {name}")
    return int(minutes)


__all__ = ["check_ledger_form", "is_act_picks", "is_who", "key_of", "minutes_of"]
