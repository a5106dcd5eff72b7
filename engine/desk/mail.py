"""Mail: the settings of an operator's mail server, letters as text, and handing them to it.

Rules of this file:
- A server that hangs, or drips its answers, costs one thread and `SECONDS`, no more: its connection
  is cut then, which ends the thread. Nothing else waits for it.
- A letter that is sent again has the same Message-ID, so that programs for mail show it once.
- An error says what went wrong, never to whom: addresses are secrets.
"""

import os
import re
import smtplib
import socket
import ssl
import stat
import tomllib
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime, formataddr
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio
from attrs import define, field, frozen

from warledger.engine.desk.letters import is_address
from warledger.engine.desk.webhook import NotPosted

SECONDS: Final = 30.0
"""Seconds for a whole letter."""
STEP_SECONDS: Final = 10.0
"""Seconds for each answer of the mail server."""
AT_A_TIME: Final = 2
STARTTLS, TLS, NONE = "starttls", "tls", "none"
_PORTS: Final = {STARTTLS: 587, TLS: 465, NONE: 25}
_HOST: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*|[0-9a-fA-F:]*:[0-9a-fA-F:]*")
_INSIDE: Final = ("localhost", "127.0.0.1", "::1")
_KEYS: Final = {
    "host": str,
    "port": int,
    "security": str,
    "user": str,
    "password": str,
    "sender": str,
    "name": str,
}


class BadMail(ValueError):
    """Settings that cannot be used; the message says what to do."""


@frozen
class MailServer:
    """An operator's mail server. `security` is "starttls", "tls" or "none"; `sender` is the address
    that letters come from, and `name` who they say it is."""

    host: str
    sender: str
    port: int = 587
    security: str = STARTTLS
    user: str = ""
    password: str = field(default="", repr=False)
    name: str = "Warledger"


@frozen
class Written:
    """A letter's text. `unsubscribe` are addresses by which its reader gets no more of them."""

    subject: str
    text: str
    unsubscribe: tuple[str, ...] = ()


