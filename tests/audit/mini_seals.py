"""Where seals may be, and what may be in a veil, for the small auditor."""

from typing import Any

from tests.audit.mini_values import Seal, need, unpack

PACKED = {"genesis": 7, "command": 7, "takeback": 2}


def seals(kind: str, body: Any) -> dict[tuple[int, ...], bytes]:
    """Every seal of a record by its path: in arrays, and in packed effects and the pack."""
    found: dict[tuple[int, ...], bytes] = {}

    def look(value: Any, path: tuple[int, ...], packed: int | None = None) -> None:
        if isinstance(value, Seal):
            stands = may_be_sealed(kind, body, path)
            need(stands, "a seal where none may stand")
            found.update({path: value.data} if stands else {})
        elif isinstance(value, dict):
            need(not any(map(holds_seal, value.values())), "a seal in a map")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                look(unpack(item) if index == packed else item, (*path, index))

    corrected = kind == "ruling" and body[0] == "corrected"
    look(body, (), 4 if corrected else PACKED.get(kind))
    return found


def may_be_effect(effect: Any) -> bool:
    """Whether a value is an effect; that of a veil is one seal."""
    tagged = type(effect) is list and bool(effect) and type(effect[0]) is str
    veil = tagged and effect[0] == "veil"
    return tagged and (not veil or (len(effect) == 2 and isinstance(effect[1], Seal)))


def may_be_sealed(kind: str, body: Any, path: tuple[int, ...]) -> bool:
    """Whether a seal may stand at a place of a record."""
    if kind != "command":
        return kind == "orders" and path == (1,)
    hidden = path[0] == 5 and path[2:] == (3,) and body[5][path[1]][0] == 0
    return path == (2,) or path[0] in (6, 7) or hidden


def holds_seal(value: Any) -> bool:
    """Whether there is a seal anywhere in a value."""
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, Seal) or (isinstance(value, list) and any(map(holds_seal, value)))


def shown(value: Any) -> bool:
    """A face, a value, pips: text, a number, true, false, nil, or an array of those."""
    if type(value) is list:
        return all(map(shown, value))
    return value is None or type(value) in (str, int, bool)


def named(value: Any) -> bool:
    """The arguments of a sentence."""
    return type(value) is list and all(
        type(item) is list and len(item) == 2 and type(item[0]) is str for item in value
    )


VEILED: dict[str, tuple[Any, ...]] = {
    "put": (str, str, shown, str),
    "move": (str, [str]),
    "flip": (str, shown),
    "take": (str, str),
    "mark": (str, str, shown),
    "track": (str, shown),
    "count": (str, shown),
    "roll": (str, int, shown),
    "say": (str, named, str),
}


def may_be_veiled(effect: Any) -> bool:
    """Whether a veil may hold an effect."""
    if not (type(effect) is list and effect and type(effect[0]) is str and effect[0] in VEILED):
        return False
    forms = VEILED[effect[0]]
    return len(effect) > len(forms) and all(
        type(value) is form
        if isinstance(form, type)
        else type(value) is list and all(type(item) is str for item in value)
        if isinstance(form, list)
        else form(value)
        for form, value in zip(forms, effect[1:], strict=False)
    )
