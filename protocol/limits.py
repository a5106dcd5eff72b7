"""Every bound of the protocol in one place, the unit last in the name.

A bound is part of the contract: a client may rely on what is inside it and a server refuses what is
outside, with a message.
"""

from typing import Final

INT_MAX: Final = 2**53 - 1
"""Largest whole number that may be in a log or a message; its negative is the smallest. Any
language's double holds it."""

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

ORDERS_BYTES_MAX: Final = 4 * 1024
"""A seat's standing answers, packed, without their blind."""

SEEN_RECORDS_MAX: Final = 256
"""A command names the last record its sender saw: one of this many newest records of the game, or
none."""

COMMAND_ID_BYTES_MAX: Final = 32
"""Bytes of a seat's command id, which has at least 1; a command by standing answers has none."""

SIDES_MAX: Final = 2**32
"""What a draw may choose among at most; at least it is 1."""

NONCE_BYTES: Final = 32
HASH_BYTES: Final = 32
KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
SALT_BYTES: Final = 16

DELAY_S_MAX: Final = 86_400
"""By how many seconds spectators may be behind, at most."""
DELAY_TURNS_MAX: Final = 64
"""By how many whole turns of the game spectators may be behind, at most."""

SEATS_MAX: Final = 64
"""Seats of a game. Readers of a log look at every seat for many of its records."""

EPOCHS_MAX: Final = 256
"""Length of the hash chain behind the open dice where a game's secrets name no other: at most this
many turns, taken-back ones included."""
LINKS_MAX: Final = 65_536
"""The longest such chain. A reader of a log need not know how long one is."""

REVEAL_BYTES_MAX: Final = 64 * 1024
"""Openings in one `reveal` record, packed: a server begins another record before it writes more.
One opening alone may be larger; it is never larger than the record that it opens a seal of."""

CLOCK_MS_MAX: Final = 400 * 86_400_000
"""The longest time that a control of clocks or a credit may name."""

NIGHT_HOURS_MAX: Final = 10
"""Hours a day that a seat may choose for its clock not to run."""

LEAVES_MAX: Final = 64
"""Leaves that a seat may take in a game."""

CLAIMS_OPEN_MAX: Final = 3
"""Open claims of a seat."""

CLAIMS_MAX: Final = 200
"""Claims in a game, with those that were withdrawn."""

CLAIMS_STOPPING_MAX: Final = 3
"""Claims of a seat that stop the clocks as they are made, where the terms say that claims do so:
further ones stop them once they are heard, so that nobody stops the clocks without end."""

CLAIM_CHARS_MAX: Final = 2000
"""Characters of what somebody says about a claim, and of a ruling's reasons."""

CLAUSE_CHARS_MAX: Final = 200
REMEDIES_MAX: Final = 16
"""Remedies of one ruling."""

EVENTS_PER_COMMAND_MAX: Final = 20_000
STEPS_PER_COMMAND_MAX: Final = 10_000

# --- what a client draws --------------------------------------------------------------------------
# Files and packs come from strangers, and a few bytes can demand a great deal of memory. No board
# game in print comes near these bounds.

HEXES_MAX: Final = 40_000
"""Hexes of a map: columns times rows. The largest printed games have about a quarter of this."""

HEX_ID_CHARS_MAX: Final = 32
MAP_SHEETS_MAX: Final = 64

PLACE_NEIGHBOURS_MAX: Final = 64
PIECE_FACES_MAX: Final = 16
DESCRIBED_MAX: Final = 4_096
"""Rivers, roads and railways, named areas, sources, boxes or symbols in the description of a game:
this many of each."""

BOARD_PIECES_MAX: Final = 8_192
"""Pieces on a board at one time, boxes off the map included."""

BOARD_MARKS_MAX: Final = 16_384
"""Markers on a board at one time: one on each hex of a large map, and more than one on each
piece."""

BOARD_TRACKS_MAX: Final = 1_024
"""Tracks of a board, and as many counts of closed boxes."""

SPANS_OPEN_MAX: Final = 64
"""Spans of the timeline (turn, activation, combat …) that may be open at one time."""
