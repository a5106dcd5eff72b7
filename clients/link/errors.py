"""What can go wrong between a client and a server. A `Refusal` by the rules is a value, not one of
these."""

from warledger.protocol import lang
from warledger.protocol.board.choices import Refusal, Say


class LinkError(Exception):
    """Any of the errors below. `said` is the same as a sentence of the catalogues, where there is
    one."""

    def __init__(self, what: str | Say | Refusal = "") -> None:
        self.said: Say | Refusal | None = None if isinstance(what, str) else what
        super().__init__(what if isinstance(what, str) else lang.phrases().say(what))


class Disconnected(LinkError):
    """The server cannot be reached, or could not be reached again in time. The request may be
    repeated later."""


class OutcomeUnknown(LinkError):
    """The connection broke during a request that cannot be sent twice: check whether it was carried
    out."""


class ServerError(LinkError):
    """The server could not carry out a request. `code` is for programs, `say` for people."""

    def __init__(self, code: str, say: Say) -> None:
        super().__init__(f"{code}: {say.key} {dict(say.args)}")
        self.code = code
        self.say = say


class Unsendable(LinkError):
    """The request cannot be sent to a server, for example because it is too long. Nothing was
    sent."""


class BadServer(LinkError):
    """The server sent something that no honest server sends: a record that does not follow, an
    opening that does not fit, a wrong signature, a log that is not what this client signed. Nothing
    more is signed in that game, and the receipts contain the proof."""


class RecordsLost(BadServer):
    """The server's log lacks a record, or has another one, for which this client holds the server's
    or its own signature."""


class SeatRefused(LinkError):
    """The seat could not be taken, for the reason that the server gives."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal


class CannotSit(LinkError):
    """This client refuses to take the seat; the message says what to do."""


class Unsettled(LinkError):
    """An act that was signed and sent is neither carried out nor refused under the server's
    signature. So nothing else is signed for what it decides."""
