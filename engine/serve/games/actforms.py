"""The form of an act: of its body, and of what is sent with it, for each kind. Whether it may stand
is decided in `actrequests`."""

from collections.abc import Callable
from typing import Any, Final

from warledger.engine.serve.people import viewtokens
from warledger.protocol.limits import (
    CLAIM_CHARS_MAX,
    CLOCK_MS_MAX,
    COMMAND_ID_BYTES_MAX,
    HASH_BYTES,
    INT_MAX,
    NAME_CHARS_MAX,
    NONCE_BYTES,
    PERSON_ID_CHARS_MAX,
    SIGNATURE_BYTES,
)
from warledger.protocol.log import deskbodies
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act
from warledger.protocol.wire.fields import is_name, is_orders, is_picks

RESERVED_NAMES: Final = viewtokens.RESERVED_NAMES
"""Names that no player may have in a log."""


def well_formed(act: Act) -> bool:
    """Whether the body of an act has the form of its kind."""
    form, body = _FORMS[act.kind][0], act.body
    if act.kind in (acts.CLOCK, acts.RULING):
        what = body[0] if type(body) is tuple and body else None
        forms = _CLOCKS if act.kind == acts.CLOCK else _CLAIMS
        form = forms.get(what, ()) if type(what) is str else ()
    return bool(form) and (
        type(body) is tuple
        and len(body) == len(form)
        and all(check(value) for check, value in zip(form, body, strict=True))
    )


def accompanies(kind: str, private: Any) -> bool:
    """Whether what is sent with an act, and does not stand in it, has the form that its kind
    wants."""
    return _FORMS[kind][1](private)


def _is_hash(value: Any) -> bool:
    return type(value) is bytes and len(value) == HASH_BYTES


def _is_player(value: Any) -> bool:
    return is_name(value) and value != "" and value not in RESERVED_NAMES


def _is_account(value: Any) -> bool:
    return type(value) is str and len(value) <= PERSON_ID_CHARS_MAX


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value <= INT_MAX


def _is_blind(value: Any) -> bool:
    return type(value) is bytes and len(value) == acts.BLIND_BYTES


def _is_command_id(value: Any) -> bool:
    return type(value) is bytes and 0 < len(value) <= COMMAND_ID_BYTES_MAX


def _is_nothing(value: Any) -> bool:
    return value is None


def are_picks(value: Any) -> bool:
    """Whether it is [picks, blind], as is sent with a command whose picks are bound by a digest."""
    return type(value) is tuple and len(value) == 2 and is_picks(value[0]) and _is_blind(value[1])


def _are_orders(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and is_orders(value[0]) and _is_blind(value[1])


def _is_proof(value: Any) -> bool:
    return type(value) is bytes and len(value) == SIGNATURE_BYTES


def _is_request(value: Any) -> bool:
    return type(value) is str and value in (
        *("takeback", "draw", "resign"),
        *(deskbodies.PAUSE, deskbodies.ADJOURN, deskbodies.TIME),
    )


def _is_flag(value: Any) -> bool:
    return type(value) is bool


def _is_text(value: Any) -> bool:
    return type(value) is str and len(value) <= NAME_CHARS_MAX


def _is_time(value: Any) -> bool:
    return type(value) is int and 0 < value <= CLOCK_MS_MAX


_CLOCKS: Final[dict[str, tuple[Callable[[Any], bool], ...]]] = {
    "resume": (_is_text, _is_text),
    "leave": (_is_text, _is_text, _is_number, _is_number),
    "night": (_is_text, _is_text, _is_number, _is_number),
    "credit": (_is_text, _is_text, _is_time, lambda value: value == "", lambda value: value == ()),
}
"""What a seat may do about the clocks, with the forms of its fields."""


def _is_speech(value: Any) -> bool:
    return type(value) is str and len(value) <= CLAIM_CHARS_MAX


_CLAIMS: Final[dict[str, tuple[Callable[[Any], bool], ...]]] = {
    "claim": (_is_text, _is_number, _is_text, _is_number, _is_speech, _is_speech),
    "said": (_is_text, _is_number, _is_speech),
    "appeal": (_is_text, _is_number, _is_speech),
    "withdrawn": (_is_text, _is_number),
    "waived": (_is_text, _is_text),
}
"""What a seat may write about claims, with the forms of its fields."""


_FORMS: Final[dict[str, tuple[tuple[Callable[[Any], bool], ...], Callable[[Any], bool]]]] = {
    acts.TAKEN: ((_is_account, _is_player, _is_hash, is_name), _is_nothing),
    acts.NONCE: (
        (lambda value: type(value) is bytes and len(value) == NONCE_BYTES, _is_hash),
        _is_nothing,
    ),
    acts.COMMAND: ((_is_number, _is_command_id, _is_hash), are_picks),
    acts.ASK: ((_is_request, _is_number), _is_nothing),
    acts.ANSWER: ((_is_number, _is_flag), _is_nothing),
    acts.ORDERS: ((_is_hash,), _are_orders),
    acts.DEVICE: ((_is_hash,), _is_proof),
    acts.REVOKED: ((_is_hash,), _is_nothing),
    acts.REPLACED: ((_is_account, _is_player, is_name), _is_nothing),
    acts.HANDED: ((_is_player, _is_hash), _is_nothing),
    acts.CLOCK: ((), _is_nothing),
    acts.RULING: ((), _is_nothing),
}
