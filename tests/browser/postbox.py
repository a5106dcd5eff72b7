"""A mail server for the pages' tests: it takes every letter and keeps it."""

from __future__ import annotations

import email
import email.policy
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage

ANSWERS = {"DATA": "354 go on", "QUIT": "221 bye"}


class Postbox(socketserver.ThreadingTCPServer):
    """Listens on a free port of this machine; `letters` are those that came, by whom they are
    for."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.letters: list[tuple[str, EmailMessage]] = []

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    def codes(self, to: str, kind: str) -> list[str]:
        """The codes that came to somebody: "link" for those that sign in, "mail" for those that
        confirm an address. (A server that does not know the page's address sends them as they
        are.)"""
        words = [
            word
            for whom, letter in list(self.letters)
            if whom == to
            for word in letter.get_content().split()
        ]
        return [word for word in words if word.startswith(f"{kind}:")]


class _Talk(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        """One conversation."""
        assert isinstance(self.server, Postbox)
        to = ""
        self._say("220 hello")
        while line := self.rfile.readline().decode().strip():
            verb = line.partition(" ")[0].upper()
            if verb == "RCPT":
                to = line.rpartition("<")[2].partition(">")[0]
            self._say(ANSWERS.get(verb, "250 ok"))
            if verb == "DATA":
                data = b""
                while (part := self.rfile.readline()) not in (b".\r\n", b""):
                    data += part.removeprefix(b".") if part.startswith(b"..") else part
                letter = email.message_from_bytes(data, policy=email.policy.default)
                assert isinstance(letter, EmailMessage)
                self.server.letters.append((to, letter))
                self._say("250 taken")
            elif verb == "QUIT":
                return

    def _say(self, answer: str) -> None:
        self.wfile.write(answer.encode() + b"\r\n")


@contextmanager
def postbox() -> Iterator[Postbox]:
    """A mail server that runs."""
    with Postbox() as box:
        threading.Thread(target=box.serve_forever, daemon=True).start()
        yield box
        box.shutdown()
