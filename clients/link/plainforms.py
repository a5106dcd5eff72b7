"""The forms of what a server says in plain values, of titles, games and tournaments: no signature
vouches for it, so whoever reads it looks at its form first."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from warledger.protocol.board.choices import Say, is_for_client_alone
from warledger.protocol.wire.fields import is_name

Form = Any
"""A type; [form], any number of such; (form, form), just these; {key: form}, a map with at least
these keys but those that are `Lacking`; a `Maybe`; ANY; TEXTS; SAY."""


class Maybe:
    """A value of a form, or nothing."""

    def __init__(self, form: Form) -> None:
        self.form = form


class Lacking(Maybe):
    """Of a map: a value of a form, or no such key."""


ANY: Final = object()
"""Whatever there is."""
TEXTS: Final = object()
"""A map of texts to texts."""
SAY: Final = object()
"""A sentence by its key."""

_TITLE: Final = {
    "title": str,
    "version": str,
    "seats": [str],
    "options": [(ANY, ANY, [ANY], ANY)],
}
_GAME: Final = {
    "game": str,
    "stage": str,
    "title": Lacking(str),
    "awaits": Lacking(Maybe([str])),
    "unsigned": Lacking(Maybe([str])),
    "deadline_ms": Lacking(Maybe(int)),
    "held_ms": Lacking(int),
    "at_ms": Lacking(int),
    "frozen": Lacking([ANY]),
    "claims": Lacking([(int, str, int, str)]),
}
_ROW: Final = {"id": str, "name": str, "title": str, "entrants": int, "round": int, "state": str}
"""A tournament in a list."""
_ENTRANT: Final = {
    "number": int,
    "name": str,
    "shown": str,
    "rating": Maybe(int),
    "present": bool,
    "checked": bool,
}
_OFFICIAL: Final = {"role": str, "id": str, "name": str, "shown": str}
_BOARD: Final = {
    "board": int,
    "entrants": [int],
    "seated": bool,
    "handicap": (int, int),
    "auction": Maybe({"seat": int, "speaks": int, "half_units": int, "holder": int}),
    "sides_until_ms": Maybe(int),
    "game": str,
    "results": Maybe([str]),
    "manner": Maybe(str),
}
_ROUND: Final = {
    "round": int,
    "seats": [str],
    "published_ms": Maybe(int),
    "no_show_ms": Maybe(int),
    "byes": [(int, str)],
    "boards": [_BOARD],
}
_STANDING: Final = {"place": int, "number": int, "name": str, "points": int, "tiebreaks": TEXTS}
_TOURNAMENT: Final = {
    **_ROW,
    "words": [SAY],
    "tiebreaks": [str],
    "entrant_list": [_ENTRANT],
    "officials": [_OFFICIAL],
    "rounds": [_ROUND],
    "drafted": Maybe(_ROUND),
    "standings": [_STANDING],
    "check_in": bool,
    "lots": Maybe({"until_ms": int, "missing": [int]}),
    "alike": [[int]],
}


def has_form(value: Any, form: Form) -> bool:
    """Whether a value has a form."""
    if form is ANY:
        return True
    if form is SAY:
        return _is_say(value)
    if form is TEXTS:
        return type(value) is dict and all(type(one) is str for one in value.values())
    if isinstance(form, Lacking):
        return has_form(value, form.form)
    if isinstance(form, Maybe):
        return value is None or has_form(value, form.form)
    if type(form) is dict:
        return type(value) is dict and all(
            has_form(value[key], one) if key in value else isinstance(one, Lacking)
            for key, one in form.items()
        )
    if type(form) is list:
        return type(value) is tuple and all(has_form(one, form[0]) for one in value)
    if type(form) is tuple:
        return type(value) is tuple and len(value) == len(form) and all(map(has_form, value, form))
    return type(value) is form


def is_title(value: Any) -> bool:
    """Whether a value is a row of what can be played."""
    return has_form(value, _TITLE)


def is_game(value: Any) -> bool:
    """Whether a value is a row of a list of games."""
    return has_form(value, _GAME) and is_name(value["game"])


def is_row(value: Any) -> bool:
    """Whether a value is a tournament in a list, of plain values throughout."""
    return has_form(value, _ROW) and _is_plain(value)


def is_tournament(value: Any) -> bool:
    """Whether a value is all that a server tells of a tournament: of its form, of plain values
    throughout, and with nobody but entrants at a board, in a bye or in the lots."""
    if not (has_form(value, _TOURNAMENT) and _is_plain(value)):
        return False
    known = {one["number"] for one in value["entrant_list"]}
    return known.issuperset(_numbers(value)) and all(
        0 <= seat < len(one["seats"])
        for one in _rounds(value)
        for board in one["boards"]
        for seat in _seats(board)
    )


def _seats(board: Mapping[str, Any]) -> Iterator[int]:
    """The places of seats that are named at a board."""
    yield board["handicap"][0]
    if board["auction"]:
        yield board["auction"]["seat"]


def _rounds(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*told["rounds"], *([told["drafted"]] if told["drafted"] else [])]


def _numbers(told: Mapping[str, Any]) -> Iterator[int]:
    """Everybody who is spoken of by number; 0 is nobody."""
    if told["lots"]:
        yield from told["lots"]["missing"]
    for one in _rounds(told):
        yield from (number for number, _ in one["byes"])
        for board in one["boards"]:
            yield from board["entrants"]
            if board["auction"]:
                yield board["auction"]["speaks"]
                if board["auction"]["holder"]:
                    yield board["auction"]["holder"]


def _is_say(value: Any) -> bool:
    try:
        Say.from_array(value)
    except (TypeError, ValueError):
        return False
    return not is_for_client_alone(value)


def _is_plain(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    if type(value) is dict:
        return all(map(_is_plain, value.values()))
    return value is None or type(value) in (str, int, bool)
