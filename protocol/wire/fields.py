"""How messages are declared, and how they stand on the wire: the kinds of fields that they are made
of, the array [tag, field …], and the list of the classes that have a tag.

A message's fields are checked whenever one is made, by its sender and by its receiver alike. So
neither side can send what the other must refuse. `read` turns what msgpack decoded into the value,
`write` turns it back; plain fields need neither.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, ClassVar, Final, TypeVar, dataclass_transform

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


CLIENT: Final = "client"
SERVER: Final = "server"

FREE: Final = "free"
LINE: Final = "line"
PAGE: Final = "page"
PLAY: Final = "play"
JOB: Final = "job"
COSTS: Final = (FREE, LINE, PAGE, PLAY, JOB)
"""What a request costs, by class. FREE: limited otherwise, by the rules of the game or by the tries
that a login has. LINE: answered from memory. PAGE: bounded rows. PLAY: the rules are asked. JOB:
something is made of what a stranger sent. All but the first are charged to whoever asks."""

C = TypeVar("C", bound=type)


class Message:
    """Any message.

    Attributes:
        tag: its name on the wire.
        sender: who sends it; None for either.
        answers: the tags of what may answer it, beside an error.
        cost: of a request, the class of its cost: one of `COSTS`.
        repeatable: whether a request may be sent again where the answer was lost: it changes
            nothing, or its author's number or name makes it one however often it comes.
        at_edge: whether an edge carries the request out, for spectators.
        while_stopping: whether a server that is stopping still carries it out.
    """

    tag: ClassVar[str]
    sender: ClassVar[str | None]
    answers: ClassVar[tuple[str, ...]]
    cost: ClassVar[str]
    repeatable: ClassVar[bool]
    at_edge: ClassVar[bool]
    while_stopping: ClassVar[bool]


@attrs.frozen
class _Form:
    """How a message of a class stands on the wire: how all its fields are taken at once, their
    count, and those (by their place) that are converted."""

    cls: type[Message]
    take: Callable[[Any], tuple[Any, ...]]
    count: int
    written: tuple[tuple[int, Callable[[Any], Any]], ...]
    read: tuple[tuple[int, Callable[[Any], Any]], ...]


FORMS: dict[str, _Form] = {}


def _form_of(cls: type[Any]) -> _Form:
    columns = attrs.fields(cls)
    names = [column.name for column in columns]
    take = attrgetter(*names) if len(names) > 1 else lambda message: (getattr(message, names[0]),)
    special = [
        [
            (place, column.metadata[key])
            for place, column in enumerate(columns)
            if key in column.metadata
        ]
        for key in (WRITE, READ)
    ]
    return _Form(cls, take, len(names), tuple(special[0]), tuple(special[1]))


@dataclass_transform(
    frozen_default=True,
    field_specifiers=(
        choices,
        effects,
        flag,
        head,
        maps,
        name,
        number,
        octets,
        one_of,
        options,
        orders,
        phrases,
        picks,
        refusal,
        rows,
        secret,
        sentence,
        sentences,
        text,
        value,
    ),
)
def message(
    tag: str,
    sender: str | None,
    *answers: str,
    cost: str = "",
    repeatable: bool = False,
    at_edge: bool = False,
    while_stopping: bool = False,
) -> Callable[[C], C]:
    """Declare a message: see `Message`. Raises TypeError for a request without a class of cost."""
    if (sender == CLIENT) != (cost in COSTS):
        raise TypeError(f"{tag}: a request, and nothing else, has one of these costs: {COSTS}")
    declared = {
        "tag": tag,
        "sender": sender,
        "answers": answers,
        "cost": cost,
        "repeatable": repeatable,
        "at_edge": at_edge,
        "while_stopping": while_stopping,
    }

    def make(cls: C) -> C:
        made = attrs.frozen(slots=False)(cls)
        for name, value in declared.items():
            type.__setattr__(made, name, value)
        FORMS[tag] = _form_of(made)
        return made

    return make


def encode(message: Any) -> bytes:
    """The message's payload, unframed."""
    tag = message.tag
    form = FORMS[tag]
    array = [tag, *form.take(message)]
    for place, write in form.written:
        array[place + 1] = write(array[place + 1])
    return canon.pack(array)


def encode_head(tag: str, request: int) -> bytes:
    """How the payload of a message with this tag begins, as far as its request number; the same
    from there on is the same message."""
    return bytes((0x90 + FORMS[tag].count + 1,)) + canon.pack(tag) + canon.pack(request)


def decode(payload: bytes) -> Any:
    """The message of a payload. Raises BadMessage; its text says what is wrong, and its `request`
    which request has a field that is."""
    try:
        array = canon.unpack_trusted(payload)
    except canon.NotCanonical as error:
        raise BadMessage(str(error)) from error
    if type(array) is not tuple or not array or type(array[0]) is not str:
        raise BadMessage("a message is an array that begins with its tag")
    form = FORMS.get(array[0])
    if form is None:
        raise BadMessage(f"unknown message {array[0][:NAME_CHARS_MAX]!r}")
    if len(array) != form.count + 1:
        raise BadMessage(f"{array[0]} has {form.count} fields, not {len(array) - 1}")
    values = list(array)
    try:
        for place, read in form.read:
            values[place + 1] = read(values[place + 1])
        return form.cls(*values[1:])
    except BadMessage as error:
        number = values[1] if form.cls.sender == CLIENT and form.count else 0
        known = type(number) is int and 1 <= number <= INT_MAX
        raise BadMessage(f"{array[0]}: {error}", number if known else 0, array[0]) from error
