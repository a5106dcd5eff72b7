"""What people are called, in the forms in which notices leave the server.

A name may have come from anywhere, also from a log that another server wrote. Each form makes of it
what its readers see as those characters and nothing else: no mention of a channel, no link behind
other words, no second line."""

import re
from collections.abc import Callable, Mapping
from typing import Final

_CONTROLS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+"
)
"""Controls, line breaks, and what changes the direction of text."""
_MARKDOWN: Final = re.compile(r"([\\*_~`|\[\]()<>#@:])")


def plain(text: str) -> str:
    """For plain text, JSON, mail and pushes: one line."""
    return _CONTROLS.sub(" ", text)


def slack(text: str) -> str:
    """For Slack, which has its mentions and links between < and >."""
    return plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def discord(text: str) -> str:
    """For Discord, which has Markdown."""
    return _MARKDOWN.sub(r"\\\1", plain(text))


ESCAPES: Final[Mapping[str, Callable[[str], str]]] = {"slack": slack, "discord": discord}
"""By the form of a webhook; all other ways are plain."""
