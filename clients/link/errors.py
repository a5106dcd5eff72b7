"""What can go wrong between a client and a server. A `Refusal` by the rules is a value, not one of these."""

from protocol.choices import Say


class LinkError(Exception):
    """Any of the errors below."""


class Disconnected(LinkError):
    """The server cannot be reached, or could not be reached again in time. What was asked may be asked again later."""


class OutcomeUnknown(LinkError):
    """The connection broke while a request was on its way that cannot be sent twice: look whether it was carried out."""


class ServerError(LinkError):
    """The server could not carry out a request. `code` is for programs, `say` for people."""

    def __init__(self, code: str, say: Say) -> None:
        super().__init__(f"{code}: {say.key} {dict(say.args)}")
        self.code = code
        self.say = say


class BadServer(LinkError):
    """The server sent what no honest server sends: a record that does not follow, an opening that does not fit, a wrong signature."""


__all__ = ["BadServer", "Disconnected", "LinkError", "OutcomeUnknown", "ServerError"]