def read_settings(path: Path) -> MailServer:
    """The settings in a TOML file, which others must not be able to read where it has a password.
    Raises BadMail."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            told = tomllib.load(file)
    except OSError as error:
        raise BadMail(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise BadMail(
            f'{path} is not TOML; write lines such as host = "mail.example.org"'
        ) from None
    if told.get("password") and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise BadMail(f"{path} has a password that others can read; run chmod 600 {path}")
    return _checked(path, told)


def _checked(path: Path, told: dict[str, Any]) -> MailServer:
    for key, value in told.items():
        if key not in _KEYS:
            raise BadMail(f"{path}: there is no setting {key}; use {', '.join(_KEYS)}")
        if type(value) is not _KEYS[key]:
            raise BadMail(f"{path}: {key} must be {'a number' if key == 'port' else 'a text'}")
        if isinstance(value, str) and not value.isprintable():
            raise BadMail(f"{path}: {key} must be one line")
    for key in ("host", "sender"):
        if not told.get(key):
            raise BadMail(f"{path}: {key} is missing")
    if not _HOST.fullmatch(told["host"]):
        raise BadMail(f"{path}: host must be a name or an address, without a port")
    if not is_address(told["sender"]):
        raise BadMail(f"{path}: sender must be an address, such as games@example.org")
    security = told.get("security", STARTTLS)
    if security not in _PORTS:
        raise BadMail(f"{path}: security must be {', '.join(_PORTS)}")
    if security == NONE and told["host"] not in _INSIDE:
        raise BadMail(f'{path}: security = "none" is for a mail server on this machine only')
    port = told.get("port", _PORTS[security])
    if not 1 <= port <= 65535:
        raise BadMail(f"{path}: port must be from 1 to 65535")
    if bool(told.get("user")) != bool(told.get("password")):
        raise BadMail(f"{path}: user and password go together")
    return MailServer(**{**told, "security": security, "port": port})


class _Policy(EmailPolicy):
    """How mail is written: addresses to unsubscribe stand in their header as they are. What is
    longer than a line would be encoded, and then no program recognises it as an address."""

    def fold(self, name: str, value: Any) -> str:
        """The header as text."""
        if name.lower() != _UNSUBSCRIBE.lower():
            return str(super().fold(name, value))
        return f"{name}: {str(value).replace(', ', f',{_END} ')}{_END}"

    def fold_binary(self, name: str, value: Any) -> bytes:
        """The header as bytes."""
        if name.lower() != _UNSUBSCRIBE.lower():
            return super().fold_binary(name, value)
        return self.fold(name, value).encode("ascii")


_UNSUBSCRIBE: Final = "List-Unsubscribe"
_END: Final = "\r\n"
_POLICY: Final = _Policy(linesep=_END)


def letter(server: MailServer, to: str, key: str, now_ms: int, written: Written) -> EmailMessage:
    """A letter in plain text; `key` is the same however often it is sent."""
    made = EmailMessage(policy=_POLICY)
    made["From"] = formataddr((server.name, server.sender))
    made["To"] = to
    made["Subject"] = written.subject
    made["Date"] = format_datetime(datetime.fromtimestamp(now_ms / 1000, UTC))
    made["Message-ID"] = f"<{key}@{server.sender.rpartition('@')[2]}>"
    made["Auto-Submitted"] = "auto-generated"
    if written.unsubscribe:
        made[_UNSUBSCRIBE] = ", ".join(f"<{one}>" for one in written.unsubscribe)
    made.set_content(written.text, charset="utf-8", cte="quoted-printable")
    return made


@define(eq=False)
class Line:
    """A connection to a mail server, which can be cut from another thread."""

    sock: socket.socket | None = None
    is_cut: bool = False

    def hold(self, sock: socket.socket) -> socket.socket:
        """This is the connection."""
        self.sock = sock
        if self.is_cut:
            self.cut()
        return sock

    def cut(self) -> None:
        """End it: whoever waits for it waits no more."""
        self.is_cut = True
        if self.sock is not None:
            with suppress(OSError):  # it has ended
                self.sock.shutdown(socket.SHUT_RDWR)


class _Plain(smtplib.SMTP):
    def __init__(self, line: Line, server: MailServer) -> None:
        self._line = line
        super().__init__(
            server.host,
            server.port,
            local_hostname=server.sender.rpartition("@")[2],
            timeout=STEP_SECONDS,
        )

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return self._line.hold(socket.create_connection((host, port), timeout))


class _Wrapped(_Plain):
    """A connection to a mail server with TLS from the first byte on."""

    def __init__(self, line: Line, server: MailServer, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__(line, server)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        sock = super()._get_socket(host, port, timeout)
        return self._line.hold(self._context.wrap_socket(sock, server_hostname=host))


def deliver(
    server: MailServer, context: ssl.SSLContext, line: Line, to: str, made: EmailMessage
) -> None:
    """Hand a letter over; it blocks. Raises OSError or SMTPException."""
    speaking = _Wrapped(line, server, context) if server.security == TLS else _Plain(line, server)
    with speaking as smtp:
        if server.security == STARTTLS:
            smtp.starttls(context=context)
            if smtp.sock is not None:
                line.hold(smtp.sock)
        if server.user:
            smtp.login(server.user, server.password)
        smtp.send_message(made, server.sender, [to])


Deliver = Callable[[MailServer, ssl.SSLContext, Line, str, EmailMessage], None]


@define(eq=False)
class Postman:
    """Hands letters to a mail server, in threads of its own. `context` is what is believed of its
    certificate."""

    server: MailServer
    context: ssl.SSLContext = field(factory=ssl.create_default_context)
    deliver: Deliver = deliver
    _limiter: trio.CapacityLimiter = field(factory=lambda: trio.CapacityLimiter(AT_A_TIME))

    async def send(self, to: str, made: EmailMessage) -> None:
        """Hand a letter over. Raises NotPosted."""
        line = Line()
        try:
            with trio.move_on_after(SECONDS) as scope:
                try:
                    await trio.to_thread.run_sync(
                        partial(self.deliver, self.server, self.context, line, to, made),
                        limiter=self._limiter,
                        abandon_on_cancel=True,
                    )
                finally:
                    line.cut()
        except smtplib.SMTPRecipientsRefused:
            raise NotPosted("no_mailbox") from None
        except (smtplib.SMTPException, OSError, ValueError):
            raise NotPosted("no_mail") from None
        if scope.cancelled_caught:
            raise NotPosted("slow")
