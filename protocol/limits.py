"""Every bound of the protocol in one place, the unit last in the name.

A bound is part of the contract: a client may rely on what is inside it and a server refuses what is outside, with a message.
"""

from typing import Final

INT_MAX: Final = 2**53 - 1
"""Largest whole number that may stand in a log or a message; its negative is the smallest. Any language's double holds it."""

FRAME_BYTES_MAX: Final = 4 * 1024 * 1024
"""Largest frame that a server or client accepts once logged in; a genesis with its pack fits."""

FRAME_BEFORE_LOGIN_BYTES_MAX: Final = 4 * 1024
"""Largest frame that a stranger may send."""

CLIENT_FRAME_BYTES_MAX: Final = 64 * 1024
"""Largest frame that a logged-in client may send."""

REQUESTS_OPEN_MAX: Final = 256
"""Requests of one connection that may wait for their answers."""

NESTING_LEVELS_MAX: Final = 16
TEXT_CHARS_MAX: Final = 4096
NAME_CHARS_MAX: Final = 64

PICKS_MAX: Final = 512
"""Picks in one command."""

SEEN_RECORDS_MAX: Final = 256
"""A command names the last record its sender saw: one of so many newest records of the game, or none."""

COMMAND_ID_BYTES_MAX: Final = 32
NONCE_BYTES: Final = 32
HASH_BYTES: Final = 32
SALT_BYTES: Final = 16

EPOCHS_MAX: Final = 256
"""Length of the hash chain behind the open dice: at most so many turns, taken-back ones included."""

EVENTS_PER_COMMAND_MAX: Final = 20_000
STEPS_PER_COMMAND_MAX: Final = 10_000
