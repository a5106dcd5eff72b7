"""How a message stands on the wire: the array [tag, field …], and the list of the classes that have
a tag. The messages themselves stand in `messages` and `accountmessages`."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, ClassVar, Final, TypeVar, dataclass_transform

import attrs

from warledger.protocol import canon
from warledger.protocol.limits import INT_MAX, NAME_CHARS_MAX
from warledger.protocol.wire import fields
from warledger.protocol.wire.fields import READ, WRITE, BadMessage

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
