"""What a seat may do next, and why not: plain values that travel to every client.

A command is a chain of single picks, the verb first. `Choices` is what may come after the picks
made so far.
"""

from typing import Any

from attrs import field, frozen

Pick = str | int
Picks = tuple[Pick, ...]


@frozen
class Say:
    """A sentence to be rendered by `phrases`: a key of the catalogues, its arguments, and the
    clause it rests on."""

    key: str
    args: tuple[tuple[str, Any], ...] = ()
    rule: str = ""

    def as_array(self) -> tuple[Any, ...]:
        """[key, [[name, value] …], rule]."""
        return (self.key, self.args, self.rule)

    @classmethod
    def from_array(cls, array: Any) -> "Say":
        """Raises ValueError when the array has another form."""
        key, args, rule = array
        return cls(str(key), tuple((str(name), value) for name, value in args), str(rule))


CLIENT_WORDS = ("ui.", "cli.", "link.", "audit.", "acts.", "demo.", "web.")
"""Prefixes of the keys of sentences that a client says in its own name. A server or a log that used
one could put words into the client's mouth, such as a false table code or a verdict."""


def is_for_client_alone(value: Any) -> bool:
    """Whether a sentence's key, or anything among its arguments, is one of a client's own."""
    kind = type(value)
    if kind is str:
        return bool(value.startswith(CLIENT_WORDS))
    return kind in (tuple, list) and any(map(is_for_client_alone, value))


def say(key: str, rule: str = "", /, **args: Any) -> Say:
    """A sentence with named arguments."""
    return Say(key, tuple(args.items()), rule)


@frozen
class Option:
    """One pick that may come next.

    `id` is the pick. A client shows the phrase `pick.<id>`, or the name of the piece or place of
    that id; `label` is for a pick that has neither.
    """

    id: Pick
    label: Say | None = None


@frozen
class Choices:
    """All that may follow the picks made so far.

    slot      what is being picked (`verb`, `ship`, `to` …): names the prompt `slot.<slot>`
    options   the picks on offer, or
    span      (lowest, highest): any whole number between, both included
    complete  whether the picks made so far are a complete command already
    sealed    whether this command's picks are hidden from the other seats
    text      how many characters of free text may come next, 0 for none: names and reasons, which
              only tournaments ask for
    """

    slot: str
    options: tuple[Option, ...] = ()
    span: tuple[int, int] | None = None
    complete: bool = False
    sealed: bool = False
    text: int = 0

    def offers(self, pick: Pick) -> bool:
        """Whether this pick may come next."""
        if self.span is not None and type(pick) is int and self.span[0] <= pick <= self.span[1]:
            return True
        kind = type(pick)
        if self.text and kind is str:
            return 0 < len(str(pick)) <= self.text
        for option in self.options:  # noqa: SIM110 a plain loop takes half the time, and every pick of every command comes by here
            if option.id == pick and type(option.id) is kind:
                return True
        return False

    @property
    def is_end(self) -> bool:
        """Whether nothing more can be picked."""
        return not self.options and self.span is None and not self.text


def offer(slot: str, ids: Any, *, complete: bool = False, sealed: bool = False) -> Choices:
    """Choices from bare ids (or Options)."""
    options = tuple(item if type(item) is Option else Option(item) for item in ids)
    return Choices(slot, options, complete=complete, sealed=sealed)


WHOLE = Choices("end", complete=True)
"""The command is complete and nothing can be added."""


@frozen
class Decision:
    """An open question to a seat. `id` is the record that opened it (set by the kernel)."""

    prompt: Say
    id: int = field(default=0, eq=False)


@frozen
class Refusal:
    """Why a command was not accepted: the clause, a key of the catalogues and its arguments.
    Nothing has changed."""

    rule: str
    key: str
    args: tuple[tuple[str, Any], ...] = ()

    def as_array(self) -> tuple[Any, ...]:
        """[rule, key, [[name, value] …]]."""
        return (self.rule, self.key, self.args)

    @classmethod
    def from_array(cls, array: Any) -> "Refusal":
        """Raises ValueError when the array has another form."""
        rule, key, args = array
        return cls(str(rule), str(key), tuple((str(name), value) for name, value in args))


def refuse(rule: str, key: str, /, **args: Any) -> Refusal:
    """A refusal with named arguments."""
    return Refusal(rule, key, tuple(args.items()))
