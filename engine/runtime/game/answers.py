"""What the runtime answers to a request on a game: done, refused by the rules (a `Refusal`), or
failed."""

from __future__ import annotations

from attrs import frozen

from warledger.protocol.board.choices import Refusal as Refusal
from warledger.protocol.board.choices import Say, say
from warledger.protocol.log.chain import Head


@frozen(slots=False)
class Done:
    """The request is durable as record `seq`; `head` is the signed head. `again` means that the
    same request had been carried out before."""

    seq: int
    head: Head
    again: bool = False


@frozen
class Failed:
    """The request could not be carried out. `code` is one of the protocol's error codes; `say`
    tells a person what to do."""

    code: str
    say: Say


Answer = Done | Refusal | Failed


def failed(key: str, /, **args: object) -> Failed:
    """A failure with the sentence `error.<code>`."""
    prefix, _, code = key.partition(".")
    assert prefix == "error", key
    return Failed(code, say(key, **args))
