"""The kinds of fields that messages are made of: how each is checked, and how it stands on the
wire.

A message's fields are checked whenever one is made, by its sender and by its receiver alike. So
neither side can send what the other must refuse. `read` turns what msgpack decoded into the value,
`write` turns it back; plain fields need neither.
"""

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Option, Refusal, Say, is_for_client_alone
from warledger.protocol.limits import (
    INT_MAX,
    NAME_CHARS_MAX,
    ORDERS_BYTES_MAX,
    PICKS_MAX,
    TEXT_CHARS_MAX,
)
from warledger.protocol.log.chain import Head
from warledger.protocol.seats.standing import SPANS
from warledger.protocol.wire import shapes

READ, WRITE = "warledger read", "warledger write"
SHAPE = "warledger json"
"""Of a field's metadata: how it stands in JSON."""


class BadMessage(ValueError):
    """A malformed message, or one with a field that is not what it must be.

    Where only a field of a request is wrong, `request` is its number and `tag` what it is; else 0
    and "".
    """

    def __init__(self, what: str, request: int = 0, tag: str = "") -> None:
        super().__init__(what)
        self.request = request
        self.tag = tag


def _kind(check: Callable[[Any], bool], what: str, shape: shapes.Shape) -> Any:
    def validate(_: Any, attribute: Any, value: Any) -> None:
        if not check(value):
            raise BadMessage(f"{attribute.name} must be {what}")

    return attrs.field(validator=validate, metadata={SHAPE: shape})


def _structure(
    read: Callable[[Any], Any],
    write: Callable[[Any], Any],
    check: Callable[[Any], bool],
    what: str,
    shape: shapes.Shape,
) -> Any:
    def validate(_: Any, attribute: Any, value: Any) -> None:
        if not check(value):
            raise BadMessage(f"{attribute.name} must be {what}")

    return attrs.field(validator=validate, metadata={READ: read, WRITE: write, SHAPE: shape})


# Every message of a game in progress has numbers, names and bytes: their checks are written out to
# avoid the second call in `_kind`.


def number(lowest: int = 0, highest: int = INT_MAX) -> Any:
    """A whole number within bounds."""

    def validate(_: Any, attribute: Any, value: Any) -> None:
        if type(value) is not int or not lowest <= value <= highest:
            raise BadMessage(f"{attribute.name} must be a whole number from {lowest} to {highest}")

    return attrs.field(validator=validate, metadata={SHAPE: shapes.number(lowest, highest)})


def flag() -> Any:
    """Yes or no."""
    return _kind(lambda value: type(value) is bool, "true or false", shapes.flag())


def text(chars_max: int = TEXT_CHARS_MAX) -> Any:
    """Text of at most this many characters."""
    return _kind(
        lambda value: type(value) is str and len(value) <= chars_max and canon.is_text(value),
        f"text of at most {chars_max} characters",
        shapes.text(chars_max),
    )


def secret(chars_max: int = TEXT_CHARS_MAX) -> Any:
    """Text that must not be shown, not even in a message's `repr`."""
    made = text(chars_max)
    made.repr = False
    return made


def name() -> Any:
    """A short text: what ends up in logs, on screens and in terminals. Of names that people give,
    `typed` says what a server takes."""
    return attrs.field(validator=_check_name, metadata={SHAPE: shapes.name()})


def _check_name(_: Any, attribute: Any, value: Any) -> None:
    if not is_name(value):
        raise BadMessage(f"{attribute.name} must be text of at most {NAME_CHARS_MAX} characters")


def is_name(value: Any) -> bool:
    """Whether a value may be a name."""
    return canon.is_text(value) and len(value) <= NAME_CHARS_MAX


def octets(least: int, most: int) -> Any:
    """Bytes, from `least` to `most` of them."""

    def validate(_: Any, attribute: Any, value: Any) -> None:
        if type(value) is not bytes or not least <= len(value) <= most:
            raise BadMessage(f"{attribute.name} must be {least} to {most} bytes")

    return attrs.field(validator=validate, metadata={SHAPE: shapes.octets(least, most)})


def _is_pick(value: Any) -> bool:
    return (type(value) is str and len(value) <= TEXT_CHARS_MAX and canon.is_text(value)) or (
        type(value) is int and -INT_MAX <= value <= INT_MAX
    )


