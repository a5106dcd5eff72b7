"""What can go wrong between a client and a server. A `Refusal` by the rules is a value, not one of
these."""

from warledger.protocol import lang
from warledger.protocol.choices import Refusal, Say


class LinkError(Exception):
    """Any of the errors below. `said` is the same as a sentence of the catalogues, where there is
    one."""

    def __init__(self, what: str | Say | Refusal = "") -> None:
        self.said: Say | Refusal | None = None if isinstance(what, str) else what
        super().__init__(what if isinstance(what, str) else lang.phrases().say(what))


class Disconnected(LinkError):
    """The server cannot be reached, or could not be reached again in time. What was asked may be
    asked again later."""


class OutcomeUnknown(LinkError):
    """The connection broke while a request was on its way that cannot be sent twice: look whether
    it was carried out."""


class ServerError(LinkError):
    """The server could not carry out a request. `code` is for programs, `say` for people."""

    def __init__(self, code: str, say: Say) -> None:
        super().__init__(f"{code}: {say.key} {dict(say.args)}")
        self.code = code
        self.say = say


class Unsendable(LinkError):
    """What was to be asked cannot be said to a server: too long, say. Nothing was sent."""


class BadServer(LinkError):
    """The server sent what no honest server sends: a record that does not follow, an opening that
    does not fit, a wrong signature, a log that is not what this client signed. Nothing more is
    signed in that game, and what proves it lies among the receipts."""


class RecordsLost(BadServer):
    """The server's log lacks a record, or has another one, for which this client holds the server's
    or its own signature."""


class SeatRefused(LinkError):
    """The seat could not be taken: why, as the server says it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal


class CannotSit(LinkError):
    """This client does not sit down there, and what to do."""


class Unsettled(LinkError):
    """An act that was signed and sent is neither carried out nor refused under the server's
    signature, so nothing else is signed for what it decides."""


__all__ = [
    "BadServer",
    "CannotSit",
    "Disconnected",
    "LinkError",
    "OutcomeUnknown",
    "RecordsLost",
    "SeatRefused",
    "ServerError",
    "Unsendable",
    "Unsettled",
]
