"""How a message stands on the wire: the array [tag, field …], and the list of the classes that have
a tag. The messages themselves stand in `messages` and `accountmessages`."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, ClassVar, Final, TypeVar, dataclass_transform

import attrs

from warledger.protocol import canon, fields
from warledger.protocol.fields import READ, WRITE, BadMessage
from warledger.protocol.frames import frame
from warledger.protocol.limits import INT_MAX, NAME_CHARS_MAX

CLIENT: Final = "client"
SERVER: Final = "server"

C = TypeVar("C", bound=type)


class Message:
    """Any message. `tag` is its name on the wire, `sender` who sends it (None: either), `answers`
    what may answer it."""

    tag: ClassVar[str]
    sender: ClassVar[str | None]
    answers: ClassVar[tuple[str, ...]]


@attrs.frozen
class _Form:
    """How a message of a class stands on the wire: how all its fields are taken at once, how many
    they are, and those (by their place) that are written or read other than as they are."""

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
        fields.choices,
        fields.effects,
        fields.flag,
        fields.head,
        fields.maps,
        fields.name,
        fields.number,
        fields.octets,
        fields.one_of,
        fields.options,
        fields.orders,
        fields.phrases,
        fields.picks,
        fields.refusal,
        fields.rows,
        fields.secret,
        fields.sentence,
        fields.sentences,
        fields.text,
        fields.value,
    ),
)
def message(tag: str, sender: str | None, *answers: str) -> Callable[[C], C]:
    def make(cls: C) -> C:
        made = attrs.frozen(slots=False)(cls)
        for name, value in (("tag", tag), ("sender", sender), ("answers", answers)):
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


def to_frame(message: Any) -> bytes:
    """The message as one frame of the stream."""
    return frame(encode(message))


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