def is_picks(value: Any) -> bool:
    """Whether a value may be a command's picks."""
    return type(value) is tuple and len(value) <= PICKS_MAX and all(map(_is_pick, value))


def picks() -> Any:
    """Picks: texts and whole numbers."""
    return _kind(
        is_picks, f"an array of at most {PICKS_MAX} picks (texts or whole numbers)", shapes.picks()
    )


def one_of(*values: str) -> Any:
    """One of some words."""
    return _kind(
        lambda value: type(value) is str and value in values,
        f"one of: {', '.join(values)}",
        shapes.one_of(*values),
    )


def options() -> Any:
    """Options of a game: name -> text, whole number or yes/no."""
    return _kind(
        lambda value: (
            isinstance(value, Mapping)
            and len(value) <= 256
            and all(
                is_name(key) and (type(item) is bool or _is_pick(item))
                for key, item in value.items()
            )
        ),
        "a map of option names to texts, numbers or true/false",
        shapes.options(),
    )


def terms() -> Any:
    """The terms of a game: name -> any value."""
    return _kind(
        lambda value: (
            isinstance(value, Mapping)
            and len(value) <= 256
            and all(map(is_name, value))
            and is_value(canon.ordered(value))
        ),
        "a map of names to values",
        shapes.terms(),
    )


def phrases() -> Any:
    """A catalogue: phrase key -> text."""
    return _kind(
        lambda value: (
            isinstance(value, Mapping)
            and all(type(key) is str and type(item) is str for key, item in value.items())
        ),
        "a map of texts to texts",
        shapes.phrases(),
    )


def value() -> Any:
    """Any canonical value."""
    return _kind(is_value, "a value of the log's kinds", shapes.value())


def is_value(value: Any) -> bool:
    """Whether a value may be in a log or message."""
    try:
        canon.check(value)
    except canon.NotCanonical:
        return False
    return True


def maps() -> Any:
    """An array of maps of canonical values."""
    return _kind(
        lambda value: (
            type(value) is tuple and all(type(item) is dict for item in value) and is_value(value)
        ),
        "an array of maps",
        shapes.maps(),
    )


def rows(*types: type) -> Any:
    """An array of arrays, each of these types of items."""
    return _kind(
        lambda value: (
            type(value) is tuple
            and all(
                type(row) is tuple
                and len(row) == len(types)
                and all(type(item) is kind for item, kind in zip(row, types, strict=True))
                for row in value
            )
        ),
        f"an array of [{', '.join(kind.__name__ for kind in types)}]",
        shapes.rows(*types),
    )


def is_orders(value: Any) -> bool:
    """Whether a value may be a seat's standing answers: [[prompt's key, [picks …], "turn" | "game"]
    …], with one entry for a key and a span."""
    return (
        type(value) is tuple
        and all(map(_is_order, value))
        and len({(key, until) for key, _, until in value}) == len(value)
        and len(canon.pack(value)) <= ORDERS_BYTES_MAX
    )


def _is_order(value: Any) -> bool:
    if type(value) is not tuple or len(value) != 3:
        return False
    prompt, alternatives, until = value
    return (
        type(prompt) is str
        and 0 < len(prompt) <= TEXT_CHARS_MAX
        and type(alternatives) is tuple
        and bool(alternatives)
        and all(is_picks(picks) and bool(picks) for picks in alternatives)
        and type(until) is str
        and until in SPANS
    )


def orders() -> Any:
    """Standing answers."""
    what = (
        'an array of [prompt, [picks …], "turn" or "game"], one for a prompt and a span, of at '
        f"most {ORDERS_BYTES_MAX} bytes"
    )
    return _kind(is_orders, what, shapes.orders())


# --- structures -----------------------------------------------------------------------------------


def _is_args(value: Any) -> bool:
    return type(value) is tuple and all(
        type(arg) is tuple and len(arg) == 2 and type(arg[0]) is str and is_value(arg[1])
        for arg in value
    )


def read_say(array: Any) -> Say:
    """A sentence from its array. Raises BadMessage."""
    if (
        type(array) is tuple
        and len(array) == 3
        and type(array[0]) is str
        and _is_args(array[1])
        and type(array[2]) is str
    ):
        if is_for_client_alone(array[:2]):
            raise BadMessage("a sentence speaks in the name of a client")
        return Say(*array)
    raise BadMessage("a sentence is [key, [[name, value] …], rule]")


def sentence() -> Any:
    """A `Say`."""
    return _structure(
        read_say,
        Say.as_array,
        lambda value: isinstance(value, Say),
        "a sentence",
        shapes.sentence(),
    )


def sentences() -> Any:
    """Several."""
    return _structure(
        lambda array: tuple(map(read_say, _array(array))),
        lambda value: tuple(say.as_array() for say in value),
        lambda value: type(value) is tuple and all(isinstance(say, Say) for say in value),
        "an array of sentences",
        shapes.sentences(),
    )


def _array(array: Any) -> tuple[Any, ...]:
    if type(array) is not tuple:
        raise BadMessage("must be an array")
    return array


def _read_refusal(array: Any) -> Refusal:
    if (
        type(array) is tuple
        and len(array) == 3
        and type(array[0]) is str
        and type(array[1]) is str
        and _is_args(array[2])
    ):
        if is_for_client_alone(array[1:]):
            raise BadMessage("a refusal speaks in the name of a client")
        return Refusal(*array)
    raise BadMessage("a refusal is [rule, key, [[name, value] …]]")


def refusal() -> Any:
    """A `Refusal`."""
    return _structure(
        _read_refusal,
        Refusal.as_array,
        lambda value: isinstance(value, Refusal),
        "a refusal",
        shapes.refusal(),
    )


def write_choices(value: Choices) -> tuple[Any, ...]:
    """[slot, options, span or nil, complete, sealed]; an option is its pick, or [pick, label].
    Where free text may come next, how many characters of it follow."""
    options = tuple(
        option.id if option.label is None else (option.id, option.label.as_array())
        for option in value.options
    )
    made = (value.slot, options, value.span, value.complete, value.sealed)
    return (*made, value.text) if value.text else made


def _read_option(item: Any) -> Option:
    if _is_pick(item):
        return Option(item)
    if type(item) is tuple and len(item) == 2 and _is_pick(item[0]):
        return Option(item[0], read_say(item[1]))
    raise BadMessage("an option is a pick, or [pick, label]")


def read_choices(array: Any) -> Choices:
    """Choices from their array. Raises BadMessage."""
    if type(array) is not tuple or len(array) not in (5, 6):
        raise BadMessage("choices are [slot, options, span, complete, sealed]")
    slot, options, span, complete, sealed, *more = array
    spans = span is None or (
        type(span) is tuple and len(span) == 2 and all(type(end) is int for end in span)
    )
    if (
        type(slot) is not str
        or type(options) is not tuple
        or not spans
        or type(complete) is not bool
        or type(sealed) is not bool
        or not all(type(text) is int and 0 < text <= TEXT_CHARS_MAX for text in more)
    ):
        raise BadMessage("choices are [slot, options, span, complete, sealed]")
    return Choices(slot, tuple(map(_read_option, options)), span, complete, sealed, *more)


def choices() -> Any:
    """A `Choices`."""
    return _structure(
        read_choices,
        write_choices,
        lambda value: isinstance(value, Choices),
        "choices",
        shapes.choices(),
    )


def _read_head(array: Any) -> Head:
    if type(array) is tuple and len(array) == 4 and type(array[0]) is str and type(array[1]) is int:
        game, seq, digest, signature = array
        if type(digest) is bytes and type(signature) is bytes:
            return Head(game, seq, digest, signature)
    raise BadMessage("a signed head is [game, seq, hash, signature]")


def head() -> Any:
    """A signed head."""
    return _structure(
        _read_head,
        Head.as_array,
        lambda value: isinstance(value, Head),
        "a signed head",
        shapes.head(),
    )


def effects() -> Any:
    """Effects: arrays that begin with their tag."""
    return _kind(
        lambda value: (
            type(value) is tuple
            and all(type(effect) is tuple and effect and type(effect[0]) is str for effect in value)
            and is_value(value)
        ),
        "an array of effects",
        shapes.effects(),
    )
